//! `ordain types from-ruby`: translates resource types in Ruby to types of the language.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use ordain_facts::Machine;
use ordain_puppet::eval::Settings;
use ordain_puppet::load::{Environment, Options, Site};
use ordain_puppet::plugins::{NotGenerated, Outline};
use ordain_puppet::session::Node;
use ordain_puppet::session::outline_types;
use ordain_puppet::value::rich::from_data;
use ordain_puppet_tools::exchange::migrate::{Counts, migrate};
use ordain_source::{Diagnostic, HostWorld, SourceMap};

use super::generate::notice;
use super::output::write;
use crate::codes;
use crate::exit::{Exit, Failure};
use crate::ui::{Ui, count};

/// Write resource types in Ruby as types of the language
///
/// The files are run by `ruby`. Other modules are found in the directories beside their module and
/// in --modulepath. Attributes become features, their values types; simple blocks are translated.
/// Other code becomes a comment with the Ruby file and line.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ordain types from-ruby modules/apt/lib/puppet/type/apt_key.rb --out types/apt_key.pp
  ordain types from-ruby modules/*/lib/puppet/type/*.rb")]
pub(super) struct FromRubyArgs {
    /// Files such as lib/puppet/type/NAME.rb
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The file to write, in place of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Further module directories, separated by colons
    #[arg(long, value_name = "DIRS", value_delimiter = ':')]
    modulepath: Vec<PathBuf>,
}

/// Translates types and writes them.
///
/// # Errors
/// When a file cannot be read or run, or the result cannot be written.
pub(super) fn run(ui: &mut Ui, args: &FromRubyArgs) -> Result<Exit, Failure> {
    for file in &args.files {
        ordain_source::read_input_text(file).map_err(|e| codes::unreadable(file, &e))?;
    }
    // Types of the same modules see each other.
    let mut groups: BTreeMap<PathBuf, Vec<&Path>> = BTreeMap::new();
    for file in &args.files {
        groups.entry(module_parent(file)).or_default().push(file);
    }
    let mut text = String::new();
    let mut counts = Counts::default();
    let (mut types, mut failed) = (0, 0);
    for (dir, files) in groups {
        for (file, found) in outlines(ui, &dir, &files, &args.modulepath)? {
            let outline = match found {
                Ok(outline) => outline,
                Err(why) => {
                    failed += 1;
                    ui.diagnostics(vec![read_error(&file, why)], &SourceMap::new());
                    continue;
                }
            };
            types += 1;
            let mut read = |path: &str| ordain_source::read_input_text(Path::new(path)).ok();
            let translated_type = migrate(type_name(&file), &outline, &mut read);
            counts.add(translated_type.counts);
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&translated_type.text);
        }
    }
    write(ui, args.out.as_ref(), &text)?;
    let Counts { attributes, translated, partly, left_out, others } = counts;
    notice(
        ui,
        &format!(
            "{} with {}; blocks of code: {translated} translated, {partly} in part, {left_out} not; {} \
         not carried over.",
            count(types, "type"),
            count(attributes, "attribute"),
            count(others, "other thing"),
        ),
    );
    Ok(if failed > 0 { Exit::Failed } else { Exit::Done })
}

fn type_name(file: &Path) -> &str {
    file.file_stem().and_then(|name| name.to_str()).unwrap_or_default()
}

fn read_error(file: &Path, why: NotGenerated) -> Diagnostic {
    let text = match why {
        NotGenerated::Unloadable(why) | NotGenerated::Unwritable(why) => why,
        NotGenerated::Undefined => format!("it does not make the type '{}'", type_name(file)),
    };
    Diagnostic::error(codes::TYPES, format!("{}: {text}", file.display()))
}

/// The directory that holds the module of a file, if the file is at the usual place for types.
fn module_parent(file: &Path) -> PathBuf {
    let parts = ["type", "puppet", "lib"];
    let mut at = file.parent();
    for part in parts {
        at = at.filter(|dir| dir.ends_with(part)).and_then(Path::parent);
    }
    let module = at.map(|module| match module.as_os_str().is_empty() {
        true => PathBuf::from("."),
        false => module.to_path_buf(),
    });
    let module = module.and_then(|module| module.canonicalize().ok());
    module.and_then(|module| module.parent().map(Path::to_path_buf)).unwrap_or_default()
}

type OutlineResult = (PathBuf, Result<Outline, NotGenerated>);

/// Loads the type definitions in files.
fn outlines(
    ui: &mut Ui,
    dir: &Path,
    files: &[&Path],
    modulepath: &[PathBuf],
) -> Result<Vec<OutlineResult>, Failure> {
    let sources = Arc::new(SourceMap::new());
    let own = (!dir.as_os_str().is_empty()).then(|| dir.to_path_buf());
    let options = Options {
        modulepath: own.into_iter().chain(modulepath.iter().cloned()).collect(),
        sources: Arc::clone(&sources),
        ..Options::new(Arc::new(HostWorld::new()), Site::Nothing)
    };
    let env = match Environment::open(options) {
        Ok((env, _)) => env,
        Err(errors) => {
            ui.diagnostics(errors, &sources);
            return Err(Failure::Shown);
        }
    };
    let mut out = Vec::new();
    let each = |_: &str, file: &Path, found| out.push((file.to_path_buf(), found));
    let named = files.iter().map(|file| (type_name(file), *file));
    // Some types use facts in their definition.
    let facts = Machine::host().facts(true);
    let node = Node { facts: from_data(&facts), ..Node::default() };
    let report = outline_types(&env, Settings::default(), &node, named, each);
    ui.diagnostics(report.diagnostics, &sources);
    Ok(out)
}
