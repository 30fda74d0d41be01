//! The syntax tree of Puppet: nodes in arenas, built once, shared by all compiles and threads.
//!
//! A [`Program`] owns the nodes of one text. Nodes refer to each other by [`ExprId`]; children that
//! come in any number are runs ([`ExprList`]). Places stand beside the nodes ([`Program::range`]),
//! out of the way of evaluation. Names of variants follow the grammar of the language
//! specification (upstream `lib/puppet/pops/model`), those of the syntax dump its S-expressions.

use std::ops::Index;
use std::sync::Arc;

use ecow::EcoString;
use ordain_source::{FileId, Span, TextRange};
use ordain_syntax::{Arena, Idx, ListRef};

/// The id of an expression in its [`Program`].
pub type ExprId = Idx<Expr>;
/// A run of expression ids.
pub type ExprList = ListRef<ExprId>;

/// The parsed text of one file, string or template.
#[derive(Debug)]
pub struct Program {
    /// The file that the text is.
    pub file: FileId,
    /// The text.
    pub text: Arc<str>,
    /// The whole program: a block of several statements, a single statement, [`Expr::Nop`] for an
    /// empty text, or an [`Expr::Epp`].
    pub body: ExprId,
    /// All class, define, function, node and type definitions, in the order of their end.
    pub definitions: Vec<ExprId>,
    /// The ranges of comments, in order.
    pub comments: Vec<TextRange>,
    /// All expressions.
    pub exprs: Arena<Expr>,
    pub(crate) ranges: Vec<TextRange>,
    pub(crate) lists: Arena<ExprId>,
    /// All parameters.
    pub params: Arena<Param>,
    /// All attribute operations.
    pub attributes: Arena<Attribute>,
    /// All bodies of resource expressions.
    pub bodies: Arena<ResourceBody>,
    pub(crate) lambdas: Arena<Lambda>,
    /// All calls.
    pub calls: Arena<Call>,
    /// All options of cases and selectors.
    pub cases: Arena<CaseOption>,
    pub(crate) definition_data: Arena<Definition>,
    pub(crate) type_statements: Arena<TypeStatement>,
    pub(crate) settings: Arena<Setting>,
    /// The values of hash entries in ascending order, each with the place of its `=>`.
    pub arrows: Vec<(ExprId, u32)>,
}

impl Program {
    /// The place of an expression in messages, as in the reference implementation: of an operator,
    /// its sign without the operands.
    #[inline]
    pub fn range(&self, id: ExprId) -> TextRange {
        self.ranges[id.raw() as usize]
    }

    /// Whether there is nothing in it but blanks and comments.
    #[inline]
    pub fn is_empty(&self) -> bool {
        matches!(self[self.body], Expr::Nop)
    }

    /// The place of an expression with its file.
    #[inline]
    pub fn span(&self, id: ExprId) -> Span {
        self.range(id).in_file(self.file)
    }

    /// The expressions of a run.
    #[inline]
    pub fn list(&self, list: ExprList) -> &[ExprId] {
        self.lists.list(list)
    }

    /// The parameters of a run.
    #[inline]
    pub fn params(&self, list: ListRef<Param>) -> &[Param] {
        self.params.list(list)
    }

    /// The attribute operations of a run.
    #[inline]
    pub fn attributes(&self, list: ListRef<Attribute>) -> &[Attribute] {
        self.attributes.list(list)
    }

    /// The bodies of a resource expression.
    #[inline]
    pub fn bodies(&self, list: ListRef<ResourceBody>) -> &[ResourceBody] {
        self.bodies.list(list)
    }

    /// The options of a case, or the entries of a selector.
    #[inline]
    pub fn options(&self, list: ListRef<CaseOption>) -> &[CaseOption] {
        self.cases.list(list)
    }

    /// A lambda.
    #[inline]
    pub fn lambda(&self, id: Idx<Lambda>) -> &Lambda {
        &self.lambdas[id]
    }

    /// A call.
    #[inline]
    pub fn call(&self, id: Idx<Call>) -> &Call {
        &self.calls[id]
    }

    /// The statements of a type's body.
    #[inline]
    pub fn type_statements(&self, list: ListRef<TypeStatement>) -> &[TypeStatement] {
        self.type_statements.list(list)
    }

    /// The settings of a feature.
    #[inline]
    pub fn settings(&self, list: ListRef<Setting>) -> &[Setting] {
        self.settings.list(list)
    }

    /// A definition.
    #[inline]
    pub fn definition(&self, id: Idx<Definition>) -> &Definition {
        &self.definition_data[id]
    }

    /// The text of a range.
    #[inline]
    pub fn text(&self, range: TextRange) -> &str {
        self.text.get(range.start as usize..range.end as usize).unwrap_or("")
    }
}

impl Index<ExprId> for Program {
    type Output = Expr;

    #[inline]
    fn index(&self, id: ExprId) -> &Expr {
        &self.exprs[id]
    }
}

/// Operators with two operands that both are evaluated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
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
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// `==`
    Eq,
    /// `!=`
    NotEq,
    /// `<`
    Less,
    /// `<=`
    LessEq,
    /// `>`
    Greater,
    /// `>=`
    GreaterEq,
    /// `=~`
    Match,
    /// `!~`
    NotMatch,
    /// `in`
    In,
}

impl BinaryOp {
    /// The sign or word as it is written.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
            Self::Div => "/",
            Self::Mod => "%",
            Self::ShiftLeft => "<<",
            Self::ShiftRight => ">>",
            Self::Eq => "==",
            Self::NotEq => "!=",
            Self::Less => "<",
            Self::LessEq => "<=",
            Self::Greater => ">",
            Self::GreaterEq => ">=",
            Self::Match => "=~",
            Self::NotMatch => "!~",
            Self::In => "in",
        }
    }
}

/// Relationship arrows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Arrow {
    /// `->`
    Before,
    /// `~>`
    Notify,
    /// `<-`
    After,
    /// `<~`
    Subscribe,
}

impl Arrow {
    /// The sign as it is written.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Before => "->",
            Self::Notify => "~>",
            Self::After => "<-",
            Self::Subscribe => "<~",
        }
    }
}

/// Assignment operators; the last two parse and are refused by the validator.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AssignOp {
    /// `=`
    Set,
    /// `+=`
    Append,
    /// `-=`
    Delete,
}

impl AssignOp {
    /// The sign as it is written.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Set => "=",
            Self::Append => "+=",
            Self::Delete => "-=",
        }
    }
}

/// Whether a resource expression is `x { }`, `@x { }` or `@@x { }`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ResourceForm {
    /// In the catalog.
    Regular,
    /// Only when collected.
    Virtual,
    /// For other nodes.
    Exported,
}

/// An expression. Puppet has no other statements.
#[derive(Clone, PartialEq, Debug)]
pub enum Expr {
    /// The place of a syntax error. A program with one is never evaluated.
    Error,
    /// Nothing: an empty body.
    Nop,
    /// `undef`
    Undef,
    /// `default`
    Default,
    /// `true`, `false`
    Bool(bool),
    /// An integer as written in radix 8, 10 or 16.
    Int {
        /// Its value.
        value: i64,
        /// 8, 10 or 16; 0 if the literal is out of range, which the validator refuses.
        radix: u8,
    },
    /// A floating point literal.
    Float(f64),
    /// Text without interpolation: quoted.
    Str(EcoString),
    /// A bare word with a lower-case start, such as `file` or `a::b`. Its value is its text.
    Name(EcoString),
    /// A word with an upper-case start, such as `File` or `A::B`.
    Ref(EcoString),
    /// A reserved word used as a value; refused by the validator.
    Reserved(EcoString),
    /// `/…/` without the slashes, `\/` made `/`.
    Regex(EcoString),
    /// `$name`, without the dollar, with a leading `::` if written; digits for match variables.
    Var(EcoString),
    /// Double-quoted text with interpolation: its parts, [`Expr::Str`] or [`Expr::Text`].
    Concat(ExprList),
    /// `${ … }` inside text: the expression whose value becomes text.
    Text(ExprId),
    /// A heredoc: its syntax name if given, and its text ([`Expr::Str`] or [`Expr::Concat`]).
    Heredoc {
        /// The name after `:` in the tag; empty if missing.
        syntax: EcoString,
        /// The text.
        text: ExprId,
    },
    /// `[ … ]`
    List(ExprList),
    /// `{ k => v, … }`: keys and values alternate.
    Hash(ExprList),
    /// `a[b, …]`; the first of the run is `a`.
    Access(ExprList),
    /// `a + b` and its like.
    Binary {
        /// The operator.
        op: BinaryOp,
        /// Its left operand.
        left: ExprId,
        /// Its right operand.
        right: ExprId,
    },
    /// `a and b`
    And(ExprId, ExprId),
    /// `a or b`
    Or(ExprId, ExprId),
    /// `!a`
    Not(ExprId),
    /// `-a`
    Minus(ExprId),
    /// `*a`
    Splat(ExprId),
    /// `( a )`
    Paren(ExprId),
    /// `a = b`
    Assign {
        /// The operator.
        op: AssignOp,
        /// The target.
        left: ExprId,
        /// The value.
        right: ExprId,
    },
    /// `a -> b`
    Relation {
        /// The arrow.
        arrow: Arrow,
        /// Its left operand.
        left: ExprId,
        /// Its right operand.
        right: ExprId,
    },
    /// Statements between braces, or the statements of a program.
    Block(ExprList),
    /// `if a { b } else { c }`; `elsif` is an `If` in the third place. Missing parts are [`Expr::Nop`].
    If(ExprId, ExprId, ExprId),
    /// `unless a { b } else { c }`
    Unless(ExprId, ExprId, ExprId),
    /// `case a { … }`
    Case(ExprId, ListRef<CaseOption>),
    /// `a ? { … }`: one value in each option.
    Selector(ExprId, ListRef<CaseOption>),
    /// A call in any form.
    Call(Idx<Call>),
    /// `a.b` without a call: [`Expr::Call`] has those. Left, right.
    Dot(ExprId, ExprId),
    /// `|$x| { … }`
    Lambda(Idx<Lambda>),
    /// `type { title: … }`
    Resource {
        /// Regular, virtual or exported.
        form: ResourceForm,
        /// The type before the brace; [`Expr::Name`] `class` for classes.
        kind: ExprId,
        /// The bodies.
        bodies: ListRef<ResourceBody>,
    },
    /// `Type { … }`
    ResourceDefaults {
        /// Virtual and exported forms parse and are refused.
        form: ResourceForm,
        /// The type.
        kind: ExprId,
        /// Attributes.
        attributes: ListRef<Attribute>,
    },
    /// `Type[title] { … }`
    ResourceOverride {
        /// Virtual and exported forms parse and are refused.
        form: ResourceForm,
        /// The references.
        resources: ExprId,
        /// Attributes.
        attributes: ListRef<Attribute>,
    },
    /// `Type <| query |> { … }`; the query is [`Expr::Nop`] if it is empty.
    Collect {
        /// `<<| |>>`
        exported: bool,
        /// The type.
        kind: ExprId,
        /// The query.
        query: ExprId,
        /// Overrides.
        attributes: ListRef<Attribute>,
    },
    /// `class`, `define`, `function`, `plan`, `node`, `type`.
    Definition(Idx<Definition>),
    /// `invariant "title" { … }` as a statement.
    Invariant {
        /// The title; [`Expr::Nop`] if missing.
        title: ExprId,
        /// The tested condition: a block, a lambda or [`Expr::Nop`].
        body: ExprId,
    },
    /// The whole of a template: its parameters and its body.
    Epp {
        /// Whether a parameter list was written at all.
        has_params: bool,
        /// The parameters.
        params: ListRef<Param>,
        /// The rendered expression.
        body: ExprId,
    },
    /// Text of a template.
    RenderText(EcoString),
    /// `<%= … %>`
    Render(ExprId),
}

/// The syntax of a call. `rvalue` says whether its value is used.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CallForm {
    /// `f(a)` or, as a statement, `f a`.
    Named,
    /// `a.f(b)`: the receiver is the first argument.
    Method,
}

/// A call.
#[derive(Clone, PartialEq, Debug)]
pub struct Call {
    /// The syntax of the call.
    pub form: CallForm,
    /// The callee: [`Expr::Name`], or [`Expr::Ref`] for `Integer('3')`; for a method the name alone.
    pub callee: ExprId,
    /// Receiver of a method first, then the arguments.
    pub args: ExprList,
    /// The lambda after the arguments.
    pub lambda: Option<ExprId>,
    /// Whether its value is used.
    pub rvalue: bool,
    /// Whether the arguments are in parentheses.
    pub parens: bool,
}

/// A parameter of a class, define, function, lambda or template.
#[derive(Clone, PartialEq, Debug)]
pub struct Param {
    /// Its name without the dollar.
    pub name: EcoString,
    /// Its type.
    pub kind: Option<ExprId>,
    /// Its default.
    pub default: Option<ExprId>,
    /// `*$x`
    pub captures_rest: bool,
    /// The whole parameter.
    pub range: TextRange,
}

/// A lambda.
#[derive(Clone, PartialEq, Debug)]
pub struct Lambda {
    /// Parameters.
    pub params: ListRef<Param>,
    /// `>> Type`
    pub returns: Option<ExprId>,
    /// The body, a block or [`Expr::Nop`].
    pub body: ExprId,
}

/// One option of a case or selector.
#[derive(Clone, PartialEq, Debug)]
pub struct CaseOption {
    /// Values to compare with; a selector's entry has exactly one.
    pub values: ExprList,
    /// The body, or the selector's value.
    pub then: ExprId,
    /// The whole option.
    pub range: TextRange,
}

/// The operator of an attribute.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AttributeOp {
    /// `a => v`
    Set,
    /// `a +> v`
    Append,
    /// `* => hash`
    Splat,
}

/// One attribute of a body, default, override or collector.
#[derive(Clone, PartialEq, Debug)]
pub struct Attribute {
    /// `=>`, `+>` or `* =>`
    pub op: AttributeOp,
    /// Its name; `*` for a splat.
    pub name: EcoString,
    /// Its value.
    pub value: ExprId,
    /// The whole operation.
    pub range: TextRange,
}

/// One body of a resource expression.
#[derive(Clone, PartialEq, Debug)]
pub struct ResourceBody {
    /// The title.
    pub title: ExprId,
    /// Attributes.
    pub attributes: ListRef<Attribute>,
    /// The whole body.
    pub range: TextRange,
}

/// A definition.
#[derive(Clone, PartialEq, Debug)]
pub enum Definition {
    /// `class name(params) inherits parent { }`
    Class {
        /// Absolute name, as nested: `outer::inner`.
        name: EcoString,
        /// Parameters.
        params: ListRef<Param>,
        /// The class it inherits from.
        parent: Option<EcoString>,
        /// The body, a block or [`Expr::Nop`].
        body: ExprId,
    },
    /// `define name(params) { }`
    Define {
        /// Absolute name.
        name: EcoString,
        /// Parameters.
        params: ListRef<Param>,
        /// The body.
        body: ExprId,
    },
    /// `function name(params) >> Type { }`; also `plan`, which is refused.
    Function {
        /// Its name.
        name: EcoString,
        /// Parameters.
        params: ListRef<Param>,
        /// `>> Type`
        returns: Option<ExprId>,
        /// The body.
        body: ExprId,
        /// Whether the keyword was `plan`.
        is_plan: bool,
    },
    /// `node 'a', /b/ { }`
    Node {
        /// [`Expr::Str`], [`Expr::Concat`] (refused), [`Expr::Default`] or [`Expr::Regex`].
        matches: ExprList,
        /// `inherits x`, which is refused.
        parent: Option<ExprId>,
        /// The body.
        body: ExprId,
    },
    /// `type X = …`
    TypeAlias {
        /// Its name.
        name: EcoString,
        /// Its definition: a type expression, hash or list.
        kind: ExprId,
    },
    /// `type Runtime[a, b] = …`
    TypeMapping {
        /// The type before the equals sign.
        kind: ExprId,
        /// The target of the mapping.
        mapping: ExprId,
    },
    /// `type X inherits Y { }`
    TypeDefinition {
        /// Its name.
        name: EcoString,
        /// Its parent.
        parent: Option<EcoString>,
        /// The range of the parent's name.
        parent_range: TextRange,
        /// The body.
        statements: ListRef<TypeStatement>,
    },
}

/// A statement of a type's body.
#[derive(Clone, PartialEq, Debug)]
pub struct TypeStatement {
    /// Its contents.
    pub kind: TypeStatementKind,
    /// The whole statement.
    pub range: TextRange,
}

/// The contents of a statement of a type's body.
#[derive(Clone, PartialEq, Debug)]
pub enum TypeStatementKind {
    /// `attr` or `has`
    Feature(FeatureSyntax),
    /// `invariant`
    Invariant {
        /// The title, text of any form.
        title: Option<ExprId>,
        /// The range of the title.
        title_range: TextRange,
        /// The tested condition: a block, a lambda or [`Expr::Nop`].
        body: ExprId,
        /// The range of the body.
        body_range: TextRange,
    },
    /// `function name(params) >> Type { }`
    Function {
        /// Its name.
        name: EcoString,
        /// The range of the name.
        name_range: TextRange,
        /// Its parameters, return type and body, as an [`Expr::Lambda`].
        lambda: ExprId,
        /// The range of the lambda.
        lambda_range: TextRange,
    },
    /// `title_patterns [/a/, /b/]`
    TitlePatterns {
        /// A list of [`Expr::Regex`].
        value: ExprId,
        /// The range of the list.
        range: TextRange,
    },
    /// `annotations { source => { key => value } }`
    Annotations {
        /// [`Expr::Hash`].
        value: ExprId,
        /// The range of the hash.
        range: TextRange,
    },
    /// `abstract`
    Abstract,
}

/// `attr name, Type { … }` or `has name, Type { … }`
#[derive(Clone, PartialEq, Debug)]
pub struct FeatureSyntax {
    /// Whether it is `has`.
    pub is_reference: bool,
    /// Its name.
    pub name: EcoString,
    /// The range of the name.
    pub name_range: TextRange,
    /// Its type; `enum[…]` is the type of this name in the language.
    pub kind: Option<ExprId>,
    /// The range of the type.
    pub kind_range: TextRange,
    /// Its settings.
    pub settings: ListRef<Setting>,
}

/// `name => value` of a feature.
#[derive(Clone, PartialEq, Debug)]
pub struct Setting {
    /// Its name.
    pub name: EcoString,
    /// The range of the name.
    pub name_range: TextRange,
    /// Its value; the block of a check is [`Expr::Block`] or [`Expr::Nop`].
    pub value: ExprId,
    /// The range of the value.
    pub value_range: TextRange,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_small() {
        assert_eq!(size_of::<Expr>(), 24);
    }
}
