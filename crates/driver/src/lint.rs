//! Runs the checks of puppet-lint on manifests, with the options of their directories.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ordain_puppet_tools::puppet_lint::{CHECKS, Options, run};
use ordain_source::{Diagnostic, FileId, Severity, SourceMap};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::codes;

/// The beginning of the codes of puppet-lint's checks.
pub const CODES: &str = "lint::";

/// The name of the file with options.
const FILE: &str = ".puppet-lint.rc";

/// The choices of the user.
#[derive(Clone, Default, Debug)]
pub struct LintSettings {
    /// The checks that run; empty for those of the options.
    pub only_checks: Vec<String>,
    /// Module layout is compared without the name of the module.
    pub relative: bool,
    /// Checks that do not run, by the codes of their findings.
    pub ignored: Vec<String>,
}

/// The checks of puppet-lint for many files.
pub struct Linter {
    settings: LintSettings,
    by_directory: Mutex<FxHashMap<PathBuf, Arc<Options>>>,
    /// Warnings about files of options.
    warnings: Mutex<Vec<(PathBuf, Diagnostic)>>,
}

/// Locks a mutex that holds nothing half-done when a thread panics.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Linter {
    /// A linter with these choices.
    ///
    /// # Errors
    /// When a chosen check is unknown.
    pub fn new(settings: LintSettings) -> Result<Self, Diagnostic> {
        let is_unknown = |name: &&String| !CHECKS.iter().any(|check| check.name == **name);
        if let Some(name) = settings.only_checks.iter().find(is_unknown) {
            let text = format!("--only-checks names an unknown check `{name}`");
            let error = Diagnostic::error(codes::UNKNOWN_NAME, text);
            let names = CHECKS.iter().map(|check| check.name);
            return Err(match ordain_source::suggest::nearest(name, names) {
                Some(near) => error.help(format!("did you mean `{near}`?")),
                None => error,
            });
        }
        Ok(Self { settings, by_directory: Mutex::default(), warnings: Mutex::default() })
    }

    /// The options for a manifest: those of the system, of the user, and of the nearest directory
    /// above it that has some. An option that is wrong has no effect, and there is a warning.
    pub fn options(&self, full_path: &Path) -> Arc<Options> {
        let directory = full_path.parent().unwrap_or(Path::new("/"));
        if let Some(options) = lock(&self.by_directory).get(directory) {
            return Arc::clone(options);
        }
        let own = directory.ancestors().map(|dir| dir.join(FILE)).find(|file| file.is_file());
        let home = std::env::var_os("HOME").map(|home| Path::new(&home).join(FILE));
        let system = Some(PathBuf::from("/etc/puppet-lint.rc"));
        let mut options = Options::default();
        enable_plugins(directory, &mut options);
        let mut read: Vec<PathBuf> = Vec::new();
        for file in [system, home, own].into_iter().flatten() {
            let Ok(text) = std::fs::read_to_string(&file) else { continue };
            if read.contains(&file) {
                continue;
            }
            for message in options.read_lines(&text) {
                let text = format!("{}: {message}", shown(&file));
                self.warn(&file, Diagnostic::warning(codes::ARGUMENTS, text));
            }
            for name in std::mem::take(&mut options.unknown) {
                let text = format!("{} names an unknown check `{name}`", shown(&file));
                let warning = Diagnostic::warning(codes::UNKNOWN_NAME, text);
                self.warn(&file, warning.help("checks of plug-ins in Ruby do not run"));
            }
            read.push(file);
        }
        if !self.settings.only_checks.is_empty() {
            options.only(&self.settings.only_checks);
        }
        options.relative |= self.settings.relative;
        for (i, check) in CHECKS.iter().enumerate() {
            if self.settings.ignored.iter().any(|code| code == check.code) {
                options.set_enabled(i, false);
            }
        }
        let options = Arc::new(options);
        lock(&self.by_directory).insert(directory.to_path_buf(), Arc::clone(&options));
        options
    }

    /// Adds a warning about a file of options, once.
    fn warn(&self, file: &Path, warning: Diagnostic) {
        let warning = (file.to_path_buf(), warning);
        let mut warnings = lock(&self.warnings);
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }

    /// The warnings about options so far, with the files that have the options.
    pub fn take_warnings(&self) -> Vec<(PathBuf, Diagnostic)> {
        std::mem::take(&mut lock(&self.warnings))
    }

    /// Whether a warning of puppet-lint fails the run, by the options of its file.
    pub fn is_failed(&self, found: &[Diagnostic], sources: &SourceMap) -> bool {
        let is_warning =
            |d: &&Diagnostic| d.severity == Severity::Warning && d.code.starts_with(CODES);
        let labels = found.iter().filter(is_warning).filter_map(|d| d.primary.as_ref());
        let files: FxHashSet<FileId> = labels.map(|label| label.span.file).collect();
        files.into_iter().any(|file| {
            let path = &sources.file(file).path;
            let full = std::path::absolute(path).unwrap_or_else(|_| path.clone());
            self.options(&full).fail_on_warnings
        })
    }

    /// The findings in a manifest. `path` is the path as the user wrote it.
    pub fn check(
        &self,
        path: &Path,
        full_path: &Path,
        file: FileId,
        text: &str,
    ) -> Vec<Diagnostic> {
        if !is_manifest(path) {
            return Vec::new();
        }
        let options = self.options(full_path);
        if options.ignores(&path.to_string_lossy()) {
            return Vec::new();
        }
        let report = run(text, &full_path.to_string_lossy(), &options);
        let found = report.findings.iter().filter(|finding| finding.ignored.is_none());
        found.map(|finding| finding.diagnostic(file)).collect()
    }
}

/// A path from the current directory, if it is below that.
fn shown(path: &Path) -> String {
    let current = std::env::current_dir().ok();
    let below = current.as_ref().and_then(|current| path.strip_prefix(current).ok());
    below.unwrap_or(path).display().to_string()
}

/// Gems that bring all plug-ins of the community.
const BUNDLES: [&str; 2] = ["voxpupuli-puppet-lint-plugins", "voxpupuli-test"];

/// Enables the checks whose gems the nearest `Gemfile` names.
fn enable_plugins(directory: &Path, options: &mut Options) {
    let file = directory.ancestors().map(|dir| dir.join("Gemfile")).find(|file| file.is_file());
    let Some(text) = file.and_then(|file| std::fs::read_to_string(file).ok()) else { return };
    let lines = text.lines().map(str::trim_start).filter(|line| line.starts_with("gem"));
    let names: Vec<&str> = lines.filter_map(|line| line.split(['\'', '"']).nth(1)).collect();
    let has_all = names.iter().any(|name| BUNDLES.contains(name));
    for (i, check) in CHECKS.iter().enumerate() {
        if check.gem.is_some_and(|gem| has_all || names.contains(&gem)) {
            options.set_enabled(i, true);
        }
    }
}

/// Whether the checks of puppet-lint run on a file.
pub fn is_manifest(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "pp")
}
