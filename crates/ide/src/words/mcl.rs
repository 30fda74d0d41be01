//! Names in programs of mgmt.

use ordain_source::TextRange;

use super::scan::{self, Kind, Style, Token};
use super::word::{Word, Words};
use crate::types::ItemKind;

/// The notation of mcl.
pub(crate) const STYLE: Style = Style {
    comments: &["#"],
    has_block_comments: false,
    quotes: &["\""],
    in_words: "$:",
    signs: &["=>", "->", "==", "!=", "<=", ">=", "&&", "||", "<|>"],
    has_heredocs: false,
};

/// The keywords.
pub(crate) const KEYWORDS: [&str; 12] = [
    "if", "else", "for", "forkv", "in", "class", "func", "include", "import", "as", "panic",
    "collect",
];

/// The names of a text.
pub(crate) fn words(text: &str) -> Words {
    let tokens = scan::tokens(text, STYLE);
    let tokens: Vec<Token<'_>> = tokens.into_iter().filter(|t| t.kind != Kind::Comment).collect();
    let mut out = Words::default();
    for (at, token) in tokens.iter().enumerate() {
        if token.kind == Kind::Text {
            interpolated(*token, &mut out);
        }
        if !token.is_word() || KEYWORDS.contains(&token.text) {
            continue;
        }
        let before = at.checked_sub(1).and_then(|at| tokens.get(at));
        let next = tokens.get(at + 1);
        let follows = |word: &str| before.is_some_and(|before| before.is(word));
        let is_next = |sign: &str| next.is_some_and(|next| next.is(sign));
        let extent = || statement(text, &tokens, at);
        if let Some(name) = token.text.strip_prefix('$') {
            let range = TextRange::new(token.range.start + 1, token.range.end);
            let is_param = (follows("(") || follows(",") || follows("for") || follows("forkv"))
                && in_parameters(&tokens, at);
            out.words.push(if is_next("=") && !is_param {
                with(Word::defined(name, range, ItemKind::Variable), extent(), text)
            } else if is_param {
                let word = Word::defined(name, range, ItemKind::Attribute);
                Word { detail: token.text.into(), ..word }
            } else {
                Word::used(name, range)
            });
        } else if follows("class") || follows("func") {
            let kind = if follows("class") { ItemKind::Class } else { ItemKind::Function };
            out.words.push(with(Word::defined(token.text, token.range, kind), extent(), text));
        } else if is_resource(&tokens, at) {
            out.words.push(resource(text, &tokens, at, extent()));
        } else if follows("as") {
            out.words.push(Word::defined(token.text, token.range, ItemKind::Module));
        } else if follows(".") && at > 1 {
            // `module.name`
            let module = tokens[at - 2].text;
            let name = format!("{module}.{}", token.text);
            out.words.push(Word { name: name.into(), ..Word::used(token.text, token.range) });
        } else {
            out.words.push(Word::used(token.text, token.range));
        }
    }
    imports(&tokens, &mut out);
    out.words.sort_by_key(|word| (word.range.start, word.range.end));
    out
}

fn with(word: Word, extent: TextRange, text: &str) -> Word {
    let shown = text.get(extent.start as usize..extent.end as usize).unwrap_or_default();
    let line = shown.lines().next().unwrap_or_default();
    Word { extent, detail: line.trim_end_matches(['{', ' ']).into(), ..word }
}

/// The statement of a definition: to the end of its line, or to the bracket that closes the last one
/// that this line opens.
fn statement(text: &str, tokens: &[Token<'_>], at: usize) -> TextRange {
    let start = text[..tokens[at].range.start as usize].rfind('\n').map_or(0, |n| n + 1);
    let start = start + text[start..].len() - text[start..].trim_start().len();
    let (mut depth, mut end) = (0_u32, tokens[at].range.end);
    for token in &tokens[at..] {
        let between = text.get(end as usize..token.range.start as usize).unwrap_or_default();
        if depth == 0 && between.contains('\n') {
            break;
        }
        match token.text {
            "{" | "(" | "[" if token.kind == Kind::Sign => depth += 1,
            "}" | ")" | "]" if token.kind == Kind::Sign => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => break,
            },
            _ => {}
        }
        end = token.range.end;
    }
    TextRange::new(start as u32, end)
}

/// Whether a variable is in the parentheses of a class or function, or after `for`.
fn in_parameters(tokens: &[Token<'_>], at: usize) -> bool {
    let mut rest = at;
    while rest > 0 {
        rest -= 1;
        let token = &tokens[rest];
        if token.is("for") || token.is("forkv") {
            return true;
        }
        if token.is("(") {
            let before = rest.checked_sub(1).map(|at| &tokens[at]);
            let keyword = rest.checked_sub(2).map(|at| &tokens[at]);
            return before.is_some_and(|before| before.is("func"))
                || keyword.is_some_and(|word| word.is("class") || word.is("func"));
        }
        let is_part =
            token.is_word() && token.text != "in" || matches!(token.text, "," | "[" | "]");
        if !is_part {
            return false;
        }
    }
    false
}

/// Whether a resource starts here: a kind, a name, an opening brace.
fn is_resource(tokens: &[Token<'_>], at: usize) -> bool {
    let named = |token: &Token<'_>| token.kind == Kind::Text || token.text.starts_with('$');
    tokens.get(at + 1).is_some_and(named) && tokens.get(at + 2).is_some_and(|token| token.is("{"))
}

fn resource(text: &str, tokens: &[Token<'_>], at: usize, extent: TextRange) -> Word {
    let name = tokens.get(at + 1).map_or("", |token| token.text);
    let label = format!("{} {name}", tokens[at].text);
    let word = Word::defined(&label, tokens[at].range, ItemKind::Resource);
    with(Word { owner: tokens[at].text.into(), ..word }, extent, text)
}

/// The variables in a text: `${name}`.
fn interpolated(token: Token<'_>, out: &mut Words) {
    for (at, start) in token.text.match_indices("${") {
        let name = &token.text[at + start.len()..];
        let name = &name[..name.find('}').unwrap_or(0)];
        let from = token.range.start + (at + start.len()) as u32;
        if !name.is_empty() {
            out.words.push(Word::used(name, TextRange::new(from, from + name.len() as u32)));
        }
    }
}

fn imports(tokens: &[Token<'_>], out: &mut Words) {
    for (at, token) in tokens.iter().enumerate().filter(|(_, token)| token.is("import")) {
        let Some(path) = tokens.get(at + 1).filter(|path| path.kind == Kind::Text) else {
            continue;
        };
        let path = path.text.trim_matches('"');
        let alias = tokens.get(at + 2).filter(|token| token.is("as")).and(tokens.get(at + 3));
        let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or(path);
        let name = alias.map_or(last, |alias| alias.text);
        out.imports.push((path.into(), name.into()));
        let _ = token;
    }
}
