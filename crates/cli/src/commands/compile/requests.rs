//! `ordain compile --requests`: compiles for a program that asks again and again, such as
//! rspec-puppet. docs/testing.md describes the lines.

use std::io::{BufRead, Write};
use std::path::PathBuf;
use std::sync::Arc;

use ecow::EcoString;
use ordain_data::Value;
use ordain_data::json;
use ordain_driver::puppet::shared::{
    NodeCatalog, NodeRequest, SharedEnvironment, evaluation_message, puppet_message,
};
use ordain_driver::{CollectingReporter, Options, RubyProcesses, envelope};
use ordain_graph::language::Strict;
use ordain_graph::puppet_catalog;
use ordain_puppet::eval::STACK_SIZE;
use ordain_source::limits::on_deep_stack;
use ordain_source::{Diagnostic, Severity, SourceMap};

use crate::exit::{Exit, Failure};
use crate::ui::Ui;

/// Answers each line of standard input, a request as JSON, with a line on standard output.
///
/// # Errors
/// When a line cannot be read or written.
pub(super) fn run(ui: &mut Ui) -> Result<Exit, Failure> {
    let mut texts = Arc::new(SourceMap::with_parse_cache());
    // A new process takes longer than most compiles.
    let ruby = RubyProcesses::default();
    let mut input = std::io::stdin().lock();
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        if texts.is_outgrown() {
            texts = Arc::new(SourceMap::with_parse_cache());
        }
        let answer = on_deep_stack(STACK_SIZE, || answer(&line, &texts, &ruby));
        let out = ui.document();
        out.write_all(&answer)?;
        out.write_all(b"\n")?;
        out.flush()?;
        line.clear();
    }
    Ok(Exit::Done)
}

/// The answer to a request: `catalog` and `logs`, or `error`.
fn answer(line: &[u8], texts: &Arc<SourceMap>, ruby: &RubyProcesses) -> Vec<u8> {
    compiled(line, texts, ruby).unwrap_or_else(|error| {
        json::compact(&Value::map([("error", Value::str(error))])).into_bytes()
    })
}

/// The catalog of a request.
///
/// # Errors
/// The message of the error, as Puppet words it.
fn compiled(line: &[u8], texts: &Arc<SourceMap>, ruby: &RubyProcesses) -> Result<Vec<u8>, String> {
    let request = json::read_bytes(line).map_err(|error| format!("the request: {error}"))?;
    let asked = Asked { request: &request };
    let options = Options { ruby: ruby.clone(), ..asked.options(texts)? };
    let (code, node) = (asked.text("code")?, asked.text("node")?);
    let mut reporter = CollectingReporter::default();
    let opened = SharedEnvironment::open_code(&mut reporter, code.to_owned(), &options);
    let environment = opened.map_err(|error| {
        if let ordain_driver::Error::Message(diagnostic) = error {
            reporter.diagnostics.push(*diagnostic);
        }
        let message = first_error(&reporter.diagnostics, |error| puppet_message(error, texts));
        let name = options.environment.as_deref().unwrap_or_default();
        format!("Could not parse for environment {name}: {message} on node {node}")
    })?;
    let found = environment.compile(asked.node_request(node));
    let sources = environment.sources();
    let Some(graph) = &found.graph else {
        let message = first_error(&found.diagnostics, |error| evaluation_message(error, sources));
        return Err(format!("{message} on node {node}"));
    };
    let mut out = b"{\"logs\":".to_vec();
    out.extend(json::compact(&logs(&found, sources)).bytes());
    out.extend(b",\"catalog\":");
    let written = envelope(graph, sources)
        .and_then(|envelope| puppet_catalog::write(graph, sources, &envelope, &mut out));
    written.map_err(|error| format!("{error} on node {node}"))?;
    out.push(b'}');
    Ok(out)
}

fn first_error(diagnostics: &[Diagnostic], message: impl Fn(&Diagnostic) -> String) -> String {
    let mut errors = diagnostics.iter().filter(|found| found.severity == Severity::Error);
    errors.next().map_or_else(|| "the compile has no result".to_owned(), message)
}

/// The warnings of a compile and the messages of its code.
fn logs(found: &NodeCatalog, sources: &SourceMap) -> Value {
    let warnings = found.diagnostics.iter().map(|found| {
        Value::map([
            ("level", Value::str("warning")),
            ("message", Value::str(puppet_message(found, sources))),
        ])
    });
    let logs = found.logs.iter().map(|entry| {
        let level = entry.level.word();
        Value::map([("level", Value::str(level)), ("message", Value::str(&entry.message))])
    });
    Value::List(Arc::new(warnings.chain(logs).collect()))
}

/// The fields of a request.
struct Asked<'a> {
    request: &'a Value,
}

impl<'a> Asked<'a> {
    fn text(&self, name: &str) -> Result<&'a str, String> {
        let text = self.request.get(name).and_then(Value::as_str);
        text.ok_or_else(|| format!("the request has no text `{name}`"))
    }

    fn value(&self, name: &str) -> Value {
        self.request.get(name).cloned().unwrap_or_else(|| Value::Map(Arc::default()))
    }

    fn options(&self, texts: &Arc<SourceMap>) -> Result<Options, String> {
        let dirs = self.request.get("modulepath").and_then(Value::as_list).unwrap_or_default();
        let dirs: Vec<&str> = dirs.iter().filter_map(Value::as_str).collect();
        let strict = match self.request.get("strict").and_then(Value::as_str) {
            Some("off") => Strict::Off,
            Some("warning") => Strict::Warning,
            _ => Strict::Error,
        };
        let is_strict = self.request.get("strict_variables").and_then(Value::as_bool);
        Ok(Options {
            environment: Some(self.text("environment")?.to_owned()),
            modulepath: Some(dirs.join(":")),
            hiera: self.request.get("hiera").and_then(Value::as_str).map(PathBuf::from),
            strict,
            strict_variables: is_strict.unwrap_or(true),
            legacy_facts: true,
            has_history: false,
            texts: Some(Arc::clone(texts)),
            ..Options::default()
        })
    }

    fn node_request(&self, node: &str) -> NodeRequest {
        let parameters = self.value("parameters");
        let parameters = parameters.as_map().into_iter().flat_map(|map| map.iter());
        NodeRequest {
            name: node.to_owned(),
            facts: self.value("facts"),
            trusted: self.value("trusted"),
            server_facts: self.value("server_facts"),
            parameters: parameters
                .filter_map(|(name, value)| Some((EcoString::from(name.as_str()?), value.clone())))
                .collect(),
            ..NodeRequest::default()
        }
    }
}
