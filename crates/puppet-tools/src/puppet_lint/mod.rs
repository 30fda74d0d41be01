//! The checks of puppet-lint, with its findings: the same names, severities, messages and places,
//! its options and its comments.
//!
//! [`run`] checks one manifest. puppet-lint has a lexer of its own that differs from Puppet's, and
//! its findings depend on it, so [`lexer`] makes the same tokens. [`CHECKS`] lists the checks,
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
pub mod fix;
mod glob;
mod lexer;
pub mod options;
mod strings;
mod structure;
mod token;

use ordain_source::{Diagnostic, Edit, FileId, Fix, Safety, Severity, TextRange};

pub use checks::{CHECKS, Check};
use control::Control;
pub use options::Options;
use token::Tokens;

/// The severity of a finding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// `warning`
    Warning,
    /// `error`
    Error,
}

impl Level {
    /// The word that puppet-lint prints.
    pub fn word(self) -> &'static str {
        match self {
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// A change of the text that removes the cause of a finding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextFix {
    /// Whether the program means the same afterwards.
    pub safety: Safety,
    /// The change in a few words.
    pub title: String,
    /// The replaced ranges with their new texts.
    pub edits: Vec<(TextRange, String)>,
}

/// A finding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The index of its check in [`CHECKS`].
    pub check: usize,
    /// Whether it is a syntax error, which has no check.
    pub is_syntax: bool,
    /// The severity.
    pub level: Level,
    /// The message, word for word.
    pub message: String,
    /// The line that puppet-lint reports, from 1.
    pub line: u32,
    /// The column that puppet-lint reports, from 1.
    pub column: u32,
    /// The bytes of the cause.
    pub range: TextRange,
    /// The reason that a comment gives for ignoring it; it may be empty.
    pub ignored: Option<String>,
    /// The change that removes it.
    pub fix: Option<TextFix>,
}

impl Finding {
    /// The name of the check.
    pub fn name(&self) -> &'static str {
        if self.is_syntax { "syntax" } else { CHECKS[self.check].name }
    }

    fn syntax(message: String, line: u32, column: u32, range: TextRange) -> Self {
        Self {
            check: 0,
            is_syntax: true,
            level: Level::Error,
            message,
            line,
            column,
            range,
            ignored: None,
            fix: None,
        }
    }

    /// The diagnostic of a finding in a file.
    pub fn diagnostic(&self, file: FileId) -> Diagnostic {
        let place = self.range.in_file(file);
        if self.is_syntax {
            let text = "puppet-lint cannot read this, so its checks leave the file out";
            return Diagnostic::warning("lint::syntax", text).at(place).issue("syntax");
        }
        let severity = match self.level {
            Level::Warning => Severity::Warning,
            Level::Error => Severity::Error,
        };
        let check = &CHECKS[self.check];
        let mut out = Diagnostic::new(severity, check.code, self.message.clone());
        out = out.at(place).issue(check.name);
        if let Some(fix) = &self.fix {
            let edit = |(range, text): &(TextRange, String)| Edit {
                span: range.in_file(file),
                text: text.clone(),
            };
            let (title, edits) = (fix.title.clone(), fix.edits.iter().map(edit).collect());
            out = out.fix(Fix { title, safety: fix.safety, edits });
        }
        out
    }
}

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
    let mut pass = checks::Pass::new(text, &tokens, full_path, options);
    for (i, check) in CHECKS.iter().enumerate().filter(|(i, _)| options.is_enabled(*i)) {
        pass.check = i;
        (check.run)(&mut pass);
    }
    if let Some(token) = pass.broken.map(|i| &tokens[i]) {
        let range = TextRange::new(token.start, token.end);
        let message = "Syntax error".to_owned();
        let syntax = Finding::syntax(message, token.line, token.column, range);
        return Report { findings: vec![syntax], warnings: control.warnings };
    }
    for finding in pass.found.iter_mut().filter(|finding| !finding.is_syntax) {
        let reason = control.reason(CHECKS[finding.check].name, finding.line);
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
