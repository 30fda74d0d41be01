//! Runs the pages in `tests/cases/`. Each section has a template, stubs, and the expected result.
//!
//! A section has blocks `yaml template`, any number of `yaml stub`, and last `yaml result` or `text
//! error`. After the first word of a template, `features=NAME` enables extensions, and `partial`
//! keeps unresolved expressions. `ORDAIN_BLESS=1` writes the actual results into the pages.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use ordain_dynaml::eval::{Dialect, Options};
use ordain_dynaml::load::Features;
use ordain_dynaml::session::{Input, Request, merge};
use ordain_source::MemoryWorld;
use ordain_testkit::pages::{Answer, Block, pages_are_true};

#[test]
fn pages_are_true_of_what_they_say() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    pages_are_true(&dir, 10, || {
        let mut request = Request::default();
        move |block| run_block(&mut request, block)
    });
}

fn run_block(request: &mut Request, block: Block<'_>) -> Option<Answer> {
    match block.word(1) {
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

fn input(name: String, text: &str) -> Input {
    Input { name, text: text.into(), under: None }
}
