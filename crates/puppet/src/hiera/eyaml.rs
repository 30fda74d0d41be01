//! Values that eyaml encrypted: texts with parts `ENC[PKCS7,…]`, `ENC[GPG,…]`, or of an encryptor
//! that a plugin brings.
//!
//! The options of the level name the keys. Keys and decrypted values are kept for all compiles of
//! an environment. The program `gpg` decrypts GPG values, plugins run in the `ruby` process.

use std::path::Path;
use std::sync::{Arc, RwLock};
use std::time::Duration;

use ecow::EcoString;
use ordain_data::Decrypted;
use ordain_functions::base64::{Mode, decode};
use ordain_functions::pkcs7::{self, Certificate, PrivateKey};
use ordain_source::inputs::{Aspect, note_environment, note_path, note_unrepeatable};
use ordain_source::{EntryKind, ProcessRequest, World};
use rustc_hash::FxHashMap;

use crate::value::Value;

/// Keys and opened values of an environment.
#[derive(Default)]
pub(super) struct Secrets {
    pairs: RwLock<FxHashMap<EcoString, Arc<Result<Pair, String>>>>,
    opened: RwLock<FxHashMap<(EcoString, EcoString), EcoString>>,
}

/// The keys of a level.
struct Pair {
    certificate: Certificate,
    private: PrivateKey,
}

/// A part of a text.
#[derive(PartialEq, Debug)]
enum Token<'t> {
    Text(&'t str),
    /// An encrypted part: its scheme, and its bytes in base64.
    Encrypted(&'t str, &'t str),
}

const PKCS7: &str = "PKCS7";
const GPG: &str = "GPG";

/// The time limit of `gpg` for one value.
const GPG_TIME: Duration = Duration::from_secs(60);

/// The number of characters of an encrypted text that an error shows.
pub(super) const SHOWN: usize = 60;

/// Whether any text in a value is encrypted by eyaml or has an encrypted part.
pub(super) fn is_encrypted(value: &Value) -> bool {
    match value {
        Value::Str(text) => is_encrypted_text(text),
        Value::Array(items) => items.iter().any(is_encrypted),
        Value::Hash(entries) => entries.values().any(is_encrypted),
        _ => false,
    }
}

pub(super) fn is_encrypted_text(text: &str) -> bool {
    let on_line = |line: &str| line.split_once("ENC[").is_some_and(|(_, rest)| rest.contains(']'));
    text.lines().any(on_line)
}

/// The parts of a text. Anything that does not have the form of an encrypted part is text.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let (mut tokens, mut start, mut from) = (Vec::new(), 0, 0);
    while let Some(at) = text[from..].find("ENC[").map(|at| from + at) {
        from = at + 4;
        let Some((scheme, cipher, end)) = encrypted(text, from) else { continue };
        if start < at {
            tokens.push(Token::Text(&text[start..at]));
        }
        tokens.push(Token::Encrypted(scheme, cipher));
        (start, from) = (end, end);
    }
    if start < text.len() {
        tokens.push(Token::Text(&text[start..]));
    }
    tokens
}

/// The scheme, the cipher and the end of the encrypted part whose `ENC[` ends at `from`.
fn encrypted(text: &str, from: usize) -> Option<(&str, &str, usize)> {
    let fits = |b: u8| b.is_ascii_alphanumeric() || b"+/ =\n,_".contains(&b);
    let rest = &text[from..];
    let length = rest.bytes().take_while(|b| fits(*b)).count();
    let inner = &rest[..length];
    if rest.as_bytes().get(length) != Some(&b']') {
        return None;
    }
    let (scheme, cipher) = inner.split_once(',').unwrap_or((PKCS7, inner));
    let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    let well_formed = !scheme.is_empty()
        && scheme.bytes().all(word)
        && !cipher.is_empty()
        && !cipher.contains([',', '_']);
    well_formed.then_some((scheme, cipher, from + length + 1))
}

/// The source of a key: an environment variable that is set, else a file.
fn source(world: &dyn World, options: &Value, name: &str) -> Result<(String, bool), String> {
    let option = |name: &str| options.get(name).and_then(Value::as_str).map(str::to_owned);
    let variable = option(&format!("pkcs7_{name}_env_var"));
    let path = option(&format!("pkcs7_{name}"));
    match (variable, path) {
        (Some(variable), _) if world.env(&variable).is_some() => Ok((variable, true)),
        (_, Some(path)) => Ok((path, false)),
        (Some(variable), None) => {
            Err(format!("the environment variable {variable}, which has the {name}, is not set"))
        }
        (None, None) => Err(format!("pkcs7_{name} is not defined")),
    }
}

fn key_text(world: &dyn World, (name, variable): &(String, bool)) -> Result<String, String> {
    match variable {
        true => world.env(name).ok_or_else(|| format!("{name} is not set")),
        false => crate::hiera::text::read_text(world, Path::new(name)),
    }
}

/// Whether a plugin has to decrypt the values of a scheme.
fn is_foreign(scheme: &str) -> bool {
    ![PKCS7, GPG].iter().any(|known| scheme.eq_ignore_ascii_case(known))
}

/// The identification of a plugin and of the options by which it finds its keys.
fn plugin_keys(scheme: &str, options: &Value) -> EcoString {
    ecow::eco_format!("{scheme} {options:?}")
}

/// The GPG home directory that options name.
fn gpg_home(world: &dyn World, options: &Value) -> Result<String, String> {
    let home = options.get("gpg_gnupghome").and_then(Value::as_str).filter(|h| !h.is_empty());
    let home = home.ok_or(
        "No GPG home directory configured, check gpg_gnupghome configuration value is correct",
    )?;
    match world.kind(Path::new(home)) {
        Some(EntryKind::Directory) => Ok(home.to_owned()),
        _ => Err(format!(
            "Configured GPG home directory {home} doesn't exist, check gpg_gnupghome \
             configuration value is correct"
        )),
    }
}

/// Decrypts with the keys of a home directory of `gpg`.
fn gpg(world: &dyn World, home: &str, cipher: &[u8]) -> Result<Vec<u8>, String> {
    let argv = ["gpg", "--homedir", home, "--batch", "--no-tty", "--quiet", "--decrypt"];
    let output = world.run(&ProcessRequest {
        argv: argv.map(str::to_owned).to_vec(),
        cwd: None,
        env: vec![("LC_ALL".into(), "C".into())],
        stdin: cipher.to_vec(),
        timeout: Some(GPG_TIME),
    });
    let output = output.map_err(|e| format!("gpg cannot be run: {e}"))?;
    if output.status == Some(0) {
        return Ok(output.stdout);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let why = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("gpg failed");
    Err(why.trim().to_owned())
}

impl Secrets {
    /// The keys that options name, with an identification of them.
    fn pair(
        &self,
        world: &dyn World,
        options: &Value,
    ) -> Result<(EcoString, Arc<Result<Pair, String>>), String> {
        let public = source(world, options, "public_key")?;
        let private = source(world, options, "private_key")?;
        for (name, is_variable) in [&public, &private] {
            match is_variable {
                true => note_environment(name),
                false => note_path(Aspect::Content, Path::new(name)),
            }
        }
        let id = ecow::eco_format!("{public:?} {private:?}");
        let known = self.pairs.read().unwrap_or_else(|e| e.into_inner()).get(&id).cloned();
        if let Some(pair) = known {
            return Ok((id, pair));
        }
        let read = || {
            let named =
                |source: &(String, bool), e: ordain_functions::Error| format!("{}: {e}", source.0);
            let (private_text, public_text) =
                (key_text(world, &private)?, key_text(world, &public)?);
            Ok(Pair {
                private: PrivateKey::read(&private_text).map_err(|e| named(&private, e))?,
                certificate: Certificate::read(&public_text).map_err(|e| named(&public, e))?,
            })
        };
        let pair = Arc::new(read());
        let mut pairs = self.pairs.write().unwrap_or_else(|e| e.into_inner());
        Ok((id.clone(), Arc::clone(pairs.entry(id).or_insert(pair))))
    }

    fn open(
        &self,
        world: &dyn World,
        options: &Value,
        scheme: &str,
        cipher: &str,
    ) -> Result<EcoString, String> {
        if scheme.eq_ignore_ascii_case(GPG) {
            note_unrepeatable(|| "gpg decrypts data".into());
            let home = gpg_home(world, options)?;
            let id = ecow::eco_format!("gpg {home}");
            return self.once(id, cipher, |bytes| gpg(world, &home, bytes));
        }
        if is_foreign(scheme) {
            note_unrepeatable(|| ecow::eco_format!("the encryptor {scheme} decrypts data"));
            let known = self.known(&plugin_keys(scheme, options), cipher);
            return known.ok_or_else(|| format!("the encryptor '{scheme}' was not asked"));
        }
        let (id, pair) = self.pair(world, options)?;
        let pair = (*pair).as_ref().map_err(String::clone)?;
        self.once(id, cipher, |bytes| {
            pkcs7::open(bytes, &pair.certificate, &pair.private).map_err(|e| e.to_string())
        })
    }

    /// Decrypts a cipher in base64, unless these keys decrypted it before.
    fn once(
        &self,
        keys: EcoString,
        cipher: &str,
        open: impl FnOnce(&[u8]) -> Result<Vec<u8>, String>,
    ) -> Result<EcoString, String> {
        if let Some(known) = self.known(&keys, cipher) {
            return Ok(known);
        }
        let bytes = decode(cipher, Mode::Default).map_err(|e| e.to_string())?;
        let text = String::from_utf8(open(&bytes)?);
        let text = text.map_err(|_| "the decrypted value is not UTF-8 text".to_owned())?;
        let text = EcoString::from(text);
        self.record(keys, cipher, text.clone());
        Ok(text)
    }

    /// The text that these keys decrypted before.
    fn known(&self, keys: &EcoString, cipher: &str) -> Option<EcoString> {
        let key = (keys.clone(), EcoString::from(cipher));
        self.opened.read().unwrap_or_else(|e| e.into_inner()).get(&key).cloned()
    }

    fn record(&self, keys: EcoString, cipher: &str, text: EcoString) {
        let key = (keys, EcoString::from(cipher));
        self.opened.write().unwrap_or_else(|e| e.into_inner()).insert(key, text);
    }

    /// The encrypted parts of a text, with their schemes, that plugins have to decrypt first.
    pub(super) fn for_plugins<'t>(
        &self,
        options: &Value,
        text: &'t str,
    ) -> Vec<(&'t str, &'t str)> {
        let foreign = |token| match token {
            Token::Encrypted(scheme, cipher) if is_foreign(scheme) => Some((scheme, cipher)),
            _ => None,
        };
        let mut parts: Vec<_> = tokens(text).into_iter().filter_map(foreign).collect();
        parts
            .retain(|(scheme, cipher)| self.known(&plugin_keys(scheme, options), cipher).is_none());
        parts
    }

    /// Records the text that a plugin decrypted.
    pub(super) fn decrypted_by_plugin(
        &self,
        options: &Value,
        (scheme, cipher): (&str, &str),
        text: &str,
    ) {
        self.record(plugin_keys(scheme, options), cipher, EcoString::from(text));
    }

    /// The text with its encrypted parts decrypted; the results are recorded.
    pub(super) fn decrypt(
        &self,
        world: &dyn World,
        options: &Value,
        text: &str,
        known: &mut Decrypted,
    ) -> Result<String, String> {
        let mut out = String::new();
        for token in tokens(text) {
            match token {
                Token::Text(text) => out.push_str(text),
                Token::Encrypted(scheme, cipher) => {
                    let opened = self.open(world, options, scheme, cipher)?;
                    known.add(&opened);
                    out.push_str(&opened);
                }
            }
        }
        // One end of line is dropped, as Ruby's `chomp` does.
        let end = ["\r\n", "\n", "\r"].into_iter().find(|end| out.ends_with(end));
        out.truncate(out.len() - end.map_or(0, str::len));
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_split_at_encrypted_parts() {
        let text = "a ENC[PKCS7,ab+/=]bENC[c d\n]ENC[!]ENC[GPG,x]";
        let parts = [
            Token::Text("a "),
            Token::Encrypted("PKCS7", "ab+/="),
            Token::Text("b"),
            Token::Encrypted("PKCS7", "c d\n"),
            Token::Text("ENC[!]"),
            Token::Encrypted("GPG", "x"),
        ];
        assert_eq!(tokens(text), parts);
        assert_eq!(
            tokens("ENC[ENC[PKCS7,a]"),
            [Token::Text("ENC["), Token::Encrypted("PKCS7", "a")]
        );
    }

    #[test]
    fn an_encrypted_part_stands_on_a_line() {
        assert!(is_encrypted_text("x\nENC[a]"));
        assert!(!is_encrypted_text("ENC[a\n]"));
    }
}
