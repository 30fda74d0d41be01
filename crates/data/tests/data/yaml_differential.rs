//! Reads and writes generated YAML here and with the installed Ruby: values and texts must be
//! equal. `YAML_SEED` and `YAML_CASES` select other cases.

#[path = "../yaml_differential/generate.rs"]
mod generate;

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use generate::Rng;
use ordain_data::yaml::psych::{Options, write_with};
use ordain_data::yaml::{self, SYMBOL, Schema};
use ordain_data::{Value, json};

/// The number of texts that are read, and of values that are written.
const CASES: u64 = 3000;

/// The error of an alias inside its own target.
const RECURSIVE: &str = "the alias refers to a value that contains it";

/// Generated texts that are deliberately read differently here, with the reason.
const KNOWN: &[(&str, &str)] = &[
    ("{\"\\0\"\r\n: 0o17}", "a key between braces may end on the line before its colon"),
    ("> \n  x\n \tz\n \tz\n a ", "a tab in a later line of a block scalar ends it"),
    ("--- [!!map :a:b,\n \"\\\\\",]", "a tag is no key of its own"),
    (
        "- \"\\a\\b\\v\\f\\r\": \"a\n\tb\"\n\n",
        "a text in quotes is not continued behind a tab alone",
    ),
    (
        "d: >1\n  a \n  - a\n\n  '\nc: 'a\n  b'\n? {!str #a: {1+1: &é 0b101},\n ..: 123456789.123456789,\n \
         !ruby/symbol x-y: fe80::1}\n:\n  - -0x1f\n",
        "a comment between braces ends at its line",
    ),
    (
        "e: [1:30, {true,\n {'\\z': 'a\\\n  b'}: 01-01-2001,\n \"\\t\": \"a\"}]\n",
        "keys between braces may be collections",
    ),
    ("&a: \nyes: -0.0\nyes: >+\n", "a colon is no part of an anchor"),
    ("\t!!binary 1.0e+15", "a tab may stand before a tag"),
    (">+1\n ", "what has a blank alone is an empty line"),
];

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// The answers of Ruby; `None` if it is not installed.
fn ask(requests: &[Value]) -> Option<Vec<Value>> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/yaml_differential/psych.rb");
    let child =
        Command::new("ruby").arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    if !ordain_testkit::peer(child.is_ok(), "ruby") {
        return None;
    }
    let mut child = child.unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let lines: String = requests.iter().map(|r| json::compact(r) + "\n").collect();
    let writer = std::thread::spawn(move || stdin.write_all(lines.as_bytes()).unwrap());
    let answers = BufReader::new(child.stdout.take().unwrap()).lines();
    let answers: Vec<Value> = answers.map(|line| json::read(&line.unwrap()).unwrap()).collect();
    writer.join().unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(answers.len(), requests.len());
    Some(answers)
}

/// A value in the form of `shown` in `psych.rb`.
fn shown(value: &Value) -> String {
    match value {
        Value::Float(x) if x.is_nan() => "float nan".into(),
        Value::Float(x) => format!("float {:016x}", x.to_bits()),
        Value::Bytes(bytes) => {
            format!("bytes {}", bytes.iter().map(|b| format!("{b:02x}")).collect::<String>())
        }
        Value::List(items) => {
            format!("[{}]", items.iter().map(shown).collect::<Vec<_>>().join(", "))
        }
        Value::Map(map) => {
            if let (1, Some(name)) = (map.len(), value.get(SYMBOL)) {
                return format!(":{}", shown(name));
            }
            let entries = map.iter().map(|(k, v)| format!("{} => {}", shown(k), shown(v)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
        Value::Secret(inner) => shown(inner),
        other => json::compact(other),
    }
}

/// A value in the form of `made` in `psych.rb`.
fn sent(value: &Value) -> Value {
    let pair = |kind: &str, held| Value::list([Value::str(kind), held]);
    match value {
        Value::Float(x) => pair("float", Value::str(format!("{:016x}", x.to_bits()))),
        Value::BigInt(digits) => pair("integer", Value::str(&**digits)),
        Value::List(items) => pair("list", Value::list(items.iter().map(sent))),
        Value::Map(map) => {
            let entries = map.iter().map(|(k, v)| Value::list([sent(k), sent(v)]));
            pair("map", Value::list(entries))
        }
        other => other.clone(),
    }
}

fn text<'v>(answer: &'v Value, key: &str) -> Option<&'v str> {
    answer.get(key)?.as_str()
}

/// Fails with the first differences.
fn compare(differences: &[String]) {
    const MAX_SHOWN: usize = 40;
    let first = differences.iter().take(MAX_SHOWN).map(String::as_str).collect::<Vec<_>>();
    assert!(differences.is_empty(), "{} differ\n{}", differences.len(), first.join("\n\n"));
}

#[test]
fn reads() {
    let seed = number("YAML_SEED", 1);
    let mut rng = Rng::new(seed);
    let texts: Vec<String> =
        (0..number("YAML_CASES", CASES)).map(|_| generate::document(&mut rng)).collect();
    let requests: Vec<Value> =
        texts.iter().map(|text| Value::map([("read", Value::str(text.as_str()))])).collect();
    let Some(answers) = ask(&requests) else { return };
    let mut differences = Vec::new();
    let mut values = 0;
    for (text_read, answer) in texts.iter().zip(&answers) {
        let ours = yaml::read(text_read, Schema::PsychSymbols);
        let is_same = match (&ours, text(answer, "value")) {
            (Ok(value), Some(theirs)) => {
                values += 1;
                shown(value) == theirs
            }
            // For the other parser, an alias inside its own target is a value that contains itself.
            (Err(error), _) if error.message == RECURSIVE => true,
            // There, the text after the first document need not be valid YAML.
            (Err(error), Some(_)) if error.is_syntax() => {
                answer.get("whole") == Some(&Value::Bool(false))
            }
            // Both refuse it; each may find another error first.
            (Err(_), None) => true,
            _ => false,
        };
        let is_known = KNOWN.iter().any(|(known, _)| known == text_read);
        if is_same && is_known {
            differences.push(format!("{text_read:?}\n  is known to differ, and is the same"));
        } else if !is_same && !is_known {
            let ours = ours.map_or_else(|e| format!("error: {e}"), |value| shown(&value));
            let theirs = json::compact(answer);
            differences.push(format!("{text_read:?}\n  ruby: {theirs}\n  here: {ours}"));
        }
    }
    assert!(values * 3 > texts.len(), "only {values} of {} texts are YAML", texts.len());
    compare(&differences);
}

#[test]
fn writes() {
    let seed = number("YAML_SEED", 1);
    let mut rng = Rng::new(seed);
    let cases: Vec<(Value, Options)> =
        (0..number("YAML_CASES", CASES)).map(|_| generate::value_and_options(&mut rng)).collect();
    let requests: Vec<Value> = cases
        .iter()
        .map(|(value, options)| {
            let named = [("indentation", options.indentation), ("line_width", options.line_width)];
            let named = named.into_iter().filter_map(|(k, v)| Some((k, Value::Int(v?))));
            let flags = [("header", options.header), ("canonical", options.canonical)];
            let flags = flags.into_iter().filter(|(_, on)| *on).map(|(k, _)| (k, true.into()));
            let all = Value::map(named.chain(flags));
            Value::map([("write", sent(value)), ("options", all)])
        })
        .collect();
    let Some(answers) = ask(&requests) else { return };
    let mut differences = Vec::new();
    for ((value, options), answer) in cases.iter().zip(&answers) {
        let ours = write_with(value, *options);
        if text(answer, "text") != Some(ours.as_str()) {
            let theirs = json::compact(answer);
            let value = shown(value);
            differences.push(format!("{value} {options:?}\n  ruby: {theirs}\n  here: {ours:?}"));
        }
    }
    compare(&differences);
}
