//! Registers definitions in the order of the original, since that decides which error comes first.

use std::rc::Rc;

use ecow::EcoString;

use crate::diagnostics::{Class, Error, Reporter, Result, Warning};
use crate::location::Location;
use crate::model::plugin::Plugin;
use crate::model::program::{
    Attribute, AttributeKind, DefinitionId, Entity, Implement, Implementation, NamespaceId,
    PluginEntry, Program, Typedef, Visible,
};
use crate::symbol::Symbol;
use crate::syntax::ast::{
    Definition, EntityDef, ImplementDef, ImplementationDef, ImportDef, IndexDef, Name, RelationDef,
    TypedefDef, Unit,
};
use crate::types::{BUILTIN_TYPES, Type, TypeId};

use super::Resolution;

/// The file of the compiler's own definitions.
const INTERNAL: Location =
    Location { file: u32::MAX, line: 1, column: 1, end_line: 1, end_column: 1 };

impl Program {
    /// Adds a file to a namespace.
    pub fn add_unit(&mut self, namespace: NamespaceId, file: u32, unit: Unit) {
        self.namespaces[namespace as usize].file = Some(file);
        for definition in unit.definitions {
            self.definitions.push((namespace, definition));
        }
        if let Some(block) = unit.block {
            let first = 0;
            self.tops.push(crate::model::program::TopBlock { namespace, block, first });
        }
    }

    /// Registers all definitions and checks them. Names in expressions are resolved later.
    ///
    /// # Errors
    /// The first error.
    pub fn define(&mut self, plugins: &[Rc<dyn Plugin>]) -> Result<()> {
        let std = self.namespace("std");
        self.self_name = Some(self.ast.symbols.intern("self"));
        for namespace in &mut self.namespaces {
            let std = Visible { target: std, import: None };
            namespace.visible.insert("std".into(), std);
        }
        let definitions = std::mem::take(&mut self.definitions);
        let result = self.define_all(&definitions, plugins, std);
        self.definitions = definitions;
        result
    }

    fn define_all(
        &mut self,
        definitions: &[(NamespaceId, Definition)],
        plugins: &[Rc<dyn Plugin>],
        std: NamespaceId,
    ) -> Result<()> {
        for (namespace, definition) in definitions {
            self.register(*namespace, definition)?;
        }
        for plugin in plugins {
            self.register_plugin(plugin)?;
        }
        let root = self.root(std)?;
        let mut entities = Vec::new();
        for (namespace, definition) in definitions {
            match definition {
                Definition::Typedef(def) => self.define_typedef(*namespace, def)?,
                Definition::Entity(def) => entities.push((*namespace, def)),
                _ => {}
            }
        }
        entities.push((std, &root));
        self.define_entities(&entities)?;
        let mut relations = 0;
        for (namespace, definition) in definitions {
            match definition {
                Definition::Relation(def) => {
                    self.define_relation(*namespace, def, relations)?;
                    relations += 1;
                    self.relation_annotations.push(self.ast.lists.list(def.annotations).to_vec());
                }
                Definition::Implementation(def) => self.bind_implementation(*namespace, def)?,
                _ => {}
            }
        }
        self.root_relation(relations);
        self.finish_entities();
        for (namespace, definition) in definitions {
            if let Definition::Index(def) = definition {
                self.define_index(*namespace, def)?;
            }
        }
        for (namespace, definition) in definitions {
            if let Definition::Implement(def) = definition {
                self.define_implement(*namespace, def)?;
            }
        }
        Ok(())
    }

    /// Defines `std::Entity`, which no file declares.
    fn root(&mut self, std: NamespaceId) -> Result<EntityDef> {
        let name = Name { symbol: self.ast.symbols.intern("Entity"), at: INTERNAL };
        let def = EntityDef {
            name,
            parents: Vec::new(),
            attributes: Vec::new(),
            comment: Some("The entity that all other entities extend.".into()),
            at: Location::line(u32::MAX, 1),
        };
        self.register_entity(std, &def)?;
        self.root_entity = self.entities.len() as u32 - 1;
        Ok(def)
    }

    fn root_relation(&mut self, relation: u32) {
        let provides = self.ast.symbols.intern("provides");
        let requires = self.ast.symbols.intern("requires");
        let root = self.root_entity;
        let first = self.attributes.len() as u32;
        for (i, name) in [requires, provides].into_iter().enumerate() {
            let end = Some(first + 1 - i as u32);
            let many = (0, None);
            self.push_relation(
                root,
                root,
                Name { symbol: name, at: INTERNAL },
                many,
                end,
                relation,
            );
        }
        self.relation_annotations.push(Vec::new());
    }

    fn register(&mut self, namespace: NamespaceId, definition: &Definition) -> Result<()> {
        match definition {
            Definition::Entity(def) => self.register_entity(namespace, def),
            Definition::Typedef(def) => self.register_typedef(namespace, def),
            Definition::Implementation(def) => self.register_implementation(namespace, def),
            Definition::Import(def) => self.register_import(namespace, def),
            Definition::Relation(_) | Definition::Index(_) | Definition::Implement(_) => Ok(()),
        }
    }

    fn full_name(&self, namespace: NamespaceId, name: Symbol) -> EcoString {
        ecow::eco_format!("{}::{}", self.namespaces[namespace as usize].name, self.name(name))
    }

    fn enter(
        &mut self,
        namespace: NamespaceId,
        name: Symbol,
        named: DefinitionId,
        at: Location,
    ) -> Result<()> {
        let old = self.namespaces[namespace as usize].defines.insert(name, named);
        self.named.push(named);
        let Some(old) = old else { return Ok(()) };
        let full = self.full_name(namespace, name);
        let message = match named {
            DefinitionId::Entity(_) => format!("Entity {full} is already defined"),
            DefinitionId::Typedef(_) => format!("TypeConstraint {full} is already defined"),
            DefinitionId::Plugin(_) => format!("Type {full} is already defined"),
            DefinitionId::Implementation(id) => {
                let target = self.implementations[id as usize].target;
                let target = self.name(target);
                format!("Implementation {full} for type {target} is already defined")
            }
        };
        Err(duplicate(message, at, self.location_of(old)))
    }

    fn location_of(&self, named: DefinitionId) -> Location {
        match named {
            DefinitionId::Entity(id) => self.entities[id as usize].at,
            DefinitionId::Typedef(id) => self.typedefs[id as usize].at,
            DefinitionId::Implementation(id) => self.implementations[id as usize].at,
            DefinitionId::Plugin(id) => self.plugins[id as usize].at,
        }
    }

    fn register_entity(&mut self, namespace: NamespaceId, def: &EntityDef) -> Result<()> {
        let id = self.entities.len() as u32;
        self.entities.push(Entity {
            name: Some(def.name.symbol),
            full_name: self.full_name(namespace, def.name.symbol),
            namespace,
            at: def.name.at,
            comment: def.comment.clone(),
            ..Entity::default()
        });
        self.enter(namespace, def.name.symbol, DefinitionId::Entity(id), def.name.at)
    }

    fn register_typedef(&mut self, namespace: NamespaceId, def: &TypedefDef) -> Result<()> {
        let name = self.name(def.name.symbol).to_owned();
        if BUILTIN_TYPES.iter().any(|(known, _)| *known == name) {
            self.warnings.push(Warning {
                class: "CompilerRuntimeWarning".into(),
                text: format!(
                    "Trying to override a built-in type: {name} (reported in Type({name}) ({}))",
                    self.files.show(def.name.at)
                ),
                at: Some(def.name.at),
            });
        }
        let id = self.typedefs.len() as u32;
        self.typedefs.push(Typedef {
            full_name: self.full_name(namespace, def.name.symbol),
            namespace,
            base: TypeId(0),
            condition: def.condition,
            at: def.name.at,
            comment: def.comment.clone(),
        });
        self.enter(namespace, def.name.symbol, DefinitionId::Typedef(id), def.name.at)
    }

    fn register_implementation(
        &mut self,
        namespace: NamespaceId,
        def: &ImplementationDef,
    ) -> Result<()> {
        let id = self.implementations.len() as u32;
        self.implementations.push(Implementation {
            name: def.name.symbol,
            full_name: self.full_name(namespace, def.name.symbol),
            namespace,
            target: def.entity.symbol,
            entity: None,
            block: def.block,
            at: def.name.at,
        });
        self.enter(namespace, def.name.symbol, DefinitionId::Implementation(id), def.name.at)
    }

    fn register_import(&mut self, namespace: NamespaceId, def: &ImportDef) -> Result<()> {
        let target = self.name(def.target.symbol).to_owned();
        let Some(&target) = self.namespace_numbers.get(&target) else {
            let inside = &self.namespaces[namespace as usize].name;
            let message = format!("could not find type {target} in namespace {inside}");
            return Err(Error::new(Class::TypeNotFound, message).at(def.target.at));
        };
        let alias = self.name(def.alias.symbol).to_owned();
        let visible = &mut self.namespaces[namespace as usize].visible;
        if let Some(Visible { import: Some(other), .. }) = visible.get(&alias) {
            let message = "Two import statements have the same name";
            return Err(duplicate(message, def.at, *other));
        }
        visible.insert(alias, Visible { target, import: Some(def.at) });
        Ok(())
    }

    fn register_plugin(&mut self, plugin: &Rc<dyn Plugin>) -> Result<()> {
        let name = plugin.signature().name.clone();
        let Some((namespace, short)) = name.rsplit_once("::") else { return Ok(()) };
        let Some(&namespace) = self.namespace_numbers.get(namespace) else { return Ok(()) };
        let id = self.plugins.len() as u32;
        let at = self.python_files.get(&plugin.signature().file);
        let at =
            at.map_or(Location::default(), |&file| Location::line(file, plugin.signature().line));
        let none = TypeId(0);
        self.plugins.push(PluginEntry {
            plugin: Rc::clone(plugin),
            params: Vec::new(),
            rest: none,
            keywords: none,
            returns: none,
            namespace,
            at,
        });
        let symbol = self.ast.symbols.intern(short);
        self.enter(namespace, symbol, DefinitionId::Plugin(id), at)
    }

    fn define_typedef(&mut self, namespace: NamespaceId, def: &TypedefDef) -> Result<()> {
        let base = self.find_type(namespace, def.base)?;
        let named = self.namespaces[namespace as usize].defines.get(&def.name.symbol);
        if let Some(DefinitionId::Typedef(id)) = named {
            self.typedefs[*id as usize].base = base;
        }
        Ok(())
    }

    fn define_relation(
        &mut self,
        namespace: NamespaceId,
        def: &RelationDef,
        number: u32,
    ) -> Result<()> {
        let left = self.find_entity(namespace, def.left.entity).map_err(|e| located(e, def.at))?;
        let right =
            self.find_entity(namespace, def.right.entity).map_err(|e| located(e, def.at))?;
        let mut first = None;
        if let Some(name) = def.right.name {
            let many = (def.right.low, def.right.high);
            first = Some(self.add_relation(right, left, name, many, number)?);
        }
        let Some(name) = def.left.name else { return Ok(()) };
        let is_own = right == left && def.right.name.is_some_and(|n| n.symbol == name.symbol);
        let second = match first {
            Some(first) if is_own => first,
            _ => self.add_relation(left, right, name, (def.left.low, def.left.high), number)?,
        };
        if let Some(first) = first {
            for (one, other) in [(first, second), (second, first)] {
                if let AttributeKind::Relation { end, .. } = &mut self.attributes[one as usize].kind
                {
                    *end = Some(other);
                }
            }
        }
        Ok(())
    }

    fn add_relation(
        &mut self,
        entity: u32,
        target: u32,
        name: Name,
        many: (u32, Option<u32>),
        relation: u32,
    ) -> Result<u32> {
        let owner = &self.entities[entity as usize];
        if let Some(&old) = owner.own_names.get(&name.symbol) {
            return Err(self.attribute_exists(old, name, entity));
        }
        Ok(self.push_relation(entity, target, name, many, None, relation))
    }

    pub(super) fn attribute_exists(&self, old: u32, name: Name, entity: u32) -> Box<Error> {
        let owner = self.entities[entity as usize].name.map_or("", |name| self.name(name));
        let text = self.name(name.symbol);
        let message = format!("attribute '{text}' already exists on entity '{owner}'");
        duplicate(message, self.attributes[old as usize].at, name.at)
    }

    fn push_relation(
        &mut self,
        entity: u32,
        target: u32,
        name: Name,
        (low, high): (u32, Option<u32>),
        end: Option<u32>,
        relation: u32,
    ) -> u32 {
        let id = self.attributes.len() as u32;
        let ty = self.types.add(Type::Entity(target));
        let kind = AttributeKind::Relation { low, high, end, precedes: false, relation };
        self.attributes.push(Attribute {
            name: name.symbol,
            entity,
            ty,
            internal: ty,
            base: ty,
            is_list: false,
            is_nullable: false,
            kind,
            at: name.at,
            default: None,
            type_text: String::new(),
        });
        let owner = &mut self.entities[entity as usize];
        owner.own.push(id);
        owner.own_names.insert(name.symbol, id);
        id
    }

    fn bind_implementation(
        &mut self,
        namespace: NamespaceId,
        def: &ImplementationDef,
    ) -> Result<()> {
        let text = format!("Implementation({})", self.name(def.name.symbol));
        let reporter = || Reporter { text: text.clone(), location: Some(def.name.at) };
        let found = self.find(namespace, def.entity).map_err(|e| reported(e, &reporter))?;
        let Resolution::Definition(DefinitionId::Entity(entity)) = found else {
            let message = format!(
                "Implementation can only be define for an Entity, but {} is a {}",
                self.name(def.entity.symbol),
                self.found_text(found)
            );
            return Err(Error::new(Class::Typing, message).by(text, def.name.at));
        };
        let named = self.namespaces[namespace as usize].defines.get(&def.name.symbol);
        if let Some(DefinitionId::Implementation(id)) = named {
            self.implementations[*id as usize].entity = Some(entity);
        }
        Ok(())
    }

    pub(super) fn found_text(&self, found: Resolution) -> String {
        match found {
            Resolution::Type(ty) => self.type_text(ty),
            Resolution::Definition(DefinitionId::Entity(id)) => {
                self.entities[id as usize].full_name.to_string()
            }
            Resolution::Definition(DefinitionId::Typedef(id)) => {
                self.typedefs[id as usize].full_name.to_string()
            }
            Resolution::Definition(DefinitionId::Implementation(id)) => {
                self.implementations[id as usize].full_name.to_string()
            }
            Resolution::Definition(DefinitionId::Plugin(id)) => {
                self.plugins[id as usize].plugin.signature().name.to_string()
            }
        }
    }

    fn define_index(&mut self, namespace: NamespaceId, def: &IndexDef) -> Result<()> {
        let entity = self.find_entity(namespace, def.entity)?;
        let names: Vec<&str> = def.attributes.iter().map(|a| self.name(a.symbol)).collect();
        let text = format!("index {}({})", self.name(def.entity.symbol), names.join(", "));
        for attribute in &def.attributes {
            let (name, full) =
                (self.name(attribute.symbol), &self.entities[entity as usize].full_name);
            let Some(id) = self.attribute(entity, attribute.symbol) else {
                let message = format!(
                    "Attribute '{name}' referenced in index is not defined in entity {full}"
                );
                return Err(Error::new(Class::NotFound, message).by(text, def.at));
            };
            let found = &self.attributes[id as usize];
            let message = match found.kind {
                AttributeKind::Relation { low: 0, .. } => format!(
                    "Index can not contain optional relations, Relation ' {name}.{full}' is \
                     optional"
                ),
                _ if found.is_many() || found.is_list => format!(
                    "Index can not contain list attributes, Attribute ' {name}.{full}' is a list"
                ),
                _ => continue,
            };
            return Err(Error::new(Class::Index, message).by(text, def.at));
        }
        let mut list: Vec<Symbol> = def.attributes.iter().map(|a| a.symbol).collect();
        list.sort_by(|a, b| self.name(*a).cmp(self.name(*b)));
        let number = match self.index_lists.iter().position(|known| *known == list) {
            Some(number) => number,
            None => {
                self.index_lists.push(list);
                self.index_lists.len() - 1
            }
        };
        self.add_index(entity, number as u32);
        Ok(())
    }

    fn add_index(&mut self, entity: u32, number: u32) {
        let mut work = vec![entity];
        while let Some(id) = work.pop() {
            let entity = &mut self.entities[id as usize];
            if entity.indexes.contains(&number) {
                continue;
            }
            entity.indexes.push(number);
            work.extend(&entity.children);
        }
    }

    fn define_implement(&mut self, namespace: NamespaceId, def: &ImplementDef) -> Result<()> {
        let text = format!("Implement({})", self.name(def.entity.symbol));
        let reporter = || Reporter { text: text.clone(), location: Some(def.entity.at) };
        let found = self.find(namespace, def.entity).map_err(|e| reported(e, &reporter))?;
        let Resolution::Definition(DefinitionId::Entity(entity)) = found else {
            let message = format!(
                "Implementation can only be define for an Entity, but {} is a {}",
                self.name(def.entity.symbol),
                self.found_text(found)
            );
            return Err(Error::new(Class::Typing, message).by(text, def.entity.at));
        };
        self.entities[entity as usize].inherits |= def.parents;
        let mut implementations = Vec::new();
        for name in &def.implementations {
            let found = self.find(namespace, *name).map_err(|e| reported(e, &reporter))?;
            let Resolution::Definition(DefinitionId::Implementation(id)) = found else {
                let message = format!("{} is not an implementation", self.name(name.symbol));
                return Err(Error::new(Class::Typing, message).by(text, def.entity.at));
            };
            let target = self.implementations[id as usize].entity;
            if let Some(target) = target
                && !self.is_entity(entity, target)
            {
                let message = format!(
                    "Type mismatch: cannot use {} as implementation for  {} because its \
                     implementing type is {}",
                    self.name(self.implementations[id as usize].name),
                    self.entities[entity as usize].full_name,
                    self.entities[target as usize].full_name
                );
                return Err(Error::new(Class::Typing, message).by(text, def.entity.at));
            }
            implementations.push(id);
        }
        let id = self.implements.len() as u32;
        self.implements.push(Implement {
            implementations,
            condition: def.condition,
            at: def.entity.at,
            is_normalized: false,
        });
        self.entities[entity as usize].implements.push(id);
        Ok(())
    }
}

/// Sets the place of an error to a statement, unless it has one.
fn located(error: Box<Error>, at: Location) -> Box<Error> {
    error.at(at)
}

/// Sets the reporting statement of an error, unless it has one.
pub(super) fn reported(mut error: Box<Error>, reporter: &dyn Fn() -> Reporter) -> Box<Error> {
    if matches!(error.class, Class::TypeNotFound | Class::MissingImport | Class::AmbiguousType) {
        error.set_reporter(true, reporter);
    }
    error
}

/// The error that a name is defined twice.
pub(super) fn duplicate(message: impl Into<String>, at: Location, other: Location) -> Box<Error> {
    let mut error = Error::new(Class::Duplicate, message).at(at);
    error.other = Some(other);
    error
}
