//! Metadata and contents of files.

use std::path::PathBuf;
use std::sync::Arc;

use hyper::StatusCode;
use ordain_ca::Certname;

use super::{blocking, no_environment};
use crate::compile::OpenedEnvironment;
use crate::files::cache::Key;
use crate::files::listing::{self, list};
use crate::files::metadata;
use crate::files::mounts::{self, Place};
use crate::files::root::Root;
use crate::principal::AnyNode;
use crate::reply::{Body, JSON, Reply};
use crate::request::{Request, accepts_gzip};
use crate::server::Server;

/// The folders of modules that `static_file_content` serves.
const STATIC_FOLDERS: [&str; 4] = ["files", "tasks", "scripts", "lib"];

/// A request for something on a mount.
struct OnMount {
    mount: String,
    path: Vec<String>,
    client: Certname,
    environment: String,
}

impl OnMount {
    fn of(node: &AnyNode, request: &Request) -> Result<Self, Reply> {
        let Some((mount, path)) = request.captured.path.split_first() else {
            return Err(Reply::not_found("no mount is named"));
        };
        // Puppet's agents name an environment with each request.
        let environment = request.environment()?.to_string();
        let client = node.identity().name.clone();
        Ok(Self { mount: mount.clone(), path: path.to_vec(), client, environment })
    }

    fn shown(&self) -> String {
        format!("{}/{}", self.mount, self.path.join("/"))
    }

    /// The first place at which something exists, opened.
    fn find(&self, server: &Server, follows: bool) -> Result<Option<(Root, PathBuf)>, Reply> {
        let env = self.code(server)?;
        let own = server.mounts.load();
        Ok(mounts::find(&env, &own, &self.client, (&self.mount, &self.path), follows))
    }

    /// The code that the node's run uses.
    fn code(&self, server: &Server) -> Result<Arc<OpenedEnvironment>, Reply> {
        if let Some(env) = server.runs.code(&self.client, &self.environment) {
            return Ok(env);
        }
        let env = server.environments.get(&self.environment);
        let env = env.map_err(|error| no_environment(&self.environment, error))?;
        server.runs.use_code(&self.client, &env);
        Ok(env)
    }

    fn missing(&self) -> Reply {
        Reply::not_found(format!("Could not find file_metadata {}", self.shown()))
    }
}

/// `GET file_metadata/MOUNT/PATH`.
pub(crate) async fn metadata(server: Arc<Server>, node: AnyNode, request: Request) -> Reply {
    let wanted = match request.form().map(|query| listing::wanted(&query)) {
        Ok(Ok(wanted)) => wanted,
        Ok(Err(text)) => return Reply::bad_request(text),
        Err(error) => return Reply::bad_request(error.to_string()),
    };
    let asked = match OnMount::of(&node, &request) {
        Ok(asked) => asked,
        Err(reply) => return reply,
    };
    blocking(server, move |server| {
        let (root, below) = match asked.find(server, wanted.follows) {
            Ok(Some(found)) => found,
            Ok(None) => return asked.missing(),
            Err(reply) => return reply,
        };
        match metadata::of(&server.checksums, &root, &below, None, wanted) {
            Ok(metadata) => json_of(&metadata),
            Err(error) => Reply::failed(format!("Could not read {}: {error}", asked.shown())),
        }
    })
    .await
}

fn json_of(document: &impl serde::Serialize) -> Reply {
    match serde_json::to_vec(document) {
        Ok(text) => Reply::new(StatusCode::OK, JSON, text),
        Err(error) => Reply::failed(error.to_string()),
    }
}

/// `GET file_metadatas/MOUNT/PATH`: a listing.
pub(crate) async fn metadatas(server: Arc<Server>, node: AnyNode, request: Request) -> Reply {
    let wanted = match request.form().map(|query| listing::Request::of(&query)) {
        Ok(Ok(wanted)) => wanted,
        Ok(Err(text)) => return Reply::bad_request(text),
        Err(error) => return Reply::bad_request(error.to_string()),
    };
    let asked = match OnMount::of(&node, &request) {
        Ok(asked) => asked,
        Err(reply) => return reply,
    };
    let accepts_gzip = accepts_gzip(request.header("accept-encoding").unwrap_or_default());
    blocking(server, move |server| listed(server, &asked, &wanted, accepts_gzip)).await
}

fn listed(
    server: &Server,
    asked: &OnMount,
    wanted: &listing::Request,
    accepts_gzip: bool,
) -> Reply {
    if asked.mount == "pluginfacts" {
        // It is the first thing that a run asks for.
        server.runs.end(&asked.client);
    }
    let env = match asked.code(server) {
        Ok(env) => env,
        Err(reply) => return reply,
    };
    if !env.is_watched() || !mounts::is_of_modules(&asked.mount) {
        return new_listing(server, &env, asked, wanted);
    }
    let key = Key {
        code: env.state().to_string(),
        mount: asked.mount.clone(),
        path: asked.path.clone(),
        request: wanted.clone(),
    };
    let listing = match server.listings.get(&key) {
        Some(listing) => listing,
        None => match new_listing(server, &env, asked, wanted) {
            Reply { status: StatusCode::OK, body: Body::Bytes(text), .. } => {
                server.listings.put(key, text.to_vec())
            }
            other => return other,
        },
    };
    match listing.compressed.clone().filter(|_| accepts_gzip) {
        Some(bytes) => Reply { is_gzip: true, ..Reply::new(StatusCode::OK, JSON, bytes) },
        None => Reply::new(StatusCode::OK, JSON, listing.text.clone()),
    }
}

fn new_listing(
    server: &Server,
    env: &OpenedEnvironment,
    asked: &OnMount,
    wanted: &listing::Request,
) -> Reply {
    let own = server.mounts.load();
    let places = mounts::listed_places(env, &own, &asked.client, &asked.mount, &asked.path);
    let found = match list(&server.checksums, &places, wanted) {
        Ok(Some(found)) => Ok(Some(found)),
        // Agents expect the root of such a mount to exist, also without any module.
        Ok(None) if mounts::is_joined(&asked.mount) => {
            let root = env.modulepath.iter().find(|dir| dir.is_dir()).unwrap_or(&env.dir);
            let place = Place::of(env, root.clone(), PathBuf::new());
            list(&server.checksums, &[place], &wanted.without_recursion())
        }
        other => other,
    };
    match found {
        Ok(Some(found)) => json_of(&found),
        Ok(None) => asked.missing(),
        Err(message) => Reply::failed(message),
    }
}

/// `GET file_content/MOUNT/PATH`.
pub(crate) async fn content(server: Arc<Server>, node: AnyNode, request: Request) -> Reply {
    let asked = match OnMount::of(&node, &request) {
        Ok(asked) => asked,
        Err(reply) => return reply,
    };
    blocking(server, move |server| {
        let missing = || Reply::not_found(format!("Could not find file_content {}", asked.shown()));
        match asked.find(server, true) {
            Ok(Some((root, below))) => sent(&root, &below).unwrap_or_else(missing),
            Ok(None) => missing(),
            Err(reply) => reply,
        }
    })
    .await
}

fn sent(root: &Root, below: &std::path::Path) -> Option<Reply> {
    let (file, stat) = root.file(below).ok()?;
    Some(Reply::file(file, u64::try_from(stat.st_size).unwrap_or(0)))
}

/// `GET static_file_content/PATH?environment=&code_id=`: a file of the code that a static catalog
/// was compiled from.
pub(crate) async fn static_content(server: Arc<Server>, _: AnyNode, request: Request) -> Reply {
    let environment = request.target.query.get("environment").unwrap_or_default().to_string();
    let code_id = request.target.query.get("code_id").unwrap_or_default().to_string();
    let path = request.captured.path;
    if environment.is_empty() || code_id.is_empty() || path.is_empty() {
        let text = "Error: A /static_file_content request requires an environment, a code-id, and \
                    a file-path";
        return Reply::text(StatusCode::BAD_REQUEST, text);
    }
    if let Err(reply) = crate::request::environment(Some(&environment)) {
        return reply;
    }
    if path.len() < 4 || !STATIC_FOLDERS.contains(&path[2].as_str()) {
        let text = "Request Denied: A /static_file_content request must be a file within the \
                    files, lib, scripts, or tasks directory of a module.";
        return Reply::text(StatusCode::FORBIDDEN, text);
    }
    blocking(server, move |server| {
        let env = match server.environments.get(&environment) {
            Ok(env) => env,
            Err(error) => return no_environment(&environment, error),
        };
        let missing = || Reply::not_found(format!("no {} of the code {code_id}", path.join("/")));
        let dir = match env.code_id() == code_id {
            true => env.place(&env.dir),
            // An older revision is there as long as deploys keep it.
            false => match server.environments.revision(&environment, &code_id) {
                Some(revision) => revision.directory.clone(),
                None => return missing(),
            },
        };
        let below: PathBuf = path.iter().collect();
        let root = Root::open(&dir).ok();
        root.and_then(|root| sent(&root, &below)).unwrap_or_else(missing)
    })
    .await
}
