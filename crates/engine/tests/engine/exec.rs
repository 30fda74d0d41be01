use std::time::{Duration, Instant};

use ordain_data::Value;
use ordain_engine::report::Status;
use ordain_graph::{EdgeKind, Graph};

use crate::support::{Builder, Machine, one, secret, text, texts};

fn exec(title: &str, with: &[(&str, Value)]) -> Graph {
    one("Exec", title, with)
}

#[test]
fn creates_settles_it() {
    let machine = Machine::with_programs();
    let mark = machine.path("/mark");
    let command = format!("/bin/touch {}", mark.display());
    let graph = exec(&command, &[("creates", text("/mark"))]);
    let want = format!("/Exec[{command}]/returns: executed successfully");
    assert_eq!(machine.lines(&graph), [want]);
    machine.assert_settled(&graph, 0);
}

#[test]
fn checks_settle_it() {
    let machine = Machine::with_programs();
    let graph = exec("/bin/false", &[("unless", texts(&["/bin/false", "/bin/true"]))]);
    machine.assert_settled(&graph, 2);
    let graph = exec("/bin/false", &[("onlyif", texts(&["/bin/true", "/bin/false"]))]);
    machine.assert_settled(&graph, 2);
    let words = Value::list([texts(&["/bin/sh", "-c", "exit 1"])]);
    machine.assert_settled(&exec("/bin/false", &[("onlyif", words)]), 1);
}

#[test]
fn a_failure_says_the_code_and_logs_the_output() {
    let machine = Machine::with_programs();
    let graph = exec(
        "x",
        &[
            ("command", text("/bin/sh -c 'echo oops; echo more >&2; exit 3'")),
            ("returns", Value::list([Value::Int(0), Value::Int(1)])),
        ],
    );
    assert_eq!(
        machine.lines(&graph),
        [
            "/Exec[x]/returns: oops",
            "/Exec[x]/returns: more",
            "/Exec[x]/returns: change from 'notrun' to ['0', '1'] failed: '/bin/sh -c 'echo oops; echo more >&2; exit 3'' returned 3 instead of one of [0,1]",
        ]
    );
}

#[test]
fn errors_are_reported_before_any_command() {
    let machine = Machine::with_programs();
    for (with, want) in [
        (
            vec![("command", text("ls"))],
            "'ls' is not qualified and no path was specified. Please qualify the command or specify a path.",
        ),
        (
            vec![("command", Value::Int(3))],
            "Command must be a String or Array<String>, got value of class Integer",
        ),
        (vec![("tries", Value::Int(0))], "Tries must be an integer >= 1"),
        (vec![("timeout", text("soon"))], "The timeout must be a number."),
        (vec![("environment", text("x"))], "Invalid environment setting 'x'"),
        (vec![("umask", text("9"))], "The umask specification is invalid: \"9\""),
    ] {
        let lines = machine.lines(&exec("/bin/true", &with));
        assert!(lines[0].ends_with(want), "{lines:?}");
    }
    assert!(machine.commands.0.lock().unwrap().is_empty());
}

#[test]
fn a_command_that_is_not_there_fails() {
    let machine = Machine::with_programs();
    let graph = exec("nope", &[("path", text("/bin"))]);
    let lines = machine.lines(&graph);
    assert!(lines[0].ends_with("Could not find command 'nope'"), "{lines:?}");
}

#[test]
fn the_timeout_and_the_directory() {
    let machine = Machine::with_programs();
    let start = Instant::now();
    let graph = exec("/bin/sleep 9", &[("timeout", Value::Float(0.2))]);
    assert!(machine.lines(&graph)[0].ends_with("Command exceeded timeout"));
    assert!(start.elapsed() < Duration::from_secs(5));
    let graph = exec("/bin/true", &[("cwd", text("/nope"))]);
    assert!(machine.lines(&graph)[0].ends_with("Working directory /nope does not exist!"));
}

#[test]
fn environment_umask_and_several_tries() {
    let machine = Machine::with_programs();
    let out = machine.path("/out");
    let script = format!("echo $A-$HOME-$(umask) >> {}; exit 1", out.display());
    let graph = exec(
        "x",
        &[
            ("command", text(&script)),
            ("provider", text("shell")),
            ("environment", texts(&["A=1", "HOME=/h"])),
            ("umask", text("027")),
            ("tries", Value::Int(2)),
        ],
    );
    machine.apply(&graph);
    assert_eq!(machine.read("/out"), "1-/h-0027\n1-/h-0027\n");
}

#[test]
fn a_refresh_runs_once_and_only_after_a_change() {
    let machine = Machine::with_programs();
    let mut builder = Builder::default();
    let a = builder.add("Exec", "a", &[("command", text("/bin/true"))]);
    let b = builder.add("Exec", "b", &[("command", text("/bin/true")), ("creates", text("/etc"))]);
    let r = builder.add(
        "Exec",
        "r",
        &[
            ("command", text("/bin/echo hi")),
            ("refreshonly", Value::Bool(true)),
            ("logoutput", Value::Bool(true)),
        ],
    );
    builder.edge(a, r, EdgeKind::Notify);
    builder.edge(b, r, EdgeKind::Notify);
    assert_eq!(
        machine.lines(&builder.graph),
        [
            "/Exec[a]/returns: executed successfully",
            "/Exec[r]/returns: hi",
            "/Exec[r]: Triggered 'refresh' from 1 event",
        ]
    );
}

#[test]
fn secrets_do_not_show() {
    let machine = Machine::with_programs();
    let graph = exec("x", &[("command", secret("/bin/sh -c 'echo hunter2; exit 1'"))]);
    let lines = machine.lines(&graph).join("\n");
    assert!(
        !lines.contains("hunter2") && lines.contains("[command redacted] returned 1"),
        "{lines}"
    );
    let report = machine.apply(&exec("y", &[("command", secret("ls"))]));
    assert_eq!(report.resources[0].status, Status::Failed);
}

#[test]
fn a_user_has_all_its_groups() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let machine = Machine::with_programs();
    machine.write("/etc/group", "root:x:0:\nweb:x:33:\na:x:7001:x,web\nb:x:7002:x\nc:x:7003:web\n");
    let with = [("user", text("web")), ("logoutput", Value::Bool(true))];
    let lines = machine.lines(&exec("/bin/sh -c 'echo $(id -u) $(id -g) $(id -G)'", &with));
    assert!(lines[0].ends_with("returns: 33 33 33 7001 7003"), "{lines:?}");
    let with = [("user", text("web")), ("group", text("7002")), ("logoutput", Value::Bool(true))];
    let lines = machine.lines(&exec("/bin/sh -c 'echo $(id -g) $(id -G)'", &with));
    assert!(lines[0].ends_with("returns: 7002 7002 33 7001 7003"), "{lines:?}");
}

#[test]
fn a_failure_that_is_none_skips_what_depends_on_it() {
    for (skips, wanted) in [(true, Status::Skipped), (false, Status::Failed)] {
        let machine = Machine::with_programs();
        let mut builder = Builder::default();
        let skip = ("skip_on_fail", Value::Bool(skips));
        let failing = builder.add("Exec", "/bin/false", &[skip]);
        let after = builder.add("Exec", "/bin/true", &[]);
        builder.edge(failing, after, EdgeKind::Before);
        let report = machine.apply(&builder.graph);
        let statuses: Vec<Status> = report.resources.iter().map(|one| one.status).collect();
        assert_eq!(statuses, [wanted, Status::SkippedForFailure]);
        assert_eq!(report.counts().failed, usize::from(!skips));
    }
}
