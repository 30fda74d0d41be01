//! Reports of resources.

use std::time::Duration;

use ordain_data::Value;
use ordain_graph::{OriginId, ResourceRef};

use crate::kind::change::{Action, Change};
use crate::kind::error::{AttributeError, KindError};
use crate::kind::log::{Level, LogLine, LogSource};

/// The status of a resource after a run.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Status {
    /// Nothing differs.
    InPlace,
    /// It was changed, or acted on an event.
    Changed,
    /// It would have been changed.
    WouldChange,
    /// It could not be observed or changed.
    Failed,
    /// Its kind skipped it; this is not a failure.
    Skipped,
    /// It was not checked, because something it depends on failed or was skipped.
    SkippedForFailure,
    /// The tags of the run exclude it.
    Filtered,
    /// The run was stopped before it.
    Stopped,
}

/// A line of the log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// Its severity.
    pub level: Level,
    /// Its subject: the path of a resource or of its property; empty if only the text shows.
    pub source: String,
    /// The text.
    pub message: String,
}

impl std::fmt::Display for Line {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.source.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "{}: {}", self.source, self.message)
        }
    }
}

/// A resource in the report of a run.
#[derive(Clone, Debug)]
pub struct ResourceReport {
    /// Its name.
    pub resource: ResourceRef,
    /// Its containment path.
    pub path: String,
    /// The origin of its declaration.
    pub origin: OriginId,
    /// The declared resource that generated it, if it is not declared itself.
    pub generated_by: Option<ResourceRef>,
    /// Its status.
    pub status: Status,
    /// The resource whose failure or skip prevented the check of this one.
    pub blocked_by: Option<ResourceRef>,
    /// The changes that were made, or would have been.
    pub changes: Vec<Change>,
    /// Whether it acted on a notification.
    pub refreshed: bool,
    /// The lines of the log.
    pub lines: Vec<Line>,
    /// The time that it took.
    pub duration: Duration,
}

impl ResourceReport {
    /// Adds a line about the resource or a property of it.
    pub(crate) fn add_line(
        &mut self,
        level: Level,
        property: Option<&str>,
        message: impl Into<String>,
    ) {
        let source = match property {
            Some(property) => format!("{}/{property}", self.path),
            None => self.path.clone(),
        };
        self.lines.push(Line { level, source, message: message.into() });
    }

    /// The log line for the change of a property, if there is one.
    pub(crate) fn line_of_change(&mut self, property: &str) -> Option<&mut String> {
        let change = self.changes.iter().find(|change| change.property == property)?;
        let source = format!("{}/{property}", self.path);
        let line =
            self.lines.iter_mut().find(|l| l.source == source && l.message == change.message);
        line.map(|line| &mut line.message)
    }

    /// Whether it is not in the desired state, so that dependents have to wait.
    pub(crate) fn blocks_dependents(&self) -> bool {
        matches!(self.status, Status::Failed | Status::Skipped)
    }

    /// Reports a failed action with the message `text`.
    pub(crate) fn give_up(&mut self, error: &KindError, property: Option<&str>, text: String) {
        let (status, level) = match error.is_skip() {
            true => (Status::Skipped, Level::Warning),
            false => (Status::Failed, Level::Error),
        };
        self.status = status;
        self.add_line(level, property, text);
    }

    pub(crate) fn fail(&mut self, message: impl Into<String>) {
        self.status = Status::Failed;
        self.add_line(Level::Error, None, message);
    }

    pub(crate) fn fail_attributes(&mut self, errors: &[AttributeError]) {
        self.status = Status::Failed;
        for error in errors {
            let text = match &error.help {
                Some(help) => format!("{}; {help}", error.message),
                None => error.message.clone(),
            };
            self.add_line(Level::Error, error.attribute.as_deref(), text);
        }
    }

    /// Adds the log lines of the resource; `level` is the level of its changes.
    pub(crate) fn take(&mut self, log: Vec<LogLine>, level: Level) {
        for line in log {
            let level = line.level.unwrap_or(level);
            match line.source {
                LogSource::Property(name) => self.add_line(level, Some(name), line.message),
                LogSource::Resource => self.add_line(level, None, line.message),
                LogSource::Bare => {
                    let message = line.message;
                    self.lines.push(Line { level, source: String::new(), message });
                }
            }
        }
    }
}

/// Numbers of resources by status.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// Resources that were created, or would be.
    pub created: usize,
    /// Resources that were changed, or would be.
    pub modified: usize,
    /// Resources that were removed, or would be.
    pub removed: usize,
    /// Commands and similar actions that ran, or would.
    pub run: usize,
    /// Resources where nothing differs.
    pub in_place: usize,
    /// Resources that failed.
    pub failed: usize,
    /// Resources that were skipped, for a failure or for their tags.
    pub skipped: usize,
    /// Resources that the run did not reach.
    pub stopped: usize,
    /// Resources that acted on a notification, or would.
    pub refreshed: usize,
}

impl Counts {
    pub(crate) fn add(&mut self, status: Status, changes: &[Change], refreshed: bool) {
        self.refreshed += usize::from(refreshed);
        match status {
            Status::Failed => self.failed += 1,
            Status::Skipped | Status::SkippedForFailure => self.skipped += 1,
            Status::Filtered => self.skipped += 1,
            Status::Stopped => self.stopped += 1,
            Status::InPlace => self.in_place += 1,
            Status::Changed | Status::WouldChange => match changes.first().map(|c| c.action) {
                Some(Action::Create) => self.created += 1,
                Some(Action::Remove) => self.removed += 1,
                Some(Action::Modify) => self.modified += 1,
                Some(Action::Run) => self.run += 1,
                None => {}
            },
        }
    }
}

/// A value as logs show it: text in single quotes, or in double ones if it has more than one line;
/// lists in brackets.
pub fn quoted(value: &Value) -> String {
    match value {
        Value::Null => "'absent'".into(),
        Value::Secret(_) => "[redacted]".into(),
        Value::List(items) => {
            let items: Vec<String> = items.iter().map(quoted).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Str(text) if text.contains(char::is_control) => format!("{:?}", text.as_str()),
        Value::Str(text) => format!("'{text}'"),
        other => format!("{other:?}"),
    }
}
