//! Escapes in strings.

/// The text that is written with escapes, by Python's rules. What is no escape stays as it is.
pub fn unescape(text: &str) -> String {
    if !text.contains('\\') {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let Some(c) = rest.chars().next() else {
            out.push('\\');
            break;
        };
        let simple = match c {
            'n' => Some('\n'),
            't' => Some('\t'),
            'r' => Some('\r'),
            'a' => Some('\x07'),
            'b' => Some('\x08'),
            'f' => Some('\x0c'),
            'v' => Some('\x0b'),
            '\\' | '\'' | '"' => Some(c),
            _ => None,
        };
        if let Some(simple) = simple {
            out.push(simple);
            rest = &rest[1..];
        } else if c == '\n' {
            rest = &rest[1..];
        } else if let Some((c, length)) = coded(rest) {
            out.push(c);
            rest = &rest[length..];
        } else {
            out.push('\\');
            out.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    out.push_str(rest);
    out
}

/// A character by its number, and the length of what says so.
fn coded(text: &str) -> Option<(char, usize)> {
    let (skip, most, least, radix) = match text.as_bytes().first()? {
        b'x' => (1, 2, 2, 16),
        b'u' => (1, 4, 4, 16),
        b'U' => (1, 8, 8, 16),
        b'0'..=b'7' => (0, 3, 1, 8),
        _ => return None,
    };
    let digits = text.as_bytes()[skip..].iter().take(most);
    let count = digits.take_while(|b| char::from(**b).is_digit(radix)).count();
    if count < least {
        return None;
    }
    let code = u32::from_str_radix(&text[skip..skip + count], radix).ok()?;
    Some((char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), skip + count))
}

#[cfg(test)]
mod tests {
    use super::unescape;

    #[test]
    fn escapes_are_those_of_python() {
        assert_eq!(unescape(r"a\n\x41\u00e9\101\q\'é"), "a\nAéA\\q'é");
        assert_eq!(unescape("a\\\nb\\x4"), "ab\\x4");
    }
}
