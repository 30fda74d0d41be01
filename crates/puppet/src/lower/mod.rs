//! The compiled catalog as a resource graph.

mod edges;

use std::sync::Arc;

use ecow::{EcoString, eco_format};
use ordain_data::Value as Data;
use ordain_graph::{
    Attribute, Containment, DataStep, EdgeKind, Graph, LookupCall, Origin, OriginId,
    OverriddenValue, Resource as Node, ResourceId as NodeId, ResourceRef, Step,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::catalog::resource::Import;
use crate::catalog::tags::TagTable;
use crate::catalog::values::new_param;
use crate::catalog::{
    Catalog, DataPlace, Declared, LostValue, Param, ParamOrigin, ParamSource, Resource, ResourceId,
    ResourceKind, flat, flatten_values, long_list,
};
use crate::state::Compiler;
use crate::value::Value;
use crate::value::resource_key::ResourceKey;
use crate::value::rich::to_data;

/// Turns a finished catalog into a graph. Virtual resources are left out.
///
/// The compiler is left without a catalog. Its values move into the graph, and its memory is freed
/// as early as possible.
pub fn lower(compiler: &mut Compiler<'_>) -> Graph {
    let catalog = std::mem::take(&mut compiler.catalog);
    let mut graph = Graph::default();
    graph.name = compiler.node.clone();
    graph.environment = compiler.env.name.clone();
    graph.version = compiler.env.config_version.get(compiler.env.world.as_ref()).ok().flatten();
    let mut lowering = Lowering {
        compiler,
        graph,
        nodes: vec![None; catalog.resources.len()],
        within: vec![None; catalog.resources.len()],
        ranks: ranks(&catalog.tags),
        // Untouched room takes no memory.
        relation_params: Vec::with_capacity(catalog.resources.len()),
        long_lists: FxHashMap::default(),
        catalog,
    };
    lowering.resources();
    lowering.containment();
    lowering.edges();
    lowering.automatic();
    lowering.lookups();
    lowering.finish()
}

struct Lowering<'a, 'e> {
    compiler: &'a Compiler<'e>,
    catalog: Catalog,
    graph: Graph,
    nodes: Vec<Option<NodeId>>,
    within: Vec<Option<Option<OriginId>>>,
    /// The place of each tag among all in the order of their names.
    ranks: TagRanks,
    /// The relationship parameters of the resources that were lowered so far.
    relation_params: Vec<RelationParam>,
    /// Long lists of references as data, by the address of the list, which the parameters above
    /// keep alive.
    long_lists: FxHashMap<usize, Data>,
}

/// The resource that attributes are of.
struct Owner<'r> {
    id: ResourceId,
    /// The place of the declaration.
    origin: OriginId,
    /// The names of its secret attributes.
    sensitive: &'r [EcoString],
}

/// A relationship parameter of a resource.
struct RelationParam {
    of: ResourceId,
    /// Its place in [`RELATIONS`].
    relation: usize,
    value: Value,
    origin: OriginId,
}

/// The relationship parameters, each with the kind of its edges and whether its resource comes
/// first.
const RELATIONS: [(&str, EdgeKind, bool); 4] = [
    ("before", EdgeKind::Before, true),
    ("notify", EdgeKind::Notify, true),
    ("require", EdgeKind::Before, false),
    ("subscribe", EdgeKind::Notify, false),
];

/// The place of a relationship parameter in [`RELATIONS`].
fn relation(name: &str) -> Option<usize> {
    // Few names have the length of one of these, so most need no comparison.
    match name.len() {
        6 | 7 | 9 => RELATIONS.iter().position(|(known, ..)| name == *known),
        _ => None,
    }
}

impl Lowering<'_, '_> {
    fn resources(&mut self) {
        let count = self.catalog.resources.len();
        let params: usize = self.catalog.resources.iter().map(|r| r.params.len()).sum();
        self.graph.reserve(count, count + params);
        let mut aliases: Vec<(ResourceRef, NodeId)> = Vec::new();
        for i in 0..count {
            let resource = &self.catalog.resources[i];
            if !resource.is_virtual {
                let names = other_names(resource);
                let node = self.node(ResourceId(i as u32));
                let id = self.graph.add(node);
                self.nodes[i] = Some(id);
                aliases.extend(names.into_iter().map(|name| (name, id)));
            }
        }
        // A title takes precedence over an alias.
        for (name, id) in aliases {
            self.graph.add_alias(name, id);
        }
    }

    /// The node of a resource, whose parameters are moved out.
    fn node(&mut self, id: ResourceId) -> Node {
        let origin = self.declared(id);
        let resource = self.catalog.get_mut(id);
        let params = std::mem::take(&mut resource.params);
        let sensitive = std::mem::take(&mut resource.sensitive);
        let resource = self.catalog.get(id);
        let namevar = namevar(resource);
        // The title is not repeated.
        let said = |p: &Param| {
            let is_title = p.value.as_str() == Some(resource.title.as_str());
            let is_title = is_title && resource.title_is_text && namevar == Some(p.name.as_str());
            // For a sensitive attribute, being unset is a secret as well.
            (!p.value.is_undef() || sensitive.contains(&p.name)) && !is_title
        };
        let said: SmallVec<[bool; 16]> = params.iter().map(said).collect();
        let unnamed = |name: &&str| {
            !resource.title_is_text && params.iter().all(|p| p.name.as_str() != *name)
        };
        let name = namevar.filter(unnamed).map(|name| {
            let within = resource.container.unwrap_or(id);
            let origin = ParamOrigin { how: ParamSource::Declaration, span: resource.span, within };
            new_param(name.into(), Value::Str(resource.title.clone()), false, origin)
        });
        let count = said.iter().filter(|said| **said).count() + name.iter().len();
        let mut attributes = Vec::with_capacity(count);
        let first = self.relation_params.len();
        let of = Owner { id, origin, sensitive: &sensitive };
        attributes.extend(name.map(|param| self.attribute(&of, param)));
        for (param, said) in params.into_iter().zip(said) {
            if said {
                attributes.push(self.attribute(&of, param));
            }
        }
        self.relation_params[first..].sort_by_key(|param| param.relation);
        let resource = self.catalog.get(id);
        let mut order: SmallVec<[u32; 16]> =
            resource.tags.iter().map(|t| self.ranks.of[t as usize]).collect();
        order.sort_unstable();
        let tags = order.iter().map(|&rank| self.ranks.names[rank as usize].clone()).collect();
        Node {
            id: ResourceRef { kind: resource.kind.clone(), title: resource.title.clone() },
            containment: match (&resource.what, resource.declared) {
                (ResourceKind::Native(_), _) => Containment::Leaf,
                (ResourceKind::Stage, _) => Containment::Class,
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

    fn attribute(&mut self, of: &Owner<'_>, param: Param) -> Attribute {
        let relation = relation(&param.name);
        let secret = of.sensitive.contains(&param.name);
        let has_history = self.compiler.settings.has_history;
        let losers = match has_history {
            true => self.losers(&param.losers, secret),
            false => Vec::new(),
        };
        // Edges have the origin of the parameter that declares them.
        let origin = match has_history || relation.is_some() {
            true => self.origin(&param.origin),
            false => of.origin,
        };
        let mut value = match (relation, param.value) {
            (Some(relation), value) => {
                let data = match long_list(&value) {
                    Some(list) => {
                        let data = || relation_data(&value);
                        self.long_lists.entry(list).or_insert_with(data).clone()
                    }
                    None => relation_data(&value),
                };
                self.relation_params.push(RelationParam { of: of.id, relation, value, origin });
                data
            }
            (None, Value::Str(text)) => Data::Str(text),
            (None, value @ Value::Array(_)) if holds_reference(&value) => relation_list(&value),
            (None, value) => to_data(&value),
        };
        if secret {
            value = Data::Secret(Arc::new(value));
        }
        value = self.compiler.decrypted.mark(value);
        Attribute { name: param.name, value, origin, losers }
    }

    fn losers(&mut self, lost: &[LostValue], secret: bool) -> Vec<OverriddenValue> {
        let losers = lost.iter().map(|lost| OverriddenValue {
            value: match secret {
                true => Data::Secret(Arc::new(Data::Null)),
                false => self.compiler.decrypted.mark(to_data(&lost.value)),
            },
            origin: self.origin(&lost.origin),
        });
        losers.collect()
    }

    /// Adds the calls that looked up data.
    fn lookups(&mut self) {
        let lookups = std::mem::take(&mut self.catalog.lookups);
        self.graph.lookups = lookups
            .into_iter()
            .map(|call| LookupCall {
                span: call.span,
                within: self.nodes[call.within.0 as usize],
                data: call.places.iter().map(data_step).collect(),
                default_of: call.default_of,
                secret: call.secret.map(|value| self.compiler.decrypted.mark(to_data(&value))),
            })
            .collect();
    }

    fn origin(&mut self, origin: &ParamOrigin) -> OriginId {
        let step = match &origin.how {
            ParamSource::Declaration => Step::Declaration,
            ParamSource::TypeDefault => Step::TypeDefault,
            ParamSource::Override => Step::Override,
            ParamSource::Collector => Step::CollectorOverride,
            ParamSource::ParameterDefault => Step::ParameterDefault,
            ParamSource::Data(place) => Step::Data(data_step(place)),
            ParamSource::Relation => Step::Relation,
            ParamSource::Kind => Step::Kind(self.catalog.get(origin.within).kind.clone()),
            ParamSource::Inherited => {
                Step::Inherited(self.catalog.get(origin.within).reference().into())
            }
            ParamSource::External => Step::External("the run itself".into()),
            ParamSource::Exported(import) => return self.exported(import, origin.within),
        };
        let parent = match origin.how {
            ParamSource::Kind => None,
            _ => self.inside(origin.within),
        };
        self.graph.origins.intern(Origin { step, span: origin.span, parent })
    }

    /// The origin of a collected resource: the declaration on the other node, and the collector
    /// here.
    fn exported(&mut self, import: &Import, within: ResourceId) -> OriginId {
        let parent = self.inside(within);
        let step = Step::Exported(import.node.clone());
        let collected = Origin { step, span: Some(import.span), parent };
        let parent = Some(self.graph.origins.intern(collected));
        let place =
            import.place.as_ref().map_or_else(|| import.node.clone(), |p| eco_format!("{p}"));
        self.graph.origins.intern(Origin { step: Step::External(place), span: None, parent })
    }

    /// The origin of a declared resource, inside of its container.
    fn declared(&mut self, id: ResourceId) -> OriginId {
        if let Some(import) = self.catalog.imports.get(&id) {
            let container = self.catalog.get(id).container.unwrap_or(id);
            return self.exported(&Arc::clone(import), container);
        }
        let resource = self.catalog.get(id);
        let (span, container) = (resource.span, resource.container);
        let parent = container.filter(|&c| c != id).and_then(|c| self.inside(c));
        self.graph.origins.intern(Origin { step: Step::Declaration, span, parent })
    }

    /// The origin for code inside a class, define or node; `None` for the top.
    fn inside(&mut self, id: ResourceId) -> Option<OriginId> {
        if let Some(known) = self.within[id.0 as usize] {
            return known;
        }
        let resource = self.catalog.get(id);
        let step = match &resource.what {
            ResourceKind::Class(Some(def)) => Step::Class(def.name.clone()),
            ResourceKind::Define(_) => Step::Define(resource.reference().into()),
            ResourceKind::Node => Step::Node(resource.title.clone()),
            _ => return None,
        };
        let (span, container) = (resource.span, resource.container);
        // Set before the containers are visited, to end cycles.
        self.within[id.0 as usize] = Some(None);
        let parent = container.filter(|&c| c != id).and_then(|c| self.inside(c));
        let origin = self.graph.origins.intern(Origin { step, span, parent });
        self.within[id.0 as usize] = Some(Some(origin));
        Some(origin)
    }

    fn finish(mut self) -> Graph {
        self.graph.classes = self.catalog.classes.clone();
        let tags = self.catalog.own_tags.iter();
        self.graph.tags = tags.map(|t| self.catalog.tags.name(t).clone()).collect();
        self.graph.tags.sort();
        self.graph
    }
}

/// The names of a resource besides its title: aliases, and the value of its name attribute.
fn other_names(resource: &Resource) -> SmallVec<[ResourceRef; 1]> {
    let namevar = namevar(resource);
    let (mut alias, mut name) = (None, None);
    for param in &resource.params {
        if alias.is_none() && param.name == "alias" {
            alias = Some(&param.value);
        }
        if name.is_none() && Some(param.name.as_str()) == namevar {
            name = Some(&param.value);
        }
    }
    let mut several = Vec::new();
    let alias = alias.map(|value| flat(value, &mut several)).unwrap_or_default();
    let titles = alias.iter().chain(name).filter_map(|value| match value {
        Value::Str(title) if *title != resource.title => Some(title),
        _ => None,
    });
    let titles = titles.map(|title| ResourceKey::of(resource.kind.clone(), title));
    let key = resource.key_besides_title();
    titles.chain(key).map(|key| ResourceRef { kind: key.kind, title: key.title }).collect()
}

/// All tags of a catalog in the order of their names.
struct TagRanks {
    names: Vec<EcoString>,
    of: Vec<u32>,
}

fn ranks(tags: &TagTable) -> TagRanks {
    let mut order: Vec<(&EcoString, usize)> =
        tags.names().enumerate().map(|(i, n)| (n, i)).collect();
    order.sort_unstable();
    let mut of = vec![0; order.len()];
    for (rank, (_, tag)) in order.iter().enumerate() {
        of[*tag] = rank as u32;
    }
    TagRanks { names: order.into_iter().map(|(name, _)| name.clone()).collect(), of }
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

/// Whether a list or a nested list has a reference. Such lists are compared by identity.
fn holds_reference(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(holds_reference),
        value => matches!(value, Value::Reference(_)),
    }
}

fn relation_list(value: &Value) -> Data {
    let mut flat = Vec::new();
    flatten_values(value, &mut flat);
    Data::list(flat.iter().map(to_data))
}

/// The name attribute of a resource.
fn namevar(resource: &Resource) -> Option<&str> {
    match &resource.what {
        ResourceKind::Native(schema) => schema.namevar(),
        ResourceKind::Define(_) => Some("name"),
        _ => None,
    }
}

/// A place in data as the graph has it.
fn data_step(place: &DataPlace) -> Arc<DataStep> {
    let (key, file, line) = (place.key.clone(), place.file.clone(), place.line);
    Arc::new(DataStep { key, file, line })
}
