//! The state of a compile's conversation with the `ruby` process.

use crate::catalog::ResourceId;
use crate::error::{EvalResult, PlainError, Unwind};
use crate::load::RubyFile;
use crate::load::ruby_source::RubySource;
use crate::state::budget::address;
use crate::syntax::Program;
use crate::types::Type;
use crate::types::mismatch;
use crate::types::signature::Signature;
use crate::value::Value;
use crate::value::closure::Closure;
use ecow::EcoString;
use ordain_plugins::{Ruby, Session};
use ordain_source::Span;
use rustc_hash::FxHashMap;
use serde_json::json;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;

/// The state of a compile's conversation with the `ruby` process.
#[derive(Default)]
pub(crate) struct State<'e> {
    /// Identifies this compile; 0 until the first call.
    pub(super) id: u64,
    pub(super) session: Option<Session<'e>>,
    /// Releases the process at the end of the compile.
    pub(super) claim: Option<ReservedProcess<'e>>,
    /// The calls of Ruby code that are under way.
    pub(super) calls: Vec<Call>,
    /// The number of these calls that render templates.
    pub(super) templates: usize,
    /// Values to which Ruby code refers by number.
    pub(super) held: Vec<Value>,
    /// The number of the first of them.
    pub(super) first_held: u64,
    /// Lists and hashes that Ruby code may change.
    pub(super) values: ProcessValues,
    /// Errors and jumps on their way through Ruby code, by number.
    pub(super) unwound: Vec<Option<Box<Unwind>>>,
    pub(super) functions: FxHashMap<EcoString, Arc<RubyFunction>>,
    /// Lambdas for blocks of Ruby code.
    pub(super) blocks: Lambdas,
    /// Functions in Ruby that run without the process; `None` for those that need it.
    pub(super) natives: FxHashMap<EcoString, Option<Arc<Native>>>,
    /// The number of calls of such functions that are under way.
    pub(super) native_calls: usize,
    /// Results of such functions for files, by path.
    pub(super) file_values: FxHashMap<PathBuf, ordain_ruby::Value>,
    /// The effects of the current call before the process took over.
    pub(super) journal: Journal,
    /// Whether texts of variables were changed in place that the process may keep.
    pub(crate) texts_changed: bool,
    /// Whether functions that run here, too, work with the contexts of Hiera that the process gets.
    pub(super) shares_contexts: bool,
}

/// The process that is reserved for a compile.
pub(super) struct ReservedProcess<'e> {
    pub(super) ruby: &'e Ruby,
    pub(super) id: u64,
}

impl Drop for ReservedProcess<'_> {
    fn drop(&mut self) {
        self.ruby.release(self.id, Some(&json!(["end"])));
    }
}

/// A call of Ruby code that is under way.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) span: Span,
    /// The callee.
    pub(super) what: EcoString,
}

/// The callee for errors: `function 'a::b'`, and the file.
#[derive(Clone, Copy)]
pub(super) struct Callee<'a> {
    pub(super) what: &'a str,
    /// The file and the line of the definition.
    pub(super) place: &'a str,
}

impl State<'_> {
    pub(super) fn hold(&mut self, value: Value) -> u64 {
        self.held.push(value);
        self.first_held + self.held.len() as u64 - 1
    }

    pub(super) fn held(&self, id: u64) -> Option<&Value> {
        self.held.get(usize::try_from(id.checked_sub(self.first_held)?).ok()?)
    }

    /// Ends the conversation.
    pub(super) fn end_conversation(&mut self) {
        self.first_held += self.held.len() as u64;
        self.held.clear();
        self.values.truncate(0);
        self.unwound.clear();
        self.session = None;
    }
}

/// The maximal gap in the numbers that the process uses.
pub(super) const MAX_GAP: usize = 1 << 12;

/// The values that the process has.
#[derive(Default)]
pub(super) struct ProcessValues {
    pub(super) parts: Vec<Part>,
    /// The numbers of the first ones by address.
    pub(super) numbers: FxHashMap<usize, usize>,
    pub(super) numbered: usize,
    /// The frozen values with their numbers in the process, once they are needed.
    pub(super) fixed: Option<FxHashMap<usize, Option<usize>>>,
    /// The frozen values by those numbers.
    pub(super) sent: Vec<Value>,
}

/// A list or hash.
pub(super) struct Part {
    /// `undef` if the process has a list where the compile has something else.
    pub(super) value: Value,
    /// The resource whose code shares it.
    pub(super) within: Option<ResourceId>,
}

impl ProcessValues {
    pub(super) fn len(&self) -> usize {
        self.parts.len()
    }

    /// Forgets the last ones.
    pub(super) fn truncate(&mut self, len: usize) {
        if len < self.parts.len() {
            self.parts.truncate(len);
            self.renumber();
        }
    }

    /// Forgets the frozen values that were sent, because a new process needs all of them again.
    pub(super) fn begin(&mut self) {
        self.sent.clear();
        self.fixed.iter_mut().flat_map(FxHashMap::values_mut).for_each(|number| *number = None);
    }

    pub(super) fn get(&self, number: Option<u64>) -> Option<&Value> {
        let part = self.parts.get(usize::try_from(number?).ok()?)?;
        address(&part.value).map(|_| &part.value)
    }

    /// A frozen value by its number.
    pub(super) fn get_fixed(&self, number: Option<u64>) -> Option<&Value> {
        self.sent.get(usize::try_from(number?).ok()?)
    }

    /// Records a value that the process has numbered. The process counts on from the values that it
    /// got. It also counts values of questions that failed before they were sent, so there may be
    /// gaps.
    pub(super) fn set(&mut self, number: usize, part: Part) {
        let len = self.parts.len();
        if (len..len + MAX_GAP).contains(&number) {
            let within = part.within;
            self.parts.resize_with(number, || Part { value: Value::Undef, within });
            self.parts.push(part);
        }
    }

    pub(super) fn renumber(&mut self) {
        self.numbers.clear();
        self.numbered = 0;
    }

    pub(super) fn index(&mut self) {
        for (number, part) in self.parts.iter().enumerate().skip(self.numbered) {
            if let Some(address) = address(&part.value) {
                self.numbers.entry(address).or_insert(number);
            }
        }
        self.numbered = self.parts.len();
    }
}

/// A function that the `ruby` process has loaded.
#[derive(Debug)]
pub(super) struct RubyFunction {
    /// Its name in errors.
    pub(super) what: String,
    /// The file, and the line of the definition.
    pub(super) place: String,
    pub(super) dispatches: Vec<Dispatch>,
    /// The number of arguments of a function of the older interface, in its own notation.
    pub(super) arity: Option<i32>,
}

/// A signature and the method behind it.
#[derive(Debug)]
pub(super) struct Dispatch {
    pub(super) signature: Signature,
    /// Whether the method only explains why such arguments are wrong.
    pub(super) explains: bool,
    /// The method.
    pub(super) method: String,
    /// Its number in the `ruby` process.
    pub(super) number: usize,
}

impl RubyFunction {
    pub(super) fn callee(&self) -> Callee<'_> {
        Callee { what: &self.what, place: &self.place }
    }

    /// The first signature that takes these arguments.
    pub(super) fn signature_for(
        &self,
        args: &[Value],
        block: Option<&Closure>,
    ) -> Option<&Dispatch> {
        self.dispatches.iter().find(|d| mismatch::accepts(&d.signature, args, block))
    }

    /// The return types of all signatures; `None` if one has none.
    pub(super) fn return_types(&self) -> Option<Vec<Type>> {
        let stated = |kind: &Type| *kind != Type::Any;
        let types = self.dispatches.iter().map(|d| d.signature.returns.clone().filter(stated));
        types.collect::<Option<Vec<_>>>().filter(|types| !types.is_empty())
    }

    /// Adds the function to an error about its value.
    pub(super) fn about_result(&self, unwind: Box<Unwind>) -> Box<Unwind> {
        match *unwind {
            Unwind::Plain(error) => {
                let help = Some(format!("{} ({}) gives it", self.what, self.place));
                PlainError { help, ..error }.into()
            }
            other => Box::new(other),
        }
    }
}

impl Dispatch {
    /// # Errors
    /// When a value is not of the return type of the signature.
    pub(super) fn check_returned(&self, value: &Value) -> EvalResult<()> {
        let Some(kind) = &self.signature.returns else { return Ok(()) };
        let subject = format!("value returned from function '{}'", self.method);
        mismatch::assert_instance(&subject, kind, value).map(drop)
    }
}

/// A function of a file that runs without the process.
pub(super) struct Native {
    pub(super) file: Arc<RubyFile>,
    pub(super) source: Arc<RubySource>,
    /// Its signatures.
    pub function: RubyFunction,
}

/// The effects of a call before the process took over, in order.
#[derive(Default)]
pub(super) struct Journal {
    pub(super) calls: VecDeque<(EcoString, EvalResult)>,
    /// How many calls were recorded, including those that are no longer in the list.
    recorded: u64,
    /// The number of logged messages.
    pub(super) logs: usize,
}

impl Journal {
    /// The result of the next call, if it was made already.
    pub(super) fn next(&mut self, name: &str) -> Option<EvalResult> {
        match self.calls.front() {
            Some((known, _)) if known == name => self.calls.pop_front().map(|(_, result)| result),
            _ => None,
        }
    }

    /// Whether the next message was logged already.
    pub(super) fn was_logged(&mut self) -> bool {
        let was_logged = self.logs > 0;
        self.logs = self.logs.saturating_sub(1);
        was_logged
    }

    /// Records the result of a call; returns the number of the call.
    pub(super) fn record_call(&mut self, name: &str, result: EvalResult) -> u64 {
        self.calls.push_back((name.into(), result));
        self.recorded += 1;
        self.recorded
    }

    pub(super) fn record_logs(&mut self, messages: usize) {
        self.logs += messages;
    }

    /// The error of the last call, if the call has this number.
    pub(super) fn last_error(&mut self, number: u64) -> Option<Box<Unwind>> {
        let is_last = self.recorded == number;
        self.calls.pop_back_if(|(_, result)| is_last && result.is_err())?.1.err()
    }
}

/// The text of an error.
pub(super) fn message(unwind: &Unwind) -> Option<&str> {
    match unwind {
        Unwind::Error(error) => Some(&error.message),
        Unwind::Plain(error) => Some(&error.message),
        _ => None,
    }
}

/// The programs of such lambdas, by the number of the block and its parameters.
pub(super) type Lambdas = FxHashMap<(u64, i64), Arc<Program>>;
