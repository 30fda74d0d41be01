use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::sync::Arc;

use ordain_data::Value;
use ordain_engine::report::Status;

use crate::support::{Builder, Machine, file, secret, text, texts};

const ONE: &str = "{sha256}2c8b08da5ce60398e1f19af0e5dccc744df274b826abe585eaba68c525434806";
const TWO: &str = "{sha256}27dd8ed44a83ff94d557f9fd0412ed5a8cbca69ea04922d88c01184a07300a5a";

#[test]
fn content_and_mode() {
    let machine = Machine::new();
    let graph = file("/a", &[("content", text("one\n")), ("mode", text("0600"))]);
    assert_eq!(machine.lines(&graph), [format!("/File[/a]/ensure: defined content as '{ONE}'")]);
    assert_eq!((machine.read("/a").as_str(), machine.mode("/a")), ("one\n", 0o600));
    machine.assert_settled(&graph, 0);
    let graph = file("/a", &[("content", text("two\n")), ("mode", text("0644"))]);
    assert_eq!(
        machine.lines(&graph),
        [
            format!("/File[/a]/content: content changed '{ONE}' to '{TWO}'"),
            "/File[/a]/mode: mode changed '0600' to '0644'".into(),
        ]
    );
    assert_eq!((machine.read("/a").as_str(), machine.mode("/a")), ("two\n", 0o644));
    machine.assert_settled(&graph, 0);
}

#[test]
fn directories_links_and_empty_files() {
    let machine = Machine::new();
    let mut builder = Builder::default();
    builder.add("File", "/d/l", &[("ensure", text("link")), ("target", text("e"))]);
    builder.add("File", "/d/m", &[("ensure", text("/etc/hosts"))]);
    builder.add("File", "/d/e", &[("ensure", text("file"))]);
    builder.add("File", "/d/", &[("ensure", text("directory")), ("mode", text("0640"))]);
    let want = [
        "/File[/d/]/ensure: created",
        "/File[/d/l]/ensure: created",
        "/File[/d/m]/ensure: created",
        "/File[/d/e]/ensure: created",
    ];
    assert_eq!(machine.lines(&builder.graph), want);
    assert_eq!(machine.mode("/d"), 0o750);
    assert_eq!(std::fs::read_link(machine.path("/d/m")).unwrap().to_str(), Some("/etc/hosts"));
    machine.assert_settled(&builder.graph, 0);
    let graph = file("/d/l", &[("ensure", text("link")), ("target", text("f"))]);
    assert_eq!(machine.lines(&graph), ["/File[/d/l]/target: target changed 'e' to 'f'"]);
    machine.assert_settled(&graph, 0);
}

#[test]
fn one_type_replaces_another() {
    let machine = Machine::new();
    machine.write("/f", "old");
    let graph = file("/f", &[("ensure", text("directory"))]);
    assert_eq!(machine.lines(&graph), ["/File[/f]/ensure: ensure changed 'file' to 'directory'"]);
    machine.assert_settled(&graph, 0);
    machine.write("/f/x", "inside");
    let graph = file("/f", &[("content", text("x"))]);
    let lines = machine.lines(&graph);
    assert!(lines[0].ends_with("Not removing directory; use 'force' to override"), "{lines:?}");
    assert_eq!(machine.read("/f/x"), "inside");
    let graph = file("/f", &[("content", text("x")), ("force", Value::Bool(true))]);
    machine.apply(&graph);
    assert_eq!(machine.read("/f"), "x");
    machine.assert_settled(&graph, 0);
    symlink("/etc", machine.path("/l")).unwrap();
    let graph = file("/l", &[("content", text("x"))]);
    machine.apply(&graph);
    assert!(std::fs::symlink_metadata(machine.path("/l")).unwrap().is_file());
}

#[test]
fn removal() {
    let machine = Machine::new();
    machine.write("/d/x", "x");
    let graph = file("/d/x", &[("ensure", text("absent"))]);
    assert_eq!(machine.lines(&graph), ["/File[/d/x]/ensure: removed"]);
    machine.assert_settled(&graph, 0);
    let graph = file("/d", &[("ensure", text("absent"))]);
    assert_eq!(
        machine.lines(&graph),
        ["/File[/d]: Not removing directory; use 'force' to override"]
    );
    let graph = file("/d", &[("ensure", text("absent")), ("force", text("true"))]);
    assert_eq!(machine.lines(&graph), ["/File[/d]/ensure: removed"]);
    machine.assert_settled(&graph, 0);
}

#[test]
fn binary_and_secret_content() {
    let machine = Machine::new();
    let binary = Value::map([("__ptype", text("Binary")), ("__pvalue", text("AP8="))]);
    machine.apply(&file("/b", &[("content", binary)]));
    assert_eq!(std::fs::read(machine.path("/b")).unwrap(), [0, 255]);
    let graph = file("/s", &[("content", secret("hunter2")), ("mode", text("0600"))]);
    let plan = machine.plan(&graph);
    assert!(
        !format!("{plan:?}").contains("hunter2")
            && plan.entries[0].report.changes[0].text.is_none()
    );
    assert_eq!(machine.lines(&graph), ["/File[/s]/ensure: changed [redacted] to [redacted]"]);
    machine.assert_settled(&graph, 0);
    let graph = file("/s", &[("content", secret("hunter3"))]);
    let plan = machine.plan(&graph);
    assert!(!format!("{plan:?}").contains("hunter"));
    assert_eq!(machine.lines(&graph), ["/File[/s]/content: changed [redacted] to [redacted]"]);
}

#[test]
fn the_first_source_that_exists() {
    let machine = Machine::new();
    machine.write("/src", "one\n");
    let graph = file("/a", &[("source", texts(&["/nope", "file:///src"]))]);
    assert_eq!(machine.lines(&graph), [format!("/File[/a]/ensure: defined content as '{ONE}'")]);
    machine.assert_settled(&graph, 0);
    let lines = machine.lines(&file("/a", &[("source", texts(&["/nope", "/no"]))]));
    let want =
        "/File[/a]: Could not evaluate: Could not retrieve information from source(s) /nope, /no";
    assert_eq!(lines, [want]);
}

#[test]
fn errors_are_reported_before_any_change() {
    let machine = Machine::new();
    for (title, with, want) in [
        ("rel", vec![], "File paths must be fully qualified, not 'rel'"),
        (
            "/x",
            vec![("content", text("")), ("source", text("/y"))],
            "You cannot specify more than one of content, source, target",
        ),
        (
            "/x",
            vec![("mode", Value::Int(644))],
            "The file mode specification must be a string, not 'Integer'",
        ),
        ("/x", vec![("mode", text("rwx"))], "The file mode specification is invalid: \"rwx\""),
        ("/x", vec![("source", text("http://h x/x"))], "Could not understand source http://h x/x"),
        (
            "/x",
            vec![("source", text("ftp://h/x"))],
            "Cannot use URLs of type 'ftp' as source for fileserving",
        ),
        ("/x", vec![("ensure", text("link"))], "Cannot create a symlink without a target"),
        ("/x", vec![("nosuch", text("y"))], "no attribute named 'nosuch'"),
        ("/x", vec![("schedule", text("nosuch"))], "Could not find schedule nosuch"),
        (
            "/x",
            vec![("content", Value::map([("__ptype", text("Deferred")), ("name", text("f"))]))],
            "content is deferred, and function f is not available here",
        ),
    ] {
        let report = machine.apply(&file(title, &with));
        let lines = crate::support::lines(&report);
        assert!(lines.iter().any(|l| l.ends_with(want)), "{lines:?}");
        assert_eq!(report.resources[0].status, Status::Failed);
    }
    assert!(!machine.exists("/x"));
}

#[test]
fn backups() {
    let machine = Machine::new();
    machine.write("/a", "old");
    machine.apply(&file("/a", &[("content", text("new")), ("backup", text(".bak"))]));
    assert_eq!((machine.read("/a"), machine.read("/a.bak")), ("new".into(), "old".into()));
    machine.apply(&file("/a", &[("content", text("newer")), ("backup", text("puppet"))]));
    let digest = "11507a0e2f5e69d5dfa40a62a1bd7b6ee57e6bcd85c67c9b8431b36fff21c437";
    let kept = format!("/var/lib/ordain/bucket/1/1/5/0/7/a/0/e/{digest}");
    assert_eq!(machine.read(&format!("{kept}/contents")), "new");
    assert_eq!(machine.read(&format!("{kept}/paths")), "/a\n");
    machine.write("/d/x", "x");
    let with = [("ensure", text("absent")), ("force", text("true")), ("backup", text("true"))];
    machine.apply(&file("/d", &with));
    assert!(!machine.exists("/d"));
    assert_eq!(machine.read("/d.puppet-bak/x"), "x");
}

#[test]
fn a_failed_validation_leaves_the_old_file() {
    let machine = Machine::with_programs();
    machine.write("/a", "old");
    // The path is one of the machine, while the command runs outside of it here.
    let check = format!("/bin/grep -q old {}%", machine.dir.path().display());
    let with = [("content", text("new")), ("validate_cmd", text(&check))];
    let lines = machine.lines(&file("/a", &with));
    assert!(lines[0].contains("/a' returned 1"), "{lines:?}");
    assert_eq!(machine.read("/a"), "old");
    assert_eq!(std::fs::read_dir(machine.dir.path()).unwrap().count(), 3);
    let with = [("content", text("old+")), ("validate_cmd", text(&check))];
    machine.apply(&file("/a", &with));
    assert_eq!(machine.read("/a"), "old+");
}

#[test]
fn a_full_disk_leaves_the_old_file() {
    let machine = Machine::new();
    machine.write("/a", "old");
    // A source that fails during the copy stands for a full disk.
    let graph = file("/a", &[("source", text("/proc-self-mem"))]);
    symlink("/proc/self/mem", machine.path("/proc-self-mem")).unwrap();
    let mut with_links = graph;
    let origin = with_links.resource(ordain_graph::ResourceId(0)).origin;
    with_links.resource_mut(ordain_graph::ResourceId(0)).attributes.push(ordain_graph::Attribute {
        name: "links".into(),
        value: text("follow"),
        origin,
        losers: Vec::new(),
    });
    let report = machine.apply(&with_links);
    assert_eq!(report.resources[0].status, Status::Failed);
    assert_eq!(machine.read("/a"), "old");
}

#[test]
fn a_missing_directory_is_named() {
    let machine = Machine::new();
    let lines = machine.lines(&file("/no/d", &[("content", text("x"))]));
    assert_eq!(
        lines,
        [
            "/File[/no/d]/ensure: change from 'absent' to 'file' failed: Could not write /no/d: directory /no does not exist"
        ]
    );
}

#[test]
fn owner_and_group_by_name_and_number() {
    if !rustix_is_root() {
        return;
    }
    let machine = Machine::new();
    machine.write("/a", "x");
    let graph = file("/a", &[("owner", text("web")), ("group", Value::Int(33))]);
    assert_eq!(
        machine.lines(&graph),
        [
            "/File[/a]/owner: owner changed 'root' to 'web'",
            "/File[/a]/group: group changed 'root' to 'web'",
        ]
    );
    machine.assert_settled(&graph, 0);
    let lines = machine.lines(&file("/a", &[("owner", text("nobody-there"))]));
    assert!(lines[0].ends_with("Could not find user nobody-there"), "{lines:?}");
    // New content keeps the owner, and a new owner does not take the set-id bit away.
    let with = [("content", text("y")), ("mode", text("4755"))];
    machine.apply(&file("/a", &with));
    machine.apply(&file("/a", &[("owner", text("root")), ("mode", text("4755"))]));
    assert_eq!(machine.mode("/a"), 0o4755);
    assert_eq!(std::fs::metadata(machine.path("/a")).unwrap().gid(), 33);
}

#[test]
fn links_of_other_users_are_not_followed() {
    if !rustix_is_root() {
        return;
    }
    let machine = Machine::new();
    machine.write("/etc/target/x", "keep");
    symlink("/etc/target", machine.path("/home")).unwrap();
    let graph = file("/home/x", &[("content", text("new"))]);
    machine.apply(&graph);
    assert_eq!(machine.read("/etc/target/x"), "new");
    std::os::unix::fs::lchown(machine.path("/home"), Some(33), None).unwrap();
    let lines = machine.lines(&file("/home/x", &[("content", text("evil"))]));
    assert!(lines[0].contains("links of other users are not followed"), "{lines:?}");
    assert_eq!(machine.read("/etc/target/x"), "new");
}

#[test]
fn a_link_in_the_root_cannot_lead_out_of_it() {
    let machine = Machine::new();
    symlink("../../../../../../etc", machine.path("/up")).unwrap();
    machine.apply(&file("/up/made", &[("content", text("x"))]));
    assert_eq!(machine.read("/etc/made"), "x");
    machine.apply(&file("/../../etc/two", &[("content", text("x"))]));
    assert!(machine.exists("/etc/two"));
}

#[test]
fn replace_follow_and_symbolic_modes() {
    let machine = Machine::new();
    machine.write("/a", "mine");
    let graph = file(
        "/a",
        &[("content", text("x")), ("replace", Value::Bool(false)), ("mode", text("u=rwx,g+X,o="))],
    );
    let current = machine.mode("/a");
    assert_eq!(
        machine.lines(&graph),
        [format!("/File[/a]/mode: mode changed '{current:04o}' to '0750' (u=rwx,g+X,o=)")]
    );
    assert_eq!(machine.read("/a"), "mine");
    machine.assert_settled(&graph, 0);
    symlink("a", machine.path("/l")).unwrap();
    let graph = file("/l", &[("content", text("via")), ("links", text("follow"))]);
    machine.apply(&graph);
    assert_eq!(machine.read("/a"), "via");
    assert!(std::fs::symlink_metadata(machine.path("/l")).unwrap().is_symlink());
    machine.assert_settled(&graph, 0);
}

#[test]
fn other_ways_to_compare() {
    let machine = Machine::new();
    let graph = file("/a", &[("content", text("x")), ("checksum", text("md5"))]);
    let want = "/File[/a]/ensure: defined content as '{md5}9dd4e461268c8034f5c8564e155c67a6'";
    assert_eq!(machine.lines(&graph), [want]);
    machine.write("/src", "other");
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(60);
    std::fs::File::open(machine.path("/a")).unwrap().set_modified(later).unwrap();
    let graph = file("/a", &[("source", text("/src")), ("checksum", text("mtime"))]);
    machine.assert_settled(&graph, 0);
    let wrong = [("source", text("/src")), ("checksum_value", text("00"))];
    let lines = machine.lines(&file("/a", &wrong));
    assert!(lines[0].contains("did not match checksum"), "{lines:?}");
    assert_eq!(machine.read("/a"), "x");
}

#[test]
fn permissions_of_the_source_count_on_request() {
    let machine = Machine::new();
    machine.write("/src", "x");
    std::fs::set_permissions(machine.path("/src"), std::fs::Permissions::from_mode(0o711)).unwrap();
    let graph = file("/a", &[("source", text("/src")), ("source_permissions", text("use"))]);
    machine.apply(&graph);
    assert_eq!(machine.mode("/a"), 0o711);
    machine.assert_settled(&graph, 0);
}

#[test]
fn bytes_are_content_too() {
    let machine = Machine::new();
    let bytes = Value::Bytes(Arc::from([1u8, 2].as_slice()));
    machine.apply(&file("/a", &[("content", bytes)]));
    assert_eq!(std::fs::read(machine.path("/a")).unwrap(), [1, 2]);
}

fn rustix_is_root() -> bool {
    std::fs::metadata("/proc/self").unwrap().uid() == 0
}

#[test]
fn leftovers_of_a_killed_run_are_removed_by_the_next_write() {
    let machine = Machine::new();
    for name in [".a.1f-0.ordain", ".other.2-3.ordain", ".a.x-0.ordain", ".a.ordain"] {
        machine.write(&format!("/d/{name}"), "half");
    }
    std::fs::create_dir(machine.path("/d/.moved.1-1.ordain")).unwrap();
    let used = std::fs::File::open(machine.path("/d/.other.2-3.ordain")).unwrap();
    rustix::fs::flock(&used, rustix::fs::FlockOperation::LockExclusive).unwrap();
    machine.apply(&file("/d/a", &[("content", text("whole"))]));
    assert_eq!(machine.read("/d/a"), "whole");
    assert!(!machine.exists("/d/.a.1f-0.ordain"));
    for kept in [".other.2-3.ordain", ".a.x-0.ordain", ".a.ordain", ".moved.1-1.ordain"] {
        assert!(machine.exists(&format!("/d/{kept}")), "{kept}");
    }
}

#[test]
fn a_temporary_name_that_is_taken_is_passed_over() {
    let machine = Machine::new();
    machine.write("/d/b", "");
    machine.apply(&file("/d/a", &[("content", text("1"))]));
    for count in 0..64 {
        let name = format!("/d/.a.{:x}-{count:x}.ordain", std::process::id());
        machine.write(&name, "left by a process with the same number");
    }
    machine.apply(&file("/d/a", &[("content", text("2"))]));
    assert_eq!(machine.read("/d/a"), "2");
}
