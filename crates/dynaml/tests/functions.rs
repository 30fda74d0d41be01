//! The built-in functions, and the bounds of evaluation.

#![allow(clippy::unwrap_used)]

use ordain_dynaml::session::{Error, Input, Request, merge};
use ordain_source::MemoryWorld;

fn run(text: &str) -> Result<String, Error> {
    let input = Input { name: "t.yml".into(), text: text.into(), under: None };
    let request = Request { template: Some(input), ..Request::default() };
    merge(&MemoryWorld::default(), &request).map(|o| o.text)
}

/// The value of an expression as YAML.
fn value(expression: &str) -> String {
    let text = format!("v: '(( {} ))'\n", expression.replace('\'', "''"));
    match run(&text) {
        Ok(out) => out.strip_prefix("v:").unwrap_or(&out).trim().to_owned(),
        Err(Error::Unresolved(found)) => format!("error: {}", found.lines[0].issue),
        Err(other) => format!("trouble: {}", other.text()),
    }
}

#[test]
fn values() {
    for (expression, expected) in [
        (r#"split(2, "abcde")"#, "- ab\n- cd\n- e"),
        (r#"split_match("[,;]", "a,b;c", 2)"#, "- a\n- b;c"),
        (r#"replace_match("k1", "([a-z])([0-9])", "${2}${1}")"#, "1k"),
        (r#"match("x(.)?", "yx")"#, "- x\n- \"\""),
        (r#"substr("hello", -3, -1)"#, "ll"),
        (r#"sort([3, 1, 2], |a,b|->b - a)"#, "- 3\n- 2\n- 1"),
        (r#"uniq([1, "1", 2, 1])"#, "- 1\n- 2"),
        (r#"intersect([1, 2, "3"], [2, 3])"#, "- 2\n- \"3\""),
        (r#"deepmerge({"a"={"b"=1}}, {"a"={"c"=2}})"#, "a:\n    b: 1\n    c: 2"),
        (r#"merge({"a"=1, "b"=2}, {"a"=5, "c"=6})"#, "a: 5\n  b: 2"),
        (r#"format("%03d|%-4s|%q|%v", 7, "x", "y", [1])"#, "|+\n  007|x   |\"y\"|- 1"),
        (r#""10.0.0.250" + 10"#, "10.0.1.4"),
        (r#""10.0.0.0/8" / 5"#, "10.0.0.0/11"),
        (r#"num_ip("10.0.0.0/30")"#, "4"),
        (r#"ipset("10.0.0.1-10.0.0.9", 2, 3, 5)"#, "- 10.0.0.4\n- 10.0.0.6"),
        (r#"semverincpatch("v1.2.3-rc.1")"#, "v1.2.3"),
        (r#"semvermatch("1.4.0", "^1.2 || ~3")"#, "true"),
        (r#"semvermatch("1.4.0", " >=1.0 , <2 ")"#, "true"),
        (r#"semvermatch("1.4.0", "1.0 - 1.3, 1.1 || 1.4.x")"#, "true"),
        (r#"basename("https://h/a/b.txt?x=1")"#, "b.txt"),
        (r#"hash("", "md4")"#, "31d6cfe0d16ae931b73c59d7e0c089c0"),
        (r#"base64_decode(base64("text", 2))"#, "text"),
        (r#"check("a.b", "dnsdomain", ["match", "^a"])"#, "true"),
        (r#"type(~~)"#, "undef"),
        (r#"catch[nope|v,e|->e]"#, "'''nope'' not found'"),
        (r#"parse("a: [1, 2]").a"#, "- 1\n- 2"),
        (r#"bool("T")"#, "true"),
    ] {
        assert_eq!(value(expression), expected, "{expression}");
    }
}

#[test]
fn errors() {
    for (expression, expected) in [
        (r#"split(",")"#, "split takes 2 or 3 arguments"),
        (r#"substr("abc", 0, 9)"#, "substr effective end index (9) exceeds string length (3)"),
        (r#"element([1], 4)"#, "index greater or equal list size"),
        (r#"makemap("a")"#, "single argument flavor of mapentry requires a list"),
        (r#"min_ip("10")"#, "CIDR argument required"),
        (r#""255.255.255.255" + 1"#, "IP address overflow"),
        (r#"validate(5, ["gt", 7])"#, "condition 1 failed: less or equal to 7"),
        (r#"validate(5, "odd")"#, "condition 1 has problem: unknown validation operator \"odd\""),
        (
            r#"semvermatch("1.2.3", ">=1.0<2")"#,
            r#"semvermatch: invalid constraint ">=1.0<2"[0]: improper constraint: >=1.0<2"#,
        ),
        (
            r#"semvermatch("1.2.3", "^1.0,")"#,
            r#"semvermatch: invalid constraint "^1.0,"[0]: improper constraint: ^1.0,"#,
        ),
        (r#"semver("x y")"#, r#"semverprerelease: "x y": invalid semantic version"#),
        (r#"semverincmajor("")"#, r#"semverincmajor: "": invalid semantic version"#),
        (r#"exec("true")"#, "execution 'true' failed"),
        (r#"nothing(1)"#, "unknown function 'nothing'"),
    ] {
        assert_eq!(value(expression), format!("error: {expected}"), "{expression}");
    }
}

#[test]
fn hostile_documents_end_in_an_error() {
    let grow = "f: (( |x,n|->n == 0 ? x :_(x x, n - 1) ))\n";
    for (text, expected) in [
        ("a: (( [1..1000000000000] ))\n".to_owned(), "is too long"),
        (format!("{grow}a: (( .f(\"ab\", 60) ))\n"), "grown too long"),
        ("f: (( |x|->[_(x)] ))\na: (( .f(1) ))\n".to_owned(), "lambda recursion too deep"),
        ("f: (( |x,n|->n == 0 ? x :_([x, x], n - 1) ))\na: (( .f(1, 99) ))\n".into(), "too large"),
        ("t:\n  <<: (( &template ))\n  x: (( *t ))\na: (( *t ))\n".into(), "nested too deep"),
        ("a: (( format(\"%.999999999f\", 1.5) ))\nb: (( nope ))\n".into(), "not found"),
        ("a: (( bcrypt(\"x\", 31) ))\n".into(), "is higher than"),
    ] {
        let error = run(&text).unwrap_err().text();
        assert!(error.contains(expected), "{text}: {error:.2000}");
    }
}

/// Equal maps are found by a common hash, not by comparing all pairs.
#[test]
fn many_maps_are_compared_in_time() {
    let list = "map[[1..30000]|i|->{\"a\"=i % 20000, \"b\"=[\"x\"]}]";
    assert_eq!(value(&format!("length(uniq({list}))")), "20000");
    assert_eq!(value(&format!("length(intersect({list}, {list}))")), "30000");
}

/// A list at the end of a chain of references that exceeds the stack, with entries that are
/// references: the chain is not evaluated again for every entry.
#[test]
fn entries_below_a_long_chain() {
    use std::fmt::Write;
    const LINKS: usize = 10_000;
    const ENTRIES: usize = 5_000;
    let mut text = String::new();
    for n in 0..LINKS {
        writeln!(text, "k{n:05}: (( k{:05} ))", n + 1).unwrap();
    }
    writeln!(text, "k{LINKS:05}: (( length(list) ))\nlist:").unwrap();
    for n in 0..ENTRIES {
        writeln!(text, "- (( x{n} ))").unwrap();
    }
    for n in 0..ENTRIES {
        writeln!(text, "x{n}: {n}").unwrap();
    }
    let input = Input { name: "t.yml".into(), text, under: None };
    let request =
        Request { template: Some(input), path: Some("k00000".into()), ..Request::default() };
    let output = merge(&MemoryWorld::default(), &request).unwrap();
    assert_eq!(output.text.trim(), ENTRIES.to_string());
}
