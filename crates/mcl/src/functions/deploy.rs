//! `deploy` and `local`: the files of a deploy, and the program's own data on this host.

use std::path::{Path, PathBuf};

use ordain_functions::go;
use ordain_source::EntryKind;

use super::{Builtin, Call, Fault, Outcome};
use crate::value::Value;

pub(super) const TABLE: &[Builtin] = &[
    Builtin::impure(
        "deploy.abspath",
        "func(path str) str",
        "The path in the deploy of a path of this module.",
        abspath,
    ),
    Builtin::impure(
        "deploy.binary_path",
        "func() str",
        "The path of the running program.",
        binary_path,
    ),
    Builtin::pure(
        "deploy.bootstrap_packages",
        "func(str) []str",
        "The packages that the original needs on a distribution.",
        bootstrap_packages,
    ),
    Builtin::impure(
        "deploy.directory",
        "func(directory str) str",
        "Copies a directory of this module to this host and returns its path there.",
        directory,
    ),
    Builtin::impure(
        "deploy.file_exists",
        "func(filename str) bool",
        "Whether this module has a file.",
        file_exists,
    ),
    Builtin::impure(
        "deploy.readfile",
        "func(filename str) str",
        "The content of a file of this module.",
        readfile,
    ),
    Builtin::impure(
        "deploy.readfileabs",
        "func(filename str) str",
        "The content of a file of the deploy.",
        readfileabs,
    ),
    Builtin::impure(
        "local.pool",
        "func(namespace str, uid str) int",
        "A small positive number for a name, the same in each run.",
        pool,
    ),
    Builtin::impure(
        "local.vardir",
        "func(path str) str",
        "A persistent directory on this host.",
        vardir,
    ),
];

/// A path of the calling module as a path of the deploy.
fn in_module(call: &Call<'_>, what: &str) -> Result<String, Fault> {
    let path = call.text(0)?;
    if !path.starts_with('/') {
        return Err(Fault::fatal(format!("{what} was not absolute, got: `{path}`")));
    }
    Ok(format!("{}{path}", call.base))
}

/// A path of the deploy on this host. It cannot lead out of the deploy.
fn on_host(call: &Call<'_>, path: &str) -> Result<PathBuf, Fault> {
    let root = call.environment.deploy_root();
    let root = root.ok_or_else(|| Fault::fatal("there is no deploy to read files from"))?;
    let inside = go::path::clean(format!("/{path}").as_bytes());
    let inside = String::from_utf8_lossy(&inside).into_owned();
    Ok(root.join(inside.trim_start_matches('/')))
}

fn abspath(call: &mut Call<'_>) -> Outcome {
    if call.str(0)?.is_empty() {
        return Ok(format!("{}/", call.base).into());
    }
    in_module(call, "path").map(Into::into)
}

fn binary_path(call: &mut Call<'_>) -> Outcome {
    let path = call.environment.world().resolve(Path::new("/proc/self/exe"));
    let path = path.ok_or_else(|| Fault::fatal("the path of the program is not known"))?;
    Ok(path.to_string_lossy().into_owned().into())
}

fn bootstrap_packages(call: &mut Call<'_>) -> Outcome {
    let packages: [&str; 3] = match call.bytes(0)? {
        b"debian" => ["libaugeas-dev", "libvirt-dev", "packagekit-tools"],
        b"fedora" => ["augeas-devel", "libvirt-devel", "PackageKit"],
        _ => return Err(Fault::fatal("missing distro")),
    };
    Ok(Value::list(packages.map(Value::from)))
}

fn file_exists(call: &mut Call<'_>) -> Outcome {
    let path = on_host(call, &in_module(call, "filename")?)?;
    Ok(call.environment.world().kind(&path).is_some().into())
}

fn read(call: &Call<'_>, path: &str, shown: &str) -> Outcome {
    let file = on_host(call, path)?;
    let content = call.environment.world().read(&file);
    content.map(Value::bytes).map_err(|error| {
        let reason = super::errors::go_error("open", path, &error);
        Fault::fatal(format!("can't read file {shown}: {reason}"))
    })
}

fn readfile(call: &mut Call<'_>) -> Outcome {
    let path = in_module(call, "filename")?;
    read(call, &path, &format!("`{}` ({path})", call.text(0)?))
}

fn readfileabs(call: &mut Call<'_>) -> Outcome {
    let path = call.text(0)?;
    read(call, &path, &format!("`{path}`"))
}

/// The maximal number of files and the maximal depth of a directory that is copied.
const MAX_FILES: usize = 100_000;
const MAX_DEPTH: usize = 100;

fn directory(call: &mut Call<'_>) -> Outcome {
    let path = in_module(call, "directory")?;
    if !path.ends_with('/') {
        return Err(Fault::fatal("directory path must be a dir"));
    }
    if path == "//" {
        return Err(Fault::fatal("path can't be two slashes"));
    }
    let from = on_host(call, &path)?;
    let to = keep(call, &format!("directory/{}", path.trim_start_matches('/')))?;
    let world = call.environment.world();
    let failed = |error: std::io::Error| Fault::fatal(format!("can't copy `{path}`: {error}"));
    let mut left = vec![(from, PathBuf::from(&to), 0)];
    let mut count = 0;
    while let Some((from, to, depth)) = left.pop() {
        world.make_directory(&to, 0o755).map_err(failed)?;
        for (name, kind) in world.list(&from).map_err(failed)? {
            count += 1;
            if count > MAX_FILES || depth > MAX_DEPTH {
                return Err(Fault::fatal(format!("`{path}` has too many files to be copied")));
            }
            let (source, target) = (from.join(&name), to.join(&name));
            if kind == EntryKind::Directory {
                left.push((source, target, depth + 1));
                continue;
            }
            let content = world.read(&source).map_err(failed)?;
            // An equal file is not written again, because somebody may watch it.
            if world.read(&target).ok().as_ref() != Some(&content) {
                world.write(&target, &content, 0o644).map_err(failed)?;
            }
        }
    }
    Ok(to.into())
}

/// The program's own directory, which is created if needed. Its path ends with a slash.
fn keep(call: &Call<'_>, path: &str) -> Result<String, Fault> {
    let root = call.environment.state_directory();
    let root = root.ok_or_else(|| Fault::fatal("the program keeps no files here"))?;
    let inside = go::path::clean(format!("/{path}").as_bytes());
    let inside = String::from_utf8_lossy(&inside).into_owned();
    let found = root.join(inside.trim_start_matches('/'));
    call.environment
        .world()
        .make_directory(&found, 0o755)
        .map_err(|error| Fault::fatal(error.to_string()))?;
    Ok(format!("{}/", found.display()))
}

fn vardir(call: &mut Call<'_>) -> Outcome {
    let path = call.text(0)?;
    if path.starts_with('/') {
        return Err(Fault::fatal("path must be relative"));
    }
    if !path.ends_with('/') {
        return Err(Fault::fatal("path must be a dir"));
    }
    keep(call, &format!("functions/{path}")).map(Into::into)
}

fn pool(call: &mut Call<'_>) -> Outcome {
    let (namespace, uid) = (call.text(0)?, call.text(1)?);
    for (name, text) in [("namespace", &namespace), ("uid", &uid)] {
        if text.is_empty() {
            return Err(Fault::fatal(format!("{name} is empty")));
        }
        if text.contains('/') {
            return Err(Fault::fatal(format!("{name} contains slash")));
        }
    }
    let directory = keep(call, &format!("pool/{namespace}"))?;
    let directory = Path::new(&directory);
    let world = call.environment.world();
    let number = |name: &str| -> Option<i64> {
        let content = world.read(&directory.join(name)).ok()?;
        String::from_utf8_lossy(&content).trim().parse().ok().filter(|number| *number > 0)
    };
    if let Some(known) = number(&uid) {
        return Ok(known.into());
    }
    let entries = world.list(directory).unwrap_or_default();
    let mut taken: Vec<i64> = entries.iter().filter_map(|(name, _)| number(name)).collect();
    taken.sort_unstable();
    let free = taken.iter().fold(1, |free, number| if *number == free { free + 1 } else { free });
    world
        .write(&directory.join(uid.as_ref()), format!("{free}\n").as_bytes(), 0o600)
        .map_err(|error| Fault::fatal(error.to_string()))?;
    Ok(free.into())
}
