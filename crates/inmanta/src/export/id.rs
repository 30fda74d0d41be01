//! The ids of resources.

use std::fmt;

use crate::plugin::{Context, Stop};
use crate::value::{InstanceId, Value};

/// The identity of a resource.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Id {
    /// The full name of the type.
    pub entity: String,
    /// Who deploys it.
    pub agent: String,
    /// The attribute that tells it from others.
    pub attribute: String,
    /// The value of that attribute.
    pub value: String,
}

impl Id {
    /// Reads an id as it is written, with a version or without.
    pub fn parse(text: &str) -> Option<Self> {
        let (entity, rest) = text.split_once('[')?;
        let rest = &rest[..rest.rfind(']')?];
        let (agent, rest) = rest.split_once(',')?;
        let (attribute, value) = rest.split_once('=')?;
        let [entity, agent, attribute, value] =
            [entity, agent, attribute, value].map(str::to_owned);
        Some(Self { entity, agent, attribute, value })
    }

    /// The id as others refer to it.
    pub fn without_version(&self) -> String {
        format!("{}[{},{}={}]", self.entity, self.agent, self.attribute, self.value)
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},v=0", self.without_version())
    }
}

/// How instances of an entity are exported.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kind {
    /// The full name of the entity.
    pub(super) entity: &'static str,
    /// The path to the name of the agent.
    pub(super) agent: &'static str,
    /// The attribute that the id has.
    pub(super) attribute: &'static str,
    /// The attributes that are written, in order.
    pub(super) fields: &'static [&'static str],
}

/// The kinds of the module `std`, in the order of their registration. Its `AgentConfig` is never
/// exported, but it has an id.
pub(super) const STD_KINDS: &[Kind] = &[
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
/// If an attribute on the way to it has no value yet, or cannot stand in an id.
pub fn identity(context: &mut dyn Context, instance: InstanceId) -> Result<Option<Id>, Stop> {
    let is_one = |kind: &&Kind| context.is_instance(instance, kind.entity) == Some(true);
    match STD_KINDS.iter().find(is_one) {
        Some(kind) => of_kind(context, kind, instance).map(Some),
        None => Ok(None),
    }
}

/// The id of an instance of a kind.
///
/// # Errors
/// As of [`identity`].
pub(super) fn of_kind(
    context: &mut dyn Context,
    kind: &Kind,
    instance: InstanceId,
) -> Result<Id, Stop> {
    let mut text = |name: &str, what: &str, bad: &[char]| -> Result<String, Stop> {
        let text = match context.attribute(instance, name)? {
            Value::Str(text) => text.to_string(),
            other => other.repr(context),
        };
        match text.chars().find(|c| bad.contains(c)) {
            Some(c) => {
                let text = format!("Invalid {what} '{text}': cannot contain '{c}'.");
                Err(Stop::raised("ValueError", text))
            }
            None => Ok(text),
        }
    };
    Ok(Id {
        entity: kind.entity.into(),
        agent: text(kind.agent, "agent name", &[','])?,
        attribute: kind.attribute.into(),
        value: text(kind.attribute, "attribute value", &[']'])?,
    })
}
