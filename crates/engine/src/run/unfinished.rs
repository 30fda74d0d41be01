//! Steps of earlier, unfinished runs.

use std::collections::BTreeMap;
use std::path::Path;

use ordain_graph::{ResourceId, ResourceRef};

use crate::run::prepare::{Item, Prepared};
use crate::system::host::Host;

/// The resources of such runs, by name. Events are reported in the order of their time.
#[derive(Clone, Default, Debug)]
pub struct UnfinishedRuns {
    in_progress: Vec<String>,
    /// Resources with the time of their last change.
    changed: BTreeMap<String, u64>,
    /// Resources with the time when they acted on a notification.
    told: BTreeMap<String, u64>,
    /// Counts events.
    moment: u64,
}

impl UnfinishedRuns {
    /// Records that a change was begun, and may have been made in part or completely.
    pub fn in_progress(&mut self, resource: &str) {
        self.in_progress.push(resource.to_string());
        self.changed(resource);
    }

    /// Records that a resource was changed, but its notifications may not have been sent.
    pub fn changed(&mut self, resource: &str) {
        self.moment += 1;
        self.changed.insert(resource.to_string(), self.moment);
    }

    /// Records that a resource acted on all its notifications.
    pub fn notified(&mut self, resource: &str) {
        self.moment += 1;
        self.told.insert(resource.to_string(), self.moment);
    }

    /// Whether a resource acted on a notification after that time.
    pub(crate) fn was_notified(&self, resource: &ResourceRef, since: u64) -> bool {
        let told = || self.told.get(&resource.to_string());
        !self.told.is_empty() && told().is_some_and(|moment| *moment > since)
    }

    /// The changed declared resources, with the time of the last change. Changes of generated
    /// resources count for their generator.
    pub(crate) fn unnotified_changes(&self, prepared: &Prepared) -> BTreeMap<ResourceId, u64> {
        let mut unnotified_changes = BTreeMap::new();
        for (name, moment) in &self.changed {
            if let Some(id) = find(prepared, name) {
                let last: &mut u64 = unnotified_changes.entry(id).or_default();
                *last = (*last).max(*moment);
            }
        }
        unnotified_changes
    }

    /// Removes leftovers of interrupted changes. Leftovers that cannot be removed are harmless.
    pub(crate) fn clear(&self, prepared: &Prepared, host: &Host) {
        for id in self.in_progress.iter().filter_map(|name| find(prepared, name)) {
            if let Item::Ready(ready) = &prepared.items[id.0 as usize] {
                let _ = ready.instance.recover(host);
            }
        }
    }
}

/// A declared resource; for an undeclared file, the declared directory around it.
fn find(prepared: &Prepared, name: &str) -> Option<ResourceId> {
    let (kind, title) = name.strip_suffix(']')?.split_once('[')?;
    let named =
        |title: &str| prepared.graph.find(&ResourceRef { kind: kind.into(), title: title.into() });
    let around = || Path::new(title).ancestors().skip(1).filter(|_| kind == "File");
    named(title).or_else(|| around().find_map(|path| named(path.to_str()?)))
}
