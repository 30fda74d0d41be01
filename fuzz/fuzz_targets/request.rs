//! Reads certificate requests and certificates, as DER and as PEM.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ordain_ca::{Certificate, CertificateRequest, NodeIdentity};

fuzz_target!(|bytes: &[u8]| {
    for request in [CertificateRequest::from_der(bytes), CertificateRequest::from_pem(bytes)] {
        if let Ok(request) = request {
            let _ = (request.common_name(), request.attributes(), request.alt_names());
            let _ = (request.puppet_extensions(), request.challenge_password());
            let _ = request.verify();
        }
    }
    if let Ok(certificate) = Certificate::from_der(bytes) {
        let _ = NodeIdentity::of(&certificate);
        let _ = (certificate.alt_names(), certificate.not_after());
    }
});
