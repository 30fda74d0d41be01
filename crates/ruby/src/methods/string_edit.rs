//! Methods that split, search, replace or change texts.

use std::ops::Range;
use std::rc::Rc;

use ecow::EcoString;

use super::string::{lstrip, text, texts};
use crate::class::Class;
use crate::eval::Interp;
use crate::eval::args::Args;
use crate::eval::error::Eval;
use crate::eval::interp::{Method, m};
use crate::syntax::RegexFlags;
use crate::value::{MatchData, Regexp, Value};

macro_rules! bang {
    ($name:literal, $plain:literal, $min:literal, $max:literal) => {
        m($name, $min, $max, |i, v, a| change(i, v, a, $plain))
    };
}

pub(super) const TABLE: &[Method] = &[
    m("=~", 1, 1, |i, v, a| match &a.list[0] {
        Value::Str(_) => i.raise(Class::TYPE_ERROR, "type mismatch: String given"),
        Value::Regexp(_) => i.match_text(&a.list[0], &text(v)),
        _ => Ok(Value::Nil),
    }),
    m("match", 1, 2, |i, v, a| {
        let pattern = i.pattern(&a.list[0], false)?;
        i.match_text(&Value::Regexp(pattern), &text(v))?;
        let found = i.last_match.clone();
        match (found, a.block.take()) {
            (Some(found), Some(block)) => i.yield_one(&block, Value::Match(found)),
            (Some(found), None) => Ok(Value::Match(found)),
            (None, _) => Ok(Value::Nil),
        }
    }),
    m("match?", 1, 1, |i, v, a| {
        let pattern = i.pattern(&a.list[0], false)?;
        let found = pattern.regex.is_match(&text(v));
        Ok(Value::Bool(i.regex_result(found)?))
    }),
    m("[]", 1, 2, index),
    m("slice", 1, 2, index),
    m("[]=", 2, 3, set_index),
    m("slice!", 1, 2, |i, v, a| {
        let found = index(i, v, &mut a.clone())?;
        if !found.is_nil() {
            a.list.push(Value::str(""));
            set_index(i, v, a)?;
        }
        Ok(found)
    }),
    m("index", 1, 2, |i, v, a| find_index(i, v, a, false)),
    m("rindex", 1, 2, |i, v, a| find_index(i, v, a, true)),
    m("split", 0, 2, split),
    m("sub", 1, 2, |i, v, a| substitute(i, v, a, false)),
    m("gsub", 1, 2, |i, v, a| substitute(i, v, a, true)),
    bang!("sub!", "sub", 1, 2),
    bang!("gsub!", "gsub", 1, 2),
    m("scan", 1, 1, scan),
    m("partition", 1, 1, |i, v, a| partition(i, v, a, false)),
    m("rpartition", 1, 1, |i, v, a| partition(i, v, a, true)),
    m("+@", 0, 0, |i, v, _| match v {
        Value::Str(text) if text.is_frozen.get() => i.send(v, "dup", vec![]),
        _ => Ok(v.clone()),
    }),
    m("<<", 1, 1, append),
    m("concat", 0, -1, |i, v, a| {
        for part in std::mem::take(&mut a.list) {
            append(i, v, &mut Args { list: vec![part], ..Args::default() })?;
        }
        Ok(v.clone())
    }),
    m("prepend", 0, -1, |i, v, a| {
        let mut out = EcoString::new();
        for part in &a.list {
            out.push_str(&i.str(part)?);
        }
        out.push_str(&text(v));
        replace(i, v, out)
    }),
    m("replace", 1, 1, |i, v, a| {
        let new = i.str(&a.list[0])?;
        replace(i, v, new)
    }),
    m("clear", 0, 0, |i, v, _| replace(i, v, EcoString::new())),
    m("insert", 2, 2, |i, v, a| {
        let (at, new, old) = (i.int(&a.list[0])?, i.str(&a.list[1])?, text(v));
        let length = old.chars().count() as i64;
        let at = if at < 0 { at + length + 1 } else { at };
        if !(0..=length).contains(&at) {
            return i.raise(
                Class::INDEX_ERROR,
                format!("index {} out of string", i.short_inspect(&a.list[0])),
            );
        }
        let byte = byte_of(&old, at as usize);
        replace(i, v, format!("{}{new}{}", &old[..byte], &old[byte..]).into())
    }),
    bang!("upcase!", "upcase", 0, 0),
    bang!("downcase!", "downcase", 0, 0),
    bang!("capitalize!", "capitalize", 0, 0),
    bang!("swapcase!", "swapcase", 0, 0),
    bang!("strip!", "strip", 0, 0),
    bang!("lstrip!", "lstrip", 0, 0),
    bang!("rstrip!", "rstrip", 0, 0),
    bang!("chomp!", "chomp", 0, 1),
    bang!("chop!", "chop", 0, 0),
    bang!("reverse!", "reverse", 0, 0),
    bang!("squeeze!", "squeeze", 0, 1),
    bang!("delete!", "delete", 1, -1),
    bang!("tr!", "tr", 2, 2),
    bang!("succ!", "succ", 0, 0),
    bang!("next!", "next", 0, 0),
    bang!("delete_prefix!", "delete_prefix", 1, 1),
    bang!("delete_suffix!", "delete_suffix", 1, 1),
];

/// Runs the method without `!` and stores its result; returns `nil` if nothing changed.
fn change(i: &mut Interp<'_>, v: &Value, a: &mut Args, plain: &str) -> Eval {
    let Value::Str(target) = v else { return Ok(Value::Nil) };
    i.may_change(target)?;
    let Some(method) = i.library.method(Class::STRING, plain) else { return Ok(Value::Nil) };
    let new = text(&(method.body)(i, v, a)?);
    if *target.text.borrow() == new {
        return Ok(Value::Nil);
    }
    *target.text.borrow_mut() = new;
    Ok(v.clone())
}

fn replace(i: &mut Interp<'_>, v: &Value, new: EcoString) -> Eval {
    let Value::Str(target) = v else { return Ok(Value::Nil) };
    i.may_change(target)?;
    i.charge(new.len())?;
    *target.text.borrow_mut() = new;
    Ok(v.clone())
}

fn append(i: &mut Interp<'_>, v: &Value, a: &mut Args) -> Eval {
    let Value::Str(target) = v else { return Ok(Value::Nil) };
    let new = match &a.list[0] {
        Value::Int(n) => match u32::try_from(*n).ok().and_then(char::from_u32) {
            Some(c) => c.to_string().into(),
            None => return i.raise(Class::RANGE_ERROR, format!("{n} out of char range")),
        },
        other => i.str(other)?,
    };
    i.may_change(target)?;
    i.charge(new.len())?;
    target.text.borrow_mut().push_str(&new);
    Ok(v.clone())
}

/// The byte offset of a character.
fn byte_of(text: &str, at: usize) -> usize {
    if text.is_ascii() {
        return at.min(text.len());
    }
    text.char_indices().nth(at).map_or(text.len(), |(byte, _)| byte)
}

/// The bytes of `length` characters from `start` on, which may count from the end.
fn char_span(text: &str, start: i64, length: i64) -> Option<Range<usize>> {
    let count = if text.is_ascii() { text.len() } else { text.chars().count() } as i64;
    let start = if start < 0 { start + count } else { start };
    if length < 0 || !(0..=count).contains(&start) {
        return None;
    }
    let end = start.saturating_add(length).min(count);
    Some(byte_of(text, start as usize)..byte_of(text, end as usize))
}

/// The start and length of a range in a sequence of this length.
pub(super) fn range_span(
    i: &Interp<'_>,
    range: &crate::value::Range,
    length: usize,
) -> Eval<Option<(usize, usize)>> {
    let length = length as i64;
    let low = if range.low.is_nil() { 0 } else { i.int(&range.low)? };
    let low = if low < 0 { low + length } else { low };
    let mut high = if range.high.is_nil() { -1 } else { i.int(&range.high)? };
    if high < 0 {
        high += length;
    }
    if !range.is_open || range.high.is_nil() {
        high += 1;
    }
    if !(0..=length).contains(&low) {
        return Ok(None);
    }
    Ok(Some((low as usize, (high.min(length) - low).max(0) as usize)))
}

/// The bytes for the argument of `[]`.
fn span_of(i: &mut Interp<'_>, v: &Value, a: &[Value]) -> Eval<Option<Range<usize>>> {
    let text = text(v);
    Ok(match (&a[0], a.get(1)) {
        (Value::Regexp(_), group) => {
            i.match_text(&a[0], &text)?;
            let Some(found) = i.last_match.clone() else { return Ok(None) };
            match group {
                None => found.spans[0].clone(),
                Some(group) => i.group_of(&found, group)?,
            }
        }
        (Value::Str(part), None) => {
            let part = part.get();
            text.find(part.as_str()).map(|at| at..at + part.len())
        }
        (Value::Range(range), None) => {
            let count = text.chars().count();
            let span = range_span(i, range, count)?;
            span.and_then(|(start, length)| char_span(&text, start as i64, length as i64))
        }
        (start, None) => {
            let start = i.int(start)?;
            char_span(&text, start, 1).filter(|span| !span.is_empty())
        }
        (start, Some(length)) => char_span(&text, i.int(start)?, i.int(length)?),
    })
}

fn index(i: &mut Interp<'_>, v: &Value, a: &mut Args) -> Eval {
    match span_of(i, v, &a.list)? {
        Some(span) => i.text(&text(v)[span]),
        None => Ok(Value::Nil),
    }
}

fn set_index(i: &mut Interp<'_>, v: &Value, a: &mut Args) -> Eval {
    let Some(new) = a.list.pop() else { return Ok(Value::Nil) };
    let Some(span) = span_of(i, v, &a.list)? else {
        let text = match &a.list[0] {
            Value::Str(_) => "string not matched".to_owned(),
            Value::Regexp(_) => "regexp not matched".to_owned(),
            other => format!("index {} out of string", i.short_inspect(other)),
        };
        return i.raise(Class::INDEX_ERROR, text);
    };
    let (old, part) = (text(v), i.str(&new)?);
    replace(i, v, format!("{}{part}{}", &old[..span.start], &old[span.end..]).into())?;
    Ok(new)
}

fn find_index(i: &mut Interp<'_>, v: &Value, a: &mut Args, last: bool) -> Eval {
    let text = text(v);
    let count = text.chars().count() as i64;
    let from = match a.opt(1) {
        Some(from) => {
            let from = i.int(from)?;
            if from < 0 { from + count } else { from }
        }
        None => {
            if last {
                count
            } else {
                0
            }
        }
    };
    if from < 0 || from > count && !last {
        return Ok(Value::Nil);
    }
    let byte = byte_of(&text, from.min(count) as usize);
    let found = match &a.list[0] {
        Value::Regexp(_) if last => return i.unsupported("`rindex' of a regular expression"),
        Value::Regexp(regexp) => {
            let mut found = None;
            for captures in regexp.regex.captures_iter(&text) {
                let start = i.regex_result(captures)?.whole().start;
                if start >= byte {
                    found = Some(start);
                    break;
                }
            }
            found
        }
        part => {
            let part = i.str(part)?;
            match last {
                false => text[byte..].find(part.as_str()).map(|at| at + byte),
                true => {
                    let end = (byte + part.len()).min(text.len());
                    let end = (end..=text.len()).find(|e| text.is_char_boundary(*e)).unwrap_or(end);
                    text[..end].rfind(part.as_str())
                }
            }
        }
    };
    Ok(found.map_or(Value::Nil, |at| Value::Int(text[..at].chars().count() as i64)))
}

fn split(i: &mut Interp<'_>, v: &Value, a: &mut Args) -> Eval {
    let whole = text(v);
    let limit = match a.opt(1) {
        Some(limit) => i.int(limit)?,
        None => 0,
    };
    if limit == 1 {
        return i.list(vec![Value::str(whole)]);
    }
    let most = usize::try_from(limit).ok().filter(|n| *n > 0).unwrap_or(usize::MAX);
    let mut parts: Vec<String> = match a.opt(0) {
        None | Some(Value::Nil) => split_blank(&whole, most),
        Some(Value::Str(by)) if by.get() == " " => split_blank(&whole, most),
        Some(Value::Str(by)) if by.get().is_empty() => {
            let mut chars: Vec<String> = whole.chars().map(|c| c.to_string()).collect();
            if chars.len() > most {
                let rest: String = chars.split_off(most - 1).concat();
                chars.push(rest);
            } else if limit != 0 {
                chars.push(String::new());
            }
            chars
        }
        Some(Value::Str(by)) => whole.splitn(most, by.get().as_str()).map(str::to_owned).collect(),
        Some(Value::Regexp(regexp)) => split_regex(i, &whole, &Rc::clone(regexp), most)?,
        Some(other) => {
            let text = format!("wrong argument type {} (expected Regexp)", i.class_name(other));
            return i.raise(Class::TYPE_ERROR, text);
        }
    };
    if limit == 0 {
        while parts.last().is_some_and(String::is_empty) {
            parts.pop();
        }
    }
    if whole.is_empty() {
        parts.clear();
    }
    texts(i, parts.iter().map(String::as_str))
}

fn split_blank(text: &str, most: usize) -> Vec<String> {
    let (mut out, mut rest) = (Vec::new(), lstrip(text));
    while !rest.is_empty() {
        let end = rest.find(|c: char| c.is_ascii_whitespace() || c == '\u{b}');
        match end {
            Some(end) if out.len() + 1 < most => {
                out.push(rest[..end].to_owned());
                rest = lstrip(&rest[end..]);
                if rest.is_empty() {
                    out.push(String::new());
                }
            }
            _ => {
                out.push(rest.to_owned());
                break;
            }
        }
    }
    out
}

fn split_regex(i: &mut Interp<'_>, text: &str, regexp: &Regexp, most: usize) -> Eval<Vec<String>> {
    let (mut out, mut begin) = (Vec::new(), 0);
    for captures in regexp.regex.captures_iter(text) {
        let captures = i.regex_result(captures)?;
        let span = captures.whole();
        if span.is_empty() && (span.start == begin || span.start >= text.len()) {
            continue;
        }
        if out.len() + 1 >= most {
            break;
        }
        out.push(text[begin..span.start].to_owned());
        let groups = captures.spans().iter().skip(1).flatten();
        out.extend(groups.map(|group| text[group.clone()].to_owned()));
        begin = span.end;
    }
    out.push(text[begin..].to_owned());
    Ok(out)
}

impl Interp<'_> {
    /// The regular expression of a pattern. A text is matched literally if `quoted`.
    pub(crate) fn pattern(&mut self, value: &Value, quoted: bool) -> Eval<Rc<Regexp>> {
        let source = match value {
            Value::Regexp(regexp) => return Ok(Rc::clone(regexp)),
            Value::Str(text) if quoted => ordain_functions::regex::escape(&text.get()),
            Value::Str(text) => text.get().to_string(),
            other => {
                let text =
                    format!("wrong argument type {} (expected Regexp)", self.class_name(other));
                return self.raise(Class::TYPE_ERROR, text);
            }
        };
        match self.regexp(&source, RegexFlags::default())? {
            Value::Regexp(regexp) => Ok(regexp),
            _ => self.raise(Class::TYPE_ERROR, "no regular expression"),
        }
    }
}

/// The cost of finding and replacing a match, in steps.
const STEPS_OF_MATCH: u64 = 4;

/// `sub` and `gsub` with a text, a hash or a block.
fn substitute(i: &mut Interp<'_>, v: &Value, a: &mut Args, all: bool) -> Eval {
    let whole = text(v);
    let pattern = i.pattern(&a.list[0], true)?;
    let replacement = a.opt(1).cloned();
    let block = a.block.take();
    if replacement.is_none() && block.is_none() {
        return i.unsupported("`gsub' without a replacement");
    }
    if let (Value::Str(from), Some(Value::Str(to))) = (&a.list[0], &replacement)
        && !to.text.borrow().contains('\\')
        && !from.text.borrow().is_empty()
    {
        let (from, to) = (from.get(), to.get());
        let new = match all {
            true => {
                let count = whole.matches(from.as_str()).count();
                i.charge(count.saturating_mul(to.len()))?;
                whole.replace(from.as_str(), &to)
            }
            false => whole.replacen(from.as_str(), &to, 1),
        };
        return i.text(new);
    }
    if let (Some(Value::Str(template)), None) = (&replacement, &block) {
        let most = i.steps_left() / STEPS_OF_MATCH;
        let mut left = most;
        let result = pattern.regex.replace_within(&whole, &template.get(), all, &mut left);
        i.steps(((most - left) * STEPS_OF_MATCH) as usize)?;
        let new = i.regex_result(result)?;
        return i.text(new);
    }
    let (mut out, mut copied) = (String::new(), 0);
    for captures in pattern.regex.captures_iter(&whole) {
        let captures = i.regex_result(captures)?;
        let span = captures.whole();
        out.push_str(&whole[copied.min(span.start)..span.start]);
        let matched = Value::str(&whole[span.clone()]);
        let new = match (&replacement, &block) {
            (Some(Value::Hash(hash)), _) => hash.get(&matched).unwrap_or_default(),
            (Some(other), _) => Value::str(i.str(other)?),
            (None, Some(block)) => {
                let data = MatchData {
                    text: whole.clone(),
                    regexp: Rc::clone(&pattern),
                    spans: captures.spans().to_vec(),
                };
                i.last_match = Some(Rc::new(data));
                i.yield_one(block, matched)?
            }
            (None, None) => Value::Nil,
        };
        let new = i.display(&new)?;
        i.charge(new.len())?;
        out.push_str(&new);
        copied = span.end;
        if !all {
            break;
        }
    }
    out.push_str(&whole[copied..]);
    i.text(out)
}

fn scan(i: &mut Interp<'_>, v: &Value, a: &mut Args) -> Eval {
    let whole = text(v);
    let pattern = i.pattern(&a.list[0], true)?;
    let block = a.block.take();
    let mut out = Vec::new();
    for captures in pattern.regex.captures_iter(&whole) {
        let captures = i.regex_result(captures)?;
        let spans = captures.spans().to_vec();
        let part = |span: &Option<Range<usize>>| match span {
            Some(span) => Value::str(&whole[span.clone()]),
            None => Value::Nil,
        };
        let item = match spans.len() {
            1 => part(&spans[0]),
            _ => Value::array(spans.iter().skip(1).map(part).collect()),
        };
        let data = MatchData { text: whole.clone(), regexp: Rc::clone(&pattern), spans };
        i.last_match = Some(Rc::new(data));
        i.charge(64)?;
        match &block {
            Some(block) => {
                i.yield_one(block, item)?;
            }
            None => out.push(item),
        }
    }
    if block.is_some() { Ok(v.clone()) } else { i.list(out) }
}

fn partition(i: &mut Interp<'_>, v: &Value, a: &mut Args, last: bool) -> Eval {
    let whole = text(v);
    let span = match &a.list[0] {
        Value::Regexp(_) if last => return i.unsupported("`rpartition' of a regular expression"),
        pattern @ Value::Regexp(_) => {
            i.match_text(pattern, &whole)?;
            i.last_match.as_ref().and_then(|found| found.spans[0].clone())
        }
        part => {
            let part = i.str(part)?;
            let at = if last { whole.rfind(part.as_str()) } else { whole.find(part.as_str()) };
            at.map(|at| at..at + part.len())
        }
    };
    let parts = match (&span, last) {
        (Some(span), _) => [&whole[..span.start], &whole[span.clone()], &whole[span.end..]],
        (None, false) => [whole.as_str(), "", ""],
        (None, true) => ["", "", whole.as_str()],
    };
    texts(i, parts.into_iter())
}
