//! Semaphores: limits on the number of resources that are checked at the same time.

use std::collections::BTreeMap;

/// All semaphores that were ever used, with the number of taken units.
#[derive(Debug, Default)]
pub(super) struct Semaphores(BTreeMap<String, (u32, u32)>);

impl Semaphores {
    /// Takes one unit of each, or none if one is exhausted.
    pub(super) fn take(&mut self, names: &[(String, u32)]) -> bool {
        for (at, (name, size)) in names.iter().enumerate() {
            let (known, taken) = self.0.entry(name.clone()).or_insert((*size, 0));
            *known = *size;
            if *taken >= *known {
                self.give(&names[..at]);
                return false;
            }
            *taken += 1;
        }
        true
    }

    /// Releases the semaphores.
    pub(super) fn give(&mut self, names: &[(String, u32)]) {
        for (name, _) in names {
            if let Some((_, taken)) = self.0.get_mut(name) {
                *taken = taken.saturating_sub(1);
            }
        }
    }
}
