//! Answers without compiling: stored catalogs whose inputs have not changed.
//!
//! A compile records its inputs. The next request of the node is answered with the stored catalog if
//! the files, the values of the node and the exported resources of the record are the same. A share
//! of the answers is compiled again, to find inputs that are not recorded.

mod body;
mod rechecks;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use ordain_driver::inputs::{CompileRecord, Difference, InputKind};
use ordain_driver::puppet::shared::NodeRequest;

use crate::compile::{Environments, OpenedEnvironment};
use crate::config::Config;
use crate::storage::{AnswerKey, AnswerRow, CatalogDigest, Storage};
pub(crate) use body::{CatalogBody, Head};
use rechecks::Check;
pub(crate) use rechecks::{Outcome, Rechecks};

/// The maximum size of all answers in memory, in bytes. Others are read from the database.
const MAX_MEMORY: usize = 256 << 20;

/// The golden ratio in 64 bits: multiples of it are spread evenly.
const SCATTER: u64 = 0x9e37_79b9_7f4a_7c15;

/// A catalog with the record of its inputs.
#[derive(Debug)]
pub(crate) struct StoredAnswer {
    /// The settings of the server that matter to compiles.
    context: String,
    pub(crate) record: CompileRecord,
    pub(crate) body: CatalogBody,
    /// The digest by which the catalog is known in the database.
    pub(crate) digest: CatalogDigest,
    /// The code of which all recorded files have been compared.
    compared: Mutex<String>,
}

/// Why there is no answer to a request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Miss {
    /// No catalog is stored.
    Absent,
    /// The last compile of the node may have another result each time.
    Unrepeatable,
    /// The server has other settings, or is another release.
    Settings,
    /// The database has another catalog of the node.
    Catalog,
    /// An input is another one.
    Input(Difference),
    /// The inputs cannot be compared.
    Failed(String),
}

impl Miss {
    /// The reason in a word, for metrics.
    fn reason(&self) -> usize {
        match self {
            Self::Absent => 0,
            Self::Unrepeatable => 1,
            Self::Settings => 2,
            Self::Catalog => 3,
            Self::Failed(_) => 4,
            Self::Input(difference) => 5 + difference.kind as usize,
        }
    }
}

/// The names of the reasons in metrics.
const REASONS: [&str; 5 + InputKind::ALL.len()] = [
    "absent",
    "unrepeatable",
    "settings",
    "catalog",
    "failed",
    "file",
    "fact",
    "classes",
    "exports",
    "environment",
];

/// The answers in memory, and counters.
#[derive(Debug)]
pub(crate) struct Answers {
    context: String,
    memory: Mutex<Memory>,
    hits: AtomicU64,
    misses: [AtomicU64; REASONS.len()],
    /// One of so many answers is compiled again; 0 for none.
    share: u64,
    rechecks: Rechecks,
}

#[derive(Default, Debug)]
struct Memory {
    entries: HashMap<AnswerKey, Entry>,
    size: usize,
}

#[derive(Clone, Debug)]
enum Entry {
    Answer(Arc<StoredAnswer>),
    Unrepeatable,
}

impl Answers {
    /// No answers yet; `None` if the settings turn them off.
    ///
    /// # Errors
    /// When the system cannot start a thread.
    pub(crate) fn of(config: &Config, name: &str) -> std::io::Result<Option<Self>> {
        if !config.answers {
            return Ok(None);
        }
        Ok(Some(Self {
            context: context(config, name),
            memory: Mutex::default(),
            hits: AtomicU64::new(0),
            misses: Default::default(),
            share: config.recompile_share,
            rechecks: Rechecks::start()?,
        }))
    }

    fn memory(&self) -> std::sync::MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts the outcome of a request.
    pub(crate) fn count(&self, node: &str, miss: Option<&Miss>) {
        let Some(miss) = miss else {
            self.hits.fetch_add(1, Ordering::Relaxed);
            return;
        };
        self.misses[miss.reason()].fetch_add(1, Ordering::Relaxed);
        if let Miss::Input(difference) = miss {
            tracing::debug!(node, %difference, "the stored catalog is outdated");
        }
    }

    /// The stored answer to a request.
    ///
    /// # Errors
    /// The reason why there is none.
    pub(crate) fn find(
        &self,
        (environments, storage): (&Environments, &Storage),
        env: &OpenedEnvironment,
        answer_key: &AnswerKey,
        request: &NodeRequest,
    ) -> Result<Arc<StoredAnswer>, Miss> {
        let known = self.memory().entries.get(answer_key).cloned();
        let answer = match known {
            Some(Entry::Answer(answer)) => answer,
            Some(Entry::Unrepeatable) => return Err(Miss::Unrepeatable),
            None => self.read(storage, answer_key).ok_or(Miss::Absent)?,
        };
        if answer.context != self.context {
            return Err(Miss::Settings);
        }
        self.difference((environments, storage), env, &answer, request)?;
        Ok(answer)
    }

    /// Compares the inputs of an answer with those of now.
    ///
    /// # Errors
    /// The first one that differs.
    pub(crate) fn difference(
        &self,
        (environments, storage): (&Environments, &Storage),
        env: &OpenedEnvironment,
        answer: &StoredAnswer,
        request: &NodeRequest,
    ) -> Result<(), Miss> {
        let Ok(shared) = &env.shared else {
            return Err(Miss::Failed("the environment has errors".to_string()));
        };
        if let Some(difference) = request.value_difference(&answer.record) {
            return Err(Miss::Input(difference));
        }
        let mut compared = answer.compared.lock().unwrap_or_else(PoisonError::into_inner);
        if *compared != env.state() {
            let difference = shared.code_difference(&answer.record);
            // Files that nobody has read in this state of the code are watched from now on.
            environments.watch_read_files(env);
            if let Some(difference) = difference {
                return Err(Miss::Input(difference));
            }
            *compared = env.state().to_string();
        }
        drop(compared);
        let exports = storage.exports();
        match answer.record.exports_difference(&*exports, &request.name) {
            Ok(None) => Ok(()),
            Ok(Some(difference)) => Err(Miss::Input(difference)),
            Err(error) => Err(Miss::Failed(error)),
        }
    }

    /// Reads an answer from the database.
    fn read(&self, storage: &Storage, answer_key: &AnswerKey) -> Option<Arc<StoredAnswer>> {
        let row = storage.answer(answer_key)?;
        let answer = Arc::new(StoredAnswer {
            body: CatalogBody::of(&row.catalog)?,
            context: row.context,
            record: row.record,
            digest: row.digest,
            compared: Mutex::default(),
        });
        self.put(answer_key, Entry::Answer(Arc::clone(&answer)));
        Some(answer)
    }

    /// Keeps the catalog of a compile. Returns the row for the database, if the compile can be
    /// repeated.
    pub(crate) fn keep(
        &self,
        env: &OpenedEnvironment,
        answer_key: &AnswerKey,
        record: CompileRecord,
        (text, digest): (&bytes::Bytes, &CatalogDigest),
    ) -> Option<AnswerRow> {
        if !record.is_repeatable() {
            let (node, reasons) = (answer_key.node.as_str(), record.unrepeatable().join(", "));
            tracing::debug!(node, reasons, "the catalog has to be compiled each time");
            self.put(answer_key, Entry::Unrepeatable);
            return None;
        }
        let body = CatalogBody::of(text)?;
        let row = AnswerRow {
            answer_key: answer_key.clone(),
            context: self.context.clone(),
            code_id: env.state().to_string(),
            digest: digest.clone(),
            record: record.clone(),
            catalog: text.clone(),
        };
        let compared = Mutex::new(env.state().to_string());
        let (context, digest) = (self.context.clone(), digest.clone());
        let answer = StoredAnswer { context, record, body, digest, compared };
        self.put(answer_key, Entry::Answer(Arc::new(answer)));
        Some(row)
    }

    fn put(&self, answer_key: &AnswerKey, entry: Entry) {
        let mut memory = self.memory();
        memory.size += entry.size();
        if let Some(before) = memory.entries.insert(answer_key.clone(), entry) {
            memory.size -= before.size();
        }
        while memory.size > MAX_MEMORY {
            let Some(other) = memory.entries.keys().find(|other| *other != answer_key).cloned()
            else {
                return;
            };
            memory.remove(&other);
        }
    }

    /// Forgets an answer.
    pub(crate) fn forget(&self, answer_key: &AnswerKey) {
        self.memory().remove(answer_key);
    }

    /// Compiles a share of the answers again, in the background.
    pub(crate) fn recheck(&self, make: impl FnOnce() -> Check) {
        // Scattered, so that it is not always the same node of a fleet that asks in turn.
        let hits = self.hits.load(Ordering::Relaxed).wrapping_mul(SCATTER) >> 32;
        if self.share > 0 && hits.is_multiple_of(self.share) {
            self.rechecks.submit(make());
        }
    }

    /// Writes the counters.
    pub(crate) fn write_metrics(&self, out: &mut String) {
        use std::fmt::Write;
        let mut line = |text: std::fmt::Arguments<'_>| {
            // A text in memory takes everything.
            let _ = out.write_fmt(text);
            out.push('\n');
        };
        let head = "ordain_answers_total Requests for catalogs, by how they were answered";
        line(format_args!("# HELP {head}\n# TYPE ordain_answers_total counter"));
        let hits = self.hits.load(Ordering::Relaxed);
        line(format_args!("ordain_answers_total{{result=\"stored\"}} {hits}"));
        for (reason, count) in REASONS.iter().zip(&self.misses) {
            let count = count.load(Ordering::Relaxed);
            line(format_args!(
                "ordain_answers_total{{result=\"compiled\",reason=\"{reason}\"}} {count}"
            ));
        }
        let head = "ordain_answer_checks_total Stored answers that were compiled again";
        line(format_args!("# HELP {head}\n# TYPE ordain_answer_checks_total counter"));
        for (result, count) in self.rechecks.counts() {
            line(format_args!("ordain_answer_checks_total{{result=\"{result}\"}} {count}"));
        }
    }
}

impl Memory {
    fn remove(&mut self, answer_key: &AnswerKey) {
        if let Some(entry) = self.entries.remove(answer_key) {
            self.size -= entry.size();
        }
    }
}

impl Entry {
    fn size(&self) -> usize {
        match self {
            Self::Answer(answer) => answer.body.size() + answer.record.size(),
            Self::Unrepeatable => 64,
        }
    }
}

/// The settings that compiles depend on, and the program itself.
fn context(config: &Config, name: &str) -> String {
    // Two builds of a release may compile differently.
    let program = std::env::current_exe().and_then(std::fs::metadata);
    let program = program.map(|program| (program.len(), program.modified().ok()));
    format!(
        "{} {program:?} {name} {:?} {:?} {:?} {}",
        env!("CARGO_PKG_VERSION"),
        config.code,
        config.hiera,
        config.strict,
        config.strict_variables,
    )
}
