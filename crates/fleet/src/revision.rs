//! The two states of the sources that are compared.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ordain_driver::{Commit, Layer};
use ordain_source::layer::absolute;

use crate::directory::MappedDirectory;
use crate::error::FleetError;

/// A state of the sources.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Side {
    /// A revision of a git repository, or a directory if there is no such revision.
    Revision(String),
    /// A directory.
    Directory(PathBuf),
    /// The files as they are in the repository, with changes that are not committed.
    WorkTree,
}

/// Two states of the sources.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Range {
    /// The state before the change.
    pub before: Side,
    /// The state after the change.
    pub after: Side,
}

impl Range {
    /// Parses `A..B`, where each is a revision of git or a directory. Without B it is the work tree.
    /// A name that begins with `/`, `./` or `../` is a directory. `..` inside of such a name does not
    /// separate.
    ///
    /// # Errors
    /// When the text has no `..` between two names.
    pub fn parse(text: &str) -> Result<Self, FleetError> {
        let at = text.match_indices("..").map(|(at, _)| at);
        let sides = at.filter_map(|at| Some((side(&text[..at])?, side(&text[at + 2..])?)));
        let (before, after) = sides
            .into_iter()
            .find(|(before, _)| *before != Side::WorkTree)
            .ok_or_else(|| FleetError::Range(text.to_owned()))?;
        Ok(Self { before, after })
    }

    /// The range from one name to another, or to the work tree.
    ///
    /// # Errors
    /// When a name is empty or contains `..` without being a path.
    pub fn between(before: &str, after: Option<&str>) -> Result<Self, FleetError> {
        let read = |text: &str| side(text).ok_or_else(|| FleetError::Range(text.to_owned()));
        if before.is_empty() {
            return Err(FleetError::Range(before.to_owned()));
        }
        Ok(Self { before: read(before)?, after: after.map_or(Ok(Side::WorkTree), read)? })
    }
}

/// The side that a name means. `None` if it cannot be one.
fn side(text: &str) -> Option<Side> {
    if text.is_empty() {
        return Some(Side::WorkTree);
    }
    let is_path = ["/", "./", "../"].iter().any(|start| text.starts_with(start));
    if is_path || text == "." || text == ".." {
        return (!text.ends_with("...")).then(|| Side::Directory(text.into()));
    }
    let is_revision = !text.contains("..") && !text.starts_with('.') && !text.ends_with('.');
    (is_revision && !text.starts_with('-')).then(|| Side::Revision(text.to_owned()))
}

/// The sources of both sides. They have the same paths.
pub(crate) struct Sources {
    /// The path that is compiled on both sides.
    pub(crate) path: PathBuf,
    pub(crate) before: SideSources,
    pub(crate) after: SideSources,
}

/// The sources of a side.
pub(crate) struct SideSources {
    /// The name of the side for people.
    pub(crate) label: String,
    /// The files in front of those of the machine; `None` if these are the sources.
    pub(crate) layer: Option<Layer>,
}

impl SideSources {
    /// The tree of a commit in front of the files of a path; without one the files as they are.
    ///
    /// # Errors
    /// When there is no such commit.
    pub(crate) fn at_commit(path: &Path, commit: Option<&str>) -> Result<Self, FleetError> {
        let side = commit.map_or(Side::WorkTree, |id| Side::Revision(id.to_owned()));
        Ok(located(&side, path)?.sources(&side, path))
    }
}

impl Sources {
    /// Finds the sources of both sides. `path` is a directory of a repository, or a file in it.
    ///
    /// # Errors
    /// When there is no such revision or directory.
    pub(crate) fn open(range: &Range, path: &Path) -> Result<Self, FleetError> {
        let (before, after) = (located(&range.before, path)?, located(&range.after, path)?);
        // Both are shown at the path of the work tree, if it takes part.
        let shown = match (&before, &after) {
            (Located::Directory(_), Located::Directory(dir)) => dir.clone(),
            _ => path.to_owned(),
        };
        Ok(Self {
            before: before.sources(&range.before, &shown),
            after: after.sources(&range.after, &shown),
            path: shown,
        })
    }
}

/// Both sides as commits of one repository.
pub(crate) struct Commits {
    /// The root of the work tree.
    pub(crate) root: PathBuf,
    /// The full id of the commit before.
    pub(crate) before: String,
    /// The full id of the commit after.
    pub(crate) after: String,
}

impl Commits {
    /// Finds the commits of both sides in the repository of a path.
    ///
    /// # Errors
    /// When a side is no commit.
    pub(crate) fn find(range: &Range, path: &Path) -> Result<Self, FleetError> {
        let commit = |side: &Side| match side {
            Side::Revision(name) => Ok(Commit::find(repository(path), name)?),
            Side::Directory(dir) => {
                Err(FleetError::NoCommit(format!("the directory {}", dir.display())))
            }
            Side::WorkTree => Err(FleetError::NoCommit("the work tree".to_owned())),
        };
        let ((root, before), (_, after)) = (commit(&range.before)?, commit(&range.after)?);
        Ok(Self { root, before, after })
    }
}

/// The directory in which git looks for the repository of a path.
pub(crate) fn repository(path: &Path) -> &Path {
    let dir = if path.is_dir() { path } else { path.parent().unwrap_or(path) };
    if dir == Path::new("") { Path::new(".") } else { dir }
}

enum Located {
    Commit(Box<Commit>),
    Directory(PathBuf),
    WorkTree,
}

fn located(side: &Side, path: &Path) -> Result<Located, FleetError> {
    let directory = |dir: &Path| match dir.exists() {
        true => Ok(Located::Directory(dir.to_owned())),
        false => Err(FleetError::file(dir, std::io::ErrorKind::NotFound.into())),
    };
    match side {
        Side::WorkTree => Ok(Located::WorkTree),
        Side::Directory(dir) => directory(dir),
        Side::Revision(name) => match Commit::open(repository(path), name) {
            Ok(commit) => Ok(Located::Commit(Box::new(commit))),
            Err(_) if Path::new(name).exists() => directory(Path::new(name)),
            Err(error) => Err(error.into()),
        },
    }
}

impl Located {
    fn sources(self, side: &Side, shown: &Path) -> SideSources {
        let label = match (side, &self) {
            (Side::Revision(name), _) => name.clone(),
            (_, Self::Directory(dir)) => dir.display().to_string(),
            _ => "the work tree".to_owned(),
        };
        let layer = match self {
            Self::Commit(commit) => Some(Layer(Arc::new(*commit))),
            Self::Directory(dir) if absolute(&dir) != absolute(shown) => {
                Some(Layer(Arc::new(MappedDirectory::new(shown, &dir))))
            }
            Self::Directory(_) | Self::WorkTree => None,
        };
        SideSources { label, layer }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn revision(name: &str) -> Side {
        Side::Revision(name.into())
    }

    #[test]
    fn ranges_are_of_revisions_and_directories() {
        let range = |text| Range::parse(text).unwrap();
        let both = range("main..HEAD~1");
        assert_eq!((both.before, both.after), (revision("main"), revision("HEAD~1")));
        assert_eq!(range("v1.2..").after, Side::WorkTree);
        let paths = range("../old..../new");
        assert_eq!(paths.before, Side::Directory("../old".into()));
        assert_eq!(paths.after, Side::Directory("../new".into()));
        assert_eq!(range("main../srv/x").after, Side::Directory("/srv/x".into()));
        for text in ["main", "..main", "..", "a...b", "-x..y", ""] {
            assert!(Range::parse(text).is_err(), "{text}");
        }
    }
}
