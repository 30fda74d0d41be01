//! Resources for the engine, and readers of their fields.

use ecow::EcoString;
use ordain_data::Value as Data;

use crate::check::program::Deploy;
use crate::graph::resource::Resource;
use crate::plain_data::data;
use crate::value::Value;

/// A resource for the engine.
#[derive(Debug)]
pub(super) struct EngineResource {
    /// The kind, such as `File`.
    pub(super) kind: EcoString,
    /// The title.
    pub(super) title: EcoString,
    /// The attributes: name, value, and source field.
    pub(super) attributes: Vec<(EcoString, Data, &'static str)>,
    /// The next part of the same resource, which gets notifications from this one.
    pub(super) then: Option<Box<EngineResource>>,
}

/// The context of a resource.
pub(super) struct LoweringContext<'a> {
    /// Whether others receive from it.
    pub(super) sends: bool,
    /// The name of this machine.
    pub(super) hostname: &'a str,
    /// The files of the program.
    pub(super) deploy: &'a dyn Fn() -> Deploy,
}

/// The reason why a resource cannot be lowered.
#[derive(Debug)]
pub(super) struct Unsupported {
    /// The reason.
    pub(super) why: String,
    /// The field that asks for it.
    pub(super) field: &'static str,
}

impl Unsupported {
    pub(super) fn new(field: &'static str, why: impl Into<String>) -> Self {
        Self { why: why.into(), field }
    }
}

impl EngineResource {
    /// A resource of the kind that the schema names, without attributes.
    pub(super) fn of(resource: &Resource) -> Self {
        Self::new(&graph_name(resource.kind.kind.schema.name), &resource.name)
    }

    pub(super) fn new(kind: &str, title: &str) -> Self {
        Self { kind: kind.into(), title: title.into(), attributes: Vec::new(), then: None }
    }

    /// Sets the attribute of a field, as the schema names it.
    pub(super) fn set_field(
        &mut self,
        resource: &Resource,
        field: &str,
        value: impl Into<Option<Data>>,
    ) {
        let Some((_, field, _)) = resource.kind.field(field) else { return };
        self.set(field.attribute.unwrap_or(field.name), value, field.name);
    }

    /// Sets the attribute of a field to the value that the program gives the field, if it does.
    pub(super) fn copy_field(&mut self, resource: &Resource, field: &str) {
        self.set_field(resource, field, given(resource, field).map(data));
    }

    /// Sets an attribute that a field asks for.
    pub(super) fn set(&mut self, name: &str, value: impl Into<Option<Data>>, field: &'static str) {
        if let Some(value) = value.into() {
            self.attributes.push((name.into(), value, field));
        }
    }
}

/// The name of a kind as graphs have it: `Mgmt::Http::Server` of `mgmt::http::server`.
pub(super) fn graph_name(kind: &str) -> String {
    let parts = kind.split(':').filter(|part| !part.is_empty()).map(|part| {
        let mut letters = part.chars();
        let first = letters.next().map(|c| c.to_ascii_uppercase());
        first.into_iter().chain(letters).collect::<String>()
    });
    parts.collect::<Vec<_>>().join("::")
}

/// The value of a field if the program sets it.
pub(super) fn given<'a>(resource: &'a Resource, field: &str) -> Option<&'a Value> {
    let (at, ..) = resource.kind.field(field)?;
    resource.fields.get(at)?.as_ref()
}

/// The text of a field, if there is one.
pub(super) fn text(resource: &Resource, field: &str) -> Option<Data> {
    Some(resource.text(field)).filter(|text| !text.is_empty()).map(Data::str)
}

/// A flag; false if it is not set.
pub(super) fn flag(resource: &Resource, field: &str) -> bool {
    resource.value(field).and_then(|value| value.as_bool()).unwrap_or_default()
}
