//! Messages to the child, written as the text of a JSON object.
//!
//! A model has many values, and each is sent once, so messages are written without a JSON tree.

use serde::Serialize;

/// A message or a part of one: an unfinished JSON object.
pub(super) struct Message {
    text: Vec<u8>,
}

impl Message {
    /// Creates an empty message.
    pub(super) fn new() -> Self {
        Self { text: vec![b'{'] }
    }

    /// Adds a key. The caller must append its value to the returned text.
    pub(super) fn entry(&mut self, key: &str) -> &mut Vec<u8> {
        if self.text.len() > 1 {
            self.text.push(b',');
        }
        plain(&mut self.text, key);
        self.text.push(b':');
        &mut self.text
    }

    /// Adds an entry.
    pub(super) fn set(&mut self, key: &str, value: impl Serialize) {
        plain(self.entry(key), &value);
    }

    /// Adds an entry whose value `write` appends, unless `write` returns `false`. Returns whether
    /// there is an entry.
    pub(super) fn try_set(&mut self, key: &str, write: impl FnOnce(&mut Vec<u8>) -> bool) -> bool {
        let length = self.text.len();
        let is_there = write(self.entry(key));
        if !is_there {
            self.text.truncate(length);
        }
        is_there
    }

    /// Creates a message with one entry.
    pub(super) fn with(key: &str, value: impl Serialize) -> Self {
        let mut message = Self::new();
        message.set(key, value);
        message
    }

    /// The whole text.
    pub(super) fn into_text(mut self) -> Vec<u8> {
        self.text.push(b'}');
        self.text
    }
}

/// Appends a value that JSON can represent.
#[expect(clippy::expect_used, reason = "a write to memory does not fail")]
pub(super) fn plain(out: &mut Vec<u8>, value: impl Serialize) {
    serde_json::to_writer(out, &value).expect("texts and numbers can always be written to memory");
}

/// Appends a list, whose items `each` appends.
pub(super) fn list<T>(
    out: &mut Vec<u8>,
    items: impl IntoIterator<Item = T>,
    mut each: impl FnMut(&mut Vec<u8>, T),
) {
    out.push(b'[');
    for (at, item) in items.into_iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        each(out, item);
    }
    out.push(b']');
}
