//! Resource types and functions of modules in Ruby, found by listing folders.
//!
//! A name without a module may be in any of hundreds of modules. Each folder is listed once, and
//! only modules that have the folder are searched.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

use ecow::EcoString;
use ordain_source::EntryKind;
use ordain_source::inputs::{Definition, note_definition};

use super::{Environment, GENERATED_TYPES, Module, RubyType, generated_types};
use crate::error::EvalResult;
use crate::load::RubyFile;
use crate::load::environment::Folder;
use crate::load::native_type::NativeType;
use crate::schema;

/// The folders of a module with code of these kinds.
pub(super) const TYPES: &str = "lib/puppet/type";
pub(super) const FUNCTIONS: &str = "lib/puppet/functions";
pub(super) const OLD_FUNCTIONS: &str = "lib/puppet/parser/functions";
/// The folder of data types.
pub(super) const DATATYPES: &str = "lib/puppet/datatypes";

impl Environment {
    /// The entries of a folder such as `lib/puppet/functions`.
    fn folder(&self, path: &str) -> Arc<Folder> {
        let known = self.folders.0.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(folder) = known.get(path) {
            return Arc::clone(folder);
        }
        drop(known);
        let mut folder = Folder::default();
        let all: Vec<usize>;
        let outer;
        let dirs: &[usize] = match path.rsplit_once('/') {
            Some((above, name))
                if ![TYPES, FUNCTIONS, OLD_FUNCTIONS, DATATYPES].contains(&path) =>
            {
                outer = self.folder(above);
                outer.folders.get(name).map_or(&[], Vec::as_slice)
            }
            _ => {
                all = (0..=self.modules.len()).collect();
                &all
            }
        };
        for &at in dirs {
            let Some(dir) = self.code_dir(at) else { continue };
            for (name, kind) in self.world.list(&dir.join(path)).unwrap_or_default() {
                let into = match kind {
                    EntryKind::File => &mut folder.files,
                    EntryKind::Directory => &mut folder.folders,
                    EntryKind::Other => continue,
                };
                into.entry(name.into()).or_default().push(at);
            }
        }
        let mut known = self.folders.0.write().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(known.entry(path.into()).or_insert_with(|| Arc::new(folder)))
    }

    fn code_dir(&self, at: usize) -> Option<&PathBuf> {
        match at.checked_sub(1) {
            None => self.dir.as_ref(),
            Some(module) => self.modules.get_index(module).map(|(_, module)| &module.dir),
        }
    }

    /// The first file of a name in a folder of a module or of the environment.
    pub(super) fn ruby_file(&self, path: &str, of_module: bool) -> Option<PathBuf> {
        let (folder, name) = path.rsplit_once('/')?;
        let found = self.folder(folder);
        let at = found.files.get(name)?.iter().find(|&&at| at > 0 || !of_module)?;
        Some(self.code_dir(*at)?.join(path))
    }

    /// The native resource type of this name in lower case: built in, or from a module.
    pub fn native_type(&self, name: &str) -> Option<NativeType> {
        let table = schema::find(name);
        let ruby = if table.is_some_and(|t| t.is_core()) { None } else { self.ruby_type(name) };
        (table.is_some() || ruby.is_some()).then_some(NativeType { table, ruby, model: None })
    }

    fn ruby_type(&self, name: &str) -> Option<Arc<RubyType>> {
        note_definition(Definition::ResourceType, name);
        if let Some(known) = self.registry().ruby_types.get(name) {
            return known.clone();
        }
        // A name with `::` or `/` is not a file name.
        let plain =
            !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        let in_ruby = || {
            let file = self.ruby_file(&format!("{TYPES}/{name}.rb"), true)?;
            let read = RubyType::read(&String::from_utf8_lossy(&self.world.read(&file).ok()?));
            Some(RubyType { file, ..read })
        };
        let generated = plain.then(|| self.generated_type(name)).flatten();
        let found = generated.or_else(|| plain.then(in_ruby).flatten()).map(Arc::new);
        self.registry_mut().ruby_types.insert(name.into(), found.clone());
        found
    }

    /// A type that was generated for this environment, which replaces the Ruby code.
    fn generated_type(&self, name: &str) -> Option<RubyType> {
        let path = self.dir.as_ref()?.join(GENERATED_TYPES).join(format!("{name}.pp"));
        let text = self.world.read(&path).ok()?;
        let loaded = self.parse_code(&path, &String::from_utf8_lossy(&text));
        let read = match loaded.errors.first() {
            Some(error) => Err(error.message.clone()),
            None => generated_types::read(name, &path, &loaded.program),
        };
        Some(read.unwrap_or_else(|why| RubyType {
            file: path,
            open: true,
            broken: Some(why),
            ..RubyType::default()
        }))
    }

    /// The file of a module that defines a resource type in Ruby.
    pub fn ruby_type_file(&self, name: &str) -> Option<PathBuf> {
        let known = self.registry().ruby_types.get(name).cloned().flatten();
        let in_ruby = |file: &Path| file.extension().is_some_and(|e| e == "rb");
        match known {
            Some(known) if in_ruby(&known.file) => Some(known.file.clone()),
            _ => self.ruby_file(&format!("{TYPES}/{name}.rb"), true),
        }
    }

    /// The files of resource types that the modules have, in order of their paths.
    pub fn type_files(&self) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> = Vec::new();
        for module in self.modules.values() {
            let dir = module.dir.join(TYPES);
            let entries = self.world.list(&dir).unwrap_or_default().into_iter();
            let names = entries.filter(|(name, kind)| {
                *kind == EntryKind::File && name.ends_with(".rb") && !name.starts_with('.')
            });
            files.extend(names.map(|(name, _)| dir.join(name)));
        }
        files.sort_by(|a, b| a.as_os_str().cmp(b.as_os_str()));
        files
    }

    /// Keeps the description of a resource type whose file was run.
    pub(crate) fn set_ruby_type(&self, name: &str, found: Arc<RubyType>) {
        self.registry_mut().ruby_types.insert(name.into(), Some(found));
    }

    /// Registers the data type of this name in lower case, if a module has it in Ruby.
    pub(super) fn load_datatype(&self, name: &str) -> EvalResult<()> {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if !name.split("::").all(|part| !part.is_empty() && part.chars().all(plain)) {
            return Ok(());
        }
        let file = self.ruby_file(&format!("{DATATYPES}/{}.rb", name.replace("::", "/")), false);
        let Some(path) = file else { return Ok(()) };
        // The module of the name does not follow from the place of the file.
        let nowhere = Module { name: EcoString::new(), dir: PathBuf::new() };
        self.load_file(&path, &nowhere, DATATYPES)
    }

    /// The file of a module, or of the environment itself, that defines a function in Ruby.
    pub fn ruby_function(&self, name: &str) -> Option<Arc<RubyFile>> {
        note_definition(Definition::RubyFunction, name);
        if let Some(known) = self.registry().ruby_functions.get(name) {
            return known.clone();
        }
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let is_name = name.split("::").all(|part| !part.is_empty() && part.chars().all(plain));
        let file = format!("{}.rb", name.replace("::", "/"));
        let in_folder = |folder: &str, is_old| {
            let path = self.ruby_file(&format!("{folder}/{file}"), false)?;
            Some(Arc::new(RubyFile { path, is_old }))
        };
        let found = is_name
            .then(|| in_folder(FUNCTIONS, false).or_else(|| in_folder(OLD_FUNCTIONS, true)))
            .flatten();
        self.registry_mut().ruby_functions.insert(name.into(), found.clone());
        found
    }
}
