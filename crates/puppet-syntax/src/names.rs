//! The forms of names of classes and types.

use ecow::EcoString;

/// The title of the class that the code at the top belongs to. A class that somebody calls `main` is
/// another one, and no reference names this one.
pub const TOP_CLASS: &str = "main";

/// A class name as a title: `a::b` gives `A::B`, no name the class of the code at the top.
pub fn class_title(name: &str) -> EcoString {
    let name = name.strip_prefix("::").unwrap_or(name);
    if name.is_empty() {
        return EcoString::from(TOP_CLASS);
    }
    capitalize_segments(&name.to_lowercase())
}

/// A type name with a capital at each segment: `apache::vhost` gives `Apache::Vhost`.
pub fn capitalize_segments(name: &str) -> EcoString {
    let name = name.strip_prefix("::").unwrap_or(name);
    if name.is_ascii() {
        return capitalize_ascii(name);
    }
    let mut out = EcoString::with_capacity(name.len());
    let mut start = true;
    for c in name.chars() {
        if start {
            out.extend(c.to_uppercase());
        } else {
            out.extend(c.to_lowercase());
        }
        start = c == ':';
    }
    out
}

/// Whether a type name is as [`capitalize_segments`] makes it.
#[inline]
pub fn is_capitalized(name: &str) -> bool {
    let mut start = true;
    name.bytes().all(|byte| {
        let wrong = if start { byte.is_ascii_lowercase() } else { byte.is_ascii_uppercase() };
        let fits = byte.is_ascii() && !wrong && !(start && byte == b':');
        start = byte == b':';
        fits || (byte == b':' && !wrong)
    }) && !name.starts_with(':')
}

fn capitalize_ascii(name: &str) -> EcoString {
    let mut bytes = name.as_bytes().to_ascii_lowercase();
    let mut start = true;
    for byte in &mut bytes {
        if start {
            byte.make_ascii_uppercase();
        }
        start = *byte == b':';
    }
    String::from_utf8(bytes).map(EcoString::from).unwrap_or_default()
}

/// `file` as `File`, `a::b` as `A::B`; a name with a capital stays as it is.
pub fn capitalized(name: &str) -> EcoString {
    if name.starts_with(|c: char| c.is_ascii_uppercase()) {
        return name.into();
    }
    let segments: Vec<String> = name.split("::").map(ordain_functions::text::capitalize).collect();
    segments.join("::").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capitals_are_recognised() {
        for name in
            ["File", "Apache::Vhost", "X::Y1::Z_a", "file", "fIle", "::File", "A::b", "Ärger"]
        {
            let capitals = capitalize_segments(name);
            assert!(!is_capitalized(name) || capitals == name, "{name}");
            assert!(is_capitalized(&capitals) || !capitals.is_ascii(), "{name}");
        }
    }
}
