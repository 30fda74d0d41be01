//! Texts that nobody means well: they are answered, soon, on a small stack.

use ordain_puppet::syntax::{Parsed, dump, pn};
use ordain_puppet::{syntax, validation};
use ordain_source::{FileId, SourceFile};
use ordain_testkit::bounded;

/// Parses, validates and prints a text as manifest and as template, with the stack of a thread.
fn survives(text: &str) -> usize {
    let work = || {
        let mut count = 0;
        for template in [false, true] {
            let Parsed { program, diagnostics, .. } = match template {
                false => syntax::parse(FileId(0), text),
                true => syntax::parse_epp(FileId(0), text),
            };
            let places = SourceFile::new("", text);
            for diagnostic in &diagnostics {
                let range = diagnostic.primary.as_ref().map(|l| l.span.range).unwrap_or_default();
                assert!(range.start <= range.end && range.end as usize <= text.len());
                let _place = places.line_col(range.start);
            }
            let found = validation::validate(&program, &validation::Options::default());
            count += diagnostics.len() + found.len();
            let _tree = (dump::tree(&program), dump::json(&program), pn::print(&program));
        }
        count
    };
    bounded(text, work)
}

#[test]
fn nesting() {
    let openings = [
        "(",
        "[",
        "{",
        "{a=>",
        "\"${",
        "if 1 {",
        "unless 1 {",
        "case 1 { 1: {",
        "1 ? { 1 => ",
        "f(",
        "a.b(",
        "$x[",
        "!",
        "-",
        "*",
        "class a {",
        "define a {",
        "function a() {",
        "node a {",
        "|$x| {",
        "f() |$x| {",
        "file { a: b => ",
        "A <| a == (",
        "A { a => ",
        "$a = ",
        "1 + ",
        "1 and ",
        "a -> ",
        "@(A)\n@(B)\n",
        "<% if 1 { %>",
        "<%= ",
        "<%# ",
        "type A = B[",
        "1 ** ",
        "if 1 { } elsif 1 { } else { if 1 { ",
        "@",
        "@@",
        "/*",
        "/",
        "::",
        "->",
        "$a::",
        "\\",
    ];
    for opening in openings {
        for count in [300, 3_000] {
            survives(&opening.repeat(count));
            survives(&format!("<% {}", opening.repeat(count)));
        }
    }
}

#[test]
fn chains() {
    for link in [" + 1", ".a", "[1]", " -> b", " and c", "? { default => 1 }", "\n", ";", " in 1"] {
        survives(&format!("a{}", link.repeat(3_000)));
    }
    let elsif = format!("if 1 {{ }}{}", " elsif 1 { }".repeat(5_000));
    survives(&elsif);
}

#[test]
fn unfinished_texts() {
    let whole = "class a::b($x = \"t${y[0]}\", *$z) inherits c {\n  file { ['a', $b]: mode => @(E/tn) }\n\
                 \\tx\n  | - E\n  A <<| t == 1 and u != 'v' |>> { w +> 1.5e3 }\n  $q = $r ? { /s\\/t/ => 0x1f }\n\
                 # c\n  /* d */ $u.each |Integer $i| { notice $i } -> B['é']\n}\n<%- | $p | -%>é<%= 1 -%>";
    for (i, c) in whole.char_indices() {
        survives(&whole[..i]);
        survives(&whole[i..]);
        let rest = &whole[i + c.len_utf8()..];
        survives(&format!("{}{rest}", &whole[..i]));
    }
}

#[test]
fn odd_characters() {
    assert!(survives("\u{feff}$a = 1") > 0);
    assert!(survives("$a\0= 1") > 0);
    for text in
        ["\0", "\r", "\r\n", "$a = 1\r\n$b = \"\r\n\"\r\n", "\u{2028}", "\u{a0}$a", "é", "'\0'"]
    {
        survives(text);
    }
    survives(&"\0".repeat(100_000));
    survives(&"\r\n".repeat(100_000));
    survives(&"🙂".repeat(50_000));
}

#[test]
fn large_texts_take_linear_time() {
    let pieces =
        ["$a = 1 ", ") ", "'a' ", "\"\\q\" ", "/[/ ", "a => b, ", "@(A:json)\n{\nA\n", "x{y:}\n"];
    for piece in pieces {
        survives(&piece.repeat(200_000 / piece.len()));
    }
}
