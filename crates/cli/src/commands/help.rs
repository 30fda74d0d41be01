//! `ordain help`: the help of verbs, and topics from the manual.

use std::ffi::OsStr;
use std::io::Write;

use clap::Args;
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use ordain_source::{Diagnostic, suggest};

use super::code;
use crate::codes;
use crate::complete;
use crate::exit::{Exit, Failure};
use crate::ui::{Ui, styles};

#[derive(Args)]
#[cfg_attr(feature = "full", doc = "Print the help of a verb, or a topic of the manual")]
#[cfg_attr(not(feature = "full"), doc = "Print the help of a verb")]
#[command(after_help = EXAMPLES)]
pub(crate) struct HelpArgs {
    #[cfg_attr(feature = "full", doc = "A verb, or a topic; `topics` lists the topics")]
    #[cfg_attr(not(feature = "full"), doc = "A verb")]
    #[arg(value_name = NAME, add = ArgValueCompleter::new(candidates))]
    name: Vec<String>,
}

#[cfg(feature = "full")]
const NAME: &str = "VERB|TOPIC";
#[cfg(not(feature = "full"))]
const NAME: &str = "VERB";

#[cfg(feature = "full")]
const EXAMPLES: &str = "\
Examples:
  ordain help plan
  ordain help fleet diff
  ordain help exit-codes
  ordain help topics";
#[cfg(not(feature = "full"))]
const EXAMPLES: &str = "\
Examples:
  ordain help agent";

/// A topic: a section of a page of the manual.
struct Topic {
    name: &'static str,
    about: &'static str,
    /// The page as `build.rs` compresses it.
    page: &'static [u8],
    heading: &'static str,
}

#[cfg(feature = "full")]
const CLI: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/cli.deflate"));
#[cfg(feature = "full")]
const FORMATS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/formats.deflate"));
#[cfg(feature = "full")]
const ENGINE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/engine.deflate"));
#[cfg(feature = "full")]
const GLOSSARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/glossary.deflate"));

#[cfg(feature = "full")]
const fn topic(
    name: &'static str,
    about: &'static str,
    page: &'static [u8],
    heading: &'static str,
) -> Topic {
    Topic { name, about, page, heading }
}

/// The program of the agent alone has no topics.
#[cfg(not(feature = "full"))]
const TOPICS: &[Topic] = &[];

#[cfg(feature = "full")]
const TOPICS: &[Topic] = &[
    topic("languages", "The languages and formats of PATH", CLI, "## PATH"),
    topic("code", "The code that each verb may run", CLI, "## Programs that may run"),
    topic("exit-codes", "Exit codes", CLI, "## Exit codes"),
    topic("output", "Names, colours, terminals", CLI, "## Output"),
    topic("flags", "The flags of every verb", CLI, "## Flags of every verb"),
    topic("nodes", "Compiling many nodes at once", CLI, "### Many nodes at once"),
    topic("documents", "The documents of --format json", CLI, "## Documents"),
    topic("diagnostics", "Errors as JSON", CLI, "### Diagnostics"),
    topic("graphs", "The format of graphs", FORMATS, "## `ordain-graph`: a resource graph"),
    topic("plans", "Saved plans", FORMATS, "## `ordain-plan`: a saved plan"),
    topic("secrets", "Secrets in graphs and plans", FORMATS, "### Secrets"),
    topic("schemas", "JSON Schemas of the documents", FORMATS, "## JSON Schemas"),
    topic("journal", "The journal of runs", ENGINE, "## History"),
    topic("glossary", "The terms of the manual", GLOSSARY, "# Glossary"),
];

/// The names of all topics with a line about each.
fn topics() -> impl Iterator<Item = (&'static str, &'static str)> {
    TOPICS.iter().map(|topic| (topic.name, topic.about))
}

/// The verbs of the program of the agent.
const AGENT_VERBS: [&str; 9] =
    ["agent", "history", "rollback", "show", "doctor", "facts", "completions", "man", "help"];

/// The verbs of this program.
fn verbs() -> Vec<&'static str> {
    let mut verbs: Vec<&str> =
        code::VERBS.iter().filter_map(|(verb, _)| verb.split(' ').next()).collect();
    verbs.dedup();
    verbs.retain(|verb| cfg!(feature = "full") || AGENT_VERBS.contains(verb));
    verbs
}

/// Verbs and topics, for completions.
fn candidates(current: &OsStr) -> Vec<CompletionCandidate> {
    let verbs = verbs().into_iter().map(|verb| (verb.to_owned(), None));
    complete::starting(
        current,
        verbs.chain(topics().map(|(name, about)| (name.to_owned(), Some(about)))),
    )
}

/// Prints help.
///
/// # Errors
/// When there is no such verb and no such topic.
pub(super) fn run(
    ui: &mut Ui,
    args: &HelpArgs,
    mut command: clap::Command,
) -> Result<Exit, Failure> {
    let names: Vec<&str> = args.name.iter().map(String::as_str).collect();
    if names == ["topics"] && !TOPICS.is_empty() {
        let width = TOPICS.iter().map(|topic| topic.name.len()).max().unwrap_or(0);
        for (name, about) in topics() {
            writeln!(ui.out(), "{name:width$}  {about}")?;
        }
        return Ok(Exit::Done);
    }
    if let [name] = names[..]
        && let Some(topic) = TOPICS.iter().find(|topic| topic.name == name)
    {
        print(ui, topic)?;
        return Ok(Exit::Done);
    }
    command.build();
    let mut found = &mut command;
    for name in names {
        let verbs: Vec<String> = found.get_subcommands().map(|c| c.get_name().to_owned()).collect();
        let Some(below) = found.find_subcommand_mut(name) else {
            return Err(unknown(name, &verbs).into());
        };
        found = below;
    }
    let text = found.render_long_help().to_string();
    writeln!(ui.out(), "{}", text.trim_end())?;
    Ok(Exit::Done)
}

/// The error about a name that is neither a verb nor a topic.
fn unknown(name: &str, verbs: &[String]) -> Diagnostic {
    let text = format!("there is no verb and no topic `{name}`");
    let error = Diagnostic::error(codes::UNKNOWN_NAME, text);
    let known = verbs.iter().map(String::as_str).chain(topics().map(|(name, _)| name));
    match suggest::nearest(name, known) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None if TOPICS.is_empty() => error
            .help("`ordain help` lists the verbs; topics of the manual are in the whole program"),
        None => error.help("`ordain help` lists the verbs, `ordain help topics` the topics"),
    }
}

/// The text of a page that the build has compressed.
fn decompressed(page: &[u8]) -> String {
    let text = miniz_oxide::inflate::decompress_to_vec(page).unwrap_or_default();
    String::from_utf8(text).unwrap_or_default()
}

/// The lines of a section of a page without its heading: up to the next heading of its level or above.
fn section<'a>(page: &'a str, heading: &'a str) -> impl Iterator<Item = &'a str> {
    let level = heading.bytes().take_while(|b| *b == b'#').count();
    let lines = page.lines().skip_while(move |line| *line != heading).skip(1);
    let mut in_block = false;
    lines.take_while(move |line| {
        if line.starts_with("```") {
            in_block = !in_block;
        }
        let hashes = line.bytes().take_while(|b| *b == b'#').count();
        in_block || hashes == 0 || hashes > level
    })
}

fn print(ui: &mut Ui, topic: &Topic) -> Result<(), Failure> {
    let title = ui.styled(styles::BOLD, topic.about);
    writeln!(ui.out(), "{title}")?;
    let mut in_block = false;
    let mut table: Vec<(String, String)> = Vec::new();
    for line in section(&decompressed(topic.page), topic.heading) {
        if let Some(row) = line.strip_prefix("| ").filter(|_| !in_block) {
            table.extend(cells(row));
            continue;
        }
        print_table(ui, &std::mem::take(&mut table))?;
        if line.starts_with("```") {
            in_block = !in_block;
        } else if in_block {
            writeln!(ui.out(), "    {line}")?;
        } else if let Some(heading) = line.strip_prefix('#') {
            let heading = plain(heading.trim_start_matches('#').trim());
            let heading = ui.styled(styles::BOLD, &heading);
            writeln!(ui.out(), "{heading}")?;
        } else {
            let indent = if line.starts_with("- ") { 2 } else { 0 };
            ui.line(&plain(line), indent)?;
        }
    }
    print_table(ui, &table)
}

/// The first cell of a row, and the others. The rule below the heads is no row.
fn cells(row: &str) -> Option<(String, String)> {
    if row.starts_with("---") {
        return None;
    }
    let row = row.trim_end().trim_end_matches('|').replace("\\|", "\u{0}");
    let (first, rest) = row.split_once(" | ").unwrap_or((row.as_str(), ""));
    let text = |cell: &str| plain(cell.trim()).replace('\u{0}', "|");
    Some((text(first), text(&rest.replace(" | ", "; "))))
}

/// The column of the second cells, unless the first ones are shorter.
const MAX_COLUMN: usize = 32;

fn print_table(ui: &mut Ui, rows: &[(String, String)]) -> Result<(), Failure> {
    let width = rows.iter().map(|(first, _)| first.chars().count()).max().unwrap_or(0);
    let width = width.min(MAX_COLUMN);
    for (first, rest) in rows {
        ui.line(&format!("  {first:width$}  {rest}"), width + 4)?;
    }
    Ok(())
}

/// A line without the marks of Markdown.
fn plain(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find(['[', '`', '*']) {
        out += &rest[..at];
        let (mark, tail) = rest[at..].split_at(1);
        rest = match mark {
            "[" => match tail
                .split_once("](")
                .and_then(|(text, end)| Some((text, end.split_once(')')?.1)))
            {
                Some((text, end)) if !text.contains('[') => {
                    out += &plain(text);
                    end
                }
                _ => {
                    out.push('[');
                    tail
                }
            },
            "`" => match tail.split_once('`') {
                Some((code, end)) => {
                    out += code;
                    end
                }
                None => tail,
            },
            _ => match tail.strip_prefix('*') {
                Some(bold) => bold,
                None => {
                    out.push('*');
                    tail
                }
            },
        };
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topics_are_sections_of_the_manual_and_no_verbs() {
        for topic in TOPICS {
            let page = decompressed(topic.page);
            let lines = section(&page, topic.heading).count();
            assert!(lines > 2, "{}: no section {}", topic.name, topic.heading);
            let is_verb = verbs().contains(&topic.name);
            assert!(!is_verb, "{} is a verb", topic.name);
        }
    }

    #[test]
    fn marks_are_left_out() {
        assert_eq!(plain("**A** [page](x.md#y) of `a[0] * 2` [x]"), "A page of a[0] * 2 [x]");
        assert_eq!(cells("`a` | b | c |"), Some(("a".into(), "b; c".into())));
        assert_eq!(cells("--- | --- |"), None);
    }
}
