//! Requests that are signed, and requests that are refused.

use std::fs;
use std::path::Path;

use crate::support::*;
use ordain_ca::{
    Autosign, CaError, ErrorKind, KeyAlgorithm, NodeIdentity, Settings, SignOptions, Submission,
};
use ordain_testkit::golden::golden;

#[test]
fn openssl_accepts_what_is_signed() {
    if !has_openssl() {
        return;
    }
    let fixture = Fixture::new(Settings::default());
    for (at, key) in ["ec", "p384", "ed25519", "2048", "4096"].iter().enumerate() {
        let name = format!("n{at}.example.org");
        fixture.ca.submit(&name, csr_with(key, &name, "", "").as_bytes()).unwrap();
        let certificate = fixture.ca.sign(&name, &SignOptions::default()).unwrap();
        verify(&fixture.ca, &certificate.pem()).unwrap();
        assert_eq!(fixture.ca.identify(certificate.der()).unwrap().certname.as_str(), name);
    }
    for name in ["ca_key.pem", ".ordain.lock"] {
        assert_eq!(mode(&fixture.dir().join(name)), 0o600, "{name}");
    }
    assert_eq!(mode(&fixture.dir()), 0o750);
}

#[test]
fn rsa_authority_signs() {
    if !has_openssl() {
        return;
    }
    let temp = tempfile::tempdir().unwrap();
    let options = ordain_ca::CreateOptions { key: KeyAlgorithm::Rsa4096, ..Default::default() };
    let dir = temp.path().join("ca");
    let ca = ordain_ca::CertificateAuthority::create(&dir, &options, Settings::default()).unwrap();
    ca.submit("web", csr("web", "").as_bytes()).unwrap();
    let certificate = ca.sign("web", &SignOptions::default()).unwrap();
    verify(&ca, &certificate.pem()).unwrap();
    ca.revoke(&["web".into()]).unwrap();
    assert!(verify(&ca, &certificate.pem()).unwrap_err().contains("certificate revoked"));
}

/// Each file in `tests/requests` has lines of extensions and, after `---`, the result: the
/// certificate as `openssl` prints it, or the error.
#[test]
fn extensions_of_requests() {
    if !has_openssl() {
        return;
    }
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/requests");
    golden(12, |golden| {
        for path in ordain_testkit::golden::files(&cases, &["txt"]) {
            golden.page(&path, |text| {
                let (input, _) = text.split_once("---\n").unwrap_or((text, ""));
                format!("{input}---\n{}", outcome(input))
            });
        }
    });
}

/// Signs a request with the extensions and settings of a case.
fn outcome(input: &str) -> String {
    let (flags, extensions): (Vec<&str>, Vec<&str>) =
        input.lines().partition(|line| line.starts_with('#'));
    let has = |flag: &str| flags.iter().any(|line| line.contains(flag));
    let settings = Settings {
        allow_subject_alt_names: has("allow-subject-alt-names"),
        allow_authorization_extensions: has("allow-authorization-extensions"),
        ..TestClock::new(NOON).settings()
    };
    let fixture = Fixture::new(settings);
    let request = csr("web.example.org", &extensions.join("\n"));
    let signed = fixture
        .ca
        .submit("web.example.org", request.as_bytes())
        .and_then(|_| fixture.ca.sign("web.example.org", &SignOptions::default()));
    match signed {
        Ok(certificate) => without_key_ids(&describe(&certificate.pem())),
        Err(error) => {
            assert!(fixture.ca.certificate_pem("web.example.org").unwrap().is_none());
            format!("error: {error}\n")
        }
    }
}

/// Replaces key identifiers, which differ between runs.
fn without_key_ids(text: &str) -> String {
    let is_id =
        |line: &str| line.len() > 50 && line.bytes().all(|b| b == b':' || b.is_ascii_hexdigit());
    let lines = text.lines().map(|line| {
        let body = line.trim();
        if is_id(body) { line.replace(body, "[key id]") } else { line.trim_end().to_string() }
    });
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

#[test]
fn names_are_checked() {
    if !has_openssl() {
        return;
    }
    let fixture = Fixture::new(Settings { autosign: Autosign::All, ..Settings::default() });
    let long = "a".repeat(241);
    let table: &[(&str, &str, bool)] = &[
        // The name in the URL, the common name, whether the request is signed.
        ("web.example.org", "web.example.org", true),
        ("web_1", "web_1", true),
        ("_web", "_web", true),
        ("com", "com", true),
        ("example.com", "example.com", true),
        ("host.example.com", "host.example.com", true),
        ("1.2.3.4", "1.2.3.4", true),
        ("WEB.example.org", "WEB.example.org", false),
        ("web2.example.org", "WEB2.example.org", false),
        ("host.example.com", "com", false),
        ("com", "host.example.com", false),
        ("*.example.org", "*.example.org", false),
        ("*", "*", false),
        ("a/b", "a/b", false),
        ("/etc/passwd", "/etc/passwd", false),
        ("..", "..", false),
        ("../signed/x", "../signed/x", false),
        ("web..org", "web..org", false),
        ("web.", "web.", false),
        (".web", ".web", false),
        ("-web", "-web", false),
        ("web-", "web-", false),
        ("web-.org", "web-.org", false),
        ("web org", "web org", false),
        ("wéb", "wéb", false),
        ("ｗeb", "ｗeb", false),
        ("xn--wb-bja", "xn--wb-bja", true),
        ("ca", "ca", false),
        ("web\u{200b}", "web\u{200b}", false),
        ("/re/", "/re/", false),
        ("$1", "\\$1", false),
        ("%2e%2e", "%2e%2e", false),
        (&long, "a", false),
        ("", "a", false),
    ];
    for (name, common_name, is_signed) in table {
        let result = fixture.ca.submit(name, csr(common_name, "").as_bytes());
        match result {
            Ok(Submission::Signed(certificate)) if *is_signed => {
                let identity = NodeIdentity::from_der(certificate.der()).unwrap();
                assert_eq!(identity.certname.as_str(), *name);
            }
            Err(error) if !is_signed => assert_eq!(error.kind(), ErrorKind::Invalid, "{name}"),
            other => panic!("{name}: {other:?}"),
        }
    }
    let stored = fs::read_dir(fixture.dir().join("signed")).unwrap().count();
    assert_eq!(stored, table.iter().filter(|row| row.2).count());
    assert_eq!(fs::read_dir(fixture.dir().join("requests")).unwrap().count(), 0);
}

#[test]
fn subjects_with_several_names_are_refused() {
    if !has_openssl() {
        return;
    }
    let fixture = Fixture::new(Settings::default());
    let request = csr("web\nO=Example", "");
    fixture.ca.submit("web", request.as_bytes()).unwrap();
    let certificate = fixture.ca.sign("web", &SignOptions::default()).unwrap();
    assert!(describe(&certificate.pem()).contains("Subject: CN = web\n"));
    let twice = csr("web2\n1.CN=admin", "");
    assert!(fixture.ca.submit("web2", twice.as_bytes()).is_err());
    assert!(fixture.ca.submit("admin", twice.as_bytes()).is_err());
}

#[test]
fn weak_keys_and_forged_signatures_are_refused() {
    if !has_openssl() {
        return;
    }
    let fixture = Fixture::new(Settings::default());
    for key in ["1024", "p521"] {
        let error = fixture.ca.submit("web", csr_with(key, "web", "", "").as_bytes()).unwrap_err();
        assert!(matches!(error, CaError::UnsupportedKey(_)), "{key}: {error}");
    }
    let request = ordain_ca::CertificateRequest::from_pem(csr("web", "").as_bytes()).unwrap();
    let other = ordain_ca::CertificateRequest::from_pem(csr("web", "").as_bytes()).unwrap();
    // The content of one request with the signature of another.
    let mut forged = request.der().to_vec();
    let tail = 60;
    let (at, from) = (forged.len() - tail, other.der().len() - tail);
    forged.splice(at.., other.der()[from..].iter().copied());
    let forged = ordain_ca::CertificateRequest::from_der(&forged);
    let refused = forged.and_then(|forged| fixture.ca.submit("web", forged.pem().as_bytes()));
    assert!(refused.is_err());
    assert!(fixture.ca.request_pem("web").unwrap().is_none());
}

#[test]
fn attributes_of_requests_are_kept() {
    if !has_openssl() {
        return;
    }
    let fixture = Fixture::new(Settings::default());
    let attributes = "challengePassword=s3cret-word";
    let request = csr_with("ec", "web", "1.3.6.1.4.1.34380.1.1.13=ASN1:UTF8:db", attributes);
    fixture.ca.submit("web", request.as_bytes()).unwrap();
    let stored = fixture.ca.request_pem("web").unwrap().unwrap();
    let stored = ordain_ca::CertificateRequest::from_pem(&stored).unwrap();
    assert_eq!(stored.challenge_password().as_deref(), Some("s3cret-word"));
    assert_eq!(stored.puppet_extensions(), [("pp_role".to_string(), "db".to_string())]);
    let certificate = fixture.ca.sign("web", &SignOptions::default()).unwrap();
    let identity = fixture.ca.identify(certificate.der()).unwrap();
    assert_eq!(identity.extensions.get("pp_role").map(String::as_str), Some("db"));
    assert!(!identity.is_admin);
}

#[test]
fn duplicates_are_refused() {
    if !has_openssl() {
        return;
    }
    let fixture = Fixture::new(Settings::default());
    let states = |expected: &str| {
        let error = fixture.ca.submit("web", csr("web", "").as_bytes()).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("web already has a {expected} certificate; ignoring certificate request")
        );
    };
    fixture.ca.submit("web", csr("web", "").as_bytes()).unwrap();
    states("requested");
    fixture.ca.sign("web", &SignOptions::default()).unwrap();
    states("signed");
    fixture.ca.revoke(&["web".into()]).unwrap();
    states("revoked");
    fixture.ca.clean(&["web".into()]).unwrap();
    fixture.ca.submit("web", csr("web", "").as_bytes()).unwrap();
    let lenient = fixture.reopen(Settings { allow_duplicate_certs: true, ..Settings::default() });
    lenient.submit("web", csr("web", "").as_bytes()).unwrap();
}

#[test]
fn validity_is_limited() {
    if !has_openssl() {
        return;
    }
    let fixture = Fixture::new(TestClock::new(NOON).settings());
    fixture.ca.submit("web", csr("web", "").as_bytes()).unwrap();
    let sign = |seconds| {
        let ttl = Some(std::time::Duration::from_secs(seconds));
        fixture.ca.sign("web", &SignOptions { ttl, ..SignOptions::default() })
    };
    for seconds in [0, 1_576_800_001, u64::MAX] {
        assert!(matches!(sign(seconds), Err(CaError::InvalidTtl(_))), "{seconds}");
    }
    // Dates from 2050 on have another encoding.
    let certificate = sign(1_576_800_000).unwrap();
    assert_eq!(certificate.not_after().as_second(), NOON + 1_576_800_000);
    assert_eq!(certificate.not_before().as_second(), NOON - 86_400);
    assert!(describe(&certificate.pem()).contains("CN = web"));
}

#[test]
fn commands_decide_about_requests() {
    if !has_openssl() {
        return;
    }
    use std::os::unix::fs::PermissionsExt;
    let temp = tempfile::tempdir().unwrap();
    let script = temp.path().join("autosign");
    let write = |text: &str| {
        fs::write(&script, text).unwrap();
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    };
    let settings = Settings {
        autosign: Autosign::File(script.clone()),
        autosign_timeout: std::time::Duration::from_millis(300),
        ..Settings::default()
    };
    let fixture = Fixture::new(settings);
    let submit = |name: &str| {
        let request = csr_with("ec", name, "", "challengePassword=sesame");
        fixture.ca.submit(name, request.as_bytes())
    };
    // Without the file, nothing is signed.
    assert!(matches!(submit("n0"), Ok(Submission::Pending)));
    let password =
        "test \"$1\" != n2 && openssl req -noout -text | grep -q 'challengePassword.*sesame'";
    write(&format!("#!/bin/sh\n{password}\n"));
    assert!(matches!(submit("n1"), Ok(Submission::Signed(_))));
    assert!(matches!(submit("n2"), Ok(Submission::Pending)));
    for (name, script) in [
        ("n3", "#!/bin/sh\nsleep 600\n"),
        ("n4", "#!/bin/sh\nyes\n"),
        ("n5", "#!/bin/sh\nkill -9 $$\n"),
        ("n6", "#!/no/such/interpreter\n"),
    ] {
        write(script);
        let error = submit(name).unwrap_err();
        assert!(matches!(error, CaError::Autosign { .. }), "{name}: {error}");
        // The request waits for an administrator.
        assert!(fixture.ca.request_pem(name).unwrap().is_some());
    }
    fs::set_permissions(&script, fs::Permissions::from_mode(0o644)).unwrap();
    fs::write(&script, "# ours\n\n*.example.org\nn7\n").unwrap();
    assert!(matches!(submit("n7"), Ok(Submission::Signed(_))));
    assert!(matches!(submit("n8"), Ok(Submission::Pending)));
    assert!(matches!(submit("a.b.example.org"), Ok(Submission::Signed(_))));
}

#[test]
fn a_request_that_is_sent_again_is_signed() {
    if !has_openssl() {
        return;
    }
    // The server ended after it had stored the request.
    let fixture = Fixture::new(Settings::default());
    let request = csr("web.example.org", "");
    fixture.ca.submit("web.example.org", request.as_bytes()).unwrap();
    let again = fixture.ca.submit("web.example.org", request.as_bytes()).unwrap_err();
    assert!(matches!(again, CaError::Duplicate { .. }), "{again}");
    let autosigning = Settings { autosign: Autosign::All, ..Settings::default() };
    let ca = fixture.reopen(autosigning);
    let other = ca.submit("web.example.org", csr("web.example.org", "").as_bytes()).unwrap_err();
    assert!(matches!(other, CaError::Duplicate { .. }), "{other}");
    let again = ca.submit("web.example.org", request.as_bytes()).unwrap();
    assert!(matches!(again, Submission::Signed(_)));
    let signed = ca.submit("web.example.org", request.as_bytes()).unwrap_err();
    assert!(matches!(signed, CaError::Duplicate { .. }), "{signed}");
}

#[test]
fn autosign_obeys_the_policy() {
    if !has_openssl() {
        return;
    }
    let fixture = Fixture::new(Settings { autosign: Autosign::All, ..Settings::default() });
    let request = csr("web", "subjectAltName=DNS:puppet");
    let error = fixture.ca.submit("web", request.as_bytes()).unwrap_err();
    assert!(matches!(error, CaError::Disallowed(_)));
    assert!(fixture.ca.certificate_pem("web").unwrap().is_none());
    // An administrator may allow it for this request.
    let options = SignOptions { allow_subject_alt_names: true, ..SignOptions::default() };
    let certificate = fixture.ca.sign("web", &options).unwrap();
    assert_eq!(certificate.alt_names(), ["DNS:puppet", "DNS:web"]);
}

/// A request from Puppet's own code, as an agent with `csr_attributes.yaml` sends it.
#[test]
fn requests_of_puppet_are_signed() {
    if !has_openssl() {
        return;
    }
    let script = "
        require 'puppet'
        require 'puppet/ssl/certificate_request'
        require 'puppet/ssl/oids'
        Puppet.initialize_settings(['--confdir', ARGV[0], '--vardir', ARGV[0]])
        Puppet::SSL::Oids.register_puppet_oids
        request = Puppet::SSL::CertificateRequest.new('web.example.org')
        attributes = { '1.2.840.113549.1.9.7' => 'sesame', '1.3.6.1.4.1.34380.1.3.2' => 'true' }
        extensions = { 'pp_role' => 'db', '1.3.6.1.4.1.34380.1.2.1' => 'mine' }
        request.generate(OpenSSL::PKey::RSA.new(2048), dns_alt_names: 'web',
                         csr_attributes: attributes, extension_requests: extensions)
        puts request.content.to_pem";
    let temp = tempfile::tempdir().unwrap();
    let ruby = std::process::Command::new("ruby").args(["-e", script]).arg(temp.path()).output();
    let pem = ruby.ok().filter(|output| output.status.success()).map(|output| output.stdout);
    if !ordain_testkit::peer(pem.is_some(), "puppet-agent") {
        return;
    }
    let pem = pem.unwrap();
    let clock = TestClock::new(NOON);
    let settings = Settings {
        allow_subject_alt_names: true,
        allow_auto_renewal: true,
        autosign: Autosign::All,
        ..clock.settings()
    };
    let fixture = Fixture::new(settings);
    let Submission::Signed(certificate) = fixture.ca.submit("web.example.org", &pem).unwrap()
    else {
        panic!("the request waits")
    };
    assert_eq!(certificate.alt_names(), ["DNS:web", "DNS:web.example.org"]);
    // The agent can renew it.
    assert_eq!(certificate.not_after().as_second(), NOON + 60 * 86_400);
    let identity = fixture.ca.identify(certificate.der()).unwrap();
    let extensions: Vec<_> = identity.extensions.into_iter().collect();
    let expected = [("1.3.6.1.4.1.34380.1.2.1", "mine"), ("pp_role", "db")];
    assert_eq!(extensions, expected.map(|(k, v)| (k.to_string(), v.to_string())));
}
