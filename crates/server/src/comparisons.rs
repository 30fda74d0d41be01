//! Documents about comparisons of revisions and nodes, for the explorer.

use std::path::PathBuf;
use std::sync::Mutex;

use ordain_explorer::{Document, ExplorerError, PageRequest, table_document};
use ordain_fleet::{FleetDiff, Recent, render};

/// The number of groups on a page, unless the request has another one.
const GROUPS: usize = 20;
/// The maximum number of groups on a page.
const MAX_GROUPS: usize = 100;

/// The comparisons that stay in memory.
const KEPT: usize = 4;

/// The last comparisons of revisions on the nodes of a server. One is made at a time.
pub(crate) struct Comparisons {
    /// By the directories of both sides, and the environment of the nodes.
    pub(crate) recent: Recent<(PathBuf, PathBuf, String), FleetDiff>,
    pub(crate) turn: Mutex<()>,
}

impl Default for Comparisons {
    fn default() -> Self {
        Self { recent: Recent::new(KEPT), turn: Mutex::new(()) }
    }
}

/// The groups of a comparison: a part of them as JSON, or all changes as rows of CSV.
///
/// # Errors
/// When a parameter is wrong.
pub(crate) fn groups(
    diff: &FleetDiff,
    request: &PageRequest<'_>,
) -> Result<Document, ExplorerError> {
    let is_table = request.parameter("format").is_some() || request.parameter("all").is_some();
    if is_table {
        return table_document(render::CHANGE_COLUMNS, render::change_rows(diff), request);
    }
    let (offset, limit) = (number(request, "offset", 0)?, number(request, "limit", GROUPS)?);
    Ok(Document::json(&render::groups(diff, offset, limit.min(MAX_GROUPS))))
}

/// The nodes of the group that the parameter `group` numbers, as a table.
///
/// # Errors
/// When there is no such group, or a parameter is wrong.
pub(crate) fn nodes(
    diff: &FleetDiff,
    request: &PageRequest<'_>,
) -> Result<Document, ExplorerError> {
    let number = number(request, "group", 0)?;
    let groups = diff.groups();
    let group = groups.get(number);
    let group = group.ok_or_else(|| ExplorerError::Missing(format!("group {number}")))?;
    let rows = group.nodes.iter().map(|name| vec![(*name).into()]).collect();
    table_document(&["name"], rows, request)
}

fn number(request: &PageRequest<'_>, name: &str, default: usize) -> Result<usize, ExplorerError> {
    let Some(text) = request.parameter(name) else { return Ok(default) };
    text.parse()
        .map_err(|_| ExplorerError::Parameter(format!("`{name}` is `{text}`, not a number")))
}
