//! Writes a compiled graph in its output formats.

use std::io::Write;

use ordain_driver::envelope;
use ordain_graph::json::Secrets;
use ordain_graph::{Graph, dot, json, puppet_catalog};
use ordain_source::{Diagnostic, SourceMap};

use super::args::Format;
use crate::codes;
use crate::exit::Failure;

/// The error that a format does not fit the source.
pub(super) fn refused(text: &str) -> Failure {
    Diagnostic::error(codes::ARGUMENTS, text).into()
}

/// Writes a graph in a format.
///
/// # Errors
/// When the graph cannot be written in this format, or the output cannot be written.
pub(super) fn write(
    out: &mut dyn Write,
    graph: &Graph,
    sources: &SourceMap,
    format: Format,
    secrets: Secrets,
) -> Result<(), Failure> {
    match format {
        Format::Graph => {
            json::write(graph, sources, secrets, &mut *out)?;
            writeln!(out)?;
        }
        Format::PuppetCatalog => {
            let envelope = envelope(graph, sources)?;
            puppet_catalog::write(graph, sources, &envelope, &mut *out)?;
            writeln!(out)?;
        }
        Format::Yaml => {
            let mut text = Vec::new();
            json::write(graph, sources, secrets, &mut text)?;
            let data = ordain_data::json::read_bytes(&text)
                .map_err(|e| codes::io("cannot read back the graph", &e))?;
            out.write_all(ordain_data::yaml::psych::write(&data).as_bytes())?;
        }
        Format::Mgmt | Format::Json | Format::Resources => {
            return Err(refused("this source has no such form"));
        }
        Format::Dot => {
            let mut text = String::new();
            // Writing to a string cannot fail.
            let _ = dot::write(graph, &mut text);
            out.write_all(text.as_bytes())?;
        }
    }
    Ok(())
}
