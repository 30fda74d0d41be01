//! The output of the subcommands.

use std::io::Write;

use ordain_ca::CaError;
use ordain_source::Diagnostic;
use serde_json::{Value as Json, json};

use crate::codes;
use crate::exit::{Exit, Failure};
use crate::ui::{Ui, count};

/// The outcome of a call for several names.
#[derive(Default)]
pub(super) struct Outcome {
    /// Names for which it succeeded.
    pub(super) done: Vec<String>,
    /// Names that have no certificate or request.
    pub(super) not_found: Vec<String>,
    /// Names for which it failed.
    pub(super) errors: Vec<(String, CaError)>,
}

impl Outcome {
    /// Prints the outcome; `verb` is the past participle, `missing` describes a name without one.
    pub(super) fn print(
        &self,
        ui: &mut Ui,
        is_json: bool,
        verb: &str,
        missing: &str,
    ) -> Result<Exit, Failure> {
        if is_json {
            let errors: Json = self
                .errors
                .iter()
                .map(|(name, error)| json!({ "name": name, "error": error.to_string() }))
                .collect();
            let out = json!({
                "format": "ordain-ca-change", "version": 1, "change": verb,
                "done": self.done, "not_found": self.not_found, "errors": errors,
            });
            writeln!(ui.document(), "{out}")?;
        } else {
            for name in &self.done {
                writeln!(ui.out(), "{verb} {name}")?;
            }
            for name in &self.not_found {
                let text = format!("{name} has no {missing}");
                ui.message(&Diagnostic::error(codes::UNKNOWN_NAME, text));
            }
            for (name, error) in &self.errors {
                let text = error.to_string();
                let text = if text.contains(name) { text } else { format!("{name}: {text}") };
                ui.message(&Diagnostic::error(codes::CA, text));
            }
            if self.done.is_empty() && self.not_found.is_empty() && self.errors.is_empty() {
                writeln!(ui.out(), "There is no {missing}.")?;
            }
        }
        let failed = self.not_found.len() + self.errors.len();
        Ok(if failed == 0 { Exit::Done } else { Exit::Failed })
    }
}

/// Prints that a number of things were removed.
pub(super) fn removed(ui: &mut Ui, is_json: bool, number: usize) -> Result<(), Failure> {
    if is_json {
        let out = json!({ "format": "ordain-ca-prune", "version": 1, "removed": number });
        writeln!(ui.document(), "{out}")?;
    } else {
        let certificates = count(number, "certificate");
        writeln!(ui.out(), "Removed {certificates} from the revocation list.")?;
    }
    Ok(())
}
