//! `ordain completions`: what shells need to complete the command line.

use std::io::Write;

use clap::{Args, CommandFactory, ValueEnum};
use clap_complete::Shell;

use crate::exit::{Exit, Failure};
use crate::ui::Ui;

/// Print the completion script of a shell
#[derive(Args)]
#[command(after_help = "\
Examples:
  ordain completions bash > /etc/bash_completion.d/ordain
  ordain completions fish > ~/.config/fish/completions/ordain.fish")]
pub struct CompletionsArgs {
    /// The shell
    shell: ShellName,
}

/// A shell.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ShellName {
    /// Bash
    Bash,
    /// Zsh
    Zsh,
    /// Fish
    Fish,
}

/// Prints the script.
///
/// # Errors
/// When it cannot be written.
pub fn run(ui: &mut Ui, args: &CompletionsArgs) -> Result<Exit, Failure> {
    let shell = match args.shell {
        ShellName::Bash => Shell::Bash,
        ShellName::Zsh => Shell::Zsh,
        ShellName::Fish => Shell::Fish,
    };
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut crate::Cli::command(), "ordain", &mut script);
    ui.out().write_all(&script)?;
    Ok(Exit::Done)
}
