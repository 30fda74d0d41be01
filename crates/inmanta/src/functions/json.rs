//! JSON in the format of Python's module `json`.

use ecow::EcoString;
use num_bigint::BigInt;

use super::entry::{Entry, Outcome, plain, string};
use crate::diagnostics::Exception;
use crate::model::plugin::{Arguments, Context, Stop};
use crate::value::{Dict, ObjectKind, Value, float_text};

pub(super) const TABLE: &[Entry] = &[
    plain("json_loads", "s: string", "any", loads),
    plain("json_dumps", "obj: any", "string", dumps),
];

/// The limit for nested values.
const MAX_DEPTH: usize = 500;

fn loads(_: &mut dyn Context, arguments: &Arguments) -> Outcome {
    let chars: Vec<char> = string(arguments, 0).chars().collect();
    let mut reader = Reader { chars, at: 0, depth: 0 };
    reader.skip();
    let value = reader.value()?;
    reader.skip();
    match reader.at == reader.chars.len() {
        true => Ok(value),
        false => Err(reader.fail("Extra data", reader.at)),
    }
}

struct Reader {
    chars: Vec<char>,
    at: usize,
    depth: usize,
}

impl Reader {
    fn fail(&self, what: &str, at: usize) -> Stop {
        let before = &self.chars[..at.min(self.chars.len())];
        let line = 1 + before.iter().filter(|&&c| c == '\n').count();
        let column = at - before.iter().rposition(|&c| c == '\n').map_or(0, |n| n + 1) + 1;
        let text = format!("{what}: line {line} column {column} (char {at})");
        Stop::raised(Exception::JsonDecodeError, text)
    }

    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn skip(&mut self) {
        while matches!(self.peek(), Some(' ' | '\t' | '\n' | '\r')) {
            self.at += 1;
        }
    }

    fn word(&mut self, word: &str) -> bool {
        let found = word.chars().enumerate().all(|(i, c)| self.chars.get(self.at + i) == Some(&c));
        if found {
            self.at += word.len();
        }
        found
    }

    fn value(&mut self) -> Outcome {
        match self.peek() {
            Some('"') => {
                self.at += 1;
                self.string().map(Value::Str)
            }
            Some('{') => self.nested(Self::object),
            Some('[') => self.nested(Self::array),
            Some('n') if self.word("null") => Ok(Value::Null),
            Some('t') if self.word("true") => Ok(Value::Bool(true)),
            Some('f') if self.word("false") => Ok(Value::Bool(false)),
            Some('N') if self.word("NaN") => Ok(Value::Float(f64::NAN)),
            Some('I') if self.word("Infinity") => Ok(Value::Float(f64::INFINITY)),
            Some('-') if self.word("-Infinity") => Ok(Value::Float(f64::NEG_INFINITY)),
            Some('-' | '0'..='9') => self.number(),
            _ => Err(self.fail("Expecting value", self.at)),
        }
    }

    fn nested(&mut self, read: fn(&mut Self) -> Outcome) -> Outcome {
        if self.depth >= MAX_DEPTH {
            let text = "maximum recursion depth exceeded while decoding a JSON document";
            return Err(Stop::raised(Exception::RecursionError, text));
        }
        self.depth += 1;
        self.at += 1;
        self.skip();
        let value = read(self)?;
        self.depth -= 1;
        Ok(value)
    }

    fn number(&mut self) -> Outcome {
        let start = self.at;
        let digits = |this: &mut Self| {
            let from = this.at;
            while this.peek().is_some_and(|c| c.is_ascii_digit()) {
                this.at += 1;
            }
            this.at - from
        };
        if self.peek() == Some('-') {
            self.at += 1;
        }
        if self.peek() == Some('0') {
            self.at += 1;
        } else if digits(self) == 0 {
            return Err(self.fail("Expecting value", start));
        }
        let mut is_float = false;
        let mut end = self.at;
        if self.peek() == Some('.') {
            self.at += 1;
            if digits(self) > 0 {
                (is_float, end) = (true, self.at);
            }
        }
        self.at = end;
        if matches!(self.peek(), Some('e' | 'E')) {
            self.at += 1;
            if matches!(self.peek(), Some('+' | '-')) {
                self.at += 1;
            }
            if digits(self) > 0 {
                (is_float, end) = (true, self.at);
            }
        }
        self.at = end;
        let text: String = self.chars[start..end].iter().collect();
        if is_float {
            return Ok(Value::Float(text.parse().unwrap_or(f64::NAN)));
        }
        match text.parse::<i64>() {
            Ok(number) => Ok(Value::Int(number)),
            Err(_) if text.len() > 4300 => {
                let text = "Exceeds the limit (4300 digits) for integer string conversion";
                Err(Stop::raised(Exception::ValueError, text))
            }
            Err(_) => Ok(Value::int(text.parse::<BigInt>().unwrap_or_default())),
        }
    }

    fn string(&mut self) -> Result<EcoString, Stop> {
        let begin = self.at - 1;
        let mut out = EcoString::new();
        loop {
            let Some(c) = self.peek() else {
                return Err(self.fail("Unterminated string starting at", begin));
            };
            self.at += 1;
            match c {
                '"' => return Ok(out),
                '\\' => out.push(self.escape(begin)?),
                c if (c as u32) < 0x20 => {
                    return Err(self.fail("Invalid control character at", self.at - 1));
                }
                c => out.push(c),
            }
        }
    }

    fn escape(&mut self, begin: usize) -> Result<char, Stop> {
        let Some(c) = self.peek() else {
            return Err(self.fail("Unterminated string starting at", begin));
        };
        self.at += 1;
        Ok(match c {
            '"' | '\\' | '/' => c,
            'b' => '\x08',
            'f' => '\x0c',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => {
                let high = self.hex()?;
                let is_pair = (0xd800..0xdc00).contains(&high)
                    && self.chars.get(self.at) == Some(&'\\')
                    && self.chars.get(self.at + 1) == Some(&'u');
                let mut code = high;
                if is_pair {
                    let back = self.at;
                    self.at += 2;
                    let low = self.hex()?;
                    match (0xdc00..0xe000).contains(&low) {
                        true => code = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00),
                        false => self.at = back,
                    }
                }
                char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            _ => return Err(self.fail("Invalid \\escape", self.at - 2)),
        })
    }

    fn hex(&mut self) -> Result<u32, Stop> {
        let digits: Option<u32> = (0..4)
            .try_fold(0, |code, i| Some(code * 16 + self.chars.get(self.at + i)?.to_digit(16)?));
        let code = digits.ok_or_else(|| self.fail("Invalid \\uXXXX escape", self.at - 1))?;
        self.at += 4;
        Ok(code)
    }

    fn array(&mut self) -> Outcome {
        let mut out = Vec::new();
        if self.peek() == Some(']') {
            self.at += 1;
            return Ok(Value::list(out));
        }
        loop {
            out.push(self.value()?);
            self.skip();
            let comma = self.at;
            self.at += 1;
            match self.chars.get(comma) {
                Some(']') => return Ok(Value::list(out)),
                Some(',') => {}
                _ => return Err(self.fail("Expecting ',' delimiter", comma)),
            }
            self.skip();
            if self.peek() == Some(']') {
                return Err(self.fail("Illegal trailing comma before end of array", comma));
            }
        }
    }

    fn object(&mut self) -> Outcome {
        const NAME: &str = "Expecting property name enclosed in double quotes";
        let mut out = Dict::default();
        if self.peek() == Some('}') {
            self.at += 1;
            return Ok(Value::Dict(out.into()));
        }
        loop {
            if self.peek() != Some('"') {
                return Err(self.fail(NAME, self.at));
            }
            self.at += 1;
            let key = self.string()?;
            self.skip();
            if self.peek() != Some(':') {
                return Err(self.fail("Expecting ':' delimiter", self.at));
            }
            self.at += 1;
            self.skip();
            let value = self.value()?;
            out.insert(key, value);
            self.skip();
            let comma = self.at;
            self.at += 1;
            match self.chars.get(comma) {
                Some('}') => return Ok(Value::Dict(out.into())),
                Some(',') => {}
                _ => return Err(self.fail("Expecting ',' delimiter", comma)),
            }
            self.skip();
            if self.peek() == Some('}') {
                return Err(self.fail("Illegal trailing comma before end of object", comma));
            }
        }
    }
}

fn dumps(context: &mut dyn Context, arguments: &Arguments) -> Outcome {
    let mut out = String::new();
    write(context, arguments.get(0), true, &mut out)?;
    Ok(Value::str(out))
}

/// Writes a value. A value that plugins get as a proxy prints its items as a list; tuples keep
/// Python's own format.
fn write(
    context: &mut dyn Context,
    value: &Value,
    is_handed: bool,
    out: &mut String,
) -> Result<(), Stop> {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Float(number) if number.is_nan() => out.push_str("NaN"),
        Value::Float(number) if number.is_infinite() => {
            out.push_str(if *number > 0.0 { "Infinity" } else { "-Infinity" });
        }
        Value::Float(number) => out.push_str(&float_text(*number)),
        Value::Int(_) | Value::BigInt(_) => value.write_repr(out, context),
        Value::Str(text) => write_text(text, out),
        Value::List(items) => write_list(context, items, is_handed, out)?,
        Value::Dict(entries) => {
            out.push('{');
            for (index, (key, item)) in entries.iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                write_text(key, out);
                out.push_str(": ");
                write(context, item, is_handed, out)?;
            }
            out.push('}');
        }
        Value::Unknown(_) => return Err(Stop::Unknown(value.clone())),
        Value::Object(object) => match &object.sort {
            ObjectKind::Tuple(items) => write(context, items, false, out)?,
            ObjectKind::Items(items) if is_handed => write(context, items, true, out)?,
            ObjectKind::Bytes(bytes) if is_handed => {
                let items: Vec<String> = bytes.iter().map(u8::to_string).collect();
                out.push_str(&format!("[{}]", items.join(", ")));
            }
            _ if is_handed => return Err(not_serializable(&object.handed)),
            _ => return Err(not_serializable(&object.repr)),
        },
        Value::Instance(_) | Value::Reference(_) => {
            return Err(not_serializable(&super::python::python_repr(value, context)));
        }
    }
    Ok(())
}

fn write_list(
    context: &mut dyn Context,
    items: &[Value],
    is_handed: bool,
    out: &mut String,
) -> Result<(), Stop> {
    out.push('[');
    for (index, item) in items.iter().enumerate() {
        out.push_str(if index > 0 { ", " } else { "" });
        write(context, item, is_handed, out)?;
    }
    out.push(']');
    Ok(())
}

fn not_serializable(shown: &str) -> Stop {
    Stop::raised(Exception::TypeError, format!("{shown} is not JSON serializable"))
}

/// Appends a quoted text, with all characters beyond ASCII escaped.
pub(crate) fn write_text(text: &str, out: &mut String) {
    out.push('"');
    let mut rest = text;
    while let Some(at) = rest.find(|c| !matches!(c, ' '..='~') || matches!(c, '"' | '\\')) {
        out.push_str(&rest[..at]);
        let mut chars = rest[at..].chars();
        match chars.next().unwrap_or_default() {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\x08' => out.push_str("\\b"),
            '\x0c' => out.push_str("\\f"),
            c => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    out.push_str(&format!("\\u{unit:04x}"));
                }
            }
        }
        rest = chars.as_str();
    }
    out.push_str(rest);
    out.push('"');
}
