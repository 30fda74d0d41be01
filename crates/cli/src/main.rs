//! The `ordain` command: arguments, printing, exit codes. What the verbs do is done in the crates
//! below; this one has no logic of its own.

#![allow(clippy::result_large_err, reason = "an error ends the run; it is moved once")]

mod codes;
mod commands;
mod exit;
mod graphs;
mod input;
mod merging;
mod node;
mod options;
mod show;
mod spiff;
mod ui;

use std::process::ExitCode;

use clap::Parser;

use commands::Command;
use exit::{Exit, Failure};
use options::GlobalArgs;
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
    install_panic_hook();
    let mut args = std::env::args_os();
    let name = args.next().map(std::path::PathBuf::from);
    let name = name.as_deref().and_then(|n| n.file_name()?.to_str());
    if let Some(program) = name.and_then(spiff::Program::named) {
        let args: Vec<String> = args.map(|a| a.to_string_lossy().into_owned()).collect();
        return spiff::main(program, &args);
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Nobody may be reading; help is no error.
            let _ = error.print();
            return if error.use_stderr() { Exit::Failed.into() } else { Exit::Done.into() };
        }
    };
    let mut ui = Ui::new(&cli.global);
    let exit = match cli.command.run(&mut ui) {
        Ok(exit) => exit,
        Err(Failure::ClosedPipe) => return Exit::Done.into(),
        Err(Failure::Shown) => Exit::Failed,
        Err(Failure::Message(diagnostic)) => {
            ui.message(&diagnostic);
            Exit::Failed
        }
    };
    match ui.finish() {
        Ok(()) => exit.into(),
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => exit.into(),
        Err(error) => {
            ui.message(&codes::io("cannot write the output", &error));
            Exit::Failed.into()
        }
    }
}

/// A panic is a mistake of ours; the message says so and what helps to find it.
fn install_panic_hook() {
    std::panic::set_hook(Box::new(|info| {
        use std::io::Write;
        let payload = info.payload();
        let text = payload.downcast_ref::<&str>().copied();
        let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        let _ = writeln!(
            std::io::stderr(),
            "error: this is a bug in Ordain, not in your input\n  {} at {place}\n  Please \
             report it with this text, the version ({}), the command line, and the smallest \
             input that shows it.",
            text.unwrap_or("unknown panic"),
            env!("CARGO_PKG_VERSION"),
        );
        std::process::exit(i32::from(u8::from(Exit::Failed)));
    }));
}
