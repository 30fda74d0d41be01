//! Digests as lower-case hexadecimal text.

use sha2::Digest;

/// The bytes as two hexadecimal digits each.
pub fn hex(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(2 * bytes.len());
    push_hex(bytes, &mut out);
    out
}

/// Appends the digits of [`hex`].
pub fn push_hex(bytes: &[u8], out: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    // The length of the longest digest, in digits.
    let mut digits = [0; 128];
    for chunk in bytes.chunks(digits.len() / 2) {
        for (pair, byte) in digits.chunks_exact_mut(2).zip(chunk) {
            pair[0] = DIGITS[usize::from(byte >> 4)];
            pair[1] = DIGITS[usize::from(byte & 15)];
        }
        // Digits are ASCII.
        out.push_str(std::str::from_utf8(&digits[..2 * chunk.len()]).unwrap_or_default());
    }
}

/// The bytes of a text of two lower-case hexadecimal digits each; `None` of any other text.
pub fn unhex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let pairs = text.as_bytes().chunks(2).map(|pair| match pair {
        [high, low] => Some(digit(*high)? * 16 + digit(*low)?),
        _ => None,
    });
    pairs.collect()
}

/// Compares two digests or secrets in a time that does not depend on the place of the first
/// difference. Their lengths are no secret.
pub fn is_equal(one: &str, two: &str) -> bool {
    let pairs = one.bytes().zip(two.bytes());
    one.len() == two.len() && pairs.fold(0, |sum, (a, b)| sum | (a ^ b)) == 0
}

/// The text of a UUID of a version (RFC 9562, section 4), whose other bits are these bytes.
pub fn uuid(mut bytes: [u8; 16], version: u8) -> String {
    bytes[6] = bytes[6] & 0x0f | version << 4;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex = hex(&bytes);
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

/// MD5.
pub fn md5(data: &[u8]) -> String {
    hex(&md5::Md5::digest(data))
}

/// SHA-1.
pub fn sha1(data: &[u8]) -> String {
    hex(&sha1::Sha1::digest(data))
}

/// SHA-1 as bytes.
pub fn sha1_bytes(data: &[u8]) -> Vec<u8> {
    sha1::Sha1::digest(data).to_vec()
}

/// SHA-256 as bytes.
pub fn sha256_bytes(data: &[u8]) -> Vec<u8> {
    sha2::Sha256::digest(data).to_vec()
}

/// SHA-256.
pub fn sha256(data: &[u8]) -> String {
    hex(&sha2::Sha256::digest(data))
}

/// SHA-384.
pub fn sha384(data: &[u8]) -> String {
    hex(&sha2::Sha384::digest(data))
}

/// SHA-512.
pub fn sha512(data: &[u8]) -> String {
    hex(&sha2::Sha512::digest(data))
}

/// CRC-32 as in zlib and Ethernet, without leading zeros, as stdlib's `crc32` prints it.
pub fn crc32(data: &[u8]) -> String {
    const TABLE: [u32; 256] = crc_table();
    let step = |crc: u32, &byte: &u8| (crc >> 8) ^ TABLE[((crc ^ u32::from(byte)) & 0xff) as usize];
    format!("{:x}", !data.iter().fold(u32::MAX, step))
}

const fn crc_table() -> [u32; 256] {
    const POLYNOMIAL: u32 = 0xedb8_8320;
    let mut table = [0; 256];
    let mut index = 0;
    while index < 256 {
        let mut crc = index as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ POLYNOMIAL } else { crc >> 1 };
            bit += 1;
        }
        table[index] = crc;
        index += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_have_the_same_bytes_and_length() {
        assert!(is_equal("", "") && is_equal("abc", "abc"));
        assert!(!is_equal("abc", "abd") && !is_equal("abc", "bbc"));
        assert!(!is_equal("abc", "ab") && !is_equal("abc", ""));
    }

    #[test]
    fn digits_of_many_bytes() {
        let bytes: Vec<u8> = (0..=255).collect();
        let expected: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex(&bytes), expected);
        assert_eq!(unhex(&expected), Some(bytes));
    }

    #[test]
    fn known_vectors() {
        assert_eq!(md5(b"abc"), "900150983cd24fb0d6963f7d28e17f72");
        assert_eq!(sha1(b"abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
        assert_eq!(
            sha256(b"abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert!(sha384(b"abc").starts_with("cb00753f45a35e8bb5a03d699ac65007"));
        assert!(sha512(b"abc").starts_with("ddaf35a193617abacc417349ae204131"));
        assert_eq!(crc32(b"123456789"), "cbf43926");
    }
}
