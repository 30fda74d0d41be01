//! Tests that compare with another program, which may not be installed.

/// Whether a test can go on: `is_installed`, or else it is skipped with a message that names what
/// to install. `packages` are those of Debian that the test needs.
///
/// # Panics
/// If the program is not installed although the variable `CI` is set: there nothing is skipped.
pub fn peer(is_installed: bool, packages: &str) -> bool {
    if !is_installed {
        let message = format!("not installed: {packages} (`sh tests/run` installs it as root)");
        assert!(std::env::var_os("CI").is_none(), "{message}");
        eprintln!("skipped: {message}");
    }
    is_installed
}
