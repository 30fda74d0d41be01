//! Stored answers in the database.

use bytes::Bytes;
use ordain_driver::inputs::CompileRecord;
use ordain_fleet_store::{
    Connection, FleetStoreError, Question as StoreQuestion, StoreKey, answer, content, now,
    put_answer, read, remove_answer, set_verified,
};
use serde::{Deserialize, Serialize};

use super::Storage;
use super::catalog::CatalogDigest;
use super::writer::Job;
use crate::answers::Question;

/// An answer for the database.
#[derive(Clone, Debug)]
pub(crate) struct AnswerRow {
    pub(crate) question: Question,
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

fn store_question(question: &Question) -> StoreQuestion<'_> {
    StoreQuestion {
        certname: &question.node,
        environment: &question.environment,
        variant: &question.variant,
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
        let question = store_question(&self.question);
        let code_id = Some(self.code_id.as_str());
        put_answer(connection, key, &question, code_id, (&self.catalog, &inputs), now())
    }
}

impl Storage {
    /// The stored answer to a question. One that cannot be read is none.
    pub(crate) fn answer(&self, question: &Question) -> Option<AnswerRow> {
        match self.read_answer(question) {
            Ok(answer) => answer,
            Err(error) => {
                let node = question.node.as_str();
                tracing::warn!(node, %error, "the stored catalog cannot be read");
                None
            }
        }
    }

    fn read_answer(&self, question: &Question) -> Result<Option<AnswerRow>, FleetStoreError> {
        let found = read(&*self.database, None, |connection| {
            let Some(found) = answer(connection, &self.key, &store_question(question))? else {
                return Ok(None);
            };
            let catalog = content(connection, &self.key, &found.catalog)?;
            Ok(catalog.map(|catalog| (found, catalog)))
        });
        let Some((found, catalog)) = found? else { return Ok(None) };
        // Another release may have another form.
        let Ok(inputs) = serde_json::from_slice::<Inputs<CompileRecord>>(&found.inputs) else {
            return Ok(None);
        };
        self.writer.learn_stored(&question.node, inputs.digest.clone(), inputs.hash);
        Ok(Some(AnswerRow {
            question: question.clone(),
            context: inputs.context,
            code_id: found.code_id.unwrap_or_default(),
            digest: inputs.digest,
            record: inputs.record,
            catalog: catalog.into(),
        }))
    }

    /// Records that a compile gave the same catalog.
    pub(crate) fn note_verified(&self, question: &Question) {
        self.writer.submit_quietly(Job::Verified(question.clone()));
    }

    /// Deletes an answer.
    pub(crate) fn forget_answer(&self, question: &Question) {
        self.writer.submit_quietly(Job::Forget(question.clone()));
    }
}

/// Records that a compile gave the same catalog.
pub(super) fn verified(
    connection: &mut dyn Connection,
    question: &Question,
) -> Result<(), FleetStoreError> {
    set_verified(connection, &store_question(question), now())
}

/// Deletes an answer.
pub(super) fn forget(
    connection: &mut dyn Connection,
    question: &Question,
) -> Result<(), FleetStoreError> {
    remove_answer(connection, &store_question(question))
}
