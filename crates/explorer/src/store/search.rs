//! The search over nodes, resources, facts and reports.

use ordain_fleet_store::{Connection, FleetStoreError, Value};
use serde_json::{Value as Json, json};

use super::nodes;
use super::page::{FROM, Page, Sql, columns, json_hex, json_text, json_time};
use crate::document::Document;
use crate::error::ExplorerError;
use crate::role::Role;

/// The maximum number of results of each kind.
const RESULTS: i64 = 10;
/// The shortest text that is searched for in titles of resources.
const MIN_TITLE: usize = 2;

impl Page<'_> {
    /// `search`: nodes whose name, and resources whose name contains `q`; facts whose value is `q`;
    /// the report whose id is `q`.
    pub(super) fn search(
        &self,
        connection: &mut dyn Connection,
    ) -> Result<Document, ExplorerError> {
        let Some(text) = self.request.parameter("q").map(str::trim).filter(|q| !q.is_empty())
        else {
            return Ok(Document::json(&json!({ "results": [] })));
        };
        let mut results = self.found_nodes(connection, text)?;
        if text.chars().count() >= MIN_TITLE {
            results.extend(self.found_resources(connection, text)?);
        }
        results.extend(self.found_facts(connection, text)?);
        results.extend(self.found_report(connection, text)?);
        Ok(Document::json(&json!({ "results": results })))
    }

    fn found_nodes(
        &self,
        connection: &mut dyn Connection,
        text: &str,
    ) -> Result<Vec<Json>, FleetStoreError> {
        let mut sql = nodes::select();
        sql.text(" WHERE ").contains("n.certname", text);
        self.visible(&mut sql);
        sql.text(" ORDER BY n.certname LIMIT ").bind(RESULTS);
        let rows = connection.rows(&sql.text, &sql.values)?;
        let result = |row: &Vec<Value>| {
            let row = nodes::row(row)?;
            Ok(json!({ "kind": "node", "name": row[0], "environment": row[1], "status": row[2] }))
        };
        rows.iter().map(result).collect()
    }

    /// Resources by name. Nodes share the rows of equal resources, so each name is counted over the
    /// rows that were found first.
    fn found_resources(
        &self,
        connection: &mut dyn Connection,
        text: &str,
    ) -> Result<Vec<Json>, FleetStoreError> {
        let mut sql = Sql::new("SELECT r.type, r.title FROM resources r WHERE ");
        match text.split_once('[') {
            Some((kind, title)) => {
                sql.text("lower(r.type) = ").bind(kind.to_lowercase());
                sql.text(" AND ").contains("r.title", title.trim_end_matches(']'));
            }
            None => {
                sql.contains("r.title", text);
            }
        }
        if self.viewer.environments(Role::Read).is_some() {
            sql.text(
                " AND EXISTS (SELECT 1 FROM catalog_resources k
                  JOIN catalogs c ON c.certname_id = k.certname_id
                  JOIN environments e ON e.id = c.environment_id
                  WHERE k.resource_id = r.id",
            );
            self.visible(&mut sql);
            sql.text(")");
        }
        sql.text(" LIMIT ").bind(RESULTS * 10);
        let rows = connection.rows(&sql.text, &sql.values)?;
        let mut names = std::collections::BTreeSet::new();
        for row in &rows {
            let [kind, title] = &row[..] else { return Err(columns(2)) };
            names.insert(format!("{}[{}]", kind.text()?, title.text()?));
        }
        let most = usize::try_from(RESULTS).unwrap_or(usize::MAX);
        let result = |name: String| json!({ "kind": "resource", "name": name });
        Ok(names.into_iter().take(most).map(result).collect())
    }

    /// Facts with exactly this value: the index has the beginnings of values by path.
    fn found_facts(
        &self,
        connection: &mut dyn Connection,
        text: &str,
    ) -> Result<Vec<Json>, FleetStoreError> {
        let start: String = text.chars().take(64).collect();
        let mut sql = Sql::new("SELECT n.certname, p.path");
        sql.text(FROM);
        sql.text(
            " JOIN facts v ON v.certname_id = n.id JOIN fact_paths p ON p.id = v.path_id
             WHERE p.value_type = 'string' AND substr(v.value_string, 1, 64) = ",
        );
        sql.bind(start).text(" AND v.value_string = ").bind(text);
        self.visible(&mut sql);
        sql.text(" LIMIT ").bind(RESULTS);
        let rows = connection.rows(&sql.text, &sql.values)?;
        let result = |row: &Vec<Value>| {
            let [node, path] = &row[..] else { return Err(columns(2)) };
            let path = path.text()?.replace("#~", ".");
            Ok(json!({ "kind": "fact", "name": path, "value": text, "node": json_text(node)? }))
        };
        rows.iter().map(result).collect()
    }

    fn found_report(
        &self,
        connection: &mut dyn Connection,
        text: &str,
    ) -> Result<Vec<Json>, FleetStoreError> {
        let bytes = ordain_functions::digest::unhex(text).filter(|bytes| bytes.len() == 20);
        let Some(bytes) = bytes else { return Ok(Vec::new()) };
        let mut sql = Sql::new("SELECT n.certname, r.hash, r.end_time");
        sql.text(FROM).text(" JOIN reports r ON r.certname_id = n.id WHERE r.hash = ");
        sql.bind(bytes);
        self.visible(&mut sql);
        let rows = connection.rows(&sql.text, &sql.values)?;
        let result = |row: &Vec<Value>| {
            let [node, hash, time] = &row[..] else { return Err(columns(3)) };
            let (name, node) = (json_hex(hash)?, json_text(node)?);
            Ok(json!({ "kind": "report", "name": name, "node": node, "time": json_time(time)? }))
        };
        rows.iter().map(result).collect()
    }
}
