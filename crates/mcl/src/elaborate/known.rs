//! The known parts of expressions before their types are inferred.

use std::sync::Arc;

use super::elaborator::{Elaborator, State};
use crate::Edition;
use crate::functions::Operator;
use crate::ir::{IrId, IrKind, Lambda, ParamId};
use crate::syntax::ast::{ExprKind, Name};
use crate::types::node::of_node;
use crate::types::{FuncType, Type};
use crate::value::Value;

/// The maximal size of a type that is known without inference.
const MAX_KNOWN: u32 = 10_000;
/// The maximal number of expressions that are searched for outer parameters of a lambda.
const MAX_IN_LAMBDA: usize = 10_000;

impl Elaborator<'_> {
    /// The known type of an expression before inference.
    pub(super) fn known_type(&mut self, id: IrId) -> Option<Type> {
        let at = id.raw() as usize;
        if let Some(Some(known)) = self.known.get(at) {
            return known.clone();
        }
        let known = self.find_known(id).filter(|ty| ty.has_at_most(MAX_KNOWN));
        if self.known.len() <= at {
            self.known.resize(at + 1, None);
        }
        self.known[at] = Some(known.clone());
        known
    }

    fn find_known(&mut self, id: IrId) -> Option<Type> {
        match &self.program.ir[id].kind {
            IrKind::Const(value) => Some(Type::of(value)).filter(Type::is_known),
            IrKind::Hostname | IrKind::Text(_) => Some(Type::Str),
            IrKind::List(items) => {
                let items = items.clone();
                self.known_alike(items.iter().copied()).map(Type::list)
            }
            IrKind::Map(pairs) => {
                let pairs = pairs.clone();
                let key = self.known_alike(pairs.iter().map(|(key, _)| *key))?;
                let value = self.known_alike(pairs.iter().map(|(_, value)| *value))?;
                Some(Type::map(key, value))
            }
            IrKind::Struct(names, parts) => {
                let (names, parts) = (Arc::clone(names), parts.clone());
                if parts.is_empty() {
                    return None;
                }
                let types: Option<Vec<Type>> =
                    parts.iter().map(|part| self.known_type(*part)).collect();
                Some(Type::record(names.iter().cloned().zip(types?)))
            }
            IrKind::Param(param) => self.known_param(*param),
            IrKind::Def(def) => {
                let definition = &self.defs[def.0 as usize];
                match (&definition.known, &definition.state) {
                    (Some(known), _) => Some(known.clone()),
                    (None, State::Done { ir, .. }) => {
                        let ir = *ir;
                        self.known_type(ir)
                    }
                    _ => None,
                }
            }
            IrKind::If([_, a, b]) | IrKind::Except(a, b) => {
                let (a, b) = (*a, *b);
                match (self.known_type(a), self.known_type(b)) {
                    (Some(a), Some(b)) => (a == b).then_some(a),
                    (a, b) => a.or(b),
                }
            }
            IrKind::Lambda(lambda) => {
                let lambda = *lambda;
                self.known_function(id, lambda).map(|shape| Type::Func(Arc::new(shape)))
            }
            // Only a function literal at the call counts, not the value of a definition or
            // parameter.
            IrKind::Call(func, _) => {
                let func = *func;
                let IrKind::Lambda(lambda) = self.program.ir[func].kind else { return None };
                self.known_function(func, lambda).map(|shape| shape.result)
            }
            IrKind::Builtin(call) if call.func.name == "concat" => {
                self.is_quoted(id).then_some(Type::Str)
            }
            _ => None,
        }
    }

    /// The type of a parameter. In the original, a parameter without a declared type immediately
    /// has a type that may be any. It counts as known, but not as declared.
    fn known_param(&self, param: ParamId) -> Option<Type> {
        match &self.params[param.0 as usize].known {
            None if self.edition == Edition::Upstream => {
                Some(Type::Var(super::call::OTHER_VARIABLES.saturating_add(param.0)))
            }
            known => known.clone(),
        }
    }

    /// Whether an expression is a text with variables, rather than an explicit call of the same
    /// function.
    fn is_quoted(&self, id: IrId) -> bool {
        let (module, expr) = self.program.ir[id].at;
        matches!(self.modules.at(module).tree.exprs[expr].kind, ExprKind::Str(_))
    }

    /// The common type of some expressions, if all of them are known.
    fn known_alike(&mut self, mut parts: impl Iterator<Item = IrId>) -> Option<Type> {
        let first = self.known_type(parts.next()?)?;
        parts.all(|part| self.known_type(part).as_ref() == Some(&first)).then_some(first)
    }

    /// Whether a lambda declares all of its types.
    fn is_written_out(&self, id: IrId, lambda: Lambda) -> bool {
        let (module, expr) = self.program.ir[id].at;
        let params = lambda.first.0 as usize..(lambda.first.0 + lambda.count) as usize;
        match &self.modules.at(module).tree.exprs[expr].kind {
            ExprKind::Lambda(func) => {
                func.result.is_some()
                    && self.params[params].iter().all(|param| param.known.is_some())
            }
            _ => false,
        }
    }

    /// The type of a lambda whose parameters declare types, and whose result type is known.
    fn known_function(&mut self, id: IrId, lambda: Lambda) -> Option<FuncType> {
        let mut shape = FuncType::new(Vec::new(), Type::Bool);
        for number in lambda.first.0..lambda.first.0 + lambda.count {
            let param = &self.params[number as usize];
            let (name, known) = (param.name.clone(), param.known.clone());
            if shape.names.contains(&name) {
                return None;
            }
            shape.names.push(name);
            shape.args.push(known?);
        }
        shape.result = match self.known_type(lambda.body) {
            Some(body) => body,
            None => {
                let (module, expr) = self.program.ir[id].at;
                match &self.modules.at(module).tree.exprs[expr].kind {
                    ExprKind::Lambda(func) => of_node(func.result.as_ref()?),
                    _ => return None,
                }
            }
        };
        Some(shape)
    }

    /// The value of an expression, if it is known without a run.
    pub(super) fn known_value(&mut self, id: IrId) -> Option<Value> {
        match &self.program.ir[id].kind {
            IrKind::Const(value) => Some(value.clone()),
            IrKind::Def(def) => match &self.defs[def.0 as usize].state {
                State::Done { ir, .. } => {
                    let ir = *ir;
                    self.known_value(ir)
                }
                _ => None,
            },
            IrKind::If([condition, then, other]) => {
                let (condition, then, other) = (*condition, *then, *other);
                match self.known_value(condition)? {
                    Value::Bool(true) => self.known_value(then),
                    _ => self.known_value(other),
                }
            }
            IrKind::Except(value, _) => {
                let value = *value;
                self.known_value(value)
            }
            IrKind::Operator(Operator::Add, a, Some(b)) => {
                let (a, b) = (*a, *b);
                match (self.known_value(a)?, self.known_value(b)?) {
                    (Value::Str(a), Value::Str(b)) => {
                        Some(format!("{}{}", a.to_text(), b.to_text()).as_str().into())
                    }
                    _ => None,
                }
            }
            IrKind::Builtin(call) => {
                let args = call.args.clone();
                match (call.func.name, &*args) {
                    ("_struct_lookup", [of, name]) => {
                        let name = self.known_value(*name)?;
                        let field = self.known_field(*of, &name)??;
                        self.known_value(field)
                    }
                    ("_struct_lookup_optional", [of, name, default]) => {
                        let name = self.known_value(*name)?;
                        let field = self.known_field(*of, &name)?;
                        self.known_value(field.unwrap_or(*default))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The field of a struct literal with known values; the inner `None` means that the struct has
    /// no such field.
    fn known_field(&mut self, mut of: IrId, name: &Value) -> Option<Option<IrId>> {
        loop {
            match &self.program.ir[of].kind {
                IrKind::Def(def) => match &self.defs[def.0 as usize].state {
                    State::Done { ir, .. } => of = *ir,
                    _ => return None,
                },
                IrKind::Builtin(call) if call.func.name == "_struct_lookup" => {
                    let args = call.args.clone();
                    let [inner, field] = &*args else { return None };
                    let field = self.known_value(*field)?;
                    of = self.known_field(*inner, &field)??;
                }
                IrKind::Except(value, _) => of = *value,
                IrKind::Struct(names, values) => {
                    let name: Name = name.as_str()?.to_text().as_ref().into();
                    let at = names.iter().position(|own| *own == name);
                    let field = at.and_then(|at| values.get(at).copied());
                    return self.has_value(of).then_some(field);
                }
                _ => return None,
            }
        }
    }

    /// Whether the value of an expression is known without a run.
    fn has_value(&mut self, id: IrId) -> bool {
        let at = id.raw() as usize;
        if let Some(Some(known)) = self.valued.get(at) {
            return *known;
        }
        let known = self.find_value(id);
        if self.valued.len() <= at {
            self.valued.resize(at + 1, None);
        }
        self.valued[at] = Some(known);
        known
    }

    fn find_value(&mut self, id: IrId) -> bool {
        match &self.program.ir[id].kind {
            IrKind::Const(_) | IrKind::Hostname => true,
            IrKind::Text(inner) => {
                let inner = *inner;
                self.has_value(inner)
            }
            IrKind::Map(pairs) => {
                let pairs = pairs.clone();
                self.known_type(id).is_some()
                    && pairs
                        .iter()
                        .all(|(key, value)| self.has_value(*key) && self.has_value(*value))
            }
            IrKind::List(parts) | IrKind::Struct(_, parts) => {
                let parts = parts.clone();
                parts.is_empty()
                    || self.known_type(id).is_some()
                        && parts.iter().all(|part| self.has_value(*part))
            }
            IrKind::Def(def) => match &self.defs[def.0 as usize].state {
                State::Done { ir, .. } => {
                    let ir = *ir;
                    self.has_value(ir)
                }
                _ => false,
            },
            IrKind::Lambda(lambda) => {
                let lambda = *lambda;
                self.is_closed(lambda)
            }
            IrKind::Operator(_, a, b) => {
                let (a, b) = (*a, *b);
                self.has_value(a) && b.is_none_or(|b| self.has_value(b))
            }
            IrKind::Builtin(call)
                if matches!(call.func.name, "concat" | "fmt.printf" | "list.concat") =>
            {
                let args = call.args.clone();
                args.iter().all(|arg| self.has_value(*arg))
            }
            IrKind::If([condition, then, other]) => {
                let (condition, then, other) = (*condition, *then, *other);
                let branch = self.known_value(condition).map(|value| match value {
                    Value::Bool(true) => then,
                    _ => other,
                });
                branch.is_some_and(|branch| self.has_value(branch))
            }
            IrKind::Except(value, _) => {
                let value = *value;
                self.has_value(value)
            }
            _ => self.known_value(id).is_some(),
        }
    }

    /// Whether a lambda uses no parameter of an outer function.
    fn is_closed(&self, lambda: Lambda) -> bool {
        let mut left = vec![lambda.body];
        for _ in 0..MAX_IN_LAMBDA {
            let Some(id) = left.pop() else { return true };
            match &self.program.ir[id].kind {
                // Parameters of inner functions have higher numbers than the first one of the
                // lambda.
                IrKind::Param(ParamId(number)) if *number < lambda.first.0 => return false,
                kind => kind.each_part(|part| left.push(part)),
            }
        }
        false
    }

    /// The type of an argument whose value is known before a run and has no type by itself: a
    /// function, or an empty list or struct.
    pub(super) fn untyped_value(&mut self, id: IrId) -> Option<Type> {
        let ty = self.known_type(id)?;
        (self.has_value(id) && !self.has_typed_value(id)).then_some(ty)
    }

    /// Whether a known value has a type.
    fn has_typed_value(&mut self, mut id: IrId) -> bool {
        loop {
            match &self.program.ir[id].kind {
                IrKind::Lambda(lambda) => {
                    let lambda = *lambda;
                    return self.is_written_out(id, lambda);
                }
                IrKind::Builtin(call) => return call.func.name != "list.concat",
                IrKind::List(parts) | IrKind::Struct(_, parts) => return !parts.is_empty(),
                IrKind::Def(def) => {
                    let definition = &self.defs[def.0 as usize];
                    match (&definition.known, &definition.state) {
                        (None, State::Done { ir, .. }) => id = *ir,
                        _ => return true,
                    }
                }
                IrKind::If([condition, then, other]) => {
                    let (condition, then, other) = (*condition, *then, *other);
                    id = match self.known_value(condition) {
                        Some(Value::Bool(true)) => then,
                        _ => other,
                    };
                }
                IrKind::Except(value, _) => id = *value,
                _ => return true,
            }
        }
    }
}
