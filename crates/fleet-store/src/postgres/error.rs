//! Errors of connections.

use std::error::Error as _;

use crate::error::FleetStoreError;

/// The message of an error and its causes.
pub(super) fn describe(error: &tokio_postgres::Error) -> String {
    if let Some(database) = error.as_db_error() {
        return database.message().to_owned();
    }
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text.push_str(": ");
            text.push_str(&cause_text);
        }
        source = cause.source();
    }
    text
}

/// An error of the connection, by its kind.
pub(super) fn error(error: &tokio_postgres::Error) -> FleetStoreError {
    let reason = describe(error);
    let Some(code) = error.code().map(|code| code.code().to_owned()) else {
        return if error.is_closed() || error.as_db_error().is_none() && is_io(error) {
            FleetStoreError::Unavailable { reason }
        } else {
            FleetStoreError::failed(reason)
        };
    };
    // Connection errors, exhausted resources such as the disk, operator interventions, read-only
    // standbys.
    let is_temporary = ["08", "53", "57P", "25006"].iter().any(|class| code.starts_with(class));
    if is_temporary {
        FleetStoreError::Unavailable { reason }
    } else {
        FleetStoreError::Failed { reason, code: Some(code) }
    }
}

fn is_io(error: &tokio_postgres::Error) -> bool {
    let mut source = error.source();
    while let Some(cause) = source {
        if cause.is::<std::io::Error>() {
            return true;
        }
        source = cause.source();
    }
    false
}
