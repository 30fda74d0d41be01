//! `POST /puppet/v4/catalog`: the catalog of any node, for administrators and programs that compare
//! catalogs.

use std::sync::Arc;

use hyper::StatusCode;
use ordain_ca::Certname;
use ordain_data::{Value as Data, json as data_json};
use serde::Deserialize;
use serde_json::{Map, Value as Json, json};

use super::compiling::{
    Compiled, Prepared, Wanted, classification, compile_node, is_uuid, reply_of,
};
use super::no_environment;
use super::node_code::code_for;
use crate::principal::Admin;
use crate::reply::Reply;
use crate::request::{Request, environment};
use crate::server::Server;
use crate::storage::{Source, catalog_digest};

/// The body of a request.
#[derive(Deserialize)]
struct Body {
    certname: String,
    persistence: Persistence,
    environment: String,
    facts: Option<Values>,
    trusted_facts: Option<Values>,
    transaction_uuid: Option<String>,
    #[serde(default)]
    options: Options,
}

#[derive(Deserialize)]
struct Persistence {
    facts: bool,
    catalog: bool,
}

#[derive(Deserialize)]
struct Values {
    values: Map<String, Json>,
}

#[derive(Deserialize, Default)]
struct Options {
    #[serde(default)]
    prefer_requested_environment: bool,
    #[serde(default)]
    capture_logs: bool,
}

/// Compiles the catalog that is described in the body.
pub(crate) async fn compile(server: Arc<Server>, _: Admin, request: Request) -> Reply {
    let body: Body = match serde_json::from_slice(&request.body) {
        Ok(body) => body,
        Err(error) => return Reply::bad_request(format!("the body: {error}")),
    };
    let work = move |server: &Arc<Server>| catalog(server, &body).unwrap_or_else(Prepared::from);
    reply_of(server, work).await
}

fn catalog(server: &Server, body: &Body) -> Result<Prepared, Reply> {
    let node = Certname::new(&body.certname).map_err(|e| Reply::bad_request(e.to_string()))?;
    let asked = environment(Some(&body.environment))?;
    let stored = || server.storage.facts(&node).map_err(Reply::failed);
    let facts = match &body.facts {
        Some(facts) => data(&facts.values),
        None => stored()?.ok_or_else(|| {
            Reply::bad_request(format!("there are no facts of {node}, neither here nor stored"))
        })?,
    };
    let trusted = match &body.trusted_facts {
        Some(trusted) => data(&trusted.values),
        // The last certificate of the node said this.
        None => facts.get("trusted").cloned().unwrap_or_default(),
    };
    let classification = classification(server, &node, &trusted, Some(&facts));
    let classification = classification.map_err(Reply::failed)?;
    let assigned = classification.environment.as_deref();
    let name = match body.options.prefer_requested_environment {
        true => asked,
        false => assigned.unwrap_or(asked),
    };
    // A pin decides about the code of a node as its classification does about the environment.
    let env = match body.options.prefer_requested_environment {
        true => server.environments.get(name).map_err(|error| no_environment(name, error))?,
        false => code_for(server, &node, name)?,
    };
    let source = Source {
        node: &node,
        environment: name,
        transaction: body.transaction_uuid.as_deref().filter(|id| is_uuid(id)),
    };
    let mut receipts = Vec::new();
    if body.persistence.facts {
        receipts.push(server.storage.replace_facts(&source, &facts, &trusted));
    }
    let wanted = Wanted {
        node: &node,
        trusted: &trusted,
        facts,
        classification: classification.clone(),
        static_catalog: None,
    };
    let request = wanted.request(server, &env);
    let Compiled { text, exported, logs, .. } =
        compile_node(server, &env, &request).map_err(Reply::failed)?;
    if body.persistence.catalog {
        let digest = catalog_digest(&text, &env.name, &exported);
        let text = (&text[..], digest);
        receipts.push(server.storage.replace_catalog(&source, text, &exported, None));
    }
    // The catalog is JSON already; a tree of it would take longer than the compile.
    let mut reply = b"{\"catalog\":".to_vec();
    reply.extend_from_slice(&text);
    if body.options.capture_logs {
        reply.extend_from_slice(format!(",\"logs\":{}", json!(logs)).as_bytes());
    }
    reply.push(b'}');
    let reply = Reply::new(StatusCode::OK, crate::reply::JSON, reply);
    Ok(Prepared { reply, receipts })
}

fn data(values: &Map<String, Json>) -> Data {
    let text = serde_json::to_string(values).unwrap_or_default();
    // A text that was written from JSON is JSON; one that is nested too deeply is no facts.
    data_json::read(&text).unwrap_or_default()
}
