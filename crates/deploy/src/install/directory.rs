//! Module directories in a working copy.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use ordain_functions::digest::sha256;
use serde_json::{Value as Json, json};

use crate::error::{AtPath, Error, Result};
use crate::files;
use crate::module::Resolved;
use crate::revision::DeployedModule;

/// The file in a module directory that says where its files are from.
const MARKER: &str = ".ordain-module.json";

/// The source of an installed module, and the digest of its files.
#[derive(Debug)]
pub(super) struct Marker {
    pub(super) module: DeployedModule,
    /// Whether the directory `spec` was left out.
    exclude_spec: bool,
    /// The [`digest`] of the directory.
    files: String,
}

impl Marker {
    /// The marker of a module whose files have this digest.
    pub(super) fn new(resolved: &Resolved, files: String) -> Self {
        Self { module: resolved.deployed(), exclude_spec: resolved.exclude_spec, files }
    }

    /// Whether a module has the same files.
    pub(super) fn has_content_of(&self, resolved: &Resolved) -> bool {
        let (own, other) = (&self.module, resolved.deployed());
        own.kind == other.kind
            && own.source == other.source
            && own.content() == other.content()
            && self.exclude_spec == resolved.exclude_spec
    }

    fn read(directory: &Path) -> Option<Self> {
        let text = ordain_source::read_input(&directory.join(MARKER)).ok()?;
        let json: Json = serde_json::from_slice(&text).ok()?;
        Some(Self {
            module: DeployedModule::of_json(&json["module"])?,
            exclude_spec: json["exclude_spec"].as_bool()?,
            files: json["files"].as_str()?.to_owned(),
        })
    }

    /// Writes the marker to a module directory.
    pub(super) fn write(&self, directory: &Path) -> Result<()> {
        let json = json!({
            "format": "ordain-module", "version": 1, "module": self.module.to_json(),
            "exclude_spec": self.exclude_spec, "files": self.files,
        });
        files::write_whole(&directory.join(MARKER), format!("{json:#}\n").as_bytes())
    }
}

/// The state of a module directory.
#[derive(Debug)]
pub(super) enum State {
    Missing,
    /// An earlier run wrote it, and nobody has edited it.
    Installed(Marker),
    /// An earlier run wrote it, and somebody has edited it.
    Edited(Marker),
    /// It has a git repository of its own.
    Clone,
    /// Something else wrote it, or it is no directory.
    Foreign,
}

impl State {
    /// The module that is there.
    pub(super) fn deployed(&self) -> Option<&DeployedModule> {
        match self {
            Self::Installed(marker) | Self::Edited(marker) => Some(&marker.module),
            Self::Missing | Self::Clone | Self::Foreign => None,
        }
    }

    /// The reason why a directory is not replaced, for a message.
    pub(super) fn reason(&self) -> &'static str {
        match self {
            Self::Clone => "its directory is a clone with changes that are not committed",
            Self::Foreign => "its directory has other files, which Ordain did not install",
            Self::Missing | Self::Installed(_) | Self::Edited(_) => {
                "it was edited since it was installed"
            }
        }
    }
}

/// The directory of a module.
pub(super) struct ModuleDir {
    pub(super) path: PathBuf,
}

impl ModuleDir {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path }
    }

    pub(super) fn state(&self) -> Result<State> {
        let metadata = match fs::symlink_metadata(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(State::Missing),
            metadata => metadata.at_path(&self.path)?,
        };
        if !metadata.is_dir() {
            return Ok(State::Foreign);
        }
        if fs::symlink_metadata(self.path.join(".git")).is_ok() {
            return Ok(State::Clone);
        }
        let Some(marker) = Marker::read(&self.path) else { return Ok(State::Foreign) };
        Ok(match digest(&self.path)? == marker.files {
            true => State::Installed(marker),
            false => State::Edited(marker),
        })
    }

    /// The digest of the files; `None` if it is no directory.
    pub(super) fn digest(&self) -> Result<Option<String>> {
        let is_directory = fs::symlink_metadata(&self.path).is_ok_and(|m| m.is_dir());
        is_directory.then(|| digest(&self.path)).transpose()
    }
}

/// The digest of all files, links and directories below a directory. Leaves out the marker and a
/// git repository.
pub(super) fn digest(directory: &Path) -> Result<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut queue = vec![PathBuf::new()];
    while let Some(at) = queue.pop() {
        for name in files::names(&directory.join(&at))? {
            let is_root = at.as_os_str().is_empty();
            if is_root && (name == MARKER || name == ".git") {
                continue;
            }
            let inner = at.join(name);
            let path = directory.join(&inner);
            let metadata = fs::symlink_metadata(&path).at_path(&path)?;
            let content = if metadata.is_dir() {
                queue.push(inner.clone());
                "directory".to_owned()
            } else if metadata.is_symlink() {
                let target = fs::read_link(&path).at_path(&path)?;
                format!("link {}", sha256(target.as_os_str().as_bytes()))
            } else if metadata.is_file() {
                let is_executable = metadata.permissions().mode() & 0o100 != 0;
                let content = ordain_source::read_input(&path).at_path(&path)?;
                format!("file {is_executable} {}", sha256(&content))
            } else {
                return Err(Error::path(&path, &"it is neither a file, a link nor a directory"));
            };
            lines.push(format!("{} {content}\n", sha256(inner.as_os_str().as_bytes())));
        }
    }
    lines.sort();
    Ok(sha256(lines.concat().as_bytes()))
}

/// Puts a new directory in the place of an old one, if there is one. Afterwards the old one is at
/// the path of the new one.
pub(super) fn replace(path: &Path, new: &Path) -> Result<()> {
    if fs::symlink_metadata(path).is_err() {
        return fs::rename(new, path).at_path(path);
    }
    if files::exchange(new, path)? {
        return Ok(());
    }
    let old = new.with_extension("old");
    fs::rename(path, &old).at_path(path)?;
    fs::rename(new, path).at_path(path)
}
