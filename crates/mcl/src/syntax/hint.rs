//! Hints on the cause of a syntax error, from the tokens around it.
//!
//! The error itself is that of the original. Unlikely causes are not suggested.

use ordain_source::{TextRange, suggest};

use super::error::{SyntaxError, SyntaxKind};
use super::lexer;
use super::token::{Token, TokenKind};
use crate::Edition;

/// Words with which statements begin.
const KEYWORDS: [&str; 8] = ["import", "include", "class", "func", "for", "forkv", "panic", "if"];

/// A hint on a syntax error.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Hint {
    /// The place of the mistake, if the original stops elsewhere, with a note.
    pub place: Option<(TextRange, &'static str)>,
    /// Advice.
    pub help: Option<String>,
}

/// The likely cause of a syntax error.
pub(crate) fn hint(text: &str, edition: Edition, error: &SyntaxError) -> Hint {
    let start = error.range.start as usize;
    if error.kind == SyntaxKind::Unrecognized {
        return unrecognized(text, edition, error);
    }
    let Ok(lexed) = lexer::lex(text, edition) else { return Hint::default() };
    let tokens = &lexed.tokens;
    if error.kind == SyntaxKind::TrailingComma {
        return missing_comma(text, tokens, start);
    }
    if error.kind != SyntaxKind::Parser {
        return Hint::default();
    }
    let is_end = matches!(error.unexpected, Some((TokenKind::End, _)));
    let at = match is_end {
        true => tokens.len().saturating_sub(1),
        false => tokens.iter().position(|t| t.range.start as usize >= start).unwrap_or(0),
    };
    Finder { text, tokens, at, error }.hint()
}

fn help(text: impl Into<String>) -> Hint {
    Hint { place: None, help: Some(text.into()) }
}

/// A character that begins no token.
fn unrecognized(text: &str, edition: Edition, error: &SyntaxError) -> Hint {
    let start = error.range.start as usize;
    match error.text.as_str() {
        "\"" => {
            let before = lexer::lex(text.get(..start).unwrap_or(""), edition);
            let tokens = before.map(|lexed| lexed.tokens).unwrap_or_default();
            let is_long = |t: &&Token| {
                let range = t.range.start as usize..t.range.end as usize;
                t.kind == TokenKind::String && text[range].contains('\n')
            };
            let long = tokens.iter().rev().find(is_long);
            let place = long.map(|t| {
                let range = TextRange::new(t.range.start, t.range.start + 1);
                (range, "this text goes on over the end of its line: is a quote missing?")
            });
            Hint { place: place.or(Some((error.range, "this quote is not closed"))), help: None }
        }
        "'" => help("texts stand in double quotes"),
        "&" => help("both of two conditions: `and`"),
        "|" => help("one of two conditions: `or`; a value in place of an error: `<|>`"),
        "!" => help("the opposite of a condition: `not`"),
        "?" => help("a value that is only set on a condition: `name => $condition ?: $value,`"),
        _ => Hint::default(),
    }
}

/// A field without a comma after its value. The place is the end of the value.
fn missing_comma(text: &str, tokens: &[Token], start: usize) -> Hint {
    let mut depth = 0_i32;
    let mut end = start as u32;
    for token in tokens.iter().filter(|t| t.range.start as usize >= start) {
        match token.kind {
            TokenKind::OpenBrack | TokenKind::OpenCurly | TokenKind::OpenParen => depth += 1,
            TokenKind::CloseCurly if depth == 0 => break,
            TokenKind::CloseBrack | TokenKind::CloseCurly | TokenKind::CloseParen => depth -= 1,
            TokenKind::Newline if depth <= 0 => break,
            _ => {}
        }
        end = token.range.end;
    }
    let last = text[..end as usize].chars().next_back().map_or(1, |c| c.len_utf8() as u32);
    let range = TextRange::new(end.saturating_sub(last), end);
    Hint { place: Some((range, "a comma is missing behind this")), help: None }
}

struct Finder<'t> {
    text: &'t str,
    tokens: &'t [Token],
    at: usize,
    error: &'t SyntaxError,
}

impl Finder<'_> {
    fn kind(&self, at: usize) -> TokenKind {
        self.tokens.get(at).map_or(TokenKind::End, |token| token.kind)
    }

    fn before(&self, back: usize) -> Option<TokenKind> {
        self.at.checked_sub(back).map(|at| self.kind(at))
    }

    fn word(&self, at: usize) -> &str {
        let range = self.tokens.get(at).map_or(TextRange::default(), |token| token.range);
        self.text.get(range.start as usize..range.end as usize).unwrap_or("")
    }

    fn expects(&self, kind: TokenKind) -> bool {
        self.error.unexpected.as_ref().is_some_and(|(_, expected)| expected.contains(&kind))
    }

    fn hint(&self) -> Hint {
        let here = self.kind(self.at);
        if here == TokenKind::End {
            return self.open_bracket();
        }
        if let Some(hint) = self.hint_of_token(here) {
            return hint;
        }
        if let Some(hint) = self.keyword() {
            return hint;
        }
        if here == TokenKind::Newline
            && self.before(1) == Some(TokenKind::OpenBrack)
            && self.at.checked_sub(1).is_some_and(|at| self.is_body(at))
        {
            return help("the fields of a resource stand in braces");
        }
        if let Some(range) = self.without_comma() {
            return Hint { place: Some((range, "a comma is missing behind this")), help: None };
        }
        let closes = [TokenKind::CloseCurly, TokenKind::CloseParen, TokenKind::CloseBrack];
        match here {
            TokenKind::Newline if self.is_item_of_list() => {
                help("each item on a line of its own has a comma behind it, the last one, too")
            }
            _ if closes.iter().any(|kind| self.expects(*kind)) || here == TokenKind::Newline => {
                self.open_bracket()
            }
            _ => Hint::default(),
        }
    }

    /// The likely intention of an unexpected token.
    fn hint_of_token(&self, here: TokenKind) -> Option<Hint> {
        let value_of_type =
            matches!(self.before(1), Some(TokenKind::MapIdentifier | TokenKind::StructIdentifier));
        let is_sign = matches!(
            here,
            TokenKind::Equals
                | TokenKind::Colon
                | TokenKind::Arrow
                | TokenKind::Eq
                | TokenKind::Gte
        );
        let in_body = || self.innermost().is_some_and(|at| self.is_body(at));
        Some(match here {
            TokenKind::OpenCurly if value_of_type => {
                let word = self.word(self.at - 1);
                let value = if word == "map" { "{\"a\" => 1,}" } else { "struct{a => 1,}" };
                help(format!("`{word}{{…}}` is a type; a value of it is `{value}`"))
            }
            TokenKind::If if self.before(1) == Some(TokenKind::Else) => {
                help("there is no `else if`: an `if` stands in the braces of `else`")
            }
            _ if is_sign && self.is_field() && in_body() => {
                help("a field or key gets its value with `=>`")
            }
            TokenKind::CloseCurly | TokenKind::CloseParen | TokenKind::CloseBrack
                if self.innermost().is_none() =>
            {
                let place = Some((self.error.range, "nothing is open that this closes"));
                Hint { place, help: None }
            }
            TokenKind::In if self.expects(TokenKind::Comma) => {
                help("`for` names an index and a value: `for $index, $value in $list { … }`")
            }
            TokenKind::Equals | TokenKind::Eq if self.is_bare_bind() => {
                help(format!("a variable begins with `$`: ${}", self.word(self.at - 1)))
            }
            _ if is_sign && self.is_field() => help("a field or key gets its value with `=>`"),
            TokenKind::Rocket if self.is_variable() => help("a variable is bound with `=`"),
            TokenKind::Equals if self.before(1) == Some(TokenKind::Colon) => {
                help("a variable is bound with `=`")
            }
            _ => return None,
        })
    }

    /// `x = 1` at the start of a line.
    fn is_bare_bind(&self) -> bool {
        let starts =
            matches!(self.before(2), None | Some(TokenKind::Newline | TokenKind::OpenCurly));
        self.before(1) == Some(TokenKind::Identifier) && starts
    }

    /// Whether the previous token is the name of a field, or a key.
    fn is_field(&self) -> bool {
        let is_name = matches!(
            self.before(1),
            Some(TokenKind::Identifier | TokenKind::String | TokenKind::CapitalizedIdentifier)
        );
        is_name
            && matches!(
                self.before(2),
                Some(TokenKind::Newline | TokenKind::OpenCurly | TokenKind::Comma)
            )
            && self.innermost().is_some_and(|open| self.kind(open) == TokenKind::OpenCurly)
    }

    /// Whether a bracket opens the body of a resource, because a kind and a name precede it.
    fn is_body(&self, open: usize) -> bool {
        let line = (0..open).rev().find(|at| {
            matches!(
                self.kind(*at),
                TokenKind::Newline | TokenKind::OpenCurly | TokenKind::CloseCurly
            )
        });
        let first = line.map_or(0, |at| at + 1);
        self.kind(first) == TokenKind::Identifier && first + 1 < open
    }

    /// The end of a value or item that another one follows, in a bracket that is closed later.
    fn without_comma(&self) -> Option<TextRange> {
        let open = self.innermost()?;
        let ends = [
            TokenKind::String,
            TokenKind::Integer,
            TokenKind::Float,
            TokenKind::Bool,
            TokenKind::Identifier,
            TokenKind::CloseBrack,
            TokenKind::CloseCurly,
            TokenKind::CloseParen,
        ];
        let last = self.tokens.get(self.at.checked_sub(1)?)?;
        let starts = [
            TokenKind::String,
            TokenKind::Integer,
            TokenKind::Float,
            TokenKind::Bool,
            TokenKind::Identifier,
            TokenKind::Dollar,
        ];
        let follows = match self.kind(self.at) {
            TokenKind::Newline => self.at + 1,
            _ => self.at,
        };
        let is_entry = self.kind(open) != TokenKind::OpenCurly
            || (open..self.at).rev().find_map(|at| match self.kind(at) {
                TokenKind::Rocket => Some(true),
                TokenKind::Comma | TokenKind::Newline => Some(false),
                _ => None,
            })?;
        let goes_on = starts.contains(&self.kind(follows))
            || self.kind(follows) == TokenKind::CapitalizedIdentifier
            || self.kind(self.at) == TokenKind::Newline
                && self.kind(follows) == TokenKind::CloseCurly;
        if !ends.contains(&last.kind) || !is_entry || !goes_on || !self.is_closed(open) {
            return None;
        }
        let text = self.text.get(..last.range.end as usize)?;
        let length = text.chars().next_back().map_or(1, char::len_utf8) as u32;
        Some(TextRange::new(last.range.end - length, last.range.end))
    }

    /// Whether a bracket is closed somewhere.
    fn is_closed(&self, open: usize) -> bool {
        let mut depth = 0_usize;
        (open..self.tokens.len()).any(|at| {
            match self.kind(at) {
                TokenKind::OpenCurly | TokenKind::OpenBrack | TokenKind::OpenParen => depth += 1,
                TokenKind::CloseCurly | TokenKind::CloseBrack | TokenKind::CloseParen => depth -= 1,
                _ => {}
            }
            depth == 0
        })
    }

    fn is_variable(&self) -> bool {
        self.before(1) == Some(TokenKind::Identifier) && self.before(2) == Some(TokenKind::Dollar)
    }

    /// Whether an item of a list precedes the end of a line.
    fn is_item_of_list(&self) -> bool {
        let ends = matches!(
            self.before(1),
            Some(
                TokenKind::String
                    | TokenKind::Integer
                    | TokenKind::Float
                    | TokenKind::Bool
                    | TokenKind::Identifier
            )
        );
        let Some(open) = self.innermost() else { return false };
        ends && self.kind(open) != TokenKind::OpenCurly && self.kind(open + 1) == TokenKind::Newline
    }

    /// A statement that begins with a word similar to a keyword, which is read as a resource.
    fn keyword(&self) -> Option<Hint> {
        let line = (0..self.at).rev().find(|at| self.kind(*at) == TokenKind::Newline);
        let first = line.map_or(0, |at| at + 1);
        if self.kind(first) != TokenKind::Identifier || first >= self.at {
            return None;
        }
        let word = self.word(first);
        if crate::resources::find(word).is_some() {
            return None;
        }
        let near = suggest::nearest(word, KEYWORDS)?;
        let range = self.tokens.get(first)?.range;
        let place = Some((range, "no statement begins with this word"));
        Some(Hint { place, help: Some(format!("did you mean `{near}`?")) })
    }

    /// The innermost bracket that is open here.
    fn innermost(&self) -> Option<usize> {
        let mut open = Vec::new();
        for at in 0..self.at {
            match self.kind(at) {
                TokenKind::OpenCurly | TokenKind::OpenBrack | TokenKind::OpenParen => open.push(at),
                TokenKind::CloseCurly | TokenKind::CloseBrack | TokenKind::CloseParen => {
                    _ = open.pop()
                }
                _ => {}
            }
        }
        open.pop()
    }

    fn open_bracket(&self) -> Hint {
        let open = self.innermost().filter(|at| !self.is_closed(*at));
        let open = open.and_then(|at| self.tokens.get(at));
        let place = open.map(|token| (token.range, "this is not closed"));
        Hint { place, help: None }
    }
}
