//! The output of a watch as lines: text for logs and people, JSON for programs.

use std::io::Write;
use std::time::{SystemTime, UNIX_EPOCH};

use ordain_engine::observer::Observer;
use ordain_engine::reconcile::ReconcileStatus;
use ordain_engine::report::{ResourceReport, Status};
use ordain_graph::ResourceRef;
use ordain_source::printable_line;
use serde_json::{Value as Json, json};

use super::output::{NewGraph, WatchOutput};
use super::printer::Printer;
use crate::runs;
use crate::ui::{Progress, Ui, count};

/// Text lines for people.
pub(super) struct TextLines {
    log: Progress,
}

impl TextLines {
    pub(super) fn new(ui: &Ui) -> Self {
        Self { log: ui.resource_log() }
    }
}

fn print(line: &str) {
    // A closed stdout is no reason to stop.
    let _ = writeln!(std::io::stdout().lock(), "{}", printable_line(line));
}

impl WatchOutput for TextLines {
    fn graph(&mut self, graph: &NewGraph) {
        if let Some(context) = &graph.context {
            self.log.set_context(context.clone());
        }
        print(&graph_text(graph));
    }

    fn refused(&mut self, text: &str, is_kept: bool) {
        let _ = std::io::stderr().write_all(text.as_bytes());
        print(refused_text(is_kept));
    }

    fn remarks(&mut self, text: &str) {
        let _ = std::io::stderr().write_all(text.as_bytes());
    }

    fn report(&mut self, report: &ResourceReport) {
        self.log.finished(report);
    }

    fn note(&mut self, text: &str) {
        print(text);
    }

    fn settled(&mut self, standings: &[(&ResourceRef, ReconcileStatus)]) {
        print(&standings_text(standings));
    }
}

/// The text about sources with errors.
pub(super) fn refused_text(is_kept: bool) -> &'static str {
    match is_kept {
        true => "The sources have errors; the previous graph stays in effect.",
        false => "The sources have errors; nothing is applied until they compile.",
    }
}

/// The text about a new graph.
pub(super) fn graph_text(graph: &NewGraph) -> String {
    let swapped = graph.swapped;
    let total = swapped.kept + swapped.changed + swapped.added;
    let parts = [(swapped.added, "new"), (swapped.changed, "changed"), (swapped.removed, "gone")];
    let parts: Vec<String> =
        parts.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}")).collect();
    let parts = if parts.is_empty() { "all as before".to_string() } else { parts.join(", ") };
    let (sources, took) = (count(graph.sources, "source"), graph.took.as_millis());
    format!("Keeping {} true ({parts}), from {sources} in {took} ms.", count(total, "resource"))
}

/// The text about a resource that began to flap, and the other flapping ones.
pub(super) fn flapping_text(
    resource: &ResourceRef,
    all: &[(&ResourceRef, ReconcileStatus)],
) -> String {
    let others =
        all.iter().filter(|(name, how)| *how == ReconcileStatus::Flapping && *name != resource);
    let others: Vec<String> = others.map(|(name, _)| name.to_string()).collect();
    let others =
        if others.is_empty() { String::new() } else { format!(" (as {})", others.join(", ")) };
    format!(
        "{resource}{others} is flapping, because something undoes its changes: it is paused for a while."
    )
}

/// The number of resources by state, as text.
pub(super) fn standings_text(standings: &[(&ResourceRef, ReconcileStatus)]) -> String {
    let counts = counts(standings);
    let parts: Vec<String> = counts.iter().map(|(word, n)| format!("{n} {word}")).collect();
    if parts.is_empty() { "Nothing is declared.".into() } else { format!("{}.", parts.join(", ")) }
}

/// The number of resources by state, without empty states.
pub(super) fn counts(standings: &[(&ResourceRef, ReconcileStatus)]) -> Vec<(&'static str, usize)> {
    let all = [
        ReconcileStatus::InPlace,
        ReconcileStatus::WouldChange,
        ReconcileStatus::Running,
        ReconcileStatus::Waiting,
        ReconcileStatus::Flapping,
        ReconcileStatus::Failed,
    ];
    let of = |wanted| standings.iter().filter(|(_, how)| *how == wanted).count();
    all.iter().map(|how| (word(*how), of(*how))).filter(|(_, n)| *n > 0).collect()
}

/// The name of a state.
pub(super) fn word(standing: ReconcileStatus) -> &'static str {
    match standing {
        ReconcileStatus::InPlace => "in place",
        ReconcileStatus::WouldChange => "would change",
        ReconcileStatus::Running => "running",
        ReconcileStatus::Waiting => "waiting",
        ReconcileStatus::Flapping => "flapping",
        ReconcileStatus::Failed => "failed",
        ReconcileStatus::Hidden => "not checked",
    }
}

/// JSON lines for programs: an object each, with the fields `event` and `time`.
pub(super) struct JsonLines {
    printer: Printer,
}

impl JsonLines {
    pub(super) fn new() -> Self {
        Self { printer: Printer::new() }
    }

    fn emit(&mut self, event: &str, members: Json) {
        let left_out = |n| {
            let message = format!("{} dropped: the reader is too slow", count(n, "line"));
            object("note", json!({ "message": message }))
        };
        self.printer.print(object(event, members), left_out);
    }
}

fn object(event: &str, mut members: Json) -> String {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    members["event"] = json!(event);
    members["time"] = json!(time.as_millis() as f64 / 1000.0);
    format!("{members}\n")
}

impl WatchOutput for JsonLines {
    fn graph(&mut self, graph: &NewGraph) {
        let swapped = graph.swapped;
        self.emit(
            "graph",
            json!({
                "kept": swapped.kept, "changed": swapped.changed, "new": swapped.added,
                "gone": swapped.removed, "sources": graph.sources,
                "seconds": graph.took.as_secs_f64(),
            }),
        );
    }

    fn refused(&mut self, text: &str, _: bool) {
        self.emit("refused", json!({ "message": text }));
    }

    fn remarks(&mut self, text: &str) {
        self.emit("remarks", json!({ "message": text }));
    }

    fn report(&mut self, report: &ResourceReport) {
        if report.status != Status::InPlace || !report.lines.is_empty() {
            self.emit("resource", runs::resource_json(report));
        }
    }

    fn note(&mut self, text: &str) {
        self.emit("note", json!({ "message": text }));
    }

    fn settled(&mut self, standings: &[(&ResourceRef, ReconcileStatus)]) {
        let counts: serde_json::Map<String, Json> = counts(standings)
            .into_iter()
            .map(|(word, n)| (word.replace(' ', "_"), n.into()))
            .collect();
        let failed: Vec<String> = standings
            .iter()
            .filter(|(_, how)| matches!(how, ReconcileStatus::Failed | ReconcileStatus::Flapping))
            .map(|(name, _)| name.to_string())
            .collect();
        self.emit("settled", json!({ "resources": counts, "failed": failed }));
    }
}
