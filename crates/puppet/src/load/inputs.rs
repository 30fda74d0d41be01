//! The paths that the definition of a name depends on.

use std::path::{Path, PathBuf};

use ordain_source::FileId;
use ordain_source::inputs::{Aspect, Definition, Inputs};

use super::environment::GENERATED_TYPES;
use super::folders::{DATATYPES, FUNCTIONS, OLD_FUNCTIONS, TYPES};
use crate::load::Environment;

impl Environment {
    /// Adds the paths on which the definitions of the recorded names depend: the files that may
    /// define them, those that do, and the folders that were searched.
    pub fn add_definition_paths(&self, inputs: &mut Inputs) {
        let names: Vec<_> = inputs.definitions().map(|(kind, name)| (kind, name.clone())).collect();
        for (kind, name) in names {
            match kind {
                Definition::Class => self.add_class_paths(&name, inputs),
                Definition::Function => {
                    let found = self.registry().functions.get(&name).map(|def| def.program.file);
                    self.add_own_path(found, inputs);
                    self.add_file(&name, "functions", inputs);
                }
                Definition::Alias => {
                    let found = self.registry().aliases.get(&name).map(|def| def.program.file);
                    self.add_own_path(found, inputs);
                    self.add_file(&name, "types", inputs);
                    self.add_ruby_file(DATATYPES, &name, inputs);
                }
                Definition::Model => {
                    let found = self.registry().models.get(&name).map(|def| def.program.file);
                    self.add_own_path(found, inputs);
                    self.add_file(&name, "types", inputs);
                }
                // Other names are not those of files.
                Definition::ResourceType if name.contains("::") => {}
                Definition::ResourceType => {
                    if let Some(dir) = &self.dir {
                        let generated = dir.join(GENERATED_TYPES).join(format!("{name}.pp"));
                        inputs.add_path(Aspect::Content, &generated);
                    }
                    self.add_ruby_file(TYPES, &name, inputs);
                }
                Definition::RubyFunction => {
                    self.add_ruby_file(FUNCTIONS, &name, inputs);
                    self.add_ruby_file(OLD_FUNCTIONS, &name, inputs);
                }
            }
        }
    }

    /// The file of a definition that was found.
    fn add_own_path(&self, file: Option<FileId>, inputs: &mut Inputs) -> Option<PathBuf> {
        let file = self.sources.file(file?);
        file.has_path().then(|| {
            inputs.add_path(Aspect::Content, &file.path);
            file.path.clone()
        })
    }

    /// The files that are read for a class or define, up to the one that has it.
    fn add_class_paths(&self, name: &str, inputs: &mut Inputs) {
        let found = self.registry().types.get(name).map(|def| def.program.file);
        let own = self.add_own_path(found, inputs);
        for (count, path) in self.class_files(name).into_iter().enumerate() {
            inputs.add_path(Aspect::Content, &path);
            // The file after `init.pp` is read in any case.
            if count > 0 && own.as_ref() == Some(&path) {
                return;
            }
        }
    }

    /// The file of a module that may define a name.
    fn add_file(&self, name: &str, folder: &str, inputs: &mut Inputs) {
        if let Some((_, path)) = self.definition_file(name, folder) {
            inputs.add_path(Aspect::Content, &path);
        }
    }

    /// The folders that are searched for a file of Ruby code, and the file.
    fn add_ruby_file(&self, root: &str, name: &str, inputs: &mut Inputs) {
        let mut folder = root.to_owned();
        self.add_folder(&folder, inputs);
        let mut parts = name.split("::").peekable();
        while let Some(part) = parts.next() {
            if parts.peek().is_none() {
                break;
            }
            folder = format!("{folder}/{part}");
            self.add_folder(&folder, inputs);
        }
        let file = format!("{root}/{}.rb", name.replace("::", "/"));
        if let Some(path) = self.ruby_file(&file, root == TYPES) {
            inputs.add_path(Aspect::Content, &path);
        }
    }

    fn add_folder(&self, folder: &str, inputs: &mut Inputs) {
        let modules = self.modules.values().map(|module| module.dir.as_path());
        for dir in self.dir.as_deref().into_iter().chain(modules) {
            let dir: &Path = dir;
            inputs.add_path(Aspect::Entries, &dir.join(folder));
        }
    }
}
