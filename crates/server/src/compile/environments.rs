//! The environments below the directory of code. Each stays open until its code changes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use ordain_deploy::{EnvironmentDir, PinnedRevision, Record};
use ordain_driver::inputs::FileStates;
use ordain_driver::puppet::DEFAULT_ENVIRONMENT;
use ordain_driver::puppet::shared::{SharedEnvironment, puppet_message};
use ordain_driver::{CollectingReporter, Error as DriverError, Options};
use ordain_source::{Severity, SourceMap, TouchedPaths};
use tokio::sync::watch;

use super::links::real_places;
use super::revision::RevisionFiles;
use super::watcher::{Changes, Watcher, count};

/// The environments.
pub(crate) struct Environments {
    /// The directory that has `environments`, or is one control repository.
    code: PathBuf,
    options: Options,
    watcher: Option<Arc<Watcher>>,
    /// Is sent something when any environment has changed.
    news: watch::Sender<()>,
    slots: RwLock<BTreeMap<String, Arc<Slot>>>,
    /// Open revisions that are not current, by environment and id.
    revisions: Mutex<BTreeMap<(String, String), Arc<OpenedEnvironment>>>,
    /// The number of states of environments that were opened.
    states: AtomicU64,
    /// The time of the start in nanoseconds, so that ids of code are not those of another process.
    started: i128,
}

/// An environment that was asked for.
struct Slot {
    key: u32,
    changes: Changes,
    open: Mutex<Option<Arc<OpenedEnvironment>>>,
    /// The paths that are watched already.
    armed: Mutex<BTreeSet<PathBuf>>,
    /// Whether a thread is about to look for links.
    is_scanned: AtomicBool,
}

/// An open environment.
pub(crate) struct OpenedEnvironment {
    /// Its name.
    pub(crate) name: String,
    /// Its directory.
    pub(crate) dir: PathBuf,
    /// The id of this state of the code: another one after each change.
    state: String,
    /// The files of the revision, if the environment was deployed as one.
    revision: Option<Arc<RevisionFiles>>,
    /// The environment, or the message why it cannot be compiled. Files are served in both cases.
    pub(crate) shared: Result<SharedEnvironment, String>,
    /// The directories of modules by name, in order of the module path.
    pub(crate) modules: Vec<(String, PathBuf)>,
    /// The directories of the module path.
    pub(crate) modulepath: Vec<PathBuf>,
    /// The paths that are watched with everything below.
    watched: Vec<PathBuf>,
    texts: Arc<SourceMap>,
    touched: TouchedPaths,
    /// The number of touched paths when they were last looked at.
    known: Mutex<usize>,
    /// The count of changes before it was opened.
    changes: u64,
    is_watched: bool,
}

/// The reason why there is no environment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum EnvironmentError {
    /// It does not exist.
    Missing,
}

impl Environments {
    /// The environments below a directory. `options` has the settings of all compiles.
    pub(crate) fn new(code: PathBuf, options: Options) -> Self {
        // Without a watcher every request opens its environment again, which is slow and right.
        let news = watch::Sender::new(());
        let sender = news.clone();
        let watcher = Watcher::start(move || sender.send_replace(()))
            .inspect_err(|error| tracing::warn!(%error, "code cannot be watched for changes"));
        Self {
            code,
            options,
            watcher: watcher.ok().map(Arc::new),
            news,
            slots: RwLock::default(),
            revisions: Mutex::default(),
            states: AtomicU64::new(0),
            started: jiff::Timestamp::now().as_nanosecond(),
        }
    }

    /// The directory of an environment, if it exists.
    pub(crate) fn dir(&self, name: &str) -> Option<PathBuf> {
        if name.is_empty() || !is_word(name) {
            return None;
        }
        let below = self.code.join("environments");
        if !below.is_dir() {
            return (name == DEFAULT_ENVIRONMENT).then(|| self.code.clone());
        }
        let dir = below.join(name);
        dir.is_dir().then_some(dir)
    }

    /// The names of all environments.
    pub(crate) fn names(&self) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(self.code.join("environments")) else {
            return vec![DEFAULT_ENVIRONMENT.to_string()];
        };
        let mut names: Vec<String> = entries
            .flatten()
            .filter(|entry| entry.path().is_dir())
            .filter_map(|entry| entry.file_name().into_string().ok())
            .filter(|name| is_word(name))
            .collect();
        names.sort();
        names
    }

    /// The directories that hold environments.
    pub(crate) fn search_paths(&self) -> Vec<PathBuf> {
        vec![self.code.join("environments")]
    }

    /// The environment as its code is now. Blocks while it is opened.
    ///
    /// # Errors
    /// When it does not exist. An environment with errors is opened nevertheless, for its files.
    pub(crate) fn get(&self, name: &str) -> Result<Arc<OpenedEnvironment>, EnvironmentError> {
        let dir = self.dir(name).ok_or(EnvironmentError::Missing)?;
        let slot = self.slot(name);
        let mut open = slot.open.lock().unwrap_or_else(PoisonError::into_inner);
        let changes = slot.changes.load(Ordering::SeqCst);
        if let Some(found) = &*open
            && self.watcher.is_some()
            && found.changes == changes
            && changes != u64::MAX
            && found.dir == dir
            && found.revision_id() == self.base().current(name).as_deref()
        {
            return Ok(Arc::clone(found));
        }
        let revision = self.pin_current(name, &dir);
        let opened = Arc::new(self.open(name, dir, &slot, open.as_deref(), revision));
        *open = Some(Arc::clone(&opened));
        Ok(opened)
    }

    /// The environment with the code of a deployed revision, which may not be the current one.
    /// `None` if it has no such revision. Blocks while it is opened.
    ///
    /// # Errors
    /// When the environment does not exist.
    pub(crate) fn get_revision(
        &self,
        name: &str,
        id: &str,
    ) -> Result<Option<Arc<OpenedEnvironment>>, EnvironmentError> {
        let current = self.get(name)?;
        if current.revision_id() == Some(id) {
            return Ok(Some(current));
        }
        let slot = self.slot(name);
        let mut revisions = self.revisions.lock().unwrap_or_else(PoisonError::into_inner);
        let changes = slot.changes.load(Ordering::SeqCst);
        let key = (name.to_string(), id.to_string());
        let known = revisions.get(&key);
        if let Some(found) = known
            && found.is_watched()
            && found.changes == changes
            && found.dir == current.dir
        {
            return Ok(Some(Arc::clone(found)));
        }
        let Some(revision) = self.pin_revision(name, &current.dir, id) else { return Ok(None) };
        let before = known.map_or(&*current, |known| known);
        let dir = current.dir.clone();
        let opened = Arc::new(self.open(name, dir, &slot, Some(before), Some(revision)));
        revisions.insert(key, Arc::clone(&opened));
        Ok(Some(opened))
    }

    /// The code of an open environment, opened again so that its compiles record the values that
    /// lost, which those for agents do not need.
    ///
    /// # Errors
    /// The message for code that cannot be compiled.
    pub(crate) fn with_history(
        &self,
        env: &OpenedEnvironment,
    ) -> Result<SharedEnvironment, String> {
        let texts = Arc::new(SourceMap::with_parse_cache());
        let options = Options {
            layer: env.revision.as_ref().map(RevisionFiles::layer),
            environment: Some(env.name.clone()),
            texts: Some(Arc::clone(&texts)),
            has_history: true,
            states: None,
            ..self.options.clone()
        };
        Code::read(&env.name, &env.dir, &options, &texts).shared
    }

    /// Closes the open revisions whose ids a function does not accept.
    pub(crate) fn retain_revisions(&self, accept: impl Fn(&str) -> bool) {
        let mut revisions = self.revisions.lock().unwrap_or_else(PoisonError::into_inner);
        revisions.retain(|(_, id), _| accept(id));
    }

    /// The directory of environments, as deploys see it.
    fn base(&self) -> EnvironmentDir {
        EnvironmentDir::new(self.code.join("environments"))
    }

    /// The files of a deployed revision that may not be the current one.
    pub(crate) fn revision(&self, name: &str, id: &str) -> Option<PinnedRevision> {
        self.base().pin(name, id)
    }

    /// The files of the current revision, which stay while the result exists. `None` if the environment
    /// was not deployed as a revision.
    pub(crate) fn current_revision(&self, name: &str) -> Option<PinnedRevision> {
        self.base().pin_current(name)
    }

    /// The deployed revisions of an environment, the last one first.
    pub(crate) fn deployed(&self, name: &str) -> Vec<Record> {
        // Without a directory of revisions nothing was deployed.
        self.base().list(name).unwrap_or_default()
    }

    /// The options of compiles.
    pub(crate) fn options(&self) -> &Options {
        &self.options
    }

    /// Tells when something has changed; [`Environments::state`] tells where.
    pub(crate) fn news(&self) -> watch::Receiver<()> {
        self.news.subscribe()
    }

    /// The state of the code of an environment: a text that differs after each change that is
    /// noticed.
    pub(crate) fn state(&self, name: &str) -> String {
        let changes = self.slot(name).changes.load(Ordering::SeqCst);
        format!("{:x}-{changes}", self.started)
    }

    /// Makes sure that changes are noticed. Returns the state. It blocks.
    ///
    /// # Errors
    /// When the environment does not exist.
    pub(crate) fn track(&self, name: &str) -> Result<String, EnvironmentError> {
        let dir = self.dir(name).ok_or(EnvironmentError::Missing)?;
        let slot = self.slot(name);
        let is_armed = !slot.armed.lock().unwrap_or_else(PoisonError::into_inner).is_empty();
        if !is_armed {
            self.watch(&slot, &dir);
        }
        Ok(self.state(name))
    }

    /// Watches the files outside of an environment that a compile has read, and new links in it.
    pub(crate) fn watch_inputs(&self, name: &str, dir: &Path, inputs: &[PathBuf]) {
        let Some(watcher) = &self.watcher else { return };
        let slot = self.slot(name);
        let outside = inputs.iter().filter(|path| path.is_absolute() && !path.starts_with(dir));
        let paths = slot.not_armed(outside.map(PathBuf::as_path));
        if let Err(error) = watcher.add_files(slot.key, &slot.changes, &paths) {
            tracing::warn!(%error, "some data cannot be watched; raise fs.inotify.max_user_watches");
            slot.changes.store(u64::MAX, Ordering::SeqCst);
        }
        self.watch_new_links(&slot, vec![dir.to_path_buf()]);
    }

    /// The files of the current revision of an environment. Returns `None` if the environment was
    /// not deployed as a revision.
    pub(crate) fn pin_current(&self, name: &str, dir: &Path) -> Option<Arc<RevisionFiles>> {
        let revision = self.base().pin_current(name)?;
        Some(Arc::new(RevisionFiles::new(dir, revision)))
    }

    /// The files of a revision at the paths of an environment. Returns `None` if there is no revision
    /// with this id.
    pub(crate) fn pin_revision(
        &self,
        name: &str,
        dir: &Path,
        id: &str,
    ) -> Option<Arc<RevisionFiles>> {
        let revision = self.revision(name, id)?;
        Some(Arc::new(RevisionFiles::new(dir, revision)))
    }

    fn slot(&self, name: &str) -> Arc<Slot> {
        let slots = self.slots.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(slot) = slots.get(name) {
            return Arc::clone(slot);
        }
        drop(slots);
        let mut slots = self.slots.write().unwrap_or_else(PoisonError::into_inner);
        let key = u32::try_from(slots.len()).unwrap_or(u32::MAX);
        let new = || {
            let (changes, open) = (Changes::default(), Mutex::default());
            let (armed, is_scanned) = (Mutex::default(), AtomicBool::new(false));
            Arc::new(Slot { key, changes, open, armed, is_scanned })
        };
        Arc::clone(slots.entry(name.to_string()).or_insert_with(new))
    }

    fn open(
        &self,
        name: &str,
        dir: PathBuf,
        slot: &Arc<Slot>,
        before: Option<&OpenedEnvironment>,
        revision: Option<Arc<RevisionFiles>>,
    ) -> OpenedEnvironment {
        if before.is_none() {
            self.watch(slot, &dir);
        }
        // Changes from here on are noticed, and lead to another read.
        let changes = slot.changes.load(Ordering::SeqCst);
        let texts = before.map(|before| Arc::clone(&before.texts));
        let texts = texts.filter(|texts| !texts.is_outgrown());
        let texts = texts.unwrap_or_else(|| Arc::new(SourceMap::with_parse_cache()));
        let touched = TouchedPaths::default();
        let options = Options {
            layer: revision.as_ref().map(RevisionFiles::layer),
            environment: Some(name.to_string()),
            texts: Some(Arc::clone(&texts)),
            touched: touched.clone(),
            // The states are those of this state of the code.
            states: self.options.states.as_ref().map(|_| FileStates::default()),
            ..self.options.clone()
        };
        let Code { shared, modulepath, modules } = Code::read(name, &dir, &options, &texts);
        let outside = |path: &&PathBuf| !path.starts_with(&dir);
        let mut watched: Vec<PathBuf> = modulepath.iter().filter(outside).cloned().collect();
        if before.is_none() && !watched.is_empty() {
            watched.iter().for_each(|tree| self.watch(slot, tree));
            // They were read before they were watched, so the next request reads them again.
            count(&slot.changes);
        }
        watched.push(dir.clone());
        if before.is_some() {
            self.watch_new_links(slot, watched.clone());
        }
        let number = self.states.fetch_add(1, Ordering::SeqCst) + 1;
        let state = format!("{name}-{}-{number}", self.started);
        OpenedEnvironment {
            name: name.to_string(),
            dir,
            state,
            revision,
            shared,
            modules,
            modulepath,
            watched,
            texts,
            touched,
            known: Mutex::new(0),
            changes,
            is_watched: self.watcher.is_some(),
        }
    }

    /// Watches everything that a tree consists of.
    fn watch(&self, slot: &Slot, root: &Path) {
        if let Some(watcher) = &self.watcher {
            slot.arm(watcher, root);
        }
    }

    /// Looks for new links in trees that are watched, in the background: there are rarely any, and
    /// a request waits.
    fn watch_new_links(&self, slot: &Arc<Slot>, roots: Vec<PathBuf>) {
        let Some(watcher) = self.watcher.clone() else { return };
        if slot.is_scanned.swap(true, Ordering::SeqCst) {
            return;
        }
        let (scanned, news) = (Arc::clone(slot), self.news.clone());
        let scan = move || {
            scanned.is_scanned.store(false, Ordering::SeqCst);
            // No short circuit: each tree has to be looked at.
            let is_new = roots.iter().fold(false, |new, root| scanned.arm(&watcher, root) | new);
            if is_new {
                // Changes there before the watch began are read again.
                count(&scanned.changes);
                news.send_replace(());
            }
        };
        let thread = std::thread::Builder::new().name("links".into()).stack_size(256 << 10);
        if thread.spawn(scan).is_err() {
            slot.is_scanned.store(false, Ordering::SeqCst);
        }
    }

    /// Watches the files outside of the environment that compiles have read, such as data. Called
    /// after each compile.
    pub(crate) fn watch_read_files(&self, env: &OpenedEnvironment) {
        let Some(watcher) = &self.watcher else { return };
        let count = env.touched.count();
        let mut known = env.known.lock().unwrap_or_else(PoisonError::into_inner);
        if *known == count {
            return;
        }
        *known = count;
        drop(known);
        let paths = env.touched.paths();
        let is_outside = |path: &&Path| !env.watched.iter().any(|tree| path.starts_with(tree));
        let slot = self.slot(&env.name);
        let paths = slot.not_armed(paths.iter().map(PathBuf::as_path).filter(is_outside));
        if let Err(error) = watcher.add_files(slot.key, &slot.changes, &paths) {
            tracing::warn!(%error, "some data cannot be watched; raise fs.inotify.max_user_watches");
            slot.changes.store(u64::MAX, Ordering::SeqCst);
        }
    }

    /// Opens an environment, or all, again at the next request.
    pub(crate) fn forget(&self, name: Option<&str>) {
        let slots = self.slots.read().unwrap_or_else(PoisonError::into_inner);
        for (_, slot) in slots.iter().filter(|(key, _)| name.is_none_or(|name| *key == name)) {
            *slot.open.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
    }
}

/// The code of an environment.
struct Code {
    shared: Result<SharedEnvironment, String>,
    modulepath: Vec<PathBuf>,
    modules: Vec<(String, PathBuf)>,
}

impl Code {
    /// Reads the code in a directory, and logs its errors.
    fn read(name: &str, dir: &Path, options: &Options, texts: &SourceMap) -> Self {
        let mut reporter = CollectingReporter::default();
        let shared = SharedEnvironment::open(&mut reporter, dir, options);
        let shared = shared.map_err(|error| match error {
            DriverError::Message(diagnostic) => diagnostic.message.clone(),
            DriverError::Reported => first_error(&reporter, texts),
        });
        for warning in reporter.diagnostics.iter().filter(|d| d.severity != Severity::Error) {
            tracing::warn!(environment = name, "{}", puppet_message(warning, texts));
        }
        let (modulepath, modules) = match &shared {
            Ok(shared) => {
                let env = shared.environment();
                let modules = env.modules.values();
                let modules = modules.map(|module| (module.name.to_string(), module.dir.clone()));
                (env.modulepath.clone(), modules.collect())
            }
            Err(message) => {
                tracing::error!(environment = name, "{message}");
                modules_of_broken(dir, options, name)
            }
        };
        Self { shared, modulepath, modules }
    }
}

impl OpenedEnvironment {
    /// Whether its changes are noticed.
    pub(crate) fn is_watched(&self) -> bool {
        self.is_watched && self.changes != u64::MAX
    }

    /// The id of this state of the code: another one after each change, and after each start.
    pub(crate) fn state(&self) -> &str {
        &self.state
    }

    /// The id of the revision, if the environment was deployed as one.
    pub(crate) fn revision_id(&self) -> Option<&str> {
        self.revision.as_deref().map(RevisionFiles::id)
    }

    /// The id of the code for agents, which send it back to get files of the same code.
    pub(crate) fn code_id(&self) -> &str {
        self.revision_id().unwrap_or(&self.state)
    }

    /// The place of a file or directory of the environment on the disk.
    pub(crate) fn place(&self, path: &Path) -> PathBuf {
        let place = self.revision.as_ref().and_then(|revision| revision.place(path));
        place.unwrap_or_else(|| path.to_path_buf())
    }
}

impl Slot {
    /// Watches the real places of a tree. Returns whether some were not watched yet.
    fn arm(&self, watcher: &Watcher, root: &Path) -> bool {
        let places = real_places(root);
        let trees = self.not_armed(places.trees.iter().map(PathBuf::as_path));
        let files = self.not_armed(places.files.iter().map(PathBuf::as_path));
        let added = watcher.add(self.key, &self.changes, &trees);
        let added = added.and_then(|()| watcher.add_files(self.key, &self.changes, &files));
        if let Err(error) = &added {
            tracing::warn!(%error, "some code cannot be watched; raise fs.inotify.max_user_watches");
        }
        if added.is_err() || places.is_incomplete {
            // No event is relied on for this environment.
            self.changes.store(u64::MAX, Ordering::SeqCst);
        }
        !trees.is_empty() || !files.is_empty()
    }

    /// Those of the paths that are not watched yet. They count as watched afterwards.
    fn not_armed<'a>(&self, paths: impl Iterator<Item = &'a Path>) -> Vec<PathBuf> {
        let mut armed = self.armed.lock().unwrap_or_else(PoisonError::into_inner);
        paths.filter(|path| armed.insert(path.to_path_buf())).map(Path::to_path_buf).collect()
    }
}

/// The module path and the modules of an environment whose manifests have errors.
fn modules_of_broken(
    dir: &Path,
    options: &Options,
    name: &str,
) -> (Vec<PathBuf>, Vec<(String, PathBuf)>) {
    let world = options.untracked_world();
    let Ok(layout) = ordain_driver::puppet::layout(world.as_ref(), Some(dir), options, name) else {
        return Default::default();
    };
    let mut modules: Vec<(String, PathBuf)> = Vec::new();
    for dir in &layout.modulepath {
        for (module, _) in world.list(dir).unwrap_or_default() {
            let path = dir.join(&module);
            if path.is_dir() && modules.iter().all(|(known, _)| *known != module) {
                modules.push((module, path));
            }
        }
    }
    (layout.modulepath, modules)
}

/// Whether a text has only characters of names of environments.
fn is_word(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn first_error(reporter: &CollectingReporter, texts: &SourceMap) -> String {
    let mut errors = reporter.diagnostics.iter().filter(|d| d.severity == Severity::Error);
    errors.next().map_or_else(String::new, |error| puppet_message(error, texts))
}
