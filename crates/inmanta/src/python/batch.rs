//! Batches of calls.
//!
//! The child runs the calls of a batch until one fails or has a question, and sends results
//! meanwhile. A question waits until the compiler requests the result of its call, since only then
//! the model has the state that the call may see.

use std::collections::VecDeque;

use ordain_plugins::Fault;
use serde_json::Value as Json;

use super::message::Message;

/// The size in bytes at which a message takes no further calls.
const MAX_BYTES: usize = 1 << 20;

/// The calls of the batch, and their results.
#[derive(Default)]
pub(super) struct Batch {
    /// The calls that are not sent yet, as the text of a message.
    waiting: Vec<u8>,
    /// The number of calls that are not sent yet.
    count: usize,
    /// The results of finished calls, in order.
    pub(super) results: VecDeque<Json>,
    /// The question of the next call.
    pub(super) question: Option<Json>,
    /// The number of calls that were sent and have no result yet.
    pending: usize,
    /// Whether the child is running calls and will send further results.
    pub(super) is_running: bool,
    /// The loss of the child.
    pub(super) fault: Option<Fault>,
}

impl Batch {
    /// Adds a call, whose text `write` appends. Returns whether there is room for more.
    pub(super) fn prepare(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> bool {
        if self.count > 0 {
            self.waiting.push(b',');
        }
        self.count += 1;
        write(&mut self.waiting);
        self.waiting.len() < MAX_BYTES
    }

    /// Takes the message with the calls that are not sent yet, if there are any.
    pub(super) fn take_waiting(&mut self) -> Option<Message> {
        if self.count == 0 {
            return None;
        }
        self.pending = std::mem::take(&mut self.count);
        let mut message = Message::with("do", "calls");
        let out = message.entry("calls");
        out.push(b'[');
        out.append(&mut self.waiting);
        out.push(b']');
        Some(message)
    }

    /// Processes a message that the child sends while it runs calls.
    pub(super) fn take(&mut self, answer: Result<Json, Fault>) {
        let mut answer = match answer {
            Ok(answer) => answer,
            Err(fault) => {
                (self.fault, self.is_running) = (Some(fault), false);
                return;
            }
        };
        if let Json::Array(results) = answer["results"].take() {
            self.pending = self.pending.saturating_sub(results.len());
            self.results.extend(results);
        }
        // The child announces that the next call ends the process.
        if answer.get("last").is_some() {
            self.pending = 1;
        }
        self.is_running = answer.get("more").is_some();
        if answer.get("ask").is_some() {
            self.question = Some(answer);
        }
    }

    /// Names the calls that may have ended the child. It sends several results at once, so the
    /// exact call is unknown.
    pub(super) fn under_way(&self, who: &str) -> String {
        match self.pending {
            0 | 1 => who.to_owned(),
            2 => format!("{who} or the call after it"),
            count => format!("{who} or one of the {} calls after it", count - 1),
        }
    }
}
