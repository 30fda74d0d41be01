//! Expressions: operators by precedence, access, calls, selectors, collectors, lambdas.

use ordain_source::TextRange;
use ordain_syntax::operators::{self, Operators};

use super::statement::starts_expression;
use super::{Abort, P, Parser, T, Token};
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
fn infix_op(kind: T) -> Option<(Infix, u8)> {
    let (op, power) = match kind {
        T::In => (BinaryOp::In, 15),
        T::Match => (BinaryOp::Match, 14),
        T::NoMatch => (BinaryOp::NotMatch, 14),
        T::Times => (BinaryOp::Mul, 13),
        T::Div => (BinaryOp::Div, 13),
        T::Modulo => (BinaryOp::Mod, 13),
        T::Plus => (BinaryOp::Add, 12),
        T::Minus => (BinaryOp::Sub, 12),
        T::LShift => (BinaryOp::ShiftLeft, 11),
        T::RShift => (BinaryOp::ShiftRight, 11),
        T::IsEqual => (BinaryOp::Eq, 10),
        T::NotEqual => (BinaryOp::NotEq, 10),
        T::Less => (BinaryOp::Less, 9),
        T::LessEqual => (BinaryOp::LessEq, 9),
        T::Greater => (BinaryOp::Greater, 9),
        T::GreaterEqual => (BinaryOp::GreaterEq, 9),
        T::And => return Some((Infix::And, 7)),
        T::Or => return Some((Infix::Or, 6)),
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
            T::Minus => Expr::Minus,
            T::Times => Expr::Splat,
            T::Not => Expr::Not,
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
            T::Dot => self.method(left),
            T::LBrack => self.access(left),
            T::LParen => self.call(left),
            T::LCollect | T::LlCollect => self.collection(left),
            T::QMark if min < SELECT => self.selector(left),
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
            T::Variable => {
                self.bump();
                let text = self.slice(token);
                let name = text.strip_prefix('$').unwrap_or(text).into();
                Ok(self.leaf(Expr::Var(name), range))
            }
            T::Str => {
                self.bump();
                let text = self.string(token);
                Ok(self.leaf(Expr::Str(text), range))
            }
            T::Name if self.at_invariant() => self.invariant_statement(),
            T::Name => {
                self.bump();
                let text = self.slice(token).into();
                Ok(self.leaf(Expr::Name(text), range))
            }
            T::ClassRef => Ok(self.type_reference()),
            T::DqPre => self.dq_string(),
            T::Number => self.number_literal(),
            T::LParen | T::WsLParen => self.parenthesized(token),
            T::LBrack | T::ListStart => self.enclosed(Self::array),
            T::LBrace => self.enclosed(Self::hash),
            kind if kind.is_keyword() => self.keyword_expression(token),
            _ => self.rare_primary(token),
        }
    }

    fn rare_primary(&mut self, token: Token) -> P<ExprId> {
        let range = self.range(token);
        match token.kind {
            T::Word => {
                self.bump();
                let text = self.slice(token).into();
                Ok(self.leaf(Expr::Str(text), range))
            }
            T::Regex => {
                self.bump();
                let text = self.string(token);
                Ok(self.leaf(Expr::Regex(text), range))
            }
            T::Heredoc => self.heredoc(),
            T::RenderString => {
                self.bump();
                let text = self.string(token);
                Ok(self.leaf(Expr::RenderText(text), range))
            }
            T::RenderExpr => self.nested(Self::render_expression),
            _ => Err(self.unexpected()),
        }
    }

    fn keyword_expression(&mut self, token: Token) -> P<ExprId> {
        let leaf = match token.kind {
            T::True => Expr::Bool(true),
            T::False => Expr::Bool(false),
            T::Undef => Expr::Undef,
            T::Default => Expr::Default,
            T::Attr | T::Private => Expr::Reserved(self.slice(token).into()),
            T::If => return self.if_expression(),
            T::Unless => return self.unless_expression(),
            T::Case => return self.case_expression(),
            T::Class => return self.class_definition(),
            T::Define => return self.define_definition(),
            T::Function => return self.function_definition(),
            T::Node => return self.node_definition(),
            T::Type => return self.type_expression(),
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
        self.expect(T::RParen)?;
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
        self.expect(T::LBrack)?;
        self.entries(T::RBrack, EntryKind::Access, end_comma)?;
        self.expect(T::RBrack)?;
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
        self.expect(T::LParen)?;
        if !self.at(T::RParen) {
            self.entries(T::RParen, EntryKind::Argument, true)?;
        }
        self.expect(T::RParen)?;
        Ok(())
    }

    /// `left.name`, with arguments and a lambda.
    fn method(&mut self, left: ExprId) -> P<ExprId> {
        let dot = self.bump();
        if !matches!(self.kind(), T::Name | T::Type) {
            return Err(self.unexpected());
        }
        let name = self.bump();
        let name_range = self.range(dot);
        let text = self.slice(name).to_owned();
        let callee = self.name(text.as_str(), name_range);
        let mark = self.stack.len();
        self.stack.push(left);
        let open = self.token();
        let parens = open.kind == T::LParen;
        let given = text == "new" && !parens && !self.in_head && self.at(T::LBrace);
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
        self.expect(T::LParen)?;
        if !self.at(T::RParen) {
            self.entries(T::RParen, EntryKind::Argument, false)?;
        }
        self.expect(T::RParen)?;
        Ok(())
    }

    fn optional_lambda(&mut self) -> P<Option<ExprId>> {
        if self.at(T::Pipe) { self.enclosed(Self::lambda).map(Some) } else { Ok(None) }
    }

    pub(super) fn lambda(&mut self) -> P<ExprId> {
        let start = self.expect(T::Pipe)?;
        let params = if self.at(T::Pipe) { Default::default() } else { self.parameters(T::Pipe)? };
        let params = self.program.params.extend(params);
        self.expect(T::Pipe)?;
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
        if self.eat(T::SelBrace) {
            self.nested(|p| {
                loop {
                    options.push(p.selector_entry()?);
                    if !p.eat(T::Comma) || p.at(T::RBrace) {
                        return p.expect(T::RBrace).map(|_| ());
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
        let arrow = self.expect(T::FArrow)?;
        let then = self.expression()?;
        let values = self.program.lists.extend([value]);
        Ok(CaseOption { values, then, range: self.range(arrow) })
    }

    /// `left <| … |>`
    fn collection(&mut self, left: ExprId) -> P<ExprId> {
        let open = self.bump();
        let exported = open.kind == T::LlCollect;
        let close = if exported { T::RrCollect } else { T::RCollect };
        let query = if self.at(close) {
            let at = self.range(self.token()).start;
            self.nop(at)
        } else {
            self.nested(Self::expression)?
        };
        self.expect(close)?;
        let mut attributes = Vec::new();
        if self.eat(T::LBrace) {
            self.nested(|p| p.attribute_operations(&mut attributes))?;
            self.expect(T::RBrace)?;
        }
        let attributes = self.program.attributes.extend(attributes);
        let range = self.range_from_place(self.program.range(left).start);
        self.add(Expr::Collect { exported, kind: left, query, attributes }, range)
    }

    /// Parses arguments, keys or list entries until `end`. Adjacent `k => v` become one hash. They
    /// are left on the stack.
    pub(super) fn entries(&mut self, end: T, kind: EntryKind, end_comma: bool) -> P<()> {
        let mut pairs: Vec<ExprId> = Vec::new();
        let mut pairs_at = TextRange::default();
        loop {
            let keyword = self.entry_keyword();
            let entry = match keyword {
                Some(id) => id,
                None => self.assignment()?,
            };
            if self.at(T::FArrow) {
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
            if !self.at(T::Comma) {
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
        let arrow = self.expect(T::FArrow)?;
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
            (T::Type, next) => !matches!(next, T::LParen | T::ClassRef),
            (T::Function, next) => {
                !matches!(next, T::Name | T::Word | T::ClassRef | T::Class | T::Str)
            }
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
        let mut depth = 0_usize;
        for (i, token) in self.lexed.tokens[self.pos..].iter().enumerate() {
            match token.kind {
                T::LBrace | T::SelBrace | T::LBrack | T::ListStart | T::LParen | T::WsLParen => {
                    depth += 1;
                }
                T::RBrace | T::RBrack | T::RParen => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return i == 1;
                    }
                }
                T::FArrow if depth == 1 => return true,
                T::QMark | T::Semic if depth == 1 => return false,
                T::Eof | T::EppEnd | T::EppEndTrim => return false,
                _ => {}
            }
        }
        false
    }

    /// `<%= … %>`
    fn render_expression(&mut self) -> P<ExprId> {
        let start = self.bump();
        let value = if self.at(T::LBrace) && !self.hash_begins() {
            self.branch()?
        } else {
            self.expression()?
        };
        if !matches!(self.kind(), T::EppEnd | T::EppEndTrim) {
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
