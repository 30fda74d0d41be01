//! Static checks of manifests, templates and the data of Hiera, one file at a time and all files of a
//! repository together.

pub(crate) mod files;
mod lint;
mod model_lint;
pub(crate) mod repository;

use std::sync::Arc;

use ordain_graph::language::CheckReport;
use ordain_puppet::syntax::Program;
use ordain_source::TextRange;

pub use lint::lint;
pub use repository::{InstalledModules, RepositoryState, known_facts};

/// The tree of a manifest or template that was checked; `None` for data.
pub fn program(report: &CheckReport) -> Option<&Arc<Program>> {
    match repository::Unit::of(report)? {
        repository::Unit::Program(unit) => Some(&unit.program),
        _ => None,
    }
}

/// A key of a data file.
pub struct DataKey<'a> {
    /// The key.
    pub name: &'a str,
    /// The range of the key.
    pub range: TextRange,
    /// The range of its value.
    pub value: TextRange,
}

/// The keys of a data file that was checked; none for other files and unreadable data.
pub fn data_keys(report: &CheckReport) -> Vec<DataKey<'_>> {
    let Some(repository::Unit::Data(data)) = repository::Unit::of(report) else {
        return Vec::new();
    };
    let entries = data.entries.iter();
    entries.map(|e| DataKey { name: &e.key, range: e.at, value: e.value_at }).collect()
}
