//! Installations of modules in working copies.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{Repository, has_r10k, run, tree};
use ordain_deploy::{Error, InstallReport, InstallRequest, Settings, install};
use ordain_source::SourceMap;

/// A working copy of a control repository, and the repository of the module `ntp`.
struct WorkingCopy {
    dir: tempfile::TempDir,
    root: PathBuf,
    module: Repository,
}

impl WorkingCopy {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let module = Repository::new(dir.path().join("ntp"), "main");
        module.write("manifests/init.pp", "class ntp { 1 }\n");
        module.write("files/tool", "#!/bin/sh\n");
        run("chmod", &["+x", "files/tool"], &module.0);
        module.write("spec/ntp_spec.rb", "# 1\n");
        module.commit();
        module.git(&["tag", "-a", "-m", "first", "v1"]);
        module.write("manifests/init.pp", "class ntp { 2 }\n");
        module.commit();
        let root = dir.path().join("control");
        Repository::new(root.clone(), "main");
        Self { dir, root, module }
    }

    /// The declaration of a module from the repository of `ntp`.
    fn line(&self, name: &str, options: &str) -> String {
        format!("mod '{name}', :git => '{}', {options}\n", self.module.url())
    }

    fn puppetfile(&self, text: &str) {
        fs::write(self.root.join("Puppetfile"), text).unwrap();
    }

    fn request(&self) -> InstallRequest {
        InstallRequest {
            puppetfile: self.root.join("Puppetfile"),
            moduledir: None,
            force: false,
            dry_run: false,
            default_branch_override: None,
        }
    }

    fn install_with(&self, request: &InstallRequest) -> Result<InstallReport, Error> {
        let settings = Settings::without_sources().with_cache(&self.dir.path().join("cache"))?;
        let report = install(&settings, request, &SourceMap::new());
        let leftover = run("find", &[".", "-name", ".ordain-install"], &self.root);
        assert_eq!(leftover, "", "temporary files stay");
        report
    }

    fn install(&self) -> Vec<String> {
        lines(&self.install_with(&self.request()).unwrap())
    }

    fn forced(&self) -> Vec<String> {
        lines(&self.install_with(&InstallRequest { force: true, ..self.request() }).unwrap())
    }

    fn dry(&self) -> Vec<String> {
        let before = tree(&self.root, &[]);
        let request = InstallRequest { dry_run: true, ..self.request() };
        let lines = lines(&self.install_with(&request).unwrap());
        assert_eq!(tree(&self.root, &[]), before, "a dry run writes nothing");
        lines
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root.join(path)).unwrap()
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

/// The results as lines `action path`, and the messages.
fn lines(report: &InstallReport) -> Vec<String> {
    let modules =
        report.modules.iter().map(|m| format!("{} {}", m.action.name(), m.path.display()));
    modules.chain(report.diagnostics.iter().map(|d| d.message.clone())).collect()
}

#[test]
fn modules_are_installed_replaced_and_removed() {
    let copy = WorkingCopy::new();
    copy.puppetfile(&copy.line("ntp", ":ref => 'v1'"));
    assert_eq!(copy.dry(), ["created modules/ntp"]);
    assert_eq!(copy.install(), ["created modules/ntp"]);
    assert_eq!(copy.read("modules/ntp/manifests/init.pp"), "class ntp { 1 }\n");
    assert!(copy.root.join("modules/ntp/spec/ntp_spec.rb").exists());
    assert_eq!(copy.install(), ["unchanged modules/ntp"]);

    copy.puppetfile(&copy.line("ntp", ":branch => 'main', :exclude_spec => true"));
    assert_eq!(copy.dry(), ["changed modules/ntp"]);
    assert_eq!(copy.install(), ["changed modules/ntp"]);
    assert_eq!(copy.read("modules/ntp/manifests/init.pp"), "class ntp { 2 }\n");
    assert!(!copy.root.join("modules/ntp/spec").exists());

    copy.write("modules/own/manifests/init.pp", "class own {}\n");
    copy.puppetfile("");
    assert_eq!(copy.dry(), ["removed modules/ntp"]);
    assert_eq!(copy.install(), ["removed modules/ntp"]);
    assert!(!copy.root.join("modules/ntp").exists());
    assert!(copy.root.join("modules/own/manifests/init.pp").exists());
}

#[test]
fn edited_modules_stay_unless_they_are_forced() {
    let edits: [fn(&Path); 5] = [
        |module| fs::write(module.join("manifests/init.pp"), "class ntp { 3 }\n").unwrap(),
        |module| fs::write(module.join("manifests/new.pp"), "").unwrap(),
        |module| fs::remove_file(module.join("spec/ntp_spec.rb")).unwrap(),
        |module| drop(run("chmod", &["-x", "files/tool"], module)),
        |module| std::os::unix::fs::symlink("init.pp", module.join("manifests/link.pp")).unwrap(),
    ];
    for edit in edits {
        let copy = WorkingCopy::new();
        copy.puppetfile(&copy.line("ntp", ":ref => 'v1'"));
        copy.install();
        let module = copy.root.join("modules/ntp");
        let installed = tree(&module, &[]);
        edit(&module);
        let edited = tree(&module, &[]);
        assert_ne!(installed, edited);
        let wanted = [
            "skipped modules/ntp",
            "the module ntp stays as it is: it was edited since it was installed",
        ];
        assert_eq!(copy.dry(), wanted);
        assert_eq!(copy.install(), wanted);
        assert_eq!(tree(&module, &[]), edited);
        let puppetfile = copy.read("Puppetfile");
        copy.puppetfile("");
        let lines = copy.install();
        assert!(lines[0].ends_with("stays: it was edited since it was installed"), "{lines:?}");
        assert_eq!(tree(&module, &[]), edited);
        copy.puppetfile(&puppetfile);
        assert_eq!(copy.forced(), ["changed modules/ntp"]);
        assert_eq!(tree(&module, &[]), installed);
    }
}

#[test]
fn an_edit_that_equals_the_declared_version_is_none() {
    let copy = WorkingCopy::new();
    copy.puppetfile(&copy.line("ntp", ":ref => 'v1'"));
    copy.install();
    copy.write("modules/ntp/manifests/init.pp", "class ntp { 2 }\n");
    copy.puppetfile(&copy.line("ntp", ":ref => 'main'"));
    assert_eq!(copy.install(), ["unchanged modules/ntp"]);
    copy.puppetfile(&copy.line("ntp", ":ref => 'v1'"));
    assert_eq!(copy.install(), ["changed modules/ntp"]);
}

#[test]
fn other_files_in_the_way_stay_unless_they_are_forced() {
    let copy = WorkingCopy::new();
    copy.puppetfile(&copy.line("ntp", ":ref => 'v1'"));
    copy.write("modules/ntp/notes", "mine\n");
    let wanted = [
        "skipped modules/ntp",
        "the module ntp stays as it is: its directory has other files, which Ordain did not install",
    ];
    assert_eq!(copy.install(), wanted);
    assert_eq!(copy.read("modules/ntp/notes"), "mine\n");
    assert_eq!(copy.forced(), ["changed modules/ntp"]);
    fs::remove_dir_all(copy.root.join("modules/ntp")).unwrap();
    copy.write("modules/ntp", "a file\n");
    assert_eq!(copy.install(), wanted);
    assert_eq!(copy.read("modules/ntp"), "a file\n");

    // A marker that somebody copied or damaged protects nothing.
    fs::remove_file(copy.root.join("modules/ntp")).unwrap();
    copy.install();
    copy.write("modules/ntp/.ordain-module.json", "{");
    copy.puppetfile(&copy.line("ntp", ":ref => 'main'"));
    assert_eq!(copy.install(), wanted);
}

#[test]
fn clones_are_replaced_if_nothing_in_them_would_be_lost() {
    let copy = WorkingCopy::new();
    let module = copy.root.join("modules/ntp");
    let path = module.to_str().unwrap();
    copy.puppetfile(&copy.line("ntp", ":ref => 'main'"));
    let clone = || {
        let _ = fs::remove_dir_all(&module);
        run("git", &["clone", "-q", &copy.module.url(), path], &copy.root);
    };
    clone();
    assert_eq!(copy.install(), ["unchanged modules/ntp"]);
    assert_eq!(run("git", &["status", "--porcelain"], &module), "");

    copy.puppetfile(&copy.line("ntp", ":ref => 'v1'"));
    copy.write("modules/ntp/notes", "mine\n");
    let wanted = [
        "skipped modules/ntp",
        "the module ntp stays as it is: its directory is a clone with changes that are not committed",
    ];
    assert_eq!(copy.install(), wanted);
    fs::remove_file(module.join("notes")).unwrap();
    assert_eq!(copy.dry(), ["changed modules/ntp"]);
    assert_eq!(copy.install(), ["changed modules/ntp"]);
    assert!(!module.join(".git").exists());

    fs::remove_dir_all(&module).unwrap();
    fs::create_dir_all(&module).unwrap();
    run("git", &["init", "-q", "."], &module);
    fs::write(module.join("notes"), "mine\n").unwrap();
    assert_eq!(copy.install(), wanted, "a clone without a commit");

    let changes: [&[&[&str]]; 2] = [
        &[&["commit", "-q", "--allow-empty", "-m", "mine"]],
        &[&["rm", "-q", "files/tool"], &["stash", "-q"]],
    ];
    for commands in changes {
        clone();
        commands.iter().for_each(|command| drop(run("git", command, &module)));
        let before = tree(&module, &[]);
        for lines in [copy.install(), copy.forced()] {
            assert_eq!(lines[0], "failed modules/ntp", "{lines:?}");
            assert!(lines[1].contains("commits that the module's repository lacks"), "{lines:?}");
            assert_eq!(tree(&module, &[]), before);
        }
    }
}

#[test]
fn a_module_that_fails_leaves_the_others() {
    let copy = WorkingCopy::new();
    let gone = format!("mod 'gone', :git => '{}/gone', :ref => 'v1'\n", copy.dir.path().display());
    let text = [
        copy.line("ntp", ":ref => 'v1'"),
        gone,
        copy.line("unknown", ":ref => 'v9'"),
        "mod 'mine', :local => true\n".to_owned(),
    ];
    copy.puppetfile(&text.concat());
    let lines = copy.install();
    assert_eq!(
        lines[..3],
        ["created modules/ntp", "failed modules/gone", "failed modules/unknown"],
        "{lines:?}"
    );
    assert!(lines[3].starts_with("the module gone: cannot fetch"), "{lines:?}");
    assert!(lines[4].ends_with("has no `v9`"), "{lines:?}");
    assert_eq!(lines.len(), 5);
}

#[test]
fn the_control_branch_is_the_one_that_is_checked_out() {
    let copy = WorkingCopy::new();
    copy.module.on_branch("topic", "manifests/init.pp", "class ntp { 4 }\n");
    copy.puppetfile(&copy.line("ntp", ":branch => :control_branch, :default_branch => 'main'"));
    run("git", &["checkout", "-q", "-b", "topic"], &copy.root);
    assert_eq!(copy.install(), ["created modules/ntp"]);
    assert_eq!(copy.read("modules/ntp/manifests/init.pp"), "class ntp { 4 }\n");
    run("git", &["checkout", "-q", "-b", "other"], &copy.root);
    assert_eq!(copy.install(), ["changed modules/ntp"]);
    assert_eq!(copy.read("modules/ntp/manifests/init.pp"), "class ntp { 2 }\n");
    copy.puppetfile(&copy.line("ntp", ":branch => :control_branch"));
    fs::remove_dir_all(copy.root.join(".git")).unwrap();
    let lines = copy.install();
    assert!(lines[1].contains("no branch checked out"), "{lines:?}");
}

#[test]
fn modules_stay_inside_of_the_working_copy() {
    let copy = WorkingCopy::new();
    let outside = copy.dir.path().join("outside");
    fs::create_dir(&outside).unwrap();
    std::os::unix::fs::symlink(&outside, copy.root.join("modules")).unwrap();
    copy.puppetfile(&copy.line("ntp", ":ref => 'v1'"));
    let error = copy.install_with(&copy.request()).unwrap_err().to_string();
    assert!(error.contains("is outside of the working copy"), "{error}");
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
    for moduledir in [PathBuf::from("modules"), outside.join("inner")] {
        let request = InstallRequest { moduledir: Some(moduledir), ..copy.request() };
        let report = copy.install_with(&request).unwrap();
        assert!(lines(&report)[0].starts_with("created "), "{:?}", lines(&report));
    }
    assert!(outside.join("ntp/manifests").exists() && outside.join("inner/ntp").exists());

    let inner = copy.line("inner", ":ref => 'v1', :install_path => 'site/ntp'");
    copy.puppetfile(&(copy.line("ntp", ":ref => 'v1', :install_path => 'site'") + &inner));
    let error = copy.install_with(&copy.request()).unwrap_err().to_string();
    assert_eq!(error, "the module inner is inside of the module ntp");
    fs::remove_file(copy.root.join("Puppetfile")).unwrap();
    let error = copy.install_with(&copy.request()).unwrap_err().to_string();
    assert!(error.starts_with("there is no "), "{error}");
}

#[test]
fn a_killed_installation_is_repeated() {
    let copy = WorkingCopy::new();
    copy.puppetfile(&copy.line("ntp", ":ref => 'v1'"));
    copy.write("modules/.ordain-install/new-0/half", "written\n");
    copy.write("modules/.ordain-install/temporary-0", "");
    assert_eq!(copy.install(), ["created modules/ntp"]);
    assert!(!copy.root.join("modules/ntp/half").exists());
}

/// r10k gives the same files, from all forms of declarations that it knows for git.
#[test]
fn r10k_installs_the_same_files() {
    if !has_r10k() {
        return;
    }
    let copy = WorkingCopy::new();
    let text = [
        copy.line("ntp", ":ref => 'v1'"),
        copy.line("branch", ":branch => 'main', :exclude_spec => true"),
        copy.line("commit", &format!(":commit => '{}'", copy.module.git(&["rev-parse", "v1^{}"]))),
        copy.line("site", ":tag => 'v1', :install_path => 'site/inner'"),
        copy.line("fallback", ":branch => 'nosuch', :default_branch => 'main'"),
        "mod 'mine', :local => true\nmoduledir 'third'\n".to_owned(),
        copy.line("other", ":ref => 'v1', :exclude_spec => false"),
    ];
    copy.puppetfile(&text.concat());
    copy.write("modules/mine/manifests/init.pp", "class mine {}\n");
    let beside = copy.dir.path().join("beside");
    run("cp", &["-a", copy.root.to_str().unwrap(), beside.to_str().unwrap()], copy.dir.path());
    let mut r10k = Command::new("r10k");
    r10k.args(["puppetfile", "install"]).current_dir(&beside).env("HOME", copy.dir.path());
    let output = r10k.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines = copy.install();
    assert!(lines.iter().all(|line| line.starts_with("created ")), "{lines:?}");
    let files =
        |root: &Path| -> BTreeMap<PathBuf, String> { tree(root, &[".git", ".ordain-module.json"]) };
    assert_eq!(files(&copy.root), files(&beside));

    // Modules that r10k installed are adopted.
    let request = InstallRequest { puppetfile: beside.join("Puppetfile"), ..copy.request() };
    let settings = Settings::without_sources().with_cache(&copy.dir.path().join("cache")).unwrap();
    let report = install(&settings, &request, &SourceMap::new()).unwrap();
    let adopted = self::lines(&report);
    assert!(adopted.iter().all(|line| line.starts_with("unchanged ")), "{adopted:?}");
}
