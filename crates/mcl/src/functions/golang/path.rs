//! `golang/path` and `golang/path/filepath`.

use std::path::Path;

use ordain_functions::go::path;

use super::failed;
use crate::functions::{Builtin, Call, Outcome};
use crate::value::Value;

const BASE: &str = "The last part of a path.";
const CLEAN_DOC: &str = "The shortest equivalent path.";
const DIR: &str = "All but the last part of a path.";
const EXT: &str = "The extension of a path with its dot.";
const IS_ABS: &str = "Whether a path begins at the root.";
const JOIN: &str = "The parts that are not empty as one path.";
const MATCH: &str = "Whether a name matches a pattern of `*`, `?` and `[a-z]`.";

pub(in crate::functions) const TABLE: &[Builtin] = &[
    Builtin::pure("golang/path.base", "func(path str) str", BASE, base),
    Builtin::pure("golang/path.clean", "func(path str) str", CLEAN_DOC, clean),
    Builtin::pure("golang/path.dir", "func(path str) str", DIR, dir),
    Builtin::pure("golang/path.ext", "func(path str) str", EXT, ext),
    Builtin::pure("golang/path.is_abs", "func(path str) bool", IS_ABS, is_abs),
    Builtin::pure("golang/path.join", "func(elem []str) str", JOIN, join),
    Builtin::pure("golang/path.match", "func(pattern str, name str) bool", MATCH, matches)
        .catchable(),
    Builtin::impure(
        "golang/path/filepath.abs",
        "func(path str) str",
        "A path from the root on.",
        abs,
    )
    .catchable(),
    Builtin::pure("golang/path/filepath.base", "func(path str) str", BASE, base),
    Builtin::pure("golang/path/filepath.clean", "func(path str) str", CLEAN_DOC, clean),
    Builtin::pure("golang/path/filepath.dir", "func(path str) str", DIR, dir),
    Builtin::impure(
        "golang/path/filepath.eval_symlinks",
        "func(path str) str",
        "A path with all links followed.",
        eval_symlinks,
    )
    .catchable(),
    Builtin::pure("golang/path/filepath.ext", "func(path str) str", EXT, ext),
    Builtin::pure("golang/path/filepath.from_slash", "func(path str) str", "The same path.", same),
    Builtin::pure(
        "golang/path/filepath.has_prefix",
        "func(p str, prefix str) bool",
        "Whether a path begins with a text.",
        |call| Ok(call.bytes(0)?.starts_with(call.bytes(1)?).into()),
    ),
    Builtin::pure("golang/path/filepath.is_abs", "func(path str) bool", IS_ABS, is_abs),
    Builtin::pure(
        "golang/path/filepath.is_local",
        "func(path str) bool",
        "Whether a path stays below the directory that it is relative to.",
        |call| Ok(path::is_local(call.bytes(0)?).into()),
    ),
    Builtin::pure("golang/path/filepath.join", "func(elem []str) str", JOIN, join),
    Builtin::pure(
        "golang/path/filepath.localize",
        "func(path str) str",
        "A path with slashes as one of this system, if it stays below its directory.",
        |call| path::localize(call.bytes(0)?).map(Value::bytes).map_err(failed),
    )
    .catchable(),
    Builtin::pure("golang/path/filepath.match", "func(pattern str, name str) bool", MATCH, matches)
        .catchable(),
    Builtin::pure(
        "golang/path/filepath.rel",
        "func(basePath str, targPath str) str",
        "The relative path from one path to another.",
        |call| path::rel(call.bytes(0)?, call.bytes(1)?).map(Value::bytes).map_err(failed),
    )
    .catchable(),
    Builtin::pure("golang/path/filepath.to_slash", "func(path str) str", "The same path.", same),
    Builtin::pure(
        "golang/path/filepath.volume_name",
        "func(path str) str",
        "Nothing: this system has no volumes.",
        |_| Ok("".into()),
    ),
];

fn same(call: &mut Call<'_>) -> Outcome {
    call.value(0).cloned()
}

fn base(call: &mut Call<'_>) -> Outcome {
    Ok(Value::bytes(path::base(call.bytes(0)?)))
}

fn clean(call: &mut Call<'_>) -> Outcome {
    Ok(Value::bytes(path::clean(call.bytes(0)?)))
}

fn dir(call: &mut Call<'_>) -> Outcome {
    Ok(Value::bytes(path::dir(call.bytes(0)?)))
}

fn ext(call: &mut Call<'_>) -> Outcome {
    Ok(Value::bytes(path::ext(call.bytes(0)?)))
}

fn is_abs(call: &mut Call<'_>) -> Outcome {
    Ok(call.bytes(0)?.starts_with(b"/").into())
}

fn join(call: &mut Call<'_>) -> Outcome {
    let parts = call.list(0)?.iter().filter_map(Value::as_str);
    let parts: Vec<&[u8]> = parts.map(|part| part.as_bytes()).collect();
    Ok(Value::bytes(path::join(&parts)))
}

fn matches(call: &mut Call<'_>) -> Outcome {
    path::matches(call.bytes(0)?, call.bytes(1)?).map(Value::Bool).map_err(failed)
}

fn abs(call: &mut Call<'_>) -> Outcome {
    let given = call.bytes(0)?;
    if given.starts_with(b"/") {
        return clean(call);
    }
    let here = super::os::here(call)?;
    Ok(Value::bytes(path::join(&[here.as_bytes(), given])))
}

fn eval_symlinks(call: &mut Call<'_>) -> Outcome {
    let given = call.text(0)?;
    let found = call.environment.world().resolve(Path::new(given.as_ref()));
    let missing = || failed(format!("lstat {given}: no such file or directory"));
    Ok(found.ok_or_else(missing)?.to_string_lossy().into_owned().into())
}
