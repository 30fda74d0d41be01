//! The binding of built-in functions: signatures in Puppet's own types, each with its body.

use crate::error::{EvalResult, plain as fail};
use crate::functions::call::Call;

/// The body of a function.
pub type Body = fn(&mut Call<'_, '_>) -> EvalResult;

/// A built-in function.
#[derive(Debug)]
pub struct Function {
    /// Its name, such as `abs` or `stdlib::to_json`.
    pub name: &'static str,
    /// One line for the manual.
    pub doc: &'static str,
    /// The signatures.
    pub style: Style,
}

/// The form in which a function takes its arguments.
#[derive(Debug)]
pub enum Style {
    /// Chosen by signature, the first that fits.
    Dispatch(&'static [Dispatch]),
    /// Functions of the older programming interface, which only checks the number of arguments:
    /// exactly `n` if `n` is not negative, else at least `-n - 1`. These functions take no lambda.
    Arity(i32, Body),
}

/// One signature with its body.
#[derive(Debug)]
pub struct Dispatch {
    /// Parameters.
    pub params: &'static [Param],
    /// The type of the lambda as text, such as `Callable[1, 1]`, and whether it is optional.
    pub block: Option<(&'static str, bool)>,
    /// The type of the result, if the function declares it.
    pub returns: Option<&'static str>,
    /// Whether the signature only explains why arguments that fit no other signature are wrong.
    /// Errors do not list it.
    pub explains: bool,
    /// The code.
    pub body: Body,
}

/// One parameter of a signature.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// Required, optional or repeated.
    pub kind: ParamKind,
    /// Its type as text.
    pub of: &'static str,
    /// Its name, as messages show it.
    pub name: &'static str,
}

/// The number of times that a parameter occurs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ParamKind {
    /// Once.
    Required,
    /// Once or not at all.
    Optional,
    /// Any number of times.
    Repeated,
    /// Once or more.
    RequiredRepeated,
}

/// A parameter that must be given.
pub const fn req(of: &'static str, name: &'static str) -> Param {
    Param { kind: ParamKind::Required, of, name }
}

/// A parameter that may be left out.
pub const fn opt(of: &'static str, name: &'static str) -> Param {
    Param { kind: ParamKind::Optional, of, name }
}

/// A last parameter that may be repeated any number of times, or be left out.
pub const fn rep(of: &'static str, name: &'static str) -> Param {
    Param { kind: ParamKind::Repeated, of, name }
}

/// A last parameter that occurs at least once.
pub const fn rep1(of: &'static str, name: &'static str) -> Param {
    Param { kind: ParamKind::RequiredRepeated, of, name }
}

/// A signature without a lambda.
pub const fn plain(params: &'static [Param], body: Body) -> Dispatch {
    Dispatch { params, block: None, returns: None, explains: false, body }
}

/// A signature with a lambda of this type.
pub const fn with_block(params: &'static [Param], block: &'static str, body: Body) -> Dispatch {
    Dispatch { params, block: Some((block, false)), returns: None, explains: false, body }
}

/// A signature with an optional lambda of this type.
pub const fn with_opt_block(params: &'static [Param], block: &'static str, body: Body) -> Dispatch {
    Dispatch { params, block: Some((block, true)), returns: None, explains: false, body }
}

/// A signature for wrong arguments, with or without a lambda; its body gives the error.
pub const fn explaining(params: &'static [Param], body: Body) -> Dispatch {
    Dispatch { params, block: Some(("Callable", true)), returns: None, explains: true, body }
}

pub(crate) fn check_arity(name: &str, arity: i32, given: usize) -> EvalResult<()> {
    let wanted = if arity < 0 { (-arity - 1) as usize } else { arity as usize };
    if arity >= 0 && given != wanted {
        return fail(format!("{name}(): Wrong number of arguments given ({given} for {wanted})"));
    }
    if arity < 0 && given < wanted {
        return fail(format!(
            "{name}(): Wrong number of arguments given ({given} for minimum {wanted})"
        ));
    }
    Ok(())
}
