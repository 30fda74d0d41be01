//! The process that deploys the resources of a model with the handlers of its modules.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use ordain_source::World;
use serde_json::{Map, Value as Json, json};

use super::Python;

/// The module that is built in.
const STD: &str = "std";

/// The description of the process that deploys the resources of a model.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Deployment {
    /// The agent whose resources are deployed.
    pub agent: String,
    /// The interpreters to try before that of the `PATH`.
    pub interpreters: Vec<PathBuf>,
    /// The project, its modules and its settings, as the process gets them.
    pub project: Map<String, Json>,
    /// The contents of files by their digests, which handlers ask for.
    pub files: HashMap<String, Vec<u8>>,
}

impl Python {
    /// The description of the process that deploys the resources of an agent.
    pub fn deployment(
        &self,
        world: &dyn World,
        agent: &str,
        files: HashMap<String, Vec<u8>>,
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
        let mut project = Map::new();
        project.insert("project".into(), json!(text(&self.setup.project)));
        project.insert("name".into(), json!(self.setup.name));
        project.insert("modules".into(), Json::Object(modules));
        let modulepath: Vec<String> = self.setup.modulepath.iter().map(|path| text(path)).collect();
        project.insert("modulepath".into(), json!(modulepath));
        project.insert("settings".into(), Json::Object(settings));
        let interpreters = self.setup.interpreters.clone();
        Deployment { agent: agent.to_owned(), interpreters, project, files }
    }
}

/// A path that does not depend on the working directory.
fn full(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}
