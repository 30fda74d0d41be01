//! The values of expressions: YAML's, and lambdas and templates.
//!
//! Finished values are immutable and shared. Every entry of a list or map carries the markers of
//! its node ([`Item`]), because stubs pass them on to the documents below.

use std::cell::OnceCell;
use std::rc::Rc;

use ecow::EcoString;
use rustc_hash::FxHashMap;

use crate::ids::{InstId, SrcId};
use crate::scope;
use crate::syntax::ast::{ExprId, LambdaExpr};

/// Markers of a node, as a set of bits.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Flags(u8);

impl Flags {
    /// `&temporary`: not part of the final output.
    pub const TEMPORARY: Self = Self(1);
    /// `&local`: a stub does not hand it on.
    pub const LOCAL: Self = Self(2);
    /// `&inject`: added to the next document.
    pub const INJECT: Self = Self(4);
    /// `&state`: written to the state file.
    pub const STATE: Self = Self(8);
    /// `&default`: added where no entry exists.
    pub const DEFAULT: Self = Self(16);
    /// `&dynamic`: a template that is evaluated where it is merged into.
    pub const DYNAMIC: Self = Self(32);

    /// Entries of a map with `<<: (( &default ))`: they are not looked up on their own.
    pub const IMPLIED: Self = Self(64);

    /// Whether it has all of these.
    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether it has one of these.
    pub fn has_any(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Both.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The markers after a stub replaced the node: it is no default any more.
    #[must_use]
    pub fn replaced(self) -> Self {
        if self.has(Self::DEFAULT) { self.without(Self::DEFAULT).with(Self::INJECT) } else { self }
    }

    /// Without these.
    #[must_use]
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

/// A value and the markers of its node.
#[derive(Clone, Debug)]
pub struct Item {
    /// The value.
    pub value: Value,
    /// The markers.
    pub flags: Flags,
}

impl From<Value> for Item {
    fn from(value: Value) -> Self {
        Self { value, flags: Flags::default() }
    }
}

/// A value.
#[derive(Clone, Debug, Default)]
pub enum Value {
    /// Nothing.
    #[default]
    Null,
    /// True or false.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A floating point number.
    Float(f64),
    /// Text.
    Str(EcoString),
    /// A list.
    List(Rc<List>),
    /// A map.
    Map(Rc<Map>),
    /// A function.
    Lambda(Rc<Lambda>),
    /// A piece of a document to be evaluated where it is used.
    Template(Rc<Template>),
}

/// The target of a name.
#[derive(Clone, Debug)]
pub enum Bound {
    /// A value.
    Value(Item),
    /// A lazily evaluated node.
    Node(InstId),
}

impl Default for Bound {
    fn default() -> Self {
        Value::Null.into()
    }
}

impl From<Value> for Bound {
    fn from(value: Value) -> Self {
        Self::Value(value.into())
    }
}

/// The names of a frame.
pub type Names = scope::Names<Bound>;

/// A frame for the next call.
pub(crate) type CallFrame = scope::CallFrame<Bound>;

/// The names around an expression.
pub type Scope = scope::Scope<Bound>;

impl Scope {
    /// The values of all names that have one.
    pub fn names(&self) -> Vec<(EcoString, Item)> {
        let value = |(name, bound)| match bound {
            Bound::Value(item) => Some((name, item)),
            Bound::Node(_) => None,
        };
        self.entries().into_iter().filter_map(value).collect()
    }
}

/// The size of a list or map, computed when it is built.
#[derive(Clone, Copy, Debug, Default)]
pub struct Weight {
    /// The number of values in it; shared ones count each time.
    pub nodes: u64,
    /// Its depth.
    pub depth: u32,
    /// Whether it contains a text in the form of an expression.
    pub open: bool,
}

impl Weight {
    fn add(&mut self, value: &Value) {
        let (nodes, depth, open) = match value {
            Value::List(l) => (l.weight.nodes, l.weight.depth, l.weight.open),
            Value::Map(m) => (m.weight.nodes, m.weight.depth, m.weight.open),
            Value::Str(s) => (0, 0, is_expression(s)),
            _ => (0, 0, false),
        };
        self.nodes = self.nodes.saturating_add(nodes + 1);
        self.depth = self.depth.max(depth + 1);
        self.open |= open;
    }
}

/// Whether a text has the form `(( … ))`, and is not the escaped form `((! … ))`.
pub fn is_expression(text: &str) -> bool {
    text.starts_with("((") && text.ends_with("))") && text.len() >= 4 && !text.starts_with("((!")
}

/// A list.
#[derive(Debug, Default)]
pub struct List {
    /// The items.
    pub items: Vec<Item>,
    /// The declared key field of its entries.
    pub key: Option<EcoString>,
    /// Its weight.
    pub weight: Weight,
    index: OnceCell<(EcoString, FxHashMap<EcoString, u32>)>,
}

impl List {
    /// A list of these items.
    pub fn new(items: Vec<Item>, key: Option<EcoString>) -> Rc<Self> {
        let mut weight = Weight::default();
        for item in &items {
            weight.add(&item.value);
        }
        Rc::new(Self { items, key, weight, index: OnceCell::new() })
    }

    /// The first map in it whose key field has this text.
    pub fn find(&self, key: Option<&str>, text: &str) -> Option<&Item> {
        const FEW: usize = 8;
        let key = key.or(self.key.as_deref()).unwrap_or("name");
        let field = |item: &Item| match &item.value {
            Value::Map(m) => m.get(key).and_then(|i| i.value.as_str()).cloned(),
            _ => None,
        };
        if self.items.len() <= FEW {
            return self.items.iter().find(|i| field(i).is_some_and(|f| f == text));
        }
        let (indexed, index) = self.index.get_or_init(|| {
            let mut index = FxHashMap::default();
            for (i, item) in (0..).zip(&self.items) {
                if let Some(text) = field(item) {
                    index.entry(text).or_insert(i);
                }
            }
            (key.into(), index)
        });
        if indexed == key {
            return index.get(text).and_then(|i| self.items.get(*i as usize));
        }
        self.items.iter().find(|i| field(i).is_some_and(|f| f == text))
    }

    /// The item at a position, from the end if negative.
    pub fn at(&self, index: i64) -> Option<&Item> {
        self.items.get(position(index, self.items.len())?)
    }
}

/// The position that an index means in a list of this length.
pub fn position(index: i64, len: usize) -> Option<usize> {
    let index = if index < 0 { index.checked_add(i64::try_from(len).ok()?)? } else { index };
    usize::try_from(index).ok().filter(|i| *i < len)
}

/// A map: its entries sorted by key.
#[derive(Debug, Default)]
pub struct Map {
    entries: Vec<(EcoString, Item)>,
    /// Its weight.
    pub weight: Weight,
    /// Whether entries are marked to be added to the next document.
    pub injects: bool,
}

impl Map {
    /// A map of these entries; of equal keys the last one wins.
    pub fn new(mut entries: Vec<(EcoString, Item)>) -> Rc<Self> {
        if !entries.is_sorted_by(|a, b| a.0 < b.0) {
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            entries.reverse();
            entries.dedup_by(|later, earlier| later.0 == earlier.0);
            entries.reverse();
        }
        let mut weight = Weight::default();
        let mut injects = false;
        for (_, item) in &entries {
            weight.add(&item.value);
            injects |= item.flags.has_any(Flags::INJECT.with(Flags::DEFAULT));
        }
        Rc::new(Self { entries, weight, injects })
    }

    /// The entries by key.
    pub fn entries(&self) -> &[(EcoString, Item)] {
        &self.entries
    }

    /// The entry under a key.
    pub fn get(&self, key: &str) -> Option<&Item> {
        let at = self.entries.binary_search_by(|e| e.0.as_str().cmp(key)).ok()?;
        self.entries.get(at).map(|e| &e.1)
    }
}

/// The code of a lambda.
#[derive(Clone, Debug)]
pub enum Callable {
    /// Evaluates its body.
    Body(Rc<LambdaExpr>),
    /// Calls a built-in function with arguments that are already bound.
    Builtin(EcoString),
}

/// A lambda with its captured names.
#[derive(Debug)]
pub struct Lambda {
    /// Its code.
    pub callable: Callable,
    /// Arguments bound by currying, by position.
    pub bound: Vec<(EcoString, Value)>,
    /// Arguments bound by currying a built-in function.
    pub first: Vec<Value>,
    /// Values of default expressions, by parameter.
    pub defaults: Vec<Option<Value>>,
    /// The names it was written among.
    pub captured: Scope,
    /// The node it was written at.
    pub place: InstId,
}

/// A template: a piece of a document, and its place.
#[derive(Debug)]
pub struct Template {
    /// The part that is evaluated for every use.
    pub body: TemplateBody,
    /// The node it was written at.
    pub place: InstId,
    /// The value it prints as.
    pub source: Value,
}

/// The body of a template.
#[derive(Clone, Copy, Debug)]
pub enum TemplateBody {
    /// A map or list of a document.
    Node(SrcId),
    /// An expression.
    Expr(ExprId, SrcId),
}

impl Value {
    /// A text.
    pub fn str(text: impl Into<EcoString>) -> Self {
        Self::Str(text.into())
    }

    /// A list of these values.
    pub fn list(values: impl IntoIterator<Item = Value>) -> Self {
        Self::List(List::new(values.into_iter().map(Item::from).collect(), None))
    }

    /// A map of these values.
    pub fn map<K: Into<EcoString>>(entries: impl IntoIterator<Item = (K, Value)>) -> Self {
        let entries = entries.into_iter().map(|(k, v)| (k.into(), Item::from(v)));
        Self::Map(Map::new(entries.collect()))
    }

    /// The text, if it is one.
    pub fn as_str(&self) -> Option<&EcoString> {
        if let Self::Str(s) = self { Some(s) } else { None }
    }

    /// The name of this kind of value in expressions.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "nil",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Float(_) => "float",
            Self::Str(_) => "string",
            Self::List(_) => "list",
            Self::Map(_) => "map",
            Self::Lambda(_) => "lambda",
            Self::Template(_) => "template",
        }
    }

    /// Whether it counts as true.
    pub fn truth(&self) -> bool {
        match self {
            Self::Null => false,
            Self::Bool(b) => *b,
            Self::Int(n) => *n != 0,
            Self::Str(s) => !s.is_empty(),
            Self::List(l) => !l.items.is_empty(),
            Self::Map(m) => !m.entries.is_empty(),
            Self::Float(_) | Self::Lambda(_) | Self::Template(_) => true,
        }
    }

    /// Whether it is a list or map.
    pub fn is_container(&self) -> bool {
        matches!(self, Self::List(_) | Self::Map(_))
    }

    /// Its weight.
    pub fn weight(&self) -> Weight {
        let mut weight = Weight::default();
        weight.add(self);
        weight
    }

    /// The text of a string, an integer or a boolean.
    pub fn simple_text(&self) -> Option<EcoString> {
        Some(match self {
            Self::Str(s) => s.clone(),
            Self::Int(n) => ecow::eco_format!("{n}"),
            Self::Bool(b) => (if *b { "true" } else { "false" }).into(),
            _ => return None,
        })
    }
}
