//! Names that are not checked, since they may be of a module that is not here.

use std::collections::{BTreeMap, BTreeSet};

use ecow::EcoString;
use ordain_source::{Diagnostic, Severity};

use super::index::Index;

const UNCHECKED_NAMES: &str = "puppet::unchecked-names";

/// The maximal number of names in the message.
const MAX_NAMED: usize = 8;

/// The names that were not checked, with the reasons.
#[derive(Default)]
pub(super) struct Unchecked {
    names: BTreeSet<EcoString>,
    /// Missing modules, with the modules that ask for them. The name of the repository is empty.
    reasons: BTreeMap<EcoString, BTreeSet<EcoString>>,
}

impl Unchecked {
    /// Adds the names of a file of a module.
    pub(super) fn add(&mut self, index: &Index, module: &EcoString, names: BTreeSet<EcoString>) {
        if names.is_empty() {
            return;
        }
        self.names.extend(names);
        if let Some(gone) = index.missing_for(module) {
            self.reasons.entry(gone.clone()).or_default().insert(module.clone());
        }
    }

    /// The finding about them, if there are any.
    pub(super) fn finding(self) -> Option<Diagnostic> {
        let count = self.names.len();
        if count == 0 {
            return None;
        }
        let reason = |(gone, asking): (&EcoString, &BTreeSet<EcoString>)| match asking.first() {
            Some(only) if asking.len() == 1 && !only.is_empty() => format!("`{gone}` of `{only}`"),
            _ => format!("`{gone}`"),
        };
        let names = listed(self.names.iter().map(|name| format!("`{name}`")), count);
        let reasons = listed(self.reasons.iter().map(reason), self.reasons.len());
        let (verb, plural) = if count == 1 { ("was", "") } else { ("were", "s") };
        let why = match self.reasons.len() {
            0 => "a directory of the module path is not here".to_owned(),
            1 => format!("a module is not here: {reasons}"),
            _ => format!("modules are not here: {reasons}"),
        };
        let message = format!("{count} name{plural} {verb} not checked, as {why}");
        let found = Diagnostic::new(Severity::Note, UNCHECKED_NAMES, message);
        Some(found.help(format!("not checked: {names}")))
    }
}

fn listed(items: impl Iterator<Item = String>, count: usize) -> String {
    let items: Vec<String> = items.take(MAX_NAMED).collect();
    let more =
        if count > MAX_NAMED { format!(" and {} more", count - MAX_NAMED) } else { "".into() };
    format!("{}{more}", items.join(", "))
}
