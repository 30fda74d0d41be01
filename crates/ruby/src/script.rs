//! Programs that only call methods of their host, such as a list of declarations.

use crate::eval::error::Error;
use crate::eval::{self, Limits};
use crate::host::Host;
use crate::methods::BuiltIn;
use crate::syntax::{self, SyntaxError};

/// A parsed program.
#[derive(Debug)]
pub struct Script {
    program: syntax::Program,
}

impl Script {
    /// Parses a program.
    ///
    /// # Errors
    /// When it is no valid Ruby, or beyond the subset.
    pub fn parse(text: &str) -> Result<Self, SyntaxError> {
        Ok(Self { program: syntax::parse(text, &[])? })
    }

    /// Runs the program. The host gets the calls of methods of `self`. Afterwards `limits` has the
    /// steps that are left.
    ///
    /// # Errors
    /// When the program raises an exception, is beyond the subset, or uses up a budget.
    pub fn run(&self, host: &mut dyn Host, limits: &mut Limits) -> Result<(), Error> {
        eval::run(&self.program, host, &BuiltIn, limits, 0).map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::host::HostError;
    use crate::value::{Foreign, Value};

    #[derive(Default)]
    struct Calls {
        line: u32,
        seen: Vec<(u32, String)>,
    }

    impl Host for Calls {
        fn variable(&mut self, _: &str) -> Option<Value> {
            None
        }

        fn at_line(&mut self, line: u32) {
            self.line = line;
        }

        fn call(
            &mut self,
            _: Option<&Foreign>,
            name: &str,
            args: &[Value],
        ) -> Result<Option<Value>, HostError> {
            if name != "item" {
                return Ok(None);
            }
            let text = args.first().and_then(Value::as_text).unwrap_or_default();
            self.seen.push((self.line, text.to_string()));
            Ok(Some(Value::Nil))
        }
    }

    #[test]
    fn the_host_gets_calls_with_their_lines() {
        let text = "names = %w[a b]\n\nnames.each do |n|\n  item n,\n    :x => 1\nend\nitem 'c'\n";
        let mut host = Calls::default();
        Script::parse(text).unwrap().run(&mut host, &mut Limits::default()).unwrap();
        let seen: Vec<_> = host.seen.iter().map(|(line, name)| (*line, name.as_str())).collect();
        assert_eq!(seen, [(4, "a"), (4, "b"), (7, "c")]);
    }

    #[test]
    fn unknown_methods_are_errors_with_their_line() {
        let script = Script::parse("item 'a'\nother 'b'\n").unwrap();
        let error = script.run(&mut Calls::default(), &mut Limits::default()).unwrap_err();
        assert!(matches!(&error, Error::Exception(e) if e.line == 2), "{error:?}");
    }
}
