//! The node's name, its facts, and the data of its classifier.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ecow::EcoString;
use ordain_data::{Map, Value as Data};
use ordain_facts::{Facts, Layers, Machine, external};
use ordain_puppet::load::Environment;
use ordain_puppet::plugins::KnownFacts;
use ordain_puppet::session::Node;
use ordain_puppet::value::Value;
use ordain_puppet::value::rich::from_data;
use ordain_source::{Diagnostic, EntryKind, World};

use crate::codes;
use crate::error::Error;
use crate::options::Options;

/// The answer of a node classifier.
#[derive(Clone, Debug, Default)]
pub struct NodeData {
    /// The name of its environment.
    pub environment: Option<String>,
    parameters: Vec<(EcoString, Value)>,
    classes: Vec<(EcoString, Value)>,
    trusted: Value,
}

/// Reads node data: an object with `parameters`, `classes` (a list of names, or an object of
/// parameters by name), `trusted` and `environment`.
///
/// # Errors
/// When the file cannot be read or is not of this form.
pub fn read_data(world: &dyn World, path: Option<&Path>) -> Result<NodeData, Error> {
    let Some(path) = path else { return Ok(NodeData::default()) };
    let bytes = world.read(path).map_err(|e| codes::unreadable(path, &e))?;
    let data = ordain_data::json::read_bytes(&bytes).map_err(|e| codes::document(path, e))?;
    let Some(map) = data.as_map() else {
        return Err(codes::document(path, format!("{} is no object", data.kind())).into());
    };
    let mut out = NodeData::default();
    for (key, value) in map.iter() {
        let key = key.as_str().unwrap_or_default();
        match key {
            "environment" => out.environment = value.as_str().map(ToString::to_string),
            "parameters" => out.parameters = entries(value),
            "classes" => out.classes = entries(value),
            "trusted" => out.trusted = from_data(value),
            _ => {
                let known = ["environment", "parameters", "classes", "trusted"];
                let mut error = codes::document(path, format!("`{key}` has no meaning here"));
                if let Some(near) = ordain_source::suggest::nearest(key, known) {
                    error = error.help(format!("did you mean `{near}`?"));
                }
                return Err(error.into());
            }
        }
    }
    Ok(out)
}

/// The entries of a map, or the names of a list without values.
fn entries(data: &Data) -> Vec<(EcoString, Value)> {
    if let Some(names) = data.as_list() {
        let names = names.iter().filter_map(Data::as_str);
        return names.map(|name| (name.into(), Value::Undef)).collect();
    }
    let entries = data.as_map().into_iter().flat_map(|m| m.iter());
    entries.filter_map(|(k, v)| Some((k.as_str()?.into(), from_data(v)))).collect()
}

/// Describes the node. Returns it with the problems of its facts.
///
/// # Errors
/// When a file of facts cannot be read.
pub fn describe(
    env: &Environment,
    options: &Options,
    data: NodeData,
) -> Result<(Node, Vec<Diagnostic>), Error> {
    let (mut facts, named) = match &options.facts {
        Some(path) => {
            let (name, values) = read_facts(env.world.as_ref(), path)?;
            (Facts { values, problems: Vec::new() }, name)
        }
        None => {
            let modules = env.modules.values().map(|module| module.dir.join("facts.d"));
            let modules = modules.filter(|d| env.world.kind(d) == Some(EntryKind::Directory));
            (machine_facts(env, modules.collect(), env.fact_dirs(), options.legacy_facts), None)
        }
    };
    let text = |path: &[&str]| facts.values.dig(path.iter().copied()).and_then(Data::as_str);
    let of_facts = || {
        let paths: [&[&str]; 4] =
            [&["clientcert"], &["networking", "fqdn"], &["fqdn"], &["hostname"]];
        paths.into_iter().find_map(text).map(ToString::to_string)
    };
    let name = options.node.clone().or(named).or_else(of_facts).or_else(machine_name);
    let name = name.unwrap_or_else(|| "localhost".into());
    let name = name.to_lowercase();
    if options.facts.is_none() {
        add_agent_facts(&mut facts.values, &name);
    }
    let server =
        [("environment", Value::Str(env.name.clone())), ("servername", Value::from(name.as_str()))];
    let node = Node {
        name: name.as_str().into(),
        facts: from_data(&facts.values),
        trusted: data.trusted,
        server_facts: Value::hash(server),
        parameters: data.parameters,
        classes: data.classes,
    };
    Ok((node, facts.problems))
}

/// The release of Puppet whose agent a compile for this machine stands in for.
const AGENT_VERSION: &str = "8.10.0";

/// Adds the facts that Puppet's agent sends about itself; modules choose by them. Facts of the machine
/// win.
pub(super) fn add_agent_facts(facts: &mut Data, name: &str) {
    let Data::Map(facts) = facts else { return };
    let own = [
        ("clientcert", Data::str(name)),
        ("clientversion", Data::str(AGENT_VERSION)),
        ("clientnoop", Data::Bool(false)),
        ("puppetversion", Data::str(AGENT_VERSION)),
    ];
    let facts = Arc::make_mut(facts);
    for (fact, value) in own {
        facts.entry(Data::str(fact)).or_insert(value);
    }
}

/// This machine's full name.
pub fn machine_name() -> Option<String> {
    let facts = Machine::host().facts(false);
    facts.dig(["networking", "fqdn"]).and_then(Data::as_str).map(ToString::to_string)
}

/// The facts of this machine, with external facts of `external_dirs` and custom facts of
/// `custom_dirs`.
pub fn machine_facts(
    env: &Environment,
    external_dirs: Vec<PathBuf>,
    mut custom_dirs: Vec<PathBuf>,
    legacy: bool,
) -> Facts {
    let world = env.world.as_ref();
    let mut external_dirs = external_dirs;
    external_dirs.extend(external::default_dirs(world, rustix::process::geteuid().is_root()));
    let environment = std::env::vars_os()
        .filter_map(|(k, v)| Some((k.into_string().ok()?, v.into_string().ok()?)))
        .collect();
    let options = ordain_facts::Options { legacy, external_dirs, environment };
    let mut layers = ordain_facts::layers(world, &Machine::host(), &options);
    let library = world.env("FACTERLIB").unwrap_or_default();
    custom_dirs.extend(library.split(':').filter(|dir| !dir.is_empty()).map(PathBuf::from));
    if custom_dirs.is_empty() {
        return layers.merged(Map::default());
    }
    let weighed = |facts: &[(String, Data)], weight| {
        let facts = facts.iter();
        facts.map(|(name, value)| (name.clone(), weight, value.clone())).collect::<Vec<_>>()
    };
    let mut outside = weighed(&layers.external, Layers::EXTERNAL_WEIGHT);
    outside.extend(weighed(&layers.environment, Layers::ENVIRONMENT_WEIGHT));
    let known = KnownFacts { native: Machine::host().facts(true), outside };
    let custom = env.custom_facts(&known, &custom_dirs);
    layers.problems.extend(custom.problems);
    layers.merged(custom.values)
}

/// Reads a file of facts, and the node's name if the file has it. The form is that of `facter
/// --json`, or that of a fact store with `name` and `values`.
pub fn read_facts(world: &dyn World, path: &Path) -> Result<(Option<String>, Data), Error> {
    let bytes = world.read(path).map_err(|e| codes::unreadable(path, &e))?;
    let (name, values) = external::read_named(path, &bytes)
        .map_err(|e| Diagnostic::error(codes::DOCUMENT, e.to_string()))?;
    // `name` may also be an ordinary fact.
    Ok((name.filter(|_| values.get("name").is_none()), values))
}
