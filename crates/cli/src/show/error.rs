//! Diagnostics of resources that cannot be checked or changed.

use ordain_engine::kind::AttributeError;
use ordain_engine::report::{Line, ResourceReport};
use ordain_graph::{Graph, OriginId, Resource};
use ordain_source::{Diagnostic, Span};

use crate::codes;
use crate::show::name;

/// The error of a failed resource, at its attribute.
pub(crate) fn resource_error(report: &ResourceReport, line: &Line, graph: &Graph) -> Diagnostic {
    let property = line.source.strip_prefix(&report.path).and_then(|s| s.strip_prefix('/'));
    let origin = graph
        .find(&report.resource)
        .and_then(|id| graph.resource(id).attribute(property?).map(|attribute| attribute.origin));
    let text = format!("{}: {}", name(&report.resource), line.message);
    placed(graph, origin.unwrap_or(report.origin), text)
}

/// The error of a resource that cannot be applied, at its attribute.
pub(crate) fn attribute_error(
    graph: &Graph,
    resource: &Resource,
    error: &AttributeError,
) -> Diagnostic {
    let attribute = error.attribute.as_deref().and_then(|name| resource.attribute(name));
    let origin = attribute.map_or(resource.origin, |attribute| attribute.origin);
    let found = placed(graph, origin, format!("{}: {}", name(&resource.id), error.message));
    error.help.iter().fold(found, |found, help| found.help(help.clone()))
}

fn placed(graph: &Graph, origin: OriginId, text: String) -> Diagnostic {
    let out = Diagnostic::error(codes::RESOURCE, text);
    match span(graph, origin) {
        Some(span) => out.at(span),
        None => out,
    }
}

fn span(graph: &Graph, origin: OriginId) -> Option<Span> {
    graph.origins.chain(origin).find_map(|o| o.span)
}
