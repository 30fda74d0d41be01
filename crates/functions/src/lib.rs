//! Language-neutral pure functions on plain Rust types.
//!
//! ```
//! use ordain_functions::{digest, shell};
//!
//! assert_eq!(shell::escape("two words"), "two\\ words");
//! assert!(digest::sha256(b"text").starts_with("982d9e3e"));
//! ```
//!
//! The crate must not know: value types, source positions, languages and the outside world. Front
//! ends bind its functions under their own names and add positions to its [`Error`]s.
//!
//! | module | functions |
//! | --- | --- |
//! | [`regex`] | [`regex::compile`] per [`regex::Dialect`], [`regex::Regex`], [`regex::escape`] |
//! | [`printf`] | [`printf::ruby::sprintf`]; [`printf::python::parse`], [`printf::python::format`] |
//! | [`float`] | float text: [`float::to_ruby`], [`float::to_go`], [`float::to_python`]; [`float::parse_ruby`], [`float::parse_python`] |
//! | [`go`] | Go's functions on texts and numbers: quotes, numbers, `fmt`, paths, times, URLs |
//! | [`integer`] | [`integer::parse_ruby`], [`integer::parse_python`] |
//! | [`scanf`] | [`scanf::scanf`] |
//! | [`checksum`] | [`checksum::Checksum`] of files, [`checksum::Algorithm`] |
//! | [`digest`] | [`digest::md5`], [`digest::sha1`], [`digest::sha256`], [`digest::sha512`], [`digest::crc32`] |
//! | [`base64`] | [`base64::encode`], [`base64::decode`] in Ruby's modes |
//! | [`random`] | [`random::MersenneTwister`], [`random::fqdn_rand`], [`random::seeded_rand`], [`random::seeded_rand_string`], [`random::fqdn_rand_string`], [`random::fqdn_rotation`], [`random::fqdn_uuid`] |
//! | [`text`] | [`text::inspect_ruby`], [`text::repr_python`], [`text::capitalize`], [`text::swapcase`], [`text::squeeze`], [`text::CharSet`], [`text::successor`], [`text::range`], [`text::to_bytes`], [`text::basename`], [`text::dirname`], [`text::extname`], [`text::dos2unix`], [`text::unix2dos`], [`text::xml_encode`] |
//! | [`shell`] | [`shell::shellquote`], [`shell::escape`], [`shell::join`], [`shell::split`] |
//! | [`ip`] | [`ip::parse_network`], [`ip::parse_address`], [`ip::contains`], [`ip::network`], [`ip::netmask`], [`ip::expanded`] |
//! | [`uri`] | [`uri::Uri`], [`uri::escape`], [`uri::unescape`], [`uri::default_port`] |
//! | [`crypt`] | [`crypt::hash`] |
//! | [`bcrypt`] | [`bcrypt::hash`], [`bcrypt::digest`] |
//! | [`pbkdf2`] | [`pbkdf2::sha512`] |
//! | [`pkcs7`] | [`pkcs7::open`] with [`pkcs7::PrivateKey`] and [`pkcs7::Certificate`] |
//! | [`version`] | [`version::compare_puppet`], [`version::Version`], [`version::Range`], [`version::compare_deb`] |
//! | [`time`] | [`time::format`], [`time::parse`], [`time::parse_any`], [`time::format_span`], [`time::parse_span`], [`time::offset`], [`time::clock_offset`], [`time::Civil`] |

pub mod base64;
pub mod bcrypt;
pub mod checksum;
pub mod crypt;
pub mod digest;
mod error;
pub mod float;
pub mod go;
pub mod integer;
pub mod ip;
pub mod pbkdf2;
pub mod pkcs7;
pub mod printf;
pub mod random;
pub mod regex;
pub mod scanf;
pub mod shell;
pub mod text;
pub mod time;
pub mod uri;
pub mod version;
pub mod x509;

pub use error::{Error, Result};
