//! Options of a resource for reading its sources.

use ordain_data::Value;
use ordain_functions::checksum::NAMES;
use ordain_graph::Resource;

use crate::kind::params::{reveal, scalar_text};

/// The options of a resource.
pub(super) struct Request {
    /// Whether the content of a directory is included.
    pub(super) recurses: bool,
    /// Whether links are followed.
    pub(super) follow: bool,
    /// The kind of checksum.
    pub(super) checksum: String,
    /// Whether owner, group and mode come from the source.
    pub(super) permissions: bool,
    /// The maximum depth of a recursion.
    pub(super) limit: Option<i64>,
    /// The maximum number of files; 0 warns of many, a negative number never does.
    pub(super) max_files: i64,
    /// Patterns of names that are left out.
    pub(super) ignore: Vec<String>,
}

impl Request {
    /// Reads the attributes.
    ///
    /// # Errors
    /// When one has an invalid value.
    pub(super) fn read(resource: &Resource, checksum: &str) -> Result<Self, String> {
        let checksum = text(resource, "checksum").unwrap_or_else(|| checksum.to_string());
        if !NAMES.contains(&checksum.as_str()) {
            return Err(format!("Unsupported checksum type {checksum}"));
        }
        let follow = match text(resource, "links").as_deref() {
            None | Some("manage" | "ignore") => false,
            Some("follow") => true,
            Some(other) => return Err(format!("links can be manage or follow, not {other}")),
        };
        let permissions = match text(resource, "source_permissions").as_deref() {
            None | Some("ignore") => false,
            Some("use" | "use_when_creating") => true,
            Some(other) => return Err(format!("Unsupported source_permission {other}")),
        };
        let recurse = text(resource, "recurse");
        Ok(Self {
            recurses: matches!(recurse.as_deref(), Some("true" | "remote")),
            follow,
            checksum,
            permissions,
            limit: number(resource, "recurselimit")?,
            max_files: number(resource, "max_files")?.unwrap_or(0),
            ignore: ignored(resource),
        })
    }
}

fn number(resource: &Resource, name: &str) -> Result<Option<i64>, String> {
    let Some(text) = text(resource, name) else { return Ok(None) };
    text.parse().map(Some).map_err(|_| format!("{name} is not a number: {text}"))
}

fn ignored(resource: &Resource) -> Vec<String> {
    match resource.value("ignore").map(|v| reveal(v).0) {
        Some(Value::List(items)) => items.iter().filter_map(scalar_text).collect(),
        Some(value) => scalar_text(value).into_iter().collect(),
        None => Vec::new(),
    }
}

fn text(resource: &Resource, name: &str) -> Option<String> {
    resource.value(name).and_then(|v| scalar_text(reveal(v).0))
}
