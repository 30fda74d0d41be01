//! Lists the files below a served directory.

use std::collections::VecDeque;
use std::path::{Component, Path, PathBuf};

use super::request::Request;
use crate::kinds::file::glob;

/// The number of files from which a recursion warns.
const WARNING_COUNT: usize = 1000;

/// Lists a place and everything below it, as paths from it: first `.`, then level by level, each
/// directory in the order of names. Files are listed even if the path is no directory.
///
/// # Errors
/// When there are more than the resource allows, or a name is not UTF-8.
pub(super) fn below(
    root: &Path,
    request: &Request,
    warnings: &mut Vec<String>,
) -> Result<Vec<String>, String> {
    let mut out = vec![".".to_string()];
    let mut todo = VecDeque::from([(String::new(), 1)]);
    let allowed = usize::try_from(request.max_files).unwrap_or(0);
    while let Some((below, depth)) = todo.pop_front() {
        if request.limit.is_some_and(|limit| depth > limit) {
            continue;
        }
        let dir = if below.is_empty() { root.to_path_buf() } else { root.join(&below) };
        for name in names(&dir, request)? {
            let path = if below.is_empty() { name } else { format!("{below}/{name}") };
            todo.push_back((path.clone(), depth + 1));
            out.push(path);
            if allowed > 0 && out.len() > allowed + 1 {
                return Err(format!(
                    "The directory '{}' contains more than the {allowed} entries that max_files \
                     allows",
                    root.display()
                ));
            }
        }
    }
    if request.max_files == 0 && out.len() > WARNING_COUNT + 1 {
        let (path, count) = (root.display(), out.len() - 1);
        warnings.push(format!(
            "The directory '{path}' contains {count} entries; `max_files` of the resource sets a \
             limit or takes this warning away"
        ));
    }
    Ok(out)
}

/// The names in a directory that are not ignored; empty if the path is no directory.
fn names(dir: &Path, request: &Request) -> Result<Vec<String>, String> {
    let stat = |path: &Path| {
        if request.follow { std::fs::metadata(path) } else { std::fs::symlink_metadata(path) }
    };
    if !stat(dir).is_ok_and(|meta| meta.is_dir()) {
        return Ok(Vec::new());
    }
    let failed = |e: std::io::Error| format!("Could not list {}: {e}", dir.display());
    let mut names = Vec::new();
    for entry in std::fs::read_dir(dir).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name();
        let name = name.into_string().map_err(|name| {
            format!("The name {} in {} is not UTF-8", name.display(), dir.display())
        })?;
        if !request.ignore.iter().any(|pattern| glob::matches(pattern, &name)) {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

/// An absolute path without `.` and `..`; links are not resolved.
pub(super) fn absolute(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                out.pop();
            }
            Component::CurDir => {}
            part => out.push(part),
        }
    }
    out
}
