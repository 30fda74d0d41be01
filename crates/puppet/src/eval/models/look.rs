//! Checks of types with features and of their literal instances, without a compile.

use std::sync::Arc;

use ecow::EcoString;
use ordain_source::{Span, suggest};

use super::Entry;
use crate::error::{EvalError, EvalResult, PlainError};
use crate::plugins::match_title;
use crate::state::Compiler;
use crate::state::evaluate::Evaluate;
use crate::state::frame::{Frame, final_error};
use crate::syntax::{ExprId, Program};
use crate::types::ObjectType;
use crate::types::models::{Code, Layout};
use crate::validation::{Role, free_variables};
use crate::value::Value;
use crate::value::closure::ScopeId;

/// An object or a resource of a type with features in a text, as far as it is literal.
pub struct InstanceSyntax {
    /// The text.
    pub program: Arc<Program>,
    /// The name of the type in lower case.
    pub kind: EcoString,
    /// The expression that makes the instance.
    pub at: ExprId,
    /// The values of its features.
    pub values: Vec<ValueSyntax>,
    /// Whether `values` has all values of the instance.
    pub is_whole: bool,
    /// The titles of resources, each with its place.
    pub titles: Vec<(EcoString, Span)>,
    /// Whether it is a resource, whose attribute names are checked elsewhere.
    pub is_resource: bool,
}

/// The value of a feature.
pub struct ValueSyntax {
    /// The name of the feature.
    pub name: EcoString,
    /// The place of the name.
    pub name_at: Span,
    /// The expression of the value.
    pub expr: ExprId,
    /// The value, if it is literal.
    pub value: Option<Value>,
}

impl Compiler<'_> {
    /// The errors in the attributes of a type with features, as far as they are known before a
    /// compile.
    pub(crate) fn instance_errors(&mut self, given: &InstanceSyntax) -> Vec<EvalError> {
        let Ok(Some(kind)) = self.model_named(&given.kind) else { return Vec::new() };
        if self.layout(&kind).is_err() {
            return Vec::new();
        }
        let f = Frame { program: Arc::clone(&given.program), scope: ScopeId::TOP };
        if given.is_resource {
            let errors = self.wrong_values(&kind, given, &f);
            if !errors.is_empty() || !given.is_whole || self.has_links(&kind, given) {
                return errors;
            }
            let titles = given.titles.iter();
            return titles.filter_map(|title| self.wrong_resource(&kind, given, title)).collect();
        }
        if given.is_whole {
            let hash = given.values.iter().map(|v| Some((v.name.clone(), v.value.clone()?)));
            let Some(hash) = hash.collect::<Option<Vec<_>>>() else { return Vec::new() };
            let hash = Value::hash(hash.iter().map(|(name, value)| (name.as_str(), value.clone())));
            let made = self.instantiate(&kind, &[hash], None);
            return self.located_errors(&f, given.at, made.map(|_| ()));
        }
        self.wrong_values(&kind, given, &f)
    }

    /// Whether a resource has links. Only a compile knows their targets.
    fn has_links(&self, kind: &ObjectType, given: &InstanceSyntax) -> bool {
        let Some(layout) = kind.model.as_ref().and_then(|m| m.layout.get()) else { return false };
        given.values.iter().any(|value| {
            let slot = layout.find(&value.name).map(|slot| &layout.slots[slot].feature);
            slot.is_some_and(|feature| feature.is_reference() && !feature.is_containment())
        })
    }

    /// The error of a resource as a whole: its title, missing features, invariants.
    fn wrong_resource(
        &mut self,
        kind: &Arc<ObjectType>,
        given: &InstanceSyntax,
        (title, at): &(EcoString, Span),
    ) -> Option<EvalError> {
        let layout = kind.model.as_ref().and_then(|m| m.layout.get())?;
        if layout.namevars.is_empty() {
            return None;
        }
        let reference = format!("{}[{title}]", kind.name);
        let place = |error: PlainError, span: Option<Span>| {
            let issue = error.issue.unwrap_or("TYPE_WRONG_VALUE");
            let mut out = EvalError::new(issue, error.reason_for(&kind.name), span.unwrap_or(*at));
            out.name_resource(&reference, None);
            out.help.extend(error.help);
            out.related = error.related;
            Box::from(out)
        };
        let titled = match layout.namevar().filter(|_| layout.patterns.is_empty()) {
            Some(slot) => {
                let name = layout.slots[slot].feature.name.clone();
                Ok(vec![(name, Value::Str(title.clone()))])
            }
            None => match_title(&layout.patterns, title),
        };
        let mut titled = match titled {
            Ok(titled) => titled,
            Err(unwind) => {
                let mut error = final_error(unwind);
                (error.span, error.issue) = (Some(*at), Some("TYPE_WRONG_VALUE".into()));
                return Some(error);
            }
        };
        self.titles_as_features(kind, &mut titled);
        let is_given = |name: &EcoString| given.values.iter().any(|value| value.name == *name);
        titled.retain(|(name, value)| !value.is_undef() && !is_given(name));
        let titled = titled.into_iter();
        let mut entries: Vec<Entry> =
            titled.map(|(name, value)| Entry { name, value, span: Some(*at) }).collect();
        // Other names are metaparameters, or are reported elsewhere.
        let features = given.values.iter().filter(|value| layout.find(&value.name).is_some());
        entries.extend(features.filter_map(|one| {
            let value = one.value.clone().filter(|value| !value.is_undef())?;
            Some(Entry { name: one.name.clone(), value, span: Some(one.name_at) })
        }));
        let made = self.instantiate_entries(kind, entries, place);
        let mut error = final_error(made.err()?);
        error.name_resource(&reference, Some(*at));
        Some(error)
    }

    /// The errors of single values.
    fn wrong_values(
        &mut self,
        kind: &Arc<ObjectType>,
        given: &InstanceSyntax,
        f: &Frame,
    ) -> Vec<EvalError> {
        let Ok(object) = self.begin_instance(kind) else { return Vec::new() };
        let mut errors = Vec::new();
        for ValueSyntax { name, name_at, expr, value } in &given.values {
            let Some(slot) = object.layout().find(name) else {
                if !given.is_resource {
                    errors.push(unknown_feature(kind, object.layout(), name, *name_at));
                }
                continue;
            };
            // A setter may read other features, and a title may be a link to its resource.
            let known = &object.layout().slots[slot];
            let is_link = known.feature.is_reference() && !known.feature.is_containment();
            let is_plain = known.set.is_none() && !(given.is_resource && is_link);
            if let (Some(value), true) = (value, is_plain) {
                let result = self.give(&object, slot, value.clone(), false);
                errors.extend(self.located_errors(f, *expr, result));
            }
        }
        self.models.drafts.pop();
        errors
    }

    fn located_errors(&mut self, f: &Frame, at: ExprId, result: EvalResult<()>) -> Vec<EvalError> {
        let Err(unwind) = result else { return Vec::new() };
        let unwind = self.locate(f, at, unwind);
        vec![final_error(unwind)]
    }
}

fn unknown_feature(kind: &ObjectType, layout: &Layout, name: &str, at: Span) -> EvalError {
    let text = format!("Type '{}' has no feature '{name}'", kind.name);
    let mut error = EvalError::new("TYPE_UNKNOWN_FEATURE", text, at);
    let known = layout.slots.iter().map(|s| s.feature.name.as_str());
    error.help.extend(suggest::nearest(name, known).map(|near| format!("did you mean `{near}`?")));
    error
}

/// Variables that the code of a type reads and nothing sets.
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
