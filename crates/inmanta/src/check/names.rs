//! Looking names up.

use ordain_source::suggest;

use crate::error::{Background, Class, Error, Result};
use crate::location::Location;
use crate::program::{Named, NamespaceId, Program, Visible, Warning};
use crate::syntax::ast::Name;
use crate::types::{Type, TypeId};

/// The kinds of names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Found {
    /// A type that is built in.
    Type(TypeId),
    /// The definitions in a namespace.
    Named(Named),
}

impl Program {
    /// Warns of a use of the type `number`.
    pub fn warn_of_number(&mut self, at: Location) {
        self.warnings.push(Warning {
            class: "TypeDeprecationWarning".into(),
            text: "Type 'number' is deprecated, use 'float' or 'int' instead".into(),
            at: Some(at),
        });
    }

    /// The namespace of a name from the root, which is made if there is none.
    pub fn namespace(&mut self, name: &str) -> NamespaceId {
        if self.namespaces.is_empty() {
            self.namespaces.push(crate::program::Namespace::default());
        }
        if let Some(&id) = self.namespace_numbers.get(name) {
            return id;
        }
        let parent = name.rsplit_once("::").map_or(0, |(parent, _)| self.namespace(parent));
        let id = self.namespaces.len() as NamespaceId;
        let mut namespace = crate::program::Namespace {
            name: name.to_owned(),
            parent: Some(parent),
            ..crate::program::Namespace::default()
        };
        namespace.visible.insert(name.to_owned(), Visible { target: id, import: None });
        self.namespaces.push(namespace);
        self.namespace_numbers.insert(name.to_owned(), id);
        id
    }

    /// The namespace in which a node stands.
    pub fn namespace_at(&self, file: u32) -> NamespaceId {
        self.file_namespaces.get(file as usize).copied().unwrap_or_default()
    }

    /// The meaning of a name in a namespace.
    ///
    /// # Errors
    /// If nothing has this name, or its namespace was not imported.
    pub fn find(&mut self, namespace: NamespaceId, name: Name) -> Result<Found> {
        let text = self.ast.symbols.name(name.symbol).clone();
        // A byte is searched faster than a text, and most names have none.
        if text.as_bytes().contains(&b':')
            && let Some((prefix, last)) = text.rsplit_once("::")
        {
            return self.find_qualified(namespace, name, prefix, last);
        }
        if let Some(ty) = self.types.named(&text) {
            if *self.types.get(ty) == Type::Number {
                self.warn_of_number(name.at);
            }
            return Ok(Found::Type(ty));
        }
        let mut around = Some(namespace);
        while let Some(id) = around {
            let namespace = &self.namespaces[id as usize];
            if let Some(named) = namespace.defines.get(&name.symbol) {
                return Ok(Found::Named(*named));
            }
            around = namespace.parent;
        }
        Err(self.not_found(&text, namespace, name))
    }

    fn not_found(&self, text: &str, namespace: NamespaceId, name: Name) -> Box<Error> {
        let inside = &self.namespaces[namespace as usize].name;
        let message = format!("could not find type {text} in namespace {inside}");
        let known = self.defined_in(namespace);
        let (prefix, last) = text.rsplit_once("::").map_or(("", text), |(p, last)| (p, last));
        let near = suggest::nearest(last, known.iter().map(String::as_str));
        let near = near.map(|near| match prefix {
            "" => near.to_owned(),
            prefix => format!("{prefix}::{near}"),
        });
        Error::new(Class::TypeNotFound, message).at(name.at).meaning(near.as_deref())
    }

    /// The names that mean something in a namespace without a prefix, for suggestions.
    fn defined_in(&self, namespace: NamespaceId) -> Vec<String> {
        let mut names: Vec<String> =
            crate::types::NAMED.iter().map(|(name, _)| (*name).to_owned()).collect();
        let mut around = Some(namespace);
        while let Some(id) = around {
            let namespace = &self.namespaces[id as usize];
            names.extend(namespace.defines.keys().map(|name| self.name(*name).to_owned()));
            around = namespace.parent;
        }
        names.sort();
        names
    }

    /// The further facts of an error about a value of an attribute that is set at a place.
    pub(crate) fn about_attribute(&self, attribute: u32, at: Location) -> Background {
        let attribute = &self.attributes[attribute as usize];
        let name = self.name(attribute.name);
        let label = format!("`{name}` takes {}", self.type_text(attribute.internal));
        Background {
            places: vec![(attribute.at, format!("`{name}` is declared here"))],
            help: Vec::new(),
            focus: Some((at, label)),
        }
    }

    /// The further facts of an error about an instance without an implementation.
    pub(crate) fn about_implementations(&self, entity: u32) -> Background {
        let entity = &self.entities[entity as usize];
        let name = entity.name.map_or("", |name| self.name(name));
        let help = match entity.all_implements.is_empty() {
            true => format!("if there is nothing to add to it: `implement {name} using std::none`"),
            false => format!("no condition of an `implement {name} … when …` holds for it"),
        };
        Background { help: vec![help], ..Background::default() }
    }

    fn find_qualified(
        &mut self,
        namespace: NamespaceId,
        name: Name,
        prefix: &str,
        last: &str,
    ) -> Result<Found> {
        let inside = &self.namespaces[namespace as usize];
        let text = self.ast.name(name.symbol);
        let Some(visible) = inside.visible.get(prefix) else {
            let mut message = format!(
                "could not find type {text} in namespace {}.\nTry importing the module with \
                 `import {prefix}`",
                inside.name
            );
            if let Some(file) = inside.file {
                message.push_str(&format!(" in {}", self.files.name(file)));
            }
            let visible = inside.visible.keys().map(String::as_str);
            let mut visible: Vec<&str> = visible.collect();
            visible.sort_unstable();
            let near = suggest::nearest(prefix, visible).map(|near| format!("{near}::{last}"));
            let error = Error::new(Class::MissingImport, message).at(name.at);
            return Err(error.meaning(near.as_deref()));
        };
        let target = visible.target;
        let symbol = self.ast.symbols.get(last);
        let found = symbol.and_then(|s| self.namespaces[target as usize].defines.get(&s));
        match found {
            Some(named) => Ok(Found::Named(*named)),
            None => Err(self.not_found(text, target, name)),
        }
    }

    /// The entity of a name.
    ///
    /// # Errors
    /// If there is none.
    pub fn find_entity(&mut self, namespace: NamespaceId, name: Name) -> Result<u32> {
        match self.find(namespace, name)? {
            Found::Named(Named::Entity(entity)) => Ok(entity),
            _ => {
                let message = format!("{} is not an entity", self.name(name.symbol));
                Err(Error::new(Class::Typing, message).at(name.at))
            }
        }
    }

    /// The type of a name, where it is one of a value.
    ///
    /// # Errors
    /// If there is none.
    pub fn find_type(&mut self, namespace: NamespaceId, name: Name) -> Result<TypeId> {
        Ok(match self.find(namespace, name)? {
            Found::Type(ty) => ty,
            Found::Named(Named::Entity(id)) => self.types.add(Type::Entity(id)),
            Found::Named(Named::Typedef(id)) => self.types.add(Type::Typedef(id)),
            Found::Named(_) => {
                let message = "Attributes can only be a type. Entities need to be defined as \
                               relations.";
                return Err(Error::new(Class::Typing, message).at(name.at));
            }
        })
    }
}
