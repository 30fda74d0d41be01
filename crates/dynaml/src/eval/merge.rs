//! The values of stubs at the path of a node, and their effects on it.

use std::rc::Rc;

use super::evaluator::{Env, Evaluator, Info};
use super::tree::{Step, Stubs};
use crate::diagnostics::stop::{Eval, Stop};
use crate::ids::{InstId, NOWHERE};
use crate::path::find_path;
use crate::syntax::ast::{Merge, PathStep};
use crate::syntax::print::print_path;
use crate::value::{Flags, Item, Value};

/// The markers that are kept with a value from a stub.
const KEPT_FLAGS: Flags = Flags::TEMPORARY;

impl Evaluator<'_> {
    /// The values at the path of a node, by stub; `None` if no stub has one.
    pub(crate) fn stubs(&mut self, id: InstId) -> Option<Rc<[Option<Item>]>> {
        match &self.nodes[id].stubs {
            Stubs::None => return None,
            Stubs::Some(found) => return Some(Rc::clone(found)),
            Stubs::Unknown => {}
        }
        // Ancestors first, without recursion: documents may be deeply nested.
        let mut chain = vec![id];
        let mut at = self.nodes[id].parent;
        while at != NOWHERE && matches!(self.nodes[at].stubs, Stubs::Unknown) {
            chain.push(at);
            at = self.nodes[at].parent;
        }
        for node in chain.into_iter().rev() {
            self.nodes[node].stubs = self.look_up_stubs(node);
        }
        match &self.nodes[id].stubs {
            Stubs::Some(found) => Some(Rc::clone(found)),
            _ => None,
        }
    }

    fn look_up_stubs(&self, id: InstId) -> Stubs {
        let node = &self.nodes[id];
        if let Some(path) = node.extra.as_ref().and_then(|e| e.redirect.as_ref()) {
            let document = self.document(id);
            let found = document.stubs.iter().map(|s| find_path(s, path).cloned());
            return stubs_of(found.collect());
        }
        if node.parent == NOWHERE {
            let document = self.document(id);
            return stubs_of(document.stubs.iter().cloned().map(Some).collect());
        }
        match (&self.nodes[node.parent].stubs, &node.step) {
            (Stubs::Some(found), Step::Same | Step::Insert | Step::InsertAt(_)) => {
                Stubs::Some(Rc::clone(found))
            }
            (Stubs::Some(found), step) => {
                let found = found.iter().map(|s| s.as_ref().and_then(|s| step_down(s, step)));
                stubs_of(found.map(|i| i.cloned()).collect())
            }
            _ => Stubs::None,
        }
    }

    /// Whether a stub has a value at the path of a node.
    pub(crate) fn has_stub(&mut self, id: InstId) -> bool {
        match &self.nodes[id].body {
            super::tree::Body::Value(item) => {
                let item = item.clone();
                self.stub_value(id).is_some_and(|found| !same(&found.value, &item.value))
            }
            _ => self.stubs(id).is_some(),
        }
    }

    /// The value at the path of a node in the first stub that has one.
    pub(crate) fn stub_value(&mut self, id: InstId) -> Option<Item> {
        let found = self.stubs(id)?;
        let item = found.iter().flatten().next()?;
        Some(Item { value: item.value.clone(), flags: item.flags.without(Flags::default()) })
    }

    /// The value that replaces that of a node: list entries are never replaced as such.
    pub(crate) fn override_of(&mut self, id: InstId) -> Option<Item> {
        if self.nodes[id].fixed {
            return None;
        }
        let mut at = id;
        loop {
            let node = &self.nodes[at];
            match node.step {
                Step::Same if node.parent != NOWHERE => at = node.parent,
                Step::Key(_) | Step::Same => break,
                _ => return None,
            }
        }
        let item = self.stub_value(id)?;
        if item.flags.has(Flags::DEFAULT) && !item.flags.has(Flags::INJECT) {
            return None;
        }
        let dynamic = item.flags.has(Flags::DYNAMIC);
        let flags = if dynamic { Flags::DYNAMIC } else { Flags::default() };
        Some(Item { flags: flags.with(taken(item.flags)), ..item })
    }

    /// The markers of stubs at the path of a map or list apply to it, too.
    pub(crate) fn flags_of_stub(&mut self, id: InstId) -> Flags {
        let node = &self.nodes[id];
        if node.fixed || node.parent == NOWHERE || matches!(node.step, Step::Same) {
            return Flags::default();
        }
        match self.stub_value(id) {
            Some(item) if item.value.is_container() => taken(item.flags),
            _ => Flags::default(),
        }
    }

    /// Whether a node looks up another path in stubs than its own.
    pub(crate) fn is_redirected(&self, id: InstId) -> bool {
        let mut at = id;
        while at != NOWHERE {
            let node = &self.nodes[at];
            if node.extra.as_ref().is_some_and(|e| e.redirect.is_some()) {
                return true;
            }
            at = node.parent;
        }
        false
    }

    /// Sets another path in stubs for a node and everything below.
    pub(crate) fn redirect(&mut self, id: InstId, path: Rc<[PathStep]>) {
        self.extra(id).redirect = Some(path);
        self.nodes[id].stubs = Stubs::Unknown;
    }

    /// The value of a `merge`: in a lambda the path belongs to the place of its definition, the
    /// stubs to the caller.
    fn stub_value_for(&mut self, env: &Env) -> Option<Item> {
        if env.merge == env.place || self.root(env.merge) == self.root(env.place) {
            return self.stub_value(env.merge);
        }
        let path = self.context_path(env.merge);
        let path: Vec<PathStep> = path.iter().flat_map(|s| crate::path::steps(s)).collect();
        let document = self.document(env.place);
        document.stubs.iter().find_map(|s| find_path(s, &path).cloned())
    }

    pub(crate) fn merge(&mut self, merge: &Merge, env: &Env, info: &mut Info) -> Eval<Value> {
        if merge.none {
            info.none = true;
            info.merged = true;
            return Ok(Value::Null);
        }
        let found = match &merge.redirect {
            Some(_) if merge.absolute => None,
            Some(path) => {
                let document = self.document(env.merge);
                document.stubs.iter().find_map(|s| find_path(s, path).cloned())
            }
            None => self.stub_value_for(env),
        };
        let Some(item) = found else {
            if self.options.is_check {
                return Err(Stop::unknown());
            }
            let path = match &merge.redirect {
                Some(path) if merge.absolute => format!(".{}", print_path(path)),
                Some(path) => print_path(path),
                None => self.stub_path(env.merge),
            };
            if let Some(path) = &merge.redirect {
                info.redirect = Some(Rc::clone(path));
            }
            return Err(Stop::not_in_stubs(path));
        };
        info.merged = true;
        info.replace = merge.replace;
        info.key = merge.on.clone().or(info.key.take());
        if let Some(path) = &merge.redirect {
            info.redirect = Some(Rc::clone(path));
        }
        info.flags = info.flags.with(taken(item.flags));
        Ok(item.value)
    }
}

fn taken(flags: Flags) -> Flags {
    if flags.has(KEPT_FLAGS) { KEPT_FLAGS } else { Flags::default() }
}

fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::List(a), Value::List(b)) => Rc::ptr_eq(a, b),
        (Value::Map(a), Value::Map(b)) => Rc::ptr_eq(a, b),
        _ => false,
    }
}

fn stubs_of(found: Vec<Option<Item>>) -> Stubs {
    if found.iter().all(Option::is_none) { Stubs::None } else { Stubs::Some(found.into()) }
}

/// A node below a marked default exists only if it is marked itself: it never overrides.
fn step_down<'v>(item: &'v Item, step: &Step) -> Option<&'v Item> {
    find_below(item, step).filter(|found| !is_implied(found.flags))
}

fn is_implied(flags: Flags) -> bool {
    flags.has(Flags::IMPLIED) && !flags.has(Flags::DEFAULT)
}

fn find_below<'v>(item: &'v Item, step: &Step) -> Option<&'v Item> {
    match (&item.value, step) {
        (Value::Map(map), Step::Key(key)) => map.get(key),
        (Value::List(list), Step::Index(at)) => list.items.get(*at as usize),
        (Value::List(list), Step::Named(named)) => list.find(Some(&named.1), &named.2),
        (Value::List(list), Step::Key(key)) => list.find(None, key),
        _ => None,
    }
}
