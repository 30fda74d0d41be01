//! Graphs for Ordain's own agents: signed, in every language.

use std::sync::Arc;
use std::time::Duration;

use hyper::StatusCode;
use jiff::Timestamp;
use ordain_agent::protocol::{self, GraphRequest, Head, SourceList};
use ordain_ca::{Certname, NodeKey};
use ordain_data::Value as Data;
use ordain_driver::CollectingReporter;
use ordain_engine::cluster::Cluster;
use ordain_fleet_store::job_id;
use ordain_graph::exports::Exported;
use ordain_graph::json::{self, Secrets};
use ordain_graph::puppet_catalog::{self, Envelope};
use ordain_graph::{Containment, Graph};
use ordain_source::SourceMap;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until};

use super::blocking;
use super::compiling::{
    Prepared, Wanted, classification, compile_graph, reply_of, uuid, version_of_now,
};
use super::node_code::{code_for, no_revision};
use crate::classify::Classification;
use crate::compile::{
    EnvironmentError, NodeValues, OpenedEnvironment, compile_entry, entry_of, may_share_values,
};
use crate::facts::FactSet;
use crate::files::listing::{self, list};
use crate::files::mounts;
use crate::identity::Identity;
use crate::principal::OwnName;
use crate::reply::{BYTES, Reply};
use crate::request::{Request, environment};
use crate::server::Server;
use crate::storage::{Receipt, Source, catalog_digest};
use crate::trusted;
use crate::url::Parameters;

/// The time for which a request for changes is held. Agents ask again at once.
const HOLD: Duration = Duration::from_secs(240);
/// The time without further changes of the code that is waited for: a checkout changes many files.
const SETTLE: Duration = Duration::from_millis(50);

/// A request for a graph.
struct Asked {
    node: Certname,
    trusted: Data,
    facts: FactSet,
    environment: String,
    nonce: String,
    known: Option<String>,
}

/// A graph and everything that is stored with it.
struct Compiled {
    graph: Vec<u8>,
    sources: SourceList,
    code_id: String,
}

/// `POST graph/NAME`: stores the facts of a node, and compiles and signs its graph.
pub(crate) async fn graph(server: Arc<Server>, node: OwnName, request: Request) -> Reply {
    let identity = node.identity().clone();
    let work = move |server: &Arc<Server>| match Asked::of(&identity, &request) {
        Ok(asked) => answered(server, &asked),
        Err(reply) => reply.into(),
    };
    reply_of(server, work).await
}

impl Asked {
    fn of(identity: &Identity, request: &Request) -> Result<Self, Reply> {
        let asked: GraphRequest = serde_json::from_slice(&request.body)
            .map_err(|error| Reply::bad_request(format!("The request is not valid: {error}")))?;
        if asked.format != protocol::REQUEST_FORMAT || asked.version > protocol::VERSION {
            let text = format!("The request has the version {}", asked.version);
            return Err(Reply::bad_request(text));
        }
        let environment = environment(Some(&asked.environment))?.to_string();
        let facts = FactSet::read(asked.facts.to_string().as_bytes(), &identity.name)
            .map_err(Reply::bad_request)?;
        if asked.nonce.len() > 128 || asked.known.as_ref().is_some_and(|known| known.len() > 128) {
            return Err(Reply::bad_request("The request is not valid: a text is too long"));
        }
        Ok(Self {
            node: identity.name.clone(),
            trusted: trusted::of(identity),
            facts,
            environment,
            nonce: asked.nonce,
            known: asked.known,
        })
    }
}

fn answered(server: &Server, asked: &Asked) -> Prepared {
    let mut receipts = Vec::new();
    let reply = answer(server, asked, &mut receipts).unwrap_or_else(|reply| reply);
    Prepared { reply, receipts }
}

fn answer(server: &Server, asked: &Asked, receipts: &mut Vec<Receipt>) -> Result<Reply, Reply> {
    let facts = Some(&asked.facts.values);
    let classification = classification(server, &asked.node, &asked.trusted, facts);
    let classification = classification.map_err(Reply::failed)?;
    let assigned = classification.environment.clone();
    let name = assigned.unwrap_or_else(|| asked.environment.clone());
    let missing = |EnvironmentError::Missing| {
        Reply::not_found(format!("Could not find environment '{name}'"))
    };
    // Before the compile: a change during it leads to another request.
    let state = server.environments.track(&name).map_err(missing)?;
    let mut state = server.pins.state(&asked.node, &state);
    let code_state = state.clone();
    let dir = server.environments.dir(&name).ok_or(EnvironmentError::Missing).map_err(missing)?;
    let source = Source { node: &asked.node, environment: &name, transaction: None };
    receipts.push(server.storage.replace_facts(&source, &asked.facts.values, &asked.trusted));
    let compiled = match entry_of(&dir, server.environments.options()) {
        None => {
            let env = code_for(server, &asked.node, &name)?;
            // The agent copies the files of its graph.
            server.runs.use_code(&asked.node, &env);
            of_puppet(server, &env, asked, classification, (&source, receipts))
        }
        Some(entry) => {
            let shared =
                may_share_values(&entry).then(|| server.storage.shared.values_for(&asked.node));
            let node = NodeValues {
                shared: shared.clone(),
                name: asked.node.as_str(),
                environment: &name,
                facts: &asked.facts.values,
                trusted: &asked.trusted,
            };
            let revision = match server.pins.revision(&asked.node) {
                None => server.environments.pin_current(&name, &dir),
                Some(id) => {
                    let files = server.environments.pin_revision(&name, &dir, &id);
                    Some(files.ok_or_else(|| no_revision(&asked.node, &name, &id))?)
                }
            };
            let compiled = compile_entry(&entry, &node, revision.as_ref());
            let compiled = compiled.map_err(|message| format!("{message} on node {}", asked.node));
            if let Err(message) = &compiled {
                tracing::error!(node = asked.node.as_str(), environment = name, "{message}");
            }
            compiled.and_then(|compiled| {
                if let Some(shared) = shared {
                    state.push_str(&use_shared(server, &asked.node, &shared, &compiled)?);
                }
                server.environments.watch_inputs(&name, &dir, &compiled.inputs);
                let (graph, texts) = (&compiled.graph, &compiled.sources);
                store(server, (graph, texts), &[], (&source, receipts));
                let graph = written(graph, texts)?;
                let code_id = revision.map_or(code_state, |one| one.id().to_string());
                Ok(Compiled { graph, sources: SourceList::new(), code_id })
            })
        }
    };
    let compiled = compiled.map_err(Reply::failed)?;
    let body = protocol::body(&compiled.graph, &compiled.sources);
    let body = body.map_err(|error| Reply::failed(error.to_string()))?;
    let digest = protocol::body_digest(&body);
    let head = Head {
        certname: asked.node.to_string(),
        environment: name.clone(),
        nonce: asked.nonce.clone(),
        issued: Timestamp::now().to_string(),
        code_id: compiled.code_id,
        state,
        has_body: asked.known.as_ref() != Some(&digest),
        digest,
    };
    signed(server, &head, &body)
}

/// Stores the resources that a program exports, and notes which shared values it depends on. Returns
/// the state of these values.
fn use_shared(
    server: &Server,
    node: &Certname,
    shared: &Cluster,
    compiled: &ordain_driver::Compiled,
) -> Result<String, String> {
    let names = shared.reads();
    // Later changes lead to another request.
    let revision = shared.revision().ok_or("the shared values cannot be read")?;
    let state = server.storage.shared.state(&names, revision)?;
    server.shared_reads.set(node, names);
    if let Some(exports) = &compiled.exports {
        let stored = exports.keep(&mut CollectingReporter::default());
        stored.map_err(|error| error.message.clone())?;
        server.storage.shared.refresh()?;
    }
    Ok(state)
}

fn signed(server: &Server, head: &Head, body: &[u8]) -> Result<Reply, Reply> {
    let failed = |error: String| Reply::failed(format!("the graph cannot be signed: {error}"));
    let key = NodeKey::from_pem(&server.own_key.key).map_err(|e| failed(e.to_string()))?;
    let certificate = String::from_utf8_lossy(&server.own_key.certificate);
    let document = protocol::sign(head, body, &key, &certificate);
    let document = document.map_err(|error| failed(error.to_string()))?;
    Ok(Reply::new(StatusCode::OK, protocol::CONTENT_TYPE, document))
}

fn of_puppet(
    server: &Server,
    env: &Arc<OpenedEnvironment>,
    asked: &Asked,
    classification: Classification,
    (source, receipts): (&Source<'_>, &mut Vec<Receipt>),
) -> Result<Compiled, String> {
    let wanted = Wanted {
        node: &asked.node,
        trusted: &asked.trusted,
        facts: asked.facts.values.clone(),
        classification,
        static_catalog: None,
    };
    let found = compile_graph(server, env, &wanted.request(server, env))?;
    let shared = env.shared.as_ref().map_err(Clone::clone)?;
    store(server, (&found.graph, shared.sources()), &found.exported, (source, receipts));
    Ok(Compiled {
        graph: written(&found.graph, shared.sources())?,
        sources: sources(server, env, &asked.node, &found.graph)?,
        code_id: env.code_id().to_string(),
    })
}

/// The graph as JSON, with its secrets: it leaves the server only over TLS, to its node.
fn written(graph: &Graph, texts: &SourceMap) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    json::write(graph, texts, Secrets::Include, &mut out).map_err(|error| error.to_string())?;
    Ok(out)
}

/// Stores the graph as the catalog of the node, without its secrets.
fn store(
    server: &Server,
    (graph, texts): (&Graph, &SourceMap),
    exported: &[Exported],
    (source, receipts): (&Source<'_>, &mut Vec<Receipt>),
) {
    let version = graph.version.clone().map_or_else(version_of_now, Data::Str);
    let envelope = Envelope { version, uuid: uuid(), ..Envelope::default() };
    let mut text = Vec::new();
    match puppet_catalog::write(graph, texts, &envelope, &mut text) {
        Ok(()) => {
            let digest = catalog_digest(&text, source.environment, exported);
            receipts.push(server.storage.replace_catalog(source, (&text, digest), exported, None));
        }
        // A graph of another language may have no form as a catalog.
        Err(error) => {
            let node = source.node.as_str();
            tracing::warn!(node, %error, "the graph is not stored as a catalog");
        }
    }
}

/// The files that a graph copies from the mounts of this server.
fn sources(
    server: &Server,
    env: &OpenedEnvironment,
    node: &Certname,
    graph: &Graph,
) -> Result<SourceList, String> {
    let mut found = SourceList::new();
    let own = server.mounts.load();
    for (_, resource) in graph.resources() {
        let is_file = resource.id.kind == "File" && resource.containment == Containment::Leaf;
        let Some(value) = resource.value("source").filter(|_| is_file && !resource.is_virtual)
        else {
            continue;
        };
        let follows = resource.value("links").and_then(Data::as_str) == Some("follow");
        let addresses = match value {
            Data::List(items) => items.iter().filter_map(Data::as_str).collect(),
            other => other.as_str().into_iter().collect::<Vec<_>>(),
        };
        for address in addresses.into_iter().filter(|address| address.starts_with("puppet:")) {
            let address = address.trim_end_matches('/');
            let Some((_, path)) =
                address.strip_prefix("puppet://").and_then(|rest| rest.split_once('/'))
            else {
                continue;
            };
            let key = format!("puppet:///{path}");
            if found.contains_key(&key) {
                continue;
            }
            let mut parts = path.split('/').filter(|part| !part.is_empty()).map(str::to_string);
            let mount = parts.next().unwrap_or_default();
            let parts: Vec<String> = parts.collect();
            if parts.iter().any(|part| part == "..") {
                return Err(format!("{}: {address} leads out of its mount", resource.id));
            }
            let places = mounts::places(env, &own, node, &mount, &parts);
            let wanted = listing::Request::of_tree(follows);
            if let Some(listed) = list(&server.checksums, &places, &wanted)? {
                let entries = listed.iter().filter_map(|one| one.entry()).collect();
                found.insert(key, entries);
            }
        }
    }
    Ok(found)
}

/// A node that waits for changes.
struct Waiting {
    node: Certname,
    environment: String,
    /// The state of the code that it knows.
    known: String,
}

/// `GET changes/NAME?environment=&state=`: replies when the code is no longer in that state, a user
/// asks for a run of the node, or nothing has happened for a while. It carries no more than that: a
/// lost reply costs time, or the turn of the node in a run.
pub(crate) async fn changes(server: Arc<Server>, node: OwnName, request: Request) -> Reply {
    let query: &Parameters = &request.target.query;
    let environment = match request.environment() {
        Ok(name) => name.to_string(),
        Err(reply) => return reply,
    };
    let known = query.get("state").unwrap_or_default().to_string();
    let waiting = Waiting { node: node.identity().name.clone(), environment, known };
    let mut news = News::of(&server);
    let tracked = waiting.environment.clone();
    let tracking =
        blocking(Arc::clone(&server), move |server| match server.environments.track(&tracked) {
            Ok(_) => Reply::empty(StatusCode::OK),
            Err(EnvironmentError::Missing) => {
                Reply::not_found(format!("Could not find environment '{tracked}'"))
            }
        });
    let tracking = tracking.await;
    if tracking.status != StatusCode::OK {
        return tracking;
    }
    news.mark_unchanged();
    match notice(&server, &waiting).await {
        Some(reply) => reply,
        None => Reply::later(wait(server, news, waiting)),
    }
}

/// Waits for a notice.
async fn wait(server: Arc<Server>, mut news: News, waiting: Waiting) -> Reply {
    let end = Instant::now() + HOLD;
    while news.wait_until(end).await {
        sleep(SETTLE).await;
        news.mark_unchanged();
        // In a place of its own: it is seldom needed, and most agents wait.
        if let Some(reply) = Box::pin(notice(&server, &waiting)).await {
            return reply;
        }
    }
    Reply::new(StatusCode::NO_CONTENT, BYTES, "")
}

/// The notice for a node, if it does not know the state or has to run.
async fn notice(server: &Arc<Server>, waiting: &Waiting) -> Option<Reply> {
    let Waiting { node, environment, known } = waiting;
    let mut state = server.pins.state(node, &server.environments.state(environment));
    let names = server.shared_reads.of(node);
    if !names.is_empty() {
        let reading = Arc::clone(server);
        let read = move || reading.storage.shared.state(&names, i64::MAX);
        match tokio::task::spawn_blocking(read).await {
            Ok(Ok(values)) => state.push_str(&values),
            Ok(Err(error)) => return Some(Reply::failed(error)),
            Err(_) => return Some(Reply::failed("the shared values cannot be read")),
        }
    }
    if let Some(job) = take_run_request(server, node).await {
        return Some(Reply::json(&serde_json::json!({ "state": state, "run": job })));
    }
    (state != *known).then(|| Reply::json(&serde_json::json!({ "state": state })))
}

/// Everything that may lead to a notice.
struct News {
    code: [watch::Receiver<()>; 3],
    shared: watch::Receiver<i64>,
    ending: watch::Receiver<bool>,
}

impl News {
    fn of(server: &Server) -> Self {
        Self {
            code: [server.environments.news(), server.pins.news(), server.run_requests.news()],
            shared: server.storage.shared.news(),
            ending: server.ending.subscribe(),
        }
    }

    fn mark_unchanged(&mut self) {
        self.code.iter_mut().for_each(watch::Receiver::mark_unchanged);
        self.shared.mark_unchanged();
    }

    /// Waits for a change. Returns false if the server ends or the time is over.
    async fn wait_until(&mut self, end: Instant) -> bool {
        let [code, pins, requests] = &mut self.code;
        tokio::select! {
            code = code.changed() => code.is_ok(),
            pins = pins.changed() => pins.is_ok(),
            requests = requests.changed() => requests.is_ok(),
            shared = self.shared.changed() => shared.is_ok(),
            () = ended(&mut self.ending) => false,
            () = sleep_until(end) => false,
        }
    }
}

/// The job id of a requested run of a node, if this server is the first one to deliver it.
async fn take_run_request(server: &Arc<Server>, node: &Certname) -> Option<String> {
    let request = server.run_requests.of(node)?;
    let (claiming, run) = (Arc::clone(server), request.run);
    let claim = move || claiming.storage.claim_run_request(&request);
    match tokio::task::spawn_blocking(claim).await.ok()? {
        Ok(true) => {
            tracing::info!(node = node.as_str(), run, "a run is requested");
            Some(job_id(run))
        }
        Ok(false) => None,
        Err(error) => {
            tracing::warn!(node = node.as_str(), run, error, "the run is not requested");
            None
        }
    }
}

/// Waits for the end of the server.
pub(super) async fn ended(ending: &mut watch::Receiver<bool>) {
    // The sender goes away at the end, too.
    let _ = ending.wait_for(|is_ending| *is_ending).await;
}
