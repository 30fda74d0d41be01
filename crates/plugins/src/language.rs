//! The languages of plugins.

/// The language of a child process, which names its interpreter.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Language {
    /// `ruby`, for Puppet's modules.
    #[default]
    Ruby,
    /// `python3`, for Inmanta's modules.
    Python,
}

impl Language {
    /// The name of the program.
    pub fn program(self) -> &'static str {
        match self {
            Self::Ruby => "ruby",
            Self::Python => "python3",
        }
    }

    /// The environment variable that names another program.
    pub(crate) fn variable(self) -> &'static str {
        match self {
            Self::Ruby => "ORDAIN_RUBY",
            Self::Python => "ORDAIN_PYTHON",
        }
    }
}
