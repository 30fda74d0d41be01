//! Answers to requests of a page.

use std::io::{self, Write};
use std::net::TcpStream;
use std::time::Instant;

use ordain_functions::go;
use serde_json::{Value, json};

use crate::kinds::http::long_poll::{LOOK_INTERVAL, MAX_WAIT, is_disconnected, write_unavailable};
use crate::kinds::http::message::{Request, form, write_head, write_status};
use crate::kinds::serving::{Content, Page, Route, ServerState};

const HTML: &str = include_str!("page.html");
const SCRIPT: &str = include_str!("page.js");

const HTML_TYPE: &str = "text/html; charset=utf-8";
const SCRIPT_TYPE: &str = "text/javascript; charset=utf-8";
const JSON_TYPE: &str = "application/json; charset=utf-8";

/// A request, and the way back.
pub(in crate::kinds::http) struct PageRequest<'a> {
    pub(in crate::kinds::http) serving: &'a ServerState,
    pub(in crate::kinds::http) stream: &'a TcpStream,
    pub(in crate::kinds::http) out: &'a mut dyn Write,
    pub(in crate::kinds::http) request: &'a Request,
    pub(in crate::kinds::http) body: &'a [u8],
}

/// Answers a request below a page.
pub(in crate::kinds::http) fn answer(
    asked: PageRequest<'_>,
    route: &Route,
    page: &Page,
) -> io::Result<()> {
    let path = asked.request.path.as_str();
    let rest = path.strip_prefix(&route.spec.path).unwrap_or_default();
    match (asked.request.method.as_str(), rest) {
        ("GET" | "HEAD", "") => {
            let place = crate::kinds::http::proxy::encode(&route.spec.path);
            let headers = [("Location", format!("{place}index.html"))];
            write_status(asked.out, 301, &headers, Some(asked.request))
        }
        ("GET" | "HEAD", "index.html") => asked.send(200, HTML_TYPE, html(page).as_bytes(), None),
        ("GET" | "HEAD", "ui.js") => asked.send(200, SCRIPT_TYPE, SCRIPT.as_bytes(), None),
        ("GET" | "HEAD", "ping") => asked.json(200, &json!({ "message": "pong" })),
        ("GET" | "HEAD", "list/") => asked.list(page),
        ("POST", "save/") => asked.save(page),
        ("GET" | "HEAD", rest) => match rest.split_once('/') {
            Some(("list", id)) => asked.value(page, id),
            Some(("watch", id)) => asked.watch(page, id),
            _ => write_status(asked.out, 404, &[], Some(asked.request)),
        },
        _ => write_status(asked.out, 404, &[], Some(asked.request)),
    }
}

fn html(page: &Page) -> String {
    let escaped =
        |text: &str| String::from_utf8_lossy(&go::html::escape(text.as_bytes())).into_owned();
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let parts = [
        ("{title}", escaped(&page.title)),
        ("{head}", page.head.clone()),
        ("{host}", escaped(&host)),
    ];
    // In one pass, so that inserted text is not expanded again.
    let mut out = String::with_capacity(HTML.len() + page.head.len());
    let mut rest = HTML;
    while let Some(at) = rest.find('{') {
        out.push_str(&rest[..at]);
        let here = &rest[at..];
        let part = parts.iter().find(|(mark, _)| here.starts_with(mark));
        let (length, text) = part.map_or((1, "{"), |(mark, text)| (mark.len(), text.as_str()));
        out.push_str(text);
        rest = &here[length..];
    }
    out + rest
}

/// A field of a page as its list has it.
fn element(route: &Route) -> Option<Value> {
    let Content::Field(field) = &route.spec.what else { return None };
    let look = field.look.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    Some(json!({
        "kind": "http:server:ui:input",
        "id": route.spec.path,
        "type": Value::Object(look),
        "sort": field.sort,
    }))
}

/// The tag of a field's value.
fn tag(route: &Route) -> String {
    format!("\"{}\"", route.since)
}

impl PageRequest<'_> {
    fn send(self, status: u16, ty: &str, bytes: &[u8], tag: Option<String>) -> io::Result<()> {
        let mut headers = vec![
            ("Content-Type", ty.to_string()),
            ("Content-Length", bytes.len().to_string()),
            ("Cache-Control", "no-cache".to_string()),
        ];
        headers.extend(tag.map(|tag| ("ETag", tag)));
        write_head(self.out, status, &headers, self.request.keeps_open)?;
        if self.request.method == "HEAD" { Ok(()) } else { self.out.write_all(bytes) }
    }

    fn json(self, status: u16, value: &Value) -> io::Result<()> {
        self.send(status, JSON_TYPE, value.to_string().as_bytes(), None)
    }

    fn refuse(self, why: &str) -> io::Result<()> {
        self.json(400, &json!({ "error": why }))
    }

    fn list(self, page: &Page) -> io::Result<()> {
        let elements: Vec<Value> =
            self.serving.hub.fields(&page.name).iter().filter_map(element).collect();
        self.json(200, &json!({ "elements": elements }))
    }

    fn send_value(self, route: &Route) -> io::Result<()> {
        let text = json!({ "value": route.value.clone().unwrap_or_default() }).to_string();
        self.send(200, JSON_TYPE, text.as_bytes(), Some(tag(route)))
    }

    fn value(self, page: &Page, id: &str) -> io::Result<()> {
        match self.serving.hub.field(&page.name, id) {
            Some(route) => self.send_value(&route),
            None => self.refuse(&format!("id `{id}` not found")),
        }
    }

    /// Waits until the value differs from that of the client.
    fn watch(self, page: &Page, id: &str) -> io::Result<()> {
        let (start, hub) = (Instant::now(), &self.serving.hub);
        let Some(first) = hub.field(&page.name, id) else {
            return self.refuse(&format!("id `{id}` not found"));
        };
        let known = self.request.header("if-none-match").map(str::to_string);
        let known = known.unwrap_or_else(|| tag(&first));
        let mut route = first;
        while tag(&route) == known {
            let is_served = hub.wait(&route, LOOK_INTERVAL);
            let is_late = start.elapsed() > MAX_WAIT || is_disconnected(self.stream);
            if self.serving.is_over() || !is_served || is_late {
                return write_unavailable(self.out, self.request);
            }
            route = match hub.field(&page.name, id) {
                Some(route) => route,
                None => return write_unavailable(self.out, self.request),
            };
        }
        self.send_value(&route)
    }

    fn save(self, page: &Page) -> io::Result<()> {
        let fields = form(self.body);
        let mut all = fields.iter();
        let id = all.find(|(name, _)| name == "id").map(|(_, id)| id.as_str());
        let Some(id) = id.filter(|id| !id.is_empty()) else { return self.refuse("missing id") };
        let values: Vec<&str> =
            fields.iter().filter(|(name, _)| name == "value").map(|(_, v)| v.as_str()).collect();
        let value = match values[..] {
            [] => return self.refuse("missing value"),
            [value] => value,
            _ => {
                let why = format!("bad data: unexpected length of {}", values.len());
                return self.refuse(&why);
            }
        };
        if !self.serving.hub.submit(&page.name, id, value) {
            return self.refuse(&format!("id `{id}` not found"));
        }
        self.json(200, &Value::Null)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_its_title_and_head() {
        let page = Page {
            name: String::new(),
            title: "a <b> {head}".into(),
            head: "<meta name=\"x\" content=\"{title}\">".into(),
        };
        let html = html(&page);
        assert!(html.contains("<title>a &lt;b&gt; {head}</title>"), "{html}");
        assert!(html.contains("<meta name=\"x\" content=\"{title}\">"), "{html}");
        assert!(html.contains("body { font-family"), "{html}");
    }
}
