//! Writing TOML: simple values first, then tables, then lists of tables.

use crate::error::{EvalResult, plain as fail};
use crate::functions::support::ruby_text;
use crate::types::label::label;
use crate::value::{HashValue, Value};

/// The hash as TOML.
///
/// # Errors
/// When TOML cannot represent a value.
pub fn write(value: &Value) -> EvalResult<String> {
    let mut out = String::new();
    if let Some(hash) = value.as_hash() {
        table(&mut out, hash, &[], false)?;
    }
    Ok(out)
}

fn bare(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

fn key_text(key: &str) -> String {
    if bare(key) { key.into() } else { basic_string(key) }
}

fn basic_string(text: &str) -> String {
    ordain_functions::text::inspect_ruby(text).replace("\\#", "#").replace("\\e", "\\u001B")
}

fn is_table_list(value: &Value) -> bool {
    value.as_array().is_some_and(|items| items.first().is_some_and(|v| v.as_hash().is_some()))
}

fn table(out: &mut String, hash: &HashValue, prefix: &[String], is_item: bool) -> EvalResult<()> {
    let mut entries: Vec<(String, &Value)> =
        hash.iter().map(|(k, v)| (ruby_text(k).to_string(), v)).collect();
    entries.sort_by(|a, b| a.0.cmp(&b.0));
    let (mut simple, mut tables, mut lists) = (Vec::new(), Vec::new(), Vec::new());
    for (key, value) in entries {
        match value {
            Value::Hash(hash) => tables.push((key, hash)),
            Value::Array(items) if is_table_list(value) => lists.push((key, items)),
            _ => simple.push((key, value)),
        }
    }
    let headed = !prefix.is_empty() && (is_item || !simple.is_empty() || hash.is_empty());
    if headed {
        let name = prefix.join(".");
        out.push_str(&if is_item { format!("[[{name}]]\n") } else { format!("[{name}]\n") });
    }
    for (key, value) in simple {
        out.push_str(&format!("{} = {}\n", key_text(&key), plain_text(value)?));
    }
    for (key, hash) in tables {
        let path = [prefix, &[key_text(&key)]].concat();
        table(out, hash, &path, false)?;
    }
    for (key, items) in lists {
        let path = [prefix, &[key_text(&key)]].concat();
        for item in items.iter() {
            if let Some(hash) = item.as_hash() {
                table(out, hash, &path, true)?;
            }
        }
    }
    Ok(())
}

fn plain_text(value: &Value) -> EvalResult<String> {
    Ok(match value {
        Value::Str(text) => basic_string(text),
        Value::Array(items) => {
            let items = items.iter().map(plain_text).collect::<EvalResult<Vec<_>>>()?;
            format!("[{}]", items.join(", "))
        }
        Value::Undef | Value::Default | Value::Callable(_) => {
            return fail(format!("stdlib::to_toml(): {} has no form in TOML", label(value)));
        }
        Value::Hash(_) => return fail("stdlib::to_toml(): a list mixes hashes and other values"),
        other => ruby_text(other).to_string(),
    })
}
