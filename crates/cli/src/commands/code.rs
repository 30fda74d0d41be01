//! The foreign code that each command may run, for its help and for the manual.

use clap::Command;

/// The code that a compile runs.
macro_rules! compiled {
    () => {
        "code of the sources: functions, types, templates and facts in Ruby, programs in facts.d, \
         plugins in Python, commands of generate, exec and os.system"
    };
}

/// The code that a plan runs to examine the machine.
macro_rules! looked {
    () => {
        "to examine the machine: onlyif and unless of exec, tools such as dpkg and systemctl, \
         programs of --kinds"
    };
}

/// The code that the evaluation of Puppetfiles runs.
macro_rules! puppetfiles {
    () => {
        "Puppetfiles, which reach no files and start no programs"
    };
}

const COMPILES: &str = concat!(compiled!(), ".");
const DEPLOYS: &str = concat!(puppetfiles!(), "; commands of filter_command and postrun.");
const PUPPETFILES: &str = concat!(puppetfiles!(), ".");
const NOTHING: &str = "nothing.";
const TEMPLATES: &str = "commands of exec in templates, unless --no-exec or --hermetic is given.";

/// The verbs, and the code that they may run.
pub(crate) const VERBS: &[(&str, &str)] = &[
    ("check", "nothing; with --run-plugins the Python code of Inmanta modules."),
    ("compile", COMPILES),
    ("plan", concat!(compiled!(), "; ", looked!(), ".")),
    ("apply", concat!(compiled!(), "; ", looked!(), "; and everything that resources declare.")),
    (
        "watch",
        concat!(
            compiled!(),
            "; ",
            looked!(),
            "; watch commands of exec; and everything that resources declare."
        ),
    ),
    (
        "agent",
        concat!("programs in facts.d; ", looked!(), "; and everything that resources declare."),
    ),
    ("deploy", DEPLOYS),
    ("deploy module", DEPLOYS),
    ("deploy puppetfile", PUPPETFILES),
    ("deploy list", NOTHING),
    ("deploy rollback", NOTHING),
    ("history", NOTHING),
    ("rollback", NOTHING),
    ("show", NOTHING),
    ("doctor", NOTHING),
    ("serve", concat!(compiled!(), "; programs of --autosign and --classifier.")),
    ("ca setup", NOTHING),
    ("ca import", NOTHING),
    ("ca export", NOTHING),
    ("ca list", NOTHING),
    ("ca sign", NOTHING),
    ("ca revoke", NOTHING),
    ("ca clean", NOTHING),
    ("ca generate", NOTHING),
    ("ca renew", NOTHING),
    ("ca prune", NOTHING),
    ("ca show", NOTHING),
    ("fleet diff", COMPILES),
    ("fleet nodes", NOTHING),
    ("fleet facts", NOTHING),
    ("fleet reports", NOTHING),
    ("fleet drift", concat!("with --path, ", compiled!(), ".")),
    ("fleet why", COMPILES),
    ("fleet run", "on this machine nothing; the agents apply their graphs."),
    ("fleet pin", NOTHING),
    ("fleet unpin", NOTHING),
    ("fleet deactivate", NOTHING),
    ("worker", COMPILES),
    ("explain", COMPILES),
    ("explore", COMPILES),
    ("lookup", COMPILES),
    ("merge", TEMPLATES),
    ("process", TEMPLATES),
    ("diff", concat!("of graphs, ", compiled!(), "; of documents, nothing.")),
    ("convert", NOTHING),
    ("encrypt", NOTHING),
    ("graph", COMPILES),
    ("eval", concat!("the given code, and ", compiled!(), ".")),
    ("test", concat!(compiled!(), "; commands of exec in templates.")),
    ("init", NOTHING),
    ("new", NOTHING),
    ("fmt", NOTHING),
    ("lsp", "nothing; for the command ordain.plan, what `plan` runs."),
    ("facts", "custom facts in Ruby and programs in facts.d."),
    ("kinds", NOTHING),
    ("types generate", "the Ruby code of the types."),
    ("types export", NOTHING),
    ("types import", NOTHING),
    ("types from-ruby", "the Ruby code of the types."),
    ("types load", "the code of the types."),
    ("types save", "the given code, and that of the types."),
    ("schema", NOTHING),
    ("parse", NOTHING),
    ("explain-code", NOTHING),
    ("completions", NOTHING),
    ("man", NOTHING),
    ("help", NOTHING),
];

/// Adds the code that a verb and its subcommands may run to their help.
pub(crate) fn with_code_note(verb: &str, command: Command) -> Command {
    let names: Vec<String> = command.get_subcommands().map(|c| c.get_name().to_string()).collect();
    let command = names.iter().fold(command, |command, name| {
        let full = if verb.is_empty() { name.clone() } else { format!("{verb} {name}") };
        command.mut_subcommand(name, |below| with_code_note(&full, below))
    });
    let Some((_, runs)) = VERBS.iter().find(|(name, _)| *name == verb) else { return command };
    let own = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let gap = if own.is_empty() { "" } else { "\n\n" };
    command.after_help(format!("Code that may run: {runs}{gap}{own}"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use clap::CommandFactory;

    use super::*;

    /// The full names of all verbs that run without a subcommand.
    fn names(prefix: &str, command: &Command) -> Vec<String> {
        let name = |below: &Command| format!("{prefix}{}", below.get_name());
        let below = command.get_subcommands().flat_map(|c| names(&format!("{} ", name(c)), c));
        let leaves =
            command.get_subcommands().filter(|c| !c.is_subcommand_required_set()).map(name);
        leaves.chain(below).collect()
    }

    #[test]
    fn every_verb_says_in_its_help_what_may_run() {
        let mut all = super::super::full_command();
        let mut found = names("", &all);
        let mut known: Vec<String> = VERBS.iter().map(|(verb, _)| verb.to_string()).collect();
        found.sort();
        known.sort();
        assert_eq!(found, known);
        for (verb, runs) in VERBS {
            let command = verb.split(' ').fold(&mut all, |c, v| c.find_subcommand_mut(v).unwrap());
            for help in [command.render_help(), command.render_long_help()] {
                let help = help.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
                assert!(help.contains(&format!("Code that may run: {runs}")), "{verb}: {help}");
            }
        }
        assert!(super::super::Cli::command().get_subcommands().count() > 20);
    }

    #[test]
    fn the_manual_has_the_same_table() {
        let manual = include_str!("../../../../docs/cli.md");
        let rows: Vec<String> =
            VERBS.iter().map(|(verb, runs)| format!("| `{verb}` | {runs} |\n")).collect();
        let table = format!("| verb | code that may run |\n| --- | --- |\n{}", rows.concat());
        assert!(manual.contains(&table), "docs/cli.md has to have this table:\n{table}");
    }
}
