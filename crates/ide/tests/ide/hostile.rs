//! Texts that no user finished, and random edits: nothing panics, and the answers stay in the text.

use std::path::{Path, PathBuf};

use ordain_ide::{Analysis, Settings, Workspace};
use ordain_source::TextRange;
use ordain_source::limits::on_deep_stack;
use ordain_testkit::bounded;
use ordain_testkit::random::Random;

const TEXTS: [(&str, &str); 6] = [
    (
        "a.pp",
        "# Doc\nclass web(Integer $port = 80, $x = undef) inherits base {\n  file { \"/etc/${port}\":\n    ensure => file,\n    content => template('web/a.erb'),\n  }\n  $v = $facts['os']['family'] ? { 'a' => 1, default => @(END/L) }\n  | END\n  [1].each |$i| { notice($i, $::fqdn, $web::params::y) }\n}\n",
    ),
    ("a.epp", "<%- | String $x | -%>\n<% if $x { %><%= $x.upcase %><% } %>\n"),
    ("a.yaml", "---\nweb::port: 80\n'b c': [1, {a: 2}]\nd: |\n  text\n"),
    ("b.yml", "a:\n  b: (( grab.c || \"x\" ))\n  c:\n  - name: (( .a.b ))\n"),
    (
        "main.mcl",
        "import \"fmt\"\n$x = \"a${y}\"\nclass c($a) {\n\tfile \"/t\" {\n\t\tcontent => fmt.printf(\"%s\", $x),\n\t}\n}\ninclude c(1) as d\nfunc f($q) { $q }\n",
    ),
    (
        "main.cf",
        "import std\nimport a::b as c\nentity Host extends std::Entity:\n  string name = \"x\"\nend\nHost.peers [0:] -- Host.peer [1]\nimplementation h for Host:\n  x = self.name\nend\nimplement Host using h\nh = Host(name=\"a\", peer=h)\n",
    ),
];

/// Asks everything about some places of a file.
fn ask(analysis: &Analysis, path: &Path, text: &str, random: &mut Random) {
    analysis.outline(path);
    analysis.folds(path);
    analysis.links(path);
    for token in analysis.tokens(path) {
        assert!(text.get(token.range.start as usize..token.range.end as usize).is_some());
    }
    let _ = analysis.formatted(path, None);
    analysis.lenses(path);
    for hint in analysis.inlay_hints(path, TextRange::new(0, text.len() as u32)) {
        assert!(text.is_char_boundary(hint.offset as usize));
    }
    for action in analysis.actions(path, TextRange::new(0, text.len() as u32)) {
        for edit in action.edits {
            assert!(text.get(edit.place.start as usize..edit.place.end as usize).is_some());
        }
    }
    for _ in 0..6 {
        let offset = random.below(text.len() + 1) as u32;
        analysis.definitions(path, offset);
        analysis.references(path, offset, true);
        analysis.hover(path, offset);
        analysis.signatures(path, offset);
        analysis.incoming_calls(path, offset);
        analysis.outgoing_calls(path, offset);
        let found = analysis.completions(path, offset);
        assert!(found.range.start <= found.range.end && found.range.end as usize <= text.len());
        if let Ok(edits) = analysis.rename(path, offset, "renamed") {
            for edit in edits {
                assert!(edit.place.start <= edit.place.end);
            }
        }
    }
}

/// A text with a part removed, repeated, or replaced by signs.
pub(crate) fn mutated(text: &str, random: &mut Random) -> String {
    let signs = [
        "{", "}", "'", "\"", "$", "${", "(", "((", "=>", "\n", "é", "🙂", "<%", "%>", "\\", ":",
        "@(",
    ];
    let mut cut = |text: &str| {
        let mut at = random.below(text.len() + 1);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let (a, b) = (cut(text), cut(text));
    let (from, to) = (a.min(b), a.max(b).min(a.min(b) + 40));
    let to = (from..=to).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(from);
    let part = text[from..to].to_owned();
    let replaced = match random.below(3) {
        0 => String::new(),
        1 => part.repeat(2),
        _ => signs[random.below(signs.len())].to_owned(),
    };
    format!("{}{replaced}{}", &text[..from], &text[to..])
}

/// The stack of the server's loop.
pub(crate) const STACK: usize = 256 << 20;

/// Runs work as the server does, but ends it if it takes too long.
fn served(name: &str, work: impl FnOnce() + Send) {
    bounded(name, || on_deep_stack(STACK, work));
}

#[test]
fn random_edits_do_no_harm() {
    served("random edits", || {
        let mut random = Random::new(7);
        let mut workspace = Workspace::new(Vec::new(), Settings::default()).unwrap();
        for (name, start) in TEXTS {
            let path = PathBuf::from("/no/such/directory").join(name);
            let mut text = start.to_owned();
            for round in 0..40 {
                workspace.set_text(&path, text.as_str());
                workspace.check(&path);
                ask(&workspace.analysis(), &path, &text, &mut random);
                text = mutated(if round % 10 == 0 { start } else { &text }, &mut random);
            }
            workspace.set_text(&path, start);
            workspace.check(&path);
        }
        let done = workspace.job().run();
        assert!(workspace.finish(done).len() >= TEXTS.len() - 1);
    });
}

#[test]
fn nested_texts_need_no_deep_stack() {
    for (name, open) in [
        ("a.pp", "[{("),
        ("a.pp", "if $x { "),
        ("a.epp", "<% if $x { %>"),
        ("m.mcl", "if true {\n"),
        ("m.cf", "if true:\n"),
        ("a.yaml", "- "),
        ("b.yml", "a: (( ("),
        ("a.pp", "\"${"),
        ("a.pp", "class a { "),
    ] {
        served(name, || {
            let mut workspace = Workspace::new(Vec::new(), Settings::default()).unwrap();
            let path = PathBuf::from("/no/such/directory").join(name);
            let text = open.repeat(3_000);
            workspace.set_text(&path, text.as_str());
            let done = workspace.job().run();
            workspace.finish(done);
            let mut random = Random::new(1);
            ask(&workspace.analysis(), &path, &text, &mut random);
        });
    }
}
