//! `ordain deploy`: makes environments of the branches of control repositories.

mod output;
mod puppetfile;
mod settings;

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use ordain_deploy::{DEFAULT_REVISIONS, EnvironmentDir, EnvironmentReport, Request, Settings};
use ordain_source::{Diagnostic, SourceMap, suggest};
use serde_json::json;

use crate::codes;
use crate::exit::{Exit, Failure};
use crate::options::TextOrJson;
use crate::ui::Ui;
use settings::{configuration, configured, message, shown, with_cache};

/// Make environments of the branches of control repositories, with the modules of their Puppetfiles
///
/// Each environment is a link to a revision, which never changes. The link is replaced when all
/// files are there. Without ENVIRONMENT all branches are deployed. An environment that fails keeps
/// its revision, and the exit code is 1.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ordain deploy --config r10k.yaml
  ordain deploy --remote https://git.example.org/control --to environments
  ordain deploy main --config r10k.yaml --dry-run
  ordain deploy puppetfile")]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct DeployArgs {
    #[command(subcommand)]
    command: Option<DeployCommand>,
    #[command(flatten)]
    deploy: BranchArgs,
}

/// The subcommands.
#[derive(Subcommand)]
enum DeployCommand {
    Module(ModuleArgs),
    Puppetfile(puppetfile::PuppetfileArgs),
    List(ListArgs),
    Rollback(RollbackArgs),
}

/// The place of environments.
#[derive(Args)]
struct PlaceArgs {
    /// The settings, in the format of r10k; default: `r10k.yaml` here,
    /// `/etc/puppetlabs/r10k/r10k.yaml` or `/etc/r10k.yaml`
    #[arg(long, short, value_name = "FILE", conflicts_with = "to")]
    config: Option<PathBuf>,
    /// The directory of environments
    #[arg(long, value_name = "DIR")]
    to: Option<PathBuf>,
}

/// The arguments of a deploy of branches.
#[derive(Args)]
struct BranchArgs {
    /// The environments, or the names of their branches
    environments: Vec<String>,
    /// Also deploy revisions that a rollback left
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    sources: SourceArgs,
}

/// Deploy modules in the environments that have them
///
/// The branch and all other modules stay as they are deployed: each environment gets a new revision
/// that differs in these modules only. Environments that do not declare any of them stay.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ordain deploy module ntp --environment main")]
struct ModuleArgs {
    /// The modules, by the names of their directories
    #[arg(required = true, value_name = "MODULE")]
    modules: Vec<String>,
    /// Only in this environment; may be repeated
    #[arg(long = "environment", short, value_name = "ENVIRONMENT", value_delimiter = ',')]
    environments: Vec<String>,
    #[command(flatten)]
    sources: SourceArgs,
}

/// The sources of a deploy, and its limits.
#[derive(Args)]
struct SourceArgs {
    #[command(flatten)]
    place: PlaceArgs,
    /// The control repository, in place of those of a file
    #[arg(long, value_name = "URL", requires = "to", conflicts_with = "config")]
    remote: Option<String>,
    /// The directory of mirrors and downloads
    #[arg(long, value_name = "DIR")]
    cachedir: Option<PathBuf>,
    /// Only fetch, and show what would change
    #[arg(long)]
    dry_run: bool,
    /// Fail if another deploy is running
    #[arg(long)]
    no_wait: bool,
    /// The branch of modules that lack the wanted one
    #[arg(long, value_name = "BRANCH")]
    default_branch_override: Option<String>,
    /// The number of revisions of an environment that stay
    #[arg(long, value_name = "COUNT", default_value_t = DEFAULT_REVISIONS)]
    keep: usize,
    /// The output format
    #[arg(long, value_name = "FORM", default_value = "text")]
    format: TextOrJson,
}

/// List environments, or the revisions of one
#[derive(Args)]
#[command(after_help = "\
Examples:
  ordain deploy list
  ordain deploy list main --to environments")]
struct ListArgs {
    /// The environment whose revisions are listed
    environment: Option<String>,
    #[command(flatten)]
    place: PlaceArgs,
    /// The output format
    #[arg(long, value_name = "FORM", default_value = "text")]
    format: TextOrJson,
}

/// Switch an environment to an older revision
///
/// Without REVISION it is the one that was deployed before. Later deploys leave the environment
/// there until its sources have something new, or --force is given.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ordain deploy rollback main
  ordain deploy rollback main 4c1f9a2e")]
struct RollbackArgs {
    /// The environment
    environment: String,
    /// The start of a revision, as `ordain deploy list ENVIRONMENT` shows it
    revision: Option<String>,
    #[command(flatten)]
    place: PlaceArgs,
    /// The output format
    #[arg(long, value_name = "FORM", default_value = "text")]
    format: TextOrJson,
}

/// Runs the verb.
///
/// # Errors
/// When nothing can be deployed.
pub(super) fn run(ui: &mut Ui, args: &DeployArgs) -> Result<Exit, Failure> {
    match &args.command {
        None => {
            let BranchArgs { environments, force, sources } = &args.deploy;
            let request = sources.request(environments);
            deploy(ui, sources, &Request { force: *force, ..request })
        }
        Some(DeployCommand::Module(args)) => {
            let request = args.sources.request(&args.environments);
            deploy(ui, &args.sources, &Request { modules: args.modules.clone(), ..request })
        }
        Some(DeployCommand::Puppetfile(args)) => puppetfile::run(ui, args),
        Some(DeployCommand::List(args)) => list(ui, args),
        Some(DeployCommand::Rollback(args)) => rollback(ui, args),
    }
}

impl SourceArgs {
    /// The request for environments.
    fn request(&self, environments: &[String]) -> Request {
        Request {
            environments: environments.to_vec(),
            dry_run: self.dry_run,
            no_wait: self.no_wait,
            default_branch_override: self.default_branch_override.clone(),
            ..Request::default()
        }
    }
}

fn deploy(ui: &mut Ui, args: &SourceArgs, request: &Request) -> Result<Exit, Failure> {
    let texts = SourceMap::new();
    let settings = match (&args.remote, &args.place.to) {
        (Some(remote), Some(to)) => Settings::for_remote(remote, to).map_err(message)?,
        (None, Some(_)) => {
            let text = "`--to` needs the control repository";
            let error = Diagnostic::error(codes::ARGUMENTS, text);
            return Err(error.help("name it with `--remote URL`").into());
        }
        _ => {
            let path = args.place.config.as_deref();
            if let Some(command) = misspelled(&request.environments, path) {
                let text = "there is no r10k.yaml, from which an environment is deployed";
                let error = Diagnostic::error(codes::ARGUMENTS, text);
                return Err(error.help(format!("did you mean `ordain deploy {command}`?")).into());
            }
            configured(ui, path, &texts)?
        }
    };
    let settings = settings.with_revisions(args.keep);
    let settings = with_cache(settings, args.cachedir.as_deref())?;
    let report = match ordain_deploy::deploy(&settings, request, &texts) {
        Ok(report) => report,
        Err(error) => return Err(shown(ui, error, &texts)),
    };
    match args.format {
        TextOrJson::Json => writeln!(ui.document(), "{}", report.to_json())?,
        TextOrJson::Text => output::report(ui, &report)?,
    }
    let exit = if report.has_errors() { Exit::Failed } else { Exit::Done };
    ui.diagnostics(report.diagnostics, &texts);
    Ok(exit)
}

/// The subcommand that somebody may mean who names an environment without any settings.
fn misspelled(environments: &[String], config: Option<&Path>) -> Option<&'static str> {
    let [name] = environments else { return None };
    if configuration(config).is_some() {
        return None;
    }
    suggest::nearest(name, ["module", "puppetfile", "list", "rollback"])
}

/// The directories of environments.
fn bases(ui: &mut Ui, place: &PlaceArgs) -> Result<Vec<PathBuf>, Failure> {
    match &place.to {
        Some(to) => Ok(vec![to.clone()]),
        None => {
            let settings = configured(ui, place.config.as_deref(), &SourceMap::new())?;
            Ok(settings.base_directories())
        }
    }
}

fn list(ui: &mut Ui, args: &ListArgs) -> Result<Exit, Failure> {
    let mut found = Vec::new();
    for directory in bases(ui, &args.place)? {
        let base = EnvironmentDir::new(directory.clone());
        for name in base.environments().map_err(message)? {
            if args.environment.as_ref().is_none_or(|wanted| *wanted == name) {
                let records = base.list(&name).map_err(message)?;
                let current = base.current(&name);
                found.push(output::Listed { directory: directory.clone(), name, current, records });
            }
        }
    }
    if let Some(name) = args.environment.as_ref().filter(|_| found.is_empty()) {
        return Err(unknown(name).into());
    }
    if args.format == TextOrJson::Json {
        let environments: serde_json::Value = found.iter().map(output::Listed::to_json).collect();
        let out =
            json!({ "format": "ordain-deployed", "version": 1, "environments": environments });
        writeln!(ui.document(), "{out}")?;
        return Ok(Exit::Done);
    }
    if found.is_empty() {
        writeln!(ui.out(), "No environment was deployed.")?;
    }
    for listed in &found {
        output::listed(ui, listed, args.environment.is_some())?;
    }
    Ok(Exit::Done)
}

fn unknown(name: &str) -> Diagnostic {
    let error = Diagnostic::error(codes::UNKNOWN_NAME, format!("there is no environment {name}"));
    error.help("`ordain deploy list` lists the environments")
}

fn rollback(ui: &mut Ui, args: &RollbackArgs) -> Result<Exit, Failure> {
    let mut there = Vec::new();
    for directory in bases(ui, &args.place)? {
        if EnvironmentDir::new(directory.clone()).current(&args.environment).is_some() {
            there.push(directory);
        }
    }
    let Some(directory) = there.into_iter().next() else {
        return Err(unknown(&args.environment).into());
    };
    let revision = args.revision.as_deref();
    let report: EnvironmentReport =
        ordain_deploy::rollback(directory, &args.environment, revision).map_err(message)?;
    let report = ordain_deploy::Report { environments: vec![report], ..Default::default() };
    match args.format {
        TextOrJson::Json => writeln!(ui.document(), "{}", report.to_json())?,
        TextOrJson::Text => output::report(ui, &report)?,
    }
    Ok(Exit::Done)
}
