//! What libyaml, which Ruby reads with, refuses although it is YAML 1.2.

use granit_parser::{Event, ScalarStyle, StructureStyle};
use ordain_source::TextRange;

use super::Error;

/// Follows the events of a parser to see what libyaml makes of their places.
#[derive(Default)]
pub(super) struct Strictness {
    /// The lists and maps that are not closed, outermost first.
    open: Vec<Open>,
}

struct Open {
    is_flow: bool,
    is_map: bool,
    /// Whether the next node of a map is a value.
    at_value: bool,
}

impl Strictness {
    /// Takes note of an event; gives why libyaml refuses the text there.
    pub(super) fn event(
        &mut self,
        text: &str,
        event: &Event<'_>,
        range: TextRange,
    ) -> Option<Error> {
        match event {
            Event::Scalar(_, style, ..) => {
                let error = self.scalar(text, *style == ScalarStyle::Plain, range);
                self.step();
                error
            }
            Event::Alias(_) | Event::UnresolvedAlias(_) => {
                self.step();
                self.tab_before(text, range)
            }
            Event::SequenceStart(style, ..) => {
                self.start(text, *style == StructureStyle::Flow, false, range)
            }
            Event::MappingStart(style, ..) => {
                self.start(text, *style == StructureStyle::Flow, true, range)
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

    /// Goes on to the next node of what is open.
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

    fn scalar(&self, text: &str, is_plain: bool, range: TextRange) -> Option<Error> {
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
        match start < end {
            true => self.tab_before(text, range),
            false => None,
        }
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

/// Whether the mark of an explicit key stands before a place.
fn is_explicit(text: &str, at: usize) -> bool {
    text.get(..at).is_some_and(|before| before.trim_end().ends_with('?'))
}
