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

    /// What `self` is called in messages, such as `main:Object`.
    fn self_name(&self) -> EcoString {
        "main:Object".into()
    }
}

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
