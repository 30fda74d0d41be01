//! Contexts of SELinux: extended attributes, which can be set where SELinux is off, too.

use std::path::Path;
use std::sync::Arc;

use ordain_data::Value;
use ordain_engine::backup::{Backups, SavedPath, restore};
use ordain_engine::host::Host;
use ordain_engine::runner::{Invocation, Outcome, Runner};
use rustix::fs::{XattrFlags, lgetxattr, lsetxattr};

use crate::support::{Builder, Machine, file, lines, text};

/// Answers as `matchpathcon` with a policy of one rule for each type of file.
struct Policy;

impl Runner for Policy {
    fn run(&self, invocation: &Invocation) -> std::io::Result<Outcome> {
        let words: Vec<_> = invocation.launch.argv.iter().map(|w| w.to_string_lossy()).collect();
        let kind = words.iter().position(|w| w == "-m").map_or("any", |at| &words[at + 1]);
        let output = match words.last() {
            Some(path) if path.starts_with("/none") => "<<none>>\n".to_owned(),
            _ => format!("system_u:object_r:{kind}_t:s0\n"),
        };
        assert!(words.iter().any(|w| w.ends_with("/matchpathcon")), "{words:?}");
        Ok(Outcome { stdout: output.into_bytes(), ..Outcome::default() })
    }
}

/// A machine on which SELinux seems to be on.
fn machine() -> Machine {
    let machine = Machine::new();
    machine.write("/sys/fs/selinux/enforce", "1");
    machine.write("/etc/selinux/config", "SELINUX=enforcing\nSELINUXTYPE=mls\n");
    machine.write("/etc/selinux/mls/setrans.conf", "# levels\ns0:c1 = Secret\n");
    machine
}

/// The same with a policy.
fn machine_with_policy() -> Machine {
    let mut machine = machine();
    machine.write("/usr/sbin/matchpathcon", "");
    machine.host = Host::new(machine.dir.path().to_path_buf(), Box::new(Policy));
    machine
}

/// Only root can set contexts.
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

fn context(path: &Path) -> String {
    let mut buffer = [0; 200];
    let length = lgetxattr(path, "security.selinux", &mut buffer[..]).unwrap_or(0);
    String::from_utf8_lossy(&buffer[..length]).trim_end_matches('\0').to_owned()
}

fn label(path: &Path, context: &str) {
    let value = [context.as_bytes(), b"\0"].concat();
    lsetxattr(path, "security.selinux", &value, XattrFlags::empty()).unwrap();
}

#[test]
fn parts_of_a_context_are_compared_and_set() {
    if !is_root() {
        return;
    }
    let machine = machine();
    machine.write("/a", "x");
    label(&machine.path("/a"), "system_u:object_r:etc_t:s0");
    let graph = file("/a", &[("seltype", text("tmp_t")), ("selrange", text("Secret"))]);
    let plan = machine.plan(&graph);
    let shown: Vec<_> = plan.entries[0].report.changes.iter().map(|c| &c.message).collect();
    let want = ["seltype changed 'etc_t' to 'tmp_t'", "selrange changed 's0' to 's0:c1'"];
    assert_eq!(shown, want);
    assert_eq!(context(&machine.path("/a")), "system_u:object_r:etc_t:s0");
    let found = machine.lines(&graph);
    assert!(found[0].contains("matchpathcon is missing"), "{found:?}");
    assert_eq!(
        found[1..],
        [format!("/File[/a]/seltype: {}", want[0]), format!("/File[/a]/selrange: {}", want[1])]
    );
    assert_eq!(context(&machine.path("/a")), "system_u:object_r:tmp_t:s0:c1");
    assert_eq!(machine.lines(&graph).len(), 1);
}

#[test]
fn new_files_get_a_context_and_replaced_files_keep_it() {
    if !is_root() {
        return;
    }
    let machine = machine();
    let whole = [
        ("seluser", text("system_u")),
        ("selrole", text("object_r")),
        ("seltype", text("etc_t")),
        ("selinux_ignore_defaults", Value::Bool(true)),
    ];
    let mut builder = Builder::default();
    for (path, kind) in [("/d", "directory"), ("/l", "link"), ("/f", "file")] {
        let mut with = whole.to_vec();
        with.push(("ensure", text(kind)));
        if kind == "link" {
            with.push(("target", text("/f")));
        }
        builder.add("File", path, &with);
    }
    machine.apply(&builder.graph);
    for path in ["/d", "/l", "/f"] {
        assert_eq!(context(&machine.path(path)), "system_u:object_r:etc_t", "{path}");
    }
    machine.assert_settled(&builder.graph, 0);
    let ignoring = ("selinux_ignore_defaults", Value::Bool(true));
    machine.apply(&file("/f", &[("content", text("new")), ignoring]));
    assert_eq!(context(&machine.path("/f")), "system_u:object_r:etc_t");
}

#[test]
fn a_part_needs_the_others() {
    if !is_root() {
        return;
    }
    let machine = machine();
    machine.write("/a", "x");
    let ignoring = ("selinux_ignore_defaults", Value::Bool(true));
    let found = machine.lines(&file("/a", &[("seltype", text("tmp_t")), ignoring]));
    assert!(found[0].contains("it has no context yet"), "{found:?}");
}

#[test]
fn the_policy_says_what_is_not_declared() {
    if !is_root() {
        return;
    }
    let machine = machine_with_policy();
    let mut builder = Builder::default();
    builder.add("File", "/f", &[("content", text("x"))]);
    builder.add("File", "/d", &[("ensure", text("directory")), ("seltype", text("own_t"))]);
    builder.add("File", "/none", &[("content", text("x"))]);
    machine.apply(&builder.graph);
    assert_eq!(context(&machine.path("/f")), "system_u:object_r:file_t:s0");
    assert_eq!(context(&machine.path("/d")), "system_u:object_r:own_t:s0");
    assert_eq!(context(&machine.path("/none")), "");
    label(&machine.path("/f"), "user_u:object_r:tmp_t:s0");
    assert_eq!(
        machine.lines(&builder.graph),
        [
            "/File[/f]/seluser: seluser changed 'user_u' to 'system_u'",
            "/File[/f]/seltype: seltype changed 'tmp_t' to 'file_t'",
        ]
    );
    assert!(machine.lines(&builder.graph).is_empty());
}

#[test]
fn without_selinux_nothing_is_done() {
    if !is_root() {
        return;
    }
    let machine = Machine::new();
    machine.write("/a", "x");
    label(&machine.path("/a"), "system_u:object_r:etc_t:s0");
    let graph = file("/a", &[("seltype", text("tmp_t"))]);
    machine.assert_settled(&graph, 0);
    machine.apply(&file("/b", &[("content", text("x")), ("seltype", text("tmp_t"))]));
    assert_eq!(context(&machine.path("/b")), "");
}

#[test]
fn restored_files_have_their_context() {
    if !is_root() {
        return;
    }
    let mut machine = machine();
    machine.write("/a", "x");
    label(&machine.path("/a"), "system_u:object_r:etc_t:s0");
    let kept: Arc<std::sync::Mutex<Vec<SavedPath>>> = Arc::default();
    let noted = Arc::clone(&kept);
    let copies = tempfile::tempdir().unwrap();
    let note = move |states: &[SavedPath]| {
        noted.lock().unwrap().extend_from_slice(states);
        Ok(())
    };
    machine.host.backups =
        Some(Arc::new(Backups::new(copies.path().to_path_buf(), Box::new(note))));
    let with = [("content", text("y")), ("seltype", text("tmp_t"))];
    let report = machine.apply(&file("/a", &with));
    assert_eq!(context(&machine.path("/a")), "system_u:object_r:tmp_t:s0", "{:?}", lines(&report));
    let kept = kept.lock().unwrap()[0].clone();
    restore(&machine.host, &kept, copies.path()).unwrap();
    assert_eq!(context(&machine.path("/a")), "system_u:object_r:etc_t:s0");
    assert_eq!(machine.read("/a"), "x");
}
