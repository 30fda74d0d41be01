//! The file bucket. A node sees only the objects that it has stored itself.

use std::sync::Arc;

use hyper::StatusCode;
use ordain_ca::Certname;

use super::blocking;
use crate::bucket::{BucketError, Digest};
use crate::principal::{Admin, AnyNode};
use crate::reply::{BYTES, Reply};
use crate::request::Request;
use crate::server::Server;

/// The digest in a path `TYPE/VALUE` or `TYPE/VALUE/ORIGINAL/PATH`.
fn digest(request: &Request) -> Result<Digest, Reply> {
    let found = match request.captured.path.as_slice() {
        [kind, value, ..] => Digest::parse(kind, value),
        _ => None,
    };
    found.ok_or_else(|| Reply::bad_request("the path is not TYPE/DIGEST"))
}

/// `HEAD file_bucket_file/TYPE/DIGEST`.
pub(crate) async fn head(server: Arc<Server>, node: AnyNode, request: Request) -> Reply {
    let digest = match digest(&request) {
        Ok(digest) => digest,
        Err(reply) => return reply,
    };
    let name = node.identity().name.clone();
    blocking(server, move |server| match server.bucket.has(&name, &digest) {
        true => Reply::new(StatusCode::OK, BYTES, ""),
        false => Reply::not_found("Could not find file_bucket_file"),
    })
    .await
}

/// `PUT file_bucket_file/TYPE/DIGEST/PATH`.
pub(crate) async fn put(server: Arc<Server>, node: AnyNode, request: Request) -> Reply {
    let digest = match digest(&request) {
        Ok(digest) => digest,
        Err(reply) => return reply,
    };
    let name = node.identity().name.clone();
    blocking(server, move |server| match server.bucket.put(&name, &digest, &request.body) {
        Ok(()) => Reply::new(StatusCode::OK, BYTES, ""),
        Err(BucketError::Mismatch) => Reply::bad_request("the content has another digest"),
        Err(BucketError::Full) => {
            let text = "the bucket of this node is full";
            Reply::error(StatusCode::INSUFFICIENT_STORAGE, "RUNTIME_ERROR", text)
        }
        Err(BucketError::Io(error)) => Reply::failed(error.to_string()),
    })
    .await
}

/// `GET file_bucket_file/TYPE/DIGEST?node=NAME`: a content that a node has stored. Without a node,
/// one of the administrator's own.
pub(crate) async fn get(server: Arc<Server>, admin: Admin, request: Request) -> Reply {
    let digest = match digest(&request) {
        Ok(digest) => digest,
        Err(reply) => return reply,
    };
    let name = match request.target.query.get("node") {
        None => admin.identity().name.clone(),
        Some(name) => match Certname::new(name) {
            Ok(name) => name,
            Err(error) => return Reply::bad_request(error.to_string()),
        },
    };
    blocking(server, move |server| match server.bucket.get(&name, &digest) {
        Ok(Some(content)) => Reply::new(StatusCode::OK, BYTES, content),
        Ok(None) => Reply::not_found("Could not find file_bucket_file"),
        Err(error) => Reply::failed(error.to_string()),
    })
    .await
}
