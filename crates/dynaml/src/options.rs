//! The permissions and the bounds of a run.

use ordain_source::budget;

/// Whose words error reports use where the two programs differ.
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
    /// Whose words error reports use.
    pub dialect: Dialect,
    /// Whether commands may be run and files written.
    pub hermetic: bool,
    /// Leave expressions that cannot be resolved as they are.
    pub partial: bool,
    /// Keep nodes that are marked as temporary.
    pub keep_temporary: bool,
    /// Keep the `!` of escaped expressions.
    pub keep_escapes: bool,
    /// How deep lambdas may call each other.
    pub call_depth: u32,
    /// How many expressions may be evaluated.
    pub steps: u64,
    /// How many bytes of stack may be used.
    pub stack: usize,
    /// The key for `encrypt` and `decrypt`.
    pub encryption_key: Option<String>,
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
        }
    }
}
