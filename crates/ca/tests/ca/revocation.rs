//! Revocation, renewal, and maintenance of revocation lists.

use std::time::Duration;

use crate::support::*;
use ordain_ca::{
    CaError, Certificate, CertificateState, ErrorKind, Existing, GenerateOptions, NodeIdentity,
    Settings, SignOptions,
};

fn renewing(clock: &TestClock) -> Settings {
    Settings { allow_auto_renewal: true, ..clock.settings() }
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

#[test]
fn revoked_certificates_are_refused_by_openssl() {
    if !has_openssl() {
        return;
    }
    let fixture = Fixture::new(Settings::default());
    let (web, db) = (fixture.enrol("web"), fixture.enrol("db"));
    let outcome = fixture.ca.revoke(&names(&["web", "none", "../web"])).unwrap();
    assert_eq!(outcome.revoked, ["web"]);
    assert_eq!(outcome.not_found, ["none", "../web"]);
    assert!(verify(&fixture.ca, &web.pem()).unwrap_err().contains("certificate revoked"));
    verify(&fixture.ca, &db.pem()).unwrap();
    assert!(matches!(fixture.ca.identify(web.der()), Err(CaError::Revoked(_))));
    assert_eq!(fixture.ca.identify(db.der()).unwrap().serial, db.serial());
    // The file stays, and revoking again changes nothing.
    let before = fixture.ca.crl().unwrap();
    fixture.ca.revoke(&names(&["web"])).unwrap();
    assert_eq!(fixture.ca.crl().unwrap().pem, before.pem);
    let status = fixture.ca.status("web").unwrap().unwrap();
    assert_eq!(status.state, CertificateState::Revoked);
}

#[test]
fn all_certificates_of_a_name_are_revoked() {
    if !has_openssl() {
        return;
    }
    let clock = TestClock::new(NOON);
    let fixture = Fixture::new(renewing(&clock));
    let first = fixture.enrol("web");
    let second = fixture.ca.renew_presented(first.der()).unwrap();
    let third = fixture.ca.renew_presented(second.der()).unwrap();
    // A node may present an old certificate again.
    let fourth = fixture.ca.renew_presented(first.der()).unwrap();
    let all = [&first, &second, &third, &fourth];
    let serials: std::collections::HashSet<_> = all.iter().map(|c| c.serial()).collect();
    assert_eq!(serials.len(), 4);
    assert!(all.iter().all(|c| fixture.ca.identify(c.der()).is_ok()));
    fixture.ca.revoke(&names(&["web"])).unwrap();
    for certificate in all {
        assert!(matches!(fixture.ca.identify(certificate.der()), Err(CaError::Revoked(_))));
        let error = fixture.ca.renew_presented(certificate.der()).unwrap_err();
        assert!(matches!(error, CaError::Revoked(_)), "{error}");
        assert_eq!(error.kind(), ErrorKind::Forbidden);
    }
    assert!(matches!(fixture.ca.renew("web", None), Err(CaError::Revoked(_))));
}

#[test]
fn certificates_without_inventory_are_revoked() {
    if !has_openssl() {
        return;
    }
    let fixture = Fixture::new(Settings::default());
    let web = fixture.enrol("web");
    std::fs::write(fixture.dir().join("inventory.txt"), "").unwrap();
    fixture.ca.revoke(&names(&["web"])).unwrap();
    assert!(fixture.ca.is_revoked(&web).unwrap());
}

#[test]
fn renewal_keeps_key_and_extensions() {
    if !has_openssl() {
        return;
    }
    let clock = TestClock::new(NOON);
    let fixture = Fixture::new(renewing(&clock));
    let request = csr("web", "1.3.6.1.4.1.34380.1.1.13=ASN1:UTF8:db");
    fixture.ca.submit("web", request.as_bytes()).unwrap();
    let old = fixture.ca.sign("web", &SignOptions::default()).unwrap();
    clock.forward(10);
    let new = fixture.ca.renew_presented(old.der()).unwrap();
    assert_ne!(old.serial(), new.serial());
    assert_eq!(new.not_after().as_second(), NOON + 70 * 86_400);
    let lines = |c: &Certificate| {
        let text = describe(&c.pem());
        let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
        lines.retain(|line| !line.contains("Serial Number"));
        lines.sort();
        lines
    };
    assert_eq!(lines(&old), lines(&new));
    let stored = fixture.ca.certificate_pem("web").unwrap().unwrap();
    assert_eq!(stored, new.pem().as_bytes());
    let identity = NodeIdentity::of(&new).unwrap();
    assert_eq!(identity.extensions["pp_role"], "db");
}

#[test]
fn renewal_is_refused() {
    if !has_openssl() {
        return;
    }
    let clock = TestClock::new(NOON);
    let fixture = Fixture::new(clock.settings());
    let web = fixture.enrol("web");
    let error = fixture.ca.renew_presented(web.der()).unwrap_err();
    assert!(matches!(error, CaError::RenewalDisabled));
    assert_eq!(error.kind(), ErrorKind::NotFound);

    let ca = fixture.reopen(renewing(&clock));
    let other = Fixture::new(renewing(&clock));
    let foreign = other.enrol("web");
    // The other authority has the same name, but another key.
    assert!(matches!(ca.renew_presented(foreign.der()), Err(CaError::ForeignCertificate(_))));
    assert!(matches!(ca.identify(foreign.der()), Err(CaError::ForeignCertificate(_))));
    let own = ca.certificate();
    assert!(ca.identify(own.der()).is_err());
    assert!(ca.renew_presented(own.der()).is_err());
    assert!(ca.renew_presented(b"").is_err());
    clock.forward(6 * 365);
    assert!(matches!(ca.renew_presented(web.der()), Err(CaError::NotValidNow(_))));
    assert!(matches!(ca.renew("web", None), Err(CaError::NotValidNow(_))));
    assert!(matches!(ca.renew("none", None), Err(CaError::NoCertificate(_))));
}

#[test]
fn agents_that_renew_get_short_certificates() {
    if !has_openssl() {
        return;
    }
    let clock = TestClock::new(NOON);
    let fixture = Fixture::new(renewing(&clock));
    for (name, attributes, days) in
        [("auto", "1.3.6.1.4.1.34380.1.3.2=true", 60), ("other", "", 5 * 365)]
    {
        let request = csr_with("ec", name, "", attributes);
        fixture.ca.submit(name, request.as_bytes()).unwrap();
        let certificate = fixture.ca.sign(name, &SignOptions::default()).unwrap();
        assert_eq!(certificate.not_after().as_second(), NOON + days * 86_400, "{name}");
    }
}

#[test]
fn clean_makes_room_for_a_new_request() {
    if !has_openssl() {
        return;
    }
    let fixture = Fixture::new(Settings::default());
    let old = fixture.enrol("web");
    fixture.ca.submit("waits", csr("waits", "").as_bytes()).unwrap();
    let outcome = fixture.ca.clean(&names(&["web", "waits", "none"])).unwrap();
    assert_eq!(outcome.revoked, ["web"]);
    assert_eq!(outcome.not_found, ["none"]);
    assert!(fixture.ca.status("web").unwrap().is_none());
    assert!(fixture.ca.status("waits").unwrap().is_none());
    let new = fixture.enrol("web");
    assert!(fixture.ca.identify(old.der()).is_err());
    fixture.ca.identify(new.der()).unwrap();
    // Only the inventory knows the older certificate.
    fixture.ca.revoke(&names(&["web"])).unwrap();
    assert!(fixture.ca.is_revoked(&new).unwrap());
}

#[test]
fn lists_are_pruned_and_made_anew() {
    if !has_openssl() {
        return;
    }
    let clock = TestClock::new(NOON);
    let fixture = Fixture::new(clock.settings());
    fixture.ca.submit("short", csr("short", "").as_bytes()).unwrap();
    let ttl = Some(Duration::from_secs(5 * 86_400));
    let short = fixture.ca.sign("short", &SignOptions { ttl, ..SignOptions::default() }).unwrap();
    let long = fixture.enrol("long");
    fixture.ca.revoke(&names(&["short", "long"])).unwrap();
    assert_eq!(fixture.ca.prune().unwrap(), 0);
    clock.forward(6);
    assert_eq!(fixture.ca.prune().unwrap(), 1);
    assert!(!fixture.ca.is_revoked(&short).unwrap());
    assert!(fixture.ca.is_revoked(&long).unwrap());

    assert!(!fixture.ca.refresh_crl().unwrap());
    let expires = |name: &str| fixture.ca.expirations().unwrap().lists[name].clone();
    let before = expires("Test CA");
    clock.forward(5 * 365 - 31 - 6);
    assert!(!fixture.ca.refresh_crl().unwrap());
    clock.forward(8);
    assert!(fixture.ca.refresh_crl().unwrap());
    assert!(expires("Test CA") > before);
    assert!(fixture.ca.is_revoked(&long).unwrap());
}

#[test]
fn other_processes_see_changes_at_once() {
    if !has_openssl() {
        return;
    }
    let fixture = Fixture::new(Settings::default());
    let web = fixture.enrol("web");
    let other = fixture.reopen(Settings::default());
    assert!(!other.is_revoked(&web).unwrap());
    fixture.ca.revoke(&names(&["web"])).unwrap();
    assert!(other.is_revoked(&web).unwrap());
    assert_eq!(other.crl().unwrap().pem, fixture.ca.crl().unwrap().pem);
    // Without lists, no peer may be accepted.
    std::fs::remove_file(fixture.dir().join("ca_crl.pem")).unwrap();
    assert!(other.is_revoked(&web).is_err());
    assert!(other.identify(web.der()).is_err());
}

#[test]
fn servers_get_a_key_with_their_certificate() {
    if !has_openssl() {
        return;
    }
    let fixture = Fixture::new(Settings::default());
    let options = GenerateOptions {
        alt_names: names(&["puppet", "DNS:puppet.example.org", "IP:192.0.2.7"]),
        extensions: vec![("pp_role".into(), "server".into())],
        admin: true,
        ..GenerateOptions::default()
    };
    let made = fixture.ca.generate("server", &options).unwrap();
    verify(&fixture.ca, &made.certificate.pem()).unwrap();
    let identity = fixture.ca.identify(made.certificate.der()).unwrap();
    assert!(identity.is_admin);
    assert_eq!(identity.extensions["pp_role"], "server");
    let dir = tempfile::tempdir().unwrap();
    let key = dir.path().join("key.pem");
    std::fs::write(&key, &made.key_pem).unwrap();
    let public = openssl_ok(&["pkey", "-in", key.to_str().unwrap(), "-pubout"]);
    assert_eq!(public, made.public_key_pem);
    let again = fixture.ca.generate("server", &GenerateOptions::default()).unwrap_err();
    assert!(matches!(again, CaError::Duplicate { .. }));
    let beside = GenerateOptions { existing: Existing::Keep, ..GenerateOptions::default() };
    let beside = fixture.ca.generate("server", &beside).unwrap();
    assert!(!fixture.ca.is_revoked(&made.certificate).unwrap());
    let replaced = GenerateOptions { existing: Existing::Revoke, ..GenerateOptions::default() };
    let new = fixture.ca.generate("server", &replaced).unwrap();
    assert!(fixture.ca.is_revoked(&made.certificate).unwrap());
    assert!(fixture.ca.is_revoked(&beside.certificate).unwrap());
    assert!(!fixture.ca.identify(new.certificate.der()).unwrap().is_admin);
    for bad in ["*.example.org", "IP:none", "a b", ""] {
        let options = GenerateOptions { alt_names: names(&[bad]), ..GenerateOptions::default() };
        assert!(fixture.ca.generate("other", &options).is_err(), "{bad}");
    }
    let foreign = vec![("2.5.29.19".to_string(), "x".to_string())];
    let options = GenerateOptions { extensions: foreign, ..GenerateOptions::default() };
    assert!(fixture.ca.generate("other", &options).is_err());
}

#[test]
fn statuses_have_the_shape_of_puppetserver() {
    if !has_openssl() {
        return;
    }
    let clock = TestClock::new(NOON);
    let settings = Settings {
        allow_subject_alt_names: true,
        allow_authorization_extensions: true,
        ..clock.settings()
    };
    let fixture = Fixture::new(settings);
    let extensions =
        "subjectAltName=DNS:puppet,IP:192.0.2.1\n1.3.6.1.4.1.34380.1.3.13=ASN1:UTF8:ops";
    fixture.ca.submit("web", csr("web", extensions).as_bytes()).unwrap();
    fixture.ca.sign("web", &SignOptions::default()).unwrap();
    fixture.ca.submit("waits", csr("waits", extensions).as_bytes()).unwrap();
    let all = fixture.ca.statuses(None).unwrap();
    let mut text = serde_json::to_string_pretty(&all).unwrap();
    for status in &all {
        for digest in
            [&status.fingerprints.sha1, &status.fingerprints.sha256, &status.fingerprints.sha512]
        {
            let length = digest.len();
            text = text.replace(digest.as_str(), &format!("[{length} characters]"));
        }
    }
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/status.json");
    ordain_testkit::golden(1, |golden| golden.file(&path, &format!("{text}\n")));
    let some = |state| fixture.ca.statuses(Some(state)).unwrap().len();
    assert_eq!(some(CertificateState::Requested), 1);
    assert_eq!(some(CertificateState::Signed), 1);
    assert_eq!(some(CertificateState::Revoked), 0);
    // `openssl` computes the same digest.
    let pem = fixture.dir().join("signed/web.pem");
    let args = ["x509", "-noout", "-fingerprint", "-sha256", "-in", pem.to_str().unwrap()];
    let web = fixture.ca.status("web").unwrap().unwrap();
    assert_eq!(openssl_ok(&args).trim(), format!("sha256 Fingerprint={}", web.fingerprint));
}

#[test]
fn a_copy_follows_the_lists_of_its_original() {
    if !has_openssl() {
        return;
    }
    let fixture = Fixture::new(Settings::default());
    let web = fixture.enrol("web");
    let dir = tempfile::tempdir().unwrap();
    let copy = ordain_ca::CertificateAuthority::restore(
        &dir.path().join("copy"),
        &fixture.dir(),
        Settings::default(),
    );
    let copy = copy.unwrap();
    // A certificate for a name that has one revokes the other one: the copy signs a list.
    let replace = || GenerateOptions { existing: Existing::Revoke, ..GenerateOptions::default() };
    copy.generate("web", &replace()).unwrap();
    assert!(copy.is_revoked(&web).unwrap());
    let before = fixture.ca.crl().unwrap();
    copy.follow_crls(before.pem.as_bytes()).unwrap();
    assert!(!copy.is_revoked(&web).unwrap());
    fixture.ca.revoke(&names(&["web"])).unwrap();
    let after = fixture.ca.crl().unwrap();
    copy.import_crls(after.pem.as_bytes()).unwrap();
    assert!(!copy.is_revoked(&web).unwrap(), "an own list is not imported");
    copy.follow_crls(after.pem.as_bytes()).unwrap();
    assert!(copy.is_revoked(&web).unwrap());
    assert!(copy.follow_crls(b"no list").is_err());
    let other = Fixture::new(Settings::default());
    // The list of another authority is none of the chain.
    copy.follow_crls(other.ca.crl().unwrap().pem.as_bytes()).unwrap();
    assert!(copy.is_revoked(&web).unwrap());
}
