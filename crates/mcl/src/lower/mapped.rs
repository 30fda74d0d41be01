//! Resources for the engine, and readers of their fields.

use ecow::EcoString;
use ordain_data::Value as Data;

use crate::check::program::Deploy;
use crate::graph::resource::Resource;
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
    pub(super) fn new(kind: &str, title: &str) -> Self {
        Self { kind: kind.into(), title: title.into(), attributes: Vec::new(), then: None }
    }

    /// Sets an attribute that a field asks for.
    pub(super) fn set(&mut self, name: &str, value: impl Into<Option<Data>>, field: &'static str) {
        if let Some(value) = value.into() {
            self.attributes.push((name.into(), value, field));
        }
    }
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
