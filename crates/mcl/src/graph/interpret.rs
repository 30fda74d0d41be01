//! Turns the values of a complete function graph into resources and edges.

use ordain_source::{Span, budget};
use rustc_hash::FxHashSet;

use super::autoedge;
use super::build::{LiveStatement, Source, Statements};
use super::duplicates::{check_exports, gather};
use super::edges::{EdgeRequest, MAX_EDGES, TOO_MANY_EDGES, acyclic, connect};
use super::meta::Meta;
use super::problems::{explained, fail, fits, problem};
use super::resource::{Resource, Resources};
use crate::eval::Engine;
use crate::failure::Failure;
use crate::functions::Environment;
use crate::ir::{EntryStepKind, HalfStep, IrKind, Program, ResourceStep, Step};
use crate::value::Value;

/// Turns the values of a graph into resources.
pub(super) fn interpret(
    program: &Program,
    engine: &Engine,
    live: &[LiveStatement],
    environment: &dyn Environment,
) -> Result<Resources, Vec<Failure>> {
    let mut interpreter = Interpreter {
        program,
        engine,
        made: Vec::new(),
        asked: Vec::new(),
        late: Vec::new(),
        found: Vec::new(),
    };
    interpreter.statements(live);
    let Interpreter { made, mut asked, late, found, .. } = interpreter;
    if !found.is_empty() {
        return Err(found);
    }
    // Edges in the bodies of resources come before the edges of the program.
    asked.extend(late);
    let mut resources = Resources::default();
    let by_name = gather(made, &mut resources)?;
    check_exports(&resources)?;
    connect(&mut resources, &by_name, asked)?;
    autoedge::add(&mut resources, environment).map_err(|failure| vec![failure])?;
    acyclic(&resources).map_err(|failure| vec![failure])?;
    Ok(resources)
}

struct Interpreter<'a> {
    program: &'a Program,
    engine: &'a Engine,
    made: Vec<Resource>,
    /// Edges from the bodies of resources.
    asked: Vec<EdgeRequest>,
    /// Edges of the program.
    late: Vec<EdgeRequest>,
    found: Vec<Failure>,
}

impl Interpreter<'_> {
    fn value(&self, source: Source) -> Option<&Value> {
        match source {
            Source::Const(id) => match &self.program.ir[id].kind {
                IrKind::Const(value) => Some(value),
                _ => None,
            },
            Source::Node(node) => self.engine.value(node),
        }
    }

    fn statements(&mut self, live: &[LiveStatement]) {
        for statement in live {
            match &self.program.steps[statement.step] {
                Step::Resource(step) => self.resource(step, &statement.values),
                Step::Edge(halves, span) => self.edges(halves, &statement.values, *span),
                Step::If(..) | Step::For(_) => {
                    let Some(Source::Node(control)) = statement.values.first() else { continue };
                    let engine = self.engine;
                    for payload in engine.payloads(*control) {
                        if let Some(Statements(inner)) = payload.downcast_ref() {
                            self.statements(inner);
                        }
                    }
                }
            }
        }
    }

    /// The names in a value, without duplicates.
    fn names(&self, source: Source) -> Vec<String> {
        match self.value(source) {
            Some(Value::Str(text)) => vec![text.to_string()],
            Some(Value::List(items)) => {
                let mut known = FxHashSet::default();
                let texts = items.iter().filter_map(|item| match item {
                    Value::Struct(fields) => fields.get("name").and_then(Value::as_str),
                    item => item.as_str(),
                });
                let texts = texts.map(|text| text.to_string());
                texts.filter(|text| known.insert(text.clone())).collect()
            }
            _ => Vec::new(),
        }
    }

    fn edges(&mut self, halves: &[HalfStep], values: &[Source], span: Span) {
        for (pair, values) in halves.windows(2).zip(values.windows(2)) {
            let sends = match (&pair[0].field, &pair[1].field) {
                (Some(sent), Some(field)) => Some((sent.to_string(), field.to_string())),
                _ => None,
            };
            let (from, to) = (self.names(values[0]), self.names(values[1]));
            if !self.has_room(from.len().saturating_mul(to.len()), span) {
                return;
            }
            for from in &from {
                for to in &to {
                    self.late.push(EdgeRequest {
                        from: (pair[0].kind.to_string(), from.clone()),
                        to: (pair[1].kind.to_string(), to.clone()),
                        notify: false,
                        sends: sends.clone(),
                        span,
                        place: span,
                    });
                }
            }
        }
    }

    /// Counts edges; an error if there are too many.
    fn has_room(&mut self, more: usize, span: Span) -> bool {
        let has_room = (self.asked.len() + self.late.len()).saturating_add(more)
            <= budget::scaled_size(MAX_EDGES);
        if !has_room {
            self.refuse(TOO_MANY_EDGES, span);
        }
        has_room
    }

    fn refuse(&mut self, text: impl Into<String>, span: Span) {
        self.found.push(fail(text, span));
    }

    fn resource(&mut self, step: &ResourceStep, values: &[Source]) {
        let Some(name) = values.first() else { return };
        if step.kind == "_panic" {
            self.refuse("panic", step.span);
            return;
        }
        let names = self.names(*name);
        let Some(kind) = step.known else {
            if step.collect.is_none() {
                let shown = names.first().map_or("", String::as_str);
                let text = format!(
                    "error building resource: cannot create resource kind `{0}` with name `{shown}`: \
                     no resource kind `{0}` available",
                    step.kind
                );
                self.found.push(Failure::unknown_kind(text, &step.kind, step.span));
            }
            return;
        };
        let mut template = Resource {
            kind,
            name: String::new(),
            fields: vec![None; kind.kind.fields.len()],
            meta: Meta::default(),
            receives: Vec::new(),
            span: step.span,
            field_spans: vec![None; kind.kind.fields.len()],
            included: step.included.clone(),
        };
        let before = self.found.len();
        let first = 1 + usize::from(step.collect.is_some());
        let edges = self.entries(step, values.get(first..).unwrap_or_default(), &mut template);
        if self.found.len() > before {
            return;
        }
        if step.collect.is_some() {
            self.collected(step, values.get(1).copied(), &template);
            return;
        }
        if !self.has_room(names.len().saturating_mul(edges.len()), step.span) {
            return;
        }
        for name in names {
            self.finish(&template, name, &edges);
        }
    }

    /// Each name makes a resource.
    fn finish(&mut self, template: &Resource, name: String, edges: &[BodyEdge]) {
        let mut resource = template.clone();
        resource.name = name;
        let kind = resource.kind.kind.name;
        for edge in edges {
            let own = (kind.to_owned(), resource.name.clone());
            let other = (edge.kind.clone(), edge.name.clone());
            let (from, to) = if edge.from_own { (own, other) } else { (other, own) };
            let (notify, span) = (edge.notify, edge.span);
            let place = resource.span;
            self.asked.push(EdgeRequest { from, to, notify, sends: None, span, place });
        }
        if let Some(text) = problem(&resource) {
            self.found.push(explained(text, &resource));
            return;
        }
        self.made.push(resource);
    }

    /// The resources that other hosts export, with the fields that the statement adds.
    fn collected(&mut self, step: &ResourceStep, source: Option<Source>, template: &Resource) {
        let Some(found) = source.and_then(|source| self.value(source)).cloned() else { return };
        for item in found.as_list().unwrap_or_default() {
            let Value::Struct(item) = item else { continue };
            let text =
                |name: &str| item.get(name).and_then(Value::as_str).map(|text| text.to_string());
            let (Some(name), Some(data)) = (text("name"), text("data")) else { continue };
            match crate::exports::decode(template, &data) {
                Ok(resource) => self.finish(&resource, name, &[]),
                Err(cause) => {
                    let text = format!("could not collect {}[{name}]: {cause}", step.kind);
                    self.refuse(text, step.span);
                }
            }
        }
    }

    /// Reads the body of a resource into it and returns the edges.
    fn entries(
        &mut self,
        step: &ResourceStep,
        values: &[Source],
        into: &mut Resource,
    ) -> Vec<BodyEdge> {
        let mut edges = Vec::new();
        let mut values = values.iter();
        for entry in &step.entries {
            let Some(value) = values.next() else { break };
            if entry.condition.is_some() {
                let condition = values.next().and_then(|source| self.value(*source));
                if condition.and_then(Value::as_bool) != Some(true) {
                    continue;
                }
            }
            match &entry.kind {
                EntryStepKind::Edge(property, half) => {
                    for name in self.names(*value) {
                        edges.push(BodyEdge {
                            kind: half.kind.to_string(),
                            name,
                            from_own: matches!(property.as_str(), "before" | "notify"),
                            notify: matches!(property.as_str(), "notify" | "listen"),
                            span: entry.span,
                        });
                    }
                }
                EntryStepKind::Field(at, _) => {
                    let Some(value) = self.value(*value).cloned() else { continue };
                    let Some(field) = into.kind.kind.fields.get(*at) else { continue };
                    if let Err(text) = fits(field.width, &value) {
                        let text = format!("error building resource: {text}");
                        self.refuse(text, entry.span);
                    }
                    into.fields[*at] = Some(value);
                    into.field_spans[*at] = Some(entry.span);
                }
                EntryStepKind::Meta(name, _) => {
                    let Some(value) = self.value(*value).cloned() else { continue };
                    self.meta(into, name, &value, entry.span);
                }
                EntryStepKind::MetaStruct(_) => {
                    let Some(Value::Struct(all)) = self.value(*value).cloned() else { continue };
                    for (name, value) in all.fields() {
                        self.meta(into, name, value, entry.span);
                    }
                }
            }
        }
        edges
    }

    fn meta(&mut self, into: &mut Resource, name: &str, value: &Value, span: Span) {
        if let Err(text) = into.meta.set(name, value) {
            let text = format!("error generating metaparams: {text}");
            self.found.push(fail(text, span).placeless());
        }
    }
}

/// An edge in the body of a resource.
struct BodyEdge {
    kind: String,
    name: String,
    /// Whether it goes from the resource to the other.
    from_own: bool,
    notify: bool,
    span: Span,
}
