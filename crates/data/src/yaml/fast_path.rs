//! Reads the common form of YAML: blocks of lists and maps, scalars of all styles, and lists and
//! maps in brackets, without tags, anchors and directives. It is several times faster than the
//! parser, because it creates no tokens.
//!
//! At any other, doubtful or invalid form it gives up, and the parser reads the whole text from the
//! start. Accepted texts have exactly the same result as with the parser, including places; a test
//! compares the two.

use ecow::EcoString;
use ordain_source::TextRange;

use super::budget::Budget;
use super::nodes::{Nodes, to_u32};
use super::tree::{Kind, Style, Tree};

mod scalar;

/// The maximum depth of lists and maps here, within the budget.
const MAX_DEPTH: u32 = 64;

/// The maximum length of a key in bytes; the parser allows 1,024 characters.
const MAX_KEY_LENGTH: usize = 1000;

/// The column of a token after the end of a document.
const NO_COLUMN: i32 = -1;

/// The text is of another form.
struct Unsupported;

type Supported<T> = Result<T, Unsupported>;

/// The first documents of a text, up to a number, if all of the text read for them has the common
/// form.
pub(super) fn documents(text: &str, budget: Budget, limit: usize) -> Option<Vec<Tree>> {
    if !is_printable(text) {
        return None;
    }
    let mut reader = Reader {
        text,
        bytes: text.as_bytes(),
        at: 0,
        line: 0,
        lines: Vec::with_capacity(text.len() / 16),
        nodes: Nodes::default(),
        depth: MAX_DEPTH.min(budget.depth),
    };
    reader.lines.push(0);
    // Unused capacity costs nothing.
    reader.nodes.reserve((text.len() / 6).min(1 << 20));
    reader.documents(limit).ok()?;
    // Documents after the requested ones are not read.
    while !reader.is_end() {
        reader.skip_line();
        if reader.peek() == b'\n' {
            reader.break_line();
        }
    }
    Some(reader.nodes.into_trees(reader.lines))
}

/// Whether a text has only characters that need no special treatment.
fn is_printable(text: &str) -> bool {
    let odd = |b: u8| (b < b' ' && b != b'\n' && b != b'\t') || b >= 0x7f;
    let mut chunks = text.as_bytes().chunks(64);
    let found = chunks.position(|chunk| chunk.iter().fold(false, |any, b| any | odd(*b)));
    // Everything before is ASCII, so this is a character boundary.
    found.is_none_or(|n| text[n * 64..].chars().all(is_harmless))
}

/// Whether a character is neither a control character, nor a line end in YAML 1.1, nor a byte order
/// mark.
fn is_harmless(c: char) -> bool {
    let harmless =
        [' '..='~', '\u{a0}'..='\u{2027}', '\u{202a}'..='\u{d7ff}', '\u{e000}'..='\u{fefe}'];
    matches!(c, '\n' | '\t' | '\u{ff00}'..='\u{fffd}' | '\u{10000}'..)
        || harmless.iter().any(|range| range.contains(&c))
}

struct Reader<'t> {
    text: &'t str,
    bytes: &'t [u8],
    /// The next byte.
    at: usize,
    /// The start of its line.
    line: usize,
    /// The starts of the lines so far.
    lines: Vec<u32>,
    nodes: Nodes,
    /// The remaining depth of lists and maps.
    depth: u32,
}

/// A scalar on one line.
struct Scalar {
    text: EcoString,
    style: Style,
    span: TextRange,
}

impl Reader<'_> {
    fn documents(&mut self, limit: usize) -> Supported<()> {
        for count in 0..limit {
            let mut column = self.next()?;
            let marked = self.is_marker(b"---");
            if marked {
                self.at += 3;
                self.end_line()?;
                column = self.next()?;
            }
            if column == NO_COLUMN {
                // A document without content has a special place.
                let is_end = self.is_end() && !marked && count > 0;
                return if is_end { Ok(()) } else { Err(Unsupported) };
            }
            if self.block(NO_COLUMN, column)? != NO_COLUMN {
                return Err(Unsupported);
            }
            self.nodes.end_document();
            if self.is_end() {
                break;
            }
        }
        Ok(())
    }

    /// The byte at a place; zero behind the end.
    fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    fn peek(&self) -> u8 {
        self.byte(self.at)
    }

    fn is_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// Whether a blank, a line break or the end is at a place.
    fn is_blank(&self, at: usize) -> bool {
        matches!(self.byte(at), b' ' | b'\n' | b'\t' | 0)
    }

    fn is_marker(&self, marker: &[u8]) -> bool {
        self.at == self.line
            && self.bytes[self.at..].starts_with(marker)
            && self.is_blank(self.at + 3)
    }

    fn is_dash(&self) -> bool {
        self.peek() == b'-' && self.is_blank(self.at + 1)
    }

    fn column(&self) -> Supported<i32> {
        i32::try_from(self.at - self.line).map_err(|_| Unsupported)
    }

    /// Whether the colon behind a key is next.
    fn is_colon(&self) -> bool {
        self.peek() == b':' && self.is_blank(self.at + 1)
    }

    fn skip_blanks(&mut self) {
        while self.peek() == b' ' {
            self.at += 1;
        }
    }

    /// Steps over a line break.
    fn break_line(&mut self) {
        self.at += 1;
        self.line = self.at;
        self.lines.push(to_u32(self.at));
    }

    fn skip_line(&mut self) {
        let rest = &self.bytes[self.at..];
        self.at += rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
    }

    /// Skips the rest of a line, which may only contain a comment.
    fn end_line(&mut self) -> Supported<()> {
        self.skip_blanks();
        if self.peek() == b'#' && self.at > self.line && self.byte(self.at - 1) == b' ' {
            self.skip_line();
        }
        match self.peek() {
            b'\n' => self.break_line(),
            _ if self.is_end() => {}
            _ => return Err(Unsupported),
        }
        Ok(())
    }

    /// Skips to the next content; returns its column, or [`NO_COLUMN`] at the end of the document.
    fn next(&mut self) -> Supported<i32> {
        loop {
            self.skip_blanks();
            match self.peek() {
                b'\n' => self.break_line(),
                b'#' => self.skip_line(),
                b'\t' => return Err(Unsupported),
                0 => return Ok(NO_COLUMN),
                _ if self.is_marker(b"...") => return Err(Unsupported),
                _ if self.is_marker(b"---") => return Ok(NO_COLUMN),
                _ => return self.column(),
            }
        }
    }

    /// Skips the rest of the line, then to the next content.
    fn next_line(&mut self) -> Supported<i32> {
        self.end_line()?;
        self.next()
    }

    fn push(&mut self, scalar: Scalar) {
        self.nodes.push(Kind::Scalar(scalar.text, scalar.style), scalar.span, 0);
    }

    /// A node that starts at a column, below a list or map at column `parent`. Returns the column
    /// of the next token.
    fn block(&mut self, parent: i32, column: i32) -> Supported<i32> {
        if self.is_dash() {
            return self.list(column, false);
        }
        match self.peek() {
            b'[' | b'{' | b'|' | b'>' => return self.value(parent),
            _ => {}
        }
        let scalar = self.line_scalar(false)?;
        if self.is_colon() {
            return self.map(column, scalar);
        }
        self.rest_of_scalar(parent, scalar)
    }

    /// A node on the line of its key, or a scalar on the line of its dash.
    fn value(&mut self, parent: i32) -> Supported<i32> {
        match self.peek() {
            // The parser treats scalars at the top level specially.
            _ if parent == NO_COLUMN => return Err(Unsupported),
            b'[' | b'{' => {
                self.flow(parent)?;
                return self.next_line();
            }
            style @ (b'|' | b'>') => return self.block_scalar(parent, style == b'|'),
            _ => {}
        }
        let scalar = self.line_scalar(false)?;
        self.rest_of_scalar(parent, scalar)
    }

    /// The continuation lines of a scalar that is not a key.
    fn rest_of_scalar(&mut self, parent: i32, scalar: Scalar) -> Supported<i32> {
        if parent == NO_COLUMN || self.is_colon() {
            return Err(Unsupported);
        }
        if scalar.style == Style::Plain && self.peek() == b'\n' {
            return self.more_lines(parent, scalar);
        }
        self.push(scalar);
        self.next_line()
    }

    /// A map at a column, from after its first key.
    fn map(&mut self, column: i32, first: Scalar) -> Supported<i32> {
        self.open(Kind::Map, first.span.start)?;
        let mut key = first;
        loop {
            if (key.span.end - key.span.start) as usize > MAX_KEY_LENGTH {
                return Err(Unsupported);
            }
            self.push(key);
            let next = self.entry(column)?;
            if next != column {
                self.close();
                return if next < column { Ok(next) } else { Err(Unsupported) };
            }
            key = self.line_scalar(false)?;
            if !self.is_colon() {
                return Err(Unsupported);
            }
        }
    }

    /// From the colon after a key to the end of the value.
    fn entry(&mut self, column: i32) -> Supported<i32> {
        let colon = self.at;
        self.at += 1;
        self.skip_blanks();
        if !matches!(self.peek(), b'\n' | b'#' | 0) {
            return if self.is_dash() { Err(Unsupported) } else { self.value(column) };
        }
        let next = self.next_line()?;
        if next > column {
            return self.block(column, next);
        }
        if next == column && self.is_dash() {
            return self.list(column, true);
        }
        self.push(Scalar { text: EcoString::new(), style: Style::Plain, span: span(colon, colon) });
        Ok(next)
    }

    /// A list with dashes at a column; `in_map` if a map at the same column contains it.
    fn list(&mut self, column: i32, in_map: bool) -> Supported<i32> {
        let mut is_open = false;
        loop {
            let dash = self.at;
            self.at += 1;
            self.skip_blanks();
            if !is_open {
                self.open(Kind::List, to_u32(if in_map { self.at } else { dash }))?;
                is_open = true;
            }
            let next = match self.peek() {
                b'\n' => match self.next_line()? {
                    below if below > column => self.block(column, below)?,
                    _ => return Err(Unsupported),
                },
                b'#' | 0 => return Err(Unsupported),
                _ => {
                    let here = self.column()?;
                    self.block(column, here)?
                }
            };
            if next != column || !self.is_dash() {
                self.close();
                let ends = next < column || (in_map && next == column);
                return if ends { Ok(next) } else { Err(Unsupported) };
            }
        }
    }

    /// Opens a list or map.
    fn open(&mut self, kind: Kind, start: u32) -> Supported<()> {
        self.depth = self.depth.checked_sub(1).ok_or(Unsupported)?;
        self.nodes.start(kind, TextRange::new(start, start), 0);
        Ok(())
    }

    /// Closes a block.
    fn close(&mut self) {
        self.depth += 1;
        self.nodes.end(TextRange::new(0, 0));
    }

    /// A node inside brackets, or a bracketed node itself, in a block at a column.
    fn flow(&mut self, parent: i32) -> Supported<()> {
        let start = self.at;
        let is_map = match self.peek() {
            b'[' => false,
            b'{' => true,
            _ => {
                let scalar = self.line_scalar(true)?;
                self.push(scalar);
                return Ok(());
            }
        };
        self.open(if is_map { Kind::Map } else { Kind::List }, to_u32(start))?;
        self.at += 1;
        let closing = if is_map { b'}' } else { b']' };
        loop {
            self.flow_blanks(parent)?;
            if self.peek() == closing {
                break;
            }
            if is_map {
                self.flow_key()?;
                self.flow_blanks(parent)?;
            }
            self.flow(parent)?;
            self.flow_blanks(parent)?;
            match self.peek() {
                b',' => self.at += 1,
                c if c == closing => break,
                _ => return Err(Unsupported),
            }
        }
        self.at += 1;
        self.depth += 1;
        self.nodes.end(span(self.at - 1, self.at));
        Ok(())
    }

    /// A key in a flow map, with its colon.
    fn flow_key(&mut self) -> Supported<()> {
        let start = self.at;
        let key = self.line_scalar(true)?;
        let is_quoted = key.style == Style::Quoted && self.byte(self.at - 1) != b' ';
        let is_separate = matches!(self.byte(self.at + 1), b' ' | b'\n');
        if self.peek() != b':' || !(is_quoted || is_separate) || self.at - start > MAX_KEY_LENGTH {
            return Err(Unsupported);
        }
        self.push(key);
        self.at += 1;
        Ok(())
    }

    /// Spaces and line breaks between brackets. After a line break the text has to be indented
    /// deeper than the surrounding block.
    fn flow_blanks(&mut self, parent: i32) -> Supported<()> {
        let line = self.line;
        loop {
            match self.peek() {
                b' ' => self.at += 1,
                b'\n' => self.break_line(),
                b'\t' | b'#' | 0 => return Err(Unsupported),
                _ if self.line != line && self.column()? <= parent => return Err(Unsupported),
                _ => return Ok(()),
            }
        }
    }
}

fn span(start: usize, end: usize) -> TextRange {
    TextRange::new(to_u32(start), to_u32(end))
}
