//! Byte offsets of a text as lines and UTF-16 columns, the positions of editors.

use std::sync::Arc;

use ordain_source::TextRange;

/// A position as editors count it, both from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// The UTF-16 code units before the position in its line.
    pub column: u32,
}

/// The lines of a text.
#[derive(Debug)]
pub struct Lines {
    text: Arc<str>,
    starts: Vec<u32>,
}

impl Lines {
    /// Those of a text.
    pub fn new(text: Arc<str>) -> Self {
        let starts = text.match_indices('\n').map(|(at, _)| at as u32 + 1);
        let starts = std::iter::once(0).chain(starts).collect();
        Self { text, starts }
    }

    /// The number of lines.
    pub fn count(&self) -> u32 {
        self.starts.len() as u32
    }

    /// The line of an offset, from 0.
    pub fn line(&self, offset: u32) -> u32 {
        (self.starts.partition_point(|start| *start <= offset) as u32).saturating_sub(1)
    }

    /// The position of an offset. One inside of a character means the start of the character.
    pub fn position(&self, offset: u32) -> Position {
        let mut offset = (offset as usize).min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.line(offset as u32);
        let start = self.start(line) as usize;
        let before = self.text.get(start..offset).unwrap_or_default();
        Position { line, column: before.chars().map(|c| c.len_utf16() as u32).sum() }
    }

    /// The offset of a position. One behind the end of a line means that end, one behind the last
    /// line the end of the text.
    pub fn offset(&self, position: Position) -> u32 {
        if position.line >= self.count() {
            return self.text.len() as u32;
        }
        let start = self.start(position.line);
        let end = self.starts.get(position.line as usize + 1);
        let end = end.map_or(self.text.len() as u32, |next| next - 1);
        let line = self.text.get(start as usize..end as usize).unwrap_or_default();
        let (mut units, mut bytes) = (0, 0);
        for c in line.chars() {
            if units >= position.column || c == '\r' && line.len() == bytes + 1 {
                break;
            }
            units += c.len_utf16() as u32;
            bytes += c.len_utf8();
        }
        start + bytes as u32
    }

    /// The range between two positions.
    pub fn range(&self, start: Position, end: Position) -> TextRange {
        let (start, end) = (self.offset(start), self.offset(end));
        TextRange::new(start, end.max(start))
    }

    /// The offset at which a line starts.
    pub fn start(&self, line: u32) -> u32 {
        self.starts.get(line as usize).copied().unwrap_or(self.text.len() as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_utf_16() {
        let lines = Lines::new("a🙂ä = 1\r\nx".into());
        let at = |line, column| Position { line, column };
        for (offset, position) in [(0, at(0, 0)), (5, at(0, 3)), (7, at(0, 4)), (13, at(1, 0))] {
            assert_eq!(lines.position(offset), position);
            assert_eq!(lines.offset(position), offset);
        }
        assert_eq!(lines.position(3), at(0, 1), "inside of a character");
        assert_eq!(lines.offset(at(0, 99)), 11, "before the line ending");
        assert_eq!(lines.offset(at(1, 99)), 14);
        assert_eq!(lines.offset(at(9, 0)), 14);
    }
}
