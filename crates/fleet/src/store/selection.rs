//! The nodes that a user chooses.

use std::collections::HashSet;

use ordain_fleet_store::{active_nodes, read};
use regex::Regex;
use serde_json::json;

use super::nodes::{NodeStatus, StoredNode};
use super::{NodeStore, Row, failed, text};
use crate::error::FleetError;
use crate::filter::{fact_condition, fact_text, pattern};
use crate::nodes::FleetNode;

/// Chooses nodes of a store. All conditions have to hold.
#[derive(Clone, Debug, Default)]
pub struct NodeSelection {
    /// A name, a pattern of names with `*`, a condition such as `facts.os.family = "Debian"`, or a
    /// whole query in PQL or AST whose rows have a `certname`.
    pub query: Option<String>,
    /// Facts as `PATH=VALUE`, such as `os.family=Debian`; `*` in the value stands for any characters.
    pub facts: Vec<String>,
    /// Resources that the catalog of the node has: type and title.
    pub resources: Vec<(String, String)>,
    /// The environment.
    pub environment: Option<String>,
    /// The status of the last report.
    pub status: Option<NodeStatus>,
    /// Whether deactivated and expired nodes are chosen, too.
    pub with_inactive: bool,
}

/// The meaning of the text of a query.
enum Query<'a> {
    Name(&'a str),
    Pattern(Regex),
    Rows(String),
}

impl<'a> Query<'a> {
    fn parse(query: &'a str) -> Result<Self, FleetError> {
        let text = query.trim();
        if text.starts_with('[') || text.contains('{') {
            return Ok(Self::Rows(text.to_owned()));
        }
        if text.contains(['=', '<', '>', '~', ' ']) {
            return Ok(Self::Rows(format!("inventory[certname] {{ {text} }}")));
        }
        match text.contains('*') {
            true => Ok(Self::Pattern(pattern(text)?)),
            false => Ok(Self::Name(text)),
        }
    }
}

impl NodeStore {
    /// The active nodes that have facts, without the facts; with a query, those that it chooses, as
    /// [`NodeSelection::query`] does. Workers of a queue in this database read the facts.
    ///
    /// # Errors
    /// When the database fails, has no nodes, or the query is wrong.
    pub fn nodes_with_facts(&self, query: Option<&str>) -> Result<Vec<FleetNode>, FleetError> {
        let names = read(&*self.database, None, active_nodes).map_err(failed)?;
        if names.is_empty() {
            return Err(FleetError::NoNodes("the store".to_owned()));
        }
        let nodes = names.iter().map(|name| FleetNode::stored(name)).collect();
        self.chosen(nodes, query)
    }

    /// The nodes that a query chooses.
    pub(crate) fn chosen(
        &self,
        mut nodes: Vec<FleetNode>,
        query: Option<&str>,
    ) -> Result<Vec<FleetNode>, FleetError> {
        if let Some(query) = query {
            let query = Some(query.to_owned());
            let chosen = self.nodes(&NodeSelection { query, ..NodeSelection::default() })?;
            let names: HashSet<&str> = chosen.iter().map(|node| node.name.as_str()).collect();
            nodes.retain(|node| names.contains(node.name.as_str()));
        }
        Ok(nodes)
    }

    /// The chosen nodes in the order of their names.
    ///
    /// # Errors
    /// When the database fails, the query is wrong, or there is no active node with
    /// a single chosen name.
    pub fn nodes(&self, selection: &NodeSelection) -> Result<Vec<StoredNode>, FleetError> {
        let state = if selection.with_inactive { "any" } else { "active" };
        let mut nodes = self.nodes_in_state(state)?;
        match selection.query.as_deref().map(Query::parse).transpose()? {
            None => {}
            Some(Query::Name(name)) => {
                let name = name.to_lowercase();
                nodes.retain(|node| node.name == name);
                if nodes.is_empty() {
                    return Err(FleetError::InactiveNode(self.node(&name)?.name));
                }
            }
            Some(Query::Pattern(pattern)) => nodes.retain(|node| pattern.is_match(&node.name)),
            Some(Query::Rows(query)) => {
                let rows = self.rows(&query)?;
                if rows.iter().any(|row| !row.contains_key("certname")) {
                    let text = "the rows of the query have no `certname`, such as those of \
                                `nodes[certname] { ... }`";
                    return Err(FleetError::Query(text.to_owned()));
                }
                retain(&mut nodes, &names_of(&rows));
            }
        }
        for fact in &selection.facts {
            let (path, value) = fact_condition(fact)?;
            let found = self.fact(path, selection.with_inactive)?;
            let found = found.into_iter().filter(|one| value.is_match(&fact_text(&one.value)));
            retain(&mut nodes, &found.map(|one| one.node).collect());
        }
        for (kind, title) in &selection.resources {
            let state = ["=", "node_state", state];
            let condition = json!(["and", state, ["=", "type", kind], ["=", "title", title]]);
            let query = json!(["from", "resources", ["extract", ["certname"], condition]]);
            retain(&mut nodes, &names_of(&self.ast_rows(&query)?));
        }
        if let Some(environment) = &selection.environment {
            nodes.retain(|node| node.environment.as_ref() == Some(environment));
        }
        if let Some(status) = selection.status {
            nodes.retain(|node| node.status == status);
        }
        Ok(nodes)
    }
}

fn names_of(rows: &[Row]) -> HashSet<String> {
    rows.iter().filter_map(|row| text(row, "certname")).collect()
}

fn retain(nodes: &mut Vec<StoredNode>, names: &HashSet<String>) {
    nodes.retain(|node| names.contains(&node.name));
}
