//! References: names in scopes, and paths into nodes and values.

use std::rc::Rc;

use ecow::EcoString;

use super::evaluator::{Env, Evaluator};
use super::tree::{Body, Children, Memo, NodeLookup};
use crate::diagnostics::stop::{Eval, Stop};
use crate::ids::{InstId, NOWHERE};
use crate::load::{MapSrc, SrcKind};
use crate::path::find_step;
use crate::syntax::ast::{Expr, ExprId, PathStep, Reference};
use crate::syntax::print::print_path;
use crate::value::{Bound, Flags, Item, Lambda, Value};

/// The target of a reference, or a part of its path.
#[derive(Clone, Debug)]
pub enum Resolved {
    /// A node.
    Node(InstId),
    /// A value.
    Value(Item),
}

impl From<Bound> for Resolved {
    fn from(bound: Bound) -> Self {
        match bound {
            Bound::Value(item) => Self::Value(item),
            Bound::Node(id) => Self::Node(id),
        }
    }
}

/// The extent to which a reference waits for its target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Depth {
    /// All below it.
    Deep,
    /// Its kind and its entries.
    Shape,
}

impl Evaluator<'_> {
    /// The value of a reference.
    pub(crate) fn reference(&mut self, reference: &Reference, env: &Env) -> Eval<Item> {
        let spot = self.resolve(reference, env, Depth::Deep)?;
        self.resolved_value(spot, || full_path(reference))
    }

    /// The target of a reference.
    ///
    /// References lead to references, so this function and its callees use little stack.
    pub(crate) fn resolve(
        &mut self,
        reference: &Reference,
        env: &Env,
        depth: Depth,
    ) -> Eval<Resolved> {
        match self.locate(reference, env)? {
            Resolved::Node(id) => self.arrive(id, depth, || full_path(reference)),
            value @ Resolved::Value(_) => Ok(value),
        }
    }

    /// Follows the path of a reference.
    #[inline(never)]
    fn locate(&mut self, reference: &Reference, env: &Env) -> Eval<Resolved> {
        let path = &reference.path[..];
        let (mut spot, rest) = if let Some(outer) = self.outer_reference(reference, env) {
            (Resolved::Node(outer), 3)
        } else if let Some(tag) = &reference.tag {
            let tag = tag.clone();
            (self.tagged(&tag, reference, env)?, 0)
        } else if reference.absolute {
            self.absolute_start(path, env)
        } else {
            match path.first() {
                Some(PathStep::Key(name)) => match self.look_up(name, env)? {
                    Some(spot) => {
                        let next = self.special_path(name, &spot, path, env)?;
                        match next {
                            Some(spot) => (spot, path.len()),
                            None => (spot, 1),
                        }
                    }
                    None => return Err(not_found(&shown(reference, 1))),
                },
                _ => return Err(not_found(&shown(reference, 1))),
            }
        };
        for (n, step) in path.iter().enumerate().skip(rest) {
            spot = match self.step_into(&spot, step, || shown(reference, n))? {
                Some(next) => next,
                None => return Err(not_found(&shown(reference, n + 1))),
            };
        }
        Ok(spot)
    }

    /// Evaluates the target node of a reference as far as the context needs.
    fn arrive(&mut self, id: InstId, depth: Depth, shown: impl Fn() -> String) -> Eval<Resolved> {
        match self.reach(id) {
            Ok(NodeLookup::Value(item)) => Ok(Resolved::Value(item)),
            Ok(NodeLookup::Undefined) => Err(not_found(&shown())),
            Ok(NodeLookup::Node(node, flags)) => self.arrive_at(id, node, flags, depth, shown),
            Err(stop @ Stop::Suspend(..)) => Err(stop),
            Err(stop) => Err(self.unresolved(stop, id, &shown())),
        }
    }

    /// A reference has led to a map or list.
    #[inline(never)]
    fn arrive_at(
        &mut self,
        id: InstId,
        node: InstId,
        flags: Flags,
        depth: Depth,
        shown: impl Fn() -> String,
    ) -> Eval<Resolved> {
        if depth == Depth::Shape {
            self.children(node).map_err(|s| self.incomplete(s, node, &shown()))?;
            return Ok(Resolved::Node(node));
        }
        match self.deep(id) {
            Ok(Some(item)) => Ok(Resolved::Value(Item { flags: item.flags.with(flags), ..item })),
            Ok(None) => Err(not_found(&shown())),
            Err(stop @ Stop::Suspend(..)) => Err(stop),
            Err(_) => Err(Stop::unresolved(shown(), None, false)),
        }
    }

    /// The finished value of a resolved reference.
    pub(crate) fn resolved_value(
        &mut self,
        spot: Resolved,
        shown: impl Fn() -> String,
    ) -> Eval<Item> {
        match spot {
            Resolved::Value(item) => Ok(item),
            Resolved::Node(id) => match self.arrive(id, Depth::Deep, shown)? {
                Resolved::Value(item) => Ok(item),
                Resolved::Node(_) => Err(Stop::silent()),
            },
        }
    }

    /// The block of an expression that needs a node without a value.
    pub(crate) fn unresolved(&self, stop: Stop, id: InstId, path: &str) -> Stop {
        match stop {
            Stop::Suspend(..) => stop,
            Stop::Failed(_) => Stop::unresolved(path, Some(id), true),
            Stop::Blocked(b) => Stop::unresolved(path, Some(id), b.failed),
        }
    }

    /// The block of an expression that needs the unknown entries of a map or list.
    pub(crate) fn incomplete(&self, stop: Stop, id: InstId, path: &str) -> Stop {
        match stop {
            Stop::Suspend(..) => stop,
            _ => Stop::incomplete(path, id),
        }
    }

    #[inline(never)]
    fn absolute_start(&mut self, path: &[PathStep], env: &Env) -> (Resolved, usize) {
        let root = self.root(env.place);
        if let Some(PathStep::Key(key)) = path.first()
            && key == "__map"
        {
            let mut at = env.place;
            while at != NOWHERE {
                if self.is_map_node(at) && self.nodes[at].parent != NOWHERE {
                    let outer = self.enclosing_list_only(at);
                    if outer {
                        return (Resolved::Node(at), 1);
                    }
                }
                at = self.nodes[at].parent;
            }
            return (Resolved::Node(root), 1);
        }
        (Resolved::Node(root), 0)
    }

    /// Whether all ancestors of a node are lists.
    fn enclosing_list_only(&self, id: InstId) -> bool {
        let mut at = self.nodes[id].parent;
        while at != NOWHERE {
            if self.is_map_node(at) {
                return false;
            }
            at = self.nodes[at].parent;
        }
        true
    }

    /// Whether a node is written as a map.
    pub(crate) fn is_map_node(&self, id: InstId) -> bool {
        match &self.nodes[id].body {
            Body::Src(src) => matches!(
                &self.sources.nodes[*src].kind,
                SrcKind::Map(_) | SrcKind::Value(Item { value: Value::Map(_), .. })
            ),
            Body::Value(item) => matches!(item.value, Value::Map(_)),
            Body::Expr(..) => false,
        }
    }

    /// The value of a name, innermost scope first.
    pub(crate) fn look_up(&mut self, name: &str, env: &Env) -> Eval<Option<Resolved>> {
        if name == "__ctx" {
            return Ok(Some(Resolved::Value(self.context(env).into())));
        }
        if let Some(bound) = env.locals.get(name).or_else(|| env.caller.get(name)) {
            return Ok(Some(bound.clone().into()));
        }
        self.look_up_around(env.place, name)
    }

    /// The value of a name in the maps around a node.
    pub(crate) fn look_up_around(&mut self, place: InstId, name: &str) -> Eval<Option<Resolved>> {
        let mut place = place;
        loop {
            if let Some(found) = self.look_up_inside(place, name)? {
                return Ok(Some(found));
            }
            let root = self.root(place);
            match self.outer.get(&root) {
                Some(outer) => place = *outer,
                None => return Ok(None),
            }
        }
    }

    /// The value of a name in the maps around a node in its own document.
    fn look_up_inside(&mut self, place: InstId, name: &str) -> Eval<Option<Resolved>> {
        let mut at = place;
        loop {
            if let Some(bound) =
                self.nodes[at].extra.as_ref().and_then(|e| e.scope.as_ref()?.get(name))
            {
                return Ok(Some(bound.clone().into()));
            }
            let parent = self.nodes[at].parent;
            if parent == NOWHERE {
                break;
            }
            if self.is_map_node(parent)
                && let Some(child) = self.scope_entry(parent, name)?
            {
                return Ok(Some(Resolved::Node(child)));
            }
            at = parent;
        }
        let document = self.document(place);
        Ok(document.bindings.get(name).cloned().map(Resolved::from))
    }

    /// The entry of a map under a name, unless it is undefined.
    fn scope_entry(&mut self, map: InstId, name: &str) -> Eval<Option<InstId>> {
        let own = self.own_entries(map);
        let child = match super::maps::find(&own, name) {
            Some(child) => Some(child),
            None => match self.nodes[map].extra.as_ref().and_then(|e| e.children.as_ref()) {
                Some(Memo::Done(Ok(children))) => match &**children {
                    Children::Map(entries) => super::maps::find(entries, name),
                    Children::List(..) => None,
                },
                _ => None,
            },
        };
        let Some(child) = child else { return Ok(None) };
        if self.may_be_undefined(child) {
            if let Memo::Busy = self.nodes[child].reached {
                return Ok(Some(child));
            }
            match self.reach(child) {
                Ok(NodeLookup::Undefined) => return Ok(None),
                Err(stop) if stop.is_suspend() => return Err(stop),
                _ => {}
            }
        }
        Ok(Some(child))
    }

    /// Whether the expression of a node can make it undefined.
    pub(crate) fn may_be_undefined(&self, id: InstId) -> bool {
        match &self.nodes[id].body {
            Body::Src(src) => match &self.sources.nodes[*src].kind {
                SrcKind::Expr(expr) => self.can_give_undefined(*expr),
                SrcKind::Map(map) => map.control || self.insert_may_be_undefined(map),
                _ => false,
            },
            Body::Expr(expr, _) => self.can_give_undefined(*expr),
            Body::Value(_) => false,
        }
    }

    /// Whether the insert of a map can make the map undefined.
    pub(crate) fn insert_may_be_undefined(&self, map: &MapSrc) -> bool {
        map.insert.is_some_and(|insert| match &self.sources.nodes[insert].kind {
            SrcKind::Expr(expr) => self.can_give_undefined(*expr),
            _ => false,
        })
    }

    fn can_give_undefined(&self, expr: ExprId) -> bool {
        match &self.sources.exprs[expr] {
            Expr::Undefined | Expr::Instantiate(_) | Expr::Call { .. } => true,
            Expr::Binary(_, a, b) => self.can_give_undefined(*a) || self.can_give_undefined(*b),
            Expr::Cond(_, t, f) => self.can_give_undefined(*t) || self.can_give_undefined(*f),
            Expr::Group(e) | Expr::Not(e) | Expr::Prefer(e) | Expr::Scope(_, e) => {
                self.can_give_undefined(*e)
            }
            Expr::Marked(_, Some(e)) => self.can_give_undefined(*e),
            Expr::List(items) => items.iter().any(|i| self.can_give_undefined(i.value)),
            Expr::Sum(_, init, lambda) => {
                self.can_give_undefined(*init) || self.can_give_undefined(*lambda)
            }
            Expr::Lambda(_) => false,
            _ => false,
        }
    }

    /// One step down; `None` if there is no such entry.
    pub(crate) fn step_into(
        &mut self,
        spot: &Resolved,
        step: &PathStep,
        shown: impl Fn() -> String,
    ) -> Eval<Option<Resolved>> {
        let id = match spot {
            Resolved::Value(item) => return self.step_into_value(item, step),
            Resolved::Node(id) => *id,
        };
        let node = match self.reach(id) {
            Ok(NodeLookup::Value(item)) => return self.step_into_value(&item, step),
            Ok(NodeLookup::Undefined) => return Ok(None),
            Ok(NodeLookup::Node(node, _)) => node,
            Err(stop @ Stop::Suspend(..)) => return Err(stop),
            Err(stop) => return Err(self.unresolved(stop, id, &shown())),
        };
        let children = match self.children(node) {
            Ok(children) => children,
            Err(stop) => {
                return match self.known_position(node, step) {
                    Some(entry) => Ok(Some(Resolved::Node(entry))),
                    None => Err(self.incomplete(stop, node, &shown())),
                };
            }
        };
        let child = match (&*children, step) {
            (Children::Map(entries), PathStep::Key(key)) => super::maps::find(entries, key),
            (Children::List(entries, ..), PathStep::Index(n)) => {
                crate::value::position(*n, entries.len()).map(|at| entries[at])
            }
            (Children::List(entries, key, names), PathStep::Key(text)) => {
                self.list_entry(entries, key.as_deref(), names, text)?
            }
            _ => None,
        };
        let Some(child) = child else { return Ok(None) };
        if self.may_be_undefined(child) {
            match self.reach(child) {
                Ok(NodeLookup::Undefined) => return Ok(None),
                Err(stop) if stop.is_suspend() => return Err(stop),
                _ => {}
            }
        }
        Ok(Some(Resolved::Node(child)))
    }

    /// The entry of a list whose keys are being evaluated.
    fn known_position(&self, list: InstId, step: &PathStep) -> Option<InstId> {
        let known = self.nodes[list].extra.as_ref()?.positions.as_ref()?;
        match step {
            PathStep::Index(n) => {
                crate::value::position(*n, known.entries.len()).map(|at| known.entries[at])
            }
            PathStep::Key(text) => known.names.get(text).copied(),
        }
    }

    fn list_entry(
        &mut self,
        entries: &[InstId],
        key: Option<&str>,
        names: &rustc_hash::FxHashMap<EcoString, InstId>,
        text: &str,
    ) -> Eval<Option<InstId>> {
        let declared = key.unwrap_or("name");
        let (field, wanted) = text.split_once(':').unwrap_or((declared, text));
        if field == declared {
            if let Some(found) = names.get(wanted) {
                return Ok(Some(*found));
            }
            if names.len() == entries.len() && !entries.is_empty() {
                return Ok(None);
            }
        }
        let found = self.search_list(entries, field, wanted)?;
        let by_number = || text.parse().ok().and_then(|n: usize| entries.get(n).copied());
        Ok(found.or_else(by_number))
    }

    fn step_into_value(&mut self, item: &Item, step: &PathStep) -> Eval<Option<Resolved>> {
        match find_step(item, step) {
            Some(found) => Ok(Some(Resolved::Value(found.clone()))),
            None => Ok(None),
        }
    }

    /// `_.x`, `__.x` and `___.x`: names from the place of a lambda or template, from the node
    /// of the expression, and from outside the document.
    #[inline(never)]
    fn special_path(
        &mut self,
        name: &str,
        spot: &Resolved,
        path: &[PathStep],
        _env: &Env,
    ) -> Eval<Option<Resolved>> {
        let (true, Some(PathStep::Key(next))) = (name == "_", path.get(1)) else {
            return Ok(None);
        };
        let place = match spot {
            Resolved::Value(Item { value: Value::Lambda(lambda), .. }) => lambda.place,
            Resolved::Value(Item { value: Value::Template(template), .. }) => template.place,
            _ => return Ok(None),
        };
        let shown = |n: usize| print_path(&path[..n.min(path.len())]);
        let captured = match spot {
            Resolved::Value(Item { value: Value::Lambda(lambda), .. }) => {
                lambda.captured.get(next).cloned()
            }
            _ => None,
        };
        let found = match captured {
            Some(bound) => Some(bound.into()),
            None => self.look_up_around(place, next)?,
        };
        let found = match (found, spot) {
            (None, Resolved::Value(Item { value: Value::Lambda(lambda), .. })) => {
                self.around_lambda(lambda, next)?
            }
            (found, _) => found,
        };
        let Some(mut at) = found else {
            return Err(Stop::not_found(shown(2)));
        };
        for (n, step) in path.iter().enumerate().skip(2) {
            at = match self.step_into(&at, step, || shown(n))? {
                Some(next) => next,
                None => return Err(Stop::not_found(shown(n + 1))),
            };
        }
        Ok(Some(at))
    }

    /// A name in the scope of the lambdas around a lambda's definition, the inner ones first.
    fn around_lambda(&mut self, lambda: &Rc<Lambda>, name: &str) -> Eval<Option<Resolved>> {
        let mut at = Rc::clone(lambda);
        loop {
            let outer = match at.captured.get("_") {
                Some(Bound::Value(Item { value: Value::Lambda(outer), .. })) => Rc::clone(outer),
                _ => return Ok(None),
            };
            if let Some(found) = self.look_up_around(outer.place, name)? {
                return Ok(Some(found));
            }
            at = outer;
        }
    }

    /// The map under `__ctx`.
    #[inline(never)]
    fn context(&mut self, env: &Env) -> Value {
        let path = self.context_path(env.place);
        let file = self.document(env.place).file.clone();
        let (dir, resolved, resolved_dir) = self.file_names(&file);
        let bindings = self.bindings_value(env.place);
        let stub_path = self.stub_path(env.place);
        let stub_path = stub_path.split('.').filter(|s| !s.is_empty()).map(Value::str);
        let mut entries = vec![
            ("FILE", Value::Str(file)),
            ("DIR", Value::Str(dir)),
            ("RESOLVED_FILE", Value::Str(resolved)),
            ("RESOLVED_DIR", Value::Str(resolved_dir)),
            ("PATHNAME", Value::str(path.join("."))),
            ("PATH", Value::list(path.into_iter().map(Value::Str))),
            ("STUBPATH", Value::list(stub_path)),
            ("VERSION", Value::str(crate::VERSION)),
        ];
        match bindings {
            Some(bindings) => {
                entries.push(("OUTER", Value::list([bindings.clone()])));
                entries.push(("BINDINGS", bindings));
            }
            None => entries.push(("BINDINGS", Value::list([]))),
        }
        Value::map(entries)
    }

    /// The root of the document that `__ctx.OUTER.[n]` refers to.
    #[inline(never)]
    fn outer_reference(&self, reference: &Reference, env: &Env) -> Option<InstId> {
        let [PathStep::Key(ctx), PathStep::Key(outer), PathStep::Index(n), ..] =
            &reference.path[..]
        else {
            return None;
        };
        if ctx != "__ctx" || outer != "OUTER" || reference.absolute || reference.tag.is_some() {
            return None;
        }
        let mut root = self.root(env.place);
        for _ in 0..=*n {
            root = self.root(*self.outer.get(&root)?);
        }
        Some(root)
    }

    /// The bindings of the outermost document around a node.
    fn bindings_value(&self, place: InstId) -> Option<Value> {
        let mut root = self.root(place);
        while let Some(outer) = self.outer.get(&root) {
            root = self.root(*outer);
        }
        let names = self.document(root).bindings.names();
        (!names.is_empty()).then(|| Value::Map(crate::value::Map::new(names)))
    }

    fn file_names(&self, file: &str) -> (EcoString, EcoString, EcoString) {
        let dir = |path: &str| -> EcoString {
            match path.rsplit_once('/') {
                Some(("", _)) => "/".into(),
                Some((dir, _)) => dir.into(),
                None => ".".into(),
            }
        };
        let resolved = self.world.resolve(std::path::Path::new(file));
        let resolved: EcoString =
            resolved.map_or_else(|| file.into(), |p| p.to_string_lossy().into_owned().into());
        (dir(file), resolved.clone(), dir(&resolved))
    }
}

/// A reference as it is shown.
pub fn full_path(reference: &Reference) -> String {
    shown(reference, reference.path.len())
}

/// The first steps of a reference for messages.
fn shown(reference: &Reference, count: usize) -> String {
    let dot = if reference.absolute { "." } else { "" };
    format!("{dot}{}", print_path(&reference.path[..count.min(reference.path.len())]))
}

#[cold]
fn not_found(shown: &str) -> Stop {
    Stop::not_found(shown)
}
