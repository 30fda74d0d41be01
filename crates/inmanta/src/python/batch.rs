//! Calls that run one after the other without a message between.
//!
//! The child runs them until one fails or has a question. The question waits until the call is
//! asked for its result: only then the model is as far as the call may see.

use std::collections::VecDeque;

use ordain_plugins::Fault;
use serde_json::{Value as Json, json};

use super::{Python, answers, gone, lines};
use crate::error::{Class, Error};
use crate::plugin::{Context, Stop};

/// How many bytes the calls of a message take at most, about, besides those of the last one.
const MOST_BYTES: usize = 1 << 20;

/// The calls that were prepared, and what came of them.
#[derive(Default)]
pub(super) struct Batch {
    /// Those that were not sent yet.
    waiting: Vec<Json>,
    /// About how many bytes they take.
    bytes: usize,
    /// What came of those that have run, in their order.
    results: VecDeque<Json>,
    /// What the next one asks.
    question: Option<Json>,
    /// How many were sent of which nothing was heard.
    unheard: usize,
    /// That the child was lost.
    fault: Option<Fault>,
}

impl Batch {
    /// Adds a call. Says whether there is room for more.
    pub(super) fn prepare(&mut self, message: Json) -> bool {
        self.bytes += bytes(&message);
        self.waiting.push(message);
        self.bytes < MOST_BYTES
    }

    /// What the child ran when it was lost: it says what came of calls when it has run several.
    fn under_way(&self, who: &str) -> String {
        match self.unheard {
            0 | 1 => who.to_owned(),
            2 => format!("{who} or the call behind it"),
            count => format!("{who} or one of the {} calls behind it", count - 1),
        }
    }
}

impl Python {
    /// What came of the next one of the calls that were prepared.
    pub(super) fn prepared(&self, context: &mut dyn Context, who: &str) -> Result<Json, Stop> {
        let waiting = std::mem::take(&mut self.batch.borrow_mut().waiting);
        if !waiting.is_empty() {
            let mut batch = self.batch.borrow_mut();
            (batch.bytes, batch.unheard) = (0, waiting.len());
            drop(batch);
            self.run_batch(context, json!({"do": "calls", "calls": waiting}));
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

    /// Sends a message, and takes what comes of calls until all have run, one has a question, or the
    /// child is lost: the call that it ran then is told of it, and those before it are done.
    fn run_batch(&self, context: &dyn Context, message: Json) {
        let mut answer = self.try_exchange(context, message);
        loop {
            let mut batch = self.batch.borrow_mut();
            let mut said = match answer {
                Ok(said) => said,
                Err(fault) => {
                    batch.fault = Some(fault);
                    return;
                }
            };
            if let Json::Array(results) = said["results"].take() {
                batch.unheard = batch.unheard.saturating_sub(results.len());
                batch.results.extend(results);
            }
            // The child says of itself that the next call ends it.
            if said.get("last").is_some() {
                batch.unheard = 1;
            }
            let goes_on = said.get("more").is_some();
            if said.get("ask").is_some() {
                batch.question = Some(said);
            }
            if !goes_on {
                return;
            }
            answer = self.next_message(context);
        }
    }

    fn next_message(&self, context: &dyn Context) -> Result<Json, Fault> {
        self.host.session(context.world(), super::COMPILE)?.receive()
    }
}

/// About how many bytes a message takes.
fn bytes(json: &Json) -> usize {
    match json {
        Json::String(text) => text.len() + 2,
        Json::Array(items) => items.iter().map(bytes).sum::<usize>() + 2,
        Json::Object(entries) => entries.iter().map(|(key, item)| key.len() + bytes(item)).sum(),
        _ => 8,
    }
}
