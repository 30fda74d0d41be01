//! Matches regular expressions.

use std::rc::Rc;

use super::Interp;
use super::error::Eval;
use crate::class::Class;
use crate::value::{MatchData, Value};

impl Interp<'_> {
    /// Matches, sets `$~`, and returns the offset of the match in characters.
    pub(crate) fn match_text(&mut self, pattern: &Value, text: &str) -> Eval {
        let Value::Regexp(regexp) = pattern else { return Ok(Value::Nil) };
        let found = regexp.regex.captures(text);
        self.steps(text.len() / 64)?;
        let Some(captures) = self.regex_result(found)? else {
            self.last_match = None;
            return Ok(Value::Nil);
        };
        let start = captures.whole().start;
        let spans = captures.spans().to_vec();
        let data = MatchData { text: text.into(), regexp: Rc::clone(regexp), spans };
        self.last_match = Some(Rc::new(data));
        Ok(Value::Int(text[..start].chars().count() as i64))
    }

    /// Turns an error of the regex engine into an exception or a used-up budget.
    pub(crate) fn regex_result<T>(&mut self, result: ordain_functions::Result<T>) -> Eval<T> {
        self.steps(10)?;
        match result {
            Ok(value) => Ok(value),
            Err(ordain_functions::Error::RegexBudget { .. }) => {
                self.limit("a regular expression takes too many steps")
            }
            Err(error) => self.raise(Class::REGEXP_ERROR, error.to_string()),
        }
    }
}
