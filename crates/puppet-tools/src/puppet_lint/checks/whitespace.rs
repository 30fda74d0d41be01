//! Checks of blanks and of the length of lines.

use ordain_source::{Safety, TextRange};

use crate::puppet_lint::finding::{Finding, Level};
use crate::puppet_lint::pass::{Note, Pass, range, replace};
use crate::puppet_lint::token::{Kind, Token};

pub(super) fn line_length(pass: &mut Pass<'_, '_>, most: usize) {
    let mut start = 0;
    for (i, line) in pass.text.split('\n').enumerate() {
        let end = start + line.len();
        let is_long = line.len() > most
            && !line.contains("://")
            && !line.contains("template(")
            && line.chars().count() > most;
        if is_long {
            let beyond = line.char_indices().nth(most).map_or(line.len(), |(at, _)| at);
            pass.found.push(Finding {
                check: pass.check.0,
                code: pass.check.1,
                is_syntax: false,
                level: Level::Warning,
                message: format!("line has more than {most} characters"),
                line: i as u32 + 1,
                column: most as u32,
                range: TextRange::new((start + beyond) as u32, end as u32),
                ignored: None,
                fix: None,
            });
        }
        start = end + 1;
    }
}

pub(super) fn soft_tabs(pass: &mut Pass<'_, '_>) {
    for i in pass.all(Kind::Indent) {
        if !pass.tokens[i].value.chars().count().is_multiple_of(2) {
            pass.error(i, "two-space soft tabs not used");
        }
    }
}

pub(super) fn hard_tabs(pass: &mut Pass<'_, '_>) {
    let has_tab = |_, token: &Token<'_>| token.value.bytes().any(|b| b == b'\t');
    for i in pass.find_all([Kind::Indent, Kind::Whitespace], has_tab) {
        let token = &pass.tokens[i];
        let text = token.value.replace('\t', "  ");
        let fix = replace(Safety::Safe, "write two spaces", range(token), text);
        let note = Note::warning(i, "tab character found").fix(Some(fix));
        pass.add(Note { level: Level::Error, ..note });
    }
}

pub(super) fn trailing(pass: &mut Pass<'_, '_>) {
    let tokens = pass.tokens;
    let is_last = |i, _: &Token<'_>| {
        tokens.get(i + 1).is_none_or(|next: &Token<'_>| next.kind == Kind::Newline)
    };
    for i in pass.find_all([Kind::Indent, Kind::Whitespace], is_last) {
        let fix = replace(Safety::Safe, "remove it", range(&tokens[i]), "");
        let note = Note::warning(i, "trailing whitespace found").fix(Some(fix));
        pass.add(Note { level: Level::Error, ..note });
    }
}
