//! The host for conversions of default values.

use crate::error::EvalResult;
use crate::state::Compiler;
use crate::state::evaluate::Evaluate;
use crate::types::Type;
use crate::types::new::Host;
use ordain_source::{FileId, Span, TextRange};

/// The operations that the evaluation of a default may use.
pub(super) struct DefaultHost<'c, 'e>(pub(super) &'c mut Compiler<'e>);

impl Host for DefaultHost<'_, '_> {
    // A default must not depend on the time of its evaluation.
    fn now(&mut self) -> i128 {
        0
    }

    fn zone(&mut self) -> String {
        ordain_functions::time::offset_text(0)
    }

    fn type_of_text(&mut self, text: &str) -> EvalResult<Type> {
        self.0.type_of_text(text, NOWHERE)
    }
}

/// The place of values that no file contains.
pub(super) const NOWHERE: Span = Span { file: FileId(0), range: TextRange { start: 0, end: 0 } };
