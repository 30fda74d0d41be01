//! The ids of resources of modules.

/// How a resource class of a module makes ids.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Identity {
    /// The full name of the entity.
    pub entity: String,
    /// The attribute in the id.
    pub attribute: String,
    /// The path to the name of the agent.
    pub agent: String,
}
