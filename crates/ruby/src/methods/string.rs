//! Methods that do not change texts.

use ordain_functions::text::{CharSet, capitalize, squeeze, successor, swapcase};

use crate::class::Class;
use crate::eval::Interp;
use crate::eval::args::Args;
use crate::eval::error::Eval;
use crate::eval::interp::{Method, e, m};
use crate::value::{Text, Value};

pub(super) const TABLE: &[Method] = &[
    m("to_s", 0, 0, |_, v, _| Ok(v.clone())),
    m("to_str", 0, 0, |_, v, _| Ok(v.clone())),
    m("length", 0, 0, length),
    m("size", 0, 0, length),
    m("bytesize", 0, 0, |_, v, _| Ok(Value::Int(text(v).len() as i64))),
    m("empty?", 0, 0, |_, v, _| Ok(Value::Bool(text(v).is_empty()))),
    m("upcase", 0, 0, |i, v, _| i.text(text(v).to_uppercase())),
    m("downcase", 0, 0, |i, v, _| i.text(text(v).to_lowercase())),
    m("capitalize", 0, 0, |i, v, _| i.text(capitalize(&text(v)))),
    m("swapcase", 0, 0, |i, v, _| i.text(swapcase(&text(v)))),
    m("strip", 0, 0, |i, v, _| i.text(lstrip(rstrip(&text(v))))),
    m("lstrip", 0, 0, |i, v, _| i.text(lstrip(&text(v)))),
    m("rstrip", 0, 0, |i, v, _| i.text(rstrip(&text(v)))),
    m("chomp", 0, 1, |i, v, a| {
        let end = match a.opt(0) {
            Some(end) => Some(i.str(end)?),
            None => None,
        };
        i.text(chomp(&text(v), end.as_deref()))
    }),
    m("chop", 0, 0, |i, v, _| {
        let text = text(v);
        let mut chars = text.chars();
        chars.next_back();
        i.text(
            chars
                .as_str()
                .strip_suffix('\r')
                .filter(|_| text.ends_with("\r\n"))
                .unwrap_or(chars.as_str()),
        )
    }),
    m("chr", 0, 0, |i, v, _| i.text(text(v).chars().take(1).collect::<String>())),
    m("+", 1, 1, |i, v, a| {
        let mut out = text(v);
        out.push_str(&i.str(&a.list[0])?);
        i.text(out)
    }),
    m("*", 1, 1, |i, v, a| {
        let count = i.int(&a.list[0])?;
        let Ok(count) = usize::try_from(count) else {
            return i.raise(Class::ARGUMENT_ERROR, "argument must be non-negative");
        };
        let text = text(v);
        i.charge(text.len().saturating_mul(count))?;
        Ok(Value::str(text.repeat(count)))
    }),
    m("%", 1, 1, |i, v, a| {
        let values = match &a.list[0] {
            Value::Array(array) => array.get(),
            other => vec![other.clone()],
        };
        i.sprintf(&text(v), &values)
    }),
    m("include?", 1, 1, |i, v, a| Ok(Value::Bool(text(v).contains(i.str(&a.list[0])?.as_str())))),
    m("start_with?", 0, -1, start_with),
    m("end_with?", 0, -1, |i, v, a| {
        for end in &a.list {
            if text(v).ends_with(i.str(end)?.as_str()) {
                return Ok(Value::Bool(true));
            }
        }
        Ok(Value::Bool(false))
    }),
    m("delete_prefix", 1, 1, |i, v, a| {
        let (text, start) = (text(v), i.str(&a.list[0])?);
        i.text(text.strip_prefix(start.as_str()).unwrap_or(&text))
    }),
    m("delete_suffix", 1, 1, |i, v, a| {
        let (text, end) = (text(v), i.str(&a.list[0])?);
        i.text(text.strip_suffix(end.as_str()).unwrap_or(&text))
    }),
    m("lines", 0, 0, |i, v, _| {
        let text = text(v);
        texts(i, text.split_inclusive('\n'))
    }),
    e("each_line", 0, 0, |i, v, a| {
        let Some(block) = a.block.take() else { return Ok(Value::Nil) };
        for line in text(v).split_inclusive('\n') {
            let line = i.text(line)?;
            i.yield_one(&block, line)?;
        }
        Ok(v.clone())
    }),
    m("chars", 0, 0, |i, v, _| {
        let text = text(v);
        i.charge_items(text.len() * 2)?;
        Ok(Value::array(text.chars().map(|c| Value::str(c.to_string())).collect()))
    }),
    e("each_char", 0, 0, |i, v, a| {
        let Some(block) = a.block.take() else { return Ok(Value::Nil) };
        for c in text(v).chars() {
            i.yield_one(&block, Value::str(c.to_string()))?;
        }
        Ok(v.clone())
    }),
    m("bytes", 0, 0, |i, v, _| {
        let bytes = text(v).bytes().map(|b| Value::Int(i64::from(b))).collect();
        i.list(bytes)
    }),
    m("reverse", 0, 0, |i, v, _| i.text(text(v).chars().rev().collect::<String>())),
    m("center", 1, 2, |i, v, a| pad(i, v, a, |n| (n / 2, n - n / 2))),
    m("ljust", 1, 2, |i, v, a| pad(i, v, a, |n| (0, n))),
    m("rjust", 1, 2, |i, v, a| pad(i, v, a, |n| (n, 0))),
    m("to_i", 0, 1, |i, v, a| {
        let radix = if a.len() == 0 { 10 } else { i.int(&a.list[0])? };
        Ok(leading_integer(&text(v), radix))
    }),
    m("to_f", 0, 0, |_, v, _| Ok(Value::Float(leading_float(&text(v))))),
    m("to_sym", 0, 0, |_, v, _| Ok(Value::Symbol(text(v)))),
    m("intern", 0, 0, |_, v, _| Ok(Value::Symbol(text(v)))),
    m("hex", 0, 0, |_, v, _| {
        let text = text(v);
        let digits = text.trim_start_matches("0x");
        Ok(leading_integer(digits, 16))
    }),
    m("oct", 0, 0, |_, v, _| Ok(leading_integer(&text(v), 8))),
    m("ord", 0, 0, |i, v, _| match text(v).chars().next() {
        Some(c) => Ok(Value::Int(i64::from(u32::from(c)))),
        None => i.raise(Class::ARGUMENT_ERROR, "empty string"),
    }),
    m("succ", 0, 0, |i, v, _| i.text(successor(&text(v)))),
    m("next", 0, 0, |i, v, _| i.text(successor(&text(v)))),
    e("upto", 1, 2, |i, v, a| {
        let Some(block) = a.block.take() else { return Ok(Value::Nil) };
        let last = i.str(&a.list[0])?;
        for item in ordain_functions::text::range(&text(v), &last, a.get(1).truthy()) {
            let item = i.text(item)?;
            i.yield_one(&block, item)?;
        }
        Ok(v.clone())
    }),
    m("casecmp", 1, 1, |i, v, a| {
        let other = i.str(&a.list[0])?.to_ascii_lowercase();
        Ok(Value::Int(text(v).to_ascii_lowercase().cmp(&other) as i64))
    }),
    m("casecmp?", 1, 1, |i, v, a| {
        let other = i.str(&a.list[0])?.to_lowercase();
        Ok(Value::Bool(text(v).to_lowercase() == other))
    }),
    m("tr", 2, 2, |i, v, a| tr(i, v, a, false)),
    m("tr_s", 2, 2, |i, v, a| tr(i, v, a, true)),
    m("delete", 1, -1, |i, v, a| {
        let sets = sets(i, a)?;
        let in_all = |c: &char| sets.iter().all(|set| set.contains(*c));
        i.text(text(v).chars().filter(|c| !in_all(c)).collect::<String>())
    }),
    m("count", 1, -1, |i, v, a| {
        let sets = sets(i, a)?;
        let in_all = |c: &char| sets.iter().all(|set| set.contains(*c));
        Ok(Value::Int(text(v).chars().filter(in_all).count() as i64))
    }),
    m("squeeze", 0, 1, |i, v, a| {
        let set = sets(i, a)?;
        i.text(squeeze(&text(v), set.first()))
    }),
    m("encoding", 0, 0, |i, _, _| i.unsupported("encodings")),
    m("force_encoding", 1, 1, utf8_only),
    m("encode", 0, 2, utf8_only),
    m("unicode_normalize", 0, 1, |i, v, a| {
        if !text(v).is_ascii() { i.unsupported("`unicode_normalize'") } else { utf8_only(i, v, a) }
    }),
    m("valid_encoding?", 0, 0, |_, _, _| Ok(Value::Bool(true))),
    m("ascii_only?", 0, 0, |_, v, _| Ok(Value::Bool(text(v).is_ascii()))),
    m("shellescape", 0, 0, |i, v, _| i.text(ordain_functions::shell::escape(&text(v)))),
    m("shellsplit", 0, 0, |i, v, _| match ordain_functions::shell::split(&text(v)) {
        Ok(words) => texts(i, words.iter().map(String::as_str)),
        Err(error) => i.raise(Class::ARGUMENT_ERROR, error.to_string()),
    }),
    m("hash", 0, 0, |i, _, _| i.unsupported("`hash'")),
];

/// The text of a receiver.
pub(super) fn text(value: &Value) -> ecow::EcoString {
    value.as_text().unwrap_or_default()
}

/// An array of texts.
pub(super) fn texts<'t>(i: &mut Interp<'_>, all: impl Iterator<Item = &'t str>) -> Eval {
    let mut out = Vec::new();
    for text in all {
        out.push(i.text(text)?);
    }
    i.list(out)
}

fn length(_: &mut Interp<'_>, v: &Value, _: &mut Args) -> Eval {
    let text = text(v);
    Ok(Value::Int(if text.is_ascii() { text.len() } else { text.chars().count() } as i64))
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{b}' | '\u{c}')
}

pub(super) fn lstrip(text: &str) -> &str {
    text.trim_start_matches(is_blank)
}

pub(super) fn rstrip(text: &str) -> &str {
    text.trim_end_matches(|c| is_blank(c) || c == '\0')
}

pub(super) fn chomp<'t>(text: &'t str, end: Option<&str>) -> &'t str {
    match end {
        None => {
            let short = text.strip_suffix("\r\n").or_else(|| text.strip_suffix('\n'));
            short.or_else(|| text.strip_suffix('\r')).unwrap_or(text)
        }
        Some("") => text.trim_end_matches('\n'),
        Some(end) => text.strip_suffix(end).unwrap_or(text),
    }
}

fn start_with(i: &mut Interp<'_>, v: &Value, a: &mut Args) -> Eval {
    for start in &a.list {
        let found = match start {
            Value::Regexp(regexp) => {
                let found = regexp.regex.find(&text(v));
                matches!(found, Ok(Some(span)) if span.start == 0)
            }
            start => text(v).starts_with(i.str(start)?.as_str()),
        };
        if found {
            return Ok(Value::Bool(true));
        }
    }
    Ok(Value::Bool(false))
}

fn pad(i: &mut Interp<'_>, v: &Value, a: &mut Args, sides: fn(usize) -> (usize, usize)) -> Eval {
    let width = usize::try_from(i.int(&a.list[0])?).unwrap_or(0);
    let fill = match a.opt(1) {
        Some(fill) => i.str(fill)?,
        None => " ".into(),
    };
    if fill.is_empty() {
        return i.raise(Class::ARGUMENT_ERROR, "zero width padding");
    }
    let text = text(v);
    let length = text.chars().count();
    let missing = width.saturating_sub(length);
    i.charge(missing.saturating_mul(4))?;
    let (left, right) = sides(missing);
    let blank = |n: usize| fill.chars().cycle().take(n).collect::<String>();
    i.text(format!("{}{text}{}", blank(left), blank(right)))
}

/// The digits that `to_i` reads at the start of a text.
fn leading_integer(text: &str, radix: i64) -> Value {
    let Some(radix) = u32::try_from(radix).ok().filter(|r| (2..=36).contains(r)) else {
        return Value::Nil;
    };
    let text = lstrip(text);
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let prefix = match radix {
        16 => ["0x", "0X"],
        8 => ["0o", "0O"],
        2 => ["0b", "0B"],
        _ => ["", ""],
    };
    let rest = prefix.iter().find_map(|p| rest.strip_prefix(p)).unwrap_or(rest);
    let mut digits = String::from(sign);
    let mut may_underscore = false;
    for c in rest.chars().take(5000) {
        if c.is_digit(radix) {
            digits.push(c);
            may_underscore = true;
        } else if c == '_' && may_underscore {
            may_underscore = false;
        } else {
            break;
        }
    }
    num_bigint::BigInt::parse_bytes(digits.as_bytes(), radix).map_or(Value::Int(0), Value::big)
}

/// The number that `to_f` reads at the start of a text.
fn leading_float(text: &str) -> f64 {
    let text = lstrip(text).replace('_', "");
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let start = usize::from(bytes.first().is_some_and(|b| matches!(b, b'-' | b'+')));
    let whole = digits(start);
    if whole == 0 && bytes.get(start) != Some(&b'.') {
        return 0.0;
    }
    let mut end = start + whole;
    if bytes.get(end) == Some(&b'.') && digits(end + 1) > 0 {
        end += 1 + digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'-' | b'+')));
        if bytes.len() > end + 1 + sign && digits(end + 1 + sign) > 0 {
            end += 1 + sign + digits(end + 1 + sign);
        }
    }
    text[..end].parse().unwrap_or(0.0)
}

fn sets(i: &mut Interp<'_>, a: &Args) -> Eval<Vec<CharSet>> {
    let mut out = Vec::new();
    for set in &a.list {
        match CharSet::parse(&i.str(set)?) {
            Ok(set) => out.push(set),
            Err(error) => return i.raise(Class::ARGUMENT_ERROR, error.to_string()),
        }
    }
    Ok(out)
}

/// The characters of a `tr` list, with ranges expanded.
fn expand(i: &Interp<'_>, list: &str) -> Eval<Vec<char>> {
    let chars: Vec<char> = list.chars().collect();
    let (mut out, mut at) = (Vec::new(), 0);
    while at < chars.len() {
        let mut c = chars[at];
        if c == '\\' && at + 1 < chars.len() {
            at += 1;
            c = chars[at];
        }
        if at + 2 < chars.len() && chars[at + 1] == '-' {
            let last = chars[at + 2];
            if c > last {
                let text = format!("invalid range \"{c}-{last}\" in string transliteration");
                return i.raise(Class::ARGUMENT_ERROR, text);
            }
            out.extend(c..=last);
            at += 3;
        } else {
            out.push(c);
            at += 1;
        }
    }
    Ok(out)
}

fn tr(i: &mut Interp<'_>, v: &Value, a: &mut Args, squeezes: bool) -> Eval {
    let (from, to) = (i.str(&a.list[0])?, i.str(&a.list[1])?);
    let negated = from.len() > 1 && from.starts_with('^');
    let from = expand(i, if negated { &from[1..] } else { &from })?;
    let to = expand(i, &to)?;
    let (mut out, mut last) = (String::new(), None);
    for c in text(v).chars() {
        let at = from.iter().position(|f| *f == c);
        let new = match at {
            Some(at) if !negated => to.get(at).or(to.last()).copied(),
            None if negated => to.last().copied(),
            _ => {
                out.push(c);
                last = None;
                continue;
            }
        };
        if let Some(new) = new
            && !(squeezes && last == Some(new))
        {
            out.push(new);
        }
        last = new;
    }
    i.text(out)
}

fn utf8_only(i: &mut Interp<'_>, v: &Value, a: &mut Args) -> Eval {
    match a.opt(0).and_then(Value::as_text) {
        Some(name) if name.eq_ignore_ascii_case("utf-8") => Ok(v.clone()),
        None if a.len() == 0 => Ok(v.clone()),
        _ => i.unsupported("encodings"),
    }
}

impl Interp<'_> {
    /// Asks the host whether the array or hash of this number may change.
    pub(crate) fn host_allows(&mut self, number: usize) -> bool {
        number == 0 || self.host.may_change(number)
    }

    /// Checks that a text may change.
    pub(crate) fn may_change(&mut self, text: &Text) -> Eval<()> {
        if text.is_frozen.get() || text.is_shared.get() && !self.host.may_change(0) {
            let shown = ordain_functions::text::inspect_ruby(&text.text.borrow());
            return self.raise(Class::FROZEN_ERROR, format!("can't modify frozen String: {shown}"));
        }
        Ok(())
    }
}
