//! Ruby code of modules on disk: files of functions, and their parsed text.

use ordain_ruby::Function;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

/// The file that defines a function in Ruby.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RubyFile {
    /// The file.
    pub path: PathBuf,
    /// Whether it uses the older interface, `Puppet::Parser::Functions.newfunction`.
    pub is_old: bool,
}

/// The text of a file, with its function if `ordain-ruby` can run it.
#[derive(Debug)]
pub(crate) struct RubySource {
    pub(crate) function: Option<Function>,
    /// The line of the definition.
    pub(crate) line: usize,
    /// Whether a call used something unsupported. Later calls probably would, too.
    pub(crate) is_beyond: AtomicBool,
}

impl RubySource {
    /// Reads the text of a file.
    pub(crate) fn read(text: &str) -> Self {
        let (function, line) = (Function::parse(text).ok(), line_of_definition(text));
        Self { function, line, is_beyond: AtomicBool::new(false) }
    }

    /// The function of the file if it can run here.
    pub(crate) fn function(&self) -> Option<&Function> {
        let function = self.function.as_ref()?;
        (!self.is_beyond.load(Ordering::Relaxed)).then_some(function)
    }
}

/// The line of a file that begins the definition of its function.
pub(crate) fn line_of_definition(text: &str) -> usize {
    let begins = |line: &str| line.contains("create_function") || line.contains("newfunction");
    text.lines().position(begins).map_or(1, |at| at + 1)
}
