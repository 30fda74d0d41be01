//! A whole run: stubs from right to left, then the template.

use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use ecow::EcoString;
use ordain_data::yaml::Tree;
use ordain_data::{Decrypted, Redactor};
use ordain_graph::Graph;
use ordain_source::limits::on_deep_stack;
use ordain_source::{Diagnostic, FileId, SourceMap, Span, TextRange, World};

use crate::diagnostics::report;
use crate::diagnostics::report::Line;
use crate::diagnostics::stop::Stop;
use crate::eval::evaluator::{Document, Evaluator};
use crate::eval::tree::Body;
use crate::explain::ExplainedValue;
use crate::functions::{self, clean_path};
use crate::ids::{InstId, SrcId};
use crate::input::Documents;
use crate::load::{Features, LoadError, LoadErrorKind, MapSrc, Sources, SrcKind};
use crate::options::{Dialect, Options};
use crate::origin::Origins;
use crate::output::Writer;
use crate::resources;
use crate::resources::Codes;
use crate::syntax::ast::PathStep;
use crate::value::{Bound, Flags, Item, Map, Names, Scope, Value};

pub use crate::input::Input;
pub use crate::path::find;

/// The input and the options of a run.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The document to produce.
    pub template: Option<Input>,
    /// The stubs; the last one wins.
    pub stubs: Vec<Input>,
    /// The extensions that are on.
    pub features: Features,
    /// The permissions and bounds of evaluation.
    pub options: Options,
    /// JSON instead of YAML.
    pub json: bool,
    /// Only the node at this path.
    pub path: Option<String>,
    /// Only these nodes, by the last step of their path.
    pub select: Vec<String>,
    /// A list as documents of their own.
    pub split: bool,
    /// Names that are known everywhere, as plain data.
    pub bindings: Vec<(String, ordain_data::Value)>,
    /// An expression on the result.
    pub evaluate: Option<String>,
    /// Also returns the nodes that are marked as state.
    pub state: Option<StateForm>,
    /// Documents that are known by a tag.
    pub tags: Vec<(String, Input)>,
    /// A node whose origin is requested.
    pub explain: Option<String>,
}

/// The form of a state file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StateForm {
    /// YAML.
    Yaml,
    /// JSON.
    Json,
}

/// The result of a run.
#[derive(Clone, Debug, Default)]
pub struct Output {
    /// The text to print.
    pub text: String,
    /// The text of the state file.
    pub state: Option<String>,
    /// The origin of the requested node's value.
    pub explained: Option<ExplainedValue>,
    /// The files of the run.
    pub files: Vec<Input>,
    /// Decrypted values, and generated private keys. The text contains them in clear text.
    pub secrets: Decrypted,
    /// The places of repeated keys that win.
    pub duplicates: Vec<report::Place>,
}

/// A merged document as a graph.
pub struct DeclaredGraph {
    /// The run, without the text of the document.
    pub output: Output,
    /// The declared resources, or the errors in them.
    pub graph: Result<Graph, Vec<Diagnostic>>,
}

/// The reason why there is no result.
#[derive(Clone, Debug)]
pub enum Error {
    /// A file is no YAML that can be merged.
    Input {
        /// `template` or `stub`.
        role: &'static str,
        /// The file.
        name: String,
        /// The error.
        error: LoadError,
    },
    /// Expressions could not be resolved.
    Unresolved(Box<Unresolved>),
    /// Another error, such as a missing path.
    Other(String),
}

/// The unresolved nodes of a document.
#[derive(Clone, Debug)]
pub struct Unresolved {
    /// The nodes.
    pub lines: Vec<Line>,
    /// The number of the document in its stream, from 1.
    pub document: Option<usize>,
    /// The expression on the result that failed, if any.
    pub expression: Option<String>,
    /// The files of the places, by number.
    pub files: Vec<Input>,
    /// The wording of the report.
    pub dialect: Dialect,
}

impl Error {
    /// The message as the original prints it after its time stamp.
    pub fn text(&self) -> String {
        match self {
            Self::Input { role, name, error } => {
                format!("error parsing {role} [{}]: {}", clean_path(name), error.original_message())
            }
            Self::Unresolved(found) => {
                if let Some(expression) = &found.expression {
                    return format!(
                        "expression {expression:?} failed: {}",
                        report::body(&found.lines, found.dialect)
                    );
                }
                let document = found.document.map(|n| format!(" (document {n})"));
                let document = document.unwrap_or_default();
                let report = report::text(&found.lines, found.dialect);
                format!("error generating manifest{document}: {report}")
            }
            Self::Other(message) => message.clone(),
        }
    }
}

/// The stack of the evaluating thread. Only its used part takes memory.
const STACK: usize = 512 << 20;

/// Merges a template with stubs.
///
/// # Errors
/// When a file cannot be read as YAML, or an expression has no value.
pub fn merge(world: &dyn World, request: &Request) -> Result<Output, Error> {
    on_deep_stack(STACK, || merge_here(world, request))
}

/// Merges a template with stubs, and builds a graph of the declared resources. The texts of the
/// files are added to the sources, which may have parsed them before.
///
/// # Errors
/// When a file cannot be read as YAML, or an expression has no value. Errors in the resources are
/// part of the result.
pub fn declare(
    world: &dyn World,
    request: &Request,
    sources: &SourceMap,
    codes: Codes,
) -> Result<DeclaredGraph, Error> {
    on_deep_stack(STACK, || {
        with_run(world, request, Some(sources), |run| {
            let mut output = Output::default();
            let printed = run.evaluate(&mut output)?;
            let graph = run.graph(&printed, codes);
            run.finish(&mut output);
            output.files = std::mem::take(&mut run.files);
            Ok(DeclaredGraph { output, graph })
        })
    })
}

fn merge_here(world: &dyn World, request: &Request) -> Result<Output, Error> {
    with_run(world, request, None, |run| {
        let mut output = Output::default();
        let printed = run.evaluate(&mut output)?;
        output.text = run.text(&printed);
        run.finish(&mut output);
        output.files = std::mem::take(&mut run.files);
        Ok(output)
    })
}

fn with_run<T>(
    world: &dyn World,
    request: &Request,
    texts: Option<&SourceMap>,
    action: impl FnOnce(&mut Run<'_, '_>) -> Result<T, Error>,
) -> Result<T, Error> {
    let mut sources = Sources::default();
    sources.features = request.features;
    let functions = match request.options.is_check {
        true => functions::table_for_check(),
        false => functions::table(),
    };
    let mut run = Run {
        evaluator: Evaluator::new(world, request.options.clone(), sources, functions),
        request,
        bindings: bindings(&request.bindings),
        sources: texts,
        files: Vec::new(),
        parsed: Vec::new(),
        stubs: Vec::new(),
        open: false,
    };
    action(&mut run).map_err(|mut error| {
        if let Some(secrets) = run.evaluator.secrets.redactor() {
            hide(&mut error, &secrets);
        }
        error
    })
}

/// Removes decrypted values from an error.
fn hide(error: &mut Error, secrets: &Redactor) {
    fn hide_in(lines: &mut [Line], secrets: &Redactor) {
        for line in lines {
            let outer = line.outer.iter_mut().map(|outer| &mut outer.text);
            for text in std::iter::once(&mut line.issue).chain(outer).chain(&mut line.detail) {
                if secrets.finds(text) {
                    *text = secrets.redact(text).into_owned().into();
                }
            }
            for text in
                line.cause.texts_mut().into_iter().chain([&mut line.path, &mut line.stub_path])
            {
                if secrets.finds(text) {
                    *text = secrets.redact(text).into_owned();
                }
            }
            hide_in(&mut line.nested, secrets);
        }
    }
    match error {
        Error::Unresolved(found) => hide_in(&mut found.lines, secrets),
        Error::Other(message) => *message = secrets.redact(message).into_owned(),
        Error::Input { .. } => {}
    }
}

fn bindings(names: &[(String, ordain_data::Value)]) -> Scope {
    if names.is_empty() {
        return Scope::default();
    }
    let names = names.iter().map(|(k, v)| (k.into(), Bound::from(crate::lower::value(v))));
    Scope::default().with(names.collect::<Names>())
}

/// A file that was parsed.
#[derive(Clone)]
struct ParsedInput {
    documents: Arc<Documents>,
    /// Its number in the texts of the caller.
    id: Option<FileId>,
}

struct Run<'w, 'r> {
    evaluator: Evaluator<'w>,
    request: &'r Request,
    bindings: Scope,
    /// The caller's texts, which places refer to.
    sources: Option<&'r SourceMap>,
    /// The files by number.
    files: Vec<Input>,
    /// The parsed documents of each file.
    parsed: Vec<ParsedInput>,
    /// The finished stubs from the first to the last: name and root.
    stubs: Vec<(EcoString, InstId)>,
    /// Whether a node of the current document has no value.
    open: bool,
}

/// The printed part of a document.
struct Printed {
    value: Value,
    /// Whether a node in it has no value: then temporary nodes and escapes stay.
    open: bool,
    /// The root, if it is a complete document.
    root: Option<InstId>,
}

impl Run<'_, '_> {
    /// The part to print of each document.
    fn evaluate(&mut self, output: &mut Output) -> Result<Vec<Option<Printed>>, Error> {
        self.define_tags()?;
        let Some(template) = &self.request.template else {
            return Err(Error::Other("no template".into()));
        };
        // Everything is read before anything is evaluated, the template first.
        let mut documents = Vec::new();
        let parsed = self.parse(template, "template")?;
        for tree in parsed.documents.all() {
            let source = self.load(tree, &parsed, template, "template")?;
            documents.push((!self.is_empty(source)).then_some(source));
        }
        let several = documents.len() > 1;
        if several && self.request.state.is_some() {
            let name = &template.name;
            return Err(Error::Other(format!(
                "state handling not supported gor multi documents [{name}]: <nil>"
            )));
        }
        let stubs = self.evaluate_stubs()?;
        let mut printed = Vec::new();
        for (n, source) in (1..).zip(documents) {
            let Some(source) = source else {
                printed.push(None);
                continue;
            };
            let number = several.then_some(n);
            self.open = false;
            let (item, root) = self.document(source, template, &stubs, number, false)?;
            self.evaluator.finish_document(&item, false);
            if let Some(path) = &self.request.explain {
                let mut explained = self.evaluator.explain(root, path, &self.stubs);
                if let Some(explained) = &mut explained {
                    explained.source.refine(&self.files);
                }
                output.explained = output.explained.take().or(explained);
                continue;
            }
            if item.flags.has(Flags::TEMPORARY) && !self.request.options.keep_temporary {
                continue;
            }
            let first = printed.len();
            self.results(&item, number, &mut printed, output)?;
            let is_whole = self.request.path.is_none()
                && self.request.evaluate.is_none()
                && self.request.select.is_empty()
                && !self.request.split;
            if let (true, Some(Some(printed))) = (is_whole, printed.get_mut(first)) {
                printed.root = Some(root);
            }
        }
        Ok(printed)
    }

    /// Reads and evaluates the stubs, the last one first.
    fn evaluate_stubs(&mut self) -> Result<Vec<Item>, Error> {
        let mut loaded = Vec::new();
        for input in &self.request.stubs {
            let parsed = self.parse(input, "stub")?;
            let tree = only_document(&parsed.documents, input, "stub")?;
            loaded.push((input, self.load(tree, &parsed, input, "stub")?));
        }
        let mut stubs: Vec<Item> = Vec::new();
        for (input, source) in loaded.into_iter().rev() {
            let (item, root) = self.document(source, input, &stubs, None, true)?;
            self.evaluator.finish_document(&item, true);
            self.stubs.insert(0, (input.name.as_str().into(), root));
            stubs.insert(0, without(&item, Flags::LOCAL));
        }
        Ok(stubs)
    }

    fn finish(&mut self, output: &mut Output) {
        output.secrets = std::mem::take(&mut self.evaluator.secrets);
        output.duplicates = std::mem::take(&mut self.evaluator.sources.duplicates);
    }

    /// The graph of the resources that the only document declares.
    fn graph(
        &mut self,
        printed: &[Option<Printed>],
        codes: Codes,
    ) -> Result<Graph, Vec<Diagnostic>> {
        let [Some(Printed { value, open, root: Some(root) })] = printed else {
            let name = self.request.template.as_ref().map_or("", |template| &template.name);
            let text = format!("{name} is not one document");
            return Err(vec![Diagnostic::error(codes.form, text)]);
        };
        let document = crate::lower::printed(&self.writer(*open), value);
        let documents = self.parsed.iter().map(|parsed| Arc::clone(&parsed.documents));
        let mut origins = Origins::new(documents.collect());
        let ids: Vec<Option<FileId>> = self.parsed.iter().map(|parsed| parsed.id).collect();
        let secrets = std::mem::take(&mut self.evaluator.secrets);
        let mut place = |path: &[&str]| {
            // A value without its own place uses that of the nearest surrounding value.
            let steps: Vec<PathStep> =
                path.iter().map(|key| PathStep::Key((*key).into())).collect();
            let (file, range) = (1..=steps.len()).rev().find_map(|depth| {
                origins.place(&mut self.evaluator, *root, &steps[..depth], &self.stubs)
            })?;
            Some(Span { file: (*ids.get(file as usize)?)?, range })
        };
        let graph = resources::graph(&document, &secrets, &mut place, codes);
        self.evaluator.secrets = secrets;
        graph
    }

    /// Whether a document has nothing in it.
    fn is_empty(&self, source: SrcId) -> bool {
        let kind = &self.evaluator.sources.nodes[source].kind;
        matches!(kind, SrcKind::Value(Item { value: Value::Null, .. }))
    }

    fn define_tags(&mut self) -> Result<(), Error> {
        for (tag, input) in &self.request.tags {
            if let Err(e) = crate::eval::tag_table::check_name(tag) {
                return Err(Error::Other(format!("invalid tag name [{tag}]: {e}")));
            }
            let parsed = self.parse(input, "tag file")?;
            let tree = only_document(&parsed.documents, input, "tag file")?;
            let refused = |error| refused(error, input, "tag file");
            let value = crate::document::value(tree).map_err(refused)?;
            let defined = self.evaluator.define_tag(tag, value, None, true);
            defined.map_err(|stop| Error::Other(stop.text().to_owned()))?;
        }
        Ok(())
    }

    /// Parses a file, unless an earlier run with the same sources has parsed the same text.
    fn parse(&self, input: &Input, role: &'static str) -> Result<ParsedInput, Error> {
        let text = input.text.as_str();
        let parse = |text: &str| match Tree::parse_all(text) {
            Ok(trees) => Ok(Documents::new(trees)),
            Err(error) => Err(LoadError::yaml(text, &error)),
        };
        let (id, parsed) = match self.sources {
            Some(sources) => {
                let path = Path::new(&input.name);
                let (id, parsed) =
                    sources.parsed(path, text.into(), 0, |_, text| parse(&text).map(Arc::new));
                (Some(id), (*parsed).clone())
            }
            None => (None, parse(text).map(Arc::new)),
        };
        let documents = parsed.map_err(|error| refused(error, input, role))?;
        Ok(ParsedInput { documents, id })
    }

    fn load(
        &mut self,
        tree: &Tree,
        parsed: &ParsedInput,
        input: &Input,
        role: &'static str,
    ) -> Result<SrcId, Error> {
        let file = self.evaluator.add_file(input.name.as_str());
        self.files.push(input.clone());
        self.parsed.push(parsed.clone());
        let loaded = self.evaluator.sources.load(tree, file);
        let source = loaded.map_err(|error| refused(error, input, role))?;
        let Some(key) = &input.under else { return Ok(source) };
        let map = MapSrc { entries: vec![(key.into(), source)], ..MapSrc::default() };
        let span = self.evaluator.sources.nodes[source].span;
        Ok(self.evaluator.sources.push(SrcKind::Map(map), file, span))
    }

    fn document(
        &mut self,
        source: SrcId,
        input: &Input,
        stubs: &[Item],
        number: Option<usize>,
        stub: bool,
    ) -> Result<(Item, InstId), Error> {
        let document = Document {
            stubs: stubs.iter().cloned().collect(),
            file: EcoString::from(input.name.as_str()),
            bindings: self.bindings.clone(),
            stub,
        };
        let root = self.evaluator.add_document(Body::Src(source), document);
        match self.evaluator.run(root) {
            Ok(item) => Ok((item.unwrap_or_else(|| Value::Null.into()), root)),
            Err(_) if self.request.options.partial => {
                self.open = true;
                Ok((self.evaluator.partial(root), root))
            }
            Err(stop) => {
                let mut lines = self.evaluator.report(root);
                if lines.is_empty() {
                    lines.push(unknown(&stop, input));
                }
                let all = &self.request.stubs;
                let searched = all.iter().skip(all.len() - stubs.len()).zip(stubs);
                let searched: Vec<_> = searched.map(|(i, s)| (i.name.as_str(), s)).collect();
                self.evaluator.find_causes(&mut lines, &searched);
                Err(self.unresolved(lines, number))
            }
        }
    }

    fn unresolved(&mut self, lines: Vec<Line>, document: Option<usize>) -> Error {
        let files = std::mem::take(&mut self.files);
        let dialect = self.request.options.dialect;
        Error::Unresolved(Box::new(Unresolved {
            lines,
            document,
            expression: None,
            files,
            dialect,
        }))
    }

    fn writer(&self, open: bool) -> Writer<'_> {
        Writer {
            exprs: &self.evaluator.sources.exprs,
            drop_temporary: !open && !self.request.options.keep_temporary,
            unescape: !open && !self.request.options.keep_escapes,
            interpolation: self.request.features.interpolation,
            bare_lambdas: false,
        }
    }

    /// The printed part of a document: the selected node, or the items of a list.
    fn results(
        &mut self,
        item: &Item,
        number: Option<usize>,
        printed: &mut Vec<Option<Printed>>,
        output: &mut Output,
    ) -> Result<(), Error> {
        let select = |value: &Value, path: &str| {
            find(value, path).ok_or_else(|| {
                let document = number.map(|n| format!(" (document {n})")).unwrap_or_default();
                Error::Other(format!("path {path:?} not found{document}"))
            })
        };
        let mut value = item.value.clone();
        if let Some(path) = &self.request.path {
            value = select(&value, path)?;
        }
        if let Some(form) = self.request.state {
            let state = state(&value);
            output.state = Some(match form {
                StateForm::Yaml => self.writer(self.open).yaml(&state),
                StateForm::Json => self.writer(self.open).json(&state),
            });
        }
        if let Some(text) = &self.request.evaluate {
            value = self.evaluate_on(&value, text)?;
        }
        if !self.request.select.is_empty() {
            let mut entries = Vec::new();
            for path in &self.request.select {
                let last = path.rsplit('.').next().unwrap_or(path);
                entries.push((EcoString::from(last), select(&value, path)?));
            }
            value = Value::map(entries);
        }
        match &value {
            Value::List(list) if self.request.split => {
                let open = self.open;
                let pieces =
                    list.items.iter().map(|i| Printed { value: i.value.clone(), open, root: None });
                printed.extend(pieces.map(Some));
            }
            _ => printed.push(Some(Printed { value, open: self.open, root: None })),
        }
        Ok(())
    }

    /// The results as text; an empty document is only a separator.
    fn text(&self, printed: &[Option<Printed>]) -> String {
        let mut out = String::new();
        for document in printed {
            match document {
                Some(document) if self.request.json => {
                    out.push_str(&self.writer(document.open).json(&document.value));
                    out.push('\n');
                }
                None if self.request.json => {}
                _ => {
                    if printed.len() > 1 || document.is_none() {
                        out.push_str("---\n");
                    }
                    if let Some(document) = document {
                        self.writer(document.open).write_yaml(&mut out, &document.value);
                    }
                }
            }
        }
        out
    }

    fn evaluate_on(&mut self, value: &Value, text: &str) -> Result<Value, Error> {
        let wrapped = format!("(( {text} ))");
        let parsed = self.evaluator.sources.expression(&wrapped);
        let expr = match parsed {
            Some(Ok(expr)) => expr,
            _ => return Err(Error::Other(format!("cannot parse expression '{text}'"))),
        };
        let document = Document {
            stubs: Rc::new([]),
            file: EcoString::new(),
            bindings: self.bindings.clone(),
            stub: false,
        };
        let root = self.evaluator.add_document(Body::Value(value.clone().into()), document);
        let src = self.evaluator.source_of(root);
        let names: Names = match value {
            Value::Map(map) => {
                map.entries().iter().map(|(k, i)| (k.clone(), Bound::Value(i.clone()))).collect()
            }
            _ => Names::new(),
        };
        let scope = Scope::default().with(names);
        let node = self.evaluator.add_instance(Body::Expr(expr, src), root, scope, true);
        match self.evaluator.run(node) {
            Ok(item) => Ok(item.map(|i| i.value).unwrap_or_default()),
            Err(_) => {
                let mut lines = self.evaluator.report(node);
                lines.iter_mut().for_each(|line| line.file = "<expr>".into());
                let error = self.unresolved(lines, None);
                let Error::Unresolved(mut found) = error else { return Err(error) };
                found.expression = Some(text.to_owned());
                Err(Error::Unresolved(found))
            }
        }
    }
}

/// The nodes that are marked as state, with their ancestors.
fn state(value: &Value) -> Value {
    fn keep(value: &Value) -> Option<Value> {
        let Value::Map(map) = value else { return None };
        let mut entries = Vec::new();
        for (key, item) in map.entries() {
            if item.flags.has(Flags::STATE) {
                entries.push((key.clone(), Item::from(item.value.clone())));
            } else if let Some(inner) = keep(&item.value) {
                entries.push((key.clone(), inner.into()));
            }
        }
        (!entries.is_empty()).then(|| Value::Map(Map::new(entries)))
    }
    keep(value).unwrap_or_else(|| Value::Map(Map::new(Vec::new())))
}

/// The error of a file that cannot be read.
fn refused(error: LoadError, input: &Input, role: &'static str) -> Error {
    Error::Input { role, name: input.name.clone(), error }
}

/// The document of a single-document file.
fn only_document<'d>(
    documents: &'d Documents,
    input: &Input,
    role: &'static str,
) -> Result<&'d Tree, Error> {
    let Some(second) = documents.more.first() else { return Ok(&documents.first) };
    let span = second.root().map_or(TextRange::new(0, 0), |root| second.node(root).span);
    let error = LoadError {
        kind: LoadErrorKind::Documents,
        message: "several documents in a file that may have one".into(),
        span,
        original: Some("multi document not possible".into()),
    };
    Err(refused(error, input, role))
}

/// The line for trouble that no node shows.
fn unknown(stop: &Stop, input: &Input) -> Line {
    Line {
        expr: String::new(),
        file: input.name.as_str().into(),
        path: String::new(),
        stub_path: String::new(),
        tag: report::Tag::Error,
        issue: stop.text().into(),
        outer: Vec::new(),
        detail: None,
        nested: Vec::new(),
        place: (0, TextRange::new(0, 0)),
        at: None,
        syntax: None,
        cause: report::Cause::Own,
        node: InstId::new(0),
    }
}

/// A value without nodes that have these markers.
fn without(item: &Item, flags: Flags) -> Item {
    let value = match &item.value {
        Value::Map(map) if map.entries().iter().any(|e| touches(&e.1, flags)) => {
            let entries = map.entries().iter().filter(|e| !e.1.flags.has(flags));
            Value::Map(Map::new(entries.map(|(k, i)| (k.clone(), without(i, flags))).collect()))
        }
        Value::List(list) if list.items.iter().any(|i| touches(i, flags)) => {
            let items = list.items.iter().filter(|i| !i.flags.has(flags));
            let items = items.map(|i| without(i, flags)).collect();
            Value::List(crate::value::List::new(items, list.key.clone()))
        }
        other => other.clone(),
    };
    Item { value, flags: item.flags }
}

fn touches(item: &Item, flags: Flags) -> bool {
    item.flags.has(flags)
        || match &item.value {
            Value::Map(map) => map.entries().iter().any(|e| touches(&e.1, flags)),
            Value::List(list) => list.items.iter().any(|i| touches(i, flags)),
            _ => false,
        }
}
