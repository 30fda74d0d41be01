//! How things look: loops, plans, origins, pictures.

pub mod cycle;
pub mod failures;
pub mod layout;
pub mod origin;
pub mod picture;
pub mod plan;
pub mod tree;
pub mod value;
