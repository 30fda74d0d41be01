//! The interface between a program and the application that runs it.

use std::any::Any;

use ecow::EcoString;

use crate::value::{Foreign, Value};

/// Provides variables and functions to a program.
pub trait Host {
    /// The value of `@name`, if it is set.
    fn variable(&mut self, name: &str) -> Option<Value>;

    /// Calls a method of `self` or of a value of the host. Returns `None` if there is no such
    /// method.
    ///
    /// # Errors
    /// When the method fails.
    fn call(
        &mut self,
        receiver: Option<&Foreign>,
        name: &str,
        args: &[Value],
    ) -> Result<Option<Value>, HostError>;

    /// Receives the line of the next call.
    fn at_line(&mut self, line: u32) {
        let _ = line;
    }

    /// Asks whether a value that the host shares may change: the array or hash of this number, or a
    /// text if the number is 0. If not, the value counts as frozen.
    fn may_change(&mut self, number: usize) -> bool {
        let _ = number;
        true
    }

    /// The value of a constant that the interpreter does not know.
    fn constant(&mut self, path: &str) -> Option<Value> {
        let _ = path;
        None
    }

    /// Calls a class method that the interpreter lacks, such as `File.exist?`.
    ///
    /// # Errors
    /// When the method fails.
    fn call_class(
        &mut self,
        class: &str,
        name: &str,
        args: &[Value],
    ) -> Result<Option<Value>, HostError> {
        let _ = (class, name, args);
        Ok(None)
    }

    /// Begins the call of a method with a block. Returns `None` if there is no such method.
    ///
    /// # Errors
    /// When the method fails.
    fn call_with_block(
        &mut self,
        receiver: &Foreign,
        name: &str,
        args: &[Value],
    ) -> Result<Option<BlockCall>, HostError> {
        let _ = (receiver, name, args);
        Ok(None)
    }

    /// Ends the call of a method whose block returned this value.
    ///
    /// # Errors
    /// When the method fails.
    fn end_block_call(
        &mut self,
        receiver: &Foreign,
        name: &str,
        args: &[Value],
        given: Value,
    ) -> Result<Value, HostError> {
        let _ = (receiver, name, args);
        Ok(given)
    }

    /// Whether one exception class of the host inherits from another; `None` if that is unknown.
    fn is_exception(&self, raised: &str, class: &str) -> Option<bool> {
        let _ = (raised, class);
        None
    }

    /// Whether `self` may have methods that the host lacks.
    fn has_other_methods(&self) -> bool {
        false
    }

    /// The name of `self` in messages, such as `main:Object`.
    fn self_name(&self) -> EcoString {
        "main:Object".into()
    }
}

/// The use that a method makes of its block.
pub enum BlockCall {
    /// It does not call the block and returns this value.
    Done(Value),
    /// It calls the block once with these values and then ends.
    Yield(Vec<Value>),
}

/// The class of values of the host that stand for its classes and modules.
pub const HOST_CLASS: &str = "Class";

/// The reason why a method of the host failed.
pub enum HostError {
    /// An exception; a program may rescue it.
    Raise {
        /// The name of its class.
        class: EcoString,
        /// Its message.
        message: EcoString,
        /// The host's number for it, if the host wants to recognize it.
        number: Option<u64>,
    },
    /// The host does not support it; a real Ruby may.
    Unsupported(String),
    /// An error that the program cannot rescue.
    Abort(Box<dyn Any>),
}
