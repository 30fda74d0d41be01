//! The settings of a compile.

use crate::state::budget;
use crate::state::used::UsedCode;
use crate::value::Value;
use ecow::EcoString;
use ordain_graph::exports::Exports;
use ordain_graph::fleet::FleetQueries;
use ordain_graph::language::Strict;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The treatment of deferred values when a catalog is finished.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Deferral {
    /// They stay; the program that applies the catalog resolves them.
    #[default]
    Keep,
    /// They are resolved: the catalog is for this machine.
    Resolve,
    /// They stay in the catalog, and the compile also returns them as a list.
    Hand,
}

/// The settings of a compile.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The severity of questionable code.
    pub strict: Strict,
    /// Whether an unknown variable is an error.
    pub strict_variables: bool,
    /// Whether facts have their old flat names as variables, too.
    pub include_legacy_facts: bool,
    /// The maximal number of steps of a compile.
    pub max_steps: u64,
    /// The maximal number of resources of a catalog.
    pub max_resources: usize,
    /// Whether the code of resource types sees the catalog at the end, as where it is applied.
    pub examine_types: bool,
    /// Whether the graph has the origin of each attribute and the values that it replaced. Output
    /// forms that only need the origins of resources and relationships are made faster without
    /// this, in half the memory.
    pub has_history: bool,
    /// The treatment of deferred values at the end.
    pub deferral: Deferral,
    /// The kinds that the applying program implements natively. Their types in Ruby can refuse
    /// values and add autorequires. Their conversions are ignored, because a value would be
    /// converted twice.
    pub native_kinds: BTreeSet<EcoString>,
    /// Whether only the types in Ruby of `native_kinds` see the catalog: whoever applies it runs the
    /// code of the other types then.
    pub examines_native_only: bool,
    /// The resources that nodes export for each other; without it nothing is exported or collected.
    pub exports: Option<Arc<dyn Exports>>,
    /// The database that `puppetdb_query` asks; without it the function fails.
    pub queries: Option<Arc<dyn FleetQueries>>,
    /// Collects the branches and keys of data that the compile uses, for coverage.
    pub used: Option<UsedCode>,
    /// Further settings that manifests read as `$settings::name`.
    pub values: BTreeMap<String, Value>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            strict: Strict::Error,
            strict_variables: true,
            include_legacy_facts: false,
            max_steps: ordain_source::budget::scaled(budget::MAX_STEPS),
            max_resources: ordain_source::budget::scaled_size(budget::MAX_RESOURCES),
            examine_types: false,
            has_history: true,
            deferral: Deferral::Keep,
            native_kinds: BTreeSet::new(),
            examines_native_only: false,
            exports: None,
            queries: None,
            used: None,
            values: BTreeMap::new(),
        }
    }
}
