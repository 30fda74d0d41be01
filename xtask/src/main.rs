//! Repository tasks, run as `cargo xtask TASK`.
//!
//! - `vectors DIR [-v]` compares with the recorded answers below a directory.
//! - `answer` reads cases of Puppet's language, one JSON object per line, and answers each with a
//!   line.
//! - `parse DIR` only parses and validates all manifests below a directory, for measurements.

mod parse;
mod vectors;

use std::path::Path;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> anyhow::Result<ExitCode> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args.as_slice() {
        ["vectors", dir] => vectors::run(Path::new(dir), false),
        ["vectors", dir, "-v"] | ["vectors", "-v", dir] => vectors::run(Path::new(dir), true),
        ["answer"] => vectors::answer(),
        ["parse", dir] => parse::run(Path::new(dir)),
        _ => {
            eprintln!("usage: cargo xtask vectors DIR [-v] | answer | parse DIR");
            Ok(ExitCode::from(2))
        }
    }
}
