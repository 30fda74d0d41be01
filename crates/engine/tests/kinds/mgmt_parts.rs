//! Kinds of mgmt that own a part of something: a key line, members of a document, a host among
//! others, the end of a run.

use std::os::unix::fs::PermissionsExt;

use crate::support::{Machine, errors, list, parse, s};
use ordain_data::Value;
use ordain_engine::kinds::authorized_key::AuthorizedKey;
use ordain_engine::kinds::election::Election;
use ordain_engine::kinds::exit::Exit;
use ordain_engine::kinds::json_edit::JsonEdit;
use ordain_engine::shared_kv::Key;

const KEY: &str = "AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f";

fn mode(machine: &Machine, path: &str) -> u32 {
    std::fs::metadata(machine.root().join(path)).unwrap().permissions().mode() & 0o7777
}

/// A machine with the user `me`, who runs the test.
fn with_user() -> Machine {
    let machine = Machine::silent();
    let (uid, gid) = (nix::unistd::geteuid(), nix::unistd::getegid());
    machine.write("etc/passwd", format!("me:x:{uid}:{gid}::/home/me:/bin/sh\n"));
    machine.write("home/me/.profile", "");
    machine
}

#[test]
fn a_key_is_added_to_the_file_of_a_user() {
    let machine = with_user();
    let attributes = [
        ("user", s("me")),
        ("type", s("ssh-ed25519")),
        ("key", s(KEY)),
        ("comment", s("me here")),
        ("options", list(&["no-pty", "from=\"a b\""])),
    ];
    let kind = AuthorizedKey::default();
    let key = parse(&kind, "k", &attributes);
    assert_eq!(key.autorequires().len(), 1);
    let line = format!("no-pty,from=\"a b\" ssh-ed25519 {KEY} me here");
    let wanted = [
        "mkdir: defined 'mkdir' as '/home/me/.ssh'".to_string(),
        format!("content: defined 'content' as '{line}'"),
    ];
    assert_eq!(machine.converge(&*key), wanted);
    let file = "home/me/.ssh/authorized_keys";
    assert_eq!(machine.read(file), format!("{line}\n"));
    assert_eq!((mode(&machine, "home/me/.ssh"), mode(&machine, file)), (0o700, 0o600));
    // The default is the file of whoever runs it.
    let gone = parse(&kind, "k", &[("state", s("absent")), ("content", s(&line))]);
    assert_eq!(machine.converge(&*gone).len(), 1);
    assert_eq!(machine.read(file), "");
}

#[test]
fn a_key_in_a_file_leaves_the_other_lines() {
    let machine = with_user();
    machine.write("keys", "# mine\nssh-rsa AAAA other");
    let line = format!("ssh-ed25519 {KEY}");
    let kind = AuthorizedKey::default();
    let key = parse(&kind, &format!("  {line} "), &[("file", s("/keys"))]);
    machine.converge(&*key);
    assert_eq!(machine.read("keys"), format!("# mine\nssh-rsa AAAA other\n{line}\n"));
    let other = parse(&kind, &line, &[("file", s("~nobody/.ssh/authorized_keys"))]);
    let error = other.compare(&machine.host).unwrap_err();
    assert_eq!(error.0, "User 'nobody' does not exist");
    let open = [("file", s("~me/.ssh/keys")), ("mkdir", Value::Bool(false))];
    let open = parse(&kind, &line, &open);
    let changes = open.compare(&machine.host).unwrap();
    assert!(open.apply(&machine.host, &changes).is_err());
}

#[test]
fn invalid_keys_are_refused() {
    let kind = AuthorizedKey::default();
    let bad = [("type", s("ssh-rsa")), ("key", s(KEY)), ("file", s("x/"))];
    let output = errors(&kind, "k", &bad);
    let file = "file: file must be absolute, or begin with ~, and not end with a slash";
    assert_eq!(output, ["key: type does not match key", file]);
    assert_eq!(errors(&kind, "ssh-ed25519 AAAA", &[]), ["key: no key found"]);
}

#[test]
fn members_of_a_document_are_held() {
    let machine = Machine::silent();
    machine.write("a.json", "{ \"b\": {\"x\": 1.50}, \"a\": [1] }");
    std::fs::set_permissions(machine.root().join("a.json"), PermissionsExt::from_mode(0o640))
        .unwrap();
    let edits = list(&[".b.y = {\"z\": true}", "del(.a)", ".[\"c d\"] = 1e3"]);
    let edit = parse(&JsonEdit, "/a.json", &[("edits", edits)]);
    assert_eq!(machine.converge(&*edit), ["content: content changed by the edits"]);
    let wanted = "{\n\t\"b\": {\n\t\t\"x\": 1.50,\n\t\t\"y\": {\n\t\t\t\"z\": true\n\t\t}\n\t},\n\t\"c d\": 1e3\n}\n";
    assert_eq!((machine.read("a.json").as_str(), mode(&machine, "a.json")), (wanted, 0o640));
    // Differences of form only cause no change.
    machine.write("a.json", wanted.replace(['\n', '\t'], ""));
    assert_eq!(machine.messages(&*edit), [""; 0]);
    machine.write("a.json", "{\"b\": 1}");
    let error = edit.compare(&machine.host).unwrap_err();
    assert_eq!(error.0, "could not apply edit at index 0: `b` is not an object");
    let gone = parse(&JsonEdit, "file:///none.json", &[("edits", list(&[".a = 1"]))]);
    assert!(gone.compare(&machine.host).unwrap_err().0.ends_with("there is no such file"));
}

#[test]
fn a_document_can_be_a_shared_value() {
    let machine = Machine::silent();
    machine.write("var/lib/ordain/.keep", "");
    let store = [("store", s("etcd:///k/hosts")), ("edits", list(&[".a = \"ä\""]))];
    machine.converge(&*parse(&JsonEdit, "j", &store));
    let value = Key::new("k/hosts").get(&machine.host, None).unwrap().unwrap();
    assert_eq!(value, "{\n\t\"a\": \"ä\"\n}\n");
    for bad in ["x", "etcd:///", "etcd://h/k", "file:x", "file:///a?b", "http:///a"] {
        let bad = [("store", s(bad)), ("edits", list(&[".a = 1", "b"]))];
        assert_eq!(errors(&JsonEdit, "j", &bad).len(), 2, "{bad:?}");
    }
}

#[test]
fn a_host_stands_for_election_until_it_is_withdrawn() {
    let machine = Machine::silent();
    machine.write("var/lib/ordain/.keep", "");
    let election = parse(&Election, "n", &[("host", s("h1")), ("max", Value::Int(2))]);
    assert_eq!(machine.converge(&*election), ["host: defined 'host' as 'h1'"]);
    let hosts = || Key::of_schedule("n").of_hosts(&machine.host).unwrap().into_keys();
    assert!(hosts().eq(["h1".to_string()]));
    let withdraw = [("host", s("h1")), ("withdraw", Value::Bool(true)), ("namespace", s("n"))];
    machine.converge(&*parse(&Election, "x", &withdraw));
    assert_eq!(hosts().count(), 0);
    let both = [withdraw[1].clone(), ("max", Value::Int(1)), ("strategy", s("best"))];
    assert_eq!(errors(&Election, "n", &both).len(), 3);
}

#[test]
fn a_run_ends_with_a_code() {
    let machine = Machine::silent();
    let exit = parse(&Exit, "e", &[("code", Value::Int(3))]);
    let changes = exit.compare(&machine.host).unwrap();
    assert_eq!(machine.host.ending(), None);
    exit.apply(&machine.host, &changes).unwrap();
    assert_eq!(machine.host.ending(), Some(3));
    assert_eq!(errors(&Exit, "e", &[("code", Value::Int(126))]).len(), 1);
}
