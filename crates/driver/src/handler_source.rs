//! The provider processes of models, which deploy resources with handlers of modules.

use std::sync::Arc;
use std::time::Duration;

use ordain_data::json;
use ordain_engine::kind::Registry;
use ordain_engine::kinds::external::{ExternalKind, KindDescription, SharedProvider};
use ordain_providers::ProcessProvider;

use crate::compiled::Compiled;
use crate::handler_kinds::HandlerKinds;
use crate::options::Options;

/// The provider processes of models for one graph after another.
#[derive(Default)]
pub(crate) struct HandlerSource {
    current: Vec<Running>,
}

/// The kinds of a provider process.
struct Running {
    of: Arc<HandlerKinds>,
    provider: Arc<ProcessProvider>,
    descriptions: Vec<KindDescription>,
    /// The registry that the kinds were added to, and the result.
    registry: (Arc<Registry>, Arc<Registry>),
}

impl HandlerSource {
    /// A registry with the kinds of the models of a graph.
    pub(crate) fn add(
        &mut self,
        mut registry: Arc<Registry>,
        compiled: &Compiled,
        options: &Options,
    ) -> Arc<Registry> {
        let mut running = Vec::new();
        for kinds in &compiled.handler_kinds {
            let known = self.current.iter().position(|one| kinds.is_like(&one.of));
            let mut one = match known {
                Some(at) => {
                    let one = self.current.swap_remove(at);
                    let environment = kinds.environment(options);
                    let members = environment.iter().map(|(name, value)| {
                        (name.as_str(), json::read(&value.to_string()).unwrap_or_default())
                    });
                    let members: Vec<_> = members.collect();
                    one.provider.update(members.iter().map(|(name, value)| (*name, value)));
                    one
                }
                None => {
                    let provider = Arc::new(kinds.provider(options));
                    let descriptions = kinds.descriptions(&provider, options);
                    let pair = (Arc::clone(&registry), Arc::clone(&registry));
                    let mut one =
                        Running { of: Arc::clone(kinds), provider, descriptions, registry: pair };
                    one.join(&registry);
                    one
                }
            };
            if !Arc::ptr_eq(&one.registry.0, &registry) {
                one.join(&registry);
            }
            registry = Arc::clone(&one.registry.1);
            running.push(one);
        }
        self.current = running;
        registry
    }

    /// The kinds of the current graph.
    pub(crate) fn kinds(&self) -> Vec<Arc<HandlerKinds>> {
        self.current.iter().map(|one| Arc::clone(&one.of)).collect()
    }

    /// The processor time of the provider processes, if there are any.
    pub(crate) fn cpu_time(&self) -> Option<Duration> {
        let times = self.current.iter().map(|one| one.provider.cpu_time());
        times.reduce(|one, other| one + other)
    }
}

impl Running {
    /// Adds the kinds to a registry.
    fn join(&mut self, base: &Arc<Registry>) {
        let mut registry = Registry::clone(base);
        let shared: SharedProvider = Arc::clone(&self.provider) as SharedProvider;
        for kind in ExternalKind::all(&shared, self.descriptions.iter().cloned()) {
            registry.add(Box::new(kind));
        }
        self.registry = (Arc::clone(base), Arc::new(registry));
    }
}
