//! Valid YAML 1.2 that libyaml, the parser of Ruby, refuses.

use granit_parser::{Event, ScalarStyle, StructureStyle};
use ordain_source::TextRange;

use super::error::{Error, ErrorKind};

/// Follows the events of a parser with the positions that libyaml would have.
#[derive(Default)]
pub(super) struct Strictness {
    /// The open lists and maps, outermost first.
    open: Vec<Open>,
}

struct Open {
    is_flow: bool,
    is_map: bool,
    /// Whether the next node of a map is a value.
    at_value: bool,
}

impl Strictness {
    /// Handles an event; returns the reason why libyaml refuses the text there.
    pub(super) fn event(
        &mut self,
        text: &str,
        event: &Event<'_>,
        range: TextRange,
    ) -> Option<Error> {
        match event {
            Event::Scalar(_, style, anchor, tag) => {
                let error = self.scalar(text, *style, range);
                let is_flow = self.is_flow();
                self.step();
                let error = error.or_else(|| anchor_before(text, *anchor, range));
                if is_flow && tag.is_some() {
                    error.or_else(|| bare_tag(text, range))
                } else {
                    error
                }
            }
            Event::Alias(_) | Event::UnresolvedAlias(_) => {
                self.step();
                self.tab_before(text, range).or_else(|| alias(text, range))
            }
            Event::SequenceStart(style, anchor, _) => {
                let error = self.start(text, *style == StructureStyle::Flow, false, range);
                error.or_else(|| anchor_before(text, *anchor, range))
            }
            Event::MappingStart(style, anchor, _) => {
                let error = self.start(text, *style == StructureStyle::Flow, true, range);
                error.or_else(|| anchor_before(text, *anchor, range))
            }
            Event::SequenceEnd | Event::MappingEnd => {
                self.open.pop();
                None
            }
            Event::DocumentEnd => {
                self.open.clear();
                None
            }
            _ => None,
        }
    }

    /// Advances to the next node of the innermost open list or map.
    fn step(&mut self) {
        if let Some(open) = self.open.last_mut() {
            open.at_value = open.is_map && !open.at_value;
        }
    }

    fn start(
        &mut self,
        text: &str,
        is_flow: bool,
        is_map: bool,
        range: TextRange,
    ) -> Option<Error> {
        let error = self.tab_before(text, range);
        self.step();
        self.open.push(Open { is_flow, is_map, at_value: false });
        error
    }

    fn is_flow(&self) -> bool {
        self.open.last().is_some_and(|open| open.is_flow)
    }

    fn scalar(&self, text: &str, style: ScalarStyle, range: TextRange) -> Option<Error> {
        let is_plain = style == ScalarStyle::Plain;
        let (start, end) = (range.start as usize, range.end as usize);
        let starts_with_colon = text.as_bytes().get(start) == Some(&b':');
        let is_key = self.open.last().is_some_and(|open| open.is_map && !open.at_value);
        let refuse = |at: usize, message: &str| {
            let at = u32::try_from(at).unwrap_or(u32::MAX);
            Some(Error::at(text, TextRange::new(at, at), message))
        };
        if is_plain && starts_with_colon && self.is_flow() {
            let is_value = start == end && !is_key;
            if !is_value && !is_explicit(text, start) {
                let message = "did not find expected node content while parsing a flow node";
                return refuse(start, message);
            }
        }
        if is_plain && starts_with_colon && start == end && is_key && !is_explicit(text, start) {
            return refuse(start, "did not find expected key while parsing a block mapping");
        }
        if is_plain && start < end && self.is_flow() {
            let follows = text.as_bytes().get(end..).unwrap_or_default();
            if matches!(follows, [b':', b',' | b'?' | b'[' | b']' | b'{' | b'}', ..]) {
                return refuse(start, "found unexpected ':' while scanning a plain scalar");
            }
        }
        if start == end {
            return None;
        }
        let written = text.get(start..end).unwrap_or_default();
        match style {
            ScalarStyle::Literal | ScalarStyle::Folded if begins_with_tab(text, start) => {
                let message = "found a tab character where an indentation space is expected while \
                               scanning a block scalar";
                return refuse(start, message).map(|error| error.with_kind(ErrorKind::TabInText));
            }
            _ if is_key && self.is_flow() && has_late_colon(text, start, end) => {
                let message = "did not find expected ',' or '}' while parsing a flow mapping";
                return refuse(start, message);
            }
            ScalarStyle::DoubleQuoted => {
                if let Some(at) = surrogate(written) {
                    let message =
                        "found invalid Unicode character escape code while parsing a quoted scalar";
                    return refuse(start + at, message);
                }
            }
            _ => {}
        }
        self.tab_before(text, range)
    }

    /// A tab where a key might begin.
    fn tab_before(&self, text: &str, range: TextRange) -> Option<Error> {
        if self.is_flow() {
            return None;
        }
        let before = text.get(..range.start as usize)?;
        let rest = before.trim_end_matches([' ', '\t']);
        let blanks = &before[rest.len()..];
        let tab = blanks.find('\t')?;
        let line = rest.rsplit('\n').next().unwrap_or(rest);
        let may_begin = line.is_empty() || line.ends_with(['-', '?']) && line != "---";
        let at = u32::try_from(rest.len() + tab).unwrap_or(u32::MAX);
        let message =
            "found character that cannot start any token while scanning for the next token";
        may_begin.then(|| Error::at(text, TextRange::new(at, at), message))
    }
}

/// Whether a tab begins the first line of a block scalar without an explicit indentation.
fn begins_with_tab(text: &str, start: usize) -> bool {
    let Some((before, scalar)) = text.split_at_checked(start) else { return false };
    if !scalar.starts_with('\t') {
        return false;
    }
    let mut lines = before.rsplit('\n').skip(1);
    let header = lines.find(|line| !line.trim().is_empty()).unwrap_or_default();
    let header = header.split_once(" #").map_or(header, |(header, _)| header);
    let mark = header.split_whitespace().next_back().unwrap_or_default();
    !mark.contains(|c: char| c.is_ascii_digit())
}

/// Whether a key of several lines has a colon but no `?`.
fn has_late_colon(text: &str, start: usize, end: usize) -> bool {
    let follows = text.get(end..).unwrap_or_default().trim_start();
    text.get(start..end).is_some_and(|key| key.contains('\n'))
        && follows.starts_with(':')
        && !is_explicit(text, start)
}

/// The position of an escape in a double-quoted scalar that is half of a surrogate pair.
fn surrogate(written: &str) -> Option<usize> {
    let bytes = written.as_bytes();
    let mut at = 0;
    while at + 1 < bytes.len() {
        if bytes[at] != b'\\' {
            at += 1;
            continue;
        }
        let digits = match bytes[at + 1] {
            b'u' => 4,
            b'U' => 8,
            _ => 0,
        };
        let code = written.get(at + 2..at + 2 + digits);
        let code = code.and_then(|code| u32::from_str_radix(code, 16).ok());
        if code.is_some_and(|code| (0xd800..0xe000).contains(&code)) {
            return Some(at);
        }
        at += 2;
    }
    None
}

/// A tag without a node right before a closing bracket.
fn bare_tag(text: &str, range: TextRange) -> Option<Error> {
    let (before, rest) = text.split_at_checked(range.start as usize)?;
    let is_bare = range.start == range.end
        && rest.starts_with([']', '}'])
        && !before.ends_with(char::is_whitespace);
    let message = "did not find expected whitespace or line break while scanning a tag";
    is_bare.then(|| Error::at(text, range, message))
}

/// Names of anchors consist of letters, digits, `-` and `_`.
fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_')
}

fn bad_name(text: &str, at: usize, what: &str) -> Option<Error> {
    let at = u32::try_from(at).unwrap_or(u32::MAX);
    let message =
        format!("did not find expected alphabetic or numeric character while scanning an {what}");
    Some(Error::at(text, TextRange::new(at, at), message))
}

/// The name of a node's anchor, if libyaml refuses it.
fn anchor_before(text: &str, anchor: usize, range: TextRange) -> Option<Error> {
    if anchor == 0 {
        return None;
    }
    // A tag may be between the anchor and the node.
    let before = text.get(..range.start as usize)?;
    let at = before.rfind('&')?;
    let name = before[at + 1..].split(|c: char| c.is_whitespace() || ",[]{}".contains(c)).next()?;
    if name.chars().all(is_name) { None } else { bad_name(text, at, "anchor") }
}

fn alias(text: &str, range: TextRange) -> Option<Error> {
    let name = text.get(range.start as usize..range.end as usize)?.strip_prefix('*')?;
    let name = name.trim_end_matches(':');
    if name.chars().all(is_name) { None } else { bad_name(text, range.start as usize, "alias") }
}

/// Whether the indicator of an explicit key precedes a position.
fn is_explicit(text: &str, at: usize) -> bool {
    text.get(..at).is_some_and(|before| before.trim_end().ends_with('?'))
}
