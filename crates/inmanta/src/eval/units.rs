//! Runs units whose variables are ready.

use ordain_source::budget;

use super::net::Net;
use super::state::ids::{ListenerId, Place, ScopeId, UnitId};
use super::state::unit::{Listener, Requires, Root, Unit, Values, Work};
use super::state::variable::Reason;
use crate::diagnostics::{Class, Error, Reporter, Result};
use crate::syntax::ast::{ExprId, ExprKind, StmtId, StmtKind};
use crate::value::{InstanceId, Value, VarId};

impl Net<'_> {
    /// The place of a unit in the program.
    pub(super) fn place_of(&self, unit: UnitId) -> Option<Place> {
        Some(match &self.units[unit as usize].work {
            Work::Exec { owner, .. } => *owner,
            Work::Assign { by, .. } => *by,
            Work::For { stmt, .. } | Work::If { stmt, .. } | Work::SetAttr(stmt) => {
                Place::stmt(*stmt)
            }
            Work::Logic { expr, .. }
            | Work::Lookup { expr, .. }
            | Work::Attr { expr, .. }
            | Work::Defined { expr, .. }
            | Work::DefinedEnd { expr, .. }
            | Work::Cond { expr, .. }
            | Work::Branch { expr, .. }
            | Work::Pass { expr, .. }
            | Work::Give { expr, .. }
            | Work::Call { expr, .. } => Place::expr(*expr),
            Work::Comprehension { number, .. }
            | Work::ComprehensionEnd { number }
            | Work::Guard { number, .. } => Place::expr(self.comprehensions[*number as usize].expr),
            Work::Promise { stmt, .. } => Place::stmt(*stmt),
            Work::Implement { .. } | Work::Done => return None,
        })
    }

    /// Removes a unit that has run.
    pub(super) fn done(&mut self, id: UnitId) {
        let unit = &mut self.units[id as usize];
        unit.work = Work::Done;
        unit.requires = Requires::new();
        self.living -= 1;
        self.free_units.push(id);
    }

    /// The values of the variables that a unit waited for.
    pub(super) fn read(&mut self, requires: &Requires, place: Place) -> Result<Values> {
        let mut values = smallvec::SmallVec::new();
        for var in requires {
            values.push(self.get(*var, place)?);
        }
        Ok(Values { values, at: 0 })
    }

    /// Runs a unit. Returns whether it is done.
    pub(super) fn run_unit(&mut self, id: UnitId) -> Result<bool> {
        let Unit { work, scope, .. } = &self.units[id as usize];
        let (work, scope) = (work.clone(), *scope);
        if let Work::Call { expr, target, arguments } = work {
            return self.run_call(id, expr, target, arguments, scope);
        }
        let requires = std::mem::take(&mut self.units[id as usize].requires);
        self.run_work(&work, scope, &requires)?;
        Ok(true)
    }

    fn run_work(&mut self, work: &Work, scope: ScopeId, requires: &Requires) -> Result<()> {
        match *work {
            Work::Exec { expr, target, owner, root } => self
                .evaluate_into(expr, target, root, scope, requires)
                .map_err(|error| self.through(error, owner)),
            Work::Assign { expr, target, by, instance, attribute, root } => self
                .evaluate_into(expr, target, root, scope, requires)
                .map_err(|error| self.assignment_error(error, by, instance, attribute)),
            Work::For { stmt, root, promises } => self
                .run_for(stmt, root, promises, scope, requires)
                .map_err(|error| self.through(error, Place::stmt(stmt))),
            Work::If { stmt, promises } => self
                .run_if(stmt, promises, scope, requires)
                .map_err(|error| self.through(error, Place::stmt(stmt))),
            Work::Implement { instance, implement } => {
                self.run_implement(instance, implement, requires).map_err(|mut error| {
                    let entity = self.instances[instance.0 as usize].entity;
                    error.set_reporter(false, &|| self.implement_reporter(entity, implement));
                    error
                })
            }
            Work::SetAttr(stmt) => self
                .run_set_attr(stmt, scope, requires)
                .map_err(|error| self.replaced(error, Place::stmt(stmt))),
            Work::Logic { expr, target } => self
                .run_logic(expr, target, scope, requires)
                .map_err(|error| self.replaced(error, Place::expr(expr))),
            Work::Lookup { expr, target } => self
                .run_lookup(expr, target, scope, requires)
                .map_err(|error| self.replaced(error, Place::expr(expr))),
            Work::Attr { expr, proxy, is_lenient } => {
                self.run_attr(expr, proxy, is_lenient, scope, requires)
            }
            Work::Promise { stmt, promise } => self.run_promise(stmt, promise, scope, requires),
            Work::Defined { expr, target } => self.run_defined(expr, target, scope, requires),
            Work::DefinedEnd { expr, target, var } => {
                let value = self.defined_value(var, expr)?;
                self.set(target, &value, Place::expr(expr), true)
            }
            Work::Cond { expr, target, listener } => {
                self.run_cond(expr, target, listener, scope, requires)
            }
            Work::Branch { expr, branch, target, root } => {
                self.evaluate_into_at(branch, expr, target, root, scope, requires).map_err(
                    |error| self.raw(error, Place::expr(expr), "ConditionalExpressionResumer"),
                )
            }
            Work::Guard { .. } | Work::Comprehension { .. } | Work::ComprehensionEnd { .. } => {
                self.run_comprehension_work(work, scope, requires)
            }
            Work::Pass { .. } | Work::Give { .. } => self.pass_on(work, requires),
            Work::Call { .. } | Work::Done => Ok(()),
        }
    }

    /// Continues a comprehension.
    fn run_comprehension_work(
        &mut self,
        work: &Work,
        scope: ScopeId,
        requires: &Requires,
    ) -> Result<()> {
        match *work {
            Work::Guard { number, ref element, target } => {
                self.run_guard(number, element.clone(), target, scope, requires)
            }
            Work::Comprehension { number, root } => {
                let expr = self.comprehensions[number as usize].expr;
                self.run_comprehension(number, root, scope, requires).map_err(|error| {
                    let mut error = self.replaced(error, Place::expr(expr));
                    error.location = Some(self.program.ast.exprs[expr].at);
                    error
                })
            }
            Work::ComprehensionEnd { number } => {
                let expr = self.comprehensions[number as usize].expr;
                self.end_comprehension(number, requires).map_err(|error| {
                    self.raw(error, Place::expr(expr), "ListComprehensionCollector")
                })
            }
            _ => Ok(()),
        }
    }

    /// Passes a value to a variable or a listener.
    fn pass_on(&mut self, work: &Work, requires: &Requires) -> Result<()> {
        match *work {
            Work::Pass { expr, target } => {
                let mut values = self.read(requires, Place::expr(expr))?;
                self.set(target, &values.next(), Place::expr(expr), true)
            }
            Work::Give { target, ref value, listener, expr } => {
                if let Some(listener) = listener {
                    self.receive_all(listener, value, Place::expr(expr))?;
                }
                self.set(target, value, Place::expr(expr), true)
            }
            _ => Ok(()),
        }
    }

    /// An error in a step without a statement in the original.
    pub(super) fn raw(&self, mut error: Box<Error>, place: Place, class: &str) -> Box<Error> {
        if !error.class.is_runtime() {
            return error;
        }
        let module = "inmanta.ast.statements.generator";
        let location = Some(self.location(place));
        let text = format!("<{module}.{class} object>");
        error.set_reporter(true, &|| Reporter { text: text.clone(), location });
        error.location = location;
        error
    }

    pub(super) fn implement_reporter(&self, entity: u32, implement: u32) -> Reporter {
        let found = &self.program.implements[implement as usize];
        let names: Vec<&str> = found
            .implementations
            .iter()
            .map(|id| self.program.name(self.program.implementations[*id as usize].name))
            .collect();
        let condition =
            found.condition.map_or_else(|| "true".into(), |c| self.program.ast.pretty(c));
        let text = format!(
            "implement {} using {} when {condition}",
            self.program.entities[entity as usize].full_name,
            names.join(",")
        );
        Reporter { text, location: Some(found.at) }
    }

    fn evaluate_into(
        &mut self,
        expr: ExprId,
        target: VarId,
        root: Root,
        scope: ScopeId,
        requires: &Requires,
    ) -> Result<()> {
        self.evaluate_into_at(expr, expr, target, root, scope, requires)
    }

    fn evaluate_into_at(
        &mut self,
        expr: ExprId,
        at: ExprId,
        target: VarId,
        root: Root,
        scope: ScopeId,
        requires: &Requires,
    ) -> Result<()> {
        let value = self.evaluate(expr, root, scope, requires)?;
        self.set(target, &value, Place::expr(at), true)?;
        self.keep(target);
        Ok(())
    }

    /// The value of an expression whose requirements are ready.
    pub(super) fn evaluate(
        &mut self,
        expr: ExprId,
        root: Root,
        scope: ScopeId,
        requires: &Requires,
    ) -> Result<Value> {
        if let Err(exceeded) = budget::check() {
            let error = Error::new(Class::Compiler, exceeded.to_string());
            return Err(self.error_at(Place::expr(expr), error));
        }
        let mut values = self.read(requires, Place::expr(expr))?;
        match root {
            Root::Plain => self.execute(expr, scope, &mut values),
            Root::Collected => Ok(values.next()),
            Root::Notify(listener) => {
                let value = self.execute(expr, scope, &mut values)?;
                self.receive_all(listener, &value, Place::expr(expr))?;
                Ok(value)
            }
        }
    }

    fn keep_promises(&mut self, stmt: StmtId, first: u32) {
        let count = self.program.promises.get(&stmt).map_or(0, Vec::len) as u32;
        for i in first..first + count {
            let promise = &mut self.promises[i as usize];
            promise.is_kept = true;
            if let Some(var) = promise.var {
                self.keep(var);
            }
        }
    }

    /// Runs the body of a loop for one element.
    pub(super) fn iterate(&mut self, stmt: StmtId, scope: ScopeId, value: &Value) -> Result<()> {
        let StmtKind::For { variable, block, .. } = self.program.ast.stmts[stmt].kind else {
            return Ok(());
        };
        if value.is_unknown() {
            return Ok(());
        }
        self.check_size().map_err(|error| self.error_at(Place::stmt(stmt), error))?;
        let variables = &self.program.ast.blocks[block].variables;
        let at = variables.iter().position(|name| *name == variable);
        let count = variables.len();
        let inner = self.block_scope(scope, count, block);
        if let Some(at) = at {
            let first = self.scopes[inner.0 as usize].first;
            self.set(VarId(first + at as u32), value, Place::stmt(stmt), true)?;
        }
        self.emit_block(block, inner)
    }

    fn run_for(
        &mut self,
        stmt: StmtId,
        root: Root,
        promises: u32,
        scope: ScopeId,
        requires: &Requires,
    ) -> Result<()> {
        let StmtKind::For { iterable, .. } = self.program.ast.stmts[stmt].kind else {
            return Ok(());
        };
        let mut values = self.read(requires, Place::expr(iterable))?;
        self.keep_promises(stmt, promises);
        let value = match root {
            Root::Collected => values.next(),
            _ => self.execute(iterable, scope, &mut values)?,
        };
        if let Root::Notify(listener) = root {
            self.receive_all(listener, &value, Place::expr(iterable))?;
        }
        if matches!(value, Value::List(_) | Value::Unknown(_)) {
            return Ok(());
        }
        let text = value.text(self);
        let is_name = matches!(
            self.program.ast.exprs[iterable].kind,
            ExprKind::Name(..) | ExprKind::Attr(..)
        );
        let hint = if is_name {
            format!("Hint: '{}' resolves to '{text}'.", self.program.ast.reported(iterable))
        } else {
            format!("Hint: '{text}' is not a list.")
        };
        let message = format!("A for loop can only be applied to lists and relations. {hint}");
        Err(self.error_at(Place::stmt(stmt), Error::new(Class::Typing, message)))
    }

    fn run_if(
        &mut self,
        stmt: StmtId,
        promises: u32,
        scope: ScopeId,
        requires: &Requires,
    ) -> Result<()> {
        let StmtKind::If { condition, then, otherwise } = self.program.ast.stmts[stmt].kind else {
            return Ok(());
        };
        let mut values = self.read(requires, Place::expr(condition))?;
        self.keep_promises(stmt, promises);
        let value = self.execute(condition, scope, &mut values)?;
        let block = match value {
            Value::Unknown(_) => return Ok(()),
            Value::Bool(true) => then,
            Value::Bool(false) => otherwise,
            _ => {
                let message = format!(
                    "Invalid value `{}`: the condition for an if statement can only be a boolean \
                     expression",
                    value.text(self)
                );
                let class = self.bool_error_class(&value);
                return Err(self.error_at(Place::stmt(stmt), Error::new(class, message)));
            }
        };
        let count = self.program.ast.blocks[block].variables.len();
        let inner = self.block_scope(scope, count, block);
        self.emit_block(block, inner)
    }

    /// The class of the error that a condition is no boolean.
    pub(super) fn bool_error_class(&self, value: &Value) -> Class {
        if matches!(value, Value::Reference(_)) {
            Class::UnexpectedReference
        } else {
            Class::Runtime
        }
    }

    fn run_implement(
        &mut self,
        instance: InstanceId,
        implement: u32,
        requires: &Requires,
    ) -> Result<()> {
        let scope = ScopeId::instance(instance);
        if let Some(condition) = self.program.implements[implement as usize].condition {
            let mut values = self.read(requires, Place::expr(condition))?;
            match self.execute(condition, scope, &mut values)? {
                Value::Unknown(_) | Value::Bool(false) => return Ok(()),
                Value::Bool(true) => {}
                value => {
                    let message = format!(
                        "Invalid value `{}`: the condition for a conditional implementation can \
                         only be a boolean expression",
                        value.text(self)
                    );
                    return Err(Error::new(self.bool_error_class(&value), message));
                }
            }
        }
        for i in 0..self.program.implements[implement as usize].implementations.len() {
            let id = self.program.implements[implement as usize].implementations[i];
            let ran = &mut self.instances[instance.0 as usize].implementations;
            if ran.contains(&id) {
                continue;
            }
            ran.push(id);
            let block = self.program.implementations[id as usize].block;
            if self.program.ast.blocks[block].statements.is_empty() {
                continue;
            }
            let count = self.program.ast.blocks[block].variables.len();
            let inner = self.block_scope(scope, count, block);
            self.emit_block(block, inner)?;
        }
        Ok(())
    }

    fn run_set_attr(&mut self, stmt: StmtId, scope: ScopeId, requires: &Requires) -> Result<()> {
        let StmtKind::SetAttr { base, name, value, append } = self.program.ast.stmts[stmt].kind
        else {
            return Ok(());
        };
        let place = Place::stmt(stmt);
        let mut values = self.read(requires, Place::expr(base))?;
        let object = self.execute(base, scope, &mut values)?;
        let Value::Instance(instance) = object else {
            let message = format!(
                "The object at {} is not an Entity but a <class '{}'> with value {}",
                self.program.ast.reported(base),
                python_class(&object),
                object.text(self)
            );
            return Err(self.error_at(place, Error::new(Class::Typing, message)));
        };
        let var = self.attribute_var(instance, name)?;
        if append && !self.is_many(var) {
            let message = "Can not use += on relations with multiplicity 1";
            return Err(self.error_at(place, Error::new(Class::Typing, message)));
        }
        self.assign(value, var, place, instance, name, scope)
    }

    /// Creates a unit that sets an attribute.
    pub(super) fn assign(
        &mut self,
        value: ExprId,
        var: VarId,
        by: Place,
        instance: InstanceId,
        name: crate::symbol::Symbol,
        scope: ScopeId,
    ) -> Result<()> {
        let entity = self.instances[instance.0 as usize].entity;
        let attribute = self.program.attribute(entity, name).unwrap_or_default();
        let mut requires = Requires::new();
        let root = if self.is_many(var) {
            let listener = self.listener(Listener::Assign { var, by, instance });
            self.emit_gradual(value, scope, listener, &mut requires)?
        } else {
            self.emit(value, scope, &mut requires)?;
            Root::Plain
        };
        self.promise(var);
        let work = Work::Assign { expr: value, target: var, by, instance, attribute, root };
        self.unit(work, scope, requires);
        Ok(())
    }

    fn run_logic(
        &mut self,
        expr: ExprId,
        target: VarId,
        scope: ScopeId,
        requires: &Requires,
    ) -> Result<()> {
        let (left, right, is_and) = match self.program.ast.exprs[expr].kind {
            ExprKind::And(left, right) => (left, right, true),
            ExprKind::Or(left, right) => (left, right, false),
            _ => return Ok(()),
        };
        let mut values = self.read(requires, Place::expr(expr))?;
        let value = self.execute(left, scope, &mut values)?;
        match value {
            Value::Bool(b) if b == is_and => {
                let mut requires = Requires::new();
                self.emit(right, scope, &mut requires)?;
                self.exec(right, target, Place::expr(expr), Root::Plain, scope, requires);
                Ok(())
            }
            Value::Unknown(_) | Value::Bool(_) => self.set(target, &value, Place::expr(expr), true),
            _ => {
                let error = self.not_bool(&value, "left", if is_and { "and" } else { "or" });
                Err(self.error_at(Place::expr(expr), error))
            }
        }
    }

    /// The error that an operand is no boolean.
    pub(super) fn not_bool(&self, value: &Value, side: &str, op: &str) -> Box<Error> {
        let message =
            format!("Invalid {side} hand value `{}`: `{op}` expects a boolean", value.text(self));
        Error::new(self.bool_error_class(value), message)
    }

    fn run_cond(
        &mut self,
        expr: ExprId,
        target: VarId,
        listener: Option<ListenerId>,
        scope: ScopeId,
        requires: &Requires,
    ) -> Result<()> {
        let ExprKind::Cond(condition, then, otherwise) = self.program.ast.exprs[expr].kind else {
            return Ok(());
        };
        let mut values = self.read(requires, Place::expr(condition))?;
        let value = self.execute(condition, scope, &mut values)?;
        let branch = match value {
            Value::Unknown(_) => {
                let value = self.unknown();
                return self.set(target, &value, Place::expr(expr), true);
            }
            Value::Bool(true) => then,
            Value::Bool(false) => otherwise,
            _ => {
                let message = format!(
                    "Invalid value `{}`: the condition for a conditional expression must be a \
                     boolean expression",
                    value.text(self)
                );
                let error = Error::new(Class::Runtime, message);
                return Err(self.error_at(Place::expr(expr), error));
            }
        };
        let mut requires = Requires::new();
        let root = match listener {
            Some(listener) => self.emit_gradual(branch, scope, listener, &mut requires)?,
            None => {
                self.emit(branch, scope, &mut requires)?;
                Root::Plain
            }
        };
        self.unit(Work::Branch { expr, branch, target, root }, scope, requires);
        Ok(())
    }

    /// Freezes a variable that no unit waits for.
    pub(super) fn freeze_last(&mut self, var: VarId) {
        self.freeze(var, Reason::End);
    }
}

/// The Python class of a value as `type` prints it.
pub(super) fn python_class(value: &Value) -> String {
    match value {
        Value::Null => "inmanta.execute.util.NoneValue".into(),
        Value::Unknown(_) => "inmanta.execute.util.Unknown".into(),
        Value::Instance(_) => "inmanta.execute.runtime.Instance".into(),
        _ => value.python_type().to_owned(),
    }
}
