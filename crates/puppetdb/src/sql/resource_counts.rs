//! Counts resources without reading them: a catalog has the number of its resources.
//!
//! Puppetboard's overview counts all resources of an environment, which are thousands per node.

use crate::entity::Field;
use crate::plan::{Expr, Group, NodeState, Output, Select};

/// The rows that a count reads in place of resources. The aliases are those of the entity.
pub(super) fn from(lacks_nodes: bool) -> &'static str {
    match lacks_nodes {
        true => "catalogs c",
        false => "catalogs c JOIN certnames n ON n.id = c.certname_id",
    }
}

/// The number of resources of the rows of [`from`].
pub(super) const COUNT: &str = "CAST(coalesce(sum(c.resource_count), 0) AS BIGINT)";

/// A condition on rows of [`from`]: a catalog without resources is in no group.
pub(super) const IS_COUNTED: &str = "c.resource_count > 0";

/// The fields that all resources of a catalog share.
const FIELDS: &[&str] = &["environment", "certname"];

/// The alias that [`from`] has already.
pub(super) const JOINED: &str = "c";

/// Whether a query only counts resources, and neither its groups nor its conditions depend on a
/// single one. `is_count` replaces its columns by a count.
pub(super) fn apply(select: &Select, is_count: bool) -> bool {
    let of_catalog = |output: &Output| match output {
        Output::Field(field) => is_of_catalog(field),
        Output::Path { .. } => false,
        Output::Function(function) => function.name == "count" && function.argument.is_none(),
    };
    let counts = is_count || {
        let has_count = select.columns.iter().any(|c| matches!(c, Output::Function(_)));
        has_count && select.columns.iter().all(of_catalog)
    };
    counts
        && select.entity.name == "resources"
        && select.order_by.iter().all(|term| is_of_catalog(term.field))
        && select.group_by.iter().all(|group| match group {
            Group::Field(field) => is_of_catalog(field),
            Group::Output(_) => false,
        })
        && select.filter.as_ref().is_none_or(|filter| filter.reads_only(FIELDS))
}

/// Whether the query reads columns of nodes, other than whether they are active.
pub(super) fn needs_nodes(select: &Select) -> bool {
    let is_certname = |field: &Field| field.name == "certname";
    let columns = select.columns.iter().any(|c| matches!(c, Output::Field(f) if is_certname(f)));
    let groups = select.group_by.iter().any(|g| matches!(g, Group::Field(f) if is_certname(f)));
    let order = select.order_by.iter().any(|term| is_certname(term.field));
    let filter = select.filter.as_ref().is_some_and(|filter| {
        let mut reads_name = false;
        filter.fields(&mut |field| reads_name |= is_certname(field));
        reads_name || asks_for_inactive(filter)
    });
    columns || groups || order || filter
}

/// Whether a condition asks for inactive nodes.
fn asks_for_inactive(filter: &Expr) -> bool {
    match filter {
        Expr::And(parts) | Expr::Or(parts) => parts.iter().any(asks_for_inactive),
        Expr::Not(part) => asks_for_inactive(part),
        Expr::NodeState(state) => *state == NodeState::Inactive,
        _ => false,
    }
}

fn is_of_catalog(field: &Field) -> bool {
    FIELDS.contains(&field.name)
}
