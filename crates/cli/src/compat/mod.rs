//! The command lines of other programs, for callers that start this program by their names.

mod inmanta;
pub(crate) mod mgmt;
mod puppet_lint;
mod spiff;

use std::ffi::OsString;
use std::process::ExitCode;

use crate::{limits, options};

/// Runs the command line of the program of this name. `None` if it is no other program's.
pub(crate) fn run(name: &str) -> Option<ExitCode> {
    let spiff = spiff::Program::named(name);
    if spiff.is_none() && !matches!(name, "inmanta" | "mgmt" | "puppet-lint") {
        return None;
    }
    options::ChildArgs::of_environment();
    limits::set_by_environment();
    let args: Vec<OsString> = std::env::args_os().collect();
    if name == "inmanta" {
        return Some(inmanta::main(args));
    }
    let args: Vec<String> =
        args.into_iter().skip(1).map(|arg| arg.to_string_lossy().into_owned()).collect();
    Some(match spiff {
        Some(program) => spiff::main(program, &args),
        None if name == "mgmt" => mgmt::main(&args),
        None => puppet_lint::main(&args),
    })
}
