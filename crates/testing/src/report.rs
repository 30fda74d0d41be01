//! The results of tests.

use std::path::PathBuf;
use std::time::Duration;

use ordain_source::Span;

use crate::coverage::Coverage;

/// An expectation that does not hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TestFailure {
    /// The message; a difference of texts follows in further lines.
    pub message: String,
    /// The place of the expectation in the test file.
    pub span: Option<Span>,
}

/// The result of a test.
#[derive(Clone, Debug)]
pub struct TestResult {
    /// The name of the test.
    pub name: String,
    /// The test file.
    pub file: PathBuf,
    /// The line of the test, counted from 1.
    pub line: usize,
    /// The expectations that do not hold, with their lines. Empty if the test passed.
    pub failures: Vec<(usize, String)>,
    /// The messages of a compile that failed unexpectedly.
    pub messages: String,
    /// The duration of the test.
    pub took: Duration,
    /// The paths that its compile read or searched for.
    pub inputs: Vec<PathBuf>,
}

impl TestResult {
    /// Whether all expectations hold.
    pub fn passed(&self) -> bool {
        self.failures.is_empty()
    }
}

/// The results of all tests.
#[derive(Debug, Default)]
pub struct TestReport {
    /// The results in the order of files and tests.
    pub results: Vec<TestResult>,
    /// The covered code.
    pub coverage: Coverage,
}

impl TestReport {
    /// The number of failed tests.
    pub fn failed(&self) -> usize {
        self.results.iter().filter(|result| !result.passed()).count()
    }
}
