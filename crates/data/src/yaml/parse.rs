//! From text to [`Tree`]. Only this module depends on the parser, for texts that are not in the
//! [common form](common).

use std::borrow::Cow;

use ecow::EcoString;
use granit_parser::{
    ErrorKind as ScanErrorKind, Event, Options, Parser, ScalarStyle, ScanError, Span, Tag,
};
use ordain_source::TextRange;
use rustc_hash::FxHashMap;

use super::budget::Budget;
use super::error::{Error, ErrorKind};
use super::fast_path;
use super::libyaml::Strictness;
use super::nodes::{Nodes, to_u32};
use super::tree::{Kind, Style, Tree};

/// The maximum number of times a text is parsed again with inserted spaces.
const MAX_REPAIRS: usize = 32;

impl Tree {
    /// Parses the first document of a text and ignores the rest.
    ///
    /// # Errors
    /// When the text up to the document's end is invalid YAML, or nested too deeply.
    pub fn parse(text: &str) -> Result<Self, Error> {
        Ok(documents(text, Budget::default(), 1)?.pop().unwrap_or_default())
    }

    /// Parses all documents of a text.
    ///
    /// # Errors
    /// When the text is invalid YAML, or nested too deeply.
    pub fn parse_all(text: &str) -> Result<Vec<Self>, Error> {
        documents(text, Budget::default(), usize::MAX)
    }
}

/// Parses at most `limit` documents.
///
/// Data files are written for libyaml, which accepts some forms that are not YAML 1.2: a quoted
/// text that continues at the left margin or after a tab, a comment directly after another token,
/// and `*name:` for an alias as key. Inserted spaces make them valid without a change of meaning.
fn documents(text: &str, budget: Budget, limit: usize) -> Result<Vec<Tree>, Error> {
    if u32::try_from(text.len()).is_err() {
        return Err(Error::at("", TextRange::new(0, 0), "the text is larger than 4 GiB"));
    }
    match fast_path::documents(text, budget, limit) {
        Some(trees) => Ok(trees),
        None => any_documents(text, budget, limit),
    }
}

/// Parses at most `limit` documents of any form.
fn any_documents(text: &str, budget: Budget, limit: usize) -> Result<Vec<Tree>, Error> {
    let mut blanks = InsertedBlanks::default();
    loop {
        let (repaired, error) = match attempt(text, &blanks, budget, limit) {
            Ok(trees) => return Ok(trees),
            Err(Failure::Final(error)) => return Err(error),
            Err(Failure::Repairable(at, count, error)) => (blanks.add(at, count), error),
        };
        if !repaired || blanks.0.len() > MAX_REPAIRS {
            return Err(error);
        }
    }
}

/// Spaces that are inserted into a text before parsing, with their offsets and numbers.
#[derive(Default)]
struct InsertedBlanks(Vec<(u32, u32)>);

impl InsertedBlanks {
    /// Adds spaces; `false` if there are some already.
    fn add(&mut self, at: u32, count: u32) -> bool {
        match self.0.binary_search_by_key(&at, |b| b.0) {
            Ok(_) => false,
            Err(i) => {
                self.0.insert(i, (at, count));
                true
            }
        }
    }

    fn put_into<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.0.is_empty() {
            return text.into();
        }
        let mut out = String::with_capacity(text.len());
        let mut done = 0;
        for &(at, count) in &self.0 {
            out.push_str(&text[done..at as usize]);
            out.extend(std::iter::repeat_n(' ', count as usize));
            done = at as usize;
        }
        out.push_str(&text[done..]);
        out.into()
    }

    /// The place in the text without the blanks.
    fn original(&self, mut place: u32) -> u32 {
        for &(at, count) in &self.0 {
            if place < at {
                break;
            }
            place = at.max(place.saturating_sub(count));
        }
        place
    }
}

/// The reason why a text could not be parsed.
enum Failure {
    /// As it is.
    Final(Error),
    /// Inserted spaces may help: offset and number.
    Repairable(u32, u32, Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Final(error)
    }
}

fn attempt(
    text: &str,
    blanks: &InsertedBlanks,
    budget: Budget,
    limit: usize,
) -> Result<Vec<Tree>, Failure> {
    let spaced = blanks.put_into(text);
    let body = spaced.strip_prefix('\u{feff}').unwrap_or(&spaced);
    let skipped = to_u32(spaced.len() - body.len());
    let depth = budget.depth as usize;
    let mut options = Options::default();
    options.set_emit_comments(false);
    options.emit_unresolved_aliases = true;
    options.flow_nesting_limit = depth;
    options.block_nesting_limit = depth;
    let mut reader = Reader {
        text,
        skipped,
        blanks,
        nodes: Nodes::default(),
        anchors: FxHashMap::default(),
        tags: FxHashMap::default(),
        strictness: Strictness::default(),
    };
    let mut parser = Parser::new_from_str_with_options(body, options);
    while let Some(event) = parser.next_event() {
        let (event, span) = event.map_err(|e| reader.scan_error(&e))?;
        reader.event(event, span)?;
        if reader.nodes.documents() >= limit {
            break;
        }
    }
    Ok(reader.nodes.into_trees(line_starts(text)))
}

/// One more than the deepest indentation of a text.
fn deepest(text: &str) -> u32 {
    let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
    to_u32(text.lines().map(indent).max().unwrap_or(0) + 1)
}

/// The starts of the lines of a text.
fn line_starts(text: &str) -> Vec<u32> {
    let ends = text.bytes().enumerate().filter(|(_, b)| *b == b'\n');
    std::iter::once(0).chain(ends.map(|(i, _)| to_u32(i + 1))).collect()
}

struct Reader<'t> {
    text: &'t str,
    /// The length of the byte order mark before the parser's text.
    skipped: u32,
    blanks: &'t InsertedBlanks,
    nodes: Nodes,
    anchors: FxHashMap<usize, u32>,
    tags: FxHashMap<EcoString, u32>,
    strictness: Strictness,
}

impl Reader<'_> {
    fn event(&mut self, event: Event<'_>, span: Span) -> Result<(), Failure> {
        let range = self.range(span);
        if let Some(error) = self.strictness.event(self.text, &event, range) {
            self.nodes.refuse(error);
        }
        match event {
            Event::DocumentEnd => self.end_document(),
            Event::Scalar(text, style, anchor, tag) => {
                let (mut text, style) = scalar(text, style, range);
                if style == Style::Block && self.is_cut_off(range, &text) {
                    text.truncate(text.len() - 1);
                }
                self.push(Kind::Scalar(text, style), range, anchor, tag.as_deref());
            }
            Event::SequenceStart(_, anchor, tag) => {
                self.start(Kind::List, range, anchor, tag.as_deref());
            }
            Event::MappingStart(_, anchor, tag) => {
                self.start(Kind::Map, range, anchor, tag.as_deref());
            }
            Event::SequenceEnd | Event::MappingEnd => self.nodes.end(range),
            Event::Alias(anchor) => self.alias(anchor, range)?,
            Event::UnresolvedAlias(name) => {
                let text = format!("Unknown alias: {name}");
                let error = Error::at(self.text, range, text)
                    .with_kind(ErrorKind::UnknownAlias(name.to_string()));
                return Err(match name.strip_suffix(':') {
                    Some(name) => {
                        let colon = range.start + 1 + to_u32(name.len());
                        Failure::Repairable(self.clamp(colon), 1, error)
                    }
                    None => Failure::Final(error),
                });
            }
            _ => {}
        }
        Ok(())
    }

    fn push(&mut self, kind: Kind, span: TextRange, anchor: usize, tag: Option<&Tag>) {
        let tag = tag.map_or(0, |t| self.tag(t));
        let id = self.nodes.push(kind, span, tag);
        if anchor != 0 {
            self.anchors.insert(anchor, id);
        }
    }

    fn start(&mut self, kind: Kind, span: TextRange, anchor: usize, tag: Option<&Tag>) {
        let tag = tag.map_or(0, |t| self.tag(t));
        let id = self.nodes.start(kind, span, tag);
        if anchor != 0 {
            self.anchors.insert(anchor, id);
        }
    }

    fn alias(&mut self, anchor: usize, span: TextRange) -> Result<(), Error> {
        let Some(target) = self.anchors.get(&anchor).copied() else {
            return Err(Error::at(self.text, span, "Unknown alias"));
        };
        if self.nodes.alias(target, span) {
            return Ok(());
        }
        Err(Error::at(self.text, span, "the alias refers to a value that contains it"))
    }

    fn tag(&mut self, tag: &Tag) -> u32 {
        let name = EcoString::from(format!("{}{}", tag.handle(), tag.suffix()));
        if let Some(id) = self.tags.get(&name) {
            return *id;
        }
        let id = self.nodes.tag(name.clone());
        self.tags.insert(name, id);
        id
    }

    fn end_document(&mut self) {
        self.anchors.clear();
        self.tags.clear();
        self.nodes.end_document();
    }

    fn range(&self, span: Span) -> TextRange {
        let byte = |m: &granit_parser::Marker| {
            let place = to_u32(m.byte_offset().unwrap_or_else(|| m.index())) + self.skipped;
            self.clamp(self.blanks.original(place))
        };
        let (start, end) = (byte(&span.start), byte(&span.end));
        TextRange::new(start, end.max(start))
    }

    /// Whether a text without a final line break ends in a block scalar. Programs built on libyaml
    /// add no line break there.
    fn is_cut_off(&self, range: TextRange, value: &str) -> bool {
        let Some(value) = value.strip_suffix('\n') else { return false };
        if (range.end as usize) < self.text.len() {
            return false;
        }
        let written = self.text.rsplit(['\n', '\r']).next().unwrap_or_default();
        // Of a line of spaces, only the part beyond the indentation counts.
        let read = value.rsplit('\n').next().unwrap_or_default();
        !written.trim().is_empty() || !read.is_empty() && written.ends_with(read)
    }

    /// A position inside the text and on a character boundary, whatever the parser returns.
    fn clamp(&self, at: u32) -> u32 {
        let mut at = (at as usize).min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        to_u32(at)
    }

    fn scan_error(&self, e: &ScanError) -> Failure {
        let mark = e.marker();
        let place = to_u32(mark.byte_offset().unwrap_or_else(|| mark.index())) + self.skipped;
        let at = self.clamp(self.blanks.original(place));
        let info = e.info();
        let message = if info.is_empty() { "no valid YAML".to_owned() } else { info };
        let error = Error::at(self.text, TextRange::new(at, at), message).with_kind(kind(e.kind()));
        let is_indent = matches!(
            e.kind(),
            ScanErrorKind::InvalidQuotedScalarIndent | ScanErrorKind::TabInIndentation
        );
        if is_indent && !is_marker(self.text, at as usize) {
            return Failure::Repairable(at, deepest(self.text), error);
        }
        if *e.kind() == ScanErrorKind::CommentNotSeparated {
            return Failure::Repairable(at, 1, error);
        }
        Failure::Final(error)
    }
}

/// The kind of an error of the parser.
fn kind(kind: &ScanErrorKind) -> ErrorKind {
    use ScanErrorKind as Scan;
    match kind {
        Scan::ExpectedBlockMappingKey => ErrorKind::MapEntryExpected,
        Scan::ExpectedBlockSequenceEntry => ErrorKind::ListEntryExpected,
        Scan::SimpleKeyExpected => ErrorKind::ColonExpected,
        Scan::MappingValueNotAllowed => ErrorKind::MapNotAllowed,
        Scan::InvalidColonPlacement => ErrorKind::MisplacedColon,
        Scan::UnclosedQuotedScalar => ErrorKind::UnclosedQuote,
        Scan::UnclosedFlowCollection { open } => ErrorKind::UnclosedBracket(*open),
        Scan::MisplacedFlowCollectionEnd => ErrorKind::MisplacedBracket,
        Scan::ExpectedNodeContent | Scan::UnexpectedEofImplicitFlowMapping => {
            ErrorKind::ValueExpected
        }
        Scan::InvalidTrailingSingleQuotedScalar | Scan::InvalidTrailingDoubleQuotedScalar => {
            ErrorKind::TextAfterQuote
        }
        Scan::UnknownQuotedScalarEscape => ErrorKind::UnknownEscape,
        Scan::InvalidQuotedScalarHexEscape => ErrorKind::IncompleteEscape,
        Scan::MissingAnchorOrAliasName => ErrorKind::MissingName,
        Scan::UnexpectedCharacter { .. } => ErrorKind::UnexpectedCharacter,
        Scan::TabNotAllowed | Scan::TabInBlockIndentation => ErrorKind::Tab,
        Scan::TabInIndentation | Scan::TabAtBlockScalarStart | Scan::TabInPlainScalar => {
            ErrorKind::TabInText
        }
        _ => ErrorKind::Syntax,
    }
}

/// Whether `---` or `...` is alone at the start of a line.
fn is_marker(text: &str, at: usize) -> bool {
    let (before, rest) = text.split_at(at);
    let rest = rest.strip_prefix("---").or_else(|| rest.strip_prefix("..."));
    let ends = |rest: &str| rest.is_empty() || rest.starts_with([' ', '\t', '\n', '\r']);
    before.ends_with(['\n', '\r']) && rest.is_some_and(ends)
}

/// The parser returns `~` for a missing plain scalar.
fn scalar(text: Cow<'_, str>, style: ScalarStyle, range: TextRange) -> (EcoString, Style) {
    match style {
        ScalarStyle::Plain if range.start == range.end => (EcoString::new(), Style::Plain),
        ScalarStyle::Plain => (text.as_ref().into(), Style::Plain),
        ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => {
            (text.as_ref().into(), Style::Quoted)
        }
        ScalarStyle::Literal | ScalarStyle::Folded => (text.as_ref().into(), Style::Block),
    }
}

#[cfg(test)]
mod tests;
