//! `golang.template`: Go's `text/template`, with the functions of mcl in it.
//!
//! A text is parsed to a tree, which is executed on data. Errors have the messages of Go, with the
//! position in the text. A missing key is an error.
//!
//! ```
//! use ordain_mcl::functions::{self, environment::Memory};
//! use ordain_mcl::template::render;
//! use ordain_mcl::value::{Struct, Value};
//!
//! let data = Struct::of([("name", Value::from("web")), ("port", Value::from(80))]);
//! let data = Some((&data.into(), None));
//! let text = render(b"{{.Name}}:{{.Port}}", data, &Memory::default(), functions::all);
//! assert_eq!(text.unwrap(), b"web:80");
//! ```

mod ast;
mod builtins;
mod callable;
mod data;
mod exec;
mod lex;
mod parse;

#[cfg(test)]
mod tests;

use crate::functions::{AllFunctions, Environment};
use crate::types::Type;
use crate::value::Value;

/// Parses a text and executes it on data. The type of the data is needed for the items of empty
/// lists.
///
/// # Errors
/// `template: parse error: …` or `template: execution error: …`
pub fn render(
    text: &[u8],
    data: Option<(&Value, Option<&Type>)>,
    environment: &dyn Environment,
    functions: AllFunctions,
) -> Result<Vec<u8>, String> {
    let text = String::from_utf8_lossy(text);
    let tree = parse::parse(&text, functions)
        .map_err(|error| format!("template: parse error: {error}"))?;
    let data = match data {
        Some((value, ty)) => Some(data::convert(value, ty)?),
        None => None,
    };
    exec::execute(&tree, data, environment, functions)
        .map_err(|error| format!("template: execution error: {error}"))
}
