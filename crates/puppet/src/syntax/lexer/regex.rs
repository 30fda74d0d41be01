//! Regular expressions that cannot be right, found without compiling them.

/// What is wrong with the brackets of a regular expression, in the words of Ruby's engine.
pub(super) fn problem(text: &str) -> Option<&'static str> {
    let bytes = text.as_bytes();
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(&b) = bytes.get(at) {
        match b {
            b'\\' => at += 1,
            b'[' => match class_end(bytes, at) {
                Some(end) => at = end,
                None => return Some("premature end of char-class"),
            },
            b'(' if bytes[at..].starts_with(b"(?#") => {
                at += bytes[at..].iter().position(|&b| b == b')')?;
            }
            // In extended mode, comments may hold any bracket.
            b'(' if is_extended(&bytes[at..]) => return None,
            b'(' => depth += 1,
            b')' if depth == 0 => return Some("unmatched close parenthesis"),
            b')' => depth -= 1,
            _ => {}
        }
        at += 1;
    }
    (depth > 0).then_some("end pattern with unmatched parenthesis")
}

/// Whether `(?…x…)` or `(?…x…:` stands here, `x` not switched off.
fn is_extended(bytes: &[u8]) -> bool {
    let Some(flags) = bytes.strip_prefix(b"(?") else { return false };
    let on = flags.iter().take_while(|b| b.is_ascii_lowercase());
    let count = on.clone().count();
    matches!(flags.get(count), Some(b')' | b':' | b'-')) && on.clone().any(|&b| b == b'x')
}

/// The closing bracket of a character class; classes nest.
fn class_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = start;
    while let Some(&b) = bytes.get(at) {
        match b {
            b'\\' => at += 1,
            b'[' if depth > 0 && bytes.get(at + 1) == Some(&b':') => {
                // A named class, if it ends as one.
                let name =
                    bytes[at + 2..].iter().take_while(|b| b.is_ascii_lowercase() || **b == b'^');
                let end = at + 2 + name.count();
                if bytes.get(end..end + 2) == Some(b":]") {
                    at = end + 1;
                } else {
                    depth += 1;
                }
            }
            b'[' => {
                depth += 1;
                let first = at + 1 + usize::from(bytes.get(at + 1) == Some(&b'^'));
                // A bracket that is first in its class is a character if another one follows.
                if bytes.get(first) == Some(&b']') && bytes[first + 1..].contains(&b']') {
                    at = first;
                }
            }
            b']' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::problem;

    #[test]
    fn brackets_are_matched() {
        for good in ["a(b)c", r"\(", "[(]", "[[:alpha:]_]", "[]a]", "[^]]]", "(?x) ( # )", "[a[b]]"]
        {
            assert_eq!(problem(good), None, "{good}");
        }
        assert_eq!(problem("(a"), Some("end pattern with unmatched parenthesis"));
        assert_eq!(problem("a)"), Some("unmatched close parenthesis"));
        assert_eq!(problem("[^"), Some("premature end of char-class"));
    }
}
