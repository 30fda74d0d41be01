//! The kinds `user` and `group`.

use crate::support::{Machine, errors, fails, list, parse, s, says, secret};
use ordain_data::Value;
use ordain_engine::kinds::group::Group;
use ordain_engine::kinds::user::User;
use ordain_graph::ResourceRef;

const HASH: &str = "$6$salt$0123456789abcdef";

const PASSWD: &str = "root:x:0:0:root:/root:/bin/sh\nann:x:1001:1001:Ann:/home/ann:/bin/sh\n";
const SHADOW: &str = "root:*:19000:0:99999:7:::\nann:!:19000:0:99999:7::18263:\n";
const GROUP: &str = "root:x:0:\nadm:x:4:ann\naudio:x:29:\nann:x:1001:\n";

fn fill(machine: &Machine) {
    machine.write("etc/passwd", PASSWD);
    machine.write("etc/shadow", SHADOW);
    machine.write("etc/group", GROUP);
    machine.write("etc/gshadow", "root:*::\nadm:*::ann\naudio:*::\nann:!::\n");
    machine.write("etc/login.defs", "UID_MIN 1000\nGID_MIN 1000\nENCRYPT_METHOD SHA512\n");
    machine.write("bin/sh", "");
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(machine.root().join("bin/sh"), mode).unwrap();
}

/// Whether the real tools can work on the directory.
fn has_tools() -> bool {
    nix::unistd::geteuid().is_root() && std::path::Path::new("/usr/sbin/useradd").exists()
}

#[test]
fn a_user_in_place_runs_nothing() {
    let machine = Machine::silent();
    fill(&machine);
    let user = parse(
        &User::default(),
        "ann",
        &[
            ("uid", s("1001")),
            ("gid", s("ann")),
            ("home", s("/home/ann")),
            ("shell", s("/bin/sh")),
            ("comment", s("Ann")),
            ("groups", list(&["adm"])),
            ("membership", s("inclusive")),
            ("password", secret("!")),
            ("password_max_age", s("99999")),
            ("expiry", s("2020-01-02")),
        ],
    );
    assert!(machine.messages(&*user).is_empty());
    assert!(machine.messages(&*parse(&User::default(), "nobody-at-all", &[])).is_empty());
}

#[test]
fn a_change_of_a_user_is_one_call_and_hides_the_password() {
    let machine = Machine::answering(|_, _| says(""));
    fill(&machine);
    let user = parse(
        &User::default(),
        "ann",
        &[
            ("uid", Value::Int(1002)),
            ("gid", s("audio")),
            ("groups", list(&["audio"])),
            ("password", s(HASH)),
            ("password_min_age", Value::Int(1)),
            ("expiry", s("absent")),
        ],
    );
    let changes = user.compare(&machine.host).unwrap();
    assert_eq!(
        crate::support::lines(&changes),
        [
            "uid: uid changed 1001 to 1002",
            "gid: gid changed 1001 to 'audio'",
            "password: changed [redacted] to [redacted]",
            "password_min_age: password_min_age changed 0 to 1",
            "groups: groups changed adm to ['adm', 'audio']",
            "expiry: undefined 'expiry' from '2020-01-02'",
        ]
    );
    assert!(!format!("{changes:?}").contains(HASH));
    user.apply(&machine.host, &changes).unwrap();
    let log = machine.invocations();
    assert!(log.iter().all(|i| !format!("{:?}", i.launch.argv).contains(HASH)));
    let stdin: Vec<_> =
        log.iter().map(|i| String::from_utf8_lossy(&i.stdin).into_owned()).collect();
    assert_eq!(stdin, ["", "", &format!("ann:{HASH}\n")]);
    let words =
        |i: usize| log[i].launch.argv[3..].iter().map(|a| a.to_string_lossy()).collect::<Vec<_>>();
    assert_eq!(words(0), ["-u", "1002", "-g", "29", "-G", "adm,audio", "-e", "", "ann"]);
    assert_eq!(words(1), ["-m", "1", "ann"]);
    assert_eq!(words(2), ["-e"]);
}

#[test]
fn a_tool_that_quotes_the_password_does_not_betray_it() {
    let machine = Machine::answering(|_, _| fails(1, &format!("line 1: ann:{HASH} is bad\n")));
    fill(&machine);
    let user = parse(&User::default(), "ann", &[("password", secret(HASH))]);
    let changes = user.compare(&machine.host).unwrap();
    let error = user.apply(&machine.host, &changes).unwrap_err().to_string();
    assert!(error.contains("Could not set password on user[ann]") && error.contains("is bad"));
    assert!(!error.contains(HASH), "{error}");
}

#[test]
fn output_of_a_failed_tool_is_reported() {
    let machine = Machine::answering(|_, _| fails(4, "useradd: UID 0 is not unique\n"));
    fill(&machine);
    let user = parse(&User::default(), "bob", &[("uid", s("0"))]);
    let changes = user.compare(&machine.host).unwrap();
    assert_eq!(crate::support::lines(&changes), ["ensure: created"]);
    let error = user.apply(&machine.host, &changes).unwrap_err().to_string();
    assert!(error.starts_with("Could not create user bob: Execution of '"), "{error}");
    assert!(error.ends_with("-u 0 -M bob' returned 4: useradd: UID 0 is not unique"), "{error}");
}

#[test]
fn a_missing_group_or_shell_is_an_error() {
    let machine = Machine::silent();
    fill(&machine);
    for (name, value, message) in [
        ("gid", "ghosts", "Could not find group(s) ghosts"),
        ("shell", "/bin/nosh", "Shell /bin/nosh must exist"),
        ("shell", "/etc/passwd", "Shell /etc/passwd must be executable"),
    ] {
        let user = parse(&User::default(), "ann", &[(name, s(value))]);
        let changes = user.compare(&machine.host).unwrap();
        let error = user.apply(&machine.host, &changes).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
}

#[test]
fn bad_users_give_all_errors() {
    let found = errors(
        &User::default(),
        "-x",
        &[
            ("ensure", s("role")),
            ("uid", s("many")),
            ("groups", list(&["a,b", "12", ""])),
            ("password", s("a:b")),
            ("password_min_age", s("old")),
            ("expiry", s("tomorrow")),
            ("membership", s("some")),
            ("system", s("maybe")),
            ("purge_ssh_keys", s("keys")),
        ],
    );
    assert_eq!(
        found,
        [
            "name: Invalid name \"-x\"",
            "ensure: Provider useradd must have features 'manages_solaris_rbac' to set 'ensure' to 'role'",
            "uid: Invalid UID many",
            "groups: Group names must be provided as an array, not a comma-separated list.",
            "groups: Group names must be provided, not GID numbers.",
            "groups: Group names must not be empty. If you want to specify \"no groups\" pass an empty array",
            "password: Passwords cannot include ':'",
            "password_min_age: Password minimum age must be provided as a number.",
            "expiry: Expiry dates must be YYYY-MM-DD or the string \"absent\"",
            "membership: Invalid value \"some\". Valid values are inclusive, minimum.",
            "system: Invalid value \"maybe\". Valid values are true, false, yes, no.",
            "purge_ssh_keys: Paths to keyfiles must be absolute, not keys",
        ]
    );
}

#[test]
fn groups_come_before_users() {
    let attributes = [("gid", s("staff")), ("groups", list(&["adm", "audio"]))];
    let user = parse(&User::default(), "bob", &attributes);
    let group = |title: &str| ResourceRef { kind: "Group".into(), title: title.into() };
    assert_eq!(user.autorequires(), [group("staff"), group("adm"), group("audio")]);
    let user = parse(&User::default(), "bob", &[("gid", s("100"))]);
    assert_eq!(user.autorequires(), [group("100")]);
}

#[test]
fn keys_that_are_purged_become_resources() {
    let machine = Machine::silent();
    fill(&machine);
    machine.write("home/ann/.ssh/authorized_keys", "ssh-rsa AAAA old@laptop\n# c\n");
    let user = parse(&User::default(), "ann", &[("purge_ssh_keys", Value::Bool(true))]);
    let keys = user.generate(&machine.host).unwrap();
    assert_eq!(keys.len(), 1);
    assert_eq!(keys[0].id.to_string(), "Ssh_authorized_key[old@laptop]");
    assert_eq!(keys[0].value("target"), Some(&s("/home/ann/.ssh/authorized_keys")));
}

#[test]
fn users_are_really_made_changed_and_removed() {
    if !has_tools() {
        return;
    }
    let machine = Machine::real();
    fill(&machine);
    let kind = User::default();
    let attributes = [
        ("uid", s("1500")),
        ("groups", list(&["adm", "audio"])),
        ("password", secret(HASH)),
        ("password_min_age", s("2")),
        ("home", s("/home/bob")),
        ("shell", s("/bin/sh")),
        ("comment", s("Bob B")),
        ("expiry", s("2030-12-31")),
        ("managehome", Value::Bool(true)),
    ];
    std::fs::create_dir_all(machine.root().join("home")).unwrap();
    assert_eq!(machine.converge(&*parse(&kind, "bob", &attributes)), ["ensure: created"]);
    assert!(machine.read("etc/shadow").contains(&format!("bob:{HASH}:")));
    assert!(machine.root().join("home/bob").is_dir());
    machine.commands();
    assert!(machine.messages(&*parse(&kind, "bob", &attributes)).is_empty());
    assert!(machine.commands().is_empty());

    let changed = [
        ("uid", s("1501")),
        ("gid", s("audio")),
        ("groups", list(&["adm"])),
        ("membership", s("inclusive")),
        ("password", secret("!")),
        ("expiry", s("absent")),
        ("comment", s("")),
        ("password_warn_days", s("3")),
    ];
    assert_eq!(machine.converge(&*parse(&kind, "bob", &changed)).len(), 7);
    assert!(machine.read("etc/passwd").contains("bob:x:1501:29::/home/bob:/bin/sh"));
    assert!(machine.read("etc/group").contains("audio:x:29:\n"));

    let absent = [("ensure", s("absent")), ("managehome", s("yes"))];
    assert_eq!(machine.converge(&*parse(&kind, "bob", &absent)), ["ensure: removed"]);
    assert!(!machine.read("etc/passwd").contains("bob"));
}

#[test]
fn groups_are_really_made_changed_and_removed() {
    if !has_tools() {
        return;
    }
    let machine = Machine::real();
    fill(&machine);
    let kind = Group::default();
    let attributes = [("gid", s("2000")), ("members", list(&["ann"]))];
    assert_eq!(machine.converge(&*parse(&kind, "crew", &attributes)), ["ensure: created"]);
    machine.commands();
    assert!(machine.messages(&*parse(&kind, "crew", &attributes)).is_empty());
    assert!(machine.commands().is_empty());
    let attributes = [("gid", s("2001")), ("members", list(&["root"]))];
    assert_eq!(
        machine.converge(&*parse(&kind, "crew", &attributes)),
        ["gid: gid changed 2000 to 2001", "members: members changed 'ann' to 'ann,root'"]
    );
    let attributes = [("members", s("root")), ("auth_membership", Value::Bool(true))];
    machine.converge(&*parse(&kind, "crew", &attributes));
    assert!(machine.read("etc/group").contains("crew:x:2001:root\n"));
    let found = parse(&kind, "crew", &[("members", s("ghost"))]);
    let changes = found.compare(&machine.host).unwrap();
    let error = found.apply(&machine.host, &changes).unwrap_err();
    assert_eq!(error.to_string(), "Could not set members on group[crew]: no such user: ghost");
    let attributes = [("ensure", s("absent"))];
    assert_eq!(machine.converge(&*parse(&kind, "crew", &attributes)), ["ensure: removed"]);
}

#[test]
fn bad_groups_give_all_errors() {
    let found = errors(
        &Group::default(),
        "a:b",
        &[("gid", s("many")), ("auth_membership", s("x")), ("provider", s("aix"))],
    );
    assert_eq!(
        found,
        [
            "provider: Provider aix is not functional on this host",
            "name: Invalid name \"a:b\"",
            "gid: Invalid GID many",
            "auth_membership: Invalid value \"x\". Valid values are true, false, yes, no.",
        ]
    );
}

#[test]
fn attributes_without_a_tool_are_dropped_with_a_warning() {
    let machine = Machine::silent();
    let user = [("salt", s("x")), ("iterations", Value::Int(5)), ("roles", list(&["r"]))];
    let user = parse(&User::default(), "ada", &user);
    let says = |feature: &str, name: &str| {
        format!(
            "Provider useradd does not support features {feature}; not managing attribute {name}"
        )
    };
    assert_eq!(
        user.remarks(&machine.host),
        [
            says("manages_roles", "roles"),
            says("manages_password_salt", "salt"),
            says("manages_password_salt", "iterations"),
        ]
    );
    let group = parse(&Group::default(), "team", &[("attributes", list(&["a=b"]))]);
    let text = "Provider groupadd does not support features manages_aix_lam; \
                not managing attribute attributes";
    assert_eq!(group.remarks(&machine.host), [text]);
}
