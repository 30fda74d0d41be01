//! One fact of all nodes.

use serde::Serialize;
use serde_json::{Value as Json, json};

use super::{NodeStore, text};
use crate::error::FleetError;

/// The value of a fact on a node.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FactOfNode {
    /// The node.
    pub node: String,
    /// The value.
    pub value: Json,
}

impl NodeStore {
    /// A fact, such as `os.family` or `disks[0].size`, of all active nodes that have it, or also of
    /// those that are not active, in the order of their names.
    ///
    /// # Errors
    /// When the database fails, or the path is malformed.
    pub fn fact(&self, path: &str, with_inactive: bool) -> Result<Vec<FactOfNode>, FleetError> {
        let field = format!("facts.{path}");
        let state = ["=", "node_state", if with_inactive { "any" } else { "active" }];
        let query = json!(["from", "inventory", ["extract", ["certname", field], state]]);
        let rows = self.ast_rows(&query)?;
        let fact = |mut row: super::Row| {
            let node = text(&row, "certname")?;
            let value = row.remove(&field).filter(|value| !value.is_null())?;
            Some(FactOfNode { node, value })
        };
        let mut facts: Vec<FactOfNode> = rows.into_iter().filter_map(fact).collect();
        facts.sort_by(|a, b| a.node.cmp(&b.node));
        Ok(facts)
    }
}
