//! Explains instances and their attributes, and draws instances as a diagram.

use ordain_graph::explain::{Cause, Explanation};
use ordain_graph::{
    Attribute, Containment, Edge, EdgeKind, Graph, Origin, Resource, ResourceRef, Step,
};
use ordain_source::SourceMap;
use rustc_hash::FxHashMap;

use crate::diagnostics::span;
use crate::eval::{Assignment, AssignmentKind, Layout, Net};
use crate::location::Location;
use crate::lower::data;
use crate::value::{InstanceId, Names, Value};

/// The limit for instances of a list in an explanation.
const MAX_ITEMS: usize = 50;

/// The subject of an explanation: an instance, or an attribute of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Subject {
    /// The instance.
    pub instance: InstanceId,
    /// The attribute.
    pub attribute: Option<String>,
}

/// Finds the instance that a text names: `app::Host#2` is the second one of its entity,
/// `app::Host[name=web]` the one with this value. `.port` after it names an attribute. Entities of
/// the main file need no `__config__::`.
pub fn subject(net: &Net<'_>, text: &str) -> Option<Subject> {
    let (name, attribute) = match text.rsplit_once('.') {
        Some((name, attribute)) if is_name(attribute) => (name, Some(attribute.to_owned())),
        _ => (text, None),
    };
    let instance = match name.split_once('[') {
        None => {
            let (entity, number) = name.split_once('#')?;
            let number: usize = number.parse().ok()?;
            let mut all = net.instances().filter(|id| is_of(net, *id, entity));
            all.nth(number.checked_sub(1)?)?
        }
        Some((entity, rest)) => {
            let (attribute, wanted) = rest.strip_suffix(']')?.split_once('=')?;
            let fits = |id: &InstanceId| {
                let has = |(name, value): &(&str, Option<Value>)| {
                    *name == attribute && value.as_ref().is_some_and(|v| v.text(net) == wanted)
                };
                is_of(net, *id, entity) && net.attributes(*id).iter().any(has)
            };
            net.instances().find(fits)?
        }
    };
    Some(Subject { instance, attribute })
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Whether an instance has the entity of this name.
fn is_of(net: &Net<'_>, id: InstanceId, entity: &str) -> bool {
    let full = net.entity_name(id);
    full == entity || full.strip_prefix("__config__::") == Some(entity)
}

/// Explains an instance or an attribute; `None` if there is no such attribute.
pub fn explain(net: &Net<'_>, subject: &Subject, sources: &SourceMap) -> Option<Explanation> {
    let explainer = Explainer { net, sources, layout: Layout::of(net) };
    let mut explanation = match &subject.attribute {
        None => explainer.instance(subject.instance),
        Some(name) => {
            let value = net.attributes(subject.instance).into_iter().find(|(n, _)| n == name)?.1;
            explainer.attribute(subject.instance, name, value.as_ref())
        }
    };
    explanation.hide(&net.secrets);
    Some(explanation)
}

struct Explainer<'a, 'w> {
    net: &'a Net<'w>,
    sources: &'a SourceMap,
    layout: Layout,
}

impl Explainer<'_, '_> {
    fn instance(&self, id: InstanceId) -> Explanation {
        let mut causes: Vec<Cause> =
            self.net.constructors(id).iter().map(|assignment| self.cause(assignment)).collect();
        for number in self.net.ran(id) {
            let found = &self.net.program.implementations[*number as usize];
            let name = found.full_name.to_string();
            let words = format!("refined by {name}, defined at");
            causes.push(self.at(
                Cause { words, step: "implementation", name: Some(name), ..Cause::default() },
                found.at,
            ));
        }
        let attributes = self.net.attributes(id);
        let parts = attributes.iter().map(|(name, value)| self.attribute(id, name, value.as_ref()));
        let parts = parts.collect();
        Explanation {
            subject: Value::Instance(id).repr(self.net),
            causes,
            parts,
            ..Explanation::default()
        }
    }

    fn attribute(&self, id: InstanceId, name: &str, value: Option<&Value>) -> Explanation {
        let mut causes = Vec::new();
        match (self.net.assignment(id, name), value) {
            (Some(assignment), Some(_)) => causes.push(self.cause(&assignment)),
            (None, Some(Value::List(items))) => {
                causes.extend(items.iter().take(MAX_ITEMS).filter_map(|item| self.item(item)));
            }
            _ => {}
        }
        Explanation {
            subject: format!("{}.{name}", self.net.entity_name(id)),
            value: value.map(|value| (value.repr(self.net), data(value, self.net))),
            causes,
            ..Explanation::default()
        }
    }

    /// An item of a list, with the constructor of the instance.
    fn item(&self, item: &Value) -> Option<Cause> {
        let Value::Instance(id) = item else { return None };
        let mut causes = self.net.constructors(*id).into_iter();
        let mut cause = self.cause(&causes.next()?);
        cause.words = format!("has {}, which is constructed at", self.net.entity_name(*id));
        cause.step = "item";
        Some(cause)
    }

    fn cause(&self, assignment: &Assignment) -> Cause {
        let (words, step) = match assignment.kind {
            AssignmentKind::Constructor => ("given to a constructor at", "constructor"),
            AssignmentKind::Assignment => ("assigned at", "assignment"),
            AssignmentKind::Expression => ("given by the expression at", "expression"),
        };
        let expression = Some(assignment.text.clone());
        let mut cause = Cause { words: words.into(), step, expression, ..Cause::default() };
        if let Some(number) = self.layout.implementation(assignment.at) {
            let found = &self.net.program.implementations[number as usize];
            let name = found.full_name.to_string();
            let words = format!("in the implementation {name}, defined at");
            let outer =
                Cause { words, step: "implementation", name: Some(name), ..Cause::default() };
            cause.from.push(self.at(outer, found.at));
        }
        self.at(cause, assignment.at)
    }

    fn at(&self, cause: Cause, at: Location) -> Cause {
        match span(at, self.sources) {
            Some(span) => cause.at(span, self.sources),
            None => cause,
        }
    }
}

/// The instances of a model as a graph: relations become edges. Relations that are each other's
/// inverse become one edge.
pub fn diagram(net: &Net<'_>, sources: &SourceMap) -> Graph {
    let mut graph = Graph::default();
    let mut counts: FxHashMap<u32, u32> = FxHashMap::default();
    let mut nodes = Vec::new();
    for id in net.instances() {
        let count = counts.entry(net.entity(id)).or_default();
        *count += 1;
        let kind = net.entity_name(id);
        let kind = kind.strip_prefix("__config__::").unwrap_or(kind);
        let at = net.places(id).first().and_then(|at| span(*at, sources));
        let origin = Origin { step: Step::Declaration, span: at, parent: None };
        let origin = graph.origins.intern(origin);
        let plain = net.attributes(id).into_iter().filter_map(|(name, value)| {
            let value = value.filter(|value| !has_instance(value))?;
            let (name, value) = (name.into(), net.secrets.mark(data(&value, net)));
            Some(Attribute { name, value, origin, losers: Vec::new() })
        });
        nodes.push(graph.add(Resource {
            id: ResourceRef { kind: kind.into(), title: format!("#{count}").into() },
            containment: Containment::Leaf,
            attributes: plain.collect(),
            tags: Vec::new(),
            exported: false,
            is_virtual: false,
            origin,
        }));
    }
    let mut drawn = rustc_hash::FxHashSet::default();
    for id in net.instances() {
        for (_, value) in net.attributes(id) {
            let items = match value {
                Some(Value::List(items)) => items.to_vec(),
                Some(value) => vec![value],
                None => continue,
            };
            for item in items {
                let Value::Instance(other) = item else { continue };
                let (from, to) = (nodes[id.0 as usize], nodes[other.0 as usize]);
                if id == other || drawn.contains(&(to, from)) || !drawn.insert((from, to)) {
                    continue;
                }
                let origin = graph.resource(from).origin;
                graph.edges.push(Edge { from, to, kind: EdgeKind::Before, origin });
            }
        }
    }
    graph
}

fn has_instance(value: &Value) -> bool {
    match value {
        Value::Instance(_) => true,
        Value::List(items) => items.iter().any(has_instance),
        _ => false,
    }
}
