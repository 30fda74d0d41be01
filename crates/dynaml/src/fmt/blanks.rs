//! Blanks inside of expressions.

use crate::syntax::ast::Exprs;
use crate::syntax::parser::parse;
use crate::syntax::print::print;
use crate::value::is_expression;

/// The new form of a scalar with an expression, as written, with its quotes. `None` if it stays.
pub(super) fn scalar(written: &str) -> Option<String> {
    if written.contains(['\n', '\r']) {
        return None;
    }
    let quote = written.chars().next().filter(|c| matches!(c, '"' | '\''));
    let (quote, text) = match quote {
        Some(quote) => {
            let inner = written.strip_prefix(quote)?.strip_suffix(quote)?;
            // An escape or a doubled quote is more than one character of the expression.
            let is_plain = !inner.contains(['\\', quote]);
            (quote.to_string(), is_plain.then_some(inner)?)
        }
        None => (String::new(), written),
    };
    let inner = text.strip_prefix("((")?.strip_suffix("))")?;
    let new = expression(inner)?;
    Some(format!("{quote}(({new})){quote}"))
}

/// Whether two scalars are the same expression.
pub(super) fn are_same(one: &str, other: &str) -> bool {
    let inner = |text: &str| {
        let inner = is_expression(text).then(|| text.get(2..text.len() - 2).map(str::to_owned))?;
        canonical(&inner?)
    };
    let one = inner(one);
    one.is_some() && one == inner(other)
}

fn canonical(inner: &str) -> Option<String> {
    let mut exprs = Exprs::default();
    let id = parse(inner, &mut exprs).ok()?;
    Some(print(&exprs, id))
}

/// The new form of an expression with a blank at both ends. `None` if it does not parse. A template,
/// which spiff prints as it is written, stays.
fn expression(inner: &str) -> Option<String> {
    let wanted = canonical(inner)?;
    if inner.trim_start().starts_with('&') {
        return None;
    }
    let single = with_single_blanks(inner);
    let candidates = [format!(" {} ", around_signs(&single)), format!(" {single} ")];
    candidates.into_iter().find(|new| canonical(new).as_deref() == Some(&wanted))
}

/// The text without blanks at its ends, and with one blank in place of several outside of texts.
fn with_single_blanks(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    each(text.trim_matches([' ', '\t']), |c, in_text| match matches!(c, ' ' | '\t') && !in_text {
        true if out.ends_with(' ') => {}
        true => out.push(' '),
        false => out.push(c),
    });
    out
}

/// The text with a blank behind commas, and none before them and inside of brackets.
fn around_signs(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut before, mut is_text) = (' ', false);
    each(text, |c, in_text| {
        let was_text = std::mem::replace(&mut is_text, in_text);
        if in_text || was_text && c == '"' {
            if !was_text && before == ',' {
                out.push(' ');
            }
            before = c;
            return out.push(c);
        }
        match c {
            ',' | ')' | ']' if before == ' ' => {
                out.pop();
            }
            ' ' if matches!(before, '(' | '[') => return,
            _ if before == ',' && c != ' ' => out.push(' '),
            _ => {}
        }
        out.push(c);
        before = c;
    });
    out
}

/// Calls a function with each character and whether it is inside of a text, with the quote that
/// opens it.
fn each(text: &str, mut call: impl FnMut(char, bool)) {
    let (mut in_text, mut is_escaped) = (false, false);
    for c in text.chars() {
        match (in_text, c) {
            (true, '"') if !is_escaped => in_text = false,
            (false, '"') => {
                in_text = true;
                is_escaped = false;
                call(c, true);
                continue;
            }
            _ => {}
        }
        is_escaped = in_text && c == '\\' && !is_escaped;
        call(c, in_text);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn blanks_have_one_form() {
        for (before, after) in [
            ("((merge))", "(( merge ))"),
            ("((  a   b\t\"c  ,d\"  ))", "(( a b \"c  ,d\" ))"),
            ("(( join( \",\" ,x ) ))", "(( join(\",\", x) ))"),
            ("(( a   ||  b ))", "(( a || b ))"),
            ("'(( [ 1,2 ] ))'", "'(( [1, 2] ))'"),
            ("(( |x,y|->x + y ))", "(( |x, y|->x + y ))"),
            ("(( a.[1].b ))", "(( a.[1].b ))"),
            ("(( f (x) ))", "(( f (x) ))"),
        ] {
            assert_eq!(scalar(before).as_deref(), Some(after), "{before}");
            assert_eq!(scalar(after).as_deref(), Some(after), "{after}");
        }
        for same in [
            "((  &template ( a ) ))",
            "\"(( \\\"a\\\"  b ))\"",
            "((a b",
            "(( a\n  b ))",
            "((a||b))",
        ] {
            assert_eq!(scalar(same), None, "{same}");
        }
    }
}
