//! Edits one after another end with the diagnostics of a fresh start.

use std::collections::BTreeMap;
use std::path::PathBuf;

use ordain_ide::{Report, Settings, Workspace};

/// The messages by file.
fn messages(reports: Vec<Report>) -> BTreeMap<PathBuf, Vec<String>> {
    let of_report = |report: Report| {
        let mut found: Vec<String> = report.found.iter().map(|d| d.message.clone()).collect();
        found.sort();
        (report.path, found)
    };
    reports.into_iter().map(of_report).collect()
}

#[test]
fn a_change_is_checked_alone_and_then_with_all_files() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    let write = |name: &str, text: &str| {
        let path = root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    };
    write("environment.conf", "modulepath = modules\n");
    let web =
        write("modules/web/manifests/init.pp", "class web(Integer $port) { notice($port) }\n");
    let site = write("manifests/site.pp", "class { 'web': port => 80 }\n");
    let mut workspace = Workspace::new(vec![root.clone()], Settings::default()).unwrap();
    let done = workspace.job().run();
    assert!(messages(workspace.finish(done)).values().all(Vec::is_empty));

    // A parameter that is new in an unsaved buffer is known in the next check of another file.
    workspace.set_text(&web, "class web(Integer $port, $name2 = 1) { notice($port, $name2) }\n");
    assert_eq!(workspace.check(&web).unwrap().found, []);
    workspace.set_text(&site, "class { 'web': port => 80, name2 => 2 }\n");
    assert_eq!(workspace.check(&site).unwrap().found, []);
    workspace.set_text(&site, "class { 'web': port => 'x', nam => 2 }\n");
    let found = workspace.check(&site).unwrap().found;
    assert_eq!(found.len(), 2, "{found:?}");

    // The check of all files finds that the other file is wrong now.
    workspace.set_text(&web, "class web(Integer $other) { notice($other) }\n");
    workspace.check(&web);
    let done = workspace.job().run();
    let reports = messages(workspace.finish(done));
    assert_eq!(reports[&site].len(), 2, "{reports:?}");
    assert!(reports[&site][1].contains("`port`"), "{reports:?}");

    let mut fresh = Workspace::new(vec![root], Settings::default()).unwrap();
    for path in [&web, &site] {
        fresh.set_text(path, workspace.open_text(path).unwrap());
        fresh.check(path);
    }
    let done = fresh.job().run();
    assert_eq!(messages(fresh.finish(done)), reports);

    // Without its buffer, the file on disk counts.
    workspace.close(&web);
    let done = workspace.job().run();
    let reports = messages(workspace.finish(done));
    assert_eq!(reports[&site].len(), 2, "{reports:?}");
    assert!(workspace.open_text(&web).is_none());

    // A file that is edited during a job keeps its edited text.
    let job = workspace.job();
    workspace.set_text(&site, "include web\n");
    workspace.check(&site);
    let reports = messages(workspace.finish(job.run()));
    assert_eq!(workspace.open_text(&site).as_deref(), Some("include web\n"));
    assert!(!reports[&site].iter().any(|message| message.contains("nam")), "{reports:?}");

    // A file that is removed takes its definitions with it.
    std::fs::remove_file(&web).unwrap();
    workspace.changed_on_disk(&web);
    let done = workspace.job().run();
    let reports = messages(workspace.finish(done));
    assert!(reports[&site].iter().any(|message| message.contains("web")), "{reports:?}");
}

#[test]
fn an_unfinished_text_keeps_its_variables() {
    let mut workspace = Workspace::new(Vec::new(), Settings::default()).unwrap();
    let path = PathBuf::from("/no/such/directory/a.pp");
    let text = "class web($port) {\n  $user = 'www'\n}\n";
    workspace.set_text(&path, text);
    workspace.check(&path);
    // The class is not closed while a resource is being typed.
    let text = "class web($port) {\n  $user = 'www'\n  file { '/x': owner => $";
    workspace.set_text(&path, text);
    workspace.check(&path);
    let found = workspace.analysis().completions(&path, text.len() as u32);
    let labels: Vec<&str> = found.items.iter().map(|item| item.label.as_str()).collect();
    assert!(labels.contains(&"port") && labels.contains(&"user"), "{labels:?}");
    assert_eq!(workspace.analysis().outline(&path)[0].name, "web");
}

#[test]
fn a_module_that_gets_into_the_puppetfile_loses_its_warnings() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    let manifest = root.join("modules/ntp/manifests/init.pp");
    std::fs::create_dir_all(manifest.parent().unwrap()).unwrap();
    let text = "class ntp {\n  $unused = 1\n}\n";
    std::fs::write(&manifest, text).unwrap();
    std::fs::write(root.join("Puppetfile"), "mod 'ntp', local: true\n").unwrap();
    let mut workspace = Workspace::new(vec![root.clone()], Settings::default()).unwrap();
    workspace.set_text(&manifest, text);
    workspace.check(&manifest);
    let done = workspace.job().run();
    assert_eq!(messages(workspace.finish(done))[&manifest].len(), 1);

    std::fs::write(root.join("Puppetfile"), "mod 'acme/ntp', '1.2.3'\n").unwrap();
    workspace.changed_on_disk(&root.join("Puppetfile"));
    let done = workspace.job().run();
    assert_eq!(messages(workspace.finish(done))[&manifest], [""; 0]);
    // Also after a key, without a check of all files.
    workspace.set_text(&manifest, "class ntp {\n  $unused = 12\n}\n");
    assert_eq!(workspace.check(&manifest).unwrap().found, []);
    workspace.set_text(&manifest, "class ntp {\n  $unused = \n}\n");
    assert!(!workspace.check(&manifest).unwrap().found.is_empty(), "a syntax error stays");
}
