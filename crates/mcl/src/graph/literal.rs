//! Finds errors in resources with literal names and values, without a run.

use std::collections::hash_map::Entry;

use rustc_hash::{FxHashMap, FxHashSet};

use ordain_source::{Span, suggest};

use super::cycle;
use super::duplicates;
use super::meta::Meta;
use super::resource::Resource;
use crate::failure::{Failure, Phase};
use crate::ir::{EntryStepKind, HalfStep, IrId, IrKind, Program, ResourceStep, Step, StepId};
use crate::resources::KindInfo;
use crate::value::Value;

/// The maximal number of definitions that are followed to a value.
const MAX_STEPS: u32 = 64;

/// Something that is wrong.
pub struct LiteralProblem {
    /// Its kind.
    pub failure: Failure,
    /// Whether it is reached unconditionally.
    pub is_certain: bool,
}

/// The errors in resources that every run will report, as far as values are known.
pub fn check(program: &Program) -> Vec<LiteralProblem> {
    let mut checker = Checker {
        program,
        named: FxHashMap::default(),
        found: Vec::new(),
        edges: Edges::default(),
        whole: FxHashMap::default(),
    };
    checker.names(&program.body);
    checker.steps(&program.body, true);
    checker.cycles();
    checker.found
}

/// The most cycles that are reported.
const MAX_CYCLES: usize = 20;

/// The maximal number of edges in the search for cycles.
const MAX_EDGES: usize = 300_000;

/// The edges that every run has.
#[derive(Default)]
struct Edges {
    /// The resources at their ends by kind and name, with the first place of each.
    numbers: FxHashMap<(String, String), usize>,
    nodes: Vec<(String, Span)>,
    list: Vec<(usize, usize)>,
    /// The first place of each.
    spans: FxHashMap<(usize, usize), Span>,
}

impl Edges {
    fn number(&mut self, kind: &str, name: &str, span: Span) -> usize {
        let next = self.nodes.len();
        let key = (kind.to_string(), name.to_string());
        let number = *self.numbers.entry(key).or_insert(next);
        if number == next {
            self.nodes.push((format!("{kind}[{name}]"), span));
        }
        number
    }

    fn add(&mut self, from: (&str, &[String]), to: (&str, &[String]), span: Span) {
        for first in from.1 {
            for second in to.1 {
                if self.list.len() >= MAX_EDGES {
                    return;
                }
                let edge = (self.number(from.0, first, span), self.number(to.0, second, span));
                if let Entry::Vacant(place) = self.spans.entry(edge) {
                    place.insert(span);
                    self.list.push(edge);
                }
            }
        }
    }
}

/// The names that resources of a kind have.
#[derive(Default)]
struct KnownNames {
    known: FxHashSet<String>,
    /// Whether there may be others.
    is_open: bool,
}

struct Checker<'p> {
    program: &'p Program,
    named: FxHashMap<String, KnownNames>,
    found: Vec<LiteralProblem>,
    edges: Edges,
    /// Resources that every run has, by kind and name, if all of their fields are known.
    whole: FxHashMap<(&'static str, String), Resource>,
}

impl Checker<'_> {
    /// The value of an expression, if it is a literal.
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
            let one = |item: &IrId| self.value(*item, MAX_STEPS)?.as_str().map(|t| t.to_string());
            return items.iter().map(one).collect();
        }
        let value = self.value(id, MAX_STEPS)?;
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
                Step::Edge(halves, span) => {
                    for half in halves {
                        self.end(half, is_certain);
                    }
                    if is_certain {
                        self.chain(halves, *span);
                    }
                }
                Step::If(condition, then, other) => {
                    let known = self.value(*condition, MAX_STEPS).and_then(|v| v.as_bool());
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
        self.found.push(LiteralProblem { failure, is_certain });
    }

    /// The resources at an end of an edge, if they are known.
    fn known_ends(&self, half: &HalfStep) -> Vec<String> {
        let named = self.named.get(half.kind.as_str());
        let is_known = |text: &String| named.is_some_and(|named| named.known.contains(text));
        let texts = self.texts(half.name).unwrap_or_default();
        texts.into_iter().filter(is_known).collect()
    }

    /// Collects the edges of a statement that is reached unconditionally.
    fn chain(&mut self, halves: &[HalfStep], span: Span) {
        for pair in halves.windows(2) {
            let (from, to) = (self.known_ends(&pair[0]), self.known_ends(&pair[1]));
            self.edges.add((&pair[0].kind, &from), (&pair[1].kind, &to), span);
        }
    }

    /// Collects the edges in the body of a resource that is reached unconditionally.
    fn body_edges(&mut self, step: &ResourceStep) {
        if step.collect.is_some() {
            return;
        }
        let own = self.texts(step.name).unwrap_or_default();
        for entry in step.entries.iter().filter(|entry| entry.condition.is_none()) {
            let EntryStepKind::Edge(property, half) = &entry.kind else { continue };
            let other = self.known_ends(half);
            let (own, other) = ((step.kind.as_str(), &own[..]), (half.kind.as_str(), &other[..]));
            match property.as_str() {
                "before" | "notify" => self.edges.add(own, other, entry.span),
                _ => self.edges.add(other, own, entry.span),
            }
        }
    }

    /// Reports cycles among unconditional edges, with each edge in at most one of them.
    fn cycles(&mut self) {
        let mut edges = std::mem::take(&mut self.edges);
        for _ in 0..MAX_CYCLES {
            let Some(cycle) = cycle::find(edges.nodes.len(), &edges.list) else { return };
            let links = cycle.windows(2).map(|pair| {
                let (from, to) = (pair[0], pair[1]);
                let span = edges.spans.get(&(from, to)).copied();
                let span = span.unwrap_or(edges.nodes[from].1);
                (span, edges.nodes[from].0.clone(), edges.nodes[to].0.clone())
            });
            let failure = cycle::failure(edges.nodes[cycle[0]].1, links);
            self.add(failure, true);
            edges.list.retain(|(from, to)| !(cycle.contains(from) && cycle.contains(to)));
        }
    }

    /// Reports an end of an edge that cannot exist.
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
        if is_certain {
            self.body_edges(step);
        }
        if step.kind == "_panic" || step.collect.is_some() {
            return;
        }
        let Some(kind) = step.known else {
            let text = format!("no resource kind `{}` available", step.kind);
            return self.add(Failure::unknown_kind(text, &step.kind, step.span), is_certain);
        };
        let (template, is_whole) = self.template(step, kind, is_certain);
        if template.meta.hidden {
            return;
        }
        for name in self.texts(step.name).unwrap_or_default() {
            let resource = Resource { name, ..template.clone() };
            let Some(text) = crate::graph::problems::problem(&resource) else {
                if is_certain && is_whole {
                    self.twin(resource);
                }
                continue;
            };
            let failure = crate::graph::problems::explained(text, &resource);
            if is_whole || is_of_one_field(&resource, &failure) {
                return self.add(failure, is_certain);
            }
        }
    }

    /// Reports a resource that is there twice with different fields.
    fn twin(&mut self, resource: Resource) {
        match self.whole.entry((resource.kind.kind.name, resource.name.clone())) {
            Entry::Vacant(place) => {
                place.insert(resource);
            }
            Entry::Occupied(first) => {
                if let Some(failure) = duplicates::conflict(first.get(), &resource) {
                    self.add(failure, true);
                }
            }
        }
    }

    /// A resource with its known fields, and whether all of its fields are known.
    fn template(
        &mut self,
        step: &ResourceStep,
        kind: &'static KindInfo,
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
            let value = self.value(entry.kind.value(), MAX_STEPS);
            let Some(value) = value.filter(|_| entry.condition.is_none()) else {
                is_whole = false;
                continue;
            };
            match &entry.kind {
                EntryStepKind::Field(at, _) if *at < count => {
                    if let Err(text) =
                        crate::graph::problems::fits(kind.kind.fields[*at].width, &value)
                    {
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

/// Whether an error concerns a single field, whose value is none of the allowed words.
fn is_of_one_field(resource: &Resource, failure: &Failure) -> bool {
    let Some((span, _)) = failure.focus.as_deref() else { return false };
    let at = resource.field_spans.iter().position(|place| *place == Some(*span));
    at.is_some_and(|at| {
        let field = resource.kind.kind.fields[at].name;
        let words = resource.kind.words(field);
        !words.is_empty() && !words.contains(&resource.text(field).as_str())
    })
}
