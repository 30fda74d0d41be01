//! Resources that cannot be looked at or changed, as diagnostics.

use ordain_engine::kind::{AttributeError, Level};
use ordain_engine::prepare::Prepared;
use ordain_engine::report::{Line, ResourceReport, Status};
use ordain_graph::{Graph, OriginId, Resource};
use ordain_source::{Diagnostic, Span};

use crate::codes;
use crate::exit::Failure;
use crate::show::name;
use crate::ui::{self, Ui};
use ordain_driver::Compiled;

/// Shows a diagnostic for each error of each failed resource, at the attribute it is about.
pub fn show<'a>(ui: &mut Ui, reports: impl Iterator<Item = &'a ResourceReport>, loaded: &Compiled) {
    let failed = reports.filter(|r| r.status == Status::Failed);
    let found = failed.flat_map(|report| {
        let errors = report.lines.iter().filter(|l| l.level == Level::Error);
        errors.map(|line| diagnostic(report, line, &loaded.graph)).collect::<Vec<_>>()
    });
    ui.diagnostics(found.collect(), &loaded.sources);
}

/// Refuses a graph that cannot be carried out whole: shows all that is wrong with its resources.
///
/// # Errors
/// When something is.
pub fn refuse(ui: &mut Ui, prepared: &Prepared, loaded: &Compiled) -> Result<(), Failure> {
    let graph = &loaded.graph;
    let found: Vec<Diagnostic> = prepared
        .faults()
        .flat_map(|(id, errors)| errors.iter().map(move |e| fault(graph, graph.resource(id), e)))
        .collect();
    if found.is_empty() {
        return Ok(());
    }
    ui.diagnostics(found, &loaded.sources);
    let count = ui::count(prepared.faults().count(), "resource");
    let text = format!("{count} cannot be applied, so nothing is");
    Err(Diagnostic::error(codes::RESOURCE, text).help("--keep-going applies the others").into())
}

/// The error of a failed resource, at the attribute it is about.
pub fn diagnostic(report: &ResourceReport, line: &Line, graph: &Graph) -> Diagnostic {
    let property = line.source.strip_prefix(&report.path).and_then(|s| s.strip_prefix('/'));
    let origin = graph
        .find(&report.resource)
        .and_then(|id| graph.resource(id).attribute(property?).map(|attribute| attribute.origin));
    let text = format!("{}: {}", name(&report.resource), line.message);
    placed(graph, origin.unwrap_or(report.origin), text)
}

fn fault(graph: &Graph, resource: &Resource, error: &AttributeError) -> Diagnostic {
    let attribute = error.attribute.as_deref().and_then(|name| resource.attribute(name));
    let origin = attribute.map_or(resource.origin, |attribute| attribute.origin);
    placed(graph, origin, format!("{}: {}", name(&resource.id), error.message))
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
