//! From [`Tree`] to [`Value`]: aliases, merge keys, repeated keys, and the budget.
//!
//! The target of an alias is built once and shared, so nested aliases cost neither time nor memory
//! here. They are still counted, because later walks of the value visit each of them.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::budget::Budget;
use super::error::{Error, ScalarError};
use super::schema::Schema;
use super::tree::{Kind, NodeId, Style, Tree};
use crate::{Map, Value};

/// The size of a value when its aliases are followed.
#[derive(Clone, Copy)]
struct Size {
    nodes: u64,
    depth: u32,
}

struct Builder<'t> {
    tree: &'t Tree,
    schema: Schema,
    budget: Budget,
    /// The maximum number of nodes that the document may stand for.
    limit: u64,
    /// The number of nodes that merge keys have copied so far.
    merged: u64,
    shared: FxHashMap<NodeId, (Value, Size)>,
}

impl Tree {
    /// The plain data of the document, within the default [`Budget`].
    ///
    /// # Errors
    /// When the schema refuses a value, or the budget is exhausted.
    pub fn value(&self, schema: Schema) -> Result<Value, Error> {
        self.value_within(schema, Budget::default())
    }

    /// The plain data of the document, within a budget.
    ///
    /// # Errors
    /// When the schema refuses a value, or the budget is exhausted.
    pub fn value_within(&self, schema: Schema, budget: Budget) -> Result<Value, Error> {
        value(self, schema, budget)
    }
}

fn value(tree: &Tree, schema: Schema, budget: Budget) -> Result<Value, Error> {
    if let (true, Some(error)) = (schema.is_ruby(), &tree.refused) {
        return Err(Error::clone(error));
    }
    let Some(root) = tree.root() else { return Ok(Value::Null) };
    let limit = budget.nodes.saturating_add(tree.len() as u64);
    let mut builder =
        Builder { tree, schema, budget, limit, merged: 0, shared: FxHashMap::default() };
    Ok(builder.node(root)?.0)
}

impl Builder<'_> {
    fn node(&mut self, id: NodeId) -> Result<(Value, Size), Error> {
        let node = self.tree.node(id);
        let built = match &node.kind {
            Kind::Scalar(text, style) => {
                (self.scalar(id, text, *style)?, Size { nodes: 1, depth: 0 })
            }
            Kind::List => self.list(id)?,
            Kind::Map => self.map(id)?,
            Kind::Alias(target) => match self.shared.get(target) {
                Some((value, size)) => (value.clone(), *size),
                None => return self.fail(id, "Unknown alias"),
            },
        };
        self.check(id, built.1)?;
        if self.tree.is_shared(id) {
            self.shared.insert(id, built.clone());
        }
        Ok(built)
    }

    fn refused(&self, id: NodeId, error: ScalarError) -> Error {
        self.tree.error(self.tree.node(id).span, error.message).with_kind(error.kind)
    }

    fn fail<T>(&self, id: NodeId, message: impl Into<String>) -> Result<T, Error> {
        Err(self.tree.error(self.tree.node(id).span, message))
    }

    fn check(&self, id: NodeId, size: Size) -> Result<(), Error> {
        if size.depth > self.budget.depth {
            let message = format!("the values are nested more than {} deep", self.budget.depth);
            return self.fail(id, message);
        }
        if size.nodes.saturating_add(self.merged) > self.limit {
            let message = format!(
                "the aliases of this document stand for more than {} values",
                self.budget.nodes
            );
            return self.fail(id, message);
        }
        Ok(())
    }

    fn scalar(&self, id: NodeId, text: &ecow::EcoString, style: Style) -> Result<Value, Error> {
        let plain = style == Style::Plain;
        let result = match self.tree.tag(id) {
            Some(tag) => self.schema.tagged(tag, text, plain),
            None if plain => match self.schema.plain(text) {
                // The text is shared with the tree then.
                Ok(Value::Str(s)) if s == *text => Ok(Value::Str(text.clone())),
                other => other,
            },
            None => Ok(Value::Str(text.clone())),
        };
        result.map_err(|error| self.refused(id, error))
    }

    fn container_tag(&self, id: NodeId, is_map: bool) -> Result<(), Error> {
        let Some(tag) = self.tree.tag(id) else { return Ok(()) };
        self.schema.check_container_tag(tag, is_map).map_err(|error| self.refused(id, error))
    }

    fn list(&mut self, id: NodeId) -> Result<(Value, Size), Error> {
        self.container_tag(id, false)?;
        let tree = self.tree;
        let mut items = Vec::new();
        let mut size = Size { nodes: 1, depth: 0 };
        for child in tree.children(id) {
            let (item, below) = self.node(child)?;
            size = size.with(below);
            self.check(child, size)?;
            items.push(item);
        }
        if self.is_ordered_map(id) {
            return Ok((ordered_map(&items), size));
        }
        Ok((Value::List(Arc::new(items)), size))
    }

    fn is_ordered_map(&self, id: NodeId) -> bool {
        matches!(self.tree.tag(id), Some("!omap" | "tag:yaml.org,2002:omap"))
    }

    fn map(&mut self, id: NodeId) -> Result<(Value, Size), Error> {
        self.container_tag(id, true)?;
        let tree = self.tree;
        let mut map = Map::default();
        let mut size = Size { nodes: 1, depth: 0 };
        for (key_id, value_id) in tree.entries(id) {
            let (key, key_size) = self.node(key_id)?;
            let (value, value_size) = self.node(value_id)?;
            size = size.with(key_size).with(value_size);
            self.check(value_id, size)?;
            if !self.merge(&mut map, key_id, &key, value_id, &value)? {
                map.insert(key, value);
            }
        }
        Ok((self.tagged_map(id, map), size))
    }

    /// Merges the value of a merge key; `false` if it cannot be merged.
    fn merge(
        &mut self,
        map: &mut Map,
        key_id: NodeId,
        key: &Value,
        value_id: NodeId,
        value: &Value,
    ) -> Result<bool, Error> {
        let Some("<<") = key.as_str() else { return Ok(false) };
        let plain = matches!(self.tree.node(key_id).kind, Kind::Scalar(_, Style::Plain));
        if !self.schema.is_merge_key("<<", self.tree.tag(key_id), plain) {
            return Ok(false);
        }
        // Ruby merges the maps of a list only if it is not an alias.
        let is_alias = matches!(self.tree.node(value_id).kind, Kind::Alias(_));
        let as_map = |value| Value::as_map(value).filter(|map| !self.schema.is_symbol(map));
        let sources: Vec<&Map> = match value {
            Value::Map(source) if !self.schema.is_symbol(source) => vec![source],
            Value::List(items) if !(is_alias && self.schema.is_ruby()) => {
                match items.iter().map(as_map).collect::<Option<Vec<_>>>() {
                    Some(maps) => maps,
                    None => return Ok(false),
                }
            }
            _ => return Ok(false),
        };
        let copied: usize = sources.iter().map(|m| m.len()).sum();
        self.merged = self.merged.saturating_add(copied as u64);
        self.check(value_id, Size { nodes: 0, depth: 0 })?;
        if self.schema.is_ruby() {
            merge_over(map, &sources);
        } else {
            merge_under(map, &sources);
        }
        Ok(true)
    }

    /// A map with the tag of a string becomes the text under its key `str`.
    fn tagged_map(&self, id: NodeId, map: Map) -> Value {
        let is_text = self.schema.is_ruby()
            && matches!(self.tree.tag(id), Some("!str" | "!ruby/string" | "tag:yaml.org,2002:str"));
        match map.get(&crate::value::Key("str")) {
            Some(text) if is_text => text.clone(),
            _ => Value::Map(Arc::new(map)),
        }
    }
}

impl Size {
    fn with(self, child: Size) -> Size {
        Size {
            nodes: self.nodes.saturating_add(child.nodes),
            depth: self.depth.max(child.depth.saturating_add(1)),
        }
    }
}

/// Merged keys win over earlier keys, later keys win over merged ones, and the first of several
/// merged maps wins.
fn merge_over(map: &mut Map, sources: &[&Map]) {
    let mut all = Map::default();
    for source in sources.iter().rev() {
        all.extend(source.iter().map(|(k, v)| (k.clone(), v.clone())));
    }
    map.extend(all);
}

/// Keys of the map itself win wherever they are; of several maps the first wins.
fn merge_under(map: &mut Map, sources: &[&Map]) {
    for source in sources {
        for (k, v) in *source {
            map.entry(k.clone()).or_insert_with(|| v.clone());
        }
    }
}

/// A list of maps with one entry each, as one map.
fn ordered_map(items: &[Value]) -> Value {
    let entries = items.iter().filter_map(Value::as_map).filter_map(|m| m.iter().next());
    Value::Map(Arc::new(entries.map(|(k, v)| (k.clone(), v.clone())).collect()))
}
