//! The files of an editor and of the disk, and their diagnostics.
//!
//! After each change of an open file, only that file is parsed and checked against the definitions
//! of the last check of all files ([`Workspace::check`]). A [`Job`] then checks all files together on
//! another thread, with the trees that are there already.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ordain_driver::check::{self, Candidate, CheckedFile, FileFinder, STACK_SIZE};
use ordain_driver::installed::InstalledFiles;
use ordain_driver::languages;
use ordain_graph::language::{CheckOptions, SourceText, Strict};
use ordain_mcl::Edition;
use ordain_puppet_tools::Puppet;
use ordain_puppet_tools::check::{RepositoryState, program};
use ordain_source::layer::absolute;
use ordain_source::{
    Buffers, CachedWorld, Diagnostic, FileLayer, LayeredWorld, SourceMap, TouchedPaths, World,
    read_input_text,
};
use rayon::ThreadPool;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::error::Error;
use crate::file::File;
use crate::language::Language;
use crate::node::{NodeData, NodeSettings};
use crate::snapshot::{Analysis, Files, Modules, Reports};
use crate::types::Report;
use crate::usage::{FinishedUsage, UsageJob, Usages};

/// The size in bytes of replaced texts from which on all files are loaded again, to free them.
const MAX_REPLACED: usize = 32 << 20;

/// The choices of the user.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The severity of questionable code.
    pub strict: Strict,
    /// Codes that are not reported, with or without the name of the language.
    pub ignore: Vec<String>,
    /// Further directories of modules.
    pub modulepath: Vec<PathBuf>,
    /// Whether warnings in modules that a Puppetfile installs are reported, too.
    pub all_modules: bool,
    /// The chosen node, and the facts of nodes.
    pub node: NodeSettings,
}

/// The files of an editor and of the disk.
pub struct Workspace {
    roots: Arc<[PathBuf]>,
    settings: Arc<Settings>,
    buffers: Arc<Buffers>,
    open: BTreeSet<PathBuf>,
    sources: Arc<SourceMap>,
    /// The size of the texts after the last load.
    loaded_bytes: usize,
    files: Arc<Files>,
    modules: Arc<Modules>,
    reports: Arc<Reports>,
    node_data: Arc<NodeData>,
    usages: Usages,
    /// The definitions of the last check of all files.
    state: Option<RepositoryState>,
    /// The files whose warnings are not reported.
    installed: Option<InstalledFiles>,
    /// Files that a job has to read or check.
    dirty: BTreeSet<PathBuf>,
    pool: Arc<ThreadPool>,
}

impl Workspace {
    /// The files below some directories, which a [`Job`] loads. Until then only open files are known.
    ///
    /// # Errors
    /// When threads cannot be started.
    pub fn new(roots: Vec<PathBuf>, settings: Settings) -> Result<Self, Error> {
        let pool = rayon::ThreadPoolBuilder::new().stack_size(STACK_SIZE).build();
        let pool = pool.map_err(|error| Error::Io(format!("cannot start threads: {error}")))?;
        let roots: Arc<[PathBuf]> = roots.iter().map(|root| absolute(root)).collect();
        let buffers: Arc<Buffers> = Arc::default();
        Ok(Self {
            installed: installed(&settings, &roots, &world(&buffers)),
            roots,
            settings: Arc::new(settings),
            buffers,
            open: BTreeSet::new(),
            sources: Arc::default(),
            loaded_bytes: 0,
            files: Arc::default(),
            modules: Arc::default(),
            reports: Arc::default(),
            node_data: Arc::default(),
            usages: Usages::default(),
            state: None,
            dirty: BTreeSet::new(),
            pool: Arc::new(pool),
        })
    }

    /// The files as they are now.
    pub fn analysis(&self) -> Analysis {
        Analysis {
            files: Arc::clone(&self.files),
            modules: Arc::clone(&self.modules),
            reports: Arc::clone(&self.reports),
            node: self.settings.node.clone(),
            node_data: Arc::clone(&self.node_data),
            usages: self.usages.snapshot(),
            world: Arc::new(world(&self.buffers)),
            roots: Arc::clone(&self.roots),
            cancelled: Arc::new(|| false),
        }
    }

    /// Chooses the node whose values are shown; `None` for none.
    pub fn choose_node(&mut self, name: Option<String>) {
        let node = NodeSettings { name, ..self.settings.node.clone() };
        self.settings = Arc::new(Settings { node, ..Settings::clone(&self.settings) });
        self.node_data = Arc::default();
    }

    /// All source texts, to which the spans of diagnostics refer.
    pub fn sources(&self) -> &Arc<SourceMap> {
        &self.sources
    }

    /// The text of a file that an editor has open.
    pub fn open_text(&self, path: &Path) -> Option<Arc<str>> {
        self.open
            .contains(path)
            .then(|| self.files.get(path))
            .flatten()
            .map(|f| Arc::clone(&f.text))
    }

    /// Sets the text of a file that an editor has open. [`Self::check`] analyzes it.
    pub fn set_text(&mut self, path: &Path, text: impl Into<Arc<str>>) {
        let text = text.into();
        let known = self.files.get(path);
        if known.is_none_or(|known| known.text != text) {
            self.usages.changed(path, known.is_none());
        }
        self.buffers.set(path, Arc::clone(&text));
        self.open.insert(path.to_path_buf());
    }

    /// The editor has closed a file: the text on disk counts again.
    pub fn close(&mut self, path: &Path) {
        self.buffers.remove(path);
        self.open.remove(path);
        self.changed_on_disk(path);
    }

    /// A file was changed, created or removed on disk. The next job reads it.
    pub fn changed_on_disk(&mut self, path: &Path) {
        self.usages.changed(path, true);
        if !self.open.contains(path) {
            self.dirty.insert(path.to_path_buf());
        }
    }

    /// Analyzes an open file and checks it against the definitions of the others. `None` if no
    /// language of Ordain has such files, or only a [`Job`] checks them.
    pub fn check(&mut self, path: &Path) -> Option<Report> {
        let buffers = Arc::clone(&self.buffers);
        let bytes = buffers.read(path)?.ok()?;
        let text: Arc<str> = String::from_utf8(bytes).ok()?.into();
        let old = self.files.get(path).map(Arc::clone);
        let world = world(&self.buffers);
        let settings = Arc::clone(&self.settings);
        let sources = Arc::clone(&self.sources);
        let options = options(&settings, &world, &sources);
        let is_deferred = is_deferred(path);
        let checked = (!is_deferred)
            .then(|| finder().named(path))
            .flatten()
            .map(|candidate| check::check_text(&candidate, Arc::clone(&text), &options));
        let file = File::new(path.to_path_buf(), Arc::clone(&text), checked);
        let file = Arc::new(match &old {
            Some(old) => file.after(old),
            None => file,
        });
        if old.is_none() {
            self.modules = Arc::default();
        }
        Arc::make_mut(&mut self.files).insert(path.to_path_buf(), Arc::clone(&file));
        if file.language == Some(Language::Data) {
            self.node_data = Arc::default();
        }
        if is_deferred {
            self.dirty.insert(path.to_path_buf());
            return None;
        }
        let checked = file.checked.as_ref()?;
        let mut found = checked.report.found.clone();
        if let (Some(state), Some(source)) = (&mut self.state, source_text(checked)) {
            found.extend(state.check_file(&source, &checked.report, &options));
        }
        // A check of all files finds more in sound data, and would come too late for a file that was
        // just emptied of findings.
        let waits =
            file.language == Some(Language::Data) && found.is_empty() && self.state.is_some();
        if waits {
            return None;
        }
        self.retain(&mut found);
        let report = Report { path: path.to_path_buf(), text, found };
        self.remember(std::slice::from_ref(&report));
        Some(report)
    }

    /// Removes findings that the user ignores, and those in modules that a Puppetfile installs.
    fn retain(&mut self, found: &mut Vec<Diagnostic>) {
        let is_code = |name: &String, code: &str| {
            let short = code.rsplit("::").next().unwrap_or(code);
            name == code || name.replace('_', "-") == short
        };
        found.retain(|d| !self.settings.ignore.iter().any(|name| is_code(name, &d.code)));
        if let Some(installed) = self.installed.as_mut().filter(|_| !found.is_empty()) {
            let world = world(&self.buffers);
            found.retain(|d| installed.leaves_out(&world, &self.sources, d).is_none());
        }
    }

    /// Keeps the diagnostics of files for questions about them.
    fn remember(&mut self, reports: &[Report]) {
        let known = Arc::make_mut(&mut self.reports);
        for report in reports {
            match report.found.is_empty() {
                true => drop(known.remove(&report.path)),
                false => drop(known.insert(report.path.clone(), report.clone())),
            }
        }
    }

    /// The work that finds all files, or checks all known ones. It may run on another thread, and its
    /// result goes to [`Self::finish`].
    pub fn job(&mut self) -> Job {
        let replaced = self.sources.bytes().saturating_sub(self.loaded_bytes);
        let is_load = self.state.is_none() || replaced > self.loaded_bytes.max(MAX_REPLACED);
        let open = self.open.iter().filter(|path| is_deferred(path)).cloned();
        let mut dirty = std::mem::take(&mut self.dirty);
        if dirty.iter().any(|path| is_deferred(path)) {
            // A model or program may use the changed one.
            dirty.extend(open);
        }
        Job {
            roots: Arc::clone(&self.roots),
            settings: Arc::clone(&self.settings),
            buffers: Arc::clone(&self.buffers),
            sources: if is_load { Arc::default() } else { Arc::clone(&self.sources) },
            files: Arc::clone(&self.files),
            dirty,
            open: self.open.clone(),
            is_load,
            pool: Arc::clone(&self.pool),
        }
    }

    /// Takes the result of a job. Returns the diagnostics of all files that have not changed since.
    pub fn finish(&mut self, done: Finished) -> Vec<Report> {
        let Finished { sources, files, found, state, installed, is_load } = done;
        let mut current: Vec<PathBuf> = Vec::new();
        let mut changed: Vec<PathBuf> = Vec::new();
        let mut merged: Files = Files::clone(&files);
        for (path, mine) in self.files.iter() {
            let is_open = self.open.contains(path);
            match files.get(path) {
                Some(theirs) if theirs.text == mine.text => {}
                // It was edited during the job.
                _ if is_open => {
                    merged.insert(path.clone(), Arc::clone(mine));
                    changed.push(path.clone());
                }
                _ => {}
            }
        }
        current.extend(files.keys().filter(|path| !changed.contains(path)).cloned());
        self.sources = sources;
        self.files = Arc::new(merged);
        self.modules = Arc::default();
        self.state = Some(state);
        self.installed = installed;
        if is_load {
            self.loaded_bytes = self.sources.bytes();
        }
        let mut by_path: BTreeMap<PathBuf, Vec<Diagnostic>> = BTreeMap::new();
        for diagnostic in found {
            let Some(label) = &diagnostic.primary else { continue };
            let path = self.sources.file(label.span.file).path.clone();
            by_path.entry(path).or_default().push(diagnostic);
        }
        let mut out = Vec::new();
        for path in current {
            let Some(file) = self.files.get(&path) else { continue };
            let own = file.checked.iter().flat_map(|checked| checked.report.found.iter().cloned());
            let mut found: Vec<Diagnostic> = own.collect();
            found.extend(by_path.remove(&path).unwrap_or_default());
            let text = Arc::clone(&file.text);
            out.push(Report { path, text, found });
        }
        // Metadata and data outside of the directories have diagnostics, too.
        for (path, found) in by_path.into_iter().filter(|(path, _)| !changed.contains(path)) {
            let file = found.first().and_then(|first| first.primary.as_ref());
            let text = file.map(|label| Arc::clone(&self.sources.file(label.span.file).text));
            out.extend(text.map(|text| Report { path, text, found }));
        }
        for path in changed {
            out.extend(self.check(&path));
        }
        out.iter_mut().for_each(|report| self.retain(&mut report.found));
        self.node_data = Arc::default();
        self.reports = Arc::default();
        self.remember(&out);
        out
    }

    /// Whether lenses were asked for whose numbers of nodes are unknown or old.
    pub fn usage_is_due(&self) -> bool {
        self.usages.are_due()
    }

    /// The work that finds the nodes which use each definition and key. It may run on another thread,
    /// and its result goes to [`Self::finish_usage`]. A change of a file ends it early.
    pub fn usage_job(&mut self) -> UsageJob {
        let world = Arc::new(CachedWorld::new(world(&self.buffers)));
        self.usages.job(self.settings.node.clone(), world)
    }

    /// Takes the result of a job. Returns whether lenses have changed.
    pub fn finish_usage(&mut self, done: FinishedUsage) -> bool {
        self.usages.finish(done)
    }

    /// Whether files wait for a job.
    pub fn is_dirty(&self) -> bool {
        !self.dirty.is_empty()
    }
}

/// Whether the check of a file compiles all that it imports, which is too slow after each key.
fn is_deferred(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "mcl" || end == "cf")
}

fn finder() -> FileFinder {
    FileFinder { language: None, roots: Vec::new(), edition: Edition::Wide, has_documents: true }
}

fn world(buffers: &Arc<Buffers>) -> LayeredWorld {
    let layer: Arc<dyn FileLayer> = Arc::clone(buffers) as _;
    LayeredWorld::new(layer, TouchedPaths::default()).without_processes()
}

fn options<'a>(
    settings: &'a Settings,
    world: &'a dyn World,
    sources: &'a SourceMap,
) -> CheckOptions<'a> {
    let modulepath = &settings.modulepath;
    CheckOptions { world, strict: settings.strict, sources, modulepath, facts: None }
}

/// The text of a manifest or template that was checked.
fn source_text(checked: &CheckedFile) -> Option<SourceText<'_>> {
    program(&checked.report)?;
    let (_, file, text) = checked.text.as_ref()?;
    Some(SourceText {
        path: &checked.path,
        full: &checked.full,
        file: *file,
        text: Arc::clone(text),
    })
}

/// The files whose warnings are not reported. A user who opens a directory inside a module wants those of the module.
fn installed(settings: &Settings, roots: &[PathBuf], world: &dyn World) -> Option<InstalledFiles> {
    (!settings.all_modules).then(|| InstalledFiles::new(world, roots))
}

/// A load or check of all files. See [`Workspace::job`].
pub struct Job {
    roots: Arc<[PathBuf]>,
    settings: Arc<Settings>,
    buffers: Arc<Buffers>,
    sources: Arc<SourceMap>,
    files: Arc<Files>,
    dirty: BTreeSet<PathBuf>,
    open: BTreeSet<PathBuf>,
    is_load: bool,
    pool: Arc<ThreadPool>,
}

/// The result of a [`Job`].
pub struct Finished {
    sources: Arc<SourceMap>,
    files: Arc<Files>,
    found: Vec<Diagnostic>,
    state: RepositoryState,
    installed: Option<InstalledFiles>,
    is_load: bool,
}

impl Job {
    /// Loads and checks.
    pub fn run(self) -> Finished {
        let pool = Arc::clone(&self.pool);
        pool.install(|| self.work())
    }

    fn work(self) -> Finished {
        let world = world(&self.buffers);
        let options = options(&self.settings, &world, &self.sources);
        let files = match self.is_load {
            true => self.load(&options),
            false => self.refresh(&options),
        };
        let checked = files.values().filter_map(|file| file.checked.as_ref());
        let checked: Vec<&CheckedFile> = checked.collect();
        let (mut found, mut state) = (Vec::new(), RepositoryState::default());
        for language in languages::ALL {
            let of_language = check::files_of(*language, &checked);
            if language.name() == "puppet" {
                (found, state) = Puppet::check_repository(&of_language, &options);
            } else {
                found.extend(language.check_together(&of_language, &options));
            }
        }
        let mut installed = installed(&self.settings, &self.roots, &world);
        if let Some(installed) = &mut installed {
            // Its files are read here, so that the thread that answers the editor does not wait.
            let own = checked.iter().flat_map(|checked| &checked.report.found);
            for finding in found.iter().chain(own) {
                installed.leaves_out(&world, &self.sources, finding);
            }
        }
        let Self { sources, is_load, .. } = self;
        Finished { sources, files: Arc::new(files), found, state, installed, is_load }
    }

    /// All files below the directories, and open ones.
    fn load(&self, options: &CheckOptions<'_>) -> Files {
        let roots = self.roots.iter().filter_map(|root| root.canonicalize().ok()).collect();
        let finder = FileFinder { roots, ..finder() };
        let mut candidates = Vec::new();
        for root in self.roots.iter() {
            // A directory that cannot be read has no files.
            let _ = finder.find(root, &mut candidates);
        }
        let mut by_path: BTreeMap<PathBuf, Option<Candidate>> = BTreeMap::new();
        for candidate in candidates {
            by_path.insert(candidate.path.clone(), Some(candidate));
        }
        for path in &self.open {
            by_path.insert(path.clone(), finder.named(path));
        }
        let by_path: Vec<_> = by_path.into_iter().collect();
        let one = |(path, candidate): &(PathBuf, Option<Candidate>)| {
            let file = self.read(path, candidate.as_ref(), options)?;
            Some((path.clone(), Arc::new(file)))
        };
        by_path.par_iter().filter_map(one).collect()
    }

    fn read(
        &self,
        path: &Path,
        candidate: Option<&Candidate>,
        options: &CheckOptions<'_>,
    ) -> Option<File> {
        let buffer = self.buffers.read(path).and_then(Result::ok);
        let text = match buffer {
            Some(bytes) => String::from_utf8(bytes).ok()?,
            None => read_input_text(path).ok()?,
        };
        let text: Arc<str> = text.into();
        let check =
            |candidate: &Candidate| check::check_text(candidate, Arc::clone(&text), options);
        let checked = candidate.map(check);
        Some(File::new(path.to_path_buf(), Arc::clone(&text), checked))
    }

    /// The known files, of which some are read or checked again.
    fn refresh(&self, options: &CheckOptions<'_>) -> Files {
        let mut files = Files::clone(&self.files);
        let finder = finder();
        let dirty: Vec<&PathBuf> = self.dirty.iter().collect();
        let one = |path: &&PathBuf| {
            let found = || self.roots.iter().find_map(|root| finder.below(root, path));
            let is_open = self.open.contains(*path);
            let candidate = if is_open { finder.named(path) } else { found() };
            // Open templates in ERB are known, although no language checks them one by one.
            let is_known = is_open || candidate.is_some();
            let file = is_known.then(|| self.read(path, candidate.as_ref(), options)).flatten();
            ((*path).clone(), file.map(Arc::new))
        };
        let read: Vec<(PathBuf, Option<Arc<File>>)> = dirty.par_iter().map(one).collect();
        for (path, file) in read {
            match file {
                Some(file) => drop(files.insert(path, file)),
                None => drop(files.remove(&path)),
            }
        }
        files
    }
}
