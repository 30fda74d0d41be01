//! The texts of open documents, and their changes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lsp_types::TextDocumentContentChangeEvent;

use super::convert;
use crate::lines::Lines;

/// An open document.
pub(super) struct Document {
    pub(super) version: i32,
    pub(super) text: String,
}

/// The open documents by path.
#[derive(Default)]
pub(super) struct Documents(BTreeMap<PathBuf, Document>);

impl Documents {
    pub(super) fn open(&mut self, path: &Path, version: i32, text: String) {
        self.0.insert(path.to_path_buf(), Document { version, text });
    }

    pub(super) fn close(&mut self, path: &Path) {
        self.0.remove(path);
    }

    pub(super) fn version(&self, path: &Path) -> Option<i32> {
        self.0.get(path).map(|document| document.version)
    }

    /// Applies changes in their order. Returns the new text; `None` if the document is not open.
    pub(super) fn change(
        &mut self,
        path: &Path,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
    ) -> Option<&str> {
        let document = self.0.get_mut(path)?;
        document.version = version;
        for change in changes {
            let Some(range) = change.range else {
                document.text = change.text;
                continue;
            };
            let lines = Lines::new(document.text.as_str().into());
            let range =
                lines.range(convert::from_position(range.start), convert::from_position(range.end));
            document.text.replace_range(range.start as usize..range.end as usize, &change.text);
        }
        Some(&document.text)
    }
}

#[cfg(test)]
mod tests {
    use lsp_types::{Position, Range};

    use super::*;

    #[test]
    fn changes_count_utf_16_and_are_applied_in_order() {
        let mut documents = Documents::default();
        let path = Path::new("/a.pp");
        documents.open(path, 1, "🙂b\nc".into());
        let change =
            |from: (u32, u32), to: (u32, u32), text: &str| TextDocumentContentChangeEvent {
                range: Some(Range::new(Position::new(from.0, from.1), Position::new(to.0, to.1))),
                range_length: None,
                text: text.into(),
            };
        let changes = vec![
            change((0, 2), (0, 3), "xy"),
            change((0, 4), (1, 0), ""),
            change((9, 0), (9, 9), "!"),
        ];
        assert_eq!(documents.change(path, 2, changes), Some("🙂xyc!"));
        assert_eq!(documents.version(path), Some(2));
        let whole =
            TextDocumentContentChangeEvent { range: None, range_length: None, text: "z".into() };
        assert_eq!(documents.change(path, 3, vec![whole]), Some("z"));
        assert_eq!(documents.change(Path::new("/b.pp"), 1, Vec::new()), None);
    }
}
