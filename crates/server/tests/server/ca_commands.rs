//! `puppetserver ca`, unmodified. `tests/beside-puppetserver` compares the same commands with those
//! of a real puppetserver.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use ordain_ca::GenerateOptions;
use ordain_testkit::golden::golden;
use ordain_testkit::peer::peer;

use crate::support::{TestServer, certificate_request, write};

const CODE: [(&str, &str); 1] = [("environments/production/manifests/site.pp", "")];

const COMMANDS: [&str; 22] = [
    "list",
    "list --format json",
    "list --all",
    "sign --certname a.example.org",
    "sign --certname a.example.org",
    "sign --certname b.example.org,missing.example.org --ttl 10d",
    "sign --all",
    "sign --all",
    "list --all",
    "list --certname a.example.org,missing.example.org",
    "list --certname a.example.org --format json",
    "revoke --certname a.example.org",
    "revoke --certname missing.example.org",
    "list --certname a.example.org",
    "clean --certname a.example.org",
    "clean --certname a.example.org",
    "clean --certname b.example.org,missing.example.org",
    "generate --certname new.example.org",
    "generate --certname alt.example.org --subject-alt-names alt,IP:192.0.2.1",
    "generate --certname admin2.example.org --ca-client",
    "list --all",
    "list --all --format json",
];

/// Runs a command and returns its output and exit code, without digests, dates and serial numbers.
fn run(conf: &Path, command: &str) -> String {
    let output = Command::new("puppetserver")
        .arg("ca")
        .args(command.split(' '))
        .arg("--config")
        .arg(conf)
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    let mut out = String::new();
    for line in text.lines().filter(|line| !line.contains("Permission denied")) {
        out.push_str(&without_digests(&without_moments(line)));
        out.push('\n');
    }
    let dir = conf.parent().unwrap().display().to_string();
    format!("{}exit code {}\n", out.replace(&dir, "[dir]"), output.status.code().unwrap_or(-1))
}

/// Replaces pairs of hexadecimal digits that colons join.
fn without_digests(line: &str) -> String {
    let is_digest = |word: &str| word.len() > 50 && word.split(':').all(|pair| pair.len() == 2);
    let words = line.split_inclusive(|c: char| !c.is_ascii_hexdigit() && c != ':');
    let short = |word: &str| {
        let end = word.trim_end_matches(|c: char| !c.is_ascii_hexdigit() && c != ':').len();
        match word.split_at(end) {
            (digest, rest) if is_digest(digest) => format!("[digest]{rest}"),
            _ => word.to_string(),
        }
    };
    words.map(short).collect()
}

/// Replaces dates and serial numbers in JSON documents.
fn without_moments(line: &str) -> String {
    let Ok(mut document) = serde_json::from_str::<serde_json::Value>(line) else {
        return line.to_string();
    };
    for state in ["requested", "signed", "revoked"] {
        let rows = document.get_mut(state).and_then(|rows| rows.as_array_mut());
        for row in rows.into_iter().flatten() {
            for key in ["not_after", "not_before", "serial_number"] {
                if let Some(value) = row.get_mut(key) {
                    *value = format!("[{key}]").into();
                }
            }
        }
    }
    serde_json::to_string_pretty(&document).unwrap()
}

fn has_commands() -> bool {
    let answer = Command::new("puppetserver").args(["ca", "--version"]).output();
    peer(answer.is_ok_and(|output| output.status.success()), "puppetserver")
}

#[test]
fn commands_of_puppetserver_administrate_the_authority() {
    if !has_commands() {
        return;
    }
    let server = TestServer::start(&CODE, |_| {});
    let ssl = server.path("ssl");
    let admin = server.generate("admin.example.org", |options| options.admin = true);
    write(&ssl.join("certs/admin.example.org.pem"), &admin.certificate.pem());
    write(&ssl.join("private_keys/admin.example.org.pem"), &admin.key_pem);
    let ca = std::fs::read_to_string(server.path("state/ca/ca_crt.pem")).unwrap();
    write(&ssl.join("certs/ca.pem"), &ca);
    let lists = std::fs::read_to_string(server.path("state/ca/ca_crl.pem")).unwrap();
    write(&ssl.join("crl.pem"), &lists);
    let conf = server.path("puppet.conf");
    let text = format!(
        "[main]\ncertname = admin.example.org\nserver = localhost\nserverport = {}\n\
         ssldir = {}\ncadir = {}\nkeylength = 2048\n",
        server.summary.address.port(),
        ssl.display(),
        server.path("no-ca").display()
    );
    write(&conf, &text);
    // Requests, as agents send them.
    for name in ["a.example.org", "b.example.org", "c.example.org"] {
        let made = certificate_request(name, "");
        let target = format!("/puppet-ca/v1/certificate_request/{name}");
        let mut client = server.connect(None).unwrap();
        assert_eq!(client.request("PUT", &target, &[], &made).unwrap().status, 200);
    }
    let mut transcript = String::new();
    for command in COMMANDS {
        let output = run(&conf, command);
        writeln!(transcript, "$ puppetserver ca {command}\n{output}").unwrap();
    }
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/server/ca_commands/transcript.txt");
    golden(1, |golden| golden.file(&path, &transcript));
    // The commands need an administrator's certificate.
    let other = server.ca().generate("other.example.org", &GenerateOptions::default()).unwrap();
    write(&ssl.join("certs/admin.example.org.pem"), &other.certificate.pem());
    write(&ssl.join("private_keys/admin.example.org.pem"), &other.key_pem);
    let refused = run(&conf, "list --all");
    assert!(refused.contains("code: 403") && refused.ends_with("exit code 1\n"), "{refused}");
}
