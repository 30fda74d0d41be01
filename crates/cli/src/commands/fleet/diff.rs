//! `ordain fleet diff`: the changes of a commit on every node.

use std::cell::Cell;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use ordain_engine::tls::TlsFiles;
use ordain_fleet::render::{self, Tone};
use ordain_fleet::{
    ChangeFilter, ChangeKind, FleetDiff, FleetError, FleetJobProgress, FleetNode, IgnoreRule,
    NodeFilter, NodeStore, OctocatalogSettings, Queue, Range, Request, add_node_data, diff,
    diff_queued, nodes_of_directory, nodes_of_puppetdb, nodes_of_store,
};
use ordain_source::{Diagnostic, SourceMap};

use super::common::{cache_dir, failure, open};
use super::compile::FleetCompileArgs;
use crate::codes;
use crate::exit::{Exit, Failure};
use crate::options::at_least_one;
use crate::references;
use crate::runs::account;
use crate::screen::Style;
use crate::ui::{Progress, Ui, styles};

/// The bytes of a comment that forges take: GitHub refuses longer ones.
const MAX_COMMENT: usize = 60_000;

/// Show the changes between two states of the sources on every node
///
/// A and B are revisions of git or directories; without B it is the work tree. The nodes are those
/// that have facts. Equal changes are shown once, with their nodes and with the lines that cause
/// them. Models of Inmanta, programs of mgmt and YAML documents are compared without nodes.
#[derive(Args)]
#[command(after_help = "\
Exit codes:
  0  nothing changes
  1  an error: a side does not exist, or there are no nodes
  2  nodes change
  3  nodes fail that did not, or a dependency cycle is new

Examples:
  ordain fleet diff main.. --facts facts/
  ordain fleet diff HEAD~1..HEAD --facts facts/ --format markdown > comment.md
  ordain fleet diff ../before ../after --facts facts/
  ordain fleet diff main..HEAD --queue postgresql://ordain@db.example.org/ordain")]
#[command(group = clap::ArgGroup::new("place").args(["database", "queue"]).multiple(true))]
pub(crate) struct FleetDiffArgs {
    /// A..B: two revisions of git or directories
    #[arg(value_name = "A..B")]
    range: String,
    /// The second side, if the first argument is only one
    #[arg(value_name = "B")]
    after: Option<String>,
    /// A directory of the repository that is compiled, or a file in it
    #[arg(long, value_name = "REPO", default_value = ".")]
    path: PathBuf,
    /// The facts of the nodes: a directory with NAME.json or NAME.yaml, or a file
    #[arg(long, value_name = "DIR")]
    facts: Option<PathBuf>,
    /// The database of `ordain serve` that has the facts: its state directory, a file, or
    /// postgresql://...
    #[arg(long, value_name = "PLACE", conflicts_with = "facts")]
    database: Option<String>,
    /// The address of PuppetDB, which has the facts, such as http://localhost:8080
    #[arg(long, value_name = "URL", conflicts_with_all = ["facts", "database"])]
    puppetdb: Option<String>,
    #[command(flatten)]
    puppetdb_tls: PuppetdbTlsArgs,
    /// The configuration file of octocatalog-diff, evaluated with ruby: PuppetDB, certificates, Hiera
    /// and ignored changes, unless options set them
    #[arg(long, value_name = "FILE")]
    octocatalog_diff_config: Option<PathBuf>,
    /// Have `ordain worker` compile the nodes: the database that has the queue, and the facts unless
    /// another option names them. Both sides are commits
    #[arg(long, value_name = "PLACE")]
    queue: Option<String>,
    /// A directory with NAME.json: the answer of a node classifier for each node
    #[arg(long, value_name = "DIR")]
    node_data: Option<PathBuf>,
    #[command(flatten)]
    chosen: FilterArgs,
    /// The output format
    #[arg(long, value_name = "FORM", default_value = "text")]
    format: Format,
    /// The maximum number of bytes of Markdown
    #[arg(long, value_name = "BYTES", default_value_t = MAX_COMMENT)]
    max_length: usize,
    /// How many nodes at the same time [default: as many as there are processors]
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    jobs: Option<NonZeroUsize>,
    /// The directory of the cache [default: ordain/fleet in $XDG_CACHE_HOME or ~/.cache]
    #[arg(long, value_name = "DIR", conflicts_with = "no_cache")]
    cache: Option<PathBuf>,
    /// Use no cache
    #[arg(long)]
    no_cache: bool,
    /// Exit with 0 if nodes change, too
    #[arg(long)]
    exit_zero: bool,
    #[command(flatten)]
    compile: FleetCompileArgs,
}

/// The certificates for PuppetDB, named as in octocatalog-diff.
#[derive(Args)]
struct PuppetdbTlsArgs {
    /// The authority of PuppetDB's certificate, as PEM [default: those that this machine trusts]
    #[arg(long, value_name = "FILE", requires = "puppetdb")]
    puppetdb_ssl_ca: Option<PathBuf>,
    /// The certificate of this client, as PEM
    #[arg(long, value_name = "FILE", requires_all = ["puppetdb", "puppetdb_ssl_client_key"])]
    puppetdb_ssl_client_cert: Option<PathBuf>,
    /// The key of this client, as PEM without a password
    #[arg(long, value_name = "FILE", requires_all = ["puppetdb", "puppetdb_ssl_client_cert"])]
    puppetdb_ssl_client_key: Option<PathBuf>,
}

impl PuppetdbTlsArgs {
    /// The files, or those of the settings.
    fn files(&self, settings: &TlsFiles) -> TlsFiles {
        let or = |own: &Option<PathBuf>, other: &Option<PathBuf>| own.clone().or(other.clone());
        TlsFiles {
            ca: or(&self.puppetdb_ssl_ca, &settings.ca),
            cert: or(&self.puppetdb_ssl_client_cert, &settings.cert),
            key: or(&self.puppetdb_ssl_client_key, &settings.key),
        }
    }
}

/// The nodes of the first PuppetDB that answers.
fn nodes_of_any_puppetdb(urls: &[String], tls: &TlsFiles) -> Result<Vec<FleetNode>, FleetError> {
    let mut last = FleetError::NoNodes("PuppetDB".to_owned());
    for url in urls {
        match nodes_of_puppetdb(url, tls) {
            Ok(nodes) => return Ok(nodes),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// The nodes and changes that are shown.
#[derive(Args)]
#[command(next_help_heading = "Filters")]
struct FilterArgs {
    /// Only nodes with this name; `*` stands for any characters
    #[arg(long = "node", value_name = "NAME")]
    nodes: Vec<String>,
    /// Only nodes of the database that this query chooses, as in `ordain fleet nodes QUERY`
    #[arg(long, value_name = "QUERY", requires = "place", conflicts_with_all = ["facts", "puppetdb"])]
    query: Option<String>,
    /// Only nodes with this value of a fact, such as os.family=Debian
    #[arg(long = "fact", value_name = "NAME=VALUE")]
    facts_with: Vec<String>,
    /// Only one node of each node block, the first by name
    #[arg(long)]
    one_per_node_block: bool,
    /// Only nodes with this class on either side
    #[arg(long = "class", value_name = "NAME")]
    classes: Vec<String>,
    /// Only nodes with this resource on either side, such as `Service[nginx]`
    #[arg(long = "resource", value_name = "NAME")]
    resources: Vec<String>,
    /// Only changes of this kind of resource, such as file, or of these resources, such as
    /// 'File[/etc/*]'
    #[arg(long = "kind", value_name = "KIND")]
    kinds: Vec<String>,
    /// Only changes of this attribute
    #[arg(long = "attribute", value_name = "NAME")]
    attributes: Vec<String>,
    /// Ignore changes that match this rule of octocatalog-diff, such as
    /// 'File[/tmp/*]::parameters::owner'
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    ignore: Vec<String>,
    /// Ignore changes of this attribute
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    ignore_attr: Vec<String>,
    /// Ignore changes of resources with this tag, or with this tag, `__` and their kind
    #[arg(long, value_name = "TAG", value_delimiter = ',')]
    ignore_tags: Vec<String>,
    /// Ignore JSON and YAML texts that differ only in their layout
    #[arg(long)]
    ignore_layout: bool,
}

impl FilterArgs {
    fn nodes(&self) -> Result<NodeFilter, FleetError> {
        NodeFilter::new(&self.nodes, &self.facts_with)
    }

    /// The resources of which nodes need one.
    fn having(&self) -> Result<Vec<String>, FleetError> {
        let class = |name: &String| format!("Class[{name}]");
        let names = self.classes.iter().map(class).chain(self.resources.iter().cloned());
        let parsed = |name: String| references::parse(&name).map(|name| name.to_string());
        names.map(|name| parsed(name).map_err(FleetError::Rule)).collect()
    }

    fn changes(&self) -> Result<ChangeFilter, FleetError> {
        let mut filter = ChangeFilter::new(&self.kinds, &self.attributes)?;
        let rules = self.ignore.iter().map(|rule| IgnoreRule::parse(rule));
        let attributes = self.ignore_attr.iter().map(|name| IgnoreRule::of_attribute(name));
        filter.ignore = rules.chain(attributes).collect::<Result<_, _>>()?;
        filter.ignores_layout = self.ignore_layout;
        Ok(filter)
    }
}

/// The output format.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For a terminal
    Text,
    /// For programs
    Json,
    /// For a comment on a merge request
    Markdown,
    /// One page, without outside resources
    Html,
    /// The JSON Schema of the format `json`
    Schema,
}

impl FleetDiffArgs {
    fn cache(&self) -> Option<PathBuf> {
        if self.no_cache {
            return None;
        }
        self.cache.clone().or_else(cache_dir)
    }

    fn range(&self) -> Result<Range, FleetError> {
        match &self.after {
            Some(after) => Range::between(&self.range, Some(after)),
            None if self.range.contains("..") => Range::parse(&self.range),
            None => Range::between(&self.range, None),
        }
    }

    /// The settings of octocatalog-diff; none without a file.
    fn settings(&self) -> Result<OctocatalogSettings, FleetError> {
        let path = self.octocatalog_diff_config.as_deref();
        path.map_or_else(|| Ok(OctocatalogSettings::default()), OctocatalogSettings::load)
    }

    /// The nodes. `queue` is the database of [`Self::queue`].
    fn nodes(
        &self,
        queue: Option<&NodeStore>,
        settings: &OctocatalogSettings,
    ) -> Result<Vec<FleetNode>, FleetError> {
        let query = self.chosen.query.as_deref();
        let place = self.database.as_ref().or(self.queue.as_ref());
        let has_place = place.is_some() || settings.puppetdb.is_empty();
        let puppetdb = match &self.puppetdb {
            Some(url) => Some(std::slice::from_ref(url)),
            None => (!has_place).then_some(&settings.puppetdb[..]),
        };
        let mut nodes = match (&self.facts, puppetdb, place, queue) {
            (Some(dir), ..) => nodes_of_directory(dir)?,
            (None, Some(urls), ..) => {
                nodes_of_any_puppetdb(urls, &self.puppetdb_tls.files(&settings.tls))?
            }
            // The workers read the facts there.
            (None, None, Some(_), Some(queue)) if self.has_facts_in_queue() => {
                queue.nodes_with_facts(query)?
            }
            (None, None, Some(place), _) => nodes_of_store(place, query)?,
            (None, None, None, _) => Vec::new(),
        };
        if let Some(dir) = &self.node_data {
            add_node_data(&mut nodes, dir)?;
        }
        Ok(nodes)
    }
}

impl FleetDiffArgs {
    /// Whether this process needs no facts, since the workers read them from the database of the queue.
    fn has_facts_in_queue(&self) -> bool {
        self.database.as_ref().is_none_or(|place| Some(place) == self.queue.as_ref())
            && self.chosen.facts_with.is_empty()
    }

    /// Compares with the workers of a queue, or alone.
    fn compare(
        &self,
        ui: &Ui,
        request: &Request<'_>,
        queue: Option<&NodeStore>,
    ) -> Result<FleetDiff, FleetError> {
        let Some(store) = queue else { return diff(request) };
        let lines =
            QueueLog { log: ui.resource_log(), start: Instant::now(), shown: Cell::default() };
        let progress = |progress: &FleetJobProgress| lines.show(progress);
        diff_queued(request, &Queue { store, actor: &account(), progress: &progress })
    }
}

/// The time between two lines about the queue.
const LOG_INTERVAL: Duration = Duration::from_secs(2);

/// The time without a worker after which a line says how to start one.
const NO_WORKER: Duration = Duration::from_secs(10);

/// Writes the progress of workers to standard error.
struct QueueLog {
    log: Progress,
    start: Instant,
    /// The last line, and when it was written.
    shown: Cell<Option<(Instant, (i64, i64))>>,
}

impl QueueLog {
    fn show(&self, progress: &FleetJobProgress) {
        let now = Instant::now();
        let state = (progress.done, progress.workers);
        let is_due = self.shown.get().is_none_or(|(time, last)| {
            let is_over = progress.done == progress.batches && last.0 < progress.done;
            is_over || last != state && now - time >= LOG_INTERVAL
        });
        if is_due && now - self.start >= LOG_INTERVAL {
            self.shown.set(Some((now, state)));
            let (batches, workers) = (progress.batches, progress.workers);
            let text = format!("{} of {batches} batches are compiled, {workers} workers", state.0);
            self.log.notice(&text);
        }
        let has_nobody = state == (0, 0) && now - self.start >= NO_WORKER;
        if has_nobody && self.shown.get().is_none_or(|(time, _)| now - time >= NO_WORKER) {
            self.shown.set(Some((now, state)));
            let text = "no worker compiles: start `ordain worker`, with a repository that has both \
                        commits; the log of a worker says why it does not take part";
            self.log.notice(text);
        }
    }
}

/// Compares and prints the changes.
///
/// # Errors
/// When the sides cannot be compared, or the output cannot be written.
pub(super) fn run(ui: &mut Ui, args: &FleetDiffArgs) -> Result<Exit, Failure> {
    if args.format == Format::Schema {
        write!(ui.document(), "{}", render::SCHEMA)?;
        return Ok(Exit::Done);
    }
    let range = args.range().map_err(failure)?;
    let mut settings = args.settings().map_err(failure)?;
    if !settings.unsupported.is_empty() {
        let text =
            format!("these settings have no effect here: {}", settings.unsupported.join(", "));
        ui.diagnostics(vec![Diagnostic::warning(codes::NOTHING, text)], &SourceMap::default());
    }
    let (mut filter, chosen) = (args.chosen.changes().map_err(failure)?, args.chosen.nodes());
    filter.ignore.append(&mut settings.ignore);
    let ignore_tags = [&args.chosen.ignore_tags[..], &settings.ignore_tags].concat();
    let queue = args.queue.as_ref().map(|place| open(place, "name it with --queue")).transpose()?;
    let mut nodes = args.nodes(queue.as_ref(), &settings).map_err(failure)?;
    let chosen = chosen.map_err(failure)?;
    let has_nodes = !nodes.is_empty();
    nodes.retain(|node| chosen.has(node));
    if has_nodes && nodes.is_empty() {
        return Err(Diagnostic::error(codes::NOTHING, "the filters choose no node").into());
    }
    let cache = args.cache();
    let mut options = args.compile.options();
    options.hiera = options.hiera.or_else(|| settings.hiera.clone());
    let request = Request {
        path: &args.path,
        range: &range,
        nodes: &nodes,
        options: &options,
        jobs: args.jobs,
        having: &args.chosen.having().map_err(failure)?,
        one_per_node_block: args.chosen.one_per_node_block,
        ignore_tags: &ignore_tags,
        cache: cache.as_deref(),
    };
    let mut found = args.compare(ui, &request, queue.as_ref()).map_err(failure)?;
    found.retain(|change| filter.has(&change.change));
    print(ui, args, &found)?;
    Ok(exit(args, &found))
}

fn print(ui: &mut Ui, args: &FleetDiffArgs, found: &FleetDiff) -> Result<(), Failure> {
    match args.format {
        Format::Text => {
            for line in render::text(found, ui.verbose()) {
                let indent = line.text.len() - line.text.trim_start().len();
                let text = ui.styled(style(line.tone), &line.text);
                ui.line(&text, indent + 2)?;
            }
        }
        Format::Json => writeln!(ui.document(), "{}", render::json(found))?,
        Format::Markdown => {
            write!(ui.document(), "{}", render::markdown(found, args.max_length))?;
        }
        Format::Html => write!(ui.document(), "{}", render::html(found))?,
        Format::Schema => {}
    }
    Ok(())
}

fn style(tone: Tone) -> Style {
    match tone {
        Tone::Plain => Style::Plain,
        Tone::Heading => styles::BOLD,
        Tone::Add => styles::ADD,
        Tone::Remove => styles::REMOVE,
        Tone::Change => styles::CHANGE,
        Tone::Dim => styles::DIM,
    }
}

fn exit(args: &FleetDiffArgs, found: &FleetDiff) -> Exit {
    let is_worse = [ChangeKind::Fails, ChangeKind::CycleAdded];
    if is_worse.into_iter().any(|kind| found.count(kind) > 0) {
        return Exit::Code(3);
    }
    match found.changed_nodes() {
        0 => Exit::Done,
        _ if args.exit_zero => Exit::Done,
        _ => Exit::Changes,
    }
}
