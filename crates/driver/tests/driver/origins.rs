//! The values of a document's resources have the places where they are written.

use std::fs;

use ordain_driver::{CollectingReporter, Options, Purpose, compile};
use ordain_graph::OriginId;

const TEMPLATE: &str = r#"
meta:
  greeting: hello
defaults:
  <<: (( &template ))
  mode: "0640"
resources:
  file:
    /merged:
      content: (( merge ))
    /replaced:
      content: of the template
    /referred:
      content: (( meta.greeting ))
    /inserted:
      <<: (( merge ))
      content: own
    /templated: (( *.defaults ))
    /literal: { content: of the template, tag: [one, two] }
    <<: (( merge ))
"#;

const STUB: &str = r#"
resources:
  file:
    /merged: { content: of the stub }
    /replaced:
      content: another of the stub
    /inserted: { owner: from the stub }
    /added:
      content: a file of the stub
"#;

/// A title, an attribute, the file and the text at its place.
const PLACES: [(&str, &str, &str, &str); 9] = [
    ("/merged", "content", "stub.yml", "of the stub"),
    ("/replaced", "content", "stub.yml", "another of the stub"),
    ("/referred", "content", "site.yml", "(( meta.greeting ))"),
    ("/inserted", "content", "site.yml", "own"),
    ("/inserted", "owner", "stub.yml", "from the stub"),
    ("/templated", "mode", "site.yml", "(( *.defaults ))"),
    ("/literal", "content", "site.yml", "of the template"),
    ("/added", "content", "stub.yml", "a file of the stub"),
    ("/added", "", "stub.yml", "content: a file of the stub"),
];

#[test]
fn values_have_the_places_in_the_template_or_the_stub() {
    let dir = tempfile::tempdir().unwrap();
    let (site, stub) = (dir.path().join("site.yml"), dir.path().join("stub.yml"));
    fs::write(&site, TEMPLATE).unwrap();
    fs::write(&stub, STUB).unwrap();
    let options = Options { stubs: vec![stub], ..Options::default() };
    let mut reporter = CollectingReporter::default();
    let compiled = compile(&mut reporter, &site, &options, Purpose::Inspection);
    let compiled = compiled.unwrap_or_else(|_| panic!("{:?}", reporter.diagnostics));
    let graph = &compiled.graph;
    let place = |origin: OriginId| {
        let span = graph.origins.get(origin).span.unwrap();
        let file = compiled.sources.file(span.file);
        let name = file.path.file_name().unwrap().to_string_lossy().into_owned();
        let text = &file.text[span.range.start as usize..span.range.end as usize];
        (name, text.trim_end().to_owned())
    };
    for (title, attribute, file, text) in PLACES {
        let (_, resource) = graph.resources().find(|(_, r)| r.id.title == title).unwrap();
        let origin = match attribute {
            "" => resource.origin,
            name => resource.attribute(name).unwrap().origin,
        };
        assert_eq!(place(origin), (file.into(), text.into()), "{title} {attribute}");
    }
}
