//! Values that eyaml encrypted with GPG, opened by the `gpg` of the machine with a key that the
//! test makes. Without `gpg` the test says so and passes, except when the variable `CI` is set.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use ordain_functions::base64::{Mode, encode};
use ordain_puppet::eval::Settings;
use ordain_puppet::load::{Environment, Options, Site};
use ordain_puppet::session::Node;
use ordain_puppet::session::evaluate;
use ordain_puppet::value::Value;
use ordain_source::HostWorld;

fn gpg(home: &Path, args: &[&str], input: &[u8]) -> Vec<u8> {
    let mut command = Command::new("gpg");
    command.arg("--homedir").arg(home).args(["--batch", "--no-tty", "--quiet"]).args(args);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// A home directory with a key for `hiera`.
fn home_with_key(home: &Path) {
    std::fs::create_dir(home).unwrap();
    let make = ["--passphrase", "", "--quick-generate-key", "hiera", "rsa2048", "encr", "never"];
    gpg(home, &make, b"");
}

/// Ends the agent that `gpg` has started for a home directory.
fn stop_agent(home: &Path) {
    let mut stop = Command::new("gpgconf");
    stop.arg("--homedir").arg(home).args(["--kill", "all"]).status().unwrap();
}

fn lookup(env: &Environment, key: &str) -> Result<Value, String> {
    let node = Node { name: "test".into(), ..Node::default() };
    let code = format!("lookup('{key}')");
    let found = evaluate(env, Settings::default(), &node, Path::new("code.pp"), &code);
    found.value.ok_or_else(|| found.report.error.unwrap().message.to_string())
}

#[test]
fn gpg_decrypts_its_own_output() {
    let is_installed = Command::new("gpg").arg("--version").output().is_ok();
    if !ordain_testkit::peer(is_installed, "gnupg") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let (home, other) = (dir.path().join("home"), dir.path().join("other"));
    home_with_key(&home);
    home_with_key(&other);
    let seal = |home: &Path, text: &str| {
        let args = ["--trust-model", "always", "--recipient", "hiera", "--encrypt"];
        format!("ENC[GPG,{}]", encode(&gpg(home, &args, text.as_bytes()), Mode::Strict))
    };
    let data = format!(
        "one: {}\ntwo: user {} has {}\nforeign: {}\nkms: ENC[KMS,AAAA]\n",
        seal(&home, "gr\u{fc}n\n"),
        seal(&home, "bob"),
        seal(&home, "pass"),
        seal(&other, "hidden text"),
    );
    let level = |name: &str, options: String| {
        format!(
            "  - name: {name}\n    lookup_key: eyaml_lookup_key\n    path: {name}.eyaml\n{options}"
        )
    };
    let home_option = |home: &Path| format!("    options: {{gpg_gnupghome: {}}}\n", home.display());
    let hiera = format!(
        "version: 5\nhierarchy:\n{}{}{}",
        level("sealed", home_option(&home)),
        level("nowhere", home_option(&dir.path().join("gone"))),
        level("unset", String::new()),
    );
    for (path, text) in [
        ("hiera.yaml", hiera),
        ("data/sealed.eyaml", data),
        ("data/nowhere.eyaml", "nowhere: ENC[GPG,AAAA]\n".to_owned()),
        ("data/unset.eyaml", "unset: ENC[GPG,AAAA]\n".to_owned()),
    ] {
        let path = dir.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let options = Options {
        dir: Some(dir.path().to_path_buf()),
        ..Options::new(Arc::new(HostWorld::new()), Site::Nothing)
    };
    let env = Environment::open(options).ok().unwrap().0;
    assert_eq!(lookup(&env, "one"), Ok(Value::str("gr\u{fc}n")));
    assert_eq!(lookup(&env, "two"), Ok(Value::str("user bob has pass")));
    for (key, why) in [
        ("foreign", "gpg: decryption failed: No secret key"),
        ("kms", "the plugin hiera-eyaml-kms cannot be loaded by ruby"),
        ("nowhere", "doesn't exist, check gpg_gnupghome"),
        ("unset", "No GPG home directory configured"),
    ] {
        let error = lookup(&env, key).unwrap_err();
        assert!(error.contains(why) && !error.contains("hidden"), "{error}");
    }
    stop_agent(&home);
    stop_agent(&other);
}
