//! Signing in to the web explorer through a provider of OpenID Connect: the authorization code flow
//! with PKCE (OpenID Connect Core 1.0, RFC 7636). Signatures are checked by `ring`, which also checks
//! certificates here: a library for all of the protocol would bring some thirty crates.

mod id_token;
mod provider;
mod sessions;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use hyper::HeaderMap;
use ordain_explorer::Viewer;
use ordain_functions::digest::{is_equal, sha256_bytes};
use serde_json::{Map, Value as Json};

use crate::config::OidcConfig;
use crate::error::ServerError;
use crate::explorer_users::rights;
use crate::token::cookie;
use crate::url::Parameters;
use id_token::{Expected, TokenError, claims};
use provider::{Provider, ProviderError};
use sessions::{SESSION, SIGN_IN, Sessions};

/// The cookie of a session. Browsers accept the prefix only with TLS, for this host alone.
const COOKIE: &str = "__Host-ordain";
/// The cookie of a sign-in: its state, so that nobody finishes the sign-in of another browser.
const BEGUN: &str = "__Host-ordain-signin";

/// The reason why a user is not signed in.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SignInError {
    /// The provider does not work.
    #[error("the provider of OpenID Connect: {0}")]
    Provider(#[from] ProviderError),
    /// The provider's statement about the user does not count.
    #[error("{0}")]
    Token(#[from] TokenError),
    /// The sign-in was begun elsewhere, too long ago, or finished before.
    #[error("this sign-in was begun elsewhere, too long ago, or finished before")]
    State,
    /// The provider refuses the user.
    #[error("the provider refuses: {0}")]
    Refused(String),
    /// The user has no role.
    #[error("{0} has no role in the explorer")]
    NoRole(String),
    /// This server cannot do it now.
    #[error("{0}")]
    Server(#[from] ServerError),
}

/// Users who sign in through a provider.
pub(crate) struct SignIn {
    config: OidcConfig,
    secret: Option<String>,
    provider: Provider,
    sessions: Sessions,
}

impl SignIn {
    /// Reads the secret and the authorities of the settings.
    ///
    /// # Errors
    /// When a file cannot be read, or an address is no URL with TLS.
    pub(crate) fn new(config: &OidcConfig) -> Result<Self, ServerError> {
        let secret = config.secret_file.as_ref().map(|path| {
            let text = std::fs::read_to_string(path).map_err(ServerError::file(path))?;
            Ok::<_, ServerError>(text.trim().to_owned())
        });
        if !config.address.starts_with("https://") {
            let text = format!("the address `{}` does not begin with https://", config.address);
            return Err(ServerError::Setting(text));
        }
        Ok(Self {
            secret: secret.transpose()?,
            provider: Provider::new(&config.issuer, &config.authorities)?,
            config: config.clone(),
            sessions: Sessions::default(),
        })
    }

    /// The address to which the provider sends the browser back.
    fn redirect_uri(&self) -> String {
        format!("{}/explore/signin/callback", self.config.address.trim_end_matches('/'))
    }

    /// Begins a sign-in. Returns the address of the provider's page, and the cookie.
    ///
    /// # Errors
    /// When the provider cannot be asked for its addresses.
    pub(crate) async fn begin(&self) -> Result<(String, String), SignInError> {
        let metadata = self.provider.metadata().await?;
        let begun = self.sessions.begin()?;
        let challenge = URL_SAFE_NO_PAD.encode(sha256_bytes(begun.verifier.as_bytes()));
        let query = form(&[
            ("response_type", "code"),
            ("client_id", &self.config.client),
            ("redirect_uri", &self.redirect_uri()),
            ("scope", "openid profile"),
            ("state", &begun.state),
            ("nonce", &begun.nonce),
            ("code_challenge", &challenge),
            ("code_challenge_method", "S256"),
        ]);
        let endpoint = metadata.authorization_endpoint;
        let separator = if endpoint.contains('?') { '&' } else { '?' };
        let cookie = set_cookie(BEGUN, &begun.state, SIGN_IN.as_secs());
        Ok((format!("{endpoint}{separator}{query}"), cookie))
    }

    /// Finishes a sign-in with the parameters that the provider has given to the browser. Returns the
    /// user and the cookies.
    ///
    /// # Errors
    /// When this browser has not begun it, the provider's statement does not count, or the user has
    /// no role.
    pub(crate) async fn finish(
        &self,
        headers: &HeaderMap,
        query: &Parameters,
    ) -> Result<(Viewer, [String; 2]), SignInError> {
        let state = query.get("state").ok_or(SignInError::State)?;
        let own = cookie(headers, BEGUN).ok_or(SignInError::State)?;
        if !is_equal(own, state) {
            return Err(SignInError::State);
        }
        let begun = self.sessions.begun(state).ok_or(SignInError::State)?;
        // RFC 9207: an answer of another provider must not be sent to this one.
        if query.get("iss").is_some_and(|issuer| issuer != self.config.issuer) {
            return Err(TokenError::Issuer.into());
        }
        if let Some(error) = query.get("error") {
            let word: String = error.chars().filter(char::is_ascii_graphic).take(100).collect();
            return Err(SignInError::Refused(word));
        }
        let code = query.get("code").ok_or(SignInError::State)?;
        let token = self.redeem(code, &begun.verifier).await?;
        let claims = self.claims(&token, &begun.nonce).await?;
        let viewer = self.viewer_of(&claims)?;
        let session = self.sessions.open(viewer.clone())?;
        let cookies = [set_cookie(COOKIE, &session, SESSION.as_secs()), set_cookie(BEGUN, "", 0)];
        Ok((viewer, cookies))
    }

    /// Exchanges the code for an ID token.
    async fn redeem(&self, code: &str, verifier: &str) -> Result<String, SignInError> {
        let metadata = self.provider.metadata().await?;
        let body = form(&[
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", &self.redirect_uri()),
            ("client_id", &self.config.client),
            ("code_verifier", verifier),
        ]);
        let authorization = self.secret.as_ref().map(|secret| {
            let pair = format!("{}:{}", encoded(&self.config.client), encoded(secret));
            format!("Basic {}", STANDARD.encode(pair))
        });
        let url = metadata.token_endpoint;
        let answer = self.provider.post(&url, authorization, body).await?;
        let token = answer["id_token"].as_str().map(str::to_owned);
        token.ok_or_else(|| ProviderError::Answer(url, "it has no ID token".to_owned()).into())
    }

    async fn claims(&self, token: &str, nonce: &str) -> Result<Map<String, Json>, SignInError> {
        let now = jiff::Timestamp::now().as_second();
        let (issuer, client) = (&self.config.issuer, &self.config.client);
        let expected = Expected { issuer, client, nonce, now };
        match claims(token, &self.provider.keys(false).await?, &expected) {
            // The provider may have a new key.
            Err(TokenError::UnknownKey) => {
                Ok(claims(token, &self.provider.keys(true).await?, &expected)?)
            }
            other => Ok(other?),
        }
    }

    /// The rights of a user, by the values of the claim that the settings name.
    fn viewer_of(&self, claims: &Map<String, Json>) -> Result<Viewer, SignInError> {
        let values: Vec<&str> = match claims.get(&self.config.claim) {
            Some(Json::String(value)) => vec![value],
            Some(Json::Array(values)) => values.iter().filter_map(Json::as_str).collect(),
            _ => Vec::new(),
        };
        let text = |name: &str| claims.get(name).and_then(Json::as_str);
        let name = text("preferred_username").or_else(|| text("sub")).unwrap_or_default();
        // No name of a certificate has a colon, so the audit log tells both kinds of users apart.
        let name = format!("oidc:{name}");
        let found = rights(&self.config.roles, &values);
        let found = found.ok_or_else(|| SignInError::NoRole(name.clone()))?;
        Ok(Viewer { name, ..found })
    }

    /// The user of a request.
    pub(crate) fn viewer(&self, headers: &HeaderMap) -> Option<Viewer> {
        self.sessions.user(cookie(headers, COOKIE)?)
    }

    /// Ends the session of a request. Returns its user.
    pub(crate) fn end(&self, headers: &HeaderMap) -> Option<Viewer> {
        self.sessions.close(cookie(headers, COOKIE)?)
    }

    /// The cookie that replaces that of a session that has ended.
    pub(crate) fn end_cookie() -> String {
        set_cookie(COOKIE, "", 0)
    }
}

/// The value of the header `Set-Cookie`. The page of the provider leads back here, so the cookie is
/// also sent with links of other sites, but not with their other requests.
fn set_cookie(name: &str, value: &str, seconds: u64) -> String {
    format!("{name}={value}; Path=/; Max-Age={seconds}; Secure; HttpOnly; SameSite=Lax")
}

/// A form as text.
fn form(pairs: &[(&str, &str)]) -> String {
    let pairs: Vec<String> =
        pairs.iter().map(|(name, value)| format!("{name}={}", encoded(value))).collect();
    pairs.join("&")
}

/// A text for a form: all but letters, digits and `-._~` in hexadecimal.
fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                out.push(char::from(byte));
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_unambiguous() {
        assert_eq!(form(&[("a", "x y&b=1/ä"), ("c", "")]), "a=x%20y%26b%3D1%2F%C3%A4&c=");
    }
}
