//! The options of compiles, for all subcommands that compile.

use std::path::PathBuf;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use ordain_driver::Options;

use crate::options::Strict;

/// The options of the compiles.
#[derive(Args)]
#[command(next_help_heading = "Compiling")]
pub(crate) struct FleetCompileArgs {
    /// The environment's name [default: production]
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    environment: Option<String>,
    /// Module directories, separated by colons; the first one wins
    #[arg(long, value_name = "DIRS", value_parser = NonEmptyStringValueParser::new())]
    modulepath: Option<String>,
    /// The hiera.yaml of the global layer
    #[arg(long, value_name = "FILE")]
    hiera: Option<PathBuf>,
    /// The severity of questionable code
    #[arg(long, value_name = "WHAT", default_value = "error")]
    strict: Strict,
    /// Whether an unknown variable is an error
    #[arg(long, value_name = "BOOL", default_value = "true", num_args = 0..=1)]
    #[arg(default_missing_value = "true", action = clap::ArgAction::Set)]
    strict_variables: bool,
    /// Also give manifests the legacy flat facts, such as $osfamily
    #[arg(long)]
    legacy_facts: bool,
}

impl FleetCompileArgs {
    /// The options for the driver.
    pub(crate) fn options(&self) -> Options {
        Options {
            environment: self.environment.clone(),
            modulepath: self.modulepath.clone(),
            hiera: self.hiera.clone(),
            strict: self.strict.into(),
            strict_variables: self.strict_variables,
            legacy_facts: self.legacy_facts,
            ..Options::default()
        }
    }
}
