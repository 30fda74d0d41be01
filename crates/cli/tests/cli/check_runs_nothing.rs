//! `ordain check` runs no code of a repository, in any language that can contain code.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

/// Every piece of code creates a file with its name.
const FILES: &[(&str, &str)] = &[
    ("environment.conf", "modulepath = modules\nconfig_version = 'touch RAN/config_version'\n"),
    (
        "manifests/site.pp",
        "include m\n$a = generate('/usr/bin/touch', 'RAN/generate')\n\
         $b = inline_template('<% `touch RAN/inline` %>')\n$c = m::modern(1)\n$d = legacy(1)\n\
         $e = template('m/t.erb')\n$f = epp('m/t.epp')\n$g = lookup('key')\n\
         $h = Deferred('m::modern', [1])\nthing { 'x': size => 3 }\n\
         exec { '/usr/bin/touch RAN/exec': unless => '/usr/bin/touch RAN/unless' }\n\
         file { '/x': content => 'x', validate_cmd => '/usr/bin/touch RAN/validate' }\n",
    ),
    (
        "hiera.yaml",
        "version: 5\nhierarchy:\n  - name: ruby\n    lookup_key: m::backend\n\
         \x20 - name: secret\n    lookup_key: eyaml_lookup_key\n    path: s.eyaml\n\
         \x20   options: { gpg_gnupghome: /x }\n  - name: all\n    path: all.yaml\n",
    ),
    ("data/all.yaml", "key: \"%{lookup('other')}\"\n"),
    ("modules/m/manifests/init.pp", "class m { notify { 'm': } }\n"),
    (
        "modules/m/lib/puppet/functions/m/modern.rb",
        "`touch RAN/modern`\nPuppet::Functions.create_function(:'m::modern') do\n\
         \x20 dispatch(:f) { param 'Integer', :a }\n  def f(a) `touch RAN/modern_call` end\nend\n",
    ),
    (
        "modules/m/lib/puppet/functions/m/backend.rb",
        "`touch RAN/backend`\nPuppet::Functions.create_function(:'m::backend') do\nend\n",
    ),
    (
        "modules/m/lib/puppet/parser/functions/legacy.rb",
        "`touch RAN/legacy`\nmodule Puppet::Parser::Functions\n\
         newfunction(:legacy, type: :rvalue) { |a| `touch RAN/legacy_call` }\nend\n",
    ),
    (
        "modules/m/lib/puppet/type/thing.rb",
        "`touch RAN/type`\nPuppet::Type.newtype(:thing) do\n\
         newparam(:name, namevar: true)\nnewproperty(:size) { validate { |v| `touch RAN/validate_rb` } }\n\
         newproperty(`touch RAN/unclear`.to_sym)\nend\n",
    ),
    ("modules/m/lib/puppet/provider/thing/ruby.rb", "`touch RAN/provider`\n"),
    (
        "modules/m/lib/facter/f.rb",
        "`touch RAN/fact`\nFacter.add(:f) { setcode 'touch RAN/setcode' }\n",
    ),
    ("modules/m/facts.d/f.sh", "#!/bin/sh\ntouch RAN/external\necho a=b\n"),
    ("modules/m/templates/t.erb", "<% `touch RAN/erb` %>"),
    ("modules/m/templates/t.epp", "<% generate('/usr/bin/touch', 'RAN/epp') %>"),
    ("modules/m/plans/p.pp", "plan m::p() { run_command('touch RAN/plan', 'localhost') }\n"),
    ("modules/m/tasks/t.sh", "#!/bin/sh\ntouch RAN/task\n"),
    (
        "template.yml",
        "a: (( exec(\"touch\", \"RAN/dynaml\") ))\nb: (( pipe(\"x\", \"touch\", \"RAN/pipe\") ))\n",
    ),
    ("main.mcl", "import \"os\"\nprint \"x\" { msg => os.system(\"touch RAN/mcl\"), }\n"),
    ("model/project.yml", "name: p\nmodulepath: libs\n"),
    (
        "model/main.cf",
        "import n\nentity E:\n  string a\nend\nimplement E using std::none\n\
         E(a=n::run(\"a\"))\nE(a=n::named(x=1))\n",
    ),
    ("model/libs/n/module.yml", "name: n\nversion: 1.0\nlicense: x\n"),
    ("model/libs/n/model/_init.cf", ""),
    (
        "model/libs/n/plugins/__init__.py",
        "import subprocess\nfrom inmanta.plugins import plugin\n\
         subprocess.run([\"/usr/bin/touch\", \"RAN/python\"])\n\n@plugin\n\
         def run(a: \"string\") -> \"string\":\n    return a\n\n@plugin(\"named\")\n\
         def other(x: \"int\") -> \"string\":\n    return \"\"\n",
    ),
    ("model/.venv/bin/python3", "#!/bin/sh\ntouch RAN/venv\nexec /usr/bin/env python3 \"$@\"\n"),
    ("ordain.toml", "[[source]]\npath = \"main.mcl\"\n"),
    ("template.j2", "{% set a = ''.__class__ %}"),
];

/// Creates a repository with these executable files, and a directory for the marks of code that
/// ran.
fn repository() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let marks = dir.path().join("RAN");
    fs::create_dir(&marks).unwrap();
    let marks = marks.to_str().unwrap();
    for (name, text) in FILES {
        let path = dir.path().join("repository").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text.replace("RAN", marks)).unwrap();
        fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    }
    dir
}

fn ordain(dir: &Path, path: &str, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ordain"))
        .args(arguments)
        .current_dir(dir.join("repository"))
        .env("HOME", dir)
        .env("PATH", path)
        .env("ORDAIN_STATE_DIR", dir.join("state"))
        .env_remove("ORDAIN_RUBY")
        .env_remove("ORDAIN_PYTHON")
        .output()
        .unwrap()
}

/// The names of the code that ran.
fn marks(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir.join("RAN")).unwrap().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// A PATH whose programs leave a mark before they run.
fn telling_path(dir: &Path) -> String {
    let bin = dir.join("bin");
    fs::create_dir(&bin).unwrap();
    let usual = std::env::var("PATH").unwrap();
    for name in ["ruby", "python3", "sh", "bash", "touch", "env", "git", "gpg", "kill"] {
        let mark = dir.join("RAN").join(name);
        let text = format!("#!/bin/sh\n: > {}\nPATH={usual}\nexec {name} \"$@\"\n", mark.display());
        fs::write(bin.join(name), text).unwrap();
        fs::set_permissions(bin.join(name), PermissionsExt::from_mode(0o755)).unwrap();
    }
    format!("{}:{usual}", bin.display())
}

#[test]
fn check_runs_no_code_of_what_it_checks() {
    let dir = repository();
    let path = telling_path(dir.path());
    let every = FILES.iter().map(|(name, _)| *name);
    let checkable = |name: &&str| {
        [".pp", ".epp", ".yaml", ".yml", ".mcl", ".cf"].iter().any(|end| name.ends_with(end))
    };
    let mut lines: Vec<Vec<&str>> =
        vec![vec!["check", "."], vec!["check", ".", "--format", "json"], vec!["check", "model"]];
    lines.extend(every.filter(checkable).map(|name| vec!["check", name]));
    lines.push(vec!["check", ".", "--language", "dynaml"]);
    for line in &lines {
        let output = ordain(dir.path(), &path, line);
        assert!(output.status.code().is_some(), "{line:?}");
        assert_eq!(marks(dir.path()), [""; 0], "{line:?}");
    }
    // Plugins are known nevertheless.
    let output = ordain(dir.path(), &path, &["check", "model/main.cf"]);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{text}");
    fs::write(dir.path().join("repository/model/main.cf"), "import n\nn::rum(\"a\")\n").unwrap();
    let output = ordain(dir.path(), &path, &["check", "model/main.cf"]);
    assert!(!output.status.success());
    assert_eq!(marks(dir.path()), [""; 0]);
}

#[test]
fn commands_that_only_read_run_no_code() {
    let dir = repository();
    let path = telling_path(dir.path());
    for line in [
        &["parse", "manifests/site.pp"][..],
        &["fmt", "--check", "main.mcl"],
        &["convert", "template.yml"],
        &["merge", "--no-exec", "template.yml"],
        &["merge", "--hermetic", "template.yml"],
        &["diff", "template.yml", "data/all.yaml"],
        &["history"],
        &["show"],
        &["doctor"],
        &["explain-code"],
        &["kinds"],
        &["completions", "bash"],
    ] {
        ordain(dir.path(), &path, line);
        assert_eq!(marks(dir.path()), [""; 0], "{line:?}");
    }
}

#[test]
fn plugins_run_when_that_is_asked_for() {
    let dir = repository();
    let path = std::env::var("PATH").unwrap();
    if Command::new("python3").arg("--version").output().is_err() {
        eprintln!("there is no python3 here: install the package python3");
        return;
    }
    ordain(dir.path(), &path, &["check", "model/main.cf", "--run-plugins"]);
    assert_eq!(marks(dir.path()), ["python", "venv"]);
}

#[test]
fn the_same_repository_runs_code_when_it_is_compiled() {
    let dir = repository();
    let path = std::env::var("PATH").unwrap();
    ordain(dir.path(), &path, &["compile", "."]);
    ordain(dir.path(), &path, &["merge", "template.yml"]);
    let found = marks(dir.path());
    for name in ["mcl", "dynaml"] {
        assert!(found.iter().any(|mark| mark == name), "{found:?}");
    }
}
