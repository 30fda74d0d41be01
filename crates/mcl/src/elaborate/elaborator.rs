//! The state of an elaboration: instances of blocks, and the program as far as it is built.

use std::rc::Rc;
use std::sync::Arc;

use ordain_source::budget;
use ordain_source::limits::StackMeter;
use ordain_source::{Span, TextRange};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Edition;
use crate::check::names::{Block, Names};
use crate::check::program::{ModId, Module, Modules};
use crate::check::scope::{self, Frames, Scope};
use crate::check::type_nodes::of_node;
use crate::failure::{Failure, Phase};
use crate::ir::{Def, DefId, Included, Ir, IrId, IrKind, Lambda, ParamId, Program, RegionId};
use crate::syntax::ast::{ExprId, Name, StmtId, StmtKind, TypeNode};
use crate::types::Type;
use crate::types::unify::{TyId, Types};

/// The maximal number of expressions of an elaborated program.
const MAX_EXPRESSIONS: usize = 500_000;
/// The maximal number of instances of blocks.
const MAX_FRAMES: usize = 500_000;
const TOO_LARGE: &str = "the program grows too large when it is put together";
/// The usable part of the stack.
pub(crate) const MAX_STACK: usize = (1 << 30) - (8 << 20);

/// One life of a block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct FrameId(pub(super) u32);

pub(super) struct Frame {
    pub(super) scope: Rc<Scope>,
    pub(super) block: Block,
    pub(super) parent: Option<FrameId>,
    pub(super) region: RegionId,
    pub(super) binds: FxHashMap<StmtId, DefId>,
    pub(super) includes: FxHashMap<StmtId, FrameId>,
    /// The definitions of the parameters of a class.
    pub(super) args: Vec<DefId>,
    /// Index and value of a loop.
    pub(super) first: ParamId,
    pub(super) included: Option<Arc<Included>>,
}

/// The state of a definition.
#[derive(Clone)]
pub(super) enum State {
    Todo { frame: FrameId, value: ExprId, ty: Option<Type> },
    Busy,
    Done { ir: IrId, ty: TyId },
}

pub(super) struct Definition {
    pub(super) state: State,
    pub(super) region: RegionId,
    pub(super) known: Option<Type>,
}

/// A parameter.
pub(super) struct Parameter {
    pub(super) ty: TyId,
    pub(super) known: Option<Type>,
    pub(super) is_used: bool,
    pub(super) name: Name,
    pub(super) at: (ModId, TextRange),
}

/// The subject of a requirement, for messages.
#[derive(Clone, Copy)]
pub(crate) enum Subject {
    Expr(ModId, ExprId),
    Param(ParamId),
}

/// Two types that must be one.
pub(crate) struct Constraint {
    pub(super) span: Span,
    pub(super) subject: Subject,
    pub(super) expected: TyId,
    pub(super) actual: TyId,
}

/// A check that waits for the types.
pub(super) enum Validation {
    Builtin { ir: IrId, args: Vec<crate::functions::KnownArg> },
    Map { ir: IrId },
}

/// A decision that waits for types, in the wide edition.
pub(super) enum Deferred {
    Lookup { ir: IrId, of: TyId, key: TyId, result: TyId },
    Field { ir: IrId, of: TyId, name: Name, result: TyId },
    Name { span: Span, ty: TyId },
}

/// An expression with its type.
#[derive(Clone, Copy)]
pub(crate) struct Typed {
    pub(crate) ir: IrId,
    pub(crate) ty: TyId,
}

pub(crate) struct Elaborator<'m> {
    pub(super) modules: &'m Modules,
    pub(super) names: &'m Names,
    pub(super) edition: Edition,
    pub(super) frames: Vec<Frame>,
    pub(super) tops: FxHashMap<ModId, FrameId>,
    pub(super) defs: Vec<Definition>,
    pub(super) params: Vec<Parameter>,
    /// The parameters of enclosing functions, innermost last.
    pub(super) locals: Vec<(Name, ParamId)>,
    pub(super) types: Types,
    pub(super) constraints: Vec<Constraint>,
    /// Those that come after all others.
    pub(super) late: Vec<Constraint>,
    pub(super) validations: Vec<Validation>,
    pub(super) deferred: Vec<Deferred>,
    pub(super) known: Vec<Option<Option<Type>>>,
    /// Whether values are known, as far as it was computed.
    pub(super) valued: Vec<Option<bool>>,
    /// Functions that are shared by all of their calls, with their types and the place of the first
    /// call.
    pub(super) shared: FxHashMap<(ModId, StmtId), (Lambda, TyId, Span)>,
    /// The functions that are called.
    pub(super) called: FxHashSet<(ModId, StmtId)>,
    pub(super) program: Program,
    pub(super) found: Vec<Failure>,
    pub(super) stack: StackMeter,
    pub(super) is_exceeded: bool,
}

impl Frames for Elaborator<'_> {
    type At = FrameId;

    fn scope(&mut self, at: FrameId) -> Rc<Scope> {
        Rc::clone(&self.frame(at).scope)
    }

    fn parent(&mut self, at: FrameId) -> Option<FrameId> {
        self.frame(at).parent
    }

    fn included(&mut self, at: FrameId, include: StmtId) -> Option<FrameId> {
        if let Some(frame) = self.frame(at).includes.get(&include) {
            return Some(*frame);
        }
        let id = self.frame(at).block.module();
        let module = self.modules.at(id);
        let stmt = &module.tree.stmts[include];
        let StmtKind::Include { name, args, .. } = &stmt.kind else { return None };
        let (around, class) = scope::find_class(self, at, name)?;
        let (region, outer) = (self.frame(at).region, self.frame(at).included.clone());
        let span = stmt.range.in_file(module.file);
        if self.frames.len() >= budget::scaled_size(MAX_FRAMES) || budget::check().is_err() {
            if !std::mem::replace(&mut self.is_exceeded, true) {
                self.found.insert(0, Failure::new(Phase::Unify, TOO_LARGE, span));
            }
            return None;
        }
        let args = args.iter().map(|arg| self.define(at, *arg, None)).collect();
        let block = Block::Of(self.frame(around).block.module(), class, 0);
        let included = Included { class: name.clone(), span, outer };
        let frame = self.enter(block, Some(around), region);
        let inside = &mut self.frames[frame.0 as usize];
        inside.args = args;
        inside.included = Some(Arc::new(included));
        self.frames[at.0 as usize].includes.insert(include, frame);
        Some(frame)
    }

    fn module(&mut self, module: ModId) -> FrameId {
        if let Some(frame) = self.tops.get(&module) {
            return *frame;
        }
        let frame = self.enter(Block::Top(module), None, RegionId::TOP);
        self.tops.insert(module, frame);
        frame
    }

    fn edition(&self) -> Edition {
        self.edition
    }
}

impl<'m> Elaborator<'m> {
    pub(super) fn new(modules: &'m Modules, names: &'m Names, edition: Edition) -> Self {
        let mut program = Program { regions: vec![0], ..Program::default() };
        let mut expressions = 0;
        for id in 0..modules.len() as u32 {
            let module = modules.get(ModId(id));
            program.files.push(module.file);
            expressions += module.tree.exprs.len();
            program.modules.push(module);
        }
        // Most of them occur once and have few requirements.
        program.ir.reserve(expressions);
        Self {
            modules,
            names,
            edition,
            frames: Vec::new(),
            tops: FxHashMap::default(),
            defs: Vec::new(),
            params: Vec::new(),
            locals: Vec::new(),
            types: Types::default(),
            constraints: Vec::with_capacity(expressions),
            late: Vec::new(),
            validations: Vec::new(),
            deferred: Vec::new(),
            known: Vec::new(),
            valued: Vec::new(),
            shared: FxHashMap::default(),
            called: FxHashSet::default(),
            program,
            found: Vec::new(),
            stack: StackMeter::here(),
            is_exceeded: false,
        }
    }
}

impl<'m> Elaborator<'m> {
    pub(super) fn frame(&self, id: FrameId) -> &Frame {
        &self.frames[id.0 as usize]
    }

    pub(super) fn module_of(&self, frame: FrameId) -> &'m Module {
        self.modules.at(self.frame(frame).block.module())
    }

    pub(super) fn enter(
        &mut self,
        block: Block,
        parent: Option<FrameId>,
        region: RegionId,
    ) -> FrameId {
        let scope = self.names.scopes.get(&block).map(Rc::clone).unwrap_or_default();
        let included = parent.and_then(|parent| self.frame(parent).included.clone());
        self.frames.push(Frame {
            scope,
            block,
            parent,
            region,
            binds: FxHashMap::default(),
            includes: FxHashMap::default(),
            args: Vec::new(),
            first: ParamId(0),
            included,
        });
        FrameId(self.frames.len() as u32 - 1)
    }

    /// A definition that is elaborated at its first use.
    pub(super) fn define(&mut self, frame: FrameId, value: ExprId, ty: Option<Type>) -> DefId {
        let region = self.frame(frame).region;
        let known = ty.clone();
        self.defs.push(Definition { state: State::Todo { frame, value, ty }, region, known });
        DefId(self.defs.len() as u32 - 1)
    }

    /// Value and type of a definition.
    pub(super) fn definition(&mut self, id: DefId) -> Typed {
        let state = std::mem::replace(&mut self.defs[id.0 as usize].state, State::Busy);
        match state {
            State::Done { ir, ty } => {
                self.defs[id.0 as usize].state = State::Done { ir, ty };
                Typed { ir, ty }
            }
            State::Busy => self.broken((ModId(0), ExprId::new(0))),
            State::Todo { frame, value, ty } => {
                let locals = std::mem::take(&mut self.locals);
                let written = ty.map(|ty| self.types.add(&ty));
                let typed = self.infer_as(frame, value, written);
                self.locals = locals;
                self.defs[id.0 as usize].state = State::Done { ir: typed.ir, ty: typed.ty };
                typed
            }
        }
    }

    /// The placeholder for an expression with errors.
    pub(super) fn broken(&mut self, at: (ModId, ExprId)) -> Typed {
        let ty = self.types.hole();
        self.node(IrKind::Const(crate::value::Value::Bool(false)), at, ty)
    }

    pub(super) fn node(&mut self, kind: IrKind, at: (ModId, ExprId), ty: TyId) -> Typed {
        let is_large = self.program.ir.len() >= budget::with_input(MAX_EXPRESSIONS);
        if (is_large || budget::check().is_err()) && !self.is_exceeded {
            self.exceed(at, TOO_LARGE);
        }
        let ir = self.program.ir.push(Ir { kind, at, ty });
        Typed { ir, ty }
    }

    pub(super) fn exceed(&mut self, at: (ModId, ExprId), text: &str) {
        self.is_exceeded = true;
        let span = self.span_of(at);
        self.found.insert(0, Failure::new(Phase::Unify, text, span));
    }

    /// Whether to continue. The size of a program and its depth are limited.
    pub(super) fn is_within(&mut self, at: (ModId, ExprId)) -> bool {
        if self.is_exceeded {
            return false;
        }
        if self.stack.at_most(MAX_STACK).is_err() {
            self.exceed(at, "the program is nested too deep");
        }
        !self.is_exceeded
    }

    pub(super) fn span_of(&self, at: (ModId, ExprId)) -> Span {
        let module = self.modules.at(at.0);
        let range = match at.1.raw() as usize {
            raw if raw < module.tree.exprs.len() => module.tree.exprs[at.1].range,
            _ => TextRange::default(),
        };
        range.in_file(module.file)
    }

    pub(super) fn require(&mut self, span: Span, subject: Subject, expected: TyId, actual: TyId) {
        self.constraints.push(Constraint { span, subject, expected, actual });
    }

    pub(super) fn refuse(&mut self, text: impl Into<String>, span: Span) {
        self.found.push(Failure::new(Phase::Unify, text, span));
    }

    pub(super) fn parameter(
        &mut self,
        name: &Name,
        ty: Option<&TypeNode>,
        at: (ModId, TextRange),
    ) -> ParamId {
        let known = ty.map(of_node);
        let ty = match &known {
            Some(ty) => self.types.add(ty),
            None => self.types.hole(),
        };
        self.params.push(Parameter { ty, known, is_used: false, name: name.clone(), at });
        ParamId(self.params.len() as u32 - 1)
    }

    pub(super) fn param_span(&self, id: ParamId) -> Span {
        let (module, range) = self.params[id.0 as usize].at;
        range.in_file(self.modules.at(module).file)
    }

    /// The types of the definitions, for evaluation.
    pub(super) fn lower_defs(&mut self) {
        for definition in &self.defs {
            let value = match definition.state {
                State::Done { ir, .. } => ir,
                _ => IrId::new(0),
            };
            let slots = &mut self.program.regions[definition.region.0 as usize];
            self.program.defs.push(Def { value, region: definition.region, slot: *slots });
            *slots += 1;
        }
    }
}
