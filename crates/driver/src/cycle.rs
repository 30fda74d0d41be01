//! Dependency cycles as diagnostics.

use ordain_graph::relations::OrderReason;
use ordain_graph::{Cycle, Graph, OriginId};
use ordain_source::{Diagnostic, Severity, Span};

use crate::codes;

/// The number of relations that are shown with their places.
const MAX_SHOWN: usize = 12;

/// Describes the cycle as Puppet does, with the place of each relationship.
pub fn diagnostic(cycle: &Cycle, graph: &Graph, severity: Severity) -> Diagnostic {
    let noun = if cycle.components == 1 { "dependency cycle" } else { "dependency cycles" };
    let text = format!("Found {} {noun}:\n{}", cycle.components, cycle.text(graph));
    let mut out = Diagnostic::new(severity, codes::CYCLE, text);
    for link in cycle.links.iter().take(MAX_SHOWN) {
        let (from, to) = (&graph.resource(link.from).id, &graph.resource(link.to).id);
        match link.reason {
            OrderReason::Written(origin) => {
                let text = format!("{from} comes before {to}");
                out = match span(graph, origin) {
                    Some(span) if out.primary.is_none() => out.labelled(span, text),
                    Some(span) => out.related(span, text),
                    None => out.help(text),
                };
            }
            OrderReason::Contained => {
                out = out.help(format!("one of {from} and {to} contains the other"))
            }
            OrderReason::Automatic => out = out.help(format!("{to} waits for {from} by its kind")),
        }
    }
    out.help("take away one of these relations, or contain less")
}

fn span(graph: &Graph, origin: OriginId) -> Option<Span> {
    graph.origins.chain(origin).find_map(|o| o.span)
}
