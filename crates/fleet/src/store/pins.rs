//! Changes of the database: pins, and nodes that are deactivated.

use ordain_fleet_store::{
    Pin, deactivate_node, format_time, known_revisions, now, pins, put_pin, read, remove_pin, write,
};
use ordain_source::suggest;
use serde::Serialize;

use super::{NodeStore, failed};
use crate::error::FleetError;

/// A node that is pinned to a revision.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct StoredPin {
    /// The node.
    pub node: String,
    /// The id of the revision.
    pub revision: String,
    /// When it was pinned, in RFC 3339, in UTC.
    pub pinned: String,
    /// The user who pinned it.
    pub actor: String,
}

impl NodeStore {
    /// All pins, in the order of their nodes.
    ///
    /// # Errors
    /// When the database fails.
    pub fn pins(&self) -> Result<Vec<StoredPin>, FleetError> {
        let found = read(&*self.database, None, pins).map_err(failed)?;
        let pin = |pin: Pin| StoredPin {
            node: pin.certname,
            revision: pin.revision,
            pinned: format_time(pin.pinned),
            actor: pin.actor,
        };
        Ok(found.into_iter().map(pin).collect())
    }

    /// The id of the revision that begins with a text, among those of stored catalogs and reports.
    /// With `is_forced`, an unknown revision is taken as it is.
    ///
    /// # Errors
    /// When the database fails, or no or several revisions begin with the text.
    pub fn revision(&self, text: &str, is_forced: bool) -> Result<String, FleetError> {
        let known = read(&*self.database, None, known_revisions).map_err(failed)?;
        if known.iter().any(|id| id == text) {
            return Ok(text.to_owned());
        }
        let mut matching = known.iter().filter(|id| !text.is_empty() && id.starts_with(text));
        match (matching.next(), matching.next()) {
            (Some(id), None) => Ok(id.clone()),
            _ if is_forced => Ok(text.to_owned()),
            (Some(_), Some(_)) => {
                Err(FleetError::Rule(format!("the ids of several revisions begin with {text}")))
            }
            (None, _) => {
                let near = suggest::nearest(text, known.iter().map(String::as_str));
                let near = near.map(str::to_owned);
                Err(FleetError::UnknownRevision { id: text.to_owned(), near })
            }
        }
    }

    /// Has the server compile this revision for a node from now on. Returns the revision before, if
    /// the node was pinned.
    ///
    /// # Errors
    /// When the database fails.
    pub fn pin(
        &self,
        node: &str,
        revision: &str,
        actor: &str,
    ) -> Result<Option<String>, FleetError> {
        let pin = Pin {
            certname: node.to_owned(),
            revision: revision.to_owned(),
            pinned: now(),
            actor: actor.to_owned(),
        };
        write(&*self.database, |connection| put_pin(connection, &pin)).map_err(failed)
    }

    /// Has the server compile the current revision for a node again. Returns its revision, if the
    /// node was pinned.
    ///
    /// # Errors
    /// When the database fails.
    pub fn unpin(&self, node: &str, actor: &str) -> Result<Option<String>, FleetError> {
        let now = now();
        write(&*self.database, |connection| remove_pin(connection, node, actor, now))
            .map_err(failed)
    }

    /// Deactivates a node, until it sends data again.
    ///
    /// # Errors
    /// When the database fails.
    pub fn deactivate(&self, node: &str, actor: &str) -> Result<(), FleetError> {
        let now = now();
        let deactivate = |connection: &mut dyn ordain_fleet_store::Connection| {
            deactivate_node(connection, node, actor, now)
        };
        write(&*self.database, deactivate).map_err(failed).map(drop)
    }
}
