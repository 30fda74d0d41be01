//! What is wrong with resources whose names and values stand in the program as they are: it is known
//! without a run.

use rustc_hash::{FxHashMap, FxHashSet};

use ordain_source::suggest;

use super::interpret::{self, Resource};
use super::meta::Meta;
use super::validate;
use crate::failure::{Failure, Phase};
use crate::ir::{EntryStepKind, HalfStep, IrId, IrKind, Program, ResourceStep, Step, StepId};
use crate::resources::Known;
use crate::value::Value;

/// How many definitions in a row are followed to a value.
const MOST_STEPS: u32 = 64;

/// Something that is wrong.
pub struct Found {
    /// What it is.
    pub failure: Failure,
    /// Whether it is met in every run, and not only on a condition.
    pub is_certain: bool,
}

/// What every run of a program will find wrong with its resources, as far as their values are known.
pub fn check(program: &Program) -> Vec<Found> {
    let mut checker = Checker { program, named: FxHashMap::default(), found: Vec::new() };
    checker.names(&program.body);
    checker.steps(&program.body, true);
    checker.found
}

/// The names that resources of a kind have.
#[derive(Default)]
struct Named {
    known: FxHashSet<String>,
    /// Whether there may be others.
    is_open: bool,
}

struct Checker<'p> {
    program: &'p Program,
    named: FxHashMap<String, Named>,
    found: Vec<Found>,
}

impl Checker<'_> {
    /// The value of an expression, if it stands in the program.
    fn value(&self, id: IrId, steps: u32) -> Option<Value> {
        let steps = steps.checked_sub(1)?;
        match &self.program.ir[id].kind {
            IrKind::Const(value) => Some(value.clone()),
            IrKind::Text(inner) => self.value(*inner, steps),
            IrKind::Def(def) => self.value(self.program.defs[def.0 as usize].value, steps),
            _ => None,
        }
    }

    /// The texts that name resources.
    fn texts(&self, id: IrId) -> Option<Vec<String>> {
        if let IrKind::List(items) = &self.program.ir[id].kind {
            let one = |item: &IrId| self.value(*item, MOST_STEPS)?.as_str().map(|t| t.to_string());
            return items.iter().map(one).collect();
        }
        let value = self.value(id, MOST_STEPS)?;
        value.as_str().map(|text| vec![text.to_string()])
    }

    /// Collects the names of all resources.
    fn names(&mut self, steps: &[StepId]) {
        let mut left: Vec<StepId> = steps.to_vec();
        while let Some(step) = left.pop() {
            match &self.program.steps[step] {
                Step::Resource(step) => {
                    let texts = self.texts(step.name).filter(|_| step.collect.is_none());
                    let named = self.named.entry(step.kind.to_string()).or_default();
                    match texts {
                        Some(texts) => named.known.extend(texts),
                        None => named.is_open = true,
                    }
                }
                Step::If(_, then, other) => left.extend(then.iter().chain(other.iter())),
                Step::For(step) => left.extend(step.body.iter()),
                Step::Edge(..) => {}
            }
        }
    }

    fn steps(&mut self, steps: &[StepId], is_certain: bool) {
        let program = self.program;
        for step in steps {
            match &program.steps[*step] {
                Step::Resource(step) => self.resource(step, is_certain),
                Step::Edge(halves, _) => {
                    for half in halves {
                        self.end(half, is_certain);
                    }
                }
                Step::If(condition, then, other) => {
                    let known = self.value(*condition, MOST_STEPS).and_then(|v| v.as_bool());
                    if known != Some(false) {
                        self.steps(then, is_certain && known.is_some());
                    }
                    if known != Some(true) {
                        self.steps(other, is_certain && known.is_some());
                    }
                }
                Step::For(step) => self.steps(&step.body, false),
            }
        }
    }

    fn add(&mut self, failure: Failure, is_certain: bool) {
        self.found.push(Found { failure, is_certain });
    }

    /// An end of an edge that no resource can be.
    fn end(&mut self, half: &HalfStep, is_certain: bool) {
        let Some(texts) = self.texts(half.name) else { return };
        let named = self.named.get(half.kind.as_str());
        if named.is_some_and(|named| named.is_open) {
            return;
        }
        for text in texts {
            if named.is_some_and(|named| named.known.contains(&text)) {
                continue;
            }
            let message = format!("edge cannot find resource kind: {} named: `{text}`", half.kind);
            let mut known: Vec<&str> =
                named.iter().flat_map(|n| n.known.iter().map(String::as_str)).collect();
            known.sort_unstable();
            let near = suggest::nearest(&text, known).map(ToOwned::to_owned);
            let failure = Failure::new(Phase::Interpret, message, half.span).meaning(near);
            self.add(failure, is_certain);
            return;
        }
    }

    fn resource(&mut self, step: &ResourceStep, is_certain: bool) {
        for entry in &step.entries {
            if let EntryStepKind::Edge(_, half) = &entry.kind {
                self.end(half, is_certain && entry.condition.is_none());
            }
        }
        if step.kind == "_panic" || step.collect.is_some() {
            return;
        }
        let Some(kind) = step.known else {
            let text = format!("no resource kind `{}` available", step.kind);
            return self.add(interpret::unknown_kind(text, &step.kind, step.span), is_certain);
        };
        let (template, is_whole) = self.template(step, kind, is_certain);
        if template.meta.hidden {
            return;
        }
        for name in self.texts(step.name).unwrap_or_default() {
            let resource = Resource { name, ..template.clone() };
            let Some(text) = interpret::problem(&resource) else { continue };
            let failure = interpret::explained(text, &resource);
            if is_whole || is_of_one_field(&resource, &failure) {
                return self.add(failure, is_certain);
            }
        }
    }

    /// A resource with the fields whose values are known, and whether these are all.
    fn template(
        &mut self,
        step: &ResourceStep,
        kind: &'static Known,
        is_certain: bool,
    ) -> (Resource, bool) {
        let count = kind.kind.fields.len();
        let mut out = Resource {
            kind,
            name: String::new(),
            fields: vec![None; count],
            meta: Meta::default(),
            receives: Vec::new(),
            span: step.span,
            field_spans: vec![None; count],
            included: step.included.clone(),
        };
        let mut is_whole = true;
        for entry in &step.entries {
            if let EntryStepKind::Edge(..) = entry.kind {
                continue;
            }
            let value = self.value(entry.kind.value(), MOST_STEPS);
            let Some(value) = value.filter(|_| entry.condition.is_none()) else {
                is_whole = false;
                continue;
            };
            match &entry.kind {
                EntryStepKind::Field(at, _) if *at < count => {
                    if let Err(text) = interpret::fits(kind.kind.fields[*at].width, &value) {
                        let failure = Failure::new(Phase::Interpret, text, entry.span);
                        self.add(failure, is_certain);
                    }
                    out.fields[*at] = Some(value);
                    out.field_spans[*at] = Some(entry.span);
                }
                EntryStepKind::Meta(name, _) => {
                    if let Err(text) = out.meta.set(name, &value) {
                        let text = format!("error generating metaparams: {text}");
                        let failure = Failure::new(Phase::Interpret, text, entry.span);
                        self.add(failure, is_certain);
                    }
                }
                _ => is_whole = false,
            }
        }
        (out, is_whole)
    }
}

/// Whether an error is about one field by itself: its value is none of the words that it takes.
fn is_of_one_field(resource: &Resource, failure: &Failure) -> bool {
    let Some((span, _)) = failure.focus.as_deref() else { return false };
    let at = resource.field_spans.iter().position(|place| *place == Some(*span));
    at.is_some_and(|at| {
        let field = resource.kind.kind.fields[at].name;
        let words = validate::words_of(resource.kind.kind.name, field);
        !words.is_empty() && !words.contains(&resource.text(field).as_str())
    })
}
