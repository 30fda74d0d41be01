//! Types.

use rustc_hash::FxHashSet;

use super::super::ast::{Name, TypeNode, WideningKind};
use super::super::error::SyntaxKind;
use super::super::token::TokenKind;
use super::{Brace, ListTokens, Parsed, Parser};
use crate::Edition;

/// Whether a token can be part of a type.
pub(super) fn is_type_token(kind: TokenKind) -> bool {
    let others = [
        TokenKind::CloseBrack,
        TokenKind::Identifier,
        TokenKind::Semicolon,
        TokenKind::Comma,
        TokenKind::Colon,
        TokenKind::Dollar,
        TokenKind::OpenParen,
        TokenKind::CloseParen,
    ];
    kind.starts_type() || others.contains(&kind)
}

impl TypeNode {
    /// The word for its kind in messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Str => "str",
            Self::Int => "int",
            Self::Float => "float",
            Self::Variant => "variant",
            Self::List(_) => "list",
            Self::Map(..) => "map",
            Self::Struct(_) => "struct",
            Self::Func(..) => "func",
        }
    }
}

impl Parser<'_> {
    pub(super) fn type_node(&mut self) -> Parsed<TypeNode> {
        self.nested(Self::type_inner)
    }

    fn type_inner(&mut self) -> Parsed<TypeNode> {
        if self.is_bare_map_type() {
            self.widen(WideningKind::BareMapType, self.range());
            return self.map_type();
        }
        if !self.peek().starts_type() {
            return Err(self.unexpected(&[]));
        }
        Ok(match self.bump().kind {
            TokenKind::BoolIdentifier => TypeNode::Bool,
            TokenKind::StrIdentifier => TypeNode::Str,
            TokenKind::IntIdentifier => TypeNode::Int,
            TokenKind::FloatIdentifier => TypeNode::Float,
            TokenKind::OpenBrack => {
                self.expect(TokenKind::CloseBrack)?;
                TypeNode::List(Box::new(self.type_node()?))
            }
            TokenKind::MapIdentifier => self.map_type()?,
            TokenKind::StructIdentifier => self.struct_type()?,
            TokenKind::FuncIdentifier => self.func_type()?,
            _ => TypeNode::Variant,
        })
    }

    fn map_type(&mut self) -> Parsed<TypeNode> {
        self.open_curly(Brace::Literal)?;
        let key = self.type_node()?;
        self.expect(TokenKind::Colon)?;
        let value = self.type_node()?;
        self.expect(TokenKind::CloseCurly)?;
        Ok(TypeNode::Map(Box::new(key), Box::new(value)))
    }

    fn struct_type(&mut self) -> Parsed<TypeNode> {
        self.open_curly(Brace::Literal)?;
        let mut fields: Vec<(Name, TypeNode)> = Vec::new();
        if self.eat(TokenKind::CloseCurly) {
            return Ok(TypeNode::Struct(fields));
        }
        let mut words: &[TokenKind] = &[TokenKind::CloseCurly, TokenKind::Identifier];
        let (mut known, mut repeated) = (FxHashSet::default(), None);
        loop {
            let name = self.expect_or(TokenKind::Identifier, words)?.range;
            let name = self.slice(name);
            let ty = self.type_node()?;
            if !known.insert(name.clone()) && repeated.is_none() {
                repeated = Some(format!("{name} {ty}"));
            }
            fields.push((name, ty));
            let end = self.range();
            if self.eat(TokenKind::CloseCurly) {
                if let Some(field) = repeated {
                    let text = format!(
                        "can't set return type in parser: duplicate struct field of `{field}`"
                    );
                    self.refuse(SyntaxKind::ReturnType, text, end);
                }
                return Ok(TypeNode::Struct(fields));
            }
            self.expect_or(TokenKind::Semicolon, &[TokenKind::CloseCurly, TokenKind::Semicolon])?;
            words = &[TokenKind::Identifier];
        }
    }

    fn func_type(&mut self) -> Parsed<TypeNode> {
        const WORDS: ListTokens = ListTokens {
            first: &[TokenKind::CloseParen],
            line: &[TokenKind::CloseParen],
            after: &[TokenKind::CloseParen],
            next: &[],
            comma: &[TokenKind::Comma],
        };
        self.expect(TokenKind::OpenParen)?;
        let is_wide = self.edition == Edition::Wide;
        let starts = |kind: TokenKind| {
            let is_name = kind == TokenKind::Identifier && is_wide;
            kind.starts_type()
                || kind == TokenKind::Dollar
                || kind == TokenKind::OpenCurly
                || is_name
        };
        let args = self.items(TokenKind::CloseParen, &WORDS, starts, Self::func_type_arg)?;
        let end = self.tokens[self.pos - 1].range;
        let mut known = FxHashSet::default();
        let mut names = args.iter().filter_map(|(name, _)| name.as_ref());
        if let Some(name) = names.find(|name| !known.insert(*name)) {
            let text = format!("can't set return type in parser: duplicate arg name of `{name}`");
            self.refuse(SyntaxKind::ReturnType, text, end);
        }
        let result = self.type_node()?;
        Ok(TypeNode::Func(args, Box::new(result)))
    }

    fn func_type_arg(&mut self) -> Parsed<(Option<Name>, TypeNode)> {
        let is_bare = self.edition == Edition::Wide
            && self.peek() == TokenKind::Identifier
            && self.peek_at(1).starts_type();
        let name = match self.peek() {
            TokenKind::Dollar => Some(self.var()?.0),
            _ if is_bare => {
                let range = self.bump().range;
                self.widen(WideningKind::BareArgument, range);
                Some(self.slice(range))
            }
            _ => None,
        };
        Ok((name, self.type_node()?))
    }
}
