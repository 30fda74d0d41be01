//! A stream of random bytes from a seed: SHA-256 of the seed and a counter.

use std::convert::Infallible;

use crypto_bigint::rand_core::{TryCryptoRng, TryRng};
use sha2::{Digest, Sha256};

const BLOCK: usize = 32;

/// A stream of bytes that nobody can foretell who does not know the seed.
pub(crate) struct Stream {
    seed: [u8; BLOCK],
    counter: u64,
    block: [u8; BLOCK],
    left: usize,
}

impl Stream {
    /// The stream of a seed.
    pub(crate) fn new(seed: [u8; BLOCK]) -> Self {
        Self { seed, counter: 0, block: [0; BLOCK], left: 0 }
    }

    /// A stream that depends on these bytes too.
    pub(super) fn mixed(&mut self, parts: &[&[u8]]) -> Self {
        let mut hash = Sha256::new().chain_update(self.bytes::<BLOCK>());
        for part in parts {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        Self::new(hash.finalize().into())
    }

    /// The next bytes.
    pub(crate) fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let mut out = [0; N];
        self.fill(&mut out);
        out
    }

    fn fill(&mut self, out: &mut [u8]) {
        for byte in out {
            if self.left == 0 {
                let hash = Sha256::new().chain_update(self.seed);
                self.block = hash.chain_update(self.counter.to_be_bytes()).finalize().into();
                self.counter += 1;
                self.left = BLOCK;
            }
            *byte = self.block[BLOCK - self.left];
            self.left -= 1;
        }
    }
}

impl TryRng for Stream {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(u32::from_le_bytes(self.bytes()))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(u64::from_le_bytes(self.bytes()))
    }

    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), Infallible> {
        self.fill(out);
        Ok(())
    }
}

impl TryCryptoRng for Stream {}
