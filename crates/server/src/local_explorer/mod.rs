//! The web explorer for one repository, on a loopback address and without a server.
//!
//! A request counts only with the cookie of the session. It is given in exchange for a token that is
//! a part of the printed address, once.

mod documents;

use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{HeaderMap, Method, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use ordain_fleet::Repository;
use ordain_functions::digest::is_equal;
use ordain_puppet::eval::STACK_SIZE;
use ordain_source::limits::on_deep_stack;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

use crate::body::Outgoing;
use crate::error::ServerError;
use crate::handlers::explorer::{file, with_policy};
use crate::reply::Reply;
use crate::request::accepts_gzip;
use crate::request::is_of_another_site;
use crate::service::response;
use crate::start::{bind, runtime};
use crate::token::{cookie, random_text};
use crate::url::Target;

/// The compiles that run at a time.
const COMPILES: usize = 2;
/// The maximum number of connections.
const CONNECTIONS: usize = 64;
/// The time for the head of a request.
const HEAD: Duration = Duration::from_secs(30);

/// The web explorer of a repository, ready to accept connections.
pub struct LocalExplorer {
    runtime: tokio::runtime::Runtime,
    listener: TcpListener,
    address: SocketAddr,
    state: Arc<State>,
}

struct State {
    repository: Repository,
    port: u16,
    /// The token of the address, until it was used.
    token: Mutex<Option<String>>,
    /// The value of the cookie.
    session: String,
    compiles: Semaphore,
}

impl LocalExplorer {
    /// Listens on a port of the loopback address; 0 is any free one.
    ///
    /// # Errors
    /// When the address cannot be listened on, or the system has no random numbers.
    pub fn listen(repository: Repository, port: u16) -> Result<Self, ServerError> {
        let runtime = runtime()?;
        let wanted = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let listener = bind(&runtime, wanted)?;
        let address = listener.local_addr().unwrap_or(wanted);
        let state = State {
            repository,
            port: address.port(),
            token: Mutex::new(Some(random_text()?)),
            session: random_text()?,
            compiles: Semaphore::new(COMPILES),
        };
        Ok(Self { runtime, listener, address, state: Arc::new(state) })
    }

    /// The address to open in a browser, with the token. It works once.
    pub fn url(&self) -> String {
        let token = self.state.token.lock().unwrap_or_else(PoisonError::into_inner);
        let token = token.as_deref().unwrap_or_default();
        format!("http://{}/explore/?token={token}", self.address)
    }

    /// Answers requests until the process ends.
    pub fn run(self) -> ! {
        let Self { runtime, listener, state, .. } = self;
        match runtime.block_on(accept(listener, state)) {}
    }
}

async fn accept(listener: TcpListener, state: Arc<State>) -> Infallible {
    let slots = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        // A closed semaphore, which this one never is, would only lift the limit.
        let slot = Arc::clone(&slots).acquire_owned().await;
        match listener.accept().await {
            Ok((stream, _)) => {
                let state = Arc::clone(&state);
                tokio::spawn(async move {
                    requests(stream, state).await;
                    drop(slot);
                });
            }
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
}

async fn requests(stream: TcpStream, state: Arc<State>) {
    let service = service_fn(move |request: hyper::Request<Incoming>| {
        let state = Arc::clone(&state);
        async move { Ok::<_, Infallible>(respond(&state, request).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .serve_connection(TokioIo::new(stream), service);
    // The browser may end it at any time.
    let _ = connection.await;
}

async fn respond(state: &Arc<State>, request: hyper::Request<Incoming>) -> Response<Outgoing> {
    let (head, _) = request.into_parts();
    let target = head.uri.path_and_query().map_or("", |target| target.as_str());
    let reply = match Target::decode(target) {
        _ if !state.is_named_by(&head.headers) => {
            Reply::text(StatusCode::FORBIDDEN, "The header Host names another machine")
        }
        _ if head.method != Method::GET => {
            Reply::text(StatusCode::METHOD_NOT_ALLOWED, "The pages only read")
        }
        Ok(target) => answer(state, &head.headers, target).await,
        Err(error) => Reply::bad_request(error.to_string()),
    };
    let accepted = head.headers.get("accept-encoding").and_then(|value| value.to_str().ok());
    response(with_policy(reply).compressed(accepts_gzip(accepted.unwrap_or_default())))
}

async fn answer(state: &Arc<State>, headers: &HeaderMap, target: Target) -> Reply {
    if let Some(token) = target.query.get("token") {
        return state.redeem(token);
    }
    if !state.has_session(headers) {
        let text = "Open the address that `ordain explore` has printed. It works once; start \
                    `ordain explore` again for another one.";
        return Reply::text(StatusCode::FORBIDDEN, text);
    }
    let segments: Vec<&str> = target.segments.iter().map(String::as_str).collect();
    match &segments[..] {
        [] => see("/explore/"),
        ["explore", "api", ..] => {
            if is_of_another_site(headers) {
                let text = "the request comes from a page of another site";
                return Reply::text(StatusCode::FORBIDDEN, text);
            }
            let Ok(_turn) = state.compiles.acquire().await else {
                return Reply::failed("the explorer ends");
            };
            let working = Arc::clone(state);
            let answer = move || documents::answer(&working.repository, &target);
            let work = || on_deep_stack(STACK_SIZE, answer);
            let reply = tokio::task::spawn_blocking(work).await;
            let reply = reply.unwrap_or_else(|_| Reply::failed("the request met a bug"));
            reply.header("cache-control", "no-store")
        }
        ["explore", rest @ ..] => file(rest),
        _ => Reply::not_found(format!("/{}", segments.join("/"))),
    }
}

impl State {
    /// Whether a request is for this machine. A page of another site can reach a loopback address, but
    /// only under a name of that site.
    fn is_named_by(&self, headers: &HeaderMap) -> bool {
        let host = headers.get("host").and_then(|host| host.to_str().ok()).unwrap_or_default();
        ["127.0.0.1", "localhost"].iter().any(|name| host == format!("{name}:{}", self.port))
    }

    /// The name of the cookie: browsers send cookies to all ports of a machine.
    fn cookie(&self) -> String {
        format!("ordain_{}", self.port)
    }

    fn has_session(&self, headers: &HeaderMap) -> bool {
        cookie(headers, &self.cookie()).is_some_and(|value| is_equal(value, &self.session))
    }

    /// Begins the session, if this is the token and nobody has used it before.
    fn redeem(&self, token: &str) -> Reply {
        let mut known = self.token.lock().unwrap_or_else(PoisonError::into_inner);
        if !known.as_deref().is_some_and(|known| is_equal(known, token)) {
            let text = "This address was used before, or is another one than `ordain explore` has \
                        printed. Start it again for a new one.";
            return Reply::text(StatusCode::FORBIDDEN, text);
        }
        *known = None;
        let (name, session) = (self.cookie(), &self.session);
        let cookie = format!("{name}={session}; HttpOnly; SameSite=Strict; Path=/");
        see("/explore/").header("set-cookie", cookie)
    }
}

fn see(address: &str) -> Reply {
    Reply::text(StatusCode::SEE_OTHER, "").header("location", address)
}
