//! Draws resources and relationships as an SVG, or as a self-contained HTML page.
//!
//! Classes and defines are frames around their members. Lines are relationships; dashed ones are
//! autorequires.

use std::collections::BTreeSet;
use std::fmt::Write;

use ordain_functions::text::xml_entity;
use ordain_graph::locate::place;
use ordain_graph::{Barrier, Containment, Edge, EdgeKind, Relations, Resource, ResourceId};

use crate::show::layout::{Point, Size};
use crate::show::nested_layout::{HEADING, NestedLayout, Rect, Route, nest};
use crate::ui::count;
use ordain_driver::Compiled;

/// The longest label, in characters.
const MAX_LABEL: usize = 40;

/// The width of a character.
const CHARACTER_WIDTH: f64 = 7.3;

/// The height of a box.
const BOX_HEIGHT: f64 = 26.0;

/// The margin around the picture.
const MARGIN: f64 = 24.0;

const STYLE: &str = include_str!("picture.css");
const SCRIPT: &str = include_str!("picture.js");

/// A relation between two boxes.
struct Line {
    from: usize,
    to: usize,
    kind: EdgeKind,
    on_loop: bool,
    /// Whether it is an autorequire.
    automatic: bool,
}

impl Line {
    /// The CSS class of its arrow.
    fn class(&self) -> &'static str {
        match (self.on_loop, self.kind) {
            (true, _) => "loop",
            (false, EdgeKind::Before) => "before",
            (false, EdgeKind::Notify) => "notify",
        }
    }
}

struct Picture<'a> {
    loaded: &'a Compiled,
    nodes: Vec<ResourceId>,
    parents: Vec<Option<usize>>,
    lines: Vec<Line>,
}

/// Draws an SVG.
pub(crate) fn svg(loaded: &Compiled) -> String {
    let style = format!("<style>{STYLE}</style>");
    Picture::new(loaded).svg(&style)
}

/// Draws an HTML page, with a search for names, highlighted neighbours, and zoom.
pub(crate) fn html(loaded: &Compiled) -> String {
    let picture = Picture::new(loaded);
    let graph = &loaded.graph;
    let title = escaped(&graph.name);
    let counts = format!(
        "{}, {}",
        count(picture.nodes.len(), "resource"),
        count(picture.lines.len(), "relation")
    );
    let svg = picture.svg("");
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta \
         name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n\
         <style>{STYLE}</style>\n</head>\n<body>\n<header><h1>{title}</h1><span>{counts}</span>\
         <input type=\"search\" placeholder=\"Find a resource\" aria-label=\"Find a resource\">\
         <span class=\"buttons\"><button data-zoom=\"0.8\" aria-label=\"Zoom out\">&#8722;</button>\
         <button data-zoom=\"1.25\" aria-label=\"Zoom in\">+</button>\
         <button data-zoom=\"0\">fit</button></span>\
         <span class=\"legend\"><i class=\"before\"></i>before <i class=\"notify\"></i>notify \
         <i class=\"before automatic\"></i>automatic \
         <b class=\"class\"></b>class <b class=\"define\"></b>define</span></header>\n\
         <main>{svg}</main>\n<script>{SCRIPT}</script>\n</body>\n</html>\n"
    )
}

impl<'a> Picture<'a> {
    fn new(loaded: &'a Compiled) -> Self {
        let graph = &loaded.graph;
        let mut used = vec![false; graph.len()];
        for edge in graph.edges.iter().chain(&graph.automatic) {
            used[edge.from.0 as usize] = true;
            used[edge.to.0 as usize] = true;
        }
        for id in graph.barriers.iter().flat_map(|barrier| barrier.from.iter().chain(&barrier.to)) {
            used[id.0 as usize] = true;
        }
        let mut nodes = Vec::new();
        let mut index = vec![None; graph.len()];
        for (id, resource) in graph.resources() {
            let implied = is_implied(resource) && !used[id.0 as usize];
            if !resource.is_virtual && !implied {
                index[id.0 as usize] = Some(nodes.len());
                nodes.push(id);
            }
        }
        let at = |id: ResourceId| index[id.0 as usize];
        let mut parents = vec![None; nodes.len()];
        for &(outer, inner) in &graph.containment {
            if let (Some(outer), Some(inner)) = (at(outer), at(inner)) {
                parents[inner] = Some(outer);
            }
        }
        let mut on_loop = BTreeSet::new();
        if let Err(cycle) = Relations::new(graph).order() {
            on_loop.extend(cycle.links.iter().filter_map(|l| Some((at(l.from)?, at(l.to)?))));
        }
        let line = |e: &Edge, automatic: bool| {
            let (from, to) = (at(e.from)?, at(e.to)?);
            let on_loop = on_loop.contains(&(from, to));
            Some(Line { from, to, kind: e.kind, on_loop, automatic })
        };
        let mut lines: Vec<Line> = graph.edges.iter().filter_map(|e| line(e, false)).collect();
        let written: BTreeSet<(usize, usize)> = lines.iter().map(|l| (l.from, l.to)).collect();
        let automatic = graph.automatic.iter().filter_map(|e| line(e, true));
        // An explicit relationship wins over an autorequire.
        let yields =
            |l: &Line| written.contains(&(l.from, l.to)) || written.contains(&(l.to, l.from));
        lines.extend(automatic.filter(|l| !yields(l)));
        for barrier in &graph.barriers {
            let (hub, kind) = (parents.len(), barrier.kind);
            parents.push(None);
            let line = |from, to| Line { from, to, kind, on_loop: false, automatic: false };
            lines.extend(barrier.from.iter().filter_map(|&id| Some(line(at(id)?, hub))));
            lines.extend(barrier.to.iter().filter_map(|&id| Some(line(hub, at(id)?))));
        }
        Self { loaded, nodes, parents, lines }
    }

    /// The barriers. Their boxes come after those of resources.
    fn barriers(&self) -> &[Barrier] {
        &self.loaded.graph.barriers
    }

    fn svg(&self, style: &str) -> String {
        let barriers = self.barriers().iter().map(barrier_label);
        let labels = self.nodes.iter().map(|&id| self.label(id)).chain(barriers);
        let labels: Vec<String> = labels.collect();
        let sizes: Vec<Size> = labels
            .iter()
            .map(|l| Size {
                width: l.chars().count() as f64 * CHARACTER_WIDTH + 20.0,
                height: BOX_HEIGHT,
            })
            .collect();
        let lines: Vec<(usize, usize)> = self.lines.iter().map(|l| (l.from, l.to)).collect();
        let out = nest(&self.parents, &sizes, &lines);
        let (width, height) = (out.width + 2.0 * MARGIN, out.height + 2.0 * MARGIN);
        let mut text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"{:.0} {:.0} {width:.0} {height:.0}\">{style}\n<defs>",
            -MARGIN, -MARGIN
        );
        for class in ["before", "notify", "loop"] {
            // Writing to a string cannot fail.
            let _ = write!(
                text,
                "<marker id=\"{class}\" class=\"{class}\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" \
                 markerWidth=\"8\" markerHeight=\"8\" markerUnits=\"userSpaceOnUse\" \
                 orient=\"auto\"><path d=\"M0 0 8 4 0 8z\"/></marker>"
            );
        }
        text.push_str("</defs>\n");
        // Lines are drawn above frames, inner frames above outer ones, and other boxes on top.
        let mut frames: Vec<usize> = (0..labels.len()).filter(|&i| out.is_frame[i]).collect();
        frames.sort_by_key(|&i| out.depth[i]);
        for i in frames {
            self.write_node(&mut text, &labels[i], out.boxes[i], i, true);
        }
        self.write_lines(&mut text, &out);
        for i in (0..labels.len()).filter(|&i| !out.is_frame[i]) {
            self.write_node(&mut text, &labels[i], out.boxes[i], i, false);
        }
        text.push_str("</svg>\n");
        text
    }

    fn write_lines(&self, out: &mut String, nested: &NestedLayout) {
        for (i, line) in self.lines.iter().enumerate() {
            let (from, to) = (nested.boxes[line.from], nested.boxes[line.to]);
            let path = match &nested.routes[i] {
                Some(route) => along(from, route, to),
                None => across(from, to),
            };
            let class = line.class();
            let automatic = if line.automatic { " automatic" } else { "" };
            let _ = writeln!(
                out,
                "<path class=\"line {class}{automatic}\" data-from=\"{}\" data-to=\"{}\" d=\"{path}\" \
                 marker-end=\"url(#{class})\"/>",
                line.from, line.to
            );
        }
    }

    fn write_node(&self, out: &mut String, label: &str, at: Rect, index: usize, frame: bool) {
        let (class, name, origin) = match self.nodes.get(index) {
            Some(&id) => {
                let resource = self.loaded.graph.resource(id);
                let class = match resource.containment {
                    Containment::Leaf => "leaf",
                    Containment::Class | Containment::ClassResource => "class",
                    Containment::Define => "define",
                };
                (class, resource.id.to_string(), resource.origin)
            }
            None => {
                let barrier = &self.barriers()[index - self.nodes.len()];
                ("leaf", barrier_label(barrier), barrier.origin)
            }
        };
        let place = place(&self.loaded.graph, origin, &self.loaded.sources);
        let place = place.map(|p| format!("\n{}", p.of_line())).unwrap_or_default();
        let (round, x, y) = if frame {
            (6, at.x + 12.0, at.y + HEADING / 2.0 + 4.0)
        } else {
            (if class == "leaf" { 13 } else { 3 }, at.x + at.width / 2.0, at.middle() + 4.0)
        };
        let within = self.parents[index].map(|p| format!(" data-in=\"{p}\"")).unwrap_or_default();
        let kind = if frame { "frame" } else { "box" };
        let _ = writeln!(
            out,
            "<g class=\"node {class} {kind}\" data-node=\"{index}\"{within}><title>{}</title>\
             <rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"{round}\"/>\
             <text x=\"{x:.1}\" y=\"{y:.1}\">{}</text></g>",
            escaped(&format!("{name}{place}")),
            at.x,
            at.y,
            at.width,
            at.height,
            escaped(label),
        );
    }

    /// The name, shortened in its middle.
    fn label(&self, id: ResourceId) -> String {
        let name: Vec<char> = self.loaded.graph.resource(id).id.to_string().chars().collect();
        if name.len() <= MAX_LABEL {
            return name.into_iter().collect();
        }
        let half = MAX_LABEL / 2;
        let (head, tail) = (&name[..half], &name[name.len() - half + 1..]);
        head.iter().chain(['…'].iter()).chain(tail).collect()
    }
}

/// The label of a barrier.
fn barrier_label(barrier: &Barrier) -> String {
    let word = if barrier.kind == EdgeKind::Notify { "notifies" } else { "before" };
    format!("each of {} {word} each of {}", barrier.from.len(), barrier.to.len())
}

/// Whether a resource is in every catalog without a declaration.
fn is_implied(resource: &Resource) -> bool {
    let name = resource.id.to_string();
    ["Stage[main]", "Class[Settings]", "Class[Main]", "Class[main]"].contains(&name.as_str())
}

/// A smooth line within one frame, through its bends. A line to the left makes a detour.
fn along(from: Rect, route: &Route, to: Rect) -> String {
    let mut out = format!("M{:.1} {:.1}H{:.1}", from.right(), from.middle(), route.leave);
    let mut at = Point { x: route.leave, y: from.middle() };
    for &next in route.bends.iter().chain([&Point { x: to.x, y: to.middle() }]) {
        let reach = if next.x > at.x { (next.x - at.x) / 2.0 } else { 60.0 };
        curve(&mut out, at, (reach, 0.0), next);
        at = next;
    }
    out
}

/// A line between different frames: from side to side, or from top to bottom.
fn across(from: Rect, to: Rect) -> String {
    let (begin, end, reach) = if to.x >= from.right() {
        let reach = ((to.x - from.right()) / 2.0).max(20.0);
        (point(from.right(), from.middle()), point(to.x, to.middle()), (reach, 0.0))
    } else if to.y >= from.y + from.height {
        let low = from.y + from.height;
        let reach = ((to.y - low) / 2.0).max(20.0);
        (point(centre(from), low), point(centre(to), to.y), (0.0, reach))
    } else if to.y + to.height <= from.y {
        let low = to.y + to.height;
        let reach = -((from.y - low) / 2.0).max(20.0);
        (point(centre(from), from.y), point(centre(to), low), (0.0, reach))
    } else {
        // One box contains the other, or the line leads to the left.
        let first = point(from.right(), from.y + from.height.min(HEADING) / 2.0);
        (first, point(to.x, to.y + to.height.min(HEADING) / 2.0), (40.0, 0.0))
    };
    let mut out = format!("M{:.1} {:.1}", begin.x, begin.y);
    curve(&mut out, begin, reach, end);
    out
}

fn point(x: f64, y: f64) -> Point {
    Point { x, y }
}

fn centre(rect: Rect) -> f64 {
    rect.x + rect.width / 2.0
}

fn curve(out: &mut String, from: Point, reach: (f64, f64), to: Point) {
    let (dx, dy) = reach;
    // Writing to a string cannot fail.
    let _ = write!(
        out,
        "C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}",
        from.x + dx,
        from.y + dy,
        to.x - dx,
        to.y - dy,
        to.x,
        to.y
    );
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match xml_entity(c) {
            Some(entity) => out.push_str(entity),
            None if c.is_control() && c != '\n' => out.push(char::REPLACEMENT_CHARACTER),
            None => out.push(c),
        }
    }
    out
}
