//! Compresses the Ruby and Python code for the children.

#![allow(clippy::disallowed_methods, reason = "the rules are for compiles of manifests")]

use std::fs;
use std::io::{Error, Result};
use std::path::Path;

fn main() -> Result<()> {
    let out = std::env::var_os("OUT_DIR").ok_or_else(|| Error::other("OUT_DIR is not set"))?;
    for language in ["ruby", "python"] {
        println!("cargo::rerun-if-changed={language}");
        compress(Path::new(language), &Path::new(&out).join(language))?;
    }
    Ok(())
}

/// Compresses the files of a directory and those below it.
fn compress(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true => compress(&entry.path(), &target)?,
            false => {
                let text = fs::read(entry.path())?;
                fs::write(target, miniz_oxide::deflate::compress_to_vec(&text, 9))?;
            }
        }
    }
    Ok(())
}
