//! X.509 certificates: created, signed and read.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use der::asn1::{
    Any, AnyRef, BitStringRef, ObjectIdentifier, OctetString, OctetStringRef, UintRef,
};
use der::{Decode, Sequence, Tag};
use rsa::pkcs8::AlgorithmIdentifierRef;
use sha1::{Digest, Sha1};

use super::asn1::{Reader, context, context_constructed, flags, set, tagged, written};
use super::key::{Kind, Private, Public};
use super::usage::{CERT_SIGN, Usage};
use super::{Random, pem, random_bytes, time};

const KIND: &str = "CERTIFICATE";
const COMMON_NAME: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.4.3");
const COUNTRY: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.4.6");
const ORGANIZATION: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.4.10");
/// The parent identifier of the extensions, which differ in their last number.
const EXTENSIONS: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29");
const SUBJECT_KEY: u8 = 14;
const KEY_USAGE: u8 = 15;
const OTHER_NAMES: u8 = 17;
const CONSTRAINTS: u8 = 19;
const ISSUER_KEY: u8 = 35;
const EXTENDED_USAGE: u8 = 37;
const DNS_NAME: u8 = 2;
const IP_ADDRESS: u8 = 7;

/// A certificate in its encoded form. The times are those that Go can encode: the library's type
/// has none before 1970.
#[derive(Sequence)]
struct Signed<'a> {
    content: AnyRef<'a>,
    algorithm: AlgorithmIdentifierRef<'a>,
    signature: BitStringRef<'a>,
}

/// The signed part.
#[derive(Sequence)]
struct Content<'a> {
    #[asn1(context_specific = "0", tag_mode = "EXPLICIT")]
    version: u8,
    serial: UintRef<'a>,
    algorithm: AlgorithmIdentifierRef<'a>,
    issuer: AnyRef<'a>,
    validity: [Any; 2],
    subject: AnyRef<'a>,
    key: AnyRef<'a>,
    #[asn1(context_specific = "3", tag_mode = "EXPLICIT")]
    extensions: Vec<Extension>,
}

#[derive(Sequence)]
struct Extension {
    id: ObjectIdentifier,
    #[asn1(default = "Default::default")]
    critical: bool,
    content: OctetString,
}

#[derive(Sequence)]
struct Constraints {
    #[asn1(default = "Default::default")]
    is_ca: bool,
}

/// The fields of a certificate that templates see.
#[derive(Default, Debug)]
pub(crate) struct Certificate {
    /// The name.
    pub(crate) common_name: String,
    /// Countries, if any.
    pub(crate) country: Vec<String>,
    /// Organizations, if any.
    pub(crate) organization: Vec<String>,
    /// Whether it may sign others.
    pub(crate) is_ca: bool,
    /// The usages of the key.
    pub(crate) usage: Usage,
    /// The names of hosts.
    pub(crate) dns_names: Vec<String>,
    /// The addresses of hosts.
    pub(crate) addresses: Vec<IpAddr>,
    /// The start of its validity, in seconds since 1970.
    pub(crate) not_before: i64,
    /// The time until which it is good.
    pub(crate) not_after: i64,
    /// The key, if it is of a known kind.
    pub(crate) public: Option<Public>,
    /// The subject as it is written.
    pub(crate) subject: Vec<u8>,
    /// The identifier of its key.
    pub(crate) key_identifier: Vec<u8>,
}

/// The issuer of a certificate.
pub(crate) struct Issuer<'a> {
    /// The issuer's own certificate; `None` if a certificate is self-signed.
    pub(crate) certificate: Option<&'a Certificate>,
    /// The key that signs.
    pub(crate) key: &'a Private,
}

/// The message for a value that cannot be encoded.
fn unwritable(error: der::Error) -> String {
    format!("asn1: {error}")
}

/// A text of a name, in the simplest type that can hold it.
fn text(text: &str) -> Result<Any, String> {
    let printable = |b: u8| {
        b.is_ascii_alphanumeric()
            || matches!(b, b' ' | b'\'' | b'('..=b')' | b'+'..=b'/' | b':' | b'=' | b'?')
    };
    let tag = if text.bytes().all(printable) { Tag::PrintableString } else { Tag::Utf8String };
    tagged(tag, text.as_bytes())
}

/// A time; years after 2049 need the longer form.
fn point_in_time(seconds: i64) -> Result<Any, String> {
    let at = time::civil(seconds);
    let rest =
        format!("{:02}{:02}{:02}{:02}{:02}Z", at.month, at.day, at.hour, at.minute, at.second);
    match at.year {
        1950..2050 => tagged(Tag::UtcTime, format!("{:02}{rest}", at.year % 100).as_bytes()),
        0..=9999 => tagged(Tag::GeneralizedTime, format!("{:04}{rest}", at.year).as_bytes()),
        _ => Err("asn1: structure error: cannot represent time as GeneralizedTime".into()),
    }
}

fn extension(number: u8, critical: bool, content: Vec<u8>) -> Result<Extension, String> {
    let id = EXTENSIONS.push_arc(number.into()).map_err(|e| format!("asn1: {e}"))?;
    Ok(Extension { id, critical, content: OctetString::new(content).map_err(unwritable)? })
}

impl Certificate {
    /// Creates and signs a certificate in PEM.
    ///
    /// # Errors
    /// When a value cannot be encoded, or this key cannot sign.
    pub(crate) fn sign(&self, issuer: &Issuer<'_>, random: &mut Random) -> Result<String, String> {
        let (key, info) = match &self.public {
            Some(key @ (Public::Rsa(_) | Public::Ec(..))) => key.info()?,
            _ => return Err("x509: unsupported public key type: *dsa.PublicKey".into()),
        };
        let subject = self.name()?;
        let validity = [point_in_time(self.not_before)?, point_in_time(self.not_after)?];
        let extensions = self.extensions(&key, &subject, issuer.certificate)?;
        let public = issuer.certificate.map(|c| c.public.as_ref());
        if public.is_some_and(|public| public != Some(&issuer.key.public())) {
            return Err("x509: provided PrivateKey doesn't match parent's PublicKey".into());
        }
        let serial = random_bytes::<16>(random);
        let any = |bytes| AnyRef::from_der(bytes).map_err(unwritable);
        let algorithm = issuer.key.algorithm();
        let content = written(&Content {
            version: 2,
            serial: UintRef::new(&serial).map_err(unwritable)?,
            algorithm,
            issuer: any(issuer.certificate.map_or(&subject, |c| &c.subject))?,
            validity,
            subject: any(&subject)?,
            key: any(&info)?,
            extensions,
        })?;
        let signature = issuer.key.signature(&content, random)?;
        let signature = BitStringRef::from_bytes(&signature).map_err(unwritable)?;
        pem::encode(KIND, &written(&Signed { content: any(&content)?, algorithm, signature })?)
    }

    /// The subject as it is written.
    fn name(&self) -> Result<Vec<u8>, String> {
        let common_name = [self.common_name.clone()];
        let common_name = if self.common_name.is_empty() { &[] } else { &common_name[..] };
        let mut parts = Vec::new();
        for (kind, values) in [
            (COUNTRY, &self.country[..]),
            (ORGANIZATION, &self.organization),
            (COMMON_NAME, common_name),
        ] {
            let part = values.iter().map(|v| written(&vec![Any::from(kind), text(v)?]));
            if !values.is_empty() {
                parts.push(set(part.collect::<Result<_, _>>()?)?);
            }
        }
        written(&parts)
    }

    /// The extensions of the certificate of a key.
    fn extensions(
        &self,
        key: &[u8],
        subject: &[u8],
        above: Option<&Self>,
    ) -> Result<Vec<Extension>, String> {
        const EMPTY: usize = 2;
        let mut out = Vec::new();
        let is_ca = self.is_ca || self.usage.bits & CERT_SIGN != 0;
        let used = self.usage.bits | if is_ca { CERT_SIGN } else { 0 };
        if used != 0 {
            out.push(extension(KEY_USAGE, true, flags(used)?)?);
        }
        if !self.usage.extended.is_empty() {
            out.push(extension(EXTENDED_USAGE, false, written(&self.usage.identifiers())?)?);
        }
        out.push(extension(CONSTRAINTS, true, written(&Constraints { is_ca })?)?);
        if is_ca {
            let digest = Sha1::digest(key);
            let identifier = OctetStringRef::new(&digest).map_err(unwritable)?;
            out.push(extension(SUBJECT_KEY, false, written(&identifier)?)?);
        }
        let above = above.filter(|c| c.subject != subject && !c.key_identifier.is_empty());
        if let Some(above) = above {
            let identifier = vec![tagged(context(0), &above.key_identifier)?];
            out.push(extension(ISSUER_KEY, false, written(&identifier)?)?);
        }
        let names = self.other_names()?;
        if !names.is_empty() {
            out.push(extension(OTHER_NAMES, subject.len() == EMPTY, written(&names)?)?);
        }
        Ok(out)
    }

    /// Names and addresses of hosts.
    fn other_names(&self) -> Result<Vec<Any>, String> {
        let mut out = Vec::new();
        for name in &self.dns_names {
            if !name.is_ascii() {
                let name = crate::text::quoted(name);
                return Err(format!("x509: {name} cannot be encoded as an IA5String"));
            }
            out.push(tagged(context(DNS_NAME), name.as_bytes())?);
        }
        for address in &self.addresses {
            out.push(match address.to_canonical() {
                IpAddr::V4(v4) => tagged(context(IP_ADDRESS), &v4.octets())?,
                IpAddr::V6(v6) => tagged(context(IP_ADDRESS), &v6.octets())?,
            });
        }
        Ok(out)
    }

    /// Reads a certificate in PEM.
    ///
    /// # Errors
    /// The reason why it is no certificate.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let Some(block) = pem::decode(text) else {
            return Err("invalid certificate format (expected pem block)".into());
        };
        if block.kind != KIND {
            let kind = crate::text::quoted(&block.kind);
            return Err(format!("unexpected pem block type for certificate: {kind}"));
        }
        Self::read_der(&block.bytes)
    }

    fn read_der(der: &[u8]) -> Result<Self, String> {
        let mut all = Reader(der);
        let mut outer = all.sequence().ok_or("x509: malformed certificate")?;
        let mut inner = outer.sequence().ok_or("x509: malformed tbs certificate")?;
        let version = read_version(&mut inner)?;
        let serial = inner.signed().ok_or("x509: malformed serial number")?;
        if serial[0] >= 0x80 {
            return Err("x509: negative serial number".into());
        }
        let algorithm =
            inner.take(Tag::Sequence).ok_or("x509: malformed signature algorithm identifier")?;
        let again = outer.take(Tag::Sequence).ok_or("x509: malformed algorithm identifier")?;
        if algorithm != again {
            return Err("x509: inner and outer signature algorithm identifiers don't match".into());
        }
        Reader(algorithm).take(Tag::ObjectIdentifier).ok_or("x509: malformed OID")?;
        let mut out = Self::default();
        // The issuer's name is only checked.
        Self::default().read_name(inner.whole_sequence().ok_or("x509: malformed issuer")?)?;
        let mut validity = inner.sequence().ok_or("x509: malformed validity")?;
        out.not_before = read_time(&mut validity)?;
        out.not_after = read_time(&mut validity)?;
        out.read_name(inner.whole_sequence().ok_or("x509: malformed issuer")?)?;
        let info = inner.sequence().ok_or("x509: malformed spki")?;
        out.public = Some(Public::read_info(info)?).filter(|k| *k != Public::Other(Kind::Unknown));
        if version > 1 {
            for number in [1, 2] {
                if inner.next_is(context(number)) {
                    inner.any().ok_or("x509: malformed issuerUniqueID")?;
                }
            }
        }
        if version == 3 && inner.next_is(context_constructed(3)) {
            let content = inner.take(context_constructed(3)).map(Reader);
            let list = content.and_then(|mut c| c.sequence());
            out.read_extensions(list.ok_or("x509: malformed extensions")?)?;
        }
        if !outer.next_is(Tag::BitString) || outer.bit_string().is_none() {
            return Err("x509: malformed signature".into());
        }
        if !all.is_empty() {
            return Err("x509: trailing data".into());
        }
        Ok(out)
    }

    fn read_name(&mut self, (whole, mut parts): (&[u8], Reader<'_>)) -> Result<(), String> {
        const BROKEN: &str = "x509: invalid RDNSequence";
        self.subject = whole.to_vec();
        while !parts.is_empty() {
            let mut part = parts.take(Tag::Set).map(Reader).ok_or(BROKEN)?;
            while !part.is_empty() {
                let attribute = part.sequence();
                let mut attribute = attribute.ok_or(format!("{BROKEN}: invalid attribute"))?;
                let oid = attribute.take(Tag::ObjectIdentifier);
                let oid = oid.ok_or(format!("{BROKEN}: invalid attribute type"))?;
                let value = attribute.any().ok_or("invalid ASN.1 element").and_then(read_text);
                let value = value.map_err(|e| format!("{BROKEN}: invalid attribute value: {e}"))?;
                let Some(value) = value else { continue };
                let is = |known: ObjectIdentifier| oid == known.as_bytes();
                if is(COMMON_NAME) {
                    self.common_name = value;
                } else if is(COUNTRY) {
                    self.country.push(value);
                } else if is(ORGANIZATION) {
                    self.organization.push(value);
                }
            }
        }
        Ok(())
    }

    fn read_extensions(&mut self, mut list: Reader<'_>) -> Result<(), String> {
        let mut seen = std::collections::BTreeSet::new();
        while !list.is_empty() {
            let mut extension = list.sequence().ok_or("x509: malformed extension")?;
            let oid = extension
                .take(Tag::ObjectIdentifier)
                .ok_or("x509: malformed extension OID field")?;
            if extension.next_is(Tag::Boolean) {
                extension.read::<bool>().ok_or("x509: malformed extension critical field")?;
            }
            let content = extension.take(Tag::OctetString);
            let content = Reader(content.ok_or("x509: malformed extension value field")?);
            if !seen.insert(oid) {
                return Err("x509: certificate contains duplicate extensions".into());
            }
            if let Some([number]) = oid.strip_prefix(EXTENSIONS.as_bytes()) {
                self.read_extension(*number, content)?;
            }
        }
        Ok(())
    }

    fn read_extension(&mut self, number: u8, mut content: Reader<'_>) -> Result<(), String> {
        match number {
            KEY_USAGE => {
                const BITS: u16 = 0x1ff;
                let bytes = content.bit_string().ok_or("x509: invalid key usage")?;
                let byte = |at: usize| bytes.get(at).copied().unwrap_or(0);
                self.usage.bits = u16::from_be_bytes([byte(0), byte(1)]).reverse_bits() & BITS;
            }
            CONSTRAINTS => {
                const BROKEN: &str = "x509: invalid basic constraints";
                let mut inner = content.sequence().ok_or(BROKEN)?;
                self.is_ca = false;
                if inner.next_is(Tag::Boolean) {
                    self.is_ca = inner.read::<bool>().ok_or(BROKEN)?;
                }
                if inner.next_is(Tag::Integer) && inner.read::<i64>().is_none_or(|n| n < 0) {
                    return Err(BROKEN.into());
                }
            }
            OTHER_NAMES => self.read_other_names(content)?,
            EXTENDED_USAGE => {
                const BROKEN: &str = "x509: invalid extended key usages";
                let mut inner = content.sequence().ok_or(BROKEN)?;
                while !inner.is_empty() {
                    self.usage.add_identifier(inner.take(Tag::ObjectIdentifier).ok_or(BROKEN)?);
                }
            }
            SUBJECT_KEY => {
                let identifier = content.take(Tag::OctetString);
                self.key_identifier =
                    identifier.ok_or("x509: invalid subject key identifier")?.to_vec();
            }
            _ => {}
        }
        Ok(())
    }

    fn read_other_names(&mut self, mut content: Reader<'_>) -> Result<(), String> {
        let mut names = content.sequence().ok_or("x509: invalid subject alternative names")?;
        while !names.is_empty() {
            let (tag, content) = names.any().ok_or("x509: invalid subject alternative name")?;
            if tag == context(DNS_NAME).octet() {
                let text = std::str::from_utf8(content).ok().filter(|t| t.is_ascii());
                self.dns_names.push(text.ok_or("x509: SAN dNSName is malformed")?.to_owned());
            } else if tag == context(IP_ADDRESS).octet() {
                let bytes = content;
                let v4 = <[u8; 4]>::try_from(bytes).map(|b| IpAddr::V4(Ipv4Addr::from(b)));
                let v6 = <[u8; 16]>::try_from(bytes).map(|b| IpAddr::V6(Ipv6Addr::from(b)));
                let address = v4.or(v6);
                let address = address.map_err(|_| {
                    format!("x509: cannot parse IP address of length {}", bytes.len())
                })?;
                if address != address.to_canonical() {
                    return Err("x509: SAN iPAddress contains IPv4-mapped IPv6 address".into());
                }
                self.addresses.push(address);
            }
        }
        Ok(())
    }
}

/// The version of a certificate, from 1.
fn read_version(inner: &mut Reader<'_>) -> Result<i64, &'static str> {
    const BROKEN: &str = "x509: malformed version";
    if !inner.next_is(context_constructed(0)) {
        return Ok(1);
    }
    let content = inner.take(context_constructed(0));
    match content.and_then(|c| Reader(c).read::<i64>()).ok_or(BROKEN)? {
        version @ 0..=2 => Ok(version + 1),
        3 => Err("x509: invalid version"),
        _ => Err(BROKEN),
    }
}

/// A value of a name; `None` if it is no text.
fn read_text((tag, bytes): (u8, &[u8])) -> Result<Option<String>, &'static str> {
    let ascii = |good: fn(u8) -> bool, broken| {
        let text = std::str::from_utf8(bytes).ok().filter(|t| t.bytes().all(good));
        text.map(str::to_owned).ok_or(broken)
    };
    let Ok(tag) = Tag::try_from(tag) else { return Ok(None) };
    Ok(Some(match tag {
        Tag::PrintableString => ascii(
            |b| {
                b.is_ascii_alphanumeric()
                    || matches!(b, b' ' | b'\''..=b'*' | b'+'..=b'/' | b':' | b'=' | b'?' | b'&')
            },
            "invalid PrintableString",
        )?,
        Tag::Utf8String => {
            std::str::from_utf8(bytes).map_err(|_| "invalid UTF-8 string")?.to_owned()
        }
        Tag::Ia5String => ascii(|b| b.is_ascii(), "invalid IA5String")?,
        Tag::NumericString => ascii(|b| b.is_ascii_digit() || b == b' ', "invalid NumericString")?,
        Tag::TeletexString => bytes.iter().map(|b| char::from(*b)).collect(),
        Tag::BmpString => {
            let (pairs, rest) = bytes.as_chunks::<2>();
            let units = pairs.iter().map(|p| u16::from_be_bytes(*p));
            let text: Result<String, _> = char::decode_utf16(units).collect();
            let text = text.ok().filter(|_| rest.is_empty()).ok_or("invalid BMPString")?;
            text.strip_suffix('\0').map_or_else(|| text.clone(), str::to_owned)
        }
        _ => return Ok(None),
    }))
}

/// A point in time, in seconds since 1970.
fn read_time(reader: &mut Reader<'_>) -> Result<i64, &'static str> {
    let (tag, broken) = if reader.next_is(Tag::UtcTime) {
        (Tag::UtcTime, "x509: malformed UTCTime")
    } else if reader.next_is(Tag::GeneralizedTime) {
        (Tag::GeneralizedTime, "x509: malformed GeneralizedTime")
    } else {
        return Err("x509: unsupported time format");
    };
    let text = reader.take(tag).and_then(|b| std::str::from_utf8(b).ok()).ok_or(broken)?;
    let seconds = text.is_ascii().then(|| digits_of_time(tag, text)).flatten();
    seconds.ok_or(broken)
}

fn digits_of_time(tag: Tag, text: &str) -> Option<i64> {
    const MINUTE: i64 = 60;
    let at = text.find(['Z', '+', '-'])?;
    let (digits, zone) = text.split_at(at);
    let (year_digits, lengths) = if tag == Tag::UtcTime { (2, [10, 12]) } else { (4, [14, 14]) };
    if !lengths.contains(&digits.len()) || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let pair = |at: usize| digits.get(at..at + 2).map_or(Some(0), |d| d.parse::<i64>().ok());
    let mut year: i64 = digits.get(..year_digits)?.parse().ok()?;
    if tag == Tag::UtcTime {
        year += if year < 50 { 2000 } else { 1900 };
    }
    let rest: Vec<i64> = (0..5).map(|n| pair(year_digits + 2 * n)).collect::<Option<_>>()?;
    let seconds = time::seconds([year, rest[0], rest[1]], [rest[2], rest[3], rest[4]])?;
    let offset = match (zone.get(..1)?, zone.get(1..)?) {
        ("Z", "") => 0,
        (sign, hhmm) if hhmm.len() == 4 && hhmm.bytes().all(|b| b.is_ascii_digit()) => {
            let (hours, minutes) = hhmm.split_at(2);
            let minutes = hours.parse::<i64>().ok()? * 60 + minutes.parse::<i64>().ok()?;
            if sign == "-" { -minutes } else { minutes }
        }
        _ => return None,
    };
    Some(seconds - offset * MINUTE)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::SeedableRng;
    use super::*;

    #[test]
    fn a_certificate_is_read_as_it_was_made() {
        let mut random = Random::from_seed([5; 32]);
        let key = Private::ec("P256", &mut random).unwrap();
        let mut usage = Usage::default();
        assert!(usage.add("signature") && usage.add("ServerAuth"));
        let wanted = Certificate {
            common_name: "a & b".into(),
            country: vec!["DE".into()],
            organization: vec!["z".into(), "é".into()],
            is_ca: true,
            usage,
            dns_names: vec!["a.example".into()],
            addresses: vec!["::1".parse().unwrap(), "10.0.0.1".parse().unwrap()],
            not_before: 2_524_607_999,
            not_after: 2_524_608_000,
            public: Some(key.public()),
            ..Certificate::default()
        };
        let text = wanted.sign(&Issuer { certificate: None, key: &key }, &mut random).unwrap();
        let found = Certificate::read(&text).unwrap();
        assert_eq!(found.common_name, wanted.common_name);
        assert_eq!(found.organization, wanted.organization);
        assert_eq!(found.usage.words(), ["Signature", "CertSign", "ServerAuth"]);
        assert_eq!(found.addresses, wanted.addresses);
        assert_eq!((found.not_before, found.not_after), (wanted.not_before, wanted.not_after));
        assert_eq!(found.public, wanted.public);
        // Reading ends however it is cut or changed.
        let bytes = pem::decode(&text).unwrap().bytes;
        for at in 0..bytes.len() {
            assert!(Certificate::read_der(&bytes[..at]).is_err(), "cut at {at}");
            for bit in [1, 0x20, 0x80] {
                let mut other = bytes.clone();
                other[at] ^= bit;
                let _ = Certificate::read_der(&other).is_ok();
            }
        }
    }

    #[test]
    fn points_in_time_in_both_forms() {
        for (tag, text, expected) in [
            (Tag::UtcTime, "190101012231Z", Some(1_546_305_751)),
            (Tag::UtcTime, "1901010122Z", Some(1_546_305_720)),
            (Tag::UtcTime, "190101022231+0100", Some(1_546_305_751)),
            (Tag::UtcTime, "500101000000Z", Some(-631_152_000)),
            (Tag::GeneralizedTime, "20190101012231Z", Some(1_546_305_751)),
            (Tag::GeneralizedTime, "20190132012231Z", None),
            (Tag::UtcTime, "190101012231", None),
            (Tag::UtcTime, "190101012231Zx", None),
        ] {
            assert_eq!(digits_of_time(tag, text), expected, "{text}");
        }
    }
}
