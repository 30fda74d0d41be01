//! Source files, byte ranges in them, and the conversion of byte offsets to lines and columns.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, RwLock};

use crate::parse_cache::ParseCache;

/// The identity of a source file inside one [`SourceMap`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FileId(pub u32);

/// A half-open byte range inside one file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct TextRange {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
}

impl TextRange {
    /// The range from `start` up to `end`.
    pub fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// The smallest range that holds both.
    pub fn cover(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// This range in a given file.
    pub fn in_file(self, file: FileId) -> Span {
        Span { file, range: self }
    }
}

/// A byte range in a file of the [`SourceMap`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// The bytes in it.
    pub range: TextRange,
}

/// A position for display: line from 1, column from 1 in characters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct LineCol {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// One source text with its name.
pub struct SourceFile {
    /// The path as the user wrote it; empty for a text without a file.
    pub path: PathBuf,
    /// The whole text.
    pub text: Arc<str>,
    /// Ranges that excerpts do not show.
    hidden: RwLock<Vec<TextRange>>,
    line_starts: OnceLock<Vec<u32>>,
    /// The number of characters that start before each multiple of [`BLOCK`] bytes.
    block_chars: OnceLock<Vec<u32>>,
}

/// The distance of the cached character counts, which makes the cost of a column independent of the
/// line length.
const BLOCK: usize = 1024;

/// The number of characters that start in these bytes of UTF-8.
fn count_chars(bytes: &[u8]) -> u32 {
    bytes.iter().filter(|&&b| b & 0xC0 != 0x80).count() as u32
}

impl fmt::Debug for SourceFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SourceFile").field("path", &self.path).finish_non_exhaustive()
    }
}

impl SourceFile {
    /// A file of this name and text.
    pub fn new(path: impl Into<PathBuf>, text: impl Into<Arc<str>>) -> Self {
        Self {
            path: path.into(),
            text: text.into(),
            hidden: RwLock::default(),
            line_starts: OnceLock::new(),
            block_chars: OnceLock::new(),
        }
    }

    /// Hides bytes that are secret from excerpts.
    pub fn hide(&self, range: TextRange) {
        let mut hidden = self.hidden.write().unwrap_or_else(|e| e.into_inner());
        if !hidden.contains(&range) {
            hidden.push(range);
        }
    }

    /// A part of the text for excerpts, with an asterisk for each hidden byte.
    pub fn shown(&self, bytes: Range<usize>) -> Cow<'_, str> {
        let text = &self.text[bytes.clone()];
        let hidden = self.hidden.read().unwrap_or_else(|e| e.into_inner());
        let is_hidden = |at: usize| {
            let at = (bytes.start + at) as u32;
            hidden.iter().any(|range| range.start <= at && at < range.end)
        };
        if hidden.is_empty() || !(0..text.len()).any(is_hidden) {
            return Cow::Borrowed(text);
        }
        let mut out = String::with_capacity(text.len());
        for (at, c) in text.char_indices() {
            match c {
                '\n' | '\r' => out.push(c),
                c if is_hidden(at) => out.extend(std::iter::repeat_n('*', c.len_utf8())),
                c => out.push(c),
            }
        }
        Cow::Owned(out)
    }

    fn line_starts(&self) -> &[u32] {
        self.line_starts.get_or_init(|| {
            let mut starts = vec![0];
            // The search for a single character is vectorized.
            starts.extend(self.text.match_indices('\n').map(|(i, _)| i as u32 + 1));
            starts
        })
    }

    /// The number of characters that start before the byte `offset`.
    fn chars_before(&self, offset: usize) -> u32 {
        let bytes = self.text.as_bytes();
        let blocks = self.block_chars.get_or_init(|| {
            let mut total = 0;
            let sums = bytes.chunks_exact(BLOCK).map(|block| {
                total += count_chars(block);
                total
            });
            std::iter::once(0).chain(sums).collect()
        });
        let block = offset / BLOCK;
        blocks[block] + count_chars(&bytes[block * BLOCK..offset])
    }

    /// The line (from 1) that contains the byte `offset`.
    pub fn line(&self, offset: u32) -> u32 {
        self.line_starts().partition_point(|&s| s <= offset) as u32
    }

    /// Line and column of the byte `offset`; an offset past the end is the end.
    pub fn line_col(&self, offset: u32) -> LineCol {
        let mut offset = (offset as usize).min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.line(offset as u32);
        let start = self.line_starts()[line as usize - 1] as usize;
        let column = self.chars_before(offset) - self.chars_before(start) + 1;
        LineCol { line, column }
    }

    /// The start of a line, counted from 1; after the last line, the end of the text.
    pub fn line_start(&self, line: u32) -> usize {
        let at = self.line_starts().get((line as usize).saturating_sub(1));
        at.map_or(self.text.len(), |&start| start as usize)
    }

    /// The text of line `line` (from 1) without its line end; empty if there is no such line.
    pub fn line_text(&self, line: u32) -> &str {
        let starts = self.line_starts();
        let Some(&start) = starts.get((line as usize).wrapping_sub(1)) else { return "" };
        let end = starts.get(line as usize).map_or(self.text.len(), |&e| e as usize - 1);
        self.text[start as usize..end].trim_end_matches('\r')
    }

    /// Whether the text came from a file.
    pub fn has_path(&self) -> bool {
        !self.path.as_os_str().is_empty()
    }
}

/// All source files of a compile. It is shared between threads; files are only added.
#[derive(Default, Debug)]
pub struct SourceMap {
    files: RwLock<Vec<Arc<SourceFile>>>,
    /// The bytes of all texts.
    pub(crate) size: AtomicUsize,
    pub(crate) parsed: Option<ParseCache<FileId>>,
}

impl SourceMap {
    /// An empty map.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file and gives its id.
    pub fn add(&self, path: impl AsRef<Path>, text: impl Into<Arc<str>>) -> FileId {
        self.add_file(Arc::new(SourceFile::new(path.as_ref(), text)))
    }

    /// Adds an existing file and returns its id.
    pub fn add_file(&self, file: Arc<SourceFile>) -> FileId {
        let mut files = self.files.write().unwrap_or_else(|e| e.into_inner());
        self.size.fetch_add(file.text.len(), Ordering::Relaxed);
        files.push(file);
        FileId(files.len() as u32 - 1)
    }

    /// The file with an id of this map.
    ///
    /// # Panics
    /// If the id belongs to another map.
    pub fn file(&self, id: FileId) -> Arc<SourceFile> {
        Arc::clone(&self.files.read().unwrap_or_else(|e| e.into_inner())[id.0 as usize])
    }

    /// The size of all texts in bytes.
    pub fn bytes(&self) -> usize {
        self.size.load(Ordering::Relaxed)
    }

    /// Line and column where a span starts.
    pub fn start(&self, span: Span) -> LineCol {
        self.file(span.file).line_col(span.range.start)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn columns_count_characters() {
        let f = SourceFile::new("a.pp", "ä = 1\r\nx");
        assert_eq!(f.line_col(3), LineCol { line: 1, column: 3 });
        assert_eq!(f.line_col(8), LineCol { line: 2, column: 1 });
        assert_eq!(f.line_col(99), LineCol { line: 2, column: 2 });
        assert_eq!(f.line_text(1), "ä = 1");
        assert_eq!(f.line_text(2), "x");
        assert_eq!(f.line_text(3), "");
    }

    #[test]
    fn hidden_bytes_are_asterisks() {
        let file = SourceFile::new("a.yaml", "a: é1\nb: c\n");
        assert!(matches!(file.shown(0..6), Cow::Borrowed("a: é1")));
        file.hide(TextRange::new(3, 8));
        assert_eq!(file.shown(0..12), "a: ***\n*: c\n");
        assert_eq!(file.shown(9..12), " c\n");
    }

    /// Line and column by counting from the beginning.
    fn counted(text: &str, offset: usize) -> LineCol {
        let mut offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &text[..offset];
        let line = before.matches('\n').count() as u32 + 1;
        let start = before.rfind('\n').map_or(0, |i| i + 1);
        LineCol { line, column: before[start..].chars().count() as u32 + 1 }
    }

    proptest! {
        #[test]
        fn columns_are_those_of_counting(
            parts in prop::collection::vec(("[a-zä€🙂\r\n]{0,9}", 0_usize..300), 0..12),
            at in 0.0..1.1_f64,
        ) {
            let text: String = parts.iter().map(|(part, n)| part.repeat(*n)).collect();
            let file = SourceFile::new("a.pp", text.as_str());
            let offset = (text.len() as f64 * at) as usize;
            for offset in [offset, offset / BLOCK * BLOCK, text.len(), 0] {
                prop_assert_eq!(file.line_col(offset as u32), counted(&text, offset));
            }
        }
    }

    #[test]
    fn a_long_line_costs_no_more_than_others() {
        let file = SourceFile::new("a.pp", "ä".repeat(1 << 20));
        for i in (0..1 << 21).step_by(16) {
            assert_eq!(file.line_col(i), LineCol { line: 1, column: i / 2 + 1 });
        }
    }
}
