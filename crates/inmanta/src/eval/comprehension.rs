//! Comprehensions: a unit for each element, and one for all.

use super::net::Net;
use super::state::ids::{ListenerId, Place, ScopeId};
use super::state::unit::{Comprehension, Requires, Root, Work};
use crate::diagnostics::{Class, Error, Result};
use crate::syntax::ast::{ExprId, ExprKind};
use crate::value::{Value, VarId};

impl Net<'_> {
    /// Starts the unit for an element of a comprehension.
    pub(super) fn element(&mut self, number: u32, value: &Value, place: Place) -> Result<()> {
        let Comprehension { expr, scope, listener, .. } = self.comprehensions[number as usize];
        let ExprKind::Comprehension { value: each, guard, .. } = self.program.ast.exprs[expr].kind
        else {
            return Ok(());
        };
        self.check_size().map_err(|error| self.error_at(place, error))?;
        let inner = self.element_scope(scope, value, place);
        let target = self.plain(0);
        self.comprehensions[number as usize].results.push(target);
        let is_unknown = value.is_unknown();
        let Some(guard) = guard else {
            if is_unknown {
                let work = Work::Give { target, value: value.clone(), listener, expr };
                self.unit(work, inner, Requires::new());
                return Ok(());
            }
            let mut requires = Requires::new();
            let root = self.emit_element(each, inner, listener, &mut requires)?;
            self.exec(each, target, Place::expr(each), root, inner, requires);
            return Ok(());
        };
        let mut requires = Requires::new();
        self.emit(guard, inner, &mut requires)?;
        let passed = self.plain(0);
        let element = is_unknown.then(|| value.clone());
        self.unit(Work::Guard { number, element, target: passed }, inner, requires);
        self.unit(Work::Pass { expr, target }, inner, Requires::from_slice(&[passed]));
        Ok(())
    }

    /// Runs the guard of a comprehension for an element.
    pub(super) fn run_guard(
        &mut self,
        number: u32,
        element: Option<Value>,
        target: VarId,
        scope: ScopeId,
        requires: &Requires,
    ) -> Result<()> {
        let Comprehension { expr, listener, .. } = self.comprehensions[number as usize];
        let ExprKind::Comprehension { value: each, guard: Some(guard), .. } =
            self.program.ast.exprs[expr].kind
        else {
            return Ok(());
        };
        let mut values = self.read(requires, Place::expr(guard))?;
        let value = self.execute(guard, scope, &mut values)?;
        match value {
            Value::Unknown(_) => {
                let value = self.unknown();
                self.set(target, &value, Place::expr(expr), true)
            }
            Value::Bool(false) => {
                let value = self.skipped.clone();
                let work = Work::Give { target, value, listener: None, expr };
                self.unit(work, scope, Requires::new());
                Ok(())
            }
            Value::Bool(true) => {
                if let Some(value) = element {
                    let work = Work::Give { target, value, listener, expr };
                    self.unit(work, scope, Requires::new());
                    return Ok(());
                }
                let mut requires = Requires::new();
                let root = self.emit_element(each, scope, listener, &mut requires)?;
                self.unit(Work::Branch { expr, branch: each, target, root }, scope, requires);
                Ok(())
            }
            _ => {
                let message = format!(
                    "Invalid value `{}`: the condition for a conditional expression must be a \
                     boolean expression",
                    value.text(self)
                );
                let (guard, each) =
                    (self.program.ast.reported(guard), self.program.ast.reported(each));
                let text = format!("{guard} ? {each} : <object object>");
                let at = self.program.ast.exprs[expr].at;
                Err(Error::new(Class::Runtime, message).by(text, at))
            }
        }
    }

    /// Emits the value of an element.
    fn emit_element(
        &mut self,
        each: ExprId,
        scope: ScopeId,
        listener: Option<ListenerId>,
        requires: &mut Requires,
    ) -> Result<Root> {
        match listener {
            Some(listener) => self.emit_gradual(each, scope, listener, requires),
            None => self.emit(each, scope, requires).map(|()| Root::Plain),
        }
    }

    pub(super) fn run_comprehension(
        &mut self,
        number: u32,
        root: Root,
        scope: ScopeId,
        requires: &Requires,
    ) -> Result<()> {
        let expr = self.comprehensions[number as usize].expr;
        let ExprKind::Comprehension { iterable, .. } = self.program.ast.exprs[expr].kind else {
            return Ok(());
        };
        let value = self.evaluate(iterable, root, scope, requires)?;
        if !matches!(value, Value::List(_) | Value::Unknown(_)) {
            let message = format!(
                "A list comprehension can only be applied to lists and relations, got {}",
                value.python_type()
            );
            return Err(self.error_at(Place::expr(expr), Error::new(Class::Typing, message)));
        }
        if self.comprehensions[number as usize].results.is_empty() {
            match &value {
                Value::List(items) => {
                    for item in items.iter() {
                        self.element(number, item, Place::expr(expr))?;
                    }
                }
                unknown => self.element(number, unknown, Place::expr(expr))?,
            }
        }
        let requires = self.comprehensions[number as usize].results.iter().copied().collect();
        self.unit(Work::ComprehensionEnd { number }, scope, requires);
        Ok(())
    }

    pub(super) fn end_comprehension(&mut self, number: u32, requires: &Requires) -> Result<()> {
        let Comprehension { expr, target, .. } = self.comprehensions[number as usize];
        let mut items = Vec::with_capacity(requires.len());
        for var in requires {
            match self.get(*var, Place::expr(expr))? {
                Value::Unknown(unknown) if self.is_skipped(&unknown) => {}
                Value::List(inner) => items.extend(inner.iter().cloned()),
                value => items.push(value),
            }
        }
        self.comprehensions[number as usize].results = Vec::new();
        self.set(target, &Value::list(items), Place::expr(expr), true)
    }
}
