//! Running Puppet code: the interface for command lines, tests and servers.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use ordain_data::Redactor;
use ordain_data::yaml::Tree;
use ordain_graph::Graph;
use ordain_graph::exports::Exported;
use ordain_source::limits;
use ordain_source::{Diagnostic, FileId, Severity, Span, TextRange};

use crate::compile::{Outcome, compile};
use crate::deferred::DeferredAttribute;
use crate::diagnose::diagnose;
use crate::error::EvalError;
use crate::eval::models::InstanceSyntax;
use crate::hiera::Request;
use crate::hiera::explain::Explainer;
use crate::load::Environment;
use crate::lower::lower;
use crate::plugins::{NotGenerated, Outline};
use crate::state::Compiler;
use crate::state::frame::{Frame, STACK_SIZE, final_error};
pub use crate::state::node::Node;
use crate::state::settings::{Deferral, Settings};
use crate::types::format::quoted::quoted;
use crate::types::models;
use crate::value::Value;
use crate::value::closure::ScopeId;

/// The result of a compile.
pub struct Compiled {
    /// The graph, if there was no error.
    pub graph: Option<Graph>,
    /// The exported resources of the node.
    pub exports: Vec<Exported>,
    /// The attributes that are still deferred, if [`Deferral::Hand`] asked for them.
    pub deferred: Vec<DeferredAttribute>,
    /// Messages and diagnostics.
    pub report: Report,
}

/// The result of evaluating a text.
pub struct Evaluated {
    /// The value, if there was no error.
    pub value: Option<Value>,
    /// Messages and diagnostics.
    pub report: Report,
}

/// Messages of a run.
#[derive(Default)]
pub struct Report {
    /// The log messages, in order.
    pub logs: Vec<crate::state::log::LogEntry>,
    /// Errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
    /// The error that ended the run, as the evaluator reported it.
    pub error: Option<EvalError>,
}

/// Runs `work` on a thread with the stack that deep recursion needs.
fn on_deep_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    limits::on_deep_stack(STACK_SIZE, work)
}

/// Compiles the catalog of a node into a graph.
pub fn compile_node(env: &Environment, settings: Settings, node: &Node) -> Compiled {
    on_deep_stack(|| compile_node_here(env, settings, node))
}

/// Compiles like [`compile_node`], on a thread that already has a stack of [`STACK_SIZE`].
pub fn compile_node_here(env: &Environment, settings: Settings, node: &Node) -> Compiled {
    let mut outcome = compile(env, settings, node);
    let exports = outcome.compiler.exports();
    let is_sound = outcome.error.is_none() && is_accepted(&mut outcome, node);
    let deferred = handed_on(&outcome);
    let graph = is_sound.then(|| lower(&mut outcome.compiler));
    Compiled { graph, exports, deferred, report: report(outcome) }
}

/// Compiles like [`compile_node`], in a process that ends after this compile. The memory of the
/// compile is not freed, because the system does that when the process ends.
pub fn compile_node_once(env: &Environment, settings: Settings, node: &Node) -> Compiled {
    on_deep_stack(|| {
        let mut outcome = compile(env, settings, node);
        let exports = outcome.compiler.exports();
        let is_sound = outcome.error.is_none() && is_accepted(&mut outcome, node);
        let deferred = handed_on(&outcome);
        let graph = is_sound.then(|| lower(&mut outcome.compiler));
        let report = take_report(&mut outcome);
        std::mem::forget(outcome);
        Compiled { graph, exports, deferred, report }
    })
}

/// The attributes that somebody else resolves.
fn handed_on(outcome: &Outcome<'_>) -> Vec<DeferredAttribute> {
    match outcome.compiler.settings.deferral {
        Deferral::Hand => outcome.compiler.deferred_attributes(),
        Deferral::Keep | Deferral::Resolve => Vec::new(),
    }
}

/// Whether the deferred values, if they are resolved, and the types in Ruby, if they run, accept
/// the catalog.
fn is_accepted(outcome: &mut Outcome<'_>, node: &Node) -> bool {
    if outcome.compiler.settings.deferral == Deferral::Resolve {
        let found = outcome.compiler.resolve_catalog(node);
        let is_resolved = found.is_empty();
        outcome.compiler.log.diagnostics.extend(found);
        if !is_resolved {
            return false;
        }
    }
    if !outcome.compiler.settings.examine_types {
        return true;
    }
    let found = outcome.compiler.examine_types();
    let accepted = found.iter().all(|d| d.severity != Severity::Error);
    outcome.compiler.log.diagnostics.extend(found);
    accepted
}

/// Evaluates a text at the top scope, after the site program and the node were compiled.
pub fn evaluate(
    env: &Environment,
    settings: Settings,
    node: &Node,
    path: &Path,
    code: &str,
) -> Evaluated {
    on_deep_stack(|| {
        let mut outcome = compile(env, settings, node);
        if outcome.error.is_some() {
            return Evaluated { value: None, report: report(outcome) };
        }
        let loaded = env.parse_code(path, code);
        let mut errors = loaded.errors.clone();
        if errors.is_empty() {
            errors = env.define(&loaded.program);
        }
        if !errors.is_empty() {
            let mut report = report(outcome);
            report.diagnostics.extend(errors);
            return Evaluated { value: None, report };
        }
        outcome.compiler.log.diagnostics.extend(loaded.warnings.iter().cloned());
        let f = Frame { program: Arc::clone(&loaded.program), scope: ScopeId::TOP };
        let result = outcome.compiler.eval(&f, loaded.program.body);
        let value = match result {
            Ok(value) => Some(value),
            Err(unwind) => {
                outcome.error = Some(final_error(unwind));
                None
            }
        };
        Evaluated { value, report: report(outcome) }
    })
}

/// Writes the resource types of Ruby files in the Puppet language. `each` gets the name and the
/// text of each type, or the reason why there is none.
pub fn generate_types<'a>(
    env: &Environment,
    settings: Settings,
    node: &Node,
    files: impl Iterator<Item = (&'a str, &'a Path)> + Send,
    mut each: impl FnMut(&str, &Path, Result<String, NotGenerated>) + Send,
) -> Report {
    on_deep_stack(|| {
        let mut compiler = Compiler::new(env, settings, &node.name);
        compiler.begin(node);
        for (name, file) in files {
            let text = compiler.generate_type(name, file);
            each(name, file, text);
        }
        report(Outcome { compiler, error: None })
    })
}

/// Runs the files of resource types in Ruby. `each` gets the outline of each type, or the reason
/// why there is none.
pub fn outline_types<'a>(
    env: &Environment,
    settings: Settings,
    node: &Node,
    files: impl Iterator<Item = (&'a str, &'a Path)> + Send,
    mut each: impl FnMut(&str, &Path, Result<Outline, NotGenerated>) + Send,
) -> Report {
    on_deep_stack(|| {
        let mut compiler = Compiler::new(env, settings, &node.name);
        compiler.begin(node);
        for (name, file) in files {
            let outline = compiler.outline_type(name, file);
            each(name, file, outline);
        }
        report(Outcome { compiler, error: None })
    })
}

/// Checks the definitions of the types with features that an environment knows, and instances of them
/// in source texts.
pub fn check_models(env: &Environment, instances: &[InstanceSyntax]) -> Vec<Diagnostic> {
    on_deep_stack(|| {
        let mut compiler = Compiler::new(env, Settings::default(), "check");
        compiler.begin(&Node::default());
        let mut errors = compiler.model_errors();
        errors.extend(instances.iter().flat_map(|one| compiler.instance_errors(one)));
        errors.iter().flat_map(|error| diagnose(&compiler, error)).collect()
    })
}

/// Makes the objects of a document, follows their links, and returns the document as it is written
/// from them. `file` is the path and the text of the document, for the places of errors.
pub fn load_objects(
    env: &Environment,
    settings: Settings,
    node: &Node,
    document: &ordain_data::Value,
    file: (&Path, &str),
) -> (Option<ordain_data::Value>, Report) {
    on_deep_stack(|| {
        let mut outcome = compile(env, settings, node);
        if outcome.error.is_some() {
            return (None, report(outcome));
        }
        let compiler = &mut outcome.compiler;
        let (value, errors) = compiler.objects_of_document(document);
        let written = errors.is_empty().then(|| models::document(&value).0);
        let tree = Tree::parse(file.1).ok().filter(|_| !errors.is_empty());
        let source = env.sources.add(file.0, file.1);
        for (path, mut error) in errors {
            let keys: Vec<&str> = path.iter().map(String::as_str).collect();
            // A missing value has no place, so its container's place is used.
            let mut around = (0..=keys.len()).rev().map(|count| &keys[..count]);
            let range = tree.as_ref().and_then(|tree| around.find_map(|keys| tree.find(keys)));
            error.span = error.span.or(range.map(|range| range.in_file(source)));
            let found = diagnose(&outcome.compiler, &error);
            outcome.compiler.log.diagnostics.extend(found);
        }
        (written, report(outcome))
    })
}

/// The result of a lookup.
pub struct LookupReport {
    /// The value, if there is one.
    pub value: Option<Value>,
    /// Whether data that was encrypted is in the value.
    pub has_encrypted: bool,
    /// The record of the lookup, if it was requested.
    pub explanation: Option<Explainer>,
    /// Messages and diagnostics.
    pub report: Report,
}

/// Looks up data for a node, and records the lookup if there is an explainer. Data sees the facts
/// and parameters of the node, and with `whole` also the variables that its catalog sets.
pub fn look_up(
    env: &Environment,
    settings: Settings,
    node: &Node,
    request: &Request,
    explainer: Option<Explainer>,
    whole: bool,
) -> LookupReport {
    on_deep_stack(|| {
        let mut outcome = if whole {
            compile(env, settings, node)
        } else {
            let mut compiler = Compiler::new(env, settings, &node.name);
            compiler.begin(node);
            Outcome { compiler, error: None }
        };
        if outcome.error.is_some() {
            let (value, explanation, report) = (None, None, report(outcome));
            return LookupReport { value, has_encrypted: false, explanation, report };
        }
        outcome.compiler.hiera.explainer = explainer;
        let nowhere = Span { file: FileId(0), range: TextRange::default() };
        let value = match outcome.compiler.lookup(request, ScopeId::TOP, nowhere) {
            Ok(found) => found.map(|f| f.value),
            Err(unwind) => {
                let mut error = final_error(unwind);
                // A place in a configuration stays. A request from the command line has no place.
                error.span = error.span.filter(|span| *span != nowhere);
                outcome.error = Some(error);
                None
            }
        };
        let explanation = outcome.compiler.hiera.explainer.take();
        let secrets = outcome.compiler.decrypted.redactor();
        let has_secret = |secrets: Redactor| {
            let text = value.as_ref().map(quoted).unwrap_or_default();
            matches!(secrets.redact(&text), Cow::Owned(_))
        };
        let has_encrypted = secrets.is_some_and(has_secret);
        LookupReport { value, has_encrypted, explanation, report: report(outcome) }
    })
}

fn report(mut outcome: Outcome<'_>) -> Report {
    take_report(&mut outcome)
}

fn take_report(outcome: &mut Outcome<'_>) -> Report {
    let error = outcome.error.take();
    let compiler = &mut outcome.compiler;
    let mut diagnostics = std::mem::take(&mut compiler.log.diagnostics);
    if let Some(error) = &error {
        diagnostics.extend(diagnose(compiler, error));
    }
    let mut report = Report { logs: std::mem::take(&mut compiler.log.entries), diagnostics, error };
    if let Some(secrets) = compiler.decrypted.redactor() {
        hide(&mut report, &secrets);
    }
    report
}

/// Redacts the contents of encrypted data in messages.
fn hide(report: &mut Report, secrets: &Redactor) {
    let hide = |text: &mut String| {
        if let Cow::Owned(redacted) = secrets.redact(text) {
            *text = redacted;
        }
    };
    report.logs.iter_mut().for_each(|entry| hide(&mut entry.message));
    report.diagnostics.iter_mut().flat_map(Diagnostic::texts_mut).for_each(hide);
    if let Some(error) = &mut report.error {
        hide(&mut error.message);
    }
}
