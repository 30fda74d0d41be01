//! Expressions: operators by precedence, access, calls, selectors, collectors, lambdas.

use ordain_source::TextRange;
use ordain_syntax::operators::{self, Operators};

use super::statement::starts_expression;
use super::{Abort, P, Parser, Token, TokenKind};
use crate::ast::*;

/// The binding powers of operators; only their order matters.
const PREFIX: u8 = 18;
const SELECT: u8 = 8;

/// An operator between two operands.
pub(super) enum Infix {
    And,
    Or,
    Binary(BinaryOp),
}

/// The operator of a token, and how tightly it binds.
fn infix_op(kind: TokenKind) -> Option<(Infix, u8)> {
    let (op, power) = match kind {
        TokenKind::In => (BinaryOp::In, 15),
        TokenKind::Match => (BinaryOp::Match, 14),
        TokenKind::NoMatch => (BinaryOp::NotMatch, 14),
        TokenKind::Times => (BinaryOp::Mul, 13),
        TokenKind::Div => (BinaryOp::Div, 13),
        TokenKind::Modulo => (BinaryOp::Mod, 13),
        TokenKind::Plus => (BinaryOp::Add, 12),
        TokenKind::Minus => (BinaryOp::Sub, 12),
        TokenKind::LShift => (BinaryOp::ShiftLeft, 11),
        TokenKind::RShift => (BinaryOp::ShiftRight, 11),
        TokenKind::IsEqual => (BinaryOp::Eq, 10),
        TokenKind::NotEqual => (BinaryOp::NotEq, 10),
        TokenKind::Less => (BinaryOp::Less, 9),
        TokenKind::LessEqual => (BinaryOp::LessEq, 9),
        TokenKind::Greater => (BinaryOp::Greater, 9),
        TokenKind::GreaterEqual => (BinaryOp::GreaterEq, 9),
        TokenKind::And => return Some((Infix::And, 7)),
        TokenKind::Or => return Some((Infix::Or, 6)),
        _ => return None,
    };
    Some((Infix::Binary(op), power))
}

impl Operators for Parser<'_> {
    type Node = ExprId;
    type Op = (Infix, Token);
    type Error = Abort;

    #[inline]
    fn operand(&mut self) -> P<ExprId> {
        let token = self.token();
        let build: fn(ExprId) -> Expr = match token.kind {
            TokenKind::Minus => Expr::Minus,
            TokenKind::Times => Expr::Splat,
            TokenKind::Not => Expr::Not,
            _ => return self.primary(),
        };
        self.bump();
        let operand = self.right(PREFIX, 0)?;
        let range = self.range(token);
        self.add(build(operand), range)
    }

    #[inline]
    fn suffix(&mut self, left: ExprId, min: u8) -> P<Option<ExprId>> {
        let whole = match self.kind() {
            TokenKind::Dot => self.method(left),
            TokenKind::LBrack => self.access(left),
            TokenKind::LParen => self.call(left),
            TokenKind::LCollect | TokenKind::LlCollect => self.collection(left),
            TokenKind::QMark if min < SELECT => self.selector(left),
            _ => return Ok(None),
        };
        whole.map(Some)
    }

    #[inline]
    fn infix(&mut self, min: u8) -> Option<((Infix, Token), u8)> {
        let token = self.token();
        let (op, power) = infix_op(token.kind).filter(|(_, power)| *power > min)?;
        self.bump();
        Some(((op, token), power))
    }

    #[inline]
    fn right(&mut self, power: u8, _: u32) -> P<ExprId> {
        self.nested(|p| operators::expression(p, power))
    }

    #[inline]
    fn join(&mut self, (op, token): (Infix, Token), left: ExprId, right: ExprId) -> P<ExprId> {
        let range = self.range(token);
        let expr = match op {
            Infix::And => Expr::And(left, right),
            Infix::Or => Expr::Or(left, right),
            Infix::Binary(op) => Expr::Binary { op, left, right },
        };
        self.add(expr, range)
    }
}

impl Parser<'_> {
    /// Any expression without braces of resources, arrows or assignments.
    pub(super) fn expression(&mut self) -> P<ExprId> {
        operators::expression(self, 0)
    }

    /// `primary_expression`, and expressions in parentheses.
    fn primary(&mut self) -> P<ExprId> {
        let token = self.token();
        let range = self.range(token);
        match token.kind {
            TokenKind::Variable => {
                self.bump();
                let text = self.slice(token);
                let name = text.strip_prefix('$').unwrap_or(text).into();
                Ok(self.leaf(Expr::Var(name), range))
            }
            TokenKind::Str => {
                self.bump();
                let text = self.string(token);
                Ok(self.leaf(Expr::Str(text), range))
            }
            TokenKind::Name if self.at_invariant() => self.invariant_statement(),
            TokenKind::Name => {
                self.bump();
                let text = self.slice(token).into();
                Ok(self.leaf(Expr::Name(text), range))
            }
            TokenKind::ClassRef => Ok(self.type_reference()),
            TokenKind::DqPre => self.dq_string(),
            TokenKind::Number => self.number_literal(),
            TokenKind::LParen | TokenKind::WsLParen => self.parenthesized(token),
            TokenKind::LBrack | TokenKind::ListStart => self.enclosed(Self::array),
            TokenKind::LBrace => self.enclosed(Self::hash),
            kind if kind.is_keyword() => self.keyword_expression(token),
            _ => self.rare_primary(token),
        }
    }

    fn rare_primary(&mut self, token: Token) -> P<ExprId> {
        let range = self.range(token);
        match token.kind {
            TokenKind::Word => {
                self.bump();
                let text = self.slice(token).into();
                Ok(self.leaf(Expr::Str(text), range))
            }
            TokenKind::Regex => {
                self.bump();
                let text = self.string(token);
                Ok(self.leaf(Expr::Regex(text), range))
            }
            TokenKind::Heredoc => self.heredoc(),
            TokenKind::RenderString => {
                self.bump();
                let text = self.string(token);
                Ok(self.leaf(Expr::RenderText(text), range))
            }
            TokenKind::RenderExpr => self.nested(Self::render_expression),
            _ => Err(self.unexpected()),
        }
    }

    fn keyword_expression(&mut self, token: Token) -> P<ExprId> {
        let leaf = match token.kind {
            TokenKind::True => Expr::Bool(true),
            TokenKind::False => Expr::Bool(false),
            TokenKind::Undef => Expr::Undef,
            TokenKind::Default => Expr::Default,
            TokenKind::Attr | TokenKind::Private => Expr::Reserved(self.slice(token).into()),
            TokenKind::If => return self.if_expression(),
            TokenKind::Unless => return self.unless_expression(),
            TokenKind::Case => return self.case_expression(),
            TokenKind::Class => return self.class_definition(),
            TokenKind::Define => return self.define_definition(),
            TokenKind::Function => return self.function_definition(),
            TokenKind::Node => return self.node_definition(),
            TokenKind::Type => return self.type_expression(),
            _ => return Err(self.unexpected()),
        };
        self.bump();
        let range = self.range(token);
        Ok(self.leaf(leaf, range))
    }

    pub(super) fn type_reference(&mut self) -> ExprId {
        let token = self.bump();
        let range = self.range(token);
        let text = self.slice(token).into();
        self.leaf(Expr::Ref(text), range)
    }

    fn parenthesized(&mut self, token: Token) -> P<ExprId> {
        self.bump();
        let inner = self.enclosed(Self::assignment)?;
        self.expect(TokenKind::RParen)?;
        let range = self.range(token);
        self.add(Expr::Paren(inner), range)
    }

    /// `left[…]`
    fn access(&mut self, left: ExprId) -> P<ExprId> {
        let mark = self.stack.len();
        self.stack.push(left);
        self.enclosed(|p| p.access_args(true))?;
        let list = self.list_since(mark);
        let range = self.range_from_place(self.program.range(left).start);
        self.add(Expr::Access(list), range)
    }

    /// `[ access_arg, … ]` with its brackets; leaves the arguments on the stack.
    pub(super) fn access_args(&mut self, end_comma: bool) -> P<()> {
        self.expect(TokenKind::LBrack)?;
        self.entries(TokenKind::RBrack, EntryKind::Access, end_comma)?;
        self.expect(TokenKind::RBrack)?;
        Ok(())
    }

    /// `callee(…)` with a lambda behind it.
    pub(super) fn call(&mut self, callee: ExprId) -> P<ExprId> {
        let mark = self.stack.len();
        self.enclosed(Self::parenthesized_arguments)?;
        let args = self.list_since(mark);
        let lambda = self.optional_lambda()?;
        let call = Call { form: CallForm::Named, callee, args, lambda, rvalue: true, parens: true };
        let call = self.program.calls.push(call);
        let range = self.range_from_place(self.program.range(callee).start);
        self.add(Expr::Call(call), range)
    }

    /// `( argument, … )`; leaves the arguments on the stack.
    fn parenthesized_arguments(&mut self) -> P<()> {
        self.expect(TokenKind::LParen)?;
        if !self.at(TokenKind::RParen) {
            self.entries(TokenKind::RParen, EntryKind::Argument, true)?;
        }
        self.expect(TokenKind::RParen)?;
        Ok(())
    }

    /// `left.name`, with arguments and a lambda.
    fn method(&mut self, left: ExprId) -> P<ExprId> {
        let dot = self.bump();
        if !matches!(self.kind(), TokenKind::Name | TokenKind::Type) {
            return Err(self.unexpected());
        }
        let name = self.bump();
        let name_range = self.range(dot);
        let text = self.slice(name).to_owned();
        let callee = self.name(text.as_str(), name_range);
        let mark = self.stack.len();
        self.stack.push(left);
        let open = self.token();
        let parens = open.kind == TokenKind::LParen;
        let given = text == "new" && !parens && !self.in_head && self.at(TokenKind::LBrace);
        if parens {
            self.enclosed(Self::method_arguments)?;
        } else if given && self.hash_begins() {
            let hash = self.enclosed(Self::hash)?;
            self.stack.push(hash);
        }
        let args = self.list_since(mark);
        let range = self.range_from(if parens { open } else { dot });
        let lambda = self.optional_lambda()?;
        let form = CallForm::Method;
        let call = Call { form, callee, args, lambda, rvalue: true, parens };
        let call = self.program.calls.push(call);
        self.add(Expr::Call(call), range)
    }

    /// As for a call, but no comma may end the arguments.
    fn method_arguments(&mut self) -> P<()> {
        self.expect(TokenKind::LParen)?;
        if !self.at(TokenKind::RParen) {
            self.entries(TokenKind::RParen, EntryKind::Argument, false)?;
        }
        self.expect(TokenKind::RParen)?;
        Ok(())
    }

    fn optional_lambda(&mut self) -> P<Option<ExprId>> {
        if self.at(TokenKind::Pipe) { self.enclosed(Self::lambda).map(Some) } else { Ok(None) }
    }

    pub(super) fn lambda(&mut self) -> P<ExprId> {
        let start = self.expect(TokenKind::Pipe)?;
        let params = if self.at(TokenKind::Pipe) {
            Default::default()
        } else {
            self.parameters(TokenKind::Pipe)?
        };
        let params = self.program.params.extend(params);
        self.expect(TokenKind::Pipe)?;
        let returns = self.opt_return_type()?;
        let body = self.body_block(self.range(start).start)?;
        let lambda = self.program.lambdas.push(Lambda { params, returns, body });
        let range = self.range_from(start);
        self.add(Expr::Lambda(lambda), range)
    }

    /// `left ? …`
    fn selector(&mut self, left: ExprId) -> P<ExprId> {
        self.bump();
        let mut options = Vec::new();
        if self.eat(TokenKind::SelBrace) {
            self.nested(|p| {
                loop {
                    options.push(p.selector_entry()?);
                    if !p.eat(TokenKind::Comma) || p.at(TokenKind::RBrace) {
                        return p.expect(TokenKind::RBrace).map(|_| ());
                    }
                }
            })?;
        } else {
            options.push(self.nested(Self::selector_entry)?);
        }
        let options = self.program.cases.extend(options);
        let range = self.program.range(left);
        self.add(Expr::Selector(left, options), range)
    }

    fn selector_entry(&mut self) -> P<CaseOption> {
        let value = self.expression()?;
        let arrow = self.expect(TokenKind::FArrow)?;
        let then = self.expression()?;
        let values = self.program.lists.extend([value]);
        Ok(CaseOption { values, then, range: self.range(arrow) })
    }

    /// `left <| … |>`
    fn collection(&mut self, left: ExprId) -> P<ExprId> {
        let open = self.bump();
        let exported = open.kind == TokenKind::LlCollect;
        let close = if exported { TokenKind::RrCollect } else { TokenKind::RCollect };
        let query = if self.at(close) {
            let at = self.range(self.token()).start;
            self.nop(at)
        } else {
            self.nested(Self::expression)?
        };
        self.expect(close)?;
        let mut attributes = Vec::new();
        if self.eat(TokenKind::LBrace) {
            self.nested(|p| p.attribute_operations(&mut attributes))?;
            self.expect(TokenKind::RBrace)?;
        }
        let attributes = self.program.attributes.extend(attributes);
        let range = self.range_from_place(self.program.range(left).start);
        self.add(Expr::Collect { exported, kind: left, query, attributes }, range)
    }

    /// Parses arguments, keys or list entries until `end`. Adjacent `k => v` become one hash. They
    /// are left on the stack.
    pub(super) fn entries(&mut self, end: TokenKind, kind: EntryKind, end_comma: bool) -> P<()> {
        let mut pairs: Vec<ExprId> = Vec::new();
        let mut pairs_at = TextRange::default();
        loop {
            let keyword = self.entry_keyword();
            let entry = match keyword {
                Some(id) => id,
                None => self.assignment()?,
            };
            if self.at(TokenKind::FArrow) {
                let arrow = self.token();
                let value = self.pair_value()?;
                if pairs.is_empty() {
                    pairs_at = self.range(arrow);
                }
                pairs.extend([entry, value]);
            } else {
                let lone_keyword = keyword.is_some() && kind != EntryKind::Element;
                if lone_keyword || kind == EntryKind::Access && !self.is_expression(entry) {
                    return Err(self.unexpected());
                }
                self.flush_pairs(&mut pairs, pairs_at)?;
                self.stack.push(entry);
            }
            if !self.at(TokenKind::Comma) {
                break;
            }
            self.bump();
            if self.at(end) {
                if !end_comma {
                    return Err(self.unexpected());
                }
                break;
            }
        }
        self.flush_pairs(&mut pairs, pairs_at)
    }

    fn flush_pairs(&mut self, pairs: &mut Vec<ExprId>, range: TextRange) -> P<()> {
        if pairs.is_empty() {
            return Ok(());
        }
        let list = self.program.lists.extend(pairs.drain(..));
        let hash = self.add(Expr::Hash(list), range)?;
        self.stack.push(hash);
        Ok(())
    }

    /// Whether this is no assignment, relationship or resource.
    fn is_expression(&self, id: ExprId) -> bool {
        !matches!(
            self.program[id],
            Expr::Assign { .. }
                | Expr::Relation { .. }
                | Expr::Resource { .. }
                | Expr::ResourceDefaults { .. }
                | Expr::ResourceOverride { .. }
                | Expr::Block(_)
        )
    }

    /// `=> value` of a hash entry.
    pub(super) fn pair_value(&mut self) -> P<ExprId> {
        let arrow = self.expect(TokenKind::FArrow)?;
        let value = match self.entry_keyword() {
            Some(id) => id,
            None => self.assignment()?,
        };
        let place = self.range(arrow).start;
        self.program.arrows.push((value, place));
        Ok(value)
    }

    /// `type` or `function` as a mere word in a list or hash.
    pub(super) fn entry_keyword(&mut self) -> Option<ExprId> {
        let token = self.token();
        let is_word = match (token.kind, self.next_kind()) {
            (TokenKind::Type, next) => !matches!(next, TokenKind::LParen | TokenKind::ClassRef),
            (TokenKind::Function, next) => !matches!(
                next,
                TokenKind::Name
                    | TokenKind::Word
                    | TokenKind::ClassRef
                    | TokenKind::Class
                    | TokenKind::Str
            ),
            _ => false,
        };
        if !is_word {
            return None;
        }
        self.bump();
        let range = self.range(token);
        let text = self.slice(token).into();
        Some(self.leaf(Expr::Str(text), range))
    }

    /// Whether a hash begins at this brace, not a block of statements.
    fn hash_begins(&self) -> bool {
        for (i, kind, depth) in self.tokens_with_depth(self.pos) {
            match kind {
                TokenKind::RBrace | TokenKind::RBrack | TokenKind::RParen if depth == 0 => {
                    return i == 1;
                }
                TokenKind::FArrow if depth == 1 => return true,
                TokenKind::QMark | TokenKind::Semic if depth == 1 => return false,
                TokenKind::Eof | TokenKind::EppEnd | TokenKind::EppEndTrim => return false,
                _ => {}
            }
        }
        false
    }

    /// The tokens from a position on: number, kind, and the depth of brackets behind the token.
    pub(super) fn tokens_with_depth(
        &self,
        from: usize,
    ) -> impl Iterator<Item = (usize, TokenKind, usize)> {
        let mut depth = 0_usize;
        self.lexed.tokens[from..].iter().enumerate().map(move |(i, token)| {
            match token.kind {
                TokenKind::LBrace
                | TokenKind::SelBrace
                | TokenKind::LBrack
                | TokenKind::ListStart
                | TokenKind::LParen
                | TokenKind::WsLParen => depth += 1,
                TokenKind::RBrace | TokenKind::RBrack | TokenKind::RParen => {
                    depth = depth.saturating_sub(1);
                }
                _ => {}
            }
            (i, token.kind, depth)
        })
    }

    /// `<%= … %>`
    fn render_expression(&mut self) -> P<ExprId> {
        let start = self.bump();
        let value = if self.at(TokenKind::LBrace) && !self.hash_begins() {
            self.branch()?
        } else {
            self.expression()?
        };
        if !matches!(self.kind(), TokenKind::EppEnd | TokenKind::EppEndTrim) {
            return Err(self.unexpected());
        }
        self.bump();
        let range = self.range_from(start);
        self.add(Expr::Render(value), range)
    }

    /// Whether an expression can begin at the current token.
    pub(super) fn at_expression(&self) -> bool {
        starts_expression(self.kind())
    }
}

/// The kinds of entries of a comma list.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryKind {
    /// Arguments of a call.
    Argument,
    /// Keys of an access.
    Access,
    /// Elements of a list.
    Element,
}
