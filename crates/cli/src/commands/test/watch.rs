//! `ordain test --watch`: runs the affected tests after each change.

use std::collections::BTreeMap;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use ordain_driver::Options;
use ordain_source::SourceMap;
use ordain_testing::{RunOptions, Test, TestReport, TestResult};

use crate::exit::{Exit, Failure};
use crate::ui::{Ui, count};

/// The time between two looks at the files.
const INTERVAL: Duration = Duration::from_millis(200);

/// An upper bound of the time by which a file system dates a change too early: it takes the time of its
/// last clock tick.
const TICK: Duration = Duration::from_millis(20);

/// The time for which an editor may still write when a change is seen. It is longer than a tick, so that
/// the run after a change does not take it for a further one.
const SETTLING: Duration = Duration::from_millis(40);

/// A file before a change: its time and size; `None` if it does not exist.
type FileState = Option<(SystemTime, u64)>;

/// Reads the tests that exist now.
type ReadTests<'a> = &'a dyn Fn(&mut Ui, &SourceMap) -> Result<Vec<Test>, Failure>;

/// The tests that are watched.
pub(super) struct Watched<'a> {
    /// The files and directories of the tests.
    pub(super) paths: &'a [PathBuf],
    /// Reads the tests.
    pub(super) read: ReadTests<'a>,
    /// Prints a report.
    pub(super) print: &'a dyn Fn(&mut Ui, &TestReport) -> Result<(), Failure>,
    /// How many tests run at the same time.
    pub(super) jobs: Option<NonZeroUsize>,
}

/// Runs all tests, then the affected ones after each change, until a signal ends the process.
///
/// # Errors
/// When the output cannot be written.
pub(super) fn run(ui: &mut Ui, watched: &Watched<'_>) -> Result<Exit, Failure> {
    let options =
        RunOptions { common: Options::default(), jobs: watched.jobs, ..RunOptions::default() };
    let mut known: BTreeMap<Key, TestResult> = BTreeMap::new();
    let mut changed: Option<Vec<PathBuf>> = None;
    loop {
        std::thread::sleep(SETTLING);
        let (begin, sources) = (SystemTime::now(), SourceMap::new());
        match (watched.read)(ui, &sources) {
            Ok(found) => {
                let affected = affected(&found, &known, changed.as_deref());
                let report = ordain_testing::run(&affected, &options, &sources);
                known.retain(|key, _| found.iter().any(|test| key_of(test) == *key));
                for result in report.results {
                    known.insert((result.file.clone(), result.name.clone()), result);
                }
                print(ui, watched, (&found, &known), affected.len())?;
            }
            Err(Failure::Message(diagnostic)) => ui.message(&diagnostic),
            Err(_) => {}
        }
        let mut states = States::of(watched.paths, &known, begin);
        changed = Some(loop {
            let changes = states.changes();
            if !changes.is_empty() {
                break changes;
            }
            std::thread::sleep(INTERVAL);
            states.add_new_files(watched.paths);
        });
    }
}

/// A test by its file and name.
type Key = (PathBuf, String);

fn key_of(test: &Test) -> Key {
    (test.file.clone(), test.name.clone())
}

/// The tests that have no result yet, or that depend on a changed file.
fn affected(
    tests: &[Test],
    known: &BTreeMap<Key, TestResult>,
    changed: Option<&[PathBuf]>,
) -> Vec<Test> {
    let Some(changed) = changed else { return tests.to_vec() };
    let is_affected = |test: &&Test| {
        let Some(result) = known.get(&key_of(test)) else { return true };
        changed.iter().any(|path| *path == test.file || result.inputs.contains(path))
    };
    tests.iter().filter(is_affected).cloned().collect()
}

/// Prints the failures of all tests, and how many were run.
fn print(
    ui: &mut Ui,
    watched: &Watched<'_>,
    (tests, known): (&[Test], &BTreeMap<Key, TestResult>),
    run: usize,
) -> Result<(), Failure> {
    let results = tests.iter().filter_map(|test| known.get(&key_of(test)).cloned());
    let report = TestReport { results: results.collect(), ..TestReport::default() };
    ui.line(&format!("ran {}", count(run, "test")), 0)?;
    (watched.print)(ui, &report)?;
    ui.line("", 0)?;
    ui.out().flush()?;
    Ok(())
}

/// The states of all files that tests depend on.
struct States(BTreeMap<PathBuf, FileState>);

impl States {
    /// The states at a time at which all tests were run. A file that has changed since then has
    /// changed.
    fn of(paths: &[PathBuf], known: &BTreeMap<Key, TestResult>, begin: SystemTime) -> Self {
        let inputs = known.values().flat_map(|result| result.inputs.iter().cloned());
        let states = inputs.chain(test_files(paths)).map(|path| {
            let before = state(&path).filter(|(modified, _)| *modified + TICK < begin);
            let is_new = before.is_none() && path.exists();
            let before = if is_new { Some((begin, u64::MAX)) } else { before };
            (path, before)
        });
        Self(states.collect())
    }

    /// Adds new test files as files that did not exist.
    fn add_new_files(&mut self, paths: &[PathBuf]) {
        for path in test_files(paths) {
            self.0.entry(path).or_insert(None);
        }
    }

    fn changes(&self) -> Vec<PathBuf> {
        let changed = self.0.iter().filter(|(path, before)| state(path) != **before);
        changed.map(|(path, _)| path.clone()).collect()
    }
}

/// The test files that exist now.
fn test_files(paths: &[PathBuf]) -> Vec<PathBuf> {
    paths.iter().flat_map(|path| ordain_testing::find_tests(path).unwrap_or_default()).collect()
}

fn state(path: &Path) -> FileState {
    let metadata = path.metadata().ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}
