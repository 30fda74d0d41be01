//! Texts with embedded expressions: `a (( b )) c`.

use ecow::EcoString;

use crate::syntax::ast::{BinaryOp, Expr, ExprId, Exprs};

/// A piece of a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Part {
    /// Text as it stands.
    Text(EcoString),
    /// The text between double brackets, and its start in the whole text.
    Expr(EcoString, usize),
}

/// The parts of a text; `None` if it contains no expression.
pub fn split(text: &str) -> Option<Vec<Part>> {
    let mut parts = Vec::new();
    let mut plain = EcoString::new();
    let mut rest = text;
    while let Some(at) = rest.find("((") {
        // The last two brackets of a run open an expression. An unclosed expression and the rest of
        // the text are plain text.
        let run = rest[at..].bytes().take_while(|b| *b == b'(').count();
        let at = at + run - 2;
        let Some(len) = end(&rest[at + 2..]).filter(|len| *len > 0) else { break };
        let inner = &rest[at + 2..at + 2 + len];
        plain.push_str(&rest[..at]);
        if inner.starts_with('!') {
            plain.push_str(&rest[at..at + len + 4]);
        } else {
            if !plain.is_empty() {
                parts.push(Part::Text(std::mem::take(&mut plain)));
            }
            let begin = text.len() - rest.len() + at + 2;
            parts.push(Part::Expr(inner.into(), begin));
        }
        rest = &rest[at + len + 4..];
    }
    if parts.is_empty() {
        return None;
    }
    plain.push_str(rest);
    if !plain.is_empty() {
        parts.push(Part::Text(plain));
    }
    Some(parts)
}

/// Removes one `!` from each escaped expression in a text.
pub fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("((!") {
        let (before, behind) = rest.split_at(at + 2);
        out.push_str(before);
        rest = if end(behind).is_some() { &behind[1..] } else { behind };
    }
    out + rest
}

/// Whether the whole text is one pair of double brackets.
pub fn is_single(text: &str) -> bool {
    text.get(2..).and_then(end).is_some_and(|len| len + 4 == text.len())
}

/// The length up to the closing `))`.
fn end(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut depth = 0usize;
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at += 1;
                while at < bytes.len() && bytes[at] != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
            }
            b'(' => depth += 1,
            b')' if depth > 0 => depth -= 1,
            b')' if bytes.get(at + 1) == Some(&b')') => return Some(at),
            b')' => return None,
            _ => {}
        }
        at += 1;
    }
    None
}

/// The concatenation of expressions. A single one is joined to an empty text, so that the result is
/// a text, too.
pub fn join(exprs: &mut Exprs, parts: &[ExprId]) -> ExprId {
    let mut parts = parts.iter().copied();
    let first = parts.next();
    let Some(mut left) = first else { return exprs.push(Expr::Str(EcoString::new()), 0, 0) };
    for right in parts {
        left = exprs.push(Expr::Binary(BinaryOp::Concat, left, right), 0, 0);
    }
    left
}
