//! Calls that run one after the other without a message between.
//!
//! The child runs them until one fails or has a question, and sends results while it goes on. A
//! question waits until its call is asked for its result: only then the model is as far as the call
//! may see.

use std::collections::VecDeque;

use ordain_plugins::Fault;
use serde_json::Value as Json;

use super::message::Message;
use super::{Python, answers, gone, lines};
use crate::error::{Class, Error};
use crate::plugin::{Context, Stop};

/// How many bytes the calls of a message take at most, besides those of the last one.
const MOST_BYTES: usize = 1 << 20;

/// The calls that were prepared, and their results.
#[derive(Default)]
pub(super) struct Batch {
    /// Those that were not sent yet, as the text of a message.
    waiting: Vec<u8>,
    /// How many these are.
    count: usize,
    /// The results of those that have run, in their order.
    results: VecDeque<Json>,
    /// The question of the next one.
    question: Option<Json>,
    /// How many were sent of which nothing was heard.
    unheard: usize,
    /// Whether the child runs them, so that it sends further results.
    is_running: bool,
    /// That the child was lost.
    fault: Option<Fault>,
}

impl Batch {
    /// Adds a call, which `write` adds to a message. Says whether there is room for more.
    pub(super) fn prepare(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> bool {
        if self.count > 0 {
            self.waiting.push(b',');
        }
        self.count += 1;
        write(&mut self.waiting);
        self.waiting.len() < MOST_BYTES
    }

    /// The message with the calls that were prepared, if there are some.
    fn take_waiting(&mut self) -> Option<Message> {
        if self.count == 0 {
            return None;
        }
        self.unheard = std::mem::take(&mut self.count);
        let mut message = Message::with("do", "calls");
        let out = message.entry("calls");
        out.push(b'[');
        out.append(&mut self.waiting);
        out.push(b']');
        Some(message)
    }

    /// Takes a message of the child while it runs calls.
    fn take(&mut self, answer: Result<Json, Fault>) {
        let mut said = match answer {
            Ok(said) => said,
            Err(fault) => {
                (self.fault, self.is_running) = (Some(fault), false);
                return;
            }
        };
        if let Json::Array(results) = said["results"].take() {
            self.unheard = self.unheard.saturating_sub(results.len());
            self.results.extend(results);
        }
        // The child says of itself that the next call ends it.
        if said.get("last").is_some() {
            self.unheard = 1;
        }
        self.is_running = said.get("more").is_some();
        if said.get("ask").is_some() {
            self.question = Some(said);
        }
    }

    /// Names the calls that the child may have run when it was lost: it sends results when it has
    /// several.
    fn under_way(&self, who: &str) -> String {
        match self.unheard {
            0 | 1 => who.to_owned(),
            2 => format!("{who} or the call behind it"),
            count => format!("{who} or one of the {} calls behind it", count - 1),
        }
    }
}

impl Python {
    /// The result of the next one of the calls that were prepared.
    pub(super) fn prepared(&self, context: &mut dyn Context, who: &str) -> Result<Json, Stop> {
        let waiting = self.batch.borrow_mut().take_waiting();
        if let Some(message) = waiting {
            self.run_batch(context, message);
        }
        let mut stopped = None;
        loop {
            let result = self.batch.borrow_mut().results.pop_front();
            if let Some(result) = result {
                for line in lines(&result) {
                    context.print(line);
                }
                return match stopped.filter(|_| result.get("error").is_some()) {
                    Some(stop) => Err(stop),
                    None => Ok(result),
                };
            }
            if self.batch.borrow().is_running {
                self.hear_batch(context);
                continue;
            }
            let batch = self.batch.borrow();
            if let Some(fault) = &batch.fault {
                return Err(gone(fault, &batch.under_way(who)));
            }
            drop(batch);
            let Some(question) = self.batch.borrow_mut().question.take() else {
                let text = format!("{who} was not run: a call before it failed");
                return Err(Stop::Error(Error::new(Class::Runtime, text)));
            };
            for line in lines(&question) {
                context.print(line);
            }
            let reply = match answers::answer(context, &question, &self.mirror) {
                Ok(reply) => reply,
                Err(stop) => {
                    let reply = answers::stop(&stop, &mut self.mirror.borrow_mut());
                    stopped = Some(stop);
                    reply
                }
            };
            self.run_batch(context, reply);
        }
    }

    /// Has the child run calls, or go on with them.
    fn run_batch(&self, context: &dyn Context, message: Message) {
        let sent = self.send(context, message);
        let mut batch = self.batch.borrow_mut();
        match sent {
            Ok(()) => batch.is_running = true,
            Err(fault) => batch.take(Err(fault)),
        }
    }

    /// Waits for the next message of the child while it runs calls. If the child is lost, the call
    /// that it ran then learns of it; those before it are done.
    fn hear_batch(&self, context: &dyn Context) {
        let answer = self.receive(context);
        self.batch.borrow_mut().take(answer);
    }

    /// Waits until the child runs no calls of a batch, so that it can be sent another message.
    pub(super) fn pause_batch(&self, context: &dyn Context) {
        while self.batch.borrow().is_running {
            self.hear_batch(context);
        }
    }
}
