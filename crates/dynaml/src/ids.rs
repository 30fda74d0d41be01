//! Ids of nodes. They are separate types, so that values and failures can refer to nodes without
//! depending on them.

use ordain_syntax::Idx;

/// Marks the ids of nodes under evaluation.
#[derive(Debug)]
pub enum Instances {}

/// Marks the ids of nodes of sources.
#[derive(Debug)]
pub enum SourceNodes {}

/// A node of a document under evaluation.
pub(crate) type InstId = Idx<Instances>;

/// A node of a source.
pub(crate) type SrcId = Idx<SourceNodes>;

/// No node: the parent of a root.
pub(crate) const NOWHERE: InstId = Idx::new(u32::MAX);
