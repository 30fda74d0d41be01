//! Test files as values whose places are known.

use std::path::Path;

use ordain_data::yaml::{Schema, Tree};
use ordain_data::{Map, Value};
use ordain_source::{Diagnostic, FileId, SourceMap, Span, suggest};

use crate::codes;

/// A YAML document.
pub(crate) struct Document {
    tree: Tree,
    value: Value,
    file: FileId,
}

/// A value of a document.
#[derive(Clone)]
pub(crate) struct Item<'d> {
    document: &'d Document,
    pub(crate) value: &'d Value,
    path: Vec<String>,
}

fn error_at(text: impl Into<String>, span: Option<Span>) -> Box<Diagnostic> {
    let diagnostic = Diagnostic::error(codes::TEST_FILE, text);
    Box::new(match span {
        Some(span) => diagnostic.at(span),
        None => diagnostic,
    })
}

impl Document {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read, or is not valid YAML.
    pub(crate) fn read(path: &Path, sources: &SourceMap) -> Result<Self, Box<Diagnostic>> {
        let failed = |error: std::io::Error| {
            Diagnostic::error(codes::FILE, format!("cannot read {}: {error}", path.display()))
        };
        let text = ordain_source::read_input_text(path).map_err(failed)?;
        let file = sources.add(path, text.clone());
        let wrong = |error: ordain_data::yaml::Error| {
            Diagnostic::error(codes::TEST_FILE, error.message.clone()).at(error.range.in_file(file))
        };
        let tree = Tree::parse(&text).map_err(wrong)?;
        let value = tree.value(Schema::Core).map_err(wrong)?;
        Ok(Self { tree, value, file })
    }

    pub(crate) fn root(&self) -> Item<'_> {
        Item { document: self, value: &self.value, path: Vec::new() }
    }
}

impl<'d> Item<'d> {
    /// The place of the value.
    pub(crate) fn span(&self) -> Option<Span> {
        let path: Vec<&str> = self.path.iter().map(String::as_str).collect();
        self.document.tree.find(&path).map(|range| range.in_file(self.document.file))
    }

    /// The place of a key of a map.
    fn key_span(&self, key: &str) -> Option<Span> {
        let tree = &self.document.tree;
        let path: Vec<&str> = self.path.iter().map(String::as_str).collect();
        let map = tree.target(tree.find_node(&path)?);
        let (key, _) = tree.entries(map).find(|(id, _)| tree.text(*id) == Some(key))?;
        Some(tree.node(key).span.in_file(self.document.file))
    }

    /// An error at this value.
    pub(crate) fn error(&self, text: impl Into<String>) -> Box<Diagnostic> {
        error_at(text, self.span())
    }

    /// The name of the value for messages, such as `tests.0.expect`.
    fn name(&self) -> String {
        match self.path.is_empty() {
            true => "the document".to_owned(),
            false => format!("`{}`", self.path.join(".")),
        }
    }

    fn child(&self, key: &str, value: &'d Value) -> Self {
        let mut path = self.path.clone();
        path.push(key.to_owned());
        Self { document: self.document, value, path }
    }

    /// The entry of a map. `None` if there is none, or it is null.
    pub(crate) fn get(&self, key: &str) -> Option<Self> {
        let value = self.value.get(key).filter(|value| !value.is_null())?;
        Some(self.child(key, value))
    }

    /// The value as a map; null is an empty one.
    pub(crate) fn map(&self) -> Result<Map, Box<Diagnostic>> {
        match self.value {
            Value::Null => Ok(Map::default()),
            Value::Map(map) => Ok((**map).clone()),
            _ => Err(self.error(format!("{} has to be a map", self.name()))),
        }
    }

    /// The entries of a map by name.
    pub(crate) fn entries(&self) -> Result<Vec<(String, Self)>, Box<Diagnostic>> {
        let Value::Map(map) = self.value else {
            return match self.value {
                Value::Null => Ok(Vec::new()),
                _ => Err(self.error(format!("{} has to be a map", self.name()))),
            };
        };
        let entry = |(key, value): (&Value, &'d Value)| match key.as_str() {
            Some(key) => Ok((key.to_owned(), self.child(key, value))),
            None => Err(self.error(format!("the keys of {} have to be texts", self.name()))),
        };
        map.iter().map(entry).collect()
    }

    /// The items of a list; a single value is a list of one.
    pub(crate) fn items(&self) -> Vec<Self> {
        match self.value {
            Value::List(items) => {
                let item = |(at, value): (usize, &'d Value)| self.child(&at.to_string(), value);
                items.iter().enumerate().map(item).collect()
            }
            _ => vec![self.clone()],
        }
    }

    /// The value as a text.
    pub(crate) fn text(&self) -> Result<&'d str, Box<Diagnostic>> {
        let wrong = || self.error(format!("{} has to be a text", self.name()));
        self.value.as_str().ok_or_else(wrong)
    }

    /// The value as texts; a single text is a list of one.
    pub(crate) fn texts(&self) -> Result<Vec<String>, Box<Diagnostic>> {
        self.items().iter().map(|item| item.text().map(str::to_owned)).collect()
    }

    /// Refuses keys of a map that have no meaning, with the most similar one.
    pub(crate) fn check_keys(&self, known: &[&str]) -> Result<(), Box<Diagnostic>> {
        for (key, _) in self.entries()? {
            if known.contains(&key.as_str()) {
                continue;
            }
            let text = format!("{} has no setting `{key}`", self.name());
            let error = error_at(text, self.key_span(&key));
            let help = match suggest::nearest(&key, known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the settings are {}", known.join(", ")),
            };
            return Err(Box::new(error.help(help)));
        }
        Ok(())
    }
}
