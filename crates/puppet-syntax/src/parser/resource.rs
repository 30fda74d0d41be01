//! Resource expressions, defaults, overrides, and their attributes.

use ordain_source::{Diagnostic, TextRange};

use super::hint::is_else_if;
use super::{P, Parser, Token, TokenKind};
use crate::ast::*;

impl Parser<'_> {
    /// `resource`: an expression, with braces of a resource behind it or `@` before it.
    pub(super) fn resource(&mut self) -> P<ExprId> {
        let token = self.token();
        let mut left = match token.kind {
            TokenKind::At => self.nested(|p| p.with_form(ResourceForm::Virtual))?,
            TokenKind::AtAt => self.nested(|p| p.with_form(ResourceForm::Exported))?,
            TokenKind::Class if self.next_kind() == TokenKind::LBrace => self.class_resource()?,
            _ => self.expression()?,
        };
        while self.at(TokenKind::LBrace) {
            left = self.nested(|p| p.resource_braces(left))?;
        }
        Ok(left)
    }

    /// `@ resource`, `@@ resource`
    fn with_form(&mut self, form: ResourceForm) -> P<ExprId> {
        let token = self.bump();
        let id = self.resource()?;
        let range = self.range_from(token);
        let is_read = !self.at(TokenKind::Error);
        match &mut self.program.exprs[id] {
            Expr::Resource { form: old, .. }
            | Expr::ResourceDefaults { form: old, .. }
            | Expr::ResourceOverride { form: old, .. } => *old = form,
            // A lexical error is found before the end of the expression in front of it.
            _ if !is_read => return Err(self.unexpected()),
            _ => {
                let word =
                    if form == ResourceForm::Virtual { "Virtual (@)" } else { "Exported (@@)" };
                let message = format!("{word} can only be applied to a Resource Expression");
                let at = self.range(token);
                return Err(self.refuse("puppet::not-a-resource", message, at));
            }
        }
        self.program.ranges[id.raw() as usize] = range;
        Ok(id)
    }

    /// `class { title: … }`
    fn class_resource(&mut self) -> P<ExprId> {
        let class = self.bump();
        let range = self.range(class);
        let kind = self.name("class", range);
        self.bump();
        let bodies = self.nested(|p| {
            let mut bodies = Vec::new();
            loop {
                let body = p.resource_body(range.start)?;
                bodies.push(body);
                if !p.eat(TokenKind::Semic) || p.at(TokenKind::RBrace) {
                    return Ok(bodies);
                }
            }
        })?;
        self.expect(TokenKind::RBrace)?;
        let bodies = self.program.bodies.extend(bodies);
        let range = self.range_from(class);
        self.add(Expr::Resource { form: ResourceForm::Regular, kind, bodies }, range)
    }

    fn resource_body(&mut self, at: u32) -> P<ResourceBody> {
        let title = self.expression()?;
        self.expect(TokenKind::Colon)?;
        self.resource_body_rest(title, at)
    }

    fn resource_body_rest(&mut self, title: ExprId, at: u32) -> P<ResourceBody> {
        let mut attributes = Vec::new();
        self.attribute_operations(&mut attributes)?;
        let attributes = self.program.attributes.extend(attributes);
        Ok(ResourceBody { title, attributes, range: TextRange::new(at, at) })
    }

    /// `left { … }`
    fn resource_braces(&mut self, left: ExprId) -> P<ExprId> {
        let open = self.bump();
        if self.at_attribute() || matches!(self.kind(), TokenKind::RBrace | TokenKind::Comma) {
            return self.untitled(left, open);
        }
        let at = self.program.range(left).start;
        let mut bodies = vec![self.resource_body(at)?];
        while self.eat(TokenKind::Semic) && !self.at(TokenKind::RBrace) {
            bodies.push(self.resource_body(at)?);
        }
        self.expect(TokenKind::RBrace)?;
        let bodies = self.program.bodies.extend(bodies);
        let range = self.range_from_place(at);
        self.add(Expr::Resource { form: ResourceForm::Regular, kind: left, bodies }, range)
    }

    /// `left { attributes }`: defaults, an override, or a name with a hash.
    fn untitled(&mut self, left: ExprId, open: Token) -> P<ExprId> {
        let mut attributes = Vec::new();
        self.attribute_operations(&mut attributes)?;
        self.expect(TokenKind::RBrace)?;
        let start = self.program.range(left).start;
        let range = self.range_from_place(start);
        let form = ResourceForm::Regular;
        match self.program[left] {
            Expr::Name(_) => self.resource_without_title(left, open, attributes, range),
            Expr::Ref(_) => {
                let attributes = self.program.attributes.extend(attributes);
                self.add(Expr::ResourceDefaults { form, kind: left, attributes }, range)
            }
            Expr::Access(_) => {
                let attributes = self.program.attributes.extend(attributes);
                self.add(Expr::ResourceOverride { form, resources: left, attributes }, range)
            }
            _ => {
                let message =
                    "Expression is not valid as a resource, resource-default, or resource-override";
                let at = self.program.range(left);
                let error = Diagnostic::error("puppet::not-a-resource", message);
                let mut error = self.with_condition(error.at(at.in_file(self.file)), left);
                let is_bare = error.help.is_empty() && error.related.is_empty();
                if is_bare && matches!(self.program[left], Expr::Var(_) | Expr::List(_)) {
                    error = error.help(
                        "attributes are set for references that are written out: \
                         `File['/a', '/b'] { ... }`",
                    );
                }
                Err(self.report(error))
            }
        }
    }

    /// Adds that braces after an expression may belong to a misspelt `elsif`.
    fn with_condition(&self, error: Diagnostic, left: ExprId) -> Diagnostic {
        let start = self.program.range(left).start;
        let tokens = &self.lexed.tokens[..self.pos];
        let word = tokens.iter().rposition(|t| t.end <= start).map(|i| tokens[i]);
        match word.filter(|w| w.kind == TokenKind::Name && is_else_if(self.slice(*w))) {
            Some(word) => {
                error.related(self.range(word).in_file(self.file), "the keyword is `elsif`")
            }
            None => error,
        }
    }

    /// `name { a => 1 }`: a name and a hash, or a call of a statement function.
    fn resource_without_title(
        &mut self,
        name: ExprId,
        open: Token,
        attributes: Vec<Attribute>,
        range: TextRange,
    ) -> P<ExprId> {
        if attributes.iter().any(|a| a.op != AttributeOp::Set) {
            let message = "Syntax error resource body without title or hash with +>".to_owned();
            let at = self.range(open);
            return Err(self.refuse("puppet::resource-without-title", message, at));
        }
        let mut pairs = Vec::with_capacity(attributes.len() * 2);
        for a in attributes {
            let key = self.leaf(Expr::Str(a.name), a.range);
            pairs.extend([key, a.value]);
        }
        let pairs = self.program.lists.extend(pairs);
        let hash_range = self.range_from(open);
        let hash = self.add(Expr::Hash(pairs), hash_range)?;
        let mark = self.stack.len();
        self.stack.push(name);
        self.join_call(mark, hash)?;
        if self.stack.len() == mark + 1 {
            let call = self.stack.pop().unwrap_or(name);
            self.program.ranges[call.raw() as usize] = range;
            return Ok(call);
        }
        Ok(self.block_since(mark, Some(range)))
    }

    /// Whether an attribute begins at the current token, and no expression.
    fn at_attribute(&self) -> bool {
        let arrow = matches!(self.next_kind(), TokenKind::FArrow | TokenKind::PArrow);
        match self.kind() {
            TokenKind::Name => arrow,
            TokenKind::Times => self.next_kind() == TokenKind::FArrow,
            kind if kind.is_attribute_keyword() => arrow || !self.at_expression(),
            _ => false,
        }
    }

    /// Attributes with commas between them, and one that may follow.
    pub(super) fn attribute_operations(&mut self, out: &mut Vec<Attribute>) -> P<()> {
        let begins = |p: &Self| {
            matches!(p.kind(), TokenKind::Name | TokenKind::Times)
                || p.kind().is_attribute_keyword()
        };
        if begins(self) {
            out.push(self.attribute_operation()?);
        }
        while self.eat(TokenKind::Comma) {
            if !begins(self) {
                break;
            }
            out.push(self.attribute_operation()?);
        }
        Ok(())
    }

    fn attribute_operation(&mut self) -> P<Attribute> {
        let start = self.bump();
        let op = match (start.kind, self.kind()) {
            (TokenKind::Times, TokenKind::FArrow) => AttributeOp::Splat,
            (TokenKind::Times, _) => return Err(self.unexpected()),
            (_, TokenKind::FArrow) => AttributeOp::Set,
            (_, TokenKind::PArrow) => AttributeOp::Append,
            _ => return Err(self.unexpected()),
        };
        self.bump();
        let value = self.expression()?;
        let name = self.slice(start).into();
        Ok(Attribute { op, name, value, range: self.range_from(start) })
    }
}
