//! The table of routes.

mod route;
mod table;

pub(crate) use route::{Route, find};
pub(crate) use table::{monitoring, puppetdb, table};

use route::SMALL_BODY;

/// A route as the documentation lists it.
#[derive(Clone, Debug)]
pub struct RouteSummary {
    /// The method.
    pub method: String,
    /// The path; `{name}` is one segment, `{path}` all that follow.
    pub pattern: &'static str,
    /// The clients that may use it.
    pub principal: &'static str,
}

/// All routes for agents.
pub fn routes() -> Vec<RouteSummary> {
    let summary = |route: Route| RouteSummary {
        method: route.method.to_string(),
        pattern: route.pattern,
        principal: route.principal,
    };
    table(SMALL_BODY).into_iter().map(summary).collect()
}
