//! The partial result of a document with unresolved parts: values where they are known, expressions
//! elsewhere.

use super::evaluator::{Env, Evaluator, Info};
use super::tree::{Body, Children, Memo, NodeLookup, Step};
use crate::diagnostics::stop::Stop;
use crate::ids::InstId;
use crate::load::SrcKind;
use crate::syntax::ast::{Arg, BinaryOp, Expr, ExprId};
use crate::value::{Item, List, Map, Value};

impl Evaluator<'_> {
    /// The partial result of a document.
    pub fn partial(&self, root: InstId) -> Item {
        self.partial_item(root, 0).unwrap_or_else(|| Value::Null.into())
    }

    /// The reduced form of an expression that waits: of alternatives the one it waits for, of
    /// conditions the chosen branch.
    pub(crate) fn rest_of(&mut self, expr: ExprId, env: &Env) -> ExprId {
        let changed = match self.sources.exprs[expr].clone() {
            Expr::Binary(op @ (BinaryOp::Or | BinaryOp::OrNull), a, b) => {
                let left = self.eval_defined(a, env, &mut Info::default());
                let gone = match left {
                    Err(Stop::Failed(_)) | Ok(None) => true,
                    Ok(Some(Value::Null)) => op == BinaryOp::OrNull,
                    _ => false,
                };
                return if gone { self.rest_of(b, env) } else { expr };
            }
            Expr::Cond(c, t, f) => {
                return match self.eval(c, env, &mut Info::default()) {
                    Ok(value) => self.rest_of(if value.truth() { t } else { f }, env),
                    Err(_) => expr,
                };
            }
            Expr::Group(e) | Expr::Prefer(e) | Expr::Marked(_, Some(e)) => {
                return self.rest_of(e, env);
            }
            Expr::Binary(op, a, b) => {
                Expr::Binary(op, self.rest_of_part(a, env), self.rest_of_part(b, env))
            }
            Expr::Not(e) => Expr::Not(self.rest_of_part(e, env)),
            Expr::Mapping(kind, source, lambda) => {
                Expr::Mapping(kind, self.rest_of_part(source, env), lambda)
            }
            Expr::List(items) => {
                let rest = items
                    .iter()
                    .map(|a| Arg { value: self.rest_of_part(a.value, env), ..a.clone() });
                Expr::List(rest.collect())
            }
            Expr::Call { callee, args, curry } if !self.is_lazy(callee) => {
                let rest = args
                    .iter()
                    .map(|a| Arg { value: self.rest_of_part(a.value, env), ..a.clone() });
                Expr::Call { callee, args: rest.collect(), curry }
            }
            _ => return expr,
        };
        let (start, end) = self.sources.exprs.span(expr);
        self.sources.exprs.push(changed, start as usize, end as usize)
    }

    fn rest_of_part(&mut self, expr: ExprId, env: &Env) -> ExprId {
        match self.eval(expr, env, &mut Info::default()) {
            Err(Stop::Blocked(_)) => self.rest_of(expr, env),
            _ => expr,
        }
    }

    fn partial_item(&self, id: InstId, depth: u32) -> Option<Item> {
        if let Memo::Done(Ok(done)) = &self.nodes[id].deep {
            return done.clone();
        }
        match &self.nodes[id].reached {
            Memo::Done(Ok(NodeLookup::Value(item))) => Some(item.clone()),
            Memo::Done(Ok(NodeLookup::Undefined)) => None,
            Memo::Done(Ok(NodeLookup::Node(node, flags))) if *node != id => {
                let item = self.partial_item(*node, depth + 1)?;
                Some(Item { flags: item.flags.with(*flags), ..item })
            }
            Memo::Done(Ok(NodeLookup::Node(_, flags))) if depth < crate::limits::MAX_NESTED => {
                Some(Item { value: self.partial_entries(id, depth), flags: *flags })
            }
            Memo::Done(Err(Stop::Blocked(_))) if depth < crate::limits::MAX_NESTED => {
                Some(self.open_control(id, depth).into())
            }
            _ => Some(self.as_written(id).into()),
        }
    }

    /// A control structure that waits, with the known values of its parts; anything else as
    /// written.
    fn open_control(&self, id: InstId, depth: u32) -> Value {
        let is_control = self.map_source(id).is_some_and(|map| map.control);
        let own = self.nodes[id].extra.as_ref().and_then(|e| e.own.as_ref());
        let Some(own) = own.filter(|_| is_control) else { return self.as_written(id) };
        let parts = own
            .iter()
            .filter_map(|(key, node)| Some((key.clone(), self.partial_item(*node, depth + 1)?)));
        Value::Map(Map::new(parts.collect()))
    }

    fn partial_entries(&self, id: InstId, depth: u32) -> Value {
        let children = self.nodes[id].extra.as_ref().and_then(|e| e.children.as_ref());
        let Some(Memo::Done(Ok(children))) = children else { return self.open_container(id) };
        match &**children {
            Children::Map(entries) => {
                let entries = entries.iter();
                let entries = entries
                    .filter_map(|(k, c)| Some((k.clone(), self.partial_item(*c, depth + 1)?)));
                Value::Map(Map::new(entries.collect()))
            }
            Children::List(entries, key, _) => {
                let items = entries.iter().filter_map(|c| self.partial_item(*c, depth + 1));
                Value::List(List::new(items.collect(), key.clone()))
            }
        }
    }

    /// A map or list with an open insert: as written, but the insert in the form of reports.
    fn open_container(&self, id: InstId) -> Value {
        let mut value = self.as_written(id);
        let inserts = self.nodes[id].extra.as_ref().map(|e| &e.inserts[..]).unwrap_or_default();
        for node in inserts {
            let Body::Src(src) = self.nodes[*node].body else { continue };
            if self.expr_of(*node).is_none() {
                continue;
            }
            let text = match self.sources.whole.get(&src) {
                Some(whole) => Value::str(self.sources.shown(*whole)),
                None => self.as_written(*node),
            };
            let key = self.sources.insert_key(src);
            match (&mut value, &self.nodes[*node].step) {
                (Value::Map(map), Step::Insert) => {
                    let own = map.entries().iter().filter(|(name, _)| name != key).cloned();
                    let entries = own.chain([(key.into(), text.into())]).collect();
                    *map = Map::new(entries);
                }
                (Value::List(list), Step::InsertAt(n)) => {
                    let mut items = list.items.clone();
                    if let Some(item) = items.get_mut(*n as usize) {
                        let entry = (key.into(), text.into());
                        *item = Value::Map(Map::new(vec![entry])).into();
                    }
                    *list = List::new(items, list.key.clone());
                }
                _ => {}
            }
        }
        value
    }

    fn as_written(&self, id: InstId) -> Value {
        let src = self.source_of(id);
        if let Some(expr) = self.nodes[id].extra.as_ref().and_then(|e| e.again) {
            return Value::str(self.sources.shown(expr));
        }
        match (&self.nodes[id].body, &self.sources.nodes[src].kind) {
            (Body::Value(item), _) => item.value.clone(),
            (Body::Expr(expr, _), _) | (_, SrcKind::Expr(expr)) => {
                Value::str(self.sources.shown(*expr))
            }
            _ => self.source_value(src),
        }
    }
}
