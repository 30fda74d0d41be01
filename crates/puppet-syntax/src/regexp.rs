//! Sources of regular expressions.

/// Whether a source forces Unicode: by a character beyond ASCII, `\u`, or a class of characters
/// such as `\p{L}`.
pub fn is_encoded(source: &str) -> bool {
    let mut escaped = false;
    source.chars().any(|c| {
        let says = !c.is_ascii() || escaped && matches!(c, 'u' | 'p' | 'P');
        escaped = c == '\\' && !escaped;
        says
    })
}
