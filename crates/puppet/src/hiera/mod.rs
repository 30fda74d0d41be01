//! Hiera 5: data by key from layered hierarchies.

/// What is kept of hierarchies and data files during a compile.
#[derive(Default, Debug)]
pub struct Cache {}
