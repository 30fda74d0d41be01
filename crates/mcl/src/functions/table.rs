//! The table of all functions and the search in it.

use std::sync::OnceLock;

use super::{Builtin, Call, Environment, Fault, Names, Outcome, Run, State};
use crate::types::FuncType;
use crate::value::Value;

struct Table {
    rows: Vec<Builtin>,
    names: Names,
}

fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut rows: Vec<Builtin> =
            FAMILIES.iter().flat_map(|family| family.iter().copied()).collect();
        rows.sort_by_key(|row| row.name);
        let names = rows.iter().enumerate().map(|(index, row)| (row.name, index)).collect();
        Table { rows, names }
    })
}

const FAMILIES: &[&[Builtin]] = &[
    super::collections::TABLE,
    super::convert::TABLE,
    super::datetime::TABLE,
    super::demo::TABLE,
    super::deploy::TABLE,
    super::encoding::TABLE,
    super::global::TABLE,
    super::golang::math::TABLE,
    super::golang::os::TABLE,
    super::golang::path::TABLE,
    super::golang::rand::TABLE,
    super::golang::strconv::TABLE,
    super::golang::strings::TABLE,
    super::iter::TABLE,
    super::math::TABLE,
    super::net::TABLE,
    super::operators::TABLE,
    super::os::TABLE,
    super::strings::TABLE,
    super::sys::TABLE,
    super::world::TABLE,
];

/// All functions in the order of their names.
pub fn all() -> &'static [Builtin] {
    &table().rows
}

/// A function by its name: `len`, `strings.split`, `golang/strings.index`.
pub fn find(name: &str) -> Option<&'static Builtin> {
    let table = table();
    table.names.get(name).and_then(|index| table.rows.get(*index))
}

/// The functions of a module by its import path, in the order of their names.
pub fn in_module(module: &str) -> impl Iterator<Item = &'static Builtin> {
    all().iter().filter(move |row| row.parts().0 == module)
}

/// Whether a module with this import path has functions.
pub fn is_module(module: &str) -> bool {
    in_module(module).next().is_some()
}

impl Builtin {
    /// Calls it outside of the function engine, without state and watches.
    ///
    /// # Errors
    /// Those of the function. Functions that iterate over items fail, because they need the engine.
    pub fn call(
        &self,
        args: &[&Value],
        signature: &FuncType,
        environment: &dyn Environment,
    ) -> Outcome {
        let Run::Values(run) = self.run else {
            return Err(Fault::fatal(format!("{} cannot be called here", self.name)));
        };
        let (mut state, mut watches) = (State::default(), Vec::new());
        let (state, watches) = (&mut state, &mut watches);
        let functions = all;
        run(&mut Call { args, signature, environment, functions, base: "", state, watches })
    }
}
