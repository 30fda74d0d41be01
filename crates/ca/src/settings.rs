//! Settings of an authority.

use std::path::PathBuf;
use std::time::Duration;

use crate::key::KeyAlgorithm;
use crate::time::{Clock, system_clock};

/// Five years in seconds, the default of Puppet's `ca_ttl`.
const FIVE_YEARS: u64 = 5 * 365 * 86_400;
/// Sixty days in seconds, the default of `auto_renewal_ttl`.
const SIXTY_DAYS: u64 = 60 * 86_400;

/// The settings of an authority.
#[derive(Clone)]
pub struct Settings {
    /// The validity period of new certificates.
    pub ttl: Duration,
    /// Which requests are signed without an administrator.
    pub autosign: Autosign,
    /// Whether requests may have authorization extensions (below 1.3.6.1.4.1.34380.1.3).
    /// `pp_cli_auth` is always refused.
    pub allow_authorization_extensions: bool,
    /// Whether requests may have subject alternative names other than their certname.
    pub allow_subject_alt_names: bool,
    /// Whether a new request may replace a request or certificate of the same name.
    pub allow_duplicate_certs: bool,
    /// Whether agents may renew their certificates.
    pub allow_auto_renewal: bool,
    /// The validity period of certificates that agents renew.
    pub auto_renewal_ttl: Duration,
    /// The time limit of an autosign command.
    pub autosign_timeout: Duration,
    /// The clock.
    pub clock: Clock,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            ttl: Duration::from_secs(FIVE_YEARS),
            autosign: Autosign::Off,
            allow_authorization_extensions: false,
            allow_subject_alt_names: false,
            allow_duplicate_certs: false,
            allow_auto_renewal: false,
            auto_renewal_ttl: Duration::from_secs(SIXTY_DAYS),
            autosign_timeout: Duration::from_secs(60),
            clock: system_clock(),
        }
    }
}

impl std::fmt::Debug for Settings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Settings")
            .field("ttl", &self.ttl)
            .field("autosign", &self.autosign)
            .finish_non_exhaustive()
    }
}

/// Which requests are signed without an administrator.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Autosign {
    /// None.
    #[default]
    Off,
    /// All requests that the policy allows.
    All,
    /// Those that a file accepts. An executable file gets the certname as its argument and the
    /// request on standard input; exit code 0 accepts the request. Any other file lists certnames
    /// and globs such as `*.example.org`, one per line. The file is read again for each request. A
    /// missing file accepts nothing.
    File(PathBuf),
}

/// The options of a new authority.
#[derive(Debug, Clone, Default)]
pub struct CreateOptions {
    /// The common name of its certificate; `None` for a generated, unique one.
    pub name: Option<String>,
    /// The key algorithm.
    pub key: KeyAlgorithm,
    /// The validity period of its certificate; `None` for fifteen years.
    pub ttl: Option<Duration>,
}

/// Options for signing a request.
#[derive(Debug, Clone, Default)]
pub struct SignOptions {
    /// The validity period; `None` for that of the settings.
    pub ttl: Option<Duration>,
    /// Allows subject alternative names in this request, whatever the settings say.
    pub allow_subject_alt_names: bool,
    /// Allows authorization extensions in this request, whatever the settings say.
    pub allow_authorization_extensions: bool,
}

/// Parses a validity period as Puppet writes it: seconds (`3600`), or numbers with units (`90d`,
/// `1y6h`). A year has 365 days.
///
/// # Examples
/// ```
/// use std::time::Duration;
/// assert_eq!(ordain_ca::parse_ttl("2d12h"), Some(Duration::from_secs(216_000)));
/// assert_eq!(ordain_ca::parse_ttl("soon"), None);
/// ```
#[must_use]
pub fn parse_ttl(text: &str) -> Option<Duration> {
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let mut total: u64 = 0;
    let mut rest = text;
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (number, after) = rest.split_at(digits);
        let unit = match after.chars().next()? {
            'y' => 365 * 86_400,
            'd' => 86_400,
            'h' => 3_600,
            'm' => 60,
            's' => 1,
            _ => return None,
        };
        total = total.checked_add(number.parse::<u64>().ok()?.checked_mul(unit)?)?;
        // All units are one byte long.
        rest = after.get(1..)?;
    }
    (!text.is_empty()).then(|| Duration::from_secs(total))
}
