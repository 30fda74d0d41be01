//! Decodes escapes in strings.

/// Decodes escapes by Python's rules. Unknown escapes stay unchanged.
///
/// # Errors
/// Python's error for an incomplete escape.
pub(super) fn unescape(text: &str) -> Result<String, String> {
    if !text.contains('\\') {
        return Ok(text.to_owned());
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
        } else if let Some((found, length)) = coded(rest) {
            out.push(found.map_err(|why| {
                let from = text.len() - rest.len() - 1;
                let to = from + length;
                format!("'unicodeescape' codec can't decode bytes in position {from}-{to}: {why}")
            })?);
            rest = &rest[length..];
        } else {
            out.push('\\');
            out.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    out.push_str(rest);
    Ok(out)
}

/// Decodes a numeric or named escape: the character or the error, and the length of the escape.
fn coded(text: &str) -> Option<(Result<char, &'static str>, usize)> {
    let (skip, most, least, radix, short) = match text.as_bytes().first()? {
        b'x' => (1, 2, 2, 16, "truncated \\xXX escape"),
        b'u' => (1, 4, 4, 16, "truncated \\uXXXX escape"),
        b'U' => (1, 8, 8, 16, "truncated \\UXXXXXXXX escape"),
        b'0'..=b'7' => (0, 3, 1, 8, ""),
        b'N' => return Some(named(text)),
        _ => return None,
    };
    let digits = text.as_bytes()[skip..].iter().take(most);
    let count = digits.take_while(|b| char::from(**b).is_digit(radix)).count();
    if count < least {
        return Some((Err(short), skip + count));
    }
    let code = u32::from_str_radix(&text[skip..skip + count], radix).ok()?;
    let found = if code > u32::from(char::MAX) {
        Err("illegal Unicode character")
    } else {
        Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
    };
    Some((found, skip + count))
}

/// Decodes `N{NAME}`: the character or the error, and the length.
fn named(text: &str) -> (Result<char, &'static str>, usize) {
    let malformed = Err("malformed \\N character escape");
    let Some(inner) = text.strip_prefix("N{") else { return (malformed, 1) };
    let Some(length) = inner.find('}') else { return (malformed, text.len()) };
    if length == 0 {
        return (malformed, 2);
    }
    (character(&inner[..length]).ok_or("unknown Unicode character name"), length + 3)
}

/// The character with a Unicode name. Names that Unicode derives by a rule must be in capitals.
fn character(name: &str) -> Option<char> {
    let found = unicode_names2::character(name)?;
    let Some(known) = unicode_names2::name(found) else { return Some(found) };
    let known = known.to_string();
    if known.starts_with("CJK UNIFIED IDEOGRAPH-") || known.starts_with("HANGUL SYLLABLE ") {
        let is_plain = |prefix| name.starts_with(prefix) && !name.contains(char::is_lowercase);
        let fits = is_plain("CJK UNIFIED IDEOGRAPH-") || name == known;
        return fits.then_some(found);
    }
    // The library ignores blanks and hyphens in names, and Python does not. A match with other
    // letters is a different name.
    let letters = |text: &str| {
        let plain = text.chars().filter(|c| !matches!(c, ' ' | '_' | '-'));
        plain.collect::<String>().to_ascii_uppercase()
    };
    (known.eq_ignore_ascii_case(name) || letters(&known) != letters(name)).then_some(found)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::unescape;

    #[test]
    fn escapes_are_those_of_python() {
        let text = |escaped| unescape(escaped).unwrap();
        assert_eq!(text(r"a\n\x41\u00e9\101\q\'é"), "a\nAéA\\q'é");
        assert_eq!(text("a\\\nb"), "ab");
        assert_eq!(
            text(r"\N{SNOWMAN}\N{latin small letter a}\N{LF}\N{CJK UNIFIED IDEOGRAPH-4E00}"),
            "☃a\n一"
        );
    }

    #[test]
    fn incomplete_escapes_are_told() {
        for (escaped, wanted) in [
            (r"ab\x4", "position 2-4: truncated \\xXX escape"),
            (r"\u12g", "position 0-3: truncated \\uXXXX escape"),
            (r"\U00110000", "position 0-9: illegal Unicode character"),
            (r"\N", "position 0-1: malformed \\N character escape"),
            (r"\N{}", "position 0-2: malformed \\N character escape"),
            (r"\N{SNOW", "position 0-6: malformed \\N character escape"),
            (r"\N{SNOW MAN}", "position 0-11: unknown Unicode character name"),
            (r"\N{hangul syllable ga}", "position 0-21: unknown Unicode character name"),
        ] {
            let told = unescape(escaped).unwrap_err();
            assert_eq!(told, format!("'unicodeescape' codec can't decode bytes in {wanted}"));
        }
    }
}
