//! Runs of many nodes.

use ordain_fleet_store::{Connection, FleetStoreError, Value, fleet_run, format_time, job_id};
use serde_json::{Map, Value as Json, json};

use super::page::{
    JOINS, Page, Sql, columns, count, json_flag, json_hex, json_number, json_text, json_time,
};
use crate::document::{Document, Table};
use crate::error::ExplorerError;
use crate::role::Role;

/// The columns of the table of runs.
const COLUMNS: &[&str] =
    &["run", "started", "by", "state", "ended", "reason", "at_once", "stop_at", "nodes"];

/// The columns of the table of a run's nodes.
const NODE_COLUMNS: &[&str] = &["name", "canary", "state", "changed", "report"];

impl Page<'_> {
    /// `runs`: the runs with nodes that the user may see, the newest first.
    pub(super) fn fleet_runs(
        &self,
        connection: &mut dyn Connection,
    ) -> Result<Document, ExplorerError> {
        let part = self.request.part()?;
        let mut sql = Sql::new("SELECT count(*) FROM fleet_runs r");
        self.visible_run(&mut sql);
        let total = count(connection, &sql)?;
        let mut sql = Sql::new(
            "SELECT r.id, r.started, r.actor, r.state, r.ended, r.stop_reason, r.at_once, r.stop_at
             FROM fleet_runs r",
        );
        self.visible_run(&mut sql);
        sql.text(" ORDER BY r.id DESC LIMIT ").bind(part.limit);
        sql.text(" OFFSET ").bind(part.offset);
        let found = connection.rows(&sql.text, &sql.values)?;
        let mut rows = Vec::with_capacity(found.len());
        for row in &found {
            let [id, started, actor, state, ended, reason, at_once, stop_at] = &row[..] else {
                return Err(columns(8).into());
            };
            let states = self.node_states(connection, id.integer()?)?;
            rows.push(vec![
                json_number(id)?,
                json_time(started)?,
                json_text(actor)?,
                json_text(state)?,
                json_time(ended)?,
                json_text(reason)?,
                json_number(at_once)?,
                json_number(stop_at)?,
                states,
            ]);
        }
        Table { columns: COLUMNS, rows, total }.document(self.request)
    }

    /// `runs/ID`: a run, with the number of its nodes by state.
    pub(super) fn fleet_run(
        &self,
        connection: &mut dyn Connection,
        id: &str,
    ) -> Result<Document, ExplorerError> {
        let number = self.run_number(connection, id)?;
        let found = fleet_run(connection, number)?;
        let found = found.ok_or_else(|| missing_run(id))?;
        let may_run = self.may_change_run(connection, number)?;
        let time = |time: Option<i64>| time.map(format_time);
        Ok(Document::json(&json!({
            "run": found.id,
            "started": format_time(found.started),
            "by": found.actor,
            "state": found.state.as_str(),
            "ended": time(found.ended),
            "resumed": time(found.resumed),
            "reason": found.stop_reason,
            "stopped_by": found.stopped_by,
            "at_once": found.at_once,
            "stop_at": found.stop_at,
            "by_server": found.by_server,
            "nodes": self.node_states(connection, number)?,
            "may_run": may_run,
        })))
    }

    /// `runs/ID/nodes`: the nodes of a run that the user may see, in the order of the run, with the
    /// reports that they have sent.
    pub(super) fn fleet_run_nodes(
        &self,
        connection: &mut dyn Connection,
        id: &str,
    ) -> Result<Document, ExplorerError> {
        let (number, part) = (self.run_number(connection, id)?, self.request.part()?);
        let mut sql = Sql::new("SELECT count(*)");
        self.nodes_of_run(&mut sql, number);
        let total = count(connection, &sql)?;
        let mut sql = Sql::new(
            "SELECT k.certname, k.is_canary, k.state, k.changed,
                 (SELECT p.hash FROM reports p WHERE p.job_id = ",
        );
        sql.bind(job_id(number)).text(" AND p.certname_id = n.id ORDER BY p.id DESC LIMIT 1)");
        self.nodes_of_run(&mut sql, number);
        sql.text(" ORDER BY k.ordinal LIMIT ").bind(part.limit);
        sql.text(" OFFSET ").bind(part.offset);
        let rows = connection.rows(&sql.text, &sql.values)?;
        let row = |row: &Vec<Value>| {
            let [name, is_canary, state, changed, report] = &row[..] else {
                return Err(columns(5));
            };
            Ok(vec![
                json_text(name)?,
                json_flag(is_canary)?,
                json_text(state)?,
                json_time(changed)?,
                json_hex(report)?,
            ])
        };
        let rows = rows.iter().map(row).collect::<Result<_, FleetStoreError>>()?;
        Table { columns: NODE_COLUMNS, rows, total }.document(self.request)
    }

    /// Whether the user may stop and resume a run: the role counts for each of its nodes.
    pub(super) fn may_change_run(
        &self,
        connection: &mut dyn Connection,
        run: i64,
    ) -> Result<bool, FleetStoreError> {
        if self.viewer.environments(Role::Run).is_none() {
            return Ok(true);
        }
        let mut all = Sql::new("SELECT count(*) FROM fleet_run_nodes WHERE run_id = ");
        all.bind(run);
        let viewer = self.viewer.limited_to(Role::Run);
        let limited = Page { viewer: &viewer, request: self.request };
        let mut own = Sql::new("SELECT count(*)");
        limited.nodes_of_run(&mut own, run);
        Ok(count(connection, &all)? == count(connection, &own)?)
    }

    /// The number of a run that the user may see.
    pub(super) fn run_number(
        &self,
        connection: &mut dyn Connection,
        id: &str,
    ) -> Result<i64, ExplorerError> {
        let number: i64 = id.parse().map_err(|_| missing_run(id))?;
        let mut sql = Sql::new("SELECT r.id FROM fleet_runs r");
        self.visible_run(&mut sql);
        sql.text(" AND r.id = ").bind(number);
        match connection.value(&sql.text, &sql.values)? {
            Some(_) => Ok(number),
            None => Err(missing_run(id)),
        }
    }

    /// Adds the condition that the user may see a node of the run `r`.
    fn visible_run(&self, sql: &mut Sql) {
        sql.text(" WHERE TRUE");
        if self.viewer.environments(Role::Read).is_some() {
            sql.text(
                " AND EXISTS (SELECT 1 FROM fleet_run_nodes k
                  JOIN certnames n ON n.certname = k.certname",
            );
            sql.text(JOINS).text(" WHERE k.run_id = r.id");
            self.visible(sql);
            sql.text(")");
        }
    }

    /// Adds the nodes `k` of a run that the user may see, with their rows `n`.
    fn nodes_of_run(&self, sql: &mut Sql, run: i64) {
        sql.text(" FROM fleet_run_nodes k LEFT JOIN certnames n ON n.certname = k.certname");
        if self.viewer.environments(Role::Read).is_some() {
            sql.text(JOINS);
        }
        sql.text(" WHERE k.run_id = ").bind(run);
        self.visible(sql);
    }

    /// The number of nodes of a run by state.
    fn node_states(
        &self,
        connection: &mut dyn Connection,
        run: i64,
    ) -> Result<Json, FleetStoreError> {
        let mut sql = Sql::new("SELECT k.state, count(*)");
        self.nodes_of_run(&mut sql, run);
        sql.text(" GROUP BY k.state ORDER BY k.state");
        let mut states = Map::new();
        for row in connection.rows(&sql.text, &sql.values)? {
            let [state, number] = &row[..] else { return Err(columns(2)) };
            states.insert(state.text()?.to_owned(), json_number(number)?);
        }
        Ok(Json::Object(states))
    }
}

fn missing_run(id: &str) -> ExplorerError {
    ExplorerError::Missing(format!("run {id}"))
}
