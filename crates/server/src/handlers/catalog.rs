//! Catalogs.

use std::sync::Arc;

use hyper::StatusCode;
use jiff::Timestamp;
use ordain_ca::Certname;
use ordain_data::{Value as Data, json};
use ordain_driver::StaticCatalog;
use ordain_driver::puppet::shared::NodeRequest;

use super::compiling::{
    Compiled, Prepared, Wanted, classification, compile_node, is_uuid, reply_of, uuid,
    version_of_now,
};
use super::node_code::code_for;
use super::recheck::Recheck;
use crate::answers::{Head, Miss};
use crate::classify::Classification;
use crate::compile::OpenedEnvironment;
use crate::facts::FactSet;
use crate::identity::Identity;
use crate::principal::OwnName;
use crate::reply::{JSON, RICH_JSON, Reply, gzip};
use crate::request::{Request, accepts_gzip, environment};
use crate::server::Server;
use crate::storage::{AnswerKey, CatalogIds, Receipt, Source, catalog_digest};
use crate::trusted;

/// A request for a catalog.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) node: Certname,
    pub(super) trusted: Data,
    pub(super) facts: Option<FactSet>,
    pub(super) environment: String,
    /// Whether the node wants to know if its environment is another one.
    pub(super) checks_environment: bool,
    static_catalog: bool,
    checksum_types: String,
    transaction: Option<String>,
    content_type: &'static str,
    accepts_gzip: bool,
}

/// `POST catalog/NAME` and `GET catalog/NAME`: compiles the catalog of a node.
pub(crate) async fn compile(server: Arc<Server>, node: OwnName, request: Request) -> Reply {
    let identity = node.identity().clone();
    let work = move |server: &Arc<Server>| match Asked::of(&identity, &request) {
        Ok(asked) => catalog(server, asked),
        Err(reply) => reply.into(),
    };
    reply_of(server, work).await
}

impl Asked {
    /// Reads a request.
    ///
    /// # Errors
    /// The reply for one that is wrong.
    pub(super) fn of(identity: &Identity, request: &Request) -> Result<Self, Reply> {
        let form = request.form().map_err(|error| Reply::bad_request(error.to_string()))?;
        let name = form.get("environment").or_else(|| request.target.query.get("environment"));
        let environment = environment(name)?.to_string();
        let facts = FactSet::of_form(&form, &identity.name).map_err(Reply::bad_request)?;
        let is = |name: &str| form.get(name) == Some("true");
        Ok(Self {
            node: identity.name.clone(),
            trusted: trusted::of(identity),
            facts,
            environment,
            checks_environment: is("check_environment"),
            static_catalog: is("static_catalog"),
            checksum_types: form.get("checksum_type").unwrap_or_default().to_string(),
            // The store takes only UUIDs; another text must not keep the catalog out of it.
            transaction: form.get("transaction_uuid").filter(|id| is_uuid(id)).map(str::to_string),
            content_type: content_type(request.header("accept").unwrap_or("*/*"))?,
            accepts_gzip: accepts_gzip(request.header("accept-encoding").unwrap_or_default()),
        })
    }
}

impl Asked {
    fn source<'a>(&'a self, environment: &'a str) -> Source<'a> {
        Source { node: &self.node, environment, transaction: self.transaction.as_deref() }
    }
}

/// The type of a catalog that a client reads.
fn content_type(accepted: &str) -> Result<&'static str, Reply> {
    let accepts = |name: &str| {
        accepted.split(',').any(|part| part.split(';').next().unwrap_or_default().trim() == name)
    };
    match () {
        () if accepts(RICH_JSON) => Ok(RICH_JSON),
        () if accepts(JSON) || accepts("*/*") || accepts("application/*") => Ok(JSON),
        // PSON is JSON for texts that are UTF-8.
        () if accepts("text/pson") || accepts("pson") => Ok("text/pson"),
        () => {
            let text = format!("No supported formats are acceptable (Accept: {accepted})");
            Err(Reply::error(StatusCode::NOT_ACCEPTABLE, "UNSUPPORTED_FORMAT", text))
        }
    }
}

fn catalog(server: &Arc<Server>, asked: Asked) -> Prepared {
    let sent = asked.facts.as_ref().map(|facts| &facts.values);
    let classification = match classification(server, &asked.node, &asked.trusted, sent) {
        Ok(classification) => classification,
        Err(message) => return Reply::failed(message).into(),
    };
    let assigned = classification.environment.clone();
    let name = assigned.unwrap_or_else(|| asked.environment.clone());
    if asked.checks_environment && name != asked.environment {
        // The agent fetches the plugins of that environment, and asks again.
        return empty_catalog(&asked, &name).into();
    }
    let env = match code_for(server, &asked.node, &name) {
        Ok(env) => env,
        Err(reply) => return reply.into(),
    };
    // The files that the node asks for from here on are those of its catalog.
    server.runs.use_code(&asked.node, &env);
    let mut receipts = Vec::new();
    if let Some(facts) = &asked.facts {
        let source = asked.source(&name);
        receipts.push(server.storage.replace_facts(&source, &facts.values, &asked.trusted));
    }
    let reply = compiled(server, &env, &asked, classification, &mut receipts);
    Prepared { reply, receipts }
}

/// The catalog that tells an agent the name of its environment.
fn empty_catalog(asked: &Asked, environment: &str) -> Reply {
    let catalog = serde_json::json!({
        "tags": [], "name": asked.node.as_str(), "version": Timestamp::now().as_second(),
        "code_id": null, "catalog_uuid": uuid(), "catalog_format": 1,
        "environment": environment, "resources": [], "edges": [], "classes": [],
    });
    Reply::new(StatusCode::OK, asked.content_type, catalog.to_string())
}

fn compiled(
    server: &Arc<Server>,
    env: &Arc<OpenedEnvironment>,
    asked: &Asked,
    classification: Classification,
    receipts: &mut Vec<Receipt>,
) -> Reply {
    let facts = match stored_or_sent(server, asked) {
        Ok(facts) => facts,
        Err(message) => return Reply::failed(message),
    };
    let wanted = Wanted {
        node: &asked.node,
        trusted: &asked.trusted,
        facts,
        classification,
        static_catalog: static_catalog(server, env, asked),
    };
    let request = wanted.request(server, env);
    let answer_key = answer_key(env, &request);
    if let Some(reply) = stored_answer(server, env, asked, (&answer_key, &request), receipts) {
        return reply;
    }
    let Compiled { text, exported, record, .. } = match compile_node(server, env, &request) {
        Ok(compiled) => compiled,
        Err(message) => return Reply::failed(message),
    };
    let source = asked.source(&env.name);
    let digest = catalog_digest(&text, &env.name, &exported);
    let row = match (&server.answers, record, &digest) {
        (Some(answers), Some(record), Some(digest)) => {
            answers.keep(env, &answer_key, record, (&text, digest))
        }
        _ => None,
    };
    receipts.push(server.storage.replace_catalog(&source, (&text, digest), &exported, row));
    let compressed = if asked.accepts_gzip { gzip(&text) } else { None };
    let is_gzip = compressed.is_some();
    let body = compressed.unwrap_or(text);
    Reply { is_gzip, ..Reply::new(StatusCode::OK, asked.content_type, body) }
}

/// The request that an answer is for.
fn answer_key(env: &OpenedEnvironment, request: &NodeRequest) -> AnswerKey {
    let variant = match &request.static_catalog {
        None => String::new(),
        // The id of the code is in the head of a catalog, which is made for each answer.
        Some(files) if !files.has_metadata => String::new(),
        // Metadata of files is that of one state of the code.
        Some(files) => {
            let code_id = files.code_id.as_deref().unwrap_or_default();
            format!("static {} {code_id}", files.checksum_type)
        }
    };
    AnswerKey { node: request.name.clone(), environment: env.name.clone(), variant }
}

/// The stored catalog, if another compile would have the same result.
fn stored_answer(
    server: &Arc<Server>,
    env: &Arc<OpenedEnvironment>,
    asked: &Asked,
    (answer_key, request): (&AnswerKey, &NodeRequest),
    receipts: &mut Vec<Receipt>,
) -> Option<Reply> {
    let answers = server.answers.as_ref()?;
    let found = answers.find((&server.environments, &server.storage), env, answer_key, request);
    let found = found.and_then(|answer| {
        let head = head(env, request)?;
        let source = asked.source(&env.name);
        let ids = CatalogIds {
            version: &head.version,
            uuid: &head.uuid,
            code_id: head.code_id.as_deref(),
        };
        let renewed = server.storage.renew_catalog(&source, &answer.digest, &ids);
        receipts.push(renewed.ok_or(Miss::Catalog)?);
        Ok((answer, head))
    });
    answers.count(&request.name, found.as_ref().err());
    let (answer, head) = found.ok()?;
    let (body, is_gzip) = match asked.accepts_gzip {
        true => (answer.body.gzip(&head), true),
        false => (answer.body.text(&head), false),
    };
    answers.recheck(|| {
        let recheck = Recheck {
            server: Arc::clone(server),
            env: Arc::clone(env),
            answer_key: answer_key.clone(),
            request: request.clone(),
            answer,
        };
        Box::new(move || recheck.run())
    });
    Some(Reply { is_gzip, ..Reply::new(StatusCode::OK, asked.content_type, body) })
}

/// The version and the id of a catalog that is not compiled again: new ones, as after a compile.
fn head(env: &OpenedEnvironment, request: &NodeRequest) -> Result<Head, Miss> {
    let failed = Miss::Failed;
    let version = match &env.shared {
        Ok(shared) => shared.config_version().map_err(failed)?,
        Err(message) => return Err(failed(message.clone())),
    };
    let version = version.map_or_else(version_of_now, Data::Str);
    let version = serde_json::from_str(&json::compact(&version));
    Ok(Head {
        version: version.map_err(|error| failed(error.to_string()))?,
        code_id: request.static_catalog.as_ref().and_then(|files| files.code_id.clone()),
        uuid: uuid(),
    })
}

fn stored_or_sent(server: &Server, asked: &Asked) -> Result<Data, String> {
    if let Some(facts) = &asked.facts {
        return Ok(facts.values.clone());
    }
    let stored = server.storage.facts(&asked.node)?;
    stored.ok_or_else(|| format!("There are no facts of {}", asked.node))
}

/// The metadata of files for the catalog, if it is a static one, and the id of the code, if an agent
/// can get files of that code later.
fn static_catalog(
    server: &Server,
    env: &OpenedEnvironment,
    asked: &Asked,
) -> Option<StaticCatalog> {
    let has_metadata = asked.static_catalog && server.config.static_catalogs;
    (has_metadata || env.revision_id().is_some()).then(|| StaticCatalog {
        has_metadata,
        checksum_type: asked.checksum_types.clone(),
        code_id: Some(env.code_id().to_string()),
        files: env.revision_id().map(|_| env.place(&env.dir)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_type_that_a_client_reads() {
        let of = |accepted| content_type(accepted).map_err(|reply| reply.status.as_u16());
        let agent = "application/vnd.puppet.rich+json, application/json, text/pson";
        assert_eq!(of(agent), Ok(RICH_JSON));
        assert_eq!(of("application/json;q=0.5, text/pson"), Ok(JSON));
        assert_eq!(of("text/pson"), Ok("text/pson"));
        assert_eq!(of("*/*"), Ok(JSON));
        assert_eq!(of("text/yaml"), Err(406));
    }
}
