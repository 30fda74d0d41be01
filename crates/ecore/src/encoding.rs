//! Decodes the bytes of an XML file.

use std::borrow::Cow;

/// Decodes an XML file: UTF-8, ASCII or ISO-8859-1, according to its XML declaration.
///
/// # Errors
/// When the declaration names another encoding, or the bytes do not have the declared one.
pub fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, String> {
    if bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]) {
        return Err("the encoding UTF-16 is not supported: write the file as UTF-8".to_owned());
    }
    let bytes = bytes.strip_prefix(&[0xEF, 0xBB, 0xBF]).unwrap_or(bytes);
    let declared = declared(bytes).unwrap_or_else(|| "UTF-8".to_owned());
    match declared.to_ascii_uppercase().as_str() {
        "UTF-8" | "UTF8" | "ASCII" | "US-ASCII" => std::str::from_utf8(bytes)
            .map(Cow::Borrowed)
            .map_err(|e| format!("byte {} is not of the encoding {declared}", e.valid_up_to())),
        "ISO-8859-1" | "ISO8859-1" | "LATIN1" => {
            Ok(Cow::Owned(bytes.iter().map(|byte| char::from(*byte)).collect()))
        }
        _ => Err(format!("the encoding {declared} is not supported: write the file as UTF-8")),
    }
}

/// The encoding in the XML declaration.
fn declared(bytes: &[u8]) -> Option<String> {
    let rest = bytes.strip_prefix(b"<?xml")?;
    let end = rest.iter().take(200).position(|byte| *byte == b'>')?;
    let text = String::from_utf8_lossy(&rest[..end]).into_owned();
    let after = text.split("encoding").nth(1)?.trim_start().strip_prefix('=')?.trim_start();
    let quote = after.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    after[1..].split(quote).next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings() {
        let latin = b"<?xml version=\"1.0\" encoding='ISO-8859-1'?><a b=\"\xE9\"/>";
        assert!(decode(latin).is_ok_and(|text| text.ends_with("<a b=\"é\"/>")));
        assert_eq!(decode(b"\xEF\xBB\xBF<a/>").as_deref(), Ok("<a/>"));
        assert_eq!(
            decode(b"<?xml version=\"1.0\" encoding=\"EBCDIC\"?>"),
            Err("the encoding EBCDIC is not supported: write the file as UTF-8".to_owned())
        );
        assert_eq!(decode(b"<a>\xE9"), Err("byte 3 is not of the encoding UTF-8".to_owned()));
        assert!(decode(b"\xFF\xFE<\0").is_err());
    }
}
