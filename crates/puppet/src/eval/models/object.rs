//! Features that a type with features inherits from an `Object[...]` type.

use std::sync::Arc;

use crate::types::models::{Feature, FeatureKind, Layout, Multiplicity, Slot, ValueType};
use crate::types::{AttributeRole, ObjectAttribute, ObjectType, Type};
use crate::value::Value;

/// Makes the attributes of an object type the first features of a type. Computed attributes are
/// left out, because their code is not in the language.
pub(super) fn inherit(layout: &mut Layout, parent: &ObjectType) {
    for (name, attribute) in parent.all_attributes() {
        if attribute.role == AttributeRole::Derived {
            continue;
        }
        layout.index.insert(name, layout.slots.len());
        layout.defaults.push(attribute.value.clone().filter(|value| *value != Value::Undef));
        layout.slots.push(Arc::new(slot(attribute, parent)));
    }
}

fn slot(attribute: ObjectAttribute, parent: &ObjectType) -> Slot {
    let is_optional = attribute.value.is_some()
        || attribute.role == AttributeRole::GivenOrDerived
        || matches!(attribute.kind, Type::Optional(_));
    let kind = ValueType::Other(attribute.kind.to_string().into());
    let feature = Feature {
        multiplicity: Multiplicity { lower: i64::from(!is_optional), upper: Some(1) },
        setable: attribute.role != AttributeRole::Constant,
        ..Feature::new(attribute.name, FeatureKind::Attribute(kind))
    };
    Slot {
        owner: parent.name.clone(),
        kind: attribute.kind,
        target: Default::default(),
        is_many: false,
        check: None,
        derived: None,
        set: None,
        get: None,
        feature,
    }
}
