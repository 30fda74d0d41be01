//! The languages of plugins.

/// The `ruby` of Puppet's packages, which is tried besides the `PATH`.
const ELSEWHERE: &str = "/opt/puppetlabs/puppet/bin/ruby";

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

    /// The programs that may be its interpreter, the best one first: the one that the environment
    /// chooses, or else these and those of the system.
    pub fn interpreters(self, chosen: Option<String>, first: &[String]) -> Vec<String> {
        if let Some(program) = chosen.filter(|program| !program.is_empty()) {
            return vec![program];
        }
        let elsewhere = (self == Self::Ruby).then(|| ELSEWHERE.to_owned());
        let usual = std::iter::once(self.program().to_owned());
        first.iter().cloned().chain(usual).chain(elsewhere).collect()
    }

    /// The environment variable that names another program.
    pub fn variable(self) -> &'static str {
        match self {
            Self::Ruby => "ORDAIN_RUBY",
            Self::Python => "ORDAIN_PYTHON",
        }
    }
}
