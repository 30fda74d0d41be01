//! The way of a request through the server.

use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;

use hyper::body::Incoming;
use hyper::header::{self, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};
use jiff::Timestamp;

use crate::body::Outgoing;
use crate::client::{Client, Listener};
use crate::explorer_users;
use crate::handlers::sign_in;
use crate::held::{self, Exit, Handled, HeldRequest};
use crate::identity::{DatabaseAccess, Identity};
use crate::reply::{Body, LaterReply, PUPPET_VERSION, Reply};
use crate::request::Request;
use crate::request_body;
use crate::routes::{self, Route};
use crate::server::Server;
use crate::shadow::{self, Shadow};
use crate::url::{Target, UrlError};

/// The name of all passed requests in metrics.
const PASSED: &str = "(old server)";

/// A server with its routes.
pub(crate) struct Service {
    pub(crate) server: Arc<Server>,
    /// The routes for agents.
    pub(crate) agents: Vec<Route>,
    /// The routes for monitoring.
    pub(crate) monitoring: Vec<Route>,
    /// The routes of PuppetDB's API.
    pub(crate) puppetdb: Vec<Route>,
}

impl Service {
    /// Makes the reply of a request. If the reply comes later, the request may leave its connection
    /// by `exit`; then this never ends.
    pub(crate) async fn respond(
        &self,
        client: &Client,
        request: hyper::Request<Incoming>,
        exit: Option<&Exit>,
    ) -> Response<Outgoing> {
        let mut handled = Handled {
            begin: Instant::now(),
            method: request.method().clone(),
            path: request.uri().path().to_string(),
            pattern: "",
        };
        let accepts_gzip = accepts_gzip(&request);
        let exit = exit.filter(|_| held::may_leave(&request));
        let old = self.server.shadow.as_ref().filter(|_| client.listener == Listener::Agents);
        let response = match old.filter(|_| !shadow::is_own(&handled.path)) {
            Some(shadow) => {
                handled.pattern = PASSED;
                // In a place of its own: its state is large, and few servers pass requests.
                let passed = Box::pin(self.pass(shadow, client, request)).await;
                passed.unwrap_or_else(|reply| response(reply.compressed(accepts_gzip)))
            }
            None => {
                let routed = self.route(client, request).await;
                let (pattern, reply) = routed.unwrap_or_else(|reply| ("", reply));
                handled.pattern = pattern;
                if let Body::Later(later) = reply.body {
                    let held = HeldRequest { later, handled, accepts_gzip };
                    let Some(exit) = exit else {
                        return self.finish_held(client, Box::new(held)).await;
                    };
                    exit.leave(held);
                    return std::future::pending().await;
                }
                response(reply.compressed(accepts_gzip))
            }
        };
        self.note(client, handled, &response);
        response
    }

    /// Waits for the reply of a request that comes later.
    pub(crate) async fn finish_held(
        &self,
        client: &Client,
        held: Box<HeldRequest>,
    ) -> Response<Outgoing> {
        let HeldRequest { later: LaterReply(later), handled, accepts_gzip } = *held;
        let reply = without_panic(later).await;
        let response = response(reply.compressed(accepts_gzip));
        self.note(client, handled, &response);
        response
    }

    /// Counts and logs a request.
    fn note(&self, client: &Client, handled: Handled, response: &Response<Outgoing>) {
        let Handled { begin, method, path, pattern } = handled;
        let took = begin.elapsed();
        let status = response.status().as_u16();
        self.server.metrics.note_request(pattern, status, took);
        let client_name = client.identity.as_ref().map(|identity| identity.name.as_str());
        let (client_name, took) = (client_name.unwrap_or("-"), took.as_micros() as f64 / 1e3);
        let address = client.address;
        match response.status().is_server_error() {
            true => {
                tracing::error!(%address, client = client_name, %method, path, status, ms = took);
            }
            false => {
                tracing::info!(%address, client = client_name, %method, path, status, ms = took);
            }
        }
    }

    /// Passes a request to the old server.
    async fn pass(
        &self,
        shadow: &Shadow,
        client: &Client,
        request: hyper::Request<Incoming>,
    ) -> Result<Response<Outgoing>, Reply> {
        // The old server trusts the name that this one tells it.
        if let Some(identity) = &client.identity {
            self.check_certificate(identity)?;
        }
        shadow::pass(shadow, &self.server, client, request).await
    }

    /// Finds the route, checks the client, reads the body, calls the handler.
    async fn route(
        &self,
        client: &Client,
        request: hyper::Request<Incoming>,
    ) -> Result<(&'static str, Reply), Reply> {
        let (head, body) = request.into_parts();
        let target = head.uri.path_and_query().map_or("", |target| target.as_str());
        let target = Target::decode(target).map_err(|e| Reply::bad_request(e.to_string()))?;
        let table = match client.listener {
            Listener::Agents => &self.agents,
            Listener::Monitoring => &self.monitoring,
            Listener::PuppetDb | Listener::LocalPuppetDb => &self.puppetdb,
        };
        let (route, captured) = routes::find(table, &head.method, &target.segments)?;
        if target.has_empty_segments && !route.allows_empty_segments {
            return Err(Reply::bad_request("the path has an empty segment"));
        }
        if target.has_slashes && !route.allows_slashes {
            return Err(Reply::bad_request(UrlError::Segment.to_string()));
        }
        let viewer =
            explorer_users::viewer(&self.server.config, client.identity.as_ref(), &head.headers);
        let viewer = viewer.or_else(|| self.server.sign_in.as_ref()?.viewer(&head.headers));
        let mut request = Request {
            method: head.method,
            target,
            headers: head.headers,
            body: bytes::Bytes::new(),
            identity: client.identity.clone(),
            access: self.access(client),
            viewer,
            captured,
        };
        if client.listener == Listener::LocalPuppetDb && !self.names_this_machine(&request) {
            return Err(Reply::text(
                StatusCode::FORBIDDEN,
                "The header Host names another machine",
            ));
        }
        if let Some(identity) = &request.identity {
            self.check_certificate(identity)?;
        }
        // A body is read only if the client may use the route at all.
        if let Err(reply) = route.check(&request) {
            let is_page = request.target.segments == ["explore"];
            let may_sign_in = is_page && self.server.sign_in.is_some();
            return Err(if may_sign_in { sign_in::to_sign_in() } else { reply });
        }
        let (read, permit) =
            Box::pin(request_body::read(body, route.max_body, &self.server)).await?;
        request.body = read;
        let answer = route.answer(Arc::clone(&self.server), request);
        let reply = without_panic(answer).await;
        drop(permit);
        Ok((route.pattern, reply))
    }

    /// The rights of a client in PuppetDB's API.
    fn access(&self, client: &Client) -> DatabaseAccess {
        let config = &self.server.config;
        match &client.identity {
            Some(identity) => {
                let is_in = |names: &[String]| names.iter().any(|n| n == identity.name.as_str());
                DatabaseAccess {
                    may_send: identity.is_admin || is_in(&config.puppetdb_senders),
                    may_query: identity.is_admin
                        || is_in(&config.puppetdb_senders)
                        || is_in(&config.puppetdb_clients),
                }
            }
            None => DatabaseAccess {
                may_send: false,
                may_query: client.listener == Listener::LocalPuppetDb,
            },
        }
    }

    /// Whether the header `Host` names this machine. A page of another site that a browser on this
    /// machine shows can reach a loopback address, but only under a name of that site.
    fn names_this_machine(&self, request: &Request) -> bool {
        let host = request.header("host").unwrap_or_default();
        let address = host.trim_start_matches('[').trim_end_matches(']');
        if host.parse::<SocketAddr>().is_ok() || address.parse::<std::net::IpAddr>().is_ok() {
            return true;
        }
        let name = host.split_once(':').map_or(host, |(name, _)| name);
        name == "localhost" || self.server.config.names.iter().any(|own| own == name)
    }

    /// Refuses a certificate that was revoked or has expired since the connection began.
    fn check_certificate(&self, identity: &Identity) -> Result<(), Reply> {
        let refuse = |why: &str| {
            let text = format!("The certificate of {} {why}", identity.name);
            Err(Reply { closes: true, ..Reply::text(StatusCode::FORBIDDEN, text) })
        };
        if identity.is_expired(Timestamp::now()) {
            return refuse("has expired");
        }
        match self.server.ca().is_revoked(&identity.certificate) {
            Ok(false) => Ok(()),
            Ok(true) => refuse("is revoked"),
            Err(error) => {
                tracing::error!(%error, "the revocation lists cannot be read");
                refuse("cannot be checked")
            }
        }
    }
}

fn accepts_gzip(request: &hyper::Request<Incoming>) -> bool {
    let accepted = request.headers().get(header::ACCEPT_ENCODING);
    let accepted = accepted.and_then(|value| value.to_str().ok()).unwrap_or_default();
    crate::request::accepts_gzip(accepted)
}

/// The reply for the client.
pub(crate) fn response(reply: Reply) -> Response<Outgoing> {
    let mut headers = hyper::HeaderMap::new();
    let content_type = HeaderValue::from_static(reply.content_type);
    // Agents refuse a reply without a content type, an empty one included.
    headers.insert(header::CONTENT_TYPE, content_type);
    let version = HeaderValue::from_static(PUPPET_VERSION);
    headers.insert(HeaderName::from_static("x-puppet-version"), version);
    let sniff = HeaderValue::from_static("nosniff");
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, sniff);
    if reply.is_gzip {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    }
    if reply.closes {
        headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    for (name, value) in reply.headers {
        // A header with control characters is left out.
        if let Ok(value) = HeaderValue::from_str(&value) {
            let name = HeaderName::from_static(name);
            // A reply may set several cookies; of other headers the last one counts.
            match name == header::SET_COOKIE {
                true => drop(headers.append(name, value)),
                false => drop(headers.insert(name, value)),
            }
        }
    }
    let mut response = Response::new(Outgoing::from(reply.body));
    *response.status_mut() = reply.status;
    *response.headers_mut() = headers;
    response
}

/// The reply that is being made. A panic is a bug, but it must end only this request.
async fn without_panic(reply: Pin<Box<dyn Future<Output = Reply> + Send>>) -> Reply {
    match CatchPanic(AssertUnwindSafe(reply)).await {
        Ok(reply) => reply,
        Err(()) => Reply::failed("the request met a bug in the server; see its log"),
    }
}

/// A future whose panics are errors.
struct CatchPanic<F>(AssertUnwindSafe<F>);

impl<F: Future + Unpin> Future for CatchPanic<F> {
    type Output = Result<F::Output, ()>;

    fn poll(
        mut self: Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Self::Output> {
        let future = &mut self.0.0;
        let polled = std::panic::catch_unwind(AssertUnwindSafe(|| Pin::new(future).poll(context)));
        match polled {
            Ok(polled) => polled.map(Ok),
            Err(_) => std::task::Poll::Ready(Err(())),
        }
    }
}
