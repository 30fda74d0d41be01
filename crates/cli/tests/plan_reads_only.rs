//! A getter of a provider in Ruby that changes a file is stopped in a plan. The test needs root, Ruby
//! and the privilege to mount.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::process::{Command, Output};

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

fn run(dir: &Path, verb: &str, manifest: &str) -> Output {
    std::fs::write(dir.join("site.pp"), manifest).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_ordain"));
    command.args([verb, "site.pp", "--modulepath", "modules", "--state-dir", "state"]);
    command.current_dir(dir).output().unwrap()
}

#[test]
fn a_getter_cannot_change_files_in_a_plan() {
    let can_mount = Command::new("unshare").args(["-m", "mount", "--make-rprivate", "/"]).output();
    let has_ruby = Command::new("ruby").arg("-v").output().is_ok();
    let is_possible = has_ruby && can_mount.is_ok_and(|output| output.status.success());
    ordain_testkit::peer(is_possible, "ruby and util-linux (and the test has to be run by root)");
    if !is_possible {
        return;
    }
    // Not in the directory for temporary files, which providers may change.
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let dir = dir.path();
    for (name, text) in [("type/bed.rb", TYPE), ("provider/bed/ruby.rb", PROVIDER)] {
        let path = dir.join("modules/garden/lib/puppet").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    std::fs::write(dir.join("mode"), "").unwrap();
    let before = std::fs::metadata(dir.join("mode")).unwrap().permissions();
    let refused = "its provider tries to change the machine in a plan";
    // The error of a program is its own.
    for (name, error) in [("writes", refused), ("runs", "Execution of 'touch"), ("mode", refused)] {
        let path = dir.join(name);
        let output =
            run(dir, "plan", &format!("bed {{ '{}': ensure => present }}", path.display()));
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(text.contains(error), "{text}");
        assert_eq!(output.status.code(), Some(1));
    }
    assert!(!dir.join("writes").exists() && !dir.join("runs").exists());
    assert_eq!(std::fs::metadata(dir.join("mode")).unwrap().permissions(), before);
    let path = dir.join("writes");
    let output = run(dir, "apply", &format!("bed {{ '{}': ensure => present }}", path.display()));
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(path.exists());
}
