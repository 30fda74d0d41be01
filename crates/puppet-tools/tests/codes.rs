//! Every code that the static checks name is documented, and `docs/lint-rules.md` lists all rules.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

use ordain_puppet_tools::codes::{CHECKS, CODES};
use ordain_puppet_tools::puppet_lint::{self, Check};
use ordain_source::CodeDoc;
use ordain_testkit::{codes, golden};

#[test]
fn every_code_is_documented() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut used = codes::quoted_below(&sources, &["codes"]);
    used.retain(|text| codes::is_code(text, &["puppet", "lint"]));
    let known: BTreeSet<&str> = CODES.iter().map(|doc| doc.code).collect();
    let missing: Vec<_> = used.iter().filter(|code| !known.contains(code.as_str())).collect();
    assert!(missing.is_empty(), "not documented: {missing:#?}");
    let of_lint = CODES.iter().filter(|doc| doc.code.starts_with("lint::"));
    let unused: Vec<_> =
        CHECKS.iter().chain(of_lint).filter(|doc| !used.contains(doc.code)).collect();
    assert!(unused.is_empty(), "not used: {unused:#?}");
}

#[test]
fn no_code_stands_twice() {
    let known: BTreeSet<&str> = CODES.iter().map(|doc| doc.code).collect();
    assert_eq!(known.len(), CODES.len());
}

#[test]
fn every_code_has_advice() {
    codes::check_details(CHECKS);
    let of_lint = CODES.iter().filter(|doc| doc.code.starts_with("lint::"));
    codes::check_details(&of_lint.copied().collect::<Vec<_>>());
}

/// The head of the page of rules.
const HEAD: &str = "\
# Rules

The rules of `ordain check` for Puppet, by group. A test writes this page from the documentation that \
`ordain explain-code CODE` prints; [Lint and fixes](lint.md) tells how to turn rules on and off, and \
which fixes are safe.
";

/// The section of a rule.
fn rule(out: &mut String, title: &str, about: &str, doc: &CodeDoc) {
    writeln!(out, "\n### {title}\n\n{about}**{}.** {}", doc.summary, doc.details).unwrap();
}

/// The section of a check of puppet-lint or of a plug-in.
fn lint_rule(out: &mut String, check: &Check) {
    let doc = CODES.iter().find(|doc| doc.code == check.code).unwrap();
    let state = match (check.gem, check.is_default) {
        (Some(gem), _) => format!("of `{gem}`, off by default"),
        (None, true) => "on with `--lint`".to_owned(),
        (None, false) => "off by default".to_owned(),
    };
    rule(out, check.name, &format!("`{}`, {state}. ", check.code), doc);
}

#[test]
fn the_page_of_rules_is_up_to_date() {
    let mut page = HEAD.to_owned();
    page.push_str("\n## Checks of puppet-lint\n");
    let checks = puppet_lint::CHECKS.iter();
    checks.clone().filter(|check| check.gem.is_none()).for_each(|c| lint_rule(&mut page, c));
    page.push_str("\n## Checks of plug-ins\n");
    checks.filter(|check| check.gem.is_some()).for_each(|c| lint_rule(&mut page, c));
    page.push_str("\n## Static checks\n");
    for doc in CHECKS {
        rule(&mut page, doc.code, "", doc);
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/lint-rules.md");
    golden(1, |golden| golden.file(Path::new(path), &page));
}
