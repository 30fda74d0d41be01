//! The text of `ordain --version`.

use std::sync::LazyLock;

/// The commit that the program was built from. `packaging/build` sets the variable; a build of
/// Cargo alone does not know it.
const COMMIT: Option<&str> = option_env!("ORDAIN_COMMIT");

/// The version, the commit, the target of the build and its verbs, one a line.
pub(crate) fn long() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        let commit = COMMIT.filter(|commit| !commit.is_empty()).unwrap_or("unknown");
        let libc = match cfg!(target_env = "musl") {
            true => "static, musl",
            false => "dynamic, glibc",
        };
        let (version, arch) = (env!("CARGO_PKG_VERSION"), std::env::consts::ARCH);
        let verbs = match cfg!(feature = "full") {
            true => "all",
            false => "those of the agent",
        };
        let os = std::env::consts::OS;
        format!("{version}\ncommit: {commit}\nbuild: {arch}-{os}, {libc}\nverbs: {verbs}")
    });
    &TEXT
}
