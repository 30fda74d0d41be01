//! Reading the attributes of an `archive`.

use std::path::PathBuf;

use ordain_data::Value;
use ordain_functions::checksum::Algorithm;
use ordain_graph::Resource;

use super::download::{Download, DownloadSource, Login};
use super::extract::{Extraction, Flags};
use super::model::ArchiveInstance;
use crate::kind::params::{Params, inspect, scalar};
use crate::kind::{AttributeError, ParseContext};
use crate::kinds::http::fetch::Connection;

pub(super) fn parse(
    resource: &Resource,
    context: &ParseContext<'_>,
) -> Result<ArchiveInstance, Vec<AttributeError>> {
    let mut p = Params::new(resource);
    p.provider(&["curl", "wget", "ruby"], &[]);
    let path = p.text("path").unwrap_or_else(|| resource.id.title.to_string());
    if !path.starts_with('/') {
        p.error("path", format!("archive path must be absolute: {path}"));
    }
    let present = p.choice("ensure") != Some("absent");
    let (algorithm_name, algorithm) = algorithm(&mut p);
    let (checksum, mut verify) = checksum(&mut p);
    if p.has("checksum_verify") {
        verify = p.choice("checksum_verify") != Some("false");
    }
    let extract_path =
        absolute(&mut p, &["extract_path", "target"], "extract_path must be absolute:");
    let extracts = p.choice("extract") == Some("true");
    if extracts && extract_path.is_none() {
        p.error("extract_path", "missing archive extract_path");
    }
    let source = address(&mut p, "url", "source", context);
    let checksum_source = address(&mut p, "digest_url", "checksum_url", context);
    let temp_dir = p.text("temp_dir");
    if let Some(dir) = temp_dir.as_ref().filter(|dir| !dir.starts_with('/')) {
        p.error("temp_dir", format!("Invalid temp_dir {dir}"));
    }
    let extraction = extracts.then(|| Extraction {
        directory: extract_path.clone().unwrap_or_default().into(),
        command: p.text("extract_command"),
        flags: flags(&mut p),
        user: p.text("user"),
        group: p.text("group"),
    });
    let download = Download {
        source,
        checksum,
        checksum_source,
        login: login(&mut p),
        cookie: p.text("cookie"),
        headers: headers(&mut p),
        connection: connection(&mut p),
        options: options(&mut p),
        temp_dir: temp_dir.map(PathBuf::from),
    };
    let instance = ArchiveInstance {
        path: path.into(),
        present,
        download,
        algorithm,
        algorithm_name,
        verify,
        extraction,
        creates: p.text("creates").map(PathBuf::from),
        cleanup: p.choice("cleanup") != Some("false"),
        extract_path: extract_path.unwrap_or_default(),
        secrets: p.secrets(),
    };
    p.finish(instance)
}

/// The algorithm with its name; none for `none`.
fn algorithm(p: &mut Params<'_>) -> (String, Option<Algorithm>) {
    let later = p.choice("digest_type");
    let name = later.or_else(|| p.choice("checksum_type")).unwrap_or("none");
    let algorithm = match name {
        "md5" => Some(Algorithm::Md5),
        "sha1" => Some(Algorithm::Sha1),
        "sha2" | "sha256" => Some(Algorithm::Sha256),
        "sha384" => Some(Algorithm::Sha384),
        "sha512" => Some(Algorithm::Sha512),
        _ => None,
    };
    (name.into(), algorithm)
}

/// The checksum, and whether it is verified: a boolean in its place says that.
fn checksum(p: &mut Params<'_>) -> (Option<String>, bool) {
    for name in ["digest_string", "checksum"] {
        let Some(value) = p.raw(name) else { continue };
        let text = scalar(value).unwrap_or_default();
        match text.as_str() {
            "" | "undef" => {}
            "true" | "false" if name == "checksum" => return (None, text == "true"),
            _ if is_digest(&text) => return (Some(text), true),
            _ => {
                let shown = inspect(value);
                p.error(name, format!("Invalid value {shown}. Valid values match a checksum."));
            }
        }
    }
    (None, true)
}

/// Whether a text has a word of 5 to 128 hexadecimal digits in lower case.
fn is_digest(text: &str) -> bool {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    let is_hex = |word: &str| word.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    words.into_iter().any(|word| (5..=128).contains(&word.len()) && is_hex(word))
}

/// A path that is set by one of these attributes.
fn absolute(p: &mut Params<'_>, names: &[&str], message: &str) -> Option<String> {
    let mut found = None;
    for name in names {
        let Some(path) = p.text(name) else { continue };
        if !path.starts_with('/') {
            p.error(name, format!("archive {message} {path}"));
        }
        found = Some(path);
    }
    found
}

/// An address that has two names.
fn address(
    p: &mut Params<'_>,
    old: &'static str,
    name: &'static str,
    context: &ParseContext<'_>,
) -> Option<DownloadSource> {
    let (first, second) = (p.text(name), p.text(old));
    if let (Some(first), Some(second)) = (&first, &second)
        && first != second
    {
        let text = format!(
            "invalid parameter: {old} ({second}) and {name} ({first}) are mutually exclusive."
        );
        p.error(old, text);
    }
    let (name, text) = match (first, second) {
        (Some(text), _) => (name, text),
        (None, Some(text)) => (old, text),
        (None, None) => return None,
    };
    let source = DownloadSource::parse(&text, context);
    source.map_err(|message| p.error(name, message)).ok()
}

fn flags(p: &mut Params<'_>) -> Flags {
    match p.raw("extract_flags") {
        None => Flags::Default,
        Some(Value::Str(text)) if text == "undef" => Flags::Default,
        Some(Value::Str(text)) => Flags::Text(text.to_string()),
        Some(Value::Map(entries)) => {
            let text = |value: &Value| scalar(value).unwrap_or_default();
            Flags::ByProgram(entries.iter().map(|(k, v)| (text(k), text(v))).collect())
        }
        Some(other) => {
            let shown = inspect(other);
            p.error("extract_flags", format!("extract_flags must be a text or a map, not {shown}"));
            Flags::Default
        }
    }
}

fn login(p: &mut Params<'_>) -> Option<Login> {
    let (user, password) = (p.text("username"), p.text("password"));
    user.map(|user| Login { user, password: password.unwrap_or_default() })
}

fn headers(p: &mut Params<'_>) -> Vec<(String, String)> {
    if p.raw("headers").is_some_and(|value| !matches!(value, Value::List(_))) {
        p.error("headers", "headers must be an array");
        return Vec::new();
    }
    let lines = p.list("headers").unwrap_or_default();
    let split = |line: &String| {
        let (name, value) = line.split_once(':')?;
        Some((name.trim().to_string(), value.trim().to_string()))
    };
    let headers: Option<Vec<_>> = lines.iter().map(split).collect();
    headers.unwrap_or_else(|| {
        p.error("headers", "a header is written `Name: value`");
        Vec::new()
    })
}

fn connection(p: &mut Params<'_>) -> Connection {
    let insecure = p.has("allow_insecure") && p.boolean("allow_insecure");
    let proxy_type = p.choice("proxy_type").filter(|name| *name != "none");
    let proxy = p.text("proxy_server").and_then(|server| {
        let server = match (server.contains("://"), proxy_type) {
            (true, _) => server,
            (false, scheme) => format!("{}://{server}", scheme.unwrap_or("http")),
        };
        let proxy = ureq::Proxy::new(&server);
        proxy.map_err(|_| p.error("proxy_server", "this is no address of a proxy")).ok()
    });
    Connection { insecure, proxy, redirects: 5, tls: None }
}

/// The options for the program that fetches, if one has to.
fn options(p: &mut Params<'_>) -> Vec<String> {
    match p.raw("download_options") {
        None => return Vec::new(),
        Some(Value::Str(_) | Value::List(_)) => {}
        Some(other) => {
            let shown = inspect(other);
            let text = format!("download_options should be String or Array: {shown}");
            p.error("download_options", text);
        }
    }
    p.list("download_options").unwrap_or_default()
}
