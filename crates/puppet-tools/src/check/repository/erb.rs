//! Templates in ERB: their syntax, and the variables and facts that they read.

use std::path::Path;
use std::sync::Arc;

use ecow::EcoString;
use ordain_graph::language::CheckOptions;
use ordain_ruby::{Template, Trim};
use ordain_source::{Diagnostic, FileId, TextRange};
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use rustc_hash::{FxHashMap, FxHashSet};

use super::facts;
use super::index::{Index, Module};
use super::scopes::Scopes;
use super::types::text;
use crate::check::repository::pass::{DisplayPaths, Group, Pass, Text, source};
use ordain_puppet::legacy_facts::replacement;
use ordain_puppet::syntax::{self, Expr};
use ordain_puppet::validation::names::{nearest, split_name};

const INVALID_TEMPLATE: &str = "puppet::invalid-template";
const UNKNOWN_VARIABLE: &str = "puppet::unknown-variable";

/// A part of a template that is code.
struct Code<'t> {
    text: &'t str,
    /// Its place in the template.
    start: usize,
}

/// The programs that render a template: their index among all programs, and the scope.
type Callers = FxHashMap<EcoString, Vec<(usize, usize)>>;

/// Checks the templates of the modules that were named.
pub(super) fn check(
    group: &Group<'_>,
    index: &Index,
    programs: &[Text],
    checking: &CheckOptions<'_>,
    shown: &DisplayPaths,
) -> Vec<Diagnostic> {
    let parents = group.files.iter().filter_map(|file| file.source.full.parent());
    let around: FxHashSet<&Path> = parents.flat_map(Path::ancestors).collect();
    let modules = index.modules.iter().filter(|module| around.contains(module.dir.as_path()));
    let templates: Vec<(&Module, &Path)> = modules
        .flat_map(|module| module.survey.erb.iter().map(move |path| (module, path.as_path())))
        .collect();
    if templates.is_empty() {
        return Vec::new();
    }
    let callers = callers(programs);
    let nothing = Arc::new(syntax::parse(FileId(0), "").program);
    let scopes = Scopes::of(&nothing);
    let one = |(module, path): (&Module, &Path)| -> Vec<Diagnostic> {
        let Ok(bytes) = checking.world.read(path) else { return Vec::new() };
        let Ok(text) = String::from_utf8(bytes) else { return Vec::new() };
        let mut pass = Pass::of_data(index, FileId(0), &nothing, &scopes, checking.facts);
        match syntax_error(&text) {
            Some(found) => pass.found.push(found),
            None => {
                let name = path.strip_prefix(module.dir.join("templates")).unwrap_or(path);
                let name = ecow::eco_format!("{}/{}", module.name, name.display());
                let callers = callers.get(&name).map(Vec::as_slice).unwrap_or_default();
                let callers: Vec<_> =
                    callers.iter().map(|&(i, scope)| (&programs[i].scopes, scope)).collect();
                variables(&mut pass, &text, &callers);
            }
        }
        let mut found = pass.found;
        if found.is_empty() {
            return found;
        }
        let file = source(checking.sources, shown, path, &text);
        for label in found.iter_mut().filter_map(|found| found.primary.as_mut()) {
            label.span.file = file;
        }
        super::silence::kept(found, &text)
    };
    templates.into_par_iter().flat_map_iter(one).collect()
}

/// Where each template is rendered by its literal name.
fn callers(programs: &[Text]) -> Callers {
    let mut out = Callers::default();
    for (i, program) in programs.iter().enumerate() {
        let (program, scopes) = (&program.scopes.program, &program.scopes);
        for (_, call) in program.calls.iter() {
            let Expr::Name(name) = &program[call.callee] else { continue };
            if name != "template" {
                continue;
            }
            let place = program.range(call.callee).start;
            for name in program.list(call.args).iter().filter_map(|&arg| text(program, arg)) {
                out.entry(name.clone()).or_default().push((i, scopes.around(place)));
            }
        }
    }
    out
}

/// The error of a template that Ruby would not read.
fn syntax_error(text: &str) -> Option<Diagnostic> {
    let error = Template::parse(text, Trim::Explicit).err().filter(|e| !e.is_unsupported)?;
    let line = (error.line.max(1) as usize).min(text.lines().count().max(1));
    let start: usize = text.split_inclusive('\n').take(line - 1).map(str::len).sum();
    let rest = text[start..].lines().next().unwrap_or_default();
    let indent = rest.len() - rest.trim_start().len();
    let at = TextRange::new((start + indent) as u32, (start + rest.trim_end().len()) as u32);
    let message = format!("The template is no valid ERB: {}", error.message);
    Some(Diagnostic::error(INVALID_TEMPLATE, message).at(at.in_file(FileId(0))))
}

/// The parts of a template that are code.
fn codes(text: &str) -> Vec<Code<'_>> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(open) = text[at..].find("<%") {
        let start = at + open + 2;
        let is_code = !text[start..].starts_with(['#', '%']);
        let Some(length) = text[start..].find("%>") else { break };
        if is_code {
            out.push(Code { text: &text[start..start + length], start });
        }
        at = start + length + 2;
    }
    out
}

/// Unknown variables and facts in the code of a template.
fn variables(pass: &mut Pass<'_>, text: &str, callers: &[(&Scopes, usize)]) {
    let codes = codes(text);
    let mut reported: FxHashSet<&str> = FxHashSet::default();
    let sets = |name: &str| codes.iter().any(|code| assigns(code.text, name));
    for code in &codes {
        for (at, name) in instance_variables(code.text) {
            let range =
                TextRange::new((code.start + at) as u32, (code.start + at + name.len()) as u32);
            if name == "@facts" {
                facts_in(pass, &code.text[at + name.len()..], range.end);
            } else if !reported.contains(name) && !sets(name) {
                reported.extend(unknown(pass, &name[1..], range, callers).then_some(name));
            }
        }
        for (at, name) in qualified(code.text) {
            let start = (code.start + at) as u32;
            class_variable(pass, name, TextRange::new(start, start + name.len() as u32));
        }
    }
}

/// The names `@name` in code, with their places.
fn instance_variables(code: &str) -> impl Iterator<Item = (usize, &str)> {
    code.match_indices('@').filter_map(|(at, _)| {
        let before = code[..at].chars().next_back();
        let is_word = before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '@' | '_' | '.'));
        let rest = &code[at + 1..];
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let name = &code[at..at + 1 + end.unwrap_or(rest.len())];
        let is_name = name[1..].starts_with(|c: char| c.is_ascii_lowercase() || c == '_');
        (is_name && !is_word).then_some((at, name))
    })
}

/// Whether code sets an instance variable.
fn assigns(code: &str, name: &str) -> bool {
    code.match_indices(name).any(|(at, _)| {
        let rest = code[at + name.len()..].trim_start();
        rest.starts_with('=') && !rest.starts_with("==") && !rest.starts_with("=~")
            || rest.starts_with("||=")
            || rest.starts_with("+=")
            || rest.starts_with("<<")
    })
}

/// The literal names with `::` of `scope['a::b']` and `scope.lookupvar('a::b')`.
fn qualified(code: &str) -> impl Iterator<Item = (usize, &str)> {
    let openings = ["scope[", "lookupvar(", "lookupvar "];
    let places = openings
        .into_iter()
        .flat_map(|word| code.match_indices(word).map(move |(at, _)| at + word.len()));
    places.filter_map(|at| {
        let quote = code[at..].chars().next().filter(|c| matches!(c, '\'' | '"'))?;
        let rest = &code[at + 1..];
        let name = &rest[..rest.find(quote)?];
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':');
        (name.contains("::") && name.chars().all(is_name)).then_some((at + 1, name))
    })
}

/// Reports a variable that none of the callers has, if it resembles one of theirs.
fn unknown(pass: &mut Pass<'_>, name: &str, at: TextRange, callers: &[(&Scopes, usize)]) -> bool {
    let index = pass.index;
    let is_known = facts::is_known(pass, name) || replacement(name).is_some();
    if callers.is_empty() || is_known || index.top_variables.contains(name) {
        return false;
    }
    let mut names: Vec<&str> = vec!["name", "title", "facts", "trusted", "environment"];
    for (scopes, scope) in callers {
        let outermost = &scopes.scopes[scopes.outermost(*scope)];
        let mut around = Some(*scope);
        while let Some(i) = around {
            names.extend(scopes.scopes[i].declared.iter().map(|d| d.name.as_str()));
            around = scopes.scopes[i].parent;
        }
        if let Some(parent) = &outermost.inherits {
            let Some(inherited) = index.variables_of(parent) else { return false };
            names.extend(inherited.into_iter().flatten().map(EcoString::as_str));
        }
    }
    if names.contains(&name) {
        return false;
    }
    let Some(near) = nearest(name, names) else { return false };
    let message = format!("Nothing sets `@{name}` where the template is rendered");
    let found = Diagnostic::warning(UNKNOWN_VARIABLE, message).at(at.in_file(pass.file));
    pass.found.push(found.help(format!("did you mean `@{near}`?")));
    true
}

/// Reports a variable that a class does not have.
fn class_variable(pass: &mut Pass<'_>, name: &str, at: TextRange) {
    let index = pass.index;
    let plain = name.trim_start_matches("::");
    let Some((class, variable)) = split_name(plain) else { return };
    if !index.classes.contains_key(class) {
        return;
    }
    let Some(known) = index.variables_of(class) else { return };
    let is_built_in = matches!(variable, "title" | "name" | "module_name");
    if is_built_in || known.iter().any(|names| names.contains(variable)) {
        return;
    }
    let names = known.iter().flat_map(|names| names.iter().map(EcoString::as_str));
    let near = nearest(variable, names);
    let message = format!("The class `{class}` has no variable `{variable}`");
    let mut found = Diagnostic::warning(UNKNOWN_VARIABLE, message).at(at.in_file(pass.file));
    found.help.extend(near.map(|near| format!("did you mean `{class}::{near}`?")));
    pass.found.push(found);
}

/// The path of `@facts['a']['b']`, whose text after the name begins at `start`.
fn facts_in(pass: &mut Pass<'_>, rest: &str, start: u32) {
    let (mut path, mut at) = (Vec::new(), 0);
    while let Some(quote) = rest[at..].strip_prefix('[').and_then(|r| r.chars().next()) {
        let key = at + 2;
        if !matches!(quote, '\'' | '"') {
            return;
        }
        let Some(length) = rest[key..].find(quote) else { return };
        if !rest[key + length + 1..].starts_with(']') {
            return;
        }
        path.push(&rest[key..key + length]);
        let range = TextRange::new(start + key as u32, start + (key + length) as u32);
        facts::fact(pass, &path, range);
        at = key + length + 2;
    }
}
