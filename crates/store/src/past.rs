//! Runs of the past, as the journal knows them.

use std::time::SystemTime;

use rusqlite::{Connection, OptionalExtension, Row};
use serde_json::Value as Json;

use crate::error::StoreError;
use crate::journal::{Store, time};

/// A run that is in the journal.
#[derive(Clone, PartialEq, Debug)]
pub struct PastRun {
    /// Its number.
    pub number: i64,
    /// What was asked for, such as `apply`.
    pub kind: String,
    /// When it began.
    pub started: SystemTime,
    /// When it came to its end, if it did.
    pub finished: Option<SystemTime>,
    /// How many resources it changed.
    pub changed: u32,
    /// How many changes failed or did not come to their end.
    pub failed: u32,
}

/// A change in the journal.
#[derive(Clone, PartialEq, Debug)]
pub struct PastStep {
    /// The resource.
    pub resource: String,
    /// What was done with it, such as `create`.
    pub action: String,
    /// When it began.
    pub begun: SystemTime,
    /// Whether it succeeded; nothing if it did not come to its end.
    pub ok: Option<bool>,
    /// What of the resource: property and message.
    pub changes: Vec<(String, String)>,
}

const RUNS: &str = "SELECT id, kind, started, finished,
    (SELECT count(DISTINCT resource) FROM steps WHERE run = runs.id AND ok = 1),
    (SELECT count(*) FROM steps WHERE run = runs.id AND ok IS NOT 1)
    FROM runs";

impl Store {
    /// All runs that are known, the last first.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn runs(&self) -> Result<Vec<PastRun>, StoreError> {
        self.with(|c| {
            let mut runs = c.prepare(&format!("{RUNS} ORDER BY id DESC"))?;
            let rows = runs.query_map([], past_run)?;
            rows.collect()
        })
    }

    /// A run with its changes, in their order; nothing if there is none of that number.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn past(&self, number: i64) -> Result<Option<(PastRun, Vec<PastStep>)>, StoreError> {
        self.with(|c| {
            let run =
                c.query_row(&format!("{RUNS} WHERE id = ?1"), [number], past_run).optional()?;
            run.map(|run| Ok((run, steps(c, number)?))).transpose()
        })
    }
}

fn past_run(row: &Row<'_>) -> rusqlite::Result<PastRun> {
    Ok(PastRun {
        number: row.get(0)?,
        kind: row.get(1)?,
        started: time(row.get(2)?),
        finished: row.get::<_, Option<i64>>(3)?.map(time),
        changed: row.get(4)?,
        failed: row.get(5)?,
    })
}

fn steps(connection: &Connection, run: i64) -> rusqlite::Result<Vec<PastStep>> {
    let mut steps = connection.prepare(
        "SELECT resource, action, begun, ok, changes FROM steps WHERE run = ?1 ORDER BY rowid",
    )?;
    let rows = steps.query_map([run], |row| {
        Ok(PastStep {
            resource: row.get(0)?,
            action: row.get(1)?,
            begun: time(row.get(2)?),
            ok: row.get(3)?,
            changes: changes(row.get::<_, Option<String>>(4)?),
        })
    })?;
    rows.collect()
}

fn changes(text: Option<String>) -> Vec<(String, String)> {
    let list: Json = text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    let member = |change: &Json, name: &str| change[name].as_str().unwrap_or_default().to_string();
    let changes = list.as_array().into_iter().flatten();
    changes.map(|change| (member(change, "property"), member(change, "message"))).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;

    use super::*;

    #[test]
    fn runs_with_their_changes() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        let first = store.begin("apply").unwrap();
        let changes = json!([{ "property": "mode", "message": "mode changed '0600' to '0644'" }]);
        store.begin_step(first, "File[/a]", "modify", &changes).unwrap();
        store.end_step(first, "File[/a]", true).unwrap();
        store.begin_step(first, "File[/b]", "create", &json!([])).unwrap();
        store.end_step(first, "File[/b]", false).unwrap();
        store.finish(first, &Json::Null).unwrap();
        let second = store.begin("watch").unwrap();
        store.begin_step(second, "File[/c]", "create", &json!([])).unwrap();
        let runs = store.runs().unwrap();
        let shown: Vec<_> = runs
            .iter()
            .map(|r| (r.number, r.kind.as_str(), r.finished.is_some(), r.changed, r.failed))
            .collect();
        assert_eq!(shown, [(2, "watch", false, 0, 1), (1, "apply", true, 1, 1)]);
        let (run, steps) = store.past(1).unwrap().unwrap();
        assert_eq!(run, runs[1]);
        let message = "mode changed '0600' to '0644'".to_string();
        assert_eq!(steps[0].changes, [("mode".to_string(), message)]);
        assert_eq!(steps.iter().map(|s| s.ok).collect::<Vec<_>>(), [Some(true), Some(false)]);
        assert!(store.past(3).unwrap().is_none());
    }
}
