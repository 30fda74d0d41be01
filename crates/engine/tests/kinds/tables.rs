//! The kinds `host` and `cron`: entries in files that others edit as well.

use crate::support::{Machine, errors, list, parse, s, secret};
use ordain_data::Value;
use ordain_engine::kinds::cron::Cron;
use ordain_engine::kinds::host::Host;

const HOSTS: &str = "# mine\n127.0.0.1 localhost  # kept   as is\n\n10.0.0.9\told.example\told o\n";

#[test]
fn a_host_is_added_changed_and_removed() {
    let machine = Machine::silent();
    machine.write("etc/hosts", HOSTS);
    let kind = Host::default();
    let attributes =
        [("ip", s("10.1.1.1")), ("host_aliases", list(&["a", "b"])), ("comment", s("c"))];
    assert_eq!(machine.converge(&*parse(&kind, "x.example", &attributes)), ["ensure: created"]);
    assert_eq!(machine.read("etc/hosts"), format!("{HOSTS}10.1.1.1\tx.example\ta b\t# c\n"));

    let attributes = [("ip", s("10.1.1.2")), ("host_aliases", s("b")), ("comment", s("d"))];
    let output = machine.converge(&*parse(&kind, "x.example", &attributes));
    assert_eq!(
        output,
        [
            "ip: ip changed '10.1.1.1' to '10.1.1.2'",
            "host_aliases: host_aliases changed a b to 'b'",
            "comment: comment changed 'c' to 'd'",
        ]
    );
    let output = machine.converge(&*parse(&kind, "x.example", &[("ensure", s("absent"))]));
    assert_eq!(output, ["ensure: removed"]);
    assert_eq!(machine.read("etc/hosts"), HOSTS);
}

#[test]
fn undeclared_attributes_of_a_host_stay() {
    let machine = Machine::silent();
    machine.write("etc/hosts", HOSTS);
    let kind = Host::default();
    let instance = parse(&kind, "x", &[("name", s("old.example")), ("ip", s("10.0.0.8"))]);
    machine.converge(&*instance);
    assert_eq!(
        machine.read("etc/hosts"),
        HOSTS.replace("10.0.0.9\told.example\told o", "10.0.0.8\told.example\told o")
    );
    assert!(machine.messages(&*parse(&kind, "localhost", &[("ensure", s("present"))])).is_empty());
}

#[test]
fn a_hosts_file_keeps_mode_and_link() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let machine = Machine::silent();
    machine.write("run/hosts", "");
    std::fs::create_dir_all(machine.root().join("etc")).unwrap();
    symlink("../run/hosts", machine.root().join("etc/hosts")).unwrap();
    let mode = std::fs::Permissions::from_mode(0o640);
    std::fs::set_permissions(machine.root().join("run/hosts"), mode).unwrap();
    machine.converge(&*parse(&Host::default(), "x", &[("ip", s("::1"))]));
    assert_eq!(machine.read("run/hosts"), "::1\tx\n");
    let meta = std::fs::metadata(machine.root().join("run/hosts")).unwrap();
    assert_eq!(meta.permissions().mode() & 0o777, 0o640);
    assert_eq!(std::fs::read_dir(machine.root().join("run")).unwrap().count(), 1);
}

#[test]
fn a_new_host_needs_an_address() {
    let machine = Machine::silent();
    machine.write("etc/hosts", "");
    let error = parse(&Host::default(), "x", &[]).compare(&machine.host).unwrap_err();
    assert_eq!(error.to_string(), "ip is a required attribute for hosts");
}

#[test]
fn bad_hosts_give_all_errors() {
    let found = errors(
        &Host::default(),
        "x_ +",
        &[
            ("ip", s("1.2.3")),
            ("host_aliases", s("a b")),
            ("comment", s("a\nb")),
            ("ensure", s("up")),
        ],
    );
    assert_eq!(
        found,
        [
            "name: Invalid host name",
            "ensure: Invalid value \"up\". Valid values are present, absent.",
            "ip: Invalid IP address \"1.2.3\"",
            "host_aliases: Host aliases cannot include whitespace",
            "comment: Comment cannot include newline",
        ]
    );
}

const CRONTAB: &[u8] = b"MAILTO=x\n# \xff note\n\n5 4 * * *   /bin/hand   job\n@daily foo\n";
const SPOOL: &str = "var/spool/cron/crontabs/root";

fn cron_machine() -> Machine {
    let machine = Machine::silent();
    let me = nix::unistd::geteuid();
    let group = nix::unistd::getegid();
    machine.write("etc/passwd", format!("root:x:{me}:{group}:root:/root:/bin/sh\n"));
    machine.write("etc/group", format!("crontab:x:{group}:\n"));
    machine.write(SPOOL, CRONTAB);
    machine
}

fn table(machine: &Machine) -> Vec<u8> {
    std::fs::read(machine.root().join(SPOOL)).unwrap()
}

#[test]
fn a_job_is_added_changed_and_removed() {
    let machine = cron_machine();
    let kind = Cron::default();
    let times = [
        ("command", s("/bin/b 1")),
        ("minute", Value::list([Value::Int(1), s("5")])),
        ("hour", s("*/2")),
        ("weekday", list(&["Mon", "friday"])),
        ("month", s("december")),
        ("monthday", s("1-5")),
        ("environment", list(&["A=b", "C=d e"])),
    ];
    assert_eq!(machine.converge(&*parse(&kind, "b", &times)), ["ensure: created"]);
    let job = b"# Puppet Name: b\nA=b\nC=d e\n1,5 */2 1-5 12 1,5 /bin/b 1\n";
    assert_eq!(table(&machine), [CRONTAB, job].concat());

    let times = [
        ("command", s("/bin/b 2")),
        ("minute", list(&["1", "6"])),
        ("weekday", s("*")),
        ("month", s("absent")),
        ("environment", s("A=b")),
    ];
    assert_eq!(
        machine.converge(&*parse(&kind, "b", &times)),
        [
            "command: command changed '/bin/b 1' to '/bin/b 2'",
            "minute: minute changed ['1', '5'] to ['1', '6']",
            "month: undefined 'month' from ['12']",
            "weekday: undefined 'weekday' from ['1', '5']",
            "environment: environment changed ['A=b', 'C=d e'] to A=b",
        ]
    );
    let output = machine.converge(&*parse(&kind, "b", &[("special", s("hourly"))]));
    assert_eq!(output, ["special: defined 'special' as 'hourly'"]);
    assert!(table(&machine).ends_with(b"# Puppet Name: b\nA=b\n@hourly /bin/b 2\n"));
    let output = machine.converge(&*parse(&kind, "b", &[("ensure", s("absent"))]));
    assert_eq!(output, ["ensure: removed"]);
    assert_eq!(table(&machine), CRONTAB);
}

#[test]
fn a_job_that_is_there_without_a_mark_is_taken_as_it_is() {
    let machine = cron_machine();
    let kind = Cron::default();
    let same =
        [("command", s("/bin/hand   job")), ("minute", Value::Int(5)), ("hour", Value::Int(4))];
    assert!(machine.messages(&*parse(&kind, "hand", &same)).is_empty());
    let other = [("command", s("/bin/hand   job")), ("minute", Value::Int(6))];
    assert_eq!(machine.messages(&*parse(&kind, "hand", &other)), ["ensure: created"]);
}

#[test]
fn a_job_of_an_unknown_user_is_an_error() {
    let machine = cron_machine();
    let job = parse(&Cron::default(), "b", &[("command", s("x")), ("user", s("ghost"))]);
    let changes = job.compare(&machine.host).unwrap();
    let error = job.apply(&machine.host, &changes).unwrap_err();
    assert!(error.to_string().contains("The user does not exist"), "{error}");
    let error = parse(&Cron::default(), "c", &[]).compare(&machine.host).unwrap_err();
    assert_eq!(error.to_string(), "no command specified, cannot create");
}

#[test]
fn bad_jobs_give_all_errors() {
    let kind = Cron::default();
    let found = errors(
        &kind,
        "b",
        &[
            ("minute", s("60")),
            ("weekday", list(&["1", "someday"])),
            ("special", s("often")),
            ("environment", list(&["A=b", "C"])),
            ("command", s("a\nb")),
        ],
    );
    assert_eq!(
        found,
        [
            "command: the command of a cron job cannot include a newline",
            "minute: 60 is not a valid minute",
            "weekday: someday is not a valid weekday",
            "special: Invalid special schedule \"often\"",
            "environment: Invalid environment setting \"C\"",
        ]
    );
    let found = errors(&kind, "b", &[("special", s("daily")), ("hour", s("3"))]);
    let message = "Cron[b] cannot specify both a special schedule and a value for hour";
    assert_eq!(found, [format!("-: {message}")]);
}

#[test]
fn secrets_of_a_job_are_not_shown() {
    let machine = cron_machine();
    let kind = Cron::default();
    machine.converge(&*parse(&kind, "b", &[("command", s("old"))]));
    let job = parse(&kind, "b", &[("command", secret("curl -u hunter2"))]);
    let changes = job.compare(&machine.host).unwrap();
    assert_eq!(changes[0].message, "changed [redacted] to [redacted]");
    assert!(!format!("{changes:?}").contains("hunter2"));
}
