//! Compiles one program per input line, for tests with random programs.
//!
//! A line is a program, with `\` and line ends escaped as `\\` and `\n`. The answer is a line of
//! three fields separated by tabs: `graph` with the lines of the resources, the phase of an error
//! with its message, or `panic`; and whether formatting the formatted text changes neither it nor
//! the result. With the argument `upstream` the program uses that edition and formats nothing, and
//! the resources have their fields.

use std::io::{BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};

use ordain_mcl::functions::environment::Memory;
use ordain_mcl::graph::fields;
use ordain_mcl::session::{Input, Options, compile};
use ordain_mcl::{Edition, fmt};
use ordain_source::{MemoryWorld, SourceMap};

fn main() {
    let edition = match std::env::args().nth(1).as_deref() {
        Some("upstream") => Edition::Upstream,
        _ => Edition::Wide,
    };
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let text = plain(&line);
        let answer = catch_unwind(AssertUnwindSafe(|| {
            let (status, lines) = answer(&text, edition);
            let form = match edition {
                Edition::Wide => form(&text, &status, &lines),
                Edition::Upstream => String::new(),
            };
            (status, lines, form)
        }));
        let (status, lines, form) = answer.unwrap_or_else(|cause| {
            let text = cause.downcast_ref::<String>().cloned();
            let text = text.or_else(|| cause.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            ("panic".to_owned(), text.unwrap_or_default(), String::new())
        });
        let written =
            writeln!(out, "{}\t{}\t{}", line_of(&status), line_of(&lines), line_of(&form));
        if written.and_then(|()| out.flush()).is_err() {
            return;
        }
    }
}

fn answer(text: &str, edition: Edition) -> (String, String) {
    let sources = SourceMap::new();
    let input = Input::Text("/main.mcl".into(), text.to_owned());
    let (world, host, options) =
        (MemoryWorld::default(), Memory::default(), Options { edition, ..Options::default() });
    match compile(&world, &sources, &input, &options, &host) {
        Ok(compiled) => {
            let mut lines = compiled.resources.lines();
            if edition == Edition::Upstream {
                // Here parts of a group stand for themselves.
                let own = fields::lines(&compiled.resources).into_iter();
                lines.extend(
                    own.filter_map(|line| line.find("Field: ").map(|at| line[at..].into())),
                );
            }
            ("graph".into(), lines.join("\n"))
        }
        Err(refused) => {
            let (phase, text) = refused.first(&sources);
            (phase.class().into(), text)
        }
    }
}

fn form(text: &str, status: &str, lines: &str) -> String {
    let Ok(formatted) = fmt::format(text, Edition::Wide) else { return "fine".into() };
    match fmt::format(&formatted, Edition::Wide) {
        Ok(again) if again == formatted => {}
        Ok(_) => return "formatted again it changes".into(),
        Err(_) => return "the formatted text does not parse".into(),
    }
    let (status_after, lines_after) = answer(&formatted, Edition::Wide);
    // Places may differ.
    let is_same = status == status_after && (status != "graph" || lines == lines_after);
    if is_same { "fine".into() } else { "the formatted text gives something else".into() }
}

fn plain(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        out.push(match letter {
            '\\' => match letters.next() {
                Some('n') => '\n',
                Some(other) => other,
                None => '\\',
            },
            other => other,
        });
    }
    out
}

fn line_of(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\n', "\\n").replace('\t', "\\t")
}
