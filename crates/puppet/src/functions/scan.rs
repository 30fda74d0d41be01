//! Ruby's `String#scanf`.

use crate::eval::error::{EvalResult, plain as fail};
use crate::value::Value;

/// One part of a format.
enum Part {
    Blank,
    Char(char),
    Field { kind: char, width: Option<usize>, keep: bool, set: String },
}

fn parts(format: &str) -> EvalResult<Vec<Part>> {
    let mut out = Vec::new();
    let mut chars = format.chars().peekable();
    while let Some(c) = chars.next() {
        if c.is_ascii_whitespace() {
            out.push(Part::Blank);
            continue;
        }
        if c != '%' {
            out.push(Part::Char(c));
            continue;
        }
        let keep = chars.next_if_eq(&'*').is_none();
        let mut width = None;
        while let Some(digit) = chars.peek().and_then(|c| c.to_digit(10)) {
            width = Some(width.unwrap_or(0usize).saturating_mul(10).saturating_add(digit as usize));
            chars.next();
        }
        let mut kind = chars.next();
        if matches!(kind, Some('h' | 'l' | 'L')) {
            kind = chars.next();
        }
        match kind {
            Some('%') => out.push(Part::Char('%')),
            Some('[') => {
                let mut set = String::new();
                set.extend(chars.next_if_eq(&'^'));
                set.extend(chars.next());
                loop {
                    match chars.next() {
                        Some(']') => break,
                        Some(c) => set.push(c),
                        None => return fail("scanf(): the set in the format is not closed"),
                    }
                }
                out.push(Part::Field { kind: '[', width, keep, set });
            }
            Some(
                kind @ ('d' | 'u' | 'i' | 'x' | 'X' | 'o' | 'f' | 'g' | 'e' | 'a' | 'A' | 'E' | 'F'
                | 'G' | 's' | 'c'),
            ) => {
                out.push(Part::Field { kind, width, keep, set: String::new() });
            }
            _ => {
                out.push(Part::Char('%'));
                out.extend(kind.map(Part::Char));
            }
        }
    }
    Ok(out)
}

/// The values that a format reads from a text, up to the first that does not fit.
///
/// # Errors
/// When the format is broken.
pub fn scan(text: &str, format: &str) -> EvalResult<Vec<Value>> {
    let mut values = Vec::new();
    let mut rest = text;
    for part in parts(format)? {
        match part {
            Part::Blank => rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace()),
            Part::Char(c) => match rest.strip_prefix(c) {
                Some(after) => rest = after,
                None => break,
            },
            Part::Field { kind, width, keep, set } => {
                let Some((value, after)) = field(rest, kind, width, &set) else { break };
                rest = after;
                if keep {
                    values.push(value);
                }
            }
        }
    }
    Ok(values)
}

fn field<'t>(
    text: &'t str,
    kind: char,
    width: Option<usize>,
    set: &str,
) -> Option<(Value, &'t str)> {
    let text = match kind {
        'c' | '[' => text,
        _ => text.trim_start_matches(|c: char| c.is_ascii_whitespace()),
    };
    let limit = width.unwrap_or(if kind == 'c' { 1 } else { usize::MAX });
    let end = text.char_indices().nth(limit).map_or(text.len(), |(i, _)| i);
    let window = &text[..end];
    let taken = match kind {
        'c' => window.len(),
        's' => window.find(|c: char| c.is_ascii_whitespace()).unwrap_or(window.len()),
        '[' => window.find(|c| !in_set(set, c)).unwrap_or(window.len()),
        'd' | 'u' => sign_length(window) + digits(&window[sign_length(window)..], 10),
        'o' => sign_length(window) + digits(&window[sign_length(window)..], 8),
        'x' | 'X' => hex_length(window),
        'i' => any_integer_length(window),
        _ => float_length(window),
    };
    if taken == 0 {
        return None;
    }
    let found = &window[..taken];
    let value = match kind {
        'c' | 's' | '[' => Value::str(found),
        'd' | 'u' => Value::Int(integer(found, 10)?),
        'o' => Value::Int(integer(found, 8)?),
        'x' | 'X' => Value::Int(integer(&found.replacen("0x", "", 1).replacen("0X", "", 1), 16)?),
        'i' => Value::Int(any_integer(found)?),
        _ => Value::Float(found.parse().ok()?),
    };
    Some((value, &text[taken..]))
}

fn in_set(set: &str, c: char) -> bool {
    let (negated, set) = match set.strip_prefix('^') {
        Some(rest) => (true, rest),
        None => (false, set),
    };
    let chars: Vec<char> = set.chars().collect();
    let mut i = 0;
    let mut found = false;
    while i < chars.len() {
        if i + 2 < chars.len() && chars[i + 1] == '-' {
            found |= (chars[i]..=chars[i + 2]).contains(&c);
            i += 3;
        } else {
            found |= chars[i] == c;
            i += 1;
        }
    }
    found != negated
}

fn sign_length(text: &str) -> usize {
    usize::from(text.starts_with(['-', '+']))
}

fn digits(text: &str, base: u32) -> usize {
    text.find(|c: char| !c.is_digit(base)).unwrap_or(text.len())
}

fn hex_length(text: &str) -> usize {
    let sign = sign_length(text);
    let rest = &text[sign..];
    let mark = if rest.starts_with("0x") || rest.starts_with("0X") { 2 } else { 0 };
    let count = digits(&rest[mark..], 16);
    if count == 0 { sign + digits(rest, 16) } else { sign + mark + count }
}

fn any_integer_length(text: &str) -> usize {
    let sign = sign_length(text);
    let rest = &text[sign..];
    if rest.starts_with("0x") || rest.starts_with("0X") {
        return hex_length(text);
    }
    sign + digits(rest, if rest.starts_with('0') { 8 } else { 10 })
}

fn any_integer(text: &str) -> Option<i64> {
    let rest = &text[sign_length(text)..];
    if rest.starts_with("0x") || rest.starts_with("0X") {
        integer(&text.replacen("0x", "", 1).replacen("0X", "", 1), 16)
    } else {
        integer(text, if rest.starts_with('0') { 8 } else { 10 })
    }
}

fn integer(text: &str, base: u32) -> Option<i64> {
    i64::from_str_radix(text, base).ok()
}

fn float_length(text: &str) -> usize {
    let sign = sign_length(text);
    let mut end = sign + digits(&text[sign..], 10);
    let mut has_digits = end > sign;
    if text[end..].starts_with('.') {
        let after = digits(&text[end + 1..], 10);
        has_digits |= after > 0;
        end += if has_digits { 1 + after } else { 0 };
    }
    if !has_digits {
        return 0;
    }
    if text[end..].starts_with(['e', 'E']) {
        let rest = &text[end + 1..];
        let count = digits(&rest[sign_length(rest)..], 10);
        if count > 0 {
            end += 1 + sign_length(rest) + count;
        }
    }
    end
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn formats_read_values() {
        let values = scan("x 42 -0x1f 1.5e2 word", "x %d %i %f %3s").unwrap();
        let expected = [Value::Int(42), Value::Int(-31), Value::Float(150.0), Value::str("wor")];
        assert_eq!(values, expected);
        assert_eq!(scan("abc1", "%[a-c]%*c%d").unwrap(), [Value::str("abc")]);
    }
}
