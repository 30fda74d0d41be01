//! Counts resources without reading them: a catalog has the number of its resources.
//!
//! Puppetboard's overview counts all resources of an environment, which are thousands per node.

use crate::entity::Field;
use crate::plan::{Expr, Group, Output, Select};

/// The rows that a count reads in place of resources. The aliases are those of the entity.
pub(super) const FROM: &str = "catalogs c JOIN certnames n ON n.id = c.certname_id";

/// The number of resources of the rows of [`FROM`].
pub(super) const COUNT: &str = "CAST(coalesce(sum(c.resource_count), 0) AS BIGINT)";

/// A condition on rows of [`FROM`]: a catalog without resources is in no group.
pub(super) const IS_COUNTED: &str = "c.resource_count > 0";

/// The alias that [`FROM`] has already.
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
        && select.filter.as_ref().is_none_or(condition_is_of_catalog)
}

fn is_of_catalog(field: &Field) -> bool {
    matches!(field.name, "environment" | "certname")
}

/// Whether a condition has the same result for all resources of a catalog.
fn condition_is_of_catalog(filter: &Expr) -> bool {
    match filter {
        Expr::And(parts) | Expr::Or(parts) => parts.iter().all(condition_is_of_catalog),
        Expr::Not(part) => condition_is_of_catalog(part),
        Expr::InSelect { fields, .. } => fields.iter().all(|field| is_of_catalog(field)),
        Expr::Compare { field, .. }
        | Expr::OneOf { field, .. }
        | Expr::Regex { field, .. }
        | Expr::Null { field, .. } => is_of_catalog(field),
        Expr::False | Expr::NodeState(_) => true,
        _ => false,
    }
}
