//! Installs the modules of a Puppetfile in a working copy.
//!
//! Unlike a revision, a working copy belongs to somebody who edits files in it. So a module directory
//! is replaced only if its content can be had again: an earlier run wrote it and nobody has edited
//! it since, or it is a clone whose commits are all in the module's repository.

mod directory;
mod report;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use ordain_source::{Diagnostic, SourceMap};
use rustix::fs::{FlockOperation, flock};

use crate::codes;
use crate::error::{AtPath, Error, Result};
use crate::files::{self, Scratch};
use crate::git;
use crate::module::{Context, Resolved, ResolvedSource};
use crate::pool;
use crate::puppetfile::{self, Declared, Module};
use crate::report::Action;
use crate::settings::Settings;
use crate::sources::Sources;

use directory::{Marker, ModuleDir, State};
use report::Prepared;
pub use report::{InstallReport, ModuleReport};

/// The temporary directory of an installation, in a module directory.
const TEMPORARY: &str = ".ordain-install";

/// The options of an installation.
#[derive(Clone, Debug)]
pub struct InstallRequest {
    /// The Puppetfile. Modules are installed below its directory.
    pub puppetfile: PathBuf,
    /// The directory for modules for which the Puppetfile names none; `modules` if unset. A relative
    /// one is in the directory of the Puppetfile.
    pub moduledir: Option<PathBuf>,
    /// Replaces modules that were edited.
    pub force: bool,
    /// Only reports the changes. Mirrors are still fetched.
    pub dry_run: bool,
    /// The branch for modules whose desired branch is missing. It is tried before their default
    /// branch.
    pub default_branch_override: Option<String>,
}

/// Installs the modules of a Puppetfile. `texts` receives the file that diagnostics refer to.
///
/// A module that fails stays as it is, and its error is in the report.
///
/// # Errors
/// When the Puppetfile cannot be read or evaluated. Then nothing changes.
pub fn install(
    settings: &Settings,
    request: &InstallRequest,
    texts: &SourceMap,
) -> Result<InstallReport, Error> {
    // Somebody who edits modules wants their tests, so r10k leaves out only those of modules whose
    // declaration says so.
    let settings = &Settings { exclude_spec: false, ..settings.clone() };
    let path = &request.puppetfile;
    let text = match ordain_source::read_input_text(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let error = Error::new(format!("there is no {}", path.display()));
            return Err(error.help("name a Puppetfile, or a directory that has one"));
        }
        text => text.at_path(path)?,
    };
    // git runs in another directory.
    let absolute = std::path::absolute(path).at_path(path)?;
    let root = absolute.parent().unwrap_or(Path::new("/"));
    let moduledir = request.moduledir.clone().unwrap_or_else(|| puppetfile::MODULEDIR.into());
    let puppetfile = puppetfile::evaluate(path, &text, &moduledir, texts)?;
    refuse_nested(&puppetfile.modules)?;
    // The directory itself is locked: a lock file would be a new file in the working copy.
    let lock = File::open(root).at_path(root)?;
    flock(&lock, FlockOperation::LockExclusive).at_path(root)?;
    let sources = Sources::new(settings, request.default_branch_override.as_deref(), texts);
    let control_branch = git::checked_out_branch(root);
    let installation = Installation {
        sources: &sources,
        request,
        root,
        context: Context {
            control_branch: control_branch.as_deref(),
            forge: puppetfile.forge.as_deref(),
        },
        scratch: installation_scratch(settings, request, root, &puppetfile.modules)?,
    };
    let mut report = InstallReport::new(path, request.dry_run);
    report.diagnostics.extend(puppetfile.warnings);
    installation.run(&puppetfile.modules, &moduledir, &mut report);
    Ok(report)
}

/// Refuses a module inside of another one: its directory would be an edit of the outer module.
fn refuse_nested(modules: &[Module]) -> Result<()> {
    let paths: BTreeMap<&Path, &Module> =
        modules.iter().map(|module| (module.path.as_path(), module)).collect();
    for module in modules {
        let outer = module.path.ancestors().skip(1).find_map(|path| paths.get(path));
        if let Some(outer) = outer {
            let text = format!("the module {} is inside of the module {}", module.name, outer.name);
            let help = "`ordain deploy` makes environments with such modules";
            return Err(Error::new(text).at(Some(module.span)).help(help));
        }
    }
    Ok(())
}

/// Creates the temporary directories, by the directories of modules. Those of a dry run are in the
/// cache, because it writes nothing to the working copy.
fn installation_scratch(
    settings: &Settings,
    request: &InstallRequest,
    root: &Path,
    modules: &[Module],
) -> Result<BTreeMap<PathBuf, Scratch>> {
    let parents: BTreeSet<&Path> = modules
        .iter()
        .filter(|module| module.source != Declared::Local)
        .filter_map(|module| module.path.parent())
        .collect();
    let mut all = BTreeMap::new();
    for (number, parent) in parents.into_iter().enumerate() {
        let directory = match request.dry_run {
            true => {
                files::private_directory(&settings.cache)?;
                settings.cache.join(format!("dry-run-{}-{number}", std::process::id()))
            }
            false => {
                let directory = root.join(parent);
                fs::create_dir_all(&directory).at_path(&directory)?;
                check_inside(root, parent, request.moduledir.as_deref())?;
                directory.join(TEMPORARY)
            }
        };
        all.insert(parent.to_path_buf(), Scratch::new(directory)?);
    }
    Ok(all)
}

/// Refuses a directory of modules that a symbolic link leads out of the working copy, unless the
/// command line names it.
fn check_inside(root: &Path, parent: &Path, moduledir: Option<&Path>) -> Result<()> {
    if moduledir == Some(parent) {
        return Ok(());
    }
    let directory = root.join(parent);
    let real = fs::canonicalize(&directory).at_path(&directory)?;
    if real.starts_with(fs::canonicalize(root).at_path(root)?) {
        return Ok(());
    }
    let text =
        format!("{} is outside of the working copy: {}", directory.display(), real.display());
    Err(Error::new(text).help("name it with `--moduledir` if modules belong there"))
}

/// An installation in progress.
struct Installation<'i> {
    sources: &'i Sources<'i>,
    request: &'i InstallRequest,
    root: &'i Path,
    context: Context<'i>,
    /// The temporary directories, by the directories of modules.
    scratch: BTreeMap<PathBuf, Scratch>,
}

impl Installation<'_> {
    fn run(&self, modules: &[Module], moduledir: &Path, report: &mut InstallReport) {
        let control_branch = self.context.control_branch;
        self.sources.fetch(modules.iter().map(|module| (module, control_branch)));
        let foreign: Vec<(usize, &Module)> =
            modules.iter().enumerate().filter(|(_, m)| m.source != Declared::Local).collect();
        let threads = self.sources.settings.pool_size;
        let prepared =
            pool::each(threads, foreign.clone(), |(number, module)| self.prepare(number, module));
        if let Err(error) = self.flush() {
            report.diagnostics.push(error.into_diagnostic());
            return;
        }
        for ((_, module), prepared) in foreign.into_iter().zip(prepared) {
            let result = prepared.and_then(|prepared| {
                if let Some(new) = prepared.written.as_deref().filter(|_| !self.request.dry_run) {
                    directory::replace(&self.root.join(&module.path), new)
                        .map_err(|error| module.error(error))?;
                }
                Ok(prepared)
            });
            report.add(module, result);
        }
        let mut parents: BTreeSet<&Path> = self.scratch.keys().map(PathBuf::as_path).collect();
        parents.insert(moduledir);
        for parent in parents {
            self.remove_undeclared(parent, modules, report);
        }
    }

    /// Flushes the new directories to disk, so that after a power loss no directory has a marker
    /// without its files.
    fn flush(&self) -> Result<()> {
        if self.request.dry_run {
            return Ok(());
        }
        self.scratch.values().try_for_each(|scratch| files::sync_file_system(&scratch.0))
    }

    /// Compares a module with its directory, and writes a new directory if it is needed.
    fn prepare(&self, number: usize, module: &Module) -> Result<Prepared> {
        let directory = ModuleDir::new(self.root.join(&module.path));
        let state = directory.state().map_err(|error| module.error(error))?;
        let resolved = self.sources.resolve(module, self.context, state.deployed())?;
        if let State::Installed(marker) = &state
            && marker.has_content_of(&resolved)
        {
            let (old, new) = (Some(marker.module.clone()), resolved.deployed());
            let action = Action::Unchanged;
            return Ok(Prepared { action, old, new, warnings: Vec::new(), written: None });
        }
        self.write(number, &resolved, &directory, &state)
            .map_err(|error| if error.has_position() { error } else { module.error(error) })
    }

    /// Writes the new directory of a module, and decides whether it may replace the old one.
    fn write(
        &self,
        number: usize,
        resolved: &Resolved,
        directory: &ModuleDir,
        state: &State,
    ) -> Result<Prepared> {
        let module = &resolved.module;
        let scratch = self.scratch(module);
        let new = scratch.join(format!("new-{number}"));
        fs::create_dir(&new).at_path(&new)?;
        let temporary = scratch.join(format!("temporary-{number}"));
        let warnings = resolved.write(self.sources, &new, &temporary)?;
        let files = directory::digest(&new)?;
        let marker = Marker::new(resolved, files.clone());
        marker.write(&new)?;
        let mut prepared = Prepared {
            action: Action::Created,
            old: state.deployed().cloned(),
            new: marker.module.clone(),
            warnings,
            written: Some(new),
        };
        if matches!(state, State::Missing) {
            return Ok(prepared);
        }
        prepared.action = Action::Changed;
        if directory.digest()?.as_deref() == Some(&files) {
            // Somebody else put the same files there, or another commit has them, too. A clone stays
            // one, without a file that it does not track.
            if !self.request.dry_run && !matches!(state, State::Clone) {
                marker.write(&directory.path)?;
            }
            prepared.action = Action::Unchanged;
            prepared.written = None;
            return Ok(prepared);
        }
        let is_replaceable = match state {
            State::Clone => self.is_published(number, resolved, directory)?,
            State::Installed(_) => true,
            State::Edited(_) | State::Foreign | State::Missing => false,
        };
        if !is_replaceable && !self.request.force {
            let text = format!("the module {} stays as it is: {}", module.name, state.reason());
            let help = "`--force` replaces it with what the Puppetfile declares";
            prepared
                .warnings
                .push(Diagnostic::warning(codes::DEPLOY, text).at(module.span).help(help));
            prepared.action = Action::Skipped;
            prepared.written = None;
        }
        Ok(prepared)
    }

    /// Whether all of a clone is in the repository of the module. Fails if it has other commits, which
    /// even `force` must not remove.
    fn is_published(
        &self,
        number: usize,
        resolved: &Resolved,
        directory: &ModuleDir,
    ) -> Result<bool> {
        let ResolvedSource::Git { mirror, .. } = &resolved.source else {
            let text = "its directory is a clone, and the module is no longer from git";
            return Err(Error::new(text).help("move the directory away"));
        };
        let commits = git::commits_of_clone(&directory.path)?;
        if !commits.all().all(|commit| mirror.commit(commit).is_some()) {
            let text = "its directory is a clone with commits that the module's repository lacks";
            let help =
                "push them, move the directory away, or declare the module with `:local => true`";
            return Err(Error::new(text).help(help));
        }
        let Some(head) = &commits.head else { return Ok(false) };
        let scratch = self.scratch(&resolved.module);
        let committed = scratch.join(format!("clone-{number}"));
        fs::create_dir(&committed).at_path(&committed)?;
        mirror.write(head, &committed, &scratch.join(format!("clone-index-{number}")))?;
        if !directory.path.join("spec").exists() {
            // r10k leaves it out, too.
            files::remove(&committed.join("spec"))?;
        }
        Ok(directory.digest()? == Some(directory::digest(&committed)?))
    }

    /// The temporary directory beside a module.
    fn scratch(&self, module: &Module) -> &Path {
        &self.scratch[module.path.parent().unwrap_or(Path::new(""))].0
    }

    /// Removes the modules that earlier runs installed and the Puppetfile no longer declares.
    fn remove_undeclared(&self, parent: &Path, modules: &[Module], report: &mut InstallReport) {
        let Ok(names) = files::names(&self.root.join(parent)) else { return };
        for name in names {
            let path = parent.join(&name);
            if modules.iter().any(|module| module.path == path) {
                continue;
            }
            let directory = ModuleDir::new(self.root.join(&path));
            let result = match directory.state() {
                Ok(State::Installed(marker)) => {
                    let removed = match self.request.dry_run {
                        true => Ok(()),
                        false => files::remove(&directory.path),
                    };
                    removed.map(|()| report.removed(&path, marker.module))
                }
                Ok(State::Edited(_)) => {
                    let text = format!(
                        "{} is not in the Puppetfile, and stays: it was edited since it was \
                         installed",
                        directory.path.display()
                    );
                    report.diagnostics.push(Diagnostic::warning(codes::DEPLOY, text));
                    Ok(())
                }
                Ok(State::Missing | State::Clone | State::Foreign) => Ok(()),
                Err(error) => Err(error),
            };
            if let Err(error) = result {
                report.diagnostics.push(error.into_diagnostic());
            }
        }
    }
}
