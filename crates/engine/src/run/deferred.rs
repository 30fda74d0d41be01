//! Values that are computed during a run, just before their resource is checked.

use ecow::EcoString;
use ordain_data::Value;
use ordain_graph::ResourceRef;

use crate::kind::Level;
use crate::kind::params::{reveal, scalar_text};

/// The maximum depth of nested values.
const MAX_DEPTH: usize = 200;

/// Computes deferred values.
pub trait Deferred: Send + Sync {
    /// The current values of the deferred attributes of a resource.
    fn evaluate(&self, resource: &ResourceRef) -> DeferredValues;
}

/// The values of the deferred attributes of a resource.
#[derive(Clone, Debug, Default)]
pub struct DeferredValues {
    /// The value of each attribute, or its error.
    pub values: Vec<(EcoString, Result<Value, String>)>,
    /// Log lines of the computation.
    pub log: Vec<(Level, String)>,
}

/// Computes nothing, for graphs that are only displayed.
pub(crate) struct NoDeferredValues;

impl Deferred for NoDeferredValues {
    fn evaluate(&self, _resource: &ResourceRef) -> DeferredValues {
        DeferredValues::default()
    }
}

/// Whether a value is or contains a deferred call.
pub fn holds_deferred(value: &Value) -> bool {
    function_of(value).is_some()
}

/// The function of the first deferred call in a value.
pub(crate) fn function_of(value: &Value) -> Option<String> {
    function_within(value, MAX_DEPTH)
}

fn function_within(value: &Value, depth: usize) -> Option<String> {
    let depth = depth.checked_sub(1)?;
    let inner = |value: &Value| function_within(value, depth);
    match reveal(value).0 {
        Value::List(items) => items.iter().find_map(inner),
        map @ Value::Map(entries) => {
            if map.get("__ptype").and_then(Value::as_str) == Some("Deferred") {
                return map.get("name").and_then(scalar_text);
            }
            entries.values().find_map(inner)
        }
        _ => None,
    }
}
