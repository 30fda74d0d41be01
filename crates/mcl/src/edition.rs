//! The versions of the language.

/// The version of the language.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Edition {
    /// The language of the original, with the forms that its last releases and its guide accept.
    #[default]
    Wide,
    /// Exactly the language of the original.
    Upstream,
}
