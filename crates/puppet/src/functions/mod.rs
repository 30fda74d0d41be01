//! The built-in functions: a binding table by family, signatures in Puppet's own types.
//!
//! A family is a file with a `TABLE`. The signature decides by Puppet's rules which implementation
//! runs, and makes Puppet's messages when none does; bodies need not check types again.

pub mod collections;
pub mod control;
pub mod files;
pub mod iterate;
pub mod iteration;
pub mod legacy;
pub mod modules;
pub mod numbers;
pub mod stdlib;
pub mod support;
pub mod text;
pub mod tree;

use crate::error::EvalResult;
use crate::eval::call::Call;

/// The body of a function.
pub type Body = fn(&mut Call<'_, '_>) -> EvalResult;

/// A built-in function.
#[derive(Debug)]
pub struct Function {
    /// Its name, such as `abs` or `stdlib::to_json`.
    pub name: &'static str,
    /// One line for the manual.
    pub doc: &'static str,
    /// What it accepts.
    pub style: Style,
}

/// How a function takes its arguments.
#[derive(Debug)]
pub enum Style {
    /// Chosen by signature, the first that fits.
    Dispatch(&'static [Dispatch]),
    /// Any arguments, checked by count only: functions of the older programming interface.
    /// Positive or 0: exactly so many; negative `-n`: at least `n - 1`; 3.x functions have no lambda.
    Arity(i32, Body),
}

/// One signature with its body.
#[derive(Debug)]
pub struct Dispatch {
    /// Parameters.
    pub params: &'static [Param],
    /// The lambda: its type as text, such as `Callable[1, 1]`, and whether it may be left out.
    pub block: Option<(&'static str, bool)>,
    /// What it gives, if the function promises it.
    pub returns: Option<&'static str>,
    /// Whether it is there to say what is wrong with arguments that no other takes; errors do not
    /// name it.
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

/// How often a parameter comes.
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

/// A last parameter that may come any number of times.
pub const fn rep(of: &'static str, name: &'static str) -> Param {
    Param { kind: ParamKind::Repeated, of, name }
}

/// A last parameter that comes at least once.
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

/// A signature with a lambda of this type that may be left out.
pub const fn with_opt_block(params: &'static [Param], block: &'static str, body: Body) -> Dispatch {
    Dispatch { params, block: Some((block, true)), returns: None, explains: false, body }
}

/// A signature, with a lambda or without, for arguments that are wrong; its body gives the error.
pub const fn explaining(params: &'static [Param], body: Body) -> Dispatch {
    Dispatch { params, block: Some(("Callable", true)), returns: None, explains: true, body }
}

/// The functions of the language itself, by family.
pub const CORE: &[&[Function]] = &[
    crate::hiera::functions::TABLE,
    collections::TABLE,
    control::TABLE,
    files::TABLE,
    iteration::TABLE,
    legacy::TABLE,
    numbers::TABLE,
    text::TABLE,
];

/// The functions of modules, those of stdlib among them, by family.
pub const MODULES: &[&[Function]] = &[
    modules::apache::TABLE,
    modules::databases::TABLE,
    modules::helpers::TABLE,
    stdlib::catalog::TABLE,
    stdlib::convert::TABLE,
    stdlib::digests::TABLE,
    stdlib::facts::TABLE,
    stdlib::files::TABLE,
    stdlib::hashes::TABLE,
    stdlib::lists::TABLE,
    stdlib::parse::TABLE,
    stdlib::python_ruby::TABLE,
    stdlib::removed::TABLE,
    stdlib::serialize::TABLE,
    stdlib::text::TABLE,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validation::pure::{is_impure_builtin, is_pure};

    #[test]
    fn every_function_is_classified_for_the_code_of_types() {
        let all = CORE.iter().chain(MODULES).flat_map(|family| family.iter());
        let is_on_one_list = |name: &str| is_pure(name) != is_impure_builtin(name);
        let wrong: Vec<_> = all.map(|f| f.name).filter(|name| !is_on_one_list(name)).collect();
        assert!(wrong.is_empty(), "add to PURE or IMPURE in validation/pure.rs: {wrong:?}");
    }
}
