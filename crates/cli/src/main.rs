//! The `ordain` command: arguments, printing, exit codes. What the verbs do is done in the crates
//! below; this one has no logic of its own.

#![allow(clippy::result_large_err, reason = "an error ends the run; it is moved once")]

mod codes;
mod commands;
mod deferring;
mod exit;
mod graphs;
mod inmanta;
mod input;
mod joining;
mod languages;
mod limits;
mod mcl;
mod merged;
mod merging;
mod node;
mod options;
mod private;
mod references;
mod running;
mod runs;
mod screen;
mod served;
mod several;
mod show;
mod signals;
mod spiff;
mod ui;
mod watching;

use std::borrow::Cow;
use std::ffi::OsString;
use std::io::{self, Write};
use std::panic::PanicHookInfo;
use std::process::ExitCode;

use clap::{Args, CommandFactory, FromArgMatches, Parser};

use commands::Command;
use exit::{Exit, Failure};
use options::GlobalArgs;
use ordain_process::supervisor;
use ordain_source::budget::Watch;
use ui::Ui;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Compile, check, explain, compare, plan and apply desired state
#[derive(Parser)]
#[command(name = "ordain", version, max_term_width = 100, after_help = exit::HELP)]
struct Cli {
    #[command(flatten)]
    global: GlobalArgs,
    #[command(subcommand)]
    command: Command,
}

fn main() -> ExitCode {
    let mut args = std::env::args_os();
    let name = args.next().map(std::path::PathBuf::from);
    if name.as_deref() == Some(supervisor::NAME.as_ref()) {
        return supervisor::main();
    }
    ordain_process::install();
    let code = run(args, name);
    ordain_process::shutdown();
    code
}

/// Does what the arguments say, under the name by which the program was called.
fn run(args: std::env::ArgsOs, name: Option<std::path::PathBuf>) -> ExitCode {
    install_panic_hook();
    let name = name.as_deref().and_then(|n| n.file_name()?.to_str());
    if name.is_some_and(|name| spiff::Program::named(name).is_some())
        || matches!(name, Some("inmanta" | "mgmt"))
    {
        options::ChildArgs::of_environment();
    }
    if let Some(program) = name.and_then(spiff::Program::named) {
        limits::set_by_environment();
        let args: Vec<String> = args.map(|a| a.to_string_lossy().into_owned()).collect();
        return spiff::main(program, &args);
    }
    if name == Some("inmanta") {
        limits::set_by_environment();
        return inmanta::main(std::env::args_os().collect());
    }
    if name == Some("mgmt") {
        limits::set_by_environment();
        let args: Vec<String> = args.map(|a| a.to_string_lossy().into_owned()).collect();
        return mcl::main(&args);
    }
    let cli = match parse(std::env::args_os().collect()) {
        Ok(cli) => cli,
        Err(error) => {
            print_usage(&error);
            return if error.use_stderr() { Exit::Failed.into() } else { Exit::Done.into() };
        }
    };
    cli.global.children.set();
    limits::set(&cli.global);
    let mut ui = Ui::new(&cli.global);
    let watch = cli.command.only_evaluates().then(Watch::begin);
    let exit = match cli.command.run(&mut ui) {
        Ok(exit) => exit,
        Err(Failure::ClosedPipe) => return Exit::Done.into(),
        Err(Failure::Shown) => Exit::Failed,
        Err(Failure::Message(diagnostic)) => {
            ui.message(&diagnostic);
            Exit::Failed
        }
    };
    drop(watch);
    match ui.finish() {
        Ok(()) => exit.into(),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => exit.into(),
        Err(error) => {
            ui.message(&codes::io("cannot write the output", &error));
            Exit::Failed.into()
        }
    }
}

/// Prints help, or what is wrong with the arguments, in which there may be anything.
fn print_usage(error: &clap::Error) {
    let text = error.render();
    let plain = text.to_string();
    // Nobody may be reading; help is no error.
    let _ = match ordain_source::printable(&plain) {
        Cow::Borrowed(_) => error.print(),
        Cow::Owned(shown) => io::stderr().write_all(shown.as_bytes()),
    };
}

/// The command line. If a verb comes first, no other one is looked at: to make the arguments of
/// all verbs takes longer than many a run.
fn parse(args: Vec<OsString>) -> Result<Cli, clap::Error> {
    let first = args.get(1).and_then(|verb| verb.to_str());
    let Some(verb) = first.and_then(Command::alone) else {
        return Cli::from_arg_matches_mut(&mut whole().try_get_matches_from(args)?);
    };
    let program = clap::Command::new("ordain").max_term_width(100);
    let program = GlobalArgs::augment_args(program).subcommand(verb);
    Cli::from_arg_matches_mut(&mut program.try_get_matches_from(args)?)
}

/// The command line with all verbs.
fn whole() -> clap::Command {
    commands::code::noted("", Cli::command())
}

/// Lets a thread that panics tell it, and others go on: what it was at fails, and not all that is
/// kept true.
fn outlive_panics() {
    std::panic::set_hook(Box::new(|info| {
        // Nobody may be reading.
        let _ = io::stderr().write_all(panic_message(info).as_bytes());
    }));
}

/// A panic is a mistake of ours; the message says so and what helps to find it.
fn install_panic_hook() {
    std::panic::set_hook(Box::new(|info| {
        // Nobody may be reading.
        let _ = io::stderr().write_all(panic_message(info).as_bytes());
        std::process::exit(i32::from(u8::from(Exit::Failed)));
    }));
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
    fn a_verb_alone_is_read_as_among_all_verbs() {
        let all = Cli::command();
        let verbs: Vec<&str> = all.get_subcommands().map(clap::Command::get_name).collect();
        assert!(verbs.contains(&"explain-code"));
        for verb in verbs {
            assert!(Command::alone(verb).is_some(), "{verb}");
            for arguments in [&["--help"][..], &["-h"], &["--no-such-flag"], &["--color", "mauve"]]
            {
                let line = || ["ordain", verb].into_iter().chain(arguments.iter().copied());
                let message = |result: Result<Cli, clap::Error>| match result {
                    Ok(_) => String::new(),
                    Err(error) => error.render().ansi().to_string(),
                };
                let alone = message(parse(line().map(OsString::from).collect()));
                let among = whole().try_get_matches_from(line());
                let among = message(among.and_then(|mut m| Cli::from_arg_matches_mut(&mut m)));
                assert_eq!(alone, among, "{verb} {arguments:?}");
                assert!(!alone.is_empty());
            }
        }
    }

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
            let place = format!("  {text} at crates/cli/src/main.rs:");
            assert!(rest.starts_with(&place), "{message}");
            assert!(rest.contains(concat!("the version (", env!("CARGO_PKG_VERSION"), ")")));
            assert!(message.ends_with("input that shows it.\n"), "{message}");
        }
        assert_eq!(messages.len(), 3);
    }
}
