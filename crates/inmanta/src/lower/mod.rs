//! Lowers exported resources to a graph.

mod handlers;
mod kinds;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use ecow::EcoString;
use ordain_data::Value as Data;
use ordain_graph::{
    Attribute, Containment, Edge, EdgeKind, Graph, Origin, OriginId, Resource, ResourceId,
    ResourceRef, Step,
};
use ordain_source::{Diagnostic, SourceMap};

use crate::diagnostics::span;
use crate::eval::{Layout, Net};
use crate::location::Location;
use crate::model::resource::{Export, Id, Resource as ModelResource};
pub use handlers::Handlers;
pub(crate) use handlers::is_secret_name;
use kinds::{Fields, Files, Mapped};

/// The code of diagnostics about resources that this machine cannot deploy.
const CODE: &str = "inmanta::deploy";
/// The placeholder for an unknown value.
const UNDEFINED: &str = "<<undefined>>";
/// The agents of the machine itself.
const OWN_NAMES: [&str; 2] = ["localhost", "internal"];

/// The resources of a model for this machine.
#[derive(Debug)]
pub struct Lowered {
    /// The graph.
    pub graph: Graph,
    /// Warnings and notes.
    pub notes: Vec<Diagnostic>,
    /// The agent whose resources these are.
    pub agent: Option<String>,
    /// The kinds of the resources that handlers of modules deploy.
    pub handled: BTreeSet<String>,
    /// The digests of the files that these handlers may ask for.
    pub files: BTreeSet<String>,
}

/// Lowers the resources of one agent: the given one, otherwise the only one, otherwise that of the
/// machine itself.
///
/// # Errors
/// If there are several agents and none is that of the machine, or if a resource cannot be deployed
/// here.
pub fn lower(
    net: &Net<'_>,
    exported: &Export,
    sources: &SourceMap,
    agent: Option<&str>,
    handlers: Handlers,
) -> Result<Lowered, Vec<Diagnostic>> {
    let chosen = chosen(&exported.resources, agent)?;
    let mut lowering = Lowering {
        net,
        sources,
        layout: Layout::of(net),
        graph: Graph::default(),
        notes: Vec::new(),
        errors: Vec::new(),
        ids: HashMap::new(),
        inner: Vec::new(),
        handlers,
        handled: BTreeSet::new(),
        needed_files: BTreeSet::new(),
    };
    lowering.graph.name = chosen.unwrap_or_default().into();
    let of_agent = |one: &&ModelResource| chosen.is_none_or(|agent| one.id.agent == agent);
    let own: Vec<&ModelResource> = exported.resources.iter().filter(of_agent).collect();
    let own = lowering.known(&own);
    for one in &own {
        if agent.is_none() && handlers == Handlers::None {
            lowering.refuse_remote(one);
        }
        lowering.add(one, &exported.files);
    }
    lowering.add_parents();
    lowering.edges(&own);
    for name in &exported.skipped {
        let text = format!("{name} is left out: it is not known yet");
        lowering.notes.push(Diagnostic::warning(CODE, text));
    }
    let Lowering { graph, notes, errors, handled, needed_files: files, .. } = lowering;
    let agent = chosen.map(str::to_owned);
    if errors.is_empty() {
        Ok(Lowered { graph, notes, agent, handled, files })
    } else {
        Err(errors)
    }
}

fn field<'a>(resource: &'a ModelResource, name: &str) -> Option<&'a Data> {
    Fields(&resource.fields).get(name)
}

/// The agent whose resources are lowered; `None` if there are no resources.
fn chosen<'a>(
    all: &'a [ModelResource],
    agent: Option<&'a str>,
) -> Result<Option<&'a str>, Vec<Diagnostic>> {
    let agents: BTreeSet<&str> = all.iter().map(|one| one.id.agent.as_str()).collect();
    let names = || agents.iter().copied().collect::<Vec<_>>().join(", ");
    if let Some(agent) = agent {
        if agents.contains(agent) || agents.is_empty() {
            return Ok(Some(agent));
        }
        let text = format!("the model has no resources for {agent}, only for {}", names());
        return Err(vec![Diagnostic::error(CODE, text)]);
    }
    if agents.len() < 2 {
        return Ok(agents.first().copied());
    }
    if let Some(own) = OWN_NAMES.into_iter().find(|name| agents.contains(name)) {
        return Ok(Some(own));
    }
    let text = format!("the model has resources for several agents: {}", names());
    Err(vec![Diagnostic::error(CODE, text).help("--node selects the agent")])
}

struct Lowering<'a, 'w> {
    net: &'a Net<'w>,
    sources: &'a SourceMap,
    layout: Layout,
    graph: Graph,
    notes: Vec<Diagnostic>,
    errors: Vec<Diagnostic>,
    /// The resources in the graph by id, and whether each one handles events.
    ids: HashMap<Arc<Id>, (ResourceId, bool)>,
    /// The resources that create their parent directories, with their paths.
    inner: Vec<(ResourceId, String)>,
    handlers: Handlers,
    handled: BTreeSet<String>,
    needed_files: BTreeSet<String>,
}

impl Lowering<'_, '_> {
    /// The resources without unknown values whose requirements have none either.
    fn known<'f>(&mut self, all: &[&'f ModelResource]) -> Vec<&'f ModelResource> {
        let mut users: HashMap<&Id, Vec<usize>> = HashMap::new();
        let mut left_out: HashSet<usize> = HashSet::new();
        let mut work = Vec::new();
        for (at, one) in all.iter().enumerate() {
            for needed in &one.requires {
                users.entry(needed).or_default().push(at);
            }
            if one.fields.values().any(is_undefined) {
                left_out.insert(at);
                work.push(at);
            }
        }
        while let Some(at) = work.pop() {
            for user in users.get(&*all[at].id).into_iter().flatten() {
                if left_out.insert(*user) {
                    work.push(*user);
                }
            }
        }
        let mut out = Vec::new();
        for (at, one) in all.iter().enumerate() {
            if !left_out.contains(&at) {
                out.push(*one);
                continue;
            }
            let name = one.id.without_version();
            let text = if one.fields.values().any(is_undefined) {
                format!("{name} is left out: one of its values is not known yet")
            } else {
                format!("{name} is left out: it requires a resource that is left out")
            };
            self.notes.push(Diagnostic::warning(CODE, text));
        }
        out
    }

    /// Reports a resource that is deployed over a connection.
    fn refuse_remote(&mut self, one: &ModelResource) {
        if let Some(method) = handlers::remote_method(Fields(&one.fields)) {
            let name = one.id.without_version();
            let text = format!("{name} is on another machine: it is reached by {method}");
            let help = "--node treats an agent's resources as those of this machine";
            self.errors.push(Diagnostic::error(CODE, text).help(help));
        }
    }

    /// A resource as the engine or its handler gets it.
    ///
    /// # Errors
    /// If it cannot be described to the engine.
    fn mapped(&self, one: &ModelResource, files: &Files) -> Result<Mapped, String> {
        let (entity, title, fields) = (&one.id.entity, &one.id.value, Fields(&one.fields));
        let needs_handler = || {
            !kinds::is_native(entity)
                || handlers::has_references(fields)
                || handlers::remote_method(fields).is_some()
        };
        let by_handler = match self.handlers {
            Handlers::Needed => needs_handler(),
            Handlers::All => true,
            Handlers::None if handlers::has_references(fields) => {
                return Err("it has references, which only its handler resolves".into());
            }
            Handlers::None => false,
        };
        if by_handler {
            return Ok(handlers::mapped(entity, title, fields));
        }
        kinds::mapped(entity, title, fields, files)
    }

    fn add(&mut self, one: &ModelResource, files: &Files) {
        let name = one.id.without_version();
        let mapped = match self.mapped(one, files) {
            Ok(mapped) => mapped,
            Err(why) => {
                self.errors.push(Diagnostic::error(CODE, format!("{name}: {why}")));
                return;
            }
        };
        if mapped.by_handler {
            self.handled.insert(mapped.kind.to_ascii_lowercase());
            for value in one.fields.values() {
                note_files(value, files, &mut self.needed_files);
            }
        }
        let id =
            ResourceRef { kind: mapped.kind.as_str().into(), title: mapped.title.as_str().into() };
        if self.graph.find(&id).is_some() {
            let text = format!("{name} is a second resource for {id}");
            self.errors.push(Diagnostic::error(CODE, text));
            return;
        }
        let (reloads, makes_parents) = (mapped.reloads, mapped.makes_parents);
        let resource = self.resource(id, mapped, one);
        let id = self.graph.add(resource);
        if makes_parents {
            self.inner.push((id, one.id.value.clone()));
        }
        self.ids.insert(one.id.clone(), (id, reloads));
    }

    /// Adds parent directories that the model does not declare. The engine creates a directory
    /// before its files.
    fn add_parents(&mut self) {
        for (inner, path) in std::mem::take(&mut self.inner) {
            let origin = self.graph.resource(inner).origin;
            let around: Vec<&Path> = Path::new(&path).ancestors().skip(1).collect();
            // The root directory always exists.
            for directory in around.iter().rev().skip(1) {
                let title = directory.to_string_lossy();
                let id = ResourceRef { kind: "File".into(), title: title.as_ref().into() };
                if self.graph.find(&id).is_some() {
                    continue;
                }
                let ensure = Attribute {
                    name: "ensure".into(),
                    value: Data::str("directory"),
                    origin,
                    losers: Vec::new(),
                };
                self.graph.add(Resource {
                    id,
                    containment: Containment::Leaf,
                    attributes: vec![ensure],
                    tags: Vec::new(),
                    exported: false,
                    is_virtual: false,
                    origin,
                });
            }
        }
    }

    fn resource(&mut self, id: ResourceRef, mapped: Mapped, one: &ModelResource) -> Resource {
        let made = one.instance.and_then(|instance| self.net.places(instance).first().copied());
        let origin = self.origin(Step::Declaration, made);
        let mut attributes = Vec::with_capacity(mapped.attributes.len());
        for (name, value, from) in mapped.attributes {
            let assignment = one.instance.and_then(|instance| self.net.assignment(instance, &from));
            let origin = match assignment {
                Some(assignment) => self.origin(Step::Declaration, Some(assignment.at)),
                None => origin,
            };
            let value = self.net.secrets.mark(value);
            attributes.push(Attribute { name: name.into(), value, origin, losers: Vec::new() });
        }
        let entity = EcoString::from(one.id.entity.to_lowercase());
        let mut resource = Resource {
            id,
            containment: Containment::Leaf,
            attributes,
            tags: vec![entity],
            exported: false,
            is_virtual: false,
            origin,
        };
        resource.keep_private();
        resource
    }

    /// The origin of a place, with the implementation around it as its parent.
    fn origin(&mut self, step: Step, at: Option<Location>) -> OriginId {
        let implementation = at.and_then(|at| self.layout.implementation(at));
        let parent = implementation.map(|number| {
            let found = &self.net.program.implementations[number as usize];
            let step = Step::Define(found.full_name.clone());
            let span = span(found.at, self.sources);
            self.graph.origins.intern(Origin { step, span, parent: None })
        });
        let span = at.and_then(|at| span(at, self.sources));
        self.graph.origins.intern(Origin { step, span, parent })
    }

    fn edges(&mut self, all: &[&ModelResource]) {
        let sends: HashMap<&Id, bool> = all
            .iter()
            .map(|one| {
                let sends = field(one, "send_event").and_then(Data::as_bool);
                (&*one.id, sends.unwrap_or_default())
            })
            .collect();
        for one in all {
            let Some(&(to, reloads)) = self.ids.get(&one.id) else { continue };
            let receives = field(one, "receive_events").and_then(Data::as_bool) != Some(false);
            let origin = self.graph.resource(to).origin;
            for needed in &one.requires {
                let Some(&(from, _)) = self.ids.get(needed) else { continue };
                let sends = sends.get(&**needed).copied().unwrap_or_default();
                let kind = match reloads && receives && sends {
                    true => EdgeKind::Notify,
                    false => EdgeKind::Before,
                };
                self.graph.edges.push(Edge { from, to, kind, origin });
            }
        }
    }
}

/// Notes the digests of files in a value.
fn note_files(value: &Data, files: &Files, found: &mut BTreeSet<String>) {
    match value {
        Data::Str(text) if files.contains_key(text.as_str()) => {
            found.insert(text.to_string());
        }
        Data::List(items) => items.iter().for_each(|item| note_files(item, files, found)),
        Data::Map(entries) => entries.values().for_each(|item| note_files(item, files, found)),
        _ => {}
    }
}

fn is_undefined(value: &Data) -> bool {
    match value {
        Data::Str(text) => text == UNDEFINED,
        Data::List(items) => items.iter().any(is_undefined),
        Data::Map(entries) => entries.values().any(is_undefined),
        _ => false,
    }
}

/// Converts a value of the model to data; instances become text.
pub fn data(value: &crate::value::Value, net: &Net<'_>) -> Data {
    use crate::value::Value;
    match value {
        Value::Null => Data::Null,
        Value::Bool(truth) => Data::Bool(*truth),
        Value::Int(number) => Data::Int(*number),
        Value::BigInt(number) => Data::BigInt(number.to_string().into()),
        Value::Float(number) => Data::Float(*number),
        Value::Str(text) => Data::str(text.clone()),
        Value::List(items) => Data::list(items.iter().map(|item| data(item, net))),
        Value::Dict(entries) => {
            Data::map(entries.iter().map(|(key, value)| (key.clone(), data(value, net))))
        }
        other => Data::str(other.repr(net)),
    }
}
