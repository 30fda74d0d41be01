//! Listings of directories: of one, or of the folders of all modules as one.

use std::collections::{HashSet, VecDeque};
use std::path::Path;

use ordain_engine::kinds::file::glob;
use ordain_functions::checksum::{Algorithm, Checksum};

use super::checksum::Checksums;
use super::metadata::{self, Metadata, Wanted};
use super::mounts::Place;
use super::root::Root;
use crate::url::Parameters;

/// The maximum number of entries of a listing without a limit of its own.
const MAX_ENTRIES: usize = 100_000;

/// A request for a listing.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Request {
    pub(crate) wanted: Wanted,
    recurses: bool,
    max_depth: Option<usize>,
    /// The maximum number of entries; `None` if the client sets no limit.
    max_files: Option<usize>,
    ignore: Vec<String>,
}

impl Request {
    /// Reads the parameters of a request.
    ///
    /// # Errors
    /// The message about a wrong one.
    pub(crate) fn of(query: &Parameters) -> Result<Self, String> {
        let number = |name: &str| match query.get(name) {
            None | Some("infinite" | "-1" | "") => Ok(None),
            Some(text) => {
                let number = text.parse::<usize>();
                number.map(Some).map_err(|_| format!("`{name}` is not a number: {text}"))
            }
        };
        let max_files = number("max_files")?;
        Ok(Self {
            wanted: wanted(query)?,
            recurses: query.get("recurse") == Some("true"),
            max_depth: number("recurselimit")?,
            max_files: max_files.filter(|max| *max > 0),
            ignore: query.all("ignore").map(str::to_string).collect(),
        })
    }
}

impl Request {
    /// A request for everything below a place, with its permissions.
    pub(crate) fn of_tree(follows: bool) -> Self {
        let checksum = Checksum::Digest(Algorithm::Sha256, false);
        Self {
            wanted: Wanted { follows, checksum, has_permissions: true },
            recurses: true,
            max_depth: None,
            max_files: None,
            ignore: Vec::new(),
        }
    }

    /// The same request for the first entry only.
    pub(crate) fn without_recursion(&self) -> Self {
        Self { recurses: false, ..self.clone() }
    }
}

/// Reads the options of a client's request for files.
///
/// # Errors
/// The message about a wrong parameter.
pub(crate) fn wanted(query: &Parameters) -> Result<Wanted, String> {
    let follows = match query.get("links") {
        Some("follow") => true,
        None | Some("manage" | "ignore") => false,
        Some(other) => {
            return Err(format!(":links can only be set to :manage or :follow: {other}"));
        }
    };
    let checksum = query.get("checksum_type").unwrap_or("sha256");
    let checksum = Checksum::from_name(checksum)
        .ok_or_else(|| format!("Unsupported checksum type {checksum}"))?;
    let has_permissions =
        matches!(query.get("source_permissions"), Some("use" | "use_when_creating"));
    Ok(Wanted { follows, checksum, has_permissions })
}

/// Lists the places as one: of entries with the same path the first one counts. Returns `None` if
/// nothing exists at any place.
///
/// # Errors
/// The message if there are too many entries.
pub(crate) fn list(
    checksums: &Checksums,
    places: &[Place],
    request: &Request,
) -> Result<Option<Vec<Metadata>>, String> {
    let (mut found, mut seen) = (Vec::new(), HashSet::new());
    for place in places {
        let Ok(root) = place.open() else { continue };
        if root.find(&place.below, request.wanted.follows).is_err() {
            continue;
        }
        for relative in paths(&root, &place.below, request)? {
            if !seen.insert(relative.clone()) {
                continue;
            }
            match metadata::of(checksums, &root, &place.below, Some(&relative), request.wanted) {
                Ok(metadata) => found.push(metadata),
                // One file that cannot be read must not stop the agents from getting the others.
                Err(error) => {
                    let dir = root.path().display().to_string();
                    tracing::warn!(dir, path = relative, %error, "a file is not served");
                }
            }
        }
    }
    Ok((!found.is_empty()).then_some(found))
}

/// The paths below a place: first `.`, then level by level.
fn paths(root: &Root, base: &Path, request: &Request) -> Result<Vec<String>, String> {
    let mut out = vec![".".to_string()];
    if !request.recurses {
        return Ok(out);
    }
    let mut todo = VecDeque::from([(String::new(), 1)]);
    while let Some((below, depth)) = todo.pop_front() {
        let dir = base.join(&below);
        let is_directory = root
            .find(&dir, request.wanted.follows)
            .is_ok_and(|entry| entry.kind() == rustix::fs::FileType::Directory);
        if !is_directory || request.max_depth.is_some_and(|max| depth > max) {
            continue;
        }
        for name in root.list(&dir).unwrap_or_default() {
            if request.ignore.iter().any(|pattern| glob::matches(pattern, &name)) {
                continue;
            }
            let path = if below.is_empty() { name } else { format!("{below}/{name}") };
            todo.push_back((path.clone(), depth + 1));
            out.push(path);
            let max = request.max_files.unwrap_or(MAX_ENTRIES);
            if out.len() > max + 1 {
                let dir = root.path().join(base);
                return Err(format!(
                    "The directory '{}' contains more than {max} entries, which exceeds the limit \
                     specified by the max_files parameter for this resource",
                    dir.display()
                ));
            }
        }
    }
    Ok(out)
}
