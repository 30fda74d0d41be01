//! Baselines: files with known findings, which a check leaves out.
//!
//! A finding is known by its file, its code and the text of its line, so it stays known when lines
//! above it come and go. A line that changes makes its findings new.

use std::collections::BTreeMap;
use std::path::Path;

use ordain_functions::digest::sha256;
use ordain_source::{Diagnostic, SourceMap};
use serde_json::{Value as Json, json};

use crate::codes;
use crate::exit::Failure;
use crate::ui::count;

/// The name and version of the document.
const FORMAT: &str = "ordain-baseline";
const VERSION: u64 = 1;

/// A kind of finding: its file from the directory of the baseline, its code, and a hash of its line.
type Key = (String, String, String);

/// The result of a comparison with a baseline.
#[derive(Default)]
pub(super) struct Known {
    /// The findings that were left out.
    left_out: usize,
    /// The findings of the baseline that are no more.
    gone: usize,
    /// The findings that were written.
    written: Option<usize>,
}

impl Known {
    /// Texts for the last line of a check.
    pub(super) fn text(&self) -> Vec<String> {
        let mut out = Vec::new();
        if let Some(written) = self.written {
            out.push(format!("{} written to the baseline", count(written, "finding")));
        }
        if self.left_out > 0 {
            out.push(format!("{} in the baseline", self.left_out));
        }
        if self.gone > 0 {
            out.push(format!("{} of the baseline gone", self.gone));
        }
        out
    }
}

/// Leaves out the findings of a baseline. If the file is missing, or with `update`, all findings are
/// written to it.
///
/// # Errors
/// When the file cannot be read or written, or is no baseline.
pub(super) fn apply(
    file: &Path,
    update: bool,
    found: &mut Vec<Diagnostic>,
    sources: &SourceMap,
) -> Result<Known, Failure> {
    let directory = std::path::absolute(file).ok();
    let directory = directory.as_deref().and_then(Path::parent).unwrap_or(Path::new("/"));
    if update || !file.exists() {
        let mut counts: BTreeMap<Key, u64> = BTreeMap::new();
        found.iter().for_each(|d| *counts.entry(key(d, directory, sources)).or_default() += 1);
        let text = format!("{:#}\n", document(&counts));
        let written = std::fs::write(file, text);
        written.map_err(|e| codes::io(&format!("cannot write {}", file.display()), &e))?;
        let written = found.len();
        found.clear();
        return Ok(Known { written: Some(written), ..Known::default() });
    }
    let text = std::fs::read_to_string(file);
    let text = text.map_err(|e| codes::io(&format!("cannot read {}", file.display()), &e))?;
    let mut known = read(&text).ok_or_else(|| no_baseline(file))?;
    let before = found.len();
    found.retain(|diagnostic| match known.get_mut(&key(diagnostic, directory, sources)) {
        Some(left) if *left > 0 => {
            *left -= 1;
            false
        }
        _ => true,
    });
    let gone = known.values().sum::<u64>() as usize;
    Ok(Known { left_out: before - found.len(), gone, written: None })
}

fn no_baseline(file: &Path) -> Diagnostic {
    let text = format!("{} is no baseline", file.display());
    Diagnostic::error(codes::DOCUMENT, text).help("--update-baseline writes it anew")
}

fn key(diagnostic: &Diagnostic, directory: &Path, sources: &SourceMap) -> Key {
    let code = diagnostic.code.to_string();
    let Some(label) = &diagnostic.primary else {
        return (String::new(), code, hash(&diagnostic.message));
    };
    let file = sources.file(label.span.file);
    let full = std::path::absolute(&file.path).unwrap_or_else(|_| file.path.clone());
    let path = full.strip_prefix(directory).unwrap_or(&full).display().to_string();
    (path, code, hash(file.line_text(file.line(label.span.range.start)).trim()))
}

/// A hash of a line: the line itself may be secret.
fn hash(line: &str) -> String {
    sha256(line.as_bytes())[..16].to_owned()
}

fn document(counts: &BTreeMap<Key, u64>) -> Json {
    let finding = |((file, code, line), count): (&Key, &u64)| json!({ "file": file, "code": code, "line": line, "count": count });
    json!({
        "format": FORMAT,
        "version": VERSION,
        "findings": counts.iter().map(finding).collect::<Json>(),
    })
}

/// The findings of a baseline; `None` if the text is none.
fn read(text: &str) -> Option<BTreeMap<Key, u64>> {
    let document: Json = serde_json::from_str(text).ok()?;
    if document["format"] != FORMAT || document["version"] != VERSION {
        return None;
    }
    let finding = |one: &Json| {
        let text = |name: &str| one[name].as_str().map(str::to_owned);
        Some(((text("file")?, text("code")?, text("line")?), one["count"].as_u64()?))
    };
    document["findings"].as_array()?.iter().map(finding).collect()
}
