//! The real places of a tree of code: links lead to directories and files elsewhere, whose changes
//! matter as much.

use std::path::{Path, PathBuf};

/// The maximum number of directories that are looked at.
const MAX_DIRECTORIES: usize = 200_000;

/// The real directories and files that a tree consists of.
#[derive(Default, Debug, PartialEq, Eq)]
pub(super) struct RealPlaces {
    /// Directories with everything below them.
    pub(super) trees: Vec<PathBuf>,
    /// Links, and files that links lead to.
    pub(super) files: Vec<PathBuf>,
    /// Whether there are too many directories to know all.
    pub(super) is_incomplete: bool,
}

/// Finds the real places of a tree.
pub(super) fn real_places(root: &Path) -> RealPlaces {
    // A link may be switched to another directory.
    let mut places = RealPlaces { files: vec![root.to_path_buf()], ..RealPlaces::default() };
    let Ok(real) = root.canonicalize() else { return places };
    let mut todo = vec![real];
    let mut seen = 0;
    while let Some(tree) = todo.pop() {
        if places.trees.iter().any(|known| tree.starts_with(known)) {
            continue;
        }
        let mut dirs = vec![tree.clone()];
        while let Some(dir) = dirs.pop() {
            seen += 1;
            if seen > MAX_DIRECTORIES {
                places.is_incomplete = true;
                return places;
            }
            for entry in std::fs::read_dir(&dir).into_iter().flatten().flatten() {
                match entry.file_type() {
                    Ok(kind) if kind.is_dir() => dirs.push(entry.path()),
                    Ok(kind) if kind.is_symlink() => {
                        let Ok(target) = entry.path().canonicalize() else { continue };
                        // A link to a directory above leads to nothing new, or to all the machine.
                        if tree.starts_with(&target) {
                            continue;
                        }
                        match target.is_dir() {
                            true => todo.push(target),
                            false => places.files.push(target),
                        }
                    }
                    _ => {}
                }
            }
        }
        places.trees.push(tree);
    }
    places
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_are_followed_once() {
        let base = tempfile::tempdir().unwrap();
        let base = base.path().canonicalize().unwrap();
        for dir in ["release/modules/a", "shared/b/files", "single"] {
            std::fs::create_dir_all(base.join(dir)).unwrap();
        }
        std::fs::write(base.join("single/site.pp"), "").unwrap();
        symlink(base.join("release"), base.join("production")).unwrap();
        symlink(base.join("shared/b"), base.join("release/modules/b")).unwrap();
        symlink("..", base.join("shared/b/files/loop")).unwrap();
        symlink(base.join("release/modules/a"), base.join("shared/b/again")).unwrap();
        symlink(base.join("single/site.pp"), base.join("release/site.pp")).unwrap();
        symlink("/", base.join("release/modules/everything")).unwrap();
        symlink("nowhere", base.join("release/dangling")).unwrap();
        let places = real_places(&base.join("production"));
        let expected = RealPlaces {
            trees: vec![base.join("release"), base.join("shared/b")],
            files: vec![base.join("production"), base.join("single/site.pp")],
            is_incomplete: false,
        };
        assert_eq!(places, expected);
    }
}
