//! Calls that run one after the other without a message between.
//!
//! The child runs them until one fails or has a question, and sends results while it goes on. A
//! question waits until its call is asked for its result: only then the model is as far as the call
//! may see.

use std::collections::VecDeque;

use ordain_plugins::Fault;
use serde_json::Value as Json;

use super::message::Message;

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
    pub(super) results: VecDeque<Json>,
    /// The question of the next one.
    pub(super) question: Option<Json>,
    /// How many were sent of which nothing was heard.
    unheard: usize,
    /// Whether the child runs them, so that it sends further results.
    pub(super) is_running: bool,
    /// That the child was lost.
    pub(super) fault: Option<Fault>,
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
    pub(super) fn take_waiting(&mut self) -> Option<Message> {
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
    pub(super) fn take(&mut self, answer: Result<Json, Fault>) {
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
    pub(super) fn under_way(&self, who: &str) -> String {
        match self.unheard {
            0 | 1 => who.to_owned(),
            2 => format!("{who} or the call behind it"),
            count => format!("{who} or one of the {} calls behind it", count - 1),
        }
    }
}
