//! Literals: numbers, lists, hashes, strings with interpolation, heredocs.

use super::expression::EntryKind;
use super::{P, Parser, Token, TokenKind};
use crate::ast::*;
use ordain_source::TextRange;

impl Parser<'_> {
    pub(super) fn number_literal(&mut self) -> P<ExprId> {
        let token = self.bump();
        let range = self.range(token);
        let text = self.slice(token);
        match number(text) {
            Some(expr) => Ok(self.leaf(expr, range)),
            None => {
                let message =
                    format!("Internal Error, NUMBER token does not contain a valid number, {text}");
                Err(self.refuse("puppet::float-out-of-range", message, range))
            }
        }
    }

    /// `[ … ]`
    pub(super) fn array(&mut self) -> P<ExprId> {
        let open = self.bump();
        let mark = self.stack.len();
        if !self.at(TokenKind::RBrack) {
            self.entries(TokenKind::RBrack, EntryKind::Element, true)?;
        }
        self.expect(TokenKind::RBrack)?;
        let list = self.list_since(mark);
        let range = self.range_from(open);
        self.add(Expr::List(list), range)
    }

    /// `{ key => value, … }`
    pub(super) fn hash(&mut self) -> P<ExprId> {
        let open = self.bump();
        let mark = self.stack.len();
        self.hash_pairs()?;
        self.expect(TokenKind::RBrace)?;
        let list = self.list_since(mark);
        let range = self.range_from(open);
        self.add(Expr::Hash(list), range)
    }

    /// The entries of a hash; leaves keys and values on the stack.
    fn hash_pairs(&mut self) -> P<()> {
        if self.at(TokenKind::RBrace) {
            return Ok(());
        }
        loop {
            let key = match self.entry_keyword() {
                Some(id) => id,
                None => self.assignment()?,
            };
            let value = self.pair_value()?;
            self.stack.extend([key, value]);
            if !self.eat(TokenKind::Comma) || self.at(TokenKind::RBrace) {
                return Ok(());
            }
        }
    }

    /// Text with interpolation.
    pub(super) fn dq_string(&mut self) -> P<ExprId> {
        let start = self.bump();
        let place = self.range(start).start;
        let mark = self.stack.len();
        self.segment(start);
        self.nested(|p| {
            loop {
                let value = p.assignment()?;
                let text = p.add(Expr::Text(value), TextRange::new(place, place))?;
                p.stack.push(text);
                let token = p.token();
                if !matches!(token.kind, TokenKind::DqMid | TokenKind::DqPost) {
                    return Err(p.unexpected());
                }
                p.bump();
                p.segment(token);
                if token.kind == TokenKind::DqPost {
                    return Ok(());
                }
            }
        })?;
        let list = self.list_since(mark);
        let range = self.range_from(start);
        self.add(Expr::Concat(list), range)
    }

    /// Puts the text of a part on the stack, unless it is empty.
    fn segment(&mut self, token: Token) {
        let text = self.string(token);
        if !text.is_empty() {
            let range = self.range(token);
            let id = self.leaf(Expr::Str(text), range);
            self.stack.push(id);
        }
    }

    pub(super) fn heredoc(&mut self) -> P<ExprId> {
        let tag = self.bump();
        let syntax = self.string(tag);
        self.expect(TokenKind::Sublocate)?;
        let token = self.token();
        let text = if token.kind == TokenKind::DqPre {
            self.dq_string()?
        } else {
            self.expect(TokenKind::Str)?;
            let text = self.string(token);
            let range = self.range(token);
            self.leaf(Expr::Str(text), range)
        };
        let range = self.range(tag);
        self.add(Expr::Heredoc { syntax, text }, range)
    }
}

/// The value of a number's text; `None` for floats out of range.
fn number(text: &str) -> Option<Expr> {
    let (digits, radix) = match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => (&text[2..], 16),
        _ if text.contains(['.', 'e', 'E']) => {
            let mantissa = text.split(['e', 'E']).next().unwrap_or("");
            let is_zero = mantissa.bytes().all(|b| matches!(b, b'0' | b'.'));
            let value: f64 = text.parse().ok()?;
            let bad = value.is_infinite() || is_zero && mantissa.len() < text.len();
            return (!bad).then_some(Expr::Float(value));
        }
        [b'0', _, ..] => (&text[1..], 8),
        _ => (text, 10),
    };
    Some(match i64::from_str_radix(digits, radix) {
        Ok(value) => Expr::Int { value, radix: radix as u8 },
        Err(_) => Expr::Int { value: i64::MAX, radix: 0 },
    })
}
