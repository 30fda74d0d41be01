//! Requests and the heads of answers.

use std::io::{self, Read, Write};
use std::time::{Duration, Instant};

use httparse::Status;

/// The longest head of a request.
const MAX_HEAD: usize = 32 << 10;

/// The maximum number of header lines.
const MAX_HEADERS: usize = 100;

/// The longest body of a request.
pub(super) const MAX_BODY: usize = 1 << 20;

/// A request without its body.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Request {
    pub(super) method: String,
    /// The path, decoded.
    pub(super) path: String,
    /// Names in small letters.
    pub(super) headers: Vec<(String, String)>,
    pub(super) keeps_open: bool,
}

/// The status that refuses a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Refusal(pub(super) u16);

/// The result of reading a request.
pub(super) enum ReadOutcome {
    Request(Box<Request>),
    Refused(Refusal),
    /// The client closed the connection, or sent nothing.
    Nothing,
}

/// Reads requests of a connection, one after the other.
pub(super) struct Reader<R> {
    inner: R,
    /// Bytes that were read and not yet used.
    rest: Vec<u8>,
}

impl<R: Read> Reader<R> {
    pub(super) fn new(inner: R) -> Self {
        Self { inner, rest: Vec::new() }
    }

    /// The next request, if it comes in time.
    pub(super) fn request(&mut self, timeout: Duration) -> io::Result<ReadOutcome> {
        let start = Instant::now();
        loop {
            let parsed = match parse(&self.rest) {
                Ok(parsed) => parsed,
                Err(refusal) => return Ok(ReadOutcome::Refused(refusal)),
            };
            if let Some((length, request)) = parsed {
                self.rest.drain(..length);
                return Ok(ReadOutcome::Request(Box::new(request)));
            }
            if self.rest.len() > MAX_HEAD {
                return Ok(ReadOutcome::Refused(Refusal(431)));
            }
            if start.elapsed() > timeout || self.more()? == 0 {
                return Ok(ReadOutcome::Nothing);
            }
        }
    }

    fn more(&mut self) -> io::Result<usize> {
        let mut buffer = [0; 4096];
        let count = self.inner.read(&mut buffer)?;
        self.rest.extend_from_slice(&buffer[..count]);
        Ok(count)
    }

    /// The body of a request, in whole.
    pub(super) fn body(
        &mut self,
        request: &Request,
        timeout: Duration,
    ) -> io::Result<Result<Vec<u8>, Refusal>> {
        if request.header("transfer-encoding").is_some() {
            return Ok(Err(Refusal(411)));
        }
        let length = match request.header("content-length").map(str::parse::<usize>) {
            None => 0,
            Some(Ok(length)) => length,
            Some(Err(_)) => return Ok(Err(Refusal(400))),
        };
        if length > MAX_BODY {
            return Ok(Err(Refusal(413)));
        }
        let start = Instant::now();
        while self.rest.len() < length {
            if start.elapsed() > timeout || self.more()? == 0 {
                return Err(io::ErrorKind::TimedOut.into());
            }
        }
        Ok(Ok(self.rest.drain(..length).collect()))
    }
}

/// The request at the start of these bytes and its length; `None` if it is incomplete.
fn parse(bytes: &[u8]) -> Result<Option<(usize, Request)>, Refusal> {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut parsed = httparse::Request::new(&mut headers);
    let length = match parsed.parse(bytes) {
        Ok(Status::Complete(length)) => length,
        Ok(Status::Partial) => return Ok(None),
        Err(httparse::Error::TooManyHeaders) => return Err(Refusal(431)),
        Err(_) => return Err(Refusal(400)),
    };
    let target = parsed.path.unwrap_or_default();
    // A proxy is asked with the whole address.
    let path = match target.strip_prefix("http://").map(|rest| rest.split_once('/')) {
        None => target.to_string(),
        Some(None) => "/".to_string(),
        Some(Some((_, path))) => format!("/{path}"),
    };
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let path = decode(path, false).ok_or(Refusal(400))?;
    if !path.starts_with('/') || path.contains('\0') {
        return Err(Refusal(400));
    }
    let text = |header: &httparse::Header<'_>| {
        let value = String::from_utf8_lossy(header.value).trim().to_string();
        (header.name.to_ascii_lowercase(), value)
    };
    let mut request = Request {
        method: parsed.method.unwrap_or_default().to_string(),
        path,
        headers: parsed.headers.iter().map(text).collect(),
        keeps_open: false,
    };
    let lengths = request.headers.iter().filter(|(name, _)| name == "content-length").count();
    if lengths > 1 {
        return Err(Refusal(400));
    }
    let wish = request.header("connection").unwrap_or_default().to_ascii_lowercase();
    request.keeps_open = match parsed.version {
        Some(1) => !wish.contains("close"),
        _ => wish.contains("keep-alive"),
    };
    Ok(Some((length, request)))
}

impl Request {
    /// The first value of a header, by its name in lower case.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }
}

/// Text with its `%` codes replaced, and with `plus` also each plus; `None` if it is not UTF-8.
fn decode(text: &str, plus: bool) -> Option<String> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        out.push(match byte {
            b'%' => {
                let digits = [bytes.next()?, bytes.next()?];
                let digits = digits.map(|d| (d as char).to_digit(16));
                (digits[0]? * 16 + digits[1]?) as u8
            }
            b'+' if plus => b' ',
            other => other,
        });
    }
    String::from_utf8(out).ok()
}

/// The fields of a form.
pub(super) fn form(body: &[u8]) -> Vec<(String, String)> {
    let text = String::from_utf8_lossy(body);
    let pairs = text.split('&').filter(|pair| !pair.is_empty());
    let pairs = pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    pairs.filter_map(|(name, value)| Some((decode(name, true)?, decode(value, true)?))).collect()
}

/// Writes the head of an answer.
pub(super) fn write_head(
    out: &mut dyn Write,
    status: u16,
    headers: &[(&str, String)],
    keeps_open: bool,
) -> io::Result<()> {
    let mut text = format!("HTTP/1.1 {status} {}\r\n", reason(status));
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    if !keeps_open {
        text.push_str("Connection: close\r\n");
    }
    text.push_str("\r\n");
    out.write_all(text.as_bytes())
}

/// Writes a response with only a status.
pub(super) fn write_status(
    out: &mut dyn Write,
    status: u16,
    more: &[(&str, String)],
    request: Option<&Request>,
) -> io::Result<()> {
    let text = format!("{status} {}\n", reason(status));
    let mut headers = vec![
        ("Content-Type", "text/plain; charset=utf-8".to_string()),
        ("Content-Length", text.len().to_string()),
    ];
    headers.extend_from_slice(more);
    write_head(out, status, &headers, request.is_some_and(|request| request.keeps_open))?;
    if request.is_some_and(|request| request.method == "HEAD") {
        return Ok(());
    }
    out.write_all(text.as_bytes())
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        206 => "Partial Content",
        301 => "Moved Permanently",
        304 => "Not Modified",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        411 => "Length Required",
        413 => "Content Too Large",
        416 => "Range Not Satisfiable",
        431 => "Request Header Fields Too Large",
        503 => "Service Unavailable",
        _ => "Internal Server Error",
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn requests_come_in_pieces() {
        let whole = b"GET /a%20b?x=1 HTTP/1.1\r\nHost: h\r\nRange: bytes=1-\r\n\r\n";
        for end in 0..whole.len() {
            assert_eq!(parse(&whole[..end]), Ok(None), "{end}");
        }
        let (length, request) = parse(whole).unwrap().unwrap();
        assert_eq!((length, request.path.as_str()), (whole.len(), "/a b"));
        assert_eq!((request.header("range"), request.keeps_open), (Some("bytes=1-"), true));
    }

    #[test]
    fn invalid_requests_are_refused() {
        for bad in ["\0", "GET a HTTP/1.1\r\n\r\n", "GET /%zz HTTP/1.1\r\n\r\n", "x y\r\n\r\n"] {
            assert!(parse(bad.as_bytes()).is_err(), "{bad:?}");
        }
        let twice = b"POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n";
        assert_eq!(parse(twice), Err(Refusal(400)));
        let many = format!("GET / HTTP/1.1\r\n{}\r\n", "a: b\r\n".repeat(101));
        assert_eq!(parse(many.as_bytes()), Err(Refusal(431)));
    }

    #[test]
    fn forms_are_decoded() {
        let pair = |name: &str, value: &str| (name.to_string(), value.to_string());
        let wanted = [pair("a b", "c&d"), pair("e", ""), pair("f", "g=h")];
        assert_eq!(form(b"a+b=c%26d&e&&f=g=h&bad=%"), wanted);
    }
}
