//! Plans kept for later: the graph, and what was observed when the plan was made.
//!
//! A saved plan is applied only while the machine is as it was then: the plan is made anew, and
//! every resource must come out as before. The format is described in `docs/formats.md`.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use ordain_data::Value;
use ordain_graph::json::{ReadError, Secrets, is_omitted, read, write, write_value};
use ordain_graph::{Graph, ResourceRef};
use ordain_source::{FileId, SourceMap};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use sha2::{Digest, Sha256};

use crate::kind::{Action, Change};
use crate::plan::{Entry, Plan};
use crate::prepare::Options;
use crate::report::Status;

/// The name in the `format` member of a document.
pub const FORMAT: &str = "ordain-plan";

/// The version that is written, and the newest that is read.
pub const VERSION: u64 = 1;

#[derive(Serialize, Deserialize)]
struct Document {
    format: String,
    version: u64,
    options: Selection,
    #[serde(default)]
    modules: BTreeMap<String, PathBuf>,
    resources: Vec<Observed>,
    graph: Json,
}

#[derive(Serialize, Deserialize)]
struct Selection {
    noop: bool,
    tags: Vec<String>,
    skip_tags: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    targets: Vec<(String, String)>,
    #[serde(default = "yes")]
    autogroup: bool,
    #[serde(default = "yes")]
    autoedges: bool,
}

fn yes() -> bool {
    true
}

#[derive(Serialize, Deserialize)]
struct Observed {
    resource: String,
    status: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    changes: Vec<Json>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    triggers: Vec<String>,
    fingerprint: String,
}

/// A plan that was read.
#[derive(Debug)]
pub struct SavedPlan {
    /// The graph that is to be applied.
    pub graph: Graph,
    /// What the plan was made with; the number of jobs is not kept.
    pub options: Options,
    /// Where the files of modules are, by the name of the module.
    pub modules: BTreeMap<String, PathBuf>,
    observed: Vec<(String, String)>,
}

/// Why a saved plan is not applied.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refusal {
    /// A secret that is needed was not saved.
    #[error("the plan was saved without its secrets, and {0} has one")]
    Omitted(ResourceRef),
    /// The machine is not as it was.
    #[error("the machine moved since the plan was made: {}", .0.join(", "))]
    Moved(Vec<String>),
}

/// Writes a plan with its graph. With [`Secrets::Include`] the document holds every secret of the
/// graph in clear; without, a plan whose graph has secrets can be read but not applied.
///
/// # Errors
/// When `out` cannot be written.
pub fn save(
    plan: &Plan,
    graph: &Graph,
    sources: &SourceMap,
    options: &Options,
    modules: &BTreeMap<String, PathBuf>,
    secrets: Secrets,
    mut out: impl io::Write,
) -> io::Result<()> {
    let mut text = Vec::new();
    write(graph, sources, secrets, &mut text)?;
    let document = Document {
        format: FORMAT.into(),
        version: VERSION,
        options: Selection {
            noop: options.noop,
            tags: options.tags.clone(),
            skip_tags: options.skip_tags.clone(),
            targets: options.targets.iter().map(target).collect(),
            autogroup: options.autogroup,
            autoedges: options.autoedges,
        },
        modules: modules.clone(),
        resources: plan.entries.iter().map(observed).collect(),
        graph: serde_json::from_slice(&text)?,
    };
    serde_json::to_writer(&mut out, &document)?;
    out.write_all(b"\n")
}

/// The kind and the title of a target.
fn target(name: &ResourceRef) -> (String, String) {
    (name.kind.to_string(), name.title.to_string())
}

fn observed(entry: &Entry) -> Observed {
    let report = &entry.report;
    Observed {
        resource: report.resource.to_string(),
        status: status_name(report.status).into(),
        changes: report.changes.iter().map(change_json).collect(),
        triggers: entry.triggers.iter().map(ToString::to_string).collect(),
        fingerprint: fingerprint(entry),
    }
}

/// The name of a status in documents.
pub fn status_name(status: Status) -> &'static str {
    match status {
        Status::InPlace => "in-place",
        Status::Changed => "changed",
        Status::WouldChange => "would-change",
        Status::Failed => "failed",
        Status::Skipped => "skipped",
        Status::SkippedForFailure => "skipped-for-failure",
        Status::Filtered => "filtered",
        Status::Stopped => "stopped",
    }
}

/// The name of an action in documents.
pub fn action_name(action: Action) -> &'static str {
    match action {
        Action::Create => "create",
        Action::Modify => "modify",
        Action::Remove => "remove",
        Action::Run => "run",
    }
}

/// A change as JSON, without what secrets hold.
pub fn change_json(change: &Change) -> Json {
    serde_json::json!({
        "action": action_name(change.action),
        "property": change.property,
        "before": write_value(&change.before, Secrets::Omit),
        "after": write_value(&change.after, Secrets::Omit),
    })
}

/// A digest of what was observed. Secrets do not go into it: a digest of a short secret would give
/// it away.
fn fingerprint(entry: &Entry) -> String {
    let report = &entry.report;
    let mut hasher = Sha256::new();
    hasher.update(status_name(report.status));
    for change in &report.changes {
        hasher.update([0]);
        hasher.update(change_json(change).to_string());
    }
    if report.status == Status::Failed {
        for line in &report.lines {
            hasher.update([1]);
            hasher.update(&line.message);
        }
    }
    hasher.finalize().iter().take(16).map(|b| format!("{b:02x}")).collect()
}

impl SavedPlan {
    /// Reads a plan; `file` as for [`read`].
    ///
    /// # Errors
    /// When the text is no plan, or of a newer version.
    pub fn load(text: &[u8], file: &dyn Fn(&Path) -> Option<FileId>) -> Result<Self, ReadError> {
        let document: Document = serde_json::from_slice(text)?;
        if document.format != FORMAT {
            return Err(ReadError::new(format!("format `{}` is not `{FORMAT}`", document.format)));
        }
        if document.version > VERSION {
            let text = format!("version {} is newer than {VERSION}", document.version);
            return Err(ReadError::new(text));
        }
        let Selection { noop, tags, skip_tags, targets, autogroup, autoedges } = document.options;
        let targets = targets.into_iter();
        let targets =
            targets.map(|(kind, title)| ResourceRef { kind: kind.into(), title: title.into() });
        let targets = targets.collect();
        let observed = document.resources.into_iter().map(|r| (r.resource, r.fingerprint));
        Ok(Self {
            graph: read(&serde_json::to_vec(&document.graph)?, file)?,
            options: Options { noop, tags, skip_tags, targets, jobs: 1, autogroup, autoedges },
            modules: document.modules,
            observed: observed.collect(),
        })
    }

    /// Compares with a plan that was made of the same graph now.
    ///
    /// # Errors
    /// Why it must not be applied.
    pub fn check(&self, now: &Plan) -> Result<(), Refusal> {
        for (_, resource) in self.graph.resources() {
            if !resource.is_virtual && resource.attributes.iter().any(|a| omitted(&a.value, 0)) {
                return Err(Refusal::Omitted(resource.id.clone()));
            }
        }
        let now: Vec<_> =
            now.entries.iter().map(|e| (e.report.resource.to_string(), fingerprint(e))).collect();
        let then: BTreeMap<_, _> = self.observed.iter().cloned().collect();
        let mut moved: Vec<String> = Vec::new();
        for (name, print) in &now {
            if then.get(name) != Some(print) {
                moved.push(name.clone());
            }
        }
        let names: std::collections::BTreeSet<_> = now.iter().map(|(name, _)| name).collect();
        moved.extend(then.keys().filter(|name| !names.contains(name)).cloned());
        if moved.is_empty() { Ok(()) } else { Err(Refusal::Moved(moved)) }
    }
}

fn omitted(value: &Value, depth: usize) -> bool {
    is_omitted(value)
        || depth < 64
            && match value {
                Value::List(items) => items.iter().any(|v| omitted(v, depth + 1)),
                Value::Map(map) => map.values().any(|v| omitted(v, depth + 1)),
                _ => false,
            }
}
