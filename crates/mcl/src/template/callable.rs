//! The functions of mcl that templates may call.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use crate::functions::{AllFunctions, Builtin, Run, Shape};

/// The functions of mcl by their names in templates: all that take plain values and do not stream.
fn callable(functions: AllFunctions) -> &'static FxHashMap<String, &'static Builtin> {
    static FUNCTIONS: OnceLock<FxHashMap<String, &'static Builtin>> = OnceLock::new();
    FUNCTIONS.get_or_init(|| {
        let rows = functions().iter().filter(|row| is_callable(row));
        rows.map(|row| (name_in_templates(row.name), row)).collect()
    })
}

fn is_callable(row: &Builtin) -> bool {
    let is_plain = row.shape == Shape::Fixed && matches!(row.run, Run::Values(_));
    let of_this_module = ["deploy.", "local.", "random1"];
    let is_bound = of_this_module.iter().any(|name| row.name.starts_with(name))
        && !matches!(row.name, "deploy.binary_path" | "deploy.bootstrap_packages");
    is_plain && !row.is_streaming && !row.is_internal() && !is_bound && row.signature().is_known()
}

fn name_in_templates(name: &str) -> String {
    let changed = name.replace(['.', '/'], "_");
    if changed == name { format!("_{name}") } else { changed }
}

/// A function of mcl by its name in templates.
pub(super) fn find(functions: AllFunctions, name: &str) -> Option<&'static Builtin> {
    callable(functions).get(name).copied()
}
