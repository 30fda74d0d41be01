//! `ordain compile`: compiles sources to a graph.

use std::io::Write;

use ordain_driver::mcl::Request;
use ordain_driver::{Options, Purpose, SourceKind, compile, inmanta};
use ordain_graph::json::Secrets;
use ordain_source::{Severity, SourceMap};

use crate::compat::mgmt;
use crate::exit::{Exit, Failure};
use crate::ui::Ui;

mod args;
mod nodes;
mod output;
mod requests;
mod static_args;

pub(crate) use args::CompileCommandArgs;
use args::Format;
use output::{refused, write};

/// Compiles and prints.
///
/// # Errors
/// When the sources have errors, or the output cannot be written.
pub(crate) fn run(ui: &mut Ui, args: &CompileCommandArgs) -> Result<Exit, Failure> {
    if args.requests {
        return requests::run(ui);
    }
    let secrets = if args.include_secrets { Secrets::Include } else { Secrets::Omit };
    let options = args.options();
    let kind = SourceKind::of(&args.path, &options);
    match (&kind, args.format) {
        (SourceKind::Mcl, Format::Mgmt) => {
            ordain_driver::check_exists(ui, &args.path, &options)?;
            options.check_paths()?;
            let request = Request::of(&args.path, &options)?;
            let is_graph = mgmt::compile(ui, &request)?;
            return Ok(if is_graph { Exit::Done } else { Exit::Failed });
        }
        (SourceKind::Inmanta, Format::Json | Format::Resources) => {
            return export_model(ui, args, &options, secrets);
        }
        (SourceKind::Inmanta, Format::PuppetCatalog | Format::Mgmt) => {
            return Err(refused("models of Inmanta have no such form"));
        }
        (_, Format::Mgmt) => return Err(refused("only programs of mgmt have this form")),
        (_, Format::Json | Format::Resources) => {
            return Err(refused("only models of Inmanta have this form"));
        }
        _ => {}
    }
    if matches!(kind, SourceKind::Puppet | SourceKind::StandardInput) {
        args.static_catalog.check(args.format == Format::PuppetCatalog)?;
    }
    if let Some(out) = &args.out {
        if !matches!(kind, SourceKind::Puppet | SourceKind::StandardInput) {
            return Err(refused("--out is for manifests and control repositories"));
        }
        return nodes::run(ui, args, &options, out, secrets);
    }
    let compiled = compile(ui, &args.path, &options, Purpose::Inspection)?;
    if let Some(exports) = &compiled.exports {
        exports.keep(ui)?;
    }
    if let Some(found) = ordain_graph::order::find_cycle(&compiled.graph) {
        let warning = ordain_driver::cycle::diagnostic(&found, &compiled.graph, Severity::Warning);
        ui.diagnostics(vec![warning], &compiled.sources);
    }
    write(ui.document(), &compiled.graph, &compiled.sources, args.format, secrets)?;
    // The process ends soon, and the system reclaims all memory at once.
    std::mem::forget(compiled);
    Ok(Exit::Done)
}

/// Prints a model of Inmanta in one of its own formats.
fn export_model(
    ui: &mut Ui,
    args: &CompileCommandArgs,
    options: &Options,
    secrets: Secrets,
) -> Result<Exit, Failure> {
    options.check_paths()?;
    ordain_driver::check_exists(ui, &args.path, options)?;
    let form = match args.format {
        Format::Resources => inmanta::Form::Resources,
        _ => inmanta::Form::Model { has_secrets: secrets == Secrets::Include },
    };
    let sources = SourceMap::new();
    let model = inmanta::Model::new(&args.path, options);
    let exported = inmanta::export(&model, form, &sources)?;
    ui.diagnostics(exported.diagnostics, &sources);
    if let Some(text) = exported.text {
        writeln!(ui.document(), "{text}")?;
    }
    Ok(if exported.has_failed { Exit::Failed } else { Exit::Done })
}
