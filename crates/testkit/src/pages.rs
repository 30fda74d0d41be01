//! Markdown pages whose fenced blocks are the input and output of cases.

use std::fmt::Write;
use std::path::Path;

use ordain_source::MemoryWorld;

use crate::golden::{files, golden};

/// A fenced block.
#[derive(Clone, Copy, Debug)]
pub struct Block<'p> {
    /// The info string behind the fence, such as `yaml template file=a.yml`.
    pub info: &'p str,
    /// The lines, each with its line break.
    pub body: &'p str,
}

impl<'p> Block<'p> {
    /// A word of the info string; the first is the language.
    pub fn word(&self, at: usize) -> &'p str {
        self.info.split_whitespace().nth(at).unwrap_or_default()
    }

    /// The value of the option `name=VALUE`.
    pub fn option(&self, name: &str) -> Option<&'p str> {
        self.options(name).next()
    }

    /// The values of all options `name=VALUE`.
    pub fn options(&self, name: &str) -> impl Iterator<Item = &'p str> {
        let words = self.info.split_whitespace();
        words.filter_map(move |word| word.strip_prefix(name)?.strip_prefix('='))
    }

    /// Adds the block to a world under the path of its option `file`. Returns false if it has none.
    pub fn store(&self, world: &mut MemoryWorld) -> bool {
        let Some(path) = self.option("file") else { return false };
        world.files.insert(path.into(), self.body.into());
        true
    }

    /// The block with another body.
    pub fn with(&self, body: impl Into<String>) -> Answer {
        Answer { info: self.info.to_owned(), body: body.into() }
    }
}

/// The replacement of a block.
pub struct Answer {
    /// The info string behind the fence.
    pub info: String,
    /// The body; the last line break may be missing.
    pub body: String,
}

impl Answer {
    /// Makes a replacement.
    pub fn new(info: &str, body: impl Into<String>) -> Self {
        Self { info: info.to_owned(), body: body.into() }
    }
}

/// Replaces every block of a page for which `run` returns an answer.
pub fn rewrite(page: &str, mut run: impl FnMut(Block<'_>) -> Option<Answer>) -> String {
    let mut out = String::with_capacity(page.len());
    let mut rest = page;
    while !rest.is_empty() {
        let line = first_line(rest);
        rest = &rest[line.len()..];
        let info = line.strip_prefix("```").map(str::trim_end).filter(|info| !info.is_empty());
        let Some(info) = info else {
            out.push_str(line);
            continue;
        };
        let lines = rest.split_inclusive('\n').take_while(|l| l.trim_end() != "```");
        let (body, after) = rest.split_at(lines.map(str::len).sum());
        rest = &after[first_line(after).len()..];
        match run(Block { info, body }) {
            None => write!(out, "```{info}\n{body}```\n").unwrap(),
            Some(Answer { info, body }) => {
                let end = if body.is_empty() || body.ends_with('\n') { "" } else { "\n" };
                write!(out, "```{info}\n{body}{end}```\n").unwrap();
            }
        }
    }
    out
}

/// The first line with its line break.
fn first_line(text: &str) -> &str {
    text.split_inclusive('\n').next().unwrap_or_default()
}

/// Runs all pages of a directory. `case` starts a page and returns the function that runs its
/// blocks.
///
/// # Panics
/// If an answer differs from the page, or there are fewer pages than `at_least`.
#[track_caller]
pub fn pages_are_true<R>(dir: &Path, at_least: usize, mut case: impl FnMut() -> R)
where
    R: FnMut(Block<'_>) -> Option<Answer>,
{
    golden(at_least, |golden| {
        for page in files(dir, &["md"]) {
            golden.page(&page, |text| rewrite(text, case()));
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_replaced_and_all_else_stays() {
        let page =
            "# A\n\n```yaml in file=/a.yml x=1 x=2\na: 1\n\n```\ntext\n```text out\nold\n```\nend";
        let mut world = MemoryWorld::default();
        let new = rewrite(page, |block| {
            if block.store(&mut world) {
                assert_eq!(block.word(1), "in");
                assert_eq!(block.options("x").collect::<Vec<_>>(), ["1", "2"]);
                return None;
            }
            Some(block.with("new"))
        });
        assert_eq!(new, page.replace("old", "new"));
        assert_eq!(world.files[Path::new("/a.yml")], b"a: 1\n\n");
        let same = rewrite(page, |_| None);
        assert_eq!(same, page);
        assert!(rewrite(page, |_| Some(Answer::new("x", ""))).contains("```x\n```\n"));
    }
}
