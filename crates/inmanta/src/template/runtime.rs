//! The state of a template's run, and its budgets.

use std::collections::HashMap;
use std::rc::Rc;

use ecow::EcoString;
use ordain_source::budget::{self, HELP};
use ordain_source::limits::{most_items, most_text};

use super::fault::{Fault, Res};
use crate::diagnostics::Exception;
use crate::model::plugin;

/// The limit for nested calls, templates and expressions.
const MAX_DEPTH: usize = 240;

/// The state of a template's run.
pub(super) struct Runtime<'a> {
    pub(super) model: &'a mut dyn plugin::Context,
    /// The plugins by their names as filters.
    pub(super) plugins: Rc<HashMap<EcoString, EcoString>>,
    steps: u64,
    depth: usize,
    /// The seed of the last random number.
    pub(super) random: u64,
}

/// The limit for steps of a template.
const MAX_STEPS: u64 = 12_000_000;

impl<'a> Runtime<'a> {
    pub(super) fn new(
        model: &'a mut dyn plugin::Context,
        plugins: Rc<HashMap<EcoString, EcoString>>,
    ) -> Self {
        Self { model, plugins, steps: 0, depth: 0, random: 0 }
    }

    /// Counts steps against the budgets.
    pub(super) fn step(&mut self, steps: u64) -> Res<()> {
        let before = self.steps >> 10;
        self.steps += steps;
        if self.steps >> 10 != before {
            let most = budget::scaled(MAX_STEPS);
            if self.steps > most {
                let text = format!("the template takes more than {most} steps; {HELP}");
                return Err(Fault::Raised(Exception::RuntimeError, text));
            }
            budget::check().map_err(|e| Fault::Raised(Exception::RuntimeError, e.to_string()))?;
        }
        Ok(())
    }

    /// Checks the length of a text in bytes.
    pub(super) fn text_fits(&mut self, bytes: usize) -> Res<()> {
        if bytes > most_text() {
            let text = format!("a text is too long; {HELP}");
            return Err(Fault::Raised(Exception::MemoryError, text));
        }
        self.step(bytes as u64 / 16)
    }

    /// Checks the number of items of a list.
    pub(super) fn items_fit(&mut self, count: usize) -> Res<()> {
        if count > most_items() {
            let text = format!("a list is too long; {HELP}");
            return Err(Fault::Raised(Exception::MemoryError, text));
        }
        Ok(())
    }

    /// Runs a function one nesting level deeper.
    pub(super) fn nested<T>(&mut self, act: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        if self.depth >= MAX_DEPTH {
            return Err(Fault::Raised(
                Exception::RecursionError,
                "maximum recursion depth exceeded".into(),
            ));
        }
        self.depth += 1;
        let result = act(self);
        self.depth -= 1;
        result
    }

    /// Checks the length of the output so far, in bytes.
    pub(super) fn length_fits(&mut self, bytes: usize) -> Res<()> {
        if bytes > most_text() { self.text_fits(bytes) } else { Ok(()) }
    }
}
