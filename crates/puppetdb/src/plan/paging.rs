//! Limits, offsets and order.

use serde_json::Value;

use super::{Order, bad};
use crate::check::{clause, shown};
use crate::entity::{Column, Entity};
use crate::error::QueryError;

/// The clauses for pages of a query.
#[derive(Clone, Debug, Default)]
pub(crate) struct PageClauses {
    pub(crate) limit: Option<u64>,
    pub(crate) offset: Option<u64>,
    pub(crate) order_by: Vec<Order>,
}

/// Whether a clause is for pages.
pub(crate) fn is_page_clause(node: &Value) -> bool {
    clause(node).is_some_and(|(op, _)| matches!(op, "limit" | "offset" | "order_by"))
}

/// The argument of a clause, of which there may be one.
fn argument<'a>(name: &str, clauses: &'a [Value]) -> Result<Option<&'a Value>, QueryError> {
    let mut found =
        clauses.iter().filter_map(clause).filter(|(op, _)| *op == name).map(|(_, args)| args);
    let Some(arguments) = found.next() else { return Ok(None) };
    if found.next().is_some() {
        return Err(bad(format!("Multiple '{name}' clauses are not permitted")));
    }
    match arguments.first() {
        Some(value) if !value.is_null() => Ok(Some(value)),
        _ => Err(bad(format!("Received '{name}' clause without an argument"))),
    }
}

/// Reads `["limit", n]`, `["offset", n]` and `["order_by", [...]]`.
pub(crate) fn page_clauses(
    entity: &'static Entity,
    clauses: &[Value],
) -> Result<PageClauses, QueryError> {
    if let Some(other) = clauses.iter().find(|node| !is_page_clause(node)) {
        return Err(bad(format!("{} is not a clause for paging", shown(other))));
    }
    let number = |name: &str, least: u64| match argument(name, clauses)? {
        None => Ok(None),
        Some(value) => match value.as_u64() {
            Some(number) if number >= least => Ok(Some(number)),
            _ => Err(bad(format!("Illegal value '{}' for :{name}", shown(value)))),
        },
    };
    let (limit, offset) = (number("limit", 1)?, number("offset", 0)?);
    let order_by = match argument("order_by", clauses)? {
        None => Vec::new(),
        Some(Value::Array(terms)) => {
            let terms = terms.iter().map(|term| match term {
                Value::String(name) => Ok((name.as_str(), false)),
                other => match clause(other) {
                    Some((name, [])) => Ok((name, false)),
                    Some((name, [Value::String(order)])) => match order.as_str() {
                        "asc" => Ok((name, false)),
                        "desc" => Ok((name, true)),
                        _ => Err(bad(format!("'{order}' is neither asc nor desc"))),
                    },
                    _ => Err(bad(format!("{} cannot be ordered by", shown(other)))),
                },
            });
            order_terms(entity, terms.collect::<Result<Vec<_>, _>>()?)?
        }
        Some(other) => return Err(bad(format!("Illegal value '{}' for order_by", shown(other)))),
    };
    Ok(PageClauses { limit, offset, order_by })
}

/// The terms of an order by the names of fields, with whether each is descending.
pub(crate) fn order_terms(
    entity: &'static Entity,
    terms: Vec<(&str, bool)>,
) -> Result<Vec<Order>, QueryError> {
    let mut order = Vec::new();
    for (name, is_descending) in terms {
        let Some(field) = entity.field(name).filter(|field| field.is_queryable) else {
            let known = entity.fields.iter().filter(|f| f.is_queryable).map(|f| f.name);
            let known = crate::check::names(known);
            return Err(bad(format!(
                "Unrecognized column '{name}' specified in :order_by; Supported columns are '{known}'"
            )));
        };
        if matches!(field.column, Column::Same("")) {
            return Err(bad(format!("'{name}' cannot be ordered by")));
        }
        order.push(Order { field, is_descending });
    }
    Ok(order)
}
