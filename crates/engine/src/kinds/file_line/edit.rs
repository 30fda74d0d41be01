//! The wish of a `file_line`, and the text that it makes of another.

use ordain_functions::regex::Regex;

use crate::kind::KindError;
use crate::kinds::file_line::text::{Line, chomp};
use crate::kinds::line::occurrences;

/// The desired state of a line.
pub(super) struct Edit {
    pub(super) line: Option<String>,
    pub(super) present: bool,
    pub(super) pattern: Option<Regex>,
    pub(super) after: Option<Regex>,
    pub(super) match_for_absence: bool,
    pub(super) multiple: bool,
    pub(super) replace: bool,
    pub(super) replace_all: bool,
    pub(super) append: bool,
    pub(super) path: String,
}

impl Edit {
    /// Whether the file counts as having the line.
    pub(super) fn is_there(&self, lines: &[Line<'_>]) -> Result<bool, KindError> {
        let has_line = self.places(lines).iter().any(|place| *place);
        let Some(pattern) = &self.pattern else { return Ok(has_line) };
        let is_matched = self.matched(lines, pattern)? > 0;
        Ok(match (self.present, is_matched) {
            (true, false) => has_line || !self.append,
            (true, true) if self.replace_all => false,
            (true, true) => has_line || !self.replace,
            // The lines to be removed are those that match.
            (false, _) if self.match_for_absence => is_matched,
            (false, _) => has_line,
        })
    }

    /// The lines that the wanted one stands on. It has several if it is a text of several lines.
    fn places(&self, lines: &[Line<'_>]) -> Vec<bool> {
        let mut found = vec![false; lines.len()];
        let Some(line) = &self.line else { return found };
        let wanted: Vec<&[u8]> = chomp(line.as_bytes()).split(|byte| *byte == b'\n').collect();
        let bare: Vec<&[u8]> = lines.iter().map(Line::bare).collect();
        let mut left = 0;
        for (at, begins) in occurrences(&bare, &wanted).into_iter().enumerate() {
            if begins && left == 0 {
                left = wanted.len();
            }
            found[at] = left > 0;
            left = left.saturating_sub(1);
        }
        found
    }

    /// How many lines match a pattern.
    fn matched(&self, lines: &[Line<'_>], pattern: &Regex) -> Result<usize, KindError> {
        let mut count = 0;
        for line in lines {
            let is_wanted = || self.line.as_ref().is_some_and(|l| l.as_bytes() == line.bare());
            if !(self.replace_all && is_wanted()) && line.matches(pattern)? {
                count += 1;
            }
        }
        Ok(count)
    }

    /// The text with the line, or without it; nothing if it stays as it is.
    pub(super) fn edited(&self, lines: &[Line<'_>]) -> Result<Option<Vec<u8>>, KindError> {
        if !self.present {
            return self.without(lines).map(Some);
        }
        if !self.replace {
            match &self.pattern {
                Some(pattern) if self.matched(lines, pattern)? > 0 => return Ok(None),
                None if !lines.is_empty() => {
                    return Err(KindError::new("`replace` can only be false with `match`"));
                }
                _ => {}
            }
        }
        match (&self.pattern, &self.after) {
            (Some(pattern), after) => self.with_match(lines, pattern, after.as_ref()),
            (None, Some(after)) => self.with_after(lines, after),
            (None, None) => {
                let mut out = whole(lines);
                self.put_line(&mut out);
                Ok(out)
            }
        }
        .map(Some)
    }

    fn with_match(
        &self,
        lines: &[Line<'_>],
        pattern: &Regex,
        after: Option<&Regex>,
    ) -> Result<Vec<u8>, KindError> {
        let mut matched = self.matched(lines, pattern)?;
        self.check_count(matched, pattern)?;
        let mut out = Vec::new();
        for line in lines {
            match line.matches(pattern)? {
                true => self.put_line(&mut out),
                false => put(&mut out, line.bytes),
            }
            // The line is put after the first place only.
            if let Some(after) = after.filter(|_| matched == 0)
                && line.matches(after)?
            {
                self.put_line(&mut out);
                matched += 1;
            }
        }
        if matched == 0 {
            self.put_line(&mut out);
        }
        Ok(out)
    }

    fn with_after(&self, lines: &[Line<'_>], after: &Regex) -> Result<Vec<u8>, KindError> {
        let count = self.matched(lines, after)?;
        if count > 1 && !self.multiple {
            return Err(KindError::new(format!(
                "{count} lines match pattern '{}' in file '{}'. One or no line must match the \
                 pattern.",
                after.pattern(),
                self.path
            )));
        }
        let mut out = Vec::new();
        for line in lines {
            put(&mut out, line.bytes);
            if line.matches(after)? {
                self.put_line(&mut out);
            }
        }
        if count == 0 {
            self.put_line(&mut out);
        }
        Ok(out)
    }

    fn without(&self, lines: &[Line<'_>]) -> Result<Vec<u8>, KindError> {
        let Some(pattern) = self.pattern.as_ref().filter(|_| self.match_for_absence) else {
            let gone = self.places(lines);
            let left = lines.iter().zip(gone).filter(|(_, gone)| !gone);
            return Ok(left.flat_map(|(line, _)| line.bytes).copied().collect());
        };
        self.check_count(self.matched(lines, pattern)?, pattern)?;
        let mut out = Vec::new();
        for line in lines {
            if !line.matches(pattern)? {
                out.extend_from_slice(line.bytes);
            }
        }
        Ok(out)
    }

    fn check_count(&self, matched: usize, pattern: &Regex) -> Result<(), KindError> {
        if matched <= 1 || self.multiple {
            return Ok(());
        }
        let (path, pattern) = (&self.path, pattern.pattern());
        let text = format!("More than one line in file '{path}' matches pattern '{pattern}'");
        Err(KindError::new(text))
    }

    fn put_line(&self, out: &mut Vec<u8>) {
        put(out, self.line.as_deref().unwrap_or_default().as_bytes());
    }
}

/// Adds a line, and an end to it if it has none.
fn put(out: &mut Vec<u8>, line: &[u8]) {
    out.extend_from_slice(line);
    if !line.ends_with(b"\n") {
        out.push(b'\n');
    }
}

fn whole(lines: &[Line<'_>]) -> Vec<u8> {
    let mut out = Vec::new();
    for line in lines {
        put(&mut out, line.bytes);
    }
    out
}
