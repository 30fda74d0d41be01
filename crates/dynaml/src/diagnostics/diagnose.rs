//! Converts errors of a run to diagnostics: with the place, the missing value, the searched stubs,
//! and one diagnostic per cause instead of one per dependent node.

use ordain_data::yaml::Tree;
use ordain_source::{Diagnostic, FileId, SourceMap, Span, suggest, with_masked_passwords};
use rustc_hash::{FxHashMap, FxHashSet};

use super::codes::{
    CYCLE, DUPLICATE_KEY, FAILED, INVALID_YAML, NOT_FOUND, NOT_IN_STUBS, SYNTAX, UNKNOWN_FUNCTION,
    UNRESOLVED,
};
use super::hints::with_hints;
use super::places::{exact_place, part_place, with_yaml_hints};
use super::report::{Cause, Line, Place, Related, StubSearch};
use crate::check::open::open_expressions;
use crate::ids::InstId;
use crate::input::Input;
use crate::load::LoadError;
use crate::session::{Error, Output, Unresolved};
use crate::syntax::ast::MERGE_WORDS;

/// The maximum number of named nodes that depend on a failed one.
const MAX_NAMED: usize = 3;

/// The diagnostics of an error. The inputs are those of the request; all texts are added to the
/// sources.
pub fn diagnostics(error: &Error, inputs: &[&Input], sources: &SourceMap) -> Vec<Diagnostic> {
    match error {
        Error::Input { role, name, error } => {
            let LoadError { kind, message, span, .. } = error;
            let out = Diagnostic::error(INVALID_YAML, message.to_owned()).issue(*role);
            match inputs.iter().find(|i| i.name == *name) {
                Some(input) => {
                    let file = add(sources, input);
                    let out = out.at(span.in_file(file));
                    vec![with_yaml_hints(out, kind, &input.text, (file, *span))]
                }
                None => vec![out],
            }
        }
        Error::Unresolved(found) => unresolved(found, sources),
        Error::Other(message) => vec![Diagnostic::error(FAILED, message.clone())],
    }
}

/// A file as messages show it: without passwords in addresses.
fn add(sources: &SourceMap, input: &Input) -> FileId {
    sources.add(&*input.name, &*with_masked_passwords(&input.text))
}

pub(crate) fn unresolved(found: &Unresolved, sources: &SourceMap) -> Vec<Diagnostic> {
    let files: Vec<(FileId, &Input)> = found.files.iter().map(|i| (add(sources, i), i)).collect();
    let reporter = Reporter { files: &files };
    let mut waiting: FxHashMap<InstId, Vec<&Line>> = FxHashMap::default();
    let known: FxHashSet<InstId> = found.lines.iter().map(|l| l.node).collect();
    for line in &found.lines {
        if let Cause::Waits(other) = &line.cause {
            waiting.entry(other.node).or_default().push(line);
        }
    }
    let mut looped: FxHashSet<InstId> = FxHashSet::default();
    let mut out = Vec::new();
    for line in &found.lines {
        let followers = |nodes: &[InstId]| -> Vec<&Line> {
            nodes.iter().flat_map(|n| waiting.get(n).into_iter().flatten().copied()).collect()
        };
        match &line.cause {
            Cause::Waits(other) if known.contains(&other.node) => {}
            Cause::Loop(nodes) => {
                if looped.contains(&line.node) {
                    continue;
                }
                looped.extend(nodes.iter().map(|n| n.node));
                let nodes_: Vec<InstId> = nodes.iter().map(|n| n.node).collect();
                let diagnostic = reporter.cycle(line, nodes);
                out.push(reporter.followers(diagnostic, &followers(&nodes_)));
            }
            _ => {
                let diagnostic = reporter.line(line);
                out.push(reporter.followers(diagnostic, &followers(&[line.node])));
            }
        }
    }
    out
}

/// Warnings about a successful run. All texts are added to the sources.
pub fn warnings(output: &Output, sources: &SourceMap) -> Vec<Diagnostic> {
    let mut out = duplicate_keys(output, sources);
    for input in output.files.iter().filter(|input| may_be_open(&input.text)) {
        let Ok(trees) = Tree::parse_all(&input.text) else { continue };
        let file = add(sources, input);
        trees.iter().for_each(|tree| open_expressions(tree, file, &mut out));
    }
    out
}

/// Whether an expression may lack its end: a line contains its beginning only.
fn may_be_open(text: &str) -> bool {
    text.lines().any(|line| {
        line.rfind("((").is_some_and(|at| {
            let rest = line[at..].trim_end_matches([' ', '"', '\'', '\r', ',', ']', '}']);
            !rest.ends_with("))")
        })
    })
}

fn duplicate_keys(output: &Output, sources: &SourceMap) -> Vec<Diagnostic> {
    let one = |place: &Place| {
        let input = output.files.get(place.0 as usize)?;
        let file = add(sources, input);
        let key = input.text.get(place.1.start as usize..place.1.end as usize)?;
        let text = format!("the key `{key}` is there twice");
        let found = Diagnostic::warning(DUPLICATE_KEY, text);
        Some(found.labelled(place.1.in_file(file), "this one counts"))
    };
    output.duplicates.iter().filter_map(one).collect()
}

struct Reporter<'f> {
    files: &'f [(FileId, &'f Input)],
}

impl Reporter<'_> {
    fn span(&self, place: Place) -> Option<Span> {
        let (file, _) = self.files.get(place.0 as usize)?;
        Some(place.1.in_file(*file))
    }

    /// The place of a line; for a syntax error the exact position, if known.
    fn place(&self, line: &Line) -> Option<Span> {
        let (file, input) = self.files.get(line.place.0 as usize)?;
        let part = match &line.cause {
            Cause::Name { path, .. } => Some(path.to_string()),
            Cause::UnknownFunction(name) => Some(name.clone()),
            _ => None,
        };
        let part = part.and_then(|part| part_place(&input.text, line.place.1, &part));
        let exact = || exact_place(&input.text, line.place.1, &line.expr, line.at);
        Some(part.unwrap_or_else(exact).in_file(*file))
    }

    fn line(&self, line: &Line) -> Diagnostic {
        let (code, message, label) = words(line);
        let mut out = Diagnostic::error(code, message).issue(line.issue.to_string());
        if let Some(span) = self.place(line) {
            out = out.labelled(span, label);
        }
        match &line.cause {
            Cause::Stubs { path, searched } => {
                if let Some(near) = suggest::nearest(path, MERGE_WORDS) {
                    out = out.help(format!("did you mean `merge {near}`?"));
                }
                out = stub_help(out, searched);
            }
            Cause::Name { path, .. } if asks_for(&line.expr, path) => {
                out = out.help(
                    "it takes `name` and `instances` from around the node, and the addresses from \
                     `networks.NAME.subnets` of the document",
                );
            }
            Cause::Name { near: Some(near), .. } => {
                out = out.help(format!("did you mean `{near}`?"));
            }
            Cause::UnknownFunction(name) => {
                let table = crate::functions::table();
                if let Some(near) = suggest::nearest(name, table.keys().copied()) {
                    out = out.help(format!("did you mean `{near}`?"));
                } else if let Some((_, input)) = self.files.get(line.place.0 as usize)
                    && input.text.lines().any(|l| {
                        l.trim_start().strip_prefix(name).is_some_and(|rest| rest.starts_with(':'))
                    })
                {
                    out = out.help(format!("a lambda under this key is called by `.{name}(…)`"));
                }
            }
            Cause::Own if code == SYNTAX => {
                if let (Some((file, input)), Some(span), Some(kind)) =
                    (self.files.get(line.place.0 as usize), self.place(line), &line.syntax)
                {
                    out = with_hints(out, kind, &input.text, (*file, span.range));
                }
            }
            _ => {}
        }
        for nested in line.nested.iter().take(MAX_NAMED) {
            if let Some(span) = self.span(nested.place) {
                let text =
                    if nested.issue.is_empty() { "this has no value" } else { &nested.issue };
                out = out.related(span, text);
            }
        }
        out
    }

    fn cycle(&self, line: &Line, nodes: &[Related]) -> Diagnostic {
        let mut names: Vec<String> = nodes.iter().map(|n| format!("`{}`", n.path)).collect();
        names.extend(names.first().cloned());
        let message = match nodes {
            [one] => format!("`{}` needs its own value", one.path),
            [one, other] if is_around(other, one) => {
                format!("`{}` needs all of `{}`, of which it is a part", one.path, other.path)
            }
            _ => format!("values wait for each other: {}", names.join(" -> ")),
        };
        let mut out = Diagnostic::error(CYCLE, message).issue(line.issue.to_string());
        for (at, node) in nodes.iter().enumerate() {
            let next = nodes.get(at + 1).unwrap_or(&nodes[0]);
            let Some(span) = self.span(node.place) else { continue };
            let text = if nodes.len() == 1 {
                "this means the node itself".into()
            } else {
                format!("`{}` needs `{}`", node.path, next.path)
            };
            if out.primary.is_none() {
                out = out.labelled(span, text);
            } else if nodes.len() > 2 || !is_around(node, &nodes[0]) {
                out = out.related(span, text);
            }
        }
        out
    }

    fn followers(&self, mut out: Diagnostic, lines: &[&Line]) -> Diagnostic {
        for line in lines.iter().take(MAX_NAMED) {
            if let Some(span) = self.span(line.place) {
                out = out.related(span, format!("`{}` needs it", line.path));
            }
        }
        match lines.len().checked_sub(MAX_NAMED) {
            Some(0) | None => out,
            Some(1) => out.help("one more node needs it"),
            Some(more) => out.help(format!("{more} more nodes need it")),
        }
    }
}

/// Whether a node is an ancestor of another.
fn is_around(node: &Related, other: &Related) -> bool {
    node.path == "the document"
        || other.path.strip_prefix(&node.path).is_some_and(|rest| rest.starts_with('.'))
}

/// Whether an expression looks up a path through a function instead of naming it.
fn asks_for(expr: &str, path: &str) -> bool {
    let names = ["name", "instances"].contains(&path)
        || path.trim_start_matches('.').starts_with("networks.");
    names && expr.contains("static_ips(") && !expr.contains(path)
}

/// The code, the message, and the label of the place.
fn words(line: &Line) -> (&'static str, String, String) {
    match &line.cause {
        Cause::Stubs { path, searched } => {
            let message = match &searched[..] {
                [] => format!("`{path}` is wanted from a stub, and there is none"),
                [one] => format!("`{path}` is not in the stub {}", one.stub),
                several => format!("`{path}` is in none of the {} stubs", several.len()),
            };
            (NOT_IN_STUBS, message, format!("`{}` needs it", line.path))
        }
        Cause::Name { path, .. } if asks_for(&line.expr, path) => {
            let message = format!("`static_ips` needs `{path}`, which is not found");
            (NOT_FOUND, message, format!("`{}` needs it", line.path))
        }
        Cause::Name { path, .. } => {
            (NOT_FOUND, format!("`{path}` is not found"), format!("`{}` needs it", line.path))
        }
        Cause::Waits(_) | Cause::Loop(_) => {
            (UNRESOLVED, format!("`{}` has no value", line.path), line.issue.to_string())
        }
        Cause::Own if line.at.is_some() => {
            let detail = line.detail.as_deref().unwrap_or("it is none");
            (SYNTAX, format!("this is no expression: {detail}"), String::new())
        }
        Cause::UnknownFunction(_) => (UNKNOWN_FUNCTION, line.issue.to_string(), String::new()),
        Cause::Own => {
            let issue = match line.outer.iter().rfind(|outer| !outer.is_lambda) {
                Some(outer) => format!("{}: {}", outer.text, line.issue),
                None => line.issue.to_string(),
            };
            let message = match (issue.as_str(), &line.detail) {
                ("", None) => format!("`{}` has no value", line.path),
                ("", Some(detail)) => detail.to_string(),
                (issue, None) => issue.to_owned(),
                (issue, Some(detail)) => format!("{issue}\n{detail}"),
            };
            (FAILED, message, format!("the value of `{}`", line.path))
        }
    }
}

fn stub_help(mut out: Diagnostic, stubs: &[StubSearch]) -> Diagnostic {
    for found in stubs {
        let has = match (found.has.as_str(), &found.near) {
            ("", None) => "has nothing of it".to_owned(),
            (has, None) => format!("has `{has}` and no more of it"),
            (_, Some(near)) => format!("has `{near}` instead; is it that?"),
        };
        out = out.help(format!("searched {}: it {has}", found.stub));
    }
    if stubs.is_empty() {
        out.help("give a stub that has it, or write `(( merge || x ))`")
    } else {
        out
    }
}
