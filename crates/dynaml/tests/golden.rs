//! Runs the pages in `tests/cases/`. Each section has a template, stubs, and the expected result.
//!
//! A section has blocks `yaml template`, any number of `yaml stub`, and last `yaml result` or `text
//! error`. After the first word of a template, `features=NAME` enables extensions, and `partial`
//! keeps unresolved expressions. A block `yaml before` has its formatted text in `yaml after`.
//! `ORDAIN_BLESS=1` writes the actual results into the pages.
#![allow(clippy::unwrap_used)]

mod mistakes;

use std::path::Path;

use ordain_dynaml::eval::{Dialect, Options};
use ordain_dynaml::fmt;
use ordain_dynaml::load::Features;
use ordain_dynaml::session::{Input, Request, merge};
use ordain_source::MemoryWorld;
use ordain_testkit::pages::{Answer, Block, pages_are_true};

#[test]
fn pages_are_true_of_what_they_say() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    pages_are_true(&dir, 10, || {
        let mut request = Request::default();
        move |block| run_block(&mut request, block, str::to_owned)
    });
}

#[test]
fn formatted_templates_have_the_same_results() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    pages_are_true(&dir, 10, || {
        let mut request = Request::default();
        move |block| run_block(&mut request, block, formatted)
    });
}

/// The formatted text, or the text itself if it is no YAML. Formatting it again changes nothing.
fn formatted(text: &str) -> String {
    let Ok(once) = fmt::format(text) else { return text.to_owned() };
    assert_eq!(fmt::format(&once).unwrap(), once);
    once
}

/// Runs a block of templates and stubs whose texts are changed before.
fn run_block(
    request: &mut Request,
    block: Block<'_>,
    change: impl Fn(&str) -> String,
) -> Option<Answer> {
    let input = |name: String, text: &str| Input { name, text: change(text), under: None };
    match block.word(1) {
        "before" => {
            *request =
                Request { template: Some(input(String::new(), block.body)), ..Request::default() };
            None
        }
        "after" => {
            let before = request.template.as_ref().map(|input| formatted(&input.text));
            Some(Answer::new("yaml after", before.unwrap_or_default()))
        }
        "template" => {
            let has = |name: &str| block.options("features").any(|feature| feature == name);
            let features =
                Features { interpolation: has("interpolation"), control: has("control") };
            *request = Request {
                template: Some(input("template.yml".into(), block.body)),
                features,
                options: Options {
                    dialect: Dialect::SpiffPlusPlus,
                    partial: block.info.ends_with(" partial"),
                    ..Options::default()
                },
                ..Request::default()
            };
            None
        }
        "stub" => {
            let name = format!("stub{}.yml", request.stubs.len() + 1);
            request.stubs.push(input(name, block.body));
            None
        }
        _ => {
            let (info, text) = match merge(&MemoryWorld::default(), request) {
                Ok(output) => ("yaml result", output.text),
                Err(error) => ("text error", error.text()),
            };
            let text = text.split("\nerror classification:").next().unwrap().trim_end();
            Some(Answer::new(info, text))
        }
    }
}
