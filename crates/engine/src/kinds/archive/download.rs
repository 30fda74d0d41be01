//! Fetching an archive and its checksum.

use std::ffi::OsStr;
use std::fs::{DirBuilder, File};
use std::hash::{Hash, Hasher};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ordain_functions::checksum::Algorithm;
use ordain_functions::uri;
use rustc_hash::FxHasher;
use ureq::http::Uri;

use crate::kind::{KindError, ParseContext};
use crate::kinds::http::fetch::{Connection, connected_agent, failed};
use crate::kinds::shared::command::CommandContext;
use crate::system::host::Host;
use crate::system::path::{Place, own_ids, resolve};
use crate::system::write::{Data, WriteError, make_parents, replace_file};

/// The most bytes of a document with checksums.
const MAX_CHECKSUMS: u64 = 16 << 20;

/// The place that an archive comes from.
pub(super) enum DownloadSource {
    /// A file of the machine, as it is declared, and its path.
    File(String, PathBuf),
    /// A file of a module, if there is one.
    Module(String, Option<PathBuf>),
    /// A server that is asked by `http` or `https`.
    Web(String),
    /// A server that a program asks.
    Ftp(String),
}

impl DownloadSource {
    /// Reads an address.
    ///
    /// # Errors
    /// When it is none, or one that only the module's own provider knows.
    pub(super) fn parse(text: &str, context: &ParseContext<'_>) -> Result<Self, String> {
        if text.starts_with('/') {
            return Ok(Self::File(text.into(), text.into()));
        }
        let scheme = text.split_once(':').map_or("", |(scheme, _)| scheme);
        match scheme {
            "puppet" => Ok(Self::Module(text.into(), (context.resolve_source)(text))),
            "http" | "https" => match text.parse::<Uri>() {
                Ok(uri) if uri.host().is_some() => Ok(Self::Web(text.into())),
                _ => Err(format!("invalid source url: {text}")),
            },
            "ftp" => Ok(Self::Ftp(text.into())),
            "file" => {
                let path = text.trim_start_matches("file:");
                let path = path.strip_prefix("//").unwrap_or(path);
                let path = path.strip_prefix("localhost").unwrap_or(path);
                match path.starts_with('/') {
                    true => Ok(Self::File(text.into(), unescaped(path).into())),
                    false => Err(format!("invalid source url: {text}")),
                }
            }
            "s3" | "gs" => {
                Err(format!("addresses of {scheme} are fetched by the module's own provider only"))
            }
            _ => Err(format!("invalid source url: {text}")),
        }
    }

    /// The address without a password.
    fn shown(&self) -> String {
        match self {
            Self::File(text, _) | Self::Module(text, _) => text.clone(),
            Self::Web(text) | Self::Ftp(text) => without_login(text).0,
        }
    }

    fn file(&self) -> Option<&Path> {
        match self {
            Self::File(_, path) => Some(path),
            Self::Module(_, path) => path.as_deref(),
            Self::Web(_) | Self::Ftp(_) => None,
        }
    }
}

/// The text in which `%` and two digits stand for a byte.
fn unescaped(text: &str) -> String {
    String::from_utf8_lossy(&uri::unescape(text)).into_owned()
}

/// An address without user and password, and these.
fn without_login(address: &str) -> (String, Option<Login>) {
    let Some((scheme, rest)) = address.split_once("://") else { return (address.into(), None) };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let Some((login, host)) = rest[..end].rsplit_once('@') else { return (address.into(), None) };
    let (user, password) = login.split_once(':').unwrap_or((login, ""));
    let login = Login { user: unescaped(user), password: unescaped(password) };
    (format!("{scheme}://{host}{}", &rest[end..]), Some(login))
}

/// A user with a password.
#[derive(Clone)]
pub(super) struct Login {
    pub(super) user: String,
    pub(super) password: String,
}

/// How an archive is fetched.
pub(super) struct Download {
    pub(super) source: Option<DownloadSource>,
    pub(super) checksum: Option<String>,
    pub(super) checksum_source: Option<DownloadSource>,
    pub(super) login: Option<Login>,
    pub(super) cookie: Option<String>,
    pub(super) headers: Vec<(String, String)>,
    pub(super) connection: Connection,
    /// Options for curl, which then fetches instead of this program.
    pub(super) options: Vec<String>,
    pub(super) temp_dir: Option<PathBuf>,
}

/// Content on its way, with the mode of its file.
struct Incoming {
    reader: Box<dyn Read>,
    mode: u32,
    /// A directory that has to be removed afterwards.
    directory: Option<PathBuf>,
}

impl Drop for Incoming {
    fn drop(&mut self) {
        if let Some(directory) = &self.directory {
            // A leftover in a directory for temporary files does no harm.
            let _ = std::fs::remove_dir_all(directory);
        }
    }
}

impl Download {
    /// The source for messages.
    pub(super) fn shown(&self) -> String {
        self.source.as_ref().map_or_else(String::new, DownloadSource::shown)
    }

    /// The files that it reads.
    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        self.source.iter().chain(&self.checksum_source).filter_map(DownloadSource::file)
    }

    /// A number that differs if the files of modules are others.
    pub(super) fn fingerprint(&self) -> u64 {
        let mut hasher = FxHasher::default();
        self.files().for_each(|file| file.hash(&mut hasher));
        hasher.finish()
    }

    /// The checksum that the archive shall have, if there is one.
    ///
    /// # Errors
    /// When it cannot be fetched.
    pub(super) fn checksum(&self, host: &Host) -> Result<Option<String>, KindError> {
        if let (None, Some(source)) = (&self.checksum, &self.checksum_source) {
            let mut text = Vec::new();
            let incoming = self.open(host, source)?;
            let mut incoming = incoming;
            let read = incoming.reader.by_ref().take(MAX_CHECKSUMS).read_to_end(&mut text);
            read.map_err(|e| KindError::new(format!("Could not fetch {}: {e}", source.shown())))?;
            return Ok(first_digest(&String::from_utf8_lossy(&text)));
        }
        Ok(self.checksum.clone())
    }

    /// Fetches the archive to a path of the machine; with an algorithm only if its checksum is right.
    ///
    /// # Errors
    /// When it cannot be fetched or written, or its checksum is wrong.
    pub(super) fn fetch(
        &self,
        host: &Host,
        path: &Path,
        algorithm: Option<Algorithm>,
    ) -> Result<(), KindError> {
        let Some(source) = &self.source else {
            let text = "Unable to fetch archive, the source parameter is nil.";
            return Err(KindError::new(text));
        };
        if let Some(dir) = &self.temp_dir
            && !host.path(dir).is_dir()
        {
            let text = format!("Temporary directory {} doesn't exist", dir.display());
            return Err(KindError::new(text));
        }
        let wanted = algorithm.map(|a| Ok::<_, KindError>((a, self.checksum(host)?)));
        let wanted = wanted.transpose()?;
        let incoming = self.open(host, source)?;
        let unwritten = |e: io::Error| {
            KindError::new(format!("Could not fetch {} to {}: {e}", source.shown(), path.display()))
        };
        make_parents(host, path, 0o755).map_err(unwritten)?;
        let place = host.keep(path, false).and_then(|()| resolve(host, path, false));
        let place = place.map_err(unwritten)?;
        write(incoming, &place, wanted.as_ref(), unwritten)
    }

    /// The content of a source.
    fn open(&self, host: &Host, source: &DownloadSource) -> Result<Incoming, KindError> {
        let failed = |e: io::Error| match (source, e.kind()) {
            (DownloadSource::File(_, path), io::ErrorKind::NotFound) => {
                KindError::new(format!("Source file: {} does not exists.", path.display()))
            }
            _ => KindError::new(format!("Could not fetch {}: {e}", source.shown())),
        };
        let of_file = |path: &Path| {
            let file = File::open(path)?;
            let meta = file.metadata()?;
            if !meta.is_file() {
                return Err(io::Error::other("it is not a file"));
            }
            let mode = meta.permissions().mode() & 0o755;
            Ok(Incoming { reader: Box::new(file), mode, directory: None })
        };
        match source {
            DownloadSource::File(_, path) => of_file(&host.path(path)).map_err(failed),
            DownloadSource::Module(_, Some(path)) => {
                let mut incoming = of_file(path).map_err(failed)?;
                incoming.mode = 0o644;
                Ok(incoming)
            }
            DownloadSource::Module(text, None) => {
                let text = format!("Could not retrieve information from source(s) {text}");
                Err(KindError::new(text))
            }
            DownloadSource::Web(address) if self.options.is_empty() => {
                self.ask(host, address).map_err(failed)
            }
            DownloadSource::Web(address) | DownloadSource::Ftp(address) => {
                self.by_curl(host, address)
            }
        }
    }

    /// Asks a server.
    fn ask(&self, host: &Host, address: &str) -> io::Result<Incoming> {
        let (address, own) = without_login(address);
        let agent = connected_agent(&host.root, &self.connection);
        let mut request = agent.get(&address).header("User-Agent", "Ordain");
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        if let Some(cookie) = &self.cookie {
            request = request.header("Cookie", cookie);
        }
        if let Some(Login { user, password }) = self.login.as_ref().or(own.as_ref()) {
            let login = STANDARD.encode(format!("{user}:{password}"));
            request = request.header("Authorization", format!("Basic {login}"));
        }
        let response = request.call().map_err(failed)?;
        let status = response.status();
        if !status.is_success() {
            return Err(io::Error::other(format!("HTTP Error Code {}", status.as_u16())));
        }
        let reader = response.into_body().into_with_config().limit(u64::MAX).reader();
        Ok(Incoming { reader: Box::new(reader), mode: 0o644, directory: None })
    }

    /// Fetches with curl, for protocols and options that Ordain does not implement.
    fn by_curl(&self, host: &Host, address: &str) -> Result<Incoming, KindError> {
        let (address, own) = without_login(address);
        let (directory, shown) = self.private_directory(host)?;
        // Removes the directory however this ends.
        let mut incoming = Incoming {
            reader: Box::new(io::empty()),
            mode: 0o644,
            directory: Some(directory.clone()),
        };
        let file = shown.join("archive");
        let file = file.to_string_lossy();
        let mut words = vec!["curl", "--config", "-", "-o", &file, "-fsSLg", "--max-redirs", "5"];
        if self.connection.insecure {
            words.push("--insecure");
        }
        words.extend(self.options.iter().map(String::as_str));
        words.extend(["--", &address]);
        let surroundings =
            CommandContext { stdin: self.curl_config(own), ..CommandContext::default() };
        surroundings.run(host, &words)?;
        let file = File::open(directory.join("archive"));
        let file = file.map_err(|e| {
            KindError::new(format!("Could not fetch {address}: curl wrote nothing: {e}"))
        })?;
        incoming.reader = Box::new(file);
        Ok(incoming)
    }

    /// Options that other users must not see in the list of processes.
    fn curl_config(&self, own: Option<Login>) -> Vec<u8> {
        let quoted = |text: &str| {
            let text = text.replace('\\', "\\\\").replace('"', "\\\"");
            text.replace('\n', "\\n").replace('\r', "\\r").replace('\t', "\\t")
        };
        let mut lines = Vec::new();
        if let Some(Login { user, password }) = self.login.clone().or(own) {
            lines.push(format!("user = \"{}\"", quoted(&format!("{user}:{password}"))));
        }
        if let Some(cookie) = &self.cookie {
            lines.push(format!("cookie = \"{}\"", quoted(cookie)));
        }
        for (name, value) in &self.headers {
            lines.push(format!("header = \"{}\"", quoted(&format!("{name}: {value}"))));
        }
        if let Some(proxy) = &self.connection.proxy {
            lines.push(format!("proxy = \"{}\"", quoted(&proxy.uri().to_string())));
        }
        (lines.join("\n") + "\n").into_bytes()
    }

    /// A new directory that nobody else can read: its real path, and its path on the machine.
    fn private_directory(&self, host: &Host) -> Result<(PathBuf, PathBuf), KindError> {
        static COUNTER: AtomicU32 = AtomicU32::new(0);
        let parent = self.temp_dir.clone().unwrap_or_else(|| "/tmp".into());
        let mut last = io::Error::from(io::ErrorKind::AlreadyExists);
        for _ in 0..100 {
            let count = COUNTER.fetch_add(1, Ordering::Relaxed);
            let path = parent.join(format!(".ordain-archive-{:x}-{count:x}", std::process::id()));
            let real = host.path(&path);
            match DirBuilder::new().mode(0o700).create(&real) {
                Ok(()) => return Ok((real, path)),
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => last = e,
                Err(e) => {
                    return Err(KindError::new(format!(
                        "Could not write {}: {e}",
                        parent.display()
                    )));
                }
            }
        }
        Err(KindError::new(format!("Could not write {}: {last}", parent.display())))
    }
}

/// Writes content to a place, and checks it before it is there.
fn write(
    mut incoming: Incoming,
    place: &Place,
    wanted: Option<&(Algorithm, Option<String>)>,
    unwritten: impl Fn(io::Error) -> KindError,
) -> Result<(), KindError> {
    let mode = incoming.mode;
    let reader = std::mem::replace(&mut incoming.reader, Box::new(io::empty()));
    let reader = std::cell::RefCell::new(reader);
    let make = |out: &mut dyn Write| io::copy(&mut *reader.borrow_mut(), out).map(drop);
    let check = |name: &OsStr| match wanted {
        None => Ok(()),
        Some((algorithm, wanted)) => {
            let directory = place.dir.try_clone().map_err(|e| e.to_string())?;
            let new = Place { dir: directory, name: name.into() };
            let actual = new.open().and_then(|file| algorithm.hex(file));
            let actual = actual.map_err(|e| e.to_string())?;
            let wanted = wanted.clone().unwrap_or_default();
            match actual == wanted {
                true => Ok(()),
                false => Err(format!(
                    "Download file checksum mismatch (expected: {wanted} actual: {actual})"
                )),
            }
        }
    };
    let own = own_ids();
    let ids = (Some(own.0), Some(own.1));
    replace_file(place, &Data::Made(&make), ids, mode, &check).map_err(|e| match e {
        WriteError::Io(e) => unwritten(e),
        WriteError::Check(message) => KindError::new(message),
    })
}

/// The first word of 32 to 128 hexadecimal digits.
fn first_digest(text: &str) -> Option<String> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    let is_digest = |word: &&str| {
        (32..=128).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    words.into_iter().find(is_digest).map(str::to_string)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_password_is_not_part_of_the_address() {
        let (address, login) = without_login("https://a:b%40c@example.org/x@y");
        let login = login.unwrap();
        assert_eq!(address, "https://example.org/x@y");
        assert_eq!((login.user.as_str(), login.password.as_str()), ("a", "b@c"));
        assert!(without_login("http://example.org/a@b").1.is_none());
    }

    #[test]
    fn the_first_digest_counts() {
        let digest = "0123456789abcdef0123456789ABCDEF";
        assert_eq!(first_digest(&format!("x {digest}  a.tgz")).as_deref(), Some(digest));
        assert_eq!(first_digest(&digest[1..]), None);
    }
}
