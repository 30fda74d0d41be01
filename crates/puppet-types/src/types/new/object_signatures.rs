//! The signatures by which instances of object types are made.

use crate::types::signature::{Signature, SignatureParam};
use crate::types::{AttributeRole, ObjectAttribute, ObjectType, StructMember, Type};

/// Attributes that may be given when an instance is made.
fn settable(object: &ObjectType) -> impl Iterator<Item = ObjectAttribute> {
    let all = object.all_attributes().into_values();
    all.filter(|a| !matches!(a.role, AttributeRole::Constant | AttributeRole::Derived))
}

/// Attributes that are given when an instance is made, those without a value first.
pub(super) fn given_attributes(object: &ObjectType) -> Vec<ObjectAttribute> {
    let (mut required, optional): (Vec<_>, Vec<_>) =
        settable(object).partition(|a| !is_optional(a));
    required.extend(optional);
    required
}

fn is_optional(attribute: &ObjectAttribute) -> bool {
    attribute.value.is_some()
}

/// The type of the hash of an instance's attributes.
pub(super) fn hash_type(object: &ObjectType) -> Type {
    let members = settable(object).map(|a| StructMember {
        optional: is_optional(&a) || takes_undef(&a.kind, 0),
        name: a.name,
        key_not_undef: false,
        kind: a.kind,
    });
    Type::Struct(members.collect())
}

/// The signatures of an object type's construction: one hash, or the attributes in order.
pub(super) fn object_signatures(object: &ObjectType) -> Vec<Signature> {
    let attributes = given_attributes(object);
    let kind = hash_type(object);
    let hash = Signature {
        params: vec![SignatureParam { name: "hash".into(), kind, optional: false }],
        ..Signature::default()
    };
    let positions = Signature {
        params: attributes
            .into_iter()
            .map(|a| SignatureParam { optional: is_optional(&a), name: a.name, kind: a.kind })
            .collect(),
        ..Signature::default()
    };
    if object.has_ruby_class() { vec![positions] } else { vec![hash, positions] }
}

/// Whether `undef` is an instance, by the type alone: a test of a nested `Init` could lead back to the
/// same object type.
fn takes_undef(kind: &Type, depth: u32) -> bool {
    match kind {
        Type::Any | Type::Unit | Type::Undef | Type::Optional(_) | Type::Data | Type::RichData => {
            true
        }
        Type::Variant(members) => members.iter().any(|m| takes_undef(m, depth)),
        Type::Alias(alias) if depth < 64 => {
            alias.target.get().is_some_and(|target| takes_undef(target, depth + 1))
        }
        _ => false,
    }
}
