//! Serial numbers of certificates.

use std::fmt;

use serde::{Serialize, Serializer};
use x509_cert::serial_number::SerialNumber;

use crate::CaError;

/// A serial number: a positive integer of at most 20 bytes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Serial(Box<[u8]>);

impl Serial {
    /// Reads big-endian bytes.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Self {
        let start = bytes.iter().position(|b| *b != 0).unwrap_or(bytes.len());
        Self(bytes.get(start..).unwrap_or_default().into())
    }

    pub(crate) fn of(serial: &SerialNumber) -> Self {
        Self::from_bytes(serial.as_bytes())
    }

    /// Reads hexadecimal digits, with or without `0x`.
    #[must_use]
    pub fn from_hex(text: &str) -> Option<Self> {
        let digits = text.strip_prefix("0x").unwrap_or(text);
        if digits.is_empty() || digits.len() > 42 || !digits.bytes().all(|b| b.is_ascii_hexdigit())
        {
            return None;
        }
        let padded = format!("{digits:0>42}");
        let bytes = (0..21).map_while(|i| {
            let pair = padded.get(2 * i..2 * i + 2)?;
            u8::from_str_radix(pair, 16).ok()
        });
        Some(Self::from_bytes(&bytes.collect::<Vec<_>>()))
    }

    /// The number, if it has at most 64 bits.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        (self.0.len() <= 8).then(|| self.0.iter().fold(0, |sum, b| (sum << 8) | u64::from(*b)))
    }

    pub(crate) fn to_x509(&self) -> Result<SerialNumber, CaError> {
        SerialNumber::new(&self.0).map_err(|_| CaError::Encoding("serial number"))
    }
}

impl From<u64> for Serial {
    fn from(number: u64) -> Self {
        Self::from_bytes(&number.to_be_bytes())
    }
}

/// Hexadecimal, at least four digits, as in puppetserver's files.
impl fmt::Display for Serial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits: String = self.0.iter().map(|b| format!("{b:02X}")).collect();
        let digits = digits.trim_start_matches('0');
        write!(f, "{digits:0>4}")
    }
}

/// A JSON number, or a hexadecimal string if it has more than 64 bits.
impl Serialize for Serial {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.as_u64() {
            Some(number) => serializer.serialize_u64(number),
            None => serializer.serialize_str(&self.to_string()),
        }
    }
}
