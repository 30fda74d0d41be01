//! Compresses the pages of the manual of which `ordain help TOPIC` prints sections.

use std::io::{Error, Result};
use std::path::PathBuf;

/// The pages, by the names of their files.
const PAGES: [&str; 4] = ["cli", "engine", "formats", "glossary"];

fn main() -> Result<()> {
    let out = std::env::var_os("OUT_DIR").ok_or_else(|| Error::other("OUT_DIR is not set"))?;
    for page in PAGES {
        let path = format!("../../docs/{page}.md");
        println!("cargo::rerun-if-changed={path}");
        let compressed = miniz_oxide::deflate::compress_to_vec(&std::fs::read(&path)?, 9);
        std::fs::write(PathBuf::from(&out).join(format!("{page}.deflate")), compressed)?;
    }
    Ok(())
}
