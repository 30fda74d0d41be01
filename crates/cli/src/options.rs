//! Arguments that several verbs share. Their doc comments are the help text.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, ValueEnum};
use clap_complete::engine::ArgValueCompleter;
use ordain_driver::Options;
use ordain_source::process::{self, ProcessLimits};

use crate::complete;

/// Arguments of every verb.
#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub(crate) struct GlobalArgs {
    /// When to use colour
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
    /// How to print errors, warnings and log messages
    #[arg(long, global = true, value_name = "FORM", default_value = "human")]
    pub diagnostics: DiagnosticsForm,
    /// Say more: -v for reasons, -vv for debugging
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
    /// Print results and errors only
    #[arg(short, long, global = true)]
    pub quiet: bool,
    #[command(flatten)]
    pub children: ChildArgs,
    /// Multiply the limits on steps, memory and time of evaluations
    #[arg(long, global = true, value_name = "FACTOR", env = "ORDAIN_LIMITS", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1000), hide_default_value = true)]
    #[arg(help_heading = "Limits")]
    pub limits: u32,
}

/// Limits of programs that run for facts, functions and commands.
#[derive(Args, Debug)]
#[command(next_help_heading = "Programs that are run")]
pub(crate) struct ChildArgs {
    /// Timeout of programs that a compile runs; default: 60
    #[arg(long, global = true, value_name = "SECONDS", env = COMMAND_TIMEOUT)]
    pub command_timeout: Option<u32>,
    /// Maximum output of a program; default: 64
    #[arg(long, global = true, value_name = "MIB", env = COMMAND_OUTPUT)]
    pub command_output: Option<u32>,
}

const COMMAND_TIMEOUT: &str = "ORDAIN_COMMAND_TIMEOUT";
const COMMAND_OUTPUT: &str = "ORDAIN_COMMAND_OUTPUT";

impl ChildArgs {
    /// Sets the limits in the environment variables, for the command lines of other programs.
    /// Ignores a variable that is no number.
    pub(crate) fn of_environment() {
        let number = |name| std::env::var(name).ok().and_then(|text| text.parse().ok());
        let args = Self {
            command_timeout: number(COMMAND_TIMEOUT),
            command_output: number(COMMAND_OUTPUT),
        };
        args.set();
    }

    /// Sets the limits of the arguments.
    pub(crate) fn set(&self) {
        let usual = ProcessLimits::default();
        let seconds = self.command_timeout.map(|seconds| Duration::from_secs(seconds.into()));
        let bytes = self.command_output.map(|mebibytes| u64::from(mebibytes) << 20);
        process::set_limits(ProcessLimits {
            time: seconds.unwrap_or(usual.time),
            output: bytes.unwrap_or(usual.output),
        });
    }
}

/// When to use colour.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub(crate) enum Color {
    /// On a terminal; `NO_COLOR` and `CLICOLOR_FORCE` are honoured
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// The format of diagnostics.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub(crate) enum DiagnosticsForm {
    /// With the lines of the source
    Human,
    /// One JSON object per line
    Json,
}

/// The severity of questionable code.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub enum Strict {
    /// Nothing
    Off,
    /// A warning
    Warning,
    /// An error
    Error,
}

impl From<Strict> for ordain_graph::language::Strict {
    fn from(strict: Strict) -> Self {
        match strict {
            Strict::Off => Self::Off,
            Strict::Warning => Self::Warning,
            Strict::Error => Self::Error,
        }
    }
}

/// The resources of models that handlers deploy, instead of the kinds of the engine.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub(crate) enum Handlers {
    /// Those that Ordain has no kind for, with references, or reached over a connection
    Needed,
    /// All
    All,
    /// None: an agent's resources are those of this machine, whatever their connections are
    None,
}

impl From<Handlers> for ordain_driver::Handlers {
    fn from(handlers: Handlers) -> Self {
        match handlers {
            Handlers::Needed => Self::Needed,
            Handlers::All => Self::All,
            Handlers::None => Self::None,
        }
    }
}

/// Text or JSON.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub(crate) enum TextOrJson {
    /// For people
    Text,
    /// For programs
    Json,
}

/// The options of a compile: node, facts, modules, settings.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Compiling")]
pub(crate) struct CompileArgs {
    /// The node's name; default: from the facts, else this machine's full name
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    #[arg(add = ArgValueCompleter::new(complete::nodes))]
    pub node: Option<String>,
    /// Facts as JSON or YAML; default: those of this machine
    #[arg(long, value_name = "FILE")]
    pub facts: Option<PathBuf>,
    /// The answer of a node classifier, as JSON: parameters, classes, trusted, environment
    #[arg(long, value_name = "FILE")]
    pub node_data: Option<PathBuf>,
    /// The environment's name [default: production]
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    #[arg(add = ArgValueCompleter::new(complete::environments))]
    pub environment: Option<String>,
    /// Module directories, separated by colons; the first one wins
    #[arg(long, value_name = "DIRS", value_parser = NonEmptyStringValueParser::new())]
    pub modulepath: Option<String>,
    /// The hiera.yaml of the global layer
    #[arg(long, value_name = "FILE")]
    pub hiera: Option<PathBuf>,
    /// The directory of exported resources, or the address of a store of values that mcl programs
    /// share; without it none are exported, collected or shared
    #[arg(long, value_name = "DIR", env = "ORDAIN_STORE")]
    pub store: Option<PathBuf>,
    /// The severity of questionable code
    #[arg(long, value_name = "WHAT", default_value = "error")]
    pub strict: Strict,
    /// Whether an unknown variable is an error
    #[arg(long, value_name = "BOOL", default_value = "true", num_args = 0..=1)]
    #[arg(default_missing_value = "true", action = clap::ArgAction::Set)]
    pub strict_variables: bool,
    /// Directories of manifests of kinds that other programs implement
    #[arg(long, value_name = "DIR", env = "ORDAIN_KINDS", value_delimiter = ':')]
    pub kinds: Vec<PathBuf>,
    /// A stub that is merged into a YAML document of resources; the last one wins
    #[arg(long = "stub", value_name = "FILE")]
    pub stubs: Vec<PathBuf>,
    /// Also give manifests the legacy flat facts, such as $osfamily
    #[arg(long)]
    pub legacy_facts: bool,
    /// Resource types that are applied by the Ruby code of modules, even if Ordain has a kind of that
    /// name; separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    #[arg(value_parser = NonEmptyStringValueParser::new())]
    pub ruby_types: Vec<String>,
    /// The resources of models that the handlers of their modules deploy
    #[arg(long, value_name = "WHICH", default_value = "needed")]
    pub handlers: Handlers,
    /// The lib directory of an installed Puppet, for modules that use more of Puppet's libraries than
    /// Ordain has
    #[arg(long, value_name = "DIR")]
    pub puppet_libs: Option<PathBuf>,
}

impl CompileArgs {
    /// The options for the driver.
    pub(crate) fn options(&self) -> Options {
        Options {
            node: self.node.clone(),
            facts: self.facts.clone(),
            node_data: self.node_data.clone(),
            environment: self.environment.clone(),
            modulepath: self.modulepath.clone(),
            hiera: self.hiera.clone(),
            store: self.store.clone(),
            strict: self.strict.into(),
            strict_variables: self.strict_variables,
            kinds: self.kinds.clone(),
            stubs: self.stubs.clone(),
            legacy_facts: self.legacy_facts,
            ruby_types: self.ruby_types.clone(),
            puppet_libs: self.puppet_libs.clone(),
            handlers: self.handlers.into(),
            ..Options::default()
        }
    }
}

/// Parses a number of parallel jobs.
///
/// # Errors
/// The error message.
pub(crate) fn at_least_one(text: &str) -> Result<NonZeroUsize, String> {
    match text.parse::<usize>() {
        Ok(number) => NonZeroUsize::new(number).ok_or_else(|| "at least 1 is needed".into()),
        Err(_) => Err(format!("`{text}` is not a positive integer")),
    }
}

/// Parses the number of a run.
///
/// # Errors
/// The error message.
pub(crate) fn number_of_run(text: &str) -> Result<i64, String> {
    let help = "`ordain history` lists the numbers of runs";
    text.parse().map_err(|_| format!("it is not an integer; {help}"))
}

/// The edition of mcl.
#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum, Debug)]
pub(crate) enum Edition {
    /// Everything that mgmt, its last releases and its guide accept
    #[default]
    Wide,
    /// Exactly the language of mgmt
    Upstream,
}

#[cfg(feature = "full")]
impl From<Edition> for ordain_mcl::Edition {
    fn from(edition: Edition) -> Self {
        match edition {
            Edition::Wide => Self::Wide,
            Edition::Upstream => Self::Upstream,
        }
    }
}
