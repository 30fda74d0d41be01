//! From checked names to a program with types.
//!
//! One walk in the original's order puts the program together and collects what its types must be;
//! [`solve`] then makes them so. Classes are put together anew for each include, functions for each
//! call; binds once for each life of their block, when they are first used.

mod call;
mod debug;
mod elaborator;
mod expr;
mod known;
mod solve;
mod stmt;
mod warnings;

use ordain_source::Diagnostic;

use crate::Edition;
use crate::check::names::Names;
use crate::check::program::{ModId, Modules};
use crate::check::scope::Frames;
use crate::failure::Failure;
use crate::ir::Program;
use elaborator::Elaborator;

pub(crate) use elaborator::MAX_STACK;

/// Puts a program together; with it comes what is questionable in it.
///
/// # Errors
/// With what is wrong with its types.
pub fn elaborate(
    modules: &Modules,
    names: &Names,
    main: ModId,
    edition: Edition,
) -> Result<(Program, Vec<Diagnostic>), Vec<Failure>> {
    let mut elaborator = Elaborator::new(modules, names, edition);
    let top = elaborator.module(main);
    let steps = elaborator.block(top);
    elaborator.program.body = steps;
    let used = elaborator.used(top);
    let (program, mut questionable) = elaborator.finish()?;
    if edition == Edition::Wide {
        questionable.extend(warnings::unused(modules, names, main, &used));
    }
    Ok((program, questionable))
}
