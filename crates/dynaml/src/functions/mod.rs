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

use crate::diagnostics::stop::Stop;
use crate::eval::evaluator::{Builtin, Implementation, Table};

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

/// All built-in functions for a check. The results of those that ask the machine, chance or a key are
/// unknown.
pub(crate) fn table_for_check() -> Table {
    let mut asking = Table::default();
    exec::register(&mut asking);
    files::register(&mut asking);
    rand::register(&mut asking);
    x509::register(&mut asking);
    wireguard::register(&mut asking);
    secrets::register(&mut asking);
    let implementation = Implementation::Eager(|_| Err(Stop::unknown()));
    let unknown = |(name, builtin)| (name, Builtin { implementation, ..builtin });
    let mut table = table();
    table.extend(asking.into_iter().map(unknown));
    table
}
