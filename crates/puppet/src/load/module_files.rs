//! Files of modules by their names in manifests.

use crate::error::PlainError;
use crate::load::Environment;
use ordain_source::EntryKind;
use std::path::PathBuf;

impl Environment {
    /// The path of `module/name` in a folder of the module such as `files` or `templates`; absolute
    /// paths stay.
    pub fn path_in_module(&self, name: &str, folder: &str) -> Option<PathBuf> {
        if name.starts_with('/') {
            return Some(PathBuf::from(name));
        }
        let (module, rest) = name.split_once('/')?;
        // A second slash would make the rest an absolute path.
        let rest = rest.trim_start_matches('/');
        Some(self.modules.get(module)?.dir.join(folder).join(rest))
    }

    /// The file at such a path, if it exists.
    pub fn find_in_module(&self, name: &str, folder: &str) -> Option<PathBuf> {
        let path = self.path_in_module(name, folder)?;
        (self.world.kind(&path)? == EntryKind::File).then_some(path)
    }

    /// As [`Self::find_in_module`], also for directories.
    pub fn exists_in_module(&self, name: &str, folder: &str) -> Option<PathBuf> {
        let path = self.path_in_module(name, folder)?;
        self.world.kind(&path).is_some().then_some(path)
    }

    /// The template of a name, if it exists.
    pub fn find_template(&self, name: &str) -> Option<PathBuf> {
        // An absolute path may be a device, and reading it as a test could block.
        if name.starts_with('/') {
            return self.find_in_module(name, "templates");
        }
        self.path_in_module(name, "templates").filter(|path| self.has_template(path))
    }

    /// The directory of a module.
    pub fn module_directory(&self, module: &str) -> Option<PathBuf> {
        self.modules.get(module).map(|m| m.dir.clone())
    }

    /// The error of an unknown template.
    pub(crate) fn no_template(&self, name: &str) -> PlainError {
        let mut error = PlainError::new(format!("Could not find template '{name}'"));
        if let Some((module, file)) = name.split_once('/').filter(|(module, _)| !module.is_empty())
        {
            error.help = match self.modules.get(module) {
                Some(module) => Some(format!(
                    "it would be {}",
                    module.dir.join("templates").join(file).display()
                )),
                None => self.missing_help(module, None),
            };
        }
        error
    }
}
