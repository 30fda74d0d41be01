//! The comparison as a document for programs.

use serde_json::{Value as Json, json};

use crate::change::ChangeKind;
use crate::collect::FoundChange;
use crate::result::FleetDiff;

/// The name of the format.
pub const FORMAT: &str = "ordain-fleet-diff";

/// The JSON Schema of the document.
pub const SCHEMA: &str = include_str!("schema.json");

/// The document. It has all nodes and the whole texts.
pub fn json(diff: &FleetDiff) -> Json {
    let groups: Vec<Json> = diff
        .groups()
        .iter()
        .map(|group| {
            let changes: Vec<Json> = group.changes.iter().map(|found| change(found)).collect();
            json!({ "count": group.nodes.len(), "nodes": group.nodes, "changes": changes })
        })
        .collect();
    json!({
        "format": FORMAT,
        "version": 1,
        "before": diff.before,
        "after": diff.after,
        "counts": {
            "nodes": diff.nodes.len(),
            "changed": diff.changed_nodes(),
            "fail": diff.count(ChangeKind::Fails),
            "fail_no_more": diff.count(ChangeKind::FailsNoMore),
            "still_fail": diff.count(ChangeKind::StillFails),
            "compiles": diff.compiles,
        },
        "groups": groups,
        "notes": diff.notes,
    })
}

fn change(found: &FoundChange) -> Json {
    // A change has no maps with other keys than texts, so it always is JSON.
    let mut out = serde_json::to_value(&found.change).unwrap_or_default();
    if let Some(attributes) = out.get_mut("attributes") {
        let pairs = attributes.as_array().cloned().unwrap_or_default();
        let pair = |pair: &Json| Some((pair.get(0)?.as_str()?.to_owned(), pair.get(1)?.clone()));
        *attributes = Json::Object(pairs.iter().filter_map(pair).collect());
    }
    out["causes"] = found
        .causes
        .iter()
        .map(|cause| {
            let side = if cause.is_before { "before" } else { "after" };
            json!({ "file": cause.file, "line": cause.line, "side": side })
        })
        .collect();
    out
}
