//! The edges of a program, and the values that they send.

use ordain_source::{Span, budget};

use super::cycle;
use super::duplicates::ByName;
use super::problems::fail;
use super::resource::{Edge, Received, Resource, Resources};
use crate::failure::Failure;

/// The maximal number of edges of a program.
pub(super) const MAX_EDGES: usize = 300_000;
pub(super) const TOO_MANY_EDGES: &str =
    "the program asks for too many edges; `--limits 2` allows twice as many";

/// An edge by the names of its ends.
pub(super) struct EdgeRequest {
    pub(super) from: (String, String),
    pub(super) to: (String, String),
    pub(super) notify: bool,
    /// The sent value, and the field that receives it.
    pub(super) sends: Option<(String, String)>,
    pub(super) span: Span,
    /// The place for an error about a missing end.
    pub(super) place: Span,
}

/// Adds the edges that are declared by name.
pub(super) fn connect(
    resources: &mut Resources,
    by_name: &ByName,
    asked: Vec<EdgeRequest>,
) -> Result<(), Vec<Failure>> {
    let mut found = Vec::new();
    for edge in asked {
        let ends = |key: &(String, String)| {
            by_name.get(key).cloned().ok_or_else(|| {
                let text = format!("edge cannot find resource kind: {} named: `{}`", key.0, key.1);
                fail(text, edge.place)
            })
        };
        let (from, to) = match (ends(&edge.from), ends(&edge.to)) {
            (Ok(from), Ok(to)) => (from, to),
            (Err(failure), _) | (_, Err(failure)) => {
                found.push(failure);
                continue;
            }
        };
        // Hidden resources may share a name, so that one end can be several resources.
        let more = from.len().saturating_mul(to.len());
        if resources.edges.len().saturating_add(more) > budget::scaled_size(MAX_EDGES)
            || budget::check().is_err()
        {
            found.push(fail(TOO_MANY_EDGES, edge.span));
            break;
        }
        for from in &from {
            for to in &to {
                let new = || Edge { notify: false, span: Some(edge.span), is_automatic: false };
                let entry = resources.edges.entry((*from, *to)).or_insert_with(new);
                entry.notify |= edge.notify;
                if let Some((sent, field)) = &edge.sends
                    && let Err(text) = receive(&mut resources.list, *from, *to, sent, field)
                {
                    found.push(fail(text, edge.span));
                }
            }
        }
    }
    if found.is_empty() { Ok(()) } else { Err(found) }
}

fn receive(
    list: &mut [Resource],
    from: usize,
    to: usize,
    sent: &str,
    field: &str,
) -> Result<(), String> {
    if list[from].meta.hidden {
        return Err(format!("cannot send from hidden resource: {}", list[from].reference()));
    }
    let new = Received { field: field.into(), from, key: sent.into() };
    let known = list[to].receives.iter().find(|received| received.field == field);
    match known {
        Some(known) if *known == new => Ok(()),
        Some(_) => {
            let reference = list[to].reference();
            Err(format!("resource: `{reference}` has duplicate receive on: `{field}` param"))
        }
        None => {
            list[to].receives.push(new);
            Ok(())
        }
    }
}

/// Refuses cycles, with an error that names the resources.
pub(super) fn acyclic(resources: &Resources) -> Result<(), Failure> {
    let edges: Vec<(usize, usize)> = resources.edges.keys().copied().collect();
    let Some(cycle) = cycle::find(resources.list.len(), &edges) else { return Ok(()) };
    let links = cycle.windows(2).map(|pair| {
        let (from, to) = (&resources.list[pair[0]], &resources.list[pair[1]]);
        let edge = resources.edges.get(&(pair[0], pair[1]));
        (edge.and_then(|e| e.span).unwrap_or(from.span), from.reference(), to.reference())
    });
    Err(cycle::failure(resources.list[cycle[0]].span, links))
}
