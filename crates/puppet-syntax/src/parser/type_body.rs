//! The body of a type: `attr`, `has`, `invariant`, `function`, `title_patterns`, `annotations`,
//! `abstract`; and the statement `invariant`.
//!
//! Only `type` is a keyword. The first words of statements and the names of settings are only
//! special in their place.

use ecow::EcoString;
use ordain_source::{Diagnostic, TextRange, suggest};

use super::{P, Parser, Token, TokenKind};
use crate::ast::*;
use crate::names::capitalized;

/// Settings whose value is a lambda.
const LAMBDAS: [&str; 3] = ["derived", "set", "get"];
/// The two spellings of the setting whose value may be a block.
const CHECKS: [&str; 2] = ["check", "validate"];

/// The first words of statements of a body.
const STATEMENTS: [&str; 7] =
    ["attr", "has", "invariant", "function", "title_patterns", "annotations", "abstract"];
/// The same in words.
const WORDS: &str =
    "'attr', 'has', 'invariant', 'function', 'title_patterns', 'annotations' and 'abstract'";

/// The help for parameters of a type.
pub(super) const NO_TYPE_PARAMETERS: &str = "a type has no parameters; a subtype for each, or a \
     feature of type `Type`, describes its values";

/// The replacement for a word that begins no statement: words of other languages with types, and
/// slips.
fn instead_of(word: &str) -> Option<String> {
    Some(match word {
        "op" | "operation" | "method" | "def" | "fn" => {
            "a function of the type is `function name($param) { ... }`".to_owned()
        }
        "param" | "params" | "type_parameters" | "type_parameter" => NO_TYPE_PARAMETERS.to_owned(),
        "private" | "protected" | "public" | "internal" => "a type hides nothing; `setable => \
             false` keeps callers from giving a feature, `transient => true` keeps it out of data"
            .to_owned(),
        "ref" | "reference" | "contains" | "refers" => {
            "a reference is `has name, Type`, and a link has `containment => false`".to_owned()
        }
        "annotation" => "annotations are `annotations { 'source' => { 'key' => 'text' } }`".into(),
        "namevar" | "key_attributes" => {
            "an attribute that names resources has the setting `namevar => true`".to_owned()
        }
        other => format!("did you mean `{}`?", suggest::nearest(other, STATEMENTS)?),
    })
}

impl Parser<'_> {
    /// `type Name inherits Parent { statements }`, from the token behind the name.
    pub(super) fn type_definition(&mut self, keyword: Token, name: EcoString) -> P<ExprId> {
        // The name of a definition is one from the top in any case.
        let name = name.strip_prefix("::").map_or(name.clone(), EcoString::from);
        let mut parent = None;
        let mut parent_range = TextRange::default();
        if self.eat(TokenKind::Inherits) {
            let token = if self.at(TokenKind::Name) {
                self.bump()
            } else {
                self.expect(TokenKind::ClassRef)?
            };
            parent = Some(capitalized(self.slice(token)));
            parent_range = self.range(token);
        }
        self.expect(TokenKind::LBrace)?;
        let statements = self.enclosed(|p| {
            let mut statements = Vec::new();
            while !p.at(TokenKind::RBrace) {
                statements.push(p.type_statement()?);
                while p.eat(TokenKind::Semic) {}
            }
            Ok(statements)
        })?;
        self.expect(TokenKind::RBrace)?;
        let statements = self.program.type_statements.extend(statements);
        let definition = Definition::TypeDefinition { name, parent, parent_range, statements };
        self.define(definition, keyword)
    }

    fn type_statement(&mut self) -> P<TypeStatement> {
        let start = self.token();
        let is_word = matches!(start.kind, TokenKind::Name | TokenKind::Attr | TokenKind::Private);
        let kind = match self.slice(start) {
            "attr" if is_word => self.feature(false)?,
            "has" if is_word => self.feature(true)?,
            "invariant" if is_word => self.type_invariant()?,
            "abstract" if is_word => {
                self.bump();
                TypeStatementKind::Abstract
            }
            "title_patterns" if is_word => {
                let (value, range) =
                    self.literal_behind(&[TokenKind::LBrack, TokenKind::ListStart])?;
                TypeStatementKind::TitlePatterns { value, range }
            }
            "annotations" if is_word => {
                let (value, range) = self.literal_behind(&[TokenKind::LBrace])?;
                TypeStatementKind::Annotations { value, range }
            }
            _ if start.kind == TokenKind::Function => self.type_function()?,
            _ if start.kind == TokenKind::Eof || start.kind == TokenKind::Error => {
                return Err(self.unexpected());
            }
            other => {
                let message = format!("The body of a type has {WORDS}, not '{other}'");
                let at = self.range(start);
                let mut error = Diagnostic::error("puppet::type-statement", message);
                error.help.extend(instead_of(other));
                return Err(self.report(error.at(at.in_file(self.file))));
            }
        };
        Ok(TypeStatement { kind, range: self.range_from(start) })
    }

    /// `attr name, Type { settings }` and `has name, Type { settings }`
    fn feature(&mut self, is_reference: bool) -> P<TypeStatementKind> {
        self.bump();
        let (name, name_range) = self.feature_name()?;
        let (mut kind, mut kind_range) = (None, TextRange::default());
        if is_reference {
            self.expect(TokenKind::Comma)?;
            kind_range = self.range(self.token());
            kind = Some(match self.kind() {
                TokenKind::ClassRef => self.type_reference(),
                TokenKind::Name => {
                    let token = self.bump();
                    let range = self.range(token);
                    self.leaf(Expr::Ref(capitalized(self.slice(token))), range)
                }
                _ => return Err(self.unexpected()),
            });
            if matches!(self.kind(), TokenKind::LBrack | TokenKind::ListStart) {
                let message = format!("The reference '{name}' is to one type with a body");
                let at = self.range(self.token());
                let help = "for several objects write `has name, Type { max => unbound }`, for other \
                            values `attr`";
                let error = Diagnostic::error("puppet::type-statement", message).help(help);
                return Err(self.report(error.at(at.in_file(self.file))));
            }
        } else if self.eat(TokenKind::Comma) {
            let start = self.token();
            kind = Some(self.value_type()?);
            kind_range = self.range_from(start);
        }
        let settings = if self.at(TokenKind::LBrace) { self.settings()? } else { Vec::new() };
        let settings = self.program.settings.extend(settings);
        let feature = FeatureSyntax { is_reference, name, name_range, kind, kind_range, settings };
        Ok(TypeStatementKind::Feature(feature))
    }

    fn feature_name(&mut self) -> P<(EcoString, TextRange)> {
        let token = self.token();
        let is_name = matches!(token.kind, TokenKind::Name | TokenKind::Word | TokenKind::ClassRef);
        let text = self.slice(token);
        let plain = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
        if !(is_name || token.kind.is_keyword()) || !text.bytes().all(plain) {
            return Err(self.unexpected());
        }
        let name = text.into();
        self.bump();
        Ok((name, self.range(token)))
    }

    /// A type, or `enum[a, b]`.
    fn value_type(&mut self) -> P<ExprId> {
        let token = self.token();
        if token.kind != TokenKind::Name || self.slice(token) != "enum" {
            return self.simple_type(false);
        }
        self.bump();
        let range = self.range(token);
        let head = self.leaf(Expr::Ref("Enum".into()), range);
        if !self.eat(TokenKind::LBrack) {
            self.expect(TokenKind::ListStart)?;
        }
        let mark = self.stack.len();
        self.stack.push(head);
        loop {
            let value = self.symbol()?;
            self.stack.push(value);
            if !self.eat(TokenKind::Comma) || self.at(TokenKind::RBrack) {
                break;
            }
        }
        self.expect(TokenKind::RBrack)?;
        let list = self.list_since(mark);
        let range = self.range_from(token);
        self.add(Expr::Access(list), range)
    }

    /// A value of `enum`: a name or text.
    fn symbol(&mut self) -> P<ExprId> {
        let token = self.token();
        let range = self.range(token);
        let text = match token.kind {
            TokenKind::Str => self.string(token),
            TokenKind::Name | TokenKind::Word | TokenKind::ClassRef => self.slice(token).into(),
            kind if kind.is_keyword() => self.slice(token).into(),
            _ => return Err(self.unexpected()),
        };
        self.bump();
        Ok(self.leaf(Expr::Str(text), range))
    }

    /// `{ setting, … }`, with a colon at its start or not.
    fn settings(&mut self) -> P<Vec<Setting>> {
        self.expect(TokenKind::LBrace)?;
        let settings = self.enclosed(|p| {
            p.eat(TokenKind::Colon);
            let mut settings = Vec::new();
            while !p.at(TokenKind::RBrace) {
                settings.push(p.setting()?);
                if !p.eat(TokenKind::Comma) {
                    break;
                }
            }
            Ok(settings)
        })?;
        self.expect(TokenKind::RBrace)?;
        Ok(settings)
    }

    fn setting(&mut self) -> P<Setting> {
        let token = self.token();
        if !matches!(token.kind, TokenKind::Name | TokenKind::Default) {
            return Err(self.unexpected());
        }
        self.bump();
        let name: EcoString = self.slice(token).into();
        self.expect(TokenKind::FArrow)?;
        let start = self.token();
        let value = match self.kind() {
            TokenKind::Pipe => self.enclosed(Self::lambda)?,
            TokenKind::LBrace if CHECKS.contains(&name.as_str()) => {
                let at = self.range(start).start;
                self.body_block(at)?
            }
            _ if LAMBDAS.contains(&name.as_str()) => {
                let params = if name == "derived" { "||" } else { "|$value|" };
                let message = format!("'{name}' takes a lambda: {name} => {params} {{ ... }}");
                let at = self.range(start);
                return Err(self.refuse("puppet::type-statement", message, at));
            }
            _ => self.enclosed(Self::expression)?,
        };
        let (name_range, value_range) = (self.range(token), self.range_from(start));
        Ok(Setting { name, name_range, value, value_range })
    }

    /// `function name(params) >> Type { }`
    fn type_function(&mut self) -> P<TypeStatementKind> {
        self.bump();
        let (name, name_range) = self.feature_name()?;
        let start = self.token();
        let params = self.parameter_list()?;
        let returns = self.opt_return_type()?;
        let body = self.body_block(self.range(start).start)?;
        let lambda = self.program.lambdas.push(Lambda { params, returns, body });
        let lambda_range = self.range_from(start);
        let lambda = self.add(Expr::Lambda(lambda), lambda_range)?;
        Ok(TypeStatementKind::Function { name, name_range, lambda, lambda_range })
    }

    /// `title_patterns [/a/, /b/]` or `annotations { source => { key => value } }`, from the value.
    fn literal_behind(&mut self, begins: &[TokenKind]) -> P<(ExprId, TextRange)> {
        self.bump();
        let start = self.token();
        if !begins.contains(&start.kind) {
            return Err(self.unexpected());
        }
        let value = self.enclosed(Self::expression)?;
        Ok((value, self.range_from(start)))
    }

    fn type_invariant(&mut self) -> P<TypeStatementKind> {
        self.bump();
        let start = self.token();
        let title = self.invariant_title()?;
        let title_range = match title {
            Some(_) => self.range_from(start),
            None => TextRange::default(),
        };
        self.eat(TokenKind::Comma);
        let start = self.token();
        let body = self.invariant_body()?;
        let body_range = self.range_from(start);
        Ok(TypeStatementKind::Invariant { title, title_range, body, body_range })
    }

    fn invariant_title(&mut self) -> P<Option<ExprId>> {
        let token = self.token();
        match token.kind {
            TokenKind::Str => {
                self.bump();
                let (text, range) = (self.string(token), self.range(token));
                Ok(Some(self.leaf(Expr::Str(text), range)))
            }
            TokenKind::DqPre => self.enclosed(Self::dq_string).map(Some),
            TokenKind::Heredoc => self.heredoc().map(Some),
            _ => Ok(None),
        }
    }

    fn invariant_body(&mut self) -> P<ExprId> {
        if self.at(TokenKind::Pipe) {
            return self.enclosed(Self::lambda);
        }
        let at = self.range(self.token()).start;
        self.body_block(at)
    }

    /// Whether the statement `invariant` begins at the current name: with a title after it, or with
    /// braces that belong neither to a resource nor to a hash.
    pub(super) fn at_invariant(&self) -> bool {
        let token = self.token();
        if token.kind != TokenKind::Name || self.slice(token) != "invariant" {
            return false;
        }
        match self.next_kind() {
            TokenKind::Str => self.title_is_followed(),
            TokenKind::DqPre | TokenKind::Heredoc | TokenKind::Pipe => true,
            TokenKind::LBrace => self.statements_follow(),
            _ => false,
        }
    }

    fn title_is_followed(&self) -> bool {
        let behind = self.lexed.tokens.get(self.pos + 2).map_or(TokenKind::Eof, |t| t.kind);
        matches!(behind, TokenKind::LBrace | TokenKind::Comma | TokenKind::Pipe)
    }

    /// Whether the braces behind the current token hold statements.
    fn statements_follow(&self) -> bool {
        for (i, kind, depth) in self.tokens_with_depth(self.pos + 1) {
            match kind {
                TokenKind::RBrace | TokenKind::RBrack | TokenKind::RParen if depth == 0 => {
                    return i > 1;
                }
                TokenKind::Colon | TokenKind::FArrow | TokenKind::PArrow if depth == 1 => {
                    return false;
                }
                TokenKind::Eof => return false,
                _ => {}
            }
        }
        false
    }

    /// `invariant "title" { … }`
    pub(super) fn invariant_statement(&mut self) -> P<ExprId> {
        let start = self.bump();
        let title = match self.invariant_title()? {
            Some(title) => title,
            None => self.nop(self.range(start).end),
        };
        self.eat(TokenKind::Comma);
        let body = self.invariant_body()?;
        let range = self.range_from(start);
        self.add(Expr::Invariant { title, body }, range)
    }
}
