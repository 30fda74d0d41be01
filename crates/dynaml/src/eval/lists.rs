//! The entries of a list: its own, those of its inserts, and by which step each is addressed.

use std::rc::Rc;

use ecow::EcoString;
use rustc_hash::{FxHashMap, FxHashSet};

use super::stop::Stop;
use super::tree::{Body, Children, Inst, InstId, Reached, Step, Stubs};
use super::{Eval, Evaluator};
use crate::load::{ListEntry, SrcId, SrcKind};
use crate::syntax::ast::{Expr, ExprId};
use crate::value::{Flags, Item, List, Value};

/// An entry before its step is known.
enum Entry {
    Node(InstId),
    Value(Item),
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
        let entries = self.splice(parts, key.as_deref().unwrap_or("name"), replaced)?;
        self.finish_list(id, entries, key, keyless, merging)
    }

    /// The entries that a node of a list stands for: a control structure may give several.
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

    /// Puts inserts in place, without entries whose key an own entry has.
    fn splice(
        &mut self,
        parts: Vec<(bool, Vec<Entry>)>,
        key: &str,
        replaced: bool,
    ) -> Eval<Vec<Entry>> {
        let mut known = FxHashSet::default();
        if parts.iter().any(|p| p.0) {
            for entry in parts.iter().filter(|p| !p.0).flat_map(|p| &p.1) {
                known.extend(self.key_of(entry, key)?);
            }
        }
        let mut out = Vec::new();
        for (inserted, entries) in parts {
            if !inserted && replaced {
                continue;
            }
            for entry in entries {
                let twice =
                    inserted && self.key_of(&entry, key)?.is_some_and(|k| known.contains(&k));
                if !twice {
                    out.push(entry);
                }
            }
        }
        Ok(out)
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
        let Body::Src(src) = self.nodes[node].body else { return Ok(None) };
        match &self.sources.nodes[src].kind {
            SrcKind::Value(Item { value: Value::Map(map), .. }) => {
                Ok(map.get(key).and_then(|i| i.value.as_str()).cloned())
            }
            SrcKind::Map(map) if !map.marks.template => {
                let field = map.entries.binary_search_by(|e| e.0.as_str().cmp(key));
                let Ok(field) = field else { return Ok(None) };
                match &self.sources.nodes[map.entries[field].1].kind {
                    SrcKind::Value(item) => Ok(item.value.as_str().cloned()),
                    SrcKind::Expr(_) => self.evaluated_key(node, key),
                    _ => Ok(None),
                }
            }
            _ => Ok(None),
        }
    }

    /// The key field of an entry where it is an expression. Stubs cannot replace it: they are
    /// searched by it.
    fn evaluated_key(&mut self, node: InstId, key: &str) -> Eval<Option<EcoString>> {
        let own = self.own_entries(node);
        let Some(field) = super::maps::find(&own, key) else { return Ok(None) };
        self.nodes[field].fixed = true;
        match self.reach(field) {
            Ok(Reached::Value(Item { value: Value::Str(text), .. })) => Ok(Some(text)),
            Err(stop) if stop.is_suspend() => Err(stop),
            _ => Ok(None),
        }
    }

    /// Gives every entry its step: by key if all have one and no two the same.
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
        let entries = all;
        let mut texts = Vec::new();
        let mut seen = FxHashSet::default();
        let mut keyed = !keyless;
        for entry in &entries {
            let text = self.key_of(entry, &field)?;
            keyed &= text.as_ref().is_some_and(|t| seen.insert(t.clone()));
            texts.push(text);
        }
        let mut nodes = Vec::with_capacity(entries.len());
        let mut names = FxHashMap::default();
        for ((at, entry), text) in (0..).zip(entries).zip(texts) {
            let step = match text.clone().filter(|_| keyed) {
                Some(text) => Step::Named(Box::new((at, field.clone(), text))),
                None => Step::Index(at),
            };
            let node = match entry {
                Entry::Node(node) => {
                    self.nodes[node].step = step;
                    self.nodes[node].stubs = Stubs::Unknown;
                    node
                }
                Entry::Value(item) => self.add(Inst::new(Body::Value(item), id, step)),
            };
            if merging && (text.is_none() || !keyed) {
                self.nodes[node].fixed = true;
            }
            if let Some(text) = text {
                names.entry(text).or_insert(node);
            }
            nodes.push(node);
        }
        Ok(Children::List(nodes, key, names))
    }

    /// Whether an insert has a `merge` that is not inside of a call or lambda.
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

    /// The entry of a list with this key text, where not all entries have one or it is only
    /// known after evaluating.
    pub(crate) fn search_list(
        &mut self,
        entries: &[InstId],
        field: &str,
        text: &str,
    ) -> Eval<Option<InstId>> {
        for entry in entries {
            let found = match self.reach(*entry) {
                Ok(Reached::Value(Item { value: Value::Map(map), .. })) => {
                    map.get(field).and_then(|i| i.value.as_str()).is_some_and(|t| t == text)
                }
                Ok(Reached::Node(node, _)) => self.field_is(node, field, text)?,
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
            Ok(Reached::Value(Item { value: Value::Str(t), .. })) => Ok(t == text),
            Err(stop) if stop.is_suspend() => Err(stop),
            _ => Ok(false),
        }
    }
}

fn no_entries() -> Children {
    Children::List(Vec::new(), None, FxHashMap::default())
}
