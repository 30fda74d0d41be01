//! Tasks of modules, for orchestrators.

use std::sync::Arc;

use hyper::StatusCode;
use ordain_functions::checksum::{Algorithm, Checksum};
use serde_json::{Value as Json, json};

use super::blocking;
use crate::compile::OpenedEnvironment;
use crate::files::root::Root;
use crate::principal::AnyNode;
use crate::reply::{JSON, Reply};
use crate::request::Request;
use crate::server::Server;
use crate::tasks::{ModuleTasks, Task, TaskFile};

/// Does something with an environment. A missing one is a text here, as in Puppet's server.
async fn with_environment(
    server: Arc<Server>,
    request: &Request,
    work: impl FnOnce(&Server, &OpenedEnvironment) -> Reply + Send + 'static,
) -> Reply {
    let name = match request.environment() {
        Ok(name) => name.to_string(),
        Err(reply) => return reply,
    };
    blocking(server, move |server| match server.environments.get(&name) {
        Ok(env) => work(server, &env),
        Err(_) => missing("environment", &name),
    })
    .await
}

fn missing(what: &str, name: &str) -> Reply {
    Reply::text(StatusCode::NOT_FOUND, format!("Could not find {what} '{name}'"))
}

/// `GET tasks?environment=NAME`: the tasks that can be run.
pub(crate) async fn tasks(server: Arc<Server>, _: AnyNode, request: Request) -> Reply {
    with_environment(server, &request, |_, env| {
        let mut rows = Vec::new();
        for module in ModuleTasks::all(env) {
            for name in module.names() {
                match module.read(name) {
                    Some(Ok(task)) => rows.push(row(env, &task)),
                    Some(Err(error)) => {
                        tracing::warn!(task = name, error = %error.to_json(), "a task is wrong");
                    }
                    None => {}
                }
            }
        }
        Reply::json(&Json::Array(rows))
    })
    .await
}

fn row(env: &OpenedEnvironment, task: &Task) -> Json {
    json!({
        "name": task.name,
        "private": task.metadata.get("private").unwrap_or(&Json::Bool(false)),
        "description": task.metadata.get("description").unwrap_or(&json!("")),
        "environment": [{ "name": env.name, "code_id": null }],
    })
}

/// `GET tasks/MODULE/TASK?environment=NAME`: a task with its files.
pub(crate) async fn task(server: Arc<Server>, _: AnyNode, request: Request) -> Reply {
    let [module, name] = request.captured.path.as_slice() else {
        return Reply::not_found("a task is MODULE/TASK");
    };
    let (module, name) = (module.clone(), name.clone());
    with_environment(server, &request, move |server, env| {
        let Some(tasks) = ModuleTasks::of(env, &module) else { return missing("module", &module) };
        match tasks.read(&name) {
            None => missing("task", &name),
            Some(Ok(task)) => details(server, env, &task),
            Some(Err(error)) => {
                let status = StatusCode::INTERNAL_SERVER_ERROR;
                Reply::new(status, JSON, error.to_json().to_string())
            }
        }
    })
    .await
}

fn details(server: &Server, env: &OpenedEnvironment, task: &Task) -> Reply {
    let files: std::io::Result<Vec<Json>> =
        task.files.iter().map(|file| describe(server, env, file)).collect();
    match files {
        Ok(files) => Reply::json(&json!({
            "metadata": task.metadata,
            "name": task.name,
            "files": files,
        })),
        Err(error) => Reply::failed(format!("a file of the task {}: {error}", task.name)),
    }
}

/// Describes a file: its digest, and the request that gets it.
fn describe(server: &Server, env: &OpenedEnvironment, file: &TaskFile) -> std::io::Result<Json> {
    let root = Root::open(&file.module_dir)?;
    let stat = root.find(&file.below(), true)?.stat;
    let kind = Checksum::Digest(Algorithm::Sha256, false);
    let digest = server.checksums.of(&root, &file.below(), &stat, kind)?;
    let digest = digest.split_once('}').map_or(digest.as_str(), |(_, digest)| digest);
    let TaskFile { module, path, .. } = file;
    let place = match file.folder.as_str() {
        "files" => format!("modules/{module}/{path}"),
        // Agents see one directory of all modules.
        "lib" => format!("plugins/{path}"),
        folder => format!("{folder}/{module}/{path}"),
    };
    Ok(json!({
        "filename": file.name,
        "sha256": digest,
        "size_bytes": stat.st_size,
        "uri": {
            "path": format!("/puppet/v3/file_content/{place}"),
            "params": { "environment": env.name },
        },
    }))
}
