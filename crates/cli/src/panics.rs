//! Messages and consequences of panics, which are bugs.

use std::io::{self, Write};
use std::panic::PanicHookInfo;

use ordain_engine::current::current_resource;

use crate::exit::Exit;

/// Makes a panic end only its thread. The work of that thread fails, and other threads continue.
pub(crate) fn end_thread_on_panic() {
    std::panic::set_hook(Box::new(|info| {
        print_panic(info);
    }));
}

/// Makes a panic end the process, except in a resource: the engine fails that one and goes on.
pub(crate) fn exit_on_panic() {
    std::panic::set_hook(Box::new(|info| {
        print_panic(info);
        if current_resource().is_some() {
            return;
        }
        std::process::exit(i32::from(u8::from(Exit::Failed)));
    }));
}

/// Prints the message of a panic, which asks for a bug report.
pub(crate) fn print_panic(info: &PanicHookInfo<'_>) {
    // A closed stderr is no reason to fail.
    let _ = io::stderr().write_all(panic_message(info).as_bytes());
}

fn panic_message(info: &PanicHookInfo<'_>) -> String {
    let payload = info.payload();
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let text = text.unwrap_or("unknown panic");
    let place = info.location().map(ToString::to_string).unwrap_or_default();
    format!(
        "error: this is a bug in Ordain, not in your input\n  {text} at {place}\n  Please report it \
         with this text, the version ({}), the command line, and the smallest input that shows \
         it.\n",
        env!("CARGO_PKG_VERSION"),
    )
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn a_panic_is_told_as_our_mistake_with_its_place() {
        let (sender, receiver) = mpsc::channel();
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let _ = sender.send(panic_message(info));
        }));
        let outcomes = [
            std::panic::catch_unwind(|| panic!("plain text")),
            std::panic::catch_unwind(|| panic!("made of {}", "parts")),
            std::panic::catch_unwind(|| std::panic::panic_any(7)),
        ];
        std::panic::set_hook(before);
        assert!(outcomes.iter().all(Result::is_err));
        let messages: Vec<String> = receiver.try_iter().collect();
        for (message, text) in messages.iter().zip(["plain text", "made of parts", "unknown panic"])
        {
            let first = "error: this is a bug in Ordain, not in your input\n";
            let rest = message.strip_prefix(first).unwrap_or_default();
            let place = format!("  {text} at crates/cli/src/panics.rs:");
            assert!(rest.starts_with(&place), "{message}");
            assert!(rest.contains(concat!("the version (", env!("CARGO_PKG_VERSION"), ")")));
            assert!(message.ends_with("input that shows it.\n"), "{message}");
        }
        assert_eq!(messages.len(), 3);
    }
}
