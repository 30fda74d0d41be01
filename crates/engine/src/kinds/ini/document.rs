//! Ini files as the module inifile reads and writes them: sections by header, settings by a
//! separator of the caller's.

use std::ops::Range;

use ordain_functions::regex::{Captures, Dialect, Regex, compile};

use crate::kind::KindError;

/// The notation of a file.
#[derive(Debug)]
pub(super) struct Syntax {
    header: Regex,
    setting: Regex,
    comment: Regex,
    separator: String,
    prefix: String,
    suffix: String,
}

impl Syntax {
    /// The notation with this separator, and these texts around the name of a section.
    ///
    /// # Errors
    /// When the separator makes no regular expression, of which it is a part.
    pub(super) fn new(separator: &str, prefix: &str, suffix: &str) -> Result<Self, String> {
        let is_blank = !separator.is_empty() && separator.chars().all(is_space);
        let sep = match is_blank {
            true if separator.contains(' ') => " ",
            // A setting that was written with this separator has to be found again.
            true => "[ \\t]",
            false => strip(separator),
        };
        // Blanks are no part of a name whatever the separator is.
        let class = if is_blank { " " } else { sep };
        let ruby = |pattern: &str| compile(Dialect::Ruby, pattern).map_err(|e| e.to_string());
        let rest = format!(r"(\s*{sep}[ \t]*)(.*)\s*$");
        let (before, after) = (escape(prefix), escape(suffix));
        Ok(Self {
            header: ruby(&format!(r"^\s*{before}(.*){after}\s*$"))?,
            setting: ruby(&format!(r"^(\s*)([^#;\s]|[^#;\s].*?[^\s{class}]){rest}"))?,
            comment: ruby(&format!(r"^(\s*)[#;]+(\s*)(.*?[^\s{class}]){rest}"))?,
            separator: separator.into(),
            prefix: prefix.into(),
            suffix: suffix.into(),
        })
    }
}

/// Whether Ruby's `\s` matches a character.
fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\x0b' | '\x0c' | '\r')
}

/// A text without blanks around it, as Ruby strips it.
pub(super) fn strip(text: &str) -> &str {
    text.trim_start_matches(is_space).trim_end_matches(|c| is_space(c) || c == '\0')
}

/// A text as a pattern that matches it.
fn escape(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            _ => {
                if "[]{}()|-*.\\?+^$# ".contains(c) {
                    out.push('\\');
                }
                out.push(c);
            }
        }
    }
    out
}

/// The indentation of new settings.
#[derive(Clone, Debug)]
pub(super) struct Indent {
    /// The text that is repeated.
    pub(super) unit: String,
    /// How often; like the other settings of the section if not set.
    pub(super) width: Option<usize>,
}

/// A file.
pub(super) struct Document<'s> {
    syntax: &'s Syntax,
    /// The lines, each with its end.
    lines: Vec<String>,
    sections: Vec<Section>,
}

/// A section with the range of its lines, the header included. The first has no header and no name.
#[derive(Debug)]
struct Section {
    name: String,
    lines: Range<usize>,
}

/// A setting in a line.
struct Setting {
    line: usize,
    /// Everything up to the value.
    before: String,
    indentation: usize,
    name: String,
    value: String,
}

impl<'s> Document<'s> {
    /// The document of a text.
    ///
    /// # Errors
    /// When the text is not UTF-8.
    pub(super) fn parse(syntax: &'s Syntax, text: Vec<u8>) -> Result<Self, KindError> {
        let text = String::from_utf8(text);
        let text = text.map_err(|_| KindError::new("invalid byte sequence in UTF-8"))?;
        let lines: Vec<String> = text.split_inclusive('\n').map(str::to_string).collect();
        let mut sections = vec![Section { name: String::new(), lines: 0..0 }];
        for (at, line) in lines.iter().enumerate() {
            if let Some(found) = captures(&syntax.header, line)? {
                let name = part(&found, line, 1);
                sections.push(Section { name, lines: at..at });
            }
            if let Some(section) = sections.last_mut() {
                section.lines.end = at + 1;
            }
        }
        Ok(Self { syntax, lines, sections })
    }

    /// The section of a name. Of several the last one counts.
    fn section(&self, name: &str) -> Option<&Section> {
        // The part before the first header exists always.
        self.sections.iter().rev().find(|section| section.name == name)
    }

    /// Whether there is a section of this name.
    pub(super) fn has_section(&self, name: &str) -> bool {
        self.section(name).is_some()
    }

    fn settings(&self, section: &Section) -> Result<Vec<Setting>, KindError> {
        let is_global = section.name.is_empty() && section.lines.start == 0;
        let first = section.lines.start + usize::from(!is_global);
        let mut out = Vec::new();
        for at in first..section.lines.end {
            let line = &self.lines[at];
            let Some(found) = captures(&self.syntax.setting, line)? else { continue };
            let value = found.get(4).map_or(0..0, |span| span);
            out.push(Setting {
                line: at,
                before: line[..value.start].into(),
                indentation: part(&found, line, 1).chars().count(),
                name: part(&found, line, 2),
                value: line[value].into(),
            });
        }
        Ok(out)
    }

    /// The values of a setting, one for each line that sets it.
    pub(super) fn values(&self, section: &str, setting: &str) -> Result<Vec<String>, KindError> {
        let Some(section) = self.section(section) else { return Ok(Vec::new()) };
        let all = self.settings(section)?;
        Ok(all.into_iter().filter(|s| s.name == setting).map(|s| s.value).collect())
    }

    /// Gives a setting these values: in place of its lines, or behind a comment that has it, or at
    /// the end of the section, which is added if it is missing. Without a setting only the section
    /// is added.
    pub(super) fn set(
        &mut self,
        section: &str,
        setting: Option<(&str, &[String])>,
        indent: &Indent,
    ) -> Result<(), KindError> {
        let Some(found) = self.section(section) else {
            self.add_section(section, setting, indent);
            return Ok(());
        };
        let Some((setting, values)) = setting else { return Ok(()) };
        let all = self.settings(found)?;
        let (is_global, range) = (section.is_empty(), found.lines.clone());
        let same: Vec<&Setting> = all.iter().filter(|s| s.name == setting).collect();
        if let Some(last) = same.last() {
            let new = values.iter().map(|value| format!("{}{value}\n", last.before));
            self.lines.splice(last.line..=last.line, new);
            for earlier in same.iter().rev().skip(1) {
                self.lines.remove(earlier.line);
            }
            return Ok(());
        }
        let width = all.iter().map(|setting| setting.indentation).min().unwrap_or(0);
        let new = self.new_lines(setting, values, indent, width);
        let at = match self.commented(range.clone(), setting)? {
            Some(comment) => comment + 1,
            None => {
                let blank = |line: &&String| line.chars().all(is_space);
                range.end - self.lines[range.clone()].iter().rev().take_while(blank).count()
            }
        };
        let is_new = is_global && range.is_empty();
        let gap = (is_new && self.sections.len() > 1).then(|| "\n".to_string());
        // A line that is no longer the last one needs an end.
        if let Some(line) = at.checked_sub(1).map(|before| &mut self.lines[before])
            && !line.ends_with('\n')
        {
            line.push('\n');
        }
        self.lines.splice(at..at, new.into_iter().chain(gap));
        Ok(())
    }

    fn new_lines(
        &self,
        setting: &str,
        values: &[String],
        indent: &Indent,
        width: usize,
    ) -> Vec<String> {
        let indentation = indent.unit.repeat(indent.width.unwrap_or(width));
        let separator = &self.syntax.separator;
        let line = |value: &String| format!("{indentation}{setting}{separator}{value}\n");
        values.iter().map(line).collect()
    }

    fn add_section(&mut self, name: &str, setting: Option<(&str, &[String])>, indent: &Indent) {
        if let Some(last) = self.lines.last_mut().filter(|line| !line.ends_with('\n')) {
            last.push('\n');
        }
        if !self.lines.is_empty() {
            self.lines.push("\n".into());
        }
        let Syntax { prefix, suffix, .. } = self.syntax;
        self.lines.push(format!("{prefix}{name}{suffix}\n"));
        if let Some((setting, values)) = setting {
            self.lines.extend(self.new_lines(setting, values, indent, 0));
        }
    }

    /// The first line of a comment that has the setting.
    fn commented(&self, lines: Range<usize>, setting: &str) -> Result<Option<usize>, KindError> {
        for at in lines {
            let line = &self.lines[at];
            if let Some(found) = captures(&self.syntax.comment, line)?
                && part(&found, line, 3) == setting
            {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    /// Takes all lines of a setting out.
    pub(super) fn remove(&mut self, section: &str, setting: &str) -> Result<(), KindError> {
        let Some(found) = self.section(section) else { return Ok(()) };
        let all = self.settings(found)?;
        for setting in all.iter().rev().filter(|s| s.name == setting) {
            self.lines.remove(setting.line);
        }
        Ok(())
    }

    /// The text, whose last line has an end.
    pub(super) fn text(&self) -> Vec<u8> {
        let mut text = self.lines.concat();
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.into_bytes()
    }
}

fn captures<'r>(pattern: &'r Regex, line: &str) -> Result<Option<Captures<'r>>, KindError> {
    pattern.captures(line).map_err(|e| KindError::new(e.to_string()))
}

fn part(captures: &Captures<'_>, line: &str, group: usize) -> String {
    captures.get(group).map_or_else(String::new, |span| line[span].to_string())
}
