//! The store and the selection of nodes, and errors, for all subcommands.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use ordain_fleet::{FleetError, NodeSelection, NodeStatus, NodeStore};
use ordain_source::Diagnostic;

use crate::codes;
use crate::exit::Failure;
use crate::references;
use crate::runs::state_dir;

/// The database of a server.
#[derive(Args)]
#[command(next_help_heading = "Database")]
pub(super) struct StoreArgs {
    /// The state directory of `ordain serve`
    #[arg(long, value_name = "DIR", env = "ORDAIN_STATE_DIR")]
    state_dir: Option<PathBuf>,
    /// The database of `ordain serve`: its state directory, a file, or postgresql://...; default: the
    /// file in the state directory
    #[arg(long, value_name = "PLACE", env = "ORDAIN_DATABASE", hide_env_values = true)]
    database: Option<String>,
}

impl StoreArgs {
    /// Opens the database.
    ///
    /// # Errors
    /// When there is none, or it cannot be used.
    pub(super) fn open(&self) -> Result<NodeStore, Failure> {
        let place = match &self.database {
            Some(place) => place.clone(),
            None => state_dir(self.state_dir.as_deref())?.display().to_string(),
        };
        open(&place, "name it with --state-dir or --database")
    }
}

/// Opens a database. `help` says how to name another one.
///
/// # Errors
/// When there is none, or it cannot be used.
pub(super) fn open(place: &str, help: &str) -> Result<NodeStore, Failure> {
    NodeStore::open(place).map_err(|error| match error {
        FleetError::File { path, .. } => {
            let text = format!("{} is no database of `ordain serve`", path.display());
            Diagnostic::error(codes::FILE, text).help(help).into()
        }
        error => failure(error),
    })
}

/// The usual directory of the cache of comparisons.
pub(in crate::commands) fn cache_dir() -> Option<PathBuf> {
    let variable = |name| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    let base = variable("XDG_CACHE_HOME");
    base.or_else(|| Some(variable("HOME")?.join(".cache"))).map(|base| base.join("ordain/fleet"))
}

/// The chosen nodes.
#[derive(Args)]
pub(super) struct SelectionArgs {
    /// The nodes: a name, a pattern such as 'web*', a condition such as 'facts.os.family =
    /// "Debian"', or a query in PQL or AST; default: all
    #[arg(index = 1)]
    query: Option<String>,
    #[command(flatten)]
    filters: FilterArgs,
}

/// Conditions on nodes.
#[derive(Args)]
#[command(next_help_heading = "Filters")]
struct FilterArgs {
    /// Only nodes with this value of a fact, such as os.family=Debian; `*` stands for any characters
    #[arg(long = "fact", value_name = "NAME=VALUE")]
    facts: Vec<String>,
    /// Only nodes with this class
    #[arg(long = "class", value_name = "NAME")]
    classes: Vec<String>,
    /// Only nodes with this resource, such as `Service[nginx]`
    #[arg(long = "resource", value_name = "NAME")]
    resources: Vec<String>,
    /// Only nodes of this environment
    #[arg(long, value_name = "NAME")]
    environment: Option<String>,
    /// Only nodes whose last run ended like this
    #[arg(long, value_name = "STATUS")]
    status: Option<Status>,
    /// Deactivated and expired nodes, too
    #[arg(long)]
    inactive: bool,
}

/// The outcome of a node's last run.
#[derive(Clone, Copy, ValueEnum)]
enum Status {
    /// Something failed
    Failed,
    /// Something was changed
    Changed,
    /// Nothing had to change
    Unchanged,
    /// The run only observed
    Noop,
    /// There is no report
    None,
}

impl SelectionArgs {
    /// The selection.
    ///
    /// # Errors
    /// When the name of a resource is malformed.
    pub(super) fn selection(&self) -> Result<NodeSelection, Failure> {
        let filters = &self.filters;
        let classes = filters.classes.iter().map(|name| format!("Class[{name}]"));
        let resource = |name: String| {
            let name = references::parse(&name);
            let name = name.map_err(|text| Diagnostic::error(codes::ARGUMENTS, text))?;
            Ok((name.kind.to_string(), name.title.to_string()))
        };
        let resources = classes.chain(filters.resources.iter().cloned()).map(resource);
        Ok(NodeSelection {
            query: self.query.clone(),
            facts: filters.facts.clone(),
            resources: resources.collect::<Result<_, Diagnostic>>()?,
            environment: filters.environment.clone(),
            status: filters.status.map(|status| match status {
                Status::Failed => NodeStatus::Failed,
                Status::Changed => NodeStatus::Changed,
                Status::Unchanged => NodeStatus::Unchanged,
                Status::Noop => NodeStatus::Noop,
                Status::None => NodeStatus::None,
            }),
            with_inactive: filters.inactive,
        })
    }
}

/// A time in RFC 3339 in UTC, for people.
pub(super) fn shown_time(time: Option<&str>) -> String {
    let parts = time.and_then(|time| Some((time.get(..10)?, time.get(11..19)?)));
    parts.map_or_else(|| "-".to_owned(), |(date, clock)| format!("{date} {clock}Z"))
}

/// The place that declares a resource.
pub(super) fn place(file: Option<&String>, line: Option<u64>) -> Option<String> {
    let file = file?;
    Some(line.map_or_else(|| file.clone(), |line| format!("{file}:{line}")))
}

/// An error of the crate `fleet` as the end of a verb.
pub(in crate::commands) fn failure(error: FleetError) -> Failure {
    let text = error.to_string();
    let diagnostic = match error {
        FleetError::Code(error) => return error.into(),
        FleetError::Revision(diagnostic) => *diagnostic,
        FleetError::NoNodes(_) => Diagnostic::error(codes::ARGUMENTS, text)
            .help("--facts names a directory with NAME.json or NAME.yaml for each node"),
        FleetError::Range(_) => Diagnostic::error(codes::ARGUMENTS, text)
            .help("A..B has two revisions of git or directories; without B it is the work tree"),
        FleetError::UnknownNode { near, .. } => {
            let error = Diagnostic::error(codes::UNKNOWN_NAME, text);
            match near {
                Some(near) => error.help(format!("did you mean {near}?")),
                None => error.help("`ordain fleet nodes` lists the nodes"),
            }
        }
        FleetError::UnknownRevision { near, .. } => {
            let error = Diagnostic::error(codes::UNKNOWN_NAME, text);
            match near {
                Some(near) => error.help(format!("did you mean {near}?")),
                None => error.help("--force pins the node nevertheless"),
            }
        }
        FleetError::InactiveNode(_) => {
            Diagnostic::error(codes::UNKNOWN_NAME, text).help("--inactive chooses such nodes, too")
        }
        FleetError::NoFacts(_) => Diagnostic::error(codes::UNKNOWN_NAME, text),
        FleetError::NoCommit(_) => {
            let help = "commit the changes first, or compare without --queue";
            Diagnostic::error(codes::ARGUMENTS, text).help(help)
        }
        FleetError::JobGone => Diagnostic::error(codes::FILE, text),
        FleetError::Batch { .. } => {
            let help = "the logs of the workers may have the reason";
            Diagnostic::error(codes::FILE, text).help(help)
        }
        FleetError::File { .. } | FleetError::Source(_) | FleetError::Compile(_) => {
            Diagnostic::error(codes::FILE, text)
        }
        FleetError::Document { .. } => Diagnostic::error(codes::DOCUMENT, text),
        FleetError::Rule(_) | FleetError::Query(_) | FleetError::Threads(_) => {
            Diagnostic::error(codes::ARGUMENTS, text)
        }
    };
    diagnostic.into()
}
