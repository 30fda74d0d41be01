//! The groups of a comparison for pages that show some of them at a time.

use serde_json::{Value as Json, json};

use super::describe::{describe, summary};
use super::line::{Line, Tone};
use crate::change::{Change, ChangeKind};
use crate::collect::FoundChange;
use crate::result::{FleetDiff, Group};

/// The most changes of a group in [`groups`].
const MAX_CHANGES: usize = 200;
/// The most names of nodes of a group in [`groups`].
const MAX_NODES: usize = 100;

/// The columns of [`change_rows`].
pub const CHANGE_COLUMNS: &[&str] =
    &["group", "nodes", "change", "resource", "attribute", "before", "after", "causes"];

/// Some of the groups, from a number on. Each change has the lines that terminals show, with their
/// tones.
pub fn groups(diff: &FleetDiff, offset: usize, limit: usize) -> Json {
    let all = diff.groups();
    let rows: Vec<Json> = all.iter().enumerate().skip(offset).take(limit).map(group).collect();
    json!({
        "before": diff.before,
        "after": diff.after,
        "summary": summary(diff, all.len()),
        "single": diff.is_single,
        "nodes": diff.nodes.len(),
        "changed": diff.changed_nodes(),
        "fail": diff.count(ChangeKind::Fails),
        "notes": diff.notes,
        "rows": rows,
        "total": all.len(),
        "offset": offset,
        "limit": limit,
    })
}

fn group((number, group): (usize, &Group<'_>)) -> Json {
    let changes: Vec<Json> =
        group.changes.iter().take(MAX_CHANGES).map(|found| change(found)).collect();
    json!({
        "number": number,
        "count": group.nodes.len(),
        "nodes": group.nodes.iter().take(MAX_NODES).collect::<Vec<_>>(),
        "changes": changes,
        "more": group.changes.len().saturating_sub(MAX_CHANGES),
    })
}

fn change(found: &FoundChange) -> Json {
    // The causes are links of the page.
    let alone = FoundChange { change: found.change.clone(), causes: Vec::new() };
    let described = describe(&alone, true);
    let line = |line: &Line| json!({ "tone": tone(line.tone), "text": line.text });
    json!({
        "kind": kind(&found.change),
        "resource": found.change.resource(),
        "attribute": found.change.attribute(),
        "heading": line(&described.heading),
        "lines": described.lines.iter().map(line).collect::<Vec<_>>(),
        "causes": found.causes.iter().map(|cause| json!({
            "file": cause.file,
            "line": cause.line,
            "side": if cause.is_before { "before" } else { "after" },
        })).collect::<Vec<_>>(),
    })
}

/// The name of a kind of change in documents.
fn kind(change: &Change) -> Json {
    // A change has no maps with other keys than texts, so it always is JSON.
    serde_json::to_value(change).unwrap_or_default()["change"].take()
}

fn tone(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain => "plain",
        Tone::Heading => "heading",
        Tone::Add => "added",
        Tone::Remove => "removed",
        Tone::Change => "changed",
        Tone::Dim => "quiet",
    }
}

/// All changes as rows of a table, by group.
pub fn change_rows(diff: &FleetDiff) -> Vec<Vec<Json>> {
    let mut rows = Vec::new();
    for (number, group) in diff.groups().iter().enumerate() {
        for found in &group.changes {
            let document = serde_json::to_value(&found.change).unwrap_or_default();
            let field = |name: &str| document.get(name).cloned().unwrap_or_default();
            let causes = found.causes.iter().map(|cause| format!("{}:{}", cause.file, cause.line));
            rows.push(vec![
                json!(number),
                json!(group.nodes.len()),
                field("change"),
                json!(found.change.resource()),
                json!(found.change.attribute()),
                field("before"),
                // Of a failure, the error.
                document
                    .get("after")
                    .or_else(|| document.get("message"))
                    .cloned()
                    .unwrap_or_default(),
                json!(causes.collect::<Vec<_>>().join(" ")),
            ]);
        }
    }
    rows
}
