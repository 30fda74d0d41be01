//! Deploys and rollbacks.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use ordain_process::{Launch, Limits, OrphanPolicy};
use ordain_source::{Diagnostic, SourceMap};

use crate::build::Build;
use crate::codes;
use crate::desired::{self, Branch, Declaration};
use crate::error::{Error, Result};
use crate::files;
use crate::module::Resolved;
use crate::name::corrected;
use crate::pool;
use crate::report::{Action, EnvironmentReport, Report};
use crate::revision::{Entry, EnvironmentDir, REVISIONS, Record};
use crate::settings::Settings;
use crate::sources::Sources;

/// The time limit of the `postrun` command.
const POSTRUN_TIME: Duration = Duration::from_secs(30 * 60);

/// The options of a deploy.
#[derive(Clone, Default, Debug)]
pub struct Request {
    /// The environments to deploy; all if empty.
    pub environments: Vec<String>,
    /// Deploys only these modules, in environments that are deployed already: the branch and all other
    /// modules stay as they are. All if empty.
    pub modules: Vec<String>,
    /// Only reports the changes. Mirrors are still fetched.
    pub dry_run: bool,
    /// Deploys even the revisions that a rollback left.
    pub force: bool,
    /// Fails if another deploy is running, instead of waiting for it.
    pub no_wait: bool,
    /// The branch for modules whose desired branch is missing. It is tried before their default
    /// branch.
    pub default_branch_override: Option<String>,
}

/// Deploys environments. `texts` receives the files that diagnostics refer to.
///
/// An environment that fails keeps its revision, and its error is in the report.
///
/// # Errors
/// When a source cannot be read, or two branches map to the same environment. Then nothing changes.
pub fn deploy(settings: &Settings, request: &Request, texts: &SourceMap) -> Result<Report, Error> {
    if let Some(reason) = &settings.write_lock {
        let text = format!("deploys are locked by `write_lock`: {reason}");
        return Err(Error::new(text).help("remove the setting from r10k.yaml"));
    }
    let bases: Vec<EnvironmentDir> =
        settings.base_directories().into_iter().map(EnvironmentDir::new).collect();
    let mut locks = Vec::new();
    if !request.dry_run {
        for base in &bases {
            locks.push(base.lock(!request.no_wait)?);
            base.clean(now())?;
        }
    }
    let sources = Sources::new(settings, request.default_branch_override.as_deref(), texts);
    let mut run = Run {
        sources: &sources,
        request,
        report: Report { is_dry_run: request.dry_run, ..Report::default() },
        modified: Vec::new(),
        found_modules: BTreeSet::new(),
    };
    let branches = sources.branches(&mut run.report.diagnostics)?;
    let branches = match request.modules.is_empty() {
        true => branches,
        false => run.deployed(branches),
    };
    run.environments(&branches);
    run.unknown_modules();
    if settings.purge.deployment && request.modules.is_empty() {
        for base in &bases {
            run.purge(base, &branches)?;
        }
    }
    if !request.dry_run {
        run.postrun();
    }
    drop(locks);
    run.report.environments.sort_by(|a, b| (&a.base, &a.name).cmp(&(&b.base, &b.name)));
    Ok(run.report)
}

/// Milliseconds since 1970.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// A deploy in progress.
struct Run<'r> {
    sources: &'r Sources<'r>,
    request: &'r Request,
    report: Report,
    /// The names of the environments that changed.
    modified: Vec<String>,
    /// The requested modules that an environment has.
    found_modules: BTreeSet<String>,
}

/// An environment and the revision that it should have.
struct Target<'b> {
    declaration: Declaration<'b>,
    base: EnvironmentDir,
    entry: Entry,
    old: Option<Record>,
}

impl Run<'_> {
    fn error(&mut self, error: Error) {
        self.report.diagnostics.push(error.into_diagnostic());
    }

    /// The branches at the commits that are deployed. Leaves out those that no deploy has made an
    /// environment of.
    fn deployed<'s>(&mut self, branches: Vec<Branch<'s>>) -> Vec<Branch<'s>> {
        let mut out = Vec::new();
        for branch in branches {
            let base = EnvironmentDir::new(branch.source.basedir.clone());
            let name = &branch.name.directory;
            let record = base.current(name).and_then(|id| base.record(name, &id));
            match record.filter(|record| !record.commit.is_empty() && !record.is_adopted()) {
                Some(record) => out.push(Branch { commit: record.commit, ..branch }),
                // The names of the request are checked later.
                None if !self.request.environments.is_empty() => {}
                None => {
                    let text = format!("the environment {name} is left out: no deploy has made it");
                    self.report.diagnostics.push(Diagnostic::warning(codes::DEPLOY, text));
                }
            }
        }
        out
    }

    /// Reports the requested modules that no environment has.
    fn unknown_modules(&mut self) {
        let found = std::mem::take(&mut self.found_modules);
        for name in self.request.modules.iter().filter(|name| !found.contains(*name)) {
            let text = format!("no deployed Puppetfile declares the module {name}");
            self.error(Error::new(text));
        }
    }

    /// Whether a module is to be deployed.
    fn is_requested(&self, module: &str) -> bool {
        self.request.modules.is_empty() || self.request.modules.iter().any(|name| name == module)
    }

    /// Whether an environment has one of the requested modules.
    fn has_requested(&mut self, declaration: &Declaration<'_>) -> bool {
        let names = declaration.puppetfile.modules.iter().map(|module| &module.name);
        let found: Vec<String> = names.filter(|name| self.is_requested(name)).cloned().collect();
        let has_some = !found.is_empty() || self.request.modules.is_empty();
        self.found_modules.extend(found);
        has_some
    }

    /// The branches of the requested environments.
    fn requested<'b>(&mut self, branches: &'b [Branch<'b>]) -> Vec<&'b Branch<'b>> {
        let names: BTreeSet<String> =
            self.request.environments.iter().map(|name| corrected(name)).collect();
        if names.is_empty() {
            return branches.iter().collect();
        }
        // A prefix may contain other characters.
        let is_named = |branch: &Branch<'_>, name: &str| corrected(&branch.name.directory) == name;
        for name in &names {
            if !branches.iter().any(|branch| is_named(branch, name)) {
                let text = match self.request.modules.is_empty() {
                    true => format!("no source has a branch for the environment {name}"),
                    false => format!("no deploy has made the environment {name}"),
                };
                self.error(Error::new(text));
            }
        }
        let chosen = |branch: &&Branch<'_>| names.iter().any(|name| is_named(branch, name));
        branches.iter().filter(chosen).collect()
    }

    /// Deploys the requested environments.
    fn environments<'b>(&mut self, branches: &'b [Branch<'b>]) {
        let mut targets = Vec::new();
        let requested = self.requested(branches);
        self.modified = requested.iter().map(|branch| branch.name.directory.clone()).collect();
        for branch in requested {
            let base = EnvironmentDir::new(branch.source.basedir.clone());
            let name = &branch.name.directory;
            let entry = base.entry(name);
            let old = match &entry {
                Entry::Revision(id) => base.record(name, id),
                Entry::Directory => Some(Record::of_directory(&base.directory.join(name), now())),
                Entry::Missing | Entry::Other => None,
            };
            match self.sources.declaration(branch) {
                Ok(declaration) if !self.has_requested(&declaration) => {}
                Ok(declaration) => targets.push(Target { declaration, base, entry, old }),
                Err(error) => {
                    self.failed(branch, base, old, error.in_environment(&branch.name.directory))
                }
            }
        }
        let modules = targets.iter().flat_map(|target| {
            let modules = target.declaration.puppetfile.modules.iter();
            modules.map(|module| (module, target.declaration.context().control_branch))
        });
        self.sources.fetch(modules.filter(|(module, _)| self.is_requested(&module.name)));
        for target in targets {
            let branch = target.declaration.branch;
            self.report.diagnostics.extend(target.declaration.puppetfile.warnings.iter().cloned());
            match self.environment(&target) {
                Ok((action, new)) => self.report.environments.push(EnvironmentReport {
                    name: branch.name.directory.clone(),
                    base: target.base.directory.clone(),
                    action,
                    old: target.old,
                    new: Some(new),
                }),
                Err(errors) => {
                    let (base, old) = (target.base, target.old);
                    let mut errors = errors.into_iter();
                    if let Some(error) = errors.next() {
                        self.failed(branch, base, old, error);
                    }
                    errors.for_each(|error| self.error(error));
                }
            }
        }
    }

    fn failed(
        &mut self,
        branch: &Branch<'_>,
        base: EnvironmentDir,
        old: Option<Record>,
        error: Error,
    ) {
        self.error(error);
        self.report.environments.push(EnvironmentReport {
            name: branch.name.directory.clone(),
            base: base.directory,
            action: Action::Failed,
            new: old.clone(),
            old,
        });
    }

    /// Deploys an environment. Returns the result and the record of its current revision.
    fn environment(&mut self, target: &Target<'_>) -> Result<(Action, Record), Vec<Error>> {
        let Target { declaration, base, entry, old } = target;
        let branch = declaration.branch;
        let name = branch.name.directory.as_str();
        let modules = self.resolve(declaration, old.as_ref())?;
        let id = desired::id(&branch.commit, &modules);
        let record = Record {
            id,
            remote: branch.mirror.shown(),
            branch: branch.branch.clone(),
            commit: branch.commit.clone(),
            deployed: now(),
            modules: modules.iter().map(Resolved::deployed).collect(),
        };
        if let (Entry::Revision(current), Some(old)) = (entry, old) {
            if *current == record.id && base.tree(name, current).is_dir() {
                return Ok((Action::Unchanged, old.clone()));
            }
            let is_held = base.rolled_back(name).as_deref() == Some(&record.id);
            if is_held && !self.request.force {
                return Ok((Action::Held, old.clone()));
            }
        }
        if *entry == Entry::Other {
            let path = base.directory.join(name);
            let text = "it is in the way: it is neither a directory nor a link to a revision";
            return Err(vec![Error::path(&path, &text)]);
        }
        let action = if *entry == Entry::Missing { Action::Created } else { Action::Changed };
        if !self.request.dry_run {
            let written = self.write(target, &modules, &record);
            written.map_err(|error| vec![error.in_environment(name)])?;
        }
        Ok((action, record))
    }

    /// Resolves all modules to exact sources.
    fn resolve(
        &self,
        declaration: &Declaration<'_>,
        old: Option<&Record>,
    ) -> Result<Vec<Resolved>, Vec<Error>> {
        let modules: Vec<_> = declaration.puppetfile.modules.iter().collect();
        let threads = self.sources.settings.pool_size;
        let context = declaration.context();
        let environment = &declaration.branch.name.directory;
        let results = pool::each(threads, modules, |module| {
            let deployed = old.and_then(|old| old.modules.iter().find(|m| m.path == module.path));
            let resolved = match self.is_requested(&module.name) {
                true => self.sources.resolve(module, context, deployed),
                false => self.sources.resolve_deployed(module, context, deployed),
            };
            resolved.map_err(|error| error.prefixed(environment))
        });
        let (mut modules, mut errors) = (Vec::new(), Vec::new());
        for result in results {
            match result {
                Ok(module) => modules.push(module),
                Err(error) => errors.push(error),
            }
        }
        if errors.is_empty() { Ok(modules) } else { Err(errors) }
    }

    /// Writes a revision, unless it exists, and switches to it.
    fn write(&mut self, target: &Target<'_>, modules: &[Resolved], record: &Record) -> Result<()> {
        let Target { declaration, base, entry, old } = target;
        let name = declaration.branch.name.directory.as_str();
        if base.tree(name, &record.id).is_dir() && base.record(name, &record.id).is_some() {
            // Only the time of the deploy changes.
            base.write_record(name, record)?;
        } else {
            let scratch = base.scratch(name)?;
            let build = Build {
                sources: self.sources,
                branch: declaration.branch,
                modules,
                scratch: &scratch.0,
                started: Timestamp::now(),
            };
            let files = match entry {
                Entry::Revision(id) => Some(base.tree(name, id)),
                Entry::Directory => Some(base.directory.join(name)),
                Entry::Missing | Entry::Other => None,
            };
            let old = files.as_deref().zip(old.as_ref());
            let tree = build.run(old, &mut self.report.diagnostics)?;
            base.install(name, &tree, record)?;
        }
        let adopted = old.as_ref().filter(|_| *entry == Entry::Directory);
        base.switch(name, &record.id, adopted)?;
        if self.request.modules.is_empty() {
            base.set_rolled_back(name, None)?;
        }
        base.prune(name, self.sources.settings.revisions)?;
        Ok(())
    }

    /// Removes environments that have no branch.
    fn purge(&mut self, base: &EnvironmentDir, branches: &[Branch<'_>]) -> Result<()> {
        let here = branches.iter().filter(|branch| branch.source.basedir == base.directory);
        let desired: BTreeSet<&str> = here.map(|b| b.name.directory.as_str()).collect();
        let names = match files::names(&base.directory) {
            Ok(names) => names,
            Err(_) if self.request.dry_run && !base.directory.exists() => Vec::new(),
            Err(error) => return Err(error),
        };
        let mut gone: BTreeMap<String, bool> = BTreeMap::new();
        for name in names {
            let Some(name) = name.to_str().filter(|name| *name != REVISIONS) else { continue };
            if !desired.contains(name) {
                gone.insert(name.to_owned(), matches!(base.entry(name), Entry::Revision(_)));
            }
        }
        // Environments whose links were removed by hand.
        for name in base.environments()? {
            if !desired.contains(name.as_str()) {
                gone.entry(name).or_insert(true);
            }
        }
        for (name, is_own) in gone {
            self.purge_entry(base, &name, is_own)?;
        }
        Ok(())
    }

    fn purge_entry(&mut self, base: &EnvironmentDir, name: &str, is_own: bool) -> Result<()> {
        if !is_own && !self.sources.settings.purges_foreign {
            let text = format!(
                "{} stays: no branch has its name, and no deploy made it",
                base.directory.join(name).display()
            );
            self.report.diagnostics.push(Diagnostic::warning(codes::DEPLOY, text));
            return Ok(());
        }
        let old = base.current(name).and_then(|id| base.record(name, &id));
        if !self.request.dry_run {
            base.remove_environment(name)?;
        }
        self.report.environments.push(EnvironmentReport {
            name: name.to_owned(),
            base: base.directory.clone(),
            action: Action::Removed,
            old,
            new: None,
        });
        Ok(())
    }

    /// Runs the `postrun` command.
    fn postrun(&mut self) {
        let names = self.modified.join(" ");
        let words = self.sources.settings.postrun.iter();
        let argv: Vec<_> = words.map(|word| word.replace("$modifiedenvs", &names).into()).collect();
        if argv.is_empty() {
            return;
        }
        let launch = Launch { argv, orphans: OrphanPolicy::Stay, ..Launch::default() };
        let limits = Limits { time: Some(POSTRUN_TIME), output: 16 << 20 };
        match ordain_process::run(&launch, b"", true, limits) {
            Ok(output) if output.status.success() => {}
            Ok(output) => {
                let text = String::from_utf8_lossy(&output.stdout);
                let text = format!("`postrun` ended with {}: {}", output.status, text.trim());
                self.error(Error::new(text));
            }
            Err(error) => self.error(Error::new(format!("`postrun`: {error}"))),
        }
    }
}

/// Switches an environment to an older revision: the one whose id starts with `revision`, or else
/// the one that was deployed before the current one. Later deploys skip the current revision,
/// unless they are forced.
///
/// # Errors
/// When the environment has no such revision.
pub fn rollback(
    directory: PathBuf,
    environment: &str,
    revision: Option<&str>,
) -> Result<EnvironmentReport, Error> {
    let base = EnvironmentDir::new(directory);
    let unknown = || {
        let text = format!("{} has no environment {environment}", base.directory.display());
        Error::new(text).help("`ordain deploy list` lists the environments")
    };
    let is_name = !environment.is_empty() && !environment.starts_with('.');
    if !is_name
        || environment.contains('/')
        || !base.environments()?.iter().any(|e| e == environment)
    {
        return Err(unknown());
    }
    let _lock = base.lock(true)?;
    base.clean(now())?;
    let current = base.current(environment).ok_or_else(unknown)?;
    let records = base.list(environment)?;
    let at = records.iter().position(|record| record.id == current);
    let found: Vec<&Record> = match revision {
        Some(start) => records.iter().filter(|record| record.id.starts_with(start)).collect(),
        None => records.iter().skip(at.map_or(0, |at| at + 1)).take(1).collect(),
    };
    let record = match found[..] {
        [record] => record,
        [] => {
            let text = match revision {
                Some(start) => format!("{environment} has no revision {start}"),
                None => format!("{environment} has no older revision"),
            };
            let help = format!("`ordain deploy list {environment}` lists the revisions");
            return Err(Error::new(text).help(help));
        }
        _ => {
            let start = revision.unwrap_or_default();
            return Err(Error::new(format!("{environment} has several revisions {start}")));
        }
    };
    let old = records.iter().find(|other| other.id == current).cloned();
    let action = if record.id == current { Action::Unchanged } else { Action::Changed };
    if action == Action::Changed {
        base.set_rolled_back(environment, Some(&current))?;
        base.switch(environment, &record.id, None)?;
    }
    Ok(EnvironmentReport {
        name: environment.to_owned(),
        base: base.directory.clone(),
        action,
        old,
        new: Some(record.clone()),
    })
}
