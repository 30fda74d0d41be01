//! The plugin functions of the module `std`, built in.
//!
//! Each family has a file with a table of functions. An entry has the name, the parameters, the
//! type of the result and the function. A parameter is written as in the model language, `name:
//! type = default`. With `&` before the type, it accepts references, too.

mod addresses;
mod entry;
mod environment;
mod files;
mod format;
mod json;
mod lists;
mod objects;
mod output;
mod python;
mod references;
mod text;
mod validate;

use crate::model::plugin::Native;

use entry::Entry;
pub(crate) use json::write_text;
pub use python::{python_repr, python_text};
pub use validate::{Validation, validate};

/// All plugins of the module `std`.
pub fn std_plugins() -> Vec<Native> {
    let tables: [(&[Entry], bool); 11] = [
        (output::TABLE, false),
        (text::TABLE, false),
        (lists::TABLE, false),
        (json::TABLE, false),
        (objects::TABLE, false),
        (environment::TABLE, true),
        (files::TABLE, true),
        (addresses::TABLE, false),
        (references::TABLE, false),
        (validate::TABLE, true),
        (format::TABLE, false),
    ];
    let of_table = |(table, touches): (&'static [Entry], bool)| {
        table.iter().map(move |entry| entry.native(touches))
    };
    tables.into_iter().flat_map(of_table).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_plugin_has_a_signature() {
        let all = std_plugins();
        assert_eq!(all.len(), 67);
        let limit = all.iter().find(|plugin| plugin.signature.name == "std::limit");
        let params = limit.map(|plugin| plugin.signature.params.len());
        assert_eq!(params, Some(2));
    }
}
