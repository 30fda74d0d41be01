//! `spiff completion`: completion scripts for this command line, and the candidates that the
//! scripts of the original program request.

use std::process::ExitCode;

use clap::{Arg, ArgAction, Command, ValueHint};
use clap_complete::Shell;

use super::arguments::{Program, VERBS, Verb, refuse, say};

/// The command by which those scripts request candidates.
pub(super) const ASK: &str = "__complete";
/// The same without descriptions.
pub(super) const ASK_NAMES: &str = "__completeNoDesc";

const SHELLS: [(&str, Shell); 4] = [
    ("bash", Shell::Bash),
    ("fish", Shell::Fish),
    ("powershell", Shell::PowerShell),
    ("zsh", Shell::Zsh),
];
const USAGE: &str = "Usage:\n  spiff completion [bash|fish|powershell|zsh] [--no-descriptions]";

/// Prints the script of a shell, or the usage.
pub(super) fn main(program: Program, args: &[String]) -> ExitCode {
    let known = |name: &str| SHELLS.iter().find(|s| s.0 == name).map(|s| s.1);
    let Some((shell, rest)) = args.split_first().and_then(|(n, rest)| Some((known(n)?, rest)))
    else {
        say(&format!("{USAGE}\n"));
        return ExitCode::SUCCESS;
    };
    for arg in rest {
        match arg.as_str() {
            "--no-descriptions" => {}
            "-h" | "--help" => {
                say(&format!("{USAGE}\n"));
                return ExitCode::SUCCESS;
            }
            flag if flag.starts_with('-') => {
                return refuse(&format!("unknown flag: {flag}"), USAGE);
            }
            other => {
                let what = format!("unknown command {other:?} for \"spiff completion {shell}\"");
                return refuse(&what, USAGE);
            }
        }
    }
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command(program), program.name(), &mut script);
    say(&String::from_utf8_lossy(&script));
    ExitCode::SUCCESS
}

/// The command line in the form of the script generators.
fn command(program: Program) -> Command {
    let verbs = VERBS.iter().map(|verb| {
        let flags = verb.flags.iter().map(|flag| {
            let action = if flag.2 { ArgAction::Set } else { ArgAction::SetTrue };
            let arg = Arg::new(flag.0).long(flag.0).action(action).help(flag.3);
            match flag.1.chars().next() {
                Some(short) => arg.short(short),
                None => arg,
            }
        });
        let command = Command::new(verb.names[0]).about(verb.about).args(flags);
        if *verb.files.end() == 0 {
            return command;
        }
        let files = Arg::new("files").num_args(0..).value_hint(ValueHint::FilePath);
        command.arg(files)
    });
    let shells = SHELLS.map(|(name, _)| Command::new(name));
    let completion = Command::new("completion").about("Print the script of a shell");
    Command::new(program.name())
        .subcommands(verbs)
        .subcommand(completion.subcommand_required(true).subcommands(shells))
}

/// Prints candidates for the last argument, one per line. The last line tells whether files are
/// candidates, too.
pub(super) fn ask(described: bool, args: &[String]) -> ExitCode {
    let Some((last, before)) = args.split_last() else {
        return refuse("requires at least 1 arg(s), only received 0", "Usage:\n  spiff __complete");
    };
    let (found, files) = candidates(before, last);
    let mut out = String::new();
    for (name, about) in found.iter().filter(|(name, _)| name.starts_with(last.as_str())) {
        out.push_str(name);
        if described && !about.is_empty() {
            out.push('\t');
            out.push_str(about);
        }
        out.push('\n');
    }
    out.push_str(if files { ":0\n" } else { ":4\n" });
    say(&out);
    ExitCode::SUCCESS
}

fn candidates(before: &[String], last: &str) -> (Vec<(String, &'static str)>, bool) {
    let plain = |name: &str, about| (name.to_owned(), about);
    let Some(verb) = before.first() else {
        let flags = [plain("--help", ""), plain("-h", ""), plain("--version", ""), plain("-v", "")];
        if last.starts_with('-') {
            return (flags.to_vec(), false);
        }
        let mut verbs: Vec<_> = VERBS.iter().map(|v| plain(v.names[0], v.about)).collect();
        verbs.extend([plain("completion", "Print the script of a shell"), plain("help", "")]);
        verbs.sort();
        return (verbs, false);
    };
    if verb == "completion" {
        let shells = SHELLS.iter().map(|s| plain(s.0, "")).collect();
        return (if before.len() == 1 { shells } else { Vec::new() }, false);
    }
    let verb = VERBS.iter().find(|v| v.names.contains(&verb.as_str()));
    match verb.filter(|_| last.starts_with('-')) {
        Some(verb) => (flags(verb), false),
        None => (Vec::new(), true),
    }
}

fn flags(verb: &Verb) -> Vec<(String, &'static str)> {
    let mut out = vec![("--help".to_owned(), ""), ("-h".to_owned(), "")];
    for flag in verb.flags {
        out.push((format!("--{}", flag.0), flag.3));
        if !flag.1.is_empty() {
            out.push((format!("-{}", flag.1), flag.3));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shell_has_a_script_with_the_verbs() {
        for program in [Program::Spiff, Program::SpiffPlusPlus] {
            for (name, shell) in SHELLS {
                let mut script = Vec::new();
                clap_complete::generate(shell, &mut command(program), program.name(), &mut script);
                let script = String::from_utf8_lossy(&script).into_owned();
                for word in ["merge", "preserve-temporary", "encrypt", program.name()] {
                    assert!(script.contains(word), "{name}: {word}");
                }
            }
        }
    }

    #[test]
    fn candidates_for_the_scripts_of_the_original() {
        let names = |before: &[&str], last: &str| {
            let before: Vec<String> = before.iter().map(ToString::to_string).collect();
            let (found, files) = candidates(&before, last);
            let found = found.into_iter().filter(|(name, _)| name.starts_with(last));
            (found.map(|f| f.0).collect::<Vec<_>>(), files)
        };
        assert_eq!(names(&[], "m"), (vec!["merge".into()], false));
        assert_eq!(names(&["merge"], "--pa"), (vec!["--partial".into(), "--path".into()], false));
        assert_eq!(names(&["m", "--path"], ""), (Vec::new(), true));
        assert_eq!(names(&["completion"], "z"), (vec!["zsh".into()], false));
    }
}
