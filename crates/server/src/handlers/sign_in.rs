//! Signing in to the web explorer through a provider of OpenID Connect, and signing out.

use std::sync::Arc;

use hyper::StatusCode;
use serde_json::Map;

use super::explorer::with_policy;
use crate::audit::Action;
use crate::principal::Anyone;
use crate::reply::Reply;
use crate::request::{Request, is_of_another_site};
use crate::server::Server;
use crate::sign_in::{SignIn, SignInError};

/// `GET /explore/signin`: sends the browser to the provider.
pub(crate) async fn begin(server: Arc<Server>, _: Anyone, _: Request) -> Reply {
    let Some(sign_in) = &server.sign_in else { return not_there() };
    protected(match sign_in.begin().await {
        Ok((address, cookie)) => see(&address).header("set-cookie", cookie),
        Err(error) => refused(&error),
    })
}

/// `GET /explore/signin/callback`: the browser comes back from the provider.
pub(crate) async fn finish(server: Arc<Server>, _: Anyone, request: Request) -> Reply {
    let Some(sign_in) = &server.sign_in else { return not_there() };
    let reply = match sign_in.finish(&request.headers, &request.target.query).await {
        Ok((viewer, [session, begun])) => {
            match note(&server, viewer.name, "explorer-sign-in").await {
                Ok(()) => {
                    see("/explore/").header("set-cookie", session).header("set-cookie", begun)
                }
                Err(reply) => reply,
            }
        }
        Err(error) => {
            tracing::warn!(%error, "a sign-in to the explorer fails");
            if let SignInError::NoRole(name) = &error {
                // The refusal stands, whether it is noted or not.
                let _ = note(&server, name.clone(), "explorer-sign-in-refused").await;
            }
            refused(&error)
        }
    };
    protected(reply)
}

/// `POST /explore/signout`: ends the session of the browser.
pub(crate) async fn end(server: Arc<Server>, _: Anyone, request: Request) -> Reply {
    let Some(sign_in) = &server.sign_in else { return not_there() };
    if is_of_another_site(&request.headers) {
        return protected(Reply::text(StatusCode::FORBIDDEN, "the request is of another site"));
    }
    let reply = Reply::empty(StatusCode::OK).header("set-cookie", SignIn::end_cookie());
    let Some(viewer) = sign_in.end(&request.headers) else { return protected(reply) };
    protected(match note(&server, viewer.name, "explorer-sign-out").await {
        Ok(()) => reply,
        Err(failed) => failed.header("set-cookie", SignIn::end_cookie()),
    })
}

/// The reply that sends a browser without rights to the sign-in.
pub(crate) fn to_sign_in() -> Reply {
    protected(see("/explore/signin"))
}

fn protected(reply: Reply) -> Reply {
    with_policy(reply).header("cache-control", "no-store")
}

fn see(address: &str) -> Reply {
    Reply::text(StatusCode::SEE_OTHER, "").header("location", address)
}

fn not_there() -> Reply {
    Reply::not_found("the settings name no provider of OpenID Connect")
}

fn refused(error: &SignInError) -> Reply {
    let status = match error {
        SignInError::Provider(_) => StatusCode::BAD_GATEWAY,
        SignInError::Server(_) => StatusCode::SERVICE_UNAVAILABLE,
        _ => StatusCode::FORBIDDEN,
    };
    Reply::text(status, error.to_string())
}

/// Writes an action of a user to the audit log.
async fn note(server: &Arc<Server>, user: String, action: &'static str) -> Result<(), Reply> {
    let auditing = Arc::clone(server);
    let work = move || {
        let action = Action { actor: &user, action, subject: &user };
        auditing.append_audit(action, &Map::new())
    };
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(_) => Err(Reply::failed("the request met a bug in the server; see its log")),
    }
}
