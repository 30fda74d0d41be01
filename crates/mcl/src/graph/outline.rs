//! The function graph of a program before it runs.
//!
//! This is the graph that the original prints for debugging, with a node for each constant,
//! composite, call, choice and loop. A call of a known function of the program is inlined if it
//! ends in a function that may be called early. Every other call has a node for itself, one for the
//! function, and one for the result. Branches and bodies are not built yet.

use std::collections::BTreeSet;

use ecow::EcoString;
use ordain_source::Span;
use ordain_source::limits::StackMeter;
use rustc_hash::FxHashMap;

use crate::elaborate::MAX_STACK;
use crate::functions::{Builtin, Run, argument_name, environment::Memory};
use crate::ir::{
    BuiltinCall, DefId, IrId, IrKind, Lambda, ParamId, Program, RegionId, Step, StepId,
};
use crate::types::{FuncType, Type};
use crate::value::Value;

/// The maximal number of nodes.
const MAX_NODES: usize = 1_000_000;

/// A node of the graph.
#[derive(Clone, PartialEq, Debug)]
pub struct OutlineNode {
    /// Its label: `const: int(1)`, `_operator`, `call`.
    pub label: String,
    /// The place of its text. A function that exists only for a call has the place of the call.
    pub span: Option<Span>,
}

/// An edge of the graph.
#[derive(Clone, PartialEq, Debug)]
pub struct OutlineEdge {
    /// The node that gives the value.
    pub from: usize,
    /// The node that takes it.
    pub to: usize,
    /// The arguments that it is.
    pub args: Vec<String>,
}

/// A graph of functions.
#[derive(Clone, Default, Debug)]
pub struct Outline {
    /// The nodes.
    pub nodes: Vec<OutlineNode>,
    /// The edges, in the order of the nodes that take the values.
    pub edges: Vec<OutlineEdge>,
}

impl Outline {
    /// The function graph of a program on a host of this name. `None` if it has too many nodes.
    pub fn of(program: &Program, hostname: &str) -> Option<Self> {
        let mut walk = Walk {
            program,
            hostname: hostname.into(),
            nodes: Vec::new(),
            groups: Vec::new(),
            defs: FxHashMap::default(),
            stack: StackMeter::here(),
        };
        let roots = walk.steps(&program.body)?;
        Some(walk.gather(roots))
    }

    /// The textual form of the original, sorted.
    pub fn lines(&self) -> Vec<String> {
        let label = |at: usize| &self.nodes[at].label;
        let nodes = self.nodes.iter().map(|node| format!("Vertex: {}", node.label));
        let edges = self.edges.iter().map(|edge| {
            format!("Edge: {} -> {} # {}", label(edge.from), label(edge.to), edge.args.join(", "))
        });
        let mut lines: Vec<String> = nodes.chain(edges).collect();
        lines.sort();
        lines
    }
}

/// A node. Whether it belongs to the graph is known at the end.
struct NodeDraft {
    label: String,
    at: Option<IrId>,
    inputs: Vec<(usize, String)>,
    /// Whether a call that ends in it is inlined.
    is_early: bool,
}

/// Nodes and other groups that become part of the graph together.
#[derive(Default)]
struct Group {
    nodes: Vec<usize>,
    parts: Vec<usize>,
}

/// The result of an expression: the node of its value, and its group.
#[derive(Clone, Copy)]
struct Out {
    node: usize,
    group: usize,
}

/// The parameters in sight.
type Env = FxHashMap<ParamId, Out>;

/// A known function.
enum Callee {
    Lambda(Lambda),
    Builtin,
}

struct Walk<'p> {
    program: &'p Program,
    hostname: EcoString,
    nodes: Vec<NodeDraft>,
    groups: Vec<Group>,
    defs: FxHashMap<DefId, Out>,
    stack: StackMeter,
}

impl Walk<'_> {
    /// Adds a node with these inputs, in a new group that includes theirs.
    fn add(
        &mut self,
        label: impl Into<String>,
        at: Option<IrId>,
        inputs: Vec<(Out, String)>,
        is_early: bool,
    ) -> Option<Out> {
        let is_within = self.nodes.len() < MAX_NODES && self.stack.at_most(MAX_STACK).is_ok();
        let parts = inputs.iter().map(|(out, _)| out.group).collect();
        let inputs = inputs.into_iter().map(|(out, name)| (out.node, name)).collect();
        let node = self.nodes.len();
        self.nodes.push(NodeDraft { label: label.into(), at, inputs, is_early });
        let group = self.group(vec![node], parts);
        is_within.then_some(Out { node, group })
    }

    fn group(&mut self, nodes: Vec<usize>, parts: Vec<usize>) -> usize {
        self.groups.push(Group { nodes, parts });
        self.groups.len() - 1
    }

    /// The groups of statements.
    fn steps(&mut self, steps: &[StepId]) -> Option<Vec<usize>> {
        let env = Env::default();
        let program = self.program;
        let mut roots = Vec::new();
        for step in steps {
            match &program.steps[*step] {
                Step::Resource(step) => {
                    roots.push(self.expr(&env, step.name)?.group);
                    for entry in &step.entries {
                        let value = entry.kind.value();
                        for value in std::iter::once(value).chain(entry.condition) {
                            roots.push(self.expr(&env, value)?.group);
                        }
                    }
                    if let Some(collect) = step.collect {
                        roots.push(self.expr(&env, collect)?.group);
                    }
                }
                Step::Edge(halves, _) => {
                    for half in halves {
                        roots.push(self.expr(&env, half.name)?.group);
                    }
                }
                Step::If(condition, ..) => {
                    let condition = self.expr(&env, *condition)?;
                    let inputs = vec![(condition, "condition".into())];
                    roots.push(self.add("stmtif", None, inputs, false)?.group);
                }
                Step::For(step) => {
                    let over = self.expr(&env, step.over)?;
                    let (label, arg) = if step.is_map { ("forkv", "map") } else { ("for", "list") };
                    roots.push(self.add(label, None, vec![(over, arg.into())], false)?.group);
                }
            }
        }
        Some(roots)
    }

    fn constant(&mut self, id: IrId, value: &Value) -> Option<Out> {
        let label = format!("const: {}({value})", Type::of(value));
        self.add(label, Some(id), Vec::new(), false)
    }

    fn expr(&mut self, env: &Env, id: IrId) -> Option<Out> {
        let program = self.program;
        match &program.ir[id].kind {
            IrKind::Const(value) => self.constant(id, value),
            IrKind::Hostname => {
                let hostname = Value::from(self.hostname.as_str());
                self.constant(id, &hostname)
            }
            IrKind::List(items) => {
                let items = self.numbered(env, "", items)?;
                self.composite(id, items)
            }
            IrKind::Map(pairs) => self.map(env, id, pairs),
            IrKind::Struct(names, values) => {
                let mut inputs = Vec::new();
                for (name, value) in names.iter().zip(values) {
                    inputs.push((self.expr(env, *value)?, name.to_string()));
                }
                self.composite(id, inputs)
            }
            IrKind::Param(param) => env.get(param).copied(),
            IrKind::Def(def) => self.definition(*def),
            IrKind::Text(inner) => self.expr(env, *inner),
            IrKind::Lambda(_) => self.add("FuncValue", Some(id), Vec::new(), false),
            IrKind::Call(func, args) => {
                let args = self.all(env, args)?;
                if let Some(Callee::Lambda(lambda)) = self.callee(*func)
                    && let Some(out) = self.in_place(lambda, &args)
                {
                    return Some(out);
                }
                let func = self.expr(env, *func)?;
                self.call(id, func, &args)
            }
            IrKind::Apply(lambda, args) => {
                let args = self.all(env, args)?;
                if let Some(out) = self.in_place(*lambda, &args) {
                    return Some(out);
                }
                let func = self.add("FuncValue", Some(id), Vec::new(), false)?;
                self.call(id, func, &args)
            }
            IrKind::Builtin(call) => self.builtin(env, id, call),
            IrKind::Operator(operator, a, b) => {
                let op = self.constant(id, &Value::from(operator.text()))?;
                let mut inputs = vec![(op, "op".to_owned())];
                for (operand, name) in std::iter::once(*a).chain(*b).zip(["a", "b"]) {
                    inputs.push((self.expr(env, operand)?, name.to_owned()));
                }
                self.add("_operator", Some(id), inputs, true)
            }
            IrKind::If([condition, ..]) => {
                let input = (self.expr(env, *condition)?, "condition".into());
                self.choice(id, ["exprif", "exprIfSubgraphOutput"], input)
            }
            IrKind::Except(value, _) => {
                let input = (self.expr(env, *value)?, "value".into());
                self.choice(id, ["exprexcept", "exprExceptSubgraphOutput"], input)
            }
        }
    }

    fn map(&mut self, env: &Env, id: IrId, pairs: &[(IrId, IrId)]) -> Option<Out> {
        let (keys, values): (Vec<IrId>, Vec<IrId>) = pairs.iter().copied().unzip();
        let mut inputs = self.numbered(env, "key:", &keys)?;
        inputs.extend(self.numbered(env, "val:", &values)?);
        self.composite(id, inputs)
    }

    /// An expression whose value comes from one of several parts: the choice, and its output.
    fn choice(
        &mut self,
        id: IrId,
        [choice, output]: [&'static str; 2],
        input: (Out, String),
    ) -> Option<Out> {
        let choice = self.add(choice, Some(id), vec![input], false)?;
        self.add(output, Some(id), vec![(choice, "dummy".into())], false)
    }

    fn all(&mut self, env: &Env, ids: &[IrId]) -> Option<Vec<Out>> {
        ids.iter().map(|id| self.expr(env, *id)).collect()
    }

    fn numbered(&mut self, env: &Env, before: &str, ids: &[IrId]) -> Option<Vec<(Out, String)>> {
        let mut inputs = Vec::with_capacity(ids.len());
        for (number, id) in ids.iter().enumerate() {
            inputs.push((self.expr(env, *id)?, format!("{before}{number}")));
        }
        Some(inputs)
    }

    fn composite(&mut self, id: IrId, inputs: Vec<(Out, String)>) -> Option<Out> {
        let label = match self.program.composite(id) {
            Some(ty) => format!("composite: {ty}"),
            None => "composite".into(),
        };
        self.add(label, Some(id), inputs, false)
    }

    /// A definition has one node for all uses.
    fn definition(&mut self, id: DefId) -> Option<Out> {
        if let Some(out) = self.defs.get(&id) {
            return Some(*out);
        }
        let def = self.program.defs[id.0 as usize];
        debug_assert_eq!(def.region, RegionId::TOP, "bodies of loops are not looked at");
        let out = self.expr(&Env::default(), def.value)?;
        self.defs.insert(id, out);
        Some(out)
    }

    /// A call with nodes for the function, the call and the result.
    fn call(&mut self, id: IrId, func: Out, args: &[Out]) -> Option<Out> {
        let call = self.add("call", Some(id), vec![(func, "fn".into())], false)?;
        let parts = args.iter().map(|arg| arg.group);
        self.groups[call.group].parts.extend(parts);
        self.add("callSubgraphOutput", Some(id), vec![(call, "dummy".into())], false)
    }

    fn builtin(&mut self, env: &Env, id: IrId, call: &BuiltinCall) -> Option<Out> {
        let args = self.all(env, &call.args)?;
        if !call.func.is_speculated || matches!(call.func.run, Run::Iterate(_)) {
            let func = self.add("FuncValue", Some(id), Vec::new(), false)?;
            return self.call(id, func, &args);
        }
        let names = names(call.func, args.len());
        let label = label(call, &names);
        self.add(label, Some(id), args.into_iter().zip(names).collect(), true)
    }

    /// The body of a function in place of its call, if inlining is possible.
    fn in_place(&mut self, lambda: Lambda, args: &[Out]) -> Option<Out> {
        if !self.is_closed(lambda) {
            return None;
        }
        let mut env = Env::default();
        for (number, arg) in (0u32..).zip(args) {
            let param = ParamId(lambda.first.0 + number);
            let group = self.group(vec![arg.node], Vec::new());
            env.insert(param, Out { node: arg.node, group });
        }
        let out = self.expr(&env, lambda.body)?;
        if !self.nodes[out.node].is_early {
            return None;
        }
        let parts = args.iter().map(|arg| arg.group).chain([out.group]).collect();
        let group = self.group(Vec::new(), parts);
        Some(Out { node: out.node, group })
    }

    /// Whether a function uses only its own parameters.
    fn is_closed(&self, lambda: Lambda) -> bool {
        let mut own: Vec<Lambda> = vec![lambda];
        let mut left = vec![lambda.body];
        let mut seen = 0;
        while let Some(id) = left.pop() {
            seen += 1;
            if seen > MAX_NODES {
                return false;
            }
            match &self.program.ir[id].kind {
                IrKind::Param(param) => {
                    let is_own =
                        |own: &Lambda| (own.first.0..own.first.0 + own.count).contains(&param.0);
                    if !own.iter().any(is_own) {
                        return false;
                    }
                }
                IrKind::Lambda(inner) => {
                    own.push(*inner);
                    left.push(inner.body);
                }
                IrKind::Apply(_, args) => left.extend(args.iter()),
                IrKind::Call(func, args) => left.extend(args.iter().chain([func])),
                IrKind::Builtin(call) => left.extend(call.args.iter()),
                IrKind::Operator(_, a, b) => left.extend(std::iter::once(*a).chain(*b)),
                IrKind::List(items) | IrKind::Struct(_, items) => left.extend(items.iter()),
                IrKind::Map(pairs) => left.extend(pairs.iter().flat_map(|(a, b)| [*a, *b])),
                IrKind::If(parts) => left.extend(parts),
                IrKind::Except(a, b) => left.extend([*a, *b]),
                IrKind::Text(inner) => left.push(*inner),
                IrKind::Def(_) | IrKind::Const(_) | IrKind::Hostname => {}
            }
        }
        true
    }

    /// The function for an expression, if it is known before a run.
    fn callee(&self, mut id: IrId) -> Option<Callee> {
        for _ in 0..MAX_NODES {
            match &self.program.ir[id].kind {
                IrKind::Lambda(lambda) => return Some(Callee::Lambda(*lambda)),
                IrKind::Builtin(_) | IrKind::Operator(..) => return Some(Callee::Builtin),
                IrKind::Def(def) => id = self.program.defs[def.0 as usize].value,
                IrKind::Except(value, _) => id = *value,
                IrKind::If([condition, then, other]) => {
                    let is_then = self.value(*condition, 0)?.as_bool()?;
                    id = if is_then { *then } else { *other };
                }
                _ => return None,
            }
        }
        None
    }

    /// The value of an expression, if it is known before a run.
    fn value(&self, id: IrId, depth: u32) -> Option<Value> {
        if depth > 200 {
            return None;
        }
        let value = |id: &IrId| self.value(*id, depth + 1);
        match &self.program.ir[id].kind {
            IrKind::Const(value) => Some(value.clone()),
            IrKind::Hostname => Some(self.hostname.as_str().into()),
            IrKind::Def(def) => value(&self.program.defs[def.0 as usize].value),
            IrKind::Text(inner) | IrKind::Except(inner, _) => value(inner),
            IrKind::List(items) => {
                Some(Value::list(items.iter().map(value).collect::<Option<Vec<_>>>()?))
            }
            IrKind::If([condition, then, other]) => match value(condition)?.as_bool()? {
                true => value(then),
                false => value(other),
            },
            IrKind::Operator(operator, a, b) => {
                let (a, b) = (value(a)?, b.as_ref().map(value));
                let b = match b {
                    Some(b) => Some(b?),
                    None => None,
                };
                operator.apply(&a, b.as_ref()).ok()
            }
            IrKind::Builtin(call) if call.func.is_pure => {
                let args: Vec<Value> = call.args.iter().map(value).collect::<Option<_>>()?;
                let args: Vec<&Value> = args.iter().collect();
                let signature = call.signature.as_ref()?;
                call.func.call(&args, signature, &Memory::default()).ok()
            }
            _ => None,
        }
    }

    /// The nodes of these groups, and the edges between them.
    fn gather(self, roots: Vec<usize>) -> Outline {
        let mut is_seen = vec![false; self.groups.len()];
        let mut taken = BTreeSet::new();
        let mut left = roots;
        while let Some(group) = left.pop() {
            if std::mem::replace(&mut is_seen[group], true) {
                continue;
            }
            taken.extend(self.groups[group].nodes.iter().copied());
            left.extend(self.groups[group].parts.iter().copied());
        }
        let numbers: FxHashMap<usize, usize> =
            taken.iter().enumerate().map(|(number, node)| (*node, number)).collect();
        let mut outline = Outline::default();
        for node in &taken {
            let made = &self.nodes[*node];
            let span = made.at.map(|at| self.program.span(at));
            outline.nodes.push(OutlineNode { label: made.label.clone(), span });
            let to = numbers[node];
            let mut edges: Vec<OutlineEdge> = Vec::new();
            let mut places: FxHashMap<usize, usize> = FxHashMap::default();
            for (from, arg) in &made.inputs {
                let Some(from) = numbers.get(from).copied() else { continue };
                let at = *places.entry(from).or_insert(edges.len());
                match edges.get_mut(at) {
                    Some(edge) => edge.args.push(arg.clone()),
                    None => edges.push(OutlineEdge { from, to, args: vec![arg.clone()] }),
                }
            }
            outline.edges.extend(edges);
        }
        outline
    }
}

/// The label of a call of a built-in function.
fn label(call: &BuiltinCall, names: &[String]) -> String {
    let name = call.func.parts().1;
    match &call.signature {
        Some(signature) if call.func.name == "fmt.printf" => {
            let names = names.iter().map(EcoString::from).collect();
            format!("{name}: {}", FuncType { names, ..(**signature).clone() })
        }
        _ => name.into(),
    }
}

/// The names of the arguments of a built-in function.
fn names(func: &Builtin, count: usize) -> Vec<String> {
    let own = match func.signature() {
        Type::Func(shape) => shape.names.clone(),
        _ => Vec::new(),
    };
    let offset = match func.name {
        "fmt.printf" => 1,
        _ => 0,
    };
    let is_numbered = matches!(func.name, "len" | "panic" | "math.mod");
    let name = |at: usize| match own.get(at) {
        _ if is_numbered => at.to_string(),
        Some(name) if !name.is_empty() => name.to_string(),
        _ => argument_name(at.saturating_sub(offset)).to_string(),
    };
    (0..count).map(name).collect()
}
