//! The modules that Puppetfiles install.
//!
//! The next deploy replaces their files, committed ones too, so a site cannot mend findings in them.

use std::path::{Path, PathBuf};

use ordain_source::World;
use ordain_source::layer::absolute;
use rustc_hash::FxHashSet;

use super::metadata::{Puppetfile, locked, module_dirs, short};

/// The directory for modules of a Puppetfile that sets none.
const MODULE_DIR: &str = "modules";

/// Tells which files are in modules that a Puppetfile installs. It reads the Puppetfiles of all
/// directories above a file, each once.
#[derive(Clone, Default, Debug)]
pub struct InstalledModules {
    /// The directories whose Puppetfiles were read.
    read: FxHashSet<PathBuf>,
    /// The directories of installed modules.
    modules: FxHashSet<PathBuf>,
}

impl InstalledModules {
    /// The directory of the installed module that has a file or directory, or is it. `path` is
    /// absolute, without `.` and `..`.
    pub fn module_of(&mut self, world: &dyn World, path: &Path) -> Option<&Path> {
        for root in path.ancestors().skip(1) {
            if self.read.contains(root) {
                break;
            }
            self.read.insert(root.to_path_buf());
            self.modules.extend(installed_by(world, root));
        }
        path.ancestors().find_map(|dir| self.modules.get(dir)).map(PathBuf::as_path)
    }
}

/// The directories of modules that the Puppetfile of a directory installs: those that it lists without
/// `local`, and those that librarian-puppet resolved for it.
fn installed_by(world: &dyn World, root: &Path) -> FxHashSet<PathBuf> {
    let Some(file) = Puppetfile::read(world, root) else { return FxHashSet::default() };
    let dirs: Vec<(usize, &str)> = module_dirs(&file.text).collect();
    let dir = |parent: &str, name: &str| absolute(&root.join(parent).join(name));
    let first = dirs.first().map_or(MODULE_DIR, |(_, dir)| dir);
    let mut out: FxHashSet<PathBuf> =
        locked(world, root).iter().map(|name| dir(first, name)).collect();
    let (mut at, mut moduledir) = (0, MODULE_DIR);
    for (number, module) in file.modules.iter().enumerate() {
        while let Some((_, dir)) =
            dirs.get(at).filter(|(start, _)| *start < module.at.start as usize)
        {
            moduledir = dir;
            at += 1;
        }
        let next = file.modules.get(number + 1);
        let end = next.map_or(file.text.len(), |next| next.at.start as usize);
        let options = file.text.get(module.at.end as usize..end).unwrap_or_default();
        let path = dir(option(options, "install_path").unwrap_or(moduledir), &short(&module.full));
        match is_local(options) {
            true => out.remove(&path),
            false => out.insert(path),
        };
    }
    out
}

/// Whether a module with these options is the site's own. r10k looks for sources in this order.
fn is_local(options: &str) -> bool {
    let has = |name: &str| option(options, name).is_some();
    let is_set = option(options, "local").is_some_and(|value| !matches!(value, "false" | "nil"));
    !has("git") && !has("svn") && (is_set || option(options, "type") == Some("local"))
}

/// The value of an option of a module: `:local => true` or `local: true`.
fn option<'t>(options: &'t str, name: &str) -> Option<&'t str> {
    let mut parts = options.lines().map(without_comment).flat_map(|line| line.split(','));
    parts.find_map(|part| {
        let (key, value) = part.split_once("=>").or_else(|| part.split_once(':'))?;
        let ends = |c: char| c.is_whitespace() || "'\":{}()".contains(c);
        (key.trim_matches(ends) == name).then(|| value.trim_matches(ends))
    })
}

/// A line without its comment.
fn without_comment(line: &str) -> &str {
    let mut quote = None;
    let comment = line.char_indices().find(|(_, c)| match quote {
        None if *c == '#' => true,
        None => {
            quote = matches!(c, '\'' | '"').then_some(*c);
            false
        }
        Some(open) => {
            quote = quote.filter(|_| *c != open);
            false
        }
    });
    comment.map_or(line, |(at, _)| &line[..at])
}

#[cfg(test)]
mod tests {
    use super::*;
    use ordain_source::MemoryWorld;

    /// The module of each path, in `/site` with this Puppetfile and this lock.
    fn modules_of(puppetfile: &str, lock: &str, paths: &[&str]) -> Vec<Option<String>> {
        let files = [("/site/Puppetfile", puppetfile), ("/site/Puppetfile.lock", lock)];
        let world = MemoryWorld::with_files(files);
        let mut modules = InstalledModules::default();
        let mut of = |path: &&str| {
            let module = modules.module_of(&world, &Path::new("/site").join(path));
            module.map(|dir| dir.display().to_string().replace("/site/", ""))
        };
        paths.iter().map(&mut of).collect()
    }

    fn installed(puppetfile: &str, dir: &str) -> bool {
        modules_of(puppetfile, "", &[dir]) == [Some(dir.to_owned())]
    }

    #[test]
    fn files_of_a_module_and_others() {
        let inside = ["modules/web", "modules/web/manifests/init.pp", "modules/web/files/a/b/c.pp"];
        let found = modules_of("mod 'acme/web', '1.2.3'\n", "", &inside);
        assert_eq!(found, vec![Some("modules/web".to_owned()); 3]);
        let others =
            ["modules/unlisted/a.pp", "manifests/site.pp", "", "modules", "modules/webs/a.pp"];
        assert_eq!(modules_of("mod 'acme/web', '1.2.3'\n", "", &others), vec![None; 5]);
    }

    #[test]
    fn without_a_puppetfile_nothing_is_installed() {
        let world = MemoryWorld::with_files([("/site/modules/web/manifests/init.pp", "")]);
        let path = Path::new("/site/modules/web/manifests/init.pp");
        assert_eq!(InstalledModules::default().module_of(&world, path), None);
    }

    #[test]
    fn local_modules_are_the_sites_own() {
        assert!(!installed("mod 'web', :local => true\n", "modules/web"));
        assert!(!installed("mod 'acme-web',\n  local: true # ours\n", "modules/web"));
        assert!(!installed("mod('web', { local: true })\n", "modules/web"));
        assert!(!installed("mod 'web', type: 'local'\n", "modules/web"));
        assert!(installed("mod 'web', :local => false\n", "modules/web"));
        // r10k fetches it.
        assert!(installed("mod 'web', git: 'https://x/y', local: true\n", "modules/web"));
        assert!(installed(
            "mod 'web',\n  # local: true\n  git: 'x#y' # local: true\n",
            "modules/web"
        ));
        assert!(installed("mod 'web', git: 'x'\nmod 'own', local: true\n", "modules/web"));
    }

    #[test]
    fn the_name_in_the_puppetfile_is_that_of_the_directory() {
        let text = "mod 'web', git: 'https://example.org/acme/puppet-webserver.git'\n";
        assert!(installed(text, "modules/web"));
        assert!(!installed(text, "modules/webserver"));
    }

    #[test]
    fn directories_for_modules() {
        let text = "mod 'first'\nmoduledir 'external' # others'\nmod 'web'\nmod 'deep',\n  git: 'x',\n  \
                    # install_path: 'no',\n  install_path: './vendor/../all'\nmod 'flat', install_path: ''\n";
        for dir in ["modules/first", "external/web", "all/deep", "flat"] {
            assert!(installed(text, dir), "{dir}");
        }
        for dir in ["modules/web", "external/first", "external/deep", "no/deep", "external/flat"] {
            assert!(!installed(text, dir), "{dir}");
        }
    }

    #[test]
    fn modules_that_librarian_puppet_resolved() {
        let lock = "FORGE\n  specs:\n    acme-stdlib (9.0.0)\n    acme-own (1.0.0)\n";
        let paths = ["modules/stdlib/a.pp", "modules/own/a.pp"];
        let found = modules_of("mod 'acme/own', local: true\n", lock, &paths);
        assert_eq!(found, [Some("modules/stdlib".to_owned()), None]);
    }

    #[test]
    fn puppetfiles_of_all_directories_above() {
        let world = MemoryWorld::with_files([
            ("/code/Puppetfile", "mod 'base'\n"),
            ("/code/production/Puppetfile", "mod 'web'\n"),
        ]);
        let mut modules = InstalledModules::default();
        let mut of = |path: &str| modules.module_of(&world, Path::new(path)).map(Path::to_path_buf);
        assert_eq!(
            of("/code/production/modules/web/a.pp"),
            Some("/code/production/modules/web".into())
        );
        assert_eq!(of("/code/modules/base/a.pp"), Some("/code/modules/base".into()));
        assert_eq!(of("/code/modules/web/a.pp"), None);
    }
}
