//! Writes YAML in the layout of libyaml 0.2.5, which Ruby's Psych and many other programs use.
//!
//! Callers choose tags and prefer a style; the final style depends on the text ([`Analysis`]).
//! Lists and maps are written as blocks, and empty ones as `[]` and `{}`. The canonical form has
//! brackets everywhere.

/// The style that a caller prefers for a scalar.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PreferredStyle {
    Plain,
    Single,
    Double,
    Literal,
    Folded,
}

/// A scalar to write.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scalar<'a> {
    pub(super) text: &'a str,
    /// The tag as it is written, such as `!!str`.
    pub(super) tag: &'static str,
    /// Whether it may be plain; otherwise it needs quotes or a tag.
    pub(super) plain: bool,
    /// Whether it may be quoted without a tag.
    pub(super) quoted: bool,
    pub(super) preferred: PreferredStyle,
}

/// Layout of the output.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    /// Blanks a level.
    pub(super) indent: usize,
    /// Column after which text is folded.
    pub(super) width: usize,
    /// Whether everything is explicit: brackets, quotes and tags.
    pub(super) canonical: bool,
}

/// The position of a node in the document.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct NodePosition {
    /// As the value or key of a map.
    pub(super) in_map: bool,
    /// As a key on one line.
    pub(super) simple_key: bool,
}

pub(super) struct Emitter {
    out: String,
    layout: Layout,
    /// The indentation of the open lists and maps; -1 at the start.
    indent: i64,
    column: usize,
    /// Whether the last output was a space or a line break.
    whitespace: bool,
    /// Whether the line contains only indentation and `-`, `?`, `:`.
    indention: bool,
    /// Whether the last block ended in significant line breaks, so that the end must be marked.
    open_ended: bool,
}

impl Emitter {
    pub(super) fn new(layout: Layout) -> Self {
        Self {
            out: String::new(),
            layout,
            indent: -1,
            column: 0,
            whitespace: true,
            indention: true,
            open_ended: false,
        }
    }

    pub(super) fn start_document(&mut self, version: bool) {
        if version {
            self.indicator("%YAML", true, false, false);
            self.indicator("1.1", true, false, false);
            self.write_indent();
        }
        self.indicator("---", true, false, false);
        if self.layout.canonical {
            self.write_indent();
        }
    }

    pub(super) fn finish(mut self) -> String {
        self.write_indent();
        if self.open_ended {
            self.indicator("...", true, false, false);
            self.write_indent();
        }
        self.out
    }

    /// An anchor or alias.
    pub(super) fn name(&mut self, sigil: &str, number: usize) {
        self.indicator(sigil, true, false, false);
        let digits = number.to_string();
        self.put_str(&digits);
        self.whitespace = false;
        self.indention = false;
    }

    /// The space after an alias that is a key.
    pub(super) fn blank(&mut self) {
        self.put(' ');
    }

    pub(super) fn empty_list(&mut self) {
        self.indicator("[", true, true, false);
        self.indicator("]", false, false, false);
    }

    pub(super) fn empty_map(&mut self) {
        self.indicator("{", true, true, false);
        self.indicator("}", false, false, false);
    }

    /// Opens a list; pass the result to [`Self::close_list`].
    pub(super) fn open_list(&mut self, place: NodePosition) -> i64 {
        if self.layout.canonical {
            self.indicator("[", true, true, false);
            return self.increase(true, false);
        }
        let flush = place.in_map && !self.indention;
        self.increase(false, flush)
    }

    /// Opens a map; pass the result to [`Self::close_map`].
    pub(super) fn open_map(&mut self) -> i64 {
        if self.layout.canonical {
            self.indicator("{", true, true, false);
            return self.increase(true, false);
        }
        self.increase(false, false)
    }

    pub(super) fn close_list(&mut self, before: i64) {
        self.close(before, "]");
    }

    pub(super) fn close_map(&mut self, before: i64) {
        self.close(before, "}");
    }

    fn close(&mut self, before: i64, bracket: &str) {
        self.indent = before;
        if self.layout.canonical {
            self.indicator(",", false, false, false);
            self.write_indent();
            self.indicator(bracket, false, false, false);
        }
    }

    /// Writes the mark before an item of a list.
    pub(super) fn item(&mut self, is_first: bool) {
        self.next_line(is_first);
        if !self.layout.canonical {
            self.indicator("-", true, false, true);
        }
    }

    /// Writes the mark before a key of a map.
    pub(super) fn key(&mut self, simple: bool, is_first: bool) {
        self.next_line(is_first);
        if self.layout.canonical {
            self.indicator("?", true, false, false);
        } else if !simple {
            self.indicator("?", true, false, true);
        }
    }

    fn next_line(&mut self, is_first: bool) {
        if self.layout.canonical && !is_first {
            self.indicator(",", false, false, false);
        }
        self.write_indent();
    }

    /// Writes the indicator before the value of a key.
    pub(super) fn value(&mut self, simple: bool) {
        if self.layout.canonical {
            self.write_indent();
            self.indicator(":", true, false, false);
        } else if simple {
            self.indicator(":", false, false, false);
        } else {
            self.write_indent();
            self.indicator(":", true, false, true);
        }
    }

    pub(super) fn scalar(&mut self, scalar: &Scalar<'_>, place: NodePosition) {
        let analysis = Analysis::of(scalar.text);
        let style = match self.layout.canonical {
            true => PreferredStyle::Double,
            false => choose(scalar, &analysis, place),
        };
        let is_tagged = self.layout.canonical || !scalar.plain && !scalar.quoted;
        let tag = match if is_tagged { scalar.tag } else { "" } {
            "" if style != PreferredStyle::Plain && !scalar.quoted => "!",
            tag => tag,
        };
        if !tag.is_empty() {
            self.indicator(tag, true, false, false);
        }
        let before = self.increase(true, false);
        let breaks = !place.simple_key;
        match style {
            PreferredStyle::Plain => self.plain(scalar.text, breaks),
            PreferredStyle::Single => self.single_quoted(scalar.text, breaks),
            PreferredStyle::Double => self.double_quoted(scalar.text, breaks),
            PreferredStyle::Literal => self.literal(scalar.text),
            PreferredStyle::Folded => self.folded(scalar.text),
        }
        self.indent = before;
    }

    fn increase(&mut self, flow: bool, flush: bool) -> i64 {
        let before = self.indent;
        let step = i64::try_from(self.layout.indent).unwrap_or(2);
        if self.indent < 0 {
            self.indent = if flow { step } else { 0 };
        } else if !flush {
            self.indent += step;
        }
        before
    }

    fn put(&mut self, c: char) {
        self.out.push(c);
        self.column += 1;
    }

    fn put_str(&mut self, text: &str) {
        self.out.push_str(text);
        self.column += text.chars().count();
    }

    fn put_break(&mut self) {
        self.out.push('\n');
        self.column = 0;
    }

    /// Writes a line break of the text itself.
    fn write_break(&mut self, c: char) {
        self.out.push(c);
        self.column = 0;
    }

    fn write_indent(&mut self) {
        let indent = usize::try_from(self.indent).unwrap_or(0);
        if !self.indention || self.column > indent || (self.column == indent && !self.whitespace) {
            self.put_break();
        }
        while self.column < indent {
            self.put(' ');
        }
        self.whitespace = true;
        self.indention = true;
    }

    fn indicator(&mut self, text: &str, needs_blank: bool, is_blank: bool, is_indention: bool) {
        if needs_blank && !self.whitespace {
            self.put(' ');
        }
        self.put_str(text);
        self.whitespace = is_blank;
        self.indention = self.indention && is_indention;
    }

    fn may_fold(&self, breaks: bool, spaces: bool) -> bool {
        breaks && !spaces && self.column > self.layout.width
    }

    fn plain(&mut self, text: &str, breaks: bool) {
        if !self.whitespace && !text.is_empty() {
            self.put(' ');
        }
        self.flowing(text, breaks, false);
        self.whitespace = false;
        self.indention = false;
    }

    fn single_quoted(&mut self, text: &str, breaks: bool) {
        self.indicator("'", true, false, false);
        if self.flowing(text, breaks, true) {
            self.write_indent();
        }
        self.indicator("'", false, false, false);
        self.whitespace = false;
        self.indention = false;
    }

    /// Writes text without escapes; returns whether it ended in a line break.
    fn flowing(&mut self, text: &str, allowed: bool, quoted: bool) -> bool {
        let (mut spaces, mut breaks) = (false, false);
        for (at, c) in text.char_indices() {
            let rest = &text[at + c.len_utf8()..];
            if c == ' ' {
                let inside = !quoted || (at != 0 && !rest.is_empty());
                if self.may_fold(allowed, spaces) && inside && !rest.starts_with(' ') {
                    self.write_indent();
                } else {
                    self.put(c);
                }
                spaces = true;
            } else if is_break(c) {
                if !breaks && c == '\n' {
                    self.put_break();
                }
                self.write_break(c);
                self.indention = true;
                breaks = true;
            } else {
                if breaks {
                    self.write_indent();
                }
                if quoted && c == '\'' {
                    self.put('\'');
                }
                self.put(c);
                self.indention = false;
                spaces = false;
                breaks = false;
            }
        }
        breaks
    }

    fn double_quoted(&mut self, text: &str, allowed: bool) {
        self.indicator("\"", true, false, false);
        let mut spaces = false;
        for (at, c) in text.char_indices() {
            let rest = &text[at + c.len_utf8()..];
            if !is_printable(c) || is_break(c) || matches!(c, '"' | '\\') {
                let escaped = escape(c);
                self.put_str(&escaped);
                spaces = false;
            } else if c == ' ' {
                if self.may_fold(allowed, spaces) && at != 0 && !rest.is_empty() {
                    self.write_indent();
                    if rest.starts_with(' ') {
                        self.put('\\');
                    }
                } else {
                    self.put(c);
                }
                spaces = true;
            } else {
                self.put(c);
                spaces = false;
            }
        }
        self.indicator("\"", false, false, false);
        self.whitespace = false;
        self.indention = false;
    }

    /// The header after `|` or `>`: the indentation if it cannot be detected, and the chomping.
    fn block_hints(&mut self, text: &str) {
        if text.starts_with([' ', '\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']) {
            let digit = self.layout.indent.to_string();
            self.indicator(&digit, false, false, false);
        }
        self.open_ended = false;
        let mut back = text.chars().rev();
        let hint = match (back.next(), back.next()) {
            (Some(last), before) if is_break(last) => before.is_none_or(is_break).then_some("+"),
            _ => Some("-"),
        };
        if let Some(hint) = hint {
            self.open_ended = hint == "+";
            self.indicator(hint, false, false, false);
        }
        self.put_break();
        self.indention = true;
        self.whitespace = true;
    }

    fn literal(&mut self, text: &str) {
        self.indicator("|", true, false, false);
        self.block_hints(text);
        let mut breaks = true;
        for c in text.chars() {
            if is_break(c) {
                self.write_break(c);
                self.indention = true;
                breaks = true;
            } else {
                if breaks {
                    self.write_indent();
                }
                self.put(c);
                self.indention = false;
                breaks = false;
            }
        }
    }

    fn folded(&mut self, text: &str) {
        self.indicator(">", true, false, false);
        self.block_hints(text);
        let (mut breaks, mut leading) = (true, true);
        for (at, c) in text.char_indices() {
            let rest = &text[at + c.len_utf8()..];
            if is_break(c) {
                if !breaks && !leading && c == '\n' {
                    let next = rest.trim_start_matches(is_break).chars().next();
                    if !next.is_none_or(|n| matches!(n, ' ' | '\t' | '\0')) {
                        self.put_break();
                    }
                }
                self.write_break(c);
                self.indention = true;
                breaks = true;
            } else {
                if breaks {
                    self.write_indent();
                    leading = matches!(c, ' ' | '\t');
                }
                if !breaks && c == ' ' && !rest.starts_with(' ') && self.column > self.layout.width
                {
                    self.write_indent();
                } else {
                    self.put(c);
                }
                self.indention = false;
                breaks = false;
            }
        }
    }
}

/// The final style of a scalar.
fn choose(scalar: &Scalar<'_>, analysis: &Analysis, place: NodePosition) -> PreferredStyle {
    let mut style = scalar.preferred;
    if place.simple_key && analysis.multiline {
        style = PreferredStyle::Double;
    }
    let no_tag = scalar.tag.is_empty() || scalar.plain || scalar.quoted;
    if style == PreferredStyle::Plain
        && (!analysis.plain
            || (scalar.text.is_empty() && place.simple_key)
            || (no_tag && !scalar.plain))
    {
        style = PreferredStyle::Single;
    }
    if style == PreferredStyle::Single && !analysis.single {
        style = PreferredStyle::Double;
    }
    if matches!(style, PreferredStyle::Literal | PreferredStyle::Folded)
        && (!analysis.block || place.simple_key)
    {
        style = PreferredStyle::Double;
    }
    style
}

/// In which styles a text can be written.
struct Analysis {
    multiline: bool,
    plain: bool,
    single: bool,
    block: bool,
}

impl Analysis {
    fn of(text: &str) -> Self {
        let mut seen = TextTraits::default();
        let marks = text.starts_with("---") || text.starts_with("...");
        seen.indicators = marks;
        let mut chars = text.chars().peekable();
        let mut after_blank = true;
        let mut first = true;
        while let Some(c) = chars.next() {
            let next = chars.peek().copied();
            let before_blank = next.is_none_or(is_blank_or_end);
            seen.indicators |= is_indicator(c, first, after_blank, before_blank);
            seen.special |= !is_printable(c);
            seen.layout(c, first, next.is_none());
            after_blank = is_blank_or_end(c);
            first = false;
        }
        let edges = seen.leading || seen.trailing_space || seen.trailing_break;
        let flows = !(seen.break_space || seen.space_break || seen.special);
        Self {
            multiline: seen.breaks,
            plain: flows && !(edges || seen.breaks || seen.indicators),
            single: flows,
            block: !(seen.trailing_space || seen.space_break || seen.special),
        }
    }
}

/// The traits of a text that determine its possible styles.
#[derive(Default)]
struct TextTraits {
    indicators: bool,
    special: bool,
    breaks: bool,
    leading: bool,
    trailing_space: bool,
    trailing_break: bool,
    /// A blank after a line break.
    break_space: bool,
    /// A line break after a blank.
    space_break: bool,
    previous_space: bool,
    previous_break: bool,
}

impl TextTraits {
    fn layout(&mut self, c: char, first: bool, last: bool) {
        let (space, line) = (c == ' ', is_break(c));
        self.leading |= first && (space || line);
        self.trailing_space |= last && space;
        self.trailing_break |= last && line;
        self.break_space |= space && self.previous_break;
        self.space_break |= line && self.previous_space;
        self.breaks |= line;
        self.previous_space = space;
        self.previous_break = line;
    }
}

/// Whether a character at this position in a block is an indicator instead of text.
fn is_indicator(c: char, first: bool, after_blank: bool, before_blank: bool) -> bool {
    if first {
        return match c {
            '#' | ',' | '[' | ']' | '{' | '}' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%'
            | '@' | '`' => true,
            '?' | ':' | '-' => before_blank,
            _ => false,
        };
    }
    match c {
        ':' => before_blank,
        '#' => after_blank,
        _ => false,
    }
}

fn is_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn is_blank_or_end(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\0') || is_break(c)
}

/// Characters beyond U+FFFF count as unprintable in libyaml.
fn is_printable(c: char) -> bool {
    matches!(c, '\n' | ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}')
        && c != '\u{feff}'
}

fn escape(c: char) -> String {
    let short = match c {
        '\0' => '0',
        '\u{7}' => 'a',
        '\u{8}' => 'b',
        '\t' => 't',
        '\n' => 'n',
        '\u{b}' => 'v',
        '\u{c}' => 'f',
        '\r' => 'r',
        '\u{1b}' => 'e',
        '"' | '\\' => c,
        '\u{85}' => 'N',
        '\u{a0}' => '_',
        '\u{2028}' => 'L',
        '\u{2029}' => 'P',
        _ => {
            let code = u32::from(c);
            return match code {
                0..=0xff => format!("\\x{code:02X}"),
                0x100..=0xffff => format!("\\u{code:04X}"),
                _ => format!("\\U{code:08X}"),
            };
        }
    };
    format!("\\{short}")
}
