//! Batches calls of Python code that are ready at the same time.
//!
//! Units run first in, first out, so the call of a unit runs after the calls of the units before it
//! in the queue, whatever units between them do. Python code does not see their effects, and they
//! do not see Python's, unless a plugin touches files or calls other plugins; a batch ends there.
//! Output of plugins is printed when their units run. A call with a question waits until its unit
//! runs.

use std::rc::Rc;

use super::net::Net;
use super::state::call::{BatchedCall, CallArguments, CheckedArguments};
use super::state::ids::{Place, ScopeId, UnitId};
use super::state::unit::{Root, Work};
use super::state::variable::Kind;
use crate::model::plugin::Arguments;
use crate::model::program::DefinitionId;
use crate::syntax::ast::{Callee, ExprId, ExprKind};
use crate::value::{Value, VarId};

/// The limit for calls in a batch.
const MAX_CALLS: usize = 1000;
/// The number of units that are searched, and of further ones for each call that is found. Many
/// units may be between two calls that depend on each other.
const FIRST_UNITS: usize = 128;
const MORE_UNITS: usize = 32;

impl Net<'_> {
    /// Sends a call and those that follow as a batch. Returns whether there is a batch.
    pub(super) fn start_batch(&mut self, plugin: u32, arguments: &Arguments) -> bool {
        let entry = self.program.plugins[plugin as usize].plugin.clone();
        if !self.batch.is_empty() || !entry.is_batched() || !self.checks_can_batch() {
            return false;
        }
        for at in 0..self.running.len() {
            let count = self.batch.len();
            if at > FIRST_UNITS + MORE_UNITS * count || count == MAX_CALLS {
                break;
            }
            let unit = self.running[at];
            if let Work::Assign { target, root: Root::Plain, .. } = self.units[unit as usize].work {
                self.assigned_before.insert(target, unit);
            }
            let Some(call) = self.call_behind(unit) else { break };
            let Some((plugin, call)) = call else { continue };
            if count == 0 {
                // This call runs before the units that were searched, so it must not see their
                // assignments.
                let assigned = std::mem::take(&mut self.assigned_before);
                entry.prepare(self, arguments);
                self.assigned_before = assigned;
            }
            let entry = self.program.plugins[plugin as usize].plugin.clone();
            let has_room = entry.prepare(self, &call.arguments);
            self.batch.push_back(call);
            if !has_room {
                break;
            }
        }
        self.assigned_before.clear();
        !self.batch.is_empty()
    }

    /// The value that a variable will have when a batched call runs, if an earlier unit assigns it.
    pub(super) fn value_in_batch(&mut self, var: VarId) -> Option<Value> {
        let var = self.behind(var)?;
        let unit = *self.assigned_before.get(&var)?;
        let Work::Assign { expr, .. } = self.units[unit as usize].work else { return None };
        let is_single = matches!(self.vars[var.0 as usize].kind, Kind::Plain | Kind::One);
        if !is_single || !self.reads_freely(unit) || self.makes(expr) {
            return None;
        }
        let scope = self.units[unit as usize].scope;
        let requires = self.units[unit as usize].requires.clone();
        let mut values = self.read(&requires, Place::expr(expr)).ok()?;
        self.execute(expr, scope, &mut values).ok()
    }

    /// Whether no typedef calls Python code. Otherwise the check of an argument could itself need a
    /// call.
    fn checks_can_batch(&mut self) -> bool {
        if self.can_batch.is_none() {
            let named = &self.program.named;
            let is_free = named.iter().all(|item| match item {
                DefinitionId::Typedef(id) => {
                    !self.calls_python(self.program.typedefs[*id as usize].condition)
                }
                _ => true,
            });
            self.can_batch = Some(is_free);
        }
        self.can_batch == Some(true)
    }

    fn calls_python(&self, expr: ExprId) -> bool {
        let ast = &self.program.ast;
        if let ExprKind::Call(call) = ast.exprs[expr].kind
            && let Callee::Plugin(plugin) = ast.calls[call].callee
            && self.program.plugins[plugin as usize].plugin.is_python()
        {
            return true;
        }
        self.inner(expr).into_iter().any(|part| self.calls_python(part))
    }

    /// The call of a unit: `None` ends the search, `Some(None)` means that the unit has no call to
    /// batch.
    fn call_behind(&mut self, unit: UnitId) -> Option<Option<(u32, BatchedCall)>> {
        let Work::Call { expr, .. } = self.units[unit as usize].work else { return Some(None) };
        let ExprKind::Call(call) = self.program.ast.exprs[expr].kind else { return Some(None) };
        let Callee::Plugin(plugin) = self.program.ast.calls[call].callee else { return Some(None) };
        let entry = &self.program.plugins[plugin as usize].plugin;
        if !entry.is_batched() {
            return (!entry.touches_world()).then_some(None);
        }
        let allows_unknown = entry.signature().allow_unknown;
        let CheckedArguments { arguments, has_unknown, .. } =
            self.arguments_of(unit, expr, plugin)?;
        if has_unknown && !allows_unknown {
            return Some(None);
        }
        Some(Some((plugin, BatchedCall { unit, arguments })))
    }

    /// The direct parts of an expression.
    fn inner(&self, expr: ExprId) -> Vec<ExprId> {
        let mut parts = Vec::new();
        self.program.ast.children(expr, &mut parts);
        parts
    }

    /// The arguments of a call whose unit has not run yet; `None` if evaluating them has effects or
    /// fails. A failure is reported when the unit runs.
    fn arguments_of(
        &mut self,
        unit: UnitId,
        expr: ExprId,
        plugin: u32,
    ) -> Option<CheckedArguments> {
        let Work::Call { arguments, .. } = &self.units[unit as usize].work else { return None };
        let given = match arguments {
            Some(given) => Rc::clone(given),
            None => {
                let given = self.arguments_before_turn(unit, expr)?;
                if let Work::Call { arguments, .. } = &mut self.units[unit as usize].work {
                    *arguments = Some(Rc::clone(&given));
                }
                given
            }
        };
        let checked = self.check_arguments(plugin, &given).ok()?;
        checked.missing.is_empty().then_some(checked)
    }

    fn arguments_before_turn(&mut self, unit: UnitId, expr: ExprId) -> Option<Rc<CallArguments>> {
        let makes = self.inner(expr).into_iter().any(|part| self.makes(part));
        if makes || !self.reads_freely(unit) {
            return None;
        }
        let requires = self.units[unit as usize].requires.clone();
        let scope: ScopeId = self.units[unit as usize].scope;
        let mut values = self.read(&requires, Place::expr(expr)).ok()?;
        self.arguments(expr, scope, &mut values).ok().map(Rc::new)
    }

    /// Whether reading the variables of a unit notifies no listener.
    fn reads_freely(&self, unit: UnitId) -> bool {
        self.units[unit as usize].requires.iter().all(|&var| !self.notifies(var))
    }

    /// Whether reading a variable notifies a listener.
    fn notifies(&self, var: VarId) -> bool {
        let mut at = var;
        while self.vars[at.0 as usize].kind == Kind::Proxy {
            if self.vars[at.0 as usize].notifies {
                return true;
            }
            at = VarId(self.vars[at.0 as usize].link);
        }
        false
    }

    /// Whether evaluating an expression creates an instance. Variables that it waits for have their
    /// values already.
    fn makes(&self, expr: ExprId) -> bool {
        match self.program.ast.exprs[expr].kind {
            ExprKind::New(_) => true,
            ExprKind::Binary(..)
            | ExprKind::Not(_)
            | ExprKind::Regex(..)
            | ExprKind::List(_)
            | ExprKind::Dict(..)
            | ExprKind::Entry(..)
            | ExprKind::Format(_)
            | ExprKind::Splat(_) => self.inner(expr).into_iter().any(|part| self.makes(part)),
            _ => false,
        }
    }
}
