#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use rustc_hash::FxHashSet;

use super::Paths;

struct TestDir {
    dir: tempfile::TempDir,
    paths: Paths<u32>,
}

impl TestDir {
    fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap(), paths: Paths::new().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn add(&mut self, name: &str, deep: bool, key: u32) {
        self.paths.add(&self.path(name), deep, key).unwrap();
    }

    fn end(&mut self, key: u32) {
        let places = self.paths.take(key);
        self.paths.release(&places, key);
    }

    /// The notified keys; events are pending once the call that caused them returns.
    fn touched(&mut self) -> BTreeSet<u32> {
        let mut touched = FxHashSet::default();
        self.paths.take_events(&mut touched).unwrap();
        touched.into_iter().collect()
    }

    fn after(&mut self, act: impl FnOnce(&Path)) -> Vec<u32> {
        act(self.dir.path());
        self.touched().into_iter().collect()
    }
}

#[test]
fn a_file_and_all_that_can_happen_to_it() {
    let mut place = TestDir::new();
    place.add("a", false, 1);
    place.add("b", false, 2);
    assert_eq!(place.after(|dir| fs::write(dir.join("a"), "x").unwrap()), [1]);
    assert_eq!(place.after(|dir| fs::write(dir.join("c"), "x").unwrap()), [0; 0]);
    assert_eq!(
        place.after(|dir| {
            let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
            fs::set_permissions(dir.join("a"), mode).unwrap();
        }),
        [1]
    );
    assert_eq!(place.after(|dir| fs::rename(dir.join("a"), dir.join("b")).unwrap()), [1, 2]);
    assert_eq!(place.after(|dir| fs::remove_file(dir.join("b")).unwrap()), [2]);
    assert_eq!(place.after(|dir| fs::create_dir(dir.join("b")).unwrap()), [2]);
    place.end(2);
    assert_eq!(place.after(|dir| fs::remove_dir(dir.join("b")).unwrap()), [0; 0]);
    assert_eq!(place.after(|dir| std::os::unix::fs::symlink("x", dir.join("a")).unwrap()), [1]);
}

#[test]
fn writes_to_an_open_file_are_seen() {
    use std::io::Write;
    let mut place = TestDir::new();
    place.add("a", false, 1);
    let mut file = fs::File::create(place.path("a")).unwrap();
    assert_eq!(place.touched(), BTreeSet::from([1]));
    file.write_all(b"more").unwrap();
    assert_eq!(place.touched(), BTreeSet::from([1]));
}

#[test]
fn directories_above_come_and_go() {
    let mut place = TestDir::new();
    place.add("x/y/z/file", false, 1);
    assert_eq!(place.after(|dir| fs::create_dir(dir.join("x")).unwrap()), [1]);
    assert_eq!(place.after(|dir| fs::create_dir_all(dir.join("x/y/z")).unwrap()), [1]);
    assert_eq!(place.after(|dir| fs::write(dir.join("x/y/z/other"), "").unwrap()), [0; 0]);
    assert_eq!(place.after(|dir| fs::write(dir.join("x/y/z/file"), "").unwrap()), [1]);
    assert_eq!(place.after(|dir| fs::rename(dir.join("x"), dir.join("w")).unwrap()), [1]);
    // A name that was moved away is not watched any more.
    assert_eq!(place.after(|dir| fs::write(dir.join("w/y/z/file"), "2").unwrap()), [0; 0]);
    assert_eq!(place.after(|dir| fs::create_dir_all(dir.join("x/y/z")).unwrap()), [1]);
    assert_eq!(place.after(|dir| fs::write(dir.join("x/y/z/file"), "").unwrap()), [1]);
    assert_eq!(place.after(|dir| fs::remove_dir_all(dir.join("x")).unwrap()), [1]);
    assert_eq!(place.after(|dir| fs::rename(dir.join("w"), dir.join("x")).unwrap()), [1]);
    assert_eq!(place.after(|dir| fs::write(dir.join("x/y/z/file"), "3").unwrap()), [1]);
}

#[test]
fn links_above_lead_elsewhere() {
    let mut place = TestDir::new();
    for name in ["one", "two"] {
        fs::create_dir(place.path(name)).unwrap();
    }
    std::os::unix::fs::symlink("one", place.path("link")).unwrap();
    place.add("link/file", false, 1);
    place.add("one/file", false, 2);
    assert_eq!(place.after(|dir| fs::write(dir.join("one/file"), "").unwrap()), [1, 2]);
    place.after(|dir| {
        fs::remove_file(dir.join("link")).unwrap();
        std::os::unix::fs::symlink("two", dir.join("link")).unwrap();
    });
    assert_eq!(place.after(|dir| fs::write(dir.join("one/file"), "2").unwrap()), [2]);
    assert_eq!(place.after(|dir| fs::write(dir.join("two/file"), "2").unwrap()), [1]);
    place.end(2);
    assert_eq!(place.after(|dir| fs::write(dir.join("one/file"), "3").unwrap()), [0; 0]);
    assert_eq!(place.after(|dir| fs::write(dir.join("two/file"), "3").unwrap()), [1]);
}

#[test]
fn trees_with_what_is_made_in_them() {
    let mut place = TestDir::new();
    fs::create_dir_all(place.path("t/a/b")).unwrap();
    place.add("t", true, 1);
    assert_eq!(place.after(|dir| fs::write(dir.join("t/a/b/f"), "").unwrap()), [1]);
    assert_eq!(place.after(|dir| fs::create_dir_all(dir.join("t/n/m")).unwrap()), [1]);
    assert_eq!(place.after(|dir| fs::write(dir.join("t/n/m/f"), "").unwrap()), [1]);
    assert_eq!(place.after(|dir| fs::remove_dir_all(dir.join("t/n")).unwrap()), [1]);
    place.add("t/a", true, 2);
    assert_eq!(place.after(|dir| fs::write(dir.join("t/a/b/f"), "2").unwrap()), [1, 2]);
    assert_eq!(place.after(|dir| fs::write(dir.join("t/g"), "2").unwrap()), [1]);
    place.end(1);
    assert_eq!(place.after(|dir| fs::write(dir.join("t/g"), "3").unwrap()), [0; 0]);
    assert_eq!(place.after(|dir| fs::write(dir.join("t/a/b/f"), "3").unwrap()), [2]);
    assert_eq!(place.after(|dir| fs::rename(dir.join("t"), dir.join("u")).unwrap()), [2]);
    assert_eq!(place.after(|dir| fs::rename(dir.join("u"), dir.join("t")).unwrap()), [2]);
    assert_eq!(place.after(|dir| fs::write(dir.join("t/a/b/f"), "4").unwrap()), [2]);
    place.end(2);
    assert!(place.paths.is_at_rest());
}

/// A random history: every key that waits for a change is notified, whatever came before.
#[test]
fn nothing_is_missed() {
    const NAMES: [&str; 3] = ["a", "b", "c"];
    for seed in 1..30_u64 {
        let mut dice = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut roll = |limit: u64| {
            dice ^= dice << 13;
            dice ^= dice >> 7;
            dice ^= dice << 17;
            (dice % limit) as usize
        };
        let mut place = TestDir::new();
        let mut waiting = Vec::new();
        for key in 0..6 {
            let depth = 1 + roll(3);
            let name: Vec<&str> = (0..depth).map(|_| NAMES[roll(3)]).collect();
            let (name, deep) = (name.join("/"), roll(3) == 0);
            place.add(&name, deep, key);
            waiting.push((key, name, deep));
        }
        for step in 0..60 {
            let before: Vec<String> = waiting.iter().map(|w| seen(&place, &w.1, w.2)).collect();
            let depth = 1 + roll(3);
            let name: Vec<&str> = (0..depth).map(|_| NAMES[roll(3)]).collect();
            let path = place.path(&name.join("/"));
            // Many of these cannot be done; then nothing happens.
            let _ = match roll(6) {
                0 | 1 => fs::write(&path, step.to_string()),
                2 | 3 => fs::create_dir_all(&path),
                4 => fs::remove_dir_all(&path).or_else(|_| fs::remove_file(&path)),
                _ => fs::rename(&path, place.path(NAMES[roll(3)])),
            };
            let touched = place.touched();
            for ((key, name, deep), before) in waiting.iter().zip(before) {
                let changed = seen(&place, name, *deep) != before;
                assert!(!changed || touched.contains(key), "seed {seed}, step {step}: {name}");
            }
        }
    }
}

/// The events of a path, and of those below if asked.
fn seen(place: &TestDir, name: &str, deep: bool) -> String {
    let path = place.path(name);
    let kind = match fs::symlink_metadata(&path) {
        Err(_) => return "nothing".into(),
        Ok(meta) if meta.is_dir() => "directory".to_string(),
        Ok(_) => fs::read_to_string(&path).unwrap(),
    };
    if !deep {
        return kind;
    }
    let mut entries: Vec<String> = fs::read_dir(&path)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    entries.sort();
    let below: Vec<String> = entries
        .iter()
        .map(|e| format!("{e}: {}", seen(place, &format!("{name}/{e}"), true)))
        .collect();
    format!("{kind} {below:?}")
}

/// The events of a program of `/bin/sh` until its end: how many times it wrote, and how it ended.
fn told(script: &str, is_secret: bool) -> (usize, Vec<String>) {
    let (sender, woken) = std::sync::mpsc::channel();
    let wake: super::Wake = std::sync::Arc::new(move || sender.send(()).unwrap_or_default());
    let mut watches = super::Watches::<u32>::new(wake).unwrap();
    let invocation = crate::system::runner::Invocation::new(["/bin/sh", "-c", script]);
    let program = crate::system::watch::Program { name: "It".into(), invocation, is_secret };
    let host =
        crate::system::host::Host::new("/".into(), Box::new(crate::system::runner::HostRunner));
    watches.arm(7, &[crate::system::watch::Watch::Program(program.into())], &host).unwrap();
    let mut count = 0;
    loop {
        woken.recv_timeout(std::time::Duration::from_secs(60)).unwrap();
        let happened = watches.take().unwrap();
        count += happened.wrote.len();
        if !happened.ended.is_empty() {
            assert!(happened.touched.is_empty());
            return (count, happened.ended.into_iter().map(|(_, how)| how).collect());
        }
    }
}

#[test]
fn a_program_tells_by_lines_and_by_its_end() {
    assert_eq!(told("echo a", false), (1, vec!["It ended with status 0".into()]));
    // Lines at the same time are one event; empty lines and a last part without an end are none.
    assert_eq!(told("printf 'a\\nb\\nc\\n'; exit 3", false).0, 1);
    assert_eq!(told("printf '\\n\\r\\n\\n'; printf a", false).0, 0);
    let why = "echo no such log >&2; exit 3";
    assert_eq!(told(why, false).1, ["It ended with status 3: no such log"]);
    assert_eq!(told(why, true).1, ["It ended with status 3: [output redacted]"]);
    assert_eq!(told("kill -9 $$", false).1, ["It was ended by signal 9"]);
    assert_eq!(told("exec >&-; sleep 60", false).1, ["It closed its standard output"]);
    // The end is reported even if the program wrote much to standard error.
    let (_, how) = told("yes broken | head -c 300300 >&2; exit 1", false);
    assert!(how[0].len() < 1200 && how[0].ends_with("broken"), "{how:?}");
}

#[test]
fn a_program_that_cannot_be_started_has_ended() {
    let (sender, woken) = std::sync::mpsc::channel();
    let mut watches = super::Watches::<u32>::new(std::sync::Arc::new(move || {
        sender.send(()).unwrap_or_default()
    }))
    .unwrap();
    let invocation = crate::system::runner::Invocation::new(["/nonexistent/program"]);
    let program = crate::system::watch::Program { name: "It".into(), invocation, is_secret: false };
    let host =
        crate::system::host::Host::new("/".into(), Box::new(crate::system::runner::HostRunner));
    watches.arm(7, &[crate::system::watch::Watch::Program(program.into())], &host).unwrap();
    woken.recv_timeout(std::time::Duration::from_secs(60)).unwrap();
    let ended = watches.take().unwrap().ended;
    assert_eq!(ended[0].0, 7);
    assert!(ended[0].1.starts_with("It could not be started: No such file"), "{ended:?}");
}

#[test]
fn an_endless_printer_waits_and_is_ended_with_what_it_started() {
    let dir = tempfile::tempdir().unwrap();
    let (sender, woken) = std::sync::mpsc::channel();
    let mut watches = super::Watches::<u32>::new(std::sync::Arc::new(move || {
        sender.send(()).unwrap_or_default()
    }))
    .unwrap();
    let count = dir.path().join("count");
    let script = format!("sleep 1000 & echo $! >{0}; exec yes", count.display());
    let invocation = crate::system::runner::Invocation::new(["/bin/sh", "-c", &script]);
    let program = crate::system::watch::Program { name: "It".into(), invocation, is_secret: false };
    let host =
        crate::system::host::Host::new("/".into(), Box::new(crate::system::runner::HostRunner));
    watches.arm(7, &[crate::system::watch::Watch::Program(program.into())], &host).unwrap();
    // The pauses grow: an endless printer causes a few events.
    for _ in 0..3 {
        woken.recv_timeout(std::time::Duration::from_secs(60)).unwrap();
    }
    assert_eq!(watches.take().unwrap().wrote, BTreeSet::from([7]));
    let child = fs::read_to_string(&count).unwrap();
    watches.disarm(7);
    assert!(watches.take().unwrap().wrote.is_empty());
    let stat = || fs::read_to_string(format!("/proc/{}/stat", child.trim()));
    for _ in 0..1000 {
        if !stat().is_ok_and(|stat| !stat.contains(") Z ")) {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("a descendant of the program still runs: {:?}", stat());
}
