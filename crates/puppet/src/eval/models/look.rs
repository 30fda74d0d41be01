//! What can be said of types and of what is given to them without a compile.

use std::sync::Arc;

use ecow::EcoString;
use ordain_source::{Span, suggest};

use super::Role;
use crate::check::free_variables;
use crate::eval::error::{EvalError, EvalResult};
use crate::eval::scope::ScopeId;
use crate::eval::{Compiler, Frame};
use crate::syntax::{ExprId, Program};
use crate::types::ObjectType;
use crate::types::modelled::{Code, Layout};
use crate::value::Value;

/// An object that a text makes, or a resource of a type with features, as far as it is literal.
pub(crate) struct Given {
    pub(crate) program: Arc<Program>,
    /// The name of the type in lower case.
    pub(crate) kind: EcoString,
    /// What makes it.
    pub(crate) at: ExprId,
    pub(crate) values: Vec<GivenValue>,
    /// Whether it is an object, and these are all that it gets.
    pub(crate) is_whole: bool,
    /// Whether it is a resource, the names of whose attributes are looked at elsewhere.
    pub(crate) is_resource: bool,
}

/// What is given to a feature.
pub(crate) struct GivenValue {
    pub(crate) name: EcoString,
    /// Where its name is.
    pub(crate) name_at: Span,
    /// The expression that gives it.
    pub(crate) expr: ExprId,
    /// Its value, if it is literal.
    pub(crate) value: Option<Value>,
}

impl Compiler<'_> {
    /// What is wrong with what is given to a type with features, as far as it is known.
    pub(crate) fn wrong_given(&mut self, given: &Given) -> Vec<EvalError> {
        let Ok(Some(kind)) = self.model_named(&given.kind) else { return Vec::new() };
        if self.layout(&kind).is_err() {
            return Vec::new();
        }
        let f = Frame { program: Arc::clone(&given.program), scope: ScopeId::TOP };
        if given.is_whole {
            let hash = given.values.iter().map(|v| Some((v.name.clone(), v.value.clone()?)));
            let Some(hash) = hash.collect::<Option<Vec<_>>>() else { return Vec::new() };
            let hash = Value::hash(hash.iter().map(|(name, value)| (name.as_str(), value.clone())));
            let made = self.instantiate(&kind, &[hash], None);
            return self.told(&f, given.at, made.map(|_| ()));
        }
        let Ok(object) = self.begin_instance(&kind) else { return Vec::new() };
        let mut errors = Vec::new();
        for GivenValue { name, name_at, expr, value } in &given.values {
            let Some(slot) = object.layout().find(name) else {
                if !given.is_resource {
                    errors.push(unknown_feature(&kind, object.layout(), name, *name_at));
                }
                continue;
            };
            // A setter may look at other features, and a title may stand for the link to its resource.
            let known = &object.layout().slots[slot];
            let is_link = known.feature.is_reference() && !known.feature.is_containment();
            let is_plain = known.set.is_none() && !(given.is_resource && is_link);
            if let (Some(value), true) = (value, is_plain) {
                let result = self.give(&object, slot, value.clone(), false);
                errors.extend(self.told(&f, *expr, result));
            }
        }
        self.models.drafts.pop();
        errors
    }

    fn told(&mut self, f: &Frame, at: ExprId, result: EvalResult<()>) -> Vec<EvalError> {
        let Err(unwind) = result else { return Vec::new() };
        let unwind = self.locate(f, at, unwind);
        vec![self.final_error(unwind)]
    }
}

fn unknown_feature(kind: &ObjectType, layout: &Layout, name: &str, at: Span) -> EvalError {
    let text = format!("Type '{}' has no feature '{name}'", kind.name);
    let mut error = EvalError::new("TYPE_UNKNOWN_FEATURE", text, at);
    let known = layout.slots.iter().map(|s| s.feature.name.as_str());
    error.help.extend(suggest::nearest(name, known).map(|near| format!("did you mean `{near}`?")));
    error
}

/// Variables that the code of a type reads and that nothing sets.
pub(super) fn unknown_variables(kind: &ObjectType) -> Vec<EvalError> {
    let Some(layout) = kind.model.as_ref().and_then(|m| m.layout.get()) else { return Vec::new() };
    let mut out = Vec::new();
    for slot in layout.slots.iter().filter(|slot| slot.owner == kind.name) {
        let codes = [
            (Role::Check, &slot.check),
            (Role::Set, &slot.set),
            (Role::Get, &slot.get),
            (Role::Derived, &slot.derived),
        ];
        for (role, code) in codes {
            let Some(code) = code else { continue };
            let own = |name: &str| match role {
                Role::Check => name == slot.feature.name || (name == "it" && code.arity == 0),
                _ => layout.find(name).is_some(),
            };
            unknown_in(code, code.lambda.unwrap_or(code.body), own, &mut out);
        }
    }
    let Some(model) = &kind.model else { return out };
    let own = |name: &str| layout.find(name).is_some();
    for method in layout.functions.iter().filter(|method| method.owner == kind.name) {
        for (id, name) in free_variables(&method.program, method.lambda) {
            if name != "meta" && !own(name) {
                out.push(unknown_variable(&method.program, id, name));
            }
        }
    }
    for rule in layout.rules.iter().filter(|rule| rule.program.file == model.def.program.file) {
        for root in [Some(rule.code.lambda.unwrap_or(rule.code.body)), rule.title] {
            let Some(root) = root else { continue };
            unknown_in(&rule.code, root, own, &mut out);
        }
    }
    out
}

fn unknown_in(code: &Code, root: ExprId, own: impl Fn(&str) -> bool, out: &mut Vec<EvalError>) {
    for (id, name) in free_variables(&code.program, root) {
        if name == "meta" || own(name) || code.param.as_ref() == Some(name) {
            continue;
        }
        out.push(unknown_variable(&code.program, id, name));
    }
}

fn unknown_variable(program: &Program, id: ExprId, name: &str) -> EvalError {
    EvalError::new("UNKNOWN_VARIABLE", format!("Unknown variable: '{name}'."), program.span(id))
}
