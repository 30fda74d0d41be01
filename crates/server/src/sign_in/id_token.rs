//! ID tokens of OpenID Connect: signed JSON documents (RFC 7519), checked as OpenID Connect Core 1.0,
//! 3.1.3.7, demands.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey,
};
use serde_json::{Map, Value as Json};

/// The maximum length of a token in bytes.
const MAX_LENGTH: usize = 64 << 10;
/// The seconds by which the clocks of provider and server may differ.
const CLOCK_DIFFERENCE: i64 = 60;

/// The reason why a token does not count.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum TokenError {
    /// It is no signed document.
    #[error("the ID token is malformed")]
    Malformed,
    /// Its algorithm is not RS256 or ES256.
    #[error("the ID token has an algorithm other than RS256 and ES256")]
    Algorithm,
    /// The provider has published no such key.
    #[error("the key of the ID token is unknown")]
    UnknownKey,
    /// The signature is of another text or key.
    #[error("the signature of the ID token is wrong")]
    Signature,
    /// It is of another issuer.
    #[error("the ID token is of another issuer")]
    Issuer,
    /// It is for another client.
    #[error("the ID token is for another client")]
    Audience,
    /// It has expired, or is not valid yet.
    #[error("the ID token is not valid at this time")]
    Time,
    /// It belongs to another sign-in.
    #[error("the ID token belongs to another sign-in")]
    Nonce,
}

/// A public key of the provider.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Key {
    id: Option<String>,
    material: Material,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Material {
    /// For RS256: modulus and exponent, big-endian.
    Rsa { n: Vec<u8>, e: Vec<u8> },
    /// For ES256: an uncompressed point.
    P256(Vec<u8>),
}

/// The values that a token must have.
pub(super) struct Expected<'a> {
    pub(super) issuer: &'a str,
    pub(super) client: &'a str,
    pub(super) nonce: &'a str,
    /// The time in seconds since 1970.
    pub(super) now: i64,
}

/// The keys of a set (RFC 7517) that can check signatures; others are left out.
pub(super) fn keys(set: &Json) -> Vec<Key> {
    let list = set["keys"].as_array().map(Vec::as_slice).unwrap_or_default();
    list.iter().filter_map(key).collect()
}

fn key(key: &Json) -> Option<Key> {
    if key.get("use").is_some_and(|purpose| purpose != "sig") {
        return None;
    }
    let bytes = |name: &str| URL_SAFE_NO_PAD.decode(key.get(name)?.as_str()?).ok();
    let has_algorithm = |name: &str| key.get("alg").is_none_or(|algorithm| algorithm == name);
    let material = match key.get("kty")?.as_str()? {
        "RSA" if has_algorithm("RS256") => Material::Rsa { n: bytes("n")?, e: bytes("e")? },
        "EC" if has_algorithm("ES256") && key.get("crv")? == "P-256" => {
            let (x, y) = (bytes("x")?, bytes("y")?);
            if x.len() != 32 || y.len() != 32 {
                return None;
            }
            Material::P256([&[4], &x[..], &y[..]].concat())
        }
        _ => return None,
    };
    let id = key.get("kid").and_then(Json::as_str).map(str::to_owned);
    Some(Key { id, material })
}

/// Checks a token. Returns its claims.
///
/// # Errors
/// When it does not count for this sign-in.
pub(super) fn claims(
    token: &str,
    keys: &[Key],
    expected: &Expected<'_>,
) -> Result<Map<String, Json>, TokenError> {
    if token.len() > MAX_LENGTH {
        return Err(TokenError::Malformed);
    }
    let (signed, signature) = token.rsplit_once('.').ok_or(TokenError::Malformed)?;
    let (header, claims) = signed.split_once('.').ok_or(TokenError::Malformed)?;
    let signature = URL_SAFE_NO_PAD.decode(signature).map_err(|_| TokenError::Malformed)?;
    check_signature(&object(header)?, keys, signed.as_bytes(), &signature)?;
    let claims = object(claims)?;
    check_claims(&claims, expected)?;
    Ok(claims)
}

fn object(part: &str) -> Result<Map<String, Json>, TokenError> {
    let bytes = URL_SAFE_NO_PAD.decode(part).map_err(|_| TokenError::Malformed)?;
    serde_json::from_slice(&bytes).map_err(|_| TokenError::Malformed)
}

/// The key decides about the algorithm; the token only names it.
fn check_signature(
    header: &Map<String, Json>,
    keys: &[Key],
    signed: &[u8],
    signature: &[u8],
) -> Result<(), TokenError> {
    // Nobody here knows an extension that a token declares as critical.
    if header.contains_key("crit") {
        return Err(TokenError::Malformed);
    }
    let is_rsa = match header.get("alg").and_then(Json::as_str) {
        Some("RS256") => true,
        Some("ES256") => false,
        _ => return Err(TokenError::Algorithm),
    };
    let id = header.get("kid").and_then(Json::as_str);
    let fits = |key: &&Key| {
        matches!(key.material, Material::Rsa { .. }) == is_rsa
            && id.is_none_or(|id| key.id.as_deref() == Some(id))
    };
    let mut fitting = keys.iter().filter(fits);
    let key = fitting.next().ok_or(TokenError::UnknownKey)?;
    // Without an id, a token has to be of the only key.
    if fitting.next().is_some() {
        return Err(TokenError::UnknownKey);
    }
    let checked = match &key.material {
        Material::Rsa { n, e } => {
            RsaPublicKeyComponents { n, e }.verify(&RSA_PKCS1_2048_8192_SHA256, signed, signature)
        }
        Material::P256(point) => {
            UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).verify(signed, signature)
        }
    };
    checked.map_err(|_| TokenError::Signature)
}

fn check_claims(claims: &Map<String, Json>, expected: &Expected<'_>) -> Result<(), TokenError> {
    let text = |name: &str| claims.get(name).and_then(Json::as_str);
    if text("iss") != Some(expected.issuer) {
        return Err(TokenError::Issuer);
    }
    let audience = match claims.get("aud") {
        Some(Json::Array(names)) => names.iter().filter_map(Json::as_str).collect(),
        Some(Json::String(name)) => vec![name.as_str()],
        _ => Vec::new(),
    };
    // A token for several clients says which of them has asked for it.
    let asked = match claims.get("azp") {
        Some(name) => name.as_str() == Some(expected.client),
        None => audience.len() == 1,
    };
    if !audience.contains(&expected.client) || !asked {
        return Err(TokenError::Audience);
    }
    let time = |name: &str| claims.get(name).map(|time| time.as_f64().unwrap_or(f64::NAN));
    let (now, difference) = (expected.now as f64, CLOCK_DIFFERENCE as f64);
    // A time that is no number is neither before nor after another.
    let has_begun = |begin: f64| begin <= now + difference;
    let is_valid = time("exp").is_some_and(|end| now < end + difference)
        && time("iat").is_some_and(has_begun)
        && time("nbf").is_none_or(has_begun);
    if !is_valid {
        return Err(TokenError::Time);
    }
    if text("nonce") != Some(expected.nonce) {
        return Err(TokenError::Nonce);
    }
    match text("sub") {
        Some(subject) if !subject.is_empty() => Ok(()),
        _ => Err(TokenError::Malformed),
    }
}

#[cfg(test)]
mod tests {
    use ring::rand::SystemRandom;
    use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
    use serde_json::json;

    use super::*;

    fn encoded(value: &Json) -> String {
        URL_SAFE_NO_PAD.encode(value.to_string())
    }

    fn signed(pair: &EcdsaKeyPair, header: &Json, claims: &Json) -> String {
        let text = format!("{}.{}", encoded(header), encoded(claims));
        let signature = pair.sign(&SystemRandom::new(), text.as_bytes()).unwrap();
        format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature))
    }

    #[test]
    fn a_token_counts_for_one_sign_in_only() {
        let (random, algorithm) = (SystemRandom::new(), &ECDSA_P256_SHA256_FIXED_SIGNING);
        let secret = EcdsaKeyPair::generate_pkcs8(algorithm, &random).unwrap();
        let pair = EcdsaKeyPair::from_pkcs8(algorithm, secret.as_ref(), &random).unwrap();
        let point = pair.public_key().as_ref();
        let coordinate = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
        let set = json!({ "keys": [
            { "kty": "oct", "k": "AAAA" },
            { "kty": "EC", "crv": "P-256", "kid": "a",
              "x": coordinate(&point[1..33]), "y": coordinate(&point[33..]) },
        ] });
        let keys = keys(&set);
        assert_eq!(keys.len(), 1);
        let expected = Expected { issuer: "https://id", client: "me", nonce: "n", now: 1_000_000 };
        let good = json!({ "iss": "https://id", "aud": "me", "exp": 1_000_300, "iat": 999_999,
                           "nonce": "n", "sub": "alice" });
        let header = json!({ "alg": "ES256", "kid": "a" });
        let of = |claims: &Json| self::claims(&signed(&pair, &header, claims), &keys, &expected);
        assert_eq!(of(&good).unwrap()["sub"], "alice");
        let changed = |name: &str, value: Json| {
            let mut claims = good.clone();
            claims[name] = value;
            of(&claims).map(|_| ())
        };
        assert_eq!(changed("aud", json!(["me"])), Ok(()));
        assert_eq!(changed("azp", json!("me")), Ok(()));
        for (name, value, error) in [
            ("iss", json!("https://id/"), TokenError::Issuer),
            ("aud", json!("you"), TokenError::Audience),
            ("aud", json!(["me", "you"]), TokenError::Audience),
            ("azp", json!("you"), TokenError::Audience),
            ("exp", json!(999_000), TokenError::Time),
            ("exp", json!("1000300"), TokenError::Time),
            ("exp", Json::Null, TokenError::Time),
            ("iat", json!(1_001_000), TokenError::Time),
            ("nbf", json!(1_001_000), TokenError::Time),
            ("nbf", json!("0"), TokenError::Time),
            ("nonce", json!("m"), TokenError::Nonce),
            ("nonce", Json::Null, TokenError::Nonce),
            ("sub", json!(""), TokenError::Malformed),
        ] {
            assert_eq!(changed(name, value.clone()), Err(error), "{name} {value}");
        }
        for (header, error) in [
            (json!({ "alg": "ES256", "kid": "b" }), TokenError::UnknownKey),
            (json!({ "alg": "RS256", "kid": "a" }), TokenError::UnknownKey),
            (json!({ "alg": "HS256", "kid": "a" }), TokenError::Algorithm),
            (json!({ "alg": "none" }), TokenError::Algorithm),
            (json!({ "alg": "ES256", "crit": ["x"] }), TokenError::Malformed),
        ] {
            let token = signed(&pair, &header, &good);
            assert_eq!(claims(&token, &keys, &expected), Err(error), "{header}");
        }
        let token = signed(&pair, &header, &good);
        let other = token.replacen(&encoded(&good), &encoded(&json!({ "sub": "eve" })), 1);
        assert_eq!(claims(&other, &keys, &expected), Err(TokenError::Signature));
        let unsigned = format!("{}.", token.rsplit_once('.').unwrap().0);
        assert_eq!(claims(&unsigned, &keys, &expected), Err(TokenError::Signature));
        for text in ["", ".", "..", "a.b.c", "ä.ö.ü"] {
            assert!(claims(text, &keys, &expected).is_err(), "{text}");
        }
    }
}
