//! Methods of regular expressions and matches.

use std::ops::Range;
use std::rc::Rc;

use crate::class::Class;
use crate::eval::Interp;
use crate::eval::args::Args;
use crate::eval::error::Eval;
use crate::eval::interp::{Method, m};
use crate::value::{MatchData, Value};

pub(super) const TABLE: &[Method] = &[
    m("=~", 1, 1, |i, v, a| match a.list[0].as_name() {
        Some(text) => i.match_text(v, &text),
        None if a.list[0].is_nil() => {
            i.last_match = None;
            Ok(Value::Nil)
        }
        None => i.no_conversion(&a.list[0], "String"),
    }),
    m("match", 1, 1, |i, v, a| match a.list[0].as_name() {
        Some(text) => {
            i.match_text(v, &text)?;
            Ok(i.last_match.clone().map_or(Value::Nil, Value::Match))
        }
        None => {
            i.last_match = None;
            Ok(Value::Nil)
        }
    }),
    m("match?", 1, 1, |i, v, a| match (v, a.list[0].as_name()) {
        (Value::Regexp(regexp), Some(text)) => {
            let found = regexp.regex.is_match(&text);
            Ok(Value::Bool(i.regex_result(found)?))
        }
        (_, None) if !a.list[0].is_nil() => i.no_conversion(&a.list[0], "String"),
        _ => Ok(Value::Bool(false)),
    }),
    m("source", 0, 0, |i, v, _| match v {
        Value::Regexp(regexp) => i.text(regexp.source.clone()),
        _ => Ok(Value::Nil),
    }),
    m("options", 0, 0, |_, v, _| match v {
        Value::Regexp(regexp) => {
            let flags = regexp.flags;
            let bits = [flags.ignore_case, flags.extended, flags.multi_line];
            let sum = bits.iter().enumerate().map(|(n, on)| i64::from(*on) << n).sum();
            Ok(Value::Int(sum))
        }
        _ => Ok(Value::Nil),
    }),
    m("names", 0, 0, |i, v, _| match v {
        Value::Regexp(regexp) => {
            let names = regexp.regex.names().map(Value::str).collect();
            i.list(names)
        }
        _ => Ok(Value::Nil),
    }),
];

/// Methods of matches.
pub(super) const MATCH: &[Method] = &[
    m("[]", 1, 1, |i, v, a| {
        let found = data(v);
        let Some(found) = found else { return Ok(Value::Nil) };
        let span = i.group_of(&found, &a.list[0])?;
        Ok(part(&found, span))
    }),
    m("to_a", 0, 0, |i, v, _| {
        let Some(found) = data(v) else { return Ok(Value::Nil) };
        let all = found.spans.iter().map(|span| part(&found, span.clone())).collect();
        i.list(all)
    }),
    m("captures", 0, 0, |i, v, _| {
        let Some(found) = data(v) else { return Ok(Value::Nil) };
        let all = found.spans.iter().skip(1).map(|span| part(&found, span.clone())).collect();
        i.list(all)
    }),
    m("names", 0, 0, |i, v, _| {
        let Some(found) = data(v) else { return Ok(Value::Nil) };
        let names = found.regexp.regex.names().map(Value::str).collect();
        i.list(names)
    }),
    m("named_captures", 0, 0, |i, v, _| {
        let Some(found) = data(v) else { return Ok(Value::Nil) };
        let names: Vec<String> = found.regexp.regex.names().map(str::to_owned).collect();
        let mut pairs = Vec::new();
        for name in names {
            let span = i.group_of(&found, &Value::str(name.as_str()))?;
            pairs.push((Value::str(name), part(&found, span)));
        }
        Ok(Value::hash(pairs))
    }),
    m("pre_match", 0, 0, |_, v, _| {
        let Some(found) = data(v) else { return Ok(Value::Nil) };
        let end = found.spans[0].as_ref().map_or(0, |span| span.start);
        Ok(Value::str(&found.text[..end]))
    }),
    m("post_match", 0, 0, |_, v, _| {
        let Some(found) = data(v) else { return Ok(Value::Nil) };
        let start = found.spans[0].as_ref().map_or(0, |span| span.end);
        Ok(Value::str(&found.text[start..]))
    }),
    m("begin", 1, 1, |i, v, a| offset(i, v, a, |span| span.start)),
    m("end", 1, 1, |i, v, a| offset(i, v, a, |span| span.end)),
];

fn data(v: &Value) -> Option<Rc<MatchData>> {
    match v {
        Value::Match(found) => Some(Rc::clone(found)),
        _ => None,
    }
}

fn part(found: &MatchData, span: Option<Range<usize>>) -> Value {
    span.map_or(Value::Nil, |span| Value::str(&found.text[span]))
}

fn offset(i: &mut Interp<'_>, v: &Value, a: &mut Args, end: fn(Range<usize>) -> usize) -> Eval {
    let Some(found) = data(v) else { return Ok(Value::Nil) };
    let span = i.group_of(&found, &a.list[0])?;
    Ok(span.map_or(Value::Nil, |span| Value::Int(found.text[..end(span)].chars().count() as i64)))
}

impl Interp<'_> {
    /// The bytes of a group by number or name.
    pub(crate) fn group_of(
        &mut self,
        found: &MatchData,
        group: &Value,
    ) -> Eval<Option<Range<usize>>> {
        match group {
            Value::Int(n) => {
                let count = found.spans.len() as i64;
                let n = if *n < 0 { n + count } else { *n };
                Ok(usize::try_from(n).ok().and_then(|n| found.spans.get(n).cloned().flatten()))
            }
            other => {
                let Some(name) = other.as_name() else {
                    return self.no_conversion(other, "Integer");
                };
                let regex = &found.regexp.regex;
                if !regex.names().any(|other| other == name) {
                    let text = format!("undefined group name reference: {name}");
                    return self.raise(Class::INDEX_ERROR, text);
                }
                let found = regex.captures(&found.text);
                let captures = self.regex_result(found)?;
                Ok(captures.and_then(|captures| captures.name(&name)))
            }
        }
    }
}
