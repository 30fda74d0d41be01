//! Files and directories: `read`, `parse`, `write` and related functions.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use ecow::EcoString;
use ordain_data::yaml::Tree;
use ordain_source::{EntryKind, is_web, without_passwords};

use super::exec::{argument, denied, home_path};
use super::support::{clean_path, eager, fail};
use crate::diagnostics::stop::{Eval, Stop};
use crate::diagnostics::yaml::error_message;
use crate::eval::evaluator::{Call, Table};
use crate::eval::tree::Body;
use crate::ids::SrcId;
use crate::load::{ListEntry, ListSrc, SrcKind};
use crate::text::{decode_base64, encode_base64};
use crate::value::{Scope, Template, TemplateBody, Value};

/// The line length of base64.
const BASE64_LINE_LENGTH: usize = 60;

/// A file or text, and how it is read.
struct Source<'a> {
    name: &'a str,
    bytes: &'a [u8],
    /// Whether sources are cached: files do not change in a run.
    keep: bool,
}

fn text<'v>(value: &'v Value, message: &str) -> Eval<&'v EcoString> {
    super::strings::text(value, message)
}

fn read_kept(call: &mut Call<'_, '_>, keep: bool) -> Eval<Value> {
    let (file, mode) = match call.args {
        [file] => (file, None),
        [file, mode] => (file, Some(mode)),
        [] => return fail("string value required for file path"),
        _ => return fail("read takes a maximum of two arguments"),
    };
    if call.ev.options.hermetic {
        return denied("read");
    }
    let file = text(file, "string value required for file path")?.clone();
    let mode = match mode {
        Some(mode) => text(mode, "string value required for type")?.clone(),
        None if [".yml", ".yaml", ".json"].iter().any(|e| file.ends_with(e)) => "yaml".into(),
        None => "text".into(),
    };
    let known = if keep { call.ev.cache.files.get(&file).cloned() } else { None };
    let content = match known {
        Some(known) => known,
        None => {
            let read = content_of(call, &file);
            if keep {
                call.ev.cache.files.insert(file.clone(), read.clone());
            } else {
                call.ev.cache.uncached += 1;
            }
            read
        }
    };
    let bytes: Rc<[u8]> = content.or_else(|e| {
        let plus = format!("read: {e}");
        fail(call.ev.words(&e, &plus))
    })?;
    let name = if is_web(&file) { without_passwords(&file) } else { file.as_str().into() };
    // Sources are cached by name: another password may return another text.
    let keep = keep && name == file.as_str();
    interpret(call, &Source { name: &name, bytes: &bytes, keep }, &mode)
}

/// The bytes of a file.
fn content_of(call: &Call<'_, '_>, file: &EcoString) -> Result<Rc<[u8]>, EcoString> {
    if is_web(file) {
        let fetched = call.ev.world.fetch(file).map(Rc::from);
        let shown = without_passwords(file);
        return fetched.map_err(|e| ecow::eco_format!("error getting [{shown}]: {e}"));
    }
    let read = call.ev.world.read(Path::new(file.as_str()));
    read.map(Rc::from).map_err(|e| {
        let shown = clean_path(file);
        let doing = if e.kind() == std::io::ErrorKind::IsADirectory { "read" } else { "open" };
        ecow::eco_format!("error reading [{shown}]: {doing} {file}: {}", reason(&e))
    })
}

/// An error of the system in Go's words.
fn reason(e: &std::io::Error) -> String {
    match e.kind() {
        std::io::ErrorKind::NotFound => "no such file or directory".into(),
        std::io::ErrorKind::PermissionDenied => "permission denied".into(),
        std::io::ErrorKind::IsADirectory => "is a directory".into(),
        _ => e.to_string(),
    }
}

fn read(call: &mut Call<'_, '_>) -> Eval<Value> {
    read_kept(call, true)
}

fn read_uncached(call: &mut Call<'_, '_>) -> Eval<Value> {
    read_kept(call, false)
}

fn parse(call: &mut Call<'_, '_>) -> Eval<Value> {
    let (string, mode) = match call.args {
        [string] => (string, "import"),
        [string, mode] => {
            (string, text(mode, "second argument for parse must be a string")?.as_str())
        }
        _ => return fail("parse takes one or two arguments"),
    };
    let string = text(string, "first argument for parse must be a string")?;
    // Reading a byte of YAML takes about as long as a step, because tokens of two bytes are common.
    call.ev.count_steps(string.len() as u64)?;
    let name = call.ev.context_path(call.env.place).join(".");
    interpret(call, &Source { name: &name, bytes: string.as_bytes(), keep: false }, mode)
}

/// The value of a text in a mode.
fn interpret(call: &mut Call<'_, '_>, source: &Source<'_>, mode: &str) -> Eval<Value> {
    let (own_root, mode) = match mode.strip_prefix('.') {
        Some(rest) => (true, rest),
        None => (false, mode),
    };
    match mode {
        "text" => Ok(Value::str(String::from_utf8_lossy(source.bytes).into_owned())),
        "binary" => Ok(Value::str(encode_base64(source.bytes, Some(BASE64_LINE_LENGTH)))),
        "yaml" => {
            let src = first(&sources(call, source)?);
            evaluate(call, source, src, own_root)
        }
        "multiyaml" => {
            let all = sources(call, source)?;
            let src = list_source(call, &all);
            evaluate(call, source, src, own_root)
        }
        "template" => {
            let src = first(&sources(call, source)?);
            Ok(template(call, src))
        }
        "templates" => {
            let all = sources(call, source)?;
            Ok(Value::list(all.iter().map(|src| template(call, *src)).collect::<Vec<_>>()))
        }
        "import" => Ok(documents(source)?.into_iter().next().unwrap_or_default()),
        "importmulti" => Ok(Value::list(documents(source)?)),
        _ => fail(format!("invalid file type [{}] {mode}", clean_path(source.name))),
    }
}

fn content<'a>(source: &Source<'a>) -> std::borrow::Cow<'a, str> {
    String::from_utf8_lossy(source.bytes)
}

fn broken<T>(source: &Source<'_>, message: &str) -> Eval<T> {
    fail(format!("error parsing file [{}]: {message}", clean_path(source.name)))
}

/// The documents of a text as values without evaluation.
fn documents(source: &Source<'_>) -> Eval<Vec<Value>> {
    let mut all = crate::document::read(&content(source))
        .or_else(|e| broken(source, e.original_message()))?;
    while all.len() > 1 && matches!(all.last(), Some(Value::Null)) {
        all.pop();
    }
    Ok(all)
}

/// The documents of a text, ready for evaluation.
fn sources(call: &mut Call<'_, '_>, source: &Source<'_>) -> Eval<Rc<[SrcId]>> {
    let key = EcoString::from(source.name);
    if source.keep
        && let Some(known) = call.ev.cache.sources.get(&key)
    {
        return Ok(Rc::clone(known));
    }
    let text = content(source);
    let trees = Tree::parse_all(&text).or_else(|e| broken(source, &error_message(&text, &e)))?;
    let file = call.ev.add_file(source.name);
    let mut all = Vec::with_capacity(trees.len());
    for tree in trees.iter().filter(|t| !t.is_empty()) {
        let loaded = call.ev.sources.load(tree, file);
        all.push(loaded.or_else(|e| broken(source, &e.message))?);
    }
    if all.is_empty() {
        let span = ordain_source::TextRange::new(0, 0);
        all.push(call.ev.sources.push(SrcKind::Value(Value::Null.into()), file, span));
    }
    let all: Rc<[SrcId]> = all.into();
    if source.keep {
        call.ev.cache.sources.insert(key, Rc::clone(&all));
    }
    Ok(all)
}

fn first(all: &[SrcId]) -> SrcId {
    all.first().copied().unwrap_or_else(|| SrcId::new(0))
}

fn list_source(call: &mut Call<'_, '_>, all: &[SrcId]) -> SrcId {
    let node = &call.ev.sources.nodes[first(all)];
    let (file, span) = (node.file, node.span);
    let entries = all.iter().map(|src| ListEntry::Node(*src)).collect();
    let list = ListSrc { entries, ..ListSrc::default() };
    call.ev.sources.push(SrcKind::List(list), file, span)
}

fn template(call: &Call<'_, '_>, src: SrcId) -> Value {
    let mark = Value::str("(( &template ))");
    let source = match call.ev.source_value(src) {
        Value::Map(map) if map.get("<<").is_none() => {
            let own = map.entries().iter().map(|(k, i)| (k.clone(), i.value.clone()));
            Value::map(own.chain([("<<<".into(), mark)]))
        }
        Value::List(list) => {
            let own = list.items.iter().map(|i| i.value.clone());
            Value::list([Value::map([("<<<", mark)])].into_iter().chain(own))
        }
        other => other,
    };
    let body = TemplateBody::Node(src);
    Value::Template(Rc::new(Template { body, place: call.env.place, source }))
}

/// Evaluates a document as if it were written at the place of the call.
fn evaluate(
    call: &mut Call<'_, '_>,
    source: &Source<'_>,
    src: SrcId,
    own_root: bool,
) -> Eval<Value> {
    let (ev, env) = (&mut *call.ev, call.env);
    let scope = env.locals.before(&env.caller);
    let node = if own_root {
        ev.add_inner_document(Body::Src(src), env.place, scope, Rc::new([]), source.name)
    } else {
        ev.add_instance(Body::Src(src), env.place, scope, true)
    };
    match ev.deep_inside(node) {
        Ok(Some(item)) => Ok(item.value),
        Ok(None) => {
            call.info.undefined = true;
            Ok(Value::Null)
        }
        Err(stop) if stop.passes() => Err(stop),
        Err(_) => {
            let plus = format!("resolution of yaml file '{}' failed", source.name);
            let text = ev.words("yaml file resolution failed", &plus);
            Err(ev.nested_trouble(node, text.into()))
        }
    }
}

/// `merge(…)`: maps and templates, processed like a template and its stubs.
fn merge(call: &mut Call<'_, '_>) -> Eval<Value> {
    if call.args.is_empty() {
        return fail("at least one argument required for merge function");
    }
    let Some(values) = super::collections::maps_of(call.args) else {
        return fail("merge: no map found for merge");
    };
    let listed = matches!(call.args, [Value::List(_)]);
    let (ev, env) = (&mut *call.ev, call.env);
    let mut bodies = Vec::with_capacity(values.len());
    for (at, value) in (1..).zip(values) {
        let place = if listed { "entry of list argument:" } else { "argument" };
        bodies.push(match value {
            Value::Map(_) => Body::Value(value.clone().into()),
            Value::Template(t) => match t.body {
                TemplateBody::Node(src) if matches!(t.source, Value::Map(_)) => Body::Src(src),
                _ => return fail(format!("merge: {place} {at}: template is not a map template")),
            },
            other => {
                let kind = other.kind();
                return fail(format!("merge: {place} {at}: no map or map template, but {kind}"));
            }
        });
    }
    let scope: Scope = env.locals.before(&env.caller);
    let mut stubs = Vec::new();
    while let Some(body) = bodies.pop() {
        let outer = ev.document(env.place).file.clone();
        let known: Rc<[_]> = stubs.iter().cloned().collect();
        let node = ev.add_inner_document(body, env.place, scope.clone(), known, &outer);
        match ev.deep_inside(node) {
            Ok(item) => {
                let item = item.unwrap_or_else(|| Value::Null.into());
                if bodies.is_empty() {
                    return Ok(item.value);
                }
                stubs.insert(0, item);
            }
            Err(stop) if stop.passes() => return Err(stop),
            Err(_) => return Err(ev.nested_trouble(node, "merging failed".into())),
        }
    }
    Ok(Value::Null)
}

/// The way in which a file is written.
#[derive(Clone, Copy)]
pub(super) struct Options {
    /// The permissions.
    pub(super) mode: u32,
    /// The data is in base64.
    pub(super) binary: bool,
    /// A list is written as separate documents.
    pub(super) multi: bool,
}

/// Options from an argument: permissions, `binary`, `multiyaml`.
pub(super) fn options(value: Option<&Value>, mode: u32) -> Result<Options, String> {
    let mut out = Options { mode, binary: false, multi: false };
    let bad = "permissions must be given as int or int string";
    match value {
        None => {}
        Some(Value::Int(n)) => out.mode = u32::try_from(*n).map_err(|_| bad.to_owned())?,
        Some(Value::Str(text)) => {
            let mut modes = 0;
            for option in text.split(',').map(str::trim) {
                match option {
                    "binary" | "#" => out.binary = true,
                    "multiyaml" => out.multi = true,
                    digits => {
                        let base = if digits.starts_with('0') { 8 } else { 10 };
                        out.mode = u32::from_str_radix(digits, base)
                            .map_err(|_| format!("{bad}: {}", crate::text::quoted(digits)))?;
                        modes += 1;
                    }
                }
            }
            if modes > 1 {
                return Err(format!("invalid options [{text}], expecting file mode"));
            }
        }
        Some(other) => return Err(format!("{bad}, found {}", other.kind())),
    }
    const ALL: u32 = 0o7777;
    out.mode &= ALL;
    Ok(out)
}

/// The content of a file, and the value that it comes from.
pub(super) fn data(
    call: &Call<'_, '_>,
    value: &Value,
    options: Options,
    binary: bool,
) -> Result<(String, Vec<u8>), String> {
    let (text, is_text) = match value {
        Value::List(list) if options.multi => {
            let mut out = String::new();
            for item in &list.items {
                out.push_str("---\n");
                out.push_str(&call.ev.text_of_value(&item.value));
            }
            (out, false)
        }
        Value::Map(_) if options.multi => {
            return Err("multi document mode requires a list".into());
        }
        other => argument(call, other, true).unwrap_or_default(),
    };
    let bytes = if options.binary || (binary && is_text) {
        decode_base64(&text).unwrap_or_else(|| text.clone().into_bytes())
    } else {
        text.clone().into_bytes()
    };
    Ok((text, bytes))
}

/// The letters before a name: `#` for base64, `*` for executable, `:` ends them.
pub(super) fn name_marks(name: &str) -> (bool, bool, &str) {
    let (mut binary, mut executable) = (false, false);
    let mut rest = name;
    while let Some(c) = rest.chars().next().filter(|c| "#*:".contains(*c)) {
        binary |= c == '#';
        executable |= c == '*';
        rest = &rest[1..];
        if c == ':' {
            break;
        }
    }
    (binary, executable, rest)
}

fn write(call: &mut Call<'_, '_>) -> Eval<Value> {
    const MODE: u32 = 0o644;
    let (file, value, rest) = match call.args {
        [file, value, rest @ ..] if rest.len() < 2 => (file, value, rest.first()),
        _ => return fail("write requires two or three arguments"),
    };
    if call.ev.options.hermetic {
        return denied("write");
    }
    let Value::Str(file) = file else { return fail("file argument must be a non-empty string") };
    if file.is_empty() {
        return fail("file argument must be a non-empty string");
    }
    let broken = |e: String| Stop::failed(format!("cannot write file: {e}"));
    let options = options(rest, MODE).map_err(broken)?;
    let (binary, _, path) = name_marks(file);
    let (text, bytes) = data(call, value, options, binary).map_err(broken)?;
    let path = home_path(call, path);
    if let Err(e) = call.ev.world.write(&path, &bytes, options.mode) {
        return fail(format!("cannot write file: open {}: {}", path.display(), reason(&e)));
    }
    Ok(Value::str(text))
}

fn tempfile(call: &mut Call<'_, '_>) -> Eval<Value> {
    const MODE: u32 = 0o644;
    let (value, rest) = match call.args {
        [value, rest @ ..] if rest.len() < 2 => (value, rest.first()),
        _ => return fail("temp_file requires exactly one or two arguments"),
    };
    if call.ev.options.hermetic {
        return denied("tempfile");
    }
    let broken = |e: String| Stop::failed(format!("cannot create temporary file: {e}"));
    let options = options(rest, MODE).map_err(broken)?;
    let (_, bytes) = data(call, value, options, false).map_err(broken)?;
    let key = (options.mode, bytes);
    if let Some(path) = call.ev.cache.temporary.get(&key) {
        return Ok(Value::str(path.to_string_lossy().into_owned()));
    }
    match call.ev.world.temporary_file(&key.1, options.mode) {
        Ok(path) => {
            let shown = Value::str(path.to_string_lossy().into_owned());
            call.ev.cache.temporary.insert(key, path);
            Ok(shown)
        }
        Err(e) => Err(broken(e.to_string())),
    }
}

/// Whether a path is a file, or a directory.
fn exists(call: &Call<'_, '_>, path: &str, directory: bool) -> bool {
    let wanted = if directory { EntryKind::Directory } else { EntryKind::File };
    call.ev.world.kind(Path::new(path)) == Some(wanted)
}

fn lookup(call: &Call<'_, '_>, directory: bool) -> Eval<Value> {
    if call.ev.options.hermetic {
        return denied("lookup");
    }
    let [name, places @ ..] = call.args else {
        return fail("lookup_file requires at least two arguments");
    };
    if places.is_empty() {
        return fail("lookup_file requires at least two arguments");
    }
    let mut paths: Vec<&str> = Vec::new();
    for (at, place) in places.iter().enumerate() {
        match place {
            Value::Str(path) => paths.push(path),
            Value::List(list) => {
                for item in &list.items {
                    match &item.value {
                        Value::Null => {}
                        Value::Str(path) => paths.push(path),
                        _ => {
                            return fail(format!(
                                "lookup_file: argument {at} must be a list of strings"
                            ));
                        }
                    }
                }
            }
            _ => {
                return fail(format!(
                    "lookup_file: argument {at} must be a string or a list of strings"
                ));
            }
        }
    }
    let name = text(name, "lookup_file: first argument must be a string")?;
    if name.is_empty() {
        return fail("lookup_file: first argument is empty string");
    }
    let candidates: Vec<String> = if name.starts_with('/') {
        vec![name.to_string()]
    } else {
        paths.iter().filter(|p| !p.is_empty()).map(|p| format!("{p}/{name}")).collect()
    };
    let found = candidates.into_iter().filter(|p| exists(call, p, directory));
    Ok(Value::list(found.map(Value::str)))
}

fn lookup_file(call: &mut Call<'_, '_>) -> Eval<Value> {
    lookup(call, false)
}

fn lookup_dir(call: &mut Call<'_, '_>) -> Eval<Value> {
    lookup(call, true)
}

fn listed(call: &Call<'_, '_>, directory: bool) -> Eval<Value> {
    if call.ev.options.hermetic {
        return denied("listFiles");
    }
    let [name] = call.args else { return fail("list requires exactly one arguments") };
    let name = text(name, "list: argument must be a string")?;
    if name.is_empty() {
        return fail("list: argument is empty string");
    }
    let shown = crate::text::quoted(name);
    if !exists(call, name, true) {
        return fail(format!("list: {shown} is no directory or does not exist"));
    }
    let Ok(entries) = call.ev.world.list(Path::new(name.as_str())) else {
        return fail(format!("list: {shown}:  error reading directory"));
    };
    let wanted = entries.into_iter().filter(|(_, k)| (*k == EntryKind::Directory) == directory);
    Ok(Value::list(wanted.map(|(name, _)| Value::str(name))))
}

fn list_files(call: &mut Call<'_, '_>) -> Eval<Value> {
    listed(call, false)
}

fn list_dirs(call: &mut Call<'_, '_>) -> Eval<Value> {
    listed(call, true)
}

fn mkdir(call: &mut Call<'_, '_>) -> Eval<Value> {
    const MODE: u32 = 0o755;
    if call.ev.options.hermetic {
        return denied("mkdir");
    }
    let (path, mode) = match call.args {
        [path] => (path, None),
        [path, mode] => (path, Some(mode)),
        _ => return fail("mkdir requires one or two arguments"),
    };
    let path = match path {
        Value::List(list) => {
            let mut out = PathBuf::new();
            for (at, item) in list.items.iter().enumerate() {
                match &item.value {
                    Value::Str(part) if !part.is_empty() => {
                        out.push(part.trim_start_matches(if at > 0 { '/' } else { '\0' }));
                    }
                    _ => {
                        return fail(format!("path component {at} must be a non-empty string"));
                    }
                }
            }
            out
        }
        Value::Str(path) => PathBuf::from(path.as_str()),
        _ => return fail("path argument must be a non-empty string"),
    };
    if path.as_os_str().is_empty() {
        return fail("path argument must not be empty");
    }
    let shown = path.to_string_lossy().into_owned();
    let broken = |e: String| {
        Stop::failed(format!("cannot create directory {}: {e}", crate::text::quoted(&shown)))
    };
    let options = match options(mode, MODE) {
        Ok(o) if o.binary => {
            return Err(broken("binary option not support -> only permissions".into()));
        }
        Ok(o) if o.multi => {
            return Err(broken("multi option not support -> only permissions".into()));
        }
        other => other.map_err(broken)?,
    };
    match call.ev.world.make_directory(&path, options.mode) {
        Ok(()) => Ok(Value::str(shown)),
        Err(e) => Err(broken(reason(&e))),
    }
}

pub(super) fn register(table: &mut Table) {
    table.extend([
        eager("read(file, type?)", "The content of a file, read by its type.", read),
        eager(
            "read_uncached(file, type?)",
            "As `read`; the file is read for each call.",
            read_uncached,
        ),
        eager("parse(text, type?)", "The content of a text, read by its type.", parse),
        eager(
            "merge(map...)",
            "Maps merged at their first level, or a template with stubs.",
            merge,
        ),
        eager("write(file, data, options?)", "Writes a file; the result is its data.", write),
        eager(
            "tempfile(data, options?)",
            "The path of a temporary file with this content.",
            tempfile,
        ),
        eager(
            "lookup_file(name, directories...)",
            "The paths of a file in a list of directories.",
            lookup_file,
        ),
        eager(
            "lookup_dir(name, directories...)",
            "The paths of a directory in a list of directories.",
            lookup_dir,
        ),
        eager("list_files(directory, pattern?)", "The files of a directory.", list_files),
        eager("list_dirs(directory, pattern?)", "The directories in a directory.", list_dirs),
        eager("mkdir(path, permissions?)", "Makes a directory with those above it.", mkdir),
    ]);
}
