//! Line-based diffs of texts, as `diff -u` writes them.

use ordain_engine::kind::TextChange;
use similar::{ChangeTag, TextDiff};

use crate::screen::Style;

/// The number of lines that are shown without `-v`.
const MAX_LINES: usize = 40;

/// The number of unchanged lines around a change.
const CONTEXT: usize = 3;

/// The maximum length of a line that is shown completely, in characters.
const MAX_LINE_LENGTH: usize = 2000;

/// The changed lines with their context: all of them, or the first ones.
///
/// There is no file header, and no hunk header if one of the texts is empty.
pub(crate) fn lines(text: &TextChange, all: bool) -> Vec<String> {
    let diff = TextDiff::from_lines(text.before.as_str(), text.after.as_str());
    let (mut out, mut more) = (Vec::new(), 0);
    let mut push = |style: Style, line: &str| {
        if all || out.len() < MAX_LINES {
            out.push(style.apply(&truncate_line(line)));
        } else {
            more += 1;
        }
    };
    for hunk in diff.unified_diff().context_radius(CONTEXT).iter_hunks() {
        if !text.before.is_empty() && !text.after.is_empty() {
            push(Style::Dim, hunk.header().to_string().trim_end());
        }
        for change in hunk.iter_changes() {
            let (sign, style) = match change.tag() {
                ChangeTag::Delete => ('-', Style::Remove),
                ChangeTag::Insert => ('+', Style::Add),
                ChangeTag::Equal => (' ', Style::Plain),
            };
            let line = change.value();
            push(style, &format!("{sign}{}", line.strip_suffix('\n').unwrap_or(line)));
            if change.missing_newline() {
                push(Style::Dim, "\\ No newline at end of file");
            }
        }
    }
    if more > 0 {
        out.push(format!("{more} more lines; -v shows them"));
    }
    out
}

/// Truncates a very long line.
fn truncate_line(line: &str) -> String {
    match line.char_indices().nth(MAX_LINE_LENGTH) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::screen::sanitize;

    fn plain(before: &str, after: &str, all: bool) -> Vec<String> {
        let text = TextChange { before: before.into(), after: after.into() };
        lines(&text, all).iter().map(|line| sanitize(line, false).into_owned()).collect()
    }

    #[test]
    fn it_is_as_of_diff() {
        let before = "1\n2\n3\n4\n5\n6\n7\n8\n";
        let after = "1\n2\n3\n4\nfive\n6\n7\n8";
        let want = [
            "@@ -2,7 +2,7 @@",
            " 2",
            " 3",
            " 4",
            "-5",
            "+five",
            " 6",
            " 7",
            "-8",
            "+8",
            "\\ No newline at end of file",
        ];
        assert_eq!(plain(before, after, false), want);
        assert_eq!(plain("", "a\nb\n", false), ["+a", "+b"]);
    }

    #[test]
    fn it_is_bounded() {
        let long: String = (0..100).map(|n| format!("{n}\n")).collect();
        let shown = plain("", &long, false);
        assert_eq!(shown.len(), MAX_LINES + 1);
        assert_eq!(shown.last().map(String::as_str), Some("60 more lines; -v shows them"));
        assert_eq!(plain("", &long, true).len(), 100);
        assert_eq!(plain("", &"x".repeat(1 << 20), false)[0].len(), MAX_LINE_LENGTH + 3);
    }
}
