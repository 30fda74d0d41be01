//! Texts compared line by line, as `diff -u` writes it.

use ordain_engine::kind::TextChange;
use similar::{ChangeTag, TextDiff};

/// The most lines that are shown, unless all are asked for.
const MOST: usize = 40;

/// Lines around a change.
const CONTEXT: usize = 3;

/// The longest line that is shown whole, in characters.
const LONGEST: usize = 2000;

/// The lines that differ, with those around them; all of them, or as many as people want to see.
pub fn lines(text: &TextChange, all: bool) -> Vec<String> {
    let diff = TextDiff::from_lines(text.before.as_str(), text.after.as_str());
    let mut out = Vec::new();
    for hunk in diff.unified_diff().context_radius(CONTEXT).iter_hunks() {
        out.push(hunk.header().to_string().trim_end().to_string());
        for change in hunk.iter_changes() {
            let sign = match change.tag() {
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
                ChangeTag::Equal => ' ',
            };
            out.push(format!("{sign}{}", printable(change.value())));
            if change.missing_newline() {
                out.push("\\ No newline at end of file".into());
            }
        }
    }
    if !all && out.len() > MOST {
        let more = out.len() - MOST;
        out.truncate(MOST);
        out.push(format!("{more} more lines; -v shows them"));
    }
    out
}

/// A line without its end, shortened where it has none for long, and with nothing in it that a
/// terminal acts on.
fn printable(line: &str) -> String {
    let line = line.strip_suffix('\n').unwrap_or(line);
    let mut out = String::new();
    for (i, c) in line.chars().enumerate() {
        match c {
            _ if i == LONGEST => return out + "...",
            '\t' => out.push(c),
            c if c.is_control() => out.extend(c.escape_default()),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(before: &str, after: &str, all: bool) -> Vec<String> {
        lines(&TextChange { before: before.into(), after: after.into() }, all)
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
        assert_eq!(shown(before, after, false), want);
        assert_eq!(shown("a\n", "\x1b[2Jb\n", false)[2], "+\\u{1b}[2Jb");
    }

    #[test]
    fn it_is_bounded() {
        let long: String = (0..100).map(|n| format!("{n}\n")).collect();
        let few = shown("", &long, false);
        assert_eq!(few.len(), MOST + 1);
        assert_eq!(few.last().map(String::as_str), Some("61 more lines; -v shows them"));
        assert_eq!(shown("", &long, true).len(), 101);
        assert_eq!(shown("", &"x".repeat(1 << 20), true)[1].len(), LONGEST + 4);
    }
}
