//! The node that data belongs to, and the receipt for the data.

use ordain_ca::Certname;
use ordain_data::{Value as Data, json};
use ordain_fleet_store::FleetStoreError;
use serde_json::Value as Json;
use tokio::sync::oneshot;

/// Tells when something is stored, or the reason why it is not.
pub(crate) type Receipt = oneshot::Receiver<Result<(), NotStored>>;

/// The reason why something is not stored.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum NotStored {
    /// The data is wrong.
    #[error("{0}")]
    Refused(String),
    /// The database is not available or too slow; it may work later.
    #[error("{0}")]
    Busy(String),
    /// The database has another catalog than this server thought, so the ids of that one were not
    /// changed. The same request stores the whole catalog.
    #[error("another server has stored another catalog")]
    Outdated,
    /// The database has failed.
    #[error("{0}")]
    Failed(String),
}

impl From<&FleetStoreError> for NotStored {
    fn from(error: &FleetStoreError) -> Self {
        match error {
            FleetStoreError::Refused { reason } => Self::Refused(reason.clone()),
            FleetStoreError::Unavailable { .. } => Self::Busy(error.to_string()),
            _ => Self::Failed(error.to_string()),
        }
    }
}

/// Waits until something is stored.
///
/// # Errors
/// The reason why it is not.
pub(crate) async fn stored(receipt: Receipt) -> Result<(), NotStored> {
    receipt.await.unwrap_or_else(|_| Err(stopped()))
}

/// The thread that writes has ended.
pub(super) fn stopped() -> NotStored {
    NotStored::Failed("the database has stopped".to_string())
}

/// A node, and the request that brings something about it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source<'a> {
    /// The node's name.
    pub(crate) node: &'a Certname,
    /// The environment.
    pub(crate) environment: &'a str,
    /// The agent's run.
    pub(crate) transaction: Option<&'a str>,
}

/// Data as JSON, without secrets.
pub(super) fn plain(data: &Data) -> Json {
    serde_json::from_str(&json::compact(&data.without_secrets())).unwrap_or_default()
}

/// The receipt for something that is not stored.
pub(super) fn not_stored(reason: NotStored) -> Receipt {
    receipt(Err(reason))
}

/// The receipt for something that need not be stored.
pub(super) fn done() -> Receipt {
    receipt(Ok(()))
}

fn receipt(result: Result<(), NotStored>) -> Receipt {
    let (sender, receiver) = oneshot::channel();
    // The receiver is here, so sending cannot fail.
    let _ = sender.send(result);
    receiver
}
