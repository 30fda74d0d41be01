//! Calls of function statements, function values and built-in functions.

use std::sync::Arc;

use ordain_source::Span;
use rustc_hash::FxHashMap;

use super::elaborator::{Deferred, Elaborator, FrameId, Subject, Typed, Validation};
use crate::Edition;
use crate::check::program::ModId;
use crate::check::scope::{self, FuncHit, VarDef, VarHit};
use crate::functions::{self, Builtin, KnownArg, Shape, deprecated};
use crate::ir::{BuiltinCall, IrId, IrKind, ParamId};
use crate::syntax::ast::{ExprId, ExprKind, Name, Piece, StmtId, StmtKind, Tree};
use crate::types::unify::TyId;
use crate::types::{FuncType, Type};
use crate::value::Value;

/// The first number of type variables that come from the arguments.
pub(super) const OTHER_VARIABLES: u32 = 101;

/// Whether an expression consists of values only. The original does not copy these.
fn is_fixed(tree: &Tree, id: ExprId) -> bool {
    let mut left = vec![id];
    while let Some(id) = left.pop() {
        match &tree.exprs[id].kind {
            ExprKind::Bool(_) | ExprKind::Int(_) | ExprKind::Float(_) => {}
            ExprKind::Str(pieces) => {
                if pieces.iter().any(|piece| matches!(piece, Piece::Var(_))) {
                    return false;
                }
            }
            ExprKind::List(parts) => left.extend(parts),
            ExprKind::Map(pairs) => left.extend(pairs.iter().flat_map(|(key, value)| [key, value])),
            ExprKind::Struct(fields) => left.extend(fields.iter().map(|(_, value)| value)),
            ExprKind::If(parts) => left.extend(parts),
            ExprKind::Except(value, other) => left.extend([value, other]),
            ExprKind::Paren(inner) => left.push(*inner),
            ExprKind::Lambda(func) => left.push(func.body),
            ExprKind::CallLambda(func, args) => {
                left.push(*func);
                left.extend(args);
            }
            _ => return false,
        }
    }
    true
}

/// The common data of all calls.
struct CallContext {
    args: Box<[IrId]>,
    result: TyId,
    /// The requirement on the function.
    shape: TyId,
}

impl Elaborator<'_> {
    /// Elaborates the arguments of a call and constrains the function by them.
    fn calling(
        &mut self,
        frame: FrameId,
        args: &[ExprId],
        at: (ModId, ExprId),
        ann: Option<TyId>,
    ) -> CallContext {
        let args: Vec<Typed> = args.iter().map(|arg| self.infer(frame, *arg)).collect();
        self.calling_with(&args, at, ann)
    }

    fn calling_with(
        &mut self,
        args: &[Typed],
        at: (ModId, ExprId),
        ann: Option<TyId>,
    ) -> CallContext {
        let result = self.result(at, ann);
        let shape = self.types.func(args.iter().map(|arg| arg.ty).collect(), result);
        CallContext { args: args.iter().map(|arg| arg.ir).collect(), result, shape }
    }

    /// `f(args)`
    pub(super) fn named_call(
        &mut self,
        frame: FrameId,
        name: &Name,
        args: &[ExprId],
        at: (ModId, ExprId),
        ann: Option<TyId>,
    ) -> Typed {
        match scope::find_func(self, frame, name) {
            None => self.broken(at),
            Some(FuncHit::Builtin(mut func)) => {
                if self.edition == Edition::Wide
                    && let Some(old) = deprecated::with_arguments(func, args.len())
                {
                    func = &old.builtin;
                }
                if !self.has_names_for(func, name, args.len(), at) {
                    return self.broken(at);
                }
                let args = args.iter().map(|arg| self.infer(frame, *arg)).collect();
                self.builtin(func, name, args, at, ann)
            }
            Some(FuncHit::In(found, stmt)) => self.copied(frame, found, stmt, args, at, ann),
        }
    }

    /// Whether a built-in function accepts this number of arguments.
    fn has_names_for(
        &mut self,
        func: &'static Builtin,
        name: &str,
        count: usize,
        at: (ModId, ExprId),
    ) -> bool {
        if func.shape == Shape::Variable {
            return true;
        }
        let signature = func.signature();
        let most = signature.as_func().map_or(0, |shape| shape.args.len());
        if count <= most {
            return true;
        }
        let text = format!(
            "error getting arg name #{most} for func `{name}`: index {most} exceeds arg length of \
             {most}"
        );
        let span = self.span_of(at);
        self.refuse(text, span);
        false
    }

    /// A call of a function statement makes a copy with its own types.
    fn copied(
        &mut self,
        frame: FrameId,
        found: FrameId,
        stmt: StmtId,
        args: &[ExprId],
        at: (ModId, ExprId),
        ann: Option<TyId>,
    ) -> Typed {
        let module = self.module_of(found);
        let StmtKind::Func(_, func) = &module.tree.stmts[stmt].kind else {
            return self.broken(at);
        };
        self.called.insert((self.frame(found).block.module(), stmt));
        let calling = self.calling(frame, args, at, ann);
        let is_hidden = |number: usize| {
            func.params[number + 1..].iter().any(|later| later.name == func.params[number].name)
        };
        if let Some(number) = (0..func.params.len()).find(|number| is_hidden(*number)) {
            let param = &func.params[number];
            let text = format!("expr: param({}) is ambiguous: ?1", param.name);
            self.refuse(text, param.range.in_file(module.file));
        }
        let shared = (self.frame(found).block.module(), stmt);
        let known = self.shared.get(&shared).copied();
        let (lambda, own, span) = match known {
            Some(known) => known,
            None => {
                let locals = std::mem::take(&mut self.locals);
                let (lambda, own) = self.function(found, func);
                self.locals = locals;
                (lambda, own, self.span_of(at))
            }
        };
        if known.is_none() && self.edition == Edition::Upstream && is_fixed(&module.tree, func.body)
        {
            self.shared.insert(shared, (lambda, own, span));
        }
        self.require(span, Subject::Expr(at.0, at.1), calling.shape, own);
        self.node(IrKind::Apply(lambda, calling.args), at, calling.result)
    }

    /// `$f(args)`
    pub(super) fn value_call(
        &mut self,
        frame: FrameId,
        name: &Name,
        args: &[ExprId],
        at: (ModId, ExprId),
        ann: Option<TyId>,
    ) -> Typed {
        let calling = self.calling(frame, args, at, ann);
        let func = self.var(frame, name, at);
        let (span, subject) = self.definition_place(frame, name, at);
        self.require(span, subject, calling.shape, func.ty);
        self.node(IrKind::Call(func.ir, calling.args), at, calling.result)
    }

    /// The expression that defines a variable. A call with wrong types is reported there.
    fn definition_place(
        &mut self,
        frame: FrameId,
        name: &Name,
        at: (ModId, ExprId),
    ) -> (Span, Subject) {
        let own = (self.span_of(at), Subject::Expr(at.0, at.1));
        let param = |this: &Self, id: ParamId| (this.param_span(id), Subject::Param(id));
        if let Some((_, id)) = self.locals.iter().rev().find(|(local, _)| local == name) {
            return param(self, *id);
        }
        let Some(VarHit::In(found, def)) = scope::find_var(self, frame, name) else { return own };
        match def {
            VarDef::Index => param(self, self.frame(found).first),
            VarDef::Value => param(self, ParamId(self.frame(found).first.0 + 1)),
            VarDef::Bind(stmt) => {
                let module = self.module_of(found);
                match &module.tree.stmts[stmt].kind {
                    StmtKind::Bind { value, .. } => self.place(found, *value),
                    _ => own,
                }
            }
            VarDef::Param(number) => match self.frame(found).args.get(number as usize) {
                Some(id) => match self.defs[id.0 as usize].state {
                    super::elaborator::State::Done { ir, .. } => {
                        let at = self.program.ir[ir].at;
                        (self.span_of(at), Subject::Expr(at.0, at.1))
                    }
                    _ => own,
                },
                None => own,
            },
        }
    }

    /// `func($x) { … }(args)`
    pub(super) fn lambda_call(
        &mut self,
        frame: FrameId,
        func: ExprId,
        args: &[ExprId],
        at: (ModId, ExprId),
        ann: Option<TyId>,
    ) -> Typed {
        let calling = self.calling(frame, args, at, ann);
        let func = self.check(frame, func, calling.shape);
        self.node(IrKind::Call(func.ir, calling.args), at, calling.result)
    }

    pub(super) fn builtin_by_name(
        &mut self,
        name: &'static str,
        args: Vec<Typed>,
        at: (ModId, ExprId),
        ann: Option<TyId>,
    ) -> Typed {
        match functions::find(name) {
            Some(func) => self.builtin(func, name, args, at, ann),
            None => self.broken(at),
        }
    }

    /// The original refuses an argument if the function picks its signature by it, its type and
    /// value are both known before inference, and the value has no type by itself.
    pub(super) fn takes(&mut self, arg: IrId, name: &str, number: usize) -> bool {
        if self.edition != Edition::Upstream {
            return true;
        }
        let Some(ty) = self.untyped_value(arg) else { return true };
        let text =
            format!("type/value inconsistent at arg #{number} for func `{name}`: {ty} != <nil>");
        let span = self.span_of(self.program.ir[arg].at);
        self.refuse(text, span);
        false
    }

    /// The known parts of the arguments of a call before types are inferred.
    fn known_args(&mut self, name: &str, args: &[Typed]) -> Option<Vec<KnownArg>> {
        let mut known = Vec::new();
        for (number, arg) in args.iter().enumerate() {
            let (ty, value) = (self.known_type(arg.ir), self.known_value(arg.ir));
            let own = value.as_ref().map(Type::of).filter(Type::is_known);
            if let (Some(ty), Some(own)) = (&ty, &own)
                && ty != own
            {
                let text = format!(
                    "type/value inconsistent at arg #{number} for func `{name}`: {ty} != {own}"
                );
                let span = self.span_of(self.program.ir[arg.ir].at);
                self.refuse(text, span);
                return None;
            }
            if !self.takes(arg.ir, name, number) {
                return None;
            }
            known.push(KnownArg { ty, value });
        }
        Some(known)
    }

    /// A call of a built-in function.
    pub(super) fn builtin(
        &mut self,
        func: &'static Builtin,
        name: &str,
        args: Vec<Typed>,
        at: (ModId, ExprId),
        ann: Option<TyId>,
    ) -> Typed {
        let CallContext { args: irs, result, shape } = self.calling_with(&args, at, ann);
        let is_variable = func.shape == Shape::Variable;
        let known = if is_variable {
            match self.known_args(name, &args) {
                Some(known) => known,
                None => return self.broken(at),
            }
        } else {
            Vec::new()
        };
        let span = self.span_of(at);
        let signature = match functions::instantiate(func, &known) {
            Ok(signature) => signature,
            Err(cause) => {
                let title = func.name.rsplit('.').next().unwrap_or(func.name);
                self.refuse(format!("func `{title}` infer error: {cause}"), span);
                return self.broken(at);
            }
        };
        let own = self.signature(&signature);
        self.require(span, Subject::Expr(at.0, at.1), shape, own);
        let call = BuiltinCall { func, args: irs, shape, signature: None };
        let typed = self.node(IrKind::Builtin(Box::new(call)), at, result);
        self.decide_later(func.name, &signature, &known, &args, typed);
        if is_variable || matches!(func.name, "len" | "panic" | "math.mod" | "math.fortytwo") {
            self.validations.push(Validation::Builtin { ir: typed.ir, args: known });
        }
        typed
    }

    fn signature(&mut self, signature: &FuncType) -> TyId {
        let ty = Type::Func(Arc::new(signature.clone()));
        let mut known = FxHashMap::default();
        ty.walk(&mut |part| {
            if let Type::Var(number) = part
                && let Some(param) = number.checked_sub(OTHER_VARIABLES)
                && let Some(param) = self.params.get(param as usize)
            {
                known.insert(*number, param.ty);
            }
        });
        self.types.add_with(&ty, &mut known)
    }

    /// In the wide edition a lookup may be decided after the other types are known.
    fn decide_later(
        &mut self,
        name: &str,
        signature: &FuncType,
        known: &[KnownArg],
        args: &[Typed],
        typed: Typed,
    ) {
        if self.edition != Edition::Wide {
            return;
        }
        let is_open = matches!(signature.result, Type::Var(number) if number < OTHER_VARIABLES);
        match (name, args) {
            ("_lookup", [of, key]) if matches!(signature.args.first(), Some(Type::Var(_))) => {
                let (of, key) = (of.ty, key.ty);
                self.defer(Deferred::Lookup { ir: typed.ir, of, key, result: typed.ty });
            }
            ("_struct_lookup", [of, _]) if is_open => {
                let name = known.get(1).and_then(|known| known.value.as_ref());
                if let Some(Value::Str(name)) = name {
                    let name = Name::from(&*name.to_text());
                    let of = of.ty;
                    self.defer(Deferred::Field { ir: typed.ir, of, name, result: typed.ty });
                }
            }
            _ => {}
        }
    }
}
