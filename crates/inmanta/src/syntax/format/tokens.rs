//! Tokens with the comments and empty lines around them.

use std::borrow::Cow;

use crate::syntax::lexer::{Kind, Lexer};

/// A comment on a line of its own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Comment<'t> {
    /// The text from `#`, without blanks at its end.
    pub(super) text: &'t str,
    /// The offset of `#`.
    pub(super) start: usize,
    /// The empty lines before it.
    pub(super) blank_lines: usize,
}

/// A token with its surroundings.
#[derive(Clone, Debug)]
pub(super) struct Item<'t> {
    pub(super) kind: Kind,
    pub(super) text: &'t str,
    /// The offset of its first byte.
    pub(super) start: usize,
    /// The empty lines before it, after its comments.
    pub(super) blank_lines: usize,
    /// The comments on the lines before it.
    pub(super) leading: Vec<Comment<'t>>,
    /// The comment behind it on the same line.
    pub(super) trailing: Option<Comment<'t>>,
}

impl<'t> Item<'t> {
    /// The token in its canonical form.
    pub(super) fn canonical(&self) -> Cow<'t, str> {
        match (self.kind, self.text.find('/')) {
            // The word `matching` and the blanks after it are part of the token.
            (Kind::Regex, Some(slash)) => format!("matching {}", &self.text[slash..]).into(),
            _ => self.text.into(),
        }
    }

    pub(super) fn is(&self, c: u8) -> bool {
        self.kind == Kind::Char(c)
    }

    /// The offset after its last byte.
    pub(super) fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

/// Reads a text. The last item is the end of the text.
pub(super) fn read(text: &str) -> Vec<Item<'_>> {
    let mut lexer = Lexer::new(text, 0);
    let mut items: Vec<Item<'_>> = Vec::with_capacity(text.len() / 4);
    loop {
        let token = lexer.next();
        let end = items.last().map_or(0, Item::end);
        let (start, is_end) = (token.start as usize, token.kind == Kind::End);
        let mut item = Item {
            kind: token.kind,
            text: lexer.slice(&token),
            start,
            blank_lines: 0,
            leading: Vec::new(),
            trailing: None,
        };
        add_gap(&text[end..start], end, items.last_mut(), &mut item);
        items.push(item);
        if is_end {
            break;
        }
    }
    move_comments_behind_commas(&mut items);
    items
}

/// Adds the comments and empty lines of the text between two tokens, which begins at `offset`.
fn add_gap<'t>(
    gap: &'t str,
    offset: usize,
    mut before: Option<&mut Item<'t>>,
    item: &mut Item<'t>,
) {
    let mut offset = offset;
    let mut lines = gap.split('\n').enumerate().peekable();
    while let Some((at, line)) = lines.next() {
        let text = line.trim();
        if text.starts_with('#') {
            let start = offset + line.len() - line.trim_start().len();
            let comment = Comment { text, start, blank_lines: item.blank_lines };
            match &mut before {
                Some(before) if at == 0 => before.trailing = Some(comment),
                _ => {
                    item.leading.push(comment);
                    item.blank_lines = 0;
                }
            }
        } else if at > 0 && lines.peek().is_some() {
            item.blank_lines += 1;
        }
        offset += line.len() + 1;
    }
}

/// Moves comments between an element and its comma behind the comma.
fn move_comments_behind_commas(items: &mut [Item<'_>]) {
    for at in 1..items.len().saturating_sub(1) {
        if !items[at].is(b',') {
            continue;
        }
        let mut moved = std::mem::take(&mut items[at].leading);
        if items[at - 1].trailing.is_some() {
            moved.extend(items[at].trailing.take());
        }
        moved.append(&mut items[at + 1].leading);
        items[at + 1].leading = moved;
    }
}

/// Whether two texts have the same tokens, apart from commas before closing brackets, and the same
/// comments.
pub(super) fn are_same(one: &str, other: &str) -> bool {
    let (one, other) = (read(one), read(other));
    let comments = |items: &[Item<'_>]| -> Vec<String> {
        let all = items.iter().flat_map(|item| item.leading.iter().chain(&item.trailing));
        let mut all: Vec<_> = all.map(|comment| comment.text.to_owned()).collect();
        all.sort_unstable();
        all
    };
    essential(&one).eq(essential(&other)) && comments(&one) == comments(&other)
}

fn essential<'t>(items: &'t [Item<'t>]) -> impl Iterator<Item = (Kind, Cow<'t, str>)> {
    let kept = items.iter().enumerate().filter(|(at, item)| {
        let next = items.get(at + 1);
        let closes = next.is_some_and(|next| next.is(b')') || next.is(b']') || next.is(b'}'));
        !(item.is(b',') && closes)
    });
    kept.map(|(_, item)| (item.kind, item.canonical()))
}
