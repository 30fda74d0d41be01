//! The cost of compiled patterns. Most are small, but a pattern of a few letters may need megabytes
//! and milliseconds to compile. The total cost is limited per evaluation.

use std::cell::Cell;

use ordain_source::budget;

/// The maximum size of a compiled pattern in bytes.
pub(crate) const MAX_SIZE: usize = 8 << 20;
/// The size limits in bytes that are tried in turn, each with its cost. A failed attempt at one
/// size takes no longer than the next one.
const SIZES: [(usize, u64); 3] = [(256 << 10, 0), (2 << 20, 8), (MAX_SIZE, 32)];

/// The reason why a pattern is not compiled.
pub(crate) enum CompileError {
    /// It is none, or too large by itself.
    Pattern(regex::Error),
    /// There are too many; in words.
    Cost(String),
}

/// Compiles a pattern with a function that takes the maximum size.
///
/// # Errors
/// The reason why it is not compiled.
pub(crate) fn compile<T>(
    build: impl Fn(usize) -> Result<T, regex::Error>,
) -> Result<T, CompileError> {
    let mut refused = None;
    for (size, cost) in SIZES {
        add(cost).map_err(CompileError::Cost)?;
        match build(size) {
            Err(error @ regex::Error::CompiledTooBig(_)) => refused = Some(error),
            other => return other.map_err(CompileError::Pattern),
        }
    }
    Err(refused.map_or_else(|| CompileError::Cost(String::new()), CompileError::Pattern))
}

/// The maximum total cost of a thread since the last [`forget`].
const MAX_COST: u64 = 512;

thread_local! {
    static COST: Cell<u64> = const { Cell::new(0) };
}

/// Resets the cost of this thread for another evaluation.
pub fn forget() {
    COST.set(0);
}

/// Adds to the cost.
///
/// # Errors
/// The message, if the total is too high.
pub(super) fn add(cost: u64) -> Result<(), String> {
    let cost = COST.get().saturating_add(cost);
    COST.set(cost);
    if cost > budget::scaled(MAX_COST) {
        return Err(format!("there are too many large regular expressions; {}", budget::HELP));
    }
    Ok(())
}
