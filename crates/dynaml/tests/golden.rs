//! Runs the pages in `tests/cases/`: each section merges a template with stubs and has what comes of
//! it.
//!
//! A section has blocks `yaml template`, any number of `yaml stub`, and last `yaml result` or `text
//! error`; `features=NAME` behind the first word of a template switches extensions on, `partial` leaves
//! open what cannot be resolved. `ORDAIN_BLESS=1`
//! writes what really comes into the pages.
#![allow(clippy::unwrap_used)]

use std::fmt::Write;
use std::path::Path;

use ordain_dynaml::eval::{Dialect, Options};
use ordain_dynaml::load::Features;
use ordain_dynaml::session::{Input, Request, merge};
use ordain_source::MemoryWorld;

#[test]
fn pages_are_true() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut pages: Vec<_> = std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path()).collect();
    pages.sort();
    assert!(pages.len() >= 10, "pages are gone");
    let bless = std::env::var_os("ORDAIN_BLESS").is_some();
    let mut failures = String::new();
    for page in pages {
        let text = std::fs::read_to_string(&page).unwrap();
        let actual = run_page(&text);
        if actual != text && bless {
            std::fs::write(&page, actual).unwrap();
        } else if actual != text {
            let lines = text.lines().zip(actual.lines());
            let at = lines.take_while(|(a, b)| a == b).count();
            let shown: Vec<&str> = actual.lines().skip(at.saturating_sub(3)).take(12).collect();
            writeln!(failures, "{}:{}:\n{}", page.display(), at + 1, shown.join("\n")).unwrap();
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

/// The page with the results that its sections really have.
fn run_page(text: &str) -> String {
    let mut out = String::new();
    let mut request = Request::default();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(info) = line.strip_prefix("```").filter(|info| !info.is_empty()) else {
            writeln!(out, "{line}").unwrap();
            continue;
        };
        let block = lines.by_ref().take_while(|l| *l != "```");
        let body: String = block.map(|l| format!("{l}\n")).collect();
        let mut words = info.split(' ').skip(1);
        match words.next().unwrap() {
            "template" => {
                let has = |name: &str| info.contains(&format!("features={name}"));
                request = Request {
                    template: Some(input("template.yml".into(), &body)),
                    features: Features {
                        interpolation: has("interpolation"),
                        control: has("control"),
                    },
                    options: Options {
                        dialect: Dialect::SpiffPlusPlus,
                        partial: info.contains(" partial"),
                        ..Options::default()
                    },
                    ..Request::default()
                };
            }
            "stub" => {
                let name = format!("stub{}.yml", request.stubs.len() + 1);
                request.stubs.push(input(name, &body));
            }
            _ => {
                let world = MemoryWorld::default();
                let (info, text) = match merge(&world, &request) {
                    Ok(output) => ("yaml result", output.text),
                    Err(error) => ("text error", error.text()),
                };
                let text = text.split("\nerror classification:").next().unwrap().trim_end();
                writeln!(out, "```{info}\n{text}\n```").unwrap();
                continue;
            }
        }
        write!(out, "{line}\n{body}```\n").unwrap();
    }
    out
}

fn input(name: String, text: &str) -> Input {
    Input { name, text: text.into(), under: None }
}
