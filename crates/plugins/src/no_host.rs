//! The interface of `host.rs` for a program without interpreters: no session ever begins.

use std::convert::Infallible;
use std::marker::PhantomData;

use ordain_source::World;
use serde_json::Value as Json;

use crate::fault::Fault;
use crate::language::Language;
use crate::limits::Limits;

/// Stands in for the child processes that run code of modules.
#[derive(Default)]
pub struct Host {
    language: Language,
}

impl Host {
    /// Stands in for a `python3`.
    pub fn python(_limits: Limits, _programs: Vec<String>) -> Self {
        Self { language: Language::Python }
    }

    /// Stands in for a `ruby`.
    pub fn new(_limits: Limits) -> Self {
        Self::default()
    }

    /// Refuses a session.
    ///
    /// # Errors
    /// Always.
    pub fn session(&self, _world: &dyn World, _owner: u64) -> Result<Session<'_>, Fault> {
        Err(Fault::Excluded(self.language))
    }

    /// Does nothing, since no owner has a child.
    pub fn release(&self, _owner: u64, _farewell: Option<&Json>) {}
}

/// A session, of which there is none. So the compiler leaves out all code that would use one.
pub struct Session<'r> {
    none: Infallible,
    host: PhantomData<&'r Host>,
}

impl Session<'_> {
    /// As in a program with interpreters.
    ///
    /// # Errors
    /// Never, since there is no session.
    pub fn send(&mut self, _message: &Json) -> Result<(), Fault> {
        match self.none {}
    }

    /// As in a program with interpreters.
    ///
    /// # Errors
    /// Never, since there is no session.
    pub fn send_text(&mut self, _text: &[u8]) -> Result<(), Fault> {
        match self.none {}
    }

    /// As in a program with interpreters.
    ///
    /// # Errors
    /// Never, since there is no session.
    pub fn receive(&mut self) -> Result<Json, Fault> {
        match self.none {}
    }

    /// As in a program with interpreters.
    ///
    /// # Errors
    /// Never, since there is no session.
    pub fn receive_text(&mut self) -> Result<Vec<u8>, Fault> {
        match self.none {}
    }

    /// As in a program with interpreters.
    pub fn is_dead(&self) -> bool {
        match self.none {}
    }

    /// As in a program with interpreters.
    pub fn is_new_for(&mut self, _compile: u64) -> bool {
        match self.none {}
    }

    /// As in a program with interpreters.
    pub fn share_processor(&mut self, _process: u32) {
        match self.none {}
    }

    /// As in a program with interpreters.
    pub fn use_all_processors(&mut self) {
        match self.none {}
    }

    /// As in a program with interpreters.
    pub fn loaded(&self, _name: &str) -> Option<&Json> {
        match self.none {}
    }

    /// As in a program with interpreters.
    pub fn set_loaded(&mut self, _name: &str, _description: Json) {
        match self.none {}
    }
}

/// A session ends when it is dropped, as in a program with interpreters.
impl Drop for Session<'_> {
    fn drop(&mut self) {
        match self.none {}
    }
}

#[cfg(test)]
mod tests {
    use ordain_source::HostWorld;

    use super::*;

    #[test]
    fn no_session_begins() {
        let python = Host::python(Limits::default(), vec!["/usr/bin/python3".to_owned()]);
        for (host, name) in [(Host::new(Limits::default()), "ruby"), (python, "python3")] {
            let Err(fault) = host.session(&HostWorld::new(), 1) else {
                panic!("a session of {name} began");
            };
            assert_eq!(fault.to_string(), format!("this program runs no code in `{name}`"));
            assert!(fault.help().is_some_and(|help| help.contains("package `ordain`")));
            host.release(1, None);
        }
    }
}
