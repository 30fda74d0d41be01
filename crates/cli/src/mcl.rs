//! Programs of mgmt: for the verbs for all languages, and for those who call this program by the
//! name of mgmt.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ValueEnum;
use ecow::EcoString;
use ordain_graph::explain::Explanation;
use ordain_mcl::eval::fields;
use ordain_mcl::eval::outline::Outline;
use ordain_mcl::functions::surroundings::{MemoryShared, Shared, Surroundings};
use ordain_mcl::session::{self, Compiled, Input, Options};
use ordain_mcl::{explain, fmt, lower};
use ordain_source::{Diagnostic, EntryKind, HostWorld, SourceMap, World, suggest};

use crate::codes;
use crate::exit::Failure;
use crate::options::CompileArgs;
use crate::ui::Ui;

/// Which mcl is read.
#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum, Debug)]
pub enum Edition {
    /// What mgmt accepts, and what its last releases and its guide accept besides
    #[default]
    Wide,
    /// Exactly what mgmt accepts
    Upstream,
}

impl From<Edition> for ordain_mcl::Edition {
    fn from(edition: Edition) -> Self {
        match edition {
            Edition::Wide => Self::Wide,
            Edition::Upstream => Self::Upstream,
        }
    }
}

/// This machine, as functions see it.
#[derive(Default)]
pub struct Machine {
    world: HostWorld,
    shared: MemoryShared,
    root: Option<PathBuf>,
    hostname: Option<EcoString>,
}

impl Surroundings for Machine {
    fn world(&self) -> &dyn World {
        &self.world
    }

    fn hostname(&self) -> EcoString {
        let own = || rustix::system::uname().nodename().to_string_lossy().as_ref().into();
        self.hostname.clone().unwrap_or_else(own)
    }

    fn shared(&self) -> &dyn Shared {
        &self.shared
    }

    fn deploy_root(&self) -> Option<PathBuf> {
        self.root.clone()
    }
}

/// Whether what stands at a path is a program of mgmt.
pub fn is_program(path: &Path) -> bool {
    let world = HostWorld::new();
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

/// What is compiled, and how.
pub struct Request<'a> {
    /// A file or a directory.
    pub path: &'a Path,
    /// Which mcl it is.
    pub edition: Edition,
    /// Where modules are that come from elsewhere.
    pub module_path: Option<PathBuf>,
    /// The name of the host; none is that of this machine.
    pub hostname: Option<String>,
}

impl<'a> Request<'a> {
    /// What stands at a path, compiled as the arguments of most verbs say.
    pub fn of(path: &'a Path, args: &CompileArgs) -> Self {
        let module_path = args.modulepath.as_deref().map(PathBuf::from);
        Self { path, edition: Edition::Wide, module_path, hostname: args.node.clone() }
    }
}

impl Request<'_> {
    fn input(&self) -> Input {
        Input::Path(self.path.to_path_buf())
    }

    fn options(&self) -> Options {
        Options { edition: self.edition.into(), module_path: self.module_path.clone() }
    }

    fn machine(&self) -> Machine {
        let world = HostWorld::new();
        let is_dir = world.kind(self.path) == Some(EntryKind::Directory);
        let root = if is_dir { Some(self.path) } else { self.path.parent() };
        Machine {
            root: root.map(Path::to_path_buf),
            hostname: self.hostname.as_deref().map(EcoString::from),
            ..Machine::default()
        }
    }

    fn compiled(&self, sources: &SourceMap) -> Result<Compiled, Box<session::Refused>> {
        let machine = self.machine();
        session::compile(machine.world(), sources, &self.input(), &self.options(), &machine)
    }
}

/// Compiles a program to its first graph; what is wrong is shown.
///
/// # Errors
/// When the program has errors.
pub fn compile(
    ui: &mut Ui,
    request: &Request<'_>,
    sources: &SourceMap,
) -> Result<ordain_graph::Graph, Failure> {
    match request.compiled(sources) {
        Ok(compiled) => {
            ui.diagnostics(compiled.checked.warnings, sources);
            let name = request.machine().hostname();
            Ok(lower::lower(&compiled.resources, &name))
        }
        Err(refused) => {
            ui.diagnostics(refused.diagnostics(), sources);
            Err(Failure::Shown)
        }
    }
}

/// The graph of functions of a program; what is wrong is shown.
///
/// # Errors
/// When the program has errors, or its graph grows beyond all reason.
pub fn functions(
    ui: &mut Ui,
    request: &Request<'_>,
    sources: &SourceMap,
) -> Result<ordain_graph::Graph, Failure> {
    let world = HostWorld::new();
    match session::check(&world, sources, &request.input(), &request.options()) {
        Ok(checked) => {
            ui.diagnostics(checked.warnings, sources);
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
            ui.diagnostics(refused.diagnostics(), sources);
            Err(Failure::Shown)
        }
    }
}

/// Why a resource, or a field of it, is as it is: `file[/etc/motd].content`.
///
/// # Errors
/// When the program has errors, or there is no such resource or field.
pub fn explain(
    ui: &mut Ui,
    request: &Request<'_>,
    reference: &str,
) -> Result<Explanation, Failure> {
    let sources = SourceMap::new();
    let compiled = request.compiled(&sources).map_err(|refused| {
        ui.diagnostics(refused.diagnostics(), &sources);
        Failure::Shown
    })?;
    let unknown = |text: String| Diagnostic::error(codes::UNKNOWN_NAME, text);
    let (id, field) = match reference.rsplit_once("].") {
        Some((id, field)) => (format!("{id}]"), Some(field)),
        None => (reference.to_owned(), None),
    };
    let parts = id.strip_suffix(']').and_then(|id| id.split_once('['));
    let (kind, name) = parts.ok_or_else(|| {
        Diagnostic::error(codes::ARGUMENTS, format!("`{reference}` is no reference to a resource"))
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

/// The first graph in the textual form of mgmt, or the error as a comment. Whether it is a graph.
///
/// # Errors
/// When nothing can be written.
pub fn print(
    out: &mut dyn Write,
    request: &Request<'_>,
    with_fields: bool,
) -> Result<bool, std::io::Error> {
    let sources = SourceMap::new();
    match request.compiled(&sources) {
        Ok(compiled) => {
            let lines = if with_fields {
                fields::lines(&compiled.resources)
            } else {
                compiled.resources.lines()
            };
            for line in lines {
                writeln!(out, "{line}")?;
            }
            Ok(true)
        }
        Err(refused) => {
            let (phase, text) = refused.first(&sources);
            writeln!(out, "# err: {}: {text}", phase.class())?;
            Ok(false)
        }
    }
}

/// A text as the formatter writes it.
///
/// # Errors
/// With the place where it is no mcl.
pub fn formatted(path: &Path, text: &str, edition: Edition) -> Result<String, String> {
    fmt::format(text, edition.into()).map_err(|error| {
        let sources = SourceMap::new();
        let place = sources.start(error.range.in_file(sources.add(path, text)));
        format!("{}:{}:{}: {error}", path.display(), place.line, place.column)
    })
}

/// Formats a file in place, or a directory with all that is in it. Gives the files that are not
/// formatted; with `test` nothing is written.
///
/// # Errors
/// With what cannot be read, parsed or written.
pub fn format(path: &Path, test: bool, edition: Edition) -> Result<Vec<PathBuf>, String> {
    let world = HostWorld::new();
    let mut changed = Vec::new();
    let mut left = vec![path.to_path_buf()];
    while let Some(path) = left.pop() {
        if world.kind(&path) == Some(EntryKind::Directory) {
            let entries = world.list(&path).map_err(|e| format!("{}: {e}", path.display()))?;
            for (name, kind) in entries.into_iter().rev() {
                if kind == EntryKind::Directory || name.ends_with(".mcl") {
                    left.push(path.join(name));
                }
            }
            continue;
        }
        let shown = path.display();
        let bytes = world.read(&path).map_err(|e| format!("{shown}: {e}"))?;
        let text = String::from_utf8(bytes).map_err(|_| format!("{shown}: not UTF-8"))?;
        let formatted = formatted(&path, &text, edition)?;
        if formatted != text {
            if !test {
                world
                    .write(&path, formatted.as_bytes(), 0o644)
                    .map_err(|e| format!("{shown}: {e}"))?;
            }
            changed.push(path);
        }
    }
    Ok(changed)
}

const USAGE: &str = "\
Usage: mgmt run [flags] lang INPUT
       mgmt check [flags] lang INPUT
       mgmt fmt [-t] [-v] PATH
";

/// The flags of mgmt that take a value.
const WITH_VALUE: &[&str] = &[
    "--hostname",
    "--prefix",
    "--sema",
    "--converger-timeout",
    "--converged-status-file",
    "--converger-status-file",
    "--max-runtime",
    "--graphviz",
    "--graphviz-filter",
    "--module-path",
    "--depth",
    "--retry",
    "--unify-name",
    "--ssh-url",
    "--ssh-hostkey",
    "--ssh-id",
    "--pgp-key-path",
    "--pgp-identity",
    "--prometheus-listen",
];

/// The command line of mgmt.
pub fn main(args: &[String]) -> ExitCode {
    let mut out = std::io::stdout().lock();
    let result = match args.split_first() {
        Some((verb, rest)) => match verb.as_str() {
            "run" | "check" => lang(&mut out, verb == "run", rest),
            "fmt" => format_files(&mut out, rest),
            "--version" => writeln!(out, "{}", env!("CARGO_PKG_VERSION"))
                .map(|()| true)
                .map_err(|e| e.to_string()),
            "help" | "--help" | "-h" => {
                write!(out, "{USAGE}").map(|()| true).map_err(|e| e.to_string())
            }
            other => Err(format!("unknown command: {other}\n{USAGE}")),
        },
        None => Err(USAGE.into()),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(text) => {
            // Nobody may be reading.
            let _ = writeln!(std::io::stderr(), "{text}");
            ExitCode::FAILURE
        }
    }
}

/// `run` and `check` with `lang`.
fn lang(out: &mut dyn Write, run: bool, args: &[String]) -> Result<bool, String> {
    let mut positional = Vec::new();
    let (mut hostname, mut module_path) = (None, std::env::var("MGMT_MODULE_PATH").ok());
    let mut skip_fmt = false;
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let (flag, value) = match arg.split_once('=') {
            Some((flag, value)) if flag.starts_with("--") => (flag, Some(value.to_owned())),
            _ => (arg.as_str(), None),
        };
        if !flag.starts_with("--") {
            positional.push(arg.as_str());
            continue;
        }
        let value = match value {
            None if WITH_VALUE.contains(&flag) => args.next().cloned(),
            value => value,
        };
        match flag {
            "--hostname" => hostname = value,
            "--module-path" => module_path = value,
            "--skip-fmt" => skip_fmt = true,
            _ => {}
        }
    }
    let [payload, input] = positional[..] else { return Err(USAGE.into()) };
    if payload != "lang" {
        return Err(format!("the payload `{payload}` is not there: lang is"));
    }
    let request = Request {
        path: Path::new(input),
        edition: Edition::Upstream,
        module_path: module_path.map(PathBuf::from),
        hostname,
    };
    if run {
        return print(out, &request, false).map_err(|e| e.to_string());
    }
    let sources = SourceMap::new();
    let world = HostWorld::new();
    if let Err(refused) = session::check(&world, &sources, &request.input(), &request.options()) {
        return Err(refused.first(&sources).1);
    }
    if !skip_fmt {
        let changed = format(Path::new(input), true, Edition::Upstream)?;
        if let Some(path) = changed.first() {
            return Err(format!("not formatted: {}", path.display()));
        }
    }
    Ok(true)
}

fn format_files(out: &mut dyn Write, args: &[String]) -> Result<bool, String> {
    let test = args.iter().any(|arg| arg == "-t" || arg == "--test");
    let verbose = args.iter().any(|arg| arg == "-v" || arg == "--verbose");
    let paths: Vec<&String> = args.iter().filter(|arg| !arg.starts_with('-')).collect();
    let [path] = paths[..] else { return Err(USAGE.into()) };
    let changed = format(Path::new(path), test, Edition::Upstream)?;
    for path in &changed {
        if test {
            return Err(format!("not formatted: {}", path.display()));
        }
        if verbose {
            writeln!(out, "{}", path.display()).map_err(|e| e.to_string())?;
        }
    }
    Ok(true)
}

/// `ordain compile` in the form of mgmt.
///
/// # Errors
/// When nothing can be written.
pub fn compile_as_mgmt(ui: &mut Ui, request: &Request<'_>) -> Result<bool, Failure> {
    print(ui.out(), request, false).map_err(|e| codes::io("cannot write the graph", &e).into())
}
