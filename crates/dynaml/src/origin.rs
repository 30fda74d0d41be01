//! The places of a merged document's values: in the template, or in the stub that provides them.

use std::rc::Rc;
use std::sync::Arc;

use ecow::EcoString;
use ordain_data::yaml::{Kind, NodeId};
use ordain_source::TextRange;
use rustc_hash::FxHashMap;

use crate::diagnostics::report::Place;
use crate::eval::evaluator::Evaluator;
use crate::eval::tree::Body;
use crate::ids::InstId;
use crate::input::Documents;
use crate::path::find_path;
use crate::syntax::ast::{Expr, ExprId, PathStep};

/// The maximum depth of operands that are followed.
const MAX_DEPTH: u32 = 100;

/// Finds the places of values in the files of a merge. Parsed files are cached, so that finding the
/// places of all values takes linear time.
pub(crate) struct Origins {
    files: Vec<Arc<Documents>>,
    parsed: FxHashMap<u32, Rc<ParsedFile>>,
}

/// The nodes of a file by their places, and their entries by their keys.
struct ParsedFile {
    documents: Arc<Documents>,
    nodes: FxHashMap<(u32, u32), (usize, NodeId)>,
    keys: FxHashMap<(usize, NodeId), FxHashMap<EcoString, NodeId>>,
}

impl Origins {
    /// The files by number.
    pub(crate) fn new(files: Vec<Arc<Documents>>) -> Self {
        Self { files, parsed: FxHashMap::default() }
    }

    /// The place of the value at a path of a finished document; `None` if there is none. The stubs
    /// are those of the document, from the first to the last.
    pub(crate) fn place(
        &mut self,
        evaluator: &mut Evaluator<'_>,
        root: InstId,
        path: &[PathStep],
        stubs: &[(EcoString, InstId)],
    ) -> Option<Place> {
        let (node, known) = evaluator.walk(root, path);
        let rest = &path[known..];
        let item = evaluator.deep(node).ok()??;
        let value = find_path(&item, rest)?.value.clone();
        let literal = evaluator.literal_steps(node, rest);
        let is_inserted = literal.is_none() && matches!(evaluator.nodes[node].body, Body::Value(_));
        let merges = |expr| merges(evaluator, expr, 0);
        let is_merged = is_inserted || evaluator.expr_of(node).is_some_and(merges);
        if is_merged || evaluator.is_replaced(node, rest, &value) {
            for (n, (_, stub)) in stubs.iter().enumerate() {
                let found = self.place(evaluator, *stub, path, &stubs[n + 1..]);
                if found.is_some() {
                    return found;
                }
            }
        }
        let src = &evaluator.sources.nodes[evaluator.source_of(node)];
        let place = (src.file, src.span);
        Some(self.inside(place, &literal.unwrap_or_default()))
    }

    /// The place of a value inside the literal at a place.
    fn inside(&mut self, place: Place, steps: &[PathStep]) -> Place {
        let (file, span) = place;
        if steps.is_empty() {
            return place;
        }
        let Some(parsed) = self.parsed(file) else { return place };
        let Some(start) = parsed.nodes.get(&(span.start, span.end)) else { return place };
        let end = steps.iter().try_fold(*start, |at, step| parsed.below(at, step));
        let span = |(tree, node)| Some(parsed.documents.get(tree)?.node(node).span);
        end.and_then(span).map_or(place, |span| (file, span))
    }

    fn parsed(&mut self, file: u32) -> Option<Rc<ParsedFile>> {
        if let Some(parsed) = self.parsed.get(&file) {
            return Some(Rc::clone(parsed));
        }
        let parsed = Rc::new(ParsedFile::new(Arc::clone(self.files.get(file as usize)?)));
        self.parsed.insert(file, Rc::clone(&parsed));
        Some(parsed)
    }
}

impl ParsedFile {
    fn new(documents: Arc<Documents>) -> Self {
        let (mut nodes, mut keys) = (FxHashMap::default(), FxHashMap::default());
        for (n, tree) in documents.all().enumerate() {
            for id in (0..tree.len()).filter_map(|id| u32::try_from(id).ok()).map(NodeId) {
                let TextRange { start, end } = tree.node(id).span;
                // If a map and its only value begin at the same place, the outer one comes first.
                nodes.entry((start, end)).or_insert((n, id));
                if matches!(tree.node(id).kind, Kind::Map) {
                    let entries = tree.entries(id);
                    let named = entries
                        .filter_map(|(key, value)| Some((EcoString::from(tree.text(key)?), value)));
                    keys.insert((n, id), named.collect::<FxHashMap<_, _>>());
                }
            }
        }
        Self { documents, nodes, keys }
    }

    fn below(&self, (n, at): (usize, NodeId), step: &PathStep) -> Option<(usize, NodeId)> {
        let tree = self.documents.get(n)?;
        let at = tree.target(at);
        let below = match (&tree.node(at).kind, step) {
            (Kind::Map, PathStep::Key(key)) => self.keys.get(&(n, at))?.get(key).copied(),
            (Kind::List, PathStep::Index(index)) => {
                let children: Vec<NodeId> = tree.children(at).collect();
                crate::value::position(*index, children.len()).map(|at| children[at])
            }
            _ => None,
        };
        below.map(|node| (n, node))
    }
}

/// Whether an expression takes a value from a stub.
fn merges(evaluator: &Evaluator<'_>, expr: ExprId, depth: u32) -> bool {
    if depth > MAX_DEPTH {
        return false;
    }
    let exprs = &evaluator.sources.exprs;
    matches!(exprs[expr], Expr::Merge(_))
        || exprs.operands(expr).into_iter().any(|inner| merges(evaluator, inner, depth + 1))
}
