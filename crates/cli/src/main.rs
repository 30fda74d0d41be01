//! The `ordain` command: arguments, output, exit codes. The crates below do the work.

#![allow(clippy::result_large_err, reason = "an error ends the run; it is moved once")]
#![cfg_attr(
    not(feature = "full"),
    allow(dead_code, reason = "the verbs of the agent share modules with all others")
)]

mod agent;
mod codes;
mod commands;
#[cfg(feature = "full")]
mod compat;
mod complete;
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
use std::io::{self, Write};
use std::process::ExitCode;

use commands::{Cli, full_command};
use exit::{Exit, Failure};
use ordain_process::supervisor;
use ordain_source::budget::Watch;
use ui::Ui;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let name = std::env::args_os().next().map(std::path::PathBuf::from);
    if name.as_deref() == Some(supervisor::NAME.as_ref()) {
        return supervisor::main();
    }
    ordain_process::install();
    let code = run(name);
    ordain_process::shutdown();
    code
}

/// Runs the command line. A program of another name gets the command line of that program, if it
/// is known.
#[cfg_attr(not(feature = "full"), expect(unused_variables, reason = "there are no other programs"))]
fn run(name: Option<std::path::PathBuf>) -> ExitCode {
    panics::exit_on_panic();
    #[cfg(feature = "full")]
    {
        let name = name.as_deref().and_then(|name| name.file_name()?.to_str());
        if let Some(code) = name.and_then(compat::run) {
            return code;
        }
    }
    // A shell asks for completions. If it does, this call does not return.
    if std::env::var_os(complete::VARIABLE).is_some() {
        clap_complete::CompleteEnv::with_factory(full_command).var(complete::VARIABLE).complete();
    }
    let cli = match Cli::read(std::env::args_os().collect()) {
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
