//! Templates and files that are used by name: whether the module has them, and whether the
//! arguments of a template fit.

use std::path::Path;
use std::sync::Arc;

use ecow::EcoString;
use ordain_source::{Diagnostic, EntryKind, FileId, World, suggest};

use super::layout::files_below;
use super::types::text;
use crate::check::repository::pass::Pass;
use ordain_puppet::syntax::{self, Call, Expr, ExprId, Program};
use ordain_puppet::types::{is_instance, mismatch};

const MISSING_FILE: &str = "puppet::missing-file";
const UNKNOWN_PARAMETER: &str = "puppet::unknown-parameter";
const MISSING_PARAMETER: &str = "puppet::missing-parameter";
const TYPE_MISMATCH: &str = "puppet::type-mismatch";

/// A function that reads files of modules.
struct FileFunction {
    /// The directory of a module that is searched.
    dir: &'static str,
    /// The kind of the file, in words.
    what: &'static str,
    /// The extension that is added to a name without it.
    ending: &'static str,
    /// Whether one of its arguments is enough.
    first_counts: bool,
}

/// The files that a function reads.
fn reading(function: &str) -> Option<FileFunction> {
    let (dir, what, ending, first_counts) = match function {
        "epp" => ("templates", "template", ".epp", false),
        "template" => ("templates", "template", "", false),
        "file" => ("files", "file", "", true),
        _ => return None,
    };
    Some(FileFunction { dir, what, ending, first_counts })
}

/// Runs the rules over a text.
pub(super) fn check(pass: &mut Pass<'_>, world: &dyn World) {
    let program = pass.program;
    for (_, call) in program.calls.iter() {
        let Expr::Name(name) = &program[call.callee] else { continue };
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
    let (module, rest) = in_module(pass, name)?;
    let dir = module.join(reading.dir);
    let rest = with_ending(rest, reading);
    if world.kind(&dir.join(&*rest)) == Some(EntryKind::File) {
        return None;
    }
    let text = format!("There is no {} `{name}`", reading.what);
    let error = Diagnostic::error(MISSING_FILE, text).at(pass.program.span(arg));
    let there: Vec<String> = files_below(world, &dir, &[""])
        .iter()
        .filter_map(|path| Some(path.strip_prefix(&dir).ok()?.to_str()?.to_owned()))
        .collect();
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
    let Expr::Hash(entries) = &program[args[1]] else { return None };
    let pairs = program.list(*entries).chunks_exact(2);
    pairs.map(|pair| Some((text(program, pair[0])?, pair[0], pair[1]))).collect()
}

/// The syntax tree of a template without errors.
fn read(world: &dyn World, path: &Path) -> Option<Program> {
    let source = String::from_utf8(world.read(path).ok()?).ok()?;
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
