//! The built-in functions by name.

use crate::functions;
use crate::functions::{Function, ParamKind, Style};
use crate::types::signature::{Signature, SignatureParam};
use crate::types::{Type, parse_static};
use rustc_hash::FxHashMap;
use std::sync::{Arc, OnceLock};

/// A built-in function with its signatures, which are built by the first call.
pub(crate) struct Bound {
    pub(crate) function: &'static Function,
    /// Whether it is one of a module, which is native here.
    pub(crate) of_module: bool,
    pub(crate) signatures: OnceLock<Vec<Signature>>,
}

pub(crate) fn builtins() -> &'static FxHashMap<&'static str, Bound> {
    static TABLE: OnceLock<FxHashMap<&'static str, Bound>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let core = functions::CORE.iter().map(|family| (family, false));
        let all = core.chain(functions::MODULES.iter().map(|family| (family, true)));
        let bound = all.flat_map(|(family, of_module)| {
            family.iter().map(move |function| {
                (function.name, Bound { function, of_module, signatures: OnceLock::new() })
            })
        });
        bound.collect()
    })
}

/// The names of all built-in functions, including those of modules.
pub fn native_names<'a>() -> impl Iterator<Item = &'a str> {
    builtins().keys().copied()
}

/// Whether there is a built-in function, be it of a module.
pub fn is_native_function(name: &str) -> bool {
    builtins().contains_key(name)
}

/// The signatures of a built-in function of the language itself; `None` if it checks its own
/// arguments.
pub fn core_signatures(name: &str) -> Option<(&'static [Signature], Option<i32>)> {
    let bound = builtins().get(name).filter(|bound| !bound.of_module)?;
    Some(match &bound.function.style {
        Style::Dispatch(dispatches) => {
            let make = || dispatches.iter().map(native_signature).collect();
            (bound.signatures.get_or_init(make).as_slice(), None)
        }
        Style::Arity(arity, _) => (&[], Some(*arity)),
    })
}

pub(crate) fn native_signature(dispatch: &functions::Dispatch) -> Signature {
    let kind = |text: &'static str| Type::clone(&parse_static(text));
    let params = dispatch.params.iter().map(|p| SignatureParam {
        name: p.name.into(),
        kind: kind(p.of),
        optional: matches!(p.kind, ParamKind::Optional | ParamKind::Repeated),
    });
    let last = dispatch.params.last().map(|p| p.kind);
    Signature {
        params: params.collect(),
        rest: matches!(last, Some(ParamKind::Repeated | ParamKind::RequiredRepeated)),
        block: dispatch.block.map(|(text, optional)| {
            if optional { Type::Optional(Some(Arc::new(kind(text)))) } else { kind(text) }
        }),
        block_name: "block".into(),
        returns: dispatch.returns.map(kind),
        no_type: None,
    }
}
