//! Settings of an authority.

use std::path::PathBuf;
use std::time::Duration;

use crate::key::KeyAlgorithm;
use crate::time::{Clock, system_clock};

/// Five years, the default of Puppet's `ca_ttl`.
const FIVE_YEARS: u64 = 5 * 365 * 86_400;
/// The default life of a certificate that the agent renews itself.
const SIXTY_DAYS: u64 = 60 * 86_400;

/// The rules of an authority.
#[derive(Clone)]
pub struct Settings {
    /// The validity of new certificates.
    pub ttl: Duration,
    /// The requests that are signed at once.
    pub autosign: Autosign,
    /// Whether requests may have extensions below 1.3.6.1.4.1.34380.1.3, which grant rights.
    /// `pp_cli_auth` is refused in any case.
    pub allow_authorization_extensions: bool,
    /// Whether requests may have alternative names other than their certname.
    pub allow_subject_alt_names: bool,
    /// Whether a new request may replace a request or certificate of the same name.
    pub allow_duplicate_certs: bool,
    /// Whether agents may renew their certificates.
    pub allow_auto_renewal: bool,
    /// The validity of certificates that agents renew themselves.
    pub auto_renewal_ttl: Duration,
    /// The time limit of an autosign command.
    pub autosign_timeout: Duration,
    /// Tells the time.
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

/// The requests that are signed without an administrator.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Autosign {
    /// None.
    #[default]
    Off,
    /// All that the policy allows.
    All,
    /// Those that a file decides about. An executable file gets the certname as argument and the
    /// request on its standard input, and accepts with exit code 0. Any other file lists certnames
    /// and globs such as `*.example.org`, one a line. The file is read for each request; without
    /// the file nothing is signed.
    File(PathBuf),
}

/// The options of a new authority.
#[derive(Debug, Clone, Default)]
pub struct CreateOptions {
    /// The common name of its certificate; `None` makes one that differs between authorities.
    pub name: Option<String>,
    /// Its key.
    pub key: KeyAlgorithm,
    /// The validity of its certificate; `None` for fifteen years.
    pub ttl: Option<Duration>,
}

/// The options of signing a request.
#[derive(Debug, Clone, Default)]
pub struct SignOptions {
    /// Validity, if not that of the settings.
    pub ttl: Option<Duration>,
    /// Accepts alternative names in this request, whatever the settings are.
    pub allow_subject_alt_names: bool,
    /// Accepts extensions that grant rights in this request, whatever the settings are.
    pub allow_authorization_extensions: bool,
}

/// Reads a validity as Puppet writes it: seconds (`3600`), or numbers with a unit (`90d`,
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
        // The unit is one byte.
        rest = after.get(1..)?;
    }
    (!text.is_empty()).then(|| Duration::from_secs(total))
}
