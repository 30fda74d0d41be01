//! Files of an environment. The first compile that needs a file reads and parses it for all.

use std::hash::BuildHasher;
use std::io;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use ecow::EcoString;
use ordain_source::Diagnostic;
use ordain_source::inputs::{Aspect, note_path};
use rustc_hash::FxBuildHasher;

use super::folders::DATATYPES;
use super::{
    Environment, ErbTemplate, LoadedFile, Module, failed_file, namespace_of, ruby_datatypes,
};
use crate::error::{EvalResult, PlainError};
use crate::load::RubySource;
use crate::load::registry::{Registry, Slots};
use crate::syntax::{self, Program};
use crate::validation;

/// The maximal number of cached inline ERB templates.
const KEPT_TEMPLATES: usize = 4096;
/// The maximal length of a cached inline template, in bytes.
const KEPT_LENGTH: usize = 1 << 16;

/// The maximal size of all cached files that manifests read, in bytes.
const KEPT_CONTENTS: usize = 16 << 20;

/// Whether a path leads to no file, other than that it cannot be read.
fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn text_of(path: &Path, bytes: Vec<u8>) -> Result<String, Box<Diagnostic>> {
    String::from_utf8(bytes).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        let line = e.as_bytes()[..at].iter().filter(|b| **b == b'\n').count() + 1;
        let text =
            format!("{} is not valid UTF-8: bad byte at line {line} (offset {at})", path.display());
        Box::new(Diagnostic::error("puppet::invalid-utf8", text))
    })
}

fn unreadable(path: &Path, error: &io::Error) -> Box<Diagnostic> {
    let text = format!("cannot read {}: {error}", path.display());
    Box::new(Diagnostic::error("puppet::unreadable-file", text))
}

impl Environment {
    /// The text of a required file.
    pub(super) fn read_text(&self, path: &Path) -> Result<String, Box<Diagnostic>> {
        text_of(path, self.world.read(path).map_err(|e| unreadable(path, &e))?)
    }

    /// The cache slot of a file.
    fn slot<T>(
        &self,
        path: &Path,
        slots: impl Fn(&Registry) -> &Slots<T>,
        slots_mut: impl Fn(&mut Registry) -> &mut Slots<T>,
    ) -> Arc<OnceLock<T>> {
        let known = slots(&self.registry()).get(path).cloned();
        known.unwrap_or_else(|| {
            Arc::clone(slots_mut(&mut self.registry_mut()).entry(path.to_path_buf()).or_default())
        })
    }

    /// Parses a file of a module once, and registers its definitions. A missing file is no error.
    pub(super) fn load_file(&self, path: &Path, module: &Module, folder: &str) -> EvalResult<()> {
        let slot = self.slot(path, |r| &r.files, |r| &mut r.files);
        match slot.get_or_init(|| self.read_definitions(path, module, folder)) {
            Ok(_) => Ok(()),
            Err(errors) => Err(failed_file(errors.clone()).into()),
        }
    }

    fn read_definitions(
        &self,
        path: &Path,
        module: &Module,
        folder: &str,
    ) -> Result<Option<Arc<Program>>, Vec<Diagnostic>> {
        let text = match self.world.read(path) {
            Ok(bytes) => text_of(path, bytes),
            Err(error) if is_missing(&error) => return Ok(None),
            Err(error) => Err(unreadable(path, &error)),
        };
        let text = text.map_err(|error| vec![*error])?;
        let file = if folder == DATATYPES {
            let Some(text) = ruby_datatypes::as_definition(&text) else { return Ok(None) };
            self.parse(path, &text, None)
        } else {
            let namespace = namespace_of(&module.name, &module.dir.join(folder), path);
            let module_file =
                validation::ModuleFile { path: path.display().to_string(), namespace };
            self.parse(path, &text, Some(module_file))
        };
        let mut errors = file.errors.clone();
        if errors.is_empty() {
            errors = self
                .registry_mut()
                .add(&file.program, &module.name, &mut Vec::new(), &|_| String::new());
        }
        if errors.is_empty() { Ok(Some(Arc::clone(&file.program))) } else { Err(errors) }
    }

    /// The content of a file, which is cached unless it is large.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn content(&self, path: &Path) -> io::Result<Arc<Vec<u8>>> {
        note_path(Aspect::Content, path);
        if let Some(content) = self.registry().contents.files.get(path) {
            return Ok(Arc::clone(content));
        }
        let content = Arc::new(self.world.read(path)?);
        let contents = &mut self.registry_mut().contents;
        if contents.bytes + content.len() <= KEPT_CONTENTS {
            contents.bytes += content.len();
            contents.files.insert(path.to_path_buf(), Arc::clone(&content));
        }
        Ok(content)
    }

    /// The content of a file that will be parsed; it is removed from the cache.
    fn take_content(&self, path: &Path) -> io::Result<Vec<u8>> {
        let kept = {
            let contents = &mut self.registry_mut().contents;
            let kept = contents.files.remove(path);
            contents.bytes -= kept.as_ref().map_or(0, |content| content.len());
            kept
        };
        kept.map_or_else(|| self.world.read(path), |content| Ok(Arc::unwrap_or_clone(content)))
    }

    /// Whether there is a template. It is read at once, since it is wanted next.
    pub fn has_template(&self, path: &Path) -> bool {
        note_path(Aspect::Content, path);
        let slot = self.slot(path, |r| &r.is_template, |r| &mut r.is_template);
        *slot.get_or_init(|| match self.content(path) {
            Ok(_) => true,
            Err(error) => !is_missing(&error) && error.kind() != io::ErrorKind::IsADirectory,
        })
    }

    /// The function in a file of Ruby code, parsed once; `None` if the file has no text.
    pub(crate) fn ruby_source(&self, path: &Path) -> Option<Arc<RubySource>> {
        note_path(Aspect::Content, path);
        let slot = self.slot(path, |r| &r.ruby_sources, |r| &mut r.ruby_sources);
        let read = || {
            let text = String::from_utf8(self.world.read(path).ok()?).ok()?;
            Some(Arc::new(RubySource::read(&text)))
        };
        slot.get_or_init(read).clone()
    }

    /// The template in a file, parsed once.
    ///
    /// # Errors
    /// When it cannot be read or does not parse.
    pub fn template(&self, path: &Path) -> EvalResult<Arc<LoadedFile>> {
        note_path(Aspect::Content, path);
        let slot = self.slot(path, |r| &r.templates, |r| &mut r.templates);
        let loaded = slot.get_or_init(|| {
            let bytes = self.take_content(path).map_err(|e| unreadable(path, &e));
            let text = bytes.and_then(|bytes| text_of(path, bytes)).map_err(|d| d.message)?;
            Ok(self.parse_template(path, &text))
        });
        loaded.clone().map_err(|message| PlainError::new(message).into())
    }

    /// The ERB template in a file, parsed once.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn erb(&self, path: &Path) -> EvalResult<Arc<ErbTemplate>> {
        note_path(Aspect::Content, path);
        let slot = self.slot(path, |r| &r.erb, |r| &mut r.erb);
        let loaded = slot.get_or_init(|| {
            let bytes = self.take_content(path).map_err(|e| e.to_string())?;
            let Ok(text) = String::from_utf8(bytes) else {
                return Ok(Arc::new(ErbTemplate::broken(ordain_ruby::SyntaxError {
                    message: "a text that is not UTF-8".into(),
                    line: 1,
                    is_unsupported: true,
                })));
            };
            Ok(Arc::new(ErbTemplate::parse(&text)))
        });
        loaded.clone().map_err(|message| PlainError::new(message).into())
    }

    /// The ERB template that a text is.
    pub fn inline_erb(&self, text: &EcoString) -> Arc<ErbTemplate> {
        if let Some(template) = self.registry().inline_erb.get(text) {
            return Arc::clone(template);
        }
        let template = Arc::new(ErbTemplate::parse(text));
        if text.len() <= KEPT_LENGTH {
            let mut registry = self.registry_mut();
            if registry.inline_erb.len() >= KEPT_TEMPLATES {
                registry.inline_erb.clear();
            }
            registry.inline_erb.insert(text.clone(), Arc::clone(&template));
        }
        template
    }

    /// Parses the text of a template.
    pub fn parse_template(&self, path: &Path, text: &str) -> Arc<LoadedFile> {
        let options = validation::Options { strict: self.strict, ..validation::Options::default() };
        let parse = |file, text| Self::loaded(syntax::parse_epp(file, text), &options);
        // The template context differs, because a template is not a manifest even if its name is
        // that of one.
        let context = FxBuildHasher.hash_one((self.strict, "template"));
        self.sources.parsed(path, text.into(), context, parse).1
    }

    /// Parses a text that is not in a file, such as an expression on a command line.
    pub fn parse_code(&self, path: &Path, text: &str) -> Arc<LoadedFile> {
        self.parse(path, text, None)
    }
}
