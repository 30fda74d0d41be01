//! What a program sees of the world around it.

use std::any::Any;

use ecow::EcoString;

use crate::value::{Foreign, Value};

/// Gives variables and functions to a program.
pub trait Host {
    /// The value of `@name`, if it is set.
    fn variable(&mut self, name: &str) -> Option<Value>;

    /// Calls a method of `self`, or of a value that came from the host. The answer is `None` where
    /// there is no such method.
    ///
    /// # Errors
    /// When the method fails.
    fn call(
        &mut self,
        receiver: Option<&Foreign>,
        name: &str,
        args: &[Value],
    ) -> Result<Option<Value>, HostError>;

    /// Hears that an array or hash is about to change that was lent by a number, or a text, whose
    /// number is 0. Where the answer is false it is frozen.
    fn may_change(&mut self, number: usize) -> bool {
        let _ = number;
        true
    }

    /// The value of a constant that the language itself does not have.
    fn constant(&mut self, path: &str) -> Option<Value> {
        let _ = path;
        None
    }

    /// Calls a method of a class of the language that the interpreter has not, such as `File.exist?`.
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

    /// Begins the call of a method with a block; `None` where there is no such method.
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

    /// Ends the call of a method with a block, which gave this value.
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

    /// Whether an exception of one class of the host is one of another; `None` if that is not known.
    fn is_exception(&self, raised: &str, class: &str) -> Option<bool> {
        let _ = (raised, class);
        None
    }

    /// Whether `self` may have methods that the host does not do.
    fn has_other_methods(&self) -> bool {
        false
    }

    /// What `self` is called in messages, such as `main:Object`.
    fn self_name(&self) -> EcoString {
        "main:Object".into()
    }
}

/// What a method does with its block.
pub enum BlockCall {
    /// Nothing: this is its result.
    Done(Value),
    /// It calls the block once with these values, and ends then.
    Yield(Vec<Value>),
}

/// The class of values of the host that stand for its classes and modules.
pub const HOST_CLASS: &str = "Class";

/// Why a method of the host failed.
pub enum HostError {
    /// An exception; a program may rescue it.
    Raise {
        /// The name of its class.
        class: EcoString,
        /// Its message.
        message: EcoString,
    },
    /// It is beyond what the host does: a real Ruby may know it.
    Unsupported(String),
    /// An error that goes through the program as it is.
    Abort(Box<dyn Any>),
}
