//! Deploys the same repositories with the real r10k and compares the trees.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{Repository, has_r10k, messages, tree};
use ordain_deploy::{Request, Settings, deploy};
use ordain_source::SourceMap;
use serde_json::Value as Json;

/// Entries that only one of the programs creates: git directories and Ordain's revisions.
const ONE_SIDED: &[&str] = &[".git", ".revisions", ".r10k-deploy.json"];

/// Repositories that both programs deploy.
struct Pair {
    dir: tempfile::TempDir,
    sources: Vec<(&'static str, PathBuf, String)>,
}

impl Pair {
    fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap(), sources: Vec::new() }
    }

    fn repository(&self, name: &str, branch: &str) -> Repository {
        Repository::new(self.dir.path().join(name), branch)
    }

    fn source(&mut self, name: &'static str, repository: &Repository, settings: &str) {
        self.sources.push((name, repository.0.clone(), settings.to_owned()));
    }

    fn base(&self, side: &str) -> PathBuf {
        self.dir.path().join(side).join("environments")
    }

    /// Writes the settings of a side.
    fn configuration(&self, side: &str, more: &str) -> PathBuf {
        let root = self.dir.path().join(side);
        fs::create_dir_all(&root).unwrap();
        let mut text = format!("cachedir: {}/cache\nsources:\n", root.display());
        for (name, path, settings) in &self.sources {
            let base = self.base(side);
            text += &format!(
                "  {name}:\n    remote: {}\n    basedir: {}\n{settings}",
                path.display(),
                base.display()
            );
        }
        let path = root.join("r10k.yaml");
        fs::write(&path, text + more).unwrap();
        path
    }

    /// Deploys with both programs, and compares.
    fn compare(&self, title: &str, more: &str) {
        self.compare_with(title, more, (&["environment", "-m"], &Request::default()));
    }

    /// Deploys with both programs, r10k with arguments of `deploy`, and compares.
    fn compare_with(&self, title: &str, more: &str, (words, request): (&[&str], &Request)) {
        let configuration = self.configuration("r10k", more);
        let mut command = Command::new("r10k");
        command.arg("deploy").args(words).arg("-c").arg(&configuration);
        let output = command.env("HOME", self.dir.path()).output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{title}: {text}");
        let configuration = self.configuration("ordain", more);
        let texts = SourceMap::new();
        let (settings, _) = Settings::read(&configuration, &texts).unwrap();
        let report = deploy(&settings, request, &texts).unwrap();
        assert!(!report.has_errors(), "{title}: {}", messages(&report));
        let trees = ["r10k", "ordain"].map(|side| self.trees(side));
        assert!(!trees[0].is_empty());
        for (name, wanted) in &trees[0] {
            let found = trees[1].get(name).unwrap_or_else(|| panic!("{title}: no {name}"));
            let paths: Vec<_> = wanted.keys().chain(found.keys()).collect();
            for path in paths {
                let (wanted, found) = (wanted.get(path), found.get(path));
                assert_eq!(wanted, found, "{title}: {name}/{}", path.display());
            }
            // r10k does not write the file when it deploys single modules.
            if request.modules.is_empty() {
                let info = ["r10k", "ordain"].map(|side| info(&self.base(side).join(name)));
                assert_eq!(info[0], info[1], "{title}: {name}");
            }
        }
        let names = trees.map(|trees| trees.into_keys().collect::<Vec<_>>());
        assert_eq!(names[0], names[1], "{title}");
    }

    /// The files of all environments of one program.
    fn trees(&self, side: &str) -> BTreeMap<String, BTreeMap<PathBuf, String>> {
        let entries = fs::read_dir(self.base(side)).unwrap().map(|entry| entry.unwrap());
        let names = entries.map(|entry| entry.file_name().into_string().unwrap());
        let names = names.filter(|name| name != ".revisions");
        names.map(|name| (name.clone(), tree(&self.base(side).join(name), ONE_SIDED))).collect()
    }

    /// Writes an unmanaged file to an environment of both programs.
    fn stray(&self, path: &str) {
        for side in ["r10k", "ordain"] {
            let path = self.base(side).join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "stray\n").unwrap();
        }
    }
}

/// The content of `.r10k-deploy.json` without times; null if the file is missing.
fn info(environment: &Path) -> Json {
    let Ok(text) = fs::read_to_string(environment.join(".r10k-deploy.json")) else {
        return Json::Null;
    };
    let mut json: Json = serde_json::from_str(&text).unwrap();
    let object = json.as_object_mut().unwrap();
    for time in ["started_at", "finished_at"] {
        let text = object.remove(time).unwrap();
        let text = text.as_str().unwrap();
        assert!(text.starts_with("20") && text.len() == 25, "{text}");
    }
    json
}

/// A module with two branches and two tags. Returns its repository and its first commit.
fn module(pair: &Pair, name: &str) -> (Repository, String) {
    let repository = pair.repository(name, "main");
    repository.write("manifests/init.pp", &format!("class {name} {{ 1 }}\n"));
    repository.write("spec/classes/a_spec.rb", "# spec\n");
    repository.write("files/run", "#!/bin/sh\n");
    std::os::unix::fs::symlink("run", repository.0.join("files/link")).unwrap();
    repository.write("empty", "");
    let run = repository.0.join("files/run");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(run, mode).unwrap();
    let first = repository.commit();
    repository.git(&["tag", "v1.0.0"]);
    repository.write("manifests/init.pp", &format!("class {name} {{ 2 }}\n"));
    repository.commit();
    repository.git(&["tag", "-a", "-m", "two", "v2.0.0"]);
    repository.on_branch("devel", "manifests/more.pp", "class more {}\n");
    repository.git(&["checkout", "-q", "main"]);
    repository.on_branch("main", "README", "3\n");
    (repository, first)
}

fn puppetfile(modules: &[(Repository, String)]) -> String {
    let url = |at: usize| modules[at].0.0.display().to_string();
    format!(
        "forge 'https://forge.example.org'\n\n\
         mod 'a', :git => '{}', :ref => 'main'\n\
         mod 'owner/b', :git => '{}', :tag => 'v1.0.0'\n\
         mod 'owner-c', git: '{}', commit: '{}'\n\
         mod 'd', :git => '{}', :branch => 'devel', :install_path => 'site/deep'\n\
         mod 'e', :git => '{}', :ref => 'v2.0.0', :exclude_spec => true\n\
         mod 'f', :git => '{}', :branch => :control_branch, :default_branch => 'devel'\n\
         mod 'g', type: 'git', source: '{}', version: '{}'\n\
         mod 'kept', :local => true\n\
         %w[h i].each do |name|\n  mod name, git: \"{}\", ref: 'main' unless name == 'i'\nend\n",
        url(0),
        url(1),
        url(2),
        modules[2].1,
        url(3),
        url(4),
        url(5),
        url(0),
        &modules[0].1,
        url(1)
    )
}

#[test]
fn trees_are_those_of_r10k() {
    if !has_r10k() {
        return;
    }
    let mut pair = Pair::new();
    let modules: Vec<_> =
        ["a", "b", "c", "d", "e", "f"].iter().map(|name| module(&pair, name)).collect();
    let control = pair.repository("control", "production");
    control.write("manifests/site.pp", "include a\n");
    control.write("environment.conf", "modulepath = site:modules\n");
    control.write("modules/own/manifests/init.pp", "class own {}\n");
    control.write("Puppetfile", &puppetfile(&modules));
    control.commit();
    control.on_branch("feature/x-1", "manifests/x.pp", "# x\n");
    control.on_branch("main.v2", "manifests/y.pp", "# y\n");
    control.on_branch("wip_z", "manifests/z.pp", "# z\n");
    control.on_branch("devel", "Puppetfile", "");
    control.git(&["checkout", "-q", "production"]);
    let other = pair.repository("other", "env-main");
    other.write("hiera.yaml", "---\n");
    other.commit();
    other.on_branch("env-bad.name", "a", "1");
    pair.source("main", &control, "    ignore_branch_prefixes: [wip]\n");
    pair.source(
        "two",
        &other,
        "    prefix: true\n    strip_component: env-\n    invalid_branches: error\n",
    );
    let plain = "deploy: {exclude_spec: false}\n";
    pair.compare("new", plain);
    pair.compare("unchanged", plain);

    modules[0].0.on_branch("main", "manifests/new.pp", "class new {}\n");
    modules[3].0.git(&["checkout", "-q", "devel"]);
    modules[3].0.git(&["rm", "-q", "manifests/more.pp"]);
    modules[3].0.commit();
    modules[5].0.on_branch("feature/x-1", "manifests/f.pp", "class f_x {}\n");
    pair.compare("changed modules", plain);

    // When a Puppetfile no longer mentions a directory, r10k leaves the modules in it, unlike
    // Ordain. So another module stays there.
    let url = modules[0].0.0.display();
    let text = format!(
        "mod 'a', git: '{url}', ref: 'v1.0.0'\n\
         mod 'x', git: '{url}', ref: 'main', install_path: 'site/deep'\n"
    );
    control.on_branch("production", "Puppetfile", &text);
    control.git(&["rm", "-q", "environment.conf"]);
    control.commit();
    control.git(&["branch", "-q", "-D", "main.v2"]);
    pair.compare("removed modules and branches", plain);
    pair.compare("without spec", "deploy: {exclude_spec: true}\n");
}

#[test]
fn single_modules_are_those_of_r10k() {
    if !has_r10k() {
        return;
    }
    let mut pair = Pair::new();
    let modules: Vec<_> = ["a", "b", "c"].iter().map(|name| module(&pair, name)).collect();
    let line = |at: usize| {
        let name = ["a", "b", "c"][at];
        format!("mod '{name}', :git => '{}', :ref => 'main'\n", modules[at].0.0.display())
    };
    let control = pair.repository("control", "production");
    control.write("Puppetfile", &(line(0) + &line(1)));
    control.commit();
    control.on_branch("other", "Puppetfile", &line(1));
    pair.source("main", &control, "");
    let plain = "deploy: {exclude_spec: false}\n";
    pair.compare("new", plain);
    for (repository, _) in &modules {
        repository.on_branch("main", "README", "later\n");
    }
    // The branch has other modules meanwhile, but the deployed Puppetfile counts.
    control.on_branch("production", "Puppetfile", &(line(0) + &line(1) + &line(2)));
    let one = |name: &str, environments: &[&str]| Request {
        modules: vec![name.to_owned()],
        environments: environments.iter().map(|name| (*name).to_owned()).collect(),
        ..Request::default()
    };
    pair.compare_with("one module", plain, (&["module", "a"], &one("a", &[])));
    let chosen = one("b", &["other"]);
    pair.compare_with("one environment", plain, (&["module", "-e", "other", "b"], &chosen));
    pair.compare("all", plain);
}

#[test]
fn purge_levels_are_those_of_r10k() {
    if !has_r10k() {
        return;
    }
    let mut pair = Pair::new();
    let (module, _) = module(&pair, "a");
    let control = pair.repository("control", "production");
    control.write("manifests/site.pp", "include a\n");
    let url = module.0.display().to_string();
    let text = format!("mod 'a', git: '{url}', ref: 'main'\nmod 'kept', :local => true\n");
    control.write("Puppetfile", &text);
    control.commit();
    control.on_branch("other", "a", "1");
    control.git(&["checkout", "-q", "production"]);
    pair.source("main", &control, "");
    let strays = [
        "production/top.txt",
        "production/.hidden",
        "production/.resource_types/a.pp",
        "production/manifests/stray.pp",
        "production/new/dir/file",
        "production/modules/stray/manifests/init.pp",
        "production/modules/kept/manifests/init.pp",
        "gone/file",
    ];
    for (number, levels) in [
        "[deployment, puppetfile]",
        "[deployment]",
        "[deployment, environment]",
        "[deployment, environment, puppetfile]",
        "[puppetfile]",
    ]
    .into_iter()
    .enumerate()
    {
        let more = format!(
            "deploy:\n  exclude_spec: false\n  purge_levels: {levels}\n  \
             purge_allowlist: ['.resource_types', 'manifests/*.pp', 'new/**/*']\n"
        );
        // Files are only purged from a new revision, so make one.
        control.on_branch("production", "manifests/more.pp", &format!("# before {number}\n"));
        pair.compare("before", &more);
        for stray in strays {
            pair.stray(stray);
        }
        control.on_branch("production", "manifests/more.pp", &format!("# {number}\n"));
        pair.compare(levels, &more);
    }
}
