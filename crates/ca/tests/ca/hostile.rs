//! Malformed requests, certificates and lists.

use std::sync::OnceLock;

use crate::support::*;
use ordain_ca::{Certificate, CertificateRequest, Settings};
use proptest::prelude::*;

/// A request with extensions and attributes, in DER. Empty if `openssl` is missing.
fn request() -> &'static [u8] {
    static REQUEST: OnceLock<Vec<u8>> = OnceLock::new();
    REQUEST.get_or_init(|| {
        if !has_openssl() {
            return Vec::new();
        }
        let extensions = "subjectAltName=DNS:puppet,IP:192.0.2.1,email:a@b\n1.3.6.1.4.1.34380.1.1.13=ASN1:UTF8:db";
        let pem = csr_with("ec", "web", extensions, "challengePassword=s3cret-word");
        CertificateRequest::from_pem(pem.as_bytes()).unwrap().der().to_vec()
    })
}

fn pem(label: &str, der: &[u8]) -> String {
    use base64::Engine;
    let body = base64::engine::general_purpose::STANDARD.encode(der);
    format!("-----BEGIN {label}-----\n{body}\n-----END {label}-----\n")
}

/// Calls every reader on a request.
fn read_all(der: &[u8]) {
    if let Ok(request) = CertificateRequest::from_der(der) {
        let _ = (request.common_name(), request.attributes(), request.alt_names());
        let _ = (request.puppet_extensions(), request.challenge_password());
        let _ = (request.authorization_extensions(), request.supports_renewal());
        let _ = request.verify();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn changed_requests_do_not_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in any::<prop::sample::Index>(),
        is_cut in any::<bool>(),
    ) {
        if !request().is_empty() {
            let mut der = request().to_vec();
            for (at, byte) in &changes {
                let at = at.index(der.len());
                der[at] = *byte;
            }
            if is_cut {
                der.truncate(cut.index(der.len()));
            }
            read_all(&der);
            let _ = Certificate::from_der(&der);
        }
    }

    #[test]
    fn random_bytes_do_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        read_all(&bytes);
        let _ = Certificate::from_der(&bytes);
        let _ = CertificateRequest::from_pem(&bytes);
    }

    #[test]
    fn random_texts_do_not_panic(text in "(-----(BEGIN|END) (CERTIFICATE REQUEST|X)-----|[A-Za-z0-9+/=]{0,20}|\n|.){0,30}") {
        let _ = CertificateRequest::from_pem(text.as_bytes());
        let _ = Certificate::all_from_pem(text.as_bytes());
    }
}

/// Every changed byte is detected: the signature covers the whole request.
#[test]
fn changed_requests_are_refused() {
    if !has_openssl() {
        return;
    }
    let settings = Settings {
        autosign: ordain_ca::Autosign::All,
        allow_subject_alt_names: true,
        allow_duplicate_certs: true,
        ..Settings::default()
    };
    let fixture = Fixture::new(settings);
    let original = CertificateRequest::from_pem(csr("web", "").as_bytes()).unwrap();
    for at in 0..original.der().len() {
        let mut der = original.der().to_vec();
        der[at] ^= 1;
        let text = pem("CERTIFICATE REQUEST", &der);
        for name in ["web", "veb"] {
            assert!(fixture.ca.submit(name, text.as_bytes()).is_err(), "byte {at}");
        }
    }
    assert!(fixture.ca.statuses(None).unwrap().is_empty());
    fixture.ca.submit("web", original.pem().as_bytes()).unwrap();
}

#[test]
fn nested_and_large_input_ends() {
    let nested = |depth: usize| {
        // Deeply nested sequences; each has the length of the rest.
        let mut der = Vec::new();
        for _ in 0..depth {
            let length = der.len();
            let mut outer = vec![0x30];
            match length {
                0..=127 => outer.push(length as u8),
                128..=255 => outer.extend([0x81, length as u8]),
                _ => outer.extend([0x82, (length >> 8) as u8, length as u8]),
            }
            outer.append(&mut der);
            der = outer;
        }
        der
    };
    ordain_testkit::bounded("nested", || {
        read_all(&nested(10_000));
        let _ = Certificate::from_der(&nested(10_000));
        let large = vec![b'A'; 50 << 20];
        let _ = CertificateRequest::from_pem(&large);
        let _ = CertificateRequest::from_der(&large);
    });
}

#[test]
fn unreadable_requests_in_the_directory_do_no_harm() {
    if !has_openssl() {
        return;
    }
    let fixture = Fixture::new(Settings::default());
    let requests = fixture.dir().join("requests");
    std::fs::write(requests.join("bad.pem"), "nonsense").unwrap();
    std::fs::write(requests.join("Upper.pem"), csr("Upper", "")).unwrap();
    std::fs::write(requests.join("other.pem"), csr("web", "")).unwrap();
    assert_eq!(fixture.ca.statuses(None).unwrap().len(), 1);
    let outcome = fixture.ca.sign_all(&Default::default()).unwrap();
    assert!(outcome.signed.is_empty());
    let names: Vec<&str> = outcome.errors.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["bad", "other"]);
    assert!(fixture.ca.clean(&["bad".to_string()]).unwrap().not_found.is_empty());
}

#[test]
fn lists_from_outside_are_checked() {
    let fixture = Fixture::new(Settings::default());
    for text in ["", "nonsense", "-----BEGIN X509 CRL-----\nAAAA\n-----END X509 CRL-----\n"] {
        assert!(fixture.ca.import_crls(text.as_bytes()).is_err());
    }
    let own = fixture.ca.crl().unwrap().pem;
    fixture.ca.import_crls(own.as_bytes()).unwrap();
    let other = Fixture::new(Settings::default());
    // Lists of authorities that are not in the chain are ignored.
    fixture.ca.import_crls(other.ca.crl().unwrap().pem.as_bytes()).unwrap();
    assert_eq!(fixture.ca.crl().unwrap().pem, own);
}

#[test]
fn requests_do_not_fill_the_disk() {
    if !has_openssl() {
        return;
    }
    let fixture = Fixture::new(Settings::default());
    let requests = fixture.dir().join("requests");
    for number in 0..50_000 {
        std::fs::File::create(requests.join(format!("n{number}.pem"))).unwrap();
    }
    let error = fixture.ca.submit("web", csr("web", "").as_bytes()).unwrap_err();
    assert!(matches!(error, ordain_ca::CaError::TooManyRequests), "{error}");
    fixture.ca.delete_request("n0").unwrap();
    fixture.ca.submit("web", csr("web", "").as_bytes()).unwrap();
}
