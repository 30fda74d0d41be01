//! Routes: their pattern, their principal, their handler.

use std::pin::Pin;
use std::sync::Arc;

use hyper::{Method, StatusCode};

use crate::principal::Principal;
use crate::reply::Reply;
use crate::request::{Captured, Request};
use crate::server::Server;

/// A reply that is being made.
type Answer = Pin<Box<dyn Future<Output = Reply> + Send>>;
type Handler = Box<dyn Fn(Arc<Server>, Request) -> Answer + Send + Sync>;

/// A segment of a route's pattern.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Part {
    Text(&'static str),
    /// `{name}`: one segment.
    Name,
    /// `{path}`: all further segments, maybe none.
    Path,
}

/// A route: a method and a pattern of paths, the principal that may use it, its handler.
pub(crate) struct Route {
    pub(crate) method: Method,
    pub(crate) pattern: &'static str,
    pub(crate) principal: &'static str,
    /// The maximum length of a body in bytes.
    pub(crate) max_body: u64,
    /// Whether a path may have empty segments, as those that end with an absolute path.
    pub(crate) allows_empty_segments: bool,
    /// Whether a segment of the path may have a slash or a backslash.
    pub(crate) allows_slashes: bool,
    parts: Vec<Part>,
    check: fn(&Request) -> Result<(), Reply>,
    handler: Handler,
}

/// The maximum length of a body without another limit.
pub(super) const SMALL_BODY: u64 = 64 << 10;

impl Route {
    /// A route for a principal. The handler gets the principal, which only a check of the request
    /// makes.
    pub(crate) fn new<P, F, R>(method: Method, pattern: &'static str, handler: F) -> Self
    where
        P: Principal,
        F: Fn(Arc<Server>, P, Request) -> R + Send + Sync + 'static,
        R: Future<Output = Reply> + Send + 'static,
    {
        let parts = pattern.split('/').skip(1).map(|part| match part {
            "{name}" => Part::Name,
            "{path}" => Part::Path,
            text => Part::Text(text),
        });
        let handler: Handler = Box::new(move |server, request| match P::admit(&request) {
            Ok(principal) => Box::pin(handler(server, principal, request)),
            Err(reply) => Box::pin(std::future::ready(reply)),
        });
        Self {
            method,
            pattern,
            principal: P::NAME,
            max_body: SMALL_BODY,
            allows_empty_segments: false,
            allows_slashes: false,
            parts: parts.collect(),
            check: |request| P::admit(request).map(drop),
            handler,
        }
    }

    /// Sets the maximum length of a body in bytes.
    pub(crate) fn max_body(mut self, bytes: u64) -> Self {
        self.max_body = bytes;
        self
    }

    /// Allows empty segments in paths.
    pub(crate) fn empty_segments(mut self) -> Self {
        self.allows_empty_segments = true;
        self
    }

    /// Allows slashes and backslashes in segments of paths, such as those of resources' titles.
    pub(crate) fn slashes(mut self) -> Self {
        self.allows_slashes = true;
        self
    }

    /// Matches a path.
    fn captures(&self, segments: &[String]) -> Option<Captured> {
        let mut captured = Captured::default();
        let mut rest = segments;
        for part in &self.parts {
            if *part == Part::Path {
                captured.path = rest.to_vec();
                return Some(captured);
            }
            let (first, others) = rest.split_first()?;
            match part {
                Part::Text(text) if text == first => {}
                Part::Name => captured.name = Some(first.clone()),
                _ => return None,
            }
            rest = others;
        }
        rest.is_empty().then_some(captured)
    }

    /// Checks the client, then handles the request.
    pub(crate) fn answer(&self, server: Arc<Server>, request: Request) -> Answer {
        (self.handler)(server, request)
    }

    /// Checks the client. A body is read only for a client that is admitted.
    ///
    /// # Errors
    /// The reply for other clients.
    pub(crate) fn check(&self, request: &Request) -> Result<(), Reply> {
        (self.check)(request)
    }
}

/// The route of a request, or the reply if there is none.
pub(crate) fn find<'t>(
    table: &'t [Route],
    method: &Method,
    segments: &[String],
) -> Result<(&'t Route, Captured), Reply> {
    let mut has_path = false;
    for route in table {
        let Some(captured) = route.captures(segments) else { continue };
        has_path = true;
        if route.method == *method {
            return Ok((route, captured));
        }
    }
    let path = segments.join("/");
    Err(match has_path {
        true => Reply::text(StatusCode::METHOD_NOT_ALLOWED, format!("/{path} has no {method}")),
        false => Reply::not_found(format!("no route for /{path}")),
    })
}
