//! Comments that silence findings: `lint:ignore:CHECK` up to `lint:endignore`, or for one line.

use rustc_hash::FxHashMap;

use super::token::{Kind, Token, Tokens};

/// The lines in which findings of a check are ignored, with the reason.
struct Ignored<'t> {
    first: u32,
    last: u32,
    reason: &'t str,
}

/// All comments of a file that silence findings.
#[derive(Default)]
pub(super) struct Control<'t> {
    by_check: FxHashMap<&'t str, Vec<Ignored<'t>>>,
    /// Comments without a partner.
    pub(super) warnings: Vec<String>,
}

/// A comment that is open: its line, reason and check.
type Open<'t> = (u32, &'t str, &'t str);

impl<'t> Control<'t> {
    pub(super) fn read(tokens: &Tokens<'t>) -> Self {
        let mut control = Self::default();
        let mut open: Vec<Vec<Open<'t>>> = Vec::new();
        for (i, token) in tokens.iter().enumerate() {
            let Some(text) = comment_text(token) else { continue };
            let is_alone =
                tokens.kind_before(i).is_none_or(|k| matches!(k, Kind::Newline | Kind::Indent));
            control.comment(text, token.line, is_alone, &mut open);
        }
        for first in open.iter().filter_map(|comments| comments.first()) {
            control.warnings.push(format!(
                "WARNING: lint:ignore:{} comment on line {} with no closing lint:endignore comment",
                first.2, first.0
            ));
        }
        control
    }

    fn comment(&mut self, text: &'t str, line: u32, is_alone: bool, open: &mut Vec<Vec<Open<'t>>>) {
        let is_control =
            |word: &str| word.starts_with("lint:ignore") || word.starts_with("lint:endignore");
        let end = text.split_whitespace().find(|word| !is_control(word));
        let end = end.map_or(text.len(), |word| word.as_ptr() as usize - text.as_ptr() as usize);
        let reason = text[end..].trim();
        let mut opened = Vec::new();
        for word in text[..end].split_whitespace() {
            match word.strip_prefix("lint:ignore:") {
                Some(name) => {
                    let name = name.split(':').next().unwrap_or(name);
                    match is_alone {
                        true => opened.push((line, reason, name)),
                        false => self.add(name, line, line, reason),
                    }
                }
                None => match open.pop() {
                    Some(comments) => {
                        comments.iter().for_each(|(first, reason, name)| {
                            self.add(name, *first, line, reason);
                        });
                    }
                    None => self.warnings.push(format!(
                        "WARNING: lint:endignore comment with no opening lint:ignore:<check> \
                         comment found on line {line}"
                    )),
                },
            }
        }
        if !opened.is_empty() {
            open.push(opened);
        }
    }

    fn add(&mut self, check: &'t str, first: u32, last: u32, reason: &'t str) {
        self.by_check.entry(check).or_default().push(Ignored { first, last, reason });
    }

    /// The reason why a finding is ignored, which may be empty.
    pub(super) fn reason(&self, check: &str, line: u32) -> Option<&'t str> {
        let mut ignored = self.by_check.get(check)?.iter().rev();
        ignored.find(|i| i.first <= line && line <= i.last).map(|i| i.reason)
    }
}

/// The text of a comment that controls puppet-lint.
fn comment_text<'t>(token: &Token<'t>) -> Option<&'t str> {
    let text = match token.kind {
        Kind::Comment | Kind::SlashComment => token.value,
        Kind::StarComment => token.value.strip_prefix("/*")?.strip_suffix("*/")?,
        _ => return None,
    };
    let text = text.trim();
    let is_control = text.strip_prefix("lint:").is_some_and(|rest| {
        let name = rest.strip_prefix("ignore:");
        rest.starts_with("endignore")
            || name.is_some_and(|n| n.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
    });
    is_control.then_some(text)
}
