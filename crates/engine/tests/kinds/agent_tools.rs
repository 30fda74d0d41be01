//! Kinds of Puppet's agent with simulated tools: SELinux and ZFS; and mail aliases.

use std::path::Path;

use crate::support::{Machine, errors, fails, list, parse, s, says, word};
use ordain_data::Value;
use ordain_engine::kind::Kind;
use ordain_engine::kinds::mailalias::Mailalias;
use ordain_engine::kinds::selinux::{Selboolean, Selmodule};
use ordain_engine::kinds::zfs::{Zfs, Zpool};
use ordain_engine::runner::{Invocation, Outcome};

/// The words of a command without the change of the root directory.
fn words(invocation: &Invocation) -> Vec<String> {
    (2..invocation.launch.argv.len()).map(|at| word(invocation, at)).collect()
}

/// The commands that changed something, without the paths of the tools.
fn changing(machine: &Machine) -> Vec<String> {
    let all = machine.invocations();
    let lines = all.iter().map(|invocation| {
        let words = words(invocation);
        let tool = words[0].rsplit('/').next().unwrap().to_string();
        [&[tool], &words[1..]].concat().join(" ")
    });
    let asks = ["getsebool", "semodule --list", "zfs list", "zfs get", "zpool status", "zpool get"];
    lines.filter(|line| !asks.iter().any(|ask| line.starts_with(ask))).collect()
}

fn file(root: &Path, name: &str) -> String {
    std::fs::read_to_string(root.join(name)).unwrap_or_default()
}

fn keep(root: &Path, name: &str, text: &str) {
    std::fs::write(root.join(name), text).unwrap();
}

#[test]
fn aliases_of_mail() {
    let machine = Machine::silent();
    machine.write("etc/aliases", "# mine\npostmaster: root\nftp: a, \"|/bin/x y\"\n");
    let kind = Mailalias::default();
    let to = |all: &[&str]| parse(&kind, "ftp", &[("recipient", list(all))]);
    assert_eq!(machine.messages(&*to(&["a", "|/bin/x y"])), [""; 0]);
    let output = machine.converge(&*to(&["root", "|/bin/x y"]));
    assert_eq!(
        output,
        ["recipient: recipient changed ['a', '|/bin/x y'] to ['root', '|/bin/x y']"]
    );
    let included = parse(&kind, "all", &[("file", s("/etc/all"))]);
    assert_eq!(machine.converge(&*included), ["ensure: created"]);
    machine.converge(&*parse(&kind, "postmaster", &[("ensure", s("absent"))]));
    let wanted = "# mine\nftp: root,\"|/bin/x y\"\nall: :include: /etc/all\n";
    assert_eq!(machine.read("etc/aliases"), wanted);
    let names: Vec<_> = kind.instances(&machine.host).unwrap();
    let names: Vec<_> = names.iter().map(|resource| resource.id.title.to_string()).collect();
    assert_eq!(names, ["ftp", "all"]);
    let both = [("recipient", s("a")), ("file", s("b"))];
    assert_eq!(errors(&kind, "x", &both).len(), 2);
    assert!(parse(&kind, "x", &[]).compare(&machine.host).is_err());
}

/// SELinux with one setting and one module.
fn selinux(root: &Path, invocation: &Invocation) -> Outcome {
    let words = words(invocation);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["/usr/sbin/getsebool", "web"] => says(&format!("web --> {}\n", file(root, "web"))),
        ["/usr/sbin/getsebool", name] => {
            fails(1, &format!("Error getting active value for {name}"))
        }
        ["/usr/sbin/setsebool", "-P", "web", value] | ["/usr/sbin/setsebool", "web", value] => {
            keep(root, "web", value);
            says("")
        }
        ["/usr/sbin/semodule", "--list"] => says(&file(root, "modules")),
        ["/usr/sbin/semodule", "--install" | "--upgrade", _] => {
            keep(root, "modules", "base\t1\nweb\t1.2\n");
            says("")
        }
        ["/usr/sbin/semodule", "--remove", "web"] => {
            keep(root, "modules", "base\t1\n");
            says("")
        }
        other => panic!("unexpected {other:?}"),
    }
}

#[test]
fn settings_of_selinux() {
    let machine = Machine::answering(selinux);
    machine.write("web", "off");
    let on = parse(&Selboolean, "web", &[("value", Value::Bool(true))]);
    assert_eq!(machine.converge(&*on), ["value: value changed 'off' to 'on'"]);
    assert_eq!(changing(&machine), ["setsebool web on"]);
    let off = [("value", s("off")), ("persistent", Value::Bool(true))];
    machine.converge(&*parse(&Selboolean, "web", &off));
    assert_eq!(changing(&machine), ["setsebool -P web off"]);
    let none = parse(&Selboolean, "none", &[("value", s("on"))]);
    let error = none.compare(&machine.host).unwrap_err();
    assert!(error.0.contains("Error getting active value for none"), "{error}");
    assert_eq!(errors(&Selboolean, "-P", &[("value", s("maybe"))]).len(), 2);
}

#[test]
fn modules_of_selinux() {
    let machine = Machine::answering(selinux);
    machine.write("modules", "base\t1\n");
    let module = parse(&Selmodule, "web", &[]);
    assert_eq!(module.autorequires()[0].to_string(), "File[/usr/share/selinux/targeted/web.pp]");
    assert_eq!(machine.converge(&*module), ["ensure: created"]);
    assert_eq!(changing(&machine), ["semodule --install /usr/share/selinux/targeted/web.pp"]);
    let sync = [("syncversion", Value::Bool(true)), ("selmodulepath", s("/web.pp"))];
    let sync = parse(&Selmodule, "web", &sync);
    machine.write("web.pp", module_file("1.2"));
    assert_eq!(machine.messages(&*sync), [""; 0]);
    machine.write("modules", "web\t1.1\n");
    machine.invocations();
    let output = machine.converge(&*sync);
    assert_eq!(output, ["syncversion: syncversion changed '1.1' to '1.2'"]);
    assert_eq!(changing(&machine), ["semodule --upgrade /web.pp"]);
    machine.write("web.pp", "nothing");
    assert!(sync.compare(&machine.host).is_err());
    machine.invocations();
    machine.converge(&*parse(&Selmodule, "web", &[("ensure", s("absent"))]));
    assert_eq!(changing(&machine), ["semodule --remove web"]);
}

/// A file of a module with this version.
fn module_file(version: &str) -> Vec<u8> {
    let mut bytes: Vec<u8> =
        [0xf97c_ff8f_u32, 1, 1, 16, 0].iter().flat_map(|n| n.to_le_bytes()).collect();
    let text = |bytes: &mut Vec<u8>, text: &str| {
        bytes.extend((text.len() as u32).to_le_bytes());
        bytes.extend(text.as_bytes());
    };
    text(&mut bytes, "");
    text(&mut bytes, "SE Linux Module");
    bytes.extend([0; 14]);
    text(&mut bytes, "web");
    text(&mut bytes, version);
    bytes
}

/// ZFS with a file system and a pool, each there or not.
fn zfs(root: &Path, invocation: &Invocation) -> Outcome {
    let words = words(invocation);
    let tool = words[0].rsplit('/').next().unwrap();
    let words: Vec<&str> =
        std::iter::once(tool).chain(words[1..].iter().map(String::as_str)).collect();
    let value = |name: &str| {
        let all = file(root, "properties");
        let found = all.lines().rev().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
        found.map(|value| says(&format!("{value}\n")))
    };
    match words.as_slice() {
        ["zfs", "list", "tank/a"] if root.join("system").exists() => says("tank/a\n"),
        ["zfs", "list", name] => fails(1, &format!("cannot open '{name}'")),
        ["zfs" | "zpool", "get", "-H", "-o", "value", name, _] => {
            value(name).unwrap_or_else(|| fails(2, "bad property list"))
        }
        ["zfs" | "zpool", "set", setting, _] => {
            keep(root, "properties", &format!("{}\n{setting}", file(root, "properties")));
            says("")
        }
        ["zfs", "create", ..] => {
            keep(root, "system", "");
            says("")
        }
        ["zfs", "destroy", _] => {
            std::fs::remove_file(root.join("system")).unwrap();
            says("")
        }
        ["zpool", "status", "-P", _] if root.join("pool").exists() => says(&file(root, "pool")),
        ["zpool", "status", ..] => fails(1, "no such pool"),
        ["zpool", "create", ..] => {
            keep(root, "pool", &file(root, "next"));
            says("")
        }
        ["zpool", "destroy", _] => {
            std::fs::remove_file(root.join("pool")).unwrap();
            says("")
        }
        other => panic!("unexpected {other:?}"),
    }
}

#[test]
fn file_systems_of_zfs() {
    let machine = Machine::answering(zfs);
    machine.write("properties", "quota=none\ncompression=off\nrelatime=-\n");
    let attributes =
        [("quota", s("1G")), ("compression", s("off")), ("relatime", s("on")), ("aclmode", s("x"))];
    let system = parse(&Zfs, "tank/a", &attributes);
    let before: Vec<String> = system.autorequires().iter().map(ToString::to_string).collect();
    assert_eq!(before, ["Zpool[tank]", "Zfs[tank]"]);
    let changes = system.compare(&machine.host).unwrap();
    system.apply(&machine.host, &changes).unwrap();
    let wanted = "zfs create -o aclmode=x -o compression=off -o quota=1G -o relatime=on tank/a";
    assert_eq!(changing(&machine), [wanted]);
    assert_eq!(machine.converge(&*system), ["quota: quota changed 'none' to '1G'"]);
    assert_eq!(changing(&machine), ["zfs set quota=1G tank/a"]);
    let unknown = parse(&Zfs, "tank/a", &[("atime", s("on"))]);
    assert!(unknown.compare(&machine.host).is_err());
    machine.invocations();
    machine.converge(&*parse(&Zfs, "tank/a", &[("ensure", s("absent"))]));
    assert_eq!(changing(&machine), ["zfs destroy tank/a"]);
}

const STATUS: &str = "  pool: tank
 state: ONLINE
config:

\tNAME          STATE     READ WRITE CKSUM
\ttank          ONLINE       0     0     0
\t  mirror-0    ONLINE       0     0     0
\t    /dev/b    ONLINE       0     0     0
\t    /dev/a    ONLINE       0     0     0
\t  mirror-1    ONLINE       0     0     0
\t    /dev/c    ONLINE       0     0     0
\t    /dev/d    ONLINE       0     0     0
\tlogs
\t  /dev/l      ONLINE       0     0     0
\tspares
\t  /dev/s      AVAIL

errors: No known data errors
";

#[test]
fn pools_of_zfs() {
    let machine = Machine::answering(zfs);
    machine.write("next", STATUS);
    machine.write("properties", "failmode=wait\n");
    let attributes = [
        ("mirror", list(&["/dev/a /dev/b", "/dev/c /dev/d"])),
        ("log", s("/dev/l")),
        ("spare", s("/dev/s")),
        ("failmode", s("wait")),
    ];
    let pool = parse(&Zpool, "tank", &attributes);
    assert_eq!(machine.converge(&*pool), ["ensure: created"]);
    let wanted = "zpool create -o failmode=wait tank mirror /dev/a /dev/b mirror /dev/c /dev/d \
                  spare /dev/s log /dev/l";
    assert_eq!(changing(&machine), [wanted]);
    let other = [("mirror", list(&["/dev/a /dev/b"])), ("failmode", s("panic"))];
    let other = parse(&Zpool, "x", &[other[0].clone(), other[1].clone(), ("pool", s("tank"))]);
    let changes = other.compare(&machine.host).unwrap();
    assert_eq!(changes.len(), 2);
    let error = other.apply(&machine.host, &changes).unwrap_err();
    assert_eq!(error.0, "zpool mirror can't be changed");
    machine.invocations();
    machine.converge(&*parse(&Zpool, "tank", &[("failmode", s("panic"))]));
    assert_eq!(changing(&machine), ["zpool set failmode=panic tank"]);
    machine.converge(&*parse(&Zpool, "tank", &[("ensure", s("absent"))]));
    assert_eq!(changing(&machine), ["zpool destroy tank"]);
    let two = [("disk", s("/dev/a,/dev/b")), ("mirror", s("/dev/c /dev/d"))];
    assert_eq!(errors(&Zpool, "tank", &two).len(), 2);
}
