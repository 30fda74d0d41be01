//! The entries of a list: its own, those of its inserts, and the step that addresses each.

use std::rc::Rc;

use ecow::EcoString;
use rustc_hash::{FxHashMap, FxHashSet};

use super::evaluator::Evaluator;
use super::tree::{Body, Children, Inst, Memo, NodeLookup, Positions, Step, Stubs};
use crate::diagnostics::stop::{Eval, Stop};
use crate::ids::{InstId, SrcId};
use crate::load::{ListEntry, SrcKind};
use crate::syntax::ast::{Expr, ExprId};
use crate::value::{Flags, Item, List, Value};

/// An entry before its step is known.
enum Entry {
    Node(InstId),
    Value(Item),
}

/// The key field of an entry.
#[derive(Debug)]
enum Key {
    /// There is none, or it is no text.
    None,
    /// This text.
    Text(EcoString),
    /// An expression that was not evaluated yet.
    Expr,
}

impl Key {
    fn of(text: Option<&EcoString>) -> Self {
        text.map_or(Self::None, |text| Self::Text(text.clone()))
    }

    fn of_value(entry: &Value, key: &str) -> Self {
        match entry {
            Value::Map(map) => Self::of(map.get(key).and_then(|item| item.value.as_str())),
            _ => Self::None,
        }
    }
}

impl Evaluator<'_> {
    pub(crate) fn shape_list_value(&mut self, id: InstId, list: &Rc<List>) -> Eval<Children> {
        let entries: Vec<Entry> = list.items.iter().cloned().map(Entry::Value).collect();
        self.finish_list(id, entries, list.key.clone(), false, false)
    }

    pub(crate) fn shape_list(&mut self, id: InstId, src: SrcId) -> Eval<Children> {
        let Some(list) = self.list_source(src) else { return Ok(no_entries()) };
        let own: Vec<ListEntry> = list.entries.clone();
        let mut key = list.key.clone();
        let keyless = list.keyless;
        let mut parts: Vec<(bool, Vec<Entry>)> = Vec::new();
        let mut replaced = false;
        let mut merging = false;
        for (at, entry) in (0..).zip(own) {
            match entry {
                ListEntry::Node(src) => {
                    let node = self.add(Inst::new(Body::Src(src), id, Step::Index(at)));
                    parts.push((false, self.control_entries(node, src)?));
                }
                ListEntry::Insert(src) => {
                    merging |= self.mentions_merge(src);
                    let (item, info) = self.insert(id, src, Step::InsertAt(at))?;
                    if let Some(on) = info.key {
                        key = Some(on);
                    }
                    if let Some(Value::List(list)) = item.map(|i| i.value) {
                        replaced |= info.replace;
                        if key.is_none() {
                            key.clone_from(&list.key);
                        }
                        let values = list.items.iter().cloned().map(Entry::Value).collect();
                        parts.push((true, values));
                    }
                }
            }
        }
        let entries = self.splice(parts, key.as_deref().unwrap_or("name"), replaced);
        self.finish_list(id, entries, key, keyless, merging)
    }

    /// The entries of a list's node: a control structure may result in several.
    fn control_entries(&mut self, node: InstId, src: SrcId) -> Eval<Vec<Entry>> {
        if !matches!(&self.sources.nodes[src].kind, SrcKind::Map(map) if map.control) {
            return Ok(vec![Entry::Node(node)]);
        }
        match self.deep(node) {
            Ok(Some(Item { value: Value::List(list), flags })) => {
                let marked = |i: &Item| Item { flags: i.flags.with(flags), ..i.clone() };
                Ok(list.items.iter().map(|i| Entry::Value(marked(i))).collect())
            }
            Err(stop) if stop.is_suspend() => Err(stop),
            _ => Ok(vec![Entry::Node(node)]),
        }
    }

    /// The entries that stubs add to a list by `&inject`, in front of its own.
    fn injected(&mut self, id: InstId, entries: &[Entry], key: &str) -> Eval<Vec<Entry>> {
        let taken = entries.iter().any(|e| match e {
            Entry::Value(item) => item.flags.has(Flags::INJECT),
            Entry::Node(_) => false,
        });
        if self.nodes[id].fixed || taken {
            return Ok(Vec::new());
        }
        let Some(stubs) = self.stubs(id) else { return Ok(Vec::new()) };
        let mut added: Vec<Item> = Vec::new();
        if let Some(Value::List(list)) = stubs.iter().flatten().next().map(|s| &s.value) {
            let marked = |i: &&Item| i.flags.has_any(Flags::INJECT.with(Flags::DEFAULT));
            added.extend(list.items.iter().filter(marked).cloned());
        }
        if added.is_empty() {
            return Ok(Vec::new());
        }
        let mut known = FxHashSet::default();
        for entry in entries {
            known.extend(self.key_of(entry, key)?);
        }
        let mut out = Vec::new();
        for item in added {
            let entry = Entry::Value(item);
            let fresh = self.key_of(&entry, key)?.is_none_or(|k| known.insert(k));
            if fresh {
                out.push(entry);
            }
        }
        Ok(out)
    }

    /// Inserts the entries of inserts, without those whose key an own entry has.
    fn splice(&self, parts: Vec<(bool, Vec<Entry>)>, key: &str, replaced: bool) -> Vec<Entry> {
        let mut known = FxHashSet::default();
        if parts.iter().any(|p| p.0) {
            for entry in parts.iter().filter(|p| !p.0).flat_map(|p| &p.1) {
                if let Key::Text(text) = self.written_key(entry, key) {
                    known.insert(text);
                }
            }
        }
        let mut out = Vec::new();
        for (inserted, entries) in parts {
            if !inserted && replaced {
                continue;
            }
            for entry in entries {
                let twice = inserted
                    && matches!(self.written_key(&entry, key), Key::Text(k) if known.contains(&k));
                if !twice {
                    out.push(entry);
                }
            }
        }
        out
    }

    /// The text of the key field of an entry, if it is a map that has one.
    fn key_of(&mut self, entry: &Entry, key: &str) -> Eval<Option<EcoString>> {
        match entry {
            Entry::Value(Item { value: Value::Map(map), .. }) => {
                Ok(map.get(key).and_then(|i| i.value.as_str()).cloned())
            }
            Entry::Value(_) => Ok(None),
            Entry::Node(node) => self.key_of_node(*node, key),
        }
    }

    fn key_of_node(&mut self, node: InstId, key: &str) -> Eval<Option<EcoString>> {
        match self.written_key_of_node(node, key) {
            Key::Text(text) => Ok(Some(text)),
            Key::Expr => self.evaluated_key(node, key),
            Key::None => Ok(None),
        }
    }

    /// The key field of an entry as it is written.
    fn written_key(&self, entry: &Entry, key: &str) -> Key {
        match entry {
            Entry::Value(item) => Key::of_value(&item.value, key),
            Entry::Node(node) => self.written_key_of_node(*node, key),
        }
    }

    fn written_key_of_node(&self, node: InstId, key: &str) -> Key {
        let Body::Src(src) = self.nodes[node].body else { return Key::None };
        match &self.sources.nodes[src].kind {
            SrcKind::Value(item) => Key::of_value(&item.value, key),
            SrcKind::Map(map) if !map.marks.template => {
                let field = map.entries.binary_search_by(|e| e.0.as_str().cmp(key));
                let Ok(field) = field else { return Key::None };
                match &self.sources.nodes[map.entries[field].1].kind {
                    SrcKind::Value(item) => Key::of(item.value.as_str()),
                    SrcKind::Expr(_) => Key::Expr,
                    _ => Key::None,
                }
            }
            _ => Key::None,
        }
    }

    /// The key field of an entry where it is an expression. Stubs cannot replace it: they are
    /// searched by it.
    fn evaluated_key(&mut self, node: InstId, key: &str) -> Eval<Option<EcoString>> {
        let own = self.own_entries(node);
        let Some(field) = super::maps::find(&own, key) else { return Ok(None) };
        self.nodes[field].fixed = true;
        match self.reach(field) {
            Ok(NodeLookup::Value(Item { value: Value::Str(text), .. })) => Ok(Some(text)),
            Err(stop) if stop.is_suspend() => Err(stop),
            _ => Ok(None),
        }
    }

    /// Assigns every entry its step: by key if all have distinct ones.
    fn finish_list(
        &mut self,
        id: InstId,
        entries: Vec<Entry>,
        key: Option<EcoString>,
        keyless: bool,
        merging: bool,
    ) -> Eval<Children> {
        let field = key.clone().unwrap_or_else(|| "name".into());
        let mut all = self.injected(id, &entries, &field)?;
        all.extend(entries);
        let mut nodes = Vec::with_capacity(all.len());
        let mut keys = Vec::with_capacity(all.len());
        for (at, entry) in (0..).zip(all) {
            keys.push(self.written_key(&entry, &field));
            nodes.push(match entry {
                Entry::Node(node) => {
                    self.nodes[node].step = Step::Index(at);
                    node
                }
                Entry::Value(item) => self.add(Inst::new(Body::Value(item), id, Step::Index(at))),
            });
        }
        // If one entry has no key, none is addressed by its key.
        let mut keyed = !keyless && !keys.iter().any(|key| matches!(key, Key::None));
        let evaluated: Vec<usize> =
            (0..keys.len()).filter(|at| keyed && matches!(keys[*at], Key::Expr)).collect();
        if !evaluated.is_empty() {
            self.evaluate_keys(id, &mut nodes, &mut keys, &field)?;
        }
        let mut seen = FxHashSet::default();
        keyed &= keys.iter().all(|key| matches!(key, Key::Text(text) if seen.insert(text)));
        if !keyed {
            // Addressed by position, an entry may get another key from a stub.
            for at in evaluated {
                nodes[at] = self.copy_of_entry(nodes[at]);
            }
        }
        let mut names = FxHashMap::default();
        for ((at, node), key) in (0..).zip(&nodes).zip(&keys) {
            let text = if let Key::Text(text) = key { Some(text) } else { None };
            self.nodes[*node].step = match text.filter(|_| keyed) {
                Some(text) => Step::Named(Box::new((at, field.clone(), text.clone()))),
                None => Step::Index(at),
            };
            self.nodes[*node].stubs = Stubs::Unknown;
            if merging && !keyed {
                self.nodes[*node].fixed = true;
            }
            if let Some(text) = text {
                names.entry(text.clone()).or_insert(*node);
            }
        }
        Ok(Children::List(nodes, key, names))
    }

    /// Evaluates list keys that are expressions. They may refer to entries by position, and by keys
    /// that are literal texts.
    fn evaluate_keys(
        &mut self,
        id: InstId,
        nodes: &mut [InstId],
        keys: &mut [Key],
        field: &EcoString,
    ) -> Eval<()> {
        let mut names = FxHashMap::default();
        for ((at, node), key) in (0..).zip(&*nodes).zip(&*keys) {
            if let Key::Text(text) = key {
                self.nodes[*node].step = Step::Named(Box::new((at, field.clone(), text.clone())));
                names.entry(text.clone()).or_insert(*node);
            } else {
                // Until its key is known, stubs have nothing for an entry.
                self.nodes[*node].stubs = Stubs::None;
            }
        }
        let positions = Positions { entries: nodes.to_vec(), names };
        self.extra(id).positions = Some(Rc::new(positions));
        let result = self.keys_of_expressions(nodes, keys, field);
        self.extra(id).positions = None;
        result
    }

    fn keys_of_expressions(
        &mut self,
        nodes: &mut [InstId],
        keys: &mut [Key],
        field: &EcoString,
    ) -> Eval<()> {
        for (node, key) in nodes.iter_mut().zip(keys) {
            if !matches!(key, Key::Expr) {
                continue;
            }
            *key = match self.evaluated_key(*node, field)? {
                Some(text) => Key::Text(text),
                None => Key::None,
            };
            if self.is_read(*node, field) {
                *node = self.entry_again(*node, field);
            }
        }
        Ok(())
    }

    /// Whether fields of an entry other than its key were read.
    fn is_read(&mut self, entry: InstId, key: &str) -> bool {
        let own = self.own_entries(entry);
        own.iter()
            .any(|(field, node)| field != key && !matches!(self.nodes[*node].reached, Memo::Fresh))
    }

    /// Creates an entry whose fields are evaluated again, with the stubs' values under its key.
    fn entry_again(&mut self, entry: InstId, key: &str) -> InstId {
        let fresh = self.copy_of_entry(entry);
        let (before, after) = (self.own_entries(entry), self.own_entries(fresh));
        let field = |own: &[(EcoString, InstId)]| super::maps::find(own, key);
        if let (Some(before), Some(after)) = (field(&before), field(&after)) {
            self.nodes[after].reached = self.nodes[before].reached.clone();
            self.nodes[after].fixed = true;
        }
        fresh
    }

    /// A copy of an entry without results.
    fn copy_of_entry(&mut self, entry: InstId) -> InstId {
        let Inst { body, parent, step, .. } = &self.nodes[entry];
        self.add(Inst::new(body.clone(), *parent, step.clone()))
    }

    /// Whether an insert has a `merge` outside of calls and lambdas.
    fn mentions_merge(&self, src: SrcId) -> bool {
        match self.sources.nodes[src].kind {
            SrcKind::Expr(expr) => self.has_merge(expr),
            _ => false,
        }
    }

    fn has_merge(&self, expr: ExprId) -> bool {
        match &self.sources.exprs[expr] {
            Expr::Merge(_) => true,
            Expr::Binary(_, a, b) => self.has_merge(*a) || self.has_merge(*b),
            Expr::Group(e) => self.has_merge(*e),
            Expr::Cond(_, t, f) => self.has_merge(*t) || self.has_merge(*f),
            _ => false,
        }
    }

    /// The entry of a list with this key text, for lists without distinct literal keys.
    pub(crate) fn search_list(
        &mut self,
        entries: &[InstId],
        field: &str,
        text: &str,
    ) -> Eval<Option<InstId>> {
        for entry in entries {
            let found = match self.reach(*entry) {
                Ok(NodeLookup::Value(Item { value: Value::Map(map), .. })) => {
                    map.get(field).and_then(|i| i.value.as_str()).is_some_and(|t| t == text)
                }
                Ok(NodeLookup::Node(node, _)) => self.field_is(node, field, text)?,
                Err(stop @ Stop::Suspend(..)) => return Err(stop),
                _ => false,
            };
            if found {
                return Ok(Some(*entry));
            }
        }
        Ok(None)
    }

    fn field_is(&mut self, node: InstId, field: &str, text: &str) -> Eval<bool> {
        let child = match self.children(node) {
            Ok(children) => match &*children {
                Children::Map(entries) => super::maps::find(entries, field),
                Children::List(..) => None,
            },
            Err(stop) if stop.is_suspend() => return Err(stop),
            Err(_) => None,
        };
        let Some(child) = child else { return Ok(false) };
        match self.reach(child) {
            Ok(NodeLookup::Value(Item { value: Value::Str(t), .. })) => Ok(t == text),
            Err(stop) if stop.is_suspend() => Err(stop),
            _ => Ok(false),
        }
    }
}

fn no_entries() -> Children {
    Children::List(Vec::new(), None, FxHashMap::default())
}
