//! Versions of modules, and the ranges of them that dependencies name.

use ordain_functions::version::{Range, Version};

/// The version that a text is.
pub(super) fn version(text: &str) -> Option<Version> {
    text.trim().parse().ok()
}

/// The range that a text is.
pub(super) fn range(text: &str) -> Option<Range> {
    text.trim().parse().ok()
}

/// Whether a version is in a range; one before its release counts as the release.
pub(super) fn fits(version: &Version, range: &Range) -> bool {
    range.includes(version) || {
        let release = Version::new(version.major, version.minor, version.patch);
        range.includes(&release)
    }
}
