//! A graph as a picture: one SVG, or a page around it that needs nothing else.

use std::fmt::Write;

use ordain_graph::place::place;
use ordain_graph::{Containment, EdgeKind, Relations, Resource, ResourceId};

use crate::graphs::Loaded;
use crate::show::layout::{Layout, Size, Spot, layout};
use crate::ui::count;

/// The longest label, in characters.
const LABEL: usize = 40;

/// The width of a character.
const CHARACTER: f64 = 7.3;

/// The height of a box, and of a row.
const BOX: f64 = 26.0;
const ROW: f64 = 38.0;

/// The room between columns, and around the whole.
const GAP: f64 = 70.0;
const MARGIN: f64 = 24.0;

const STYLE: &str = include_str!("picture.css");
const SCRIPT: &str = include_str!("picture.js");

/// What a line means.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Line {
    Contains,
    Before,
    Notify,
}

impl Line {
    fn class(self) -> &'static str {
        match self {
            Self::Contains => "contains",
            Self::Before => "before",
            Self::Notify => "notify",
        }
    }
}

struct Picture<'a> {
    loaded: &'a Loaded,
    nodes: Vec<ResourceId>,
    lines: Vec<(usize, usize, Line)>,
    on_loop: Vec<(usize, usize)>,
}

/// The picture as SVG.
pub fn svg(loaded: &Loaded) -> String {
    let style = format!("<style>{STYLE}</style>");
    Picture::new(loaded).svg(&style)
}

/// The picture as a page: names can be searched, neighbours light up, wheel and buttons zoom.
pub fn html(loaded: &Loaded) -> String {
    let picture = Picture::new(loaded);
    let graph = &loaded.graph;
    let title = escaped(&graph.name);
    let relations = picture.lines.iter().filter(|l| l.2 != Line::Contains).count();
    let counts =
        format!("{}, {}", count(picture.nodes.len(), "resource"), count(relations, "relation"));
    let svg = picture.svg("");
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta \
         name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n\
         <style>{STYLE}</style>\n</head>\n<body>\n<header><h1>{title}</h1><span>{counts}</span>\
         <input type=\"search\" placeholder=\"Find a resource\" aria-label=\"Find a resource\">\
         <button data-zoom=\"0.8\" aria-label=\"Zoom out\">&#8722;</button>\
         <button data-zoom=\"1.25\" aria-label=\"Zoom in\">+</button>\
         <span class=\"legend\"><i class=\"before\"></i>before <i class=\"notify\"></i>notify \
         <i class=\"contains\"></i>contains</span></header>\n<main>{svg}</main>\n\
         <script>{SCRIPT}</script>\n</body>\n</html>\n"
    )
}

impl<'a> Picture<'a> {
    fn new(loaded: &'a Loaded) -> Self {
        let graph = &loaded.graph;
        let mut used = vec![false; graph.len()];
        for edge in &graph.edges {
            used[edge.from.0 as usize] = true;
            used[edge.to.0 as usize] = true;
        }
        let mut picture =
            Self { loaded, nodes: Vec::new(), lines: Vec::new(), on_loop: Vec::new() };
        let mut index = vec![None; graph.len()];
        for (id, resource) in graph.resources() {
            let implied = is_implied(resource) && !used[id.0 as usize];
            if !resource.is_virtual && !implied {
                index[id.0 as usize] = Some(picture.nodes.len());
                picture.nodes.push(id);
            }
        }
        let contained = graph.containment.iter().map(|&(a, b)| (a, b, Line::Contains));
        let edges = graph.edges.iter().map(|e| {
            let line = if e.kind == EdgeKind::Notify { Line::Notify } else { Line::Before };
            (e.from, e.to, line)
        });
        let at = |id: ResourceId| index[id.0 as usize];
        let lines = contained.chain(edges);
        picture.lines = lines.filter_map(|(a, b, l)| Some((at(a)?, at(b)?, l))).collect();
        if let Err(cycle) = Relations::new(graph).order() {
            let links = cycle.links.iter();
            picture.on_loop = links.filter_map(|l| Some((at(l.from)?, at(l.to)?))).collect();
        }
        picture
    }

    fn svg(&self, style: &str) -> String {
        let labels: Vec<String> = self.nodes.iter().map(|&id| self.label(id)).collect();
        let sizes: Vec<Size> = labels
            .iter()
            .map(|l| Size { width: l.chars().count() as f64 * CHARACTER + 20.0, height: ROW })
            .collect();
        let lines: Vec<(usize, usize)> = self.lines.iter().map(|&(a, b, _)| (a, b)).collect();
        let layout = layout(&sizes, &lines, GAP);
        let (width, height) = (layout.width + 2.0 * MARGIN, layout.height + 2.0 * MARGIN);
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"{:.0} {:.0} {width:.0} {height:.0}\">{style}\n<defs>",
            -MARGIN, -MARGIN
        );
        for class in ["before", "notify", "loop"] {
            // Writing to text cannot fail.
            let _ = write!(
                out,
                "<marker id=\"{class}\" class=\"{class}\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" \
                 markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0 8 4 0 8z\"/>\
                 </marker>"
            );
        }
        out.push_str("</defs>\n");
        self.write_lines(&mut out, &layout, &sizes);
        for (i, &id) in self.nodes.iter().enumerate() {
            self.write_node(&mut out, id, &labels[i], layout.spots[i], sizes[i], i);
        }
        out.push_str("</svg>\n");
        out
    }

    fn write_lines(&self, out: &mut String, layout: &Layout, sizes: &[Size]) {
        for (i, &(from, to, line)) in self.lines.iter().enumerate() {
            let begin = layout.spots[from];
            let begin = Spot { x: begin.x + sizes[from].width, y: begin.y };
            let leave = Spot { x: layout.ends[from], y: begin.y };
            let path = path(begin, leave, &layout.bends[i], layout.spots[to]);
            let on_loop = line != Line::Contains && self.on_loop.contains(&(from, to));
            let class = if on_loop { "loop" } else { line.class() };
            let arrow = match (line, on_loop) {
                (Line::Contains, _) => String::new(),
                _ => format!(" marker-end=\"url(#{class})\""),
            };
            let _ = writeln!(
                out,
                "<path class=\"line {class}\" data-from=\"{from}\" data-to=\"{to}\" \
                 d=\"{path}\"{arrow}/>"
            );
        }
    }

    fn write_node(
        &self,
        out: &mut String,
        id: ResourceId,
        label: &str,
        at: Spot,
        size: Size,
        index: usize,
    ) {
        let resource = self.loaded.graph.resource(id);
        let class = match resource.containment {
            Containment::Leaf => "leaf",
            Containment::Class | Containment::ClassResource => "class",
            Containment::Define => "define",
        };
        let place = place(&self.loaded.graph, resource.origin, &self.loaded.sources);
        let place = place.map(|p| format!("\n{}:{}", p.file, p.line)).unwrap_or_default();
        let _ = writeln!(
            out,
            "<g class=\"node {class}\" data-node=\"{index}\"><title>{}</title><rect x=\"{:.1}\" \
             y=\"{:.1}\" width=\"{:.1}\" height=\"{BOX}\" rx=\"{}\"/><text x=\"{:.1}\" \
             y=\"{:.1}\">{}</text></g>",
            escaped(&format!("{}{place}", resource.id)),
            at.x,
            at.y - BOX / 2.0,
            size.width,
            if class == "leaf" { 13 } else { 3 },
            at.x + size.width / 2.0,
            at.y + 4.0,
            escaped(label),
        );
    }

    /// The name, shortened in its middle.
    fn label(&self, id: ResourceId) -> String {
        let name: Vec<char> = self.loaded.graph.resource(id).id.to_string().chars().collect();
        if name.len() <= LABEL {
            return name.into_iter().collect();
        }
        let half = LABEL / 2;
        let (head, tail) = (&name[..half], &name[name.len() - half + 1..]);
        head.iter().chain(['…'].iter()).chain(tail).collect()
    }
}

/// Resources that every catalog has and nobody wrote.
fn is_implied(resource: &Resource) -> bool {
    let name = resource.id.to_string();
    ["Stage[main]", "Class[Settings]", "Class[Main]", "Class[main]"].contains(&name.as_str())
}

/// A smooth line through bends. One that leads back goes around.
fn path(begin: Spot, leave: Spot, bends: &[Spot], end: Spot) -> String {
    let mut out = format!("M{:.1} {:.1}H{:.1}", begin.x, begin.y, leave.x);
    let mut at = leave;
    for &next in bends.iter().chain([&end]) {
        let reach = if next.x > at.x { (next.x - at.x) / 2.0 } else { 60.0 };
        let _ = write!(
            out,
            "C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}",
            at.x + reach,
            at.y,
            next.x - reach,
            next.y,
            next.x,
            next.y
        );
        at = next;
    }
    out
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() && c != '\n' => out.push(char::REPLACEMENT_CHARACTER),
            c => out.push(c),
        }
    }
    out
}
