//! The path of a node, as text and as steps.

use ecow::EcoString;

use super::evaluator::Evaluator;
use super::tree::{Body, Step};
use crate::ids::{InstId, NOWHERE};
use crate::syntax::print::print_path;

impl Evaluator<'_> {
    /// The nodes from a document's root to a node, without those that replace their parent.
    fn lineage(&self, id: InstId) -> Vec<InstId> {
        let mut nodes = Vec::new();
        let mut at = id;
        while at != NOWHERE {
            if !matches!(self.nodes[at].step, Step::Same) {
                nodes.push(at);
            }
            at = self.nodes[at].parent;
        }
        nodes.reverse();
        nodes
    }

    /// The steps to a node from its document's root, without those of nodes that replace their
    /// parent.
    fn steps(&self, id: InstId) -> Vec<&Step> {
        self.lineage(id).into_iter().map(|node| &self.nodes[node].step).collect()
    }

    /// The path of a node as reports show it: `a.[0].b`, `m.<<`.
    pub fn path(&self, id: InstId) -> String {
        self.shown_steps(id, None).join(".")
    }

    /// The steps to a node as reports show them, from an ancestor if it is one; all of them if it
    /// is the node itself.
    pub(crate) fn shown_steps(&self, id: InstId, base: Option<InstId>) -> Vec<EcoString> {
        let nodes = self.lineage(id);
        let known = base.map_or(0, |base| self.lineage(base).len());
        let below = if known < nodes.len() { known } else { 0 };
        let mut shown = Vec::with_capacity(nodes.len());
        for node in nodes.into_iter().skip(below) {
            match &self.nodes[node].step {
                Step::Insert => shown.push(self.insert_key(node).into()),
                Step::InsertAt(n) => {
                    shown.push(ecow::eco_format!("[{n}]"));
                    shown.push(self.insert_key(node).into());
                }
                step => shown.push(report_step(step)),
            }
        }
        shown
    }

    /// The key that an insert is written under.
    fn insert_key(&self, node: InstId) -> &'static str {
        match &self.nodes[node].body {
            Body::Src(src) => self.sources.insert_key(*src),
            _ => "<<",
        }
    }

    /// The path that spiff++ adds to a line of its report: with the keys of list entries, if it is
    /// not shown already.
    pub(crate) fn issue_path(&self, id: InstId, shown: &[EcoString]) -> String {
        let mut own = Vec::new();
        let mut at = id;
        while at != NOWHERE {
            let node = &self.nodes[at];
            if let Some(origin) = node.extra.as_ref().and_then(|e| e.origin) {
                at = origin;
                continue;
            }
            let same = matches!(node.step, Step::Same) || is_insert(&node.step);
            if !same && !self.is_list_control(at) {
                own.push(stub_step(&node.step));
            }
            at = node.parent;
        }
        own.reverse();
        match own.strip_prefix(shown) {
            Some([]) => String::new(),
            Some(_) if shown.is_empty() => own.join("."),
            Some(rest) => format!("...{}", rest.join(".")),
            None => own.join("."),
        }
    }

    /// Whether a node is a control structure in a list: it is evaluated in place of the list.
    fn is_list_control(&self, node: InstId) -> bool {
        matches!(self.nodes[node].step, Step::Index(_) | Step::Named(_))
            && self.map_source(node).is_some_and(|map| {
                let keys = map.entries.iter().map(|entry| entry.0.as_str());
                map.control && super::control::named(keys).is_some()
            })
    }

    /// The steps in the form of `__ctx.PATH`: entries with a key by their key.
    pub fn context_path(&self, id: InstId) -> Vec<EcoString> {
        self.steps(id).into_iter().filter(|s| !is_insert(s)).map(stub_step).collect()
    }

    /// The path that is looked up in stubs for a node.
    pub fn stub_path(&self, id: InstId) -> String {
        let mut parts = Vec::new();
        let mut at = id;
        while at != NOWHERE {
            let node = &self.nodes[at];
            if let Some(path) = node.extra.as_ref().and_then(|e| e.redirect.as_ref()) {
                parts.push(print_path(path).into());
                break;
            }
            if !matches!(node.step, Step::Same) && !is_insert(&node.step) {
                parts.push(stub_step(&node.step));
            }
            at = node.parent;
        }
        parts.reverse();
        parts.join(".")
    }
}

fn is_insert(step: &Step) -> bool {
    matches!(step, Step::Insert | Step::InsertAt(_))
}

fn report_step(step: &Step) -> EcoString {
    match step {
        Step::Same => EcoString::new(),
        Step::Key(key) => key.clone(),
        Step::Index(n) => ecow::eco_format!("[{n}]"),
        Step::Named(named) => ecow::eco_format!("[{}]", named.0),
        Step::Insert | Step::InsertAt(_) => "<<".into(),
    }
}

fn stub_step(step: &Step) -> EcoString {
    match step {
        Step::Named(named) => ecow::eco_format!("{}:{}", named.1, named.2),
        other => report_step(other),
    }
}
