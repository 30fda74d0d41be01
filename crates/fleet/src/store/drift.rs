//! Differences between machines and their catalogs, from stored reports.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::Serialize;
use serde_json::{Value as Json, json};

use super::{NodeStore, StoredEvent, StoredNode, text};
use crate::error::FleetError;

/// The kind of a difference.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DriftState {
    /// The agent cannot establish the value.
    Fails,
    /// The agent found another value and only observed.
    Differs,
    /// The agent found another value and replaced it.
    Repaired,
}

/// An attribute that differs on a machine from its catalog, or did so.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Drift {
    /// The node.
    pub node: String,
    /// The resource, such as `File[/etc/motd]`.
    pub resource: String,
    /// The attribute, if the difference is one of an attribute.
    pub property: Option<String>,
    /// The kind of the difference.
    pub state: DriftState,
    /// When it was first found: for repairs the first one, else the first report without one between
    /// that lacks it. Times are in RFC 3339, in UTC.
    pub since: Option<String>,
    /// When it was last found.
    pub last: Option<String>,
    /// The number of reports that have it.
    pub count: usize,
    /// The last value that was found.
    pub found: Json,
    /// The value of the catalog.
    pub wanted: Json,
    /// The message of the last event.
    pub message: Option<String>,
    /// The file that declares the resource.
    pub file: Option<String>,
    /// The line there.
    pub line: Option<u64>,
    /// The places that gave the attribute its value, as `FILE:LINE`, if the code was compiled.
    pub set_by: Vec<String>,
}

/// The age of a report of a node.
#[derive(Clone, Copy)]
struct Age {
    /// The number of complete reports that are newer.
    newer: usize,
    /// Whether it is about all resources of the node. An agent that stays reports single resources,
    /// too, which says nothing about the others.
    is_complete: bool,
}

/// The ages of reports by id.
type Ages = HashMap<String, Age>;

impl NodeStore {
    /// The differences of these nodes that stored reports have, in the order of nodes and resources.
    /// With `since`, a time in RFC 3339, only those that were found after it.
    ///
    /// # Errors
    /// When the database fails.
    pub fn drift(
        &self,
        nodes: &[StoredNode],
        since: Option<&str>,
    ) -> Result<Vec<Drift>, FleetError> {
        let mut condition = json!([
            "or",
            ["=", "status", "noop"],
            ["=", "status", "failure"],
            ["=", "corrective_change", true]
        ]);
        if let [node] = nodes {
            condition = json!(["and", ["=", "certname", node.name], condition]);
        }
        let chosen: HashSet<&str> = nodes.iter().map(|node| node.name.as_str()).collect();
        let mut by_node: BTreeMap<String, Vec<StoredEvent>> = BTreeMap::new();
        for event in self.events(&condition)? {
            if chosen.contains(event.node.as_str()) {
                by_node.entry(event.node.clone()).or_default().push(event);
            }
        }
        let mut drift = Vec::new();
        for (node, events) in by_node {
            drift.extend(drift_of(&events, &self.ages(&node)?));
        }
        if let Some(since) = since {
            drift.retain(|one: &Drift| one.last.as_deref().is_some_and(|last| last >= since));
        }
        Ok(drift)
    }

    /// The ages of the reports of a node.
    fn ages(&self, node: &str) -> Result<Ages, FleetError> {
        let query = json!(["extract", ["hash", "metrics"], ["=", "certname", node]]).to_string();
        let order = json!([{ "field": "end_time", "order": "desc" }]).to_string();
        let rows = self.answer("/reports", &[("query", &query), ("order_by", &order)])?;
        let totals: Vec<Option<u64>> = rows.iter().map(total).collect();
        let most = totals.iter().flatten().max().copied().unwrap_or(0);
        let (mut ages, mut newer) = (Ages::new(), 0);
        for (row, total) in rows.iter().zip(totals) {
            let is_complete = total.is_none_or(|total| total >= most.div_ceil(2));
            ages.extend(text(row, "hash").map(|id| (id, Age { newer, is_complete })));
            newer += usize::from(is_complete);
        }
        Ok(ages)
    }
}

/// The number of resources of a report, by its metrics.
fn total(row: &super::Row) -> Option<u64> {
    let metrics = row.get("metrics")?.get("data")?.as_array()?;
    let is_total = |metric: &&Json| {
        let has = |key: &str, value: &str| metric.get(key).and_then(Json::as_str) == Some(value);
        has("category", "resources") && has("name", "total")
    };
    metrics.iter().find(is_total)?.get("value")?.as_u64()
}

/// The differences of a node. `events` are in the order of their times.
fn drift_of(events: &[StoredEvent], ages: &Ages) -> Vec<Drift> {
    let mut by_attribute: BTreeMap<(&str, Option<&str>), Vec<&StoredEvent>> = BTreeMap::new();
    for event in events {
        let key = (event.resource.as_str(), event.property.as_deref());
        by_attribute.entry(key).or_default().push(event);
    }
    let mut drift = Vec::new();
    for events in by_attribute.into_values() {
        let (repairs, open): (Vec<&StoredEvent>, Vec<&StoredEvent>) =
            events.into_iter().partition(|event| event.status == "success");
        drift.extend(one(&repairs, DriftState::Repaired));
        let streak = streak(&open, ages);
        let fails = streak.last().is_some_and(|last| last.status == "failure");
        let state = if fails { DriftState::Fails } else { DriftState::Differs };
        drift.extend(one(streak, state));
    }
    drift
}

/// The last events without a complete report between them, or after them, that lacks the difference.
fn streak<'e, 'a>(events: &'e [&'a StoredEvent], ages: &Ages) -> &'e [&'a StoredEvent] {
    // All newer complete reports have the difference.
    let mut complete = 0;
    let mut begin = events.len();
    for (at, event) in events.iter().enumerate().rev() {
        let Some(age) = ages.get(&event.report).filter(|age| age.newer <= complete) else { break };
        if age.is_complete {
            complete = age.newer + 1;
        }
        begin = at;
    }
    &events[begin..]
}

/// The difference that several events are about.
fn one(events: &[&StoredEvent], state: DriftState) -> Option<Drift> {
    let (first, last) = (events.first()?, events.last()?);
    let reports: HashSet<&str> = events.iter().map(|event| event.report.as_str()).collect();
    Some(Drift {
        node: last.node.clone(),
        resource: last.resource.clone(),
        property: last.property.clone(),
        state,
        since: first.time.clone(),
        last: last.time.clone(),
        count: reports.len(),
        found: last.old_value.clone(),
        wanted: last.new_value.clone(),
        message: last.message.clone(),
        file: last.file.clone(),
        line: last.line,
        set_by: Vec::new(),
    })
}
