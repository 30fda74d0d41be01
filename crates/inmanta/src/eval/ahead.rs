//! Calls of Python code that are ready at the same time, handed over together.
//!
//! Units run first in, first out, so a call whose unit stands behind that of another one runs after
//! it, whatever units between do. What these do cannot be seen by Python code, nor the other way
//! round, except where a plugin reads or writes files or calls others: there the search ends. What
//! plugins print comes out when their units have their turn, and a call that asks for something
//! waits for it.

use std::rc::Rc;

use super::call::{Checked, Given};
use super::{Kind, Net, Root, ScopeId, UnitId, Work};
use crate::plugin::Arguments;
use crate::program::Named;
use crate::syntax::ast::{Callee, ExprId, ExprKind};
use crate::value::{Value, VarId};

/// How many calls are handed over together at most.
const MOST_CALLS: usize = 1000;
/// How many units are looked at, and how many more for each call that is found: many may stand
/// between two calls of which one needs the other.
const FIRST_UNITS: usize = 128;
const MORE_UNITS: usize = 32;

/// A call that was handed over.
#[derive(Debug)]
pub(super) struct Ahead {
    pub(super) unit: UnitId,
    pub(super) arguments: Arguments,
}

impl Net<'_> {
    /// Hands a call over, and with it those that follow. Says whether there are any.
    pub(super) fn hand_over(&mut self, plugin: u32, arguments: &Arguments) -> bool {
        let entry = self.program.plugins[plugin as usize].plugin.clone();
        if !self.ahead.is_empty() || !entry.is_batched() || !self.can_look_ahead() {
            return false;
        }
        for at in 0..self.running.len() {
            let count = self.ahead.len();
            if at > FIRST_UNITS + MORE_UNITS * count || count == MOST_CALLS {
                break;
            }
            let unit = self.running[at];
            if let Work::Assign { target, root: Root::Plain, .. } = self.units[unit as usize].work {
                self.assigned_ahead.insert(target, unit);
            }
            let Some(call) = self.call_behind(unit) else { break };
            let Some((plugin, call)) = call else { continue };
            if count == 0 {
                // Before the units that were looked at, this call runs.
                let assigned = std::mem::take(&mut self.assigned_ahead);
                entry.prepare(self, arguments);
                self.assigned_ahead = assigned;
            }
            let entry = self.program.plugins[plugin as usize].plugin.clone();
            let has_room = entry.prepare(self, &call.arguments);
            self.ahead.push_back(call);
            if !has_room {
                break;
            }
        }
        self.assigned_ahead.clear();
        !self.ahead.is_empty()
    }

    /// The value that a variable has when a call runs that is being prepared, if a unit sets it
    /// before.
    pub(super) fn value_ahead(&mut self, var: VarId) -> Option<Value> {
        let var = self.behind(var)?;
        let unit = *self.assigned_ahead.get(&var)?;
        let Work::Assign { expr, .. } = self.units[unit as usize].work else { return None };
        let is_single = matches!(self.vars[var.0 as usize].kind, Kind::Plain | Kind::One);
        if !is_single || !self.reads_freely(unit) || self.makes(expr) {
            return None;
        }
        let scope = self.units[unit as usize].scope;
        let requires = self.units[unit as usize].requires.clone();
        let mut values = self.read(&requires, super::Place::expr(expr)).ok()?;
        self.execute(expr, scope, &mut values).ok()
    }

    /// Whether the checks of values do without code that is not built in.
    fn can_look_ahead(&mut self) -> bool {
        if self.looks_ahead.is_none() {
            let named = &self.program.named;
            let is_free = named.iter().all(|item| match item {
                Named::Typedef(id) => {
                    !self.calls_python(self.program.typedefs[*id as usize].condition)
                }
                _ => true,
            });
            self.looks_ahead = Some(is_free);
        }
        self.looks_ahead == Some(true)
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

    /// The call that a unit makes when it runs; none of the first kind where the search ends, none
    /// of the second where it goes on.
    fn call_behind(&mut self, unit: UnitId) -> Option<Option<(u32, Ahead)>> {
        let Work::Call { expr, .. } = self.units[unit as usize].work else { return Some(None) };
        let ExprKind::Call(call) = self.program.ast.exprs[expr].kind else { return Some(None) };
        let Callee::Plugin(plugin) = self.program.ast.calls[call].callee else { return Some(None) };
        let entry = &self.program.plugins[plugin as usize].plugin;
        if !entry.is_batched() {
            return (!entry.touches_world()).then_some(None);
        }
        let allows_unknown = entry.signature().allow_unknown;
        let Checked { arguments, has_unknown, .. } = self.arguments_of(unit, expr, plugin)?;
        if has_unknown && !allows_unknown {
            return Some(None);
        }
        Some(Some((plugin, Ahead { unit, arguments })))
    }

    /// The expressions in an expression.
    fn inner(&self, expr: ExprId) -> Vec<ExprId> {
        let mut parts = Vec::new();
        self.program.ast.children(expr, &mut parts);
        parts
    }

    /// The arguments of a call before its turn; none where that could be noticed, or fails: it does
    /// so again in its turn.
    fn arguments_of(&mut self, unit: UnitId, expr: ExprId, plugin: u32) -> Option<Checked> {
        let Work::Call { arguments, .. } = &self.units[unit as usize].work else { return None };
        let given = match arguments {
            Some(given) => Rc::clone(given),
            None => {
                let given = self.given_of(unit, expr)?;
                if let Work::Call { arguments, .. } = &mut self.units[unit as usize].work {
                    *arguments = Some(Rc::clone(&given));
                }
                given
            }
        };
        let checked = self.check_arguments(plugin, &given).ok()?;
        checked.missing.is_empty().then_some(checked)
    }

    fn given_of(&mut self, unit: UnitId, expr: ExprId) -> Option<Rc<Given>> {
        let makes = self.inner(expr).into_iter().any(|part| self.makes(part));
        if makes || !self.reads_freely(unit) {
            return None;
        }
        let requires = self.units[unit as usize].requires.clone();
        let scope: ScopeId = self.units[unit as usize].scope;
        let mut values = self.read(&requires, super::Place::expr(expr)).ok()?;
        self.arguments(expr, scope, &mut values).ok().map(Rc::new)
    }

    /// Whether nobody learns of it when the variables are read that a unit waits for.
    fn reads_freely(&self, unit: UnitId) -> bool {
        self.units[unit as usize].requires.iter().all(|&var| !self.notifies(var))
    }

    /// Whether somebody learns of it when a variable is read.
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

    /// Whether an expression makes an instance when it is computed. What it waits for has been
    /// computed.
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
