//! Evaluates Puppetfiles.
//!
//! A Puppetfile is a Ruby program. The interpreter that runs it has no access to files or
//! processes, but it reads environment variables.

mod declare;

use std::path::{Path, PathBuf};

use ordain_ruby::{Error as RubyError, Foreign, Host, HostError, Limits, Script, Value};
use ordain_source::{Diagnostic, FileId, SourceMap, Span, TextRange};

use crate::error::{Error, Result};

pub(crate) use declare::{Declared, ForgeVersion, GitRefs, Module, Reference};

/// The stack size for the interpreter, in bytes.
const STACK: usize = 8 << 20;

/// The largest number of modules in a Puppetfile.
const MAX_MODULES: usize = 10_000;

/// The declarations of a Puppetfile.
#[derive(Default, Debug)]
pub(crate) struct Puppetfile {
    pub(crate) modules: Vec<Module>,
    /// The Forge that it names.
    pub(crate) forge: Option<String>,
    /// Warnings about options.
    pub(crate) warnings: Vec<Diagnostic>,
}

/// The directory of modules for which a Puppetfile names none.
pub(crate) const MODULEDIR: &str = "modules";

/// Evaluates a Puppetfile. `path` names it in messages. `moduledir` is the directory of modules for
/// which it names none.
pub(crate) fn evaluate(
    path: &Path,
    text: &str,
    moduledir: &Path,
    texts: &SourceMap,
) -> Result<Puppetfile> {
    let file = texts.add(path, text);
    let place = |line: u32| line_span(texts, file, line);
    ordain_source::limits::on_deep_stack(STACK, || {
        let script = Script::parse(text).map_err(|error| {
            let found = Error::new(error.message.clone()).at(Some(place(error.line)));
            if error.is_unsupported { beyond(&error.message, place(error.line)) } else { found }
        })?;
        let mut host = Declarations {
            puppetfile: Puppetfile::default(),
            moduledir: moduledir.to_path_buf(),
            line: 1,
            place: &place,
        };
        let mut limits = Limits { stack: STACK / 2, ..Limits::default() };
        script.run(&mut host, &mut limits).map_err(|error| failure(error, &place))?;
        check_names(&host.puppetfile.modules)?;
        Ok(host.puppetfile)
    })
}

/// The span of a line.
fn line_span(texts: &SourceMap, file: FileId, line: u32) -> Span {
    let source = texts.file(file);
    let start = u32::try_from(source.line_start(line.max(1))).unwrap_or(u32::MAX);
    let text = source.line_text(line.max(1));
    let indent = text.len() - text.trim_start().len();
    let length = text.trim().len().max(1);
    let at = |offset: usize| start.saturating_add(u32::try_from(offset).unwrap_or(u32::MAX));
    TextRange::new(at(indent), at(indent + length)).in_file(file)
}

/// The error for a program that uses Ruby features which the interpreter lacks.
fn beyond(what: &str, span: Span) -> Error {
    let text = format!("the Puppetfile needs more of Ruby than Ordain runs: {what}");
    let help = "conditions, variables, loops and methods of values work; files, processes and \
                libraries do not";
    Error::new(text).at(Some(span)).help(help)
}

fn failure(error: RubyError, place: &dyn Fn(u32) -> Span) -> Error {
    match error {
        RubyError::Exception(exception) => {
            let class = exception.class_name.as_deref().unwrap_or(exception.class.name());
            let text = format!("{}: {class}", exception.message);
            Error::new(text).at(Some(place(exception.line)))
        }
        RubyError::Unsupported { what, line } => beyond(&what, place(line)),
        RubyError::Limit { what, line } => {
            Error::new(format!("the Puppetfile takes {what}")).at(Some(place(line)))
        }
        RubyError::Host { error, line } => match error.downcast::<Error>() {
            Ok(error) => *error,
            Err(_) => Error::new("the Puppetfile cannot be evaluated").at(Some(place(line))),
        },
    }
}

/// Refuses two modules with the same name, as r10k does.
fn check_names(modules: &[Module]) -> Result<()> {
    let mut seen = std::collections::BTreeMap::new();
    for module in modules {
        if seen.insert(module.name.as_str(), module).is_some() {
            let text = format!("the Puppetfile declares the module {} twice", module.name);
            return Err(Error::new(text).at(Some(module.span)));
        }
    }
    Ok(())
}

/// The interpreter's host: collects the declarations.
struct Declarations<'p> {
    puppetfile: Puppetfile,
    /// The directory for the following modules, relative to the environment.
    moduledir: PathBuf,
    /// The line of the current call.
    line: u32,
    place: &'p dyn Fn(u32) -> Span,
}

impl Declarations<'_> {
    fn declare(&mut self, name: &str, args: &[Value]) -> Result<bool> {
        let span = (self.place)(self.line);
        let one = |args: &[Value]| match args {
            [value] => value.as_name().map(String::from).ok_or(()),
            _ => Err(()),
        };
        let wrong = || Error::new(format!("`{name}` has one text as its argument")).at(Some(span));
        match name {
            "mod" => {
                let module =
                    declare::module(args, &self.moduledir, span, &mut self.puppetfile.warnings)?;
                if self.puppetfile.modules.len() >= MAX_MODULES {
                    return Err(Error::new("the Puppetfile has too many modules").at(Some(span)));
                }
                self.puppetfile.modules.push(module);
            }
            "forge" => self.puppetfile.forge = Some(one(args).map_err(|()| wrong())?),
            "moduledir" => {
                let path = one(args).map_err(|()| wrong())?;
                self.moduledir = declare::inside(&path, span)?;
            }
            // r10k ignores it, too.
            "exclusion" => {}
            _ => return Ok(false),
        }
        Ok(true)
    }
}

impl Host for Declarations<'_> {
    fn variable(&mut self, _: &str) -> Option<Value> {
        None
    }

    fn at_line(&mut self, line: u32) {
        self.line = line;
    }

    fn call(
        &mut self,
        receiver: Option<&Foreign>,
        name: &str,
        args: &[Value],
    ) -> std::result::Result<Option<Value>, HostError> {
        if receiver.is_some() {
            return Ok(None);
        }
        match self.declare(name, args) {
            Ok(known) => Ok(known.then_some(Value::Nil)),
            Err(error) => Err(HostError::Abort(Box::new(error))),
        }
    }

    fn constant(&mut self, path: &str) -> Option<Value> {
        if path != "ENV" {
            return None;
        }
        let text = |text: std::ffi::OsString| text.into_string().ok().map(Value::str);
        let pairs =
            std::env::vars_os().filter_map(|(name, value)| Some((text(name)?, text(value)?)));
        Some(Value::hash(pairs).frozen())
    }

    fn self_name(&self) -> ecow::EcoString {
        "the Puppetfile".into()
    }
}
