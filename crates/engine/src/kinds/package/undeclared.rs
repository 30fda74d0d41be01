//! Packages without a declared provider: the machine decides which manager they use.

use std::sync::{Arc, OnceLock};

use ordain_graph::{Resource, ResourceRef};

use super::provider::{self, Shared};
use crate::kind::params::Params;
use crate::kind::{BatchCommand, Change, Instance, KindError, ParseResult};
use crate::system::host::Host;
use crate::system::watch::Watch;

/// A package without a provider: parsed for the running system, and again if the machine turns out
/// to be another.
pub(super) fn parse(shared: &Arc<Shared>, resource: &Resource) -> ParseResult {
    let host = Host::new("/".into(), Box::new(crate::system::runner::HostRunner));
    let guess = shared.machines.provider(&host);
    let guessed = provider::parse(shared, Params::new(resource), guess)?;
    let (shared, resource) = (Arc::clone(shared), resource.clone());
    Ok(Box::new(DefaultProviderPackage {
        shared,
        resource,
        guess,
        guessed,
        other: OnceLock::new(),
    }))
}

struct DefaultProviderPackage {
    shared: Arc<Shared>,
    resource: Resource,
    guess: &'static str,
    guessed: Box<dyn Instance>,
    other: OnceLock<Result<Box<dyn Instance>, KindError>>,
}

impl DefaultProviderPackage {
    fn instance(&self, host: &Host) -> Result<&dyn Instance, KindError> {
        let provider = self.shared.machines.provider(host);
        if provider == self.guess {
            return Ok(&*self.guessed);
        }
        let parsed = self.other.get_or_init(|| {
            provider::parse(&self.shared, Params::new(&self.resource), provider).map_err(|errors| {
                let texts: Vec<_> = errors.into_iter().map(|e| e.message).collect();
                KindError::new(texts.join("; "))
            })
        });
        parsed.as_ref().map(|instance| &**instance).map_err(Clone::clone)
    }
}

impl Instance for DefaultProviderPackage {
    fn autorequires(&self) -> Vec<ResourceRef> {
        self.guessed.autorequires()
    }

    fn watches(&self, host: &Host) -> Vec<Watch> {
        self.instance(host).map(|i| i.watches(host)).unwrap_or_default()
    }

    fn poll_interval(&self, host: &Host) -> Option<std::time::Duration> {
        self.instance(host).ok()?.poll_interval(host)
    }

    fn remarks(&self, host: &Host) -> Vec<String> {
        self.instance(host).map(|i| i.remarks(host)).unwrap_or_default()
    }

    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        self.instance(host)?.compare(host)
    }

    fn apply(&self, host: &Host, changes: &[Change]) -> Result<(), KindError> {
        self.instance(host)?.apply(host, changes)
    }

    fn group(&self, host: &Host) -> Option<&'static str> {
        self.instance(host).ok()?.group(host)
    }

    fn batch_command(
        &self,
        host: &Host,
        changes: &[Change],
    ) -> Result<Option<BatchCommand>, KindError> {
        self.instance(host)?.batch_command(host, changes)
    }

    fn transact(&self, host: &Host, common: &[String], own: &[&str]) -> Result<(), KindError> {
        self.instance(host)?.transact(host, common, own)
    }

    fn refreshable(&self) -> bool {
        self.guessed.refreshable()
    }

    fn refresh(&self, host: &Host) -> Result<(), KindError> {
        self.instance(host)?.refresh(host)
    }
}
