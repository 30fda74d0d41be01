//! Texts of the Puppet language for translations.

use crate::exchange::migrate::translate::code::{Code, KnownType, Outcome};
use ordain_puppet::value::quoting::write_text_quoted;
use ordain_ruby::tree::Tree;

/// A part of a chain of `and` or `or`.
pub(crate) fn side(code: &Code, word: &str) -> String {
    let other = if word == "and" { " or " } else { " and " };
    let is_plain = code.kind == KnownType::Boolean
        && !code.text.contains(other)
        && !code.text.starts_with("if ");
    if is_plain { code.text.clone() } else { code.operand() }
}

pub(crate) fn matches(text: &Code, sign: &str, pattern: &Code) -> Code {
    Code::operation(format!("{} {sign} {}", text.operand(), pattern.text), KnownType::Boolean)
}

pub(crate) fn is_literal(tree: &Tree) -> bool {
    matches!(
        tree,
        Tree::Nil | Tree::Bool(_) | Tree::Int(_) | Tree::Float(_) | Tree::Str(_) | Tree::Symbol(_)
    )
}

pub(crate) fn range(low: &Tree, high: &Tree, is_open: bool) -> Outcome<String> {
    match (low, high) {
        (Tree::Int(low), Tree::Int(high)) => {
            Ok(format!("Integer[{low}, {}]", high - i64::from(is_open)))
        }
        _ => Err("a range of other than integers".to_owned()),
    }
}

/// The type of the instances of a class.
pub(crate) fn class_type(class: &str) -> Outcome<String> {
    Ok(match class.trim_start_matches("::") {
        "String" | "Symbol" => "String",
        "Integer" | "Fixnum" | "Bignum" => "Integer",
        "Float" => "Float",
        "Numeric" => "Numeric",
        "Array" => "Array",
        "Hash" => "Hash",
        "TrueClass" => "Boolean[true]",
        "FalseClass" => "Boolean[false]",
        "NilClass" => "Undef",
        "Regexp" => "Regexp",
        other => return Err(format!("the class {other}")),
    }
    .to_owned())
}

/// A text in quotes.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::new();
    write_text_quoted(&mut out, text);
    out
}

pub(crate) fn escape(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '"' | '\\' | '$' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            _ => out.push(c),
        }
    }
}

pub(crate) fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// A regular expression with its flags.
pub(crate) fn regex(source: &str, flags: &str) -> Outcome<String> {
    if source.contains(['\n', '\r']) {
        return Err("a pattern of several lines".to_owned());
    }
    let mut out = String::from("/");
    if !flags.is_empty() {
        let off: String = "mix".chars().filter(|flag| !flags.contains(*flag)).collect();
        let off = if off.is_empty() { String::new() } else { format!("-{off}") };
        out.push_str(&format!("(?{flags}{off}:"));
    }
    let mut chars = source.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                out.push('\\');
                out.extend(chars.next());
            }
            '/' => out.push_str("\\/"),
            c => out.push(c),
        }
    }
    out.push_str(if flags.is_empty() { "/" } else { ")/" });
    // A text that is no pattern here cannot be written down as one.
    let inner = &out[1..out.len() - 1];
    match ordain_puppet::types::Regexp::new(inner.replace("\\/", "/")).regex() {
        Ok(_) => Ok(out),
        Err(_) => Err(format!("the pattern /{source}/")),
    }
}

/// A text as it is in a pattern.
pub(crate) fn literal_pattern(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if !c.is_alphanumeric() && c != '_' && c != ' ' && c.is_ascii() {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
