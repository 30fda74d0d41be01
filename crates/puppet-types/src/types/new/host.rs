//! The surroundings of a conversion.

use crate::error::EvalResult;
use crate::types::Type;

/// The services of a compile that conversions use.
pub trait Host {
    /// The present time in nanoseconds since 1970.
    fn now(&mut self) -> i128;
    /// The time zone of this machine, as an offset such as `+05:30`.
    fn zone(&mut self) -> String;
    /// The type that a text names.
    ///
    /// # Errors
    /// When the text is no type.
    fn type_of_text(&mut self, text: &str) -> EvalResult<Type>;
}
