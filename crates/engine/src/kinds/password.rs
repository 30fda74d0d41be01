//! `mgmt::password`: a password that is generated once and passed on.

use std::fs::File;
use std::io::{self, Read};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ordain_data::Value;
use ordain_graph::Resource;
use ordain_kinds::{KindSchema, accounts};

use crate::kind::differences::Differences;
use crate::kind::params::Params;
use crate::kind::{Change, Instance, Kind, KindError, ParseContext, ParseResult};
use crate::kinds::shared::state_file::StateFile;
use crate::system::host::Host;
use crate::system::watch::Watch;

/// The kind.
#[derive(Clone, Copy, Debug, Default)]
pub struct Password;

const LETTERS: &[u8; 52] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

impl Kind for Password {
    fn schema(&self) -> &KindSchema {
        &accounts::MGMT_PASSWORD
    }

    fn parse(&self, resource: &Resource, _: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        let message = "length must be a number from 1 to 65535";
        let length = p.integer("length", message).unwrap_or(64);
        let length = u16::try_from(length).ok().filter(|length| *length > 0);
        if length.is_none() {
            p.error("length", message);
        }
        let secret = Secret {
            file: StateFile::new("password", &resource.id.title),
            length: length.unwrap_or(64).into(),
            saved: p.boolean("saved"),
            check_recovery: p.boolean("check_recovery"),
            made: Mutex::default(),
        };
        p.finish(Box::new(secret) as Box<dyn Instance>)
    }
}

struct Secret {
    file: StateFile,
    length: usize,
    saved: bool,
    check_recovery: bool,
    /// The generated password, if it is not saved.
    made: Mutex<String>,
}

/// The password on the machine.
enum CurrentPassword {
    /// Nothing, or an invalid value that may be replaced.
    Nothing,
    Password(String),
}

impl Secret {
    fn made(&self) -> MutexGuard<'_, String> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, host: &Host) -> Result<CurrentPassword, KindError> {
        let Some(text) = self.file.read(host)? else { return Ok(CurrentPassword::Nothing) };
        let text = String::from_utf8_lossy(&text).trim().to_owned();
        match self.check(&text) {
            Ok(()) if self.saved && text.is_empty() => Ok(CurrentPassword::Nothing),
            Ok(()) => Ok(CurrentPassword::Password(text)),
            Err(_) if self.check_recovery => Ok(CurrentPassword::Nothing),
            Err(why) => Err(KindError::new(format!("the file password cannot be right: {why}"))),
        }
    }

    fn check(&self, text: &str) -> Result<(), String> {
        // An empty text records that it was generated.
        match (self.saved, text.is_empty()) {
            (_, true) => Ok(()),
            (false, false) => Err("none should be file".into()),
            (true, false) if text.len() != self.length => {
                Err(format!("its length is {}, not {}", text.len(), self.length))
            }
            (true, false) if !text.bytes().all(|byte| byte.is_ascii_alphabetic()) => {
                Err("it has others than letters".into())
            }
            _ => Ok(()),
        }
    }

    /// Generates a password and records that.
    fn make(&self, host: &Host) -> Result<(), KindError> {
        let password = random(self.length)
            .map_err(|e| KindError::new(format!("Could not make a password: {e}")))?;
        let text = if self.saved { format!("{password}\n") } else { "\n".to_owned() };
        self.file.write(host, text.as_bytes())?;
        *self.made() = password;
        Ok(())
    }
}

/// This number of letters, uniformly distributed.
fn random(length: usize) -> io::Result<String> {
    let mut source = File::open("/dev/urandom")?;
    let mut out = String::with_capacity(length);
    let mut bytes = [0; 256];
    while out.len() < length {
        source.read_exact(&mut bytes)?;
        // Bytes beyond the last multiple would make some letters more likely.
        let fair =
            bytes.iter().filter(|byte| usize::from(**byte) < 256 / LETTERS.len() * LETTERS.len());
        let letters = fair.map(|byte| char::from(LETTERS[usize::from(*byte) % LETTERS.len()]));
        out.extend(letters.take(length - out.len()));
    }
    Ok(out)
}

impl Instance for Secret {
    fn watches(&self, _: &Host) -> Vec<Watch> {
        vec![Watch::Path(self.file.path().to_path_buf())]
    }

    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        let mut differences = Differences::new(&[]);
        if matches!(self.find(host)?, CurrentPassword::Nothing) {
            let secret = Value::Secret(Arc::new(Value::Null));
            differences.property("password", Value::Null, secret);
        }
        Ok(differences.finish())
    }

    fn apply(&self, host: &Host, changes: &[Change]) -> Result<(), KindError> {
        if changes.is_empty() { Ok(()) } else { self.make(host) }
    }

    fn refreshable(&self) -> bool {
        true
    }

    fn refresh(&self, host: &Host) -> Result<(), KindError> {
        self.make(host)
    }

    fn is_fresh_after(&self, changes: &[Change]) -> bool {
        !changes.is_empty()
    }

    fn sent(&self, host: &Host) -> Result<Vec<(&'static str, Value)>, KindError> {
        let password = match self.find(host)? {
            CurrentPassword::Password(text) if self.saved => text,
            CurrentPassword::Password(_) => self.made().clone(),
            CurrentPassword::Nothing => return Ok(Vec::new()),
        };
        Ok(vec![("password", Value::Secret(Arc::new(Value::str(password))))])
    }
}
