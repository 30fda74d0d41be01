//! Random texts that nobody can guess, and the cookies that carry them.

use hyper::HeaderMap;

use crate::error::ServerError;

/// A random text of 256 bits, in hexadecimal.
///
/// # Errors
/// When the system has no random numbers.
pub(crate) fn random_text() -> Result<String, ServerError> {
    let mut bytes = [0; 32];
    let failed = |error: getrandom::Error| ServerError::System {
        what: "random numbers",
        source: std::io::Error::other(error.to_string()),
    };
    getrandom::fill(&mut bytes).map_err(failed)?;
    Ok(ordain_functions::digest::hex(&bytes))
}

/// The value of a cookie of a request.
pub(crate) fn cookie<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let all = headers.get_all("cookie").iter().filter_map(|value| value.to_str().ok());
    let mut pairs = all.flat_map(|text| text.split(';')).filter_map(|pair| pair.split_once('='));
    pairs.find(|(key, _)| key.trim() == name).map(|(_, value)| value.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_differ() {
        let (one, two) = (random_text().unwrap(), random_text().unwrap());
        assert_eq!(one.len(), 64);
        assert_ne!(one, two);
    }
}
