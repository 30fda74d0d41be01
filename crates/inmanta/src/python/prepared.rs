//! Runs batches of calls.

use serde_json::Value as Json;

use super::conversation::{gone, lines};
use super::message::Message;
use super::{Python, answers};
use crate::diagnostics::{Class, Error};
use crate::model::plugin::{Context, Stop};

impl Python {
    /// The result of the next call of the batch.
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
                self.receive_batch(context);
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

    /// Makes the child start or continue a batch.
    fn run_batch(&self, context: &dyn Context, message: Message) {
        let sent = self.send(context, message);
        let mut batch = self.batch.borrow_mut();
        match sent {
            Ok(()) => batch.is_running = true,
            Err(fault) => batch.take(Err(fault)),
        }
    }

    /// Receives the next message of the child while it runs calls. If the child ends, the call that
    /// was running fails; those before it are done.
    fn receive_batch(&self, context: &dyn Context) {
        let answer = self.receive(context);
        self.batch.borrow_mut().take(answer);
    }

    /// Waits until the child runs no calls of a batch and can receive another message.
    pub(super) fn pause_batch(&self, context: &dyn Context) {
        while self.batch.borrow().is_running {
            self.receive_batch(context);
        }
    }
}
