//! `os`: the operating system, its users and files.

use std::path::Path;

use ordain_functions::go;

use super::{Builtin, Call, Fault, Outcome, Watch, sys};
use crate::value::{Struct, Value};

pub(super) const TABLE: &[Builtin] = &[
    Builtin {
        is_speculated: true,
        ..Builtin::impure("os.args", "func() []str", "The arguments of the program.", args)
    },
    Builtin::impure(
        "os.expand_home",
        "func(str) str",
        "A path with the home directory in place of `~/` or `~user/`.",
        expand_home,
    ),
    Builtin::impure(
        "os.family",
        "func() str",
        "The family of this system, empty if unknown.",
        family,
    ),
    Builtin::stream(
        "os.file_exists",
        "func(filename str) bool",
        "Whether a file or directory exists.",
        file_exists,
    ),
    Builtin::impure(
        "os.home",
        "func(str) str",
        "The home directory of a user, with a slash.",
        home,
    ),
    Builtin::impure(
        "os.is_family_archlinux",
        "func() bool",
        "Whether this system is of the family of Arch Linux.",
        |call| is_file(call, ARCHLINUX),
    ),
    Builtin::impure(
        "os.is_family_debian",
        "func() bool",
        "Whether this system is of the family of Debian.",
        |call| is_file(call, DEBIAN),
    ),
    Builtin::impure(
        "os.is_family_redhat",
        "func() bool",
        "Whether this system is of the family of Red Hat.",
        |call| is_file(call, REDHAT),
    ),
    Builtin::impure(
        "os.is_virtual",
        "func() bool",
        "Whether this machine is a virtual one.",
        is_virtual,
    ),
    Builtin::stream(
        "os.modinfo_loaded",
        "func(module str) bool",
        "Whether a module of the kernel is loaded.",
        modinfo_loaded,
    ),
    Builtin::pure(
        "os.parse_distro_uid",
        "func(str) struct{distro str; version str; arch str}",
        "The parts of a text like `fedora41-x86_64`; empty for other texts.",
        parse_distro_uid,
    ),
    Builtin::stream("os.readfile", "func(filename str) str", "The content of a file.", readfile)
        .catchable(),
    Builtin::impure(
        "os.release",
        "func() struct{id str; variant_id str; version_id str}",
        "The values of `/etc/os-release`.",
        release,
    ),
    Builtin::stream(
        "os.system",
        "func(cmd str) str",
        "The last line of the output of a shell command, which may keep running and write more.",
        system,
    ),
    Builtin::impure("os.uid", "func(str) str", "The number of a user.", uid),
    Builtin::stream("os.user_exists", "func(user str) bool", "Whether a user exists.", user_exists),
];

const REDHAT: &str = "/etc/redhat-release";
const DEBIAN: &str = "/etc/debian_version";
const ARCHLINUX: &str = "/etc/arch-release";

fn has(call: &Call<'_>, path: &str) -> bool {
    call.environment.world().kind(Path::new(path)).is_some()
}

fn is_file(call: &mut Call<'_>, path: &str) -> Outcome {
    Ok(has(call, path).into())
}

fn family(call: &mut Call<'_>) -> Outcome {
    let families = [("redhat", REDHAT), ("debian", DEBIAN), ("archlinux", ARCHLINUX)];
    let found = families.into_iter().find(|(_, path)| has(call, path));
    Ok(found.map_or("", |(name, _)| name).into())
}

fn args(call: &mut Call<'_>) -> Outcome {
    let args = call.environment.arguments();
    Ok(Value::list(args.iter().map(|arg| arg.as_str().into())))
}

/// A user of this machine.
pub(super) struct User {
    pub uid: String,
    pub home: String,
}

/// The system's file of users.
const USERS: &str = "/etc/passwd";

/// A user whose line of fields satisfies a condition.
pub(super) fn user(call: &Call<'_>, is_it: impl Fn(&[&str]) -> bool) -> Option<User> {
    let text = sys::read(call, USERS).ok()?;
    let mut lines = text.lines().map(|line| line.split(':').collect::<Vec<&str>>());
    let fields = lines.find(|fields| fields.len() >= 6 && is_it(fields))?;
    Some(User { uid: (*fields.get(2)?).into(), home: (*fields.get(5)?).into() })
}

fn named(call: &Call<'_>, name: &str) -> Result<User, Fault> {
    let found = user(call, |fields| fields.first() == Some(&name));
    found.ok_or_else(|| Fault::fatal(format!("user: unknown user {name}")))
}

/// A number of this process in `/proc`, such as `Uid` or `Pid`.
pub(super) fn status(call: &Call<'_>, key: &str, column: usize) -> Result<i64, Fault> {
    let text = sys::read(call, "/proc/self/status")?;
    let mut lines = text.lines().filter_map(|line| line.split_once(':'));
    let found = lines.find(|(name, _)| *name == key);
    let number = found.and_then(|(_, rest)| rest.split_whitespace().nth(column)?.parse().ok());
    number.ok_or_else(|| Fault::fatal(format!("the system does not say the {key} of the process")))
}

fn expand_home(call: &mut Call<'_>) -> Outcome {
    let path = call.text(0)?;
    let (name, rest, user) = if let Some(rest) = path.strip_prefix("~/") {
        let uid = status(call, "Uid", 0)?.to_string();
        ("~", rest, user(call, |fields| fields.get(2) == Some(&uid.as_str())))
    } else if let Some((name, rest)) = path.strip_prefix('~').and_then(|rest| rest.split_once('/'))
    {
        (name, rest, user(call, |fields| fields.first() == Some(&name)))
    } else {
        return call.value(0).cloned();
    };
    let missing = || {
        let what = if name == "~" { "~".to_owned() } else { format!("~{name}/") };
        Fault::fatal(format!("can't expand {what} into home directory"))
    };
    let home = user.ok_or_else(missing)?.home;
    let mut joined = go::path::join(&[home.as_bytes(), rest.as_bytes()]);
    if path.ends_with('/') {
        joined.push(b'/');
    }
    Ok(Value::bytes(joined))
}

fn home(call: &mut Call<'_>) -> Outcome {
    let mut home = named(call, &call.text(0)?)?.home;
    if !home.ends_with('/') {
        home.push('/');
    }
    Ok(home.into())
}

fn uid(call: &mut Call<'_>) -> Outcome {
    Ok(named(call, &call.text(0)?)?.uid.into())
}

fn user_exists(call: &mut Call<'_>) -> Outcome {
    let found = named(call, &call.text(0)?).is_ok();
    call.watch(Watch::File(USERS.into()));
    Ok(found.into())
}

fn file_exists(call: &mut Call<'_>) -> Outcome {
    let path = call.text(0)?;
    call.watch(Watch::File(path.as_ref().into()));
    is_file(call, &path)
}

pub(super) fn readfile(call: &mut Call<'_>) -> Outcome {
    let path = call.text(0)?;
    call.watch(Watch::File(path.as_ref().into()));
    let content = call.environment.world().read(Path::new(path.as_ref()));
    content.map(Value::bytes).map_err(|error| {
        if error.kind() == std::io::ErrorKind::NotFound {
            let text = format!("error reading file: open {path}: no such file or directory");
            Fault::catchable(text)
        } else {
            Fault::fatal(format!(
                "error reading file: {}",
                super::errors::go_error("open", &path, &error)
            ))
        }
    })
}

const HARDWARE: [&str; 5] = [
    "/sys/class/dmi/id/product_name",
    "/sys/class/dmi/id/sys_vendor",
    "/sys/class/dmi/id/board_vendor",
    "/sys/class/dmi/id/bios_vendor",
    "/sys/class/dmi/id/product_version",
];

/// Product names of virtual machines.
const VIRTUAL: [&str; 15] = [
    "Amazon EC2",
    "Apple Virtualization",
    "BHYVE",
    "Bochs",
    "Google Computer Engine",
    "Hyper-V",
    "innotek GmbH",
    "KubeVirt",
    "KVM",
    "OpenStack",
    "Oracle Corporation",
    "Parallels",
    "QEMU",
    "VMware",
    "Xen",
];

fn is_virtual(call: &mut Call<'_>) -> Outcome {
    if sys::read(call, "/proc/cpuinfo")?.contains("hypervisor") {
        return Ok(true.into());
    }
    let texts = HARDWARE.iter().filter_map(|path| sys::read(call, path).ok());
    let is_virtual = |text: String| VIRTUAL.iter().any(|name| text.contains(name));
    Ok(texts.into_iter().any(is_virtual).into())
}

fn modinfo_loaded(call: &mut Call<'_>) -> Outcome {
    const MODULES: &str = "/proc/modules";
    let name = call.text(0)?;
    let text = sys::read(call, MODULES)
        .map_err(|fault| Fault::fatal(format!("error reading modules: {fault}")))?;
    call.watch(Watch::File(MODULES.into()));
    Ok(text.lines().any(|line| line.split(' ').next() == Some(&*name)).into())
}

fn parse_distro_uid(call: &mut Call<'_>) -> Outcome {
    let text = call.text(0)?;
    let (before, arch) = text.split_once('-').unwrap_or_default();
    let distro = before.trim_end_matches(|c: char| c.is_ascii_digit());
    let version = before.get(distro.len()..).unwrap_or("");
    let is_whole = ![distro, version, arch].contains(&"");
    let part = |part: &str| Value::from(if is_whole { part } else { "" });
    let fields = [("distro", part(distro)), ("version", part(version)), ("arch", part(arch))];
    Ok(Struct::of(fields).into())
}

fn release(call: &mut Call<'_>) -> Outcome {
    let text = sys::read(call, "/etc/os-release")
        .or_else(|_| sys::read(call, "/usr/lib/os-release"))
        .map_err(|fault| Fault::fatal(format!("ParseOSRelease failed: {fault}")))?;
    let value = |key: &str| {
        let mut lines = text.lines().filter_map(|line| line.split_once('='));
        let found =
            lines.find(|(name, _)| name.trim() == key).map_or("", |(_, value)| value.trim());
        Value::from(found.trim_matches(['"', '\'']))
    };
    let fields = [
        ("id", value("ID")),
        ("variant_id", value("VARIANT_ID")),
        ("version_id", value("VERSION_ID")),
    ];
    Ok(Struct::of(fields).into())
}

fn system(call: &mut Call<'_>) -> Outcome {
    let command = call.text(0)?;
    call.watch(Watch::Command(command.as_ref().into()));
    match call.environment.line(&command) {
        Ok(Some(line)) => Ok(line.as_str().into()),
        Ok(None) => Err(Fault::waiting()),
        Err(reason) => Err(Fault::fatal(reason)),
    }
}
