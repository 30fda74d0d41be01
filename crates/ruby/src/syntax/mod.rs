//! Parses source text to trees.
//!
//! A tree is immutable and may be evaluated by many threads at once. Local variables are resolved
//! to slots by the parser, as in Ruby: a name is a variable after its first assignment in the text.

mod args;
mod control;
mod expr;
mod lexer;
mod literals;
mod parser;
mod primary;
mod token;

use std::sync::{Arc, OnceLock};

use ecow::EcoString;
use num_bigint::BigInt;
use ordain_functions::regex::Regex;

pub(crate) use parser::{parse, parse_file, parse_statement};

/// A syntax error, or code beyond the subset.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SyntaxError {
    /// The message.
    pub message: String,
    /// The line, from 1.
    pub line: u32,
    /// Whether the text may be valid Ruby beyond the subset.
    pub is_unsupported: bool,
}

/// A parsed program.
#[derive(Debug)]
pub(crate) struct Program {
    pub body: Expr,
    /// The number of local variables of the outermost level.
    pub locals: usize,
    /// The names of the instance variables, by number.
    pub ivars: Vec<EcoString>,
}

/// An expression and its line.
#[derive(Debug)]
pub(crate) struct Expr {
    pub line: u32,
    pub kind: Kind,
}

/// The slot of a local variable: the number of blocks outwards, and the index there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Slot {
    pub depth: u32,
    pub index: u32,
}

/// A part of a text with interpolation.
#[derive(Debug)]
pub(crate) enum Part {
    Text(EcoString),
    Code(Expr),
}

#[derive(Debug)]
pub(crate) enum Kind {
    Nil,
    True,
    False,
    SelfValue,
    Int(i64),
    Big(Box<BigInt>),
    Float(f64),
    Str(EcoString),
    Interpolated(Vec<Part>),
    Symbol(EcoString),
    InterpolatedSymbol(Vec<Part>),
    Regex(Box<RegexLiteral>),
    Array(Vec<Expr>),
    Hash(Box<HashLiteral>),
    Range {
        low: Option<Box<Expr>>,
        high: Option<Box<Expr>>,
        is_open: bool,
    },
    Local(Slot),
    Instance(u32),
    Global(EcoString),
    /// `$1`; 0 is `$~`.
    Group(u32),
    Const(EcoString),
    Scoped(Box<Expr>, EcoString),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    Not(Box<Expr>),
    If {
        condition: Box<Expr>,
        then: Box<Expr>,
        otherwise: Option<Box<Expr>>,
    },
    While {
        condition: Box<Expr>,
        body: Box<Expr>,
        until: bool,
        body_first: bool,
    },
    For {
        target: Box<Target>,
        items: Box<Expr>,
        body: Box<Expr>,
    },
    Case(Box<Case>),
    Begin(Box<Begin>),
    Sequence(Vec<Expr>),
    /// Text of the template.
    Text(EcoString),
    /// Prints a value.
    Emit(Box<Expr>),
    Output,
    Assign(Box<Target>, Box<Expr>),
    OpAssign(Box<Target>, AssignOp, Box<Expr>),
    Call(Box<Call>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    Splat(Box<Expr>),
    Yield(Vec<Expr>),
    Return(Option<Box<Expr>>),
    Break(Option<Box<Expr>>),
    Next(Option<Box<Expr>>),
    Retry,
    Define(Arc<Define>),
    /// `module A::B`, by its path; only in files.
    Module(EcoString, Box<Expr>),
    Lambda(Arc<Block>),
    Defined(Box<Expr>),
}

/// An operator between two values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Pow,
    Shl,
    Shr,
    BitAnd,
    BitOr,
    BitXor,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
    Same,
    Compare,
    Match,
    NotMatch,
}

impl Binary {
    /// The name of the method.
    pub(crate) fn name(self) -> &'static str {
        use Binary as B;
        match self {
            B::Add => "+",
            B::Sub => "-",
            B::Mul => "*",
            B::Div => "/",
            B::Mod => "%",
            B::Pow => "**",
            B::Shl => "<<",
            B::Shr => ">>",
            B::BitAnd => "&",
            B::BitOr => "|",
            B::BitXor => "^",
            B::Lt => "<",
            B::Le => "<=",
            B::Gt => ">",
            B::Ge => ">=",
            B::Eq => "==",
            B::Ne => "!=",
            B::Same => "===",
            B::Compare => "<=>",
            B::Match => "=~",
            B::NotMatch => "!~",
        }
    }
}

/// The operator before the `=` of an assignment such as `||=`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AssignOp {
    Or,
    And,
    Binary(Binary),
}

#[derive(Debug)]
pub(crate) struct RegexLiteral {
    pub parts: Vec<Part>,
    pub flags: RegexFlags,
    /// The pattern of a literal without interpolation, once it was used.
    pub compiled: OnceLock<Arc<Regex>>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct RegexFlags {
    pub ignore_case: bool,
    pub multi_line: bool,
    pub extended: bool,
}

#[derive(Debug)]
pub(crate) struct HashLiteral {
    pub entries: Vec<HashEntry>,
    /// Whether it has braces. A literal without braces holds keyword arguments.
    pub braces: bool,
}

#[derive(Debug)]
pub(crate) enum HashEntry {
    Pair(Expr, Expr),
    Splat(Expr),
}

/// The target of an assignment.
#[derive(Debug)]
pub(crate) enum Target {
    Local(Slot),
    Instance(u32),
    Global(EcoString),
    Index {
        object: Expr,
        args: Vec<Expr>,
        line: u32,
    },
    Attribute {
        object: Expr,
        name: EcoString,
        safe: bool,
        line: u32,
    },
    /// `a, (b, *c)`
    Many(Vec<Target>),
    /// `*a` among many; `None` for a bare star.
    Splat(Option<Box<Target>>),
}

#[derive(Debug)]
pub(crate) struct Call {
    pub receiver: Option<Expr>,
    pub name: EcoString,
    pub args: Vec<Expr>,
    /// Whether an argument is a splat or keywords.
    pub has_special: bool,
    pub block: BlockArg,
    pub safe: bool,
    /// A bare name: it may have been meant as a variable.
    pub is_bare: bool,
}

#[derive(Debug)]
pub(crate) enum BlockArg {
    None,
    Literal(Arc<Block>),
    Pass(Expr),
    /// `&` alone: the block of the method itself.
    Forward,
}

/// A block or the body of a lambda.
#[derive(Debug)]
pub(crate) struct Block {
    pub params: Params,
    pub body: Expr,
    pub locals: usize,
    /// The names of its local variables.
    pub names: Box<[EcoString]>,
    pub line: u32,
    /// Whether it is only simple required parameters, none of them taken apart.
    pub is_simple: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Params {
    pub required: Vec<ParamTarget>,
    pub optional: Vec<(u32, Expr)>,
    /// `*a`; `Some(None)` for a bare star.
    pub rest: Option<Option<u32>>,
    pub after: Vec<ParamTarget>,
    pub keywords: Vec<Keyword>,
    pub keyword_rest: Option<Option<u32>>,
    pub block: Option<u32>,
    /// `|a,|`
    pub trailing_comma: bool,
}

/// A required parameter.
#[derive(Debug)]
pub(crate) enum ParamTarget {
    Plain(u32),
    Apart(Target),
}

#[derive(Debug)]
pub(crate) struct Keyword {
    pub name: EcoString,
    pub slot: u32,
    /// `None` for one that has to be given.
    pub default: Option<Expr>,
}

#[derive(Debug)]
pub(crate) struct Define {
    pub name: EcoString,
    pub block: Block,
}

#[derive(Debug)]
pub(crate) struct Case {
    pub subject: Option<Expr>,
    pub branches: Vec<(Vec<Expr>, Expr)>,
    pub otherwise: Option<Expr>,
}

#[derive(Debug)]
pub(crate) struct Begin {
    pub body: Expr,
    pub rescues: Vec<Rescue>,
    pub otherwise: Option<Expr>,
    pub ensure: Option<Expr>,
}

#[derive(Debug)]
pub(crate) struct Rescue {
    pub classes: Vec<Expr>,
    pub target: Option<Target>,
    pub body: Expr,
}
