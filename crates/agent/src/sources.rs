//! The files that a graph copies from the server, on this machine.
//!
//! Each source has a directory that is named by the digest of its list of entries, so a directory is
//! never changed, and one that exists is complete.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, symlink};
use std::path::{Component, Path, PathBuf};

use ordain_functions::checksum::Algorithm;
use ordain_functions::digest;

use crate::error::AgentError;
use crate::home::{Home, make_private};
use crate::protocol::{SourceEntry, SourceList};
use crate::server::Server;

/// The maximum number of files and directories of a graph.
const MAX_ENTRIES: usize = 200_000;

/// The places of sources by address.
#[derive(Clone, Default, Debug)]
pub struct LocalSources {
    /// The file or directory of each address.
    pub places: BTreeMap<String, PathBuf>,
}

impl LocalSources {
    /// Copies the sources that are not there yet.
    ///
    /// # Errors
    /// When the server cannot be reached or has other contents by now, an entry is not valid, or a
    /// file cannot be written.
    pub fn fetch(
        home: &Home,
        server: Option<&Server>,
        environment: &str,
        list: &SourceList,
    ) -> Result<Self, AgentError> {
        let dir = home.path("files");
        make_private(&dir)?;
        if list.values().map(Vec::len).sum::<usize>() > MAX_ENTRIES {
            let text = format!("the graph copies more than {MAX_ENTRIES} files");
            return Err(AgentError::Setting(text));
        }
        let mut places = BTreeMap::new();
        for (address, entries) in list {
            let place = dir.join(name(entries));
            if !place.exists() {
                let server = server.ok_or_else(|| AgentError::Unreachable {
                    server: "that has its files".to_string(),
                    reason: format!("{address} is not here"),
                })?;
                copy(&dir, &place, address, entries, &|path, out| {
                    server.file(environment, path, out)
                })?;
            }
            places.insert(address.clone(), place.join("source"));
        }
        Ok(Self { places })
    }

    /// Removes the sources that neither these nor the other ones have.
    pub fn remove_others(&self, home: &Home, earlier: &Self) {
        let used: BTreeSet<&Path> = self
            .places
            .values()
            .chain(earlier.places.values())
            .filter_map(|path| path.parent())
            .collect();
        for entry in fs::read_dir(home.path("files")).into_iter().flatten().flatten() {
            if !used.contains(entry.path().as_path()) {
                // One that stays is removed the next time.
                let _ = fs::remove_dir_all(entry.path());
            }
        }
    }
}

/// The name of the directory of a source.
fn name(entries: &[SourceEntry]) -> String {
    // A list of texts and numbers is always written.
    digest::sha256(&serde_json::to_vec(entries).unwrap_or_default())
}

/// Writes the content of a path on a mount.
type Content<'a> = &'a dyn Fn(&str, &mut fs::File) -> Result<(), AgentError>;

/// Makes the directory of a source, whole or not at all.
fn copy(
    dir: &Path,
    place: &Path,
    address: &str,
    entries: &[SourceEntry],
    content: Content<'_>,
) -> Result<(), AgentError> {
    let new = tempfile::Builder::new().prefix(".new-").tempdir_in(dir);
    let new = new.map_err(AgentError::file(dir))?;
    let top = new.path().join("source");
    let below = address.trim_start_matches("puppet:///");
    let mut modes: Vec<(PathBuf, u32)> = Vec::new();
    for entry in entries {
        // Nothing is written through a link: each parent is a directory that was made here.
        let is_made = |path: &Path| {
            entry.path.is_empty()
                || modes.iter().any(|(made, _)| Some(made.as_path()) == path.parent())
        };
        let path = checked(&top, &entry.path).filter(|path| is_made(path)).ok_or_else(|| {
            let path = &entry.path;
            AgentError::Setting(format!("the server names the path {path:?} below {address}"))
        })?;
        let source = match entry.path.as_str() {
            "" => below.to_string(),
            path => format!("{below}/{path}"),
        };
        add(&path, entry, &source, content)?;
        if entry.kind == "directory" {
            modes.push((path, entry.mode));
        }
    }
    // Inner ones first: a directory without permission to write could not be filled.
    for (path, mode) in modes.iter().rev() {
        let permissions = fs::Permissions::from_mode(mode & 0o7777);
        fs::set_permissions(path, permissions).map_err(AgentError::file(path))?;
    }
    let kept = new.keep();
    match fs::rename(&kept, place) {
        Err(error) if place.exists() => {
            // Another process was first, with the same content.
            let _ = fs::remove_dir_all(&kept);
            drop(error);
            Ok(())
        }
        result => result.map_err(AgentError::file(place)),
    }
}

/// A path below a directory, if it leads there.
fn checked(top: &Path, relative: &str) -> Option<PathBuf> {
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_));
    Path::new(relative).components().all(is_plain).then(|| match relative {
        "" => top.to_path_buf(),
        relative => top.join(relative),
    })
}

fn add(
    path: &Path,
    entry: &SourceEntry,
    source: &str,
    content: Content<'_>,
) -> Result<(), AgentError> {
    let failed = |error: io::Error| AgentError::file(path)(error);
    match (entry.kind.as_str(), &entry.digest, &entry.target) {
        ("directory", ..) => fs::create_dir(path).map_err(failed),
        ("link", _, Some(target)) => symlink(target, path).map_err(failed),
        ("file", Some(wanted), _) => {
            let mut options = fs::OpenOptions::new();
            let file = options.write(true).create_new(true).mode(0o600).open(path);
            let mut file = file.map_err(failed)?;
            content(source, &mut file)?;
            file.flush().map_err(failed)?;
            let permissions = fs::Permissions::from_mode(entry.mode & 0o7777);
            file.set_permissions(permissions).map_err(failed)?;
            drop(file);
            let found = digest_of(path).map_err(failed)?;
            match found == *wanted {
                true => Ok(()),
                false => Err(AgentError::Unreachable {
                    server: "that has its files".to_string(),
                    reason: format!("{source} has another content by now"),
                }),
            }
        }
        _ => Err(AgentError::Setting(format!("the server has no form of {source} that is copied"))),
    }
}

fn digest_of(path: &Path) -> io::Result<String> {
    let mut file = fs::File::open(path)?;
    Algorithm::Sha256.hex(&mut file)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn entry(path: &str, kind: &str, text: &str) -> SourceEntry {
        SourceEntry {
            path: path.into(),
            kind: kind.into(),
            mode: if kind == "directory" { 0o755 } else { 0o640 },
            digest: (kind == "file").then(|| digest::sha256(text.as_bytes())),
            target: (kind == "link").then(|| text.to_string()),
        }
    }

    fn made(entries: &[SourceEntry]) -> Result<PathBuf, AgentError> {
        let dir = tempfile::tempdir().unwrap().keep();
        let place = dir.join("place");
        let content = |path: &str, out: &mut fs::File| {
            out.write_all(path.as_bytes()).map_err(AgentError::file(Path::new("out")))
        };
        let done = copy(&dir, &place, "puppet:///modules/m/d", entries, &content);
        assert_eq!(fs::read_dir(&dir).unwrap().count(), usize::from(done.is_ok()));
        done.map(|()| place.join("source"))
    }

    #[test]
    fn a_tree_is_copied_whole_or_not_at_all() {
        let top = entry("", "directory", "");
        let file = entry("a.txt", "file", "modules/m/d/a.txt");
        let place = made(&[top.clone(), file.clone(), entry("l", "link", "a.txt")]).unwrap();
        assert_eq!(fs::read_to_string(place.join("l")).unwrap(), "modules/m/d/a.txt");
        let mode = fs::metadata(place.join("a.txt")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640);

        let other = entry("a.txt", "file", "another content");
        let error = made(&[top.clone(), other]).unwrap_err();
        assert!(error.is_outage(), "{error}");
        for path in ["../a", "/etc/a", "a/../../b", "x/a"] {
            let error = made(&[top.clone(), entry(path, "file", "")]).unwrap_err().to_string();
            assert!(error.starts_with("the server names the path"), "{error}");
        }
        let through = [top, entry("l", "link", "/tmp"), entry("l/a", "file", "")];
        assert!(made(&through).unwrap_err().to_string().starts_with("the server names the path"));
    }
}
