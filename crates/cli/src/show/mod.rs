//! How things look: loops, plans, origins, pictures.

pub mod cycle;
pub mod tree;
