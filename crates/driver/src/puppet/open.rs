//! Opens the environment at a path.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ecow::EcoString;
use ordain_graph::exports::{Exported, Exports};
use ordain_graph::language::Strict;
use ordain_puppet::eval::Settings;
use ordain_puppet::load::version::ConfigVersion;
use ordain_puppet::load::{self, Environment, Site, bolt_modulepath};
use ordain_puppet::session::Node;
use ordain_puppet::value::Value;
use ordain_source::{
    CachedWorld, Diagnostic, EntryKind, HostWorld, LayeredWorld, SourceMap, World,
};
use ordain_store::ExportStore;

use super::node;
use crate::codes;
use crate::damage::report_damage;
use crate::error::Error;
use crate::exports::PendingExports;
use crate::inputs::ObservedWorld;
use crate::options::{Layer, Options};
use crate::reporter::Reporter;

/// The module path that belongs to no environment.
const BASE_MODULEPATH: &str = "/etc/puppetlabs/code/modules:/opt/puppetlabs/puppet/modules";

/// The parts of a control repository or environment; one of them is enough.
const PARTS: [&str; 7] = [
    "environment.conf",
    "bolt-project.yaml",
    "manifests",
    "modules",
    "site-modules",
    "hiera.yaml",
    "data",
];

/// The module path of a directory without `environment.conf`.
const DEFAULT_MODULEPATH: &str = "site-modules:modules:$basemodulepath";

/// An environment and a node, ready to compile.
pub struct Input {
    /// The environment.
    pub env: Environment,
    /// The source texts.
    pub sources: Arc<SourceMap>,
    /// The settings of the compile.
    pub settings: Settings,
    /// The node.
    pub node: Node,
    /// The store of exported resources.
    pub store: Option<Arc<ExportStore>>,
}

impl Input {
    /// The node's exported resources, to be stored for the other nodes.
    pub fn exports(&self, exported: Vec<Exported>) -> PendingExports {
        PendingExports::of_node(self.store.clone(), self.node.name.clone(), exported)
    }
}

/// The parts of an environment.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The directory, if there is one.
    pub dir: Option<PathBuf>,
    /// The directories of modules.
    pub modulepath: Vec<PathBuf>,
    /// The site program.
    pub site: Site,
    /// The command that prints the version of catalogs.
    pub config_version: Option<String>,
}

/// Opens the source at a path and describes the node. Reports diagnostics to `reporter`.
///
/// # Errors
/// When the site program has errors, or a file that was named cannot be read.
pub fn open(
    reporter: &mut dyn Reporter,
    path: Option<&Path>,
    options: &Options,
) -> Result<Input, Error> {
    if options.modulepath.is_none()
        && options.hiera.is_none()
        && let Some(path) = path
    {
        reporter.diagnostics(
            warn_lone_manifest(options.untracked_world().as_ref(), path),
            &SourceMap::new(),
        );
    }
    open_laid_out(reporter, options, |world, environment| layout(world, path, options, environment))
}

/// Opens the source at a path as [`open`] does. It must have manifests, or classes for the node.
///
/// # Errors
/// As for [`open`], and when a directory has nothing to compile.
pub fn open_with_manifests(
    reporter: &mut dyn Reporter,
    path: &Path,
    options: &Options,
) -> Result<Input, Error> {
    let input = open(reporter, Some(path), options)?;
    if !input.node.classes.is_empty() {
        return Ok(input);
    }
    if input.env.site.is_empty() {
        report_no_manifests(reporter, input.env.world.as_ref(), path)?;
    } else if input.env.site.iter().all(|program| program.is_empty()) {
        reporter.message(warn_empty(&path.display().to_string()));
    }
    Ok(input)
}

/// The warning that a source is empty.
pub fn warn_empty(what: &str) -> Diagnostic {
    Diagnostic::warning(codes::NOTHING, format!("{what} is empty and declares nothing"))
}

/// Reports that a directory has no manifests: a warning if it has other parts of a control
/// repository, else an error.
///
/// # Errors
/// When the directory has no part of a control repository.
pub fn report_no_manifests(
    reporter: &mut dyn Reporter,
    world: &dyn World,
    path: &Path,
) -> Result<(), Error> {
    let shown = path.display();
    if PARTS.iter().any(|name| world.kind(&path.join(name)).is_some()) {
        let text = format!("{shown} has no manifests, and the node is given no class");
        let warning = Diagnostic::warning(codes::NOTHING, text);
        reporter.message(warning.help("nothing is declared; --node-data can assign classes"));
        return Ok(());
    }
    let text = format!("there is nothing to compile in {shown}");
    let help = "manifests (.pp), main.mcl, main.cf, ordain.toml, or the parts of a control \
                repository: manifests/, modules/, environment.conf, hiera.yaml, data/";
    Err(Diagnostic::error(codes::NOTHING, text).help(format!("searched for {help}")).into())
}

/// Opens the modules of the source at a path, without its manifests.
///
/// # Errors
/// When nothing exists at the path, or a file that was named cannot be read.
pub fn open_modules(
    reporter: &mut dyn Reporter,
    path: &Path,
    options: &Options,
) -> Result<Input, Error> {
    open_laid_out(reporter, options, |world, environment| {
        Ok(Layout { site: Site::Nothing, ..layout(world, Some(path), options, environment)? })
    })
}

/// The facts that an agent named like that sends.
///
/// # Errors
/// When the facts cannot be collected at all; problems of single ones are in the result.
pub fn agent_facts(reporter: &mut dyn Reporter, name: &str) -> Result<ordain_facts::Facts, Error> {
    let env = open_for_facts(reporter, None, None)?;
    let mut facts = node::machine_facts(&env, Vec::new(), Vec::new(), false);
    node::add_agent_facts(&mut facts.values, name);
    Ok(facts)
}

/// Opens the modules of an environment or of a module path, for their facts.
///
/// # Errors
/// When the directory does not exist or its configuration cannot be read.
pub fn open_for_facts(
    reporter: &mut dyn Reporter,
    dir: Option<&Path>,
    modulepath: Option<&str>,
) -> Result<Environment, Error> {
    let world: Arc<dyn World> = Arc::new(HostWorld::new());
    let mut open = load::Options::new(Arc::clone(&world), Site::Nothing);
    if let Some(dir) = dir {
        match world.kind(dir) {
            Some(EntryKind::Directory) => {}
            None => return Err(codes::missing(dir).into()),
            Some(_) => {
                let text = format!("{} is not a directory", dir.display());
                return Err(Diagnostic::error(codes::FILE, text).into());
            }
        }
        let layout = directory(world.as_ref(), dir, &open.name)?;
        (open.dir, open.modulepath) = (layout.dir, layout.modulepath);
    }
    if let Some(text) = modulepath {
        open.modulepath = split(text, Path::new(""), &open.name);
    }
    match Environment::open(open) {
        Ok((env, _)) => Ok(env),
        Err(errors) => {
            reporter.diagnostics(errors, &SourceMap::new());
            Err(Error::Reported)
        }
    }
}

/// Opens a manifest that was read already, as [`open`] does.
///
/// # Errors
/// When it has errors, or a file that was named cannot be read.
pub fn open_code(
    reporter: &mut dyn Reporter,
    code: String,
    options: &Options,
) -> Result<Input, Error> {
    open_laid_out(reporter, options, |_, environment| {
        Ok(without_directory(Site::Code(code), options, environment))
    })
}

fn open_laid_out(
    reporter: &mut dyn Reporter,
    options: &Options,
    layout: impl FnOnce(&dyn World, &str) -> Result<Layout, Error>,
) -> Result<Input, Error> {
    options.check_paths()?;
    reporter.diagnostics(options.missing_modules(), &SourceMap::new());
    let world = new_world(options);
    let data = node::read_data(world.as_ref(), options.node_data.as_deref())?;
    let name = options.environment.clone().or_else(|| data.environment.clone());
    let name = name.unwrap_or_else(|| DEFAULT_ENVIRONMENT.into());
    let layout = layout(world.as_ref(), &name)?;
    let site = open_layout(reporter, world, layout, options, &name)?;
    let (node, problems) = node::describe(&site.env, options, data)?;
    reporter.diagnostics(problems, &site.sources);
    let settings = site.settings(options, &node);
    let OpenEnvironment { env, sources, store } = site;
    Ok(Input { env, sources, settings, node, store })
}

/// The environment of a node without another one.
pub const DEFAULT_ENVIRONMENT: &str = "production";

fn new_world(options: &Options) -> Arc<dyn World> {
    match &options.layer {
        None => observed(CachedWorld::new(HostWorld::noting(options.touched.clone())), options),
        Some(Layer(layer)) => {
            let world = LayeredWorld::new(Arc::clone(layer), options.touched.clone());
            observed(CachedWorld::new(world), options)
        }
    }
}

/// Observes a world, if inputs are recorded.
fn observed(world: impl World + 'static, options: &Options) -> Arc<dyn World> {
    match &options.states {
        Some(states) => Arc::new(ObservedWorld::new(world, states.clone())),
        None => Arc::new(world),
    }
}

/// An environment that is ready to compile for any node.
pub struct OpenEnvironment {
    /// The environment.
    pub env: Environment,
    /// The source texts.
    pub sources: Arc<SourceMap>,
    store: Option<Arc<ExportStore>>,
}

/// Opens the source at a path for several nodes. Reports diagnostics to `reporter`.
///
/// # Errors
/// As for [`open`].
pub fn open_for_all(
    reporter: &mut dyn Reporter,
    path: &Path,
    options: &Options,
) -> Result<OpenEnvironment, Error> {
    options.check_paths()?;
    reporter.diagnostics(options.missing_modules(), &SourceMap::new());
    open_world(reporter, new_world(options), path, options)
}

/// Opens the modules and the data of the source at a path for several nodes, without its manifests.
/// All files come from `world`. Reports diagnostics to `reporter`.
///
/// # Errors
/// When nothing exists at the path, or its configuration cannot be read.
pub fn open_data(
    reporter: &mut dyn Reporter,
    world: Arc<dyn World>,
    path: &Path,
    options: &Options,
) -> Result<OpenEnvironment, Error> {
    let name = options.environment.as_deref().unwrap_or(DEFAULT_ENVIRONMENT);
    let layout = layout(world.as_ref(), Some(path), options, name)?;
    let layout = Layout { site: Site::Nothing, ..layout };
    open_layout(reporter, world, layout, options, name)
}

/// Opens the source at a path for several nodes as [`open_for_all`] does. All files come from
/// `world`.
///
/// # Errors
/// As for [`open`].
pub fn open_world(
    reporter: &mut dyn Reporter,
    world: Arc<dyn World>,
    path: &Path,
    options: &Options,
) -> Result<OpenEnvironment, Error> {
    let name = options.environment.as_deref().unwrap_or(DEFAULT_ENVIRONMENT);
    let layout = layout(world.as_ref(), Some(path), options, name)?;
    open_layout(reporter, world, layout, options, name)
}

/// Opens a text as the site program for several nodes, with the modules of the options. Reports
/// diagnostics to `reporter`.
///
/// # Errors
/// When the text has errors, or a file that was named cannot be read.
pub fn open_code_for_all(
    reporter: &mut dyn Reporter,
    code: String,
    options: &Options,
) -> Result<OpenEnvironment, Error> {
    options.check_paths()?;
    let world = new_world(options);
    let name = options.environment.as_deref().unwrap_or(DEFAULT_ENVIRONMENT);
    let layout = without_directory(Site::Code(code), options, name);
    open_layout(reporter, world, layout, options, name)
}

/// Upstream's directory of code.
const CODEDIR: &str = "/etc/puppetlabs/code";

fn open_layout(
    reporter: &mut dyn Reporter,
    world: Arc<dyn World>,
    layout: Layout,
    options: &Options,
    name: &str,
) -> Result<OpenEnvironment, Error> {
    let sources = options.sources();
    let open = load::Options {
        world,
        sources: Arc::clone(&sources),
        name: name.into(),
        dir: layout.dir,
        modulepath: layout.modulepath,
        site: layout.site,
        hiera_config: options.hiera.clone(),
        strict: options.strict,
        kinds: options.resource_types()?,
        ruby: options.ruby.0.clone(),
    };
    let env = match Environment::open(open) {
        Ok((mut env, warnings)) => {
            reporter.diagnostics(warnings, &sources);
            env.config_version = ConfigVersion::of(layout.config_version.unwrap_or_default());
            env
        }
        Err(errors) => {
            reporter.diagnostics(errors, &sources);
            return Err(Error::Reported);
        }
    };
    reporter.diagnostics(missing_data(&env, options.strict), &sources);
    let store = options.export_store()?;
    report_damage(reporter, store.as_ref());
    Ok(OpenEnvironment { env, sources, store })
}

/// Warnings about missing data directories, which upstream ignores.
fn missing_data(env: &Environment, strict: Strict) -> Vec<Diagnostic> {
    let missing = ordain_puppet::hiera::missing_directories(env, strict).into_iter();
    let warning = |(config, dir): (PathBuf, String)| {
        let text = format!("{} names {dir} for data, which is not a directory", config.display());
        Diagnostic::warning(codes::FILE, text)
    };
    missing.map(warning).collect()
}

impl OpenEnvironment {
    /// The settings of a compile; some are variables of `$settings`.
    pub fn settings(&self, options: &Options, node: &Node) -> Settings {
        let modules = self.env.modulepath.iter().map(|p| p.display().to_string());
        let modules: Vec<String> = modules.collect();
        let values = [
            ("certname", Value::Str(node.name.clone())),
            ("environment", Value::Str(self.env.name.clone())),
            ("modulepath", Value::from(modules.join(":").as_str())),
        ];
        Settings {
            strict: options.strict,
            strict_variables: options.strict_variables,
            include_legacy_facts: options.legacy_facts,
            has_history: options.has_history,
            used: options.used.clone(),
            values: values.into_iter().map(|(k, v)| (k.to_string(), v)).collect(),
            exports: self.store.clone().map(|store| store as Arc<dyn Exports>),
            ..Settings::default()
        }
    }

    /// The exported resources of a node, to be stored for the other nodes.
    pub fn exports(&self, node: &EcoString, exported: Vec<Exported>) -> PendingExports {
        PendingExports::of_node(self.store.clone(), node.clone(), exported)
    }
}

/// The parts of the source at a path: a manifest, a directory, or `-` for standard input.
///
/// # Errors
/// When nothing exists at the path, or standard input cannot be read.
pub fn layout(
    world: &dyn World,
    path: Option<&Path>,
    options: &Options,
    environment: &str,
) -> Result<Layout, Error> {
    let file = |site| without_directory(site, options, environment);
    let Some(path) = path else { return Ok(file(Site::Nothing)) };
    if path == Path::new("-") {
        return Ok(file(Site::Code(read_stdin()?)));
    }
    match world.kind(path) {
        None => Err(codes::missing(path).into()),
        Some(EntryKind::Directory) => {
            let mut layout = directory(world, path, environment)?;
            if let Some(given) = given_modulepath(options, environment) {
                layout.modulepath = given;
            }
            Ok(layout)
        }
        Some(_) => Ok(file(Site::Path(path.to_path_buf()))),
    }
}

/// Warns about a single file of a control repository: compiled alone, it has neither the modules
/// nor the data of the repository.
fn warn_lone_manifest(world: &dyn World, path: &Path) -> Vec<Diagnostic> {
    let is_file = world.kind(path) == Some(EntryKind::File);
    let manifests = path.ancestors().skip(1).find(|dir| dir.ends_with("manifests"));
    let Some(dir) = manifests.filter(|_| is_file).and_then(Path::parent) else { return Vec::new() };
    if world.kind(&dir.join("environment.conf")).is_none() {
        return Vec::new();
    }
    let dir = if dir == Path::new("") { Path::new(".") } else { dir };
    let (file, dir) = (path.display(), dir.display());
    let text = format!("{file} is taken alone, without the modules and data of {dir}");
    let help = format!("give the directory instead of the file: {dir}");
    vec![Diagnostic::warning(codes::ARGUMENTS, text).help(help)]
}

/// A layout without a directory.
fn without_directory(site: Site, options: &Options, environment: &str) -> Layout {
    let modulepath = given_modulepath(options, environment).unwrap_or_default();
    Layout { dir: None, modulepath, site, config_version: None }
}

fn given_modulepath(options: &Options, environment: &str) -> Option<Vec<PathBuf>> {
    options.modulepath.as_deref().map(|text| split(text, Path::new(""), environment))
}

/// The message of the standard library for such a text.
const NOT_UTF8: &str = "stream did not contain valid UTF-8";

/// Reads standard input as text.
///
/// # Errors
/// When it cannot be read or is not UTF-8.
pub fn read_stdin() -> Result<String, Error> {
    let bytes = ordain_source::read_standard_input();
    let text = bytes.and_then(|bytes| {
        let invalid = |_| std::io::Error::new(std::io::ErrorKind::InvalidData, NOT_UTF8);
        String::from_utf8(bytes).map_err(invalid)
    });
    text.map_err(|e| codes::io("cannot read standard input", &e).into())
}

/// The control repositories in a directory that is none.
fn repositories_in(world: &dyn World, dir: &Path) -> Vec<String> {
    let entries = world.list(dir).unwrap_or_default();
    let paths = entries.iter().map(|(name, _)| dir.join(name));
    let found = paths.filter(|path| world.kind(&path.join("environment.conf")).is_some());
    found.map(|path| path.display().to_string()).collect()
}

/// The parts of a control repository or environment. A directory without any of them is a directory
/// of manifests, unless it has control repositories.
fn directory(world: &dyn World, dir: &Path, environment: &str) -> Result<Layout, Error> {
    let has = |name: &str| world.kind(&dir.join(name)).is_some();
    if !PARTS.iter().any(|name| has(name)) {
        let repositories = repositories_in(world, dir);
        if !repositories.is_empty() {
            let text = format!("{} is not a control repository", dir.display());
            let help = match repositories.as_slice() {
                [one] => format!("{one} is one"),
                several => format!("these are: {}", several[..several.len().min(5)].join(", ")),
            };
            return Err(Diagnostic::error(codes::ARGUMENTS, text).help(help).into());
        }
        let site = Site::Path(dir.to_path_buf());
        let dir = Some(dir.to_path_buf());
        return Ok(Layout { dir, modulepath: Vec::new(), site, config_version: None });
    }
    let conf = dir.join("environment.conf");
    let conf = if has("environment.conf") { read_conf(world, &conf)? } else { Vec::new() };
    let find = |key: &str| conf.iter().rev().find(|(k, _)| k == key).map(|(_, v)| v.as_str());
    let bolt = if find("modulepath").is_none() { bolt_modulepath(world, dir) } else { None };
    let modulepath = find("modulepath").or(bolt.as_deref()).unwrap_or(DEFAULT_MODULEPATH);
    let modulepath = split(modulepath, dir, environment);
    let site = match find("manifest") {
        Some(manifest) => Site::Path(dir.join(manifest)),
        None if has("manifests") => Site::Path(dir.join("manifests")),
        None => Site::Nothing,
    };
    let config_version = find("config_version").map(|text| command(text, dir, environment));
    Ok(Layout { dir: Some(dir.to_path_buf()), modulepath, site, config_version })
}

/// The entries of an `environment.conf`: lines `key = value`, comments after `#`.
fn read_conf(world: &dyn World, path: &Path) -> Result<Vec<(String, String)>, Diagnostic> {
    let bytes = world.read(path).map_err(|e| codes::unreadable(path, &e))?;
    let text = String::from_utf8(bytes).map_err(|e| codes::document(path, e))?;
    let mut entries = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let line = line.split_once('#').map_or(line, |(before, _)| before).trim();
        if line.is_empty() || line.starts_with('[') {
            continue;
        }
        let Some((key, value)) = line.split_once('=') else {
            let text = format!("line {} is not `key = value`: {line}", i + 1);
            return Err(codes::document(path, text));
        };
        let value = value.trim().trim_matches(['"', '\'']);
        entries.push((key.trim().to_string(), value.to_string()));
    }
    Ok(entries)
}

/// Replaces the variables of a command. A relative program is taken from `dir`.
///
/// Commands find the code in `$environmentpath/$environment`. A checkout may have any name, so this is
/// `dir`; a command without `$environmentpath` gets the name of the environment.
fn command(text: &str, dir: &Path, environment: &str) -> String {
    let dir = std::path::absolute(dir).unwrap_or_else(|_| dir.to_path_buf());
    let around = dir.parent().unwrap_or(&dir).display().to_string();
    let own_name = dir.file_name().map(|name| name.to_string_lossy());
    let environment = match own_name.as_deref() {
        Some(name) if text.contains("$environmentpath") => name,
        _ => environment,
    };
    let text = text.replace("$environmentpath", &around);
    let text = text.replace("$codedir", CODEDIR).replace("$environment", environment);
    match text.is_empty() || text.starts_with('/') {
        true => text,
        false => dir.join(text.trim_start_matches("./")).display().to_string(),
    }
}

/// The directories of a module path; relative ones are below `base`.
fn split(text: &str, base: &Path, environment: &str) -> Vec<PathBuf> {
    let text = text.replace("$basemodulepath", BASE_MODULEPATH);
    let text = text.replace("$codedir", CODEDIR);
    let text = text.replace("$environment", environment);
    let dirs = text.split(':').map(str::trim).filter(|d| !d.is_empty());
    let below = |dir: &str| match base.as_os_str().is_empty() {
        true => PathBuf::from(dir),
        false => base.join(dir.trim_start_matches("./")),
    };
    dirs.map(below).collect()
}
