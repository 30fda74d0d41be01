//! Where a node stands, as text and as steps.

use ecow::EcoString;

use super::Evaluator;
use super::tree::{InstId, NOWHERE, Step};
use crate::syntax::print::print_path;

impl Evaluator<'_> {
    /// The steps to a node from its document's root, without those that stay in place.
    pub(crate) fn steps(&self, id: InstId) -> Vec<&Step> {
        let mut steps = Vec::new();
        let mut at = id;
        while at != NOWHERE {
            let node = &self.nodes[at];
            if !matches!(node.step, Step::Same) {
                steps.push(&node.step);
            }
            at = node.parent;
        }
        steps.reverse();
        steps
    }

    /// The path of a node as reports show it: `a.[0].b`, `m.<<`.
    pub fn path(&self, id: InstId) -> String {
        join(self.steps(id).into_iter().map(report_step))
    }

    /// The path of a node from one above it; the whole path if it is that node itself.
    pub fn path_below(&self, id: InstId, base: InstId) -> String {
        let steps = self.steps(id);
        let known = self.steps(base).len();
        let below = if known < steps.len() { known } else { 0 };
        join(steps.into_iter().skip(below).map(report_step))
    }

    /// The steps as `__ctx.PATH` shows them: entries with a key by their key.
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
        Step::Insert => "<<".into(),
        Step::InsertAt(n) => ecow::eco_format!("[{n}].<<"),
    }
}

fn stub_step(step: &Step) -> EcoString {
    match step {
        Step::Named(named) => ecow::eco_format!("{}:{}", named.1, named.2),
        other => report_step(other),
    }
}

fn join(parts: impl Iterator<Item = EcoString>) -> String {
    let parts: Vec<EcoString> = parts.filter(|p| !p.is_empty()).collect();
    parts.join(".")
}
