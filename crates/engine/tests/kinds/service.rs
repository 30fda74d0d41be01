//! The kind `service` on a machine without systemd.

use std::os::unix::fs::symlink;
use std::path::Path;

use crate::support::{Machine, errors, fails, parse, s, says, word};
use ordain_data::Value;
use ordain_engine::kinds::service::Service;
use ordain_engine::runner::{Invocation, Outcome};

/// A machine with one init script; a file says whether it "runs".
fn machine() -> Machine {
    let machine = Machine::answering(pretend);
    machine.write("etc/init.d/web", "#!/bin/sh\n");
    std::fs::create_dir_all(machine.root().join("etc/rc2.d")).unwrap();
    machine
}

fn pretend(root: &Path, invocation: &Invocation) -> Outcome {
    let words: Vec<String> =
        (0..invocation.launch.argv.len()).map(|i| word(invocation, i)).collect();
    let running = root.join("running");
    let link = root.join("etc/rc2.d/S01web");
    match words.last().unwrap().as_str() {
        "status" | "check" if running.exists() => says(""),
        "status" | "check" => fails(3, ""),
        "start" | "restart" | "go" => {
            std::fs::write(running, "").unwrap();
            says("")
        }
        "stop" => {
            std::fs::remove_file(running).unwrap();
            says("")
        }
        "enable" => {
            symlink("../init.d/web", link).unwrap();
            says("")
        }
        "disable" => {
            std::fs::remove_file(link).unwrap();
            says("")
        }
        _ => says(""),
    }
}

/// The last two words of each command.
fn ends(machine: &Machine) -> Vec<String> {
    let log = machine.invocations();
    let end = |i: &Invocation| {
        format!("{} {}", word(i, i.launch.argv.len() - 2), word(i, i.launch.argv.len() - 1))
    };
    log.iter().map(end).collect()
}

#[test]
fn a_service_is_started_enabled_and_stopped() {
    let machine = machine();
    let kind = Service::default();
    let on = parse(&kind, "web", &[("ensure", s("running")), ("enable", Value::Bool(true))]);
    assert_eq!(
        machine.converge(&*on),
        [
            "ensure: ensure changed 'stopped' to 'running'",
            "enable: enable changed 'false' to 'true'"
        ]
    );
    assert_eq!(
        ends(&machine),
        [
            "/etc/init.d/web status",
            "/etc/init.d/web start",
            "web defaults",
            "web enable",
            "/etc/init.d/web status",
        ]
    );
    let off = parse(&kind, "web", &[("ensure", Value::Bool(false)), ("enable", s("false"))]);
    assert_eq!(machine.converge(&*off).len(), 2);
    assert_eq!(ends(&machine)[1..3], ["/etc/init.d/web stop", "web disable"]);
}

#[test]
fn a_refresh_restarts_what_runs() {
    let machine = machine();
    let kind = Service::default();
    let service = parse(&kind, "web", &[]);
    assert!(service.refreshable());
    service.refresh(&machine.host).unwrap();
    machine.write("running", "");
    ends(&machine);
    service.refresh(&machine.host).unwrap();
    assert_eq!(
        ends(&machine),
        ["/etc/init.d/web status", "/etc/init.d/web stop", "/etc/init.d/web start"]
    );
    let service = parse(&kind, "web", &[("hasrestart", Value::Bool(true))]);
    service.refresh(&machine.host).unwrap();
    assert_eq!(ends(&machine)[1..], ["/etc/init.d/web restart"]);
    let service = parse(&kind, "web", &[("restart", s("go"))]);
    service.refresh(&machine.host).unwrap();
    assert_eq!(ends(&machine)[1..], ["-c go"]);
}

#[test]
fn declared_commands_come_first() {
    let machine = machine();
    let attributes = [("ensure", s("running")), ("start", s("go")), ("status", s("check"))];
    let service = parse(&Service::default(), "other", &attributes);
    machine.converge(&*service);
    assert_eq!(ends(&machine), ["-c check", "-c go", "-c check"]);
}

#[test]
fn a_daemon_cannot_hold_the_run_up() {
    let machine = Machine::real();
    machine.write("etc/init.d/web", "");
    // A shell exists outside the directory; its root directory stays the same.
    let host = ordain_engine::host::Host::new("/".into(), Box::new(Real));
    let attributes = [
        ("provider", s("base")),
        ("ensure", s("running")),
        ("status", s("false")),
        ("start", s("sleep 30 & echo started")),
    ];
    let service = parse(&Service::default(), "other", &attributes);
    let changes = service.compare(&host).unwrap();
    let start = std::time::Instant::now();
    service.apply(&host, &changes).unwrap();
    assert!(start.elapsed().as_secs() < 20);

    let attributes = [
        ("provider", s("base")),
        ("ensure", s("running")),
        ("status", s("false")),
        ("start", s("echo no luck; exit 3")),
    ];
    let service = parse(&Service::default(), "other", &attributes);
    let error = service.apply(&host, &changes).unwrap_err().to_string();
    assert!(error.starts_with("Could not start Service[other]: Execution of"), "{error}");
    assert!(error.ends_with("returned 3: no luck"), "{error}");
}

struct Real;

impl ordain_engine::runner::Runner for Real {
    fn run(&self, invocation: &Invocation) -> std::io::Result<Outcome> {
        Ok(crate::support::really(invocation))
    }
}

#[test]
fn a_service_without_a_script() {
    let machine = Machine::silent();
    let kind = Service::default();
    let off = parse(&kind, "ghost", &[("ensure", s("stopped")), ("enable", s("false"))]);
    assert!(machine.messages(&*off).is_empty());
    let on = parse(&kind, "ghost", &[("ensure", s("running"))]);
    let changes = on.compare(&machine.host).unwrap();
    let error = on.apply(&machine.host, &changes).unwrap_err();
    let message = "Could not start Service[ghost]: Could not find init script for 'ghost'";
    assert_eq!(error.to_string(), message);
    let mask = parse(&kind, "ghost", &[("enable", s("mask"))]);
    let error = mask.compare(&machine.host).unwrap_err().to_string();
    assert_eq!(error, "Provider debian must have features 'maskable' to set 'enable' to 'mask'");
    let systemd = parse(&kind, "ghost", &[("provider", s("systemd")), ("enable", s("mask"))]);
    let error = systemd.compare(&machine.host).unwrap_err().to_string();
    assert_eq!(error, "Provider systemd is not functional on this host");
}

#[test]
fn units_of_a_machine_that_is_not_booted_are_enabled_in_its_files() {
    let machine = Machine::answering(|root, i| match word(i, 3).as_str() {
        "is-enabled" if root.join("on").exists() => says("enabled\n"),
        "is-enabled" => Outcome { status: 1, ..says("disabled\n") },
        "enable" => {
            std::fs::write(root.join("on"), "").unwrap();
            says("")
        }
        _ => says(""),
    });
    machine.write("lib/systemd/system/unit.service", "");
    let service = parse(&Service::default(), "unit", &[("enable", Value::Bool(true))]);
    machine.converge(&*service);
    let tails: Vec<String> = machine
        .commands()
        .iter()
        .map(|l| l.split_once(" --root ROOT ").unwrap().1.to_string())
        .collect();
    assert_eq!(
        tails,
        [
            "is-enabled -- unit.service",
            "unmask -- unit.service",
            "enable -- unit.service",
            "is-enabled -- unit.service",
        ]
    );
}

#[test]
fn bad_services_give_all_errors() {
    let found = errors(
        &Service::default(),
        "../x",
        &[
            ("ensure", s("up")),
            ("enable", s("delayed")),
            ("hasstatus", s("foo")),
            ("pattern", s("(")),
            ("provider", s("smf")),
        ],
    );
    let pattern =
        found.iter().find(|e| e.starts_with("pattern: not a regular expression")).unwrap();
    assert_eq!(
        found.iter().filter(|e| *e != pattern).collect::<Vec<_>>(),
        [
            "provider: Provider smf is not functional on this host",
            "name: Invalid service name \"../x\"",
            "ensure: Invalid value \"up\". Valid values are stopped, running.",
            "enable: Provider systemd must have features 'delayed_startable' to set 'enable' to 'delayed'",
            "hasstatus: Invalid value \"foo\". Valid values are true, false.",
        ]
    );
    let found =
        errors(&Service::default(), "x", &[("provider", s("debian")), ("enable", s("mask"))]);
    let message = "Provider debian must have features 'maskable' to set 'enable' to 'mask'";
    assert_eq!(found, [format!("enable: {message}")]);
}

#[test]
fn attributes_without_a_script_are_dropped_with_a_warning() {
    let machine = Machine::silent();
    let attributes =
        [("provider", s("base")), ("enable", s("true")), ("flags", s("-x")), ("manifest", s("m"))];
    let service = parse(&Service::default(), "x", &attributes);
    assert_eq!(
        service.remarks(&machine.host),
        [
            "Provider base does not support features flaggable; not managing attribute flags",
            "Provider base does not use attribute manifest",
            "Provider base does not support features enableable; not managing attribute enable",
        ]
    );
    assert_eq!(machine.messages(&*service), Vec::<String>::new());
}
