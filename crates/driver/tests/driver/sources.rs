//! A common interface for all languages: from files, from editor buffers, from a commit.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use ordain_driver::{
    CollectingReporter, Commit, Compiled, Error, Layer, Options, Purpose, SourceKind, compile,
};
use ordain_source::Buffers;
use ordain_testkit::peer;

/// A source of each language that declares a file `/tmp/x` with a content, and the name that the
/// language gives the attribute.
const SOURCES: [(&str, &str, SourceKind); 4] = [
    ("site.pp", "file { '/tmp/x': content => 'TEXT' }\n", SourceKind::Puppet),
    ("main.mcl", "file \"/tmp/x\" { content => \"TEXT\", }\n", SourceKind::Mcl),
    (
        "main.yml",
        "resources:\n  File:\n    /tmp/x:\n      content: (( \"TE\" \"XT\" ))\n",
        SourceKind::Dynaml,
    ),
    (
        "main.cf",
        "entity Host extends std::Entity:\n    string name\nend\nimplement Host using std::none\n\
         Host(name=\"TEXT\")\n",
        SourceKind::Inmanta,
    ),
];

fn options() -> Options {
    Options { node: Some("web.example".into()), facts: None, ..Options::default() }
}

fn compiled(path: &Path, options: &Options) -> Result<Compiled, String> {
    let mut report = CollectingReporter::default();
    compile(&mut report, path, options, Purpose::Inspection).map_err(|error| match error {
        Error::Message(diagnostic) => diagnostic.message.clone(),
        Error::Reported => {
            report.diagnostics.iter().map(|d| d.message.clone()).collect::<Vec<_>>().join("\n")
        }
    })
}

/// The content of the file that a graph declares.
fn content(compiled: &Compiled) -> Option<String> {
    let (_, file) =
        compiled.graph.resources().find(|(_, r)| r.id.kind.eq_ignore_ascii_case("file"))?;
    file.attribute("content")?.value.as_str().map(str::to_owned)
}

#[test]
fn a_path_is_compiled_in_its_language() {
    let dir = tempfile::tempdir().unwrap();
    for (name, text, kind) in SOURCES {
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        assert_eq!(SourceKind::of(&path, &options()), kind, "{name}");
        let result = compiled(&path, &options()).unwrap_or_else(|e| panic!("{name}: {e}"));
        if kind != SourceKind::Inmanta {
            assert_eq!(content(&result).as_deref(), Some("TEXT"), "{name}");
        }
        assert!(result.inputs.contains(&path), "{name}: {:?}", result.inputs);
    }
}

#[test]
fn errors_are_reported_and_not_printed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("site.pp");
    std::fs::write(&path, "warning('first')\nnotice($missing)\n").unwrap();
    let mut report = CollectingReporter::default();
    let result = compile(&mut report, &path, &options(), Purpose::Inspection);
    assert!(matches!(result, Err(Error::Reported)));
    assert!(report.has_errors());
    assert_eq!(report.logs.len(), 1);
}

#[test]
fn unsaved_texts_count() {
    let dir = tempfile::tempdir().unwrap();
    for (name, text, _) in SOURCES {
        let path = dir.path().join(name);
        std::fs::write(&path, "what is saved is broken {{{").unwrap();
        let buffers = Arc::new(Buffers::default());
        let layer = Layer(Arc::clone(&buffers) as _);
        let options = Options { layer: Some(layer), ..options() };
        assert!(compiled(&path, &options).is_err(), "{name}");
        buffers.set(&path, text);
        compiled(&path, &options).unwrap_or_else(|e| panic!("{name}: {e}"));
        buffers.set(&path, text.replace("TEXT", "NEW").replace("\"TE\" \"XT\"", "\"NE\" \"W\""));
        let result = compiled(&path, &options).unwrap_or_else(|e| panic!("{name}: {e}"));
        if let Some(content) = content(&result) {
            assert_eq!(content, "NEW", "{name}");
        }
        buffers.remove(&path);
        assert!(compiled(&path, &options).is_err(), "{name}");
    }
}

fn git(dir: &Path, args: &[&str]) {
    let identity =
        ["-c", "user.name=a", "-c", "user.email=a@example", "-c", "commit.gpgsign=false"];
    let status = Command::new("git").current_dir(dir).args(identity).args(args).status().unwrap();
    assert!(status.success(), "git {args:?}");
}

#[test]
fn a_commit_is_compiled_without_the_work_tree() {
    let is_installed = Command::new("git").arg("--version").output().is_ok();
    if !peer(is_installed, "git") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    let site = root.join("site");
    let write = |name: &str, text: &str| {
        let path = site.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("environment.conf", "modulepath = modules\n");
    write("manifests/site.pp", "include a\n");
    write("real/a/manifests/init.pp", "class a { file { '/tmp/x': content => lookup('c') } }\n");
    write("hiera.yaml", "version: 5\nhierarchy: [{name: all, path: all.yaml}]\n");
    write("data/all.yaml", "c: committed\n");
    std::fs::create_dir_all(site.join("modules")).unwrap();
    std::os::unix::fs::symlink("../real/a", site.join("modules/a")).unwrap();
    git(root, &["init", "-q"]);
    git(root, &["add", "."]);
    git(root, &["commit", "-q", "-m", "first"]);
    write("data/all.yaml", "c: changed\n");
    std::fs::remove_dir_all(site.join("real")).unwrap();
    write("manifests/later.pp", "fail('only in the work tree')\n");

    let commit = Commit::open(&site, "HEAD").unwrap();
    let at_commit = Options { layer: Some(Layer(Arc::new(commit))), ..options() };
    let result = compiled(&site, &at_commit).unwrap();
    assert_eq!(content(&result).as_deref(), Some("committed"));
    assert!(compiled(&site, &options()).is_err());

    let unknown = Commit::open(&site, "nowhere").err().unwrap();
    assert!(unknown.message.ends_with("has no revision `nowhere`"), "{}", unknown.message);
}
