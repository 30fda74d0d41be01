//! Checks the names in an AST query against the table of entities, with PuppetDB's messages.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::entity::{Entity, subquery_entity};
use crate::error::QueryError;
use crate::field::{self, ALL};
use crate::limits::{MAX_DEPTH, MAX_SUBQUERIES};

/// The comparison operators.
pub(crate) const COMPARISONS: &[&str] = &["=", ">", "<", ">=", "<=", "~", "~>"];
const OPERATORS: &[&str] =
    &["from", "in", "extract", "subquery", "and", "or", "not", "function", "group_by", "null?"];
/// PuppetDB's functions.
pub(crate) const FUNCTIONS: &[&str] =
    &["sum", "avg", "min", "max", "count", "to_string", "jsonb_typeof"];

/// The operator and operands of a clause, if the node is an array.
pub(crate) fn clause(node: &Value) -> Option<(&str, &[Value])> {
    let (operator, operands) = node.as_array()?.split_first()?;
    Some((operator.as_str()?, operands))
}

/// The entity of `select_…`.
pub(crate) fn select_entity(operator: &str) -> Option<&'static Entity> {
    subquery_entity(operator.strip_prefix("select_")?).ok().filter(|_| !operator.contains('-'))
}

/// Checks the names in a query, and converts operators to lower case.
///
/// # Errors
///
/// Status 400, with one line per wrong name.
pub(crate) fn check(entity: &'static Entity, query: &mut Value) -> Result<(), QueryError> {
    check_within(entity, query, 0)
}

/// Checks a query that is nested in `level` others.
fn check_within(
    entity: &'static Entity,
    query: &mut Value,
    level: usize,
) -> Result<(), QueryError> {
    if level > MAX_SUBQUERIES {
        return Err(QueryError::bad_request(format!(
            "The query has subqueries more than {MAX_SUBQUERIES} levels deep"
        )));
    }
    let mut checker = Checker { errors: Vec::new(), level };
    checker.node(entity, query, 0)?;
    if checker.errors.is_empty() {
        return Ok(());
    }
    Err(QueryError::bad_request(checker.errors.join("\n")))
}

struct Checker {
    errors: Vec<String>,
    /// The nesting level of the query.
    level: usize,
}

impl Checker {
    fn node(
        &mut self,
        entity: &'static Entity,
        node: &mut Value,
        depth: usize,
    ) -> Result<(), QueryError> {
        if depth > MAX_DEPTH {
            return Err(QueryError::too_deep());
        }
        let Value::Array(parts) = node else { return Ok(()) };
        let Some(operator) = parts.first().and_then(Value::as_str) else {
            return parts.iter_mut().try_for_each(|part| self.node(entity, part, depth + 1));
        };
        let operator = lower(operator);
        if let Some(first) = parts.first_mut() {
            *first = Value::String(operator.clone());
        }
        match (operator.as_str(), parts.as_mut_slice()) {
            ("from", [_, name, query, ..]) => {
                let name = name.as_str().unwrap_or_default();
                return check_within(subquery_entity(name)?, query, self.level + 1);
            }
            ("subquery", [_, name, query]) => {
                let name = name.as_str().unwrap_or_default();
                if entity.relation(name).is_none() {
                    return Err(no_relation(name));
                }
                return check_within(subquery_entity(name)?, query, self.level + 1);
            }
            ("extract", [_, columns, source]) => {
                if let Some(done) = self.subselect(columns, source) {
                    return done;
                }
            }
            // A list of values contains no operators.
            ("array", [_, _]) => return Ok(()),
            _ => {}
        }
        self.names(entity, &operator, parts);
        if COMPARISONS.contains(&operator.as_str()) {
            return Ok(());
        }
        parts.iter_mut().skip(1).try_for_each(|part| self.node(entity, part, depth + 1))
    }

    /// The columns and the condition of `["extract", columns, ["select_…", condition]]`.
    fn subselect(&mut self, columns: &Value, source: &mut Value) -> Option<Result<(), QueryError>> {
        let Value::Array(source) = source else { return None };
        let [Value::String(operator), condition] = source.as_mut_slice() else { return None };
        let Some(inner) = select_entity(operator) else {
            if ["not", "group_by", "or", "and"].contains(&lower(operator).as_str()) {
                return None;
            }
            let proper = operator.replace('-', "_");
            let hint = match select_entity(&proper) {
                Some(_) => format!(" - did you mean `{proper}`?"),
                None => String::new(),
            };
            self.errors.push(format!("Unsupported subquery `{operator}`{hint}"));
            return Some(Ok(()));
        };
        if let Err(error) = check_within(inner, condition, self.level + 1) {
            return Some(Err(error));
        }
        self.columns(inner, columns, &inner.queryable(), true, ("Can't extract", ""));
        Some(Ok(()))
    }

    fn names(&mut self, entity: &'static Entity, operator: &str, parts: &[Value]) {
        match (operator, parts) {
            ("=" | "~" | ">" | "<" | ">=" | "<=", [_, name, _]) => self.field(entity, name),
            ("in", [_, name, source])
                if clause(source)
                    .is_some_and(|(op, values)| op == "array" && values.len() == 1) =>
            {
                self.field(entity, name);
            }
            ("in", [_, names, ..]) => {
                let context = ("Can't match on", " for 'in'");
                self.columns(entity, names, &entity.queryable(), false, context);
            }
            ("extract", [_, columns, more @ ..])
                if self.columns(entity, columns, &entity.shown(), true, ("Can't extract", "")) =>
            {
                self.filters(more);
            }
            _ => {}
        }
    }

    /// Checks the name on the left side of a comparison.
    fn field(&mut self, entity: &'static Entity, name: &Value) {
        if name.is_array() || name == "node_state" {
            return;
        }
        let known = entity.queryable();
        let is_known =
            name.as_str().is_some_and(|name| known.contains(&name) || has_path(entity, name));
        if is_known {
            return;
        }
        let (name, label) = (shown(name), entity.label);
        self.errors.push(if known.is_empty() {
            format!("'{name}' is not a queryable object for {label}. Entity {label} has no queryable objects")
        } else {
            let known = comma_separated(&known);
            format!("'{name}' is not a queryable object for {label}. Known queryable objects are {known}")
        });
    }

    /// Checks the columns of `extract` and `in`. Returns whether all are known.
    fn columns(
        &mut self,
        entity: &'static Entity,
        columns: &Value,
        known: &[&str],
        paths: bool,
        (action, context): (&str, &str),
    ) -> bool {
        let single = std::slice::from_ref(columns);
        let columns = columns.as_array().map_or(single, Vec::as_slice);
        let is_known = |column: &&Value| match column {
            Value::String(name) => {
                known.contains(&name.as_str()) || paths && has_path(entity, name)
            }
            other => clause(other).is_some_and(|(operator, operands)| {
                let function = operands.first().and_then(Value::as_str).unwrap_or_default();
                operator == "function" && FUNCTIONS.contains(&function)
            }),
        };
        let unknown: Vec<_> =
            columns.iter().filter(|column| !is_known(column)).map(shown).collect();
        if unknown.is_empty() {
            return true;
        }
        let fields = if unknown.len() > 1 { "fields" } else { "field" };
        let unknown: Vec<_> = unknown.iter().map(String::as_str).collect();
        self.errors.push(format!(
            "{action} unknown '{}' {fields} {}{context}. Acceptable fields are {}",
            entity.label,
            comma_separated(&unknown),
            comma_separated(known)
        ));
        false
    }

    /// Checks the operators in the condition of a column list.
    fn filters(&mut self, clauses: &[Value]) {
        for node in clauses {
            let Some(parts) = node.as_array() else { continue };
            let operator = parts.first().and_then(Value::as_str).unwrap_or_default();
            match operator {
                "and" | "or" => {
                    let before = self.errors.len();
                    self.filters(&parts[1..]);
                    if self.errors.len() > before {
                        return;
                    }
                }
                operator if is_operator(operator) => {}
                _ => {
                    let node = shown(node);
                    self.errors.push(format!("{node} is not a valid expression for \"extract\""));
                    return;
                }
            }
        }
    }
}

fn is_operator(operator: &str) -> bool {
    OPERATORS.contains(&operator)
        || COMPARISONS.contains(&operator)
        || select_entity(operator).is_some()
}

/// Converts operators to lower case; returns other texts unchanged.
fn lower(operator: &str) -> String {
    let lower = operator.to_lowercase();
    if is_operator(&lower) { lower } else { operator.to_owned() }
}

/// Whether a name is a path into a document of the entity.
fn has_path(entity: &Entity, name: &str) -> bool {
    let Some((top, _)) = name.split_once('.') else { return false };
    entity.field(top).is_some_and(|field| field.has_paths)
        && field::parse(name, ALL).is_ok_and(|path| !path.parts.is_empty())
}

pub(crate) fn no_relation(name: &str) -> QueryError {
    QueryError::bad_request(format!("No implicit relationship for entity '{name}'"))
}

/// Formats a value as PuppetDB does: strings without quotes, arrays with spaces instead of commas.
pub(crate) fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => quoted(other),
    }
}

fn quoted(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(quoted).collect();
            format!("[{}]", items.join(" "))
        }
        Value::Null => "nil".into(),
        Value::Object(object) => {
            let pairs: Vec<_> =
                object.iter().map(|(key, value)| format!(":{key} {}", quoted(value))).collect();
            format!("{{{}}}", pairs.join(", "))
        }
        other => other.to_string(),
    }
}

/// Formats quoted words as a list with commas, and `and` before the last.
pub(crate) fn comma_separated(words: &[&str]) -> String {
    let quoted: Vec<_> = words.iter().map(|word| format!("'{word}'")).collect();
    match quoted.split_last() {
        Some((last, most)) if most.len() > 1 => format!("{}, and {last}", most.join(", ")),
        _ => quoted.join(" and "),
    }
}

/// The field names of an entity, for error messages about `order_by`.
pub(crate) fn names(fields: impl Iterator<Item = &'static str>) -> String {
    let sorted: BTreeSet<_> = fields.collect();
    sorted.into_iter().collect::<Vec<_>>().join("', '")
}
