//! The tree of a template, with the names of Jinja's nodes.

use std::rc::Rc;

use ecow::EcoString;
use indexmap::IndexMap;
use num_bigint::BigInt;

/// A template.
pub(super) struct Template {
    pub(super) body: Vec<Node>,
    pub(super) symbols: Symbols,
    pub(super) blocks: IndexMap<EcoString, Rc<Block>>,
    pub(super) has_extends: bool,
    pub(super) uses_self: bool,
}

/// A block with flags for rendering.
pub(super) struct Block {
    pub(super) name: EcoString,
    pub(super) body: Vec<Node>,
    pub(super) symbols: Symbols,
    pub(super) uses_self: bool,
    pub(super) uses_super: bool,
}

/// The initial value of a name in a scope.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Load {
    /// The caller sets it.
    Parameter,
    /// The context resolves it.
    Resolve,
    /// The value of the name in the outer scope.
    Alias,
    /// It has no value yet.
    Undefined,
}

/// A name of a scope.
#[derive(Clone, Debug)]
pub(super) struct Symbol {
    pub(super) name: EcoString,
    pub(super) load: Load,
    /// Whether the scope assigns it.
    pub(super) is_stored: bool,
}

/// The names of a scope.
#[derive(Clone, Default, Debug)]
pub(super) struct Symbols {
    pub(super) all: Rc<Vec<Symbol>>,
}

/// The escaping of output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Escape {
    Never,
    Always,
    /// The context decides when the output is written.
    Dynamic,
}

pub(super) enum Node {
    Data(EcoString),
    Output(Vec<Expr>, Escape),
    For(Rc<For>),
    If {
        branches: Vec<(Expr, Vec<Node>)>,
        otherwise: Vec<Node>,
    },
    Macro(Rc<Macro>),
    CallBlock {
        call: Call,
        body: Rc<Macro>,
    },
    FilterBlock {
        filters: Expr,
        body: Vec<Node>,
        symbols: Symbols,
        escape: Escape,
    },
    With {
        targets: Vec<Target>,
        values: Vec<Expr>,
        body: Vec<Node>,
        symbols: Symbols,
    },
    Block {
        name: EcoString,
        is_scoped: bool,
        is_required: bool,
    },
    Extends(Expr),
    Include {
        template: Expr,
        ignore_missing: bool,
        with_context: bool,
    },
    Import {
        template: Expr,
        target: EcoString,
        with_context: bool,
    },
    FromImport {
        template: Expr,
        names: Vec<(EcoString, EcoString)>,
        with_context: bool,
        place: EcoString,
    },
    Assign {
        target: Target,
        value: Expr,
    },
    AssignBlock {
        target: Target,
        filters: Option<Expr>,
        body: Vec<Node>,
        symbols: Symbols,
        escape: Escape,
    },
    Autoescape {
        value: Expr,
        body: Vec<Node>,
        symbols: Symbols,
    },
}

pub(super) struct For {
    pub(super) target: Target,
    pub(super) items: Expr,
    pub(super) test: Option<Expr>,
    pub(super) test_symbols: Symbols,
    pub(super) body: Vec<Node>,
    pub(super) symbols: Symbols,
    pub(super) otherwise: Vec<Node>,
    pub(super) else_symbols: Symbols,
    pub(super) is_recursive: bool,
    /// Whether the body has `loop`.
    pub(super) is_extended: bool,
    pub(super) escape: Escape,
}

pub(super) struct Macro {
    /// `None` for the body between `{% call %}` and its end.
    pub(super) name: Option<EcoString>,
    pub(super) arguments: Vec<EcoString>,
    /// The defaults of the last arguments.
    pub(super) defaults: Vec<Expr>,
    pub(super) body: Vec<Node>,
    pub(super) symbols: Symbols,
    pub(super) uses_caller: bool,
    pub(super) has_explicit_caller: bool,
    pub(super) uses_kwargs: bool,
    pub(super) uses_varargs: bool,
}

/// The target of an assignment.
#[derive(Clone)]
pub(super) enum Target {
    Name(EcoString),
    /// An attribute of a namespace.
    Attribute(EcoString, EcoString),
    Tuple(Vec<Target>),
}

/// A constant of an expression.
#[derive(Clone, Debug)]
pub(super) enum Literal {
    None,
    Bool(bool),
    Int(i64),
    /// A whole number that has more than 64 bits.
    Big(Rc<BigInt>),
    Float(f64),
    Str(EcoString),
}

impl Literal {
    /// A whole number of any size.
    pub(super) fn int(number: BigInt) -> Self {
        match i64::try_from(&number) {
            Ok(small) => Self::Int(small),
            Err(_) => Self::Big(Rc::new(number)),
        }
    }
}

pub(super) enum Expr {
    Name(EcoString),
    /// An attribute of a namespace as the target of an assignment.
    NamespaceItem(EcoString, EcoString),
    Const(Literal),
    List(Vec<Expr>),
    Tuple(Vec<Expr>),
    Dict(Vec<(Expr, Expr)>),
    Attribute(Box<Expr>, EcoString),
    Item(Box<Expr>, Box<Expr>),
    Slice(Option<Box<Expr>>, Option<Box<Expr>>, Option<Box<Expr>>),
    Call(Box<Call>),
    Filter(Box<Filter>),
    Test(Box<Filter>),
    Not(Box<Expr>),
    Negative(Box<Expr>),
    Positive(Box<Expr>),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    Compare(Box<Expr>, Vec<(Comparison, Expr)>),
    Concat(Vec<Expr>, Escape),
    /// Without `else`, the place is needed for errors.
    Conditional {
        test: Box<Expr>,
        then: Box<Expr>,
        otherwise: Result<Box<Expr>, EcoString>,
    },
}

pub(super) struct Call {
    pub(super) callee: Expr,
    pub(super) arguments: ArgumentNodes,
}

#[derive(Default)]
pub(super) struct ArgumentNodes {
    pub(super) positional: Vec<Expr>,
    pub(super) named: Vec<(EcoString, Expr)>,
    pub(super) rest: Option<Box<Expr>>,
    pub(super) keywords: Option<Box<Expr>>,
}

/// A filter or a test.
pub(super) struct Filter {
    /// Its operand; `None` for the text of a block.
    pub(super) value: Option<Expr>,
    pub(super) name: EcoString,
    pub(super) arguments: ArgumentNodes,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    FloorDivide,
    Modulo,
    Power,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    In,
    NotIn,
}
