//! The writer, with the layouts of Ruby's JSON library.
//!
//! Values without a form in JSON: keys of other types become text, floats are also written as `NaN`
//! and `Infinity`, bytes become text with replacement characters, and a secret is written in clear
//! text.

use crate::number::ruby_float;
use crate::{Map, Value};

/// The texts between the parts of a JSON document, named as Ruby's options.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout<'a> {
    /// Before an entry, once a level.
    pub indent: &'a str,
    /// After a colon.
    pub space: &'a str,
    /// Before a colon.
    pub space_before: &'a str,
    /// After `{`, `,` and before `}` of a map.
    pub object_nl: &'a str,
    /// After `[`, `,` and before `]` of a list.
    pub array_nl: &'a str,
    /// Whether empty containers are `[]` and `{}`. Ruby's library before 2.8 breaks lines there.
    pub short_empty: bool,
}

impl Layout<'_> {
    /// Everything on one line, without spaces: `JSON.generate`.
    pub const COMPACT: Self = Self {
        indent: "",
        space: "",
        space_before: "",
        object_nl: "",
        array_nl: "",
        short_empty: true,
    };
    /// An entry a line and two blanks a level.
    pub const PRETTY: Self =
        Self { indent: "  ", space: " ", object_nl: "\n", array_nl: "\n", ..Self::COMPACT };
    /// `JSON.pretty_generate` of the library in Ruby 3.1 and 3.2.
    pub const RUBY_PRETTY: Self = Self { short_empty: false, ..Self::PRETTY };
}

/// The value on one line, without blanks.
pub fn compact(value: &Value) -> String {
    write(value, &Layout::COMPACT)
}

/// The value with one entry per line and an indentation of two spaces, without a final line break.
pub fn pretty(value: &Value) -> String {
    write(value, &Layout::PRETTY)
}

/// The value in any layout.
pub fn write(value: &Value, layout: &Layout<'_>) -> String {
    let mut writer = Writer { layout, level: 0, out: String::new() };
    writer.value(value);
    writer.out
}

struct Writer<'a> {
    layout: &'a Layout<'a>,
    level: usize,
    out: String,
}

impl Writer<'_> {
    fn value(&mut self, value: &Value) {
        let layout = self.layout;
        match value {
            Value::Null => self.out.push_str("null"),
            Value::Bool(b) => self.out.push_str(if *b { "true" } else { "false" }),
            Value::Int(i) => self.out.push_str(&i.to_string()),
            Value::BigInt(digits) => self.out.push_str(digits),
            Value::Float(x) => self.out.push_str(&ruby_float(*x)),
            Value::Str(text) => string(text, &mut self.out),
            Value::Bytes(bytes) => string(&String::from_utf8_lossy(bytes), &mut self.out),
            Value::List(items) if items.is_empty() && layout.short_empty => self.out.push_str("[]"),
            Value::Map(map) if map.is_empty() && layout.short_empty => self.out.push_str("{}"),
            Value::List(items) => self.list(items),
            Value::Map(map) => self.map(map),
            Value::Secret(inner) => self.value(inner),
        }
    }

    fn list(&mut self, items: &[Value]) {
        let layout = self.layout;
        self.out.push('[');
        self.out.push_str(layout.array_nl);
        self.level += 1;
        for (i, item) in items.iter().enumerate() {
            if i > 0 {
                self.out.push(',');
                self.out.push_str(layout.array_nl);
            }
            self.indent();
            self.value(item);
        }
        self.level -= 1;
        self.end(layout.array_nl);
        self.out.push(']');
    }

    fn map(&mut self, map: &Map) {
        let layout = self.layout;
        self.out.push('{');
        self.level += 1;
        for (i, (key, value)) in map.iter().enumerate() {
            if i > 0 {
                self.out.push(',');
            }
            self.out.push_str(layout.object_nl);
            self.indent();
            write_key(key, &mut self.out);
            self.out.push_str(layout.space_before);
            self.out.push(':');
            self.out.push_str(layout.space);
            self.value(value);
        }
        self.level -= 1;
        self.end(layout.object_nl);
        self.out.push('}');
    }

    fn end(&mut self, line: &str) {
        if !line.is_empty() {
            self.out.push_str(line);
            self.indent();
        }
    }

    fn indent(&mut self) {
        self.out.extend(std::iter::repeat_n(self.layout.indent, self.level));
    }
}

fn write_key(key: &Value, out: &mut String) {
    match key {
        Value::Str(text) => string(text, out),
        Value::Null => string("", out),
        Value::Secret(inner) => write_key(inner, out),
        Value::Bytes(bytes) => string(&String::from_utf8_lossy(bytes), out),
        // JSON inside JSON keys would double its escapes with every level.
        Value::List(_) | Value::Map(_) => string(&format!("{key:?}"), out),
        other => string(&compact(other), out),
    }
}

fn string(text: &str, out: &mut String) {
    quote(text, out, |c| match c {
        '\u{8}' => Some(Escape::Letter('b')),
        '\u{c}' => Some(Escape::Letter('f')),
        _ => None,
    });
}

/// A dialect's escape of a character that other dialects write differently.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Escape {
    /// As a backslash and a letter.
    Letter(char),
    /// As `\u` and four digits.
    Code,
}

/// Writes a text in double quotes, with the escapes that all dialects of JSON share and the
/// `special` ones of a dialect.
pub fn quote(text: &str, out: &mut String, special: impl Fn(char) -> Option<Escape>) {
    out.push('"');
    for c in text.chars() {
        let letter = match c {
            '"' | '\\' => c,
            '\n' => 'n',
            '\t' => 't',
            '\r' => 'r',
            c => match special(c) {
                Some(Escape::Letter(letter)) => letter,
                None if c >= ' ' => {
                    out.push(c);
                    continue;
                }
                _ => {
                    out.push_str(&format!("\\u{:04x}", u32::from(c)));
                    continue;
                }
            },
        };
        out.extend(['\\', letter]);
    }
    out.push('"');
}
