//! Types of the language in other formats, and types from other formats in the language.
//!
//! All modules work on the plain model of a type ([`ordain_puppet::types::models`]), so that
//! readers and writers are independent of each other:
//!
//! - [`to_ecore`] and [`from_ecore`]: Ecore models; annotations have the parts that Ecore cannot
//!   express
//! - [`schema`]: JSON Schema for documents with instances
//! - [`logic`]: the code of types in a separate document
//! - [`generated`]: the output of `ordain types generate`
//! - [`migrate`]: resource types in Ruby

pub mod aliases;
mod default;
pub mod from_ecore;
pub mod generated;
pub mod logic;
pub mod migrate;
pub mod schema;
pub mod to_ecore;

use rustc_hash::FxHashMap;

use ordain_puppet::types::models::{Feature, Logic, TypeModel};

/// The annotations in Ecore models that are ours.
pub const ANNOTATION: &str = "puppet";
/// The beginning of the URIs of our packages; the namespace follows after a slash.
pub const TYPES_URI: &str = "http://ordain/types";
/// The package of types without a namespace.
const GLOBAL_PACKAGE: &str = "types";

/// The type without places in files, for comparisons.
pub fn without_places(model: &TypeModel) -> TypeModel {
    let logic = |logic: &Option<Logic>| logic.as_ref().map(|one| Logic::new(one.source.clone()));
    let mut out = TypeModel { span: None, ..model.clone() };
    for feature in &mut out.features {
        feature.span = None;
        feature.check = logic(&feature.check);
        feature.derived = logic(&feature.derived);
        feature.set = logic(&feature.set);
        feature.get = logic(&feature.get);
    }
    for invariant in &mut out.invariants {
        invariant.logic.span = None;
    }
    for function in &mut out.functions {
        (function.span, function.logic.span) = (None, None);
    }
    out
}

/// Types by their names.
pub(crate) type ByName<'m> = FxHashMap<&'m str, &'m TypeModel>;

pub(crate) fn by_name(models: &[TypeModel]) -> ByName<'_> {
    models.iter().map(|model| (model.name.as_str(), model)).collect()
}

/// A type and its ancestors, the type itself last. A cycle ends where it closes.
pub(crate) fn chain<'m>(model: &'m TypeModel, all: &ByName<'m>) -> Vec<&'m TypeModel> {
    let mut out = vec![model];
    let mut seen = rustc_hash::FxHashSet::from_iter([model.name.as_str()]);
    let mut at = model;
    while let Some(parent) = at.parent.as_deref().and_then(|name| all.get(name)) {
        if !seen.insert(parent.name.as_str()) {
            break;
        }
        out.push(parent);
        at = parent;
    }
    out.reverse();
    out
}

/// All features of a type, inherited ones first.
pub(crate) fn all_features<'m>(model: &'m TypeModel, all: &ByName<'m>) -> Vec<&'m Feature> {
    chain(model, all).into_iter().flat_map(|one| &one.features).collect()
}

/// The code of a feature with the names of its settings.
pub(crate) fn codes(feature: &Feature) -> [(&'static str, Option<&Logic>); 4] {
    [
        ("check", feature.check.as_ref()),
        ("derived", feature.derived.as_ref()),
        ("set", feature.set.as_ref()),
        ("get", feature.get.as_ref()),
    ]
}
