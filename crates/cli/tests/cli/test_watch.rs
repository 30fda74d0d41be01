//! `ordain test --watch` with the real program: sources that are edited while it runs.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// Longer than any run; only a hang takes this long.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A process that ends with the test, also with one that fails.
struct Watching(Child);

impl Drop for Watching {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn write(dir: &Path, name: &str, text: &str) {
    let path = dir.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn test_of(module: &str) -> String {
    format!(
        "tests:\n  - name: {module}\n    code: include {module}\n    expect:\n      resources: \
         [\"Notify[{module}]\"]\n"
    )
}

#[test]
fn changes_run_the_affected_tests() {
    let dir = tempfile::tempdir().unwrap();
    for module in ["one", "two"] {
        let root = format!("{module}/");
        write(
            dir.path(),
            &format!("{root}metadata.json"),
            &format!("{{\"name\": \"me-{module}\"}}"),
        );
        let code = format!("class {module} {{ notify {{ '{module}': }} }}\n");
        write(dir.path(), &format!("{root}manifests/init.pp"), &code);
        write(dir.path(), &format!("{root}tests/{module}.test.yaml"), &test_of(module));
    }
    let child = Command::new(env!("CARGO_BIN_EXE_ordain"))
        .args(["test", "--watch"])
        .current_dir(dir.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut watching = Watching(child);
    let out = BufReader::new(watching.0.stdout.take().unwrap());
    let (sender, lines) = channel();
    std::thread::spawn(move || {
        out.lines().map_while(Result::ok).for_each(|line| _ = sender.send(line));
    });
    // Each run ends with an empty line.
    let run = || {
        let all = std::iter::repeat_with(|| lines.recv_timeout(TIMEOUT).unwrap());
        all.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(run(), "ran 2 tests\n2 tests passed");
    write(dir.path(), "one/manifests/init.pp", "class one { notify { 'other': } }\n");
    let failed = run();
    assert!(failed.starts_with("ran 1 test\nFAILED  one\n"), "{failed}");
    // The failure ends with an empty line, too.
    assert_eq!(run(), "1 of 2 tests passed, 1 failed");
    write(dir.path(), "one/manifests/init.pp", "class one { notify { 'one': } }\n");
    assert_eq!(run(), "ran 1 test\n2 tests passed");
    write(dir.path(), "two/tests/more.test.yaml", &test_of("two"));
    assert_eq!(run(), "ran 1 test\n3 tests passed");
    kill(Pid::from_raw(watching.0.id().cast_signed()), Signal::SIGINT).unwrap();
    assert!(!watching.0.wait().unwrap().success());
}
