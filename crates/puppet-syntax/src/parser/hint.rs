//! The likely cause of a syntax error, found among the tokens before it.
//!
//! The message and the place of an error are those of the reference implementation, which says only
//! where it stopped. This module adds labels and help, but only for likely causes.

use ordain_source::Diagnostic;

use super::{Parser, Token, TokenKind};
use crate::advice::advise;

/// A bracket that is open at a token.
#[derive(Clone, Copy)]
struct OpenBracket {
    token: Token,
    /// Its index among the tokens.
    index: usize,
    /// The keyword of the statement whose body it opens.
    of: Option<TokenKind>,
}

/// The brackets around a token.
#[derive(Default)]
struct Brackets {
    open: Vec<OpenBracket>,
    /// The first brace whose closing one is further left than its line.
    suspect: Option<Token>,
}

/// An addition to an error.
enum Hint {
    /// A text at the place of the error.
    Label(&'static str),
    /// Advice.
    Help(String),
    /// A text at another token.
    Related(Token, &'static str),
    /// The error is shown from one token to another, with a text there.
    Move(Token, Token, &'static str),
}

impl Parser<'_> {
    /// Adds the likely cause to the error of an unexpected token.
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
                Hint::Move(from, to, text) => {
                    let range = self.range(from).cover(self.range(to));
                    error.move_to(range.in_file(self.file), text)
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
        let Some((open, last)) = self.last_long_text() else { return error };
        let text = "this text goes on over the end of its line: is a quote missing?";
        let mut quote = self.range(open);
        quote.end = quote.start + 1;
        let quote = quote.in_file(self.file);
        // A word directly after a closing quote: the quote was probably meant to open a text.
        let behind = self.text.get(last.end as usize..).and_then(|rest| rest.chars().next());
        let opens = |c: char| c.is_alphanumeric() || matches!(c, '/' | '$' | '_' | '.' | '%' | '-');
        if behind.is_some_and(opens) {
            let end = error.primary.as_ref().map(|label| (label.span, label.text.clone()));
            let error = error.move_to(quote, text);
            return match end {
                Some((span, text)) => error.related(span, text),
                None => error,
            };
        }
        error.related(quote, text)
    }

    /// The last text before the current token that goes over the end of a line: the token with its
    /// opening quote, and that with the closing one.
    fn last_long_text(&self) -> Option<(Token, Token)> {
        // Texts in double quotes with interpolations, which may hold further ones.
        let mut open: Vec<Token> = Vec::new();
        let mut found = None;
        for &token in &self.lexed.tokens[..self.pos] {
            let whole = match token.kind {
                TokenKind::Str => Some(token),
                TokenKind::DqPre => {
                    open.push(token);
                    None
                }
                TokenKind::DqPost => open.pop(),
                _ => None,
            };
            let Some(first) = whole else { continue };
            // A heredoc has no quotes.
            let text = self.text.get(first.start as usize..token.end as usize).unwrap_or("");
            if text.starts_with(['"', '\'']) && text.contains('\n') {
                found = Some((first, token));
            }
        }
        found
    }

    /// The brackets that are open at the current token.
    fn brackets(&self) -> Brackets {
        let mut out = Brackets::default();
        let mut of = None;
        for (index, &token) in self.lexed.tokens[..self.pos].iter().enumerate() {
            match token.kind {
                TokenKind::Case
                | TokenKind::If
                | TokenKind::Elsif
                | TokenKind::Else
                | TokenKind::Unless
                | TokenKind::Class
                | TokenKind::Define
                | TokenKind::Node
                | TokenKind::Function => of = Some(token.kind),
                TokenKind::LBrace | TokenKind::SelBrace => {
                    out.open.push(OpenBracket { token, index, of: of.take() });
                }
                TokenKind::LBrack
                | TokenKind::ListStart
                | TokenKind::LParen
                | TokenKind::WsLParen => {
                    out.open.push(OpenBracket { token, index, of: None });
                }
                TokenKind::RBrace | TokenKind::RBrack | TokenKind::RParen => {
                    if let Some(open) = out.open.pop()
                        && out.suspect.is_none()
                        && token.kind == TokenKind::RBrace
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
            if plan.kind == TokenKind::Name && self.slice(*plan) == "plan" && name.kind == TokenKind::Name
                && matches!(open.kind, TokenKind::LParen | TokenKind::WsLParen))
    }

    fn hint(&self, brackets: &Brackets, out: &mut Vec<Hint>) {
        let token = self.token();
        let Some(before) = self.pos.checked_sub(1).map(|i| self.lexed.tokens[i]) else {
            if matches!(token.kind, TokenKind::RBrace | TokenKind::RBrack | TokenKind::RParen) {
                out.push(Hint::Label("nothing is open that this closes"));
            }
            return;
        };
        let open = brackets.open.last().copied();
        if token.kind == TokenKind::Eof {
            return self.hint_at_end(brackets, before, out);
        }
        if token.kind == TokenKind::If && before.kind == TokenKind::Else {
            out.push(Hint::Label("`else if` is written `elsif`"));
            return;
        }
        if self.is_plan() {
            let text = "plans are programs for Bolt, which Ordain does not run";
            out.push(Hint::Help(text.into()));
            return;
        }
        if self.hint_of_colons(open, before, out) {
            return;
        }
        if let Some(text) = self.other_operator(before) {
            out.push(Hint::Label(text));
            return;
        }
        if let Some((arrow, text)) = self.wrong_arrow(open) {
            out.push(Hint::Move(arrow, arrow, text));
            return;
        }
        if self.hint_of_brackets(brackets, token, before, out) {
            return;
        }
        if let Some(text) = self.hint_of_blocks(token, before) {
            out.push(Hint::Label(text));
            return;
        }
        let found = self.hint_of_token(open, token, before);
        let escaped = matches!(found, Some(Hint::Related(..))) && self.ends_text(before, token);
        out.extend(found);
        if escaped {
            out.push(Hint::Help("inside of single quotes a quote is written `\\'`".into()));
        }
    }

    /// The likely meaning of the current token, from those before it.
    fn hint_of_token(
        &self,
        open: Option<OpenBracket>,
        token: Token,
        before: Token,
    ) -> Option<Hint> {
        let earlier = self.pos.checked_sub(2).map_or(TokenKind::Eof, |i| self.lexed.tokens[i].kind);
        let hint = self.hint_of_pair(open, token, before, earlier);
        hint.or_else(|| self.hint_of_value(open, token, before, earlier))
    }

    /// A wrong sign between a name and its value, two resources, or an option and its block.
    fn hint_of_pair(
        &self,
        open: Option<OpenBracket>,
        token: Token,
        before: Token,
        earlier: TokenKind,
    ) -> Option<Hint> {
        match token.kind {
            TokenKind::FArrow if before.kind == TokenKind::Variable => {
                Some(Hint::Label("a variable is set with `=`"))
            }
            TokenKind::Name if self.slice(token) == "enum" => Some(Hint::Help(
                "a type of texts is `Enum['a', 'b']`; `enum[a, b]` is one in a type's body".into(),
            )),
            TokenKind::FArrow if earlier == TokenKind::Semic && in_braces(open) => {
                Some(Hint::Related(
                    self.lexed.tokens[self.pos - 2],
                    "this ends the attributes: separate them with commas",
                ))
            }
            TokenKind::Equals if self.is_in_condition() => {
                Some(Hint::Label("this sets a variable; values are compared with `==`"))
            }
            _ if is_like_arrow(token.kind)
                && in_braces(open)
                && self.may_be_key(before, earlier) =>
            {
                Some(Hint::Label("attributes and keys get their values with `=>`"))
            }
            TokenKind::FArrow | TokenKind::PArrow
                if open.is_none_or(|o| o.of.is_some()) && ends_reference(before) =>
            {
                Some(Hint::Label("resources are ordered with `->`, or `~>` to notify"))
            }
            TokenKind::FArrow
                if open.is_some_and(|o| o.of == Some(TokenKind::Case)) && is_value(before.kind) =>
            {
                Some(Hint::Label("an option of `case` has a colon and a block: `'a': { … }`"))
            }
            TokenKind::Colon if in_braces(open) && is_value(before.kind) => {
                Some(Hint::Label("key and value are joined by `=>`"))
            }
            TokenKind::LBrace
                if open.is_some_and(|o| o.of == Some(TokenKind::Case)) && is_value(before.kind) =>
            {
                Some(Hint::Label("a colon is missing between the option and its block"))
            }
            _ => None,
        }
    }

    /// A value that is missing, or that is not one.
    fn hint_of_value(
        &self,
        open: Option<OpenBracket>,
        token: Token,
        before: Token,
        earlier: TokenKind,
    ) -> Option<Hint> {
        match token.kind {
            _ if self.ends_text(before, token) => {
                Some(Hint::Related(before, "the text ends here already"))
            }
            _ if is_value(before.kind) && self.names_a_value() => {
                self.missing_before(open, earlier)
            }
            TokenKind::RBrace
            | TokenKind::RParen
            | TokenKind::RBrack
            | TokenKind::Comma
            | TokenKind::Semic
                if wants_value(before.kind) =>
            {
                Some(Hint::Label("a value is missing before this"))
            }
            kind if kind.is_keyword() && wants_name(before.kind) => {
                Some(Hint::Label("this is a keyword; as text it needs quotes"))
            }
            _ if self.is_first(token) && wants_value(before.kind) => {
                Some(Hint::Related(before, "a value is missing after this"))
            }
            _ => None,
        }
    }

    /// A token in the wrong place of a block or a query.
    fn hint_of_blocks(&self, token: Token, before: Token) -> Option<&'static str> {
        Some(match token.kind {
            TokenKind::Equals if self.is_in_query() => "a collector compares with `==`",
            TokenKind::Pipe if before.kind == TokenKind::LBrace && self.pos >= 2 => {
                "the parameters of a block come before its brace: `|$x| { … }`"
            }
            TokenKind::Name | TokenKind::Word
                if before.kind == TokenKind::Pipe || self.is_parameter() =>
            {
                "the parameters of a block begin with `$`"
            }
            _ => return None,
        })
    }

    /// A single colon inside of a name: `foo:bar`. It is the token at hand or one right before it.
    fn hint_of_colons(
        &self,
        open: Option<OpenBracket>,
        before: Token,
        out: &mut Vec<Hint>,
    ) -> bool {
        let tokens = &self.lexed.tokens;
        let is_part = |t: Token| {
            let is_name = matches!(
                t.kind,
                TokenKind::Name | TokenKind::Word | TokenKind::ClassRef | TokenKind::Variable
            );
            is_name || t.kind.is_keyword()
        };
        let colon = match (self.kind(), before.kind) {
            (TokenKind::Colon, _) if is_part(before) && before.end == self.token().start => {
                self.pos
            }
            (_, TokenKind::Colon) => self.pos - 1,
            _ if self.pos >= 2 && tokens[self.pos - 2].kind == TokenKind::Colon => self.pos - 2,
            _ => return false,
        };
        let Some(first) = colon.checked_sub(1).map(|i| tokens[i]) else { return false };
        if in_braces(open) && self.begins_entry(colon - 1, open) {
            return false;
        }
        let (colon, Some(last)) = (tokens[colon], tokens.get(colon + 1)) else { return false };
        let is_joined = first.end == colon.start && colon.end == last.start;
        let is_name = matches!(last.kind, TokenKind::Name | TokenKind::Word | TokenKind::ClassRef);
        if !is_joined || !is_part(first) || !(is_name || last.kind.is_keyword()) {
            return false;
        }
        let name = format!("{}::{}", self.slice(first), self.slice(*last));
        out.push(Hint::Move(first, *last, "parts of a name are joined by two colons"));
        out.push(Hint::Help(format!("did you mean `{name}`?")));
        true
    }

    /// Whether the token of this index is where an attribute or the entry of a hash begins, and not the
    /// title of a resource.
    fn begins_entry(&self, index: usize, open: Option<OpenBracket>) -> bool {
        let tokens = &self.lexed.tokens;
        let Some(before) = index.checked_sub(1) else { return false };
        let of_resource = |open: OpenBracket| {
            let kind = open.index.checked_sub(1).map(|i| tokens[i].kind);
            matches!(kind, Some(TokenKind::Name | TokenKind::ClassRef | TokenKind::Class))
        };
        match tokens[before].kind {
            TokenKind::Comma | TokenKind::Colon => true,
            TokenKind::LBrace | TokenKind::SelBrace => !open.is_some_and(of_resource),
            _ => false,
        }
    }

    /// An operator of another language that ends at the current token or begins there.
    fn other_operator(&self, before: Token) -> Option<&'static str> {
        let token = self.token();
        let next = self.lexed.tokens.get(self.pos + 1).copied()?;
        let follows = before.end == token.start;
        Some(match (before.kind, token.kind) {
            (TokenKind::IsEqual, TokenKind::Equals) if follows => "values are compared with `==`",
            (TokenKind::NotEqual, TokenKind::Equals) if follows => "values are compared with `!=`",
            (TokenKind::Less, TokenKind::Greater) if follows => "values are compared with `!=`",
            (TokenKind::Pipe, TokenKind::Pipe) if follows => "this is written `or`",
            (_, TokenKind::Pipe) if next.kind == TokenKind::Pipe && is_value(before.kind) => {
                "this is written `or`"
            }
            (_, TokenKind::Other) if self.slice(token) == "&" => "this is written `and`",
            (TokenKind::QMark, kind)
                if kind != TokenKind::LBrace && kind != TokenKind::SelBrace =>
            {
                "a choice is written `$x ? { 'a' => 1, default => 2 }`"
            }
            (TokenKind::Plus, TokenKind::Plus | TokenKind::Equals)
            | (TokenKind::Minus, TokenKind::Minus | TokenKind::Equals)
                if follows =>
            {
                "a variable is set once; give the new value another name"
            }
            _ => return None,
        })
    }

    /// The token in place of `=>` in the entry of a hash that ends at the current token.
    fn wrong_arrow(&self, open: Option<OpenBracket>) -> Option<(Token, &'static str)> {
        let open = open.filter(|_| in_braces(open))?;
        if !matches!(self.kind(), TokenKind::RBrace | TokenKind::Comma) {
            return None;
        }
        let mut depth = 0;
        let tokens = &self.lexed.tokens;
        for i in (open.index + 2..self.pos).rev() {
            let token = tokens[i];
            match token.kind {
                TokenKind::RBrace | TokenKind::RBrack | TokenKind::RParen => depth += 1,
                TokenKind::LBrace
                | TokenKind::SelBrace
                | TokenKind::LBrack
                | TokenKind::ListStart
                | TokenKind::LParen
                | TokenKind::WsLParen => {
                    depth -= 1;
                }
                TokenKind::FArrow | TokenKind::PArrow | TokenKind::Comma if depth == 0 => {
                    return None;
                }
                kind if depth == 0
                    && is_like_arrow(kind)
                    && self.may_be_key(tokens[i - 1], tokens[i - 2].kind) =>
                {
                    return Some((token, "key and value are joined by `=>`"));
                }
                _ => {}
            }
        }
        None
    }

    /// Whether the current token is in the query of a collector.
    fn is_in_query(&self) -> bool {
        let tokens = self.lexed.tokens[..self.pos].iter().rev();
        let mut bounds = tokens.filter(|t| {
            use TokenKind::*;
            matches!(t.kind, LCollect | LlCollect | RCollect | RrCollect | LBrace | RBrace)
        });
        bounds.next().is_some_and(|t| matches!(t.kind, TokenKind::LCollect | TokenKind::LlCollect))
    }

    /// Whether the current token is among the parameters of a block.
    fn is_parameter(&self) -> bool {
        let tokens = self.lexed.tokens[..self.pos].iter().rev();
        let mut before =
            tokens.skip_while(|t| matches!(t.kind, TokenKind::Comma | TokenKind::Variable));
        self.lexed.tokens[self.pos - 1].kind == TokenKind::Comma
            && before.next().is_some_and(|t| t.kind == TokenKind::Pipe)
    }

    /// Whether the current token is in the condition of an `if`, `elsif` or `unless`.
    fn is_in_condition(&self) -> bool {
        let mut depth = 0;
        for token in self.lexed.tokens[..self.pos].iter().rev() {
            match token.kind {
                TokenKind::If | TokenKind::Elsif | TokenKind::Unless => return true,
                TokenKind::RParen | TokenKind::RBrack => depth += 1,
                TokenKind::LParen
                | TokenKind::WsLParen
                | TokenKind::LBrack
                | TokenKind::ListStart => depth -= 1,
                TokenKind::LBrace | TokenKind::RBrace | TokenKind::SelBrace if depth == 0 => {
                    return false;
                }
                _ => {}
            }
        }
        false
    }

    /// Whether the token before may be the key of an entry or the name of an attribute, which comes
    /// first.
    fn may_be_key(&self, before: Token, earlier: TokenKind) -> bool {
        let is_name = matches!(
            before.kind,
            TokenKind::Name | TokenKind::Word | TokenKind::Str | TokenKind::Number
        ) || before.kind.is_attribute_keyword();
        is_name
            && matches!(
                earlier,
                TokenKind::LBrace
                    | TokenKind::SelBrace
                    | TokenKind::Comma
                    | TokenKind::Colon
                    | TokenKind::Semic
            )
    }

    /// The missing token when a second value follows a first.
    fn missing_before(&self, open: Option<OpenBracket>, earlier: TokenKind) -> Option<Hint> {
        let open = open?;
        let arrow = matches!(self.next_kind(), TokenKind::FArrow | TokenKind::PArrow);
        Some(match open.token.kind {
            TokenKind::LBrace
                if arrow && matches!(earlier, TokenKind::LBrace | TokenKind::Semic) =>
            {
                Hint::Label("a colon is missing after the title, before this")
            }
            TokenKind::LBrace if arrow => Hint::Label("a comma is missing before this"),
            TokenKind::SelBrace
            | TokenKind::LBrack
            | TokenKind::ListStart
            | TokenKind::LParen
            | TokenKind::WsLParen => Hint::Label("a comma is missing before this"),
            _ => return None,
        })
    }

    /// Whether the current token may be an attribute's name, a key, or an element.
    fn names_a_value(&self) -> bool {
        is_value(self.kind()) || self.kind().is_attribute_keyword()
    }

    /// Whether a text in single quotes ended inside of a word.
    fn ends_text(&self, before: Token, token: Token) -> bool {
        before.kind == TokenKind::Str
            && before.end == token.start
            && matches!(token.kind, TokenKind::Name | TokenKind::ClassRef | TokenKind::Word)
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
            let closes =
                matches!(token.kind, TokenKind::RBrace | TokenKind::RBrack | TokenKind::RParen);
            if closes && !wants_value(before.kind) {
                out.push(Hint::Label("nothing is open that this closes"));
                self.suspect(brackets, None, out);
            }
            return closes && !wants_value(before.kind);
        };
        let mismatch = match (open.token.kind, token.kind) {
            (TokenKind::LParen | TokenKind::WsLParen, TokenKind::RBrace | TokenKind::RBrack) => {
                true
            }
            (TokenKind::LBrack | TokenKind::ListStart, TokenKind::RBrace | TokenKind::RParen) => {
                true
            }
            (TokenKind::LBrace | TokenKind::SelBrace, TokenKind::RParen | TokenKind::RBrack) => {
                true
            }
            (_, TokenKind::DqPost | TokenKind::DqMid) => true,
            (TokenKind::LBrace | TokenKind::SelBrace, _) => false,
            (_, TokenKind::LBrace) => is_value(before.kind),
            _ => self.is_first(token) && self.begins_new(token) && !wants_value(before.kind),
        };
        if mismatch && !wants_value(before.kind) {
            out.push(Hint::Label("a bracket must be closed before this"));
            out.push(Hint::Related(open.token, "this is not closed"));
            return true;
        }
        // A condition whose keyword is not one: `elseif`.
        let words = &self.lexed.tokens[..open.index];
        let start =
            words.iter().rposition(|t| matches!(t.kind, TokenKind::RBrace | TokenKind::LBrace));
        if let Some(start) = start
            && let Some(word) = words.get(start + 1)
            && word.kind == TokenKind::Name
            && is_else_if(self.slice(*word))
        {
            out.push(Hint::Related(*word, "the keyword is `elsif`"));
            return true;
        }
        false
    }

    /// Whether a token more likely begins a new statement than continues one.
    fn begins_new(&self, token: Token) -> bool {
        match token.kind {
            TokenKind::Variable => matches!(self.next_kind(), TokenKind::Equals),
            TokenKind::Name => matches!(self.next_kind(), TokenKind::LBrace | TokenKind::LParen),
            kind => matches!(
                kind,
                TokenKind::Class
                    | TokenKind::Define
                    | TokenKind::Node
                    | TokenKind::Function
                    | TokenKind::If
                    | TokenKind::Unless
                    | TokenKind::Case
            ),
        }
    }

    fn hint_at_end(&self, brackets: &Brackets, before: Token, out: &mut Vec<Hint>) {
        match brackets.open.last() {
            Some(open) => {
                out.push(Hint::Move(open.token, open.token, "this is not closed"));
                self.suspect(brackets, Some(open.token), out);
            }
            None if before.kind == TokenKind::Semic => {
                out.push(Hint::Related(before, "a statement is expected after this"));
                out.push(Hint::Help("statements need no semicolon at their end".into()));
            }
            None if wants_value(before.kind) => {
                out.push(Hint::Related(before, "a value is missing after this"));
            }
            None => {}
        }
    }

    /// Points at the brace that is probably unclosed, by the indentation.
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

    /// The indentation of the line of a token.
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

fn in_braces(open: Option<OpenBracket>) -> bool {
    open.is_some_and(|o| {
        matches!(o.token.kind, TokenKind::LBrace | TokenKind::SelBrace)
            && (o.of.is_none() || o.token.kind == TokenKind::SelBrace)
    })
}

/// Whether a token is written by mistake in place of `=>`.
fn is_like_arrow(kind: TokenKind) -> bool {
    use TokenKind::*;
    matches!(
        kind,
        Equals | InEdge | InEdgeSub | IsEqual | Greater | GreaterEqual | LessEqual | Minus
    )
}

/// Whether a reference to resources or a collector may end with this token.
fn ends_reference(token: Token) -> bool {
    matches!(
        token.kind,
        TokenKind::RBrack | TokenKind::RBrace | TokenKind::RCollect | TokenKind::RrCollect
    )
}

/// Whether a value may end with this token.
fn is_value(kind: TokenKind) -> bool {
    use TokenKind::*;
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

/// Whether a value must follow this token.
fn wants_value(kind: TokenKind) -> bool {
    use TokenKind::*;
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

/// Whether a value is likely to follow this token.
fn wants_name(kind: TokenKind) -> bool {
    wants_value(kind)
        || matches!(
            kind,
            TokenKind::Comma | TokenKind::LParen | TokenKind::ListStart | TokenKind::LBrack
        )
}
