//! A program with its definitions: what names mean, entities with their attributes, how they are
//! implemented.

use std::rc::Rc;

use ecow::EcoString;
use ordain_syntax::{Arena, ListRef};
use rustc_hash::FxHashMap;

use crate::location::{Files, Location};
use crate::plugin::{Plugin, TypeExpr};
use crate::symbol::Symbol;
use crate::syntax::ast::{Ast, BlockId, Definition, ExprId, ExprKind, StmtId};
use crate::types::{Type, TypeId, Types};
use crate::value::Value;

/// The number of a namespace.
pub type NamespaceId = u32;

/// The meaning of a name of a namespace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Named {
    Entity(u32),
    Typedef(u32),
    Implementation(u32),
    Plugin(u32),
}

/// A namespace that is visible by a name.
#[derive(Clone, Copy, Debug)]
pub struct Visible {
    /// The namespace.
    pub target: NamespaceId,
    /// The import, if one was written.
    pub import: Option<Location>,
}

/// A namespace.
#[derive(Clone, Default, Debug)]
pub struct Namespace {
    /// The name from the root.
    pub name: String,
    /// The namespace around.
    pub parent: Option<NamespaceId>,
    /// Its definitions.
    pub defines: FxHashMap<Symbol, Named>,
    /// The namespaces that its file sees.
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
    /// Instances.
    Relation {
        /// The least number of them.
        low: u32,
        /// The largest number of them.
        high: Option<u32>,
        /// The relation in the other direction.
        end: Option<u32>,
        /// Whether it is frozen before others by a rule.
        precedes: bool,
        /// The relation that it came from, for its annotations.
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
    /// The type as it is declared.
    pub ty: TypeId,
    /// The type that values are checked against.
    pub internal: TypeId,
    /// The type without list and `null`.
    pub base: TypeId,
    /// Whether it is a list of plain values.
    pub is_list: bool,
    /// Whether it may be null.
    pub is_nullable: bool,
    /// Its kind.
    pub kind: AttributeKind,
    /// Where it is defined.
    pub at: Location,
    /// Its default.
    pub default: Option<ExprId>,
    /// How its type is written.
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
    pub name: Symbol0,
    /// The name with it.
    pub full_name: EcoString,
    /// Its namespace.
    pub namespace: NamespaceId,
    /// The place of its name.
    pub at: Location,
    /// Its parents.
    pub parents: Vec<u32>,
    /// The entities that extend it.
    pub children: Vec<u32>,
    /// Its own attributes in order.
    pub own: Vec<u32>,
    /// Those it has by name.
    pub own_names: FxHashMap<Symbol, u32>,
    /// All of them in the order of the slots.
    pub slots: Vec<u32>,
    /// The slots by name.
    pub slot_of: FxHashMap<Symbol, u32>,
    /// Its ancestors, in the order in which they override each other.
    pub ancestors: Vec<u32>,
    /// Itself and its ancestors, in the order in which instances are entered in their indexes.
    pub indexed: Vec<u32>,
    /// The indexes: numbers of lists of attributes.
    pub indexes: Vec<u32>,
    /// Its own `implement` statements.
    pub implements: Vec<u32>,
    /// Whether those of its parents are taken too.
    pub inherits: bool,
    /// All of them.
    pub all_implements: Vec<u32>,
    /// The defaults: attribute and value.
    pub defaults: Vec<(Symbol, ExprId)>,
    /// Its documentation.
    pub comment: Option<EcoString>,
    /// Whether it and the entities above it have been finished.
    pub is_finished: bool,
}

/// A name that is set as soon as there is an entity.
pub type Symbol0 = Option<Symbol>;

/// A typedef.
#[derive(Clone, Debug)]
pub struct Typedef {
    /// The name with the namespace.
    pub full_name: EcoString,
    /// Its namespace.
    pub namespace: NamespaceId,
    /// The type that it narrows.
    pub base: TypeId,
    /// The condition that values have to fulfil.
    pub condition: ExprId,
    /// Where.
    pub at: Location,
    /// Its documentation.
    pub comment: Option<EcoString>,
}

/// An implementation.
#[derive(Clone, Debug)]
pub struct Implementation {
    /// The name without the namespace.
    pub name: Symbol,
    /// The name with it.
    pub full_name: EcoString,
    /// Its namespace.
    pub namespace: NamespaceId,
    /// The entity it is for, as written.
    pub target: Symbol,
    /// The entity it is for.
    pub entity: Option<u32>,
    /// Its statements.
    pub block: BlockId,
    /// Where.
    pub at: Location,
}

/// An `implement` statement.
#[derive(Clone, Debug)]
pub struct Implement {
    /// The implementations.
    pub implementations: Vec<u32>,
    /// When.
    pub condition: Option<ExprId>,
    /// Where.
    pub at: Location,
    /// Whether the names in its condition were looked up.
    pub is_normalized: bool,
}

/// The attributes that a constructor makes an instance from. There is one for every constructor of
/// a program: the lists of all of them are in two arenas.
#[derive(Clone, Copy, Debug)]
pub struct NewInfo {
    /// The entity.
    pub entity: u32,
    /// The arguments and defaults: first those that are needed to look in the indexes.
    pub arguments: ListRef<Argument>,
    /// How many are needed to look in the indexes.
    pub direct: u32,
    /// The attributes for an index that are only known when it runs.
    pub dynamic: ListRef<Symbol>,
    /// The object that it is assigned to, if that may give an attribute.
    pub left: Option<Left>,
    /// Whether a constructor inside needs the instance.
    pub owns: bool,
}

/// An argument of a constructor: the attribute and its value.
pub type Argument = (Symbol, ExprId);

/// The attribute that a constructor is assigned to.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Left {
    /// The object; `None` if it is the instance of the constructor around.
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
    /// The type of further named ones.
    pub keywords: TypeId,
    /// The type of the result.
    pub returns: TypeId,
    /// Its namespace.
    pub namespace: NamespaceId,
    /// Where it is defined.
    pub at: Location,
}

/// The Python class of an entity that extends `std::Dataclass`.
#[derive(Clone, Default, Debug)]
pub struct Dataclass {
    /// The documentation of the class.
    pub class: PythonClass,
    /// The types of its fields, once they were compared with the attributes.
    pub fields: Vec<(Symbol, TypeId)>,
}

/// The object of a Python module that has the name of an entity.
#[derive(Clone, Default, Debug)]
pub struct PythonClass {
    /// The Python module.
    pub module: String,
    /// The name of the object that is found there, if there is one.
    pub name: Option<String>,
    /// Whether it is a dataclass.
    pub is_dataclass: bool,
    /// Whether its objects cannot be changed.
    pub is_frozen: bool,
    /// Its fields with their types; none for a type that means nothing in a model.
    pub fields: Vec<(EcoString, Option<TypeExpr>)>,
    /// Its documentation.
    pub comment: Option<String>,
    /// Where it is defined.
    pub file: String,
    /// The line there.
    pub line: u64,
}

/// A warning.
#[derive(Clone, PartialEq, Debug)]
pub struct Warning {
    /// Its class in the original; empty for one of ours.
    pub class: EcoString,
    /// The message.
    pub text: String,
    /// Where.
    pub at: Option<Location>,
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
    /// The blocks in order.
    pub tops: Vec<TopBlock>,
    /// How many variables they have together.
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
    /// All named things in the order of their definition.
    pub named: Vec<Named>,
    /// The lists of attributes of indexes, sorted by name.
    pub index_lists: Vec<Vec<Symbol>>,
    /// The attributes that constructors make instances from.
    pub news: Vec<Option<NewInfo>>,
    /// The arguments and defaults of constructors.
    pub arguments: Arena<Argument>,
    /// The attributes for indexes that are only known when constructors run.
    pub dynamic: Arena<Symbol>,
    /// Assignments that a statement promises: the statement, how many scopes up, in order.
    pub promises: FxHashMap<StmtId, Vec<(StmtId, u16)>>,
    /// The annotations of relations, in the order of the relations.
    pub relation_annotations: Vec<Vec<ExprId>>,
    /// The warnings.
    pub warnings: Vec<Warning>,
    /// The name `self`.
    pub self_name: Symbol0,
    /// The entity that all others extend.
    pub root_entity: u32,
    /// The files of Python code that plugins are defined in, by their paths.
    pub python_files: FxHashMap<EcoString, u32>,
    /// The Python classes of dataclasses, by their entities.
    pub dataclasses: FxHashMap<u32, Dataclass>,
}

impl Program {
    /// The name of a symbol.
    pub fn name(&self, symbol: Symbol) -> &str {
        self.ast.name(symbol)
    }

    /// Whether an entity is another or extends it.
    pub fn is_entity(&self, entity: u32, ancestor: u32) -> bool {
        entity == ancestor || self.entities[entity as usize].ancestors.contains(&ancestor)
    }

    /// An attribute of an entity by name.
    pub fn attribute(&self, entity: u32, name: Symbol) -> Option<u32> {
        let entity = &self.entities[entity as usize];
        entity.slot_of.get(&name).map(|slot| entity.slots[*slot as usize])
    }

    /// The attributes that a constructor needs to look in the indexes.
    pub fn direct(&self, info: NewInfo) -> &[Argument] {
        &self.arguments.list(info.arguments)[..info.direct as usize]
    }

    /// The other arguments and defaults of a constructor.
    pub fn indirect(&self, info: NewInfo) -> &[Argument] {
        &self.arguments.list(info.arguments)[info.direct as usize..]
    }

    /// The constant that an expression is.
    pub fn constant(&self, expr: ExprId) -> Option<&Value> {
        if let ExprKind::Const(value) = &self.ast.exprs[expr].kind { Some(value) } else { None }
    }

    /// A type as errors name it.
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

    /// A type as signatures name it.
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
