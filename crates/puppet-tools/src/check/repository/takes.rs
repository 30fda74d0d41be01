//! The arguments that functions take.

use crate::check::repository::types::Types;
use ecow::EcoString;
use ordain_puppet::load::{RubyDispatch, RubyParam, RubySignature};
use ordain_puppet::types::Type;
use ordain_puppet::types::signature::{Signature, SignatureParam};

/// The arguments of a function in Ruby.
pub(super) enum ArgumentCounts {
    /// The argument lists of these signatures.
    Signatures(Vec<Signature>),
    /// The number of arguments; if negative, at least `-n - 1`.
    Arity(i32),
}

impl ArgumentCounts {
    /// The data of a file. Unknown types accept anything.
    pub(super) fn of(read: &RubySignature, types: &Types) -> Self {
        match read {
            RubySignature::Arity(arity) => Self::Arity(*arity),
            RubySignature::Dispatches(all) => {
                Self::Signatures(all.iter().map(|one| signature(one, types)).collect())
            }
        }
    }
}

pub(super) fn signature(read: &RubyDispatch, types: &Types) -> Signature {
    let param = |param: &RubyParam| SignatureParam {
        name: EcoString::new(),
        kind: types.of_text(&param.kind).unwrap_or(Type::Any),
        optional: param.optional,
    };
    Signature {
        params: read.params.iter().map(param).collect(),
        rest: read.rest,
        block: read.block.map(|text| types.of_text(text).unwrap_or(Type::Any)),
        ..Signature::default()
    }
}
