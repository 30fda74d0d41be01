//! A screen that shows how every resource stands while it does.

use std::collections::{HashMap, VecDeque};
use std::fmt::Write as _;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use ordain_engine::kind::Level;
use ordain_engine::reconcile::Standing;
use ordain_engine::report::{ResourceReport, Status};
use ordain_graph::ResourceRef;
use ordain_source::{printable, printable_line};

use super::lines::{counts, graph_text, refused_text, standings_text, word};
use super::output::{NewGraph, WatchOutput};
use crate::screen::{Style, gated};
use crate::show::{log, name, wrapped};
use crate::ui::Ui;

/// The pause between two looks of the screen.
pub(super) const PAUSE: Duration = Duration::from_millis(100);

/// How many entries of the log are kept.
const KEPT: usize = 100;

/// How many lines of the log are shown at most.
const LOG: usize = 8;

/// How many lines the cause of a failure takes at most.
const CAUSE: usize = 3;

/// Where the names of resources begin.
const NAMES: usize = 15;

/// How long a resource that was repaired is shown among the first.
const RECENT: Duration = Duration::from_secs(30);

/// The whole terminal.
pub(super) struct View {
    /// Whether the terminal shows it.
    is_open: bool,
    colour: bool,
    title: String,
    graph: String,
    /// Why the sources do not compile: lines that are rendered.
    refused: Vec<String>,
    /// TextLines without what a terminal would obey, but for our own styles.
    log: VecDeque<String>,
    repaired: HashMap<ResourceRef, Instant>,
    /// Why resources failed.
    causes: HashMap<ResourceRef, String>,
    last: String,
    /// How the resources were when they were last drawn.
    states: String,
}

impl View {
    /// Whether there is a screen.
    pub(super) fn fits(_: &Ui) -> bool {
        std::io::stdout().is_terminal() && std::env::var_os("TERM").is_some_and(|t| t != "dumb")
    }

    pub(super) fn new(ui: &Ui, path: &Path) -> Self {
        // Another screen, without a cursor; what was there comes back at the end.
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

    /// Adds lines to the log that are rendered.
    fn say(&mut self, text: &str) {
        self.log.extend(text.lines().map(str::to_string));
        while self.log.len() > KEPT {
            self.log.pop_front();
        }
    }

    fn style(standing: Standing) -> Style {
        match standing {
            Standing::InPlace | Standing::Hidden => Style::Dim,
            Standing::Running => Style::Add,
            Standing::Waiting => Style::Plain,
            Standing::Flapping | Standing::WouldChange => Style::Change,
            Standing::Failed => Style::Remove,
        }
    }

    fn is_recent(&self, name: &ResourceRef) -> bool {
        self.repaired.get(name).is_some_and(|at| at.elapsed() < RECENT)
    }

    /// The resources that are worth most attention first, as many as there is room for.
    fn rows(
        &self,
        standings: &[(&ResourceRef, Standing)],
        width: usize,
        room: usize,
    ) -> Vec<String> {
        let weight = |name: &ResourceRef, how: Standing| match how {
            Standing::Failed => 0,
            Standing::Flapping => 1,
            Standing::Running => 2,
            _ if self.is_recent(name) => 3,
            Standing::WouldChange => 4,
            Standing::Waiting => 5,
            Standing::InPlace | Standing::Hidden => 6,
        };
        let mut order: Vec<&(&ResourceRef, Standing)> = standings.iter().collect();
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

    /// A resource, with why it failed.
    fn row(&self, resource: &ResourceRef, how: Standing, width: usize) -> Vec<String> {
        let repaired = how == Standing::InPlace && self.is_recent(resource);
        let (text, style) =
            if repaired { ("repaired", Style::Add) } else { (word(how), Self::style(how)) };
        let text = format!("  {} {}", style.apply(&format!("{text:12}")), name(resource));
        let mut lines = wrapped(&text, NAMES, width);
        lines.truncate(CAUSE);
        if let Some(cause) = self.causes.get(resource).filter(|_| how == Standing::Failed) {
            let mut causes = wrapped(&format!("{:NAMES$}{cause}", ""), NAMES, width);
            shorten(&mut causes, CAUSE);
            lines.extend(causes);
        }
        lines
    }

    /// All rows of a screen of this size, without escapes that are not styles.
    fn screen(
        &self,
        standings: &[(&ResourceRef, Standing)],
        width: usize,
        height: usize,
    ) -> Vec<String> {
        let states = states(standings);
        let mut rows = wrapped(&Style::Bold.apply(&self.title), 2, width);
        rows.extend(wrapped(&self.graph, 2, width));
        rows.extend(first_line(&states, width));
        rows.truncate(height.saturating_sub(2));
        rows.push(String::new());
        // What is wrong stands first: its beginning says what, its end only how much.
        let refused = self.refused.iter().flat_map(|line| wrapped(line, 6, width));
        let mut refused: Vec<String> = refused.collect();
        shorten(&mut refused, (height / 2).max(4));
        rows.extend(refused);
        let log = self.log.iter().rev().map(|line| wrapped(line, 4, width));
        let mut shown: VecDeque<Vec<String>> = VecDeque::new();
        let most = LOG.min(height.saturating_sub(rows.len()) / 2);
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
    /// What stays on the terminal when the screen is gone: the end of the log, and how all is.
    fn ending(&self, width: usize) -> Vec<String> {
        let log = self.refused.iter().chain(self.log.iter().rev().take(LOG).rev());
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

/// Leaves so many lines, of which the last says how many more there are.
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
        self.say(&graph_text(graph));
    }

    fn refused(&mut self, text: &str, is_kept: bool) {
        self.refused = text.lines().map(str::to_string).collect();
        self.graph = refused_text(is_kept).into();
    }

    fn remarks(&mut self, text: &str) {
        self.say(text);
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
            if let Some((_, text)) = log::shown(report, line) {
                self.say(&printable(&text));
            }
        }
    }

    fn note(&mut self, text: &str) {
        self.say(&printable_line(text));
    }

    fn settled(&mut self, _: &[(&ResourceRef, Standing)]) {}

    fn draws(&self) -> bool {
        true
    }

    fn draw(&mut self, standings: &[(&ResourceRef, Standing)]) {
        let (width, height) = size();
        self.states = states(standings);
        let rows = self.screen(standings, width, height);
        let mut text = String::from("\x1b[H");
        for (i, row) in rows.iter().enumerate() {
            let end = if i + 1 < height { "\r\n" } else { "" };
            // Writing to a text cannot fail.
            let _ = write!(text, "{}\x1b[K{end}", coloured(row, self.colour));
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
        for row in self.ending(size().0) {
            show(&format!("{}\n", coloured(&row, self.colour)));
        }
    }
}

/// How many columns and rows the terminal has.
fn size() -> (usize, usize) {
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok();
    size.map_or((80, 24), |s| (usize::from(s.ws_col).max(20), usize::from(s.ws_row).max(10)))
}

/// How many resources are in which state, in words.
fn states(standings: &[(&ResourceRef, Standing)]) -> String {
    let counts = counts(standings).into_iter().map(|(word, n)| format!("{n} {word}"));
    counts.collect::<Vec<_>>().join(", ")
}

/// A row in colour: its marks become escapes. Escapes that it has are our own already.
fn coloured(row: &str, colour: bool) -> String {
    let parts = row.split('\u{1b}').map(|part| gated(part, colour));
    parts.collect::<Vec<_>>().join("\u{1b}")
}

fn show(text: &str) {
    let mut out = std::io::stdout().lock();
    // When the terminal is gone there is nobody to tell.
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

    /// What stands on a screen, where nothing is wider than it or would be obeyed.
    fn seen(view: &View, standings: &[(&ResourceRef, Standing)], size: (usize, usize)) -> String {
        let rows = view.screen(standings, size.0, size.1);
        assert!(rows.len() <= size.1);
        for row in &rows {
            assert!(plain_width(row) <= size.0, "{row}");
            let plain = coloured(row, false);
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
            let text = seen(&view, &[(&report.resource, Standing::Failed)], size);
            assert!(text.contains("the last word"), "{text}");
            assert!(text.contains("File[/etc/a␛]0;x␇␊b]"), "{text}");
            assert!(text.contains("site␇.pp"));
        }
    }

    #[test]
    fn what_stays_behind_fits_and_ends_with_the_states() {
        let mut view = View::of(Path::new("site.pp"), false);
        let report = failed("/etc/a", &"a cause of many words ".repeat(9));
        view.report(&report);
        let other = ResourceRef { kind: "File".into(), title: "/b".into() };
        view.states = states(&[(&report.resource, Standing::Failed), (&other, Standing::InPlace)]);
        let rows = view.ending(40);
        assert!(rows.iter().all(|row| plain_width(row) <= 40), "{rows:?}");
        assert!(rows.iter().skip(1).any(|row| row.starts_with("    ")), "{rows:?}");
        let last = rows.last().map_or("", String::as_str);
        assert!(last.contains("1 in place") && last.contains("1 failed"), "{last}");
    }

    #[test]
    fn why_sources_are_refused_is_seen_from_its_beginning() {
        let mut view = View::of(Path::new("site.pp"), true);
        let resource = ResourceRef { kind: "File".into(), title: "/a".into() };
        let line = |n: usize| format!("\u{1b}[1m\u{1b}[91merror {n}\u{1b}[0m: {}", "w ".repeat(60));
        let text: String = (0..40).map(|n| line(n) + "\n").collect();
        view.refused(&text, true);
        let text = seen(&view, &[(&resource, Standing::InPlace)], (80, 24));
        assert!(text.contains("error 0") && !text.contains("error 39"), "{text}");
        assert!(text.contains("more lines") && text.contains("File[/a]"), "{text}");
        // Styles are obeyed, and shown nowhere as text.
        assert!(!text.replace("\u{1b}[", "").contains("[1m"), "{text}");
    }
}
