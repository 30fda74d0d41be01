//! Running a program: a net of variables and of units that wait for them.
//!
//! Everything is one thread with first-in-first-out queues, whose order the result depends on:
//! which list is frozen first decides whether a later assignment is too late.
//!
//! | file | contents |
//! | --- | --- |
//! | `variables.rs` | variables: setting, reading, waiting, listening |
//! | `relations.rs` | relations: their other ends, and when they are frozen |
//! | `emit.rs` | the requirements of expressions and statements |
//! | `units.rs` | units, once they are ready |
//! | `references.rs` | units that read attributes, promise them, ask whether they are defined |
//! | `comprehension.rs` | units of comprehensions |
//! | `execute.rs` | the values of expressions |
//! | `construct.rs` | instances |
//! | `index.rs` | indexes |
//! | `queues.rs` | the loop, and freezing when nothing can run |
//! | `call.rs` | plugins and casts |
//! | `ahead.rs` | calls of Python code that are handed over together |
//! | `validate.rs` | whether values fit types |
//! | `direct.rs` | conditions of typedefs |
//! | `operators.rs`, `strings.rs` | operators, strings with placeholders |
//! | `finish.rs` | errors about missing values at the end |
//! | `history.rs` | how instances came by their values |
//! | `context.rs` | the run as plugins see it |

mod ahead;
mod call;
mod comprehension;
mod construct;
mod context;
mod dataclasses;
mod direct;
mod emit;
mod execute;
mod finish;
mod history;
mod index;
mod operators;
mod queues;
mod references;
mod relations;
mod strings;
mod units;
mod validate;
mod variables;

use std::cell::Cell;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::rc::Rc;

use indexmap::{IndexMap, IndexSet};
use ordain_data::Decrypted;
use ordain_source::{World, budget};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::error::{Class, Error, Reporter, Result};
use crate::location::Location;
use crate::plugin::Origin;
use crate::program::Program;
use crate::syntax::ast::{BlockId, ExprId, StmtId};
use crate::template::Renderer;
use crate::types::{Type, TypeId};
use crate::value::{InstanceId, Names, Unknown, Value, VarId};

pub use history::{Given, How, Layout};
pub use queues::DEFAULT_LIMIT;

/// No number.
const NONE: u32 = u32::MAX;

/// The number of a unit.
type UnitId = u32;

/// The number of a listener.
type ListenerId = u32;

/// Where names are looked up: a scope, or an instance if the first bit is set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct ScopeId(u32);

impl ScopeId {
    /// The top level of the file where the code is.
    const TOP: Self = Self(NONE >> 1);

    fn instance(id: InstanceId) -> Self {
        Self(id.0 | (1 << 31))
    }

    fn as_instance(self) -> Option<InstanceId> {
        (self.0 >> 31 == 1).then_some(InstanceId(self.0 & (NONE >> 1)))
    }
}

/// Variables of a block, or the instance that values are computed for.
#[derive(Clone, Copy, Debug)]
struct Scope {
    parent: ScopeId,
    /// The first variable.
    first: u32,
    /// The instance; such a scope has no variables and is no level.
    owner: u32,
}

/// A place in the program: an expression, or a statement if the first bit is set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Place(u32);

impl Place {
    fn expr(id: ExprId) -> Self {
        Self(id.raw())
    }

    fn stmt(id: StmtId) -> Self {
        Self(id.raw() | (1 << 31))
    }

    fn as_expr(self) -> Option<ExprId> {
        (self.0 >> 31 == 0).then(|| ExprId::new(self.0))
    }

    fn as_stmt(self) -> Option<StmtId> {
        (self.0 >> 31 == 1).then(|| StmtId::new(self.0 & (NONE >> 1)))
    }
}

/// The kinds of variables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// Set once.
    Plain,
    /// An element of a list, which is set from the beginning.
    Element,
    /// A relation to one instance.
    One,
    /// A relation to one instance or none.
    Opt,
    /// A relation to several instances.
    Many,
    /// A list that is put together.
    Collected,
    /// A proxy of another variable.
    Proxy,
}

/// The state of a variable.
#[derive(Debug)]
enum State {
    /// Nothing yet: the first and last who wait.
    Open { head: u32, tail: u32 },
    /// Its value; a relation that has it is frozen.
    Ready(Value),
}

/// A variable.
#[derive(Debug)]
struct Var {
    state: State,
    /// Where it was set.
    place: Place,
    /// The type of a plain one, the attribute of a relation, the listener of a proxy.
    meta: u32,
    /// The instance of a relation to one, the rest of a delayed one, the variable behind a proxy.
    link: u32,
    kind: Kind,
    /// Whether the listener of a proxy gets the value when it is read.
    notifies: bool,
}

// There are several for every instance.
const _: () = assert!(size_of::<Var>() == 40 && size_of::<Delayed>() == 40);

/// The value of a variable without a value.
const NOTHING: &Value = &Value::Null;

impl Var {
    /// Whether it has its value, or is frozen.
    fn is_ready(&self) -> bool {
        matches!(self.state, State::Ready(_))
    }

    /// The value, `null` if it has none.
    fn value(&self) -> &Value {
        match &self.state {
            State::Ready(value) => value,
            State::Open { .. } => NOTHING,
        }
    }
}

/// The data of variables that are frozen at some time.
#[derive(Debug, Default)]
struct Delayed {
    /// The instance.
    instance: u32,
    /// How many promises are open.
    promises: u32,
    waiters: u32,
    gradual: u32,
    /// Its number among those that nobody waits for, or [`NONE`].
    zero: u32,
    is_queued: bool,
    /// Whether it is noted as one of those that somebody waits for now.
    is_woken: bool,
    /// Why it was frozen, for explanations.
    reason: Reason,
    /// The items, if there are some.
    items: Option<Rc<Vec<Value>>>,
    /// Data that few have.
    rare: Option<Box<Rare>>,
}

impl Delayed {
    fn items(&self) -> &[Value] {
        self.items.as_ref().map_or(&[], |items| items)
    }

    /// The items to be changed; nobody else has them before they are frozen.
    fn items_mut(&mut self) -> &mut Vec<Value> {
        Rc::make_mut(self.items.get_or_insert_default())
    }
}

/// Data that few of the delayed variables have.
#[derive(Debug, Default)]
struct Rare {
    /// The items, once there are many.
    members: FxHashSet<Member>,
    listeners: IndexSet<ListenerId, FxBuildHasher>,
    /// Some of those who waited when it was frozen, for explanations.
    waited: SmallVec<[Place; 3]>,
}

/// The reason of a freeze.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Reason {
    /// Nothing more was promised.
    #[default]
    Complete,
    /// Units wait for each other in a ring.
    Cycle,
    /// Nothing was left to run.
    End,
    /// It was full, or set to null.
    Full,
}

/// An item of a relation.
#[derive(PartialEq, Eq, Hash, Debug)]
enum Member {
    Instance(InstanceId),
    Unknown(usize),
}

/// Who waits for a variable.
#[derive(Clone, Copy, Debug)]
struct Waiter {
    unit: UnitId,
    next: u32,
}

/// Who gets the elements of a list as they come.
#[derive(Clone, Copy, Debug)]
enum Listener {
    For { stmt: StmtId, scope: ScopeId },
    Assign { var: VarId, by: Place, instance: InstanceId },
    Comprehension(u32),
    Defined { target: VarId, expr: ExprId },
}

/// How the root of an expression is read when its unit runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Root {
    /// As it is.
    Plain,
    /// Its value goes to the listener, too.
    Notify(ListenerId),
    /// It is a list that was collected.
    Collected,
}

/// The variables that a unit waits for.
type Requires = SmallVec<[VarId; 3]>;

/// The work of a unit.
#[derive(Clone, Debug)]
enum Work {
    Exec {
        expr: ExprId,
        target: VarId,
        owner: Place,
        root: Root,
    },
    Assign {
        expr: ExprId,
        target: VarId,
        by: Place,
        instance: InstanceId,
        attribute: u32,
        root: Root,
    },
    For {
        stmt: StmtId,
        root: Root,
        promises: u32,
    },
    If {
        stmt: StmtId,
        promises: u32,
    },
    Implement {
        instance: InstanceId,
        implement: u32,
    },
    SetAttr(StmtId),
    Logic {
        expr: ExprId,
        target: VarId,
    },
    Lookup {
        expr: ExprId,
        target: VarId,
    },
    Attr {
        expr: ExprId,
        proxy: VarId,
        /// Whether an optional relation without a value on the way stands for the value.
        is_lenient: bool,
    },
    Promise {
        stmt: StmtId,
        promise: u32,
    },
    Defined {
        expr: ExprId,
        target: VarId,
    },
    DefinedEnd {
        expr: ExprId,
        target: VarId,
        var: VarId,
    },
    Cond {
        expr: ExprId,
        target: VarId,
        listener: Option<ListenerId>,
    },
    Branch {
        expr: ExprId,
        branch: ExprId,
        target: VarId,
        root: Root,
    },
    Guard {
        number: u32,
        element: Option<Value>,
        target: VarId,
    },
    Pass {
        expr: ExprId,
        target: VarId,
    },
    Give {
        target: VarId,
        value: Value,
        listener: Option<ListenerId>,
        expr: ExprId,
    },
    Comprehension {
        number: u32,
        root: Root,
    },
    ComprehensionEnd {
        number: u32,
    },
    Call {
        expr: ExprId,
        target: VarId,
        arguments: Option<Rc<call::Given>>,
    },
    Done,
}

/// Something that waits.
#[derive(Debug)]
struct Unit {
    work: Work,
    scope: ScopeId,
    requires: Requires,
    waits: u32,
    /// The order of creation.
    sequence: u64,
}

/// A comprehension that runs.
#[derive(Debug)]
struct Comprehension {
    expr: ExprId,
    scope: ScopeId,
    listener: Option<ListenerId>,
    results: Vec<VarId>,
    target: VarId,
}

/// A promise that a relation will get values.
#[derive(Clone, Copy, Debug, Default)]
struct Promise {
    var: Option<VarId>,
    is_kept: bool,
}

/// An instance.
#[derive(Debug)]
struct Instance {
    entity: u32,
    /// The variable of `self`, before those of the slots.
    first: u32,
    places: SmallVec<[Place; 1]>,
    implementations: SmallVec<[u32; 2]>,
}

/// The key of an index: the list of attributes and their values.
type IndexKey = (u32, SmallVec<[index::Part; 2]>);

/// The variables that lookups wait for, by the keys of the lookups.
type Missing = IndexMap<IndexKey, Vec<(VarId, ExprId)>, FxBuildHasher>;

/// The settings of a run.
pub struct Settings<'w> {
    /// The outside world.
    pub world: &'w dyn World,
    /// The directory of the project.
    pub project: PathBuf,
    /// The directories of the modules that are loaded.
    pub modules: Vec<(String, PathBuf)>,
    /// Rules for the order in which relations are frozen: entity, relation, entity, relation.
    pub precedence: Vec<[String; 4]>,
    /// Facts of resources: resource, name, value.
    pub facts: Vec<(String, String, Value)>,
    /// Settings of the compiler: section, key, value.
    pub settings: Vec<(String, String, String)>,
    /// How many turns the loop may take.
    pub limit: u64,
    /// How many bytes the model may take, as far as they are counted.
    pub most_bytes: usize,
}

/// A program that runs.
pub struct Net<'w> {
    /// The program.
    pub program: Program,
    settings: Settings<'w>,
    vars: Vec<Var>,
    delayed: Vec<Delayed>,
    waiters: Vec<Waiter>,
    free_waiters: u32,
    listeners: Vec<Listener>,
    scopes: Vec<Scope>,
    instances: Vec<Instance>,
    comprehensions: Vec<Comprehension>,
    promises: Vec<Promise>,
    units: Vec<Unit>,
    free_units: Vec<UnitId>,
    sequence: u64,
    living: usize,
    running: VecDeque<UnitId>,
    waiting: queues::WaitQueue,
    zero: queues::Zero,
    indexes: Vec<index::Index>,
    missing: Vec<Missing>,
    annotations: Vec<Vec<(ExprId, VarId)>>,
    stdout: String,
    logs: Vec<String>,
    calls: FxHashMap<u32, u64>,
    unknown_parameters: Vec<(String, String)>,
    /// Passwords that the model asked for.
    pub(crate) secrets: Decrypted,
    call_site: Vec<(ExprId, ScopeId)>,
    depth: u32,
    bool_type: TypeId,
    /// The blocks of scopes that a plugin may look into by name.
    scope_blocks: FxHashMap<u32, BlockId>,
    /// The value in place of an element that a comprehension does not take.
    skipped: Value,
    /// The list without items.
    empty: Value,
    renderer: Renderer,
    /// The instances that Python code made, with their origins.
    origins: FxHashMap<InstanceId, Origin>,
    /// How many items relations and collected lists have.
    items: usize,
    /// How many items of lists were searched through.
    compared: Cell<u64>,
    /// The calls that were handed over before their turn, in the order of their turns.
    ahead: VecDeque<ahead::Ahead>,
    /// The units that set variables before the call that is being prepared.
    assigned_ahead: FxHashMap<VarId, UnitId>,
    /// Whether calls may be handed over before their turn, once that is known.
    looks_ahead: Option<bool>,
}

/// How many variables and the like there is room for before a list of them moves. Room that is not
/// used takes addresses and no memory; a list that moves is in memory twice for a moment.
const ROOM: usize = 1 << 19;

/// A list with room for all that may come, so that it never moves: what it leaves behind when it
/// does is not given back at once, and nearly as large as itself. Where so many addresses are not
/// to be had, it moves.
fn roomy<T>(most_bytes: usize) -> Vec<T> {
    let mut list = Vec::new();
    if list.try_reserve_exact(most_bytes / size_of::<T>()).is_err() {
        list.reserve(ROOM);
    }
    list
}

/// How deep settings may lead to further settings.
const DEPTH: u32 = 1000;

impl<'w> Net<'w> {
    /// A net for a program whose definitions are registered.
    pub fn new(mut program: Program, settings: Settings<'w>) -> Self {
        let bool_type = program.types.add(Type::Bool);
        let entities = program.entities.len();
        let most = settings.most_bytes;
        Self {
            program,
            settings,
            vars: roomy(most),
            delayed: roomy(most),
            waiters: Vec::with_capacity(ROOM),
            free_waiters: NONE,
            listeners: Vec::with_capacity(ROOM),
            scopes: Vec::with_capacity(ROOM),
            instances: roomy(most),
            comprehensions: Vec::new(),
            promises: Vec::new(),
            units: Vec::with_capacity(ROOM),
            free_units: Vec::new(),
            sequence: 0,
            living: 0,
            running: VecDeque::new(),
            waiting: queues::WaitQueue::default(),
            zero: queues::Zero::default(),
            indexes: (0..entities).map(|_| index::Index::default()).collect(),
            missing: (0..entities).map(|_| IndexMap::default()).collect(),
            annotations: Vec::new(),
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
            renderer: Renderer::default(),
            origins: FxHashMap::default(),
            items: 0,
            compared: Cell::new(0),
            ahead: VecDeque::new(),
            assigned_ahead: FxHashMap::default(),
            looks_ahead: None,
        }
    }

    /// Looks up all names, and does the checks that need no run.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn normalize(&mut self) -> Result<()> {
        use crate::program::Named;
        self.program.number_globals();
        let named = self.program.named.clone();
        for item in &named {
            match item {
                Named::Typedef(id) => {
                    let condition = self.program.typedefs[*id as usize].condition;
                    let mut scopes = crate::check::Scopes::default();
                    self.program.normalize(condition, None, &mut scopes)?;
                }
                Named::Plugin(id) => self.program.normalize_plugin(*id)?,
                _ => {}
            }
        }
        for item in &named {
            if let Named::Entity(id) = item {
                self.normalize_entity(*id)?;
            }
        }
        for item in &named {
            if let Named::Implementation(id) = item {
                self.program.normalize_implementation(*id)?;
            }
        }
        for top in 0..self.program.tops.len() {
            self.program.normalize_top(top)?;
        }
        Ok(())
    }

    /// Runs the program to its end.
    ///
    /// # Errors
    /// The first error of the run, or all that show at the end.
    pub fn run(&mut self) -> Result<()> {
        self.waiting = self.precedence()?;
        self.program.warn_of_shadows();
        for _ in 0..self.program.global_count {
            self.plain(0);
        }
        for top in self.program.tops.clone() {
            self.emit_block(top.block, ScopeId::TOP)?;
        }
        self.turn()?;
        self.finish()
    }

    /// That the model is not larger than it may be: implementations can make instances without end.
    fn bounded(&self) -> Result<()> {
        let taken = self.vars.len() * size_of::<Var>()
            + self.delayed.len() * size_of::<Delayed>()
            + self.instances.len() * size_of::<Instance>()
            + self.units.len() * size_of::<Unit>()
            + self.scopes.len() * size_of::<Scope>()
            + self.waiters.len() * size_of::<Waiter>()
            + self.listeners.len() * size_of::<Listener>()
            + self.promises.len() * size_of::<Promise>()
            + self.comprehensions.len() * size_of::<Comprehension>()
            + self.scope_blocks.len() * size_of::<(u32, BlockId)>()
            + self.items * size_of::<Value>()
            + self.waiting.bytes()
            + self.zero.bytes();
        if taken < self.settings.most_bytes {
            // The further memory of values, such as texts, is not counted.
            return budget::check()
                .map_err(|exceeded| Error::new(Class::Compiler, exceeded.to_string()));
        }
        let message = format!(
            "the model takes more than {} MiB, with {} instances so far",
            self.settings.most_bytes >> 20,
            self.instances.len()
        );
        let mut error = Error::new(Class::Compiler, message);
        let help = "does an implementation make instances that it is an implementation of?";
        let help = format!("{help} {}", budget::HELP);
        error.background.get_or_insert_default().help.push(help);
        Err(error)
    }

    /// The output of the program.
    pub fn stdout(&self) -> &str {
        &self.stdout
    }

    /// The log, one line each.
    pub fn logs(&self) -> &[String] {
        &self.logs
    }

    /// The parameters that are not known: resource and name.
    pub fn unknown_parameters(&self) -> &[(String, String)] {
        &self.unknown_parameters
    }

    /// How often each plugin was called.
    pub fn calls(&self) -> Vec<(String, u64)> {
        let name = |id: u32| self.program.plugins[id as usize].plugin.signature().name.to_string();
        let mut calls: Vec<_> = self.calls.iter().map(|(id, n)| (name(*id), *n)).collect();
        calls.sort();
        calls
    }

    /// The variables at the top level of the main file, in order.
    pub fn variables(&self) -> Vec<(String, Option<Value>)> {
        let Some(top) = self.program.tops.first() else { return Vec::new() };
        let names = &self.program.ast.blocks[top.block].variables;
        let value = |i: usize| {
            let var = self.vars.get(top.first as usize + i)?;
            var.is_ready().then(|| var.value().clone())
        };
        names.iter().enumerate().map(|(i, n)| (self.program.name(*n).into(), value(i))).collect()
    }

    /// All instances.
    pub fn instances(&self) -> impl Iterator<Item = InstanceId> + use<> {
        (0..self.instances.len() as u32).map(InstanceId)
    }

    /// The entity of an instance.
    pub fn entity(&self, id: InstanceId) -> u32 {
        self.instances[id.0 as usize].entity
    }

    /// The attributes of an instance with their values, `None` where there is none.
    pub fn attributes(&self, id: InstanceId) -> Vec<(&str, Option<Value>)> {
        let instance = &self.instances[id.0 as usize];
        let slots = &self.program.entities[instance.entity as usize].slots;
        let value = |slot: usize| {
            let var = &self.vars[instance.first as usize + 1 + slot];
            var.is_ready().then(|| var.value().clone())
        };
        let name = |id: &u32| self.program.name(self.program.attributes[*id as usize].name);
        let values = slots.iter().enumerate().map(|(slot, id)| (name(id), value(slot)));
        values.filter(|(name, _)| *name != "self").collect()
    }

    /// The names of the implementations that ran for an instance.
    pub fn implementations(&self, id: InstanceId) -> Vec<&str> {
        let ran = &self.instances[id.0 as usize].implementations;
        ran.iter().map(|id| self.program.implementations[*id as usize].full_name.as_str()).collect()
    }

    /// Where an instance was constructed.
    pub fn places(&self, id: InstanceId) -> Vec<Location> {
        self.instances[id.0 as usize].places.iter().map(|place| self.location(*place)).collect()
    }

    fn location(&self, place: Place) -> Location {
        if place.0 >> 31 == 1 {
            self.program.ast.stmts[StmtId::new(place.0 & (NONE >> 1))].at
        } else if (place.0 as usize) < self.program.ast.exprs.len() {
            self.program.ast.exprs[ExprId::new(place.0)].at
        } else {
            Location::line(NONE, 1)
        }
    }

    /// A place as it stands behind `reported in`.
    fn reporter(&self, place: Place) -> Reporter {
        let text = if place.0 >> 31 == 1 {
            self.program.ast.statement(StmtId::new(place.0 & (NONE >> 1)))
        } else {
            self.program.ast.reported(ExprId::new(place.0))
        };
        Reporter { text, location: Some(self.location(place)) }
    }

    /// An error that passes through a place, which is noted if none is.
    fn through(&self, mut error: Box<Error>, place: Place) -> Box<Error> {
        self.note_statements(&mut error, place, false);
        error.set_reporter(false, &|| self.reporter(place));
        error
    }

    /// An error that passes through a place, which replaces the one that was noted.
    fn replaced(&self, mut error: Box<Error>, place: Place) -> Box<Error> {
        self.note_statements(&mut error, place, true);
        error.set_reporter(true, &|| self.reporter(place));
        error
    }

    /// An error of a place.
    fn error_at(&self, place: Place, error: Box<Error>) -> Box<Error> {
        let mut error = error;
        self.note_statement(&mut error, place);
        let reporter = self.reporter(place);
        error.by(reporter.text, self.location(place))
    }

    fn is_skipped(&self, unknown: &Rc<Unknown>) -> bool {
        matches!(&self.skipped, Value::Unknown(skipped) if Rc::ptr_eq(skipped, unknown))
    }

    fn unknown(&self) -> Value {
        Value::Unknown(Rc::new(Unknown::default()))
    }
}

impl Names for Net<'_> {
    fn entity_name(&self, instance: InstanceId) -> &str {
        let entity = self.instances[instance.0 as usize].entity;
        &self.program.entities[entity as usize].full_name
    }

    fn constructed_at(&self, instance: InstanceId) -> String {
        let places = self.instances[instance.0 as usize].places.iter();
        let places: Vec<String> =
            places.map(|place| self.program.files.show(self.location(*place))).collect();
        places.join(",")
    }
}
