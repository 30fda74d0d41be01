//! Ruby code of modules: functions, Hiera back ends, templates.
//!
//! The code runs in `ruby` processes of the environment (crate `ordain-plugins`). This module has
//! the messages of a compile to its process, and the answers to the questions of the process. A
//! conversation lasts from the outermost call to its end; within it, each side may call the other.
//! A compile has the same process for all its conversations: a fresh copy, so that compiles cannot
//! influence each other.

mod answers;
mod backends;
mod blocks;
mod catalog;
pub(crate) mod convert;
mod examine;
mod facts;
mod functions;
mod generate;
pub(crate) mod mutations;
mod native;
mod native_host;
mod numbers;
mod process_values;
mod state;
mod templates;
mod types;
mod unpack;
mod wire;

use std::sync::atomic::{AtomicU64, Ordering};

use ordain_plugins::{Fault, Language, Session};
use ordain_source::Span;
use ordain_source::inputs::note_unrepeatable;
use serde_json::{Value as Json, json};

use crate::error::{EvalError, EvalResult, PlainError, UnknownName, Unwind};
use crate::state::Compiler;
use crate::value::Value;
use crate::value::closure::ScopeId;
use crate::value::text::to_text;

pub(crate) use crate::plugins::state::State;
use crate::plugins::state::{Call, Callee, ReservedProcess};
pub(crate) use blocks::RUBY_BLOCK;
pub use facts::{CustomFacts, KnownFacts};
pub use generate::{NotGenerated, Outline};
pub(crate) use numbers::RubyAnswer;
pub(crate) use types::match_title;

/// The maximal nesting of calls from Puppet into Ruby and back.
const MAX_NESTING: usize = 200;
/// The maximal number of lines of a Ruby backtrace in an error.
const SHOWN_TRACE: usize = 4;

impl Compiler<'_> {
    /// Runs code that talks with the `ruby` process.
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
            self.ruby.end_conversation();
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

    /// Begins a conversation, unless one is in progress.
    fn enter(&mut self, callee: Callee<'_>, span: Span) -> EvalResult<()> {
        // Ruby code may read anything.
        note_unrepeatable(|| ecow::eco_format!("{} runs in a process", callee.what));
        if self.ruby.session.is_some() {
            return Ok(());
        }
        let (env, claim) = (self.env, self.ruby_claim());
        let session = env.ruby.session(env.world.as_ref(), claim);
        let mut session = session.map_err(|fault| broken(callee, &fault, span))?;
        let is_new = session.is_new_for(self.ruby.id);
        self.ruby.session = Some(session);
        if is_new {
            self.ruby.values.begin();
            let about = self.about();
            let process = self.converse(callee, span, json!(["compile", about]))?;
            let process = process.as_u64().and_then(|process| u32::try_from(process).ok());
            if let (Some(session), Some(process)) = (&mut self.ruby.session, process) {
                session.share_processor(process);
            }
        }
        Ok(())
    }

    /// The number by which this compile reserves a process.
    fn ruby_claim(&mut self) -> u64 {
        if self.ruby.id == 0 {
            static NEXT: AtomicU64 = AtomicU64::new(1);
            self.ruby.id = NEXT.fetch_add(1, Ordering::Relaxed);
            // The numbers of held values differ between compiles.
            self.ruby.first_held = self.ruby.id << 32;
            self.ruby.claim = Some(ReservedProcess { ruby: &self.env.ruby, id: self.ruby.id });
        }
        self.ruby.id
    }

    /// The description of the compile for Ruby code.
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
        self.send_changed_texts(callee, span)?;
        self.send(callee, span, &request)?;
        loop {
            let message = self.receive(callee, span)?;
            let Json::Array(mut parts) = message else {
                return Err(garbled(callee, span));
            };
            let kind = parts.first().and_then(Json::as_str).unwrap_or_default();
            match kind {
                "ok" => return Ok(parts.get_mut(1).map(Json::take).unwrap_or_default()),
                "logs" => self.log_messages(&parts[1..]),
                "none" => return Err(self.report_not_found(parts.get(1))),
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
                    self.send_changed_texts(callee, span)?;
                    self.send(callee, span, &reply)?;
                }
                _ => return Err(garbled(callee, span)),
            }
        }
    }

    /// Tells the process to drop its texts of variables, if some were changed.
    fn send_changed_texts(&mut self, callee: Callee<'_>, span: Span) -> EvalResult<()> {
        if !std::mem::take(&mut self.ruby.texts_changed) {
            return Ok(());
        }
        self.send(callee, span, &json!(["texts_changed"]))?;
        self.receive(callee, span).map(drop)
    }

    #[expect(clippy::expect_used, reason = "the session is open inside of with_ruby")]
    fn receive(&mut self, callee: Callee<'_>, span: Span) -> EvalResult<Json> {
        let session = self.ruby.session.as_mut().expect("inside of with_ruby");
        session.receive().map_err(|fault| broken(callee, &fault, span))
    }

    #[expect(clippy::expect_used, reason = "the session is open inside of with_ruby")]
    fn send(&mut self, callee: Callee<'_>, span: Span, message: &Json) -> EvalResult<()> {
        let session = self.ruby.session.as_mut().expect("inside of with_ruby");
        session.send(message).map_err(|fault| broken(callee, &fault, span))
    }

    /// Ends the call of a Hiera function that called `not_found`, and informs the context.
    fn report_not_found(&mut self, context: Option<&Json>) -> Box<Unwind> {
        let context = context.and_then(Json::as_u64).and_then(|id| self.ruby.held(id)).cloned();
        let reply = self.call_context("not_found", &[context.unwrap_or_default()], None);
        match reply {
            Some(Err(unwind)) => unwind,
            _ => PlainError::new("uncaught throw :no_such_key").into(),
        }
    }

    /// An error or jump for Ruby code, which it ends unless it is rescued.
    fn unwinding(&mut self, unwind: Box<Unwind>) -> Json {
        let (message, kind) = match &*unwind {
            Unwind::Error(error) => (error.message.clone(), "error"),
            Unwind::Plain(error) => (error.message.clone(), "error"),
            Unwind::Break(_) => ("break() from context where this is illegal".to_owned(), "break"),
            Unwind::Next(..) | Unwind::Return(..) => ("a jump".to_owned(), "jump"),
        };
        let kind = if self.hiera.reported_not_found() { "jump" } else { kind };
        self.ruby.unwound.push(Some(unwind));
        json!(["err", message, self.ruby.unwound.len() - 1, kind])
    }

    /// An exception of Ruby code as an error of the compile.
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
        out.unknown = error["undefined_type"].as_bool().map(|_| UnknownName::RubyType);
        out.help = Some(trace_text(callee, error));
        out.into()
    }
}

/// The place in Ruby code where an error was raised.
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
        Fault::Missing(_) | Fault::Excluded(_) => {
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
