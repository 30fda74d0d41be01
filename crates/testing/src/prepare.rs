//! The inputs of a test as files in front of those of the machine.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ordain_data::{Map, Value, json};
use ordain_driver::{Layer, Options};
use ordain_source::SourceMap;
use ordain_source::layer::{Buffers, absolute};

use crate::error::TestError;
use crate::fact_sets::fact_set;
use crate::file::{Settings, Test, merge};

/// The directory of files that exist for a compile only.
pub(crate) const DIRECTORY: &str = ".ordain-test";

/// The node, if a test names none.
const NODE: &str = "test.example.org";

/// The fact set, if a test names none.
const FACT_SET: &str = "debian-12";

/// Files that mark the directory of a source, the most telling first.
const MARKS: [&str; 5] =
    ["environment.conf", "ordain.toml", "metadata.json", "project.yml", "main.mcl"];

/// A source and its options, ready to compile.
pub(crate) struct Prepared {
    /// The path to compile.
    pub(crate) path: PathBuf,
    pub(crate) options: Options,
    /// The directory of the source, whose code the test covers.
    pub(crate) source: PathBuf,
}

/// Prepares the compile of a test.
pub(crate) fn prepare(
    test: &Test,
    common: &Options,
    texts: &Arc<SourceMap>,
) -> Result<Prepared, TestError> {
    let settings = &test.settings;
    let base = absolute(test.file.parent().unwrap_or(Path::new("")));
    let source = match &settings.source {
        Some(source) => absolute(&base.join(source)),
        None => enclosing_source(&base),
    };
    if !source.exists() {
        return Err(TestError::new(format!("{} does not exist", source.display())));
    }
    let dir = match source.is_dir() {
        true => source.clone(),
        false => source.parent().unwrap_or(Path::new("/")).to_path_buf(),
    };
    let (buffers, own) = (Buffers::default(), dir.join(DIRECTORY));
    let mut options = Options {
        node: Some(settings.node.clone().unwrap_or_else(|| NODE.to_owned())),
        environment: settings.environment.clone().or_else(|| common.environment.clone()),
        stubs: settings.stubs.iter().map(|stub| base.join(stub)).collect(),
        texts: Some(Arc::clone(texts)),
        ..common.clone()
    };
    let mut path = source;
    if is_puppet(&path) {
        let modules = module_path(&path, &base, settings)?;
        path = add_code(&path, settings.code.as_deref(), modules, (&own, &buffers), &mut options)?;
        add_node(settings, &base, (&own, &buffers), &mut options)?;
        options.layer = Some(Layer(Arc::new(buffers)));
    } else if settings.code.is_some() {
        return Err(TestError::new("`code` is a manifest, and the source has another language"));
    }
    Ok(Prepared { path, options, source: dir })
}

/// The nearest directory with the files of a source, else the directory itself.
fn enclosing_source(base: &Path) -> PathBuf {
    let has_mark = |dir: &&Path| MARKS.iter().any(|mark| dir.join(mark).is_file());
    base.ancestors().find(has_mark).unwrap_or(base).to_path_buf()
}

/// Whether the source is of Puppet's language.
fn is_puppet(path: &Path) -> bool {
    ordain_driver::SourceKind::of(path, &Options::default()) == ordain_driver::SourceKind::Puppet
}

/// The name of the module in a directory, by its metadata. `None` for an environment, which may have
/// metadata, too, and for a directory without a name in its metadata.
pub fn module_name(dir: &Path) -> Option<String> {
    if dir.join("environment.conf").exists() {
        return None;
    }
    let metadata = ordain_source::read_input(&dir.join("metadata.json")).ok()?;
    let metadata = json::read_bytes(&metadata).ok()?;
    let name = metadata.get("name")?.as_str()?;
    Some(name.rsplit(['-', '/']).next().unwrap_or(name).to_owned())
}

/// The module directories of a test. `None` if the environment's own are used.
fn module_path(
    source: &Path,
    base: &Path,
    settings: &Settings,
) -> Result<Option<Vec<PathBuf>>, TestError> {
    let mut dirs: Vec<PathBuf> = settings.modulepath.iter().map(|dir| base.join(dir)).collect();
    let Some(module) = module_name(source) else {
        return Ok(if dirs.is_empty() { None } else { Some(dirs) });
    };
    let fixtures = source.join("spec/fixtures/modules");
    if fixtures.is_dir() {
        dirs.push(fixtures);
    }
    if source.file_name().is_some_and(|name| name == module.as_str()) {
        dirs.extend(source.parent().map(Path::to_path_buf));
    }
    if !dirs.iter().any(|dir| dir.join(&module).is_dir()) {
        return Err(TestError::new(format!(
            "no module directory has the module {module}: name its directory `{module}`, or make \
             spec/fixtures/modules/{module} a link to it"
        )));
    }
    Ok(Some(dirs))
}

/// Adds the manifest of a test. Returns the path to compile.
fn add_code(
    source: &Path,
    code: Option<&str>,
    modules: Option<Vec<PathBuf>>,
    (own, buffers): (&Path, &Buffers),
    options: &mut Options,
) -> Result<PathBuf, TestError> {
    if let Some(dirs) = &modules {
        let dirs: Vec<String> = dirs.iter().map(|dir| dir.display().to_string()).collect();
        options.modulepath = Some(dirs.join(":"));
    }
    if !source.is_dir() {
        return match code {
            None => Ok(source.to_path_buf()),
            Some(_) => Err(TestError::new("`code` needs a directory as its source, not a file")),
        };
    }
    let is_module = module_name(source).is_some();
    if is_module {
        let site = own.join("site");
        buffers.set(&site.join("environment.conf"), "");
        buffers.set(&site.join("manifests/site.pp"), code.unwrap_or_default());
        return Ok(site);
    }
    if let Some(code) = code {
        let manifest = own.join("site.pp");
        buffers.set(&manifest, code);
        let file = source.join("environment.conf");
        let known = ordain_source::read_input_text(&file).unwrap_or_default();
        let is_manifest =
            |line: &&str| line.split_once('=').is_some_and(|(name, _)| name.trim() == "manifest");
        let mut lines: Vec<&str> = known.lines().filter(|line| !is_manifest(line)).collect();
        let line = format!("manifest = {}", manifest.display());
        lines.push(&line);
        buffers.set(&file, lines.join("\n") + "\n");
    }
    Ok(source.to_path_buf())
}

/// Adds facts, the classification and data of the node.
fn add_node(
    settings: &Settings,
    base: &Path,
    (own, buffers): (&Path, &Buffers),
    options: &mut Options,
) -> Result<(), TestError> {
    let add = |name: &str, text: String| {
        let path = own.join(name);
        buffers.set(&path, text);
        path
    };
    let (named, mut facts) = read_facts(settings, base)?;
    merge(&mut facts, &settings.facts);
    if let (None, Some(name)) = (&settings.node, named) {
        options.node = Some(name);
    }
    let node = options.node.clone().unwrap_or_default();
    options.facts = Some(add("facts.json", json::compact(&Value::Map(Arc::new(facts)))));
    let mut trusted = trusted(&node);
    merge(&mut trusted, &settings.trusted);
    let mut data = vec![
        ("trusted", Value::Map(Arc::new(trusted))),
        ("parameters", Value::Map(Arc::new(settings.parameters.clone()))),
    ];
    data.extend(settings.classes.clone().map(|classes| ("classes", classes)));
    options.node_data = Some(add("node.json", json::compact(&Value::map(data))));
    if !settings.data.is_empty() {
        add("data.json", json::compact(&Value::Map(Arc::new(settings.data.clone()))));
        let hiera = "version: 5\nhierarchy:\n  - name: data of the test\n    path: data.json\n    \
                     data_hash: json_data\ndefaults:\n  datadir: .\n";
        options.hiera = Some(add("hiera.yaml", hiera.to_owned()));
    }
    Ok(())
}

/// The facts of the file or of the fact set, with the name that a file has.
fn read_facts(settings: &Settings, base: &Path) -> Result<(Option<String>, Map), TestError> {
    let Some(file) = &settings.facts_file else {
        let set = settings.fact_set.as_deref().unwrap_or(FACT_SET);
        let node = settings.node.as_deref().unwrap_or(NODE);
        let facts = fact_set(set, node);
        return Ok((None, facts.as_ref().and_then(Value::as_map).cloned().unwrap_or_default()));
    };
    let path = base.join(file);
    let failed = |error: &dyn std::fmt::Display| TestError::new(format!("{file}: {error}"));
    let bytes = ordain_source::read_input(&path).map_err(|error| failed(&error))?;
    let (name, facts) =
        ordain_facts::external::read_named(&path, &bytes).map_err(|error| failed(&error))?;
    match facts {
        Value::Map(facts) => Ok((name, (*facts).clone())),
        _ => Err(TestError::new(format!("{file} has no map of facts"))),
    }
}

/// `$trusted` of a node whose certificate has no extensions.
fn trusted(node: &str) -> Map {
    let (host, domain) = match node.split_once('.') {
        Some((host, domain)) => (host, Value::str(domain)),
        None => (node, Value::Null),
    };
    let entries = [
        ("authenticated", Value::str("remote")),
        ("certname", Value::str(node)),
        ("hostname", Value::str(host)),
        ("domain", domain),
        ("extensions", Value::Map(Arc::default())),
    ];
    entries.into_iter().map(|(key, value)| (Value::str(key), value)).collect()
}
