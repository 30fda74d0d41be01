//! Neovim with its file in `editors/`, and VS Code's library of the protocol, each driven by a script.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use ordain_testkit::peer;

/// Writes files below a directory.
fn writer(root: &Path) -> impl Fn(&str, &str) {
    move |name, text| {
        let path = root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

#[test]
fn neovim_is_served() {
    let installed = Command::new("nvim").arg("--version").output().is_ok();
    if !peer(installed, "neovim") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    let write = writer(&root);
    write("environment.conf", "modulepath = modules\n");
    write("modules/web/manifests/init.pp", "class web(Integer $port = 80) {\n  notice($port)\n}\n");
    write("manifests/site.pp", "class { 'web' : prot => 1 }\n");
    write("hiera.yaml", "version: 5\nhierarchy: [{name: all, path: 'common.yaml'}]\n");
    write("data/common.yaml", "web::port: 81\n");
    write("machine/etc/hostname", "web1\n");
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let out = root.join("out");
    let plugin = here.join("../../editors/neovim/ordain.lua");
    // The number of the server's process is not known otherwise.
    let ordain = env!("CARGO_BIN_EXE_ordain");
    write(
        "ordain",
        &format!("#!/bin/sh\necho $$ > {}/pid\nexec {ordain} \"$@\"\n", root.display()),
    );
    let program = root.join("ordain");
    std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    let command = format!("let g:ordain_command = '{}'", program.display());
    let mut nvim = Command::new("nvim");
    nvim.args(["--headless", "-u", "NONE", "-i", "NONE", "-n", "--cmd", &command]);
    nvim.args(["--cmd", "let g:ordain_options = {'node': 'web1'}"]);
    nvim.arg("--cmd").arg(format!("luafile {}", plugin.display()));
    let session = here.join("tests/cli/editor/session.lua");
    // A session that fails does not end the editor.
    nvim.arg("-c").arg(format!("luafile {}", session.display())).args(["-c", "cquit"]);
    nvim.arg(root.join("manifests/site.pp"));
    nvim.env("OUT", &out).env("HOME", &root).env("XDG_STATE_HOME", &root).stdin(Stdio::null());
    let done = nvim.output().unwrap();
    let found = std::fs::read_to_string(&out).unwrap_or_default();
    let wanted = "client ordain\n\
        diagnostics The class `web` has no parameter `prot`\n\
        hover ```puppet|class web (|  Integer $port = 80,|)|```\n\
        definition init.pp\n\
        outline class 'web'\n\
        hint = 81\n\
        fix Replace `prot` by `port`\n\
        corrected class { 'web' : port => 1 }\n\
        completion Integer $port = 80\n\
        renamed class { 'web' : number => 1 }\n\
        formatted class { 'web': number => 1 }\n\
        lenses 1 reference; used by 1 of 1 node; plan web1\n\
        plan Plan: nothing to change, 0 in place.\n\
        explained Class[Web].number = 1\n";
    assert_eq!(found, wanted, "{}", String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success());
    // The server ends with its editor.
    let pid = std::fs::read_to_string(root.join("pid")).unwrap();
    let process = Path::new("/proc").join(pid.trim());
    let ended = (0..200).any(|_| {
        std::thread::sleep(Duration::from_millis(50));
        !process.exists()
    });
    assert!(ended, "the server still runs");
}

/// The packages of npm that the session of VS Code's client needs, with their releases.
const PACKAGES: [&str; 2] =
    ["vscode-languageserver-protocol@3.17.5", "vscode-languageserver-textdocument@1.0.12"];

/// The directory with the packages, which are installed below `target` once. `None` without Node.js,
/// or where they cannot be fetched.
fn node_packages() -> Option<PathBuf> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("vscode-client");
    if !target.join("node_modules/vscode-languageserver-textdocument/package.json").exists() {
        let mut npm = Command::new("npm");
        npm.args(["install", "--silent", "--no-save", "--no-package-lock", "--prefix"]);
        let done = npm.arg(&target).args(PACKAGES).output().ok()?;
        if !done.status.success() {
            eprintln!("{}", String::from_utf8_lossy(&done.stderr));
            return None;
        }
    }
    Some(target)
}

#[test]
fn the_library_of_vs_code_is_served() {
    let packages = node_packages();
    if !peer(packages.is_some(), "npm, and the packages of the registry") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    let write = writer(&root);
    write("environment.conf", "modulepath = modules\n");
    write(
        "modules/web/manifests/init.pp",
        "class web(Integer $port = 80) {\n  notice( $port )\n}\n",
    );
    write("manifests/site.pp", "class { 'web' : prot => 1 }\n");
    write("machine/etc/hostname", "web1\n");
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut node = Command::new("node");
    node.arg(here.join("tests/cli/editor/session.mjs")).arg(env!("CARGO_BIN_EXE_ordain"));
    node.args(packages.as_deref()).arg(&root).env("ORDAIN_STATE_DIR", root.join("state"));
    let done = node.output().unwrap();
    let found = String::from_utf8_lossy(&done.stdout);
    let wanted = "server ordain\n\
        commands ordain.chooseNode ordain.plan ordain.explain\n\
        diagnostics The class `web` has no parameter `prot`\n\
        hover class web (\n\
        definition modules/web/manifests/init.pp\n\
        completion Integer $port = 80\n\
        fix Replace `prot` by `port`\n\
        corrected class { 'web' : port => 1 }\n\
        renamed class { 'web' : number => 1 } | class web(Integer $number = 80) { | 2 files\n\
        formatted class { 'web': number => 1 }\n\
        range class web(Integer $number = 80) {|  notice($number)|}|\n\
        lenses 1 reference; used by 1 of 1 node; plan web1\n\
        plan web1 true Plan: nothing to change, 0 in place.\n\
        explained web1 true Class[Web].number = 1\n\
        explained web1 false error[ordain::unknown-name]: there is no resource Class[Db]\n\
        ended 0\n";
    assert_eq!(found, wanted, "{}", String::from_utf8_lossy(&done.stderr));
}
