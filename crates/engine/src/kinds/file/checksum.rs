//! Comparison of content.

use std::io::{self, Read};

/// A read buffer: small at first, since most files are small and a buffer has to be cleared.
#[derive(Default)]
struct Buffer(Vec<u8>);

impl Buffer {
    fn next(&mut self) -> &mut [u8] {
        let size = if self.0.is_empty() { 4 << 10 } else { 64 << 10 };
        if self.0.len() < size {
            self.0.resize(size, 0);
        }
        &mut self.0
    }
}

/// Whether two readers give the same bytes.
pub(super) fn same(mut a: impl Read, mut b: impl Read) -> io::Result<bool> {
    let (mut first, mut second) = (Buffer::default(), Buffer::default());
    loop {
        let (x, y) = (first.next(), second.next());
        let n = fill(&mut a, x)?;
        let m = fill(&mut b, y)?;
        if x[..n] != y[..m] {
            return Ok(false);
        }
        if n < x.len() {
            return Ok(true);
        }
    }
}

fn fill(reader: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match reader.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn readers_compare_by_all_their_bytes() {
        let a = vec![1; 200_000];
        let mut b = a.clone();
        assert!(same(&a[..], &b[..]).unwrap());
        b[199_999] = 2;
        assert!(!same(&a[..], &b[..]).unwrap());
        assert!(!same(&a[..], &a[..199_999]).unwrap());
    }
}
