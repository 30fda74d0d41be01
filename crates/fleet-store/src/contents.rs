//! Contents by digest, and secrets by name.

use sha2::{Digest as _, Sha256};

use crate::compression::{compress, decompress};
use crate::database::Connection;
use crate::error::FleetStoreError;
use crate::key::StoreKey;
use crate::time::DAY;
use crate::value::Value;

/// The digest of a content: its SHA-256, or an HMAC if the content is secret.
pub type Digest = [u8; 32];

/// Stores a content, deduplicated by digest, and returns the digest. Without the key, the database
/// reveals nothing about a secret content except its size.
///
/// # Errors
/// When the database fails.
pub fn put_content(
    connection: &mut dyn Connection,
    key: &StoreKey,
    content: &[u8],
    is_secret: bool,
    now: i64,
) -> Result<Digest, FleetStoreError> {
    let digest: Digest = if is_secret { key.name(content) } else { Sha256::digest(content).into() };
    // The garbage collection deletes unreferenced contents after a day; this content is in use.
    let sql = "UPDATE contents SET stored = $1 WHERE digest = $2";
    if connection.execute(sql, &[now.into(), digest.as_slice().into()])? > 0 {
        return Ok(digest);
    }
    let mut data = compress(content)?;
    if is_secret {
        data = key.encrypt(&digest, &data)?;
    }
    insert_content(connection, &digest, content.len(), (is_secret, data), now)?;
    Ok(digest)
}

/// Stores a content without secrets that nodes share. Unlike [`put_content`], it writes nothing
/// about a content that is stored already: transactions about other nodes do not wait for it.
pub(crate) fn put_shared_content(
    connection: &mut dyn Connection,
    content: &[u8],
    now: i64,
) -> Result<Digest, FleetStoreError> {
    let digest: Digest = Sha256::digest(content).into();
    let sql = "SELECT stored FROM contents WHERE digest = $1";
    let stored = connection.value(sql, &[digest.as_slice().into()])?;
    // The garbage collection deletes unreferenced contents after a day; the last reference to this
    // one may be deleted now.
    match stored.map(|stored| stored.integer()).transpose()? {
        Some(stored) if stored > now.saturating_sub(DAY / 2) => {}
        Some(_) => {
            let sql = "UPDATE contents SET stored = $1 WHERE digest = $2";
            connection.execute(sql, &[now.into(), digest.as_slice().into()])?;
        }
        None => {
            insert_content(connection, &digest, content.len(), (false, compress(content)?), now)?
        }
    }
    Ok(digest)
}

/// Inserts the data of a content, unless another transaction has done so.
fn insert_content(
    connection: &mut dyn Connection,
    digest: &Digest,
    size: usize,
    (is_secret, data): (bool, Vec<u8>),
    now: i64,
) -> Result<(), FleetStoreError> {
    let sql = "INSERT INTO contents (digest, size, is_secret, data, stored)
               VALUES ($1, $2, $3, $4, $5) ON CONFLICT (digest) DO NOTHING";
    let size = i64::try_from(size).unwrap_or(i64::MAX);
    let row = [digest.as_slice().into(), size.into(), is_secret.into(), data.into(), now.into()];
    connection.execute(sql, &row).map(drop)
}

/// The content with a digest.
///
/// # Errors
/// When the database fails, the content is damaged, or the key is wrong.
pub fn content(
    connection: &mut dyn Connection,
    key: &StoreKey,
    digest: &Digest,
) -> Result<Option<Vec<u8>>, FleetStoreError> {
    let sql = "SELECT is_secret, data FROM contents WHERE digest = $1";
    let Some(row) = connection.row(sql, &[digest.as_slice().into()])? else { return Ok(None) };
    let [is_secret, data] = row.as_slice() else {
        return Err(FleetStoreError::failed("two columns expected"));
    };
    let hex = || digest.iter().map(|b| format!("{b:02x}")).collect();
    let data = data.bytes()?;
    let is_secret = is_secret.boolean()?;
    let plain = if is_secret {
        let opened = key.decrypt(digest, data);
        decompress(&opened.ok_or_else(|| FleetStoreError::DecryptionFailed { name: hex() })?)?
    } else {
        decompress(data)?
    };
    let found: Digest = if is_secret { key.name(&plain) } else { Sha256::digest(&plain).into() };
    if found != *digest {
        return Err(FleetStoreError::failed(format!("the content {} is damaged", hex())));
    }
    Ok(Some(plain))
}

/// Stores a secret under a name, such as the key of the certificate authority.
///
/// # Errors
/// When the database fails.
pub fn put_secret(
    connection: &mut dyn Connection,
    key: &StoreKey,
    name: &str,
    secret: &[u8],
    now: i64,
) -> Result<(), FleetStoreError> {
    let sealed = key.encrypt(name.as_bytes(), secret)?;
    let sql = "INSERT INTO secrets (name, sealed, updated) VALUES ($1, $2, $3)
               ON CONFLICT (name) DO UPDATE SET sealed = excluded.sealed, updated = excluded.updated";
    connection.execute(sql, &[name.into(), sealed.into(), now.into()]).map(drop)
}

/// The secret with a name.
///
/// # Errors
/// When the database fails, or the key is wrong.
pub fn secret(
    connection: &mut dyn Connection,
    key: &StoreKey,
    name: &str,
) -> Result<Option<Vec<u8>>, FleetStoreError> {
    let sealed = connection.value("SELECT sealed FROM secrets WHERE name = $1", &[name.into()])?;
    let Some(sealed) = sealed else { return Ok(None) };
    let opened = key.decrypt(name.as_bytes(), sealed.bytes()?);
    opened.map(Some).ok_or_else(|| FleetStoreError::DecryptionFailed { name: name.into() })
}

/// A digest in a column.
pub(crate) fn digest(value: &Value) -> Result<Digest, FleetStoreError> {
    let bytes = value.bytes()?;
    bytes.try_into().map_err(|_| FleetStoreError::failed("a digest has a wrong length"))
}
