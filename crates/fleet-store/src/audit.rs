//! The audit log: an append-only hash chain.

use std::ops::ControlFlow;

use serde_json::{Map, Value as Json};
use sha2::{Digest as _, Sha256};

use crate::canonical::{Keys, write};
use crate::contents::{Digest, digest};
use crate::database::Connection;
use crate::error::FleetStoreError;
use crate::value::Value;

/// An action for the log.
#[derive(Debug, Clone, Copy)]
pub struct AuditEntry<'a> {
    /// When, in microseconds since 1970.
    pub at: i64,
    /// The person or program that acted: the name of a certificate or a user.
    pub actor: &'a str,
    /// The action, such as `sign`.
    pub action: &'a str,
    /// The subject, such as a certname.
    pub subject: &'a str,
    /// Further details.
    pub detail: &'a Map<String, Json>,
}

/// Appends an entry and returns its number. Entries are numbered from 1 without gaps.
///
/// # Errors
/// When the database fails. If two servers append at once, one of them repeats its transaction.
pub fn append_audit(
    connection: &mut dyn Connection,
    entry: &AuditEntry<'_>,
) -> Result<i64, FleetStoreError> {
    let sql = "SELECT sequence, hash FROM audit_log ORDER BY sequence DESC LIMIT 1";
    let (last, previous) = match connection.row(sql, &[])?.as_deref() {
        Some([sequence, hash]) => (sequence.integer()?, digest(hash)?),
        _ => (0, Digest::default()),
    };
    let mut detail = String::new();
    write(&mut detail, &Json::Object(entry.detail.clone()), Keys::Strings);
    let texts = [entry.actor, entry.action, entry.subject, &detail];
    let hash = hash(last + 1, entry.at, texts, &previous);
    let sql = "INSERT INTO audit_log (sequence, at, actor, action, subject, detail, previous_hash,
                   hash) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    let row = [
        (last + 1).into(),
        entry.at.into(),
        entry.actor.into(),
        entry.action.into(),
        entry.subject.into(),
        detail.into(),
        previous.as_slice().into(),
        hash.as_slice().into(),
    ];
    connection.execute(sql, &row)?;
    Ok(last + 1)
}

fn hash(sequence: i64, at: i64, texts: [&str; 4], previous: &Digest) -> Digest {
    let mut hash = Sha256::new();
    hash.update(previous);
    hash.update(sequence.to_be_bytes());
    hash.update(at.to_be_bytes());
    for text in texts {
        // Without the lengths, different entries could give the same bytes.
        hash.update((text.len() as u64).to_be_bytes());
        hash.update(text);
    }
    hash.finalize().into()
}

/// Checks the whole log. Returns the number and the hash of its last entry. Entries that were
/// removed from the end are only noticed by comparing these two with earlier results.
///
/// # Errors
/// [`FleetStoreError::Audit`] names the first entry that was changed or removed.
pub fn verify_audit(connection: &mut dyn Connection) -> Result<(i64, Digest), FleetStoreError> {
    let mut last = 0;
    let mut previous = Digest::default();
    let sql = "SELECT sequence, at, actor, action, subject, detail, previous_hash, hash
               FROM audit_log ORDER BY sequence";
    connection.each(sql, &[], &mut |row| {
        let changed = FleetStoreError::Audit { sequence: last + 1 };
        let [sequence, at, actor, action, subject, detail, before, stored] = row else {
            return Err(changed);
        };
        let sequence = sequence.integer()?;
        let texts = [actor.text()?, action.text()?, subject.text()?, detail.text()?];
        let expected = hash(sequence, at.integer()?, texts, &previous);
        let is_intact = sequence == last + 1
            && *before == Value::from(previous.as_slice())
            && *stored == Value::from(expected.as_slice());
        if !is_intact {
            return Err(changed);
        }
        last = sequence;
        previous = expected;
        Ok(ControlFlow::Continue(()))
    })?;
    Ok((last, previous))
}
