//! The last values of audited properties.

use rusqlite::params;

use crate::error::StoreError;
use crate::journal::Store;

impl Store {
    /// The last audited values of a resource, by property.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn audited(&self, resource: &str) -> Result<Vec<(String, String)>, StoreError> {
        self.with(|c| {
            let mut found = c.prepare_cached(
                "SELECT property, value FROM audited WHERE resource = ?1 ORDER BY property",
            )?;
            let rows = found.query_map([resource], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect()
        })
    }

    /// Replaces the audited values of a resource.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn note_audited(
        &self,
        resource: &str,
        values: &[(String, String)],
    ) -> Result<(), StoreError> {
        self.with(|c| {
            let changes = c.unchecked_transaction()?;
            changes.execute("DELETE FROM audited WHERE resource = ?1", [resource])?;
            for (property, value) in values {
                changes.execute(
                    "INSERT INTO audited (resource, property, value) VALUES (?1, ?2, ?3)",
                    params![resource, property, value],
                )?;
            }
            changes.commit()
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_last_observation_wins() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        let seen = |values: &[(&str, &str)]| -> Vec<(String, String)> {
            values.iter().map(|(p, v)| (p.to_string(), v.to_string())).collect()
        };
        assert!(store.audited("File[/a]").unwrap().is_empty());
        store.note_audited("File[/a]", &seen(&[("mode", "0644"), ("owner", "root")])).unwrap();
        store.note_audited("File[/a]", &seen(&[("mode", "0600")])).unwrap();
        assert_eq!(store.audited("File[/a]").unwrap(), seen(&[("mode", "0600")]));
    }
}
