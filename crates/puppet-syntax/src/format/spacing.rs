//! The space between two atoms on one line.

use crate::lexer::TokenKind;

use super::groups::GroupKind;

/// Two neighbours, with the groups that they open and close.
pub(super) struct Pair {
    pub(super) before: TokenKind,
    pub(super) kind: TokenKind,
    /// Whether the atom before is an operator in front of its operand: `!`, `-`, `*`.
    pub(super) is_prefix: bool,
    /// The group that the atom before opens.
    pub(super) opened: Option<GroupKind>,
    /// The group that the atom opens.
    pub(super) opens: Option<GroupKind>,
    /// The group that the atom closes.
    pub(super) closes: Option<GroupKind>,
    /// The group that the atom before closes.
    pub(super) closed: Option<GroupKind>,
    /// Whether the parentheses that open follow the name of a function's definition.
    pub(super) is_function: bool,
}

/// Whether there is a space between two atoms.
pub(super) fn has_space(pair: &Pair) -> bool {
    use TokenKind::*;
    if pair.is_prefix {
        return false;
    }
    if let Some(kind) = pair.opened {
        let is_empty = pair.closes == Some(kind);
        return has_space_inside(kind) && (!is_empty || kind == GroupKind::Query);
    }
    if let Some(kind) = pair.closes {
        return has_space_inside(kind);
    }
    if matches!(pair.before, Dot | At | AtAt) {
        return false;
    }
    match pair.opens {
        Some(GroupKind::Access | GroupKind::Arguments) => return false,
        Some(GroupKind::Parameters) => return !pair.is_function,
        _ => {}
    }
    if pair.closed == Some(GroupKind::LambdaParameters) {
        return true;
    }
    !matches!(pair.kind, Comma | Semic | Colon | Dot)
}

/// Whether the content of brackets on one line has spaces around it.
fn has_space_inside(kind: GroupKind) -> bool {
    use GroupKind::*;
    matches!(kind, Block | Case | Selector | Hash | Resource | Query)
}
