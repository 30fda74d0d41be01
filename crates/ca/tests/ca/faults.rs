//! Crashes between the steps of a change, and several processes at once.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::support::*;
use ordain_ca::{
    Certificate, CertificateAuthority, CreateOptions, Existing, GenerateOptions, Settings,
    SignOptions,
};

/// The directory of the authority for [`worker`].
const DIR: &str = "ORDAIN_CA_TEST_DIR";
/// The prefix of the names that [`worker`] signs.
const PREFIX: &str = "ORDAIN_CA_TEST_PREFIX";

/// Not a test: tests start it as a child process. It signs certificates and revokes every third
/// one.
#[test]
#[ignore = "the other tests start it as a child process"]
fn worker() {
    let Some(dir) = std::env::var_os(DIR) else { return };
    let prefix = std::env::var(PREFIX).unwrap();
    let ca = CertificateAuthority::open(Path::new(&dir), Settings::default()).unwrap();
    for number in 0..40 {
        let name = format!("{prefix}{number}");
        ca.generate(&name, &GenerateOptions::default()).unwrap();
        if number % 3 == 0 {
            ca.revoke(std::slice::from_ref(&name)).unwrap();
        }
    }
}

fn start_worker(dir: &Path, prefix: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "faults::worker", "--ignored"])
        .env(DIR, dir)
        .env(PREFIX, prefix)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Checks the invariants: each certificate is in the inventory, no serial number occurs
/// twice, and the next one is free.
fn check(dir: &Path) -> CertificateAuthority {
    let ca = CertificateAuthority::open(dir, Settings::default()).unwrap();
    let inventory = fs::read_to_string(dir.join("inventory.txt")).unwrap();
    let lines: Vec<&str> = inventory.lines().map(|line| line.split(' ').next().unwrap()).collect();
    let unique: HashSet<&str> = lines.iter().copied().collect();
    assert_eq!(unique.len(), lines.len(), "a serial number occurs twice");
    for entry in fs::read_dir(dir.join("signed")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "pem") {
            let certificate = Certificate::from_pem(&fs::read(&path).unwrap()).unwrap();
            let serial = format!("0x{}", certificate.serial().to_string().to_lowercase());
            assert!(unique.contains(serial.as_str()), "{serial} is not in the inventory");
        }
    }
    let made =
        ca.generate("probe", &GenerateOptions { existing: Existing::Revoke, ..Default::default() });
    let serial = format!("0x{}", made.unwrap().certificate.serial().to_string().to_lowercase());
    assert!(!unique.contains(serial.as_str()), "{serial} is used again");
    ca
}

#[test]
fn processes_share_a_directory() {
    let fixture = Fixture::new(Settings::default());
    let mut workers = [start_worker(&fixture.dir(), "a"), start_worker(&fixture.dir(), "b")];
    for worker in &mut workers {
        assert!(worker.wait().unwrap().success());
    }
    check(&fixture.dir());
    // `check` signed one more.
    assert_eq!(fixture.ca.statuses(None).unwrap().len(), 81);
    let revoked = fixture.ca.statuses(Some(ordain_ca::CertificateState::Revoked)).unwrap();
    assert_eq!(revoked.len(), 28);
}

#[test]
fn threads_share_an_authority() {
    let fixture = Fixture::new(Settings::default());
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let ca = &fixture.ca;
            scope.spawn(move || {
                for number in 0..10 {
                    let name = format!("t{thread}-{number}");
                    ca.generate(&name, &GenerateOptions::default()).unwrap();
                }
            });
        }
    });
    assert_eq!(fixture.ca.statuses(None).unwrap().len(), 40);
    check(&fixture.dir());
}

#[test]
fn killed_processes_leave_a_whole_directory() {
    let fixture = Fixture::new(Settings::default());
    for round in 0..12 {
        let mut worker = start_worker(&fixture.dir(), &format!("k{round}-"));
        std::thread::sleep(Duration::from_millis(15 + round * 17));
        // The worker may have ended already.
        let _ = worker.kill();
        worker.wait().unwrap();
        check(&fixture.dir());
    }
    // Enough rounds were interrupted halfway.
    assert!(fixture.ca.statuses(None).unwrap().len() > 12);
}

#[test]
fn interrupted_signing_goes_on() {
    if !has_openssl() {
        return;
    }
    let fixture = Fixture::new(Settings::default());
    let request = csr("web", "");
    fixture.ca.submit("web", request.as_bytes()).unwrap();
    let dir = fixture.dir();
    let lost = fixture.ca.sign("web", &SignOptions::default()).unwrap();
    // As if the process had ended after it appended the line.
    fs::remove_file(dir.join("signed/web.pem")).unwrap();
    fs::write(dir.join("requests/web.pem"), &request).unwrap();
    // As if another process had ended while it appended the next line.
    let mut inventory = fs::read_to_string(dir.join("inventory.txt")).unwrap();
    inventory.push_str("0x0003 2026-11-2");
    fs::write(dir.join("inventory.txt"), &inventory).unwrap();
    // The number is taken before the line is written.
    fs::write(dir.join("serial"), "0004").unwrap();
    let ca = check(&dir);
    let signed = ca.sign("web", &SignOptions::default()).unwrap();
    assert_ne!(signed.serial(), lost.serial());
    let text = fs::read_to_string(dir.join("inventory.txt")).unwrap();
    assert!(!text.contains("2026-11-2\n") && !text.contains("2026-11-20x"), "{text}");
    // Revocation covers the certificate that was never delivered.
    ca.revoke(&["web".to_string()]).unwrap();
    assert!(ca.is_revoked(&lost).unwrap() && ca.is_revoked(&signed).unwrap());
}

#[test]
fn serial_numbers_survive_an_old_serial_file() {
    let fixture = Fixture::new(Settings::default());
    for name in ["a", "b", "c"] {
        fixture.ca.generate(name, &GenerateOptions::default()).unwrap();
    }
    fs::write(fixture.dir().join("serial"), "0002").unwrap();
    check(&fixture.dir());
    fs::write(fixture.dir().join("serial"), "nonsense").unwrap();
    let ca = fixture.reopen(Settings::default());
    let error = ca.generate("d", &GenerateOptions::default()).unwrap_err();
    assert!(error.to_string().contains("serial"), "{error}");
}

#[test]
fn interrupted_creation_is_noticed() {
    let fixture = Fixture::new(Settings::default());
    fs::remove_file(fixture.dir().join("ca_crt.pem")).unwrap();
    let error = CertificateAuthority::open(&fixture.dir(), Settings::default()).unwrap_err();
    assert!(error.to_string().contains("missing: ca_crt.pem"), "{error}");
    assert!(!CertificateAuthority::exists(&fixture.dir()));
    // No certificate was signed, so creating the authority again loses nothing.
    let again = CertificateAuthority::create(
        &fixture.dir(),
        &CreateOptions::default(),
        Settings::default(),
    );
    again.unwrap().generate("web", &GenerateOptions::default()).unwrap();
    fs::remove_file(fixture.dir().join("ca_crt.pem")).unwrap();
    let error = CertificateAuthority::create(
        &fixture.dir(),
        &CreateOptions::default(),
        Settings::default(),
    );
    assert!(matches!(error, Err(ordain_ca::CaError::Exists(_))));
}

#[test]
fn damaged_files_are_named() {
    for (file, text) in [
        ("ca_crt.pem", "nonsense"),
        ("ca_crt.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"),
        ("ca_key.pem", "nonsense"),
        ("ca_key.pem", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"),
        (
            "ca_key.pem",
            "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n",
        ),
        ("ca_crl.pem", ""),
        ("ca_crl.pem", "-----BEGIN X509 CRL-----\n"),
    ] {
        let fixture = Fixture::new(Settings::default());
        fs::write(fixture.dir().join(file), text).unwrap();
        let error = CertificateAuthority::open(&fixture.dir(), Settings::default()).unwrap_err();
        assert!(error.to_string().contains(file), "{file}: {error}");
    }
    // Replace files with those of another authority.
    for file in ["ca_key.pem", "ca_crl.pem"] {
        let (fixture, other) =
            (Fixture::new(Settings::default()), Fixture::new(Settings::default()));
        fs::copy(other.dir().join(file), fixture.dir().join(file)).unwrap();
        let error = CertificateAuthority::open(&fixture.dir(), Settings::default()).unwrap_err();
        assert!(matches!(error, ordain_ca::CaError::Mismatch(_)), "{file}: {error}");
    }
}

#[test]
fn readable_keys_are_protected() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = Fixture::new(Settings::default());
    let key = fixture.dir().join("ca_key.pem");
    for (before, after) in [(0o644, 0o640), (0o640, 0o640), (0o666, 0o640), (0o600, 0o600)] {
        fs::set_permissions(&key, fs::Permissions::from_mode(before)).unwrap();
        fixture.reopen(Settings::default());
        assert_eq!(mode(&key), after);
    }
}
