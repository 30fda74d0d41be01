//! The schemas of the kinds of resources: names, attributes with their types, units, defaults and
//! forms, and how each language calls the kinds and their attributes.
//!
//! The crate contains only data: the engine and the front ends read kinds and attributes with it,
//! and the manual of the kinds is generated from it. It does not depend on machines, graphs or
//! evaluation.
//!
//! ```
//! let file = ordain_kinds::find("file").unwrap();
//! assert_eq!(file.name_attribute(), "path");
//! assert!(file.has_name("fs::File"));
//! ```

pub mod form;
pub mod language;
pub mod manual;
mod schema;
mod table;

use std::collections::BTreeMap;
use std::sync::LazyLock;

pub use form::{Form, ScalarType};
pub use language::{InmantaEntity, MclField, MclKind, PuppetType};
pub use schema::{AttributeSchema, AttributeType, KindSchema, Unit};
pub use table::{accounts, databases, files, firewall, graph, machine, modules, network, software};

fn applied() -> impl Iterator<Item = &'static KindSchema> {
    table::TABLES.iter().copied().flatten().copied()
}

/// All kinds that the engine applies, in order of their names.
pub fn all() -> Vec<&'static KindSchema> {
    let mut all: Vec<&KindSchema> = applied().collect();
    all.sort_by_key(|kind| kind.name);
    all
}

/// All kinds that some language knows, also those that the engine does not apply.
pub fn known() -> impl Iterator<Item = &'static KindSchema> {
    applied().chain(table::NOT_APPLIED.iter().copied().flatten().copied())
}

/// The applied kind of a name, in letters of any case.
pub fn find(name: &str) -> Option<&'static KindSchema> {
    applied().find(|kind| kind.name.eq_ignore_ascii_case(name))
}

/// The kinds of a name in Ordain or in any language, in letters of any case. The kind with this
/// name in Ordain is the first.
pub fn find_in_languages(name: &str) -> Vec<&'static KindSchema> {
    let mut found: Vec<&KindSchema> = known()
        .filter(|kind| kind.name.eq_ignore_ascii_case(name) || kind.has_name(name))
        .collect();
    found.sort_by_key(|kind| !kind.name.eq_ignore_ascii_case(name));
    found
}

/// All names of kinds, those that languages give them included.
pub fn names() -> impl Iterator<Item = &'static str> {
    known().flat_map(|kind| std::iter::once(kind.name).chain(kind.language_names()))
}

/// The kind that a type of Puppet is, by the name of the type in lower case.
pub fn of_puppet(name: &str) -> Option<(&'static KindSchema, PuppetType)> {
    static BY_NAME: LazyLock<BTreeMap<&str, (&KindSchema, PuppetType)>> = LazyLock::new(|| {
        known().filter_map(|kind| kind.puppet.map(|ty| (ty.name, (kind, ty)))).collect()
    });
    BY_NAME.get(name).copied()
}

/// The kind that an entity of Inmanta becomes, by the full name of the entity.
pub fn of_inmanta(name: &str) -> Option<(&'static KindSchema, &'static InmantaEntity)> {
    known().find_map(|kind| Some((kind, kind.inmanta.iter().find(|e| e.name == name)?)))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::language::DefaultValue;
    use super::*;

    #[test]
    fn names_are_unique() {
        let names: BTreeSet<&str> = all().iter().map(|kind| kind.name).collect();
        assert_eq!(names.len(), all().len());
        for kind in all() {
            let attributes: BTreeSet<&str> = kind.attributes.iter().map(|a| a.name).collect();
            assert_eq!(attributes.len(), kind.attributes.len(), "{}", kind.name);
            let own: Vec<&str> = kind.puppet_attributes().map(|a| a.name).collect();
            assert_eq!(own.iter().collect::<BTreeSet<_>>().len(), own.len(), "{}", kind.name);
        }
    }

    #[test]
    fn kinds_state_the_effect_of_another_root() {
        let silent: Vec<&str> =
            all().iter().filter(|kind| kind.in_root.is_empty()).map(|kind| kind.name).collect();
        assert!(silent.is_empty(), "add `.in_root(EFFECT)` to the schemas of {silent:?}");
    }

    #[test]
    fn names_in_a_language_are_unique() {
        let names = |of: fn(&KindSchema) -> Vec<&'static str>| {
            let all: Vec<&str> = known().flat_map(of).collect();
            assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
        };
        names(|kind| kind.puppet.iter().map(|ty| ty.name).collect());
        names(|kind| kind.mcl.iter().map(|kind| kind.name).collect());
        names(|kind| kind.inmanta.iter().map(|entity| entity.name).collect());
        names(|kind| vec![kind.name]);
    }

    /// The attributes that the engine reads for every kind.
    const OF_EVERY_KIND: [&str; 2] = ["provider", "noop"];

    #[test]
    fn languages_set_attributes_of_the_kind() {
        let mut wrong = Vec::new();
        for kind in known() {
            let knows = |name: &str| kind.attribute(name).is_some();
            let knows = |name: &str| knows(name) || OF_EVERY_KIND.contains(&name);
            for entity in kind.inmanta {
                let all = entity.attributes.iter().map(|(_, name)| name);
                let all = all.chain(entity.constants.iter().map(|(name, _)| name));
                wrong.extend(all.filter(|name| !knows(name)).map(|name| (entity.name, *name)));
            }
            for mcl in kind.mcl {
                let fields = mcl.fields_of(kind);
                let sets = fields.iter().filter_map(|field| field.attribute);
                wrong.extend(sets.filter(|name| !knows(name)).map(|name| (mcl.name, name)));
            }
            for own in kind.puppet.iter().flat_map(|ty| ty.own) {
                assert!(kind.attribute(own.name).is_none(), "{} {}", kind.name, own.name);
            }
        }
        assert!(wrong.is_empty(), "(kind, attribute it sets and does not have): {wrong:?}");
    }

    /// An attribute whose field in mcl has another type, default or words than the attribute is
    /// described twice.
    #[test]
    fn fields_of_mcl_agree_with_their_attributes() {
        let mut wrong = Vec::new();
        for kind in known() {
            for attribute in kind.attributes {
                let Some(field) = attribute.mcl_field() else { continue };
                let ty = match attribute.ty {
                    AttributeType::Any => field.ty,
                    AttributeType::Text | AttributeType::Bytes | AttributeType::Choice(_) => "str",
                    AttributeType::List => "[]str",
                    AttributeType::Boolean => "bool",
                    AttributeType::Integer => "int",
                    AttributeType::Number => "float",
                };
                let default = match field.default {
                    DefaultValue::Zero => None,
                    DefaultValue::Str(text) => Some(text.to_string()),
                    DefaultValue::Int(number) => Some(number.to_string()),
                    DefaultValue::Bool(truth) => Some(truth.to_string()),
                };
                let has_words = match attribute.ty {
                    AttributeType::Choice(words) => words == field.words,
                    _ => true,
                };
                let has_default = default.is_none() || default.as_deref() == attribute.default;
                if ty != field.ty || !has_default || !has_words {
                    wrong.push((kind.name, attribute.name));
                }
            }
        }
        assert_eq!(wrong, []);
    }

    #[test]
    fn kinds_are_found_by_the_names_of_languages() {
        let names = |name: &str| -> Vec<&str> {
            find_in_languages(name).iter().map(|kind| kind.name).collect()
        };
        assert_eq!(names("sysctl"), ["sysctl", "mgmt::sysctl"]);
        assert_eq!(names("fs::File"), ["file"]);
        assert_eq!(names("http:server:file"), ["mgmt::http::server::file"]);
        assert_eq!(names("schedule"), ["schedule", "mgmt::schedule"]);
        assert_eq!(names("augeas"), ["augeas", "mgmt::augeas"]);
        assert!(names("no_such_kind").is_empty());
    }

    #[test]
    fn a_kind_comes_after_kinds_that_exist() {
        for kind in all() {
            assert!(!kind.attributes.is_empty(), "{}", kind.name);
            for other in kind.comes_after {
                assert!(find(other).is_some(), "{} comes after {other}", kind.name);
            }
        }
    }

    #[test]
    fn defaults_are_values_of_their_types() {
        for kind in all() {
            for attribute in kind.attributes {
                let Some(default) = attribute.default else { continue };
                let fits = match attribute.ty {
                    AttributeType::Boolean => ["true", "false"].contains(&default),
                    AttributeType::Integer => default.parse::<i64>().is_ok(),
                    AttributeType::Number => default.parse::<f64>().is_ok(),
                    AttributeType::Choice(words) => words.contains(&default),
                    _ => true,
                };
                assert!(fits, "{} {}: {default}", kind.name, attribute.name);
            }
        }
    }
}
