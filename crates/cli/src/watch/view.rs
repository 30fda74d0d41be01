//! A full-screen view of all resources and their states.

use std::collections::{HashMap, VecDeque};
use std::fmt::Write as _;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use ordain_engine::kind::Level;
use ordain_engine::reconcile::ReconcileStatus;
use ordain_engine::report::{ResourceReport, Status};
use ordain_graph::ResourceRef;
use ordain_source::{printable, printable_line};

use super::lines::{counts, graph_text, refused_text, standings_text, word};
use super::output::{NewGraph, WatchOutput};
use crate::screen::{Style, sanitize};
use crate::show::{log, name, wrapped};
use crate::ui::Ui;

/// The time between two draws.
pub(super) const FRAME_INTERVAL: Duration = Duration::from_millis(100);

/// The number of log lines that are kept.
const MAX_LOG_ENTRIES: usize = 100;

/// The number of log lines that are shown.
const MAX_LOG_LINES: usize = 8;

/// The number of lines for the cause of a failure.
const MAX_CAUSE_LINES: usize = 3;

/// The column of resource names.
const NAME_COLUMN: usize = 15;

/// The time for which a repaired resource is listed near the top.
const RECENT_REPAIR_TIME: Duration = Duration::from_secs(30);

/// The full-screen view.
pub(super) struct View {
    /// Whether the terminal is in full-screen mode.
    is_open: bool,
    colour: bool,
    title: String,
    graph: String,
    /// The rendered diagnostics of sources that do not compile.
    refused: Vec<String>,
    /// Sanitized log lines, which may contain our own styles.
    log: VecDeque<String>,
    repaired: HashMap<ResourceRef, Instant>,
    /// The error messages of failed resources.
    causes: HashMap<ResourceRef, String>,
    last: String,
    /// The counts of the last draw.
    states: String,
}

impl View {
    /// Whether the terminal supports the view.
    pub(super) fn fits(_: &Ui) -> bool {
        std::io::stdout().is_terminal() && std::env::var_os("TERM").is_some_and(|t| t != "dumb")
    }

    pub(super) fn new(ui: &Ui, path: &Path) -> Self {
        // Switches to the alternate screen and hides the cursor. The old screen returns at the end.
        show("\x1b[?1049h\x1b[?25l");
        let mut view = Self::of(path, ui.colour());
        view.is_open = true;
        view
    }

    fn of(path: &Path, colour: bool) -> Self {
        Self {
            is_open: false,
            colour,
            title: printable_line(&format!("ordain watch {}", path.display())).into_owned(),
            graph: String::new(),
            refused: Vec::new(),
            log: VecDeque::new(),
            repaired: HashMap::new(),
            causes: HashMap::new(),
            last: String::new(),
            states: String::new(),
        }
    }

    /// Appends rendered lines to the log.
    fn append_log(&mut self, text: &str) {
        self.log.extend(text.lines().map(str::to_string));
        while self.log.len() > MAX_LOG_ENTRIES {
            self.log.pop_front();
        }
    }

    fn style(standing: ReconcileStatus) -> Style {
        match standing {
            ReconcileStatus::InPlace | ReconcileStatus::Hidden => Style::Dim,
            ReconcileStatus::Running => Style::Add,
            ReconcileStatus::Waiting => Style::Plain,
            ReconcileStatus::Flapping | ReconcileStatus::WouldChange => Style::Change,
            ReconcileStatus::Failed => Style::Remove,
        }
    }

    fn is_recent(&self, name: &ResourceRef) -> bool {
        self.repaired.get(name).is_some_and(|at| at.elapsed() < RECENT_REPAIR_TIME)
    }

    /// The resources in order of importance, as many as there is room for.
    fn rows(
        &self,
        standings: &[(&ResourceRef, ReconcileStatus)],
        width: usize,
        room: usize,
    ) -> Vec<String> {
        let weight = |name: &ResourceRef, how: ReconcileStatus| match how {
            ReconcileStatus::Failed => 0,
            ReconcileStatus::Flapping => 1,
            ReconcileStatus::Running => 2,
            _ if self.is_recent(name) => 3,
            ReconcileStatus::WouldChange => 4,
            ReconcileStatus::Waiting => 5,
            ReconcileStatus::InPlace | ReconcileStatus::Hidden => 6,
        };
        let mut order: Vec<&(&ResourceRef, ReconcileStatus)> = standings.iter().collect();
        order.sort_by_key(|(name, how)| weight(name, *how));
        let mut rows = Vec::new();
        for (shown, (name, how)) in order.iter().enumerate() {
            let row = self.row(name, *how, width);
            let is_last = shown + 1 == order.len();
            if rows.len() + row.len() + usize::from(!is_last) > room {
                let rest: Vec<_> = order[shown..].iter().map(|row| **row).collect();
                rows.extend(first_line(&format!("  and {}", standings_text(&rest)), width));
                break;
            }
            rows.extend(row);
        }
        rows.truncate(room);
        rows
    }

    /// The lines of a resource, with the cause of its failure.
    fn row(&self, resource: &ResourceRef, how: ReconcileStatus, width: usize) -> Vec<String> {
        let repaired = how == ReconcileStatus::InPlace && self.is_recent(resource);
        let (text, style) =
            if repaired { ("repaired", Style::Add) } else { (word(how), Self::style(how)) };
        let text = format!("  {} {}", style.apply(&format!("{text:12}")), name(resource));
        let mut lines = wrapped(&text, NAME_COLUMN, width);
        lines.truncate(MAX_CAUSE_LINES);
        if let Some(cause) = self.causes.get(resource).filter(|_| how == ReconcileStatus::Failed) {
            let mut causes = wrapped(&format!("{:NAME_COLUMN$}{cause}", ""), NAME_COLUMN, width);
            shorten(&mut causes, MAX_CAUSE_LINES);
            lines.extend(causes);
        }
        lines
    }

    /// All rows of a screen of this size. They contain no escapes but styles.
    fn screen(
        &self,
        standings: &[(&ResourceRef, ReconcileStatus)],
        width: usize,
        height: usize,
    ) -> Vec<String> {
        let states = states(standings);
        let mut rows = wrapped(&Style::Bold.apply(&self.title), 2, width);
        rows.extend(wrapped(&self.graph, 2, width));
        rows.extend(first_line(&states, width));
        rows.truncate(height.saturating_sub(2));
        rows.push(String::new());
        // Of long diagnostics, the beginning is the important part.
        let refused = self.refused.iter().flat_map(|line| wrapped(line, 6, width));
        let mut refused: Vec<String> = refused.collect();
        shorten(&mut refused, (height / 2).max(4));
        rows.extend(refused);
        let log = self.log.iter().rev().map(|line| wrapped(line, 4, width));
        let mut shown: VecDeque<Vec<String>> = VecDeque::new();
        let most = MAX_LOG_LINES.min(height.saturating_sub(rows.len()) / 2);
        for lines in log {
            if shown.iter().map(Vec::len).sum::<usize>() + lines.len() > most {
                break;
            }
            shown.push_front(lines);
        }
        let log: Vec<String> = shown.into_iter().flatten().collect();
        let room = height.saturating_sub(rows.len() + log.len() + 1);
        rows.extend(self.rows(standings, width, room));
        rows.resize(height.saturating_sub(log.len()), String::new());
        rows.extend(log);
        rows.truncate(height);
        rows
    }
}

impl View {
    /// The lines that remain on the terminal after the view is closed: the end of the log, and the
    /// counts.
    fn final_lines(&self, width: usize) -> Vec<String> {
        let log = self.refused.iter().chain(self.log.iter().rev().take(MAX_LOG_LINES).rev());
        let mut rows: Vec<String> = log.flat_map(|line| wrapped(line, 4, width)).collect();
        if !self.states.is_empty() {
            rows.extend(wrapped(&format!("{}.", self.states), 4, width));
        }
        rows
    }
}

/// The first line of a text that may be too wide.
fn first_line(text: &str, width: usize) -> Option<String> {
    wrapped(text, 0, width).into_iter().next()
}

/// Limits the number of lines. The last one then tells how many are missing.
fn shorten(lines: &mut Vec<String>, most: usize) {
    if lines.len() > most {
        let more = lines.len() - most + 1;
        lines.truncate(most - 1);
        lines.push(format!("... and {more} more lines"));
    }
}

impl WatchOutput for View {
    fn graph(&mut self, graph: &NewGraph) {
        self.refused.clear();
        self.graph = graph_text(graph);
        self.append_log(&graph_text(graph));
    }

    fn refused(&mut self, text: &str, is_kept: bool) {
        self.refused = text.lines().map(str::to_string).collect();
        self.graph = refused_text(is_kept).into();
    }

    fn remarks(&mut self, text: &str) {
        self.append_log(text);
    }

    fn report(&mut self, report: &ResourceReport) {
        if report.status == Status::Changed {
            self.repaired.insert(report.resource.clone(), Instant::now());
        }
        let error = report.lines.iter().find(|line| line.level == Level::Error);
        match error.filter(|_| report.status == Status::Failed) {
            Some(line) => {
                let text = printable_line(line.message.trim_end()).into_owned();
                self.causes.insert(report.resource.clone(), text);
            }
            None => {
                self.causes.remove(&report.resource);
            }
        }
        for line in &report.lines {
            if let Some((_, text)) = log::log_line(report, line) {
                self.append_log(&printable(&text));
            }
        }
    }

    fn note(&mut self, text: &str) {
        self.append_log(&printable_line(text));
    }

    fn settled(&mut self, _: &[(&ResourceRef, ReconcileStatus)]) {}

    fn draws(&self) -> bool {
        true
    }

    fn draw(&mut self, standings: &[(&ResourceRef, ReconcileStatus)]) {
        let (width, height) = size();
        self.states = states(standings);
        let rows = self.screen(standings, width, height);
        let mut text = String::from("\x1b[H");
        for (i, row) in rows.iter().enumerate() {
            let end = if i + 1 < height { "\r\n" } else { "" };
            // Writing to a string cannot fail.
            let _ = write!(text, "{}\x1b[K{end}", render_row(row, self.colour));
        }
        text.push_str("\x1b[J");
        if text != self.last {
            show(&text);
            self.last = text;
        }
    }
}

impl Drop for View {
    fn drop(&mut self) {
        if !self.is_open {
            return;
        }
        show("\x1b[?25h\x1b[?1049l");
        for row in self.final_lines(size().0) {
            show(&format!("{}\n", render_row(&row, self.colour)));
        }
    }
}

/// The columns and rows of the terminal.
fn size() -> (usize, usize) {
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok();
    size.map_or((80, 24), |s| (usize::from(s.ws_col).max(20), usize::from(s.ws_row).max(10)))
}

/// The number of resources by state, as text.
fn states(standings: &[(&ResourceRef, ReconcileStatus)]) -> String {
    let counts = counts(standings).into_iter().map(|(word, n)| format!("{n} {word}"));
    counts.collect::<Vec<_>>().join(", ")
}

/// Renders the marks of a row. Escapes in it are already those of our own styles.
fn render_row(row: &str, colour: bool) -> String {
    let parts = row.split('\u{1b}').map(|part| sanitize(part, colour));
    parts.collect::<Vec<_>>().join("\u{1b}")
}

fn show(text: &str) {
    let mut out = std::io::stdout().lock();
    // A closed terminal is no reason to fail.
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use ordain_engine::report::Line;
    use ordain_graph::OriginId;

    use super::*;
    use crate::show::plain_width;

    fn failed(title: &str, message: &str) -> ResourceReport {
        let resource = ResourceRef { kind: "File".into(), title: title.into() };
        let path = format!("/Stage[main]/Main/{resource}");
        let line = Line { level: Level::Error, source: path.clone(), message: message.into() };
        ResourceReport {
            resource,
            path,
            origin: OriginId(0),
            generated_by: None,
            status: Status::Failed,
            blocked_by: None,
            changes: Vec::new(),
            refreshed: false,
            lines: vec![line],
            duration: Duration::ZERO,
        }
    }

    /// The text of a screen, checked to fit and to be sanitized.
    fn checked_text(
        view: &View,
        standings: &[(&ResourceRef, ReconcileStatus)],
        size: (usize, usize),
    ) -> String {
        let rows = view.screen(standings, size.0, size.1);
        assert!(rows.len() <= size.1);
        for row in &rows {
            assert!(plain_width(row) <= size.0, "{row}");
            let plain = render_row(row, false);
            assert!(!plain.contains(|c: char| c.is_control() && c != '\u{1b}'), "{row:?}");
        }
        rows.join("\n")
    }

    #[test]
    fn the_cause_of_a_failure_is_seen_whole() {
        let mut view = View::of(Path::new("site\u{7}.pp"), false);
        let message = format!("cannot write {}: the last word", "/a/long/path".repeat(6));
        let report = failed("/etc/a\u{1b}]0;x\u{7}\nb", &message);
        view.report(&report);
        for size in [(80, 24), (120, 40), (40, 20)] {
            let text = checked_text(&view, &[(&report.resource, ReconcileStatus::Failed)], size);
            assert!(text.contains("the last word"), "{text}");
            assert!(text.contains("File[/etc/a␛]0;x␇␊b]"), "{text}");
            assert!(text.contains("site␇.pp"));
        }
    }

    #[test]
    fn state_is_bounded_and_ends_with_its_owner() {
        let mut view = View::of(Path::new("site.pp"), false);
        let report = failed("/etc/a", &"a cause of many words ".repeat(9));
        view.report(&report);
        let other = ResourceRef { kind: "File".into(), title: "/b".into() };
        view.states = states(&[
            (&report.resource, ReconcileStatus::Failed),
            (&other, ReconcileStatus::InPlace),
        ]);
        let rows = view.final_lines(40);
        assert!(rows.iter().all(|row| plain_width(row) <= 40), "{rows:?}");
        assert!(rows.iter().skip(1).any(|row| row.starts_with("    ")), "{rows:?}");
        let last = rows.last().map_or("", String::as_str);
        assert!(last.contains("1 in place") && last.contains("1 failed"), "{last}");
    }

    #[test]
    fn the_beginning_of_source_errors_is_visible() {
        let mut view = View::of(Path::new("site.pp"), true);
        let resource = ResourceRef { kind: "File".into(), title: "/a".into() };
        let line = |n: usize| format!("\u{1b}[1m\u{1b}[91merror {n}\u{1b}[0m: {}", "w ".repeat(60));
        let text: String = (0..40).map(|n| line(n) + "\n").collect();
        view.refused(&text, true);
        let text = checked_text(&view, &[(&resource, ReconcileStatus::InPlace)], (80, 24));
        assert!(text.contains("error 0") && !text.contains("error 39"), "{text}");
        assert!(text.contains("more lines") && text.contains("File[/a]"), "{text}");
        // Escapes of styles have an effect and are not shown as text.
        assert!(!text.replace("\u{1b}[", "").contains("[1m"), "{text}");
    }
}
