//! Converts YAML to the source tree of a document: resolves scalars, parses expressions, and
//! recognises inserts and key tags. A node without them is one finished value.

use ecow::EcoString;
use ordain_data::yaml::{self, Kind, NodeId, Style, Tree};
use ordain_source::TextRange;
use ordain_syntax::Arena;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ids::{SourceNodes, SrcId};
use crate::interpolation::Part;
use crate::scalar;
use crate::syntax::ast::{Expr, ExprId, Exprs, Marker};
use crate::syntax::parser::ParseError;
use crate::syntax::{near, parser};
use crate::value::{Flags, Item, List, Map, Value, is_expression};

/// The number of an input file.
pub type FileNo = u32;

/// A node of a document as it is written.
#[derive(Debug)]
pub struct Src {
    /// Its kind.
    pub kind: SrcKind,
    /// The file.
    pub file: FileNo,
    /// The range in the file.
    pub span: TextRange,
}

/// The kind of a node.
#[derive(Debug)]
pub enum SrcKind {
    /// A value without any expression in it.
    Value(Item),
    /// An expression.
    Expr(ExprId),
    /// A text in the form of an expression with a syntax error.
    Broken(EcoString, ParseError),
    /// A map.
    Map(MapSrc),
    /// A list.
    List(ListSrc),
}

/// A map.
#[derive(Debug, Default)]
pub struct MapSrc {
    /// The entries by key, without inserts.
    pub entries: Vec<(EcoString, SrcId)>,
    /// The insert under `<<`.
    pub insert: Option<SrcId>,
    /// The markers of the insert.
    pub marks: Marks,
    /// Whether it has keys of a control structure.
    pub control: bool,
    /// Whether it has two inserts.
    pub two_inserts: bool,
}

/// A list.
#[derive(Debug, Default)]
pub struct ListSrc {
    /// The entries.
    pub entries: Vec<ListEntry>,
    /// The key field that a `key:` tag declares.
    pub key: Option<EcoString>,
    /// Whether `key:!` disables keys, or they contradict each other.
    pub keyless: bool,
    /// The markers of an insert.
    pub marks: Marks,
    /// The insert that has the markers.
    pub marked: Option<SrcId>,
}

/// An entry of a list.
#[derive(Clone, Copy, Debug)]
pub enum ListEntry {
    /// A value.
    Node(SrcId),
    /// Values to be put in here.
    Insert(SrcId),
}

/// Markers of a node.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    /// Those that are handed on with the value.
    pub flags: Flags,
    /// `&template`
    pub template: bool,
    /// The text they were written in.
    pub written: Option<EcoString>,
    /// Whether that was under `<<<`.
    pub long: bool,
    /// Names from `&tag:`, with whether they apply to all documents.
    pub tags: Vec<(EcoString, bool)>,
}

impl Marks {
    /// Adds markers.
    pub fn add(&mut self, markers: &[Marker]) {
        for marker in markers {
            match marker {
                Marker::Template => self.template = true,
                Marker::Temporary => self.flags = self.flags.with(Flags::TEMPORARY),
                Marker::Local => self.flags = self.flags.with(Flags::LOCAL),
                Marker::Inject => self.flags = self.flags.with(Flags::INJECT),
                Marker::State => self.flags = self.flags.with(Flags::STATE),
                Marker::Default => self.flags = self.flags.with(Flags::DEFAULT),
                Marker::Dynamic => self.flags = self.flags.with(Flags::DYNAMIC),
                Marker::Tag(name, global) => self.tags.push((name.clone(), *global)),
            }
        }
    }

    /// Whether there are any.
    pub fn is_empty(&self) -> bool {
        self.flags == Flags::default() && !self.template && self.tags.is_empty()
    }
}

/// Extensions that are behind flags in the original.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Features {
    /// Expressions inside of texts.
    pub interpolation: bool,
    /// `<<if`, `<<for` and their kin.
    pub control: bool,
}

/// All sources and expressions of a run.
#[derive(Debug, Default)]
pub struct Sources {
    /// The nodes.
    pub nodes: Arena<Src, SourceNodes>,
    /// The expressions.
    pub exprs: Exprs,
    /// The extensions that are on.
    pub features: Features,
    /// Whether some expressions have syntax errors.
    pub broken: bool,
    /// The places of repeated keys that win.
    pub duplicates: Vec<(FileNo, TextRange)>,
    /// Expressions with markers, by the inserts inside them.
    pub whole: FxHashMap<SrcId, ExprId>,
    /// Fields that are written with a `key:` prefix, by the list entry that has them.
    key_tags: FxHashMap<SrcId, Vec<(EcoString, EcoString)>>,
    /// Inserts that are written under `<<<`.
    long_inserts: FxHashSet<SrcId>,
    parsed: FxHashMap<EcoString, Result<ExprId, ParseError>>,
    texts: FxHashMap<ExprId, EcoString>,
    /// Texts with expressions in them.
    interpolated: FxHashMap<ExprId, EcoString>,
}

/// The kind of a [`LoadError`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LoadErrorKind {
    /// The text is no YAML.
    Yaml(yaml::ErrorKind),
    /// A key is something else than a text.
    Key,
    /// Aliases that expand to too many nodes, or to themselves.
    Aliases,
    /// A stub or another single-document file with several documents.
    Documents,
}

/// The reason why a document cannot be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoadError {
    /// The kind.
    pub kind: LoadErrorKind,
    /// The error in words.
    pub message: String,
    /// The range.
    pub span: TextRange,
    /// The message of the original, with the position.
    pub original: Option<String>,
}

impl LoadError {
    /// An error in a text that is valid YAML.
    pub(crate) fn new(kind: LoadErrorKind, message: String, span: TextRange) -> Self {
        Self { kind, message, span, original: None }
    }

    /// An error in invalid YAML.
    pub(crate) fn yaml(text: &str, e: &yaml::Error) -> Self {
        let original = Some(crate::diagnostics::yaml::error_message(text, e));
        let kind = LoadErrorKind::Yaml(e.kind.clone());
        Self { kind, message: e.message.clone(), span: e.range, original }
    }

    /// In the words of the original.
    pub fn original_message(&self) -> &str {
        self.original.as_deref().unwrap_or(&self.message)
    }
}

/// The maximum number of values that the aliases of a document may expand to.
const MAX_ALIASED_VALUES: u64 = 1_000_000;

impl Sources {
    /// Parses the text of an expression, each text once.
    pub fn parse(&mut self, text: &str) -> Result<ExprId, ParseError> {
        if let Some(known) = self.parsed.get(text) {
            return known.clone();
        }
        let parsed = parser::parse(text, &mut self.exprs);
        let parsed =
            parsed.map_err(|error| ParseError { near: near::syntax_error_message(text), ..error });
        let text = EcoString::from(text);
        if let Ok(expr) = parsed {
            self.texts.insert(expr, text.clone());
        }
        self.parsed.insert(text, parsed.clone());
        parsed
    }

    /// The scalar of an expression as written, if the expression is a whole scalar.
    pub fn text(&self, expr: ExprId) -> Option<EcoString> {
        let scalar = |text: &EcoString| ecow::eco_format!("(({text}))");
        self.texts.get(&expr).map(scalar).or_else(|| self.interpolated.get(&expr).cloned())
    }

    /// The text of a part of an expression, as written.
    pub fn written(&self, whole: ExprId, part: ExprId) -> String {
        let (start, end) = self.exprs.span(part);
        let text = self.texts.get(&whole).and_then(|t| t.get(start as usize..end as usize));
        let canonical = || crate::syntax::print::print(&self.exprs, part);
        text.map_or_else(canonical, ToString::to_string)
    }

    /// An expression in its brackets as reports show it: in canonical form, but as written after
    /// markers.
    pub fn shown(&self, expr: ExprId) -> String {
        match &self.exprs[expr] {
            Expr::Marked(markers, Some(inner)) => {
                let markers = crate::syntax::print::print_markers(markers);
                format!("(( {markers} ({}) ))", self.written(expr, *inner))
            }
            _ => format!("(( {} ))", crate::syntax::print::print(&self.exprs, expr)),
        }
    }

    /// The value of a list entry with its key tags, as written.
    pub fn with_key_tags(&self, entry: SrcId, value: Value) -> Value {
        let (Some(tags), Value::Map(map)) = (self.key_tags.get(&entry), &value) else {
            return value;
        };
        let entries = map.entries().iter().map(|(key, item)| {
            let tag = tags.iter().find(|t| t.0 == *key);
            (tag.map_or(key, |t| &t.1).clone(), item.clone())
        });
        Value::Map(Map::new(entries.collect()))
    }

    /// The key that an insert is written under.
    pub fn insert_key(&self, insert: SrcId) -> &'static str {
        if self.long_inserts.contains(&insert) { "<<<" } else { "<<" }
    }

    /// The expression of a scalar in brackets, if it is one.
    pub fn expression(&mut self, text: &str) -> Option<Result<ExprId, ParseError>> {
        if is_expression(text) && (!self.features.interpolation || balanced(text)) {
            let inner = text.get(2..text.len() - 2)?;
            return Some(self.parse(inner));
        }
        if self.features.interpolation {
            let Some(parts) = crate::interpolation::split(text) else {
                let inner = is_expression(text).then(|| text.get(2..text.len() - 2))??;
                return Some(self.parse(inner));
            };
            return Some(self.joined(text, parts));
        }
        None
    }

    /// The parts of an interpolated text as one expression.
    fn joined(&mut self, text: &str, parts: Vec<Part>) -> Result<ExprId, ParseError> {
        let mut exprs = Vec::with_capacity(parts.len());
        for part in parts {
            exprs.push(match part {
                Part::Text(text) => self.exprs.push(Expr::Str(text), 0, 0),
                Part::Expr(text, begin) => {
                    let inner = self.parse(&text).map_err(|error| {
                        // As if the whole text were one expression between brackets.
                        let at = begin - 2 + error.at;
                        ParseError { at, near: None, ..error }
                    })?;
                    self.exprs.push(Expr::Group(inner), 0, 0)
                }
            });
        }
        let joined = crate::interpolation::join(&mut self.exprs, &exprs);
        self.interpolated.insert(joined, text.into());
        Ok(joined)
    }

    /// Adds a node.
    pub fn push(&mut self, kind: SrcKind, file: FileNo, span: TextRange) -> SrcId {
        self.nodes.push(Src { kind, file, span })
    }

    /// Adds a document.
    ///
    /// # Errors
    /// When a key is not a text, or aliases expand to too many nodes.
    pub fn load(&mut self, tree: &Tree, file: FileNo) -> Result<SrcId, LoadError> {
        let mut loader =
            Loader { tree, file, sources: self, shared: FxHashMap::default(), nodes: 0 };
        let built = match tree.root() {
            Some(root) => loader.node(root)?,
            None => Built::Value(Value::Null),
        };
        let span = tree.root().map_or(TextRange::new(0, 0), |r| tree.node(r).span);
        Ok(loader.source(built, span))
    }
}

fn balanced(text: &str) -> bool {
    crate::interpolation::is_single(text)
}

/// A built node: finished, or with expressions in it.
#[derive(Clone)]
enum Built {
    Value(Value),
    Src(SrcId),
}

struct Loader<'t, 's> {
    tree: &'t Tree,
    file: FileNo,
    sources: &'s mut Sources,
    /// The targets of aliases, with their numbers of nodes.
    shared: FxHashMap<NodeId, (Built, u64)>,
    nodes: u64,
}

impl Loader<'_, '_> {
    fn source(&mut self, built: Built, span: TextRange) -> SrcId {
        match built {
            Built::Src(id) => id,
            Built::Value(v) => self.sources.push(SrcKind::Value(v.into()), self.file, span),
        }
    }

    fn node(&mut self, id: NodeId) -> Result<Built, LoadError> {
        let node = self.tree.node(id);
        let before = self.nodes;
        self.nodes += 1;
        let limit = MAX_ALIASED_VALUES + self.tree.len() as u64;
        if self.nodes > limit {
            let message = format!(
                "the aliases of this document stand for more than {MAX_ALIASED_VALUES} values"
            );
            return Err(LoadError::new(LoadErrorKind::Aliases, message, node.span));
        }
        let built = match &node.kind {
            Kind::Scalar(text, style) => self.scalar(id, text, *style),
            Kind::List => self.list(id)?,
            Kind::Map => self.map(id)?,
            Kind::Alias(target) => {
                let Some((built, nodes)) = self.shared.get(target).cloned() else {
                    let message = "the alias stands for something that contains it".to_owned();
                    return Err(LoadError::new(LoadErrorKind::Aliases, message, node.span));
                };
                self.nodes += nodes;
                return Ok(built);
            }
        };
        if self.tree.is_shared(id) {
            self.shared.insert(id, (built.clone(), self.nodes - before));
        }
        Ok(built)
    }

    fn scalar(&mut self, id: NodeId, text: &EcoString, style: Style) -> Built {
        let value = scalar_value(self.tree, id, text, style);
        let span = self.tree.node(id).span;
        match &value {
            Value::Str(s) => match self.sources.expression(s) {
                Some(Ok(expr)) => {
                    Built::Src(self.sources.push(SrcKind::Expr(expr), self.file, span))
                }
                Some(Err(error)) => {
                    self.sources.broken = true;
                    let kind = SrcKind::Broken(s.clone(), error);
                    Built::Src(self.sources.push(kind, self.file, span))
                }
                None => Built::Value(value),
            },
            _ => Built::Value(value),
        }
    }

    fn map(&mut self, id: NodeId) -> Result<Built, LoadError> {
        let mut insert = None;
        let mut map = MapSrc::default();
        let tree = self.tree;
        let mut entries: Vec<(EcoString, Built, TextRange)> = Vec::new();
        for (key, value) in tree.entries(id) {
            let name = key_text(tree, key)?;
            let span = tree.node(value).span;
            let built = self.node(value)?;
            match name.as_str() {
                name if !name.starts_with("<<") => {}
                "<<" | "<<<" => {
                    map.two_inserts |= insert.is_some();
                    map.marks.long = name.len() > 2;
                    insert = Some((built, span));
                    continue;
                }
                _ if self.sources.features.control => {
                    map.control |= !name.starts_with("<<!");
                }
                _ => {}
            }
            entries.push((name, built, span));
        }
        let count = entries.len();
        let pure = entries.iter().all(|e| matches!(e.1, Built::Value(_)));
        if pure && insert.is_none() && !map.control {
            let entries = entries.into_iter().map(|(k, b, _)| match b {
                Built::Value(v) => (k, v.into()),
                Built::Src(_) => (k, Value::Null.into()),
            });
            let map = Map::new(entries.collect());
            if map.entries().len() < count {
                self.note_duplicates(id);
            }
            return Ok(Built::Value(Value::Map(map)));
        }
        let mut sources: Vec<(EcoString, SrcId)> =
            entries.into_iter().map(|(k, b, span)| (k, self.source(b, span))).collect();
        sources.sort_by(|a, b| a.0.cmp(&b.0));
        sources.reverse();
        sources.dedup_by(|later, earlier| later.0 == earlier.0);
        sources.reverse();
        if sources.len() < count {
            self.note_duplicates(id);
        }
        map.entries = sources;
        if let Some((built, span)) = insert {
            let source = self.source(built, span);
            map.insert = self.insert(source, &mut map.marks);
            if map.marks.long {
                self.sources.long_inserts.extend(map.insert);
            }
        }
        let span = self.tree.node(id).span;
        Ok(Built::Src(self.sources.push(SrcKind::Map(map), self.file, span)))
    }

    fn note_duplicates(&mut self, map: NodeId) {
        let mut seen = FxHashSet::default();
        for (key, _) in self.tree.entries(map) {
            let span = self.tree.node(key).span;
            if !seen.insert(self.tree.text(key)) {
                self.sources.duplicates.push((self.file, span));
            }
        }
    }

    /// Removes the markers of an insert; the rest is the insert.
    fn insert(&mut self, source: SrcId, marks: &mut Marks) -> Option<SrcId> {
        let node = &self.sources.nodes[source];
        let (file, span) = (node.file, node.span);
        let SrcKind::Expr(expr) = node.kind else { return Some(source) };
        match &self.sources.exprs[expr] {
            Expr::Marked(markers, inner) => {
                marks.add(markers);
                let text = self.sources.texts.get(&expr);
                marks.written = text.map(|t| ecow::eco_format!("(({t}))"));
                let inner = inner.map(|e| self.sources.push(SrcKind::Expr(e), file, span));
                self.sources.whole.extend(inner.map(|inner| (inner, expr)));
                inner
            }
            _ => Some(source),
        }
    }

    fn list(&mut self, id: NodeId) -> Result<Built, LoadError> {
        let tree = self.tree;
        let mut built = Vec::new();
        for child in tree.children(id) {
            built.push((self.node(child)?, tree.node(child).span));
        }
        let mut list = ListSrc::default();
        let tagged = built.iter().any(|(b, _)| self.has_key_tag(b));
        let pure = built.iter().all(|b| matches!(b.0, Built::Value(_)));
        if pure && !tagged {
            let items = built.into_iter().map(|(b, _)| match b {
                Built::Value(v) => v.into(),
                Built::Src(_) => Value::Null.into(),
            });
            return Ok(Built::Value(Value::List(List::new(items.collect(), None))));
        }
        for (b, span) in built {
            let source = self.source(b, span);
            let source = if tagged { self.strip_key_tag(source, &mut list) } else { source };
            let entry = self.list_entry(source, &mut list);
            list.entries.extend(entry);
        }
        let span = self.tree.node(id).span;
        Ok(Built::Src(self.sources.push(SrcKind::List(list), self.file, span)))
    }

    /// An entry that is a map with only an insert is an insert of the list.
    fn list_entry(&mut self, source: SrcId, list: &mut ListSrc) -> Option<ListEntry> {
        let SrcKind::Map(map) = &self.sources.nodes[source].kind else {
            return Some(ListEntry::Node(source));
        };
        if !map.entries.is_empty() || (map.insert.is_none() && map.marks.is_empty()) {
            return Some(ListEntry::Node(source));
        }
        if !map.marks.is_empty() {
            list.marked = map.insert;
            list.marks.long = map.marks.long;
        }
        let marks = &mut list.marks;
        marks.flags = marks.flags.with(map.marks.flags);
        marks.template |= map.marks.template;
        marks.written = map.marks.written.clone().or(marks.written.take());
        marks.tags.extend(map.marks.tags.iter().cloned());
        map.insert.map(ListEntry::Insert)
    }

    fn has_key_tag(&self, built: &Built) -> bool {
        match built {
            Built::Value(Value::Map(m)) => m.entries().iter().any(|e| e.0.starts_with("key:")),
            Built::Src(id) => match &self.sources.nodes[*id].kind {
                SrcKind::Map(m) => m.entries.iter().any(|e| e.0.starts_with("key:")),
                _ => false,
            },
            Built::Value(_) => false,
        }
    }

    /// Removes the `key:` prefix of a field, which declares the key field of the list.
    fn strip_key_tag(&mut self, source: SrcId, list: &mut ListSrc) -> SrcId {
        let node = &mut self.sources.nodes[source];
        let tags = match &mut node.kind {
            SrcKind::Map(map) => strip_key_tags(&mut map.entries, list),
            SrcKind::Value(item) => {
                let Value::Map(map) = &item.value else { return source };
                let mut entries = map.entries().to_vec();
                let tags = strip_key_tags(&mut entries, list);
                *item = Value::Map(Map::new(entries)).into();
                tags
            }
            _ => return source,
        };
        if !tags.is_empty() {
            self.sources.key_tags.insert(source, tags);
        }
        source
    }
}

/// Removes `key:` prefixes of keys; returns the keys without and with them.
fn strip_key_tags<T>(
    entries: &mut [(EcoString, T)],
    list: &mut ListSrc,
) -> Vec<(EcoString, EcoString)> {
    let mut tags = Vec::new();
    for (key, _) in entries.iter_mut() {
        let Some(rest) = key.strip_prefix("key:").map(EcoString::from) else { continue };
        let name = match rest.strip_prefix('!') {
            Some(off) => {
                list.keyless = true;
                off.into()
            }
            None => {
                list.keyless |= list.key.as_ref().is_some_and(|k| *k != rest);
                list.key.get_or_insert_with(|| rest.clone());
                rest
            }
        };
        tags.push((name.clone(), std::mem::replace(key, name)));
    }
    entries.sort_by(|a, b| a.0.cmp(&b.0));
    tags
}

/// The value of a scalar, by its tag or its text.
pub(crate) fn scalar_value(tree: &Tree, id: NodeId, text: &EcoString, style: Style) -> Value {
    match tree.tag(id) {
        Some("tag:yaml.org,2002:str" | "!") => Value::Str(text.clone()),
        Some("tag:yaml.org,2002:binary") => scalar::binary(text),
        _ if style == Style::Plain => {
            scalar::other_than_text(text).unwrap_or_else(|| Value::Str(text.clone()))
        }
        _ => Value::Str(text.clone()),
    }
}

/// The text of a key.
///
/// # Errors
/// When the key is not a text.
pub(crate) fn key_text(tree: &Tree, id: NodeId) -> Result<EcoString, LoadError> {
    let target = tree.target(id);
    let span = tree.node(id).span;
    let fail = |text: &str| {
        let message = format!("map key must be a string: {text}");
        Err(LoadError::new(LoadErrorKind::Key, message, span))
    };
    match &tree.node(target).kind {
        Kind::Scalar(text, Style::Plain) if tree.tag(target).is_none() => {
            match scalar::other_than_text(text) {
                None => Ok(text.clone()),
                Some(Value::Null) => fail("<nil>"),
                Some(Value::Bool(b)) => fail(if b { "true" } else { "false" }),
                Some(_) => fail(text),
            }
        }
        Kind::Scalar(text, _) => Ok(text.clone()),
        Kind::List => fail("a list"),
        _ => fail("a map"),
    }
}
