//! The comparison as text for a terminal.

use super::describe::{count, describe, names, summary};
use super::line::{Line, Tone};
use crate::result::{FleetDiff, Group};

/// The lines for a terminal. `all` also shows the rest of long texts.
pub fn text(diff: &FleetDiff, all: bool) -> Vec<Line> {
    let groups = diff.groups();
    let mut lines = vec![Line::new(Tone::Heading, summary(diff, groups.len()))];
    for note in &diff.notes {
        lines.push(Line::new(Tone::Dim, format!("Note: {note}")));
    }
    for group in &groups {
        lines.push(Line::new(Tone::Plain, ""));
        if !diff.is_single {
            lines.push(Line::new(Tone::Heading, heading(group)));
        }
        add_changes(group, all, &mut lines);
    }
    lines
}

/// The width of headings in characters, that of the narrowest usual terminal.
const WIDTH: usize = 80;

fn heading(group: &Group<'_>) -> String {
    let count = count(group.nodes.len(), "node");
    let width = WIDTH.saturating_sub(count.len() + 2);
    format!("{count}: {}", names(&group.nodes, width))
}

/// Adds the changes of a group. Those of one resource share its heading.
fn add_changes(group: &Group<'_>, all: bool, lines: &mut Vec<Line>) {
    let mut last = None;
    for found in &group.changes {
        let described = describe(found, all);
        if last.as_ref() != Some(&described.heading) {
            let heading =
                Line::new(described.heading.tone, format!("  {}", described.heading.text));
            lines.push(heading);
        }
        let inside = described.lines.into_iter();
        lines.extend(inside.map(|line| Line::new(line.tone, format!("      {}", line.text))));
        last = Some(described.heading);
    }
}
