//! The nodes of documents while they are evaluated: one arena for a run.

use std::rc::Rc;

use ecow::EcoString;
use rustc_hash::FxHashMap;

use crate::diagnostics::stop::Stop;
use crate::ids::{InstId, SrcId};
use crate::syntax::ast::{ExprId, PathStep};
use crate::value::{Flags, Item, Scope};

/// How a node is reached from its parent.
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
    /// An expression that stands at a node of a source.
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

/// A result that is kept.
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
    /// Those whose key is written as a text.
    pub names: FxHashMap<EcoString, InstId>,
}

/// The values that stubs have at the place of a node.
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
    /// How it is reached from there.
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
    /// Whether it belongs to a template that is being used.
    pub transient: bool,
}

/// The fields that few nodes have.
#[derive(Debug, Default)]
pub struct Extra {
    /// The names around the use of a template.
    pub scope: Option<Scope>,
    /// The path in stubs that counts here instead of the own one.
    pub redirect: Option<Rc<[PathStep]>>,
    /// Its entries, if it is a map or list.
    pub children: Option<Memo<Result<Rc<Children>, Stop>>>,
    /// The entries of a list while keys of some are evaluated: positions are known then.
    pub positions: Option<Rc<Positions>>,
    /// Nodes whose trouble is reported with this one.
    pub reported: Vec<InstId>,
    /// The insert of a map or list.
    pub inserts: Vec<InstId>,
    /// Whether the insert of a map says that the map is not there.
    pub undefined: bool,
    /// Own entries of a map by key.
    pub own: Option<Rc<Vec<(EcoString, InstId)>>>,
    /// Names of `&tag:` markers.
    pub tagged: bool,
    /// The failure of the map itself, whose entries are known all the same.
    pub fault: Option<Stop>,
    /// The part of a control structure that stands in place of the structure.
    pub origin: Option<InstId>,
    /// The expression that its own one has given, and that has no value.
    pub again: Option<ExprId>,
}

impl Inst {
    /// A node that nothing is known of.
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
