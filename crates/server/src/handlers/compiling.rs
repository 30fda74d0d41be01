//! The compile of a catalog for a node, whoever asks for it.

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use jiff::Timestamp;
use ordain_ca::Certname;
use ordain_data::Value as Data;
use ordain_driver::StaticCatalog;
use ordain_driver::inputs::CompileRecord;
use ordain_driver::puppet::shared::{NodeCatalog, NodeRequest, evaluation_message, puppet_message};
use ordain_graph::Graph;
use ordain_graph::exports::Exported;
use ordain_graph::puppet_catalog::{self, Envelope};
use ordain_source::Severity;
use serde_json::{Value as Json, json};

use crate::classify::{Classification, classify};
use crate::compile::{OpenedEnvironment, Refused};
use crate::reply::Reply;
use crate::server::Server;
use crate::storage::{NotStored, Receipt, stored};
use crate::trusted;

/// A reply, and the receipts of the data that has to be stored before it is sent.
pub(super) struct Prepared {
    pub(super) reply: Reply,
    pub(super) receipts: Vec<Receipt>,
}

impl From<Reply> for Prepared {
    fn from(reply: Reply) -> Self {
        Self { reply, receipts: Vec::new() }
    }
}

/// Prepares a reply on a compiling thread, and returns it when its data is stored. The thread works
/// for other requests while this one waits for the disk. If another server has stored another catalog
/// meanwhile, the work is done once more.
pub(super) async fn reply_of(
    server: Arc<Server>,
    work: impl Fn(&Arc<Server>) -> Prepared + Send + Sync + 'static,
) -> Reply {
    let work = Arc::new(work);
    match stored_reply(&server, &work).await {
        Ok(reply) => reply,
        Err(NotStored::Outdated) => {
            let again = stored_reply(&server, &work).await;
            again.unwrap_or_else(|reason| server.not_stored(reason))
        }
        Err(reason) => server.not_stored(reason),
    }
}

async fn stored_reply<W>(server: &Arc<Server>, work: &Arc<W>) -> Result<Reply, NotStored>
where
    W: Fn(&Arc<Server>) -> Prepared + Send + Sync + 'static,
{
    let (working, work) = (Arc::clone(server), Arc::clone(work));
    let prepared = match server.pool.run(move || work(&working)).await {
        Ok(prepared) => prepared,
        Err(Refused::Full) => return Ok(server.overloaded()),
        Err(Refused::Failed) => {
            return Ok(Reply::failed("the compile met a bug; see the log of the server"));
        }
    };
    for receipt in prepared.receipts {
        stored(receipt).await?;
    }
    Ok(prepared.reply)
}

/// The classification of a node, by the program or the rules of the settings. Without facts, those
/// that are stored count.
///
/// # Errors
/// The message for a program that fails, or facts that cannot be read.
pub(super) fn classification(
    server: &Server,
    node: &Certname,
    trusted: &Data,
    facts: Option<&Data>,
) -> Result<Classification, String> {
    let failed = |message| format!("Failed when searching for node {node}: {message}");
    if let Some(program) = &server.config.classifier {
        return classify(program, node).map_err(failed);
    }
    if server.config.classification.is_none() {
        return Ok(Classification::default());
    }
    let stored = match facts {
        Some(_) => None,
        None => server.storage.facts(node).map_err(failed)?,
    };
    Ok(server.rules.load().classify(node, trusted, facts.or(stored.as_ref())))
}

/// A catalog that is wanted.
pub(super) struct Wanted<'a> {
    pub(super) node: &'a Certname,
    /// `$trusted`.
    pub(super) trusted: &'a Data,
    pub(super) facts: Data,
    pub(super) classification: Classification,
    pub(super) static_catalog: Option<StaticCatalog>,
}

/// A catalog.
pub(crate) struct Compiled {
    /// The catalog as agents read it.
    pub(crate) text: Bytes,
    pub(crate) exported: Vec<Exported>,
    /// The messages of the compile: `level` and `message`.
    pub(super) logs: Vec<Json>,
    /// The inputs, if they are recorded.
    pub(crate) record: Option<CompileRecord>,
}

/// The graph of a node.
pub(crate) struct CompiledGraph {
    pub(crate) graph: Graph,
    pub(crate) exported: Vec<Exported>,
    /// The messages of the compile: `level` and `message`.
    logs: Vec<Json>,
    /// The inputs, if they are recorded.
    record: Option<CompileRecord>,
}

impl Wanted<'_> {
    /// The request for the compile.
    pub(super) fn request(self, server: &Server, env: &OpenedEnvironment) -> NodeRequest {
        NodeRequest {
            name: self.node.to_string(),
            facts: self.facts,
            trusted: self.trusted.clone(),
            server_facts: trusted::server_facts(server.name(), &env.name),
            parameters: self.classification.parameters,
            classes: self.classification.classes,
            static_catalog: self.static_catalog,
            exports: Some(server.storage.exports()),
            queries: Some(server.storage.queries()),
        }
    }
}

/// Compiles the catalog of a node, on a thread with a deep stack.
///
/// # Errors
/// The message for the agent.
pub(crate) fn compile_node(
    server: &Server,
    env: &OpenedEnvironment,
    request: &NodeRequest,
) -> Result<Compiled, String> {
    let node = request.name.as_str();
    let shared = env.shared.as_ref().map_err(|message| {
        format!("Could not parse for environment {}: {message} on node {node}", env.name)
    })?;
    let found = compile_graph(server, env, request)?;
    let version = found.graph.version.clone().map_or_else(version_of_now, Data::Str);
    let envelope = Envelope { version, uuid: uuid(), ..Envelope::default() };
    let mut text = Vec::new();
    puppet_catalog::write(&found.graph, shared.sources(), &envelope, &mut text)
        .map_err(|error| format!("{error} on node {node}"))?;
    let CompiledGraph { exported, logs, record, .. } = found;
    Ok(Compiled { text: text.into(), exported, logs, record })
}

/// Compiles the graph of a node, on a thread with a deep stack.
///
/// # Errors
/// The message for the agent.
pub(crate) fn compile_graph(
    server: &Server,
    env: &OpenedEnvironment,
    request: &NodeRequest,
) -> Result<CompiledGraph, String> {
    let begin = Instant::now();
    let node = request.name.as_str();
    let shared = env.shared.as_ref().map_err(|message| {
        format!("Could not parse for environment {}: {message} on node {node}", env.name)
    })?;
    let mut found = shared.compile(request.clone());
    if found.graph.is_none() && found.has_exceeded_budget {
        // The budget of memory is that of all compiles, so another one may have exceeded it.
        found = shared.compile(request.clone());
    }
    server.environments.watch_read_files(env);
    let logs = log(&found, env, node);
    server.metrics.note_compile(begin.elapsed(), found.graph.is_some());
    let Some(graph) = found.graph.take() else { return Err(failure(&found, env, node)) };
    Ok(CompiledGraph { graph, exported: found.exported, logs, record: found.record })
}

/// The version of a catalog whose environment has no command for it.
pub(super) fn version_of_now() -> Data {
    Data::Int(Timestamp::now().as_second())
}

/// The message of a compile that failed.
fn failure(found: &NodeCatalog, env: &OpenedEnvironment, node: &str) -> String {
    let Ok(shared) = &env.shared else { return String::new() };
    let mut errors = found.diagnostics.iter().filter(|d| d.severity == Severity::Error);
    let message = errors.next().map(|error| evaluation_message(error, shared.sources()));
    let message = message.unwrap_or_else(|| "the compile has no result".to_string());
    format!("{message} on node {node}")
}

/// Logs the messages of the compile, and returns them.
fn log(found: &NodeCatalog, env: &OpenedEnvironment, node: &str) -> Vec<Json> {
    let Ok(shared) = &env.shared else { return Vec::new() };
    let environment = env.name.as_str();
    let mut all = Vec::new();
    for entry in &found.logs {
        let level = format!("{:?}", entry.level).to_lowercase();
        tracing::info!(node, environment, level, scope = entry.source, "{}", entry.message);
        all.push(json!({ "level": level, "message": entry.message, "source": entry.source }));
    }
    for diagnostic in &found.diagnostics {
        let text = puppet_message(diagnostic, shared.sources());
        let level = match diagnostic.severity {
            Severity::Error => {
                tracing::error!(node, environment, "{text}");
                "err"
            }
            _ => {
                tracing::warn!(node, environment, "{text}");
                "warning"
            }
        };
        all.push(json!({ "level": level, "message": text }));
    }
    all
}

/// Whether a text is a UUID.
pub(super) fn is_uuid(text: &str) -> bool {
    let is_part = |part: &str| part.bytes().all(|b| b.is_ascii_hexdigit());
    let lengths = text.split('-').map(str::len);
    lengths.eq([8, 4, 4, 4, 12]) && text.split('-').all(is_part)
}

/// A random UUID of version 4.
pub(super) fn uuid() -> String {
    let mut bytes = [0; 16];
    // Without random numbers catalogs have equal ids, which agents only report.
    let _ = getrandom::fill(&mut bytes);
    ordain_functions::digest::uuid(bytes, 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uuids_are_random_of_version_4() {
        let (one, two) = (uuid(), uuid());
        assert_ne!(one, two);
        assert_eq!((one.len(), one.as_bytes()[14]), (36, b'4'));
        assert!(is_uuid(&one) && !is_uuid("1") && !is_uuid(&one.replace('-', "")));
    }
}
