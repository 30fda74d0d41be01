//! Ids of units, listeners, scopes and places.

use crate::syntax::ast::{ExprId, StmtId};
use crate::value::InstanceId;

/// The id for "none".
pub(in crate::eval) const NONE: u32 = u32::MAX;

/// The id of a unit.
pub(in crate::eval) type UnitId = u32;

/// The id of a listener.
pub(in crate::eval) type ListenerId = u32;

/// The id of a scope, or of an instance if the first bit is set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::eval) struct ScopeId(pub(in crate::eval) u32);

impl ScopeId {
    /// The top level of the current file.
    pub(in crate::eval) const TOP: Self = Self(NONE >> 1);

    pub(in crate::eval) fn instance(id: InstanceId) -> Self {
        Self(id.0 | (1 << 31))
    }

    pub(in crate::eval) fn as_instance(self) -> Option<InstanceId> {
        (self.0 >> 31 == 1).then_some(InstanceId(self.0 & (NONE >> 1)))
    }
}

/// The variables of a block, or the instance that values are computed for.
#[derive(Clone, Copy, Debug)]
pub(in crate::eval) struct Scope {
    pub(in crate::eval) parent: ScopeId,
    /// The first variable.
    pub(in crate::eval) first: u32,
    /// The instance. Such a scope has no variables and does not count as a level.
    pub(in crate::eval) owner: u32,
}

/// A place in the program: an expression, or a statement if the first bit is set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::eval) struct Place(pub(in crate::eval) u32);

impl Place {
    pub(in crate::eval) fn expr(id: ExprId) -> Self {
        Self(id.raw())
    }

    pub(in crate::eval) fn stmt(id: StmtId) -> Self {
        Self(id.raw() | (1 << 31))
    }

    pub(in crate::eval) fn as_expr(self) -> Option<ExprId> {
        (self.0 >> 31 == 0).then(|| ExprId::new(self.0))
    }

    pub(in crate::eval) fn as_stmt(self) -> Option<StmtId> {
        (self.0 >> 31 == 1).then(|| StmtId::new(self.0 & (NONE >> 1)))
    }
}
