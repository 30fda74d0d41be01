//! `if`, `unless`, `case`.

use super::{P, Parser, Token, TokenKind};
use crate::ast::*;
use ordain_source::TextRange;

impl Parser<'_> {
    /// `if`, with any number of `elsif`, which become nested expressions.
    pub(super) fn if_expression(&mut self) -> P<ExprId> {
        let mut parts: Vec<(Token, ExprId, ExprId)> = Vec::new();
        let mut otherwise = loop {
            let keyword = self.bump();
            let test = self.head()?;
            let then = self.branch()?;
            parts.push((keyword, test, then));
            match self.kind() {
                TokenKind::Elsif => {}
                TokenKind::Else => {
                    self.bump();
                    break self.branch()?;
                }
                _ => {
                    let at = self.range_from(keyword).end;
                    break self.nop(at);
                }
            }
        };
        while let Some((keyword, test, then)) = parts.pop() {
            let range = self.range_from(keyword);
            otherwise = self.add(Expr::If(test, then, otherwise), range)?;
        }
        Ok(otherwise)
    }

    pub(super) fn unless_expression(&mut self) -> P<ExprId> {
        let keyword = self.bump();
        let test = self.head()?;
        let then = self.branch()?;
        let otherwise = if self.eat(TokenKind::Else) {
            self.branch()?
        } else {
            let at = self.range_from(keyword).end;
            self.nop(at)
        };
        let range = self.range_from(keyword);
        self.add(Expr::Unless(test, then, otherwise), range)
    }

    pub(super) fn case_expression(&mut self) -> P<ExprId> {
        let keyword = self.bump();
        let test = self.head()?;
        self.expect(TokenKind::LBrace)?;
        let options = self.nested(|p| {
            let mut options = vec![p.case_option()?];
            while !p.at(TokenKind::RBrace) {
                options.push(p.case_option()?);
            }
            Ok(options)
        })?;
        self.bump();
        let options = self.program.cases.extend(options);
        let range = self.range_from(keyword);
        self.add(Expr::Case(test, options), range)
    }

    /// `value, … : { statements }`
    fn case_option(&mut self) -> P<CaseOption> {
        let mark = self.stack.len();
        loop {
            let value = self.expression()?;
            self.stack.push(value);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        let values = self.list_since(mark);
        let colon = self.expect(TokenKind::Colon)?;
        let start = self.range(colon).start;
        let then = self.body_block(start)?;
        let range = TextRange::new(start, self.range_from(colon).end);
        Ok(CaseOption { values, then, range })
    }
}
