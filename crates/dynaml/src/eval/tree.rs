//! The nodes of documents while they are evaluated: one arena for a run.

use std::rc::Rc;

use ecow::EcoString;
use ordain_syntax::Idx;
use rustc_hash::FxHashMap;

use super::scope::Scope;
use super::stop::Stop;
use crate::load::SrcId;
use crate::syntax::ast::{ExprId, PathStep};
use crate::value::{Flags, Item};

/// A node of a document under evaluation.
pub type InstId = Idx<Inst>;

/// No node: the parent of a root.
pub const NOWHERE: InstId = Idx::new(u32::MAX);

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

/// What a node is made of.
#[derive(Clone, Debug)]
pub enum Body {
    /// A node of a source.
    Src(SrcId),
    /// An expression that stands at a node of a source.
    Expr(ExprId, SrcId),
    /// A value that came from elsewhere.
    Value(Item),
}

/// What a node was found to be.
#[derive(Clone, Debug)]
pub enum Reached {
    /// It has a value.
    Value(Item),
    /// It is the map or list at this node.
    Node(InstId, Flags),
    /// It is not there.
    Undefined,
}

/// What is known of a node.
#[derive(Clone, Debug)]
pub enum Memo<T> {
    /// Nothing yet.
    Fresh,
    /// It is being evaluated.
    Busy,
    /// This.
    Done(T),
}

/// What is in a map or list.
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
    /// What it is made of.
    pub body: Body,
    /// The node around it.
    pub parent: InstId,
    /// How it is reached from there.
    pub step: Step,
    /// What stubs have there.
    pub stubs: Stubs,
    /// What it was found to be.
    pub reached: Memo<Result<Reached, Stop>>,
    /// Its finished value.
    pub deep: Memo<Result<Option<Item>, Stop>>,
    /// What is rarely needed.
    pub extra: Option<Box<Extra>>,
    /// Whether stubs may replace its value.
    pub fixed: bool,
    /// Whether it belongs to a template that is being used.
    pub transient: bool,
}

/// What few nodes have.
#[derive(Debug, Default)]
pub struct Extra {
    /// The names around the use of a template.
    pub scope: Option<Scope>,
    /// The path in stubs that counts here instead of the own one.
    pub redirect: Option<Rc<[PathStep]>>,
    /// Its entries, if it is a map or list.
    pub children: Option<Memo<Result<Rc<Children>, Stop>>>,
    /// The entries of a list while keys of some are evaluated: what is at a position is known then.
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
    /// What is wrong with the map itself, whose entries are known all the same.
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
