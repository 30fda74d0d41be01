//! Reading and setting the features of objects.

use std::sync::{Arc, OnceLock};

use ecow::EcoString;
use ordain_source::{Span, suggest};

use super::logic::Run;
use crate::catalog::values::kind_text;
use crate::error::{EvalError, EvalResult, PlainError, Step, Unwind, issue};
use crate::eval::invariants::Verdict;
use crate::eval::models::host::DefaultHost;
use crate::state::Compiler;
use crate::state::evaluate::Evaluate;
use crate::types::mismatch::{self, is_deferred};
use crate::types::models::{Code, Instance, Slot};
use crate::types::new::new_instance;
use crate::types::{ObjectType, Type, infer, is_instance};
use crate::validation::Role;
use crate::value::text::to_text;
use crate::value::{HashValue, Value};

/// The number of values of a feature, in words.
pub(super) fn counted(count: i64) -> String {
    match count {
        0 => "none".into(),
        _ => count.to_string(),
    }
}

fn values(count: i64) -> &'static str {
    if count == 1 { "value" } else { "values" }
}

impl Compiler<'_> {
    /// The stored value of a feature.
    pub(super) fn stored<'v>(&'v self, object: &'v Instance, slot: usize) -> Option<&'v Value> {
        match object.is_finished() {
            true => object.kept(slot),
            false => self.models.drafts.get(object.draft)?.get(slot)?.as_ref(),
        }
    }

    /// A feature as readers see it.
    pub(crate) fn read_feature(&mut self, object: &Arc<Instance>, slot: usize) -> EvalResult {
        let Some(known) = object.layout().slots.get(slot) else { return Ok(Value::Undef) };
        if known.derived.is_some() {
            return self.read_derived(object, slot);
        }
        if let Some(links) = object.links()
            && let Some(texts) = links.of(slot)
        {
            return follow(object, known, links, texts);
        }
        let value = match self.stored(object, slot) {
            Some(value) => value.clone(),
            None if known.is_many && !known.feature.unsettable => Value::array([]),
            None => Value::Undef,
        };
        match known.get {
            Some(_) => self.run_getter(object, slot, value),
            None => Ok(value),
        }
    }

    fn run_getter(&mut self, object: &Arc<Instance>, slot: usize, value: Value) -> EvalResult {
        let known = Arc::clone(&object.layout().slots[slot]);
        let Some(code) = &known.get else { return Ok(value) };
        let run = Run {
            kind: &object.kind,
            role: Role::Get,
            slot: Some((slot, &known)),
            object: Some(object),
            argument: value,
        };
        let (read, _) = self.run_logic(code, run)?;
        self.expect_result(object, &known, &read, "get", code)?;
        Ok(read)
    }

    fn read_derived(&mut self, object: &Arc<Instance>, slot: usize) -> EvalResult {
        let count = object.layout().slots.len();
        if let Some(state) = object.state.get() {
            let memo = state.memo.get_or_init(|| (0..count).map(|_| OnceLock::new()).collect());
            if let Some(known) = memo[slot].get() {
                return Ok(known.clone());
            }
        }
        self.derived_circle(object, slot)?;
        let known = Arc::clone(&object.layout().slots[slot]);
        let Some(code) = &known.derived else { return Ok(Value::Undef) };
        let run = Run {
            kind: &object.kind,
            role: Role::Derived,
            slot: Some((slot, &known)),
            object: Some(object),
            argument: Value::Instance(Arc::clone(object)),
        };
        let (value, _) = self.run_logic(code, run)?;
        let value = if value.is_undef() && known.is_many { Value::array([]) } else { value };
        self.expect_result(object, &known, &value, "derived", code)?;
        if let Some(memo) = object.state.get().and_then(|state| state.memo.get()) {
            // A nested computation may have set it, to an equal value.
            let _ = memo[slot].set(value.clone());
        }
        Ok(value)
    }

    /// Checks the result of a getter.
    fn expect_result(
        &self,
        object: &Instance,
        slot: &Slot,
        value: &Value,
        what: &str,
        code: &Code,
    ) -> EvalResult<()> {
        let fits = |value: &Value| value.is_undef() || fits(slot, value);
        let good = match (slot.is_many, value) {
            (true, Value::Array(items)) => items.iter().all(fits),
            (true, other) => other.is_undef(),
            (false, other) => fits(other),
        };
        if good {
            return Ok(());
        }
        let name = &slot.feature.name;
        let text = format!(
            "{}: {what} of '{name}' returned a wrong value: {}",
            object.kind.name,
            expectation(slot, value)
        );
        Err(EvalError::new("TYPE_BAD_GETTER", text, place_of(code)).into())
    }

    /// The arguments that make an equal object, as a hash: the settable features that are set, as
    /// readers see them. Contained objects become hashes, because an object has one container only.
    pub(crate) fn features_given(&mut self, object: &Arc<Instance>) -> EvalResult<HashValue> {
        let mut out = HashValue::default();
        for i in 0..object.layout().slots.len() {
            let slot = Arc::clone(&object.layout().slots[i]);
            let is_given = slot.derived.is_none() && slot.feature.setable;
            if !is_given || self.stored(object, i).is_none() {
                continue;
            }
            let value = self.read_feature(object, i)?;
            let value = self.parts_given(&slot, value)?;
            out.insert(Value::Str(slot.feature.name.clone()), value);
        }
        Ok(out)
    }

    /// The value of a feature, with contained objects as hashes.
    pub(crate) fn parts_given(&mut self, slot: &Slot, value: Value) -> EvalResult {
        match (slot.feature.is_containment(), value) {
            (true, Value::Array(parts)) => {
                let parts = parts.iter().map(|part| self.part_given(slot, part));
                Ok(Value::array(parts.collect::<EvalResult<Vec<_>>>()?))
            }
            (true, part) => self.part_given(slot, &part),
            (false, value) => Ok(value),
        }
    }

    /// A contained object as a hash, which names its type if it is a subtype.
    fn part_given(&mut self, slot: &Slot, part: &Value) -> EvalResult {
        let Value::Instance(part) = part else { return Ok(part.clone()) };
        let mut out = HashValue::default();
        if part.kind.name.to_lowercase() != slot.target {
            let key = Value::str(crate::types::models::PTYPE);
            out.insert(key, Value::Str(part.kind.name.clone()));
        }
        out.extend(self.features_given(part)?);
        Ok(Value::Hash(Arc::new(out)))
    }

    /// A title, or a part of one, as the value of a feature. The text is converted to the type of
    /// the feature, unless the feature converts its arguments itself.
    pub(crate) fn title_as(&mut self, slot: &Slot, title: Value) -> Value {
        if slot.set.is_some() || fits(slot, &title) {
            return title;
        }
        let made = new_instance(&slot.kind, std::slice::from_ref(&title), &mut DefaultHost(self));
        made.unwrap_or(title)
    }

    /// As [`Compiler::title_as`], for all parts of a title by feature.
    pub(crate) fn titles_as_features(
        &mut self,
        kind: &ObjectType,
        values: &mut [(EcoString, Value)],
    ) {
        let Some(layout) = kind.model.as_ref().and_then(|m| m.layout.get()) else { return };
        for (name, value) in values.iter_mut().filter(|(_, value)| !value.is_undef()) {
            if let Some(slot) = layout.find(name) {
                *value = self.title_as(&layout.slots[slot], std::mem::take(value));
            }
        }
    }

    /// The place of a feature by its name.
    pub(crate) fn feature_named(&self, kind: &ObjectType, name: &str) -> EvalResult<usize> {
        let layout = kind.model.as_ref().and_then(|m| m.layout.get());
        if let Some(slot) = layout.and_then(|layout| layout.find(name)) {
            return Ok(slot);
        }
        let text = format!("Type '{}' has no feature '{name}'", kind.name);
        let mut error = PlainError::issue("TYPE_UNKNOWN_FEATURE", text);
        let known = layout.into_iter().flat_map(|l| l.slots.iter());
        let near = suggest::nearest(name, known.map(|s| s.feature.name.as_str()));
        error.help = near.map(|near| format!("did you mean `{near}`?"));
        Err(error.into())
    }

    /// Sets a feature as a caller does: setters run, and features that are not settable are
    /// refused.
    pub(crate) fn give(
        &mut self,
        object: &Arc<Instance>,
        slot: usize,
        value: Value,
        append: bool,
    ) -> EvalResult<()> {
        let known = Arc::clone(&object.layout().slots[slot]);
        let (kind, name) = (&object.kind.name, &known.feature.name);
        if !known.feature.setable {
            let text = format!("feature '{name}' can not be set");
            let error = PlainError::of_object("TYPE_NOT_SETABLE", kind, text);
            return Err(related(error.into(), &known));
        }
        if append && !known.is_many {
            let text = format!("feature '{name}' has one value, += can not add another");
            let error = PlainError::of_object("TYPE_WRONG_VALUE", kind, text);
            return Err(related(error.into(), &known));
        }
        if matches!(value, Value::Default) {
            return self.reset(object, slot);
        }
        let Some(code) = known.set.as_ref().filter(|_| !is_deferred(&value)) else {
            // Without a setter the value of a derived feature is ignored; the check of the
            // definition warns about this.
            return if known.derived.is_some() {
                Ok(())
            } else {
                self.keep(object, slot, value, append)
            };
        };
        let run = Run {
            kind: &object.kind,
            role: Role::Set,
            slot: Some((slot, &known)),
            object: Some(object),
            argument: value,
        };
        let (value, assigned) = self.run_logic(code, run)?;
        if assigned || known.derived.is_some() {
            return Ok(());
        }
        self.keep(object, slot, value, append).map_err(|unwind| bad_setter(unwind, object, &known))
    }

    /// Restores the initial value of a feature.
    fn reset(&mut self, object: &Arc<Instance>, slot: usize) -> EvalResult<()> {
        let value = object.layout().defaults[slot].clone();
        if let Some(draft) = self.models.drafts.get_mut(object.draft) {
            let old = std::mem::replace(&mut draft[slot], value);
            release(object, slot, old.as_ref());
        }
        Ok(())
    }

    /// Stores a value after checking its type, the number of values, and the check of the feature.
    pub(super) fn keep(
        &mut self,
        object: &Arc<Instance>,
        slot: usize,
        value: Value,
        append: bool,
    ) -> EvalResult<()> {
        let known = Arc::clone(&object.layout().slots[slot]);
        if !append && known.feature.is_containment() {
            release(object, slot, self.stored(object, slot));
        }
        let kept = match known.is_many {
            true => self.many(object, slot, &known, value, append)?,
            false if value.is_undef() => known.feature.unsettable.then_some(Value::Undef),
            false => {
                let value = self.element(object, &known, value, None)?;
                self.make_part(object, &known, &value).map_err(|e| related(e, &known))?;
                Some(value)
            }
        };
        if let Some(draft) = self.models.drafts.get_mut(object.draft) {
            draft[slot] = kept;
        }
        Ok(())
    }

    fn many(
        &mut self,
        object: &Arc<Instance>,
        slot: usize,
        known: &Arc<Slot>,
        value: Value,
        append: bool,
    ) -> EvalResult<Option<Value>> {
        let given = match value {
            Value::Array(items) => Arc::try_unwrap(items).unwrap_or_else(|items| items.to_vec()),
            Value::Iterator(iterator) => iterator.items.clone(),
            Value::Undef => Vec::new(),
            single => vec![single],
        };
        let mut all = match (append, self.stored(object, slot)) {
            (true, Some(Value::Array(_))) => match self.take_draft(object, slot) {
                Some(Value::Array(items)) => {
                    Arc::try_unwrap(items).unwrap_or_else(|items| items.to_vec())
                }
                _ => Vec::new(),
            },
            _ => Vec::new(),
        };
        all.reserve(given.len());
        for (i, item) in given.into_iter().enumerate() {
            let item = self
                .element(object, known, item, Some(i))
                .and_then(|item| self.make_part(object, known, &item).map(|()| item))
                .map_err(|unwind| at_item(unwind, i))?;
            all.push(item);
        }
        self.unique_links(object, known, &all)?;
        let count = all.len() as i64;
        if let Some(most) = known.feature.multiplicity.upper.filter(|most| count > *most) {
            let (kind, name) = (&object.kind.name, &known.feature.name);
            let text =
                format!("feature '{name}' takes at most {most} {}, got {count}", values(most));
            let error = PlainError::of_object("TYPE_TOO_MANY", kind, text);
            return Err(related(error.into(), known));
        }
        let keeps = !all.is_empty() || known.feature.unsettable;
        Ok(keeps.then(|| Value::Array(Arc::new(all))))
    }

    fn take_draft(&mut self, object: &Instance, slot: usize) -> Option<Value> {
        self.models.drafts.get_mut(object.draft)?.get_mut(slot)?.take()
    }

    /// Converts and checks one value of a feature.
    pub(super) fn element(
        &mut self,
        object: &Arc<Instance>,
        slot: &Arc<Slot>,
        value: Value,
        index: Option<usize>,
    ) -> EvalResult {
        // The value is checked where the catalog is applied.
        if is_deferred(&value) {
            return Ok(value);
        }
        let value = match value {
            Value::Int(number) if matches!(slot.kind, Type::Float(_)) => {
                Value::Float(number as f64)
            }
            Value::Hash(given) if slot.feature.is_containment() => {
                self.part_of_hash(slot, &given)?
            }
            other => other,
        };
        if !fits(slot, &value) {
            let place = index.map_or_else(String::new, |i| format!("index {i} "));
            let text = format!("{place}{}", mismatch::expectation(&slot.kind, &infer(&value)));
            let (kind, name) = (&object.kind.name, &slot.feature.name);
            let error = PlainError::of_feature("TYPE_WRONG_VALUE", (kind, name), " ", text);
            return Err(related(error.into(), slot));
        }
        if let Value::Instance(part) = &value
            && !part.is_finished()
        {
            let text = "the object is not finished and can not be stored".to_owned();
            let error = PlainError::of_object("TYPE_NOT_FINISHED", &part.kind.name, text);
            return Err(error.into());
        }
        self.check_element(&object.kind, slot, &value)?;
        Ok(value)
    }

    /// Runs the check of a feature on a value.
    pub(super) fn check_element(
        &mut self,
        kind: &Arc<ObjectType>,
        slot: &Arc<Slot>,
        value: &Value,
    ) -> EvalResult<()> {
        let Some(code) = &slot.check else { return Ok(()) };
        let run = Run {
            kind,
            role: Role::Check,
            slot: Some((0, slot)),
            object: None,
            argument: value.clone(),
        };
        let (verdict, _) = self.run_logic(code, run)?;
        let name = &slot.feature.name;
        let reason = match Verdict::of(&verdict) {
            Some(Verdict::Accepted) => return Ok(()),
            Some(Verdict::Because(reason)) => reason,
            Some(Verdict::Refused) => {
                format!("Illegal value: {} is not an acceptable value for {name}", to_text(value))
            }
            None => {
                let text = format!(
                    "check of '{name}' must return a String, Boolean or undef, got {}",
                    kind_text(&verdict)
                );
                return Err(EvalError::new("TYPE_BAD_CHECK_RESULT", text, place_of(code)).into());
            }
        };
        let feature = (&kind.name, name);
        let error = PlainError::of_feature("TYPE_CHECK_FAILED", feature, ": ", reason);
        Err(related(error.into(), slot))
    }

    /// Makes an instance from a hash; it will be contained in another one.
    fn part_of_hash(&mut self, slot: &Slot, given: &Arc<HashValue>) -> EvalResult {
        match self.model_named(&slot.target)? {
            Some(kind) => self.object_of_hash(&kind, given),
            None => issue("TYPE_UNKNOWN_TARGET", format!("Type '{}' is not defined", slot.target)),
        }
    }

    /// Makes an object from a hash where a value of the type is expected. `__ptype` may name a
    /// subtype.
    pub(crate) fn object_of_hash(
        &mut self,
        kind: &Arc<ObjectType>,
        given: &Arc<HashValue>,
    ) -> EvalResult {
        let key = Value::str(crate::types::models::PTYPE);
        let Some(name) = given.get(&key).and_then(Value::as_str) else {
            return self.instantiate(kind, &[Value::Hash(Arc::clone(given))], None);
        };
        let rest = given.iter().filter(|(k, _)| **k != key);
        let rest: HashValue = rest.map(|(k, v)| (k.clone(), v.clone())).collect();
        let target = name.to_lowercase();
        match self.model_named(target.strip_prefix("::").unwrap_or(&target))? {
            Some(kind) => self.instantiate(&kind, &[Value::Hash(Arc::new(rest))], None),
            None => issue("TYPE_UNKNOWN_TARGET", format!("Type '{name}' is not defined")),
        }
    }

    /// Makes a value part of the object, if the feature is a containment.
    fn make_part(&self, object: &Instance, slot: &Slot, value: &Value) -> EvalResult<()> {
        let (true, Value::Instance(part)) = (slot.feature.is_containment(), value) else {
            return Ok(());
        };
        let name = ecow::eco_format!("{} ({})", object.kind.name, slot.feature.name);
        match part.enter(name) {
            Ok(()) => Ok(()),
            Err(known) => issue(
                "TYPE_ALREADY_CONTAINED",
                format!("{} is already contained in {known}", part.kind.name),
            ),
        }
    }

    /// Refuses a list of links with a repeated object.
    fn unique_links(&self, object: &Instance, slot: &Slot, all: &[Value]) -> EvalResult<()> {
        if !slot.feature.is_reference() || slot.feature.is_containment() {
            return Ok(());
        }
        let mut seen = rustc_hash::FxHashSet::default();
        let address = |value: &Value| match value {
            Value::Instance(target) => Some(Arc::as_ptr(target)),
            _ => None,
        };
        if all.iter().filter_map(address).all(|address| seen.insert(address)) {
            return Ok(());
        }
        let (kind, name) = (&object.kind.name, &slot.feature.name);
        let text = format!("feature '{name}' has the same object twice");
        Err(PlainError::of_object("TYPE_WRONG_VALUE", kind, text).into())
    }
}

/// The place of code in a type.
fn place_of(code: &Code) -> Span {
    code.program.span(code.lambda.unwrap_or(code.body))
}

/// Whether a value is of the type of a feature.
pub(super) fn fits(slot: &Slot, value: &Value) -> bool {
    match (&slot.kind, value) {
        (Type::Float(_), Value::Int(_)) => true,
        (kind, value) => is_instance(kind, value),
    }
}

/// The mismatch between the type of a feature and a value.
fn expectation(slot: &Slot, value: &Value) -> String {
    let kind = match slot.is_many {
        true => Type::Array(Arc::new(slot.kind.clone()), crate::types::IntRange::ANY_SIZE),
        false => slot.kind.clone(),
    };
    mismatch::expectation(&kind, &infer(value))
}

/// The old value is no longer contained in the object.
fn release(object: &Instance, slot: usize, old: Option<&Value>) {
    if !object.layout().slots[slot].feature.is_containment() {
        return;
    }
    match old {
        Some(Value::Instance(part)) => part.remove_from_container(),
        Some(Value::Array(items)) => {
            for item in items.iter() {
                if let Value::Instance(part) = item {
                    part.remove_from_container();
                }
            }
        }
        _ => {}
    }
}

/// Says where the feature is defined.
fn related(mut unwind: Box<Unwind>, slot: &Slot) -> Box<Unwind> {
    if let Unwind::Plain(error) = &mut *unwind
        && let Some(span) = slot.feature.span
    {
        error.related.push((span, format!("`{}` is defined here", slot.feature.name)));
    }
    unwind
}

/// Adds the position in a list to an error.
fn at_item(mut unwind: Box<Unwind>, item: usize) -> Box<Unwind> {
    if let Unwind::Plain(error) = &mut *unwind {
        error.path.push(Step::Item(item));
    }
    unwind
}

/// The error of a setter that returned a value of a wrong type.
fn bad_setter(mut unwind: Box<Unwind>, object: &Instance, slot: &Slot) -> Box<Unwind> {
    if let Unwind::Plain(error) = &mut *unwind
        && error.issue == Some("TYPE_WRONG_VALUE")
    {
        let (kind, name) = (&object.kind.name, &slot.feature.name);
        let subject = error.subject.as_deref();
        let own = subject.filter(|subject| subject.object.as_ref() == Some(kind));
        let feature = own.and_then(|subject| subject.feature.as_ref());
        let reason = feature.filter(|(feature, _)| feature == name).map(|(_, reason)| reason);
        let reason = reason.unwrap_or(&error.message);
        let text = format!("set of '{name}' returned a wrong value: {reason}");
        let new = PlainError::of_object("TYPE_BAD_SETTER", kind, text);
        (error.issue, error.message, error.subject) = (new.issue, new.message, new.subject);
    }
    unwind
}

/// The objects that the links of a feature refer to.
fn follow(
    object: &Instance,
    slot: &Slot,
    links: &crate::types::models::Links,
    texts: &[EcoString],
) -> EvalResult {
    let mut out = Vec::with_capacity(texts.len());
    for text in texts {
        let target = links.resolve(text).map(Value::Instance);
        let Some(target) = target.filter(|target| fits(slot, target)) else {
            let (kind, name) = (&object.kind.name, &slot.feature.name);
            let text = format!("there is no {} for the link '{text}'", slot.kind);
            let error = PlainError::of_feature("TYPE_UNRESOLVED_LINK", (kind, name), ": ", text);
            return Err(error.into());
        };
        out.push(target);
    }
    Ok(if slot.is_many { Value::array(out) } else { out.into_iter().next().unwrap_or_default() })
}
