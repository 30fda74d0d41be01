//! Checks arguments against a signature.

use crate::model::{Closure, Signature, Type, Value};
use crate::types::assignable::is_assignable;
use crate::types::instance::is_instance;
use crate::types::signature::callable_of;

/// Whether a call with these arguments fits the signature.
pub fn accepts(signature: &Signature, args: &[Value], block: Option<&Closure>) -> bool {
    if args.len() < signature.min() || signature.max().is_some_and(|max| args.len() > max) {
        return false;
    }
    let params = &signature.params;
    let fits = |(i, arg): (usize, &Value)| {
        params.get(i).or(params.last()).is_some_and(|p| is_instance(&p.kind, arg))
    };
    args.iter().enumerate().all(fits) && accepts_block(signature, block)
}

fn accepts_block(signature: &Signature, block: Option<&Closure>) -> bool {
    match (&signature.block, block) {
        (None, None) => true,
        (None, Some(_)) => false,
        (Some(kind), None) => is_assignable(kind, &Type::Undef),
        (Some(kind), Some(block)) => is_assignable(kind, &callable_of(&block.signature)),
    }
}
