//! Finds test files.

use std::path::{Path, PathBuf};

use ordain_source::Diagnostic;

use crate::codes;

/// The ends of the names of test files.
const ENDS: [&str; 2] = [".test.yaml", ".test.yml"];

/// The deepest directory that is searched.
const MAX_DEPTH: usize = 64;

/// The test files at and below a path, sorted. Hidden directories are left out.
///
/// # Errors
/// When nothing exists at the path, a directory cannot be listed, or there is no test file.
pub fn find_tests(path: &Path) -> Result<Vec<PathBuf>, Box<Diagnostic>> {
    if !path.exists() {
        let text = format!("{} does not exist", path.display());
        return Err(Box::new(Diagnostic::error(codes::FILE, text)));
    }
    if !path.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let mut files = Vec::new();
    let mut open = vec![(path.to_path_buf(), 0)];
    while let Some((dir, depth)) = open.pop() {
        let failed = |error: std::io::Error| {
            let text = format!("cannot list {}: {error}", dir.display());
            Box::new(Diagnostic::error(codes::FILE, text))
        };
        for entry in std::fs::read_dir(&dir).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let kind = entry.file_type().map_err(failed)?;
            // A link may lead to a module that has tests of its own, or back.
            if kind.is_dir() && depth < MAX_DEPTH && !name.starts_with('.') {
                open.push((entry.path(), depth + 1));
            } else if kind.is_file() && ENDS.iter().any(|end| name.ends_with(end)) {
                files.push(entry.path());
            }
        }
    }
    if files.is_empty() {
        let text = format!("{} has no test file", path.display());
        let error = Diagnostic::error(codes::NOTHING, text)
            .help("the names of test files end with .test.yaml; docs/testing.md shows one");
        return Err(Box::new(error));
    }
    files.sort();
    Ok(files)
}
