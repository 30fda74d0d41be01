//! The built-in functions: a binding table by family, signatures in Puppet's own types.
//!
//! A family is a file with a `TABLE`. The dispatcher selects the implementation by its signature,
//! as Puppet does, and words the errors, so bodies need not check types again.

pub mod binding;
pub mod call;
pub mod collections;
pub mod control;
pub mod files;
pub mod iterate;
pub mod iteration;
pub mod legacy;
pub mod modules;
pub mod numbers;
pub mod registry;
pub mod stdlib;
pub mod support;
pub mod text;
pub mod tree;

pub use crate::functions::binding::{
    Body, Dispatch, Function, Param, ParamKind, Style, explaining, opt, plain, rep, rep1, req,
    with_block, with_opt_block,
};

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

/// The functions of modules by family, including stdlib.
pub const MODULES: &[&[Function]] = &[
    modules::apache::TABLE,
    modules::databases::TABLE,
    modules::helpers::TABLE,
    modules::puppetdb::TABLE,
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
