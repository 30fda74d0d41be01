//! The state directory on disks that are full or read-only, and when it is damaged.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

/// A directory with a manifest and a machine.
struct TestDir(tempfile::TempDir);

impl TestDir {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        for dir in ["state", "root/srv"] {
            fs::create_dir_all(place.path(dir)).unwrap();
        }
        fs::set_permissions(place.path("state"), fs::Permissions::from_mode(0o700)).unwrap();
        let manifest =
            "file { '/srv/a': content => \"after\\n\" }\nfile { '/srv/b': content => 'new' }\n";
        fs::write(place.path("site.pp"), manifest).unwrap();
        fs::write(place.path("root/srv/a"), "before\n").unwrap();
        place
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    /// Runs a script in a mount namespace and returns its output.
    fn script(&self, script: &str) -> String {
        let mut command = Command::new("unshare");
        command.args(["-m", "sh", "-c", &format!("exec 2>&1; set -u\n{script}")]);
        command.env("ordain", env!("CARGO_BIN_EXE_ordain")).current_dir(self.0.path());
        command.env("ORDAIN_STATE_DIR", self.path("state"));
        let out = command.output().unwrap();
        String::from_utf8(out.stdout).unwrap()
    }

    fn text(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.path(path)).ok()
    }
}

/// Whether the test can mount file systems.
fn can_mount() -> bool {
    let mut probe = Command::new("unshare");
    probe.args(["-m", "mount", "-t", "tmpfs", "none", "/mnt"]);
    probe.output().is_ok_and(|out| out.status.success())
}

/// The verbs on an unwritable disk, each with its exit code.
const VERBS: &str = "
for verb in 'apply site.pp --root root' 'watch site.pp --root root --lines' 'rollback --root root' \\
    'plan site.pp --root root' 'history' 'show' 'doctor'
do
    echo \"== $verb\"
    $ordain $verb
    echo \"exit $?\"
done
";

/// The output of a verb.
fn output_of<'t>(text: &'t str, verb: &str) -> &'t str {
    let (_, rest) = text.split_once(&format!("== {verb}")).unwrap();
    rest.split("\n== ").next().unwrap()
}

#[test]
fn nothing_is_changed_and_all_can_be_read_on_a_disk_that_cannot_be_written() {
    if !can_mount() {
        return;
    }
    let full = "dd if=/dev/zero of=state/fill bs=4k 2>/dev/null";
    for (make, why) in [(full, "the disk is full"), ("mount -o remount,ro state", "ead-only")] {
        let place = TestDir::new();
        let text = place.script(&format!(
            "mount -t tmpfs -o size=2m,mode=700 none state
            $ordain apply site.pp --root root -q; rm root/srv/b; {make}\n{VERBS}"
        ));
        for verb in ["apply", "watch", "rollback"] {
            let said = output_of(&text, verb);
            assert!(said.contains("error[ordain::state]") && said.contains(why), "{said}");
            assert!(said.contains("exit 1"), "{said}");
        }
        assert!(output_of(&text, "plan").contains("Plan: 1 to create"), "{text}");
        assert!(output_of(&text, "history").contains("2 changed"), "{text}");
        assert!(output_of(&text, "show").contains("+ File[/srv/b] create"), "{text}");
        let doctor = output_of(&text, "doctor");
        assert!(doctor.contains("bad   disk") && doctor.contains("1 run, intact"), "{doctor}");
        assert!(!text.contains("this is a bug") && !text.contains("damaged"), "{text}");
        // Nothing was changed without a record in the journal.
        assert_eq!(place.text("root/srv/b"), None);
        assert_eq!(place.text("root/srv/a").unwrap(), "after\n");
    }
}

#[test]
fn a_disk_that_fills_up_during_a_run_ends_it_and_what_was_kept_comes_back() {
    if !can_mount() {
        return;
    }
    let place = TestDir::new();
    let mut manifest = String::new();
    for number in 0..400 {
        fs::write(place.path(&format!("root/srv/{number}")), "before").unwrap();
        manifest += &format!("file {{ '/srv/{number}': content => 'after' }}\n");
    }
    fs::write(place.path("site.pp"), manifest).unwrap();
    let text = place.script(
        "mount -t tmpfs -o size=600k,mode=700 none state
        $ordain apply site.pp --root root -q; echo \"exit $?\"
        for n in $(seq 0 399); do grep -qx 'before\\|after' root/srv/$n || echo \"broken $n\"; done
        grep -l after root/srv/* | wc -l > changed
        mount -o remount,size=8m state
        $ordain doctor | grep journal; $ordain rollback --root root | tail -1",
    );
    assert!(text.contains("exit 1") && !text.contains("broken"), "{text}");
    assert!(text.contains("the disk is full") || text.contains("No space left"), "{text}");
    assert!(text.contains("intact"), "{text}");
    let changed: usize = place.text("changed").unwrap().trim().parse().unwrap();
    assert!(changed > 0 && changed < 400, "{changed} of 400 were changed: {text}");
    for number in 0..400 {
        assert_eq!(place.text(&format!("root/srv/{number}")).unwrap(), "before", "{text}");
    }
}

#[test]
fn a_damaged_store_of_exported_resources_is_set_aside_with_a_warning() {
    let place = TestDir::new();
    let ordain = |arguments: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ordain"));
        command.args(arguments.split(' ')).current_dir(place.0.path());
        let out = command.env("ORDAIN_STATE_DIR", place.path("state")).output().unwrap();
        let said = [out.stdout, out.stderr].concat();
        (out.status.code(), String::from_utf8(said).unwrap())
    };
    let exporting = "@@host { $trusted['certname']: ip => '10.0.0.1' }\nHost<<||>>\n";
    fs::write(place.path("site.pp"), exporting).unwrap();
    let compile = |node: &str| ordain(&format!("compile site.pp --node {node} --store store"));
    compile("web1");
    assert!(compile("web2").1.contains("web1"));
    let path = place.path("store/exports.db");
    let size = path.metadata().unwrap().len();
    for damage in 0..4_u64 {
        let file = fs::File::options().write(true).open(&path).unwrap();
        match damage {
            0 => file.set_len(0).unwrap(),
            1 => file.set_len(size / 2).unwrap(),
            2 => fs::write(&path, vec![0; size as usize]).unwrap(),
            _ => fs::write(&path, vec![0xa5; size as usize]).unwrap(),
        }
        for suffix in ["-wal", "-shm"] {
            let _ = fs::remove_file(place.path(&format!("store/exports.db{suffix}")));
        }
        let (code, said) = compile("web1");
        assert_eq!(code, Some(0), "{said}");
        assert!(said.contains("exported resources was unusable and is set aside"), "{said}");
        assert!(said.contains("store/damaged-"), "{said}");
        let (code, said) = compile("web2");
        assert!(code == Some(0) && said.contains("web1") && !said.contains("aside"), "{said}");
    }
    let entries =
        fs::read_dir(place.path("store")).unwrap().map(|entry| entry.unwrap().file_name());
    let aside = entries.filter(|name| name.to_string_lossy().starts_with("damaged-"));
    assert_eq!(aside.count(), 4);
}
