//! The modules of a program: their locations and their parsing.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use ecow::EcoString;
use ordain_data::yaml;
use ordain_source::{EntryKind, FileId, SourceMap, Span, TextRange, World};
use rustc_hash::FxHashMap;

use super::init;
use crate::failure::{Failure, Phase};
use crate::syntax::ast::{StmtKind, Tree};
use crate::syntax::error::SyntaxError;
use crate::syntax::{extent, hint};
use crate::{Edition, syntax};

/// The number of a module.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct ModId(pub u32);

/// A file of a program with its data.
#[derive(Debug)]
pub struct Module {
    /// Its tree.
    pub tree: Tree,
    /// Its file.
    pub file: FileId,
    /// Its path.
    pub path: PathBuf,
    /// Its path from the root of the program as in messages, such as `/main.mcl`.
    pub shown: EcoString,
    /// The directory of its main file, from the root of the program.
    pub base: EcoString,
    /// The directory of its main file.
    pub dir: PathBuf,
    /// The search path of its imports, its own directory first.
    pub paths: Vec<PathBuf>,
    /// The directory of its own files.
    pub files: PathBuf,
    /// Unknown keys of its `metadata.yaml`.
    pub unknown_metadata: Vec<String>,
}

/// The context for loading a program.
pub struct LoadContext<'w> {
    /// The world with the files.
    pub world: &'w dyn World,
    /// All source texts.
    pub sources: &'w SourceMap,
    /// The edition of mcl.
    pub edition: Edition,
    /// The directory of modules from elsewhere.
    pub module_path: Option<PathBuf>,
}

/// Files by their paths in a deploy.
pub type Deploy = BTreeMap<String, PathBuf>;

/// All modules of a program.
#[derive(Default, Debug)]
pub struct Modules {
    list: Vec<Arc<Module>>,
    by_path: FxHashMap<PathBuf, ModId>,
}

impl Modules {
    /// A module.
    pub fn get(&self, id: ModId) -> Arc<Module> {
        Arc::clone(&self.list[id.0 as usize])
    }

    /// One of them, to look at.
    pub fn at(&self, id: ModId) -> &Module {
        &self.list[id.0 as usize]
    }

    /// The number of modules.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The path for a place in messages.
    pub fn shown(&self, span: Span) -> String {
        let found = self.list.iter().find(|module| module.file == span.file);
        found.map(|module| module.shown.to_string()).unwrap_or_default()
    }

    /// The files of a deploy of the program, by their paths in it. Directories are included with
    /// their content. Built-in modules of the original are not part of deploys.
    pub fn deploy(&self, world: &dyn World) -> Deploy {
        let mut deploy = Deploy::new();
        let Some(main) = self.list.first() else { return deploy };
        let is_own = |module: &Module| {
            module.dir.starts_with(&main.dir) || module.shown.starts_with("/modules/")
        };
        for module in self.list.iter().filter(|module| is_own(module)) {
            deploy.insert(module.shown.to_string(), module.path.clone());
            let metadata = module.dir.join("metadata.yaml");
            if world.kind(&metadata) != Some(EntryKind::File) {
                continue;
            }
            deploy.insert(format!("{}metadata.yaml", module.base), metadata);
            if let Ok(files) = module.files.strip_prefix(&module.dir)
                && world.kind(&module.files) == Some(EntryKind::Directory)
            {
                let name = files.to_string_lossy();
                let place = format!("{}{}", module.base, name.trim_end_matches('/'));
                deploy.insert(place, module.files.clone());
            }
        }
        deploy
    }

    /// The part of a place that messages show, if the text of its file is known.
    pub fn shown_span(&self, span: Span, text: &str) -> Span {
        match self.list.iter().find(|module| module.file == span.file) {
            Some(module) => extent::shown(&module.tree, text, span.range).in_file(span.file),
            None => span,
        }
    }

    /// The module from a path.
    pub fn known(&self, path: &Path) -> Option<ModId> {
        self.by_path.get(path).copied()
    }

    /// Adds a module by its text.
    ///
    /// # Errors
    /// The errors of its text, and its file.
    pub fn add(
        &mut self,
        loading: &LoadContext<'_>,
        place: &ModuleLocation,
        text: &str,
    ) -> Result<ModId, Vec<Failure>> {
        let (file, parsed) = parse(loading, &place.path, text);
        let id = ModId(self.list.len() as u32);
        let mut module = Module {
            tree: Tree::default(),
            file,
            path: place.path.clone(),
            shown: place.shown.clone(),
            base: place.base.clone(),
            dir: place.dir.clone(),
            paths: place.paths.clone(),
            files: place.files.clone(),
            unknown_metadata: place.unknown_metadata.clone(),
        };
        let mut found = Vec::new();
        match &*parsed {
            Ok((tree, failures)) => {
                module.tree = tree.clone();
                found.clone_from(failures);
            }
            Err(failure) => found.push(failure.clone()),
        }
        self.list.push(Arc::new(module));
        self.by_path.insert(place.path.clone(), id);
        if found.is_empty() { Ok(id) } else { Err(found) }
    }
}

/// The tree of a module with its errors, or the error that prevents one.
type ParsedModule = Result<(Tree, Vec<Failure>), Failure>;

/// Parses a module, unless an earlier compile with the same sources did.
fn parse(loading: &LoadContext<'_>, path: &Path, text: &str) -> (FileId, Arc<ParsedModule>) {
    let edition = loading.edition;
    loading.sources.parsed(path, text.into(), edition as u64, |file, text| {
        let mut tree =
            syntax::parse(&text, edition).map_err(|error| refused(&error, &text, edition, file))?;
        let mut found = init::decode(&mut tree, &text, file);
        let shape = init::init(&tree, &text, file, edition);
        if !shape.is_empty() {
            found = shape;
        }
        init::move_classes(&mut tree);
        Ok((tree, found))
    })
}

/// The location of a module.
#[derive(Clone, Debug)]
pub struct ModuleLocation {
    /// Its main file.
    pub path: PathBuf,
    /// Its path in messages.
    pub shown: EcoString,
    /// Its directory, from the root of the program, with a slash at its end.
    pub base: EcoString,
    /// The directory of it.
    pub dir: PathBuf,
    /// The search path of its imports.
    pub paths: Vec<PathBuf>,
    /// The directory of its own files.
    pub files: PathBuf,
    /// Unknown keys of its `metadata.yaml`.
    pub unknown_metadata: Vec<String>,
}

impl ModuleLocation {
    /// A file by itself.
    pub fn of_file(path: &Path, shown: &str) -> Self {
        let dir = path.parent().unwrap_or(Path::new("")).to_path_buf();
        let base = shown.rsplit_once('/').map_or("/", |(base, _)| base);
        let base = if base.ends_with('/') { base.into() } else { format!("{base}/").into() };
        let files = dir.join("files");
        let (path, shown) = (path.into(), shown.into());
        let (paths, unknown_metadata) = (Vec::new(), Vec::new());
        Self { path, shown, base, dir, paths, files, unknown_metadata }
    }
}

/// The main file for a path: the file itself, or that of a directory with `metadata.yaml` or
/// `main.mcl`.
///
/// # Errors
/// When there is none.
pub fn entry(world: &dyn World, path: &Path) -> Result<ModuleLocation, String> {
    let is_metadata = path.file_name().is_some_and(|name| name == "metadata.yaml");
    match world.kind(path) {
        Some(EntryKind::Directory) => directory(world, path, "/", &[]),
        Some(_) if is_metadata => {
            directory(world, path.parent().unwrap_or(Path::new("")), "/", &[])
        }
        Some(_) => {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let place = main_of_directory(world, path);
            Ok(place.unwrap_or_else(|| ModuleLocation::of_file(path, &format!("/{name}"))))
        }
        None => Err("input is invalid".into()),
    }
}

/// The place of a file that is the main file of its directory by the `metadata.yaml` there.
pub fn main_of_directory(world: &dyn World, path: &Path) -> Option<ModuleLocation> {
    let dir = path.parent().unwrap_or(Path::new(""));
    if world.kind(&dir.join("metadata.yaml")) != Some(EntryKind::File) {
        return None;
    }
    directory(world, dir, "/", &[]).ok().filter(|place| place.path == path)
}

/// The main file of a directory.
fn directory(
    world: &dyn World,
    dir: &Path,
    base: &str,
    outer: &[PathBuf],
) -> Result<ModuleLocation, String> {
    let metadata = match world.read(&dir.join("metadata.yaml")) {
        Ok(bytes) => Metadata::read(&bytes)?,
        Err(_) => Metadata::default(),
    };
    let path = dir.join(&metadata.main);
    if world.kind(&path) != Some(EntryKind::File) {
        return Err(format!("could not read main file: `{}`", metadata.main));
    }
    let shown = format!("{base}{}", metadata.main);
    let mut place = ModuleLocation::of_file(&path, &shown);
    place.files = dir.join(&metadata.files);
    place.unknown_metadata = metadata.unknown;
    let own = metadata.path.map(|path| dir.join(path));
    let outer = if metadata.parent_path_block { &[] } else { outer };
    place.paths = own.into_iter().chain(outer.iter().cloned()).collect();
    Ok(place)
}

/// The content of `metadata.yaml`.
struct Metadata {
    main: String,
    path: Option<String>,
    files: String,
    parent_path_block: bool,
    /// Unknown keys.
    unknown: Vec<String>,
}

/// The keys of `metadata.yaml`.
pub const METADATA: [&str; 5] = ["main", "path", "files", "license", "parentpathblock"];

impl Default for Metadata {
    fn default() -> Self {
        let (main, files) = ("main.mcl".into(), "files/".into());
        Self { main, path: None, files, parent_path_block: false, unknown: Vec::new() }
    }
}

impl Metadata {
    fn read(bytes: &[u8]) -> Result<Self, String> {
        let text = std::str::from_utf8(bytes).map_err(|error| error.to_string())?;
        let data = yaml::read(text, yaml::Schema::Psych).map_err(|error| error.to_string())?;
        let mut read = Self::default();
        let keys = data.as_map().into_iter().flat_map(|map| map.iter());
        let keys = keys.filter_map(|(key, _)| key.as_str());
        read.unknown = keys.filter(|key| !METADATA.contains(key)).map(str::to_owned).collect();
        let get = |key: &str| data.get(key).and_then(|v| v.as_str()).filter(|v| !v.is_empty());
        let is_relative = |text: &str| !text.starts_with('/');
        if let Some(main) = get("main") {
            if !is_relative(main) {
                return Err("the Main field must be a relative file path".into());
            }
            read.main = main.into();
        }
        for (key, name) in [("path", "Path"), ("files", "Files")] {
            let Some(path) = get(key) else { continue };
            if !is_relative(path) || !path.ends_with('/') {
                return Err(format!(
                    "the {name} field must be undefined or be a relative dir path"
                ));
            }
            match key {
                "path" => read.path = Some(path.into()),
                _ => read.files = path.into(),
            }
        }
        read.parent_path_block =
            data.get("parentpathblock").and_then(|v| v.as_bool()).unwrap_or(false);
        Ok(read)
    }
}

/// The syntax errors of a text behind its first one, which ends a compile.
pub(crate) fn further_errors(text: &str, edition: Edition, file: FileId) -> Vec<Failure> {
    let Err(first) = syntax::parse(text, edition) else { return Vec::new() };
    let further = syntax::recovery::further(text, edition, &first).into_iter();
    // Hints look for the cause around an error.
    further.map(|(error, part)| refused(&error, &part.alone(text), edition, file)).collect()
}

/// A syntax error with hints.
fn refused(error: &SyntaxError, text: &str, edition: Edition, file: FileId) -> Failure {
    let span = error.range.in_file(file);
    let mut failure = Failure::new(Phase::LexParse, error.to_string(), span);
    failure.plain = error.plain_text().map(Into::into);
    let hint = hint::hint(text, edition, error);
    failure.focus =
        hint.place.map(|(range, text)| Box::new((range.in_file(file), text.to_owned())));
    failure.help = hint.help.map(Into::into);
    failure
}

/// The meaning of the text of an import.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Import {
    /// Built in.
    System,
    /// A file or directory of the program.
    Local,
    /// A module from elsewhere: its directory in a cache.
    Remote(String),
}

/// The kind of an import and its name without `as`.
///
/// # Errors
/// When the text is no import.
pub fn parse_import(name: &str) -> Result<(Import, EcoString), String> {
    if name.is_empty() {
        return Err("empty name".into());
    }
    if name.starts_with('/') {
        return Err("absolute paths are not allowed".into());
    }
    let (host, path) = match name.split_once("://") {
        Some((_, rest)) => {
            let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            // The user and the port are not part of the directory.
            let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
            (Some(host.split_once(':').map_or(host, |(host, _)| host)), path)
        }
        None => (None, name),
    };
    let path = path.split(['?', '#']).next().unwrap_or_default();
    if path.is_empty() {
        return Err("empty path".into());
    }
    let cleaned = clean(path);
    if cleaned != path {
        let cleaned = cleaned.trim_end_matches('/');
        return Err(format!("dirty path, cleaned it's: `{cleaned}`"));
    }
    let kind = match host {
        Some(host) => {
            let joined = format!("{host}{path}");
            Import::Remote(format!("{}/", joined.trim_matches('/')))
        }
        None if path.ends_with('/') || path.ends_with(".mcl") => Import::Local,
        None => Import::System,
    };
    let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let last = match kind {
        Import::Local => last.strip_suffix(".mcl").unwrap_or(last),
        _ => last,
    };
    let last = last.strip_prefix("mgmt-").filter(|rest| !rest.is_empty()).unwrap_or(last);
    let alias = last.replace('-', "_").to_lowercase();
    if alias.starts_with('_') || alias.ends_with('_') {
        return Err("name can't begin or end with dash or underscore".into());
    }
    Ok((kind, alias.into()))
}

/// The path without empty parts and `..`, as far as possible. A slash at the end is kept.
fn clean(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    let root = if path.starts_with('/') { "/" } else { "" };
    let slash = if path.ends_with('/') && !parts.is_empty() { "/" } else { "" };
    format!("{root}{}{slash}", parts.join("/"))
}

/// The location of a local import.
///
/// # Errors
/// When it does not exist.
pub fn local(world: &dyn World, from: &Module, name: &str) -> Result<ModuleLocation, String> {
    let path = normal(&from.dir.join(name));
    let shown = format!("/{}", clean(&format!("{}{name}", &from.base[1..])));
    if name.ends_with('/') {
        return match world.kind(&path) {
            Some(EntryKind::Directory) => directory(world, &path, &shown, &from.paths),
            _ => Err(format!("could not find directory: `{shown}`")),
        };
    }
    if world.kind(&path) != Some(EntryKind::File) {
        return Err(format!("could not find file: `{shown}`"));
    }
    let mut place = ModuleLocation::of_file(&path, &shown);
    place.paths.clone_from(&from.paths);
    Ok(place)
}

/// The cached location of an import from elsewhere.
///
/// # Errors
/// When it is in no cache.
pub fn remote(
    loading: &LoadContext<'_>,
    from: &Module,
    path: &str,
) -> Result<ModuleLocation, String> {
    let places = from.paths.iter().chain(loading.module_path.as_ref());
    for dir in places {
        let dir = normal(&dir.join(path));
        if loading.world.kind(&dir.join("metadata.yaml")) == Some(EntryKind::File) {
            return directory(loading.world, &dir, &format!("/modules/{path}"), &from.paths);
        }
    }
    Err(format!(
        "module `{path}` is in no module path: Ordain downloads nothing, put a checkout with its \
         metadata.yaml at that path below one"
    ))
}

/// The location of a built-in module of the original that was copied to the module path.
pub fn embedded(loading: &LoadContext<'_>, path: &str) -> Option<ModuleLocation> {
    let dir = normal(&loading.module_path.as_ref()?.join(path));
    directory(loading.world, &dir, &format!("/{path}/"), &[]).ok()
}

/// The path without steps back.
fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if out.file_name().is_some() => {
                out.pop();
            }
            part => out.push(part),
        }
    }
    out
}

/// A statement of a module that only a main file may have, in the debug form of the original.
pub fn unused(module: &Module) -> Option<(String, TextRange)> {
    module.tree.body.iter().find_map(|id| {
        let stmt = &module.tree.stmts[*id];
        let name = match &stmt.kind {
            StmtKind::Import { .. }
            | StmtKind::Bind { .. }
            | StmtKind::Func(..)
            | StmtKind::Class(_) => return None,
            StmtKind::Resource(resource) => format!("res({})", resource.kind),
            StmtKind::If(..) | StmtKind::Panic(_) => "if".into(),
            StmtKind::For(node) if node.is_map => "forkv".into(),
            StmtKind::For(_) => "for".into(),
            StmtKind::Include { name, .. } => format!("include({name})"),
            StmtKind::Edge(_) => "edge".into(),
        };
        Some((name, stmt.range))
    })
}
