//! A program with its definitions: namespaces, entities, typedefs, implementations, plugins.

use std::rc::Rc;

use ecow::EcoString;
use ordain_syntax::{Arena, ListRef};
use rustc_hash::FxHashMap;

use crate::diagnostics::Warning;
use crate::location::{Files, Location};
use crate::model::plugin::Plugin;
use crate::symbol::Symbol;
use crate::syntax::ast::{Ast, BlockId, Definition, ExprId, ExprKind, StmtId};
use crate::types::{Type, TypeExpr, TypeId, Types};
use crate::value::Value;

/// The number of a namespace.
pub type NamespaceId = u32;

/// The id of a definition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum DefinitionId {
    Entity(u32),
    Typedef(u32),
    Implementation(u32),
    Plugin(u32),
}

/// A namespace that a file imports.
#[derive(Clone, Copy, Debug)]
pub struct Visible {
    /// The namespace.
    pub target: NamespaceId,
    /// The import statement, if there is one.
    pub import: Option<Location>,
}

/// A namespace.
#[derive(Clone, Default, Debug)]
pub struct Namespace {
    /// The full name.
    pub name: String,
    /// The parent.
    pub parent: Option<NamespaceId>,
    /// Its definitions.
    pub defines: FxHashMap<Symbol, DefinitionId>,
    /// The namespaces that are visible in its file.
    pub visible: FxHashMap<String, Visible>,
    /// The variables at its top level.
    pub globals: FxHashMap<Symbol, u32>,
    /// The file.
    pub file: Option<u32>,
}

/// A block at the top level of a file.
#[derive(Clone, Copy, Debug)]
pub struct TopBlock {
    /// Its namespace.
    pub namespace: NamespaceId,
    /// The statements.
    pub block: BlockId,
    /// The number of its first variable.
    pub first: u32,
}

/// The kinds of attributes.
#[derive(Clone, PartialEq, Debug)]
pub enum AttributeKind {
    /// A value.
    Plain,
    /// A relation to instances.
    Relation {
        /// The minimum number of instances.
        low: u32,
        /// The maximum number of instances.
        high: Option<u32>,
        /// The inverse relation.
        end: Option<u32>,
        /// Whether a precedence rule freezes it before others.
        precedes: bool,
        /// The number of the relation statement, for its annotations.
        relation: u32,
    },
}

/// An attribute or relation of an entity.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// Its name.
    pub name: Symbol,
    /// The entity that has it.
    pub entity: u32,
    /// The declared type.
    pub ty: TypeId,
    /// The type that values must fit.
    pub internal: TypeId,
    /// The type without `[]` and `?`.
    pub base: TypeId,
    /// Whether it is a list.
    pub is_list: bool,
    /// Whether `null` is allowed.
    pub is_nullable: bool,
    /// Its kind.
    pub kind: AttributeKind,
    /// The place of the definition.
    pub at: Location,
    /// Its default.
    pub default: Option<ExprId>,
    /// The source text of its type.
    pub type_text: String,
}

impl Attribute {
    /// Whether it can hold several instances.
    pub fn is_many(&self) -> bool {
        matches!(self.kind, AttributeKind::Relation { high, .. } if high != Some(1))
    }

    /// Whether it is a relation.
    pub fn is_relation(&self) -> bool {
        matches!(self.kind, AttributeKind::Relation { .. })
    }
}

/// An entity.
#[derive(Clone, Default, Debug)]
pub struct Entity {
    /// The name without the namespace.
    pub name: Option<Symbol>,
    /// The name with the namespace.
    pub full_name: EcoString,
    /// Its namespace.
    pub namespace: NamespaceId,
    /// The place of its name.
    pub at: Location,
    /// Its parents.
    pub parents: Vec<u32>,
    /// The entities that extend it.
    pub children: Vec<u32>,
    /// Its own attributes in the order of their definition.
    pub own: Vec<u32>,
    /// Its own attributes by name.
    pub own_names: FxHashMap<Symbol, u32>,
    /// All attributes, with inherited ones, in the order of the slots.
    pub slots: Vec<u32>,
    /// The slots by name.
    pub slot_of: FxHashMap<Symbol, u32>,
    /// Its ancestors in the order of precedence.
    pub ancestors: Vec<u32>,
    /// Itself and its ancestors, in the order in which instances are added to their indexes.
    pub indexed: Vec<u32>,
    /// The indexes, as positions in [`Program::index_lists`].
    pub indexes: Vec<u32>,
    /// Its own `implement` statements.
    pub implements: Vec<u32>,
    /// Whether the statements of its parents apply, too.
    pub inherits: bool,
    /// All `implement` statements that apply.
    pub all_implements: Vec<u32>,
    /// The defaults: attribute and value.
    pub defaults: Vec<(Symbol, ExprId)>,
    /// The documentation string.
    pub comment: Option<EcoString>,
    /// Whether slots, defaults and indexes are computed.
    pub is_finished: bool,
}

/// A typedef.
#[derive(Clone, Debug)]
pub struct Typedef {
    /// The name with the namespace.
    pub full_name: EcoString,
    /// Its namespace.
    pub namespace: NamespaceId,
    /// The base type.
    pub base: TypeId,
    /// The condition that values must satisfy.
    pub condition: ExprId,
    /// The place.
    pub at: Location,
    /// The documentation string.
    pub comment: Option<EcoString>,
}

/// An implementation.
#[derive(Clone, Debug)]
pub struct Implementation {
    /// The name without the namespace.
    pub name: Symbol,
    /// The name with the namespace.
    pub full_name: EcoString,
    /// Its namespace.
    pub namespace: NamespaceId,
    /// The source text of its entity.
    pub target: Symbol,
    /// Its entity.
    pub entity: Option<u32>,
    /// Its statements.
    pub block: BlockId,
    /// The place.
    pub at: Location,
}

/// An `implement` statement.
#[derive(Clone, Debug)]
pub struct Implement {
    /// The implementations.
    pub implementations: Vec<u32>,
    /// The condition, if there is one.
    pub condition: Option<ExprId>,
    /// The place.
    pub at: Location,
    /// Whether the names in its condition are resolved.
    pub is_normalized: bool,
}

/// The resolved arguments of a constructor. Every constructor has one, so their lists are in two
/// arenas.
#[derive(Clone, Copy, Debug)]
pub struct NewInfo {
    /// The entity.
    pub entity: u32,
    /// The arguments and defaults; those of index attributes come first.
    pub arguments: ListRef<Argument>,
    /// The number of arguments of index attributes.
    pub direct: u32,
    /// The index attributes whose values are only known in the run.
    pub dynamic: ListRef<Symbol>,
    /// The target, if its inverse relation sets an attribute.
    pub left: Option<TargetAttribute>,
    /// Whether a nested constructor needs the instance.
    pub owns: bool,
}

/// An argument of a constructor: the attribute and its value.
pub type Argument = (Symbol, ExprId);

/// The attribute to which a constructor is assigned.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TargetAttribute {
    /// The object; `None` for the instance of the outer constructor.
    pub object: Option<ExprId>,
    /// The attribute.
    pub attribute: Symbol,
}

/// A plugin.
#[derive(Clone)]
pub struct PluginEntry {
    /// The function.
    pub plugin: Rc<dyn Plugin>,
    /// The types of its parameters.
    pub params: Vec<TypeId>,
    /// The type of further positional arguments.
    pub rest: TypeId,
    /// The type of further named arguments.
    pub keywords: TypeId,
    /// The type of the result.
    pub returns: TypeId,
    /// Its namespace.
    pub namespace: NamespaceId,
    /// The place of the definition.
    pub at: Location,
}

/// The Python class of an entity that extends `std::Dataclass`.
#[derive(Clone, Default, Debug)]
pub struct Dataclass {
    /// The class.
    pub class: PythonClass,
    /// The types of its fields, once the class is checked.
    pub fields: Vec<(Symbol, TypeId)>,
}

/// The Python class with the name of an entity.
#[derive(Clone, Default, Debug)]
pub struct PythonClass {
    /// The Python module.
    pub module: String,
    /// The name of the class, if the module has it.
    pub name: Option<String>,
    /// Whether it is a dataclass.
    pub is_dataclass: bool,
    /// Whether it is frozen.
    pub is_frozen: bool,
    /// Its fields with their types; `None` for a type without a counterpart in the model language.
    pub fields: Vec<(EcoString, Option<TypeExpr>)>,
    /// The documentation string.
    pub comment: Option<String>,
    /// The place of the definition.
    pub file: String,
    /// The line in that file.
    pub line: u64,
}

/// A program.
#[derive(Default)]
pub struct Program {
    /// The tree.
    pub ast: Ast,
    /// The files.
    pub files: Files,
    /// The namespace of each file.
    pub file_namespaces: Vec<NamespaceId>,
    /// The namespaces; the first is the root.
    pub namespaces: Vec<Namespace>,
    /// The namespaces by name.
    pub namespace_numbers: FxHashMap<String, NamespaceId>,
    /// The definitions in order, with their namespaces.
    pub definitions: Vec<(NamespaceId, Definition)>,
    /// The top-level blocks in the order of loading.
    pub tops: Vec<TopBlock>,
    /// The number of variables in top-level blocks.
    pub global_count: u32,
    /// The types.
    pub types: Types,
    /// The entities.
    pub entities: Vec<Entity>,
    /// The attributes.
    pub attributes: Vec<Attribute>,
    /// The typedefs.
    pub typedefs: Vec<Typedef>,
    /// The implementations.
    pub implementations: Vec<Implementation>,
    /// The `implement` statements.
    pub implements: Vec<Implement>,
    /// The plugins.
    pub plugins: Vec<PluginEntry>,
    /// All definitions in the order of registration.
    pub named: Vec<DefinitionId>,
    /// The attribute lists of indexes, each sorted by name.
    pub index_lists: Vec<Vec<Symbol>>,
    /// The resolved arguments of constructors.
    pub news: Vec<Option<NewInfo>>,
    /// The arguments and defaults of constructors.
    pub arguments: Arena<Argument>,
    /// The index attributes of constructors whose values are only known in the run.
    pub dynamic: Arena<Symbol>,
    /// The assignments that a statement promises: the assignment, and the number of scopes up.
    pub promises: FxHashMap<StmtId, Vec<(StmtId, u16)>>,
    /// The annotations of relations, in the order of the relations.
    pub relation_annotations: Vec<Vec<ExprId>>,
    /// The warnings.
    pub warnings: Vec<Warning>,
    /// The name `self`.
    pub self_name: Option<Symbol>,
    /// The entity that all others extend, `std::Entity`.
    pub root_entity: u32,
    /// The Python files of plugins, by path.
    pub python_files: FxHashMap<EcoString, u32>,
    /// The Python classes of dataclasses, by entity.
    pub dataclasses: FxHashMap<u32, Dataclass>,
}

impl Program {
    /// The name of a symbol.
    pub fn name(&self, symbol: Symbol) -> &str {
        self.ast.name(symbol)
    }

    /// Whether an entity is `ancestor` or extends it.
    pub fn is_entity(&self, entity: u32, ancestor: u32) -> bool {
        entity == ancestor || self.entities[entity as usize].ancestors.contains(&ancestor)
    }

    /// An attribute of an entity by name.
    pub fn attribute(&self, entity: u32, name: Symbol) -> Option<u32> {
        let entity = &self.entities[entity as usize];
        entity.slot_of.get(&name).map(|slot| entity.slots[*slot as usize])
    }

    /// The arguments of index attributes of a constructor.
    pub fn direct(&self, info: NewInfo) -> &[Argument] {
        &self.arguments.list(info.arguments)[..info.direct as usize]
    }

    /// The other arguments and defaults of a constructor.
    pub fn indirect(&self, info: NewInfo) -> &[Argument] {
        &self.arguments.list(info.arguments)[info.direct as usize..]
    }

    /// The value of a constant expression.
    pub fn constant(&self, expr: ExprId) -> Option<&Value> {
        if let ExprKind::Const(value) = &self.ast.exprs[expr].kind { Some(value) } else { None }
    }

    /// The name of a type in errors.
    pub fn type_text(&self, ty: TypeId) -> String {
        let wrap = |inner: String, suffix: &str| {
            if inner.contains(' ') { format!("({inner}){suffix}") } else { inner + suffix }
        };
        match self.types.get(ty) {
            Type::List(inner) => wrap(self.type_text(*inner), "[]"),
            Type::Nullable(inner) => wrap(self.type_text(*inner), "?"),
            Type::OrReference(inner) => self.type_text(*inner),
            Type::Dict(_) => "dict".into(),
            _ => self.type_name(ty),
        }
    }

    /// The name of a type in signatures.
    pub fn type_name(&self, ty: TypeId) -> String {
        let wrap = |inner: String, suffix: &str| {
            if inner.contains(' ') { format!("({inner}){suffix}") } else { inner + suffix }
        };
        match self.types.get(ty) {
            Type::String => "string".into(),
            Type::Int => "int".into(),
            Type::Float => "float".into(),
            Type::Number => "number".into(),
            Type::Bool => "bool".into(),
            Type::AnyList => "list".into(),
            Type::LiteralList => "Literal[]".into(),
            Type::LiteralDict => "dict[string, Literal]".into(),
            Type::Dict(inner) => format!("dict[string, {}]", self.type_name(*inner)),
            Type::List(inner) => wrap(self.type_name(*inner), "[]"),
            Type::Nullable(inner) => wrap(self.type_name(*inner), "?"),
            Type::Reference(inner) => format!("Reference[{}]", self.type_name(*inner)),
            Type::OrReference(inner) => {
                let inner = self.type_name(*inner);
                format!("Reference[{inner}] | {inner}")
            }
            Type::Union(items) => {
                let items: Vec<String> = items.iter().map(|item| self.type_name(*item)).collect();
                format!("Union[{}]", items.join(","))
            }
            Type::Literal => "Literal".into(),
            Type::Any => "any".into(),
            Type::Null => "null".into(),
            Type::Typedef(id) => self.typedefs[*id as usize].full_name.to_string(),
            Type::Entity(id) => self.entities[*id as usize].full_name.to_string(),
        }
    }
}
