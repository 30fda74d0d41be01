//! How evaluation ends early.

use std::any::Any;
use std::rc::Rc;

use crate::value::{Exception, Value};

/// The result of evaluating something.
pub(crate) type Eval<T = Value> = Result<T, Box<Unwind>>;

/// Why evaluation does not go on.
pub(crate) enum Unwind {
    /// An exception.
    Raise(Rc<Exception>),
    /// `break`: the call with this number ends.
    Break(u64, Value),
    /// `next`: the block or the round of a loop ends.
    Next(Value),
    /// `return`: the method with this number ends.
    Return(u64, Value),
    /// `throw`
    Throw(Value, Value),
    /// `retry`
    Retry,
    /// Something beyond the subset.
    Unsupported { what: String, line: u32 },
    /// A budget is used up.
    Limit { what: &'static str, line: u32 },
    /// An error of the host that goes through everything.
    Host { error: Box<dyn Any>, line: u32 },
}

/// Why a template has no result.
pub enum Error {
    /// An exception that nothing rescued.
    Exception(Rc<Exception>),
    /// Something that is beyond the subset: a real Ruby may know it.
    Unsupported {
        /// What it is.
        what: String,
        /// Where.
        line: u32,
    },
    /// It takes too many steps, too much memory or too deep a recursion.
    Limit {
        /// Which.
        what: &'static str,
        /// Where.
        line: u32,
    },
    /// An error of the host that the template was not allowed to rescue.
    Host {
        /// What the host gave.
        error: Box<dyn Any>,
        /// Where it was called.
        line: u32,
    },
}

impl std::fmt::Debug for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Exception(e) => {
                let class = e.class_name.as_deref().unwrap_or(e.class.name());
                write!(f, "line {}: {class}: {}", e.line, e.message)
            }
            Self::Unsupported { what, line } => write!(f, "line {line}: unsupported: {what}"),
            Self::Limit { what, line } => write!(f, "line {line}: limit: {what}"),
            Self::Host { line, .. } => write!(f, "line {line}: error of the host"),
        }
    }
}
