//! Arguments that several verbs have. Their doc comments are the help text.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, ValueEnum};
use ecow::EcoString;
use ordain_engine::kinds::external::{self, ExternalType};
use ordain_engine::registry::Registry;
use ordain_puppet::deferred::Deferral;
use ordain_puppet::load::RubyType;
use ordain_source::process::{self, ProcessLimits};
use ordain_source::{Diagnostic, SourceMap, Touched};
use ordain_store::ExportStore;

use crate::codes;

/// Arguments of every verb.
#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub struct GlobalArgs {
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
    /// Allow so many times the usual steps, memory and time for what is evaluated
    #[arg(long, global = true, value_name = "FACTOR", env = "ORDAIN_LIMITS", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1000), hide_default_value = true)]
    #[arg(help_heading = "Limits")]
    pub limits: u32,
}

/// What programs may use that are run for facts, functions and commands.
#[derive(Args, Debug)]
#[command(next_help_heading = "Programs that are run")]
pub struct ChildArgs {
    /// How long a program may take that a compile runs; default: 60
    #[arg(long, global = true, value_name = "SECONDS", env = COMMAND_TIMEOUT)]
    pub command_timeout: Option<u32>,
    /// How much a program may print; default: 64
    #[arg(long, global = true, value_name = "MIB", env = COMMAND_OUTPUT)]
    pub command_output: Option<u32>,
}

const COMMAND_TIMEOUT: &str = "ORDAIN_COMMAND_TIMEOUT";
const COMMAND_OUTPUT: &str = "ORDAIN_COMMAND_OUTPUT";

impl ChildArgs {
    /// Sets what the environment says, for those who call this program by another name. What is no
    /// number counts as nothing there.
    pub fn of_environment() {
        let number = |name| std::env::var(name).ok().and_then(|text| text.parse().ok());
        let args = Self {
            command_timeout: number(COMMAND_TIMEOUT),
            command_output: number(COMMAND_OUTPUT),
        };
        args.set();
    }

    /// Sets what was asked for.
    pub fn set(&self) {
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
pub enum Color {
    /// On a terminal; `NO_COLOR` and `CLICOLOR_FORCE` are honoured
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// How diagnostics are printed.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub enum DiagnosticsForm {
    /// With the lines of the source
    Human,
    /// One JSON object a line
    Json,
}

/// What questionable code gives.
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

/// Text or JSON.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub enum TextOrJson {
    /// For people
    Text,
    /// For programs
    Json,
}

/// How to compile: node, facts, modules, settings.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Compiling")]
pub struct CompileArgs {
    /// The node's name; default: from the facts, else this machine's full name
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    pub node: Option<String>,
    /// Facts as JSON or YAML; default: those of this machine
    #[arg(long, value_name = "FILE")]
    pub facts: Option<PathBuf>,
    /// What a node classifier says, as JSON: parameters, classes, trusted, environment
    #[arg(long, value_name = "FILE")]
    pub node_data: Option<PathBuf>,
    /// The environment's name [default: production]
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    pub environment: Option<String>,
    /// Where modules are, separated by colons, first wins
    #[arg(long, value_name = "DIRS", value_parser = NonEmptyStringValueParser::new())]
    pub modulepath: Option<String>,
    /// The hiera.yaml of the global layer
    #[arg(long, value_name = "FILE")]
    pub hiera: Option<PathBuf>,
    /// Where exported resources are kept; without it none are exported or collected
    #[arg(long, value_name = "DIR", env = "ORDAIN_STORE")]
    pub store: Option<PathBuf>,
    /// What questionable code gives
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
    /// Also give manifests the flat facts of earlier times, such as $osfamily
    #[arg(long)]
    pub legacy_facts: bool,
    /// Where the paths are noted that a compile reads
    #[arg(skip)]
    pub touched: Touched,
    /// Where the file system of the machine begins, if not at `/`
    #[arg(skip)]
    pub machine: Option<PathBuf>,
    /// Where the texts are kept that a compile reads, if others are kept there, too
    #[arg(skip)]
    pub texts: Option<Arc<SourceMap>>,
    /// What becomes of deferred values
    #[arg(skip)]
    pub deferral: Deferral,
}

/// A number of things to do at the same time.
///
/// # Errors
/// What is wrong with it, in words.
pub fn at_least_one(text: &str) -> Result<NonZeroUsize, String> {
    match text.parse::<usize>() {
        Ok(number) => NonZeroUsize::new(number).ok_or_else(|| "at least 1 is needed".into()),
        Err(_) => Err(format!("`{text}` is no whole number from 1 up")),
    }
}

/// Warnings about directories of a module path that are not there.
pub fn missing_modules(modulepath: Option<&str>) -> Vec<Diagnostic> {
    let given = modulepath.iter().flat_map(|path| path.split(':'));
    let dirs = given.filter(|dir| !dir.is_empty() && !dir.contains('$'));
    let missing = dirs.filter(|dir| !Path::new(dir).is_dir());
    let text = |dir: &str| format!("--modulepath names {dir}, which is no directory");
    missing.map(|dir| Diagnostic::warning(codes::FILE, text(dir))).collect()
}

/// The number of a run.
///
/// # Errors
/// That it is none, in words.
pub fn number_of_run(text: &str) -> Result<i64, String> {
    let help = "`ordain history` lists the numbers of runs";
    text.parse().map_err(|_| format!("it is no whole number; {help}"))
}

/// The arguments that say something to a kind of source; others are named as being of no use.
#[derive(Clone, Copy, Debug)]
pub struct Uses(&'static [&'static str]);

impl Uses {
    /// Those of manifests and control repositories.
    pub const MANIFEST: Self =
        Self(&["--facts", "--node-data", "--environment", "--modulepath", "--hiera", "--store"]);
    /// Those of programs of mgmt.
    pub const PROGRAM: Self = Self(&["--modulepath", "--store"]);
    /// Those of models of Inmanta.
    pub const MODEL: Self = Self(&["--modulepath"]);
    /// Those of graphs, catalogs and plans.
    pub const GRAPH: Self = Self(&["--modulepath"]);
    /// Those of YAML documents.
    pub const DOCUMENT: Self = Self(&["--stub"]);
}

impl CompileArgs {
    /// The arguments that were given, but for those that any source takes.
    fn given(&self) -> impl Iterator<Item = &'static str> {
        let given = [
            ("--facts", self.facts.is_some()),
            ("--node-data", self.node_data.is_some()),
            ("--environment", self.environment.is_some()),
            ("--modulepath", self.modulepath.is_some()),
            ("--hiera", self.hiera.is_some()),
            ("--stub", !self.stubs.is_empty()),
        ];
        given.into_iter().filter(|(_, is_given)| *is_given).map(|(name, _)| name)
    }

    /// Warnings about arguments that say nothing to what is compiled.
    pub fn of_no_use(&self, what: &str, uses: Uses) -> Vec<Diagnostic> {
        // Of several sources, others may use them.
        let is_alone = self.texts.is_none();
        let unused = self.given().filter(|name| is_alone && !uses.0.contains(name));
        let text = |name| format!("{name} says nothing to {what} and is not used");
        unused.map(|name| Diagnostic::warning(codes::ARGUMENTS, text(name))).collect()
    }

    /// Refuses files and directories that were named and are not there, whatever would read them.
    ///
    /// # Errors
    /// Which one it is.
    pub fn check_paths(&self) -> Result<(), Diagnostic> {
        let files = [&self.facts, &self.node_data, &self.hiera].into_iter().flatten();
        let store = self.store.as_deref().and_then(Path::parent);
        let store = store.filter(|parent| *parent != Path::new(""));
        let all = files.chain(&self.stubs).chain(&self.kinds).map(PathBuf::as_path).chain(store);
        let is_missing = |path: &&Path| *path != Path::new("-") && !path.exists();
        if let Some(path) = all.into_iter().find(is_missing) {
            return Err(codes::missing(path));
        }
        // A lookup would go on without it.
        let Some(path) = &self.hiera else { return Ok(()) };
        match ordain_source::read_input(path) {
            Err(error) => Err(codes::unreadable(path, &error)),
            Ok(_) => Ok(()),
        }
    }

    /// Warnings about directories of the module path that are not there, which upstream passes
    /// over, and about those for kinds that have none.
    pub fn missing_modules(&self) -> Vec<Diagnostic> {
        let missing = missing_modules(self.modulepath.as_deref()).into_iter();
        let is_empty = |dir: &&PathBuf| external::read(dir).is_ok_and(|kinds| kinds.is_empty());
        let empty = self.kinds.iter().filter(is_empty).map(|dir| {
            let text = format!("--kinds names {}, which has no manifest of a kind", dir.display());
            Diagnostic::warning(codes::NOTHING, text)
        });
        let hiera = self.hiera.iter().filter(|path| {
            ordain_source::read_input(path).is_ok_and(|text| text.trim_ascii().is_empty())
        });
        let hiera = hiera.map(|path| {
            let text = format!("{} is empty, so no data is found by it", path.display());
            Diagnostic::warning(codes::NOTHING, text)
        });
        missing.chain(empty).chain(hiera).collect()
    }

    /// The kinds that the engine has, those of other programs included.
    ///
    /// # Errors
    /// When a manifest cannot be read.
    pub fn registry(&self) -> Result<Arc<Registry>, Diagnostic> {
        let mut registry = Registry::default();
        for dir in &self.kinds {
            external::register(&mut registry, dir)
                .map_err(|e| Diagnostic::error(codes::MANIFEST, e.to_string()))?;
        }
        Ok(Arc::new(registry))
    }

    /// What Puppet's language has to know of the kinds of other programs.
    ///
    /// # Errors
    /// When a manifest cannot be read.
    pub fn resource_types(&self) -> Result<Vec<(EcoString, RubyType)>, Diagnostic> {
        let mut types = Vec::new();
        for dir in &self.kinds {
            let kinds = external::read(dir)
                .map_err(|e| Diagnostic::error(codes::MANIFEST, e.to_string()))?;
            types.extend(kinds.iter().map(|kind| {
                let ExternalType { name, namevar, attributes } = kind.described();
                let open = attributes.is_none();
                let names = attributes.unwrap_or_else(|| vec![namevar]);
                let names = names.into_iter().map(EcoString::from).collect();
                (name.into(), RubyType::named(names, open))
            }));
        }
        Ok(types)
    }

    /// Where exported resources are kept, if they are.
    ///
    /// # Errors
    /// When it cannot be used.
    pub fn export_store(&self) -> Result<Option<Arc<ExportStore>>, Diagnostic> {
        let store = self.store.as_deref().map(ExportStore::open).transpose();
        Ok(store.map_err(codes::state)?.map(Arc::new))
    }

    /// Where the texts go that a compile reads.
    pub fn sources(&self) -> Arc<SourceMap> {
        self.texts.clone().unwrap_or_else(|| Arc::new(SourceMap::new()))
    }
}
