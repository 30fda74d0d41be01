//! Generates the files below a directory with `recurse`.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::path::{Component, Path, PathBuf};

use ordain_data::Value;
use ordain_graph::protected::TreeAction;
use ordain_graph::served::FileMetadata;
use ordain_graph::{Attribute, Containment, Resource, ResourceRef};

use super::digest::set_digest;
use super::glob;
use super::model::{Ensure, FileInstance, Recurse};
use super::source::{self, SourceMetadata};
use crate::kind::{KindError, Level};
use crate::system::host::Host;
use crate::system::path::resolve;
use crate::system::write::is_being_written;

/// Attributes that generated files inherit from the directory.
const INHERITED: &[&str] = &[
    "owner",
    "group",
    "mode",
    "backup",
    "checksum",
    "force",
    "links",
    "replace",
    "show_diff",
    "source_permissions",
    "noop",
    "loglevel",
];

/// From this many on a recursion warns.
const WARNING_COUNT: usize = 1000;

#[derive(Clone, Debug)]
enum Origin {
    /// Only there.
    Local { is_directory: bool },
    /// In a source with this address; with its digest from the compile, if known.
    Source { address: String, is_directory: bool, digest: Option<(String, String)> },
}

pub(super) fn generate(
    file: &FileInstance,
    declared: &Resource,
    host: &Host,
) -> Result<Vec<Resource>, KindError> {
    let mut found: BTreeMap<PathBuf, Origin> = BTreeMap::new();
    if file.ensure == Some(Ensure::Absent) {
        return Ok(Vec::new());
    }
    if file.recursion.mode == Recurse::Both {
        let root = host.path(&file.path);
        // The directory itself may be a link only where links are followed.
        let is_directory = std::fs::symlink_metadata(&root)
            .is_ok_and(|m| m.is_dir() || (file.follow && root.is_dir()));
        if is_directory && file.recursion.purge {
            refuse_to_empty(file, host)?;
        }
        if is_directory {
            let keep = |path: PathBuf, is_directory, found: &mut BTreeMap<_, _>| {
                found.insert(path, Origin::Local { is_directory });
            };
            walk(file, &root, false, &mut found, &keep)?;
        }
    }
    let sources = source::existing(&file.sources, file.follow, host);
    let wanted = if file.recursion.all_sources { sources.len() } else { 1 };
    for SourceMetadata { path, meta, text, .. } in sources.into_iter().take(wanted).rev() {
        if let Some((_, files)) = file.served.iter().find(|(source, _)| *source == text) {
            found.extend(files.iter().filter_map(|file| served(&text, file)));
        } else if meta.is_dir() {
            let keep = |below: PathBuf, is_directory, found: &mut BTreeMap<_, _>| {
                let address = format!("{text}/{}", below.display());
                found.insert(below, Origin::Source { address, is_directory, digest: None });
            };
            walk(file, &path, file.follow, &mut found, &keep)?;
        }
    }
    if found.len() > WARNING_COUNT && file.recursion.max_files == 0 {
        let (path, count) = (file.path.display(), found.len());
        file.log(Level::Warning, format!("{path} holds {count} files; `max_files` sets a limit"));
    }
    Ok(resources(file, declared, found))
}

/// Refuses to purge protected directories, also through links.
fn refuse_to_empty(file: &FileInstance, host: &Host) -> Result<(), KindError> {
    let place = resolve(host, &file.path, file.follow);
    let allowed = place.and_then(|place| host.may_at(TreeAction::Empty, &place));
    allowed.map_err(|e| file.error("purge", &e))
}

/// The files below a source, as a static catalog lists them.
fn served(source: &str, file: &FileMetadata) -> Option<(PathBuf, Origin)> {
    let below = file.relative_path.as_deref().filter(|path| *path != ".")?;
    // A path with other components would leave the directory.
    let mut parts = Path::new(below).components();
    if below.is_empty() || !parts.all(|part| matches!(part, Component::Normal(_))) {
        return None;
    }
    let digest = file.digest().map(|(kind, hex)| (kind.to_string(), hex.to_string()));
    let (address, is_directory) = (format!("{source}/{below}"), file.kind == "directory");
    Some((PathBuf::from(below), Origin::Source { address, is_directory, digest }))
}

type AddEntry<'a> = &'a dyn Fn(PathBuf, bool, &mut BTreeMap<PathBuf, Origin>);

fn walk(
    file: &FileInstance,
    root: &Path,
    follow: bool,
    found: &mut BTreeMap<PathBuf, Origin>,
    keep: AddEntry<'_>,
) -> Result<(), KindError> {
    let limit = file.recursion.limit.unwrap_or(u32::MAX);
    let mut todo = vec![(PathBuf::new(), 1)];
    while let Some((below, depth)) = todo.pop() {
        let dir = root.join(&below);
        let failed =
            |e: std::io::Error| KindError::new(format!("Could not list {}: {e}", dir.display()));
        for entry in std::fs::read_dir(&dir).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            // A temporary file of this process is not managed.
            if is_being_written(&entry.file_name()) {
                continue;
            }
            if depth > limit || file.recursion.ignore.iter().any(|p| glob::matches(p, &name)) {
                continue;
            }
            let kind = entry.file_type().map_err(failed)?;
            let path = below.join(entry.file_name());
            // A followed link may lead back up; the limit on links in a path ends the recursion.
            let is_directory =
                kind.is_dir() || (follow && kind.is_symlink() && entry.path().is_dir());
            keep(path.clone(), is_directory, found);
            let max = file.recursion.max_files;
            if max > 0 && found.len() as i64 > max {
                let path = file.path.display();
                let text = format!("{path} holds more files than max_files allows ({max})");
                return Err(KindError::new(text));
            }
            if is_directory {
                todo.push((path, depth + 1));
            }
        }
    }
    Ok(())
}

/// The resources sorted by path, so that directories precede their content.
fn resources(
    file: &FileInstance,
    declared: &Resource,
    found: BTreeMap<PathBuf, Origin>,
) -> Vec<Resource> {
    let mut children = Vec::new();
    for (below, origin) in found {
        let path = file.path.join(below);
        if file.is_declared(&path) {
            continue;
        }
        match origin {
            Origin::Source { address, is_directory, digest } => {
                let mut child = child(declared, &path);
                set(&mut child, "source", Value::str(address));
                if let Some((kind, hex)) = &digest {
                    set_digest(&mut child, (kind, hex));
                }
                if is_directory {
                    set(&mut child, "ensure", Value::str("directory"));
                }
                children.push(child);
            }
            // Without force a directory stays, even if it is empty.
            Origin::Local { is_directory: true } if file.recursion.purge && !file.force => {}
            // Nor does a directory with declared content.
            Origin::Local { .. } if file.recursion.purge && file.holds_declared(&path) => {}
            Origin::Local { .. } if file.recursion.purge => {
                let mut child = child(declared, &path);
                set(&mut child, "ensure", Value::str("absent"));
                children.push(child);
            }
            Origin::Local { .. } => children.push(child(declared, &path)),
        }
    }
    children
}

impl FileInstance {
    /// Whether a path is declared, or below one that is.
    fn is_declared(&self, path: &Path) -> bool {
        let from_here = path.ancestors().take_while(|p| *p != self.path);
        !self.below.is_empty() && from_here.into_iter().any(|p| self.below.contains(p))
    }

    /// Whether something below a path is declared.
    fn holds_declared(&self, path: &Path) -> bool {
        let after = (Bound::Excluded(path), Bound::Unbounded);
        self.below.range::<Path, _>(after).next().is_some_and(|p| p.starts_with(path))
    }
}

fn child(declared: &Resource, path: &Path) -> Resource {
    let inherited = declared.attributes.iter().filter(|a| INHERITED.contains(&a.name.as_str()));
    let title = path.to_string_lossy().into_owned();
    Resource {
        id: ResourceRef { kind: declared.id.kind.clone(), title: title.into() },
        containment: Containment::Leaf,
        attributes: inherited.cloned().collect(),
        tags: declared.tags.clone(),
        exported: false,
        is_virtual: false,
        origin: declared.origin,
    }
}

fn set(resource: &mut Resource, name: &str, value: Value) {
    let origin = resource.origin;
    resource.attributes.push(Attribute { name: name.into(), value, origin, losers: Vec::new() });
}
