//! The node of a compile.

use crate::value::Value;
use ecow::EcoString;

/// The node of a compile, as the caller describes it.
#[derive(Clone, Debug, Default)]
pub struct Node {
    /// Its name.
    pub name: EcoString,
    /// Its facts, a hash.
    pub facts: Value,
    /// `$trusted`, a hash; made from the name if `undef`.
    pub trusted: Value,
    /// `$server_facts`, a hash.
    pub server_facts: Value,
    /// Parameters of a node classifier: variables at the top.
    pub parameters: Vec<(EcoString, Value)>,
    /// Classes of a node classifier with their parameters, a hash or `undef`.
    pub classes: Vec<(EcoString, Value)>,
}

/// The class whose variables are the settings.
pub(crate) const SETTINGS: &str = "settings";
