//! Templates and files that are used by name: whether the module has them, and whether the
//! arguments of a template fit.

use std::path::Path;
use std::sync::Arc;

use ecow::EcoString;
use ordain_source::{Diagnostic, EntryKind, FileId, World, suggest};

use super::layout::files_below;
use super::types::{text, texts};
use crate::check::repository::pass::Pass;
use ordain_puppet::syntax::{self, Call, Expr, ExprId, Program};
use ordain_puppet::types::{is_instance, mismatch};

/// The beginning of the URL of a file on the server of a node.
const SCHEME: &str = "puppet:///";

const MISSING_FILE: &str = "puppet::missing-file";
const UNKNOWN_PARAMETER: &str = "puppet::unknown-parameter";
const MISSING_PARAMETER: &str = "puppet::missing-parameter";
const TYPE_MISMATCH: &str = "puppet::type-mismatch";

/// A function that reads files of modules.
struct FileFunction {
    /// The directory of a module that is searched.
    dir: &'static str,
    /// The kind of the file, in words.
    noun: &'static str,
    /// The extension that is added to a name without it.
    ending: &'static str,
    /// Whether one of its arguments is enough.
    first_counts: bool,
}

/// The files that a function reads.
fn reading(function: &str) -> Option<FileFunction> {
    let (dir, noun, ending, first_counts) = match function {
        "epp" => ("templates", "template", ".epp", false),
        "template" => ("templates", "template", "", false),
        "file" => ("files", "file", "", true),
        _ => return None,
    };
    Some(FileFunction { dir, noun, ending, first_counts })
}

/// Runs the rules over a text.
pub(super) fn check(pass: &mut Pass<'_>, world: &dyn World) {
    let program = pass.program;
    urls(pass, world);
    for (_, call) in program.calls.iter() {
        let Expr::Name(name) = &program[call.callee] else { continue };
        if name == "inline_epp" {
            inline(pass, call);
            continue;
        }
        let Some(reading) = reading(name) else { continue };
        let args = program.list(call.args);
        if name == "epp" {
            if let Some(&arg) = args.first() {
                template(pass, world, call, arg, &reading);
            }
            continue;
        }
        let missing: Vec<Diagnostic> =
            args.iter().filter_map(|&arg| missing(pass, world, arg, &reading)).collect();
        if !reading.first_counts || missing.len() == args.len() {
            pass.found.extend(missing.into_iter().take(if reading.first_counts { 1 } else { 9 }));
        }
    }
}

/// The files of modules that attributes name by their URL. Of a list, one file is enough.
fn urls(pass: &mut Pass<'_>, world: &dyn World) {
    let program = pass.program;
    for (_, attribute) in program.attributes.iter() {
        let (count, is_list) = match &program[attribute.value] {
            Expr::List(items) => (items.len(), true),
            Expr::Str(url) if url.starts_with(SCHEME) => (1, false),
            _ => continue,
        };
        let all = texts(program, attribute.value);
        if all.len() != count || count == 0 {
            continue;
        }
        let missing: Vec<Diagnostic> =
            all.iter().filter_map(|(url, at)| missing_url(pass, world, url, *at)).collect();
        if !is_list || missing.len() == count {
            pass.found.extend(missing.into_iter().take(1));
        }
    }
}

/// The finding that no module has the file of a URL `puppet:///modules/NAME/PATH`.
fn missing_url(pass: &Pass<'_>, world: &dyn World, url: &str, at: ExprId) -> Option<Diagnostic> {
    let path = url.strip_prefix(SCHEME)?;
    let error = |text: String| Diagnostic::error(MISSING_FILE, text).at(pass.program.span(at));
    let Some(path) = path.strip_prefix("modules/") else {
        // The first part is a mount point of the server, which may have any name.
        let (mount, _) = path.split_once('/')?;
        let is_module = pass.index.has_module(mount);
        let found = || error(format!("The URL of a file of the module `{mount}` lacks `modules/`"));
        return is_module.then(|| found().help(format!("write `puppet:///modules/{path}`")));
    };
    let (module, rest) = path.split_once('/')?;
    let Some(here) = pass.index.module(module) else {
        return missing_module(pass, module, at);
    };
    let dir = here.dir.join("files");
    let rest = rest.trim_end_matches('/');
    if rest.is_empty() || world.kind(&dir.join(rest)).is_some() || is_in_empty(world, &dir, rest) {
        return None;
    }
    let found = error(format!("The module `{module}` has no file `{rest}`"));
    let there = files_of(world, &dir);
    Some(match suggest::nearest(rest, there.iter().map(String::as_str)) {
        Some(near) => found.help(format!("did you mean `puppet:///modules/{module}/{near}`?")),
        None => found.help(format!("it would be files/{rest} of the module")),
    })
}

/// Whether a path leads through an empty directory, as submodules of git are before they are fetched.
fn is_in_empty(world: &dyn World, dir: &Path, rest: &str) -> bool {
    let full = dir.join(rest);
    let parent = full.ancestors().skip(1).find(|dir| world.kind(dir).is_some());
    parent.is_some_and(|parent| {
        parent != dir && world.list(parent).is_ok_and(|entries| entries.is_empty())
    })
}

/// The finding that a file is of a module that is not here and that nothing asks for.
fn missing_module(pass: &Pass<'_>, module: &str, at: ExprId) -> Option<Diagnostic> {
    let index = pass.index;
    let is_known = index.has_module(module) || index.declares(&pass.module, module);
    if !index.is_environment() || !pass.is_complete() || is_known || pass.is_aside {
        return None;
    }
    let text = format!("There is no module `{module}`");
    let error = Diagnostic::error(MISSING_FILE, text).at(pass.program.span(at));
    let names = index.modules.iter().map(|module| module.name.as_str());
    Some(match suggest::nearest(module, names) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None => error,
    })
}

/// The files below a directory by their paths in it.
fn files_of(world: &dyn World, dir: &Path) -> Vec<String> {
    let files = files_below(world, dir, &[""]);
    let below = |path: &std::path::PathBuf| Some(path.strip_prefix(dir).ok()?.to_str()?.to_owned());
    files.iter().filter_map(below).collect()
}

/// The module of a name such as `ntp/ntp.conf.epp`, if it is present, and the rest.
fn in_module<'n>(pass: &Pass<'_>, name: &'n str) -> Option<(std::path::PathBuf, &'n str)> {
    let (module, rest) = name.split_once('/').filter(|(module, _)| !module.is_empty())?;
    Some((pass.index.module(module)?.dir.clone(), rest))
}

/// The finding that a module has no such file; `None` if the module is unknown or the name is
/// computed.
fn missing(
    pass: &Pass<'_>,
    world: &dyn World,
    arg: ExprId,
    reading: &FileFunction,
) -> Option<Diagnostic> {
    let name = text(pass.program, arg)?;
    let Some((module, rest)) = in_module(pass, name) else {
        let (module, _) = name.split_once('/').filter(|(module, _)| !module.is_empty())?;
        return missing_module(pass, module, arg);
    };
    let dir = module.join(reading.dir);
    let rest = with_ending(rest, reading);
    if world.kind(&dir.join(&*rest)) == Some(EntryKind::File) {
        return None;
    }
    let text = format!("There is no {} `{name}`", reading.noun);
    let error = Diagnostic::error(MISSING_FILE, text).at(pass.program.span(arg));
    let there = files_of(world, &dir);
    let prefix = name.split_once('/').map_or("", |(module, _)| module);
    Some(match suggest::nearest(&rest, there.iter().map(String::as_str)) {
        Some(near) => error.help(format!("did you mean `{prefix}/{near}`?")),
        None => error.help(format!("it would be {}/{rest} of the module", reading.dir)),
    })
}

fn with_ending(name: &str, reading: &FileFunction) -> EcoString {
    match name.ends_with(reading.ending) {
        true => name.into(),
        false => ecow::eco_format!("{name}{}", reading.ending),
    }
}

/// A call of `epp` for a template of a present module.
fn template(
    pass: &mut Pass<'_>,
    world: &dyn World,
    call: &Call,
    arg: ExprId,
    reading: &FileFunction,
) {
    if let Some(found) = missing(pass, world, arg, reading) {
        return pass.found.push(found);
    }
    let program = pass.program;
    let Some(name) = text(program, arg) else { return };
    let Some((module, rest)) = in_module(pass, name) else { return };
    let path = module.join(reading.dir).join(&*with_ending(rest, reading));
    let Some(entries) = given(program, call) else { return };
    if let Some(template) = read(world, &path) {
        let found = misfits(pass, &template, &entries, program.span(call.callee));
        pass.found.extend(found);
    }
}

/// The literal entries of the hash of arguments, keys and values; `None` if some are computed.
fn given<'p>(program: &'p Program, call: &Call) -> Option<Vec<(&'p EcoString, ExprId, ExprId)>> {
    let args = program.list(call.args);
    if args.len() < 2 {
        return Some(Vec::new());
    }
    let Expr::Hash(entries) = &program[constant(program, args[1])] else { return None };
    let pairs = program.list(*entries).chunks_exact(2);
    pairs.map(|pair| Some((text(program, pair[0])?, pair[0], pair[1]))).collect()
}

/// The value of a variable that the text sets once, else the expression itself.
fn constant(program: &Program, id: ExprId) -> ExprId {
    let Expr::Var(name) = &program[id] else { return id };
    if program.params.iter().any(|(_, param)| param.name == *name) {
        return id;
    }
    let mut set = program.exprs.iter().filter_map(|(_, expr)| match expr {
        Expr::Assign { left, right, .. } if program[*left] == program[id] => Some(*right),
        _ => None,
    });
    let first = set.next();
    first.filter(|_| set.next().is_none()).unwrap_or(id)
}

/// A template that is a literal text.
fn inline(pass: &mut Pass<'_>, call: &Call) {
    let program = pass.program;
    let Some(&arg) = program.list(call.args).first() else { return };
    let (Some(text), Some(entries)) = (text(program, arg), given(program, call)) else { return };
    if let Some(template) = parsed(text) {
        let found = misfits(pass, &template, &entries, program.span(call.callee));
        pass.found.extend(found);
    }
}

/// The syntax tree of a template without errors.
fn read(world: &dyn World, path: &Path) -> Option<Program> {
    let source = String::from_utf8(world.read(path).ok()?).ok()?;
    parsed(&source)
}

fn parsed(source: &str) -> Option<Program> {
    let parsed = syntax::parse_epp(FileId(0), Arc::from(source));
    let is_sound = parsed.diagnostics.is_empty();
    is_sound.then_some(parsed.program)
}

/// Findings about the arguments of a template: unknown, missing, or of a wrong type.
fn misfits(
    pass: &Pass<'_>,
    template: &Program,
    given: &[(&EcoString, ExprId, ExprId)],
    at: ordain_source::Span,
) -> Vec<Diagnostic> {
    let Expr::Epp { has_params, params, .. } = template[template.body] else { return Vec::new() };
    if !has_params {
        return Vec::new();
    }
    let (program, params) = (pass.program, template.params(params));
    let mut found = Vec::new();
    for (name, key, value) in given {
        let Some(param) = params.iter().find(|param| param.name == **name) else {
            // Puppet refuses an unknown parameter only if it has a value.
            if matches!(program[*value], Expr::Undef) {
                continue;
            }
            let text = format!("The template has no parameter `{name}`");
            let error = Diagnostic::error(UNKNOWN_PARAMETER, text).at(program.span(*key));
            let near = suggest::nearest(name, params.iter().map(|param| param.name.as_str()));
            found.push(match near {
                Some(near) => error.help(format!("did you mean `{near}`?")),
                None => error,
            });
            continue;
        };
        let wanted = param.kind.and_then(|kind| pass.index.types.type_of(template, kind));
        let (Some(wanted), Some(value_of)) = (wanted, pass.index.types.value(program, *value))
        else {
            continue;
        };
        // An `undef` argument counts as missing.
        if !value_of.is_undef() && !is_instance(&wanted, &value_of) {
            let subject = format!("Parameter `{name}` of the template");
            let inferred = ordain_puppet::types::infer_set(&value_of);
            let text = mismatch::describe_mismatch(&subject, &wanted, &inferred);
            let error = Diagnostic::error(TYPE_MISMATCH, text).at(program.span(*value));
            found.push(match mismatch::unquoted(&wanted, &value_of) {
                Some(help) => error.help(help),
                None => error,
            });
        }
    }
    let is_given = |name: &EcoString| given.iter().any(|(given, ..)| *given == name);
    let misnamed = found.iter().any(|d| d.code == UNKNOWN_PARAMETER);
    let missing = params.iter().filter(|param| param.default.is_none() && !is_given(&param.name));
    // An unknown argument is probably a misspelt parameter, so missing ones are not reported as
    // well.
    for param in missing.filter(|_| !misnamed) {
        let text = format!("The template needs a value for its parameter `{}`", param.name);
        found.push(Diagnostic::error(MISSING_PARAMETER, text).at(at));
    }
    found
}
