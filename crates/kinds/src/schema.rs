//! The schema of a kind and of its attributes.

use crate::form::Form;
use crate::language::{InmantaEntity, MclField, MclKind, PuppetType};

/// The type of an attribute's value. Engines also take the text of a value in its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AttributeType {
    /// Several types are allowed; the kind decides.
    Any,
    /// A text.
    Text,
    /// A text, or bytes that are no text.
    Bytes,
    /// A list of texts; one text is a list of one.
    List,
    /// True or false, also as `yes` and `no`.
    Boolean,
    /// An integer.
    Integer,
    /// A number with or without a fraction.
    Number,
    /// One of these words.
    Choice(&'static [&'static str]),
}

impl AttributeType {
    /// The type in the words of the manual.
    pub fn text(self) -> String {
        let name = match self {
            Self::Any => "any",
            Self::Text => "text",
            Self::Bytes => "text or bytes",
            Self::List => "list of text",
            Self::Boolean => "boolean",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Choice(words) => {
                let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
                return words.join(", ");
            }
        };
        name.to_string()
    }
}

/// The unit of a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// Seconds.
    Seconds,
    /// Days.
    Days,
}

impl Unit {
    /// The unit in the words of the manual.
    pub fn text(self) -> &'static str {
        match self {
            Self::Seconds => "seconds",
            Self::Days => "days",
        }
    }
}

/// A text of the manual, which programs without the feature `manual` leave out.
const fn manual_text(text: &'static str) -> &'static str {
    if cfg!(feature = "manual") { text } else { "" }
}

/// An attribute of a kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AttributeSchema {
    /// The name.
    pub name: &'static str,
    /// One line for the manual; empty without the feature `manual`.
    pub doc: &'static str,
    /// The type of its value.
    pub ty: AttributeType,
    /// The unit of its value, if that is a number with one.
    pub unit: Option<Unit>,
    /// The value that counts if none is set, as text.
    pub default: Option<&'static str>,
    /// Whether its value is a secret by its nature.
    pub is_secret: bool,
    /// The form of its value, where that is narrower than the type.
    pub form: Option<Form>,
    /// Whether Puppet's type has it, if Puppet has the kind.
    pub is_in_puppet: bool,
    /// The field of its name in mcl, if the kind takes its fields from the attributes; see
    /// [`AttributeSchema::mcl_field`]. Few attributes have one, so it is stored apart.
    mcl: Option<&'static MclField>,
}

impl AttributeSchema {
    /// An attribute without unit and default.
    pub const fn new(name: &'static str, ty: AttributeType, doc: &'static str) -> Self {
        Self {
            name,
            doc: manual_text(doc),
            ty,
            unit: None,
            default: None,
            is_secret: false,
            form: None,
            is_in_puppet: true,
            mcl: None,
        }
    }

    /// The same with a unit.
    pub const fn unit(self, unit: Unit) -> Self {
        Self { unit: Some(unit), ..self }
    }

    /// The same with a default.
    pub const fn default_value(self, value: &'static str) -> Self {
        Self { default: Some(value), ..self }
    }

    /// The same as a secret.
    pub const fn secret(self) -> Self {
        Self { is_secret: true, ..self }
    }

    /// The same with a form of its value.
    pub const fn form(self, form: Form) -> Self {
        Self { form: Some(form), ..self }
    }

    /// The same without a counterpart in Puppet: only other languages set it.
    pub const fn not_in_puppet(self) -> Self {
        Self { is_in_puppet: false, ..self }
    }

    /// The field of its name in mcl, if the kind takes its fields from the attributes.
    pub fn mcl_field(&self) -> Option<MclField> {
        Some(self.mcl?.of(self.name))
    }

    /// The same with a field of its name in mcl.
    pub const fn mcl(self, field: &'static MclField) -> Self {
        Self { mcl: Some(field), ..self }
    }

    /// The form of its value: the explicit one, or the words of a choice.
    pub fn value_form(&self) -> Option<Form> {
        match (self.form, self.ty) {
            (None, AttributeType::Choice(words)) => Some(Form::Words(words)),
            (form, _) => form,
        }
    }
}

macro_rules! constructors {
    ($($name:ident $ty:ident),*) => { $(
        pub(crate) const fn $name(name: &'static str, doc: &'static str) -> AttributeSchema {
            AttributeSchema::new(name, AttributeType::$ty, doc)
        }
    )* };
}

constructors! {
    any Any, text Text, bytes Bytes, list List, boolean Boolean, integer Integer, number Number
}

pub(crate) const fn choice(
    name: &'static str,
    words: &'static [&'static str],
    doc: &'static str,
) -> AttributeSchema {
    AttributeSchema::new(name, AttributeType::Choice(words), doc)
}

/// A kind of resource.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KindSchema {
    /// The name as it is declared, such as `file`.
    pub name: &'static str,
    /// One line for the manual; empty without the feature `manual`.
    pub doc: &'static str,
    /// The attributes without metaparameters. The first is the name attribute, which defaults to
    /// the title.
    pub attributes: &'static [AttributeSchema],
    /// Whether other attributes can be declared, too.
    pub is_open: bool,
    /// Whether the engine applies it; else a language only knows it.
    pub is_applied: bool,
    /// The type in Puppet, if Puppet has it.
    pub puppet: Option<PuppetType>,
    /// The kinds of mcl that become this one.
    pub mcl: &'static [MclKind],
    /// The entities of Inmanta's modules that become this one.
    pub inmanta: &'static [InmantaEntity],
    /// The kinds of which some resources come first, where both are declared.
    pub comes_after: &'static [&'static str],
    /// The effect of another root directory on it, a phrase for the manual; empty without the
    /// feature `manual`.
    pub in_root: &'static str,
}

impl KindSchema {
    /// A kind that no language has.
    pub const fn new(
        name: &'static str,
        doc: &'static str,
        attributes: &'static [AttributeSchema],
    ) -> Self {
        Self {
            name,
            doc: manual_text(doc),
            attributes,
            is_open: false,
            is_applied: true,
            puppet: None,
            mcl: &[],
            inmanta: &[],
            comes_after: &[],
            in_root: "",
        }
    }

    /// A kind that a language knows and the engine does not apply.
    pub(crate) const fn not_applied(name: &'static str, doc: &'static str) -> Self {
        Self { is_applied: false, ..Self::new(name, doc, &[]) }
    }

    /// The same with its type in Puppet.
    pub const fn puppet(self, ty: PuppetType) -> Self {
        Self { puppet: Some(ty), ..self }
    }

    /// The same with its kinds in mcl.
    pub const fn mcl(self, kinds: &'static [MclKind]) -> Self {
        Self { mcl: kinds, ..self }
    }

    /// The same with its entities in models of Inmanta.
    pub const fn inmanta(self, entities: &'static [InmantaEntity]) -> Self {
        Self { inmanta: entities, ..self }
    }

    /// The same with the kinds of which resources come first.
    pub const fn comes_after(self, kinds: &'static [&'static str]) -> Self {
        Self { comes_after: kinds, ..self }
    }

    /// The same with the effect of another root directory.
    pub const fn in_root(self, effect: &'static str) -> Self {
        Self { in_root: manual_text(effect), ..self }
    }

    /// The attribute of a name.
    pub fn attribute(&self, name: &str) -> Option<&AttributeSchema> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }

    /// The attribute that defaults to the title.
    pub fn name_attribute(&self) -> &'static str {
        self.attributes.first().map_or("name", |attribute| attribute.name)
    }

    /// The attributes of the type in Puppet, metaparameters left out; none if Puppet has no such
    /// type.
    pub fn puppet_attributes(&self) -> impl Iterator<Item = &'static AttributeSchema> {
        let shared = self.attributes.iter().filter(|attribute| attribute.is_in_puppet);
        let own = self.puppet.map_or(&[][..], |ty| ty.own);
        self.puppet.into_iter().flat_map(move |_| shared.clone().chain(own))
    }

    /// Whether a language knows the kind by this name, in letters of any case.
    pub fn has_name(&self, name: &str) -> bool {
        self.language_names().any(|known| known.eq_ignore_ascii_case(name))
    }

    /// The names that languages give to the kind.
    pub fn language_names(&self) -> impl Iterator<Item = &'static str> {
        let puppet = self.puppet.into_iter().map(|ty| ty.name);
        let mcl = self.mcl.iter().map(|kind| kind.name);
        puppet.chain(mcl).chain(self.inmanta.iter().map(|entity| entity.name))
    }
}
