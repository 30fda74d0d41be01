//! Regular expressions for JSON Schema: the subset of ECMA-262 that validators in other languages
//! support, too.

/// A pattern of Ruby in that dialect; nothing if it has something that the dialect lacks.
pub(super) fn ecma(pattern: &str) -> Option<String> {
    let mut out = String::new();
    let mut chars = pattern.chars().peekable();
    let mut in_class = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' => escape(&mut out, chars.next()?, in_class)?,
            '[' if in_class => return None,
            '[' => {
                in_class = true;
                out.push('[');
                if chars.next_if_eq(&'^').is_some() {
                    out.push('^');
                }
                if chars.peek() == Some(&']') {
                    return None;
                }
            }
            ']' if in_class => {
                in_class = false;
                out.push(']');
            }
            '&' if in_class && chars.peek() == Some(&'&') => return None,
            _ if in_class => out.push(c),
            // In Ruby they are the ends of lines.
            '^' => out.push_str("(?:^|(?<=\\n))"),
            '$' => out.push_str("(?=\\n|(?![\\s\\S]))"),
            '.' => out.push_str("[^\\n]"),
            '(' if chars.next_if_eq(&'?').is_some() => match chars.next()? {
                kind @ (':' | '=' | '!') => {
                    out.push_str("(?");
                    out.push(kind);
                }
                _ => return None,
            },
            '*' | '+' | '?' | '}' => {
                out.push(c);
                // Possessive quantifiers.
                if chars.peek() == Some(&'+') {
                    return None;
                }
            }
            _ => out.push(c),
        }
    }
    Some(out)
}

fn escape(out: &mut String, c: char, in_class: bool) -> Option<()> {
    match c {
        'A' if !in_class => out.push('^'),
        'z' if !in_class => out.push_str("(?![\\s\\S])"),
        'Z' if !in_class => out.push_str("(?=\\n?(?![\\s\\S]))"),
        'd' => out.push_str(if in_class { "0-9" } else { "[0-9]" }),
        'w' => out.push_str(if in_class { "a-zA-Z0-9_" } else { "[a-zA-Z0-9_]" }),
        's' => out.push_str(if in_class { " \\t\\r\\n\\f\\v" } else { "[ \\t\\r\\n\\f\\v]" }),
        'h' => out.push_str(if in_class { "0-9a-fA-F" } else { "[0-9a-fA-F]" }),
        'D' if !in_class => out.push_str("[^0-9]"),
        'W' if !in_class => out.push_str("[^a-zA-Z0-9_]"),
        'S' if !in_class => out.push_str("[^ \\t\\r\\n\\f\\v]"),
        'H' if !in_class => out.push_str("[^0-9a-fA-F]"),
        'n' | 't' | 'r' | 'f' | 'v' => {
            out.push('\\');
            out.push(c);
        }
        '1'..='9' if !in_class => {
            out.push('\\');
            out.push(c);
        }
        c if c.is_ascii_alphanumeric() => return None,
        // Escapes without a meaning are errors in JSON Schema.
        '/' | '"' | '\'' | '@' | ',' | ':' | ';' | '%' | '&' | '#' | '<' | '>' | '=' | '!'
        | '`' | '~' | '_' | ' ' => out.push(c),
        '-' if !in_class => out.push(c),
        c => {
            out.push('\\');
            out.push(c);
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::ecma;

    #[test]
    fn anchors_and_classes() {
        for (ruby, other) in [
            (r"\A[a-z]+\z", Some(r"^[a-z]+(?![\s\S])")),
            (r"^\/(\w|\-)$", Some(r"(?:^|(?<=\n))/([a-zA-Z0-9_]|-)(?=\n|(?![\s\S]))")),
            (r"[\w\-.]{2,3}", Some(r"[a-zA-Z0-9_\-.]{2,3}")),
            (r"(?i:a)", None),
            (r"(?<name>a)", None),
            (r"[[:alpha:]]", None),
            (r"a++", None),
            (r"\p{L}", None),
            (r"a\", None),
        ] {
            assert_eq!(ecma(ruby).as_deref(), other, "{ruby}");
        }
    }
}
