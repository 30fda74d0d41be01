//! The modules that Puppetfiles install.
//!
//! Their code belongs to others, and the next deploy overwrites it: a site cannot mend findings in it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ordain_source::World;
use rustc_hash::{FxHashMap, FxHashSet};

use super::layout::puppetfile_module_dir;
use super::metadata::{Puppetfile, locked, short};

/// Tells which files are of modules that the Puppetfile of a directory above them installs.
pub struct InstalledModules<'w> {
    world: &'w dyn World,
    /// The directories of modules that the Puppetfile of a directory installs.
    by_root: FxHashMap<PathBuf, Arc<FxHashSet<PathBuf>>>,
    /// The module of each directory that was asked for.
    by_directory: FxHashMap<PathBuf, Option<PathBuf>>,
}

impl<'w> InstalledModules<'w> {
    /// Reads Puppetfiles from a world.
    pub fn new(world: &'w dyn World) -> Self {
        Self { world, by_root: FxHashMap::default(), by_directory: FxHashMap::default() }
    }

    /// The directory of the installed module that has a file or directory, by its absolute path.
    /// A module with `local` in the Puppetfile is the site's own.
    pub fn module_of(&mut self, path: &Path) -> Option<PathBuf> {
        // The files of a directory have the same answer; the path itself may be a module.
        let directory = path.parent()?;
        if self.is_installed(path, directory) {
            return Some(path.to_path_buf());
        }
        if let Some(known) = self.by_directory.get(directory) {
            return known.clone();
        }
        let found = directory
            .ancestors()
            .find(|dir| dir.parent().is_some_and(|above| self.is_installed(dir, above)))
            .map(Path::to_path_buf);
        self.by_directory.insert(directory.to_path_buf(), found.clone());
        found
    }

    /// Whether a Puppetfile of a directory or above it installs a module in a directory.
    fn is_installed(&mut self, module: &Path, from: &Path) -> bool {
        from.ancestors().any(|root| self.installed_by(root).contains(module))
    }

    fn installed_by(&mut self, root: &Path) -> Arc<FxHashSet<PathBuf>> {
        if let Some(known) = self.by_root.get(root) {
            return known.clone();
        }
        let found = Arc::new(read(self.world, root));
        self.by_root.insert(root.to_path_buf(), found.clone());
        found
    }
}

/// The directories of modules that the Puppetfile of a directory installs.
fn read(world: &dyn World, root: &Path) -> FxHashSet<PathBuf> {
    let Some(file) = Puppetfile::read(world, root) else { return FxHashSet::default() };
    let usual = puppetfile_module_dir(&file.text).unwrap_or("modules");
    let mut out: FxHashSet<PathBuf> =
        locked(world, root).iter().map(|name| root.join(usual).join(name.as_str())).collect();
    for (at, module) in file.modules.iter().enumerate() {
        let start = module.at.end as usize;
        let end = file.modules.get(at + 1).map_or(file.text.len(), |next| next.at.start as usize);
        let options = file.text.get(start..end).unwrap_or_default();
        let parent = option(options, "install_path").unwrap_or(usual);
        let dir = root.join(parent).join(short(&module.full).as_str());
        match option(options, "local") {
            Some("true") => out.remove(&dir),
            _ => out.insert(dir),
        };
    }
    out
}

/// The value of an option of a module: `:local => true` or `local: true`.
fn option<'t>(options: &'t str, name: &str) -> Option<&'t str> {
    let lines = options.lines().filter(|line| !line.trim_start().starts_with('#'));
    lines.flat_map(|line| line.split(',')).find_map(|part| {
        let (key, value) = part.split_once("=>").or_else(|| part.split_once(':'))?;
        (key.trim().trim_start_matches(':') == name).then(|| value.trim().trim_matches(['\'', '"']))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ordain_source::MemoryWorld;

    #[test]
    fn modules_of_a_puppetfile() {
        let site = "mod 'acme/web', '1.2.3'\nmod 'own', :local => true\nmod 'deep',\n  git: 'x',\n  \
             # install_path: 'no',\n  install_path: 'vendor/all'\nmod 'acme-last',\n  :local => true\n";
        let other = "moduledir 'external'\nmod 'web'\n";
        let world =
            MemoryWorld::with_files([("/site/Puppetfile", site), ("/other/Puppetfile", other)]);
        let mut modules = InstalledModules::new(&world);
        let mut of =
            |path: &str| modules.module_of(Path::new(path)).map(|dir| dir.display().to_string());
        let web = Some("/site/modules/web".to_owned());
        assert_eq!(of("/site/modules/web/manifests/init.pp"), web);
        assert_eq!(of("/site/modules/web/files/a/b/c.pp"), web);
        assert_eq!(of("/site/modules/web"), web);
        assert_eq!(
            of("/site/vendor/all/deep/manifests/init.pp").as_deref(),
            Some("/site/vendor/all/deep")
        );
        assert_eq!(
            of("/other/external/web/manifests/init.pp").as_deref(),
            Some("/other/external/web")
        );
        for own in [
            "/site/modules/own/manifests/init.pp",
            "/site/modules/last/manifests/init.pp",
            "/site/modules/deep/manifests/init.pp",
            "/site/modules/unlisted/manifests/init.pp",
            "/site/manifests/site.pp",
            "/site",
            "/other/modules/web/manifests/init.pp",
        ] {
            assert_eq!(of(own), None, "{own}");
        }
    }
}
