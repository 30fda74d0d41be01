//! Parameter types that are the same for every node, so that one compile evaluates them for all.

use std::sync::{Arc, PoisonError, RwLock};

use ordain_syntax::ListRef;
use rustc_hash::FxHashMap;

use crate::syntax::{Expr, ExprId, Param, Program};
use crate::types::builtin;
use crate::types::signature::Signature;

/// Parameters of classes and defines, by the address of their program and their position in it.
type ByParameters = FxHashMap<(usize, u32), DefinitionSignature>;

/// The parameter types of one definition.
struct DefinitionSignature {
    /// The program, held so that its address is not reused.
    _program: Arc<Program>,
    signature: Arc<Signature>,
}

/// The parameter types of definitions that are the same for all nodes.
#[derive(Default)]
pub(crate) struct Signatures(RwLock<ByParameters>);

impl Signatures {
    /// The parameters of a definition, if a compile shared them.
    pub(crate) fn get(
        &self,
        program: &Arc<Program>,
        params: ListRef<Param>,
    ) -> Option<Arc<Signature>> {
        // Empty parameter lists have no position of their own.
        if params.is_empty() {
            return None;
        }
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        known.get(&place(program, params)).map(|shared| Arc::clone(&shared.signature))
    }

    /// Shares the parameters of a definition with later compiles, if their types are the same on
    /// every node.
    pub(crate) fn share(
        &self,
        program: &Arc<Program>,
        params: ListRef<Param>,
        signature: &Arc<Signature>,
    ) {
        let kinds = program.params(params).iter().filter_map(|param| param.kind);
        if params.is_empty() || !kinds.into_iter().all(|kind| is_fixed(program, kind)) {
            return;
        }
        let shared =
            DefinitionSignature { _program: Arc::clone(program), signature: Arc::clone(signature) };
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        known.entry(place(program, params)).or_insert(shared);
    }
}

fn place(program: &Arc<Program>, params: ListRef<Param>) -> (usize, u32) {
    (Arc::as_ptr(program) as usize, params.start())
}

/// Whether an expression only has literals and names of built-in types.
fn is_fixed(program: &Program, id: ExprId) -> bool {
    match &program[id] {
        Expr::Ref(name) => builtin(name).is_some(),
        Expr::Access(parts) | Expr::List(parts) | Expr::Hash(parts) => {
            program.list(*parts).iter().all(|&part| is_fixed(program, part))
        }
        Expr::Paren(inner) | Expr::Minus(inner) => is_fixed(program, *inner),
        Expr::Str(_)
        | Expr::Name(_)
        | Expr::Int { .. }
        | Expr::Float(_)
        | Expr::Bool(_)
        | Expr::Regex(_)
        | Expr::Default
        | Expr::Undef => true,
        _ => false,
    }
}
