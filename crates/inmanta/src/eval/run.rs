//! Runs a program from the first statement to the end.

use ordain_source::budget;

use super::net::Net;
use super::state::ids::{Scope, ScopeId};
use super::state::index::Instance;
use super::state::unit::{Comprehension, Listener, Promise, Unit};
use super::state::variable::{Delayed, Var, Waiter};
use crate::diagnostics::{Class, Error, Result};
use crate::syntax::ast::BlockId;
use crate::value::Value;

impl Net<'_> {
    /// Runs the program to its end.
    ///
    /// # Errors
    /// The first error of the run, or all missing values at the end.
    pub fn run(&mut self) -> Result<()> {
        self.waiting = self.precedence()?;
        self.program.warn_of_shadows();
        for _ in 0..self.program.global_count {
            self.plain(0);
        }
        for top in self.program.tops.clone() {
            self.emit_block(top.block, ScopeId::TOP)?;
        }
        self.turn()?;
        self.finish()
    }

    /// Runs the program without the plugins that touch the machine or are written in Python, with
    /// this limit for its memory in bytes. Errors behind the first call of such a plugin depend on
    /// its result, and limits are no mistakes of the model.
    pub(crate) fn run_in_check(&mut self, max_bytes: usize) -> Result<()> {
        self.settings.is_check = true;
        self.settings.max_bytes = max_bytes.min(self.settings.max_bytes);
        match self.run() {
            Err(error) if self.needs_plugin || error.class == Class::Compiler => Ok(()),
            result => result,
        }
    }

    /// Checks the size of the model. Implementations can create instances without end.
    pub(super) fn check_size(&self) -> Result<()> {
        let taken = self.vars.len() * size_of::<Var>()
            + self.delayed.len() * size_of::<Delayed>()
            + self.instances.len() * size_of::<Instance>()
            + self.units.len() * size_of::<Unit>()
            + self.scopes.len() * size_of::<Scope>()
            + self.waiters.len() * size_of::<Waiter>()
            + self.listeners.len() * size_of::<Listener>()
            + self.promises.len() * size_of::<Promise>()
            + self.comprehensions.len() * size_of::<Comprehension>()
            + self.scope_blocks.len() * size_of::<(u32, BlockId)>()
            + self.items * size_of::<Value>()
            + self.waiting.bytes()
            + self.zero.bytes();
        if taken < self.settings.max_bytes {
            // The contents of values, such as texts, are not counted here; the budget checks the
            // process.
            return budget::check()
                .map_err(|exceeded| Error::new(Class::Compiler, exceeded.to_string()));
        }
        let message = format!(
            "the model takes more than {} MiB, with {} instances so far",
            self.settings.max_bytes >> 20,
            self.instances.len()
        );
        let mut error = Error::new(Class::Compiler, message);
        let help = "does an implementation make instances that it is an implementation of?";
        let help = format!("{help} {}", budget::HELP);
        error.background.get_or_insert_default().help.push(help);
        Err(error)
    }
}
