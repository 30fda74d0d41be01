//! The nodes of documents during evaluation: one arena per run.

use std::rc::Rc;

use ecow::EcoString;
use rustc_hash::FxHashMap;

use crate::diagnostics::stop::Stop;
use crate::ids::{InstId, SrcId};
use crate::syntax::ast::{ExprId, PathStep};
use crate::value::{Flags, Item, Scope};

/// The step from a node's parent to the node.
#[derive(Clone, PartialEq, Debug)]
pub enum Step {
    /// It stands at the place of its parent.
    Same,
    /// The entry of a map.
    Key(EcoString),
    /// The entry of a list without key.
    Index(u32),
    /// The entry of a list with a key: position, key field and its text.
    Named(Box<(u32, EcoString, EcoString)>),
    /// The insert of a map or list.
    Insert,
    /// The insert of a list at a position.
    InsertAt(u32),
}

/// The body of a node.
#[derive(Clone, Debug)]
pub enum Body {
    /// A node of a source.
    Src(SrcId),
    /// An expression at a node of a source.
    Expr(ExprId, SrcId),
    /// A value that came from elsewhere.
    Value(Item),
}

/// The result of looking at a node.
#[derive(Clone, Debug)]
pub enum NodeLookup {
    /// It has a value.
    Value(Item),
    /// It is the map or list at this node.
    Node(InstId, Flags),
    /// It is not there.
    Undefined,
}

/// A memoized result.
#[derive(Clone, Debug)]
pub enum Memo<T> {
    /// Nothing yet.
    Fresh,
    /// It is being evaluated.
    Busy,
    /// This.
    Done(T),
}

/// The entries of a map or list.
#[derive(Debug)]
pub enum Children {
    /// The entries of a map by key.
    Map(Vec<(EcoString, InstId)>),
    /// The entries of a list, its declared key field, and the entries by key.
    List(Vec<InstId>, Option<EcoString>, FxHashMap<EcoString, InstId>),
}

/// The entries of a list before all of its keys are known.
#[derive(Debug)]
pub struct Positions {
    /// In their order.
    pub entries: Vec<InstId>,
    /// Those whose key is a literal text.
    pub names: FxHashMap<EcoString, InstId>,
}

/// The values of stubs at the path of a node.
#[derive(Clone, Debug)]
pub enum Stubs {
    /// Not looked up yet.
    Unknown,
    /// None has one.
    None,
    /// By stub.
    Some(Rc<[Option<Item>]>),
}

/// A node.
#[derive(Debug)]
pub struct Inst {
    /// Its body.
    pub body: Body,
    /// The node around it.
    pub parent: InstId,
    /// The step from there.
    pub step: Step,
    /// The values of stubs at its place.
    pub stubs: Stubs,
    /// Its kind, once it is known.
    pub reached: Memo<Result<NodeLookup, Stop>>,
    /// Its finished value.
    pub deep: Memo<Result<Option<Item>, Stop>>,
    /// Its rare fields.
    pub extra: Option<Box<Extra>>,
    /// Whether stubs may replace its value.
    pub fixed: bool,
    /// Whether it belongs to a use of a template.
    pub transient: bool,
}

/// The fields that few nodes have.
#[derive(Debug, Default)]
pub struct Extra {
    /// The names around the use of a template.
    pub scope: Option<Scope>,
    /// The path in stubs that replaces its own.
    pub redirect: Option<Rc<[PathStep]>>,
    /// Its entries, if it is a map or list.
    pub children: Option<Memo<Result<Rc<Children>, Stop>>>,
    /// The positions of a list's entries while some of their keys are evaluated.
    pub positions: Option<Rc<Positions>>,
    /// Nodes whose errors are reported with this one.
    pub reported: Vec<InstId>,
    /// The insert of a map or list.
    pub inserts: Vec<InstId>,
    /// Whether the insert makes the map undefined.
    pub undefined: bool,
    /// Own entries of a map by key.
    pub own: Option<Rc<Vec<(EcoString, InstId)>>>,
    /// Names of `&tag:` markers.
    pub tagged: bool,
    /// The failure of the map itself, whose entries are known anyway.
    pub fault: Option<Stop>,
    /// The part of a control structure that replaces the structure.
    pub origin: Option<InstId>,
    /// An expression that is the result of its own one, and has no value.
    pub again: Option<ExprId>,
}

impl Inst {
    /// A node without results.
    pub fn new(body: Body, parent: InstId, step: Step) -> Self {
        Self {
            body,
            parent,
            step,
            stubs: Stubs::Unknown,
            reached: Memo::Fresh,
            deep: Memo::Fresh,
            extra: None,
            fixed: false,
            transient: false,
        }
    }
}
