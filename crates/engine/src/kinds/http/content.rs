//! Answers to requests for content.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::message::{Request, write_head, write_status};
use jiff::Timestamp;
use jiff::fmt::rfc2822::{DateTimeParser, DateTimePrinter};

/// The number of bytes that are read to find the content type.
const SNIFFED_BYTES: usize = 512;

/// The time of the last change of a file, in seconds since 1970.
pub(super) fn changed_at(file: &File) -> io::Result<u64> {
    let time = file.metadata()?.modified()?;
    Ok(time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs())
}

/// Something that can be sent.
pub(super) trait Content: Read + Seek {}

impl<T: Read + Seek> Content for T {}

/// Sends content, or the requested part of it.
pub(super) fn send(
    out: &mut dyn Write,
    request: &Request,
    content: &mut dyn Content,
    since: u64,
    is_new: bool,
) -> io::Result<()> {
    let date = date_text(since);
    if !is_new && asked_since(request).is_some_and(|asked| since <= asked) {
        let headers = [("Last-Modified", date)];
        return write_head(out, 304, &headers, request.keeps_open);
    }
    let size = content.seek(SeekFrom::End(0))?;
    let whole = request.header("if-range").is_none_or(|asked| asked == date);
    let range = request.header("range").filter(|_| whole).and_then(|text| Range::parse(text, size));
    let (start, length) = match range {
        None => (0, size),
        Some(Range::Part(start, length)) => (start, length),
        Some(Range::Outside) => {
            let more = [("Content-Range", format!("bytes */{size}"))];
            return write_status(out, 416, &more, Some(request));
        }
    };
    let mut headers = vec![
        ("Content-Type", type_of(&request.path, content)?.to_string()),
        ("Content-Length", length.to_string()),
        ("Accept-Ranges", "bytes".to_string()),
        ("Last-Modified", date),
    ];
    let status = if range.is_some() { 206 } else { 200 };
    if range.is_some() {
        headers.push(("Content-Range", format!("bytes {start}-{}/{size}", start + length - 1)));
    }
    write_head(out, status, &headers, request.keeps_open)?;
    if request.method == "HEAD" {
        return Ok(());
    }
    content.seek(SeekFrom::Start(start))?;
    let sent = io::copy(&mut content.take(length), out)?;
    // The file became shorter than the announced length.
    if sent == length { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

/// A part of something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Range {
    /// From where, and how much.
    Part(u64, u64),
    Outside,
}

impl Range {
    /// One range; if several are requested, the whole content is sent.
    fn parse(text: &str, size: u64) -> Option<Self> {
        let (first, last) = text.strip_prefix("bytes=")?.split_once('-')?;
        let (first, last) = (first.trim(), last.trim());
        if first.is_empty() {
            let length: u64 = last.parse().ok()?;
            let length = length.min(size);
            return Some(if length == 0 {
                Self::Outside
            } else {
                Self::Part(size - length, length)
            });
        }
        let first: u64 = first.parse().ok()?;
        let last = if last.is_empty() { u64::MAX } else { last.parse().ok()? };
        if last < first {
            return None;
        }
        let end = last.saturating_add(1).min(size);
        Some(if first >= size { Self::Outside } else { Self::Part(first, end - first) })
    }
}

/// Parses the time of a header.
pub(in crate::kinds) fn time_of(text: &str) -> Option<SystemTime> {
    let time = DateTimeParser::new().parse_timestamp(text).ok()?;
    Some(UNIX_EPOCH + Duration::from_secs(u64::try_from(time.as_second()).ok()?))
}

/// The time of the version that the client has.
pub(super) fn asked_since(request: &Request) -> Option<u64> {
    let time = DateTimeParser::new().parse_timestamp(request.header("if-modified-since")?).ok()?;
    u64::try_from(time.as_second()).ok()
}

/// A time as it is written in a head.
pub(super) fn date_text(seconds: u64) -> String {
    let time = Timestamp::from_second(i64::try_from(seconds).unwrap_or(0)).unwrap_or_default();
    DateTimePrinter::new().timestamp_to_rfc9110_string(&time).unwrap_or_default()
}

/// The content type, by the name, else by the first bytes.
fn type_of(path: &str, content: &mut dyn Content) -> io::Result<&'static str> {
    let name = path.rsplit('/').next().unwrap_or_default();
    let known = match name.rsplit_once('.').map(|(_, extension)| extension) {
        Some("css") => "text/css; charset=utf-8",
        Some("gif") => "image/gif",
        Some("gz") => "application/gzip",
        Some("htm" | "html") => "text/html; charset=utf-8",
        Some("jpeg" | "jpg") => "image/jpeg",
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("json") => "application/json",
        Some("pdf") => "application/pdf",
        Some("png") => "image/png",
        Some("svg") => "image/svg+xml",
        Some("txt") => "text/plain; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("webp") => "image/webp",
        Some("xml") => "text/xml; charset=utf-8",
        _ => "",
    };
    if !known.is_empty() {
        return Ok(known);
    }
    content.seek(SeekFrom::Start(0))?;
    let mut sample = Vec::with_capacity(SNIFFED_BYTES);
    content.take(SNIFFED_BYTES as u64).read_to_end(&mut sample)?;
    let is_text = match std::str::from_utf8(&sample) {
        Ok(_) => true,
        // The last letter may not be there in whole.
        Err(e) => e.error_len().is_none() && sample.len() == SNIFFED_BYTES,
    };
    let is_plain = is_text && !sample.iter().any(|c| *c < 0x20 && !b"\t\n\r\x0c\x1b".contains(c));
    Ok(if is_plain { "text/plain; charset=utf-8" } else { "application/octet-stream" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_within_the_whole() {
        let parse = |text| Range::parse(text, 10);
        assert_eq!(parse("bytes=0-3"), Some(Range::Part(0, 4)));
        assert_eq!(parse("bytes=8-99"), Some(Range::Part(8, 2)));
        assert_eq!(parse("bytes=9-"), Some(Range::Part(9, 1)));
        assert_eq!(parse("bytes=-4"), Some(Range::Part(6, 4)));
        assert_eq!(parse("bytes=-99"), Some(Range::Part(0, 10)));
        assert_eq!(parse("bytes=10-"), Some(Range::Outside));
        assert_eq!(parse("bytes=-0"), Some(Range::Outside));
        for whole in ["", "bytes=", "bytes=4-3", "bytes=0-1,3-4", "lines=1-2", "bytes=a-b"] {
            assert_eq!(parse(whole), None, "{whole}");
        }
        assert_eq!(date_text(784111777), "Sun, 06 Nov 1994 08:49:37 GMT");
    }
}
