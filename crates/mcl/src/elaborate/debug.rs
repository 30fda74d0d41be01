//! Expressions in the debug form that messages have.

use std::fmt::Write;

use super::expr::bare;
use crate::syntax::ast::{ExprId, ExprKind, Piece, Tree};
use crate::types::node::of_node;
use crate::value::Value;

/// The maximal depth; deeper parts are omitted.
const MAX_DEPTH: u32 = 30;

/// An expression as the original prints it for debugging.
pub(super) fn print(tree: &Tree, id: ExprId) -> String {
    let mut out = String::new();
    expr(tree, id, &mut out, 0);
    out
}

fn join(tree: &Tree, ids: &[ExprId], out: &mut String, depth: u32) {
    for (i, id) in ids.iter().enumerate() {
        out.push_str(if i == 0 { "" } else { ", " });
        expr(tree, *id, out, depth);
    }
}

fn call(tree: &Tree, name: &str, first: &str, args: &[ExprId], out: &mut String, depth: u32) {
    let _ = write!(out, "call:{name}({first}");
    if !first.is_empty() && !args.is_empty() {
        out.push_str(", ");
    }
    join(tree, args, out, depth);
    out.push(')');
}

fn text(pieces: &[Piece], out: &mut String) {
    match pieces {
        [Piece::Text(text)] => {
            let _ = write!(out, "str({})", Value::from(text.as_str()));
        }
        [Piece::Var(name)] => {
            let _ = write!(out, "var({name})");
        }
        [first, rest @ ..] => {
            out.push_str("call:concat(");
            text(std::slice::from_ref(first), out);
            out.push_str(", ");
            text(rest, out);
            out.push(')');
        }
        [] => out.push_str("str(\"\")"),
    }
}

/// Parts between commas and brackets, each written by a function.
fn listed<T>(
    out: &mut String,
    open: &str,
    between: &str,
    parts: &[T],
    mut write: impl FnMut(&T, &mut String),
) {
    out.push_str(open);
    for (i, part) in parts.iter().enumerate() {
        out.push_str(if i == 0 { "" } else { between });
        write(part, out);
    }
    out.push(')');
}

fn expr(tree: &Tree, id: ExprId, out: &mut String, depth: u32) {
    if depth > MAX_DEPTH || out.len() > 10_000 {
        out.push('…');
        return;
    }
    let depth = depth + 1;
    let id = bare(tree, id);
    match &tree.exprs[id].kind {
        ExprKind::List(items) => listed(out, "list(", ", ", items, |item, out| {
            expr(tree, *item, out, depth);
        }),
        ExprKind::Map(pairs) => listed(out, "map(", ", ", pairs, |(key, value), out| {
            expr(tree, *key, out, depth);
            out.push_str(": ");
            expr(tree, *value, out, depth);
        }),
        ExprKind::Struct(fields) => listed(out, "struct(", "; ", fields, |(name, value), out| {
            let _ = write!(out, "{name}: ");
            expr(tree, *value, out, depth);
        }),
        ExprKind::Lambda(func) => {
            let params = func.params.iter().map(|param| match &param.ty {
                Some(ty) => format!("{} {}", param.name, of_node(ty)),
                None => param.name.to_string(),
            });
            let params: Vec<String> = params.collect();
            let _ = write!(out, "func({})", params.join(", "));
            if let Some(ty) = &func.result {
                let _ = write!(out, " {}", of_node(ty));
            }
            out.push_str(" { ");
            expr(tree, func.body, out, depth);
            out.push_str(" }");
        }
        ExprKind::If([condition, then, other]) => {
            for (before, part) in [("if( ", condition), (" ) { ", then), (" } else { ", other)] {
                out.push_str(before);
                expr(tree, *part, out, depth);
            }
            out.push_str(" }");
        }
        ExprKind::Except(a, b) => {
            for (before, part) in [("except( ", a), (" <|> ", b)] {
                out.push_str(before);
                expr(tree, *part, out, depth);
            }
            out.push_str(" )");
        }
        ExprKind::Paren(inner) => expr(tree, *inner, out, depth),
        kind => leaf_or_call(tree, kind, out, depth),
    }
}

/// Constants, variables, and all expressions that are calls for the original.
fn leaf_or_call(tree: &Tree, kind: &ExprKind, out: &mut String, depth: u32) {
    match kind {
        ExprKind::Bool(value) => {
            let _ = write!(out, "bool({value})");
        }
        ExprKind::Int(value) => {
            let _ = write!(out, "int({value})");
        }
        ExprKind::Float(value) => {
            let _ = write!(out, "float({})", short(*value));
        }
        ExprKind::Str(pieces) => text(pieces, out),
        ExprKind::Var(name) => {
            let _ = write!(out, "var({name})");
        }
        ExprKind::Call(name, args) | ExprKind::CallVar(name, args) => {
            call(tree, name, "", args, out, depth);
        }
        ExprKind::CallLambda(_, args) => {
            out.push_str("call:<anon>(");
            join(tree, args, out, depth);
            out.push(')');
        }
        ExprKind::Binary(op, a, b) => {
            let first = format!("str(\"{}\")", op.text());
            call(tree, "_operator", &first, &[*a, *b], out, depth);
        }
        ExprKind::Not(a) => call(tree, "_operator", "str(\"not\")", &[*a], out, depth),
        ExprKind::In(a, b) => call(tree, "contains", "", &[*a, *b], out, depth),
        ExprKind::Index(a, b) => call(tree, "_lookup", "", &[*a, *b], out, depth),
        ExprKind::Field(of, name, default) => {
            let suffix = if default.is_some() { "_optional" } else { "" };
            let _ = write!(out, "call:_struct_lookup{suffix}(");
            expr(tree, *of, out, depth);
            let _ = write!(out, ", str(\"{name}\")");
            if let Some(default) = default {
                out.push_str(", ");
                expr(tree, *default, out, depth);
            }
            out.push(')');
        }
        _ => {}
    }
}

/// A float, with an exponent below 1e-4 and from 1e6 on, as in Go.
fn short(value: f64) -> String {
    let text = format!("{value:e}");
    match text
        .split_once('e')
        .and_then(|(digits, power)| Some((digits, power.parse::<i32>().ok()?)))
    {
        Some((digits, power)) if value != 0.0 && !(-4..6).contains(&power) => {
            let sign = if power < 0 { '-' } else { '+' };
            format!("{digits}e{sign}{:02}", power.abs())
        }
        _ => Value::Float(value).to_string(),
    }
}
