//! The help of the program with all verbs, and of that with the verbs of the agent only:
//! `cargo test -p ordain-cli --no-default-features --test verbs` runs it for the latter.

#![allow(clippy::unwrap_used)]

use std::process::Command;

const PROGRAM: &str = env!("CARGO_BIN_EXE_ordain");

/// The standard output of a run that must succeed.
fn output(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The verbs that `ordain --help` lists.
fn verbs(help: &str) -> Vec<&str> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let lines = lines.take_while(|line| !line.is_empty());
    // Further lines of a description are indented more.
    let lines = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    lines.filter_map(|line| line.split_whitespace().next()).collect()
}

#[test]
fn the_help_opens_with_the_job_of_the_program() {
    let help = output(Command::new(PROGRAM).arg("--help"));
    let (first, verbs) = (help.lines().next().unwrap(), verbs(&help));
    let is_full = cfg!(feature = "full");
    assert_eq!(verbs.contains(&"compile"), is_full, "{verbs:?}");
    assert_eq!(first.contains("Compile"), is_full, "{first}");
    assert!(verbs.contains(&"agent"), "{verbs:?}");
}

#[test]
fn help_completes_the_verbs_and_topics_that_it_has() {
    let mut shell = Command::new(PROGRAM);
    let shell = shell.env("ORDAIN_COMPLETE", "fish").args(["--", "ordain", "help", ""]);
    let candidates = output(shell);
    let names = candidates.lines().filter_map(|line| line.split('\t').next());
    // Flags of every verb are candidates, too.
    let names: Vec<&str> = names.filter(|name| !name.starts_with('-')).collect();
    let help = output(Command::new(PROGRAM).arg("--help"));
    let missing: Vec<&str> =
        verbs(&help).into_iter().filter(|verb| !names.contains(verb)).collect();
    assert!(missing.is_empty(), "not completed: {missing:?} among {names:?}");
    for name in names {
        output(Command::new(PROGRAM).args(["help", name]));
    }
}
