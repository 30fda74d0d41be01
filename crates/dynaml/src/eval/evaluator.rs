//! The state of an evaluation, and the environment of an expression.

use std::rc::Rc;

use ecow::EcoString;
use ordain_data::Decrypted;
use ordain_source::World;
use ordain_source::budget;
use ordain_source::limits::{StackMeter, Steps, most_text};
use ordain_syntax::Arena;
use rustc_hash::FxHashMap;

use super::cache::Cache;
use super::tag_table::Tags;
use super::tree::{Body, Inst, Memo, Step};
use crate::diagnostics::stop::{Eval, MemoKind, Stop};
use crate::ids::{InstId, Instances, NOWHERE};
use crate::limits::{CHAIN_STACK, INSTS_OF_NODE, MAX_INSIDE, MAX_INSTS, MAX_NESTED, MAX_NODES};
use crate::load::{FileNo, Sources};
use crate::options::{Dialect, Options};
use crate::syntax::ast::{Arg, PathStep};
use crate::value::{Bound, CallFrame, Flags, Item, Names, Scope, Value};

/// A document under evaluation.
#[derive(Debug)]
pub struct Document {
    /// The finished stubs, those that win first.
    pub stubs: Rc<[Item]>,
    /// The name of its file.
    pub file: EcoString,
    /// Names that are known everywhere.
    pub bindings: Scope,
    /// Whether it only serves the documents below it.
    pub stub: bool,
}

/// The environment of an expression.
#[derive(Clone, Debug)]
pub struct Env {
    /// The node it stands at.
    pub place: InstId,
    /// The node whose path `merge` looks up.
    pub merge: InstId,
    /// Parameters of the lambdas around it.
    pub locals: Scope,
    /// Names in scope at the call of the lambda.
    pub caller: Scope,
    /// The element in a projection.
    pub element: Option<Rc<Item>>,
}

impl Env {
    /// The environment of a node's own expression.
    pub fn at(place: InstId) -> Self {
        Self {
            place,
            merge: place,
            locals: Scope::default(),
            caller: Scope::default(),
            element: None,
        }
    }

    /// The value of a lambda's parameter, unless the name is a keyword.
    #[inline]
    pub fn local(&self, name: &str) -> Option<&Bound> {
        if let [b'_', b'_', ..] = name.as_bytes() { None } else { self.locals.get(name) }
    }

    /// The same with more names.
    #[must_use]
    pub fn with(&self, names: Names) -> Self {
        Self { locals: self.locals.with(names), ..self.clone() }
    }
}

/// The effects of an expression on its node, besides its value.
#[derive(Clone, Debug, Default)]
pub struct Info {
    /// A `merge` was successful.
    pub merged: bool,
    /// The result is merged like a literal.
    pub prefer: bool,
    /// The node is not there.
    pub undefined: bool,
    /// The value replaces the entries of the map or list.
    pub replace: bool,
    /// Another path in stubs for the nodes below.
    pub redirect: Option<Rc<[PathStep]>>,
    /// The key field of the list.
    pub key: Option<EcoString>,
    /// Markers.
    pub flags: Flags,
    /// No merging here or below.
    pub none: bool,
}

/// A call of a function: its arguments, and its environment.
pub struct Call<'a, 'w> {
    /// The evaluator.
    pub ev: &'a mut Evaluator<'w>,
    /// The arguments.
    pub args: &'a [Value],
    /// The environment of the call.
    pub env: &'a Env,
    /// The effects of the expression on its node.
    pub info: &'a mut Info,
}

/// A function of values.
pub type Eager = fn(&mut Call<'_, '_>) -> Eval<Value>;

/// A function of expressions.
pub type Lazy = fn(&mut Evaluator<'_>, &[Arg], &Env, &mut Info) -> Eval<Value>;

/// The code of a built-in function.
#[derive(Clone, Copy)]
pub enum Implementation {
    /// Its arguments are evaluated first.
    Eager(Eager),
    /// It evaluates its arguments itself.
    Lazy(Lazy),
}

/// A built-in function.
#[derive(Clone, Copy)]
pub struct Builtin {
    /// Its name and its parameters: `x?` is optional, `x...` stands for any number.
    pub signature: &'static str,
    /// Its documentation, a sentence.
    pub doc: &'static str,
    /// Its code.
    pub implementation: Implementation,
    /// Whether its result is an argument in another notation, or a part of one.
    pub is_rewriting: bool,
}

/// All built-in functions by name.
pub type Table = FxHashMap<&'static str, Builtin>;

/// A file whose nodes are evaluated.
#[derive(Clone, Debug)]
pub struct FileInfo {
    /// Its name as the user wrote it.
    pub name: EcoString,
}

/// Evaluates documents.
pub struct Evaluator<'w> {
    /// Sources and expressions.
    pub sources: Sources,
    /// All nodes.
    pub nodes: Arena<Inst, Instances>,
    /// The outside world.
    pub world: &'w dyn World,
    /// The permissions and bounds.
    pub options: Options,
    /// The files by number.
    pub files: Vec<FileInfo>,
    /// Documents by their root.
    pub documents: FxHashMap<InstId, Rc<Document>>,
    /// Templates behind values, for documents below that evaluate them again.
    pub dynamic: FxHashMap<InstId, Item>,
    /// The node that contains each nested document, by its root.
    pub outer: FxHashMap<InstId, InstId>,
    /// Built-in functions by name.
    pub builtins: Rc<Table>,
    /// Decrypted values, and generated private keys.
    pub secrets: Decrypted,
    /// Cached results of commands and files.
    pub cache: Cache,
    /// Nodes and values by tag.
    pub tags: Tags,
    /// The depth of lambda calls.
    pub calls: u32,
    /// The depth of nested templates and documents.
    nested: u32,
    steps: Steps,
    /// The number of remaining steps at the next check of the number of nodes.
    next_look: u64,
    suspended: Vec<(InstId, MemoKind)>,
    /// Frames of finished calls, for reuse.
    pub(super) spare_frames: Vec<CallFrame>,
    stack: StackMeter,
    too_deep: usize,
    /// The stack usage in bytes at which evaluation stops.
    deepest: usize,
}

impl<'w> Evaluator<'w> {
    /// An evaluator without documents.
    pub fn new(world: &'w dyn World, options: Options, sources: Sources, builtins: Table) -> Self {
        Self {
            sources,
            nodes: Arena::default(),
            world,
            too_deep: options.stack,
            deepest: options.stack / 10 * 9,
            steps: Steps::new(options.steps),
            next_look: options.steps,
            options,
            files: Vec::new(),
            documents: FxHashMap::default(),
            dynamic: FxHashMap::default(),
            outer: FxHashMap::default(),
            builtins: Rc::new(builtins),
            secrets: Decrypted::default(),
            cache: Cache::default(),
            tags: Tags::default(),
            calls: 0,
            nested: 0,
            suspended: Vec::new(),
            spare_frames: Vec::new(),
            stack: StackMeter::here(),
        }
    }

    /// Adds a file; nodes name it by number.
    pub fn add_file(&mut self, name: impl Into<EcoString>) -> FileNo {
        self.files.push(FileInfo { name: name.into() });
        u32::try_from(self.files.len() - 1).unwrap_or(u32::MAX)
    }

    /// Adds the root of a document.
    pub fn add_document(&mut self, body: Body, document: Document) -> InstId {
        let root = self.add(Inst::new(body, NOWHERE, Step::Same));
        self.documents.insert(root, Rc::new(document));
        root
    }

    /// The value of a nested template or document.
    pub(crate) fn deep_inside(&mut self, node: InstId) -> Eval<Option<Item>> {
        if self.nested >= MAX_INSIDE {
            let stop = Stop::too_deep();
            self.nodes[node].reached = Memo::Done(Err(stop.clone()));
            return Err(stop);
        }
        self.nested += 1;
        let result = self.deep(node);
        self.nested -= 1;
        result
    }

    /// Adds the root of a document that an expression of another one evaluates: unknown names are
    /// looked up from the expression.
    pub(crate) fn add_inner_document(
        &mut self,
        body: Body,
        place: InstId,
        names: Scope,
        stubs: Rc<[Item]>,
        file: &str,
    ) -> InstId {
        let document = Document { stubs, file: file.into(), bindings: names, stub: false };
        let root = self.add_document(body, document);
        self.nodes[root].transient = true;
        self.extra(root).scope = Some(Scope::default());
        self.outer.insert(root, place);
        root
    }

    /// Adds a node.
    pub fn add(&mut self, mut inst: Inst) -> InstId {
        if inst.parent != NOWHERE {
            inst.transient |= self.nodes[inst.parent].transient;
            inst.fixed |= self.nodes[inst.parent].fixed;
        }
        self.nodes.push(inst)
    }

    /// Whether evaluation of this node has to be suspended, for lack of stack.
    pub(crate) fn check_stack(&self, id: InstId, want: MemoKind) -> Eval<()> {
        let used = self.stack.used();
        self.stack.at_most(self.too_deep / 4 * 3)?;
        // Chains of nodes are cut early, because used stack pages stay allocated. Not in lambdas,
        // whose whole evaluation would be repeated.
        let most = if self.calls == 0 { self.too_deep.min(CHAIN_STACK) } else { self.too_deep };
        if used > most / 4 && !self.nodes[id].transient {
            return Err(Stop::Suspend(id, want));
        }
        Ok(())
    }

    /// Counts a step.
    #[inline]
    pub(crate) fn step(&mut self) -> Eval<()> {
        /// The number of steps between two checks of the number of nodes.
        const NODE_CHECK_STEPS: u64 = 64;
        if self.stack.used() <= self.deepest && self.steps.left() > self.next_look {
            return self.steps.take(1).map_err(Stop::from);
        }
        self.next_look = self.steps.left().saturating_sub(NODE_CHECK_STEPS);
        self.count_steps(1)
    }

    /// Counts steps for finished work; the next step may exceed the limit.
    #[inline]
    pub(crate) fn charge(&mut self, steps: u64) {
        self.steps.charge(steps);
    }

    /// Counts steps.
    pub(crate) fn count_steps(&mut self, count: u64) -> Eval<()> {
        self.steps.take(count)?;
        if self.stack.used() > self.deepest {
            return Err(Stop::limit("lambda recursion too deep"));
        }
        let of_documents = self.sources.nodes.len() * INSTS_OF_NODE;
        if self.nodes.len() > budget::scaled_size(MAX_INSTS) + of_documents {
            return Err(Stop::limit("the documents have too many nodes"));
        }
        Ok(())
    }

    /// Records that a node stays marked as busy while others are evaluated first.
    pub(crate) fn suspend(&mut self, id: InstId, want: MemoKind) {
        self.suspended.push((id, want));
    }

    /// Evaluates a node from an empty stack.
    ///
    /// # Errors
    /// When it has no value.
    pub fn run(&mut self, root: InstId) -> Eval<Option<Item>> {
        let mut todo = vec![(root, MemoKind::Deep, Vec::new())];
        self.stack = StackMeter::here();
        loop {
            let Some((id, want, _)) = todo.last() else { return Ok(None) };
            let result = match want {
                MemoKind::Deep => self.deep(*id),
                MemoKind::Reach => self.reach(*id).map(|_| None),
                MemoKind::Shape => self.children(*id).map(|_| None),
            };
            if let Err(Stop::Suspend(first, want)) = result {
                // Innermost first. A suspended node is then evaluated on its own: otherwise each of
                // its many entries would start again from the top.
                let mut marks = std::mem::take(&mut self.suspended);
                let middle = marks.len() / 2;
                if let (Some(top), Some(half)) = (todo.last_mut(), marks.get(middle).copied()) {
                    top.2 = marks.split_off(middle + 1);
                    todo.push((half.0, half.1, marks));
                }
                todo.push((first, want, Vec::new()));
                continue;
            }
            todo.pop();
            let Some((.., marks)) = todo.last_mut() else { return result };
            for (id, want) in std::mem::take(marks) {
                self.forget(id, want);
            }
        }
    }

    /// Removes the busy mark of a node.
    fn forget(&mut self, id: InstId, want: MemoKind) {
        let node = &mut self.nodes[id];
        match want {
            MemoKind::Reach => node.reached = Memo::Fresh,
            MemoKind::Deep => node.deep = Memo::Fresh,
            MemoKind::Shape => {
                if let Some(extra) = &mut node.extra {
                    extra.children = None;
                    extra.inserts.clear();
                }
            }
        }
    }

    /// One of two texts, as the dialect has it.
    pub fn words(&self, spiff: &str, plus: &str) -> EcoString {
        match self.options.dialect {
            Dialect::Spiff => spiff.into(),
            Dialect::SpiffPlusPlus => plus.into(),
        }
    }

    /// The root of the document that a node belongs to.
    pub fn root(&self, id: InstId) -> InstId {
        let mut at = id;
        while self.nodes[at].parent != NOWHERE {
            at = self.nodes[at].parent;
        }
        at
    }

    /// The document that a node belongs to.
    pub fn document(&self, id: InstId) -> Rc<Document> {
        let root = self.root(id);
        self.documents.get(&root).cloned().unwrap_or_else(|| {
            Rc::new(Document {
                stubs: Rc::new([]),
                file: EcoString::new(),
                bindings: Scope::default(),
                stub: false,
            })
        })
    }

    /// A value, unless it is too large.
    pub fn bounded(&self, value: Value) -> Eval<Value> {
        let weight = match &value {
            Value::List(l) => l.weight,
            Value::Map(m) => m.weight,
            Value::Str(s) if s.len() > most_text() => {
                return Err(Stop::limit("the text has grown too long"));
            }
            _ => return Ok(value),
        };
        if weight.nodes > budget::scaled(MAX_NODES) + self.sources.nodes.len() as u64 {
            return Err(Stop::limit("the value has grown too large"));
        }
        if weight.depth > MAX_NESTED {
            return Err(Stop::limit("the value is nested too deep"));
        }
        Ok(value)
    }
}

impl Drop for Evaluator<'_> {
    /// Temporary files live as long as the run.
    fn drop(&mut self) {
        for path in self.cache.temporary.values() {
            // A file that is already removed needs no removal.
            let _ = self.world.remove_file(path);
        }
    }
}
