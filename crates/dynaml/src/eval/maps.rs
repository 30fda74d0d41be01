//! The entries of a map: its own, those of its insert, and those that stubs add.

use std::rc::Rc;

use ecow::EcoString;

use super::evaluator::{Evaluator, Info};
use super::tree::{Body, Children, Inst, Memo, Step};
use crate::diagnostics::stop::{Eval, Stop};
use crate::ids::{InstId, SrcId};
use crate::load::SrcKind;
use crate::syntax::ast::{Expr, ExprId};
use crate::value::{Flags, Item, Map, Value};

impl Evaluator<'_> {
    /// The own entries of a map by key, without those of its insert.
    pub(crate) fn own_entries(&mut self, id: InstId) -> Rc<Vec<(EcoString, InstId)>> {
        if let Some(own) = self.nodes[id].extra.as_ref().and_then(|e| e.own.clone()) {
            return own;
        }
        let entries: Vec<(EcoString, Body)> = match &self.nodes[id].body {
            Body::Value(Item { value: Value::Map(map), .. }) => values_of(map),
            Body::Src(src) => match &self.sources.nodes[*src].kind {
                SrcKind::Map(map) => {
                    map.entries.iter().map(|(k, s)| (k.clone(), Body::Src(*s))).collect()
                }
                SrcKind::Value(Item { value: Value::Map(map), .. }) => values_of(map),
                _ => Vec::new(),
            },
            _ => Vec::new(),
        };
        self.nodes.reserve(entries.len());
        let own = entries.into_iter().map(|(key, body)| {
            let child = self.add(Inst::new(body, id, Step::Key(key.clone())));
            (key, child)
        });
        let own: Rc<Vec<_>> = Rc::new(own.collect());
        self.extra(id).own = Some(Rc::clone(&own));
        own
    }

    pub(crate) fn shape_map(&mut self, id: InstId) -> Eval<Children> {
        let own = self.own_entries(id);
        let insert = match self.map_source(id) {
            Some(map) if map.two_inserts => {
                return Err(Stop::failed("multiple merge keys not allowed"));
            }
            Some(map) => map.insert,
            None => None,
        };
        let mut base = Vec::new();
        let mut literal = Vec::new();
        let mut replaced = false;
        if let Some(insert) = insert
            && let Some(entries) = self.literal_insert(id, insert)?
        {
            literal = entries;
        } else if let Some(insert) = insert {
            let (item, info) = self.insert(id, insert, Step::Insert)?;
            match item.map(|i| i.value) {
                Some(Value::Map(map)) => base = map.entries().to_vec(),
                Some(Value::Null) | None => {}
                Some(other) => {
                    let text =
                        format!("require map value for '<<' insert, found '{}'", other.kind());
                    self.extra(id).fault = Some(Stop::failed(text));
                }
            }
            replaced = info.replace;
            self.extra(id).undefined = info.undefined;
        }
        let own: &[(EcoString, InstId)] = if replaced { &[] } else { &own };
        let mut entries = self.base_entries(id, own, base, replaced);
        entries.extend(literal.into_iter().filter(|e| find(own, &e.0).is_none()));
        if !self.nodes[id].fixed {
            self.inject(id, own, &mut entries);
        }
        if entries.is_empty() {
            return Ok(Children::Map(own.to_vec()));
        }
        entries.extend_from_slice(own);
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(Children::Map(entries))
    }

    /// The entries of an insert that is a literal map: they belong to the surrounding map.
    fn literal_insert(
        &mut self,
        id: InstId,
        source: SrcId,
    ) -> Eval<Option<Vec<(EcoString, InstId)>>> {
        match &self.sources.nodes[source].kind {
            SrcKind::Map(map) if !map.control && !map.marks.template => {}
            _ => return Ok(None),
        }
        let node = self.add(Inst::new(Body::Src(source), id, Step::Same));
        self.extra(id).inserts.push(node);
        self.reach(node)?;
        match &*self.children(node)? {
            Children::Map(entries) => Ok(Some(entries.clone())),
            Children::List(..) => Ok(None),
        }
    }

    /// Entries of an insert that are not own ones. Those of `merge replace` are final.
    fn base_entries(
        &mut self,
        id: InstId,
        own: &[(EcoString, InstId)],
        base: Vec<(EcoString, Item)>,
        fixed: bool,
    ) -> Vec<(EcoString, InstId)> {
        let mut entries = Vec::new();
        for (key, item) in base {
            if find(own, &key).is_some() {
                continue;
            }
            let mut inst = Inst::new(Body::Value(item), id, Step::Key(key.clone()));
            inst.fixed = fixed;
            entries.push((key, self.add(inst)));
        }
        entries
    }

    /// Entries that stubs add by `&inject` and `&default`.
    fn inject(
        &mut self,
        id: InstId,
        own: &[(EcoString, InstId)],
        entries: &mut Vec<(EcoString, InstId)>,
    ) {
        let Some(stubs) = self.stubs(id) else { return };
        let mut added: Vec<(EcoString, Item)> = Vec::new();
        // The first stub already contains the injected entries of those after it.
        let Some(Value::Map(map)) = stubs.iter().flatten().next().map(|s| &s.value) else { return };
        if !map.injects {
            return;
        }
        for (key, item) in map.entries() {
            let marked = item.flags.has_any(Flags::INJECT.with(Flags::DEFAULT));
            let known = find(own, key).is_some() || entries.iter().any(|e| e.0 == *key);
            if marked && !known {
                added.push((key.clone(), item.clone()));
            }
        }
        for (key, item) in added {
            let flags = item.flags.with(Flags::INJECT);
            let item = Item { value: item.value, flags };
            let mut inst = Inst::new(Body::Value(item), id, Step::Key(key.clone()));
            inst.fixed = true;
            entries.push((key, self.add(inst)));
        }
    }

    /// The value of an insert, and its effects on its map or list.
    pub(crate) fn insert(
        &mut self,
        id: InstId,
        source: SrcId,
        step: Step,
    ) -> Eval<(Option<Item>, Info)> {
        let node = self.add(Inst::new(Body::Src(source), id, step));
        self.extra(id).inserts.push(node);
        let (result, info) = match &self.sources.nodes[source].kind {
            SrcKind::Expr(expr) => {
                let expr = *expr;
                self.insert_expr(id, node, expr)
            }
            SrcKind::Broken(..) => (self.reach(node).map(|_| None), Info::default()),
            _ => {
                self.nodes[node].fixed = true;
                (self.deep(node), Info::default())
            }
        };
        match result {
            Ok(item) => Ok((item, info)),
            Err(stop) => {
                if !stop.is_suspend() {
                    self.nodes[node].reached = Memo::Done(Err(stop.clone()));
                }
                Err(stop)
            }
        }
    }

    fn insert_expr(
        &mut self,
        id: InstId,
        node: InstId,
        expr: ExprId,
    ) -> (Eval<Option<Item>>, Info) {
        if self.is_plain_merge(expr) && !self.is_redirected(id) {
            let item = self.stub_value(id);
            let key = self.merge_key(expr);
            return (Ok(item), Info { merged: true, key, ..Info::default() });
        }
        let (result, info) = self.evaluate_at(node, expr);
        if result.is_ok()
            && let Some(path) = &info.redirect
        {
            let path = Rc::clone(path);
            self.redirect(id, path);
            if std::mem::take(&mut self.nodes[id].fixed) {
                for (_, child) in self.own_entries(id).iter() {
                    self.nodes[*child].fixed = false;
                }
            }
        }
        if info.none {
            self.nodes[id].fixed = true;
            for (_, child) in self.own_entries(id).iter() {
                self.nodes[*child].fixed = true;
            }
        }
        let undefined = info.undefined;
        let result = result.map(|value| (!undefined).then(|| Item::from(value)));
        let result = match result {
            Ok(Some(item)) if item.value.weight().open => match self.literal(node, item, true) {
                super::tree::NodeLookup::Value(item) => Ok(Some(item)),
                super::tree::NodeLookup::Node(sub, _) => self.deep(sub),
                super::tree::NodeLookup::Undefined => Ok(None),
            },
            other => other,
        };
        (result, info)
    }

    /// The key that a plain merge names.
    fn merge_key(&self, expr: ExprId) -> Option<EcoString> {
        match &self.sources.exprs[expr] {
            Expr::Merge(m) => m.on.clone(),
            _ => None,
        }
    }

    /// Whether this is `merge` or `merge on K`: in old files that is an optional merge. In
    /// brackets, as after markers, a stub must have a value.
    fn is_plain_merge(&self, expr: ExprId) -> bool {
        match &self.sources.exprs[expr] {
            Expr::Merge(m) => !m.required && !m.replace && !m.none && m.redirect.is_none(),
            _ => false,
        }
    }
}

fn values_of(map: &Map) -> Vec<(EcoString, Body)> {
    map.entries().iter().map(|(k, item)| (k.clone(), Body::Value(item.clone()))).collect()
}

/// The entry under a key, in entries sorted by key.
pub fn find(entries: &[(EcoString, InstId)], key: &str) -> Option<InstId> {
    let at = entries.binary_search_by(|e| e.0.as_str().cmp(key)).ok()?;
    entries.get(at).map(|e| e.1)
}
