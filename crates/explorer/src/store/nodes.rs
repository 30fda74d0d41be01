//! Tables of nodes, and the numbers of nodes by status and environment.

use std::collections::BTreeSet;

use ordain_fleet_store::{Connection, FleetStoreError, Value};
use serde_json::{Value as Json, json};

use super::page::{
    FROM, JOINS, Page, Sql, columns, count, json_flag, json_hex, json_number, json_text, json_time,
    status_of,
};
use crate::document::{Document, Table};
use crate::error::ExplorerError;
use crate::role::Role;

/// The status of the last report.
pub(super) fn status_sql() -> String {
    status_of("n.latest_report_status", "n.latest_report_noop", "n.latest_report_corrective_change")
}

/// The columns of tables of nodes.
pub(super) const COLUMNS: &[&str] = &[
    "name",
    "environment",
    "status",
    "report",
    "report_time",
    "facts_time",
    "catalog_time",
    "active",
];

/// The statuses by which nodes are chosen.
const STATUSES: [&str; 6] = ["failed", "corrective", "changed", "noop", "unchanged", "none"];

/// The beginning of a statement whose rows are those of [`COLUMNS`].
pub(super) fn select() -> Sql {
    let mut sql = select_columns();
    sql.text(FROM);
    sql
}

fn select_columns() -> Sql {
    let mut sql = Sql::new("SELECT n.certname, e.environment, ");
    sql.text(&status_sql()).text(
        ", n.latest_report_hash, n.latest_report_timestamp, n.facts_timestamp,
         (SELECT c.timestamp FROM catalogs c WHERE c.certname_id = n.id),
         (n.deactivated IS NULL AND n.expired IS NULL)",
    );
    sql
}

/// A row of [`COLUMNS`].
pub(super) fn row(row: &[Value]) -> Result<Vec<Json>, FleetStoreError> {
    let [name, environment, status, report, report_time, facts_time, catalog_time, active] = row
    else {
        return Err(columns(8));
    };
    Ok(vec![
        json_text(name)?,
        json_text(environment)?,
        json_text(status)?,
        json_hex(report)?,
        json_time(report_time)?,
        json_time(facts_time)?,
        json_time(catalog_time)?,
        json_flag(active)?,
    ])
}

impl Page<'_> {
    /// `nodes`: the active nodes that match the parameters `q` (a part of the name), `status`,
    /// `environment`, `fact` (`PATH=VALUE`) and `resource` (`Type[title]`).
    pub(super) fn nodes(&self, connection: &mut dyn Connection) -> Result<Document, ExplorerError> {
        let part = self.request.part()?;
        let order = match self.request.parameter("sort") {
            None | Some("name") => " ORDER BY n.certname",
            Some("report_time") => {
                " ORDER BY n.latest_report_timestamp IS NULL, n.latest_report_timestamp DESC,
                  n.certname"
            }
            Some("oldest") => {
                " ORDER BY n.latest_report_timestamp IS NOT NULL, n.latest_report_timestamp,
                  n.certname"
            }
            Some(other) => {
                let text = format!("nodes are not sorted by `{other}`");
                return Err(ExplorerError::Parameter(text));
            }
        };
        // Without a condition on the environment, the nodes of the page are chosen first.
        let is_of_environment = self.viewer.environments(Role::Read).is_some()
            || self.request.parameter("environment").is_some();
        let from = if is_of_environment { FROM } else { " FROM certnames n" };
        let mut sql = Sql::new("SELECT count(*)");
        sql.text(from);
        self.conditions(connection, &mut sql, true)?;
        let total = count(connection, &sql)?;
        let mut sql = select_columns();
        sql.text(if is_of_environment { FROM } else { " FROM (SELECT n.* FROM certnames n" });
        self.conditions(connection, &mut sql, true)?;
        sql.text(order).text(" LIMIT ").bind(part.limit).text(" OFFSET ").bind(part.offset);
        if !is_of_environment {
            sql.text(") n").text(JOINS).text(order);
        }
        let rows = connection.rows(&sql.text, &sql.values)?;
        let rows = rows.iter().map(|one| row(one)).collect::<Result<_, _>>()?;
        Table { columns: COLUMNS, rows, total }.document(self.request)
    }

    /// The names of all nodes that the parameters choose.
    pub(super) fn names(
        &self,
        connection: &mut dyn Connection,
    ) -> Result<BTreeSet<String>, ExplorerError> {
        let mut sql = Sql::new("SELECT n.certname");
        sql.text(FROM);
        self.conditions(connection, &mut sql, true)?;
        let rows = connection.rows(&sql.text, &sql.values)?;
        let name = |row: &Vec<Value>| {
            let [name] = &row[..] else { return Err(columns(1)) };
            Ok(name.text()?.to_owned())
        };
        Ok(rows.iter().map(name).collect::<Result<_, FleetStoreError>>()?)
    }

    /// `facets`: the number of nodes by status, and by environment. Each is of the nodes that match
    /// the other parameters.
    pub(super) fn facets(
        &self,
        connection: &mut dyn Connection,
    ) -> Result<Document, ExplorerError> {
        let mut sql = Sql::new("SELECT ");
        sql.text(&status_sql()).text(", e.environment, count(*)").text(FROM);
        self.conditions(connection, &mut sql, false)?;
        sql.text(" GROUP BY 1, 2 ORDER BY 1, 2");
        let rows = connection.rows(&sql.text, &sql.values)?;
        let row = |row: &Vec<Value>| {
            let [status, environment, number] = &row[..] else { return Err(columns(3)) };
            Ok(json!({
                "status": json_text(status)?,
                "environment": json_text(environment)?,
                "nodes": json_number(number)?,
            }))
        };
        let rows = rows.iter().map(row).collect::<Result<Vec<Json>, FleetStoreError>>()?;
        Ok(Document::json(&json!(rows)))
    }

    /// Adds the conditions of the parameters. Facets leave out those of status and environment.
    fn conditions(
        &self,
        connection: &mut dyn Connection,
        sql: &mut Sql,
        with_facets: bool,
    ) -> Result<(), ExplorerError> {
        sql.text(" WHERE n.deactivated IS NULL AND n.expired IS NULL");
        self.visible(sql);
        if let Some(text) = self.request.parameter("q") {
            sql.text(" AND ").contains("n.certname", text);
        }
        if let Some(fact) = self.request.parameter("fact") {
            let Some((path, value)) = fact.split_once('=') else {
                let text = format!("the fact `{fact}` has no value: write PATH=VALUE");
                return Err(ExplorerError::Parameter(text));
            };
            has_fact(connection, sql, path, value)?;
        }
        if let Some(name) = self.request.parameter("resource") {
            let (kind, title) = kind_and_title(name)?;
            sql.text(
                " AND n.id IN (SELECT k.certname_id FROM resources r
                  JOIN catalog_resources k ON k.resource_id = r.id WHERE r.type = ",
            );
            sql.bind(kind).text(" AND substr(r.title, 1, 64) = ").bind(indexed(title));
            sql.text(" AND r.title = ").bind(title).text(")");
        }
        if !with_facets {
            return Ok(());
        }
        if let Some(status) = self.request.parameter("status") {
            if !STATUSES.contains(&status) {
                let text = format!("the status `{status}` is not one of {}", STATUSES.join(", "));
                return Err(ExplorerError::Parameter(text));
            }
            sql.text(" AND ").text(&status_sql()).text(" = ").bind(status);
        }
        if let Some(environment) = self.request.parameter("environment") {
            sql.text(" AND e.environment = ").bind(environment);
        }
        Ok(())
    }
}

/// Adds the condition that a node has a fact with a value. A path has a number for each type of its
/// values. They are looked up first: with them the database knows how many nodes have the fact.
fn has_fact(
    connection: &mut dyn Connection,
    sql: &mut Sql,
    path: &str,
    value: &str,
) -> Result<(), ExplorerError> {
    let found = "SELECT p.id, p.value_type FROM fact_paths p WHERE p.path = $1";
    let found = connection.rows(found, &[path.replace('.', "#~").into()])?;
    sql.text(" AND n.id IN (SELECT v.certname_id FROM facts v WHERE 1 = 0");
    for row in &found {
        let [id, value_type] = &row[..] else { return Err(columns(2).into()) };
        let (id, value_type) = (id.integer()?, value_type.text()?);
        let (column, value) = match value_type {
            "string" => ("value_string", Some(Value::from(value))),
            "integer" => ("value_integer", value.parse::<i64>().ok().map(Value::from)),
            "float" => ("value_float", value.parse::<f64>().ok().map(Value::from)),
            "boolean" => ("value_boolean", value.parse::<bool>().ok().map(Value::from)),
            _ => continue,
        };
        let Some(value) = value else { continue };
        sql.text(" UNION ALL SELECT v.certname_id FROM facts v WHERE v.path_id = ").bind(id);
        if let Value::Text(text) = &value {
            sql.text(" AND substr(v.value_string, 1, 64) = ").bind(indexed(text));
        }
        sql.text(&format!(" AND v.{column} = ")).bind(value);
    }
    sql.text(")");
    Ok(())
}

/// The part of a text that its index has.
fn indexed(text: &str) -> String {
    text.chars().take(64).collect()
}

/// The parts of `Type[title]`.
///
/// # Errors
/// When the text has another form.
pub(super) fn kind_and_title(name: &str) -> Result<(&str, &str), ExplorerError> {
    let split = name.strip_suffix(']').and_then(|name| name.split_once('['));
    split.ok_or_else(|| {
        ExplorerError::Parameter(format!("`{name}` is no resource: write Type[title]"))
    })
}
