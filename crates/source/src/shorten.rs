//! Shortens messages that contain much of the input.

use std::borrow::Cow;
use std::fmt::Write;

/// The maximum length in bytes of a line that is shown completely.
const MAX_LINE_LENGTH: usize = 800;
/// The number of bytes at the start and the end of a longer line that are kept.
const KEPT_BYTES: (usize, usize) = (480, 160);
/// The maximum number of lines that are shown completely.
const MAX_LINES: usize = 100;
/// The number of lines at the start and the end of a longer message that are kept.
const KEPT_LINES: (usize, usize) = (60, 20);

/// A text for messages: long lines and the middle of many lines are cut, with a note of the omitted
/// amount.
pub fn shortened(text: &str) -> Cow<'_, str> {
    let is_short = text.len() <= MAX_LINE_LENGTH;
    if is_short && text.bytes().filter(|b| *b == b'\n').count() < MAX_LINES {
        return Cow::Borrowed(text);
    }
    let count = text.lines().count();
    let fits = |line: &str| line.len() <= MAX_LINE_LENGTH;
    if count <= MAX_LINES && text.lines().all(fits) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(MAX_LINE_LENGTH);
    let left_out = count.checked_sub(KEPT_LINES.0 + KEPT_LINES.1).filter(|_| count > MAX_LINES);
    for (number, line) in text.lines().enumerate() {
        let behind = number >= KEPT_LINES.0;
        if let Some(left_out) = left_out
            && behind
            && number < KEPT_LINES.0 + left_out
        {
            if number == KEPT_LINES.0 {
                let _ = write!(out, "\n… ({left_out} more lines) …");
            }
            continue;
        }
        if number > 0 {
            out.push('\n');
        }
        cut(line, &mut out);
    }
    Cow::Owned(out)
}

/// Adds a line, without its middle if it is long.
fn cut(line: &str, out: &mut String) {
    if line.len() <= MAX_LINE_LENGTH {
        out.push_str(line);
        return;
    }
    let start = boundary(line, KEPT_BYTES.0);
    let end = boundary(line, line.len() - KEPT_BYTES.1);
    let left_out = line[start..end].chars().count();
    let _ = write!(out, "{} … ({left_out} more characters) … {}", &line[..start], &line[end..]);
}

/// The last character boundary up to a position.
fn boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::shortened;

    #[test]
    fn short_texts_are_kept() {
        let lines = "a line\n".repeat(50);
        assert_eq!(shortened(&lines), lines);
        let lines = "x".repeat(300) + "\n" + &"y".repeat(790);
        assert_eq!(shortened(&lines), lines);
    }

    #[test]
    fn long_lines_and_many_lines_lose_their_middle() {
        let text = format!("invalid number {} here\nsecond", "ä9".repeat(500_000));
        let shown = shortened(&text);
        assert!(shown.len() < 800, "{}", shown.len());
        assert!(shown.starts_with("invalid number ä9") && shown.ends_with("9 here\nsecond"));
        assert!(shown.contains("more characters) …"), "{shown}");
        let text = "one of many\n".repeat(5_000);
        let shown = shortened(&text);
        assert_eq!(shown.lines().count(), 81);
        assert!(shown.contains("\n… (4920 more lines) …\n"), "{shown}");
    }
}
