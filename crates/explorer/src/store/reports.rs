//! A report: its times, messages and events.

use std::collections::HashMap;

use ordain_fleet_store::{
    Connection, FleetStoreError, RunCatalog, Value, catalog_of_run, decompress,
};
use serde_json::{Value as Json, json};

use super::catalog::{edges_of, time_to_choose};
use super::node::{seconds, word};
use super::page::{
    FROM, Page, Sql, columns, count, json_flag, json_number, json_text, json_time, json_value,
};
use crate::critical_path::critical_path;
use crate::document::{Document, Table, table_document};
use crate::error::ExplorerError;

/// A report that the user may see.
pub(super) struct Report {
    pub(super) id: i64,
    row: Vec<Value>,
}

impl Page<'_> {
    /// `reports/ID`: the times, metrics and messages of a report.
    pub(super) fn report(
        &self,
        connection: &mut dyn Connection,
        hash: &str,
    ) -> Result<Document, ExplorerError> {
        let Report { row, .. } = self.find_report(connection, hash)?;
        let [
            _,
            node,
            environment,
            status,
            noop,
            corrective,
            start,
            end,
            version,
            code,
            metrics,
            logs,
        ] = &row[..]
        else {
            return Err(columns(12).into());
        };
        Ok(Document::json(&json!({
            "report": hash,
            "node": json_text(node)?,
            "environment": json_text(environment)?,
            "status": word(status, noop, corrective)?,
            "start_time": json_time(start)?,
            "end_time": json_time(end)?,
            "seconds": seconds(start, end)?,
            "version": json_text(version)?,
            "code_id": json_text(code)?,
            "metrics": unpacked(metrics)?,
            "logs": unpacked(logs)?,
        })))
    }

    /// `reports/ID/events`: the events of a report. The parameter `kind` chooses `corrective`,
    /// `intentional`, `failure`, `noop` or `skipped` ones.
    pub(super) fn events(
        &self,
        connection: &mut dyn Connection,
        hash: &str,
    ) -> Result<Document, ExplorerError> {
        let (id, part) = (self.find_report(connection, hash)?.id, self.request.part()?);
        let mut from = Sql::new(" FROM events v WHERE v.report_id = ");
        from.bind(id);
        match self.request.parameter("kind") {
            None => {}
            Some("corrective") => {
                from.text(" AND v.status = 'success' AND v.corrective_change");
            }
            Some("intentional") => {
                from.text(" AND v.status = 'success' AND NOT COALESCE(v.corrective_change, ");
                from.bind(false).text(")");
            }
            Some(kind @ ("failure" | "noop" | "skipped")) => {
                from.text(" AND v.status = ").bind(kind);
            }
            Some(other) => {
                return Err(ExplorerError::Parameter(format!("there are no `{other}` events")));
            }
        }
        let mut sql = Sql { text: format!("SELECT count(*){}", from.text), values: from.values };
        let total = count(connection, &sql)?;
        let chosen = "v.resource_type, v.resource_title, v.property, v.status, v.corrective_change,
                      v.old_value, v.new_value, v.message, v.timestamp, v.file, v.line";
        sql.text = sql.text.replacen("count(*)", chosen, 1);
        sql.text(" ORDER BY v.timestamp, v.ordinal LIMIT ").bind(part.limit);
        sql.text(" OFFSET ").bind(part.offset);
        let rows = connection.rows(&sql.text, &sql.values)?;
        let rows = rows.iter().map(|row| event(row)).collect::<Result<_, _>>()?;
        let columns = &[
            "resource",
            "property",
            "status",
            "corrective",
            "old_value",
            "new_value",
            "message",
            "time",
            "file",
            "line",
        ];
        Table { columns, rows, total }.document(self.request)
    }

    /// `reports/ID/durations`: the resources by the seconds that the run took for them.
    pub(super) fn durations(
        &self,
        connection: &mut dyn Connection,
        hash: &str,
    ) -> Result<Document, ExplorerError> {
        let id = self.find_report(connection, hash)?.id;
        let (_, durations) = stored_durations(connection, id)?;
        let mut durations: Vec<(String, f64)> = durations.into_iter().collect();
        durations.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let rows = durations.into_iter().map(|(name, seconds)| vec![json!(name), json!(seconds)]);
        table_document(&["resource", "seconds"], rows.collect(), self.request)
    }

    /// `reports/ID/path`: the longest chain of resources that waited for each other, by their times in
    /// the report and the relations of the catalog that the run has applied. `catalog` says how that
    /// catalog was found, or why there is none and the chain is unknown.
    pub(super) fn critical_path(
        &self,
        connection: &mut dyn Connection,
        hash: &str,
    ) -> Result<Document, ExplorerError> {
        let Report { id, row } = self.find_report(connection, hash)?;
        let node = row.get(1).map_or(Ok(""), Value::text)?;
        let (node_id, durations) = stored_durations(connection, id)?;
        let found = catalog_of_run(connection, id)?;
        let found = match &found {
            None => Err("not_stored"),
            Some(found) if !self.may_see_catalog(&found.catalog) => Err("not_visible"),
            Some(found) => Ok(found),
        };
        let mut document = json!({
            "catalog": found.map_or_else(|why| why, |run| match run.has_id_of_run {
                true => "of_run",
                false => "at_time",
            }),
            "all_seconds": durations.values().sum::<f64>(),
            "resources": durations.len(),
            "catalog_time": null, "rows": null, "seconds": null,
        });
        if let Ok(RunCatalog { catalog, .. }) = found {
            let relations = edges_of(connection, (node_id, node), catalog)?;
            let path = critical_path(&relations, &durations);
            document["seconds"] = path.iter().map(|(_, seconds)| seconds).sum::<f64>().into();
            let row =
                |(name, seconds): &(String, f64)| json!({ "resource": name, "seconds": seconds });
            document["rows"] = path.iter().map(row).collect();
            document["catalog_time"] = time_to_choose(catalog);
        }
        Ok(Document::json(&document))
    }

    pub(super) fn find_report(
        &self,
        connection: &mut dyn Connection,
        hash: &str,
    ) -> Result<Report, ExplorerError> {
        let missing = || ExplorerError::Missing(format!("report {hash}"));
        let bytes = ordain_functions::digest::unhex(hash).ok_or_else(missing)?;
        let mut sql = Sql::new(
            "SELECT r.id, n.certname, e.environment, r.status, r.noop, r.corrective_change,
                 r.start_time, r.end_time, r.configuration_version, r.code_id, r.metrics_zstd,
                 r.logs_zstd",
        );
        sql.text(FROM).text(" JOIN reports r ON r.certname_id = n.id WHERE r.hash = ");
        sql.bind(bytes);
        self.visible(&mut sql);
        let row = connection.row(&sql.text, &sql.values)?.ok_or_else(missing)?;
        let id = row.first().map_or(Ok(0), Value::integer)?;
        Ok(Report { id, row })
    }
}

fn event(row: &[Value]) -> Result<Vec<Json>, FleetStoreError> {
    let [kind, title, property, status, corrective, old, new, message, time, file, line] = row
    else {
        return Err(columns(11));
    };
    Ok(vec![
        json!(format!("{}[{}]", kind.text()?, title.text()?)),
        json_text(property)?,
        json_text(status)?,
        json_flag(corrective)?,
        json_value(old)?,
        json_value(new)?,
        json_text(message)?,
        json_time(time)?,
        json_text(file)?,
        json_number(line)?,
    ])
}

/// The number of the node of a report, and the seconds that its run took for each resource.
pub(super) fn stored_durations(
    connection: &mut dyn Connection,
    report: i64,
) -> Result<(i64, HashMap<String, f64>), FleetStoreError> {
    let sql = "SELECT certname_id, durations_zstd FROM reports WHERE id = $1";
    let row = connection.row(sql, &[report.into()])?.unwrap_or_default();
    let [node, durations] = &row[..] else { return Err(columns(2)) };
    let found = match durations.optional(Value::bytes)? {
        Some(bytes) => serde_json::from_slice(&decompress(bytes)?).unwrap_or_default(),
        None => HashMap::new(),
    };
    Ok((node.integer()?, found))
}

/// A compressed JSON document.
fn unpacked(value: &Value) -> Result<Json, FleetStoreError> {
    let text = decompress(value.bytes()?)?;
    Ok(serde_json::from_slice(&text).unwrap_or_default())
}
