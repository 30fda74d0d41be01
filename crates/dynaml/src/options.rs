//! The permissions and the bounds of a run.

use ordain_source::budget;

/// The program whose wording error reports use.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Dialect {
    /// spiff, as in its document.
    #[default]
    Spiff,
    /// spiff++.
    SpiffPlusPlus,
}

/// The permissions and the bounds of a run.
#[derive(Clone, Debug)]
pub struct Options {
    /// The wording of error reports.
    pub dialect: Dialect,
    /// Forbids running commands and writing files.
    pub hermetic: bool,
    /// Keeps expressions that cannot be resolved.
    pub partial: bool,
    /// Keep nodes that are marked as temporary.
    pub keep_temporary: bool,
    /// Keep the `!` of escaped expressions.
    pub keep_escapes: bool,
    /// The maximum depth of lambda calls.
    pub call_depth: u32,
    /// The maximum number of evaluated expressions.
    pub steps: u64,
    /// The maximum stack usage in bytes.
    pub stack: usize,
    /// The key for `encrypt` and `decrypt`.
    pub encryption_key: Option<String>,
    /// Checks a document without its stubs: values that only stubs or the machine have are unknown,
    /// and everything that needs them waits.
    pub is_check: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            dialect: Dialect::default(),
            hermetic: false,
            partial: false,
            keep_temporary: false,
            keep_escapes: false,
            call_depth: 10_000,
            steps: budget::scaled(8_000_000),
            stack: 480 << 20,
            encryption_key: None,
            is_check: false,
        }
    }
}
