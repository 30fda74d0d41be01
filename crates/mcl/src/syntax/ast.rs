//! The tree of a file: flat vectors with ids.

use ecow::EcoString;
use ordain_source::TextRange;
use ordain_syntax::{Arena, Idx};

use crate::functions::Operator;

/// The id of an expression.
pub type ExprId = Idx<Expr>;
/// The id of a statement.
pub type StmtId = Idx<Stmt>;
/// A name.
pub type Name = EcoString;

/// An expression with its place.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Its kind.
    pub kind: ExprKind,
    /// Its place.
    pub range: TextRange,
}

/// A piece of a string.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Piece {
    /// Text, escapes done.
    Text(EcoString),
    /// A variable.
    Var(Name),
}

/// An operator that takes two values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Eq,
    Ne,
    Lt,
    Gt,
    Le,
    Ge,
    And,
    Or,
}

impl BinaryOp {
    /// Its kind.
    pub fn operator(self) -> Operator {
        match self {
            Self::Add => Operator::Add,
            Self::Sub => Operator::Subtract,
            Self::Mul => Operator::Multiply,
            Self::Div => Operator::Divide,
            Self::Eq => Operator::Equal,
            Self::Ne => Operator::Differ,
            Self::Lt => Operator::Less,
            Self::Gt => Operator::More,
            Self::Le => Operator::AtMost,
            Self::Ge => Operator::AtLeast,
            Self::And => Operator::And,
            Self::Or => Operator::Or,
        }
    }

    /// The operator as it is written.
    pub fn text(self) -> &'static str {
        self.operator().text()
    }
}

/// The kind of an expression.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// `true`
    Bool(bool),
    /// `"text"`: the raw text stands between the quotes of the place; `pieces` once decoded.
    Str(Vec<Piece>),
    /// `42`
    Int(i64),
    /// `4.2`
    Float(f64),
    /// `[a, b]`
    List(Vec<ExprId>),
    /// `{k => v}`
    Map(Vec<(ExprId, ExprId)>),
    /// `struct{f => v}`
    Struct(Vec<(Name, ExprId)>),
    /// `$a.b`
    Var(Name),
    /// `f.g(args)`
    Call(Name, Vec<ExprId>),
    /// `$f(args)`
    CallVar(Name, Vec<ExprId>),
    /// `func($x) { … }(args)`
    CallLambda(ExprId, Vec<ExprId>),
    /// `func($x) { … }`
    Lambda(Box<FuncDef>),
    /// `if c { a } else { b }`
    If([ExprId; 3]),
    /// `a + b`
    Binary(BinaryOp, ExprId, ExprId),
    /// `not a`
    Not(ExprId),
    /// `a in b`
    In(ExprId, ExprId),
    /// `a[b]`
    Index(ExprId, ExprId),
    /// `a->f`, and its default
    Field(ExprId, Name, Option<ExprId>),
    /// `a <|> b`
    Except(ExprId, ExprId),
    /// `(a)`
    Paren(ExprId),
}

/// A type as it is written.
#[derive(Clone, PartialEq, Debug)]
pub enum TypeNode {
    /// `bool`
    Bool,
    /// `str`
    Str,
    /// `int`
    Int,
    /// `float`
    Float,
    /// `variant`
    Variant,
    /// `[]t`
    List(Box<TypeNode>),
    /// `map{k: v}`
    Map(Box<TypeNode>, Box<TypeNode>),
    /// `struct{f t}`
    Struct(Vec<(Name, TypeNode)>),
    /// `func(t) r`
    Func(Vec<(Option<Name>, TypeNode)>, Box<TypeNode>),
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct Param {
    /// Its name.
    pub name: Name,
    /// Its type, if one is written.
    pub ty: Option<TypeNode>,
    /// Its place.
    pub range: TextRange,
}

/// A function: parameters and one expression.
#[derive(Clone, Debug)]
pub struct FuncDef {
    /// The parameters.
    pub params: Vec<Param>,
    /// The type of the result, if one is written.
    pub result: Option<TypeNode>,
    /// The body.
    pub body: ExprId,
}

/// A statement with its place.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// Its kind.
    pub kind: StmtKind,
    /// Its place.
    pub range: TextRange,
}

/// Statements in order.
pub type Block = Vec<StmtId>;

/// The kind of a statement.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `$x = e`
    Bind {
        /// The name.
        name: Name,
        /// The type, if one is written.
        ty: Option<TypeNode>,
        /// The value.
        value: ExprId,
    },
    /// `panic(args)`: the call of the function of this name.
    Panic(ExprId),
    /// A resource, with or without `collect`.
    Resource(Box<ResourceNode>),
    /// `A["x"] -> B["y"]`
    Edge(Vec<EdgeHalf>),
    /// `if c { … } else { … }`
    If(ExprId, Block, Option<Block>),
    /// `for $i, $v in e { … }` and `forkv $k, $v in e { … }`
    For(Box<ForNode>),
    /// `func f($x) { … }`
    Func(Name, Box<FuncDef>),
    /// `class c($x) { … }`
    Class(Box<ClassNode>),
    /// `include c(args) as x`
    Include {
        /// The class.
        name: Name,
        /// The arguments.
        args: Vec<ExprId>,
        /// The name for its content.
        alias: Option<Name>,
    },
    /// `import "x" as y`
    Import {
        /// The text between the quotes.
        path: Name,
        /// The name for it; `*` for none.
        alias: Option<Name>,
    },
}

/// A loop.
#[derive(Clone, Debug)]
pub struct ForNode {
    /// Whether it runs over a map.
    pub is_map: bool,
    /// The index or key.
    pub index: (Name, TextRange),
    /// The value.
    pub value: (Name, TextRange),
    /// The collection.
    pub over: ExprId,
    /// The body.
    pub body: Block,
}

/// A class.
#[derive(Clone, Debug)]
pub struct ClassNode {
    /// The name; colons are kept.
    pub name: Name,
    /// The parameters.
    pub params: Vec<Param>,
    /// The body.
    pub body: Block,
}

/// A resource.
#[derive(Clone, Debug)]
pub struct ResourceNode {
    /// Whether it is collected.
    pub collect: bool,
    /// The kind.
    pub kind: Name,
    /// The name or names.
    pub name: ExprId,
    /// Its body.
    pub entries: Vec<Entry>,
}

/// An entry of a resource's body.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its kind.
    pub kind: EntryKind,
    /// The condition before `?:`.
    pub condition: Option<ExprId>,
    /// Its place.
    pub range: TextRange,
}

/// The kind of an entry of a resource's body.
#[derive(Clone, Debug)]
pub enum EntryKind {
    /// `field => value`
    Field(Name, ExprId),
    /// `Before => Test["x"]`, the property in lower case
    Edge(Name, EdgeHalf),
    /// `Meta:noop => value`
    Meta(Name, ExprId),
    /// `Meta => struct{…}`
    MetaStruct(ExprId),
}

/// One side of an edge.
#[derive(Clone, Debug)]
pub struct EdgeHalf {
    /// The kind, in lower case.
    pub kind: Name,
    /// The name or names.
    pub name: ExprId,
    /// The field that is sent or received.
    pub field: Option<Name>,
    /// Its place.
    pub range: TextRange,
}

/// A parsed file.
#[derive(Clone, Default, Debug)]
pub struct Tree {
    /// All expressions.
    pub exprs: Arena<Expr>,
    /// All statements.
    pub stmts: Arena<Stmt>,
    /// The statements of the file.
    pub body: Block,
    /// Comments.
    pub comments: Vec<TextRange>,
    /// Constructs that the original refuses.
    pub widenings: Vec<Widening>,
}

/// A form that only the wide edition accepts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Widening {
    /// Its kind.
    pub kind: WideningKind,
    /// Its place.
    pub range: TextRange,
}

/// Only the wide edition accepts it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WideningKind {
    /// A comma before a closing bracket on one line.
    TrailingComma,
    /// A map type without its word.
    BareMapType,
    /// `||` for a default.
    OldDefault,
    /// The name of an argument in a function type without `$`.
    BareArgument,
}

impl ExprKind {
    /// Calls a function with each part in source order, including bodies of functions.
    pub fn each_part(&self, visit: &mut dyn FnMut(ExprId)) {
        match self {
            Self::Bool(_) | Self::Str(_) | Self::Int(_) | Self::Float(_) | Self::Var(_) => {}
            Self::List(items) | Self::Call(_, items) | Self::CallVar(_, items) => {
                items.iter().for_each(|item| visit(*item));
            }
            Self::Map(pairs) => {
                for (key, value) in pairs {
                    visit(*key);
                    visit(*value);
                }
            }
            Self::Struct(fields) => fields.iter().for_each(|(_, value)| visit(*value)),
            Self::CallLambda(func, args) => {
                visit(*func);
                args.iter().for_each(|arg| visit(*arg));
            }
            Self::Lambda(func) => visit(func.body),
            Self::If(parts) => parts.iter().for_each(|part| visit(*part)),
            Self::Binary(_, a, b) | Self::In(a, b) | Self::Index(a, b) | Self::Except(a, b) => {
                visit(*a);
                visit(*b);
            }
            Self::Not(inner) | Self::Paren(inner) => visit(*inner),
            Self::Field(record, _, default) => {
                visit(*record);
                if let Some(default) = default {
                    visit(*default);
                }
            }
        }
    }
}

impl StmtKind {
    /// Calls a function with each expression of it, without those of blocks, in source order.
    pub fn each_expr(&self, visit: &mut dyn FnMut(ExprId)) {
        match self {
            Self::Bind { value, .. } => visit(*value),
            Self::Panic(call) => visit(*call),
            Self::Resource(resource) => {
                visit(resource.name);
                for entry in &resource.entries {
                    match &entry.kind {
                        EntryKind::Field(_, value)
                        | EntryKind::Meta(_, value)
                        | EntryKind::MetaStruct(value) => visit(*value),
                        EntryKind::Edge(_, half) => visit(half.name),
                    }
                    if let Some(condition) = entry.condition {
                        visit(condition);
                    }
                }
            }
            Self::Edge(halves) => halves.iter().for_each(|half| visit(half.name)),
            Self::If(condition, ..) => visit(*condition),
            Self::For(node) => visit(node.over),
            Self::Func(_, func) => visit(func.body),
            Self::Class(_) | Self::Import { .. } => {}
            Self::Include { args, .. } => args.iter().for_each(|arg| visit(*arg)),
        }
    }

    /// The blocks of it.
    pub fn blocks(&self) -> [&[StmtId]; 2] {
        match self {
            Self::If(_, then, other) => [then, other.as_deref().unwrap_or_default()],
            Self::For(node) => [&node.body, &[]],
            Self::Class(class) => [&class.body, &[]],
            _ => [&[], &[]],
        }
    }
}
