//! Documents as written: values without evaluation. `diff` and `convert` read documents this way,
//! and so do files of bindings and state.

use ordain_data::yaml::{Kind, NodeId, Tree};
use rustc_hash::FxHashMap;

use ordain_source::budget;

use crate::limits::MAX_NODES;
use crate::load::{LoadError, LoadErrorKind, key_text, scalar_value};
use crate::value::{Item, List, Map, Value};

/// All documents of a text; an empty text is one empty document.
///
/// # Errors
/// When the text is invalid YAML, a key is not a text, or aliases expand to too many nodes.
pub fn read(text: &str) -> Result<Vec<Value>, LoadError> {
    let trees = Tree::parse_all(text).map_err(|e| LoadError::yaml(text, &e))?;
    if trees.is_empty() {
        return Ok(vec![Value::Null]);
    }
    trees.iter().map(value).collect()
}

/// The value of a document.
///
/// # Errors
/// When a key is not a text, or aliases expand to too many nodes.
pub fn value(tree: &Tree) -> Result<Value, LoadError> {
    let mut reader = Reader { tree, shared: FxHashMap::default() };
    tree.root().map_or(Ok(Value::Null), |root| reader.node(root))
}

struct Reader<'t> {
    tree: &'t Tree,
    shared: FxHashMap<NodeId, Value>,
}

impl Reader<'_> {
    fn node(&mut self, id: NodeId) -> Result<Value, LoadError> {
        let node = self.tree.node(id);
        let fail =
            |message: &str| Err(LoadError::new(LoadErrorKind::Aliases, message.into(), node.span));
        let value = match &node.kind {
            Kind::Scalar(text, style) => scalar_value(self.tree, id, text, *style),
            Kind::List => {
                let children: Vec<NodeId> = self.tree.children(id).collect();
                let items = children.into_iter().map(|c| self.node(c).map(Item::from));
                Value::List(List::new(items.collect::<Result<_, _>>()?, None))
            }
            Kind::Map => {
                let children: Vec<_> = self.tree.entries(id).collect();
                let mut entries = Vec::with_capacity(children.len());
                for (key, value) in children {
                    entries.push((key_text(self.tree, key)?, self.node(value)?.into()));
                }
                Value::Map(Map::new(entries))
            }
            Kind::Alias(target) => match self.shared.get(target) {
                Some(value) => value.clone(),
                None => return fail("the alias stands for something that contains it"),
            },
        };
        if value.weight().nodes > budget::scaled(MAX_NODES) + self.tree.len() as u64 {
            return fail("the aliases of this document stand for too many values");
        }
        if self.tree.is_shared(id) {
            self.shared.insert(id, value.clone());
        }
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn nothing_is_evaluated() {
        let read = read("a: (( b ))\n<<: (( merge ))\n---\n- &x 0755\n- *x\n").unwrap();
        let [Value::Map(first), Value::List(second)] = &read[..] else { panic!("{read:?}") };
        assert_eq!(first.get("a").unwrap().value.as_str().unwrap(), "(( b ))");
        assert!(first.get("<<").is_some());
        assert!(second.items.iter().all(|i| matches!(i.value, Value::Int(493))));
    }

    #[test]
    fn aliases_stand_for_a_bounded_number_of_values() {
        let mut text = String::from("a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n");
        for n in 1..12 {
            let before = format!("*a{}", n - 1);
            text += &format!("a{n}: &a{n} [{}]\n", vec![before; 10].join(", "));
        }
        assert!(read(&text).unwrap_err().message.contains("too many values"));
    }
}
