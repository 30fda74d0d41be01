//! Classes of tokens.

use crate::lexer::TokenKind;

/// Whether an atom ends an operand, so that an operator behind it has two.
pub(super) fn ends_operand(kind: TokenKind) -> bool {
    use TokenKind::*;
    matches!(
        kind,
        Name | Word
            | ClassRef
            | Variable
            | Number
            | Regex
            | Str
            | DqPre
            | Heredoc
            | RBrack
            | RBrace
            | RParen
            | RCollect
            | RrCollect
            | True
            | False
            | Undef
            | Default
    )
}

/// Whether the statement or element goes on behind this atom.
pub(super) fn continues_after(kind: TokenKind) -> bool {
    use TokenKind::*;
    matches!(kind, Comma | FArrow | PArrow | At | AtAt | Not) || continues_before(kind)
}

/// Whether an atom at the beginning of a line goes on with the statement or element before.
pub(super) fn continues_before(kind: TokenKind) -> bool {
    use TokenKind::*;
    matches!(
        kind,
        Equals
            | Appends
            | Deletes
            | IsEqual
            | NotEqual
            | Match
            | NoMatch
            | GreaterEqual
            | Greater
            | LessEqual
            | Less
            | FArrow
            | PArrow
            | LShift
            | LCollect
            | LlCollect
            | RShift
            | Plus
            | Minus
            | Div
            | Times
            | Modulo
            | Dot
            | QMark
            | And
            | Or
            | In
            | Inherits
    )
}

/// Whether an atom is a relationship arrow.
pub(super) fn is_relation(kind: TokenKind) -> bool {
    use TokenKind::*;
    matches!(kind, InEdge | InEdgeSub | OutEdge | OutEdgeSub)
}
