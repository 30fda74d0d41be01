//! The checks of puppet-lint, with its findings: the same names, severities, messages and places,
//! its options and its comments.
//!
//! [`run`] checks one manifest. puppet-lint has a lexer of its own that differs from Puppet's, and
//! its findings depend on it, so the module `lexer` makes the same tokens. [`CHECKS`] lists the checks,
//! [`Options`] reads command lines and `.puppet-lint.rc`. Fixes are edits of the text;
//! [`fix`](mod@fix) applies them as far as the program means the same afterwards.
//!
//! ```
//! use ordain_puppet_tools::puppet_lint::{Options, run};
//!
//! let report = run("notice(\"hi\")\n", "/m/manifests/init.pp", &Options::default());
//! assert_eq!(report.findings[0].message, "double quoted string containing no variables");
//! assert_eq!(report.findings[0].name(), "double_quoted_strings");
//! ```

mod checks;
mod control;
mod finding;
pub mod fix;
mod glob;
mod lexer;
pub mod options;
mod pass;
mod strings;
mod structure;
mod token;

use ordain_source::TextRange;

pub use checks::{CHECKS, Check};
use control::Control;
pub use finding::{Finding, Level, TextFix};
pub use options::Options;
use token::Tokens;

/// The findings in a file.
#[derive(Default, Debug)]
pub struct Report {
    /// The findings, in the order of the checks.
    pub findings: Vec<Finding>,
    /// Messages about comments that silence findings and do not fit together.
    pub warnings: Vec<String>,
}

/// Runs the enabled checks on a manifest. `full_path` is its absolute path.
pub fn run(text: &str, full_path: &str, options: &Options) -> Report {
    if text.is_empty() {
        return Report::default();
    }
    let mut findings = Vec::new();
    let tokens = lexer::lex(text).unwrap_or_else(|error| {
        let message = match error.reason {
            Some(reason) => format!("Syntax error ({reason})"),
            None => "Syntax error".to_owned(),
        };
        let at = offset(text, error.line, error.column);
        let range = TextRange::new(at, at);
        findings.push(Finding::syntax(message, error.line, error.column, range));
        Tokens::new(Vec::new())
    });
    let control = Control::read(&tokens);
    let mut pass = pass::Pass::new(text, &tokens, full_path, options.relative);
    for (_, check) in CHECKS.iter().enumerate().filter(|(i, _)| options.is_enabled(*i)) {
        pass.check = (check.name, check.code);
        (check.run)(&mut pass);
    }
    if let Some(token) = pass.broken.map(|i| &tokens[i]) {
        let range = TextRange::new(token.start, token.end);
        let message = "Syntax error".to_owned();
        let syntax = Finding::syntax(message, token.line, token.column, range);
        return Report { findings: vec![syntax], warnings: control.warnings };
    }
    for finding in pass.found.iter_mut().filter(|finding| !finding.is_syntax) {
        let reason = control.reason(finding.check, finding.line);
        finding.ignored = reason.map(str::to_owned);
    }
    findings.append(&mut pass.found);
    Report { findings, warnings: control.warnings }
}

/// The byte at a line and column.
fn offset(text: &str, line: u32, column: u32) -> u32 {
    let mut starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    let start = starts.nth(line as usize - 1).unwrap_or(text.len());
    let rest = text[start..].char_indices().nth(column as usize - 1);
    rest.map_or(text.len(), |(at, _)| start + at) as u32
}
