//! Calls of functions: the number of arguments, and the types of literal ones.

use ordain_source::Diagnostic;

use crate::check::repository::pass::Pass;
use crate::check::repository::takes::ArgumentCounts;
use ordain_puppet::functions::registry::core_signatures;
use ordain_puppet::syntax::definitions::FunctionDef;
use ordain_puppet::syntax::*;
use ordain_puppet::types::aliases::resolved;
use ordain_puppet::types::signature::{Signature, SignatureParam};
use ordain_puppet::types::{Type, infer_set, is_assignable, is_instance, mismatch};
use ordain_puppet::validation::names::bare;
use ordain_puppet::value::Value;

const ARGUMENT_MISMATCH: &str = "puppet::argument-mismatch";

/// The arguments of a call, as far as they are known.
struct CallArguments {
    /// The arguments; `None` for those that are only known in a compile.
    args: Vec<Option<Value>>,
    has_block: bool,
}

/// Runs the rules over a text.
pub(super) fn check(pass: &mut Pass<'_>) {
    let program = pass.program;
    for (_, call) in program.calls.iter() {
        let Expr::Name(name) = &program[call.callee] else { continue };
        let ids = program.list(call.args);
        if ids.iter().any(|&id| matches!(program[id], Expr::Splat(_))) {
            continue;
        }
        // The arguments of a member are unknown, and a member has priority over a function.
        if call.form == CallForm::Method && pass.index.members.knows(name) {
            continue;
        }
        let types = &pass.index.types;
        let args = ids.iter().map(|&id| types.value(program, id)).collect();
        let given = CallArguments { args, has_block: call.lambda.is_some() };
        let name = bare(name);
        let fault = match pass.index.functions.get(name) {
            Some(def) => written(pass, def, &given),
            None if pass.index.has_ruby_function(name) => {
                let takes = pass.index.ruby_function(name);
                takes.and_then(|takes| match takes {
                    ArgumentCounts::Signatures(signatures) => fault(name, signatures, &given),
                    ArgumentCounts::Arity(arity) => miscounted(name, *arity, &given),
                })
            }
            None => native(name, &given),
        };
        if let Some(message) = fault {
            let at = program.range(call.callee).in_file(program.file);
            let mut found = Diagnostic::error(ARGUMENT_MISMATCH, message).at(at);
            if let Some(def) = pass.index.functions.get(name) {
                let head = super::names::head_of(&def.program, def.span.range);
                found = found.related(head.in_file(def.program.file), "defined here");
            }
            pass.found.push(found);
        }
    }
}

fn written(pass: &Pass<'_>, def: &FunctionDef, given: &CallArguments) -> Option<String> {
    let mut signature = Signature::default();
    for param in def.program.params(def.params) {
        let kind = match param.kind {
            // An unknown type accepts anything.
            Some(kind) => pass.index.types.type_of(&def.program, kind).unwrap_or(Type::Any),
            None => Type::Any,
        };
        signature.rest |= param.captures_rest;
        let optional = param.default.is_some() || param.captures_rest;
        // The type of a rest parameter may be that of the whole list.
        let kind = if param.captures_rest { Type::Any } else { kind };
        signature.params.push(SignatureParam { name: param.name.clone(), kind, optional });
    }
    fault(&def.name, &[signature], given)
}

fn native(name: &str, given: &CallArguments) -> Option<String> {
    let (signatures, arity) = core_signatures(name)?;
    match arity {
        Some(arity) => miscounted(name, arity, given),
        None => fault(name, signatures, given),
    }
}

/// The message about a wrong number of arguments. `arity` is their number; if it is negative, at
/// least `-arity - 1`.
fn miscounted(name: &str, arity: i32, given: &CallArguments) -> Option<String> {
    let count = given.args.len();
    let least = if arity < 0 { arity.unsigned_abs() as usize - 1 } else { arity as usize };
    let fits = if arity < 0 { count >= least } else { count == least };
    let words = if arity < 0 { "at least " } else { "" };
    (!fits).then(|| format!("`{name}` takes {words}{}, not {count}", arguments(least)))
}

fn arguments(count: usize) -> String {
    format!("{count} argument{}", if count == 1 { "" } else { "s" })
}

/// The message about a call that fits none of the signatures.
fn fault(name: &str, signatures: &[Signature], given: &CallArguments) -> Option<String> {
    let count = given.args.len();
    let counted: Vec<&Signature> = signatures
        .iter()
        .filter(|s| count >= s.min() && s.max().is_none_or(|max| count <= max))
        .collect();
    if counted.is_empty() {
        return Some(format!("`{name}` takes {}, not {count}", counts(signatures)));
    }
    let with_block: Vec<&Signature> =
        counted.iter().copied().filter(|s| takes_block(s, given.has_block)).collect();
    if with_block.is_empty() {
        let text = if given.has_block { "takes no block" } else { "needs a block" };
        return Some(format!("`{name}` {text}"));
    }
    if with_block.iter().any(|s| first_misfit(s, given).is_none()) {
        return None;
    }
    let furthest = with_block.iter().filter_map(|s| Some((first_misfit(s, given)?, s)));
    let (i, signature) = furthest.max_by_key(|(i, _)| *i)?;
    let value = given.args.get(i)?.as_ref()?;
    let kinds: Vec<Type> = with_block
        .iter()
        .filter(|s| first_misfit(s, given) == Some(i))
        .filter_map(|s| kind_at(s, i).map(|kind| resolved(kind).clone()))
        .collect();
    let kind = match kinds.len() {
        1 => resolved(kind_at(signature, i)?).clone(),
        _ => ordain_puppet::types::variant::variant_of(kinds),
    };
    let subject = format!("Argument {} of `{name}`", i + 1);
    let text = mismatch::describe_mismatch(&subject, &kind, &infer_set(value));
    (!text.is_empty()).then_some(text)
}

fn counts(signatures: &[Signature]) -> String {
    let least = signatures.iter().map(Signature::min).min().unwrap_or(0);
    let most = signatures.iter().map(Signature::max).max_by_key(|m| m.unwrap_or(usize::MAX));
    match most.flatten() {
        Some(most) if most == least => arguments(least),
        Some(most) => format!("{least} to {}", arguments(most)),
        None => format!("at least {}", arguments(least)),
    }
}

fn takes_block(signature: &Signature, has_block: bool) -> bool {
    match (&signature.block, has_block) {
        (None, has) => !has,
        (Some(_), true) => true,
        (Some(kind), false) => is_assignable(kind, &Type::Undef),
    }
}

fn kind_at(signature: &Signature, i: usize) -> Option<&Type> {
    signature.params.get(i).or(signature.params.last()).map(|p| &p.kind)
}

/// The first known argument that does not fit.
fn first_misfit(signature: &Signature, given: &CallArguments) -> Option<usize> {
    given.args.iter().enumerate().find_map(|(i, arg)| {
        let (value, kind) = (arg.as_ref()?, kind_at(signature, i)?);
        (!is_instance(kind, value)).then_some(i)
    })
}
