//! The resources of one provider: prepared once a graph, and observed in batches.
//!
//! An observation may serve several resources of a kind. In a run that ends, those whose turn comes
//! later are observed with the first, and their results are kept until something is changed. If a
//! change makes kept results useless, batches begin with one resource and double again, so that a
//! run that changes everything observes each resource about twice. In a process that stays, only resources that are about to
//! be compared are observed together, since an event may come at any time.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ordain_graph::{Containment, Resource, ResourceId, ResourceRef};
use rustc_hash::{FxHashMap, FxHasher};

use super::provider::{
    Call, ExternalProvider, Observation, PrepareRequest, PreparedResource, ResourceNumber,
    SharedProvider,
};
use crate::kind::params::reveal;
use crate::kind::tools::changes_made;
use crate::kind::{KindError, ParseContext, Relationship};

/// How many resources are observed in one call at most.
const MAX_BATCH: usize = 1000;

/// The next number of a resource.
static NEXT_NUMBER: AtomicU64 = AtomicU64::new(1);

/// The kinds of one provider.
pub(super) struct Group {
    provider: SharedProvider,
    /// Their names, each with the values of `provider` of the resources that it takes; `None` for
    /// all.
    kinds: BTreeMap<&'static str, Option<Vec<String>>>,
    graphs: Mutex<Graphs>,
    waste: Arc<UnusedNumbers>,
    observations: Mutex<Observations>,
}

/// The prepared resources of the latest graph.
#[derive(Default)]
struct Graphs {
    /// The graph, and the number of its first resource.
    current: Option<Arc<GraphEntry>>,
    /// Resources that were prepared with the graph and not parsed yet.
    prepared: FxHashMap<ResourceRef, Entry>,
}

/// A graph that the provider knows.
struct GraphEntry {
    number: u64,
    /// Its resources are numbered from here.
    base: ResourceNumber,
    waste: Arc<UnusedNumbers>,
}

/// Graphs and resources that nobody needs any more.
#[derive(Default)]
struct UnusedNumbers(Mutex<UnusedLists>);

#[derive(Default)]
struct UnusedLists {
    /// For the provider.
    resources: Vec<ResourceNumber>,
    /// For the provider.
    graphs: Vec<u64>,
    /// The same resources for the observations.
    observed: Vec<(GroupKey, ResourceNumber)>,
}

/// A graph and a kind.
type GroupKey = (u64, &'static str);

impl Drop for GraphEntry {
    fn drop(&mut self) {
        lock(&self.waste.0).graphs.push(self.number);
    }
}

/// The state of observations.
#[derive(Default)]
struct Observations {
    /// Resources that were not compared yet, by graph and kind.
    waiting: BTreeMap<GroupKey, BTreeSet<ResourceNumber>>,
    /// Resources that are about to be compared.
    expected: BTreeMap<GroupKey, BTreeSet<ResourceNumber>>,
    /// Observations for later.
    kept: FxHashMap<ResourceNumber, Observation>,
    /// The number of changes in this process when the observations were made.
    changes: Option<u64>,
    /// The size of the next batch of each kind.
    sizes: BTreeMap<&'static str, usize>,
    /// Whether observations became useless, so that batches begin with one resource.
    was_wasteful: bool,
}

/// A resource that the provider knows.
#[derive(Clone)]
pub(super) struct Entry {
    pub(super) prepared: Arc<PreparedResource>,
    shared: Arc<EntryGuard>,
    digest: u64,
    /// Whether it lacks attributes that are computed during the run.
    is_partial: bool,
}

/// Frees a resource when nobody needs it any more.
struct EntryGuard {
    number: ResourceNumber,
    kind: &'static str,
    graph: Arc<GraphEntry>,
}

impl Drop for EntryGuard {
    fn drop(&mut self) {
        // The observations are locked while the machine is observed, and nobody may wait here.
        let mut unneeded = lock(&self.graph.waste.0);
        unneeded.resources.push(self.number);
        unneeded.observed.push((self.key(), self.number));
    }
}

impl EntryGuard {
    fn key(&self) -> GroupKey {
        (self.graph.number, self.kind)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Entry {
    pub(super) fn number(&self) -> ResourceNumber {
        self.shared.number
    }

    /// Its relationships by the names of the other resources.
    pub(super) fn relationships(
        &self,
        context: &ParseContext<'_>,
    ) -> Vec<(Relationship, ResourceRef)> {
        let base = self.shared.graph.base;
        let named = |&(relationship, other): &(Relationship, ResourceNumber)| {
            let place = u32::try_from(other.checked_sub(base)?).ok()?;
            let known = (place as usize) < context.graph.len();
            let id = known.then(|| context.graph.resource(ResourceId(place)).id.clone())?;
            Some((relationship, id))
        };
        self.prepared.relationships.iter().filter_map(named).collect()
    }
}

/// Equal for resources of equal attributes.
fn digest(resource: &Resource) -> u64 {
    let mut hasher = FxHasher::default();
    for attribute in &resource.attributes {
        attribute.name.hash(&mut hasher);
        attribute.value.hash(&mut hasher);
    }
    resource.tags.hash(&mut hasher);
    hasher.finish()
}

impl Group {
    pub(super) fn new(
        provider: SharedProvider,
        kinds: BTreeMap<&'static str, Option<Vec<String>>>,
    ) -> Self {
        Self {
            provider,
            kinds,
            graphs: Mutex::default(),
            waste: Arc::default(),
            observations: Mutex::default(),
        }
    }

    pub(super) fn provider(&self) -> &dyn ExternalProvider {
        &*self.provider
    }

    /// Whether a resource is one of the provider.
    pub(super) fn takes(&self, resource: &Resource) -> bool {
        match self.kinds.get(resource.id.kind.to_ascii_lowercase().as_str()) {
            None => false,
            Some(None) => true,
            Some(Some(names)) => {
                let own = resource.value("provider").and_then(|value| reveal(value).0.as_str());
                own.is_some_and(|own| names.iter().any(|name| name == own))
            }
        }
    }

    /// Prepares a resource, together with all resources of its graph if the provider wants that.
    pub(super) fn prepare(&self, resource: &Resource, context: &ParseContext<'_>) -> Entry {
        let mut graphs = lock(&self.graphs);
        let known = graphs.current.clone().filter(|graph| graph.number == context.graph_number);
        let graph = known.unwrap_or_else(|| self.begin_graph(&mut graphs, context));
        if let Some(entry) = graphs.prepared.remove(&resource.id)
            && entry.digest == digest(resource)
        {
            self.wait_for(&entry);
            return entry;
        }
        drop(graphs);
        let number = NEXT_NUMBER.fetch_add(1, Ordering::Relaxed);
        let resources = vec![(number, Cow::Borrowed(resource))];
        let request = PrepareRequest { graph: graph.number, resources, others: Vec::new() };
        let prepared = self.provider.prepare(&request).into_iter().next().unwrap_or_default();
        self.entry(&graph, number, (resource, false), prepared)
    }

    fn begin_graph(&self, graphs: &mut Graphs, context: &ParseContext<'_>) -> Arc<GraphEntry> {
        let number = context.graph_number;
        let base = NEXT_NUMBER.fetch_add(context.graph.len().max(1) as u64, Ordering::Relaxed);
        let graph = Arc::new(GraphEntry { number, base, waste: Arc::clone(&self.waste) });
        graphs.current = Some(Arc::clone(&graph));
        graphs.prepared.clear();
        self.forget();
        if self.provider.prepares_graphs() {
            self.prepare_graph(&graph, graphs, context);
        }
        graph
    }

    fn prepare_graph(
        &self,
        graph: &Arc<GraphEntry>,
        graphs: &mut Graphs,
        context: &ParseContext<'_>,
    ) {
        let (mut resources, mut others) = (Vec::new(), Vec::new());
        for (id, resource) in context.graph.resources().filter(|(_, r)| !r.is_virtual) {
            let number = graph.base + u64::from(id.0);
            let is_leaf = resource.containment == Containment::Leaf;
            match is_leaf && self.takes(resource) {
                true => resources.push((number, (context.without_deferred)(resource))),
                false => others.push((number, resource)),
            }
        }
        let request = PrepareRequest { graph: graph.number, resources, others };
        let prepared = self.provider.prepare(&request);
        for ((number, resource), prepared) in request.resources.iter().zip(prepared) {
            let is_partial = matches!(resource, Cow::Owned(_));
            let entry = self.entry(graph, *number, (resource, is_partial), prepared);
            graphs.prepared.insert(resource.id.clone(), entry);
        }
    }

    fn entry(
        &self,
        graph: &Arc<GraphEntry>,
        number: ResourceNumber,
        (resource, is_partial): (&Resource, bool),
        prepared: PreparedResource,
    ) -> Entry {
        let kind = resource.id.kind.to_ascii_lowercase();
        let kind = self.kinds.get_key_value(kind.as_str()).map(|(name, _)| *name);
        let kind = kind.unwrap_or_default();
        Entry {
            prepared: Arc::new(prepared),
            shared: Arc::new(EntryGuard { number, kind, graph: Arc::clone(graph) }),
            digest: digest(resource),
            is_partial,
        }
    }

    /// Tells the provider about everything that it may forget.
    fn forget(&self) {
        let mut unneeded = lock(&self.waste.0);
        let resources = std::mem::take(&mut unneeded.resources);
        let graphs = std::mem::take(&mut unneeded.graphs);
        drop(unneeded);
        if !resources.is_empty() || !graphs.is_empty() {
            self.provider.forget(&resources, &graphs);
        }
    }

    /// The observations, without those of resources that nobody needs any more.
    fn observations(&self) -> MutexGuard<'_, Observations> {
        let mut observations = lock(&self.observations);
        let gone = std::mem::take(&mut lock(&self.waste.0).observed);
        for (key, number) in gone {
            observations.remove(key, number);
            observations.kept.remove(&number);
        }
        observations
    }

    /// Notes that a resource of the graph is going to be compared some time.
    fn wait_for(&self, entry: &Entry) {
        let is_whole = entry.prepared.errors.is_empty() && !entry.is_partial;
        if self.provider.observes_together() && is_whole {
            let mut observations = self.observations();
            observations.waiting.entry(entry.shared.key()).or_default().insert(entry.number());
        }
    }

    /// Notes that a resource is compared next, and that earlier observations of it are too old.
    pub(super) fn expect(&self, entry: &Entry) {
        if self.provider.observes_together() {
            let mut observations = self.observations();
            observations.kept.remove(&entry.number());
            observations.expected.entry(entry.shared.key()).or_default().insert(entry.number());
        }
    }

    /// Observes a resource, and others with it, unless it was observed with another.
    pub(super) fn observe(&self, entry: &Entry, call: &Call<'_>) -> Observation {
        let (key, number) = (entry.shared.key(), entry.number());
        if !self.provider.observes_together() {
            return self.observe_alone(number, call);
        }
        // Others wait for the answer: it may be theirs, too.
        let mut observations = self.observations();
        observations.invalidate();
        observations.remove(key, number);
        if let Some(kept) = observations.kept.remove(&number) {
            return kept;
        }
        let numbers = observations.batch(key, number, call.is_fresh);
        let [_, others @ ..] = &*numbers else { return self.observe_alone(number, call) };
        let mut answers = self.provider.observe(&numbers, call).into_iter();
        let first = answers.next();
        let mut is_any = false;
        for (other, answer) in others.iter().zip(answers).filter(|(_, a)| a.changes.is_ok()) {
            is_any = true;
            observations.kept.insert(*other, answer);
        }
        if !is_any && !others.is_empty() {
            observations.sizes.insert(key.1, 1);
        }
        match first.filter(|first| others.is_empty() || first.changes.is_ok()) {
            Some(first) => first,
            // An error may be that of another resource.
            None => self.observe_alone(number, call),
        }
    }

    fn observe_alone(&self, number: ResourceNumber, call: &Call<'_>) -> Observation {
        let missing = || Observation {
            changes: Err(KindError::new("the provider gave no answer")),
            log: Vec::new(),
        };
        self.provider.observe(&[number], call).into_iter().next().unwrap_or_else(missing)
    }
}

impl Observations {
    /// Drops observations from before a change.
    fn invalidate(&mut self) {
        let now = changes_made();
        let before = self.changes.replace(now);
        if before.is_some_and(|before| before != now) && !self.kept.is_empty() {
            self.was_wasteful = true;
            self.sizes.clear();
            self.kept.clear();
        }
    }

    fn remove(&mut self, key: GroupKey, number: ResourceNumber) {
        for list in [&mut self.waiting, &mut self.expected] {
            if let Some(numbers) = list.get_mut(&key) {
                numbers.remove(&number);
                if numbers.is_empty() {
                    list.remove(&key);
                }
            }
        }
    }

    /// A resource with those that are observed with it.
    fn batch(&mut self, key: GroupKey, number: ResourceNumber, stays: bool) -> Vec<ResourceNumber> {
        let list = if stays { &self.expected } else { &self.waiting };
        let first = if self.was_wasteful { 1 } else { MAX_BATCH };
        let size = self.sizes.entry(key.1).or_insert(first);
        let count = *size;
        *size = (count * 2).min(MAX_BATCH);
        let waiting = list.get(&key).into_iter().flatten().copied();
        let others = waiting.filter(|other| !self.kept.contains_key(other)).take(count - 1);
        std::iter::once(number).chain(others).collect()
    }
}
