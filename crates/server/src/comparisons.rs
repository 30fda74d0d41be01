//! Documents about comparisons of revisions and nodes, for the explorer.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use ordain_explorer::{Document, ExplorerError, PageRequest, table_document};
use ordain_fleet::{
    ChangeFilter, FleetDiff, FleetError, NodeFilter, Recent, class_resource, render,
};

/// The number of groups on a page, unless the request has another one.
const GROUPS: usize = 20;
/// The maximum number of groups on a page.
const MAX_GROUPS: usize = 100;

/// The comparisons that stay in memory.
const KEPT: usize = 4;

/// The last comparisons of revisions on the nodes of a server. One is made at a time.
pub(crate) struct Comparisons {
    /// By the directories of both sides, the environment of the nodes, and the resources of which
    /// nodes need one.
    pub(crate) recent: Recent<(PathBuf, PathBuf, String, Vec<String>), FleetDiff>,
    pub(crate) turn: Mutex<()>,
}

impl Default for Comparisons {
    fn default() -> Self {
        Self { recent: Recent::new(KEPT), turn: Mutex::new(()) }
    }
}

/// The nodes and changes of a comparison that a page shows, as `ordain fleet diff` has them.
pub(crate) struct Filters {
    /// The nodes.
    pub(crate) nodes: NodeFilter,
    /// Resources of which nodes need one on either side.
    pub(crate) having: Vec<String>,
    /// The changes; `None` for all.
    changes: Option<ChangeFilter>,
}

impl Filters {
    /// The filters of the parameters `node`, `fact`, `class`, `kind` and `attribute`, each a list with
    /// commas.
    ///
    /// # Errors
    /// When one of them has another form.
    pub(crate) fn of(request: &PageRequest<'_>) -> Result<Self, ExplorerError> {
        let of = |name: &str| list(request.parameter(name).unwrap_or_default());
        let wrong = |error: FleetError| ExplorerError::Parameter(error.to_string());
        let (kinds, attributes) = (of("kind"), of("attribute"));
        let has_changes = !kinds.is_empty() || !attributes.is_empty();
        let changes = ChangeFilter::new(&kinds, &attributes).map_err(wrong)?;
        Ok(Self {
            nodes: NodeFilter::new(&of("node"), &of("fact")).map_err(wrong)?,
            having: of("class").iter().map(|name| class_resource(name)).collect(),
            changes: has_changes.then_some(changes),
        })
    }

    /// The part of a comparison that is shown. `names` has the nodes that [`Self::nodes`] chooses;
    /// `None` for all.
    pub(crate) fn apply(
        &self,
        diff: Arc<FleetDiff>,
        names: Option<&BTreeSet<String>>,
    ) -> Arc<FleetDiff> {
        if names.is_none() && self.changes.is_none() {
            return diff;
        }
        let mut shown = (*diff).clone();
        if let Some(names) = names {
            shown.nodes.retain(|node| names.contains(&node.name));
        }
        if let Some(filter) = &self.changes {
            shown.retain(|found| filter.has(&found.change));
        }
        Arc::new(shown)
    }
}

/// The entries of a list with commas. Those in brackets, as in `File[/a,b]`, separate nothing.
fn list(text: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let entries = text.split(|c| {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    });
    entries.map(|entry| entry.trim().to_owned()).filter(|entry| !entry.is_empty()).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_have_commas_outside_of_brackets() {
        let expected = [
            ("", vec![]),
            (" , ", vec![]),
            ("file, exec", vec!["file", "exec"]),
            ("File[/a,b],Notify[x]", vec!["File[/a,b]", "Notify[x]"]),
            ("]a,b", vec!["]a", "b"]),
        ];
        for (text, entries) in expected {
            assert_eq!(list(text), entries, "{text}");
        }
    }
}
