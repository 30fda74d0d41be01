//! The form of a schema.

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

/// An attribute of a kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AttributeSchema {
    /// The name.
    pub name: &'static str,
    /// One line for the manual.
    pub doc: &'static str,
    /// The type of its value.
    pub ty: AttributeType,
    /// The unit of its value, if that is a number with one.
    pub unit: Option<Unit>,
    /// The value that counts if none is set, as text.
    pub default: Option<&'static str>,
    /// Whether its value is a secret by its nature.
    pub is_secret: bool,
}

impl AttributeSchema {
    /// An attribute without unit and default.
    pub const fn new(name: &'static str, ty: AttributeType, doc: &'static str) -> Self {
        Self { name, doc, ty, unit: None, default: None, is_secret: false }
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
    /// One line for the manual.
    pub doc: &'static str,
    /// The attributes, metaparameters left out. The first is the name attribute, for which the title
    /// stands in.
    pub attributes: &'static [AttributeSchema],
    /// Whether other attributes can be declared, too.
    pub is_open: bool,
    /// The name in Puppet, if Puppet has it.
    pub puppet: Option<&'static str>,
    /// The names in mcl of the kinds that become this one.
    pub mcl: &'static [&'static str],
    /// The entities of Inmanta's modules that become this one.
    pub inmanta: &'static [&'static str],
    /// The kinds of which some resources come first, where both are declared.
    pub comes_after: &'static [&'static str],
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
            doc,
            attributes,
            is_open: false,
            puppet: None,
            mcl: &[],
            inmanta: &[],
            comes_after: &[],
        }
    }

    /// The same with its name in Puppet.
    pub const fn puppet(self, name: &'static str) -> Self {
        Self { puppet: Some(name), ..self }
    }

    /// The same with its names in mcl.
    pub const fn mcl(self, names: &'static [&'static str]) -> Self {
        Self { mcl: names, ..self }
    }

    /// The same with its names in models of Inmanta.
    pub const fn inmanta(self, names: &'static [&'static str]) -> Self {
        Self { inmanta: names, ..self }
    }

    /// The same with the kinds of which resources come first.
    pub const fn comes_after(self, kinds: &'static [&'static str]) -> Self {
        Self { comes_after: kinds, ..self }
    }

    /// The attribute of a name.
    pub fn attribute(&self, name: &str) -> Option<&AttributeSchema> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }

    /// The attribute for which the title stands in.
    pub fn name_attribute(&self) -> &'static str {
        self.attributes.first().map_or("name", |attribute| attribute.name)
    }
}
