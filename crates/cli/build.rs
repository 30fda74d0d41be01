//! Options of the linker.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // A program at a fixed address needs no relocation of its 55,000 pointers to functions and
    // texts, which takes a third of the time that a run without work takes, and 1.3 MB of memory.
    // Its heap, its stacks and the libraries stay at addresses that nobody can guess.
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
