//! The questions of editors about a snapshot. The answers are the same for the same files; nothing here
//! knows a protocol.

use std::path::{Path, PathBuf};

use ordain_driver::format::{FormatSettings, Formatted, format_text, only_lines};
use ordain_source::{HostWorld, SourceMap, TextRange};

use crate::actions;
use crate::by_words;
use crate::error::Error;
use crate::file::File;
use crate::hints;
use crate::language::Language;
use crate::puppet::{
    calls, complete, context, find, functions, hover, lenses, outline, rename, tokens,
};
use crate::snapshot::Analysis;
use crate::types::{
    Action, CallItem, Completions, Edit, Fold, Hover, InlayHint, ItemKind, Lens, Link, OutlineItem,
    Place, SignatureHelp, Token, has_letters,
};

/// The maximal number of symbols of a search.
const MAX_SYMBOLS: usize = 500;

impl Analysis {
    /// The outline of a file.
    pub fn outline(&self, path: &Path) -> Vec<OutlineItem> {
        let Some(file) = self.file(path) else { return Vec::new() };
        match file.program() {
            Some(program) => outline::outline(program),
            None => by_words::outline(file),
        }
    }

    /// The lines of a file that can be folded.
    pub fn folds(&self, path: &Path) -> Vec<Fold> {
        let Some(file) = self.file(path) else { return Vec::new() };
        match file.program() {
            Some(program) => outline::folds(program, &file.lines),
            None => by_words::folds(file),
        }
    }

    /// The formatted text of a file; `None` if its language has no formatter.
    ///
    /// # Errors
    /// When the text has syntax errors.
    pub fn formatted(&self, path: &Path, indent: Option<u32>) -> Result<Option<String>, Error> {
        let Some(file) = self.file(path) else { return Ok(None) };
        let world = HostWorld::new();
        let text = || Some(file.text.to_string());
        let language = match Formatted::of(path) {
            // Most YAML files belong to other programs.
            Some(Formatted::Dynaml) => Formatted::discovered(&world, path, text),
            language => language,
        };
        let Some(language) = language else { return Ok(None) };
        let settings = FormatSettings { indent, ..FormatSettings::default() };
        let sources = SourceMap::new();
        let formatted = format_text(language, path, &file.text, &settings, &sources);
        formatted.map(Some).map_err(|found| {
            let message = found.first().map_or("", |first| first.message.as_str());
            Error::Syntax(message.to_owned())
        })
    }

    /// The text of a file with its formatted lines from `first` to `last`, counted from 0. The others
    /// stay. `None` if its language has no formatter.
    ///
    /// # Errors
    /// When the text has syntax errors.
    pub fn formatted_lines(
        &self,
        path: &Path,
        (first, last): (u32, u32),
    ) -> Result<Option<String>, Error> {
        let Some(file) = self.file(path) else { return Ok(None) };
        let lines = (first as usize + 1, last as usize + 1);
        let formatted = self.formatted(path, None)?;
        Ok(formatted.map(|new| only_lines(&file.text, &new, lines.0, lines.1)))
    }

    /// The definitions of the name at an offset.
    pub fn definitions(&self, path: &Path, offset: u32) -> Vec<Place> {
        let Some(file) = self.file(path) else { return Vec::new() };
        match is_puppet(file) {
            true => find::definitions(self, file, offset),
            false => by_words::definitions(self, file, offset),
        }
    }

    /// All places of the name at an offset, with or without its definitions.
    pub fn references(&self, path: &Path, offset: u32, with_definition: bool) -> Vec<Place> {
        let Some(file) = self.file(path) else { return Vec::new() };
        match is_puppet(file) {
            true => find::references(self, file, offset, with_definition),
            false => by_words::references(self, file, offset, with_definition),
        }
    }

    /// The places of the name at an offset in its file.
    pub fn highlights(&self, path: &Path, offset: u32) -> Vec<TextRange> {
        let all = self.references(path, offset, true);
        all.iter().filter(|place| place.path == path).map(Place::range).collect()
    }

    /// The description of the name at an offset.
    pub fn hover(&self, path: &Path, offset: u32) -> Option<Hover> {
        let file = self.file(path)?;
        match is_puppet(file) {
            true => hover::hover(self, file, offset),
            false => by_words::hover(self, file, offset),
        }
    }

    /// Proposals for the text at an offset.
    pub fn completions(&self, path: &Path, offset: u32) -> Completions {
        let Some(file) = self.file(path) else { return Completions::default() };
        match file.language {
            Some(Language::Puppet) => complete::complete(self, file, offset),
            Some(Language::Data) => {
                let found = complete::complete(self, file, offset);
                // Data may also be a stub of templates.
                if found.items.is_empty() { by_words::complete(self, file, offset) } else { found }
            }
            Some(Language::Mcl | Language::Inmanta | Language::Dynaml) => {
                by_words::complete(self, file, offset)
            }
            Some(Language::Erb) | None => Completions::default(),
        }
    }

    /// The changes that solve the diagnostics in a range of a file. The best one of each comes first.
    pub fn actions(&self, path: &Path, range: TextRange) -> Vec<Action> {
        self.file(path).map(|file| actions::actions(self, file, range)).unwrap_or_default()
    }

    /// The texts that an editor shows between those of a range: values of parameters from Hiera for
    /// the chosen node, and types of variables that none is written for.
    pub fn inlay_hints(&self, path: &Path, range: TextRange) -> Vec<InlayHint> {
        self.file(path).map(|file| hints::hints(self, file, range)).unwrap_or_default()
    }

    /// The definition of the class, define or function at an offset.
    pub fn call_item(&self, path: &Path, offset: u32) -> Option<CallItem> {
        let file = self.file(path).filter(|file| file.language == Some(Language::Puppet))?;
        calls::definition(self, file, offset)
    }

    /// The definitions that use the one whose name is at an offset, with the places where they do.
    pub fn incoming_calls(&self, path: &Path, offset: u32) -> Vec<(CallItem, Vec<TextRange>)> {
        self.file(path).map(|file| calls::incoming(self, file, offset)).unwrap_or_default()
    }

    /// The definitions that the one around an offset uses, with the places where it does.
    pub fn outgoing_calls(&self, path: &Path, offset: u32) -> Vec<(CallItem, Vec<TextRange>)> {
        self.file(path).map(|file| calls::outgoing(self, file, offset)).unwrap_or_default()
    }

    /// The numbers of references and of nodes of the classes, defines, functions and keys of a file,
    /// and plans. Numbers of nodes that are not known yet are left out; a [`crate::UsageJob`] finds
    /// them.
    pub fn lenses(&self, path: &Path) -> Vec<Lens> {
        self.file(path).map(|file| lenses::lenses(self, file)).unwrap_or_default()
    }

    /// The signatures of the function that is called at an offset.
    pub fn signatures(&self, path: &Path, offset: u32) -> Option<SignatureHelp> {
        let file = self.file(path)?;
        if file.language != Some(Language::Puppet) {
            return by_words::signatures(self, file, offset);
        }
        let (name, argument) = context::call(&file.text, offset)?;
        let signatures = functions::signatures(self, name.trim_start_matches("::"));
        (!signatures.is_empty()).then_some(SignatureHelp { signatures, argument })
    }

    /// The definitions of all files whose names have these letters in this order.
    pub fn symbols(&self, query: &str) -> Vec<(OutlineItem, PathBuf)> {
        let query = query.to_lowercase();
        let mut out = Vec::new();
        for file in self.files() {
            if self.is_cancelled() || out.len() >= MAX_SYMBOLS {
                break;
            }
            let is_global = |item: &OutlineItem| {
                let inner =
                    [ItemKind::Resource, ItemKind::Attribute, ItemKind::Variable, ItemKind::Key];
                !inner.contains(&item.kind)
            };
            let all = match file.program() {
                Some(program) => outline::definitions(program).collect(),
                None => by_words::outline(file),
            };
            let found =
                all.into_iter().filter(|item| is_global(item) && has_letters(&item.name, &query));
            out.extend(
                found.map(|item| (OutlineItem { children: Vec::new(), ..item }, file.path.clone())),
            );
        }
        out.truncate(MAX_SYMBOLS);
        out
    }

    /// The range of the name at an offset that can be renamed.
    ///
    /// # Errors
    /// When nothing is there, or it is defined elsewhere.
    pub fn prepare_rename(&self, path: &Path, offset: u32) -> Result<TextRange, Error> {
        let file = self.file(path).filter(|file| is_puppet(file)).ok_or(Error::NotRenamable)?;
        rename::prepare(self, file, offset)
    }

    /// The edits that rename the thing at an offset, in all files.
    ///
    /// # Errors
    /// When the name is not valid or exists, or the thing is defined elsewhere.
    pub fn rename(&self, path: &Path, offset: u32, new: &str) -> Result<Vec<Edit>, Error> {
        let file = self.file(path).filter(|file| is_puppet(file)).ok_or(Error::NotRenamable)?;
        rename::rename(self, file, offset, new)
    }

    /// The highlighted names of a manifest or EPP template, in order.
    pub fn tokens(&self, path: &Path) -> Vec<Token> {
        let file = self.file(path).filter(|file| file.language == Some(Language::Puppet));
        file.map(tokens::tokens).unwrap_or_default()
    }

    /// The names of templates and files in a manifest that lead to a file.
    pub fn links(&self, path: &Path) -> Vec<Link> {
        let file = self.file(path).filter(|file| file.language == Some(Language::Puppet));
        file.map(|file| tokens::links(self, file)).unwrap_or_default()
    }
}

fn is_puppet(file: &File) -> bool {
    matches!(file.language, Some(Language::Puppet | Language::Erb | Language::Data))
}
