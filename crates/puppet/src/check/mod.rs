//! The validator: what a program must obey before it is evaluated.
//!
//! Rules, their order and their texts are those of the reference implementation (its
//! `Checker4_0`): every node is checked on its own, in depth-first order, so that the first error
//! is the same. Nothing here recurses with the height of the tree.

mod definitions;
pub(crate) mod files;
pub(crate) mod heredoc;
pub(crate) mod label;
mod lint;
mod literal;
mod logic;
mod modelled;
mod modelled_lint;
mod names;
pub(crate) mod repository;
mod rules;
pub(crate) mod walk;

pub(crate) use logic::free_variables;
use ordain_source::{Diagnostic, Severity, TextRange};

pub use crate::codes::CODES;
use crate::syntax::advice::advise;
pub use definitions::metaparameters;
pub use lint::lint;
pub use ordain_graph::language::Strict;

use crate::syntax::{ExprId, Program, code_of};
use walk::Node;

/// Where a module's file stands: what its definitions may be called.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ModuleFile {
    /// The path, for messages.
    pub path: String,
    /// The namespace in lower case, such as `apache::mod`; `None` if the file is not in a
    /// directory for definitions, so that every definition is misplaced.
    pub namespace: Option<String>,
}

/// What validation depends on besides the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// The setting `strict`.
    pub strict: Strict,
    /// Set for files that a module's loader reads, not for the site's manifests.
    pub module_file: Option<ModuleFile>,
    /// At most so many errors are reported, and as many warnings.
    pub max: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { strict: Strict::Error, module_file: None, max: 200 }
    }
}

/// Checks a program. The findings are in the order in which the reference reports them.
///
/// ```
/// use ordain_puppet::{check, syntax};
/// use ordain_source::FileId;
///
/// let program = syntax::parse(FileId(0), "if true { class a { } }").program;
/// let found = check::validate(&program, &check::Options::default());
/// assert_eq!(found[0].issue.as_deref(), Some("NOT_TOP_LEVEL"));
/// ```
pub fn validate(program: &Program, options: &Options) -> Vec<Diagnostic> {
    let found = validate_embedded(program, options, 0);
    found.into_iter().map(|d| advise(d, Some(&program.text))).collect()
}

/// Checks a program that stands in texts of so many others.
fn validate_embedded(program: &Program, options: &Options, depth: u32) -> Vec<Diagnostic> {
    let mut checker = Checker {
        program,
        options,
        path: Vec::new(),
        found: Vec::new(),
        errors: 0,
        warnings: 0,
        depth,
        embedded_failed: false,
    };
    checker.top_constructs_in_module();
    checker.walk();
    checker.found
}

struct Checker<'p> {
    program: &'p Program,
    options: &'p Options,
    /// The nodes around the current one, outermost first.
    path: Vec<Node>,
    found: Vec<Diagnostic>,
    errors: usize,
    warnings: usize,
    /// In texts of how many other programs this one stands.
    depth: u32,
    /// Whether the first finding is that a heredoc is not of its syntax.
    embedded_failed: bool,
}

impl Checker<'_> {
    fn push(&mut self, severity: Severity, issue: &'static str, at: TextRange, message: String) {
        let count = match severity {
            Severity::Error => &mut self.errors,
            _ => &mut self.warnings,
        };
        *count += 1;
        if *count > self.options.max {
            return;
        }
        let span = at.in_file(self.program.file);
        self.found.push(Diagnostic::new(severity, code_of(issue), message).issue(issue).at(span));
    }

    fn error(&mut self, issue: &'static str, at: TextRange, message: impl Into<String>) {
        self.push(Severity::Error, issue, at, message.into());
    }

    fn error_with(&mut self, issue: &'static str, at: TextRange, message: String, help: &str) {
        let count = self.found.len();
        self.error(issue, at, message);
        if let Some(found) = self.found.get_mut(count) {
            found.help.push(help.to_owned());
        }
    }

    fn error_at(&mut self, issue: &'static str, at: ExprId, message: impl Into<String>) {
        self.error(issue, self.program.range(at), message);
    }

    fn warning(&mut self, issue: &'static str, at: TextRange, message: impl Into<String>) {
        self.push(Severity::Warning, issue, at, message.into());
    }
}
