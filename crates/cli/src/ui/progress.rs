//! The log and the progress line of a run.

use std::io::{self, Write};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use ordain_engine::kind::Level;
use ordain_engine::observer::Observer;
use ordain_engine::report::{Line, ResourceReport};
use ordain_graph::ResourceRef;
use ordain_puppet::eval::LogLevel;

use super::log_style::{LogStyle, log_level};
use crate::screen::sanitize;
use crate::show::log::{self, Context, LogItem};
use crate::show::name;

/// The time before a progress line appears.
const PROGRESS_DELAY: Duration = Duration::from_millis(100);

/// The interval at which the progress line is redrawn.
const REDRAW_INTERVAL: Duration = Duration::from_millis(100);

/// Logs resources during a run, and shows a progress line on a terminal, which is removed at the
/// end.
pub(crate) struct Progress {
    style: LogStyle,
    logs: bool,
    line: Option<ProgressLine>,
    context: Option<Context>,
}

/// A progress line, which appears only if the run takes a while.
struct ProgressLine {
    bar: ProgressBar,
    done: mpsc::Sender<()>,
    waiting: JoinHandle<()>,
}

impl ProgressLine {
    fn new(total: usize) -> Self {
        let bar = ProgressBar::with_draw_target(Some(total as u64), ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template("{pos}/{len} {wide_msg} {elapsed}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        let (done, end) = mpsc::channel();
        let shown = bar.clone();
        let waiting = std::thread::spawn(move || {
            if end.recv_timeout(PROGRESS_DELAY) == Err(RecvTimeoutError::Timeout) {
                shown.set_draw_target(ProgressDrawTarget::stderr());
                shown.enable_steady_tick(REDRAW_INTERVAL);
            }
        });
        Self { bar, done, waiting }
    }
}

impl Progress {
    /// Logs resources if `logs` is set, and shows a progress line if there is a `total`.
    pub(super) fn new(style: LogStyle, logs: bool, total: Option<usize>) -> Self {
        Self { style, logs, line: total.map(ProgressLine::new), context: None }
    }

    /// Sets the graph, so that errors have source places.
    pub(crate) fn set_context(&mut self, context: Context) {
        let is_verbose = self.style.verbosity > 0;
        self.context = Some(context.verbose(is_verbose));
    }

    /// The log lines of a resource.
    fn text(&self, report: &ResourceReport) -> String {
        match &self.context {
            // Programs get the lines unchanged.
            _ if self.style.json => {
                report.lines.iter().filter_map(|line| self.json(report, line)).collect()
            }
            Some(context) => {
                context.of(report).iter().map(|item| self.render(item, context)).collect()
            }
            None => {
                let lines = report.lines.iter().filter_map(|line| log::log_line(report, line));
                lines.filter_map(|(level, text)| self.log_line(level, &text)).collect()
            }
        }
    }

    fn json(&self, report: &ResourceReport, line: &Line) -> Option<String> {
        let context = self.context.as_ref();
        let error = context.and_then(|c| Some((c.error(report, line)?, c.sources())));
        match error {
            Some((error, sources)) => Some(self.style.diagnostic(&error, sources)),
            None => self.log_line(line.level, &line.to_string()),
        }
    }

    fn render(&self, item: &LogItem, context: &Context) -> String {
        match item {
            LogItem::Line(level, text) => self.log_line(*level, text).unwrap_or_default(),
            LogItem::Error(error) => self.style.diagnostic(error, context.sources()),
            LogItem::Continuation(_) if self.style.verbosity < 0 => String::new(),
            LogItem::Continuation(text) => self
                .style
                .wrap_rendered(sanitize(&format!("{text}\n"), self.style.colour).into_owned()),
        }
    }

    fn log_line(&self, level: Level, text: &str) -> Option<String> {
        self.style.line(log_level(level), text)
    }

    /// Logs a notice about the run itself.
    pub(crate) fn notice(&self, text: &str) {
        let line = self.style.line(LogLevel::Notice, text).unwrap_or_default();
        // A closed stderr is no reason to fail.
        let _ = io::stderr().write_all(line.as_bytes());
    }

    /// Removes the progress line.
    pub(crate) fn clear(&mut self) {
        let Some(line) = self.line.take() else { return };
        // The waiting thread may win this race: clearing a line that was never shown is harmless.
        let _ = line.done.send(());
        let _ = line.waiting.join();
        line.bar.finish_and_clear();
    }
}

impl Observer for Progress {
    fn started(&self, resource: &ResourceRef) {
        if let Some(line) = &self.line {
            line.bar.set_message(name(resource));
        }
    }

    fn finished(&self, report: &ResourceReport) {
        if self.logs {
            let text = self.text(report);
            // A closed stderr is no reason to fail.
            let write = || io::stderr().write_all(text.as_bytes());
            let _ = match &self.line {
                Some(line) if !text.is_empty() => line.bar.suspend(write),
                _ => write(),
            };
        }
        if let Some(line) = self.line.as_ref().filter(|_| report.generated_by.is_none()) {
            line.bar.inc(1);
        }
    }
}
