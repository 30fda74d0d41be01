//! Conversations with the child.

use ordain_plugins::{Fault, Session};
use serde_json::{Value as Json, json};

use super::message::Message;
use super::{COMPILE, Python, answers};
use crate::diagnostics::{Class, Error};
use crate::model::plugin::{Context, Stop};

impl Python {
    /// Sends a message outside of a compile, where questions have no answer.
    pub(super) fn talk(&self, session: &mut Session<'_>, message: &Json) -> Result<Json, Fault> {
        session.send(message)?;
        loop {
            let answer = session.receive()?;
            match answer.get("ask") {
                Some(_) => {
                    session.send(&json!({"missing": true, "text": "nothing can be asked now"}))?
                }
                None => return Ok(answer),
            }
        }
    }

    /// Sends a message and receives the next one of the child.
    pub(super) fn exchange(
        &self,
        context: &dyn Context,
        message: Message,
        who: &str,
    ) -> Result<Json, Stop> {
        self.pause_batch(context);
        let opened = self.host.session(context.world(), COMPILE);
        if opened.map_err(|fault| gone(&fault, who))?.is_new_for(COMPILE) {
            let text = format!("{who} cannot be run: the `python3` process was lost before");
            return Err(Stop::Error(Error::new(Class::Runtime, text)));
        }
        let answer = self.send(context, message).and_then(|()| self.receive(context));
        answer.map_err(|fault| gone(&fault, who))
    }

    /// Sends a message, with the instances that the child does not know yet. The session must be
    /// open.
    pub(super) fn send(&self, context: &dyn Context, mut message: Message) -> Result<(), Fault> {
        self.mirror.borrow_mut().add_unknown_instances(&mut message, context);
        self.host.session(context.world(), COMPILE)?.send_text(&message.into_text())
    }

    /// Receives the next message of the child. The session must be open.
    pub(super) fn receive(&self, context: &dyn Context) -> Result<Json, Fault> {
        self.host.session(context.world(), COMPILE)?.receive()
    }

    /// Sends a message and answers questions until the answer arrives. A question may start another
    /// conversation: a template that calls a plugin.
    pub(super) fn converse(
        &self,
        context: &mut dyn Context,
        mut message: Message,
        who: &str,
    ) -> Result<Json, Stop> {
        let mut stopped = None;
        loop {
            let answer = self.exchange(context, message, who)?;
            for line in lines(&answer) {
                context.print(line);
            }
            if answer.get("ask").is_none() {
                return match stopped.filter(|_| answer.get("error").is_some()) {
                    Some(stop) => Err(stop),
                    None => Ok(answer),
                };
            }
            message = match answers::answer(context, &answer, &self.mirror) {
                Ok(reply) => reply,
                Err(stop) => {
                    let reply = answers::stop(&stop, &mut self.mirror.borrow_mut());
                    stopped = Some(stop);
                    reply
                }
            };
        }
    }
}

/// The lines of output in an answer.
pub(super) fn lines(answer: &Json) -> impl Iterator<Item = &str> {
    answer["out"].as_str().unwrap_or_default().lines()
}

/// The error that the child has ended.
pub(super) fn gone(fault: &Fault, who: &str) -> Stop {
    Stop::Error(Error::new(Class::Runtime, format!("{fault}, while it ran {who}")))
}
