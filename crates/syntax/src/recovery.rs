//! Further syntax errors of a text whose parser stops at the first one.
//!
//! The text behind an error is cut into statements by its lines and their indentation, and each
//! statement is parsed on its own. A bracket that one statement leaves open does not spoil the next
//! one, so there are no errors that merely follow from others. The parsers stay as they are, and a
//! text without errors costs nothing.

use std::ops::Range;

/// The maximal number of statements with errors, after which the search ends.
const MAX_ERRORS: usize = 20;

/// The lines of a language that begin statements. All lines are without blanks around them.
#[derive(Clone, Copy, Debug)]
pub struct StatementLines {
    /// Whether a line begins a statement.
    pub begins: fn(&str) -> bool,
    /// Whether the second line is a part of the statement that the first one begins, which is above
    /// and further left. Otherwise it may be a statement in the block of the first one.
    pub continues: fn(&str, &str) -> bool,
}

/// A statement of a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StatementPart {
    /// Its range in the text, from the start of a line to the end of one.
    pub range: Range<usize>,
    /// The number of its first line, from 1.
    pub line: u32,
}

impl StatementPart {
    /// The statement with its places in the text: blanks stand for everything before it.
    pub fn alone(&self, text: &str) -> String {
        let before = text[..self.range.start].bytes();
        let blank = |byte| if byte == b'\n' { '\n' } else { ' ' };
        let mut out: String = before.map(blank).collect();
        out.push_str(&text[self.range.clone()]);
        out
    }
}

/// A line that is not empty.
struct Line<'t> {
    start: usize,
    number: u32,
    indent: usize,
    text: &'t str,
}

impl StatementLines {
    /// The errors behind the first one, which is at an offset.
    ///
    /// `parse` reads a statement, and returns its first error with the error's offset in the whole
    /// text. An offset that is known already is left out.
    pub fn errors_after<E>(
        &self,
        text: &str,
        first: usize,
        mut parse: impl FnMut(&StatementPart) -> Option<(usize, E)>,
    ) -> Vec<E> {
        let lines = lines(text);
        let mut out = Vec::new();
        let mut known = vec![first];
        let Some(at) = line_of(&lines, first) else { return out };
        let mut depth = self.statement_indent(&lines, at);
        // A parser often stops at the first word of the statement behind an unfinished one.
        let mut next = if self.stops_before(&lines[at], first) { at } else { at + 1 };
        while let Some(line) = lines.get(next).filter(|_| known.len() <= MAX_ERRORS) {
            if line.indent > depth || !(self.begins)(line.text) {
                next += 1;
                continue;
            }
            depth = line.indent;
            let is_behind = |other: &Line<'_>| {
                other.indent < depth || other.indent == depth && (self.begins)(other.text)
            };
            let end = (next + 1..lines.len()).find(|other| is_behind(&lines[*other]));
            let stop = end.map_or(text.len(), |end| lines[end].start);
            let end = end.unwrap_or(lines.len());
            let part = StatementPart { range: line.start..stop, line: line.number };
            let Some((offset, error)) = parse(&part) else {
                next = end;
                continue;
            };
            if !known.contains(&offset) {
                out.push(error);
            }
            known.push(offset);
            // The block of the statement may have more errors.
            let wrong = line_of(&lines, offset).unwrap_or(next).clamp(next, end - 1);
            depth = self.statement_indent(&lines, wrong).max(depth);
            let is_next = wrong > next && self.stops_before(&lines[wrong], offset);
            next = if is_next { wrong } else { wrong + 1 };
        }
        out
    }

    /// The indentation of the statement that a line is a part of.
    fn statement_indent(&self, lines: &[Line<'_>], line: usize) -> usize {
        let mut at = line;
        loop {
            let outer = lines[..at].iter().rposition(|line| line.indent < lines[at].indent);
            match outer {
                Some(outer) if (self.continues)(lines[outer].text, lines[at].text) => at = outer,
                _ => return lines[at].indent,
            }
        }
    }

    /// Whether an error is at the first word of a statement.
    fn stops_before(&self, line: &Line<'_>, offset: usize) -> bool {
        offset == line.start + line.indent && (self.begins)(line.text)
    }
}

/// The last line that begins at or before an offset, or the first one.
fn line_of(lines: &[Line<'_>], offset: usize) -> Option<usize> {
    let behind = lines.partition_point(|line| line.start <= offset);
    (!lines.is_empty()).then(|| behind.saturating_sub(1))
}

fn lines(text: &str) -> Vec<Line<'_>> {
    let mut out = Vec::new();
    let mut start = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let trimmed = line.trim();
        if !trimmed.is_empty() {
            let indent = line.len() - line.trim_start().len();
            out.push(Line { start, number: index as u32 + 1, indent, text: trimmed });
        }
        start += line.len();
    }
    out
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    /// A language of lines `set NAME`, with blocks after `do`; `!` is an error.
    const LINES: StatementLines = StatementLines {
        begins: |line| line.starts_with("set ") || line.ends_with("do"),
        continues: |above, _| above.ends_with('('),
    };

    fn errors(text: &str) -> Vec<usize> {
        let first = text.find('!').unwrap();
        let parse = |part: &StatementPart| {
            let at = part.range.start + text[part.range.clone()].find('!')?;
            let line = text[..part.range.start].matches('\n').count() as u32 + 1;
            assert_eq!(part.line, line);
            Some((at, text[..at].matches('\n').count() + 1))
        };
        LINES.errors_after(text, first, parse)
    }

    #[test]
    fn errors_of_statements_and_blocks() {
        assert_eq!(errors("set a!\nset b\n\nset c!\nset d!\n"), [4, 5]);
        assert_eq!(errors("do\n  set a!\n  set b!\nend\nset c!"), [3, 5]);
        assert_eq!(
            errors("set a!\ndo\n  set b\n  do\n    set !\n    set !\n  set c!\n"),
            [5, 6, 7]
        );
        assert_eq!(errors("!set a\nset b!\n"), [2]);
    }

    #[test]
    fn a_statement_alone_keeps_its_places() {
        let part = StatementPart { range: 5..7, line: 2 };
        assert_eq!(part.alone("äb(\nc\nd"), "    \nc\n");
    }

    #[test]
    fn lines_of_one_statement_are_not_separate() {
        assert_eq!(errors("set f(\n  !\n  set x!\n)\nset y!\n"), [5]);
        assert_eq!(errors(&"set !\n".repeat(100)).len(), MAX_ERRORS);
        assert_eq!(errors("!"), []);
    }
}
