//! Checks of comments.

use ordain_source::{Safety, TextRange};

use crate::puppet_lint::finding::TextFix;
use crate::puppet_lint::pass::{Note, Pass, range, replace};
use crate::puppet_lint::token::{Kind, Tokens};

pub(super) fn slash(pass: &mut Pass<'_, '_>) {
    for i in pass.all(Kind::SlashComment) {
        let at = pass.tokens[i].start;
        // Puppet reads `//` as an empty regular expression.
        let at = TextRange::new(at, at + 2);
        let fix = replace(Safety::Unsafe, "write # in place of //", at, "#");
        pass.add(Note::warning(i, "// comment found").fix(Some(fix)));
    }
}

pub(super) fn star(pass: &mut Pass<'_, '_>) {
    for i in pass.all(Kind::StarComment) {
        let fix = star_fix(pass.tokens, i);
        pass.add(Note::warning(i, "/* */ comment found").fix(fix));
    }
}

/// The comment with a `#` on each line, unless code follows it on its last line.
fn star_fix(tokens: &Tokens<'_>, i: usize) -> Option<TextFix> {
    let mut after = tokens[i + 1..].iter().filter(|t| t.kind != Kind::Whitespace);
    if after.next().is_some_and(|next| next.kind != Kind::Newline) {
        return None;
    }
    let text = tokens[i].value.strip_prefix("/*")?.strip_suffix("*/")?;
    let indent = match i.checked_sub(1).map(|before| &tokens[before]) {
        Some(before) if before.kind == Kind::Indent => before.value.to_owned(),
        // Further lines stand below the comment.
        _ => " ".repeat(tokens[i].column as usize - 1),
    };
    let lines = text.trim().lines().map(|line| {
        let line = line.trim_start();
        line.strip_prefix('*').unwrap_or(line).trim()
    });
    let lines: Vec<String> = lines
        .map(|line| if line.is_empty() { "#".to_owned() } else { format!("# {line}") })
        .collect();
    let text = if lines.is_empty() { "#".to_owned() } else { lines.join(&format!("\n{indent}")) };
    Some(replace(Safety::Safe, "write # on each line", range(&tokens[i]), text))
}

pub(super) fn documentation(pass: &mut Pass<'_, '_>) {
    let mut notes = Vec::new();
    for definition in &pass.structure().definitions {
        if !has_comment_above(pass.tokens, definition.start) {
            let word = if definition.is_class { "class" } else { "defined type" };
            notes.push(Note::warning(definition.start, format!("{word} not documented")));
        }
    }
    pass.add_all(notes);
}

/// Whether a comment is before a token, with at most one line end between.
fn has_comment_above(tokens: &Tokens<'_>, i: usize) -> bool {
    let mut lines = 0;
    for token in tokens[..i].iter().rev() {
        match token.kind {
            Kind::Newline if lines == 1 => return false,
            Kind::Newline => lines += 1,
            Kind::Whitespace | Kind::Indent => {}
            kind => return kind.is_comment(),
        }
    }
    false
}
