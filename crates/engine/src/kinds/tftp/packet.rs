//! Packets of TFTP: RFC 1350, with the options of RFC 2347 to 2349.

#![warn(clippy::indexing_slicing)]

use std::time::Duration;

/// A read request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Request {
    pub(super) name: String,
    /// Whether line ends are converted to those of the protocol.
    pub(super) is_text: bool,
    /// The requested block size.
    pub(super) block: Option<u16>,
    /// The requested time until a retransmission.
    pub(super) timeout: Option<u8>,
    /// Whether the client wants the size.
    pub(super) size: bool,
}

/// The error codes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Refusal {
    Undefined = 0,
    NotFound = 1,
    Denied = 2,
    Illegal = 4,
    Options = 8,
}

const READ: u16 = 1;
const WRITE: u16 = 2;
const DATA: u16 = 3;
const ACKNOWLEDGED: u16 = 4;
const ERROR: u16 = 5;
const OPTIONS: u16 = 6;

/// The minimum and maximum block size.
const BLOCKS: (u32, u32) = (8, 65464);

impl Request {
    /// Parses a request; `None` if it needs no answer.
    pub(super) fn parse(bytes: &[u8]) -> Result<Option<Self>, Refusal> {
        let Some((code, rest)) = bytes.split_first_chunk() else { return Ok(None) };
        match u16::from_be_bytes(*code) {
            READ => {}
            WRITE => return Err(Refusal::Denied),
            DATA | ACKNOWLEDGED | ERROR | OPTIONS => return Ok(None),
            _ => return Err(Refusal::Illegal),
        }
        let text = rest.strip_suffix(&[0]).ok_or(Refusal::Illegal)?;
        let texts = text.split(|byte| *byte == 0).map(str::from_utf8);
        let texts: Vec<&str> = texts.collect::<Result<_, _>>().map_err(|_| Refusal::Illegal)?;
        let [name, mode, options @ ..] = texts.as_slice() else { return Err(Refusal::Illegal) };
        let is_text = match mode.to_ascii_lowercase().as_str() {
            "octet" => false,
            "netascii" => true,
            _ => return Err(Refusal::Illegal),
        };
        let mut request =
            Self { name: (*name).to_string(), is_text, block: None, timeout: None, size: false };
        for [name, value] in options.as_chunks::<2>().0 {
            match name.to_ascii_lowercase().as_str() {
                "blksize" => {
                    let wished = value.parse::<u32>().map_err(|_| Refusal::Options)?;
                    request.block = (wished >= BLOCKS.0).then_some(wished.min(BLOCKS.1) as u16);
                }
                "timeout" => request.timeout = value.parse().ok().filter(|seconds| *seconds > 0),
                "tsize" => request.size = true,
                // Unknown packets are ignored.
                _ => {}
            }
        }
        Ok(Some(request))
    }

    /// The granted options; nothing if there are none.
    pub(super) fn granted(&self, size: Option<u64>) -> Option<Vec<u8>> {
        let mut out = OPTIONS.to_be_bytes().to_vec();
        let mut add = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                out.extend([name.as_bytes(), &[0], value.as_bytes(), &[0]].concat());
            }
        };
        add("blksize", self.block.map(|block| block.to_string()));
        add("timeout", self.timeout.map(|seconds| seconds.to_string()));
        add("tsize", size.filter(|_| self.size).map(|size| size.to_string()));
        (out.len() > 2).then_some(out)
    }

    /// The time until a retransmission.
    pub(super) fn timeout(&self, default: Duration) -> Duration {
        self.timeout.map_or(default, |seconds| Duration::from_secs(seconds.into()))
    }
}

/// A block.
pub(super) fn data(number: u16, bytes: &[u8]) -> Vec<u8> {
    [&DATA.to_be_bytes()[..], &number.to_be_bytes(), bytes].concat()
}

/// The packet of an error.
pub(super) fn error(refusal: Refusal) -> Vec<u8> {
    let text = match refusal {
        Refusal::Undefined => "it cannot be read",
        Refusal::NotFound => "there is no such file",
        Refusal::Denied => "nothing can be written here",
        Refusal::Illegal => "this is no request",
        Refusal::Options => "this is no value of an option",
    };
    let code = refusal as u16;
    [&ERROR.to_be_bytes()[..], &code.to_be_bytes(), text.as_bytes(), &[0]].concat()
}

/// The reply of a client to a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reply {
    /// It has it.
    Has(u16),
    /// It does not want any more.
    Enough,
}

impl Reply {
    /// Parses the packet of a client; `None` if it is invalid.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let (code, rest) = bytes.split_first_chunk()?;
        match u16::from_be_bytes(*code) {
            ACKNOWLEDGED => Some(Self::Has(u16::from_be_bytes(*rest.first_chunk()?))),
            ERROR => Some(Self::Enough),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn options_are_granted() {
        let bytes = b"\0\x01a/b\0Octet\0BLKSIZE\x0070000\0tsize\x000\0timeout\x003\0other\0x\0";
        let request = Request::parse(bytes).unwrap().unwrap();
        assert_eq!((request.name.as_str(), request.is_text), ("a/b", false));
        let granted = request.granted(Some(42)).unwrap();
        assert_eq!(granted, b"\0\x06blksize\x0065464\0timeout\x003\0tsize\x0042\0");
        let plain = Request::parse(b"\0\x01a\0netascii\0").unwrap().unwrap();
        assert_eq!((plain.is_text, plain.granted(None)), (true, None));
    }

    #[test]
    fn invalid_requests_are_refused() {
        assert_eq!(Request::parse(b"\0\x02a\0octet\0"), Err(Refusal::Denied));
        let bad: [&[u8]; 5] =
            [b"\0\x09", b"\0\x01a\0octet", b"\0\x01a\0mail\0", b"\0\x01\xff\0octet\0", b"\0\x01"];
        for bad in bad {
            assert_eq!(Request::parse(bad), Err(Refusal::Illegal), "{bad:?}");
        }
        for none in [&b""[..], b"\0", b"\0\x04\0\x01"] {
            assert_eq!(Request::parse(none), Ok(None), "{none:?}");
        }
    }
}
