//! The SQL of conditions.

use serde_json::{Value as Json, json};

use super::select::{Columns, Scope, Select, compared, select_sql};
use super::{Context, Sql, Written, leaf_value};
use crate::entity::{Field, Stored, Type};
use crate::fact_path;
use crate::plan::{Comparison, Expr, Literal, MatchedValue, NodeState, PathElement, Step};

/// The SQL of a condition, and of the columns that it reads.
pub(super) struct Conditions<'a> {
    pub(super) context: Context,
    /// Overrides the columns of some fields.
    pub(super) scope: &'a Scope,
}

/// The nodes that have leaves of facts: the condition on the path, then that on the value.
const LEAVES: &str = "(fs.certname_id IN (SELECT f.certname_id FROM facts f \
                      JOIN fact_paths p ON p.id = f.path_id WHERE {} AND {}))";
/// The id of an environment by its name. No row has the id -1; null would make the negation of the
/// condition null, too.
const ID_OF_ENVIRONMENT: &str =
    "coalesce((SELECT known.id FROM environments known WHERE known.environment = {}), -1)";
/// Whether the node of a catalog is active. Few nodes are inactive, and an index has them.
const IS_OF_ACTIVE_NODE: &str = "NOT EXISTS (SELECT 1 FROM certnames n WHERE n.id = c.certname_id \
                                 AND (n.deactivated IS NOT NULL OR n.expired IS NOT NULL))";
/// Whether an encoded path has an index.
const HAS_INDEX: &str = "(^|#~)[0-9]+(#~|$)";

impl Conditions<'_> {
    fn column(&self, field: &Field) -> Sql {
        Sql::text(self.scope.column(self.context, field))
    }

    /// The condition of an expression.
    pub(super) fn sql(&self, expr: &Expr) -> Written {
        let dialect = self.context.dialect;
        for pattern in expr.patterns() {
            dialect.check_pattern(pattern)?;
        }
        Ok(match expr {
            Expr::And(parts) => self.junction(parts, " AND ")?,
            Expr::Or(parts) => self.junction(parts, " OR ")?,
            Expr::Not(part) => Sql::format("(NOT {})", [self.sql(part)?]),
            Expr::False => Sql::text("(1 = 0)"),
            Expr::Compare { field, operator, value } => self.compare(field, *operator, value),
            Expr::OneOf { field, values } => self.one_of(field, values),
            Expr::Regex { field, pattern } => self.regex(field, pattern),
            Expr::ScalarCompare { field, operator, value } => {
                self.scalar_compare(field, *operator, value)
            }
            Expr::ScalarOneOf { field, values } => {
                let parts = values.iter().map(|value| self.json_equal(field, value));
                none_is_false(Sql::balanced(parts.collect(), " OR "))
            }
            Expr::ScalarRegex { field, pattern } => {
                dialect.matches(dialect.json_text(self.column(field)), pattern)
            }
            Expr::JsonEqual { field, value } => self.json_equal(field, value),
            Expr::JsonRegex { field, pattern } => {
                self.matches(field, dialect.serialized(self.column(field)), pattern)
            }
            Expr::TypeOf { field, operator, name } => self.type_of(field, *operator, name),
            Expr::HasMember { field, value } => self.has_member(field, value),
            Expr::MemberRegex { field, pattern } => self.member_matches(field, pattern),
            Expr::Null { field, is_null } => self.null(field, *is_null),
            Expr::PathOneOf { paths } => {
                let paths: Vec<_> = paths.iter().map(String::as_str).collect();
                dialect.is_one_of(Sql::text("p.path"), &paths)
            }
            Expr::EncodedPathRegex { pattern } => dialect.matches(Sql::text("p.path"), pattern),
            Expr::PathElements { elements } => self.elements(elements),
            Expr::InSelect { fields, select } => self.in_select(fields, select)?,
            Expr::Parameter { name, is_regex, value } => self.parameter(name, *is_regex, value),
            Expr::NodeState(state) => self.node_state(*state),
            Expr::LastChange { start, end } => self.last_change(*start, *end),
            Expr::IsLatestReport { is_event } => {
                let id = if *is_event { "ev.report_id" } else { "r.id" };
                Sql::text(format!("coalesce({id} = n.latest_report_id, 1 = 0)"))
            }
            document => self.document(document),
        })
    }

    fn junction(&self, parts: &[Expr], operator: &str) -> Written {
        let parts = parts.iter().map(|part| self.sql(part)).collect::<Result<Vec<_>, _>>()?;
        Ok(Sql::balanced(parts, operator))
    }

    fn compare(&self, field: &Field, operator: Comparison, value: &Literal) -> Sql {
        let dialect = self.context.dialect;
        let value = match (field.stored, value) {
            (Stored::Hash, Literal::Text(text)) => dialect.bytes(text),
            _ => dialect.literal(value),
        };
        if let (Some(id), Comparison::Equal) = (field.environment_id, operator) {
            return Sql::format(&format!("({id} = {ID_OF_ENVIRONMENT})"), [value]);
        }
        Sql::format(&format!("({{}} {} {{}})", operator.sql()), [self.column(field), value])
    }

    fn regex(&self, field: &Field, pattern: &str) -> Sql {
        let text = match field.stored {
            Stored::Hash => self.context.dialect.hex(self.column(field)),
            _ => self.column(field),
        };
        self.matches(field, text, pattern)
    }

    /// Whether a pattern matches the text of a field. It is false, not null, for a null field.
    fn matches(&self, field: &Field, text: Sql, pattern: &str) -> Sql {
        let matches = self.context.dialect.matches(text, pattern);
        Sql::format("({} AND {} IS NOT NULL)", [matches, self.column(field)])
    }

    fn json_equal(&self, field: &Field, value: &Json) -> Sql {
        let dialect = self.context.dialect;
        dialect.compare_json(self.column(field), Comparison::Equal, dialect.json(value))
    }

    fn type_of(&self, field: &Field, operator: Comparison, name: &str) -> Sql {
        let dialect = self.context.dialect;
        let name = dialect.literal(&Literal::Text(name.to_string()));
        let found = dialect.type_of(self.column(field));
        Sql::format(&format!("({{}} {} {{}})", operator.sql()), [found, name])
    }

    fn one_of(&self, field: &Field, values: &[Literal]) -> Sql {
        let texts: Option<Vec<&str>> = values
            .iter()
            .map(|value| match value {
                Literal::Text(text) if field.stored == Stored::Text => Some(text.as_str()),
                _ => None,
            })
            .collect();
        if let Some(texts) = texts.filter(|texts| texts.len() > 1) {
            return self.context.dialect.is_one_of(self.column(field), &texts);
        }
        let parts = values.iter().map(|value| self.compare(field, Comparison::Equal, value));
        none_is_false(Sql::balanced(parts.collect(), " OR "))
    }

    /// Values of different types are not equal, and have no order.
    fn scalar_compare(&self, field: &Field, operator: Comparison, value: &Json) -> Sql {
        let dialect = self.context.dialect;
        let right = dialect.json(value);
        let compares = dialect.compare_json(self.column(field), operator, right);
        let name = match value {
            Json::Number(_) => "number",
            Json::Bool(_) => "boolean",
            Json::String(_) => "string",
            _ => return compares,
        };
        let kind = dialect.type_of(self.column(field));
        Sql::format("({} = {} AND {})", [kind, Sql::text(format!("'{name}'")), compares])
    }

    fn has_member(&self, field: &Field, value: &str) -> Sql {
        let dialect = self.context.dialect;
        if field.name != "tags" {
            return dialect.has_member(self.column(field), value);
        }
        Sql::format(
            "(cr.tag_set_id IN (SELECT tag_set_id FROM tags WHERE {}))",
            [dialect.equals_indexed("tag", value)],
        )
    }

    fn member_matches(&self, field: &Field, pattern: &str) -> Sql {
        let dialect = self.context.dialect;
        if field.name != "tags" {
            return dialect.member_matches(self.column(field), pattern);
        }
        let matches = dialect.matches(Sql::text("tag"), pattern);
        Sql::format("(cr.tag_set_id IN (SELECT tag_set_id FROM tags WHERE {}))", [matches])
    }

    fn null(&self, field: &Field, is_null: bool) -> Sql {
        let column = self.column(field);
        if matches!(field.ty, Type::Scalar | Type::Document) {
            let operator = if is_null { "=" } else { "<>" };
            let kind = self.context.dialect.type_of(column);
            return Sql::format(&format!("({{}} {operator} 'null')"), [kind]);
        }
        Sql::format(if is_null { "({} IS NULL)" } else { "({} IS NOT NULL)" }, [column])
    }

    /// Conditions on documents and paths into them.
    fn document(&self, expr: &Expr) -> Sql {
        let dialect = self.context.dialect;
        match expr {
            Expr::Contains { field, path, value } => self.contains(field, path, value),
            Expr::LooseEqual { field, path, value } => {
                let left = dialect.at_loose(self.column(field), path);
                dialect.compare_json(left, Comparison::Equal, dialect.json(value))
            }
            Expr::PathCompare { field, path, operator, value } => {
                let left = dialect.at(self.column(field), path);
                let compares = dialect.compare_json(left, *operator, dialect.json(value));
                self.with_first(field, path, compares)
            }
            Expr::PathRegex { field, path, pattern } => {
                let text = dialect.json_text(dialect.at(self.column(field), path));
                self.with_first(field, path, dialect.matches(text, pattern))
            }
            Expr::PathNull { field, path, is_null } => {
                let path: Vec<_> = path.iter().cloned().map(Step::Name).collect();
                let kind = dialect.type_of(dialect.at(self.column(field), &path));
                let operator = if *is_null { "=" } else { "<>" };
                Sql::format(&format!("({{}} {operator} 'null')"), [kind])
            }
            Expr::MatchedPath { pattern, condition } => self.matched(pattern, condition),
            // `sql` writes the others.
            _ => Sql::text("(1 = 0)"),
        }
    }

    /// A condition that is false where the first step of a path is missing.
    fn with_first(&self, field: &Field, path: &[Step], condition: Sql) -> Sql {
        let Some(Step::Name(first)) = path.first() else { return condition };
        let has = self.context.dialect.has_key(self.column(field), first);
        Sql::format("({} AND {})", [condition, has])
    }

    /// A document contains a value at a path of names. For facts, leaves have an index.
    fn contains(&self, field: &Field, path: &[String], value: &Json) -> Sql {
        let dialect = self.context.dialect;
        if field.name == "facts" && !path.is_empty() && !value.is_array() && !value.is_object() {
            let names: Vec<Json> = path.iter().map(|name| json!(name)).collect();
            let encoded = [fact_path::encode(&names), path.first().cloned().unwrap_or_default()]
                .map(|text| dialect.literal(&Literal::Text(text)));
            let depth = i64::try_from(path.len()).unwrap_or(i64::MAX) - 1;
            let [encoded, name] = encoded;
            let depth = dialect.literal(&Literal::Integer(depth));
            let leaf = self.leaf_equals(value);
            let path = "p.name = {} AND p.depth = {} AND p.path = {}";
            let path = dialect.path_of_leaf(Sql::format(path, [name, depth, encoded]));
            return Sql::format(LEAVES, [path, leaf]);
        }
        let inner = path.iter().rev().fold(value.clone(), |inner, name| json!({ name: inner }));
        dialect.contains(self.column(field), dialect.json(&inner))
    }

    /// The value of a leaf `f` with path `p` equals.
    fn leaf_equals(&self, value: &Json) -> Sql {
        let dialect = self.context.dialect;
        match value {
            Json::String(text) => Sql::format(
                "p.value_type = 'string' AND {}",
                [dialect.equals_indexed("f.value_string", text)],
            ),
            Json::Bool(flag) => Sql::format(
                "p.value_type = 'boolean' AND f.value_boolean = {}",
                [dialect.literal(&Literal::Boolean(*flag))],
            ),
            Json::Number(number) => {
                let float = Literal::Float(number.as_f64().unwrap_or(f64::NAN));
                let float = Sql::format(
                    "p.value_type = 'float' AND f.value_float = {}",
                    [dialect.literal(&float)],
                );
                let Some(integer) = integral(number) else { return float };
                Sql::format(
                    "(p.value_type = 'integer' AND f.value_integer = {} OR {})",
                    [dialect.literal(&Literal::Integer(integer)), float],
                )
            }
            _ => Sql::text("p.value_type = 'null'"),
        }
    }

    fn matched(&self, pattern: &str, condition: &MatchedValue) -> Sql {
        let dialect = self.context.dialect;
        let path = dialect.matches(Sql::text("p.path"), pattern);
        let leaf = Sql::text(leaf_value(dialect));
        let found = match condition {
            MatchedValue::Compare(Comparison::Equal, Json::Array(_)) => Sql::text("(1 = 0)"),
            MatchedValue::Compare(Comparison::Equal, value) => self.leaf_equals(value),
            MatchedValue::Compare(operator, value) => {
                let compares = dialect.compare_json(leaf, *operator, dialect.json(value));
                Sql::format(
                    "{} AND NOT {}",
                    [compares, dialect.matches(Sql::text("p.path"), HAS_INDEX)],
                )
            }
            MatchedValue::Regex(pattern) => {
                let matches = dialect.matches(dialect.json_text(leaf), pattern);
                Sql::format(
                    "{} AND NOT {}",
                    [matches, dialect.matches(Sql::text("p.path"), HAS_INDEX)],
                )
            }
        };
        Sql::format(LEAVES, [dialect.path_of_leaf(path), found])
    }

    fn elements(&self, elements: &[PathElement]) -> Sql {
        let dialect = self.context.dialect;
        let depth = i64::try_from(elements.len()).unwrap_or(i64::MAX) - 1;
        let mut parts =
            vec![Sql::format("(p.depth = {})", [dialect.literal(&Literal::Integer(depth))])];
        for (at, element) in (0_i32..).zip(elements) {
            let step = dialect.at(Sql::text("p.path_array"), &[Step::Index(at)]);
            let (pattern, kind) = match element {
                PathElement::Pattern { pattern, is_name } => (pattern, is_name.then_some("string")),
                PathElement::Index(index) => (index, Some("number")),
            };
            parts.push(dialect.matches(dialect.json_text(step.clone()), pattern));
            if let Some(kind) = kind {
                let kind = Sql::text(format!("'{kind}'"));
                parts.push(Sql::format("({} = {})", [dialect.type_of(step), kind]));
            }
        }
        Sql::format("coalesce({}, 1 = 0)", [Sql::balanced(parts, " AND ")])
    }

    fn in_select(&self, fields: &[&'static Field], select: &Select) -> Written {
        let mut left = Vec::new();
        let mut right = Vec::new();
        for (field, output) in fields.iter().zip(&select.columns) {
            let (outer, inner) = compared(self.context, self.scope, field, select, output);
            left.push(outer);
            right.push(inner);
        }
        let is_single = left.len() == 1;
        let left = Sql::join(left, ", ");
        let left = if is_single { left } else { Sql::format("({})", [left]) };
        let inner = select_sql(self.context, select, Columns::Converted(right))?;
        Ok(Sql::format("({} IN ({}))", [left, inner]))
    }

    fn parameter(&self, name: &str, is_regex: bool, value: &Json) -> Sql {
        let dialect = self.context.dialect;
        let path = [Step::Name(name.to_owned())];
        let parameter = dialect.at(Sql::text("r.parameters"), &path);
        let condition = if is_regex {
            // PuppetDB matches the JSON of the parameter with the JSON of the pattern.
            dialect.matches(dialect.serialized(parameter), &value.to_string())
        } else {
            dialect.compare_json(parameter, Comparison::Equal, dialect.json(value))
        };
        Sql::format("coalesce({}, 1 = 0)", [condition])
    }

    /// The last event of each property of each resource of each node within a time.
    fn last_change(&self, start: i64, end: i64) -> Sql {
        let [start, end] =
            [start, end].map(|time| self.context.dialect.literal(&Literal::Time(time)));
        Sql::format(
            "((ev.certname_id, ev.resource_type, ev.resource_title, coalesce(ev.property, ''), \
             coalesce(ev.name, ''), ev.timestamp) IN (SELECT x.certname_id, x.resource_type, x.resource_title, \
             coalesce(x.property, ''), coalesce(x.name, ''), max(x.timestamp) FROM events x \
             WHERE x.timestamp >= {} AND x.timestamp <= {} GROUP BY 1, 2, 3, 4, 5))",
            [start, end],
        )
    }

    fn node_state(&self, state: NodeState) -> Sql {
        match state {
            NodeState::Active if self.scope.lacks_nodes => Sql::text(IS_OF_ACTIVE_NODE),
            NodeState::Active => Sql::text("(n.deactivated IS NULL AND n.expired IS NULL)"),
            NodeState::Inactive => {
                let since = Literal::Time(self.context.inactive_since);
                let [a, b] = [(); 2].map(|()| self.context.dialect.literal(&since));
                let template = "coalesce(n.deactivated > {} OR n.expired > {}, 1 = 0)";
                Sql::format(template, [a, b])
            }
        }
    }
}

/// An empty list of alternatives is false.
fn none_is_false(sql: Sql) -> Sql {
    if sql.is_empty() { Sql::text("(1 = 0)") } else { sql }
}

/// The integer that a number equals.
fn integral(number: &serde_json::Number) -> Option<i64> {
    if let Some(integer) = number.as_i64() {
        return Some(integer);
    }
    let float = number.as_f64()?;
    // Larger floating-point numbers are no integers of the store.
    let is_integral = float.fract() == 0.0 && float.abs() < 9e15;
    #[allow(clippy::cast_possible_truncation)]
    is_integral.then_some(float as i64)
}
