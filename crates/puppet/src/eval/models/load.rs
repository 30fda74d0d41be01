//! Objects from plain data: the inverse of [`crate::types::models::to_data`].

use std::sync::Arc;

use ecow::{EcoString, eco_format};
use ordain_data::Value as Data;
use rustc_hash::FxHashMap;

use crate::error::{EvalError, EvalResult, PlainError, Unwind, issue};
use crate::state::Compiler;
use crate::state::frame::final_error;
use crate::types::models::{Document, Instance, Links, PREF, PTYPE, Slot, State};
use crate::value::Value;

impl Compiler<'_> {
    /// Makes a value of plain data, in which objects are maps with the name of their type. Values
    /// are checked without running setters. Invariants are checked when all objects exist.
    ///
    /// # Errors
    /// When a value does not fit. Links that lead nowhere are errors when they are followed.
    pub fn objects_from_data(&mut self, data: &Data) -> EvalResult {
        let (value, errors) = load(self, data);
        match errors.into_iter().next() {
            Some((_, first)) => Err(first),
            None => Ok(value),
        }
    }

    /// As [`Compiler::objects_from_data`], with links followed. Returns all errors, each with the
    /// path in the data.
    pub(crate) fn objects_of_document(&mut self, data: &Data) -> (Value, Vec<(Path, EvalError)>) {
        let (value, mut errors) = load(self, data);
        if errors.is_empty() {
            self.dangling_links(&value, Path::new(), &mut errors);
        }
        let errors = errors.into_iter().map(|(path, unwind)| (path, final_error(unwind)));
        (value, errors.collect())
    }

    /// Follows all links of an object and of its parts.
    ///
    /// # Errors
    /// When a link has no target.
    pub fn resolve_links(&mut self, value: &Value) -> EvalResult<()> {
        let mut errors = Errors::new();
        self.dangling_links(value, Path::new(), &mut errors);
        errors.into_iter().next().map_or(Ok(()), |(_, unwind)| Err(unwind))
    }

    /// The links of an object and of its parts without a target.
    fn dangling_links(&mut self, value: &Value, path: Path, errors: &mut Errors) {
        match value {
            Value::Array(items) => {
                for (i, item) in items.iter().enumerate() {
                    self.dangling_links(item, step(&path, i), errors);
                }
            }
            Value::Instance(object) => {
                for i in 0..object.layout().slots.len() {
                    let feature = &object.layout().slots[i].feature;
                    let path = step(&path, &feature.name);
                    if object.links().is_some_and(|links| links.of(i).is_some()) {
                        let read = self.read_feature(object, i);
                        errors.extend(read.err().map(|unwind| (path, unwind)));
                    } else if feature.is_containment()
                        && let Some(part) = object.kept(i).cloned()
                    {
                        self.dangling_links(&part, path, errors);
                    }
                }
            }
            _ => {}
        }
    }
}

/// The path of a part of data: keys and positions.
pub(crate) type Path = Vec<String>;
/// Errors about parts of data, by path.
type Errors = Vec<(Path, Box<Unwind>)>;

fn step(path: &Path, next: impl ToString) -> Path {
    let mut out = path.clone();
    out.push(next.to_string());
    out
}

/// The steps of a path in the notation of links.
fn steps(path: &str) -> Path {
    path.split('/').skip(1).filter(|step| !step.is_empty()).map(str::to_owned).collect()
}

/// The maximal number of reported errors of a document.
const MAX_ERRORS: usize = 100;

fn load(compiler: &mut Compiler<'_>, data: &Data) -> (Value, Errors) {
    let document = Arc::default();
    let mut loading = Loading { compiler, document, made: Vec::new(), errors: Vec::new() };
    let value = loading.value(data, &EcoString::from("#"), 0);
    let Loading { compiler, document, made, mut errors } = loading;
    let value = match value {
        Ok(value) => value,
        Err(unwind) => {
            errors.push((Path::new(), unwind));
            return (Value::Undef, errors);
        }
    };
    let mut known = FxHashMap::default();
    for (path, object) in &made {
        let path = if path == "#" { "#/".into() } else { path.clone() };
        known.insert(path, Arc::downgrade(object));
        if let Some(name) = object.link_name() {
            known.insert(name, Arc::downgrade(object));
        }
    }
    // Nothing asked for a link before.
    let _ = document.set(known);
    for (path, object) in &made {
        if errors.len() >= MAX_ERRORS {
            break;
        }
        // An error in a part may be the reason why something is missing.
        let own = steps(path);
        if errors.iter().any(|(at, _)| at.starts_with(&own)) {
            continue;
        }
        let result = compiler.enough(object).and_then(|()| compiler.invariants(object));
        errors.extend(result.err().map(|unwind| (own, unwind)));
    }
    (value, errors)
}

/// The maximal nesting of data.
const MAX_DEPTH: usize = 500;

struct Loading<'a, 'e> {
    compiler: &'a mut Compiler<'e>,
    document: Arc<Document>,
    /// The objects with their paths, in the order of the document.
    made: Vec<(EcoString, Arc<Instance>)>,
    /// The errors so far.
    errors: Errors,
}

impl Loading<'_, '_> {
    fn value(&mut self, data: &Data, path: &EcoString, depth: usize) -> EvalResult {
        if depth > MAX_DEPTH {
            return issue("TYPE_WRONG_VALUE", "the data is nested too deeply");
        }
        match data {
            Data::List(items) => {
                let mut out = Vec::with_capacity(items.len());
                for (i, item) in items.iter().enumerate() {
                    out.push(self.value(item, &eco_format!("{path}/{i}"), depth + 1)?);
                }
                Ok(Value::array(out))
            }
            Data::Map(entries) => {
                let name = entries.iter().find(|(k, _)| k.as_str() == Some(PTYPE));
                match name.and_then(|(_, name)| name.as_str()) {
                    Some(name) => self.typed(name, data, path, depth),
                    None => {
                        let mut out = crate::value::HashValue::default();
                        for (key, value) in entries.iter() {
                            let path = eco_format!("{path}/{}", key.as_str().unwrap_or_default());
                            let value = self.value(value, &path, depth + 1)?;
                            out.insert(crate::value::rich::from_data(key), value);
                        }
                        Ok(Value::Hash(Arc::new(out)))
                    }
                }
            }
            other => Ok(crate::value::rich::from_data(other)),
        }
    }

    fn typed(&mut self, name: &str, data: &Data, path: &EcoString, depth: usize) -> EvalResult {
        let Some(kind) = self.compiler.model_named(&name.to_lowercase())? else {
            // Data of another type is not converted.
            return Ok(crate::value::rich::from_data(data));
        };
        self.compiler.layout(&kind)?;
        let Data::Map(entries) = data else { return Ok(Value::Undef) };
        if kind.model.as_ref().is_some_and(|m| m.model.is_abstract) {
            let text = format!("Can not create an instance of abstract type '{name}'");
            return issue("TYPE_ABSTRACT", text);
        }
        let object = Arc::new(Instance::unfinished(kind, usize::MAX));
        self.made.push((path.clone(), Arc::clone(&object)));
        let layout = object.layout();
        let mut state =
            State { values: vec![None; layout.slots.len()].into_boxed_slice(), ..State::default() };
        let mut texts = Vec::new();
        for (key, value) in entries.iter() {
            let key = key.as_str().unwrap_or_default();
            if key == PTYPE {
                continue;
            }
            let path = eco_format!("{path}/{key}");
            let result = self.entry(&object, key, value, (&path, depth), &mut state, &mut texts);
            if let Err(unwind) = result {
                self.errors.push((steps(&path), unwind));
                if self.errors.len() >= MAX_ERRORS {
                    break;
                }
            }
        }
        if !texts.is_empty() {
            let document = Arc::clone(&self.document);
            state.links = Some(Box::new(Links { document, texts }));
        }
        // It was just made.
        let _ = object.state.set(state);
        Ok(Value::Instance(object))
    }

    /// One feature of an object.
    fn entry(
        &mut self,
        object: &Arc<Instance>,
        key: &str,
        value: &Data,
        (path, depth): (&EcoString, usize),
        state: &mut State,
        texts: &mut Vec<(usize, Vec<EcoString>)>,
    ) -> EvalResult<()> {
        let at = self.compiler.feature_named(&object.kind, key)?;
        let slot = Arc::clone(&object.layout().slots[at]);
        if slot.derived.is_some() {
            let text = format!("feature '{key}' can not be set");
            return Err(PlainError::of_object("TYPE_NOT_SETABLE", &object.kind.name, text).into());
        }
        if slot.feature.is_reference() && !slot.feature.is_containment() {
            let links = links_of(object, &slot, value)?;
            state.values[at] =
                Some(Value::array(links.iter().map(|text| Value::Str(text.clone()))));
            texts.push((at, links));
            return Ok(());
        }
        state.values[at] = self.kept(object, &slot, value, path, depth)?;
        Ok(())
    }

    fn kept(
        &mut self,
        object: &Arc<Instance>,
        slot: &Arc<Slot>,
        data: &Data,
        path: &EcoString,
        depth: usize,
    ) -> EvalResult<Option<Value>> {
        let (items, is_list) = match data {
            Data::List(items) if slot.is_many => (items.as_slice(), true),
            Data::Null => return Ok(slot.feature.unsettable.then_some(Value::Undef)),
            single => (std::slice::from_ref(single), false),
        };
        let mut out = Vec::with_capacity(items.len());
        for (i, item) in items.iter().enumerate() {
            let path = if is_list { eco_format!("{path}/{i}") } else { path.clone() };
            let value = self.value(item, &path, depth + 1).and_then(|value| {
                self.compiler.element(object, slot, value, slot.is_many.then_some(i))
            });
            let value = match value {
                Ok(value) => value,
                // The other items are read as well, to report all errors.
                Err(unwind) if is_list && self.errors.len() < MAX_ERRORS => {
                    self.errors.push((steps(&path), unwind));
                    continue;
                }
                Err(unwind) => return Err(unwind),
            };
            if let (Value::Instance(part), true) = (&value, slot.feature.is_containment()) {
                let name = eco_format!("{} ({})", object.kind.name, slot.feature.name);
                if let Err(known) = part.enter(name) {
                    let text = format!("{} is already contained in {known}", part.kind.name);
                    return issue("TYPE_ALREADY_CONTAINED", text);
                }
            }
            out.push(value);
        }
        if !slot.is_many {
            return Ok(out.into_iter().next());
        }
        let most = slot.feature.multiplicity.upper;
        if let Some(most) = most.filter(|most| out.len() as i64 > *most) {
            let (kind, name) = (&object.kind.name, &slot.feature.name);
            let text = format!("feature '{name}' takes at most {most} values, got {}", out.len());
            return Err(PlainError::of_object("TYPE_TOO_MANY", kind, text).into());
        }
        let keeps = !out.is_empty() || slot.feature.unsettable;
        Ok(keeps.then(|| Value::array(out)))
    }
}

/// The targets of the links of a feature.
fn links_of(object: &Instance, slot: &Slot, data: &Data) -> EvalResult<Vec<EcoString>> {
    let items = match data {
        Data::List(items) => items.as_slice(),
        Data::Null => &[],
        single => std::slice::from_ref(single),
    };
    let text = |item: &Data| match item {
        Data::Map(entries) => {
            let entry = entries.iter().find(|(k, _)| k.as_str() == Some(PREF));
            entry.and_then(|(_, text)| text.as_str()).map(EcoString::from)
        }
        _ => None,
    };
    let all: Option<Vec<EcoString>> = items.iter().map(text).collect();
    match all {
        Some(all) => Ok(all),
        None => {
            let (kind, name) = (&object.kind.name, &slot.feature.name);
            let text = format!("expects a link, {{\"{PREF}\": \"...\"}}");
            Err(PlainError::of_feature("TYPE_WRONG_VALUE", (kind, name), " ", text).into())
        }
    }
}
