//! A syntax tree for people and as JSON, made from its S-expression form.

use serde_json::{Value as Json, json};

/// A part of an S-expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Token<'t> {
    Open(char),
    Close,
    Atom(&'t str),
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            open @ (b'(' | b'[' | b'{') => out.push(Token::Open(char::from(open))),
            b')' | b']' | b'}' => out.push(Token::Close),
            b' ' => {}
            _ => {
                let end = atom_end(bytes, at);
                out.push(Token::Atom(&text[at..end]));
                at = end;
                continue;
            }
        }
        at += 1;
    }
    out
}

/// Where a word or quoted text ends.
fn atom_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    if bytes[start] != b'"' {
        while at < bytes.len() && !matches!(bytes[at], b' ' | b')' | b']' | b'}') {
            at += 1;
        }
        return at;
    }
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(bytes.len())
}

/// The tree with a line a node, indented.
pub fn indented(pn: &str) -> String {
    let mut out = String::new();
    let mut depth = 0_usize;
    let mut fresh = true;
    let tokens = tokens(pn);
    for (i, token) in tokens.iter().enumerate() {
        match token {
            Token::Open(kind) => {
                if !out.is_empty() {
                    out.push('\n');
                }
                out.extend(std::iter::repeat_n("  ", depth));
                if *kind != '(' {
                    out.push_str(if *kind == '[' { "[]" } else { "{}" });
                }
                depth += 1;
                fresh = *kind == '(';
            }
            Token::Close => {
                depth = depth.saturating_sub(1);
                fresh = false;
            }
            Token::Atom(text) => {
                let after_close = i > 0 && tokens[i - 1] == Token::Close;
                if after_close || (text.starts_with(':') && !fresh) {
                    out.push('\n');
                    out.extend(std::iter::repeat_n("  ", depth));
                } else if !fresh && !out.is_empty() {
                    out.push(' ');
                }
                out.push_str(text);
                fresh = false;
            }
        }
    }
    out.push('\n');
    out
}

/// The tree as JSON, as Puppet's own dumper writes it: a call is `{"^": [name, …]}`, a map is
/// `{"#": [key, value, …]}`, a list is a list.
pub fn json(pn: &str) -> Json {
    let mut stack: Vec<(char, Vec<Json>)> = vec![('[', Vec::new())];
    for token in tokens(pn) {
        let done = match token {
            Token::Open(kind) => {
                stack.push((kind, Vec::new()));
                continue;
            }
            Token::Atom(text) => atom(text),
            Token::Close => match stack.pop() {
                Some(('(', items)) => json!({ "^": items }),
                Some(('{', items)) => json!({ "#": items }),
                Some((_, items)) => Json::Array(items),
                None => Json::Null,
            },
        };
        if let Some((_, items)) = stack.last_mut() {
            items.push(done);
        }
    }
    stack.pop().and_then(|(_, items)| items.into_iter().next()).unwrap_or_default()
}

fn atom(text: &str) -> Json {
    if let Some(quoted) = text.strip_prefix('"') {
        return Json::String(unquoted(quoted.strip_suffix('"').unwrap_or(quoted)));
    }
    match text {
        "nil" => Json::Null,
        "true" => Json::Bool(true),
        "false" => Json::Bool(false),
        _ => {
            let number = text.parse::<i64>().map(Json::from).ok();
            let float = || text.parse::<f64>().ok().filter(|_| is_number(text)).map(Json::from);
            number
                .or_else(float)
                .unwrap_or_else(|| Json::from(text.strip_prefix(':').unwrap_or(text)))
        }
    }
}

fn is_number(text: &str) -> bool {
    text.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit())
}

fn unquoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('t') => out.push('\t'),
            Some('n') => out.push('\n'),
            Some('r') => out.push('\r'),
            Some('o') => {
                let digits: String = chars.by_ref().take(3).collect();
                let code = u32::from_str_radix(&digits, 8).ok().and_then(char::from_u32);
                out.extend(code);
            }
            Some(other) => out.push(other),
            None => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_agree() {
        let pn = r#"(= (var "a\n") {:x [1 -2.5 nil]})"#;
        let want = json!({ "^": ["=", { "^": ["var", "a\n"] }, { "#": ["x", [1, -2.5, null]] }] });
        assert_eq!(json(pn), want);
        assert!(indented(pn).starts_with("=\n  var \"a\\n\""));
    }
}
