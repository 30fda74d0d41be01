//! Golden pages of errors: below `tests/errors`, one page per feature. A case has the code of the
//! site, files of its environment if it needs any, and the findings: issue or code, place, words.
//! `ORDAIN_BLESS=1` writes the present findings.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ordain_puppet::codes::CODES;
use ordain_puppet::eval::{LogLevel, Settings};
use ordain_puppet::load::{Environment, Options, Site};
use ordain_puppet::session;
use ordain_puppet::session::Node;
use ordain_puppet::value::Value;
use ordain_source::{Diagnostic, HostWorld, MemoryWorld, Severity, SourceMap};
use ordain_testkit::codes;
use ordain_testkit::golden::{files, golden};

/// The environment's directory.
const ROOT: &str = "/env";

#[test]
fn errors() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/errors");
    golden(10, |golden| {
        for path in files(&dir, &["md"]) {
            golden.page(&path, run_page);
        }
    });
}

/// The page with the present findings of its cases.
fn run_page(text: &str) -> String {
    let mut out = String::new();
    let (mut code, mut environment, mut template) = (String::new(), Vec::new(), None);
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        out.push_str(line);
        out.push('\n');
        let Some(info) = line.strip_prefix("```") else { continue };
        let mut block = String::new();
        for line in lines.by_ref().take_while(|line| *line != "```") {
            block.push_str(line);
            block.push('\n');
        }
        match info.split_once(' ') {
            Some(("file", path)) => environment.push((Path::new(ROOT).join(path), block.clone())),
            _ if info == "puppet" => code.clone_from(&block),
            _ if info == "epp" => template = Some(block.clone()),
            _ => {
                block = match template.take() {
                    Some(text) => found_in_template(&text),
                    None => found(std::mem::take(&mut code), std::mem::take(&mut environment)),
                };
            }
        }
        out.push_str(&block);
        out.push_str("```\n");
    }
    out
}

/// The findings of a compile, one per line.
fn found(code: String, files: Vec<(PathBuf, String)>) -> String {
    let sources = Arc::new(SourceMap::new());
    let options = Options {
        sources: Arc::clone(&sources),
        dir: Some(ROOT.into()),
        modulepath: vec![Path::new(ROOT).join("modules")],
        hiera_config: Some("/global/hiera.yaml".into()),
        ..Options::new(Arc::new(MemoryWorld::with_files(files)), Site::Code(code))
    };
    let (diagnostics, logs) = match Environment::open(options) {
        Ok((env, warnings)) => {
            let facts = Value::hash::<&str>([]);
            let node = Node { name: "test".into(), facts, ..Node::default() };
            let report = session::compile_node(&env, Settings::default(), &node).report;
            (warnings.into_iter().chain(report.diagnostics).collect(), report.logs)
        }
        Err(errors) => (errors, Vec::new()),
    };
    let mut out = String::new();
    for log in logs.iter().filter(|log| log.level == LogLevel::Notice) {
        out.push_str(&format!("notice {}\n", log.message));
    }
    out.extend(diagnostics.iter().map(|diagnostic| shown(diagnostic, &sources)));
    out
}

/// The findings of the check of a template, which ends with its last line.
fn found_in_template(text: &str) -> String {
    let sources = Arc::new(SourceMap::new());
    let world = Arc::new(MemoryWorld::default());
    let site = Site::Code(String::new());
    let options = Options { sources: Arc::clone(&sources), ..Options::new(world, site) };
    let (env, _) = Environment::open(options).unwrap_or_else(|errors| panic!("{errors:?}"));
    let loaded = env.parse_template(Path::new("t.epp"), text.trim_end_matches('\n'));
    loaded.errors.iter().map(|diagnostic| shown(diagnostic, &sources)).collect()
}

/// A diagnostic by its issue, or by its code where that says more, its place and its words.
fn shown(diagnostic: &Diagnostic, sources: &SourceMap) -> String {
    let place = diagnostic.primary.as_ref().map_or_else(String::new, |label| {
        let start = sources.start(label.span);
        format!(" {}:{}", start.line, start.column)
    });
    let derived = |issue: &str| format!("puppet::{}", issue.to_lowercase().replace('_', "-"));
    let code = match diagnostic.issue.as_deref() {
        Some(issue) if derived(issue) == diagnostic.code => issue,
        _ => &diagnostic.code,
    };
    let level = if diagnostic.severity == Severity::Error { "" } else { "warning " };
    format!("{level}{code}{place} {}\n", diagnostic.message)
}

/// A text without a line end.
#[test]
fn a_text_that_ends_behind_a_tag() {
    let found = found("notice(@(END))".into(), Vec::new());
    assert_eq!(found, "HEREDOC_WITHOUT_TEXT 1:14 Heredoc without any following lines of text\n");
}

/// Texts that are not manifests.
#[test]
fn files_that_cannot_be_read() {
    let dir = tempfile::tempdir().unwrap();
    let site = dir.path().join("site.pp");
    let check = |code: &str| {
        let options = Options::new(Arc::new(HostWorld::new()), Site::Path(site.clone()));
        let errors = Environment::open(options).err().unwrap();
        assert_eq!(errors.first().unwrap().code, code);
    };
    std::fs::write(&site, b"notice('\xff')\n").unwrap();
    check("puppet::invalid-utf8");
    std::fs::remove_file(&site).unwrap();
    check("puppet::unreadable-file");
}

/// A code without a case is one that nobody has seen.
#[test]
fn every_code_has_a_case() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let names =
        |code: &str| vec![code.trim_start_matches("puppet::").to_uppercase().replace('-', "_")];
    codes::tested(CODES, &[tests, syntax_cases(), cli_cases()], names, &WITHOUT_CASE);
}

fn syntax_cases() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../puppet-syntax/tests")
}

fn cli_cases() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../cli/tests/cases")
}

/// Codes that no test has. In one piece the name would be found here.
const WITHOUT_CASE: [(&str, &str); 1] = [(concat!("puppet::", "too-long"), "a text of a gibibyte")];
