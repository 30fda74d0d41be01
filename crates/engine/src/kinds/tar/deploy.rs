//! `mgmt::deploy::tar`: an archive of the deployed program.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use ordain_data::Value;
use ordain_graph::Resource;
use ordain_kinds::{KindSchema, files};

use super::{ArchiveWriter, END_OF_ARCHIVE, named};
use crate::kind::params::Params;
use crate::kind::tools::{POLL_INTERVAL, is_live};
use crate::kind::{Instance, Kind, ParseContext, ParseResult};
use crate::kinds::shared::generated_file::{self, GeneratedFile};
use crate::system::host::Host;
use crate::system::watch::Watch;

/// The kind.
#[derive(Clone, Copy, Debug, Default)]
pub struct DeployTar;

impl Kind for DeployTar {
    fn schema(&self) -> &KindSchema {
        &files::MGMT_DEPLOY_TAR
    }

    fn parse(&self, resource: &Resource, _: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        let path = generated_file::path(&mut p);
        let mut tree = BTreeMap::new();
        match p.raw("files") {
            Some(Value::Map(files)) => {
                for (name, real) in files.iter() {
                    let name = name.as_str().unwrap_or_default();
                    let real = real.as_str().map(std::path::absolute);
                    match real {
                        Some(Ok(real)) if path.starts_with(&real) => {
                            let real = real.display();
                            let text = format!("'{real}' would include the archive itself");
                            p.error(if p.has("path") { "path" } else { "name" }, text);
                        }
                        Some(Ok(real)) => add(&mut tree, name, &real),
                        _ => p.error("files", format!("'{name}' has no path")),
                    }
                }
            }
            _ => p.error("files", "files must have the files of the program"),
        }
        let pack = ArchiveWriter::of(&mut p);
        p.finish(Box::new(Archive { path, tree, pack }) as Box<dyn Instance>)
    }
}

/// Files and directories by path components.
type Tree = BTreeMap<Vec<String>, ArchiveEntry>;

/// Something that is packed.
struct ArchiveEntry {
    real: PathBuf,
    /// Whether it is packed with its content.
    is_whole: bool,
}

/// Adds a file and its parent directories.
fn add(tree: &mut Tree, name: &str, real: &Path) {
    let mut parts: Vec<String> =
        name.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect();
    let mut outer = real.parent();
    tree.insert(parts.clone(), ArchiveEntry { real: real.to_path_buf(), is_whole: true });
    while parts.pop().is_some() && !parts.is_empty() {
        let Some(real) = outer else { return };
        let place = || ArchiveEntry { real: real.to_path_buf(), is_whole: false };
        tree.entry(parts.clone()).or_insert_with(place);
        outer = real.parent();
    }
}

struct Archive {
    path: PathBuf,
    tree: Tree,
    pack: ArchiveWriter,
}

impl GeneratedFile for Archive {
    fn path(&self) -> &Path {
        &self.path
    }

    fn inputs(&self, host: &Host) -> Vec<Watch> {
        let whole = self.tree.values().filter(|place| place.is_whole && is_live(host));
        whole.map(|place| Watch::Tree(place.real.clone())).collect()
    }

    fn poll_interval(&self, host: &Host) -> Option<Duration> {
        (!is_live(host)).then_some(POLL_INTERVAL)
    }

    /// The files are next to the program, outside a directory that stands for a machine.
    fn produce(&self, host: &Host, out: &mut dyn Write) -> io::Result<()> {
        let mut packed: Option<&Vec<String>> = None;
        for (parts, ArchiveEntry { real, is_whole }) in &self.tree {
            if packed.is_some_and(|whole| parts.starts_with(whole)) {
                continue;
            }
            let name = format!("/{}", parts.join("/"));
            let meta = std::fs::metadata(real).map_err(|e| named(&real.to_string_lossy(), &e))?;
            if !meta.is_dir() {
                self.pack.entry(host, real, name.as_bytes(), &meta, out)?;
                continue;
            }
            let name = format!("{name}/").into_bytes();
            self.pack.entry(host, real, &name, &meta, out)?;
            if *is_whole {
                packed = Some(parts);
                self.pack.directory(host, real, name, 0, out)?;
            }
        }
        out.write_all(&END_OF_ARCHIVE)
    }
}
