//! The kinds that come with Puppet's agent: keys, mounts, repositories, tidying and purging.

use std::sync::Arc;

use crate::support::{Machine, errors, list, parse, resource, s, says};
use ordain_data::Value;
use ordain_engine::kind::Registry;
use ordain_engine::kind::{Kind, ParseContext};
use ordain_engine::kinds::mount::Mount;
use ordain_engine::kinds::purge::Purge;
use ordain_engine::kinds::ssh_authorized_key::SshAuthorizedKey;
use ordain_engine::kinds::sshkey::Sshkey;
use ordain_engine::kinds::tidy::Tidy;
use ordain_engine::kinds::yumrepo::Yumrepo;
use ordain_graph::{Resource, ServedFiles};

const NOTHING: [&str; 0] = [];

#[test]
fn keys_of_hosts() {
    let machine = Machine::silent();
    machine.write("etc/ssh/ssh_known_hosts", "# ours\na,10.0.0.1 ssh-rsa AAA\nb ssh-rsa BBB\n");
    let kind = Sshkey::default();
    let key = |title: &str, attributes: &[(&str, Value)]| parse(&kind, title, attributes);
    let same = key("a@rsa", &[("key", s("AAA")), ("host_aliases", list(&["10.0.0.1"]))]);
    assert_eq!(machine.converge(&*same), NOTHING);
    let other = key("a", &[("type", s("ssh-rsa")), ("key", s("CCC"))]);
    assert_eq!(machine.converge(&*other), ["key: key changed 'AAA' to 'CCC'"]);
    let new = key("c@ssh-ed25519", &[("key", s("DDD")), ("host_aliases", list(&["c.d", "e"]))]);
    assert_eq!(machine.converge(&*new), ["ensure: created"]);
    let gone = key("b@ssh-rsa", &[("ensure", s("absent"))]);
    assert_eq!(machine.converge(&*gone), ["ensure: removed"]);
    let text = "# ours\na,10.0.0.1 ssh-rsa CCC\nc,c.d,e ssh-ed25519 DDD\n";
    assert_eq!(machine.read("etc/ssh/ssh_known_hosts"), text);
    assert_eq!(errors(&kind, "a", &[]), ["type: type is a required attribute for sshkeys"]);
    assert_eq!(errors(&kind, "a,b@rsa", &[]).len(), 1);
    assert_eq!(errors(&kind, "a@x", &[("host_aliases", list(&["a b", "a,b"]))]).len(), 3);
}

fn with_users(machine: &Machine) {
    machine.write("etc/passwd", "root:x:0:0::/root:/bin/sh\nme:x:1000:1000::/home/me:/bin/sh\n");
    machine.write("etc/group", "root:x:0:\nme:x:1000:\n");
    machine.write("home/me/.profile", "");
}

#[test]
fn keys_of_users() {
    use std::os::unix::fs::MetadataExt;
    let machine = Machine::silent();
    with_users(&machine);
    let kind = SshAuthorizedKey::default();
    let attributes = |more: &[(&'static str, Value)]| {
        let own = [("user", s("me")), ("type", s("ed25519")), ("key", s("AAA"))];
        own.into_iter().chain(more.to_vec()).collect::<Vec<_>>()
    };
    if !nix::unistd::geteuid().is_root() {
        return;
    }
    let key = parse(&kind, "me@home", &attributes(&[]));
    assert_eq!(machine.converge(&*key), ["ensure: created"]);
    let path = machine.root().join("home/me/.ssh/authorized_keys");
    let meta = std::fs::metadata(&path).unwrap();
    assert_eq!((meta.uid(), meta.gid(), meta.mode() & 0o7777), (1000, 1000, 0o600));
    let meta = std::fs::metadata(path.parent().unwrap()).unwrap();
    assert_eq!((meta.uid(), meta.mode() & 0o7777), (1000, 0o700));
    let options = list(&["no-pty", "from=\"a,b\""]);
    let key = parse(&kind, "me@home", &attributes(&[("options", options)]));
    assert_eq!(machine.converge(&*key).len(), 1);
    let text = "no-pty,from=\"a,b\" ssh-ed25519 AAA me@home\n";
    assert_eq!(machine.read("home/me/.ssh/authorized_keys"), text);
    let gone = parse(&kind, "me@home", &attributes(&[("ensure", s("absent"))]));
    assert_eq!(machine.converge(&*gone), ["ensure: removed"]);
    assert_eq!(machine.read("home/me/.ssh/authorized_keys"), "");
    let nobody = parse(&kind, "k", &[("user", s("no")), ("type", s("rsa")), ("key", s("A"))]);
    let changes = nobody.compare(&machine.host).unwrap();
    let error = nobody.apply(&machine.host, &changes).unwrap_err();
    assert_eq!(error.to_string(), "User 'no' does not exist");
    assert_eq!(errors(&kind, "k", &[]), ["-: Attribute 'user' or 'target' is mandatory"]);
    assert_eq!(errors(&kind, "k", &[("user", s("me")), ("key", s("a b"))]).len(), 1);
    assert_eq!(errors(&kind, "k", &[("user", s("me")), ("options", s("a b"))]).len(), 1);
}

/// A machine whose `mount` and `umount` maintain a list of mounts.
fn with_mounts() -> Machine {
    let machine = Machine::answering(|root, invocation| {
        let words: Vec<String> =
            invocation.launch.argv.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        let table = root.join("proc/self/mounts");
        let text = std::fs::read_to_string(&table).unwrap();
        let place = words.last().unwrap();
        let line = format!("dev {place} ext4 rw 0 0\n");
        match words[words.len() - 2].as_str() {
            "mount" => std::fs::write(table, text + &line).unwrap(),
            "umount" => std::fs::write(table, text.replace(&line, "")).unwrap(),
            _ => {}
        }
        says("")
    });
    machine.write("proc/self/mounts", "proc /proc proc rw 0 0\ndev /ghost ext4 rw 0 0\n");
    machine.write("etc/fstab", "# table\nUUID=1 / ext4 defaults 0 1\n");
    machine
}

#[test]
fn mounts() {
    let machine = with_mounts();
    let kind = Mount::default();
    let mount = |title: &str, ensure: &str, options: &str| {
        let device = [("device", s("/dev/b")), ("fstype", s("ext4"))];
        let more = [("ensure", s(ensure)), ("options", s(options))];
        parse(&kind, title, &device.into_iter().chain(more).collect::<Vec<_>>())
    };
    let new = mount("/data/", "mounted", "ro");
    assert_eq!(machine.converge(&*new), ["ensure: defined 'ensure' as 'mounted'"]);
    assert_eq!(machine.commands().len(), 1);
    let text = "# table\nUUID=1 / ext4 defaults 0 1\n/dev/b\t/data\text4\tro\t0\t0\n";
    assert_eq!(machine.read("etc/fstab"), text);
    let other = mount("/data", "mounted", "rw");
    assert_eq!(machine.converge(&*other), ["options: options changed 'ro' to 'rw'"]);
    other.refresh(&machine.host).unwrap();
    assert!(machine.commands().pop().unwrap().ends_with("mount -o remount /data"));
    let ghost = mount("/ghost", "present", "rw");
    assert_eq!(machine.converge(&*ghost), ["ensure: ensure changed 'ghost' to 'defined'"]);
    let output = machine.converge(&*mount("/data", "unmounted", "rw"));
    assert_eq!(output, ["ensure: ensure changed 'mounted' to 'unmounted'"]);
    assert_eq!(machine.converge(&*mount("/data", "present", "rw")), NOTHING);
    let gone = |place: &str| machine.converge(&*mount(place, "absent", "rw"));
    assert_eq!(gone("/data"), ["ensure: undefined 'ensure' from 'unmounted'"]);
    assert_eq!(gone("/ghost"), ["ensure: undefined 'ensure' from 'mounted'"]);
    assert!(!machine.read("proc/self/mounts").contains("ghost"));
    assert_eq!(machine.read("etc/fstab"), "# table\nUUID=1 / ext4 defaults 0 1\n");
    assert_eq!(errors(&kind, "/m", &[("options", s("a b")), ("fstype", s(""))]).len(), 2);
    let bare = parse(&kind, "/m", &[("ensure", s("mounted"))]);
    assert!(bare.compare(&machine.host).is_err());
}

#[test]
fn repositories_of_packages() {
    let machine = Machine::silent();
    machine.write("etc/yum.repos.d/old.repo", "[base]\nname=Base\nenabled=1\n\n[x]\nname=X\n");
    let kind = Yumrepo;
    let base = parse(&kind, "base", &[("enabled", s("0")), ("descr", s("Base"))]);
    assert_eq!(machine.converge(&*base), ["enabled: enabled changed '1' to '0'"]);
    let attributes = [
        ("baseurl", s("http://a/ file:///b")),
        ("gpgcheck", Value::Bool(true)),
        ("password", s("secret")),
    ];
    let new = parse(&kind, "new", &attributes);
    assert_eq!(machine.converge(&*new), ["ensure: created"]);
    let text = "[new]\nbaseurl=http://a/ file:///b\ngpgcheck=True\npassword=secret\n";
    assert_eq!(machine.read("etc/yum.repos.d/new.repo"), text);
    let output = machine.converge(&*parse(&kind, "new", &[("password", s("other"))]));
    assert_eq!(output, ["password: changed [redacted] to [redacted]"]);
    let moved = parse(&kind, "x", &[("target", s("new.repo"))]);
    assert_eq!(machine.converge(&*moved), ["ensure: created"]);
    assert!(machine.read("etc/yum.repos.d/new.repo").ends_with("[x]\nname=X\n"));
    assert_eq!(machine.read("etc/yum.repos.d/old.repo"), "[base]\nname=Base\nenabled=0\n\n");
    let gone = parse(&kind, "base", &[("ensure", s("absent"))]);
    assert_eq!(machine.converge(&*gone), ["ensure: removed"]);
    assert!(!machine.root().join("etc/yum.repos.d/old.repo").exists());
    let bad = [("enabled", s("maybe")), ("baseurl", s("x")), ("cost", s("a"))];
    assert_eq!(errors(&kind, "r", &bad).len(), 3);
}

/// The names of the generated resources. Checks that none of them has changes left after an apply.
fn generated(machine: &Machine, instance: &dyn ordain_engine::kind::Instance) -> Vec<String> {
    let registry = Registry::default();
    let found = instance.generate(&machine.host).unwrap();
    let registry_arc = Arc::new(Registry::default());
    for resource in &found {
        let context = context(&registry_arc);
        let kind = registry.get(&resource.id.kind).unwrap();
        let child = kind.parse(resource, &context).map_err(|e| format!("{e:?}")).unwrap();
        let changes = child.compare(&machine.host).unwrap();
        assert_eq!(changes.len(), 1, "{}", resource.id);
        child.apply(&machine.host, &changes).unwrap();
    }
    assert!(instance.generate(&machine.host).unwrap().is_empty());
    found.iter().map(|resource| resource.id.to_string()).collect()
}

fn context(registry: &Arc<Registry>) -> ParseContext<'_> {
    static SERVED: std::sync::LazyLock<ServedFiles> = std::sync::LazyLock::new(Default::default);
    static GRAPH: std::sync::LazyLock<ordain_graph::Graph> =
        std::sync::LazyLock::new(Default::default);
    ParseContext {
        resolve_source: &|_| None,
        find: &|_| None,
        files: &|| Arc::default(),
        of_kind: &|_| Vec::new(),
        registry,
        served: &SERVED,
        graph: &GRAPH,
        graph_number: 0,
        without_deferred: &|resource| std::borrow::Cow::Borrowed(resource),
    }
}

#[test]
fn old_and_large_files_are_tidied() {
    let machine = Machine::silent();
    machine.write("t/a.tmp", "x".repeat(2000));
    machine.write("t/b.txt", "x".repeat(2000));
    machine.write("t/sub/c.tmp", "x".repeat(2000));
    machine.write("t/sub/.d.tmp", "x");
    machine.write("t/full/e.txt", "x");
    let tidy = |attributes: &[(&str, Value)]| parse(&Tidy, "/t", attributes);
    let large = tidy(&[("recurse", Value::Bool(true)), ("size", s("1k")), ("matches", s("*.tmp"))]);
    assert_eq!(generated(&machine, &*large), ["File[/t/sub/c.tmp]", "File[/t/a.tmp]"]);
    let old = tidy(&[("recurse", Value::Bool(true)), ("age", s("1w"))]);
    assert_eq!(generated(&machine, &*old), NOTHING);
    let here = [("recurse", Value::Int(1)), ("matches", list(&["sub", "full", "*.tmp"]))];
    let rmdirs = [("rmdirs", Value::Bool(true))];
    let shallow = tidy(&here.iter().chain(&rmdirs).cloned().collect::<Vec<_>>());
    assert_eq!(generated(&machine, &*shallow), NOTHING);
    let deep = [("recurse", Value::Bool(true)), ("matches", list(&["sub", "full", "*.tmp"]))];
    let deep = tidy(&deep.iter().chain(&rmdirs).cloned().collect::<Vec<_>>());
    assert_eq!(generated(&machine, &*deep), ["File[/t/sub/.d.tmp]", "File[/t/sub]"]);
    assert_eq!(machine.read("t/full/e.txt"), "x");
    let alone = parse(&Tidy, "/t/b.txt", &[("age", s("0"))]);
    assert_eq!(generated(&machine, &*alone), ["File[/t/b.txt]"]);
    let bad = [("age", s("1y")), ("size", s("x")), ("matches", s("*"))];
    assert_eq!(errors(&Tidy, "/t", &bad).len(), 3);
}

#[test]
fn undeclared_resources_are_purged() {
    let machine = Machine::silent();
    machine.write("etc/hosts", "127.0.0.1 localhost\n10.0.0.1 a\n10.0.0.2 b\n");
    machine.write("etc/ssh/ssh_known_hosts", "a ssh-rsa AAA\nb ssh-rsa BBB\n");
    with_users(&machine);
    machine.write("etc/login.defs", "UID_MIN\t 1000\n");
    let declared: Vec<Resource> = vec![
        resource("Host", "localhost", &[]),
        resource("Host", "other", &[("name", s("b"))]),
        resource("Sshkey", "a", &[("type", s("rsa"))]),
        resource("Package", "kept:amd64", &[]),
        resource("Package", "other name", &[("name", s("named"))]),
    ];
    let paragraph = |name: &str, state: &str, architecture: &str| {
        let status = format!("install ok {state}\nArchitecture: {architecture}\nVersion: 1");
        format!("Package: {name}\nStatus: {status}\n\n")
    };
    let packages = [
        paragraph("kept", "installed", "amd64"),
        paragraph("kept", "installed", "i386"),
        paragraph("named", "installed", "all"),
        paragraph("left", "config-files", "amd64"),
        paragraph("unwanted", "installed", "amd64"),
        paragraph("unwanted", "installed", "i386"),
    ];
    machine.write("etc/os-release", "ID=debian\n");
    machine.write("var/lib/dpkg/status", packages.concat());
    machine.write("var/lib/dpkg/arch", "amd64\ni386\n");
    let registry = Arc::new(Registry::default());
    let purge = |kind: &str, more: &[(&str, Value)]| {
        let of_kind =
            |kind: &str| declared.iter().filter(|r| r.id.kind.eq_ignore_ascii_case(kind)).collect();
        let mut attributes = vec![("purge", Value::Bool(true))];
        attributes.extend_from_slice(more);
        let resource = resource("Resources", kind, &attributes);
        let context = ParseContext { of_kind: &of_kind, ..context(&registry) };
        Purge.parse(&resource, &context)
    };
    let instance = |kind: &str, more: &[(&str, Value)]| {
        purge(kind, more).map_err(|e| format!("{e:?}")).unwrap()
    };
    let names = |kind: &str, more: &[(&str, Value)]| -> Vec<String> {
        let found = instance(kind, more).generate(&machine.host).unwrap();
        found.iter().map(|r| r.id.to_string()).collect()
    };
    assert_eq!(generated(&machine, &*instance("host", &[])), ["Host[a]"]);
    assert_eq!(generated(&machine, &*instance("sshkey", &[])), ["Sshkey[b@ssh-rsa]"]);
    assert_eq!(names("package", &[]), ["Package[unwanted]", "Package[unwanted:i386]"]);
    assert_eq!(names("user", &[]), ["User[me]"]);
    assert_eq!(names("user", &[("unless_uid", list(&["1000"]))]), NOTHING);
    assert_eq!(names("user", &[("unless_system_user", s("1000"))]), NOTHING);
    let unknown = |kind: &str| purge(kind, &[]).err().unwrap().remove(0).message;
    let text = "Purging resources of type exec is not supported, since they cannot be queried \
                from the system";
    assert_eq!(unknown("exec"), text);
    let text = "The 'ensure' attribute on service resources does not accept 'absent' as a value";
    assert_eq!(unknown("service"), text);
    assert!(purge("nonsense", &[]).is_err());
}
