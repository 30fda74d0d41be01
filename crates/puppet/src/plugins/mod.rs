//! Running the Ruby code that modules bring: functions, Hiera back ends, templates.
//!
//! The code runs in `ruby` processes of the environment (crate `ordain-plugins`). Here is what a
//! compile says to its process and what it answers to its questions. A conversation lasts from the
//! outermost call to its end; inside it each side may call the other. A compile has the same process
//! for all its conversations: a copy of one that has no code of other compiles in it.

mod answers;
mod backends;
mod blocks;
mod catalog;
mod examine;
mod facts;
mod functions;
mod generate;
mod lent;
mod native;
mod native_host;
mod numbers;
mod templates;
mod types;
mod unpack;
mod wire;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ecow::EcoString;
use ordain_plugins::{Fault, Language, Ruby, Session};
use ordain_source::Span;
use rustc_hash::FxHashMap;
use serde_json::{Value as Json, json};

use crate::error::{EvalError, EvalResult, PlainError, Unwind};
use crate::eval::Compiler;
use crate::value::Value;
use crate::value::closure::ScopeId;
use crate::value::text::to_text;

pub(crate) use blocks::RUBY_BLOCK;
pub use facts::{CustomFacts, KnownFacts};
pub use functions::RubyFile;
pub use generate::{NotGenerated, Outline};
pub(crate) use native::RubySource;
pub(crate) use numbers::RubyAnswer;
pub(crate) use types::match_title;

/// How deep calls may nest from Puppet into Ruby and back.
const MAX_NESTING: usize = 200;
/// How many lines of a Ruby backtrace an error shows.
const SHOWN_TRACE: usize = 4;

/// What a compile keeps of its conversation with the `ruby` process.
#[derive(Default)]
pub(crate) struct State<'e> {
    /// Tells this compile from others; 0 until the first call.
    id: u64,
    session: Option<Session<'e>>,
    /// Gives the process to others at the end of the compile.
    claim: Option<Claim<'e>>,
    /// The calls of Ruby code that are under way.
    calls: Vec<Call>,
    /// How many of them render templates.
    templates: usize,
    /// Values that Ruby code holds by number.
    held: Vec<Value>,
    /// The number of the first of them.
    first_held: u64,
    /// Lists and hashes that Ruby code may change.
    lent: lent::Lent,
    /// Errors and jumps on their way through Ruby code, by number.
    unwound: Vec<Option<Box<Unwind>>>,
    functions: FxHashMap<EcoString, Arc<functions::RubyFunction>>,
    /// Lambdas that stand for blocks of Ruby code.
    blocks: blocks::Lambdas,
    /// Functions in Ruby that run without the process; `None` for those that need it.
    natives: FxHashMap<EcoString, Option<Arc<native::Native>>>,
    /// How many calls of such functions are under way.
    native_calls: usize,
    /// What such functions made of files, by their paths.
    file_values: FxHashMap<PathBuf, ordain_ruby::Value>,
    /// What the call that is under way has done already, before the process took over.
    journal: native::Journal,
    /// Whether texts of variables were changed in place that the process may keep.
    pub(crate) texts_changed: bool,
    /// Whether functions that run here, too, work with the contexts of Hiera that the process gets.
    shares_contexts: bool,
}

/// The process that a compile has for itself.
struct Claim<'e> {
    ruby: &'e Ruby,
    id: u64,
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        self.ruby.release(self.id, Some(&json!(["end"])));
    }
}

/// A call of Ruby code that is under way.
#[derive(Clone, Debug)]
struct Call {
    span: Span,
    /// What is called.
    what: EcoString,
}

/// What is called, for errors: `function 'a::b'`, and the file.
#[derive(Clone, Copy)]
struct Callee<'a> {
    what: &'a str,
    /// The file, and the line that it begins on.
    place: &'a str,
}

impl State<'_> {
    fn hold(&mut self, value: Value) -> u64 {
        self.held.push(value);
        self.first_held + self.held.len() as u64 - 1
    }

    fn held(&self, id: u64) -> Option<&Value> {
        self.held.get(usize::try_from(id.checked_sub(self.first_held)?).ok()?)
    }

    /// Ends the conversation.
    fn leave(&mut self) {
        self.first_held += self.held.len() as u64;
        self.held.clear();
        self.lent.truncate(0);
        self.unwound.clear();
        self.session = None;
    }
}

impl Compiler<'_> {
    /// Runs something that talks with the `ruby` process.
    fn with_ruby<T>(
        &mut self,
        callee: Callee<'_>,
        span: Span,
        work: impl FnOnce(&mut Self) -> EvalResult<T>,
    ) -> EvalResult<T> {
        self.check_nesting(callee)?;
        self.ruby.calls.push(Call { span, what: callee.what.into() });
        let result = self.enter(callee, span).and_then(|()| work(self));
        self.ruby.calls.pop();
        if self.ruby.calls.is_empty() {
            self.ruby.leave();
        }
        result
    }

    /// # Errors
    /// When calls of Ruby code are nested too deep for another.
    fn check_nesting(&self, callee: Callee<'_>) -> EvalResult<()> {
        if self.ruby.calls.len() + self.ruby.native_calls < MAX_NESTING {
            return Ok(());
        }
        let mut error = PlainError::new("stack level too deep");
        error.help = Some(format!(
            "{} ({}) is called inside of {MAX_NESTING} calls of Ruby code",
            callee.what, callee.place
        ));
        Err(error.into())
    }

    /// Begins a conversation, if none is under way.
    fn enter(&mut self, callee: Callee<'_>, span: Span) -> EvalResult<()> {
        if self.ruby.session.is_some() {
            return Ok(());
        }
        let (env, claim) = (self.env, self.ruby_claim());
        let session = env.ruby.session(env.world.as_ref(), claim);
        let mut session = session.map_err(|fault| broken(callee, &fault, span))?;
        let is_new = session.is_new_for(self.ruby.id);
        self.ruby.session = Some(session);
        if is_new {
            self.ruby.lent.begin();
            let about = self.about();
            let process = self.converse(callee, span, json!(["compile", about]))?;
            let process = process.as_u64().and_then(|process| u32::try_from(process).ok());
            if let (Some(session), Some(process)) = (&mut self.ruby.session, process) {
                session.share_processor(process);
            }
        }
        Ok(())
    }

    /// The number by which this compile has a process for itself.
    fn ruby_claim(&mut self) -> u64 {
        if self.ruby.id == 0 {
            static NEXT: AtomicU64 = AtomicU64::new(1);
            self.ruby.id = NEXT.fetch_add(1, Ordering::Relaxed);
            // No two compiles hold something by the same number.
            self.ruby.first_held = self.ruby.id << 32;
            self.ruby.claim = Some(Claim { ruby: &self.env.ruby, id: self.ruby.id });
        }
        self.ruby.id
    }

    /// What Ruby code is told of the compile.
    fn about(&self) -> Json {
        let env = self.env;
        let shown = |path: &std::path::Path| path.display().to_string();
        let modules = env.modules.values().map(|m| json!([m.name.as_str(), shown(&m.dir)]));
        let libs = env.modules.values().map(|m| m.dir.join("lib"));
        let libs = libs.filter(|lib| env.world.kind(lib).is_some()).map(|lib| shown(&lib));
        let mut settings: serde_json::Map<_, _> = serde_json::Map::new();
        let all = self.setting_variable("all_local").and_then(Value::as_hash);
        for (name, value) in all.into_iter().flatten() {
            settings.insert(to_text(name).into(), wire::plain(value));
        }
        json!({
            "environment": env.name.as_str(),
            "dir": env.dir.as_deref().map(shown),
            "node": self.node.as_str(),
            "modulepath": env.modulepath.iter().map(|dir| shown(dir)).collect::<Vec<_>>(),
            "modules": modules.collect::<Vec<_>>(),
            "libs": libs.collect::<Vec<_>>(),
            "settings": settings,
            "top": ScopeId::TOP.0,
            "shares_processor": true,
        })
    }

    /// Sends a request and answers questions until its answer comes.
    fn converse(&mut self, callee: Callee<'_>, span: Span, request: Json) -> EvalResult<Json> {
        self.tell_changed_texts(callee, span)?;
        self.say(callee, span, &request)?;
        loop {
            let message = self.hear(callee, span)?;
            let Json::Array(mut parts) = message else {
                return Err(garbled(callee, span));
            };
            let kind = parts.first().and_then(Json::as_str).unwrap_or_default();
            match kind {
                "ok" => return Ok(parts.get_mut(1).map(Json::take).unwrap_or_default()),
                "logs" => self.hear_logs(&parts[1..]),
                "none" => return Err(self.finds_nothing(parts.get(1))),
                "err" => {
                    let error = parts.get_mut(1).map(Json::take).unwrap_or_default();
                    return Err(self.raised(callee, &error));
                }
                "ask" => {
                    let result = self.answer(&parts[1..]);
                    if self.ruby.session.as_ref().is_none_or(Session::is_dead) {
                        return Err(result.err().unwrap_or_else(|| garbled(callee, span)));
                    }
                    let reply = match result {
                        Ok(answer) => json!(["ok", answer]),
                        Err(unwind) => self.unwinding(unwind),
                    };
                    self.tell_changed_texts(callee, span)?;
                    self.say(callee, span, &reply)?;
                }
                _ => return Err(garbled(callee, span)),
            }
        }
    }

    /// Has the process forget the texts of variables that it keeps, if some were changed.
    fn tell_changed_texts(&mut self, callee: Callee<'_>, span: Span) -> EvalResult<()> {
        if !std::mem::take(&mut self.ruby.texts_changed) {
            return Ok(());
        }
        self.say(callee, span, &json!(["texts_changed"]))?;
        self.hear(callee, span).map(drop)
    }

    #[expect(clippy::expect_used, reason = "the session is open inside of with_ruby")]
    fn hear(&mut self, callee: Callee<'_>, span: Span) -> EvalResult<Json> {
        let session = self.ruby.session.as_mut().expect("inside of with_ruby");
        session.receive().map_err(|fault| broken(callee, &fault, span))
    }

    #[expect(clippy::expect_used, reason = "the session is open inside of with_ruby")]
    fn say(&mut self, callee: Callee<'_>, span: Span, message: &Json) -> EvalResult<()> {
        let session = self.ruby.session.as_mut().expect("inside of with_ruby");
        session.send(message).map_err(|fault| broken(callee, &fault, span))
    }

    /// What a function of a Hiera level says with `not_found`, as the end of its call; it tells the
    /// context.
    fn finds_nothing(&mut self, context: Option<&Json>) -> Box<Unwind> {
        let context = context.and_then(Json::as_u64).and_then(|id| self.ruby.held(id)).cloned();
        let said = self.call_context("not_found", &[context.unwrap_or_default()], None);
        match said {
            Some(Err(unwind)) => unwind,
            _ => PlainError::new("uncaught throw :no_such_key").into(),
        }
    }

    /// An error or jump as it is told to Ruby code, which it ends unless it is rescued.
    fn unwinding(&mut self, unwind: Box<Unwind>) -> Json {
        let (message, kind) = match &*unwind {
            Unwind::Error(error) => (error.message.clone(), "error"),
            Unwind::Plain(error) => (error.message.clone(), "error"),
            Unwind::Break(_) => ("break() from context where this is illegal".to_owned(), "break"),
            Unwind::Next(..) | Unwind::Return(..) => ("a jump".to_owned(), "jump"),
        };
        let kind = if self.hiera.gave_up() { "jump" } else { kind };
        self.ruby.unwound.push(Some(unwind));
        json!(["err", message, self.ruby.unwound.len() - 1, kind])
    }

    /// What Ruby code raised, as an error of the compile.
    fn raised(&mut self, callee: Callee<'_>, error: &Json) -> Box<Unwind> {
        let unwound = error["unwound"].as_u64().and_then(|id| usize::try_from(id).ok());
        let slot = unwound.and_then(|id| self.ruby.unwound.get_mut(id));
        if let Some(unwind) = slot.and_then(Option::take) {
            return unwind;
        }
        let class = error["class"].as_str().unwrap_or_default();
        let message = error["message"].as_str().unwrap_or_default();
        let mut out = PlainError::new(match class {
            "Ordain::Stop" | "NoMemoryError" | "SystemExit" => {
                format!("{} is stopped: {message}", callee.what)
            }
            _ => message.to_owned(),
        });
        out.is_puppets = class.starts_with("Puppet::");
        out.help = Some(trace_text(callee, error));
        out.into()
    }
}

/// Where in Ruby an error was raised.
fn trace_text(callee: Callee<'_>, error: &Json) -> String {
    let lines = error["trace"].as_array().map_or(&[][..], Vec::as_slice);
    let lines: Vec<&str> = lines.iter().filter_map(Json::as_str).take(SHOWN_TRACE).collect();
    let class = error["class"].as_str().unwrap_or("error");
    match lines.split_first() {
        Some((first, [])) => format!("Ruby raised {class} at {first}"),
        Some((first, rest)) => {
            format!("Ruby raised {class} at {first}, from {}", rest.join(", from "))
        }
        None => format!("Ruby raised {class} in {}", callee.place),
    }
}

/// An error about the `ruby` process itself.
fn broken(callee: Callee<'_>, fault: &Fault, span: Span) -> Box<Unwind> {
    let message = match fault {
        Fault::Missing(_) => {
            format!("{} is written in Ruby ({}), and {fault}", callee.what, callee.place)
        }
        _ => format!("{} ({}) cannot go on: {fault}", callee.what, callee.place),
    };
    let mut error = EvalError::new("", message, span);
    (error.issue, error.code) = (None, Some("puppet::ruby"));
    error.help.extend(fault.help().map(str::to_owned));
    error.into()
}

fn garbled(callee: Callee<'_>, span: Span) -> Box<Unwind> {
    broken(callee, &Fault::Garbled(Language::Ruby, "it is no message".to_owned()), span)
}
