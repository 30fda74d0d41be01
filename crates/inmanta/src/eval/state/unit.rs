//! Units of work that wait for variables.

use std::rc::Rc;

use smallvec::SmallVec;

use super::call::CallArguments;
use super::ids::{ListenerId, Place, ScopeId};
use crate::syntax::ast::{ExprId, StmtId};
use crate::value::{InstanceId, Value, VarId};

/// A receiver of the elements of a list as they arrive.
#[derive(Clone, Copy, Debug)]
pub(in crate::eval) enum Listener {
    For { stmt: StmtId, scope: ScopeId },
    Assign { var: VarId, by: Place, instance: InstanceId },
    Comprehension(u32),
    Defined { target: VarId, expr: ExprId },
}

/// The way in which a unit reads the root of its expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::eval) enum Root {
    /// The plain value.
    Plain,
    /// The listener gets the value, too.
    Notify(ListenerId),
    /// The elements were collected in a list.
    Collected,
}

/// The variables that a unit waits for.
pub(in crate::eval) type Requires = SmallVec<[VarId; 3]>;

/// The work of a unit.
#[derive(Clone, Debug)]
pub(in crate::eval) enum Work {
    Exec {
        expr: ExprId,
        target: VarId,
        owner: Place,
        root: Root,
    },
    Assign {
        expr: ExprId,
        target: VarId,
        by: Place,
        instance: InstanceId,
        attribute: u32,
        root: Root,
    },
    For {
        stmt: StmtId,
        root: Root,
        promises: u32,
    },
    If {
        stmt: StmtId,
        promises: u32,
    },
    Implement {
        instance: InstanceId,
        implement: u32,
    },
    SetAttr(StmtId),
    Logic {
        expr: ExprId,
        target: VarId,
    },
    Lookup {
        expr: ExprId,
        target: VarId,
    },
    Attr {
        expr: ExprId,
        proxy: VarId,
        /// Whether an unset optional relation on the path is the result.
        is_lenient: bool,
    },
    Promise {
        stmt: StmtId,
        promise: u32,
    },
    Defined {
        expr: ExprId,
        target: VarId,
    },
    DefinedEnd {
        expr: ExprId,
        target: VarId,
        var: VarId,
    },
    Cond {
        expr: ExprId,
        target: VarId,
        listener: Option<ListenerId>,
    },
    Branch {
        expr: ExprId,
        branch: ExprId,
        target: VarId,
        root: Root,
    },
    Guard {
        number: u32,
        element: Option<Value>,
        target: VarId,
    },
    Pass {
        expr: ExprId,
        target: VarId,
    },
    Give {
        target: VarId,
        value: Value,
        listener: Option<ListenerId>,
        expr: ExprId,
    },
    Comprehension {
        number: u32,
        root: Root,
    },
    ComprehensionEnd {
        number: u32,
    },
    Call {
        expr: ExprId,
        target: VarId,
        arguments: Option<Rc<CallArguments>>,
    },
    Done,
}

/// Work with the variables that it waits for.
#[derive(Debug)]
pub(in crate::eval) struct Unit {
    pub(in crate::eval) work: Work,
    pub(in crate::eval) scope: ScopeId,
    pub(in crate::eval) requires: Requires,
    pub(in crate::eval) waits: u32,
    /// The position in the order of creation.
    pub(in crate::eval) sequence: u64,
}

/// A running comprehension.
#[derive(Debug)]
pub(in crate::eval) struct Comprehension {
    pub(in crate::eval) expr: ExprId,
    pub(in crate::eval) scope: ScopeId,
    pub(in crate::eval) listener: Option<ListenerId>,
    pub(in crate::eval) results: Vec<VarId>,
    pub(in crate::eval) target: VarId,
}

/// A promise that a relation will get values.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::eval) struct Promise {
    pub(in crate::eval) var: Option<VarId>,
    pub(in crate::eval) is_kept: bool,
}

/// An iterator over the values of the variables that a unit waited for.
pub(in crate::eval) struct Values {
    pub(in crate::eval) values: SmallVec<[Value; 3]>,
    pub(in crate::eval) at: usize,
}

impl Values {
    pub(in crate::eval) fn next(&mut self) -> Value {
        self.at += 1;
        self.values.get(self.at - 1).cloned().unwrap_or_default()
    }
}
