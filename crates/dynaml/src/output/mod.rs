//! Prints finished documents: YAML in the layout of spiff, and JSON.

pub mod lambda;
pub mod scalar;

use std::borrow::Cow;

use ordain_data::json::{self, Escape};

use crate::interpolation;
use crate::output::lambda::lambda_text;
use crate::syntax::ast::Exprs;
use crate::value::{Flags, Item, Value};

/// Prints values.
#[derive(Clone, Copy, Debug)]
pub struct Writer<'e> {
    /// The expressions of lambdas.
    pub exprs: &'e Exprs,
    /// Omits nodes that are marked as temporary.
    pub drop_temporary: bool,
    /// Take the `!` off escaped expressions.
    pub unescape: bool,
    /// Texts may have expressions in them.
    pub interpolation: bool,
    /// Lambdas print without brackets.
    pub bare_lambdas: bool,
}

impl<'e> Writer<'e> {
    /// Prints values unchanged: nothing is omitted or unescaped.
    pub fn verbatim(exprs: &'e Exprs) -> Self {
        Self {
            exprs,
            drop_temporary: false,
            unescape: false,
            interpolation: false,
            bare_lambdas: false,
        }
    }
}

impl Writer<'_> {
    /// The YAML text of a value, with a line break at its end.
    pub fn yaml(&self, value: &Value) -> String {
        let mut out = String::new();
        self.write_yaml(&mut out, value);
        out
    }

    /// Writes the YAML text of a value, with a line break at its end.
    pub fn write_yaml(&self, out: &mut String, value: &Value) {
        /// The average length of a value's line, and the maximum number of bytes that are reserved.
        const AVERAGE_LINE_LENGTH: u64 = 20;
        const MAX_BYTES: u64 = 64 << 20;
        let expected = value.weight().nodes.saturating_mul(AVERAGE_LINE_LENGTH).min(MAX_BYTES);
        out.reserve(usize::try_from(expected).unwrap_or_default());
        self.node(out, value, 0, 0);
        if !out.ends_with('\n') {
            out.push('\n');
        }
    }

    fn shown<'v>(&self, item: &'v Item) -> Option<&'v Value> {
        (!self.drop_temporary || !item.flags.has_any(Flags::TEMPORARY.with(Flags::LOCAL)))
            .then_some(&item.value)
    }

    /// Writes a value that starts at a column; later lines are indented by `indent`.
    fn node(&self, out: &mut String, value: &Value, column: usize, indent: usize) {
        match value {
            Value::Null => out.push_str("null"),
            Value::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
            Value::Int(n) => integer(out, *n),
            Value::Float(x) => out.push_str(&crate::syntax::print::float(*x)),
            Value::Str(s) => scalar::write(out, &self.text(s), column, indent.max(2)),
            Value::Lambda(lambda) => {
                let text = lambda_text(self.exprs, lambda);
                if self.bare_lambdas {
                    out.push_str(&text);
                } else {
                    scalar::write(out, &format!("(( {text} ))"), column, indent.max(2));
                }
            }
            Value::Template(template) => {
                let writer = Writer { unescape: false, ..*self };
                writer.node(out, &template.source, column, indent);
            }
            Value::List(list) => {
                let items: Vec<&Value> = list.items.iter().filter_map(|i| self.shown(i)).collect();
                self.list(out, &items, indent);
            }
            Value::Map(map) => {
                let entries = map.entries().iter();
                let entries: Vec<(&str, &Value)> =
                    entries.filter_map(|(k, i)| Some((k.as_str(), self.shown(i)?))).collect();
                self.map(out, &entries, indent);
            }
        }
    }

    fn list(&self, out: &mut String, items: &[&Value], indent: usize) {
        if items.is_empty() {
            return out.push_str("[]");
        }
        for (n, item) in items.iter().enumerate() {
            if n > 0 {
                new_line(out, indent);
            }
            out.push_str("- ");
            self.node(out, item, indent + 2, indent + 2);
        }
    }

    fn map(&self, out: &mut String, entries: &[(&str, &Value)], indent: usize) {
        if entries.is_empty() {
            return out.push_str("{}");
        }
        for (n, (key, value)) in entries.iter().enumerate() {
            if n > 0 {
                new_line(out, indent);
            }
            let start = out.len();
            let key = if self.unescape { unescape_key(key) } else { Cow::from(*key) };
            if scalar::is_long_key(&key) {
                self.long_entry(out, &key, value, indent);
                continue;
            }
            scalar::write_key(out, &key);
            out.push(':');
            let column = indent + out.len() - start + 1;
            match block(value) {
                Block::None => {
                    out.push(' ');
                    self.node(out, value, column, indent + 2);
                }
                Block::List if self.is_shown_empty(value) => out.push_str(" []"),
                Block::Map if self.is_shown_empty(value) => out.push_str(" {}"),
                Block::List => {
                    new_line(out, indent);
                    self.node(out, value, indent, indent);
                }
                Block::Map => {
                    new_line(out, indent + 2);
                    self.node(out, value, indent + 2, indent + 2);
                }
            }
        }
    }

    /// An entry whose key and value are on separate lines.
    fn long_entry(&self, out: &mut String, key: &str, value: &Value, indent: usize) {
        out.push_str("? ");
        scalar::write(out, key, indent + 2, indent + 2);
        new_line(out, indent);
        out.push_str(": ");
        match block(value) {
            Block::List if self.is_shown_empty(value) => out.push_str("[]"),
            Block::Map if self.is_shown_empty(value) => out.push_str("{}"),
            _ => self.node(out, value, indent + 2, indent + 2),
        }
    }

    fn is_shown_empty(&self, value: &Value) -> bool {
        match value {
            Value::List(list) => list.items.iter().all(|i| self.shown(i).is_none()),
            Value::Map(map) => map.entries().iter().all(|e| self.shown(&e.1).is_none()),
            Value::Template(template) => self.is_shown_empty(&template.source),
            _ => false,
        }
    }

    pub(crate) fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match text.strip_prefix("((!") {
            Some(rest) if self.unescape && text.ends_with("))") => format!("(({rest}").into(),
            _ if self.unescape && self.interpolation => interpolation::unescape(text).into(),
            _ => text.into(),
        }
    }

    /// The JSON text of a value.
    pub fn json(&self, value: &Value) -> String {
        let mut out = String::new();
        self.json_node(&mut out, value);
        out
    }

    fn json_node(&self, out: &mut String, value: &Value) {
        match value {
            Value::Null => out.push_str("null"),
            Value::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
            Value::Int(n) => integer(out, *n),
            Value::Float(x) if x.is_finite() => {
                out.push_str(&ordain_functions::float::to_go(*x));
            }
            Value::Float(_) => out.push_str("null"),
            Value::Str(s) => json_text(out, &self.text(s)),
            Value::Lambda(lambda) => {
                json_text(out, &format!("(( {} ))", lambda_text(self.exprs, lambda)));
            }
            Value::Template(template) => self.json_node(out, &template.source),
            Value::List(list) => {
                out.push('[');
                for (n, item) in list.items.iter().filter_map(|i| self.shown(i)).enumerate() {
                    out.push_str(if n > 0 { "," } else { "" });
                    self.json_node(out, item);
                }
                out.push(']');
            }
            Value::Map(map) => {
                out.push('{');
                let entries = map.entries().iter();
                let shown = entries.filter_map(|(k, i)| Some((k, self.shown(i)?)));
                for (n, (key, value)) in shown.enumerate() {
                    out.push_str(if n > 0 { "," } else { "" });
                    json_text(out, key);
                    out.push(':');
                    self.json_node(out, value);
                }
                out.push('}');
            }
        }
    }
}

/// Writes an integer without the formatting machinery.
fn integer(out: &mut String, n: i64) {
    const DIGITS: usize = 20;
    let mut digits = [0; DIGITS];
    let mut at = DIGITS;
    let mut rest = n.unsigned_abs();
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if n < 0 {
        out.push('-');
    }
    out.push_str(std::str::from_utf8(&digits[at..]).unwrap_or_default());
}

enum Block {
    None,
    List,
    Map,
}

fn block(value: &Value) -> Block {
    match value {
        Value::List(_) => Block::List,
        Value::Map(_) => Block::Map,
        Value::Template(template) => block(&template.source),
        _ => Block::None,
    }
}

pub(crate) fn unescape_key(key: &str) -> Cow<'_, str> {
    match key {
        "<<!" => "<<".into(),
        "<<<!" => "<<<".into(),
        _ => match key.strip_prefix("<<!") {
            Some(rest) if !rest.is_empty() => format!("<<{rest}").into(),
            _ => key.into(),
        },
    }
}

fn new_line(out: &mut String, indent: usize) {
    if !out.ends_with('\n') {
        out.push('\n');
    }
    blanks(out, indent);
}

/// Writes a number of spaces.
fn blanks(out: &mut String, mut count: usize) {
    const MANY: &str = "                                                                ";
    while count > MANY.len() {
        out.push_str(MANY);
        count -= MANY.len();
    }
    out.push_str(&MANY[..count]);
}

/// A text in JSON, with the characters escaped that Go escapes.
fn json_text(out: &mut String, text: &str) {
    let special = |c| matches!(c, '<' | '>' | '&' | '\u{2028}' | '\u{2029}');
    json::quote(text, out, |c| special(c).then_some(Escape::Code));
}

#[cfg(test)]
mod tests {
    #[test]
    fn whole_numbers_are_written_in_full() {
        for n in [0, 7, -1, 10, 1_000_000, i64::MAX, i64::MIN] {
            let mut out = String::new();
            super::integer(&mut out, n);
            assert_eq!(out, n.to_string());
        }
    }
}
