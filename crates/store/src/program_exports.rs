//! Resources that programs export to hosts by name, in an encoding that only they know. They are
//! stored in the database of exported resources.

use ecow::EcoString;
use rusqlite::params;

use crate::{ExportStore, StoreError};

/// A resource that a host exports to others.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ProgramExport {
    /// Its kind.
    pub kind: EcoString,
    /// Its name.
    pub name: EcoString,
    /// The target hosts; `*` is all of them.
    pub hosts: Vec<EcoString>,
    /// The resource, encoded.
    pub data: EcoString,
}

impl ExportStore {
    /// Replaces all exports of a host in one transaction. Equal exports are not written, so that
    /// watches of the database see no change.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn give(&self, host: &str, given: &[ProgramExport]) -> Result<(), StoreError> {
        let mut wanted = given.to_vec();
        wanted.sort();
        if self.given_by(host)? == wanted {
            return Ok(());
        }
        self.with(|connection| {
            let transaction = connection.transaction()?;
            transaction.execute("DELETE FROM given WHERE host = ?1", [host])?;
            let mut insert = transaction.prepare(
                "INSERT OR REPLACE INTO given (host, kind, name, hosts, data)
                 VALUES (?1, ?2, ?3, ?4, ?5)",
            )?;
            for one in &wanted {
                let (kind, name, data) = (one.kind.as_str(), one.name.as_str(), one.data.as_str());
                insert.execute(params![host, kind, name, text(&one.hosts), data])?;
            }
            drop(insert);
            transaction.commit()
        })?;
        self.announce_commit();
        Ok(())
    }

    fn given_by(&self, host: &str) -> Result<Vec<ProgramExport>, StoreError> {
        let mut found = self.with(|connection| {
            let mut select = connection
                .prepare_cached("SELECT kind, name, hosts, data FROM given WHERE host = ?1")?;
            let rows = select.query_map([host], |row| {
                let column = |at| row.get::<_, String>(at).map(EcoString::from);
                let hosts = list(&column(2)?);
                Ok(ProgramExport { kind: column(0)?, name: column(1)?, hosts, data: column(3)? })
            })?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        })?;
        found.sort();
        Ok(found)
    }

    /// The resources of a kind that hosts export to this one, each with its host, sorted by name.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn given_to(
        &self,
        host: &str,
        kind: &str,
    ) -> Result<Vec<(EcoString, ProgramExport)>, StoreError> {
        let found = self.with(|connection| {
            let mut select = connection.prepare_cached(
                "SELECT host, name, hosts, data FROM given WHERE kind = ?1 ORDER BY name, host",
            )?;
            let rows = select.query_map([kind], |row| {
                let column = |at| row.get::<_, String>(at).map(EcoString::from);
                let (name, hosts, data) = (column(1)?, list(&column(2)?), column(3)?);
                Ok((column(0)?, ProgramExport { kind: kind.into(), name, hosts, data }))
            })?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        })?;
        let is_for_it =
            |given: &ProgramExport| given.hosts.iter().any(|name| name == "*" || name == host);
        Ok(found.into_iter().filter(|(_, given)| is_for_it(given)).collect())
    }
}

fn text(hosts: &[EcoString]) -> String {
    serde_json::Value::from_iter(hosts.iter().map(EcoString::as_str)).to_string()
}

/// An invalid list names no host.
fn list(text: &str) -> Vec<EcoString> {
    let names: Vec<String> = serde_json::from_str(text).unwrap_or_default();
    names.into_iter().map(EcoString::from).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn given(kind: &str, name: &str, hosts: &[&str]) -> ProgramExport {
        let hosts = hosts.iter().copied().map(EcoString::from).collect();
        ProgramExport { kind: kind.into(), name: name.into(), hosts, data: "{}".into() }
    }

    #[test]
    fn each_host_gets_what_is_for_it() {
        let dir = tempfile::tempdir().unwrap();
        let store = ExportStore::open(dir.path()).unwrap();
        store.give("a", &[given("file", "y", &["*"]), given("file", "x", &["b", "c"])]).unwrap();
        store.give("b", &[given("file", "x", &["c"]), given("user", "u", &["b"])]).unwrap();
        let names = |host: &str, kind: &str| -> Vec<String> {
            let found = store.given_to(host, kind).unwrap();
            found.iter().map(|(from, given)| format!("{from} {}", given.name)).collect()
        };
        assert_eq!(names("a", "file"), ["a y"]);
        assert_eq!(names("b", "file"), ["a x", "a y"]);
        assert_eq!(names("c", "file"), ["a x", "b x", "a y"]);
        assert_eq!(names("b", "user"), ["b u"]);
        store.give("a", &[]).unwrap();
        assert_eq!(names("c", "file"), ["b x"]);
    }

    #[test]
    fn equal_exports_are_not_written() {
        let dir = tempfile::tempdir().unwrap();
        let store = ExportStore::open(dir.path()).unwrap();
        let all = [given("file", "y", &["*"]), given("file", "x", &["b"])];
        store.give("a", &all).unwrap();
        let size = || store.files().map(|path| std::fs::metadata(path).unwrap().len());
        let before = size();
        store.give("a", &all).unwrap();
        assert_eq!(size(), before);
        store.give("a", &all[..1]).unwrap();
        assert_ne!(size(), before);
    }
}
