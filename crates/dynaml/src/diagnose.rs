//! What is wrong with a run as diagnostics: with its place, what was needed, where it was looked
//! for, and one diagnostic a cause, not one for each node that depends on it.

use ordain_data::yaml::advice;
use ordain_data::yaml::{Tree, Written};
use ordain_source::{
    CodeDoc, Diagnostic, FileId, SourceMap, Span, TextRange, suggest, with_masked_passwords,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::check::open_expressions;
use crate::eval::tree::InstId;
use crate::hint::with_hints;
use crate::report::{Cause, Line, Place, Related, Searched};
use crate::session::{Error, Input, Output, Unresolved};

/// An expression that cannot be parsed.
pub const SYNTAX: &str = "dynaml::syntax";
/// A file that is no YAML that can be merged.
pub const INVALID_YAML: &str = "dynaml::invalid-yaml";
/// What is wanted from stubs is in none of them.
pub const NOT_IN_STUBS: &str = "dynaml::not-in-stubs";
/// A name or path is not known.
pub const NOT_FOUND: &str = "dynaml::not-found";
/// A built-in function is not known.
pub const UNKNOWN_FUNCTION: &str = "dynaml::unknown-function";
/// Values wait for each other.
pub const CYCLE: &str = "dynaml::cycle";
/// An expression has no value for another reason.
pub const FAILED: &str = "dynaml::failed";
/// A node depends on something that has no value.
pub const UNRESOLVED: &str = "dynaml::unresolved";
/// A key that is there twice.
pub const DUPLICATE_KEY: &str = "dynaml::duplicate-key";

/// A text that begins like an expression.
pub const OPEN_EXPRESSION: &str = "dynaml::open-expression";

/// The codes of this front end.
pub const CODES: &[CodeDoc] = &[
    CodeDoc {
        code: CYCLE,
        summary: "values wait for each other in a loop",
        details: "Each of these expressions needs the value of the next, and the last one that of \
                  the first:\n\n    a: (( b ))\n    b: (( a ))\n\nA reference to a map waits for \
                  all that is in it, so an expression cannot refer to a map that it is part of: \
                  refer to the entry that is needed. A reference looks first at the map it stands \
                  in, so `foo: (( foo ))` means itself; `.foo` starts at the root.",
    },
    CodeDoc {
        code: DUPLICATE_KEY,
        summary: "a map has a key twice",
        details: "Of equal keys the last one counts, as it does in spiff, and the others have no \
                  effect:\n\n    port: 80\n    port: 81\n\nTake them away, or rename them.",
    },
    CodeDoc {
        code: FAILED,
        summary: "an expression has no value",
        details: "The message is that of the operator or function that failed:\n\n    a: (( 1 + \
                  \"x\" ))\n\nWhat stubs have at the same path would be taken in its place. Write \
                  `e || x` to get `x` if `e` fails.",
    },
    CodeDoc {
        code: INVALID_YAML,
        summary: "a file is no YAML that can be merged",
        details: "Templates and stubs are YAML documents whose keys are texts. `yes`, `on`, `1` \
                  and the like are no texts:\n\n    on: push\n\nPut them in quotes.",
    },
    CodeDoc {
        code: NOT_FOUND,
        summary: "a name or path is not known",
        details: "The first step of a reference is looked for in the map it stands in, then in the \
                  maps around; the first that has it decides, and the rest of the path has to be \
                  there:\n\n    a: {b: 1}\n    c: (( a.x ))\n\nA leading dot starts at the root of \
                  the document. Write `a.x || 1` if it may be missing.",
    },
    CodeDoc {
        code: NOT_IN_STUBS,
        summary: "no stub has what the template wants",
        details: "An expression takes from stubs what they have at the path of its node, or at \
                  another one:\n\n    a: (( merge ))\n    b: (( merge other.path ))\n\nThe message \
                  lists the stubs in the order in which they were searched, and how much of the \
                  path each has. Give a stub that has it, or write `merge || x`.",
    },
    CodeDoc {
        code: OPEN_EXPRESSION,
        summary: "a text begins like an expression and does not end like one",
        details: "Only a text that is wholly in double brackets is an expression; any other is \
                  taken as it is, here with a bracket that is missing, and with a line break at \
                  the end:\n\n    a: (( b )\n    c: |\n      (( d ))\n\nClose the brackets; \
                  a block without a line break at its end begins with `|-` or `>-`.",
    },
    CodeDoc {
        code: SYNTAX,
        summary: "an expression cannot be parsed",
        details: "A text that is wholly in double brackets is an expression, and this one is \
                  none:\n\n    a: (( 1+2 ))\n\nBinary operators need blanks around them: write `1 \
                  + 2`. A text that only looks like an expression is written `((! … ))`.",
    },
    CodeDoc {
        code: UNKNOWN_FUNCTION,
        summary: "there is no function of this name",
        details: "A name before an opening bracket is a built-in function:\n\n    a: (( jion(\",\", \
                  l) ))\n\nCorrect the name. A lambda under the key `f` is called by a path: write \
                  `.f(1)`, or `x.f(1)`.",
    },
    CodeDoc {
        code: UNRESOLVED,
        summary: "a value depends on one that is not there",
        details: "The expression may be right, but something that it waits for has no value:\n\n    \
                  a: (( b.c ))\n    b: (( eval(x) ))\n\nLook at the nodes that it names.",
    },
];

/// How many nodes are named that depend on one that failed.
const NAMED: usize = 3;

/// The diagnostics of an error. The inputs are those of the request; all texts are added to the
/// sources.
pub fn diagnostics(error: &Error, inputs: &[&Input], sources: &SourceMap) -> Vec<Diagnostic> {
    match error {
        Error::Input { role, name, message, span, .. } => {
            let out = Diagnostic::error(INVALID_YAML, message.to_owned()).issue(*role);
            match inputs.iter().find(|i| i.name == *name) {
                Some(input) => {
                    let file = add(sources, input);
                    let out = out.at(span.in_file(file));
                    vec![with_yaml_hints(out, message, &input.text, (file, *span))]
                }
                None => vec![out],
            }
        }
        Error::Unresolved(found) => unresolved(found, sources),
        Error::Other(message) => vec![Diagnostic::error(FAILED, message.clone())],
    }
}

/// A file as messages show it: without the passwords of addresses.
fn add(sources: &SourceMap, input: &Input) -> FileId {
    sources.add(&*input.name, &*with_masked_passwords(&input.text))
}

fn unresolved(found: &Unresolved, sources: &SourceMap) -> Vec<Diagnostic> {
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

/// The place in a scalar at which its text stops being an expression; the whole scalar if that
/// cannot be said.
pub(crate) fn exact_place(
    text: &str,
    scalar: TextRange,
    expression: &str,
    at: Option<usize>,
) -> TextRange {
    let exact = || {
        let written = Written::new(text, scalar);
        let at = written.text.find(expression)? + 2 + at?;
        let end = at + written.text.get(at..)?.chars().next()?.len_utf8();
        let [at, end] = [at, end].map(u32::try_from);
        let place = written.places.range(TextRange::new(at.ok()?, end.ok()?));
        (place.start < place.end && place.end <= scalar.end).then_some(place)
    };
    exact().unwrap_or(scalar)
}

/// The place of a part of the text of a scalar, if it stands there as it is.
pub(crate) fn part_place(text: &str, scalar: TextRange, part: &str) -> Option<TextRange> {
    let written = text.get(scalar.start as usize..scalar.end as usize)?;
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-');
    let (at, _) = written.match_indices(part).find(|(at, part)| {
        let before = written[..*at].chars().next_back();
        let after = written[at + part.len()..].chars().next();
        let goes_on = part.ends_with(is_word) && after.is_some_and(is_word);
        !before.is_some_and(is_word) && !goes_on
    })?;
    let start = scalar.start + at as u32;
    Some(TextRange::new(start, start + part.len() as u32))
}

/// Adds to an error of YAML what may be behind it.
pub(crate) fn with_yaml_hints(
    error: Diagnostic,
    message: &str,
    text: &str,
    (file, at): (FileId, TextRange),
) -> Diagnostic {
    let start = (at.start as usize).min(text.len());
    let written = text.get(start..at.end as usize).unwrap_or("");
    if message.starts_with("map key must be a string") {
        let help = format!("YAML reads `{written}` as another value than a text");
        return error.help(format!("{help}: write \"{written}\":"));
    }
    let line = text[..start].rfind('\n').map_or(0, |n| n + 1);
    if message.starts_with("mapping values are not allowed") && text[line..start].contains("((") {
        return error.help("an expression with `: ` in it stands in single quotes: '(( … ))'");
    }
    let advice = advice(message, text, at);
    let error = match advice.place == at && advice.label.is_empty() {
        true => error,
        false => error.move_to(advice.place.in_file(file), advice.label),
    };
    match advice.help {
        Some(help) => error.help(help),
        None => error,
    }
}

/// Warnings about a run that went well. All texts are added to the sources.
pub fn warnings(output: &Output, sources: &SourceMap) -> Vec<Diagnostic> {
    let mut out = duplicate_keys(output, sources);
    for input in output.files.iter().filter(|input| may_be_open(&input.text)) {
        let Ok(trees) = Tree::parse_all(&input.text) else { continue };
        let file = add(sources, input);
        trees.iter().for_each(|tree| open_expressions(tree, file, &mut out));
    }
    out
}

/// Whether an expression may be open: a line has its beginning and not its end.
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

/// The words behind `merge` that say how.
const MERGES: [&str; 3] = ["replace", "required", "none"];

struct Reporter<'f> {
    files: &'f [(FileId, &'f Input)],
}

impl Reporter<'_> {
    fn span(&self, place: Place) -> Option<Span> {
        let (file, _) = self.files.get(place.0 as usize)?;
        Some(place.1.in_file(*file))
    }

    /// The place of a line; where an expression stops being one, if that is known.
    fn place(&self, line: &Line) -> Option<Span> {
        let (file, input) = self.files.get(line.place.0 as usize)?;
        let part = match &line.cause {
            Cause::Name { path, .. } => Some(path.to_string()),
            Cause::Own if line.issue.starts_with("unknown function") => {
                line.issue.split('\'').nth(1).map(ToOwned::to_owned)
            }
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
            Cause::Stubs(stubs) => {
                let path = line.issue.strip_suffix(" not found in any stub").unwrap_or_default();
                if let Some(near) = suggest::nearest(path.trim_matches('\''), MERGES) {
                    out = out.help(format!("did you mean `merge {near}`?"));
                }
                out = stub_help(out, stubs);
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
            Cause::Own if code == UNKNOWN_FUNCTION => {
                let table = crate::functions::table();
                let name = line.issue.split('\'').nth(1).unwrap_or_default();
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
                let detail = line.detail.as_deref().unwrap_or_default();
                if let (Some((file, input)), Some(span)) =
                    (self.files.get(line.place.0 as usize), self.place(line))
                {
                    out = with_hints(out, detail, &input.text, (*file, span.range));
                }
            }
            _ => {}
        }
        for nested in line.nested.iter().take(NAMED) {
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
        for line in lines.iter().take(NAMED) {
            if let Some(span) = self.span(line.place) {
                out = out.related(span, format!("`{}` needs it", line.path));
            }
        }
        match lines.len().checked_sub(NAMED) {
            Some(0) | None => out,
            Some(1) => out.help("one more node needs it"),
            Some(more) => out.help(format!("{more} more nodes need it")),
        }
    }
}

/// Whether a node is the map or list that another one is part of.
fn is_around(node: &Related, other: &Related) -> bool {
    node.path == "the document"
        || other.path.strip_prefix(&node.path).is_some_and(|rest| rest.starts_with('.'))
}

/// Whether an expression does not name a path itself, but calls the function that asks for it.
fn asks_for(expr: &str, path: &str) -> bool {
    let names = ["name", "instances"].contains(&path)
        || path.trim_start_matches('.').starts_with("networks.");
    names && expr.contains("static_ips(") && !expr.contains(path)
}

/// The code, the message, and what stands at the place.
fn words(line: &Line) -> (&'static str, String, String) {
    match &line.cause {
        Cause::Stubs(stubs) => {
            let path = line.issue.trim_end_matches(" not found in any stub").trim_matches('\'');
            let message = match &stubs[..] {
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
        Cause::Own if line.issue.starts_with("unknown function") => {
            (UNKNOWN_FUNCTION, line.issue.to_string(), String::new())
        }
        Cause::Own => {
            let issue = match line.outer.iter().rfind(|outer| !is_of_lambda(outer)) {
                Some(outer) => format!("{outer}: {}", line.issue),
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

/// Whether this says that a lambda failed, and not why.
fn is_of_lambda(text: &str) -> bool {
    text.starts_with("evaluation of lambda ")
}

fn stub_help(mut out: Diagnostic, stubs: &[Searched]) -> Diagnostic {
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
