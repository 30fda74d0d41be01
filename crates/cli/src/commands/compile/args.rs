//! The arguments of `ordain compile`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use ordain_driver::Options;

use super::static_args::StaticArgs;
use crate::options::{CompileArgs, Edition, at_least_one};

/// Compile a manifest, control repository, model of Inmanta or program of mgmt
///
/// PATH is a manifest (.pp), a directory with environment.conf, manifests/, modules/, hiera.yaml
/// or data/, or `-` for standard input; or a program of mgmt (.mcl), or a directory with its
/// metadata.yaml or main.mcl; or a model of Inmanta (.cf), or a directory with its project.yml or
/// main.cf.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ordain compile site.pp
  ordain compile . --node web1.example.org --facts web1.json --format puppet-catalog
  ordain compile . --facts facts/ --out catalogs/ --format puppet-catalog
  ordain compile . --static --code-id $(git rev-parse HEAD) --format puppet-catalog
  ordain compile - --format dot < site.pp | dot -Tsvg")]
pub(crate) struct CompileCommandArgs {
    /// A manifest, a directory, or -
    #[arg(default_value = ".")]
    pub(super) path: PathBuf,
    /// The output format
    #[arg(long, value_name = "FORM", default_value = "graph")]
    pub(super) format: Format,
    /// Write secrets in plain text in a graph or model; catalogs and exports always have
    /// them, as agents need them
    #[arg(long)]
    pub(super) include_secrets: bool,
    /// Compile many nodes at once: a file with a name a line, or - for standard input. --facts and
    /// --node-data may then be directories with a file for each node; without --nodes, facts of a
    /// directory are those of the nodes to compile
    #[arg(long, value_name = "FILE", requires = "out", conflicts_with = "node")]
    pub(super) nodes: Option<PathBuf>,
    /// Write a file for each node to a directory. Files with secrets, as all catalogs may be, are
    /// readable by their owner only
    #[arg(short, long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// How many nodes at the same time [default: as many as there are processors]
    #[arg(long, value_name = "N", requires = "out", value_parser = at_least_one)]
    pub(super) jobs: Option<NonZeroUsize>,
    /// Answer requests on standard input, one per line as JSON, until it ends. rspec-puppet compiles
    /// through this; docs/testing.md describes the lines. All other arguments are ignored
    #[arg(long, exclusive = true)]
    pub(super) requests: bool,
    /// Do not import `std` everywhere in a model of Inmanta
    #[arg(long)]
    pub(super) no_std: bool,
    /// The edition of mcl
    #[arg(long, value_name = "EDITION", default_value = "wide")]
    pub(super) edition: Edition,
    #[command(flatten)]
    pub(super) static_catalog: StaticArgs,
    #[command(flatten)]
    pub(super) compile: CompileArgs,
}

/// The output format of a compiled graph.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// Ordain's graph as JSON, with the origin of every value
    Graph,
    /// Puppet's catalog as JSON, as agents apply it
    PuppetCatalog,
    /// The graph as YAML
    Yaml,
    /// The graph as DOT, for Graphviz
    Dot,
    /// The sorted lines of mgmt's own graphs, for programs of mgmt
    Mgmt,
    /// Variables, instances, output and resources as JSON, or the error, for models of Inmanta
    Json,
    /// The resources as `inmanta export -j` writes them, for models of Inmanta
    Resources,
}

impl Format {
    /// The file extension of this format.
    pub(super) fn ending(self) -> &'static str {
        match self {
            Self::Graph | Self::PuppetCatalog | Self::Json | Self::Resources => "json",
            Self::Yaml => "yaml",
            Self::Dot => "dot",
            Self::Mgmt => "txt",
        }
    }
}

impl CompileCommandArgs {
    pub(super) fn options(&self) -> Options {
        let static_catalog = self.static_catalog.options();
        // A catalog has the places of resources, but not those of attributes. Only errors about
        // files of a static catalog need them.
        let is_catalog = self.format == Format::PuppetCatalog;
        Options {
            has_history: !is_catalog || static_catalog.is_some(),
            edition: self.edition.into(),
            imports_std: !self.no_std,
            static_catalog,
            is_last_compile: true,
            ..self.compile.options()
        }
    }
}
