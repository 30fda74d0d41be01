//! What modules have in Ruby: resource types and functions, found by listing folders.
//!
//! A name without a module may be in any of hundreds of modules. Each folder is listed once, and of
//! the modules only those that have it are asked for what is below it.

use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

use ecow::EcoString;
use ordain_source::EntryKind;
use rustc_hash::FxHashMap;

use super::{Environment, RubyType};
use crate::catalog::schema::{self, NativeType};
use crate::plugins::RubyFile;

/// The folders of a module in which there is code of these kinds, and folders with more of it.
const TYPES: &str = "lib/puppet/type";
const FUNCTIONS: &str = "lib/puppet/functions";
const OLD_FUNCTIONS: &str = "lib/puppet/parser/functions";

/// What the folders of one name list in all modules.
#[derive(Default)]
pub(super) struct Folders(RwLock<FxHashMap<EcoString, Arc<Folder>>>);

/// The entries by name, each with the directories that have it: 0 is the environment, 1 the first
/// module.
#[derive(Default)]
struct Folder {
    files: FxHashMap<EcoString, Vec<usize>>,
    folders: FxHashMap<EcoString, Vec<usize>>,
}

impl Environment {
    /// What a folder such as `lib/puppet/functions` lists.
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
            Some((above, name)) if ![TYPES, FUNCTIONS, OLD_FUNCTIONS].contains(&path) => {
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

    /// The first file of a name in a folder; that of a module, or of the environment, too.
    fn ruby_file(&self, path: &str, of_module: bool) -> Option<PathBuf> {
        let (folder, name) = path.rsplit_once('/')?;
        let found = self.folder(folder);
        let at = found.files.get(name)?.iter().find(|&&at| at > 0 || !of_module)?;
        Some(self.code_dir(*at)?.join(path))
    }

    /// The resource type of this name in lower case that is not written in Puppet: known to the
    /// program, or from a module.
    pub fn native_type(&self, name: &str) -> Option<NativeType> {
        let table = schema::find(name);
        let ruby = if table.is_some_and(|t| t.is_core()) { None } else { self.ruby_type(name) };
        (table.is_some() || ruby.is_some()).then_some(NativeType { table, ruby })
    }

    fn ruby_type(&self, name: &str) -> Option<Arc<RubyType>> {
        if let Some(known) = self.registry().ruby_types.get(name) {
            return known.clone();
        }
        // A name with `::` or `/` is no file's.
        let plain =
            !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        let file = plain.then(|| self.ruby_file(&format!("{TYPES}/{name}.rb"), true)).flatten();
        let found = file.and_then(|file| {
            let text = self.world.read(&file).ok()?;
            let read = RubyType::read(&String::from_utf8_lossy(&text));
            Some(Arc::new(RubyType { file, ..read }))
        });
        self.registry_mut().ruby_types.insert(name.into(), found.clone());
        found
    }

    /// Keeps what running the file of a resource type has told.
    pub(crate) fn set_ruby_type(&self, name: &str, found: Arc<RubyType>) {
        self.registry_mut().ruby_types.insert(name.into(), Some(found));
    }

    /// The file of a module, or of the environment itself, that defines a function in Ruby.
    pub fn ruby_function(&self, name: &str) -> Option<Arc<RubyFile>> {
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
