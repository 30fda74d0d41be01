//! Tags: names of nodes and values in a stream of documents, and global ones that stubs define for
//! the documents below.
//!
//! A tag is known once its node is evaluated. To be independent of the order, the first look-up in
//! a document searches its source for markers and calls that define tags.

use ecow::EcoString;

use super::evaluator::{Env, Evaluator};
use super::reference::Resolved;
use super::tag_table::Tag;
use super::tree::{Body, NodeLookup};
use crate::diagnostics::stop::{Eval, Stop};
use crate::ids::{InstId, SrcId};
use crate::load::{ListEntry, Marks, SrcKind};
use crate::syntax::ast::{Expr, ExprId, PathStep, Reference};
use crate::value::{Bound, Item, Value};

/// The parts of a tag's name are separated by colons or points.
fn canonical(name: &str) -> EcoString {
    name.replace(':', ".").into()
}

impl Evaluator<'_> {
    /// Records the tags of a node.
    ///
    /// # Errors
    /// When another node of the document has one of them.
    pub(crate) fn note_tags(&mut self, id: InstId, marks: &Marks) -> Eval<()> {
        for (name, global) in &marks.tags {
            let path = self.path(id);
            let name = canonical(name);
            if let Some(old) = self.tags.tags.get(&name).filter(|t| t.open && t.path != path) {
                let old = &old.path;
                return Err(Stop::failed(format!("duplicate tag \"{name}\": {path} <-> {old}")));
            }
            let tag = Tag { value: Bound::Node(id), path, global: *global, open: true };
            self.tags.tags.insert(name, tag);
        }
        Ok(())
    }

    /// Defines a tag.
    ///
    /// # Errors
    /// When another node has it.
    pub fn define_tag(
        &mut self,
        name: &str,
        value: Value,
        place: Option<InstId>,
        global: bool,
    ) -> Eval<()> {
        let name = canonical(name);
        let path = place.map(|p| self.path(p)).unwrap_or_default();
        if let Some(old) = self.tags.tags.get(&name) {
            if !old.open {
                return Err(Stop::failed(format!(
                    "duplicate tag \"{name}\": {path} in foreign document"
                )));
            }
            if old.path != path {
                return Err(Stop::failed(format!(
                    "duplicate tag \"{name}\": {path} <-> {}",
                    old.path
                )));
            }
        }
        let tag = Tag { value: value.into(), path, global, open: place.is_some() };
        self.tags.tags.insert(name, tag);
        Ok(())
    }

    /// Records the end of a document: its tags keep their values, those of stubs only if they are
    /// global.
    pub fn finish_document(&mut self, value: &Item, stub: bool) {
        let mut tags = std::mem::take(&mut self.tags.tags);
        tags.retain(|_, tag| !stub || tag.global || !tag.open);
        for tag in tags.values_mut() {
            tag.open = false;
            if let Bound::Node(id) = tag.value
                && let Ok(Some(item)) = self.deep(id)
            {
                tag.value = Bound::Value(item);
            }
        }
        self.tags.tags = tags;
        if !stub {
            self.tags.finished += 1;
            let name = ecow::eco_format!("doc.{}", self.tags.finished);
            let tag = Tag {
                value: Bound::Value(value.clone()),
                path: String::new(),
                global: true,
                open: false,
            };
            self.tags.tags.insert(name, tag);
        }
    }

    /// The target of a reference with a tag, up to its path.
    pub(crate) fn tagged(&mut self, tag: &str, reference: &Reference, env: &Env) -> Eval<Resolved> {
        let root = self.root(env.place);
        let name = canonical(tag);
        if name == "doc.0" {
            if reference.path.is_empty() {
                return Err(Stop::failed("no reference to actual document possible"));
            }
            return Ok(Resolved::Node(root));
        }
        self.search_tags(root)?;
        let candidates = self.candidates(&name);
        let Some(first) = candidates.first() else {
            return Err(Stop::failed(format!("tag '{tag}' not found")));
        };
        if first == &name || (candidates.len() == 1 && reference.path.is_empty()) {
            return self.resolve_tag(first);
        }
        if reference.path.is_empty() {
            let names = candidates.join(", ");
            return Err(Stop::failed(format!("found multiple tags for '{tag}': {names}")));
        }
        self.nearest(&candidates, reference, tag)
    }

    /// Of the tags below a name, the one on the highest level that has the path.
    fn nearest(
        &mut self,
        candidates: &[EcoString],
        reference: &Reference,
        tag: &str,
    ) -> Eval<Resolved> {
        let level = |name: &str| name.matches('.').count();
        let mut found: Option<(EcoString, Resolved)> = None;
        for name in candidates {
            if found.as_ref().is_some_and(|f| level(&f.0) < level(name)) {
                break;
            }
            let spot = self.resolve_tag(name)?;
            if !self.has_path(&spot, &reference.path)? {
                continue;
            }
            let path = crate::syntax::print::print_path(&reference.path);
            if let Some((before, _)) = &found {
                return Err(Stop::failed(format!(
                    "ambigious tag resolution for {tag}::{path}: {before} <-> {name}"
                )));
            }
            found = Some((name.clone(), spot));
        }
        match found {
            Some((_, spot)) => Ok(spot),
            None => {
                let path = crate::syntax::print::print_path(&reference.path[..1]);
                Err(Stop::not_found(path))
            }
        }
    }

    fn has_path(&mut self, spot: &Resolved, path: &[PathStep]) -> Eval<bool> {
        let mut at = spot.clone();
        for step in path {
            match self.step_into(&at, step, String::new)? {
                Some(next) => at = next,
                None => return Ok(false),
            }
        }
        Ok(true)
    }

    fn resolve_tag(&self, name: &str) -> Eval<Resolved> {
        match self.tags.tags.get(name) {
            Some(tag) => Ok(tag.value.clone().into()),
            None => Err(Stop::failed(format!("tag '{name}' not found"))),
        }
    }

    /// The tags that a name may refer to, those of higher levels first.
    fn candidates(&self, name: &EcoString) -> Vec<EcoString> {
        if let Some(number) = name.strip_prefix("doc.") {
            let Ok(mut number) = number.parse::<i64>() else { return Vec::new() };
            if number <= 0 {
                number += self.tags.finished + 1;
            }
            let name = ecow::eco_format!("doc.{number}");
            let known = number > 0 && self.tags.tags.contains_key(&name);
            return if known { vec![name] } else { Vec::new() };
        }
        let prefix = format!("{name}.");
        let mut found: Vec<EcoString> = Vec::new();
        found.extend(self.tags.tags.get_key_value(name).map(|(k, _)| k.clone()));
        let below = self.tags.tags.range(EcoString::from(prefix.as_str())..);
        found.extend(below.map(|(k, _)| k.clone()).take_while(|k| k.starts_with(&prefix)));
        found.sort_by_key(|n| n.matches('.').count());
        found
    }

    /// Evaluates the nodes of a document that define tags.
    fn search_tags(&mut self, root: InstId) -> Eval<()> {
        if self.tags.searched.contains(&root) {
            return Ok(());
        }
        let Body::Src(src) = self.nodes[root].body else { return Ok(()) };
        let mut found = Vec::new();
        self.tag_sources(src, &mut Vec::new(), &mut found);
        for path in found {
            let mut at = Resolved::Node(root);
            let mut steps = path.iter();
            let reached = loop {
                let Some(step) = steps.next() else { break true };
                match self.step_into(&at, step, String::new) {
                    Ok(Some(next)) => at = next,
                    Err(stop) if stop.is_suspend() => return Err(stop),
                    _ => break false,
                }
            };
            if let (true, Resolved::Node(id)) = (reached, at) {
                let result: Eval<NodeLookup> = self.reach(id);
                if let Err(stop @ Stop::Suspend(..)) = result {
                    return Err(stop);
                }
            }
        }
        self.tags.searched.insert(root);
        Ok(())
    }

    /// The paths of sources that define tags.
    fn tag_sources(&self, src: SrcId, path: &mut Vec<PathStep>, out: &mut Vec<Vec<PathStep>>) {
        match &self.sources.nodes[src].kind {
            SrcKind::Value(_) | SrcKind::Broken(..) => {}
            SrcKind::Expr(expr) => {
                if self.defines_tag(*expr) {
                    out.push(path.clone());
                }
            }
            SrcKind::Map(map) => {
                if !map.marks.tags.is_empty() {
                    out.push(path.clone());
                }
                if map.marks.template {
                    return;
                }
                for (key, child) in &map.entries {
                    path.push(PathStep::Key(key.clone()));
                    self.tag_sources(*child, path, out);
                    path.pop();
                }
            }
            SrcKind::List(list) => {
                if !list.marks.tags.is_empty() {
                    out.push(path.clone());
                }
                if list.marks.template {
                    return;
                }
                let own = list.entries.iter().filter_map(|entry| match entry {
                    ListEntry::Node(src) => Some(*src),
                    ListEntry::Insert(_) => None,
                });
                for (at, child) in (0..).zip(own) {
                    path.push(PathStep::Index(at));
                    self.tag_sources(child, path, out);
                    path.pop();
                }
            }
        }
    }

    fn defines_tag(&self, expr: ExprId) -> bool {
        match &self.sources.exprs[expr] {
            Expr::Marked(markers, inner) => {
                let tagged =
                    markers.iter().any(|m| matches!(m, crate::syntax::ast::Marker::Tag(..)));
                tagged || inner.is_some_and(|e| self.defines_tag(e))
            }
            Expr::Call { callee, args, .. } => {
                let own = matches!(&self.sources.exprs[*callee], Expr::Ref(r)
                    if matches!(&r.path[..], [PathStep::Key(k)] if k == "tagdef"));
                own || args.iter().any(|a| self.defines_tag(a.value))
            }
            Expr::Group(e) | Expr::Prefer(e) => self.defines_tag(*e),
            Expr::Binary(_, a, b) => self.defines_tag(*a) || self.defines_tag(*b),
            _ => false,
        }
    }
}
