//! `mgmt::line`: lines that should be in a file, or not, regardless of its other content.

use std::path::PathBuf;

use ordain_data::Value;
use ordain_graph::Resource;
use ordain_kinds::{KindSchema, files};

use crate::kind::differences::Differences;
use crate::kind::params::Params;
use crate::kind::{Change, Instance, Kind, KindError, ParseContext, ParseResult};
use crate::system::file_cache::read_bytes;
use crate::system::host::Host;
use crate::system::watch::Watch;
use crate::system::write::{Owner, editing, rewrite};

/// The kind.
#[derive(Clone, Copy, Debug, Default)]
pub struct Line;

impl Kind for Line {
    fn schema(&self) -> &KindSchema {
        &files::MGMT_LINE
    }

    fn parse(&self, resource: &Resource, _: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        let file = PathBuf::from(p.text("file").unwrap_or_default());
        if !file.is_absolute() {
            p.error("file", "file must be an absolute path");
        }
        let line = LineInstance {
            file,
            content: p.text("content").unwrap_or_default(),
            present: p.choice("ensure") != Some("absent"),
            secrets: p.secrets(),
        };
        p.finish(Box::new(line) as Box<dyn Instance>)
    }
}

struct LineInstance {
    file: PathBuf,
    content: String,
    present: bool,
    secrets: Vec<String>,
}

impl LineInstance {
    fn read(&self, host: &Host) -> Result<Option<Vec<u8>>, KindError> {
        read_bytes(&host.path(&self.file))
            .map_err(|e| KindError::new(format!("Could not read {}: {e}", self.file.display())))
    }
}

/// The text without the lines, wherever they are; the end of its last line stays unchanged.
pub(super) fn without(text: &[u8], content: &str) -> Vec<u8> {
    let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    let bare = |line: &[u8]| line.strip_suffix(b"\n").unwrap_or(line).to_vec();
    let bare: Vec<Vec<u8>> = lines.iter().map(|line| bare(line)).collect();
    let wanted: Vec<&[u8]> = content.split('\n').map(str::as_bytes).collect();
    let mut out = Vec::with_capacity(text.len());
    let found = occurrences(&bare, &wanted);
    let mut skip = 0;
    for (at, line) in lines.iter().enumerate() {
        if skip == 0 && found[at] {
            skip = wanted.len();
        }
        if skip > 0 {
            skip -= 1;
        } else {
            out.extend_from_slice(line);
        }
    }
    out
}

/// Whether the lines stand somewhere in the text.
pub(super) fn has_line(text: &[u8], content: &str) -> bool {
    without(text, content).len() != text.len()
}

/// The text with the lines at its end.
pub(super) fn with_line(mut text: Vec<u8>, content: &str) -> Vec<u8> {
    if !text.is_empty() && !text.ends_with(b"\n") {
        text.push(b'\n');
    }
    text.extend_from_slice(content.as_bytes());
    text.push(b'\n');
    text
}

/// The positions of a list in another, in linear time.
pub(super) fn occurrences<L: AsRef<[u8]>>(lines: &[L], wanted: &[&[u8]]) -> Vec<bool> {
    let mut out = vec![false; lines.len()];
    // The length of the prefix that each part of the list ends with.
    let mut overlap = vec![0; wanted.len()];
    let mut length = 0;
    for at in 1..wanted.len() {
        while length > 0 && wanted[at] != wanted[length] {
            length = overlap[length - 1];
        }
        length += usize::from(wanted[at] == wanted[length]);
        overlap[at] = length;
    }
    let mut matched = 0;
    for (at, line) in lines.iter().enumerate() {
        while matched > 0 && line.as_ref() != wanted[matched] {
            matched = overlap[matched - 1];
        }
        matched += usize::from(line.as_ref() == wanted[matched]);
        if matched == wanted.len() {
            out[at + 1 - matched] = true;
            matched = overlap[matched - 1];
        }
    }
    out
}

impl Instance for LineInstance {
    fn watches(&self, _: &Host) -> Vec<Watch> {
        vec![Watch::Path(self.file.clone())]
    }

    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        if self.content.is_empty() {
            return Ok(Vec::new());
        }
        let text = self.read(host)?.unwrap_or_default();
        let is_there = has_line(&text, &self.content);
        let mut differences = Differences::new(&self.secrets);
        let content = Value::str(self.content.as_str());
        match (is_there, self.present) {
            (false, true) => differences.property("content", Value::Null, content),
            (true, false) => differences.property("content", content, Value::Null),
            _ => {}
        }
        Ok(differences.finish())
    }

    fn apply(&self, host: &Host, changes: &[Change]) -> Result<(), KindError> {
        if changes.is_empty() {
            return Ok(());
        }
        let _editing = editing(&self.file);
        let text = self.read(host)?.unwrap_or_default();
        let text = match self.present {
            true => with_line(text, &self.content),
            false => without(&text, &self.content),
        };
        rewrite(host, &self.file, &text, Owner { mode: 0o600, ids: None })
            .map_err(|e| KindError::new(format!("Could not write {}: {e}", self.file.display())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_wherever_they_stand() {
        let cut = |text: &str, content: &str| {
            String::from_utf8_lossy(&without(text.as_bytes(), content)).into_owned()
        };
        assert_eq!(cut("a\nb\nc\n", "b"), "a\nc\n");
        assert_eq!(cut("a\nab\n", "a"), "ab\n");
        assert_eq!(cut("a\na\nb\na\nb", "a\nb"), "a\n");
        assert_eq!(cut("a\na\na\n", "a\na"), "a\n");
        assert_eq!(cut("a\nb", "b"), "a\n");
        assert_eq!(cut("", "b"), "");
    }
}
