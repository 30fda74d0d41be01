//! Turns a program with checked names into one with types.
//!
//! One walk in the order of the original elaborates the program and collects type constraints,
//! which [`solve`] solves. Classes are elaborated for each include, functions for each call, and
//! binds once for each instance of their block, at their first use.

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

/// Elaborates a program. Returns it with its warnings.
///
/// # Errors
/// When types do not match.
pub(crate) fn elaborate(
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
