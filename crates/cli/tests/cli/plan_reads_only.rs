//! A getter of a provider in Ruby that changes a file is stopped in a plan and with `--noop`, also
//! for users without privileges. The test needs root, Ruby and the privilege to mount.

use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

const TYPE: &str = "Puppet::Type.newtype(:bed) do
  ensurable
  newparam(:path, namevar: true)
end
";

const PROVIDER: &str = "Puppet::Type.type(:bed).provide(:ruby) do
  def exists?
    case resource[:path]
    when /writes/ then File.write(resource[:path], 'x')
    when /runs/ then Puppet::Util::Execution.execute(['touch', resource[:path]], failonfail: true)
    when /mode/ then File.chmod(0o700, resource[:path])
    end
    true
  end
end
";

/// The prefix of a command that another user runs.
const NOBODY: [&str; 4] = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];

/// A site in a directory, with a type whose getter changes files.
struct Site {
    dir: TempDir,
}

impl Site {
    fn new() -> Self {
        // Not in the directory for temporary files, which providers may change.
        let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        for (name, text) in [("type/bed.rb", TYPE), ("provider/bed/ruby.rb", PROVIDER)] {
            let path = dir.path().join("modules/garden/lib/puppet").join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        std::fs::write(dir.path().join("mode"), "").unwrap();
        Self { dir }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Runs a verb on a resource whose getter changes the file of a name. Returns the exit code and
    /// the errors.
    fn run(&self, user: &[&str], verb: &[&str], name: &str, more: &str) -> (Option<i32>, String) {
        let path = self.path(name);
        let manifest = format!("bed {{ '{}': ensure => present{more} }}", path.display());
        std::fs::write(self.path("site.pp"), manifest).unwrap();
        let mut words = user.iter().chain(&[env!("CARGO_BIN_EXE_ordain")]).chain(verb);
        let mut command = Command::new(words.next().unwrap());
        command.args(words).args(["site.pp", "--modulepath", "modules", "--state-dir", "state"]);
        let output = command.current_dir(self.dir.path()).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    }

    /// Checks that no getter changes anything.
    fn changes_nothing(&self, user: &[&str], verb: &[&str]) {
        let before = std::fs::metadata(self.path("mode")).unwrap().permissions();
        let refused = "its provider tries to change the machine";
        // The error of a program is its own.
        let cases = [("writes", refused), ("runs", "Execution of 'touch"), ("mode", refused)];
        for (name, error) in cases {
            let (code, text) = self.run(user, verb, name, "");
            assert!(text.contains(error), "{verb:?}: {text}");
            assert_ne!(code, Some(0));
        }
        assert!(!self.path("writes").exists() && !self.path("runs").exists());
        assert_eq!(std::fs::metadata(self.path("mode")).unwrap().permissions(), before);
    }
}

/// Whether this machine has what the test needs.
fn is_possible(unshare: &[&str]) -> bool {
    let can_mount = Command::new(unshare[0]).args(&unshare[1..]).output();
    let has_ruby = Command::new("ruby").arg("-v").output().is_ok();
    let is_possible = has_ruby && can_mount.is_ok_and(|output| output.status.success());
    ordain_testkit::peer(is_possible, "ruby and util-linux (and the test has to be run by root)");
    is_possible
}

#[test]
fn a_getter_cannot_change_files_unless_resources_are_applied() {
    if !is_possible(&["unshare", "-m", "mount", "--make-rprivate", "/"]) {
        return;
    }
    let site = Site::new();
    site.changes_nothing(&[], &["plan"]);
    site.changes_nothing(&[], &["apply", "--noop"]);
    let (code, text) = site.run(&[], &["apply"], "writes", "");
    assert_eq!(code, Some(0), "{text}");
    assert!(site.path("writes").exists());
    // A resource that is applied despite `--noop` may write.
    let other = site.path("other_writes");
    let (code, text) = site.run(&[], &["apply", "--noop"], "other_writes", ", noop => false");
    assert_eq!(code, Some(0), "{text}");
    assert!(other.exists());
}

#[test]
fn a_getter_cannot_change_files_of_a_user_without_privileges() {
    let unshare =
        [&NOBODY[..], &["unshare", "-Ur", "-m", "mount", "--make-rprivate", "/"]].concat();
    if !is_possible(&unshare) {
        return;
    }
    let site = Site::new();
    for path in [site.dir.path(), &site.path("mode")] {
        std::os::unix::fs::chown(path, Some(65534), Some(65534)).unwrap();
    }
    site.changes_nothing(&NOBODY, &["plan"]);
    site.changes_nothing(&NOBODY, &["apply", "--noop"]);
    let (code, text) = site.run(&NOBODY, &["apply"], "writes", "");
    assert_eq!(code, Some(0), "{text}");
    assert!(site.path("writes").exists());
}
