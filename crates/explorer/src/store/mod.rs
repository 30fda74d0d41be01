//! Documents about the nodes, catalogs and reports of a server's database.

mod catalog;
mod node;
mod nodes;
mod overview;
mod reports;
mod search;

use std::time::Duration;

use ordain_fleet_store::{Connection, Database, FleetStoreError, Value, format_time, read};
use serde_json::{Value as Json, json};

use crate::document::Document;
use crate::error::ExplorerError;
use crate::request::{PageRequest, Viewer};

/// The longest time of a statement.
const LIMIT: Duration = Duration::from_secs(20);

/// Answers a request from a server's database. Blocks.
///
/// # Errors
/// When there is no such page or node, the user may not see it, a parameter is wrong, or the
/// database fails.
pub fn store_document(
    database: &dyn Database,
    viewer: &Viewer,
    request: &PageRequest<'_>,
) -> Result<Document, ExplorerError> {
    let mut result = Err(ExplorerError::Missing("answer".to_owned()));
    read(database, Some(LIMIT), |connection| {
        let page = Page { viewer, request };
        result = match page.document(connection) {
            // The transaction may be repeated after a conflict.
            Err(ExplorerError::Store(error)) => return Err(error),
            other => other,
        };
        Ok(())
    })?;
    result
}

/// The environment of a node, if the user may see that node.
///
/// # Errors
/// When there is no such node, or the database fails.
pub fn environment_of(
    database: &dyn Database,
    viewer: &Viewer,
    node: &str,
) -> Result<Option<String>, ExplorerError> {
    let request = PageRequest { segments: Vec::new(), parameters: Vec::new() };
    let find = |connection: &mut dyn Connection| {
        Page { viewer, request: &request }.find_node(connection, node)
    };
    let found = read(database, Some(LIMIT), find)?;
    found.map(|(_, environment)| environment).ok_or_else(|| missing_node(node))
}

/// The number of the last report that was stored, to notice news.
///
/// # Errors
/// When the database fails.
pub fn last_report(database: &dyn Database) -> Result<i64, ExplorerError> {
    let last = |connection: &mut dyn Connection| {
        let last = connection.value("SELECT max(id) FROM reports", &[])?;
        let last = last.map(|last| last.optional(Value::integer)).transpose()?;
        Ok(last.flatten().unwrap_or(0))
    };
    Ok(read(database, Some(LIMIT), last)?)
}

/// A request of a user.
struct Page<'a> {
    viewer: &'a Viewer,
    request: &'a PageRequest<'a>,
}

impl Page<'_> {
    fn document(&self, connection: &mut dyn Connection) -> Result<Document, ExplorerError> {
        match self.request.segments[..] {
            ["overview"] => self.overview(connection),
            ["nodes"] => self.nodes(connection),
            ["facets"] => self.facets(connection),
            ["search"] => self.search(connection),
            ["nodes", node] => self.node(connection, node),
            ["nodes", node, "facts"] => self.facts(connection, node),
            ["nodes", node, "resources"] => self.resources(connection, node),
            ["nodes", node, "resource"] => self.resource(connection, node),
            ["nodes", node, "graph"] => self.graph(connection, node),
            ["nodes", node, "reports"] => self.reports(connection, node),
            ["reports", report] => self.report(connection, report),
            ["reports", report, "events"] => self.events(connection, report),
            _ => Err(ExplorerError::Missing(format!("page {}", self.request.segments.join("/")))),
        }
    }

    /// The number of a node, and its environment, if the user may see it.
    fn find_node(
        &self,
        connection: &mut dyn Connection,
        name: &str,
    ) -> Result<Option<(i64, Option<String>)>, FleetStoreError> {
        let mut sql = Sql::new("SELECT n.id, e.environment");
        sql.text(nodes::FROM);
        sql.text(" WHERE n.certname = ").bind(name);
        self.visible(&mut sql);
        let Some(row) = connection.row(&sql.text, &sql.values)? else { return Ok(None) };
        let [id, environment] = &row[..] else { return Err(columns(2)) };
        Ok(Some((id.integer()?, environment.optional(Value::text)?.map(str::to_owned))))
    }

    /// The number of a node.
    fn node_id(&self, connection: &mut dyn Connection, name: &str) -> Result<i64, ExplorerError> {
        let found = self.find_node(connection, name)?;
        found.map(|(id, _)| id).ok_or_else(|| missing_node(name))
    }

    /// Adds the condition that the user may see a node.
    fn visible(&self, sql: &mut Sql) {
        let Some(names) = &self.viewer.environments else { return };
        sql.text(" AND e.environment IN (");
        for (number, name) in names.iter().enumerate() {
            sql.text(if number > 0 { ", " } else { "" }).bind(name.as_str());
        }
        // An empty list is no SQL.
        sql.text(if names.is_empty() { "NULL)" } else { ")" });
    }
}

fn missing_node(name: &str) -> ExplorerError {
    ExplorerError::Missing(format!("node {name}"))
}

/// A statement with its parameters.
struct Sql {
    text: String,
    values: Vec<Value>,
}

impl Sql {
    fn new(text: &str) -> Self {
        Self { text: text.to_owned(), values: Vec::new() }
    }

    fn text(&mut self, text: &str) -> &mut Self {
        self.text.push_str(text);
        self
    }

    /// Adds a parameter.
    fn bind(&mut self, value: impl Into<Value>) -> &mut Self {
        self.values.push(value.into());
        self.text.push_str(&format!("${}", self.values.len()));
        self
    }

    /// Adds the condition that a column contains a text, without regard to case.
    fn contains(&mut self, column: &str, text: &str) -> &mut Self {
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

fn columns(number: usize) -> FleetStoreError {
    FleetStoreError::Failed { reason: format!("{number} columns expected"), code: None }
}

fn json_text(value: &Value) -> Result<Json, FleetStoreError> {
    Ok(value.optional(Value::text)?.map_or(Json::Null, Json::from))
}

fn json_number(value: &Value) -> Result<Json, FleetStoreError> {
    Ok(value.optional(Value::integer)?.map_or(Json::Null, Json::from))
}

fn json_flag(value: &Value) -> Result<Json, FleetStoreError> {
    Ok(json!(value.optional(Value::boolean)?.unwrap_or(false)))
}

fn json_time(value: &Value) -> Result<Json, FleetStoreError> {
    Ok(value.optional(Value::integer)?.map_or(Json::Null, |time| Json::from(format_time(time))))
}

/// A column of JSON; a text that is none, which no command stores, is a string.
fn json_value(value: &Value) -> Result<Json, FleetStoreError> {
    let Some(text) = value.optional(Value::text)? else { return Ok(Json::Null) };
    Ok(serde_json::from_str(text).unwrap_or_else(|_| Json::from(text)))
}

/// Bytes in hexadecimal.
fn json_hex(value: &Value) -> Result<Json, FleetStoreError> {
    let bytes = value.optional(Value::bytes)?;
    Ok(bytes.map_or(Json::Null, |bytes| Json::from(ordain_functions::digest::hex(bytes))))
}

/// The number in the only column of the only row.
fn count(connection: &mut dyn Connection, sql: &Sql) -> Result<i64, FleetStoreError> {
    let value = connection.value(&sql.text, &sql.values)?;
    value.map_or(Ok(0), |value| value.integer())
}
