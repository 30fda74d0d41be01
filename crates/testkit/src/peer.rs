//! Tests that compare with another program, which may not be installed.

/// Whether a test can go on. If its program is not installed, the test is skipped with a message
/// that names the Debian `packages` to install.
///
/// # Panics
/// If the program is not installed although the variable `CI` is set: CI skips no test.
pub fn peer(is_installed: bool, packages: &str) -> bool {
    if !is_installed {
        let message = format!("not installed: {packages} (`sh tests/run` installs it as root)");
        assert!(std::env::var_os("CI").is_none(), "{message}");
        eprintln!("skipped: {message}");
    }
    is_installed
}
