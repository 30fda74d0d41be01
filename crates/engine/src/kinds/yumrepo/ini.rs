//! INI files in the format of yum and dnf.

/// Lines of a file with their sections.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Ini {
    /// Without their ends.
    lines: Vec<String>,
}

/// The section name of a heading line.
fn section_of(line: &str) -> Option<&str> {
    let name = line.trim().strip_prefix('[')?;
    name.split_once(']').map(|(name, _)| name.trim())
}

/// Key and value of a setting; a line that begins with a space continues the previous one.
fn setting_of(line: &str) -> Option<(&str, &str)> {
    if line.starts_with([' ', '\t', '#', ';']) {
        return None;
    }
    let (key, value) = line.split_once('=')?;
    Some((key.trim(), value.trim()))
}

impl Ini {
    pub(super) fn parse(text: &str) -> Self {
        Self { lines: text.lines().map(str::to_string).collect() }
    }

    pub(super) fn text(&self) -> String {
        self.lines.iter().fold(String::new(), |text, line| text + line + "\n")
    }

    /// The names of the sections.
    pub(super) fn sections(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().filter_map(|line| section_of(line))
    }

    /// Whether nothing is left but blank lines and comments.
    pub(super) fn is_empty(&self) -> bool {
        self.sections().next().is_none()
    }

    /// The lines of a section without its heading.
    fn range(&self, section: &str) -> Option<std::ops::Range<usize>> {
        let named = |line: &String| section_of(line) == Some(section);
        let start = self.lines.iter().position(named)? + 1;
        let rest = &self.lines[start..];
        let length = rest.iter().position(|line| section_of(line).is_some());
        Some(start..start + length.unwrap_or(rest.len()))
    }

    /// The value of a setting; continuation lines are joined by spaces.
    pub(super) fn get(&self, section: &str, key: &str) -> Option<String> {
        let lines = &self.lines[self.range(section)?];
        let at = lines.iter().rposition(|line| setting_of(line).is_some_and(|(k, _)| k == key))?;
        let (_, first) = setting_of(&lines[at])?;
        let more = lines[at + 1..].iter().take_while(|line| line.starts_with([' ', '\t']));
        let parts = std::iter::once(first).chain(more.map(|line| line.trim()));
        Some(parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" "))
    }

    /// Sets or removes a setting; a missing section is created.
    pub(super) fn set(&mut self, section: &str, key: &str, value: Option<&str>) {
        let range = self.range(section).unwrap_or_else(|| {
            if self.lines.last().is_some_and(|line| !line.trim().is_empty()) {
                self.lines.push(String::new());
            }
            self.lines.push(format!("[{section}]"));
            self.lines.len()..self.lines.len()
        });
        let mut at = None;
        let mut number = range.start;
        let mut end = range.end;
        while number < end {
            if setting_of(&self.lines[number]).is_none_or(|(found, _)| found != key) {
                number += 1;
                continue;
            }
            at.get_or_insert(number);
            let more = self.lines[number + 1..end].iter();
            let count = 1 + more.take_while(|line| line.starts_with([' ', '\t'])).count();
            self.lines.drain(number..number + count);
            end -= count;
        }
        let Some(value) = value else { return };
        // A new setting comes after the last non-empty line of the section.
        let last = || (range.start..end).rev().find(|n| !self.lines[*n].trim().is_empty());
        let at = at.unwrap_or_else(|| last().map_or(range.start, |n| n + 1));
        self.lines.insert(at, format!("{key}={value}"));
    }

    /// Copies the settings of a section of another file.
    pub(super) fn copy(&mut self, from: &Self, section: &str) {
        for line in from.range(section).map(|range| &from.lines[range]).unwrap_or_default() {
            if let Some((key, _)) = setting_of(line) {
                self.set(section, key, from.get(section, key).as_deref());
            }
        }
    }

    /// Takes a section out, with all its lines.
    pub(super) fn remove(&mut self, section: &str) {
        while let Some(range) = self.range(section) {
            self.lines.drain(range.start - 1..range.end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# top\n[a]\nname = A\nbaseurl=http://x\n  http://y\n\n[b]\nenabled=1\n";

    #[test]
    fn settings_are_read_and_set_in_their_places() {
        let mut ini = Ini::parse(TEXT);
        assert_eq!(ini.sections().collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(ini.get("a", "baseurl").as_deref(), Some("http://x http://y"));
        assert_eq!(ini.get("b", "name"), None);
        ini.set("a", "baseurl", Some("http://z"));
        ini.set("a", "enabled", Some("0"));
        ini.set("b", "enabled", None);
        ini.set("c", "name", Some("C"));
        let text = "# top\n[a]\nname = A\nbaseurl=http://z\nenabled=0\n\n[b]\n\n[c]\nname=C\n";
        assert_eq!(ini.text(), text);
    }

    #[test]
    fn sections_are_taken_out() {
        let mut ini = Ini::parse(TEXT);
        ini.remove("a");
        assert_eq!(ini.text(), "# top\n[b]\nenabled=1\n");
        ini.remove("b");
        assert!(ini.is_empty());
        assert_eq!(ini.text(), "# top\n");
    }
}
