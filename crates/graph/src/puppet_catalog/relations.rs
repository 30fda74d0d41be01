//! The parameters of relations.

use crate::model::EdgeKind;

/// The parameters of relationships, whether the other side comes first, and the kind of edge.
pub(super) const RELATIONS: [(&str, bool, EdgeKind); 4] = [
    ("before", false, EdgeKind::Before),
    ("notify", false, EdgeKind::Notify),
    ("require", true, EdgeKind::Before),
    ("subscribe", true, EdgeKind::Notify),
];
