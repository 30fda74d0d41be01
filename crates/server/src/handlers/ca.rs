//! The routes of the certificate authority.

use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use hyper::StatusCode;
use jiff::Timestamp;
use jiff::fmt::rfc2822;
use ordain_ca::{CaError, CertificateState, ErrorKind, SignOptions, Submission};
use serde_json::{Value as Json, json};

use super::blocking;
use crate::audit::Action;
use crate::principal::{Admin, AnyNode, Anyone};
use crate::reply::{JSON, Reply, http_date};
use crate::request::Request;
use crate::server::Server;

/// The status of replies for an error of the authority.
pub(super) fn status_of(error: &CaError) -> StatusCode {
    match error.kind() {
        ErrorKind::Invalid => StatusCode::BAD_REQUEST,
        ErrorKind::Forbidden => StatusCode::FORBIDDEN,
        ErrorKind::NotFound => StatusCode::NOT_FOUND,
        ErrorKind::Conflict => StatusCode::CONFLICT,
        ErrorKind::Internal => {
            tracing::error!(%error, "the certificate authority fails");
            StatusCode::INTERNAL_SERVER_ERROR
        }
    }
}

/// The reply for an error of the authority.
fn refused(error: &CaError) -> Reply {
    Reply::text(status_of(error), error.to_string())
}

fn pem_or_missing(found: Result<Option<Vec<u8>>, CaError>, what: &str) -> Reply {
    match found {
        Ok(Some(pem)) => Reply::new(StatusCode::OK, crate::reply::TEXT, pem),
        Ok(None) => Reply::text(StatusCode::NOT_FOUND, what),
        Err(error) => refused(&error),
    }
}

fn captured(request: &Request) -> String {
    request.captured.name.clone().unwrap_or_default()
}

/// `GET certificate/NAME`: the certificate of a name, or those of the authority for `ca`.
pub(crate) async fn certificate(server: Arc<Server>, _: Anyone, request: Request) -> Reply {
    let name = captured(&request);
    if name == "ca" {
        return Reply::text(StatusCode::OK, server.ca().bundle_pem().to_string());
    }
    blocking(server, move |server| {
        let missing = format!("Could not find certificate {name}");
        pem_or_missing(server.ca().certificate_pem(&name), &missing)
    })
    .await
}

/// `GET certificate_revocation_list/ca`: the lists of the chain.
pub(crate) async fn revocation_list(server: Arc<Server>, _: Anyone, request: Request) -> Reply {
    let since = request.header("if-modified-since").and_then(date);
    blocking(server, move |server| match server.ca().crl() {
        Ok(list) => {
            let modified = list.modified.duration_since(UNIX_EPOCH).unwrap_or_default();
            let modified = i64::try_from(modified.as_secs()).unwrap_or(i64::MAX);
            let reply = match since.is_some_and(|since| modified <= since) {
                true => Reply::empty(StatusCode::NOT_MODIFIED),
                false => Reply::text(StatusCode::OK, list.pem.to_string()),
            };
            let modified = Timestamp::try_from(list.modified).unwrap_or_default();
            reply.header("last-modified", http_date(modified))
        }
        Err(error) => refused(&error),
    })
    .await
}

/// Reads a date of HTTP as seconds since 1970. A malformed one counts as none.
fn date(text: &str) -> Option<i64> {
    let text = text.strip_suffix("GMT").map_or_else(|| text.to_string(), |t| format!("{t}+0000"));
    Some(rfc2822::parse(&text).ok()?.timestamp().as_second())
}

/// `GET certificate_request/NAME`.
pub(crate) async fn request(server: Arc<Server>, _: Anyone, request: Request) -> Reply {
    let name = captured(&request);
    blocking(server, move |server| {
        let missing = format!("Could not find certificate_request {name}");
        pem_or_missing(server.ca().request_pem(&name), &missing)
    })
    .await
}

/// `PUT certificate_request/NAME`: takes in a request.
pub(crate) async fn submit(server: Arc<Server>, _: Anyone, request: Request) -> Reply {
    let name = captured(&request);
    let working = Arc::clone(&server);
    // Anyone can send requests, and a program may decide about each for long.
    let Ok(_turn) = working.enrolments.try_acquire() else { return working.overloaded() };
    blocking(server, move |server| match server.ca().submit(&name, &request.body) {
        Ok(outcome) => {
            let is_signed = matches!(outcome, Submission::Signed(_));
            tracing::info!(node = name, signed = is_signed, "a certificate is requested");
            Reply::empty(StatusCode::OK)
        }
        Err(error) => {
            tracing::warn!(node = name, %error, "a request for a certificate is refused");
            refused(&error)
        }
    })
    .await
}

/// `DELETE certificate_request/NAME`.
pub(crate) async fn delete_request(server: Arc<Server>, admin: Admin, request: Request) -> Reply {
    let name = captured(&request);
    blocking(server, move |server| match server.ca().delete_request(&name) {
        Ok(true) => {
            audit(server, &admin, "ca-reject", &name);
            Reply::empty(StatusCode::NO_CONTENT)
        }
        Ok(false) => Reply::text(StatusCode::NOT_FOUND, "Could not find certificate_request"),
        Err(error) => refused(&error),
    })
    .await
}

/// `POST certificate_renewal`: the certificate of the connection is the request.
pub(crate) async fn renew(server: Arc<Server>, node: AnyNode, _: Request) -> Reply {
    blocking(server, move |server| {
        match server.ca().renew_presented(node.identity().certificate.der()) {
            Ok(certificate) => Reply::text(StatusCode::OK, certificate.pem()),
            Err(error) => refused(&error),
        }
    })
    .await
}

/// Notes an action of an administrator. Certificates can be revoked without a database, too.
fn audit(server: &Server, admin: &Admin, action: &str, subject: &str) {
    server.note_audit(Action { actor: admin.identity().name.as_str(), action, subject });
}

/// `GET certificate_status/NAME`.
pub(crate) async fn status(server: Arc<Server>, _: Admin, request: Request) -> Reply {
    let name = captured(&request);
    blocking(server, move |server| match server.ca().status(&name) {
        Ok(Some(status)) => json_of(&status),
        Ok(None) => Reply::text(StatusCode::NOT_FOUND, "Invalid certificate subject."),
        Err(error) => refused(&error),
    })
    .await
}

fn json_of(document: &impl serde::Serialize) -> Reply {
    match serde_json::to_vec(document) {
        Ok(text) => Reply::new(StatusCode::OK, JSON, text),
        Err(error) => Reply::failed(error.to_string()),
    }
}

/// `GET certificate_statuses/ANY?state=STATE`.
pub(crate) async fn statuses(server: Arc<Server>, _: Admin, request: Request) -> Reply {
    let state = request.target.query.get("state").and_then(CertificateState::parse);
    blocking(server, move |server| match server.ca().statuses(state) {
        Ok(statuses) => json_of(&statuses),
        Err(error) => refused(&error),
    })
    .await
}

/// The body of `PUT certificate_status/NAME`.
struct StatusChange {
    state: CertificateState,
    ttl: Option<Duration>,
}

impl StatusChange {
    /// The action in the audit log.
    fn action(&self) -> &'static str {
        match self.state {
            CertificateState::Signed => "ca-sign",
            _ => "ca-revoke",
        }
    }

    fn parse(name: &str, request: &Request) -> Result<Self, Reply> {
        let bad_request = |text: &str| Reply::text(StatusCode::BAD_REQUEST, text);
        if !matches!(request.content_type(), "application/json" | "text/pson" | "pson") {
            return Err(Reply::text(StatusCode::UNSUPPORTED_MEDIA_TYPE, "Unsupported media type."));
        }
        let body: Json = serde_json::from_slice(&request.body)
            .map_err(|_| bad_request("Request body is not JSON."))?;
        let ttl = match body.get("cert_ttl") {
            None | Some(Json::Null) => None,
            Some(ttl) => {
                let seconds = ttl.as_u64();
                let seconds = seconds.ok_or_else(|| bad_request("cert_ttl must be an integer"))?;
                Some(Duration::from_secs(seconds))
            }
        };
        let state = match body.get("desired_state").and_then(Json::as_str) {
            Some("signed") => CertificateState::Signed,
            Some("revoked") => CertificateState::Revoked,
            Some(other) => {
                return Err(bad_request(&format!(
                    "State {other} invalid; Must specify desired state of 'signed' or 'revoked' \
                     for host {name}."
                )));
            }
            None => return Err(bad_request("Missing required parameter \"desired_state\"")),
        };
        Ok(Self { state, ttl })
    }
}

/// `PUT certificate_status/NAME`: signs or revokes.
pub(crate) async fn set_status(server: Arc<Server>, admin: Admin, request: Request) -> Reply {
    let name = captured(&request);
    let change = match StatusChange::parse(&name, &request) {
        Ok(change) => change,
        Err(reply) => return reply,
    };
    blocking(server, move |server| {
        match server.ca().status(&name) {
            Ok(Some(_)) => {}
            Ok(None) => {
                return Reply::text(StatusCode::NOT_FOUND, "Invalid certificate subject.");
            }
            Err(error) => return refused(&error),
        }
        match change_status(server, &name, &change) {
            Ok(()) => {
                server.authority_changed();
                audit(server, &admin, change.action(), &name);
                Reply::empty(StatusCode::NO_CONTENT)
            }
            Err(reply) => reply,
        }
    })
    .await
}

fn change_status(server: &Server, name: &str, change: &StatusChange) -> Result<(), Reply> {
    let conflict = |text: String| Reply::text(StatusCode::CONFLICT, text);
    let outcome = match change.state {
        CertificateState::Signed => {
            let options = SignOptions { ttl: change.ttl, ..SignOptions::default() };
            server.ca().sign(name, &options).map(drop)
        }
        _ => match server.ca().revoke(&[name.to_string()]) {
            Ok(outcome) if outcome.revoked.is_empty() => {
                return Err(conflict(format!(
                    "Cannot revoke certificate for host {name} without a signed certificate"
                )));
            }
            other => other.map(drop),
        },
    };
    outcome.map_err(|error| match error {
        CaError::NoRequest(_) => conflict(format!(
            "Cannot sign certificate for host {name} without a certificate request"
        )),
        error if error.kind() == ErrorKind::Invalid => conflict(error.to_string()),
        error => refused(&error),
    })
}

/// `DELETE certificate_status/NAME`: revokes, and removes the certificate and the request.
pub(crate) async fn delete_status(server: Arc<Server>, admin: Admin, request: Request) -> Reply {
    let name = captured(&request);
    blocking(server, move |server| match server.ca().clean(std::slice::from_ref(&name)) {
        Ok(outcome) if outcome.not_found.is_empty() => {
            server.authority_changed();
            audit(server, &admin, "ca-clean", &name);
            Reply::empty(StatusCode::NO_CONTENT)
        }
        Ok(_) => Reply::text(StatusCode::NOT_FOUND, "Invalid certificate subject."),
        Err(error) => refused(&error),
    })
    .await
}

/// The names in a body.
fn certnames(request: &Request) -> Option<(Json, Vec<String>)> {
    let body: Json = serde_json::from_slice(&request.body).ok()?;
    let names = body.get("certnames")?.as_array()?;
    let names = names.iter().map(|name| name.as_str().map(str::to_string));
    let names = names.collect::<Option<Vec<_>>>()?;
    Some((body, names))
}

fn schema_violation(request: &Request) -> Reply {
    let submitted: Json = serde_json::from_slice(&request.body).unwrap_or_default();
    let body = json!({
        "kind": "schema-violation",
        "submitted": submitted,
        "error": { "certnames": "missing-required-key" },
    });
    let status = StatusCode::UNPROCESSABLE_ENTITY;
    Reply::new(status, JSON, body.to_string())
}

fn signed(outcome: Result<ordain_ca::SignResult, CaError>) -> Reply {
    match outcome {
        Ok(outcome) => {
            for (name, error) in &outcome.errors {
                tracing::warn!(node = name, %error, "a request is not signed");
            }
            let errors: Vec<&String> = outcome.errors.iter().map(|(name, _)| name).collect();
            Reply::json(&json!({
                "signed": outcome.signed,
                "no-csr": outcome.no_request,
                "signing-errors": errors,
            }))
        }
        Err(error) => refused(&error),
    }
}

/// `POST sign`: signs the requests of names.
pub(crate) async fn sign(server: Arc<Server>, admin: Admin, request: Request) -> Reply {
    let Some((_, names)) = certnames(&request) else { return schema_violation(&request) };
    blocking(server, move |server| {
        audit(server, &admin, "ca-sign", &names.join(", "));
        signed(server.ca().sign_names(&names, &SignOptions::default()))
    })
    .await
}

/// `POST sign/all`: signs all requests.
pub(crate) async fn sign_all(server: Arc<Server>, admin: Admin, _: Request) -> Reply {
    blocking(server, move |server| {
        audit(server, &admin, "ca-sign", "all requests");
        signed(server.ca().sign_all(&SignOptions::default()))
    })
    .await
}

/// `PUT clean`: revokes and removes names.
pub(crate) async fn clean(server: Arc<Server>, admin: Admin, request: Request) -> Reply {
    let Some((body, names)) = certnames(&request) else {
        return Reply::text(StatusCode::BAD_REQUEST, "The body must be JSON with `certnames`.");
    };
    if body.get("async") == Some(&Json::Bool(true)) {
        return Reply::text(StatusCode::BAD_REQUEST, "Async cleaning is not supported.");
    }
    blocking(server, move |server| match server.ca().clean(&names) {
        Ok(outcome) => {
            server.authority_changed();
            audit(server, &admin, "ca-clean", &names.join(", "));
            match outcome.not_found.is_empty() {
                true => Reply::text(StatusCode::OK, "Successfully cleaned all certificates."),
                false => {
                    let missing = outcome.not_found.join(", ");
                    let text = format!(
                        "The following certs do not exist and cannot be revoked: [{missing}]"
                    );
                    Reply::text(StatusCode::OK, text)
                }
            }
        }
        Err(error) => refused(&error),
    })
    .await
}

/// `PUT certificate_revocation_list`: takes in the lists of authorities above.
pub(crate) async fn import_lists(server: Arc<Server>, admin: Admin, request: Request) -> Reply {
    blocking(server, move |server| match server.ca().import_crls(&request.body) {
        Ok(_) => {
            server.authority_changed();
            audit(server, &admin, "ca-import-crls", "revocation lists");
            Reply::text(StatusCode::OK, "Successfully updated CRLs.")
        }
        Err(error) => refused(&error),
    })
    .await
}

/// `GET expirations`.
pub(crate) async fn expirations(server: Arc<Server>, _: AnyNode, _: Request) -> Reply {
    blocking(server, move |server| match server.ca().expirations() {
        Ok(expirations) => json_of(&expirations),
        Err(error) => refused(&error),
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_http_are_read_and_written() {
        assert_eq!(date("Thu, 26 Nov 2026 21:30:00 GMT"), Some(1_795_728_600));
        assert_eq!(date("yesterday"), None);
        let time = Timestamp::from_second(1_795_728_600).unwrap();
        assert_eq!(http_date(time), "Thu, 26 Nov 2026 21:30:00 GMT");
    }
}
