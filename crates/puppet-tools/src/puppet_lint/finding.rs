//! Findings and their fixes.

use ordain_source::{Diagnostic, Edit, FileId, Fix, Safety, Severity, TextRange};

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
    /// The name of its check.
    pub check: &'static str,
    /// The code of its check.
    pub code: &'static str,
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
        if self.is_syntax { "syntax" } else { self.check }
    }

    pub(super) fn syntax(message: String, line: u32, column: u32, range: TextRange) -> Self {
        Self {
            check: "syntax",
            code: "lint::syntax",
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
        let mut out = Diagnostic::new(severity, self.code, self.message.clone());
        out = out.at(place).issue(self.check);
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
