//! Requests for certificates, and certificates.

use std::sync::Arc;

use hyper::StatusCode;
use ordain_ca::{CaError, CertificateState, CertificateStatus, SignOptions};
use ordain_explorer::{PageRequest, Role, Viewer, table_document};
use serde::Deserialize;
use serde_json::{Map, Value as Json, json};

use super::{act, body, subject};
use crate::audit::Action;
use crate::handlers::ca::status_of;
use crate::handlers::explorer_reply::{problem, refusal};
use crate::principal::{ExplorerAdmin, ExplorerSigner};
use crate::reply::Reply;
use crate::request::Request;
use crate::server::Server;

/// The columns of the table of requests.
const COLUMNS: &[&str] = &["name", "fingerprint", "alt_names", "authorization_extensions"];

/// The body of `POST certificates/NAME/sign` and `reject`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Seen {
    /// The fingerprint of the request that the user has seen.
    fingerprint: String,
}

/// `GET certificates`: the requests that wait for a signature.
pub(crate) async fn list(server: Arc<Server>, _: ExplorerSigner, request: Request) -> Reply {
    act(server, move |server| {
        let parameters = request.target.query.iter();
        let parameters = parameters.map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let page = PageRequest { segments: Vec::new(), parameters };
        let part = page.parameter("q").unwrap_or_default().to_lowercase();
        let found = requests(server)?;
        let row = |status: CertificateStatus| {
            vec![
                json!(status.name),
                json!(status.fingerprint),
                json!(status.subject_alt_names),
                json!(status.authorization_extensions),
            ]
        };
        let rows = found.into_iter().filter(|one| one.name.contains(&part)).map(row).collect();
        let document = table_document(COLUMNS, rows, &page).map_err(|error| refusal(&error))?;
        Ok(Reply::new(StatusCode::OK, document.content_type, document.text))
    })
    .await
}

/// `GET certificates/NAME`: the certificate of a name, or its request.
pub(crate) async fn status(server: Arc<Server>, _: ExplorerSigner, request: Request) -> Reply {
    act(server, move |server| {
        let name = subject(&request);
        match server.ca().status(&name).map_err(|error| refused(&error))? {
            Some(status) => Ok(Reply::json(&json!(status))),
            None => Err(missing(&name)),
        }
    })
    .await
}

/// `POST certificates/NAME/sign`: signs the request of a name.
pub(crate) async fn sign(server: Arc<Server>, user: ExplorerSigner, request: Request) -> Reply {
    act(server, move |server| {
        let (viewer, name) = (user.viewer(), subject(&request));
        let fingerprint = checked_request(server, &name, &request)?;
        append(server, viewer, "ca-sign", &name, Some(&fingerprint))?;
        let certificate = server.ca().sign(&name, &SignOptions::default());
        let certificate = certificate.map_err(|error| {
            // The reply tells the reason, whether the failure is noted or not.
            let _ = append(server, viewer, "ca-sign-failed", &name, Some(&fingerprint));
            refused(&error)
        })?;
        Ok(Reply::json(&json!({ "name": name, "fingerprint": certificate.fingerprint() })))
    })
    .await
}

/// `POST certificates/NAME/reject`: deletes the request of a name.
pub(crate) async fn reject(server: Arc<Server>, user: ExplorerSigner, request: Request) -> Reply {
    act(server, move |server| {
        let (viewer, name) = (user.viewer(), subject(&request));
        let fingerprint = checked_request(server, &name, &request)?;
        append(server, viewer, "ca-reject", &name, Some(&fingerprint))?;
        match server.ca().delete_request(&name).map_err(|error| refused(&error))? {
            true => Ok(Reply::json(&json!({ "name": name }))),
            false => Err(missing(&name)),
        }
    })
    .await
}

/// `POST certificates/NAME/revoke`: revokes the certificate of a name.
pub(crate) async fn revoke(server: Arc<Server>, user: ExplorerAdmin, request: Request) -> Reply {
    act(server, move |server| {
        let (viewer, name) = (user.viewer(), subject(&request));
        // A certificate has no environment.
        viewer.require(Role::Admin, None).map_err(|error| refusal(&error))?;
        let status = server.ca().status(&name).map_err(|error| refused(&error))?;
        match status.map(|status| status.state) {
            Some(CertificateState::Signed) => {}
            Some(state) => {
                let text = format!("the certificate of {name} is {}", state.as_str());
                return Err(problem(StatusCode::CONFLICT, &text));
            }
            None => return Err(missing(&name)),
        }
        append(server, viewer, "ca-revoke", &name, None)?;
        server.ca().revoke(std::slice::from_ref(&name)).map_err(|error| refused(&error))?;
        server.authority_changed();
        Ok(Reply::json(&json!({ "name": name })))
    })
    .await
}

fn requests(server: &Server) -> Result<Vec<CertificateStatus>, Reply> {
    let found = server.ca().statuses(Some(CertificateState::Requested));
    found.map_err(|error| refused(&error))
}

/// Checks that the request of a name is the one that the user has seen. Returns its fingerprint.
fn checked_request(server: &Server, name: &str, request: &Request) -> Result<String, Reply> {
    let Seen { fingerprint } = body(request)?;
    let found = requests(server)?.into_iter().find(|status| status.name == name);
    let found = found.ok_or_else(|| missing(name))?;
    if found.fingerprint != fingerprint {
        let text = format!("{name} has sent another request meanwhile: {}", found.fingerprint);
        return Err(problem(StatusCode::CONFLICT, &text));
    }
    Ok(fingerprint)
}

/// Writes an action to the audit log before it is done: none is without an entry.
fn append(
    server: &Server,
    viewer: &Viewer,
    action: &str,
    name: &str,
    fingerprint: Option<&str>,
) -> Result<(), Reply> {
    let mut detail: Map<String, Json> = Map::new();
    if let Some(fingerprint) = fingerprint {
        detail.insert("fingerprint".to_owned(), json!(fingerprint));
    }
    server.append_audit(Action { actor: &viewer.name, action, subject: name }, &detail)
}

fn missing(name: &str) -> Reply {
    problem(StatusCode::NOT_FOUND, &format!("{name} has neither a certificate nor a request"))
}

/// The reply for an error of the authority.
fn refused(error: &CaError) -> Reply {
    problem(status_of(error), &error.to_string())
}
