//! The graph as DOT, for Graphviz.

use std::fmt::{self, Write};

use crate::model::{Containment, EdgeKind, Graph, ResourceId};

/// Writes a graph as DOT: containers are boxes, containment is dotted, notification is bold,
/// autorequires are dashed, and a barrier is a point.
///
/// # Errors
/// When `out` cannot be written.
pub fn write(graph: &Graph, out: &mut dyn Write) -> fmt::Result {
    writeln!(out, "digraph {} {{", quoted(&graph.name))?;
    for (id, resource) in graph.resources() {
        let shape = if resource.containment == Containment::Leaf { "ellipse" } else { "box" };
        let style = if resource.is_virtual { ", style=dashed" } else { "" };
        let label = quoted(&resource.id.to_string());
        writeln!(out, "  {} [label={label}, shape={shape}{style}];", node(id))?;
    }
    for &(outer, inner) in &graph.containment {
        writeln!(out, "  {} -> {} [style=dotted];", node(outer), node(inner))?;
    }
    for edge in &graph.edges {
        let style = if edge.kind == EdgeKind::Notify { " [style=bold]" } else { "" };
        writeln!(out, "  {} -> {}{style};", node(edge.from), node(edge.to))?;
    }
    for (number, barrier) in graph.barriers.iter().enumerate() {
        let style = if barrier.kind == EdgeKind::Notify { " [style=bold]" } else { "" };
        writeln!(out, "  b{number} [shape=point];")?;
        for from in &barrier.from {
            writeln!(out, "  {} -> b{number}{style};", node(*from))?;
        }
        for to in &barrier.to {
            writeln!(out, "  b{number} -> {}{style};", node(*to))?;
        }
    }
    for edge in &graph.automatic {
        let style = if edge.kind == EdgeKind::Notify { "dashed,bold" } else { "dashed" };
        writeln!(out, "  {} -> {} [style=\"{style}\"];", node(edge.from), node(edge.to))?;
    }
    out.write_str("}\n")
}

fn node(id: ResourceId) -> String {
    format!("r{}", id.0)
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::testing::{edge, leaf, named};

    #[test]
    fn names_are_quoted() {
        let mut graph = Graph::default();
        graph.name = "n".into();
        let class = named(&mut graph, "Class", "A", Containment::Class);
        let (a, b) = (leaf(&mut graph, "say \"hi\""), leaf(&mut graph, "b"));
        graph.containment.push((class, a));
        edge(&mut graph, a, b, EdgeKind::Notify);
        let mut out = String::new();
        write(&graph, &mut out).unwrap();
        let want = "digraph \"n\" {\n  r0 [label=\"Class[A]\", shape=box];\n  \
            r1 [label=\"File[say \\\"hi\\\"]\", shape=ellipse];\n  \
            r2 [label=\"File[b]\", shape=ellipse];\n  r0 -> r1 [style=dotted];\n  \
            r1 -> r2 [style=bold];\n}\n";
        assert_eq!(out, want);
    }
}
