//! The command line of `mgmt`, for callers that start this program by that name.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use ordain_driver::format::{self, FormatSettings, Formatted};
use ordain_driver::mcl::Request;
use ordain_mcl::Edition;
use ordain_mcl::failure::Phase;
use ordain_mcl::functions::environment::Environment;
use ordain_mcl::lower;
use ordain_mcl::session::{self, Input};
use ordain_source::{HostWorld, SourceMap, World};

use crate::codes;
use crate::exit::Failure;
use crate::ui::Ui;

/// Prints the first graph in the textual form of mgmt, or the error as a comment. Returns whether
/// it is a graph.
///
/// # Errors
/// When the output cannot be written.
fn print(out: &mut dyn Write, request: &Request<'_>) -> Result<bool, std::io::Error> {
    let sources = SourceMap::new();
    run_once(out, &Arguments::default(), request, &request.input(), &sources)
}

const USAGE: &str = "\
Usage: mgmt run [flags] lang INPUT
       mgmt check [flags] lang INPUT
       mgmt fmt [-t] [-v] PATH
INPUT is a .mcl file, a directory, its metadata.yaml, - for standard input, or code.
";

/// The flags of mgmt with a value.
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

/// The flags of mgmt without a value.
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

/// Runs the command line of mgmt.
pub(crate) fn main(args: &[String]) -> ExitCode {
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
            // A closed stderr is no reason to fail.
            let _ = writeln!(std::io::stderr(), "{text}");
            ExitCode::FAILURE
        }
    }
}

/// The arguments of `run` and `check`.
#[derive(Default)]
struct Arguments {
    values: BTreeMap<&'static str, String>,
    flags: BTreeSet<&'static str>,
    positional: Vec<String>,
}

impl Arguments {
    fn read(args: &[String]) -> Result<Self, String> {
        let mut arguments = Self::default();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            if !arg.starts_with("--") {
                arguments.positional.push(arg.clone());
                continue;
            }
            let (flag, value) = match arg.split_once('=') {
                Some((flag, value)) => (flag, Some(value.to_owned())),
                None => (arg.as_str(), None),
            };
            let known = |flags: &[&'static str]| flags.iter().copied().find(|f| *f == flag);
            if let Some(flag) = known(WITHOUT_VALUE) {
                arguments.flags.insert(flag);
            } else if let Some(flag) = known(WITH_VALUE) {
                let missing = || format!("missing value for {flag}\n{USAGE}");
                let value = value.or_else(|| args.next().cloned()).ok_or_else(missing)?;
                arguments.values.insert(flag, value);
            } else {
                return Err(format!("unknown argument {flag}\n{USAGE}"));
            }
        }
        Ok(arguments)
    }

    fn has(&self, flag: &str) -> bool {
        self.flags.contains(flag)
    }
}

/// Parses an INPUT argument.
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

/// Runs `run lang` or `check lang`.
fn lang(out: &mut dyn Write, run: bool, args: &[String]) -> Result<bool, String> {
    let arguments = Arguments::read(args)?;
    let [payload, given] = &arguments.positional[..] else { return Err(USAGE.into()) };
    if payload != "lang" {
        return Err(format!("the payload `{payload}` is not there: lang is"));
    }
    let module_path = arguments.values.get("--module-path").cloned();
    let module_path = module_path.or_else(|| std::env::var("MGMT_MODULE_PATH").ok());
    let request = Request {
        path: Path::new(given),
        edition: Edition::Upstream,
        module_path: module_path.map(PathBuf::from),
        hostname: arguments.values.get("--hostname").cloned(),
        world: Arc::new(HostWorld::new()),
        machine: None,
        cluster: None,
        may_write: false,
    };
    let input = input(given)?;
    let sources = SourceMap::new();
    if run {
        return run_once(out, &arguments, &request, &input, &sources).map_err(|e| e.to_string());
    }
    let world = HostWorld::new();
    if let Err(refused) = session::check(&world, &sources, &input, &request.options()) {
        let (phase, text) = refused.first(&sources);
        if phase < Phase::Unify || !arguments.has("--skip-unify") {
            return Err(text);
        }
    }
    if arguments.has("--skip-fmt") {
        return Ok(true);
    }
    let changed = match &input {
        Input::Path(path) => format_programs(path, true)?,
        Input::Text(path, text) if format_program(path, text)? != *text => {
            vec![path.clone()]
        }
        Input::Text(..) => Vec::new(),
    };
    match changed.first() {
        Some(path) => Err(format!("not formatted: {}", path.display())),
        None => Ok(true),
    }
}

/// Prints the first graph of a program.
fn run_once(
    out: &mut dyn Write,
    arguments: &Arguments,
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
    if arguments.has("--no-autoedges") {
        compiled.resources.edges.retain(|_, edge| !edge.is_automatic);
    }
    if let Some(path) = arguments.values.get("--graphviz") {
        let deploy = || compiled.checked.modules.deploy(machine.world());
        let graph = lower::lower(&compiled.resources, &machine.hostname(), &deploy).graph;
        let mut text = String::new();
        // Writing to a string cannot fail.
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
    refused: &session::ProgramErrors,
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
    let changed = format_programs(Path::new(path), test)?;
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

/// Formats a program, or all programs of a directory, in place. Returns the files that were not
/// formatted; with `test`, nothing is written.
fn format_programs(path: &Path, test: bool) -> Result<Vec<PathBuf>, String> {
    let mut changed = Vec::new();
    let found = format::find(path).map_err(|error| error.message)?;
    for path in found.into_iter().filter(|path| Formatted::of(path) == Some(Formatted::Mcl)) {
        let text = format::read(&path).map_err(|error| error.message)?;
        let formatted = format_program(&path, &text)?;
        if formatted == text {
            continue;
        }
        if !test {
            let written = format::replace(&path, &formatted);
            written.map_err(|e| format!("{}: {e}", path.display()))?;
        }
        changed.push(path);
    }
    Ok(changed)
}

/// The formatted text of a program; the error has its place.
fn format_program(path: &Path, text: &str) -> Result<String, String> {
    let settings = FormatSettings { edition: Edition::Upstream, ..FormatSettings::default() };
    let sources = SourceMap::new();
    format::format_text(Formatted::Mcl, path, text, &settings, &sources).map_err(|errors| {
        let Some(error) = errors.first() else { return String::new() };
        let place = error.primary.as_ref().map(|label| sources.start(label.span));
        let place = place.map(|at| format!(":{}:{}", at.line, at.column)).unwrap_or_default();
        format!("{}{place}: {}", path.display(), error.message)
    })
}

/// Prints a program in the form of mgmt, for `ordain compile`. Returns whether it has a graph.
///
/// # Errors
/// When the output cannot be written.
pub(crate) fn compile(ui: &mut Ui, request: &Request<'_>) -> Result<bool, Failure> {
    print(ui.document(), request).map_err(|e| codes::io("cannot write the graph", &e).into())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn arguments(line: &str) -> Result<Arguments, String> {
        let args: Vec<String> = line.split(' ').map(str::to_owned).collect();
        Arguments::read(&args)
    }

    #[test]
    fn flags_are_those_of_mgmt() {
        let all_arguments =
            arguments("--tmp-prefix --converger-timeout=5 --hostname h lang --skip-fmt x.mcl");
        let all_arguments = all_arguments.unwrap();
        assert_eq!(all_arguments.positional, ["lang", "x.mcl"]);
        assert_eq!(all_arguments.values["--converger-timeout"], "5");
        assert_eq!(all_arguments.values["--hostname"], "h");
        assert!(all_arguments.has("--tmp-prefix") && all_arguments.has("--skip-fmt"));
        assert!(arguments("--nope lang x").err().unwrap().starts_with("unknown argument --nope"));
        assert!(
            arguments("lang x --prefix").err().unwrap().starts_with("missing value for --prefix")
        );
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
