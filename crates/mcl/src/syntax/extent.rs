//! The ends of places in messages of the original.
//!
//! The parser of the original records only the first token of an expression at the end of another
//! one or of a bind, and its messages show that: `"a" + [1, 2]` ends after the opening bracket.
//! Places here are complete; only messages in the form of the original cut them.

use ordain_source::TextRange;

use super::ast::{ExprId, ExprKind, StmtKind, Tree};
use super::lexer::lex;
use super::token::TokenKind;
use crate::Edition;

/// The part of a place in a text that the original would name.
pub(crate) fn shown(tree: &Tree, text: &str, range: TextRange) -> TextRange {
    // With parentheses the end is known.
    let is_closed = text.get(..range.end as usize).is_some_and(|text| text.ends_with(')'));
    let exprs = tree.exprs.iter().filter(|(_, expr)| expr.range == range);
    let last = exprs.filter_map(|(_, expr)| last_of_expr(&expr.kind)).next();
    let stmts = tree.stmts.iter().filter(|(_, stmt)| stmt.range == range);
    let last =
        last.or_else(|| stmts.filter_map(|(_, stmt)| last_of_stmt(&stmt.kind, is_closed)).next());
    let end = match last {
        Some(CutEnd::Expr(last)) => first_token(text, tree.exprs[last].range, 0),
        Some(CutEnd::Token(number)) => first_token(text, range, number),
        None => None,
    };
    end.map_or(range, |end| TextRange::new(range.start, end))
}

/// The end of a node for the original, if it cuts the node.
enum CutEnd {
    /// An expression, of which the first token counts.
    Expr(ExprId),
    /// A name with dots in it, of which the token of this number is the first part.
    Token(usize),
}

/// The end of a token of a part of a text; a variable is one with its dollar sign.
fn first_token(text: &str, range: TextRange, number: usize) -> Option<u32> {
    let part = text.get(range.start as usize..range.end as usize)?;
    let tokens = lex(part, Edition::Upstream).ok()?.tokens;
    let token = tokens.get(number)?;
    let token = if token.kind == TokenKind::Dollar { tokens.get(number + 1)? } else { token };
    Some(range.start + token.range.end)
}

/// The end of an expression for the original, if it differs.
fn last_of_expr(kind: &ExprKind) -> Option<CutEnd> {
    match kind {
        ExprKind::Var(_) => Some(CutEnd::Token(0)),
        ExprKind::Binary(_, _, last)
        | ExprKind::In(_, last)
        | ExprKind::Except(_, last)
        | ExprKind::Not(last)
        | ExprKind::Field(_, _, Some(last)) => Some(CutEnd::Expr(*last)),
        _ => None,
    }
}

/// The end of a statement for the original, if it differs.
fn last_of_stmt(kind: &StmtKind, is_closed: bool) -> Option<CutEnd> {
    match kind {
        StmtKind::Bind { value, .. } => Some(CutEnd::Expr(*value)),
        StmtKind::Include { args, alias: None, .. } if args.is_empty() && !is_closed => {
            Some(CutEnd::Token(1))
        }
        _ => None,
    }
}
