//! Deferred values of graphs that were compiled elsewhere.

use std::sync::Arc;

use ordain_engine::deferred::holds_deferred;
use ordain_engine::saved;
use ordain_graph::{Containment, Graph, Resource};
use ordain_puppet::deferred::{Deferral, DeferredAttribute, of_data, resolve};
use ordain_source::{Diagnostic, Severity};

use crate::codes;
use crate::compiled::Compiled;
use crate::deferred::DeferredCalls;
use crate::error::Error;
use crate::options::Options;
use crate::puppet;
use crate::reporter::Reporter;

/// Resolves the deferred values of a graph that was compiled elsewhere, or prepares them for
/// evaluation during the run. Functions come from the module path of the options.
///
/// # Errors
/// When a value cannot be resolved. The errors are reported to `reporter`.
pub(crate) fn resolve_deferred(
    reporter: &mut dyn Reporter,
    compiled: &mut Compiled,
    options: &Options,
) -> Result<(), Error> {
    // A saved plan has deferred values only if they are resolved during the run.
    let when = match (&compiled.plan, options.deferral) {
        (_, Deferral::Keep) => return Ok(()),
        (Some(_), _) => Deferral::Hand,
        (None, when) => when,
    };
    let (attributes, errors) = attributes(&compiled.graph);
    if !errors.is_empty() {
        reporter.diagnostics(errors, &compiled.sources);
        return Err(Error::Reported);
    }
    if attributes.is_empty() {
        return Ok(());
    }
    let modulepath = options.modulepath.clone().or_else(|| compiled.module_path());
    let texts = Some(Arc::clone(&compiled.sources));
    let options = Options { modulepath, texts, ..options.clone() };
    let input = puppet::open_code(reporter, String::new(), &options)?;
    if when == Deferral::Hand {
        compiled.deferred.extend(DeferredCalls::new(&input, attributes, &options).map(Arc::new));
        return Ok(());
    }
    let resolved = resolve(&input.env, input.settings.clone(), &input.node, &attributes);
    reporter.logs(&resolved.logs, &compiled.sources);
    let mut found = resolved.diagnostics;
    let graph = Arc::make_mut(&mut compiled.graph);
    for (attribute, value) in attributes.iter().zip(resolved.values) {
        match value {
            Ok(value) => set(graph, attribute, value),
            Err(errors) => found.extend(errors),
        }
    }
    let fails = found.iter().any(|one| one.severity == Severity::Error);
    reporter.diagnostics(found, &compiled.sources);
    if fails { Err(Error::Reported) } else { Ok(()) }
}

fn set(graph: &mut Graph, attribute: &DeferredAttribute, value: ordain_data::Value) {
    let Some(id) = graph.find(&attribute.resource) else { return };
    let resource = graph.resource_mut(id);
    if let Some(found) = resource.attributes.iter_mut().find(|a| a.name == attribute.name) {
        found.value = value;
    }
}

/// The deferred attributes of a graph, and errors for those that cannot be read.
fn attributes(graph: &Graph) -> (Vec<DeferredAttribute>, Vec<Diagnostic>) {
    let (mut attributes, mut errors) = (Vec::new(), Vec::new());
    let is_applied =
        |resource: &&Resource| !resource.is_virtual && resource.containment == Containment::Leaf;
    let applied = graph.resources().map(|(_, resource)| resource).filter(is_applied);
    for resource in applied {
        let deferred = resource.attributes.iter().filter(|a| holds_deferred(&a.value));
        for attribute in deferred {
            let span = graph.origins.chain(attribute.origin).find_map(|origin| origin.span);
            let (value, is_secret) = ordain_engine::kind::reveal(&attribute.value);
            let value = match saved::holds_omitted(&attribute.value) {
                true => Err("it contains a secret that was omitted when it was saved".to_owned()),
                false => of_data(value),
            };
            match value {
                Ok(value) => attributes.push(DeferredAttribute {
                    resource: resource.id.clone(),
                    name: attribute.name.clone(),
                    value,
                    is_secret,
                    span,
                }),
                Err(why) => {
                    let text = format!("{}: {} is deferred: {why}", resource.id, attribute.name);
                    let error = Diagnostic::error(codes::RESOURCE, text);
                    errors.push(match span {
                        Some(span) => error.at(span),
                        None => error,
                    });
                }
            }
        }
    }
    (attributes, errors)
}
