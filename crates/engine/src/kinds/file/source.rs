//! The origin of copied content.

use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::web::{Address, WebFile};
use crate::kind::{KindError, ParseContext};
use crate::system::host::Host;
use crate::system::path::resolve;
use crate::system::safety::check_links;

/// A source as written, and its location.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Source {
    /// The text.
    pub(super) text: String,
    place: SourceLocation,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum SourceLocation {
    /// A file of the machine.
    Machine(PathBuf),
    /// A file of a module, if there is one.
    Module(Option<PathBuf>),
    /// A file that a web server has.
    Web(Address),
}

impl Source {
    /// Reads an address.
    ///
    /// # Errors
    /// The message.
    pub(super) fn parse(text: &str, context: &ParseContext<'_>) -> Result<Self, String> {
        let text = text.trim_end_matches('/').to_string();
        let place = match text.split_once(':') {
            _ if text.starts_with('/') => SourceLocation::Machine(PathBuf::from(&text)),
            Some(("puppet", _)) => SourceLocation::Module((context.resolve_source)(&text)),
            Some(("file", rest)) => {
                let path = rest.strip_prefix("//").unwrap_or(rest);
                let path = path.strip_prefix("localhost").unwrap_or(path);
                if !path.starts_with('/') {
                    return Err(format!("Cannot use relative URLs '{text}'"));
                }
                SourceLocation::Machine(PathBuf::from(path))
            }
            Some(("http" | "https", _)) => match Address::parse(&text) {
                Some(address) => {
                    return Ok(Self { text: address.shown(), place: SourceLocation::Web(address) });
                }
                None => return Err(format!("Could not understand source {text}")),
            },
            Some((scheme, _)) if scheme.chars().all(|c| c.is_ascii_alphanumeric()) => {
                return Err(format!(
                    "Cannot use URLs of type '{scheme}' as source for fileserving"
                ));
            }
            _ => return Err(format!("Cannot use relative URLs '{text}'")),
        };
        Ok(Self { text, place })
    }

    /// The path of a local source.
    pub(super) fn file(&self) -> Option<&Path> {
        match &self.place {
            SourceLocation::Machine(path) => Some(path),
            SourceLocation::Module(path) => path.as_deref(),
            SourceLocation::Web(_) => None,
        }
    }

    /// The file on this machine's disk.
    pub(super) fn real(&self, host: &Host) -> Option<PathBuf> {
        match &self.place {
            SourceLocation::Machine(path) => Some(host.path(path)),
            SourceLocation::Module(path) => path.clone(),
            SourceLocation::Web(_) => None,
        }
    }
}

/// The metadata of a source, with or without following links.
pub(super) struct SourceMetadata {
    /// The file on disk.
    pub(super) path: PathBuf,
    /// The type and permissions.
    pub(super) meta: Metadata,
    /// The address it has.
    pub(super) text: String,
    /// Its path on the machine, if it is there.
    machine: Option<PathBuf>,
}

impl SourceMetadata {
    /// Refuses a file that another user may have linked: its content would get a new owner and
    /// mode.
    fn check(&self, follow: bool, host: &Host) -> io::Result<()> {
        let Some(path) = self.machine.as_ref().filter(|_| self.meta.nlink() > 1) else {
            return Ok(());
        };
        let place = resolve(host, path, follow)?;
        place.stat()?.map_or(Ok(()), |stat| check_links(host, &place, &stat))
    }
}

fn metadata(path: &Path, follow: bool) -> io::Result<Metadata> {
    if follow { std::fs::metadata(path) } else { std::fs::symlink_metadata(path) }
}

/// The sources that exist, in their order.
pub(super) fn existing(sources: &[Source], follow: bool, host: &Host) -> Vec<SourceMetadata> {
    let found = sources.iter().filter_map(|source| {
        let path = source.real(host)?;
        let meta = metadata(&path, follow).ok()?;
        let machine = match &source.place {
            SourceLocation::Machine(path) => Some(path.clone()),
            SourceLocation::Module(_) | SourceLocation::Web(_) => None,
        };
        Some(SourceMetadata { path, meta, text: source.text.clone(), machine })
    });
    found.collect()
}

/// A source that exists.
pub(super) enum FirstSource {
    /// Something on a disk.
    Disk(SourceMetadata),
    /// A file that a web server has.
    Web(WebFile),
}

/// The first source that exists.
///
/// # Errors
/// When none exists, another user may have linked it from elsewhere, or a server cannot be reached.
pub(super) fn first(
    sources: &[Source],
    follow: bool,
    host: &Host,
) -> Result<FirstSource, KindError> {
    for source in sources {
        if let SourceLocation::Web(address) = &source.place {
            let found = address.look(host).map_err(|e| {
                let text = &source.text;
                KindError::new(format!("Could not retrieve file metadata for {text}: {e}"))
            })?;
            match found {
                Some(found) => return Ok(FirstSource::Web(found)),
                None => continue,
            }
        }
        if let Some(found) = existing(std::slice::from_ref(source), follow, host).pop() {
            let copied = found.check(follow, host);
            copied.map_err(|e| KindError::new(format!("Could not copy: {e}")))?;
            return Ok(FirstSource::Disk(found));
        }
    }
    let texts: Vec<&str> = sources.iter().map(|s| s.text.as_str()).collect();
    let texts = texts.join(", ");
    let text = format!("Could not retrieve information from source(s) {texts}");
    Err(KindError::new(text))
}
