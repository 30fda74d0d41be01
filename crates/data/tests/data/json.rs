//! JSON: accepted and refused texts, and the layouts.

use ordain_data::Value;
use ordain_data::json::{self, Layout};

#[test]
fn values() {
    let text = "\u{feff}// note\n{\"a\": -0.5e1, \"b\": 12345678901234567890, \"a\": \"\\u00e9\\ud83d\\ude00\\/\"} /* end */";
    let value = json::read(text).unwrap();
    assert_eq!(json::compact(&value), r#"{"a":"é😀/","b":12345678901234567890}"#);
    assert_eq!(json::read("[]").unwrap(), Value::list([]));
}

#[test]
fn errors_say_what_and_where() {
    let cases = [
        ("", "expected a value, but the text ends at line 1 column 1"),
        ("[1,\n 2", "expected `,` or `]`, but the text ends at line 2 column 3"),
        ("{\"é\" 1}", "expected `:`, found `1` at line 1 column 6"),
        ("[01]", "a number must not start with `0` at line 1 column 2"),
        ("\"a", "the string has no end at line 1 column 1"),
        ("\"\\ud8\"", "expected four hexadecimal digits, found `d` at line 1 column 4"),
        ("1 2", "text after the end of the value at line 1 column 3"),
        ("[1,]", "expected a value, found `]` at line 1 column 4"),
        ("{,}", "expected a key in double quotes, found `,` at line 1 column 2"),
        ("/* x", "the comment has no end at line 1 column 1"),
    ];
    for (text, expected) in cases {
        assert_eq!(json::read(text).unwrap_err().to_string(), expected, "{text}");
    }
    assert!(json::read(&"[".repeat(1_000_000)).unwrap_err().message.contains("nested"));
    assert!(json::read_bytes(b"[\"\xff\"]").is_err());
}

#[test]
fn layouts() {
    let value = json::read(r#"{"a": [], "b": {}, "c": [1, {"d": "\u0001\"\n"}]}"#).unwrap();
    let ruby = "{\n  \"a\": [\n\n  ],\n  \"b\": {\n  },\n  \"c\": [\n    1,\n    {\n      \"d\": \"\\u0001\\\"\\n\"\n    }\n  ]\n}";
    assert_eq!(json::write(&value, &Layout::RUBY_PRETTY), ruby);
    assert_eq!(json::compact(&value), "{\"a\":[],\"b\":{},\"c\":[1,{\"d\":\"\\u0001\\\"\\n\"}]}");
}
