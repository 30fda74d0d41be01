//! The history of runs in the journal.

use std::time::SystemTime;

use rusqlite::{Connection, OptionalExtension, Row, params};
use serde_json::Value as Json;

use crate::error::StoreError;
use crate::journal::{Run, RunTarget, Store, time};

/// A run in the journal.
#[derive(Clone, PartialEq, Debug)]
pub struct RunRecord {
    /// Its number.
    pub number: i64,
    /// The verb, such as `apply`.
    pub kind: String,
    /// The start time.
    pub started: SystemTime,
    /// The end time, if it completed.
    pub finished: Option<SystemTime>,
    /// The number of changed resources.
    pub changed: u32,
    /// The number of resources that failed, or were being changed when the run was killed.
    pub failed: u32,
    /// The number of resources that were skipped because of other failures, or by their kind.
    pub skipped: u32,
    /// What was applied, and where.
    pub subject: RunTarget,
}

/// A resource that did not reach its desired state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// The resource.
    pub resource: String,
    /// The name of its status, such as `failed`.
    pub status: String,
    /// The log lines about it; must not contain secrets.
    pub cause: String,
    /// The file that declares it, and the line.
    pub place: Option<(String, u32)>,
    /// Whether it reached its desired state later in the same run.
    pub is_over: bool,
}

/// A change in the journal.
#[derive(Clone, PartialEq, Debug)]
pub struct StepRecord {
    /// The resource.
    pub resource: String,
    /// The action, such as `create`.
    pub action: String,
    /// The start time.
    pub begun: SystemTime,
    /// Whether it succeeded; `None` if it did not complete.
    pub ok: Option<bool>,
    /// The changed properties with their messages.
    pub changes: Vec<(String, String)>,
}

const RUNS: &str = "SELECT id, kind, started, finished,
    (SELECT count(DISTINCT resource) FROM steps WHERE run = runs.id AND ok = 1),
    (SELECT count(*) FROM (
        SELECT resource FROM outcomes WHERE run = runs.id AND status = 'failed' AND is_over = 0
        UNION SELECT resource FROM steps WHERE run = runs.id AND ok IS NOT 1 AND resource NOT IN (
            SELECT resource FROM outcomes WHERE run = runs.id))),
    (SELECT count(*) FROM outcomes WHERE run = runs.id AND status != 'failed' AND is_over = 0),
    source, node, account, root
    FROM runs";

impl Store {
    /// All known runs, the latest first.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn runs(&self) -> Result<Vec<RunRecord>, StoreError> {
        self.with(|c| {
            let mut runs = c.prepare(&format!("{RUNS} ORDER BY id DESC"))?;
            let rows = runs.query_map([], past_run)?;
            rows.collect()
        })
    }

    /// Records the outcome of a resource that did not reach its desired state.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn note_outcome(&self, run: Run, outcome: &Outcome) -> Result<(), StoreError> {
        let (file, line) = outcome.place.as_ref().map(|(file, line)| (file, line)).unzip();
        self.with(|c| {
            let mut put = c.prepare_cached(
                "INSERT OR REPLACE INTO outcomes (run, resource, status, cause, file, line, is_over)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            )?;
            let Outcome { resource, status, cause, is_over, .. } = outcome;
            put.execute(params![run.0, resource, status, cause, file, line, is_over]).map(drop)
        })
    }

    /// Records that a resource with a recorded outcome reached its desired state later.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn note_recovered(&self, run: Run, resource: &str) -> Result<(), StoreError> {
        self.with(|c| {
            let mut update = c.prepare_cached(
                "UPDATE outcomes SET is_over = 1 WHERE run = ?1 AND resource = ?2",
            )?;
            update.execute(params![run.0, resource]).map(drop)
        })
    }

    /// The resources of a run that did not reach their desired state, by their names.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn outcomes(&self, number: i64) -> Result<Vec<Outcome>, StoreError> {
        self.with(|c| {
            let mut found = c.prepare(
                "SELECT resource, status, cause, file, line, is_over FROM outcomes
                 WHERE run = ?1 ORDER BY resource",
            )?;
            let rows = found.query_map([number], |row| {
                let file: Option<String> = row.get(3)?;
                Ok(Outcome {
                    resource: row.get(0)?,
                    status: row.get(1)?,
                    cause: row.get(2)?,
                    place: file.zip(row.get::<_, Option<u32>>(4)?),
                    is_over: row.get(5)?,
                })
            })?;
            rows.collect()
        })
    }

    /// A run with its changes, in their order; `None` if the number is unknown.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn past(&self, number: i64) -> Result<Option<(RunRecord, Vec<StepRecord>)>, StoreError> {
        self.with(|c| {
            let run =
                c.query_row(&format!("{RUNS} WHERE id = ?1"), [number], past_run).optional()?;
            run.map(|run| Ok((run, steps(c, number)?))).transpose()
        })
    }
}

fn past_run(row: &Row<'_>) -> rusqlite::Result<RunRecord> {
    Ok(RunRecord {
        number: row.get(0)?,
        kind: row.get(1)?,
        started: time(row.get(2)?),
        finished: row.get::<_, Option<i64>>(3)?.map(time),
        changed: row.get(4)?,
        failed: row.get(5)?,
        skipped: row.get(6)?,
        subject: RunTarget {
            source: row.get(7)?,
            node: row.get(8)?,
            account: row.get(9)?,
            root: row.get(10)?,
        },
    })
}

fn steps(connection: &Connection, run: i64) -> rusqlite::Result<Vec<StepRecord>> {
    let mut steps = connection.prepare(
        "SELECT resource, action, begun, ok, changes FROM steps WHERE run = ?1 ORDER BY rowid",
    )?;
    let rows = steps.query_map([run], |row| {
        Ok(StepRecord {
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
        let first = store.begin("apply", &RunTarget::default()).unwrap();
        let changes = json!([{ "property": "mode", "message": "mode changed '0600' to '0644'" }]);
        store.begin_step(first, "File[/a]", "modify", &changes).unwrap();
        store.end_step(first, "File[/a]", true).unwrap();
        store.begin_step(first, "File[/b]", "create", &json!([])).unwrap();
        store.end_step(first, "File[/b]", false).unwrap();
        store.finish(first, &Json::Null).unwrap();
        let second = store.begin("watch", &RunTarget::default()).unwrap();
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

    #[test]
    fn a_run_says_what_it_was_of_and_what_failed_and_why() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        let subject = RunTarget {
            source: Some("/srv/site.pp".into()),
            node: Some("web1".into()),
            account: Some("root".into()),
            root: None,
        };
        let run = store.begin("apply", &subject).unwrap();
        let outcome = |resource: &str, status: &str, cause: &str| Outcome {
            resource: resource.into(),
            status: status.into(),
            cause: cause.into(),
            place: Some(("/srv/site.pp".into(), 7)),
            is_over: false,
        };
        store.begin_step(run, "Exec[a]", "run", &json!([])).unwrap();
        store.end_step(run, "Exec[a]", false).unwrap();
        let failed = outcome("Exec[a]", "failed", "returned 1");
        let skipped = outcome("File[b]", "skipped-for-failure", "Exec[a] failed");
        let flaky = outcome("File[c]", "failed", "the disk is full");
        for one in [&skipped, &failed, &flaky] {
            store.note_outcome(run, one).unwrap();
        }
        store.note_recovered(run, "File[c]").unwrap();
        let found = &store.runs().unwrap()[0];
        assert_eq!((found.changed, found.failed, found.skipped), (0, 1, 1));
        assert_eq!(found.subject, subject);
        let flaky = Outcome { is_over: true, ..flaky };
        assert_eq!(store.outcomes(1).unwrap(), [failed, skipped, flaky]);
    }
}
