//! Resource types of popular modules, for repositories that do not have these modules. The names of
//! their attributes are checked anyway.
//!
//! The compiler does not know these types, or only the attributes of one version of the module. If
//! the module is present, its own file is used.

use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet};

/// A line for each type: the module, the name of the type, its attributes in all versions of the module.
const TABLE: &str = include_str!("widespread.txt");

/// A resource type of a widespread module.
pub(super) struct ModuleResourceType {
    /// `author-module`
    pub(super) module: &'static str,
    /// Its attributes, metaparameters left out.
    pub(super) attributes: Vec<&'static str>,
}

static TYPES: LazyLock<FxHashMap<&'static str, ModuleResourceType>> = LazyLock::new(|| {
    let read = |line: &'static str| {
        let mut words = line.split(' ');
        let (module, name) = (words.next()?, words.next()?);
        Some((name, ModuleResourceType { module, attributes: words.collect() }))
    };
    TABLE.lines().filter_map(read).collect()
});

/// The names of the functions of puppetlabs-stdlib without a module in their name.
const FUNCTIONS: &str = include_str!("stdlib.txt");

static STDLIB: LazyLock<FxHashSet<&'static str>> = LazyLock::new(|| FUNCTIONS.lines().collect());

/// Whether a function is one of stdlib.
pub(super) fn is_function(name: &str) -> bool {
    STDLIB.contains(name)
}

/// The type of this name.
pub(super) fn find(name: &str) -> Option<&'static ModuleResourceType> {
    TYPES.get(name)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    #[expect(clippy::iter_over_hash_type, reason = "each is looked at by itself")]
    fn the_table_is_whole() {
        assert_eq!(TYPES.len(), TABLE.lines().count());
        let java_ks = find("java_ks").unwrap();
        assert_eq!(java_ks.module, "puppetlabs-java_ks");
        assert!(java_ks.attributes.contains(&"storetype"));
        for (name, kind) in TYPES.iter() {
            assert!(kind.module.contains('-'), "{name}");
            assert!(kind.attributes.contains(&"provider"), "{name}");
            assert!(ordain_puppet::schema::find(name).is_none_or(|t| !t.is_core()), "{name}");
        }
    }
}
