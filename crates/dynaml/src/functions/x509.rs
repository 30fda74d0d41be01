//! Keys and certificates: `x509genkey`, `x509publickey`, `x509cert`, `x509parsecert`, and the
//! validators for them.

use std::net::IpAddr;
use std::time::{Duration, UNIX_EPOCH};

use ordain_functions::time::NANOS_PER_SECOND;

use super::secrets::random_bytes;
use super::support::{eager, fail};
use super::verdict::{Verdict, verdict, wrong};
use crate::diagnostics::stop::{Eval, Stop};
use crate::eval::equal::parse_bool;
use crate::eval::evaluator::{Call, Table};
use crate::pki::certificate::{Certificate, Issuer};
use crate::pki::key::{Private, Public};
use crate::pki::usage::Usage;
use crate::pki::{Random, SeedableRng, time};
use crate::text::quoted;
use crate::value::{Map, Value};

fn random(call: &Call<'_, '_>) -> Random {
    Random::from_seed(random_bytes(call))
}

/// The time now, since 1970.
fn now(call: &Call<'_, '_>) -> Duration {
    call.ev.world.now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// The whole hours from now until a time.
fn hours_until(seconds: i64, now: Duration) -> i64 {
    const HOUR: i128 = 3600 * NANOS_PER_SECOND;
    let left = i128::from(seconds) * NANOS_PER_SECOND - now.as_nanos().cast_signed();
    i64::try_from(left / HOUR).unwrap_or_default()
}

fn genkey(call: &mut Call<'_, '_>) -> Eval<Value> {
    const SIZE: i64 = 2048;
    let (size, curve) = match call.args {
        [] => (SIZE, ""),
        [Value::Int(size)] => (*size, ""),
        [Value::Str(text)] => match text.parse::<i32>() {
            Ok(size) => (i64::from(size), ""),
            Err(_) => (0, text.as_str()),
        },
        [_] => return fail("argument for x509genkey must be a string or integer"),
        _ => return fail("invalid argument count for x509genkey([<bitsize>|<ecdsaCurve>])"),
    };
    let mut random = random(call);
    let key = if curve.is_empty() {
        let key = Private::rsa(size, &mut random);
        key.map_err(|e| Stop::failed(format!("failed to generate private key: {e}")))?
    } else {
        let key = Private::ec(curve, &mut random);
        let unknown = || Stop::failed(format!("Unrecognized elliptic curve: {}", quoted(curve)));
        key.ok_or_else(unknown)?
    };
    let key = key.write().map_err(Stop::failed)?;
    call.ev.secrets.add(&key);
    Ok(Value::str(key))
}

/// The public key in a private key, a public key or a certificate.
fn public_of(text: &str) -> Result<Option<Public>, String> {
    Private::read(text).map(|key| Some(key.public())).or_else(|error| {
        let public = Public::read(text).map(Some);
        public.or_else(|_| Certificate::read(text).map(|c| c.public)).map_err(|_| error)
    })
}

fn publickey(call: &mut Call<'_, '_>) -> Eval<Value> {
    let (key, form) = match call.args {
        [key] => (key, "pem".to_owned()),
        [key, Value::Str(form)] => {
            let lower = form.as_str().to_lowercase();
            if !matches!(lower.as_str(), "pem" | "pkix" | "ssh") {
                return fail(format!("invalid format for x509publickey: {form}"));
            }
            (key, lower)
        }
        [_, _] => return fail("format argument for x509publickey must be a string"),
        _ => return fail("invalid argument count for x509publickey"),
    };
    let Value::Str(text) = key else {
        return fail("argument for x509publickey must be a private key in pem format");
    };
    let key = public_of(text.as_str()).map_err(|e| {
        Stop::failed(format!(
            "argument for x509publickey must be a private/public key or certificate in pem \
             format: {e}"
        ))
    })?;
    let written = key.and_then(|key| match form.as_str() {
        "ssh" => Some(key.ssh().map_err(str::to_owned)),
        form => key.write(form == "pkix").map(Ok),
    });
    match written {
        Some(Ok(text)) => Ok(Value::str(text)),
        Some(Err(e)) => fail(e),
        None => fail("x509publickey: only keys of RSA and of NIST's curves are supported"),
    }
}

/// The fields of a specification.
struct Fields<'m>(&'m Map);

type Field<T> = Result<T, String>;

impl<'m> Fields<'m> {
    fn get(&self, name: &str) -> Option<&'m Value> {
        self.0.get(name).map(|i| &i.value).filter(|v| !matches!(v, Value::Null))
    }

    fn truth(&self, name: &str) -> Field<bool> {
        match self.get(name) {
            None => Ok(false),
            Some(Value::Bool(b)) => Ok(*b),
            Some(Value::Int(n)) => Ok(*n != 0),
            Some(Value::Str(s)) => parse_bool(s)
                .ok_or_else(|| format!("strconv.ParseBool: parsing {}: invalid syntax", quoted(s))),
            Some(_) => Err(format!("invalid type for boolean field {}", quoted(name))),
        }
    }

    fn text(&self, name: &str) -> Field<String> {
        let Some(value) = self.get(name) else { return Ok(String::new()) };
        let text = value.simple_text().map(String::from);
        text.ok_or_else(|| format!("invalid type for {}", quoted(name)))
    }

    fn number(&self, name: &str, default: i64) -> Field<i64> {
        match self.get(name) {
            None => Ok(default),
            Some(Value::Int(n)) => Ok(*n),
            Some(Value::Str(s)) => s.parse().map_err(|e: std::num::ParseIntError| {
                use std::num::IntErrorKind::{NegOverflow, PosOverflow};
                let what = match e.kind() {
                    PosOverflow | NegOverflow => "value out of range",
                    _ => "invalid syntax",
                };
                format!("strconv.ParseInt: parsing {}: {what}", quoted(s))
            }),
            Some(_) => Err(format!("invalid type for {}", quoted(name))),
        }
    }

    fn texts(&self, name: &str) -> Field<Vec<String>> {
        let Some(value) = self.get(name) else { return Ok(Vec::new()) };
        let text = |value: &Value| value.simple_text().map(String::from);
        if let Value::List(list) = value {
            let wrong = || format!("invalid list element type for {}", quoted(name));
            return list.items.iter().map(|i| text(&i.value).ok_or_else(wrong)).collect();
        }
        let text = text(value).ok_or_else(|| format!("invalid type for {}", quoted(name)))?;
        Ok(vec![text])
    }

    /// The same for a field that can only have the wrong type.
    fn required_texts(&self, name: &str) -> Field<Vec<String>> {
        self.texts(name).map_err(|_| format!("field {} is required", quoted(name)))
    }

    /// The value of a field with a text.
    fn read<T>(&self, name: &str, read: fn(&str) -> Field<T>) -> Field<Option<T>> {
        let text = self.text(name)?;
        (!text.is_empty()).then(|| read(&text)).transpose()
    }
}

/// The certificate that a map describes, and its issuer.
fn specified(
    fields: &Fields<'_>,
    now: Duration,
) -> Field<(Certificate, Option<Certificate>, Private)> {
    const YEAR: i64 = 24 * 365;
    const HOUR: i64 = 3600;
    let is_ca = fields.truth("isCA")?;
    let organization = fields.required_texts("organization")?;
    let common_name = fields.text("commonName")?;
    let country = fields.texts("country")?;
    let words = fields.required_texts("usage")?;
    let validity = fields.number("validity", YEAR)?;
    let hosts = fields.texts("hosts")?;
    let private = fields.read("privateKey", Private::read)?;
    let public = fields.read("publicKey", Public::read)?;
    let public = public.or_else(|| private.as_ref().map(Private::public));
    let public = public.ok_or("one of 'publicKey' or 'privateKey' must be given")?;
    let ca = fields.read("caCert", |text| {
        Certificate::read(text).map_err(|e| format!("invalid ca certificate: {e}"))
    })?;
    let ca_key = fields.text("caPrivateKey")?;
    let signer = match (&ca, ca_key.is_empty()) {
        (Some(_), true) => return Err("private key for ca required".into()),
        (Some(_), false) => Some(Private::read(&ca_key)?),
        (None, _) => private,
    };
    let signer = signer.ok_or("private key for self-signed certificate required")?;
    let from = fields.read("validFrom", |text| {
        time::parse(text).map_err(|e| format!("invalid validFrom fields: {e}"))
    })?;
    let not_before = from.unwrap_or_else(|| i64::try_from(now.as_secs()).unwrap_or_default());
    let not_after = validity.checked_mul(HOUR).and_then(|s| not_before.checked_add(s));
    let not_after = not_after.ok_or("validity is too long")?;
    let mut usage = Usage::default();
    for word in &words {
        if !usage.add(word) {
            return Err(format!("invalid usage key {}", quoted(word)));
        }
    }
    let (addresses, names): (Vec<_>, Vec<_>) =
        hosts.into_iter().partition(|h| h.parse::<IpAddr>().is_ok());
    let certificate = Certificate {
        common_name,
        country,
        organization,
        is_ca,
        usage,
        dns_names: names,
        addresses: addresses.iter().filter_map(|a| a.parse().ok()).collect(),
        not_before,
        not_after,
        public: Some(public),
        ..Certificate::default()
    };
    Ok((certificate, ca, signer))
}

fn cert(call: &mut Call<'_, '_>) -> Eval<Value> {
    let fields = match call.args {
        [Value::Map(map)] => Fields(map),
        [other] => {
            let kind = other.kind();
            return fail(format!("argument for x509cert must be a map (found {kind})"));
        }
        _ => return fail("invalid argument count for x509cert(<map>)"),
    };
    let (certificate, ca, key) = specified(&fields, now(call)).map_err(Stop::failed)?;
    let issuer = Issuer { certificate: ca.as_ref(), key: &key };
    match certificate.sign(&issuer, &mut random(call)) {
        Ok(text) => Ok(Value::str(text)),
        Err(e) => fail(format!("Failed to create certificate: {e}")),
    }
}

fn parsecert(call: &mut Call<'_, '_>) -> Eval<Value> {
    const WRONG: &str = "argument for x509parsecert must be a certificate in pem format";
    let text = match call.args {
        [Value::Str(text)] => text,
        [_] => return fail(WRONG),
        _ => return fail("invalid argument count for x509parsecert"),
    };
    let cert = Certificate::read(text).map_err(|e| Stop::failed(format!("{WRONG}: {e}")))?;
    let texts = |list: &[String]| Value::list(list.iter().map(Value::str).collect::<Vec<_>>());
    let addresses: Vec<String> = cert.addresses.iter().map(ToString::to_string).collect();
    let mut out = vec![
        ("isCA", Value::Bool(cert.is_ca)),
        ("usage", Value::list(cert.usage.words().into_iter().map(Value::str))),
        ("validFrom", Value::str(time::format(cert.not_before))),
        ("validUntil", Value::str(time::format(cert.not_after))),
        ("validity", Value::Int(hours_until(cert.not_after, now(call)))),
    ];
    if !cert.common_name.is_empty() {
        out.push(("commonName", Value::str(cert.common_name.as_str())));
    }
    for (name, list) in [
        ("country", &cert.country),
        ("organization", &cert.organization),
        ("dnsNames", &cert.dns_names),
        ("ipAddresses", &addresses),
    ] {
        if !list.is_empty() {
            out.push((name, texts(list)));
        }
    }
    if !cert.dns_names.is_empty() {
        out.push(("hosts", texts(&[addresses, cert.dns_names].concat())));
    }
    if let Some(key) = cert.public.and_then(|key| key.write(false)) {
        out.push(("publicKey", Value::str(key)));
    }
    Ok(Value::map(out))
}

/// Whether a value is a key or a certificate.
pub(super) fn validate(name: &str, value: &Value) -> Verdict {
    let Value::Str(text) = value else {
        return wrong(format!("{name} requires string, but got {}", value.kind()));
    };
    let told = |result: Result<(), String>, what: &str| {
        let no = result.as_ref().err().map(|e| format!("is no {what}: {e}")).unwrap_or_default();
        verdict(result.is_ok(), format!("is {what}"), no)
    };
    match name {
        "publickey" => told(Public::read(text).map(|_| ()), "public key"),
        "privatekey" => told(Private::read(text).map(|_| ()), "private key"),
        "certificate" => told(Certificate::read(text).map(|_| ()), "certificate"),
        _ => match Certificate::read(text) {
            Ok(cert) => verdict(cert.is_ca, "is ca", "is no ca certificate: %!s(<nil>)"),
            Err(e) => Ok((false, format!("is no certificate: {e}"))),
        },
    }
}

pub(super) fn register(table: &mut Table) {
    table.extend([
        eager(
            "x509genkey(kind?)",
            "A private key: a number of bits of RSA, or the name of a curve.",
            genkey,
        ),
        eager("x509publickey(key, form?)", "The public key of a key or certificate.", publickey),
        eager("x509cert(spec)", "A certificate.", cert),
        eager("x509parsecert(certificate)", "The fields of a certificate.", parsecert),
    ]);
}
