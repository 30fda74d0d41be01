//! Definitions: classes, defines, functions, nodes, types, and their parameters; templates.

use ecow::EcoString;
use ordain_source::TextRange;

use super::type_body::NO_TYPE_PARAMETERS;
use super::{P, Parser, Token, TokenKind};
use crate::ast::*;
use crate::names::capitalized;

impl Parser<'_> {
    pub(super) fn define(&mut self, definition: Definition, keyword: Token) -> P<ExprId> {
        let range = self.range_from(keyword);
        let definition = self.program.definition_data.push(definition);
        let id = self.add(Expr::Definition(definition), range)?;
        self.program.definitions.push(id);
        Ok(id)
    }

    /// The name of a definition as written.
    fn classname(&mut self) -> P<EcoString> {
        let token = self.token();
        match token.kind {
            TokenKind::Name | TokenKind::Word | TokenKind::ClassRef => {
                self.bump();
                Ok(self.slice(token).into())
            }
            TokenKind::Class => {
                let message = "'class' keyword not allowed at this location".to_owned();
                let at = self.range(token);
                Err(self.refuse("puppet::bad-name", message, at))
            }
            TokenKind::Str => {
                let message = "A quoted string is not valid as a name here".to_owned();
                let at = self.range(token);
                Err(self.refuse("puppet::bad-name", message, at))
            }
            _ => Err(self.unexpected()),
        }
    }

    /// The name with the names of the classes around it.
    fn absolute(&self, name: &str) -> EcoString {
        if self.namespace.is_empty() {
            return name.into();
        }
        let mut all = self.namespace.join("::");
        all.push_str("::");
        all.push_str(name);
        all.strip_prefix("::").unwrap_or(&all).into()
    }

    /// `class name(params) inherits parent { }`
    pub(super) fn class_definition(&mut self) -> P<ExprId> {
        let keyword = self.bump();
        let name = self.classname()?;
        let absolute = self.absolute(&name);
        self.namespace.push(name);
        let params = self.parameter_list()?;
        let parent = if self.eat(TokenKind::Inherits) {
            let token = self.token();
            if self.eat(TokenKind::Default) {
                Some(self.slice(token).into())
            } else {
                Some(self.classname()?)
            }
        } else {
            None
        };
        let body = self.body_block(self.range(keyword).start)?;
        self.namespace.pop();
        self.define(Definition::Class { name: absolute, params, parent, body }, keyword)
    }

    /// `define name(params) { }`
    pub(super) fn define_definition(&mut self) -> P<ExprId> {
        let keyword = self.bump();
        let name = self.classname()?;
        let name = self.absolute(&name);
        let params = self.parameter_list()?;
        let body = self.body_block(self.range(keyword).start)?;
        self.define(Definition::Define { name, params, body }, keyword)
    }

    /// `function name(params) >> Type { }`
    pub(super) fn function_definition(&mut self) -> P<ExprId> {
        let keyword = self.bump();
        let name = self.classname()?;
        let params = self.parameter_list()?;
        let returns = self.opt_return_type()?;
        let body = self.body_block(self.range(keyword).start)?;
        let definition = Definition::Function { name, params, returns, body, is_plan: false };
        self.define(definition, keyword)
    }

    pub(super) fn opt_return_type(&mut self) -> P<Option<ExprId>> {
        if !self.eat(TokenKind::RShift) {
            return Ok(None);
        }
        self.simple_type(false).map(Some)
    }

    /// A type name, with arguments in brackets or not.
    pub(super) fn simple_type(&mut self, end_comma: bool) -> P<ExprId> {
        if !self.at(TokenKind::ClassRef) {
            return Err(self.unexpected());
        }
        let start = self.token();
        let kind = self.type_reference();
        if !self.at(TokenKind::LBrack) {
            return Ok(kind);
        }
        let mark = self.stack.len();
        self.stack.push(kind);
        self.enclosed(|p| p.access_args(end_comma))?;
        let list = self.list_since(mark);
        let range = self.range_from(start);
        self.add(Expr::Access(list), range)
    }

    pub(super) fn parameter_list(&mut self) -> P<ordain_syntax::ListRef<Param>> {
        if !matches!(self.kind(), TokenKind::LParen | TokenKind::WsLParen) {
            return Ok(Default::default());
        }
        self.bump();
        let params = if self.at(TokenKind::RParen) {
            Vec::new()
        } else {
            self.parameters(TokenKind::RParen)?
        };
        self.expect(TokenKind::RParen)?;
        Ok(self.program.params.extend(params))
    }

    /// Parses parameters until `end`, which is not consumed.
    pub(super) fn parameters(&mut self, end: TokenKind) -> P<Vec<Param>> {
        let mut params = Vec::new();
        loop {
            params.push(self.nested(Self::parameter)?);
            if !self.eat(TokenKind::Comma) || self.at(end) {
                return Ok(params);
            }
        }
    }

    fn parameter(&mut self) -> P<Param> {
        let kind = if self.at(TokenKind::ClassRef) { Some(self.simple_type(false)?) } else { None };
        let captures_rest = self.eat(TokenKind::Times);
        let variable = self.expect(TokenKind::Variable)?;
        let range = self.range(variable);
        let name = self.slice(variable).trim_start_matches('$').into();
        let default = if self.eat(TokenKind::Equals) { Some(self.expression()?) } else { None };
        Ok(Param { name, kind, default, captures_rest, range })
    }

    /// `node host, … { }`
    pub(super) fn node_definition(&mut self) -> P<ExprId> {
        let keyword = self.bump();
        let mark = self.stack.len();
        loop {
            let host = self.hostname()?;
            self.stack.push(host);
            if !self.eat(TokenKind::Comma)
                || matches!(self.kind(), TokenKind::LBrace | TokenKind::Inherits)
            {
                break;
            }
        }
        let matches = self.list_since(mark);
        let parent = if self.eat(TokenKind::Inherits) { Some(self.hostname()?) } else { None };
        let body = self.body_block(self.range(keyword).start)?;
        self.define(Definition::Node { matches, parent, body }, keyword)
    }

    fn hostname(&mut self) -> P<ExprId> {
        let token = self.token();
        let range = self.range(token);
        match token.kind {
            TokenKind::Name | TokenKind::Number => self.dotted_name(),
            TokenKind::Str => {
                self.bump();
                let text = self.string(token);
                Ok(self.leaf(Expr::Str(text), range))
            }
            TokenKind::Word => {
                self.bump();
                let text = self.slice(token).into();
                Ok(self.leaf(Expr::Str(text), range))
            }
            TokenKind::DqPre => self.dq_string(),
            TokenKind::Heredoc => self.heredoc(),
            TokenKind::Default => {
                self.bump();
                Ok(self.leaf(Expr::Default, range))
            }
            TokenKind::Regex => {
                self.bump();
                let text = self.string(token);
                Ok(self.leaf(Expr::Regex(text), range))
            }
            _ => Err(self.unexpected()),
        }
    }

    fn dotted_name(&mut self) -> P<ExprId> {
        let start = self.bump();
        let mut text: EcoString = self.slice(start).into();
        while self.eat(TokenKind::Dot) {
            let token = self.token();
            if !matches!(token.kind, TokenKind::Name | TokenKind::Number) {
                return Err(self.unexpected());
            }
            self.bump();
            text.push('.');
            text.push_str(self.slice(token));
        }
        let range = self.range_from(start);
        Ok(self.leaf(Expr::Str(text), range))
    }

    /// A construct that begins with `type`: an alias, mapping or definition, or a call of the function.
    pub(super) fn type_expression(&mut self) -> P<ExprId> {
        let keyword = self.bump();
        if self.at(TokenKind::LParen) {
            let range = self.range(keyword);
            let callee = self.name("type", range);
            return self.call(callee);
        }
        if self.at(TokenKind::Name)
            && matches!(self.next_kind(), TokenKind::LBrace | TokenKind::Inherits)
        {
            let name = self.bump();
            let name = capitalized(self.slice(name));
            return self.type_definition(keyword, name);
        }
        if !self.at(TokenKind::ClassRef) {
            return Err(self.unexpected());
        }
        let name_token = self.token();
        let left = self.simple_type(false)?;
        let is_name = matches!(self.program[left], Expr::Ref(_));
        if is_name && matches!(self.kind(), TokenKind::LBrace | TokenKind::Inherits) {
            let name = self.slice(name_token).into();
            return self.type_definition(keyword, name);
        }
        if self.at(TokenKind::LBrace) {
            let reported = self.diagnostics.len();
            let abort = self.unexpected();
            if let Some(error) = self.diagnostics.get_mut(reported) {
                error.help.push(NO_TYPE_PARAMETERS.to_owned());
            }
            return Err(abort);
        }
        self.expect(TokenKind::Equals)?;
        let kind = self.alias_value(name_token)?;
        let definition = match self.program[left].clone() {
            Expr::Ref(name) => Definition::TypeAlias { name, kind },
            _ => Definition::TypeMapping { kind: left, mapping: kind },
        };
        self.define(definition, name_token)
    }

    /// The definition of an alias. A hash defines an object type.
    fn alias_value(&mut self, start: Token) -> P<ExprId> {
        let at = self.range(start).start;
        match self.kind() {
            TokenKind::LBrace => {
                let hash = self.enclosed(Self::hash)?;
                self.object_type(None, hash, at)
            }
            TokenKind::LBrack | TokenKind::ListStart => self.enclosed(Self::array),
            _ => {
                let kind = self.simple_type(true)?;
                if !self.at(TokenKind::LBrace) || !matches!(self.program[kind], Expr::Ref(_)) {
                    return Ok(kind);
                }
                let hash = self.enclosed(Self::hash)?;
                self.object_type(Some(kind), hash, at)
            }
        }
    }

    /// `Object[{…}]`, or `Object[{…, parent => Parent}]`.
    fn object_type(&mut self, parent: Option<ExprId>, hash: ExprId, at: u32) -> P<ExprId> {
        let place = TextRange::new(at, at);
        let (mut kind, mut argument) = (parent, hash);
        if let (Some(parent), Expr::Hash(list)) = (parent, self.program[hash].clone()) {
            let is_base =
                matches!(&self.program[parent], Expr::Ref(n) if n == "Object" || n == "TypeSet");
            if !is_base {
                let key = self.name("parent", place);
                let mut all = self.program.list(list).to_vec();
                let range = self.program.range(hash);
                let value = self.leaf(self.program[parent].clone(), range);
                self.program.arrows.push((value, range.start));
                all.extend([key, value]);
                let list = self.program.lists.extend(all);
                argument = self.add(Expr::Hash(list), range)?;
                kind = None;
            }
        }
        let kind = match kind {
            Some(kind) => kind,
            None => self.leaf(Expr::Ref("Object".into()), place),
        };
        let list = self.program.lists.extend([kind, argument]);
        self.add(Expr::Access(list), place)
    }

    /// A template.
    pub(super) fn epp_expression(&mut self) -> ExprId {
        let place = TextRange::default();
        let mark = self.stack.len();
        let (has_params, params) = match self.epp_head() {
            Ok(head) => head,
            Err(_) => {
                self.skip_statement(0);
                (true, Vec::new())
            }
        };
        self.statements(TokenKind::Eof);
        let params = self.program.params.extend(params);
        let body = if self.stack.len() == mark {
            self.nop(0)
        } else {
            self.block_since(mark, Some(place))
        };
        match self.add(Expr::Epp { has_params, params, body }, place) {
            Ok(id) => id,
            Err(_) => self.leaf(Expr::Error, place),
        }
    }

    /// The start of a template, and its parameters if there are any.
    fn epp_head(&mut self) -> P<(bool, Vec<Param>)> {
        self.expect(TokenKind::EppStart)?;
        if !self.eat(TokenKind::Pipe) {
            return Ok((false, Vec::new()));
        }
        let params =
            if self.at(TokenKind::Pipe) { Vec::new() } else { self.parameters(TokenKind::Pipe)? };
        self.expect(TokenKind::Pipe)?;
        Ok((true, params))
    }
}
