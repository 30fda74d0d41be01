//! A screen that shows how every resource stands while it does.

use std::collections::{HashMap, VecDeque};
use std::fmt::Write as _;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use anstyle::Style;
use ordain_engine::reconcile::Standing;
use ordain_engine::report::{ResourceReport, Status};
use ordain_graph::ResourceRef;

use super::lines::{counts, graph_text, refused_text, standings_text, word};
use super::{NewGraph, Teller};
use crate::ui::{Ui, styles};

/// The pause between two looks of the screen.
pub(super) const PAUSE: Duration = Duration::from_millis(100);

/// How many lines of the log are shown at most.
const LOG: usize = 8;

/// How long a resource that was repaired is shown among the first.
const RECENT: Duration = Duration::from_secs(30);

/// The whole terminal.
pub(super) struct View {
    colour: bool,
    title: String,
    graph: String,
    log: VecDeque<String>,
    repaired: HashMap<ResourceRef, Instant>,
    last: String,
}

impl View {
    /// Whether there is a screen.
    pub(super) fn fits(_: &Ui) -> bool {
        std::io::stdout().is_terminal() && std::env::var_os("TERM").is_some_and(|t| t != "dumb")
    }

    pub(super) fn new(ui: &Ui, path: &Path) -> Self {
        // Another screen, without a cursor; what was there comes back at the end.
        show("\x1b[?1049h\x1b[?25l");
        Self {
            colour: ui.colour(),
            title: format!("ordain watch {}", path.display()),
            graph: String::new(),
            log: VecDeque::new(),
            repaired: HashMap::new(),
            last: String::new(),
        }
    }

    fn say(&mut self, text: &str) {
        self.log.extend(text.lines().map(str::to_string));
        while self.log.len() > LOG {
            self.log.pop_front();
        }
    }

    fn paint(&self, style: Style, text: &str) -> String {
        if self.colour { format!("{style}{text}{style:#}") } else { text.to_string() }
    }

    fn style(standing: Standing) -> Style {
        match standing {
            Standing::InPlace | Standing::Hidden => styles::DIM,
            Standing::Running => styles::ADD,
            Standing::Waiting => Style::new(),
            Standing::Flapping => styles::CHANGE,
            Standing::Failed => styles::REMOVE,
        }
    }

    /// The resources that are worth most attention first, as many as there is room for.
    fn rows(
        &self,
        standings: &[(&ResourceRef, Standing)],
        width: usize,
        room: usize,
    ) -> Vec<String> {
        let now = Instant::now();
        let is_recent = |name: &ResourceRef| {
            self.repaired.get(name).is_some_and(|at| now.duration_since(*at) < RECENT)
        };
        let weight = |name: &ResourceRef, how: Standing| match how {
            Standing::Failed => 0,
            Standing::Flapping => 1,
            Standing::Running => 2,
            _ if is_recent(name) => 3,
            Standing::Waiting => 4,
            Standing::InPlace | Standing::Hidden => 5,
        };
        let mut order: Vec<&(&ResourceRef, Standing)> = standings.iter().collect();
        order.sort_by_key(|(name, how)| weight(name, *how));
        let fits = if order.len() > room { room.saturating_sub(1) } else { room };
        let mut rows: Vec<String> = order
            .iter()
            .take(fits)
            .map(|(name, how)| {
                let repaired = *how == Standing::InPlace && is_recent(name);
                let (text, style) = if repaired {
                    ("repaired", styles::ADD)
                } else {
                    (word(*how), Self::style(*how))
                };
                let name = clipped(&name.to_string(), width.saturating_sub(15));
                format!("  {} {name}", self.paint(style, &format!("{text:12}")))
            })
            .collect();
        let rest: Vec<_> = order.iter().skip(fits).map(|row| **row).collect();
        if !rest.is_empty() {
            rows.push(clipped(&format!("  and {}", standings_text(&rest)), width));
        }
        rows
    }
}

impl Teller for View {
    fn graph(&mut self, graph: &NewGraph) {
        self.graph = graph_text(graph);
        self.say(&graph_text(graph));
    }

    fn refused(&mut self, text: &str, is_kept: bool) {
        self.say(text);
        self.graph = refused_text(is_kept).into();
    }

    fn remarks(&mut self, text: &str) {
        self.say(text);
    }

    fn report(&mut self, report: &ResourceReport) {
        if report.status == Status::Changed {
            self.repaired.insert(report.resource.clone(), Instant::now());
        }
        for line in &report.lines {
            self.say(&line.to_string());
        }
    }

    fn note(&mut self, text: &str) {
        self.say(text);
    }

    fn settled(&mut self, _: &[(&ResourceRef, Standing)]) {}

    fn draws(&self) -> bool {
        true
    }

    fn draw(&mut self, standings: &[(&ResourceRef, Standing)]) {
        let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok();
        let (width, height) = size
            .map_or((80, 24), |s| (usize::from(s.ws_col).max(20), usize::from(s.ws_row).max(10)));
        let states: Vec<String> =
            counts(standings).iter().map(|(word, n)| format!("{n} {word}")).collect();
        let mut rows = vec![
            self.paint(styles::BOLD, &clipped(&self.title, width)),
            clipped(&self.graph, width),
            clipped(&states.join(", "), width),
            String::new(),
        ];
        let log: Vec<String> = self.log.iter().map(|line| clipped(line, width)).collect();
        let room = height.saturating_sub(rows.len() + log.len() + 1);
        rows.extend(self.rows(standings, width, room));
        rows.resize(height.saturating_sub(log.len()), String::new());
        rows.extend(log);
        let mut text = String::from("\x1b[H");
        for (i, row) in rows.iter().take(height).enumerate() {
            let end = if i + 1 < height { "\r\n" } else { "" };
            // Writing to a text cannot fail.
            let _ = write!(text, "{row}\x1b[K{end}");
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
        show("\x1b[?25h\x1b[?1049l");
        for line in &self.log {
            show(&format!("{line}\n"));
        }
    }
}

fn show(text: &str) {
    let mut out = std::io::stdout().lock();
    // When the terminal is gone there is nobody to tell.
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// As much of a text as fits, without characters that move the cursor.
fn clipped(text: &str, width: usize) -> String {
    let plain = text.chars().filter(|c| !c.is_control());
    plain.take(width).collect()
}
