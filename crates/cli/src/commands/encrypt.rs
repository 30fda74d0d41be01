//! `ordain encrypt`: encrypts and decrypts documents, as the template functions `encrypt` and
//! `decrypt` do.

use std::io::Write;

use clap::Args;
use ordain_dynaml::functions::secrets::{decrypt_text, encrypt_text};
use ordain_source::{HostWorld, World};

use crate::commands::merge::shown;
use crate::exit::{Exit, Failure};
use crate::ui::Ui;
use ordain_driver::dynaml::merge::{self, MergeError, read};

/// The only supported method.
const METHOD: &str = "3DES";

/// Encrypt or decrypt a YAML document
///
/// The format is that of spiff++ and of the functions `encrypt` and `decrypt` of templates. The key is
/// PASSWORD, else that in SPIFF_ENCRYPTION_KEY; other users of the machine may see arguments.
#[derive(Args)]
#[command(after_help = "\
Examples:
  SPIFF_ENCRYPTION_KEY=... ordain encrypt secrets.yml > secrets.enc
  SPIFF_ENCRYPTION_KEY=... ordain encrypt --decrypt secrets.enc")]
pub(crate) struct EncryptArgs {
    /// The file, or -
    file: String,
    /// The key
    password: Option<String>,
    /// How: 3DES
    method: Option<String>,
    /// Decrypt
    #[arg(short, long)]
    decrypt: bool,
}

/// Encrypts or decrypts a file and prints the result.
///
/// # Errors
/// When the file cannot be read, is no YAML, or the key is wrong.
pub(crate) fn run(ui: &mut Ui, args: &EncryptArgs) -> Result<Exit, Failure> {
    let words: Vec<&str> = args.password.iter().chain(&args.method).map(String::as_str).collect();
    let text = encrypt(&args.file, &words, args.decrypt).map_err(|t| shown(ui, &t))?;
    ui.document().write_all(text.as_bytes())?;
    Ok(Exit::Done)
}

/// Encrypts or decrypts a file. `words` are the key and the method. The result ends with a line
/// break.
///
/// # Errors
/// When the file cannot be read, is no YAML, or the key is wrong.
pub(crate) fn encrypt(file: &str, words: &[&str], decrypt: bool) -> Result<String, MergeError> {
    let input = read(&HostWorld::new(), "data", file)?;
    let default = std::env::var("SPIFF_ENCRYPTION_KEY").unwrap_or_default();
    let (key, method) = match words {
        [] => (default.as_str(), METHOD),
        [METHOD] => (default.as_str(), METHOD),
        [key] => (*key, METHOD),
        [key, method, ..] => (*key, *method),
    };
    if key.is_empty() {
        return Err(MergeError::Usage("invalid empty encyption key".into()));
    }
    if method != METHOD {
        return Err(MergeError::Usage(format!("invalid encyption method {method:?}")));
    }
    if decrypt {
        return match decrypt_text(input.text.trim(), key) {
            Some(text) => Ok(text + "\n"),
            None => Err(MergeError::Usage(format!("error decoding data [{file}]: invalid key"))),
        };
    }
    merge::parse("data", &input)?;
    Ok(encrypt_text(&input.text, key, HostWorld::new().random()) + "\n")
}
