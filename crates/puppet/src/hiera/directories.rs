//! Missing data directories of a configuration. Lookups in them silently find nothing.

use std::path::{Path, PathBuf};

use ordain_source::EntryKind;

use super::config::{Config, Level, Locations, Owner};
use super::location::join;
use crate::load::Environment;
use ordain_graph::language::Strict;

/// The missing data directories of the global layer and the environment, each with its
/// configuration. Directories with interpolations are left out. Errors in a configuration are
/// reported by lookups.
pub fn missing_directories(env: &Environment, strict: Strict) -> Vec<(PathBuf, String)> {
    let environment = env.dir.as_ref().map(|dir| (Owner::Environment, dir.join("hiera.yaml")));
    let global = env.hiera_config.clone().map(|path| (Owner::Global, path));
    let mut missing = Vec::new();
    for (owner, path) in global.into_iter().chain(environment) {
        let read = env.hiera.config(env.world.as_ref(), &path, &owner, strict);
        let Some(Ok(config)) = read.as_deref() else { continue };
        for level in config.hierarchy.iter().filter(|_| config.version == 5) {
            let Some(dir) = directory(config, level) else { continue };
            let is_there = env.world.kind(Path::new(&dir)) == Some(EntryKind::Directory);
            let found = (path.clone(), dir);
            if !is_there && !missing.contains(&found) {
                missing.push(found);
            }
        }
    }
    missing
}

/// The help for an environment without a `hiera.yaml`, where a lookup finds data of modules only.
pub fn without_configuration(env: &Environment) -> Option<String> {
    let dir = env.dir.as_ref().filter(|_| env.hiera_config.is_none())?;
    let config = dir.join("hiera.yaml");
    env.world.kind(&config).is_none().then(|| {
        format!("there is no {}, so no data is read; --hiera FILE names one", config.display())
    })
}

/// The directory of a level that reads files, if its name is fixed.
fn directory(config: &Config, level: &Level) -> Option<String> {
    let reads_files = !matches!(level.locations, Locations::None | Locations::Uris(_));
    let is_fixed = !level.datadir.is_empty() && !level.datadir.contains("%{");
    let root = config.root.to_string_lossy();
    (reads_files && is_fixed).then(|| join(&root, &level.datadir))
}
