//! Graph building: turns a program into a graph of functions, and the values of that graph into
//! resources with edges.
//!
//! | module | purpose |
//! | --- | --- |
//! | `build` | the nodes of expressions and statements |
//! | [`interpret`] | resources and edges from the values of a complete graph |
//! | [`resource`] | resources and edges as a program declares them |
//! | `duplicates`, `edges` | resources that are declared twice; edges by name |
//! | `problems` | errors of single resources |
//! | `cycle` | cycles among the edges |
//! | [`literal`] | errors in literal values |
//! | [`meta`] | meta parameters |
//! | [`sends`] | received values that are known before a run |
//! | [`outline`] | the function graph as a picture of the program |
//! | `validate` | checks of fields |
//! | [`autogroup`] | groups of resources that one call handles |
//! | `autoedge` | edges that kinds add by themselves |

mod autoedge;
pub mod autogroup;
mod build;
mod checks;
mod conditions;
mod cycle;
mod duplicates;
mod edges;
pub mod fields;
pub mod interpret;
pub mod literal;
pub mod meta;
pub mod outline;
pub(crate) mod problems;
pub mod resource;
pub mod sends;
mod server_checks;
pub(crate) mod validate;

use std::sync::Arc;
use std::time::SystemTime;

use crate::eval::Engine;
use crate::failure::{Failure, Phase};
use crate::functions::Environment;
use crate::functions::environment::Watch;
use crate::ir::{IrId, Program};
use build::LiveStatement;
use resource::Resources;

/// A program that runs.
pub struct RunningProgram {
    program: Arc<Program>,
    engine: Engine,
    live: Vec<LiveStatement>,
}

impl RunningProgram {
    /// Builds the graph of a program.
    ///
    /// # Errors
    /// When the graph grows too large.
    pub fn new(program: Arc<Program>, environment: &dyn Environment) -> Result<Self, Failure> {
        let mut engine = Engine::new();
        let live = build::build(&program, &mut engine, environment).map_err(|fault| {
            let text = fault.message.to_string();
            Failure::new(Phase::Graph, text, start(&program))
        })?;
        Ok(Self { program, engine, live })
    }

    /// Updates all values. Returns whether any changed.
    ///
    /// # Errors
    /// The error that ends the program.
    pub fn run(&mut self, environment: &dyn Environment) -> Result<bool, Failure> {
        self.engine.run(environment).map_err(|failure| {
            let at = IrId::new(failure.tag);
            let is_known = (failure.tag as usize) < self.program.ir.len();
            let span = if is_known { self.program.span(at) } else { start(&self.program) };
            Failure::new(Phase::Stream, failure.fault.message.to_string(), span)
        })
    }

    /// The resources for the present values. `None` while a value is missing.
    ///
    /// # Errors
    /// When they cannot be.
    pub fn resources(
        &self,
        environment: &dyn Environment,
    ) -> Result<Option<Resources>, Vec<Failure>> {
        if !self.engine.is_complete() {
            return Ok(None);
        }
        interpret::interpret(&self.program, &self.engine, &self.live, environment).map(Some)
    }

    /// The earliest time that a function waits for.
    pub fn next_time(&self) -> Option<SystemTime> {
        let times = self.engine.watches().filter_map(|(_, watch)| match watch {
            Watch::At(time) => Some(*time),
            _ => None,
        });
        times.min()
    }

    /// Schedules calls of the functions that wait for a time up to this one.
    pub fn wake_until(&mut self, now: SystemTime) {
        self.engine.wake(|watch| matches!(watch, Watch::At(time) if *time <= now));
    }

    /// The function engine with its watches.
    pub fn engine(&mut self) -> &mut Engine {
        &mut self.engine
    }
}

/// The start of the main file.
fn start(program: &Program) -> ordain_source::Span {
    let file = program.files.first().copied().unwrap_or(ordain_source::FileId(0));
    ordain_source::TextRange::default().in_file(file)
}
