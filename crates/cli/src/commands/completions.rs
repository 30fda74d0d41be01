//! `ordain completions`: the completion scripts of shells.

use std::io::Write;

use clap::{Args, ValueEnum};
use clap_complete::env::{Bash, EnvCompleter, Fish, Zsh};
use ordain_source::Diagnostic;
use serde_json::{Value as Json, json};

use crate::codes;
use crate::complete;
use crate::exit::{Exit, Failure};
use crate::ui::Ui;

/// Print the completion script of a shell
#[derive(Args)]
#[command(after_help = "\
Examples:
  ordain completions bash > /etc/bash_completion.d/ordain
  ordain completions fish > ~/.config/fish/completions/ordain.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(required_unless_present = "format")]
    shell: Option<ShellName>,
    /// The output format; json lists all verbs and their arguments
    #[arg(long, value_name = "FORM")]
    format: Option<Form>,
}

/// The output format.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// The script
    Text,
    /// A document for completions of other kinds
    Json,
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

/// Prints the script of a shell for a command line.
///
/// # Errors
/// When it cannot be written.
pub(super) fn run(
    ui: &mut Ui,
    args: &CompletionsArgs,
    mut command_line: clap::Command,
) -> Result<Exit, Failure> {
    if args.format == Some(Form::Json) {
        let out = document(&mut command_line);
        writeln!(ui.document(), "{out}")?;
        return Ok(Exit::Done);
    }
    let shell: &dyn EnvCompleter = match args.shell {
        Some(ShellName::Bash) => &Bash,
        Some(ShellName::Zsh) => &Zsh,
        Some(ShellName::Fish) => &Fish,
        None => {
            let error = Diagnostic::error(codes::ARGUMENTS, "a script is for a shell");
            return Err(error.help("name it: bash, zsh or fish").into());
        }
    };
    let mut script = Vec::new();
    // The script asks the program itself, so it stays right when the program changes.
    shell.write_registration(complete::VARIABLE, "ordain", "ordain", "ordain", &mut script)?;
    ui.document().write_all(&script)?;
    Ok(Exit::Done)
}

/// All verbs with their arguments.
fn document(command: &mut clap::Command) -> Json {
    command.build();
    let global: Vec<Json> =
        command.get_arguments().filter(|a| a.is_global_set()).map(argument).collect();
    let verbs = command.get_subcommands().filter(|verb| verb.get_name() != "help").map(|verb| {
        let own = verb.get_arguments().filter(|a| !a.is_global_set() && a.get_id() != "help");
        json!({
            "name": verb.get_name(),
            "about": verb.get_about().map(ToString::to_string),
            "arguments": own.map(argument).collect::<Vec<Json>>(),
        })
    });
    let verbs: Vec<Json> = verbs.collect();
    json!({ "format": "ordain-verbs", "version": 1, "arguments": global, "verbs": verbs })
}

fn argument(arg: &clap::Arg) -> Json {
    let values = arg.get_possible_values();
    let takes_value = arg.get_action().takes_values();
    json!({
        "long": arg.get_long().map(|long| format!("--{long}")),
        "short": arg.get_short().map(|short| format!("-{short}")),
        "about": arg.get_help().map(ToString::to_string),
        "value": arg.get_value_names().filter(|_| takes_value).and_then(|names| names.first()).map(|n| n.as_str()),
        "values": values.iter().filter(|_| takes_value).map(|v| v.get_name()).collect::<Vec<_>>(),
        "required": arg.is_required_set(),
    })
}
