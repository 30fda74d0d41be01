//! The parser and the PN form on small programs.
#![allow(clippy::unwrap_used)]

use ordain_puppet_syntax::{parse, pn};
use ordain_source::{FileId, Severity, SourceFile};

/// The PN form, or the issue and place of the first error.
fn parsed(text: &str) -> String {
    let parsed = parse(FileId(0), text);
    match parsed.diagnostics.iter().find(|d| d.severity == Severity::Error) {
        None => pn::print(&parsed.program),
        Some(error) => {
            let at = error.primary.as_ref().unwrap().span.range.start;
            let at = SourceFile::new("", text).line_col(at);
            let issue = error.issue.as_deref().unwrap_or(&error.code);
            format!("{issue} {}:{} {}", at.line, at.column, error.message)
        }
    }
}

#[test]
fn trees_are_built_by_precedence() {
    assert_eq!(parsed("1 + 2 * 3"), "(+ 1 (* 2 3))");
    assert_eq!(parsed("notice 1, 2"), "(invoke {:functor (qn \"notice\") :args [1 2]})");
    assert_eq!(parsed("\"a${b}c\""), "(concat \"a\" (str (var \"b\")) \"c\")");
    assert_eq!(parsed("$x = @(E)\n  a\n  | E\n"), "(= (var \"x\") (heredoc {:text \"a\\n\"}))");
}

#[test]
fn the_first_error_has_its_place() {
    assert_eq!(parsed("class a {\n  ) }"), "SYNTAX_ERROR 2:3 Syntax error at ')'");
    assert_eq!(parsed("if true {"), "SYNTAX_ERROR 1:9 Syntax error at end of input");
}

#[test]
fn several_errors_are_reported() {
    let text = "class a {\n  $x = )\n  $y = 1\n}\nclass b {\n  $z = ]\n}\n";
    assert_eq!(parse(FileId(0), text).diagnostics.len(), 2);
}

#[test]
fn depth_is_limited() {
    for text in ["(".repeat(100_000), format!("1{}", "+1".repeat(100_000)), "\"${".repeat(100_000)]
    {
        assert!(parsed(&text).starts_with("puppet::nesting"), "{}", &text[..20]);
    }
}
