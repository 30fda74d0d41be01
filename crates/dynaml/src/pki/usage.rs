//! The usages of keys: names, bits and object identifiers.

use der::asn1::ObjectIdentifier;

/// The usages that are bits, in order, and their names in templates if these differ.
const BITS: [(&str, &str); 9] = [
    ("Signature", ""),
    ("ContentCommitment", "commitment"),
    ("KeyEncipherment", ""),
    ("DataEncipherment", ""),
    ("KeyAgreement", ""),
    ("CertSign", ""),
    ("CRLSign", ""),
    ("EncipherOnly", ""),
    ("DecipherOnly", ""),
];

/// To sign certificates.
pub(crate) const CERT_SIGN: u16 = 1 << 5;

/// The uses that have identifiers.
const EXTENDED: [(&str, ObjectIdentifier); 14] = [
    ("Any", ObjectIdentifier::new_unwrap("2.5.29.37.0")),
    ("ServerAuth", ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.1")),
    ("ClientAuth", ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.2")),
    ("CodeSigning", ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.3")),
    ("EmailProtection", ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.4")),
    ("IPSECEndSystem", ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.5")),
    ("IPSECTunnel", ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.6")),
    ("IPSECUser", ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.7")),
    ("TimeStamping", ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.8")),
    ("OCSPSigning", ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.9")),
    ("MicrosoftServerGatedCrypto", ObjectIdentifier::new_unwrap("1.3.6.1.4.1.311.10.3.3")),
    ("NetscapeServerGatedCrypto", ObjectIdentifier::new_unwrap("2.16.840.1.113730.4.1")),
    ("MicrosoftCommercialCodeSigning", ObjectIdentifier::new_unwrap("1.3.6.1.4.1.311.2.1.22")),
    ("MicrosoftKernelCodeSigning", ObjectIdentifier::new_unwrap("1.3.6.1.4.1.311.61.1.1")),
];

/// The usages of a key.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct Usage {
    /// The usages that are bits, the first one lowest.
    pub(crate) bits: u16,
    /// The indices of the extended usages in their table, in the requested order.
    pub(crate) extended: Vec<usize>,
}

impl Usage {
    /// Adds a usage by name; returns whether it exists.
    pub(crate) fn add(&mut self, word: &str) -> bool {
        let word = word.to_lowercase();
        let asked = |(name, other): &(&str, &str)| match *other {
            "" => name.to_lowercase() == word,
            other => other == word,
        };
        if let Some(bit) = BITS.iter().position(asked) {
            self.bits |= 1 << bit;
            return true;
        }
        let found = EXTENDED.iter().position(|e| e.0.to_lowercase() == word);
        if let Some(at) = found.filter(|at| !self.extended.contains(at)) {
            self.extended.push(at);
        }
        found.is_some()
    }

    /// The words.
    pub(crate) fn words(&self) -> Vec<&'static str> {
        let bits = BITS.iter().enumerate().filter(|(n, _)| self.bits & 1 << n != 0);
        let extended = self.extended.iter().filter_map(|at| EXTENDED.get(*at));
        bits.map(|(_, names)| names.0).chain(extended.map(|e| e.0)).collect()
    }

    /// The identifiers of the extended usages.
    pub(super) fn identifiers(&self) -> Vec<ObjectIdentifier> {
        self.extended.iter().filter_map(|at| EXTENDED.get(*at)).map(|e| e.1).collect()
    }

    /// Adds the usage with an identifier of these bytes; unknown ones are ignored.
    pub(super) fn add_identifier(&mut self, oid: &[u8]) {
        self.extended.extend(EXTENDED.iter().position(|e| e.1.as_bytes() == oid));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_identifiers() {
        let mut usage = Usage::default();
        for word in ["any", "commitment", "SERVERAUTH", "serverauth", "CertSign"] {
            assert!(usage.add(word), "{word}");
        }
        assert!(!usage.add("ContentCommitment"));
        assert!(!usage.add(""));
        assert_eq!(usage.words(), ["ContentCommitment", "CertSign", "Any", "ServerAuth"]);
        assert_eq!(usage.bits, CERT_SIGN | 2);
        let mut again = Usage { bits: usage.bits, ..Usage::default() };
        usage.identifiers().iter().for_each(|oid| again.add_identifier(oid.as_bytes()));
        again.add_identifier(&[1, 2]);
        assert_eq!(again, usage);
    }
}
