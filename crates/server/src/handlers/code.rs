//! Information on code for administrators, and hooks of deployments.

use std::sync::Arc;

use hyper::StatusCode;
use serde_json::{Value as Json, json};

use super::{blocking, no_environment};
use crate::compile::OpenedEnvironment;
use crate::principal::Admin;
use crate::reply::Reply;
use crate::request::Request;
use crate::server::Server;

/// `GET environment_modules[?environment=NAME]`: the modules and their versions.
pub(crate) async fn modules(server: Arc<Server>, _: Admin, request: Request) -> Reply {
    let name = match request.target.query.get("environment") {
        None => None,
        Some(_) => match request.environment() {
            Ok(name) => Some(name.to_string()),
            Err(reply) => return reply,
        },
    };
    blocking(server, move |server| match name {
        Some(name) => match server.environments.get(&name) {
            Ok(env) => Reply::json(&modules_of(&env)),
            Err(error) => no_environment(&name, error),
        },
        None => {
            let names = server.environments.names();
            let all = names.iter().filter_map(|name| server.environments.get(name).ok());
            Reply::json(&all.map(|env| modules_of(&env)).collect())
        }
    })
    .await
}

fn modules_of(env: &OpenedEnvironment) -> Json {
    let modules = env.modules.iter().map(|(name, dir)| {
        let metadata = std::fs::read(dir.join("metadata.json")).unwrap_or_default();
        let metadata: Json = serde_json::from_slice(&metadata).unwrap_or_default();
        json!({ "name": name, "version": metadata.get("version") })
    });
    json!({ "name": env.name, "modules": modules.collect::<Vec<_>>() })
}

/// `DELETE environment-cache[?environment=NAME]`: reads code again. It is not needed, since edits
/// are noticed; hooks of deployments call it.
pub(crate) async fn forget(server: Arc<Server>, _: Admin, request: Request) -> Reply {
    let name = request.target.query.get("environment").map(str::to_string);
    blocking(server, move |server| {
        server.environments.forget(name.as_deref());
        Reply::empty(StatusCode::NO_CONTENT)
    })
    .await
}
