//! Repeatable randomness: Ruby's generator, seeded from names as Puppet does.
//!
//! Nothing here is random: the same arguments have the same result everywhere, equal to that of the
//! Ruby program.

use sha2::Digest;

use crate::{Error, Result, digest};

const STATE: usize = 624;
const SHIFT: usize = 397;

/// The longest text that the functions make.
const MAX_LENGTH: usize = 1 << 20;

/// The Mersenne Twister MT19937, seeded and used like Ruby's `Random`.
#[derive(Clone)]
pub struct MersenneTwister {
    state: [u32; STATE],
    next: usize,
}

impl MersenneTwister {
    /// The generator of Ruby's `Random.new(seed)`, for a big-endian seed.
    pub fn from_be_bytes(seed: &[u8]) -> Self {
        let mut words: Vec<u32> = seed
            .rchunks(4)
            .map(|chunk| chunk.iter().fold(0, |word, &byte| (word << 8) | u32::from(byte)))
            .collect();
        while words.len() > 1 && words.last() == Some(&0) {
            words.pop();
        }
        match words.as_slice() {
            [] => Self::from_word(0),
            [word] => Self::from_word(*word),
            _ => Self::from_words(&words),
        }
    }

    fn from_word(seed: u32) -> Self {
        let mut state = [0; STATE];
        state[0] = seed;
        for index in 1..STATE {
            let last = state[index - 1];
            state[index] =
                1_812_433_253_u32.wrapping_mul(last ^ (last >> 30)).wrapping_add(index as u32);
        }
        MersenneTwister { state, next: STATE }
    }

    fn from_words(key: &[u32]) -> Self {
        let mut twister = Self::from_word(19_650_218);
        let state = &mut twister.state;
        let mut at = 1;
        let mix = |state: &[u32; STATE], at: usize, factor: u32| {
            let last = state[at - 1];
            state[at] ^ (last ^ (last >> 30)).wrapping_mul(factor)
        };
        for step in 0..STATE.max(key.len()) {
            let index = step % key.len();
            state[at] =
                mix(state, at, 1_664_525).wrapping_add(key[index]).wrapping_add(index as u32);
            at = advance(state, at);
        }
        for _ in 1..STATE {
            state[at] = mix(state, at, 1_566_083_941).wrapping_sub(at as u32);
            at = advance(state, at);
        }
        state[0] = 0x8000_0000;
        twister
    }

    /// The next 32 bits.
    pub fn next_u32(&mut self) -> u32 {
        if self.next >= STATE {
            self.refill();
        }
        let mut word = self.state[self.next];
        self.next += 1;
        word ^= word >> 11;
        word ^= (word << 7) & 0x9d2c_5680;
        word ^= (word << 15) & 0xefc6_0000;
        word ^ (word >> 18)
    }

    fn refill(&mut self) {
        for index in 0..STATE {
            let joined =
                (self.state[index] & 0x8000_0000) | (self.state[(index + 1) % STATE] & 0x7fff_ffff);
            let odd = if joined & 1 == 1 { 0x9908_b0df } else { 0 };
            self.state[index] = self.state[(index + SHIFT) % STATE] ^ (joined >> 1) ^ odd;
        }
        self.next = 0;
    }

    /// A number below `limit`, as Ruby's `Random#rand(limit)` draws it.
    ///
    /// # Errors
    /// `invalid argument - 0` if there is no such number.
    pub fn below(&mut self, limit: u64) -> Result<u64> {
        let Some(highest) = limit.checked_sub(1) else {
            return Err(Error::Argument("invalid argument - 0".into()));
        };
        let mask = u64::MAX.checked_shr(highest.leading_zeros()).unwrap_or(0);
        'draw: loop {
            let mut value = 0;
            for shift in [32, 0] {
                if (mask >> shift) & 0xffff_ffff == 0 {
                    continue;
                }
                value = (value | (u64::from(self.next_u32()) << shift)) & mask;
                if value > highest {
                    continue 'draw;
                }
            }
            return Ok(value);
        }
    }
}

fn advance(state: &mut [u32; STATE], at: usize) -> usize {
    if at + 1 < STATE {
        return at + 1;
    }
    state[0] = state[STATE - 1];
    1
}

/// A number below `max` from the seed text: stdlib's `seeded_rand`.
///
/// # Errors
/// [`Error::Argument`] if `max` is zero.
pub fn seeded_rand(max: u64, seed: &str) -> Result<u64> {
    MersenneTwister::from_be_bytes(&md5::Md5::digest(seed)).below(max)
}

/// A number below `max` for the node: Puppet's `fqdn_rand`.
///
/// ```
/// assert_eq!(ordain_functions::random::fqdn_rand("a.b", 100, "x")?, 69);
/// # Ok::<(), ordain_functions::Error>(())
/// ```
///
/// # Errors
/// [`Error::Argument`] if `max` is zero.
pub fn fqdn_rand(fqdn: &str, max: u64, seed: &str) -> Result<u64> {
    seeded_rand(max, &format!("{fqdn}:{max}:{seed}"))
}

/// A text for the node from characters of the set: stdlib's `fqdn_rand_string`. An empty `charset`
/// means digits, upper-case and lower-case letters.
///
/// # Errors
/// [`Error::Argument`] if `length` is too big.
pub fn fqdn_rand_string(fqdn: &str, length: usize, charset: &str, seed: &[&str]) -> Result<String> {
    check_length(length)?;
    const DEFAULT: &str = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let set: Vec<char> = if charset.is_empty() { DEFAULT } else { charset }.chars().collect();
    (1..=length)
        .map(|position| {
            let mut parts: Vec<&str> = seed.to_vec();
            let number = position.to_string();
            parts.push(&number);
            Ok(set[fqdn_rand(fqdn, set.len() as u64, &parts.join(":"))? as usize])
        })
        .collect()
}

/// A text for the seed from characters of the set: stdlib's `seeded_rand_string`. An empty
/// `charset` means digits, lower-case and upper-case letters.
///
/// # Errors
/// [`Error::Argument`] if `length` is too big.
pub fn seeded_rand_string(length: usize, seed: &str, charset: &str) -> Result<String> {
    check_length(length)?;
    const DEFAULT: &str = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    let set: Vec<char> = if charset.is_empty() { DEFAULT } else { charset }.chars().collect();
    let mut generator = MersenneTwister::from_be_bytes(&sha2::Sha256::digest(seed));
    (0..length).map(|_| Ok(set[generator.below(set.len() as u64)? as usize])).collect()
}

fn check_length(length: usize) -> Result<()> {
    if length > MAX_LENGTH {
        return Err(Error::Argument(format!(
            "a random text may have {MAX_LENGTH} characters at most"
        )));
    }
    Ok(())
}

/// The number of places by which stdlib's `fqdn_rotate` rotates `length` elements to the left.
///
/// # Errors
/// [`Error::Argument`] if `length` is zero.
pub fn fqdn_rotation(fqdn: &str, seeds: &[&str], length: usize) -> Result<usize> {
    let seed = format!("{fqdn}:{}", seeds.join(":"));
    Ok(seeded_rand(length as u64, &seed)? as usize)
}

/// The name's UUID (version 5) in the namespace of domain names: stdlib's `fqdn_uuid`.
pub fn fqdn_uuid(name: &str) -> String {
    const DNS: [u8; 16] = [
        0x6b, 0xa7, 0xb8, 0x10, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30,
        0xc8,
    ];
    let hash = digest::sha1_bytes(&[DNS.as_slice(), name.as_bytes()].concat());
    digest::uuid(std::array::from_fn(|at| hash[at]), 5)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn node_numbers_are_those_of_puppet() {
        assert_eq!(fqdn_rand("a.b", 100, "x").unwrap(), 69);
        assert_eq!(fqdn_rand("a.b", 30, "").unwrap(), 9);
        assert_eq!(fqdn_rand("a.b", 1_000_000, "y").unwrap(), 996_542);
        assert_eq!(fqdn_rand("a.b", 0, "").unwrap_err().to_string(), "invalid argument - 0");
    }

    #[test]
    fn texts_are_those_of_stdlib() {
        assert_eq!(seeded_rand_string(12, "s", "").unwrap(), "uJC9NGKGHXim");
        assert_eq!(fqdn_rand_string("h.x", 10, "", &[]).unwrap(), "ujTNUDKGaO");
        assert_eq!(fqdn_rand_string("h.x", 10, "", &["q"]).unwrap(), "9Ph1uK51sM");
        assert_eq!(fqdn_rand("h.x", 1 << 40, "z").unwrap(), 310_409_889_642);
        assert_eq!(fqdn_rotation("h.x", &[], 7).unwrap(), 6);
        assert_eq!(fqdn_rotation("h.x", &["a", "b"], 7).unwrap(), 6);
    }

    #[test]
    fn one_word_seeds() {
        let mut generator = MersenneTwister::from_be_bytes(&5489_u32.to_be_bytes());
        assert_eq!(generator.next_u32(), 3_499_211_612);
    }

    #[test]
    fn uuids_are_those_of_the_documentation() {
        assert_eq!(fqdn_uuid("puppetlabs.com"), "9c70320f-6815-5fc5-ab0f-debe68bf764c");
        assert_eq!(fqdn_uuid("google.com"), "64ee70a4-8cc1-5d25-abf2-dea6c79a09c8");
    }
}
