//! Tests of configuration without machines: test files, their expectations, and fact sets.
//!
//! [`find_tests`] finds the test files below a path, [`read_tests`] reads one, and [`run`] compiles
//! each test and compares the graph or the document with the expectations. `docs/testing.md`
//! describes the files.
//!
//! # Examples
//! ```
//! use ordain_source::SourceMap;
//! use ordain_testing::{RunOptions, read_tests, run};
//!
//! let dir = tempfile::tempdir()?;
//! let file = dir.path().join("motd.test.yaml");
//! let code = r#"
//! source: .
//! tests:
//!   - name: the message names the system
//!     code: "file { '/etc/motd': content => $facts['os']['name'] }"
//!     expect:
//!       resources:
//!         File[/etc/motd]: {content: Debian}
//! "#;
//! std::fs::write(&file, code)?;
//! let sources = SourceMap::new();
//! let tests = read_tests(&file, &sources).map_err(|error| error.message)?;
//! assert_eq!(run(&tests, &RunOptions::default(), &sources).failed(), 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The crate must not know: arguments, terminals, exit codes.

mod branches;
mod check;
pub mod codes;
mod coverage;
mod document;
mod error;
mod expect;
mod fact_sets;
mod file;
mod find;
mod matches;
mod prepare;
mod relations;
pub mod render;
mod report;
mod run;
mod snapshot;

pub use coverage::Coverage;
pub use fact_sets::{fact_set, fact_sets};
pub use file::{Test, read_tests};
pub use find::find_tests;
pub use prepare::module_name;
pub use report::{TestFailure, TestReport, TestResult};
pub use run::{RunOptions, run};
