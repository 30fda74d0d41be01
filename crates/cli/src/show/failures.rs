//! Prints the errors of resources that cannot be checked or changed.

use ordain_engine::kind::Level;
use ordain_engine::prepare::Prepared;
use ordain_engine::report::{ResourceReport, Status};
use ordain_source::Diagnostic;

use crate::codes;
use crate::exit::Failure;
use crate::show::error::{attribute_error, resource_error};
use crate::ui::{self, Ui};
use ordain_driver::Compiled;

/// Prints each error of each failed resource, at its attribute.
pub(crate) fn show<'a>(
    ui: &mut Ui,
    reports: impl Iterator<Item = &'a ResourceReport>,
    loaded: &Compiled,
) {
    let failed = reports.filter(|r| r.status == Status::Failed);
    let found = failed.flat_map(|report| {
        let errors = report.lines.iter().filter(|l| l.level == Level::Error);
        errors.map(|line| resource_error(report, line, &loaded.graph)).collect::<Vec<_>>()
    });
    ui.diagnostics(found.collect(), &loaded.sources);
}

/// Refuses a graph that cannot be applied completely, and prints all errors of its resources.
///
/// # Errors
/// When a resource cannot be applied.
pub(crate) fn refuse(ui: &mut Ui, prepared: &Prepared, loaded: &Compiled) -> Result<(), Failure> {
    let graph = &loaded.graph;
    let found: Vec<Diagnostic> = prepared
        .faults()
        .flat_map(|(id, errors)| {
            errors.iter().map(move |e| attribute_error(graph, graph.resource(id), e))
        })
        .collect();
    if found.is_empty() {
        return Ok(());
    }
    ui.diagnostics(found, &loaded.sources);
    let count = ui::count(prepared.faults().count(), "resource");
    let text = format!("{count} cannot be applied, so nothing is");
    Err(Diagnostic::error(codes::RESOURCE, text).help("--keep-going applies the valid ones").into())
}
