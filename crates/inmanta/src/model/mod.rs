//! The parts of a model: definitions, plugins, resources.

pub mod identity;
pub mod plugin;
pub mod program;
pub mod resource;
