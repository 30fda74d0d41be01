//! Random texts that may be YAML, and random values to write.

use ordain_data::Value;
use ordain_data::yaml::psych::Options;

/// A deterministic generator of random numbers.
pub(crate) struct Rng(u64);

impl Rng {
    /// The numbers of a seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below a bound.
    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).unwrap()
    }

    /// Whether an event with probability 1/`times` happens.
    fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    fn of<'t>(&mut self, all: &[&'t str]) -> &'t str {
        all[self.below(all.len())]
    }
}

/// Plain scalars that could be something other than text.
const SCALARS: &[&str] = &[
    "a",
    "key",
    "b c",
    "x-y",
    "null",
    "Null",
    "~",
    "nULL",
    "true",
    "True",
    "TRUE",
    "tRUE",
    "yes",
    "Yes",
    "YES",
    "y",
    "Y",
    "n",
    "no",
    "off",
    "Off",
    "ON",
    "on",
    "false",
    "0",
    "-0",
    "+0",
    "1",
    "-1",
    "+12",
    "012",
    "0o17",
    "017",
    "-017",
    "08",
    "0x1F",
    "0xfg",
    "-0x1f",
    "0b101",
    "0b12",
    "1_000",
    "1,000",
    "1__0",
    "_1",
    "1_",
    "12345678901234567890",
    "1.5",
    "-1.5",
    ".5",
    "5.",
    "1.",
    "-.5",
    "1e3",
    "1.e3",
    "1.5e3",
    "1.5e+3",
    "1.5E-3",
    "1e",
    "1.5e",
    ".e3",
    "1,000.5",
    "1_0.5_5",
    ".",
    "..",
    "-.",
    "+.",
    "0.0",
    "-0.0",
    ".inf",
    "-.inf",
    "+.inf",
    ".Inf",
    ".INF",
    ".iNF",
    ".nan",
    ".NaN",
    ".NAN",
    "1:30",
    "1:30:45",
    "-1:30",
    "190:20:30",
    "1:60",
    "1:5",
    "1:30:45.5",
    "190:20:30.15",
    "12:30:45:15",
    "0:0",
    "1:30.",
    "2001-01-01",
    "2001-1-1",
    "2001-13-01",
    "2001-02-30",
    "01-01-2001",
    "2001-01-01T10:00:00Z",
    "2001-01-01 10:00:00",
    "2001-01-01 10:00:00.5 +02:00",
    "2001-01-01t10:00:00-05",
    "2001-01-01 10:00",
    ":sym",
    ":a b",
    ":\"q\"",
    ":'q'",
    "::",
    ":",
    ":1",
    ":a:b",
    "a:",
    "a:b",
    ":: x",
    "<<",
    "=",
    "-",
    "--",
    "---a",
    "-a",
    "- a",
    "?",
    "?a",
    "? a",
    "!",
    "!a",
    "!!str",
    "&a",
    "*a",
    "@a",
    "`a",
    "%a",
    "%",
    "#a",
    "a#b",
    "a #b",
    "|",
    ">",
    "|-",
    ">-",
    "'",
    "\"",
    "\"a",
    "'a",
    "[",
    "]",
    "{",
    "}",
    ",",
    "a,b",
    "a, b",
    "[]",
    "{}",
    "[a]",
    "{a: b}",
    "é",
    "ñ: ü",
    "日本",
    "\u{1F600}",
    "a\u{a0}b",
    "a\\nb",
    "c:\\dir",
    "1.2.3",
    "10.0.0.1",
    "::1",
    "fe80::1",
    "a/b",
    "$x",
    "%{x}",
    "${x}",
    "1 2",
    "0.1.2",
    "1e5.5",
    "0777",
    "0_7",
    "0x",
    "0b",
    "+",
    "++1",
    "1+1",
    "(1)",
    "1;2",
    "12e03",
    "1E+2",
    "e5",
    "inf",
    "nan",
    "nil",
    "None",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775809",
    "00",
    "000",
    "0 ",
    "-00",
    "1.7976931348623157e309",
    "4.9e-400",
    "0.1e1",
    "123456789.123456789",
    "685_230.15",
    "6.8523015e+5",
    "1.0e+15",
    "1e15",
    "100000000000000000.0",
    "0x_1",
    "0b_1",
    "1._5",
    "5:",
    "a: b",
    "!ruby/sym",
];

/// Contents of quoted texts.
const QUOTED: &[&str] = &[
    "",
    "a",
    " a ",
    "a b",
    "yes",
    "12",
    "a: b",
    "#",
    "a #b",
    "''",
    "\\n",
    "\\t",
    "\\\\",
    "\\x41",
    "\\u00e9",
    "\\U0001F600",
    "\\e",
    "\\0",
    "\\_",
    "\\N",
    "\\L",
    "\\P",
    "\\/",
    "\\z",
    "\\xZZ",
    "a\n  b",
    "a\n\n  b",
    "a \n  b",
    "a\\\n  b",
    "a\\\n  \\  b",
    "\n  a",
    "a\n ",
    "\\\"",
    "{",
    "[",
    "é",
    "\\ud83d\\ude00",
    "\\ud800",
    "a\tb",
    "a\n\tb",
    ":x",
    "2001-01-01",
    "%{x}",
    "a\n---\nb",
    "\\a\\b\\v\\f\\r",
];

const TAGS: &[&str] = &[
    "!!str",
    "!!int",
    "!!float",
    "!!bool",
    "!!null",
    "!!binary",
    "!!seq",
    "!!map",
    "!!set",
    "!!omap",
    "!!timestamp",
    "!",
    "!x",
    "!x!y",
    "!<tag:yaml.org,2002:str>",
    "!<!foo>",
    "!ruby/symbol",
    "!ruby/sym",
    "!ruby/object:Object",
    "!ruby/regexp",
    "!ruby/range",
    "!ruby/string",
    "!ruby/hash:X",
    "!ruby/array:X",
    "!str",
    "!float",
    "!binary",
    "!ruby/object:Set",
    "!ruby/class",
    "!!python/none",
    "!!",
    "!<>",
    "!a%20b",
];

const HEADERS: &[&str] = &[
    "|", ">", "|-", ">-", "|+", ">+", "|2", ">1", "|2-", "|-2", ">+1", "|0", "|x", "| # c", "|#c",
    "> ", "|10",
];

const LINES: &[&str] = &[
    "a", "b c", "", "", " x", "  y", "\tz", "# c", "- a", "k: v", "---", "...", " ", "é", "'",
    "a ", "a\t", "%x", "\\",
];

/// A text.
pub(crate) fn document(rng: &mut Rng) -> String {
    loop {
        let text = any_document(rng);
        if !is_read_otherwise(&text) {
            return text;
        }
    }
}

/// Whether a text contains something that is deliberately read differently from libyaml.
fn is_read_otherwise(text: &str) -> bool {
    let ends_with_tab = |line: &str| line.trim_end_matches([' ', '\r']).ends_with('\t');
    let mut opened = text.split_inclusive(['[', '{', ',']).skip(1);
    let in_brackets = |rest: &str| rest.trim_start().starts_with(['-', '?']);
    // A block scalar that is the whole document and starts at the left margin.
    let first_line = text.split_once('\n').filter(|_| text.starts_with(['|', '>']));
    let at_margin = first_line.is_some_and(|(_, rest)| {
        rest.lines().any(|line| !line.is_empty() && !line.starts_with(' '))
    });
    text.lines().any(ends_with_tab) || opened.any(in_brackets) || at_margin
}

fn any_document(rng: &mut Rng) -> String {
    let mut text = String::new();
    if rng.once_in(12) {
        text.push_str(rng.of(&[
            "---\n",
            "--- ",
            "%YAML 1.1\n---\n",
            "\n",
            "# c\n",
            "%TAG ! !x\n---\n",
        ]));
    }
    match rng.below(8) {
        0 => text.push_str(&scalar(rng, 0, false)),
        1 => text.push_str(&flow(rng, 0)),
        2 => sequence(rng, &mut text, 0, 0),
        3 => text.push_str(&block_scalar(rng, 0)),
        _ => mapping(rng, &mut text, 0, 0),
    }
    if rng.once_in(12) {
        text.push_str(rng.of(&[
            "\n",
            "...\n",
            "\n---\nb\n",
            "# c",
            "\n...\nx",
            "\t\n",
            " ",
            "\n\n",
            "\n--- x",
        ]));
    }
    while rng.once_in(6) {
        mutate(rng, &mut text);
    }
    text
}

/// Inserts a text, or removes a character.
fn mutate(rng: &mut Rng, text: &mut String) {
    let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    if places.is_empty() {
        return;
    }
    let at = places[rng.below(places.len())];
    if rng.once_in(2) {
        let new = rng.of(&[
            " ", "  ", "\n", "\t", ":", ": ", "- ", "? ", ", ", "#", " #", "'", "\"", "[", "]",
            "{", "}", "&a ", "*a ", "!", "|", ">", "\r\n", "%", "@", "\n\n", "\u{a0}", "\\", "-",
            "\n ", "\n\t", "0",
        ]);
        text.insert_str(at, new);
    } else {
        text.remove(at);
    }
}

fn scalar(rng: &mut Rng, level: usize, in_flow: bool) -> String {
    match rng.below(10) {
        0 => format!("'{}'", rng.of(QUOTED)),
        1 | 2 => format!("\"{}\"", rng.of(QUOTED)),
        3 if !in_flow && rng.once_in(3) => {
            let blanks = " ".repeat(2 * level + 1);
            format!("{}\n{blanks}{}", rng.of(SCALARS), rng.of(SCALARS))
        }
        4 if rng.once_in(2) => format!("{} {}", rng.of(TAGS), rng.of(SCALARS)),
        5 if rng.once_in(3) => format!("{} '{}'", rng.of(TAGS), rng.of(QUOTED)),
        6 if rng.once_in(4) => {
            format!("&{} {}", rng.of(&["a", "b", "é", "1"]), rng.of(SCALARS))
        }
        7 if rng.once_in(4) => format!("*{}", rng.of(&["a", "b", "c"])),
        8 if rng.once_in(3) => format!("{} # c", rng.of(SCALARS)),
        _ => rng.of(SCALARS).to_owned(),
    }
}

fn flow(rng: &mut Rng, depth: usize) -> String {
    let count = rng.below(4);
    let part = |rng: &mut Rng| match rng.below(6) {
        0 if depth < 2 => flow(rng, depth + 1),
        _ => scalar(rng, depth, true),
    };
    let comma = [", ", ",", " , ", ",\n "][rng.below(4)];
    let (mut items, is_map) = (Vec::new(), rng.once_in(2));
    for _ in 0..count {
        let item = part(rng);
        items.push(match rng.below(8) {
            0 => item,
            1 if !is_map => format!("{item}: {}", part(rng)),
            3 if is_map => format!("\"{}\":{}", rng.of(QUOTED), part(rng)),
            _ if is_map => format!("{item}: {}", part(rng)),
            _ => item,
        });
    }
    let inner = items.join(comma);
    let inner = if rng.once_in(10) { format!("{inner},") } else { inner };
    if is_map { format!("{{{inner}}}") } else { format!("[{inner}]") }
}

fn block_scalar(rng: &mut Rng, level: usize) -> String {
    let header = rng.of(HEADERS);
    let mut text = format!("{header}\n");
    // An indentation indicator must not exceed the real indentation.
    let least = if header.contains('2') { 2 } else { 1 };
    let blanks = " ".repeat(2 * level + least + rng.below(2));
    for _ in 0..rng.below(5) {
        let line = rng.of(LINES);
        if !line.is_empty() {
            text.push_str(&blanks);
        }
        text.push_str(line);
        text.push('\n');
    }
    if rng.once_in(4) {
        text.pop();
    }
    text
}

/// The node after a key or a dash.
fn node(rng: &mut Rng, out: &mut String, level: usize, depth: usize) {
    match rng.below(10) {
        0 | 1 if depth < 3 => {
            if rng.once_in(3) {
                out.push_str(rng.of(&[" &a", " &b", " !!map", " !x", " # c", " !!seq"]));
            }
            out.push('\n');
            if rng.once_in(2) {
                mapping(rng, out, level + 1, depth + 1);
            } else {
                let same = usize::from(rng.once_in(2));
                sequence(rng, out, level + same, depth + 1);
            }
            return;
        }
        2 => {
            out.push(' ');
            out.push_str(&flow(rng, 0));
        }
        3 => {
            out.push(' ');
            out.push_str(&block_scalar(rng, level));
            return;
        }
        4 if rng.once_in(3) => {}
        _ => {
            out.push(' ');
            out.push_str(&scalar(rng, level, false));
        }
    }
    out.push('\n');
}

fn mapping(rng: &mut Rng, out: &mut String, level: usize, depth: usize) {
    for _ in 0..=rng.below(3) {
        out.push_str(&"  ".repeat(level));
        match rng.below(12) {
            0 => out.push_str("<<:"),
            1 => out.push_str(&format!("{}:", scalar(rng, level, true))),
            2 if rng.once_in(2) => {
                out.push('?');
                node(rng, out, level, depth + 1);
                out.push_str(&"  ".repeat(level));
                out.push(':');
            }
            3 => out.push_str(&format!("\"{}\":", rng.of(QUOTED))),
            4 => out.push_str(&format!("{} :", rng.of(&["a", "b", "c"]))),
            _ => {
                out.push_str(&format!("{}:", rng.of(&["a", "b", "c", "d", "e", "1", "yes", ":s"])))
            }
        }
        node(rng, out, level, depth);
    }
}

fn sequence(rng: &mut Rng, out: &mut String, level: usize, depth: usize) {
    for _ in 0..=rng.below(3) {
        out.push_str(&"  ".repeat(level));
        out.push('-');
        if rng.once_in(4) && depth < 3 {
            let mut inner = String::new();
            if rng.once_in(2) {
                mapping(rng, &mut inner, level + 1, depth + 1);
            } else {
                sequence(rng, &mut inner, level + 1, depth + 1);
            }
            out.push(' ');
            out.push_str(inner.trim_start_matches(' '));
        } else {
            node(rng, out, level, depth);
        }
    }
}

/// A value, and how it is written.
pub(crate) fn value_and_options(rng: &mut Rng) -> (Value, Options) {
    let value = value(rng, 0);
    let mut options = Options::default();
    if rng.once_in(4) {
        let indentations = [-1, 0, 1, 2, 3, 4, 5, 8, 9, 10, 100];
        options.indentation = Some(indentations[rng.below(indentations.len())]);
    }
    if rng.once_in(3) {
        let widths = [-1, 0, 1, 3, 4, 5, 8, 10, 20, 40, 79, 80, 120, 1000];
        options.line_width = Some(widths[rng.below(widths.len())]);
    }
    options.header = rng.once_in(12);
    options.canonical = rng.once_in(12);
    (value, options)
}

fn value(rng: &mut Rng, depth: usize) -> Value {
    match rng.below(if depth > 3 { 9 } else { 13 }) {
        0 => Value::Null,
        1 => rng.once_in(2).into(),
        2 => number(rng),
        3..=8 => Value::str(string(rng)),
        9 | 10 => {
            let count = rng.below(4);
            Value::list((0..count).map(|_| value(rng, depth + 1)))
        }
        _ => {
            let entries = (0..rng.below(4)).map(|_| {
                let key = match rng.below(12) {
                    0 => value(rng, depth + 2),
                    1 => number(rng),
                    _ => Value::str(string(rng)),
                };
                (key, value(rng, depth + 1))
            });
            let entries: Vec<_> = entries.collect();
            Value::Map(std::sync::Arc::new(entries.into_iter().collect()))
        }
    }
}

fn number(rng: &mut Rng) -> Value {
    match rng.below(8) {
        0 => Value::BigInt("123456789012345678901234567890".into()),
        1 => Value::Float(
            [0.0, -0.0, 1.5, 1e20, 1e16, 1e15, 1e-5, 1e-4, f64::MAX, 5e-324][rng.below(10)],
        ),
        2 => Value::Float([f64::INFINITY, f64::NEG_INFINITY, f64::NAN][rng.below(3)]),
        3 => Value::Float(f64::from_bits(rng.next())),
        4 => Value::Int(i64::MIN),
        _ => Value::Int(i64::try_from(rng.below(2000)).unwrap() - 1000),
    }
}

fn string(rng: &mut Rng) -> String {
    const PIECES: &[&str] = &[
        "a",
        "word",
        " ",
        " ",
        "  ",
        "\n",
        "\n\n",
        "\t",
        ":",
        ": ",
        "#",
        " #",
        "'",
        "\"",
        "\\",
        "-",
        "- ",
        "é",
        "日本語",
        "\u{1F600}",
        "\r",
        "\r\n",
        "\u{7f}",
        "\u{1}",
        "\u{85}",
        "\u{2028}",
        "\u{a0}",
        "\u{feff}",
        "%",
        "@",
        "!",
        "&",
        "*",
        "|",
        ">",
        "[",
        "]",
        "{",
        "}",
        ",",
        "?",
        "=",
        "~",
        "longer words in a row ",
        "a\nb\n",
        "0",
        "12",
        "x=1",
        "---",
        "...",
        "\u{fffe}",
        "\u{d7ff}",
        "\u{e000}",
        "<<",
        "$",
    ];
    match rng.below(6) {
        0 => rng.of(SCALARS).to_owned(),
        1 => rng.of(LINES).to_owned(),
        2 => (0..rng.below(25))
            .map(|_| rng.of(&["word", "longer", "a", "it's", "\n", "x:"]))
            .collect::<Vec<_>>()
            .join(" "),
        3 => (0..rng.below(60)).map(|_| "word").collect::<Vec<_>>().join(if rng.once_in(4) {
            "\n"
        } else {
            " "
        }),
        _ => (0..rng.below(7)).map(|_| rng.of(PIECES)).collect(),
    }
}
