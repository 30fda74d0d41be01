//! Resolves the types in the signatures of plugins.

use ecow::EcoString;

use crate::diagnostics::{Class, Error, Result};
use crate::location::Location;
use crate::model::program::{NamespaceId, Program};
use crate::syntax::ast::Name;
use crate::types::{Type, TypeExpr, TypeId};

/// The place of a type in a signature.
#[derive(Clone, Copy)]
struct Site {
    namespace: NamespaceId,
    at: Location,
}

/// The place of errors in a signature: the line of a plugin in Python, none for built-in plugins.
fn place(at: Location) -> Location {
    if at.line == 0 {
        return Location::line(u32::MAX, 1);
    }
    Location { column: 1, end_line: at.line + 1, end_column: 1, ..at }
}

impl Program {
    /// Resolves the types of a plugin.
    ///
    /// # Errors
    /// If a name in its signature is unknown.
    pub(crate) fn normalize_plugin(&mut self, id: u32) -> Result<()> {
        let entry = self.plugins[id as usize].clone();
        let signature = entry.plugin.signature();
        let from = Site { namespace: entry.namespace, at: place(entry.at) };
        let mut params = Vec::with_capacity(signature.params.len());
        for param in &signature.params {
            params.push(self.resolve_at(from, &param.ty)?);
        }
        let any = self.types.add(Type::Any);
        let optional = |program: &mut Self, param: &Option<crate::model::plugin::Param>| match param
        {
            Some(param) => program.resolve_at(from, &param.ty),
            None => Ok(any),
        };
        let rest = optional(self, &signature.rest)?;
        let keywords = optional(self, &signature.keywords)?;
        let returns = self.resolve_at(from, &signature.returns)?;
        let entry = &mut self.plugins[id as usize];
        (entry.params, entry.rest, entry.keywords, entry.returns) =
            (params, rest, keywords, returns);
        Ok(())
    }

    /// Resolves a type of a signature.
    ///
    /// # Errors
    /// If a name in it is unknown.
    pub fn resolve(&mut self, namespace: NamespaceId, ty: &TypeExpr) -> Result<TypeId> {
        self.resolve_at(Site { namespace, at: place(Location::default()) }, ty)
    }

    fn resolve_at(&mut self, from: Site, ty: &TypeExpr) -> Result<TypeId> {
        let ty = match ty {
            TypeExpr::Any => Type::Any,
            TypeExpr::Null => Type::Null,
            TypeExpr::Number => Type::Number,
            TypeExpr::Named(name) => return self.resolve_name(from, name),
            TypeExpr::Written(name) => return self.find_visible(from, name),
            TypeExpr::Dataclass(names, text) => return self.resolve_dataclass(names, text),
            TypeExpr::Known(ty) => return Ok(*ty),
            TypeExpr::List(inner) => Type::List(self.resolve_at(from, inner)?),
            TypeExpr::Dict(inner) => Type::Dict(self.resolve_at(from, inner)?),
            TypeExpr::Nullable(inner) => Type::Nullable(self.resolve_at(from, inner)?),
            TypeExpr::Reference(inner) => Type::Reference(self.resolve_at(from, inner)?),
            TypeExpr::Union(items) => return self.union(from, items),
        };
        Ok(self.types.add(ty))
    }

    fn union(&mut self, from: Site, items: &[TypeExpr]) -> Result<TypeId> {
        let mut is_nullable = false;
        let mut bases: Vec<(TypeId, bool, bool)> = Vec::new();
        let mut work: std::collections::VecDeque<TypeId> = std::collections::VecDeque::new();
        for item in items {
            work.push_back(self.resolve_at(from, item)?);
        }
        while let Some(id) = work.pop_front() {
            let (base, is_reference) = match self.types.get(id) {
                Type::Union(inner) => {
                    work.extend(inner.clone());
                    continue;
                }
                Type::Nullable(inner) => {
                    is_nullable = true;
                    work.push_back(*inner);
                    continue;
                }
                Type::Null => {
                    is_nullable = true;
                    continue;
                }
                Type::Reference(inner) => (*inner, true),
                _ => (id, false),
            };
            match bases.iter_mut().find(|(known, ..)| *known == base) {
                Some(known) if is_reference => known.2 = true,
                Some(known) => known.1 = true,
                None => bases.push((base, !is_reference, is_reference)),
            }
        }
        let mut types = Vec::new();
        for (base, plain, reference) in bases {
            types.push(match (plain, reference) {
                (true, true) => self.types.add(Type::OrReference(base)),
                (false, true) => self.types.add(Type::Reference(base)),
                _ => base,
            });
        }
        let mut ty = match types.as_slice() {
            [only] => *only,
            _ => self.types.add(Type::Union(types)),
        };
        if is_nullable {
            ty = self.types.add(Type::Nullable(ty));
        }
        Ok(ty)
    }

    fn resolve_name(&mut self, from: Site, name: &str) -> Result<TypeId> {
        let any = self.types.add(Type::Any);
        Ok(match name {
            "list" => self.types.add(Type::AnyList),
            "dict" => self.types.add(Type::Dict(any)),
            "any" | "expression" => any,
            "null" => self.types.add(Type::Null),
            _ => return self.find_visible(from, name),
        })
    }

    /// The type of a name, even if the module of the plugin does not import its namespace.
    fn find_visible(&mut self, from: Site, name: &str) -> Result<TypeId> {
        let name = Name { symbol: self.ast.symbols.intern(name), at: from.at };
        match self.find_type(from.namespace, name) {
            Err(error) if error.class == Class::MissingImport => {
                self.find_anywhere(name).ok_or(error)
            }
            found => found,
        }
    }

    /// The entity of a Python dataclass.
    fn resolve_dataclass(&mut self, names: &[EcoString], text: &str) -> Result<TypeId> {
        let named = |name: &EcoString| {
            let mut ids = self.dataclasses.keys();
            ids.find(|id| self.entities[**id as usize].full_name == *name).copied()
        };
        match names.iter().find_map(named) {
            Some(id) => Ok(self.types.add(Type::Entity(id))),
            None => {
                let message =
                    format!("invalid type {text}, this dataclass has no associated inmanta entity");
                Err(Error::new(Class::Typing, message))
            }
        }
    }

    fn find_anywhere(&mut self, name: Name) -> Option<TypeId> {
        let text = self.name(name.symbol).to_owned();
        let (prefix, last) = text.rsplit_once("::")?;
        let namespace = *self.namespace_numbers.get(prefix)?;
        let symbol = self.ast.symbols.intern(last);
        self.find_type(namespace, Name { symbol, at: name.at }).ok()
    }
}
