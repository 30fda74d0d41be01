//! The kinds of modules in a saved plan: everything that their provider processes get at their start,
//! and digests of the code that they would run.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ordain_data::{Value, json};
use ordain_functions::digest::{sha256, sha256_bytes};
use ordain_inmanta::python::Deployment;
use ordain_source::TouchedPaths;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::handler_kinds::HandlerKinds;
use crate::module_kinds::{ModuleKinds, library_files};

/// The members of a description that may have secrets: settings of a project, contents of files.
const PROJECT_MEMBERS: [&str; 2] = ["settings", "files"];

/// The kinds of a plan that was loaded.
#[derive(Default)]
pub(crate) struct SavedKinds {
    pub(crate) ruby: Option<ModuleKinds>,
    pub(crate) handlers: Vec<HandlerKinds>,
    pub(crate) code: SavedCode,
}

/// Digests of the code of modules, by directory.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub(crate) struct SavedCode {
    ruby: BTreeMap<PathBuf, String>,
    python: BTreeMap<PathBuf, String>,
}

/// The kinds of the handlers of a model, without the members that may have secrets.
#[derive(Serialize, Deserialize)]
struct SavedHandlers {
    kinds: BTreeSet<String>,
    interpreters: Vec<PathBuf>,
    directories: Vec<PathBuf>,
    environment: Map<String, Json>,
}

impl SavedCode {
    fn of(ruby: Option<&ModuleKinds>, handlers: &[Arc<HandlerKinds>]) -> Self {
        let ruby = ruby.map(ModuleKinds::library_dirs).unwrap_or_default();
        let python = handlers.iter().flat_map(|kinds| kinds.deployment().directories.clone());
        let digests = |dirs: &mut dyn Iterator<Item = PathBuf>, extension| {
            dirs.map(|dir| (dir.clone(), digest(&dir, extension))).collect()
        };
        Self {
            ruby: digests(&mut ruby.into_iter(), "rb"),
            python: digests(&mut python.into_iter(), "py"),
        }
    }

    /// The directories whose code is not that of the plan any more.
    pub(crate) fn changed(&self) -> Vec<PathBuf> {
        let changed = |dirs: &BTreeMap<PathBuf, String>, extension| {
            let other = |(dir, saved): &(&PathBuf, &String)| digest(dir, extension) != **saved;
            dirs.iter().filter(other).map(|(dir, _)| dir.clone()).collect::<Vec<_>>()
        };
        [changed(&self.ruby, "rb"), changed(&self.python, "py")].concat()
    }
}

/// The digest of the names and contents of all files with an extension below a directory.
fn digest(dir: &Path, extension: &str) -> String {
    let files =
        library_files(std::iter::once(dir.to_path_buf()), extension, &TouchedPaths::default());
    let mut all = Vec::new();
    for path in files.keys() {
        let name = path.strip_prefix(dir).unwrap_or(path);
        // A file that cannot be read is like one that does not exist, for the process as well.
        let Ok(content) = std::fs::read(path) else { continue };
        all.extend(sha256_bytes(name.as_os_str().as_encoded_bytes()));
        all.extend(sha256_bytes(&content));
    }
    sha256(&all)
}

/// The description of kinds for a plan; null if there are none.
///
/// # Errors
/// When a path is not valid UTF-8.
pub(crate) fn save(
    ruby: Option<&ModuleKinds>,
    handlers: &[Arc<HandlerKinds>],
) -> io::Result<Value> {
    if ruby.is_none() && handlers.is_empty() {
        return Ok(Value::Null);
    }
    let mut members = vec![("code", value(&SavedCode::of(ruby, handlers))?)];
    if let Some(kinds) = ruby {
        members.push(("types", value(&kinds.saved())?));
        members.push(("facts", kinds.facts().clone()));
    }
    let handlers = handlers.iter().map(|kinds| saved_handlers(kinds.deployment()));
    members.push(("handlers", Value::list(handlers.collect::<io::Result<Vec<_>>>()?)));
    Ok(Value::map(members))
}

fn saved_handlers(deployment: &Deployment) -> io::Result<Value> {
    let mut environment = deployment.environment.clone();
    let project: Map<String, Json> =
        PROJECT_MEMBERS.iter().filter_map(|name| environment.remove_entry(*name)).collect();
    let Deployment { kinds, interpreters, directories, is_secret, .. } = deployment;
    let (kinds, interpreters) = (kinds.clone(), interpreters.clone());
    let directories = directories.clone();
    let handlers = value(&SavedHandlers { kinds, interpreters, directories, environment })?;
    let project = match value(&project)? {
        project if *is_secret => Value::Secret(Arc::new(project)),
        project => project,
    };
    Ok(Value::map([("handlers", handlers), ("project", project)]))
}

/// Reads the description of the kinds of a plan.
///
/// # Errors
/// When a member is missing or has another form.
pub(crate) fn load(saved: &Value) -> Result<SavedKinds, serde_json::Error> {
    if saved.is_null() {
        return Ok(SavedKinds::default());
    }
    let code = read(saved.get("code"))?;
    let ruby = saved.get("types").map(|types| -> Result<ModuleKinds, serde_json::Error> {
        let facts = saved.get("facts").cloned().unwrap_or_default();
        Ok(ModuleKinds::of_saved(read(Some(types))?, facts))
    });
    let handlers = saved.get("handlers").and_then(Value::as_list).unwrap_or_default();
    let handlers = handlers.iter().map(loaded_handlers).collect::<Result<Vec<_>, _>>()?;
    Ok(SavedKinds { ruby: ruby.transpose()?, handlers, code })
}

fn loaded_handlers(saved: &Value) -> Result<HandlerKinds, serde_json::Error> {
    let SavedHandlers { kinds, interpreters, directories, mut environment } =
        read(saved.get("handlers"))?;
    let project = saved.get("project");
    let (project, is_secret) = match project {
        Some(Value::Secret(inner)) => (Some(&**inner), true),
        other => (other, false),
    };
    environment.extend(read::<Map<String, Json>>(project)?);
    let deployment = Deployment { kinds, interpreters, directories, environment, is_secret };
    Ok(HandlerKinds::new(deployment, &TouchedPaths::default()))
}

fn value(of: &impl Serialize) -> io::Result<Value> {
    let text = serde_json::to_string(of)?;
    json::read(&text).map_err(|error| io::Error::other(error.to_string()))
}

fn read<T: DeserializeOwned>(from: Option<&Value>) -> Result<T, serde_json::Error> {
    serde_json::from_str(&from.map(json::compact).unwrap_or_default())
}
