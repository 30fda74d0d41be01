//! The resource graph: what every front end makes and the engine takes.
//!
//! A [`Graph`] holds resources with their attributes, edges between them, and for everything the
//! [`Origin`]: where it was written and the chain that led there. It knows neither languages nor
//! the engine.

pub mod model;
pub mod origin;

pub use model::{
    Attribute, Containment, Edge, EdgeKind, Graph, Loser, Resource, ResourceId, ResourceRef,
};
pub use origin::{Origin, OriginId, OriginTable, Step};
