//! `Init` types: they take every value from which their target can be made.

use std::cell::Cell;
use std::sync::Arc;

use crate::model::{InitType, Signature, Type, Value};
use crate::types::accepts::accepts;
use crate::types::instance::is_instance;
use crate::types::normalize::normalize;
use crate::types::undecided::Undecided;

/// The maximal nesting of `Init` types.
const DEPTH_LIMIT: u32 = 6;

impl InitType {
    /// The signatures by which its target is made.
    fn all(&self) -> Vec<Signature> {
        (self.signatures)(&self.target)
    }
}

/// The reason why `Init[T, args]` has no instances: a `T` cannot be made, or not from these
/// arguments. `Init`, `Optional` and `NotUndef` cannot be made.
pub(crate) fn init_fault(init: &InitType) -> Option<Undecided> {
    let target = &init.target;
    let fixed = matches!(target, Type::Init(_) | Type::Optional(_) | Type::NotUndef(_));
    let all = init.all();
    if fixed || all.is_empty() {
        return Some(Undecided::NotMade(target.clone()));
    }
    let arguments = &init.arguments;
    let fits = |signature: &Signature| {
        let count = arguments.len() + 1;
        signature.min() <= count
            && signature.max().is_none_or(|max| count <= max)
            && arguments.iter().enumerate().all(|(i, argument)| {
                let param = signature.params.get(i + 1).or(signature.params.last());
                param.is_some_and(|param| is_instance(&param.kind, argument))
            })
    };
    if arguments.is_empty() || all.iter().any(fits) {
        return None;
    }
    Some(Undecided::WrongArguments(Arc::new(init.clone())))
}

/// Whether `Init[T, args]` takes a value that is not yet a `T`.
///
/// An object type may take its own `Init`. Such a cycle takes nothing.
pub(crate) fn init_accepts(init: &InitType, value: &Value) -> bool {
    thread_local! {
        static DEPTH: Cell<u32> = const { Cell::new(0) };
    }
    let depth = DEPTH.get();
    if depth >= DEPTH_LIMIT {
        return false;
    }
    DEPTH.set(depth + 1);
    let accepted = init_fits(init, value);
    DEPTH.set(depth);
    accepted
}

fn init_fits(init: &InitType, value: &Value) -> bool {
    let all = init.all();
    if init.arguments.is_empty() {
        let one = std::slice::from_ref(value);
        return is_instance(&init.target, value)
            || all.iter().any(|s| s.min() <= 1 && accepts(s, one, None))
            || value.as_array().is_some_and(|items| {
                all.iter().any(|s| s.max() != Some(1) && accepts(s, items, None))
            });
    }
    let mut given = vec![value.clone()];
    given.extend_from_slice(&init.arguments);
    all.iter().any(|s| accepts(s, &given, None))
}

/// Whether `Init[T, args]` takes values of a type; `takes` decides it for a parameter.
pub(crate) fn init_takes(init: &InitType, takes: impl Fn(&Type) -> bool) -> bool {
    let count = init.arguments.len();
    init.all().iter().any(|signature| {
        let first = signature.params.first();
        let enough = signature.min() <= 1 + count && signature.max().is_none_or(|max| max > count);
        enough && first.is_some_and(|p| takes(&normalize(&p.kind)))
    })
}
