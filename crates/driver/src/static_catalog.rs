//! Static catalogs, which contain the metadata of file sources.

use std::path::{Path, PathBuf};

use ecow::EcoString;
use ordain_data::Value;
use ordain_engine::serve::Server;
use ordain_functions::digest;
use ordain_graph::exports::Exported;
use ordain_graph::puppet_catalog::{self, Envelope};
use ordain_graph::{Attribute, Containment, Graph, Origin, Resource, ResourceId, Step};
use ordain_puppet::load::Environment;
use ordain_source::{Diagnostic, SourceMap};

use crate::codes;
use crate::error::Error;

/// The metadata that a static catalog has for files which its node copies from modules.
#[derive(Clone, Debug, Default)]
pub struct StaticCatalog {
    /// Whether it has the type, mode and checksum of each file, and the entries of directories.
    pub has_metadata: bool,
    /// The checksum types that the agent supports, separated by dots; the first supported one is
    /// used.
    pub checksum_type: String,
    /// The id of the code. An agent sends it back to get files of that version.
    pub code_id: Option<String>,
    /// The directory that has the files of the environment now, if its own path is a link that may
    /// lead elsewhere soon. The catalog has the environment's own paths all the same.
    pub files: Option<PathBuf>,
}

impl StaticCatalog {
    /// Adds metadata to a graph, also for files that the node exports. Returns warnings, and errors
    /// about sources.
    ///
    /// # Errors
    /// When there is no environment, or no checksum type is supported.
    pub fn apply(
        &self,
        env: &Environment,
        graph: &mut Graph,
        exported: &[Exported],
    ) -> Result<Vec<Diagnostic>, Error> {
        let code_id = self.code_id.as_deref().map(Into::into);
        graph.served.code_id = code_id;
        if !self.has_metadata {
            return Ok(Vec::new());
        }
        let Some(dir) = &env.dir else {
            let text = "--static needs an environment, and a manifest alone has none";
            let help = "give the directory that has environment.conf, manifests or modules";
            return Err(Diagnostic::error(codes::ARGUMENTS, text).help(help).into());
        };
        let place = |path: &Path| match (&self.files, path.strip_prefix(dir)) {
            (Some(files), Ok(below)) => files.join(below),
            _ => path.to_path_buf(),
        };
        let modules = env.modules.values().map(|m| (m.name.to_string(), place(&m.dir)));
        let files = self.files.as_deref().unwrap_or(dir);
        let server = Server::new(files, modules, &self.checksum_type)
            .map_err(|text| Diagnostic::error(codes::ARGUMENTS, text))?;
        let exported_graph = exported_files(graph, exported);
        let mut wrong = Vec::new();
        let mut serve = |graph: &Graph| match server.serve(graph) {
            Ok(served) => served,
            Err(errors) => {
                wrong.extend(errors.iter().map(|e| unservable(graph, e.resource, &e.message)));
                Default::default()
            }
        };
        let (mut served, mut warnings) = serve(graph);
        let (others, more) = serve(&exported_graph);
        if !wrong.is_empty() {
            return Ok(wrong);
        }
        served.single.extend(others.single);
        served.recursive.extend(others.recursive);
        warnings.extend(more);
        served.code_id = graph.served.code_id.take();
        let recursive = served.recursive.values_mut().flatten().flat_map(|(_, files)| files);
        for file in served.single.values_mut().chain(recursive) {
            if let Ok(below) = Path::new(&file.path).strip_prefix(files) {
                file.path = dir.join(below).display().to_string();
            }
        }
        graph.served = served;
        Ok(warnings.into_iter().map(|text| Diagnostic::warning(codes::RESOURCE, text)).collect())
    }
}

/// The files that a node exports and does not declare itself.
fn exported_files(graph: &Graph, exported: &[Exported]) -> Graph {
    let mut out = Graph::default();
    let origin = out.origins.intern(Origin { step: Step::Declaration, span: None, parent: None });
    for exported in exported.iter().filter(|e| e.id.kind == "File" && graph.find(&e.id).is_none()) {
        let attribute = |(name, value): &(EcoString, Value)| Attribute {
            name: name.clone(),
            value: value.clone(),
            origin,
            losers: Vec::new(),
        };
        out.add(Resource {
            id: exported.id.clone(),
            containment: Containment::Leaf,
            attributes: exported.attributes.iter().map(attribute).collect(),
            tags: Vec::new(),
            exported: true,
            is_virtual: true,
            origin,
        });
    }
    out
}

fn unservable(graph: &Graph, id: ResourceId, message: &str) -> Diagnostic {
    let resource = graph.resource(id);
    let text = format!("{}: {message}", resource.id);
    let origin = resource.attribute("source").map_or(resource.origin, |a| a.origin);
    let span = graph.origins.chain(origin).find_map(|o| o.span);
    let out = Diagnostic::error(codes::RESOURCE, text);
    match span {
        Some(span) => out.labelled(span, "the source is read for the static catalog"),
        None => out,
    }
}

/// The name, version and identity in the head of a catalog. The version is the output of the
/// `config_version` command of the environment, or nothing, so that the same inputs give the same
/// bytes. The identity of a static catalog is made of the rest for the same reason.
///
/// # Errors
/// When the catalog cannot be written.
pub fn envelope(graph: &Graph, sources: &SourceMap) -> std::io::Result<Envelope> {
    let version = graph.version.clone().map_or(Value::Null, Value::Str);
    let mut envelope = Envelope { version, ..Envelope::default() };
    if !graph.served.is_empty() {
        let mut text = Vec::new();
        puppet_catalog::write(graph, sources, &envelope, &mut text)?;
        let digest = digest::sha1_bytes(&text);
        envelope.uuid = digest::uuid(std::array::from_fn(|at| digest[at]), 5);
    }
    Ok(envelope)
}
