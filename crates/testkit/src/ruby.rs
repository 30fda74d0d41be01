//! Tests that run `ruby` on files in a temporary directory.

use std::process::Command;

use tempfile::TempDir;

/// Writes files to a new directory. Returns `None` and skips the test if `ruby` is not installed.
///
/// # Panics
/// If `ruby` is not installed although the variable `CI` is set, or the files cannot be written.
pub fn directory_for_ruby(files: &[(&str, &str)]) -> Option<TempDir> {
    let is_installed = Command::new("ruby").arg("-v").output().is_ok_and(|o| o.status.success());
    if !crate::peer(is_installed, "ruby") {
        return None;
    }
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = dir.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    Some(dir)
}
