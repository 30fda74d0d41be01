//! From the text between the brackets to [`Exprs`]: recursive descent without a token list, because
//! spaces are part of the language (a space concatenates, operators need spaces around them).
//!
//! The productions are those of the reference grammar; the levels of its binary operators are a
//! table (`operator.rs`).

mod collection;
mod comprehension;
mod lambda;
mod operand;
mod operator;
mod reference;
mod text;

use ecow::EcoString;
use ordain_syntax::{Cursor, Nesting, operators};

use super::ast::{
    Arg, BinaryOp, Expr, ExprId, Exprs, LambdaExpr, MapKind, Marker, Merge, Param, PathStep,
    Reference,
};

/// The kind of a [`ParseError`].
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum ParseErrorKind {
    /// Something other than the grammar allows.
    #[default]
    Unexpected,
    /// A text has no closing quote.
    UnclosedText,
    /// There is no marker of this name.
    UnknownMarker(EcoString),
}

/// The reason why a text is no expression, and the position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    /// The kind.
    pub kind: ParseErrorKind,
    /// The error in words.
    pub message: String,
    /// The byte it was noticed at.
    pub at: usize,
    /// The message of spiff++, if known.
    pub near: Option<String>,
}

type Result<T> = std::result::Result<T, ParseError>;

/// The maximum depth of expressions.
const MAX_DEPTH: u32 = 200;
/// The maximum number of consecutive operands of one level or calls of results.
const MAX_CHAIN: u32 = 2000;
/// The maximum number of attempted productions per expression.
const MAX_STEPS: u32 = 2_000_000;

const TOO_DEEP: &str = "the expression is nested too deep";
const TOO_LONG: &str = "the expression is too long: more than 2000 operands follow each other";

/// Parses the text between `((` and `))`.
///
/// # Errors
/// When it has a syntax error.
pub fn parse(text: &str, exprs: &mut Exprs) -> Result<ExprId> {
    let nesting = Nesting::new(MAX_DEPTH).attempts(MAX_STEPS);
    let mut parser =
        Parser { cursor: Cursor::new(text), nesting, exprs, hint: None, refused: None };
    let parsed = parser.dynaml();
    parsed.map_err(|e| match parser.refused.take() {
        Some(refused) => refused,
        None if parser.cursor.furthest() > e.at => parser.furthest_error(),
        None => e,
    })
}

struct Parser<'t, 'e> {
    cursor: Cursor<'t>,
    nesting: Nesting,
    exprs: &'e mut Exprs,
    hint: Option<&'static str>,
    /// The reason why parsing stopped.
    refused: Option<ParseError>,
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn is_key(c: char) -> bool {
    is_name(c) || c == '-'
}

/// The construct that a parenthesis begins.
enum Paren {
    Group(ExprId),
    Scope(std::rc::Rc<[(ExprId, ExprId)]>),
}

impl Parser<'_, '_> {
    /// Eats a word that no letter follows.
    fn eat_word(&mut self, word: &str) -> bool {
        self.cursor.eat_word(word, |c| is_key(c) || c == ':')
    }

    /// Skips blanks; whether there were any.
    fn blanks(&mut self) -> bool {
        !self.cursor.take_while(is_blank).is_empty()
    }

    /// Moves back before the preceding spaces: they may separate the next word.
    fn trim_back(&mut self) {
        self.cursor.back_while(is_blank);
    }

    fn fail<T>(&self, message: impl Into<String>) -> Result<T> {
        self.fail_of(ParseErrorKind::Unexpected, message)
    }

    fn fail_of<T>(&self, kind: ParseErrorKind, message: impl Into<String>) -> Result<T> {
        Err(ParseError { kind, message: message.into(), at: self.cursor.pos(), near: None })
    }

    /// Gives up, whatever else may be tried.
    fn refuse<T>(&mut self, message: &str) -> Result<T> {
        let at = self.cursor.pos();
        let kind = ParseErrorKind::Unexpected;
        let error = ParseError { kind, message: message.to_owned(), at, near: None };
        self.refused.get_or_insert_with(|| error.clone());
        Err(error)
    }

    fn furthest_error(&self) -> ParseError {
        let at = self.cursor.furthest();
        let message = self.hint.map_or_else(|| self.unexpected_at(at), ToOwned::to_owned);
        ParseError { kind: ParseErrorKind::Unexpected, message, at, near: None }
    }

    fn unexpected<T>(&self) -> Result<T> {
        self.fail(self.unexpected_at(self.cursor.pos()))
    }

    /// An unexpected character.
    fn unexpected_at(&self, at: usize) -> String {
        let text = self.cursor.text();
        let mut rest = text[at..].chars();
        let Some(c) = rest.next() else { return "the expression ends too early".to_owned() };
        let has_blanks = text[..at].ends_with(is_blank) && rest.as_str().starts_with(is_blank);
        let is_operator = matches!(c, '+' | '*' | '/' | '%' | '<' | '>' | '=');
        match is_operator && at > 0 && !has_blanks {
            true => format!("put blanks around `{c}`"),
            false => format!("unexpected `{c}`"),
        }
    }

    fn expect(&mut self, text: &str) -> Result<()> {
        if self.cursor.eat(text) { Ok(()) } else { self.unexpected() }
    }

    fn push(&mut self, expr: Expr, start: usize) -> ExprId {
        self.exprs.push(expr, start, self.cursor.pos())
    }

    /// Enters a production, counted to bound nesting and backtracking.
    fn nested<T>(&mut self, production: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.nesting.enter().is_err() {
            return self.refuse(TOO_DEEP);
        }
        let result = production(self);
        self.nesting.leave();
        result
    }

    /// Tries a production and backtracks if it does not apply.
    fn attempt<T>(&mut self, production: impl FnOnce(&mut Self) -> Result<T>) -> Option<T> {
        let start = self.cursor.pos();
        let result = self.nested(production).ok();
        if result.is_none() {
            self.cursor.back_to(start);
        }
        result
    }

    fn dynaml(&mut self) -> Result<ExprId> {
        self.blanks();
        let start = self.cursor.pos();
        let expr = if self.eat_word("prefer") && self.blanks() {
            let inner = self.expression()?;
            self.push(Expr::Prefer(inner), start)
        } else if self.cursor.at("&") {
            self.marked()?
        } else {
            self.cursor.back_to(start);
            self.expression()?
        };
        self.blanks();
        if self.cursor.is_done() { Ok(expr) } else { self.unexpected() }
    }

    fn marked(&mut self) -> Result<ExprId> {
        let start = self.cursor.pos();
        let mut markers = Vec::new();
        let mut inner = None;
        loop {
            if self.cursor.eat("&") {
                markers.push(self.marker()?);
            } else if self.cursor.at("(") {
                self.cursor.skip(1);
                let at = self.cursor.pos() - 1;
                let expr = self.expression()?;
                self.expect(")")?;
                inner = Some(self.push(Expr::Group(expr), at));
                break;
            } else {
                break;
            }
            self.blanks();
        }
        Ok(self.push(Expr::Marked(markers.into(), inner), start))
    }

    fn marker(&mut self) -> Result<Marker> {
        let word = EcoString::from(self.cursor.take_while(is_name));
        Ok(match word.as_str() {
            "template" => Marker::Template,
            "temporary" => Marker::Temporary,
            "local" => Marker::Local,
            "inject" => Marker::Inject,
            "state" => Marker::State,
            "default" => Marker::Default,
            "dynamic" => Marker::Dynamic,
            "tag" if self.cursor.eat(":") => {
                let global = self.cursor.eat("*");
                let name =
                    EcoString::from(self.cursor.take_while(|c| is_name(c) || c == ':' || c == '.'));
                if name.is_empty() {
                    return self.unexpected();
                }
                Marker::Tag(name, global)
            }
            _ => {
                let message = format!("there is no marker `&{word}`");
                return self.fail_of(ParseErrorKind::UnknownMarker(word), message);
            }
        })
    }

    fn expression(&mut self) -> Result<ExprId> {
        self.nested(|p| {
            p.blanks();
            let start = p.cursor.pos();
            let expr = match p.cursor.peek() {
                Some('|') => p.lambda_expr(start)?,
                Some('(') => match p.paren(true)? {
                    Paren::Scope(assigns) => {
                        let body = p.expression()?;
                        p.push(Expr::Scope(assigns, body), start)
                    }
                    Paren::Group(e) => {
                        let left = p.chained(e, start)?;
                        operators::operators_after(p, left, 0)?
                    }
                },
                _ => p.binary(0)?,
            };
            p.blanks();
            Ok(expr)
        })
    }
}
