//! Tasks of modules, as orchestrators ask for them: names, metadata, files.
//!
//! Names, rules and messages are those of Puppet's `Puppet::Module::Task`.

use std::io::Read;
use std::path::{Path, PathBuf};

use rustix::fs::FileType;
use serde_json::{Map, Value as Json, json};

use crate::compile::OpenedEnvironment;
use crate::files::root::Root;

/// The longest metadata that is read, in bytes.
const MAX_METADATA: u64 = 1 << 20;
/// The maximum number of files of a task.
const MAX_FILES: usize = 10_000;
/// The maximum depth of a directory that belongs to a task.
const MAX_DEPTH: usize = 32;
/// The folders of modules that may have files of tasks.
const FOLDERS: [&str; 4] = ["files", "lib", "scripts", "tasks"];

/// A task that can be run.
pub(crate) struct Task {
    /// The name with its module's: `module::task`, or `module` for `init`.
    pub(crate) name: String,
    pub(crate) metadata: Map<String, Json>,
    /// The programs, then further files.
    pub(crate) files: Vec<TaskFile>,
}

/// A file of a task.
pub(crate) struct TaskFile {
    /// The name of a program, or `module/folder/path`.
    pub(crate) name: String,
    /// The directory of its module.
    pub(crate) module_dir: PathBuf,
    pub(crate) module: String,
    pub(crate) folder: String,
    /// The path below the folder.
    pub(crate) path: String,
}

/// Why a task cannot be run.
#[derive(Debug)]
pub(crate) struct TaskError {
    kind: &'static str,
    message: String,
    details: Json,
}

impl TaskError {
    fn new(kind: &'static str, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), details: json!({}) }
    }

    fn metadata(message: impl Into<String>) -> Self {
        Self::new("puppet.tasks/invalid-metadata", message)
    }

    /// The document that describes it.
    pub(crate) fn to_json(&self) -> Json {
        json!({ "kind": self.kind, "msg": self.message, "details": self.details })
    }
}

impl TaskFile {
    /// The file's path below the directory of its module.
    pub(crate) fn below(&self) -> PathBuf {
        Path::new(&self.folder).join(&self.path)
    }
}

/// The tasks of a module.
pub(crate) struct ModuleTasks<'e> {
    env: &'e OpenedEnvironment,
    module: &'e str,
    dir: &'e Path,
    root: Option<Root>,
    /// The names of files in `tasks` that may belong to a task, sorted.
    files: Vec<String>,
}

impl<'e> ModuleTasks<'e> {
    /// The tasks of all modules of an environment, by module.
    pub(crate) fn all(env: &'e OpenedEnvironment) -> impl Iterator<Item = Self> {
        env.modules.iter().map(|(name, dir)| Self::open(env, name, dir))
    }

    /// The tasks of one module, or none if it does not exist.
    pub(crate) fn of(env: &'e OpenedEnvironment, module: &str) -> Option<Self> {
        let (name, dir) = env.modules.iter().find(|(name, _)| name == module)?;
        Some(Self::open(env, name, dir))
    }

    fn open(env: &'e OpenedEnvironment, module: &'e str, dir: &'e Path) -> Self {
        let root = Root::open(dir).ok();
        let names = root.as_ref().and_then(|root| root.list(Path::new("tasks")).ok());
        let mut files = names.unwrap_or_default();
        files.retain(|name| is_file_name(name) && is_file(root.as_ref(), &tasks_file(name)));
        Self { env, module, dir, root, files }
    }

    /// The short names of its tasks, sorted.
    pub(crate) fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.files.iter().map(|file| stem(file)).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Reads a task, or returns none if it does not exist.
    pub(crate) fn read(&self, name: &str) -> Option<Result<Task, TaskError>> {
        self.files.iter().any(|file| stem(file) == name).then(|| self.read_known(name))
    }

    fn read_known(&self, name: &str) -> Result<Task, TaskError> {
        let full = match name {
            "init" => self.module.to_string(),
            name => format!("{}::{name}", self.module),
        };
        let metadata = self.metadata(name)?;
        let mut files = self.programs(name, &full, &metadata)?;
        files.extend(self.further_files(&metadata)?);
        if files.len() > MAX_FILES {
            return Err(TaskError::metadata(format!("a task has more than {MAX_FILES} files")));
        }
        Ok(Task { name: full, metadata, files })
    }

    fn metadata(&self, name: &str) -> Result<Map<String, Json>, TaskError> {
        let file = format!("{name}.json");
        if !self.files.contains(&file) {
            return Ok(Map::new());
        }
        let unreadable = |error: std::io::Error| {
            let text = format!("Error reading metadata: {error}");
            TaskError::new("puppet.tasks/unreadable-metadata", text)
        };
        let root = self.root.as_ref();
        let root = root.ok_or_else(|| unreadable(std::io::ErrorKind::NotFound.into()))?;
        let (file, _) = root.file(&tasks_file(&file)).map_err(unreadable)?;
        let mut text = String::new();
        file.take(MAX_METADATA).read_to_string(&mut text).map_err(unreadable)?;
        if text.is_empty() {
            return Ok(Map::new());
        }
        match serde_json::from_str(&text) {
            Ok(Json::Object(metadata)) => Ok(metadata),
            Ok(_) => Err(TaskError::metadata("The metadata of a task is not a hash")),
            Err(error) => {
                Err(TaskError::new("puppet.tasks/unparseable-metadata", error.to_string()))
            }
        }
    }

    /// The files that are not metadata.
    fn executables(&self) -> impl Iterator<Item = &String> {
        self.files.iter().filter(|file| !file.ends_with(".json"))
    }

    fn program(&self, file: &str) -> TaskFile {
        TaskFile {
            name: file.to_string(),
            module_dir: self.dir.to_path_buf(),
            module: self.module.to_string(),
            folder: "tasks".to_string(),
            path: file.to_string(),
        }
    }

    /// The programs of a task: those that its metadata names, or else the one with its name.
    fn programs(
        &self,
        name: &str,
        full: &str,
        metadata: &Map<String, Json>,
    ) -> Result<Vec<TaskFile>, TaskError> {
        if let Some(implementations) = metadata.get("implementations") {
            return self.named_programs(full, implementations);
        }
        let mut found = self.executables().filter(|file| stem(file) == name);
        let dir = self.dir.join("tasks");
        let Some(first) = found.next() else {
            let message = format!(
                "No source besides task metadata was found in directory {} for task {full}",
                dir.display()
            );
            return Err(TaskError::new("puppet.tasks/no-implementation", message));
        };
        if found.next().is_some() {
            let message = format!(
                "Multiple executables were found in directory {} for task {full}; define \
                 'implementations' in metadata to differentiate between them",
                dir.join(first).display()
            );
            return Err(TaskError::new("puppet.tasks/multiple-implementations", message));
        }
        Ok(vec![self.program(first)])
    }

    fn named_programs(&self, full: &str, named: &Json) -> Result<Vec<TaskFile>, TaskError> {
        let Json::Array(named) = named else {
            let message = format!(
                "Task metadata for task {full} does not specify implementations as an array"
            );
            return Err(TaskError::metadata(message));
        };
        let program = |implementation: &Json| {
            let requirements = implementation.get("requirements").unwrap_or(&Json::Null);
            if !matches!(requirements, Json::Array(_) | Json::Null) {
                let message = format!(
                    "Task metadata for task {full} does not specify requirements as an array"
                );
                return Err(TaskError::metadata(message));
            }
            let name = implementation.get("name").and_then(Json::as_str).unwrap_or_default();
            match self.executables().find(|file| *file == name) {
                Some(file) => Ok(self.program(file)),
                None => Err(TaskError {
                    kind: "puppet.tasks/missing-implementation",
                    message: format!(
                        "Task metadata for task {full} specifies missing implementation {name}"
                    ),
                    details: json!({ "missing": [name] }),
                }),
            }
        };
        named.iter().map(program).collect()
    }

    /// The files that the metadata names besides programs.
    fn further_files(&self, metadata: &Map<String, Json>) -> Result<Vec<TaskFile>, TaskError> {
        let implementations = metadata.get("implementations").and_then(Json::as_array);
        let lists = std::iter::once(metadata.get("files"))
            .chain(implementations.into_iter().flatten().map(|one| one.get("files")));
        let mut names: Vec<&str> = Vec::new();
        for list in lists.flatten() {
            let wrong = || {
                let text = format!("The 'files' task metadata expects an array, got {list}.");
                TaskError::metadata(text)
            };
            for name in list.as_array().ok_or_else(wrong)? {
                let name = name.as_str().ok_or_else(wrong)?;
                if !names.contains(&name) {
                    names.push(name);
                }
            }
            if names.len() > MAX_FILES {
                return Err(TaskError::metadata(format!("a task has more than {MAX_FILES} files")));
            }
        }
        let mut found = Vec::new();
        for name in names {
            found.extend(self.named_files(name)?);
        }
        Ok(found)
    }

    /// The file, or the files of the directory, that `MODULE/FOLDER/PATH` names.
    fn named_files(&self, name: &str) -> Result<Vec<TaskFile>, TaskError> {
        let mut parts = name.splitn(3, '/');
        let (module, folder, path) = (
            parts.next().unwrap_or_default(),
            parts.next().unwrap_or_default(),
            parts.next().unwrap_or_default(),
        );
        let Some((module, dir)) = self.env.modules.iter().find(|(known, _)| known == module) else {
            let message = format!("Could not find module {module} containing task file {path}");
            return Err(TaskError::metadata(message));
        };
        if !FOLDERS.contains(&folder) {
            let message = format!(
                "Files must be saved in module directories that Puppet makes available via mount \
                 points: {}",
                FOLDERS.join(", ")
            );
            return Err(TaskError::metadata(message));
        }
        let inner = path.strip_suffix('/').unwrap_or(path);
        if !inner.is_empty() && inner.split('/').any(|part| matches!(part, "" | "." | "..")) {
            return Err(TaskError::metadata("File pathnames cannot include relative paths"));
        }
        let below = Path::new(folder).join(inner);
        let root = Root::open(dir).ok();
        let entry = root.as_ref().and_then(|root| root.find(&below, true).ok());
        let (Some(root), Some(entry)) = (root, entry) else {
            let message =
                format!("Could not find {} on disk", dir.join(folder).join(path).display());
            return Err(TaskError::new("puppet.tasks/invalid-file", message));
        };
        let file = |path: String| TaskFile {
            name: format!("{module}/{folder}/{path}"),
            module_dir: dir.clone(),
            module: module.clone(),
            folder: folder.to_string(),
            path,
        };
        match (entry.kind(), name.ends_with('/')) {
            (FileType::Directory, false) => Err(TaskError::metadata(format!(
                "Directories specified in task metadata must include a trailing slash: {name}"
            ))),
            (FileType::Directory, true) => {
                let mut paths = Vec::new();
                walk(&root, Path::new(folder), inner, 0, &mut paths);
                Ok(paths.into_iter().map(file).collect())
            }
            (_, true) => Err(TaskError::new(
                "puppet.task/invalid-metadata",
                format!("Files specified in task metadata cannot include a trailing slash: {name}"),
            )),
            (_, false) => Ok(vec![file(inner.to_string())]),
        }
    }
}

/// Collects the plain files below a directory, without hidden ones and links to directories.
fn walk(root: &Root, folder: &Path, path: &str, depth: usize, found: &mut Vec<String>) {
    if depth > MAX_DEPTH {
        return;
    }
    for name in root.list(&folder.join(path)).unwrap_or_default() {
        if name.starts_with('.') || found.len() > MAX_FILES {
            continue;
        }
        let inner = if path.is_empty() { name } else { format!("{path}/{name}") };
        match root.find(&folder.join(&inner), false).map(|entry| entry.kind()) {
            Ok(FileType::Directory) => walk(root, folder, &inner, depth + 1, found),
            Ok(_) if is_file(Some(root), &folder.join(&inner)) => found.push(inner),
            _ => {}
        }
    }
}

fn tasks_file(name: &str) -> PathBuf {
    Path::new("tasks").join(name)
}

fn is_file(root: Option<&Root>, below: &Path) -> bool {
    let entry = root.and_then(|root| root.find(below, true).ok());
    entry.is_some_and(|entry| entry.kind() == FileType::RegularFile)
}

/// The name of a file without its last extension.
fn stem(file: &str) -> &str {
    match file.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => file,
    }
}

/// Whether a file in `tasks` may belong to a task.
fn is_file_name(file: &str) -> bool {
    let mut chars = stem(file).chars();
    let is_name = chars.next().is_some_and(|first| first.is_ascii_lowercase())
        && chars.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    is_name && !file.ends_with(".conf") && !file.ends_with(".md")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_tasks_have_names() {
        for name in ["init", "init.sh", "a_1.rb", "a.json"] {
            assert!(is_file_name(name), "{name}");
        }
        for name in ["", "Init.sh", "1.sh", ".sh", "a.tar.gz", "a.conf", "a.md", "a-b.sh"] {
            assert!(!is_file_name(name), "{name}");
        }
    }
}
