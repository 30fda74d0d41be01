//! Compiles single nodes of a server, to explain their graphs.

use std::path::Path;
use std::sync::Arc;

use ordain_data::Redactor;
use ordain_driver::puppet::shared::{NodeCatalog, NodeRequest, SharedEnvironment};
use ordain_driver::{Options, Reporter, SourceKind};
use ordain_graph::Graph;
use ordain_graph::explain::{Cause, Explainer, Explanation};
use ordain_graph::exports::Exports;
use ordain_graph::fleet::FleetQueries;
use ordain_puppet::eval::STACK_SIZE;
use ordain_puppet::provenance::Provenance;
use ordain_puppetdb::{StoredExports, StoredNodes};
use ordain_source::limits::on_deep_stack;
use ordain_source::{Diagnostic, SourceMap};

use crate::error::FleetError;
use crate::nodes::FleetNode;
use crate::store::{Drift, NodeStore};

/// The environment of a checkout, open for nodes of a server: a compile sees the exported resources
/// and the data of the other nodes, as on the server.
pub struct NodeCompiler {
    environment: SharedEnvironment,
    name: String,
    exports: Arc<dyn Exports>,
    queries: Arc<dyn FleetQueries>,
}

impl NodeCompiler {
    /// Opens a control repository. Reports its errors to `reporter`.
    ///
    /// # Errors
    /// When the path has no code of Puppet, or its site program has errors.
    pub fn open(
        reporter: &mut dyn Reporter,
        path: &Path,
        options: &Options,
        store: &NodeStore,
    ) -> Result<Self, FleetError> {
        if SourceKind::of(path, options) != SourceKind::Puppet {
            let text = format!("{} has no code of Puppet", path.display());
            return Err(FleetError::Rule(text));
        }
        let environment = SharedEnvironment::open(reporter, path, options)?;
        let name = options.environment.as_deref().unwrap_or(crate::run::ENVIRONMENT);
        Ok(Self {
            environment,
            name: name.to_owned(),
            exports: Arc::new(StoredExports::new(store.database())),
            queries: Arc::new(StoredNodes::new(store.database())),
        })
    }

    /// The source texts.
    pub fn sources(&self) -> &SourceMap {
        self.environment.sources()
    }

    /// Compiles the graph of a node. The diagnostics have the reason if there is none.
    ///
    /// # Errors
    /// When the facts of the node cannot be read.
    pub fn compile(
        &self,
        node: &FleetNode,
    ) -> Result<(Option<Graph>, Vec<Diagnostic>), FleetError> {
        let request = NodeRequest {
            exports: Some(Arc::clone(&self.exports)),
            queries: Some(Arc::clone(&self.queries)),
            ..node.parse()?.request(&node.name, &self.name)
        };
        let compile = || self.environment.compile(request);
        let NodeCatalog { graph, diagnostics, .. } = on_deep_stack(STACK_SIZE, compile);
        Ok((graph, diagnostics))
    }

    /// Adds to the differences of a node the places that gave the attributes their values.
    pub fn add_origins(&self, graph: &Graph, drift: &mut [Drift]) {
        let sources = self.sources();
        let provenance = Provenance::new(graph, sources);
        let explainer = Explainer {
            graph,
            sources,
            line: &|_, _| None,
            shown: &|_| String::new(),
            secrets: &Redactor::default(),
            variables: &|explainer, origin| provenance.variables(explainer, origin),
        };
        for one in drift {
            let Some(id) = graph.find_text(&one.resource) else { continue };
            let resource = graph.resource(id);
            let property = one.property.as_deref().unwrap_or_default();
            if let Some(attribute) = resource.attribute(property) {
                one.set_by = places(&explainer.attribute(id, attribute));
            }
        }
    }
}

/// The steps that lead to a declaration, not to a value.
const CONTAINERS: [&str; 3] = ["class", "define", "node"];

/// The places of the causes of a value, from the nearest to the first one.
fn places(explanation: &Explanation) -> Vec<String> {
    fn add(causes: &[Cause], places: &mut Vec<String>) {
        for cause in causes.iter().filter(|cause| !CONTAINERS.contains(&cause.step)) {
            let place = cause.place.as_ref().filter(|place| place.line > 0);
            let place = place.map(|place| format!("{}:{}", place.file, place.line));
            places.extend(place.filter(|place| !places.contains(place)));
            add(&cause.from, places);
        }
    }
    let mut places = Vec::new();
    add(&explanation.causes, &mut places);
    places
}
