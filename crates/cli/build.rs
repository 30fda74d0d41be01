//! Options of the linker.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // A program at a fixed address needs no relocation of its 55,000 pointers to functions and
    // texts, which takes a third of the time of a run that does nothing, and 3 MB of memory. The
    // heap, the stacks and the libraries stay at random addresses.
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    // With musl, rustc chooses start files itself, which do not fit.
    if is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
