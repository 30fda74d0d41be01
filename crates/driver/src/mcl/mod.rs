//! Programs of mgmt's mcl.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use ecow::EcoString;
use ordain_engine::cluster::Cluster;
use ordain_engine::kinds::package::contents;
use ordain_graph::Graph;
use ordain_graph::explain::Explanation;
use ordain_mcl::Edition;
use ordain_mcl::functions::environment::{Environment, Shared};
use ordain_mcl::graph::outline::Outline;
use ordain_mcl::session::{self, Compiled, Input};
use ordain_mcl::{explain, lower};
use ordain_source::{Diagnostic, EntryKind, SourceMap, World, suggest};

use crate::codes;
use crate::error::Error;
use crate::options::Options;
use crate::reporter::Reporter;
use crate::shared_store::report_outage;

mod commands;
mod live;
mod shared;

pub use live::LiveProgram;
pub use shared::PendingExports;

/// This machine as the functions of a program see it.
pub struct Machine {
    world: Arc<dyn World>,
    shared: shared::SharedState,
    commands: commands::Commands,
    root: Option<PathBuf>,
    hostname: Option<EcoString>,
    /// The root directory of the machine, if the graph is for a machine.
    machine: Option<PathBuf>,
    scratch: Scratch,
}

/// The state directory of programs, relative to the root of the machine.
const STATE_DIRECTORY: &str = "var/lib/ordain/mcl";

/// A temporary directory for a compile that is for no machine. It is created on first use.
#[derive(Default)]
struct Scratch(OnceLock<Option<PathBuf>>);

impl Scratch {
    fn path(&self, world: &dyn World) -> Option<PathBuf> {
        let made = || {
            let path = std::env::temp_dir().join(format!("ordain-mcl-{:016x}", world.random()));
            world.make_directory(&path, 0o700).ok().map(|()| path)
        };
        self.0.get_or_init(made).clone()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Some(Some(path)) = self.0.get() {
            // A file that is gone already needs no removal.
            let _ = std::fs::remove_dir_all(path);
        }
    }
}

impl Environment for Machine {
    fn world(&self) -> &dyn World {
        self.world.as_ref()
    }

    fn hostname(&self) -> EcoString {
        let own = || rustix::system::uname().nodename().to_string_lossy().as_ref().into();
        self.hostname.clone().unwrap_or_else(own)
    }

    fn shared(&self) -> &dyn Shared {
        &self.shared
    }

    fn line(&self, command: &str) -> Result<Option<EcoString>, EcoString> {
        self.commands.line(command)
    }

    fn deploy_root(&self) -> Option<PathBuf> {
        self.root.clone()
    }

    fn packages(&self, names: &[&str]) -> BTreeMap<String, Vec<String>> {
        // A plain compile must give the same result on every machine.
        if self.machine.is_some() { contents(self.shared.host(), names) } else { BTreeMap::new() }
    }

    fn state_directory(&self) -> Option<PathBuf> {
        match &self.machine {
            Some(machine) => Some(machine.join(STATE_DIRECTORY)),
            None => self.scratch.path(self.world.as_ref()),
        }
    }
}

/// Whether the path is a program of mgmt.
pub fn is_program(world: &dyn World, path: &Path) -> bool {
    match world.kind(path) {
        Some(EntryKind::Directory) => {
            let has = |name: &str| world.kind(&path.join(name)) == Some(EntryKind::File);
            has("main.mcl") || has("metadata.yaml")
        }
        _ => {
            path.extension().is_some_and(|e| e == "mcl")
                || path.file_name().is_some_and(|name| name == "metadata.yaml")
        }
    }
}

/// A program to compile, and the options.
pub struct Request<'a> {
    /// A file or a directory.
    pub path: &'a Path,
    /// The edition of mcl.
    pub edition: Edition,
    /// The directory of imported modules.
    pub module_path: Option<PathBuf>,
    /// The name of the host; by default that of this machine.
    pub hostname: Option<String>,
    /// The files, and the machine around them.
    pub world: Arc<dyn World>,
    /// The root directory of the machine, if it is not `/`.
    pub machine: Option<PathBuf>,
    /// The values that hosts share, if there is a store.
    pub cluster: Option<Arc<Cluster>>,
    /// Whether functions may set shared values.
    pub may_write: bool,
}

impl<'a> Request<'a> {
    /// A request for the program at a path with the common options.
    ///
    /// # Errors
    /// When the store of shared values cannot be used.
    pub fn of(path: &'a Path, options: &Options) -> Result<Self, Diagnostic> {
        let module_path = options.modulepath.as_deref().map(PathBuf::from);
        let (hostname, world) = (options.node.clone(), options.world());
        let (machine, cluster) = (options.machine.clone(), options.cluster()?);
        let edition = options.edition;
        let may_write = machine.is_some() && !options.is_noop && !options.is_plan;
        Ok(Self { path, edition, module_path, hostname, world, machine, cluster, may_write })
    }
}

impl Request<'_> {
    /// The input to read.
    pub fn input(&self) -> Input {
        Input::Path(self.path.to_path_buf())
    }

    /// The options of the compile.
    pub fn options(&self) -> session::Options {
        session::Options { edition: self.edition, module_path: self.module_path.clone() }
    }

    /// The machine as functions of the program see it.
    pub fn machine(&self) -> Machine {
        let is_dir = self.world.kind(self.path) == Some(EntryKind::Directory);
        let root = if is_dir { Some(self.path) } else { self.path.parent() };
        Machine {
            root: root.map(Path::to_path_buf),
            hostname: self.hostname.as_deref().map(EcoString::from),
            world: Arc::clone(&self.world),
            shared: shared::SharedState::of(
                self.machine.as_deref(),
                self.cluster.clone(),
                self.may_write,
            ),
            machine: self.machine.clone(),
            commands: commands::Commands::default(),
            scratch: Scratch::default(),
        }
    }

    fn compiled(&self, sources: &SourceMap) -> Result<Compiled, Box<session::ProgramErrors>> {
        let machine = self.machine();
        session::compile(machine.world(), sources, &self.input(), &self.options(), &machine)
    }
}

/// Compiles a program to its first graph and its exported resources. If the graph `is_planned`, a
/// resource that the engine does not support is an error.
///
/// # Errors
/// When the program has errors.
pub fn compile(
    reporter: &mut dyn Reporter,
    request: &Request<'_>,
    sources: &SourceMap,
    is_planned: bool,
) -> Result<(Graph, Option<PendingExports>), Error> {
    let compiled = request.compiled(sources);
    report_outage(reporter, request.cluster.as_ref());
    match compiled {
        Ok(compiled) => {
            reporter.diagnostics(compiled.checked.warnings, sources);
            let name = request.machine().hostname();
            let machine = request.machine();
            let deploy = || compiled.checked.modules.deploy(machine.world());
            let lowered = lower::lower(&compiled.resources, &name, &deploy);
            if is_planned && !lowered.refused.is_empty() {
                reporter.diagnostics(lowered.refused, sources);
                return Err(Error::Reported);
            }
            let exports = PendingExports::of(request.cluster.as_ref(), &compiled.resources, &name);
            Ok((lowered.graph, exports))
        }
        Err(refused) => {
            reporter.diagnostics(refused.diagnostics(), sources);
            Err(Error::Reported)
        }
    }
}

/// The function graph of a program. Reports diagnostics to `reporter`.
///
/// # Errors
/// When the program has errors, or its function graph is too large to be drawn.
pub fn functions(
    reporter: &mut dyn Reporter,
    request: &Request<'_>,
    sources: &SourceMap,
) -> Result<Graph, Error> {
    match session::check(request.world.as_ref(), sources, &request.input(), &request.options()) {
        Ok(checked) => {
            reporter.diagnostics(checked.warnings, sources);
            let name = request.machine().hostname();
            match Outline::of(&checked.program, &name) {
                Some(outline) => Ok(lower::lower_outline(&outline, &name)),
                None => {
                    let text = "the graph of functions is too large to be drawn";
                    Err(Diagnostic::error(codes::RESOURCE, text).into())
                }
            }
        }
        Err(refused) => {
            reporter.diagnostics(refused.diagnostics(), sources);
            Err(Error::Reported)
        }
    }
}

/// Whether a reference names a kind of mgmt, or no kind at all.
pub fn names_own_kind(reference: &str) -> bool {
    let Some((kind, _)) = reference.split_once('[') else { return true };
    ordain_mcl::resources::find(&kind.to_lowercase().replace("::", ":")).is_some()
}

/// Explains a resource or a field of it, such as `file[/etc/motd].content`.
///
/// # Errors
/// When the program has errors, or there is no such resource or field.
pub fn explain(
    reporter: &mut dyn Reporter,
    request: &Request<'_>,
    reference: &str,
) -> Result<Explanation, Error> {
    let sources = SourceMap::new();
    let compiled = request.compiled(&sources).map_err(|refused| {
        reporter.diagnostics(refused.diagnostics(), &sources);
        Error::Reported
    })?;
    let unknown = |text: String| Diagnostic::error(codes::UNKNOWN_NAME, text);
    let (id, field) = match reference.rsplit_once("].") {
        Some((id, field)) => (format!("{id}]"), Some(field)),
        None => (reference.to_owned(), None),
    };
    let parts = id.strip_suffix(']').and_then(|id| id.split_once('['));
    let (kind, name) = parts.ok_or_else(|| {
        Diagnostic::error(
            codes::ARGUMENTS,
            format!("`{reference}` is not a reference to a resource"),
        )
        .help("write it as mgmt does: 'file[/etc/motd]' or 'file[/etc/motd].content'")
    })?;
    let list = &compiled.resources;
    let resource = explain::find(list, kind, name).ok_or_else(|| {
        let error = unknown(format!("there is no resource {id}"));
        let names: Vec<String> = list.list.iter().map(|resource| resource.reference()).collect();
        match suggest::nearest(&id, names.iter().map(String::as_str)) {
            Some(near) => error.help(format!("did you mean {near}?")),
            None => error,
        }
    })?;
    let found = explain::resource(&compiled.checked.program, &sources, resource, field);
    found.ok_or_else(|| {
        let field = field.unwrap_or_default();
        let error = unknown(format!("{kind} has no field `{field}`"));
        let names = resource.kind.kind.fields.iter().map(|field| field.name);
        let error = match suggest::nearest(field, names) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error,
        };
        error.into()
    })
}
