//! The audit log.

use ordain_fleet_store::{Connection, FleetStoreError, Value};

use super::page::{Page, Sql, columns, count, json_number, json_text, json_time, json_value};
use crate::document::{Document, Table};
use crate::error::ExplorerError;
use crate::role::Role;

const COLUMNS: &[&str] = &["number", "time", "by", "action", "subject", "detail"];

impl Page<'_> {
    /// `audit`: the actions whose user, name or subject contains `q`, the newest first. It is about all
    /// nodes, so the role has to count in all environments.
    pub(super) fn audit(&self, connection: &mut dyn Connection) -> Result<Document, ExplorerError> {
        self.viewer.require(Role::Admin, None)?;
        let part = self.request.part()?;
        let mut sql = Sql::new("SELECT count(*)");
        self.matching_actions(&mut sql);
        let total = count(connection, &sql)?;
        let mut sql = Sql::new("SELECT sequence, at, actor, action, subject, detail");
        self.matching_actions(&mut sql);
        sql.text(" ORDER BY sequence DESC LIMIT ").bind(part.limit);
        sql.text(" OFFSET ").bind(part.offset);
        let rows = connection.rows(&sql.text, &sql.values)?;
        let row = |row: &Vec<Value>| {
            let [sequence, at, actor, action, subject, detail] = &row[..] else {
                return Err(columns(6));
            };
            Ok(vec![
                json_number(sequence)?,
                json_time(at)?,
                json_text(actor)?,
                json_text(action)?,
                json_text(subject)?,
                json_value(detail)?,
            ])
        };
        let rows = rows.iter().map(row).collect::<Result<_, FleetStoreError>>()?;
        Table { columns: COLUMNS, rows, total }.document(self.request)
    }

    fn matching_actions(&self, sql: &mut Sql) {
        sql.text(" FROM audit_log");
        if let Some(text) = self.request.parameter("q") {
            sql.text(" WHERE ").contains("actor", text);
            sql.text(" OR ").contains("action", text);
            sql.text(" OR ").contains("subject", text);
        }
    }
}
