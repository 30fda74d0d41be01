//! A graph as the scheduler sees it: names, equality, settings and edges.

use ordain_graph::ResourceRef;
use ordain_graph::relations::Role;
use rustc_hash::FxHashSet;

/// A resource of a graph, or one of the markers of a container.
#[derive(Clone, Debug)]
pub struct Vertex {
    /// Its name, which stays the same in the next graph.
    pub name: ResourceRef,
    /// The role of the vertex. Markers are never checked: they delay the vertices after them, and
    /// pass notifications on.
    pub role: Role,
    /// A digest of all attributes and metaparameters: a swap leaves equal resources alone.
    pub digest: u64,
    /// Its scheduler settings.
    pub settings: Settings,
}

impl Vertex {
    /// The key of the vertex in the next graph.
    pub(super) fn key(&self) -> Key {
        (self.name.clone(), self.role)
    }

    /// Whether it is never checked.
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
    /// The number of retries after a failed check; unlimited if `None`.
    pub retry: Option<u32>,
    /// Whether a successful check restores all retries.
    pub retry_reset: bool,
    /// Milliseconds before another try.
    pub delay: u64,
    /// The maximum delay, which doubles with each failure.
    pub longest_delay: u64,
    /// The way in which its changes are detected.
    pub poll: Poll,
    /// The interval of [`Poll::WatchAndEvery`] doubles up to this one while nothing changes, in
    /// milliseconds. Shorter ones say nothing.
    pub max_poll_interval: u64,
    /// The maximum rate of events; unlimited if `None`.
    pub limit: Option<Limit>,
    /// Names of semaphores with their sizes.
    pub semaphores: Vec<(String, u32)>,
    /// The group for batches. A resource with semaphores has none.
    pub group: Option<&'static str>,
    /// Whether a swap retries it after a permanent failure.
    pub rewatch: bool,
    /// Whether a swap that changes it restores all retries.
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
            max_poll_interval: 0,
            limit: None,
            semaphores: Vec::new(),
            group: None,
            rewatch: false,
            reset: false,
        }
    }
}

/// The way in which changes of a resource are detected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Poll {
    /// By its watch.
    Watch,
    /// By checks at this interval in milliseconds.
    Every(u64),
    /// By an incomplete watch, and by checks at this interval in milliseconds.
    WatchAndEvery(u64),
    /// Not at all: it is checked once.
    Once,
}

/// The rate limit of events: a token bucket.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Limit {
    /// Tokens a second.
    pub rate: f64,
    /// The maximum number of tokens.
    pub burst: u32,
}

/// An edge: one resource comes before another.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Edge {
    /// The index of the first vertex.
    pub from: u32,
    /// The place of the second.
    pub to: u32,
    /// Whether changes of the first vertex notify the second.
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

/// The reason why a graph is invalid. The current graph stays.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SchedulerGraphError {
    /// Two resources of one name.
    #[error("{0} is in the graph twice")]
    Twice(ResourceRef),
    /// An edge against the order, or to a missing vertex.
    #[error("the edge from {from} to {to} is against the order of the graph")]
    Order {
        /// Its start.
        from: u32,
        /// Its end.
        to: u32,
    },
    /// One semaphore with two sizes.
    #[error("the semaphore {0} has two sizes")]
    Semaphore(String),
}

impl SchedulerGraph {
    /// Checks that the graph is valid.
    ///
    /// # Errors
    /// The first problem.
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
