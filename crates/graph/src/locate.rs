//! Finds the place of a value in a graph.

use ordain_source::{SourceMap, Span};

use crate::model::Graph;
use crate::origin::{OriginId, Step};
use crate::place::Place;

/// A position in a source text, or a place without its text.
pub(crate) enum SourcePosition {
    Source(Span),
    Known(Place),
}

/// The nearest position on the chain of an origin; lines and columns are not computed yet.
pub(crate) fn source_position(graph: &Graph, origin: OriginId) -> Option<SourcePosition> {
    graph.origins.chain(origin).find_map(|origin| match (&origin.step, origin.span) {
        (Step::Data(data), None) if data.line > 0 => {
            let file = data.file.to_string();
            Some(SourcePosition::Known(Place { file, line: data.line, column: 0 }))
        }
        (_, Some(span)) => Some(SourcePosition::Source(span)),
        (Step::External(text), None) => Place::parse(text).map(SourcePosition::Known),
        _ => None,
    })
}

/// The nearest place on the chain of an origin.
pub fn place(graph: &Graph, origin: OriginId, sources: &SourceMap) -> Option<Place> {
    Some(match source_position(graph, origin)? {
        SourcePosition::Known(place) => place,
        SourcePosition::Source(span) => {
            let file = sources.file(span.file);
            let at = file.line_col(span.range.start);
            let name = file.path.to_string_lossy().into_owned();
            Place { file: name, line: at.line, column: at.column }
        }
    })
}
