//! Statements, in source order.

use ordain_source::{Span, TextRange, suggest};

use super::elaborator::{Deferred, Elaborator, FrameId, Subject, Typed};
use crate::Edition;
use crate::check::init::META;
use crate::check::names::{self, Block};
use crate::check::scope::Frames;
use crate::check::type_nodes::of_node;
use crate::failure::{Failure, Phase};
use crate::functions;
use crate::ir::{
    BuiltinCall, EntryStep, EntryStepKind, ForStep, HalfStep, IrId, IrKind, ParamId, RegionId,
    ResourceStep, Step, StepId,
};
use crate::resources::{self, KindInfo};
use crate::syntax::ast::{
    EdgeHalf, Entry, EntryKind, ExprId, ExprKind, ForNode, Name, ResourceNode, StmtId, StmtKind,
};
use crate::types::unify::TyId;
use crate::types::{self, Type};

const COLLECT_RESULT: &str = "[]struct{name str; host str; data str}";
const COLLECT_NAMES: &str = "[]struct{name str; host str}";

/// The type of a meta parameter.
pub(crate) fn meta_type(name: &str) -> Type {
    match name {
        "retry" | "delay" | "timeout" | "poll" | "burst" => Type::Int,
        "limit" => Type::Float,
        "sema" | "export" => Type::list(Type::Str),
        _ => Type::Bool,
    }
}

impl Elaborator<'_> {
    /// The statements of a block.
    pub(super) fn block(&mut self, frame: FrameId) -> Vec<StepId> {
        let module = self.module_of(frame);
        let body: Vec<StmtId> = names::body(module, self.frame(frame).block).to_vec();
        let mut steps = Vec::new();
        for id in body {
            if self.is_within((self.frame(frame).block.module(), ExprId::new(0))) {
                self.statement(frame, id, &mut steps);
            }
        }
        steps
    }

    fn statement(&mut self, frame: FrameId, id: StmtId, steps: &mut Vec<StepId>) {
        let module = self.module_of(frame);
        let stmt = &module.tree.stmts[id];
        let span = stmt.range.in_file(module.file);
        match &stmt.kind {
            StmtKind::Bind { .. }
            | StmtKind::Func(..)
            | StmtKind::Class(_)
            | StmtKind::Import { .. } => {}
            StmtKind::Panic(call) => {
                let condition = self.condition(frame, *call, span);
                let name = condition.ir;
                let resource = ResourceStep {
                    kind: "_panic".into(),
                    known: resources::find("_panic"),
                    name,
                    collect: None,
                    entries: Vec::new(),
                    span,
                    included: None,
                };
                let then = vec![self.step(Step::Resource(Box::new(resource)))];
                let step = Step::If(condition.ir, then.into(), [].into());
                steps.push(self.step(step));
            }
            StmtKind::Resource(node) => {
                let step = self.resource(frame, node, span);
                steps.push(self.step(Step::Resource(Box::new(step))));
            }
            StmtKind::Edge(halves) => {
                if let Some(step) = self.edge(frame, halves, span) {
                    steps.push(self.step(step));
                }
            }
            StmtKind::If(condition, ..) => {
                let condition = self.condition(frame, *condition, span).ir;
                let then = self.inner(frame, id, 0);
                let other = self.inner(frame, id, 1);
                let step = Step::If(condition, then.into(), other.into());
                steps.push(self.step(step));
            }
            StmtKind::For(node) => {
                let step = self.for_statement(frame, id, node, span);
                steps.push(self.step(step));
            }
            StmtKind::Include { args, .. } => self.include(frame, id, args, span, steps),
        }
    }

    fn step(&mut self, step: Step) -> StepId {
        self.program.steps.push(step)
    }

    fn condition(&mut self, frame: FrameId, condition: ExprId, span: Span) -> Typed {
        let typed = self.infer(frame, condition);
        let (_, subject) = self.place(frame, condition);
        self.require(span, subject, TyId::BOOL, typed.ty);
        typed
    }

    /// A block inside of a statement.
    fn inner(&mut self, frame: FrameId, id: StmtId, number: u8) -> Vec<StepId> {
        let block = Block::Of(self.frame(frame).block.module(), id, number);
        let region = self.frame(frame).region;
        let inner = self.enter(block, Some(frame), region);
        self.block(inner)
    }

    fn for_statement(&mut self, frame: FrameId, id: StmtId, node: &ForNode, span: Span) -> Step {
        let over = self.infer(frame, node.over);
        let (_, subject) = self.place(frame, node.over);
        let module = self.frame(frame).block.module();
        let first = self.parameter(&node.index.0, None, (module, node.index.1));
        let value = self.parameter(&node.value.0, None, (module, node.value.1));
        let ty = |this: &Self, id: ParamId| this.params[id.0 as usize].ty;
        let (index_ty, value_ty) = (ty(self, first), ty(self, value));
        let expected = if node.is_map {
            self.types.map(index_ty, value_ty)
        } else {
            self.types.list(value_ty)
        };
        self.require(span, subject, expected, over.ty);
        if !node.is_map {
            self.require(span, Subject::Param(first), index_ty, TyId::INT);
        }
        self.params[first.0 as usize].is_used = true;
        let region = RegionId(self.program.regions.len() as u32);
        self.program.regions.push(0);
        let inner = self.enter(Block::Of(module, id, 0), Some(frame), region);
        self.frames[inner.0 as usize].first = first;
        let body = self.block(inner).into();
        let is_map = node.is_map;
        Step::For(Box::new(ForStep { is_map, over: over.ir, region, first, body }))
    }

    fn include(
        &mut self,
        frame: FrameId,
        id: StmtId,
        args: &[ExprId],
        span: Span,
        steps: &mut Vec<StepId>,
    ) {
        let Some(inside) = self.included(frame, id) else { return };
        let Block::Of(_, class, _) = self.frame(inside).block else { return };
        let class_module = self.module_of(inside);
        steps.extend(self.block(inside));
        let StmtKind::Class(node) = &class_module.tree.stmts[class].kind else { return };
        let defs = self.frame(inside).args.clone();
        for ((arg, def), param) in args.iter().zip(defs).zip(&node.params) {
            let typed = self.definition(def);
            if let Some(ty) = &param.ty {
                let expected = self.types.add(&of_node(ty));
                let (_, subject) = self.place(frame, *arg);
                self.require(span, subject, expected, typed.ty);
            }
        }
    }

    fn resource(&mut self, frame: FrameId, node: &ResourceNode, span: Span) -> ResourceStep {
        let name = self.infer(frame, node.name);
        let known = resources::find(&node.kind);
        let mut entries = Vec::new();
        for entry in &node.entries {
            if let Some(entry) = self.entry(frame, entry, &node.kind, known) {
                entries.push(entry);
            }
        }
        if known.is_none() && node.entries.iter().any(|e| matches!(e.kind, EntryKind::Field(..))) {
            // The fields of an unknown kind have no types.
            let text = format!("no resource kind `{}` available", node.kind);
            let failure = Failure::unknown_kind(text, &node.kind, span);
            self.found.push(Failure { phase: Phase::Unify, ..failure.placeless() });
        }
        let collect = node.collect.then(|| self.collect(frame, node, name, span)).flatten();
        self.name(frame, node.name, name, span, node.collect);
        let included = self.frame(frame).included.clone();
        let kind = node.kind.clone();
        ResourceStep { kind, known, name: name.ir, collect, entries, span, included }
    }

    /// The parts of a collected resource.
    fn collect(
        &mut self,
        frame: FrameId,
        node: &ResourceNode,
        name: Typed,
        span: Span,
    ) -> Option<IrId> {
        if resources::find(&node.kind).is_none() {
            self.refuse(format!("invalid resource kind: {}", node.kind), span);
            if let Some(failure) = self.found.pop() {
                self.found.push(failure.meaning(resources::nearest(&node.kind)));
            }
            return None;
        }
        let at = (self.frame(frame).block.module(), node.name);
        let kind = self.constant(node.kind.as_str().into(), TyId::STR, at);
        let func = functions::find("_collect")?;
        let result = types::parse(COLLECT_RESULT).ok()?;
        let result = self.types.add(&result);
        let shape = self.types.func(vec![TyId::STR, name.ty], result);
        let args = Box::new([kind.ir, name.ir]);
        let call = BuiltinCall { func, args, shape, signature: None };
        Some(self.node(IrKind::Builtin(Box::new(call)), at, result).ir)
    }

    /// The name of a resource, or of a half of an edge.
    fn name(&mut self, frame: FrameId, expr: ExprId, name: Typed, span: Span, is_collect: bool) {
        let (_, subject) = self.place(frame, expr);
        let module = self.module_of(frame);
        let is_text = matches!(module.tree.exprs[expr].kind, ExprKind::Str(_));
        let known = if is_text { Some(Type::Str) } else { self.known_type(name.ir) };
        let names = types::parse(COLLECT_NAMES).ok();
        let expected = match known {
            Some(Type::Str) => TyId::STR,
            Some(ty) if is_collect && Some(&ty) == names.as_ref() => self.types.add(&ty),
            Some(_) => self.types.list(TyId::STR),
            None if self.edition == Edition::Wide => {
                self.defer(Deferred::Name { span, ty: name.ty });
                return;
            }
            None if is_collect => match names {
                Some(ty) => self.types.add(&ty),
                None => return,
            },
            None => self.types.list(TyId::STR),
        };
        self.require(span, subject, expected, name.ty);
    }

    fn entry(
        &mut self,
        frame: FrameId,
        entry: &Entry,
        kind: &str,
        known: Option<&'static KindInfo>,
    ) -> Option<EntryStep> {
        let module = self.module_of(frame);
        let span = entry.range.in_file(module.file);
        let (step, wanted) = match &entry.kind {
            EntryKind::Field(name, value) => {
                let typed = self.infer(frame, *value);
                let field = known.and_then(|known| known.field(name));
                let (_, subject) = self.place(frame, *value);
                let Some((number, _, ty)) = field else {
                    if known.is_some() {
                        let text = format!("field `{name}` does not exist in `{kind}` resource");
                        self.refuse(text, span);
                        self.last_is_placeless();
                        self.explain_field(known, name, span);
                    }
                    self.optional_condition(frame, entry, span);
                    return None;
                };
                let ty = match ty {
                    Type::Variant => self.types.hole(),
                    ty => self.types.add(ty),
                };
                (EntryStepKind::Field(number, typed.ir), Some((subject, ty, typed.ty)))
            }
            EntryKind::Edge(name, half) => {
                (EntryStepKind::Edge(name.clone(), self.half(frame, half)), None)
            }
            EntryKind::Meta(name, value) => {
                let typed = self.infer(frame, *value);
                let ty = self.types.add(&meta_type(name));
                let (_, subject) = self.place(frame, *value);
                (EntryStepKind::Meta(name.clone(), typed.ir), Some((subject, ty, typed.ty)))
            }
            EntryKind::MetaStruct(value) => {
                let typed = self.infer(frame, *value);
                let ty = self.meta_struct(typed);
                let (_, subject) = self.place(frame, *value);
                (EntryStepKind::MetaStruct(typed.ir), Some((subject, ty, typed.ty)))
            }
        };
        let condition = self.optional_condition(frame, entry, span);
        if let Some((subject, expected, actual)) = wanted {
            self.require(span, subject, expected, actual);
        }
        Some(EntryStep { kind: step, condition, span })
    }

    fn optional_condition(&mut self, frame: FrameId, entry: &Entry, span: Span) -> Option<IrId> {
        entry.condition.map(|condition| self.condition(frame, condition, span).ir)
    }

    fn last_is_placeless(&mut self) {
        if let Some(last) = self.found.pop() {
            self.found.push(last.placeless());
        }
    }

    /// Adds a suggestion to the last error, which is about an unknown field.
    fn explain_field(&mut self, known: Option<&'static KindInfo>, name: &str, entry: Span) {
        let fields = known.iter().flat_map(|known| &known.kind.fields).map(|field| field.name);
        let near = suggest::nearest(name, fields);
        if let Some(failure) = self.found.pop() {
            let start = entry.range.start;
            let range = TextRange::new(start, start + name.len() as u32);
            let failure = failure.pointing(range.in_file(entry.file), "not a field").meaning(near);
            self.found.push(failure);
        }
    }

    /// The type of the struct of all meta parameters. The wide edition accepts any subset.
    fn meta_struct(&mut self, typed: Typed) -> TyId {
        let mut names: Vec<Name> = META.iter().map(|name| Name::from(*name)).collect();
        if self.edition == Edition::Wide
            && let Some(Type::Struct(shape)) = self.shape_of(typed)
            && shape.names.iter().all(|name| META.contains(&name.as_str()))
        {
            names = shape.names.to_vec();
        }
        let fields = names.into_iter().map(|name| {
            let ty = meta_type(&name);
            (name, ty)
        });
        let ty = Type::record(fields);
        self.types.add(&ty)
    }

    /// The type of a value, as far as its literals determine it.
    fn shape_of(&mut self, typed: Typed) -> Option<Type> {
        match &self.program.ir[typed.ir].kind {
            IrKind::Struct(names, _) => {
                Some(Type::record(names.iter().map(|name| (name.clone(), meta_type(name)))))
            }
            _ => self.known_type(typed.ir),
        }
    }

    fn half(&mut self, frame: FrameId, half: &EdgeHalf) -> HalfStep {
        let module = self.module_of(frame);
        let span = half.range.in_file(module.file);
        let name = self.infer(frame, half.name);
        self.name(frame, half.name, name, span, false);
        HalfStep { kind: half.kind.clone(), name: name.ir, field: half.field.clone(), span }
    }

    fn edge(&mut self, frame: FrameId, halves: &[EdgeHalf], span: Span) -> Option<Step> {
        if halves.len() == 1 {
            self.refuse("can't create an edge with only one half", span);
            return None;
        }
        let sends = match halves {
            [from, to] if from.field.is_some() => Some((from, to)),
            _ => None,
        };
        if let Some((from, to)) = sends
            && let Err(text) = self.can_send(frame, from, to)
        {
            self.refuse(text, span);
            return None;
        }
        let halves = halves.iter().map(|half| self.half(frame, half)).collect();
        Some(Step::Edge(halves, span))
    }

    /// Whether one kind can send a field to that of another.
    fn can_send(&mut self, frame: FrameId, from: &EdgeHalf, to: &EdgeHalf) -> Result<(), String> {
        let kind = |half: &EdgeHalf| {
            let missing = || format!("no resource kind `{}` available", half.kind);
            resources::find(&half.kind).ok_or_else(missing)
        };
        let (sender, receiver) = (kind(from)?, kind(to)?);
        if !sender.kind.has("sendable") {
            return Err(format!("cannot send from resource of kind: {}", from.kind));
        }
        if !receiver.kind.has("recvable") {
            return Err(format!("cannot recv to resource of kind: {}", to.kind));
        }
        let (sent, taken) = match (&from.field, &to.field) {
            (Some(sent), Some(taken)) => (sent, taken),
            _ => return Ok(()),
        };
        let sends = sender.kind.sends.iter().find(|(name, _)| name == sent);
        let field = receiver.field(taken);
        let cause = match (sends, field) {
            (None, _) => "key not found in send struct".to_owned(),
            (_, None) => "key not found in recv struct".to_owned(),
            (Some((_, ty)), Some((_, field, wanted))) => {
                let loose = ty.ends_with('?') || field.is_optional || *wanted == Type::Variant;
                let own = types::parse(ty.trim_end_matches('?')).ok();
                let differs = own.is_some_and(|own| own != *wanted && own != Type::Variant);
                if loose || !differs {
                    return Ok(());
                }
                let word = |ty: &str| if ty == "str" { "string".to_owned() } else { ty.to_owned() };
                format!("field kind mismatch between {} and {}", word(ty), word(field.ty))
            }
        };
        let mut shown = |half: &EdgeHalf| self.shown_name(frame, half);
        let (a, b) = (shown(from), shown(to));
        Err(format!("cannot send/recv from {a}.{sent} to {b}.{taken}: {cause}"))
    }

    /// `kind[name]` if the name is known, else the kind.
    fn shown_name(&mut self, frame: FrameId, half: &EdgeHalf) -> String {
        let module = self.module_of(frame);
        let name = match &module.tree.exprs[half.name].kind {
            ExprKind::Str(pieces) => match pieces.as_slice() {
                [crate::syntax::ast::Piece::Text(text)] => Some(text.to_string()),
                _ => None,
            },
            _ => None,
        };
        match name {
            Some(name) => format!("{}[{name}]", half.kind),
            None => half.kind.to_string(),
        }
    }
}
