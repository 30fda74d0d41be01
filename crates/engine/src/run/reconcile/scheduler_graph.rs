//! A graph as the scheduler sees it: names, equality, settings and edges.

use ordain_graph::ResourceRef;
use ordain_graph::relations::Role;
use rustc_hash::FxHashSet;

/// A resource of a graph, or one of the markers of a container.
#[derive(Clone, Debug)]
pub struct Vertex {
    /// Its name, which is the same in the next graph.
    pub name: ResourceRef,
    /// The role of the vertex. Markers are never compared: they hold back the vertices after them,
    /// and pass notifications on.
    pub role: Role,
    /// Equal for resources between which nothing has to be done in a swap: all attributes and
    /// metaparameters.
    pub digest: u64,
    /// How it is kept true.
    pub settings: Settings,
}

impl Vertex {
    /// The key of the vertex in the next graph.
    pub(super) fn key(&self) -> Key {
        (self.name.clone(), self.role)
    }

    /// Whether it is never looked at.
    pub(super) fn is_passive(&self) -> bool {
        self.settings.hidden || self.role != Role::Leaf
    }
}

/// The name of a vertex.
pub(super) type Key = (ResourceRef, Role);

/// The settings of a resource for the scheduler, by its metaparameters.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// It is checked but never changed, so that it sends no notifications.
    pub noop: bool,
    /// It only exists for references and is never checked.
    pub hidden: bool,
    /// How often a failed check is tried again; `None` is for ever.
    pub retry: Option<u32>,
    /// Whether a check that succeeds gives all tries back.
    pub retry_reset: bool,
    /// Milliseconds before another try.
    pub delay: u64,
    /// While it fails again and again, the delay is doubled up to this.
    pub longest_delay: u64,
    /// How it is checked without a watch.
    pub poll: Poll,
    /// The interval of [`Poll::WatchAndEvery`] doubles up to this one while nothing changes, in
    /// milliseconds. Shorter ones say nothing.
    pub longest_pause: u64,
    /// How many events are listened to; all if `None`.
    pub limit: Option<Limit>,
    /// Names of semaphores with their sizes.
    pub semaphores: Vec<(String, u32)>,
    /// The group in which some may be changed together. One that needs semaphores is in none.
    pub group: Option<&'static str>,
    /// Whether a swap takes it up again after it failed for good.
    pub rewatch: bool,
    /// Whether a swap that changes it gives all tries back.
    pub reset: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            noop: false,
            hidden: false,
            retry: Some(0),
            retry_reset: false,
            delay: 0,
            longest_delay: 0,
            poll: Poll::Watch,
            longest_pause: 0,
            limit: None,
            semaphores: Vec::new(),
            group: None,
            rewatch: false,
            reset: false,
        }
    }
}

/// How changes of a resource are learnt of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Poll {
    /// By its watch.
    Watch,
    /// By checks at this interval in milliseconds.
    Every(u64),
    /// By its watch, which does not see everything, and by looking.
    WatchAndEvery(u64),
    /// Not at all: it is looked at once.
    Once,
}

/// How many events a resource listens to: a bucket of tokens, refilled at a rate.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Limit {
    /// Tokens a second.
    pub rate: f64,
    /// How many there are at most.
    pub burst: u32,
}

/// That one resource comes before another.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Edge {
    /// The place of the first in the list of vertices.
    pub from: u32,
    /// The place of the second.
    pub to: u32,
    /// Whether changes of the first make the second act.
    pub notify: bool,
}

/// A whole graph. The vertices are in topological order, dependencies first.
#[derive(Clone, Default, Debug)]
pub struct SchedulerGraph {
    /// All resources.
    pub vertices: Vec<Vertex>,
    /// All edges.
    pub edges: Vec<Edge>,
}

/// The reason why a graph cannot be kept true. The current graph stays.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SchedulerGraphError {
    /// Two resources of one name.
    #[error("{0} is in the graph twice")]
    Twice(ResourceRef),
    /// An edge against the order, or to nothing.
    #[error("the edge from {from} to {to} is against the order of the graph")]
    Order {
        /// Where it begins.
        from: u32,
        /// Where it ends.
        to: u32,
    },
    /// One semaphore with two sizes.
    #[error("the semaphore {0} has two sizes")]
    Semaphore(String),
}

impl SchedulerGraph {
    /// Whether the graph can be kept true.
    ///
    /// # Errors
    /// The first thing that is wrong with it.
    pub fn validate(&self) -> Result<(), SchedulerGraphError> {
        let mut names = FxHashSet::default();
        let mut sizes = rustc_hash::FxHashMap::default();
        for vertex in &self.vertices {
            if !names.insert((&vertex.name, vertex.role)) {
                return Err(SchedulerGraphError::Twice(vertex.name.clone()));
            }
            for (name, size) in &vertex.settings.semaphores {
                if sizes.insert(name, size).is_some_and(|known| known != size) {
                    return Err(SchedulerGraphError::Semaphore(name.clone()));
                }
            }
        }
        let count = self.vertices.len() as u32;
        match self.edges.iter().find(|edge| edge.from >= edge.to || edge.to >= count) {
            Some(edge) => Err(SchedulerGraphError::Order { from: edge.from, to: edge.to }),
            None => Ok(()),
        }
    }
}
