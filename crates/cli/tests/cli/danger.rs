//! Changes that are refused on a machine with mounts and hard links, and commands in a root
//! directory.
//!
//! The tests use a mount namespace and temporary directories, and need root. Otherwise they are
//! skipped, except when `CI` is set.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

/// An unprivileged user.
const MALLORY: u32 = 4711;

/// A temporary directory with a state directory.
struct TestDir {
    dir: tempfile::TempDir,
}

impl TestDir {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        // Other users must be able to enter it.
        fs::set_permissions(dir.path(), Permissions::from_mode(0o755)).unwrap();
        Self { dir }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    fn write(&self, path: &str, text: &str) -> PathBuf {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    fn directory(&self, path: &str, owner: u32, mode: u32) -> PathBuf {
        let path = self.path(path);
        fs::create_dir_all(&path).unwrap();
        chown(&path, Some(owner), Some(owner)).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        path
    }

    /// Runs Ordain on a manifest in which `DIR` is this directory. Returns the exit code and the
    /// output.
    fn ordain(&self, verb: &str, manifest: &str, more: &[&str]) -> (i32, String) {
        self.run(&[], verb, manifest, more)
    }

    fn run(&self, before: &[&str], verb: &str, manifest: &str, more: &[&str]) -> (i32, String) {
        let manifest = manifest.replace("DIR", self.dir.path().to_str().unwrap());
        let file = self.write("site.pp", &manifest);
        let state = self.path("state");
        let words = before.iter().copied().chain([env!("CARGO_BIN_EXE_ordain"), verb]);
        let words: Vec<&str> = words.collect();
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).arg(file).arg("--state-dir").arg(state).args(more);
        let output = command.env("NO_COLOR", "1").output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        (output.status.code().unwrap(), String::from_utf8(text).unwrap())
    }
}

/// Whether the test runs as root, which it must in CI.
fn is_root() -> bool {
    let is_root = fs::metadata("/proc/self").unwrap().uid() == 0;
    assert!(is_root || std::env::var_os("CI").is_none(), "this takes root");
    if !is_root {
        eprintln!("skipped: this takes root");
    }
    is_root
}

/// A command prefix that mounts a file system with a file at a directory, in a mount namespace.
fn mounted(at: &Path) -> Vec<String> {
    let script = "mount -t tmpfs none \"$0\" && echo precious > \"$0/letter\" && \"$@\"; \
                  end=$?; echo \"left: $(ls \"$0\")\"; exit $end";
    let words = ["unshare", "--mount", "sh", "-c", script, at.to_str().unwrap()];
    words.map(str::to_owned).to_vec()
}

fn in_mount(
    place: &TestDir,
    at: &Path,
    verb: &str,
    manifest: &str,
    more: &[&str],
) -> (i32, String) {
    let before = mounted(at);
    let before: Vec<&str> = before.iter().map(String::as_str).collect();
    place.run(&before, verb, manifest, more)
}

#[test]
fn mounts_below_a_directory_are_not_removed() {
    if !is_root() {
        return;
    }
    let place = TestDir::new();
    let at = place.directory("srv/data/disk one", 0, 0o755);
    symlink("srv/data", place.path("short")).unwrap();
    for manifest in [
        "file { 'DIR/srv': ensure => absent, force => true }",
        "file { 'DIR/srv/data/disk one': ensure => absent, force => true }",
        "file { 'DIR/short/disk one': ensure => absent, force => true }",
        "file { 'DIR/srv/x/..': ensure => absent, force => true, backup => '.bak' }",
        "file { 'DIR/srv': ensure => link, target => '/tmp', force => true }",
        "file { 'DIR/srv': ensure => file, force => true }",
        "file { 'DIR/srv': ensure => directory, recurse => true, purge => true, force => true }",
        "file { 'DIR/srv': ensure => directory, recurse => true, purge => true }",
        "tidy { 'DIR/srv': recurse => true }",
        "tidy { 'DIR/srv': recurse => true, rmdirs => true, matches => '*' }",
    ] {
        for verb in ["plan", "apply"] {
            let (code, text) = in_mount(&place, &at, verb, manifest, &[]);
            assert_eq!(code, 1, "{manifest}: {text}");
            let path = at.display();
            assert!(text.contains(&format!("{path} is a mount point")), "{manifest}: {text}");
            assert!(text.contains("left: letter"), "{manifest}: {text}");
        }
    }
    // With `--root`, paths are those of the machine. Mounts are detected as well.
    let manifest = "file { '/srv': ensure => absent, force => true }";
    let root = place.dir.path().to_str().unwrap();
    let (code, text) = in_mount(&place, &at, "apply", manifest, &["--root", root]);
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("/srv/data/disk one is a mount point") && text.contains("left: letter"));
    assert!(at.exists());
}

#[test]
fn a_mount_point_that_is_allowed_is_emptied_and_a_file_system_of_its_own_may_be_tidied() {
    if !is_root() {
        return;
    }
    let place = TestDir::new();
    let at = place.directory("disk", 0, 0o755);
    let allowed = ["--allow-remove", at.to_str().unwrap()];
    let manifest = "file { 'DIR/disk': ensure => absent, force => true }";
    let (_, text) = in_mount(&place, &at, "apply", manifest, &allowed);
    assert!(text.contains("left: \n"), "{text}");
    let (code, text) = in_mount(&place, &at, "apply", "tidy { 'DIR/disk': recurse => true }", &[]);
    assert!(code == 2 && text.contains("left: \n"), "{text}");
}

#[test]
fn settings_of_a_list_of_sources_allow_it_too() {
    let place = TestDir::new();
    place.write("root/etc/x", "x");
    let manifest = "file { '/etc': ensure => absent, force => true }\n";
    place.write("site.pp", manifest);
    let list = place.write("ordain.toml", "[[source]]\npath = \"site.pp\"\n");
    let root = place.path("root");
    let plan = |list: &Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ordain"));
        command.arg("plan").arg(list).arg("--root").arg(&root);
        command.arg("--state-dir").arg(place.path("state")).output().unwrap().status.code()
    };
    assert_eq!(plan(&list), Some(1));
    place.write("ordain.toml", "allow-remove = [\"/etc/\"]\n[[source]]\npath = \"site.pp\"\n");
    assert_eq!(plan(&list), Some(2));
    place.write("ordain.toml", "allow-remove = [\"etc\"]\n[[source]]\npath = \"site.pp\"\n");
    assert_eq!(plan(&list), Some(1));
}

/// A file of root, with a hard link in a directory that another user can write.
fn planted(place: &TestDir) -> PathBuf {
    place.directory("up", MALLORY, 0o755);
    let own = place.write("secret", "root only\n");
    fs::set_permissions(&own, Permissions::from_mode(0o600)).unwrap();
    fs::hard_link(&own, place.path("up/mine")).unwrap();
    own
}

#[test]
fn a_file_that_somebody_linked_is_not_changed() {
    if !is_root() {
        return;
    }
    let place = TestDir::new();
    let own = planted(&place);
    for manifest in [
        "file { 'DIR/up/mine': owner => '4711' }",
        "file { 'DIR/up/mine': group => '4711' }",
        "file { 'DIR/up/mine': mode => '0666' }",
        "file { 'DIR/up/mine': mode => 'o+r' }",
        "file { 'DIR/up/mine': ensure => file, content => 'x', mode => '0666' }",
        "file { 'DIR/up/mine': content => 'x' }",
        "file { 'DIR/up': ensure => directory, owner => '4711', recurse => true }",
        "file { 'DIR/up': ensure => directory, mode => 'a=rX', recurse => true }",
        // The directory is closed first, and then it is unknown who made the link in it.
        "file { 'DIR/up': ensure => directory, owner => root, group => root, mode => '0755' }",
        "file { 'DIR/up': ensure => directory, owner => root, mode => '0700', recurse => true }",
        "file { 'DIR/copy': source => 'DIR/up/mine' }",
    ] {
        for verb in ["plan", "apply"] {
            let (code, text) = place.ordain(verb, manifest, &[]);
            assert_eq!(code, 1, "{manifest}: {text}");
            assert!(text.contains("--allow-hard-links"), "{manifest}: {text}");
            assert!(!text.contains("root only"), "{manifest}: {text}");
            let now = fs::metadata(&own).unwrap();
            assert_eq!((now.uid(), now.gid(), now.mode() & 0o7777), (0, 0, 0o600), "{manifest}");
            assert_eq!(fs::metadata(place.path("up")).unwrap().uid(), MALLORY, "{manifest}");
            assert!(!place.path("copy").exists(), "{manifest}");
            assert_eq!(fs::read_to_string(place.path("up/mine")).unwrap(), "root only\n");
        }
    }
    let manifest = "file { 'DIR/up/mine': mode => '0640' }";
    assert_eq!(place.ordain("apply", manifest, &["--allow-hard-links"]).0, 2);
    assert_eq!(fs::metadata(&own).unwrap().mode() & 0o7777, 0o640);
    // An unchanged file needs no check, and a link can always be removed.
    assert_eq!(place.ordain("apply", manifest, &[]).0, 0);
    assert_eq!(place.ordain("apply", "file { 'DIR/up/mine': ensure => absent }", &[]).0, 2);
    assert!(own.exists() && !place.path("up/mine").exists());
}

#[test]
fn names_that_nobody_else_can_have_made_are_no_danger() {
    if !is_root() {
        return;
    }
    let place = TestDir::new();
    let change = |path: &str| {
        let manifest = format!("file {{ 'DIR/{path}': mode => '0640' }}");
        place.ordain("apply", &manifest, &[]).0
    };
    // In a directory of root.
    let own = place.write("a/one", "x");
    fs::hard_link(&own, place.path("a/two")).unwrap();
    assert_eq!(change("a/two"), 2);
    // A file of the directory's owner.
    place.directory("home", MALLORY, 0o755);
    let own = place.write("home/one", "x");
    chown(&own, Some(MALLORY), Some(MALLORY)).unwrap();
    fs::hard_link(&own, place.path("home/two")).unwrap();
    assert_eq!(change("home/two"), 2);
    // In a directory that everybody can write, whoever owns the file.
    place.directory("tmp", 0, 0o1777);
    fs::hard_link(place.path("a/one"), place.path("tmp/three")).unwrap();
    fs::set_permissions(place.path("a/one"), Permissions::from_mode(0o600)).unwrap();
    assert_eq!(change("tmp/three"), 1);
    // In a directory that another group can write.
    let shared = place.directory("shared", 0, 0o775);
    chown(&shared, Some(0), Some(MALLORY)).unwrap();
    fs::hard_link(place.path("a/one"), place.path("shared/four")).unwrap();
    assert_eq!(change("shared/four"), 1);
    // A file with a single link.
    let single = place.write("tmp/single", "x");
    fs::set_permissions(&single, Permissions::from_mode(0o600)).unwrap();
    assert_eq!(change("tmp/single"), 2);
}

/// A machine with only BusyBox.
fn small_machine() -> Option<TestDir> {
    if !is_root() {
        return None;
    }
    let place = TestDir::new();
    for dir in ["root/bin", "root/etc", "root/srv", "root/opt"] {
        place.directory(dir, 0, 0o755);
    }
    let busybox = ["/bin/busybox", "/usr/bin/busybox"].into_iter().find(|p| Path::new(p).exists());
    let Some(busybox) = busybox else {
        assert!(std::env::var_os("CI").is_none(), "this takes the package busybox-static");
        eprintln!("skipped: this takes the package busybox-static");
        return None;
    };
    fs::copy(busybox, place.path("root/bin/busybox")).unwrap();
    for name in ["sh", "cat", "id", "pwd", "grep", "touch", "test"] {
        symlink("/bin/busybox", place.path("root/bin").join(name)).unwrap();
    }
    place.write("root/etc/passwd", "root:x:0:0::/:/bin/sh\nweb:x:33:33::/:/bin/sh\n");
    place.write("root/etc/group", "root:x:0:\nweb:x:33:\nmore:x:7001:web\n");
    place.write("root/etc/name", "the small one\n");
    Some(place)
}

impl TestDir {
    fn inside(&self, manifest: &str) -> (i32, String) {
        let root = self.path("root");
        self.ordain("apply", manifest, &["--root", root.to_str().unwrap()])
    }
}

#[test]
fn commands_run_inside_the_root() {
    let Some(place) = small_machine() else { return };
    let manifest = r"
        Exec { path => '/bin', logoutput => true }
        exec { 'cat /etc/name': }
        -> exec { 'pwd': cwd => '/srv' }
        -> exec { 'id -u; id -g; id -G': user => 'web', provider => shell }
        -> exec { 'touch /srv/made': creates => '/srv/made' }
        -> exec { 'touch /srv/unless': unless => 'grep -q small /etc/name' }
        -> exec { 'touch /srv/onlyif': onlyif => 'grep -q small /etc/name', umask => '077' }
        -> exec { 'echo hi > /srv/shell': provider => shell, environment => ['A=1'] }
        -> exec { 'again': command => 'true', refresh => 'touch /srv/refreshed', provider => shell,
                  refreshonly => true, subscribe => Exec['pwd'] }
        -> file { '/srv/valid': content => 'x', validate_cmd => 'test -s % && grep -q small /etc/name' }
    ";
    let (code, text) = place.inside(manifest);
    assert_eq!(code, 2, "{text}");
    for line in ["returns: the small one", "returns: /srv", "returns: 33", "returns: 33 7001"] {
        assert!(text.contains(line), "{line}: {text}");
    }
    for path in ["made", "onlyif", "shell", "refreshed", "valid"] {
        assert!(place.path("root/srv").join(path).exists(), "{path}: {text}");
    }
    assert!(!place.path("root/srv/unless").exists());
    assert_eq!(fs::metadata(place.path("root/srv/onlyif")).unwrap().mode() & 0o777, 0o600);
    assert!(!Path::new("/srv/made").exists());
}

#[test]
fn missing_programs_in_the_root_are_refused() {
    let Some(place) = small_machine() else { return };
    // The program exists, but its loader does not.
    fs::copy("/bin/true", place.path("root/bin/dynamic")).unwrap();
    let outside = place.path("outside");
    for (manifest, why) in [
        ("exec { '/usr/bin/touch DIR/outside': }", "Could not find command '/usr/bin/touch'"),
        ("exec { 'touch DIR/outside': path => '/usr/bin' }", "Could not find command 'touch'"),
        ("exec { '/bin/dynamic': }", "failed to run command"),
        ("exec { '/bin/pwd': unless => '/bin/dynamic' }", "failed to run command"),
        ("exec { '/bin/pwd': cwd => '/nope' }", "Working directory /nope does not exist!"),
        ("exec { '/bin/pwd': user => 'nobody' }", "Invalid user: nobody"),
        (
            "file { '/srv/x': content => 'x', validate_cmd => '/usr/bin/touch DIR/outside' }",
            "returned 127",
        ),
    ] {
        let (code, text) = place.inside(manifest);
        assert!(code == 1 && text.contains(why), "{manifest}: {text}");
        assert!(!outside.exists() && !place.path("root/srv/x").exists(), "{manifest}");
    }
    fs::remove_file(place.path("root/bin/sh")).unwrap();
    for manifest in [
        "exec { 'echo x > DIR/outside': provider => shell }",
        "exec { '/bin/pwd': cwd => '/srv' }",
        "file { '/srv/x': content => 'x', validate_cmd => '/bin/touch DIR/outside' }",
    ] {
        let (code, text) = place.inside(manifest);
        assert!(code == 1 && text.contains("has no program /bin/sh"), "{manifest}: {text}");
        assert!(!outside.exists() && !place.path("root/srv/x").exists(), "{manifest}");
    }
}

#[test]
fn a_root_is_made_absolute_and_has_to_be_there() {
    let Some(place) = small_machine() else { return };
    let manifest = place.write("pwd.pp", "exec { '/bin/cat /etc/name': logoutput => true }\n");
    let run = |root: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ordain"));
        command.arg("apply").arg(&manifest).args(["--root", root]).current_dir(place.dir.path());
        let output = command.arg("--state-dir").arg(place.path("state")).output().unwrap();
        let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        (output.status.code().unwrap(), text)
    };
    let (code, text) = run("root");
    assert!(code == 2 && text.contains("the small one"), "{text}");
    for root in ["nope", "/nope/deep", "pwd.pp", ""] {
        let (code, text) = run(root);
        assert!(code == 1 && text.contains("--root"), "{root}: {text}");
    }
}

#[test]
fn accounts_need_a_directory_for_their_files() {
    if !is_root() {
        return;
    }
    let place = TestDir::new();
    place.directory("root", 0, 0o755);
    for manifest in ["group { 'g': ensure => present }", "user { 'u': ensure => present }"] {
        for verb in ["plan", "apply"] {
            let root = place.path("root");
            let (code, text) = place.ordain(verb, manifest, &["--root", root.to_str().unwrap()]);
            assert!(code == 1 && text.contains("has no directory /etc for accounts"), "{text}");
        }
    }
}

#[test]
fn a_home_that_is_the_machine_is_not_removed() {
    if !is_root() {
        return;
    }
    let place = TestDir::new();
    place.directory("root/etc", 0, 0o755);
    place.write("root/home/ann/letter", "x");
    let passwd = "root:x:0:0::/root:/bin/sh\nall:x:0:0::/srv/..:/bin/sh\nh:x:5:5::/home:/bin/sh\n\
                  group:x:6:6::/data:/bin/sh\nmember:x:7:7::/data/member:/bin/sh\n";
    place.write("root/etc/passwd", passwd);
    place.write("root/etc/group", "root:x:0:\n");
    place.write("root/data/member/x", "x");
    for (user, why) in [
        ("all", "/ is not removed or replaced"),
        ("h", "/home is not removed or replaced"),
        ("root", "/root is not removed or replaced"),
        ("group", "/data is also the home of member or around it"),
    ] {
        let manifest = format!("user {{ '{user}': ensure => absent, managehome => true }}");
        let (code, text) = place.inside(&manifest);
        assert!(code == 1 && text.contains(why), "{user}: {text}");
    }
    assert!(place.path("root/home/ann/letter").exists());
}
