//! A node: its state, facts and reports.

use ordain_fleet_store::{Connection, FleetStoreError, Value, facts_of};
use serde_json::{Value as Json, json};

use super::nodes;
use super::page::{
    Page, Sql, columns, count, json_flag, json_hex, json_text, json_time, missing_node,
};
use crate::document::{Document, Table};
use crate::error::ExplorerError;
use crate::facts::facts_document;
use crate::role::Role;

impl Page<'_> {
    /// `nodes/NAME`: the state of a node.
    pub(super) fn node(
        &self,
        connection: &mut dyn Connection,
        name: &str,
    ) -> Result<Document, ExplorerError> {
        let id = self.node_id(connection, name)?;
        let mut sql = nodes::select();
        sql.text(" WHERE n.id = ").bind(id);
        let row = connection.row(&sql.text, &sql.values)?.ok_or_else(|| missing_node(name))?;
        let names = nodes::COLUMNS.iter().map(|name| (*name).to_owned());
        let mut node: Json = names.zip(nodes::row(&row)?).collect::<serde_json::Map<_, _>>().into();
        let mut sql = Sql::new("SELECT revision, pinned, actor FROM pins WHERE certname = ");
        sql.bind(name);
        if let Some(row) = connection.row(&sql.text, &sql.values)? {
            let [revision, pinned, actor] = &row[..] else { return Err(columns(3).into()) };
            node["pin"] = json!({
                "revision": json_text(revision)?,
                "time": json_time(pinned)?,
                "by": json_text(actor)?,
            });
        }
        let resources = "SELECT count(*) FROM catalog_resources WHERE certname_id = ";
        for (key, text) in [
            ("resources", resources),
            ("reports", "SELECT count(*) FROM reports WHERE certname_id = "),
        ] {
            let mut sql = Sql::new(text);
            sql.bind(id);
            node[key] = json!(count(connection, &sql)?);
        }
        let environment = node["environment"].as_str();
        let rights = [("may_plan", Role::Plan), ("may_run", Role::Run), ("may_admin", Role::Admin)];
        let rights = rights.map(|(key, role)| (key, self.viewer.may(role, environment)));
        for (key, may) in rights {
            node[key] = json!(may);
        }
        Ok(Document::json(&node))
    }

    /// `nodes/NAME/facts`: the leaves of the facts whose path or value contains `q`.
    pub(super) fn facts(
        &self,
        connection: &mut dyn Connection,
        name: &str,
    ) -> Result<Document, ExplorerError> {
        self.node_id(connection, name)?;
        let facts = facts_of(connection, name)?.unwrap_or_default();
        let facts: Json = serde_json::from_str(&facts).unwrap_or_default();
        facts_document(&facts, self.request)
    }

    /// `nodes/NAME/reports`: the reports of a node, the newest first.
    pub(super) fn reports(
        &self,
        connection: &mut dyn Connection,
        name: &str,
    ) -> Result<Document, ExplorerError> {
        let (id, part) = (self.node_id(connection, name)?, self.request.part()?);
        let mut sql = Sql::new("SELECT count(*) FROM reports WHERE certname_id = ");
        let total = count(connection, sql.bind(id))?;
        let mut sql = Sql::new(
            "SELECT r.hash, r.status, r.noop, r.corrective_change, r.start_time, r.end_time,
                 e.environment, r.configuration_version,
                 (SELECT count(*) FROM events v WHERE v.report_id = r.id AND v.status <> 'skipped')
             FROM reports r LEFT JOIN environments e ON e.id = r.environment_id
             WHERE r.certname_id = ",
        );
        sql.bind(id).text(" ORDER BY r.producer_timestamp DESC LIMIT ").bind(part.limit);
        sql.text(" OFFSET ").bind(part.offset);
        let rows = connection.rows(&sql.text, &sql.values)?;
        let rows = rows.iter().map(|row| report_row(row)).collect::<Result<_, _>>()?;
        let columns = &[
            "report",
            "status",
            "start_time",
            "end_time",
            "seconds",
            "environment",
            "version",
            "events",
        ];
        Table { columns, rows, total }.document(self.request)
    }
}

fn report_row(row: &[Value]) -> Result<Vec<Json>, FleetStoreError> {
    let [hash, status, noop, corrective, start, end, environment, version, events] = row else {
        return Err(columns(9));
    };
    Ok(vec![
        json_hex(hash)?,
        json!(word(status, noop, corrective)?),
        json_time(start)?,
        json_time(end)?,
        seconds(start, end)?,
        json_text(environment)?,
        json_text(version)?,
        json!(events.integer()?),
    ])
}

/// The word for the status of a report; see `nodes::status_sql`.
pub(super) fn word(
    status: &Value,
    noop: &Value,
    corrective: &Value,
) -> Result<&'static str, FleetStoreError> {
    let is_set = |value: &Value| json_flag(value).map(|flag| flag == json!(true));
    Ok(match status.optional(Value::text)? {
        None => "none",
        Some("failed") => "failed",
        Some(_) if is_set(noop)? => "noop",
        Some("changed") if is_set(corrective)? => "corrective",
        Some("changed") => "changed",
        Some(_) => "unchanged",
    })
}

/// The seconds between two times.
pub(super) fn seconds(start: &Value, end: &Value) -> Result<Json, FleetStoreError> {
    let (start, end) = (start.optional(Value::integer)?, end.optional(Value::integer)?);
    let (Some(start), Some(end)) = (start, end) else { return Ok(Json::Null) };
    // A tenth of a second is exact enough for people.
    let tenths = end.saturating_sub(start).saturating_add(50_000) / 100_000;
    Ok(json!(tenths as f64 / 10.0))
}
