//! The metadata of modules: `metadata.json`, the Puppetfile, `.fixtures.yml`.

use std::path::{Path, PathBuf};

use ecow::EcoString;
use ordain_data::yaml::{NodeId, Tree};
use ordain_source::{TextRange, World};

/// The maximal size of such a file.
const MOST: usize = 1 << 20;

/// A module that something asks for.
#[derive(Clone, Debug)]
pub(super) struct RequiredModule {
    /// Its name without the author.
    pub(super) name: EcoString,
    /// As it is written.
    pub(super) full: EcoString,
    /// The accepted versions, or the pinned version.
    pub(super) version: Option<EcoString>,
    /// The place of the dependency.
    pub(super) at: TextRange,
}

/// A parsed `metadata.json` with its text.
#[derive(Clone, Debug)]
pub(super) struct Metadata {
    pub(super) path: PathBuf,
    pub(super) text: String,
    /// `author-module`
    pub(super) name: Option<(EcoString, TextRange)>,
    pub(super) version: Option<(EcoString, TextRange)>,
    pub(super) dependencies: Vec<RequiredModule>,
    /// The errors in the file.
    pub(super) faults: Vec<(TextRange, String)>,
}

/// The name of a module without its author.
pub(super) fn short(full: &str) -> EcoString {
    full.rsplit(['/', '-']).next().unwrap_or(full).to_lowercase().into()
}

/// The name of a directory's module in its metadata.
pub(super) fn name(world: &dyn World, dir: &Path) -> Option<EcoString> {
    let metadata = Metadata::read(world, dir)?;
    metadata.name.map(|(name, _)| short(&name))
}

fn text_of(world: &dyn World, path: &Path) -> Option<String> {
    let bytes = world.read(path).ok().filter(|bytes| bytes.len() <= MOST)?;
    String::from_utf8(bytes).ok()
}

impl Metadata {
    /// Reads the metadata of a directory, if it has a file.
    pub(super) fn read(world: &dyn World, dir: &Path) -> Option<Self> {
        let path = dir.join("metadata.json");
        let text = text_of(world, &path)?;
        let mut out = Self {
            path,
            text: String::new(),
            name: None,
            version: None,
            dependencies: Vec::new(),
            faults: Vec::new(),
        };
        match ordain_data::json::read(&text) {
            Err(error) => out.faults.push((error.range, error.message)),
            // JSON is YAML, and the tree of YAML has places.
            Ok(_) => {
                if let Ok(tree) = Tree::parse(&text) {
                    out.fill(&tree);
                }
            }
        }
        out.text = text;
        Some(out)
    }

    fn fill(&mut self, tree: &Tree) {
        let start = TextRange::new(0, 1);
        let text = |key: &str| {
            let id = tree.find_node(&[key])?;
            Some((EcoString::from(tree.text(id)?), tree.node(id).span))
        };
        self.name = text("name");
        self.version = text("version");
        match &self.name {
            None => self.faults.push((start, "there is no `name`".into())),
            Some((name, at)) if !is_full_name(name) => {
                let text = format!("the name is `author-module`, not `{name}`");
                self.faults.push((*at, text));
            }
            Some(_) => {}
        }
        match &self.version {
            None => self.faults.push((start, "there is no `version`".into())),
            Some((version, at)) if super::versions::version(version).is_none() => {
                self.faults.push((*at, format!("`{version}` is no version such as 1.2.3")));
            }
            Some(_) => {}
        }
        let Some(list) = tree.find_node(&["dependencies"]) else { return };
        for item in tree.children(list) {
            self.dependency(tree, item);
        }
    }

    fn dependency(&mut self, tree: &Tree, item: NodeId) {
        let find = |key: &str| {
            let mut entries = tree.entries(item);
            let (_, value) = entries.find(|(k, _)| tree.text(*k) == Some(key))?;
            Some((EcoString::from(tree.text(value)?), tree.node(value).span))
        };
        let Some((full, at)) = find("name") else {
            let text = "a dependency has no `name`".into();
            return self.faults.push((tree.node(item).span, text));
        };
        if !is_full_name(&full) {
            self.faults.push((at, format!("a dependency is `author/module`, not `{full}`")));
        }
        let name = short(&full);
        if self.dependencies.iter().any(|d| d.name == name) {
            self.faults.push((at, format!("the dependency `{full}` is listed twice")));
        }
        let version = find("version_requirement");
        if let Some((text, at)) = &version
            && super::versions::range(text).is_none()
        {
            self.faults.push((*at, format!("`{text}` is no range such as `>= 1.0.0 < 3.0.0`")));
        }
        let version = version.map(|(text, _)| text);
        self.dependencies.push(RequiredModule { name, full, version, at });
    }
}

/// `author-module` or `author/module`.
fn is_full_name(name: &str) -> bool {
    let word = |part: &str| {
        !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    };
    name.split_once(['-', '/']).is_some_and(|(author, module)| word(author) && word(module))
}

/// The Puppetfile of a directory with the modules that it lists.
pub(super) struct Puppetfile {
    pub(super) path: PathBuf,
    pub(super) text: String,
    pub(super) modules: Vec<RequiredModule>,
}

impl Puppetfile {
    /// Reads the Puppetfile of a directory, if it has one.
    pub(super) fn read(world: &dyn World, dir: &Path) -> Option<Self> {
        let path = dir.join("Puppetfile");
        let text = text_of(world, &path)?;
        let mut modules = Vec::new();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            modules.extend(listed(line, start));
            start += line.len();
        }
        Some(Self { path, text, modules })
    }
}

/// The directories for modules that a Puppetfile sets by `moduledir`, each with the offset of its
/// line: it holds for the modules below that line.
pub(super) fn module_dirs(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    text.split_inclusive('\n').filter_map(move |line| {
        let at = start;
        start += line.len();
        let rest = line.trim_start().strip_prefix("moduledir")?;
        let (quoted, _) = quoted(rest.trim_start_matches([' ', '\t', '(']))?;
        Some((at, quoted))
    })
}

/// The text in the quotes at the start of a line, and the rest of the line.
fn quoted(line: &str) -> Option<(&str, &str)> {
    let quote = line.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    line[1..].split_once(quote)
}

/// The modules of a `Puppetfile.lock`, which librarian-puppet writes: the lines `author-name (1.2.3)`
/// below `specs:`, indented by four blanks.
pub(super) fn locked(world: &dyn World, dir: &Path) -> Vec<EcoString> {
    let text = text_of(world, &dir.join("Puppetfile.lock")).unwrap_or_default();
    let lines = text.lines().filter_map(|line| {
        let line = line.strip_prefix("    ").filter(|line| !line.starts_with(' '))?;
        let (name, rest) = line.split_once(' ')?;
        rest.starts_with('(').then(|| short(name))
    });
    lines.collect()
}

/// The module of a line `mod 'author/name', '1.2.3'`; the author may be missing.
fn listed(line: &str, start: usize) -> Option<RequiredModule> {
    let rest = line.trim_start().strip_prefix("mod")?.trim_start_matches([' ', '\t', '(']);
    let (full, after) = quoted(rest)?;
    let from = start + (line.len() - rest.len());
    let after = after.trim_start().strip_prefix(',').map(str::trim_start).unwrap_or_default();
    let pinned = after.strip_prefix(['\'', '"']);
    let version = pinned.and_then(|text| text.split(['\'', '"']).next()).map(EcoString::from);
    let at = TextRange::new(from as u32, (from + full.len() + 2) as u32);
    Some(RequiredModule { name: short(full), full: full.into(), version, at })
}

/// The modules that the tests of a module need, in `.fixtures.yml`.
pub(super) fn fixtures(world: &dyn World, dir: &Path) -> Vec<EcoString> {
    let Some(text) = text_of(world, &dir.join(".fixtures.yml")) else { return Vec::new() };
    let Ok(tree) = Tree::parse(&text) else { return Vec::new() };
    let Some(all) = tree.find_node(&["fixtures"]) else { return Vec::new() };
    let groups = tree.entries(all).flat_map(|(_, group)| tree.entries(group));
    groups.filter_map(|(key, _)| tree.text(key).map(short)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_puppetfile() {
        let found = listed("  mod 'acme/web',  '1.2.3'", 10).expect("it is one");
        assert_eq!((&*found.name, found.version.as_deref()), ("web", Some("1.2.3")));
        assert_eq!((found.at.start, found.at.end), (16, 26));
        let found = listed("mod \"acme-web\", :git => 'x'", 0).expect("it is one");
        assert_eq!((&*found.name, found.version.as_deref()), ("web", None));
        assert!(listed("# mod 'acme/web'", 0).is_none());
        assert!(listed("moduledir 'x'", 0).is_none());
    }

    #[test]
    fn directories_of_a_puppetfile() {
        let text =
            "moduledir 'a' # all\nmod 'x'\n# moduledir 'no'\n  moduledir(\"b\")\nmoduledir C\n";
        assert_eq!(module_dirs(text).collect::<Vec<_>>(), [(0, "a"), (45, "b")]);
    }
}
