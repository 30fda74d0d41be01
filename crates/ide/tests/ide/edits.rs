//! Many random edits of files in all languages: nothing panics, the answers are those of a fresh start,
//! and the memory does not grow.
//!
//! `ORDAIN_EDITS` is the number of edits. A run of 100,000 takes some minutes.

use std::collections::BTreeMap;
use std::path::PathBuf;

use ordain_ide::{NodeSettings, OutlineItem, Report, Settings, Workspace};
use ordain_source::TextRange;
use ordain_source::limits::on_deep_stack;
use ordain_testkit::random::Random;

use crate::hostile::{STACK, mutated};

/// The number of edits without the variable.
const EDITS: usize = 120;

/// The edits after which all files are checked, and the answers compared with those of a fresh start.
const ROUND: usize = 40;

/// The bytes that a long run may need more at its end than after its first tenth.
const MAX_GROWTH: usize = 48 << 20;

const FILES: [(&str, &str); 12] = [
    ("environment.conf", "modulepath = modules\n"),
    ("hiera.yaml", "---\nversion: 5\nhierarchy:\n  - name: all\n    path: common.yaml\n"),
    ("data/common.yaml", "---\nweb::port: 81\nweb::names: [a, b]\nsite::token: abc\n"),
    (
        "modules/web/manifests/init.pp",
        "# @param port The port\nclass web(Integer $port = 80, Array $names = []) inherits web::params {\n  file { \"/etc/${port}\":\n    ensure  => file,\n    content => template('web/a.erb'),\n  }\n  $names.each |$n| { web::vhost { $n: port => $port } }\n}\n",
    ),
    ("modules/web/manifests/params.pp", "class web::params {\n  $user = 'www'\n}\n"),
    (
        "modules/web/manifests/vhost.pp",
        "define web::vhost(Integer $port) {\n  notice(web::greet($title), $facts['os']['family'])\n}\n",
    ),
    (
        "modules/web/functions/greet.pp",
        "function web::greet(String $who) >> String {\n  \"hello ${who}\"\n}\n",
    ),
    (
        "modules/web/templates/a.erb",
        "<%= @port %> <% if @user %><%= scope['web::params::user'] %><% end %>\n",
    ),
    (
        "modules/web/templates/b.epp",
        "<%- | String $x | -%>\n<% if $x { %><%= $x.upcase %><% } %>\n",
    ),
    (
        "mgmt/main.mcl",
        "import \"fmt\"\n$x = \"a\"\nclass c($a) {\n\tfile \"/t\" {\n\t\tcontent => fmt.printf(\"%s\", $a),\n\t}\n}\ninclude c($x)\nfunc f($q) { $q }\n",
    ),
    (
        "model/main.cf",
        "entity Host:\n  string name = \"x\"\nend\nHost.peers [0:] -- Host.peer [1]\nimplementation h for Host:\n  x = self.name\nend\nimplement Host using h\nh = Host(name=\"a\", peer=h)\n",
    ),
    ("template.yml", "a:\n  b: (( grab.c || \"x\" ))\n  c:\n  - name: (( .a.b ))\n"),
];

fn settings(root: &std::path::Path) -> Settings {
    let node =
        NodeSettings { name: Some("web1".into()), facts: Some(root.join("facts")), fact_set: None };
    Settings { node, ..Settings::default() }
}

/// The answers about all files: diagnostics, outlines and names.
fn answers(workspace: &mut Workspace, paths: &[PathBuf]) -> Vec<String> {
    let done = workspace.job().run();
    let message = |report: Report| {
        let mut found: Vec<String> = report.found.iter().map(|d| format!("{d:?}")).collect();
        // The numbers of files depend on the order of the edits.
        found.iter_mut().for_each(|text| *text = without_files(text));
        found.sort();
        (report.path, found)
    };
    let reports: BTreeMap<PathBuf, Vec<String>> =
        workspace.finish(done).into_iter().map(message).collect();
    let analysis = workspace.analysis();
    let of_file = |path: &PathBuf| {
        let outline: Vec<OutlineItem> = analysis.outline(path);
        let all = TextRange::new(0, u32::MAX);
        let hints = analysis.inlay_hints(path, all);
        let (tokens, lenses) = (analysis.tokens(path), analysis.lenses(path));
        let found = reports.get(path).filter(|found| !found.is_empty());
        format!("{} {found:?} {outline:?} {tokens:?} {lenses:?} {hints:?}", path.display())
    };
    paths.iter().map(of_file).collect()
}

fn without_files(text: &str) -> String {
    let mut parts = text.split("FileId(");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str(part.split_once(')').map_or(part, |(_, rest)| rest));
    }
    out
}

/// The resident memory of this process in bytes.
fn memory() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok());
    pages.unwrap_or_default() * 4096
}

#[test]
fn edits_end_with_the_answers_of_a_fresh_start() {
    let count = std::env::var("ORDAIN_EDITS").ok().and_then(|count| count.parse().ok());
    let count: usize = count.unwrap_or(EDITS);
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    let write = |(name, text): &(&str, &str)| {
        let path = root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    };
    let paths: Vec<PathBuf> = FILES.iter().map(write).collect();
    write(&("facts/web1.json", "{\"os\": {\"family\": \"Debian\"}}"));
    on_deep_stack(STACK, || {
        let mut random = Random::new(11);
        let mut workspace = Workspace::new(vec![root.clone()], settings(&root)).unwrap();
        let mut texts: BTreeMap<PathBuf, String> = BTreeMap::new();
        let mut early = 0;
        for edit in 1..=count {
            // The configuration of the environment stays, so that the files stay one repository.
            let which = 1 + random.below(FILES.len() - 1);
            let (path, start) = (&paths[which], FILES[which].1);
            let old = texts.get(path).map_or(start, String::as_str);
            let text = match random.below(4) {
                0 => start.to_owned(),
                _ => mutated(old, &mut random),
            };
            workspace.set_text(path, text.as_str());
            workspace.check(path);
            let analysis = workspace.analysis();
            let offset = random.below(text.len() + 1) as u32;
            analysis.completions(path, offset);
            analysis.hover(path, offset);
            analysis.actions(path, TextRange::new(0, text.len() as u32));
            analysis.incoming_calls(path, offset);
            analysis.outgoing_calls(path, offset);
            texts.insert(path.clone(), text);
            if random.below(20) == 0 {
                workspace.close(path);
                texts.remove(path);
            }
            if edit % ROUND == 0 {
                let mine = answers(&mut workspace, &paths);
                let mut fresh = Workspace::new(vec![root.clone()], settings(&root)).unwrap();
                for (path, text) in &texts {
                    fresh.set_text(path, text.as_str());
                    fresh.check(path);
                }
                let theirs = answers(&mut fresh, &paths);
                for (mine, theirs) in mine.iter().zip(&theirs) {
                    assert_eq!(mine, theirs, "after {edit} edits: {texts:#?}");
                }
            }
            if edit == count / 10 {
                early = memory();
            }
        }
        let grown = memory().saturating_sub(early);
        if count >= 10_000 {
            println!("{count} edits, {early} bytes after a tenth, {grown} more at the end");
            assert!(grown < MAX_GROWTH, "{grown} bytes more after {count} edits");
        }
    });
}
