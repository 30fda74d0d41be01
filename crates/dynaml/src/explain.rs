//! The origin of a node's value: the text at its place, the stubs that have a value there, and the
//! references of the expression.

use ecow::EcoString;
use ordain_data::Value as Data;
use ordain_data::yaml::{Kind, NodeId, Tree};
use ordain_graph::explain::{Cause, Explanation};
use ordain_source::{FileId, SourceMap};

use crate::diagnostics::report::Place;
use crate::eval::evaluator::Evaluator;
use crate::eval::tree::{Body, Memo, NodeLookup, Step};
use crate::ids::{InstId, NOWHERE};
use crate::input::Input;
use crate::load::SrcKind;
use crate::path::{find_path, steps};
use crate::syntax::ast::{Expr, ExprId, PathStep};
use crate::syntax::print::{print, print_path};
use crate::value::Value;

/// The maximum depth of references and stubs.
const MAX_DEPTH: usize = 6;
/// The maximum number of references of an expression.
const MAX_REFERENCES: usize = 12;

/// The value of a node, and its origin.
#[derive(Clone, Debug)]
pub struct ExplainedValue {
    /// The path that was asked for.
    pub path: String,
    /// The text that is written there.
    pub source: Source,
}

/// A place that has to do with a value.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its role.
    pub role: Role,
    /// The path of the node.
    pub path: String,
    /// Its place.
    pub place: Place,
    /// The expression, if it is one.
    pub expr: Option<String>,
    /// The resulting value: as YAML, and as data.
    pub value: (String, Data),
    /// Its dependencies: stubs first, then references.
    pub from: Vec<Source>,
    /// The steps from the node at the place to the value.
    within: Vec<PathStep>,
}

/// The role of a place in the origin of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// It gave the value.
    Gave,
    /// Its value was replaced by that of a stub.
    Replaced,
    /// Its expression took the value from a stub.
    Merged,
    /// It has no value of its own: the surrounding insert or expression provides it.
    Inside,
    /// A stub that gave the value.
    Stub,
    /// A stub whose value replaced that of another stub further right.
    ReplacedStub,
    /// A stub with a value that was not used.
    LostStub,
    /// Something that the expression refers to.
    Reference,
}

impl Role {
    /// In words.
    fn words(self) -> &'static str {
        match self {
            Self::Gave => "written at",
            Self::Replaced => "written at, and replaced by a stub",
            Self::Merged => "merged at",
            Self::Inside => "given as part of the value at",
            Self::Stub => "given by the stub at",
            Self::ReplacedStub => "in a stub that was replaced, at",
            Self::LostStub => "not given by the stub at",
            Self::Reference => "refers to",
        }
    }

    /// As a word of JSON.
    fn key(self) -> &'static str {
        match self {
            Self::Gave => "written",
            Self::Replaced => "replaced",
            Self::Merged => "merged",
            Self::Inside => "inside",
            Self::Stub => "stub",
            Self::ReplacedStub => "stub-replaced",
            Self::LostStub => "stub-not-used",
            Self::Reference => "reference",
        }
    }
}

impl Evaluator<'_> {
    /// The origin of a node's value in a finished document; `None` if there is no such node. The
    /// stubs are those of the document, from the first to the last.
    pub(crate) fn explain(
        &mut self,
        root: InstId,
        path: &str,
        stubs: &[(EcoString, InstId)],
    ) -> Option<ExplainedValue> {
        let steps = steps(path);
        let (node, rest) = self.walk(root, &steps);
        let source = self.source(node, &steps[rest..], stubs, Role::Gave, 0)?;
        Some(ExplainedValue { path: path.to_owned(), source })
    }

    /// The node at a path, or the last one before its value continues without nodes; and the number
    /// of steps to it.
    pub(crate) fn walk(&self, root: InstId, steps: &[PathStep]) -> (InstId, usize) {
        let mut at = root;
        for (n, step) in steps.iter().enumerate() {
            match self.entry(at, step) {
                Some(next) => at = next,
                None => return (at, n),
            }
        }
        (at, steps.len())
    }

    fn source(
        &mut self,
        node: InstId,
        rest: &[PathStep],
        stubs: &[(EcoString, InstId)],
        role: Role,
        depth: usize,
    ) -> Option<Source> {
        let item = self.deep(node).ok()??;
        let value = find_path(&item, rest)?.value.clone();
        let mut path = self.path(node);
        if !rest.is_empty() {
            path = [path, print_path(rest)]
                .into_iter()
                .filter(|p| !p.is_empty())
                .collect::<Vec<_>>()
                .join(".");
        }
        let expr = self.expr_of(node);
        let literal = self.literal_steps(node, rest);
        let inserted = literal.is_none() && matches!(self.nodes[node].body, Body::Value(_));
        let (mut role, mut from) = (role, Vec::new());
        if depth < MAX_DEPTH {
            let merged = inserted || expr.is_some_and(|e| self.evaluate_at(node, e).1.merged);
            let mut given = self.given_by_stub(node, rest, stubs, depth);
            let replaced = !merged && given.is_some() && self.is_replaced(node, rest, &value);
            if let Some(first) = given.as_mut()
                && (merged || replaced)
                && first.role == Role::LostStub
            {
                first.role = Role::Stub;
            }
            role = match role {
                Role::LostStub if replaced => Role::ReplacedStub,
                Role::Gave if inserted || (!rest.is_empty() && expr.is_some()) => Role::Inside,
                Role::Gave if merged => Role::Merged,
                Role::Gave if replaced => Role::Replaced,
                role => role,
            };
            // A map or list is not replaced; values of stubs appear in its entries.
            from.extend(given.filter(|g| g.role != Role::LostStub || !value.is_container()));
            if let Some(expr) = expr {
                from.extend(self.references(node, expr, depth));
            }
        }
        let src = &self.sources.nodes[self.source_of(node)];
        Some(Source {
            role,
            path,
            place: (src.file, src.span),
            expr: expr.map(|e| format!("(( {} ))", print(&self.sources.exprs, e))),
            value: (self.printed(&value), self.lowered(&value)),
            from,
            within: literal.unwrap_or_default(),
        })
    }

    /// The steps from a literal without expressions to a node in it; `None` if the node is not part
    /// of one.
    pub(crate) fn literal_steps(&self, node: InstId, rest: &[PathStep]) -> Option<Vec<PathStep>> {
        let mut steps: Vec<PathStep> = rest.iter().rev().cloned().collect();
        let mut at = node;
        while let Body::Value(_) = &self.nodes[at].body {
            match &self.nodes[at].step {
                Step::Key(key) => steps.push(PathStep::Key(key.clone())),
                Step::Index(n) => steps.push(PathStep::Index(i64::from(*n))),
                Step::Named(named) => steps.push(PathStep::Index(i64::from(named.0))),
                Step::Same => {}
                Step::Insert | Step::InsertAt(_) => return None,
            }
            at = self.nodes[at].parent;
            if at == NOWHERE {
                return None;
            }
        }
        steps.reverse();
        let Body::Src(src) = &self.nodes[at].body else { return None };
        matches!(self.sources.nodes[*src].kind, SrcKind::Value(_)).then_some(steps)
    }

    /// Whether a stub's value replaced a node's own one.
    pub(crate) fn is_replaced(&mut self, node: InstId, rest: &[PathStep], value: &Value) -> bool {
        if self.override_of(node).is_none() && rest.is_empty() {
            return false;
        }
        let own = match &self.nodes[node].body {
            Body::Src(src) => match &self.sources.nodes[*src].kind {
                SrcKind::Value(item) => Some(item.clone()),
                SrcKind::Map(_) | SrcKind::List(_) => return false,
                _ => None,
            },
            Body::Value(item) => Some(item.clone()),
            Body::Expr(..) => None,
        };
        // An equal value is not worth reporting.
        let own = own.and_then(|item| Some(self.printed(&find_path(&item, rest)?.value)));
        own.is_none_or(|own| own != self.printed(value))
    }

    /// The value at the path of a node in the first stub that has it. Stubs further right are
    /// already merged into it.
    fn given_by_stub(
        &mut self,
        node: InstId,
        rest: &[PathStep],
        stubs: &[(EcoString, InstId)],
        depth: usize,
    ) -> Option<Source> {
        let mut path = steps(&self.stub_path(node));
        path.extend_from_slice(rest);
        for (n, (_, root)) in stubs.iter().enumerate() {
            let (found, known) = self.walk(*root, &path);
            let below = &stubs[n + 1..];
            let source = self.source(found, &path[known..], below, Role::LostStub, depth + 1);
            if source.is_some() {
                return source;
            }
        }
        None
    }

    /// The nodes that an expression refers to.
    fn references(&mut self, node: InstId, expr: ExprId, depth: usize) -> Vec<Source> {
        let mut found = Vec::new();
        self.collect_references(expr, &mut found, 0);
        let mut out: Vec<Source> = Vec::new();
        for path in found.into_iter().take(MAX_REFERENCES) {
            let Some((target, rest)) = self.target(node, &path) else { continue };
            if target == node {
                continue;
            }
            let source = self.source(target, &rest, &[], Role::Reference, depth + 1);
            out.extend(source.filter(|s| out.iter().all(|o| o.path != s.path)));
        }
        out
    }

    /// The node at a path as seen from a place, with the steps into its value.
    fn target(&self, place: InstId, path: &str) -> Option<(InstId, Vec<PathStep>)> {
        let all = steps(path);
        let dot = if path.starts_with('.') { "." } else { "" };
        (1..=all.len()).rev().find_map(|n| {
            let node = self.named(place, &format!("{dot}{}", print_path(&all[..n])))?;
            let ends = n == all.len()
                || matches!(self.nodes[node].reached, Memo::Done(Ok(NodeLookup::Value(_))));
            ends.then(|| (node, all[n..].to_vec()))
        })
    }

    fn collect_references(&self, expr: ExprId, out: &mut Vec<String>, depth: u32) {
        const NESTED: u32 = 100;
        if depth > NESTED {
            return;
        }
        if let Expr::Ref(reference) = &self.sources.exprs[expr] {
            if reference.tag.is_none() {
                let dot = if reference.absolute { "." } else { "" };
                out.push(format!("{dot}{}", print_path(&reference.path)));
            }
            return;
        }
        for inner in self.sources.exprs.operands(expr) {
            self.collect_references(inner, out, depth + 1);
        }
    }

    fn lowered(&self, value: &Value) -> Data {
        let data = crate::lower::data(&self.sources.exprs, std::slice::from_ref(value));
        data.into_iter().next().unwrap_or_default()
    }

    fn printed(&self, value: &Value) -> String {
        let writer = crate::output::Writer {
            exprs: &self.sources.exprs,
            drop_temporary: false,
            unescape: true,
            interpolation: false,
            bare_lambdas: false,
        };
        writer.yaml(value)
    }
}

impl ExplainedValue {
    /// Converts it to the format of all languages. The texts of the files are added to the sources.
    pub fn explanation(&self, files: &[Input], sources: &SourceMap) -> Explanation {
        let ids: Vec<FileId> =
            files.iter().map(|f| sources.add(&*f.name, f.text.as_str())).collect();
        Explanation {
            subject: self.path.clone(),
            value: Some(self.source.value.clone()),
            causes: vec![self.source.cause(&ids, sources)],
            ..Explanation::default()
        }
    }
}

impl Source {
    fn cause(&self, files: &[FileId], sources: &SourceMap) -> Cause {
        let mut words = self.role.words().to_owned();
        if self.role == Role::Reference {
            words = format!("{words} {}", self.path);
            let value = self.value.0.trim_end();
            if !value.contains('\n') {
                words = format!("{words} = {value}");
            }
        }
        let cause = Cause {
            words,
            step: self.role.key(),
            name: Some(self.path.clone()),
            value: Some(self.value.1.clone()),
            expression: self.expr.clone(),
            from: self.from.iter().map(|source| source.cause(files, sources)).collect(),
            ..Cause::default()
        };
        match files.get(self.place.0 as usize) {
            Some(file) => cause.at(self.place.1.in_file(*file), sources),
            None => cause,
        }
    }

    /// Finds the exact places of values inside larger ones.
    pub(crate) fn refine(&mut self, files: &[Input]) {
        if !self.within.is_empty()
            && let Some(file) = files.get(self.place.0 as usize)
            && let Ok(trees) = Tree::parse_all(&file.text)
        {
            let found = trees.iter().find_map(|tree| {
                let start = (0..tree.len()).filter_map(|n| u32::try_from(n).ok()).map(NodeId);
                let start = start.into_iter().find(|n| tree.node(*n).span == self.place.1)?;
                let end = self.within.iter().try_fold(start, |at, step| below(tree, at, step))?;
                Some(tree.node(end).span)
            });
            self.place.1 = found.unwrap_or(self.place.1);
        }
        for source in &mut self.from {
            source.refine(files);
        }
    }
}

fn below(tree: &Tree, at: NodeId, step: &PathStep) -> Option<NodeId> {
    let at = tree.target(at);
    match (&tree.node(at).kind, step) {
        (Kind::Map, PathStep::Key(key)) => {
            tree.entries(at).find(|(k, _)| tree.text(*k) == Some(key)).map(|e| e.1)
        }
        (Kind::List, PathStep::Index(n)) => {
            let children: Vec<NodeId> = tree.children(at).collect();
            crate::value::position(*n, children.len()).map(|at| children[at])
        }
        (Kind::List, PathStep::Key(key)) => {
            let (field, name) = key.split_once(':').unwrap_or(("name", key));
            tree.children(at).find(|child| {
                let value = below(tree, *child, &PathStep::Key(field.into()));
                value.is_some_and(|v| tree.text(v) == Some(name))
            })
        }
        _ => None,
    }
}
