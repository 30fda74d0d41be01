//! The manifest of an external kind: the programs of its operations, and their arguments.
//!
//! The format follows the resource manifests of Microsoft DSC 3; members under `ordain` are
//! extensions.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value as Json;

/// The suffixes of manifests.
pub(super) const ENDINGS: [&str; 2] = [".dsc.resource.json", ".ordain.json"];

/// A file that cannot be used as a manifest.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}: {problem}", path.display())]
pub struct ManifestError {
    /// The file or directory.
    pub path: PathBuf,
    /// The message.
    pub problem: String,
}

/// A manifest.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Manifest {
    /// `OWNER[.GROUP][.AREA]/NAME`.
    #[serde(rename = "type")]
    pub(super) name: String,
    #[serde(default)]
    pub(super) description: String,
    pub(super) get: Option<Command>,
    pub(super) set: Option<Command>,
    pub(super) test: Option<Command>,
    pub(super) delete: Option<Command>,
    pub(super) export: Option<Command>,
    #[serde(default)]
    pub(super) exit_codes: BTreeMap<String, String>,
    pub(super) schema: Option<Schema>,
    #[serde(default)]
    pub(super) ordain: OrdainSection,
    /// The directory that the manifest is in.
    #[serde(skip)]
    pub(super) dir: PathBuf,
}

/// A program with its arguments.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Command {
    pub(super) executable: String,
    #[serde(default)]
    pub(super) args: Vec<Argument>,
    pub(super) input: Option<Input>,
    /// The output of `test` and `set`: `state`, or `stateAndDiff`.
    #[serde(rename = "return")]
    pub(super) returns: Option<Returns>,
    /// `set` can make something absent.
    #[serde(default)]
    pub(super) handles_exist: bool,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Argument {
    Text(String),
    #[serde(rename_all = "camelCase")]
    Input {
        json_input_arg: String,
        #[serde(default)]
        mandatory: bool,
    },
}

/// The way in which a program gets the properties.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Input {
    /// As a JSON document on standard input.
    Stdin,
    /// Each as a variable of the environment.
    Env,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Returns {
    State,
    StateAndDiff,
}

/// The JSON Schema of the properties.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Schema {
    Embedded(Json),
    /// A program prints the schema; it is not run here, so any property is accepted.
    Command(IgnoredAny),
}

/// Fields that only Ordain knows.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct OrdainSection {
    /// The property that defaults to the title.
    pub(super) name: Option<String>,
    /// Paths whose changes may indicate a change of the state.
    pub(super) watch: Vec<PathBuf>,
    /// Seconds between two checks, without events.
    pub(super) pause: Option<u64>,
}

impl Manifest {
    fn read(path: &Path) -> Result<Self, ManifestError> {
        let failed = |problem: String| ManifestError { path: path.to_path_buf(), problem };
        let text =
            ordain_source::read_input(path).map_err(|e| failed(format!("cannot be read: {e}")))?;
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text);
        let mut manifest: Self = serde_json::from_slice(text)
            .map_err(|e| failed(format!("is not a valid manifest: {e}")))?;
        let is_word = |part: &str| {
            !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        };
        let is_name = manifest
            .name
            .split_once('/')
            .is_some_and(|(owner, name)| owner.split('.').all(is_word) && is_word(name));
        if !is_name {
            return Err(failed(format!("'{}' is not a type, such as Owner/Name", manifest.name)));
        }
        if manifest.get.is_none() && manifest.test.is_none() {
            return Err(failed("has neither get nor test, so nothing can be compared".into()));
        }
        // Programs are called from elsewhere.
        let whole = std::path::absolute(path).map_err(|e| failed(e.to_string()))?;
        manifest.dir = whole.parent().unwrap_or(Path::new("/")).to_path_buf();
        Ok(manifest)
    }

    /// The name of the kind: the parts of the type in lower case with `::` between them.
    pub(super) fn kind(&self) -> String {
        self.name.to_lowercase().replace(['.', '/'], "::")
    }

    /// Names and descriptions of the properties; `None` if any property is accepted.
    pub(super) fn properties(&self) -> Option<Vec<(String, String)>> {
        let Some(Schema::Embedded(schema)) = &self.schema else { return None };
        let properties = schema.get("properties")?.as_object()?;
        let doc = |property: &Json| {
            let text = property.get("description").or_else(|| property.get("title"));
            text.and_then(Json::as_str).unwrap_or("A property").to_string()
        };
        let open = schema.get("additionalProperties") == Some(&Json::Bool(true));
        (!open).then(|| properties.iter().map(|(name, p)| (name.clone(), doc(p))).collect())
    }
}

/// All manifests of a directory, in the order of their names.
pub(super) fn read_all(dir: &Path) -> Result<Vec<Manifest>, ManifestError> {
    let failed = |e: std::io::Error| ManifestError {
        path: dir.to_path_buf(),
        problem: format!("cannot be listed: {e}"),
    };
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(dir).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if ENDINGS.iter().any(|ending| name.ends_with(ending)) {
            paths.push(path);
        }
    }
    paths.sort();
    paths.iter().map(|path| Manifest::read(path)).collect()
}
