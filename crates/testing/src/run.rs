//! Runs tests.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Instant;

use ordain_data::Value;
use ordain_data::yaml::{self, Schema};
use ordain_driver::dynaml::merge::{Merge, merge};
use ordain_driver::{Options, Purpose, Reporter, SourceKind, compile};
use ordain_puppet::eval::{LogEntry, UsedCode};
use ordain_source::{Diagnostic, Severity, SourceMap, TouchedPaths, render};
use rayon::prelude::*;

use crate::check::{check_document, check_graph};
use crate::coverage::Coverage;
use crate::expect::Matcher;
use crate::file::Test;
use crate::prepare::{Prepared, prepare};
use crate::report::{TestFailure, TestReport, TestResult};
use crate::snapshot;

/// How tests are run.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// The options of all compiles.
    pub common: Options,
    /// The number of tests that run at a time, by default one per processor.
    pub jobs: Option<NonZeroUsize>,
    /// Whether snapshots are written instead of compared.
    pub blesses: bool,
    /// Whether coverage is measured.
    pub covers: bool,
}

/// Runs tests, several at a time. `sources` has the texts of the test files.
pub fn run(tests: &[Test], options: &RunOptions, sources: &SourceMap) -> TestReport {
    let texts = Arc::new(SourceMap::with_parse_cache());
    let one = |test: &Test| run_one(test, options, &texts, sources);
    let jobs = options.jobs.map_or(0, NonZeroUsize::get);
    // Without a pool of its own, the tests run on the shared one.
    let results: Vec<(TestResult, Coverage)> =
        match rayon::ThreadPoolBuilder::new().num_threads(jobs).build() {
            Ok(pool) => pool.install(|| tests.par_iter().map(one).collect()),
            Err(_) => tests.iter().map(one).collect(),
        };
    let mut report = TestReport::default();
    for (result, coverage) in results {
        report.results.push(result);
        report.coverage.merge(coverage);
    }
    report.coverage.complete();
    report
}

/// The messages of a compile.
#[derive(Default)]
struct Messages {
    /// All diagnostics, rendered.
    rendered: String,
    errors: Vec<String>,
    /// Warnings, and messages that the code logs.
    warnings: Vec<String>,
}

impl Reporter for Messages {
    fn diagnostics(&mut self, diagnostics: Vec<Diagnostic>, sources: &SourceMap) {
        for diagnostic in diagnostics {
            self.rendered += &render::human(&diagnostic, sources, false);
            match diagnostic.severity {
                Severity::Error => self.errors.push(diagnostic.message),
                _ => self.warnings.push(diagnostic.message),
            }
        }
    }

    fn logs(&mut self, logs: &[LogEntry], _: &SourceMap) {
        self.warnings.extend(logs.iter().map(|entry| entry.message.to_string()));
    }

    fn output(&mut self, _: &str) {}
}

fn run_one(
    test: &Test,
    options: &RunOptions,
    texts: &Arc<SourceMap>,
    sources: &SourceMap,
) -> (TestResult, Coverage) {
    let start = Instant::now();
    let mut coverage = Coverage::default();
    let mut messages = Messages::default();
    let (touched, used) = (TouchedPaths::default(), options.covers.then(UsedCode::default));
    let common = Options { touched: touched.clone(), used: used.clone(), ..options.common.clone() };
    let prepared = prepare(test, &common, texts);
    let failures = match prepared {
        Ok(prepared) => {
            let failures = outcome(test, &prepared, options, &mut messages, &mut coverage);
            if let Some(used) = &used {
                coverage.add_used(used, (texts, &prepared.source));
            }
            failures
        }
        Err(error) => vec![TestFailure { message: error.to_string(), span: test.span }],
    };
    let line = |span: Option<ordain_source::Span>| {
        span.map_or(0, |span| sources.file(span.file).line_col(span.range.start).line as usize)
    };
    let is_failed_compile = test.expect.error.is_none() && !messages.errors.is_empty();
    let result = TestResult {
        name: test.name.clone(),
        file: test.file.clone(),
        line: line(test.span),
        messages: if is_failed_compile { messages.rendered } else { String::new() },
        failures: failures.into_iter().map(|f| (line(f.span), f.message)).collect(),
        took: start.elapsed(),
        inputs: touched.paths(),
    };
    (result, coverage)
}

/// Compiles and compares. Returns the failures.
fn outcome(
    test: &Test,
    prepared: &Prepared,
    options: &RunOptions,
    messages: &mut Messages,
    coverage: &mut Coverage,
) -> Vec<TestFailure> {
    let expect = &test.expect;
    let is_document = SourceKind::of(&prepared.path, &prepared.options) == SourceKind::Dynaml
        && expect.resources.is_empty()
        && expect.order.is_empty();
    let compared = match is_document {
        true => document(test, prepared, options, messages),
        false => graph(test, prepared, options, messages, coverage),
    };
    let fails = |message: String, span| vec![TestFailure { message, span }];
    let mut failures = match (compared, &expect.error) {
        (Some(failures), None) => failures,
        (Some(_), Some((_, span))) => fails("the compile has no error".to_owned(), *span),
        (None, None) => {
            let first = messages.errors.first().cloned().unwrap_or_default();
            fails(format!("the compile failed: {first}"), test.span)
        }
        (None, Some((matcher, _)))
            if messages.errors.iter().any(|text| is_match(matcher, text)) =>
        {
            Vec::new()
        }
        (None, Some((_, span))) => {
            fails(format!("the compile has another error: {}", messages.errors.join("; ")), *span)
        }
    };
    for (matcher, span) in &expect.warnings {
        if !messages.warnings.iter().any(|text| is_match(matcher, text)) {
            let message = match messages.warnings.as_slice() {
                [] => "there is no warning".to_owned(),
                all => format!("no warning matches; there are: {}", all.join("; ")),
            };
            failures.extend(fails(message, *span));
        }
    }
    failures
}

fn is_match(matcher: &Matcher, text: &str) -> bool {
    matcher.mismatch(Some(&Value::str(text))).is_none()
}

/// Compiles a graph. Returns the failures; `None` if the compile has errors.
fn graph(
    test: &Test,
    prepared: &Prepared,
    options: &RunOptions,
    messages: &mut Messages,
    coverage: &mut Coverage,
) -> Option<Vec<TestFailure>> {
    let compiled = compile(messages, &prepared.path, &prepared.options, Purpose::Inspection);
    let compiled = match compiled {
        Ok(compiled) => compiled,
        Err(error) => {
            if let ordain_driver::Error::Message(diagnostic) = error {
                messages.diagnostics(vec![*diagnostic], &SourceMap::new());
            }
            return None;
        }
    };
    if let Some(cycle) = ordain_graph::order::find_cycle(&compiled.graph) {
        let error = ordain_driver::cycle::diagnostic(&cycle, &compiled.graph, Severity::Error);
        messages.diagnostics(vec![error], &compiled.sources);
        return None;
    }
    if options.covers {
        let source = (&*compiled.sources, prepared.source.as_path());
        coverage.add_definitions(&prepared.source);
        coverage.add(&compiled.graph, source, &test.expect);
    }
    let mut failures = check_graph(&test.expect, &compiled.graph);
    if test.expect.snapshot.is_some() {
        let text = snapshot::graph_text(&compiled.graph);
        failures.extend(snapshot_failure(test, &text, options.blesses));
    }
    Some(failures)
}

/// Merges documents. Returns the failures; `None` if the merge has errors.
fn document(
    test: &Test,
    prepared: &Prepared,
    options: &RunOptions,
    messages: &mut Messages,
) -> Option<Vec<TestFailure>> {
    let stubs = prepared.options.stubs.iter().map(|stub| stub.to_string_lossy().into_owned());
    let stubs: Vec<String> = stubs.collect();
    let template = prepared.path.to_string_lossy();
    let output = merge(
        prepared.options.world().as_ref(),
        &Merge { template: &template, stubs: &stubs, ..Merge::default() },
    );
    let output = match output {
        Ok(output) => output,
        Err(error) => {
            let sources = SourceMap::new();
            messages.diagnostics(error.diagnostics(&sources), &sources);
            return None;
        }
    };
    let value = match yaml::read(&output.text, Schema::Core) {
        Ok(value) => value,
        Err(error) => {
            messages.errors.push(error.message.clone());
            return None;
        }
    };
    let redactor = output.secrets.redactor();
    let mut failures = check_document(&test.expect, &value);
    if let Some((_, span)) = &test.expect.snapshot {
        if redactor.is_some() {
            let message = "a snapshot would show the decrypted secrets of the document".to_owned();
            failures.push(TestFailure { message, span: *span });
        } else {
            failures.extend(snapshot_failure(test, &output.text, options.blesses));
        }
    }
    if let Some(redactor) = redactor {
        for failure in &mut failures {
            failure.message = redactor.redact(&failure.message).into_owned();
        }
    }
    Some(failures)
}

/// Compares with the snapshot of a test, or writes it.
fn snapshot_failure(test: &Test, text: &str, blesses: bool) -> Option<TestFailure> {
    let (name, span) = test.expect.snapshot.as_ref()?;
    let path = snapshot::path(&test.file, name, &test.label);
    let message = match snapshot::compare(&path, text, blesses) {
        Ok(difference) => difference?,
        Err(error) => format!("cannot write {}: {error}", path.display()),
    };
    Some(TestFailure { message, span: *span })
}
