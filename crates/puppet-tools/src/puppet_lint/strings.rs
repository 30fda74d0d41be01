//! The parts of strings and heredocs, as puppet-lint divides them.

use super::token::is_word;

/// The kind of a part of a string.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PartKind {
    Text,
    /// The code between `${` and `}`.
    Code,
    /// A variable without braces, with its `$`.
    Variable,
}

/// A part of a string as a range of bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Part {
    pub(super) kind: PartKind,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// The length of the name of a variable, such as `::a::b-c`.
pub(super) fn variable_name(bytes: &[u8]) -> Option<usize> {
    let words = |mut at: usize| {
        let word = |at: usize| bytes[at..].iter().take_while(|b| is_word(**b)).count();
        let first = word(at);
        if first == 0 {
            return None;
        }
        at += first;
        while bytes.get(at) == Some(&b'-') {
            let more = word(at + 1);
            if more == 0 {
                break;
            }
            at += 1 + more;
        }
        Some(at)
    };
    let start = if bytes.starts_with(b"::") { 2 } else { 0 };
    let mut end = words(start)?;
    while bytes[end..].starts_with(b"::") {
        match words(end + 2) {
            Some(more) => end = more,
            None => break,
        }
    }
    Some(end)
}

/// The place after the first `quote` from `from` on that no backslash escapes.
pub(super) fn unescaped(bytes: &[u8], from: usize, quote: u8) -> Option<usize> {
    let mut at = from;
    loop {
        match *bytes.get(at)? {
            b'\\' => at += 2,
            b if b == quote => return Some(at + 1),
            _ => at += 1,
        }
    }
}

/// Divides a string with interpolations.
struct Scanner<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    /// The start of the current part.
    start: usize,
    /// The number of open braces.
    depth: usize,
    /// The current run of backslashes.
    run: (usize, usize),
    parts: Vec<Part>,
}

impl<'t> Scanner<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            at: 0,
            start: 0,
            depth: 0,
            run: (0, 0),
            parts: Vec::new(),
        }
    }

    fn add(&mut self, kind: PartKind, end: usize) {
        self.parts.push(Part { kind, start: self.start, end });
    }

    /// Whether the part so far ends in a backslash.
    fn is_escaped(&self) -> bool {
        self.at > self.start && self.bytes[self.at - 1] == b'\\'
    }

    fn char_length(&self) -> usize {
        self.text[self.at..].chars().next().map_or(1, char::len_utf8)
    }

    /// The end of the backslashes that begin at a place.
    fn run_end(&mut self, from: usize) -> usize {
        let (start, end) = self.run;
        if !(start..end).contains(&from) {
            let length = self.bytes[from..].iter().take_while(|b| **b == b'\\').count();
            self.run = (from, from + length);
        }
        if self.bytes.get(from) == Some(&b'\\') { self.run.1 } else { from }
    }

    /// Reads `${`, braces and variables; `false` if there is none here.
    fn interpolation(&mut self) -> bool {
        let rest = &self.bytes[self.at..];
        if rest.starts_with(b"${") {
            if self.is_escaped() {
                self.at += 1;
                return true;
            }
            if self.depth == 0 {
                self.add(PartKind::Text, self.at);
                self.start = self.at + 2;
            }
            self.at += 2;
            self.depth += 1;
            return true;
        }
        match rest[0] {
            b'{' if self.depth > 0 => {
                self.at += 1;
                self.depth += 1;
            }
            b'}' if self.depth > 0 => {
                self.depth -= 1;
                if self.depth == 0 {
                    self.add(PartKind::Code, self.at);
                    self.start = self.at + 1;
                }
                self.at += 1;
            }
            b'}' => self.at += 1,
            _ => return self.depth == 0 && self.variable(),
        }
        true
    }

    /// Reads a variable without braces, which may begin after the next character.
    fn variable(&mut self) -> bool {
        if self.is_escaped() {
            return false;
        }
        let name = |at: usize| {
            let rest = self.bytes.get(at..)?.strip_prefix(b"$")?;
            variable_name(rest).map(|length| at + 1 + length)
        };
        let mut end = name(self.at);
        if end.is_none() && self.bytes[self.at] != b'\\' {
            end = name(self.at + self.char_length());
        }
        let Some(end) = end else { return false };
        let next = self.at + self.char_length();
        if self.bytes[self.at] != b'\n' && self.bytes.get(next) == Some(&b'$') {
            self.at = next;
        }
        self.add(PartKind::Text, self.at);
        self.start = self.at;
        self.add(PartKind::Variable, end);
        self.start = end;
        self.at = end;
        true
    }
}

/// The parts of a string in double quotes, and its length with the closing quote. `text` begins after
/// the opening quote.
pub(super) fn double_quoted(text: &str) -> Option<(Vec<Part>, usize)> {
    let mut scanner = Scanner::new(text);
    while scanner.at < text.len() {
        if scanner.interpolation() {
            continue;
        }
        let at = scanner.at;
        let is_backslash = scanner.bytes[at] == b'\\';
        let run = if is_backslash { at } else { at + scanner.char_length() };
        let is_quote = scanner.bytes[at] == b'"';
        let end = if is_quote { at } else { scanner.run_end(run) };
        let is_even = (end - run.min(end)).is_multiple_of(2);
        if scanner.bytes.get(end) == Some(&b'"') && (is_quote || is_even) {
            scanner.at = end + 1;
            if scanner.depth == 0 {
                scanner.add(PartKind::Text, end);
                return Some((scanner.parts, end + 1));
            }
        } else if is_backslash && scanner.bytes.get(end) == Some(&b'"') {
            scanner.at = end + 1;
        } else {
            scanner.at += scanner.char_length();
        }
    }
    // Without an end puppet-lint takes the last whole part for it.
    (!scanner.parts.is_empty()).then_some((scanner.parts, text.len()))
}

/// The parts of a heredoc with this tag, and its length with the terminator; no parts if it does not
/// end.
pub(super) fn heredoc(text: &str, tag: &str) -> (Vec<Part>, usize) {
    let name = heredoc_name(tag);
    let interpolates = tag.starts_with('"');
    let mut scanner = Scanner::new(text);
    let Some(mut end) = terminator(text, name, 0) else { return (Vec::new(), text.len()) };
    while scanner.at < text.len() {
        if scanner.at > end.1 {
            match terminator(text, name, scanner.at) {
                Some(next) => end = next,
                None => break,
            }
        }
        if scanner.at >= end.0 && scanner.depth == 0 {
            scanner.add(PartKind::Text, scanner.at);
            return (scanner.parts, end.1 + name.len());
        }
        if !(interpolates && scanner.interpolation()) {
            scanner.at += scanner.char_length();
        }
    }
    (Vec::new(), text.len())
}

/// The name in `"NAME":syntax/flags`.
fn heredoc_name(tag: &str) -> &str {
    let name = tag.strip_prefix('"').unwrap_or(tag);
    let first = name.chars().next().map_or(0, char::len_utf8);
    let end = name[first..].find(['"', ':', '/']).map_or(name.len(), |at| at + first);
    name[..end].trim_end_matches([' ', '\t'])
}

/// The next terminator: where it may begin, with its margin, and where its name is.
fn terminator(text: &str, name: &str, from: usize) -> Option<(usize, usize)> {
    if name.is_empty() {
        return None;
    }
    let bytes = text.as_bytes();
    let ends_line = |at: &usize| matches!(bytes.get(at + name.len()), None | Some(b'\n'));
    let places = text[from..].match_indices(name).map(|(at, _)| from + at);
    let at = { places }.find(ends_line)?;
    let blanks = |mut at: usize| {
        while at > from && matches!(bytes[at - 1], b' ' | b'\t' | b'\r' | b'\n' | 0xb | 0xc) {
            at -= 1;
        }
        at
    };
    let mut start = blanks(at);
    if start > from && bytes[start - 1] == b'-' {
        start = blanks(start - 1);
    }
    if start > from && bytes[start - 1] == b'|' {
        start -= 1;
    }
    Some((start, at))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> Vec<&str> {
        let found = double_quoted(text).map(|(parts, _)| parts).unwrap_or_default();
        found.iter().map(|part| &text[part.start..part.end]).collect()
    }

    #[test]
    fn strings_are_divided() {
        assert_eq!(parts("plain\""), ["plain"]);
        assert_eq!(parts("a ${b['c']} d\""), ["a ", "b['c']", " d"]);
        assert_eq!(parts("$a$b\""), ["", "$a", "", "$b", ""]);
        assert_eq!(parts("\\$a \\\" \\\\\""), ["\\$a \\\" \\\\"]);
        assert_eq!(parts("${x[\"y\"]}\""), ["", "x[\"y\"]", ""]);
        assert_eq!(parts("no end"), [""; 0]);
    }

    #[test]
    fn heredocs_end_at_their_names() {
        let text = "  a ${b}\n  | END\nrest";
        let (parts, length) = heredoc(text, "\"END\"");
        let found: Vec<&str> = parts.iter().map(|part| &text[part.start..part.end]).collect();
        assert_eq!(found, ["  a ", "b", "\n  "]);
        assert_eq!(&text[length..], "\nrest");
        assert_eq!(heredoc("a\nEND\r\n", "END/L").0, []);
    }

    #[test]
    fn long_runs_of_backslashes_take_linear_time() {
        let text = "\\".repeat(1 << 20);
        assert!(double_quoted(&text).is_none());
    }
}
