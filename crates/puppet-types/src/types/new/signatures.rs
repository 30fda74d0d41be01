//! The signatures by which instances of types are made.

use crate::types::Type;
use crate::types::aliases::resolved;
use crate::types::new::constructors::constructor;
use crate::types::new::object_signatures::object_signatures;
use crate::types::signature::Signature;

/// The signatures by which instances of a type are made.
pub(crate) fn signatures(kind: &Type) -> Vec<Signature> {
    match resolved(kind) {
        Type::Optional(Some(inner)) | Type::NotUndef(Some(inner)) => signatures(inner),
        Type::Object(object) if !object.is_root() => object_signatures(object),
        kind => constructor(kind).map_or_else(Vec::new, |c| c.signatures.to_vec()),
    }
}
