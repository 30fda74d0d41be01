//! Values that are computed during a run, just before their resource is looked at.

use ecow::EcoString;
use ordain_data::Value;
use ordain_graph::{Resource, ResourceRef};

use crate::attributes::{reveal, scalar_text};
use crate::host::Host;
use crate::kind::{AttributeError, Change, Instance, KindError, Level};
use crate::prepare::{Patience, Prepared, Ready, with_served};
use crate::report::ResourceReport;

/// How deep values are looked into.
const DEPTH: usize = 200;

/// Computes what attributes leave to the machine.
pub trait Deferred: Send + Sync {
    /// The values of the deferred attributes of a resource, as they are now.
    fn evaluate(&self, resource: &ResourceRef) -> Evaluated;
}

/// What deferred attributes of a resource gave.
#[derive(Clone, Debug, Default)]
pub struct Evaluated {
    /// The value of each attribute, or why there is none.
    pub values: Vec<(EcoString, Result<Value, String>)>,
    /// What was logged meanwhile.
    pub said: Vec<(Level, String)>,
}

/// Computes nothing, for graphs that are only looked at.
pub(crate) struct Nothing;

impl Deferred for Nothing {
    fn evaluate(&self, _resource: &ResourceRef) -> Evaluated {
        Evaluated::default()
    }
}

/// Whether a value is deferred, or has something deferred in it.
pub fn holds_deferred(value: &Value) -> bool {
    function_of(value).is_some()
}

/// The function of the first deferred call in a value.
pub(crate) fn function_of(value: &Value) -> Option<String> {
    function_within(value, DEPTH)
}

fn function_within(value: &Value, depth: usize) -> Option<String> {
    let depth = depth.checked_sub(1)?;
    let inner = |value: &Value| function_within(value, depth);
    match reveal(value).0 {
        Value::List(items) => items.iter().find_map(inner),
        map @ Value::Map(entries) => {
            if map.get("__ptype").and_then(Value::as_str) == Some("Deferred") {
                return map.get("name").and_then(scalar_text);
            }
            entries.values().find_map(inner)
        }
        _ => None,
    }
}

impl Prepared {
    /// What is known of a resource with deferred values before these are computed: what the others
    /// say of the resources that come before it, and of what is to be watched.
    pub(crate) fn before_evaluation(&self, resource: &Resource) -> Option<Ready> {
        self.deferred.as_ref()?;
        let is_deferred = |attribute: &ordain_graph::Attribute| holds_deferred(&attribute.value);
        if !resource.attributes.iter().any(is_deferred) {
            return None;
        }
        let mut known = resource.clone();
        known.attributes.retain(|attribute| !is_deferred(attribute));
        let mut ready = self.parse(&known).unwrap_or_else(|_| Ready {
            instance: Box::new(Unknown),
            noop: self.options().noop,
            level: Level::Notice,
            patience: Patience::of(&known),
            digest: 0,
            schedule: None,
            audit: None,
            is_deferred: true,
        });
        // The functions may be others in another graph.
        ready.digest = self.serial;
        ready.is_deferred = true;
        Some(ready)
    }

    /// A resource with what its deferred attributes give now.
    ///
    /// # Errors
    /// What is wrong with them.
    pub(crate) fn evaluate(
        &self,
        resource: &Resource,
        report: &mut ResourceReport,
    ) -> Result<Ready, Vec<AttributeError>> {
        let evaluated = self.deferred.as_ref().map(|deferred| deferred.evaluate(&resource.id));
        let Evaluated { values, said } = evaluated.unwrap_or_default();
        for (level, text) in said {
            report.say(level, None, text);
        }
        let mut whole = with_served(resource, &self.graph).into_owned();
        let mut errors = Vec::new();
        for (name, value) in values {
            match value {
                Ok(value) => {
                    let attribute = whole.attributes.iter_mut().find(|a| a.name == name);
                    if let Some(attribute) = attribute {
                        attribute.value = value;
                    }
                }
                Err(message) => errors.push(AttributeError::new(&name, message)),
            }
        }
        if errors.is_empty() { self.parse(&whole) } else { Err(errors) }
    }
}

/// A resource of which too little is known without its deferred values.
struct Unknown;

impl Instance for Unknown {
    fn compare(&self, _host: &Host) -> Result<Vec<Change>, KindError> {
        Err(KindError::new("its deferred values are not known yet"))
    }

    fn apply(&self, host: &Host, _changes: &[Change]) -> Result<(), KindError> {
        self.compare(host).map(drop)
    }
}
