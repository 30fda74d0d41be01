//! Indentation by two blanks. The scanner knows as much of YAML as it needs for the column of each
//! entry; the caller compares the trees.

/// The comments between which lines only move together.
pub(super) const OFF: &str = "# ordain: fmt off";
pub(super) const ON: &str = "# ordain: fmt on";

#[derive(Clone, Copy, PartialEq, Eq)]
enum LevelKind {
    List,
    Map,
}

/// An open list or map with its columns before and after.
#[derive(Clone, Copy)]
struct Level {
    kind: LevelKind,
    old: usize,
    new: usize,
}

/// A value that goes on in the next lines.
#[derive(Clone, Copy)]
enum Continued {
    /// Lines that are deeper than the entry; a comment ends an unquoted text.
    Plain,
    /// A text after `|` or `>`; the indentation of its first line.
    Block(Option<usize>),
    /// A text in quotes.
    Quoted(u8),
    /// Lists and maps in brackets: the number of open ones, and the quote of an open text.
    Flow(usize, Option<u8>),
}

/// The lines that belong to an entry, and how they move.
#[derive(Clone, Copy)]
struct Tail {
    value: Continued,
    /// The column of the entry, or of the whole document before its first one.
    parent: Option<usize>,
    shift: isize,
}

/// The text with new indentation. `None` if it has forms that the scanner does not know.
pub(super) fn indented(text: &str) -> Option<String> {
    let mut writer = Writer::default();
    for line in text.split_inclusive('\n') {
        writer.line(line)?;
    }
    writer.last_comments();
    Some(writer.lines.concat())
}

#[derive(Default)]
struct Writer<'t> {
    lines: Vec<String>,
    levels: Vec<Level>,
    tail: Option<Tail>,
    /// The comments before the next entry: their numbers, columns and texts.
    comments: Vec<(usize, usize, &'t str)>,
    /// The column of the comment that turned the formatter off, and the move of its lines.
    off: Option<(usize, Option<isize>)>,
}

impl<'t> Writer<'t> {
    fn line(&mut self, line: &'t str) -> Option<()> {
        let rest = line.trim_start_matches(' ');
        let column = line.len() - rest.len();
        let content = rest.trim_end();
        if let Some((least, shift)) = self.off {
            let ends = !content.is_empty() && (content == ON || column < least);
            match shift {
                _ if ends => self.off = None,
                Some(shift) => {
                    self.lines.push(shifted(line, shift));
                    return Some(());
                }
                None => {}
            }
        }
        if self.off.is_none() && self.is_continued(line, column, content) {
            return Some(());
        }
        if content.is_empty() {
            self.lines.push(line.to_owned());
        } else if content.starts_with('#') {
            self.comments.push((self.lines.len(), column, rest));
            self.lines.push(String::new());
            if content == OFF {
                self.off = Some((column, None));
            }
        } else if column == 0 && is_marker(content) {
            self.last_comments();
            self.levels.clear();
            self.lines.push(line.to_owned());
            let value = content.strip_prefix("---").unwrap_or_default().trim_start();
            self.tail = continued(value, None, 0);
        } else if rest.starts_with('\t') || content == "?" || content.starts_with("? ") {
            return None;
        } else {
            self.entry(line, column, rest);
        }
        Some(())
    }

    /// Writes a line that belongs to the value before it; whether it does.
    fn is_continued(&mut self, line: &str, column: usize, content: &str) -> bool {
        let Some(mut tail) = self.tail.take() else { return false };
        let is_deeper = tail.parent.is_none_or(|parent| column > parent);
        let mut shift = tail.shift;
        let goes_on = match tail.value {
            Continued::Plain => {
                if content.starts_with('#') || !content.is_empty() && !is_deeper {
                    return false;
                }
                if content.is_empty() {
                    self.lines.push(line.to_owned());
                    self.tail = Some(tail);
                    return true;
                }
                !content.contains(" #")
            }
            Continued::Block(indent) => {
                let least = indent.or_else(|| is_deeper.then_some(column));
                if content.is_empty() {
                    // Blanks beyond the indentation belong to the text.
                    let width = line.trim_end_matches(['\r', '\n']).len();
                    let most = least.map_or(0, |least| least.saturating_add_signed(shift));
                    if width <= least.unwrap_or(usize::MAX) {
                        shift = (most.min(width) as isize) - width as isize;
                    }
                    if indent.is_none() {
                        shift = 0;
                    }
                    self.lines.push(moved(line, shift));
                    self.tail = Some(tail);
                    return true;
                }
                if least.is_none_or(|least| column < least) {
                    return false;
                }
                tail.value = Continued::Block(least);
                true
            }
            Continued::Quoted(quote) => after_quote(content, quote).is_none(),
            Continued::Flow(depth, quote) => match flow(content.as_bytes(), depth, quote) {
                Some((depth, quote)) => {
                    tail.value = Continued::Flow(depth, quote);
                    true
                }
                None => false,
            },
        };
        self.lines.push(shifted(line, shift));
        self.tail = goes_on.then_some(tail);
        true
    }

    /// Writes a line that begins with a dash, a key, or a value.
    fn entry(&mut self, line: &'t str, column: usize, rest: &'t str) {
        let levels_before = self.levels.clone();
        let (mut at, mut rest) = (column, rest);
        let mut out = String::new();
        let mut first = None;
        while rest == "-" || rest.starts_with("- ") || rest.trim_end() == "-" {
            let new = self.place(LevelKind::List, at);
            first.get_or_insert(new);
            let blanks = rest[1..].len() - rest[1..].trim_start_matches(' ').len();
            let inner = &rest[1 + blanks..];
            let is_nested = is_dash(inner) || key_end(inner.trim_end()).is_some();
            out.push('-');
            out.push_str(if is_nested { " " } else { &rest[1..=blanks] });
            (at, rest) = (at + 1 + blanks, inner);
        }
        let content = rest.trim_end();
        let end = key_end(content);
        if end.is_some() {
            let new = self.place(LevelKind::Map, at);
            first.get_or_insert(new);
        }
        let new = first.unwrap_or_else(|| self.value_column(column));
        self.write_comments(&levels_before, Some((column, new)));
        out.push_str(rest);
        let shift = new as isize - column as isize;
        if let Some((_, wanted @ None)) = &mut self.off {
            *wanted = Some(shift);
            self.lines.push(moved(line, shift));
            return;
        }
        self.lines.push(format!("{:new$}{out}", ""));
        let value = content.get(end.unwrap_or(0)..).unwrap_or_default().trim_start();
        let parent = match (first, self.levels.last()) {
            (Some(_), Some(level)) => Some((level.old, level.new)),
            // The value of an entry on a line before.
            _ => self.levels.iter().rev().find(|level| level.old < column).map(|l| (l.old, l.new)),
        };
        let shift = match (first, parent) {
            (Some(_), Some((old, new))) => new as isize - old as isize,
            _ => shift,
        };
        self.tail = continued(value, parent.map(|parent| parent.0), shift);
    }

    /// The new column of an entry.
    fn place(&mut self, kind: LevelKind, column: usize) -> usize {
        while let Some(top) = self.levels.last() {
            let is_done = top.old > column
                || top.old == column && kind == LevelKind::Map && top.kind == LevelKind::List;
            if !is_done {
                break;
            }
            self.levels.pop();
        }
        let new = match self.levels.last() {
            None => 0,
            Some(top) if top.old == column && top.kind == kind => return top.new,
            // A list may be level with the key of its map.
            Some(top) if top.old == column => top.new,
            Some(top) => top.new + 2,
        };
        self.levels.push(Level { kind, old: column, new });
        new
    }

    /// The new column of a value on a line of its own.
    fn value_column(&self, column: usize) -> usize {
        let parent = self.levels.iter().rev().find(|level| level.old < column);
        parent.map_or(0, |parent| parent.new + 2)
    }

    fn last_comments(&mut self) {
        let levels = std::mem::take(&mut self.levels);
        self.write_comments(&levels, None);
        self.levels = levels;
    }

    /// Writes the comments before an entry with its columns before and after. They move with it, or
    /// with the level that they belong to.
    fn write_comments(&mut self, levels: &[Level], next: Option<(usize, usize)>) {
        for (line, column, text) in std::mem::take(&mut self.comments) {
            let level = levels.iter().rev().find(|level| level.old <= column);
            let level = level.map(|level| (level.old, level.new));
            let (old, new) = next.filter(|next| column >= next.0).or(level).unwrap_or((0, 0));
            let new = new + (column - old);
            self.lines[line] = format!("{:new$}{text}", "");
        }
    }
}

/// A line whose indentation changes by a number of blanks.
fn moved(line: &str, shift: isize) -> String {
    let indent = line.len() - line.trim_start_matches(' ').len();
    let new = indent.saturating_add_signed(shift);
    format!("{:new$}{}", "", &line[indent..])
}

/// Like [`moved`], but empty lines stay.
fn shifted(line: &str, shift: isize) -> String {
    if line.trim().is_empty() { line.to_owned() } else { moved(line, shift) }
}

fn is_marker(content: &str) -> bool {
    let ends = |rest: &str| rest.is_empty() || rest.starts_with(' ');
    content.starts_with('%')
        || content.strip_prefix("---").is_some_and(ends)
        || content.strip_prefix("...").is_some_and(ends)
}

fn is_dash(text: &str) -> bool {
    text.starts_with("- ") || text.trim_end() == "-"
}

/// The text without anchors and tags at its beginning.
fn without_properties(text: &str) -> &str {
    let mut rest = text;
    while rest.starts_with(['&', '!']) {
        let end = rest.find(' ').unwrap_or(rest.len());
        rest = rest[end..].trim_start_matches(' ');
    }
    rest
}

/// The offset after the colon of a key at the beginning of a text.
fn key_end(text: &str) -> Option<usize> {
    let key = without_properties(text);
    let start = text.len() - key.len();
    let bytes = key.as_bytes();
    let first = *bytes.first()?;
    let colon = |at: usize| {
        let rest = &key[at..];
        rest.strip_prefix(':').is_some_and(|r| r.is_empty() || r.starts_with([' ', '\t']))
    };
    match first {
        b'"' | b'\'' => {
            let after = 1 + after_quote(&key[1..], first)?;
            let blanks = key[after..].len() - key[after..].trim_start_matches(' ').len();
            colon(after + blanks).then_some(start + after + blanks + 1)
        }
        b'{' | b'[' | b'|' | b'>' | b'#' => None,
        _ => {
            let mut end = key.char_indices().map(|(at, _)| at);
            let found = end.find(|&at| colon(at) || key[at..].starts_with(" #"))?;
            colon(found).then_some(start + found + 1)
        }
    }
}

/// The offset after the quote that closes a text.
fn after_quote(text: &str, quote: u8) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if quote == b'"' => at += 2,
            b if b == quote && quote == b'\'' && bytes.get(at + 1) == Some(&b'\'') => at += 2,
            b if b == quote => return Some(at + 1),
            _ => at += 1,
        }
    }
    None
}

/// The lines after a value that belong to it.
fn continued(value: &str, parent: Option<usize>, shift: isize) -> Option<Tail> {
    let value = without_properties(value);
    let first = *value.as_bytes().first()?;
    let value = match first {
        b'#' => return None,
        b'|' | b'>' => Continued::Block(None),
        b'"' | b'\'' => match after_quote(&value[1..], first) {
            Some(_) => return None,
            None => Continued::Quoted(first),
        },
        b'[' | b'{' => {
            let (depth, quote) = flow(value.as_bytes(), 0, None)?;
            Continued::Flow(depth, quote)
        }
        _ if value.contains(" #") => return None,
        _ => Continued::Plain,
    };
    Some(Tail { value, parent, shift })
}

/// Reads a line of lists and maps in brackets. Returns the number of brackets that are still open,
/// and the quote of an open text; `None` if all are closed.
fn flow(line: &[u8], depth: usize, quote: Option<u8>) -> Option<(usize, Option<u8>)> {
    let (mut depth, mut quote, mut at) = (depth, quote, 0);
    while at < line.len() {
        match (quote, line[at]) {
            (Some(b'"'), b'\\') => at += 1,
            (Some(open), b) if b == open => quote = None,
            (Some(_), _) => {}
            (None, b'#') if at == 0 || line[at - 1] == b' ' => break,
            (None, b @ (b'"' | b'\''))
                if at == 0 || matches!(line[at - 1], b' ' | b'[' | b'{' | b',' | b':') =>
            {
                quote = Some(b);
            }
            (None, b'[' | b'{') => depth += 1,
            (None, b']' | b'}') => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return None;
                }
            }
            _ => {}
        }
        at += 1;
    }
    Some((depth, quote))
}
