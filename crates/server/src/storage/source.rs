//! The node that data belongs to, and the receipt for the data.

use ordain_ca::Certname;
use ordain_data::{Value as Data, json};
use serde_json::Value as Json;
use tokio::sync::oneshot;

/// Tells when something is stored, or the reason why it is not.
pub(crate) type Receipt = oneshot::Receiver<Result<(), String>>;

/// Waits until something is stored.
///
/// # Errors
/// The reason why it is not.
pub(crate) async fn stored(receipt: Receipt) -> Result<(), String> {
    receipt.await.unwrap_or_else(|_| Err("the database has stopped".to_string()))
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
pub(super) fn refused(reason: String) -> Receipt {
    receipt(Err(reason))
}

/// The receipt for something that need not be stored.
pub(super) fn done() -> Receipt {
    receipt(Ok(()))
}

fn receipt(result: Result<(), String>) -> Receipt {
    let (sender, receiver) = oneshot::channel();
    // The receiver is here, so sending cannot fail.
    let _ = sender.send(result);
    receiver
}
