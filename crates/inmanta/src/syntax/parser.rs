//! The parser: its state, tokens, and errors.

use ordain_syntax::{ListRef, Nesting};

use super::ast::{Ast, ExprId, Name, Unit};
use super::lexer::{Keyword, Kind, Lexer, Token};
use super::unescape::unescape;
use crate::diagnostics::{Class, Error, Exception, Fault, Lint, Result};
use crate::location::Location;
use crate::symbol::Symbol;

/// The limit for nesting.
const MAX_DEPTH: u32 = 400;

/// Parses a file into the shared tree.
///
/// # Errors
/// The first error.
pub fn parse(ast: &mut Ast, text: &str, file: u32, lints: &mut Vec<Lint>) -> Result<Unit> {
    ast.expect(text.len());
    parser(ast, Lexer::new(text, file), lints).file(text.is_empty())
}

/// Parses a part of a file, which begins at a line.
pub(super) fn parse_part(
    ast: &mut Ast,
    text: &str,
    line: u32,
    lints: &mut Vec<Lint>,
) -> Result<Unit> {
    parser(ast, Lexer::new(text, 0).at_line(line), lints).file(text.is_empty())
}

fn parser<'a, 't>(
    ast: &'a mut Ast,
    mut lexer: Lexer<'t>,
    lints: &'a mut Vec<Lint>,
) -> Parser<'a, 't> {
    let token = lexer.next();
    Parser {
        ast,
        lexer,
        token,
        next: None,
        previous: None,
        previous_at: Location::default(),
        nesting: Nesting::new(MAX_DEPTH),
        lints,
    }
}

pub(super) struct Parser<'a, 't> {
    pub(super) ast: &'a mut Ast,
    pub(super) lexer: Lexer<'t>,
    pub(super) token: Token,
    next: Option<Token>,
    /// The keyword before the token, if it cannot end a statement.
    previous: Option<Keyword>,
    previous_at: Location,
    pub(super) nesting: Nesting,
    pub(super) lints: &'a mut Vec<Lint>,
}

impl<'t> Parser<'_, 't> {
    pub(super) fn kind(&self) -> Kind {
        self.token.kind
    }

    pub(super) fn is(&self, c: u8) -> bool {
        self.token.kind == Kind::Char(c)
    }

    pub(super) fn is_word(&self, word: Keyword) -> bool {
        self.token.kind == Kind::Word(word)
    }

    pub(super) fn text(&self) -> &'t str {
        self.lexer.slice(&self.token)
    }

    /// The token after the current one.
    pub(super) fn peek(&mut self) -> Kind {
        if self.next.is_none() {
            self.next = Some(self.lexer.next());
        }
        self.next.map_or(Kind::End, |token| token.kind)
    }

    pub(super) fn advance(&mut self) -> Token {
        let token = self.token;
        self.previous = match token.kind {
            Kind::Word(
                Keyword::True
                | Keyword::False
                | Keyword::Null
                | Keyword::Undef
                | Keyword::Defined
                | Keyword::End
                | Keyword::Parents,
            ) => None,
            Kind::Word(word) => {
                self.previous_at = self.lexer.location(&token);
                Some(word)
            }
            _ => None,
        };
        self.token = self.next.take().unwrap_or_else(|| self.lexer.next());
        token
    }

    /// Saves the state for [`Self::reset`].
    pub(super) fn mark(&self) -> (Lexer<'t>, Token, Option<Token>, Option<Keyword>) {
        (self.lexer.clone(), self.token, self.next, self.previous)
    }

    pub(super) fn reset(&mut self, mark: (Lexer<'t>, Token, Option<Token>, Option<Keyword>)) {
        (self.lexer, self.token, self.next, self.previous) = mark;
    }

    /// Splits the current token: its first byte becomes a token of its own.
    pub(super) fn split(&mut self, kind: Kind) {
        self.lexer.reread(&self.token, 1);
        self.next = None;
        self.token.end = self.token.start + 1;
        self.token.kind = kind;
    }

    /// The error that the current token is unexpected.
    pub(super) fn unexpected<T>(&mut self) -> Result<T> {
        let token = self.token;
        let text = self.lexer.slice(&token);
        Err(match token.kind {
            Kind::Illegal => {
                let fault = Fault::IllegalCharacter(text.to_owned());
                let message = format!("Illegal character '{text}'");
                syntax(self.lexer.location(&token), message).with_fault(fault)
            }
            Kind::Word(_) => reserved(text, self.lexer.location(&token)),
            _ if self.previous.is_some() => {
                let at = self.previous_at;
                let word = self.previous.map(|word| format!("{word:?}").to_lowercase());
                reserved(&word.unwrap_or_default(), at)
            }
            Kind::End => syntax(self.lexer.end_location(), "Unexpected end of file")
                .with_fault(Fault::UnexpectedEnd),
            _ => {
                let shown = self.shown(&token);
                let message = format!("Syntax error at token {shown}");
                let error = Error::new(Class::Parser, message).at(self.lexer.behind(&token));
                error.with_fault(Fault::UnexpectedToken(shown))
            }
        })
    }

    /// The value of a token as messages print it.
    fn shown(&mut self, token: &Token) -> String {
        let text = self.lexer.slice(token);
        let shown = |inner: &str| unescape(inner).unwrap_or_else(|_| inner.to_owned());
        match token.kind {
            Kind::String => shown(&text[1..text.len() - 1]),
            Kind::Multi => shown(&text[3..text.len() - 3]),
            Kind::FString => shown(&text[2..text.len() - 1]),
            Kind::RString => text[2..text.len() - 1].to_owned(),
            Kind::Int => match text.strip_prefix('-') {
                Some(digits) => format!("-{}", trim_zeros(digits)),
                None => trim_zeros(text).to_owned(),
            },
            Kind::Float => crate::value::float_text(text.parse().unwrap_or_default()),
            Kind::Regex => text[text.find('/').unwrap_or_default()..].to_owned(),
            _ => text.to_owned(),
        }
    }

    pub(super) fn expect(&mut self, c: u8) -> Result<Token> {
        if self.is(c) { Ok(self.advance()) } else { self.unexpected() }
    }

    pub(super) fn expect_word(&mut self, word: Keyword) -> Result<Token> {
        if self.is_word(word) { Ok(self.advance()) } else { self.unexpected() }
    }

    pub(super) fn expect_kind(&mut self, kind: Kind) -> Result<Token> {
        if self.kind() == kind { Ok(self.advance()) } else { self.unexpected() }
    }

    pub(super) fn intern(&mut self, token: &Token) -> Symbol {
        let text = self.lexer.slice(token);
        self.ast.symbols.intern(text)
    }

    pub(super) fn name_of(&mut self, token: &Token) -> Name {
        Name { symbol: self.intern(token), at: self.lexer.location(token) }
    }

    /// Parses a name that does not begin with a capital letter.
    pub(super) fn id(&mut self) -> Result<Name> {
        let token = self.expect_kind(Kind::Id)?;
        Ok(self.name_of(&token))
    }

    pub(super) fn deeper(&mut self) -> Result<()> {
        let at = self.lexer.location(&self.token);
        self.nesting.enter().map_err(|_| syntax(at, "the model is nested too deeply here"))
    }

    pub(super) fn exprs(&mut self, ids: impl IntoIterator<Item = ExprId>) -> ListRef<ExprId> {
        self.ast.lists.extend(ids)
    }

    /// Parses a documentation string, if there is one.
    pub(super) fn docstring(&mut self) -> Result<Option<ecow::EcoString>> {
        if self.kind() != Kind::Multi {
            return Ok(None);
        }
        let token = self.advance();
        Ok(Some(self.unescaped(&token, 3, 3)?.into()))
    }

    /// The unescaped text of a token without its first `skip` and last `end` bytes.
    pub(super) fn unescaped(&self, token: &Token, skip: usize, end: usize) -> Result<String> {
        let text = self.lexer.slice(token);
        unescape(&text[skip..text.len() - end]).map_err(|why| {
            let mut error = Error::python(&Exception::UnicodeDecodeError, why);
            let place = (self.lexer.location(token), "in this text".to_owned());
            error.background.get_or_insert_default().places.push(place);
            error
        })
    }

    /// Refuses names with hyphens, which the lexer accepts.
    pub(super) fn no_hyphen(&mut self, name: Name) -> Result<()> {
        let text = self.ast.name(name.symbol);
        if !text.contains('-') {
            return Ok(());
        }
        let message =
            format!("The use of '-' in identifiers is not allowed. please rename {text}.");
        Err(Error::new(Class::Hyphen, message).by(text, name.at))
    }
}

fn trim_zeros(digits: &str) -> &str {
    let trimmed = digits.trim_start_matches('0');
    if trimmed.is_empty() { "0" } else { trimmed }
}

fn reserved(word: &str, at: Location) -> Box<Error> {
    syntax(at, format!("invalid identifier, {word} is a reserved keyword"))
}

/// Creates a syntax error.
pub(super) fn syntax(at: Location, message: impl AsRef<str>) -> Box<Error> {
    Error::new(Class::Parser, format!("Syntax error: {}", message.as_ref())).at(at)
}
