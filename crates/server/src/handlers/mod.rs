//! The handlers of routes.

pub(crate) mod bucket;
pub(crate) mod ca;
pub(crate) mod catalog;
pub(crate) mod catalog_v4;
pub(crate) mod classes;
pub(crate) mod code;
mod code_name;
mod compiling;
pub(crate) mod explorer;
pub(crate) mod explorer_actions;
mod explorer_code;
mod explorer_compare;
pub(crate) mod explorer_reply;
pub(crate) mod files;
pub(crate) mod graph;
pub(crate) mod node;
mod node_code;
pub(crate) mod population;
pub(crate) mod puppetdb;
mod recheck;
pub(crate) mod shadow;
pub(crate) mod shared;
pub(crate) mod sign_in;
pub(crate) mod status;
pub(crate) mod submit;
pub(crate) mod tasks;

use std::sync::Arc;

use crate::compile::EnvironmentError;
use crate::principal::Denied;
use crate::reply::Reply;
use crate::request::Request;
use crate::server::Server;

/// Runs blocking work on a thread for it.
async fn blocking(
    server: Arc<Server>,
    work: impl FnOnce(&Server) -> Reply + Send + 'static,
) -> Reply {
    match tokio::task::spawn_blocking(move || work(&server)).await {
        Ok(reply) => reply,
        Err(_) => Reply::failed("the request met a bug in the server; see its log"),
    }
}

/// The handler of routes that exist in Puppet's API and that nobody may use.
pub(crate) async fn denied(_: Arc<Server>, nobody: Denied, _: Request) -> Reply {
    nobody.never()
}

/// The reply for an environment that cannot be used.
fn no_environment(name: &str, error: EnvironmentError) -> Reply {
    match error {
        EnvironmentError::Missing => {
            Reply::not_found(format!("Could not find environment '{name}'"))
        }
    }
}
