//! The warning about a damaged store of exported resources.

use std::sync::Arc;

use ordain_source::Diagnostic;
use ordain_store::ExportStore;

use crate::codes;
use crate::reporter::Reporter;

/// Warns that the store of exported resources was damaged and set aside, and which data is lost.
pub fn report_damage(reporter: &mut dyn Reporter, store: Option<&Arc<ExportStore>>) {
    for damage in store.into_iter().flat_map(|store| store.take_damages()) {
        let text = format!(
            "the store of exported resources was unusable and is set aside: {}",
            damage.reason
        );
        let warning = Diagnostic::warning(codes::DAMAGED, text)
            .help(format!("it is in {} now; a new one was begun", damage.moved_to.display()))
            .help("the exports of nodes are lost until each node is compiled or applied again");
        reporter.message(warning);
    }
}
