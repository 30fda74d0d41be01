//! Arguments that several verbs have. Their doc comments are the help text.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use ecow::EcoString;
use ordain_engine::kinds::external::{self, ExternalType};
use ordain_engine::registry::Registry;
use ordain_puppet::load::RubyType;
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
    /// Allow so many times the usual steps, memory and time for what is evaluated
    #[arg(long, global = true, value_name = "FACTOR", env = "ORDAIN_LIMITS", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1000), hide_default_value = true)]
    #[arg(help_heading = "Limits")]
    pub limits: u32,
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
    #[arg(long, value_name = "NAME")]
    pub node: Option<String>,
    /// Facts as JSON or YAML; default: those of this machine
    #[arg(long, value_name = "FILE")]
    pub facts: Option<PathBuf>,
    /// What a node classifier says, as JSON: parameters, classes, trusted, environment
    #[arg(long, value_name = "FILE")]
    pub node_data: Option<PathBuf>,
    /// The environment's name [default: production]
    #[arg(long, value_name = "NAME")]
    pub environment: Option<String>,
    /// Where modules are, separated by colons, first wins
    #[arg(long, value_name = "DIRS")]
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
}

impl CompileArgs {
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
