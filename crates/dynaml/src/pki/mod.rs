//! Keys and certificates: X.509 with RSA and the NIST curves, and X25519.
//!
//! The arithmetic is that of `crypto-bigint`, in constant time wherever a private key is at work;
//! the formats are written here, byte for byte as Go's library writes them.

mod asn1;
pub(crate) mod certificate;
mod curve;
pub(crate) mod key;
pub(crate) mod pem;
mod random;
mod rsa;
pub(crate) mod time;
pub(crate) mod usage;
pub(crate) mod x25519;

pub(crate) use random::Stream;
