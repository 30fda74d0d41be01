//! `ordain test`: tests of configuration without machines.

use std::fs;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use ordain_driver::Options;
use ordain_source::{Diagnostic, SourceMap};
use ordain_testing::{RunOptions, Test, TestReport, fact_sets, find_tests, read_tests, render};

mod watch;

use crate::codes;
use crate::exit::{Exit, Failure};
use crate::options::at_least_one;
use crate::screen::Style;

use crate::ui::{Ui, styles};

/// Run tests of configuration, without machines
///
/// A test file, NAME.test.yaml, has tests with a node, facts and data, and the resources, orders and
/// errors that are expected of their compile. docs/testing.md describes the files. All languages.
#[derive(Args)]
#[command(after_help = "\
Exit codes:
  0  all tests passed
  1  a test failed, or a test file has an error

Examples:
  ordain test
  ordain test spec/web.test.yaml --filter 'redhat-9'
  ordain test --watch
  ordain test --bless
  ordain test --format junit > report.xml")]
pub(crate) struct TestArgs {
    /// Test files, or directories that are searched for them
    #[arg(value_name = "PATH", default_value = ".")]
    paths: Vec<PathBuf>,
    /// Run only tests whose name contains this text
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Write the snapshots of the tests instead of comparing them
    #[arg(long)]
    bless: bool,
    /// Keep running: after a change run the tests again that have read the changed files. Ctrl-C ends
    /// it
    #[arg(long, conflicts_with_all = ["bless", "coverage", "coverage_html", "format"])]
    watch: bool,
    /// Also list resources, classes, branches and keys of data that no test reaches
    #[arg(long)]
    coverage: bool,
    /// Write the coverage to this file as a page
    #[arg(long, value_name = "FILE")]
    coverage_html: Option<PathBuf>,
    /// The output format
    #[arg(long, value_name = "FORM", default_value = "text")]
    format: Format,
    /// How many tests at the same time [default: as many as there are processors]
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    jobs: Option<NonZeroUsize>,
    /// List the names of the fact sets
    #[arg(long)]
    list_fact_sets: bool,
}

/// The output format.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// The failures, for people
    Text,
    /// For programs
    Json,
    /// The XML of JUnit, for CI systems
    Junit,
}

/// Runs the tests and prints the report.
///
/// # Errors
/// When a test file has an error, no test is chosen, or the output cannot be written.
pub(crate) fn run(ui: &mut Ui, args: &TestArgs) -> Result<Exit, Failure> {
    if args.list_fact_sets {
        for name in fact_sets() {
            ui.line(name, 0)?;
        }
        return Ok(Exit::Done);
    }
    if args.watch {
        return watch::run(
            ui,
            &watch::Watched {
                paths: &args.paths,
                read: &|ui, sources| tests(ui, args, sources),
                print: &print_text,
                jobs: args.jobs,
            },
        );
    }
    let sources = SourceMap::new();
    let tests = tests(ui, args, &sources)?;
    let options = RunOptions {
        common: Options::default(),
        jobs: args.jobs,
        blesses: args.bless,
        covers: args.coverage || args.coverage_html.is_some(),
    };
    let report = ordain_testing::run(&tests, &options, &sources);
    print(ui, args, &report)?;
    if let Some(path) = &args.coverage_html {
        let page = render::coverage_html(&report.coverage);
        fs::write(path, page)
            .map_err(|error| codes::io(&format!("cannot write {}", path.display()), &error))?;
    }
    Ok(if report.failed() == 0 { Exit::Done } else { Exit::Failed })
}

/// Reads all test files, and chooses tests by name.
fn tests(ui: &mut Ui, args: &TestArgs, sources: &SourceMap) -> Result<Vec<Test>, Failure> {
    let mut tests = Vec::new();
    let mut errors = Vec::new();
    for path in &args.paths {
        for file in find_tests(path).map_err(|error| *error)? {
            match read_tests(&file, sources) {
                Ok(read) => tests.extend(read),
                Err(error) => errors.push(*error),
            }
        }
    }
    if !errors.is_empty() {
        ui.diagnostics(errors, sources);
        return Err(Failure::Shown);
    }
    if let Some(text) = &args.filter {
        tests.retain(|test| test.name.contains(text.as_str()));
        if tests.is_empty() {
            let text = format!("no test has `{text}` in its name");
            return Err(Diagnostic::error(codes::NOTHING, text).into());
        }
    }
    Ok(tests)
}

fn print_text(ui: &mut Ui, report: &TestReport) -> Result<(), Failure> {
    for line in render::text(report, ui.verbose()) {
        let indent = line.text.len() - line.text.trim_start().len();
        let style = if line.is_failure { styles::REMOVE } else { Style::Plain };
        let text = ui.styled(style, &line.text);
        ui.line(&text, indent + 2)?;
    }
    Ok(())
}

fn print(ui: &mut Ui, args: &TestArgs, report: &TestReport) -> Result<(), Failure> {
    match args.format {
        Format::Text => {
            print_text(ui, report)?;
            if args.coverage {
                for line in render::coverage_text(&report.coverage) {
                    ui.line(&line, 4)?;
                }
            }
        }
        Format::Json => {
            write!(ui.document(), "{}", render::json(report, args.coverage))?;
        }
        Format::Junit => write!(ui.document(), "{}", render::junit(report))?,
    }
    Ok(())
}
