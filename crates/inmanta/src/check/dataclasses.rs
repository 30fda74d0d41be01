//! Compares entities that extend `std::Dataclass` with the Python dataclasses of the same name.

use ecow::EcoString;

use crate::diagnostics::explanation::{self, Explanation, Side};
use crate::diagnostics::{Class, Error, Result};
use crate::model::program::{Program, PythonClass};
use crate::symbol::Symbol;
use crate::syntax::ast::Definition;
use crate::types::{Type, TypeExpr, TypeId};

/// The end of each error message about a single attribute.
const IDENTICAL: &str =
    "All attributes of a dataclasses must be identical in both the python and inmanta domain";

impl Program {
    /// The entities that need a Python dataclass, in the order of their definition.
    pub(crate) fn dataclass_entities(&self) -> Vec<u32> {
        let root = self.entities.iter().position(|entity| entity.full_name == "std::Dataclass");
        let Some(root) = root else { return Vec::new() };
        let is_below = |id: &u32| self.entities[*id as usize].ancestors.contains(&(root as u32));
        (0..self.entities.len() as u32).filter(is_below).collect()
    }

    /// Compares an entity with its Python dataclass, if it needs one.
    ///
    /// # Errors
    /// The differences.
    pub(crate) fn check_dataclass(&mut self, id: u32) -> Result<()> {
        let Some(found) = self.dataclasses.get(&id).map(|found| found.class.clone()) else {
            return Ok(());
        };
        let entity = &self.entities[id as usize];
        let (full, at) = (entity.full_name.clone(), entity.at);
        let place = self.files.show(at);
        let mismatch = |text: String, explanation: Explanation| {
            let mut error = Error::new(Class::DataClassMismatch, text).by(&*full, at);
            error.explanation = Some(explanation);
            error
        };
        let must = "Dataclasses must have a python counterpart that is a frozen dataclass.";
        let name = found.name.clone().unwrap_or_default();
        if !(found.is_dataclass && found.is_frozen) {
            let what = if found.is_dataclass { "frozen" } else { "a dataclass" };
            let text = format!(
                "The python object {}.{name} associated to  {full} defined at {place} is not \
                 {what}. {must}",
                found.module
            );
            return Err(mismatch(text, self.explain_dataclass(id, &found, false)));
        }
        let mut fields = found.fields.clone();
        let complaints = self.compare_fields(id, &mut fields);
        if !complaints.is_empty() {
            let list: Vec<String> = complaints.iter().map(|text| format!("    -{text}")).collect();
            let text = format!(
                "The dataclass {full} defined at {place} does not match the corresponding python \
                 dataclass at {}:{}. {} errors:\n{}\n",
                found.file,
                found.line,
                complaints.len(),
                list.join("\n")
            );
            return Err(mismatch(text, self.explain_dataclass(id, &found, true)));
        }
        self.check_plain(id)
    }

    /// Explains how to change the Python class so that it matches the entity, or optionally the
    /// entity.
    fn explain_dataclass(
        &mut self,
        id: u32,
        class: &PythonClass,
        with_entity: bool,
    ) -> Explanation {
        let types: Vec<(String, String)> = class
            .fields
            .iter()
            .map(|(name, ty)| (name.to_string(), self.written_type(id, ty.as_ref())))
            .collect();
        let entity = &self.entities[id as usize];
        let name = entity.name.map_or("", |name| self.name(name));
        let attributes = entity.slots.iter().map(|slot| &self.attributes[*slot as usize]);
        let attributes = attributes.filter(|attribute| !attribute.is_relation());
        let fields = attributes.map(|attribute| {
            (self.name(attribute.name).to_owned(), self.python_type(attribute.ty))
        });
        let own = Side { name, comment: entity.comment.as_deref(), fields: fields.collect() };
        let place = self.files.show(entity.at);
        let other = Side { name, comment: class.comment.as_deref(), fields: types };
        let full = format!("{}.{name}", class.module);
        explanation::dataclass(&full, &own, with_entity.then_some((&*place, other)))
    }

    /// The type of a field in the model language; `ERROR` if there is none.
    fn written_type(&mut self, entity: u32, field: Option<&TypeExpr>) -> String {
        let namespace = self.entities[entity as usize].namespace;
        let ty = field.and_then(|ty| self.resolve(namespace, ty).ok());
        let text = ty.filter(|ty| self.can_be_written(*ty)).map(|ty| self.type_text(ty));
        text.unwrap_or_else(|| "ERROR".into())
    }

    /// Whether the model language can express a type.
    fn can_be_written(&self, ty: TypeId) -> bool {
        match self.types.get(ty) {
            Type::Union(_) | Type::Reference(_) | Type::Any | Type::Literal => false,
            Type::List(inner) | Type::Nullable(inner) | Type::OrReference(inner) => {
                self.can_be_written(*inner)
            }
            _ => true,
        }
    }

    /// The Python type of an attribute's values.
    fn python_type(&self, ty: TypeId) -> String {
        match self.types.get(ty) {
            Type::String => "str".into(),
            Type::Int => "int".into(),
            Type::Float => "float".into(),
            Type::Number => "numbers.Number".into(),
            Type::Bool => "bool".into(),
            Type::AnyList | Type::LiteralList => "list[object]".into(),
            Type::LiteralDict => "dict[str, object]".into(),
            Type::Literal | Type::Any => "object".into(),
            Type::Null => "None".into(),
            Type::Dict(inner) => format!("dict[str, {}]", self.python_type(*inner)),
            Type::List(inner) => format!("list[{}]", self.python_type(*inner)),
            Type::Nullable(inner) => format!("{} | None", self.python_type(*inner)),
            Type::Reference(inner) => format!("Reference[{}]", self.python_type(*inner)),
            Type::OrReference(inner) => {
                let inner = self.python_type(*inner);
                format!("Reference[{inner}] | {inner}")
            }
            Type::Union(items) => {
                let items: Vec<String> = items.iter().map(|item| self.python_type(*item)).collect();
                items.join(" | ")
            }
            Type::Typedef(id) => self.python_type(self.typedefs[*id as usize].base),
            Type::Entity(id) => {
                let full = &self.entities[*id as usize].full_name;
                format!("inmanta_plugins.{}", full.replace("::", "."))
            }
        }
    }

    /// Compares attributes with fields. Removes fields that have an attribute, so the caller can
    /// report the rest.
    fn compare_fields(
        &mut self,
        id: u32,
        fields: &mut Vec<(EcoString, Option<TypeExpr>)>,
    ) -> Vec<String> {
        let mut complaints = Vec::new();
        let namespace = self.entities[id as usize].namespace;
        for attribute in self.entities[id as usize].slots.clone() {
            let found = &self.attributes[attribute as usize];
            let (symbol, own) = (found.name, found.internal);
            let name = self.name(symbol).to_owned();
            if found.is_relation() {
                if found.entity != self.root_entity {
                    complaints.push(format!(
                        "a relation called {name} is defined at {}. Dataclasses are not allowed \
                         to have relations",
                        self.files.show(found.at)
                    ));
                }
                continue;
            }
            let Some(at) = fields.iter().position(|(known, _)| *known == name) else {
                complaints.push(format!(
                    "The attribute {name} has no counterpart in the python domain. {IDENTICAL}."
                ));
                continue;
            };
            if !self.is_attribute_type(own) {
                complaints.push(format!(
                    "The attribute {name} of type `{}` is not primitive. All attributes of a \
                     dataclasses have to be of a primitive type.",
                    self.type_text(own)
                ));
                continue;
            }
            let (_, wanted) = fields.remove(at);
            let wanted = wanted.and_then(|wanted| self.resolve(namespace, &wanted).ok());
            if let Some(wanted) = wanted {
                self.note_field(id, symbol, wanted);
            }
            if !wanted.is_some_and(|wanted| self.corresponds(own, wanted)) {
                complaints.push(format!(
                    "The attribute {name} does not have the same type as the associated field in \
                     the python domain. {IDENTICAL}."
                ));
            }
        }
        let left = fields.iter().map(|(name, _)| {
            format!("The field {name} doesn't exist in the inmanta domain. {IDENTICAL}")
        });
        complaints.extend(left);
        complaints
    }

    fn note_field(&mut self, id: u32, name: Symbol, ty: TypeId) {
        if let Some(found) = self.dataclasses.get_mut(&id) {
            found.fields.push((name, ty));
        }
    }

    /// Whether a field type matches an attribute type, as precisely as Python can express it.
    fn corresponds(&self, own: TypeId, python: TypeId) -> bool {
        let python_type = self.types.get(python);
        let own_type = self.types.get(own);
        if own == python || matches!(python_type, Type::Any) || matches!(own_type, Type::Any) {
            return true;
        }
        match (own_type, python_type) {
            (Type::OrReference(own), _) if self.corresponds(*own, python) => true,
            (Type::OrReference(own), Type::OrReference(python))
            | (Type::Nullable(own), Type::Nullable(python))
            | (Type::Reference(own), Type::Reference(python))
            | (Type::List(own), Type::List(python))
            | (Type::Dict(own), Type::Dict(python)) => self.corresponds(*own, *python),
            (Type::Number, Type::Int | Type::Float) => true,
            (Type::LiteralList, Type::List(python)) | (Type::LiteralDict, Type::Dict(python)) => {
                self.is_attribute_type(*python)
            }
            (Type::Literal, _) => self.is_attribute_type(python),
            (Type::Typedef(typedef), _) => {
                self.corresponds(self.typedefs[*typedef as usize].base, python)
            }
            _ => false,
        }
    }

    /// Whether an attribute can have a type.
    fn is_attribute_type(&self, ty: TypeId) -> bool {
        match self.types.get(ty) {
            Type::Entity(_) | Type::Typedef(_) | Type::Null => false,
            Type::List(inner)
            | Type::Nullable(inner)
            | Type::Reference(inner)
            | Type::OrReference(inner) => self.is_attribute_type(*inner),
            Type::Union(items) => items.iter().all(|item| self.is_attribute_type(*item)),
            _ => true,
        }
    }

    /// Checks that a dataclass has no implementations but `std::none`, and no indexes.
    fn check_plain(&self, id: u32) -> Result<()> {
        let entity = &self.entities[id as usize];
        let (full, place) = (&entity.full_name, self.files.show(entity.at));
        let fail = |text: String| Err(Error::new(Class::DataClass, text).by(&**full, entity.at));
        for implement in &entity.all_implements {
            let implement = &self.implements[*implement as usize];
            let mut all = implement.implementations.iter();
            if all.any(|id| self.implementations[*id as usize].full_name != "std::none") {
                return fail(format!(
                    "The dataclass {full} defined at {place} has an implementation other than \
                     'std::none', defined at {}. Dataclasses can only have std::none as \
                     implemenation.",
                    self.files.show(implement.at)
                ));
            }
        }
        if entity.indexes.is_empty() {
            return Ok(());
        }
        fail(format!(
            "The dataclass {full} defined at {place} has an indexes defined at {}. Dataclasses \
             can not have any indexes.",
            self.index_places(entity.name).join(",")
        ))
    }

    /// The places of the indexes of an entity.
    fn index_places(&self, name: Option<Symbol>) -> Vec<String> {
        let is_meant = |symbol: Symbol| {
            let text = self.name(symbol);
            name.is_some_and(|name| text.rsplit("::").next() == Some(self.name(name)))
        };
        let definitions = self.definitions.iter().filter_map(|(_, definition)| match definition {
            Definition::Index(def) if is_meant(def.entity.symbol) => Some(self.files.show(def.at)),
            _ => None,
        });
        definitions.collect()
    }
}
