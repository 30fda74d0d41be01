//! Users who sign in, and those who have signed in, in memory.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use ordain_explorer::Viewer;
use ordain_functions::digest::sha256;

use crate::error::ServerError;
use crate::token::random_text;

/// The time in which a user has to sign in.
pub(super) const SIGN_IN: Duration = Duration::from_secs(600);
/// The time after which a user has to sign in again.
pub(super) const SESSION: Duration = Duration::from_secs(8 * 3_600);
/// The maximum number of sign-ins that have begun. Each takes some hundred bytes.
const MOST_BEGUN: usize = 100_000;
/// The maximum number of sessions.
const MOST_SESSIONS: usize = 10_000;

/// A sign-in that has begun.
#[derive(Clone, Debug)]
pub(super) struct Begun {
    pub(super) state: String,
    pub(super) nonce: String,
    /// The secret of PKCE (RFC 7636).
    pub(super) verifier: String,
}

/// Entries that expire. If there are too many, a new one takes the place of the oldest: nobody can keep
/// others from signing in by beginning many sign-ins.
struct Expiring<T> {
    most: usize,
    entries: Mutex<HashMap<String, (Instant, T)>>,
}

impl<T> Expiring<T> {
    fn new(most: usize) -> Self {
        Self { most, entries: Mutex::default() }
    }

    fn add(&self, key: String, value: T, time: Duration) {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if entries.len() >= self.most {
            entries.retain(|_, (until, _)| now < *until);
            let oldest = entries.iter().min_by_key(|(_, (until, _))| *until);
            let oldest = oldest.map(|(key, _)| key.clone());
            if entries.len() >= self.most
                && let Some(oldest) = oldest
            {
                entries.remove(&oldest);
            }
        }
        entries.insert(key, (now + time, value));
    }

    fn take(&self, key: &str) -> Option<T> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let (until, value) = entries.remove(key)?;
        (Instant::now() < until).then_some(value)
    }
}

/// All sign-ins and sessions.
pub(super) struct Sessions {
    begun: Expiring<Begun>,
    /// By digests of the cookies, so that nothing in memory is a cookie.
    users: Expiring<Viewer>,
}

impl Default for Sessions {
    fn default() -> Self {
        Self { begun: Expiring::new(MOST_BEGUN), users: Expiring::new(MOST_SESSIONS) }
    }
}

impl Sessions {
    /// Begins a sign-in.
    ///
    /// # Errors
    /// When the system has no random numbers.
    pub(super) fn begin(&self) -> Result<Begun, ServerError> {
        let begun =
            Begun { state: random_text()?, nonce: random_text()?, verifier: random_text()? };
        self.begun.add(begun.state.clone(), begun.clone(), SIGN_IN);
        Ok(begun)
    }

    /// The sign-in with a state. It is there once.
    pub(super) fn begun(&self, state: &str) -> Option<Begun> {
        self.begun.take(state)
    }

    /// Begins the session of a user. Returns the value of the cookie.
    ///
    /// # Errors
    /// When the system has no random numbers.
    pub(super) fn open(&self, viewer: Viewer) -> Result<String, ServerError> {
        let cookie = random_text()?;
        self.users.add(sha256(cookie.as_bytes()), viewer, SESSION);
        Ok(cookie)
    }

    /// The user of a cookie.
    pub(super) fn user(&self, cookie: &str) -> Option<Viewer> {
        let entries = self.users.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let (until, viewer) = entries.get(&sha256(cookie.as_bytes()))?;
        (Instant::now() < *until).then(|| viewer.clone())
    }

    /// Ends a session. Returns its user.
    pub(super) fn close(&self, cookie: &str) -> Option<Viewer> {
        self.users.take(&sha256(cookie.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_entry_takes_the_place_of_the_oldest() {
        let entries = Expiring::new(2);
        for (key, seconds) in [("b", 20), ("a", 10), ("c", 30)] {
            entries.add(key.to_owned(), (), Duration::from_secs(seconds));
        }
        assert_eq!(
            (entries.take("a"), entries.take("b"), entries.take("b")),
            (None, Some(()), None)
        );
        entries.add("d".to_owned(), (), Duration::ZERO);
        assert_eq!(entries.take("d"), None);
    }
}
