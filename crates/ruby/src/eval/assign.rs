//! Assignment.

use super::error::Eval;
use super::{Frame, Interp};
use crate::syntax::{AssignOp, Expr, Kind, Target};
use crate::value::Value;

impl Interp<'_> {
    pub(super) fn eval_assign(&mut self, f: &Frame, target: &Target, value: &Expr) -> Eval {
        let value = self.eval(f, value)?;
        self.assign(f, target, value.clone())?;
        Ok(value)
    }

    /// Assigns a value to a target.
    pub(crate) fn assign(&mut self, f: &Frame, target: &Target, value: Value) -> Eval<()> {
        match target {
            Target::Local(slot) => f.env.set(*slot, value),
            Target::Instance(n) => self.set_instance(*n, value),
            Target::Global(name) => {
                self.globals.insert(name.clone(), value);
            }
            Target::Index { object, args, line } => {
                let object = self.eval(f, object)?;
                let mut args = self.values(f, args)?;
                args.push(value);
                self.line = *line;
                self.send(&object, "[]=", args)?;
            }
            Target::Attribute { object, name, safe, line } => {
                let object = self.eval(f, object)?;
                if *safe && object.is_nil() {
                    return Ok(());
                }
                self.line = *line;
                self.send(&object, &ecow::eco_format!("{name}="), vec![value])?;
            }
            Target::Many(targets) => {
                let items = self.destructure(&value)?;
                self.assign_many(f, targets, items)?;
            }
            Target::Splat(inner) => {
                if let Some(inner) = inner {
                    let items = self.destructure(&value)?;
                    let list = self.list(items)?;
                    self.assign(f, inner, list)?;
                }
            }
        }
        Ok(())
    }

    /// The values for a multiple assignment: the items of an array, or the value itself.
    fn destructure(&mut self, value: &Value) -> Eval<Vec<Value>> {
        Ok(match value {
            Value::Array(array) => array.get(),
            other => vec![other.clone()],
        })
    }

    fn assign_many(&mut self, f: &Frame, targets: &[Target], items: Vec<Value>) -> Eval<()> {
        self.charge_items(items.len())?;
        let splat = targets.iter().position(|t| matches!(t, Target::Splat(_)));
        let after = splat.map_or(0, |at| targets.len() - at - 1);
        let mut items = items.into_iter();
        for (i, target) in targets.iter().enumerate() {
            if Some(i) == splat {
                let count = items.len().saturating_sub(after);
                let middle: Vec<Value> = items.by_ref().take(count).collect();
                self.assign(f, target, Value::array(middle))?;
            } else {
                self.assign(f, target, items.next().unwrap_or_default())?;
            }
        }
        Ok(())
    }

    pub(super) fn op_assign(
        &mut self,
        f: &Frame,
        target: &Target,
        op: AssignOp,
        value: &Expr,
        line: u32,
    ) -> Eval {
        let (object, args) = match target {
            Target::Index { object, args, .. } => (self.eval(f, object)?, self.values(f, args)?),
            Target::Attribute { object, safe, .. } => {
                let object = self.eval(f, object)?;
                if *safe && object.is_nil() {
                    return Ok(Value::Nil);
                }
                (object, Vec::new())
            }
            _ => (Value::Nil, Vec::new()),
        };
        self.line = line;
        let current = match target {
            Target::Local(slot) => f.env.get(*slot),
            Target::Instance(n) => self.instance(*n),
            Target::Global(name) => self.globals.get(name).cloned().unwrap_or_default(),
            Target::Index { .. } => self.send(&object, "[]", args.clone())?,
            Target::Attribute { name, .. } => self.send(&object, name, Vec::new())?,
            Target::Many(_) | Target::Splat(_) => return self.unsupported("this assignment"),
        };
        let new = match op {
            AssignOp::Or if current.truthy() => return Ok(current),
            AssignOp::And if !current.truthy() => return Ok(current),
            AssignOp::Or | AssignOp::And => self.eval(f, value)?,
            AssignOp::Binary(op) => {
                let right = self.eval(f, value)?;
                self.line = line;
                self.operate(op, &current, &right)?
            }
        };
        self.line = line;
        match target {
            Target::Index { .. } => {
                let mut args = args;
                args.push(new.clone());
                self.send(&object, "[]=", args)?;
            }
            Target::Attribute { name, .. } => {
                self.send(&object, &ecow::eco_format!("{name}="), vec![new.clone()])?;
            }
            _ => self.assign(f, target, new.clone())?,
        }
        Ok(new)
    }

    /// The values of arguments, with splats expanded.
    pub(crate) fn values(&mut self, f: &Frame, args: &[Expr]) -> Eval<Vec<Value>> {
        let mut out = Vec::with_capacity(args.len() + 1);
        for arg in args {
            match &arg.kind {
                Kind::Splat(inner) => {
                    let items = self.splat(f, inner)?;
                    self.charge_items(items.len())?;
                    out.extend(items);
                }
                _ => out.push(self.eval(f, arg)?),
            }
        }
        Ok(out)
    }

    /// The items of a splat.
    pub(crate) fn splat(&mut self, f: &Frame, inner: &Expr) -> Eval<Vec<Value>> {
        let value = self.eval(f, inner)?;
        self.line = inner.line;
        match &value {
            Value::Array(array) => Ok(array.get()),
            Value::Nil => Ok(Vec::new()),
            Value::Hash(_) | Value::Range(_) | Value::Enumerator(_) => self.collect(&value),
            other => Ok(vec![other.clone()]),
        }
    }
}
