//! Where the original says that things end.
//!
//! Its parser knows of an expression at the end of another one, or of a bind, only where the first
//! token of it ends, and so do its messages: `"a" + [1, 2]` ends behind the bracket that opens. Places
//! here are whole; only what is printed in the original's form is cut.

use ordain_source::TextRange;

use super::ast::{ExprId, ExprKind, StmtKind, Tree};
use super::lexer::lex;
use crate::Edition;

/// The part of a place in a text that the original would name.
pub fn shown(tree: &Tree, text: &str, range: TextRange) -> TextRange {
    let exprs = tree.exprs.iter().filter(|(_, expr)| expr.range == range);
    let last = exprs.filter_map(|(_, expr)| last_of_expr(&expr.kind)).next();
    let stmts = tree.stmts.iter().filter(|(_, stmt)| stmt.range == range);
    let last = last.or_else(|| stmts.filter_map(|(_, stmt)| last_of_stmt(&stmt.kind)).next());
    let Some(last) = last else { return range };
    let last = tree.exprs[last].range;
    let Some(part) = text.get(last.start as usize..last.end as usize) else { return range };
    match lex(part, Edition::Upstream).ok().and_then(|lexed| lexed.tokens.first().copied()) {
        Some(token) => TextRange::new(range.start, last.start + token.range.end),
        None => range,
    }
}

/// What an expression ends with, if that is an expression.
fn last_of_expr(kind: &ExprKind) -> Option<ExprId> {
    match kind {
        ExprKind::Binary(_, _, last)
        | ExprKind::In(_, last)
        | ExprKind::Except(_, last)
        | ExprKind::Not(last)
        | ExprKind::Field(_, _, Some(last)) => Some(*last),
        _ => None,
    }
}

/// What a statement ends with, if that is an expression.
fn last_of_stmt(kind: &StmtKind) -> Option<ExprId> {
    match kind {
        StmtKind::Bind { value, .. } => Some(*value),
        _ => None,
    }
}
