//! Kinds with little state: lines of files, settings of the kernel, the machine's name.

use crate::support::{Machine, errors, list, parse, s};
use ordain_data::Value;
use ordain_engine::kinds::exec::Exec;
use ordain_engine::kinds::file::File;
use ordain_engine::kinds::hostname::Hostname;
use ordain_engine::kinds::line::Line;
use ordain_engine::kinds::sysctl::Sysctl;

#[test]
fn a_line_is_added_and_removed() {
    let machine = Machine::silent();
    machine.write("etc/f", "one\ntwo");
    let line = |ensure: &str| {
        let attributes = [("file", s("/etc/f")), ("content", s("a\nb")), ("ensure", s(ensure))];
        parse(&Line, "l", &attributes)
    };
    assert_eq!(machine.converge(&*line("present")), ["content: defined 'content' as \"a\\nb\""]);
    assert_eq!(machine.read("etc/f"), "one\ntwo\na\nb\n");
    assert_eq!(machine.converge(&*line("present")), [""; 0]);
    assert_eq!(machine.converge(&*line("absent")), ["content: undefined 'content' from \"a\\nb\""]);
    assert_eq!(machine.read("etc/f"), "one\ntwo\n");
    assert_eq!(machine.converge(&*line("absent")), [""; 0]);
    assert_eq!(errors(&Line, "l", &[("file", s("f"))]), ["file: file must be an absolute path"]);
}

#[test]
fn a_file_for_a_line_is_made() {
    let machine = Machine::silent();
    std::fs::create_dir(machine.root().join("etc")).unwrap();
    machine.converge(&*parse(&Line, "l", &[("file", s("/etc/new")), ("content", s("x"))]));
    assert_eq!(machine.read("etc/new"), "x\n");
    let nothing = parse(&Line, "l", &[("file", s("/etc/none")), ("content", s(""))]);
    assert_eq!(machine.converge(&*nothing), [""; 0]);
    assert!(!machine.root().join("etc/none").exists());
}

#[test]
fn a_setting_is_made_now_and_kept() {
    let machine = Machine::silent();
    machine.write("proc/sys/net/core/somaxconn", "128\n");
    machine.write("etc/sysctl.d/x", "");
    let kind = Sysctl;
    let said = machine.converge(&*parse(&kind, "net.core.somaxconn", &[("value", s("512"))]));
    assert_eq!(
        said,
        [
            "runtime: runtime changed '128' to '512'",
            "persist: defined 'persist' as \"net.core.somaxconn = 512\\n\"",
        ]
    );
    assert_eq!(machine.read("proc/sys/net/core/somaxconn"), "512\n");
    assert_eq!(
        machine.read("etc/sysctl.d/10-net.core.somaxconn.conf"),
        "net.core.somaxconn = 512\n"
    );
    let only_kept =
        [("value", s("5")), ("runtime", Value::Bool(false)), ("path", s("/etc/sysctl.d/a.conf"))];
    machine.converge(&*parse(&kind, "net.core.somaxconn", &only_kept));
    assert_eq!(machine.read("proc/sys/net/core/somaxconn"), "512\n");
    assert_eq!(machine.read("etc/sysctl.d/a.conf"), "net.core.somaxconn = 5\n");
    let unknown = parse(&kind, "net.no", &[("value", s("1"))]);
    assert!(unknown.compare(&machine.host).is_err());
    assert_eq!(errors(&kind, "a/b", &[("value", s("1"))]).len(), 1);
    assert_eq!(errors(&kind, "a.b", &[("value", s("1\n2")), ("path", s("x"))]).len(), 2);
}

#[test]
fn a_machine_has_a_name_that_lasts_and_one_for_people() {
    let machine = Machine::silent();
    machine.write("etc/hostname", "old\n");
    machine.write("etc/machine-info", "CHASSIS=vm\n");
    let attributes = [("pretty_hostname", s("The \"new\" one"))];
    let said = machine.converge(&*parse(&Hostname, "new", &attributes));
    assert_eq!(
        said,
        [
            "pretty_hostname: defined 'pretty_hostname' as 'The \"new\" one'",
            "static_hostname: static_hostname changed 'old' to 'new'",
        ]
    );
    assert_eq!(machine.read("etc/hostname"), "new\n");
    let info = machine.read("etc/machine-info");
    assert_eq!(info, "CHASSIS=vm\nPRETTY_HOSTNAME=\"The \\\"new\\\" one\"\n");
    assert_eq!(errors(&Hostname, "a b", &[]).len(), 2);
}

#[test]
fn fragments_follow_each_other() {
    let machine = Machine::silent();
    machine.write("etc/a", "a\n");
    machine.write("etc/d/2", "two\n");
    machine.write("etc/d/1", "one\n");
    machine.write("etc/d/sub/x", "not this\n");
    let attributes = [("fragments", list(&["/etc/d/", "/etc/a"]))];
    let kind = File::default();
    machine.converge(&*parse(&kind, "/etc/all", &attributes));
    assert_eq!(machine.read("etc/all"), "one\ntwo\na\n");
    machine.write("etc/d/1", "ONE\n");
    machine.converge(&*parse(&kind, "/etc/all", &attributes));
    assert_eq!(machine.read("etc/all"), "ONE\ntwo\na\n");
    let missing = parse(&kind, "/etc/all", &[("fragments", list(&["/etc/none"]))]);
    assert!(missing.compare(&machine.host).is_err());
}

#[test]
fn directories_are_made_with_their_parents_and_removed_when_empty() {
    let machine = Machine::silent();
    let kind = File::default();
    let made = [("ensure", s("directory")), ("parents", Value::Bool(true))];
    machine.converge(&*parse(&kind, "/a/b/c/", &made));
    assert!(machine.root().join("a/b/c").is_dir());
    let gone = [("ensure", s("absent")), ("remove_empty", Value::Bool(true))];
    machine.converge(&*parse(&kind, "/a/b/c/", &gone));
    assert!(!machine.root().join("a/b/c").exists());
    machine.write("a/b/f", "kept");
    let full = parse(&kind, "/a/b", &gone);
    let changes = full.compare(&machine.host).unwrap();
    assert!(full.apply(&machine.host, &changes).is_err());
    assert_eq!(machine.read("a/b/f"), "kept");
    let must = parse(&kind, "/a/x", &[("content", s("x")), ("must_exist", Value::Bool(true))]);
    assert!(must.compare(&machine.host).is_err());
}

/// A machine with a static shell; `None` if there is none to copy.
fn with_shell() -> Option<Machine> {
    let busybox = std::path::Path::new("/bin/busybox");
    if !ordain_testkit::peer(busybox.exists(), "busybox-static") {
        return None;
    }
    let machine = Machine::real();
    machine.write("bin/sh", "");
    std::fs::copy(busybox, machine.root().join("bin/sh")).unwrap();
    Some(machine)
}

fn shell(script: &str) -> Value {
    list(&["/bin/sh", "-c", script])
}

#[test]
fn a_command_follows_files_that_change_and_keeps_what_it_wrote() {
    let Some(machine) = with_shell() else { return };
    machine.write("in", "1");
    let attributes = [
        ("command", shell("echo out; echo err >&2")),
        ("newer", list(&["/in"])),
        ("onlyif", Value::list([shell("false")])),
        ("keep_output", Value::Bool(true)),
    ];
    let exec = parse(&Exec, "e", &attributes);
    assert!(exec.sent(&machine.host).unwrap().is_empty());
    let changes = exec.compare(&machine.host).unwrap();
    assert_eq!(changes.len(), 1);
    exec.apply(&machine.host, &changes).unwrap();
    let sent = [("output", s("out\nerr\n")), ("stdout", s("out\n")), ("stderr", s("err\n"))];
    assert_eq!(exec.sent(&machine.host).unwrap(), sent);
    assert!(exec.compare(&machine.host).unwrap().is_empty());
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(5);
    std::fs::File::open(machine.root().join("in")).unwrap().set_modified(later).unwrap();
    assert_eq!(exec.compare(&machine.host).unwrap().len(), 1);
    std::fs::remove_file(machine.root().join("in")).unwrap();
    assert!(exec.compare(&machine.host).is_err());
}

#[test]
fn a_command_does_not_run_when_a_check_writes_what_is_wanted() {
    let Some(machine) = with_shell() else { return };
    let wanted = |name: &str, text: &str| {
        let check = Value::list([shell("echo a; echo b >&2")]);
        let attributes = [("command", shell("true")), ("onlyif", check), (name, s(text))];
        !parse(&Exec, "e", &attributes).compare(&machine.host).unwrap().is_empty()
    };
    assert!(!wanted("onlyif_stdout", "a\n"));
    assert!(wanted("onlyif_stdout", "a"));
    assert!(wanted("onlyif_output", "a"));
    let attributes = [("command", shell("true")), ("done", shell("exit 3"))];
    let failing = parse(&Exec, "e", &attributes);
    let changes = failing.compare(&machine.host).unwrap();
    let error = failing.apply(&machine.host, &changes).unwrap_err();
    assert_eq!(error.to_string(), "'/bin/sh -c exit 3' returned 3 after the command");
}
