//! Making objects: defaults, the values of a hash, the initialiser, invariants.

use std::sync::Arc;

use ecow::EcoString;
use ordain_source::Span;

use super::feature::counted;
use super::logic::Run;
use crate::catalog::values::kind_text;
use crate::error::{EvalError, EvalResult, PlainError, Step, Unwind, issue};
use crate::eval::invariants::{UNTITLED, Verdict};
use crate::state::Compiler;
use crate::state::frame::Frame;
use crate::state::scope::{Scope, ScopeKind};
use crate::types::ObjectType;
use crate::types::mismatch::is_deferred;
use crate::types::models::{Instance, Layout, Rule, State};
use crate::validation::Role;
use crate::value::Value;
use crate::value::closure::Closure;
use crate::value::text::to_text;

/// A value for a feature, and its place.
pub(crate) struct Entry {
    pub(crate) name: EcoString,
    pub(crate) value: Value,
    pub(crate) span: Option<Span>,
}

impl Compiler<'_> {
    /// Makes an object of a type from a hash and an initialiser, both optional.
    ///
    /// # Errors
    /// When a value does not fit, a feature is missing, or an invariant does not hold.
    pub(in crate::eval) fn make_instance(
        &mut self,
        kind: &Arc<ObjectType>,
        args: &[Value],
        block: Option<&Arc<Closure>>,
    ) -> EvalResult {
        let object = self.begin_instance(kind)?;
        let result = self.fill(&object, args, block);
        self.end_instance(&object, result)
    }

    /// Makes an object of single values. `describe` words the error of a value, which is reported
    /// at its place.
    pub(crate) fn instantiate_entries(
        &mut self,
        kind: &Arc<ObjectType>,
        entries: Vec<Entry>,
        describe: impl Fn(PlainError, Option<Span>) -> Box<Unwind>,
    ) -> EvalResult {
        let located = |unwind: Box<Unwind>, span| match *unwind {
            Unwind::Plain(error) => describe(error, span),
            other => Box::new(other),
        };
        let object = self.begin_instance(kind).map_err(|e| located(e, None))?;
        let mut result = Ok(());
        let mut entries = entries;
        let layout = object.layout();
        entries.sort_by_key(|entry| layout.find(&entry.name).map(|slot| turn(layout, slot)));
        for Entry { name, value, span } in entries {
            result = self
                .feature_named(kind, &name)
                .and_then(|slot| self.give(&object, slot, value, false))
                .map_err(|unwind| located(unwind, span));
            if result.is_err() {
                break;
            }
        }
        self.end_instance(&object, result).map_err(|e| located(e, None))
    }

    /// Makes an object of the values that fit. It checks neither for missing features nor
    /// invariants.
    pub(crate) fn instantiate_unchecked(
        &mut self,
        kind: &Arc<ObjectType>,
        entries: Vec<Entry>,
    ) -> EvalResult {
        let object = self.begin_instance(kind)?;
        for Entry { name, value, .. } in entries {
            if let Some(slot) = object.layout().find(&name) {
                // The check of the resource itself reports values that do not fit.
                let _ = self.give(&object, slot, value, false);
            }
        }
        let values = self.models.drafts.pop().unwrap_or_default().into_boxed_slice();
        // The object is new, so the state is not set yet.
        let _ = object.state.set(State { values, ..State::default() });
        Ok(Value::Instance(object))
    }

    pub(super) fn begin_instance(&mut self, kind: &Arc<ObjectType>) -> EvalResult<Arc<Instance>> {
        let Some(model) = &kind.model else {
            return issue("TYPE_WRONG_VALUE", format!("{} has no features", kind.name));
        };
        self.layout(kind)?;
        if model.model.is_abstract {
            let text = format!("Can not create an instance of abstract type '{}'", kind.name);
            let mut error = PlainError::issue("TYPE_ABSTRACT", text);
            error.related.push((model.def.span, "the type is defined here".into()));
            return Err(error.into());
        }
        let object = Arc::new(Instance::unfinished(Arc::clone(kind), self.models.drafts.len()));
        self.models.drafts.push(object.layout().defaults.clone());
        Ok(object)
    }

    fn fill(
        &mut self,
        object: &Arc<Instance>,
        args: &[Value],
        block: Option<&Arc<Closure>>,
    ) -> EvalResult<()> {
        match args {
            [] => {}
            [Value::Hash(given)] => {
                let mut slots = Vec::with_capacity(given.len());
                for (key, value) in given.iter() {
                    let slot = match key {
                        Value::Str(name) => self.feature_named(&object.kind, name),
                        other => self.feature_named(&object.kind, &to_text(other)),
                    };
                    slots.push((slot.map_err(|unwind| at_entry(unwind, key))?, key, value));
                }
                let layout = object.layout();
                slots.sort_by_key(|(slot, ..)| turn(layout, *slot));
                for (slot, key, value) in slots {
                    self.give(object, slot, value.clone(), false)
                        .map_err(|unwind| at_entry(unwind, key))?;
                }
            }
            [other] => {
                let text = format!("new takes a Hash of features, got {}", kind_text(other));
                let kind = &object.kind.name;
                return Err(PlainError::of_object("TYPE_WRONG_VALUE", kind, text).into());
            }
            several => {
                let count = several.len();
                let text = format!("new takes one Hash of features, got {count} arguments");
                let kind = &object.kind.name;
                return Err(PlainError::of_object("TYPE_WRONG_VALUE", kind, text).into());
            }
        }
        match block {
            Some(block) => self.initialise(object, block),
            None => Ok(()),
        }
    }

    /// Runs the lambda that completes an object. Until it ends, no other code may use the object.
    fn initialise(&mut self, object: &Arc<Instance>, block: &Arc<Closure>) -> EvalResult<()> {
        let outer = self.scopes.get(block.scope);
        let mut scope = Scope::new(ScopeKind::Lambda, Some(block.scope), outer.resource);
        scope.module = outer.module.clone();
        let lambda = block.program.lambda(block.lambda);
        if let Some(param) = block.program.params(lambda.params).first() {
            scope.set(param.name.clone(), Value::Instance(Arc::clone(object)));
        }
        let scope = self.scopes.push(scope);
        let f = Frame { program: Arc::clone(&block.program), scope };
        let result = self.eval(&f, lambda.body);
        self.scopes.drop_scope(scope);
        match result {
            Ok(_) => Ok(()),
            Err(unwind) => match *unwind {
                Unwind::Next(..) => Ok(()),
                other => Err(Box::new(other)),
            },
        }
    }

    fn end_instance(&mut self, object: &Arc<Instance>, result: EvalResult<()>) -> EvalResult {
        let result = result.and_then(|()| self.enough(object));
        let result = result.and_then(|()| self.invariants(object));
        let values = self.models.drafts.pop().unwrap_or_default().into_boxed_slice();
        result?;
        // The object is new, so the state is not set yet.
        let _ = object.state.set(State { values, ..State::default() });
        Ok(Value::Instance(Arc::clone(object)))
    }

    /// Checks that every feature has the required number of values.
    pub(super) fn enough(&mut self, object: &Arc<Instance>) -> EvalResult<()> {
        for i in 0..object.layout().slots.len() {
            let slot = &object.layout().slots[i];
            let least = slot.feature.multiplicity.lower;
            if least <= 0 {
                continue;
            }
            let slot = Arc::clone(slot);
            let value = match slot.derived {
                Some(_) => Some(self.read_feature(object, i)?),
                None => self.stored(object, i).cloned(),
            };
            let count = match value {
                None | Some(Value::Undef) => 0,
                Some(Value::Array(items)) if slot.is_many => items.len() as i64,
                Some(_) => 1,
            };
            if count < least {
                let (kind, name) = (&object.kind.name, &slot.feature.name);
                let values = if least == 1 { "value" } else { "values" };
                let got = counted(count);
                let text = format!("feature '{name}' needs at least {least} {values}, got {got}");
                let mut error = PlainError::of_object("TYPE_TOO_FEW", kind, text);
                let place = slot.feature.span;
                error.related.extend(place.map(|s| (s, format!("`{name}` is defined here"))));
                return Err(error.into());
            }
        }
        Ok(())
    }

    /// Checks all invariants. One error reports all that do not hold.
    pub(super) fn invariants(&mut self, object: &Arc<Instance>) -> EvalResult<()> {
        // Invariants over deferred values are checked where the catalog is applied.
        let draft = self.models.drafts.get(object.draft);
        let mut values = draft.into_iter().flatten().flatten();
        let is_open = |value: &Value| match value {
            Value::Array(items) => items.iter().any(is_deferred),
            single => is_deferred(single),
        };
        if values.any(is_open) {
            return Ok(());
        }
        let mut reasons = Vec::new();
        let mut places = Vec::new();
        for i in 0..object.layout().rules.len() {
            let rule = Arc::clone(&object.layout().rules[i]);
            let Some(reason) = self.broken(object, &rule)? else { continue };
            places.push((rule.span, "this does not hold".to_owned()));
            reasons.push(reason);
        }
        if reasons.is_empty() {
            return Ok(());
        }
        let kind = &object.kind.name;
        let mut error = PlainError::of_object("TYPE_INVARIANT_FAILED", kind, reasons.join("; "));
        error.related = places;
        Err(error.into())
    }

    /// The message of an invariant that does not hold; `None` if it holds.
    fn broken(&mut self, object: &Arc<Instance>, rule: &Rule) -> EvalResult<Option<String>> {
        let run = || Run {
            kind: &object.kind,
            role: Role::Invariant,
            slot: None,
            object: Some(object),
            argument: Value::Instance(Arc::clone(object)),
        };
        let (value, _) = self.run_logic(&rule.code, run())?;
        Ok(match Verdict::of(&value) {
            Some(Verdict::Accepted) => None,
            Some(Verdict::Because(reason)) => Some(reason),
            Some(Verdict::Refused) => Some(match rule.title {
                Some(title) => self.title_text(&rule.code, title, run())?.to_string(),
                None => UNTITLED.to_owned(),
            }),
            None => {
                let text = format!(
                    "an invariant of '{}' must return a String, Boolean or undef, got {}",
                    object.kind.name,
                    kind_text(&value)
                );
                let at = rule.program.span(rule.code.lambda.unwrap_or(rule.code.body));
                return Err(EvalError::new("TYPE_BAD_CHECK_RESULT", text, at).into());
            }
        })
    }
}

/// The position of a feature in the order of setting. Features with setters come last, because
/// setters may read the others.
fn turn(layout: &Layout, slot: usize) -> (bool, usize) {
    (layout.slots[slot].set.is_some(), slot)
}

/// Adds the key of the hash to an error.
fn at_entry(mut unwind: Box<Unwind>, key: &Value) -> Box<Unwind> {
    if let Unwind::Plain(error) = &mut *unwind {
        let name = to_text(key);
        let about_name = error.path.is_empty()
            && matches!(error.issue, Some("TYPE_UNKNOWN_FEATURE" | "TYPE_NOT_SETABLE"));
        error.path.push(if about_name { Step::Key(name) } else { Step::Value(name) });
    }
    unwind
}
