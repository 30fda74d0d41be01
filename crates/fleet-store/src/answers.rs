//! Stored answers: catalogs that are sent again while no input of their compile changes.

use crate::contents::{Digest, content, digest, put_content};
use crate::database::Connection;
use crate::error::FleetStoreError;
use crate::key::StoreKey;
use crate::value::Value;

/// The request that an answer belongs to.
#[derive(Debug, Clone, Copy)]
pub struct AnswerKey<'a> {
    /// The node.
    pub certname: &'a str,
    /// The environment.
    pub environment: &'a str,
    /// Tells apart requests of the same node and environment, such as those for different catalog
    /// formats.
    pub variant: &'a str,
}

/// A stored answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The revision of the code.
    pub code_id: Option<String>,
    /// When it was compiled, in microseconds since 1970.
    pub compiled: i64,
    /// When a compile last returned the same catalog.
    pub verified: Option<i64>,
    /// The digest of the catalog.
    pub catalog: Digest,
    /// The compile record, serialized.
    pub inputs: Vec<u8>,
}

/// Stores an answer, and replaces the previous one. Both the catalog and the compile record may
/// contain secrets, so both are encrypted.
///
/// # Errors
/// When the database fails.
pub fn put_answer(
    connection: &mut dyn Connection,
    key: &StoreKey,
    answer_key: &AnswerKey<'_>,
    code_id: Option<&str>,
    (catalog, inputs): (&[u8], &[u8]),
    now: i64,
) -> Result<(), FleetStoreError> {
    let node = crate::ingest::node_id(connection, answer_key.certname, now)?;
    let catalog = put_content(connection, key, catalog, true, now)?;
    let inputs = put_content(connection, key, inputs, true, now)?;
    let sql = "INSERT INTO compile_answers (certname_id, environment, variant, code_id, compiled,
                   content_digest, inputs_digest) VALUES ($1, $2, $3, $4, $5, $6, $7)
               ON CONFLICT (certname_id, environment, variant) DO UPDATE SET
                   code_id = excluded.code_id, compiled = excluded.compiled, verified = NULL,
                   content_digest = excluded.content_digest, inputs_digest = excluded.inputs_digest";
    let row = [
        node,
        answer_key.environment.into(),
        answer_key.variant.into(),
        code_id.map(str::to_owned).into(),
        now.into(),
        catalog.as_slice().into(),
        inputs.as_slice().into(),
    ];
    connection.execute(sql, &row).map(drop)
}

/// The stored answer to a request, without its catalog: call [`content`] for that once the inputs
/// are known to be unchanged.
///
/// # Errors
/// When the database fails, or the key is wrong.
pub fn answer(
    connection: &mut dyn Connection,
    key: &StoreKey,
    answer_key: &AnswerKey<'_>,
) -> Result<Option<Answer>, FleetStoreError> {
    let sql = "SELECT a.code_id, a.compiled, a.verified, a.content_digest, a.inputs_digest
               FROM compile_answers a JOIN certnames c ON c.id = a.certname_id
               WHERE c.certname = $1 AND a.environment = $2 AND a.variant = $3";
    let parameters =
        [answer_key.certname.into(), answer_key.environment.into(), answer_key.variant.into()];
    let Some(row) = connection.row(sql, &parameters)? else { return Ok(None) };
    let [code_id, compiled, verified, catalog, inputs] = row.as_slice() else {
        return Err(FleetStoreError::failed("five columns expected"));
    };
    let Some(inputs) = content(connection, key, &digest(inputs)?)? else { return Ok(None) };
    Ok(Some(Answer {
        code_id: code_id.optional(Value::text)?.map(str::to_owned),
        compiled: compiled.integer()?,
        verified: verified.optional(Value::integer)?,
        catalog: digest(catalog)?,
        inputs,
    }))
}

/// Records that a compile returned the same catalog again.
///
/// # Errors
/// When the database fails.
pub fn set_verified(
    connection: &mut dyn Connection,
    answer_key: &AnswerKey<'_>,
    now: i64,
) -> Result<(), FleetStoreError> {
    let sql = "UPDATE compile_answers SET verified = $1 WHERE environment = $2 AND variant = $3
               AND certname_id = (SELECT id FROM certnames WHERE certname = $4)";
    let parameters = [
        now.into(),
        answer_key.environment.into(),
        answer_key.variant.into(),
        answer_key.certname.into(),
    ];
    connection.execute(sql, &parameters).map(drop)
}

/// Deletes the answer to a request.
///
/// # Errors
/// When the database fails.
pub fn remove_answer(
    connection: &mut dyn Connection,
    answer_key: &AnswerKey<'_>,
) -> Result<(), FleetStoreError> {
    let sql = "DELETE FROM compile_answers WHERE environment = $1 AND variant = $2
               AND certname_id = (SELECT id FROM certnames WHERE certname = $3)";
    let parameters =
        [answer_key.environment.into(), answer_key.variant.into(), answer_key.certname.into()];
    connection.execute(sql, &parameters).map(drop)
}
