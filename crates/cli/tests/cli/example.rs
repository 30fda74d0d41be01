//! The first command of the README: an unprivileged user plans the example site. A session in an
//! editor.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

/// A user who owns nothing.
const NOBODY: &str = "65534";

#[test]
fn everybody_can_plan_the_example_site() {
    if !Path::new("/var/lib/dpkg/status").exists() {
        eprintln!("left out: this is not Debian");
        return;
    }
    let site = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/site");
    let dir = tempfile::tempdir().unwrap();
    std::fs::set_permissions(dir.path(), PermissionsExt::from_mode(0o755)).unwrap();
    let ordain = dir.path().join("ordain");
    std::fs::copy(env!("CARGO_BIN_EXE_ordain"), &ordain).unwrap();
    let copied = Command::new("cp").arg("-r").arg(&site).arg(dir.path()).status().unwrap();
    assert!(copied.success());
    let mut command = if rustix::process::geteuid().is_root() {
        let mut command = Command::new("setpriv");
        command.args(["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"]).arg(&ordain);
        command
    } else {
        Command::new(&ordain)
    };
    command.args(["plan", "site", "--node", "web.example.org"]).current_dir(dir.path());
    let output = command.env("HOME", "/nonexistent").output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert_eq!(errors, "");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("/srv/app/conf.d/alpha") && text.contains("Plan: "), "{text}");
    assert!(!text.contains("correct horse"), "{text}");
}

#[test]
fn a_manifest_and_a_program_are_one_graph() {
    let joined = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/joined");
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(dir.path().join("root/srv")).unwrap();
    // Commands run inside of the root; BusyBox needs no library there.
    std::fs::create_dir_all(dir.path().join("root/bin")).unwrap();
    if !ordain_testkit::peer(Path::new("/bin/busybox").exists(), "busybox-static") {
        return;
    }
    std::fs::copy("/bin/busybox", dir.path().join("root/bin/echo")).unwrap();
    let run = |verb: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ordain"));
        command.arg(verb).arg(&joined).arg("--root").arg(dir.path().join("root"));
        let output = command.env("ORDAIN_STATE_DIR", dir.path().join("state")).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let (code, plan, errors) = run("plan");
    assert_eq!((code, errors.as_str()), (Some(2), ""), "{plan}");
    assert!(plan.contains("Plan: 2 to create"), "{plan}");
    let (code, _, log) = run("apply");
    assert_eq!(code, Some(2), "{log}");
    assert!(log.contains("the banner is new"), "{log}");
    let text = std::fs::read_to_string(dir.path().join("root/srv/banner/text")).unwrap();
    assert_eq!(text, "welcome to example\n");
    assert_eq!(run("apply").0, Some(0));
}
