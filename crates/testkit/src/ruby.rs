//! Tests that need the `ruby` of the machine, on files in a directory of their own.

use std::process::Command;

use tempfile::TempDir;

/// Files in a new directory; nothing, and a word of it, if there is no `ruby` on this machine.
///
/// # Panics
/// If there is no `ruby` although the variable `CI` is set, or the files cannot be written.
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
