//! Deploys of small repositories.

use std::fs;
use std::os::unix::fs::symlink;

use crate::support::{Site, actions, messages, tree};
use ordain_deploy::{Action, EnvironmentDir, Request, Settings, deploy, rollback};
use ordain_source::SourceMap;

#[test]
fn an_environment_is_a_link_to_a_revision_that_never_changes() {
    let site = Site::new();
    let report = site.deploy();
    assert_eq!(actions(&report), ["created production"], "{}", messages(&report));
    let environment = site.environment();
    let first = fs::read_link(&environment).unwrap();
    assert!(first.starts_with(".revisions/production"), "{}", first.display());
    let module = environment.join("modules/ntp");
    assert_eq!(fs::read_to_string(module.join("manifests/init.pp")).unwrap(), "class ntp {}\n");
    assert!(!module.join("spec").exists() && !environment.join(".git").exists());
    assert_eq!(actions(&site.deploy()), ["unchanged production"]);

    site.module.write("manifests/init.pp", "class ntp { notice(1) }\n");
    let commit = site.module.commit();
    let report = site.deploy();
    assert_eq!(actions(&report), ["changed production"]);
    let changes = report.environments[0].module_changes();
    assert_eq!((changes.len(), changes[0].new.as_deref()), (1, Some(commit.as_str())));
    assert_ne!(fs::read_link(&environment).unwrap(), first);
    let old = site.base().join(&first).join("modules/ntp/manifests/init.pp");
    assert_eq!(fs::read_to_string(old).unwrap(), "class ntp {}\n");
}

#[test]
fn a_dry_run_reports_the_changes_and_writes_nothing() {
    let site = Site::new();
    let request = Request { dry_run: true, ..Request::default() };
    let report = deploy(&site.settings(), &request, &SourceMap::new()).unwrap();
    assert_eq!(actions(&report), ["created production"]);
    assert!(!site.base().exists());
    site.deploy();
    let before = tree(&site.base(), &[]);
    site.puppetfile("");
    let report = deploy(&site.settings(), &request, &SourceMap::new()).unwrap();
    assert_eq!(actions(&report), ["changed production"]);
    assert_eq!(report.environments[0].module_changes()[0].new, None);
    assert_eq!(tree(&site.base(), &[]), before);
}

#[test]
fn a_rollback_stays_until_the_branch_has_something_new() {
    let site = Site::new();
    site.deploy();
    let first = EnvironmentDir::new(site.base()).current("production").unwrap();
    site.puppetfile("");
    site.deploy();
    let second = EnvironmentDir::new(site.base()).current("production").unwrap();
    let report = rollback(site.base(), "production", None).unwrap();
    assert_eq!(report.action, Action::Changed);
    assert_eq!(EnvironmentDir::new(site.base()).current("production").unwrap(), first);
    assert!(site.environment().join("modules/ntp/manifests/init.pp").exists());
    assert!(rollback(site.base(), "production", None).is_err(), "there is none before the first");

    assert_eq!(actions(&site.deploy()), ["held production"]);
    let force = Request { force: true, ..Request::default() };
    let report = deploy(&site.settings(), &force, &SourceMap::new()).unwrap();
    assert_eq!(actions(&report), ["changed production"]);
    assert_eq!(EnvironmentDir::new(site.base()).current("production").unwrap(), second);
    rollback(site.base(), "production", Some(&first[..8])).unwrap();
    site.puppetfile("# new\n");
    assert_eq!(actions(&site.deploy()), ["changed production"]);
    for wrong in ["", "..", "other", "production/.."] {
        assert!(rollback(site.base(), wrong, None).is_err(), "{wrong}");
    }
}

#[test]
fn old_revisions_are_removed_unless_they_are_read() {
    let site = Site::new();
    let settings = site.settings().with_revisions(2);
    let update = |text: &str| {
        site.puppetfile(text);
        deploy(&settings, &Request::default(), &SourceMap::new()).unwrap();
    };
    update("# 1");
    let base = EnvironmentDir::new(site.base());
    let first = base.current("production").unwrap();
    let reader = base.pin_current("production").unwrap();
    assert_eq!((&reader.id, reader.directory.is_dir()), (&first, true));
    assert!(base.pin("production", "..").is_none() && base.pin("production", "x").is_none());
    update("# 2");
    update("# 3");
    update("# 4");
    let ids: Vec<_> = base.list("production").unwrap().into_iter().map(|r| r.id).collect();
    assert_eq!(ids.len(), 3, "two, and the one that is read");
    assert!(ids.contains(&first));
    drop(reader);
    update("# 5");
    assert_eq!(base.list("production").unwrap().len(), 2);
    assert!(base.pin("production", &first).is_none());
}

#[test]
fn a_directory_of_r10k_becomes_the_first_revision() {
    let site = Site::new();
    let commit = site.puppetfile(&site.module_line("v1"));
    let environment = site.environment();
    site.control.git(&["clone", "-q", ".", environment.to_str().unwrap()]);
    fs::create_dir_all(environment.join("modules/old")).unwrap();
    fs::create_dir_all(environment.join("local")).unwrap();
    fs::write(environment.join("local/by-hand.txt"), "stay").unwrap();
    let info = format!("{{\"name\":\"production\",\"signature\":\"{commit}\"}}");
    fs::write(environment.join(".r10k-deploy.json"), info).unwrap();
    let before = tree(&environment, &[]);
    let report = site.deploy();
    assert_eq!(actions(&report), ["changed production"], "{}", messages(&report));
    assert_eq!(fs::read_to_string(environment.join("local/by-hand.txt")).unwrap(), "stay");
    assert!(!environment.join("modules/old").exists());
    let report = rollback(site.base(), "production", None).unwrap();
    assert!(report.new.unwrap().is_adopted());
    assert_eq!(tree(&environment, &[]), before);
}

#[test]
fn errors_have_places_and_leave_the_environment() {
    let site = Site::new();
    site.deploy();
    let before = EnvironmentDir::new(site.base()).current("production");
    let git = site.module.url();
    for (text, line, wanted) in [
        (format!("\nmod 'ntp', :git => '{git}'\n"), 2, "has no reference"),
        (format!("mod 'ntp', :git => '{git}', :ref => 'nowhere'\n"), 1, "has no `nowhere`"),
        ("mod 'a', :svn => 'x'\n".into(), 1, "Subversion"),
        ("x = 1\n\nFile.read('/etc/passwd')\n".into(), 3, "needs more of Ruby"),
        ("`id`\n".into(), 1, "needs more of Ruby"),
        ("system('id')\n".into(), 1, ""),
        ("mod 'a', :local => true\nmod 'b/a', '1.0.0'\n".into(), 2, "twice"),
        ("mod 'a', :local => true, :install_path => '../../x'\n".into(), 1, "outside"),
        ("mod 'a', :local => true, :install_path => '/etc'\n".into(), 1, "outside"),
        ("moduledir '../modules'\n".into(), 1, "outside"),
        ("mod 'a', '1.0.0'\n".into(), 1, "no owner"),
        ("mod 'o/a', 'x'\n".into(), 1, "no version"),
        ("mod 'a', :git => '--upload-pack=id', :ref => 'x'\n".into(), 1, "not the address"),
        (
            format!("mod 'a', :git => '{git}', :ref => '--output=/tmp/x'\n"),
            1,
            "no reference of git",
        ),
        ("mod 'a', :git => 'ext::sh -c id', :ref => 'x'\n".into(), 1, "not allowed"),
        ("other 'a'\n".into(), 1, "undefined method"),
        ("loop do\nend\n".into(), 0, "too many steps"),
        ("mod 'a',\n".into(), 0, ""),
    ] {
        site.puppetfile(&text);
        let texts = SourceMap::new();
        let report = deploy(&site.settings(), &Request::default(), &texts).unwrap();
        assert_eq!(actions(&report), ["failed production"], "{text}");
        let error = report.diagnostics.iter().find(|d| d.message.contains(wanted));
        let error = error.unwrap_or_else(|| panic!("{text}: {}", messages(&report)));
        let place = texts.start(error.primary.as_ref().unwrap().span).line;
        assert!(line == 0 || place == line, "{text}: line {place}");
        assert_eq!(EnvironmentDir::new(site.base()).current("production"), before);
    }
}

#[test]
fn puppetfiles_are_programs() {
    let site = Site::new();
    let text = format!(
        "forge 'https://forge.example.org'\nmoduledir 'site'\nurl = '{}'\n\
         def own(name, url)\n  mod name, git: url, tag: 'v1'\nend\n\
         %w[a b].each {{ |name| own name, url }}\n\
         own('c', url) if ENV['PATH'] && !ENV.key?('NO_SUCH_VARIABLE')\n\
         branch = ENV.fetch('NO_SUCH_VARIABLE', 'main')\n\
         mod 'd', :git => url, :branch => branch, :install_path => 'deep/er', :exclude_spec => false\n\
         mod 'owner-e', type: 'git', source: url, version: 'v1'\nexclusion 'x'\n",
        site.module.url()
    );
    site.puppetfile(&text);
    let report = site.deploy();
    assert_eq!(actions(&report), ["created production"], "{}", messages(&report));
    for path in ["site/a", "site/b", "site/c", "deep/er/d", "site/e"] {
        assert!(site.environment().join(path).join("manifests/init.pp").exists(), "{path}");
    }
    assert!(site.environment().join("deep/er/d/spec").exists());
}

#[test]
fn branches_of_modules_follow_the_control_repository() {
    let site = Site::new();
    site.module.on_branch("feature", "manifests/init.pp", "class ntp { feature }\n");
    site.module.git(&["checkout", "-q", "main"]);
    let url = site.module.url();
    let text =
        format!("mod 'ntp', git: '{url}', branch: :control_branch, default_branch: 'main'\n");
    site.puppetfile(&text);
    site.control.on_branch("feature", "Puppetfile", &text);
    let report = site.deploy();
    assert_eq!(
        actions(&report),
        ["created feature", "created production"],
        "{}",
        messages(&report)
    );
    let text = |name: &str| {
        fs::read_to_string(site.base().join(name).join("modules/ntp/manifests/init.pp")).unwrap()
    };
    assert_eq!(
        (text("feature").as_str(), text("production").as_str()),
        ("class ntp { feature }\n", "class ntp {}\n")
    );
}

#[test]
fn modules_do_not_follow_links_out_of_the_environment() {
    let site = Site::new();
    let outside = site.dir.path().join("outside");
    fs::create_dir(&outside).unwrap();
    symlink(&outside, site.control.0.join("modules")).unwrap();
    site.puppetfile(&site.module_line("main"));
    let report = site.deploy();
    assert_eq!(actions(&report), ["failed production"]);
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
}

#[test]
fn nothing_is_changed_if_a_source_fails() {
    let site = Site::new();
    site.control.on_branch("old", "a", "1");
    site.deploy();
    site.control.git(&["checkout", "-q", "production"]);
    site.control.git(&["branch", "-q", "-D", "old"]);
    let other = format!(
        "  other:\n    remote: {}/nowhere\n    basedir: {}\n    prefix: true\n",
        site.dir.path().display(),
        site.base().display()
    );
    let settings = site.configured(&other);
    let error = deploy(&settings, &Request::default(), &SourceMap::new()).unwrap_err();
    assert!(error.to_string().contains("the source other"), "{error}");
    assert!(site.base().join("old").exists());
    assert_eq!(actions(&site.deploy()), ["removed old", "unchanged production"]);
    assert!(!site.base().join("old").exists() && !site.base().join(".revisions/old").exists());
}

#[test]
fn entries_of_others_stay_without_a_configuration() {
    let site = Site::new();
    fs::create_dir_all(site.base().join("mine")).unwrap();
    let report = site.deploy();
    assert!(messages(&report).contains("mine stays"), "{}", messages(&report));
    assert!(site.base().join("mine").exists());
    deploy(&site.configured(""), &Request::default(), &SourceMap::new()).unwrap();
    assert!(!site.base().join("mine").exists());
}

#[test]
fn commits_and_tags_that_are_there_need_no_repository() {
    let site = Site::new();
    let commit = site.module.git(&["rev-parse", "v1"]);
    site.puppetfile(&site.module_line("v1"));
    site.deploy();
    fs::rename(&site.module.0, site.dir.path().join("gone")).unwrap();
    site.puppetfile(&format!("{}# again\n", site.module_line(&commit)));
    let report = site.deploy();
    assert_eq!(actions(&report), ["changed production"], "{}", messages(&report));
    site.puppetfile(&site.module_line("main"));
    let report = site.deploy();
    assert!(messages(&report).contains("cannot fetch"), "{}", messages(&report));
}

#[test]
fn only_named_environments_are_deployed() {
    let site = Site::new();
    site.control.on_branch("feature/a", "a", "1");
    let environments = vec!["feature/a".to_owned(), "none".to_owned()];
    let request = Request { environments, ..Request::default() };
    let report = deploy(&site.settings(), &request, &SourceMap::new()).unwrap();
    assert_eq!(actions(&report), ["created feature_a"]);
    assert!(messages(&report).contains("no source has a branch for the environment none"));
}

#[test]
fn a_module_is_deployed_alone() {
    let site = Site::new();
    site.deploy();
    site.puppetfile("");
    site.deploy();
    rollback(site.base(), "production", None).unwrap();
    site.control.on_branch("never", "manifests/site.pp", "# new\n");
    site.module.on_branch("main", "manifests/init.pp", "class ntp { 2 }\n");
    let one = |names: &[&str]| {
        let modules = names.iter().map(|name| (*name).to_owned()).collect();
        let request = Request { modules, ..Request::default() };
        deploy(&site.settings(), &request, &SourceMap::new()).unwrap()
    };
    let report = one(&["ntp"]);
    assert_eq!(actions(&report), ["changed production"]);
    assert_eq!(messages(&report), "the environment never is left out: no deploy has made it");
    let text = fs::read_to_string(site.environment().join("modules/ntp/manifests/init.pp"));
    assert_eq!(text.unwrap(), "class ntp { 2 }\n");
    assert_eq!(actions(&one(&["ntp"])), ["unchanged production"]);
    let request = Request {
        modules: vec!["ntp".to_owned()],
        environments: vec!["never".to_owned()],
        ..Request::default()
    };
    let report = deploy(&site.settings(), &request, &SourceMap::new()).unwrap();
    assert!(messages(&report).starts_with("no deploy has made the environment never"));
    let report = one(&["other"]);
    assert_eq!((actions(&report).len(), report.has_errors()), (0, true));
    assert!(messages(&report).ends_with("no deployed Puppetfile declares the module other"));
    // The branch stays where the rollback left it.
    let all = site.deploy();
    assert!(actions(&all).contains(&"held production".to_owned()), "{:?}", actions(&all));
}

#[test]
fn locked_and_wrong_settings_are_errors() {
    let site = Site::new();
    let settings = site.configured("deploy:\n  write_lock: moving\n");
    let error = deploy(&settings, &Request::default(), &SourceMap::new()).unwrap_err();
    assert!(error.to_string().contains("moving"), "{error}");
    let path = site.dir.path().join("wrong.yaml");
    for (text, line, wanted) in [
        ("cachedir: /tmp\n", 0, "names no sources"),
        ("sources:\n  a:\n    basedir: /x\n", 3, "has no `remote`"),
        (
            "sources:\n  a:\n    remote: x\n    basedir: /x\n    type: svn\n",
            5,
            "`svn` are not supported",
        ),
        ("sources:\n  a:\n    remote: -x\n    basedir: /x\n", 3, "not the address"),
        ("sources:\n  a: {remote: x, basedir: /x}\npool_size: 0\n", 3, "`pool_size`"),
        ("sources:\n  a: {remote: x, basedir: /x}\ndeploy: {purge_levels: [all]}\n", 3, "a level"),
        ("sources:\n  a: {remote: x, basedir: /x, prefix: ../a}\n", 2, "the prefix"),
        ("sources: [\n", 0, ""),
    ] {
        fs::write(&path, text).unwrap();
        let texts = SourceMap::new();
        let error = Settings::read(&path, &texts).unwrap_err().into_diagnostic();
        assert!(error.message.contains(wanted), "{text}: {}", error.message);
        let place = error.primary.as_ref().map_or(0, |label| texts.start(label.span).line);
        assert!(line == 0 || place == line, "{text}: line {place}");
    }
    let text = "sources:\n  a: {remote: x, basedir: /x, prefx: 1}\nlogging: {level: debug}\n";
    fs::write(&path, text).unwrap();
    let (_, warnings) = Settings::read(&path, &SourceMap::new()).unwrap();
    let texts: Vec<_> = warnings.iter().map(|w| w.message.as_str()).collect();
    assert!(texts[0].contains("`prefx`") && texts[1].contains("`logging`"), "{texts:?}");
}

#[test]
fn a_second_deploy_waits_or_fails() {
    let site = Site::new();
    site.deploy();
    let lock = fs::File::open(site.base().join(".revisions/.lock")).unwrap();
    rustix::fs::flock(&lock, rustix::fs::FlockOperation::LockExclusive).unwrap();
    let request = Request { no_wait: true, ..Request::default() };
    let error = deploy(&site.settings(), &request, &SourceMap::new()).unwrap_err();
    assert!(error.to_string().contains("another deploy"), "{error}");
    drop(lock);
    let sites: Vec<_> = std::thread::scope(|scope| {
        site.puppetfile("# both\n");
        let deploys: Vec<_> = (0..3).map(|_| scope.spawn(|| actions(&site.deploy()))).collect();
        deploys.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let changed = sites.iter().filter(|actions| **actions == ["changed production"]).count();
    assert_eq!(changed, 1, "{sites:?}");
}
