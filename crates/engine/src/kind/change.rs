//! Differences between a resource and the machine.

use ordain_data::Value;

/// The effect of a change on the resource as a whole, for its sign and the counts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Action {
    /// It did not exist.
    Create,
    /// It exists and differs.
    Modify,
    /// It exists and should be absent.
    Remove,
    /// It has no state and runs something, such as a command.
    Run,
}

/// One difference between the observed and the desired state.
#[derive(Clone, Debug)]
pub struct Change {
    /// Its effect on the resource.
    pub action: Action,
    /// The property that differs, such as `mode`; `ensure` for creation and removal.
    pub property: String,
    /// The current value; `Null` if absent. A secret is [`Value::Secret`].
    pub before: Value,
    /// The desired state.
    pub after: Value,
    /// Both texts when the property is the content of a file, for a line diff. `None` if the
    /// content is secret, too large, or not text.
    pub text: Option<TextChange>,
    /// The log line for the change once it is made, such as `mode changed '0600' to '0644'`.
    pub message: String,
}

/// The content of a file before and after.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextChange {
    /// The content.
    pub before: String,
    /// The desired content.
    pub after: String,
}
