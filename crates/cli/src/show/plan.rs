//! Prints a plan: a line for each resource, its changes below it, and a summary.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write;

use ordain_data::Value;
use ordain_engine::kind::{Action, Change, TextChange};
use ordain_engine::plan::{Entry, Plan};
use ordain_engine::report::{Counts, ResourceReport, Status};
use ordain_graph::locate::place;
use ordain_graph::{Attribute, ResourceRef, Step};

use crate::exit::Failure;
use crate::screen::Style;
use crate::show::value::{SECRET, shown};
use crate::show::{WIDTH, diff, gap, name};
use crate::ui::Ui;
use ordain_driver::Compiled;

/// The width of property names.
const NAME_WIDTH: usize = 10;

/// Attributes that are not listed for a new resource: they do not describe its state, or the change
/// itself shows them.
const NOT_SHOWN: &[&str] = &[
    "alias",
    "audit",
    "before",
    "consume",
    "content",
    "ensure",
    "export",
    "loglevel",
    "name",
    "noop",
    "notify",
    "path",
    "require",
    "schedule",
    "stage",
    "subscribe",
    "tag",
];

/// Writes the plan.
///
/// # Errors
/// When standard output cannot be written.
pub(crate) fn write(ui: &mut Ui, plan: &Plan, loaded: &Compiled) -> Result<(), Failure> {
    let mut reasons: BTreeMap<&ResourceRef, Vec<&ResourceRef>> = BTreeMap::new();
    for entry in &plan.entries {
        for other in &entry.triggers {
            reasons.entry(other).or_default().push(&entry.report.resource);
        }
    }
    for entry in &plan.entries {
        if entry.report.status == Status::WouldChange {
            let because = reasons.get(&entry.report.resource).map_or(&[][..], Vec::as_slice);
            write_entry(ui, entry, because, loaded)?;
        }
    }
    let counts = plan.counts();
    let text = summary(&counts, plan.has_changes());
    ui.line(&text, 6)?;
    Ok(())
}

fn write_entry(
    ui: &mut Ui,
    entry: &Entry,
    because: &[&ResourceRef],
    loaded: &Compiled,
) -> Result<(), Failure> {
    let report = &entry.report;
    let action = report.changes.first().map(|c| c.action);
    let (sign, style) = sign(action);
    let head = format!("{sign} {}", name(&report.resource));
    let at = place(&loaded.graph, report.origin, &loaded.sources);
    let at = at.map(|p| p.of_line().to_string()).unwrap_or_default();
    let declared = match action {
        Some(Action::Create) => declared_attributes(report, loaded),
        _ => Vec::new(),
    };
    let changes = report.changes.iter().filter(|change| change.action != Action::Run);
    let names = changes.map(change_label);
    let names = names.chain(declared.iter().map(|attribute| attribute.name.as_str()));
    let column = names.map(|name| name.len() + 1).max().unwrap_or(0).max(NAME_WIDTH);
    let (line, below) = (style.apply(&head), Style::Dim.apply(&at));
    match gap(&head, &at) {
        _ if at.is_empty() => writeln!(ui.out(), "{line}")?,
        Some(gap) => writeln!(ui.out(), "{line}{:gap$}{below}", "")?,
        None => {
            writeln!(ui.out(), "{line}")?;
            write_named(ui, column, "at", &below)?;
        }
    }
    for change in &report.changes {
        write_change(ui, column, change)?;
    }
    if let Some(tree) = &entry.removes {
        write_named(ui, column, "with", &tree.to_string())?;
    }
    for attribute in &declared {
        let value = match is_secret(&report.resource, &attribute.name) {
            true => SECRET.to_string(),
            false => shorten_value(ui, column, &shown(&attribute.value)),
        };
        write_named(ui, column, &attribute.name, &format!("+ {value}"))?;
    }
    if matches!(action, Some(Action::Run) | None) {
        write_command(ui, column, report, loaded)?;
    }
    if let ([first, rest @ ..], true) = (because, report.refreshed) {
        let more = match rest.len() {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        write_named(ui, column, "because", &format!("{}{more}", name(first)))?;
    }
    for other in &entry.triggers {
        write_named(ui, column, "then", &format!("refresh {}", name(other)))?;
    }
    Ok(())
}

/// The other declared attributes of a new resource.
fn declared_attributes<'l>(report: &ResourceReport, loaded: &'l Compiled) -> Vec<&'l Attribute> {
    let Some(id) = loaded.graph.find(&report.resource) else { return Vec::new() };
    let changed = |name: &str| report.changes.iter().any(|c| c.property == name);
    // An undeclared default of the type.
    let is_default = |attribute: &Attribute| {
        let origin = loaded.graph.origins.get(attribute.origin);
        matches!(origin.step, Step::Kind(_)) && origin.span.is_none()
    };
    let is_shown = |attribute: &&Attribute| {
        let name = attribute.name.as_str();
        let is_said = NOT_SHOWN.contains(&name) || changed(name) || attribute.value.is_null();
        !is_said && !is_default(attribute)
    };
    loaded.graph.resource(id).attributes.iter().filter(is_shown).collect()
}

/// Whether the value of an attribute is a secret by its nature, however it was declared.
fn is_secret(resource: &ResourceRef, attribute: &str) -> bool {
    let kind = ordain_kinds::find(&resource.kind);
    kind.and_then(|kind| kind.attribute(attribute)).is_some_and(|found| found.is_secret)
}

/// Writes the command that a resource runs.
fn write_command(
    ui: &mut Ui,
    column: usize,
    report: &ResourceReport,
    loaded: &Compiled,
) -> Result<(), Failure> {
    let Some(id) = loaded.graph.find(&report.resource) else { return Ok(()) };
    let resource = loaded.graph.resource(id);
    let command = report.refreshed.then(|| resource.attribute("refresh")).flatten();
    if let Some(command) = command.or_else(|| resource.attribute("command")) {
        let is_sensitive = resource.value("sensitive") == Some(&Value::Bool(true));
        let value = match is_sensitive {
            true => SECRET.to_string(),
            false => shorten_value(ui, column, &shown(&command.value)),
        };
        write_named(ui, column, "command", &value)?;
    }
    Ok(())
}

/// A value that fits on the line; with `-v`, the whole value.
fn shorten_value(ui: &Ui, column: usize, text: &str) -> String {
    let room = WIDTH.saturating_sub(column + 9);
    match text.char_indices().nth(room) {
        Some((end, _)) if !ui.verbose() => format!("{}...", &text[..end]),
        _ => text.to_string(),
    }
}

/// Writes a labelled line below a resource. `column` is the width of the labels.
fn write_named(ui: &mut Ui, column: usize, name: &str, text: &str) -> Result<(), Failure> {
    Ok(ui.line(&format!("    {name:column$}{text}"), 4 + column + 1)?)
}

fn sign(action: Option<Action>) -> (char, Style) {
    match action {
        Some(Action::Create) => ('+', Style::Add),
        Some(Action::Remove) => ('-', Style::Remove),
        Some(Action::Modify) => ('~', Style::Change),
        Some(Action::Run) | None => ('!', Style::Change),
    }
}

/// The label of a change. The text of a new file is labelled `content`, whatever property sets it.
fn change_label(change: &Change) -> &str {
    if change.text.is_some() { "content" } else { change.property.as_str() }
}

fn write_change(ui: &mut Ui, column: usize, change: &Change) -> Result<(), Failure> {
    let property = change_label(change);
    if let Some(text) = &change.text {
        return write_text(ui, column, property, text);
    }
    let line = match (change.action, &change.before) {
        // The command is more useful than its exit code.
        (Action::Run, _) => return Ok(()),
        (Action::Create, _) | (_, Value::Null) => format!("+ {}", shown(&change.after)),
        (Action::Remove, before) => format!("- {}", shown(before)),
        (_, before) if change.after.is_null() => format!("- {}", shown(before)),
        (_, before) => format!("{} -> {}", shown(before), shown(&change.after)),
    };
    write_named(ui, column, property, &line)
}

/// Writes a diff of the content.
fn write_text(ui: &mut Ui, column: usize, name: &str, text: &TextChange) -> Result<(), Failure> {
    for (i, line) in diff::lines(text, ui.verbose()).iter().enumerate() {
        write_named(ui, column, if i == 0 { name } else { "" }, line)?;
    }
    Ok(())
}

fn summary(counts: &Counts, changes: bool) -> String {
    let mut out = if changes {
        format!(
            "Plan: {} to create, {} to change, {} to remove",
            counts.created, counts.modified, counts.removed
        )
    } else {
        "Plan: nothing to change".to_string()
    };
    if counts.run > 0 {
        // Writing to a string cannot fail.
        let _ = write!(out, ", {} to run", counts.run);
    }
    let _ = write!(out, ", {} in place", counts.in_place);
    if counts.skipped > 0 {
        let _ = write!(out, ", {} left out", counts.skipped);
    }
    if counts.failed > 0 {
        let _ = write!(out, ", {} wrong", counts.failed);
    }
    match counts.refreshed {
        0 => {}
        1 => out.push_str("; 1 refresh"),
        n => {
            let _ = write!(out, "; {n} refreshes");
        }
    }
    out + "."
}
