//! From the values of a finished graph to resources and the edges between them.

use std::sync::Arc;

use indexmap::IndexMap;
use ordain_source::{Span, TextRange, budget, suggest};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::autoedge;
use super::build::{Live, Source, Statements};
use super::cycle;
use super::meta::Meta;
use super::validate;
use crate::engine::Engine;
use crate::failure::{Failure, Phase};
use crate::functions::Surroundings;
use crate::ir::{EntryStepKind, HalfStep, Included, IrKind, Program, ResourceStep, Step};
use crate::resources::{self, Given, Kind, Known, Width};
use crate::value::Value;

/// What a resource receives into a field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Received {
    /// The field.
    pub field: String,
    /// The resource that sends it.
    pub from: usize,
    /// What it sends.
    pub key: String,
}

/// A resource.
#[derive(Clone, Debug)]
pub struct Resource {
    /// Its kind.
    pub kind: &'static Known,
    /// Its name.
    pub name: String,
    /// Its fields in the order of the kind; those that are not set have no value.
    pub fields: Vec<Option<Value>>,
    /// Its meta parameters.
    pub meta: Meta,
    /// What it receives.
    pub receives: Vec<Received>,
    /// Where it is declared.
    pub span: Span,
    /// Where its fields are set, in the order of the kind.
    pub field_spans: Vec<Option<Span>>,
    /// The classes that led to it.
    pub included: Option<Arc<Included>>,
}

impl Resource {
    /// `kind[name]`
    pub fn reference(&self) -> String {
        format!("{}[{}]", self.kind.kind.name, self.name)
    }

    /// The value of a field: what is set, or else its default; nothing if it is optional and unset.
    pub fn value(&self, field: &str) -> Option<Value> {
        let (at, field, ty) = self.kind.field(field)?;
        match self.fields.get(at)? {
            Some(value) => Some(value.clone()),
            None => match field.default {
                Given::Str(text) => Some(text.into()),
                Given::Int(number) => Some(Value::Int(number)),
                Given::Bool(flag) => Some(Value::Bool(flag)),
                Given::Zero if field.is_optional => None,
                Given::Zero => ty.zero(),
            },
        }
    }

    /// A field that is a text; empty if it is not set.
    pub fn text(&self, field: &str) -> String {
        let value = self.value(field);
        value.and_then(|v| v.as_str().map(|text| text.to_string())).unwrap_or_default()
    }

    /// A field that is a list of texts.
    pub fn texts(&self, field: &str) -> Vec<String> {
        let value = self.value(field);
        let items = value.as_ref().and_then(|v| v.as_list()).unwrap_or_default();
        items.iter().filter_map(|v| v.as_str()).map(|text| text.to_string()).collect()
    }
}

/// An edge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// Whether a change of the first refreshes the second.
    pub notify: bool,
    /// Where it is written; those that kinds ask for have none.
    pub span: Option<Span>,
    /// Whether it is a kind that asks for it.
    pub is_automatic: bool,
}

/// Resources and the edges between them, by their numbers.
#[derive(Clone, Default, Debug)]
pub struct Resources {
    /// The resources in program order.
    pub list: Vec<Resource>,
    /// The edges.
    pub edges: IndexMap<(usize, usize), Edge, FxBuildHasher>,
}

impl Resources {
    /// Whether these are the same resources with the same edges; where they are written may differ.
    pub fn is_same(&self, other: &Self) -> bool {
        let is_same = |(a, b): (&Resource, &Resource)| {
            let same_kind = a.kind.kind.name == b.kind.kind.name && a.name == b.name;
            same_kind && a.receives == b.receives && difference(a, b).is_none()
        };
        let flags = |(key, edge): (&(usize, usize), &Edge)| (*key, edge.notify, edge.is_automatic);
        self.list.len() == other.list.len()
            && self.list.iter().zip(&other.list).all(is_same)
            && self.edges.len() == other.edges.len()
            && self.edges.iter().map(flags).eq(other.edges.iter().map(flags))
    }

    /// The textual form of the original, sorted.
    pub fn lines(&self) -> Vec<String> {
        let names: Vec<String> = self.list.iter().map(Resource::reference).collect();
        let mut lines: Vec<String> = names.iter().map(|name| format!("Vertex: {name}")).collect();
        for (from, to) in self.edges.keys() {
            let (from, to) = (&names[*from], &names[*to]);
            lines.push(format!("Edge: {from} -> {to} # {from} -> {to}"));
        }
        let text = lines.join("\n");
        let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
        lines.retain(|line| !line.is_empty());
        lines.sort();
        lines
    }
}

/// The most edges that a program may ask for.
const MOST_EDGES: usize = 300_000;
const TOO_MANY_EDGES: &str =
    "the program asks for too many edges; `--limits 2` allows twice as many";

/// An edge that is asked for by name.
struct Asked {
    from: (String, String),
    to: (String, String),
    notify: bool,
    /// What is sent, and into which field.
    sends: Option<(String, String)>,
    span: Span,
    /// Where it is said that an end is missing.
    place: Span,
}

/// Makes resources of the values of a graph.
pub(super) fn interpret(
    program: &Program,
    engine: &Engine,
    live: &[Live],
    surroundings: &dyn Surroundings,
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
    // What stands in the body of a resource comes before the edges of the program.
    asked.extend(late);
    let mut resources = Resources::default();
    let by_name = gather(made, &mut resources)?;
    check_exports(&resources)?;
    connect(&mut resources, &by_name, asked)?;
    autoedge::add(&mut resources, surroundings).map_err(|failure| vec![failure])?;
    acyclic(&resources).map_err(|failure| vec![failure])?;
    Ok(resources)
}

/// The resources of each kind and name, hidden ones besides the one that is not.
type ByName = FxHashMap<(String, String), Vec<usize>>;

fn fail(text: impl Into<String>, span: Span) -> Failure {
    Failure::new(Phase::Interpret, text, span)
}

/// Equal resources become one.
fn gather(made: Vec<Resource>, into: &mut Resources) -> Result<ByName, Vec<Failure>> {
    let mut by_name = ByName::default();
    let mut found = Vec::new();
    for resource in made {
        let key = (resource.kind.kind.name.to_owned(), resource.name.clone());
        let known = by_name.entry(key).or_default();
        let twin = known
            .iter()
            .rev()
            .copied()
            .find(|at| into.list[*at].meta.hidden == resource.meta.hidden);
        if let Some(twin) = twin {
            match difference(&into.list[twin], &resource) {
                None => continue,
                Some(_) if resource.meta.hidden => {}
                Some(_) if resource.kind.kind.has("compatible") => {
                    match merged(&into.list[twin], &resource) {
                        Ok(state) => {
                            if let Some((at, ..)) = resource.kind.field("state") {
                                into.list[twin].fields[at] = Some(state);
                            }
                        }
                        Err(cause) => {
                            let text = format!(
                                "incompatible duplicate resource `{}` found: {cause}",
                                resource.reference()
                            );
                            let other = into.list[twin].span;
                            found.push(fail(text, resource.span).related(other, "the first one"));
                        }
                    }
                    continue;
                }
                Some(difference) => {
                    let reference = resource.reference();
                    let first = into.list[twin].span;
                    let exports = &resource
                        .meta
                        .export
                        .first()
                        .filter(|_| !into.list[twin].meta.export.is_empty());
                    let text = match exports {
                        Some(host) => format!(
                            "inequivalent duplicate export: {reference} to {host}: {difference}"
                        ),
                        None => format!(
                            "inequivalent duplicate resource `{reference}` found: {difference}"
                        ),
                    };
                    found.push(fail(text, resource.span).related(first, "the first one"));
                    continue;
                }
            }
        }
        known.push(into.list.len());
        into.list.push(resource);
    }
    if found.is_empty() { Ok(by_name) } else { Err(found) }
}

/// The state of two packages that are wanted in states that go together.
fn merged(a: &Resource, b: &Resource) -> Result<Value, String> {
    let others = a.kind.kind.fields.iter().filter(|field| field.name != "state");
    for field in others {
        let same = match (a.value(field.name), b.value(field.name)) {
            (Some(x), Some(y)) => x.is_same(&y),
            (x, y) => x.is_none() && y.is_none(),
        };
        if !same {
            let shown = |value: Option<Value>| value.map_or("nil".into(), |v| v.to_string());
            let (x, y) = (shown(a.value(field.name)), shown(b.value(field.name)));
            return Err(format!("{} differs: {x} vs {y}", field.name));
        }
    }
    let (x, y) = (a.text("state"), b.text("state"));
    let both = ["installed", "newest"];
    if x == y {
        return Ok(x.into());
    }
    if both.contains(&x.as_str()) && both.contains(&y.as_str()) {
        return Ok("newest".into());
    }
    Err(format!("state differs in an incompatible way: {x} vs {y}"))
}

/// What differs between two resources, in the original's words.
fn difference(a: &Resource, b: &Resource) -> Option<String> {
    let fields = a.kind.kind.fields.iter().enumerate();
    for (at, field) in fields {
        let same = match (&a.fields[at], &b.fields[at]) {
            (Some(x), Some(y)) => x.is_same(y),
            (None, None) => true,
            _ => match (a.value(field.name), b.value(field.name)) {
                (Some(x), Some(y)) => x.is_same(&y),
                (None, None) => true,
                _ => false,
            },
        };
        if !same {
            let is_content = a.kind.kind.name == "file" && field.print == "Content";
            return Some(if is_content {
                "the contents of Content differ".into()
            } else {
                format!("the {} differs", field.print)
            });
        }
    }
    a.meta.difference(&b.meta).map(|name| format!("values for {name} are different"))
}

/// Equal exports only.
fn check_exports(resources: &Resources) -> Result<(), Vec<Failure>> {
    let mut exports: FxHashMap<(&str, &str, &str), usize> = FxHashMap::default();
    for (at, resource) in resources.list.iter().enumerate() {
        for host in &resource.meta.export {
            let key = (resource.kind.kind.name, resource.name.as_str(), host.as_str());
            let Some(other) = exports.insert(key, at) else { continue };
            if let Some(difference) = difference(&resources.list[other], resource) {
                let text = format!(
                    "inequivalent duplicate export: {} to {host}: {difference}",
                    resource.reference()
                );
                return Err(vec![fail(text, resource.span)]);
            }
        }
    }
    Ok(())
}

fn connect(
    resources: &mut Resources,
    by_name: &ByName,
    asked: Vec<Asked>,
) -> Result<(), Vec<Failure>> {
    let mut found = Vec::new();
    for edge in asked {
        let ends = |key: &(String, String)| {
            by_name.get(key).cloned().ok_or_else(|| {
                let text = format!("edge cannot find resource kind: {} named: `{}`", key.0, key.1);
                fail(text, edge.place)
            })
        };
        let (from, to) = match (ends(&edge.from), ends(&edge.to)) {
            (Ok(from), Ok(to)) => (from, to),
            (Err(failure), _) | (_, Err(failure)) => {
                found.push(failure);
                continue;
            }
        };
        // Hidden resources may share a name: then one that is asked for is many.
        let more = from.len().saturating_mul(to.len());
        if resources.edges.len().saturating_add(more) > budget::scaled_size(MOST_EDGES)
            || budget::check().is_err()
        {
            found.push(fail(TOO_MANY_EDGES, edge.span));
            break;
        }
        for from in &from {
            for to in &to {
                let new = || Edge { notify: false, span: Some(edge.span), is_automatic: false };
                let entry = resources.edges.entry((*from, *to)).or_insert_with(new);
                entry.notify |= edge.notify;
                if let Some((sent, field)) = &edge.sends
                    && let Err(text) = receive(&mut resources.list, *from, *to, sent, field)
                {
                    found.push(fail(text, edge.span));
                }
            }
        }
    }
    if found.is_empty() { Ok(()) } else { Err(found) }
}

fn receive(
    list: &mut [Resource],
    from: usize,
    to: usize,
    sent: &str,
    field: &str,
) -> Result<(), String> {
    if list[from].meta.hidden {
        return Err(format!("cannot send from hidden resource: {}", list[from].reference()));
    }
    let new = Received { field: field.into(), from, key: sent.into() };
    let known = list[to].receives.iter().find(|received| received.field == field);
    match known {
        Some(known) if *known == new => Ok(()),
        Some(_) => {
            let reference = list[to].reference();
            Err(format!("resource: `{reference}` has duplicate receive on: `{field}` param"))
        }
        None => {
            list[to].receives.push(new);
            Ok(())
        }
    }
}

/// Refuses cycles, and says which resources are in one.
fn acyclic(resources: &Resources) -> Result<(), Failure> {
    let edges: Vec<(usize, usize)> = resources.edges.keys().copied().collect();
    let Some(cycle) = cycle::find(resources.list.len(), &edges) else { return Ok(()) };
    let links = cycle.windows(2).map(|pair| {
        let (from, to) = (&resources.list[pair[0]], &resources.list[pair[1]]);
        let edge = resources.edges.get(&(pair[0], pair[1]));
        (edge.and_then(|e| e.span).unwrap_or(from.span), from.reference(), to.reference())
    });
    Err(cycle::failure(resources.list[cycle[0]].span, links))
}

struct Interpreter<'a> {
    program: &'a Program,
    engine: &'a Engine,
    made: Vec<Resource>,
    /// Edges from the bodies of resources.
    asked: Vec<Asked>,
    /// Edges of the program.
    late: Vec<Asked>,
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

    fn statements(&mut self, live: &[Live]) {
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

    /// The names that a value stands for, each once.
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
                    self.late.push(Asked {
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

    /// Whether so many more edges may be asked for; if not, that is an error.
    fn has_room(&mut self, more: usize, span: Span) -> bool {
        let has_room = (self.asked.len() + self.late.len()).saturating_add(more)
            <= budget::scaled_size(MOST_EDGES);
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
                self.found.push(unknown_kind(text, &step.kind, step.span));
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

    /// A resource is made for each name.
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
            self.asked.push(Asked { from, to, notify, sends: None, span, place });
        }
        if let Some(text) = problem(&resource) {
            self.found.push(explained(text, &resource));
            return;
        }
        self.made.push(resource);
    }

    /// The resources that other hosts export, each with the fields that the statement adds.
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

    /// Reads the entries of a resource's body into it; gives the edges.
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

/// An edge that the body of a resource asks for.
struct BodyEdge {
    kind: String,
    name: String,
    /// Whether it goes from the resource to the other.
    from_own: bool,
    notify: bool,
    span: Span,
}

/// That there is no kind of a name.
pub(crate) fn unknown_kind(text: String, kind: &str, span: Span) -> Failure {
    let range = TextRange::new(span.range.start, span.range.start + kind.len() as u32);
    let failure = fail(text, span).pointing(range.in_file(span.file), "not a kind of resource");
    failure.meaning(resources::nearest(kind))
}

/// What is wrong with a resource, at the field that is to blame: the one without which nothing is.
pub(super) fn explained(text: String, resource: &Resource) -> Failure {
    let failure = fail(text, resource.span);
    let is_cured = |at: &usize| {
        let mut without = resource.clone();
        without.fields[*at] = None;
        problem(&without).is_none()
    };
    let set = (0..resource.fields.len()).filter(|at| resource.fields[*at].is_some());
    let blamed: Vec<usize> = set.filter(is_cured).collect();
    let [at] = blamed.as_slice() else { return failure };
    let Some(span) = resource.field_spans.get(*at).copied().flatten() else { return failure };
    let failure = failure.pointing(span, "");
    let field = resource.kind.kind.fields[*at].name;
    let words = validate::words_of(resource.kind.kind.name, field);
    let value = resource.text(field);
    match suggest::nearest(&value, words.iter().copied()) {
        Some(near) => failure.meaning(Some(near)),
        None if words.is_empty() => failure,
        None => Failure { help: Some(format!("it is one of: {}", words.join(", "))), ..failure },
    }
}

/// What is wrong with a resource.
pub(super) fn problem(resource: &Resource) -> Option<String> {
    let kind = resource.kind.kind.name;
    if resource.name.is_empty() {
        return Some(format!(
            "error building resource: cannot create resource kind `{kind}` with name ``: resource \
             name is empty"
        ));
    }
    let cause = if let Some(cause) = resource.meta.problem() {
        format!("the Res has an invalid meta param: {cause}")
    } else if resource.name.starts_with('$') && !resource.meta.dollar {
        "the Res name starts with a $".into()
    } else if resource.meta.hidden {
        return None;
    } else {
        validate::validate(resource)?
    };
    Some(format!("{} did not Validate: {cause}", resource.reference()))
}

/// Whether a number is in the range of a field.
pub(super) fn fits(width: Width, value: &Value) -> Result<(), String> {
    let (name, bits, is_signed) = match width {
        Width::Full | Width::F32 => return Ok(()),
        Width::I8 => ("int8", 8, true),
        Width::I16 => ("int16", 16, true),
        Width::I32 => ("int32", 32, true),
        Width::U8 => ("uint8", 8, false),
        Width::U16 => ("uint16", 16, false),
        Width::U32 => ("uint32", 32, false),
        Width::U64 => ("uint64", 64, false),
    };
    let Some(number) = value.as_int() else { return Ok(()) };
    if !is_signed && number < 0 {
        return Err(format!("can't store negative int `{number}` into unsigned `{name}` field"));
    }
    let (least, most) = match (is_signed, bits) {
        (true, bits) => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
        (false, bits) => (0, (1i128 << bits) - 1),
    };
    if (least..=most).contains(&i128::from(number)) {
        return Ok(());
    }
    Err(format!("0 is an `{name}`, and rv `{number}` will overflow it"))
}

/// Whether a kind is the one of this name.
pub(super) fn is_kind(kind: &Kind, name: &str) -> bool {
    kind.name == name
}
