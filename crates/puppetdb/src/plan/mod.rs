//! The typed query: the meaning of a query, apart from the SQL of a database.

mod columns;
mod condition;
mod paging;

use serde_json::Value;

use crate::entity::{Entity, Field};
use crate::error::QueryError;

pub(crate) use columns::select;
pub(crate) use paging::{PageClauses, order_terms, page_clauses};

/// Rows of an entity.
#[derive(Clone, Debug)]
pub(crate) struct Select {
    pub(crate) entity: &'static Entity,
    pub(crate) columns: Vec<Output>,
    /// `None` for all rows.
    pub(crate) filter: Option<Expr>,
    pub(crate) group_by: Vec<Group>,
    pub(crate) order_by: Vec<Order>,
    pub(crate) limit: Option<u64>,
    pub(crate) offset: Option<u64>,
}

/// A column of the result.
#[derive(Clone, Debug)]
pub(crate) enum Output {
    /// A field.
    Field(&'static Field),
    /// A part of a document; shown under its name in the query.
    Path { field: &'static Field, parts: Vec<String>, name: String },
    /// The result of a function; shown under the name of the function.
    Function(Function),
}

impl Output {
    /// The key in the result.
    pub(crate) fn name(&self) -> &str {
        match self {
            Output::Field(field) => field.name,
            Output::Path { name, .. } => name,
            Output::Function(function) => function.name,
        }
    }
}

/// A call of a function.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) name: &'static str,
    pub(crate) argument: Option<&'static Field>,
    /// The mask of `to_string`.
    pub(crate) mask: Option<String>,
}

impl Function {
    pub(crate) fn is_aggregate(&self) -> bool {
        !matches!(self.name, "to_string" | "jsonb_typeof")
    }
}

/// The key by which rows are grouped.
#[derive(Clone, Debug)]
pub(crate) enum Group {
    Field(&'static Field),
    /// A column of the result by its name.
    Output(String),
}

/// A term of the order.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    pub(crate) field: &'static Field,
    pub(crate) is_descending: bool,
}

/// An operator of order or equality.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Equal,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl Comparison {
    pub(crate) fn parse(operator: &str) -> Option<Self> {
        Some(match operator {
            "=" => Comparison::Equal,
            "<" => Comparison::Less,
            "<=" => Comparison::LessEqual,
            ">" => Comparison::Greater,
            ">=" => Comparison::GreaterEqual,
            _ => return None,
        })
    }

    pub(crate) fn sql(self) -> &'static str {
        match self {
            Comparison::Equal => "=",
            Comparison::Less => "<",
            Comparison::LessEqual => "<=",
            Comparison::Greater => ">",
            Comparison::GreaterEqual => ">=",
        }
    }
}

/// A step into a document.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Step {
    Name(String),
    Index(i32),
}

/// A value for a column that is no JSON.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Literal {
    Text(String),
    Integer(i64),
    Float(f64),
    Boolean(bool),
    /// Microseconds since 1970.
    Time(i64),
}

/// A condition. As in SQL, it may be neither true nor false.
#[derive(Clone, Debug)]
pub(crate) enum Expr {
    And(Vec<Expr>),
    Or(Vec<Expr>),
    Not(Box<Expr>),
    /// Never true.
    False,
    /// A field against a value.
    Compare {
        field: &'static Field,
        operator: Comparison,
        value: Literal,
    },
    /// A field equals one of the values.
    OneOf {
        field: &'static Field,
        values: Vec<Literal>,
    },
    /// A text matches; false for null.
    Regex {
        field: &'static Field,
        pattern: String,
    },
    /// The value of a fact, which has to be of the value's type, against a value.
    ScalarCompare {
        field: &'static Field,
        operator: Comparison,
        value: Value,
    },
    /// The value of a fact equals one of the values.
    ScalarOneOf {
        field: &'static Field,
        values: Vec<Value>,
    },
    /// The value of a fact matches as text; null for null.
    ScalarRegex {
        field: &'static Field,
        pattern: String,
    },
    /// JSON that is compared as serialized text, such as a parameter or the value of an event.
    JsonEqual {
        field: &'static Field,
        value: Value,
    },
    /// The serialized text of JSON matches.
    JsonRegex {
        field: &'static Field,
        pattern: String,
    },
    /// The type of a value of JSON.
    TypeOf {
        field: &'static Field,
        operator: Comparison,
        name: String,
    },
    /// An array of strings has a member.
    HasMember {
        field: &'static Field,
        value: String,
    },
    /// A member of an array of strings matches.
    MemberRegex {
        field: &'static Field,
        pattern: String,
    },
    /// A document contains a value at a path.
    Contains {
        field: &'static Field,
        path: Vec<String>,
        value: Value,
    },
    /// The value at a path, of which digits may be indices, equals.
    LooseEqual {
        field: &'static Field,
        path: Vec<String>,
        value: Value,
    },
    /// The value at a path against a value; false where the first part of the path is missing.
    PathCompare {
        field: &'static Field,
        path: Vec<Step>,
        operator: Comparison,
        value: Value,
    },
    /// The value at a path matches as text; false where the first part of the path is missing.
    PathRegex {
        field: &'static Field,
        path: Vec<Step>,
        pattern: String,
    },
    /// The value at a path is null.
    PathNull {
        field: &'static Field,
        path: Vec<String>,
        is_null: bool,
    },
    /// A value at a path that a regular expression matches compares.
    MatchedPath {
        pattern: String,
        condition: MatchedValue,
    },
    /// A field is null.
    Null {
        field: &'static Field,
        is_null: bool,
    },
    /// A path of facts is one of the paths, as encoded texts.
    PathOneOf {
        paths: Vec<String>,
    },
    /// The encoded path of facts matches.
    EncodedPathRegex {
        pattern: String,
    },
    /// Each element of a path matches.
    PathElements {
        elements: Vec<PathElement>,
    },
    /// Fields equal the columns of a row.
    InSelect {
        fields: Vec<&'static Field>,
        select: Box<Select>,
    },
    /// A parameter of a resource equals a value.
    Parameter {
        name: String,
        is_regex: bool,
        value: Value,
    },
    /// The node of the row is active or was deactivated lately.
    NodeState(NodeState),
    /// The event is the last one of its property within a time; in microseconds since 1970.
    LastChange {
        start: i64,
        end: i64,
    },
    /// The report is the latest one of its node.
    IsLatestReport {
        is_event: bool,
    },
}

/// The comparison at a path that a regular expression finds.
#[derive(Clone, Debug)]
pub(crate) enum MatchedValue {
    Compare(Comparison, Value),
    Regex(String),
}

/// An element of a path in `~>`.
#[derive(Clone, Debug)]
pub(crate) enum PathElement {
    /// A regular expression; `is_name` if it may match names only.
    Pattern { pattern: String, is_name: bool },
    /// An index, which matches as text.
    Index(String),
}

/// The state of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodeState {
    Active,
    Inactive,
}

fn bad(text: impl Into<String>) -> QueryError {
    QueryError::bad_request(text)
}
