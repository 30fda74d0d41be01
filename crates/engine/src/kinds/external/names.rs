//! Names of kinds and attributes that are only known at run time. They live as long as the process;
//! equal ones are stored once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use ordain_kinds::{AttributeSchema, AttributeType, KindSchema};

use super::provider::KindDescription;

static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
static SCHEMAS: Mutex<BTreeMap<String, &'static KindSchema>> = Mutex::new(BTreeMap::new());

/// A name that lives as long as the process.
pub(super) fn interned(name: &str) -> &'static str {
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.get(name) {
        return known;
    }
    let name = Box::leak(name.to_string().into_boxed_str());
    names.insert(name);
    name
}

/// The schema of a kind.
pub(super) fn schema(kind: &KindDescription) -> &'static KindSchema {
    let KindDescription { name, doc, name_attribute, attributes, is_open, .. } = kind;
    let key = format!("{name}\0{doc}\0{name_attribute}\0{is_open}\0{attributes:?}");
    let mut schemas = SCHEMAS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = schemas.get(&key) {
        return known;
    }
    let any = |name: &str, doc: &str| {
        AttributeSchema::new(interned(name), AttributeType::Any, interned(doc))
    };
    let mut all = vec![any(name_attribute, "Its name")];
    all.extend(attributes.iter().map(|(name, doc)| any(name, doc)));
    let schema = KindSchema {
        is_open: *is_open,
        ..KindSchema::new(interned(name), interned(doc), Vec::leak(all))
    };
    let schema: &'static KindSchema = Box::leak(Box::new(schema));
    schemas.insert(key, schema);
    schema
}
