//! Loads the Python code of modules.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use ecow::EcoString;
use ordain_plugins::Fault;
use ordain_source::World;
use serde_json::{Value as Json, json};

use super::function::{Function, compiler_class};
use super::module::Module;
use super::wire::type_expr;
use super::{COMPILE, Python, declared, warnings};
use crate::diagnostics::{Class, Error, Exception};
use crate::model::identity::Identity;
use crate::model::plugin::Plugin;
use crate::model::program::PythonClass;

/// The error that Python code cannot be loaded.
#[derive(Debug)]
pub struct LoadError {
    /// The error.
    pub error: Box<Error>,
    /// The file and the line in the Python code, if they are known.
    pub place: Option<(PathBuf, u32)>,
}

impl From<Box<Error>> for LoadError {
    fn from(error: Box<Error>) -> Self {
        Self { error, place: None }
    }
}

impl Python {
    /// Loads the Python code of modules in order, and returns their plugins.
    ///
    /// # Errors
    /// If there is no Python, or a file cannot be imported.
    pub fn load(
        self: &Rc<Self>,
        world: &dyn World,
        modules: &[Module],
    ) -> Result<Vec<Rc<dyn Plugin>>, LoadError> {
        self.state.borrow_mut().modules = modules.to_vec();
        let with_code: Vec<(&Module, Vec<String>)> = modules
            .iter()
            .filter(|module| module.name != "std")
            .map(|module| (module, module.imports(world)))
            .filter(|(_, imports)| !imports.is_empty())
            .collect();
        let Some((first, _)) = with_code.first() else { return Ok(Vec::new()) };
        if !world.runs_processes() {
            return Ok(with_code.iter().flat_map(|(m, _)| declared::plugins(world, m)).collect());
        }
        let mut session =
            self.host.session(world, COMPILE).map_err(|fault| missing(&fault, &first.name))?;
        let mut state = self.state.borrow_mut();
        if !state.is_started {
            session.is_new_for(COMPILE);
            self.talk(&mut session, &self.start_message(modules)).map_err(|f| lost(&f))?;
            state.is_started = true;
        }
        state.has_modules = true;
        let known: serde_json::Map<String, Json> = modules
            .iter()
            .map(|module| (module.name.clone(), json!(module.directory.to_string_lossy())))
            .collect();
        let list: Vec<Json> = with_code
            .iter()
            .map(|(module, imports)| {
                json!({
                    "name": module.name,
                    "directory": module.python.as_ref().map(|path| path.to_string_lossy()),
                    "imports": imports,
                })
            })
            .collect();
        let message = json!({"do": "load", "known": known, "modules": list});
        let answer = self.talk(&mut session, &message).map_err(|fault| lost(&fault))?;
        state.printed.push_str(answer["out"].as_str().unwrap_or_default());
        if let Some(failure) = answer["failures"].get(0) {
            return Err(load_error(failure));
        }
        if let Some(error) = answer.get("error") {
            return Err(not_declared(error).into());
        }
        state.warnings.extend(warnings(&answer));
        let names = answer["resources"].as_array().into_iter().flatten();
        state.resources = names.filter_map(|name| name.as_str().map(str::to_owned)).collect();
        let identities = answer["identities"].as_array().into_iter().flatten();
        state.identities = identities.map(identity).collect();
        let plugins = answer["plugins"].as_array().map(Vec::as_slice).unwrap_or_default();
        Ok(plugins.iter().map(|description| Function::plugin(self, description)).collect())
    }

    /// The Python classes with the names of entities.
    ///
    /// # Errors
    /// If there is no such Python module, or if it cannot be imported.
    pub fn classes(
        &self,
        world: &dyn World,
        names: &[&str],
    ) -> Result<Vec<PythonClass>, Box<Error>> {
        // Without Python the classes cannot be checked.
        if names.is_empty() || !world.runs_processes() {
            return Ok(Vec::new());
        }
        if !self.is_used() {
            let module = names[0].split("::").next().unwrap_or_default();
            let text = format!("No module named 'inmanta_plugins.{module}'");
            return Err(Error::python(&Exception::ModuleNotFoundError, text));
        }
        let opened = self.host.session(world, COMPILE);
        let mut session = opened.map_err(|fault| lost(&fault))?;
        let message = json!({"do": "pair", "names": names});
        let answer = self.talk(&mut session, &message).map_err(|fault| lost(&fault))?;
        if let Some(error) = answer.get("error") {
            let class = error["class"].as_str().unwrap_or("Exception");
            return Err(with_trace(Error::python(&Exception::named(class), shown(error)), error));
        }
        self.note_warnings(&answer);
        Ok(answer["classes"].as_array().into_iter().flatten().map(python_class).collect())
    }

    fn start_message(&self, modules: &[Module]) -> Json {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let modules: serde_json::Map<String, Json> = modules
            .iter()
            .map(|module| {
                let python = module.python.as_deref().map(text);
                let description = json!({"directory": text(&module.directory), "python": python});
                (module.name.clone(), description)
            })
            .collect();
        let settings: serde_json::Map<String, Json> = self
            .setup
            .settings
            .iter()
            .map(|(section, entries)| {
                let entries: serde_json::Map<String, Json> =
                    entries.iter().map(|(key, value)| (key.clone(), json!(value))).collect();
                (section.clone(), Json::Object(entries))
            })
            .collect();
        json!({
            "do": "start",
            "project": text(&self.setup.project),
            "name": self.setup.name,
            "modules": modules,
            "modulepath": self.setup.modulepath.iter().map(|path| text(path)).collect::<Vec<_>>(),
            "settings": settings,
        })
    }
}

fn identity(description: &Json) -> Identity {
    let text = |at: usize| description[at].as_str().unwrap_or_default().to_owned();
    Identity { entity: text(0), attribute: text(1), agent: text(2) }
}

fn python_class(description: &Json) -> PythonClass {
    let text = |name: &str| description[name].as_str().unwrap_or_default().to_owned();
    let field = |pair: &Json| {
        let name = EcoString::from(pair[0].as_str().unwrap_or_default());
        (name, (!pair[1].is_null()).then(|| type_expr(&pair[1])))
    };
    PythonClass {
        module: text("module"),
        name: description["name"].as_str().map(str::to_owned),
        is_dataclass: description["is_dataclass"].as_bool().unwrap_or_default(),
        is_frozen: description["is_frozen"].as_bool().unwrap_or_default(),
        fields: description["fields"].as_array().into_iter().flatten().map(field).collect(),
        comment: description["comment"].as_str().map(str::to_owned),
        file: text("file"),
        line: description["line"].as_u64().unwrap_or_default(),
    }
}

fn lost(fault: &Fault) -> Box<Error> {
    let text = format!("{fault}, while it loaded the Python code of modules");
    let mut error = Error::new(Class::Compiler, text);
    let help = "it has to be a Python 3.9 or later; ORDAIN_PYTHON names another one";
    error.background.get_or_insert_default().help.push(help.into());
    error
}

fn missing(fault: &Fault, module: &str) -> Box<Error> {
    let mut error =
        Error::new(Class::Compiler, format!("module {module} has Python code, but {fault}"));
    if let Some(help) = fault.help() {
        error.background.get_or_insert_default().help.push(help.to_owned());
    }
    error
}

/// An exception as Python prints it.
fn shown(error: &Json) -> String {
    error["text"].as_str().unwrap_or_default().to_owned()
}

fn load_error(failure: &Json) -> LoadError {
    let text = |name: &str| failure[name].as_str().unwrap_or_default();
    let error = &failure["error"];
    let message = format!(
        "Unable to load all plug-ins for module {}:\n\t{} while loading plugin module {}: {}",
        text("module"),
        error["class"].as_str().unwrap_or("Exception"),
        text("name"),
        shown(error),
    );
    let line = failure["line"].as_u64().unwrap_or_default() as u32;
    let place = failure["file"].as_str().map(|file| (PathBuf::from(file), line));
    LoadError { error: with_trace(Error::new(Class::Compiler, message), error), place }
}

fn not_declared(error: &Json) -> Box<Error> {
    let class = error["class"].as_str().unwrap_or_default();
    let made = match error["kind"].as_str() {
        Some(_) => Error::new(compiler_class(class), shown(error)),
        None => Error::python(&Exception::named(class), shown(error)),
    };
    with_trace(made, error)
}

/// Adds the place in the Python code to an error.
fn with_trace(mut error: Box<Error>, description: &Json) -> Box<Error> {
    let frames: Vec<&str> =
        description["trace"].as_array().into_iter().flatten().filter_map(Json::as_str).collect();
    if !frames.is_empty() {
        let help = format!("the Python code went through {}", frames.join(", "));
        error.background.get_or_insert_default().help.push(help);
    }
    error
}
