//! Positions of source text, for people and for formats.

/// A file and a place in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The path of the file as the user wrote it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1; 0 if it is not known.
    pub column: u32,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Without a path it is in standard input.
        let file = if self.file.is_empty() { "-" } else { self.file.as_str() };
        match self.column {
            0 => write!(f, "{file}:{}", self.line),
            column => write!(f, "{file}:{}:{column}", self.line),
        }
    }
}

impl Place {
    /// The line as a whole.
    pub fn of_line(self) -> Self {
        Self { column: 0, ..self }
    }

    /// Parses `file:line:column` or `file:line`, the form for places in files that are not
    /// available.
    pub fn parse(text: &str) -> Option<Self> {
        let (head, last) = text.rsplit_once(':')?;
        let last: u32 = last.parse().ok()?;
        match head.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?))) {
            Some((file, line)) => Some(Self { file: file.into(), line, column: last }),
            None => Some(Self { file: head.into(), line: last, column: 0 }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_read_back() {
        for text in ["site.pp:3", "a:b.pp:3:14"] {
            assert_eq!(Place::parse(text).map(|p| p.to_string()).as_deref(), Some(text));
        }
        assert_eq!(Place::parse("console"), None);
    }
}
