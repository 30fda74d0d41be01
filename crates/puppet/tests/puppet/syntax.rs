//! The validator on small programs.

use ordain_puppet::{syntax, validation};
use ordain_source::{FileId, Severity};

fn issues(text: &str) -> Vec<String> {
    let program = syntax::parse(FileId(0), text).program;
    let found = validation::validate(&program, &validation::Options::default());
    found.iter().map(|d| d.issue.as_deref().unwrap().to_owned()).collect()
}

#[test]
fn rules_are_checked_in_order() {
    assert_eq!(issues("if true { class a { } }"), ["NOT_TOP_LEVEL"]);
    assert_eq!(issues("1 2 3"), ["IDEM_EXPRESSION_NOT_LAST"]);
    assert_eq!(
        issues("$a::b = 1\n$0 = 2"),
        ["CROSS_SCOPE_ASSIGNMENT", "ILLEGAL_NUMERIC_ASSIGNMENT"]
    );
    assert_eq!(issues("$h = { a => 1, 'a' => 2 }"), ["DUPLICATE_KEY"]);
    assert!(issues("class a($x = 1) { notice $x }").is_empty());
}

/// The first error with its text.
fn first_error(text: &str) -> String {
    let parsed = syntax::parse(FileId(0), text);
    let found = validation::validate(&parsed.program, &validation::Options::default());
    let mut all = parsed.diagnostics.iter().chain(&found);
    all.find(|d| d.severity == Severity::Error).map_or_else(String::new, |d| d.message.clone())
}

#[test]
fn text_of_a_syntax_is_checked() {
    let heredoc =
        |syntax: &str, text: &str| first_error(&format!("$x = @(E:{syntax})\n{text}\nE\n"));
    assert_eq!(heredoc("json", "{\"a\": [1]}"), "");
    assert_eq!(heredoc("yaml", "["), "");
    assert_eq!(heredoc("base64", "Y W\nJj"), "");
    assert_eq!(heredoc("pp", "$a = 1"), "");
    assert_eq!(heredoc("epp", "<%= $a %>"), "");
    for syntax in ["json", "x+json"] {
        let expected = format!(
            "Invalid produced text having syntax: '{syntax}'. JSON syntax checker: Cannot parse \
             invalid JSON string. \"line 1, column 4:"
        );
        let error = heredoc(syntax, "[1,]");
        assert!(error.starts_with(&expected), "{error}");
    }
    assert!(heredoc("base64", "YWJjY").ends_with("padding is not correct"));
    assert!(heredoc("base64", "YWJ").contains("contains letters outside"));
    let error = heredoc("pp", "1 2 3");
    assert!(error.ends_with("wrong form) (line: 1, column: 1)\""), "{error}");
    assert!(heredoc("epp", "<% if %>").ends_with("\"Syntax error at end of input\""));
    assert!(heredoc("a+pp", "1").contains("must be 'pp' alone"));
    let first = first_error("1 2 3\n$x = @(E:json)\n{\nE\n");
    assert!(first.starts_with("Invalid produced text"), "{first}");
}

#[test]
fn regular_expressions_are_compiled() {
    assert_eq!(
        first_error("$x = /a{2,1}/"),
        "upper is smaller than lower in repeat range: /a{2,1}/"
    );
    assert_eq!(first_error("$x = 'a' =~ /\\/[/"), "premature end of char-class: /\\/[/");
    assert_eq!(first_error("$x = /(?x) ( # )\n)/"), "");
}

#[test]
fn metaparameters_are_no_parameters() {
    let found = |text: &str| -> Vec<_> {
        let program = syntax::parse(FileId(0), text).program;
        let found = validation::metaparameters(&program);
        found.into_iter().map(|d| (d.severity, d.message)).collect()
    };
    let [(Severity::Warning, warning), (Severity::Error, error)] =
        &found("class a($noop = 1) { } define b($x, $tag) { } function f($tag) { }")[..]
    else {
        panic!("a warning and an error");
    };
    assert!(warning.starts_with("noop is a metaparam;"), "{warning}");
    assert!(error.starts_with("tag is a metaparameter;"), "{error}");
}
