//! Types and providers in the provider process: pages of `tests/execution` hold the files of a
//! module, the requests to the process, and its answers. `ORDAIN_BLESS=1` writes the actual answers
//! into the pages.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use ordain_testkit::golden::golden;

const PAGES: usize = 9;

#[test]
fn pages() {
    let is_installed =
        Command::new("ruby").arg("-v").output().is_ok_and(|out| out.status.success());
    if !ordain_testkit::peer(is_installed, "ruby") {
        return;
    }
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/execution");
    let mut pages: Vec<_> = dir.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    pages.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    pages.sort();
    golden(PAGES, |golden| {
        for page in &pages {
            golden.page(page, |text| run(&dir, text));
        }
    });
}

/// The page with the answers of a new process.
fn run(dir: &Path, text: &str) -> String {
    let mut child = Command::new("ruby")
        .arg("-W0")
        .arg(dir.join("page.rb"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let out = child.wait_with_output().unwrap();
    assert!(out.status.success(), "the page did not run to its end");
    String::from_utf8(out.stdout).unwrap()
}
