//! The nodes of expressions and statements.
//!
//! Calls of known functions are inlined. Branches, bodies of loops and of function values are
//! [`Body`]s, which the engine builds on demand. A definition is one node at the top, built at its
//! first use; definitions in loops belong to the iteration.

use std::sync::{Arc, Mutex};

use ordain_source::budget;
use ordain_source::limits::StackMeter;
use rustc_hash::FxHashMap;

use crate::check::program::ModId;
use crate::elaborate::MAX_STACK;
use crate::eval::{Body, BodyNodes, Engine, Graph, NodeId};
use crate::functions::{Environment, Fault};
use crate::ir::{DefId, IrId, IrKind, Lambda, ParamId, Program, RegionId, Step, StepId};
use crate::value::{Func, Value};

/// The maximal number of nodes that are inlined at once.
const MAX_NODES: usize = 2_000_000;

/// The source of a value.
#[derive(Clone, Copy, Debug)]
pub(super) enum Source {
    /// It is in the program.
    Const(IrId),
    /// A node has it.
    Node(NodeId),
}

/// A statement with the nodes of its values.
#[derive(Debug)]
pub(super) struct LiveStatement {
    pub(super) step: StepId,
    /// The nodes, in the order of the parts of the statement.
    pub(super) values: Vec<Source>,
}

/// The statements of a branch or an iteration, as the engine keeps them.
pub(super) struct Statements(pub(super) Vec<LiveStatement>);

/// The state that all builders share.
struct Shared {
    program: Arc<Program>,
    hostname: Value,
    /// The nodes of definitions at the top, by their numbers.
    top: Mutex<Vec<Option<NodeId>>>,
    /// The directories of the modules.
    bases: Vec<Arc<str>>,
    /// The definitions that are visible at the top.
    env: Arc<Env>,
}

/// The parameters in sight.
struct Env {
    outer: Option<Arc<Env>>,
    /// The loop whose iteration this is.
    region: RegionId,
    first: ParamId,
    nodes: Vec<NodeId>,
    /// Definitions of loops that were built here.
    memo: Mutex<FxHashMap<DefId, NodeId>>,
}

impl Env {
    fn top() -> Arc<Self> {
        Self::inner(None, RegionId::TOP, ParamId(0), Vec::new())
    }

    fn inner(
        outer: Option<Arc<Env>>,
        region: RegionId,
        first: ParamId,
        nodes: Vec<NodeId>,
    ) -> Arc<Self> {
        let memo = Mutex::new(FxHashMap::default());
        Arc::new(Self { outer, region, first, nodes, memo })
    }
}

/// Builds the nodes of a whole program.
pub(super) fn build(
    program: &Arc<Program>,
    engine: &mut Engine,
    environment: &dyn Environment,
) -> Result<Vec<LiveStatement>, Fault> {
    let bases = program.modules.iter().map(|module| module.base.trim_end_matches('/').into());
    let shared = Shared {
        program: Arc::clone(program),
        hostname: Value::from(environment.hostname().to_string()),
        top: Mutex::new(vec![None; program.defs.len()]),
        bases: bases.collect(),
        env: Env::top(),
    };
    let shared = Arc::new(shared);
    let mut graph = engine.build();
    let mut builder = Builder::new(&shared, &mut graph);
    builder.statements(&shared.env, &program.body)
}

struct Builder<'s, 'g, 'e> {
    shared: &'s Arc<Shared>,
    graph: &'g mut Graph<'e>,
    count: usize,
    /// The module of new nodes.
    module: Option<ModId>,
    /// Measured for each part, because each is built on its own stack.
    stack: StackMeter,
}

/// A part that is built on demand.
struct Part {
    shared: Arc<Shared>,
    env: Arc<Env>,
    kind: PartKind,
}

enum PartKind {
    Expr(IrId),
    Lambda(Lambda),
    Statements(Arc<[StepId]>),
    Iteration(RegionId, ParamId, Arc<[StepId]>),
}

impl Body for Part {
    fn build(&self, graph: &mut Graph<'_>, args: &[NodeId]) -> Result<BodyNodes, Fault> {
        let mut builder = Builder::new(&self.shared, graph);
        let outer = Some(Arc::clone(&self.env));
        let inner = |region, first, nodes| Env::inner(outer, region, first, nodes);
        match &self.kind {
            PartKind::Expr(ir) => {
                let env = inner(RegionId::TOP, ParamId(0), Vec::new());
                Ok(BodyNodes::value(builder.node(&env, *ir)?))
            }
            PartKind::Lambda(lambda) => {
                let env = inner(RegionId::TOP, lambda.first, args.to_vec());
                Ok(BodyNodes::value(builder.node(&env, lambda.body)?))
            }
            PartKind::Statements(steps) => {
                let env = inner(RegionId::TOP, ParamId(0), Vec::new());
                statements(&mut builder, &env, steps)
            }
            PartKind::Iteration(region, first, steps) => {
                let env = inner(*region, *first, args.to_vec());
                statements(&mut builder, &env, steps)
            }
        }
    }
}

fn statements(
    builder: &mut Builder<'_, '_, '_>,
    env: &Arc<Env>,
    steps: &[StepId],
) -> Result<BodyNodes, Fault> {
    let live = builder.statements(env, steps)?;
    // Statements have no value; the list of the values of the parts is unused.
    let output = builder.graph.constant(Value::Bool(true));
    Ok(BodyNodes { output: Some(output), payload: Some(Box::new(Statements(live))) })
}

impl<'s, 'g, 'e> Builder<'s, 'g, 'e> {
    fn new(shared: &'s Arc<Shared>, graph: &'g mut Graph<'e>) -> Self {
        Self { shared, graph, count: 0, module: None, stack: StackMeter::here() }
    }
}

impl<'s> Builder<'s, '_, '_> {
    fn program(&self) -> &'s Program {
        &self.shared.program
    }

    fn part(&self, env: &Arc<Env>, kind: PartKind) -> Arc<dyn Body> {
        let (shared, env) = (Arc::clone(self.shared), Arc::clone(env));
        Arc::new(Part { shared, env, kind })
    }

    fn check_size(&mut self) -> Result<(), Fault> {
        self.count += 1;
        if self.count > budget::scaled_size(MAX_NODES) || budget::check().is_err() {
            return Err(Fault::fatal("the function graph grows too large"));
        }
        if self.stack.at_most(MAX_STACK).is_err() {
            return Err(Fault::fatal("the function graph is nested too deep"));
        }
        Ok(())
    }

    /// The value of an expression, if it is known.
    fn constant(&self, mut id: IrId) -> Option<IrId> {
        let program = self.program();
        loop {
            match &program.ir[id].kind {
                IrKind::Const(_) => return Some(id),
                IrKind::Text(inner) => id = *inner,
                IrKind::Def(def) => id = program.defs[def.0 as usize].value,
                _ => return None,
            }
        }
    }

    fn source(&mut self, env: &Arc<Env>, id: IrId) -> Result<Source, Fault> {
        match self.constant(id) {
            Some(id) => Ok(Source::Const(id)),
            None => self.node(env, id).map(Source::Node),
        }
    }

    fn statements(
        &mut self,
        env: &Arc<Env>,
        steps: &[StepId],
    ) -> Result<Vec<LiveStatement>, Fault> {
        let mut live = Vec::with_capacity(steps.len());
        for step in steps {
            let values = self.statement(env, *step)?;
            live.push(LiveStatement { step: *step, values });
        }
        Ok(live)
    }

    fn statement(&mut self, env: &Arc<Env>, id: StepId) -> Result<Vec<Source>, Fault> {
        let program = self.program();
        let mut values = Vec::new();
        match &program.steps[id] {
            Step::Resource(step) => {
                values.reserve(1 + step.entries.len());
                values.push(self.source(env, step.name)?);
                if let Some(collect) = step.collect {
                    values.push(self.source(env, collect)?);
                }
                for entry in &step.entries {
                    let value = entry.kind.value();
                    values.push(self.source(env, value)?);
                    if let Some(condition) = entry.condition {
                        values.push(self.source(env, condition)?);
                    }
                }
            }
            Step::Edge(halves, _) => {
                for half in halves {
                    values.push(self.source(env, half.name)?);
                }
            }
            Step::If(condition, then, other) => {
                let condition = self.node(env, *condition)?;
                let yes = self.part(env, PartKind::Statements(Arc::clone(then)));
                let no = self.part(env, PartKind::Statements(Arc::clone(other)));
                let output = self.graph.branch(condition, yes, no);
                values.push(Source::Node(self.graph.control(output).unwrap_or(output)));
            }
            Step::For(step) => {
                let over = self.node(env, step.over)?;
                let body = Arc::clone(&step.body);
                let body = self.part(env, PartKind::Iteration(step.region, step.first, body));
                let output = self.graph.each(over, body);
                values.push(Source::Node(self.graph.control(output).unwrap_or(output)));
            }
        }
        Ok(values)
    }

    fn nodes(&mut self, env: &Arc<Env>, ids: &[IrId]) -> Result<Vec<NodeId>, Fault> {
        ids.iter().map(|id| self.node(env, *id)).collect()
    }

    /// The node of an expression.
    fn node(&mut self, env: &Arc<Env>, id: IrId) -> Result<NodeId, Fault> {
        self.check_size()?;
        let program = self.program();
        match &program.ir[id].kind {
            IrKind::Const(value) => Ok(self.graph.constant(value.clone())),
            IrKind::Hostname => {
                let hostname = self.shared.hostname.clone();
                Ok(self.graph.constant(hostname))
            }
            IrKind::List(items) => self.list(env, id, items),
            IrKind::Map(pairs) => self.map(env, id, pairs),
            IrKind::Struct(names, values) => {
                let values = self.nodes(env, values)?;
                self.tag(id);
                Ok(self.graph.record(Arc::clone(names), values))
            }
            IrKind::Param(param) => parameter(env, *param),
            IrKind::Def(def) => self.definition(env, *def),
            IrKind::Text(inner) => self.node(env, *inner),
            IrKind::Lambda(lambda) => {
                let body = self.part(env, PartKind::Lambda(*lambda));
                Ok(self.graph.constant(Value::Func(Func::new(body))))
            }
            IrKind::Call(func, args) => self.call(env, id, *func, args),
            IrKind::Apply(lambda, args) => {
                let args = self.nodes(env, args)?;
                self.apply(env, id, *lambda, args)
            }
            IrKind::Builtin(call) => {
                let args = self.nodes(env, &call.args)?;
                self.tag(id);
                Ok(self.graph.call(call.func, call.signature.clone(), args))
            }
            IrKind::Operator(operator, a, b) => {
                let a = self.node(env, *a)?;
                let b = b.map(|b| self.node(env, b)).transpose()?;
                self.tag(id);
                Ok(self.graph.operator(*operator, a, b))
            }
            IrKind::If([condition, then, other]) => {
                let condition = self.node(env, *condition)?;
                let yes = self.part(env, PartKind::Expr(*then));
                let no = self.part(env, PartKind::Expr(*other));
                self.tag(id);
                Ok(self.graph.branch(condition, yes, no))
            }
            IrKind::Except(value, other) => {
                let value = self.node(env, *value)?;
                let other = self.part(env, PartKind::Expr(*other));
                self.tag(id);
                Ok(self.graph.except(value, other))
            }
        }
    }

    fn list(&mut self, env: &Arc<Env>, id: IrId, items: &[IrId]) -> Result<NodeId, Fault> {
        if let Some(value) = self.known_list(items) {
            return Ok(self.graph.constant(value));
        }
        let items = self.nodes(env, items)?;
        self.tag(id);
        Ok(self.graph.list(items))
    }

    fn map(&mut self, env: &Arc<Env>, id: IrId, pairs: &[(IrId, IrId)]) -> Result<NodeId, Fault> {
        let pairs = pairs
            .iter()
            .map(|(key, value)| Ok((self.node(env, *key)?, self.node(env, *value)?)))
            .collect::<Result<_, Fault>>()?;
        self.tag(id);
        Ok(self.graph.map(pairs))
    }

    /// A list of literals.
    fn known_list(&self, items: &[IrId]) -> Option<Value> {
        let program = self.program();
        let item = |id: &IrId| match &program.ir[*id].kind {
            IrKind::Const(value) => Some(value.clone()),
            _ => None,
        };
        Some(Value::list(items.iter().map(item).collect::<Option<Vec<_>>>()?))
    }

    fn tag(&mut self, id: IrId) {
        let module = self.program().ir[id].at.0;
        self.graph.set_tag(id.raw());
        if self.module != Some(module) {
            self.module = Some(module);
            self.graph.set_base(Arc::clone(&self.shared.bases[module.0 as usize]));
        }
    }

    /// The body of a function in place of its call. Errors in the last call of the body are
    /// reported for the whole call.
    fn apply(
        &mut self,
        env: &Arc<Env>,
        id: IrId,
        lambda: Lambda,
        args: Vec<NodeId>,
    ) -> Result<NodeId, Fault> {
        let outer = Some(Arc::clone(env));
        let env = Env::inner(outer, RegionId::TOP, lambda.first, args);
        let node = self.node(&env, lambda.body)?;
        self.graph.retag_call(node, id.raw());
        Ok(node)
    }

    /// A call of a value. A known function is inlined.
    fn call(
        &mut self,
        env: &Arc<Env>,
        id: IrId,
        func: IrId,
        args: &[IrId],
    ) -> Result<NodeId, Fault> {
        let program = self.program();
        let args = self.nodes(env, args)?;
        match &program.ir[func].kind {
            IrKind::Lambda(lambda) => return self.apply(env, id, *lambda, args),
            IrKind::Def(def) => {
                let def = program.defs[def.0 as usize];
                if let IrKind::Lambda(lambda) = &program.ir[def.value].kind {
                    let around = region(env, def.region);
                    return self.apply(&around, id, *lambda, args);
                }
            }
            _ => {}
        }
        let func = self.node(env, func)?;
        self.tag(id);
        Ok(self.graph.call_value(func, args))
    }

    fn definition(&mut self, env: &Arc<Env>, id: DefId) -> Result<NodeId, Fault> {
        let def = self.program().defs[id.0 as usize];
        if def.region == RegionId::TOP {
            if let Some(Some(node)) = lock(&self.shared.top).get(id.0 as usize) {
                return Ok(*node);
            }
            let Self { shared, count, stack, module, .. } = *self;
            let (node, count, module) = self.graph.at_top(|graph| {
                let mut builder = Builder { shared, graph, count, stack, module };
                (builder.node(&shared.env, def.value), builder.count, builder.module)
            });
            (self.count, self.module) = (count, module);
            let node = node?;
            lock(&self.shared.top)[id.0 as usize] = Some(node);
            return Ok(node);
        }
        let mut around = Some(env);
        while let Some(here) = around {
            if let Some(node) = lock(&here.memo).get(&id) {
                return Ok(*node);
            }
            if here.region == def.region {
                break;
            }
            around = here.outer.as_ref();
        }
        let inside = region(env, def.region);
        let node = self.node(&inside, def.value)?;
        lock(&env.memo).insert(id, node);
        Ok(node)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn parameter(env: &Arc<Env>, id: ParamId) -> Result<NodeId, Fault> {
    let mut around = Some(env);
    while let Some(here) = around {
        let at = id.0.checked_sub(here.first.0).map(|at| at as usize);
        if let Some(node) = at.and_then(|at| here.nodes.get(at)) {
            return Ok(*node);
        }
        around = here.outer.as_ref();
    }
    Err(Fault::fatal("a parameter has no value"))
}

/// The definitions that are visible in a region.
fn region(env: &Arc<Env>, region: RegionId) -> Arc<Env> {
    let mut around = Some(env);
    while let Some(here) = around {
        if here.region == region && region != RegionId::TOP {
            return Arc::clone(here);
        }
        around = here.outer.as_ref();
    }
    Env::top()
}
