//! One resource: compare, act, verify, refresh.

use std::panic::AssertUnwindSafe;
use std::time::{Instant, SystemTime};

use jiff::tz::TimeZone;
use ordain_data::Value;
use ordain_functions::time::timestamp;
use ordain_graph::{Resource, ResourceId, ResourceRef};
use ordain_process::interruption;

use crate::kind::report::{ResourceReport, Status, quoted};
use crate::kind::tools;
use crate::kind::{Action, Change, ChangeOutcome, KindError, Level, LogLine};
use crate::run::audit::AuditSnapshot;
#[cfg(debug_assertions)]
use crate::run::current;
use crate::run::observer::Observer;
use crate::run::prepare::{Item, Prepared, Ready};
use crate::run::redact::declared_name;
use crate::run::reversal;
use crate::run::transfer::{ReceivedValues, Transfers};
use crate::system::deadline;
use crate::system::host::Host;

/// The events that a resource passes on to others.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Events {
    /// Changes that were made.
    pub(crate) real: usize,
    /// Changes that would have been.
    pub(crate) noop: usize,
}

impl Events {
    pub(crate) fn add(&mut self, other: Self) {
        self.real += other.real;
        self.noop += other.noop;
    }

    pub(crate) fn is_none(self) -> bool {
        self.total() == 0
    }

    fn total(self) -> usize {
        self.real + self.noop
    }

    /// The single event that a container passes on for these.
    pub(crate) fn as_one(self) -> Self {
        match self {
            Self { real: 0, noop: 0 } => self,
            Self { real: 0, .. } => Self { real: 0, noop: 1 },
            _ => Self { real: 1, noop: 0 },
        }
    }
}

/// Whether the machine is changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    /// It is.
    Apply,
    /// Only observed, whatever resources declare.
    Plan,
}

/// The outcome of a batch for one resource.
pub(crate) enum BatchOutcome {
    /// A batch made its changes, as far as one transaction can.
    Begun {
        /// The differences.
        changes: Vec<Change>,
        /// The log lines of the comparison.
        log: Vec<LogLine>,
    },
    /// The transaction failed; why.
    Failed(String),
}

/// Runs resources one at a time; several may run at once.
pub(crate) struct Stepper<'a> {
    pub(crate) prepared: &'a Prepared,
    pub(crate) host: &'a Host,
    pub(crate) observer: &'a dyn Observer,
    pub(crate) mode: Mode,
    pub(crate) transfers: &'a Transfers,
    /// Whether failed resources are retried here, as they declare.
    pub(crate) tries_again: bool,
}

/// The reports of a resource and its generated ones, and the events that it passes on.
#[derive(Default)]
pub(crate) struct StepResult {
    pub(crate) reports: Vec<ResourceReport>,
    pub(crate) events: Events,
    pub(crate) failed: bool,
}

/// Reports the changes of a resource that is in noop mode.
fn report_noop(report: &mut ResourceReport, level: Level) {
    report.status = Status::WouldChange;
    for change in report.changes.clone() {
        let (is, should) = if is_secret(&change) {
            ("[redacted]".to_string(), "[redacted]".to_string())
        } else {
            (quoted(&change.before), quoted(&change.after))
        };
        let text = format!("current_value {is}, should be {should} (noop)");
        report.add_line(level, Some(&change.property), text);
    }
}

/// Reports changes of which each has its own outcome, and returns the events to pass on.
fn report_outcomes(
    report: &mut ResourceReport,
    level: Level,
    outcomes: Vec<ChangeOutcome>,
    done: Result<(), KindError>,
) -> Events {
    let mut made = 0;
    let mut has_failed = false;
    for ChangeOutcome { property, result } in outcomes {
        let change = report.changes.iter_mut().find(|change| change.property == property);
        match result {
            Ok(message) => {
                made += 1;
                if let Some(change) = change {
                    change.message.clone_from(&message);
                }
                report.add_line(level, Some(&property), message);
            }
            Err(error) => {
                has_failed = true;
                let values = change.map(|c| (quoted(&c.before), quoted(&c.after)));
                let text = match values {
                    Some((is, should)) => format!("change from {is} to {should} failed: {error}"),
                    None => error.to_string(),
                };
                report.give_up(&error, Some(&property), text);
            }
        }
    }
    match done {
        Err(error) if !has_failed => {
            report.give_up(&error, None, format!("Could not evaluate: {error}"));
        }
        Ok(()) if !has_failed => {
            report.status = Status::Changed;
            return Events { real: made, noop: 0 };
        }
        _ => {}
    }
    Events::default()
}

impl StepResult {
    /// The result of a resource that was not changed.
    pub(crate) fn unmoved(report: ResourceReport, failed: bool) -> Self {
        Self { reports: vec![report], events: Events::default(), failed }
    }
}

impl Stepper<'_> {
    pub(crate) fn blank(&self, id: ResourceId) -> ResourceReport {
        let resource = self.prepared.graph.resource(id);
        let path = self.prepared.path(id);
        blank(resource, path, None)
    }

    /// [`Stepper::run`], but a panic of a kind only fails its resource, so that dependents do not
    /// wait forever.
    pub(crate) fn run_guarded(
        &self,
        id: ResourceId,
        incoming: Events,
        batch_outcome: Option<BatchOutcome>,
    ) -> StepResult {
        let _current = self.prepared.enter(id);
        let run = AssertUnwindSafe(|| self.run(id, incoming, batch_outcome));
        std::panic::catch_unwind(run).unwrap_or_else(|_| {
            let mut report = self.blank(id);
            let name = &report.resource.kind;
            let text = format!("the engine broke off in kind {name}; this is a bug in Ordain");
            report.fail(text);
            StepResult::unmoved(report, true)
        })
    }

    /// Compares and applies a resource, unless a batch did, and then refreshes it if an event
    /// reached it.
    fn run(
        &self,
        id: ResourceId,
        incoming: Events,
        batch_outcome: Option<BatchOutcome>,
    ) -> StepResult {
        let start = Instant::now();
        let mut report = self.blank(id);
        let ready = match &self.prepared.items[id.0 as usize] {
            Item::Ready(ready) if self.is_due(ready, &report.resource) => ready,
            Item::Ready(_) | Item::Filtered => {
                report.status = Status::Filtered;
                return StepResult::unmoved(report, false);
            }
            Item::Bad(errors) => {
                report.fail_attributes(errors);
                return StepResult::unmoved(report, true);
            }
            Item::Container | Item::Virtual => return StepResult::default(),
        };
        if let Some(crash) = self.prepared.crash(id, ready) {
            let place = &crash.place;
            report.fail(format!("left out, since Ordain crashed in it before, at {place}"));
            return StepResult::unmoved(report, self.mode == Mode::Apply);
        }
        self.observer.started(&report.resource);
        #[cfg(debug_assertions)]
        current::panic_for_tests(&report.resource);
        let received = match self.receive(id, &mut report) {
            Ok(received) => received,
            Err(()) => return StepResult::unmoved(report, true),
        };
        let ready = received.as_ref().unwrap_or(ready);
        let evaluated = match self.evaluate(id, ready, &mut report) {
            Ok(evaluated) => evaluated,
            // An evaluation that fails in a plan may succeed once earlier resources are changed.
            Err(()) => return StepResult::unmoved(report, self.mode == Mode::Apply),
        };
        let ready = evaluated.as_ref().unwrap_or(ready);
        if !self.note_reversal(id, ready, &mut report) {
            return StepResult::unmoved(report, true);
        }
        let mut children = Vec::new();
        let events =
            self.act_and_refresh(id, ready, &mut report, incoming, batch_outcome, &mut children);
        if let Some(received) = &received
            && let Err(error) = self.transfers.keep(&report.resource, received, self.host)
        {
            report.fail(error.to_string());
        }
        self.forget_reversal(id, ready, &mut report);
        report.duration = start.elapsed();
        let mut reports = vec![report];
        reports.append(&mut children);
        let applied = self.mode == Mode::Apply;
        let failed = applied && reports.iter().any(ResourceReport::blocks_dependents);
        StepResult { reports, events, failed }
    }

    /// Makes the changes of a resource, runs its generated resources and refreshes it. Returns the
    /// events to pass on.
    fn act_and_refresh(
        &self,
        id: ResourceId,
        ready: &Ready,
        report: &mut ResourceReport,
        mut incoming: Events,
        batch_outcome: Option<BatchOutcome>,
        children: &mut Vec<ResourceReport>,
    ) -> Events {
        for remark in ready.instance.remarks(self.host) {
            report.add_line(Level::Warning, None, remark);
        }
        let seen = self.audit(ready, report);
        let mut events = self.converge_with_retries(ready, report, batch_outcome);
        if let Some(seen) = seen {
            seen.report_to(report, self.observer);
        }
        if ready.instance.refreshes_itself()
            && !report.changes.iter().any(|change| change.action == Action::Remove)
        {
            incoming.add(events);
        }
        if !report.blocks_dependents() {
            events.add(self.children(id, ready, report, children));
            if !children.is_empty() && ready.instance.is_container() {
                events = events.as_one();
            }
        }
        if !report.blocks_dependents() {
            events.add(self.refresh(ready, report, incoming));
        }
        events
    }

    /// The resource with its deferred values, if it has any.
    fn evaluate(
        &self,
        id: ResourceId,
        ready: &Ready,
        report: &mut ResourceReport,
    ) -> Result<Option<Ready>, ()> {
        if !ready.is_deferred {
            return Ok(None);
        }
        let resource = self.prepared.graph.resource(id);
        let is_plan = self.mode != Mode::Apply || self.is_noop(ready);
        let evaluated = self.prepared.evaluate(resource, is_plan, report);
        evaluated.map(Some).map_err(|errors| report.fail_attributes(&errors))
    }

    /// The current values of the audited properties.
    fn audit(&self, ready: &Ready, report: &mut ResourceReport) -> Option<AuditSnapshot> {
        let audit = ready.audit.as_ref().filter(|_| self.mode == Mode::Apply)?;
        match ready.instance.observed(self.host) {
            Ok(Some(values)) => Some(AuditSnapshot::new(audit, values, self.observer)),
            Ok(None) => {
                let text = "this kind does not support audit";
                report.add_line(Level::Warning, None, text);
                None
            }
            Err(error) => {
                report.add_line(Level::Warning, None, format!("Could not audit: {error}"));
                None
            }
        }
    }

    /// Whether the schedule of a resource allows a check now.
    fn is_due(&self, ready: &Ready, resource: &ResourceRef) -> bool {
        let Some(schedule) = &ready.schedule else { return true };
        let now = timestamp(SystemTime::now()).to_zoned(TimeZone::system());
        let due = schedule.allows(&now, self.observer.last_applied(resource));
        if due && self.mode == Mode::Apply {
            self.observer.applied(resource, now.timestamp());
        }
        due
    }

    /// Records the undo of a resource that wants it. Returns whether to continue.
    fn note_reversal(&self, id: ResourceId, ready: &Ready, report: &mut ResourceReport) -> bool {
        if self.is_noop(ready) {
            return true;
        }
        let resource = self.prepared.graph.resource(id);
        let noted = reversal::note(resource, &*ready.instance, self.host);
        noted.map_err(|error| report.fail(error.to_string())).is_ok()
    }

    /// Forgets that note when it was undone.
    fn forget_reversal(&self, id: ResourceId, ready: &Ready, report: &mut ResourceReport) {
        if self.is_noop(ready) || report.blocks_dependents() {
            return;
        }
        if let Err(error) = reversal::done(self.prepared.graph.resource(id), self.host) {
            report.fail(error.to_string());
        }
    }

    pub(crate) fn is_noop(&self, ready: &Ready) -> bool {
        ready.noop || self.mode == Mode::Plan
    }

    /// The resource with the values that it receives, if any.
    fn receive(&self, id: ResourceId, report: &mut ResourceReport) -> Result<Option<Ready>, ()> {
        match self.transfers.receive(self.prepared, id, self.host) {
            Ok(ReceivedValues { ready, missing }) => {
                for text in missing {
                    if self.mode == Mode::Apply {
                        report.fail(text);
                        return Err(());
                    }
                    report.add_line(Level::Info, None, text);
                }
                Ok(ready)
            }
            Err(errors) => {
                report.fail_attributes(&errors);
                Err(())
            }
        }
    }

    /// Converges, with the declared retries.
    fn converge_with_retries(
        &self,
        ready: &Ready,
        report: &mut ResourceReport,
        mut batch_outcome: Option<BatchOutcome>,
    ) -> Events {
        let mut tries = 0u32;
        loop {
            let batch_outcome = batch_outcome.take();
            let work = || self.converge(ready, report, batch_outcome);
            let events = deadline::within(ready.retry_policy.limit, work);
            let again = ready.retry_policy.retries.is_none_or(|most| tries < most);
            let failed = report.blocks_dependents() && self.mode == Mode::Apply;
            if !failed || !again || !self.tries_again || self.observer.stop() {
                return events;
            }
            if !interruption::pause(ready.retry_policy.delay) {
                return events;
            }
            tries = tries.saturating_add(1);
            report.status = Status::InPlace;
            report.changes.clear();
        }
    }

    /// The differences of a resource; a batch may have found them already.
    fn find_changes(
        &self,
        ready: &Ready,
        report: &mut ResourceReport,
        batch_outcome: Option<BatchOutcome>,
    ) -> Result<Vec<Change>, KindError> {
        let (changes, log) = match batch_outcome {
            Some(BatchOutcome::Begun { changes, log }) => (Ok(changes), log),
            Some(BatchOutcome::Failed(error)) => {
                report.add_line(Level::Info, None, error);
                (ready.instance.compare(self.host), ready.instance.take_log())
            }
            None => (ready.instance.compare(self.host), ready.instance.take_log()),
        };
        report.take(log, ready.level);
        changes
    }

    fn converge(
        &self,
        ready: &Ready,
        report: &mut ResourceReport,
        batch_outcome: Option<BatchOutcome>,
    ) -> Events {
        let is_begun = matches!(batch_outcome, Some(BatchOutcome::Begun { .. }));
        match self.find_changes(ready, report, batch_outcome) {
            Err(error) => {
                report.give_up(&error, None, not_evaluated(&error));
                return Events::default();
            }
            Ok(changes) => report.changes = changes,
        }
        let count = report.changes.len();
        if count == 0 {
            return match ready.instance.acts_always() && !self.is_noop(ready) {
                true => self.act_without_changes(ready, report),
                false => Events::default(),
            };
        }
        if self.is_noop(ready) {
            report_noop(report, ready.level);
            return Events { real: 0, noop: count };
        }
        let changes = std::mem::take(&mut report.changes);
        let done = if is_begun {
            self.complete(&report.resource, ready)
        } else {
            self.act(&report.resource, &changes, || ready.instance.apply(self.host, &changes))
        };
        report.take(ready.instance.take_log(), ready.level);
        report.changes = changes;
        let outcomes = ready.instance.take_outcomes();
        if !outcomes.is_empty() {
            return report_outcomes(report, ready.level, outcomes, done);
        }
        if let Err(error) = done {
            let Some(first) = report.changes.first() else { return Events::default() };
            let (before, after) = (quoted(&first.before), quoted(&first.after));
            let text = format!("change from {before} to {after} failed: {error}");
            let property = first.property.clone();
            report.give_up(&error, Some(&property), text);
            return Events::default();
        }
        report.status = Status::Changed;
        for change in report.changes.clone() {
            report.add_line(ready.level, Some(&change.property), change.message);
        }
        if ready.instance.is_verified() {
            self.verify(ready, report);
        }
        Events { real: count, noop: 0 }
    }

    /// Lets a resource act whose changes are known only afterwards.
    fn act_without_changes(&self, ready: &Ready, report: &mut ResourceReport) -> Events {
        let done = self.act(&report.resource, &[], || ready.instance.apply(self.host, &[]));
        report.take(ready.instance.take_log(), ready.level);
        let outcomes = ready.instance.take_outcomes();
        if !outcomes.is_empty() {
            return report_outcomes(report, ready.level, outcomes, done);
        }
        if let Err(error) = done {
            report.give_up(&error, None, not_evaluated(&error));
        }
        Events::default()
    }

    /// Makes the changes of a resource that its batch did not make.
    fn complete(&self, resource: &ResourceRef, ready: &Ready) -> Result<(), KindError> {
        let done = ready.instance.compare(self.host).and_then(|left| {
            drop(ready.instance.take_log());
            if left.is_empty() { Ok(()) } else { ready.instance.apply(self.host, &left) }
        });
        tools::note_change();
        self.observer.acted(resource, done.is_ok());
        done
    }

    fn act<T>(
        &self,
        resource: &ResourceRef,
        changes: &[Change],
        action: impl FnOnce() -> Result<T, KindError>,
    ) -> Result<T, KindError> {
        self.observer.acting(resource, changes).map_err(KindError::new)?;
        tools::note_change();
        let done = action();
        tools::note_change();
        self.observer.acted(resource, done.is_ok());
        done
    }

    /// Compares again after a change and warns about remaining differences.
    fn verify(&self, ready: &Ready, report: &mut ResourceReport) {
        if report.changes.iter().any(|c| c.action == Action::Run) {
            return;
        }
        let again = ready.instance.compare(self.host);
        // The second comparison would repeat the log lines of the first.
        drop(ready.instance.take_log());
        for change in again.unwrap_or_default() {
            let (is, should) = (quoted(&change.before), quoted(&change.after));
            let text = format!("is {is} and not {should} after it was changed");
            report.add_line(Level::Warning, Some(&change.property), text);
        }
    }

    /// Runs the generated resources of a resource; a failure of one is a failure of the resource.
    fn children(
        &self,
        id: ResourceId,
        ready: &Ready,
        parent: &mut ResourceReport,
        reports: &mut Vec<ResourceReport>,
    ) -> Events {
        let mut events = Events::default();
        let generated = ready.instance.generate(self.host);
        parent.take(ready.instance.take_log(), ready.level);
        let generated = match generated {
            Ok(generated) => generated,
            Err(error) => {
                parent.fail(format!("Could not evaluate: {error}"));
                return events;
            }
        };
        for resource in generated {
            let is_known = self.prepared.graph.find(&declared_name(&resource)).is_some();
            let is_of_other = ready.instance.generated_files().is_empty()
                && self.prepared.is_generated(&resource);
            if is_known || is_of_other {
                continue;
            }
            let start = Instant::now();
            let path = self.prepared.generated_path(id, &resource.id);
            let mut report = blank(&resource, path, Some(parent.resource.clone()));
            match self.prepared.parse(&resource) {
                Ok(mut child) => {
                    child.noop |= ready.noop;
                    events.add(self.converge(&child, &mut report, None));
                }
                Err(errors) => report.fail_attributes(&errors),
            }
            report.duration = start.elapsed();
            reports.push(report);
        }
        events
    }

    fn refresh(&self, ready: &Ready, report: &mut ResourceReport, incoming: Events) -> Events {
        let count = incoming.total();
        if count == 0 || !ready.instance.refreshable() {
            return Events::default();
        }
        if report.status == Status::Changed && ready.instance.is_fresh_after(&report.changes) {
            return Events::default();
        }
        let plural = if count == 1 { "" } else { "s" };
        report.refreshed = true;
        if self.is_noop(ready) || incoming.real == 0 {
            let text = format!("Would have triggered 'refresh' from {count} event{plural}");
            report.add_line(Level::Notice, None, text);
            if report.status == Status::InPlace {
                report.status = Status::WouldChange;
            }
            return Events { real: 0, noop: 1 };
        }
        let refresh = || ready.instance.refresh(self.host);
        let refresh = || deadline::within(ready.retry_policy.limit, refresh);
        let done = self.act(&report.resource, &[], refresh);
        report.take(ready.instance.take_log(), ready.level);
        match done {
            Ok(()) => {
                let text = format!("Triggered 'refresh' from {count} event{plural}");
                report.add_line(Level::Notice, None, text);
                report.status = Status::Changed;
                Events { real: 1, noop: 0 }
            }
            Err(error) => {
                report.give_up(&error, None, format!("Failed to call refresh: {error}"));
                Events::default()
            }
        }
    }
}

/// The line of the log for a resource that could not be observed, or wants to be skipped.
fn not_evaluated(error: &KindError) -> String {
    match error.is_skip() {
        true => error.to_string(),
        false => format!("Could not evaluate: {error}"),
    }
}

fn is_secret(change: &Change) -> bool {
    matches!((&change.before, &change.after), (Value::Secret(_), _) | (_, Value::Secret(_)))
}

pub(crate) fn blank(
    resource: &Resource,
    path: String,
    generated_by: Option<ResourceRef>,
) -> ResourceReport {
    ResourceReport {
        resource: resource.id.clone(),
        path,
        origin: resource.origin,
        generated_by,
        status: Status::InPlace,
        blocked_by: None,
        changes: Vec::new(),
        refreshed: false,
        lines: Vec::new(),
        duration: Default::default(),
    }
}
