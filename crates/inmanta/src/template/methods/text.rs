//! The methods of texts.

use std::sync::OnceLock;

use ecow::EcoString;
use ordain_functions::text::{capitalize, is_python_space, swapcase};
use regex::Regex;

use super::super::arguments::Arguments;
use super::super::attributes::slice_places;
use super::super::fault::{Fault, Res, type_error, value_error};
use super::super::runtime::Runtime;
use super::super::value::{Entries, Val};
use crate::diagnostics::Exception;

/// The methods of escaped texts that escape their arguments and return escaped texts.
const ESCAPING: &[&str] = &[
    "capitalize",
    "title",
    "lower",
    "upper",
    "replace",
    "ljust",
    "rjust",
    "lstrip",
    "rstrip",
    "center",
    "strip",
    "translate",
    "expandtabs",
    "swapcase",
    "zfill",
    "casefold",
    "removeprefix",
    "removesuffix",
    "partition",
    "rpartition",
];

#[expect(clippy::expect_used, reason = "the patterns are constants")]
fn class(pattern: &'static str, cell: &'static OnceLock<Regex>) -> &'static Regex {
    cell.get_or_init(|| Regex::new(pattern).expect("the pattern is well-formed"))
}

fn every(text: &str, is_one: impl Fn(char) -> bool) -> bool {
    !text.is_empty() && text.chars().all(is_one)
}

fn matches_class(c: char, pattern: &'static str, cell: &'static OnceLock<Regex>) -> bool {
    class(pattern, cell).is_match(c.encode_utf8(&mut [0; 4]))
}

pub(in super::super) fn is_letter(c: char) -> bool {
    static LETTER: OnceLock<Regex> = OnceLock::new();
    if c.is_ascii() { c.is_ascii_alphabetic() } else { matches_class(c, r"^\p{L}", &LETTER) }
}

fn is_decimal(c: char) -> bool {
    static DECIMAL: OnceLock<Regex> = OnceLock::new();
    if c.is_ascii() { c.is_ascii_digit() } else { matches_class(c, r"^\p{Nd}", &DECIMAL) }
}

fn is_digit(c: char) -> bool {
    is_decimal(c)
        || matches!(c,
            '\u{b2}' | '\u{b3}' | '\u{b9}' | '\u{1369}'..='\u{1371}' | '\u{19da}' | '\u{2070}'
            | '\u{2074}'..='\u{2079}' | '\u{2080}'..='\u{2089}' | '\u{2460}'..='\u{2468}'
            | '\u{2474}'..='\u{247c}' | '\u{2488}'..='\u{2490}' | '\u{24ea}'
            | '\u{24f5}'..='\u{24fd}' | '\u{24ff}' | '\u{2776}'..='\u{277e}'
            | '\u{2780}'..='\u{2788}' | '\u{278a}'..='\u{2792}' | '\u{1f100}'..='\u{1f10a}')
}

fn is_printable(c: char) -> bool {
    static HIDDEN: OnceLock<Regex> = OnceLock::new();
    c == ' ' || !matches_class(c, r"^[\p{C}\p{Z}]", &HIDDEN)
}

fn is_cased(c: char) -> bool {
    c.is_lowercase() || c.is_uppercase()
}

/// Python's `str.islower` and `str.isupper`.
pub(in super::super) fn has_case(text: &str, is_lower: bool) -> bool {
    let is_wrong = |c: char| if is_lower { c.is_uppercase() } else { c.is_lowercase() };
    text.chars().any(is_cased) && !text.chars().any(is_wrong)
}

fn is_title(text: &str) -> bool {
    let (mut is_inside, mut has_any) = (false, false);
    for c in text.chars() {
        if c.is_uppercase() {
            if is_inside {
                return false;
            }
            (is_inside, has_any) = (true, true);
        } else if c.is_lowercase() {
            if !is_inside {
                return false;
            }
            has_any = true;
        } else {
            is_inside = false;
        }
    }
    has_any
}

fn title(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut is_inside = false;
    for c in text.chars() {
        if is_inside {
            out.extend(c.to_lowercase())
        } else {
            out.push_str(&capitalize(&c.to_string()))
        }
        is_inside = is_cased(c);
    }
    out
}

fn casefold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        let upper: Vec<char> = c.to_uppercase().collect();
        match c {
            'ẞ' => out.push_str("ss"),
            'ς' => out.push('σ'),
            'ſ' => out.push('s'),
            _ if upper.len() > 1 => upper.iter().for_each(|c| out.extend(c.to_lowercase())),
            _ => out.extend(c.to_lowercase()),
        }
    }
    out
}

/// Python's `splitlines`.
pub(in super::super) fn lines(text: &str, keeps_ends: bool) -> Vec<&str> {
    let is_end = |c: char| {
        matches!(
            c,
            '\n' | '\r' | '\x0b' | '\x0c' | '\x1c'..='\x1e' | '\u{85}' | '\u{2028}' | '\u{2029}'
        )
    };
    let mut found = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let Some((at, c)) = rest.char_indices().find(|(_, c)| is_end(*c)) else {
            found.push(rest);
            break;
        };
        let mut end = at + c.len_utf8();
        if c == '\r' && rest[end..].starts_with('\n') {
            end += 1;
        }
        found.push(&rest[..if keeps_ends { end } else { at }]);
        rest = &rest[end..];
    }
    found
}

/// Python's `split` and `rsplit`.
pub(in super::super) fn split(
    text: &str,
    separator: Option<&str>,
    most: i64,
    from_right: bool,
) -> Vec<String> {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let Some(separator) = separator else { return split_blanks(text, most, from_right) };
    let limit = most.saturating_add(1);
    if from_right {
        let mut parts: Vec<String> = text.rsplitn(limit, separator).map(str::to_owned).collect();
        parts.reverse();
        return parts;
    }
    text.splitn(limit, separator).map(str::to_owned).collect()
}

fn split_blanks(text: &str, most: usize, from_right: bool) -> Vec<String> {
    let mut parts = Vec::new();
    let mut rest = text.trim_matches(is_python_space);
    if most == 0 && !rest.is_empty() {
        let kept = if from_right {
            text.trim_end_matches(is_python_space)
        } else {
            text.trim_start_matches(is_python_space)
        };
        return vec![kept.to_owned()];
    }
    if parts.len() < most {
        rest = if from_right {
            text.trim_end_matches(is_python_space)
        } else {
            text.trim_start_matches(is_python_space)
        };
    }
    while !rest.is_empty() && parts.len() < most {
        if from_right {
            let at = rest.rfind(is_python_space);
            let Some(at) = at else { break };
            let begin = at + rest[at..].chars().next().map_or(0, char::len_utf8);
            parts.push(rest[begin..].to_owned());
            rest = rest[..at].trim_end_matches(is_python_space);
        } else {
            let Some(at) = rest.find(is_python_space) else { break };
            parts.push(rest[..at].to_owned());
            rest = rest[at..].trim_start_matches(is_python_space);
        }
    }
    if !rest.is_empty() {
        parts.push(rest.to_owned());
    }
    if from_right {
        parts.reverse();
    }
    parts
}

fn padded(text: &str, width: usize, fill: char, before: usize) -> String {
    let count = text.chars().count();
    let missing = width.saturating_sub(count);
    let before = before.min(missing);
    let fill = |count: usize| std::iter::repeat_n(fill, count);
    fill(before).chain(text.chars()).chain(fill(missing - before)).collect()
}

fn expanded_tabs(text: &str, size: i64) -> String {
    let mut out = String::new();
    let mut column = 0i64;
    for c in text.chars() {
        match c {
            '\t' if size > 0 => {
                let missing = size - column % size;
                out.extend(std::iter::repeat_n(' ', missing as usize));
                column += missing;
            }
            '\t' => {}
            c => {
                out.push(c);
                column = if c == '\n' || c == '\r' { 0 } else { column + 1 };
            }
        }
    }
    out
}

fn must_be_text(value: &Val, what: &str) -> Res<EcoString> {
    match value.as_text() {
        Some(text) => Ok(text.clone()),
        None => Err(type_error(format!("{what}, not {}", value.type_name()))),
    }
}

/// `str.startswith` and `str.endswith` with an affix or a tuple of affixes.
fn has_affix(name: &str, affixes: &Val, is_found: &dyn Fn(&str) -> bool) -> Res<Val> {
    match affixes {
        Val::Str(affix) | Val::Markup(affix) => Ok(Val::Bool(is_found(affix))),
        Val::Tuple(all) => {
            for affix in &all.items {
                let message = format!("tuple for {name} must only contain str");
                if is_found(&must_be_text(affix, &message)?) {
                    return Ok(Val::Bool(true));
                }
            }
            Ok(Val::Bool(false))
        }
        other => {
            let class = other.type_name();
            let text = format!("{name} first arg must be str or a tuple of str, not {class}");
            Err(type_error(text))
        }
    }
}

/// The position of a substring, in characters.
fn find_in(chars: &[char], part: &[char], places: &[usize], from_right: bool) -> Option<usize> {
    let (begin, end) = match places {
        [] => return None,
        [first, .., last] => (*first, last + 1),
        [only] => (*only, only + 1),
    };
    if part.len() > end - begin {
        return None;
    }
    let mut range = begin..=end - part.len();
    let is_here = |at: &usize| chars[*at..].starts_with(part);
    if from_right { range.rev().find(is_here) } else { range.find(is_here) }
}

impl Runtime<'_> {
    pub(super) fn text_method(&mut self, text: &str, name: &str, arguments: Arguments) -> Res<Val> {
        self.step(text.len() as u64 / 16)?;
        match name {
            "center" | "ljust" | "rjust" | "zfill" | "expandtabs" => {
                self.layout_method(text, name, arguments)
            }
            "count" | "find" | "index" | "rfind" | "rindex" | "startswith" | "endswith" => {
                self.search_method(text, name, arguments)
            }
            "split" | "rsplit" | "splitlines" | "partition" | "rpartition" | "join" => {
                self.split_method(text, name, arguments)
            }
            "strip" | "lstrip" | "rstrip" | "removeprefix" | "removesuffix" | "replace" => {
                self.cut_method(text, name, arguments)
            }
            "format" => self.format_text(text, arguments),
            "format_map" => {
                let mapping = arguments.only("str.format_map")?;
                self.format_mapping(text, &mapping)
            }
            "encode" => self.encode(text, arguments),
            "translate" => {
                let table = arguments.only("str.translate")?;
                self.translate(text, &table)
            }
            "maketrans" => self.translation(arguments),
            _ => {
                arguments.none(&format!("str.{name}"))?;
                plain_method(text, name)
            }
        }
    }

    pub(super) fn markup_method(
        &mut self,
        text: &EcoString,
        name: &str,
        arguments: Arguments,
    ) -> Res<Val> {
        let mut arguments = arguments;
        match name {
            "__html__" => return Ok(Val::Markup(text.clone())),
            "unescape" => {
                arguments.bind("Markup.unescape", "", 1)?;
                return Ok(Val::str(super::super::filters::html::unescaped(text)));
            }
            "striptags" => {
                arguments.bind("Markup.striptags", "", 1)?;
                return Ok(Val::str(super::super::filters::html::without_tags(text)));
            }
            "escape" => {
                let bound = arguments.bind("Markup.escape", "s", 1)?;
                return self.escaped(&bound.at(0)).map(Val::Markup);
            }
            "join" => {
                let items = arguments.only("Markup.join")?;
                let items = self.collect(&items)?;
                let mut out = String::new();
                for (index, item) in items.iter().enumerate() {
                    out.push_str(if index > 0 { text } else { "" });
                    out.push_str(&self.escaped(item)?);
                    self.text_fits(out.len())?;
                }
                return Ok(Val::Markup(out.into()));
            }
            "format" => return self.format_markup(text, arguments),
            _ => {}
        }
        if ESCAPING.contains(&name) {
            let named = arguments.named.iter_mut().map(|(_, value)| value);
            for value in arguments.positional.iter_mut().chain(named) {
                if matches!(value, Val::Str(_)) {
                    *value = Val::Markup(self.escaped(value)?);
                }
            }
        }
        let found = self.text_method(text, name, arguments)?;
        let is_markup = ESCAPING.contains(&name) || name == "format_map";
        let mark = |value: Val| match value {
            Val::Str(text) => Val::Markup(text),
            other => other,
        };
        Ok(match found {
            Val::Str(text) if is_markup => Val::Markup(text),
            Val::Tuple(items) if is_markup => {
                Val::tuple(items.items.iter().cloned().map(mark).collect())
            }
            Val::List(items) => Val::list(items.borrow().iter().cloned().map(mark).collect()),
            other => other,
        })
    }

    fn layout_method(&mut self, text: &str, name: &str, arguments: Arguments) -> Res<Val> {
        if name == "expandtabs" {
            let bound = arguments.bind("expandtabs", "tabsize=", 0)?;
            let size = bound.get(0).map_or(Ok(8), Val::as_index)?;
            let tabs = text.matches('\t').count();
            let size_of = usize::try_from(size.max(0)).unwrap_or(usize::MAX);
            self.text_fits(text.len().saturating_add(tabs.saturating_mul(size_of)))?;
            return Ok(Val::str(expanded_tabs(text, size)));
        }
        let width = |value: &Val, runtime: &mut Self| {
            let width = usize::try_from(value.as_index()?.max(0)).unwrap_or(usize::MAX);
            runtime.text_fits(width)?;
            Ok::<_, Fault>(width)
        };
        if name == "zfill" {
            let value = arguments.only("str.zfill")?;
            let width = width(&value, self)?;
            let (sign, digits) = match text.strip_prefix(['+', '-']) {
                Some(rest) => text.split_at(text.len() - rest.len()),
                None => ("", text),
            };
            let width = width.saturating_sub(sign.len());
            return Ok(Val::str(format!("{sign}{}", padded(digits, width, '0', usize::MAX))));
        }
        arguments.no_keywords(&format!("str.{name}"))?;
        let arguments = arguments.between(name, 1, 2)?;
        let width = width(&arguments[0], self)?;
        let fill = match arguments.get(1) {
            None => ' ',
            Some(fill) => {
                let Some(text) = fill.as_text() else {
                    let text = format!(
                        "The fill character must be a unicode character, not {}",
                        fill.type_name()
                    );
                    return Err(type_error(text));
                };
                let mut chars = text.chars();
                match (chars.next(), chars.next()) {
                    (Some(c), None) => c,
                    _ => {
                        let text = "The fill character must be exactly one character long";
                        return Err(type_error(text));
                    }
                }
            }
        };
        let missing = width.saturating_sub(text.chars().count());
        let before = match name {
            "ljust" => 0,
            "rjust" => missing,
            _ => missing / 2 + (missing & width & 1),
        };
        Ok(Val::str(padded(text, width, fill, before)))
    }

    fn search_method(&mut self, text: &str, name: &str, arguments: Arguments) -> Res<Val> {
        arguments.no_keywords(&format!("str.{name}"))?;
        let arguments = arguments.between(name, 1, 3)?;
        let bound = |at: usize| match arguments.get(at) {
            None | Some(Val::None) => Ok(None),
            Some(value @ (Val::Int(_) | Val::Bool(_) | Val::Big(_))) => value.as_index().map(Some),
            Some(_) => Err(type_error(
                "slice indices must be integers or None or have an __index__ method",
            )),
        };
        let chars: Vec<char> = text.chars().collect();
        let places = slice_places(chars.len(), bound(1)?, bound(2)?, 1)?;
        // An empty substring is found at the end of the text, but not after it.
        let begin = match bound(1)? {
            Some(at) if at < 0 => (at.saturating_add(chars.len() as i64)).max(0) as usize,
            Some(at) => usize::try_from(at).unwrap_or(usize::MAX),
            None => 0,
        };
        let is_inside = begin <= chars.len();
        if name == "startswith" || name == "endswith" {
            let part: String = places.iter().map(|at| chars[*at]).collect();
            let is_found = |affix: &str| {
                is_inside
                    && if name == "startswith" {
                        part.starts_with(affix)
                    } else {
                        part.ends_with(affix)
                    }
            };
            return has_affix(name, &arguments[0], &is_found);
        }
        let part = must_be_text(&arguments[0], &format!("{name}() argument 1 must be str"))?;
        let part: Vec<char> = part.chars().collect();
        if name == "count" {
            let inside: String = places.iter().map(|at| chars[*at]).collect();
            let part: String = part.into_iter().collect();
            return Ok(Val::size(match part.as_str() {
                "" if is_inside => inside.chars().count() + 1,
                "" => 0,
                part => inside.matches(part).count(),
            }));
        }
        let from_right = name.starts_with('r');
        let found = if part.is_empty() && is_inside {
            let end = places.last().map_or(begin, |last| last + 1);
            Some(if from_right { end } else { begin })
        } else {
            find_in(&chars, &part, &places, from_right)
        };
        match found {
            Some(at) => Ok(Val::size(at)),
            None if name.ends_with("find") => Ok(Val::Int(-1)),
            None => Err(value_error("substring not found")),
        }
    }

    fn split_method(&mut self, text: &str, name: &str, arguments: Arguments) -> Res<Val> {
        let list = |parts: Vec<String>| Val::list(parts.into_iter().map(Val::str).collect());
        match name {
            "split" | "rsplit" => {
                let bound = arguments.bind(name, "sep=, maxsplit=", 0)?;
                let separator = match bound.some(0) {
                    None => None,
                    Some(value) => Some(must_be_text(value, "must be str or None")?),
                };
                if separator.as_deref() == Some("") {
                    return Err(value_error("empty separator"));
                }
                let most = bound.get(1).map_or(Ok(-1), Val::as_index)?;
                Ok(list(split(text, separator.as_deref(), most, name == "rsplit")))
            }
            "splitlines" => {
                let bound = arguments.bind("splitlines", "keepends=", 0)?;
                let keeps_ends = match bound.get(0) {
                    Some(value) => self.truth(value)?,
                    None => false,
                };
                Ok(list(lines(text, keeps_ends).into_iter().map(str::to_owned).collect()))
            }
            "join" => {
                let items = arguments.only("str.join")?;
                let items = self.collect(&items).map_err(|fault| {
                    if fault.is(&Exception::TypeError) {
                        type_error("can only join an iterable")
                    } else {
                        fault
                    }
                })?;
                self.joined(text, &items)
            }
            _ => {
                let separator = arguments.only(&format!("str.{name}"))?;
                let separator = must_be_text(&separator, "must be str")?;
                if separator.is_empty() {
                    return Err(value_error("empty separator"));
                }
                let found = if name == "partition" {
                    text.split_once(separator.as_str())
                } else {
                    text.rsplit_once(separator.as_str())
                };
                let parts: [&str; 3] = match found {
                    Some((before, after)) => [before, &separator, after],
                    None if name == "partition" => [text, "", ""],
                    None => ["", "", text],
                };
                Ok(Val::tuple(parts.into_iter().map(Val::str).collect()))
            }
        }
    }

    /// Python's `str.join`.
    pub(in super::super) fn joined(&mut self, separator: &str, items: &[Val]) -> Res<Val> {
        let mut out = String::new();
        for (index, item) in items.iter().enumerate() {
            let Some(text) = item.as_text() else {
                let text = format!(
                    "sequence item {index}: expected str instance, {} found",
                    item.type_name()
                );
                return Err(type_error(text));
            };
            out.push_str(if index > 0 { separator } else { "" });
            out.push_str(text);
            self.text_fits(out.len())?;
        }
        Ok(Val::str(out))
    }

    fn cut_method(&mut self, text: &str, name: &str, arguments: Arguments) -> Res<Val> {
        match name {
            "replace" => {
                // Only the count may be a keyword argument.
                let count = arguments.named.iter().find(|(name, _)| name == "count");
                let count = count.map(|(_, value)| value.clone());
                let positional = Arguments::of(arguments.positional);
                let mut all = positional.between("replace", 2, 3)?;
                all.extend(count);
                let old = must_be_text(&all[0], "replace() argument 1 must be str")?;
                let new = must_be_text(&all[1], "replace() argument 2 must be str")?;
                let count = all.get(2).map_or(Ok(-1), Val::as_index)?;
                self.replaced(text, &old, &new, count).map(Val::str)
            }
            "removeprefix" | "removesuffix" => {
                let affix = arguments.only(&format!("str.{name}"))?;
                let affix = must_be_text(&affix, &format!("{name}() argument must be str"))?;
                let found = if name == "removeprefix" {
                    text.strip_prefix(affix.as_str())
                } else {
                    text.strip_suffix(affix.as_str())
                };
                Ok(Val::str(found.unwrap_or(text)))
            }
            _ => {
                arguments.no_keywords(&format!("str.{name}"))?;
                let arguments = arguments.between(name, 0, 1)?;
                let set = match arguments.first() {
                    None | Some(Val::None) => None,
                    Some(value) => match value.as_text() {
                        Some(set) => Some(set.clone()),
                        None => {
                            let text = format!("{name} arg must be None or str");
                            return Err(type_error(text));
                        }
                    },
                };
                let is_cut = |c: char| match &set {
                    None => is_python_space(c),
                    Some(set) => set.contains(c),
                };
                Ok(Val::str(match name {
                    "strip" => text.trim_matches(is_cut),
                    "lstrip" => text.trim_start_matches(is_cut),
                    _ => text.trim_end_matches(is_cut),
                }))
            }
        }
    }

    /// Python's `str.replace`. A negative count replaces all occurrences.
    pub(in super::super) fn replaced(
        &mut self,
        text: &str,
        old: &str,
        new: &str,
        count: i64,
    ) -> Res<String> {
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        let places =
            if old.is_empty() { text.chars().count() + 1 } else { text.matches(old).count() };
        self.text_fits(text.len().saturating_add(places.min(count).saturating_mul(new.len())))?;
        Ok(text.replacen(old, new, count.min(places)))
    }

    fn encode(&mut self, text: &str, arguments: Arguments) -> Res<Val> {
        let bound = arguments.bind("encode", "encoding=, errors=", 0)?;
        let encoding = match bound.some(0) {
            Some(name) => self.text(name)?,
            None => "utf-8".into(),
        };
        let errors = match bound.some(1) {
            Some(name) => self.text(name)?,
            None => "strict".into(),
        };
        let (most, codec) = match encoding.to_lowercase().replace("_", "-").as_str() {
            "utf-8" | "utf8" => return Ok(Val::Bytes(text.as_bytes().into())),
            "ascii" | "us-ascii" => (0x7f, "ascii"),
            "latin-1" | "iso-8859-1" | "latin1" => (0xff, "latin-1"),
            _ => {
                return Err(Fault::Raised(
                    Exception::LookupError,
                    format!("unknown encoding: {encoding}"),
                ));
            }
        };
        let mut out = Vec::new();
        for (at, c) in text.chars().enumerate() {
            match u8::try_from(c as u32) {
                Ok(byte) if u32::from(byte) <= most => out.push(byte),
                _ => match errors.as_str() {
                    "ignore" => {}
                    "replace" => out.push(b'?'),
                    "xmlcharrefreplace" => out.extend(format!("&#{};", c as u32).bytes()),
                    "backslashreplace" => {
                        out.extend(match c as u32 {
                            code @ ..=0xff => format!("\\x{code:02x}").into_bytes(),
                            code @ ..=0xffff => format!("\\u{code:04x}").into_bytes(),
                            code => format!("\\U{code:08x}").into_bytes(),
                        });
                    }
                    _ => {
                        let shown = match c as u32 {
                            code @ ..=0xff => format!("\\x{code:02x}"),
                            code @ ..=0xffff => format!("\\u{code:04x}"),
                            code => format!("\\U{code:08x}"),
                        };
                        let range = most + 1;
                        return Err(Fault::Raised(
                            Exception::UnicodeEncodeError,
                            format!(
                                "'{codec}' codec can't encode character '{shown}' in position \
                                 {at}: ordinal not in range({range})"
                            ),
                        ));
                    }
                },
            }
        }
        Ok(Val::Bytes(out.into()))
    }

    fn translate(&mut self, text: &str, table: &Val) -> Res<Val> {
        let mut out = String::new();
        for c in text.chars() {
            let found = match self.python_item(table, &Val::Int(i64::from(c as u32))) {
                Ok(found) => found,
                Err(Fault::Raised(Exception::KeyError | Exception::IndexError, _)) => {
                    Val::str(c.to_string())
                }
                Err(fault) => return Err(fault),
            };
            match &found {
                Val::None => {}
                Val::Str(text) | Val::Markup(text) => out.push_str(text),
                Val::Int(code) => {
                    let found = u32::try_from(*code).ok().and_then(char::from_u32);
                    let Some(found) = found else {
                        return Err(value_error("character mapping must be in range(0x110000)"));
                    };
                    out.push(found);
                }
                _ => {
                    return Err(type_error("character mapping must return integer, None or str"));
                }
            }
            self.text_fits(out.len())?;
        }
        Ok(Val::str(out))
    }

    fn translation(&mut self, arguments: Arguments) -> Res<Val> {
        let arguments = arguments.between("maketrans", 1, 3)?;
        let mut entries = Entries::default();
        let code = |c: char| Val::Int(i64::from(c as u32));
        if let [only] = &arguments[..] {
            if !self.is_mapping(only) {
                let text = "if you give only one argument to maketrans it must be a dict";
                return Err(type_error(text));
            }
            for (key, value) in self.entries(only)? {
                let key = match key.as_text() {
                    Some(text) => {
                        let mut chars = text.chars();
                        match (chars.next(), chars.next()) {
                            (Some(c), None) => code(c),
                            _ => {
                                let text = "string keys in translate table must be of length 1";
                                return Err(value_error(text));
                            }
                        }
                    }
                    None => key,
                };
                entries.insert(key, value, self)?;
            }
            return Ok(Val::dict(entries));
        }
        let text = |at: usize, what: &str| must_be_text(&arguments[at], what);
        let from =
            text(0, "first maketrans argument must be a string if there is a second argument")?;
        let to = text(1, "maketrans() argument 2 must be str")?;
        if from.chars().count() != to.chars().count() {
            let text = "the first two maketrans arguments must have equal length";
            return Err(value_error(text));
        }
        for (a, b) in from.chars().zip(to.chars()) {
            entries.insert(code(a), code(b), self)?;
        }
        if arguments.len() == 3 {
            for c in text(2, "maketrans() argument 3 must be str")?.chars() {
                entries.insert(code(c), Val::None, self)?;
            }
        }
        Ok(Val::dict(entries))
    }
}

fn plain_method(text: &str, name: &str) -> Res<Val> {
    Ok(match name {
        "capitalize" => Val::str(capitalize(text)),
        "casefold" => Val::str(casefold(text)),
        "lower" => Val::str(text.to_lowercase()),
        "upper" => Val::str(text.to_uppercase()),
        "swapcase" => Val::str(swapcase(text)),
        "title" => Val::str(title(text)),
        "isalnum" => Val::Bool(every(text, |c| is_letter(c) || c.is_numeric())),
        "isalpha" => Val::Bool(every(text, is_letter)),
        "isascii" => Val::Bool(text.is_ascii()),
        "isdecimal" => Val::Bool(every(text, is_decimal)),
        "isdigit" => Val::Bool(every(text, is_digit)),
        "isnumeric" => Val::Bool(every(text, char::is_numeric)),
        "isidentifier" => {
            let is_start = text.starts_with(|c: char| is_letter(c) || c == '_');
            let is_part = |c: char| is_letter(c) || c == '_' || is_decimal(c);
            Val::Bool(is_start && text.chars().all(is_part))
        }
        "islower" => Val::Bool(has_case(text, true)),
        "isupper" => Val::Bool(has_case(text, false)),
        "isprintable" => Val::Bool(text.chars().all(is_printable)),
        "isspace" => Val::Bool(every(text, is_python_space)),
        _ => Val::Bool(is_title(text)),
    })
}
