//! One connection: requests and their answers.

use std::fs::File;
use std::io::{self, Cursor, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::Instant;

use super::content::{asked_since, changed_at, send};
use super::long_poll::{LOOK_INTERVAL, MAX_WAIT, is_disconnected, write_unavailable};
use super::message::{MAX_BODY, ReadOutcome, Reader, Request, form, write_status};
use super::proxy::{encode, relay};
use super::ui;
use crate::kinds::serving::{Content, Route, ServerState, Source, Upstream, open_within};

/// The maximum number of requests of a connection.
const MAX_REQUESTS: usize = 1000;

/// Answers until one of both sides ends it.
pub(super) fn serve(serving: &ServerState, stream: &TcpStream) -> io::Result<()> {
    let settings = &serving.settings;
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(settings.read))?;
    stream.set_write_timeout(Some(settings.write))?;
    stream.set_nodelay(true)?;
    let mut reader = Reader::new(stream);
    for _ in 0..MAX_REQUESTS {
        let request = match reader.request(settings.read)? {
            ReadOutcome::Request(request) => request,
            ReadOutcome::Refused(refusal) => {
                return write_status(&mut &*stream, refusal.0, &[], None);
            }
            ReadOutcome::Nothing => return Ok(()),
        };
        if serving.is_over() {
            return write_unavailable(&mut &*stream, &request);
        }
        let expects =
            request.header("expect").is_some_and(|e| e.eq_ignore_ascii_case("100-continue"));
        let length = request.header("content-length").and_then(|l| l.parse::<usize>().ok());
        if expects && length.is_some_and(|length| length <= MAX_BODY) {
            (&mut &*stream).write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
        }
        let body = match reader.body(&request, settings.read)? {
            Ok(body) => body,
            Err(refusal) => return write_status(&mut &*stream, refusal.0, &[], None),
        };
        let mut out = io::BufWriter::with_capacity(64 << 10, stream);
        answer(serving, stream, &mut out, &request, &body)?;
        out.flush()?;
        if !request.keeps_open {
            return Ok(());
        }
    }
    Ok(())
}

fn answer(
    serving: &ServerState,
    stream: &TcpStream,
    out: &mut dyn Write,
    request: &Request,
    body: &[u8],
) -> io::Result<()> {
    let (server, path) = (serving.server.as_str(), request.path.as_str());
    if request.method == "POST" && serving.hub.take(server, path, &form(body)) {
        return write_status(out, 200, &[], Some(request));
    }
    let route = serving.hub.find(server, path);
    if let Some(route) = &route
        && let Content::Page(page) = &route.spec.what
    {
        let asked = ui::PageRequest { serving, stream, out, request, body };
        return ui::answer(asked, route, page);
    }
    let root = serving.settings.root.as_deref();
    if route.is_none() && root.is_none() {
        return write_status(out, 404, &[], Some(request));
    }
    if !matches!(request.method.as_str(), "GET" | "HEAD") {
        let allow = [("Allow", "GET, HEAD".to_string())];
        return write_status(out, 405, &allow, Some(request));
    }
    match (route, root) {
        (Some(route), _) => serve_route(serving, stream, out, request, route),
        (None, Some(root)) => serve_below(out, request, root, path),
        (None, None) => Ok(()),
    }
}

fn serve_route(
    serving: &ServerState,
    stream: &TcpStream,
    out: &mut dyn Write,
    request: &Request,
    route: Route,
) -> io::Result<()> {
    match &route.spec.what {
        Content::Data(data) => send(out, request, &mut Cursor::new(&**data), route.since, false),
        Content::File(path) => serve_file(out, request, open_within(&serving.machine, path), None),
        Content::Tree(dir) => {
            let below = request.path.strip_prefix(&route.spec.path).unwrap_or_default();
            serve_below(out, request, dir, below)
        }
        Content::Followed(..) => follow(serving, stream, out, request, route),
        Content::Flag(_) | Content::Page(_) | Content::Field(_) => {
            write_status(out, 405, &[], Some(request))
        }
        Content::Proxy(upstream) => pass_on(serving, out, request, &route.spec.path, upstream),
    }
}

/// A file below a directory, by the requested path.
fn serve_below(out: &mut dyn Write, request: &Request, dir: &Path, path: &str) -> io::Result<()> {
    let is_plain = path.split('/').all(|part| part != "..") && !path.ends_with('/');
    if !is_plain {
        return write_status(out, 404, &[], Some(request));
    }
    let path = Path::new(path.trim_start_matches('/'));
    serve_file(out, request, open_within(dir, path), None)
}

fn serve_file(
    out: &mut dyn Write,
    request: &Request,
    file: io::Result<File>,
    since: Option<(u64, bool)>,
) -> io::Result<()> {
    let opened = file.and_then(|file| Ok((changed_at(&file)?, file)));
    match opened {
        Ok((changed, mut file)) => {
            let (since, is_new) = since.unwrap_or((changed, false));
            send(out, request, &mut file, since, is_new)
        }
        Err(e) if e.kind() == io::ErrorKind::PermissionDenied => {
            write_status(out, 403, &[], Some(request))
        }
        Err(_) => write_status(out, 404, &[], Some(request)),
    }
}

/// Serves content of another server, or the cached copy.
fn pass_on(
    serving: &ServerState,
    out: &mut dyn Write,
    request: &Request,
    own: &str,
    upstream: &Upstream,
) -> io::Result<()> {
    let path = request.path.as_str();
    let is_clean = path.split('/').skip(1).all(|part| !matches!(part, "" | "." | ".."));
    let Some(rest) = path.strip_prefix(&upstream.sub).filter(|_| is_clean) else {
        return write_status(out, 404, &[], Some(request));
    };
    let below = Path::new(path.strip_prefix(own).unwrap_or_default());
    if let Some(cache) = &upstream.cache {
        let file = open_within(cache, below);
        if !file.as_ref().is_err_and(|e| e.kind() == io::ErrorKind::NotFound) {
            return serve_file(out, request, file, None);
        }
    }
    if upstream.head.is_empty() {
        return write_status(out, 500, &[], Some(request));
    }
    let url = format!("{}{}", upstream.head, encode(rest));
    let place = upstream.cache.as_ref().map(|cache| cache.join(below));
    relay(&serving.machine, out, request, &url, place.as_deref())
}

/// Answers at once if the client has no version or an older one. Other clients wait for a newer
/// version.
fn follow(
    serving: &ServerState,
    stream: &TcpStream,
    out: &mut dyn Write,
    request: &Request,
    route: Route,
) -> io::Result<()> {
    let start = Instant::now();
    let asked = asked_since(request);
    let mut route = route;
    while asked.is_some_and(|asked| route.since <= asked) {
        let is_served = serving.hub.wait(&route, LOOK_INTERVAL);
        if serving.is_over() || !is_served || start.elapsed() > MAX_WAIT || is_disconnected(stream)
        {
            return write_unavailable(out, request);
        }
        route = match serving.hub.find(&serving.server, &request.path) {
            Some(route) => route,
            None => return write_status(out, 404, &[], Some(request)),
        };
    }
    match &route.spec.what {
        Content::Followed(Source::Data(data), _) => {
            send(out, request, &mut Cursor::new(&**data), route.since, true)
        }
        Content::Followed(Source::File(path), _) => {
            let file = open_within(&serving.machine, path);
            serve_file(out, request, file, Some((route.since, true)))
        }
        _ => write_unavailable(out, request),
    }
}
