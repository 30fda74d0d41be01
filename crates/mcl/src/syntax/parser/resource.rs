//! Resources and edges.

use super::super::ast::{EdgeHalf, Entry, EntryKind, ExprId, Name, ResourceNode, StmtKind};
use super::super::error::{SyntaxError, SyntaxKind};
use super::super::token::TokenKind;
use super::{Brace, Parsed, Parser};

impl Parser<'_> {
    /// `colonname expr "{" { NL | entry } "}"`
    pub(super) fn resource(&mut self, collect: bool) -> Parsed<StmtKind> {
        let kind = self.colon_name()?;
        self.layout.spaced.push(self.pos as u32);
        let name = self.expr()?;
        self.open_curly_or(Brace::Resource, &[])?;
        let mut entries = Vec::new();
        loop {
            match self.peek() {
                TokenKind::Newline => {
                    self.bump();
                }
                TokenKind::CloseCurly => {
                    self.bump();
                    break;
                }
                TokenKind::Identifier => entries.push(self.field()?),
                TokenKind::CapitalizedIdentifier => entries.push(self.capital_entry()?),
                _ => {
                    let words = [
                        TokenKind::Newline,
                        TokenKind::CloseCurly,
                        TokenKind::Identifier,
                        TokenKind::CapitalizedIdentifier,
                    ];
                    return Err(self.unexpected(&words));
                }
            }
        }
        Ok(StmtKind::Resource(Box::new(ResourceNode { collect, kind, name, entries })))
    }

    /// `IDENTIFIER "=>" [ expr "?:" ] expr ","`
    fn field(&mut self) -> Parsed<Entry> {
        let start = self.bump().range;
        let name = self.slice(start);
        self.expect(TokenKind::Rocket)?;
        let first = self.expr()?;
        let (condition, value) = if self.eat(TokenKind::Elvis) {
            (Some(first), self.expr()?)
        } else {
            if matches!(self.peek(), TokenKind::Newline | TokenKind::CloseCurly) {
                let text = "syntax error: expecting trailing comma";
                let range = self.first_column(self.tree.exprs[first].range);
                return Err(SyntaxError::new(SyntaxKind::TrailingComma, text, range));
            }
            (None, first)
        };
        self.expect_or(TokenKind::Comma, &[])?;
        Ok(Entry { kind: EntryKind::Field(name, value), condition, range: self.since(start) })
    }

    /// An entry that begins with a capital: an edge or a meta parameter.
    fn capital_entry(&mut self) -> Parsed<Entry> {
        let start = self.bump().range;
        let name: Name = self.slice(start).to_lowercase();
        let (condition, kind) = if self.eat(TokenKind::Colon) {
            let property = self.expect(TokenKind::Identifier)?.range;
            let property = self.slice(property);
            self.expect(TokenKind::Rocket)?;
            let (condition, value) = self.conditional()?;
            self.meta_name(&name);
            (condition, EntryKind::Meta(property, value))
        } else {
            self.expect_or(TokenKind::Rocket, &[TokenKind::Colon, TokenKind::Rocket])?;
            self.edge_or_struct(name)?
        };
        let is_edge = matches!(kind, EntryKind::Edge(..));
        self.expect_or(TokenKind::Comma, if is_edge { &[TokenKind::Comma] } else { &[] })?;
        Ok(Entry { kind, condition, range: self.since(start) })
    }

    /// `[ expr "?:" ] expr`
    fn conditional(&mut self) -> Parsed<(Option<ExprId>, ExprId)> {
        let first = self.expr()?;
        if self.eat(TokenKind::Elvis) { Ok((Some(first), self.expr()?)) } else { Ok((None, first)) }
    }

    fn edge_or_struct(&mut self, name: Name) -> Parsed<(Option<ExprId>, EntryKind)> {
        if self.peek() == TokenKind::CapitalizedIdentifier {
            return Ok((None, EntryKind::Edge(name, self.half()?)));
        }
        let first = self.expr()?;
        if !self.eat(TokenKind::Elvis) {
            self.meta_name(&name);
            return Ok((None, EntryKind::MetaStruct(first)));
        }
        if self.peek() == TokenKind::CapitalizedIdentifier {
            return Ok((Some(first), EntryKind::Edge(name, self.half()?)));
        }
        let value = self.expr()?;
        self.meta_name(&name);
        Ok((Some(first), EntryKind::MetaStruct(value)))
    }

    fn meta_name(&mut self, name: &str) {
        if name != "meta" {
            let text = format!("can't use unknown resource field: {name}");
            self.refuse(SyntaxKind::Parser, text, self.range());
        }
    }

    /// `capname "[" expr "]"`
    fn half(&mut self) -> Parsed<EdgeHalf> {
        let start = self.range();
        let first = self.expect(TokenKind::CapitalizedIdentifier)?.range;
        let mut kind = self.slice(first).to_lowercase();
        while self.eat(TokenKind::Colon) {
            let part = self.expect(TokenKind::CapitalizedIdentifier)?.range;
            kind.push(':');
            kind.push_str(&self.slice(part).to_lowercase());
        }
        self.expect_or(TokenKind::OpenBrack, &[TokenKind::OpenBrack, TokenKind::Colon])?;
        let name = self.expr()?;
        self.expect_or(TokenKind::CloseBrack, &[])?;
        Ok(EdgeHalf { kind, name, field: None, range: self.since(start) })
    }

    /// `half { "->" half } | srhalf "->" srhalf`
    pub(super) fn edge(&mut self) -> Parsed<StmtKind> {
        let mut first = self.half()?;
        if self.eat(TokenKind::Dot) {
            self.half_field(&mut first)?;
            self.expect(TokenKind::Arrow)?;
            let mut second = self.half()?;
            self.expect(TokenKind::Dot)?;
            self.half_field(&mut second)?;
            return Ok(StmtKind::Edge(vec![first, second]));
        }
        let mut halves = vec![first];
        while self.eat(TokenKind::Arrow) {
            halves.push(self.half()?);
        }
        Ok(StmtKind::Edge(halves))
    }

    fn half_field(&mut self, half: &mut EdgeHalf) -> Parsed<()> {
        let name = self.expect(TokenKind::Identifier)?.range;
        half.range = half.range.cover(name);
        half.field = Some(self.slice(name));
        Ok(())
    }
}
