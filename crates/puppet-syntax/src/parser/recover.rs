//! Errors, and going on after them.

use ordain_source::{Diagnostic, TextRange};

use super::{Abort, MAX_DEPTH, MAX_ERRORS, Parser, Token, TokenKind};
use crate::issue::problem;

impl Parser<'_> {
    /// Reports the current token as unexpected.
    #[cold]
    pub(super) fn unexpected(&mut self) -> Abort {
        if self.quiet {
            return Abort;
        }
        let token = self.token();
        if token.kind == TokenKind::Error {
            let error = self.lexed.errors.get(token.aux as usize).cloned();
            return match error {
                Some(error) => {
                    let error = self.with_open_text(error);
                    self.report(error)
                }
                None => Abort,
            };
        }
        if token.kind == TokenKind::Eof && self.errors > 0 {
            return Abort;
        }
        let error = match token.kind {
            TokenKind::Eof => {
                self.ends_early = self.diagnostics.is_empty();
                problem("SYNTAX_ERROR", "Syntax error at end of input".to_owned())
            }
            _ => {
                let text = format!("Syntax error at '{}'", self.token_value(token));
                problem("SYNTAX_ERROR", text)
            }
        };
        let span = self.range(token).in_file(self.file);
        self.report(self.with_hints(error.at(span)))
    }

    /// Reports an error that the reference has no issue code for.
    #[cold]
    pub(super) fn refuse(&mut self, code: &'static str, message: String, at: TextRange) -> Abort {
        self.report(Diagnostic::error(code, message).at(at.in_file(self.file)))
    }

    #[cold]
    pub(super) fn too_deep(&mut self, at: TextRange) -> Abort {
        let message = format!(
            "This is nested too deeply: at most {MAX_DEPTH} levels, or chains of {} operators",
            super::MAX_HEIGHT
        );
        self.report(problem("NESTING", message).at(at.in_file(self.file)))
    }

    pub(super) fn report(&mut self, error: Diagnostic) -> Abort {
        if !self.quiet && self.errors < MAX_ERRORS {
            self.diagnostics.push(error);
            self.errors += 1;
        }
        self.quiet = true;
        Abort
    }

    /// The value of a token as error messages show it.
    fn token_value(&self, token: Token) -> String {
        use TokenKind::*;
        match token.kind {
            Str | DqPre | DqMid | DqPost | RenderString | Heredoc => {
                self.lexed.strings.get(token.aux as usize).map_or("", |s| s.as_str()).to_owned()
            }
            Regex => {
                let text = self.lexed.strings.get(token.aux as usize).map_or("", |s| s.as_str());
                format!("(?-mix:{text})")
            }
            Variable => self.slice(token).trim_start_matches('$').to_owned(),
            Other if self.slice(token) != "~" => String::new(),
            EppStart | RenderExpr | Sublocate => String::new(),
            _ => self.slice(token).to_owned(),
        }
    }

    /// Skips to where a statement may begin: a statement's keyword first on its line, or the end
    /// of the block that the statement at `start` is in.
    pub(super) fn skip_statement(&mut self, start: usize) {
        let mut depth = 0_usize;
        for token in &self.lexed.tokens[start..self.pos] {
            depth = after_token(token.kind, depth);
        }
        let first = self.pos;
        loop {
            let token = self.token();
            if token.kind == TokenKind::Eof {
                return;
            }
            if depth == 0 && token.kind == TokenKind::RBrace {
                return;
            }
            if depth == 0 && self.pos > first.max(start) && self.begins_statement(token) {
                return;
            }
            depth = after_token(token.kind, depth);
            self.pos += 1;
        }
    }

    /// Whether a statement is likely to begin at this token: it is first on its line.
    fn begins_statement(&self, token: Token) -> bool {
        let kinds = matches!(
            token.kind,
            TokenKind::Class
                | TokenKind::Define
                | TokenKind::Node
                | TokenKind::Function
                | TokenKind::If
                | TokenKind::Unless
                | TokenKind::Case
                | TokenKind::Type
        ) || matches!(
            token.kind,
            TokenKind::Name
                | TokenKind::ClassRef
                | TokenKind::Variable
                | TokenKind::At
                | TokenKind::AtAt
        );
        if !kinds {
            return false;
        }
        let Some(before) = self.pos.checked_sub(1).map(|i| self.lexed.tokens[i]) else {
            return true;
        };
        let between = before.end as usize..token.start as usize;
        self.text.get(between).is_some_and(|t| t.contains('\n'))
    }
}

/// The depth of brackets behind a token.
fn after_token(kind: TokenKind, depth: usize) -> usize {
    match kind {
        TokenKind::LBrace
        | TokenKind::SelBrace
        | TokenKind::LBrack
        | TokenKind::ListStart
        | TokenKind::LParen
        | TokenKind::WsLParen => depth + 1,
        TokenKind::RBrace | TokenKind::RBrack | TokenKind::RParen => depth.saturating_sub(1),
        _ => depth,
    }
}
