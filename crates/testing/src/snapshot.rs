//! Graphs as texts that a person can read, and that change in few lines when the graph does.

use std::fmt::Write;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use ordain_data::{Value, json};
use ordain_graph::{EdgeKind, Graph};

use crate::matches::text_diff;

/// The directory of snapshots, beside the test file.
const DIRECTORY: &str = "snapshots";

/// The file of a snapshot. `label` has the values of the matrix.
pub(crate) fn path(test_file: &Path, name: &str, label: &str) -> PathBuf {
    let safe = |c: char| if c.is_alphanumeric() || c == '.' { c } else { '-' };
    let label: String = label.chars().map(safe).collect();
    let name = if label.is_empty() { name.to_owned() } else { format!("{name}.{label}") };
    test_file.parent().unwrap_or(Path::new("")).join(DIRECTORY).join(format!("{name}.txt"))
}

/// Compares a text with a snapshot, or writes the snapshot. Returns the difference.
///
/// # Errors
/// When the file cannot be written.
pub(crate) fn compare(path: &Path, text: &str, blesses: bool) -> io::Result<Option<String>> {
    let known = fs::read_to_string(path);
    if blesses {
        if known.as_ref().is_ok_and(|known| known == text) {
            return Ok(None);
        }
        if let Some(dir) = path.parent() {
            fs::create_dir_all(dir)?;
        }
        fs::write(path, text)?;
        return Ok(None);
    }
    Ok(match known {
        Ok(known) if known == text => None,
        Ok(known) => Some(format!("{} differs\n{}", path.display(), text_diff(&known, text))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Some(format!("{} does not exist; --bless writes it", path.display()))
        }
        Err(error) => Some(format!("{}: {error}", path.display())),
    })
}

/// Containers that each catalog has.
const GENERAL: [&str; 3] = ["Class[main]", "Class[Settings]", "Stage[main]"];

/// A graph as a text: resources by name with their attributes, then their relations. Secrets and
/// the containers of every catalog are left out.
pub(crate) fn graph_text(graph: &Graph) -> String {
    let mut resources: Vec<_> = graph.resources().filter(|(_, r)| !r.is_virtual).collect();
    resources.sort_by(|a, b| a.1.id.cmp(&b.1.id));
    let mut out = String::new();
    for (_, resource) in resources {
        if GENERAL.contains(&resource.id.to_string().as_str()) {
            continue;
        }
        let flag = if resource.exported { " (exported)" } else { "" };
        let _ = writeln!(out, "{}{flag}", resource.id);
        let mut attributes: Vec<_> = resource.attributes.iter().collect();
        attributes.sort_by(|a, b| a.name.cmp(&b.name));
        for attribute in attributes {
            write_value(&mut out, &attribute.name, &attribute.value);
        }
    }
    let mut relations: Vec<String> = graph
        .edges
        .iter()
        .chain(&graph.barriers.iter().flat_map(|b| b.edges()).collect::<Vec<_>>())
        .map(|edge| {
            let arrow = if edge.kind == EdgeKind::Notify { "~>" } else { "->" };
            let (from, to) = (graph.resource(edge.from), graph.resource(edge.to));
            format!("{} {arrow} {}\n", from.id, to.id)
        })
        .collect();
    relations.sort();
    relations.dedup();
    if !relations.is_empty() {
        out.push('\n');
        out.extend(relations);
    }
    out
}

fn write_value(out: &mut String, name: &str, value: &Value) {
    if value.holds_secret() {
        let _ = writeln!(out, "  {name}: (secret)");
        return;
    }
    match value.as_str() {
        Some(text) if text.contains('\n') => {
            let _ = writeln!(out, "  {name}:");
            for line in text.lines() {
                let _ = writeln!(out, "    |{line}");
            }
            if !text.ends_with('\n') {
                let _ = writeln!(out, "    (no line break at the end)");
            }
        }
        _ => {
            let _ = writeln!(out, "  {name}: {}", json::compact(value));
        }
    }
}
