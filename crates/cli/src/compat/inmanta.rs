//! The command line of `inmanta`, for callers that start this program by that name: its commands
//! for local projects, with its output and exit codes.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::{ArgAction, Args, CommandFactory, Parser, Subcommand, ValueEnum};
use ordain_inmanta::diagnostics::Error;
use ordain_inmanta::location::Files;
use ordain_inmanta::model::resource;
use ordain_inmanta::output;
use ordain_inmanta::project::{Project, set};
use ordain_inmanta::session::{LoadedModule, Outcome};
use ordain_source::limits::on_deep_stack;
use ordain_source::{HostWorld, SourceMap};

use ordain_driver::inmanta::{Model, STACK_SIZE, modules, with_outcome};
use ordain_driver::private_file;

use self::table::table;

mod table;

/// The version of the original program that is imitated.
const VERSION: &str = "20.1.0";
/// The exit code after a usage error.
const USAGE: u8 = 2;
/// The width of the line with the result of a run.
const WIDTH: usize = 80;
/// The main file of a project.
const MAIN: &str = "main.cf";

/// Compile and export models of Inmanta on this machine
#[derive(Parser)]
#[command(name = "inmanta", disable_version_flag = true, disable_help_subcommand = true)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Args)]
struct Global {
    /// Accepted, without effect
    #[arg(short = 'p')]
    profile: bool,
    /// Use this config file, too
    #[arg(short, long, value_name = "CONFIG_FILE")]
    config: Option<PathBuf>,
    /// Accepted, without effect
    #[arg(long)]
    config_dir: Option<PathBuf>,
    /// Accepted, without effect
    #[arg(long)]
    log_file: Option<PathBuf>,
    /// Accepted, without effect
    #[arg(long)]
    logging_config: Option<PathBuf>,
    /// Accepted, without effect
    #[arg(long)]
    log_file_level: Option<String>,
    /// Accepted, without effect
    #[arg(long)]
    timed_logs: bool,
    /// Say more
    #[arg(short, long, action = ArgAction::Count, global = true)]
    verbose: u8,
    /// The effect of warnings
    #[arg(long, value_name = "WHAT", default_value = "warn")]
    warnings: Warnings,
    /// Accepted, without effect
    #[arg(short = 'X', long, global = true)]
    extended_errors: bool,
    /// Show the version
    #[arg(long)]
    version: bool,
    /// Accepted, without effect
    #[arg(long)]
    keep_logger_names: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Warnings {
    /// They are shown
    Warn,
    /// They are not shown
    Ignore,
    /// The first one is an error
    Error,
}

#[derive(Subcommand)]
enum Command {
    /// Compile the project to a configuration model
    Compile(Compile),
    /// Export the resources of the project
    Export(Export),
    /// Print out an overview of all commands
    ListCommands,
    /// Show a help message and exit
    Help {
        /// The command
        command: Option<String>,
    },
    /// Subcommand to look at modules
    #[command(alias = "module")]
    Modules {
        #[command(subcommand)]
        command: ModulesCommand,
    },
    /// Subcommand to manage the project
    Project {
        #[command(subcommand)]
        command: ProjectCommand,
    },
}

#[derive(Subcommand)]
enum ModulesCommand {
    /// List all modules used in this project in a table
    List {
        /// Accepted, without effect
        #[arg(short)]
        requires: bool,
    },
}

#[derive(Subcommand)]
enum ProjectCommand {
    /// Initialize the directory structure for a project
    Init {
        /// The name of the new project
        #[arg(short, long)]
        name: String,
        /// Where its directory is made
        #[arg(short, long, default_value = "./")]
        output_dir: PathBuf,
        /// Accepted, without effect
        #[arg(long)]
        default: bool,
    },
}

/// The arguments that compile and export share.
#[derive(Args)]
struct CommonArgs {
    /// The environment to compile this model for
    #[arg(short)]
    environment: Option<String>,
    /// Main file
    #[arg(short = 'f', default_value = MAIN)]
    main_file: PathBuf,
    /// Accepted, without effect: no server is asked
    #[arg(long = "server_address")]
    server: Option<String>,
    /// Accepted, without effect
    #[arg(long = "server_port")]
    port: Option<String>,
    /// Accepted, without effect
    #[arg(long)]
    ssl: bool,
    /// Accepted, without effect
    #[arg(long)]
    ssl_ca_cert: Option<PathBuf>,
    /// Export structured json with the errors that occurred
    #[arg(long)]
    export_compile_data: bool,
    /// File to export compile data to
    #[arg(long, default_value = "compile_data.json")]
    export_compile_data_file: PathBuf,
    /// Accepted, without effect
    #[arg(long)]
    no_cache: bool,
    /// Accepted, without effect
    #[arg(long)]
    no_strict_deps_check: bool,
    /// Accepted, without effect
    #[arg(long)]
    strict_deps_check: bool,
}

#[derive(Args)]
struct Compile {
    #[command(flatten)]
    common: CommonArgs,
    /// Accepted, without effect
    #[arg(long)]
    username: Option<String>,
    /// Accepted, without effect
    #[arg(long)]
    password: Option<String>,
    /// Accepted; `ordain compile` says who waited for a list that was frozen
    #[arg(long)]
    experimental_data_trace: bool,
    /// Accepted, without effect
    #[arg(long)]
    experimental_dataflow_graphic: bool,
}

#[derive(Args)]
struct Export {
    #[command(flatten)]
    common: CommonArgs,
    /// Store the json that would have been submitted in this file
    #[arg(short)]
    json: Option<PathBuf>,
    /// Accepted, without effect
    #[arg(short)]
    deploy: bool,
    /// Accepted, without effect
    #[arg(long)]
    full: bool,
    /// JSON metadata why this compile happened
    #[arg(long)]
    metadata: Option<String>,
    /// Accepted, without effect
    #[arg(long)]
    token: Option<String>,
    /// Accepted, without effect
    #[arg(long)]
    no_ssl: bool,
    /// Replace only the resource sets of this model
    #[arg(long)]
    partial: bool,
    /// Accepted, without effect
    #[arg(long)]
    allow_handler_code_update: bool,
    /// Remove a resource set
    #[arg(long)]
    delete_resource_set: Vec<String>,
    /// Keep sets that still have resources
    #[arg(long)]
    soft_delete: bool,
}

/// Runs the command line of `inmanta`.
pub(crate) fn main(args: Vec<OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            return if error.use_stderr() { ExitCode::from(USAGE) } else { ExitCode::SUCCESS };
        }
    };
    let done = match &cli.command {
        _ if cli.global.version => say(&format!(
            "Inmanta Service Orchestrator (Open Source Edition): {VERSION}\nExtensions:\n    * core: {VERSION}\n"
        )),
        None => say(&format!("{}\n", Cli::command().render_usage())),
        Some(Command::Help { command }) => help(command.as_deref()),
        Some(Command::ListCommands) => list_commands(),
        Some(Command::Compile(args)) => compile(&cli.global, &args.common, None),
        Some(Command::Export(args)) => compile(&cli.global, &args.common, Some(args)),
        Some(Command::Modules { command: ModulesCommand::List { .. } }) => list(&cli.global),
        Some(Command::Project { command: ProjectCommand::Init { name, output_dir, .. } }) => {
            init(name, output_dir)
        }
    };
    match done {
        Ok(code) => code,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => fail(&error.to_string()),
    }
}

fn say(text: &str) -> io::Result<ExitCode> {
    io::stdout().write_all(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

fn fail(text: &str) -> ExitCode {
    let _ = writeln!(io::stderr(), "{text}");
    ExitCode::FAILURE
}

fn help(command: Option<&str>) -> io::Result<ExitCode> {
    let mut cli = Cli::command();
    let text = match command {
        None => cli.render_help(),
        Some(name) => match cli.find_subcommand_mut(name) {
            Some(found) => found.render_help(),
            None => return Ok(fail(&format!("there is no command {name}"))),
        },
    };
    say(&text.to_string())
}

fn list_commands() -> io::Result<ExitCode> {
    let mut text = String::from("The following commands are available:\n");
    for command in Cli::command().get_subcommands() {
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        text.push_str(&format!(" {}: {about}\n", command.get_name()));
    }
    say(&text)
}

/// The project that contains the working directory.
fn project() -> io::Result<Option<PathBuf>> {
    let here = std::env::current_dir()?;
    let world = HostWorld::new();
    let found = Project::around(&world, &here);
    // Paths in messages are relative if possible.
    Ok(found.map(|found| if found == here { PathBuf::from(".") } else { found }))
}

/// The result of a compile.
struct CompileOutput {
    warnings: Vec<String>,
    printed: String,
    error: Option<String>,
    data: String,
    resources: Result<resource::Export, String>,
}

fn compile(global: &Global, args: &CommonArgs, exporting: Option<&Export>) -> io::Result<ExitCode> {
    if let Some(exporting) = exporting
        && let Some(why) = conflict(exporting)
    {
        return Ok(fail(&why));
    }
    let Some(directory) = project()? else {
        return Ok(fail("Unable to find an inmanta project (project.yml expected)"));
    };
    let main = directory.join(&args.main_file);
    if !main.is_file() {
        header("COMPILATION FAILURE");
        let text = format!("Error: [Errno 2] No such file or directory: '{}'", main.display());
        return Ok(fail(&text));
    }
    let output = match run(global, args, exporting.is_some(), &main) {
        Ok(output) => output,
        Err(text) => {
            header("COMPILATION FAILURE");
            return Ok(fail(&format!("Error: {text}")));
        }
    };
    let mut out = io::stdout().lock();
    if global.warnings != Warnings::Ignore {
        for warning in &output.warnings {
            writeln!(out, "compiler       WARNING {warning}")?;
        }
    }
    out.write_all(output.printed.as_bytes())?;
    if args.export_compile_data {
        let mut out = private_file::create(&directory.join(&args.export_compile_data_file))?;
        out.write_all(output.data.as_ref())?;
    }
    if let Some(error) = &output.error {
        header("COMPILATION FAILURE");
        return Ok(fail(error));
    }
    if let Some(exporting) = exporting
        && let Err(text) = write_export(exporting, args, &output, &directory, &mut out)?
    {
        header("EXPORT FAILURE");
        return Ok(fail(&format!("Error: {text}")));
    }
    header("SUCCESS");
    Ok(ExitCode::SUCCESS)
}

/// The error about arguments that exclude each other.
fn conflict(args: &Export) -> Option<String> {
    if !args.partial && !args.delete_resource_set.is_empty() {
        return Some(
            "A full export was requested but resource sets were marked for deletion. Deleting a \
             resource set can only be performed during a partial export, with --partial."
                .into(),
        );
    }
    let metadata = args.metadata.as_deref()?;
    let is_object =
        serde_json::from_str::<serde_json::Value>(metadata).is_ok_and(|m| m.is_object());
    (!is_object).then(|| format!("the metadata is no JSON object: {metadata}"))
}

fn run(
    global: &Global,
    args: &CommonArgs,
    exports: bool,
    main: &Path,
) -> Result<CompileOutput, String> {
    let sources = SourceMap::new();
    let mut settings = Vec::new();
    if let Some(environment) = &args.environment {
        set(&mut settings, "config", "environment", environment.clone());
    }
    let model = Model {
        path: main,
        has_std: true,
        modulepath: Vec::new(),
        config: global.config.clone(),
        settings,
        parameters: None,
        world: Arc::new(HostWorld::new()),
    };
    let output = on_deep_stack(STACK_SIZE, || {
        with_outcome(&model, &sources, |outcome| summarize(outcome, global, exports))
    });
    output.map_err(|diagnostic| diagnostic.message)
}

fn summarize(outcome: &mut Outcome<'_>, global: &Global, exports: bool) -> CompileOutput {
    let files = &outcome.net.program.files;
    let shown = |warning: &ordain_inmanta::diagnostics::Warning| match warning.class.as_str() {
        "" => warning.text.clone(),
        class => format!("{class}: {}", warning.text),
    };
    let is_loose = |module: &&LoadedModule| {
        let has_git = |path: &PathBuf| path.join(".git").exists();
        module.is_old && !module.directory.as_ref().is_some_and(has_git)
    };
    let loose = outcome.modules.iter().filter(is_loose).map(|module| {
        let name = &module.name;
        format!(
            "Module {name} is not version controlled, we recommend you do this as soon as possible."
        )
    });
    let mut warnings: Vec<String> = loose.collect();
    for warning in outcome.warnings().iter().map(shown) {
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }
    let data = outcome.without_passwords(output::compile_data(outcome.error.as_deref(), files));
    let mut error = outcome.error.as_ref().map(|error| explained(error, files));
    if global.warnings == Warnings::Error && error.is_none() {
        error = warnings.first().map(|warning| format!("Error: {warning}"));
    }
    let resources = match exports && error.is_none() {
        true => {
            let found = outcome.export();
            let files = &outcome.net.program.files;
            let hidden = |text| outcome.without_passwords(text);
            found.map_err(|error| hidden(error.trace(files)))
        }
        false => Ok(resource::Export::default()),
    };
    let error = error.map(|text| outcome.without_passwords(text));
    let warnings = warnings.into_iter().map(|text| outcome.without_passwords(text)).collect();
    CompileOutput { warnings, printed: outcome.printed(), error, data, resources }
}

/// An error with its long explanation, as the original program prints it.
fn explained(error: &Error, files: &Files) -> String {
    let trace = error.trace(files);
    match error.explained() {
        Some(text) => format!("{}\n\n{}", trace.trim_matches('\n'), text.trim_matches('\n')),
        None => format!("Error: {}", trace.trim_matches('\n')),
    }
}

/// Writes the export. The inner result is an error for the user.
fn write_export(
    args: &Export,
    common: &CommonArgs,
    output: &CompileOutput,
    directory: &Path,
    out: &mut dyn Write,
) -> io::Result<Result<(), String>> {
    let has_environment = common.environment.is_some();
    if !has_environment && !args.partial {
        let text = "The environment for this model should be set for export to server!";
        writeln!(out, "exporter       WARNING {text}")?;
    }
    let resources = match &output.resources {
        Ok(resources) => resources,
        Err(text) => return Ok(Err(text.clone())),
    };
    if resources.resources.is_empty() {
        writeln!(out, "exporter       WARNING Empty deployment model.")?;
    }
    let Some(file) = &args.json else {
        let text = match has_environment {
            true => "no server is asked: -j FILE writes the resources to a file",
            false => "The environment for this model should be set!",
        };
        writeln!(out, "exporter       ERROR   {text}")?;
        return Ok(Err(text.to_owned()));
    };
    let mut out = private_file::create(&directory.join(file))?;
    out.write_all(resources.text().as_bytes())?;
    Ok(Ok(()))
}

/// Prints the line with the result of a run.
fn header(text: &str) {
    let middle = format!("= {text} =");
    let side = "=".repeat((WIDTH - middle.len()) / 2);
    let _ = writeln!(io::stderr(), "\n{side}{middle}{side}");
}

fn list(global: &Global) -> io::Result<ExitCode> {
    let Some(directory) = project()? else {
        return Ok(fail("Unable to find an inmanta project (project.yml expected)"));
    };
    let main = directory.join(MAIN);
    let model = Model {
        path: &main,
        has_std: true,
        modulepath: Vec::new(),
        config: global.config.clone(),
        settings: Vec::new(),
        parameters: None,
        world: Arc::new(HostWorld::new()),
    };
    match modules(&model) {
        Ok(rows) => say(&table(
            &["Name", "Type", "Editable", "Installed version", "Expected in project", "Matches"],
            &rows,
        )),
        Err(diagnostic) => Ok(fail(&diagnostic.message)),
    }
}

/// The files of a new project besides its `project.yml`.
const FILES: [(&str, &str); 3] = [
    (MAIN, "import std\n"),
    ("requirements.txt", ""),
    (".gitignore", "libs/\n.env/\n.cfcache/\n*.pyc\n__pycache__/\ndata/\n"),
];

fn init(name: &str, output: &Path) -> io::Result<ExitCode> {
    let is_name = !name.is_empty()
        && name != "."
        && name != ".."
        && !name.contains(|c: char| c == '/' || c.is_control());
    if !is_name {
        return Ok(fail(&format!("`{name}` is not a valid project name")));
    }
    let directory = output.join(name);
    if directory.exists() {
        return Ok(fail(&format!("Project directory {} already exists", directory.display())));
    }
    std::fs::create_dir_all(directory.join("libs"))?;
    let quoted = serde_json::Value::from(name);
    let text = format!(
        "name: {quoted}\ndescription: {quoted}\nmodulepath: libs\ndownloadpath: libs\nrepo: []\n\
         pip:\n  use_system_config: true\n"
    );
    std::fs::write(directory.join("project.yml"), text)?;
    for (file, text) in FILES {
        std::fs::write(directory.join(file), text)?;
    }
    Ok(ExitCode::SUCCESS)
}
