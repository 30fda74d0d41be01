//! The edges of the graph: containment, relationships, relationship parameters, autorequires.

use crate::catalog::values::relationship_target;
use crate::catalog::{ParamOrigin, ParamSource, RelationEnd, ResourceId, flat, long_list};
use crate::lower::{Lowering, RELATIONS, RelationParam};
use crate::value::Value;
use crate::value::resource_key::ResourceKey;
use ordain_graph::{Barrier, Edge, EdgeKind, Origin, OriginId, ResourceId as NodeId, Step};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// The properties that relationship parameters of several resources share: the parameter, the list
/// and its place.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct SharedList {
    relation: usize,
    list: usize,
    origin: OriginId,
}

impl SharedList {
    fn of(param: &RelationParam) -> Option<Self> {
        let list = long_list(&param.value)?;
        Some(Self { relation: param.relation, list, origin: param.origin })
    }
}

/// The resources that share a long list, usually by a default of their type. A barrier replaces
/// their edges.
fn in_common(params: &[RelationParam]) -> FxHashMap<SharedList, Vec<usize>> {
    let mut common: FxHashMap<SharedList, Vec<usize>> = FxHashMap::default();
    let mut lengths: FxHashMap<SharedList, usize> = FxHashMap::default();
    for param in params {
        if let (Some(shared), Value::Array(items)) = (SharedList::of(param), &param.value) {
            common.entry(shared).or_default().push(param.of.0 as usize);
            lengths.insert(shared, items.len());
        }
    }
    common.retain(|shared, of| {
        let length = lengths.get(shared).copied().unwrap_or_default();
        of.len() > 1 && Barrier::serves(of.len(), length)
    });
    common
}

impl Lowering<'_, '_> {
    pub(super) fn containment(&mut self) {
        self.graph.containment.reserve_exact(self.catalog.edges.len());
        for &(from, to) in self.catalog.edges.iter() {
            if let (Some(from), Some(to)) = (self.nodes[from.0 as usize], self.nodes[to.0 as usize])
            {
                self.graph.containment.push((from, to));
            }
        }
    }

    pub(super) fn edges(&mut self) {
        let mut seen = FxHashSet::default();
        for relation in std::mem::take(&mut self.catalog.relations) {
            let kind = if relation.notify { EdgeKind::Notify } else { EdgeKind::Before };
            let within = ResourceId(2);
            let origin =
                ParamOrigin { how: ParamSource::Relation, span: Some(relation.span), within };
            let origin = self.origin(&origin);
            let ends = |ends: &[RelationEnd], left| {
                ends.iter().flat_map(|end| self.ends(end, left)).collect::<Vec<NodeId>>()
            };
            let (from, to) = (ends(&relation.from, true), ends(&relation.to, false));
            if relation.is_barrier {
                self.graph.barriers.push(Barrier { from, to, kind, origin });
                continue;
            }
            for &from in &from {
                for &to in &to {
                    if seen.insert((from, to, kind)) {
                        self.graph.edges.push(Edge { from, to, kind, origin });
                    }
                }
            }
        }
        let relation_params = std::mem::take(&mut self.relation_params);
        let mut common = in_common(&relation_params);
        for param in &relation_params {
            let Some(id) = self.nodes[param.of.0 as usize] else { continue };
            let (_, kind, forward) = RELATIONS[param.relation];
            let mut several = Vec::new();
            let others = flat(&param.value, &mut several);
            let found = |value| self.find(&relationship_target(value)?);
            let mut others: SmallVec<[NodeId; 4]> = others.iter().filter_map(found).collect();
            if let Some(shared) = SharedList::of(param).and_then(|shared| common.get_mut(&shared)) {
                // All of these resources have the same list, so the first is used.
                let own: Vec<NodeId> =
                    std::mem::take(shared).into_iter().filter_map(|of| self.nodes[of]).collect();
                if !own.is_empty() {
                    let mut known = FxHashSet::default();
                    others.retain(|id| known.insert(*id));
                    let others = others.into_vec();
                    let (from, to) = if forward { (own, others) } else { (others, own) };
                    self.graph.barriers.push(Barrier { from, to, kind, origin: param.origin });
                }
                continue;
            }
            for other in others {
                let (from, to) = if forward { (id, other) } else { (other, id) };
                if seen.insert((from, to, kind)) {
                    self.graph.edges.push(Edge { from, to, kind, origin: param.origin });
                }
            }
        }
    }

    /// Adds the autorequires.
    pub(super) fn automatic(&mut self) {
        let mut seen = FxHashSet::default();
        for relation in std::mem::take(&mut self.catalog.automatic) {
            let node = |id: ResourceId| self.nodes[id.0 as usize];
            let (Some(from), Some(to)) = (node(relation.from), node(relation.to)) else { continue };
            let kind = if relation.notify { EdgeKind::Notify } else { EdgeKind::Before };
            if seen.insert((from, to, kind)) {
                let step = Step::Kind(self.catalog.get(relation.by).kind.clone());
                let parent = Some(self.declared(relation.by));
                let origin = self.graph.origins.intern(Origin { step, span: None, parent });
                self.graph.automatic.push(Edge { from, to, kind, origin });
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
}
