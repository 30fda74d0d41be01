//! The tree of an expression: one arena for all expressions of a run.

use std::rc::Rc;

use ecow::EcoString;
use ordain_syntax::{Arena, Idx};

/// An expression in [`Exprs`].
pub type ExprId = Idx<Expr>;

/// A step of a path.
#[derive(Clone, PartialEq, Debug)]
pub enum PathStep {
    /// The entry of a map, or of a list by the value of its key field.
    Key(EcoString),
    /// The entry of a list by position, from the end if negative.
    Index(i64),
}

/// Operators with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinaryOp {
    /// `||`
    Or,
    /// `//`
    OrNull,
    /// A blank.
    Concat,
    /// `-or`
    LogOr,
    /// `-and`
    LogAnd,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<=`
    Le,
    /// `>=`
    Ge,
    /// `<`
    Lt,
    /// `>`
    Gt,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Mod,
}

impl BinaryOp {
    /// As it is written.
    pub fn text(self) -> &'static str {
        match self {
            Self::Or => "||",
            Self::OrNull => "//",
            Self::Concat => "",
            Self::LogOr => "-or",
            Self::LogAnd => "-and",
            Self::Eq => "==",
            Self::Ne => "!=",
            Self::Le => "<=",
            Self::Ge => ">=",
            Self::Lt => "<",
            Self::Gt => ">",
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
            Self::Div => "/",
            Self::Mod => "%",
        }
    }
}

/// The kind of a list or map comprehension.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MapKind {
    /// `map[…]`
    List,
    /// `map{…}`
    Map,
    /// `select[…]`
    SelectList,
    /// `select{…}`
    SelectMap,
    /// `filter[…]`
    FilterList,
    /// `filter{…}`
    FilterMap,
}

impl MapKind {
    /// The keyword and its brackets.
    pub fn text(self) -> (&'static str, [char; 2]) {
        match self {
            Self::List => ("map", ['[', ']']),
            Self::Map => ("map", ['{', '}']),
            Self::SelectList => ("select", ['[', ']']),
            Self::SelectMap => ("select", ['{', '}']),
            Self::FilterList => ("filter", ['[', ']']),
            Self::FilterMap => ("filter", ['{', '}']),
        }
    }

    /// Whether the result is a map.
    pub fn gives_map(self) -> bool {
        matches!(self, Self::Map | Self::SelectMap | Self::FilterMap)
    }

    /// Whether it takes the elements of maps instead of lists.
    pub fn takes(self, maps: bool) -> bool {
        match self {
            Self::List | Self::Map | Self::SelectList => true,
            Self::SelectMap | Self::FilterMap => maps,
            Self::FilterList => !maps,
        }
    }

    /// Whether it selects elements instead of mapping them.
    pub fn chooses(self) -> bool {
        !matches!(self, Self::List | Self::Map)
    }
}

/// A parameter of a lambda.
#[derive(Clone, PartialEq, Debug)]
pub struct Param {
    /// Its name.
    pub name: EcoString,
    /// Its default.
    pub default: Option<ExprId>,
}

/// A function with parameters.
#[derive(Clone, PartialEq, Debug)]
pub struct LambdaExpr {
    /// The parameters.
    pub params: Rc<[Param]>,
    /// Whether the last one takes all further arguments.
    pub varargs: bool,
    /// Its result.
    pub body: ExprId,
}

/// An argument of a call.
#[derive(Clone, PartialEq, Debug)]
pub struct Arg {
    /// The parameter's name or number.
    pub name: Option<EcoString>,
    /// Its value.
    pub value: ExprId,
    /// Whether it is a list of arguments.
    pub expand: bool,
}

/// A marker before an expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Marker {
    /// `&template`
    Template,
    /// `&temporary`
    Temporary,
    /// `&local`
    Local,
    /// `&inject`
    Inject,
    /// `&state`
    State,
    /// `&default`
    Default,
    /// `&dynamic`
    Dynamic,
    /// `&tag:NAME`, or `&tag:*NAME` for all documents.
    Tag(EcoString, bool),
}

/// The words behind `merge` that say how; others are paths.
pub const MERGE_WORDS: [&str; 3] = ["replace", "required", "none"];

/// `merge` with all that may follow it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Merge {
    /// `replace`
    pub replace: bool,
    /// `required`
    pub required: bool,
    /// `none`
    pub none: bool,
    /// `on KEY`
    pub on: Option<EcoString>,
    /// Another path to look at.
    pub redirect: Option<Rc<[PathStep]>>,
    /// Whether that path begins with a dot: no stub has such a path.
    pub absolute: bool,
}

/// A reference by name.
#[derive(Clone, PartialEq, Debug)]
pub struct Reference {
    /// The tag before `::`.
    pub tag: Option<EcoString>,
    /// Whether it starts at the root.
    pub absolute: bool,
    /// The steps.
    pub path: Rc<[PathStep]>,
}

/// An expression.
#[derive(Clone, PartialEq, Debug)]
pub enum Expr {
    /// `nil`, `~`
    Null,
    /// `~~`
    Undefined,
    /// `true`, `false`
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A number with a fraction or exponent.
    Float(f64),
    /// A text, a symbol, or an address.
    Str(EcoString),
    /// A name with its path.
    Ref(Rc<Reference>),
    /// A path into any expression.
    Qualified(ExprId, Rc<[PathStep]>),
    /// `e[i]`; no base is the document's root.
    Dynamic(Option<ExprId>, Rc<[Arg]>),
    /// `e.[*]…` or `e.[a..b]…`: the rest is applied to every element of the selection.
    Projection {
        /// The list or map.
        base: ExprId,
        /// The slice; all elements if none.
        slice: Option<(Option<ExprId>, Option<ExprId>)>,
        /// The expression for every element, which is [`Self::Element`].
        rest: ExprId,
    },
    /// The element in a projection.
    Element,
    /// A call.
    Call {
        /// The called expression.
        callee: ExprId,
        /// The arguments.
        args: Rc<[Arg]>,
        /// Whether it only binds arguments.
        curry: bool,
    },
    /// Two operands.
    Binary(BinaryOp, ExprId, ExprId),
    /// `!e`
    Not(ExprId),
    /// `*e`
    Instantiate(ExprId),
    /// `( e )`
    Group(ExprId),
    /// `c ? t : f`
    Cond(ExprId, ExprId, ExprId),
    /// `[a, b]`
    List(Rc<[Arg]>),
    /// `[a..b]`
    Range(Option<ExprId>, Option<ExprId>),
    /// `{k = v}`
    Map(Rc<[(ExprId, ExprId)]>),
    /// `(k = v) e`
    Scope(Rc<[(ExprId, ExprId)]>, ExprId),
    /// `merge`
    Merge(Rc<Merge>),
    /// `auto`
    Auto,
    /// A lambda.
    Lambda(Rc<LambdaExpr>),
    /// `lambda e`
    LambdaRef(ExprId),
    /// `map[…]` and its kin.
    Mapping(MapKind, ExprId, ExprId),
    /// `sum[source|init|lambda]`
    Sum(ExprId, ExprId, ExprId),
    /// `catch[e|lambda]`
    Catch(ExprId, ExprId),
    /// `sync[e|cond|value|timeout]`
    Sync(ExprId, ExprId, Option<ExprId>, Option<ExprId>),
    /// `prefer e`
    Prefer(ExprId),
    /// Markers, and the marked expression.
    Marked(Rc<[Marker]>, Option<ExprId>),
}

/// All expressions of a run.
#[derive(Debug, Default)]
pub struct Exprs {
    arena: Arena<Expr>,
    spans: Vec<(u32, u32)>,
}

impl Exprs {
    /// Adds an expression with its byte range in the text.
    pub fn push(&mut self, expr: Expr, start: usize, end: usize) -> ExprId {
        let to_u32 = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        self.spans.push((to_u32(start), to_u32(end)));
        self.arena.push(expr)
    }

    /// The expressions right below one.
    pub fn operands(&self, id: ExprId) -> Vec<ExprId> {
        let args = |args: &[Arg]| args.iter().map(|a| a.value).collect::<Vec<_>>();
        let pairs = |entries: &[(ExprId, ExprId)]| {
            entries.iter().flat_map(|(k, v)| [*k, *v]).collect::<Vec<_>>()
        };
        match &self[id] {
            Expr::Null
            | Expr::Undefined
            | Expr::Bool(_)
            | Expr::Int(_)
            | Expr::Float(_)
            | Expr::Str(_)
            | Expr::Ref(_)
            | Expr::Element
            | Expr::Merge(_)
            | Expr::Auto => Vec::new(),
            Expr::Qualified(e, _)
            | Expr::Not(e)
            | Expr::Instantiate(e)
            | Expr::Group(e)
            | Expr::LambdaRef(e)
            | Expr::Prefer(e) => vec![*e],
            Expr::Dynamic(base, index) => base.iter().copied().chain(args(index)).collect(),
            Expr::Projection { base, slice, rest } => {
                let ends = slice.iter().flat_map(|(a, b)| [*a, *b]).flatten();
                [*base].into_iter().chain(ends).chain([*rest]).collect()
            }
            Expr::Call { callee, args: list, .. } => {
                [*callee].into_iter().chain(args(list)).collect()
            }
            Expr::Binary(_, a, b) | Expr::Mapping(_, a, b) | Expr::Catch(a, b) => vec![*a, *b],
            Expr::Cond(a, b, c) | Expr::Sum(a, b, c) => vec![*a, *b, *c],
            Expr::List(items) => args(items),
            Expr::Range(a, b) => a.iter().chain(b).copied().collect(),
            Expr::Map(entries) => pairs(entries),
            Expr::Scope(entries, e) => pairs(entries).into_iter().chain([*e]).collect(),
            Expr::Lambda(lambda) => {
                let defaults = lambda.params.iter().filter_map(|p| p.default);
                defaults.chain([lambda.body]).collect()
            }
            Expr::Sync(a, b, c, d) => {
                [*a, *b].into_iter().chain(c.iter().chain(d).copied()).collect()
            }
            Expr::Marked(_, e) => e.iter().copied().collect(),
        }
    }

    /// The byte range of an expression in its text.
    pub fn span(&self, id: ExprId) -> (u32, u32) {
        self.spans.get(id.raw() as usize).copied().unwrap_or_default()
    }
}

impl std::ops::Index<ExprId> for Exprs {
    type Output = Expr;

    fn index(&self, id: ExprId) -> &Expr {
        &self.arena[id]
    }
}
