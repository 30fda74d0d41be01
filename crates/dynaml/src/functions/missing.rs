//! Functions of the original that are missing here; a call says so.

use super::{Table, eager, fail};

/// A function that only tells what it would need.
macro_rules! missing {
    ($name:literal, $what:literal) => {
        ($name, eager(|_| fail(concat!($name, ": ", $what, " are not supported here"))))
    };
}

pub(super) fn register(table: &mut Table) {
    table.extend([
        missing!("x509genkey", "X.509 keys"),
        missing!("x509publickey", "X.509 keys"),
        missing!("x509cert", "X.509 certificates"),
        missing!("x509parsecert", "X.509 certificates"),
        missing!("wggenkey", "WireGuard keys"),
        missing!("wgpublickey", "WireGuard keys"),
    ]);
}
