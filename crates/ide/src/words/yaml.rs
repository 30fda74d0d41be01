//! Keys of YAML and the references of dynaml to them.

use ordain_source::TextRange;

use super::word::{Word, Words};
use crate::types::ItemKind;

/// The keys of a text by their indentation, and the names in its expressions `(( … ))`.
pub(crate) fn words(text: &str) -> Words {
    let mut out = Words::default();
    // The open keys: indentation, and number in the list.
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    let mut block: Option<usize> = None;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let body = line.trim_start_matches(' ');
        let indent = line.len() - body.len();
        if body.trim().is_empty() {
            continue;
        }
        // The lines of a block scalar are deeper than its key.
        if block.is_some_and(|outer| indent > outer) {
            expressions(line, start, &path(&out, &open), &mut out);
            continue;
        }
        block = None;
        if body.starts_with('#') || body.starts_with("---") {
            continue;
        }
        let items = body.len() - body.trim_start_matches(['-', ' ']).len();
        let is_item = body.starts_with("- ") || body.trim_end() == "-";
        let depth = if is_item { indent + items } else { indent };
        let content = if is_item { &body[items.min(body.len())..] } else { body };
        let outer = if is_item { indent + 1 } else { indent };
        close(&mut open, &mut out, outer, start);
        if let Some((name, length)) = key(content) {
            close(&mut open, &mut out, depth, start);
            let from = start + line.len() - body.len() + if is_item { items } else { 0 };
            let quote = usize::from(content.starts_with(['\'', '"']));
            let range = range(from + quote, length);
            let owner = path(&out, &open);
            let mut word = Word::defined(name, range, ItemKind::Key);
            word.owner = owner.into();
            word.detail = content.trim_end().into();
            word.extent = TextRange::new(from as u32, at as u32);
            open.push((depth, out.words.len()));
            out.words.push(word);
            let value = content[length + 2 * quote..].trim_start_matches(':').trim();
            if value.starts_with(['|', '>']) {
                block = Some(indent);
            }
        }
        expressions(line, start, &path(&out, &open), &mut out);
    }
    close(&mut open, &mut out, 0, at);
    out.words.sort_by_key(|word| (word.range.start, word.range.end));
    out
}

fn range(start: usize, length: usize) -> TextRange {
    TextRange::new(start as u32, (start + length) as u32)
}

/// Closes the keys that are not above an indentation.
fn close(open: &mut Vec<(usize, usize)>, out: &mut Words, indent: usize, end: usize) {
    while let Some((_, number)) = open.pop_if(|(depth, _)| *depth >= indent) {
        if let Some(word) = out.words.get_mut(number) {
            word.extent.end = end as u32;
        }
    }
}

/// The path of the innermost open key.
fn path(out: &Words, open: &[(usize, usize)]) -> String {
    let names = open.iter().filter_map(|(_, number)| out.words.get(*number));
    names.map(|word| word.name.as_str()).collect::<Vec<_>>().join(".")
}

/// The key at the start of a line, and its length without quotes.
fn key(content: &str) -> Option<(&str, usize)> {
    let quote = content.chars().next().filter(|c| matches!(c, '\'' | '"'));
    let (name, rest) = match quote {
        Some(quote) => {
            let end = content[1..].find(quote)?;
            (&content[1..=end], &content[end + 2..])
        }
        None => {
            let ends = content.match_indices(':').map(|(at, _)| at);
            let is_end =
                |at: &usize| content[at + 1..].chars().next().is_none_or(char::is_whitespace);
            let end = ends.into_iter().find(is_end)?;
            (&content[..end], &content[end..])
        }
    };
    let is_name = !name.is_empty() && !name.starts_with(['{', '[', '&', '*', '!', '(']);
    (is_name && rest.starts_with(':')).then_some((name, name.len()))
}

/// Adds the names in expressions of a line, which are found from the path of their key.
fn expressions(line: &str, start: usize, path: &str, out: &mut Words) {
    let mut from = 0;
    while let Some(found) = line[from..].find("((") {
        let at = from + found;
        let code = &line[at + 2..];
        let code = &code[..code.find("))").unwrap_or(code.len())];
        from = at + 2 + code.len();
        let mut rest = 0;
        while let Some(c) = code[rest..].chars().next() {
            if c == '"' {
                let end = code[rest + 1..].find('"').map_or(code.len(), |end| rest + end + 2);
                rest = end;
                continue;
            }
            let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-');
            let length = code[rest..].find(|c| !is_part(c)).unwrap_or(code.len() - rest);
            let name = code[rest..rest + length].trim_end_matches(['.', '-']);
            if name.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '.')
                && name.len() > 1
                || name.len() == 1 && name.starts_with(char::is_alphabetic)
            {
                let range = range(start + at + 2 + rest, name.len());
                out.words.push(Word { owner: path.into(), ..Word::used(name, range) });
            }
            rest += length.max(c.len_utf8());
        }
    }
}
