//! Transcripts: Markdown pages whose blocks are files to write and commands to run.
//!
//! A block with `file=PATH` behind its language is written to that file, in a directory of the
//! page. A `console` block has commands behind `$ `, each followed by its output, both streams in
//! order; a last line `(exit N)` is an exit code other than 0. A line `...` matches any lines, and
//! `[..]` any text in a line.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use crate::pages::{Answer, Block, rewrite};

/// The surroundings of the commands of a page.
#[derive(Clone, Copy)]
struct Surroundings<'a> {
    dir: &'a Path,
    program: &'a Path,
    variables: &'a [(&'a str, &'a Path)],
}

/// Returns the page with the actual output of its commands. `program` is found by its name;
/// `variables` are variables of the environment with paths.
///
/// # Panics
/// If a file cannot be written or a command cannot be started.
pub fn run_page(text: &str, program: &Path, variables: &[(&str, &Path)]) -> String {
    let dir = tempfile::tempdir().unwrap();
    let surroundings = Surroundings { dir: dir.path(), program, variables };
    rewrite(text, |block| run_block(block, surroundings))
}

fn run_block(block: Block<'_>, surroundings: Surroundings<'_>) -> Option<Answer> {
    if let Some(name) = block.option("file") {
        let path = surroundings.dir.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, block.body).unwrap();
    }
    (block.info == "console").then(|| block.with(run_commands(block.body, surroundings)))
}

fn run_commands(body: &str, surroundings: Surroundings<'_>) -> String {
    let block: Vec<&str> = body.lines().collect();
    let mut out = String::new();
    let mut at = 0;
    while at < block.len() {
        let Some(command) = block[at].strip_prefix("$ ") else {
            at += 1;
            continue;
        };
        writeln!(out, "{}", block[at]).unwrap();
        let end =
            (at + 1..block.len()).find(|&i| block[i].starts_with("$ ")).unwrap_or(block.len());
        let expected = &block[at + 1..end];
        let actual = run(command, surroundings);
        let actual: Vec<&str> = actual.lines().collect();
        let same = matches(expected, &actual);
        for line in if same { expected } else { &actual } {
            writeln!(out, "{line}").unwrap();
        }
        at = end;
    }
    out
}

/// Runs a command. Returns its output and exit code.
fn run(command: &str, surroundings: Surroundings<'_>) -> String {
    let Surroundings { dir, program, variables } = surroundings;
    let path = std::env::var("PATH").unwrap();
    let path = format!("{}:{path}", program.parent().unwrap().display());
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1\n{command}")])
        .current_dir(dir)
        .env("PATH", path)
        .env("HOME", dir)
        .env("ORDAIN_STATE_DIR", dir.join("state"))
        .env("COLUMNS", "80")
        .env("EXAMPLES", concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples"))
        .envs(variables.iter().copied())
        .env_remove("CLICOLOR_FORCE")
        .output()
        .unwrap();
    let mut text = String::from_utf8(output.stdout).unwrap();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    match output.status.code() {
        Some(0) => {}
        code => writeln!(text, "(exit {})", code.unwrap_or(-1)).unwrap(),
    }
    text
}

/// Whether lines match a pattern of lines.
fn matches(pattern: &[&str], lines: &[&str]) -> bool {
    match pattern.split_first() {
        None => lines.is_empty(),
        Some((&"...", rest)) => (0..=lines.len()).any(|i| matches(rest, &lines[i..])),
        Some((first, rest)) => {
            let fits = lines.split_first().filter(|(line, _)| line_matches(first, line));
            fits.is_some_and(|(_, others)| matches(rest, others))
        }
    }
}

fn line_matches(pattern: &str, line: &str) -> bool {
    match pattern.split_once("[..]") {
        None => pattern == line,
        Some((head, tail)) => line.strip_prefix(head).is_some_and(|rest| {
            let starts = rest.char_indices().map(|(i, _)| i).chain([rest.len()]);
            starts.into_iter().any(|i| line_matches(tail, &rest[i..]))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_run_and_patterns_kept() {
        let page = "```text file=a/b.txt\nhello\n```\n\n```console\n$ cat a/b.txt\nold\n\
                    $ printf '1\\n2\\n3\\n'; exit 3\n1\n...\n(exit 3)\n$ echo took 12 ms\ntook [..] ms\n```\n";
        let new = run_page(page, Path::new("/usr/bin/true"), &[]);
        assert_eq!(new, page.replace("old", "hello"));
    }
}
