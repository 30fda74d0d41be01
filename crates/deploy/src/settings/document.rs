//! Reads maps of a YAML document and the positions of their values.

use std::path::Path;

use ordain_data::yaml::{Kind, NodeId, Style, Tree};
use ordain_source::{Diagnostic, FileId, SourceMap, Span};

use crate::codes;
use crate::error::{AtPath, Error, Result};

/// A document.
pub(super) struct Document {
    tree: Tree,
    file: FileId,
}

/// A map of the document, from which entries are taken one by one.
pub(super) struct Section<'d> {
    document: &'d Document,
    entries: Vec<(String, NodeId, NodeId)>,
    /// All names that were looked up.
    known: Vec<&'static str>,
    /// The path to the section, for messages.
    name: String,
}

/// A value and its position.
#[derive(Clone, Copy)]
pub(super) struct Item<'d> {
    document: &'d Document,
    id: NodeId,
}

impl Document {
    pub(super) fn read(path: &Path, texts: &SourceMap) -> Result<Self> {
        let text = ordain_source::read_input_text(path).at_path(path)?;
        let file = texts.add(path, text.clone());
        let tree = Tree::parse(&text).map_err(|error| {
            Error::new(error.message.clone()).at(Some(error.range.in_file(file)))
        })?;
        Ok(Self { tree, file })
    }

    pub(super) fn root(&self) -> Result<Section<'_>> {
        match self.tree.root() {
            Some(id) => Item { document: self, id }.section(""),
            None => Ok(Section {
                document: self,
                entries: Vec::new(),
                known: Vec::new(),
                name: String::new(),
            }),
        }
    }
}

impl<'d> Item<'d> {
    pub(super) fn span(self) -> Span {
        self.document.tree.node(self.id).span.in_file(self.document.file)
    }

    pub(super) fn error(self, text: impl Into<String>) -> Error {
        Error::new(text).at(Some(self.span()))
    }

    fn target(self) -> NodeId {
        self.document.tree.target(self.id)
    }

    pub(super) fn section(self, name: &str) -> Result<Section<'d>> {
        let (document, id) = (self.document, self.target());
        if self.is_null() {
            let (entries, known) = (Vec::new(), Vec::new());
            return Ok(Section { document, entries, known, name: name.to_owned() });
        }
        if !matches!(document.tree.node(id).kind, Kind::Map) {
            return Err(self.error(format!("{} is a map", shown(name))));
        }
        let mut entries = Vec::new();
        for (key, value) in document.tree.entries(id) {
            let Some(text) = document.tree.text(key) else {
                return Err(Self { document, id: key }.error("a setting has a name"));
            };
            // Old files use Ruby symbols as keys.
            let text = text.strip_prefix(':').unwrap_or(text);
            entries.push((text.to_owned(), key, value));
        }
        Ok(Section { document, entries, known: Vec::new(), name: name.to_owned() })
    }

    pub(super) fn is_null(self) -> bool {
        match &self.document.tree.node(self.target()).kind {
            Kind::Scalar(text, Style::Plain) => matches!(text.as_str(), "" | "~" | "null"),
            _ => false,
        }
    }

    /// The text of a scalar; the name of a symbol.
    pub(super) fn text(self, name: &str) -> Result<String> {
        match &self.document.tree.node(self.target()).kind {
            Kind::Scalar(text, Style::Plain) => {
                Ok(text.strip_prefix(':').unwrap_or(text).to_string())
            }
            Kind::Scalar(text, _) => Ok(text.to_string()),
            _ => Err(self.error(format!("{} is a text", shown(name)))),
        }
    }

    /// The boolean of a plain scalar; `None` for anything else.
    pub(super) fn truth(self) -> Option<bool> {
        match &self.document.tree.node(self.target()).kind {
            Kind::Scalar(text, Style::Plain) => match text.to_ascii_lowercase().as_str() {
                "true" | "yes" | "on" => Some(true),
                "false" | "no" | "off" => Some(false),
                _ => None,
            },
            _ => None,
        }
    }

    pub(super) fn boolean(self, name: &str) -> Result<bool> {
        let wrong = || self.error(format!("{} is true or false", shown(name)));
        self.truth().ok_or_else(wrong)
    }

    pub(super) fn items(self, name: &str) -> Result<Vec<Self>> {
        let (document, id) = (self.document, self.target());
        if !matches!(document.tree.node(id).kind, Kind::List) {
            return Err(self.error(format!("{} is a list", shown(name))));
        }
        Ok(document.tree.children(id).map(|id| Self { document, id }).collect())
    }

    pub(super) fn texts(self, name: &str) -> Result<Vec<String>> {
        self.items(name)?.into_iter().map(|item| item.text(name)).collect()
    }
}

fn shown(name: &str) -> String {
    if name.is_empty() { "the document".to_owned() } else { format!("`{name}`") }
}

impl<'d> Section<'d> {
    /// Takes the entry with this name, unless it is empty.
    pub(super) fn take(&mut self, name: &'static str) -> Option<Item<'d>> {
        self.known.push(name);
        let at = self.entries.iter().rposition(|(key, ..)| key == name)?;
        let (_, _, id) = self.entries.remove(at);
        self.entries.retain(|(key, ..)| key != name);
        let item = Item { document: self.document, id };
        (!item.is_null()).then_some(item)
    }

    pub(super) fn text(&mut self, name: &'static str) -> Result<Option<String>> {
        self.take(name).map(|item| item.text(name)).transpose()
    }

    pub(super) fn boolean(&mut self, name: &'static str) -> Result<Option<bool>> {
        self.take(name).map(|item| item.boolean(name)).transpose()
    }

    pub(super) fn section(&mut self, name: &'static str) -> Result<Option<Self>> {
        self.take(name).map(|item| item.section(name)).transpose()
    }

    /// All entries, in order.
    pub(super) fn into_items(self) -> impl Iterator<Item = (String, Item<'d>)> {
        let document = self.document;
        self.entries.into_iter().map(move |(key, _, id)| (key, Item { document, id }))
    }

    /// Warns about an entry that has no effect, with the reason.
    pub(super) fn unused(
        &mut self,
        name: &'static str,
        reason: &str,
        warnings: &mut Vec<Diagnostic>,
    ) {
        if let Some(item) = self.take(name) {
            let text = format!("the setting `{name}` has no effect: {reason}");
            warnings.push(Diagnostic::warning(codes::DEPLOY, text).at(item.span()));
        }
    }

    /// Warns about all entries that were never taken.
    pub(super) fn end(self, warnings: &mut Vec<Diagnostic>) {
        for (key, id, _) in &self.entries {
            let place = match self.name.as_str() {
                "" => String::new(),
                name => format!(" in `{name}`"),
            };
            let text = format!("there is no setting `{key}`{place}");
            let mut warning = Diagnostic::warning(codes::DEPLOY, text).at(Item {
                document: self.document,
                id: *id,
            }
            .span());
            if let Some(near) = ordain_source::suggest::nearest(key, self.known.iter().copied()) {
                warning = warning.help(format!("did you mean `{near}`?"));
            }
            warnings.push(warning);
        }
    }
}
