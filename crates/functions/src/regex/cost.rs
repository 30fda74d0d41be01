//! The cost of compiled patterns. Most are small, but a pattern of a few letters may need megabytes
//! and milliseconds to compile. The number of these is limited per evaluation.

use std::cell::Cell;

use ordain_source::budget;

/// The size in bytes up to which a compiled pattern may grow.
pub(crate) const SIZE_LIMIT: usize = 8 << 20;
/// The size limits in bytes that are tried for patterns, each with its cost. A failed attempt at
/// one size takes no longer than the next one.
const SIZES: [(usize, u64); 3] = [(256 << 10, 0), (2 << 20, 8), (SIZE_LIMIT, 32)];

/// Why a pattern is not compiled.
pub(crate) enum CompileError {
    /// It is none, or too large by itself.
    Pattern(regex::Error),
    /// There are too many; in words.
    Cost(String),
}

/// Compiles a pattern by a function that takes the size which it may have.
///
/// # Errors
/// Why it is not compiled.
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

/// The sum of the costs that a thread may have since the last [`forget`].
const MAX: u64 = 512;

thread_local! {
    static COST: Cell<u64> = const { Cell::new(0) };
}

/// Forgets the patterns that were compiled on this thread: another evaluation begins.
pub fn forget() {
    COST.set(0);
}

/// Adds to the cost.
///
/// # Errors
/// The reason, if that is too much.
pub(super) fn add(cost: u64) -> Result<(), String> {
    let cost = COST.get().saturating_add(cost);
    COST.set(cost);
    if cost > budget::scaled(MAX) {
        return Err(format!("there are too many large regular expressions; {}", budget::HELP));
    }
    Ok(())
}
