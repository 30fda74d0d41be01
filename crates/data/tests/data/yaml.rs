//! Reading YAML: values, places, errors, and robustness against arbitrary bytes.

use std::fmt::Write;

use ordain_data::yaml::{self, Schema, Tree};
use ordain_data::{Value, json};
use ordain_testkit::bounded;
use ordain_testkit::random::Random;

/// The value of a text by Psych's rules as compact JSON, or the error.
fn psych(text: &str) -> String {
    match yaml::read(text, Schema::Psych) {
        Ok(v) => json::compact(&v),
        Err(e) => e.to_string(),
    }
}

#[test]
fn scalars_of_psych() {
    let cases = [
        ("yes", "true"),
        ("Off", "false"),
        ("y", "\"y\""),
        ("~", "null"),
        ("", "null"),
        ("017", "15"),
        ("08", "\"08\""),
        ("0o17", "\"0o17\""),
        ("-0x1F", "-31"),
        ("0b101", "5"),
        ("1_000", "1000"),
        ("1,000", "1000"),
        ("1__0", "\"1__0\""),
        ("1:30", "5400"),
        ("1:30:45", "5445"),
        ("1:30.5", "5430.0"),
        ("1e3", "\"1e3\""),
        ("1.5e+3", "1500.0"),
        ("5.", "5.0"),
        (".inf", "Infinity"),
        ("98765432109876543210", "98765432109876543210"),
        (":sym", "\"sym\""),
        ("! '12'", "12"),
        ("!!str 12", "\"12\""),
        ("!!binary aGk=", "\"hi\""),
        ("!ruby/sym x", "\"x\""),
        ("2020-13-01", "\"2020-13-01\""),
        ("2020-01-01", "Tried to load unspecified class: Date at line 1 column 1"),
        ("!ruby/object:Foo {a: 1}", "Tried to load unspecified class: Foo at line 1 column 18"),
    ];
    for (text, expected) in cases {
        assert_eq!(psych(text), expected, "{text}");
    }
}

/// Valid YAML 1.2 that libyaml, the parser of Ruby, refuses.
#[test]
fn refused_by_libyaml() {
    let node = "did not find expected node content while parsing a flow node";
    let tab = "found character that cannot start any token while scanning for the next token";
    let cases = [
        ("[:a]", node, "1 column 2"),
        ("a: {k: :b}", node, "1 column 8"),
        ("- [1, :\"q s\"]", node, "1 column 7"),
        ("{:}", node, "1 column 2"),
        ("a: {b: 1, :c: 2}", node, "1 column 11"),
        ("[a, b:]", "found unexpected ':' while scanning a plain scalar", "1 column 5"),
        ("{a:}", "found unexpected ':' while scanning a plain scalar", "1 column 2"),
        (": a", "did not find expected key while parsing a block mapping", "1 column 1"),
        ("\ta: 1", tab, "1 column 1"),
        ("a:\n \tb: 1", tab, "2 column 2"),
        ("-\ta", tab, "1 column 2"),
    ];
    for (text, message, place) in cases {
        assert_eq!(psych(text), format!("{message} at line {place}"), "{text}");
        assert!(yaml::read(text, Schema::Core).is_ok(), "{text}");
    }
    for text in ["{a: }", "{? : 1}", "[a:b, \"c\": 1]", "a:\t1", "a: [\t1]", "---\ta", "? \n: b"] {
        assert!(yaml::read(text, Schema::Psych).is_ok(), "{text}");
    }
}

/// Symbols are texts, or maps that mark them.
#[test]
fn symbols_of_psych() {
    let text = "a: :b\n:c: !ruby/symbol d\ne: ':f'\n";
    let tree = Tree::parse(text).unwrap();
    assert!(tree.has_symbols() && !Tree::parse("a: b\nc: ':d'\n").unwrap().has_symbols());
    assert_eq!(psych(text), r#"{"a":"b","c":"d","e":":f"}"#);
    let marked = tree.value(Schema::PsychSymbols).unwrap();
    let symbol = |name: &str| Value::map([(yaml::SYMBOL, Value::str(name))]);
    let values: Vec<Value> = marked.as_map().unwrap().values().cloned().collect();
    assert_eq!(values, [symbol("b"), symbol("d"), ":f".into()]);
    assert!(marked.as_map().unwrap().contains_key(&symbol("c")));
}

#[test]
fn scalars_of_the_core_schema() {
    let text = "[yes, 0o17, 017, 1_0, 1e3, 0x1f, .5, True, 2020-01-01, !!int '7', <<, 1:30]";
    let value = yaml::read(text, Schema::Core).unwrap();
    let expected = r#"["yes",15,17,"1_0",1000.0,31,0.5,true,"2020-01-01",7,"<<","1:30"]"#;
    assert_eq!(json::compact(&value), expected);
}

#[test]
fn documents_and_keys() {
    assert_eq!(psych("\u{feff}a: 1\r\nb: |\r\n  x\r\n"), r#"{"a":1,"b":"x\n"}"#);
    assert_eq!(psych("a: 1\na: 2\n"), r#"{"a":2}"#);
    assert_eq!(psych("--- 1\n--- [\n"), "1");
    assert_eq!(psych("# nothing\n"), "null");
    assert_eq!(psych("a: |\n  no line break at the end"), r#"{"a":"no line break at the end"}"#);
    assert_eq!(Tree::parse_all("--- 1\n---\n- 2\n").unwrap().len(), 2);
}

#[test]
fn merge_keys_follow_their_place_in_ruby() {
    assert_eq!(psych("a: 5\n<<: {a: 1, b: 2}\nb: 3\n"), r#"{"a":1,"b":3}"#);
    assert_eq!(psych("<<: [{a: 1}, {a: 2, b: 2}]\n"), r#"{"a":1,"b":2}"#);
    assert_eq!(psych("x: &x {a: 1}\ny:\n  <<: *x\n"), r#"{"x":{"a":1},"y":{"a":1}}"#);
    assert_eq!(psych("<<: 3"), r#"{"<<":3}"#);
    let core = yaml::read("a: 5\n<<: {a: 1, b: 2}\n", Schema::Core).unwrap();
    assert_eq!(json::compact(&core), r#"{"a":5,"b":2}"#);
}

#[test]
fn errors_have_a_place() {
    let e = yaml::read("a: 1\nb: [1, 2\nc: 3\n", Schema::Psych).unwrap_err();
    assert!(e.line >= 2, "{e}");
    let e = yaml::read("a: 1\nb: *nope\n", Schema::Psych).unwrap_err();
    assert_eq!(e.to_string(), "Unknown alias: nope at line 2 column 4");
    let e = yaml::read("a: 1\nö: 2020-01-01\n", Schema::Psych).unwrap_err();
    assert_eq!(e.line, 2);
    let e = yaml::read("&a [*a]", Schema::Psych).unwrap_err();
    assert_eq!((e.line, e.column), (1, 5));
    let e = yaml::read_bytes(b"a: \xff", Schema::Psych).unwrap_err();
    assert_eq!((e.line, e.column), (1, 4));
}

#[test]
fn places_of_values() {
    let text = "base: &b\n  port: 80\nweb:\n  <<: *b\n  hosts:\n    - alpha\n    - 'beta'\n  flow: {x: [1, 2]}\n";
    let tree = Tree::parse(text).unwrap();
    let at = |path: &[&str]| {
        let span = tree.find(path).unwrap();
        &text[span.start as usize..span.end as usize]
    };
    assert_eq!(at(&["web", "hosts", "1"]), "'beta'");
    assert_eq!(at(&["web", "port"]), "80");
    assert_eq!(at(&["web", "flow", "x", "1"]), "2");
    assert_eq!(at(&["web", "flow", "x"]), "[1, 2]");
    assert!(tree.find(&["web", "nope"]).is_none());
}

/// Nine maps of nine aliases each, several levels deep.
fn bomb(levels: usize) -> String {
    let mut text = String::from("l0: &l0 [x,x,x,x,x,x,x,x,x]\n");
    for level in 1..levels {
        let below = format!("*l{},", level - 1).repeat(9);
        writeln!(text, "l{level}: &l{level} [{below}]").unwrap();
    }
    text
}

#[test]
fn costly_documents_end_soon() {
    bounded("costly documents", || {
        let e = yaml::read(&bomb(9), Schema::Psych).unwrap_err();
        assert!(e.message.contains("aliases"), "{e}");
        assert!(yaml::read(&bomb(4), Schema::Psych).is_ok());

        let chain: String = (1..5000).map(|i| format!("- &a{i} [*a{}]\n", i - 1)).collect();
        let e = yaml::read(&format!("- &a0 []\n{chain}"), Schema::Psych).unwrap_err();
        assert!(e.message.contains("nested"), "{e}");

        let big: String = (0..2000).map(|i| format!("  k{i}: 1\n")).collect();
        let merges = "- <<: *big\n".repeat(2000);
        let text = format!("- &big\n{big}{merges}");
        assert!(yaml::read(&text, Schema::Psych).unwrap_err().message.contains("aliases"));

        for number in ["9".repeat(1_000_000), format!("0x{}", "f".repeat(1_000_000))] {
            assert!(yaml::read(&number, Schema::Psych).is_ok());
        }
        for open in ["[", "- ", "{a: ", "? "] {
            assert!(yaml::read(&open.repeat(100_000), Schema::Psych).is_err());
        }
    });
}

#[test]
fn the_deepest_allowed_nesting_works() {
    for (open, close) in [("[", "]"), ("{a: ", "}"), ("{? ", "}")] {
        let text = format!("{}{}", open.repeat(120), close.repeat(120));
        let value = yaml::read(&text, Schema::Psych).unwrap();
        let compact = json::compact(&value);
        assert!(yaml::psych::write(&value).len() > 120 && !format!("{value:?}").is_empty());
        if open != "{? " {
            assert_eq!(json::read(&compact).unwrap(), value);
        }
    }
}

const SEED: &str = "# comment\n%YAML 1.1\n---\nbase: &b {x: 1, 'y': \"two\\n\\u263a\"}\nlist:\n- a\n- |2\n    x\n\n  y\n- >-\n  f\n  g\n? [k]\n: *b\n<<: *b\nt: !!float 1_0.5\nd: 2020-01-01 10:00:00 +1\n...\n";

#[test]
fn no_bytes_bring_the_reader_down() {
    let mut random = Random::new(0x5eed);
    for _ in 0..6000 {
        let mut bytes = SEED.as_bytes().to_vec();
        for _ in 0..=random.below(6) {
            let at = random.below(bytes.len().max(1));
            if bytes.is_empty() {
                break;
            }
            match random.below(4) {
                0 => bytes[at] = b" \n\t:-?[]{}&*!|>'\"%@`,#~\\0\xff\xc3\xa9"[random.below(28)],
                1 => drop(bytes.remove(at)),
                2 => bytes.insert(at, b" \n:-[{&*!|>'\""[random.below(13)]),
                _ => bytes.truncate(at + 1),
            }
        }
        let Ok(value) = yaml::read_bytes(&bytes, Schema::Psych) else { continue };
        let written = yaml::psych::write(&value);
        let back = yaml::read(&written, Schema::Psych);
        assert!(back.is_ok(), "{written:?} of {:?}", String::from_utf8_lossy(&bytes));
        let text = String::from_utf8_lossy(&bytes);
        if let Ok(tree) = Tree::parse(&text) {
            for id in 0..u32::try_from(tree.len()).unwrap() {
                let span = tree.node(yaml::NodeId(id)).span;
                assert!(text.get(span.start as usize..span.end as usize).is_some());
            }
        }
    }
}

#[test]
fn written_values_read_back() {
    let words =
        ["a", "yes", " ", "\n", ":", "#", "'", "\"", "0", "1.5", "-", "é", "😀", "\t", "<<", "~"];
    let mut random = Random::new(7);
    for _ in 0..5000 {
        let text: String = (0..random.below(40)).map(|_| *random.of(&words)).collect();
        let value = Value::map([
            (text.clone(), Value::list([text.as_str().into(), Value::Null, Value::Float(0.5)])),
            ("k".into(), Value::map([("empty", Value::list([])), ("n", Value::Int(-3))])),
        ]);
        if text == "<<" {
            continue;
        }
        let written = yaml::psych::write(&value);
        assert_eq!(yaml::read(&written, Schema::Psych).unwrap(), value, "{written:?}");
        assert_eq!(json::read(&json::compact(&value)).unwrap(), value);
        assert_eq!(json::read(&json::pretty(&value)).unwrap(), value);
    }
}

/// Written for libyaml, and read by it.
#[test]
fn quoted_text_may_go_on_at_the_margin() {
    let text = "a:\n  b: \"one\ntwo\n   three\"\n  c: 1\n";
    assert_eq!(psych(text), r#"{"a":{"b":"one two three","c":1}}"#);
    assert!(psych("a: \"one\ntwo\nb: 1\n").contains("line"));
}

#[test]
fn an_alias_may_be_a_key() {
    let text = "a: &a web\nb:\n  *a:\n    c: 1\n  d: *a\ne: 'x *a: y'\n";
    assert_eq!(psych(text), r#"{"a":"web","b":{"web":{"c":1},"d":"web"},"e":"x *a: y"}"#);
    assert!(psych("a:\n  *b:\n    c: 1\n").starts_with("Unknown alias: b at line 2"));
}
