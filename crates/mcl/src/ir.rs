//! An elaborated program. Each include of a class and each call of a function has its own copy,
//! names are numbers, and types are known.

use std::sync::Arc;

use ecow::EcoString;
use ordain_source::Span;
use ordain_syntax::{Arena, Idx};

use crate::check::program::ModId;
use crate::functions::{Builtin, Operator};
use crate::resources::KindInfo;
use crate::syntax::ast::{ExprId, Name};
use crate::types::FuncType;
use crate::types::unify::TyId;
use crate::value::Value;

/// The id of an expression.
pub type IrId = Idx<Ir>;
/// The id of a statement.
pub type StepId = Idx<Step>;

/// An expression.
#[derive(Debug)]
pub struct Ir {
    /// Its kind.
    pub kind: IrKind,
    /// The expression of the source that it comes from.
    pub at: (ModId, ExprId),
    /// Its type.
    pub ty: TyId,
}

/// A parameter of a function, or a variable of a loop.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ParamId(pub u32);

/// A definition that is evaluated once in its region.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct DefId(pub u32);

/// The whole program, or the body of a loop, which is instantiated for each item.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RegionId(pub u32);

impl RegionId {
    /// The whole program.
    pub const TOP: Self = Self(0);
}

/// A function as it is called at one place, or a lambda.
#[derive(Clone, Copy, Debug)]
pub struct Lambda {
    /// Its first parameter; the others follow.
    pub first: ParamId,
    /// The number of parameters.
    pub count: u32,
    /// Its body.
    pub body: IrId,
}

/// A call of a built-in function.
#[derive(Debug)]
pub struct BuiltinCall {
    /// The function.
    pub func: &'static Builtin,
    /// The arguments.
    pub args: Box<[IrId]>,
    /// The types of the call.
    pub shape: TyId,
    /// The same, once they are known.
    pub signature: Option<Arc<FuncType>>,
}

/// The kind of an expression.
#[derive(Debug)]
pub enum IrKind {
    /// A value of the source.
    Const(Value),
    /// The name of the host.
    Hostname,
    /// A list.
    List(Box<[IrId]>),
    /// A map.
    Map(Box<[(IrId, IrId)]>),
    /// A struct.
    Struct(Arc<[EcoString]>, Box<[IrId]>),
    /// A parameter.
    Param(ParamId),
    /// A definition.
    Def(DefId),
    /// A text in quotes.
    Text(IrId),
    /// A lambda.
    Lambda(Lambda),
    /// A call of a function value.
    Call(IrId, Box<[IrId]>),
    /// A call of a function statement, with its own copy.
    Apply(Lambda, Box<[IrId]>),
    /// A call of a built-in function.
    Builtin(Box<BuiltinCall>),
    /// An operator with one or two operands.
    Operator(Operator, IrId, Option<IrId>),
    /// A choice.
    If([IrId; 3]),
    /// A value with a fallback for its error.
    Except(IrId, IrId),
}

impl IrKind {
    /// Visits the parts of an expression.
    pub(crate) fn each_part(&self, mut visit: impl FnMut(IrId)) {
        match self {
            Self::Const(_) | Self::Hostname | Self::Param(_) | Self::Def(_) => {}
            Self::List(parts) | Self::Struct(_, parts) => {
                parts.iter().for_each(|part| visit(*part))
            }
            Self::Map(pairs) => {
                for (key, value) in pairs {
                    visit(*key);
                    visit(*value);
                }
            }
            Self::Text(part) => visit(*part),
            Self::Lambda(lambda) => visit(lambda.body),
            Self::Call(func, args) => {
                visit(*func);
                args.iter().for_each(|arg| visit(*arg));
            }
            Self::Apply(lambda, args) => {
                visit(lambda.body);
                args.iter().for_each(|arg| visit(*arg));
            }
            Self::Builtin(call) => call.args.iter().for_each(|arg| visit(*arg)),
            Self::Operator(_, a, b) => {
                visit(*a);
                b.iter().for_each(|b| visit(*b));
            }
            Self::If(parts) => parts.iter().for_each(|part| visit(*part)),
            Self::Except(value, other) => {
                visit(*value);
                visit(*other);
            }
        }
    }
}

/// A definition.
#[derive(Clone, Copy, Debug)]
pub struct Def {
    /// Its value.
    pub value: IrId,
    /// Its region.
    pub region: RegionId,
    /// Its number there.
    pub slot: u32,
}

/// A class that led to a statement.
#[derive(Clone, Debug)]
pub struct Included {
    /// The class.
    pub class: Name,
    /// The place of the include.
    pub span: Span,
    /// The include that led there.
    pub outer: Option<Arc<Included>>,
}

/// A statement that gives something.
#[derive(Debug)]
pub enum Step {
    /// A resource.
    Resource(Box<ResourceStep>),
    /// Edges.
    Edge(Vec<HalfStep>, Span),
    /// A choice.
    If(IrId, Arc<[StepId]>, Arc<[StepId]>),
    /// A loop.
    For(Box<ForStep>),
}

/// A loop.
#[derive(Debug)]
pub struct ForStep {
    /// Whether it runs over a map.
    pub is_map: bool,
    /// The collection.
    pub over: IrId,
    /// The region of its body.
    pub region: RegionId,
    /// Index or key; the value follows.
    pub first: ParamId,
    /// The body.
    pub body: Arc<[StepId]>,
}

/// A resource.
#[derive(Debug)]
pub struct ResourceStep {
    /// The kind as it is written.
    pub kind: Name,
    /// The kind, if there is one.
    pub known: Option<&'static KindInfo>,
    /// The name or names.
    pub name: IrId,
    /// The collected exports, if it collects.
    pub collect: Option<IrId>,
    /// The body.
    pub entries: Vec<EntryStep>,
    /// Its place.
    pub span: Span,
    /// The classes that led here.
    pub included: Option<Arc<Included>>,
}

/// An entry of a resource's body.
#[derive(Debug)]
pub struct EntryStep {
    /// Its kind.
    pub kind: EntryStepKind,
    /// Whether it counts.
    pub condition: Option<IrId>,
    /// Its place.
    pub span: Span,
}

/// The kind of an entry of a resource's body.
#[derive(Debug)]
pub enum EntryStepKind {
    /// A field by its number in the kind.
    Field(usize, IrId),
    /// An edge by its property.
    Edge(Name, HalfStep),
    /// A meta parameter.
    Meta(Name, IrId),
    /// All meta parameters.
    MetaStruct(IrId),
}

impl EntryStepKind {
    /// The value of a field or meta parameter, or the name that an edge leads to.
    pub(crate) fn value(&self) -> IrId {
        match self {
            Self::Field(_, value) | Self::Meta(_, value) | Self::MetaStruct(value) => *value,
            Self::Edge(_, half) => half.name,
        }
    }
}

/// A side of an edge.
#[derive(Debug)]
pub struct HalfStep {
    /// The kind.
    pub kind: Name,
    /// The name or names.
    pub name: IrId,
    /// The sent or received field.
    pub field: Option<Name>,
    /// Its place.
    pub span: Span,
}

/// A program that can be evaluated.
#[derive(Default, Debug)]
pub struct Program {
    /// All expressions.
    pub ir: Arena<Ir>,
    /// All definitions that are used.
    pub defs: Vec<Def>,
    /// The number of definitions in each region.
    pub regions: Vec<u32>,
    /// All statements that give something.
    pub steps: Arena<Step>,
    /// The statements of the main file.
    pub body: Vec<StepId>,
    /// The place of each module's file.
    pub files: Vec<ordain_source::FileId>,
    /// The types of the definitions, in their order.
    pub def_types: Vec<crate::types::Type>,
    /// The types of lists, maps and structs, in the order of their ids.
    pub composites: Vec<(IrId, crate::types::Type)>,
    /// The trees of the modules.
    pub modules: Vec<Arc<crate::check::program::Module>>,
}

impl Program {
    /// The type of a list, a map or a struct.
    pub fn composite(&self, id: IrId) -> Option<&crate::types::Type> {
        let at = self.composites.binary_search_by_key(&id.raw(), |(id, _)| id.raw()).ok()?;
        self.composites.get(at).map(|(_, ty)| ty)
    }

    /// The place of an expression.
    pub fn span(&self, id: IrId) -> Span {
        let (module, expr) = self.ir[id].at;
        let module = &self.modules[module.0 as usize];
        module.tree.exprs[expr].range.in_file(module.file)
    }
}
