//! The process that deploys the resources of a model with the handlers of its modules.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use ordain_functions::base64::{Mode, encode};
use ordain_source::World;
use serde_json::{Map, Value as Json, json};

use super::Python;

/// The module that is built in.
const STD: &str = "std";

/// The description of the process that deploys the resources of a model.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Deployment {
    /// The kinds of the resources, as graphs have them, in lower case.
    pub kinds: BTreeSet<String>,
    /// The interpreters to try before that of the `PATH`.
    pub interpreters: Vec<PathBuf>,
    /// The directories with the Python code of modules.
    pub directories: Vec<PathBuf>,
    /// The agent, the project, its modules, its settings and the contents of files, as the process
    /// gets them.
    pub environment: Map<String, Json>,
    /// Whether settings or contents of files are secrets.
    pub is_secret: bool,
}

impl Python {
    /// The description of the process that deploys the resources of an agent.
    pub fn deployment(
        &self,
        world: &dyn World,
        agent: &str,
        kinds: &BTreeSet<String>,
        files: &HashMap<String, Vec<u8>>,
    ) -> Deployment {
        let text = |path: &Path| full(path).to_string_lossy().into_owned();
        let state = self.state.borrow();
        let mut modules: Map<String, Json> = state
            .modules
            .iter()
            .filter(|module| module.name != STD)
            .map(|module| {
                let said = json!({
                    "directory": text(&module.directory),
                    "python": module.python.as_deref().map(text),
                    "imports": module.imports(world),
                });
                (module.name.clone(), said)
            })
            .collect();
        modules.insert(STD.into(), json!({"directory": null, "python": null, "imports": []}));
        let settings: Map<String, Json> = self
            .setup
            .settings
            .iter()
            .map(|(section, entries)| {
                let entries: Map<String, Json> =
                    entries.iter().map(|(key, value)| (key.clone(), json!(value))).collect();
                (section.clone(), Json::Object(entries))
            })
            .collect();
        let files: Map<String, Json> = files
            .iter()
            .map(|(digest, content)| (digest.clone(), json!(encode(content, Mode::Strict))))
            .collect();
        let mut environment = Map::new();
        environment.insert("agent".into(), json!(agent));
        environment.insert("files".into(), Json::Object(files));
        environment.insert("project".into(), json!(text(&self.setup.project)));
        environment.insert("name".into(), json!(self.setup.name));
        environment.insert("modules".into(), Json::Object(modules));
        let modulepath: Vec<String> = self.setup.modulepath.iter().map(|path| text(path)).collect();
        environment.insert("modulepath".into(), json!(modulepath));
        environment.insert("settings".into(), Json::Object(settings));
        let python = state.modules.iter().filter_map(|module| module.python.as_deref());
        Deployment {
            kinds: kinds.clone(),
            interpreters: self.setup.interpreters.clone(),
            directories: python.map(full).collect(),
            environment,
            is_secret: false,
        }
    }
}

/// A path that does not depend on the working directory.
fn full(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}
