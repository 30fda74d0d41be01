//! Conversion of AST conditions to the typed query.

use serde_json::{Value, json};

use super::columns::{extract, inventory_select};
use super::paging::page_clauses;
use super::{Comparison, Expr, Literal, MatchedValue, NodeState, PathElement, Select, Step, bad};
use crate::check::{COMPARISONS, clause, no_relation, shown};
use crate::entity::{Entity, Field, Stored, Type, subquery_entity};
use crate::error::QueryError;
use crate::fact_path;
use crate::field::{self, ALL, NAMES, Part, Path};
use crate::time;

/// Converts a condition. `None` stands for a condition that PuppetDB drops, such as any node state.
pub(super) fn condition(entity: &'static Entity, node: &Value) -> Result<Option<Expr>, QueryError> {
    let Some((operator, operands)) = clause(node) else {
        if node.as_array().is_some_and(Vec::is_empty) {
            return Err(bad("[] is not well-formed: queries must contain at least one operator"));
        }
        return Err(bad(format!("{} is not a valid query", shown(node))));
    };
    match operator {
        "and" | "or" => junction(entity, operator, operands),
        "not" => {
            let [operand] = operands else {
                let given = operands.len();
                return Err(bad(format!(
                    "'not' takes exactly one argument, but {given} were supplied"
                )));
            };
            let operand = condition(entity, operand)?;
            Ok(operand.map(|operand| Expr::Not(Box::new(operand))))
        }
        "null?" => null(entity, operands).map(Some),
        "in" => membership(entity, operands).map(Some),
        "subquery" => subquery(entity, operands).map(Some),
        "=" | "<" | ">" | "<=" | ">=" | "~" | "~>" => comparison(entity, operator, operands),
        _ => Err(bad(format!("{} is not a valid query", shown(node)))),
    }
}

fn junction(
    entity: &'static Entity,
    operator: &str,
    operands: &[Value],
) -> Result<Option<Expr>, QueryError> {
    if operands.is_empty() {
        return Err(bad(format!(
            "'{operator}' takes at least one argument, but none were supplied"
        )));
    }
    if operator == "or" && is_any_state(operands) {
        return Ok(None);
    }
    let mut parts = Vec::with_capacity(operands.len());
    for operand in operands {
        parts.extend(condition(entity, operand)?);
    }
    if parts.len() < 2 {
        return Ok(parts.pop());
    }
    Ok(Some(if operator == "and" { Expr::And(parts) } else { one_of(parts) }))
}

/// Whether the operands are `active` and not `active`, which together match any node state.
fn is_any_state(operands: &[Value]) -> bool {
    let state = |node: &Value| match clause(node) {
        Some(("=", [state, value])) if *state == json!(["node", "active"]) => value.as_bool(),
        _ => None,
    };
    matches!(operands, [a, b] if state(a).is_some() && state(a) == state(b).map(|is| !is))
}

/// A disjunction. Many values of one field become a list.
fn one_of(parts: Vec<Expr>) -> Expr {
    let mut values = Vec::with_capacity(parts.len());
    let mut common: Option<&'static Field> = None;
    for part in &parts {
        match part {
            Expr::Compare { field, operator: Comparison::Equal, value: Literal::Text(text) }
                if field.stored == Stored::Text
                    && common.is_none_or(|common| std::ptr::eq(common, *field)) =>
            {
                common = Some(field);
                values.push(Literal::Text(text.clone()));
            }
            _ => return Expr::Or(parts),
        }
    }
    match common {
        Some(field) => Expr::OneOf { field, values },
        None => Expr::Or(parts),
    }
}

fn known(entity: &'static Entity, name: &str) -> Result<&'static Field, QueryError> {
    entity
        .field(name)
        .ok_or_else(|| bad(format!("'{name}' is not a queryable object for {}", entity.label)))
}

fn null(entity: &'static Entity, operands: &[Value]) -> Result<Expr, QueryError> {
    let [Value::String(name), value] = operands else {
        return Err(bad("null? requires the name of a field, and true or false"));
    };
    let path = field::parse(name, NAMES)?;
    let field = known(entity, &path.field)?;
    let is_null = !(value.is_null() || *value == Value::Bool(false));
    if field.ty == Type::Document && !path.parts.is_empty() {
        return Ok(Expr::PathNull { field, path: names(path.parts), is_null });
    }
    if !path.parts.is_empty() || matches!(field.column, crate::entity::Column::Same("")) {
        return Err(bad(format!("null? is not allowed on field {name}")));
    }
    Ok(Expr::Null { field, is_null })
}

/// Converts parts that consist of names only.
fn names(parts: Vec<Part>) -> Vec<String> {
    let name = |part| match part {
        Part::Name(name) | Part::Match(name) => name,
        Part::Index(name, index) => format!("{name}[{index}]"),
    };
    parts.into_iter().map(name).collect()
}

fn steps(path: &Path) -> Vec<Step> {
    let mut steps = Vec::new();
    for part in &path.parts {
        match part {
            Part::Name(name) | Part::Match(name) => steps.push(Step::Name(name.clone())),
            Part::Index(name, index) => {
                steps.extend([Step::Name(name.clone()), Step::Index(*index)]);
            }
        }
    }
    steps
}

fn comparison(
    entity: &'static Entity,
    operator: &str,
    operands: &[Value],
) -> Result<Option<Expr>, QueryError> {
    let [left, value] = operands else {
        return Err(bad(format!("{operator} requires exactly two arguments")));
    };
    match left {
        Value::Array(_) => special(entity, operator, left, value),
        Value::String(name) if name == "node_state" => {
            if operator != "=" {
                let text = match operator {
                    "~" | "~>" => {
                        format!("Query operator {operator} is not allowed on field {name}")
                    }
                    _ => format!("Query operators >,>=,<,<= are not allowed on field {name}"),
                };
                return Err(bad(text));
            }
            node_state(entity, &shown(value).to_lowercase())
        }
        Value::String(name) => {
            if operator == "=" && name == "type" && value == "any" {
                return Ok(None);
            }
            if value.is_null() && operator == "=" {
                return null(entity, &[left.clone(), Value::Bool(true)]).map(Some);
            }
            named(entity, operator, name, value).map(Some)
        }
        _ => Err(bad(format!("Invalid {operator} clause"))),
    }
}

fn node_state(entity: &'static Entity, state: &str) -> Result<Option<Expr>, QueryError> {
    let state = match state {
        "active" => NodeState::Active,
        "inactive" => NodeState::Inactive,
        "any" => return Ok(None),
        other => return Err(bad(format!("No matching clause: {other}"))),
    };
    if !entity.has_node {
        return Err(bad(format!("{} have no node state", entity.label)));
    }
    Ok(Some(Expr::NodeState(state)))
}

/// Refuses a left side that is itself a comparison.
fn check_left(left: &Value) -> Result<(), QueryError> {
    match clause(left) {
        Some((operator, operands)) if COMPARISONS.contains(&operator) && operands.len() != 2 => {
            Err(bad(format!("{operator} requires exactly two arguments")))
        }
        _ => Ok(()),
    }
}

/// Converts a left side that is an array: a node state, fact, parameter or function.
fn special(
    entity: &'static Entity,
    operator: &str,
    left: &Value,
    value: &Value,
) -> Result<Option<Expr>, QueryError> {
    let invalid = || Err(bad(format!("Invalid {operator} clause")));
    check_left(left)?;
    if operator == "~>" {
        let left = shown(left);
        return Err(bad(format!("Query operator ~> is not allowed on field {left}")));
    }
    match clause(left) {
        Some(("node", [active])) if active == "active" && operator == "=" => {
            let is_active = !(value.is_null() || *value == Value::Bool(false));
            node_state(entity, if is_active { "active" } else { "inactive" })
        }
        Some(("fact", [Value::String(fact)])) => {
            let is_number = value.is_number();
            let fits = match operator {
                "=" => is_number || value.is_string() || value.is_boolean(),
                "~" => value.is_string(),
                _ => is_number,
            };
            if !fits {
                let value = shown(value);
                return Err(bad(format!("Operator '{operator}' not allowed on value '{value}'")));
            }
            let column = json!("certname");
            let select = Box::new(inventory_select(&column, operator, fact, value)?);
            let fields = vec![known(entity, "certname")?];
            Ok(Some(Expr::InSelect { fields, select }))
        }
        Some(("parameter", [Value::String(name)])) if matches!(operator, "=" | "~") => {
            if entity.name != "resources" {
                return Err(bad(format!("{} have no parameters", entity.label)));
            }
            let is_regex = operator == "~";
            Ok(Some(Expr::Parameter { name: name.clone(), is_regex, value: value.clone() }))
        }
        Some(("function", [Value::String(name), arguments @ ..])) => {
            function_condition(entity, operator, name, arguments, value).map(Some)
        }
        _ => invalid(),
    }
}

fn function_condition(
    entity: &'static Entity,
    operator: &str,
    function: &str,
    arguments: &[Value],
    value: &Value,
) -> Result<Expr, QueryError> {
    let Some(comparison) = Comparison::parse(operator) else {
        return Err(bad(format!("Invalid {operator} clause")));
    };
    let allowed: &[usize] = match function {
        "count" => &[0, 1],
        "to_string" => &[2],
        "sum" | "avg" | "min" | "max" | "jsonb_typeof" => &[1],
        _ => return Err(bad(format!("\"{function}\" is not a valid function"))),
    };
    let given = arguments.len();
    if !allowed.contains(&given) {
        return Err(bad(format!(
            "wrong number of arguments ({given}) provided for function {function}"
        )));
    }
    let aggregate = || bad("aggregate functions are not allowed in WHERE");
    let Some(argument) = arguments.first() else { return Err(aggregate()) };
    let argument = shown(argument);
    let field = entity.field(&argument).filter(|field| field.is_queryable);
    let Some(field) = field else {
        return Err(bad(format!("field \"{argument}\" is not a valid queryable field")));
    };
    match function {
        "jsonb_typeof" => {}
        "to_string" => return Err(bad("\"to_string\" is not a valid function")),
        "count" => return Err(aggregate()),
        _ if field.ty == Type::Number => return Err(aggregate()),
        _ => return Err(bad(format!("field \"{argument}\" must be a numeric type"))),
    }
    match (field.ty, value) {
        (Type::Scalar | Type::Document, Value::String(name)) => {
            Ok(Expr::TypeOf { field, operator: comparison, name: name.clone() })
        }
        _ => Err(bad(format!("{function} does not accept the field {argument:?}"))),
    }
}

/// Converts a comparison of a field or of a path into a document.
fn named(
    entity: &'static Entity,
    operator: &str,
    name: &str,
    value: &Value,
) -> Result<Expr, QueryError> {
    let path = field::parse(name, ALL)?;
    let field = known(entity, &path.field)?;
    if !is_value(value) {
        return Err(bad(format!("Invalid {operator} clause")));
    }
    if field.ty == Type::Document && !path.parts.is_empty() {
        if operator == "~>" {
            return Err(bad(format!("Query operator ~> is not allowed on field {name}")));
        }
        return document(field, path, operator, value);
    }
    if !path.parts.is_empty() {
        return Err(bad(format!("'{name}' is not a queryable object for {}", entity.label)));
    }
    match operator {
        "=" => equality(field, value),
        "~" => regex(field, value),
        "~>" => path_regex(field, value),
        _ => inequality(field, operator, value),
    }
}

/// Whether a value may be on the right side: an object, a scalar, or an array of strings and
/// integers.
fn is_value(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().all(|item| item.is_string() || item.is_i64()),
        Value::Null => false,
        _ => true,
    }
}

fn document(
    field: &'static Field,
    path: Path,
    operator: &str,
    value: &Value,
) -> Result<Expr, QueryError> {
    let (field, path) = under_facts(field, path);
    if path.has_match() && field.name == "facts" {
        return matched(&path, operator, value);
    }
    if operator == "~" {
        let Value::String(pattern) = value else {
            return Err(bad("Invalid ~ clause"));
        };
        return Ok(Expr::PathRegex { field, path: steps(&path), pattern: pattern.clone() });
    }
    let Some(comparison) = Comparison::parse(operator) else {
        return Err(bad(format!("Invalid {operator} clause")));
    };
    if comparison != Comparison::Equal || path.has_index() {
        let (path, value) = (steps(&path), value.clone());
        return Ok(Expr::PathCompare { field, path, operator: comparison, value });
    }
    let parts = names(path.parts);
    let may_index = |part: &String| part.bytes().all(|byte| byte.is_ascii_digit());
    let value = value.clone();
    if parts.iter().any(may_index) {
        return Ok(Expr::LooseEqual { field, path: parts, value });
    }
    Ok(Expr::Contains { field, path: parts, value })
}

/// Trusted facts are stored with the facts.
fn under_facts(field: &'static Field, mut path: Path) -> (&'static Field, Path) {
    let facts = subquery_entity("inventory").ok().and_then(|inventory| inventory.field("facts"));
    match facts {
        Some(facts) if field.name == "trusted" => {
            path.parts.insert(0, Part::Name("trusted".into()));
            (facts, path)
        }
        _ => (field, path),
    }
}

/// Converts a path with `match(…)`: all parts become a regular expression for the encoded path.
fn matched(path: &Path, operator: &str, value: &Value) -> Result<Expr, QueryError> {
    let parts = path.parts.iter().map(|part| match part {
        Part::Name(name) | Part::Match(name) => name.clone(),
        Part::Index(name, index) => format!("{name}{}{index}", fact_path::SEPARATOR),
    });
    let pattern = parts.collect::<Vec<_>>().join(fact_path::SEPARATOR);
    let condition = match (Comparison::parse(operator), value) {
        (Some(comparison), value) => MatchedValue::Compare(comparison, value.clone()),
        (None, Value::String(text)) => MatchedValue::Regex(text.clone()),
        _ => return Err(bad(format!("Invalid {operator} clause"))),
    };
    Ok(Expr::MatchedPath { pattern, condition })
}

fn equality(field: &'static Field, value: &Value) -> Result<Expr, QueryError> {
    match field.ty {
        Type::Array => match value {
            Value::String(text) => Ok(Expr::HasMember { field, value: text.clone() }),
            other => Err(incompatible(field, other)),
        },
        Type::EncodedPath | Type::PathArray => Ok(Expr::PathOneOf { paths: vec![encoded(value)?] }),
        Type::Scalar => {
            Ok(Expr::ScalarCompare { field, operator: Comparison::Equal, value: value.clone() })
        }
        Type::Document if field.has_paths => {
            Ok(Expr::Contains { field, path: Vec::new(), value: value.clone() })
        }
        Type::Document | Type::Shown => Err(incompatible(field, value)),
        _ if field.stored == Stored::Json => Ok(Expr::JsonEqual { field, value: value.clone() }),
        _ if field.name == "latest_report?" => {
            let is_event = field.ty == Type::Boolean;
            let is_latest = Expr::IsLatestReport { is_event };
            let is_true = *value != Value::Bool(false);
            Ok(if is_true { is_latest } else { Expr::Not(Box::new(is_latest)) })
        }
        _ if field.name == "tag" => member("tags", value),
        _ => {
            let value = literal(field, value)?;
            Ok(Expr::Compare { field, operator: Comparison::Equal, value })
        }
    }
}

/// Converts a condition on `tag`. Tags are in lower case.
fn member(name: &'static str, value: &Value) -> Result<Expr, QueryError> {
    let field = known(subquery_entity("resources")?, name)?;
    Ok(Expr::HasMember { field, value: shown(value).to_lowercase() })
}

fn regex(field: &'static Field, value: &Value) -> Result<Expr, QueryError> {
    let Value::String(pattern) = value else { return Err(incompatible(field, value)) };
    let pattern = pattern.clone();
    if field.name == "tag" {
        let field = known(subquery_entity("resources")?, "tags")?;
        return Ok(Expr::MemberRegex { field, pattern: pattern.to_lowercase() });
    }
    match field.ty {
        Type::Array => Ok(Expr::MemberRegex { field, pattern }),
        Type::Scalar => Ok(Expr::ScalarRegex { field, pattern }),
        Type::EncodedPath => Ok(Expr::EncodedPathRegex { pattern }),
        Type::Text if field.stored == Stored::Json => {
            Ok(Expr::JsonRegex { field, pattern: value.to_string() })
        }
        Type::Text
            if matches!(field.stored, Stored::Text | Stored::Hash)
                && !matches!(field.column, crate::entity::Column::Same("")) =>
        {
            Ok(Expr::Regex { field, pattern })
        }
        _ => Err(incompatible(field, value)),
    }
}

fn inequality(field: &'static Field, operator: &str, value: &Value) -> Result<Expr, QueryError> {
    let comparison = Comparison::parse(operator);
    let allowed = matches!(field.ty, Type::Number | Type::Time | Type::Scalar);
    let Some(comparison) = comparison.filter(|_| allowed) else {
        return Err(bad(format!(
            "Query operators >,>=,<,<= are not allowed on field {}",
            field.name
        )));
    };
    match field.ty {
        Type::Time => {
            let value = literal(field, value)?;
            Ok(Expr::Compare { field, operator: comparison, value })
        }
        _ if !value.is_number() => {
            let value = shown(value);
            Err(bad(format!(
                "Argument \"{value}\" and operator \"{operator}\" have incompatible types."
            )))
        }
        Type::Scalar => {
            Ok(Expr::ScalarCompare { field, operator: comparison, value: value.clone() })
        }
        _ => {
            let value = literal(field, value)?;
            Ok(Expr::Compare { field, operator: comparison, value })
        }
    }
}

fn path_regex(field: &'static Field, value: &Value) -> Result<Expr, QueryError> {
    let (Type::EncodedPath | Type::PathArray, Value::Array(elements)) = (field.ty, value) else {
        return Err(bad(format!("Query operator ~> is not allowed on field {}", field.name)));
    };
    if field.ty == Type::EncodedPath {
        return Ok(Expr::EncodedPathRegex { pattern: fact_path::pattern(elements) });
    }
    let elements = elements.iter().map(|element| match element {
        Value::String(pattern) => PathElement::Pattern {
            pattern: pattern.clone(),
            is_name: !pattern.is_empty() && pattern.bytes().all(|b| b.is_ascii_digit()),
        },
        other => PathElement::Index(other.to_string()),
    });
    Ok(Expr::PathElements { elements: elements.collect() })
}

/// Encodes a fact path.
fn encoded(value: &Value) -> Result<String, QueryError> {
    match value {
        Value::Array(elements) => Ok(fact_path::encode(elements)),
        other => Err(bad(format!("{} is not a path of facts", shown(other)))),
    }
}

fn incompatible(field: &Field, value: &Value) -> QueryError {
    let (value, name) = (shown(value), field.name);
    bad(format!("Argument \"{value}\" is incompatible with the field \"{name}\"."))
}

/// A value for a column that is not JSON.
fn literal(field: &Field, value: &Value) -> Result<Literal, QueryError> {
    match (field.stored, value) {
        (Stored::Text | Stored::Hash, Value::String(text)) => Ok(Literal::Text(text.clone())),
        (Stored::Boolean, Value::Bool(flag)) => Ok(Literal::Boolean(*flag)),
        (Stored::Integer, Value::Number(number)) => Ok(match number.as_i64() {
            Some(integer) => Literal::Integer(integer),
            None => Literal::Float(number.as_f64().unwrap_or(f64::NAN)),
        }),
        (Stored::Integer, Value::String(text)) => {
            let name = field.name;
            Err(bad(format!("Argument \"{text}\" is incompatible with numeric field \"{name}\".")))
        }
        (Stored::Time, value) => time::parse(value)
            .map(Literal::Time)
            .ok_or_else(|| bad(format!("'{}' is not a valid timestamp value", shown(value)))),
        _ => Err(incompatible(field, value)),
    }
}

/// `["in", fields, array or query]`.
fn membership(entity: &'static Entity, operands: &[Value]) -> Result<Expr, QueryError> {
    let [left, source] = operands else {
        return Err(bad("in requires fields, and an array or a query"));
    };
    check_left(left)?;
    check_left(source)?;
    if let Some(("array", values)) = clause(source) {
        let [Value::Array(values)] = values else {
            return Err(bad("Operator array requires a vector argument"));
        };
        return in_array(entity, left, values);
    }
    let single = std::slice::from_ref(left);
    let columns = left.as_array().map_or(single, Vec::as_slice);
    let mut fields = Vec::new();
    for column in columns {
        let Value::String(name) = column else {
            return Err(bad(format!("{} is not a field", shown(column))));
        };
        fields.push(known(entity, name)?);
    }
    if fields.is_empty() {
        return Err(bad("in requires at least one field"));
    }
    in_select(fields, entity, source)
}

fn in_select(
    fields: Vec<&'static Field>,
    entity: &'static Entity,
    source: &Value,
) -> Result<Expr, QueryError> {
    let select = match clause(source) {
        Some(("extract", operands)) => extract(entity, operands)?,
        Some(("from", [Value::String(name), query, pages @ ..])) => {
            let inner = subquery_entity(name)?;
            let Some(("extract", operands)) = clause(query) else {
                return Err(bad("A subquery of 'in' has to extract columns"));
            };
            let mut select = extract(inner, operands)?;
            select.paginate(page_clauses(inner, pages)?);
            select
        }
        _ => return Err(bad(format!("{} is not a subquery", shown(source)))),
    };
    let mut select = select;
    let (given, expected) = (select.columns.len(), fields.len());
    // PuppetDB ignores columns without a matching field.
    select.columns.truncate(expected);
    if given < expected {
        return Err(bad(format!("The subquery of 'in' has {given} columns instead of {expected}")));
    }
    Ok(Expr::InSelect { fields, select: Box::new(select) })
}

fn in_array(entity: &'static Entity, left: &Value, values: &[Value]) -> Result<Expr, QueryError> {
    if let Some(("fact", [Value::String(fact)])) = clause(left) {
        return fact_in_array(entity, fact, values);
    }
    let Value::String(name) = left else {
        return Err(bad(format!("{} is not a field", shown(left))));
    };
    let path = field::parse(name, ALL)?;
    let field = known(entity, &path.field)?;
    if !path.parts.is_empty() {
        let parts = values.iter().map(|value| named(entity, "=", name, value));
        let parts = parts.collect::<Result<Vec<_>, _>>()?;
        return Ok(if parts.is_empty() { Expr::False } else { Expr::Or(parts) });
    }
    let is_nested = values.iter().any(|value| value.is_array() || value.is_object());
    if is_nested && !matches!(field.ty, Type::EncodedPath | Type::PathArray | Type::Scalar) {
        return Err(incompatible(field, &Value::Array(values.to_vec())));
    }
    match field.ty {
        Type::Array => Err(bad("Operator in...array is not supported on array types")),
        Type::Scalar => Ok(Expr::ScalarOneOf { field, values: values.to_vec() }),
        Type::EncodedPath | Type::PathArray => {
            let paths = values.iter().map(encoded).collect::<Result<_, _>>()?;
            Ok(Expr::PathOneOf { paths })
        }
        Type::Time => {
            let values = values.iter().filter_map(time::parse).map(Literal::Time).collect();
            Ok(Expr::OneOf { field, values })
        }
        _ if matches!(field.stored, Stored::Text | Stored::Hash)
            && !matches!(field.column, crate::entity::Column::Same("")) =>
        {
            let values = values.iter().map(|value| Literal::Text(shown(value))).collect();
            Ok(Expr::OneOf { field, values })
        }
        Type::Document | Type::Shown => Err(incompatible(field, &Value::Array(values.to_vec()))),
        _ if field.stored == Stored::Json => {
            let parts = values.iter().map(|value| equality(field, value));
            Ok(Expr::Or(parts.collect::<Result<_, _>>()?))
        }
        _ => {
            let values = values.iter().map(|value| literal(field, value));
            Ok(Expr::OneOf { field, values: values.collect::<Result<_, _>>()? })
        }
    }
}

fn fact_in_array(
    entity: &'static Entity,
    fact: &str,
    values: &[Value],
) -> Result<Expr, QueryError> {
    let kind = |value: &Value| match value {
        Value::String(_) => 0,
        Value::Bool(_) => 1,
        Value::Number(number) if number.is_f64() => 2,
        Value::Number(_) => 3,
        _ => 4,
    };
    if values.is_empty() || values.iter().any(|value| kind(value) != kind(&values[0])) {
        return Err(bad("All values in 'array' must be the same type."));
    }
    let query = json!([
        "certname",
        ["select_facts", ["and", ["=", "name", fact], ["in", "value", ["array", values]]]]
    ]);
    let Value::Array(operands) = query else {
        return Err(bad("Invalid in clause"));
    };
    let select = Box::new(extract(entity, &operands)?);
    Ok(Expr::InSelect { fields: vec![known(entity, "certname")?], select })
}

/// Converts `["subquery", entity, query]`: a related row exists.
fn subquery(entity: &'static Entity, operands: &[Value]) -> Result<Expr, QueryError> {
    let [Value::String(name), query] = operands else {
        return Err(bad("subquery requires an entity and a query"));
    };
    let relation = entity.relation(name).ok_or_else(|| no_relation(name))?;
    let inner = subquery_entity(relation.entity)?;
    let columns: Vec<Value> = relation.foreign.iter().map(|name| json!(name)).collect();
    let column = if columns.len() == 1 { columns[0].clone() } else { Value::Array(columns) };
    let select_operator = json!([format!("select_{}", inner.name), query]);
    let select: Select = extract(inner, &[column, select_operator])?;
    let fields = relation.local.iter().map(|name| known(entity, name));
    Ok(Expr::InSelect { fields: fields.collect::<Result<_, _>>()?, select: Box::new(select) })
}
