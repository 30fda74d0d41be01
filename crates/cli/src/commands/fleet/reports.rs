//! `ordain fleet reports`: the reports of nodes, or one report with its changes.

use std::io::Write;

use clap::Args;
use ordain_fleet::{NodeStore, StoredEvent, StoredReport};
use ordain_source::Diagnostic;
use serde_json::{Value as Json, json};

use super::common::{StoreArgs, failure, place, shown_time};
use super::table::{ListFormat, Table, cell};
use crate::codes;
use crate::exit::{Exit, Failure};
use crate::ui::{Ui, styles};

/// The digits of the id of a report in lists.
const SHORT_ID: usize = 8;

/// List the last reports, or show one with its changes
///
/// REPORT is the beginning of an id in the list, or `last`.
#[derive(Args)]
#[command(after_help = "\
Exit codes:
  0  done, also if there is no report
  1  an error: of the database, or there is no such node or report

Examples:
  ordain fleet reports
  ordain fleet reports web1.example.org --limit 5
  ordain fleet reports web1.example.org last
  ordain fleet reports web1.example.org 4f2a81c0 --format json")]
pub(super) struct ReportsArgs {
    /// The node; default: all
    node: Option<String>,
    /// Show this report of the node
    report: Option<String>,
    /// The maximum number of reports of the list
    #[arg(long, value_name = "N", default_value_t = 20)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
    /// The output format
    #[arg(long, value_name = "FORM", default_value = "text")]
    format: ListFormat,
    #[command(flatten)]
    store: StoreArgs,
}

/// Lists reports or shows one.
///
/// # Errors
/// When the database cannot be used, or there is no such node or report.
pub(super) fn run(ui: &mut Ui, args: &ReportsArgs) -> Result<Exit, Failure> {
    let store = args.store.open()?;
    let node = args.node.as_deref().map(str::to_lowercase);
    if let (Some(node), Some(id)) = (&node, &args.report) {
        return show(ui, args, &store, &find(&store, node, id)?);
    }
    let reports = store.reports(node.as_deref(), args.limit).map_err(failure)?;
    let row = |report: &StoredReport| {
        vec![
            shown_time(report.end_time.as_deref()),
            report.status.word(report.corrective_change).to_owned(),
            report.id.chars().take(SHORT_ID).collect(),
            report.node.clone(),
        ]
    };
    let rows = reports.iter().map(row).collect();
    let table = Table { columns: &["end", "status", "report", "node"], rows };
    match args.format {
        ListFormat::Json => {
            let out = json!({ "format": "ordain-fleet-reports", "version": 1, "reports": reports });
            writeln!(ui.document(), "{out}")?;
        }
        ListFormat::Csv => table.csv(ui)?,
        ListFormat::Text if reports.is_empty() => writeln!(ui.out(), "No report.")?,
        ListFormat::Text => table.print(ui)?,
    }
    Ok(Exit::Done)
}

/// The report of a node whose id begins with some digits, or the last one.
fn find(store: &NodeStore, node: &str, id: &str) -> Result<StoredReport, Failure> {
    let mut reports = store.reports(Some(node), u32::MAX).map_err(failure)?;
    let wrong = |text: String| {
        let error = Diagnostic::error(codes::UNKNOWN_NAME, text);
        Err(error.help(format!("`ordain fleet reports {node}` lists the reports")).into())
    };
    if id == "last" && !reports.is_empty() {
        return Ok(reports.swap_remove(0));
    }
    let id = id.to_lowercase();
    reports.retain(|report| report.id.starts_with(&id));
    match reports.len() {
        0 => wrong(format!("{node} has no report {id}")),
        1 => Ok(reports.swap_remove(0)),
        count => wrong(format!("the ids of {count} reports begin with {id}")),
    }
}

/// Shows a report with its events, and its warnings and errors.
fn show(
    ui: &mut Ui,
    args: &ReportsArgs,
    store: &NodeStore,
    report: &StoredReport,
) -> Result<Exit, Failure> {
    let events = store.events_of(report).map_err(failure)?;
    let logs = store.logs_of(report).map_err(failure)?;
    match args.format {
        ListFormat::Json => {
            let mut out = json!({ "format": "ordain-fleet-report", "version": 1 });
            out["report"] = json!(report);
            out["events"] = json!(events);
            out["logs"] = json!(logs);
            writeln!(ui.document(), "{out}")?;
        }
        ListFormat::Csv => {
            let columns = ["resource", "property", "status", "old_value", "new_value", "place"];
            let rows = events.iter().map(event_row).collect();
            Table { columns: &columns, rows }.csv(ui)?;
        }
        ListFormat::Text => {
            writeln!(ui.out(), "{} {}", report.node, report.status.word(report.corrective_change))?;
            let version = report.configuration_version.as_deref().unwrap_or("-");
            let code = report.code_id.as_deref().unwrap_or("-");
            let fields = [
                ("report", report.id.as_str()),
                ("environment", report.environment.as_deref().unwrap_or("-")),
                ("start", &shown_time(report.start_time.as_deref())),
                ("end", &shown_time(report.end_time.as_deref())),
                ("version", version),
                ("code", code),
            ];
            for (name, value) in fields.iter().filter(|(_, value)| *value != "-") {
                writeln!(ui.out(), "  {name:<11}  {value}")?;
            }
            for event in &events {
                print_event(ui, event)?;
            }
            for log in logs.iter().filter(|log| !matches!(&*log.level, "info" | "notice" | "debug"))
            {
                let source = if log.source.is_empty() { "" } else { ": " };
                ui.line(&format!("{}: {}{source}{}", log.level, log.source, log.message), 4)?;
            }
        }
    }
    Ok(Exit::Done)
}

/// Prints an event with its place.
fn print_event(ui: &mut Ui, event: &StoredEvent) -> Result<(), Failure> {
    let (sign, style) = match event.status.as_str() {
        "failure" => ("x", styles::REMOVE),
        "skipped" => (".", styles::DIM),
        _ => ("~", styles::CHANGE),
    };
    let note = match event.status.as_str() {
        "noop" => "  not changed (noop)",
        "skipped" => "  skipped",
        _ if event.corrective_change => "  corrective",
        _ => "",
    };
    ui.line(&format!("{} {}{note}", ui.styled(style, sign), event.resource), 4)?;
    let property = event.property.as_deref();
    let text = match (&event.message, property) {
        (Some(text), Some(property)) if !text.starts_with(property) => {
            Some(format!("{property}: {text}"))
        }
        (Some(text), _) => Some(text.clone()),
        (None, property) => property.map(|property| {
            format!("{property}: {} -> {}", shown(&event.old_value), shown(&event.new_value))
        }),
    };
    if let Some(text) = text {
        ui.line(&format!("    {text}"), 6)?;
    }
    if let Some(place) = place(event.file.as_ref(), event.line) {
        ui.line(&format!("    at {place}"), 6)?;
    }
    Ok(())
}

/// A value of an event for people.
pub(super) fn shown(value: &Json) -> String {
    match value {
        Json::Null => "absent".to_owned(),
        Json::String(text) => format!("'{text}'"),
        other => other.to_string(),
    }
}

fn event_row(event: &StoredEvent) -> Vec<String> {
    vec![
        event.resource.clone(),
        event.property.clone().unwrap_or_default(),
        event.status.clone(),
        cell(&event.old_value),
        cell(&event.new_value),
        place(event.file.as_ref(), event.line).unwrap_or_default(),
    ]
}
