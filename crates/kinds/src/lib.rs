//! The schemas of the kinds of resources that the engine applies: names, attributes with their
//! types, units and defaults, and the names that languages give to the kinds.
//!
//! The crate is data only: the engine reads its attributes by it, front ends compare their own
//! tables with it, and the manual of the kinds is written from it. It knows nothing of machines,
//! graphs and languages.
//!
//! ```
//! let file = ordain_kinds::find("file").unwrap();
//! assert_eq!(file.name_attribute(), "path");
//! assert_eq!(file.puppet, Some("file"));
//! ```

pub mod manual;
mod schema;
mod table;

pub use schema::{AttributeSchema, AttributeType, KindSchema, Unit};
pub use table::{accounts, files, graph, machine, network, software};

/// All kinds, in order of their names.
pub fn all() -> Vec<&'static KindSchema> {
    let mut all: Vec<&KindSchema> = table::TABLES.iter().copied().flatten().copied().collect();
    all.sort_by_key(|kind| kind.name);
    all
}

/// The kind of a name, in letters of any case.
pub fn find(name: &str) -> Option<&'static KindSchema> {
    let mut kinds = table::TABLES.iter().copied().flatten();
    kinds.find(|kind| kind.name.eq_ignore_ascii_case(name)).copied()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_unique() {
        let names: BTreeSet<&str> = all().iter().map(|kind| kind.name).collect();
        assert_eq!(names.len(), all().len());
        for kind in all() {
            let attributes: BTreeSet<&str> = kind.attributes.iter().map(|a| a.name).collect();
            assert_eq!(attributes.len(), kind.attributes.len(), "{}", kind.name);
        }
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
