//! Maps the characters of a scalar to its source, by decoding it once more.
//!
//! A tree keeps the text and the source range of a scalar, but not the mapping between them, which
//! only messages about a part of the text need.

use ordain_source::{PlaceMap, TextRange};

/// The text of a scalar with its source positions.
#[derive(Clone, Debug, Default)]
pub struct ScalarText {
    /// The text, as in the tree except for line breaks at the beginning and the end of a block.
    pub text: String,
    /// The source positions of its bytes.
    pub places: PlaceMap,
    source: u32,
}

impl ScalarText {
    /// Decodes the scalar with this span.
    pub fn new(source: &str, span: TextRange) -> Self {
        let mut out = Self { source: span.start, ..Self::default() };
        let (start, end) = (span.start as usize, span.end as usize);
        let Some((before, written)) = source.get(..start).zip(source.get(start..end)) else {
            return out;
        };
        let inner = |quote| written.strip_prefix(quote)?.strip_suffix(quote);
        if let Some(folded) = block_header(before) {
            let indent = start - before.rfind('\n').map_or(0, |at| at + 1);
            out.block(written, indent, folded);
        } else if let Some(inner) = inner('"') {
            out.flow(inner, 1, Some('\\'));
        } else if let Some(inner) = inner('\'') {
            out.flow(inner, 1, Some('\''));
        } else {
            out.flow(written, 0, None);
        }
        out
    }

    /// Appends decoded characters with the position of their source.
    fn push(&mut self, text: &str, at: usize) {
        let [start, at] = [self.text.len(), at].map(|n| u32::try_from(n).unwrap_or(u32::MAX));
        self.places.run(start, self.source.saturating_add(at));
        self.text.push_str(text);
    }

    /// Text with folded line breaks, after `skipped` bytes of the scalar.
    fn flow(&mut self, text: &str, skipped: usize, escape: Option<char>) {
        let mut at = 0;
        // Spaces before a line break are not part of the text, unless they were escaped.
        let mut solid = 0;
        while let Some(c) = text[at..].chars().next() {
            let rest = &text[at + c.len_utf8()..];
            let place = skipped + at;
            if c == '\n' || c == '\r' {
                self.text.truncate(solid);
                at += self.fold(&text[at..], place);
                solid = self.text.len();
            } else if Some(c) == escape && c == '\'' && rest.starts_with('\'') {
                self.push("'", place);
                at += 2;
                solid = self.text.len();
            } else if Some(c) == escape && c == '\\' {
                at += 1 + self.escape(rest, place);
                solid = self.text.len();
            } else {
                self.push(c.encode_utf8(&mut [0; 4]), place);
                at += c.len_utf8();
                if c != ' ' && c != '\t' {
                    solid = self.text.len();
                }
            }
        }
    }

    /// Line breaks and the spaces around them; returns their length.
    fn fold(&mut self, text: &str, place: usize) -> usize {
        let blanks = text.find(|c| !matches!(c, ' ' | '\t' | '\r' | '\n')).unwrap_or(text.len());
        let breaks = text[..blanks].matches('\n').count().max(1);
        self.push(&if breaks == 1 { " ".into() } else { "\n".repeat(breaks - 1) }, place);
        blanks
    }

    /// Reads an escape after its backslash; returns its length.
    fn escape(&mut self, rest: &str, place: usize) -> usize {
        let Some(c) = rest.chars().next() else { return 0 };
        let digits = match c {
            '\n' | '\r' => {
                let blanks = rest.find(|c| !matches!(c, ' ' | '\t' | '\r' | '\n'));
                let blanks = blanks.unwrap_or(rest.len());
                let breaks = rest[..blanks].matches('\n').count().max(1);
                self.push(&"\n".repeat(breaks - 1), place);
                return blanks;
            }
            'x' => 2,
            'u' => 4,
            'U' => 8,
            _ => 0,
        };
        let code = rest.get(1..=digits).and_then(|d| u32::from_str_radix(d, 16).ok());
        let meant = match (c, code.and_then(char::from_u32)) {
            ('x' | 'u' | 'U', Some(meant)) => meant,
            ('0', _) => '\0',
            ('a', _) => '\u{7}',
            ('b', _) => '\u{8}',
            ('t', _) => '\t',
            ('n', _) => '\n',
            ('v', _) => '\u{b}',
            ('f', _) => '\u{c}',
            ('r', _) => '\r',
            ('e', _) => '\u{1b}',
            ('N', _) => '\u{85}',
            ('_', _) => '\u{a0}',
            ('L', _) => '\u{2028}',
            ('P', _) => '\u{2029}',
            (other, _) => other,
        };
        self.push(meant.encode_utf8(&mut [0; 4]), place);
        c.len_utf8() + code.map_or(0, |_| digits)
    }

    /// Block lines; every line but the first is indented by `indent` spaces.
    fn block(&mut self, written: &str, indent: usize, folded: bool) {
        let mut at = 0_usize;
        let mut breaks = 0;
        let mut kept = false;
        for line in written.split_inclusive('\n') {
            let content = line.trim_end_matches(['\n', '\r']);
            let blanks = content.len() - content.trim_start_matches(' ').len();
            let cut = if at == 0 { 0 } else { blanks.min(indent) };
            let content = &content[cut..];
            if !content.is_empty() {
                // Lines that begin with a space are not folded, nor the line breaks around them.
                let keeps = content.starts_with([' ', '\t']);
                let folds = folded && !kept && !keeps && breaks > 0;
                match breaks - usize::from(folds) {
                    0 if folds => self.push(" ", at.saturating_sub(1)),
                    0 => {}
                    breaks => self.push(&"\n".repeat(breaks), at.saturating_sub(1)),
                }
                self.push(content, at + cut);
                breaks = 0;
                kept = keeps;
            }
            breaks += 1;
            at += line.len();
        }
    }
}

/// Whether the text before a scalar ends in the header of a block: `Some(true)` for a folded one.
fn block_header(before: &str) -> Option<bool> {
    let header = before.trim_end_matches([' ', '\n', '\r']);
    // On a line of its own, or it is no block.
    before[header.len()..].contains('\n').then_some(())?;
    let line = header.rsplit('\n').next()?;
    let line = line.split(" #").next()?.trim_end();
    let mark = line.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-'));
    let (front, folded) = match mark.strip_suffix('>') {
        Some(front) => (front, true),
        None => (mark.strip_suffix('|')?, false),
    };
    (front.is_empty() || front.ends_with(' ')).then_some(folded)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::yaml::{Kind, NodeId, Tree};

    /// Every character of every scalar has the right source position.
    #[test]
    fn all_styles_lead_back() {
        let source = "a: \"x\\ty \\u263a\\x41 \\\n   z\n\n  end\\\"\"\nb: 'it''s\n  o''k'\nc: | # c\n  one\n   two\n\n  x\n\
                      d: >-\n  f\n  g\n\n  h\n   i\n  j\n\n\n  k\ne: plain\n  more\n\n  and\nf: !!str \"t\"\n\
                      g: &x |2+\n   k\n\nh:\n- |1\n  z\n- >\n\n  q\n\n   m\n  r\ni: \"é ü\"\nj: a > b\n\
                      k: >+1\n  x\n";
        let tree = Tree::parse(source).unwrap();
        let mut scalars = 0;
        for id in 0..u32::try_from(tree.len()).unwrap() {
            let node = tree.node(NodeId(id));
            let Kind::Scalar(text, _) = &node.kind else { continue };
            let written = ScalarText::new(source, node.span);
            assert_eq!(written.text.trim_matches('\n'), text.trim_matches('\n'));
            for (at, c) in written.text.char_indices().filter(|(_, c)| c.is_ascii_lowercase()) {
                let place = written.places.place(u32::try_from(at).unwrap()) as usize;
                assert!(
                    source[place..].starts_with(c),
                    "{c} of {text:?} at {:?}",
                    &source[place..]
                );
            }
            scalars += 1;
        }
        assert!(scalars > 20, "{scalars}");
    }

    #[test]
    fn ranges_that_are_none_are_empty() {
        for (start, end) in [(0, 9), (1, 2), (3, 1)] {
            let _text = ScalarText::new("\u{263a}\"", TextRange::new(start, end)).text;
        }
    }
}
