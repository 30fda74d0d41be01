//! Saved plans: the graph and the observations of the plan.
//!
//! A saved plan is applied only if the machine has not changed: a new plan must have the same
//! result for every resource. It is applied only on the same machine and unedited: its last member
//! is a digest of all others under the machine key. The format is described in `docs/formats.md`.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use ordain_data::Value;
use ordain_functions::digest::{hex, is_equal};
use ordain_functions::pbkdf2::hmac_sha256;
use ordain_graph::json::{ReadError, Secrets, is_omitted, read, read_value, write, write_value};
use ordain_graph::{Graph, ResourceRef};
use ordain_source::{FileId, SourceMap};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use sha2::{Digest, Sha256};

use crate::kind::report::Status;
use crate::kind::{Action, Change};
use crate::run::plan::{Entry, Plan};
use crate::run::prepare::Options;

/// The name in the `format` member of a document.
pub const FORMAT: &str = "ordain-plan";

/// The version that is written, and the newest that is read.
pub const VERSION: u64 = 1;

#[derive(Serialize, Deserialize)]
struct Document {
    format: String,
    version: u64,
    options: Selection,
    #[serde(default = "top")]
    root: PathBuf,
    #[serde(default)]
    modules: BTreeMap<String, PathBuf>,
    #[serde(default, skip_serializing_if = "Json::is_null")]
    providers: Json,
    resources: Vec<SavedEntry>,
    graph: Json,
}

fn top() -> PathBuf {
    "/".into()
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
struct SavedEntry {
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
    /// The options of the plan, without the number of jobs.
    pub options: Options,
    /// The directory that stands for the file system of the machine.
    pub root: PathBuf,
    /// The directories of modules, by name.
    pub modules: BTreeMap<String, PathBuf>,
    /// The description of provider processes; null without them.
    pub providers: Value,
    observed: Vec<(String, String)>,
    /// A digest of the document without its signature.
    body: [u8; 32],
    /// The digest that the document ends with.
    signature: Option<Signature>,
}

/// The reason why a saved plan is not applied.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refusal {
    /// It has no digest.
    #[error("the plan has no digest: it was not saved by `ordain plan --out`, or was edited")]
    Unsigned,
    /// Its digest was made with another key.
    #[error("the plan was made elsewhere: it is signed with another key than that of {}", .0.display())]
    Foreign(PathBuf),
    /// Its digest is not that of its content.
    #[error("the plan was edited after it was saved: its signature does not match")]
    Edited,
    /// It was made for another root.
    #[error("the plan was made with --root {}", .0.display())]
    Root(PathBuf),
    /// A secret that is needed was not saved.
    #[error("the plan was saved without its secrets, and {0} has one")]
    Omitted(String),
    /// The code that would run is not that of the plan.
    #[error("the code of modules has changed since the plan was made: {}", .0.join(", "))]
    Code(Vec<String>),
    /// The machine is not as it was.
    #[error("the machine has changed since the plan was made: {}", .0.join(", "))]
    Moved(Vec<String>),
}

/// The context in which a plan is saved.
#[derive(Debug)]
pub struct SaveContext<'a> {
    /// The graph.
    pub graph: &'a Graph,
    /// The texts that it was compiled from.
    pub sources: &'a SourceMap,
    /// The options of the plan.
    pub options: &'a Options,
    /// The directory that stands for the file system of the machine, as an absolute path.
    pub root: &'a Path,
    /// The directories of modules by name.
    pub modules: &'a BTreeMap<String, PathBuf>,
    /// The description of the provider processes of the graph, which only its author reads; null
    /// without them.
    pub providers: &'a Value,
    /// With [`Secrets::Include`] the document holds every secret of the graph in clear text.
    /// Without them, a plan with secrets can be read but not applied.
    pub secrets: Secrets,
    /// The key of the machine. A plan without a signature can be read but not applied.
    pub key: Option<&'a [u8]>,
}

/// Writes a plan with its graph.
///
/// # Errors
/// When `out` cannot be written.
pub fn save(plan: &Plan, saving: &SaveContext<'_>, mut out: impl io::Write) -> io::Result<()> {
    let SaveContext { graph, sources, options, root, modules, providers, secrets, key } = *saving;
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
        root: root.to_path_buf(),
        modules: modules.clone(),
        providers: write_value(providers, secrets),
        resources: plan.entries.iter().map(observed).collect(),
        graph: serde_json::from_slice(&text)?,
    };
    let mut text = serde_json::to_vec(&document)?;
    if let Some(key) = key {
        let signature = Signature::new(key, &Sha256::digest(&text).into());
        text.truncate(text.len() - 1);
        text.extend(signature.ending().bytes());
    }
    text.push(b'\n');
    out.write_all(&text)
}

/// The digest of a plan under the key of a machine.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Signature {
    /// A fingerprint of the key.
    key: String,
    /// The HMAC-SHA256 of the SHA-256 of the document.
    digest: String,
}

/// The text before the digest, which is the last member of a document.
const BEFORE_SIGNATURE: &str = ",\"digest\":\"";

impl Signature {
    fn new(key: &[u8], body: &[u8; 32]) -> Self {
        // One key serves two digests, which must not be confused.
        let name = hmac_sha256(key, b"ordain-plan key");
        let digest = hmac_sha256(key, &[&b"ordain-plan 1"[..], body].concat());
        Self { key: hex(&name[..8]), digest: hex(&digest) }
    }

    /// The end of a document, in place of its last brace.
    fn ending(&self) -> String {
        format!("{BEFORE_SIGNATURE}{}:{}\"}}", self.key, self.digest)
    }

    /// The signed text and its signature. A digest elsewhere or in another notation does not count:
    /// the document was edited.
    fn split(text: &[u8]) -> (Vec<u8>, Option<Self>) {
        let text = text.trim_ascii_end();
        let length = Self { key: "0".repeat(16), digest: "0".repeat(64) }.ending().len();
        let Some((body, ending)) =
            text.len().checked_sub(length).and_then(|at| text.split_at_checked(at))
        else {
            return (text.to_vec(), None);
        };
        let found = std::str::from_utf8(ending).ok().and_then(|ending| {
            let pair = ending.strip_prefix(BEFORE_SIGNATURE)?.strip_suffix("\"}")?;
            let (key, digest) = pair.split_once(':')?;
            (key.len() == 16).then(|| Self { key: key.into(), digest: digest.into() })
        });
        match found {
            Some(signature) => ([body, b"}"].concat(), Some(signature)),
            None => (text.to_vec(), None),
        }
    }

    /// Compares in constant time.
    fn is(&self, other: &Self) -> bool {
        self.key == other.key && is_equal(&self.digest, &other.digest)
    }
}

/// The kind and the title of a target.
fn target(name: &ResourceRef) -> (String, String) {
    (name.kind.to_string(), name.title.to_string())
}

fn observed(entry: &Entry) -> SavedEntry {
    let report = &entry.report;
    SavedEntry {
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

/// A change as JSON, with secrets redacted.
pub fn change_json(change: &Change) -> Json {
    serde_json::json!({
        "action": action_name(change.action),
        "property": change.property,
        "before": write_value(&change.before, Secrets::Omit),
        "after": write_value(&change.after, Secrets::Omit),
    })
}

/// A digest of the observations without secrets, because a digest of a short secret would reveal
/// it.
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
    /// When the text is no plan, or has a newer version.
    pub fn load(text: &[u8], file: &dyn Fn(&Path) -> Option<FileId>) -> Result<Self, ReadError> {
        let (signed, signature) = Signature::split(text);
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
            options: Options {
                noop,
                tags,
                skip_tags,
                targets,
                jobs: 1,
                autogroup,
                autoedges,
                crashes: Vec::new(),
            },
            root: document.root,
            modules: document.modules,
            providers: read_value(&document.providers)?,
            observed: observed.collect(),
            body: Sha256::digest(&signed).into(),
            signature,
        })
    }

    /// Checks that the plan is unedited, signed with this key, and for a machine with this absolute
    /// root path. `key_of` is the origin of the key.
    ///
    /// # Errors
    /// The reason why it must not be applied.
    pub fn verify(&self, key: &[u8], key_of: &Path, root: &Path) -> Result<(), Refusal> {
        let signature = self.signature.as_ref().ok_or(Refusal::Unsigned)?;
        let wanted = Signature::new(key, &self.body);
        if signature.key != wanted.key {
            return Err(Refusal::Foreign(key_of.to_path_buf()));
        }
        if !signature.is(&wanted) {
            return Err(Refusal::Edited);
        }
        if self.root != root {
            return Err(Refusal::Root(self.root.clone()));
        }
        Ok(())
    }

    /// Compares it with a new plan of the same graph.
    ///
    /// # Errors
    /// The reason why it must not be applied.
    pub fn check(&self, now: &Plan) -> Result<(), Refusal> {
        for (_, resource) in self.graph.resources() {
            if !resource.is_virtual && resource.attributes.iter().any(|a| holds_omitted(&a.value)) {
                return Err(Refusal::Omitted(resource.id.to_string()));
            }
        }
        if holds_omitted(&self.providers) {
            return Err(Refusal::Omitted("the project of its handlers".into()));
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

/// Whether a value contains a secret that was omitted when it was saved.
pub fn holds_omitted(value: &Value) -> bool {
    omitted(value, 0)
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
