//! The distinguished encoding rules (DER) of ASN.1, the encoding of certificates and keys.
//!
//! Go reads foreign data field by field and ignores parts that it does not need, such as the rest
//! of a sequence. The types of `der` require complete structures.

use der::asn1::{Any, BitStringRef, IntRef, UintRef};
use der::{Decode, Encode, Length, Reader as _, SliceReader, Tag, TagNumber};

/// The tag of a field with this number.
pub(super) const fn context(number: u8) -> Tag {
    Tag::ContextSpecific { constructed: false, number: TagNumber::new(number) }
}

/// The same for a constructed field.
pub(super) const fn context_constructed(number: u8) -> Tag {
    Tag::ContextSpecific { constructed: true, number: TagNumber::new(number) }
}

/// The encoding of a value.
///
/// # Errors
/// When it is too long.
pub(super) fn written(value: &impl Encode) -> Result<Vec<u8>, String> {
    value.to_der().map_err(|e| format!("asn1: {e}"))
}

/// A value with this tag.
///
/// # Errors
/// When it is too long.
pub(super) fn tagged(tag: Tag, content: &[u8]) -> Result<Any, String> {
    Any::new(tag, content).map_err(|e| format!("asn1: {e}"))
}

/// A set: its values in the order of their bytes.
///
/// # Errors
/// When it is too long.
pub(super) fn set(mut parts: Vec<Vec<u8>>) -> Result<Any, String> {
    parts.sort();
    tagged(Tag::Set, &parts.concat())
}

/// Bytes without leading zeros.
pub(super) fn trimmed(bytes: &[u8]) -> &[u8] {
    &bytes[bytes.iter().take_while(|b| **b == 0).count()..]
}

/// Flags as a bit string, the first one in front, without trailing zeros.
///
/// # Errors
/// None: the bit string is short.
pub(super) fn flags(flags: u16) -> Result<Vec<u8>, String> {
    let reversed = flags.reverse_bits().to_be_bytes();
    let used = usize::from(reversed[1] != 0) + 1;
    let spare = reversed[used - 1].trailing_zeros().min(7);
    let bits = BitStringRef::new(u8::try_from(spare).unwrap_or(0), &reversed[..used]);
    written(&bits.map_err(|e| format!("asn1: {e}"))?)
}

/// Reads values one after the other.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a>(pub(super) &'a [u8]);

impl<'a> Reader<'a> {
    /// Whether everything has been read.
    pub(super) fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// Whether the next value has this tag.
    pub(super) fn next_is(self, tag: Tag) -> bool {
        self.0.first() == Some(&tag.octet())
    }

    /// The next value.
    pub(super) fn read<T: Decode<'a>>(&mut self) -> Option<T> {
        let mut reader = SliceReader::new(self.0).ok()?;
        let value = reader.decode().ok()?;
        self.0 = self.0.get(usize::try_from(reader.position()).ok()?..)?;
        Some(value)
    }

    /// The next value: its tag and its content. The library does not know all tags.
    pub(super) fn any(&mut self) -> Option<(u8, &'a [u8])> {
        const NUMBER: u8 = 0x1f;
        let (tag, rest) = self.0.split_first()?;
        if tag & NUMBER == NUMBER {
            return None;
        }
        let mut reader = SliceReader::new(rest).ok()?;
        let length: Length = reader.decode().ok()?;
        let content = reader.read_slice(length).ok()?;
        self.0 = rest.get(usize::try_from(reader.position()).ok()?..)?;
        Some((*tag, content))
    }

    /// The content of the next value if it has this tag.
    pub(super) fn take(&mut self, tag: Tag) -> Option<&'a [u8]> {
        if self.next_is(tag) { self.any().map(|(_, content)| content) } else { None }
    }

    /// The content of the next sequence.
    pub(super) fn sequence(&mut self) -> Option<Self> {
        self.take(Tag::Sequence).map(Self)
    }

    /// The complete bytes of the next sequence, and its content.
    pub(super) fn whole_sequence(&mut self) -> Option<(&'a [u8], Self)> {
        let before = self.0;
        let content = self.sequence()?;
        Some((&before[..before.len() - self.0.len()], content))
    }

    /// The bytes of the next signed number.
    pub(super) fn signed(&mut self) -> Option<&'a [u8]> {
        let mut again = *self;
        again.read::<IntRef<'_>>()?;
        self.take(Tag::Integer)
    }

    /// The bytes of the next number if it is positive.
    pub(super) fn positive(&mut self) -> Option<&'a [u8]> {
        let bytes = self.read::<UintRef<'_>>()?.as_bytes();
        (bytes != [0]).then_some(bytes)
    }

    /// The bytes of the next string of bits.
    pub(super) fn bit_string(&mut self) -> Option<&'a [u8]> {
        let bits: BitStringRef<'_> = self.read()?;
        let unused = (1_u8 << bits.unused_bits()) - 1;
        let good = bits.raw_bytes().last().is_none_or(|last| last & unused == 0);
        good.then_some(bits.raw_bytes())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use der::asn1::{AnyRef, Null};

    use super::*;

    #[test]
    fn values_are_read_one_after_the_other() {
        let number = written(&300_u16).unwrap();
        let text = [written(&vec![AnyRef::from(Null)]).unwrap(), number, flags(5).unwrap()];
        let text = text.concat();
        let mut reader = Reader(&text);
        assert!(!reader.next_is(Tag::Integer));
        assert_eq!(reader.positive(), None);
        let (whole, inner) = reader.whole_sequence().unwrap();
        assert_eq!((whole, inner.0), (&text[..4], &[5, 0][..]));
        assert_eq!(reader.positive(), Some(&[1, 44][..]));
        assert_eq!(reader.bit_string(), Some(&[0b1010_0000][..]));
        assert!(reader.is_empty());
        assert_eq!(flags(1 << 8).unwrap(), [3, 3, 7, 0, 0x80]);
        assert_eq!(Reader(&[3, 2, 1, 1]).bit_string(), None);
    }

    #[test]
    fn only_the_shortest_form_is_read() {
        for broken in [
            &[0x30, 0x81, 1, 0][..],
            &[0x30, 0x82, 0, 0x80],
            &[0x30, 0x80, 0, 0],
            &[0x30, 5, 0],
            &[0x1f, 1, 0],
            &[0x30],
            &[0x30, 0x84, 0xff, 0xff, 0xff, 0xff],
        ] {
            assert!(Reader(broken).any().is_none(), "{broken:?}");
        }
        assert_eq!(Reader(&[0x1c, 1, 7]).any(), Some((0x1c, &[7][..])));
    }

    #[test]
    fn numbers_have_signs() {
        assert_eq!(Reader(&[2, 2, 0, 1]).signed(), None);
        assert_eq!(Reader(&[2, 0]).signed(), None);
        assert_eq!(Reader(&[2, 1, 0xff]).signed(), Some(&[0xff][..]));
        assert_eq!(Reader(&[2, 2, 0, 0xff]).signed(), Some(&[0, 0xff][..]));
        assert_eq!(Reader(&[2, 1, 0xff]).read::<i64>(), Some(-1));
        assert_eq!(Reader(&[2, 1, 0xff]).positive(), None);
        assert_eq!(Reader(&[2, 1, 0]).positive(), None);
    }
}
