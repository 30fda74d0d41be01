//! Resources of a model, and their ids.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use ordain_data::Map;

use crate::diagnostics::Exception;
use crate::model::identity::Identity;
use crate::model::plugin::{Context, Stop};
use crate::value::{InstanceId, Value};

/// The identity of a resource. Its version is 0 in every export.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Id {
    /// The full name of the entity.
    pub entity: String,
    /// The agent that deploys the resource.
    pub agent: String,
    /// The attribute that identifies the resource among those of its entity and agent.
    pub attribute: String,
    /// The value of that attribute.
    pub value: String,
}

impl Id {
    /// The text of the id without the version, by which other resources refer to it.
    pub fn without_version(&self) -> String {
        format!("{}[{},{}={}]", self.entity, self.agent, self.attribute, self.value)
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},v=0", self.without_version())
    }
}

/// A resource as it is exported.
#[derive(Clone, Debug)]
pub struct Resource {
    /// Its id.
    pub id: Arc<Id>,
    /// The instance that it was made from, if there is one.
    pub instance: Option<InstanceId>,
    /// Its fields, except `requires` and `id`.
    pub fields: Map,
    /// The ids of the resources that it requires, sorted by their text.
    pub requires: Vec<Arc<Id>>,
}

/// The resources of a model.
#[derive(Debug, Default)]
pub struct Export {
    /// The resources.
    pub resources: Vec<Resource>,
    /// The contents of files by their digests, if they were requested.
    pub files: HashMap<String, Vec<u8>>,
    /// Warnings.
    pub warnings: Vec<String>,
    /// The instances that are left out because a value in their ids is not known yet.
    pub skipped: Vec<String>,
}

/// The plan for the export of an entity's instances.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kind {
    /// The full name of the entity.
    pub(crate) entity: &'static str,
    /// The path to the name of the agent.
    pub(crate) agent: &'static str,
    /// The attribute in the id.
    pub(crate) attribute: &'static str,
    /// The exported attributes, in order.
    pub(crate) fields: &'static [&'static str],
}

/// The kinds of the module `std`, in the order of their registration. `AgentConfig` is never
/// exported, but has an id.
pub(crate) const STD_KINDS: &[Kind] = &[
    Kind {
        entity: "std::testing::NullResource",
        agent: "agentname",
        attribute: "name",
        fields: &[
            "send_event",
            "receive_events",
            "references",
            "mutators",
            "report_only",
            "managed",
            "purged",
            "purge_on_delete",
            "name",
            "agentname",
            "fail",
            "value",
            "int_value",
        ],
    },
    Kind { entity: "std::AgentConfig", agent: "agent", attribute: "agentname", fields: &[] },
];

/// The id of an instance if it is a resource.
///
/// # Errors
/// If an attribute of the id has no value yet or contains a forbidden character.
pub fn identity(context: &mut dyn Context, instance: InstanceId) -> Result<Option<Id>, Stop> {
    let is_one = |kind: &&Kind| context.is_instance(instance, kind.entity) == Some(true);
    if let Some(kind) = STD_KINDS.iter().find(is_one) {
        return of_kind(context, kind, instance).map(Some);
    }
    let is_one = |one: &&Identity| context.is_instance(instance, &one.entity) == Some(true);
    let Some(found) = context.identities().iter().find(is_one).cloned() else { return Ok(None) };
    let Identity { entity, attribute, agent } = found;
    Ok(Some(Id {
        agent: part(context, instance, &agent, "agent name", &[','])?,
        value: part(context, instance, &attribute, "attribute value", &[']'])?,
        entity,
        attribute,
    }))
}

/// A part of an id: the value at the end of a path of attributes.
fn part(
    context: &mut dyn Context,
    instance: InstanceId,
    path: &str,
    what: &str,
    bad: &[char],
) -> Result<String, Stop> {
    let mut value = Value::Instance(instance);
    for name in path.split('.') {
        let Value::Instance(owner) = value else {
            let text = format!("In path {path}, '{name}' does not exist");
            return Err(Stop::raised(Exception::Exception, text));
        };
        value = context.attribute(owner, name)?;
    }
    let text = match value {
        Value::Str(text) => text.to_string(),
        other => other.repr(context),
    };
    match text.chars().find(|c| bad.contains(c)) {
        Some(c) => {
            let text = format!("Invalid {what} '{text}': cannot contain '{c}'.");
            Err(Stop::raised(Exception::ValueError, text))
        }
        None => Ok(text),
    }
}

/// The id of an instance of a kind.
///
/// # Errors
/// As of [`identity`].
pub(crate) fn of_kind(
    context: &mut dyn Context,
    kind: &Kind,
    instance: InstanceId,
) -> Result<Id, Stop> {
    Ok(Id {
        entity: kind.entity.into(),
        agent: part(context, instance, kind.agent, "agent name", &[','])?,
        attribute: kind.attribute.into(),
        value: part(context, instance, kind.attribute, "attribute value", &[']'])?,
    })
}
