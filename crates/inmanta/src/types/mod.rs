//! Interned types: equal types have the same number.

mod expr;

use rustc_hash::FxHashMap;

pub use expr::TypeExpr;

/// The number of a type; adds it if it is new.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TypeId(pub u32);

/// A type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// `string`
    String,
    /// `int`
    Int,
    /// `float`
    Float,
    /// `number`
    Number,
    /// `bool`
    Bool,
    /// `list` of an attribute: a list of literals.
    LiteralList,
    /// `dict` of an attribute: a dict of literals.
    LiteralDict,
    /// `list` of a plugin.
    AnyList,
    /// A dict with values of a type.
    Dict(TypeId),
    /// A list with elements of a type.
    List(TypeId),
    /// A type, or `null`.
    Nullable(TypeId),
    /// A reference to a value of a type.
    Reference(TypeId),
    /// A type, or a reference to a value of it.
    OrReference(TypeId),
    /// One of several.
    Union(Vec<TypeId>),
    /// The values that lists and dicts of attributes may contain.
    Literal,
    /// All values except references.
    Any,
    /// `null`
    Null,
    /// A typedef with this number.
    Typedef(u32),
    /// An entity with this number.
    Entity(u32),
}

/// All types of a program.
#[derive(Debug)]
pub struct Types {
    list: Vec<Type>,
    numbers: FxHashMap<Type, TypeId>,
}

/// The built-in types by name.
pub const BUILTIN_TYPES: [(&str, Type); 7] = [
    ("string", Type::String),
    ("float", Type::Float),
    ("number", Type::Number),
    ("int", Type::Int),
    ("bool", Type::Bool),
    ("list", Type::LiteralList),
    ("dict", Type::LiteralDict),
];

impl Default for Types {
    fn default() -> Self {
        let mut types = Self { list: Vec::new(), numbers: FxHashMap::default() };
        for (_, ty) in BUILTIN_TYPES {
            types.add(ty);
        }
        types
    }
}

impl Types {
    /// The number of a type; adds it if it is new.
    pub fn add(&mut self, ty: Type) -> TypeId {
        if let Some(&id) = self.numbers.get(&ty) {
            return id;
        }
        let id = TypeId(self.list.len() as u32);
        self.list.push(ty.clone());
        self.numbers.insert(ty, id);
        id
    }

    /// The type of a number.
    pub fn get(&self, id: TypeId) -> &Type {
        &self.list[id.0 as usize]
    }

    /// The built-in type with this name.
    pub fn named(&mut self, name: &str) -> Option<TypeId> {
        let (_, ty) = BUILTIN_TYPES.into_iter().find(|(n, _)| *n == name)?;
        Some(self.add(ty))
    }

    /// The number of types.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are no types; never true, since built-in types always exist.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}
