//! A program that runs, with its settings.

use std::cell::Cell;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::rc::Rc;

use indexmap::IndexMap;
use ordain_data::Decrypted;
use ordain_source::World;
use rustc_hash::FxHashMap;

use super::state::call::BatchedCall;
use super::state::ids::{NONE, Scope, ScopeId, UnitId};
use super::state::index::{Index, Instance, PendingLookups};
use super::state::queue::{WaitQueue, ZeroWaiters};
use super::state::unit::{Comprehension, Listener, Promise, Unit};
use super::state::variable::{Delayed, Var, Waiter};
use crate::model::identity::Identity;
use crate::model::plugin::{Origin, PluginState};
use crate::model::program::Program;
use crate::syntax::ast::{BlockId, ExprId};
use crate::types::{Type, TypeId};
use crate::value::{InstanceId, Value, VarId};

/// The settings of a run.
pub struct Settings<'w> {
    /// Files, environment and time.
    pub world: &'w dyn World,
    /// The directory of the project.
    pub project: PathBuf,
    /// The directories of the modules that are loaded.
    pub modules: Vec<(String, PathBuf)>,
    /// Rules for the order in which relations are frozen: entity, relation, entity, relation.
    pub precedence: Vec<[String; 4]>,
    /// Facts of resources: resource, name, value.
    pub facts: Vec<(String, String, Value)>,
    /// How the resource classes of modules make ids.
    pub identities: Vec<Identity>,
    /// Settings of the compiler: section, key, value.
    pub settings: Vec<(String, String, String)>,
    /// The limit for iterations of the main loop.
    pub limit: u64,
    /// The limit for the memory of the model in bytes. The contents of values are not counted.
    pub max_bytes: usize,
    /// Whether the run is a part of a check, which calls no plugins that ask the machine or are
    /// written in Python.
    pub is_check: bool,
}

/// A program that runs.
pub struct Net<'w> {
    /// The program.
    pub program: Program,
    pub(super) settings: Settings<'w>,
    pub(super) vars: Vec<Var>,
    pub(super) delayed: Vec<Delayed>,
    pub(super) waiters: Vec<Waiter>,
    pub(super) free_waiters: u32,
    pub(super) listeners: Vec<Listener>,
    pub(super) scopes: Vec<Scope>,
    pub(super) instances: Vec<Instance>,
    pub(super) comprehensions: Vec<Comprehension>,
    pub(super) promises: Vec<Promise>,
    pub(super) units: Vec<Unit>,
    pub(super) free_units: Vec<UnitId>,
    pub(super) sequence: u64,
    pub(super) living: usize,
    pub(super) running: VecDeque<UnitId>,
    pub(super) waiting: WaitQueue,
    pub(super) zero: ZeroWaiters,
    pub(super) indexes: Vec<Index>,
    pub(super) missing: Vec<PendingLookups>,
    pub(super) annotations: Vec<Vec<(ExprId, VarId)>>,
    /// Whether a check came to a plugin that it does not call.
    pub(super) needs_plugin: bool,
    pub(super) stdout: String,
    pub(super) logs: Vec<String>,
    pub(super) calls: FxHashMap<u32, u64>,
    pub(super) unknown_parameters: Vec<(String, String)>,
    /// The passwords that the model read.
    pub(crate) secrets: Decrypted,
    pub(super) call_site: Vec<(ExprId, ScopeId)>,
    pub(super) depth: u32,
    pub(super) bool_type: TypeId,
    /// The blocks of scopes whose variables plugins may look up by name.
    pub(super) scope_blocks: FxHashMap<u32, BlockId>,
    /// The placeholder for an element that a guard refuses.
    pub(super) skipped: Value,
    /// The empty list.
    pub(super) empty: Value,
    pub(super) plugin_state: PluginState,
    /// The origins of the instances that Python code created.
    pub(super) origins: FxHashMap<InstanceId, Origin>,
    /// The number of items in all relations and collected lists.
    pub(super) items: usize,
    /// The number of comparisons in searches of lists.
    pub(super) compared: Cell<u64>,
    /// The current batch of calls, in the order of their units.
    pub(super) batch: VecDeque<BatchedCall>,
    /// The assignments of units before the call that is added to the batch.
    pub(super) assigned_before: FxHashMap<VarId, UnitId>,
    /// Whether calls can be batched; `None` until that is checked.
    pub(super) can_batch: Option<bool>,
}

/// The initial capacity of lists. Unused capacity takes addresses, not memory; a list that grows
/// beyond it is in memory twice for a moment.
pub(super) const INITIAL_CAPACITY: usize = 1 << 19;

/// A list with capacity for the largest model, so that it never moves: a moved list leaves memory
/// of nearly its size behind that is not returned at once. If the addresses are not available, the
/// list starts smaller.
pub(super) fn with_capacity_for<T>(max_bytes: usize) -> Vec<T> {
    let mut list = Vec::new();
    if list.try_reserve_exact(max_bytes / size_of::<T>()).is_err() {
        list.reserve(INITIAL_CAPACITY);
    }
    list
}

impl<'w> Net<'w> {
    /// Creates a net for a program whose definitions are registered.
    pub fn new(mut program: Program, settings: Settings<'w>) -> Self {
        let bool_type = program.types.add(Type::Bool);
        let entities = program.entities.len();
        let most = settings.max_bytes;
        Self {
            program,
            settings,
            vars: with_capacity_for(most),
            delayed: with_capacity_for(most),
            waiters: Vec::with_capacity(INITIAL_CAPACITY),
            free_waiters: NONE,
            listeners: Vec::with_capacity(INITIAL_CAPACITY),
            scopes: Vec::with_capacity(INITIAL_CAPACITY),
            instances: with_capacity_for(most),
            comprehensions: Vec::new(),
            promises: Vec::new(),
            units: Vec::with_capacity(INITIAL_CAPACITY),
            free_units: Vec::new(),
            sequence: 0,
            living: 0,
            running: VecDeque::new(),
            waiting: WaitQueue::default(),
            zero: ZeroWaiters::default(),
            indexes: (0..entities).map(|_| Index::default()).collect(),
            missing: (0..entities).map(|_| IndexMap::default()).collect(),
            annotations: Vec::new(),
            needs_plugin: false,
            stdout: String::new(),
            logs: Vec::new(),
            calls: FxHashMap::default(),
            unknown_parameters: Vec::new(),
            secrets: Decrypted::default(),
            call_site: Vec::new(),
            depth: 0,
            bool_type,
            scope_blocks: FxHashMap::default(),
            skipped: Value::unknown(""),
            empty: Value::List(Rc::default()),
            plugin_state: PluginState::default(),
            origins: FxHashMap::default(),
            items: 0,
            compared: Cell::new(0),
            batch: VecDeque::new(),
            assigned_before: FxHashMap::default(),
            can_batch: None,
        }
    }
}
