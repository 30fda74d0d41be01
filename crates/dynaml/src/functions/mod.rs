//! The built-in functions, one file per family.
//!
//! Most functions get their arguments as values
//! ([`Implementation::Eager`](crate::eval::evaluator::Implementation)); a few get the expressions
//! ([`Implementation::Lazy`](crate::eval::evaluator::Implementation)), because they test whether
//! these have a value at all.

mod archive;
mod collections;
mod control;
mod convert;
pub(crate) mod encode;
mod exec;
mod files;
mod format;
mod names;
pub mod network;
mod rand;
pub mod secrets;
mod semver;
mod static_ips;
mod strings;
mod support;
mod url;
mod validate;
mod verdict;
mod wireguard;
mod x509;

use crate::eval::evaluator::Table;

pub use support::clean_path;

/// All built-in functions.
pub fn table() -> Table {
    let mut table = Table::default();
    collections::register(&mut table);
    control::register(&mut table);
    convert::register(&mut table);
    encode::register(&mut table);
    exec::register(&mut table);
    files::register(&mut table);
    format::register(&mut table);
    network::register(&mut table);
    rand::register(&mut table);
    archive::register(&mut table);
    x509::register(&mut table);
    wireguard::register(&mut table);
    secrets::register(&mut table);
    semver::register(&mut table);
    static_ips::register(&mut table);
    strings::register(&mut table);
    url::register(&mut table);
    validate::register(&mut table);
    table
}
