//! Documents about the nodes, catalogs and reports of a server's database.

mod audit;
mod catalog;
mod compared_runs;
mod fleet_runs;
mod node;
mod nodes;
mod overview;
mod page;
mod reports;
mod search;

use std::collections::BTreeSet;
use std::time::Duration;

use ordain_fleet_store::{Connection, Database, Value, read};
use ordain_graph::Graph;

use crate::document::Document;
use crate::error::ExplorerError;
use crate::request::PageRequest;
use crate::role::Role;
use crate::viewer::Viewer;
use page::{Page, missing_node};

/// The longest time of a statement.
const LIMIT: Duration = Duration::from_secs(20);

/// Answers a request from a server's database. Blocks.
///
/// # Errors
/// When there is no such page or node, the user may not see it, a parameter is wrong, or the
/// database fails.
pub fn store_document(
    database: &dyn Database,
    viewer: &Viewer,
    request: &PageRequest<'_>,
) -> Result<Document, ExplorerError> {
    let page = Page { viewer, request };
    answered(database, |connection| page.document(connection))
}

/// Runs a transaction that only reads.
fn answered<T>(
    database: &dyn Database,
    mut work: impl FnMut(&mut dyn Connection) -> Result<T, ExplorerError>,
) -> Result<T, ExplorerError> {
    read(database, Some(LIMIT), |connection| match work(connection) {
        // The transaction may be repeated after a conflict.
        Err(ExplorerError::Store(error)) => Err(error),
        other => Ok(other),
    })?
}

/// The environment of a node, if the user may see that node.
///
/// # Errors
/// When there is no such node, or the database fails.
pub fn environment_of(
    database: &dyn Database,
    viewer: &Viewer,
    node: &str,
) -> Result<Option<String>, ExplorerError> {
    let request = PageRequest { segments: Vec::new(), parameters: Vec::new() };
    let find = |connection: &mut dyn Connection| {
        Page { viewer, request: &request }.find_node(connection, node)
    };
    let found = read(database, Some(LIMIT), find)?;
    found.map(|(_, environment)| environment).ok_or_else(|| missing_node(node))
}

/// The graph of a stored catalog of a node, if the user may see that node: of the one that the node
/// had at a time, or else of the last one. Sensitive values are in no stored catalog.
///
/// # Errors
/// When there is no such node or catalog, the time is malformed, or the database fails.
pub fn stored_graph(
    database: &dyn Database,
    viewer: &Viewer,
    node: &str,
    time: Option<&str>,
) -> Result<Graph, ExplorerError> {
    let request = PageRequest { segments: Vec::new(), parameters: Vec::new() };
    let page = Page { viewer, request: &request };
    answered(database, |connection| page.catalog_graph(connection, node, time))
}

/// The names of the active nodes of an environment, if the user may see it.
///
/// # Errors
/// When the database fails.
pub fn nodes_of_environment(
    database: &dyn Database,
    viewer: &Viewer,
    environment: &str,
) -> Result<BTreeSet<String>, ExplorerError> {
    let request =
        PageRequest { segments: Vec::new(), parameters: vec![("environment", environment)] };
    let page = Page { viewer, request: &request };
    answered(database, |connection| page.names(connection))
}

/// The names of the active nodes that the parameters of `request` choose, as for the table of nodes.
///
/// # Errors
/// When a parameter is wrong, the user has not the role for each of them, or the database fails.
pub fn chosen_nodes(
    database: &dyn Database,
    viewer: &Viewer,
    role: Role,
    request: &PageRequest<'_>,
) -> Result<BTreeSet<String>, ExplorerError> {
    let limited = viewer.limited_to(role);
    let (all, own) = (Page { viewer, request }, Page { viewer: &limited, request });
    answered(database, |connection| {
        let names = all.names(connection)?;
        let allowed = own.names(connection)?;
        let other = names.iter().filter(|name| !allowed.contains(*name)).count();
        match other {
            0 => Ok(names),
            _ => Err(ExplorerError::ForbiddenNodes { user: viewer.name.clone(), role, other }),
        }
    })
}

/// The number of a run of many nodes that the user may stop and resume.
///
/// # Errors
/// When there is no such run, the user has not the role for each of its nodes, or the database fails.
pub fn changeable_run(
    database: &dyn Database,
    viewer: &Viewer,
    id: &str,
) -> Result<i64, ExplorerError> {
    let request = PageRequest { segments: Vec::new(), parameters: Vec::new() };
    let page = Page { viewer, request: &request };
    answered(database, |connection| {
        let number = page.run_number(connection, id)?;
        match page.may_change_run(connection, number)? {
            true => Ok(number),
            false => {
                let (user, role) = (viewer.name.clone(), Role::Run);
                Err(ExplorerError::ForbiddenRun { user, role, run: number })
            }
        }
    })
}

/// The number of the last report that was stored, to notice news.
///
/// # Errors
/// When the database fails.
pub fn last_report(database: &dyn Database) -> Result<i64, ExplorerError> {
    let last = |connection: &mut dyn Connection| {
        let last = connection.value("SELECT max(id) FROM reports", &[])?;
        let last = last.map(|last| last.optional(Value::integer)).transpose()?;
        Ok(last.flatten().unwrap_or(0))
    };
    Ok(read(database, Some(LIMIT), last)?)
}

impl Page<'_> {
    fn document(&self, connection: &mut dyn Connection) -> Result<Document, ExplorerError> {
        match self.request.segments[..] {
            ["overview"] => self.overview(connection),
            ["nodes"] => self.nodes(connection),
            ["facets"] => self.facets(connection),
            ["search"] => self.search(connection),
            ["nodes", node] => self.node(connection, node),
            ["nodes", node, "facts"] => self.facts(connection, node),
            ["nodes", node, "resources"] => self.resources(connection, node),
            ["nodes", node, "resource"] => self.resource(connection, node),
            ["nodes", node, "catalogs"] => self.catalogs(connection, node),
            ["nodes", node, "graph"] => self.graph(connection, node),
            ["nodes", node, "reports"] => self.reports(connection, node),
            ["runs"] => self.fleet_runs(connection),
            ["runs", run] => self.fleet_run(connection, run),
            ["runs", run, "nodes"] => self.fleet_run_nodes(connection, run),
            ["audit"] => self.audit(connection),
            ["reports", report] => self.report(connection, report),
            ["reports", report, "path"] => self.critical_path(connection, report),
            ["reports", report, "durations"] => self.durations(connection, report),
            ["reports", report, "events"] => self.events(connection, report),
            ["reports", report, "compare"] => self.compared_runs(connection, report),
            _ => Err(ExplorerError::Missing(format!("page {}", self.request.segments.join("/")))),
        }
    }
}
