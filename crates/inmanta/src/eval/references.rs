//! Units that read attributes, promise them, or check whether they are defined.

use super::net::Net;
use super::state::ids::{Place, ScopeId};
use super::state::unit::{Listener, Requires, Work};
use crate::diagnostics::{Class, Error, Fault, Reporter, Result};
use crate::syntax::ast::{ExprId, ExprKind, StmtId, StmtKind};
use crate::value::{InstanceId, Value, VarId};

impl Net<'_> {
    /// Evaluates the object of an attribute.
    pub(super) fn object(
        &mut self,
        expr: ExprId,
        base: ExprId,
        name: crate::symbol::Symbol,
        value: Value,
    ) -> Result<VarId> {
        let place = Place::expr(expr);
        let fail = |net: &Self, message: String| {
            let text = format!("{}.{}", net.program.ast.reported(base), net.program.name(name));
            let at = net.location(place);
            let mut error = Error::new(Class::Runtime, message).by(text, at);
            error.location = Some(at);
            error
        };
        match value {
            Value::Instance(instance) => self.attribute_var(instance, name).map_err(|mut error| {
                let text =
                    format!("{}.{}", self.program.ast.reported(base), self.program.name(name));
                let location = Some(self.location(place));
                error.set_reporter(true, &|| Reporter { text: text.clone(), location });
                error.location = location;
                error
            }),
            Value::List(_) => {
                let message = format!(
                    "can not get attribute {}, {} is not an entity but a list",
                    self.program.name(name),
                    value.text(self)
                );
                Err(fail(self, message))
            }
            _ => {
                let message = format!(
                    "can not get attribute {}, {} is not an entity but a {} with value '{}'",
                    self.program.name(name),
                    self.program.ast.reported(base),
                    value.python_type(),
                    value.text(self)
                );
                Err(fail(self, message))
            }
        }
    }

    /// The variable of an attribute.
    pub(super) fn attribute_var(
        &self,
        instance: InstanceId,
        name: crate::symbol::Symbol,
    ) -> Result<VarId> {
        self.slot_var(instance, name).ok_or_else(|| {
            let message = format!(
                "could not find attribute with name: {} in type {}",
                self.program.name(name),
                crate::value::Names::entity_name(self, instance)
            );
            let entity = self.instances[instance.0 as usize].entity;
            let fault = Fault::UnknownAttribute(self.program.name(name).to_owned());
            let error = Error::new(Class::NotFound, message).with_fault(fault);
            error.meaning(self.program.attribute_like(entity, name))
        })
    }

    pub(super) fn run_attr(
        &mut self,
        expr: ExprId,
        proxy: VarId,
        is_lenient: bool,
        scope: ScopeId,
        requires: &Requires,
    ) -> Result<()> {
        let ExprKind::Attr(base, name) = self.program.ast.exprs[expr].kind else { return Ok(()) };
        let place = Place::expr(expr);
        let overridden = |net: &Self, error: Box<Error>| {
            let mut error = net.replaced(error, place);
            if error.class.is_runtime() {
                error.location = Some(net.location(place));
            }
            error
        };
        let read = self.read(requires, place);
        if let (true, Err(error), Some(unset)) = (is_lenient, &read, requires.first())
            && error.class == Class::OptionalValue
        {
            return self.connect(proxy, *unset, place);
        }
        let value = read
            .and_then(|mut values| self.execute(base, scope, &mut values))
            .map_err(|error| overridden(self, error))?;
        let var = self.object(expr, base, name, value)?;
        self.connect(proxy, var, place).map_err(|error| overridden(self, error))
    }

    pub(super) fn run_promise(
        &mut self,
        stmt: StmtId,
        promise: u32,
        scope: ScopeId,
        requires: &Requires,
    ) -> Result<()> {
        let StmtKind::SetAttr { base, name, .. } = self.program.ast.stmts[stmt].kind else {
            return Ok(());
        };
        // If an optional relation on the path has no value, the promise is for that relation.
        let var = match self.read(requires, Place::expr(base)) {
            Err(error) if error.class == Class::OptionalValue => {
                requires.first().and_then(|var| self.behind(*var))
            }
            Err(error) => return Err(self.replaced(error, Place::stmt(stmt))),
            Ok(mut values) => {
                let value = self.execute(base, scope, &mut values)?;
                let found = self.object(base, base, name, value).map_err(|mut error| {
                    error.location = Some(self.location(Place::stmt(stmt)));
                    error
                })?;
                Some(found)
            }
        };
        let Some(var) = var else { return Ok(()) };
        if !self.promises[promise as usize].is_kept
            && self.is_delayed(var)
            && !self.vars[var.0 as usize].is_ready()
        {
            self.promise(var);
            self.promises[promise as usize].var = Some(var);
        }
        Ok(())
    }

    pub(super) fn run_defined(
        &mut self,
        expr: ExprId,
        target: VarId,
        scope: ScopeId,
        requires: &Requires,
    ) -> Result<()> {
        let ExprKind::Defined(Some(base), name, _) = self.program.ast.exprs[expr].kind else {
            return Ok(());
        };
        let place = Place::expr(expr);
        let value = self
            .read(requires, place)
            .and_then(|mut values| self.execute(base, scope, &mut values))
            .map_err(|error| {
                let text =
                    format!("{}.{}", self.program.ast.reported(base), self.program.name(name));
                let location = Some(self.location(place));
                let mut error = error;
                error.set_reporter(true, &|| Reporter { text: text.clone(), location });
                error.location = location;
                error
            })?;
        let var = self.object(expr, base, name, value)?;
        self.watch(expr, target, var, scope)
    }

    /// Computes `is defined` for a variable.
    pub(super) fn watch(
        &mut self,
        expr: ExprId,
        target: VarId,
        var: VarId,
        scope: ScopeId,
    ) -> Result<()> {
        if self.is_ready(var) {
            let value = self.defined_value(var, expr)?;
            return self.set(target, &value, Place::expr(expr), true);
        }
        let listener = self.listener(Listener::Defined { target, expr });
        self.listen(var, listener, Place::expr(expr))?;
        let requires = Requires::from_slice(&[var]);
        self.unit(Work::DefinedEnd { expr, target, var }, scope, requires);
        Ok(())
    }

    pub(super) fn defined_value(&mut self, var: VarId, expr: ExprId) -> Result<Value> {
        let value = match self.get(var, Place::expr(expr)) {
            Ok(value) => value,
            Err(error) if error.class == Class::OptionalValue => return Ok(Value::Bool(false)),
            Err(error) => return Err(error),
        };
        Ok(match value {
            Value::Unknown(_) => self.unknown(),
            Value::List(items) if items.is_empty() => Value::Bool(false),
            Value::List(items) if items.iter().all(Value::is_unknown) => self.unknown(),
            Value::Null => Value::Bool(false),
            _ => Value::Bool(true),
        })
    }
}
