//! `ordain plan`: shows the changes that an apply would make.

use std::collections::BTreeSet;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use clap_complete::engine::ArgValueCompleter;
use ecow::EcoString;
use ordain_engine::host::AllowedActions;
use ordain_engine::host::{Host, SharedValues};
use ordain_engine::kind::Registry;
use ordain_engine::plan::{Plan, plan};
use ordain_engine::prepare::{Options, Prepared};
use ordain_engine::runner::HostRunner;
use ordain_engine::saved::{self, SaveContext};
use ordain_graph::ResourceRef;
use ordain_graph::json::Secrets;
use ordain_puppet::deferred::Deferral;
use ordain_source::{Diagnostic, Severity, suggest};
use ordain_store::MachineKey;

use crate::codes;
use crate::complete;
use crate::exit::{Exit, Failure, PLAN_HELP};
use crate::options::{self, CompileArgs, TextOrJson};
use crate::references;
use crate::runs::{self, ReadOnlyObserver, root_path};
use crate::show::{failures, plan as show};
use crate::ui::Ui;
use ordain_driver::private_file;
use ordain_driver::project::{self, machine_path};
use ordain_driver::{
    Compiled, KindSource, Options as CompileOptions, Purpose, SourceKind, compile, cycle,
};

/// Show what an apply would change
///
/// PATH is a manifest, a control repository, a graph or a Puppet catalog (.json). Nothing is
/// changed. The exit code is 2 when changes are pending.
#[derive(Args)]
#[command(after_help = PLAN_HELP)]
pub(crate) struct PlanArgs {
    /// A manifest, a directory, a graph, a catalog, or -
    #[arg(default_value = ".")]
    path: PathBuf,
    /// The output format
    #[arg(long, value_name = "FORM", default_value = "text")]
    format: TextOrJson,
    /// Save the plan, to apply exactly this later, as this user and on this machine
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Save secrets in plain text, so that a plan with secrets can be applied
    #[arg(long)]
    include_secrets: bool,
    /// The directory of the lock and the journal of runs
    #[arg(long, value_name = "DIR", env = "ORDAIN_STATE_DIR")]
    state_dir: Option<PathBuf>,
    #[command(flatten)]
    selection: SelectionArgs,
    #[command(flatten)]
    compile: CompileArgs,
}

/// The resources to apply, and the machine to apply them to.
#[derive(Args, Clone)]
#[command(next_help_heading = "Resources")]
pub(crate) struct SelectionArgs {
    /// Only resources with one of these tags, separated by commas
    #[arg(long, value_name = "TAGS", value_delimiter = ',')]
    #[arg(value_parser = NonEmptyStringValueParser::new())]
    pub tags: Vec<String>,
    /// No resource with one of these tags
    #[arg(long, value_name = "TAGS", value_delimiter = ',')]
    #[arg(value_parser = NonEmptyStringValueParser::new())]
    pub skip_tags: Vec<String>,
    /// Only this resource, such as File[/etc/motd], with its dependencies; may be repeated
    #[arg(long, value_name = "RESOURCE", value_parser = references::parse)]
    #[arg(add = ArgValueCompleter::new(complete::resources))]
    pub target: Vec<ResourceRef>,
    /// How many resources to work on at the same time [default: 1; for watch: 4]
    #[arg(long, value_name = "N", value_parser = options::at_least_one)]
    pub jobs: Option<NonZeroUsize>,
    /// Do not install or remove several packages in one transaction
    #[arg(long)]
    pub no_autogroup: bool,
    /// Use explicit relations only: a file need not come after its directory
    #[arg(long)]
    pub no_autoedges: bool,
    /// Call deferred functions during the run, just before their resource is checked, and not
    /// before the run
    #[arg(long, alias = "no-preprocess_deferred")]
    pub no_preprocess_deferred: bool,
    /// The root directory of the machine
    #[arg(long, value_name = "DIR", default_value = "/", value_parser = machine_root)]
    pub root: PathBuf,
    /// Allow PATH to be removed, replaced or emptied, even if the system needs it or it is a mount
    /// point
    #[arg(long, value_name = "PATH", value_parser = machine_path)]
    pub allow_remove: Vec<PathBuf>,
    /// Allow changes of files that another user may have hard-linked
    #[arg(long)]
    pub allow_hard_links: bool,
}

/// Parses a root directory. Resolves links, so that commands with another working directory use the
/// same one.
///
/// # Errors
/// When the directory does not exist.
pub(crate) fn machine_root(text: &str) -> Result<PathBuf, String> {
    let root = std::fs::canonicalize(text).map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => "the directory does not exist; make it first".to_string(),
        _ => e.to_string(),
    })?;
    if root.is_dir() { Ok(root) } else { Err("it is not a directory".into()) }
}

impl SelectionArgs {
    /// The options for the engine.
    pub(crate) fn options(&self, noop: bool) -> Options {
        Options {
            noop,
            tags: self.tags.iter().map(|t| t.to_lowercase()).collect(),
            skip_tags: self.skip_tags.iter().map(|t| t.to_lowercase()).collect(),
            targets: self.target.clone(),
            jobs: self.jobs.map_or(1, Into::into),
            autogroup: !self.no_autogroup,
            autoedges: !self.no_autoedges,
            crashes: Vec::new(),
        }
    }

    /// The options for compiling for this machine.
    pub(crate) fn compile_options(&self, args: &CompileArgs) -> CompileOptions {
        let deferral = if self.no_preprocess_deferred { Deferral::Hand } else { Deferral::Resolve };
        CompileOptions {
            machine: Some(self.root.clone()),
            deferral,
            runs_providers: true,
            ..args.options()
        }
    }

    /// The same for a run that keeps its state in a directory and may change nothing.
    pub(crate) fn run_options(
        &self,
        args: &CompileArgs,
        state_dir: Option<&Path>,
        is_noop: bool,
    ) -> CompileOptions {
        // Without a directory nothing is known of earlier runs.
        let state_dir = runs::state_dir(state_dir).ok();
        CompileOptions { state_dir, is_noop, ..self.compile_options(args) }
    }

    /// The host to apply to. The project at `sources` may have settings for it.
    pub(crate) fn host(&self, sources: &Path) -> Host {
        let settings = project::settings(sources);
        let remove = self.allow_remove.iter().chain(&settings.allow_remove);
        let hard_links = self.allow_hard_links || settings.allow_hard_links;
        let mut host = Host::new(self.root.clone(), Box::new(HostRunner));
        host.allowed = AllowedActions::new(remove, hard_links);
        host
    }

    /// The same, with the values that it shares with others.
    ///
    /// # Errors
    /// When the store of these values refuses.
    pub(crate) fn shared_host(
        &self,
        sources: &Path,
        options: &CompileOptions,
    ) -> Result<Host, Diagnostic> {
        let mut host = self.host(sources);
        // Manifests do not share values, so their store of exported resources is not looked at.
        if SourceKind::of(sources, options).may_share_values() {
            host.shared = options.cluster()?.map(|cluster| cluster as Arc<dyn SharedValues>);
        }
        Ok(host)
    }
}

/// Compiles, plans and prints the plan.
///
/// # Errors
/// When the sources have errors or the relationships form a cycle.
pub(crate) fn run(ui: &mut Ui, args: &PlanArgs) -> Result<Exit, Failure> {
    let compile_options =
        args.selection.run_options(&args.compile, args.state_dir.as_deref(), true);
    let compile_options = CompileOptions { is_plan: true, ..compile_options };
    let mut loaded = compile(ui, &args.path, &compile_options, Purpose::Application)?;
    let options = args.selection.options(false);
    let mut kinds = KindSource::new(&compile_options)?;
    let registry = kinds.registry(ui, &loaded, &compile_options)?;
    // Fails early, before the plan takes its time.
    let key = args.out.as_ref().map(|_| key(args.state_dir.as_deref())).transpose()?;
    loaded.undo_missing(&args.selection.host(&args.path), &registry)?;
    let prepared = prepare(ui, &loaded, registry, options.clone())?;
    let mut progress = ui.progress(loaded.leaves(), false);
    let observer = ReadOnlyObserver::new(&progress, args.state_dir.as_deref());
    let host = args.selection.shared_host(&args.path, &compile_options)?;
    let plan = plan(&prepared, &host, &observer, options.jobs);
    progress.clear();
    failures::show(ui, plan.entries.iter().map(|e| &e.report), &loaded);
    let secrets = if args.include_secrets { Secrets::Include } else { Secrets::Omit };
    let saving = SaveContext {
        graph: &loaded.graph,
        sources: &loaded.sources,
        options: &options,
        root: &root_path(&args.selection.root),
        modules: &loaded.module_dirs(),
        providers: &kinds.saved().map_err(|e| codes::io("cannot save the plan", &e))?,
        secrets,
        key: None,
    };
    if let Some(path) = &args.out {
        let key = key.as_ref().map(MachineKey::bytes);
        save(path, &plan, &SaveContext { key, ..saving })?;
    }
    match args.format {
        TextOrJson::Json => saved::save(&plan, &saving, ui.document())?,
        TextOrJson::Text => show::write(ui, &plan, &loaded)?,
    }
    Ok(match (plan.has_failures(), plan.has_changes()) {
        (true, _) => Exit::Failed,
        (false, true) => Exit::Changes,
        (false, false) => Exit::Done,
    })
}

/// Refuses targets that are not in the graph, and warns about tags that no resource has.
///
/// # Errors
/// When a target does not exist.
pub(crate) fn check_selection(
    ui: &mut Ui,
    loaded: &Compiled,
    options: &Options,
) -> Result<(), Failure> {
    let graph = &loaded.graph;
    if let Some(name) = options.targets.iter().find(|name| graph.find(name).is_none()) {
        return Err(references::unknown(name, graph).into());
    }
    let names: BTreeSet<&str> =
        graph.resources().flat_map(|(_, r)| r.tags.iter().map(EcoString::as_str)).collect();
    let known: BTreeSet<String> = names.iter().map(|tag| tag.to_ascii_lowercase()).collect();
    let mut warnings = Vec::new();
    for (flag, tags) in [("--tags", &options.tags), ("--skip-tags", &options.skip_tags)] {
        for tag in tags.iter().filter(|tag| !known.contains(&tag.to_ascii_lowercase())) {
            let text = format!("no resource has the tag `{tag}` that {flag} names");
            let has_near = warnings.len() < suggest::MAX_SUGGESTIONS;
            let near = has_near.then(|| suggest::nearest(tag, names.iter().copied())).flatten();
            let warning = Diagnostic::warning(codes::NOTHING, text);
            warnings.push(match near {
                Some(near) => warning.help(format!("did you mean `{near}`?")),
                None => warning,
            });
        }
    }
    ui.diagnostics(warnings, &loaded.sources);
    Ok(())
}

/// Parses all resources and sorts them. Prints a cycle of relationships.
///
/// # Errors
/// When the relationships form a cycle.
pub(crate) fn prepare(
    ui: &mut Ui,
    loaded: &Compiled,
    registry: Arc<Registry>,
    options: Options,
) -> Result<Prepared, Failure> {
    prepare_after(ui, None, loaded, registry, options)
}

/// Does the same as [`prepare`], but reuses the unchanged parts of an earlier graph.
///
/// # Errors
/// As for [`prepare`].
pub(crate) fn prepare_after(
    ui: &mut Ui,
    earlier: Option<&Prepared>,
    loaded: &Compiled,
    registry: Arc<Registry>,
    options: Options,
) -> Result<Prepared, Failure> {
    check_selection(ui, loaded, &options)?;
    let graph = Arc::clone(&loaded.graph);
    let outside = (loaded.resolver(), loaded.deferred_calls());
    Prepared::deferring(earlier, graph, registry, outside, options).map_err(|found| {
        let error = cycle::diagnostic(&found, &loaded.graph, Severity::Error);
        ui.diagnostics(vec![error], &loaded.sources);
        Failure::Shown
    })
}

/// The key of this machine, which signs saved plans.
fn key(state_dir: Option<&Path>) -> Result<MachineKey, Failure> {
    Ok(MachineKey::open(&runs::state_dir(state_dir)?).map_err(codes::state)?)
}

/// Writes a plan to a file that only its owner can read.
fn save(path: &Path, plan: &Plan, saving: &SaveContext<'_>) -> Result<(), Failure> {
    let failed = |e: std::io::Error| codes::io(&format!("cannot write {}", path.display()), &e);
    let mut file = std::io::BufWriter::new(private_file::create(path).map_err(failed)?);
    saved::save(plan, saving, &mut file).map_err(failed)?;
    file.flush().map_err(failed)?;
    Ok(())
}
