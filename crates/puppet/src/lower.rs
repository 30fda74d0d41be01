//! The compiled catalog as a resource graph.

use std::sync::Arc;

use ecow::{EcoString, eco_format};
use ordain_data::Value as Data;
use ordain_graph::{
    Attribute, Containment, Edge, EdgeKind, Graph, Loser, Origin, OriginId, Resource as Node,
    ResourceId as NodeId, ResourceRef, Step,
};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use crate::catalog::tags::TagTable;
use crate::catalog::{
    Catalog, Declared, How, Param, ParamOrigin, RelationEnd, Resource, ResourceId, ResourceKey,
    ResourceKind, flatten_values,
};
use crate::eval::Compiler;
use crate::rich::to_data;
use crate::value::Value;

/// Turns a finished catalog into a graph. Virtual resources are left out.
pub fn lower(compiler: &Compiler<'_>) -> Graph {
    let mut graph = Graph::default();
    graph.name = compiler.node.clone();
    graph.environment = compiler.env.name.clone();
    let mut lowering = Lowering {
        compiler,
        catalog: &compiler.catalog,
        graph,
        nodes: vec![None; compiler.catalog.resources.len()],
        within: vec![None; compiler.catalog.resources.len()],
        ranks: ranks(&compiler.catalog.tags),
    };
    lowering.resources();
    lowering.containment();
    lowering.edges();
    lowering.finish()
}

struct Lowering<'a, 'e> {
    compiler: &'a Compiler<'e>,
    catalog: &'a Catalog,
    graph: Graph,
    nodes: Vec<Option<NodeId>>,
    within: Vec<Option<Option<OriginId>>>,
    /// The place of each tag among all in the order of their names.
    ranks: Ranks,
}

impl Lowering<'_, '_> {
    fn resources(&mut self) {
        let count = self.catalog.resources.len();
        let params: usize = self.catalog.resources.iter().map(|r| r.params.len()).sum();
        self.graph.reserve(count, count + params);
        for (i, resource) in self.catalog.resources.iter().enumerate() {
            if resource.is_virtual {
                continue;
            }
            let id = ResourceId(i as u32);
            let node = self.node(id, resource);
            self.nodes[i] = Some(self.graph.add(node));
        }
        for (i, resource) in self.catalog.resources.iter().enumerate() {
            if let Some(id) = self.nodes[i] {
                self.aliases(resource, id);
            }
        }
    }

    fn aliases(&mut self, resource: &Resource, id: NodeId) {
        let mut flat = Vec::new();
        if let Some(alias) = resource.param("alias") {
            flatten_values(&alias.value, &mut flat);
        }
        let name = namevar(resource).and_then(|n| resource.param(n));
        for title in flat.iter().chain(name.map(|p| &p.value)) {
            let Value::Str(title) = title else { continue };
            if *title == resource.title {
                continue;
            }
            let key = ResourceKey::of(resource.kind.clone(), title);
            self.graph.add_alias(ResourceRef { kind: key.kind, title: key.title }, id);
        }
        let key = resource.key();
        if key.title != resource.title {
            self.graph.add_alias(ResourceRef { kind: key.kind, title: key.title }, id);
        }
    }

    fn node(&mut self, id: ResourceId, resource: &Resource) -> Node {
        let origin = self.declared(id);
        let namevar = namevar(resource);
        // The title is not said twice.
        let is_title = |p: &&Param| {
            namevar == Some(p.name.as_str()) && p.value.as_str() == Some(resource.title.as_str())
        };
        let params = || resource.params.iter().filter(|p| !p.value.is_undef() && !is_title(p));
        let mut attributes = Vec::with_capacity(params().count());
        attributes.extend(params().map(|p| self.attribute(resource, p)));
        let mut order: SmallVec<[u32; 16]> =
            resource.tags.iter().map(|t| self.ranks.of[t as usize]).collect();
        order.sort_unstable();
        let tags = order.iter().map(|&rank| self.ranks.names[rank as usize].clone()).collect();
        Node {
            id: ResourceRef { kind: resource.kind.clone(), title: resource.title.clone() },
            containment: match (&resource.what, resource.declared) {
                (ResourceKind::Native(_) | ResourceKind::Stage, _) => Containment::Leaf,
                (ResourceKind::Define(_), _) => Containment::Define,
                (_, Declared::AsResource) => Containment::ClassResource,
                (_, Declared::Implicitly) => Containment::Class,
            },
            attributes,
            tags,
            exported: resource.exported,
            is_virtual: false,
            origin,
        }
    }

    fn attribute(&mut self, resource: &Resource, param: &Param) -> Attribute {
        let mut value = match param.name.as_str() {
            "before" | "notify" | "require" | "subscribe" => relation_data(&param.value),
            _ => to_data(&param.value),
        };
        let secret = resource.sensitive.contains(&param.name);
        if secret {
            value = Data::Secret(Arc::new(value));
        }
        let losers = param.losers.iter().map(|lost| Loser {
            value: if secret { Data::Secret(Arc::new(Data::Null)) } else { to_data(&lost.value) },
            origin: self.origin(&lost.origin),
        });
        let losers = losers.collect();
        Attribute { name: param.name.clone(), value, origin: self.origin(&param.origin), losers }
    }

    fn origin(&mut self, origin: &ParamOrigin) -> OriginId {
        let step = match &origin.how {
            How::Declaration => Step::Declaration,
            How::TypeDefault => Step::TypeDefault,
            How::Override => Step::Override,
            How::Collector => Step::CollectorOverride,
            How::ParameterDefault => Step::ParameterDefault,
            How::Data(place) => {
                Step::Data { key: place.key.clone(), file: place.file.clone(), line: place.line }
            }
            How::Relation => Step::Relation,
            How::Inherited => Step::Inherited(self.catalog.get(origin.within).reference().into()),
            How::External => Step::External("the run itself".into()),
        };
        let parent = self.inside(origin.within);
        self.graph.origins.intern(Origin { step, span: origin.span, parent })
    }

    /// Where a resource is declared, and inside what.
    fn declared(&mut self, id: ResourceId) -> OriginId {
        let resource = self.catalog.get(id);
        let parent = resource.container.filter(|&c| c != id).and_then(|c| self.inside(c));
        self.graph.origins.intern(Origin { step: Step::Declaration, span: resource.span, parent })
    }

    /// The step that being evaluated inside a class, define or node is; `None` for the top.
    fn inside(&mut self, id: ResourceId) -> Option<OriginId> {
        if let Some(known) = self.within[id.0 as usize] {
            return known;
        }
        let resource = self.catalog.get(id);
        let step = match &resource.what {
            ResourceKind::Class(Some(def)) => Step::Class(def.name.clone()),
            ResourceKind::Define(_) => {
                Step::Define(eco_format!("{}[{}]", resource.kind, resource.title))
            }
            ResourceKind::Node => Step::Node(resource.title.clone()),
            _ => return None,
        };
        // Set before the containers are looked at, so that a circle ends.
        self.within[id.0 as usize] = Some(None);
        let parent = resource.container.filter(|&c| c != id).and_then(|c| self.inside(c));
        let origin = self.graph.origins.intern(Origin { step, span: resource.span, parent });
        self.within[id.0 as usize] = Some(Some(origin));
        Some(origin)
    }

    fn containment(&mut self) {
        for &(from, to) in &self.catalog.edges {
            if let (Some(from), Some(to)) = (self.nodes[from.0 as usize], self.nodes[to.0 as usize])
            {
                self.graph.containment.push((from, to));
            }
        }
    }

    fn edges(&mut self) {
        let mut seen = FxHashSet::default();
        for relation in &self.catalog.relations {
            let kind = if relation.notify { EdgeKind::Notify } else { EdgeKind::Before };
            let within = ResourceId(2);
            let origin = ParamOrigin { how: How::Relation, span: Some(relation.span), within };
            let origin = self.origin(&origin);
            for from in self.ends(&relation.from, true) {
                for to in self.ends(&relation.to, false) {
                    if seen.insert((from, to, kind)) {
                        self.graph.edges.push(Edge { from, to, kind, origin });
                    }
                }
            }
        }
        for (i, resource) in self.catalog.resources.iter().enumerate() {
            let Some(id) = self.nodes[i] else { continue };
            for (name, kind, forward) in [
                ("before", EdgeKind::Before, true),
                ("notify", EdgeKind::Notify, true),
                ("require", EdgeKind::Before, false),
                ("subscribe", EdgeKind::Notify, false),
            ] {
                let Some(param) = resource.param(name) else { continue };
                let origin = self.origin(&param.origin);
                let mut flat = Vec::new();
                flatten_values(&param.value, &mut flat);
                for value in &flat {
                    let other = self.compiler.reference_of(value);
                    let other = other.and_then(|key| self.find(&key));
                    let Some(other) = other else { continue };
                    let (from, to) = if forward { (id, other) } else { (other, id) };
                    if seen.insert((from, to, kind)) {
                        self.graph.edges.push(Edge { from, to, kind, origin });
                    }
                }
            }
        }
    }

    fn find(&self, key: &ResourceKey) -> Option<NodeId> {
        self.catalog.find(key).and_then(|id| self.nodes[id.0 as usize])
    }

    fn ends(&self, end: &RelationEnd, left: bool) -> Vec<NodeId> {
        match end {
            RelationEnd::Resource(key) => self.find(key).into_iter().collect(),
            RelationEnd::Collector(number) => {
                let collector = &self.catalog.collectors[*number];
                if collector.collected.is_empty() && left {
                    return collector.otherwise.iter().flat_map(|e| self.ends(e, true)).collect();
                }
                let ids = collector.collected.iter();
                ids.filter_map(|id| self.nodes[id.0 as usize]).collect()
            }
        }
    }

    fn finish(mut self) -> Graph {
        self.graph.classes = self.catalog.classes.iter().cloned().collect();
        let tags = self.catalog.own_tags.iter();
        self.graph.tags = tags.map(|t| self.catalog.tags.name(t).clone()).collect();
        self.graph.tags.sort();
        self.graph
    }
}

/// All tags of a catalog in the order of their names.
struct Ranks {
    names: Vec<EcoString>,
    of: Vec<u32>,
}

fn ranks(tags: &TagTable) -> Ranks {
    let mut order: Vec<(&EcoString, usize)> =
        tags.names().enumerate().map(|(i, n)| (n, i)).collect();
    order.sort_unstable();
    let mut of = vec![0; order.len()];
    for (rank, (_, tag)) in order.iter().enumerate() {
        of[*tag] = rank as u32;
    }
    Ranks { names: order.into_iter().map(|(name, _)| name.clone()).collect(), of }
}

/// References of a relationship metaparameter, nested lists flattened.
fn relation_data(value: &Value) -> Data {
    if !matches!(value, Value::Array(_)) {
        return to_data(value);
    }
    let mut flat = Vec::new();
    flatten_values(value, &mut flat);
    Data::list(flat.iter().filter(|v| !v.is_undef()).map(to_data))
}

/// The attribute of a resource for which its title stands in.
fn namevar(resource: &Resource) -> Option<&str> {
    match &resource.what {
        ResourceKind::Native(schema) => schema.namevar(),
        ResourceKind::Define(_) => Some("name"),
        _ => None,
    }
}
