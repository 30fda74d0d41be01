//! The distinguished encoding rules (DER) of ASN.1: what certificates and keys are written in.

pub(super) const BOOLEAN: u8 = 0x01;
pub(super) const INTEGER: u8 = 0x02;
pub(super) const BIT_STRING: u8 = 0x03;
pub(super) const OCTET_STRING: u8 = 0x04;
pub(super) const NULL: u8 = 0x05;
pub(super) const OID: u8 = 0x06;
pub(super) const UTF8_STRING: u8 = 0x0c;
pub(super) const NUMERIC_STRING: u8 = 0x12;
pub(super) const PRINTABLE_STRING: u8 = 0x13;
pub(super) const T61_STRING: u8 = 0x14;
pub(super) const IA5_STRING: u8 = 0x16;
pub(super) const UTC_TIME: u8 = 0x17;
pub(super) const GENERALIZED_TIME: u8 = 0x18;
pub(super) const BMP_STRING: u8 = 0x1e;
pub(super) const SEQUENCE: u8 = 0x30;
pub(super) const SET: u8 = 0x31;

/// The tag of a field that is told from others by its number.
pub(super) const fn context(number: u8) -> u8 {
    0x80 | number
}

/// The same for a field with others in it.
pub(super) const fn context_constructed(number: u8) -> u8 {
    0xa0 | number
}

/// A value with its tag and length.
pub(super) fn value(tag: u8, content: &[u8]) -> Vec<u8> {
    const SHORT: usize = 0x80;
    let mut out = vec![tag];
    let length = content.len();
    if length < SHORT {
        out.extend(u8::try_from(length));
    } else {
        let bytes = length.to_be_bytes();
        let skip = bytes.iter().take_while(|b| **b == 0).count();
        out.extend(u8::try_from(SHORT | (bytes.len() - skip)));
        out.extend_from_slice(&bytes[skip..]);
    }
    out.extend_from_slice(content);
    out
}

/// Several values as one.
pub(super) fn sequence(parts: &[&[u8]]) -> Vec<u8> {
    value(SEQUENCE, &parts.concat())
}

/// A set: its values in the order of their bytes.
pub(super) fn set(mut parts: Vec<Vec<u8>>) -> Vec<u8> {
    parts.sort();
    value(SET, &parts.concat())
}

/// A number that is not negative, from its bytes.
pub(super) fn integer(bytes: &[u8]) -> Vec<u8> {
    const SIGN: u8 = 0x80;
    let mut content = trimmed(bytes).to_vec();
    if content.first().is_none_or(|b| b & SIGN != 0) {
        content.insert(0, 0);
    }
    value(INTEGER, &content)
}

/// Bytes without those in front that are nothing.
pub(super) fn trimmed(bytes: &[u8]) -> &[u8] {
    &bytes[bytes.iter().take_while(|b| **b == 0).count()..]
}

/// Whole bytes as a string of bits.
pub(super) fn bits(bytes: &[u8]) -> Vec<u8> {
    value(BIT_STRING, &[&[0], bytes].concat())
}

/// Flags as a string of bits, the first one in front, without those at the end that are not set.
pub(super) fn flags(flags: u16) -> Vec<u8> {
    let reversed = flags.reverse_bits().to_be_bytes();
    let used = usize::from(reversed[1] != 0) + 1;
    let spare = reversed[used - 1].trailing_zeros().min(7);
    let mut content: Vec<u8> = u8::try_from(spare).into_iter().collect();
    content.extend_from_slice(&reversed[..used]);
    value(BIT_STRING, &content)
}

/// Reads values one after the other.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a>(pub(super) &'a [u8]);

/// A value that was read.
#[derive(Clone, Copy)]
pub(super) struct Element<'a> {
    /// What it is.
    pub(super) tag: u8,
    /// What is in it.
    pub(super) content: &'a [u8],
    /// All of it.
    pub(super) whole: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Whether nothing is left.
    pub(super) fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// The tag of the next value.
    pub(super) fn peek(self) -> Option<u8> {
        self.0.first().copied()
    }

    /// The next value.
    pub(super) fn any(&mut self) -> Option<Element<'a>> {
        const LONG: u8 = 0x80;
        const NUMBER: u8 = 0x1f;
        const MOST: usize = 4;
        let (tag, first) = (*self.0.first()?, *self.0.get(1)?);
        if tag & NUMBER == NUMBER {
            return None;
        }
        let (start, length) = if first < LONG {
            (2, usize::from(first))
        } else {
            let count = usize::from(first & !LONG);
            let bytes = self.0.get(2..2 + count).filter(|_| (1..=MOST).contains(&count))?;
            let length = bytes.iter().fold(0, |n, b| n << 8 | usize::from(*b));
            // The shortest form is the only one.
            if bytes[0] == 0 || length < usize::from(LONG) {
                return None;
            }
            (2 + count, length)
        };
        let end = start.checked_add(length)?;
        let whole = self.0.get(..end)?;
        self.0 = &self.0[end..];
        Some(Element { tag, content: &whole[start..], whole })
    }

    /// The next value if it has this tag.
    pub(super) fn element(&mut self, tag: u8) -> Option<Element<'a>> {
        if self.peek() == Some(tag) { self.any() } else { None }
    }

    /// What is in the next value if it has this tag.
    pub(super) fn take(&mut self, tag: u8) -> Option<&'a [u8]> {
        self.element(tag).map(|e| e.content)
    }

    /// What is in the next sequence.
    pub(super) fn sequence(&mut self) -> Option<Self> {
        self.take(SEQUENCE).map(Self)
    }

    /// The bytes of the next number, which has a sign.
    pub(super) fn signed(&mut self) -> Option<&'a [u8]> {
        let bytes = self.take(INTEGER)?;
        match bytes {
            [] | [0, 0..=0x7f, ..] | [0xff, 0x80..=0xff, ..] => None,
            _ => Some(bytes),
        }
    }

    /// The bytes of the next number if it is above zero.
    pub(super) fn positive(&mut self) -> Option<&'a [u8]> {
        let bytes = self.signed()?;
        (bytes[0] < 0x80 && bytes != [0]).then(|| trimmed(bytes))
    }

    /// The next number if it is small.
    pub(super) fn small(&mut self) -> Option<i64> {
        let bytes = self.signed()?;
        let start = if bytes[0] < 0x80 { 0 } else { -1 };
        (bytes.len() <= 8).then(|| bytes.iter().fold(start, |n, b| n << 8 | i64::from(*b)))
    }

    /// The next truth value.
    pub(super) fn boolean(&mut self) -> Option<bool> {
        match self.take(BOOLEAN)? {
            [0] => Some(false),
            [0xff] => Some(true),
            _ => None,
        }
    }

    /// The next string of bits: how many at the end do not count, and the bytes.
    pub(super) fn bit_string(&mut self) -> Option<(u8, &'a [u8])> {
        let (spare, bytes) = self.take(BIT_STRING)?.split_first()?;
        let last = bytes.last().copied();
        let good = match last {
            None => *spare == 0,
            Some(last) => *spare < 8 && last & ((1 << spare) - 1) == 0,
        };
        good.then_some((*spare, bytes))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let long = vec![7; 300];
        let text = sequence(&[&integer(&[0, 0x80]), &value(OCTET_STRING, &long), &flags(5)]);
        let mut outer = Reader(&text);
        let mut inner = outer.sequence().unwrap();
        assert!(outer.is_empty());
        assert_eq!(inner.positive(), Some(&[0x80][..]));
        assert_eq!(inner.take(OCTET_STRING), Some(&long[..]));
        assert_eq!(inner.bit_string(), Some((5, &[0b1010_0000][..])));
        assert_eq!(flags(1 << 8), [BIT_STRING, 3, 7, 0, 0x80]);
    }

    #[test]
    fn only_the_shortest_form_is_read() {
        for broken in [
            &[SEQUENCE, 0x81, 1, 0][..],
            &[SEQUENCE, 0x82, 0, 0x80],
            &[SEQUENCE, 0x80, 0, 0],
            &[SEQUENCE, 5, 0],
            &[0x1f, 1, 0],
            &[SEQUENCE],
            &[SEQUENCE, 0x84, 0xff, 0xff, 0xff, 0xff],
        ] {
            assert!(Reader(broken).any().is_none(), "{broken:?}");
        }
        assert_eq!(Reader(&[INTEGER, 2, 0, 1]).signed(), None);
        assert_eq!(Reader(&[INTEGER, 1, 0xff]).small(), Some(-1));
        assert_eq!(Reader(&[INTEGER, 1, 0xff]).positive(), None);
    }
}
