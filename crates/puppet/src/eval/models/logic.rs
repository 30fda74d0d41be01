//! Running the code of a type, and its variables.

use std::sync::Arc;

use ecow::EcoString;

use crate::catalog::ResourceId;
use crate::error::{EvalResult, PlainError, Unwind};
use crate::state::Compiler;
use crate::state::evaluate::Evaluate;
use crate::state::frame::{Frame, misplaced};
use crate::state::models::Logic;
use crate::state::scope::{Scope, ScopeKind};
use crate::syntax::ExprId;
use crate::types::ObjectType;
use crate::types::mismatch::{accepts, describe_call};
use crate::types::models::{Code, Instance, Method, Slot};
use crate::validation::{Role, is_pure};
use crate::value::Value;
use crate::value::closure::{Closure, ScopeId};

/// The code to run, and its owner.
pub(super) struct Run<'a> {
    pub(super) kind: &'a Arc<ObjectType>,
    pub(super) role: Role,
    pub(super) slot: Option<(usize, &'a Arc<Slot>)>,
    pub(super) object: Option<&'a Arc<Instance>>,
    /// The checked value, or the argument of a lambda.
    pub(super) argument: Value,
}

impl Compiler<'_> {
    /// Runs code of a type. Returns its value, and whether a setter assigned its own feature.
    pub(super) fn run_logic(&mut self, code: &Code, run: Run<'_>) -> EvalResult<(Value, bool)> {
        let (frame, logic) = self.enter_logic(code, run);
        let argument = logic.it.clone();
        self.models.logics.push(logic);
        let result = match code.lambda {
            None => self.eval(&frame, code.body),
            Some(lambda) => self.closure(&frame, lambda).and_then(|closure| {
                let all = [argument];
                self.call_closure(&closure, &all[..code.arity.min(1)])
            }),
        };
        let assigned = self.leave_logic(&frame);
        let value = match result {
            Ok(value) => value,
            Err(unwind) => match *unwind {
                Unwind::Next(value, _) | Unwind::Return(value, _) => value,
                Unwind::Break(span) => return Err(misplaced("break", span)),
                other => return Err(Box::new(other)),
            },
        };
        Ok((value, assigned))
    }

    /// Calls a function of an object's type.
    pub(crate) fn call_method(
        &mut self,
        object: &Arc<Instance>,
        method: &Method,
        args: &[Value],
        block: Option<&Arc<Closure>>,
    ) -> EvalResult {
        let (program, body) = (Arc::clone(&method.program), method.lambda);
        let code = Code { program, body, param: None, lambda: Some(body), arity: args.len() };
        let run = Run {
            kind: &object.kind,
            role: Role::Function,
            slot: None,
            object: Some(object),
            argument: Value::Undef,
        };
        let (frame, logic) = self.enter_logic(&code, run);
        self.models.logics.push(logic);
        let result = self.closure(&frame, body).and_then(|closure| {
            let label = format!("function {}[{}]", method.owner, method.name);
            if !accepts(&closure.signature, args, block.map(|b| &**b)) {
                let block = block.map(|block| &*block.signature);
                let text = describe_call(&label, &[&closure.signature], args, block);
                let related = vec![(method.span, format!("`{}` is defined here", method.name))];
                return Err(PlainError { related, ..PlainError::new(text) }.into());
            }
            self.call_closure(&closure, args)
        });
        self.leave_logic(&frame);
        result.or_else(|unwind| match *unwind {
            Unwind::Next(value, _) | Unwind::Return(value, _) => Ok(value),
            Unwind::Break(span) => Err(misplaced("break", span)),
            other => Err(Box::new(other)),
        })
    }

    fn enter_logic(&mut self, code: &Code, run: Run<'_>) -> (Frame, Logic) {
        let mut scope = Scope::new(ScopeKind::Function, None, ResourceId(2));
        if let Some(param) = &code.param {
            self.scopes.reserve(&mut scope, 1);
            scope.set(param.clone(), run.argument.clone());
        }
        let scope = self.scopes.push(scope);
        let logic = Logic {
            scope,
            kind: Arc::clone(run.kind),
            role: run.role,
            slot: run.slot.map(|(i, slot)| (i, Arc::clone(slot))),
            object: run.object.cloned(),
            it: run.argument,
            has_it: run.role == Role::Check && code.arity == 0,
            assigned: false,
        };
        (Frame { program: Arc::clone(&code.program), scope }, logic)
    }

    fn leave_logic(&mut self, frame: &Frame) -> bool {
        self.scopes.drop_scope(frame.scope);
        self.models.logics.pop().is_some_and(|logic| logic.assigned)
    }

    /// Evaluates the title of an invariant, which may show features.
    pub(super) fn title_text(
        &mut self,
        code: &Code,
        title: ExprId,
        run: Run<'_>,
    ) -> EvalResult<EcoString> {
        let (frame, logic) = self.enter_logic(&Code { param: None, ..code.clone() }, run);
        self.models.logics.push(logic);
        let result = self.eval(&frame, title);
        self.leave_logic(&frame);
        Ok(crate::value::text::to_text(&result?))
    }

    /// The index of the running code of a type that a scope belongs to.
    fn logic_at(&self, scope: ScopeId) -> Option<usize> {
        if self.models.logics.is_empty() {
            return None;
        }
        let mut at = scope;
        while let Some(parent) = self.scopes.get(at).parent {
            at = parent;
        }
        self.models.logics.iter().rposition(|logic| logic.scope == at)
    }

    /// A variable that is predefined in code of a type: `$it`, `$meta`, the features.
    pub(crate) fn logic_variable(
        &mut self,
        scope: ScopeId,
        name: &str,
    ) -> EvalResult<Option<Value>> {
        let Some(at) = self.logic_at(scope) else { return Ok(None) };
        let logic = &self.models.logics[at];
        if logic.role == Role::Check {
            let is_it = logic.has_it && name == "it";
            let is_named = logic.slot.as_ref().is_some_and(|(_, s)| s.feature.name == name);
            if is_it || is_named {
                return Ok(Some(logic.it.clone()));
            }
        }
        if name == "meta" {
            return Ok(Some(meta(&logic.kind, logic.slot.as_ref().map(|(_, slot)| &**slot))));
        }
        let Some(object) = logic.object.clone() else { return Ok(None) };
        match object.layout().find(name) {
            Some(slot) => self.read_feature(&object, slot).map(Some),
            None => Ok(None),
        }
    }

    /// An assignment in code of a type; setters assign features. Returns whether it was one.
    pub(crate) fn assign_in_logic(
        &mut self,
        f: &Frame,
        at: ExprId,
        name: &EcoString,
        value: &Value,
    ) -> EvalResult<bool> {
        let Some(place) = self.logic_at(f.scope) else { return Ok(false) };
        let logic = &self.models.logics[place];
        let own = logic.slot.as_ref().is_some_and(|(_, slot)| slot.feature.name == *name);
        let slot = logic.kind.model.as_ref().and_then(|m| m.layout.get()?.find(name));
        let refused = matches!(name.as_str(), "it" | "meta")
            || (logic.role != Role::Set && (own || slot.is_some()));
        if refused {
            let text = format!("This assignment to ${name} is not allowed in the logic of a type");
            return Err(self.error(f, at, "TYPE_ILLEGAL_LOGIC", text));
        }
        let (Some(slot), Some(object)) = (slot, logic.object.clone()) else { return Ok(false) };
        self.models.logics[place].assigned |= own;
        self.keep(&object, slot, value.clone(), false)?;
        Ok(true)
    }

    /// Fails if a derived feature is computed already; the message lists the features that are
    /// computed.
    pub(super) fn derived_circle(&self, object: &Arc<Instance>, slot: usize) -> EvalResult<()> {
        let same = |logic: &Logic| {
            logic.role == Role::Derived
                && logic.slot.as_ref().is_some_and(|(at, _)| *at == slot)
                && logic.object.as_ref().is_some_and(|o| Arc::ptr_eq(o, object))
        };
        let Some(start) = self.models.logics.iter().position(same) else { return Ok(()) };
        let running = self.models.logics[start..].iter().filter(|l| l.role == Role::Derived);
        let mut names: Vec<&str> =
            running.filter_map(|l| Some(l.slot.as_ref()?.1.feature.name.as_str())).collect();
        names.extend(names.first().copied());
        let names = names.join(" -> ");
        let text = format!("derived features depend on each other in a circle: {names}");
        Err(PlainError::of_object("TYPE_DERIVED_CYCLE", &object.kind.name, text).into())
    }

    /// Refuses the call of an impure function in code of a type.
    pub(crate) fn refuse_impure(&self, name: &str) -> EvalResult<()> {
        if self.models.logics.is_empty() || is_pure(name) {
            return Ok(());
        }
        let text = format!("This call of '{name}' is not allowed in the logic of a type");
        Err(PlainError::issue("TYPE_ILLEGAL_LOGIC", text).into())
    }
}

/// `$meta`: the properties of a feature, or of the type.
fn meta(kind: &Arc<ObjectType>, slot: Option<&Slot>) -> Value {
    let name = |text: &EcoString| Value::Str(text.clone());
    let owner = slot.and_then(|slot| kind.line().find(|kind| kind.name == slot.owner));
    let owner = owner.as_ref().unwrap_or(kind);
    let this = Value::of_type(crate::types::Type::Object(Arc::clone(owner)));
    let container = Value::hash([("name", name(&owner.name)), ("type", this)]);
    let Some(slot) = slot else {
        return Value::hash([("name", name(&kind.name)), ("container", container)]);
    };
    let bounds = slot.feature.multiplicity;
    Value::hash([
        ("name", name(&slot.feature.name)),
        ("container", container),
        ("type", Value::of_type(slot.kind.clone())),
        ("min", Value::Int(bounds.lower)),
        ("max", Value::Int(bounds.upper.unwrap_or(-1))),
    ])
}
