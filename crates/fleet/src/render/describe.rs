//! Changes in words and lines.

use serde_json::Value as Json;
use similar::{ChangeTag, TextDiff};

use super::line::{Line, Tone};
use crate::cause::Cause;
use crate::change::{Change, ChangeKind, Content, DocumentChange, Relation};
use crate::collect::FoundChange;
use crate::result::FleetDiff;

/// The most lines of a text difference, unless all are wanted.
const MAX_LINES: usize = 40;

/// The number of unchanged lines around a change.
const CONTEXT: usize = 3;

/// The most characters of a value on one line.
const MAX_VALUE: usize = 300;

/// The most names of nodes that are listed.
pub(super) const MAX_NAMES: usize = 5;

/// A change as a heading and lines below it.
pub(super) struct Described {
    /// The heading: the resource, or the kind of the change.
    pub(super) heading: Line,
    /// The lines below it, without indent.
    pub(super) lines: Vec<Line>,
}

/// Describes a change. `all` also shows the rest of long texts.
pub(super) fn describe(found: &FoundChange, all: bool) -> Described {
    let mut described = described(&found.change, all);
    if !found.causes.is_empty() {
        let causes: Vec<String> = found.causes.iter().map(cause).collect();
        let text = format!("because of {}", causes.join(", "));
        described.lines.push(Line::new(Tone::Dim, text));
    }
    described
}

fn cause(cause: &Cause) -> String {
    let place = match cause.line {
        0 => cause.file.clone(),
        line => format!("{}:{line}", cause.file),
    };
    if cause.is_before { format!("{place} (before)") } else { place }
}

fn described(change: &Change, all: bool) -> Described {
    match change {
        Change::Added { resource, attributes } => Described {
            heading: Line::new(Tone::Add, format!("+ {resource}")),
            lines: attribute_lines(attributes, '+', Tone::Add, all),
        },
        Change::Removed { resource, attributes } => Described {
            heading: Line::new(Tone::Remove, format!("- {resource}")),
            // The code before shows how it was.
            lines: if all {
                attribute_lines(attributes, '-', Tone::Remove, all)
            } else {
                Vec::new()
            },
        },
        Change::Attribute { resource, attribute, before, after, document } => Described {
            heading: Line::new(Tone::Change, format!("~ {resource}")),
            lines: attribute_change(attribute, before.as_ref(), after.as_ref(), document, all),
        },
        Change::File { resource, source, before, after, document } => {
            let mut lines = vec![Line::new(Tone::Plain, format!("content of {source}"))];
            lines.extend(file_lines(before.as_ref(), after.as_ref(), document.as_ref(), all));
            Described { heading: Line::new(Tone::Change, format!("~ {resource}")), lines }
        }
        Change::Order { from, to, before, after } => {
            let relation = |relation: Option<&Relation>| match relation {
                None => "no order",
                Some(Relation::Before) => "comes before",
                Some(Relation::Notify) => "notifies",
            };
            let (old, new) = (relation(before.as_ref()), relation(after.as_ref()));
            let heading = Line::new(Tone::Change, format!("~ {from} -> {to}"));
            let line = format!("order: {old} -> {new}");
            Described { heading, lines: vec![Line::new(Tone::Plain, line)] }
        }
        Change::CycleAdded { cycle } => {
            message(Tone::Remove, "! new dependency cycle", cycle, None)
        }
        Change::CycleRemoved { cycle } => {
            message(Tone::Add, "! no dependency cycle any more", cycle, None)
        }
        Change::Fails { message: text, place } => {
            message(Tone::Remove, "! fails now", text, place.as_deref())
        }
        Change::FailsNoMore { message: text, place } => {
            message(Tone::Add, "! fails no more", text, place.as_deref())
        }
        Change::StillFails { before, message: text, place } => {
            let mut described = message(Tone::Remove, "! fails as before", text, place.as_deref());
            if before != text {
                described.heading.text = "! fails with another error".to_owned();
                described.lines.insert(0, Line::new(Tone::Dim, format!("before: {before}")));
            }
            described
        }
    }
}

fn message(tone: Tone, heading: &str, text: &str, place: Option<&str>) -> Described {
    let lines = text.lines().map(|line| Line::new(Tone::Plain, line));
    let place = place.map(|place| Line::new(Tone::Dim, format!("at {place}")));
    Described { heading: Line::new(tone, heading), lines: lines.chain(place).collect() }
}

fn attribute_lines(attributes: &[(String, Json)], sign: char, tone: Tone, all: bool) -> Vec<Line> {
    let mut lines = Vec::new();
    for (name, value) in attributes {
        match value.as_str().filter(|text| text.contains('\n')) {
            Some(text) => {
                lines.push(Line::new(tone, format!("{name} =>")));
                let shown = text.lines().map(|line| Line::new(tone, format!("{sign}{line}")));
                push_bounded(&mut lines, shown.collect(), all);
            }
            None => lines.push(Line::new(tone, format!("{name} => {}", self::value(value)))),
        }
    }
    lines
}

fn attribute_change(
    name: &str,
    before: Option<&Json>,
    after: Option<&Json>,
    document: &Option<DocumentChange>,
    all: bool,
) -> Vec<Line> {
    let texts = before.and_then(Json::as_str).zip(after.and_then(Json::as_str));
    let has_lines = |(before, after): &(&str, &str)| {
        document.is_some() || before.contains('\n') || after.contains('\n')
    };
    if let Some((before, after)) = texts.filter(has_lines) {
        let mut lines = vec![Line::new(Tone::Plain, name)];
        lines.extend(text_lines(before, after, document.as_ref(), all));
        return lines;
    }
    if before == after && before.is_some_and(holds_secret) {
        return vec![Line::new(Tone::Change, format!("{name}: another secret"))];
    }
    let shown = |value: Option<&Json>| value.map_or_else(|| "(not set)".to_owned(), self::value);
    vec![Line::new(Tone::Change, format!("{name}: {} -> {}", shown(before), shown(after)))]
}

fn file_lines(
    before: Option<&Content>,
    after: Option<&Content>,
    document: Option<&DocumentChange>,
    all: bool,
) -> Vec<Line> {
    let shown = |content: Option<&Content>| match content {
        None => "no file".to_owned(),
        Some(Content::Text(text)) => format!("{} bytes", text.len()),
        Some(Content::Digest { sha256, size }) => {
            format!("{size} bytes, sha256 {}", sha256.get(..12).unwrap_or(sha256))
        }
        Some(Content::Metadata { kind, checksum, target, permissions }) => {
            let checksum = checksum.as_deref().map(short_checksum);
            let target = target.as_ref().map(|target| format!("to {target}"));
            let parts = [Some(kind.clone()), checksum, target, permissions.clone()];
            parts.into_iter().flatten().collect::<Vec<String>>().join(" ")
        }
    };
    match (before, after) {
        (Some(Content::Text(before)), Some(Content::Text(after))) => {
            text_lines(before, after, document, all)
        }
        _ => vec![Line::new(Tone::Change, format!("{} -> {}", shown(before), shown(after)))],
    }
}

/// A checksum such as `{sha256}0a1b` with only the first digits.
fn short_checksum(checksum: &str) -> String {
    let (kind, hex) = checksum.trim_start_matches('{').split_once('}').unwrap_or(("", checksum));
    format!("{kind} {}", hex.get(..12).unwrap_or(hex))
}

/// The difference of two texts: by structure if they are documents, else by lines.
fn text_lines(
    before: &str,
    after: &str,
    document: Option<&DocumentChange>,
    all: bool,
) -> Vec<Line> {
    if let Some(document) = document {
        if document.differences.is_empty() {
            let text = format!("only the layout of the {} differs", document.format);
            return vec![Line::new(Tone::Dim, text)];
        }
        let shown = |value: &Option<Json>| {
            value.as_ref().map_or_else(|| "(not set)".to_owned(), self::value)
        };
        let lines = document.differences.iter().map(|found| {
            let text =
                format!("{}: {} -> {}", found.path, shown(&found.before), shown(&found.after));
            Line::new(Tone::Change, text)
        });
        let mut out = Vec::new();
        push_bounded(&mut out, lines.collect(), all);
        return out;
    }
    let diff = TextDiff::from_lines(before, after);
    let mut lines = Vec::new();
    for hunk in diff.unified_diff().context_radius(CONTEXT).iter_hunks() {
        if !before.is_empty() && !after.is_empty() {
            lines.push(Line::new(Tone::Dim, hunk.header().to_string().trim_end()));
        }
        for change in hunk.iter_changes() {
            let (sign, tone) = match change.tag() {
                ChangeTag::Delete => ('-', Tone::Remove),
                ChangeTag::Insert => ('+', Tone::Add),
                ChangeTag::Equal => (' ', Tone::Plain),
            };
            let line = change.value();
            let line = shortened(line.strip_suffix('\n').unwrap_or(line));
            lines.push(Line::new(tone, format!("{sign}{line}")));
            if change.missing_newline() {
                lines.push(Line::new(Tone::Dim, "\\ No newline at end of file"));
            }
        }
    }
    let mut out = Vec::new();
    push_bounded(&mut out, lines, all);
    out
}

fn push_bounded(out: &mut Vec<Line>, lines: Vec<Line>, all: bool) {
    let more = lines.len().saturating_sub(MAX_LINES);
    if all || more == 0 {
        out.extend(lines);
        return;
    }
    out.extend(lines.into_iter().take(MAX_LINES));
    out.push(Line::new(Tone::Dim, format!("{more} more lines; -v shows them")));
}

/// A value on one line.
fn value(value: &Json) -> String {
    match value {
        Json::Null => "undef".to_owned(),
        Json::String(text) => format!("'{}'", shortened(&one_line(text))),
        secret if is_secret(secret) => "(secret)".to_owned(),
        other => shortened(&without_secrets(other).to_string()),
    }
}

/// A text with escapes in place of line breaks and tabs.
fn one_line(text: &str) -> String {
    if !text.contains(['\\', '\n', '\r', '\t']) {
        return text.to_owned();
    }
    if !text.contains(['\\', '\n', '\r', '\t']) {
        return text.to_owned();
    }
    text.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r").replace('\t', "\\t")
}

fn is_secret(value: &Json) -> bool {
    value.get("$secret").is_some()
}

fn holds_secret(value: &Json) -> bool {
    match value {
        Json::Array(items) => items.iter().any(holds_secret),
        Json::Object(map) => is_secret(value) || map.values().any(holds_secret),
        _ => false,
    }
}

fn without_secrets(value: &Json) -> Json {
    match value {
        secret if is_secret(secret) => Json::from("(secret)"),
        Json::Array(items) => items.iter().map(without_secrets).collect(),
        Json::Object(map) => {
            let entries = map.iter().map(|(key, value)| (key.clone(), without_secrets(value)));
            Json::Object(entries.collect())
        }
        other => other.clone(),
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_VALUE) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

/// A number with a noun.
pub(super) fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// The first names that fit into a number of characters, and the number of the others. The first
/// name is always shown.
pub(super) fn names(names: &[&str], width: usize) -> String {
    let text = |shown: usize| match names.len() - shown {
        0 => names.join(", "),
        more => format!("{} and {more} more", names[..shown].join(", ")),
    };
    let most = names.len().min(MAX_NAMES);
    let fits = |shown: &usize| text(*shown).chars().count() <= width;
    (2..=most).rev().find(fits).map_or_else(|| text(most.min(1)), text)
}

/// The result in one sentence.
pub(super) fn summary(diff: &FleetDiff, groups: usize) -> String {
    let (changed, total) = (diff.changed_nodes(), diff.nodes.len());
    let range = format!("{} -> {}", diff.before, diff.after);
    if diff.is_single {
        let state = match changed {
            0 => "no changes".to_owned(),
            _ => count(diff.nodes.first().map_or(0, |node| node.changes.len()), "change"),
        };
        return format!("{range}: {state}");
    }
    let verb = if total == 1 { "changes" } else { "change" };
    let mut text = match changed {
        0 => format!("{range}: none of {} changes", count(total, "node")),
        _ => format!(
            "{range}: {changed} of {} {verb}, in {}",
            count(total, "node"),
            count(groups, "group")
        ),
    };
    let kinds = [
        (ChangeKind::Fails, "fails now", "fail now"),
        (ChangeKind::FailsNoMore, "fails no more", "fail no more"),
        (ChangeKind::StillFails, "fails on both sides", "fail on both sides"),
    ];
    for (kind, one, many) in kinds {
        match diff.count(kind) {
            0 => {}
            1 => text.push_str(&format!("; 1 {one}")),
            nodes => text.push_str(&format!("; {nodes} {many}")),
        }
    }
    text
}
