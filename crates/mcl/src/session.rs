//! Runs all phases in order, from a path to a running program.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ordain_source::{Diagnostic, Severity, SourceMap, Span, World, limits, suggest};
use rustc_hash::FxHashMap;

use crate::Edition;
use crate::check::names::Checker;
use crate::check::program::{self, LoadContext, ModId, Module, ModuleLocation, Modules};
use crate::codes;
use crate::elaborate::elaborate;
use crate::failure::{Failure, Phase};
use crate::functions::Environment;
use crate::graph::resource::Resources;
use crate::graph::{self, RunningProgram};
use crate::ir::Program;
use crate::syntax::ast::{EntryKind, StmtKind, Widening, WideningKind};

/// The stack that a compile gets.
pub(crate) const STACK: usize = 1 << 30;

/// The sources of a program.
#[derive(Clone, Debug)]
pub enum Input {
    /// A file, or a directory with a main file.
    Path(PathBuf),
    /// A text, and the name that messages have for it.
    Text(PathBuf, String),
}

/// The options of a compile.
#[derive(Clone, Default, Debug)]
pub struct Options {
    /// The edition of mcl.
    pub edition: Edition,
    /// The directory of modules from elsewhere.
    pub module_path: Option<PathBuf>,
}

/// The errors of a program.
#[derive(Debug)]
pub struct ProgramErrors {
    /// Everything that is wrong, in order.
    pub failures: Vec<Failure>,
    /// An error in the input, before there is a program.
    pub input: Option<String>,
    /// The paths of files in messages of the original.
    pub modules: Modules,
}

impl ProgramErrors {
    /// The first error as the original prints it, with its phase.
    pub fn first(&self, sources: &SourceMap) -> (Phase, String) {
        match self.failures.first() {
            Some(failure) => (failure.phase, failure.print(sources, &self.modules)),
            None => (Phase::LexParse, self.input.clone().unwrap_or_default()),
        }
    }

    /// Everything as diagnostics.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        let input = self.input.iter().map(|text| Diagnostic::error(codes::INPUT, text.clone()));
        input.chain(self.failures.iter().map(Failure::diagnostic)).collect()
    }
}

/// A program whose names and types are right.
#[derive(Debug)]
pub struct Checked {
    /// The program.
    pub program: Arc<Program>,
    /// Its modules.
    pub modules: Modules,
    /// The warnings.
    pub warnings: Vec<Diagnostic>,
}

/// Checks a program: everything but its run.
///
/// # Errors
/// The errors.
pub fn check(
    world: &dyn World,
    sources: &SourceMap,
    input: &Input,
    options: &Options,
) -> Result<Checked, Box<ProgramErrors>> {
    limits::on_deep_stack(STACK, || check_here(world, sources, input, options))
}

/// The errors in resources that are known without a run. Errors under a condition are warnings.
pub fn certain(checked: &Checked) -> Vec<Diagnostic> {
    let found = graph::literal::check(&checked.program);
    let one = |found: graph::literal::LiteralProblem| {
        let mut out = found.failure.diagnostic();
        if !found.is_certain {
            out.severity = Severity::Warning;
        }
        out
    };
    found.into_iter().map(one).collect()
}

fn check_here(
    world: &dyn World,
    sources: &SourceMap,
    input: &Input,
    options: &Options,
) -> Result<Checked, Box<ProgramErrors>> {
    let loading = LoadContext {
        world,
        sources,
        edition: options.edition,
        module_path: options.module_path.clone(),
    };
    let refuse = |failures, input, modules| Box::new(ProgramErrors { failures, input, modules });
    let (place, text) = match read(world, input) {
        Ok(read) => read,
        Err(text) => return Err(refuse(Vec::new(), Some(text), Modules::default())),
    };
    let mut modules = Modules::default();
    let main = match modules.add(&loading, &place, &text) {
        Ok(main) => main,
        Err(failures) => return Err(refuse(failures, None, modules)),
    };
    let mut checker = Checker::new(&loading, modules);
    checker.module(main);
    let Checker { modules, names, found, old, .. } = checker;
    if !found.is_empty() {
        return Err(refuse(found, None, modules));
    }
    let mut warnings = warnings(&modules);
    warnings.extend(old.into_iter().map(|(span, old)| {
        let text = format!("mgmt after 1.1.0 has no `{}` of this form", old.builtin.name);
        Diagnostic::warning(codes::WIDENING, text).at(span).help(old.today)
    }));
    match elaborate(&modules, &names, main, options.edition) {
        Ok((program, questionable)) => Ok(Checked {
            program: Arc::new(program),
            modules,
            warnings: warnings.into_iter().chain(questionable).collect(),
        }),
        Err(failures) => Err(refuse(failures, None, modules)),
    }
}

fn read(world: &dyn World, input: &Input) -> Result<(ModuleLocation, String), String> {
    match input {
        Input::Path(path) => {
            let place = program::entry(world, path)?;
            let bytes = world
                .read(&place.path)
                .map_err(|error| format!("cannot read {}: {error}", place.path.display()))?;
            let text =
                String::from_utf8(bytes).map_err(|error| not_utf8(&place, &error.into_bytes()))?;
            Ok((place, text))
        }
        Input::Text(path, text) => {
            // A text that is the main file of its directory has the directory's modules.
            let place = program::main_of_directory(world, path);
            let place = place.unwrap_or_else(|| ModuleLocation::of_file(path, "/main.mcl"));
            Ok((place, text.clone()))
        }
    }
}

fn not_utf8(place: &ModuleLocation, bytes: &[u8]) -> String {
    let valid = std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
    let before = &bytes[..valid];
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let column = String::from_utf8_lossy(&before[start..]).chars().count() + 1;
    format!("{}:{line}:{column}: the text is not UTF-8", place.path.display())
}

/// Parameters that a class has twice.
fn repeated_parameters(module: &Module) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (_, stmt) in module.tree.stmts.iter() {
        let StmtKind::Class(class) = &stmt.kind else { continue };
        let mut known: FxHashMap<&str, Span> = FxHashMap::default();
        for param in &class.params {
            let span = param.range.in_file(module.file);
            if let Some(first) = known.insert(&param.name, span) {
                let text = format!("the class has the parameter ${} twice", param.name);
                let warning = Diagnostic::warning(codes::NAME, text).at(span);
                found.push(warning.related(first, "the last one counts, and not this"));
            }
        }
    }
    found
}

/// Meta parameters that a resource sets twice.
fn repeated_meta(module: &Module) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (_, stmt) in module.tree.stmts.iter() {
        let StmtKind::Resource(resource) = &stmt.kind else { continue };
        let mut known: FxHashMap<&str, Span> = FxHashMap::default();
        for entry in &resource.entries {
            let EntryKind::Meta(name, _) = &entry.kind else { continue };
            let span = entry.range.in_file(module.file);
            if let Some(first) = known.insert(name, span) {
                let text = format!("mgmt refuses a second `Meta:{name}`");
                let warning = Diagnostic::warning(codes::WIDENING, text).at(span);
                found.push(warning.related(first, "the last one counts, and not this"));
            }
        }
    }
    found
}

/// Unknown keys of a `metadata.yaml`.
fn unknown_metadata(module: &Module) -> Vec<Diagnostic> {
    let path = module.dir.join("metadata.yaml");
    let one = |key: &String| {
        let text = format!("{}: the key `{key}` means nothing to mgmt", path.display());
        let warning = Diagnostic::warning(codes::NAME, text);
        match suggest::nearest(key, program::METADATA) {
            Some(near) => warning.help(format!("did you mean `{near}`?")),
            None => warning,
        }
    };
    module.unknown_metadata.iter().map(one).collect()
}

/// Only the wide edition accepts it.
fn warnings(modules: &Modules) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for id in 0..modules.len() as u32 {
        let module = modules.get(ModId(id));
        found.extend(repeated_parameters(&module));
        found.extend(repeated_meta(&module));
        found.extend(unknown_metadata(&module));
        for Widening { kind, range } in &module.tree.widenings {
            let (text, help) = match kind {
                WideningKind::TrailingComma => (
                    "mgmt refuses a comma before a closing bracket on one line",
                    "take it away; `mgmt fmt` does",
                ),
                WideningKind::BareMapType => {
                    ("mgmt refuses a map type without its word", "write `map{…}`")
                }
                WideningKind::BareArgument => (
                    "mgmt refuses the name of an argument in a type without `$`",
                    "write `func($name type) type`",
                ),
                WideningKind::OldDefault => {
                    ("mgmt after 1.1.0 refuses `||`", "write `<|>` in its place")
                }
            };
            let span: Span = range.in_file(module.file);
            found.push(Diagnostic::warning(codes::WIDENING, text).at(span).help(help));
        }
    }
    found
}

/// A program after its first evaluation.
pub struct Compiled {
    /// The checked program.
    pub checked: Checked,
    /// The first resources.
    pub resources: Resources,
}

/// Checks a program and evaluates it once.
///
/// # Errors
/// The errors.
pub fn compile(
    world: &dyn World,
    sources: &SourceMap,
    input: &Input,
    options: &Options,
    environment: &dyn Environment,
) -> Result<Compiled, Box<ProgramErrors>> {
    limits::on_deep_stack(STACK, || {
        let checked = check_here(world, sources, input, options)?;
        match first(&checked, environment) {
            Ok(resources) => Ok(Compiled { checked, resources }),
            Err(failures) => {
                Err(Box::new(ProgramErrors { failures, input: None, modules: checked.modules }))
            }
        }
    })
}

/// The maximal time to wait for the values of the first graph.
const MAX_WAIT: Duration = Duration::from_secs(60);

fn first(checked: &Checked, environment: &dyn Environment) -> Result<Resources, Vec<Failure>> {
    let one = |failure| vec![failure];
    if let Some(failure) = graph::meta::repeated(&checked.program) {
        return Err(vec![failure]);
    }
    let mut running =
        RunningProgram::new(Arc::clone(&checked.program), environment).map_err(one)?;
    let world = environment.world();
    let limit = world.now() + MAX_WAIT;
    loop {
        running.run(environment).map_err(one)?;
        if let Some(resources) = running.resources(environment)? {
            return Ok(resources);
        }
        // Only timers are waited for; `watch` handles other events.
        let due = running.next_time().filter(|due| *due <= limit);
        let pause = due.map(|due| due.duration_since(world.now()).unwrap_or_default());
        if !pause.is_some_and(|pause| world.sleep(pause)) {
            let text = "a value that the first graph needs is not there yet";
            return Err(vec![Failure::new(Phase::Stream, text, start(checked))]);
        }
        running.wake_until(world.now());
    }
}

fn start(checked: &Checked) -> Span {
    ordain_source::TextRange::default().in_file(checked.modules.get(ModId(0)).file)
}
