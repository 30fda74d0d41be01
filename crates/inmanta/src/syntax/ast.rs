//! The tree of a program. All files share one arena. The file of a node determines its namespace.

use ecow::EcoString;
use ordain_functions::regex::Regex;
use ordain_syntax::{Arena, Idx, ListRef};

use crate::location::Location;
use crate::symbol::{Symbol, Symbols};
use crate::value::Value;

/// The number of an expression.
pub type ExprId = Idx<Expr>;
/// The number of a statement.
pub type StmtId = Idx<Stmt>;
/// The number of a block.
pub type BlockId = Idx<Block>;
/// The number of a call.
pub type CallId = Idx<Call>;
/// The number of a constructor.
pub type NewId = Idx<New>;
/// The number of an index lookup.
pub type LookupId = Idx<Lookup>;
/// The number of a string with placeholders.
pub type FormatId = Idx<Format>;

/// A name with its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Name {
    /// The name, with its namespace if there is one.
    pub symbol: Symbol,
    /// The place.
    pub at: Location,
}

/// The target of a resolved name.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Slot {
    /// It is not resolved yet.
    #[default]
    Unresolved,
    /// A variable of an enclosing block: the number of scopes up, and its number there.
    Local(u16, u16),
    /// An attribute of the instance that many scopes up, if it has this attribute; otherwise the
    /// variable at the top level, if there is one.
    Instance(u16, Option<u32>),
    /// A variable at the top level.
    Global(u32),
    /// Nothing.
    Missing,
}

/// A binary operator that always evaluates both operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum BinOp {
    Plus,
    Minus,
    Times,
    Divide,
    Modulo,
    Power,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    In,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Its kind.
    pub kind: ExprKind,
    /// The place.
    pub at: Location,
}

/// The kinds of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A value.
    Const(Value),
    /// A variable.
    Name(Symbol, Slot),
    /// `base.name`
    Attr(ExprId, Symbol),
    /// A binary operator with its operands.
    Binary(BinOp, ExprId, ExprId),
    /// `and`
    And(ExprId, ExprId),
    /// `or`
    Or(ExprId, ExprId),
    /// `not`
    Not(ExprId),
    /// `/pattern/`, on the variable `self`.
    Regex(ExprId, u32),
    /// `c ? a : b`
    Cond(ExprId, ExprId, ExprId),
    /// `[a, b]`
    List(ListRef<ExprId>),
    /// `{"a": b}`: keys and values.
    Dict(ListRef<EcoString>, ListRef<ExprId>),
    /// `[value for variable in iterable if guard]`
    Comprehension {
        /// The expression of an element of the result.
        value: ExprId,
        /// The loop variable.
        variable: Symbol,
        /// The list that is iterated over.
        iterable: ExprId,
        /// The condition for elements.
        guard: Option<ExprId>,
    },
    /// A call of a plugin, or a cast.
    Call(CallId),
    /// A constructor.
    New(NewId),
    /// `T[a=1]` and `x.r[a=1]`
    Lookup(LookupId),
    /// `map[key]`
    Entry(ExprId, ExprId),
    /// `base.name is defined`
    Defined(Option<ExprId>, Symbol, Slot),
    /// A string with placeholders.
    Format(FormatId),
    /// `**dict`
    Splat(ExprId),
}

/// The meaning of a called name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Callee {
    /// It is not resolved yet.
    Unresolved,
    /// A cast to a type with this number.
    Cast(u32),
    /// A plugin with this number.
    Plugin(u32),
}

/// A call.
#[derive(Clone, Debug)]
pub struct Call {
    /// The name of the callee.
    pub name: Name,
    /// The positional arguments.
    pub positional: ListRef<ExprId>,
    /// The names of the named arguments.
    pub names: Vec<Symbol>,
    /// The named arguments.
    pub named: ListRef<ExprId>,
    /// The dicts of further arguments.
    pub splats: ListRef<ExprId>,
    /// The meaning of the name.
    pub callee: Callee,
}

/// A constructor.
#[derive(Clone, Debug)]
pub struct New {
    /// The entity.
    pub class: Name,
    /// The names of the attributes that are set.
    pub names: ListRef<Name>,
    /// Their values.
    pub values: ListRef<ExprId>,
    /// The dicts of further attributes.
    pub splats: ListRef<ExprId>,
}

/// An index lookup.
#[derive(Clone, Debug)]
pub struct Lookup {
    /// The entity, or nothing in the short form.
    pub class: Option<Name>,
    /// The object and its relation in the short form.
    pub root: Option<(ExprId, Symbol)>,
    /// The names of the attributes of the key.
    pub names: Vec<Symbol>,
    /// The values of the key.
    pub values: ListRef<ExprId>,
    /// The dicts of further attributes.
    pub splats: ListRef<ExprId>,
    /// The entity, once it is resolved.
    pub entity: Option<u32>,
}

/// A string with placeholders.
#[derive(Clone, Debug)]
pub struct Format {
    /// The source text.
    pub text: EcoString,
    /// The variables, in order.
    pub variables: ListRef<ExprId>,
    /// Their source texts: with blanks, and with braces except in f-strings.
    pub written: Vec<EcoString>,
    /// Whether it is an f-string.
    pub is_f: bool,
    /// The parts in order.
    pub parts: Vec<Part>,
}

/// A part of a string with placeholders.
#[derive(Clone, PartialEq, Debug)]
pub enum Part {
    /// Text.
    Text(EcoString),
    /// The value of a variable: its number among the variables.
    Value(u32),
    /// A field of an f-string.
    Field(Field),
}

/// A field of an f-string.
#[derive(Clone, PartialEq, Debug)]
pub struct Field {
    /// The number of its variable; `None` for a field without a name.
    pub variable: Option<u32>,
    /// `r`, `s` or `a`.
    pub conversion: Option<char>,
    /// The format specification.
    pub spec: Vec<Part>,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// Its kind.
    pub kind: StmtKind,
    /// The place.
    pub at: Location,
}

/// The kinds of statements.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `name = value`
    Assign(Name, Slot, ExprId),
    /// `base.name = value` and `base.name += value`
    SetAttr {
        /// The object.
        base: ExprId,
        /// The attribute.
        name: Symbol,
        /// Its value.
        value: ExprId,
        /// Whether it is `+=`.
        append: bool,
    },
    /// `for variable in iterable: block end`
    For {
        /// The loop variable.
        variable: Symbol,
        /// The list that is iterated over.
        iterable: ExprId,
        /// The body.
        block: BlockId,
    },
    /// `if condition: then else: otherwise end`
    If {
        /// The condition.
        condition: ExprId,
        /// The block if the condition is true.
        then: BlockId,
        /// The block if the condition is false.
        otherwise: BlockId,
    },
    /// An expression.
    Expr(ExprId),
    /// The annotations of a relation between two entities.
    Annotations(ListRef<ExprId>, Symbol, Symbol),
}

/// Statements with their own variables.
#[derive(Clone, Default, Debug)]
pub struct Block {
    /// The statements in the order of execution.
    pub statements: Vec<StmtId>,
    /// The variables, each once, in the order in which they are declared.
    pub variables: Vec<Symbol>,
    /// The assignments in this block to attributes of objects that are declared outside.
    pub promises: Vec<StmtId>,
}

/// The source of an attribute's type.
#[derive(Clone, Copy, Debug)]
pub struct TypeRef {
    /// The name of the type.
    pub name: Name,
    /// `[]`
    pub is_list: bool,
    /// `?`
    pub is_nullable: bool,
}

/// An attribute of an entity.
#[derive(Clone, Debug)]
pub struct AttributeDef {
    /// Its type.
    pub ty: TypeRef,
    /// Its name.
    pub name: Name,
    /// Its default.
    pub default: Option<ExprId>,
}

/// `entity`
#[derive(Clone, Debug)]
pub struct EntityDef {
    /// Its name.
    pub name: Name,
    /// Its parents.
    pub parents: Vec<Name>,
    /// Its attributes.
    pub attributes: Vec<AttributeDef>,
    /// The documentation string.
    pub comment: Option<EcoString>,
    /// The place of the statement.
    pub at: Location,
}

/// One end of a relation.
#[derive(Clone, Copy, Debug)]
pub struct EndDef {
    /// The entity that has the attribute.
    pub entity: Name,
    /// The attribute.
    pub name: Option<Name>,
    /// The minimum number of values.
    pub low: u32,
    /// The maximum number of values.
    pub high: Option<u32>,
}

/// A relation.
#[derive(Clone, Debug)]
pub struct RelationDef {
    /// The left end: the entity with the attribute on the left.
    pub left: EndDef,
    /// The right end.
    pub right: EndDef,
    /// The place of the statement.
    pub at: Location,
    /// Its annotations.
    pub annotations: ListRef<ExprId>,
    /// The documentation string.
    pub comment: Option<EcoString>,
}

/// `typedef`
#[derive(Clone, Debug)]
pub struct TypedefDef {
    /// Its name.
    pub name: Name,
    /// The base type.
    pub base: Name,
    /// The condition that values must satisfy.
    pub condition: ExprId,
    /// The documentation string.
    pub comment: Option<EcoString>,
}

/// `index`
#[derive(Clone, Debug)]
pub struct IndexDef {
    /// The entity.
    pub entity: Name,
    /// The attributes.
    pub attributes: Vec<Name>,
    /// The place of the statement.
    pub at: Location,
}

/// `implement`
#[derive(Clone, Debug)]
pub struct ImplementDef {
    /// The entity.
    pub entity: Name,
    /// The implementations.
    pub implementations: Vec<Name>,
    /// Whether the implementations of the parents apply, too.
    pub parents: bool,
    /// The condition, if there is one.
    pub condition: Option<ExprId>,
}

/// `implementation`
#[derive(Clone, Debug)]
pub struct ImplementationDef {
    /// Its name.
    pub name: Name,
    /// The entity.
    pub entity: Name,
    /// Its statements.
    pub block: BlockId,
    /// The documentation string.
    pub comment: Option<EcoString>,
}

/// `import`
#[derive(Clone, Copy, Debug)]
pub struct ImportDef {
    /// The namespace.
    pub target: Name,
    /// The name under which it is visible.
    pub alias: Name,
    /// The place of the statement.
    pub at: Location,
}

/// A definition.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum Definition {
    Entity(EntityDef),
    Relation(RelationDef),
    Typedef(TypedefDef),
    Index(IndexDef),
    Implement(ImplementDef),
    Implementation(ImplementationDef),
    Import(ImportDef),
}

/// A file.
#[derive(Clone, Debug, Default)]
pub struct Unit {
    /// The documentation of the module.
    pub comment: Option<EcoString>,
    /// The definitions in their order.
    pub definitions: Vec<Definition>,
    /// The statements.
    pub block: Option<BlockId>,
}

/// The pattern of a regular expression.
#[derive(Debug)]
pub struct Pattern {
    /// The source text.
    pub text: EcoString,
    /// The compiled expression.
    pub regex: Regex,
}

/// All nodes of a program.
#[derive(Default, Debug)]
pub struct Ast {
    /// The names.
    pub symbols: Symbols,
    /// The expressions.
    pub exprs: Arena<Expr>,
    /// Runs of expressions.
    pub lists: Arena<ExprId>,
    /// Runs of names.
    pub names: Arena<Name>,
    /// Runs of keys.
    pub keys: Arena<EcoString>,
    /// The statements.
    pub stmts: Arena<Stmt>,
    /// The blocks.
    pub blocks: Arena<Block>,
    /// The calls.
    pub calls: Arena<Call>,
    /// The constructors.
    pub news: Arena<New>,
    /// The index lookups.
    pub lookups: Arena<Lookup>,
    /// The strings with placeholders.
    pub formats: Arena<Format>,
    /// The patterns of regular expressions.
    pub patterns: Vec<Pattern>,
}

impl Ast {
    /// Reserves memory for the nodes of a text. Unused capacity takes addresses, not memory; an
    /// arena that grows beyond it is in memory twice for a moment.
    pub fn expect(&mut self, text: usize) {
        self.exprs.reserve(text / 8);
        self.lists.reserve(text / 8);
        self.names.reserve(text / 8);
        self.stmts.reserve(text / 16);
        self.news.reserve(text / 16);
    }

    /// Adds an expression.
    pub fn expr(&mut self, kind: ExprKind, at: Location) -> ExprId {
        self.exprs.push(Expr { kind, at })
    }

    /// The name of a symbol.
    pub fn name(&self, symbol: Symbol) -> &str {
        self.symbols.name(symbol)
    }
}
