//! The common parts of the pages of a store: statements, conditions, values as JSON.

use ordain_fleet_store::{Connection, FleetStoreError, Value, format_time};
use serde_json::{Value as Json, json};

use crate::error::ExplorerError;
use crate::request::PageRequest;
use crate::role::Role;
use crate::viewer::Viewer;

macro_rules! joins {
    () => {
        "
    LEFT JOIN environments e ON e.id = COALESCE(
        n.catalog_environment_id, n.latest_report_environment_id, n.facts_environment_id)"
    };
}

/// The nodes `n` with their environments `e`.
pub(super) const FROM: &str = concat!(" FROM certnames n", joins!());

/// The table that [`FROM`] joins with nodes.
pub(super) const JOINS: &str = joins!();

/// The status of a report as SQL, from the columns of its status and of its two flags.
pub(super) fn status_of(status: &str, noop: &str, corrective: &str) -> String {
    format!(
        "CASE WHEN {status} IS NULL THEN 'none' WHEN {status} = 'failed' THEN 'failed'
         WHEN {noop} THEN 'noop'
         WHEN {status} = 'changed' AND {corrective} THEN 'corrective'
         WHEN {status} = 'changed' THEN 'changed' ELSE 'unchanged' END"
    )
}

/// A request of a user.
pub(super) struct Page<'a> {
    pub(super) viewer: &'a Viewer,
    pub(super) request: &'a PageRequest<'a>,
}

impl Page<'_> {
    /// The number of a node, and its environment, if the user may see it.
    pub(super) fn find_node(
        &self,
        connection: &mut dyn Connection,
        name: &str,
    ) -> Result<Option<(i64, Option<String>)>, FleetStoreError> {
        let mut sql = Sql::new("SELECT n.id, e.environment");
        sql.text(FROM);
        sql.text(" WHERE n.certname = ").bind(name);
        self.visible(&mut sql);
        let Some(row) = connection.row(&sql.text, &sql.values)? else { return Ok(None) };
        let [id, environment] = &row[..] else { return Err(columns(2)) };
        Ok(Some((id.integer()?, environment.optional(Value::text)?.map(str::to_owned))))
    }

    /// The number of a node.
    pub(super) fn node_id(
        &self,
        connection: &mut dyn Connection,
        name: &str,
    ) -> Result<i64, ExplorerError> {
        let found = self.find_node(connection, name)?;
        found.map(|(id, _)| id).ok_or_else(|| missing_node(name))
    }

    /// Adds the condition that the user may see a node.
    pub(super) fn visible(&self, sql: &mut Sql) {
        let Some(names) = self.viewer.environments(Role::Read) else { return };
        sql.text(" AND e.environment IN (");
        for (number, name) in names.iter().enumerate() {
            sql.text(if number > 0 { ", " } else { "" }).bind(*name);
        }
        // An empty list is no SQL.
        sql.text(if names.is_empty() { "NULL)" } else { ")" });
    }
}

pub(super) fn missing_node(name: &str) -> ExplorerError {
    ExplorerError::Missing(format!("node {name}"))
}

/// A statement with its parameters.
pub(super) struct Sql {
    pub(super) text: String,
    pub(super) values: Vec<Value>,
}

impl Sql {
    pub(super) fn new(text: &str) -> Self {
        Self { text: text.to_owned(), values: Vec::new() }
    }

    pub(super) fn text(&mut self, text: &str) -> &mut Self {
        self.text.push_str(text);
        self
    }

    /// Adds a parameter.
    pub(super) fn bind(&mut self, value: impl Into<Value>) -> &mut Self {
        self.values.push(value.into());
        self.text.push_str(&format!("${}", self.values.len()));
        self
    }

    /// Adds the condition that a column contains a text, without regard to case.
    pub(super) fn contains(&mut self, column: &str, text: &str) -> &mut Self {
        self.text(&format!("lower({column}) LIKE ")).bind(pattern(text)).text(r" ESCAPE '\'")
    }
}

/// The pattern of texts that contain this one.
fn pattern(text: &str) -> String {
    let mut pattern = String::from("%");
    for c in text.to_lowercase().chars() {
        if matches!(c, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern.push('%');
    pattern
}

pub(super) fn columns(number: usize) -> FleetStoreError {
    FleetStoreError::Failed { reason: format!("{number} columns expected"), code: None }
}

pub(super) fn json_text(value: &Value) -> Result<Json, FleetStoreError> {
    Ok(value.optional(Value::text)?.map_or(Json::Null, Json::from))
}

pub(super) fn json_number(value: &Value) -> Result<Json, FleetStoreError> {
    Ok(value.optional(Value::integer)?.map_or(Json::Null, Json::from))
}

pub(super) fn json_flag(value: &Value) -> Result<Json, FleetStoreError> {
    Ok(json!(value.optional(Value::boolean)?.unwrap_or(false)))
}

pub(super) fn json_time(value: &Value) -> Result<Json, FleetStoreError> {
    Ok(value.optional(Value::integer)?.map_or(Json::Null, |time| Json::from(format_time(time))))
}

/// A column of JSON; a text that is none, which no command stores, is a string.
pub(super) fn json_value(value: &Value) -> Result<Json, FleetStoreError> {
    let Some(text) = value.optional(Value::text)? else { return Ok(Json::Null) };
    Ok(serde_json::from_str(text).unwrap_or_else(|_| Json::from(text)))
}

/// Bytes in hexadecimal.
pub(super) fn json_hex(value: &Value) -> Result<Json, FleetStoreError> {
    let bytes = value.optional(Value::bytes)?;
    Ok(bytes.map_or(Json::Null, |bytes| Json::from(ordain_functions::digest::hex(bytes))))
}

/// The number in the only column of the only row.
pub(super) fn count(connection: &mut dyn Connection, sql: &Sql) -> Result<i64, FleetStoreError> {
    let value = connection.value(&sql.text, &sql.values)?;
    value.map_or(Ok(0), |value| value.integer())
}
