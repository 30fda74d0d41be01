//! Kinds of mgmt: archives, compressed files, passwords, shared values, messages.

use std::os::unix::net::UnixDatagram;
use std::process::Command;

use crate::support::{Machine, errors, list, parse, s};
use ordain_data::Value;
use ordain_engine::kind::Level;
use ordain_engine::kinds::gzip::Gzip;
use ordain_engine::kinds::kv::Kv;
use ordain_engine::kinds::msg::Msg;
use ordain_engine::kinds::password::Password;
use ordain_engine::kinds::tar::Tar;
use ordain_engine::shared_kv::Key;

/// The output of a program of the system, run below the root of the machine.
fn output(machine: &Machine, argv: &[&str]) -> Vec<u8> {
    let mut command = Command::new(argv[0]);
    let output = command.args(&argv[1..]).current_dir(machine.root()).output().unwrap();
    assert!(output.status.success(), "{argv:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

fn archive(inputs: &[&str], format: i64) -> Vec<(&'static str, Value)> {
    vec![("inputs", list(inputs)), ("format", Value::Int(format))]
}

#[test]
fn an_archive_holds_what_its_inputs_hold() {
    let machine = Machine::silent();
    machine.write("in/b", "two\n");
    machine.write("in/a/x", vec![7; 1000]);
    machine.write("in/empty/.keep", "");
    std::fs::remove_file(machine.root().join("in/empty/.keep")).unwrap();
    machine.write("one", "1");
    for (format, name) in [(0, "auto"), (2, "ustar"), (4, "pax"), (8, "gnu")] {
        let path = format!("/out/{name}.tar");
        machine.write("out/.keep", "");
        let tar = parse(&Tar, &path, &archive(&["/in/", "/one"], format));
        assert_eq!(machine.converge(&*tar), ["ensure: created"], "{name}");
        let listed = text(output(&machine, &["tar", "tf", &path[1..]]));
        assert_eq!(listed, "a/\na/x\nb\nempty/\none\n", "{name}");
        assert_eq!(text(output(&machine, &["tar", "xOf", &path[1..], "b"])), "two\n", "{name}");
        output(&machine, &["tar", "df", &path[1..], "-C", "in", "a/x", "b"]);
    }
    let tar = parse(&Tar, "/out/auto.tar", &archive(&["/in/", "/one"], 0));
    machine.write("in/b", "new\n");
    assert_eq!(machine.converge(&*tar), ["content: content changed 'old' to 'new'"]);
    machine.write("out/auto.tar", "spoiled");
    assert_eq!(machine.converge(&*tar), ["content: content changed 'old' to 'new'"]);
}

#[test]
fn a_directory_without_a_slash_keeps_its_name() {
    let machine = Machine::silent();
    machine.write("in/b", "two\n");
    let tar = parse(&Tar, "x", &[("path", s("/o.tar")), ("inputs", list(&["/in"]))]);
    machine.converge(&*tar);
    assert_eq!(text(output(&machine, &["tar", "tf", "o.tar"])), "in/b\n");
}

#[test]
fn long_names_fit_into_each_form_that_can_say_them() {
    let machine = Machine::silent();
    let (dir, file) = ("d".repeat(90), "f".repeat(120));
    let name = format!("{dir}/ä{}/{file}", &dir[..80]);
    machine.write(&format!("in/{name}"), "x");
    for format in [0, 4, 8] {
        let tar = parse(&Tar, "/o.tar", &archive(&["/in/"], format));
        machine.converge(&*tar);
        assert_eq!(text(output(&machine, &["tar", "xOf", "o.tar", &name])), "x", "{format}");
    }
    let old = parse(&Tar, "/p.tar", &archive(&["/in/"], 2));
    let error = old.compare(&machine.host).unwrap_err();
    assert!(error.0.ends_with("it does not fit into the format ustar"), "{error}");
    assert!(!machine.root().join("p.tar").exists());
}

#[test]
fn unsupported_files_are_errors() {
    let machine = Machine::silent();
    let gone = parse(&Tar, "/o.tar", &archive(&["/none"], 0));
    assert!(gone.compare(&machine.host).unwrap_err().0.contains("/none: No such file"));
    machine.write("in/x", "");
    std::os::unix::fs::symlink("x", machine.root().join("in/link")).unwrap();
    let link = parse(&Tar, "/o.tar", &archive(&["/in/"], 0));
    let error = link.compare(&machine.host).unwrap_err().0;
    assert!(error.ends_with("it is neither a file nor a directory"), "{error}");
    let bad = [("inputs", list(&["in", "/o/"])), ("format", Value::Int(3))];
    let said = errors(&Tar, "/o/x.tar", &bad);
    assert_eq!(said.len(), 3, "{said:?}");
    assert_eq!(errors(&Tar, "o.tar", &[]).len(), 1);
    assert_eq!(errors(&Tar, "/o/", &[]).len(), 1);
}

#[test]
fn a_compressed_file_has_what_was_compressed() {
    let machine = Machine::silent();
    let long: String = (0..200_000).map(|n| format!("line {}\n", n * 7919 % 1009)).collect();
    machine.write("in", &long);
    for level in -2..=9 {
        let path = format!("/out{level}.gz");
        let attributes = [("input", s("/in")), ("level", Value::Int(level))];
        let gzip = parse(&Gzip, &path, &attributes);
        assert_eq!(machine.converge(&*gzip), ["ensure: created"]);
        assert!(text(output(&machine, &["gzip", "-dc", &path[1..]])) == long, "level {level}");
    }
    let gzip = parse(&Gzip, "/c.gz", &[("content", s("hello"))]);
    machine.converge(&*gzip);
    assert_eq!(text(output(&machine, &["gzip", "-dc", "c.gz"])), "hello");
    let again = parse(&Gzip, "/c.gz", &[("content", s("bye"))]);
    assert_eq!(machine.converge(&*again), ["content: content changed 'old' to 'new'"]);
    let empty = parse(&Gzip, "/e.gz", &[]);
    machine.converge(&*empty);
    assert_eq!(text(output(&machine, &["gzip", "-dc", "e.gz"])), "");
    assert_eq!(errors(&Gzip, "/x.gz", &[("level", Value::Int(10)), ("input", s("x"))]).len(), 2);
    let gone = parse(&Gzip, "/x.gz", &[("input", s("/none"))]);
    assert!(gone.compare(&machine.host).is_err());
}

fn sent(machine: &Machine, instance: &dyn ordain_engine::kind::Instance) -> Option<String> {
    let sent = instance.sent(&machine.host).unwrap();
    sent.into_iter().find(|(key, _)| *key == "password").map(|(_, value)| match value {
        Value::Secret(inner) => inner.as_str().unwrap().to_owned(),
        other => panic!("a password that is no secret: {other:?}"),
    })
}

#[test]
fn a_saved_password_stays_until_it_is_told_to_change() {
    let machine = Machine::silent();
    machine.write("var/lib/ordain/.keep", "");
    let attributes = [("length", Value::Int(20)), ("saved", Value::Bool(true))];
    let password = parse(&Password, "p", &attributes);
    assert_eq!(sent(&machine, &*password), None);
    assert_eq!(machine.converge(&*password), ["password: changed [redacted] to [redacted]"]);
    let first = sent(&machine, &*password).unwrap();
    assert_eq!(first.len(), 20);
    assert!(first.bytes().all(|byte| byte.is_ascii_alphabetic()));
    let later = parse(&Password, "p", &attributes);
    assert_eq!(machine.converge(&*later), [""; 0]);
    assert_eq!(sent(&machine, &*later).unwrap(), first);
    later.refresh(&machine.host).unwrap();
    assert_ne!(sent(&machine, &*later).unwrap(), first);
    let longer = [("length", Value::Int(30)), ("saved", Value::Bool(true))];
    assert!(parse(&Password, "p", &longer).compare(&machine.host).is_err());
    let lenient = [longer[0].clone(), longer[1].clone(), ("check_recovery", Value::Bool(true))];
    machine.converge(&*parse(&Password, "p", &lenient));
    assert_eq!(errors(&Password, "p", &[("length", Value::Int(0))]).len(), 1);
}

#[test]
fn a_password_that_is_not_saved_is_sent_once() {
    let machine = Machine::silent();
    machine.write("var/lib/ordain/.keep", "");
    let password = parse(&Password, "q", &[]);
    machine.converge(&*password);
    assert_eq!(sent(&machine, &*password).unwrap().len(), 64);
    assert_eq!(sent(&machine, &*parse(&Password, "q", &[])).unwrap(), "");
}

#[test]
fn values_of_all_and_of_hosts_are_set_and_removed() {
    let machine = Machine::silent();
    machine.write("var/lib/ordain/.keep", "");
    let key = Key::new("k");
    let all = parse(&Kv, "k", &[("value", s("1"))]);
    assert_eq!(machine.converge(&*all), ["value: defined 'value' as '1'"]);
    let mine = [("value", s("m")), ("mapped", Value::Bool(true)), ("host", s("h1"))];
    machine.converge(&*parse(&Kv, "k", &mine));
    assert_eq!(key.get(&machine.host, None).unwrap().as_deref(), Some("1"));
    assert_eq!(key.of_hosts(&machine.host).unwrap(), [("h1".into(), "m".into())].into());
    machine.converge(&*parse(&Kv, "any", &[("key", s("k"))]));
    assert_eq!(key.get(&machine.host, None).unwrap(), None);
    assert_eq!(machine.messages(&*parse(&Kv, "other", &[])), [""; 0]);
}

#[test]
fn a_larger_value_stays_unless_it_is_told_to_change() {
    let machine = Machine::silent();
    machine.write("var/lib/ordain/.keep", "");
    machine.converge(&*parse(&Kv, "k", &[("value", s("10"))]));
    let numbers = [("value", s("9")), ("skiplessthan", Value::Bool(true))];
    let smaller = parse(&Kv, "k", &numbers);
    assert_eq!(machine.messages(&*smaller), [""; 0]);
    let texts = [numbers[0].clone(), numbers[1].clone(), ("skipcmpstyle", Value::Int(1))];
    assert_eq!(machine.messages(&*parse(&Kv, "k", &texts)).len(), 1);
    smaller.refresh(&machine.host).unwrap();
    assert_eq!(Key::new("k").get(&machine.host, None).unwrap().as_deref(), Some("9"));
    let bad = [("value", s("x")), ("skiplessthan", Value::Bool(true))];
    assert_eq!(errors(&Kv, "k", &bad), ["value: 'x' is not an integer"]);
}

#[test]
fn a_message_goes_where_it_is_told_to() {
    let machine = Machine::silent();
    machine.write("run/systemd/journal/.keep", "");
    machine.write("dev/.keep", "");
    let journal = UnixDatagram::bind(machine.root().join("run/systemd/journal/socket")).unwrap();
    let syslog = UnixDatagram::bind(machine.root().join("dev/log")).unwrap();
    let fields = Value::map([("unit".to_owned(), s("x"))]);
    let msg = parse(
        &Msg,
        "m",
        &[
            ("body", s("two\nlines")),
            ("priority", s("Warning")),
            ("fields", fields),
            ("journal", Value::Bool(true)),
            ("syslog", Value::Bool(true)),
        ],
    );
    msg.apply(&machine.host, &msg.compare(&machine.host).unwrap()).unwrap();
    let mut packet = [0; 1000];
    let count = journal.recv(&mut packet).unwrap();
    let wanted =
        b"MESSAGE\n\x09\0\0\0\0\0\0\0two\nlines\nPRIORITY=4\nSYSLOG_IDENTIFIER=ordain\nUNIT=x\n";
    assert_eq!(packet[..count], wanted[..]);
    let count = syslog.recv(&mut packet).unwrap();
    let said = String::from_utf8_lossy(&packet[..count]).into_owned();
    assert_eq!(said, format!("<28>ordain[{}]: two\nlines", std::process::id()));
    let log = msg.take_log();
    assert_eq!((log[0].level, log[0].message.as_str()), (Some(Level::Warning), "two\nlines"));
    assert_eq!(errors(&Msg, "m", &[("priority", s("Loud"))]).len(), 1);
    let fields = Value::map([("_x".to_owned(), s("1"))]);
    assert_eq!(errors(&Msg, "m", &[("fields", fields)]).len(), 1);
}
