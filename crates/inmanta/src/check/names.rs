//! Resolves names.

use ordain_source::suggest;

use crate::diagnostics::{Background, Class, Error, Result, Warning};
use crate::location::Location;
use crate::model::program::{DefinitionId, NamespaceId, Program, Visible};
use crate::syntax::ast::Name;
use crate::types::{Type, TypeId};

/// The meaning of a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Resolution {
    /// A type that is built in.
    Type(TypeId),
    /// The definitions in a namespace.
    Definition(DefinitionId),
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

    /// The namespace of a name from the root; created if there is none.
    pub fn namespace(&mut self, name: &str) -> NamespaceId {
        if self.namespaces.is_empty() {
            self.namespaces.push(crate::model::program::Namespace::default());
        }
        if let Some(&id) = self.namespace_numbers.get(name) {
            return id;
        }
        let parent = name.rsplit_once("::").map_or(0, |(parent, _)| self.namespace(parent));
        let id = self.namespaces.len() as NamespaceId;
        let mut namespace = crate::model::program::Namespace {
            name: name.to_owned(),
            parent: Some(parent),
            ..crate::model::program::Namespace::default()
        };
        namespace.visible.insert(name.to_owned(), Visible { target: id, import: None });
        self.namespaces.push(namespace);
        self.namespace_numbers.insert(name.to_owned(), id);
        id
    }

    /// The namespace of a file.
    pub fn namespace_at(&self, file: u32) -> NamespaceId {
        self.file_namespaces.get(file as usize).copied().unwrap_or_default()
    }

    /// The meaning of a name in a namespace.
    ///
    /// # Errors
    /// If nothing has this name, or its namespace was not imported.
    pub fn find(&mut self, namespace: NamespaceId, name: Name) -> Result<Resolution> {
        let text = self.ast.symbols.name(name.symbol).clone();
        // Searching a byte is faster than searching a text, and most names have no namespace.
        if text.as_bytes().contains(&b':')
            && let Some((prefix, last)) = text.rsplit_once("::")
        {
            return self.find_qualified(namespace, name, prefix, last);
        }
        if let Some(ty) = self.types.named(&text) {
            if *self.types.get(ty) == Type::Number {
                self.warn_of_number(name.at);
            }
            return Ok(Resolution::Type(ty));
        }
        let mut around = Some(namespace);
        while let Some(id) = around {
            let namespace = &self.namespaces[id as usize];
            if let Some(named) = namespace.defines.get(&name.symbol) {
                return Ok(Resolution::Definition(*named));
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

    /// The names that are visible in a namespace without a prefix, for suggestions.
    fn defined_in(&self, namespace: NamespaceId) -> Vec<String> {
        let mut names: Vec<String> =
            crate::types::BUILTIN_TYPES.iter().map(|(name, _)| (*name).to_owned()).collect();
        let mut around = Some(namespace);
        while let Some(id) = around {
            let namespace = &self.namespaces[id as usize];
            names.extend(namespace.defines.keys().map(|name| self.name(*name).to_owned()));
            around = namespace.parent;
        }
        names.sort();
        names
    }

    /// The background of an error about the value of an attribute.
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

    /// The background of an error about an instance without an implementation.
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
    ) -> Result<Resolution> {
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
            Some(named) => Ok(Resolution::Definition(*named)),
            None => Err(self.not_found(text, target, name)),
        }
    }

    /// The entity of a name.
    ///
    /// # Errors
    /// If there is none.
    pub fn find_entity(&mut self, namespace: NamespaceId, name: Name) -> Result<u32> {
        match self.find(namespace, name)? {
            Resolution::Definition(DefinitionId::Entity(entity)) => Ok(entity),
            _ => {
                let message = format!("{} is not an entity", self.name(name.symbol));
                Err(Error::new(Class::Typing, message).at(name.at))
            }
        }
    }

    /// The type that a name refers to.
    ///
    /// # Errors
    /// If there is none.
    pub fn find_type(&mut self, namespace: NamespaceId, name: Name) -> Result<TypeId> {
        Ok(match self.find(namespace, name)? {
            Resolution::Type(ty) => ty,
            Resolution::Definition(DefinitionId::Entity(id)) => self.types.add(Type::Entity(id)),
            Resolution::Definition(DefinitionId::Typedef(id)) => self.types.add(Type::Typedef(id)),
            Resolution::Definition(_) => {
                let message = "Attributes can only be a type. Entities need to be defined as \
                               relations.";
                return Err(Error::new(Class::Typing, message).at(name.at));
            }
        })
    }
}
