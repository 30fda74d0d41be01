//! State directories that another user prepared, and damaged journals.
#![allow(clippy::unwrap_used)]

use std::fs::{self, File};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use ordain_data::Value;
use ordain_graph::ResourceRef;
use ordain_graph::exports::{Exported, Exports};
use ordain_store::{
    Condition, ExportStore, MachineKey, PathBefore, RunLock, RunTarget, StateCheck, Store,
    StoreError,
};
use rusqlite::Connection;
use serde_json::json;

/// A user who is nobody in particular.
const OTHER: u32 = 12_345;

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// The reason why a directory is refused, which must be the same for all types.
fn refused(dir: &Path) -> String {
    let errors = [
        RunLock::acquire(dir).unwrap_err(),
        Store::open(dir).unwrap_err(),
        Store::open_for_run(dir).unwrap_err(),
        Store::existing(dir).unwrap_err(),
        ExportStore::open(dir).unwrap_err(),
        MachineKey::open(dir).unwrap_err(),
    ];
    for error in &errors {
        assert!(matches!(error, StoreError::Unsafe { .. }), "{error}");
    }
    errors[0].to_string()
}

/// A directory that any user can write to, as `/tmp` without its sticky bit, with a state
/// directory.
fn in_the_open() -> (tempfile::TempDir, PathBuf) {
    let top = tempfile::tempdir().unwrap();
    let dir = top.path().join("state");
    fs::create_dir(&dir).unwrap();
    mode(&dir, 0o700);
    (top, dir)
}

#[test]
fn a_directory_that_others_can_write_is_refused() {
    let (_top, dir) = in_the_open();
    for open in [0o770, 0o707, 0o722, 0o1777, 0o777, 0o720] {
        mode(&dir, open);
        let why = refused(&dir);
        assert!(why.ends_with(&format!("others can write it (mode {open:04o})")), "{why}");
    }
    mode(&dir, 0o755);
    Store::open(&dir).unwrap();
}

#[test]
fn a_directory_on_a_way_that_others_can_change_is_refused() {
    let (top, dir) = in_the_open();
    mode(top.path(), 0o777);
    assert!(refused(&dir).contains("others can write it (mode 0777)"));
    // With the sticky bit nobody else can replace the directory.
    mode(top.path(), 0o1777);
    Store::open(&dir).unwrap();
}

#[test]
fn a_directory_of_another_user_is_refused() {
    if !is_root() {
        return;
    }
    let (top, dir) = in_the_open();
    chown(&dir, Some(OTHER), None).unwrap();
    assert!(refused(&dir).ends_with("it belongs to user 12345"));
    chown(&dir, Some(0), None).unwrap();
    chown(top.path(), Some(OTHER), None).unwrap();
    assert!(refused(&dir).ends_with("it belongs to user 12345"));
    // Links of another user are not followed, regardless of the target's owner.
    chown(top.path(), Some(0), None).unwrap();
    mode(top.path(), 0o1777);
    let link = top.path().join("link");
    symlink(&dir, &link).unwrap();
    Store::open(&link).unwrap();
    std::os::unix::fs::lchown(&link, Some(OTHER), None).unwrap();
    assert!(refused(&link).ends_with("it is a symbolic link of user 12345"));
}

#[test]
fn nothing_is_made_behind_a_link_of_another_user() {
    if !is_root() {
        return;
    }
    let top = tempfile::tempdir().unwrap();
    mode(top.path(), 0o1777);
    let link = top.path().join("link");
    symlink(top.path().join("victim"), &link).unwrap();
    fs::create_dir(top.path().join("victim")).unwrap();
    std::os::unix::fs::lchown(&link, Some(OTHER), None).unwrap();
    Store::open(&link.join("a/state")).unwrap_err();
    assert_eq!(fs::read_dir(top.path().join("victim")).unwrap().count(), 0);
}

#[test]
fn links_that_lead_in_circles_end() {
    let top = tempfile::tempdir().unwrap();
    symlink("b", top.path().join("a")).unwrap();
    symlink("a", top.path().join("b")).unwrap();
    let error = Store::open(&top.path().join("a/state")).unwrap_err().to_string();
    assert!(error.contains("symbolic links"), "{error}");
}

/// Creates a trap at the first path that points to the second.
type Trap = fn(&Path, &Path);

/// Traps in place of a state file that point to a victim.
const TRAPS: &[(&str, Trap)] = &[
    ("a symbolic link", |trap, victim| symlink(victim, trap).unwrap()),
    ("a symbolic link", |trap, victim| symlink(victim.with_extension("new"), trap).unwrap()),
    ("a hard link", |trap, victim| fs::hard_link(victim, trap).unwrap()),
    ("a named pipe", |trap, _| {
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mknodat(rustix::fs::CWD, trap, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    }),
    ("a socket", |trap, _| drop(UnixListener::bind(trap).unwrap())),
    ("a directory", |trap, _| fs::create_dir(trap).unwrap()),
    ("others can write it", |trap, _| {
        fs::write(trap, "").unwrap();
        mode(trap, 0o666);
    }),
];

#[test]
fn traps_in_the_place_of_files_are_refused_and_harm_nobody() {
    type Open = fn(&Path) -> Result<(), StoreError>;
    let store: Open = |dir| Store::open(dir).map(drop);
    let for_run: Open = |dir| Store::open_for_run(dir).map(drop);
    let lock: Open = |dir| RunLock::acquire(dir).map(drop);
    let exports: Open = |dir| ExportStore::open(dir).map(drop);
    let key: Open = |dir| MachineKey::open(dir).map(drop);
    let names: &[(&str, &[Open])] = &[
        ("run.lock", &[lock]),
        ("state.db", &[store, for_run]),
        ("state.db-wal", &[store, for_run]),
        ("state.db-shm", &[store, for_run]),
        ("state.db-journal", &[store, for_run]),
        ("exports.db", &[exports]),
        ("exports.db-wal", &[exports]),
        ("plan.key", &[key]),
    ];
    for (name, opens) in names {
        for (what, set) in TRAPS {
            let top = tempfile::tempdir().unwrap();
            let (dir, victim) = (top.path().join("state"), top.path().join("victim"));
            fs::create_dir(&dir).unwrap();
            fs::write(&victim, "precious").unwrap();
            mode(&victim, 0o640);
            set(&dir.join(name), &victim);
            for open in *opens {
                let error = open(&dir).unwrap_err();
                assert!(matches!(error, StoreError::Unsafe { .. }), "{name}: {error}");
                let text = error.to_string();
                assert!(text.contains(name) && text.contains(what), "{what}: {text}");
            }
            assert_eq!(fs::read_to_string(&victim).unwrap(), "precious", "{name} {what}");
            assert_eq!(victim.metadata().unwrap().mode() & 0o7777, 0o640, "{name} {what}");
            assert!(!victim.with_extension("new").exists(), "{name} {what}");
            // `doctor` finds the same, and removes it without touching its target.
            let survey = StateCheck::of(&dir);
            let bad = survey.findings.iter().find(|f| f.condition == Condition::Bad).unwrap();
            survey.repair(bad.remedy.as_ref().unwrap()).unwrap();
            drop(survey);
            assert_eq!(fs::read_to_string(&victim).unwrap(), "precious", "{name} {what}");
            for open in *opens {
                open(&dir).unwrap();
            }
        }
    }
}

#[test]
fn backups_that_lead_elsewhere_are_refused() {
    let top = tempfile::tempdir().unwrap();
    let dir = top.path().join("state");
    fs::create_dir_all(top.path().join("victim/1")).unwrap();
    fs::create_dir(&dir).unwrap();
    symlink(top.path().join("victim"), dir.join("backups")).unwrap();
    assert!(matches!(Store::open_for_run(&dir), Err(StoreError::Unsafe { .. })));
    assert!(top.path().join("victim/1").exists());
}

/// A state directory with a journal of some runs and an empty write-ahead log.
fn with_runs(dir: &Path) {
    let store = Store::open(dir).unwrap();
    for number in 1..=20 {
        let run = store.begin("apply", &RunTarget::default()).unwrap();
        for file in 0..50 {
            let name = format!("File[/srv/{number}/{file}]");
            store.begin_step(run, &name, "create", &json!([])).unwrap();
            store.end_step(run, &name, true).unwrap();
            store.note_before(run, &[found(&name)]).unwrap();
        }
        fs::create_dir_all(store.backups(number)).unwrap();
        fs::write(store.backups(number).join("digest"), "content").unwrap();
        store.finish(run, &json!({})).unwrap();
    }
}

fn found(path: &str) -> PathBefore {
    PathBefore { path: path.into(), state: "{}".into(), name: None }
}

/// A run that uses every function of the journal.
fn run(store: &Store) {
    store.take_interrupted().unwrap();
    let run = store.begin("apply", &RunTarget::default()).unwrap();
    store.begin_step(run, "File[/a]", "create", &json!([])).unwrap();
    store.note_before(run, &[found("/a")]).unwrap();
    store.end_step(run, "File[/a]", true).unwrap();
    store.note_applied("File[/a]", 7).unwrap();
    store.finish(run, &json!({})).unwrap();
    store.runs().unwrap();
    assert!(store.past(run.number()).unwrap().is_some());
}

/// A deterministic generator of random numbers.
fn noise(seed: u64) -> impl FnMut() -> u64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    }
}

/// A file with one of six kinds of damage.
fn damaged(whole: &[u8], way: u64, random: &mut impl FnMut() -> u64) -> Vec<u8> {
    let mut bytes = whole.to_vec();
    let at = random() as usize % bytes.len();
    match way % 6 {
        0 => bytes.truncate(at),
        1 => bytes[at / 4096 * 4096..].iter_mut().take(4096).for_each(|b| *b = 0),
        2 => bytes[at..].iter_mut().take(5000).for_each(|b| *b = random() as u8),
        3 => bytes.iter_mut().take(at.min(200)).for_each(|b| *b = random() as u8),
        4 => bytes = (0..at).map(|_| random() as u8).collect(),
        _ => (0..200).for_each(|_| {
            let at = random() as usize % bytes.len();
            bytes[at] = random() as u8;
        }),
    }
    bytes
}

#[test]
fn runs_go_on_whatever_became_of_the_journal() {
    let sample = tempfile::tempdir().unwrap();
    with_runs(sample.path());
    let whole = fs::read(sample.path().join("state.db")).unwrap();
    assert!(whole.len() > 100_000, "{}", whole.len());
    let mut random = noise(21);
    let mut found = 0;
    for number in 0..120u64 {
        let bytes = damaged(&whole, number, &mut random);
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("state.db"), &bytes).unwrap();
        mode(&dir.path().join("state.db"), 0o600);
        let store = match Store::open_for_run(dir.path()) {
            Ok(store) => store,
            // Random bytes may be the number of a newer schema.
            Err(StoreError::NewerSchema { .. }) => continue,
            Err(error) => panic!("{number}: {error}"),
        };
        run(&store);
        for damage in store.take_damages() {
            found += 1;
            assert_eq!(fs::read(damage.moved_to.join("state.db")).unwrap(), bytes, "{number}");
            run(&store);
        }
    }
    assert!(found > 80, "only {found} were found");
}

#[test]
fn a_journal_that_is_empty_or_no_database_is_set_aside_with_all_that_belongs_to_it() {
    for content in ["", "q", "this is no database at all, only text"] {
        let dir = tempfile::tempdir().unwrap();
        with_runs(dir.path());
        for name in ["state.db", "state.db-wal", "state.db-shm"] {
            fs::write(dir.path().join(name), content).unwrap();
            mode(&dir.path().join(name), 0o600);
        }
        assert!(matches!(Store::open(dir.path()), Err(StoreError::Broken { .. })));
        let store = Store::open_for_run(dir.path()).unwrap();
        let damages = store.take_damages();
        let [damage] = &damages[..] else { panic!("{damages:?}") };
        assert!(damage.moved_to.join("state.db").exists());
        assert!(damage.moved_to.join("backups/20/digest").exists());
        assert!(!dir.path().join("backups").exists());
        assert_eq!(store.runs().unwrap(), []);
        run(&store);
        assert_eq!(store.take_damages(), []);
        drop(store);
        // The next run has nothing to report.
        let store = Store::open_for_run(dir.path()).unwrap();
        assert_eq!(store.take_damages(), []);
    }
}

#[test]
fn tables_that_are_not_those_of_the_schema_are_damage() {
    for sql in [
        "DROP TABLE steps",
        "DROP TABLE backups",
        "ALTER TABLE runs DROP COLUMN recovery",
        "PRAGMA user_version = 2",
        "PRAGMA user_version = -5",
        "PRAGMA user_version = 0",
    ] {
        let dir = tempfile::tempdir().unwrap();
        with_runs(dir.path());
        Connection::open(dir.path().join("state.db")).unwrap().execute_batch(sql).unwrap();
        let store = Store::open_for_run(dir.path()).unwrap();
        assert_eq!(store.take_damages().len(), 1, "{sql}");
        run(&store);
    }
}

#[test]
fn values_that_were_never_written_are_damage_when_they_are_met() {
    for sql in [
        "UPDATE runs SET pid = -1, finished = NULL",
        "UPDATE runs SET started = 'x', finished = NULL",
        "UPDATE runs SET kind = x'ff00'",
        "PRAGMA foreign_keys = off; UPDATE runs SET id = 9223372036854775807 WHERE id = 20",
    ] {
        let dir = tempfile::tempdir().unwrap();
        with_runs(dir.path());
        Connection::open(dir.path().join("state.db")).unwrap().execute_batch(sql).unwrap();
        let store = Store::open_for_run(dir.path()).unwrap();
        run(&store);
        assert_eq!(store.take_damages().len(), 1, "{sql}");
    }
}

#[test]
fn a_journal_that_is_damaged_in_the_middle_of_a_run_is_replaced_and_the_run_is_in_the_new_one() {
    let dir = tempfile::tempdir().unwrap();
    with_runs(dir.path());
    let store = Store::open_for_run(dir.path()).unwrap();
    let subject = RunTarget { node: Some("web1".into()), ..RunTarget::default() };
    let run = store.begin("apply", &subject).unwrap();
    fs::create_dir_all(store.backups(run.number())).unwrap();
    let path = dir.path().join("state.db");
    // Another connection writes, so that this one's cached pages are invalid.
    let other = Connection::open(&path).unwrap();
    other.execute("INSERT INTO applied VALUES ('x', 1)", []).unwrap();
    other.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    drop(other);
    let mut bytes = fs::read(&path).unwrap();
    bytes[4096..].iter_mut().for_each(|b| *b = 0xa5);
    fs::write(&path, bytes).unwrap();
    store.begin_step(run, "File[/a]", "create", &json!([])).unwrap();
    store.end_step(run, "File[/a]", true).unwrap();
    store.finish(run, &json!({})).unwrap();
    let damages = store.take_damages();
    let [damage] = &damages[..] else { panic!("{damages:?}") };
    assert!(damage.moved_to.join("backups/20").exists());
    assert!(store.backups(run.number()).exists(), "what this run keeps stays");
    let runs = store.runs().unwrap();
    assert_eq!((runs.len(), runs[0].number), (1, 21));
    assert_eq!((runs[0].changed, &runs[0].subject), (1, &subject));
    assert!(runs[0].finished.is_some());
}

#[test]
fn a_newer_journal_is_left_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    with_runs(dir.path());
    let path = dir.path().join("state.db");
    Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let before = fs::read(&path).unwrap();
    assert!(matches!(
        Store::open_for_run(dir.path()),
        Err(StoreError::NewerSchema { found: 99, .. })
    ));
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn a_journal_of_an_earlier_version_keeps_its_runs() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("state.db");
    let old = Connection::open(&path).unwrap();
    for sql in [
        include_str!("../src/migrations/0001_runs.sql"),
        include_str!("../src/migrations/0002_changes.sql"),
        include_str!("../src/migrations/0003_backups.sql"),
        include_str!("../src/migrations/0004_applied.sql"),
    ] {
        old.execute_batch(sql).unwrap();
    }
    old.execute_batch(
        "PRAGMA user_version = 4;
         INSERT INTO runs (kind, pid, started, finished) VALUES ('apply', 1, 1000, 2000);
         INSERT INTO steps VALUES (1, 'File[/a]', 'create', 1000, 1500, 0, '[]');",
    )
    .unwrap();
    drop(old);
    mode(&path, 0o600);
    let store = Store::open_for_run(dir.path()).unwrap();
    let runs = store.runs().unwrap();
    assert_eq!((runs.len(), runs[0].failed, &runs[0].subject), (1, 1, &RunTarget::default()));
    run(&store);
    assert_eq!(store.take_damages(), []);
}

#[test]
fn incomplete_files_of_killed_processes_are_found_and_removed() {
    let dir = tempfile::tempdir().unwrap();
    // Process ids never reach this one.
    for name in ["state.db.new-999999999", "state.db.new-999999999-journal"] {
        File::create(dir.path().join(name)).unwrap();
    }
    let leftovers = |dir: &Path| {
        let survey = StateCheck::of(dir);
        survey.findings.iter().filter(|f| f.about == "leftovers").count()
    };
    assert_eq!(leftovers(dir.path()), 2);
    Store::open(dir.path()).unwrap();
    assert_eq!(leftovers(dir.path()), 0);
}

#[test]
fn files_that_others_could_read_are_closed() {
    let dir = tempfile::tempdir().unwrap();
    with_runs(dir.path());
    mode(dir.path(), 0o755);
    let path = dir.path().join("state.db");
    mode(&path, 0o644);
    Store::open(dir.path()).unwrap();
    assert_eq!(path.metadata().unwrap().mode() & 0o777, 0o600);
}

#[test]
fn doctor_repairs_damage() {
    let dir = tempfile::tempdir().unwrap();
    mode(dir.path(), 0o700);
    with_runs(dir.path());
    MachineKey::open(dir.path()).unwrap();
    let bad = |dir: &Path| -> Vec<&'static str> {
        let found = StateCheck::of(dir).findings;
        found.iter().filter(|f| f.condition != Condition::Good).map(|f| f.about).collect()
    };
    assert_eq!(bad(dir.path()), [""; 0]);
    fs::write(dir.path().join("state.db"), [7; 9000]).unwrap();
    fs::write(dir.path().join("plan.key"), "short").unwrap();
    fs::create_dir(dir.path().join("backups/999")).unwrap();
    mode(dir.path(), 0o777);
    assert_eq!(bad(dir.path()), ["directory"]);
    let repair = |dir: &Path| {
        let survey = StateCheck::of(dir);
        for remedy in survey.findings.iter().filter_map(|f| f.remedy.as_ref()) {
            survey.repair(remedy).unwrap();
        }
    };
    repair(dir.path());
    assert_eq!(bad(dir.path()), ["journal", "plan key"]);
    repair(dir.path());
    // Moved data is reported until somebody removes it.
    assert!(bad(dir.path()).iter().all(|about| *about == "leftovers"));
    run(&Store::open_for_run(dir.path()).unwrap());
    MachineKey::open(dir.path()).unwrap();
}

#[test]
fn the_journal_of_an_active_run_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    with_runs(dir.path());
    let lock = RunLock::acquire(dir.path()).unwrap();
    fs::write(dir.path().join("state.db"), [7; 9000]).unwrap();
    let survey = StateCheck::of(dir.path());
    let journal = survey.findings.iter().find(|f| f.about == "journal").unwrap();
    assert_eq!((journal.condition, &journal.remedy), (Condition::Bad, &None));
    let held = survey.findings.iter().find(|f| f.about == "lock").unwrap();
    assert!(held.text.starts_with(&format!("held by process {}", std::process::id())));
    drop(lock);
}

fn exported(node: &str, count: usize) -> Vec<Exported> {
    let host = |number| Exported {
        node: node.into(),
        id: ResourceRef { kind: "Host".into(), title: format!("{node}-{number}").into() },
        attributes: vec![("ip".into(), Value::str("10.0.0.1"))],
        tags: Vec::new(),
        place: None,
    };
    (0..count).map(host).collect()
}

/// Uses a store of exported resources as compiles do.
fn exchange(store: &ExportStore) {
    store.save("web1", &exported("web1", 3)).unwrap();
    store.save("web2", &exported("web2", 2)).unwrap();
    let found = store.of_kind("Host", "web2").unwrap();
    assert!(found.iter().filter(|one| one.node == "web1").count() == 3);
}

#[test]
fn compiles_go_on_whatever_became_of_exported_resources() {
    let sample = tempfile::tempdir().unwrap();
    let store = ExportStore::open(sample.path()).unwrap();
    for node in 0..40 {
        store.save(&format!("node{node}"), &exported(&format!("node{node}"), 30)).unwrap();
    }
    drop(store);
    let whole = fs::read(sample.path().join("exports.db")).unwrap();
    assert!(whole.len() > 100_000, "{}", whole.len());
    let mut random = noise(7);
    let mut found = 0;
    for number in 0..120u64 {
        let bytes = match number {
            0 => Vec::new(),
            1 => vec![0; whole.len()],
            number => damaged(&whole, number, &mut random),
        };
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("exports.db");
        fs::write(&path, &bytes).unwrap();
        mode(&path, 0o600);
        let store = match ExportStore::open(dir.path()) {
            Ok(store) => store,
            // Random bytes may be the number of a newer schema.
            Err(StoreError::NewerSchema { .. }) => continue,
            Err(error) => panic!("{number}: {error}"),
        };
        exchange(&store);
        for damage in store.take_damages() {
            found += 1;
            assert_eq!(fs::read(damage.moved_to.join("exports.db")).unwrap(), bytes, "{number}");
        }
        drop(store);
        let again = ExportStore::open(dir.path()).unwrap();
        exchange(&again);
        assert_eq!(again.take_damages(), [], "{number}");
    }
    assert!(found > 80, "only {found} were found");
}

#[test]
fn exported_resources_that_are_damaged_while_they_are_used_are_set_aside() {
    let dir = tempfile::tempdir().unwrap();
    let store = ExportStore::open(dir.path()).unwrap();
    store.save("node", &exported("node", 500)).unwrap();
    let path = dir.path().join("exports.db");
    // Another connection writes, so that this one's cached pages are invalid.
    let other = Connection::open(&path).unwrap();
    other
        .execute("INSERT INTO exports VALUES ('x', 'x', 'x', '[]', '[]', NULL, NULL)", [])
        .unwrap();
    other.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    drop(other);
    let mut bytes = fs::read(&path).unwrap();
    bytes[4096..].iter_mut().for_each(|b| *b = 0xa5);
    fs::write(&path, bytes).unwrap();
    exchange(&store);
    assert_eq!(store.take_damages().len(), 1);
    exchange(&store);
    assert_eq!(store.take_damages(), []);
}

#[test]
fn a_newer_store_of_exported_resources_is_left_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    ExportStore::open(dir.path()).unwrap();
    let path = dir.path().join("exports.db");
    Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let before = fs::read(&path).unwrap();
    assert!(matches!(
        ExportStore::open(dir.path()),
        Err(StoreError::NewerSchema { found: 99, .. })
    ));
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn processes_that_find_the_same_damage_lose_nothing_of_each_other() {
    for _ in 0..20 {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("exports.db");
        fs::write(&path, "no database").unwrap();
        mode(&path, 0o600);
        let names: Vec<String> = (0..6).map(|number| format!("node{number}")).collect();
        std::thread::scope(|scope| {
            for name in &names {
                scope.spawn(|| {
                    let store = ExportStore::open(dir.path()).unwrap();
                    store.save(name, &exported(name, 1)).unwrap();
                });
            }
        });
        let store = ExportStore::open(dir.path()).unwrap();
        let found = store.of_kind("Host", "").unwrap();
        assert_eq!(found.iter().map(|one| one.node.as_str()).collect::<Vec<_>>(), names);
    }
}
