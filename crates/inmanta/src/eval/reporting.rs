//! Records the statements that errors pass through.

use std::rc::Rc;

use super::net::Net;
use super::state::ids::{NONE, Place};
use crate::diagnostics::{Error, Reporter};
use crate::location::Location;
use crate::syntax::ast::{ExprId, StmtId};
use crate::value::{Unknown, Value};

impl Net<'_> {
    pub(super) fn location(&self, place: Place) -> Location {
        if place.0 >> 31 == 1 {
            self.program.ast.stmts[StmtId::new(place.0 & (NONE >> 1))].at
        } else if (place.0 as usize) < self.program.ast.exprs.len() {
            self.program.ast.exprs[ExprId::new(place.0)].at
        } else {
            Location::line(NONE, 1)
        }
    }

    /// The text of a place after `reported in`.
    pub(super) fn reporter(&self, place: Place) -> Reporter {
        let text = if place.0 >> 31 == 1 {
            self.program.ast.statement(StmtId::new(place.0 & (NONE >> 1)))
        } else {
            self.program.ast.reported(ExprId::new(place.0))
        };
        Reporter { text, location: Some(self.location(place)) }
    }

    /// Records a place in an error, unless it has one.
    pub(super) fn through(&self, mut error: Box<Error>, place: Place) -> Box<Error> {
        self.note_statements(&mut error, place, false);
        error.set_reporter(false, &|| self.reporter(place));
        error
    }

    /// Records a place in an error, in place of the one that it has.
    pub(super) fn replaced(&self, mut error: Box<Error>, place: Place) -> Box<Error> {
        self.note_statements(&mut error, place, true);
        error.set_reporter(true, &|| self.reporter(place));
        error
    }

    /// Sets the place and the reporting statement of an error.
    pub(super) fn error_at(&self, place: Place, error: Box<Error>) -> Box<Error> {
        let mut error = error;
        self.note_statement(&mut error, place);
        let reporter = self.reporter(place);
        error.by(reporter.text, self.location(place))
    }

    pub(super) fn is_skipped(&self, unknown: &Rc<Unknown>) -> bool {
        matches!(&self.skipped, Value::Unknown(skipped) if Rc::ptr_eq(skipped, unknown))
    }

    pub(super) fn unknown(&self) -> Value {
        Value::Unknown(Rc::new(Unknown::default()))
    }
}
