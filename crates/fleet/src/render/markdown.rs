//! The comparison as Markdown, for a comment on a merge request.

use super::describe::{count, describe, names, summary};
use super::line::Line;
use crate::result::{FleetDiff, Group};

/// The comparison as Markdown of at most `most` bytes. Groups that do not fit are counted.
pub fn markdown(diff: &FleetDiff, most: usize) -> String {
    let groups = diff.groups();
    let mut out = format!("**{}**\n", escaped(&summary(diff, groups.len())));
    for note in &diff.notes {
        out.push_str(&format!("\n_Note: {}_\n", escaped(note)));
    }
    for (at, group) in groups.iter().enumerate() {
        let rest = count(groups.len() - at, "more group");
        let rest = format!("\n{rest} not shown: the comment would be too long.\n");
        let room = most.saturating_sub(out.len() + rest.len());
        match section(diff, group, room) {
            Some(text) => out.push_str(&text),
            None => {
                out.push_str(&rest);
                break;
            }
        }
    }
    out
}

/// A group: a heading, and its changes in a fence. Changes that do not fit are counted. `None` if not
/// even one fits.
fn section(diff: &FleetDiff, group: &Group<'_>, room: usize) -> Option<String> {
    let nodes =
        format!("{}: {}", count(group.nodes.len(), "node"), names(&group.nodes, usize::MAX));
    let heading =
        if diff.is_single { String::new() } else { format!("\n### {}\n", escaped(&nodes)) };
    let mut body = String::new();
    let (mut ticks, mut shown, mut last) = (3, 0, None);
    for found in &group.changes {
        let described = describe(found, false);
        let mut text = String::new();
        if last.as_ref() != Some(&described.heading) {
            push(&described.heading, "", &mut text);
        }
        for line in &described.lines {
            push(line, "  ", &mut text);
        }
        let longest = longest_ticks(&text).max(ticks - 1) + 1;
        let fences = 2 * longest + heading.len() + 60;
        if body.len() + text.len() + fences > room {
            break;
        }
        ticks = longest;
        body.push_str(&text);
        last = Some(described.heading);
        shown += 1;
    }
    if shown == 0 {
        return None;
    }
    let fence = "`".repeat(ticks);
    let more = match group.changes.len() - shown {
        0 => String::new(),
        more => format!("\n{} not shown.\n", count(more, "more change")),
    };
    Some(format!("{heading}\n{fence}diff\n{body}{fence}\n{more}"))
}

/// Adds a line. The signs of a difference stay in the first column, where viewers colour them.
fn push(line: &Line, indent: &str, out: &mut String) {
    let text: String =
        line.text.chars().map(|c| if is_hidden(c) { '\u{fffd}' } else { c }).collect();
    let has_sign = text.starts_with(['+', '-']);
    out.push_str(if has_sign { "" } else { indent });
    out.push_str(&text);
    out.push('\n');
}

/// Whether a character is not shown or changes the direction of text.
fn is_hidden(c: char) -> bool {
    c != '\t' && (c.is_control() || ordain_source::printable::picture(c).is_some())
}

fn longest_ticks(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// Text that Markdown shows as it is.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '&' => out.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '#' | '|' | '~' | '@' | '!' | '>' => {
                out.push('\\');
                out.push(c);
            }
            c if is_hidden(c) => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
