//! The check of the plug-in `strict_indent`.

use ordain_source::{Safety, TextRange};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::puppet_lint::finding::{Level, TextFix};
use crate::puppet_lint::pass::{Note, Pass, range, replace};
use crate::puppet_lint::token::{Kind, Token, Tokens};

/// The number of spaces of a level.
const SPACES: i64 = 2;

/// The message of the plug-in, with its address.
const NEGATIVE: &str = "Error calculating indent. Please file an issue at https://github.com/relud/puppet-lint-indent-check/issues";

/// The pairs of brackets, each by its own kind: a bracket to its partner.
fn pairs(tokens: &Tokens<'_>) -> FxHashMap<usize, usize> {
    let mut found = FxHashMap::default();
    let mut open: [Vec<usize>; 3] = Default::default();
    for i in 0..tokens.len() {
        let (stack, opens) = match tokens[i].kind {
            Kind::LBrace => (0, true),
            Kind::LBrack => (1, true),
            Kind::LParen => (2, true),
            Kind::RBrace => (0, false),
            Kind::RBrack => (1, false),
            Kind::RParen => (2, false),
            _ => continue,
        };
        if opens {
            open[stack].push(i);
        } else if let Some(start) = open[stack].pop() {
            found.insert(i, start);
            found.insert(start, i);
        }
    }
    found
}

fn opens(kind: Kind) -> bool {
    matches!(kind, Kind::LBrace | Kind::LBrack | Kind::LParen)
}

fn closes(kind: Kind) -> bool {
    matches!(kind, Kind::RBrace | Kind::RBrack | Kind::RParen)
}

/// The state between lines.
struct Levels<'a, 't> {
    tokens: &'a Tokens<'t>,
    pairs: FxHashMap<usize, usize>,
    /// The level of the next line.
    level: i64,
    /// The line of the colon after a title that added a level.
    colon: Option<u32>,
}

impl Levels<'_, '_> {
    fn line(&self, token: usize) -> u32 {
        self.tokens[token].line
    }

    /// The line of the partner of a bracket.
    fn partner_line(&self, bracket: usize) -> Option<u32> {
        self.pairs.get(&bracket).map(|partner| self.line(*partner))
    }

    /// Takes the tokens of a line into account. Returns the levels that count for the next line only.
    fn leave(&mut self, start: usize, end: usize) -> i64 {
        let tokens = self.tokens;
        let (mut opened, mut only_next, mut lines) = (0, 0, FxHashSet::default());
        for i in start..end {
            only_next += i64::from(tokens[i].kind == Kind::HeredocOpen);
            if !opens(tokens[i].kind) {
                continue;
            }
            // Brackets that close together add one level.
            opened += match self.partner_line(i) {
                None => 1,
                Some(line) => i64::from(line > self.line(i) && lines.insert(line)),
            };
        }
        self.level += opened;
        let is_skipped = |i: &usize| matches!(tokens[*i].kind, Kind::Whitespace | Kind::Comment);
        // The search for the last code of a line passes over line ends of empty lines only by itself.
        let last = (0..end).rev().find(|i| !is_skipped(i));
        match last.map(|i| tokens[i].kind) {
            Some(Kind::Colon) if opened == 0 && self.colon.is_none() => {
                self.colon = last.map(|i| self.line(i));
                self.level += 1;
            }
            Some(Kind::Semic) if self.colon.take().is_some() => self.level -= 1,
            Some(Kind::Equals | Kind::FArrow) => only_next += 1,
            _ => {}
        }
        only_next
    }

    /// Takes the brackets that a line closes into account. Returns the levels that count for it only.
    fn enter(&mut self, start: usize, end: usize) -> i64 {
        let tokens = self.tokens;
        let (mut only_here, mut lines) = (0, FxHashSet::default());
        for i in start..end {
            let kind = tokens[i].kind;
            if closes(kind) {
                let Some(line) = self.partner_line(i) else { continue };
                if line < self.line(i) && lines.insert(line) {
                    self.level -= 1;
                }
                // The end of a resource without a semicolon.
                if kind == Kind::RBrace && self.colon.is_some_and(|colon| line < colon) {
                    self.level -= 1;
                    self.colon = None;
                }
            } else if kind == Kind::Semic && self.colon.is_some() {
                let begins = matches!(tokens[i - 1].kind, Kind::Indent | Kind::Newline);
                let ends = tokens.get(i + 1).is_none_or(|next| next.kind == Kind::Newline);
                only_here -= i64::from(begins && ends);
            }
        }
        only_here
    }
}

/// The number of characters after the last line end that is not at the end.
fn last_line(value: &str) -> i64 {
    let line = value.trim_end_matches('\n').rsplit('\n').next().unwrap_or_default();
    line.chars().count() as i64
}

/// The blanks before the first token of a line; of a heredoc those before its end.
fn indent(tokens: &Tokens<'_>, first: usize, end: usize) -> i64 {
    match tokens[first].kind {
        Kind::Indent => tokens[first].value.chars().count() as i64,
        Kind::Heredoc if tokens[first].value.ends_with('\n') => 0,
        Kind::Heredoc => last_line(tokens[first].value),
        Kind::HeredocStart => {
            heredoc_end(tokens, first, end).map_or(0, |i| last_line(tokens[i].value))
        }
        _ => 0,
    }
}

fn heredoc_end(tokens: &Tokens<'_>, first: usize, end: usize) -> Option<usize> {
    (first..end).find(|i| tokens[*i].kind == Kind::HeredocEnd)
}

/// The fix that gives a line its indent.
fn fix(pass: &Pass<'_, '_>, first: usize, end: usize, (actual, expected): (i64, i64)) -> TextFix {
    const TITLE: &str = "change the indent";
    let token = &pass.tokens[first];
    let spaces = " ".repeat(expected.max(0) as usize);
    match token.kind {
        Kind::Indent | Kind::Whitespace => replace(Safety::Safe, TITLE, range(token), spaces),
        Kind::Heredoc | Kind::HeredocStart => {
            let last = heredoc_end(pass.tokens, first, end).unwrap_or(first);
            let at = TextRange::new(token.start, pass.tokens[last].end);
            let text = &pass.text[at.start as usize..at.end as usize];
            let lines = text.split('\n').map(|line| shifted(line, expected - actual));
            replace(Safety::Safe, TITLE, at, lines.collect::<Vec<_>>().join("\n"))
        }
        _ => replace(Safety::Safe, TITLE, TextRange::new(token.start, token.start), spaces),
    }
}

/// A line of a heredoc with more or fewer blanks.
fn shifted(line: &str, change: i64) -> String {
    if line.is_empty() || change == 0 {
        return line.to_owned();
    }
    match change > 0 {
        true => " ".repeat(change as usize) + line,
        false => line.chars().skip(change.unsigned_abs() as usize).collect(),
    }
}

pub(super) fn strict(pass: &mut Pass<'_, '_>) {
    let tokens = pass.tokens;
    let ends = pass.all(Kind::Newline);
    let mut levels = Levels { tokens, pairs: pairs(tokens), level: 0, colon: None };
    let mut start = 0;
    for (n, &line_end) in ends.iter().enumerate() {
        let first = line_end + 1;
        let Some(kind) = tokens.get(first).map(|t: &Token<'_>| t.kind) else { break };
        let end = ends.get(n + 1).copied().unwrap_or(tokens.len());
        let only_here = levels.leave(start, line_end) + levels.enter(first, end);
        start = first;
        if levels.level < 0 {
            pass.add(Note { level: Level::Error, ..Note::warning(first, NEGATIVE) });
            break;
        }
        let actual = indent(tokens, first, end);
        let expected = (levels.level + only_here) * SPACES;
        if actual != expected && !matches!(kind, Kind::Comment | Kind::Newline) {
            let fix = fix(pass, first, end, (actual, expected));
            let text = format!("indent should be {expected} chars and is {actual}");
            pass.add(Note::warning(first, text).fix(Some(fix)));
        }
    }
}
