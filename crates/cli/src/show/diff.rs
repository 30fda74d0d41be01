//! Line-based diffs of texts, as `diff -u` writes them.

use std::collections::HashMap;

use ordain_engine::kind::TextChange;
use rustc_hash::FxBuildHasher;
use similar::algorithms::{Capture, Compact, Replace, myers};
use similar::udiff::UnifiedHunkHeader;
use similar::{DiffOp, DiffTag, DiffableStr, group_diff_ops};

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
    let (before, after) = (text.before.tokenize_lines(), text.after.tokenize_lines());
    let (mut out, mut more) = (Vec::new(), 0);
    let mut push = |style: Style, line: &str| {
        if all || out.len() < MAX_LINES {
            out.push(style.apply(&truncate_line(line)));
        } else {
            more += 1;
        }
    };
    for hunk in group_diff_ops(operations(&before, &after), CONTEXT) {
        if !text.before.is_empty() && !text.after.is_empty() {
            push(Style::Dim, UnifiedHunkHeader::new(&hunk).to_string().trim_end());
        }
        for operation in &hunk {
            let (old, new) = (&before[operation.old_range()], &after[operation.new_range()]);
            let parts = match operation.tag() {
                DiffTag::Equal => vec![(' ', Style::Plain, old)],
                _ => vec![('-', Style::Remove, old), ('+', Style::Add, new)],
            };
            let lines = parts.into_iter().flat_map(|(sign, style, lines)| {
                lines.iter().map(move |line| (sign, style, *line))
            });
            for (sign, style, line) in lines {
                push(style, &format!("{sign}{}", line.strip_suffix('\n').unwrap_or(line)));
                if !line.ends_with_newline() {
                    push(Style::Dim, "\\ No newline at end of file");
                }
            }
        }
    }
    if more > 0 {
        out.push(format!("{more} more lines; -v shows them"));
    }
    out
}

/// The operations that make the new lines of the old ones.
///
/// `similar::TextDiff` has them too, but chooses one of six algorithms when it runs, so that a program
/// has the code of all. This calls one, for numbers in place of lines.
fn operations<'a>(before: &[&'a str], after: &[&'a str]) -> Vec<DiffOp> {
    let mut numbers: HashMap<&'a str, usize, FxBuildHasher> = HashMap::default();
    let mut number = |line: &&'a str| {
        let next = numbers.len();
        *numbers.entry(line).or_insert(next)
    };
    let before: Vec<usize> = before.iter().map(&mut number).collect();
    let after: Vec<usize> = after.iter().map(&mut number).collect();
    let mut found = Compact::new(Replace::new(Capture::new()), &before[..], &after[..]);
    let (old, new) = (0..before.len(), 0..after.len());
    let Ok(()) = myers::diff(&mut found, &before[..], old, &after[..], new);
    found.into_inner().into_inner().into_ops()
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
    use similar::TextDiff;

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
    fn it_is_as_of_the_library() {
        let numbered = |step: usize| -> String {
            (0..400).filter(|n| n % step != 0).map(|n| format!("{}\n", n * n % 97)).collect()
        };
        let pairs = [
            (numbered(7), numbered(11)),
            (numbered(400), numbered(3)),
            ("a\r\nb\rc".into(), "a\r\nb\nc".into()),
            ("x\n".repeat(50) + "y", "x\n".repeat(45) + "y\nz"),
            (String::new(), "\n\n".into()),
        ];
        for (before, after) in pairs {
            let diff = TextDiff::from_lines(before.as_str(), after.as_str());
            let ops = diff.ops().to_vec();
            assert_eq!(operations(&before.tokenize_lines(), &after.tokenize_lines()), ops);
        }
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
