//! The construction of values: `T.new(…)`.

use crate::eval::error::{EvalResult, plain};
use crate::types::Type;
use crate::value::Value;

/// What construction asks of a compile.
pub trait Host {
    /// The present time in nanoseconds since 1970.
    fn now(&mut self) -> i128;
    /// The type that a text names.
    ///
    /// # Errors
    /// When the text is no type.
    fn type_of_text(&mut self, text: &str) -> EvalResult<Type>;
}

/// Makes a value of a type from arguments.
///
/// # Errors
/// When the arguments cannot be converted, or the type has no instances to make.
pub fn new_instance(kind: &Type, _args: &[Value], _host: &mut dyn Host) -> EvalResult {
    plain(format!("Creation of new instance of type '{kind}' is not supported"))
}

/// Whether `Init[T, args]` takes a value that is no `T` yet.
pub(crate) fn init_accepts(_kind: &Type, _args: &[Value], _value: &Value) -> bool {
    false
}

/// Whether `Init[T, args]` takes values of another type.
pub(crate) fn init_takes(_kind: &Type, _args: &[Value], _from: &Type) -> bool {
    false
}

/// A bound of `Timestamp[…]` or `Timespan[…]` that is not given as one.
pub(crate) fn time_bound(_value: &Value, _stamp: bool) -> EvalResult<i128> {
    plain("no")
}
