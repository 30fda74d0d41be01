//! Help for names whose module is missing.

use std::path::{Path, PathBuf};

use ecow::EcoString;
use ordain_source::EntryKind;
use rustc_hash::FxHashSet;

use super::Environment;
use crate::syntax::definitions::DefKind;
use crate::validation::names::nearest;

/// The maximal size of a Puppetfile.
const MAX_PUPPETFILE: usize = 1 << 20;
/// The maximal number of modules in a message.
const MAX_NAMED: usize = 8;
/// The maximal nesting of directories of a module, which ends loops of links.
const MAX_DEPTH: usize = 16;
/// The maximal number of files of a module's folder that are read.
const MAX_FILES: usize = 2000;

/// The kind of a name that files of modules define.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NameKind {
    /// A class.
    Class,
    /// A define.
    Define,
    /// A function, in Puppet or in Ruby.
    Function,
    /// A data type.
    DataType,
    /// A resource type in Ruby.
    RubyType,
}

impl NameKind {
    /// The folders of a module with such definitions, and the extension of their files.
    fn folders(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Class | Self::Define => &[("manifests", "pp")],
            Self::Function => &[
                ("functions", "pp"),
                ("lib/puppet/functions", "rb"),
                ("lib/puppet/parser/functions", "rb"),
            ],
            Self::DataType => &[("types", "pp")],
            Self::RubyType => &[("lib/puppet/type", "rb")],
        }
    }

    /// The keyword before the name in a manifest, if files of one folder have several kinds of
    /// definitions.
    fn word(self) -> Option<&'static str> {
        match self {
            Self::Class => Some("class"),
            Self::Define => Some("define"),
            Self::Function | Self::DataType | Self::RubyType => None,
        }
    }
}

impl Environment {
    /// Help for an unknown class.
    pub(crate) fn class_help(&self, name: &str) -> Option<String> {
        let known = self.names_like(NameKind::Class, name);
        let near = nearest(name, known.iter().map(EcoString::as_str).filter(|n| !n.is_empty()));
        self.missing_help(name, near)
    }

    /// Names of a kind for suggestions: names that were read so far, and names that follow from
    /// file names. Only errors need them.
    pub(crate) fn names_like(&self, named: NameKind, wanted: &str) -> Vec<EcoString> {
        let is_near = |name: &EcoString| nearest(wanted, [name.as_str()]).is_some();
        let mut names = match named {
            NameKind::Class => self.type_names(DefKind::Class),
            NameKind::Define => self.type_names(DefKind::Define),
            NameKind::Function => self.function_names(),
            NameKind::DataType | NameKind::RubyType => Vec::new(),
        };
        let known: FxHashSet<EcoString> = names.iter().cloned().collect();
        let own = self.dir.iter().map(|dir| ("", dir.as_path()));
        let modules = self.modules.values().map(|m| (m.name.as_str(), m.dir.as_path()));
        for (module, dir) in modules.chain(own) {
            for (folder, ending) in named.folders() {
                let is_ruby = *ending == "rb";
                let module = if is_ruby { "" } else { module };
                let mut files = Vec::new();
                self.files_in(&dir.join(folder), ending, 0, &mut files);
                for path in files {
                    let Some(name) = name_of(module, &dir.join(folder), &path) else { continue };
                    let is_new = is_near(&name) && !known.contains(&name);
                    if is_new && self.file_defines(&path, named, &name) {
                        names.push(name);
                    }
                }
            }
        }
        names.sort();
        names.dedup();
        names
    }

    fn files_in(&self, dir: &Path, ending: &str, depth: usize, out: &mut Vec<PathBuf>) {
        if depth > MAX_DEPTH || out.len() > MAX_FILES {
            return;
        }
        for (name, kind) in self.world.list(dir).unwrap_or_default() {
            let path = dir.join(name);
            match kind {
                EntryKind::Directory => self.files_in(&path, ending, depth + 1, out),
                EntryKind::File if path.extension().is_some_and(|e| e == ending) => out.push(path),
                _ => {}
            }
        }
    }

    /// Whether a file has the definition that its name promises.
    fn file_defines(&self, path: &Path, named: NameKind, name: &str) -> bool {
        let Some(word) = named.word() else { return true };
        let Ok(bytes) = self.world.read(path) else { return false };
        let text = String::from_utf8_lossy(&bytes);
        text.match_indices(word).any(|(at, _)| {
            let rest = text[at + word.len()..].trim_start().trim_start_matches("::");
            let end = rest.strip_prefix(name).map(|rest| rest.chars().next());
            end.is_some_and(|c| c.is_none_or(|c| !c.is_alphanumeric() && c != '_' && c != ':'))
        })
    }

    /// Help for an unknown name: first that its module is not installed, then the nearest known
    /// name, then that its module is unknown.
    pub(crate) fn missing_help(&self, name: &str, near: Option<&str>) -> Option<String> {
        let near = || near.map(|near| format!("did you mean `{near}`?"));
        self.listed_only(name).or_else(near).or_else(|| self.missing_module(name))
    }

    /// Help for a resource type or function, whose name does not contain its module.
    pub(crate) fn missing_member_help(&self, name: &str, near: Option<&str>) -> Option<String> {
        if name.contains("::") {
            return self.missing_help(name, near);
        }
        let near = || near.map(|near| format!("did you mean `{near}`?"));
        self.listed_only(name).or_else(near).or_else(|| self.not_installed())
    }

    /// The help that no directory of the module path has the module of a qualified name.
    fn missing_module(&self, name: &str) -> Option<String> {
        let module = module_of(name);
        if module.is_empty() || self.modules.contains_key(module) {
            return None;
        }
        if self.modulepath.is_empty() {
            return Some(format!(
                "there is no module `{module}`: set the directories of modules with `--modulepath`"
            ));
        }
        let exists = |dir: &&PathBuf| self.world.kind(dir).is_some();
        let dirs: Vec<String> =
            self.modulepath.iter().filter(exists).map(|dir| dir.display().to_string()).collect();
        Some(match dirs.is_empty() {
            true => format!(
                "there is no module `{module}`, nor any directory of the module path; \
                 `--modulepath` gives another one"
            ),
            false => format!("there is no module `{module}` in {}", dirs.join(", ")),
        })
    }

    /// The help that a module is in the Puppetfile, but not installed.
    fn listed_only(&self, name: &str) -> Option<String> {
        let module = module_of(name);
        if self.modules.contains_key(module) || !self.listed().iter().any(|m| m == module) {
            return None;
        }
        Some(format!(
            "the Puppetfile lists module `{module}`, but it is not installed; \
             `ordain deploy puppetfile` does that"
        ))
    }

    /// The modules of the Puppetfile that are not installed.
    fn not_installed(&self) -> Option<String> {
        let mut missing = self.listed();
        missing.retain(|module| !self.modules.contains_key(module.as_str()));
        if missing.is_empty() {
            return None;
        }
        let more = missing.len().saturating_sub(MAX_NAMED);
        missing.truncate(MAX_NAMED);
        let mut names = missing.join(", ");
        if more > 0 {
            names.push_str(&format!(" and {more} more"));
        }
        Some(format!(
            "it may be of a module that the Puppetfile lists and that is not installed: {names}; \
             `ordain deploy puppetfile` does that"
        ))
    }

    /// The modules that the environment's Puppetfile lists.
    fn listed(&self) -> Vec<String> {
        let Some(dir) = &self.dir else { return Vec::new() };
        let Ok(bytes) = self.world.read(&dir.join("Puppetfile")) else { return Vec::new() };
        if bytes.len() > MAX_PUPPETFILE {
            return Vec::new();
        }
        String::from_utf8_lossy(&bytes).lines().filter_map(listed_module).collect()
    }
}

/// The name that a file below a folder of a module may define: `a/b.pp` is `module::a::b`.
fn name_of(module: &str, folder: &Path, path: &Path) -> Option<EcoString> {
    let rest = path.strip_prefix(folder).ok()?.with_extension("");
    let mut parts: Vec<&str> = Vec::new();
    if !module.is_empty() {
        parts.push(module);
    }
    for part in rest.components() {
        parts.push(part.as_os_str().to_str()?);
    }
    if !module.is_empty() && parts.len() == 2 && parts[1] == "init" {
        parts.pop();
    }
    Some(parts.join("::").into())
}

/// The first part of a qualified name.
fn module_of(name: &str) -> &str {
    name.trim_start_matches("::").split("::").next().unwrap_or_default()
}

/// The module of a line `mod 'author/name', ...`; the author may be missing, or end with `-`.
fn listed_module(line: &str) -> Option<String> {
    let rest = line.trim_start().strip_prefix("mod")?;
    let rest = rest.trim_start_matches([' ', '\t', '(']);
    let quote = rest.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let (full, _) = rest[1..].split_once(quote)?;
    full.rsplit(['/', '-']).next().map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::listed_module;

    #[test]
    fn modules_of_a_puppetfile() {
        let name = |line| listed_module(line).unwrap_or_default();
        assert_eq!(name("mod 'acme/web', '1.0.0'"), "web");
        assert_eq!(name("  mod \"acme-web_server\","), "web_server");
        assert_eq!(name("mod('web')"), "web");
        assert_eq!(name("# mod 'acme/web'"), "");
        assert_eq!(name("module 'acme/web'"), "");
        assert_eq!(name("mod 'open"), "");
    }
}
