//! Failures inside lambdas in the wording of spiff++, with the lambda and the values of its names.

use std::fmt::Write;
use std::rc::Rc;

use super::evaluator::{Env, Evaluator};
use super::lambda::INLINE;
use crate::diagnostics::stop::{FailureKind, Issue, Stop};
use crate::syntax::ast::{ExprId, LambdaExpr};
use crate::syntax::print::{print, print_lambda};
use crate::text::quoted;
use crate::value::{Bound, Lambda, Map, Scope, Value};

/// The length of a text that is shown completely, and the shown length of both ends of longer ones.
const MAX_LENGTH: usize = 40;
const END: usize = 17;

impl Evaluator<'_> {
    /// The failure of a call whose lambda body failed.
    #[cold]
    pub(crate) fn in_lambda(&mut self, lambda: &Lambda, inner: &Env, stop: Stop) -> Stop {
        let Stop::Failed(issue) = stop else { return stop };
        if issue.kind.is_bound() {
            return Stop::Failed(issue);
        }
        let captured = self.shown_names(&lambda.captured, &lambda.bound);
        let captured = if captured.entries().is_empty() { String::new() } else { short(&captured) };
        let names = self.shown_names(&inner.locals, &[]);
        let text = ecow::eco_format!(
            "evaluation of lambda expression failed: {captured}{}: {}",
            self.lambda_text(lambda),
            short(&names)
        );
        Stop::within(FailureKind::Lambda, text, issue)
    }

    /// The failure of a lambda whose default for a parameter failed.
    #[cold]
    pub(crate) fn in_default(
        &self,
        lambda: &LambdaExpr,
        (at, default): (usize, ExprId),
        stop: Stop,
    ) -> Stop {
        let Stop::Failed(issue) = stop else { return stop };
        if issue.kind == FailureKind::Limit {
            return Stop::Failed(issue);
        }
        let text = ecow::eco_format!(
            "evaluation of lambda call default argument {at} failed: {}: {}",
            print_lambda(&self.sources.exprs, lambda),
            print(&self.sources.exprs, default)
        );
        Stop::within(FailureKind::Lambda, text, issue)
    }

    /// The names of a scope with their values, without those of the lambda itself.
    fn shown_names(&mut self, scope: &Scope, bound: &[(ecow::EcoString, Value)]) -> Rc<Map> {
        let mut entries = Vec::new();
        for (name, found) in scope.entries() {
            if name == "_" || name == INLINE {
                continue;
            }
            let value = match found {
                Bound::Value(item) => item.value,
                Bound::Node(_) => self.bound_value(found).unwrap_or_default(),
            };
            entries.push((name, value.into()));
        }
        entries.extend(bound.iter().map(|(name, value)| (name.clone(), value.clone().into())));
        Map::new(entries)
    }
}

impl Stop {
    /// A failure that is caused by another one.
    pub(crate) fn within(
        kind: FailureKind,
        text: impl Into<ecow::EcoString>,
        inner: Rc<Issue>,
    ) -> Self {
        let inner = Some(inner);
        Self::Failed(Rc::new(Issue { kind, text: text.into(), inner, ..Issue::default() }))
    }
}

/// A map in Go's notation; the middle of long ones is omitted.
fn short(map: &Map) -> String {
    let map = Piece::Map(map);
    let mut front = String::new();
    if map.show_front(&mut front) {
        return front;
    }
    let mut back = Vec::new();
    let mut length = 0;
    map.show_back(&mut back, &mut length);
    back.reverse();
    let back = back.concat();
    let (mut from, mut to) = (back.len().saturating_sub(END), END.min(front.len()));
    while !back.is_char_boundary(from) {
        from += 1;
    }
    while !front.is_char_boundary(to) {
        to -= 1;
    }
    format!("{} ... {}", &front[..to], &back[from..])
}

/// Part of the shown text.
enum Piece<'v> {
    Map(&'v Map),
    Value(&'v Value),
}

impl Piece<'_> {
    /// Writes it from its beginning, up to the shown length. Returns whether it is complete.
    fn show_front(&self, out: &mut String) -> bool {
        match self {
            Self::Value(Value::Map(map)) => return Piece::Map(map).show_front(out),
            Self::Value(Value::List(list)) => {
                out.push('[');
                for (at, item) in list.items.iter().enumerate() {
                    out.push_str(if at > 0 { ", " } else { "" });
                    if !Piece::Value(&item.value).show_front(out) {
                        return false;
                    }
                }
                out.push(']');
            }
            Self::Value(Value::Str(text)) if text.len() > MAX_LENGTH => {
                out.push_str(&quoted(&text[..text.floor_char_boundary(MAX_LENGTH)]));
                return false;
            }
            Self::Value(value) => out.push_str(&plain(value)),
            Self::Map(map) => {
                out.push('{');
                for (at, (key, item)) in map.entries().iter().enumerate() {
                    let _ = write!(out, "{}{key}: ", if at > 0 { ", " } else { "" });
                    if !Piece::Value(&item.value).show_front(out) {
                        return false;
                    }
                }
                out.push('}');
            }
        }
        out.len() <= MAX_LENGTH
    }

    /// Collects its parts from its end, up to the shown length.
    fn show_back(&self, parts: &mut Vec<String>, length: &mut usize) {
        let mut push = |part: String| {
            *length += part.len();
            parts.push(part);
            *length >= END
        };
        match self {
            Self::Value(Value::Map(map)) => Piece::Map(map).show_back(parts, length),
            Self::Value(Value::List(list)) => {
                if push("]".into()) {
                    return;
                }
                for (at, item) in list.items.iter().enumerate().rev() {
                    Piece::Value(&item.value).show_back(parts, length);
                    if *length >= END {
                        return;
                    }
                    let part = if at > 0 { ", " } else { "" };
                    *length += part.len();
                    parts.push(part.into());
                }
                parts.push("[".into());
            }
            Self::Value(Value::Str(text)) if text.len() > MAX_LENGTH => {
                push(quoted(&text[text.ceil_char_boundary(text.len() - MAX_LENGTH)..]));
            }
            Self::Value(value) => {
                push(plain(value));
            }
            Self::Map(map) => {
                if push("}".into()) {
                    return;
                }
                for (at, (key, item)) in map.entries().iter().enumerate().rev() {
                    Piece::Value(&item.value).show_back(parts, length);
                    if *length >= END {
                        return;
                    }
                    let part = format!("{}{key}: ", if at > 0 { ", " } else { "" });
                    *length += part.len();
                    parts.push(part);
                }
                parts.push("{".into());
            }
        }
    }
}

/// A value without parts.
fn plain(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".into(),
        Value::Str(text) => quoted(text),
        Value::Lambda(_) => "dynaml.LambdaValue{…}".into(),
        Value::Template(_) => "dynaml.TemplateValue{…}".into(),
        Value::Float(x) => ordain_functions::float::to_go(*x),
        other => other.simple_text().unwrap_or_default().into(),
    }
}
