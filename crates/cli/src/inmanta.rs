//! Models of Inmanta for the verbs.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ordain_inmanta::project::Project;
use ordain_inmanta::session::{self, Outcome, Request};
use ordain_inmanta::{diagnose, export, output};
use ordain_source::limits::on_deep_stack;
use ordain_source::{Diagnostic, EntryKind, HostWorld, SourceMap, World};
use serde_json::{Map, Value as Json, json};

use crate::codes;
use crate::exit::{Exit, Failure};
use crate::ui::Ui;

/// The stack that a run may use, in bytes.
const STACK: usize = 256 << 20;

/// What is printed of a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Variables, instances, output, warnings and resources, or the error.
    Model,
    /// The resources alone, as `inmanta export -j` writes them.
    Resources,
}

/// What is compiled.
pub struct Model<'a> {
    /// A file, or the directory of a project with its `main.cf`.
    pub path: &'a Path,
    /// Whether `std` is imported everywhere.
    pub has_std: bool,
    /// Further directories of modules.
    pub modulepath: Vec<PathBuf>,
}

/// Whether what stands at a path is a model of Inmanta.
pub fn is_model(path: &Path) -> bool {
    let world = HostWorld::new();
    match world.kind(path) {
        Some(EntryKind::Directory) => {
            let has = |name: &str| world.kind(&path.join(name)) == Some(EntryKind::File);
            has("project.yml") || has("main.cf")
        }
        _ => path.extension().is_some_and(|e| e == "cf"),
    }
}

/// Compiles a model and prints it; what is wrong is shown.
///
/// # Errors
/// When the model cannot be read, has errors, or the output cannot be written.
pub fn compile(ui: &mut Ui, model: &Model<'_>, form: Form) -> Result<Exit, Failure> {
    let sources = SourceMap::new();
    let ran = on_deep_stack(STACK, || run(model, form, &sources))?;
    let has_failed = ran.has_failed;
    ui.diagnostics(ran.diagnostics, &sources);
    if let Some(text) = ran.text {
        writeln!(ui.out(), "{text}")?;
    }
    Ok(if has_failed { Exit::Failed } else { Exit::Done })
}

/// What came of a run.
struct Ran {
    /// What is printed.
    text: Option<String>,
    diagnostics: Vec<Diagnostic>,
    has_failed: bool,
}

fn run(model: &Model<'_>, form: Form, sources: &SourceMap) -> Result<Ran, Diagnostic> {
    let world = HostWorld::new();
    let is_directory = world.kind(model.path) == Some(EntryKind::Directory);
    let main = if is_directory { model.path.join("main.cf") } else { model.path.to_path_buf() };
    let bytes = world
        .read(&main)
        .map_err(|error| codes::io(&format!("cannot read {}", main.display()), &error))?;
    let text: Arc<str> = String::from_utf8(bytes)
        .map_err(|_| codes::io(&format!("cannot read {}", main.display()), &"it is not UTF-8"))?
        .into();
    let directory = main.parent().filter(|dir| !dir.as_os_str().is_empty());
    let directory = directory.unwrap_or(Path::new(".")).to_path_buf();
    let mut request = Request::new(&world, sources, &directory, &main, text);
    if world.kind(&directory.join("project.yml")).is_some() {
        let project = Project::read(&world, &directory)
            .map_err(|error| Diagnostic::error(codes::FILE, error.message.clone()))?;
        request.modulepath = project.modulepath;
        request.precedence = project.precedence;
    }
    request.modulepath.extend(model.modulepath.iter().cloned());
    request.autostd = model.has_std;
    finished(session::compile(request), form, sources)
}

fn finished(mut outcome: Outcome<'_>, form: Form, sources: &SourceMap) -> Result<Ran, Diagnostic> {
    let mut diagnostics = Vec::new();
    let mut further = Map::new();
    if let Some(error) = &outcome.error {
        diagnostics.extend(diagnose::errors(error, sources));
    } else {
        match outcome.export() {
            Ok(exported) => {
                further.insert("resources".into(), exported.resources.into());
            }
            Err(error) => {
                further.insert("export_error".into(), json!({"msg": error.message}));
                diagnostics.extend(diagnose::errors(&error, sources));
            }
        }
    }
    let has_failed = !diagnostics.is_empty();
    diagnostics.extend(outcome.warnings().iter().map(|w| diagnose::warning(w, sources)));
    diagnostics.extend(outcome.doubts.iter().map(|d| diagnose::doubt(d, sources)));
    let text = match form {
        Form::Model => {
            let text = output::text(&outcome, &further);
            Some(text.map_err(|error| codes::io("cannot write the model", &error))?)
        }
        Form::Resources => {
            let resources = further.get("resources").and_then(Json::as_array);
            resources.filter(|_| !has_failed).map(|resources| export::text(resources))
        }
    };
    if !outcome.python.is_used() {
        // The process ends here, and the system takes all memory back at once.
        std::mem::forget(outcome);
    }
    Ok(Ran { text, diagnostics, has_failed })
}
