//! The columns of a query, and the query as a whole.

use serde_json::Value;

use super::condition::condition;
use super::{Expr, Function, Group, NodeState, Output, PageClauses, Select, bad};
use crate::check::{FUNCTIONS, clause, select_entity, shown};
use crate::entity::{Entity, Field, Type};
use crate::error::QueryError;
use crate::field::{self, ALL, Part};

impl Select {
    /// All fields of an entity.
    fn all(entity: &'static Entity) -> Self {
        let shown = entity.fields.iter().filter(|field| field.is_shown);
        Select {
            entity,
            columns: shown.map(Output::Field).collect(),
            filter: None,
            group_by: Vec::new(),
            order_by: Vec::new(),
            limit: None,
            offset: None,
        }
    }

    /// Adds a condition.
    pub(crate) fn restrict(&mut self, condition: Expr) {
        self.filter = Some(match self.filter.take() {
            Some(filter) => Expr::And(vec![filter, condition]),
            None => condition,
        });
    }

    /// Shows active nodes only.
    pub(crate) fn restrict_to_active_nodes(&mut self) {
        if self.entity.has_node {
            self.restrict(Expr::NodeState(NodeState::Active));
        }
    }

    /// Applies the paging clauses.
    pub(crate) fn paginate(&mut self, pages: PageClauses) {
        self.limit = pages.limit.or(self.limit);
        self.offset = pages.offset.or(self.offset);
        if !pages.order_by.is_empty() {
            self.order_by = pages.order_by;
        }
    }

    /// Refuses columns that are neither grouped nor aggregated, as PostgreSQL does.
    fn check_groups(&self) -> Result<(), QueryError> {
        let aggregates =
            |output: &Output| matches!(output, Output::Function(f) if f.is_aggregate());
        if self.group_by.is_empty() && !self.columns.iter().any(aggregates) {
            return Ok(());
        }
        for output in &self.columns {
            let is_grouped = self.group_by.iter().any(|group| match (group, output) {
                (Group::Field(field), Output::Field(column)) => field.name == column.name,
                (Group::Field(field), Output::Function(function)) => {
                    function.argument.is_some_and(|argument| argument.name == field.name)
                }
                (Group::Output(name), output) => output.name() == name,
                _ => false,
            });
            if !is_grouped && !aggregates(output) {
                let name = output.name();
                return Err(bad(format!(
                    "column \"{name}\" must appear in the GROUP BY clause or be used in an aggregate function"
                )));
            }
        }
        Ok(())
    }
}

/// Plans a query of an entity: a condition or an `extract`.
pub(crate) fn select(entity: &'static Entity, query: &Value) -> Result<Select, QueryError> {
    match clause(query) {
        Some(("extract", operands)) => extract(entity, operands),
        _ => filtered(entity, Some(query)),
    }
}

/// Plans a condition on an entity. Only agents' reports match, unless the condition uses the report
/// type.
fn filtered(entity: &'static Entity, query: Option<&Value>) -> Result<Select, QueryError> {
    let mut select = Select::all(entity);
    let query = query.filter(|query| !is_empty(query));
    if let Some(query) = query {
        select.filter = condition(entity, query)?;
    }
    let has_type = matches!(entity.name, "reports" | "report_metrics" | "report_logs");
    if has_type && !query.is_some_and(names_type) {
        let agent = serde_json::json!(["=", "type", "agent"]);
        if let Some(agent) = condition(entity, &agent)? {
            select.restrict(agent);
        }
    }
    Ok(select)
}

/// Whether a condition uses the report type, outside its subqueries.
fn names_type(query: &Value) -> bool {
    match clause(query) {
        Some(("and" | "or" | "not", operands)) => operands.iter().any(names_type),
        Some(("in", [field, source])) => {
            field == "type" && clause(source).is_some_and(|(operator, _)| operator == "array")
        }
        Some(("=" | ">" | "<" | "<=" | ">=" | "~" | "~>" | "null?", [field, _])) => field == "type",
        _ => false,
    }
}

/// Whether there is no condition.
fn is_empty(query: &Value) -> bool {
    query.is_null() || query.as_array().is_some_and(Vec::is_empty)
}

/// `["extract", columns, condition or subquery, group]`.
pub(crate) fn extract(entity: &'static Entity, operands: &[Value]) -> Result<Select, QueryError> {
    let is_group = |node: &&Value| clause(node).is_some_and(|(op, _)| op == "group_by");
    let (columns, source, group) = match operands {
        [columns] => (columns, None, None),
        [columns, group] if is_group(&group) => (columns, None, Some(group)),
        [columns, source] => (columns, Some(source), None),
        [columns, source, group] if is_group(&group) => (columns, Some(source), Some(group)),
        _ => return Err(bad("extract takes columns, an optional query and an optional group_by")),
    };
    let inner = source
        .and_then(clause)
        .and_then(|(operator, operands)| Some((select_entity(operator)?, operands)));
    let mut select = match inner {
        Some((entity, operands)) => {
            if let Some(select) = fact_condition(columns, entity, operands)? {
                return Ok(select);
            }
            filtered(entity, operands.first())?
        }
        None => filtered(entity, source)?,
    };
    select.columns = outputs(select.entity, columns)?;
    if let Some((_, entries)) = group.and_then(clause) {
        for entry in entries {
            select.group_by.push(grouped(&select, entry)?);
        }
    }
    select.check_groups()?;
    Ok(select)
}

/// Plans a condition on the name and value of one fact over the inventory, which has an index.
fn fact_condition(
    columns: &Value,
    entity: &'static Entity,
    operands: &[Value],
) -> Result<Option<Select>, QueryError> {
    let [condition_node] = operands else { return Ok(None) };
    let Some(("and", [name, value])) = clause(condition_node) else { return Ok(None) };
    let (Some(("=", [name_field, Value::String(name)])), Some((operator, [value_field, value]))) =
        (clause(name), clause(value))
    else {
        return Ok(None);
    };
    let is_plain = entity.name == "facts"
        && (columns == "certname" || columns == "environment")
        && name_field == "name"
        && value_field == "value"
        && matches!(operator, "=" | "~" | "<" | ">" | "<=" | ">=")
        && !value.is_array()
        && !value.is_null();
    if !is_plain {
        return Ok(None);
    }
    inventory_select(columns, operator, name, value).map(Some)
}

/// Selects the nodes for which a comparison of a fact is true.
pub(super) fn inventory_select(
    column: &Value,
    operator: &str,
    fact: &str,
    value: &Value,
) -> Result<Select, QueryError> {
    let inventory = crate::entity::subquery_entity("inventory")?;
    let mut select = Select::all(inventory);
    select.columns = outputs(inventory, column)?;
    let node = serde_json::json!([operator, format!("facts.{fact}"), value]);
    select.filter = condition(inventory, &node)?;
    Ok(select)
}

fn field_of(entity: &'static Entity, name: &str) -> Result<&'static Field, QueryError> {
    entity.field(name).ok_or_else(|| bad(format!("'{name}' is not a field of {}", entity.label)))
}

/// PuppetDB returns up to this number of columns in the order of the query, more in another order.
const ORDERED_COLUMNS: usize = 8;

/// The columns of the result: functions first, then fields.
fn outputs(entity: &'static Entity, columns: &Value) -> Result<Vec<Output>, QueryError> {
    let single = std::slice::from_ref(columns);
    let columns = columns.as_array().map_or(single, Vec::as_slice);
    let mut outputs = Vec::new();
    let mut functions = Vec::new();
    for column in columns {
        match column {
            Value::String(name) => outputs.push(output(entity, name)?),
            other => functions.push(Output::Function(function(entity, other)?)),
        }
    }
    functions.extend(outputs);
    if functions.is_empty() {
        return Ok(Select::all(entity).columns);
    }
    if functions.len() > ORDERED_COLUMNS {
        functions.sort_by_key(|output| {
            entity.fields.iter().position(|field| field.name == output.name())
        });
    }
    Ok(functions)
}

fn output(entity: &'static Entity, name: &str) -> Result<Output, QueryError> {
    if let Some(field) = entity.field(name) {
        if !field.is_shown {
            return Err(bad(format!("'{name}' cannot be extracted")));
        }
        return Ok(Output::Field(field));
    }
    let path = field::parse(name, ALL)?;
    let field = field_of(entity, &path.field)?;
    let parts = path.parts.into_iter().map(|part| match part {
        Part::Name(name) => Ok(name),
        _ => Err(bad(format!("Only names are allowed in the path of a column: {name}"))),
    });
    Ok(Output::Path { field, parts: parts.collect::<Result<_, _>>()?, name: name.to_owned() })
}

fn function(entity: &'static Entity, node: &Value) -> Result<Function, QueryError> {
    let Some(("function", [Value::String(name), arguments @ ..])) = clause(node) else {
        return Err(bad(format!("{} is not a column", shown(node))));
    };
    let Some(name) = FUNCTIONS.iter().find(|known| *known == name) else {
        return Err(bad(format!("{name:?} is not a valid function")));
    };
    let count = |allowed: &[usize]| {
        if allowed.contains(&arguments.len()) {
            return Ok(());
        }
        let given = arguments.len();
        Err(bad(format!("wrong number of arguments ({given}) provided for function {name}")))
    };
    match *name {
        "count" => count(&[0, 1])?,
        "to_string" => count(&[2])?,
        _ => count(&[1])?,
    }
    let argument = match arguments.first() {
        Some(Value::String(argument)) => Some(field_of(entity, argument)?),
        Some(other) => return Err(bad(format!("{} is not a field", shown(other)))),
        None => None,
    };
    let mask = arguments.get(1).and_then(Value::as_str).map(str::to_owned);
    if let Some(argument) = argument {
        check_argument(name, argument)?;
    }
    Ok(Function { name, argument, mask })
}

/// The types of arguments that PostgreSQL accepts.
fn check_argument(function: &str, argument: &Field) -> Result<(), QueryError> {
    let is_number = matches!(argument.ty, Type::Number | Type::Scalar);
    let has_order = is_number || matches!(argument.ty, Type::Text | Type::Time);
    let fits = match function {
        "sum" | "avg" => is_number,
        "min" | "max" => has_order,
        "to_string" => argument.stored == crate::entity::Stored::Time,
        "jsonb_typeof" => matches!(argument.ty, Type::Scalar | Type::Document),
        _ => argument.is_queryable,
    };
    if fits {
        return Ok(());
    }
    Err(bad(format!("function {function} does not accept the field {:?}", argument.name)))
}

/// An entry of `group_by`: a field, a path, or a function by its name.
fn grouped(select: &Select, entry: &Value) -> Result<Group, QueryError> {
    let name = match entry {
        Value::String(name) => name.as_str(),
        other => match clause(other) {
            Some(("function", [Value::String(name), ..])) => name,
            _ => return Err(bad(format!("{} cannot be grouped by", shown(other)))),
        },
    };
    if let Some(field) = select.entity.field(name) {
        return Ok(Group::Field(field));
    }
    let is_output = select.columns.iter().any(|output| output.name() == name);
    if is_output {
        return Ok(Group::Output(name.to_owned()));
    }
    Err(bad(format!("{name:?} is niether a valid column name nor function name")))
}
