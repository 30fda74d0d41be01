//! A plan for people: a line a resource, what changes below it, one line of counts.

use std::fmt::Write as _;
use std::io::Write;

use anstyle::Style;
use ordain_data::Value;
use ordain_engine::kind::{Action, Change, TextChange};
use ordain_engine::plan::{Entry, Plan};
use ordain_engine::report::{Counts, Status};
use ordain_graph::ResourceRef;
use ordain_graph::place::place;
use similar::{ChangeTag, TextDiff};

use crate::exit::Failure;
use crate::graphs::Loaded;
use crate::show::value::shown;
use crate::ui::{Ui, styles};

/// Where the place of a resource begins.
const PLACE_COLUMN: usize = 46;

/// The width of the names of properties.
const NAME_WIDTH: usize = 10;

/// The most lines of a text that are shown; `-v` shows all.
const DIFF_LINES: usize = 40;

/// Lines around a change of a text.
const CONTEXT: usize = 2;

/// Writes the plan.
///
/// # Errors
/// When standard output cannot be written.
pub fn write(ui: &mut Ui, plan: &Plan, loaded: &Loaded) -> Result<(), Failure> {
    for entry in &plan.entries {
        if entry.report.status == Status::WouldChange {
            write_entry(ui, entry, loaded)?;
        }
    }
    let counts = plan.counts();
    let text = summary(&counts, plan.has_changes());
    writeln!(ui.out(), "{text}")?;
    Ok(())
}

fn write_entry(ui: &mut Ui, entry: &Entry, loaded: &Loaded) -> Result<(), Failure> {
    let report = &entry.report;
    let (sign, style) = sign(report.changes.first().map(|c| c.action));
    let head = format!("{sign} {}", name(&report.resource));
    let at = place(&loaded.graph, report.origin, &loaded.sources);
    let at = at.map(|p| format!("{}:{}", p.file, p.line)).unwrap_or_default();
    let gap = PLACE_COLUMN.saturating_sub(head.chars().count()).max(2);
    let head = ui.styled(style, &head);
    let line = format!("{head}{:gap$}{}", "", ui.styled(styles::DIM, &at));
    writeln!(ui.out(), "{}", line.trim_end())?;
    for change in &report.changes {
        write_change(ui, change)?;
    }
    for other in &entry.triggers {
        writeln!(ui.out(), "    {:NAME_WIDTH$}refresh {}", "then", name(other))?;
    }
    Ok(())
}

/// `file /etc/motd`
pub fn name(resource: &ResourceRef) -> String {
    format!("{} {}", resource.kind.to_lowercase(), resource.title.escape_debug())
}

fn sign(action: Option<Action>) -> (char, Style) {
    match action {
        Some(Action::Create) => ('+', styles::ADD),
        Some(Action::Remove) => ('-', styles::REMOVE),
        Some(Action::Modify) | None => ('~', styles::CHANGE),
        Some(Action::Run) => ('!', styles::CHANGE),
    }
}

fn write_change(ui: &mut Ui, change: &Change) -> Result<(), Failure> {
    // The text of a file that comes is its content, whatever property brings it.
    let property = if change.text.is_some() { "content" } else { change.property.as_str() };
    let name = format!("{property:NAME_WIDTH$}");
    let name = if property.len() >= NAME_WIDTH { format!("{name} ") } else { name };
    if let Some(text) = &change.text {
        return write_text(ui, &name, text);
    }
    let line = match (change.action, &change.before) {
        (Action::Run, _) => shown(&change.after),
        (Action::Create, _) | (_, Value::Null) => format!("+ {}", shown(&change.after)),
        (_, before) if change.after.is_null() => format!("- {}", shown(before)),
        (_, before) => format!("{} -> {}", shown(before), shown(&change.after)),
    };
    writeln!(ui.out(), "    {name}{line}")?;
    Ok(())
}

/// The lines that differ, with a few around them.
fn write_text(ui: &mut Ui, name: &str, text: &TextChange) -> Result<(), Failure> {
    let diff = TextDiff::from_lines(text.before.as_str(), text.after.as_str());
    let mut lines = Vec::new();
    for (i, group) in diff.grouped_ops(CONTEXT).iter().enumerate() {
        if i > 0 {
            lines.push("  ...".to_string());
        }
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let (sign, style) = match change.tag() {
                ChangeTag::Delete => ('-', styles::REMOVE),
                ChangeTag::Insert => ('+', styles::ADD),
                ChangeTag::Equal => (' ', Style::new()),
            };
            let mut line = format!("{sign} {}", printable(change.value()));
            if change.missing_newline() {
                line.push_str(" (no line end)");
            }
            lines.push(ui.styled(style, line.trim_end()));
        }
    }
    let hidden = if ui.verbose() { 0 } else { lines.len().saturating_sub(DIFF_LINES) };
    lines.truncate(lines.len() - hidden);
    let mut out = String::new();
    for (i, line) in lines.iter().enumerate() {
        let name = if i == 0 { name } else { "" };
        // Writing to text cannot fail.
        let _ = writeln!(out, "    {name:NAME_WIDTH$}{line}");
    }
    if hidden > 0 {
        let _ = writeln!(out, "    {:NAME_WIDTH$}{hidden} more lines; -v shows them", "");
    }
    ui.out().write_all(out.as_bytes())?;
    Ok(())
}

/// A line without its end and without characters that a terminal would obey.
fn printable(line: &str) -> String {
    let line = line.strip_suffix('\n').unwrap_or(line);
    let keep = |c: char| c == '\t' || !c.is_control();
    line.chars().map(|c| if keep(c) { c } else { char::REPLACEMENT_CHARACTER }).collect()
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
        // Writing to text cannot fail.
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
