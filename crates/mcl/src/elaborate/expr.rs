//! Elaborates expressions in the order of the original.

use std::sync::Arc;

use ordain_source::Span;

use super::elaborator::{Deferred, Elaborator, FrameId, Subject, Typed, Validation};
use crate::check::constants;
use crate::check::program::ModId;
use crate::check::scope::{self, VarDef, VarHit};
use crate::functions::Operator;
use crate::ir::{IrId, IrKind, Lambda, ParamId};
use crate::syntax::ast::{BinaryOp, ExprId, ExprKind, FuncDef, Name, Piece, StmtKind, Tree};
use crate::types::Type;
use crate::types::node::of_node;
use crate::types::unify::TyId;
use crate::value::Value;

/// The maximal number of texts that are joined one by one.
const MAX_IN_A_ROW: usize = 100;

/// The content of parentheses.
pub(super) fn bare(tree: &Tree, mut id: ExprId) -> ExprId {
    while let ExprKind::Paren(inner) = &tree.exprs[id].kind {
        id = *inner;
    }
    id
}

impl Elaborator<'_> {
    /// An expression with its type.
    pub(super) fn infer(&mut self, frame: FrameId, id: ExprId) -> Typed {
        self.infer_as(frame, id, None)
    }

    /// An expression with an expected type.
    pub(super) fn check(&mut self, frame: FrameId, id: ExprId, wanted: TyId) -> Typed {
        let typed = self.infer(frame, id);
        let (span, subject) = self.place(frame, id);
        self.require(span, subject, wanted, typed.ty);
        typed
    }

    /// The place and the description of an expression for messages.
    pub(super) fn place(&self, frame: FrameId, id: ExprId) -> (Span, Subject) {
        let module = self.frame(frame).block.module();
        let tree = &self.modules.at(module).tree;
        let id = bare(tree, id);
        (self.span_of((module, id)), Subject::Expr(module, id))
    }

    /// An expression with an optional declared type.
    pub(super) fn infer_as(&mut self, frame: FrameId, id: ExprId, ann: Option<TyId>) -> Typed {
        let module = self.module_of(frame);
        let id = bare(&module.tree, id);
        let at = (self.frame(frame).block.module(), id);
        if !self.is_within(at) {
            return self.broken(at);
        }
        match &module.tree.exprs[id].kind {
            ExprKind::Bool(value) => self.constant((*value).into(), TyId::BOOL, at),
            ExprKind::Int(value) => self.constant((*value).into(), TyId::INT, at),
            ExprKind::Float(value) => self.constant((*value).into(), TyId::FLOAT, at),
            ExprKind::Str(pieces) => self.text(frame, pieces, at),
            ExprKind::List(items) => self.list(frame, items, at, ann),
            ExprKind::Map(pairs) => self.map(frame, pairs, at, ann),
            ExprKind::Struct(fields) => self.record(frame, fields, at, ann),
            ExprKind::Var(name) => self.var(frame, name, at),
            ExprKind::Call(name, args) => self.named_call(frame, name, args, at, ann),
            ExprKind::CallVar(name, args) => self.value_call(frame, name, args, at, ann),
            ExprKind::CallLambda(func, args) => self.lambda_call(frame, *func, args, at, ann),
            ExprKind::Lambda(func) => self.lambda(frame, func, at, ann),
            ExprKind::If(parts) => self.choice(frame, *parts, at, ann),
            ExprKind::Except(value, other) => self.except(frame, *value, *other, at, ann),
            ExprKind::Binary(..) => self.operators(frame, at, ann),
            ExprKind::Not(inner) => {
                let inner = self.infer(frame, *inner);
                let result = self.result(at, ann);
                self.require_call(at, inner.ty, TyId::BOOL);
                self.require_call(at, result, TyId::BOOL);
                self.node(IrKind::Operator(Operator::Not, inner.ir, None), at, result)
            }
            ExprKind::In(a, b) => {
                let args = vec![self.infer(frame, *a), self.infer(frame, *b)];
                self.builtin_by_name("contains", args, at, ann)
            }
            ExprKind::Index(a, b) => {
                let args = vec![self.infer(frame, *a), self.infer(frame, *b)];
                self.builtin_by_name("_lookup", args, at, ann)
            }
            ExprKind::Field(of, name, default) => {
                let mut args = vec![self.infer(frame, *of)];
                args.push(self.constant(name.as_str().into(), TyId::STR, at));
                let func = match default {
                    Some(default) => {
                        args.push(self.infer(frame, *default));
                        "_struct_lookup_optional"
                    }
                    None => "_struct_lookup",
                };
                self.builtin_by_name(func, args, at, ann)
            }
            ExprKind::Paren(inner) => self.infer_as(frame, *inner, ann),
        }
    }

    pub(super) fn constant(&mut self, value: Value, ty: TyId, at: (ModId, ExprId)) -> Typed {
        self.node(IrKind::Const(value), at, ty)
    }

    /// A composite has its own type, which has to match a declared one.
    fn own_type(&mut self, at: (ModId, ExprId), own: TyId, ann: Option<TyId>) {
        let span = self.span_of(at);
        self.require(span, Subject::Expr(at.0, at.1), own, ann.unwrap_or(own));
    }

    /// The type of the result of a call.
    pub(super) fn result(&mut self, at: (ModId, ExprId), ann: Option<TyId>) -> TyId {
        let result = self.types.hole();
        self.own_type(at, result, ann);
        result
    }

    pub(super) fn require_call(&mut self, at: (ModId, ExprId), expected: TyId, actual: TyId) {
        let span = self.span_of(at);
        self.require(span, Subject::Expr(at.0, at.1), expected, actual);
    }

    /// A text, and the variables in it.
    fn text(&mut self, frame: FrameId, pieces: &[Piece], at: (ModId, ExprId)) -> Typed {
        if let [piece] = pieces {
            return match piece {
                Piece::Text(text) => self.constant(text.as_str().into(), TyId::STR, at),
                Piece::Var(name) => {
                    let typed = self.var(frame, name, at);
                    let span = self.span_of(at);
                    let subject = Subject::Expr(at.0, at.1);
                    let (expected, actual) = (TyId::STR, typed.ty);
                    self.late.push(super::elaborator::Constraint {
                        span,
                        subject,
                        expected,
                        actual,
                    });
                    self.node(IrKind::Text(typed.ir), at, typed.ty)
                }
            };
        }
        let parts: Vec<Typed> = pieces
            .iter()
            .map(|piece| match piece {
                Piece::Text(text) => self.constant(text.as_str().into(), TyId::STR, at),
                Piece::Var(name) => self.var(frame, name, at),
            })
            .collect();
        self.joined(parts, at)
    }

    /// Concatenates texts. The original joins the last two first, and so on. Many texts are joined
    /// in halves, because intermediate results would take quadratic memory.
    fn joined(&mut self, mut parts: Vec<Typed>, at: (ModId, ExprId)) -> Typed {
        while parts.len() > MAX_IN_A_ROW {
            let mut pairs = Vec::with_capacity(parts.len() / 2 + 1);
            for pair in parts.chunks(2) {
                pairs.push(match pair {
                    [a, b] => self.concat(*a, *b, at),
                    rest => rest[0],
                });
            }
            parts = pairs;
        }
        let joined = parts.into_iter().rev().reduce(|rest, part| self.concat(part, rest, at));
        joined.unwrap_or_else(|| self.constant("".into(), TyId::STR, at))
    }

    fn concat(&mut self, a: Typed, b: Typed, at: (ModId, ExprId)) -> Typed {
        self.builtin_by_name("concat", vec![a, b], at, Some(TyId::STR))
    }

    fn list(
        &mut self,
        frame: FrameId,
        items: &[ExprId],
        at: (ModId, ExprId),
        ann: Option<TyId>,
    ) -> Typed {
        let item = self.types.hole();
        let own = self.types.list(item);
        let parts: Vec<IrId> = items.iter().map(|part| self.check(frame, *part, item).ir).collect();
        self.own_type(at, own, ann);
        self.node(IrKind::List(parts.into()), at, own)
    }

    fn map(
        &mut self,
        frame: FrameId,
        pairs: &[(ExprId, ExprId)],
        at: (ModId, ExprId),
        ann: Option<TyId>,
    ) -> Typed {
        let (key, value) = (self.types.hole(), self.types.hole());
        let own = self.types.map(key, value);
        let parts: Vec<(IrId, IrId)> = pairs
            .iter()
            .map(|(k, v)| {
                let k = self.check(frame, *k, key).ir;
                (k, self.check(frame, *v, value).ir)
            })
            .collect();
        self.own_type(at, own, ann);
        let typed = self.node(IrKind::Map(parts.into()), at, own);
        self.validations.push(Validation::Map { ir: typed.ir });
        typed
    }

    fn record(
        &mut self,
        frame: FrameId,
        fields: &[(Name, ExprId)],
        at: (ModId, ExprId),
        ann: Option<TyId>,
    ) -> Typed {
        let (mut types, mut parts) = (Vec::new(), Vec::new());
        for (_, value) in fields {
            let ty = self.types.hole();
            types.push(ty);
            parts.push(self.check(frame, *value, ty).ir);
        }
        let names: Arc<[Name]> = fields.iter().map(|(name, _)| name.clone()).collect();
        let own = self.types.record(Arc::clone(&names), types);
        self.own_type(at, own, ann);
        self.node(IrKind::Struct(names, parts.into()), at, own)
    }

    fn choice(
        &mut self,
        frame: FrameId,
        parts: [ExprId; 3],
        at: (ModId, ExprId),
        ann: Option<TyId>,
    ) -> Typed {
        let condition = self.check(frame, parts[0], TyId::BOOL).ir;
        let own = self.types.hole();
        let then = self.check(frame, parts[1], own).ir;
        let other = self.check(frame, parts[2], own).ir;
        self.own_type(at, own, ann);
        self.node(IrKind::If([condition, then, other]), at, own)
    }

    fn except(
        &mut self,
        frame: FrameId,
        value: ExprId,
        other: ExprId,
        at: (ModId, ExprId),
        ann: Option<TyId>,
    ) -> Typed {
        let own = self.types.hole();
        let value = self.check(frame, value, own).ir;
        let other = self.check(frame, other, own).ir;
        self.own_type(at, own, ann);
        self.node(IrKind::Except(value, other), at, own)
    }

    /// A chain of operators, from its left end: a long chain must not become a deep recursion.
    fn operators(&mut self, frame: FrameId, at: (ModId, ExprId), ann: Option<TyId>) -> Typed {
        let module = self.modules.at(at.0);
        let mut chain = Vec::new();
        let mut id = at.1;
        while let ExprKind::Binary(op, left, right) = &module.tree.exprs[id].kind {
            chain.push((id, *op, *right));
            id = bare(&module.tree, *left);
        }
        let mut left = self.infer(frame, id);
        for (id, op, right) in chain.into_iter().rev() {
            let right = self.infer(frame, right);
            let ann = if id == at.1 { ann } else { None };
            left = self.operator(op, left, right, (at.0, id), ann);
        }
        left
    }

    fn operator(
        &mut self,
        op: BinaryOp,
        left: Typed,
        right: Typed,
        at: (ModId, ExprId),
        ann: Option<TyId>,
    ) -> Typed {
        for (part, number) in [(left, 1), (right, 2)] {
            if !self.takes(part.ir, "_operator", number) {
                return self.broken(at);
            }
        }
        let result = self.result(at, ann);
        let operand = match op {
            BinaryOp::And | BinaryOp::Or => TyId::BOOL,
            _ => self.types.hole(),
        };
        let gives = match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => operand,
            BinaryOp::Div => TyId::FLOAT,
            _ => TyId::BOOL,
        };
        self.require_call(at, left.ty, operand);
        self.require_call(at, right.ty, operand);
        self.require_call(at, result, gives);
        self.node(IrKind::Operator(op.operator(), left.ir, Some(right.ir)), at, result)
    }

    /// A variable.
    pub(super) fn var(&mut self, frame: FrameId, name: &Name, at: (ModId, ExprId)) -> Typed {
        if let Some((_, param)) = self.locals.iter().rev().find(|(local, _)| local == name) {
            return self.param(*param, at);
        }
        match scope::find_var(self, frame, name) {
            Some(VarHit::In(found, def)) => self.defined(found, def, at),
            Some(VarHit::Global(name)) if name == "hostname" => {
                self.node(IrKind::Hostname, at, TyId::STR)
            }
            Some(VarHit::Global(name)) => match constants::value(&name) {
                Some(value) => {
                    let ty = self.types.add(&Type::of(&value));
                    self.constant(value, ty, at)
                }
                None => self.broken(at),
            },
            None => self.broken(at),
        }
    }

    pub(super) fn defined(&mut self, found: FrameId, def: VarDef, at: (ModId, ExprId)) -> Typed {
        let id = match def {
            VarDef::Index => return self.param(self.frame(found).first, at),
            VarDef::Value => return self.param(ParamId(self.frame(found).first.0 + 1), at),
            VarDef::Param(number) => match self.frame(found).args.get(number as usize) {
                Some(id) => *id,
                None => return self.broken(at),
            },
            VarDef::Bind(stmt) => match self.frame(found).binds.get(&stmt) {
                Some(id) => *id,
                None => {
                    let module = self.module_of(found);
                    let StmtKind::Bind { value, ty, .. } = &module.tree.stmts[stmt].kind else {
                        return self.broken(at);
                    };
                    let id = self.define(found, *value, ty.as_ref().map(of_node));
                    self.frames[found.0 as usize].binds.insert(stmt, id);
                    id
                }
            },
        };
        let typed = self.definition(id);
        self.node(IrKind::Def(id), at, typed.ty)
    }

    fn param(&mut self, id: ParamId, at: (ModId, ExprId)) -> Typed {
        let param = &mut self.params[id.0 as usize];
        let ty = param.ty;
        let is_new = !std::mem::replace(&mut param.is_used, true);
        if is_new && param.known.is_none() {
            let span = self.param_span(id);
            self.require(span, Subject::Param(id), ty, ty);
        }
        self.node(IrKind::Param(id), at, ty)
    }

    /// A lambda as a value.
    fn lambda(
        &mut self,
        frame: FrameId,
        func: &FuncDef,
        at: (ModId, ExprId),
        ann: Option<TyId>,
    ) -> Typed {
        let (lambda, own) = self.function(frame, func);
        self.own_type(at, own, ann);
        self.node(IrKind::Lambda(lambda), at, own)
    }

    /// Parameters, body and type of a function.
    pub(super) fn function(&mut self, frame: FrameId, func: &FuncDef) -> (Lambda, TyId) {
        let module = self.frame(frame).block.module();
        let depth = self.locals.len();
        let first = ParamId(self.params.len() as u32);
        let mut types = Vec::new();
        for param in &func.params {
            let id = self.parameter(&param.name, param.ty.as_ref(), (module, param.range));
            let ty = self.params[id.0 as usize].ty;
            let span = self.param_span(id);
            self.params[id.0 as usize].is_used = true;
            self.require(span, Subject::Param(id), ty, ty);
            types.push(ty);
            self.locals.push((param.name.clone(), id));
        }
        // The last of several parameters with one name wins.
        for (number, param) in func.params.iter().enumerate() {
            let last = func.params.iter().rposition(|other| other.name == param.name);
            types[number] = types[last.unwrap_or(number)];
        }
        let result = match &func.result {
            Some(ty) => self.types.add(&of_node(ty)),
            None => self.types.hole(),
        };
        let body = self.check(frame, func.body, result).ir;
        self.locals.truncate(depth);
        let count = func.params.len() as u32;
        (Lambda { first, count, body }, self.types.func(types, result))
    }

    /// Registers a decision for later, when more types are known.
    pub(super) fn defer(&mut self, deferred: Deferred) {
        self.deferred.push(deferred);
    }
}
