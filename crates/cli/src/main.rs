//! The `ordain` command: arguments, output, exit codes. The crates below do the work.

#![allow(clippy::result_large_err, reason = "an error ends the run; it is moved once")]

mod codes;
mod commands;
mod compat;
mod exit;
mod limits;
mod options;
mod panics;
mod references;
mod runs;
mod screen;
mod show;
mod signals;
mod ui;
mod watch;

use std::borrow::Cow;
use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Args, CommandFactory, FromArgMatches, Parser};

use commands::Command;
use compat::{inmanta, mgmt, spiff};
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

/// Runs the command line of the program whose name this process was started by.
fn run(args: std::env::ArgsOs, name: Option<std::path::PathBuf>) -> ExitCode {
    panics::exit_on_panic();
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
        return mgmt::main(&args);
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

/// Prints help or a usage error, sanitized because arguments may contain anything.
fn print_usage(error: &clap::Error) {
    let text = error.render();
    let plain = text.to_string();
    // A closed stream is no reason to fail; help is no error.
    let _ = match ordain_source::printable(&plain) {
        Cow::Borrowed(_) => error.print(),
        Cow::Owned(shown) => io::stderr().write_all(shown.as_bytes()),
    };
}

/// Parses the command line. If it starts with a verb, only the arguments of that verb are built:
/// building those of all verbs takes longer than many runs.
fn parse(args: Vec<OsString>) -> Result<Cli, clap::Error> {
    let first = args.get(1).and_then(|verb| verb.to_str());
    let Some(verb) = first.and_then(Command::single) else {
        return Cli::from_arg_matches_mut(&mut full_command().try_get_matches_from(args)?);
    };
    let program = clap::Command::new("ordain").max_term_width(100);
    let program = GlobalArgs::augment_args(program).subcommand(verb);
    Cli::from_arg_matches_mut(&mut program.try_get_matches_from(args)?)
}

/// The command line with all verbs.
fn full_command() -> clap::Command {
    commands::code::with_code_note("", Cli::command())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verb_alone_is_read_as_among_all_verbs() {
        let all = Cli::command();
        let verbs: Vec<&str> = all.get_subcommands().map(clap::Command::get_name).collect();
        assert!(verbs.contains(&"explain-code"));
        for verb in verbs {
            assert!(Command::single(verb).is_some(), "{verb}");
            for arguments in [&["--help"][..], &["-h"], &["--no-such-flag"], &["--color", "mauve"]]
            {
                let line = || ["ordain", verb].into_iter().chain(arguments.iter().copied());
                let message = |result: Result<Cli, clap::Error>| match result {
                    Ok(_) => String::new(),
                    Err(error) => error.render().ansi().to_string(),
                };
                let alone = message(parse(line().map(OsString::from).collect()));
                let among = full_command().try_get_matches_from(line());
                let among = message(among.and_then(|mut m| Cli::from_arg_matches_mut(&mut m)));
                assert_eq!(alone, among, "{verb} {arguments:?}");
                assert!(!alone.is_empty());
            }
        }
    }
}
