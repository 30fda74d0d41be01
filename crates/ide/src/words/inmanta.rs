//! Names in models of Inmanta.

use std::path::Path;

use ecow::EcoString;
use ordain_source::TextRange;

use super::scan::{self, Kind, Style, Token};
use super::word::{Word, Words};
use crate::types::ItemKind;

/// The notation of models.
pub(crate) const STYLE: Style = Style {
    comments: &["#"],
    has_block_comments: false,
    quotes: &["\"\"\"", "'''", "\"", "'"],
    in_words: ":",
    signs: &["--", "==", "!=", "<=", ">=", "+="],
    has_heredocs: false,
};

/// The keywords.
pub(crate) const KEYWORDS: [&str; 26] = [
    "entity",
    "extends",
    "end",
    "typedef",
    "as",
    "matching",
    "implementation",
    "for",
    "implement",
    "using",
    "when",
    "index",
    "import",
    "if",
    "elif",
    "else",
    "in",
    "and",
    "or",
    "not",
    "true",
    "false",
    "null",
    "parents",
    "is",
    "defined",
];

/// The types of the language.
pub(crate) const TYPES: [&str; 6] = ["string", "int", "number", "float", "bool", "dict"];

/// The names of a text.
pub(crate) fn words(text: &str) -> Words {
    let tokens = scan::tokens(text, STYLE);
    let tokens: Vec<Token<'_>> = tokens.into_iter().filter(|t| t.kind != Kind::Comment).collect();
    let mut reader = Reader { text, tokens, at: 0, out: Words::default(), blocks: Vec::new() };
    while reader.at < reader.tokens.len() {
        reader.token();
        reader.at += 1;
    }
    reader.end(text.len() as u32);
    let mut out = reader.out;
    out.words.sort_by_key(|word| (word.range.start, word.range.end));
    out
}

/// An entity or implementation that is open, with the number of its name, or another block.
struct Block {
    word: Option<usize>,
    entity: EcoString,
}

struct Reader<'t> {
    text: &'t str,
    tokens: Vec<Token<'t>>,
    at: usize,
    out: Words,
    blocks: Vec<Block>,
}

impl<'t> Reader<'t> {
    fn get(&self, ahead: usize) -> Option<Token<'t>> {
        self.tokens.get(self.at + ahead).copied()
    }

    fn before(&self) -> Option<Token<'t>> {
        self.at.checked_sub(1).and_then(|at| self.tokens.get(at)).copied()
    }

    fn is(&self, ahead: usize, text: &str) -> bool {
        self.get(ahead).is_some_and(|token| token.is(text))
    }

    /// Whether a token is the first of its line.
    fn starts_line(&self, token: Token<'_>) -> bool {
        let before = self.text.get(..token.range.start as usize).unwrap_or_default();
        before.rsplit('\n').next().is_some_and(|line| line.trim().is_empty())
    }

    /// The line around a token, and its text.
    fn line(&self, token: Token<'_>) -> (TextRange, &'t str) {
        let at = token.range.start as usize;
        let start = self.text[..at].rfind('\n').map_or(0, |n| n + 1);
        let end = self.text[at..].find('\n').map_or(self.text.len(), |n| at + n);
        let line = &self.text[start..end];
        let indent = line.len() - line.trim_start().len();
        (TextRange::new((start + indent) as u32, end as u32), line.trim())
    }

    fn define(&mut self, token: Token<'t>, kind: ItemKind, owner: &str) -> usize {
        let (extent, detail) = self.line(token);
        let word = Word::defined(token.text, token.range, kind);
        let detail = detail.trim_end_matches(':').into();
        self.out.words.push(Word { extent, detail, owner: owner.into(), ..word });
        self.out.words.len() - 1
    }

    /// Ends the innermost block.
    fn end(&mut self, at: u32) {
        let Some(block) = self.blocks.pop() else { return };
        if let Some(word) = block.word.and_then(|number| self.out.words.get_mut(number)) {
            word.extent.end = at;
        }
    }

    fn token(&mut self) {
        let Some(token) = self.get(0).filter(Token::is_word) else { return };
        match token.text {
            "end" => self.end(token.range.end),
            "entity" if self.starts_line(token) => self.block(ItemKind::Class),
            "implementation" if self.starts_line(token) => self.block(ItemKind::Function),
            "typedef" if self.starts_line(token) => {
                if let Some(name) = self.name() {
                    self.define(name, ItemKind::DataType, "");
                }
            }
            "if" | "for" if self.starts_line(token) => {
                self.blocks.push(Block { word: None, entity: EcoString::new() });
            }
            "import" if self.starts_line(token) => self.import(),
            word if KEYWORDS.contains(&word) || TYPES.contains(&word) => {}
            _ => self.word(token),
        }
    }

    /// The name behind a keyword, which becomes the current token.
    fn name(&mut self) -> Option<Token<'t>> {
        let name = self.get(1).filter(Token::is_word)?;
        self.at += 1;
        Some(name)
    }

    fn block(&mut self, kind: ItemKind) {
        let Some(name) = self.name() else { return };
        let number = self.define(name, kind, "");
        let entity = if kind == ItemKind::Class { name.text.into() } else { EcoString::new() };
        self.blocks.push(Block { word: Some(number), entity });
    }

    fn import(&mut self) {
        let Some(path) = self.name() else { return };
        let is_renamed = self.is(1, "as");
        let name = self.get(2).filter(|_| is_renamed);
        self.at += if is_renamed { 2 } else { 0 };
        let name = name.map_or(path.text, |name| name.text);
        self.out.imports.push((path.text.into(), name.into()));
    }

    fn word(&mut self, token: Token<'t>) {
        let before = self.before();
        let in_entity = self.blocks.last().map(|block| block.entity.clone()).unwrap_or_default();
        let is_member = before.is_some_and(|before| before.is("."));
        let is_typed = before.is_some_and(|before| {
            let same_line = !self.starts_line(token);
            same_line
                && (before.is_word() && !KEYWORDS.contains(&before.text)
                    || before.is("]")
                    || before.is("?"))
        });
        if !in_entity.is_empty() && is_typed {
            self.define(token, ItemKind::Attribute, &in_entity);
        } else if is_member && self.is_relation() {
            let owner = self.tokens.get(self.at.wrapping_sub(2)).map_or("", |owner| owner.text);
            let owner = owner.to_owned();
            let number = self.define(token, ItemKind::Attribute, &owner);
            // The line has both ends of the relation.
            if let Some(word) = self.out.words.get_mut(number) {
                word.extent = token.range;
            }
        } else if self.is(1, "=") && self.starts_line(token) && in_entity.is_empty() {
            self.define(token, ItemKind::Variable, "");
        } else {
            let owner = if is_member { "." } else { "" };
            let word = Word::used(token.text, token.range);
            self.out.words.push(Word { owner: owner.into(), ..word });
        }
    }

    /// Whether the line of the current token declares a relation: `a.b [0:] -- c.d [1]`.
    fn is_relation(&self) -> bool {
        let Some(token) = self.get(0) else { return false };
        let (_, line) = self.line(token);
        line.contains(" -- ") || line.ends_with("--")
    }
}

/// The namespace of a file: `libs/net/model/dns.cf` is `net::dns`.
pub(super) fn namespace(path: &Path) -> String {
    let model = path.ancestors().skip(1).find(|dir| dir.file_name().is_some_and(|n| n == "model"));
    let Some(model) = model else { return "__config__".into() };
    let module =
        model.parent().and_then(Path::file_name).and_then(|n| n.to_str()).unwrap_or_default();
    let below = path.strip_prefix(model).unwrap_or(path).with_extension("");
    let parts = below.components().filter_map(|part| part.as_os_str().to_str());
    let parts = parts.filter(|part| *part != "_init");
    std::iter::once(module).chain(parts).collect::<Vec<_>>().join("::")
}
