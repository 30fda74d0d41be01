//! What a syntax error may come from: looked up among the tokens before it.
//!
//! The message and the place of an error are those of the reference implementation, which says only
//! where it stopped. What is added here are labels and help; a guess that is not likely is not made.

use ordain_source::Diagnostic;

use super::{Parser, T, Token};
use crate::codes::advice::advise;

/// A bracket that is open at a token.
#[derive(Clone, Copy)]
struct Open {
    token: Token,
    /// Its index among the tokens.
    index: usize,
    /// The keyword of the statement whose body it opens.
    of: Option<T>,
}

/// The brackets around a token.
#[derive(Default)]
struct Brackets {
    open: Vec<Open>,
    /// The first brace whose closing one stands further left than the line it is on.
    suspect: Option<Token>,
}

/// What is added to an error.
enum Hint {
    /// A text at the place of the error.
    Label(&'static str),
    /// What to do.
    Help(&'static str),
    /// A text at another token.
    Related(Token, &'static str),
}

impl Parser<'_> {
    /// The error that the current token cannot stand here, with what may be the reason.
    pub(super) fn with_hints(&self, mut error: Diagnostic) -> Diagnostic {
        let brackets = self.brackets();
        let mut hints = Vec::new();
        self.hint(&brackets, &mut hints);
        for hint in hints {
            error = match hint {
                Hint::Label(text) => {
                    if let Some(label) = &mut error.primary {
                        label.text = text.to_owned();
                    }
                    error
                }
                Hint::Help(text) => error.help(text),
                Hint::Related(token, text) => {
                    error.related(self.range(token).in_file(self.file), text)
                }
            };
        }
        error
    }

    /// The error of a text or comment without an end, with the text before it that may be the one.
    pub(super) fn with_open_text(&self, error: Diagnostic) -> Diagnostic {
        if error.issue.as_deref() != Some("UNCLOSED_QUOTE") {
            return advise(error, Some(self.text));
        }
        let texts = self.lexed.tokens[..self.pos].iter().rev();
        let mut texts = texts.filter(|t| matches!(t.kind, T::Str | T::DqPre | T::DqPost));
        match texts.find(|t| self.slice(**t).contains('\n')) {
            Some(text) => {
                let span = self.range(*text).in_file(self.file);
                error.related(
                    span,
                    "this text goes on over the end of its line: is a quote missing?",
                )
            }
            None => error.help("a quote is opened here, and nothing closes it"),
        }
    }

    /// The brackets that are open at the current token.
    fn brackets(&self) -> Brackets {
        let mut out = Brackets::default();
        let mut of = None;
        for (index, &token) in self.lexed.tokens[..self.pos].iter().enumerate() {
            match token.kind {
                T::Case
                | T::If
                | T::Elsif
                | T::Else
                | T::Unless
                | T::Class
                | T::Define
                | T::Node
                | T::Function => of = Some(token.kind),
                T::LBrace | T::SelBrace => {
                    out.open.push(Open { token, index, of: of.take() });
                }
                T::LBrack | T::ListStart | T::LParen | T::WsLParen => {
                    out.open.push(Open { token, index, of: None });
                }
                T::RBrace | T::RBrack | T::RParen => {
                    if let Some(open) = out.open.pop()
                        && out.suspect.is_none()
                        && token.kind == T::RBrace
                        && self.is_first(token)
                        && self.indent(token) < self.indent(open.token)
                    {
                        out.suspect = Some(open.token);
                    }
                }
                _ => {}
            }
        }
        out
    }

    /// Whether the text begins with `plan NAME(`.
    fn is_plan(&self) -> bool {
        let tokens = &self.lexed.tokens[..self.pos];
        matches!(tokens, [plan, name, open, ..]
            if plan.kind == T::Name && self.slice(*plan) == "plan" && name.kind == T::Name
                && matches!(open.kind, T::LParen | T::WsLParen))
    }

    fn hint(&self, brackets: &Brackets, out: &mut Vec<Hint>) {
        let token = self.token();
        let Some(before) = self.pos.checked_sub(1).map(|i| self.lexed.tokens[i]) else {
            if matches!(token.kind, T::RBrace | T::RBrack | T::RParen) {
                out.push(Hint::Label("nothing is open that this closes"));
            }
            return;
        };
        let open = brackets.open.last().copied();
        let earlier = self.pos.checked_sub(2).map_or(T::Eof, |i| self.lexed.tokens[i].kind);
        if token.kind == T::Eof {
            return self.hint_at_end(brackets, before, out);
        }
        if token.kind == T::If && before.kind == T::Else {
            out.push(Hint::Label("`else if` is written `elsif`"));
            return;
        }
        if self.is_plan() {
            out.push(Hint::Help("plans are programs for Bolt, which Ordain does not run"));
            return;
        }
        if self.hint_of_brackets(brackets, token, before, out) {
            return;
        }
        let found = match token.kind {
            T::FArrow if before.kind == T::Variable => {
                Some(Hint::Label("a variable is set with `=`"))
            }
            T::Equals if in_braces(open) && matches!(before.kind, T::Name | T::Str) => {
                Some(Hint::Label("attributes and keys get their values with `=>`"))
            }
            T::Colon if in_braces(open) && is_value(before.kind) => {
                Some(Hint::Label("key and value are joined by `=>`"))
            }
            T::LBrace if open.is_some_and(|o| o.of == Some(T::Case)) && is_value(before.kind) => {
                Some(Hint::Label("a colon is missing between the option and its block"))
            }
            _ if self.ends_text(before, token) => {
                Some(Hint::Related(before, "the text ends here already"))
            }
            _ if is_value(before.kind) && self.names_a_value() => {
                self.missing_before(open, earlier)
            }
            T::RBrace | T::RParen | T::RBrack | T::Comma | T::Semic if wants_value(before.kind) => {
                Some(Hint::Label("a value is missing before this"))
            }
            kind if kind.is_keyword() && wants_name(before.kind) => {
                Some(Hint::Label("this is a keyword; as text it needs quotes"))
            }
            _ if self.is_first(token) && wants_value(before.kind) => {
                Some(Hint::Related(before, "a value is missing behind this"))
            }
            _ => None,
        };
        let escaped = matches!(found, Some(Hint::Related(..))) && self.ends_text(before, token);
        out.extend(found);
        if escaped {
            out.push(Hint::Help("inside of single quotes a quote is written `\\'`"));
        }
    }

    /// What is missing when a second value follows a first.
    fn missing_before(&self, open: Option<Open>, earlier: T) -> Option<Hint> {
        let open = open?;
        let arrow = matches!(self.next_kind(), T::FArrow | T::PArrow);
        Some(match open.token.kind {
            T::LBrace if arrow && matches!(earlier, T::LBrace | T::Semic) => {
                Hint::Label("a colon is missing behind the title, before this")
            }
            T::LBrace if arrow => Hint::Label("a comma is missing before this"),
            T::SelBrace | T::LBrack | T::ListStart | T::LParen | T::WsLParen => {
                Hint::Label("a comma is missing before this")
            }
            _ => return None,
        })
    }

    /// Whether the current token may be an attribute's name, a key, or an element.
    fn names_a_value(&self) -> bool {
        is_value(self.kind()) || self.kind().is_attribute_keyword()
    }

    /// Whether a text in single quotes ended where a word goes on.
    fn ends_text(&self, before: Token, token: Token) -> bool {
        before.kind == T::Str
            && before.end == token.start
            && matches!(token.kind, T::Name | T::ClassRef | T::Word)
            && self.slice(before).starts_with('\'')
    }

    /// Says which bracket waits for its end; whether there is one.
    fn hint_of_brackets(
        &self,
        brackets: &Brackets,
        token: Token,
        before: Token,
        out: &mut Vec<Hint>,
    ) -> bool {
        let Some(open) = brackets.open.last() else {
            let closes = matches!(token.kind, T::RBrace | T::RBrack | T::RParen);
            if closes && !wants_value(before.kind) {
                out.push(Hint::Label("nothing is open that this closes"));
                self.suspect(brackets, None, out);
            }
            return closes && !wants_value(before.kind);
        };
        let mismatch = match (open.token.kind, token.kind) {
            (T::LParen | T::WsLParen, T::RBrace | T::RBrack) => true,
            (T::LBrack | T::ListStart, T::RBrace | T::RParen) => true,
            (T::LBrace | T::SelBrace, T::RParen | T::RBrack) => true,
            (_, T::DqPost | T::DqMid) => true,
            (T::LBrace | T::SelBrace, _) => false,
            (_, T::LBrace) => is_value(before.kind),
            _ => self.is_first(token) && self.begins_new(token) && !wants_value(before.kind),
        };
        if mismatch && !wants_value(before.kind) {
            out.push(Hint::Related(open.token, "this is not closed"));
            return true;
        }
        // A condition whose keyword is not one: `elseif`.
        let words = &self.lexed.tokens[..open.index];
        let start = words.iter().rposition(|t| matches!(t.kind, T::RBrace | T::LBrace));
        if let Some(start) = start
            && let Some(word) = words.get(start + 1)
            && word.kind == T::Name
            && is_else_if(self.slice(*word))
        {
            out.push(Hint::Related(*word, "`elsif` is what this is called"));
            return true;
        }
        false
    }

    /// Whether a token is the first of a new statement more likely than one that goes on.
    fn begins_new(&self, token: Token) -> bool {
        match token.kind {
            T::Variable => matches!(self.next_kind(), T::Equals),
            T::Name => matches!(self.next_kind(), T::LBrace | T::LParen),
            kind => matches!(
                kind,
                T::Class | T::Define | T::Node | T::Function | T::If | T::Unless | T::Case
            ),
        }
    }

    fn hint_at_end(&self, brackets: &Brackets, before: Token, out: &mut Vec<Hint>) {
        match brackets.open.last() {
            Some(open) => {
                out.push(Hint::Related(open.token, "this is not closed"));
                self.suspect(brackets, Some(open.token), out);
            }
            None if before.kind == T::Semic => {
                out.push(Hint::Related(before, "a statement is expected behind this"));
                out.push(Hint::Help("statements need no semicolon at their end"));
            }
            None if wants_value(before.kind) => {
                out.push(Hint::Related(before, "a value is missing behind this"));
            }
            None => {}
        }
    }

    /// Points at the brace that is likely the one, as the indentation has it.
    fn suspect(&self, brackets: &Brackets, open: Option<Token>, out: &mut Vec<Hint>) {
        if let Some(suspect) = brackets.suspect
            && open.is_none_or(|open| open.start != suspect.start)
        {
            out.push(Hint::Related(suspect, "by the indentation, it may be this one"));
        }
    }

    /// Whether a token is the first on its line.
    fn is_first(&self, token: Token) -> bool {
        let Some(text) = self.text.get(..token.start as usize) else { return false };
        let line = text.rsplit('\n').next().unwrap_or(text);
        line.bytes().all(|b| b == b' ' || b == b'\t')
    }

    /// How many blanks the line of a token begins with.
    fn indent(&self, token: Token) -> usize {
        let Some(text) = self.text.get(..token.start as usize) else { return 0 };
        let line = text.rsplit('\n').next().unwrap_or(text);
        line.bytes().take_while(|&b| b == b' ' || b == b'\t').count()
    }
}

/// Words of other languages for `elsif`.
pub(super) fn is_else_if(word: &str) -> bool {
    matches!(word, "elseif" | "elif" | "elsif" | "elsf")
}

fn in_braces(open: Option<Open>) -> bool {
    open.is_some_and(|o| {
        matches!(o.token.kind, T::LBrace | T::SelBrace)
            && (o.of.is_none() || o.token.kind == T::SelBrace)
    })
}

/// Whether a value may end with such a token.
fn is_value(kind: T) -> bool {
    use T::*;
    matches!(
        kind,
        Name | Word
            | ClassRef
            | Variable
            | Number
            | Regex
            | Str
            | DqPost
            | RBrack
            | RParen
            | RBrace
            | True
            | False
            | Undef
            | Default
    )
}

/// Whether a value has to follow such a token.
fn wants_value(kind: T) -> bool {
    use T::*;
    matches!(
        kind,
        Equals
            | Appends
            | Deletes
            | FArrow
            | PArrow
            | Plus
            | Minus
            | Div
            | Times
            | Modulo
            | IsEqual
            | NotEqual
            | Match
            | NoMatch
            | Greater
            | GreaterEqual
            | Less
            | LessEqual
            | And
            | Or
            | In
            | Not
    )
}

/// Whether a value is likely to follow such a token.
fn wants_name(kind: T) -> bool {
    wants_value(kind) || matches!(kind, T::Comma | T::LParen | T::ListStart | T::LBrack)
}
