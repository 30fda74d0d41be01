//! spiff's report of nodes without a value.

use std::fmt::Write;

use ecow::EcoString;
use rustc_hash::{FxHashMap, FxHashSet};

use super::stop::{Blocked, FailureKind, Stop};
use crate::eval::evaluator::Evaluator;
use crate::eval::tree::{Body, Children, Memo, NodeLookup};
use crate::ids::InstId;
use crate::load::SrcKind;
use crate::options::Dialect;
use crate::syntax::ast::{Expr, ExprId};
use crate::syntax::parser::{ParseError, ParseErrorKind};
use crate::syntax::print::print_path;

/// The state of a node without a value, in the order of the report.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Tag {
    /// Its own expression failed.
    Error,
    /// It is part of a cycle, or depends on one.
    Cycle,
    /// It depends on a node that failed.
    Dependent,
}

impl Tag {
    /// As it is printed.
    pub fn text(self) -> &'static str {
        match self {
            Self::Error => "*",
            Self::Cycle => "@",
            Self::Dependent => "-",
        }
    }
}

/// A line of the report.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// The expression with its brackets, or the text that is no expression.
    pub expr: String,
    /// The file.
    pub file: EcoString,
    /// The path of the node.
    pub path: String,
    /// The path looked up in stubs.
    pub stub_path: String,
    /// Its state.
    pub tag: Tag,
    /// The failure in words; may be empty.
    pub issue: EcoString,
    /// The failures that it led to, the outermost first, such as calls of lambdas.
    pub outer: Vec<OuterFailure>,
    /// Details that the original does not report.
    pub detail: Option<EcoString>,
    /// Lines of nodes that are the reason.
    pub nested: Vec<Self>,
    /// Its place.
    pub place: Place,
    /// The byte offset between the brackets of a syntax error.
    pub at: Option<usize>,
    /// The kind of the syntax error.
    pub syntax: Option<ParseErrorKind>,
    /// Its cause.
    pub cause: Cause,
    /// The node.
    pub node: InstId,
}

/// A failure that another one led to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OuterFailure {
    /// In words.
    pub text: EcoString,
    /// Whether a lambda was called: the text says that it failed, but not the reason.
    pub is_lambda: bool,
}

/// A place: file number and bytes.
pub type Place = (u32, ordain_source::TextRange);

/// The cause of a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cause {
    /// The expression itself, or an unknown cause.
    Own,
    /// The value has to come from stubs, and none has it.
    Stubs {
        /// The path in the stubs.
        path: String,
        /// The stubs, those that win first.
        searched: Vec<StubSearch>,
    },
    /// No built-in function has this name.
    UnknownFunction(String),
    /// A name is not known.
    Name {
        /// The path up to the missing step.
        path: String,
        /// A similar path.
        near: Option<String>,
    },
    /// These nodes wait for each other in a cycle.
    Loop(Vec<Related>),
    /// It waits for this node, directly or not.
    Waits(Related),
}

impl Cause {
    /// The paths that it names, to be changed.
    pub fn texts_mut(&mut self) -> Vec<&mut String> {
        match self {
            Self::Own => Vec::new(),
            Self::UnknownFunction(name) => vec![name],
            Self::Stubs { path, searched } => {
                let stubs = searched.iter_mut();
                let texts =
                    stubs.flat_map(|stub| [&mut stub.has].into_iter().chain(&mut stub.near));
                std::iter::once(path).chain(texts).collect()
            }
            Self::Name { path, near } => [path].into_iter().chain(near).collect(),
            Self::Loop(nodes) => nodes.iter_mut().map(|node| &mut node.path).collect(),
            Self::Waits(node) => vec![&mut node.path],
        }
    }
}

/// A stub that was searched.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StubSearch {
    /// Its name.
    pub stub: EcoString,
    /// The longest prefix of the path that it has; empty if none.
    pub has: String,
    /// A path that is similar to the missing one.
    pub near: Option<String>,
}

/// A node that has to do with another one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Related {
    /// Its path.
    pub path: String,
    /// Its place.
    pub place: Place,
    /// The node.
    pub node: InstId,
}

/// The cause of a failure, as far as its kind determines it.
fn cause_of(kind: &FailureKind) -> Cause {
    match kind {
        FailureKind::NotInStubs(path) => {
            Cause::Stubs { path: path.to_string(), searched: Vec::new() }
        }
        FailureKind::NotFound(path) => Cause::Name { path: path.to_string(), near: None },
        FailureKind::UnknownFunction(name) => Cause::UnknownFunction(name.to_string()),
        _ => Cause::Own,
    }
}

/// The legend below the report.
const LEGEND: &str = "error classification:\n *: error in local dynaml expression\n @: dependent of \
                      or involved in a cycle\n -: depending on a node with an error\n";

/// The whole report.
pub fn text(lines: &[Line], dialect: Dialect) -> String {
    let mut out = body(lines, dialect);
    out.push_str(" \n");
    out.push_str(LEGEND);
    out
}

/// The report without its legend.
pub fn body(lines: &[Line], dialect: Dialect) -> String {
    let mut out = String::from("unresolved nodes:");
    match dialect {
        Dialect::Spiff => push(&mut out, lines, 1),
        Dialect::SpiffPlusPlus => push_plus(&mut out, lines),
    }
    out
}

/// The lines in the form of spiff++.
fn push_plus(out: &mut String, lines: &[Line]) {
    for line in sorted(lines) {
        let text = line.failure_text().map(|text| format!("\t{}{text}", line.tag.text()));
        let _ = write!(
            out,
            "\n\t{}\tin {}\t{}\t({}){}{}",
            line.expr.replace('\n', "\n\t"),
            line.file,
            line.path,
            line.stub_path,
            text.unwrap_or_default(),
            line.reasons()
        );
    }
}

impl Line {
    /// The text that spiff++ shows first.
    fn failure_text(&self) -> Option<&EcoString> {
        let outer = self.outer.first().map(|outer| &outer.text);
        outer.or(Some(&self.issue)).filter(|text| !text.is_empty())
    }

    /// The lines below: the inner failures, and the nodes that cause them.
    fn reasons(&self) -> String {
        let mut out = String::new();
        let outer = self.outer.iter().skip(1).map(|outer| &outer.text);
        for inner in outer.chain((!self.outer.is_empty()).then_some(&self.issue)) {
            let _ = write!(out, "\n\t\t... {inner}");
        }
        for line in sorted(&self.nested) {
            let text = line.failure_text().map(|text| format!("{}{text}", line.tag.text()));
            let text = format!(
                "\n{}\tin {}\t{}\t({}){}{}",
                line.expr,
                line.file,
                line.path,
                line.stub_path,
                text.unwrap_or_default(),
                line.reasons()
            );
            out.push_str(&text.replace('\n', "\n\t\t\t"));
        }
        out
    }
}

/// Those with errors of their own first, dependent ones last.
fn sorted(lines: &[Line]) -> Vec<&Line> {
    let mut sorted: Vec<&Line> = lines.iter().collect();
    sorted.sort_by_key(|l| l.tag);
    sorted
}

fn push(out: &mut String, lines: &[Line], depth: usize) {
    for line in sorted(lines) {
        let tabs = "\t".repeat(depth);
        let _ = write!(
            out,
            "\n{tabs}{}\tin {}\t{}\t({})",
            line.expr, line.file, line.path, line.stub_path
        );
        if !line.issue.is_empty() {
            let _ = write!(out, "\t{}{}", line.tag.text(), line.issue);
        }
        push(out, &line.nested, depth + 1);
    }
}

impl Evaluator<'_> {
    /// The nodes below a node that failed or wait for others, in the order of the printed document.
    pub(crate) fn troubled(&self, id: InstId) -> Vec<InstId> {
        let mut out = Vec::new();
        self.collect(id, &mut out, 0);
        out
    }

    fn collect(&self, id: InstId, out: &mut Vec<InstId>, depth: u32) {
        const MAX_DEPTH: u32 = 2000;
        if depth > MAX_DEPTH {
            return;
        }
        match &self.nodes[id].reached {
            Memo::Done(Err(_)) => {
                let reported =
                    self.nodes[id].extra.as_ref().map(|e| &e.reported[..]).unwrap_or_default();
                let before = out.len();
                for node in reported {
                    self.collect(*node, out, depth + 1);
                }
                if out.len() == before {
                    out.push(id);
                }
            }
            Memo::Done(Ok(NodeLookup::Node(node, _))) => {
                if *node != id {
                    return self.collect(*node, out, depth + 1);
                }
                self.collect_children(id, out, depth);
            }
            _ => {}
        }
    }

    fn collect_children(&self, id: InstId, out: &mut Vec<InstId>, depth: u32) {
        let Some(extra) = self.nodes[id].extra.as_ref() else { return };
        if extra.fault.is_some() {
            out.push(id);
        }
        match &extra.children {
            Some(Memo::Done(Ok(children))) => match &**children {
                Children::Map(entries) => {
                    for (_, child) in entries {
                        self.collect(*child, out, depth + 1);
                    }
                }
                Children::List(entries, ..) => {
                    for child in entries {
                        self.collect(*child, out, depth + 1);
                    }
                }
            },
            Some(Memo::Done(Err(_))) => {
                let before = out.len();
                for insert in &extra.inserts {
                    self.collect(*insert, out, depth + 1);
                }
                if out.len() == before {
                    out.push(id);
                }
                for node in &extra.reported {
                    self.collect(*node, out, depth + 1);
                }
            }
            _ => {}
        }
    }

    /// The report on the nodes below a node.
    pub fn report(&self, root: InstId) -> Vec<Line> {
        let dependent = self.dependent_nodes();
        self.lines(root, &dependent, 0, None)
    }

    fn lines(
        &self,
        root: InstId,
        dependent: &FxHashSet<InstId>,
        depth: u32,
        base: Option<InstId>,
    ) -> Vec<Line> {
        const MAX_DEPTH: u32 = 50;
        if depth > MAX_DEPTH {
            return Vec::new();
        }
        let troubled = self.troubled(root);
        troubled.into_iter().map(|id| self.line(id, dependent, depth, base)).collect()
    }

    pub(super) fn stop_of(&self, id: InstId) -> Option<&Stop> {
        if let Memo::Done(Err(stop)) = &self.nodes[id].reached {
            return Some(stop);
        }
        let extra = self.nodes[id].extra.as_ref()?;
        match &extra.children {
            Some(Memo::Done(Err(stop))) => Some(stop),
            _ => extra.fault.as_ref(),
        }
    }

    /// The syntax error in the expression of a node, if it has one.
    fn syntax_error(&self, id: InstId) -> Option<&ParseError> {
        let Body::Src(src) = &self.nodes[id].body else { return None };
        match &self.sources.nodes[*src].kind {
            SrcKind::Broken(_, error) => Some(error),
            _ => None,
        }
    }

    fn line(
        &self,
        id: InstId,
        dependent: &FxHashSet<InstId>,
        depth: u32,
        base: Option<InstId>,
    ) -> Line {
        // spiff++ shows the node in place of a template without a path.
        let in_place = self.options.dialect == Dialect::SpiffPlusPlus && base == Some(id);
        let shown = if in_place { Vec::new() } else { self.shown_steps(id, base) };
        let mut line = Line {
            expr: self.expr_text(id),
            file: self.file_of(id),
            path: shown.join("."),
            stub_path: self.shown_stub_path(id, &shown),
            tag: Tag::Error,
            issue: EcoString::new(),
            outer: Vec::new(),
            detail: None,
            nested: Vec::new(),
            place: {
                let src = &self.sources.nodes[self.source_of(id)];
                (src.file, src.span)
            },
            at: self.syntax_error(id).map(|error| error.at),
            syntax: self.syntax_error(id).map(|error| error.kind.clone()),
            cause: Cause::Own,
            node: id,
        };
        let nested = match self.stop_of(id) {
            Some(Stop::Failed(issue)) => {
                let mut issue = issue;
                while let Some(inner) = &issue.inner {
                    let is_lambda = issue.kind == FailureKind::Lambda;
                    line.outer.push(OuterFailure { text: issue.text.clone(), is_lambda });
                    issue = inner;
                }
                line.issue = issue.text.clone();
                line.cause = cause_of(&issue.kind);
                line.detail.clone_from(&issue.detail);
                &issue.nested[..]
            }
            Some(Stop::Blocked(blocked)) => {
                line.issue = blocked.text.clone();
                line.tag = match dependent.contains(&id) {
                    _ if self.is_error_of_plus(blocked) => Tag::Error,
                    true => Tag::Dependent,
                    false => Tag::Cycle,
                };
                &blocked.nested[..]
            }
            _ => &[],
        };
        for node in nested {
            line.nested.extend(self.lines(*node, dependent, depth + 1, Some(*node)));
        }
        line
    }

    /// The expression of a node, if it is one.
    pub(crate) fn expr_of(&self, id: InstId) -> Option<ExprId> {
        if let Some(expr) = self.nodes[id].extra.as_ref().and_then(|e| e.again) {
            return Some(expr);
        }
        match &self.nodes[id].body {
            Body::Expr(expr, _) => Some(*expr),
            Body::Src(src) => match &self.sources.nodes[*src].kind {
                SrcKind::Expr(expr) => Some(*expr),
                _ => None,
            },
            Body::Value(_) => None,
        }
    }

    fn expr_text(&self, id: InstId) -> String {
        if let Some(expr) = self.expr_of(id) {
            return self.sources.shown(self.whole_expr(id).unwrap_or(expr));
        }
        match &self.nodes[id].body {
            Body::Value(item) => item.value.as_str().map(ToString::to_string).unwrap_or_default(),
            Body::Src(src) => match &self.sources.nodes[*src].kind {
                SrcKind::Broken(text, _) => text.to_string(),
                SrcKind::Map(map) if map.control => {
                    let keys = map.entries.iter().map(|e| e.0.as_str());
                    crate::eval::control::named(keys)
                        .map_or_else(|| "<map>".into(), |name| format!("<{name} control>"))
                }
                SrcKind::Map(_) => "<map>".into(),
                SrcKind::List(_) => "<list>".into(),
                SrcKind::Value(_) | SrcKind::Expr(_) => String::new(),
            },
            Body::Expr(..) => String::new(),
        }
    }

    /// Whether the keys of a map look like those of a control structure, but form none.
    fn is_no_control(&self, id: InstId) -> bool {
        self.map_source(id).is_some_and(|map| {
            map.control
                && crate::eval::control::named(map.entries.iter().map(|e| e.0.as_str())).is_none()
        })
    }

    /// The expression of an insert with its markers.
    fn whole_expr(&self, id: InstId) -> Option<ExprId> {
        match &self.nodes[id].body {
            Body::Src(src) => self.sources.whole.get(src).copied(),
            _ => None,
        }
    }

    /// The path in stubs is shown if the expression looks there.
    fn shown_stub_path(&self, id: InstId, shown: &[EcoString]) -> String {
        let expr = self.expr_of(id);
        match expr.map(|expr| &self.sources.exprs[expr]) {
            Some(Expr::Merge(merge)) if self.whole_expr(id).is_none() => match &merge.redirect {
                Some(path) if merge.absolute => format!(".{}", print_path(path)),
                Some(path) => print_path(path),
                None => self.stub_path(id),
            },
            Some(Expr::Auto) => self.context_path(id).join("."),
            Some(_) if self.options.dialect == Dialect::SpiffPlusPlus => self.issue_path(id, shown),
            None if self.options.dialect == Dialect::SpiffPlusPlus && self.is_no_control(id) => {
                self.issue_path(id, shown)
            }
            _ => String::new(),
        }
    }

    /// Whether spiff++ calls it an error: a template or document in which something waits.
    fn is_error_of_plus(&self, blocked: &Blocked) -> bool {
        self.options.dialect == Dialect::SpiffPlusPlus && !blocked.nested.is_empty()
    }

    /// The blocked nodes that wait, directly or not, for a node that failed.
    fn dependent_nodes(&self) -> FxHashSet<InstId> {
        let mut waiting: FxHashMap<InstId, Vec<InstId>> = FxHashMap::default();
        let mut found: FxHashSet<InstId> = FxHashSet::default();
        let mut todo = Vec::new();
        for (id, node) in self.nodes.iter() {
            if let Memo::Done(Err(Stop::Blocked(blocked))) = &node.reached {
                let is_error = self.is_error_of_plus(blocked);
                if is_error || (blocked.failed && found.insert(id)) {
                    todo.push(id);
                }
                for wait in &blocked.waits {
                    waiting.entry(*wait).or_default().push(id);
                }
            }
        }
        while let Some(id) = todo.pop() {
            for waiter in waiting.get(&id).into_iter().flatten() {
                if found.insert(*waiter) {
                    todo.push(*waiter);
                }
            }
        }
        found
    }
}
