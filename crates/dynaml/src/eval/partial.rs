//! What is left of a document that cannot be resolved: values where there are some, expressions
//! as they are written elsewhere.

use super::Evaluator;
use super::tree::{Children, InstId, Memo, Reached};
use crate::load::SrcKind;
use crate::value::{Item, List, Map, Value};

impl Evaluator<'_> {
    /// A document as far as it could be resolved.
    pub fn partial(&self, root: InstId) -> Value {
        self.partial_item(root, 0).map(|i| i.value).unwrap_or_default()
    }

    fn partial_item(&self, id: InstId, depth: u32) -> Option<Item> {
        if let Memo::Done(Ok(done)) = &self.nodes[id].deep {
            return done.clone();
        }
        match &self.nodes[id].reached {
            Memo::Done(Ok(Reached::Value(item))) => Some(item.clone()),
            Memo::Done(Ok(Reached::Undefined)) => None,
            Memo::Done(Ok(Reached::Node(node, flags))) if *node != id => {
                let item = self.partial_item(*node, depth + 1)?;
                Some(Item { flags: item.flags.with(*flags), ..item })
            }
            Memo::Done(Ok(Reached::Node(_, flags))) if depth < super::MOST_NESTED => {
                Some(Item { value: self.partial_entries(id, depth), flags: *flags })
            }
            _ => Some(self.as_written(id).into()),
        }
    }

    fn partial_entries(&self, id: InstId, depth: u32) -> Value {
        let children = self.nodes[id].extra.as_ref().and_then(|e| e.children.as_ref());
        let Some(Memo::Done(Ok(children))) = children else { return self.as_written(id) };
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

    fn as_written(&self, id: InstId) -> Value {
        let src = self.source_of(id);
        if let Some(expr) = self.nodes[id].extra.as_ref().and_then(|e| e.again) {
            return Value::str(self.sources.shown(expr));
        }
        match (&self.nodes[id].body, &self.sources.nodes[src].kind) {
            (super::tree::Body::Value(item), _) => item.value.clone(),
            (super::tree::Body::Expr(expr, _), _) | (_, SrcKind::Expr(expr)) => {
                Value::str(self.sources.shown(*expr))
            }
            _ => self.source_value(src),
        }
    }
}
