//! Exported resources as the graph that the engine takes.

mod kinds;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;

use ecow::EcoString;
use ordain_data::Value as Data;
use ordain_graph::{
    Attribute, Containment, Edge, EdgeKind, Graph, Origin, OriginId, Resource, ResourceId,
    ResourceRef, Step,
};
use ordain_source::{Diagnostic, SourceMap};

use crate::diagnose::span;
use crate::eval::{Layout, Net};
use crate::export::Id;
use crate::location::Location;
use crate::python::Exported;
use crate::value::InstanceId;
use kinds::{Fields, Files, Mapped};

/// The code of diagnostics about resources that cannot be deployed on this machine.
const CODE: &str = "inmanta::deploy";
/// The text in place of a value that is not known yet.
const UNDEFINED: &str = "<<undefined>>";
/// The names of agents that stand for the machine itself.
const OWN_NAMES: [&str; 2] = ["localhost", "internal"];
/// The ways to reach a host that stay on this machine.
const LOCAL: [&str; 4] = ["local", "sudo", "su", "doas"];

/// The resources of a model for this machine.
#[derive(Debug)]
pub struct Lowered {
    /// The graph.
    pub graph: Graph,
    /// Warnings and remarks.
    pub notes: Vec<Diagnostic>,
}

/// A resource of the export.
struct Found<'a> {
    id: Id,
    fields: Fields<'a>,
    instance: Option<InstanceId>,
    requires: Vec<&'a str>,
}

/// The graph of the resources that one agent deploys: the one that is named, else the only one, else that of the
/// machine itself.
///
/// # Errors
/// If there are several agents and none is this machine's, or a resource cannot be deployed here.
pub fn lower(
    net: &Net<'_>,
    exported: &Exported,
    sources: &SourceMap,
    agent: Option<&str>,
) -> Result<Lowered, Vec<Diagnostic>> {
    let all: Vec<Found<'_>> = exported
        .resources
        .iter()
        .enumerate()
        .filter_map(|(at, resource)| found(resource, exported.instances.get(at).copied()?))
        .collect();
    let chosen = chosen(&all, agent)?;
    let mut lowering = Lowering {
        net,
        sources,
        layout: Layout::of(net),
        graph: Graph::default(),
        notes: Vec::new(),
        errors: Vec::new(),
        ids: HashMap::new(),
        inner: Vec::new(),
    };
    lowering.graph.name = chosen.unwrap_or_default().into();
    let own: Vec<&Found<'_>> =
        all.iter().filter(|one| chosen.is_none_or(|agent| one.id.agent == agent)).collect();
    let own = lowering.known(&own);
    for one in &own {
        if agent.is_none() {
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
    let Lowering { graph, notes, errors, .. } = lowering;
    if errors.is_empty() { Ok(Lowered { graph, notes }) } else { Err(errors) }
}

fn found(resource: &Data, instance: Option<InstanceId>) -> Option<Found<'_>> {
    let fields = Fields(resource.as_map()?);
    let id = Id::parse(fields.get("id")?.as_str()?)?;
    let requires = fields.get("requires").and_then(Data::as_list);
    let requires = requires.into_iter().flatten().filter_map(Data::as_str).collect();
    Some(Found { id, fields, instance, requires })
}

/// The agent whose resources are meant; none if there are no resources.
fn chosen<'a>(
    all: &'a [Found<'_>],
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
    Err(vec![Diagnostic::error(CODE, text).help("--node says whose are meant")])
}

struct Lowering<'a, 'w> {
    net: &'a Net<'w>,
    sources: &'a SourceMap,
    layout: Layout,
    graph: Graph,
    notes: Vec<Diagnostic>,
    errors: Vec<Diagnostic>,
    /// The resources by their ids, with their ids in the graph.
    ids: HashMap<String, (ResourceId, bool)>,
    /// Those whose directories are made, too, with their paths.
    inner: Vec<(ResourceId, String)>,
}

impl Lowering<'_, '_> {
    /// Those that can be deployed: all their values are known, and so are those of all that they
    /// require.
    fn known<'f>(&mut self, all: &[&'f Found<'f>]) -> Vec<&'f Found<'f>> {
        let mut users: HashMap<&str, Vec<usize>> = HashMap::new();
        let mut left_out: HashSet<usize> = HashSet::new();
        let mut work = Vec::new();
        for (at, one) in all.iter().enumerate() {
            for needed in &one.requires {
                users.entry(needed).or_default().push(at);
            }
            if one.fields.0.values().any(is_undefined) {
                left_out.insert(at);
                work.push(at);
            }
        }
        while let Some(at) = work.pop() {
            let id = all[at].id.without_version();
            for user in users.get(id.as_str()).into_iter().flatten() {
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
            let text = if one.fields.0.values().any(is_undefined) {
                format!("{name} is left out: a value of it is not known yet")
            } else {
                format!("{name} is left out: it requires what is not known yet")
            };
            self.notes.push(Diagnostic::warning(CODE, text));
        }
        out
    }

    /// Refuses a resource that is deployed over a connection.
    fn refuse_remote(&mut self, one: &Found<'_>) {
        let mut next = one.fields.get("via");
        while let Some(via) = next.filter(|via| via.as_map().is_some()) {
            let method = via.get("method_name").and_then(Data::as_str).unwrap_or_default();
            if !LOCAL.contains(&method) {
                let name = one.id.without_version();
                let text = format!("{name} is not of this machine: it is reached by {method}");
                let help = "--node says that an agent's resources are those of this machine";
                self.errors.push(Diagnostic::error(CODE, text).help(help));
                return;
            }
            next = via.get("via");
        }
    }

    fn add(&mut self, one: &Found<'_>, files: &Files) {
        let name = one.id.without_version();
        let has_references =
            one.fields.get("mutators").and_then(Data::as_list).is_some_and(|list| !list.is_empty());
        if has_references {
            let text = format!("{name} has references, which only the orchestrator resolves");
            self.errors.push(Diagnostic::error(CODE, text));
            return;
        }
        let mapped = match kinds::mapped(&one.id.entity, &one.id.value, one.fields, files) {
            Ok(mapped) => mapped,
            Err(why) => {
                self.errors.push(Diagnostic::error(CODE, format!("{name}: {why}")));
                return;
            }
        };
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
        self.ids.insert(name, (id, reloads));
    }

    /// Adds the directories around those that want them, where the model does not declare them. The
    /// engine makes a directory before the files in it.
    fn add_parents(&mut self) {
        for (inner, path) in std::mem::take(&mut self.inner) {
            let origin = self.graph.resource(inner).origin;
            let around: Vec<&Path> = Path::new(&path).ancestors().skip(1).collect();
            // The root is there.
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

    fn resource(&mut self, id: ResourceRef, mapped: Mapped, one: &Found<'_>) -> Resource {
        let made = one.instance.and_then(|instance| self.net.places(instance).first().copied());
        let origin = self.origin(Step::Declaration, made);
        let mut attributes = Vec::with_capacity(mapped.attributes.len());
        for (name, value, from) in mapped.attributes {
            let given = one.instance.and_then(|instance| self.net.given(instance, &from));
            let origin = match given {
                Some(given) => self.origin(Step::Declaration, Some(given.at)),
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

    /// A place, and the implementation that it is in.
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

    fn edges(&mut self, all: &[&Found<'_>]) {
        let sends: HashMap<String, bool> = all
            .iter()
            .map(|one| {
                let sends = one.fields.get("send_event").and_then(Data::as_bool);
                (one.id.without_version(), sends.unwrap_or_default())
            })
            .collect();
        for one in all {
            let Some(&(to, reloads)) = self.ids.get(&one.id.without_version()) else { continue };
            let receives = one.fields.get("receive_events").and_then(Data::as_bool) != Some(false);
            let origin = self.graph.resource(to).origin;
            for needed in &one.requires {
                let Some(&(from, _)) = self.ids.get(*needed) else { continue };
                let sends = sends.get(*needed).copied().unwrap_or_default();
                let kind = match reloads && receives && sends {
                    true => EdgeKind::Notify,
                    false => EdgeKind::Before,
                };
                self.graph.edges.push(Edge { from, to, kind, origin });
            }
        }
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

/// A value of the model as data; instances are their texts.
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
