//! `golang/os`, `golang/os/exec` and `golang/runtime`.

use std::path::{Path, PathBuf};

use ordain_source::EntryKind;

use super::failed;
use crate::functions::errors::go_error;
use crate::functions::os::status;
use crate::functions::{Builtin, Call, Fault, Outcome};
use crate::value::Value;

pub(in crate::functions) const TABLE: &[Builtin] = &[
    Builtin::impure(
        "golang/os.executable",
        "func() str",
        "The path of the running program.",
        executable,
    ),
    Builtin::impure(
        "golang/os.expand_env",
        "func(s str) str",
        "Replaces `$name` and `${name}` by variables of the environment.",
        expand_env,
    ),
    Builtin::impure("golang/os.getegid", "func() int", "The effective group.", |call| {
        status(call, "Gid", 1).map(Value::Int)
    }),
    Builtin::impure(
        "golang/os.getenv",
        "func(key str) str",
        "A variable of the environment; empty if there is none.",
        |call| Ok(variable(call, &call.text(0)?).into()),
    ),
    Builtin::impure("golang/os.geteuid", "func() int", "The effective user.", |call| {
        status(call, "Uid", 1).map(Value::Int)
    }),
    Builtin::impure("golang/os.getgid", "func() int", "The group.", |call| {
        status(call, "Gid", 0).map(Value::Int)
    }),
    Builtin::impure(
        "golang/os.getpagesize",
        "func() int",
        "The bytes of a page of memory.",
        page_size,
    ),
    Builtin::impure("golang/os.getpid", "func() int", "The number of the process.", |call| {
        status(call, "Pid", 0).map(Value::Int)
    }),
    Builtin::impure("golang/os.getppid", "func() int", "The number of the parent.", |call| {
        status(call, "PPid", 0).map(Value::Int)
    }),
    Builtin::impure("golang/os.getuid", "func() int", "The user.", |call| {
        status(call, "Uid", 0).map(Value::Int)
    }),
    Builtin::impure("golang/os.getwd", "func() str", "The working directory.", |call| {
        here(call).map(Value::from)
    }),
    Builtin::impure("golang/os.hostname", "func() str", "The name of this host.", |call| {
        Ok(call.environment.hostname().as_str().into())
    }),
    Builtin::impure(
        "golang/os.mkdir_temp",
        "func(dir str, pattern str) str",
        "Makes a directory with a unique name and returns its path.",
        mkdir_temp,
    )
    .catchable(),
    Builtin::impure(
        "golang/os.read_file",
        "func(name str) str",
        "The content of a file.",
        read_file,
    )
    .catchable(),
    Builtin::impure("golang/os.readlink", "func(name str) str", "The target of a link.", readlink)
        .catchable(),
    Builtin::impure(
        "golang/os.temp_dir",
        "func() str",
        "The directory for temporary files.",
        |call| Ok(temp_dir(call).into()),
    ),
    Builtin::impure(
        "golang/os.user_cache_dir",
        "func() str",
        "The user's cache directory.",
        |call| user_dir(call, "XDG_CACHE_HOME", "/.cache"),
    )
    .catchable(),
    Builtin::impure(
        "golang/os.user_config_dir",
        "func() str",
        "The user's directory for settings.",
        |call| user_dir(call, "XDG_CONFIG_HOME", "/.config"),
    )
    .catchable(),
    Builtin::impure(
        "golang/os.user_home_dir",
        "func() str",
        "The user's home directory.",
        |call| match variable(call, "HOME") {
            home if home.is_empty() => Err(failed("$HOME is not defined")),
            home => Ok(home.into()),
        },
    )
    .catchable(),
    Builtin::impure(
        "golang/os/exec.look_path",
        "func(file str) str",
        "The path of a program.",
        look_path,
    )
    .catchable(),
    Builtin::impure("golang/runtime.cpu_profile", "func() str", "Refused: it is no Go.", refused),
    Builtin::impure(
        "golang/runtime.gomaxprocs",
        "func(n int) int",
        "The number of processors, which is not limited.",
        processors,
    ),
    Builtin::impure("golang/runtime.goroot", "func() str", "Nothing: there is no Go.", |_| {
        Ok("".into())
    }),
    Builtin::impure("golang/runtime.num_cgo_call", "func() int", "0.", |_| Ok(0.into())),
    Builtin::impure(
        "golang/runtime.num_cpu",
        "func() int",
        "The number of processors.",
        processors,
    ),
    Builtin::impure("golang/runtime.num_goroutine", "func() int", "1.", |_| Ok(1.into())),
    Builtin::impure("golang/runtime.read_trace", "func() str", "Refused: it is no Go.", refused),
    Builtin::impure(
        "golang/runtime.set_mutex_profile_fraction",
        "func(rate int) int",
        "0: nothing is profiled.",
        |_| Ok(0.into()),
    ),
    Builtin::impure(
        "golang/runtime.stack",
        "func(buf str, all bool) int",
        "Refused: it is no Go.",
        refused,
    ),
    Builtin::impure(
        "golang/runtime.version",
        "func() str",
        "The version of Go whose behaviour is followed.",
        |_| Ok("go1.26".into()),
    ),
];

fn refused(_: &mut Call<'_>) -> Outcome {
    Err(Fault::fatal("this function looks into a running Go program, and this is none"))
}

fn variable(call: &Call<'_>, name: &str) -> String {
    call.environment.world().env(name).unwrap_or_default()
}

fn shown(path: PathBuf) -> String {
    path.to_string_lossy().into_owned()
}

/// The working directory.
pub(super) fn here(call: &Call<'_>) -> Result<String, Fault> {
    let found = call.environment.world().resolve(Path::new("."));
    found.map(shown).ok_or_else(|| failed("getwd: no such file or directory"))
}

fn executable(call: &mut Call<'_>) -> Outcome {
    let found = call.environment.world().resolve(Path::new("/proc/self/exe"));
    found
        .map(|path| shown(path).into())
        .ok_or_else(|| failed("the path of the program is not known"))
}

fn expand_env(call: &mut Call<'_>) -> Outcome {
    let value = |name: &str| variable(call, name).into_bytes();
    let expanded = ordain_functions::go::strings::expand(call.bytes(0)?, &value);
    Ok(Value::bytes(expanded))
}

fn page_size(_: &mut Call<'_>) -> Outcome {
    const PAGE: i64 = 4096;
    Ok(PAGE.into())
}

fn processors(_: &mut Call<'_>) -> Outcome {
    let count = std::thread::available_parallelism().map_or(1, usize::from);
    Ok(Value::Int(i64::try_from(count).unwrap_or(1)))
}

fn temp_dir(call: &Call<'_>) -> String {
    match variable(call, "TMPDIR") {
        directory if directory.is_empty() => "/tmp".into(),
        directory => directory,
    }
}

fn mkdir_temp(call: &mut Call<'_>) -> Outcome {
    let (directory, pattern) = (call.text(0)?, call.text(1)?);
    if pattern.contains('/') {
        return Err(failed(format!("mkdirtemp {pattern}: pattern contains path separator")));
    }
    let directory = if directory.is_empty() { temp_dir(call) } else { directory.into_owned() };
    let (before, after) = pattern.rsplit_once('*').unwrap_or((&pattern, ""));
    let world = call.environment.world();
    let number = u32::try_from(world.random() >> 32).unwrap_or(0);
    let path = Path::new(&directory).join(format!("{before}{number}{after}"));
    let made = world.make_directory(&path, 0o700);
    let text = shown(path);
    made.map(|()| text.as_str().into()).map_err(|error| failed(go_error("mkdir", &text, &error)))
}

fn read_file(call: &mut Call<'_>) -> Outcome {
    let path = call.text(0)?;
    let content = call.environment.world().read(Path::new(path.as_ref()));
    content.map(Value::bytes).map_err(|error| failed(go_error("open", &path, &error)))
}

fn readlink(call: &mut Call<'_>) -> Outcome {
    let path = call.text(0)?;
    let target = call.environment.world().read_link(Path::new(path.as_ref()));
    target.map(|target| shown(target).into()).map_err(|error| match error.kind() {
        std::io::ErrorKind::InvalidInput => failed(format!("readlink {path}: invalid argument")),
        _ => failed(go_error("readlink", &path, &error)),
    })
}

fn user_dir(call: &mut Call<'_>, name: &str, below: &str) -> Outcome {
    let given = variable(call, name);
    if !given.is_empty() {
        if !given.starts_with('/') {
            return Err(failed(format!("path in ${name} is relative")));
        }
        return Ok(given.into());
    }
    match variable(call, "HOME") {
        home if home.is_empty() => Err(failed(format!("neither ${name} nor $HOME are defined"))),
        home => Ok(format!("{home}{below}").into()),
    }
}

fn look_path(call: &mut Call<'_>) -> Outcome {
    let name = call.text(0)?;
    let world = call.environment.world();
    let is_file = |path: &Path| world.kind(path) == Some(EntryKind::File);
    let shown_name = ordain_functions::go::quote::quote(name.as_bytes());
    if name.contains('/') {
        let missing =
            || failed(format!("exec: {shown_name}: stat {name}: no such file or directory"));
        return is_file(Path::new(name.as_ref())).then(|| name.as_ref().into()).ok_or_else(missing);
    }
    let path = variable(call, "PATH");
    let mut candidates = path.split(':').map(|directory| Path::new(directory).join(name.as_ref()));
    let found = candidates.find(|candidate| is_file(candidate));
    let missing = || failed(format!("exec: {shown_name}: executable file not found in $PATH"));
    found.map(|path| shown(path).into()).ok_or_else(missing)
}
