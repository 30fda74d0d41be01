//! What a key may be used for: the words, the bits and the object identifiers.

/// The uses that are bits, in their order, and how they are asked for if that differs.
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

/// `1.3.6.1.5.5.7.3`, without its last number.
const PKIX: &[u8] = &[0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03];
const ANY: &[u8] = &[0x55, 0x1d, 0x25, 0x00];
const MICROSOFT: &[u8] = &[0x2b, 0x06, 0x01, 0x04, 0x01, 0x82, 0x37];

/// The uses that have identifiers: a common beginning and what follows it.
const EXTENDED: [(&str, &[u8], &[u8]); 14] = [
    ("Any", ANY, &[]),
    ("ServerAuth", PKIX, &[1]),
    ("ClientAuth", PKIX, &[2]),
    ("CodeSigning", PKIX, &[3]),
    ("EmailProtection", PKIX, &[4]),
    ("IPSECEndSystem", PKIX, &[5]),
    ("IPSECTunnel", PKIX, &[6]),
    ("IPSECUser", PKIX, &[7]),
    ("TimeStamping", PKIX, &[8]),
    ("OCSPSigning", PKIX, &[9]),
    ("MicrosoftServerGatedCrypto", MICROSOFT, &[0x0a, 0x03, 0x03]),
    ("NetscapeServerGatedCrypto", &[0x60, 0x86, 0x48, 0x01, 0x86, 0xf8, 0x42], &[0x04, 0x01]),
    ("MicrosoftCommercialCodeSigning", MICROSOFT, &[0x02, 0x01, 0x16]),
    ("MicrosoftKernelCodeSigning", MICROSOFT, &[0x3d, 0x01, 0x01]),
];

/// What a key may be used for.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct Usage {
    /// The uses that are bits, the first one lowest.
    pub(crate) bits: u16,
    /// The positions of the others in their table, as they were asked for.
    pub(crate) extended: Vec<usize>,
}

impl Usage {
    /// Adds a use by its word; whether there is one.
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

    /// The identifiers of the uses that have one.
    pub(super) fn identifiers(&self) -> impl Iterator<Item = Vec<u8>> {
        let found = self.extended.iter().filter_map(|at| EXTENDED.get(*at));
        found.map(|(_, start, end)| [*start, *end].concat())
    }

    /// Adds the use with an identifier; unknown ones are left out.
    pub(super) fn add_identifier(&mut self, oid: &[u8]) {
        let same = |e: &(&str, &[u8], &[u8])| oid.strip_prefix(e.1) == Some(e.2);
        self.extended.extend(EXTENDED.iter().position(same));
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
        usage.identifiers().for_each(|oid| again.add_identifier(&oid));
        again.add_identifier(&[1, 2]);
        assert_eq!(again, usage);
    }
}
