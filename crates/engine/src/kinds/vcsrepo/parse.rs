//! Reading the attributes of a `vcsrepo`.

use std::path::PathBuf;
use std::sync::Mutex;

use ordain_data::Value;
use ordain_graph::Resource;

use super::model::{Ensure, Proxy, Remotes, Repository};
use crate::kind::AttributeError;
use crate::kind::params::{Params, inspect, scalar};

/// Attributes that other systems than git use, with the feature that they need.
const OF_OTHERS: [(&str, Option<&str>); 9] = [
    ("fstype", Some("filesystem_types")),
    ("compression", Some("gzip_compression")),
    ("basic_auth_username", Some("basic_auth")),
    ("basic_auth_password", Some("basic_auth")),
    ("module", Some("modules")),
    ("configuration", Some("configuration")),
    ("cvs_rsh", Some("cvs_rsh")),
    ("p4config", Some("p4config")),
    ("conflict", None),
];

pub(super) fn parse(resource: &Resource) -> Result<Repository, Vec<AttributeError>> {
    let mut p = Params::new(resource);
    provider(&mut p);
    p.leave_out("git", &OF_OTHERS);
    let path = PathBuf::from(p.text("path").unwrap_or_else(|| resource.id.title.to_string()));
    if !path.is_absolute() {
        p.error("path", format!("Path must be absolute: {}", path.display()));
    }
    let ensure = p.choice("ensure").map(|word| match word {
        "latest" => Ensure::Latest,
        "bare" => Ensure::Bare,
        "mirror" => Ensure::Mirror,
        "absent" => Ensure::Absent,
        _ => Ensure::Present,
    });
    let remote = p.text("remote").unwrap_or_else(|| "origin".into());
    let source = source(&mut p);
    check_words(&mut p, &remote, source.as_ref());
    let flag = |p: &mut Params<'_>, name: &str, default: bool| {
        p.choice(name).map_or(default, |word| word == "true")
    };
    let repository = Repository {
        path,
        ensure,
        source,
        remote,
        revision: p.text("revision"),
        branch: p.text("branch"),
        depth: depth(&mut p),
        submodules: flag(&mut p, "submodules", true),
        owner: p.text("owner"),
        group: p.text("group"),
        user: p.text("user"),
        identity: p.text("identity"),
        force: p.has("force") && p.boolean("force"),
        excludes: p.list("excludes").unwrap_or_default(),
        includes: includes(&mut p),
        skip_hooks: p.choice("skip_hooks").map(|word| word == "true"),
        keep_local_changes: flag(&mut p, "keep_local_changes", false),
        trust_server: flag(&mut p, "trust_server_cert", false),
        umask: umask(&mut p),
        proxy: proxy(&mut p),
        remarks: p.remarks(),
        secrets: p.secrets(),
        log: Mutex::default(),
    };
    p.finish(repository)
}

fn provider(p: &mut Params<'_>) {
    match p.text("provider").as_deref() {
        None | Some("git") => {}
        Some(other @ ("bzr" | "cvs" | "hg" | "p4" | "svn" | "dummy")) => p.error(
            "provider",
            format!(
                "repositories of {other} are managed by the module's own provider in Ruby only"
            ),
        ),
        Some(other) => p.error("provider", format!("Invalid vcsrepo provider '{other}'")),
    }
}

fn source(p: &mut Params<'_>) -> Option<Remotes> {
    match p.raw("source")? {
        Value::Map(entries) => {
            let text = |value: &Value| scalar(value).unwrap_or_default();
            Some(Remotes::Many(entries.iter().map(|(k, v)| (text(k), text(v))).collect()))
        }
        _ => p.text("source").map(Remotes::One),
    }
}

/// Refuses words that git would take for options.
fn check_words(p: &mut Params<'_>, remote: &str, source: Option<&Remotes>) {
    let is_option = |word: &str| word.starts_with('-');
    if let Some(revision) = p.text("revision") {
        let invalid = revision.is_empty() || revision.contains(char::is_whitespace);
        if invalid || is_option(&revision) {
            let text = format!("Invalid value {revision:?}. Valid values match /^\\S+$/.");
            p.error("revision", text);
        }
    }
    if remote.is_empty() || is_option(remote) {
        p.error("remote", format!("{remote:?} is no name of a remote repository"));
    }
    match source {
        Some(Remotes::Many(all)) => {
            for (name, url) in all {
                if name.is_empty() || url.is_empty() || is_option(name) || is_option(url) {
                    let text = format!("{name:?} => {url:?} is no remote repository");
                    p.error("source", text);
                }
            }
            if !all.contains_key(remote) {
                let text =
                    format!("You must specify the URL for remote '{remote}' in the :source hash");
                p.error("source", text);
            }
        }
        Some(Remotes::One(url)) if is_option(url) || url.is_empty() => {
            p.error("source", format!("{url:?} is no address of a repository"));
        }
        _ => {}
    }
}

fn depth(p: &mut Params<'_>) -> Option<u64> {
    let text = p.text("depth")?;
    // As Ruby reads a number from a text.
    let digits: String = text.trim_start().chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok().filter(|depth| *depth > 0)
}

fn includes(p: &mut Params<'_>) -> Option<Vec<String>> {
    let includes = p.list("includes")?;
    for path in &includes {
        if path.starts_with('/') {
            p.error("includes", format!("Include path '{path}' starts with a '/'; remove it"));
        } else if path.contains('\n') {
            p.error("includes", "a path must be one line");
        }
    }
    Some(includes)
}

fn umask(p: &mut Params<'_>) -> Option<u32> {
    let text = p.text("umask")?;
    let is_octal = |text: &str| {
        (1..=4).contains(&text.len()) && text.bytes().all(|byte| (b'0'..=b'7').contains(&byte))
    };
    if !is_octal(&text) && !text.strip_prefix('0').is_some_and(is_octal) {
        p.error("umask", format!("The umask specification is invalid: {text:?}"));
    }
    u32::from_str_radix(&text, 8).ok()
}

fn proxy(p: &mut Params<'_>) -> Option<Proxy> {
    let is_url = |text: &str| {
        let rest = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"));
        rest.is_some_and(|rest| !rest.is_empty() && !rest.contains(char::is_whitespace))
    };
    match p.raw("http_proxy")? {
        Value::Map(entries) => {
            let text = |value: &Value| scalar(value).unwrap_or_default();
            let all: Vec<_> = entries.iter().map(|(k, v)| (text(k), text(v))).collect();
            for (name, url) in &all {
                if !is_url(url) {
                    let text = format!("HTTP Proxy for {name} must be an HTTP/HTTPS URL: {url}");
                    p.error("http_proxy", text);
                }
            }
            Some(Proxy::ByRemote(all))
        }
        other => {
            let url = scalar(other).unwrap_or_else(|| inspect(other));
            if !is_url(&url) {
                p.error("http_proxy", format!("HTTP Proxy must be an HTTP/HTTPS URL: {url}"));
            }
            Some(Proxy::All(url))
        }
    }
}
