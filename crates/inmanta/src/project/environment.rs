//! Finds the Python environment of a project and its packages, without running Python.

use std::path::{Path, PathBuf};

use ordain_source::{EntryKind, ProcessRequest, World};

/// The names of environments inside a project.
const OWN: [&str; 4] = [".env", ".venv", "venv", "env"];
/// The environment variable with the interpreter.
const INTERPRETER: &str = "ORDAIN_PYTHON";
/// The time limit for Python to print its search path.
const TIMEOUT: std::time::Duration = std::time::Duration::from_secs(20);
/// The Python program that prints the search path.
const SAY_PATH: &str = "import sys; print('\\n'.join(sys.path))";

/// A Python environment.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Environment {
    /// Its interpreter, if it is not `python3` of the `PATH`.
    pub interpreter: Option<PathBuf>,
    /// The directories of its packages.
    pub packages: Vec<PathBuf>,
}

impl Environment {
    /// Finds the environment of a project: its own, otherwise the active one, otherwise that of the
    /// interpreter.
    pub fn of(world: &dyn World, project: &Path) -> Self {
        let mut out = Self::default();
        let given = world.env("PYTHONPATH").unwrap_or_default();
        let given = std::env::split_paths(&given).filter(|path| !path.as_os_str().is_empty());
        out.packages.extend(given.map(|path| project.join(path)));
        if let Some(program) = world.env(INTERPRETER).filter(|program| !program.is_empty()) {
            out.interpreter = Some(program.into());
        } else {
            let active = world.env("VIRTUAL_ENV").map(PathBuf::from);
            let own = OWN.iter().map(|name| project.join(name));
            let interpreter = |root: PathBuf| root.join("bin/python3");
            out.interpreter =
                own.chain(active).map(interpreter).find(|path| world.kind(path).is_some());
        }
        let interpreter = out.interpreter.clone().or_else(|| on_path(world));
        for directory in interpreter.map(|path| packages_of(world, &path)).unwrap_or_default() {
            out.add(world, directory);
        }
        out
    }

    /// Adds a directory of packages, and those that its `.pth` files add.
    fn add(&mut self, world: &dyn World, directory: PathBuf) {
        if self.packages.contains(&directory) {
            return;
        }
        let linked = linked(world, &directory);
        self.packages.push(directory);
        for other in linked {
            if !self.packages.contains(&other) {
                self.packages.push(other);
            }
        }
    }

    /// Runs the interpreter and returns the directories of packages that are not known yet.
    pub fn asked(&self, world: &dyn World) -> Vec<PathBuf> {
        let program = self.interpreter.clone().unwrap_or_else(|| "python3".into());
        let request = ProcessRequest {
            argv: vec![program.display().to_string(), "-c".into(), SAY_PATH.into()],
            cwd: None,
            env: Vec::new(),
            stdin: Vec::new(),
            timeout: Some(TIMEOUT),
        };
        let Ok(output) = world.run(&request) else { return Vec::new() };
        let mut found = Self { interpreter: None, packages: self.packages.clone() };
        for line in String::from_utf8_lossy(&output.stdout).lines().filter(|l| !l.is_empty()) {
            found.add(world, PathBuf::from(line));
        }
        found.packages.split_off(self.packages.len())
    }
}

/// The `python3` of the `PATH`.
fn on_path(world: &dyn World) -> Option<PathBuf> {
    let path = world.env("PATH")?;
    let mut programs = std::env::split_paths(&path).map(|directory| directory.join("python3"));
    programs.find(|program| world.kind(program) == Some(EntryKind::File))
}

/// The directories of packages of an interpreter, from its location.
fn packages_of(world: &dyn World, interpreter: &Path) -> Vec<PathBuf> {
    let root = |program: &Path| Some(program.parent()?.parent()?.to_path_buf());
    let mut out = Vec::new();
    let mut program = interpreter.to_path_buf();
    if let Some(root) = root(interpreter)
        && let Ok(text) = world.read(&root.join("pyvenv.cfg"))
    {
        out.extend(below(world, &root, "site-packages"));
        let text = String::from_utf8_lossy(&text).to_lowercase();
        let has = |line: &str| line.replace(' ', "") == "include-system-site-packages=true";
        if !text.lines().any(has) {
            return out;
        }
    }
    // The interpreter of a virtual environment is a link to the one that created it.
    if let Some(resolved) = world.resolve(&program) {
        program = resolved;
    }
    if let Some(root) = root(&program) {
        out.extend(below(world, &root, "site-packages"));
        if root == Path::new("/usr") {
            out.extend(below(world, Path::new("/usr/local"), "dist-packages"));
            out.push("/usr/lib/python3/dist-packages".into());
        }
    }
    out.retain(|path| world.kind(path) == Some(EntryKind::Directory));
    out
}

/// The directories `lib/python3.X/NAME` below a root.
fn below(world: &dyn World, root: &Path, name: &str) -> Vec<PathBuf> {
    let mut out = Vec::new();
    for library in ["lib", "lib64"] {
        let library = root.join(library);
        // One directory is often a link to the other.
        let is_link = world.read_link(&library).is_ok();
        let entries = if is_link { Vec::new() } else { world.list(&library).unwrap_or_default() };
        for (entry, _) in entries {
            let packages = library.join(&entry).join(name);
            if entry.starts_with("python3.") && world.kind(&packages) == Some(EntryKind::Directory)
            {
                out.push(packages);
            }
        }
    }
    out
}

/// The directories that `.pth` files add, and those of editable packages.
fn linked(world: &dyn World, directory: &Path) -> Vec<PathBuf> {
    let mut out = Vec::new();
    for (name, kind) in world.list(directory).unwrap_or_default() {
        let is_path = name.ends_with(".pth");
        let is_finder = name.starts_with("__editable__") && name.ends_with("_finder.py");
        if kind != EntryKind::File || !(is_path || is_finder) {
            continue;
        }
        let Ok(text) = world.read(&directory.join(&name)) else { continue };
        let text = String::from_utf8_lossy(&text).into_owned();
        let lines = text.lines().map(str::trim);
        if is_path {
            let is_code = |line: &&str| line.starts_with("import ") || line.starts_with("import\t");
            let paths = lines.filter(|l| !l.is_empty() && !l.starts_with('#') && !is_code(l));
            out.extend(paths.map(|line| directory.join(line)));
        } else {
            out.extend(lines.filter(|line| line.starts_with("MAPPING")).flat_map(mapped));
        }
    }
    out.retain(|path| world.kind(path) == Some(EntryKind::Directory));
    out
}

/// The directories of the packages in a line `MAPPING … = {'inmanta_plugins': '/a/b'}`.
fn mapped(line: &str) -> Vec<PathBuf> {
    let quoted: Vec<&str> = line.split(['\'', '"']).skip(1).step_by(2).collect();
    let pairs = quoted.chunks_exact(2);
    // A package `a.b` at `/x/a/b` is found through `a`, in `/x`.
    let place = |pair: &[&str]| {
        let depth = pair[0].split('.').count();
        Path::new(pair[1]).ancestors().nth(depth).map(Path::to_path_buf)
    };
    pairs.filter_map(place).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::disallowed_methods)]
    use super::*;

    #[test]
    fn packages_edited_in_place_are_found() {
        let line =
            "MAPPING: dict[str, str] = {'inmanta_plugins.a': '/x/inmanta_plugins/a', 'b': '/y/b'}";
        assert_eq!(mapped(line), [PathBuf::from("/x"), PathBuf::from("/y")]);
        assert!(mapped("MAPPING = {}").is_empty());
    }

    #[test]
    fn an_environment_of_a_project_comes_first() {
        let directory = tempfile::tempdir().unwrap();
        let packages = directory.path().join(".venv/lib/python3.12/site-packages");
        std::fs::create_dir_all(&packages).unwrap();
        std::fs::create_dir_all(directory.path().join(".venv/bin")).unwrap();
        std::fs::create_dir_all(directory.path().join("linked")).unwrap();
        let file = |name: &str, text: &str| {
            std::fs::write(directory.path().join(".venv").join(name), text).unwrap();
        };
        file("pyvenv.cfg", "home = /usr/bin\ninclude-system-site-packages = false\n");
        file("bin/python3", "");
        let linked = directory.path().join("linked");
        let text = format!("import os\n# none\n{}\n/none\n", linked.display());
        file("lib/python3.12/site-packages/a.pth", &text);
        let program = directory.path().join(".venv/bin/python3");
        let world = ordain_source::HostWorld::new();
        assert_eq!(packages_of(&world, &program), std::slice::from_ref(&packages));
        let mut found = Environment::default();
        found.add(&world, packages.clone());
        assert_eq!(found.packages, [packages, linked]);
    }
}
