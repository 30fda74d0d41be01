//! Programs of mgmt: for the verbs for all languages, and for those who call this program by the
//! name of mgmt.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};

use clap::ValueEnum;
use ecow::EcoString;
use ordain_engine::kinds::package::contents;
use ordain_graph::explain::Explanation;
use ordain_mcl::eval::outline::Outline;
use ordain_mcl::failure::Phase;
use ordain_mcl::functions::surroundings::{Shared, Surroundings};
use ordain_mcl::session::{self, Compiled, Input, Options};
use ordain_mcl::{explain, fmt, lower};
use ordain_source::{Diagnostic, EntryKind, HostWorld, SourceMap, Touched, World, suggest};
use ordain_store::ExportStore;

use crate::codes;
use crate::exit::Failure;
use crate::options::CompileArgs;
use crate::runs;
use crate::ui::Ui;

mod commands;
mod running;
mod stored;

pub use running::Running;
pub use stored::Giving;

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
    shared: stored::Stored,
    commands: commands::Commands,
    root: Option<PathBuf>,
    hostname: Option<EcoString>,
    /// Where the file system of the machine begins, if the graph is for it.
    machine: Option<PathBuf>,
    scratch: Scratch,
}

/// Where programs keep files of their own on the machine that they are for.
const OWN: &str = "var/lib/ordain/mcl";

/// A directory of a run that is for no machine, made when it is asked for.
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

    fn line(&self, command: &str) -> Result<Option<EcoString>, EcoString> {
        self.commands.line(command)
    }

    fn deploy_root(&self) -> Option<PathBuf> {
        self.root.clone()
    }

    fn packages(&self, names: &[&str]) -> BTreeMap<String, Vec<String>> {
        // A compile alone is the same on every machine.
        if self.machine.is_some() { contents(self.shared.host(), names) } else { BTreeMap::new() }
    }

    fn state_directory(&self) -> Option<PathBuf> {
        match &self.machine {
            Some(machine) => Some(machine.join(OWN)),
            None => self.scratch.path(&self.world),
        }
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
    /// Where the paths are noted that are read.
    pub touched: Touched,
    /// Where the file system of the machine begins, if not at `/`.
    pub machine: Option<PathBuf>,
    /// Where exported resources are kept.
    pub store: Option<Arc<ExportStore>>,
}

impl<'a> Request<'a> {
    /// What stands at a path, compiled as the arguments of most verbs say.
    ///
    /// # Errors
    /// When there is to be a store, and it cannot be used.
    pub fn of(path: &'a Path, args: &CompileArgs) -> Result<Self, Diagnostic> {
        let module_path = args.modulepath.as_deref().map(PathBuf::from);
        let (hostname, touched) = (args.node.clone(), args.touched.clone());
        let (machine, store) = (args.machine.clone(), args.export_store()?);
        let edition = Edition::Wide;
        Ok(Self { path, edition, module_path, hostname, touched, machine, store })
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
            world: HostWorld::noting(self.touched.clone()),
            shared: stored::Stored::of(self.machine.as_deref(), self.store.clone()),
            machine: self.machine.clone(),
            ..Machine::default()
        }
    }

    fn compiled(&self, sources: &SourceMap) -> Result<Compiled, Box<session::Refused>> {
        let machine = self.machine();
        session::compile(machine.world(), sources, &self.input(), &self.options(), &machine)
    }
}

/// Compiles a program to its first graph, and what it exports; what is wrong is shown. A graph that is to be planned has
/// nothing that the engine cannot do.
///
/// # Errors
/// When the program has errors.
pub fn compile(
    ui: &mut Ui,
    request: &Request<'_>,
    sources: &SourceMap,
    is_planned: bool,
) -> Result<(ordain_graph::Graph, Option<Giving>), Failure> {
    let compiled = request.compiled(sources);
    runs::tell_damaged_exports(ui, request.store.as_ref());
    match compiled {
        Ok(compiled) => {
            ui.diagnostics(compiled.checked.warnings, sources);
            let name = request.machine().hostname();
            let machine = request.machine();
            let deploy = || compiled.checked.modules.deploy(machine.world());
            let lowered = lower::lower(&compiled.resources, &name, &deploy);
            if is_planned && !lowered.refused.is_empty() {
                ui.diagnostics(lowered.refused, sources);
                return Err(Failure::Shown);
            }
            let giving = Giving::of(request.store.as_ref(), &compiled.resources, &name);
            Ok((lowered.graph, giving))
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

/// Whether a reference to a resource has a kind of mgmt's, or none at all.
pub fn names_own_kind(reference: &str) -> bool {
    let Some((kind, _)) = reference.split_once('[') else { return true };
    ordain_mcl::resources::find(&kind.to_lowercase().replace("::", ":")).is_some()
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
pub fn print(out: &mut dyn Write, request: &Request<'_>) -> Result<bool, std::io::Error> {
    let sources = SourceMap::new();
    run_once(out, &Told::default(), request, &request.input(), &sources)
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
    let (mut changed, mut count) = (Vec::new(), 0);
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
        count += 1;
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
    if count == 0 {
        return Err(format!("{}: no programs of mgmt (.mcl) in it", path.display()));
    }
    Ok(changed)
}

const USAGE: &str = "\
Usage: mgmt run [flags] lang INPUT
       mgmt check [flags] lang INPUT
       mgmt fmt [-t] [-v] PATH
INPUT is a .mcl file, a directory, its metadata.yaml, - for standard input, or code.
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
    "--seeds",
    "--client-urls",
    "--server-urls",
    "--advertise-client-urls",
    "--advertise-server-urls",
    "--module-path",
    "--depth",
    "--retry",
    "--unify-name",
    "--unify-optimizations",
    "--ssh-url",
    "--ssh-hostkey",
    "--ssh-id",
    "--pgp-key-path",
    "--pgp-identity",
    "--prometheus-listen",
    "--pprof",
];

/// The flags of mgmt that take none.
const WITHOUT_VALUE: &[&str] = &[
    "--tmp-prefix",
    "--allow-tmp-prefix",
    "--noop",
    "--no-watch",
    "--no-stream-watch",
    "--no-deploy-watch",
    "--no-autoedges",
    "--no-autogroup",
    "--converged-exit",
    "--no-network",
    "--no-pgp",
    "--no-raise-limits",
    "--prometheus",
    "--download",
    "--only-download",
    "--update",
    "--skip-unify",
    "--skip-fmt",
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

/// What `run` and `check` are told.
#[derive(Default)]
struct Told {
    values: BTreeMap<&'static str, String>,
    flags: BTreeSet<&'static str>,
    positional: Vec<String>,
}

impl Told {
    fn read(args: &[String]) -> Result<Self, String> {
        let mut told = Self::default();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            if !arg.starts_with("--") {
                told.positional.push(arg.clone());
                continue;
            }
            let (flag, value) = match arg.split_once('=') {
                Some((flag, value)) => (flag, Some(value.to_owned())),
                None => (arg.as_str(), None),
            };
            let known = |flags: &[&'static str]| flags.iter().copied().find(|f| *f == flag);
            if let Some(flag) = known(WITHOUT_VALUE) {
                told.flags.insert(flag);
            } else if let Some(flag) = known(WITH_VALUE) {
                let missing = || format!("missing value for {flag}\n{USAGE}");
                let value = value.or_else(|| args.next().cloned()).ok_or_else(missing)?;
                told.values.insert(flag, value);
            } else {
                return Err(format!("unknown argument {flag}\n{USAGE}"));
            }
        }
        Ok(told)
    }

    fn has(&self, flag: &str) -> bool {
        self.flags.contains(flag)
    }
}

/// What an INPUT is.
fn input(text: &str) -> Result<Input, String> {
    let world = HostWorld::new();
    let code = |text: String| {
        let end = if text.ends_with('\n') { "" } else { "\n" };
        Input::Text("/main.mcl".into(), text + end)
    };
    match text {
        "" => Err("input is empty".into()),
        "-" => {
            let bytes = ordain_source::read_standard_input().map_err(|e| e.to_string())?;
            String::from_utf8(bytes).map(code).map_err(|e| e.to_string())
        }
        path if world.kind(Path::new(path)).is_some() => Ok(Input::Path(path.into())),
        path if path.ends_with(".mcl") || path.ends_with('/') || path.ends_with(".yaml") => {
            Err("input is invalid".into())
        }
        text => Ok(code(text.to_owned())),
    }
}

/// `run` and `check` with `lang`.
fn lang(out: &mut dyn Write, run: bool, args: &[String]) -> Result<bool, String> {
    let told = Told::read(args)?;
    let [payload, given] = &told.positional[..] else { return Err(USAGE.into()) };
    if payload != "lang" {
        return Err(format!("the payload `{payload}` is not there: lang is"));
    }
    let module_path = told.values.get("--module-path").cloned();
    let module_path = module_path.or_else(|| std::env::var("MGMT_MODULE_PATH").ok());
    let request = Request {
        path: Path::new(given),
        edition: Edition::Upstream,
        module_path: module_path.map(PathBuf::from),
        hostname: told.values.get("--hostname").cloned(),
        touched: Touched::default(),
        machine: None,
        store: None,
    };
    let input = input(given)?;
    let sources = SourceMap::new();
    if run {
        return run_once(out, &told, &request, &input, &sources).map_err(|e| e.to_string());
    }
    let world = HostWorld::new();
    if let Err(refused) = session::check(&world, &sources, &input, &request.options()) {
        let (phase, text) = refused.first(&sources);
        if phase < Phase::Unify || !told.has("--skip-unify") {
            return Err(text);
        }
    }
    if told.has("--skip-fmt") {
        return Ok(true);
    }
    let changed = match &input {
        Input::Path(path) => format(path, true, Edition::Upstream)?,
        Input::Text(path, text) if formatted(path, text, Edition::Upstream)? != *text => {
            vec![path.clone()]
        }
        Input::Text(..) => Vec::new(),
    };
    match changed.first() {
        Some(path) => Err(format!("not formatted: {}", path.display())),
        None => Ok(true),
    }
}

/// The first graph of a program.
fn run_once(
    out: &mut dyn Write,
    told: &Told,
    request: &Request<'_>,
    input: &Input,
    sources: &SourceMap,
) -> Result<bool, std::io::Error> {
    let machine = request.machine();
    let compiled = session::compile(machine.world(), sources, input, &request.options(), &machine);
    let mut compiled = match compiled {
        Ok(compiled) => compiled,
        Err(refused) => return write_refused(out, &refused, sources),
    };
    if told.has("--no-autoedges") {
        compiled.resources.edges.retain(|_, edge| !edge.is_automatic);
    }
    if let Some(path) = told.values.get("--graphviz") {
        let deploy = || compiled.checked.modules.deploy(machine.world());
        let graph = lower::lower(&compiled.resources, &machine.hostname(), &deploy).graph;
        let mut text = String::new();
        // Writing to text cannot fail.
        let _ = ordain_graph::dot::write(&graph, &mut text);
        std::fs::write(path, text)?;
    }
    for line in compiled.resources.lines() {
        writeln!(out, "{line}")?;
    }
    Ok(true)
}

fn write_refused(
    out: &mut dyn Write,
    refused: &session::Refused,
    sources: &SourceMap,
) -> Result<bool, std::io::Error> {
    let (phase, text) = refused.first(sources);
    writeln!(out, "# err: {}: {text}", phase.class())?;
    Ok(false)
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
    print(ui.document(), request).map_err(|e| codes::io("cannot write the graph", &e).into())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn told(line: &str) -> Result<Told, String> {
        let args: Vec<String> = line.split(' ').map(str::to_owned).collect();
        Told::read(&args)
    }

    #[test]
    fn flags_are_those_of_mgmt() {
        let told_all =
            told("--tmp-prefix --converger-timeout=5 --hostname h lang --skip-fmt x.mcl");
        let told_all = told_all.unwrap();
        assert_eq!(told_all.positional, ["lang", "x.mcl"]);
        assert_eq!(told_all.values["--converger-timeout"], "5");
        assert_eq!(told_all.values["--hostname"], "h");
        assert!(told_all.has("--tmp-prefix") && told_all.has("--skip-fmt"));
        assert!(told("--nope lang x").err().unwrap().starts_with("unknown argument --nope"));
        assert!(told("lang x --prefix").err().unwrap().starts_with("missing value for --prefix"));
    }

    #[test]
    fn inputs_are_files_or_code() {
        assert!(matches!(input("test \"a\" {}"), Ok(Input::Text(_, code)) if code.ends_with('\n')));
        assert_eq!(input("").unwrap_err(), "input is empty");
        assert_eq!(input("/nowhere/main.mcl").unwrap_err(), "input is invalid");
        assert!(matches!(input("/"), Ok(Input::Path(_))));
    }

    #[test]
    fn code_runs_once_and_is_checked() {
        let line = |args: &[&str]| -> (Result<bool, String>, String) {
            let mut out = Vec::new();
            let args: Vec<String> = args.iter().map(ToString::to_string).collect();
            let result = lang(&mut out, args[0] == "run", &args[1..]);
            (result, String::from_utf8(out).unwrap())
        };
        let file = "file \"/a/\" {}\nfile \"/a/b\" {}";
        let edge = "Edge: file[/a/] -> file[/a/b]";
        assert!(line(&["run", "lang", file]).1.contains(edge));
        assert!(!line(&["run", "--no-autoedges", "lang", file]).1.contains(edge));
        assert!(line(&["run", "lang", "$x = "]).1.starts_with("# err: errLexParse: "));
        let error = line(&["check", "lang", "test 5 {}"]).0.unwrap_err();
        assert!(error.starts_with("type error: list != int"), "{error}");
        assert!(line(&["check", "--skip-unify", "lang", "test 5 {}"]).0.unwrap());
        let error = line(&["check", "lang", "$x=1"]).0.unwrap_err();
        assert_eq!(error, "not formatted: /main.mcl");
        assert!(line(&["check", "--skip-fmt", "lang", "$x=1"]).0.unwrap());
    }
}
