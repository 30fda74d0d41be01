//! Resources that cannot be looked at or changed, as diagnostics.

use ordain_engine::kind::Level;
use ordain_engine::report::{Line, ResourceReport, Status};
use ordain_graph::{Graph, OriginId};
use ordain_source::{Diagnostic, Span};

use crate::codes;
use crate::graphs::Loaded;
use crate::show::name;
use crate::ui::Ui;

/// Shows a diagnostic for each error of each failed resource, at the attribute it is about.
pub fn show<'a>(ui: &mut Ui, reports: impl Iterator<Item = &'a ResourceReport>, loaded: &Loaded) {
    let failed = reports.filter(|r| r.status == Status::Failed);
    let found = failed.flat_map(|report| {
        let errors = report.lines.iter().filter(|l| l.level == Level::Error);
        errors.map(|line| diagnostic(report, line, &loaded.graph)).collect::<Vec<_>>()
    });
    ui.diagnostics(found.collect(), &loaded.sources);
}

/// The error of a failed resource, at the attribute it is about.
pub fn diagnostic(report: &ResourceReport, line: &Line, graph: &Graph) -> Diagnostic {
    let property = line.source.strip_prefix(&report.path).and_then(|s| s.strip_prefix('/'));
    let origin = graph
        .find(&report.resource)
        .and_then(|id| graph.resource(id).attribute(property?).map(|attribute| attribute.origin));
    let text = format!("{}: {}", name(&report.resource), line.message);
    let out = Diagnostic::error(codes::RESOURCE, text);
    match span(graph, origin.unwrap_or(report.origin)) {
        Some(span) => out.at(span),
        None => out,
    }
}

fn span(graph: &Graph, origin: OriginId) -> Option<Span> {
    graph.origins.chain(origin).find_map(|o| o.span)
}
