//! Errors and jumps.

use std::any::Any;
use std::rc::Rc;

use crate::value::{Exception, Value};

/// The result of an evaluation.
pub(crate) type Eval<T = Value> = Result<T, Box<Unwind>>;

/// The reason why an evaluation stops early.
pub(crate) enum Unwind {
    /// An exception.
    Raise(Rc<Exception>),
    /// `break`: ends the call with this number.
    Break(u64, Value),
    /// `next`: ends the block or the iteration.
    Next(Value),
    /// `return`: ends the method with this number.
    Return(u64, Value),
    /// `throw`
    Throw(Value, Value),
    /// `retry`
    Retry,
    /// Code that needs more than the supported subset of Ruby.
    Unsupported { what: String, line: u32 },
    /// A limit is exceeded.
    Limit { what: &'static str, line: u32 },
    /// An error of the host that nothing can rescue.
    Host { error: Box<dyn Any>, line: u32 },
}

/// The reason why a template has no result.
pub enum Error {
    /// An exception that nothing rescued.
    Exception(Rc<Exception>),
    /// Code outside the supported subset; real Ruby may run it.
    Unsupported {
        /// The construct.
        what: String,
        /// Where.
        line: u32,
    },
    /// The program exceeds the limit of steps, memory or stack.
    Limit {
        /// The message.
        what: &'static str,
        /// Where.
        line: u32,
    },
    /// An error of the host that the template was not allowed to rescue.
    Host {
        /// The error of the host.
        error: Box<dyn Any>,
        /// The line of the call.
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
