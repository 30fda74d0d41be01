//! Compares two answers without their insignificant parts: the order of sets, numbers that identify
//! a run, and the names of Ruby objects.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;

/// The differences.
pub(crate) fn differences(theirs: &Json, ours: &Json) -> Vec<String> {
    match (theirs.get("catalog"), ours.get("catalog")) {
        (Some(theirs_catalog), Some(ours_catalog)) => {
            let mut out = catalogs(theirs_catalog, ours_catalog);
            if theirs["logs"] != ours["logs"] {
                out.push(format!("logs: theirs {}, ours {}", theirs["logs"], ours["logs"]));
            }
            out
        }
        (Some(_), None) => vec![format!("theirs a catalog, ours {}", error(ours))],
        (None, Some(_)) => vec![format!("theirs {}, ours a catalog", error(theirs))],
        (None, None) => errors(theirs, ours),
    }
}

fn error(answer: &Json) -> String {
    format!("error {} line {}: {}", answer["issue"], answer["line"], answer["error"])
}

fn errors(theirs: &Json, ours: &Json) -> Vec<String> {
    // Upstream reports several errors of a file as one error with their number, and logs the
    // errors.
    if theirs["error"].as_str().is_some_and(|e| e.contains("Language validation logged")) {
        return Vec::new();
    }
    let line = theirs["line"].as_u64().or_else(|| line_in(theirs["error"].as_str()?));
    let same_line = line.is_none() || line == ours["line"].as_u64();
    // Errors without an issue are those that upstream's catalog makes.
    let same_issue = match theirs["issue"].as_str() {
        Some(issue) => ours["issue"] == issue,
        None => ours["issue"].is_null() || ours["issue"] == "RUNTIME_ERROR",
    };
    if same_issue && same_line {
        return Vec::new();
    }
    vec![format!("theirs {}\n    ours {}", error(theirs), error(ours))]
}

/// The line that a message ends with: `… (file: F, line: 3) on node n`.
fn line_in(message: &str) -> Option<u64> {
    let (_, rest) = message.rsplit_once("line: ")?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    rest[..digits].parse().ok()
}

fn catalogs(theirs: &Json, ours: &Json) -> Vec<String> {
    let mut out = Vec::new();
    let (left, right) = (resources(theirs), resources(ours));
    for (name, resource) in &left {
        match right.get(name) {
            None => out.push(format!("missing {name}")),
            Some(other) if other != resource => {
                out.push(format!("{name}:\n  theirs {resource}\n    ours {other}"));
            }
            Some(_) => {}
        }
    }
    out.extend(right.keys().filter(|name| !left.contains_key(*name)).map(|n| format!("extra {n}")));
    for key in ["classes", "tags", "edges"] {
        let (left, right) = (set(&theirs[key]), set(&ours[key]));
        out.extend(left.difference(&right).map(|item| format!("{key}: missing {item}")));
        out.extend(right.difference(&left).map(|item| format!("{key}: extra {item}")));
    }
    out
}

fn set(items: &Json) -> BTreeSet<String> {
    let items = items.as_array().into_iter().flatten();
    items
        .map(|item| match item.get("source") {
            Some(source) => format!("{source} -> {}", item["target"]),
            None => item.to_string(),
        })
        .collect()
}

fn resources(catalog: &Json) -> BTreeMap<String, Json> {
    let items = catalog["resources"].as_array().into_iter().flatten();
    items
        .map(|resource| {
            let name = format!("{}[{}]", resource["type"], resource["title"]);
            (name, normal(resource))
        })
        .collect()
}

/// A resource in one form. `kind` is left out, which old releases do not write, and the file
/// `unknown`, which stands for none.
fn normal(resource: &Json) -> Json {
    let mut resource = resource.clone();
    for key in ["tags", "sensitive_parameters"] {
        if let Some(items) = resource[key].as_array_mut() {
            items.sort_by_key(Json::to_string);
        }
    }
    if let Some(object) = resource.as_object_mut() {
        object.retain(|key, value| {
            let empty = value.is_null()
                || value == ""
                || (key == "file" && value == "unknown")
                || value.as_object().is_some_and(serde_json::Map::is_empty)
                || value.as_array().is_some_and(Vec::is_empty);
            key != "kind" && !empty
        });
        object.sort_keys();
        if let Some(parameters) = object.get_mut("parameters").and_then(Json::as_object_mut) {
            parameters.sort_keys();
        }
    }
    resource
}
