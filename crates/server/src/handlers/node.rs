//! Nodes and environments.

use std::sync::Arc;

use ordain_data::{Value as Data, json};
use serde_json::{Value as Json, json};

use super::compiling::{classification, reply_of};
use super::no_environment;
use crate::compile::EnvironmentError;
use crate::principal::{AnyNode, OwnName};
use crate::reply::Reply;
use crate::request::Request;
use crate::server::Server;
use crate::trusted;

/// `GET node/NAME`: the environment and the parameters of a node.
pub(crate) async fn node(server: Arc<Server>, node: OwnName, request: Request) -> Reply {
    let environment = match request.environment() {
        Ok(name) => name.to_string(),
        Err(reply) => return reply,
    };
    let identity = node.identity().clone();
    let work = move |server: &Arc<Server>| {
        // A run begins.
        let name = &identity.name;
        server.runs.end(name);
        let found = match classification(server, name, &trusted::of(&identity), None) {
            Ok(found) => found,
            Err(message) => return Reply::failed(message).into(),
        };
        let environment = found.environment.unwrap_or_else(|| environment.clone());
        if server.environments.dir(&environment).is_none() {
            return no_environment(&environment, EnvironmentError::Missing).into();
        }
        let trusted = trusted::server_facts(server.name(), &environment);
        let parameters = found.parameters.iter().map(|(key, value)| (key.clone(), value.clone()));
        let parameters = Data::map(parameters);
        let mut document = json!({ "name": name.as_str(), "environment": environment });
        document["parameters"] = plain(&parameters);
        if let (Some(all), Some(own)) =
            (document["parameters"].as_object_mut(), plain(&trusted).as_object())
        {
            for (key, value) in own {
                all.entry(key.clone()).or_insert_with(|| value.clone());
            }
        }
        document["classes"] = plain(&Data::map(found.classes));
        Reply::json(&document).into()
    };
    reply_of(server, work).await
}

fn plain(data: &Data) -> Json {
    serde_json::from_str(&json::compact(data)).unwrap_or_default()
}

/// `GET environments`: all environments.
pub(crate) async fn environments(server: Arc<Server>, _: AnyNode, _: Request) -> Reply {
    super::blocking(server, |server| {
        let shown = |path: &std::path::PathBuf| format!("file://{}", path.display());
        let search: Vec<String> = server.environments.search_paths().iter().map(shown).collect();
        let mut all = serde_json::Map::new();
        for name in server.environments.names() {
            let Ok(env) = server.environments.get(&name) else { continue };
            let path = |path: &std::path::PathBuf| path.display().to_string();
            let modulepath: Vec<String> = env.modulepath.iter().map(path).collect();
            let settings = json!({
                "modulepath": modulepath,
                "manifest": path(&env.dir.join("manifests")),
                // An edit is live at once.
                "environment_timeout": 0,
                "config_version": "",
            });
            all.insert(name, json!({ "settings": settings }));
        }
        Reply::json(&json!({ "search_paths": search, "environments": all }))
    })
    .await
}
