//! Inference: types with holes in one vector, holes joined by union-find.
//!
//! A mismatch names the expected kind first, as in the original. If one of the types fills a hole,
//! it is named before a type that is written out.

use std::fmt::Write;
use std::sync::Arc;

use ecow::EcoString;
use rustc_hash::FxHashMap;

use super::{FuncType, StructType, Type};

/// A type of the inference.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TyId(u32);

impl TyId {
    /// `bool`
    pub const BOOL: Self = Self(0);
    /// `str`
    pub const STR: Self = Self(1);
    /// `int`
    pub const INT: Self = Self(2);
    /// `float`
    pub const FLOAT: Self = Self(3);
    /// `variant`
    pub const VARIANT: Self = Self(4);
}

/// The maximal depth of a type.
const MAX_DEPTH: u32 = 500;

#[derive(Clone, Debug)]
enum Node {
    /// A hole: its type if that is known, and the step that filled it.
    Hole(Option<TyId>, u32),
    Bool,
    Str,
    Int,
    Float,
    Variant,
    List(TyId),
    Map(TyId, TyId),
    Struct(Arc<[EcoString]>, Box<[TyId]>),
    Func(Box<[TyId]>, TyId),
}

/// The maximal number of parts of a type when it is written out.
pub const MAX_PARTS: u32 = 1 << 20;

/// The reason why two types differ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mismatch {
    /// In the original's words.
    pub text: String,
    /// The step that filled the hole of one of them.
    pub step: Option<u32>,
}

/// All types of an inference.
#[derive(Debug)]
pub struct Types {
    nodes: Vec<Node>,
    /// The current step, for [`Mismatch::step`].
    pub step: u32,
    /// Types without holes, as far as that is known.
    closed: Vec<bool>,
    /// The number of the last search that visited each type, so that a search visits shared types
    /// once.
    looked: Vec<u32>,
    looks: u32,
    /// The remaining number of pairs that may be compared.
    patience: u32,
    /// The number of parts of each type when it is written out.
    sizes: FxHashMap<TyId, u32>,
    concrete: FxHashMap<TyId, Type>,
}

impl Default for Types {
    fn default() -> Self {
        let nodes = vec![Node::Bool, Node::Str, Node::Int, Node::Float, Node::Variant];
        Self {
            nodes,
            step: 0,
            closed: Vec::new(),
            looked: Vec::new(),
            looks: 0,
            patience: 0,
            sizes: FxHashMap::default(),
            concrete: FxHashMap::default(),
        }
    }
}

impl Types {
    fn push(&mut self, node: Node) -> TyId {
        self.nodes.push(node);
        TyId(self.nodes.len() as u32 - 1)
    }

    /// The number of types.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// A type that is not known.
    pub fn hole(&mut self) -> TyId {
        self.push(Node::Hole(None, 0))
    }

    /// `[]T`
    pub fn list(&mut self, item: TyId) -> TyId {
        self.push(Node::List(item))
    }

    /// `map{K: V}`
    pub fn map(&mut self, key: TyId, value: TyId) -> TyId {
        self.push(Node::Map(key, value))
    }

    /// `struct{…}`
    pub fn record(&mut self, names: Arc<[EcoString]>, types: Vec<TyId>) -> TyId {
        self.push(Node::Struct(names, types.into()))
    }

    /// `func(…) R`
    pub fn func(&mut self, args: Vec<TyId>, result: TyId) -> TyId {
        self.push(Node::Func(args.into(), result))
    }

    /// Adds a type, with new holes for its variables.
    pub fn add(&mut self, ty: &Type) -> TyId {
        self.add_with(ty, &mut FxHashMap::default())
    }

    /// Adds a type whose variables stand for the given types. Other variables become new holes.
    pub fn add_with(&mut self, ty: &Type, holes: &mut FxHashMap<u32, TyId>) -> TyId {
        match ty {
            Type::Bool => TyId::BOOL,
            Type::Str => TyId::STR,
            Type::Int => TyId::INT,
            Type::Float => TyId::FLOAT,
            Type::Variant => TyId::VARIANT,
            Type::Var(number) => match holes.get(number) {
                Some(hole) => *hole,
                None => {
                    let hole = self.hole();
                    holes.insert(*number, hole);
                    hole
                }
            },
            Type::List(item) => {
                let item = self.add_with(item, holes);
                self.list(item)
            }
            Type::Map(pair) => {
                let key = self.add_with(&pair.0, holes);
                let value = self.add_with(&pair.1, holes);
                self.map(key, value)
            }
            Type::Struct(shape) => {
                let types = shape.types.iter().map(|ty| self.add_with(ty, holes)).collect();
                self.record(Arc::clone(&shape.names), types)
            }
            Type::Func(shape) => {
                let args = shape.args.iter().map(|ty| self.add_with(ty, holes)).collect();
                let result = self.add_with(&shape.result, holes);
                self.func(args, result)
            }
        }
    }

    /// The known part of a type.
    fn find(&mut self, mut id: TyId) -> TyId {
        let mut root = id;
        while let Node::Hole(Some(next), _) = self.nodes[root.0 as usize] {
            root = next;
        }
        while let Node::Hole(Some(next), step) = self.nodes[id.0 as usize] {
            self.nodes[id.0 as usize] = Node::Hole(Some(root), step);
            id = next;
        }
        root
    }

    fn is_hole(&self, id: TyId) -> bool {
        matches!(self.nodes[id.0 as usize], Node::Hole(..))
    }

    /// Unifies two types.
    ///
    /// # Errors
    /// If they do not match.
    pub fn unify(&mut self, expected: TyId, actual: TyId) -> Result<(), Mismatch> {
        self.patience = MAX_PARTS;
        self.unify_at(expected, actual, 0)
    }

    fn unify_at(&mut self, expected: TyId, actual: TyId, depth: u32) -> Result<(), Mismatch> {
        if depth > MAX_DEPTH {
            return Err(self.mismatch("type is nested too deep", expected, actual));
        }
        if self.patience == 0 {
            return Err(self.mismatch("the type is too large", expected, actual));
        }
        self.patience -= 1;
        let (e, a) = (self.find(expected), self.find(actual));
        if e == a {
            return Ok(());
        }
        if self.is_hole(e) {
            return self.fill(e, a);
        }
        if self.is_hole(a) {
            return self.fill(a, e);
        }
        let turned = self.is_hole(actual) && !self.is_hole(expected);
        let (left, right) = if turned { (a, e) } else { (e, a) };
        let result = self.unify_known(left, right, depth);
        result.map_err(|error| Mismatch {
            step: error.step.or_else(|| self.step_of(expected)).or_else(|| self.step_of(actual)),
            ..error
        })
    }

    fn step_of(&self, id: TyId) -> Option<u32> {
        match self.nodes[id.0 as usize] {
            Node::Hole(_, step) => Some(step),
            _ => None,
        }
    }

    fn mismatch(&self, text: impl Into<String>, left: TyId, right: TyId) -> Mismatch {
        let step = self.step_of(left).or_else(|| self.step_of(right));
        Mismatch { text: text.into(), step }
    }

    fn fill(&mut self, hole: TyId, with: TyId) -> Result<(), Mismatch> {
        self.looks += 1;
        self.looked.resize(self.nodes.len(), 0);
        if !self.is_hole(with) && self.occurs(hole, with, 0) {
            return Err(self.mismatch("directly in the same set", hole, with));
        }
        self.nodes[hole.0 as usize] = Node::Hole(Some(with), self.step);
        Ok(())
    }

    fn occurs(&mut self, hole: TyId, inside: TyId, depth: u32) -> bool {
        let inside = self.find(inside);
        if inside == hole {
            return true;
        }
        if depth > MAX_DEPTH || self.is_marked_closed(inside) {
            return depth > MAX_DEPTH;
        }
        let looked = &mut self.looked[inside.0 as usize];
        if std::mem::replace(looked, self.looks) == self.looks {
            return false;
        }
        match self.nodes[inside.0 as usize].clone() {
            Node::List(item) => self.occurs(hole, item, depth + 1),
            Node::Map(key, value) => {
                self.occurs(hole, key, depth + 1) || self.occurs(hole, value, depth + 1)
            }
            Node::Struct(_, types) => types.iter().any(|ty| self.occurs(hole, *ty, depth + 1)),
            Node::Func(args, result) => {
                args.iter().any(|ty| self.occurs(hole, *ty, depth + 1))
                    || self.occurs(hole, result, depth + 1)
            }
            _ => false,
        }
    }

    fn unify_known(&mut self, left: TyId, right: TyId, depth: u32) -> Result<(), Mismatch> {
        let (l, r) = (self.nodes[left.0 as usize].clone(), self.nodes[right.0 as usize].clone());
        match (&l, &r) {
            (Node::Bool, Node::Bool)
            | (Node::Str, Node::Str)
            | (Node::Int, Node::Int)
            | (Node::Float, Node::Float)
            | (Node::Variant, _)
            | (_, Node::Variant) => Ok(()),
            (Node::List(x), Node::List(y)) => self.unify_at(*x, *y, depth + 1),
            (Node::Map(k1, v1), Node::Map(k2, v2)) => {
                self.unify_at(*k1, *k2, depth + 1)?;
                self.unify_at(*v1, *v2, depth + 1)
            }
            (Node::Struct(n1, t1), Node::Struct(n2, t2)) => {
                if n1.len() != n2.len() {
                    return Err(self.mismatch("struct field count differs", left, right));
                }
                if n1 != n2 {
                    return Err(self.mismatch("struct fields differ", left, right));
                }
                t1.iter().zip(t2).try_for_each(|(x, y)| self.unify_at(*x, *y, depth + 1))
            }
            (Node::Func(a1, r1), Node::Func(a2, r2)) => {
                if a1.len() != a2.len() {
                    return Err(self.mismatch("func arg count differs", left, right));
                }
                a1.iter().zip(a2).try_for_each(|(x, y)| self.unify_at(*x, *y, depth + 1))?;
                self.unify_at(*r1, *r2, depth + 1)
            }
            (l, r) => {
                let text = format!("type error: {} != {}", kind(l), kind(r));
                Err(self.mismatch(text, left, right))
            }
        }
    }

    /// The kind of a type, such as `list`, if it is known.
    pub fn kind(&mut self, id: TyId) -> Option<&'static str> {
        let id = self.find(id);
        match &self.nodes[id.0 as usize] {
            Node::Hole(..) => None,
            node => Some(kind(node)),
        }
    }

    /// The parts of a list or map: the type of its index, and of its values.
    pub fn indexed(&mut self, id: TyId) -> Option<(TyId, TyId)> {
        let id = self.find(id);
        match &self.nodes[id.0 as usize] {
            Node::List(item) => Some((TyId::INT, *item)),
            Node::Map(key, value) => Some((*key, *value)),
            _ => None,
        }
    }

    /// The type of a field of a known struct; `None` if the struct has no such field.
    pub fn field(&mut self, id: TyId, name: &str) -> Option<Option<TyId>> {
        let id = self.find(id);
        match &self.nodes[id.0 as usize] {
            Node::Struct(names, types) => {
                let at = names.iter().position(|n| n == name);
                Some(at.and_then(|at| types.get(at).copied()))
            }
            _ => None,
        }
    }

    fn is_marked_closed(&self, id: TyId) -> bool {
        self.closed.get(id.0 as usize).copied().unwrap_or(false)
    }

    /// Whether nothing in it is unknown.
    pub fn is_closed(&mut self, id: TyId) -> bool {
        let id = self.find(id);
        if id.0 <= TyId::VARIANT.0 || self.is_marked_closed(id) {
            return true;
        }
        let closed = match self.nodes[id.0 as usize].clone() {
            Node::Hole(..) => false,
            Node::List(item) => self.is_closed(item),
            Node::Map(key, value) => self.is_closed(key) && self.is_closed(value),
            Node::Struct(_, types) => types.iter().all(|ty| self.is_closed(*ty)),
            Node::Func(args, result) => {
                args.iter().all(|ty| self.is_closed(*ty)) && self.is_closed(result)
            }
            _ => true,
        };
        if closed {
            if self.closed.len() < self.nodes.len() {
                self.closed.resize(self.nodes.len(), false);
            }
            self.closed[id.0 as usize] = true;
        }
        closed
    }

    /// The type for comparison and printing, with holes numbered from 1.
    pub fn concrete(&mut self, id: TyId) -> Type {
        let id = self.find(id);
        match id {
            TyId::BOOL => return Type::Bool,
            TyId::STR => return Type::Str,
            TyId::INT => return Type::Int,
            TyId::FLOAT => return Type::Float,
            _ => {}
        }
        if let Some(known) = self.concrete.get(&id) {
            return known.clone();
        }
        let mut holes = FxHashMap::default();
        let ty = self.concrete_with(id, &mut holes);
        if holes.is_empty() {
            self.concrete.insert(id, ty.clone());
        }
        ty
    }

    /// The number of parts of a type when it is written out.
    pub fn size(&mut self, id: TyId) -> u32 {
        let id = self.find(id);
        if id.0 <= TyId::VARIANT.0 {
            return 1;
        }
        if let Some(size) = self.sizes.get(&id) {
            return *size;
        }
        let parts: Vec<TyId> = match &self.nodes[id.0 as usize] {
            Node::List(item) => vec![*item],
            Node::Map(key, value) => vec![*key, *value],
            Node::Struct(_, types) => types.to_vec(),
            Node::Func(args, result) => args.iter().chain([result]).copied().collect(),
            // It may be filled yet.
            _ => return 1,
        };
        let mut size: u32 = 1;
        for part in parts {
            size = size.saturating_add(self.size(part));
            if size > MAX_PARTS {
                break;
            }
        }
        if self.is_closed(id) {
            self.sizes.insert(id, size);
        }
        size
    }

    fn concrete_with(&mut self, id: TyId, holes: &mut FxHashMap<TyId, u32>) -> Type {
        let id = self.find(id);
        if let Some(known) = self.concrete.get(&id) {
            return known.clone();
        }
        let before = holes.len();
        let ty = self.concrete_of(id, holes);
        let is_shared = matches!(ty, Type::Map(_) | Type::Struct(_) | Type::Func(_));
        if is_shared && holes.len() == before && self.is_closed(id) {
            self.concrete.insert(id, ty.clone());
        }
        ty
    }

    fn concrete_of(&mut self, id: TyId, holes: &mut FxHashMap<TyId, u32>) -> Type {
        match self.nodes[id.0 as usize].clone() {
            Node::Hole(..) => {
                let next = holes.len() as u32 + 1;
                Type::Var(*holes.entry(id).or_insert(next))
            }
            Node::Bool => Type::Bool,
            Node::Str => Type::Str,
            Node::Int => Type::Int,
            Node::Float => Type::Float,
            Node::Variant => Type::Variant,
            Node::List(item) => Type::list(self.concrete_with(item, holes)),
            Node::Map(key, value) => {
                let key = self.concrete_with(key, holes);
                Type::map(key, self.concrete_with(value, holes))
            }
            Node::Struct(names, types) => {
                let types = types.iter().map(|ty| self.concrete_with(*ty, holes)).collect();
                Type::Struct(Arc::new(StructType { names, types }))
            }
            Node::Func(args, result) => {
                let args = args.iter().map(|ty| self.concrete_with(*ty, holes)).collect();
                let result = self.concrete_with(result, holes);
                Type::Func(Arc::new(FuncType::new(args, result)))
            }
        }
    }

    /// The type as text, holes numbered from 1.
    pub fn print(&mut self, id: TyId) -> String {
        let mut out = String::new();
        let _ = write!(out, "{}", self.concrete(id));
        out
    }
}

fn kind(node: &Node) -> &'static str {
    match node {
        Node::Hole(..) => "?",
        Node::Bool => "bool",
        Node::Str => "str",
        Node::Int => "int",
        Node::Float => "float",
        Node::Variant => "variant",
        Node::List(_) => "list",
        Node::Map(..) => "map",
        Node::Struct(..) => "struct",
        Node::Func(..) => "func",
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn sides_follow_from_what_is_a_hole() {
        let mut types = Types::default();
        let hole = types.hole();
        types.unify(hole, TyId::INT).unwrap();
        assert_eq!(types.unify(hole, TyId::STR).unwrap_err().text, "type error: int != str");
        assert_eq!(types.unify(TyId::STR, hole).unwrap_err().text, "type error: int != str");
        assert_eq!(types.unify(TyId::STR, TyId::INT).unwrap_err().text, "type error: str != int");
    }

    #[test]
    fn a_type_is_no_part_of_itself() {
        let mut types = Types::default();
        let hole = types.hole();
        let list = types.list(hole);
        assert_eq!(types.unify(hole, list).unwrap_err().text, "directly in the same set");
    }

    #[test]
    fn structs_are_compared_by_names_and_order() {
        let mut types = Types::default();
        let record = |types: &mut Types, names: &[&str]| {
            let names: Arc<[EcoString]> = names.iter().map(|n| EcoString::from(*n)).collect();
            let parts = vec![TyId::INT; names.len()];
            types.record(names, parts)
        };
        let ab = record(&mut types, &["a", "b"]);
        let ba = record(&mut types, &["b", "a"]);
        let a = record(&mut types, &["a"]);
        assert_eq!(types.unify(ab, a).unwrap_err().text, "struct field count differs");
        assert_eq!(types.unify(ab, ba).unwrap_err().text, "struct fields differ");
        let again = record(&mut types, &["a", "b"]);
        assert_eq!(types.unify(ab, again), Ok(()));
    }
}
