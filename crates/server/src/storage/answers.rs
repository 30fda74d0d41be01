//! Stored answers in the database.

use bytes::Bytes;
use ordain_driver::inputs::CompileRecord;
use ordain_fleet_store::{
    AnswerKey as StoredAnswerKey, Connection, Database, FleetStoreError, StoreKey, answer, content,
    now, put_answer, read, remove_answer, set_verified,
};
use serde::{Deserialize, Serialize};

use super::catalog::CatalogDigest;

/// The request that an answer is for.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct AnswerKey {
    pub(crate) node: String,
    pub(crate) environment: String,
    /// The form of the catalog that the node asked for.
    pub(crate) variant: String,
}

/// An answer for the database.
#[derive(Clone, Debug)]
pub(crate) struct AnswerRow {
    pub(crate) answer_key: AnswerKey,
    /// The settings of the server that matter to compiles.
    pub(crate) context: String,
    pub(crate) code_id: String,
    /// The digest of the catalog without the parts that differ between compiles.
    pub(crate) digest: CatalogDigest,
    pub(crate) record: CompileRecord,
    pub(crate) catalog: Bytes,
}

/// The part of a row that the database does not know.
#[derive(Serialize, Deserialize)]
struct Inputs<R> {
    context: String,
    digest: Vec<u8>,
    /// The hash of the catalog in the table of catalogs.
    hash: Vec<u8>,
    record: R,
}

fn stored_key(answer_key: &AnswerKey) -> StoredAnswerKey<'_> {
    StoredAnswerKey {
        certname: &answer_key.node,
        environment: &answer_key.environment,
        variant: &answer_key.variant,
    }
}

impl AnswerRow {
    /// Stores it, with the hash of its catalog.
    pub(super) fn write(
        &self,
        connection: &mut dyn Connection,
        key: &StoreKey,
        hash: &[u8],
    ) -> Result<(), FleetStoreError> {
        let inputs = Inputs {
            context: self.context.clone(),
            digest: self.digest.clone(),
            hash: hash.to_vec(),
            record: &self.record,
        };
        // All keys are texts, so it always is JSON.
        let inputs = serde_json::to_vec(&inputs).unwrap_or_default();
        let answer_key = stored_key(&self.answer_key);
        let code_id = Some(self.code_id.as_str());
        put_answer(connection, key, &answer_key, code_id, (&self.catalog, &inputs), now())
    }
}

/// Reads the answer of a key, with the hash of its catalog.
pub(super) fn read_answer(
    database: &dyn Database,
    key: &StoreKey,
    answer_key: &AnswerKey,
) -> Result<Option<(AnswerRow, Vec<u8>)>, FleetStoreError> {
    let found = read(database, None, |connection| {
        let Some(found) = answer(connection, key, &stored_key(answer_key))? else {
            return Ok(None);
        };
        let catalog = content(connection, key, &found.catalog)?;
        Ok(catalog.map(|catalog| (found, catalog)))
    });
    let Some((found, catalog)) = found? else { return Ok(None) };
    // Another release may have another form.
    let Ok(inputs) = serde_json::from_slice::<Inputs<CompileRecord>>(&found.inputs) else {
        return Ok(None);
    };
    let row = AnswerRow {
        answer_key: answer_key.clone(),
        context: inputs.context,
        code_id: found.code_id.unwrap_or_default(),
        digest: inputs.digest,
        record: inputs.record,
        catalog: catalog.into(),
    };
    Ok(Some((row, inputs.hash)))
}

/// Records that a compile gave the same catalog.
pub(super) fn verified(
    connection: &mut dyn Connection,
    answer_key: &AnswerKey,
) -> Result<(), FleetStoreError> {
    set_verified(connection, &stored_key(answer_key), now())
}

/// Deletes an answer.
pub(super) fn forget(
    connection: &mut dyn Connection,
    answer_key: &AnswerKey,
) -> Result<(), FleetStoreError> {
    remove_answer(connection, &stored_key(answer_key))
}
