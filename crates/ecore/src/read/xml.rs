//! Parses a file to a tree of elements, with limits on everything that can grow.

use std::rc::Rc;

use ecow::EcoString;
use ordain_source::TextRange;
use quick_xml::XmlVersion;
use quick_xml::events::attributes::Attribute;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

use crate::namespaces::XSI;

/// The largest file, in bytes.
pub const MAX_TEXT: usize = 64 << 20;
/// The deepest nesting of elements.
pub const MAX_DEPTH: usize = 100;
/// The most elements in a file.
pub const MAX_ELEMENTS: usize = 1_000_000;
/// The most attributes of an element.
pub const MAX_ATTRIBUTES: usize = 100;
/// The longest attribute value, in bytes.
pub const MAX_VALUE: usize = 1 << 20;
/// The most namespace prefixes in scope.
pub const MAX_NAMESPACES: usize = 100;

/// An error in a file, or a part of it that is left out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// The message.
    pub message: String,
    /// The place in the file.
    pub range: TextRange,
}

impl Problem {
    pub(super) fn new(range: TextRange, message: impl Into<String>) -> Self {
        Self { message: message.into(), range }
    }
}

pub(super) type Result<T> = std::result::Result<T, Problem>;

/// An element.
#[derive(Debug)]
pub(super) struct Element {
    /// The namespace URI.
    pub namespace: Option<Rc<str>>,
    /// The local name.
    pub name: EcoString,
    pub attributes: Vec<XmlAttribute>,
    pub children: Vec<Element>,
    /// The range of the start tag.
    pub range: TextRange,
    /// The namespace and local name in `xsi:type`.
    pub kind: Option<(Option<Rc<str>>, EcoString)>,
}

/// An attribute of an element.
#[derive(Debug)]
pub(super) struct XmlAttribute {
    pub namespace: Option<Rc<str>>,
    pub name: EcoString,
    pub value: EcoString,
}

impl Element {
    /// The value of an attribute without a namespace.
    pub(super) fn get(&self, name: &str) -> Option<&EcoString> {
        let mut all = self.attributes.iter();
        all.find(|one| one.namespace.is_none() && one.name == name).map(|one| &one.value)
    }

    /// The value of the attribute `name`.
    ///
    /// # Errors
    /// When it is missing or empty.
    pub(super) fn required_name(&self) -> Result<EcoString> {
        match self.get("name") {
            Some(name) if !name.is_empty() => Ok(name.clone()),
            _ => Err(Problem::new(self.range, format!("<{}> has no name", self.name))),
        }
    }

    /// The value of an attribute of a namespace.
    pub(super) fn get_of(&self, namespace: &str, name: &str) -> Option<&EcoString> {
        let mut all = self.attributes.iter();
        all.find(|one| one.namespace.as_deref() == Some(namespace) && one.name == name)
            .map(|one| &one.value)
    }
}

/// A prefix declaration; the empty prefix is the default namespace.
struct PrefixDeclaration {
    prefix: EcoString,
    uri: Rc<str>,
}

struct Tree {
    open: Vec<(Element, usize)>,
    namespaces: Vec<PrefixDeclaration>,
    root: Option<Element>,
    count: usize,
}

/// Parses a document to its root element.
pub(super) fn parse(text: &str) -> Result<Element> {
    if text.len() > MAX_TEXT {
        let message = format!("the file has more than {} MiB", MAX_TEXT >> 20);
        return Err(Problem::new(TextRange::default(), message));
    }
    let mut reader = Reader::from_str(text);
    let mut tree = Tree { open: Vec::new(), namespaces: Vec::new(), root: None, count: 0 };
    loop {
        let start = reader.buffer_position();
        let event = reader.read_event();
        let range = range(start, reader.buffer_position());
        let event = event.map_err(|error| {
            let at = u32::try_from(reader.error_position()).unwrap_or(range.start);
            Problem::new(TextRange::new(at, at.max(range.end)), error.to_string())
        })?;
        match event {
            Event::Start(tag) => tree.start(&tag, range)?,
            Event::Empty(tag) => {
                tree.start(&tag, range)?;
                tree.end();
            }
            Event::End(_) => tree.end(),
            Event::Text(text) if text.trim().is_empty() => {}
            Event::Text(_) | Event::CData(_) | Event::GeneralRef(_) => {
                return Err(Problem::new(range, "text between elements has no meaning here"));
            }
            Event::DocType(_) => {
                let message =
                    "a document type is not allowed: entities of a file's own are not read";
                return Err(Problem::new(range, message));
            }
            Event::Decl(_) | Event::PI(_) | Event::Comment(_) => {}
            Event::Eof => break,
        }
    }
    if let Some((element, _)) = tree.open.last() {
        return Err(Problem::new(element.range, format!("<{}> is not closed", element.name)));
    }
    tree.root.ok_or_else(|| Problem::new(TextRange::default(), "the file has no element"))
}

fn range(start: u64, end: u64) -> TextRange {
    let small = |at: u64| u32::try_from(at).unwrap_or(u32::MAX);
    TextRange::new(small(start), small(end))
}

impl Tree {
    fn start(&mut self, tag: &BytesStart<'_>, range: TextRange) -> Result<()> {
        let refuse = |message: String| Err(Problem::new(range, message));
        if self.root.is_some() {
            return refuse("a second outermost element".to_owned());
        }
        if self.open.len() >= MAX_DEPTH {
            return refuse(format!("elements are nested more than {MAX_DEPTH} deep"));
        }
        self.count += 1;
        if self.count > MAX_ELEMENTS {
            return refuse(format!("the file has more than {MAX_ELEMENTS} elements"));
        }
        let known = self.namespaces.len();
        let mut given = Vec::new();
        for attribute in tag.attributes().with_checks(false) {
            let attribute = attribute.map_err(|error| Problem::new(range, error.to_string()))?;
            if given.len() + self.namespaces.len() - known >= MAX_ATTRIBUTES {
                return refuse(format!("an element has more than {MAX_ATTRIBUTES} attributes"));
            }
            let (name, value) = read_attribute(&attribute, range)?;
            let prefix = match name.strip_prefix("xmlns") {
                Some("") => Some(""),
                Some(rest) => rest.strip_prefix(':'),
                None => None,
            };
            match prefix {
                Some(prefix) => self.declare(prefix, &value, range)?,
                None => given.push((name, value)),
            }
        }
        let element = self.element(tag.name().as_ref(), given, range)?;
        self.open.push((element, known));
        Ok(())
    }

    fn declare(&mut self, prefix: &str, uri: &str, range: TextRange) -> Result<()> {
        if self.namespaces.len() >= MAX_NAMESPACES {
            let message = format!("more than {MAX_NAMESPACES} prefixes are declared");
            return Err(Problem::new(range, message));
        }
        self.namespaces.push(PrefixDeclaration { prefix: prefix.into(), uri: uri.into() });
        Ok(())
    }

    fn element(
        &self,
        name: &str,
        given: Vec<(EcoString, EcoString)>,
        range: TextRange,
    ) -> Result<Element> {
        let (namespace, name) = self.resolve(name, true, range)?;
        let mut out = Element {
            namespace,
            name,
            attributes: Vec::with_capacity(given.len()),
            children: Vec::new(),
            range,
            kind: None,
        };
        for (name, value) in given {
            let (namespace, name) = self.resolve(&name, false, range)?;
            if out.attributes.iter().any(|one| one.name == name && one.namespace == namespace) {
                return Err(Problem::new(range, format!("the attribute {name} is given twice")));
            }
            out.attributes.push(XmlAttribute { namespace, name, value });
        }
        if let Some(kind) = out.get_of(XSI, "type") {
            out.kind = Some(self.resolve(&kind.clone(), true, range)?);
        }
        Ok(out)
    }

    /// Splits a qualified name into namespace and local name.
    fn resolve(
        &self,
        name: &str,
        by_default: bool,
        range: TextRange,
    ) -> Result<(Option<Rc<str>>, EcoString)> {
        let (prefix, local) = name.split_once(':').unwrap_or(("", name));
        if prefix.is_empty() && !by_default {
            return Ok((None, local.into()));
        }
        let found = self.namespaces.iter().rev().find(|one| one.prefix == prefix);
        match found {
            Some(found) => Ok((Some(Rc::clone(&found.uri)), local.into())),
            None if prefix.is_empty() || prefix == "xml" => Ok((None, local.into())),
            None => Err(Problem::new(range, format!("the prefix {prefix} is not declared"))),
        }
    }

    fn end(&mut self) {
        // The reader has checked that the names match.
        let Some((element, known)) = self.open.pop() else { return };
        self.namespaces.truncate(known);
        match self.open.last_mut() {
            Some((parent, _)) => parent.children.push(element),
            None => self.root = Some(element),
        }
    }
}

/// The name and value of an attribute.
fn read_attribute(attribute: &Attribute<'_>, range: TextRange) -> Result<(EcoString, EcoString)> {
    let name = attribute.key.as_ref();
    if attribute.value.len() > MAX_VALUE {
        let message = format!("the value of {name} has more than {} KiB", MAX_VALUE >> 10);
        return Err(Problem::new(range, message));
    }
    let value = attribute
        .normalized_value(XmlVersion::Implicit1_0)
        .map_err(|error| Problem::new(range, format!("the value of {name}: {error}")))?;
    Ok((name.into(), value.as_ref().into()))
}
