//! The parser: recursive descent, with precedence climbing for operators. Each grammar function has
//! the name of the construct that it parses.

use ecow::EcoString;

use super::token::Tok;
use super::{Expr, Kind, Program, Slot, SyntaxError};
use crate::stack;

/// The result of parsing.
pub(super) type Parse<T> = Result<T, SyntaxError>;

/// The maximal stack use of the parser, in bytes.
const MAX_STACK: usize = 1 << 20;
/// The maximal length of a chain of operators or calls.
const MAX_CHAIN: usize = 500;
/// The maximal nesting of a program.
const MAX_NESTING: usize = 400;

/// The local variables of the program, a method or a block.
#[derive(Debug, Default)]
pub(super) struct Scope {
    pub names: Vec<EcoString>,
    /// Whether outer variables are visible.
    pub is_block: bool,
    /// The highest `_1`, `_2`, … that was read.
    pub numbered: usize,
}

pub(super) struct Parser<'s> {
    pub source: &'s str,
    pub texts: &'s [String],
    pub at: usize,
    pub line: u32,
    pub token: Tok,
    pub token_line: u32,
    /// The line at which the token before the current one ended.
    pub previous_line: u32,
    pub space_before: bool,
    pub after_dot: bool,
    pub is_started: bool,
    /// The number of open `? :`. Their `:` begins no symbol.
    pub ternaries: usize,
    /// Whether `do` belongs to an outer construct.
    pub no_do: bool,
    /// The position and line after the heredocs of this line.
    pub heredoc_end: Option<(usize, u32)>,
    pub scopes: Vec<Scope>,
    pub ivars: Vec<EcoString>,
    /// Whether the text is a file, which may open modules.
    pub is_file: bool,
    nesting: usize,
    stack: usize,
}

/// State that is saved while the content of brackets is parsed.
#[derive(Clone, Copy)]
pub(super) struct Flags {
    ternaries: usize,
    no_do: bool,
}

/// Parses a program; `texts` are the texts for the marks of templates.
pub(crate) fn parse(source: &str, texts: &[String]) -> Parse<Program> {
    program(begin(source, texts, 0, 1))
}

/// Parses the text of a file of Ruby code.
pub(crate) fn parse_file(source: &str) -> Parse<Program> {
    let mut parser = begin(source, &[], 0, 1);
    parser.is_file = true;
    program(parser)
}

fn program(mut parser: Parser<'_>) -> Parse<Program> {
    parser.advance()?;
    let body = parser.statements(&[])?;
    if !matches!(parser.token, Tok::End) {
        return Err(parser.unexpected());
    }
    let locals = parser.scopes.pop().map_or(0, |scope| scope.names.len());
    Ok(Program { body, locals, ivars: parser.ivars })
}

/// Parses one statement that begins at an offset of a text, on this line. The rest of the text is
/// ignored.
///
/// Also returns the names of instance variables by their numbers.
pub(crate) fn parse_statement(source: &str, at: usize, line: u32) -> Parse<(Expr, Vec<EcoString>)> {
    let mut parser = begin(source, &[], at, line);
    parser.advance()?;
    let statement = parser.statement()?;
    Ok((statement, parser.ivars))
}

fn begin<'s>(source: &'s str, texts: &'s [String], at: usize, line: u32) -> Parser<'s> {
    Parser {
        source,
        texts,
        at,
        line,
        token: Tok::LineEnd,
        token_line: line,
        previous_line: line,
        space_before: false,
        after_dot: false,
        is_started: false,
        ternaries: 0,
        no_do: false,
        heredoc_end: None,
        scopes: vec![Scope::default()],
        ivars: Vec::new(),
        is_file: false,
        nesting: 0,
        stack: stack::address(),
    }
}

impl Parser<'_> {
    pub(super) fn error(&self, message: impl Into<String>) -> SyntaxError {
        SyntaxError { message: message.into(), line: self.line, is_unsupported: false }
    }

    pub(super) fn unsupported(&self, what: &str) -> SyntaxError {
        SyntaxError { message: what.into(), line: self.line, is_unsupported: true }
    }

    /// The error for an unexpected token.
    pub(super) fn unexpected(&self) -> SyntaxError {
        let what = match &self.token {
            Tok::End => "end-of-input".into(),
            Tok::LineEnd => "end of line".into(),
            Tok::Text(_) => "text of the template".into(),
            Tok::Emit => "`<%='".into(),
            Tok::Keyword(word) => format!("`{word}'"),
            Tok::Op(op) => format!("'{}'", op.strip_suffix('@').unwrap_or(op)),
            Tok::Ident(name) | Tok::Const(name) => format!("`{name}'"),
            Tok::Label(_) | Tok::TextLabel(_) => "label".into(),
            Tok::Int(_) | Tok::Big(_) | Tok::Float(_) => "number".into(),
            Tok::Str(_) => "string literal".into(),
            _ => "literal or variable".into(),
        };
        let message = format!("syntax error, unexpected {what}");
        SyntaxError { message, line: self.token_line, is_unsupported: false }
    }

    /// Runs the function one level deeper.
    pub(super) fn within<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING || stack::used(self.stack) > MAX_STACK {
            return Err(self.unsupported("code nested this deep"));
        }
        let result = parse(self);
        self.nesting -= 1;
        result
    }

    /// Counts a link of a chain.
    pub(super) fn link(&self, count: &mut usize) -> Parse<()> {
        *count += 1;
        if *count > MAX_CHAIN {
            return Err(self.unsupported("a chain this long"));
        }
        Ok(())
    }

    /// Saves and resets the state that does not apply inside of brackets.
    pub(super) fn enter(&mut self) -> Flags {
        let flags = Flags { ternaries: self.ternaries, no_do: self.no_do };
        (self.ternaries, self.no_do) = (0, false);
        flags
    }

    pub(super) fn leave(&mut self, flags: Flags) {
        (self.ternaries, self.no_do) = (flags.ternaries, flags.no_do);
    }

    pub(super) fn is(&self, op: &str) -> bool {
        matches!(self.token, Tok::Op(other) if other == op)
    }

    pub(super) fn is_keyword(&self, word: &str) -> bool {
        matches!(self.token, Tok::Keyword(other) if other == word)
    }

    /// Consumes the operator if it is the current token.
    pub(super) fn accept(&mut self, op: &str) -> Parse<bool> {
        let is_here = self.is(op);
        if is_here {
            self.advance()?;
        }
        Ok(is_here)
    }

    pub(super) fn accept_keyword(&mut self, word: &str) -> Parse<bool> {
        let is_here = self.is_keyword(word);
        if is_here {
            self.advance()?;
        }
        Ok(is_here)
    }

    pub(super) fn expect(&mut self, op: &str) -> Parse<()> {
        if self.accept(op)? { Ok(()) } else { Err(self.unexpected()) }
    }

    pub(super) fn expect_keyword(&mut self, word: &str) -> Parse<()> {
        if self.accept_keyword(word)? { Ok(()) } else { Err(self.unexpected()) }
    }

    pub(super) fn skip_line_ends(&mut self) -> Parse<()> {
        while matches!(self.token, Tok::LineEnd) {
            self.advance()?;
        }
        Ok(())
    }

    pub(super) fn skip_terminators(&mut self) -> Parse<()> {
        while matches!(self.token, Tok::LineEnd | Tok::Op(";")) {
            self.advance()?;
        }
        Ok(())
    }

    /// Statements up to one of these keywords or operators, or the end.
    pub(super) fn statements(&mut self, ends: &[&str]) -> Parse<Expr> {
        let line = self.token_line;
        let mut all = Vec::new();
        loop {
            self.skip_terminators()?;
            match &self.token {
                Tok::End => break,
                Tok::Keyword(word) | Tok::Op(word) if ends.contains(word) => break,
                _ => {}
            }
            let statement = self.statement()?;
            join(&mut all, statement);
            match &self.token {
                Tok::LineEnd | Tok::Op(";") | Tok::End => {}
                Tok::Keyword(word) | Tok::Op(word) if ends.contains(word) => {}
                _ => return Err(self.unexpected()),
            }
        }
        Ok(match all.len() {
            0 => Expr { line, kind: Kind::Nil },
            1 => all.remove(0),
            _ => Expr { line, kind: Kind::Sequence(all) },
        })
    }

    /// The slot of a variable that was assigned before.
    pub(super) fn find_local(&self, name: &str) -> Option<Slot> {
        for (depth, scope) in self.scopes.iter().rev().enumerate() {
            if let Some(index) = scope.names.iter().position(|n| n == name) {
                return Some(Slot { depth: depth as u32, index: index as u32 });
            }
            if !scope.is_block {
                break;
            }
        }
        None
    }

    /// The slot of a variable that is being assigned.
    pub(super) fn local(&mut self, name: &EcoString) -> Slot {
        match self.find_local(name) {
            Some(slot) => slot,
            None => Slot { depth: 0, index: self.declare(name.clone()) },
        }
    }

    /// A new variable of the innermost scope.
    pub(super) fn declare(&mut self, name: EcoString) -> u32 {
        let Some(scope) = self.scopes.last_mut() else { return 0 };
        scope.names.push(name);
        (scope.names.len() - 1) as u32
    }

    pub(super) fn ivar(&mut self, name: EcoString) -> u32 {
        let at = self.ivars.iter().position(|n| *n == name).unwrap_or_else(|| {
            self.ivars.push(name);
            self.ivars.len() - 1
        });
        at as u32
    }
}

/// Appends a statement. Adjacent texts of a template are joined.
fn join(all: &mut Vec<Expr>, statement: Expr) {
    if let (Some(Expr { kind: Kind::Text(before), .. }), Kind::Text(text)) =
        (all.last_mut(), &statement.kind)
    {
        before.push_str(text);
        return;
    }
    all.push(statement);
}
