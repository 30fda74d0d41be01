//! Resources that are changed in one transaction, such as packages: mgmt's autogrouping.
//!
//! A batch consists of resources that are all due, so that their edges do not matter. Each is
//! compared and reported by itself. If the transaction fails or makes only some changes, each
//! resource makes the rest alone, so that errors belong to the right resource.

use std::panic::AssertUnwindSafe;

use ordain_data::Value;
use ordain_graph::ResourceId;
use ordain_graph::transfer::transfers;
use rustc_hash::FxHashMap;

use crate::kind::tools;
use crate::kind::{BatchCommand, Change, LogLine};
use crate::run::prepare::{Item, Prepared, Ready};
use crate::run::step::{BatchOutcome, Events, Mode, StepResult, Stepper};
use crate::system::host::Host;

/// The maximum number of resources in one transaction, which bounds the command line.
pub(crate) const MAX_MEMBERS: usize = 1000;

/// A resource that takes part in a transaction.
struct BatchMember<'a> {
    place: usize,
    id: ResourceId,
    ready: &'a Ready,
    changes: Vec<Change>,
    log: Vec<LogLine>,
    own: String,
}

impl Prepared {
    /// The group of a resource that may be changed together with others.
    pub(crate) fn group(&self, id: ResourceId, host: &Host) -> Option<&'static str> {
        let Item::Ready(ready) = &self.items[id.0 as usize] else { return None };
        let group = ready.instance.group(host)?;
        let resource = self.graph.resource(id);
        let alone = ready.noop
            || ready.is_deferred
            || !self.options().autogroup
            || ready.schedule.is_some()
            || ready.retry_policy.limit.is_some()
            || resource.value("meta:autogroup") == Some(&Value::Bool(false))
            || transfers(resource).next().is_some();
        (!alone).then_some(group)
    }
}

impl Stepper<'_> {
    /// The group of a resource that may be changed together with others.
    pub(crate) fn group(&self, id: ResourceId) -> Option<&'static str> {
        if self.mode == Mode::Plan { None } else { self.prepared.group(id, self.host) }
    }

    /// Runs due resources of one group and returns the result of each.
    pub(crate) fn run_batch(&self, members: &[(ResourceId, Events)]) -> Vec<StepResult> {
        let mut batch_outcome = FxHashMap::default();
        for (id, _) in members {
            if let Item::Ready(ready) = &self.prepared.items[id.0 as usize] {
                ready.instance.expect_comparison(self.host);
            }
        }
        if members.len() > 1 && !self.observer.stop() {
            let ids: Vec<ResourceId> = members.iter().map(|(id, _)| *id).collect();
            let begin = AssertUnwindSafe(|| self.begin(&ids));
            // A kind that panics here panics again when its resource is applied alone, and is then
            // named.
            batch_outcome = std::panic::catch_unwind(begin).unwrap_or_default();
        }
        let each = members.iter().enumerate();
        each.map(|(i, &(id, incoming))| self.run_guarded(id, incoming, batch_outcome.remove(&i)))
            .collect()
    }

    /// Makes the changes that one transaction can make.
    fn begin(&self, members: &[ResourceId]) -> FxHashMap<usize, BatchOutcome> {
        let mut transactions: Vec<(Vec<String>, Vec<BatchMember<'_>>)> = Vec::new();
        let mut known: FxHashMap<Vec<String>, usize> = FxHashMap::default();
        for (place, &id) in members.iter().enumerate() {
            let Some((common, part)) = self.part(place, id) else { continue };
            let at = *known.entry(common).or_insert_with_key(|common| {
                transactions.push((common.clone(), Vec::new()));
                transactions.len() - 1
            });
            transactions[at].1.push(part);
        }
        let mut batch_outcome = FxHashMap::default();
        for (common, parts) in transactions {
            if parts.len() > 1 {
                self.transact(&common, parts, &mut batch_outcome);
            }
        }
        batch_outcome
    }

    /// The part of a resource in the command of a transaction, if it differs and can take part.
    fn part(&self, place: usize, id: ResourceId) -> Option<(Vec<String>, BatchMember<'_>)> {
        let Item::Ready(ready) = &self.prepared.items[id.0 as usize] else { return None };
        if ready.instance.is_changed_alone() || self.prepared.crash(id, ready).is_some() {
            return None;
        }
        let _current = self.prepared.enter(id);
        let compared = ready.instance.compare(self.host);
        let log = ready.instance.take_log();
        // An error is reported when the resource has its turn.
        let changes = compared.ok().filter(|changes| !changes.is_empty())?;
        let BatchCommand { common, own } =
            ready.instance.batch_command(self.host, &changes).ok()??;
        Some((common, BatchMember { place, id, ready, changes, log, own }))
    }

    fn transact(
        &self,
        common: &[String],
        parts: Vec<BatchMember<'_>>,
        batch_outcome: &mut FxHashMap<usize, BatchOutcome>,
    ) {
        let name = |part: &BatchMember<'_>| &self.prepared.graph.resource(part.id).id;
        // A resource that cannot be recorded is applied alone, and fails there.
        let noted =
            |part: &BatchMember<'_>| self.observer.acting(name(part), &part.changes).is_ok();
        let parts: Vec<BatchMember<'_>> = parts.into_iter().filter(noted).collect();
        let own: Vec<&str> = parts.iter().map(|part| part.own.as_str()).collect();
        let Some(first) = parts.first() else { return };
        let _current = self.prepared.enter(first.id);
        tools::note_change();
        let done = first.ready.instance.transact(self.host, common, &own);
        tools::note_change();
        let count = parts.len();
        for part in parts {
            let outcome = match &done {
                Ok(()) => BatchOutcome::Begun { changes: part.changes, log: part.log },
                Err(error) => {
                    self.observer.acted(name(&part), false);
                    BatchOutcome::Failed(format!("{count} could not be changed together: {error}"))
                }
            };
            batch_outcome.insert(part.place, outcome);
        }
    }
}
