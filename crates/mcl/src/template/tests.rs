//! Tests of templates.
#![allow(clippy::unwrap_used)]

use super::render;
use crate::functions::{self, environment::Memory};
use crate::value::{Map, Struct, Value};

fn data() -> Value {
    let inner = Struct::of([("port", Value::from(80)), ("tls", Value::from(true))]);
    let names = Value::list(["a".into(), "b".into(), "c".into()]);
    let map = Map::new([("x".into(), 1.into()), ("y".into(), 2.into())]);
    Struct::of([
        ("name", Value::from("web<1>")),
        ("ratio", Value::from(1.5)),
        ("inner", inner.into()),
        ("names", names),
        ("map", map.into()),
        ("none", Value::list([])),
    ])
    .into()
}

fn shown(text: &str) -> String {
    match render(text.as_bytes(), Some((&data(), None)), &Memory::default(), functions::all) {
        Ok(text) => String::from_utf8_lossy(&text).into_owned(),
        Err(error) => error,
    }
}

#[test]
fn values_and_fields_are_printed() {
    for (text, want) in [
        ("a {{.Name}} b", "a web<1> b"),
        ("{{.name}} {{.Inner.Port}} {{.Inner}}", "web<1> 80 map[Port:80 Tls:true]"),
        ("{{.Ratio}} {{.Names}} {{.Map.x}}", "1.5 [a b c] 1"),
        ("{{ 3 }}{{- 4 -}} {{ 5.50 }}{{\"x\\n\"}}{{`y`}}{{'a'}}", "345.5x\ny97"),
        ("{{/* nothing */}}x{{- /* y */ -}} z", "xz"),
        ("{{$x := .Name}}{{$x}}{{$x = 3}}{{$x}}{{$.Ratio}}", "web<1>31.5"),
    ] {
        assert_eq!(shown(text), want, "{text}");
    }
}

#[test]
fn blocks_are_executed() {
    for (text, want) in [
        ("{{if .None}}a{{else if .Names}}b{{else}}c{{end}}", "b"),
        ("{{range $i, $n := .Names}}{{$i}}{{$n}},{{end}}", "0a,1b,2c,"),
        ("{{range $k, $v := .Map}}{{$k}}={{$v}} {{end}}", "x=1 y=2 "),
        ("{{range .None}}a{{else}}none{{end}}", "none"),
        ("{{range .Names}}{{if eq . \"b\"}}{{continue}}{{end}}{{.}}{{end}}", "ac"),
        ("{{range .Names}}{{if eq . \"b\"}}{{break}}{{end}}{{.}}{{end}}", "a"),
        ("{{range 3}}{{.}}{{end}}", "012"),
        ("{{with .Inner}}{{.Port}}{{end}}{{with .None}}a{{else}}b{{end}}", "80b"),
        (
            "{{define \"t\"}}<{{.}}>{{end}}{{template \"t\" .Ratio}}{{template \"t\"}}",
            "<1.5><<no value>>",
        ),
        ("{{block \"b\" .Names}}{{len .}}{{end}}", "3"),
    ] {
        assert_eq!(shown(text), want, "{text}");
    }
}

#[test]
fn functions_are_called() {
    for (text, want) in [
        ("{{.Name | html | printf \"%q\"}}", "\"web&lt;1&gt;\""),
        ("{{index .Names 1}}{{index .Map \"y\"}}{{len .Map}}", "b22"),
        ("{{slice .Names 1 2}}{{slice .Name 0 3}}", "[b]web"),
        ("{{and 1 0 2}}{{or 0 \"\" \"x\"}}{{not 0}}", "0xtrue"),
        ("{{lt 1 2}}{{eq 1 2 1}}{{ge \"b\" \"a\"}}{{ne .Ratio 1.5}}", "truetruetruefalse"),
        ("{{golang_strings_to_upper .Name}}{{convert_int_to_str .Inner.Port}}", "WEB<1>80"),
        ("{{_concat \"a\" \"b\"}}{{.Name | strings_has_prefix \"x\"}}", "abfalse"),
        ("{{urlquery \"a b&\"}}{{js \"<'\"}}", "a+b%26\\u003C\\'"),
        ("{{print 1 2 \"x\" 3}}{{println .Ratio}}", "1 2x31.5\n"),
    ] {
        assert_eq!(shown(text), want, "{text}");
    }
}

#[test]
fn mistakes_are_told_in_the_words_of_go() {
    let parse = "template: parse error: template: template:1: ";
    for (text, want) in [
        ("{{.a", "unclosed action"),
        ("{{if}}{{end}}", "missing value for if"),
        ("{{nope}}", "function \"nope\" not defined"),
        ("{{$x}}", "undefined variable \"$x\""),
        ("{{end}}", "unexpected {{end}}"),
        ("{{if 1}}", "unexpected EOF"),
        ("{{1 | 2}}", "non executable command in pipeline stage 2"),
        ("{{break}}", "{{break}} outside {{range}}"),
        ("{{#}}", "unexpected \"#\" in command"),
    ] {
        assert_eq!(shown(text), format!("{parse}{want}"), "{text}");
    }
    let place = "template: execution error: template: template:1:2: executing \"template\" at ";
    for (text, want) in [
        ("{{.Nope}}", "<.Nope>: map has no entry for key \"Nope\""),
        ("{{.Name.X}}", "<.Name.X>: can't evaluate field X in type interface {}"),
        ("{{index .Names 7}}", "<index .Names 7>: error calling index: index out of range: 7"),
        ("{{template \"x\"}}", "<{{template \"x\"}}>: template \"x\" not defined"),
        ("{{len 1 2}}", "<len>: wrong number of args for len: want 1 got 2"),
    ] {
        let place =
            if text.contains("template \"x") { place.replace(":2:", ":11:") } else { place.into() };
        let place = if text.contains("Name.X") { place.replace(":2:", ":7:") } else { place };
        assert_eq!(shown(text), format!("{place}{want}"), "{text}");
    }
}

#[test]
fn endless_templates_end() {
    let error = shown("{{define \"t\"}}{{template \"t\"}}{{end}}{{template \"t\"}}");
    assert!(error.ends_with("exceeded maximum template depth (100)"), "{error}");
    let error = shown("{{range 1000000000}}{{range 1000000000}}{{end}}{{end}}");
    assert!(error.ends_with("the template takes too long"), "{error}");
    let error = shown(&"{{if 1}}".repeat(10_000));
    assert!(error.ends_with("the template is nested too deeply"), "{error}");
    let error = shown(&format!("{{{{{}1", "(".repeat(10_000)));
    assert!(error.ends_with("the template is nested too deeply"), "{error}");
}
