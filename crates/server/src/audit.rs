//! The audit log: who did something about nodes, certificates and users.

use ordain_fleet_store::{AuditEntry, append_audit, now, write};
use serde_json::{Map, Value as Json};

use crate::reply::Reply;
use crate::server::Server;

/// An action for the log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Action<'a> {
    /// The user: the name of a certificate, or the one of the provider or proxy.
    pub(crate) actor: &'a str,
    /// The action, such as `ca-sign`.
    pub(crate) action: &'a str,
    /// The subject, such as the name of a node.
    pub(crate) subject: &'a str,
}

impl Server {
    /// Appends an action to the log. Blocks.
    ///
    /// # Errors
    /// The reply if the log cannot be written.
    pub(crate) fn append_audit(
        &self,
        action: Action<'_>,
        detail: &Map<String, Json>,
    ) -> Result<(), Reply> {
        let Action { actor, action, subject } = action;
        let entry = AuditEntry { at: now(), actor, action, subject, detail };
        let append = write(self.queries.database(), |connection| append_audit(connection, &entry));
        match append {
            Ok(_) => Ok(()),
            Err(error) => {
                tracing::error!(%error, actor, action, subject, "the audit log cannot be written");
                Err(self.overloaded())
            }
        }
    }

    /// Appends something that was done already. Blocks. Without a database it is in the server's log
    /// only: certificates can be revoked nevertheless.
    pub(crate) fn note_audit(&self, action: Action<'_>) {
        let Action { actor, action: word, subject } = action;
        tracing::info!(actor, subject, "{word}");
        // The error is in the log.
        let _ = self.append_audit(action, &Map::new());
    }
}
