//! Compiles a program to its first graph, a number of times, for measurements.
//!
//! `first FILE [TIMES]`

#![allow(clippy::disallowed_methods)]

use std::path::PathBuf;

use ordain_mcl::functions::environment::Memory;
use ordain_mcl::session::{Input, Options, compile};
use ordain_source::{MemoryWorld, SourceMap};

fn main() {
    let mut args = std::env::args().skip(1);
    let path = PathBuf::from(args.next().unwrap_or_default());
    let times: usize = args.next().and_then(|times| times.parse().ok()).unwrap_or(1);
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let mut resources = 0;
    for _ in 0..times {
        let world = MemoryWorld::default();
        let environment = Memory::default();
        let input = Input::Text("/main.mcl".into(), text.clone());
        let sources = SourceMap::new();
        match compile(&world, &sources, &input, &Options::default(), &environment) {
            Ok(compiled) => resources += compiled.resources.list.len(),
            Err(refused) => println!("{}", refused.first(&sources).1),
        }
    }
    println!("{resources} resources");
}
