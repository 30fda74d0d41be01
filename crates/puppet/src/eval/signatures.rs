//! The types of parameters, evaluated once per compile.

use crate::error::{EvalError, EvalResult};
use crate::functions;
use crate::state::Compiler;
use crate::state::frame::Frame;
use crate::state::programs::SignatureKey;
use crate::syntax::{ExprId, Param, Program};
use crate::types::Type;
use crate::types::infer::infer;
use crate::types::signature::{NoType, Signature, SignatureParam};
use crate::value::Value;
use ordain_syntax::ListRef;
use std::sync::Arc;

impl Compiler<'_> {
    /// The parameters with evaluated types, cached for the whole compile.
    ///
    /// # Errors
    /// Of the types, and when a required parameter follows an optional one.
    pub(crate) fn signature(
        &mut self,
        f: &Frame,
        params: ListRef<Param>,
        returns: Option<ExprId>,
    ) -> EvalResult<Arc<Signature>> {
        self.evaluate_types(f, params, returns, true)
    }

    /// As [`Self::signature`], in any order of required and optional parameters.
    pub(crate) fn parameter_types(
        &mut self,
        f: &Frame,
        params: ListRef<Param>,
    ) -> EvalResult<Arc<Signature>> {
        self.evaluate_types(f, params, None, false)
    }

    pub(crate) fn evaluate_types(
        &mut self,
        f: &Frame,
        params: ListRef<Param>,
        returns: Option<ExprId>,
        in_order: bool,
    ) -> EvalResult<Arc<Signature>> {
        let key = signature_key(&f.program, params, returns);
        if let Some(known) = key.and_then(|k| self.programs.signature(k)) {
            return Ok(Arc::clone(known));
        }
        let mut out = Signature { block_name: "block".into(), ..Signature::default() };
        let program = &f.program;
        let mut is_optional = false;
        for param in program.params(params) {
            let kind = self.stated_type(f, param.kind, &mut out)?;
            let before = out.params.len();
            if param.captures_rest {
                rest_params(&mut out, param, kind);
            } else {
                let optional = param.default.is_some();
                out.params.push(SignatureParam { name: param.name.clone(), kind, optional });
            }
            let required = out.params[before..].iter().any(|p| !p.optional);
            if in_order && is_optional && required && param.default.is_none() {
                let text = format!(
                    "Parameter ${} is required but appears after optional parameters",
                    param.name
                );
                let span = param.range.in_file(program.file);
                return Err(EvalError::new("REQUIRED_PARAMETER_AFTER_OPTIONAL", text, span).into());
            }
            is_optional |= !required || param.default.is_some();
        }
        if returns.is_some() {
            out.returns = Some(self.stated_type(f, returns, &mut out)?);
        }
        let signature = Arc::new(out);
        if let Some(key) = key {
            self.programs.set_signature(key, Arc::clone(&signature));
        }
        Ok(signature)
    }

    /// The stated type of the next part of `signature`.
    pub(crate) fn stated_type(
        &mut self,
        f: &Frame,
        stated: Option<ExprId>,
        signature: &mut Signature,
    ) -> EvalResult<Type> {
        let Some(stated) = stated else { return Ok(Type::Any) };
        match self.eval(f, stated)? {
            Value::Type(kind) => Ok(Type::clone(&kind)),
            other => {
                signature.no_type.get_or_insert_with(|| NoType {
                    at: signature.params.len(),
                    got: crate::types::generalize(&infer(&other)).to_string().into(),
                    class: functions::support::ruby_class(&other).into(),
                    span: f.program.span(stated),
                });
                Ok(Type::Any)
            }
        }
    }

    /// Uses the parameter types that another compile evaluated.
    pub(crate) fn set_shared_signature(
        &mut self,
        program: &Arc<Program>,
        params: ListRef<Param>,
        signature: Arc<Signature>,
    ) {
        if let Some(key) = signature_key(program, params, None) {
            self.programs.add_signature(key, signature);
        }
    }

    /// Evaluates an expression that must give a type.
    pub(crate) fn eval_type(&mut self, f: &Frame, id: ExprId) -> EvalResult<Arc<Type>> {
        match self.eval(f, id)? {
            Value::Type(kind) => Ok(kind),
            other => {
                let got = crate::types::generalize(&infer(&other));
                let text = format!("Expected value of type Type, got {got}");
                Err(self.error(f, id, "TYPE_MISMATCH", text))
            }
        }
    }
}

/// The key of a parameter list. The lists are runs of one arena, so the start of a run identifies
/// it.
pub(crate) fn signature_key(
    program: &Arc<Program>,
    params: ListRef<Param>,
    returns: Option<ExprId>,
) -> Option<SignatureKey> {
    if params.is_empty() && returns.is_some() {
        return None;
    }
    let start = if params.is_empty() { u32::MAX } else { params.start() };
    Some((Arc::as_ptr(program) as usize, start))
}

/// The maximal number of written-out parameters for a bounded rest parameter.
pub(crate) const MAX_REST: i64 = 64;

/// Adds a rest parameter. An array type gives the number of its arguments and their type.
pub(crate) fn rest_params(out: &mut Signature, param: &Param, kind: Type) {
    let (kind, size) = match kind {
        Type::Array(element, size) => (Type::clone(&element), size),
        other => (other, crate::types::IntRange::ANY_SIZE),
    };
    let required = size.from.clamp(0, MAX_REST);
    let most = size.to.min(MAX_REST);
    let push = |out: &mut Signature, optional| {
        let (name, kind) = (param.name.clone(), kind.clone());
        out.params.push(SignatureParam { name, kind, optional });
    };
    // A default must have at least this many items, too.
    (0..required).for_each(|_| push(out, false));
    if size.to <= MAX_REST {
        (required..most).for_each(|_| push(out, true));
    } else {
        out.rest = true;
        if required == 0 {
            push(out, true);
        }
    }
}
