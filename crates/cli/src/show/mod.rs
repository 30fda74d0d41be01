//! Text output: plans, explanations, logs, pictures.

pub(crate) mod diff;
pub(crate) mod error;
pub(crate) mod explanation;
pub(crate) mod failures;
pub(crate) mod layout;
pub(crate) mod log;
pub(crate) mod message;
pub(crate) mod nested_layout;
pub(crate) mod picture;
pub(crate) mod plan;
pub(crate) mod value;

use crate::screen::END;
use ordain_graph::ResourceRef;
use ordain_source::printable_line;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The assumed minimum width of a terminal.
pub(crate) const WIDTH: usize = 80;

/// The escape that ends all styles.
const RESET: &str = "\u{1b}[0m";

/// The column of places beside short text.
const PLACE_COLUMN: usize = 46;

/// The name of a resource on one line, as all verbs print it: `File[/etc/motd]`.
pub(crate) fn name(resource: &ResourceRef) -> String {
    printable_line(&resource.to_string()).into_owned()
}

/// Wraps a line at `width`; further lines are indented by `indent` columns. Breaks at a space if
/// there is one in the second half. Styles continue on the next line.
pub(crate) fn wrapped(line: &str, indent: usize, width: usize) -> Vec<String> {
    let mut rows = RowBuilder { indent: indent.min(width / 2), width, ..RowBuilder::default() };
    let mut rest = line.chars();
    while let Some(c) = rest.next() {
        match c {
            '\u{1b}' => {
                let escape = escape(&mut rest);
                rows.row += &escape;
                rows.style = if escape == RESET { String::new() } else { escape };
            }
            '\u{fdd0}'..='\u{fdef}' => {
                rows.row.push(c);
                rows.style = if c == END { String::new() } else { c.into() };
            }
            c => rows.push(c),
        }
    }
    rows.done.push(rows.row);
    rows.done
}

/// The state while a line is broken into rows.
#[derive(Default)]
struct RowBuilder {
    indent: usize,
    width: usize,
    done: Vec<String>,
    row: String,
    column: usize,
    /// The last space at which the row may be broken: its end, and the style there.
    blank: Option<(usize, String)>,
    /// The active style: an escape or a mark.
    style: String,
}

impl RowBuilder {
    fn push(&mut self, c: char) {
        let columns = if c == '\t' { 8 - self.column % 8 } else { c.width().unwrap_or(0) };
        // A space at the end of a row is dropped.
        if self.column + columns > self.width && self.ends_row() && c == ' ' {
            return;
        }
        self.row.push(c);
        self.column += columns;
        if c == ' ' && self.column > self.width / 2 {
            self.blank = Some((self.row.len(), self.style.clone()));
        }
    }

    /// Starts a new row. Returns whether no text moves to it from the row before.
    fn ends_row(&mut self) -> bool {
        let blank = self.blank.take().filter(|(at, _)| *at < self.row.len());
        let (tail, style) = match blank {
            Some((at, style)) => (self.row.split_off(at), style),
            None => (String::new(), self.style.clone()),
        };
        self.done.push(close_style(self.row.trim_end(), &style));
        let indent = self.indent;
        self.row = format!("{:indent$}{style}{}", "", tail.trim_start_matches(' '));
        self.column = indent + plain_width(&tail);
        tail.is_empty()
    }
}

/// The rest of a style escape.
fn escape(rest: &mut std::str::Chars<'_>) -> String {
    let mut out = String::from('\u{1b}');
    for c in rest {
        out.push(c);
        if c.is_ascii_alphabetic() {
            break;
        }
    }
    out
}

/// Closes the style at the end of a row.
fn close_style(row: &str, style: &str) -> String {
    match style {
        "" => row.to_owned(),
        escape if escape.starts_with('\u{1b}') => format!("{row}{RESET}"),
        _ => format!("{row}{END}"),
    }
}

/// The width of a text without tabs, in columns; styles do not count.
pub(crate) fn plain_width(text: &str) -> usize {
    without_styles(text).chars().map(|c| c.width().unwrap_or(0)).sum()
}

/// A text without escapes and marks.
pub(crate) fn without_styles(text: &str) -> String {
    let mut rest = text.chars();
    let mut out = String::new();
    while let Some(c) = rest.next() {
        match c {
            '\u{1b}' => drop(escape(&mut rest)),
            '\u{fdd0}'..='\u{fdef}' => {}
            c => out.push(c),
        }
    }
    out
}

/// The number of spaces between a text and the place beside it: up to a fixed column if both fit,
/// else up to the right edge. `None` if they do not fit on a line.
pub(crate) fn gap(text: &str, place: &str) -> Option<usize> {
    let (text, place) = (text.width(), place.width());
    if text + 2 <= PLACE_COLUMN && PLACE_COLUMN + place <= WIDTH {
        return Some(PLACE_COLUMN - text);
    }
    WIDTH.checked_sub(text + place).filter(|gap| *gap >= 2)
}

#[cfg(test)]
mod tests {
    use super::{gap, name, wrapped};
    use ordain_graph::ResourceRef;

    #[test]
    fn long_lines_are_broken_with_an_indent() {
        let text = "    content   one two three four five";
        assert_eq!(wrapped(text, 14, 80), [text]);
        assert_eq!(
            wrapped(text, 14, 30),
            ["    content   one two three", "              four five"]
        );
        assert_eq!(wrapped(&"x".repeat(9), 2, 4), ["xxxx", "  xx", "  xx", "  x"]);
        assert_eq!(wrapped("日本語日本語", 2, 6), ["日本語", "  日本", "  語"]);
        // A style continues on the next line, and each line closes its own.
        let styled = "\u{1b}[31maaaa bbbb\u{1b}[0m c";
        let want = ["\u{1b}[31maaaa\u{1b}[0m", " \u{1b}[31mbbbb\u{1b}[0m", " c"];
        assert_eq!(wrapped(styled, 1, 5), want);
    }

    #[test]
    fn a_name_is_one_line() {
        let name_of = |title: &str| name(&ResourceRef { kind: "File".into(), title: title.into() });
        assert_eq!(name_of("/etc/motd"), "File[/etc/motd]");
        assert_eq!(name_of("a\nApplied: 1"), "File[a␊Applied: 1]");
        assert_eq!(name_of("\u{1b}]0;x\u{7}"), "File[␛]0;x␇]");
    }

    #[test]
    fn places_stand_in_a_column_or_at_the_end_or_below() {
        assert_eq!(gap("short", "site.pp:3"), Some(41));
        assert_eq!(gap("short", &"p".repeat(60)), Some(15));
        assert_eq!(gap(&"t".repeat(50), "site.pp:3"), Some(21));
        assert_eq!(gap(&"t".repeat(50), &"p".repeat(40)), None);
    }
}
