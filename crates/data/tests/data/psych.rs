//! The layout of Ruby's `to_yaml`, as Ruby 3.1 with Psych 4.0.3 and libyaml 0.2.5 writes it.

use ordain_data::yaml::psych::{Options, write, write_with};
use ordain_data::yaml::{self, Schema};
use ordain_data::{Value, json};

/// The output of Ruby for a text at the top, after `--- `.
#[test]
fn texts() {
    let cases = [
        ("plain text", "plain text"),
        ("", "''"),
        ("y", "\"y\""),
        ("N", "N"),
        ("yes", "'yes'"),
        ("~", "\"~\""),
        ("<<", "!!str '<<'"),
        ("12", "'12'"),
        ("08", "'08'"),
        ("1e3", "1e3"),
        ("1:30", "'1:30'"),
        ("2020-01-01", "'2020-01-01'"),
        ("2020-02-31", "2020-02-31"),
        ("a: b", "'a: b'"),
        ("it's: x", "'it''s: x'"),
        ("a::b", "a::b"),
        ("#x", "\"#x\""),
        ("#\"", "'#\"'"),
        ("a\tb", "\"a\\tb\""),
        ("é", "é"),
        ("😀", "\"\\U0001F600\""),
        ("a\n", "'a\n\n  '"),
        ("a\n\n", "\"a\\n\\n\""),
        ("a\nb", "|-\n  a\n  b"),
        ("a\nb\n\n", "|+\n  a\n  b\n\n..."),
        (" a\nb", "|2-\n   a\n  b"),
        ("a \nb", "\"a \\nb\""),
    ];
    for (text, expected) in cases {
        assert_eq!(write(&text.into()), format!("--- {expected}\n"), "{text:?}");
    }
}

#[test]
fn containers() {
    let value =
        json::read(r#"{"k": ["x", {"y": 1, "z": []}, [1, [2]]], "e": {}, "n": null, "": 1.0}"#);
    let expected = "---\nk:\n- x\n- \"y\": 1\n  z: []\n- - 1\n  - - 2\ne: {}\n\"n\":\n'': 1.0\n";
    assert_eq!(write(&value.unwrap()), expected);
}

#[test]
fn keys_that_are_no_text() {
    let value = yaml::read("{[a]: 1, ~: 2, 3: 4, {a: 1}: {b: 2}}", Schema::Psych).unwrap();
    assert_eq!(write(&value), "---\n? - a\n: 1\n! '': 2\n3: 4\n? a: 1\n: b: 2\n");
}

#[test]
fn long_texts_are_folded() {
    let value = Value::map([("a", "word ".repeat(20).trim_end().into())]);
    let folded = "---\na: word word word word word word word word word word word word word word word word\n  word word word word\n";
    assert_eq!(write(&value), folded);
    let narrow = Options { line_width: Some(30), ..Options::default() };
    let block = "---\na: >-\n  word word word word word word\n  word word word word word word\n  word word word word word word\n  word word\n";
    assert_eq!(write_with(&value, narrow), block);
    let unlimited = Options { line_width: Some(-1), ..Options::default() };
    assert_eq!(write_with(&value, unlimited).lines().count(), 2);
}

#[test]
fn indentation() {
    let value = json::read(r#"{"a": [{"b": "x\ny"}, ["c"]]}"#).unwrap();
    let wide = Options { indentation: Some(4), header: true, ..Options::default() };
    let expected = "%YAML 1.1\n---\na:\n-   b: |-\n        x\n        y\n-   - c\n";
    assert_eq!(write_with(&value, wide), expected);
}

#[test]
fn shared_values_get_anchors() {
    let shared = Value::list([Value::Int(1)]);
    let value = Value::list([shared.clone(), shared.clone(), Value::map([("a", shared)])]);
    let options = Options { anchors: true, ..Options::default() };
    assert_eq!(write_with(&value, options), "---\n- &1\n  - 1\n- *1\n- a: *1\n");
    assert_eq!(write(&value), "---\n- - 1\n- - 1\n- a:\n  - 1\n");
}

#[test]
fn bytes_are_base64() {
    let value = Value::Bytes(vec![0xff, 0x00].into());
    assert_eq!(write(&value), "--- !binary |-\n  /wA=\n");
}
